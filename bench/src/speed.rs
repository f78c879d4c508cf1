//! How long things take, against what they are compared with.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quipu_core::review::Selection;
use quipu_engine::fs::RealFs;
use quipu_engine::operation::Request;
use quipu_engine::{facts, open};
use serde_json::{Value, json};

pub(crate) fn measure(
    corpus: Option<PathBuf>,
    runs: usize,
    sessions: usize,
    facts: usize,
) -> Value {
    json!({ "real_folder": real_folder(corpus, runs), "large_ledger": large_ledger(runs, sessions, facts) })
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn binary() -> PathBuf {
    let path = std::env::current_exe().unwrap().with_file_name("quipu");
    assert!(path.exists(), "build it first: cargo build --release");
    path
}

fn real_folder(corpus: Option<PathBuf>, runs: usize) -> Value {
    let bundle = repository().join("../shared/corpora/agent-memory/snapshots.bundle");
    let checkout = tempfile::tempdir().unwrap();
    let (name, root) = match corpus {
        Some(folder) => (folder.display().to_string(), folder),
        None if bundle.exists() => {
            let git = |arguments: &[&str]| {
                let status =
                    Command::new("git").args(arguments).stderr(Stdio::null()).status().unwrap();
                assert!(status.success(), "git {arguments:?}");
            };
            let folder = checkout.path().to_str().unwrap();
            git(&["clone", "--quiet", bundle.to_str().unwrap(), folder]);
            git(&["-C", folder, "checkout", "--quiet", "s0162"]);
            ("agent-memory s0162".to_owned(), checkout.path().to_owned())
        }
        None => ("example".to_owned(), repository().join("examples/evolving-memory/before")),
    };
    let python = repository().join("bench/baseline.py").canonicalize().unwrap();
    let quipu = binary();
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..runs {
        times[0].push(process(Command::new("python3").arg(&python).current_dir(&root)));
        times[1].push(process(Command::new(&quipu).arg("lint").current_dir(&root)));
        times[2]
            .push(process(Command::new(&quipu).args(["refresh", "--dry-run"]).current_dir(&root)));
    }
    let [python, lint, refresh] = times.map(median);
    json!({
        "folder": name,
        "python_counts_ms": milliseconds(python),
        "lint_ms": milliseconds(lint),
        "refresh_ms": milliseconds(refresh),
        "lint_times_faster": ratio(python, lint),
        "refresh_times_faster": ratio(python, refresh),
    })
}

fn large_ledger(runs: usize, sessions: usize, facts: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    crate::ledger::write(folder.path(), sessions, facts);
    let workspace = open::at(Arc::new(RealFs), folder.path()).unwrap();
    let request = Request {
        caller: quipu_engine::caller::Caller::PERSON,
        operation: "review",
        now: "2026-06-20T10:00:00Z".parse().unwrap(),
        today: jiff::civil::Date::constant(2026, 6, 20),
        session: None,
        dry_run: true,
    };
    let quipu = binary();
    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut archived = 0;
    for _ in 0..runs.div_ceil(2) {
        times[0].push(timed(|| drop(read_everything(folder.path()))));
        times[1].push(timed(|| {
            let (plan, _) = facts::review(&workspace, &Selection::default(), &request).unwrap();
            archived = plan.items.iter().filter(|item| item.action.as_str() == "archive").count();
        }));
        let mut command = Command::new(&quipu);
        command.arg("-C").arg(folder.path()).args(["--json", "review", "--dry-run"]);
        times[2].push(process(&mut command));
    }
    let bytes: usize = read_everything(folder.path()).iter().map(Vec::len).sum();
    let [reading, review, process] = times.map(median);
    json!({
        "sessions": sessions,
        "facts": facts,
        "bytes": bytes,
        "archived": archived,
        "reading_ms": milliseconds(reading),
        "review_ms": milliseconds(review),
        "review_process_ms": milliseconds(process),
        "review_times_reading": ratio(review, reading),
        "review_process_times_reading": ratio(process, reading),
    })
}

fn read_everything(root: &Path) -> Vec<Vec<u8>> {
    let mut contents = Vec::new();
    for folder in ["memory", "memory/sessions"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                contents.push(std::fs::read(path).unwrap());
            }
        }
    }
    contents
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

pub(crate) fn process(command: &mut Command) -> Duration {
    timed(|| {
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.code().is_some_and(|code| code < 2), "{command:?}");
    })
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}

pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    (a.as_secs_f64() / b.as_secs_f64() * 10.0).round() / 10.0
}

pub(crate) fn print(figures: &Value) {
    for size in figures["memories"].as_array().map_or(&[][..], Vec::as_slice) {
        println!("{} memories, import {}/s", size["memories"], size["import_per_second"]);
        for (name, ours, bare, times) in [
            ("remember", "remember_ms", "bare_remember_ms", "remember_times_bare"),
            ("recall, warm", "recall_ms", "bare_recall_ms", "recall_times_bare"),
            ("recall, process", "fresh_process_ms", "bare_process_ms", "fresh_process_times_bare"),
        ] {
            println!(
                "  {name:<18} {:>9} ms   {} times a bare program ({} ms)",
                size[ours], size[times], size[bare]
            );
        }
        println!("  resident           {:>9} MB", size["resident_mb"]);
    }
    if figures["real_folder"].is_null() {
        return;
    }
    let real = &figures["real_folder"];
    println!("{}", real["folder"].as_str().unwrap());
    println!("  python reads and counts   {:>9} ms", real["python_counts_ms"]);
    println!(
        "  quipu lint                {:>9} ms   {}x faster",
        real["lint_ms"], real["lint_times_faster"]
    );
    println!(
        "  quipu refresh --dry-run   {:>9} ms   {}x faster",
        real["refresh_ms"], real["refresh_times_faster"]
    );
    let large = &figures["large_ledger"];
    println!(
        "{} sessions, {} facts, {} bytes, {} to archive",
        large["sessions"], large["facts"], large["bytes"], large["archived"]
    );
    println!("  reading the bytes         {:>9} ms", large["reading_ms"]);
    println!(
        "  review                    {:>9} ms   {} times reading",
        large["review_ms"], large["review_times_reading"]
    );
    println!(
        "  quipu review --dry-run    {:>9} ms   {} times reading",
        large["review_process_ms"], large["review_process_times_reading"]
    );
}
