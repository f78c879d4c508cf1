//! Writing to the journal's files: the day's log is the ledger, `MEMORY.md` a window on it, and the
//! index a projection. Both are healed from the log.

mod check;
mod read;
mod trim;

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;
use quipu_core::item::{Filed, Place};
use quipu_core::journal::{self, PRIMARY, Record};
use quipu_store::Batch;

use crate::embedding::MadeVectors;
use crate::error::Error;
use crate::found::Indexable;
use crate::fs::Kind;
use crate::lock::Lock;
use crate::refusal::Refusal;
use crate::workspace::{ReadError, Workspace};

pub use check::{JournalSize, Scanned, WindowSize};
pub use read::{FiledRecord, RecordQuery, Records};
pub use trim::Trim;

/// Lines that were added to a file.
pub(crate) struct Added {
    /// Its size before, where it was there.
    pub(crate) before: Option<u64>,
    /// Where the lines begin.
    start: u64,
    /// Its size now.
    end: u64,
}

/// What is known about a file before it is appended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing.
    Unknown,
    /// It is not there.
    Absent,
    /// It has so many bytes, and its last line an end.
    Whole(u64),
}

/// Records that were written.
pub(crate) struct Written {
    daily: String,
    /// Where each line begins.
    offsets: Vec<u64>,
    /// The files and their sizes now.
    sizes: Vec<(String, u64)>,
}

impl Workspace {
    /// Appends records to the ledger, the window and the index. Returns why the index is behind,
    /// where it is.
    pub(crate) fn append(
        &self,
        records: &[Record],
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        let lock = self.lock_for_writing()?;
        let degraded = self.append_locked(&lock, records, now)?;
        drop(lock);
        // Others need not wait for what is done about a full window.
        Ok(degraded.or_else(|| self.compact_after(records, now)))
    }

    pub(crate) fn compact_after(&self, records: &[Record], now: Timestamp) -> Option<String> {
        let oldest = records.iter().map(|record| record.provenance.timestamp).min()?;
        self.compact_after_append(oldest, now)
    }

    pub(crate) fn append_locked(
        &self,
        lock: &Lock,
        records: &[Record],
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        self.append_with(lock, records, &MadeVectors::new(), now)
    }

    /// Appends records, of which some have vectors already.
    pub(crate) fn append_with(
        &self,
        lock: &Lock,
        records: &[Record],
        made: &MadeVectors,
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        let daily = journal::daily_path(self.day(now));
        // What another process left half done is finished first; a broken index is no reason not
        // to remember.
        let known = self.known_sizes([&daily, PRIMARY]);
        let (sizes, caught_up) = match known {
            Ok(Some(sizes)) => {
                (sizes.map(|size| size.map_or(Before::Absent, Before::Whole)), Ok(()))
            }
            Ok(None) => ([Before::Unknown; 2], self.index_locked(lock, &mut |_, _| {}).map(|_| ())),
            Err(error) => ([Before::Unknown; 2], Err(error)),
        };
        let written = self.append_lines(lock, &daily, records, sizes)?;
        let indexed = caught_up.and_then(|()| self.index_appended(records, made, &written));
        Ok(match indexed {
            Ok(without_vector) => match self.trim_locked(lock) {
                Ok(_) => without_vector,
                Err(error) => Some(format!("the window was not trimmed: {error}")),
            },
            Err(error) => Some(format!("it is in the log, but not in the index: {error}")),
        })
    }

    fn append_lines(
        &self,
        _lock: &Lock,
        daily: &str,
        records: &[Record],
        known: [Before; 2],
    ) -> Result<Written, Error> {
        let lines: Vec<String> = records.iter().map(Record::line).collect();
        let shown = lines.iter().zip(records).filter(|(_, one)| one.is_shown());
        let window: String = shown.map(|(line, _)| line.as_str()).collect();
        let day = self.add_known(daily, &lines.concat(), ("", true), known[0])?;
        let mut offset = day.start;
        let offsets = lines.iter().map(|line| {
            let at = offset;
            offset += line.len() as u64;
            at
        });
        let offsets = offsets.collect();
        let mut sizes = vec![(daily.to_owned(), day.end)];
        if !window.is_empty() {
            match self.add_known(PRIMARY, &window, (journal::HEADER, false), known[1]) {
                Ok(added) => sizes.push((PRIMARY.to_owned(), added.end)),
                Err(error) => {
                    // Nobody may hear "failed" of something that is remembered.
                    let _ = self.cut_back(daily, day.before);
                    return Err(error);
                }
            }
        }
        Ok(Written { daily: daily.to_owned(), offsets, sizes })
    }

    /// Brings into the window what a process that died had written to a day and not yet to the window.
    /// Returns whether there was anything.
    ///
    /// That is the end of a day's log, unknown to the index, and newer than all that the window shows;
    /// or of any age, where the window is as the index knows it. What else is missing there was
    /// trimmed, merged or taken out, perhaps on another machine.
    pub(crate) fn heal_window(&self, _lock: &Lock, days: &[String]) -> Result<bool, Error> {
        if days.is_empty() {
            return Ok(false);
        }
        // A window that cannot be read is left alone.
        let Ok(window) = self.read_optional(PRIMARY) else { return Ok(false) };
        let window = window.unwrap_or_default();
        let mut shown: BTreeSet<String> = BTreeSet::new();
        let mut newest = Timestamp::MIN;
        for (_, record) in journal::records(&window) {
            newest = newest.max(record.provenance.timestamp);
            shown.extend(record.merged.into_iter().flat_map(|merged| merged.ids));
            shown.insert(record.id);
        }
        // An index that was made anew has seen nothing, and cannot tell.
        let is_new = self.store()?.sources()?.is_empty();
        let is_same = !is_new && self.knows(&[PRIMARY.to_owned()])?;
        let mut lines = String::new();
        for day in days {
            let Ok(Some(text)) = self.read_optional(day) else { continue };
            let filed = self.store()?.filed_in(day)?;
            let seen: BTreeSet<String> = filed.into_iter().map(|filed| filed.event.id).collect();
            let records: Vec<Record> = journal::records(&text)
                .map(|(_, record)| record)
                .filter(Record::is_shown)
                .collect();
            let is_known =
                |record: &Record| shown.contains(&record.id) || seen.contains(&record.id);
            let end = records.iter().rposition(is_known).map_or(0, |last| last + 1);
            let missing = records[end..].iter().filter(|record| {
                is_same || (record.provenance.timestamp >= newest && !shown.is_empty())
            });
            lines.extend(missing.map(Record::line));
        }
        if lines.is_empty() {
            return Ok(false);
        }
        self.add_to(PRIMARY, &lines, journal::HEADER, false)?;
        Ok(true)
    }

    /// Adds lines to a file; on failure it is as it was.
    pub(crate) fn add_to(
        &self,
        path: &str,
        lines: &str,
        header: &str,
        durable: bool,
    ) -> Result<Added, Error> {
        self.add_known(path, lines, (header, durable), Before::Unknown)
    }

    /// Adds lines to a file of which something is known already.
    fn add_known(
        &self,
        path: &str,
        lines: &str,
        (header, durable): (&str, bool),
        known: Before,
    ) -> Result<Added, Error> {
        let full = self.root().join(path);
        let before = match known {
            Before::Absent => None,
            Before::Whole(size) => Some(size),
            Before::Unknown => self.size_of(path)?,
        };
        let mut bytes = String::with_capacity(lines.len() + header.len() + 1);
        match before {
            None | Some(0) => bytes.push_str(header),
            // A line that was cut off by a crash stays as it is, on a line of its own.
            Some(size) if known == Before::Unknown && !self.ends_line(path, size)? => {
                bytes.push('\n');
            }
            Some(_) => {}
        }
        let start = before.unwrap_or(0) + bytes.len() as u64;
        bytes.push_str(lines);
        let folder = full.parent().unwrap_or(self.root()).to_owned();
        let write = || {
            if before.is_none() {
                self.fs().create_folders(&folder)?;
                // Private before the words are in it, not after.
                self.fs().append(&full, b"")?;
                self.fs().make_private(&full)?;
            }
            if !durable {
                return self.fs().append(&full, bytes.as_bytes());
            }
            self.fs().append_durably(&full, bytes.as_bytes())?;
            if before.is_none() { self.fs().sync_folder(&folder) } else { Ok(()) }
        };
        if let Err(source) = write() {
            let _ = self.cut_back(path, before);
            return Err(Refusal::NotWritten { path: path.to_owned(), source }.into());
        }
        Ok(Added { before, start, end: before.unwrap_or(0) + bytes.len() as u64 })
    }

    fn size_of(&self, path: &str) -> Result<Option<u64>, Error> {
        let full = self.root().join(path);
        match self.fs().stat(&full) {
            Ok((Kind::File, size)) => Ok(Some(size)),
            Ok((Kind::Link, _)) => Err(ReadError::Linked { path: path.to_owned() }.into()),
            Ok(_) => Err(ReadError::NotAFile { path: path.to_owned() }.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(crate::workspace::reading(path, source)),
        }
    }

    fn ends_line(&self, path: &str, size: u64) -> Result<bool, Error> {
        let last = self
            .fs()
            .read_last_byte(&self.root().join(path), size)
            .map_err(|source| crate::workspace::reading(path, source))?;
        Ok(last == b'\n')
    }

    pub(crate) fn cut_back(&self, path: &str, size: Option<u64>) -> io::Result<()> {
        let full = self.root().join(path);
        match size {
            Some(size) => self.fs().truncate(&full, size),
            None => self.fs().remove_file(&full),
        }
    }

    fn index_appended(
        &self,
        records: &[Record],
        made: &MadeVectors,
        written: &Written,
    ) -> Result<Option<String>, Error> {
        let model = self.embedder()?.id().to_owned();
        let mut store = self.store()?;
        let filed = records.iter().zip(&written.offsets).map(|(record, offset)| Filed {
            event: record.event(),
            path: written.daily.clone(),
            offset: *offset,
        });
        let events: Vec<Filed> = filed.collect();
        let mut items: Vec<Indexable> = Vec::new();
        for mut item in records.iter().filter_map(Record::item) {
            item.place = Some(Place { path: written.daily.clone(), line: 0 });
            items.push(Indexable::plain(item));
        }
        let decided: BTreeSet<&str> = events
            .iter()
            .filter(|filed| filed.event.decision.is_some())
            .map(|filed| filed.event.item.as_str())
            .collect();
        let mut gone: Vec<String> = Vec::new();
        for id in decided {
            let at = items.iter().position(|one| one.item.id == id);
            let Some(base) = (match at {
                Some(at) => Some(items.remove(at).base),
                None => store.base(id)?,
            }) else {
                continue;
            };
            let mut all = store.filed(id)?;
            all.extend(events.iter().filter(|filed| filed.event.item == id).cloned());
            all.sort_by(|a, b| a.order().cmp(&b.order()));
            if journal::is_taken_back(id, all.iter().map(|filed| &filed.event)) {
                gone.push(id.to_owned());
                continue;
            }
            let mut item = base.clone();
            journal::fold(&mut item, all.iter().map(|filed| &filed.event));
            let one = Indexable { base, item, position: None };
            items.insert(at.unwrap_or(items.len()), one);
        }
        let prepared = self.prepared_with(&items, made)?;
        // A file that somebody else wrote to in between is looked at again.
        let sources = written.sizes.iter().filter_map(|(path, size)| {
            let stamp = self.fs().stamp(&self.root().join(path)).ok()?;
            (stamp.size == *size).then(|| (path.clone(), Some(self.stamp_text(path, &stamp))))
        });
        let sources = sources.collect();
        let put = prepared.puts;
        store.apply(&Batch { model, events, put, sources, remove: gone, ..Batch::default() })?;
        Ok(prepared.failed)
    }
}
