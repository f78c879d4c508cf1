//! Taking back what was applied.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::transaction::Manifest;
use crate::undo;
use crate::workspace::Workspace;

/// Take back what was applied last
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Undo {
    /// List what can be undone, newest first
    #[arg(short, long)]
    #[serde(default)]
    pub list: bool,
    /// Take it back although something was remembered since, which stays
    #[arg(long)]
    #[serde(default)]
    pub past_records: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What was taken back, or could be.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Undone {
    /// What can be undone.
    Listed {
        /// The operations, newest first.
        history: Vec<Manifest>,
    },
    /// What was undone.
    Done {
        /// The operation.
        undone: Manifest,
        /// Whether it only shows what would be undone.
        dry_run: bool,
    },
}

impl Output for Undone {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Listed { history } if history.is_empty())
    }
}

impl Operation for Undo {
    const NAME: &'static str = "undo";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Undone;

    fn effect(&self) -> Effect {
        if self.list { Effect::Reads } else { self.dry.effect(Self::EFFECT) }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Undone, OperationError> {
        if self.list {
            return Ok(Undone::Listed { history: undo::undo_history(on)? });
        }
        let dry_run = self.dry.dry_run;
        let undone = undo::undo(on, call.now, dry_run, self.past_records)?;
        Ok(Undone::Done { undone, dry_run })
    }
}
