//! Looking up one item, and noting that it was used.

use jiff::Timestamp;
use quipu_core::item::Item;

use super::is_made;
use super::store;
use crate::error::Error;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// Returns the item that `id` names: exactly, or by a beginning that only it has.
///
/// # Errors
/// When there is none, or several.
pub fn resolve(workspace: &Workspace, id: &str) -> Result<Item, Error> {
    let store = store(workspace)?;
    if let Some(item) = store.get(id)? {
        return Ok(item);
    }
    let mut ids = if id.is_empty() { Vec::new() } else { store.ids(id, 4)? };
    match ids.len() {
        1 => {
            let id = ids.remove(0);
            store.get(&id)?.ok_or_else(|| Refusal::Unknown { id }.into())
        }
        0 => Err(Refusal::Unknown { id: id.to_owned() }.into()),
        _ => Err(Refusal::Ambiguous { id: id.to_owned(), ids }.into()),
    }
}

/// Notes that an item was used, where there is an index. Only it knows, so a failure costs a
/// count and nothing else.
pub fn note_access(workspace: &Workspace, id: &str, now: Timestamp) {
    if is_made(workspace)
        && let Ok(mut store) = store(workspace)
        && let Ok(Some(item)) = store.get(id)
    {
        let _ = store.record_access(&item.id, now, 1);
    }
}
