//! The codebase layer: what the source files declare.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::codebase::{self, CodeScan};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Read what the source files declare into the codebase layer; only what changed is read again
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Scan {
    /// Forget what was read from code
    #[arg(long)]
    #[serde(default)]
    pub forget: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What became of the codebase layer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Scanned {
    /// It was forgotten.
    Forgotten {
        /// How many items it had.
        forgotten: usize,
        /// There where it only shows what would be forgotten.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        dry_run: bool,
    },
    /// The code was read.
    Read {
        /// What was found.
        #[serde(flatten)]
        scan: CodeScan,
        /// Whether it only shows what would be read.
        dry_run: bool,
    },
}

impl Output for Scanned {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Scan {
    const NAME: &'static str = "scan";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Scanned;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Scanned, OperationError> {
        let dry_run = self.dry.dry_run;
        if self.forget {
            return Ok(Scanned::Forgotten {
                forgotten: codebase::forget_code(on, dry_run)?,
                dry_run,
            });
        }
        // This work cannot be stopped half way.
        let mut progress = |done: usize, total: usize| {
            (call.progress)("reading code", done, total);
        };
        let scan = codebase::scan_code(on, call.now, dry_run, &mut progress)?;
        Ok(Scanned::Read { scan, dry_run })
    }
}
