//! What a question may find, and what an answer may say to who asked it.

use jiff::Timestamp;
use quipu_core::entity::Aliases;
use quipu_core::item::{Kind, Mode, Sensitivity, Status};
use quipu_store::{Filter, Store, label};

use super::{Answer, Channel, Question};
use crate::error::Error;

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

/// Takes out of an answer what tells about items that the asker may not see.
pub(super) fn leave_out_hidden(
    store: &dyn Store,
    answer: &mut Answer,
    filter: &Filter,
) -> Result<(), Error> {
    if let Some(id) = &answer.superseded_by {
        let newer = store.get(id)?;
        if !newer.is_some_and(|newer| filter.sensitivities.contains(&newer.sensitivity)) {
            answer.superseded_by = None;
        }
    }
    // A line number counts the records before it.
    answer.source.line = None;
    Ok(())
}
