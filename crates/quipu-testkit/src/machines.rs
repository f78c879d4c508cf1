//! Two machines of one person that meet in a git repository: a month of work, drawn by a seed. They write, forget, pin,
//! edit, purge and dream; they sync in any order, and some syncs are killed before or after any of their calls to git.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::TestRepo;
use crate::repo::files_in;

/// The month to live.
#[derive(Clone, Copy, Debug)]
pub struct Month<'a> {
    /// The program.
    pub binary: &'a Path,
    /// What draws everything.
    pub seed: u64,
    /// How many days it has, at most 30.
    pub days: u64,
}

/// What happened, and where the machines differ at its end.
#[derive(Clone, Debug, Default)]
pub struct Lived {
    /// What drew everything.
    pub seed: u64,
    /// Memories written.
    pub remembered: usize,
    /// Forgotten, pinned, edited or restored.
    pub decided: usize,
    /// Purged.
    pub purged: usize,
    /// Dreams.
    pub dreamt: usize,
    /// Syncs that ended.
    pub synced: usize,
    /// Syncs that were killed.
    pub killed: usize,
    /// Questions that both were asked.
    pub asked: usize,
    /// What is lost, is not the same, or should be gone; nothing, where all is well.
    pub wrong: Vec<String>,
}

impl Lived {
    /// Returns all of it as data.
    pub fn figures(&self) -> Value {
        json!({
            "seed": self.seed, "remembered": self.remembered, "decided": self.decided,
            "purged": self.purged, "dreamt": self.dreamt, "synced": self.synced,
            "killed": self.killed, "asked": self.asked, "wrong": self.wrong,
        })
    }
}

/// A token that the guard keeps where it was written.
const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// A sync calls git about so often.
const GIT_CALLS: u64 = 14;

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

/// The two memories that each machine syncs: the options that choose one, and its folder.
const SCOPES: [(&str, &str); 2] = [("user", "user"), ("project", "project")];

/// Lives a month.
pub fn live(month: Month<'_>) -> Lived {
    let hub = TestRepo::new();
    let remote = hub.root().join("memory.git").display().to_string();
    let made = Command::new("git").args(["init", "-q", "--bare", &remote]).status().unwrap();
    assert!(made.success());
    let machines = [Machine::new(month.binary), Machine::new(month.binary)];
    for machine in &machines {
        machine.done(START, &["init", "--project", "month"]);
        machine.done(START, &["sync", "init", &remote]);
        machine.done(START, &["sync", "init", &remote, "--project", "month"]);
    }
    let mut life = Life {
        dice: Dice(month.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        lived: Lived { seed: month.seed, ..Lived::default() },
        written: Vec::new(),
        purged: Vec::new(),
    };
    for day in 1..=month.days {
        for step in 0..4 {
            let minute = life.dice.roll(60);
            let now = format!("2026-06-{day:02}T{:02}:{minute:02}:00Z", 8 + step * 3);
            life.step(&machines, &now);
        }
    }
    for (at, machine) in [("20:00", 0), ("20:10", 1), ("20:20", 0)] {
        machines[machine].done(&format!("2026-06-30T{at}:00Z"), &["sync"]);
        life.lived.synced += 1;
    }
    life.compare_answers(&machines);
    // What stays on one machine counts there in what a word is worth.
    let words = format!("The token of the bot is {TOKEN}");
    let allowed = ["remember", "--user", "--allow-secret", &words];
    machines[0].done("2026-06-30T21:00:00Z", &allowed);
    for (at, machine) in [("22:00", 0), ("22:10", 1)] {
        machines[machine].done(&format!("2026-06-30T{at}:00Z"), &["sync"]);
        life.lived.synced += 1;
    }
    life.compare_files(&machines, Path::new(&remote));
    life.lived
}

const START: &str = "2026-06-01T00:00:00Z";
const END: &str = "2026-06-30T23:59:00Z";

/// A memory that was written, with a word that nothing else has.
#[derive(Clone, Debug)]
struct Written {
    id: String,
    scope: usize,
    mark: String,
}

struct Life {
    dice: Dice,
    lived: Lived,
    written: Vec<Written>,
    purged: Vec<Written>,
}

impl Life {
    fn step(&mut self, machines: &[Machine; 2], now: &str) {
        let which = self.index(2);
        let machine = &machines[which];
        match (self.dice.roll(16), self.pick(machine)) {
            (0, Some(one)) => {
                let is_done = machine.in_scope(now, &one, &["forget", &one.id]);
                self.lived.decided += usize::from(is_done);
            }
            (1, Some(one)) => {
                let is_done = machine.in_scope(now, &one, &["memory", "pin", &one.id]);
                self.lived.decided += usize::from(is_done);
            }
            (2, Some(one)) => {
                let words = format!("The {} closes at nine on Sundays", one.mark);
                let is_done = machine.in_scope(now, &one, &["edit", &one.id, &words]);
                self.lived.decided += usize::from(is_done);
            }
            (3 | 4, Some(one)) => {
                if machine.in_scope(now, &one, &["purge", &one.id, "--reason", "mine", "--yes"]) {
                    self.lived.purged += 1;
                    self.purged.push(one);
                }
            }
            (5, _) => {
                let (scope, _) = SCOPES[self.index(2)];
                let (code, out, error) = machine.run(now, &["--scope", scope, "dream"]);
                assert!(code < 2, "{out}{error}");
                self.lived.dreamt += 1;
            }
            (6 | 7, _) => {
                let (call, is_before) = (self.dice.roll(GIT_CALLS) + 1, self.dice.roll(2) == 0);
                if machine.sync_killed(now, call, is_before) {
                    self.lived.killed += 1;
                } else {
                    self.lived.synced += 1;
                }
            }
            (8 | 9, _) => {
                machine.done(now, &["sync"]);
                self.lived.synced += 1;
            }
            _ => self.remember(machine, now),
        }
    }

    fn remember(&mut self, machine: &Machine, now: &str) {
        let number = self.lived.remembered;
        self.lived.remembered += 1;
        let mark =
            format!("{}{number}x{}", ["zuka", "miro", "feln"][self.index(3)], self.lived.seed);
        let (thing, saying) = (THINGS[self.index(8)], SAYINGS[self.index(6)]);
        let words = format!("The {thing} called {mark} {saying}");
        let scope = self.index(2);
        let mut arguments = vec!["--json", "remember", &words];
        if scope == 0 {
            arguments.push("--user");
        }
        let told = machine.done(now, &arguments);
        let told: Value = serde_json::from_str(&told).unwrap();
        let id = told["id"].as_str().unwrap().to_owned();
        self.written.push(Written { id, scope, mark });
    }

    /// Returns something whose words a machine has, whatever the other one did to it meanwhile.
    fn pick(&mut self, machine: &Machine) -> Option<Written> {
        let texts = SCOPES.map(|(_, folder)| machine.ledger(folder));
        let has = |one: &&Written| texts[one.scope].values().any(|text| text.contains(&one.mark));
        let here: Vec<Written> = self.written.iter().filter(has).cloned().collect();
        let at = self.index(here.len().max(1));
        here.into_iter().nth(at)
    }

    fn index(&mut self, sides: usize) -> usize {
        usize::try_from(self.dice.roll(sides as u64)).unwrap()
    }

    /// Compares what both answer.
    fn compare_answers(&mut self, machines: &[Machine; 2]) {
        for thing in THINGS {
            for saying in SAYINGS {
                let question = format!("which {thing} {saying}?");
                let [one, other] = machines.each_ref().map(|machine| machine.recalled(&question));
                self.lived.asked += 1;
                if one != other {
                    self.lived.wrong.push(format!("{question} {one:?} {other:?}"));
                }
            }
        }
    }

    /// Compares what both have at the end, and looks for purged words.
    fn compare_files(&mut self, machines: &[Machine; 2], remote: &Path) {
        let wrong = &mut self.lived.wrong;
        for (_, folder) in SCOPES {
            let [mut ours, theirs] = machines.each_ref().map(|machine| machine.ledger(folder));
            // What the guard kept is here alone.
            for text in ours.values_mut() {
                if let Some(start) = text.find("- The token of the bot") {
                    let end = text[start..].find("-->\n").unwrap() + start + 4;
                    text.replace_range(start..end, "");
                }
            }
            ours.retain(|_, text| text.contains("id: ") || text.contains("\"id\""));
            let paths: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
            for path in paths {
                if ours.get(path) != theirs.get(path) {
                    wrong.push(format!("{folder}: {path} differs"));
                }
            }
            let whole: String = ours.values().map(String::as_str).collect();
            for one in self.written.iter().filter(|one| SCOPES[one.scope].1 == folder) {
                if !whole.contains(&format!("id: {} ", one.id)) {
                    wrong.push(format!("{folder}: {} is lost", one.id));
                }
            }
            for one in self.purged.iter().filter(|one| SCOPES[one.scope].1 == folder) {
                if !whole.contains(&one.id) {
                    wrong.push(format!("{folder}: no tombstone of {}", one.id));
                }
            }
        }
        for (at, machine) in machines.iter().enumerate() {
            for (path, bytes) in files_in(machine.place.root()) {
                let text = String::from_utf8_lossy(&bytes);
                for one in self.purged.iter().filter(|one| text.contains(&one.mark)) {
                    wrong.push(format!("machine {at}: {path} still has the words of {}", one.id));
                }
            }
        }
        let mut history = Command::new("git");
        history.arg("--git-dir").arg(remote);
        let history = history.args(["log", "-p", "--all", "--format=%H"]).output().unwrap();
        let history = String::from_utf8_lossy(&history.stdout).into_owned();
        for one in self.purged.iter().filter(|one| history.contains(&one.mark)) {
            wrong.push(format!("the repository still has the words of {}", one.id));
        }
        if history.contains(TOKEN) {
            wrong.push("the token left its machine".to_owned());
        }
    }
}

/// A machine with folders of its own.
struct Machine {
    place: TestRepo,
    binary: PathBuf,
}

impl Machine {
    fn new(binary: &Path) -> Self {
        let place = TestRepo::new();
        for folder in ["home", "bin", "user", "project"] {
            std::fs::create_dir(place.root().join(folder)).unwrap();
        }
        Self { place, binary: binary.to_owned() }
    }

    /// Returns a command line with nothing of the caller's environment.
    fn command(&self, now: &str, arguments: &[&str]) -> Command {
        let folder = |name: &str| self.place.root().join(name);
        let mut command = Command::new(&self.binary);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", folder("home")).env("QUIPU_USER_DIR", folder("user"));
        command.env(quipu_engine::state::VARIABLE, folder("state"));
        command.env(quipu_engine::config::VARIABLE, folder("settings.toml"));
        command.arg("-C").arg(folder("project"));
        command.args(["--now", now, "--today", &now[..10]]).args(arguments);
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, now: &str, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(now, arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    fn done(&self, now: &str, arguments: &[&str]) -> String {
        let (code, out, error) = self.run(now, arguments);
        assert_eq!(code, 0, "{now} {arguments:?}: {out}{error}");
        out
    }

    /// Returns whether it was done, and not refused: what is archived cannot be archived again.
    fn in_scope(&self, now: &str, one: &Written, arguments: &[&str]) -> bool {
        let all = [&["--scope", SCOPES[one.scope].0], arguments].concat();
        let (code, out, error) = self.run(now, &all);
        assert!(code == 0 || code == 3, "{now} {arguments:?}: {out}{error}");
        code == 0
    }

    /// Syncs, and dies before or after one of its calls to git. Returns whether it died.
    fn sync_killed(&self, now: &str, call: u64, is_before: bool) -> bool {
        let real = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|folder| folder.join("git"))
            .find(|path| path.is_file())
            .unwrap();
        let folder = self.place.root().join("bin");
        let (real, count) = (real.display(), folder.join("count"));
        let run = if is_before { String::new() } else { format!("'{real}' \"$@\"; ") };
        let script = format!(
            "#!/bin/sh\nn=$(cat '{count}')\nn=$((n + 1))\necho $n > '{count}'\n\
             if [ $n = {call} ]; then {run}kill -9 $PPID; exit 1; fi\nexec '{real}' \"$@\"\n",
            count = count.display()
        );
        std::fs::write(&count, "0").unwrap();
        let path = folder.join("git");
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let first = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(folder).chain(std::env::split_paths(&first));
        let mut command = self.command(now, &["sync"]);
        let output = command.env("PATH", std::env::join_paths(paths).unwrap()).output().unwrap();
        let is_dead = output.status.code().is_none();
        assert!(is_dead || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        is_dead
    }

    /// The ledger of one memory: every day and every file of events.
    fn ledger(&self, folder: &str) -> BTreeMap<String, String> {
        let files = files_in(&self.place.root().join(folder)).into_iter();
        let is_ledger = |path: &String| {
            let path = path.strip_prefix("memory/").unwrap_or_default();
            path.starts_with("20") || path.starts_with("events/20")
        };
        let files = files.filter(|(path, _)| is_ledger(path));
        files.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
    }

    /// Returns the ids that answer a question, from both scopes, in their order.
    fn recalled(&self, question: &str) -> Vec<String> {
        let (_, out, error) = self.run(END, &["--json", "recall", question]);
        let told: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"));
        let results = told["results"].as_array().unwrap().iter();
        results.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    }
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
