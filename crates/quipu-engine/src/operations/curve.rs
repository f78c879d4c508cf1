//! How much of a memory is left, over time.

use std::path::PathBuf;

use clap::Args;
use quipu_core::lifecycle::Decay;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Permission;
use crate::numbers;
use crate::operation::input::names;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Plot how much of a memory is left, over time
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Curve {
    /// The id, or a beginning of it that only it has
    pub id: String,
    /// How far to look ahead
    #[arg(long, value_name = "N", default_value_t = 90)]
    #[serde(default = "a_quarter")]
    pub days: u32,
    /// How retention falls (default: lifecycle.retention)
    #[arg(long, value_parser = names!(Decay))]
    pub mode: Option<Decay>,
    /// Draw it into this SVG file too
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub svg: Option<PathBuf>,
}

fn a_quarter() -> u32 {
    90
}

impl Output for numbers::Curve {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Curve {
    const NAME: &'static str = "curve";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = numbers::Curve;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<numbers::Curve, OperationError> {
        numbers::curve(on, &self.id, self.mode, self.days, call.now)
    }
}
