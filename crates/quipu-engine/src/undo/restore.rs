//! What the files and the ledger look like without a change.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::item::Decision;
use quipu_core::journal::{self, entry};
use quipu_core::merge::revert;
use serde_json::Value;

use super::Logged;
use crate::decide;
use crate::digest::sha256;
use crate::error::Error;
use crate::git;
use crate::ledger;
use crate::operation::Request;
use crate::records::decision_record;
use crate::refusal::Refusal;
use crate::sessions;
use crate::state;
use crate::transaction::log::{FileEdit, KeptFile};
use crate::transaction::{ApplyError, FileChanges, Modes};
use crate::workspace::Workspace;

/// The files as they are to be, and the events that take events back.
pub(super) struct Restored {
    pub(super) files: FileChanges,
    pub(super) expected: FileChanges,
    /// The modes of files that come back.
    pub(super) modes: Modes,
    /// The events, as the change log names them.
    pub(super) ids: Vec<String>,
    /// Whether files of the ledger get their old bytes back.
    pub(super) rewrites_ledger: bool,
}

impl Restored {
    /// Works out what taking back a change does; nothing is written yet.
    pub(super) fn of(
        workspace: &Workspace,
        change: &Logged,
        request: &Request<'_>,
    ) -> Result<Self, Error> {
        let mut files = Files { workspace, now: BTreeMap::new(), read: BTreeMap::new() };
        let mut events: Vec<(String, String)> =
            change.events().map(|(event, item)| (event.to_owned(), item.to_owned())).collect();
        let own: BTreeSet<&str> = change.events().map(|(event, _)| event).collect();
        let mut edited: Vec<String> = Vec::new();
        let mut modes = Modes::new();
        let mut rewrites_ledger = false;
        for line in change.lines.iter().rev() {
            for edit in line.edits.iter().rev() {
                files.take_back(edit, &own, &line.operation)?;
            }
            let Some(name) = &line.entry else { continue };
            let manifest = workspace.transactions().manifest(name)?;
            modes.extend(manifest.modes.clone());
            rewrites_ledger |= manifest.rewrites_ledger;
            for (index, path) in manifest.paths.iter().enumerate() {
                let kept = workspace.transactions().kept_file(name, index)?;
                if manifest.rewrites_ledger {
                    if !files.is_untouched(path, &kept)? {
                        edited.push(path.clone());
                    }
                    files.put(path, kept.old);
                } else if let Some(added) = appended_to_ledger(path, &kept) {
                    let known: BTreeSet<String> = events.iter().map(|one| one.0.clone()).collect();
                    let found = journal::records(&added).map(|(_, record)| record.event());
                    let new = found.filter(|event| !known.contains(&event.id));
                    events.extend(new.map(|event| (event.id, event.item)));
                } else if !files.restore(path, kept)? {
                    edited.push(path.clone());
                }
            }
        }
        if !edited.is_empty() {
            let operation = change.last().operation.clone();
            return Err(ApplyError::EditedSince { operation, paths: edited }.into());
        }
        let ids = files.take_back_events(events, request)?;
        let Files { now, read, .. } = files;
        let changes: FileChanges =
            now.into_iter().filter(|(path, bytes)| read.get(path) != Some(bytes)).collect();
        let expected = read.into_iter().filter(|(path, _)| changes.contains_key(path)).collect();
        if changes.is_empty() {
            return Err(Refusal::AlreadyUndone { id: change.id.clone() }.into());
        }
        Ok(Self { files: changes, expected, modes, ids, rewrites_ledger })
    }
}

/// Returns what a transaction added to a file of the ledger; nothing where the file is none, or
/// where the transaction did more than add.
fn appended_to_ledger(path: &str, kept: &KeptFile) -> Option<String> {
    let old = kept.old.as_deref().unwrap_or_default();
    let added = kept.new.as_deref()?.strip_prefix(old)?;
    journal::is_ledger(path).then(|| String::from_utf8_lossy(added).into_owned())
}

/// Files on their way back.
struct Files<'w> {
    workspace: &'w Workspace,
    now: BTreeMap<String, Option<Vec<u8>>>,
    read: BTreeMap<String, Option<Vec<u8>>>,
}

impl Files<'_> {
    fn current(&mut self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        if let Some(bytes) = self.now.get(path) {
            return Ok(bytes.clone());
        }
        let bytes = self.workspace.transactions().read(path)?;
        self.read.insert(path.to_owned(), bytes.clone());
        self.now.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    /// Tells whether a file is still what a transaction made of it.
    fn is_untouched(&mut self, path: &str, kept: &KeptFile) -> Result<bool, Error> {
        Ok(self.current(path)? == kept.new)
    }

    fn put(&mut self, path: &str, bytes: Option<Vec<u8>>) {
        self.now.insert(path.to_owned(), bytes);
    }

    /// Brings a file back to what it was before a transaction, later edits of other lines excepted.
    /// Returns whether that was possible.
    fn restore(&mut self, path: &str, kept: KeptFile) -> Result<bool, Error> {
        let now = self.current(path)?;
        if now == kept.new {
            if kept.old.is_none() {
                self.refuse_to_delete_what_is_committed(path)?;
            }
            self.put(path, kept.old);
            return Ok(true);
        }
        let text = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let (Some(old), Some(new), Some(now)) = (text(kept.old), text(kept.new), text(now)) else {
            // What is Quipu's own state, such as an ended session, keeps nobody from an undo.
            return Ok(path.starts_with(state::PREFIX));
        };
        let restored = if path.starts_with(state::PREFIX) {
            Some(state_without(&old, &new, &now))
        } else if path == journal::PRIMARY && now.starts_with(&new) && ends_line(&old) {
            // Records that were appended since stay.
            Some(format!("{old}{}", &now[new.len()..]))
        } else {
            revert::without_edit(&old, &new, &now)
        };
        let is_possible = restored.is_some();
        if let Some(text) = restored {
            self.put(path, Some(text.into_bytes()));
        }
        Ok(is_possible)
    }

    /// A file that a change made goes with it, unless it was committed: then it is others' too.
    fn refuse_to_delete_what_is_committed(&self, path: &str) -> Result<(), Refusal> {
        if !path.starts_with(state::PREFIX) && git::tracks_file(self.workspace.root(), path) {
            return Err(Refusal::Committed { path: path.to_owned() });
        }
        Ok(())
    }

    /// Takes back an edit of the window or its archive.
    fn take_back(
        &mut self,
        edit: &FileEdit,
        own: &BTreeSet<&str>,
        operation: &str,
    ) -> Result<(), Error> {
        let Some(bytes) = self.current(&edit.path)? else { return Ok(()) };
        if let Some(sum) = &edit.sha256 {
            if sha256(&bytes) != *sum {
                let (operation, paths) = (operation.to_owned(), vec![edit.path.clone()]);
                return Err(ApplyError::EditedSince { operation, paths }.into());
            }
            self.refuse_to_delete_what_is_committed(&edit.path)?;
            self.put(&edit.path, None);
            return Ok(());
        }
        let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
        let (at, end) = (size(edit.at), size(edit.at + edit.added));
        let is_own = |part: &str| {
            let mut ids = entry::entries(part).map(|entry| entry.record.id).peekable();
            ids.peek().is_some() && ids.all(|id| own.contains(&*id))
        };
        if edit.created && text.len() == end {
            self.put(&edit.path, None);
        } else if edit.added == 0 || (!edit.created && text.get(at..end).is_some_and(is_own)) {
            if let (Some(before), Some(after)) = (text.get(..at), text.get(end..)) {
                let restored = format!("{before}{}{after}", edit.removed);
                self.put(&edit.path, Some(restored.into_bytes()));
            }
        } else {
            // The file was edited since, so that the place is another one: only our own lines go.
            let mut left = String::with_capacity(text.len());
            let mut from = 0;
            for entry in entry::entries(&text).filter(|one| own.contains(&*one.record.id)) {
                left.push_str(&text[from..entry.span.start]);
                from = entry.span.end;
            }
            left.push_str(&text[from..]);
            self.put(&edit.path, Some(left.into_bytes()));
        }
        Ok(())
    }

    /// Adds the events that take events back, newest first, and returns their names.
    fn take_back_events(
        &mut self,
        mut events: Vec<(String, String)>,
        request: &Request<'_>,
    ) -> Result<Vec<String>, Error> {
        let session = sessions::session_for_records(self.workspace, request)?;
        let (mut records, mut ids) = (Vec::new(), Vec::new());
        events.reverse();
        for (event, item) in events {
            if !decide::stands(self.workspace, &item, &event)? {
                continue;
            }
            let decision = Decision::Revert { event };
            let record = decision_record(&item, decision, "undo", &session, request)?;
            ids.push(format!("{}@{item}", record.id));
            records.push(record);
        }
        if records.is_empty() {
            return Ok(ids);
        }
        let (path, form) = ledger::event_file(self.workspace, request.now)?;
        let lines: String = records.iter().map(|record| record.written(form)).collect();
        let mut bytes = self.current(&path)?.unwrap_or_default();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(lines.as_bytes());
        self.put(&path, Some(bytes));
        Ok(ids)
    }
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

fn ends_line(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// Returns a state file without what a change wrote into it: elements of lists that it added go,
/// those that it removed come back, and what was noted since stays.
fn state_without(old: &str, new: &str, now: &str) -> String {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let (Some(old), Some(new), Some(mut value)) = (read(old), read(new), read(now)) else {
        return now.to_owned();
    };
    value_without(&old, &new, &mut value);
    serde_json::to_string_pretty(&value).map_or_else(|_| now.to_owned(), |text| text + "\n")
}

fn value_without(old: &Value, new: &Value, now: &mut Value) {
    match (old, new, now) {
        (Value::Object(old), Value::Object(new), Value::Object(now)) => {
            for (key, new) in new {
                match (old.get(key), now.get_mut(key)) {
                    (Some(old), Some(now)) => value_without(old, new, now),
                    (None, Some(now)) if now == new => *now = Value::Null,
                    _ => {}
                }
            }
            now.retain(|key, value| !value.is_null() || old.contains_key(key));
        }
        (Value::Array(old), Value::Array(new), Value::Array(now)) => {
            now.retain(|one| old.contains(one) || !new.contains(one));
            for gone in old.iter().filter(|one| !new.contains(one)) {
                if !now.contains(gone) {
                    now.push(gone.clone());
                }
            }
        }
        (old, new, now) if now == new => *now = old.clone(),
        _ => {}
    }
}
