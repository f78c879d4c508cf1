//! Who and what the memory is about: listed, shown, and known by several names.

use clap::Args;
use quipu_core::item::Item;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::entities::{self, EntityRow, EntityShown};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// List names, files, identifiers, addresses, dates and terms that are mentioned
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EntityList {
    /// Only names that hold these words
    #[serde(default)]
    pub words: Vec<String>,
    /// How many
    #[arg(short = 'k', long = "count", default_value_t = 30)]
    #[serde(default = "thirty")]
    pub count: usize,
}

fn thirty() -> usize {
    30
}

/// Entities in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entities {
    /// How many there are.
    pub count: usize,
    /// Those that are mentioned most first.
    pub entities: Vec<EntityRow>,
}

impl Output for Entities {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        self.entities.is_empty()
    }
}

impl Operation for EntityList {
    const NAME: &'static str = "entity.list";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Entities;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Entities, OperationError> {
        let entities = entities::entities(on, &self.words.join(" "), self.count)?;
        Ok(Entities { count: entities.len(), entities })
    }
}

/// Show what mentions an entity, newest first
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EntityShow {
    /// Its name, or another name of it
    pub name: String,
    /// How many items
    #[arg(short = 'k', long = "count", default_value_t = 20)]
    #[serde(default = "twenty")]
    pub count: usize,
}

fn twenty() -> usize {
    20
}

impl Output for EntityShown {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.card.iter_mut().for_each(&mut *each);
        for Item { text, title, notes, .. } in &mut self.items {
            each(text);
            each(title);
            notes.iter_mut().for_each(&mut *each);
        }
    }
}

impl Operation for EntityShow {
    const NAME: &'static str = "entity.show";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = EntityShown;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<EntityShown, OperationError> {
        entities::entity(on, &self.name, self.count)
    }
}

/// Tell what was said about an entity, oldest first
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EntityTimeline {
    /// Its name, or another name of it
    pub name: String,
    /// How many items, the newest ones
    #[arg(short = 'k', long = "count", default_value_t = 50)]
    #[serde(default = "fifty")]
    pub count: usize,
}

fn fifty() -> usize {
    50
}

impl Operation for EntityTimeline {
    const NAME: &'static str = "entity.timeline";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = EntityShown;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<EntityShown, OperationError> {
        entities::entity_timeline(on, &self.name, self.count)
    }
}

/// Show who is mentioned with an entity, and with those, and so on
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EntityGraph {
    /// Its name, or another name of it
    pub name: String,
    /// How many steps
    #[arg(long, default_value_t = 2)]
    #[serde(default = "two")]
    pub hops: usize,
    /// How many others from each
    #[arg(short = 'k', long = "count", default_value_t = 6)]
    #[serde(default = "six")]
    pub count: usize,
    /// Print it for Graphviz
    #[arg(long)]
    #[serde(skip)]
    pub dot: bool,
}

fn two() -> usize {
    2
}

fn six() -> usize {
    6
}

impl Output for entities::EntityGraph {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for EntityGraph {
    const NAME: &'static str = "entity.graph";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = entities::EntityGraph;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Self::Output, OperationError> {
        entities::entity_graph(on, &self.name, self.hops, self.count)
    }
}

/// Show who is mentioned most, and who is mentioned with whom
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EntityMap {
    /// How many; 500 at most
    #[arg(short = 'k', long = "count", default_value_t = 100)]
    #[serde(default = "hundred")]
    pub count: usize,
}

fn hundred() -> usize {
    100
}

impl Output for entities::EntityMap {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        self.nodes.is_empty()
    }
}

impl Operation for EntityMap {
    const NAME: &'static str = "entity.map";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = entities::EntityMap;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Self::Output, OperationError> {
        entities::entity_map(on, self.count)
    }
}

/// Say that an entity goes by another name too
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EntityAlias {
    /// Its name
    pub name: String,
    /// The other name
    pub alias: String,
    /// Take the other name away instead
    #[arg(long)]
    #[serde(default)]
    pub remove: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What an entity is called.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EntityNames {
    /// Its name.
    pub name: Option<String>,
    /// Its other names.
    pub aliases: Option<Vec<String>>,
    /// Whether it only shows what it would be called.
    pub dry_run: bool,
}

impl EntityNames {
    fn of(group: &[String], dry_run: bool) -> Self {
        let aliases = group.get(1..).map(<[String]>::to_vec);
        Self { name: group.first().cloned(), aliases, dry_run }
    }
}

impl Output for EntityNames {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for EntityAlias {
    const NAME: &'static str = "entity.alias";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = EntityNames;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<EntityNames, OperationError> {
        let dry_run = self.dry.dry_run;
        let request = call.request("alias", dry_run);
        let group = entities::alias(on, &self.name, &self.alias, self.remove, &request)?;
        Ok(EntityNames::of(&group, dry_run))
    }
}

/// Say that two entities are one
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EntityMerge {
    /// The one whose name becomes another name
    pub from: String,
    /// The one that stays
    pub into: String,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Operation for EntityMerge {
    const NAME: &'static str = "entity.merge";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = EntityNames;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<EntityNames, OperationError> {
        let dry_run = self.dry.dry_run;
        let request = call.request("merge", dry_run);
        let group = entities::alias(on, &self.into, &self.from, false, &request)?;
        Ok(EntityNames::of(&group, dry_run))
    }
}
