//! Compaction as it is scheduled: when it is due, and what is looked for on the way.

use jiff::{SignedDuration, Timestamp};
use quipu_core::journal::schedule::{Due, Schedule};

use crate::compaction::{CompactRequest, Compacted, Reason, skipped};
use crate::error::Error;
use crate::workspace::Workspace;

impl Workspace {
    /// Returns when compaction runs.
    fn schedule(&self) -> Schedule {
        let continuity = &self.config().continuity;
        match &continuity.memory_compaction_schedule_cron {
            Some(cron) => Schedule::Cron(cron.clone(), self.zone().clone()),
            None => Schedule::Interval(SignedDuration::from_millis(
                i64::try_from(continuity.memory_compaction_interval_ms).unwrap_or(i64::MAX),
            )),
        }
    }

    /// Tells whether a compaction is due.
    pub fn compaction_due(&self, now: Timestamp) -> Due {
        self.schedule().due(self.last_run().at, now)
    }

    /// Merges old notes and turns of the window.
    ///
    /// # Errors
    /// When a file cannot be read or written; then everything is as it was.
    pub fn compact(&self, request: &CompactRequest) -> Result<Compacted, Error> {
        let due = self.compaction_due(request.now);
        if request.if_due && !due.is_due {
            return Ok(Compacted { next: due.next, ..skipped(Reason::NotDue) });
        }
        let mut done = if request.if_due && !self.config().continuity.memory_compaction_enabled {
            skipped(Reason::Disabled)
        } else {
            self.compact_now(request)?
        };
        let is_held = done.reason == Some(Reason::LockHeld);
        if !request.dry_run && !is_held {
            match self.extract_experiences() {
                Ok(added) => done.experiences = added,
                Err(error) => {
                    done.degraded = Some(format!("no experiences were looked for: {error}"));
                }
            }
            if done.reason != Some(Reason::Disabled) {
                self.keep_last_run(&self.last_run().run_at(request.now));
            }
        }
        if request.if_due && !is_held {
            done.next = self.schedule().due(Some(request.now), request.now).next;
        }
        Ok(done)
    }
}
