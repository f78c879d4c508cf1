//! The lines that `remember` writes.

use std::cell::Cell;

use quipu_testkit::TestRepo;
use serde_json::Value;

use crate::json;

/// What Quipu writes on a day, first its log, then its events. Ids are numbered in the order of the lines.
const WRITTEN: &str = include_str!("remembered/2026-06-20.md");

/// Returns what was written on a day with numbers for ids, which are random.
fn numbered(log: &str, events: &str) -> String {
    let mut numbered = format!("{log}\n{events}");
    let records = log.lines().filter_map(|line| line.trim().strip_prefix("<!-- id: "));
    for (number, footer) in records.enumerate() {
        let (id, _) = footer.split_once(" | ").unwrap();
        numbered = numbered.replace(id, &format!("<{number}>"));
    }
    for (number, line) in events.lines().enumerate() {
        let event: Value = serde_json::from_str(line).unwrap();
        numbered = numbered.replace(event["id"].as_str().unwrap(), &format!("<event {number}>"));
        let target = event["target"].as_str().filter(|target| target.starts_with("question:"));
        if let Some(question) = target {
            numbered = numbered.replace(question, &format!("question:<{number}>"));
        }
    }
    numbered
}

#[test]
fn a_day_has_the_same_bytes_as_ever() {
    let repo = TestRepo::new();
    let minute = Cell::new(0);
    let quipu = |arguments: &[&str]| {
        let now = format!("2026-06-20T10:{:02}:00Z", minute.replace(minute.get() + 1));
        let (code, document) = json(repo.root(), &[&["--now", &now], arguments].concat());
        assert_eq!(code, 0, "{arguments:?}: {document}");
        document
    };
    let remember = |arguments: &[&str]| quipu(&[&["remember"], arguments].concat());
    let port = |number: u32| format!("The gateway API listens on port {number}");
    quipu(&["init", "--project", "x"]);
    remember(&[&port(8080), "-c", "learned"]);
    remember(&[&port(8080), "-c", "learned"]);
    remember(&[&port(8080), "-c", "learned", "--speaker", "Grace"]);
    let replaced = remember(&[&port(9090), "-c", "learned"]);
    let weights = ["--importance", "0.9", "--valence", "-0.5"];
    remember(&[&["Tea is served at four", "-t", "tea,clock"], &weights[..]].concat());
    remember(&["The word for the safe is tangerine", "--sensitivity", "secret"]);
    let open = "The documentation is open to everyone";
    remember(&[open, "--sensitivity", "public", "--pin", "--confidence", "0.7"]);
    let replaced = replaced["id"].as_str().unwrap();
    remember(&[&port(9999), "-c", "learned", "--supersedes", replaced]);
    remember(&["Nothing was dry", "--dry-run"]);
    let batch = repo.root().join("batch.jsonl");
    let lines = "{\"text\":\"Tea is served at four\",\"time\":\"2026-06-01\"}\nplain words\n";
    std::fs::write(&batch, lines).unwrap();
    remember(&["--batch", batch.to_str().unwrap()]);
    quipu(&["session", "start", "--agent", "Codex"]);
    remember(&["We deploy to production on Fridays", "-c", "convention"]);
    let never = "Since May we never deploy to production on Fridays";
    let since = ["--valid-from", "2026-05-01", "--channel", "web"];
    remember(&[&[never, "-c", "convention"], &since[..]].concat());
    let (log, events) = ("memory/2026-06-20.md", "memory/events/2026-06-20.jsonl");
    let written = numbered(&repo.read(log), &repo.read(events));
    for (at, (line, expected)) in written.lines().zip(WRITTEN.lines()).enumerate() {
        assert_eq!(line, expected, "line {}", at + 1);
    }
    assert_eq!(written, WRITTEN);
    let (code, answer) = json(repo.root(), &["replay", "--check"]);
    assert_eq!((code, &answer["equal"]), (0, &true.into()), "{answer}");
}
