//! Putting right what an older version did.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::repair::{self, Repairs};
use crate::workspace::Workspace;

/// Show what version 0.1 archived too early, and bring it back with `--apply`
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Repair {
    /// Put it right; `quipu undo` takes that back
    #[arg(long)]
    #[serde(default)]
    pub apply: bool,
}

/// What there is to put right, or what was.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Repaired {
    /// What was found.
    #[serde(flatten)]
    pub found: Repairs,
    /// Whether it was put right.
    pub applied: bool,
}

impl Output for Repaired {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        let archived = self.found.archived.iter_mut().map(|one| &mut one.text);
        let aged = self.found.aged.iter_mut().map(|one| &mut one.text);
        archived.chain(aged).for_each(each);
    }
}

impl Operation for Repair {
    const NAME: &'static str = "repair";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const LOOKS_FIRST: bool = true;
    type Output = Repaired;

    fn effect(&self) -> Effect {
        if self.apply { Self::EFFECT } else { Effect::Reads }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Repaired, OperationError> {
        let request = call.request("repair", !self.apply);
        Ok(Repaired { found: repair::repair(on, &request)?, applied: self.apply })
    }
}
