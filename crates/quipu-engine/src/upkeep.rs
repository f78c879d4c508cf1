//! Compaction as it is scheduled: when it is due, and what is looked for on the way.

use jiff::{SignedDuration, Timestamp};
use quipu_core::journal::schedule::{Due, Schedule};

use crate::compaction::{self, CompactRequest, Compacted, Reason, skipped};
use crate::error::Error;
use crate::experiences;
use crate::workspace::Workspace;

/// Returns when compaction runs.
fn schedule(workspace: &Workspace) -> Schedule {
    let continuity = &workspace.config().continuity;
    match &continuity.memory_compaction_schedule_cron {
        Some(cron) => Schedule::Cron(cron.clone(), workspace.zone().clone()),
        None => Schedule::Interval(SignedDuration::from_millis(
            i64::try_from(continuity.memory_compaction_interval_ms).unwrap_or(i64::MAX),
        )),
    }
}

/// Tells whether a compaction is due.
pub fn compaction_due(workspace: &Workspace, now: Timestamp) -> Due {
    schedule(workspace).due(compaction::last_run(workspace).at, now)
}

/// Merges old notes and turns of the window.
///
/// # Errors
/// When a file cannot be read or written; then everything is as it was.
pub fn compact(workspace: &Workspace, request: &CompactRequest) -> Result<Compacted, Error> {
    let due = compaction_due(workspace, request.now);
    if request.if_due && !due.is_due {
        return Ok(Compacted { next: due.next, ..skipped(Reason::NotDue) });
    }
    let mut done = if request.if_due && !workspace.config().continuity.memory_compaction_enabled {
        skipped(Reason::Disabled)
    } else {
        compaction::compact_now(workspace, request)?
    };
    let is_held = done.reason == Some(Reason::LockHeld);
    if !request.dry_run && !is_held {
        match experiences::extract_experiences(workspace) {
            Ok(added) => done.experiences = added,
            Err(error) => {
                done.degraded = Some(format!("no experiences were looked for: {error}"));
            }
        }
        if done.reason != Some(Reason::Disabled) {
            compaction::keep_last_run(
                workspace,
                &compaction::last_run(workspace).run_at(request.now),
            );
        }
    }
    if request.if_due && !is_held {
        done.next = schedule(workspace).due(Some(request.now), request.now).next;
    }
    Ok(done)
}
