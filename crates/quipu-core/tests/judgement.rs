//! The labelled sets of `quipu-testkit/judgement`, as far as the core decides about them. Rules are tuned
//! on the dev halves; the test halves are only scored.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and its scores are read"
)]

use std::collections::BTreeSet;

use jiff::civil::Date;
use quipu_core::journal::summary::{self, Said};
use quipu_core::{entity, nature};
use serde_json::Value;

fn lines(set: &str) -> Vec<Value> {
    set.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// Counts names found, names expected and names that are both. With `shown`, prints what is wrong.
fn score_names(set: &str, shown: bool) -> (f64, f64, f64) {
    let (mut found_count, mut expected_count, mut right) = (0.0, 0.0, 0.0);
    for case in lines(set) {
        let memories = strings(&case["memories"]);
        let texts: Vec<&str> = memories.iter().map(String::as_str).collect();
        let found = entity::names_in(&texts);
        let expected: Vec<BTreeSet<String>> = case["entities"]
            .as_array()
            .unwrap()
            .iter()
            .map(|forms| strings(forms).iter().map(|form| form.to_lowercase()).collect())
            .collect();
        let mut open: Vec<&BTreeSet<String>> = expected.iter().collect();
        let mut wrong = Vec::new();
        for forms in &found {
            let place =
                open.iter().position(|forms_of| forms.iter().any(|form| forms_of.contains(form)));
            match place {
                Some(at) => {
                    open.remove(at);
                    right += 1.0;
                }
                None => wrong.push(forms.join("/")),
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        {
            found_count += found.len() as f64;
            expected_count += expected.len() as f64;
        }
        if shown && !(wrong.is_empty() && open.is_empty()) {
            println!("{texts:?}\n  wrong {wrong:?}\n  missed {open:?}");
        }
    }
    let (precision, recall) = (right / found_count, right / expected_count);
    (precision, recall, 2.0 * precision * recall / (precision + recall))
}

#[test]
fn names_are_found_and_verbs_and_months_are_none() {
    let dev = score_names(include_str!("../../quipu-testkit/judgement/names.dev.jsonl"), true);
    let test = score_names(include_str!("../../quipu-testkit/judgement/names.test.jsonl"), false);
    println!("names: dev {dev:.3?}, test {test:.3?} (precision, recall, F1)");
    assert!(test.2 >= 0.85, "F1 of the test half: {test:?}");
}

/// Returns how many of what is taken for lasting is so, and how much of what lasts is found.
fn score_lasting(set: &str, shown: bool) -> (f64, f64) {
    let (mut taken, mut expected, mut right) = (0.0, 0.0, 0.0);
    for case in lines(set) {
        let (text, category) = (case["text"].as_str().unwrap(), case["category"].as_str().unwrap());
        let found = nature::nature(text, category);
        let is_lasting = case["lasting"] == true;
        taken += f64::from(u8::from(found.lasts()));
        expected += f64::from(u8::from(is_lasting));
        right += f64::from(u8::from(found.lasts() && is_lasting));
        if shown && found.lasts() != is_lasting {
            println!("{found}: {text}");
        }
    }
    (right / taken, right / expected)
}

#[test]
fn what_a_person_would_call_lasting_is_told_from_what_passes() {
    let dev = score_lasting(include_str!("../../quipu-testkit/judgement/lasting.dev.jsonl"), true);
    let test =
        score_lasting(include_str!("../../quipu-testkit/judgement/lasting.test.jsonl"), false);
    println!("lasting: dev {dev:.3?}, test {test:.3?} (precision, recall)");
    assert!(test.0 >= 0.8 && test.1 >= 0.6, "{test:?}");
}

/// Tells how much of what is open, or names a day to come, is kept from the archive.
fn score_kept(set: &str, shown: bool) -> (f64, f64) {
    let (mut kept_of_open, mut open, mut kept_of_rest, mut rest) = (0.0, 0.0, 0.0, 0.0);
    for case in lines(set) {
        let (text, category) = (case["text"].as_str().unwrap(), case["category"].as_str().unwrap());
        let written: Date = case["written"].as_str().unwrap().parse().unwrap();
        let to_come = case["future_date"].as_str().map(|day| day.parse::<Date>().unwrap());
        let is_open = case["open_item"] == true || to_come.is_some();
        let today = to_come.unwrap_or(written);
        let is_kept = nature::keeps(text, category, written, today).is_some();
        if is_open {
            open += 1.0;
            kept_of_open += f64::from(u8::from(is_kept));
        } else {
            rest += 1.0;
            kept_of_rest += f64::from(u8::from(is_kept));
        }
        if shown && is_open != is_kept {
            println!("kept {is_kept}: {text}");
        }
    }
    (kept_of_open / open, kept_of_rest / rest)
}

#[test]
fn open_items_and_days_to_come_are_kept_from_the_archive() {
    let dev = score_kept(include_str!("../../quipu-testkit/judgement/lasting.dev.jsonl"), true);
    let test = score_kept(include_str!("../../quipu-testkit/judgement/lasting.test.jsonl"), false);
    println!("kept: dev {dev:.3?}, test {test:.3?} (of open ones, of others)");
    assert!(test.0 >= 0.8 && test.1 <= 0.15, "{test:?}");
}

/// What an agent does all day, and nobody needs to know.
fn routine(number: usize) -> String {
    let what = [
        "Ran the tests",
        "Opened the file",
        "Read the page",
        "Listed the folder",
        "Formatted the code",
        "Restarted the server",
        "Looked at the log",
        "Answered a question",
        "Checked the spelling",
        "Rebased the branch",
    ];
    let then = [
        "all fine",
        "nothing new",
        "no findings",
        "as before",
        "took a moment",
        "done in a minute",
        "same as the day before",
    ];
    format!(
        "{} {}, {}.",
        what[number % what.len()],
        ["again", "once more", "for the user", "in the morning", "after lunch"][number / 7 % 5],
        then[number / 3 % then.len()]
    )
}

/// Returns which share of what a summary must keep is in it, and of what it may drop. Several sets go
/// together, beside an agent's routine, until a quarter of all is as long as a summary may be.
fn score_summaries(set: &str, shown: bool) -> (f64, f64) {
    const BUDGET: usize = 2000;
    let (mut kept, mut must, mut idle, mut may_drop) = (0.0, 0.0, 0.0, 0.0);
    for cases in lines(set).chunks(3) {
        let mut said: Vec<(Date, bool, String)> = Vec::new();
        for case in cases {
            for record in case["records"].as_array().unwrap() {
                let day = record["at"].as_str().unwrap()[..10].parse().unwrap();
                said.push((
                    day,
                    record["by"] == "human",
                    record["text"].as_str().unwrap().to_owned(),
                ));
            }
        }
        let days: Vec<Date> = said.iter().map(|one| one.0).collect();
        let mut size: usize = said.iter().map(|one| one.2.chars().count()).sum();
        let mut number = 0;
        while size < 4 * BUDGET {
            let text = routine(number);
            size += text.chars().count();
            said.push((days[number % days.len()], false, text));
            number += 1;
        }
        said.sort();
        let said: Vec<Said<'_>> = said
            .iter()
            .map(|(day, by_person, text)| Said { day: *day, by_person: *by_person, text })
            .collect();
        let summary = summary::extract(&said, BUDGET);
        assert!(summary.chars().count() <= BUDGET);
        for case in cases {
            for phrase in strings(&case["must"]) {
                let is_kept = summary.contains(&phrase);
                must += 1.0;
                kept += f64::from(u8::from(is_kept));
                if shown && !is_kept {
                    println!("lost: {phrase}");
                }
            }
            for phrase in strings(&case["may_drop"]) {
                may_drop += 1.0;
                idle += f64::from(u8::from(summary.contains(&phrase)));
            }
        }
        if shown {
            println!("{summary}\n");
        }
    }
    (kept / must, idle / may_drop)
}

#[test]
fn a_summary_keeps_what_it_must() {
    let dev =
        score_summaries(include_str!("../../quipu-testkit/judgement/summaries.dev.jsonl"), true);
    let test =
        score_summaries(include_str!("../../quipu-testkit/judgement/summaries.test.jsonl"), false);
    println!("summaries: dev {dev:.3?}, test {test:.3?} (must kept, idle kept)");
    assert!(test.0 >= 0.85, "{test:?}");
}
