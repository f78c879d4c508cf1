//! Writing to the journal's files: the day's log is the ledger, `MEMORY.md` a window on it, and the
//! index a projection. Both are healed from the log.

mod check;
mod read;
mod trim;

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::item::{Filed, Place};
use quipu_core::journal::{self, PRIMARY, Record};
use quipu_store::Batch;

use crate::embedding::MadeVectors;
use crate::error::Error;
use crate::found::Indexable;
use crate::ledger::Before;
use crate::lock::Lock;
use crate::workspace::Workspace;

pub use check::{JournalSize, Scanned, WindowSize};
pub use read::{FiledRecord, RecordQuery, Records};
pub use trim::Trim;

/// Records that were written.
pub(crate) struct Written {
    daily: String,
    /// Where each line begins.
    offsets: Vec<u64>,
    /// The files and their sizes now.
    sizes: Vec<(String, u64)>,
}

impl Workspace {
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
