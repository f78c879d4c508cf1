//! What the comparison of statements decides on the labelled set, half by half. Rules and weights are
//! tuned on the dev half and on `contradictions.train.tsv`; the test half is only scored.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that reads the labelled set and prints its score"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use quipu_core::contradict::{Known, Statement, feature_rows, nearest_of, relate};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    existing: Vec<String>,
    new: String,
    label: String,
    with: Option<usize>,
}

impl Case {
    fn cannot_hold_together(&self) -> bool {
        matches!(self.label.as_str(), "conflict" | "update")
    }
}

/// Counts, of which shares are made.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    of: usize,
    right: usize,
}

impl Share {
    fn add(&mut self, is_right: bool) {
        self.of += 1;
        self.right += usize::from(is_right);
    }

    fn percent(self) -> usize {
        self.right * 100 / self.of.max(1)
    }
}

/// How one half of the set was judged; shares in percent.
#[derive(Debug)]
struct Score {
    /// Stops that name the statement that the label is about.
    precision: usize,
    /// Conflicts and updates that stop.
    recall: usize,
    /// Updates that were noticed, by a stop.
    updates: usize,
    /// Cases without a conflict or an update in which something was reported.
    false_alarms: usize,
    /// Conflicts and updates whose partner stops or is among the nearest.
    shown: usize,
    /// Unrelated cases that show anything near.
    noise: usize,
}

fn set(file: &str) -> String {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../quipu-testkit/judgement").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cases(half: &str) -> Vec<Case> {
    let lines = set(&format!("contradictions.{half}.jsonl"));
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn score(half: &str) -> Score {
    let (mut stops, mut found, mut updates) =
        (Share::default(), Share::default(), Share::default());
    let (mut alarms, mut shown, mut noise) = (Share::default(), Share::default(), Share::default());
    let mut confusion: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for case in cases(half) {
        let new = Statement::of(&case.new);
        let stopping: Vec<usize> = (0..case.existing.len())
            .filter(|at| relate(&Statement::of(&case.existing[*at]), &new).disagrees())
            .collect();
        let names_partner = case.with.is_some_and(|at| stopping.contains(&at));
        let outcome = if stopping.is_empty() { "goes on" } else { "stops" };
        *confusion.entry((case.label.clone(), outcome)).or_default() += 1;
        let is_wrong = case.cannot_hold_together();
        if !stopping.is_empty() {
            stops.add(is_wrong && names_partner);
        }
        let known =
            |at: usize| Known { id: at.to_string(), text: case.existing[at].clone(), alike: None };
        let all: Vec<Known> = (0..case.existing.len()).map(known).collect();
        let nearest = nearest_of(&all, &case.new);
        assert!(nearest.len() <= 3, "{}: {nearest:?}", case.id);
        if is_wrong {
            found.add(names_partner);
            let partner = case.with.map(|at| at.to_string());
            shown.add(
                names_partner || nearest.iter().any(|near| Some(&near.id) == partner.as_ref()),
            );
        } else {
            alarms.add(!stopping.is_empty());
        }
        if case.label == "update" {
            updates.add(names_partner);
        }
        if case.label == "unrelated" {
            noise.add(!nearest.is_empty());
        }
    }
    let score = Score {
        precision: stops.percent(),
        recall: found.percent(),
        updates: updates.percent(),
        false_alarms: alarms.percent(),
        shown: shown.percent(),
        noise: noise.percent(),
    };
    println!("{half}: {score:?}\n{half}: {confusion:?}");
    score
}

#[test]
fn the_half_that_rules_are_tuned_on_is_judged_well() {
    let score = score("dev");
    assert!(score.precision >= 82 && score.recall >= 88, "{score:?}");
    assert!(score.updates >= 90 && score.false_alarms <= 16, "{score:?}");
    assert!(score.shown >= 97 && score.noise <= 20, "{score:?}");
}

/// Stops are short of the goal here (precision 85, recall 75); what a stop misses is shown as near.
#[test]
fn the_half_that_nobody_reads_is_judged_no_worse_than_before() {
    let score = score("test");
    assert!(score.precision >= 72 && score.recall >= 52, "{score:?}");
    assert!(score.updates >= 55 && score.false_alarms <= 18, "{score:?}");
    assert!(score.shown >= 93 && score.noise <= 20, "{score:?}");
}

#[test]
fn one_answer_of_nearest_takes_at_most_150_tokens() {
    let long =
        "The gateway keeps each connection to the billing service open for 30 seconds ".repeat(9);
    let known =
        |at: usize| Known { id: format!("k{at}"), text: format!("{long} {at}"), alike: None };
    let all: Vec<Known> = (0..9).map(known).collect();
    let nearest = nearest_of(&all, "The gateway keeps each connection open for 60 seconds");
    let tokens = |near: &quipu_core::contradict::Near| {
        [&near.id, &near.text, &near.reason]
            .map(|text| quipu_core::text::tokens(text))
            .iter()
            .sum::<usize>()
    };
    assert!(!nearest.is_empty() && nearest.len() <= 3);
    assert!(nearest.iter().map(tokens).sum::<usize>() <= 150, "{nearest:?}");
}

/// Prints the rows that `tools/judgement/learn.py` reads, of the file that `ROWS` names:
/// `ROWS=dev cargo test -p quipu-core --test contradictions -- --ignored --nocapture rows | grep '^row'`.
#[test]
#[ignore = "prints training rows"]
fn rows_for_learning() {
    let row = |case: &str, label: &str, which: usize, old: &str, new: &str| {
        let rows = feature_rows(&Statement::of(old), &Statement::of(new));
        let rows: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            .collect();
        println!("row:{case}\t{label}\t{which}\t{}", rows.join(";"));
    };
    let half = std::env::var("ROWS").unwrap_or_else(|_| "train".to_owned());
    if half == "train" {
        for (at, line) in set("contradictions.train.tsv").lines().enumerate() {
            let parts: Vec<&str> = line.split('\t').collect();
            row(&format!("train-{at}"), parts[0], 0, parts[1], parts[2]);
        }
        return;
    }
    for case in cases(&half) {
        for (at, old) in case.existing.iter().enumerate() {
            let label = if case.with == Some(at) { &case.label } else { "other" };
            row(&case.id, label, at, old, &case.new);
        }
    }
}
