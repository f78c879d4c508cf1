//! Remembering something.

use std::path::PathBuf;

use clap::Args;
use jiff::civil::Date;
use quipu_core::contradict::Near;
use quipu_core::item::{self, Channel, Layer, MemoryType, Sensitivity, Source};
use quipu_core::secret::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::{DryRun, Everywhere, Moment, MoreWords, NotSecret, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::fact::said_of;
use crate::remember::{self, NewMemory};
use crate::weigh::Weighed;
use crate::workspace::Workspace;

/// Remember something: a line in today's log, found by `recall` at once
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Remember {
    /// What to remember (`-` reads it from stdin)
    #[arg(allow_hyphen_values = true, required_unless_present = "batch")]
    #[schemars(required)]
    pub text: Option<String>,
    /// The other words of a text without quotes.
    #[command(flatten)]
    #[serde(skip)]
    pub more: MoreWords,
    /// What sort of record it is: note, learned, decision, user-preference, or your own word
    #[arg(short, long, value_name = "WORD", default_value = "")]
    #[serde(default)]
    pub category: String,
    /// How long it is meant to last (default: by category)
    #[arg(long, value_parser = names!(Layer))]
    pub layer: Option<Layer>,
    /// What sort of statement it is (default: by category)
    #[arg(long = "type", value_parser = names!(MemoryType))]
    pub memory_type: Option<MemoryType>,
    /// Where it was learned; what an agent calls `human` is recorded as `interaction`
    #[arg(long, value_parser = names!(Source))]
    pub source: Option<Source>,
    /// Who said it
    #[arg(long, value_name = "NAME")]
    pub speaker: Option<String>,
    /// Words to find it by
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// How important it is, 0 to 1
    #[arg(long, value_name = "NUMBER")]
    pub importance: Option<f32>,
    /// How pleasant it is, -1 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub valence: Option<f32>,
    /// Who may see it (default private-user)
    #[arg(long, value_parser = names!(Sensitivity))]
    pub sensitivity: Option<Sensitivity>,
    /// It is true since then
    #[arg(long, value_name = "TIME")]
    pub valid_from: Option<Moment>,
    /// It is true until then
    #[arg(long, value_name = "TIME")]
    pub valid_to: Option<Moment>,
    /// The channel it came through
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    pub channel: Option<String>,
    /// It says that something is not so, or does not exist
    #[arg(long)]
    #[serde(default)]
    pub negative: bool,
    /// It comes first in every briefing, and never leaves MEMORY.md
    #[arg(long)]
    #[serde(default)]
    pub pin: bool,
    /// How sure you are, 0 to 1
    #[arg(long, value_name = "NUMBER")]
    pub confidence: Option<f64>,
    /// For which projects.
    #[command(flatten)]
    #[serde(flatten)]
    pub everywhere: Everywhere,
    /// It replaces this record
    #[arg(long, value_name = "ID", conflicts_with = "batch")]
    pub supersedes: Option<String>,
    /// Take it although it looks like it holds a secret
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
    /// Why it holds no secret.
    #[command(flatten)]
    #[serde(flatten)]
    pub not_secret: NotSecret,
    /// Remember every line of this file (`-` is stdin): a JSON object with `text` and the keys of
    /// `docs/recall.md`, or plain words
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    #[serde(skip)]
    pub batch: Option<PathBuf>,
    /// The lines of that file.
    #[arg(skip)]
    #[serde(skip)]
    pub lines: Option<String>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RememberedNow {
    /// Who sees it.
    pub scope: item::Scope,
    /// The day's log that holds it.
    pub path: String,
    /// Whether it only shows what would be remembered.
    pub dry_run: bool,
    /// Why the index does not have it yet, where it does not.
    pub degraded: Option<String>,
    /// The new ids.
    #[serde(flatten)]
    pub ids: NewIds,
    /// Lines of a batch that were left out, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedLine>,
    /// How it compares with what is known.
    #[serde(flatten)]
    pub compared: Option<Compared>,
}

/// A line of a batch that was left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkippedLine {
    /// Its number, from 1.
    pub line: usize,
    /// Why.
    pub reason: String,
}

/// The ids of what was remembered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NewIds {
    /// One memory.
    One {
        /// Its id.
        id: String,
    },
    /// Many at once.
    Many {
        /// Their ids, in order.
        ids: Vec<String>,
        /// How many there are.
        count: usize,
    },
}

impl NewIds {
    /// Returns them in order.
    pub fn all(&self) -> &[String] {
        match self {
            Self::One { id } => std::slice::from_ref(id),
            Self::Many { ids, .. } => ids,
        }
    }
}

/// How a new memory compares with what is known.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Compared {
    /// How unlike its neighbours it is, 0 to 1.
    pub surprise: f32,
    /// Its base importance from now on.
    pub importance: f32,
    /// The memory that says the same, where one does.
    pub duplicate_of: Option<String>,
    /// Memories that it cannot hold beside; somebody is asked which does.
    pub contradicts: Vec<String>,
    /// What is known that is near to it, for the caller to judge.
    pub nearest: Vec<Near>,
}

impl From<Weighed> for Compared {
    fn from(weighed: Weighed) -> Self {
        let Weighed { surprise, importance, duplicate_of, contradicts, nearest, .. } = weighed;
        Self { surprise, importance, duplicate_of, contradicts, nearest }
    }
}

impl Output for RememberedNow {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        if let Some(compared) = &mut self.compared {
            said_of(&mut [], &mut compared.nearest, each);
        }
    }
}

impl Operation for Remember {
    const NAME: &'static str = "remember";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Everyone;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Keep something private to this user and project: a preference, lesson, event or to-do, in one \
         or two sentences that make sense alone. For \"remember that…\", \"I always want…\", \"next time…\". \
         Not for rules of the whole team (`fact`), what the code says, or secrets.",
    );
    const OF_JOURNAL: bool = true;
    type Output = RememberedNow;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn scope(&self) -> Option<item::Scope> {
        self.everywhere.user.then_some(item::Scope::User)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<RememberedNow, OperationError> {
        if let Some(kept) = self.kept_from(call.caller.channel) {
            let why = format!("`{kept}` is available on the main channel only");
            return Err(OperationError::forbidden("channel", why).hint("leave it out"));
        }
        let dry_run = self.dry.dry_run;
        let is_main = call.caller.channel == Channel::Main;
        let request = call.request("remember", dry_run);
        if let Some(lines) = &self.lines {
            let (new, skipped) = self.read_lines(lines, call.today)?;
            let done = remember::remember(on, &new, &request)?;
            let ids = NewIds::Many { count: done.ids.len(), ids: done.ids };
            let (path, degraded) = (done.path, done.degraded);
            return Ok(RememberedNow {
                scope: scope_of(on),
                path,
                dry_run,
                degraded,
                ids,
                skipped,
                compared: None,
            });
        }
        let text = self.text.as_deref().unwrap_or_default();
        let text = self.not_secret.vouched(text, Scope::Credentials, call)?;
        // One thing at a time is compared with what is known; the dream looks at the rest.
        let done =
            remember::remember_one(on, &NewMemory { text, ..self.common(call.today) }, &request)?;
        Ok(RememberedNow {
            scope: scope_of(on),
            path: done.path,
            dry_run,
            degraded: done.degraded.filter(|_| is_main),
            ids: NewIds::One { id: done.id },
            skipped: Vec::new(),
            compared: done.weighed.filter(|_| is_main).map(Compared::from),
        })
    }
}

impl Remember {
    /// Returns the first argument that a channel does not have: nobody else than the main one speaks in the
    /// user's name or over their memories, and `other` does not choose where its words stand in a briefing.
    fn kept_from(&self, channel: Channel) -> Option<&'static str> {
        if channel == Channel::Main {
            return None;
        }
        let is_other = channel == Channel::Other;
        // An agent's own is what it says anyway.
        let source = self.source.filter(|source| *source != Source::Ai);
        let kept = [
            ("pin", self.pin),
            ("supersedes", self.supersedes.is_some()),
            ("source", source.is_some_and(|source| is_other || source == Source::Human)),
            ("confidence", self.confidence.is_some()),
            ("category", is_other && !self.category.is_empty()),
            ("speaker", is_other && self.speaker.is_some()),
            ("importance", is_other && self.importance.is_some()),
            ("layer", is_other && self.layer.is_some()),
            ("type", is_other && self.memory_type.is_some()),
            ("valence", is_other && self.valence.is_some()),
        ];
        kept.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    fn common(&self, today: Date) -> NewMemory {
        NewMemory {
            text: String::new(),
            category: self.category.clone(),
            layer: self.layer,
            memory_type: self.memory_type,
            source: self.source,
            speaker: self.speaker.clone(),
            tags: self.tags.clone(),
            importance: self.importance,
            valence: self.valence,
            sensitivity: Some(self.sensitivity.unwrap_or(Sensitivity::Private)),
            valid_from: self.valid_from.as_ref().map(|from| from.begin(today)),
            valid_to: self.valid_to.as_ref().map(|to| to.begin(today)),
            session: None,
            channel: self.channel.clone(),
            negative: self.negative,
            supersedes: self.supersedes.clone(),
            time: None,
            pinned: self.pin,
            confidence: self.confidence,
            allow_secret: self.allow_secret,
        }
    }

    /// Reads one memory a line; what a line does not say, the options do. A line without a letter or a digit
    /// says nothing, and is left out.
    fn read_lines(
        &self,
        lines: &str,
        today: Date,
    ) -> Result<(Vec<NewMemory>, Vec<SkippedLine>), OperationError> {
        let common = self.common(today);
        let mut new = Vec::new();
        let mut skipped = Vec::new();
        let says_nothing = |text: &str| !text.chars().any(char::is_alphanumeric);
        let mut skip = |index: usize| {
            let reason = "it has no letter or digit".to_owned();
            skipped.push(SkippedLine { line: index + 1, reason });
        };
        for (index, line) in lines.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            if says_nothing(line) {
                skip(index);
                continue;
            }
            if !line.trim_start().starts_with('{') {
                new.push(NewMemory { text: line.to_owned(), ..common.clone() });
                continue;
            }
            let one: NewMemory = serde_json::from_str(line).map_err(|error| {
                OperationError::input("batch", format!("line {}: {error}", index + 1)).hint(
                    "each line is a JSON object with `text`, or plain words; nothing was remembered",
                )
            })?;
            if says_nothing(&one.text) {
                skip(index);
                continue;
            }
            new.push(filled(one, &common));
        }
        Ok((new, skipped))
    }
}

/// Returns a memory with what it does not say itself.
fn filled(mut one: NewMemory, common: &NewMemory) -> NewMemory {
    if one.category.is_empty() {
        one.category.clone_from(&common.category);
    }
    if one.tags.is_empty() {
        one.tags.clone_from(&common.tags);
    }
    one.importance = one.importance.or(common.importance);
    one.valence = one.valence.or(common.valence);
    one.valid_from = one.valid_from.or(common.valid_from);
    one.valid_to = one.valid_to.or(common.valid_to);
    one.negative |= common.negative;
    one.layer = one.layer.or(common.layer);
    one.memory_type = one.memory_type.or(common.memory_type);
    one.source = one.source.or(common.source);
    one.sensitivity = one.sensitivity.or(common.sensitivity);
    one.speaker = one.speaker.or_else(|| common.speaker.clone());
    one.channel = one.channel.or_else(|| common.channel.clone());
    one.pinned |= common.pinned;
    one.confidence = one.confidence.or(common.confidence);
    one.allow_secret |= common.allow_secret;
    one
}

/// Returns who sees what is remembered in a workspace.
fn scope_of(on: &Workspace) -> item::Scope {
    if on.is_user_scope() { item::Scope::User } else { item::Scope::Project }
}
