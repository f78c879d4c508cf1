//! Many processes at once, and processes that are killed: nothing that was acknowledged may be lost.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quipu_core::journal::is_short_id;
use quipu_engine::fs::RealFs;
use quipu_engine::operation::Request;
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{index, open, replay};
use serde_json::{Value, json};

use crate::speed::binary;

/// Remembers and recalls until the time is over, and prints each id that was acknowledged.
pub(crate) fn work(folder: &Path, name: &str, seconds: u64) {
    let workspace = open::at(Arc::new(RealFs), folder).unwrap();
    let started = Instant::now();
    let mut out = std::io::stdout();
    for number in 0.. {
        if started.elapsed() >= Duration::from_secs(seconds) {
            return;
        }
        let now = jiff::Timestamp::now();
        let request = Request {
            caller: quipu_engine::caller::Caller::PERSON,
            operation: "remember",
            now,
            today: now.to_zoned(jiff::tz::TimeZone::UTC).date(),
            session: Some(name),
            dry_run: false,
        };
        let mark = format!("mark-{}-{name}-{number}", std::process::id());
        let text = format!("{mark}: the kettle whistles in the kitchen");
        let new = NewMemory { text, speaker: Some(name.to_owned()), ..NewMemory::default() };
        let done = remember::remember(&workspace, &[new], &request).unwrap();
        assert!(done.degraded.is_none(), "{:?}", done.degraded);
        writeln!(out, "{}", done.ids[0]).unwrap();
        out.flush().unwrap();
        if number % 4 == 0 {
            let question = Question { query: mark, ..Question::default() };
            let recalled = recall::recall(&workspace, &question, now).unwrap();
            let found = recalled.results.iter().any(|answer| answer.id == done.ids[0]);
            assert!(found, "{name} cannot recall what it has just remembered");
        }
    }
}

/// Prints figures, and fails where something was lost.
pub(crate) fn report(figures: &Value) {
    println!("{figures:#}");
    let is_sound = figures["lost"] == 0
        && figures["errors"].as_u64().unwrap_or(0) == 0
        && figures["integrity_check"] == "ok"
        && figures["replay_equal"] == true;
    assert!(is_sound, "something was lost");
    assert!(figures["acknowledged"] != 0, "nothing was remembered, so nothing could be lost");
}

fn prepare(folder: &Path) {
    std::fs::create_dir_all(folder.join("memory")).unwrap();
    std::fs::write(folder.join("memory/continuity.md"), "# Continuity\n").unwrap();
}

fn worker(folder: &Path, name: &str, seconds: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .arg("work")
        .arg(folder)
        .arg(name)
        .arg(seconds.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// Half of the processes live as long as the run, half are a fresh `quipu` for every command.
pub(crate) fn together(processes: usize, seconds: u64) -> Value {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let root = folder.path();
    let started = Instant::now();
    let results: Vec<(BTreeSet<String>, usize, usize)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..processes)
            .map(|number| {
                scope.spawn(move || {
                    let name = format!("agent-{number}");
                    if number % 2 == 0 {
                        let child = worker(root, &name, seconds);
                        let output = child.wait_with_output().unwrap();
                        let ids = String::from_utf8(output.stdout).unwrap();
                        let ids = ids.lines().map(str::to_owned).collect();
                        (ids, usize::from(!output.status.success()), 0)
                    } else {
                        commands(root, &name, seconds)
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let acknowledged: BTreeSet<String> = results.iter().flat_map(|(ids, ..)| ids.clone()).collect();
    let errors: usize = results.iter().map(|(_, errors, _)| errors).sum();
    let recalls: usize = results.iter().map(|(.., recalls)| recalls).sum();
    let mut figures = check(root, &acknowledged);
    figures["processes"] = json!(processes);
    figures["seconds"] = json!(started.elapsed().as_secs());
    figures["errors"] = json!(errors);
    figures["recall_commands"] = json!(recalls);
    figures
}

fn commands(folder: &Path, name: &str, seconds: u64) -> (BTreeSet<String>, usize, usize) {
    let started = Instant::now();
    let (mut ids, mut errors, mut recalls) = (BTreeSet::new(), 0, 0);
    for number in 0.. {
        if started.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
        let quipu = |arguments: &[&str]| {
            let mut command = Command::new(binary());
            command.arg("-C").arg(folder).args(["--json", "--session", name]).args(arguments);
            let output = command.output().unwrap();
            let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
            (output.status.success(), answer)
        };
        let (done, answer) =
            quipu(&["remember", &format!("{name} notes {number}: the lamp is lit")]);
        match answer.as_ref().and_then(|answer| answer["id"].as_str()) {
            Some(id)
                if done && answer.as_ref().is_some_and(|answer| answer["degraded"].is_null()) =>
            {
                ids.insert(id.to_owned());
            }
            _ => errors += 1,
        }
        let (done, answer) = quipu(&["recall", "--in-session", name, &format!("{number} lamp")]);
        let found = answer.is_some_and(|answer| !answer["results"].as_array().unwrap().is_empty());
        errors += usize::from(!(done && found));
        recalls += 1;
    }
    (ids, errors, recalls)
}

/// Starts a process, kills it at some moment, and again.
pub(crate) fn killed(times: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let mut acknowledged = BTreeSet::new();
    let mut state = 0x853c_49e6_748f_ea9b_u64;
    for number in 0..times {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut child = worker(folder.path(), &format!("agent-{}", number % 5), 60);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Every other one has remembered something by then, however busy the machine is.
        if number % 2 == 1
            && let Some(Ok(id)) = lines.next()
        {
            acknowledged.insert(id);
        }
        // From before the first line on, up to the middle of a merge.
        let moment = Duration::from_micros(5_000 + state % 60_000);
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        while let Some(Ok(id)) = lines.next() {
            // The last line may be cut off.
            if is_short_id(&id) {
                acknowledged.insert(id);
            }
        }
    }
    let mut figures = check(folder.path(), &acknowledged);
    figures["killed"] = json!(times);
    figures
}

/// Looks whether everything is there, the database is sound, and a replay gives the same.
fn check(folder: &Path, acknowledged: &BTreeSet<String>) -> Value {
    let workspace = open::at(Arc::new(RealFs), folder).unwrap();
    index::index(&workspace, &mut |_, _| {}).unwrap();
    let lost = acknowledged.iter().filter(|id| index::resolve(&workspace, id).is_err()).count();
    let connection = rusqlite::Connection::open(index::database(&workspace)).unwrap();
    let integrity: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
    json!({
        "acknowledged": acknowledged.len(),
        "lost": lost,
        "integrity_check": integrity,
        "replay_equal": replayed.equal,
        "differences": replayed.differences,
    })
}
