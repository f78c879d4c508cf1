//! Reading documents into the memory.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::caller::Permission;
use crate::ingest::{self, Asked, Ingested};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Read documents (Markdown, text, HTML, mail, PDF, DOCX, PPTX, ODT, EPUB), so that they are found by what they say
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Ingest {
    /// Files, folders and archives
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Forget the text of documents that are no longer there
    #[arg(long)]
    #[serde(default)]
    pub prune: bool,
    /// Go on: read again what changes, until stopped
    #[arg(long, conflicts_with = "dry_run")]
    #[serde(skip)]
    pub watch: bool,
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
        self.documents.is_empty() && self.conversations.is_empty()
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
        let asked = Asked { paths: self.paths.clone(), prune: self.prune };
        ingest::ingest(on, &asked, &request, call.progress)
    }
}
