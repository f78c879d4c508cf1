//! Questions about many memories: lists, counts, the order of events, summaries. Ten turns of one
//! conversation tell less about them than one turn of each of ten.

use std::collections::HashMap;

use quipu_core::prose;

use crate::recall::Answer;

/// Each answer of the same session makes the next one worth so much less.
const SAME_SESSION: f32 = 0.06;

/// So many are spread: those that somebody reads.
const PAGE: usize = 10;

/// Words of a question about many memories.
const MANY: &[&str] = &[
    "all",
    "both",
    "chronological",
    "chronologically",
    "develop",
    "developed",
    "evolve",
    "evolved",
    "list",
    "order",
    "overview",
    "progress",
    "progressed",
    "progression",
    "summarise",
    "summarize",
    "summary",
    "throughout",
    "timeline",
];

/// The same in several words; each ends where anything may follow.
const PHRASES: &[&str] = &[
    "how many",
    "in total",
    "over time",
    "walk me through",
    "what activities",
    "what books",
    "what events",
    "what kinds",
    "what places",
    "what steps",
    "what things",
    "what types",
];

/// Tells whether a question is about many memories.
pub(super) fn asks_for_many(question: &str) -> bool {
    let bare = format!(" {} ", prose::bare(question));
    bare.split(' ').any(|word| MANY.contains(&word))
        || PHRASES.iter().any(|phrase| bare.contains(&format!(" {phrase} ")))
}

/// Takes from each turn what those of its session have told already. `worth` is what each has beyond its score.
pub(super) fn spread(pool: &[Answer], worth: &mut HashMap<String, f32>) {
    let value = |answer: &Answer, worth: &HashMap<String, f32>| {
        answer.score + worth.get(&answer.id).copied().unwrap_or_default()
    };
    let mut left: Vec<&Answer> = pool.iter().collect();
    let mut told: HashMap<&str, f32> = HashMap::new();
    for _ in 0..PAGE {
        let mut best: Option<(usize, f32)> = None;
        for (at, answer) in left.iter().enumerate() {
            let value = value(answer, worth) - cost(answer, &told);
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((at, value));
            }
        }
        let Some((at, _)) = best else { return };
        let answer = left.remove(at);
        if let Some(worth) = worth.get_mut(&answer.id) {
            *worth -= cost(answer, &told);
        }
        if let Some(session) = answer.source.session.as_deref() {
            *told.entry(session).or_default() += SAME_SESSION;
        }
    }
    // What was not taken stays behind what was.
    for answer in left {
        if let Some(worth) = worth.get_mut(&answer.id) {
            *worth -= cost(answer, &told);
        }
    }
}

fn cost(answer: &Answer, told: &HashMap<&str, f32>) -> f32 {
    answer
        .source
        .session
        .as_deref()
        .and_then(|session| told.get(session))
        .copied()
        .unwrap_or_default()
}
