//! What a newer memory has overtaken: it is doubted, and somebody is asked. Nothing is replaced by that: a
//! doubted memory comes back with an answer, with a confirmation, or when the newer one turns out wrong.

use quipu_core::contradict::Telling;
use quipu_core::contradict::outdated::{self, Told};
use quipu_core::item::{Decision, Item, Kind, Layer, OVERTAKEN_BY, Sensitivity, Source, Status};
use quipu_core::question::{self, Question, QuestionKind};
use quipu_core::secret::{self, Scope};

use super::night::{Night, Progress};
use super::plan::Step;
use crate::error::Error;
use crate::index;

/// Plans doubts about what was overtaken, and the way back where that was wrong.
pub(super) fn plan(night: &mut Night<'_>, progress: Progress<'_>) -> Result<(), Error> {
    if !progress("merge", 0, 1) {
        return Ok(());
    }
    let mut told: Vec<(usize, Told)> = Vec::new();
    let now = night.now;
    index::store(night.workspace)?.each(&mut |item| {
        if let Some(at) = night.place(&item.id).filter(|_| takes_part(&item))
            && let Some(telling) = Telling::of(&item.text)
        {
            let holds = night.holds(at) && item.valid_to.is_none_or(|end| end > now);
            let imported = item.source == Source::Ingest;
            let lasts = item.lasts();
            told.push((at, Told { telling, time: item.time, lasts, holds, imported }));
        }
        true
    })?;
    told.sort_by(|(a, one), (b, other)| {
        (one.time, &night.items[*a].id).cmp(&(other.time, &night.items[*b].id))
    });
    let (places, told): (Vec<usize>, Vec<Told>) = told.into_iter().unzip();
    for (older, newer) in outdated::outdated(told) {
        doubt(night, places[older], places[newer])?;
    }
    bring_back(night)
}

fn takes_part(item: &Item) -> bool {
    matches!(item.kind, Kind::Record | Kind::Fact)
        && item.sensitivity != Sensitivity::Secret
        && item.source != Source::Dream
        && !matches!(item.layer, Layer::Codebase | Layer::Working)
        && !item.negative
}

/// Challenges a memory that another has overtaken, and asks which of them holds.
fn doubt(night: &mut Night<'_>, older_at: usize, newer_at: usize) -> Result<(), Error> {
    let (older, newer) = (night.read(older_at)?, night.read(newer_at)?);
    let may_be_told = |item: &Item| secret::scan(&item.text, Scope::Credentials).is_empty();
    let both_are_facts = older.kind == Kind::Fact && newer.kind == Kind::Fact;
    // Two facts are a matter of the review.
    if both_are_facts || !may_be_told(&older) || !may_be_told(&newer) {
        return Ok(());
    }
    let why = format!("{} says otherwise since {}", newer.id, newer.time.strftime("%Y-%m-%d"));
    let subjects = vec![older.id.clone(), newer.id.clone()];
    let question = Question::new(QuestionKind::Contradiction, subjects, why.clone());
    if night.was_answered(&question) || was_doubted_before(night, &older, &why)? {
        return Ok(());
    }
    // A status is seen by everyone who sees the memory, who may not be allowed to see why it changed.
    let tells_too_much = !older.sensitivity.seen_beside().contains(&newer.sensitivity);
    if tells_too_much || !night.may_change(older_at) {
        night.act_by_asking(Step::Merge, question);
        return Ok(());
    }
    let decision = Decision::Status { from: Status::Active, to: Status::Challenged };
    let link =
        Decision::Link { to: newer.id.clone(), relation: OVERTAKEN_BY.to_owned(), remove: false };
    let mut records =
        vec![night.decide(&older.id, decision, &why), night.decide(&older.id, link, &why)];
    records.extend(night.ask_about_a_doubt(question));
    night.gone.insert(older_at);
    let does = format!("challenges {}: {}", Night::told(&older), Night::told(&newer));
    night.act(Step::Merge, (does, why), &[older, newer], records);
    Ok(())
}

/// Tells whether a dream doubted it for the same reason: who brought it back has had the last word.
fn was_doubted_before(night: &Night<'_>, item: &Item, why: &str) -> Result<bool, Error> {
    let events = index::store(night.workspace)?.events(&item.id)?;
    let standing = quipu_core::journal::standing(&events);
    Ok(standing.iter().any(|event| {
        matches!(event.decision, Some(Decision::Status { to: Status::Challenged, .. }))
            && event.actor == "dream"
            && event.reason == why
    }))
}

/// Plans the way back for what was doubted, where what said otherwise turned out to be wrong.
fn bring_back(night: &mut Night<'_>) -> Result<(), Error> {
    let events = index::store(night.workspace)?.filed_under(question::FILED)?;
    for asked in question::queue(&events) {
        let [older, newer] = &asked.question.subjects[..] else { continue };
        if asked.answer.is_some() || asked.question.kind != QuestionKind::Contradiction {
            continue;
        }
        let places = (night.place(older), night.place(newer));
        let is_doubted = |at: &usize| {
            let item = &night.items[*at];
            item.status == Status::Challenged && !item.pinned && !night.gone.contains(at)
        };
        let Some(at) = places.0.filter(is_doubted) else { continue };
        let is_wrong = places.1.is_none_or(|at| night.items[at].status == Status::Invalidated);
        let item = night.read(at)?;
        if !is_wrong || !night.was_last_judged_by_a_dream(&item)? {
            continue;
        }
        let why = format!("{newer} does not hold");
        let back = Decision::Status { from: Status::Challenged, to: Status::Active };
        let records = vec![night.decide(&item.id, back, &why)];
        night.gone.insert(at);
        let does = format!("brings back {}", Night::told(&item));
        night.act(Step::Merge, (does, why), &[item], records);
    }
    Ok(())
}
