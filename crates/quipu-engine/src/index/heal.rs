//! Finishing what a process that died had begun to remember.

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::journal::entry::{self, Entry};
use quipu_core::journal::{self, PRIMARY};
use quipu_core::text;

use super::knows;
use super::store;
use crate::error::Error;
use crate::ledger;
use crate::lock::Lock;
use crate::workspace::Workspace;

/// Brings into the window what a process that died had written to a day and not yet to the window.
/// Returns whether there was anything.
///
/// That is the end of a day's log, unknown to the index, and newer than all that the window shows;
/// or of any age, where the window is as the index knows it. What else is missing there was
/// trimmed, merged or taken out, perhaps on another machine.
pub(crate) fn heal_window(
    workspace: &Workspace,
    _lock: &Lock,
    days: &[String],
) -> Result<bool, Error> {
    if days.is_empty() {
        return Ok(false);
    }
    // A window that cannot be read is left alone.
    let Ok(window) = workspace.read_optional(PRIMARY) else { return Ok(false) };
    let window = window.unwrap_or_default();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    let mut newest = Timestamp::MIN;
    for (_, record) in journal::records(&window) {
        newest = newest.max(record.provenance.timestamp);
        shown.extend(record.merged.into_iter().flat_map(|merged| merged.ids));
        shown.insert(record.id);
    }
    // An index that was made anew has seen nothing, and cannot tell.
    let is_new = store(workspace)?.sources()?.is_empty();
    let is_same = !is_new && knows(workspace, &[PRIMARY.to_owned()])?;
    let mut lines = String::new();
    for day in days {
        let Ok(Some(text)) = workspace.read_optional(day) else { continue };
        let filed = store(workspace)?.filed_in(day)?;
        let seen: BTreeSet<String> = filed.into_iter().map(|filed| filed.event.id).collect();
        let entries: Vec<Entry> =
            entry::entries(&text).filter(|entry| entry.record.is_shown()).collect();
        let is_known =
            |Entry { record, .. }: &Entry| shown.contains(&record.id) || seen.contains(&record.id);
        let end = entries.iter().rposition(is_known).map_or(0, |last| last + 1);
        let missing = entries[end..].iter().filter(|entry| {
            let time = entry.record.provenance.timestamp;
            is_same || (time >= newest && !shown.is_empty())
        });
        for entry in missing {
            lines.push_str(text[entry.span.clone()].trim_end_matches(['\r', '\n']));
            lines.push('\n');
        }
    }
    if lines.is_empty() {
        return Ok(false);
    }
    let header = journal::header(ledger::form(workspace)?);
    let lines = text::with_line_ending(&lines, ledger::line_ending(workspace, PRIMARY));
    ledger::add_to(workspace, PRIMARY, &lines, header, false)?;
    Ok(true)
}
