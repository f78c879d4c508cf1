//! What an item replaced, and what that had replaced.

use std::collections::BTreeSet;

use quipu_core::item::Item;
use quipu_store::{Filter, Store};

use super::known::Known;
use crate::error::Error;

/// So many of those that an item replaced are named.
pub const LONGEST_CHAIN: usize = 64;

/// Returns for each item what it replaced and the caller may see, back as far as it is named.
pub(super) fn visible(
    known: &mut Known<'_>,
    items: &[&Item],
    filter: &Filter,
) -> Result<Vec<Vec<String>>, Error> {
    let may_see = |older: &Item| filter.sensitivities.contains(&older.sensitivity);
    known.work_out(|known, lacking| {
        items.iter().map(|item| chain(item, known, &may_see, lacking)).collect()
    })
}

/// Returns what an item replaced, the nearest first.
pub(crate) fn all(store: &dyn Store, item: &Item) -> Result<Vec<String>, Error> {
    Known::new(store).work_out(|known, lacking| chain(item, known, &|_| true, lacking))
}

/// Returns what an item replaced, as far as that is known: items name only the nearest of them.
fn chain(
    item: &Item,
    known: &Known<'_>,
    may_see: &impl Fn(&Item) -> bool,
    lacking: &mut BTreeSet<String>,
) -> Vec<String> {
    let mut chain: Vec<String> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::from([item.id.as_str()]);
    let mut next: Vec<&str> = item.supersedes.iter().rev().map(String::as_str).collect();
    while let Some(id) = next.pop().filter(|_| chain.len() < LONGEST_CHAIN) {
        if !seen.insert(id) {
            continue;
        }
        if !known.has_read(id) {
            // Those that come after it are named too, as far as there is room.
            let more = next.iter().rev().take(LONGEST_CHAIN - chain.len());
            lacking.extend(more.chain([&id]).map(|id| (*id).to_owned()));
            break;
        }
        match known.get(id) {
            Some(older) if !may_see(older) => {}
            Some(older) => {
                next.extend(older.supersedes.iter().rev().map(String::as_str));
                chain.push(id.to_owned());
            }
            // A fact may name one that was never written down.
            None => chain.push(id.to_owned()),
        }
    }
    chain
}
