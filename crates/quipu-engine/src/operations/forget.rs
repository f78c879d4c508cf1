//! Putting something away, and bringing it back.

use clap::Args;
use quipu_core::item::{Decision, Item, Kind, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::decide;
use crate::facts;
use crate::index;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::Changed;
use crate::workspace::{Diff, Workspace};

/// Put something away, until `restore`: it is no longer recalled, and a fact moves to the archive
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Forget {
    /// The id, or a beginning of it that only it has; by default what was remembered last
    #[arg(default_value = "", hide_default_value = true)]
    #[schemars(description = "The id, or a beginning of it that only it has")]
    pub id: String,
    /// Forget what was remembered last without asking
    #[arg(short, long)]
    #[serde(skip)]
    pub yes: bool,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What was put away, or came back.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PutAway {
    /// A fact, which moved from file to file.
    Fact(Changed<PutAwayItem>),
    /// Anything else, whose status changed.
    Record {
        /// What it is, and how it stands.
        #[serde(flatten)]
        standing: PutAwayItem,
        /// Whether it only shows what would change.
        dry_run: bool,
    },
}

/// How something stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PutAwayItem {
    /// Its id.
    pub id: String,
    /// Whether it still holds.
    pub status: Status,
}

impl Output for PutAwayItem {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Output for PutAway {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl PutAway {
    fn fact(
        item: Item,
        status: Status,
        diff: Diff,
        dry_run: bool,
        (on, call): (&Workspace, &Call<'_>),
    ) -> Self {
        let standing = PutAwayItem { id: item.id, status };
        Self::Fact(Changed::new(standing, diff, dry_run, on, call))
    }

    fn record(item: Item, dry_run: bool) -> Self {
        Self::Record { standing: PutAwayItem { id: item.id, status: item.status }, dry_run }
    }
}

/// Returns the item that an id names, with what the files say by now.
pub(super) fn found(on: &Workspace, id: &str) -> Result<Item, OperationError> {
    index::freshen(on)?;
    index::resolve(on, id)
}

/// Returns the decision for a status; where it comes from is looked up when it is made.
pub(super) fn status(to: Status) -> Decision {
    Decision::Status { from: Status::Active, to }
}

impl Operation for Forget {
    const NAME: &'static str = "forget";
    const EFFECT: Effect = Effect::Removes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Put away what is wrong or unwanted (\"forget that\"): it is no longer recalled. What changed is \
         not forgotten but replaced: `supersedes`.",
    );
    type Output = PutAway;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<PutAway, OperationError> {
        let dry_run = self.dry.dry_run;
        if self.id.is_empty() {
            return Err(OperationError::usage("nothing says what to forget"));
        }
        let item = found(on, &self.id)?;
        let request = call.request("forget", dry_run);
        if !matches!(item.kind, Kind::Fact | Kind::Thread) {
            let item =
                decide::decide(on, &item.id, status(Status::Archived), &self.reason, &request)?;
            return Ok(PutAway::record(item, dry_run));
        }
        // Files own what is in them: a fact is forgotten by moving it to the archive.
        let diff = facts::forget(on, std::slice::from_ref(&item.id), &request)?;
        Ok(PutAway::fact(item, Status::Archived, diff, dry_run, (on, call)))
    }
}

/// Bring back what was forgotten, invalidated, merged or archived
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Restore {
    /// The id, or a beginning of it that only it has
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

impl Operation for Restore {
    const NAME: &'static str = "restore";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = PutAway;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<PutAway, OperationError> {
        let dry_run = self.dry.dry_run;
        let item = found(on, &self.id)?;
        let request = call.request("restore", dry_run);
        if item.kind != Kind::Archived {
            let item =
                decide::decide(on, &item.id, status(Status::Active), &self.reason, &request)?;
            return Ok(PutAway::record(item, dry_run));
        }
        let diff = facts::reactivate(on, std::slice::from_ref(&item.id), &request)?;
        Ok(PutAway::fact(item, Status::Active, diff, dry_run, (on, call)))
    }
}
