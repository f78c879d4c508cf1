//! Purges that are killed: at random moments, or at every system call that writes. The next command
//! must finish each, and nothing may have the words afterwards.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quipu_engine::Workspace;
use quipu_engine::fs::RealFs;
use serde_json::{Value, json};

use crate::dream::Dice;
use crate::speed::binary;

const NOW: &str = "2026-06-20T10:00:00Z";
const VALUE: &str = "marlin/quartz-7712";
const SENTENCE: &str = "marlin quartz 7712 opens the vault";

/// The system calls that change a file or a folder.
const CALLS: &str = "write,pwrite64,pwritev,rename,renameat,renameat2,unlink,unlinkat,rmdir,ftruncate,fsync,fdatasync,mkdir,mkdirat,fchmod,chmod,fchmodat";

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
    run(&["thread", "add", &format!("Ask whether {SENTENCE}"), "--allow-secret"]);
    let added = run(&["--json", "fact", "add", SENTENCE, "--allow-secret"]);
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

/// Starts a purge and kills it, at a moment or at a system call. Returns whether it was killed.
fn kill(folder: &Path, (by, id): (By, &str), moment: Option<Duration>, call: usize) -> bool {
    let (arguments, line) = command(by, id);
    let mut start = match moment {
        Some(_) => Command::new(binary()),
        None => {
            let mut start = Command::new("strace");
            let inject = format!("inject={CALLS}:signal=SIGKILL:when={call}");
            start.args(["-f", "-qq", "-e", "trace=none", "-e", &inject, "-o", "/dev/null"]);
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
    let _ = child.stdin.take().unwrap().write_all(line.as_bytes());
    if let Some(moment) = moment {
        std::thread::sleep(moment);
        let ended = child.try_wait().unwrap().is_some();
        if !ended {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        return !ended;
    }
    child.wait().unwrap().code() != Some(0)
}

/// Kills purges so many times, by id and by value in turn. With `at_calls` each is killed one system
/// call later than the one before, until one lives, and it goes on with every other kind of purge.
pub(crate) fn killed(times: usize, at_calls: bool) -> Value {
    let base = tempfile::tempdir().unwrap();
    let id = fill(base.path());
    let copy = || {
        let folder = tempfile::tempdir().unwrap();
        let status =
            Command::new("cp").arg("-a").arg(base.path().join(".")).arg(folder.path()).status();
        assert!(status.unwrap().success());
        folder
    };
    let whole = copy();
    let started = Instant::now();
    let (arguments, line) = command(By::Value, &id);
    assert_eq!(quipu(whole.path(), &arguments, &line).0, 0);
    let most = usize::try_from(started.elapsed().as_micros()).unwrap().max(2);
    let mut dice = Dice::new(11);
    let (mut kills, mut begun, mut left, mut came_back, mut unequal) = (0, 0, 0, 0, 0);
    let mut calls = [0_usize; 2];
    let mut is_over = [false; 2];
    let mut places: Vec<String> = Vec::new();
    while kills < times && !(is_over[0] && is_over[1]) {
        let which = if is_over[kills % 2] { 1 - kills % 2 } else { kills % 2 };
        let by = [By::Id, By::Value][which];
        let folder = copy();
        let root = folder.path();
        calls[which] += 1;
        let moment =
            (!at_calls).then(|| Duration::from_micros(u64::try_from(dice.below(most)).unwrap()));
        if !kill(root, (by, &id), moment, calls[which]) {
            is_over[which] = at_calls;
            continue;
        }
        kills += 1;
        let state = Workspace::at(Arc::new(RealFs), root).unwrap().database();
        begun += usize::from(state.with_file_name("purge.json").exists());
        // The next purge, by the same id or value; a finished one is not known any more.
        let (arguments, line) = command(by, &id);
        let (code, told) = quipu(root, &arguments, &line);
        assert!([0, 1, 3].contains(&code), "{by:?}: {code} {told}");
        let words = if matches!(by, By::Id) { "marlin quartz 7712 opens" } else { VALUE };
        let found = files_with(root, words);
        left += usize::from(!found.is_empty());
        places.extend(found);
        unequal += usize::from(quipu(root, &["replay", "--check"], "").0 != 0);
        while quipu(root, &["undo", "--past-records"], "").0 == 0 {}
        came_back += usize::from(!files_with(root, words).is_empty());
    }
    places.sort_unstable();
    places.dedup();
    json!({
        "killed": kills,
        "system_calls": if at_calls { json!(calls) } else { Value::Null },
        "killed_after_the_intent": begun,
        "words_left": left,
        "left_in": places,
        "came_back_by_undo": came_back,
        "replay_unequal": unequal,
    })
}

/// Prints figures, and fails where words were left.
pub(crate) fn report(figures: &Value) {
    println!("{figures:#}");
    let is_sound =
        ["words_left", "came_back_by_undo", "replay_unequal"].iter().all(|key| figures[*key] == 0);
    assert!(is_sound, "a purge was not final");
}
