//! What the documents of a repository say, as facts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::caller::Permission;
use crate::harvest::{self, Accepted, Pick, Where};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::{FileChange, changes};
use crate::workspace::{Diff, Workspace};

/// Find decisions, rules and plans in the documents of this repo, and propose them as facts
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Harvest {
    /// Files and folders (default: docs, ADRs, RFCs, design documents, roadmaps, CONTRIBUTING …)
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    #[serde(skip)]
    pub paths: Vec<PathBuf>,
    /// Only documents whose path matches (`*.rst`, `docs/**/adr/*`)
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    #[serde(default)]
    pub only: Vec<String>,
    /// Write proposals into the memory: all, or those with these numbers or ids
    #[arg(long, value_name = "ID", num_args = 0.., value_delimiter = ',', conflicts_with_all = ["interactive", "reworded"])]
    #[serde(default, deserialize_with = "unless_empty")]
    pub accept: Option<Vec<String>>,
    /// Ask about each proposal
    #[arg(short, long, conflicts_with = "reworded")]
    #[serde(skip)]
    pub interactive: bool,
    /// Write the proposals of a file in its words: JSON, a list of {"id", "text", "section"} (`-`: stdin)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    pub reworded: Option<PathBuf>,
    /// At most so many proposals
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Also list what was found and is not proposed
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
    /// What was picked at the terminal: by answers, or by that file.
    #[arg(skip)]
    #[serde(skip)]
    pub picked: Option<Pick>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// Reads a list, of which none and an empty one say the same: only a command line says "all" with no names.
fn unless_empty<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Option::<Vec<String>>::deserialize(from)?.filter(|names| !names.is_empty()))
}

/// What a harvest found, and what was written of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Harvested {
    /// What was found.
    #[serde(flatten)]
    pub harvest: harvest::Harvest,
    /// Whether something was written.
    pub applied: bool,
    /// Texts that are no documents to harvest.
    pub unread: UnreadTexts,
    /// What was written, where that was asked for.
    #[serde(flatten)]
    pub reaped: Option<Reaped>,
}

/// Texts that are no documents to harvest.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum UnreadTexts {
    /// How many for which reason.
    Counted(BTreeMap<String, usize>),
    /// Each with its reason.
    Listed(Vec<(String, String)>),
}

/// What a harvest wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reaped {
    /// The facts and threads that changed.
    pub accepted: Accepted,
    /// The lines that changed.
    pub changes: Vec<FileChange>,
    /// The same with both texts.
    #[serde(skip)]
    pub diff: Diff,
}

impl Output for Harvested {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        let plan = &mut self.harvest.plan;
        for step in &mut plan.steps {
            each(&mut step.proposal.text);
            each(&mut step.proposal.excerpt);
            step.conflicts.iter_mut().for_each(|other| each(&mut other.text));
        }
        plan.left_out.iter_mut().for_each(|left| each(&mut left.text));
    }
}

impl Operation for Harvest {
    const NAME: &'static str = "harvest";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Harvested;

    fn effect(&self) -> Effect {
        match self.pick() {
            Some(_) => self.dry.effect(Self::EFFECT),
            None => Effect::Reads,
        }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Harvested, OperationError> {
        // This work cannot be stopped half way.
        let mut progress = |done: usize, total: usize| {
            (call.progress)("reading documents", done, total);
        };
        let place = self.place();
        let Some(pick) = self.pick() else {
            let harvest = harvest::harvest(on, &place, &mut progress)?;
            let unread = unread(&harvest.unread, self.all);
            return Ok(Harvested { harvest, applied: false, unread, reaped: None });
        };
        let dry_run = self.dry.dry_run;
        let request = call.request("harvest", dry_run);
        let (harvest, accepted, diff) =
            harvest::accept_harvest(on, &place, &pick, &request, &mut progress)?;
        let unread = unread(&harvest.unread, false);
        let reaped = Some(Reaped { accepted, changes: changes(&diff), diff });
        Ok(Harvested { harvest, applied: !dry_run, unread, reaped })
    }
}

impl Harvest {
    /// Returns which documents to read.
    pub fn place(&self) -> Where {
        Where { paths: self.paths.clone(), only: self.only.clone(), limit: self.limit }
    }

    /// Returns which proposals to write; none where they are only shown.
    fn pick(&self) -> Option<Pick> {
        match (&self.picked, &self.accept) {
            (Some(picked), _) => Some(picked.clone()),
            (None, Some(names)) if names.is_empty() => Some(Pick::All),
            (None, Some(names)) => Some(Pick::Named(names.clone())),
            (None, None) => None,
        }
    }
}

fn unread(unread: &[(String, String)], all: bool) -> UnreadTexts {
    if all {
        return UnreadTexts::Listed(unread.to_vec());
    }
    let mut counts = BTreeMap::new();
    for (_, why) in unread {
        *counts.entry(why.clone()).or_default() += 1;
    }
    UnreadTexts::Counted(counts)
}
