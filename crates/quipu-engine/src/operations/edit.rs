//! Changing the words of something.

use clap::Args;
use quipu_core::facts::NewWords;
use quipu_core::item::Decision;
use quipu_core::secret::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::decide;
use crate::facts;
use crate::operation::input::{DryRun, NotSecret};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::Changed;
use crate::report;
use crate::workspace::Workspace;

/// Change the words of a fact or a record
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Edit {
    /// The fact or record
    pub id: String,
    /// The new words (`-` reads them from stdin; default: open $EDITOR)
    #[arg(long, allow_hyphen_values = true)]
    #[schemars(required, description = "The new words")]
    pub text: Option<String>,
    /// The words that were edited: a fact that says something else by now is left alone.
    #[arg(skip)]
    #[serde(skip)]
    pub instead_of: Option<String>,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Why it holds no secret.
    #[command(flatten)]
    #[serde(flatten)]
    pub not_secret: NotSecret,
    /// It is core or an invariant, and a person confirmed the new words
    #[arg(long)]
    #[serde(default)]
    pub confirm_core: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What says something else now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Reworded {
    /// A record; its old words stay in its history.
    Record {
        /// Its id.
        id: String,
        /// Its words.
        text: String,
        /// Whether it only shows what would change.
        dry_run: bool,
    },
    /// A fact.
    Fact(Changed<RewordedFact>),
}

/// A fact that says something else now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RewordedFact {
    /// Its id.
    pub id: String,
}

impl Output for RewordedFact {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Output for Reworded {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Record { text, .. } => each(text),
            Self::Fact(changed) => changed.said(each),
        }
    }
}

impl Operation for Edit {
    const NAME: &'static str = "edit";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Reworded;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Reworded, OperationError> {
        let Some(text) = &self.text else {
            return Err(OperationError::input("arguments", "`text` is missing: the new words"));
        };
        let text = self.not_secret.vouched(text, Scope::Memory, call)?;
        let dry_run = self.dry.dry_run;
        let request = call.request("edit", dry_run);
        if report::show_any(on, &self.id, self.allow_secret)?.kind == "record" {
            let item = decide::decide(on, &self.id, Decision::Edit { text }, "", &request)?;
            return Ok(Reworded::Record { id: item.id, text: item.text, dry_run });
        }
        let words = NewWords {
            text: &text,
            instead_of: self.instead_of.as_deref(),
            allow_secret: self.allow_secret,
            confirmed: self.confirm_core,
        };
        let diff = facts::rewrite(on, &self.id, &words, &request);
        let done = RewordedFact { id: self.id.clone() };
        Changed::of(done, diff, dry_run, on, call).map(Reworded::Fact)
    }
}
