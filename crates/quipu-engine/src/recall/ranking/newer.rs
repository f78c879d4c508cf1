//! The current value of something that changed comes before what it was. Nobody decides by that which one
//! holds: both are there. Two things of the same sort are not one thing that changed.

use jiff::Timestamp;
use quipu_core::contradict;
use quipu_core::item::{Kind, Layer};
use quipu_core::prose;
use quipu_core::question::{self, Question as Doubt, QuestionKind};
use quipu_core::rank::newer::{self, Candidate};
use quipu_store::Store;

use crate::error::Error;
use crate::recall::Answer;
use crate::recall::judge::{Judge, Judged, PAGE};

/// So many places at the top are worth it.
const TOP: usize = 3;

/// The newer must answer the question nearly as well.
const NEARLY: f32 = 0.6;

/// Where one of them is but a note, it must answer this well, and with the same words.
const AS_A_NOTE: f32 = 0.75;

/// Two that say the same sort of thing of two times are so much alike. A turn of a conversation must score as
/// well to be an update at all: people tell of many things in the words of news.
const ALIKE: f32 = 0.75;
const ALIKE_IN_SCORE: f32 = 0.9;

/// Longer ones say more than one thing.
const LONGEST: usize = 400;

/// Lets what something has become come before what it was.
pub(super) fn newer_first(
    store: &dyn Store,
    judge: &Judge,
    judged: &mut [Judged],
    results: &mut [Answer],
) -> Result<(), Error> {
    let page = results.len().min(judged.len()).min(PAGE);
    for at in 0..page.min(TOP) {
        let mut newest: Option<usize> = None;
        for other in at + 1..page {
            let is_newer = newest.is_none_or(|newest| results[other].time > results[newest].time);
            if is_newer
                && replaces(judge, (&results[at], &judged[at]), (&results[other], &judged[other]))
                && !are_both_to_stand(store, &results[at], &results[other])?
            {
                newest = Some(other);
            }
        }
        if let Some(newest) = newest {
            let older = results[at].id.clone();
            results[at..=newest].rotate_right(1);
            judged[at..=newest].rotate_right(1);
            results[at].why.ahead_of.push(older);
        }
    }
    Ok(())
}

/// Tells whether `newer` says what has become of what `older` answers.
fn replaces(judge: &Judge, older: (&Answer, &Judged), newer: (&Answer, &Judged)) -> bool {
    let ((old, old_said), (new, new_said)) = (older, newer);
    let is_dated = old.time != Timestamp::UNIX_EPOCH;
    if !is_dated
        || new.time <= old.time
        || ![old, new].into_iter().all(says_one_thing)
        || newer::is_another(&judge.asked, old_said.said(), new_said.said())
    {
        return false;
    }
    contradicts(judge, old, new)
        || is_latest(judge, old, new)
        || (judge.orders()
            && (new.source.speaker.is_none() || new.score >= ALIKE_IN_SCORE * old.score)
            && newer::is_update(
                &judge.asked,
                candidate(old, old_said),
                candidate(new, new_said),
                judge.likeness(old, new),
            ))
}

fn candidate<'a>(answer: &Answer, judged: &'a Judged) -> Candidate<'a> {
    let lacks_wanted = answer.why.evidence.lacks_wanted();
    Candidate { said: judged.said(), weight: judged.weight, lacks_wanted }
}

/// Tells whether the question is about what holds now, and both say the same sort of thing of two times.
fn is_latest(judge: &Judge, older: &Answer, newer: &Answer) -> bool {
    judge.asks_current
        && newer.score >= ALIKE_IN_SCORE * older.score
        && judge.likeness(older, newer) >= ALIKE
}

/// Tells whether both cannot hold, and answer the question about as well.
fn contradicts(judge: &Judge, older: &Answer, newer: &Answer) -> bool {
    let answers_as_well = match (is_knowledge(older), is_knowledge(newer)) {
        (true, true) => newer.score >= NEARLY * older.score,
        // What happened twice happened twice.
        (false, false) => false,
        _ => {
            newer.score >= AS_A_NOTE * older.score
                && older.why.words.iter().all(|word| newer.why.words.contains(word))
        }
    };
    answers_as_well
        && [older, newer].into_iter().all(|answer| answer.kind == Kind::Record)
        && names_asked(judge, older).all(|name| newer.why.words.contains(name))
        && contradict::conflict(&older.text, &newer.text).is_some()
}

fn says_one_thing(answer: &Answer) -> bool {
    matches!(answer.kind, Kind::Record | Kind::Fact | Kind::Thread) && answer.text.len() <= LONGEST
}

fn is_knowledge(answer: &Answer) -> bool {
    matches!(answer.layer, Layer::Semantic | Layer::Procedural)
}

/// Returns the names in the question that an answer has: another name is another subject.
fn names_asked<'a>(judge: &'a Judge, answer: &'a Answer) -> impl Iterator<Item = &'a String> {
    answer.why.words.iter().filter(|word| {
        judge.asked.words.iter().any(|one| {
            one.is_capitalised()
                && prose::words(&one.raw, "").any(|raw| raw.to_lowercase() == word.to_lowercase())
        })
    })
}

/// Tells whether somebody was asked which of two memories holds, and answered that both do.
fn are_both_to_stand(store: &dyn Store, older: &Answer, newer: &Answer) -> Result<bool, Error> {
    for pair in [[older, newer], [newer, older]] {
        let subjects = pair.map(|answer| answer.id.clone()).to_vec();
        let doubt = Doubt::new(QuestionKind::Contradiction, subjects, "");
        let events = store.filed_under(&doubt.filed_under())?;
        let asked = question::queue(&events);
        let answers = asked.iter().filter_map(|one| one.answer.as_ref());
        if answers.into_iter().any(|answer| answer.choice == "both") {
            return Ok(true);
        }
    }
    Ok(false)
}
