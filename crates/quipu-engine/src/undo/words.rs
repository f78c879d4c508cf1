//! What a change did, in words.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::fact;
use quipu_core::item::{Decision, Sensitivity};
use quipu_core::journal::{self, entry};
use quipu_core::prose::shortened;
use quipu_core::text;
use quipu_store::Store;

use super::{Change, Logged};
use crate::index;
use crate::state;
use crate::transaction::log::KeptFile;
use crate::workspace::Workspace;

/// A change is described in at most this many lines.
const MOST_LINES: usize = 5;

/// A memory is quoted with at most this many characters.
const LONGEST_QUOTE: usize = 60;

/// How open sessions are called in changes.
const SESSIONS: &str = ".quipu/sessions/";

/// What waits for the next session log is called so.
const PENDING: &str = ".quipu/pending.json";

/// Describes a change. `operation_of` knows the operations of other changes.
pub(super) fn summary(
    workspace: &Workspace,
    change: &Logged,
    is_undone: bool,
    operation_of: &dyn Fn(&str) -> Option<String>,
) -> Change {
    let last = change.last();
    let (mut what, mut paths) = (Vec::new(), BTreeSet::new());
    if let Some(other) = change.takes_back() {
        let operation = operation_of(other).map(|operation| format!(" ({operation})"));
        what.push(format!("took back {other}{}", operation.unwrap_or_default()));
    } else {
        what.extend(said(workspace, change));
        what.extend(imported(workspace, change));
        what.extend(trimmed(change));
        what.extend(facts(workspace, change));
        if what.is_empty() {
            what = files(workspace, change);
        }
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
        let item = store.get(id).ok().flatten().or_else(|| store.base(id).ok().flatten());
        let known = item.map(|item| (item.text, item.sensitivity));
        match known.or_else(|| in_ledger(workspace, &*store, id)) {
            Some((_, Sensitivity::Secret)) => format!("the secret {id}"),
            Some((words, _)) => {
                format!("“{}”", shortened(&text::collapse_whitespace(&words), LONGEST_QUOTE))
            }
            None => match id.split_once(':') {
                Some((what @ ("question" | "dream"), id)) => format!("the {what} {id}"),
                _ => id.to_owned(),
            },
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

/// Returns the words of a record that was taken back, as its day has them, and who may see them.
fn in_ledger(workspace: &Workspace, store: &dyn Store, id: &str) -> Option<(String, Sensitivity)> {
    let filed = store.filed(id).ok()?;
    let first = filed.into_iter().find(|filed| filed.event.id == id)?;
    let text = workspace.read_optional(&first.path).ok()??;
    let record = entry::entries(&text).find(|entry| entry.record.id == id)?.record;
    Some((record.text.clone(), record.provenance.sensitivity))
}

/// Returns how many memories came with files of imported ones.
fn imported(workspace: &Workspace, change: &Logged) -> Option<String> {
    let edits = change.lines.iter().flat_map(|line| &line.edits);
    let paths = edits.map(|edit| &edit.path).filter(|path| journal::is_imports(path));
    let store = index::store(workspace).ok()?;
    let counts = paths.map(|path| store.bases_in(path).map_or(0, |items| items.len()));
    let count: usize = counts.sum();
    (count > 0).then(|| format!("imported {}", memories(count)))
}

/// Returns how many records a trim took out of the window.
fn trimmed(change: &Logged) -> Option<String> {
    let edits = change.lines.iter().flat_map(|line| &line.edits);
    let of_window = edits.filter(|edit| edit.path == journal::PRIMARY);
    let count: usize = of_window.map(|edit| journal::records(&edit.removed).count()).sum();
    (count > 0).then(|| format!("took {} out of {}", memories(count), journal::PRIMARY))
}

/// Returns what became of files.
fn files(workspace: &Workspace, change: &Logged) -> Vec<String> {
    let mut what = Vec::new();
    for entry in change.lines.iter().filter_map(|line| line.entry.as_ref()) {
        let Ok(manifest) = workspace.transactions().manifest(entry) else { continue };
        for (index, path) in manifest.paths.iter().enumerate() {
            let Ok(kept) = workspace.transactions().kept_file(entry, index) else { continue };
            what.extend(file(path, &kept));
        }
    }
    let edits = change.lines.iter().flat_map(|line| &line.edits);
    what.extend(edits.filter(|edit| edit.created).map(|edit| format!("made {}", edit.path)));
    what.dedup();
    what
}

/// Returns what became of a file.
fn file(path: &str, kept: &KeptFile) -> Option<String> {
    let verb = match (&kept.old, &kept.new) {
        (None, _) => "made",
        (_, None) => "removed",
        _ => "changed",
    };
    if path.starts_with(SESSIONS) {
        return match verb {
            "made" => Some("began a session".to_owned()),
            "changed" => Some("noted it for the log of the open session".to_owned()),
            _ => None,
        };
    }
    if path.starts_with(state::PREFIX) {
        return (path == PENDING).then(|| "noted it for the next session log".to_owned());
    }
    let count = |bytes: &Option<Vec<u8>>| {
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        journal::records(&text).count()
    };
    let (before, after) = (count(&kept.old), count(&kept.new));
    if path == journal::PRIMARY && after < before {
        return Some(format!("took {} out of {path}", memories(before - after)));
    }
    Some(format!("{verb} {path}"))
}

fn memories(count: usize) -> String {
    format!("{count} {}", if count == 1 { "memory" } else { "memories" })
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
