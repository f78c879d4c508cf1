//! Keeping words current, both ways: `MEMORY.md` shows what memories say now, and what a person changed in
//! it with an editor becomes an event.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use quipu_core::item::Decision;
use quipu_core::journal::window::{Entry, entries};
use quipu_core::journal::{PRIMARY, Record, entry};
use quipu_core::text;

use super::{logged, write_records};
use crate::by_hand;
use crate::caller::{Caller, OPERATOR};
use crate::config::OnSecret;
use crate::embedding::MadeVectors;
use crate::error::Error;
use crate::ids::new_id;
use crate::index;
use crate::lock::Lock;
use crate::operation::Request;
use crate::records::decision_record;
use crate::secret_policy;
use crate::transaction::log::OpenChange;
use crate::workspace::{Workspace, stamp};

/// Rewrites the window's lines of these memories where they say something else now.
pub(crate) fn show_current_words(
    workspace: &Workspace,
    _lock: &Lock,
    ids: &BTreeSet<String>,
) -> Result<(), Error> {
    if ids.is_empty() {
        return Ok(());
    }
    let Some(window) = workspace.read_optional(PRIMARY)? else { return Ok(()) };
    let mut current = String::with_capacity(window.len());
    let mut from = 0;
    for entry in entries(&window) {
        let record = &entry.record;
        if !ids.contains(&record.id) {
            continue;
        }
        let Some(item) = index::store(workspace)?.get(&record.id)? else { continue };
        if item.text == record.text {
            continue;
        }
        current.push_str(&window[from..entry.span.start]);
        let lines = written(workspace, &entry, item.text)?;
        let ending = text::line_ending(&window[entry.span.clone()]);
        current.push_str(&text::with_line_ending(&lines, ending));
        from = entry.span.end;
    }
    if from == 0 {
        return Ok(());
    }
    current.push_str(&window[from..]);
    Ok(workspace.transactions().replace(PRIMARY, current.as_bytes(), window.as_bytes())?)
}

/// Returns a record's lines with other words; the very lines of its day where those are the words again.
fn written(workspace: &Workspace, entry: &Entry, words: String) -> Result<String, Error> {
    let id = &entry.record.id;
    let filed = index::store(workspace)?.filed(id)?;
    if let Some(home) = filed.iter().find(|filed| filed.event.id == *id)
        && let Some(day) = workspace.read_optional(&home.path)?
        && let Some(first) = entry::entries(&day).find(|one| one.record.id == *id)
        && first.record.text == words
    {
        return Ok(day[first.span].to_owned());
    }
    Ok(Record { text: words, ..entry.record.clone() }.written(entry.form))
}

/// Writes down what a person changed in the window with an editor, before anything else is written.
pub(crate) fn record_edits_by_hand(
    workspace: &Workspace,
    lock: &Lock,
    now: Timestamp,
) -> Result<(), Error> {
    if !index::window_wants_a_look(workspace)? {
        return Ok(());
    }
    let Some(window) = workspace.read_optional(PRIMARY)? else { return Ok(()) };
    let edits = {
        let store = index::store(workspace)?;
        let events_of =
            |id: &str| Ok(store.filed(id)?.into_iter().map(|filed| filed.event).collect());
        by_hand::edits_by_hand(&window, &|id| Ok(store.base(id)?), &events_of)?
    };
    if edits.is_empty() {
        return Ok(());
    }
    let today = now.to_zoned(TimeZone::UTC).date();
    let caller = Caller::PERSON;
    let request =
        Request { operation: "edit by hand", now, today, session: None, dry_run: false, caller };
    let session = workspace.day(now).to_string();
    let mut records = Vec::new();
    for (id, words) in edits {
        let text = secret_policy::guarded(OnSecret::Redact, &words)?.into_owned();
        let reason = "changed in MEMORY.md";
        records.push(decision_record(&id, Decision::Edit { text }, reason, &session, &request)?);
    }
    let (_, edits) = write_records(workspace, lock, &records, &MadeVectors::new(), now)?;
    // It is the person's change, and not a part of what is written next.
    let change = OpenChange {
        id: new_id()?,
        operation: request.operation.to_owned(),
        by: OPERATOR.to_owned(),
        key: None,
        has_written: Arc::default(),
    };
    let transactions = workspace.transactions().within(Some(change));
    transactions.note(&stamp(now), logged(&records), edits, request.operation);
    index::window_was_looked_at(workspace)
}
