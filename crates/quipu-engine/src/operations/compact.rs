//! Compaction of the journal's window.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::compaction::{CompactRequest, Compacted, Reason};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::{FileChange, changes};
use crate::upkeep;
use crate::workspace::Workspace;

/// Merge old notes and turns of MEMORY.md into summaries; nothing is lost
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Compact {
    /// Only when compaction is on and due: for cron, hooks and heartbeats
    #[arg(long)]
    #[serde(default)]
    pub if_due: bool,
    /// Also where MEMORY.md is below the threshold
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A window that was compacted, by the original's names.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactedWindow {
    /// What was done.
    #[serde(flatten)]
    pub done: Compacted,
    /// Whether it only shows what would be done.
    pub dry_run: bool,
    /// The lines that would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<FileChange>>,
}

impl Output for CompactedWindow {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        each(&mut self.done.summary);
    }
}

impl Operation for Compact {
    const NAME: &'static str = "compact";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = CompactedWindow;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<CompactedWindow, OperationError> {
        let (dry_run, if_due, force) = (self.dry.dry_run, self.if_due, self.force);
        let done = upkeep::compact(on, &CompactRequest { now: call.now, if_due, force, dry_run })?;
        if done.reason == Some(Reason::LockHeld) {
            return Err(OperationError::busy("another compaction is at work"));
        }
        let changes = dry_run.then(|| changes(&done.diff));
        Ok(CompactedWindow { done, dry_run, changes })
    }
}
