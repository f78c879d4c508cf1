//! Writing to the journal's files: the day's log is the ledger, `MEMORY.md` a window on it, and the
//! index a projection. Both are healed from the log.

mod check;
mod current;
mod read;
mod tracked;
mod trim;

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::item::{Decision, Filed, Place};
use quipu_core::journal::{self, Form, LIFECYCLE, PRIMARY, Record};
use quipu_core::text;
use quipu_store::Batch;

pub(crate) use self::check::{broken_records, has_journal, scan_rules};
pub use self::check::{journal_size, scan_journal};
pub(crate) use self::current::{record_edits_by_hand, show_current_words};
pub use self::read::{record, records, tail};
pub(crate) use self::tracked::tracked_findings;
pub(crate) use self::trim::{leaving, may_hold_more, trim_locked};
pub use self::trim::{trim, window_limits};
use crate::embedding::{self, MadeVectors};
use crate::error::Error;
use crate::found::Indexable;
use crate::index;
use crate::ledger::{self, Before};
use crate::lock::Lock;
use crate::transaction::log::FileEdit;
use crate::workspace::{Workspace, stamp};

pub use check::{JournalSize, Scanned, WindowSize};
pub use read::{FiledRecord, RecordQuery, Records};
pub use trim::Trim;

/// Records that were written.
pub(crate) struct Written {
    /// The file that each is in, and where it begins.
    places: Vec<(String, u64)>,
    /// The files and their sizes now.
    sizes: Vec<(String, u64)>,
    /// What was put into files that are not the ledger.
    edits: Vec<FileEdit>,
}

/// Text for one file of the journal.
struct Addition {
    path: String,
    text: String,
    header: &'static str,
    /// Whether it is safe on disk before anyone hears of it.
    durable: bool,
    /// The records in it, by their number, and where each begins.
    records: Vec<(usize, usize)>,
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
    // A broken index is no reason not to remember, and what it cannot tell is told another time.
    if !matches!(index::known_sizes(workspace, &[PRIMARY]), Ok(Some(_))) {
        let _ = index::index_locked(workspace, lock, &mut |_, _| {});
    }
    let _ = record_edits_by_hand(workspace, lock, now);
    let (degraded, written) = write_records(workspace, lock, records, made, now)?;
    let transactions = workspace.transactions();
    transactions.note(&stamp(now), logged(records), written, "journal append");
    Ok(degraded)
}

/// Writes records. Returns why the index does not have them yet, where it does not, and what was put into files
/// that are not the ledger.
fn write_records(
    workspace: &Workspace,
    lock: &Lock,
    records: &[Record],
    made: &MadeVectors,
    now: Timestamp,
) -> Result<(Option<String>, Vec<FileEdit>), Error> {
    let additions = additions(workspace, records, now)?;
    // What another process left half done is finished first; a broken index is no reason not
    // to remember.
    let paths: Vec<&str> = additions.iter().map(|one| one.path.as_str()).collect();
    tracked::refuse_tracked(workspace, &paths)?;
    let unknown = vec![Before::Unknown; paths.len()];
    let (sizes, caught_up) = match index::known_sizes(workspace, &paths) {
        Ok(Some(sizes)) => {
            let known = sizes.into_iter().map(|size| size.map_or(Before::Absent, Before::Whole));
            (known.collect(), Ok(()))
        }
        Ok(None) => (unknown, index::index_locked(workspace, lock, &mut |_, _| {}).map(|_| ())),
        Err(error) => (unknown, Err(error)),
    };
    let mut written = add_all(workspace, lock, &additions, &sizes, records.len())?;
    let indexed = caught_up.and_then(|()| index_appended(workspace, records, made, &written));
    let degraded = match indexed {
        Ok(without_vector) => match trim_locked(workspace, lock) {
            Ok(trim) => {
                written.edits.extend(trim.edits);
                without_vector
            }
            Err(error) => Some(format!("the window was not trimmed: {error}")),
        },
        Err(error) => Some(format!("it is in the log, but not in the index: {error}")),
    };
    if degraded.is_none() {
        let edited =
            records.iter().filter(|one| matches!(one.decision, Some(Decision::Edit { .. })));
        let edited = edited.filter_map(|record| record.target.clone()).collect();
        // The window follows; where it cannot now, the next edit or undo brings it along.
        let _ = show_current_words(workspace, lock, &edited);
    }
    Ok((degraded, written.edits))
}

/// Returns how the change log names records: by their ids, and events with the items that they are about.
fn logged(records: &[Record]) -> Vec<String> {
    let events = records.iter().map(Record::event);
    let name = |id: String, item: String| if id == item { id } else { format!("{id}@{item}") };
    events.map(|event| name(event.id, event.item)).collect()
}

/// Returns what is added to which file: the day's log first, then what happened to memories, and the
/// window last.
fn additions(
    workspace: &Workspace,
    records: &[Record],
    now: Timestamp,
) -> Result<Vec<Addition>, Error> {
    let (day, form) = (workspace.day(now), ledger::form(workspace)?);
    let is_event = |record: &Record| form == Form::Markdown && record.category == LIFECYCLE;
    // How new something was can be lost in a power cut: it only tilts the order of answers.
    let is_lasting = |record: &Record| !matches!(record.decision, Some(Decision::Weigh(_)));
    let mut log = Addition::to(journal::daily_path(day), "");
    log.durable = true;
    let mut events = Addition::to(journal::events_path(day), "");
    let mut window = Addition::to(PRIMARY.to_owned(), journal::header(form));
    for (number, record) in records.iter().enumerate() {
        if is_event(record) {
            events.durable |= is_lasting(record);
            events.push(Some(number), &record.written(Form::Bare));
            continue;
        }
        let text = record.written(form);
        log.push(Some(number), &text);
        if record.is_shown() {
            window.push(None, &text);
        }
    }
    // Whoever edits the window may have ends of lines of their own.
    window.text = text::with_line_ending(&window.text, ledger::line_ending(workspace, PRIMARY));
    Ok([log, events, window].into_iter().filter(|one| !one.text.is_empty()).collect())
}

impl Addition {
    fn to(path: String, header: &'static str) -> Self {
        Self { path, text: String::new(), header, durable: false, records: Vec::new() }
    }

    fn push(&mut self, number: Option<usize>, text: &str) {
        self.records.extend(number.map(|number| (number, self.text.len())));
        self.text.push_str(text);
    }
}

/// Adds to all of the files or to none. The ledger is safe when this returns.
fn add_all(
    workspace: &Workspace,
    _lock: &Lock,
    additions: &[Addition],
    known: &[Before],
    count: usize,
) -> Result<Written, Error> {
    let mut places = vec![(String::new(), 0); count];
    let (mut sizes, mut edits) = (Vec::new(), Vec::new());
    let mut done: Vec<(&str, Option<u64>)> = Vec::new();
    for (one, known) in additions.iter().zip(known) {
        let how = (one.header, one.durable);
        let added = match ledger::add_known(workspace, &one.path, &one.text, how, *known) {
            Ok(added) => added,
            Err(error) => {
                // Nobody may hear "failed" of something that is remembered.
                for (path, before) in done {
                    let _ = ledger::cut_back(workspace, path, before);
                }
                return Err(error);
            }
        };
        for (record, at) in &one.records {
            places[*record] = (one.path.clone(), added.start + *at as u64);
        }
        done.push((&one.path, added.before));
        if !journal::is_ledger(&one.path) {
            edits.push(added.edit_of(&one.path));
        }
        sizes.push((one.path.clone(), added.end));
    }
    Ok(Written { places, sizes, edits })
}

fn index_appended(
    workspace: &Workspace,
    records: &[Record],
    made: &MadeVectors,
    written: &Written,
) -> Result<Option<String>, Error> {
    let model = embedding::embedder(workspace)?.id().to_owned();
    let mut store = index::store(workspace)?;
    let filed = records.iter().zip(&written.places).map(|(record, (path, offset))| Filed {
        event: record.event(),
        path: path.clone(),
        offset: *offset,
    });
    let events: Vec<Filed> = filed.collect();
    let mut items: Vec<Indexable> = Vec::new();
    for (record, (path, _)) in records.iter().zip(&written.places) {
        let Some(mut item) = record.item() else { continue };
        item.place = Some(Place { path: path.clone(), line: 0 });
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
