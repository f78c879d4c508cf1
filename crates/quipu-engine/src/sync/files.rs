//! The files of a memory that travel: the ledger, its window and summaries, and who the user is.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::item::{Decision, Event};
use quipu_core::journal::entry::{Entry, Part};
use quipu_core::journal::{self, PRIMARY, Record, entry};
use quipu_core::merge::{self, Elsewhere, FileKind, Sides, union};
use quipu_core::secret::{self, Scope};

use super::{Files, Kept, LARGEST, travels};
use crate::error::Error;
use crate::ledger;
use crate::workspace::Workspace;

/// Returns the files that are text, of those that a remote holds.
pub(super) fn texts(files: Files) -> Files {
    files.into_iter().filter(|(_, bytes)| std::str::from_utf8(bytes).is_ok()).collect()
}

/// Returns the files that are here.
pub(super) fn here(workspace: &Workspace) -> Result<Files, Error> {
    let mut files = Files::new();
    for path in ledger::memory_files(workspace)?.into_iter().filter(|path| travels(path)) {
        let read = workspace.fs().read_up_to(&workspace.root().join(&path), LARGEST);
        match read {
            Ok(Ok(bytes)) if std::str::from_utf8(&bytes).is_ok() => {
                files.insert(path, bytes);
            }
            // What is no text, or too large for one, stays where it is.
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(crate::workspace::reading(&path, source)),
        }
    }
    Ok(files)
}

fn text<'f>(files: &'f Files, path: &str) -> Option<&'f str> {
    std::str::from_utf8(files.get(path)?).ok()
}

/// Returns both sides as one.
pub(super) fn united(base: &Files, here: &Files, there: &Files) -> Files {
    let paths: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
    let one = |path: &String| {
        let (ours, theirs) = (text(here, path), text(there, path));
        let united = match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                let base = text(base, path).unwrap_or_default();
                unite(path, Sides { base, ours, theirs })
            }
            (one, other) => one.or(other).unwrap_or_default().to_owned(),
        };
        (path.clone(), united.into_bytes())
    };
    let mut united: Files = paths.into_iter().map(one).collect();
    take_out_what_was_taken_back(&mut united);
    united
}

/// Takes records out of the window that were taken back on one of the machines: the days keep them, and the
/// window shows what is remembered.
fn take_out_what_was_taken_back(files: &mut Files) {
    let Some(window) = text(files, PRIMARY) else { return };
    let ledger = || {
        let paths = files.keys().filter(|path| journal::is_ledger(path));
        paths.filter_map(|path| text(files, path)).flat_map(entry::entries).map(|one| one.record)
    };
    let takes_back_itself = |record: &Record| match &record.decision {
        Some(Decision::Revert { event }) => record.target.as_ref() == Some(event),
        _ => false,
    };
    let doubtful: BTreeSet<String> =
        ledger().filter(takes_back_itself).filter_map(|record| record.target).collect();
    if doubtful.is_empty() {
        return;
    }
    let mut events: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    for event in ledger().map(|record| record.event()) {
        if doubtful.contains(&event.item) {
            events.entry(event.item.clone()).or_default().push(event);
        }
    }
    let is_gone =
        |id: &str| events.get(id).is_some_and(|events| journal::is_taken_back(id, events));
    let mut left = String::with_capacity(window.len());
    let mut from = 0;
    for gone in entry::entries(window).filter(|entry| is_gone(&entry.record.id)) {
        left.push_str(&window[from..gone.span.start]);
        from = gone.span.end;
    }
    left.push_str(&window[from..]);
    files.insert(PRIMARY.to_owned(), left.into_bytes());
}

fn unite(path: &str, sides: Sides<'_>) -> String {
    if journal::is_ledger(path) || journal::is_imports(path) {
        return union::unite(sides);
    }
    match FileKind::of(path) {
        Some(kind) => merge::three_way(kind, sides, &Elsewhere::default()).text,
        // A page of the user's own: what changed, and of two changes both.
        None if sides.theirs == sides.base || sides.ours == sides.theirs => sides.ours.to_owned(),
        None if sides.ours == sides.base => sides.theirs.to_owned(),
        None => union::unite(sides),
    }
}

/// Returns what may leave this machine: everything but records and lines that look like a credential, which are listed.
pub(super) fn outgoing(united: &Files, base: &Files, there: &Files, kept: &mut Vec<Kept>) -> Files {
    kept.clear();
    let mut files = Files::new();
    for (path, bytes) in united {
        let source = std::str::from_utf8(bytes).unwrap_or_default();
        let before = kept.len();
        let mut text = String::with_capacity(source.len());
        for (id, part) in union::parts(source) {
            match secret::scan(part, Scope::Credentials).first() {
                Some(hit) => {
                    kept.push(Kept { path: path.clone(), id, why: hit.category.to_owned() });
                }
                None => text.push_str(part),
            }
        }
        // A file that would hold nothing but a heading need not exist elsewhere.
        let is_empty = kept.len() > before
            && !there.contains_key(path)
            && !base.contains_key(path)
            && entry::entries(&text).next().is_none();
        if !is_empty {
            files.insert(path.clone(), text.into_bytes());
        }
    }
    kept.sort_by(|a, b| (&a.id, &a.path).cmp(&(&b.id, &b.path)));
    files
}

/// Returns the ids of the records that were purged.
pub(super) fn purged(files: &Files) -> BTreeSet<String> {
    let is_told = |path: &String| journal::is_ledger(path) || path == PRIMARY;
    let texts = files.iter().filter(|(path, _)| is_told(path));
    let texts = texts.filter_map(|(_, bytes)| std::str::from_utf8(bytes).ok());
    texts
        .flat_map(entry::entries)
        .filter(|entry| matches!(entry.record.decision, Some(Decision::Purge { .. })))
        .filter_map(|entry| entry.record.target)
        .collect()
}

/// Returns files without what another machine said about records before it heard that they were purged. It takes the
/// words out of its own copy at its next sync, and that copy comes here.
pub(super) fn without_words_of(files: &Files, purged: &BTreeSet<String>) -> Files {
    let kept = |source: &str| -> String {
        let parts = entry::parts(source).filter(|part| match part {
            Part::Record(entry) => !says_words_of(entry, &source[part.span()], purged),
            Part::Broken { .. } | Part::Own { .. } => true,
        });
        parts.map(|part| &source[part.span()]).collect()
    };
    let one = |(path, bytes): (&String, &Vec<u8>)| {
        let source = std::str::from_utf8(bytes).unwrap_or_default();
        let is_told = journal::is_ledger(path) && !purged.is_empty();
        (path.clone(), if is_told { kept(source).into_bytes() } else { bytes.clone() })
    };
    files.iter().map(one).collect()
}

fn says_words_of(entry: &Entry, text: &str, purged: &BTreeSet<String>) -> bool {
    let is_about = match &entry.record.decision {
        Some(Decision::Edit { .. } | Decision::Annotate { .. }) => {
            entry.record.target.as_ref().is_some_and(|id| purged.contains(id))
        }
        Some(Decision::Ask { question }) => question.subjects.iter().any(|id| purged.contains(id)),
        _ => false,
    };
    is_about && !text.contains(union::PURGED)
}

/// Tells whether a record is in the files.
pub(super) fn has(files: &Files, id: &str) -> bool {
    let texts = files.values().filter_map(|bytes| std::str::from_utf8(bytes).ok());
    texts.flat_map(entry::entries).any(|entry| entry.record.id == id)
}
