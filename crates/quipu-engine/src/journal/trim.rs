//! The rolling window: the oldest records leave `MEMORY.md`, and nothing else.

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::item::{Item, Kind, Sensitivity};
use quipu_core::journal::window::{self, Entry, Limits};
use quipu_core::journal::{ARCHIVE, PRIMARY, Record};
use quipu_store::Batch;
use serde::Serialize;

use crate::config::ConfigError;
use crate::error::Error;
use crate::index;
use crate::ledger;
use crate::lock::Lock;
use crate::transaction::log::FileEdit;
use crate::workspace::{Workspace, stamp};

/// What a trim did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Trim {
    /// How many records left the window.
    pub dropped: usize,
    /// Their ids, oldest first.
    pub ids: Vec<String>,
    /// How many are left.
    pub left: usize,
    /// How many lines were kept in an archive, and where.
    pub archived: usize,
    /// The archive.
    pub archive: Option<String>,
    /// Whether the window is still over its limits.
    pub is_over: bool,
    /// What it did to files, for the change log.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) edits: Vec<FileEdit>,
}

/// Returns the limits of the window.
pub fn window_limits(workspace: &Workspace) -> Limits {
    let continuity = &workspace.config().continuity;
    Limits {
        records: continuity.memory_max_records,
        chars: continuity.memory_max_chars,
        protected: continuity.memory_protected_categories.clone(),
    }
}

/// Takes the oldest records out of the window until `limits` hold. The daily logs keep them; those
/// that no day has go to the archive.
///
/// # Errors
/// When a file cannot be read or written; then everything is as it was.
pub fn trim(
    workspace: &Workspace,
    limits: &Limits,
    now: Timestamp,
    dry_run: bool,
) -> Result<Trim, Error> {
    let lock = workspace.lock_for_writing()?;
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let mut trim = trim_to(workspace, &lock, limits, dry_run)?;
    let edits = std::mem::take(&mut trim.edits);
    workspace.transactions().note(&stamp(now), Vec::new(), edits, "journal trim");
    Ok(trim)
}

/// Trims after an append, where there are limits and the window may be over them.
pub(crate) fn trim_locked(workspace: &Workspace, lock: &Lock) -> Result<Trim, Error> {
    let limits = window_limits(workspace);
    if !may_hold_more(workspace, limits.records, limits.chars) {
        return Ok(Trim::default());
    }
    trim_to(workspace, lock, &limits, false)
}

/// A file has at least as many bytes as characters, and a record more than a hundred of them.
pub(crate) fn may_hold_more(
    workspace: &Workspace,
    records: Option<usize>,
    chars: Option<usize>,
) -> bool {
    const SHORTEST_RECORD: u64 = 100;
    let size = workspace.fs().stamp(&workspace.root().join(PRIMARY)).map_or(0, |stamp| stamp.size);
    let over = |most: Option<usize>, unit: u64| {
        most.is_some_and(|most| size / unit > u64::try_from(most).unwrap_or(u64::MAX))
    };
    over(chars, 1) || over(records, SHORTEST_RECORD)
}

fn trim_to(
    workspace: &Workspace,
    lock: &Lock,
    limits: &Limits,
    dry_run: bool,
) -> Result<Trim, Error> {
    let Some(text) = workspace.read_optional(PRIMARY)? else { return Ok(Trim::default()) };
    // Where nobody can say, it stays.
    let is_pinned =
        |record: &Record| match index::store(workspace).map(|store| store.get(&record.id)) {
            Ok(Ok(Some(item))) => item.pinned,
            Ok(Ok(None)) => record.pinned,
            Ok(Err(_)) | Err(_) => true,
        };
    let trimmed = window::trim(&text, limits, &is_pinned);
    let leaving = leaving(workspace, lock, &trimmed.dropped)?;
    let mut done = Trim {
        dropped: trimmed.dropped.len(),
        ids: trimmed.dropped.iter().map(|entry| entry.record.id.clone()).collect(),
        left: trimmed.left,
        archived: leaving.kept.len(),
        archive: (!leaving.kept.is_empty()).then(|| leaving.archive.clone()),
        is_over: trimmed.is_over,
        edits: Vec::new(),
    };
    if dry_run || trimmed.dropped.is_empty() {
        return Ok(done);
    }
    let lines = leaving.lines(&text);
    let added = if lines.is_empty() {
        None
    } else {
        Some(ledger::add_to(workspace, &leaving.archive, &lines, "", true)?)
    };
    let swap = workspace.transactions().replace(PRIMARY, trimmed.text.as_bytes(), text.as_bytes());
    if let Err(error) = swap {
        // Where only the last sync failed, the new window is in place, and the archive must stay.
        let is_new = workspace.read_optional(PRIMARY)?.as_deref() == Some(trimmed.text.as_str());
        if !is_new {
            if let Some(added) = &added {
                let _ = ledger::cut_back(workspace, &leaving.archive, added.before);
            }
            return Err(error.into());
        }
    }
    done.edits.extend(added.map(|added| added.edit_of(&leaving.archive)));
    done.edits.extend(removals(&text, &trimmed.dropped));
    // The index follows the files; where it cannot now, it will.
    let _ = if leaving.has_homeless {
        index::index_locked(workspace, lock, &mut |_, _| {}).map(drop)
    } else {
        // Everything that left is at home in its day, so no item changes.
        note_files(workspace, &[PRIMARY, &leaving.archive])
    };
    Ok(done)
}

/// Returns what was taken out of the window, one edit after the other.
fn removals(text: &str, dropped: &[Entry]) -> Vec<FileEdit> {
    let mut gone = 0;
    let removal = |entry: &Entry| {
        let at = (entry.span.start - gone) as u64;
        gone += entry.span.len();
        let (path, removed) = (PRIMARY.to_owned(), text[entry.span.clone()].to_owned());
        FileEdit { path, at, added: 0, removed, created: false, sha256: None }
    };
    dropped.iter().map(removal).collect()
}

/// Decides what becomes of records that leave the window: the configured archive takes all, the
/// other those that stand nowhere else, or that somebody has changed in the window.
pub(crate) fn leaving<'e>(
    workspace: &Workspace,
    lock: &Lock,
    entries: &'e [Entry],
) -> Result<Leaving<'e>, Error> {
    refuse_alias(workspace)?;
    let mut homes: BTreeSet<String> = BTreeSet::new();
    for entry in entries {
        homes.extend(index::store(workspace)?.place(&entry.record.id)?.map(|(_, path)| path));
    }
    let homes: Vec<String> = homes.into_iter().collect();
    // A day may have been deleted or edited since it was indexed.
    if !index::knows(workspace, &homes)? {
        index::index_locked(workspace, lock, &mut |_, _| {})?;
    }
    let store = index::store(workspace)?;
    let mut homeless = Vec::new();
    for entry in entries {
        let id = &entry.record.id;
        let base = store.base(id)?;
        let is_same = |item: &Item| {
            let home = item.place.as_ref().map_or("", |place| place.path.as_str());
            item.kind == Kind::Record && home != PRIMARY && item.text == entry.record.text
        };
        let is_kept = base.as_ref().is_some_and(is_same);
        // What was purged has no item, and must not come back.
        let is_purged = base.is_none() && store.filed(id)?.iter().any(|one| one.path != PRIMARY);
        // A label that somebody raised in the window may stand nowhere else.
        let is_secret = entry.record.provenance.sensitivity == Sensitivity::Secret;
        if (!is_kept || is_secret) && !is_purged {
            homeless.push(entry);
        }
    }
    let has_homeless = !homeless.is_empty();
    Ok(match &workspace.config().continuity.memory_archive_path {
        Some(path) => {
            Leaving { archive: path.clone(), kept: entries.iter().collect(), has_homeless }
        }
        None => Leaving { archive: ARCHIVE.to_owned(), kept: homeless, has_homeless },
    })
}

/// Refuses settings whose files are the window by another name: a link.
fn refuse_alias(workspace: &Workspace) -> Result<(), Error> {
    let continuity = &workspace.config().continuity;
    let real = |path: &str| workspace.root().join(path).canonicalize().ok();
    let window = real(PRIMARY);
    let paths = [
        ("continuity.memoryArchivePath", continuity.memory_archive_path.as_deref()),
        ("continuity.longMemoryPath", Some(&*continuity.long_memory_path)),
    ];
    for (key, path) in paths {
        if let Some(path) = path.filter(|path| window.is_some() && real(path) == window) {
            return Err(ConfigError::Value {
                origin: key.to_owned(),
                value: path.to_owned(),
                wanted: format!("a file of its own, but a link to {PRIMARY}"),
            }
            .into());
        }
    }
    Ok(())
}

/// Tells the index that it knows these files as they are.
fn note_files(workspace: &Workspace, paths: &[&str]) -> Result<(), Error> {
    let stamped = |path: &&str| {
        let stamp = workspace.fs().stamp(&workspace.root().join(path)).ok()?;
        Some(((*path).to_owned(), Some(index::stamp_text(workspace, path, &stamp))))
    };
    let sources = paths.iter().filter_map(stamped).collect();
    index::store(workspace)?.apply(&Batch { sources, ..Batch::default() })?;
    Ok(())
}

/// Records that leave the window, and where they go.
pub(crate) struct Leaving<'e> {
    /// The archive.
    pub(crate) archive: String,
    /// Those that it takes.
    pub(crate) kept: Vec<&'e Entry>,
    /// Whether some of them stand nowhere else.
    has_homeless: bool,
}

impl Leaving<'_> {
    /// Returns the lines for the archive, as they stand in the window.
    pub(crate) fn lines(&self, window: &str) -> String {
        let mut lines = String::new();
        for entry in &self.kept {
            lines.push_str(&window[entry.span.clone()]);
            if !lines.ends_with('\n') {
                lines.push('\n');
            }
        }
        lines
    }
}
