//! Memory folders, our own and real ones written by others: the same numbers as agent-memory
//! 4.38, to the byte.
//!
//! Each snapshot where a deviation (D1 to D7 of docs/compatibility.md) changes the answer would be listed
//! in [`DEVIATIONS`] with its number and reason. On the corpora at hand there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use quipu_testkit::TestRepo;
use quipu_testkit::corpora::{self, Corpus};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{json, run};

/// (corpus, snapshot, deviation, reason)
const DEVIATIONS: [(&str, &str, &str, &str); 0] = [];

/// The original's checks; findings with other codes are Quipu's own.
const ORIGINAL_CODES: [&str; 12] = [
    "both",
    "over-archived",
    "version-manifest",
    "conflict-marker",
    "overdue",
    "dangling",
    "date-only-session",
    "review-overdue",
    "continuity-bloat",
    "closed-thread-bloat",
    "stale-metadata",
    "secret-material",
];

/// Findings by (code, subject), with how often each occurs.
type Tally = BTreeMap<(String, String), usize>;

fn tally(pairs: impl Iterator<Item = (String, String)>) -> Tally {
    let mut tally = Tally::new();
    for (code, subject) in pairs {
        let about_the_file = ["review-overdue", "continuity-bloat", "closed-thread-bloat"];
        let subject = if about_the_file.contains(&code.as_str()) { String::new() } else { subject };
        *tally.entry((code, subject)).or_default() += 1;
    }
    tally
}

/// What the original says: the subject is the first word, for a file without its line.
fn expected(line: &Value) -> Tally {
    tally(line["findings"].as_array().unwrap().iter().map(|finding| {
        let code = finding["code"].as_str().unwrap().to_owned();
        let word = finding["text"].as_str().unwrap().split_whitespace().next().unwrap();
        let is_place = ["secret-material", "conflict-marker"].contains(&code.as_str());
        let subject = if is_place { word.rsplit_once(':').unwrap().0 } else { word };
        (code, subject.to_owned())
    }))
}

fn found(document: &Value) -> Tally {
    let findings = document["findings"].as_array().unwrap().iter();
    tally(findings.filter_map(|finding| {
        let code = finding["code"].as_str().unwrap();
        let is_original = ORIGINAL_CODES.contains(&code);
        assert!(is_original || finding["severity"] == "warn", "{code} changes the exit status");
        is_original.then(|| (code.to_owned(), finding["subject"].as_str().unwrap().to_owned()))
    }))
}

fn check_corpus(name: &str, folder: &Path) -> usize {
    let corpus = Corpus::open(folder);
    let lines = std::fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let tag = line["snapshot"].as_str().unwrap();
        if DEVIATIONS.iter().any(|(corpus, snapshot, ..)| (*corpus, *snapshot) == (name, tag)) {
            continue;
        }
        let root = corpus.checkout(tag);
        let (code, document) = json(root, &["lint"]);
        if i64::from(code) != line["exit"].as_i64().unwrap() {
            wrong.push(format!("{tag}: lint exits with {code}"));
        }
        let (expected, found) = (expected(&line), found(&document));
        if expected != found {
            wrong.push(format!("{tag}: expected {expected:?}\n  found {found:?}"));
        }
        let (code, _, error) = run(root, &["refresh"]);
        assert_eq!(code, 0, "{tag}: {error}");
        let bytes = std::fs::read(root.join("memory/continuity.md")).unwrap();
        let digest = format!("{:x}", Sha256::digest(bytes));
        if digest != line["continuity_sha256_after_refresh"].as_str().unwrap() {
            wrong.push(format!("{tag}: refresh writes other bytes"));
        }
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
    lines.lines().count()
}

/// Checks every corpus in a folder; returns how many snapshots there were.
fn check_corpora(corpora: &Path) -> usize {
    let mut snapshots = 0;
    for entry in std::fs::read_dir(corpora).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("expected.jsonl").exists() {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            snapshots += check_corpus(&name, &folder);
        }
    }
    snapshots
}

#[test]
fn refresh_and_lint_agree_with_the_original_on_every_snapshot_of_our_own() {
    assert_eq!(check_corpora(&corpora::own()), 10);
}

#[test]
fn refresh_and_lint_agree_with_the_original_on_every_real_snapshot() {
    let Some(corpora) = corpora::folder("corpora") else { return };
    let snapshots = check_corpora(&corpora);
    assert!(snapshots >= 166, "only {snapshots} snapshots were checked");
}

#[test]
fn a_review_of_our_own_snapshots_plans_the_same_as_ever() {
    for name in ["tidewater", "hand-edited"] {
        let folder = corpora::own().join(name);
        let mut plans = String::new();
        for tag in Corpus::tags(&folder) {
            let repo = TestRepo::copy_of(&folder.join("snapshots").join(&tag));
            assert_protected(&tag, repo.root(), &departures(repo.root()));
            let arguments = ["--today", "2026-03-20", "review", "--dry-run"];
            let (code, plan, error) = run(repo.root(), &arguments);
            writeln!(plans, "== {tag} exits with {code}\n{plan}{error}").unwrap();
        }
        insta::assert_snapshot!(format!("reviews_of_{name}"), plans);
    }
}

/// The facts that the review's plan takes out of continuity.
fn departures(root: &Path) -> BTreeSet<String> {
    let (_, plan) = json(root, &["review", "--dry-run"]);
    let items = plan["items"].as_array().unwrap().iter();
    let leaves =
        |item: &&Value| ["archive", "sweep", "file"].contains(&item["action"].as_str().unwrap());
    items.filter(leaves).map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// Refuses a plan that takes out what never decays.
fn assert_protected(tag: &str, root: &Path, planned: &BTreeSet<String>) {
    let (_, facts) = json(root, &["fact", "list"]);
    for fact in facts["facts"].as_array().unwrap() {
        let section = fact["section"].as_str().unwrap_or_default();
        let is_invariant = section.starts_with("Architectural Invariants");
        let protected = fact["tier"] == "core"
            || fact["state"] == "open"
            || (is_invariant && fact["state"] != "superseded");
        let id = fact["id"].as_str().unwrap();
        assert!(!protected || !planned.contains(id), "{tag}: {id} never decays");
    }
}

/// Where a review came with a merge, its author saw the last parent, which has more sessions than
/// the first; a fact may be past the window only there.
#[test]
fn every_fact_that_people_archived_past_the_window_is_in_the_plan() {
    let Some(corpora) = corpora::folder("reviews") else { return };
    let folder = corpora.join("agent-memory");
    let corpus = Corpus::open(&folder);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let parents: BTreeMap<String, Vec<String>> = read("expected.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| {
            (
                line["snapshot"].as_str().unwrap().to_owned(),
                serde_json::from_value(line["parents"].clone()).unwrap(),
            )
        })
        .collect();
    let reviews: Value = serde_json::from_str(&read("archival_decisions.json")).unwrap();
    let mut figures = BTreeMap::new();
    for review in reviews.as_array().unwrap() {
        let first = review["preceding_snapshot"].as_str().unwrap();
        let last = parents[review["snapshot"].as_str().unwrap()].last().unwrap();
        let root = corpus.checkout(first);
        let at_first = departures(root);
        assert_protected(first, root, &at_first);
        let (_, status) = json(root, &["status"]);
        let window = status["policy"]["archive_window"].as_i64().unwrap();
        let root = corpus.checkout(last);
        let at_last = departures(root);
        assert_protected(last, root, &at_last);
        for moved in review["moved"].as_array().unwrap() {
            let id = moved["id"].as_str().unwrap();
            let is_superseded = moved["footer"].as_str().unwrap_or_default().contains("superseded");
            let is_past = moved["sslu"].as_i64().is_some_and(|sslu| sslu > window);
            let (_, shown) = json(root, &["show", id]);
            let kind = match () {
                () if !is_past && !is_superseded => "archived early by people",
                () if at_first.contains(id) => "past the window, in the plan",
                () if at_last.contains(id) => "past the window after a merge, in the plan",
                () if shown["usage"]["state"] == "open" => "an open thread, not in the plan",
                () => panic!("{first}: {id} is missing from the plan"),
            };
            *figures.entry(kind).or_insert(0) += 1;
        }
    }
    tell(&format!("{figures:?}"));
    assert!(figures["past the window, in the plan"] >= 61, "{figures:?}");
}

#[expect(clippy::print_stderr, reason = "figures for the record")]
fn tell(figures: &str) {
    eprintln!("{figures}");
}
