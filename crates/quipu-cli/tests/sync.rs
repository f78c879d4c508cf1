//! Two laptops and a repository between them: whatever either does, in whatever order they sync, both end with the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quipu_testkit::TestRepo;
use serde_json::{Value, json};

use crate::{answer, quipu};

/// A machine with a home folder of its own.
struct Laptop {
    place: TestRepo,
}

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

#[test]
fn two_machines_that_work_for_a_month_end_with_the_same_memory() {
    let binary = Path::new(env!("CARGO_BIN_EXE_quipu"));
    let month = quipu_testkit::machines::Month { binary, seed: 20_261_119, days: 30 };
    let lived = quipu_testkit::machines::live(month);
    assert_eq!(lived.wrong, Vec::<String>::new(), "{lived:?}");
    let enough = [lived.remembered > 20, lived.purged > 3, lived.killed > 3, lived.dreamt > 2];
    assert_eq!(enough, [true; 4], "{lived:?}");
}

#[test]
fn what_stays_here_is_listed_and_a_memory_can_stop_syncing() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let laptop = Laptop::new();
    let now = "2026-06-30T21:00:00Z";
    laptop.done(now, &["sync", "init", &url]);
    let words = format!("The token of the bot is {TOKEN}");
    laptop.done(now, &["--set", "guard.secrets=allow", "remember", "--user", &words]);
    let told = laptop.done(now, &["sync"]);
    assert!(told.contains("stays here: it looks like a credential"), "{told}");
    let status = laptop.json(now, &["sync", "status"]);
    assert_eq!(status["synced"][0]["kept"][0]["path"], "MEMORY.md", "{status}");
    assert!(!all_of(Path::new(&url)).contains(TOKEN));
    assert!(laptop.done(now, &["sync"]).contains("nothing new"));
    assert!(laptop.done(now, &["sync", "off"]).contains("no longer synced"));
    assert_ne!(laptop.try_run(now, &["sync"]).0, 0);
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

/// Everything in the local copies of the repository. Git's own files are packed: it is asked what they hold.
fn held(laptop: &Laptop) -> String {
    let state = quipu_testkit::state_home_of(laptop.place.root());
    let files = quipu_testkit::repo::files_in(&state);
    let copies = files.keys().filter_map(|path| path.strip_suffix("/HEAD"));
    let held = copies.map(|copy| {
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(state.join(copy));
        let output = git.args(["cat-file", "--batch", "--batch-all-objects"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    held.collect()
}

#[test]
fn a_purge_leaves_no_copy_where_two_memories_share_a_repository() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let laptop = Laptop::new();
    let at = |hour: u64| format!("2026-06-02T{hour:02}:00:00Z");
    laptop.done(&at(8), &["init", "--project", "x"]);
    laptop.done(&at(8), &["sync", "init", &url]);
    laptop.done(&at(8), &["sync", "init", &url, "--project", "mill"]);
    laptop.remember(&at(8), "The tandem has two bells");
    let told = laptop.json(&at(9), &["remember", "The zebra lives in the cellar"]);
    let id = told["id"].as_str().unwrap_or_else(|| panic!("{told}"));
    laptop.done(&at(10), &["sync"]);
    laptop.done(&at(11), &["sync"]);
    assert!(held(&laptop).contains("zebra"));
    let told = laptop.done(&at(12), &["purge", id, "--reason", "gone", "--yes"]);
    assert!(told.contains("until the next `quipu sync`"), "{told}");
    // The user's own memory is synced first, and then hears of what the other one dropped.
    laptop.done(&at(13), &["sync"]);
    laptop.done(&at(14), &["sync"]);
    let held = held(&laptop);
    assert!(held.contains("tandem") && !held.contains("zebra"), "{held}");
    assert!(!all_of(Path::new(&url)).contains("zebra"));
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
            }
        }
        let held = held(laptop);
        assert!(held.contains("tandem") && !held.contains("zebra"), "{held}");
        assert!(
            laptop
                .done("2026-06-03T09:00:00Z", &["--scope", "user", "recall", "kiln on Mondays"])
                .contains("warm")
        );
    }
}

#[test]
fn what_a_machine_edited_before_it_heard_of_a_purge_leaves_no_words() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let [one, two] = [Laptop::new(), Laptop::new()];
    for laptop in [&one, &two] {
        laptop.done("2026-06-01T08:00:00Z", &["sync", "init", &url]);
    }
    let id = one.remember("2026-06-01T09:00:00Z", "The ferry leaves from the old pier");
    one.done("2026-06-01T10:00:00Z", &["sync"]);
    two.done("2026-06-01T11:00:00Z", &["sync"]);
    let words = "The ferry called marlin leaves at nine";
    two.done("2026-06-01T12:00:00Z", &["--scope", "user", "edit", &id, words]);
    two.done("2026-06-01T12:30:00Z", &["sync"]);
    let purge = ["--scope", "user", "purge", &id, "--reason", "mine", "--yes"];
    one.done("2026-06-01T13:00:00Z", &purge);
    for (hour, laptop) in [(14, &one), (15, &two), (16, &one)] {
        laptop.done(&format!("2026-06-01T{hour}:00:00Z"), &["sync"]);
    }
    assert_eq!(one.ledger(), two.ledger());
    assert!(!all_of(Path::new(&url)).contains("marlin"));
    for laptop in [&one, &two] {
        let whole: String = laptop.ledger().into_values().collect();
        assert!(whole.contains(&id) && !whole.contains("marlin"), "{whole}");
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

/// Puts files into the folder of the user's memory, as somebody who may push can: any mode, any name.
fn planted(repository: &str, files: &[(&str, &str, &str)]) {
    let mut stream = "commit refs/heads/quipu\ncommitter x <x@x> 0 +0000\ndata 1\nx\n\
                      from refs/heads/quipu^0\n"
        .to_owned();
    for (mode, path, text) in files {
        let bytes = text.len();
        let file = format!("M {mode} inline \"user/{path}\"\ndata {bytes}\n{text}\n");
        stream.push_str(&file);
    }
    let mut git = Command::new("git")
        .args(["--git-dir", repository, "fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut git.stdin.take().unwrap(), stream.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success());
}

#[test]
fn what_a_stranger_put_into_the_repository_goes_nowhere_else() {
    let hub = TestRepo::new();
    let url = bare(&hub);
    let laptop = Laptop::new();
    let now = "2026-06-02T08:00:00Z";
    laptop.done(now, &["sync", "init", &url]);
    laptop.remember(now, "The kiln needs a new door");
    laptop.done(now, &["sync"]);
    let day = "2026-05-01T09:00:00Z [note] it rained <!-- id: x -->\n";
    planted(
        &url,
        &[
            ("100644", "memory/2026-05-01.md", day),
            ("120000", "memory/2026-05-02.md", "/etc/passwd"),
            ("100755", "memory/2026-05-03.md", "#!/bin/sh\n"),
            ("100644", "memory/events/a\\nD user\\nreset refs\\057heads\\057x.md", "x"),
            ("100644", "memory/events/.gitattributes", "* filter=x"),
            ("100644", "memory/.git/config", "[core]"),
            ("100644", "AGENTS.md", "obey"),
            ("100644", "quipu.toml", "guard.mode = \"off\""),
            ("100644", "memory/continuity.md", "x"),
        ],
    );
    laptop.done("2026-06-02T09:00:00Z", &["sync"]);
    let files = quipu_testkit::repo::files_in(&laptop.user());
    let names: Vec<&String> =
        files.keys().filter(|path| !path.contains("/.") && !path.starts_with('.')).collect();
    assert!(names.iter().any(|name| *name == "memory/2026-05-01.md"), "{names:?}");
    for bad in ["05-02", "05-03", "reset", "config", "AGENTS", "quipu.toml", "continuity"] {
        assert!(!names.iter().any(|name| name.contains(bad)), "{bad}: {names:?}");
    }
    assert_eq!(laptop.recalled("2026-06-02T10:00:00Z", "kiln door").len(), 1);
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
