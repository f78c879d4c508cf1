//! Vectors that take less room.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::index::heard;
use crate::caller::Permission;
use crate::compress::{self, CompressReport};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Let vectors of what has faded take less room; what comes back gets its own again
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Compress {
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Output for CompressReport {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Compress {
    const NAME: &'static str = "compress";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Admin;
    const AUDIENCE: Audience = Audience::Main;
    type Output = CompressReport;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<CompressReport, OperationError> {
        compress::compress(on, call.now, self.dry.dry_run, &mut heard(call, "compressing"))
    }
}
