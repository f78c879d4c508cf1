//! The index: kept in step with the files, rebuilt from them, counted.

use clap::Args;
use quipu_store::Counts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::embedding;
use crate::glance;
use crate::index::{self, Indexed};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::replay::{self, Replayed};
use crate::workspace::Workspace;

/// Bring the index up to date with the files
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Index {
    /// Forget the index and make it anew
    #[arg(long)]
    #[serde(default)]
    pub rebuild: bool,
    /// Stay and follow changes until interrupted
    #[arg(long)]
    #[serde(skip)]
    pub watch: bool,
}

/// What became of the index.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum IndexedNow {
    /// It is up to date.
    Updated(Indexed),
    /// It was made anew.
    Rebuilt(Replayed),
}

impl Output for IndexedNow {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Index {
    const NAME: &'static str = "index";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Admin;
    const AUDIENCE: Audience = Audience::Main;
    type Output = IndexedNow;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<IndexedNow, OperationError> {
        if self.rebuild {
            return Replay { check: false }.run(on, call).map(IndexedNow::Rebuilt);
        }
        Ok(IndexedNow::Updated(index::index(on, &mut heard(call, "indexing"))?))
    }
}

/// Returns what hears how far a step has come. None of these can be stopped half way.
pub(super) fn heard(call: &Call<'_>, step: &'static str) -> impl FnMut(usize, usize) {
    let progress = call.progress;
    move |done, total| {
        progress(step, done, total);
    }
}

/// Rebuild the index from the files, and tell whether it was the same
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Replay {
    /// Only compare, and print the fingerprints
    #[arg(long)]
    #[serde(default)]
    pub check: bool,
}

impl Output for Replayed {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        !self.equal && !self.replaced
    }
}

impl Operation for Replay {
    const NAME: &'static str = "replay";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Admin;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Replayed;

    fn effect(&self) -> Effect {
        if self.check { Effect::Reads } else { Self::EFFECT }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Replayed, OperationError> {
        replay::replay(on, self.check, &mut heard(call, "replaying"))
    }
}

/// Make vectors of the current model where they are missing
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Reembed {
    /// Also items that have a vector of the model
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
}

/// Vectors that were made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reembedded {
    /// The model.
    pub model: String,
    /// For how many items.
    pub count: usize,
}

impl Output for Reembedded {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Reembed {
    const NAME: &'static str = "reembed";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Admin;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Reembedded;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Reembedded, OperationError> {
        let count = replay::reembed(on, self.all, &mut heard(call, "embedding"))?;
        Ok(Reembedded { model: embedding::embedder(on)?.id().to_owned(), count })
    }
}

/// Tell how much is remembered
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Stats {}

/// How much is remembered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Counted {
    /// How much the index holds.
    #[serde(flatten)]
    pub counts: Counts,
    /// The model of the vectors.
    pub model: String,
}

impl Output for Counted {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Stats {
    const NAME: &'static str = "stats";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Counted;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Counted, OperationError> {
        let mut counts = replay::index_counts(on)?;
        // The index groups records by day where they have no session; people count logs, as `status` does.
        counts.sessions = glance::session_logs(on)?;
        Ok(Counted { counts, model: embedding::embedder(on)?.id().to_owned() })
    }
}
