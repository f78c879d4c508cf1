//! What a question may find, and what an answer may say to who asked it.

use jiff::Timestamp;
use quipu_core::entity::Aliases;
use quipu_core::item::{Kind, Mode, Sensitivity, Status};
use quipu_store::{Filter, Store, label};

use super::known::Known;
use super::{Answer, Channel, Question};
use crate::error::Error;
use crate::index::Indexed;

/// Returns what may be an answer.
pub(super) fn filter(
    question: &Question,
    aliases: &Aliases,
    now: Timestamp,
    records: bool,
) -> Filter {
    let mut kinds = question.kinds.clone();
    if !records {
        if kinds.is_empty() {
            kinds.extend(Kind::ALL);
        }
        kinds.retain(|kind| *kind != Kind::Record);
    }
    let mut statuses = vec![Status::Active];
    statuses.extend(&question.include);
    let mut sensitivities = question.channel.may_see().to_vec();
    if question.allow_secret && question.channel == Channel::Main {
        sensitivities.push(Sensitivity::Secret);
    }
    let mut labels = Vec::new();
    // No kind at all would mean every kind; no item has one of no labels.
    if !records && kinds.is_empty() {
        labels.push(Vec::new());
    }
    labels.extend(question.session.as_deref().map(|name| vec![label::session(name)]));
    labels.extend(question.category.as_deref().map(|name| vec![label::category(name)]));
    labels.extend(question.tags.iter().map(|tag| vec![label::tag(tag)]));
    labels.extend(question.entity.as_deref().map(|name| {
        let names = aliases.group(name);
        names.iter().map(|name| label::entity(name)).collect()
    }));
    Filter {
        mode: question.mode.unwrap_or(Mode::FullContext),
        kinds,
        layers: question.layers.clone(),
        types: question.types.clone(),
        statuses,
        sensitivities,
        since: question.since,
        until: question.until,
        as_of: question.as_of,
        now: Some(now),
        experiences: question.experiences,
        labels,
    }
}

/// Returns which names mean the same: the user's own knowledge.
pub(super) fn aliases(store: &dyn Store, channel: Channel) -> Result<Aliases, Error> {
    match channel {
        Channel::Other => Ok(Aliases::default()),
        Channel::Main | Channel::Heartbeat => Ok(store.aliases()?),
    }
}

/// Returns what is missing in the index. Which files there are, and whether somebody writes, is not for the
/// channel `other` to know.
pub(super) fn notes(indexed: &Indexed, channel: Channel) -> Vec<String> {
    if channel == Channel::Other {
        return Vec::new();
    }
    let skipped = indexed.skipped.iter().map(|(path, why)| format!("{path} is not indexed: {why}"));
    let left_out = indexed.left_out.map(|left_out| format!("left out: {}", left_out.words()));
    let mut notes: Vec<String> = skipped.chain(indexed.without_vector.clone()).collect();
    notes.extend(left_out.into_iter().chain(indexed.notices.iter().cloned()));
    if indexed.busy {
        notes.push("another process is writing: its changes may be missing".to_owned());
    }
    notes
}

/// Takes out of answers what tells about items that the asker may not see.
pub(super) fn leave_out_hidden(
    known: &mut Known<'_>,
    answers: &mut [Answer],
    filter: &Filter,
) -> Result<(), Error> {
    let newer = answers.iter().filter_map(|answer| answer.superseded_by.clone());
    let newer: Vec<String> = newer.collect();
    known.work_out(|_, lacking| lacking.extend(newer.iter().cloned()))?;
    let may_see = |id: &String| {
        known.get(id).is_some_and(|newer| filter.sensitivities.contains(&newer.sensitivity))
    };
    for answer in answers {
        answer.superseded_by = answer.superseded_by.take().filter(may_see);
        // A line number counts the records before it.
        answer.source.line = None;
    }
    Ok(())
}
