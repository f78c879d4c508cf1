//! The night's work from the outside.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{initialised, json, run};

/// What somebody told over half a year.
pub(crate) fn told(root: &Path) -> Vec<String> {
    let mut lines = String::new();
    let mut say = |text: &str, category: &str, day: &str| {
        let line = serde_json::json!({ "text": text, "category": category, "time": day });
        let _ = writeln!(lines, "{line}");
    };
    for n in 0..6 {
        say(
            &format!("The nightly build of the gateway failed, run {n}, says Maria Lopez"),
            "note",
            &format!("2026-06-{:02}", 10 + n),
        );
    }
    say("The API of the gateway listens on port 8080", "learned", "2026-03-01");
    say("The API of the gateway listens on port 9090", "learned", "2026-04-01");
    std::fs::write(root.join("batch.jsonl"), lines).unwrap();
    let batch = root.join("batch.jsonl");
    let (code, done) = at_night(root, &["remember", "--batch", batch.to_str().unwrap()]);
    assert_eq!(code, 0, "{done}");
    let ids = done["ids"].as_array().unwrap().iter();
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// The evening after all of it.
const EVENING: [&str; 2] = ["--now", "2026-06-20T20:00:00Z"];

pub(crate) fn at_night(root: &Path, arguments: &[&str]) -> (i32, Value) {
    json(root, &[&EVENING[..], arguments].concat())
}

fn did(done: &Value, step: &str) -> u64 {
    done["did"][step].as_u64().unwrap_or(0)
}

#[test]
fn a_night_is_planned_done_listed_and_taken_back() {
    let repo = initialised();
    let root = repo.root();
    let ids = told(root);
    let (code, planned) = at_night(root, &["dream", "--dry-run"]);
    assert_eq!((code, &planned["dry_run"]), (0, &true.into()));
    assert_eq!(json(root, &["show", &ids[0]]).1["status"], "active");
    let (code, done) = at_night(root, &["dream"]);
    assert_eq!((code, did(&done, "merge") >= 2), (0, true), "{done}");
    let (_, shown) = json(root, &["show", &ids[0]]);
    assert_eq!(shown["status"], "merged", "{shown}");
    let (_, again) = at_night(root, &["dream"]);
    assert_eq!(again["actions"].as_array().map(Vec::len), Some(0), "{again}");
    let (_, text, _) = run(root, &["dream", "--list"]);
    assert!(text.contains("dreamed:"), "{text}");
    assert_eq!(run(root, &["replay", "--check"]).0, 0);
    let (code, back) = at_night(root, &["dream", "--undo"]);
    assert_eq!((code, back["events"].as_u64() > Some(0)), (0, true), "{back}");
    assert_eq!(json(root, &["show", &ids[0]]).1["status"], "active");
    assert_eq!(run(root, &["replay", "--check"]).0, 0);
    let (code, _, error) = run(root, &["dream", "--undo"]);
    assert_eq!((code, error.contains("no dream")), (3, true), "{error}");
}

#[test]
fn undo_does_not_take_a_memory_away_from_under_its_records() {
    let repo = initialised();
    let root = repo.root();
    told(root);
    let (code, out, error) = run(root, &["undo"]);
    assert_eq!((code, out.contains("undid remember")), (0, true), "{out}{error}");
    assert!(root.join("memory/continuity.md").exists());
}

#[test]
fn questions_are_asked_answered_and_taken_back() {
    let repo = initialised();
    let root = repo.root();
    let ids = told(root);
    at_night(root, &["dream", "--step", "merge"]);
    let (_, open) = json(root, &["questions", "--kind", "contradiction"]);
    let question = &open["questions"][0];
    let id = question["id"].as_str().unwrap();
    assert_eq!(question["choices"][0]["name"], "newer", "{question}");
    let (code, _, error) = run(root, &["answer", id, "perhaps"]);
    assert_eq!((code, error.contains("newer, older, both")), (3, true), "{error}");
    let (code, given) = json(root, &["answer", id, "1", "--reason", "moved in April"]);
    assert_eq!((code, &given["choice"]), (0, &"newer".into()), "{given}");
    assert_eq!(json(root, &["show", &ids[6]]).1["status"], "superseded");
    let (_, history) = json(root, &["history", &ids[6]]);
    assert!(history.to_string().contains("moved in April"), "{history}");
    let (_, text, _) = run(root, &["questions", "--answered"]);
    assert!(text.contains("newer"), "{text}");
    assert_eq!(run(root, &["answer", id, "--undo"]).0, 0);
    assert_eq!(json(root, &["show", &ids[6]]).1["status"], "challenged");
    let (code, _, error) = run(root, &["answer", "--judge"]);
    assert_eq!((code, error.contains("no judge is configured")), (3, true), "{error}");
}

#[test]
fn purging_a_merged_memory_leaves_no_word_of_it_anywhere() {
    let repo = initialised();
    let root = repo.root();
    let ids = told(root);
    at_night(root, &["dream"]);
    let (code, purged) = json(root, &["purge", &ids[3], "--reason", "law", "--yes"]);
    assert_eq!(code, 0, "{purged}");
    let words = "The nightly build of the gateway failed, run 3, says Maria Lopez";
    for (path, bytes) in repo.files() {
        let is_batch = path == "batch.jsonl" || path.starts_with(".git/");
        assert!(is_batch || !String::from_utf8_lossy(&bytes).contains(words), "{path}");
    }
}

#[test]
fn drift_scan_compress_and_entities_answer() {
    let repo = initialised();
    let root = repo.root();
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(root)
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q", "-b", "main"]);
    repo.write("src/charge.rs", "/// Charges a card.\npub fn charge_card() {}\n");
    repo.write("src/refund.rs", "/// Pays back.\npub fn refund_card() {}\n");
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    let (_, done) = json(root, &["remember", "Refunds are booked in src/refund.rs by Maria Lopez"]);
    let id = done["id"].as_str().unwrap();
    let (code, report) = json(root, &["drift"]);
    assert_eq!((code, &report["score"]["gone"]), (0, &0.into()), "{report}");
    git(&["rm", "-q", "src/refund.rs"]);
    git(&["commit", "-q", "-m", "two"]);
    let (code, text, _) = run(root, &["drift"]);
    assert_eq!((code, text.contains("`src/refund.rs` was deleted")), (1, true), "{text}");
    assert_eq!(run(root, &["drift", "--fix", "--dry-run"]).0, 0);
    assert_eq!(json(root, &["show", id]).1["status"], "active");
    assert_eq!(json(root, &["drift", "--fix"]).0, 0);
    assert_eq!(json(root, &["show", id]).1["status"], "invalidated");
    let (code, scanned) = json(root, &["scan"]);
    assert_eq!((code, &scanned["languages"]["Rust"]), (0, &1.into()), "{scanned}");
    let (_, found) = json(root, &["recall", "--layer", "codebase", "charge a card"]);
    assert_eq!(found["results"][0]["id"], "code:src/charge.rs", "{found}");
    let (code, done) = json(root, &["compress"]);
    assert_eq!((code, &done["missing"]), (0, &0.into()), "{done}");
    json(root, &["remember", "we saw that Maria Lopez met Otto Brand"]);
    let (_, graph) = json(root, &["entity", "graph", "maria lopez", "--hops", "1"]);
    assert!(graph["edges"].to_string().contains("otto brand"), "{graph}");
    let (_, line) = json(root, &["entity", "timeline", "maria lopez"]);
    assert_eq!(line["items"].as_array().unwrap().len(), 2, "{line}");
    let (code, _, error) = run(root, &["entity", "graph", "nobody at all"]);
    assert_eq!((code, error.contains("nothing mentions")), (3, true), "{error}");
}
