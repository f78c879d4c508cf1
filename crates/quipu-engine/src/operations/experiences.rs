//! Experiences: what was learned in situations, found again when it fits.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use quipu_core::item::{Channel, Item};
use quipu_core::secret::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::experiences::{self, Told};
use crate::fs;
use crate::operation::input::{DryRun, NotSecret, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::recall::Answer;
use crate::remember::NewMemory;
use crate::workspace::Workspace;

/// Refuses where nobody wants experiences.
fn check_wanted(on: &Workspace) -> Result<(), OperationError> {
    if on.config().continuity.experience_store_enabled {
        return Ok(());
    }
    Err(OperationError::input("disabled", "experiences are off")
        .hint("set continuity.experienceStoreEnabled to true"))
}

/// Find experiences that fit a situation
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ExperiencesQuery {
    /// The situation, in words
    #[arg(required = true)]
    pub words: Vec<String>,
    /// How many
    #[arg(short = 'k', long = "count", default_value_t = 5)]
    #[serde(default = "five")]
    pub count: usize,
    /// Who asks: other channels see public memory only
    #[arg(long, default_value = "main", value_parser = names!(Channel))]
    #[serde(skip)]
    pub channel: Channel,
}

fn five() -> usize {
    5
}

/// Experiences that fit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundExperiences {
    /// Those that fit best first.
    pub results: Vec<FoundExperience>,
    /// What to try, where nothing was found.
    #[serde(skip)]
    pub advice: Option<String>,
}

/// An experience that fits.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundExperience {
    /// Its id.
    pub id: String,
    /// What happened, and what came of it.
    pub text: String,
    /// What sort of record it is.
    pub category: String,
    /// The session that it is from.
    pub session_id: Option<String>,
    /// How well it fits.
    pub score: f32,
    /// When it was told.
    pub time: Timestamp,
}

impl From<Answer> for FoundExperience {
    fn from(answer: Answer) -> Self {
        let Answer { id, text, category, source, score, time, .. } = answer;
        Self { id, text, category, session_id: source.session, score, time }
    }
}

impl Output for FoundExperiences {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.results.iter_mut().for_each(|found| each(&mut found.text));
    }

    fn wants_attention(&self) -> bool {
        self.results.is_empty()
    }
}

impl Operation for ExperiencesQuery {
    const NAME: &'static str = "experiences.query";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Everyone;
    type Output = FoundExperiences;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<FoundExperiences, OperationError> {
        check_wanted(on)?;
        if self.words.is_empty() {
            return Err(OperationError::input("arguments", "`words` is empty"));
        }
        let channel = call.channel(self.channel);
        let found = experiences::query_experiences(
            on,
            &self.words.join(" "),
            self.count,
            channel,
            call.now,
        )?;
        let results = found.results.into_iter().map(FoundExperience::from).collect();
        Ok(FoundExperiences { results, advice: found.advice })
    }
}

/// List experiences, newest first
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ExperiencesList {
    /// How many
    #[arg(short = 'l', long, default_value_t = 20)]
    #[serde(default = "twenty")]
    pub limit: usize,
}

fn twenty() -> usize {
    20
}

/// Experiences in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedExperiences {
    /// The newest first.
    pub experiences: Vec<ListedExperience>,
    /// How many there are in all.
    pub count: usize,
}

/// An experience in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedExperience {
    /// Its id.
    pub id: String,
    /// What happened, and what came of it.
    pub text: String,
    /// What sort of record it is.
    pub category: String,
    /// The session that it is from.
    pub session_id: Option<String>,
    /// When it was told.
    pub time: Timestamp,
}

impl From<Item> for ListedExperience {
    fn from(item: Item) -> Self {
        let Item { id, text, category, session, time, .. } = item;
        Self { id, text, category, session_id: session, time }
    }
}

impl Output for ListedExperiences {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.experiences.iter_mut().for_each(|one| each(&mut one.text));
    }

    fn wants_attention(&self) -> bool {
        self.count == 0
    }
}

impl Operation for ExperiencesList {
    const NAME: &'static str = "experiences.list";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = ListedExperiences;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<ListedExperiences, OperationError> {
        check_wanted(on)?;
        let all = experiences::experiences(on)?;
        let count = all.len();
        let experiences = all.into_iter().take(self.limit).map(ListedExperience::from).collect();
        Ok(ListedExperiences { experiences, count })
    }
}

/// Tell an experience; one that is known already is not added
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ExperiencesAdd {
    /// What happened, and what came of it (`-` reads it from stdin)
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// Also where one like it is there
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
    /// Take it although it looks like it holds a secret
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

/// What became of an experience that somebody told.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AddedExperience {
    /// It is remembered.
    Added {
        /// Always true.
        added: bool,
        /// Its id.
        id: String,
        /// Whether it only shows what would be added.
        dry_run: bool,
    },
    /// One like it is there already.
    Known {
        /// Always false.
        added: bool,
        /// That one.
        like: String,
        /// How alike they are, 0 to 1.
        similarity: f32,
    },
}

impl Output for AddedExperience {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Known { .. })
    }
}

impl Operation for ExperiencesAdd {
    const NAME: &'static str = "experiences.add";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = AddedExperience;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<AddedExperience, OperationError> {
        check_wanted(on)?;
        let new = NewMemory {
            text: self.not_secret.vouched(&self.text, Scope::Credentials, call)?,
            allow_secret: self.allow_secret,
            ..NewMemory::default()
        };
        let dry_run = self.dry.dry_run;
        let request = call.request("experiences add", dry_run);
        Ok(match experiences::add_experience(on, new, self.force, &request)? {
            Told::Added(done) => {
                let id = done.ids.into_iter().next().unwrap_or_default();
                AddedExperience::Added { added: true, id, dry_run }
            }
            Told::Known { like, similarity } => {
                AddedExperience::Known { added: false, like, similarity }
            }
        })
    }
}

/// Take over experiences from a store that the original (`CursorClaw`) wrote
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ExperiencesImport {
    /// The file (default: continuity.experienceStorePath, tmp/experience-store.json)
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// Experiences that were taken over.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportedExperiences {
    /// Those that are new.
    pub ids: Vec<String>,
    /// How many are secrets, look like one, or say nothing.
    pub refused: usize,
    /// Whether it only shows what would be taken over.
    pub dry_run: bool,
}

impl Output for ImportedExperiences {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for ExperiencesImport {
    const NAME: &'static str = "experiences.import";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Here;
    type Output = ImportedExperiences;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<ImportedExperiences, OperationError> {
        check_wanted(on)?;
        let usual = || on.root().join(experiences::original_experiences(on));
        let path = self.file.clone().unwrap_or_else(usual);
        let json = fs::read_named(&path).map_err(|error| {
            OperationError::input("io", format!("cannot read `{}`: {error}", path.display()))
        })?;
        let dry_run = self.dry.dry_run;
        let request = call.request("experiences import", dry_run);
        let done = experiences::import_experiences(on, &json, &request)?;
        Ok(ImportedExperiences { ids: done.remembered.ids, refused: done.refused, dry_run })
    }
}
