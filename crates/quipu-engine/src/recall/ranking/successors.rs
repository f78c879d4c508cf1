//! What was replaced comes below what replaced it.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::item::{Item, Status};
use quipu_store::{Filter, Hit};

use crate::error::Error;
use crate::recall::known::Known;
use crate::recall::{Answer, Telling, answer, chain};

/// Puts what was replaced below what replaced it, which is fetched where it did not match itself.
pub(super) fn successors_first(
    known: &mut Known<'_>,
    results: &mut Vec<Answer>,
    filter: &Filter,
) -> Result<(), Error> {
    let mut fetched = fetched(known, results, filter)?;
    // Those that replaced each other in a circle are put in front of something once.
    let mut moved: BTreeSet<String> = BTreeSet::new();
    let mut at = 0;
    while at < results.len() {
        let place = |id: &str| results.iter().position(|answer| answer.id == id);
        let successor = results[at].superseded_by.clone();
        let successor = successor.filter(|_| results[at].status == Status::Superseded);
        match successor.as_deref().map(|id| (id, place(id))) {
            Some((id, Some(newer))) if newer > at && moved.insert(id.to_owned()) => {
                let newer = results.remove(newer);
                results.insert(at, newer);
            }
            Some((id, None)) => match fetched.remove(id) {
                Some((item, chain)) => {
                    let as_good = Hit::fetched(item, results[at].score);
                    results.insert(at, answer(as_good, chain, Telling::default()));
                }
                None => at += 1,
            },
            _ => at += 1,
        }
    }
    Ok(())
}

/// Reads what replaced answers, what replaced that, and so on, as far as the asker may see it and it is no
/// answer already; each with what it replaced.
fn fetched(
    known: &mut Known<'_>,
    results: &[Answer],
    filter: &Filter,
) -> Result<BTreeMap<String, (Item, Vec<String>)>, Error> {
    let replaced = results.iter().filter(|answer| answer.status == Status::Superseded);
    let first: Vec<&str> = replaced.filter_map(|answer| answer.superseded_by.as_deref()).collect();
    let items: Vec<Item> = known.work_out(|known, lacking| {
        let mut found: Vec<Item> = Vec::new();
        let mut seen: BTreeSet<&str> = results.iter().map(|answer| answer.id.as_str()).collect();
        let mut next = first.clone();
        while let Some(id) = next.pop() {
            if !seen.insert(id) {
                continue;
            }
            if !known.has_read(id) {
                lacking.insert(id.to_owned());
            }
            let may_see = |item: &&Item| filter.sensitivities.contains(&item.sensitivity);
            let Some(item) = known.get(id).filter(may_see) else { continue };
            if item.status == Status::Superseded {
                next.extend(item.superseded_by.as_deref());
            }
            found.push(item.clone());
        }
        found
    })?;
    let chains = chain::visible(known, &items.iter().collect::<Vec<_>>(), filter)?;
    Ok(items.into_iter().zip(chains).map(|one| (one.0.id.clone(), one)).collect())
}
