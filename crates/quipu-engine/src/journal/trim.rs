//! The rolling window: the oldest records leave `MEMORY.md`, and nothing else.

use quipu_core::item::Kind;
use quipu_core::journal::window::{self, Entry, Limits};
use quipu_core::journal::{ARCHIVE, PRIMARY, Record};
use quipu_store::{Batch, Store};
use serde::Serialize;

use crate::error::Error;
use crate::lock::Lock;
use crate::workspace::Workspace;

/// What a trim did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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
}

impl Workspace {
    /// Returns the limits of the window.
    pub fn window_limits(&self) -> Limits {
        let continuity = &self.config().continuity;
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
    pub fn trim(&self, limits: &Limits, dry_run: bool) -> Result<Trim, Error> {
        let lock = self.lock_for_writing()?;
        self.index_locked(&lock, &mut |_, _| {})?;
        self.trim_to(&lock, limits, dry_run)
    }

    /// Trims after an append, where there are limits and the window may be over them.
    pub(crate) fn trim_locked(&self, lock: &Lock) -> Result<Trim, Error> {
        let limits = self.window_limits();
        if !limits.are_set() || !self.may_be_over(&limits) {
            return Ok(Trim::default());
        }
        self.trim_to(lock, &limits, false)
    }

    /// A file has at least as many bytes as characters, and a record more than a hundred of them.
    fn may_be_over(&self, limits: &Limits) -> bool {
        const SHORTEST_RECORD: u64 = 100;
        let size = self.fs().stamp(&self.root().join(PRIMARY)).map_or(0, |stamp| stamp.size);
        let over = |most: Option<usize>, unit: u64| {
            most.is_some_and(|most| size / unit > u64::try_from(most).unwrap_or(u64::MAX))
        };
        over(limits.chars, 1) || over(limits.records, SHORTEST_RECORD)
    }

    fn trim_to(&self, lock: &Lock, limits: &Limits, dry_run: bool) -> Result<Trim, Error> {
        let Some(text) = self.read_optional(PRIMARY)? else { return Ok(Trim::default()) };
        let is_pinned = |record: &Record| {
            let store = self.store();
            record.pinned
                || store.is_ok_and(|s| s.get(&record.id).is_ok_and(|i| i.is_some_and(|i| i.pinned)))
        };
        let trimmed = window::trim(&text, limits, &is_pinned);
        let homeless = self.homeless(&trimmed.dropped)?;
        let continuity = &self.config().continuity;
        let (archive, kept) = match &continuity.memory_archive_path {
            Some(path) => (path.as_str(), trimmed.dropped.iter().collect()),
            None => (ARCHIVE, homeless.clone()),
        };
        let done = Trim {
            dropped: trimmed.dropped.len(),
            ids: trimmed.dropped.iter().map(|entry| entry.record.id.clone()).collect(),
            left: trimmed.left,
            archived: kept.len(),
            archive: (!kept.is_empty()).then(|| archive.to_owned()),
            is_over: trimmed.is_over,
        };
        if dry_run || trimmed.dropped.is_empty() {
            return Ok(done);
        }
        let added = if kept.is_empty() {
            None
        } else {
            let lines: String = kept.iter().map(|entry| entry.record.line()).collect();
            Some(self.add_to(archive, &lines, "", true)?)
        };
        if let Err(error) = self.transactions().replace(PRIMARY, trimmed.text.as_bytes()) {
            // Where only the last sync failed, the new window is in place, and the archive must stay.
            let is_old = self.read_optional(PRIMARY)?.as_deref() == Some(text.as_str());
            if is_old && let Some(added) = &added {
                let _ = self.cut_back(archive, added.before);
            }
            if is_old {
                return Err(error.into());
            }
        }
        if homeless.is_empty() && added.is_none() {
            // Everything that left is at home in its day, so no item changes.
            self.note_window()?;
        } else {
            self.index_locked(lock, &mut |_, _| {})?;
        }
        Ok(done)
    }

    /// Returns the records that stand in no other file.
    pub(crate) fn homeless<'e>(&self, entries: &'e [Entry]) -> Result<Vec<&'e Entry>, Error> {
        let store = self.store()?;
        let mut homeless = Vec::new();
        for entry in entries {
            let home = store.place(&entry.record.id)?;
            let is_kept = home.is_some_and(|(kind, path)| kind == Kind::Record && path != PRIMARY);
            // What was purged has no item, and must not come back.
            let is_gone = || -> Result<bool, Error> {
                let filed = store.filed(&entry.record.id)?;
                Ok(filed.iter().any(|one| one.path != PRIMARY && one.event.id == entry.record.id))
            };
            if !is_kept && !is_gone()? {
                homeless.push(entry);
            }
        }
        Ok(homeless)
    }

    /// Tells the index that it knows the window as it is.
    fn note_window(&self) -> Result<(), Error> {
        let stamp = self.fs().stamp(&self.root().join(PRIMARY));
        let Ok(stamp) = stamp else { return Ok(()) };
        let sources = vec![(PRIMARY.to_owned(), Some(self.stamp_text(PRIMARY, &stamp)))];
        self.store()?.apply(&Batch { sources, ..Batch::default() })?;
        Ok(())
    }
}
