//! Taking back what was written, and bringing it back.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::undo::{self, Change};
use crate::workspace::Workspace;

/// Take back a change: the last one, or the one of an id
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Undo {
    /// The change, as `undo --list` and every answer name it; by default the last one
    pub change: Option<String>,
    /// List the changes that can be undone, newest first
    #[arg(short, long, conflicts_with = "change")]
    #[serde(default)]
    pub list: bool,
    /// How many changes to list
    #[arg(short = 'k', long, default_value_t = 20, requires = "list")]
    #[serde(default = "most_listed")]
    pub limit: usize,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

fn most_listed() -> usize {
    20
}

/// Bring back what the last undo took back
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Redo {
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What was taken back, or could be.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Undone {
    /// The changes that are known.
    Listed {
        /// The changes, newest first.
        history: Vec<Change>,
    },
    /// What was taken back.
    Done {
        /// The change.
        undone: Change,
        /// Whether it only shows what would be undone.
        dry_run: bool,
    },
}

impl Output for Undone {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        let changes = match self {
            Self::Listed { history } => history.iter_mut().collect(),
            Self::Done { undone, .. } => vec![undone],
        };
        changes.into_iter().flat_map(|change| &mut change.what).for_each(each);
    }

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Listed { history } if history.is_empty())
    }
}

impl Operation for Undo {
    const NAME: &'static str = "undo";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Take back one of your changes, by the change id in its answer. By default the last one.",
    );
    type Output = Undone;

    fn effect(&self) -> Effect {
        if self.list { Effect::Reads } else { self.dry.effect(Self::EFFECT) }
    }

    fn home<'w>(&self, on: &'w Workspace) -> &'w Workspace {
        if self.list || self.change.is_some() { on } else { undo::changed_last(on) }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Undone, OperationError> {
        if self.list {
            let list = if call.scope.is_none() { undo::changes_of_all } else { undo::changes };
            return Ok(Undone::Listed { history: list(on, self.limit)? });
        }
        let dry_run = self.dry.dry_run;
        let request = call.request(Self::NAME, dry_run);
        let undone = undo::undo(on, self.change.as_deref(), &request)?;
        Ok(Undone::Done { undone, dry_run })
    }
}

impl Operation for Redo {
    const NAME: &'static str = "redo";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Undone;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn home<'w>(&self, on: &'w Workspace) -> &'w Workspace {
        undo::undone_last(on)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Undone, OperationError> {
        let dry_run = self.dry.dry_run;
        let undone = undo::redo(on, &call.request(Self::NAME, dry_run))?;
        Ok(Undone::Done { undone, dry_run })
    }
}
