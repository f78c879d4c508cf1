//! Looking up one item, and noting that it was used.

use jiff::Timestamp;
use quipu_core::item::Item;
use quipu_core::naming;
use quipu_store::Store;

use super::is_made;
use super::store;
use crate::error::Error;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// So many ids are compared with one that nothing has.
const MOST_COMPARED: usize = 200;

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
            store.get(&id)?.ok_or_else(|| Refusal::unknown(id).into())
        }
        0 => {
            let alike = alike(&*store, id)?;
            Err(Refusal::Unknown { id: id.to_owned(), alike }.into())
        }
        _ => Err(Refusal::Ambiguous { id: id.to_owned(), ids }.into()),
    }
}

/// Returns ids that begin as this one does and differ in a letter or two.
fn alike(store: &dyn Store, id: &str) -> Result<Vec<String>, Error> {
    let Some((end, _)) = id.char_indices().nth(2) else { return Ok(Vec::new()) };
    let near = store.ids(&id[..end], MOST_COMPARED)?;
    Ok(naming::alike(id, &near.iter().map(String::as_str).collect()))
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

/// The shortest beginning of an id that is shown for it.
const SHORTEST_NAME: usize = 4;

/// Returns the shortest beginning of an id that only this memory has, among all that belong to the project. Nothing
/// where there is no such memory.
pub fn short_name(workspace: &Workspace, id: &str) -> Option<String> {
    let scopes: Vec<&Workspace> = workspace.all_scopes().collect();
    let is_known = |one: &&Workspace| {
        is_made(one) && store(one).is_ok_and(|store| matches!(store.get(id), Ok(Some(_))))
    };
    if !scopes.iter().any(is_known) {
        return None;
    }
    let is_only = |name: &str| {
        let count = |one: &&Workspace| store(one).ok()?.ids(name, 2).ok().map(|ids| ids.len());
        scopes.iter().map(count).sum::<Option<usize>>() == Some(1)
    };
    let names = (SHORTEST_NAME..id.len()).filter_map(|end| id.get(..end));
    names.into_iter().find(|name| is_only(name)).map(str::to_owned)
}
