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

pub(crate) use self::check::{broken_records, has_journal, scan_rules};
pub use self::check::{journal_size, scan_journal};
pub use self::read::{record, records, tail};
pub(crate) use self::trim::{leaving, may_hold_more, trim_locked};
pub use self::trim::{trim, window_limits};
use crate::embedding::{self, MadeVectors};
use crate::error::Error;
use crate::found::Indexable;
use crate::index;
use crate::ledger::{self, Before};
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

pub(crate) fn append_locked(
    workspace: &Workspace,
    lock: &Lock,
    records: &[Record],
    now: Timestamp,
) -> Result<Option<String>, Error> {
    append_with(workspace, lock, records, &MadeVectors::new(), now)
}

/// Appends records, of which some have vectors already.
pub(crate) fn append_with(
    workspace: &Workspace,
    lock: &Lock,
    records: &[Record],
    made: &MadeVectors,
    now: Timestamp,
) -> Result<Option<String>, Error> {
    let daily = journal::daily_path(workspace.day(now));
    // What another process left half done is finished first; a broken index is no reason not
    // to remember.
    let known = index::known_sizes(workspace, [&daily, PRIMARY]);
    let (sizes, caught_up) = match known {
        Ok(Some(sizes)) => (sizes.map(|size| size.map_or(Before::Absent, Before::Whole)), Ok(())),
        Ok(None) => {
            ([Before::Unknown; 2], index::index_locked(workspace, lock, &mut |_, _| {}).map(|_| ()))
        }
        Err(error) => ([Before::Unknown; 2], Err(error)),
    };
    let written = append_lines(workspace, lock, &daily, records, sizes)?;
    let indexed = caught_up.and_then(|()| index_appended(workspace, records, made, &written));
    Ok(match indexed {
        Ok(without_vector) => match trim_locked(workspace, lock) {
            Ok(_) => without_vector,
            Err(error) => Some(format!("the window was not trimmed: {error}")),
        },
        Err(error) => Some(format!("it is in the log, but not in the index: {error}")),
    })
}

fn append_lines(
    workspace: &Workspace,
    _lock: &Lock,
    daily: &str,
    records: &[Record],
    known: [Before; 2],
) -> Result<Written, Error> {
    let lines: Vec<String> = records.iter().map(Record::line).collect();
    let shown = lines.iter().zip(records).filter(|(_, one)| one.is_shown());
    let window: String = shown.map(|(line, _)| line.as_str()).collect();
    let day = ledger::add_known(workspace, daily, &lines.concat(), ("", true), known[0])?;
    let mut offset = day.start;
    let offsets = lines.iter().map(|line| {
        let at = offset;
        offset += line.len() as u64;
        at
    });
    let offsets = offsets.collect();
    let mut sizes = vec![(daily.to_owned(), day.end)];
    if !window.is_empty() {
        match ledger::add_known(workspace, PRIMARY, &window, (journal::HEADER, false), known[1]) {
            Ok(added) => sizes.push((PRIMARY.to_owned(), added.end)),
            Err(error) => {
                // Nobody may hear "failed" of something that is remembered.
                let _ = ledger::cut_back(workspace, daily, day.before);
                return Err(error);
            }
        }
    }
    Ok(Written { daily: daily.to_owned(), offsets, sizes })
}

fn index_appended(
    workspace: &Workspace,
    records: &[Record],
    made: &MadeVectors,
    written: &Written,
) -> Result<Option<String>, Error> {
    let model = embedding::embedder(workspace)?.id().to_owned();
    let mut store = index::store(workspace)?;
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
    let prepared = embedding::prepared_with(workspace, &items, made)?;
    // A file that somebody else wrote to in between is looked at again.
    let sources = written.sizes.iter().filter_map(|(path, size)| {
        let stamp = workspace.fs().stamp(&workspace.root().join(path)).ok()?;
        (stamp.size == *size)
            .then(|| (path.clone(), Some(index::stamp_text(workspace, path, &stamp))))
    });
    let sources = sources.collect();
    let put = prepared.puts;
    store.apply(&Batch { model, events, put, sources, remove: gone, ..Batch::default() })?;
    Ok(prepared.failed)
}
