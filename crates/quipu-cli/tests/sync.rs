//! Two laptops and a repository between them: whatever either does, in whatever order they sync, both end with the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use quipu_testkit::TestRepo;
use serde_json::{Value, json};

use crate::{answer, quipu};

/// A machine with a home folder of its own.
struct Laptop {
    place: TestRepo,
}

/// A month of work has this many days.
const DAYS: u64 = 30;

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

impl Laptop {
    fn new() -> Self {
        let laptop = Self { place: TestRepo::new() };
        laptop.place.write("home/.keep", "");
        laptop
    }

    fn user(&self) -> PathBuf {
        self.place.root().join("user")
    }

    fn command(&self, now: &str, arguments: &[&str]) -> Command {
        let mut command = quipu(self.place.root());
        command.env("HOME", self.place.root().join("home"));
        command.env("QUIPU_USER_DIR", self.user());
        command.args(["--now", now, "--today", &now[..10]]).args(arguments);
        command
    }

    fn try_run(&self, now: &str, arguments: &[&str]) -> (i32, String, String) {
        answer(&self.command(now, arguments).output().unwrap())
    }

    fn done(&self, now: &str, arguments: &[&str]) -> String {
        let (code, out, error) = self.try_run(now, arguments);
        assert_eq!(code, 0, "{now} {arguments:?}: {out}{error}");
        out
    }

    fn json(&self, now: &str, arguments: &[&str]) -> Value {
        let all = [&["--json"], arguments].concat();
        let (_, out, error) = self.try_run(now, &all);
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{arguments:?}: {out}{error}"))
    }

    fn remember(&self, now: &str, words: &str) -> String {
        let told = self.json(now, &["remember", "--user", words]);
        told["id"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
    }

    /// The ledger: every day and every file of events.
    fn ledger(&self) -> BTreeMap<String, String> {
        let files = quipu_testkit::repo::files_in(&self.user());
        let is_ledger = |path: &String| path.starts_with("memory/") && !path.contains("/.");
        let files = files.into_iter().filter(|(path, _)| is_ledger(path));
        files.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
    }

    fn recalled(&self, now: &str, question: &str) -> Vec<String> {
        let told = self.json(now, &["--scope", "user", "recall", question]);
        let results = told["results"].as_array().unwrap_or_else(|| panic!("{told}")).iter();
        results.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    }
}

fn bare(place: &TestRepo) -> String {
    let path = place.root().join("memory.git");
    let made = Command::new("git").args(["init", "-q", "--bare"]).arg(&path).status().unwrap();
    assert!(made.success());
    path.display().to_string()
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

const THINGS: [&str; 8] =
    ["harbour", "bakery", "violin", "greenhouse", "tandem", "sauna", "kiln", "archive"];
const SAYINGS: [&str; 6] = [
    "opens at seven on weekdays",
    "needs a new door before winter",
    "belongs to the cousin of Ada",
    "was painted green last summer",
    "costs four coins a visit",
    "is closed whenever it rains",
];

#[test]
fn two_machines_that_work_for_a_month_end_with_the_same_memory() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let laptops = [Laptop::new(), Laptop::new()];
    for laptop in &laptops {
        laptop.done("2026-06-01T00:00:00Z", &["sync", "init", &url]);
    }
    let mut dice = Dice(20_261_119);
    let mut known: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let mut purged: Vec<(String, String)> = Vec::new();
    let mut number = 0;
    for day in 1..=DAYS {
        let at = |hour: u64, minute: u64| format!("2026-06-{day:02}T{hour:02}:{minute:02}:00Z");
        for step in 0..3_u64 {
            let which = usize::try_from(dice.roll(2)).unwrap();
            let (laptop, now) = (&laptops[which], at(8 + step * 4, dice.roll(60)));
            number += 1;
            match dice.roll(10) {
                0 if known[which].len() > 3 => {
                    let id = known[which].remove(0);
                    laptop.done(&now, &["--scope", "user", "forget", &id]);
                }
                1 if known[which].len() > 3 => {
                    let id = known[which].remove(1);
                    laptop.done(
                        &now,
                        &["--scope", "user", "purge", &id, "--reason", "mine", "--yes"],
                    );
                    purged.push((id, String::new()));
                }
                2 => {
                    // Whatever the night finds to do is right.
                    let (code, out, error) = laptop.try_run(&now, &["--scope", "user", "dream"]);
                    assert!(code < 2, "{out}{error}");
                }
                3..=5 => {
                    laptop.done(&at(8 + step * 4 + 1, 0), &["sync"]);
                }
                _ => {
                    let thing = THINGS[usize::try_from(dice.roll(8)).unwrap()];
                    let saying = SAYINGS[usize::try_from(dice.roll(6)).unwrap()];
                    let id =
                        laptop.remember(&now, &format!("The {thing} number {number} {saying}"));
                    known[which].push(id);
                }
            }
        }
    }
    // One record that the guard keeps where it is.
    let allowed = ["--set", "guard.secrets=allow", "remember", "--user"];
    let words = format!("The token of the bot is {TOKEN}");
    laptops[0].done("2026-06-30T21:00:00Z", &[&allowed[..], &[&words]].concat());
    let told = laptops[0].done("2026-06-30T22:00:00Z", &["sync"]);
    assert!(told.contains("stays here: it looks like a credential"), "{told}");
    for (hour, laptop) in [(22, 1), (23, 0), (23, 1)] {
        laptops[laptop].done(&format!("2026-06-30T{hour}:30:00Z"), &["sync"]);
    }
    let now = "2026-06-30T23:59:00Z";
    let [mut ours, theirs] = [laptops[0].ledger(), laptops[1].ledger()];
    let day = ours.get_mut("memory/2026-06-30.md").unwrap();
    assert!(day.contains(TOKEN), "the words stay where they were said");
    let start = day.find("- The token of the bot").unwrap();
    let end = day[start..].find("-->").unwrap() + start + 4;
    day.replace_range(start..end, "");
    let names: Vec<&String> = ours.keys().collect();
    assert_eq!(names, theirs.keys().collect::<Vec<_>>());
    for (path, text) in &ours {
        assert_eq!(text, &theirs[path], "{path}");
    }
    assert!(ours.len() > 20 && !purged.is_empty(), "{}", ours.len());
    for (id, _) in &purged {
        let whole: String = ours.values().map(String::as_str).collect();
        assert!(whole.contains(id), "the tombstone stays");
    }
    for thing in THINGS {
        for saying in SAYINGS {
            let question = format!("{thing} {saying}");
            let found = laptops.each_ref().map(|laptop| laptop.recalled(now, &question));
            assert_eq!(found[0], found[1], "{question}");
        }
    }
    let status = laptops[0].json(now, &["sync", "status"]);
    assert_eq!(status["synced"][0]["kept"][0]["path"], "MEMORY.md", "{status}");
    assert!(!all_of(Path::new(&url)).contains(TOKEN));
    for laptop in &laptops {
        let told = laptop.done(now, &["sync"]);
        assert!(told.contains("nothing new"), "{told}");
        assert!(laptop.done(now, &["sync", "off"]).contains("no longer synced"));
        assert_ne!(laptop.try_run(now, &["sync"]).0, 0);
    }
}

/// Everything that a repository's branch leads to, as text.
fn all_of(repository: &Path) -> String {
    let output = Command::new("git")
        .arg("--git-dir")
        .arg(repository)
        .args(["log", "-p", "--all", "--format=%H"])
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_one_machine_purged_is_gone_from_the_other_and_from_the_repository() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let [one, two] = [Laptop::new(), Laptop::new()];
    for laptop in [&one, &two] {
        laptop.done("2026-06-01T08:00:00Z", &["sync", "init", &url]);
    }
    let id = one.remember("2026-06-01T09:00:00Z", "The zebra lives in the cellar of the old mill");
    one.remember("2026-06-01T09:05:00Z", "The tandem has two bells");
    one.done("2026-06-01T10:00:00Z", &["sync"]);
    two.done("2026-06-01T11:00:00Z", &["sync"]);
    assert_eq!(two.recalled("2026-06-01T12:00:00Z", "where does the zebra live?")[0], id);
    assert!(all_of(Path::new(&url)).contains("zebra"));
    one.done(
        "2026-06-02T09:00:00Z",
        &["--scope", "user", "purge", &id, "--reason", "gone", "--yes"],
    );
    two.remember("2026-06-02T09:30:00Z", "The kiln is warm on Mondays");
    let told = one.done("2026-06-02T10:00:00Z", &["sync"]);
    assert!(told.contains("history was dropped"), "{told}");
    let told = two.done("2026-06-02T11:00:00Z", &["sync"]);
    assert!(told.contains(&id) && told.contains("purged here too"), "{told}");
    one.done("2026-06-02T12:00:00Z", &["sync"]);
    assert_eq!(one.ledger(), two.ledger());
    assert!(!all_of(Path::new(&url)).contains("zebra"));
    for laptop in [&one, &two] {
        let state = quipu_testkit::state_home_of(laptop.place.root());
        for folder in [laptop.user(), state] {
            for (path, bytes) in quipu_testkit::repo::files_in(&folder) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                assert!(!text.contains("zebra"), "{path}");
                // Git's own files are packed: it is asked what they hold.
                if let Some(repository) = path.strip_suffix("sync.git/HEAD") {
                    let repository = folder.join(repository).join("sync.git");
                    let mut command = Command::new("git");
                    command.arg("--git-dir").arg(repository);
                    let held =
                        command.args(["cat-file", "--batch", "--batch-all-objects"]).output();
                    let held = String::from_utf8_lossy(&held.unwrap().stdout).into_owned();
                    assert!(held.contains("tandem") && !held.contains("zebra"), "{held}");
                }
            }
        }
        assert!(
            laptop
                .done("2026-06-03T09:00:00Z", &["--scope", "user", "recall", "kiln on Mondays"])
                .contains("warm")
        );
    }
}

#[test]
fn a_sync_that_dies_at_any_moment_loses_nothing() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let [one, two] = [Laptop::new(), Laptop::new()];
    for laptop in [&one, &two] {
        laptop.done("2026-06-01T08:00:00Z", &["sync", "init", &url]);
    }
    let mut ids = Vec::new();
    for round in 0..12_u64 {
        let now = |minute: u64| format!("2026-06-02T{:02}:{minute:02}:00Z", 8 + round);
        ids.push(one.remember(&now(1), &format!("One saw heron number {round} at the pond")));
        ids.push(two.remember(&now(2), &format!("Two saw otter number {round} by the weir")));
        for (laptop, minute) in [(&one, 3), (&two, 4)] {
            let mut child = laptop
                .command(&now(minute), &["sync"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(round * 9));
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
    for (hour, laptop) in [(21, &one), (22, &two), (23, &one)] {
        laptop.done(&format!("2026-06-02T{hour}:30:00Z"), &["sync"]);
    }
    assert_eq!(one.ledger(), two.ledger());
    let whole: String = one.ledger().values().map(String::as_str).collect();
    for id in &ids {
        assert!(whole.contains(&format!("id: {id}")), "{id} was lost");
    }
}

#[test]
fn a_projects_private_memory_travels_where_somebody_asks_for_it() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let now = "2026-06-02T08:00:00Z";
    let [one, two] = [Laptop::new(), Laptop::new()];
    for laptop in [&one, &two] {
        laptop.done(now, &["init", "--project", "x"]);
        let (code, _, error) = laptop.try_run(now, &["sync", "init", "/nowhere/at/all"]);
        assert!(code == 3 && error.contains("no repository to sync with"), "{error}");
        assert_ne!(laptop.try_run(now, &["sync", "init", "ext::sh -c id"]).0, 0);
        laptop.done(now, &["sync", "init", &url, "--project", "pigeon"]);
    }
    one.done(now, &["remember", "Homing takes two days"]);
    one.done(now, &["fact", "add", "Orders are never deleted"]);
    one.done("2026-06-02T09:00:00Z", &["sync"]);
    two.done("2026-06-02T09:30:00Z", &["sync"]);
    assert!(
        two.done("2026-06-02T10:00:00Z", &["recall", "how long does homing take"])
            .contains("two days")
    );
    assert!(
        !two.place.read("memory/continuity.md").contains("never deleted"),
        "facts go by the project's own git"
    );
    let status = two.json(now, &["sync", "status"]);
    assert_eq!(status["synced"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(status["synced"][0]["folder"], json!("projects/pigeon"));
}

#[test]
fn what_one_machine_took_back_leaves_the_window_of_both() {
    let remote = TestRepo::new();
    let url = bare(&remote);
    let (first, second) = (Laptop::new(), Laptop::new());
    let at = |minute: u32| format!("2026-05-01T10:{minute:02}:00Z");
    let kept = first.remember(&at(0), "I like small commits");
    let gone = first.remember(&at(1), "I like tea");
    for (minute, laptop) in [(2, &first), (3, &second)] {
        laptop.done(&at(minute), &["sync", "init", &url]);
        laptop.done(&at(minute), &["sync"]);
    }
    let window =
        |laptop: &Laptop| std::fs::read_to_string(laptop.user().join("MEMORY.md")).unwrap();
    assert!(window(&second).contains(&gone));
    first.done(&at(4), &["--scope", "user", "undo"]);
    for (minute, laptop) in [(5, &first), (6, &second), (7, &first)] {
        laptop.done(&at(minute), &["sync"]);
        let shown = window(laptop);
        assert!(shown.contains(&kept) && !shown.contains(&gone), "{shown}");
    }
    first.done(&at(8), &["--scope", "user", "redo"]);
    for (minute, laptop) in [(9, &first), (10, &second)] {
        laptop.done(&at(minute), &["sync"]);
        assert!(window(laptop).contains(&gone), "it is remembered again");
    }
}
