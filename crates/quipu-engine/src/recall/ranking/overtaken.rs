//! What a newer memory has overtaken is still an answer, with what overtook it before it: nobody has
//! decided yet, and both are to be seen. What is doubted for another reason is no answer.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::item::{Item, OVERTAKEN_BY, Status};
use quipu_store::{Filter, Hit};

use crate::error::Error;
use crate::recall::Question;
use crate::recall::known::Known;

/// What overtook something may be overtaken itself, so often.
const LONGEST_CHAIN: usize = 16;

/// Lets what is doubted be found; tells whether nobody asked for it.
pub(super) fn look_at_doubted(question: &Question, filter: &mut Filter) -> bool {
    let is_wanted = question.include.contains(&Status::Challenged);
    if !is_wanted {
        filter.statuses.push(Status::Challenged);
    }
    !is_wanted
}

/// Puts what overtook something before it, and takes out what is doubted for another reason; tells whether
/// it took out any.
pub(super) fn newer_before(
    known: &mut Known<'_>,
    hits: Vec<Hit>,
    filter: &Filter,
) -> Result<(Vec<Hit>, bool), Error> {
    if hits.iter().all(|hit| hit.item.status != Status::Challenged) {
        return Ok((hits, false));
    }
    let mut newest: BTreeMap<&str, Item> = known.work_out(|known, lacking| {
        let doubted = hits.iter().map(|hit| &hit.item);
        let doubted = doubted.filter(|item| item.status == Status::Challenged);
        doubted.filter_map(|item| Some((&*item.id, newest(item, known, lacking)?))).collect()
    })?;
    let mut ordered: Vec<Hit> = Vec::with_capacity(hits.len());
    let mut took_out = false;
    for hit in &hits {
        if ordered.iter().any(|other| other.item.id == hit.item.id) {
            continue;
        }
        if hit.item.status == Status::Challenged {
            let newer = newest.remove(&*hit.item.id);
            let may_be_seen = |item: &Item| filter.sensitivities.contains(&item.sensitivity);
            let Some(newer) = newer.filter(may_be_seen) else {
                took_out = true;
                continue;
            };
            let found = hits.iter().find(|other| other.item.id == newer.id).cloned();
            // What was so at a time was so whatever came later.
            let is_asked_for = found.is_some() || is_asked_for(&newer, filter);
            let is_there = ordered.iter().any(|other| other.item.id == newer.id);
            if filter.as_of.is_none() && is_asked_for && !is_there {
                ordered.push(found.unwrap_or_else(|| Hit::fetched(newer, hit.score)));
            }
        }
        ordered.push(hit.clone());
    }
    Ok((ordered, took_out))
}

/// Tells whether a question asks for such a memory at all. Labels are the store's to judge.
fn is_asked_for(item: &Item, filter: &Filter) -> bool {
    (filter.kinds.is_empty() || filter.kinds.contains(&item.kind))
        && (filter.layers.is_empty() || filter.layers.contains(&item.layer))
        && (filter.types.is_empty() || filter.types.contains(&item.memory_type))
        && filter.since.is_none_or(|since| item.time >= since)
        && filter.until.is_none_or(|until| item.time < until)
        && filter.labels.is_empty()
        && !filter.experiences
}

/// Returns what holds in place of a doubted memory, where another has overtaken it and that is known.
fn newest(doubted: &Item, known: &Known<'_>, lacking: &mut BTreeSet<String>) -> Option<Item> {
    let mut item = doubted;
    for _ in 0..LONGEST_CHAIN {
        let overtaken = item.links.iter().rfind(|link| link.relation == OVERTAKEN_BY);
        let next = match item.status {
            Status::Active => return Some(item.clone()),
            Status::Challenged => overtaken.map(|link| &link.to),
            Status::Superseded => item.superseded_by.as_ref(),
            Status::Merged => item.merged_into.as_ref(),
            _ => None,
        }?;
        if !known.has_read(next) {
            lacking.insert(next.clone());
        }
        item = known.get(next)?;
    }
    None
}
