//! Facts that never decay, confirmed by a person.

use clap::Args;
use quipu_core::policy::Sessions;
use quipu_core::verify::InvariantCheck;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::{Actor, Permission};
use crate::error::Error;
use crate::facts;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::Changed;
use crate::report;
use crate::workspace::Workspace;

/// List the invariants due for confirmation, or record that a person confirmed them
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Verify {
    /// Facts that a person confirmed
    #[serde(default)]
    pub ids: Vec<String>,
    /// All of them were confirmed
    #[arg(long, conflicts_with = "ids")]
    #[serde(default)]
    pub all: bool,
    /// The person who confirmed them (default: `QUIPU_USER`)
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    pub by: Option<String>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What is to be confirmed, or was.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Verified {
    /// What a person should confirm.
    Asked(InvariantsDue),
    /// What a person confirmed.
    Confirmed(Changed<ConfirmedFacts>),
}

/// What a person should confirm, and when.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InvariantsDue {
    /// Whether it is time.
    pub due: bool,
    /// Sessions since the last confirmation.
    pub sessions_since: Sessions,
    /// Core facts, invariants and the vision.
    pub invariants: Vec<Invariant>,
    /// The thread that already asks for it.
    pub thread: Option<String>,
}

/// A fact that never decays.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Invariant {
    /// Its id.
    pub id: String,
    /// Its first line.
    pub title: String,
}

/// Facts that a person confirmed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfirmedFacts {
    /// The facts.
    pub confirmed: Vec<String>,
    /// The person.
    pub by: String,
}

impl From<InvariantCheck> for InvariantsDue {
    fn from(check: InvariantCheck) -> Self {
        let invariant = |(id, title)| Invariant { id, title };
        Self {
            due: check.is_due,
            sessions_since: check.since,
            invariants: check.ids.into_iter().map(invariant).collect(),
            thread: check.open_thread,
        }
    }
}

impl Output for Verified {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        if let Self::Asked(asked) = self {
            asked.invariants.iter_mut().for_each(|invariant| each(&mut invariant.title));
        }
    }

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Asked(asked) if asked.due)
    }
}

impl Verify {
    /// Tells whether it only asks what is to be confirmed.
    fn only_asks(&self) -> bool {
        self.ids.is_empty() && !self.all
    }
}

impl Operation for Verify {
    const NAME: &'static str = "verify";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const LOOKS_FIRST: bool = true;
    type Output = Verified;

    fn effect(&self) -> Effect {
        if self.only_asks() { Effect::Reads } else { self.dry.effect(Self::EFFECT) }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Verified, OperationError> {
        if self.all && !self.ids.is_empty() {
            return Err(OperationError::input("arguments", "either `ids` or `all`, not both"));
        }
        let check = report::invariants(on)?;
        if self.only_asks() {
            return Ok(Verified::Asked(check.into()));
        }
        call.caller.must_be_person("confirm invariants").map_err(Error::from)?;
        let by = self.by.as_deref().or(match call.caller.actor {
            Actor::Person(name) => name,
            Actor::Agent(_) => None,
        });
        let Some(by) = by else {
            return Err(OperationError::usage("who confirmed them?")
                .hint("name the person with --by NAME, or set QUIPU_USER"));
        };
        let ids: Vec<String> = if self.all {
            check.ids.into_iter().map(|(id, _)| id).collect()
        } else {
            facts::full_ids(on, &self.ids)
        };
        let dry_run = self.dry.dry_run;
        let diff = facts::confirm(on, &ids, by, &call.request("verify", dry_run))?;
        let done = ConfirmedFacts { confirmed: ids, by: by.to_owned() };
        Ok(Verified::Confirmed(Changed::new(done, diff, dry_run, on, call)))
    }
}
