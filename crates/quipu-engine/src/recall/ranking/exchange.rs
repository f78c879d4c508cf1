//! Which turn of an exchange carries what is asked for. The turns around it lend a turn their words, so
//! several of them score alike; who asks and who answers tells them apart.

use std::collections::HashMap;

use quipu_core::rank;
use quipu_store::Hit;

use super::standing;
use crate::recall::Answer;
use crate::recall::judge::Turn;

/// So many are ordered by this: the turns of an exchange seldom stand further apart.
pub(super) const POOL: usize = 40;

/// The words of the question that a turn has itself.
const OWN: f32 = 0.2;

/// What it says of the question in other words: no other part sees how near single words are.
const OTHER_WORDS: f32 = 0.7;

/// How much nearer the sentences of a long turn are that have the words: the whole says many other things.
const NEARER: f32 = 0.3;

/// It ends with a question.
const ASKS: f32 = 0.2;

/// It answers a question that has the words.
const ANSWERS: f32 = 0.4;

/// Somebody else said it than the one who is named.
const OTHER_SPEAKER: f32 = 0.3;

/// Who asks about themselves is named by no name.
const ASKER: &str = "user";

/// Returns which item stands before each in its session.
pub(super) fn before(hits: &[Hit]) -> HashMap<String, String> {
    let before = |hit: &Hit| Some((hit.item.id.clone(), hit.neighbours[0].clone()?));
    hits.iter().take(POOL).filter_map(before).collect()
}

/// Returns what each turn is worth beyond its score, by what each says by itself; nothing for what is no turn.
pub(super) fn worth(
    pool: &[Answer],
    before: &HashMap<String, String>,
    turns: &[Turn],
) -> HashMap<String, f32> {
    let by_id: HashMap<&str, &Answer> =
        pool.iter().map(|answer| (answer.id.as_str(), answer)).collect();
    let is_asked = |answer: &&Answer| answer.why.channels.speaker > 0.0;
    let asked = pool.iter().find(is_asked).and_then(|answer| answer.source.speaker.as_deref());
    let names_somebody = asked.is_some_and(|speaker| speaker != ASKER);
    let worth = |(answer, turn): (&Answer, &Turn)| {
        answer.source.speaker.as_ref()?;
        let mut worth = OWN * answer.why.coverage + OTHER_WORDS * turn.in_other_words;
        if asks(answer) {
            worth -= ASKS;
        }
        if let Some(question) = before.get(&answer.id).and_then(|id| by_id.get(id.as_str()))
            && question.text.contains('?')
        {
            worth += ANSWERS * question.why.coverage;
        }
        if names_somebody && answer.why.channels.speaker == 0.0 {
            worth -= OTHER_SPEAKER;
        }
        let words = answer.text.split_whitespace().count();
        // A long one stands for itself.
        let share = rank::borrows(u32::try_from(words).unwrap_or(u32::MAX));
        Some((answer.id.clone(), worth * share + NEARER * turn.nearer + standing::worth(answer)))
    };
    pool.iter().zip(turns).filter_map(worth).collect()
}

fn asks(answer: &Answer) -> bool {
    answer.text.trim_end().ends_with('?')
}
