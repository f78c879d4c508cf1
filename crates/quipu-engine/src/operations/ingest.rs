//! Reading documents into the memory.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Permission;
use crate::ingest::{self, Ingested};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Read documents (Markdown, text, HTML, mail), so that they are found by what stands in them
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Ingest {
    /// Files, folders and archives
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Output for Ingested {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.documents.iter_mut().filter_map(|one| one.title.as_mut()).for_each(each);
    }

    fn wants_attention(&self) -> bool {
        self.documents.is_empty()
    }
}

impl Operation for Ingest {
    const NAME: &'static str = "ingest";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Here;
    type Output = Ingested;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Ingested, OperationError> {
        let request = call.request(Self::NAME, self.dry.dry_run);
        ingest::ingest(on, &self.paths, &request, call.progress)
    }
}
