//! `quipu harvest` from the outside.

use std::io::Write as _;
use std::process::Stdio;

use quipu_testkit::TestRepo;

use crate::{answer, initialised, json, quipu, run};

fn documented() -> TestRepo {
    let repo = initialised();
    repo.write(
        "docs/adr/0001-store.md",
        "# 1. Store\n\n## Status\n\nAccepted\n\n## Decision\n\nOrders live in PostgreSQL, because billing needs joins.\n",
    );
    repo.write("ROADMAP.md", "# Roadmap\n\n## Next\n\n- Returns at the door\n");
    repo
}

#[test]
fn a_look_writes_nothing_and_accept_writes_once() {
    let repo = documented();
    let before = repo.files();
    let (code, out, _) = run(repo.root(), &["harvest"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("Orders live in PostgreSQL") && out.contains("docs/adr/0001-store.md:9"),
        "{out}"
    );
    assert_eq!(repo.files(), before);
    let (code, found) = json(repo.root(), &["harvest", "--accept", "--dry-run"]);
    assert_eq!((code, &found["applied"]), (0, &serde_json::json!(false)));
    assert_eq!(repo.files(), before);
    let (code, done) = json(repo.root(), &["harvest", "--accept"]);
    assert_eq!(code, 0, "{done}");
    assert_eq!(done["accepted"]["created"].as_array().unwrap().len(), 2, "{done}");
    let (_, again) = json(repo.root(), &["harvest", "--accept"]);
    assert_eq!(again["steps"], serde_json::json!([]), "{again}");
    let (code, out, _) = run(repo.root(), &["lint", "--strict"]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn some_are_accepted_by_number_and_an_unknown_one_is_an_error() {
    let repo = documented();
    let (code, document) = json(repo.root(), &["harvest", "--accept", "9"]);
    assert_eq!((code, &document["error"]["code"]), (3, &serde_json::json!("no-such-proposal")));
    let (_, done) = json(repo.root(), &["harvest", "--accept", "2"]);
    assert_eq!(done["accepted"]["created"].as_array().unwrap().len(), 1, "{done}");
}

fn told(repo: &TestRepo, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = quipu(repo.root())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    answer(&child.wait_with_output().unwrap())
}

#[test]
fn each_proposal_is_asked_about() {
    let repo = documented();
    let before = repo.files();
    let (code, ..) = told(&repo, &["harvest", "--interactive"], "y\nq\n");
    assert_eq!(code, 3);
    assert_eq!(repo.files(), before);
    let (code, out, error) = told(&repo, &["harvest", "--interactive"], "n\ny\n");
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("wrote 1 fact\n"), "{out}");
}

#[test]
fn an_agents_words_are_written() {
    let repo = documented();
    let (_, found) = json(repo.root(), &["harvest"]);
    let id = found["steps"][1]["id"].as_str().unwrap();
    let words = format!("[{{\"id\": \"{id}\", \"text\": \"PostgreSQL holds orders.\"}}]");
    let (code, _, error) = told(&repo, &["harvest", "--reworded", "-"], &words);
    assert_eq!(code, 0, "{error}");
    assert!(
        repo.read("memory/continuity.md")
            .contains("- PostgreSQL holds orders. (docs/adr/0001-store.md)")
    );
    let (code, _, error) = told(&repo, &["harvest", "--reworded", "-"], "{}");
    assert_eq!(code, 3);
    assert!(error.contains("hint:"), "{error}");
}

#[test]
fn nothing_written_is_nothing_to_undo() {
    let repo = documented();
    let (code, text, error) = told(&repo, &["harvest", "--reworded", "-"], "[]");
    assert_eq!(code, 0);
    assert!(text.contains("wrote 0 facts\n"), "{text}");
    assert!(!format!("{text}{error}").contains("quipu undo"), "{text}{error}");
}
