//! The memory at a glance.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Permission;
use crate::glance;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Show the memory at a glance
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Status {}

impl Output for glance::Status {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Status {
    const NAME: &'static str = "status";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "How much is remembered, what is open, and whether a review is due. Not for finding memories: \
         that is `recall`.",
    );
    type Output = glance::Status;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<glance::Status, OperationError> {
        glance::status(on, call.now)
    }
}
