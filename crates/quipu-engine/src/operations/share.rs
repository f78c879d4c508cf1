//! Between the private journal and the facts that a team shares through git.

use clap::Args;
use quipu_core::item::{Decision, Item, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forget::found;
use super::{Changed, FactAdd, FactAdded};
use crate::caller::Permission;
use crate::decide;
use crate::error::ErrorKind;
use crate::facts;
use crate::operation::input::{DryRun, MoreWords, NotSecret};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output, Request};
use crate::refusal::Refusal;
use crate::remember::{self, NewMemory};
use crate::workspace::Workspace;

/// Share a private memory with the team: it becomes a fact in git, checked against the other facts
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Share {
    /// The id of the memory, or a beginning of it that only it has
    pub id: String,
    /// The section of the new fact
    #[arg(short, long, default_value = "Key Decisions")]
    #[serde(default = "super::fact::key_decisions")]
    pub section: String,
    /// The id of the new fact (default: derived from the text)
    #[arg(long = "as", value_name = "ID")]
    pub fact_id: Option<String>,
    /// It replaces this fact
    #[arg(long, value_name = "ID")]
    pub supersedes: Option<String>,
    /// Share it, and raise a `Contradiction:` thread about the facts that it may contradict
    #[arg(long, conflicts_with = "agree")]
    #[serde(default)]
    pub raise: bool,
    /// Share it: it agrees with the facts listed
    #[arg(long)]
    #[serde(default)]
    pub agree: bool,
    /// Why it holds no secret.
    #[command(flatten)]
    #[serde(flatten)]
    pub not_secret: NotSecret,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What became of a memory that is to be shared.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shared {
    /// The private memory.
    pub shared: String,
    /// Whether it stays as it is, because it is there for other projects too.
    pub stays: bool,
    /// The fact.
    #[serde(flatten)]
    pub fact: FactAdded,
}

impl Output for Shared {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.fact.said(each);
    }

    fn wants_attention(&self) -> bool {
        self.fact.wants_attention()
    }
}

impl Operation for Share {
    const NAME: &'static str = "share";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Shared;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Shared, OperationError> {
        let (item, home) = self.private(on)?;
        let stays = home.is_user_scope() && !on.is_user_scope();
        let add = FactAdd {
            more: MoreWords::default(),
            text: item.text,
            section: self.section.clone(),
            id: self.fact_id.clone(),
            supersedes: self.supersedes.clone(),
            raise: self.raise,
            agree: self.agree,
            confirm_core: false,
            allow_secret: false,
            not_secret: self.not_secret.clone(),
            dry: self.dry,
        };
        let fact = add.run(on, call)?;
        let by = match &fact {
            FactAdded::Written(written) => Some(&written.done.id),
            FactAdded::AlreadyThere { id, .. } => Some(id),
            FactAdded::Undecided { .. } => None,
        };
        if let Some(by) = by.filter(|_| !stays) {
            let by = by.clone();
            let request = call.request("share", self.dry.dry_run);
            let words = "shared with the team";
            let supersede = Decision::Supersede { by };
            on.as_part_of_change(home, || {
                decide::decide(home, &item.id, supersede, words, &request)
            })?;
        }
        Ok(Shared { shared: item.id, stays, fact })
    }
}

impl Share {
    /// Returns the private memory, and where it is: here, in the main checkout, or with what the user keeps for
    /// every project.
    fn private<'w>(&self, on: &'w Workspace) -> Result<(Item, &'w Workspace), OperationError> {
        let (item, home) = match found(on, &self.id) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let mut others = on.all_scopes().skip(1);
                let found = others.find_map(|one| Some((found(one, &self.id).ok()?, one)));
                found.ok_or(error)?
            }
            item => (item?, on),
        };
        if item.kind == Kind::Record {
            return Ok((item, home));
        }
        let (what, expected) = (kind_in_words(item.kind), "a private memory");
        Err(Refusal::NotOfScope { id: item.id, what, expected, done: "shared" }.into())
    }
}

fn kind_in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Fact => "a fact",
        Kind::Thread => "a thread",
        Kind::Archived => "an archived fact",
        Kind::Session => "part of a session log",
        Kind::Document => "part of a document",
        Kind::Record => "a private memory",
        Kind::Code => "source code",
    }
}

/// Take a fact out of what the team shares: it moves to the archive, and a private copy stays
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Unshare {
    /// The id of the fact
    pub id: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A fact that is private again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Unshared {
    /// The fact, which is in the archive now.
    pub unshared: String,
    /// The private copy.
    pub id: Option<String>,
    /// Where its words still are.
    pub still_in: Vec<&'static str>,
}

impl Output for Unshared {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for Unshare {
    const NAME: &'static str = "unshare";
    const EFFECT: Effect = Effect::Removes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<Unshared>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Changed<Unshared>, OperationError> {
        let dry_run = self.dry.dry_run;
        let item = found(on, &self.id)?;
        if !matches!(item.kind, Kind::Fact | Kind::Thread) {
            let (what, expected) = (kind_in_words(item.kind), "a fact or a thread");
            return Err(
                Refusal::NotOfScope { id: item.id, what, expected, done: "unshared" }.into()
            );
        }
        let request = call.request("unshare", dry_run);
        // Where the fact has to stay, there is no copy either.
        facts::unshare(on, &item.id, &Request { dry_run: true, ..request })?;
        let copy = NewMemory {
            text: item.text,
            category: "decision".to_owned(),
            source: Some(item.source),
            // It was in git, so its words were admitted once.
            allow_secret: true,
            ..NewMemory::default()
        };
        let home = on.project_scope();
        // It says what the fact says, and that confirms nothing.
        let copied = on.as_part_of_change(home, || remember::remember(home, &[copy], &request))?;
        let diff = facts::unshare(on, &item.id, &request)?;
        let id = copied.ids.into_iter().next().filter(|_| !dry_run);
        let still_in = vec!["git's history", "the archive", "other clones, until they pull"];
        let unshared = Unshared { unshared: item.id, id, still_in };
        Ok(Changed::new(unshared, diff, dry_run, on, call))
    }
}
