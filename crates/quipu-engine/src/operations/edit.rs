//! Changing the words of something.

use clap::Args;
use quipu_core::contradict::{Candidate, Near};
use quipu_core::facts::NewWords;
use quipu_core::secret::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::decide;
use crate::facts;
use crate::operation::input::{DryRun, NotSecret};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::fact::said_of;
use crate::operations::{Changed, FileChange};
use crate::report;
use crate::weigh;
use crate::workspace::Workspace;

/// Change the words of a fact or a record; stops where a fact would say something else, until you choose
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Edit {
    /// The fact or record
    pub id: String,
    /// The new words, without quotes if you like (default: open $EDITOR)
    #[arg(value_name = "WORDS", conflicts_with = "text")]
    #[serde(skip)]
    pub words: Vec<String>,
    /// The new words (`-` reads them from stdin)
    #[arg(long, allow_hyphen_values = true)]
    #[schemars(required, description = "The new words")]
    pub text: Option<String>,
    /// The words that you edited: what says something else by now is left alone
    #[arg(skip)]
    pub instead_of: Option<String>,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Why it holds no secret.
    #[command(flatten)]
    #[serde(flatten)]
    pub not_secret: NotSecret,
    /// Write it: it is a correction, and agrees with the facts listed
    #[arg(long)]
    #[serde(default)]
    pub agree: bool,
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
        /// What is known that is near to the new words, for the caller to judge.
        nearest: Vec<Near>,
    },
    /// A fact that stays as it is: the caller has to choose first.
    Undecided {
        /// Always false.
        changed: bool,
        /// The fact.
        id: String,
        /// What the new words may contradict, its own old ones included.
        candidates: Vec<Candidate>,
        /// The arguments that would decide it.
        choices: Vec<&'static str>,
        /// What is known that is near to the new words, for the caller to judge.
        nearest: Vec<Near>,
        /// Nothing.
        changes: Vec<FileChange>,
    },
    /// A fact.
    Fact(Changed<RewordedFact>),
}

/// A fact that says something else now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RewordedFact {
    /// Its id.
    pub id: String,
    /// What is known that is near to the new words, for the caller to judge.
    pub nearest: Vec<Near>,
}

impl Output for RewordedFact {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        said_of(&mut [], &mut self.nearest, each);
    }
}

impl Output for Reworded {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Record { text, nearest, .. } => {
                each(text);
                said_of(&mut [], nearest, each);
            }
            Self::Undecided { candidates, nearest, .. } => said_of(candidates, nearest, each),
            Self::Fact(changed) => changed.said(each),
        }
    }

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Undecided { .. })
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
            let instead_of = self.instead_of.as_deref();
            let item = decide::reword(on, &self.id, text, instead_of, &request)?;
            let nearest = weigh::nearest(on, &item, &call.caller)?;
            return Ok(Reworded::Record { id: item.id, text: item.text, dry_run, nearest });
        }
        let words = NewWords {
            text: &text,
            instead_of: self.instead_of.as_deref(),
            allow_secret: self.allow_secret,
            confirmed: self.confirm_core,
        };
        let (reworded, diff) = facts::reword(on, &self.id, &words, self.agree, &request)?;
        Ok(match reworded {
            facts::Reworded::Written { nearest } => {
                let done = RewordedFact { id: self.id.clone(), nearest };
                Reworded::Fact(Changed::new(done, diff, dry_run, on, call))
            }
            facts::Reworded::Undecided { candidates, nearest } => {
                let is_core = candidates.iter().any(|candidate| candidate.is_core);
                let mut choices = vec!["agree"];
                choices.extend(is_core.then_some("confirm_core"));
                let (id, changes) = (self.id.clone(), Vec::new());
                Reworded::Undecided { changed: false, id, candidates, choices, nearest, changes }
            }
        })
    }
}
