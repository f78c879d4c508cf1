//! What an item replaced, and what that had replaced.

use std::collections::BTreeSet;

use quipu_core::item::Item;
use quipu_store::{Filter, Store};

use crate::error::Error;

/// So many of those that an item replaced are named.
pub const LONGEST_CHAIN: usize = 64;

/// Returns what an item replaced and the caller may see, back as far as it is named.
pub(super) fn visible(
    store: &dyn Store,
    item: &Item,
    filter: &Filter,
) -> Result<Vec<String>, Error> {
    all(store, item, |older| filter.sensitivities.contains(&older.sensitivity))
}

/// Returns what an item replaced, the nearest first: items name only the nearest of them.
pub(crate) fn all(
    store: &dyn Store,
    item: &Item,
    may_see: impl Fn(&Item) -> bool,
) -> Result<Vec<String>, Error> {
    let mut chain: Vec<String> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::from([item.id.clone()]);
    let mut next: Vec<String> = item.supersedes.iter().rev().cloned().collect();
    while let Some(id) = next.pop().filter(|_| chain.len() < LONGEST_CHAIN) {
        if !seen.insert(id.clone()) {
            continue;
        }
        match store.get(&id)? {
            Some(older) if !may_see(&older) => {}
            Some(older) => {
                next.extend(older.supersedes.into_iter().rev());
                chain.push(id);
            }
            // A fact may name one that was never written down.
            None => chain.push(id),
        }
    }
    Ok(chain)
}
