//! Taking back the last operation.

use jiff::Timestamp;
use quipu_core::journal;

use crate::error::Error;
use crate::ledger;
use crate::refusal::Refusal;
use crate::transaction::Manifest;
use crate::workspace::{Workspace, stamp};

/// Takes back the last operation.
///
/// # Errors
/// When there is none, or a file was edited since.
pub fn undo(
    workspace: &Workspace,
    now: Timestamp,
    dry_run: bool,
    past_records: bool,
) -> Result<Manifest, Error> {
    let _lock =
        if dry_run { workspace.lock_for_reading()? } else { Some(workspace.lock_for_writing()?) };
    if !past_records {
        refuse_to_pass_records(workspace)?;
    }
    let undone = workspace.transactions().undo_last(&stamp(now), dry_run)?;
    if !dry_run && ["init", "upgrade"].contains(&undone.operation.as_str()) {
        for path in undone.paths.iter().filter(|path| !path.starts_with(".quipu/")) {
            workspace.remove_empty_folders(path);
        }
    }
    Ok(undone)
}

/// Whoever has just remembered something and says "undo" does not mean what was before it.
fn refuse_to_pass_records(workspace: &Workspace) -> Result<(), Error> {
    let history = workspace.transactions().history()?;
    let Some(last) = history.iter().find(|entry| entry.undoes.is_none()) else { return Ok(()) };
    let Ok(at) = last.at.parse::<Timestamp>() else { return Ok(()) };
    let newest = newest_record(workspace)?;
    match newest {
        // Without its beginning a memory is nothing, whatever the clocks say.
        Some((id, time)) if time.as_second() > at.as_second() || last.operation == "init" => {
            let operation = last.operation.clone();
            Err(Refusal::RecordSince { id, operation }.into())
        }
        _ => Ok(()),
    }
}

/// Returns the last record of the newest day, and when it was written.
fn newest_record(workspace: &Workspace) -> Result<Option<(String, Timestamp)>, Error> {
    let days = ledger::days(workspace)?;
    let Some(day) = days.last() else { return Ok(None) };
    let text = workspace.read_optional(day)?.unwrap_or_default();
    let last = journal::records(&text).last();
    Ok(last.map(|(_, record)| {
        let id = record.target.clone().unwrap_or(record.id);
        (id, record.provenance.timestamp)
    }))
}

/// Returns what can be undone, newest first.
///
/// # Errors
/// When the record cannot be read.
pub fn undo_history(workspace: &Workspace) -> Result<Vec<Manifest>, Error> {
    let _lock = workspace.lock_for_reading()?;
    Ok(workspace.transactions().history()?)
}
