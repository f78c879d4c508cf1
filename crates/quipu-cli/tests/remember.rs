//! The lines that `remember` writes.

use std::cell::Cell;

use quipu_testkit::TestRepo;
use serde_json::Value;

use crate::json;

/// What Quipu wrote when it remembered first and compared later, in two steps. Ids are numbered in
/// the order of the lines.
const LOG: &str = include_str!("remembered/2026-06-20.md");

/// Returns a day's log with numbers for ids, which are random.
fn numbered(log: &str) -> String {
    let mut numbered = log.to_owned();
    for (number, line) in log.lines().enumerate() {
        let record: Value = serde_json::from_str(line.strip_prefix("- ").unwrap()).unwrap();
        numbered = numbered.replace(record["id"].as_str().unwrap(), &format!("<{number}>"));
        let target = record["target"].as_str().filter(|target| target.starts_with("question:"));
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
    let log = numbered(&repo.read("memory/2026-06-20.md"));
    for (at, (line, before)) in log.lines().zip(LOG.lines()).enumerate() {
        assert_eq!(line, before, "line {}", at + 1);
    }
    assert_eq!(log, LOG);
    let (code, answer) = json(repo.root(), &["replay", "--check"]);
    assert_eq!((code, &answer["equal"]), (0, &true.into()), "{answer}");
}
