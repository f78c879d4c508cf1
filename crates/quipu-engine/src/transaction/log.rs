//! The change log: one line for everything that an operation wrote, in the order in which it was
//! written. Lines of one operation share the id of its change.
//!
//! The log has no words of memories but those of lines that a trim took out of the window. It is
//! kept in the state folder and is not synced: after a power cut the last changes may be missing
//! from it. They stay in the memory, and can be taken back with the verb that does the opposite.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::{ApplyError, MANIFEST, Manifest, Transactions, io_error};

/// The log's file in the state folder.
pub(crate) const LOG: &str = "changes.jsonl";

/// The change that an operation is making.
#[derive(Clone, Debug)]
pub(crate) struct OpenChange {
    /// Its id.
    pub(crate) id: String,
    /// The operation, such as `fact add`.
    pub(crate) operation: String,
    /// Who makes it.
    pub(crate) by: String,
    /// What its ids are derived from.
    pub(crate) key: Option<String>,
    /// Whether anything was written yet.
    pub(crate) has_written: Arc<AtomicBool>,
}

/// An edit of a file that is not the ledger: what was put in and what was taken out at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEdit {
    /// The file.
    pub(crate) path: String,
    /// The byte at which the edit begins.
    pub(crate) at: u64,
    /// How many bytes were put in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) added: u64,
    /// The text that was taken out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) removed: String,
    /// Whether the edit made the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) created: bool,
    /// The hash of a file that the edit made as a whole: it goes only as long as nobody edited it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// One line of the log: a part of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    /// The change.
    pub(crate) change: String,
    /// When, for people.
    pub(crate) at: String,
    /// The operation.
    pub(crate) operation: String,
    /// Who made it.
    pub(crate) by: String,
    /// The change that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) takes_back: Option<String>,
    /// Records that were appended by their id, and events as `EVENT@ITEM`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ids: Vec<String>,
    /// Edits of other files, in the order in which they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) edits: Vec<FileEdit>,
    /// The undo entry with the files as they were and as they became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) entry: Option<String>,
}

impl Transactions<'_> {
    /// Writes a part of a change to the log. A log that cannot be written costs an undo and nothing
    /// else, so that is no failure.
    pub(crate) fn note(&self, at: &str, ids: Vec<String>, edits: Vec<FileEdit>, operation: &str) {
        if ids.is_empty() && edits.is_empty() {
            return;
        }
        let Some(change) = self.open_change(operation) else { return };
        self.append_line(&Line {
            change: change.id.clone(),
            at: at.to_owned(),
            operation: change.operation.clone(),
            by: change.by.clone(),
            takes_back: None,
            ids,
            edits,
            entry: None,
        });
        change.has_written.store(true, Ordering::Relaxed);
    }

    /// Writes to the log that a transaction became an undo entry.
    pub(super) fn note_entry(&self, manifest: &Manifest, entry: &str) {
        if let Some(change) = &manifest.change {
            self.append_line(&Line {
                change: change.clone(),
                at: manifest.at.clone(),
                operation: manifest.operation.clone(),
                by: manifest.by.clone().unwrap_or_default(),
                takes_back: manifest.takes_back.clone(),
                ids: manifest.ids.clone(),
                edits: Vec::new(),
                entry: Some(entry.to_owned()),
            });
        }
        if let Some(open) = &self.change {
            open.has_written.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the change that is being made; a new one where none was begun.
    pub(super) fn open_change(&self, operation: &str) -> Option<OpenChange> {
        self.change.clone().or_else(|| {
            Some(OpenChange {
                id: crate::ids::new_id().ok()?,
                operation: operation.to_owned(),
                by: String::new(),
                key: None,
                has_written: Arc::default(),
            })
        })
    }

    fn append_line(&self, line: &Line) {
        let Ok(mut text) = serde_json::to_string(line) else { return };
        text.push('\n');
        let path = self.state.join(LOG);
        let append = || {
            if self.fs.stat(&path).is_err() {
                self.fs.append(&path, b"")?;
                self.fs.make_private(&path)?;
            }
            self.fs.append(&path, text.as_bytes())
        };
        // See above: the memory itself is complete without it.
        let _ = append();
        self.shorten_log();
    }

    /// Returns the lines of the log, oldest first, with undo entries that no line names where their
    /// time puts them.
    ///
    /// # Errors
    /// When the log or an entry cannot be read.
    pub(crate) fn log(&self) -> Result<Vec<Line>, ApplyError> {
        let path = self.state.join(LOG);
        let bytes = self.read_if_there(&path)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        // A line that was cut off by a power cut is passed over.
        let mut lines: Vec<Line> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let entries = self.undo_entries()?;
        let present: BTreeSet<&String> = entries.iter().collect();
        let is_kept = |line: &Line| line.entry.as_ref().is_none_or(|name| present.contains(name));
        // Without its files a change cannot be taken back any more.
        let lost: BTreeSet<String> =
            lines.iter().filter(|line| !is_kept(line)).map(|line| line.change.clone()).collect();
        lines.retain(|line| !lost.contains(&line.change));
        let named: BTreeSet<String> = lines.iter().filter_map(|line| line.entry.clone()).collect();
        let mut older = BTreeSet::new();
        for name in entries.iter().filter(|name| !named.contains(*name)) {
            let manifest = self.manifest(name)?;
            let line = Line {
                change: manifest.change.unwrap_or_else(|| format!("u{name}")),
                at: manifest.at,
                operation: manifest.operation,
                by: manifest.by.unwrap_or_default(),
                takes_back: manifest.takes_back,
                ids: manifest.ids,
                edits: Vec::new(),
                entry: Some(name.clone()),
            };
            // Among lines of one second those of version 0.1 come first, in their order.
            let is_before =
                |one: &Line| one.at < line.at || (one.at == line.at && older.contains(&one.change));
            let place = lines.iter().rposition(is_before).map_or(0, |at| at + 1);
            older.insert(line.change.clone());
            lines.insert(place, line);
        }
        self.drop_old(&mut lines);
        Ok(lines)
    }

    /// Reads the manifest of an undo entry.
    pub(crate) fn manifest(&self, entry: &str) -> Result<Manifest, ApplyError> {
        let path = self.undo().join(entry).join(MANIFEST);
        let bytes = self.fs.read(&path).map_err(io_error("read", &path))?;
        serde_json::from_slice(&bytes).map_err(|source| ApplyError::BadManifest { path, source })
    }

    /// Returns a file of an undo entry, as it was and as it became.
    pub(crate) fn kept_file(&self, entry: &str, index: usize) -> Result<KeptFile, ApplyError> {
        let state = |which: &str| {
            self.read_if_there(&self.undo().join(entry).join(format!("{index}.{which}")))
        };
        Ok(KeptFile { old: state("old")?, new: state("new")? })
    }
}

/// A file before and after a transaction; nothing where it was not there.
pub(crate) struct KeptFile {
    /// As it was.
    pub(crate) old: Option<Vec<u8>>,
    /// As it became.
    pub(crate) new: Option<Vec<u8>>,
}
