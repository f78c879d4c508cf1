//! Whether a memory holds, and how long it is meant to last.

use clap::Args;
use quipu_core::item::{Decision, Item, Layer, Status};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Decides, Decisions};
use crate::operation::input::{DryRun, names};
use crate::operation::{Call, OperationError};
use crate::operations::forget::{found, status};
use crate::workspace::Workspace;

/// Set the status of a record: active, challenged, invalidated, merged, superseded or archived
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryStatus {
    /// The record
    pub id: String,
    /// The status
    #[arg(value_parser = names!(Status))]
    pub status: Status,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryStatus {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        Ok(vec![(self.id.clone(), status(self.status), self.reason.clone())])
    }
}

/// Let a record last longer: working, then episodic, then semantic
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryPromote {
    /// The record
    pub id: String,
    /// The layer (default: the next one)
    #[arg(long, value_parser = names!(Layer))]
    pub to: Option<Layer>,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryPromote {
    fn decisions(&self, on: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        Ok(vec![moved(found(on, &self.id)?, self.to, 1, &self.reason)?])
    }
}

/// Let a record last less long
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryDemote {
    /// The record
    pub id: String,
    /// The layer (default: the one before)
    #[arg(long, value_parser = names!(Layer))]
    pub to: Option<Layer>,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryDemote {
    fn decisions(&self, on: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        Ok(vec![moved(found(on, &self.id)?, self.to, -1, &self.reason)?])
    }
}

/// Returns the decision that moves an item to a layer, by default the one `step` further.
fn moved(
    item: Item,
    to: Option<Layer>,
    step: isize,
    reason: &str,
) -> Result<(String, Decision, String), OperationError> {
    let from = item.layer;
    let Some(to) = to.or_else(|| beside(from, step)) else {
        let message = format!("`{}` is {from}, and there is no next layer", item.id);
        return Err(OperationError::input("transition", message).hint("name one with --to"));
    };
    Ok((item.id, Decision::Layer { from, to }, reason.to_owned()))
}

/// Returns the layer above or below, of those that lead into each other.
fn beside(layer: Layer, step: isize) -> Option<Layer> {
    const CHAIN: [Layer; 3] = [Layer::Working, Layer::Episodic, Layer::Semantic];
    let at = CHAIN.iter().position(|one| *one == layer)?;
    CHAIN.get(at.checked_add_signed(step)?).copied()
}

/// Say that something is so; each name counts once, and a challenged record is active again
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryConfirm {
    /// The item
    pub id: String,
    /// The person who says so (default: `QUIPU_USER`); an agent signs with its own name
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    pub by: Option<String>,
    /// How they know
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryConfirm {
    fn decisions(&self, on: &Workspace, call: &Call<'_>) -> Result<Decisions, OperationError> {
        let item = found(on, &self.id)?;
        let by = call.caller.signature(self.by.as_deref())?;
        let confirmed = (item.id.clone(), Decision::Confirm { by }, self.reason.clone());
        let mut decisions = vec![confirmed];
        if item.status == Status::Challenged {
            decisions.push((item.id, status(Status::Active), self.reason.clone()));
        }
        Ok(decisions)
    }
}

/// Doubt a record: it is no longer returned until it is confirmed
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryChallenge {
    /// The record
    pub id: String,
    /// What speaks against it
    #[arg(short, long, value_name = "TEXT")]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryChallenge {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        Ok(vec![(self.id.clone(), status(Status::Challenged), self.reason.clone())])
    }
}

/// Say that a record is wrong
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryInvalidate {
    /// The record
    pub id: String,
    /// What is wrong
    #[arg(short, long, value_name = "TEXT")]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryInvalidate {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        Ok(vec![(self.id.clone(), status(Status::Invalidated), self.reason.clone())])
    }
}

/// Say that another record says what these say
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryMerge {
    /// The records
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// The one that stays
    #[arg(long, value_name = "ID")]
    pub into: String,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryMerge {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        if self.ids.is_empty() {
            return Err(OperationError::input("arguments", "`ids` names no record"));
        }
        let merged = |id: &String| {
            (id.clone(), Decision::Merge { into: self.into.clone() }, self.reason.clone())
        };
        Ok(self.ids.iter().map(merged).collect())
    }
}

/// Take a merge back
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryUnmerge {
    /// The record
    pub id: String,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryUnmerge {
    fn decisions(&self, on: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        let item = found(on, &self.id)?;
        if item.status != Status::Merged {
            let message = format!("`{}` is {}, and not merged", item.id, item.status);
            return Err(OperationError::input("transition", message));
        }
        Ok(vec![(item.id, status(Status::Active), self.reason.clone())])
    }
}
