//! Facts: written, listed, replaced, kept for good, archived and brought back.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use quipu_core::contradict::{Candidate, Near};
use quipu_core::fact::{SetBy, Tier, TierLabel};
use quipu_core::facts::NewFact;
use quipu_core::secret::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::facts::{self, Added, Choice};
use crate::operation::input::{DryRun, MoreWords, NotSecret};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::{Changed, FileChange};
use crate::report::{self, FactRow, Filter};
use crate::workspace::Workspace;

/// Write a new fact; stops where it may contradict another, until you choose
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command")]
pub struct FactAdd {
    /// The fact, in a sentence or a few lines (`-` reads it from stdin)
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// The other words of a text without quotes.
    #[command(flatten)]
    #[serde(skip)]
    pub more: MoreWords,
    /// The section it belongs in
    #[arg(short, long, default_value = "Key Decisions")]
    #[serde(default = "key_decisions")]
    pub section: String,
    /// Its id (default: derived from the text)
    #[arg(long)]
    pub id: Option<String>,
    /// It replaces this fact
    #[arg(long, value_name = "ID")]
    pub supersedes: Option<String>,
    /// Write it, and raise a `Contradiction:` thread about the facts it may contradict
    #[arg(long, conflicts_with = "agree")]
    #[serde(default)]
    pub raise: bool,
    /// Write it: it agrees with the facts listed
    #[arg(long)]
    #[serde(default)]
    pub agree: bool,
    /// Write it although a core fact is concerned
    #[arg(long)]
    #[serde(default)]
    pub confirm_core: bool,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Why it holds no secret.
    #[command(flatten)]
    #[serde(flatten)]
    pub not_secret: NotSecret,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

pub(super) fn key_decisions() -> String {
    quipu_core::doc::KEY_DECISIONS.to_owned()
}

/// What became of a new fact.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FactAdded {
    /// It was not written: the caller has to choose first.
    Undecided {
        /// Always false.
        added: bool,
        /// What it may contradict, likeliest first.
        candidates: Vec<Candidate>,
        /// The arguments that would decide it.
        choices: Vec<&'static str>,
        /// What is known that is near to it, for the caller to judge.
        nearest: Vec<Near>,
        /// Nothing.
        changes: Vec<FileChange>,
    },
    /// A live fact says the same in the same words: nothing to write.
    AlreadyThere {
        /// Always false.
        added: bool,
        /// Always true.
        already_there: bool,
        /// The fact that says it.
        id: String,
        /// Nothing.
        changes: Vec<FileChange>,
    },
    /// It was written.
    Written(Changed<Written>),
}

/// A fact that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Written {
    /// Always true.
    pub added: bool,
    /// Its id.
    pub id: String,
    /// Its section.
    pub section: String,
    /// Whether the section was made for it.
    #[serde(skip)]
    pub is_new_section: bool,
    /// The fact that it replaced.
    pub supersedes: Option<String>,
    /// The thread that was raised about contradictions.
    pub thread: Option<String>,
    /// What it may contradict all the same.
    pub candidates: Vec<Candidate>,
    /// What is known that is near to it, for the caller to judge.
    pub nearest: Vec<Near>,
}

impl Output for FactAdded {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        let (candidates, nearest) = match self {
            Self::Undecided { candidates, nearest, .. } => (candidates, nearest),
            Self::Written(written) => (&mut written.done.candidates, &mut written.done.nearest),
            Self::AlreadyThere { .. } => return,
        };
        said_of(candidates, nearest, each);
    }

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Undecided { .. })
    }
}

/// Hands out the words of other facts that an answer holds.
pub(super) fn said_of(
    candidates: &mut [Candidate],
    nearest: &mut [Near],
    each: &mut dyn FnMut(&mut String),
) {
    for candidate in candidates {
        each(&mut candidate.text);
        candidate.reasons.iter_mut().for_each(&mut *each);
    }
    for near in nearest {
        each(&mut near.text);
        each(&mut near.reason);
    }
}

impl Operation for FactAdd {
    const NAME: &'static str = "fact.add";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Decisions, conventions and constraints for everyone: facts are shared with the team through \
         git. For \"we decided…\", \"from now on we…\". `add` stops where a fact may say otherwise. Not for \
         personal wishes (`remember`).",
    );
    type Output = FactAdded;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<FactAdded, OperationError> {
        if self.raise && self.agree {
            return Err(OperationError::input(
                "arguments",
                "`raise` and `agree` exclude each other",
            ));
        }
        let new = NewFact {
            text: self.not_secret.vouched(&self.text, Scope::Memory, call)?,
            section: Some(self.section.clone()),
            id: self.id.clone(),
            is_thread: false,
            allow_secret: self.allow_secret,
        };
        let supersedes = self.supersedes.as_deref().map(|old| facts::full_id(on, old));
        let choice = Choice {
            supersedes: supersedes.clone(),
            raise: self.raise,
            agree: self.agree,
            confirm_core: self.confirm_core,
        };
        let dry_run = self.dry.dry_run;
        let (added, diff) = facts::add_fact(on, &new, &choice, &call.request("fact add", dry_run))?;
        Ok(match added {
            Added::AlreadyThere { id } => FactAdded::AlreadyThere {
                added: false,
                already_there: true,
                id,
                changes: Vec::new(),
            },
            Added::Undecided { candidates, nearest } => {
                let mut choices = vec!["supersedes"];
                if !self.agree && !self.raise {
                    choices.extend(["raise", "agree"]);
                }
                if candidates.iter().any(|candidate| candidate.is_core) {
                    choices.push("confirm_core");
                }
                let changes = Vec::new();
                FactAdded::Undecided { added: false, candidates, choices, nearest, changes }
            }
            Added::Written { id, is_new_section, thread, candidates, nearest } => {
                let section = self.section.clone();
                let written = Written {
                    added: true,
                    id,
                    section,
                    is_new_section,
                    supersedes,
                    thread,
                    candidates,
                    nearest,
                };
                FactAdded::Written(Changed::new(written, diff, dry_run, on, call))
            }
        })
    }
}

/// List facts
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FactList {
    /// Only facts that contain these words
    #[serde(default)]
    pub words: Vec<String>,
    /// Only this tier
    #[arg(short, long)]
    pub tier: Option<TierLabel>,
    /// Only this section
    #[arg(short, long)]
    pub section: Option<String>,
    /// Archived facts too
    #[arg(short, long)]
    #[serde(default)]
    pub all: bool,
}

/// Facts in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// The facts.
    pub facts: Vec<FactRow>,
    /// How many there are.
    pub count: usize,
}

impl Output for Facts {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.facts.iter_mut().for_each(|fact| each(&mut fact.title));
    }

    fn wants_attention(&self) -> bool {
        self.facts.is_empty()
    }
}

impl Operation for FactList {
    const NAME: &'static str = "fact.list";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Facts;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Facts, OperationError> {
        let facts = report::list(
            on,
            &Filter {
                tier: self.tier.clone(),
                section: self.section.clone(),
                archived: self.all,
                matching: (!self.words.is_empty()).then(|| self.words.join(" ")),
                ..Filter::default()
            },
        )?;
        Ok(Facts { count: facts.len(), facts })
    }
}

/// Mark a fact as replaced by another, or as no longer true
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FactSupersede {
    /// The fact that no longer holds
    pub old: String,
    /// The fact that replaces it
    pub new: Option<String>,
    /// It is core or an invariant, and a person confirmed this
    #[arg(long)]
    #[serde(default)]
    pub confirm_core: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A fact that no longer holds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Superseded {
    /// The fact.
    pub superseded: String,
    /// What replaces it.
    pub by: Option<String>,
}

impl Output for Superseded {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for FactSupersede {
    const NAME: &'static str = "fact.supersede";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<Superseded>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Changed<Superseded>, OperationError> {
        let dry_run = self.dry.dry_run;
        let request = call.request("fact supersede", dry_run);
        let old = facts::full_id(on, &self.old);
        let new = self.new.as_deref().map(|new| facts::full_id(on, new));
        let diff = facts::supersede(on, &old, new.as_deref(), self.confirm_core, &request);
        let done = Superseded { superseded: old, by: new };
        Changed::of(done, diff, dry_run, on, call)
    }
}

/// Make a fact permanent: it never decays
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FactCore {
    /// The fact
    pub id: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A fact whose tier was set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TierSet {
    /// The fact.
    pub id: String,
    /// Its tier; none where the rules decide.
    pub tier: Option<Tier>,
    /// Whether a person holds it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<bool>,
}

impl Output for TierSet {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for FactCore {
    const NAME: &'static str = "fact.core";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<TierSet>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Changed<TierSet>, OperationError> {
        let dry_run = self.dry.dry_run;
        let id = facts::full_id(on, &self.id);
        let diff = facts::make_core(on, &id, &call.request("fact core", dry_run));
        let done = TierSet { id, tier: Some(Tier::Core), held: None };
        Changed::of(done, diff, dry_run, on, call)
    }
}

/// Set a fact's tier by a person's word, or give it back to the rules
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FactTier {
    /// The fact
    pub id: String,
    /// working, active or archive-candidate
    #[arg(required_unless_present = "auto", conflicts_with = "auto", value_parser = held_tier())]
    #[schemars(extend("enum" = held_tiers()))]
    pub tier: Option<Tier>,
    /// Let the rules decide again
    #[arg(long)]
    #[serde(default)]
    pub auto: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

fn held_tier() -> impl clap::builder::TypedValueParser<Value = Tier> {
    PossibleValuesParser::new(held_tiers())
        .try_map(|name| Tier::named(&name).ok_or_else(|| format!("unknown: {name}")))
}

/// Returns the names of the tiers that a person may hold a fact in.
fn held_tiers() -> Vec<&'static str> {
    let held = Tier::ALL.iter().filter(|tier| tier.set_by() == SetBy::Tier);
    held.map(|tier| tier.as_str()).collect()
}

impl Operation for FactTier {
    const NAME: &'static str = "fact.tier";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<TierSet>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Changed<TierSet>, OperationError> {
        if self.tier.is_some() == self.auto {
            return Err(OperationError::input("arguments", "either `tier` or `auto` is needed"));
        }
        let dry_run = self.dry.dry_run;
        let id = facts::full_id(on, &self.id);
        let diff = facts::set_tier(on, &id, self.tier, &call.request("fact tier", dry_run));
        let held = Some(self.tier.is_some());
        let done = TierSet { id, tier: self.tier, held };
        Changed::of(done, diff, dry_run, on, call)
    }
}

/// Move facts to the archive
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FactArchive {
    /// The facts
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// Facts that went to the archive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArchivedFacts {
    /// The facts.
    pub archived: Vec<String>,
}

impl Output for ArchivedFacts {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for FactArchive {
    const NAME: &'static str = "fact.archive";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<ArchivedFacts>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(
        &self,
        on: &Workspace,
        call: &Call<'_>,
    ) -> Result<Changed<ArchivedFacts>, OperationError> {
        let dry_run = self.dry.dry_run;
        let ids = facts::full_ids(on, &self.ids);
        let diff = facts::archive(on, &ids, &call.request("fact archive", dry_run));
        Changed::of(ArchivedFacts { archived: ids }, diff, dry_run, on, call)
    }
}

/// Bring facts back from the archive
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct FactReactivate {
    /// The facts
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// Facts that came back from the archive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReactivatedFacts {
    /// The facts.
    pub reactivated: Vec<String>,
}

impl Output for ReactivatedFacts {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for FactReactivate {
    const NAME: &'static str = "fact.reactivate";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<ReactivatedFacts>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(
        &self,
        on: &Workspace,
        call: &Call<'_>,
    ) -> Result<Changed<ReactivatedFacts>, OperationError> {
        let dry_run = self.dry.dry_run;
        let ids = facts::full_ids(on, &self.ids);
        let diff = facts::reactivate(on, &ids, &call.request("fact reactivate", dry_run));
        Changed::of(ReactivatedFacts { reactivated: ids }, diff, dry_run, on, call)
    }
}
