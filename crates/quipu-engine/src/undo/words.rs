//! What a change did, in words.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::fact;
use quipu_core::item::{Decision, Sensitivity};
use quipu_core::journal;
use quipu_core::prose::shortened;

use super::{Change, Logged};
use crate::index;
use crate::state;
use crate::workspace::Workspace;

/// A change is described in at most this many lines.
const MOST_LINES: usize = 5;

/// A memory is quoted with at most this many characters.
const LONGEST_QUOTE: usize = 60;

/// Describes a change.
pub(super) fn summary(workspace: &Workspace, change: &Logged, is_undone: bool) -> Change {
    let last = change.last();
    let (mut what, mut paths) = (Vec::new(), BTreeSet::new());
    if let Some(other) = change.takes_back() {
        what.push(format!("took back {other}"));
    } else {
        what.extend(said(workspace, change));
        what.extend(imported(workspace, change));
        what.extend(facts(workspace, change));
    }
    for line in &change.lines {
        paths.extend(line.edits.iter().map(|edit| edit.path.clone()));
        let manifest = line.entry.as_ref().map(|entry| workspace.transactions().manifest(entry));
        paths.extend(manifest.and_then(Result::ok).into_iter().flat_map(|one| one.paths));
    }
    paths.retain(|path| !path.starts_with(state::PREFIX));
    if what.len() > MOST_LINES {
        let more = what.len() - (MOST_LINES - 1);
        what.truncate(MOST_LINES - 1);
        what.push(format!("and {more} more"));
    }
    Change {
        id: change.id.clone(),
        at: last.at.clone(),
        operation: last.operation.clone(),
        by: Some(last.by.clone()).filter(|by| !by.is_empty()),
        what,
        paths: paths.into_iter().collect(),
        takes_back: change.takes_back().map(str::to_owned),
        is_undone,
        scope: None,
    }
}

/// Returns what was remembered and decided.
fn said(workspace: &Workspace, change: &Logged) -> Vec<String> {
    let Ok(store) = index::store(workspace) else { return Vec::new() };
    let quoted = |id: &str| {
        let base = store.get(id).ok().flatten().or_else(|| store.base(id).ok().flatten());
        match base {
            Some(item) if item.sensitivity == Sensitivity::Secret => format!("the secret {id}"),
            Some(item) => format!("“{}”", shortened(&item.text, LONGEST_QUOTE)),
            None => id.to_owned(),
        }
    };
    let mut what = Vec::new();
    for (event, item) in change.events() {
        if event == item {
            what.push(format!("remembered {}", quoted(item)));
            continue;
        }
        let filed = store.filed(item).unwrap_or_default();
        let found = filed.into_iter().find(|filed| filed.event.id == event);
        match found.and_then(|filed| filed.event.decision) {
            // How new something was goes with the memory itself.
            Some(Decision::Weigh(_)) | None => {}
            // A question names what it is about.
            Some(decision @ Decision::Ask { .. }) => what.push(decision.in_words()),
            Some(decision) => what.push(format!("{}: {}", quoted(item), decision.in_words())),
        }
    }
    what
}

/// Returns how many memories came with files of imported ones.
fn imported(workspace: &Workspace, change: &Logged) -> Option<String> {
    let edits = change.lines.iter().flat_map(|line| &line.edits);
    let paths = edits.map(|edit| &edit.path).filter(|path| journal::is_imports(path));
    let store = index::store(workspace).ok()?;
    let counts = paths.map(|path| store.bases_in(path).map_or(0, |items| items.len()));
    let count: usize = counts.sum();
    (count > 0)
        .then(|| format!("imported {count} {}", if count == 1 { "memory" } else { "memories" }))
}

/// A fact's file and footer, by its id.
type Footers = BTreeMap<String, (String, String)>;

/// Returns what a change added: records, and facts that no file had before it.
pub(super) fn added(workspace: &Workspace, change: &Logged) -> Vec<String> {
    let records = change.events().filter(|(event, item)| event == item);
    let mut ids: Vec<String> = records.map(|(_, item)| item.to_owned()).collect();
    let (before, after) = footers(workspace, change);
    ids.extend(after.into_keys().filter(|id| !before.contains_key(id)));
    ids
}

/// Returns the footers of the facts in the files that a change wrote, before it and after.
fn footers(workspace: &Workspace, change: &Logged) -> (Footers, Footers) {
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    for entry in change.lines.iter().filter_map(|line| line.entry.as_ref()) {
        let Ok(manifest) = workspace.transactions().manifest(entry) else { continue };
        for (index, path) in manifest.paths.iter().enumerate() {
            if path.starts_with(state::PREFIX) || journal::is_private(path) {
                continue;
            }
            let Ok(kept) = workspace.transactions().kept_file(entry, index) else { continue };
            for (bytes, ids) in [(kept.old, &mut before), (kept.new, &mut after)] {
                let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
                for footer in fact::footers(&text).0 {
                    let words = text[footer.span.clone()].to_owned();
                    ids.insert(footer.id.as_str().to_owned(), (path.clone(), words));
                }
            }
        }
    }
    (before, after)
}

/// Returns which facts came, went or changed in files.
fn facts(workspace: &Workspace, change: &Logged) -> Vec<String> {
    let (before, after) = footers(workspace, change);
    let came = after.keys().filter(|id| !before.contains_key(*id));
    let mut what: Vec<String> = came.map(|id| format!("added `{id}`")).collect();
    what.extend(
        before.keys().filter(|id| !after.contains_key(*id)).map(|id| format!("removed `{id}`")),
    );
    for (id, now) in &after {
        match before.get(id) {
            Some((path, _)) if *path != now.0 => what.push(format!("moved `{id}` to {}", now.0)),
            Some((_, words)) if *words != now.1 => what.push(format!("changed `{id}`")),
            _ => {}
        }
    }
    what
}
