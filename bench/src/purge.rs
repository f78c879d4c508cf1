//! Purges that are killed: at random moments, or at every system call that writes. The next command
//! must finish each, and nothing may have the words afterwards.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::dream::Dice;
use crate::scratch::Scratch;
use crate::speed::binary;

const NOW: &str = "2026-06-20T10:00:00Z";
const VALUE: &str = "marlin/quartz-7712";
const SENTENCE: &str = "marlin quartz 7712 opens the vault";

/// The system calls that change a file or a folder, or open one to do so.
const CALLS: [&str; 10] = [
    "write",
    "pwrite64",
    "rename",
    "unlink",
    "unlinkat",
    "ftruncate",
    "fsync",
    "mkdir",
    "chmod",
    "openat",
];

/// What is purged.
#[derive(Clone, Copy, Debug)]
enum By {
    Id,
    Value,
}

fn quipu(folder: &Path, arguments: &[&str], line: &str) -> (i32, String) {
    let mut child = Command::new(binary())
        .arg("-C")
        .arg(folder)
        .args(["--now", NOW])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It may have ended without reading.
    let _ = child.stdin.take().unwrap().write_all(line.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A memory that has the words in facts, records, logs, notes, the state folder and the index.
fn fill(folder: &Path) -> String {
    let run = |arguments: &[&str]| {
        let (code, told) = quipu(folder, arguments, "");
        assert_eq!(code, 0, "{arguments:?}: {told}");
        told
    };
    run(&["init", "--project", "x"]);
    run(&["session", "start", "--agent", "Codex"]);
    run(&["fact", "add", &format!("Once {SENTENCE} was said"), "--allow-secret"]);
    run(&["thread", "open", &format!("Ask whether {SENTENCE}"), "--allow-secret"]);
    let added = run(&["--json", "fact", "add", SENTENCE, "--allow-secret", "--agree"]);
    let added: Value = serde_json::from_str(&added).unwrap();
    let id = added["id"].as_str().unwrap().to_owned();
    run(&["session", "note", &format!("{SENTENCE}! See {id}")]);
    for number in 0..30 {
        run(&["remember", &format!("Note {number}: the lamp is lit")]);
    }
    run(&["remember", &format!("{SENTENCE}, said Otto"), "--allow-secret"]);
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("memory/notes/vault.md", &format!("# Vault\n\n{SENTENCE}.\n"));
    write("USER.md", &format!("# Ada\n\nI know that {SENTENCE}?\n"));
    write("LONGMEMORY.md", &format!("# Long\n\n## Summary (2026-06-01)\n\n{SENTENCE}.\n"));
    run(&["index"]);
    id
}

/// Returns the files that have the words in any case and with any punctuation.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let plain = |text: &str| -> String {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
    };
    let words = plain(words);
    let files = quipu_testkit::repo::files_in(folder).into_iter();
    let has = |bytes: &[u8]| plain(&String::from_utf8_lossy(bytes)).contains(&words);
    files.filter(|(_, bytes)| has(bytes)).map(|(path, _)| path).collect()
}

fn command(by: By, id: &str) -> (Vec<&str>, String) {
    match by {
        By::Id => (vec!["purge", id, "-r", "leaked", "--yes"], String::new()),
        By::Value => (vec!["purge", "--value", "-r", "leaked", "--yes"], format!("{VALUE}\n")),
    }
}

/// When a purge is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// After so long.
    After(Duration),
    /// At this system call, counted from 1.
    Call(&'static str, usize),
}

/// Starts a purge and kills it. Returns whether it was killed.
fn kill(folder: &Path, (by, id): (By, &str), moment: Moment) -> bool {
    let (arguments, line) = command(by, id);
    let mut start = match moment {
        Moment::After(_) => Command::new(binary()),
        Moment::Call(call, number) => {
            let mut start = Command::new("strace");
            let (trace, inject) =
                (format!("trace={call}"), format!("inject={call}:signal=SIGKILL:when={number}"));
            start.args(["-f", "-qq", "-e", &trace, "-e", &inject, "-o", "/dev/null"]);
            start.arg(binary());
            start
        }
    };
    let mut child = start
        .arg("-C")
        .arg(folder)
        .args(["--now", NOW])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It may be killed before it reads.
    let _ = child.stdin.take().unwrap().write_all(line.as_bytes());
    if let Moment::After(time) = moment {
        std::thread::sleep(time);
        let ended = child.try_wait().unwrap().is_some();
        if !ended {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        return !ended;
    }
    !child.wait().unwrap().success()
}

/// What was counted.
#[derive(Debug, Default)]
struct Figures {
    killed: usize,
    begun: usize,
    left: usize,
    came_back: usize,
    unequal: usize,
    places: BTreeSet<String>,
}

impl Figures {
    /// Kills one purge; the next one has to finish it. Returns whether it was killed.
    fn one(&mut self, scratch: &Scratch, (by, id): (By, &str), moment: Moment) -> bool {
        let root = &*scratch.restore();
        if !kill(root, (by, id), moment) {
            return false;
        }
        self.killed += 1;
        self.begun += usize::from(scratch.state().join("purge.json").exists());
        let (arguments, line) = command(by, id);
        let (code, told) = quipu(root, &arguments, &line);
        // One that was finished before it was killed is not known any more.
        assert!([0, 1, 3].contains(&code), "{by:?}: {code} {told}");
        let words = if matches!(by, By::Id) { "marlin quartz 7712 opens" } else { VALUE };
        let left = || [root, &*scratch.state()].map(|folder| files_with(folder, words)).concat();
        let found = left();
        self.left += usize::from(!found.is_empty());
        self.places.extend(found);
        self.unequal += usize::from(quipu(root, &["replay", "--check"], "").0 != 0);
        while quipu(root, &["undo", "--past-records"], "").0 == 0 {}
        self.came_back += usize::from(!left().is_empty());
        true
    }
}

/// Kills purges so many times at most, by id and by value in turn: at random moments, or with
/// `at_calls` at each call of each kind that a purge makes.
pub(crate) fn killed(times: usize, at_calls: bool) -> Value {
    let (scratch, id) = Scratch::filled(fill);
    let mut figures = Figures::default();
    if at_calls {
        for call in CALLS {
            for by in [By::Id, By::Value] {
                let mut number = 1;
                while figures.killed < times
                    && figures.one(&scratch, (by, &id), Moment::Call(call, number))
                {
                    number += 1;
                }
            }
        }
    } else {
        let started = Instant::now();
        let (arguments, line) = command(By::Value, &id);
        assert_eq!(quipu(&scratch.root(), &arguments, &line).0, 0);
        let most = usize::try_from(started.elapsed().as_micros()).unwrap().max(2);
        let mut dice = Dice::new(11);
        while figures.killed < times {
            let by = [By::Id, By::Value][figures.killed % 2];
            let time = Duration::from_micros(u64::try_from(dice.below(most)).unwrap());
            figures.one(&scratch, (by, &id), Moment::After(time));
        }
    }
    json!({
        "killed": figures.killed,
        "killed_after_the_intent": figures.begun,
        "words_left": figures.left,
        "left_in": figures.places,
        "came_back_by_undo": figures.came_back,
        "replay_unequal": figures.unequal,
    })
}

/// Prints figures, and fails where words were left.
pub(crate) fn report(figures: &Value) {
    println!("{figures:#}");
    let is_sound =
        ["words_left", "came_back_by_undo", "replay_unequal"].iter().all(|key| figures[*key] == 0);
    assert!(is_sound, "a purge was not final");
}
