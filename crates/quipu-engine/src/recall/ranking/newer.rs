//! Of two answers that cannot both hold the newer comes first. Nobody decides by that which one holds:
//! both are there, and the question about them waits.

use quipu_core::contradict;
use quipu_core::item::{Kind, Layer};
use quipu_core::prose;

use crate::recall::Answer;

/// So many answers are looked at: those that somebody reads.
const PAGE: usize = 10;

/// So many places at the top are worth it.
const TOP: usize = 3;

/// The newer must answer the question nearly as well.
const NEARLY: f32 = 0.6;

/// Where one of them is but a note, it must answer this well, and with the same words.
const AS_A_NOTE: f32 = 0.75;

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
    let answers_as_well = match (is_knowledge(older), is_knowledge(newer)) {
        (true, true) => newer.score >= NEARLY * older.score,
        // What happened twice happened twice.
        (false, false) => false,
        _ => {
            newer.score >= AS_A_NOTE * older.score
                && older.why.words.iter().all(|word| newer.why.words.contains(word))
        }
    };
    newer.time > older.time
        && answers_as_well
        && [older, newer].into_iter().all(says_one_thing)
        && names_asked(query, older).all(|name| newer.why.words.contains(name))
        && contradict::conflict(&older.text, &newer.text).is_some()
}

fn says_one_thing(answer: &Answer) -> bool {
    answer.kind == Kind::Record && answer.text.len() <= LONGEST
}

fn is_knowledge(answer: &Answer) -> bool {
    matches!(answer.layer, Layer::Semantic | Layer::Procedural)
}

/// Returns the names in the question that an answer has: another name is another subject.
fn names_asked<'a>(query: &'a str, answer: &'a Answer) -> impl Iterator<Item = &'a String> {
    answer.why.words.iter().filter(|word| {
        let mut words = prose::words(query, "");
        words.any(|one| {
            one.starts_with(char::is_uppercase) && one.to_lowercase() == word.to_lowercase()
        })
    })
}
