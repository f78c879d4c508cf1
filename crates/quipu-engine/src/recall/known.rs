//! Items that the answers lead to, read as many at a time as are needed.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::item::Item;
use quipu_store::Store;

use crate::error::Error;

/// Items that were read.
pub(super) struct Known<'s> {
    store: &'s dyn Store,
    /// By id; none for an id that nothing has.
    items: BTreeMap<String, Option<Item>>,
}

impl<'s> Known<'s> {
    pub(super) fn new(store: &'s dyn Store) -> Self {
        Self { store, items: BTreeMap::new() }
    }

    /// Tells whether somebody has looked for an item.
    pub(super) fn has_read(&self, id: &str) -> bool {
        self.items.contains_key(id)
    }

    /// Returns an item that was read, where it is there.
    pub(super) fn get(&self, id: &str) -> Option<&Item> {
        self.items.get(id)?.as_ref()
    }

    /// Works something out from items. `work` names those that it lacks; they are read all at once, and
    /// it is done again until it lacks nothing.
    pub(super) fn work_out<T>(
        &mut self,
        work: impl Fn(&Self, &mut BTreeSet<String>) -> T,
    ) -> Result<T, Error> {
        loop {
            let mut lacking = BTreeSet::new();
            let done = work(self, &mut lacking);
            lacking.retain(|id| !self.has_read(id));
            if lacking.is_empty() {
                return Ok(done);
            }
            let ids: Vec<&str> = lacking.iter().map(String::as_str).collect();
            let items = self.store.items(&ids)?;
            self.items.extend(lacking.into_iter().zip(items));
        }
    }
}
