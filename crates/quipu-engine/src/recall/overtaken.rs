//! What a newer memory has overtaken is still an answer, with what overtook it before it: nobody has
//! decided yet, and both are to be seen. What is doubted for another reason is no answer.

use quipu_core::item::{Item, OVERTAKEN_BY, Status};
use quipu_store::{Filter, Hit, Store};

use super::Question;
use crate::error::Error;

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
    store: &dyn Store,
    hits: Vec<Hit>,
    filter: &Filter,
) -> Result<(Vec<Hit>, bool), Error> {
    if hits.iter().all(|hit| hit.item.status != Status::Challenged) {
        return Ok((hits, false));
    }
    let mut ordered: Vec<Hit> = Vec::with_capacity(hits.len());
    let mut took_out = false;
    for hit in &hits {
        if ordered.iter().any(|other| other.item.id == hit.item.id) {
            continue;
        }
        if hit.item.status == Status::Challenged {
            let newer = newest(store, &hit.item)?;
            let may_be_seen = |item: &Item| filter.sensitivities.contains(&item.sensitivity);
            let Some(newer) = newer.filter(may_be_seen) else {
                took_out = true;
                continue;
            };
            // What was so at a time was so whatever came later.
            if filter.as_of.is_none() && !ordered.iter().any(|other| other.item.id == newer.id) {
                let found = hits.iter().find(|other| other.item.id == newer.id).cloned();
                ordered.push(found.unwrap_or_else(|| Hit::fetched(newer, hit.score)));
            }
        }
        ordered.push(hit.clone());
    }
    Ok((ordered, took_out))
}

/// Returns what holds in place of a doubted memory, where another has overtaken it.
fn newest(store: &dyn Store, doubted: &Item) -> Result<Option<Item>, Error> {
    let mut item = doubted.clone();
    for _ in 0..LONGEST_CHAIN {
        let overtaken = item.links.iter().rfind(|link| link.relation == OVERTAKEN_BY);
        let next = match item.status {
            Status::Active => return Ok(Some(item)),
            Status::Challenged => overtaken.map(|link| link.to.clone()),
            Status::Superseded => item.superseded_by.clone(),
            Status::Merged => item.merged_into.clone(),
            _ => None,
        };
        let Some(next) = next else { return Ok(None) };
        match store.get(&next)? {
            Some(next) => item = next,
            None => return Ok(None),
        }
    }
    Ok(None)
}
