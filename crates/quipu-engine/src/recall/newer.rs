//! Of two answers that cannot both hold the newer comes first. Nobody decides by that which one holds:
//! both are there, and the question about them waits.

use quipu_core::contradict;
use quipu_core::item::{Kind, Layer};

use super::Answer;

/// So many answers are looked at: those that somebody reads.
const PAGE: usize = 10;

/// So many places at the top are worth it.
const TOP: usize = 3;

/// The newer must answer the question nearly as well.
const NEARLY: f32 = 0.6;

/// Longer ones say more than one thing.
const LONGEST: usize = 400;

/// Lets the newest of those that contradict each other come first.
pub(super) fn newer_first(query: &str, results: &mut [Answer]) {
    let page = results.len().min(PAGE);
    for at in 0..page.min(TOP) {
        let first = &results[at];
        let newest = (at + 1..page)
            .filter(|other| replaces(query, first, &results[*other]))
            .max_by_key(|other| (results[*other].time, std::cmp::Reverse(*other)));
        if let Some(newest) = newest {
            results[at..=newest].rotate_right(1);
        }
    }
}

/// Tells whether `newer` says something else about what `older` answers.
fn replaces(query: &str, older: &Answer, newer: &Answer) -> bool {
    newer.time > older.time
        && newer.score >= NEARLY * older.score
        && [older, newer].into_iter().all(is_knowledge)
        && names_asked(query, older).all(|name| newer.why.words.contains(name))
        && contradict::conflict(&older.text, &newer.text).is_some()
}

fn is_knowledge(answer: &Answer) -> bool {
    answer.kind == Kind::Record
        && matches!(answer.layer, Layer::Semantic | Layer::Procedural)
        && answer.text.len() <= LONGEST
}

/// Returns the names in the question that an answer has: another name is another subject.
fn names_asked<'a>(query: &'a str, answer: &'a Answer) -> impl Iterator<Item = &'a String> {
    answer.why.words.iter().filter(|word| {
        let mut words = query.split(|c: char| !c.is_alphanumeric());
        words.any(|one| {
            one.starts_with(char::is_uppercase) && one.to_lowercase() == word.to_lowercase()
        })
    })
}
