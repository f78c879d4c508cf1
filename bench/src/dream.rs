//! How long a dream takes as memories grow, how much it holds, and whether one that is killed ends
//! where one that is not ends.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use quipu_engine::fs::RealFs;
use quipu_engine::operation::Request;
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{index, open, replay};
use serde_json::{Value, json};

use crate::memories::word;
use crate::scratch::Scratch;
use crate::speed::binary;

/// The moment of the dream.
const NOW: &str = "2026-06-20T03:00:00Z";

/// Numbers that look random, and are always the same.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() >> 20).unwrap() % end.max(1)
    }
}

/// Measures dreams over memories of several sizes.
pub(crate) fn speed(sizes: &[usize]) -> Value {
    let mut rows: Vec<Value> = Vec::new();
    for count in sizes {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), *count, 7);
        let (first, time, megabytes) = dream(folder.path());
        let (second, again, _) = dream(folder.path());
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let each = time.as_secs_f64() * 1e6 / *count as f64;
        rows.push(json!({
            "memories": count,
            "seconds": (time.as_secs_f64() * 100.0).round() / 100.0,
            "microseconds_each": each.round(),
            "milliseconds_each": each / 1000.0,
            "resident_mb": megabytes,
            "did": first["did"],
            "second_dream_did": second["actions"].as_array().map(Vec::len),
            "second_dream_seconds": (again.as_secs_f64() * 100.0).round() / 100.0,
        }));
    }
    let each = |row: &Value| row["microseconds_each"].as_f64().unwrap_or(1.0);
    let growth: Vec<f64> =
        rows.iter().map(|row| (each(row) / each(&rows[0]) * 100.0).round() / 100.0).collect();
    json!({ "dreams": rows, "each_against_the_first": growth })
}

/// Runs a dream as a process; returns what it says, how long it took and the most that it held.
fn dream(folder: &Path) -> (Value, Duration, Value) {
    let script = "import resource, subprocess, sys\np = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)\nsys.stdout.buffer.write(p.stdout)\nprint()\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let started = Instant::now();
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(binary())
        .arg("-C")
        .arg(folder)
        .args(["--now", NOW, "dream", "--json"])
        .output()
        .unwrap();
    let time = started.elapsed();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let (said, kilobytes) = said.trim_end().rsplit_once('\n').unwrap();
    let megabytes = kilobytes.trim().parse::<f64>().map(|kilobytes| (kilobytes / 1024.0).round());
    (serde_json::from_str(said).unwrap_or_default(), time, json!(megabytes.ok()))
}

/// Kills dreams at random moments until each is done; all must end where one that lives ends.
pub(crate) fn killed(times: usize, count: usize) -> Value {
    let (scratch, ()) = Scratch::filled(|folder| fill(folder, count, 7));
    let (_, time, _) = dream(&scratch.root());
    let expected = state(&scratch.root());
    let mut dice = Dice::new(3);
    let (mut kills, mut differ, folder) = (0, 0, scratch.restore());
    while kills < times {
        let mut process = Command::new(binary())
            .arg("-C")
            .arg(&folder)
            .args(["--now", NOW, "dream", "--json"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let most = usize::try_from(time.as_millis()).unwrap().max(2);
        std::thread::sleep(Duration::from_millis(dice.below(most) as u64));
        let ended = process.try_wait().unwrap().is_some();
        if !ended {
            process.kill().unwrap();
            kills += 1;
        }
        process.wait().unwrap();
        if ended {
            dream(&folder);
            differ += usize::from(state(&folder) != expected);
            scratch.restore();
        }
    }
    dream(&folder);
    differ += usize::from(state(&folder) != expected);
    json!({ "killed": kills, "memories": count, "ended_elsewhere": differ, "lost": differ, "replay_equal": differ == 0 })
}

/// What every memory is in the end, and whether the files say the same.
fn state(folder: &Path) -> Vec<String> {
    let workspace = open::at(Arc::new(RealFs), folder).unwrap();
    let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
    let mut all = vec![format!("replay equal: {}", replayed.equal)];
    for id in replay::index_ids(&workspace).unwrap() {
        let item = index::resolve(&workspace, &id).unwrap();
        all.push(serde_json::to_string(&item).unwrap());
    }
    all
}

/// Fills a workspace: projects with components, each of which many things are said about, over a year.
pub(crate) fn fill(folder: &Path, count: usize, seed: u64) {
    std::fs::create_dir_all(folder.join("memory")).unwrap();
    std::fs::write(folder.join("memory/continuity.md"), "# Continuity\n").unwrap();
    let workspace = open::at(Arc::new(RealFs), folder).unwrap();
    let now: Timestamp = NOW.parse().unwrap();
    let mut dice = Dice::new(seed);
    let projects = (count / 100).max(4);
    let mut left = count;
    while left > 0 {
        let some = left.min(10_000);
        left -= some;
        let new: Vec<NewMemory> = (0..some).map(|_| one(&mut dice, projects, now)).collect();
        let request = Request {
            caller: quipu_engine::caller::Caller::PERSON,
            operation: "remember",
            now,
            today: jiff::civil::Date::constant(2026, 6, 20),
            session: Some("bench"),
            dry_run: false,
        };
        let ids = remember::remember(&workspace, &new, &request).unwrap().ids;
        for id in ids.iter().step_by(7) {
            let days = i64::try_from(dice.below(200)).unwrap();
            index::note_access(&workspace, id, ago(now, days));
        }
    }
}

fn ago(now: Timestamp, days: i64) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(24 * days)).unwrap()
}

fn one(dice: &mut Dice, projects: usize, now: Timestamp) -> NewMemory {
    const COMPONENTS: [&str; 6] =
        ["build", "importer", "search page", "billing run", "login", "mobile app"];
    const EVENTS: [&str; 5] = [
        "was slow again because of",
        "failed at night on",
        "was deployed with",
        "lost its connection to",
        "now depends on",
    ];
    const PEOPLE: [&str; 8] = ["Ada", "Grace", "Linus", "Maria", "Otto", "Paul", "Rosa", "Vera"];
    let project = dice.below(projects);
    let name = format!("{}{}", word(dice_of(project)), project % 97);
    let component = COMPONENTS[dice.below(6)];
    let text = match dice.below(10) {
        0 => format!("{} keeps {} copies of the data of its {component}", name, dice.below(4) + 1),
        1..=5 => {
            format!("The {component} of {name} {} {}", EVENTS[dice.below(5)], word(dice.roll()))
        }
        _ => format!(
            "{} said that the {component} of {name} {} {} and {}",
            PEOPLE[dice.below(8)],
            EVENTS[dice.below(5)],
            word(dice.roll()),
            word(dice.roll())
        ),
    };
    let days = i64::try_from(dice.below(365)).unwrap();
    NewMemory {
        category: if dice.below(6) == 0 { "learned" } else { "note" }.to_owned(),
        importance: Some([0.1, 0.3, 0.5, 0.8][dice.below(4)]),
        time: Some(ago(now, days)),
        text,
        allow_secret: true,
        ..NewMemory::default()
    }
}

/// A project has one name.
fn dice_of(project: usize) -> u64 {
    Dice::new(project as u64 + 1).roll()
}
