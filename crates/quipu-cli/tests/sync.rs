//! Two laptops and a repository between them: whatever either does, in whatever order they sync, both end with the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

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
