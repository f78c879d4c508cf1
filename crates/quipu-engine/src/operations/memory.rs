//! What is decided about one memory or a few.

mod standing;

use clap::Args;
use quipu_core::item::{Decision, Item, Layer, Link, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use standing::*;

use super::forget::found;
use crate::caller::Permission;
use crate::decide;
use crate::facts;
use crate::index;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::recall::{self, Question, Recalled};
use crate::report;
use crate::workspace::Workspace;

/// Items, what is decided about each, and why.
type Decisions = Vec<(String, Decision, String)>;

/// An operation that decides something.
trait Decides {
    /// Returns what it decides.
    fn decisions(&self, on: &Workspace, call: &Call<'_>) -> Result<Decisions, OperationError>;
}

/// Makes operations of what decides something.
macro_rules! decides {
    ($($operation:ident = $name:literal,)+) => {$(
        impl Operation for $operation {
            const NAME: &'static str = $name;
            const EFFECT: Effect = Effect::Writes;
            const PERMISSION: Permission = Permission::Write;
            const AUDIENCE: Audience = Audience::Main;
            type Output = MemoryDecided;

            fn effect(&self) -> Effect {
                self.dry.effect(Self::EFFECT)
            }

            fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<MemoryDecided, OperationError> {
                decided(self.decisions(on, call)?, self.dry.dry_run, on, call)
            }
        }
    )+};
}

decides! {
    MemoryStatus = "memory.status",
    MemoryPromote = "memory.promote",
    MemoryDemote = "memory.demote",
    MemoryConfirm = "memory.confirm",
    MemoryChallenge = "memory.challenge",
    MemoryInvalidate = "memory.invalidate",
    MemoryMerge = "memory.merge",
    MemoryUnmerge = "memory.unmerge",
    MemoryPin = "memory.pin",
    MemoryUnpin = "memory.unpin",
    MemoryTag = "memory.tag",
    MemoryLink = "memory.link",
    MemoryAnnotate = "memory.annotate",
}

/// Say that a memory was of use: a fact is kept for it, and a record fades later
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryUse {
    /// The fact or record
    pub id: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A use that was noted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UsedMemory {
    /// The id, in full.
    pub id: String,
    /// `fact`, `thread` or `record`.
    pub kind: &'static str,
    /// Whether it only shows what would be noted.
    pub dry_run: bool,
}

impl Output for UsedMemory {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for MemoryUse {
    const NAME: &'static str = "memory.use";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Say that a memory was of use, where you did not open it by its id: a fact stays active, \
         a record fades later.",
    );
    type Output = UsedMemory;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<UsedMemory, OperationError> {
        let dry_run = self.dry.dry_run;
        let shown = report::show(on, &self.id)?;
        if matches!(shown.kind, "fact" | "thread") {
            facts::note_use(on, &shown.id, &call.request("memory use", dry_run))?;
        }
        if !dry_run {
            index::note_access(on, &shown.id, call.now);
        }
        Ok(UsedMemory { id: shown.id, kind: shown.kind, dry_run })
    }
}

/// What was decided.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryDecided {
    /// How the items stand now.
    #[serde(flatten)]
    pub items: DecidedItems,
    /// Whether it only shows what would be decided.
    pub dry_run: bool,
    /// Each item with what was decided about it, in words.
    #[serde(skip)]
    pub in_words: Vec<(String, String)>,
}

/// The items that something was decided about.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum DecidedItems {
    /// One.
    One(DecidedItem),
    /// Several at once.
    Many {
        /// The items.
        items: Vec<DecidedItem>,
    },
}

/// How an item stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedItem {
    /// Its id.
    pub id: String,
    /// Whether it still holds.
    pub status: Status,
    /// How long it is meant to last.
    pub layer: Layer,
    /// Whether it comes first in every briefing.
    pub pinned: bool,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Other items that it points to.
    pub links: Vec<Link>,
    /// What was noted beside it.
    pub notes: Vec<String>,
    /// Who said independently that it is so.
    pub confirmed_by: Vec<String>,
    /// The item that it was merged into.
    pub merged_into: Option<String>,
}

impl From<Item> for DecidedItem {
    fn from(item: Item) -> Self {
        Self {
            id: item.id,
            status: item.status,
            layer: item.layer,
            pinned: item.pinned,
            tags: item.tags,
            links: item.links,
            notes: item.notes,
            confirmed_by: item.confirmed_by,
            merged_into: item.merged_into,
        }
    }
}

impl Output for MemoryDecided {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        let items = match &mut self.items {
            DecidedItems::One(item) => std::slice::from_mut(item),
            DecidedItems::Many { items } => items,
        };
        items.iter_mut().flat_map(|item| &mut item.notes).for_each(&mut *each);
        self.in_words.iter_mut().for_each(|(_, words)| each(words));
    }
}

/// Decides everything at once, or nothing.
fn decided(
    decisions: Decisions,
    dry_run: bool,
    on: &Workspace,
    call: &Call<'_>,
) -> Result<MemoryDecided, OperationError> {
    let in_words = |(_, decision, _): &(String, Decision, String)| match decision {
        Decision::Status { to, .. } => format!("{to} from now on"),
        other => other.in_words(),
    };
    let words: Vec<String> = decisions.iter().map(in_words).collect();
    let items = decide::decide_all(on, decisions, &call.request("memory", dry_run))?;
    let in_words = items.iter().map(|item| item.id.clone()).zip(words).collect();
    let mut items: Vec<DecidedItem> = items.into_iter().map(DecidedItem::from).collect();
    // Several decisions about one item: the last tells how it stands.
    items.dedup_by(|later, earlier| {
        let is_same = later.id == earlier.id;
        if is_same {
            std::mem::swap(later, earlier);
        }
        is_same
    });
    let items = match <[DecidedItem; 1]>::try_from(items) {
        Ok([item]) => DecidedItems::One(item),
        Err(items) => DecidedItems::Many { items },
    };
    Ok(MemoryDecided { items, dry_run, in_words })
}

/// Let something come first in every briefing
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryPin {
    /// The item
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

impl Decides for MemoryPin {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        Ok(vec![(self.id.clone(), Decision::Pin { pinned: true }, self.reason.clone())])
    }
}

/// Take that back
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryUnpin {
    /// The item
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

impl Decides for MemoryUnpin {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        Ok(vec![(self.id.clone(), Decision::Pin { pinned: false }, self.reason.clone())])
    }
}

/// Add or remove tags
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryTag {
    /// The item
    pub id: String,
    /// Tags to add
    #[arg(required_unless_present = "remove")]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Tags to take away
    #[arg(short, long, value_name = "TAG", value_delimiter = ',')]
    #[serde(default)]
    pub remove: Vec<String>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryTag {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        if self.tags.is_empty() && self.remove.is_empty() {
            return Err(OperationError::input("arguments", "`tags` or `remove` is needed"));
        }
        let decision = Decision::Tag { add: self.tags.clone(), remove: self.remove.clone() };
        Ok(vec![(self.id.clone(), decision, String::new())])
    }
}

/// Link one item to another
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryLink {
    /// The item
    pub id: String,
    /// The other
    pub to: String,
    /// What the other is to it
    #[arg(long, default_value = "related")]
    #[serde(default = "related")]
    pub relation: String,
    /// Take the link away instead
    #[arg(long)]
    #[serde(default)]
    pub remove: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

fn related() -> String {
    "related".to_owned()
}

impl Decides for MemoryLink {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        let Self { id, to, relation, remove, .. } = self.clone();
        Ok(vec![(id, Decision::Link { to, relation, remove }, String::new())])
    }
}

/// Note something beside an item
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemoryAnnotate {
    /// The item
    pub id: String,
    /// The note
    pub note: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Decides for MemoryAnnotate {
    fn decisions(&self, _: &Workspace, _: &Call<'_>) -> Result<Decisions, OperationError> {
        let decision = Decision::Annotate { note: self.note.clone() };
        Ok(vec![(self.id.clone(), decision, String::new())])
    }
}

/// Find what is similar to an item
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct MemorySimilar {
    /// The item
    pub id: String,
    /// How many
    #[arg(short = 'k', long = "count", default_value_t = 5)]
    #[serde(default = "five")]
    pub count: usize,
}

fn five() -> usize {
    5
}

impl Operation for MemorySimilar {
    const NAME: &'static str = "memory.similar";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Recalled;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Recalled, OperationError> {
        let item = found(on, &self.id)?;
        // Words of a secret would show in what is like it.
        report::show(on, &item.id)?;
        let question = Question {
            query: item.text.clone(),
            count: Some(self.count.saturating_add(1)),
            ..Question::default()
        };
        let mut recalled = recall::recall(on, &question, call.now)?;
        recalled.results.retain(|answer| answer.id != item.id);
        recalled.results.truncate(self.count);
        Ok(recalled)
    }
}
