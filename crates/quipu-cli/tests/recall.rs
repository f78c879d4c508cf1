//! Remember and recall by the command line.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use quipu_testkit::TestRepo;
use quipu_testkit::corpora::{self, Corpus};

use crate::{initialised, json, quipu, run};

#[test]
fn a_newcomer_remembers_and_asks() {
    let repo = initialised();
    let root = repo.root();
    let (code, done) =
        json(root, &["remember", "Retries back off with jitter", "-c", "decision", "-t", "net"]);
    assert_eq!(code, 0);
    let id = done["id"].as_str().unwrap().to_owned();
    let (code, answer) = json(root, &["recall", "what did we decide about retrying?"]);
    assert_eq!(code, 0);
    let first = &answer["results"][0];
    assert_eq!(first["id"], id.as_str());
    assert_eq!(
        (&first["kind"], &first["layer"], &first["type"]),
        (&"record".into(), &"procedural".into(), &"procedure".into())
    );
    assert!(first["score"].as_f64().unwrap() > 0.0);
    assert!(first["source"]["path"].as_str().unwrap().starts_with("memory/"));
    assert!(first["why"]["words"].as_array().unwrap().contains(&"retrying".into()));
    let (code, shown) = json(root, &["show", &id[..8]]);
    assert_eq!(code, 0);
    for key in ["id", "kind", "text", "status", "layer", "type", "tier", "provenance"] {
        assert!(shown.get(key).is_some(), "{key}");
    }
    let (code, words, _) = run(root, &["recall", "retries", "--explain"]);
    assert_eq!(code, 0);
    assert!(words.contains("has retries"), "{words}");
}

#[test]
fn nothing_found_says_why_and_exits_with_1() {
    let repo = initialised();
    let (code, words, _) = run(repo.root(), &["recall", "zebra"]);
    assert_eq!(code, 1);
    assert!(words.contains("nothing found"), "{words}");
    let (code, _, error) = run(repo.root(), &["recall", "zebra", "--layer", "sematic"]);
    assert_eq!(code, 2);
    assert!(error.contains("semantic"), "the right words are offered: {error}");
    let (code, _, error) = run(repo.root(), &["remember", "   "]);
    assert_eq!((code, error.contains("no words")), (3, true));
    let (code, _, error) = run(repo.root(), &["recall", "x", "--as-of", "sometime"]);
    assert_eq!((code, error.contains("2026-04-20")), (2, true), "{error}");
    assert!(error.contains("yesterday") && error.contains("last week"), "{error}");
}

#[test]
fn a_secret_is_refused_unless_it_is_called_one() {
    let repo = initialised();
    let text = format!("the token is ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let (code, _, error) = run(repo.root(), &["remember", &text]);
    assert_eq!(code, 3, "{error}");
    assert!(!repo.root().join("MEMORY.md").exists());
    assert_eq!(run(repo.root(), &["remember", &text, "--sensitivity", "secret"]).0, 0);
    assert_eq!(run(repo.root(), &["recall", "token"]).0, 1);
    assert_eq!(run(repo.root(), &["recall", "token", "--allow-secret"]).0, 0);
}

#[test]
fn a_batch_is_remembered_whole_or_not_at_all() {
    let repo = initialised();
    let batch = |input: &str| {
        let mut child = quipu(repo.root())
            .args(["--json", "remember", "--batch", "-", "-t", "import"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code().unwrap(), answer)
    };
    let (code, answer) = batch("plain words about apples\n{\"text\": \"pears\", \"colour\": 1}\n");
    assert_eq!(code, 3);
    assert!(answer["error"]["message"].as_str().unwrap().contains("line 2"));
    assert_eq!(run(repo.root(), &["recall", "apples"]).0, 1);
    let (code, answer) = batch("fine words\n{\"text\": \"pears\", \"importance\": 7}\n");
    assert_eq!(code, 3);
    assert!(answer["error"]["message"].as_str().unwrap().contains("memory 2"), "{answer}");
    let lines = "plain words about apples\n{\"text\": \"pears\", \"speaker\": \"Ann\", \"time\": \"2026-01-02\"}\n";
    let (code, answer) = batch(lines);
    assert_eq!((code, &answer["count"]), (0, &2.into()));
    let (_, answer) = json(repo.root(), &["recall", "pears", "--tag", "import"]);
    assert_eq!(answer["results"][0]["source"]["speaker"], "Ann");
    assert!(answer["results"][0]["time"].as_str().unwrap().starts_with("2026-01-02"));
}

#[test]
fn decisions_about_any_id() {
    let repo = initialised();
    let root = repo.root();
    let id = json(root, &["remember", "The gateway listens on port 7000"]).1["id"]
        .as_str()
        .unwrap()
        .to_owned();
    run(root, &["fact", "add", "The cache is bounded", "--id", "cache-bounded"]);
    assert_eq!(run(root, &["memory", "link", &id, "cache-bounded", "--relation", "uses"]).0, 0);
    assert_eq!(run(root, &["memory", "tag", "cache-bounded", "perf", "--remove", "old"]).0, 0);
    assert_eq!(run(root, &["memory", "annotate", "cache-bounded", "measured in May"]).0, 0);
    let (_, shown) = json(root, &["show", "cache-bounded"]);
    assert_eq!(
        (&shown["tags"][0], &shown["notes"][0]),
        (&"perf".into(), &"measured in May".into())
    );
    assert_eq!(run(root, &["edit", &id, "--text", "The gateway listens on port 7001"]).0, 0);
    assert_eq!(run(root, &["forget", &id, "--reason", "gone"]).0, 0);
    let (code, _, error) = run(root, &["forget", &id]);
    assert_eq!((code, error.contains("cannot become archived")), (3, true), "{error}");
    assert_eq!(run(root, &["restore", &id]).0, 0);
    let (_, history) = json(root, &["history", &id]);
    // Learned, weighed, edited, forgotten, restored, and opened by nobody.
    assert_eq!(history["entries"].as_array().unwrap().len(), 6);
    // A fact is forgotten in its file.
    assert_eq!(run(root, &["forget", "cache-bounded"]).0, 0);
    assert!(!repo.read("memory/continuity.md").contains("cache-bounded"));
    assert_eq!(run(root, &["restore", "cache-bounded"]).0, 0);
    assert!(repo.read("memory/continuity.md").contains("cache-bounded"));
    let (code, _, error) = run(root, &["history", "nonsense"]);
    assert_eq!((code, error.contains("nothing with the id")), (3, true));
    let (code, answer) = json(root, &["replay", "--check"]);
    assert_eq!((code, &answer["equal"]), (0, &true.into()), "{answer}");
}

#[test]
fn entities_have_other_names() {
    let repo = initialised();
    let root = repo.root();
    run(root, &["remember", "Yesterday we met Anna Meyer in Berlin"]);
    run(root, &["remember", "A letter from Anna about src/net/retry.rs"]);
    let (code, list) = json(root, &["entity", "list"]);
    assert_eq!((code, &list["count"]), (0, &3.into()), "Anna is Anna Meyer: {list}");
    assert_eq!(
        json(root, &["recall", "letter met", "--entity", "anna meyer"]).1["results"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(run(root, &["entity", "merge", "Anna", "Anna Meyer"]).0, 0);
    assert_eq!(
        json(root, &["recall", "letter met", "--entity", "anna"]).1["results"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let (_, shown) = json(root, &["entity", "show", "anna"]);
    assert_eq!(
        (&shown["name"], shown["items"].as_array().unwrap().len()),
        (&"anna meyer".into(), 2)
    );
    assert_eq!(run(root, &["entity", "alias", "Anna Meyer", "Anna", "--remove"]).0, 0);
    assert_eq!(json(root, &["entity", "show", "anna"]).1["items"].as_array().unwrap().len(), 1);
    assert_eq!(run(root, &["entity", "show", "nobody"]).0, 3);
    assert_eq!(run(root, &["replay", "--check"]).0, 0);
}

#[test]
fn a_purge_asks_first() {
    let repo = initialised();
    let root = repo.root();
    let id = json(root, &["remember", "my locker number is four two four two"]).1["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let (code, words, _) = run(root, &["purge", &id, "--reason", "private"]);
    assert_eq!(code, 1);
    assert!(words.contains("MEMORY.md") && words.contains("--yes"), "{words}");
    assert!(repo.read("MEMORY.md").contains("locker"));
    assert_eq!(run(root, &["purge", &id, "--reason", "private", "--yes"]).0, 0);
    assert!(!repo.read("MEMORY.md").contains("locker"));
    assert_eq!(run(root, &["recall", "locker number"]).0, 1);
}

#[test]
fn undo_takes_back_what_was_just_remembered() {
    let repo = TestRepo::new();
    let root = repo.root();
    run(root, &["--now", "2026-06-20T10:00:00Z", "init", "--project", "x"]);
    run(root, &["--now", "2026-06-20T11:00:00Z", "remember", "important, and just said"]);
    let (code, out, error) = run(root, &["undo"]);
    assert_eq!((code, out.contains("undid remember")), (0, true), "{out}{error}");
    assert!(repo.root().join("memory/continuity.md").exists());
    assert!(!run(root, &["recall", "important"]).1.contains("just said"));
}

#[test]
fn a_purged_fact_leaves_undo_and_the_answers() {
    let repo = initialised();
    let root = repo.root();
    run(root, &["fact", "add", "Vault pin is marlin-7712", "--id", "vault-pin", "--allow-secret"]);
    run(root, &["edit", "vault-pin", "--text", "The vault pin is in the password store"]);
    assert_eq!(run(root, &["purge", "vault-pin", "-r", "leak", "--yes"]).0, 0);
    for (path, bytes) in quipu_testkit::repo::files_in(root) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("marlin") && !text.contains("password store"), "{path}");
    }
    assert_eq!(run(root, &["recall", "vault pin"]).0, 1);
}

#[test]
fn what_stands_beside_the_facts_is_recalled_too() {
    let repo = initialised();
    let text = repo.read("memory/continuity.md");
    repo.write(
        "memory/continuity.md",
        &format!("{text}\n## Preferences\n\n- Indent with tabs, never with spaces\n"),
    );
    let (code, answer) = json(repo.root(), &["recall", "tabs or spaces?"]);
    assert_eq!((code, &answer["results"][0]["id"]), (0, &"continuity#preferences".into()));
}

#[test]
fn index_replay_and_stats() {
    let repo = initialised();
    let root = repo.root();
    run(root, &["remember", "one thing"]);
    let (code, stats) = json(root, &["stats"]);
    assert_eq!(code, 0);
    assert!(stats["items"].as_u64().unwrap() >= 1 && stats["embedded"] == stats["items"]);
    assert_eq!(run(root, &["index"]).1, "the index is up to date\n");
    std::fs::write(quipu_testkit::state_of(root, "quipu.db"), "garbage").unwrap();
    let (code, out, error) = run(root, &["recall", "thing"]);
    assert_eq!((code, out.contains("the index was damaged")), (0, true), "{out}{error}");
    assert!(out.contains("one thing"), "{out}");
    assert_eq!(run(root, &["replay", "--check"]).0, 0);
    assert_eq!(run(root, &["recall", "thing"]).0, 0);
    assert_eq!(run(root, &["reembed"]).0, 0);
}

#[test]
fn processes_that_remember_at_once_lose_nothing() {
    let repo = initialised();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let root = repo.root();
            scope.spawn(move || {
                for turn in 0..5 {
                    let (code, done) =
                        json(root, &["remember", &format!("writer {writer} turn {turn}")]);
                    assert_eq!((code, done["degraded"].is_null()), (0, true), "{done}");
                    assert_eq!(run(root, &["recall", "writer", "turn"]).0, 0);
                }
            });
        }
    });
    let (_, stats) = json(repo.root(), &["stats"]);
    // Each was remembered and weighed.
    assert_eq!(stats["events"], 80);
    assert_eq!(repo.read("MEMORY.md").matches("- writer ").count(), 40);
    assert_eq!(run(repo.root(), &["replay", "--check"]).0, 0);
}

#[test]
fn archived_facts_are_found_by_what_they_are_about() {
    assert_archived_facts_are_found(&corpora::own().join("tidewater"), "s0005");
}

#[test]
fn archived_facts_of_a_real_workspace_are_found_by_what_they_are_about() {
    let test = "archived_facts_of_a_real_workspace_are_found_by_what_they_are_about";
    let Some(folder) = corpora::folder(test) else { return };
    assert_archived_facts_are_found(&folder.join("agent-memory"), "s0162");
}

fn assert_archived_facts_are_found(folder: &Path, tag: &str) {
    let corpus = Corpus::open(folder);
    let root = corpus.checkout(tag);
    let pairs = std::fs::read_to_string(folder.join("recall_pairs.json")).unwrap();
    let pairs: Vec<serde_json::Value> = serde_json::from_str(&pairs).unwrap();
    let mut missed = Vec::new();
    for pair in &pairs {
        let (_, answer) = json(root, &["recall", "-k", "5", "--", pair["line"].as_str().unwrap()]);
        let results = answer["results"].as_array().unwrap();
        if !results.iter().any(|result| result["id"] == pair["id"]) {
            missed.push(pair["id"].as_str().unwrap());
        }
    }
    // 97 of 100; two of the facts were superseded, and are not results by design.
    assert!(missed.len() * 100 <= pairs.len() * 3, "{missed:?} of {}", pairs.len());
}
