//! Words that a person changed in the window with an editor.

use std::collections::BTreeMap;

use quipu_core::item::{Decision, Event, Item, Kind};
use quipu_core::journal::{PRIMARY, window};

use crate::error::Error;

/// Returns what the window's records say now, by id, where a person changed their words.
///
/// Words that a memory had at any time are no change: a window that an older version wrote shows the first
/// ones. `base_of` knows the first words of a memory, and `events_of` what happened to it.
pub(crate) fn edits_by_hand(
    window: &str,
    base_of: &dyn Fn(&str) -> Result<Option<Item>, Error>,
    events_of: &dyn Fn(&str) -> Result<Vec<Event>, Error>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut edits = BTreeMap::new();
    for entry in window::entries(window) {
        let (id, words) = (entry.record.id.as_str(), entry.record.text.trim());
        // A memory that is nowhere but in the window has no other words.
        let is_at_home = |item: &Item| item.place.as_ref().is_some_and(|at| at.path != PRIMARY);
        let Some(base) = base_of(id)?.filter(is_at_home) else { continue };
        if base.kind != Kind::Record || base.text.trim() == words || words.is_empty() {
            continue;
        }
        let was_so = events_of(id)?.iter().any(|event| {
            matches!(&event.decision, Some(Decision::Edit { text }) if text.trim() == words)
        });
        if !was_so {
            edits.insert(id.to_owned(), words.to_owned());
        }
    }
    Ok(edits)
}
