//! The derived fields of facts, counted again.

use clap::Args;
use quipu_core::refresh::Refreshed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::facts;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::Changed;
use crate::workspace::Workspace;

/// Recompute uses, last use and tier of every fact from the session logs
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Refresh {
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// The facts that were counted again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefreshedFacts {
    /// Those whose footer changed.
    pub refreshed: Vec<RefreshedFact>,
}

/// What changed in the footer of a fact.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefreshedFact {
    /// The fact.
    pub id: String,
    /// Its tier.
    pub tier: ValueChange,
    /// How often it was used.
    pub uses: ValueChange,
    /// The day of its last use.
    pub last_used: ValueChange,
    /// The same in a few words.
    #[serde(skip)]
    pub words: String,
}

/// A value before and after; often the same.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValueChange {
    /// Before.
    pub from: Option<String>,
    /// After.
    pub to: Option<String>,
}

impl From<Refreshed> for RefreshedFact {
    fn from(refreshed: Refreshed) -> Self {
        let words = refreshed.words();
        let Refreshed { id, tier, uses, last_used, .. } = refreshed;
        Self {
            id,
            tier: ValueChange {
                from: tier.0.map(|label| label.to_string()),
                to: tier.1.map(|label| label.to_string()),
            },
            uses: ValueChange { from: uses.0, to: Some(uses.1) },
            last_used: ValueChange { from: last_used.0, to: Some(last_used.1) },
            words,
        }
    }
}

impl Output for RefreshedFacts {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Refresh {
    const NAME: &'static str = "refresh";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<RefreshedFacts>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(
        &self,
        on: &Workspace,
        call: &Call<'_>,
    ) -> Result<Changed<RefreshedFacts>, OperationError> {
        let dry_run = self.dry.dry_run;
        let (refreshed, diff) = facts::refresh(on, &call.request("refresh", dry_run))?;
        let refreshed = refreshed.into_iter().map(RefreshedFact::from).collect();
        Ok(Changed::new(RefreshedFacts { refreshed }, diff, dry_run, on, call))
    }
}
