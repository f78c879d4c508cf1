//! Appending to the journal, and taking the oldest out of its window.

use clap::Args;
use quipu_core::item::Sensitivity;
use quipu_core::journal::Form;
use quipu_core::secret::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::convert::{self, Converted};
use crate::journal::{self, Trim};
use crate::operation::input::{DryRun, NotSecret, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::remember::{self, NewMemory, Remembered, RememberedOne};
use crate::workspace::Workspace;

/// Append a record to today's log and to MEMORY.md
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalAppend {
    /// What to append (`-` reads it from stdin)
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// What sort of record it is: turn-summary, note, learned, heartbeat, or your own word
    #[arg(short, long, value_name = "WORD", default_value = "note")]
    #[serde(default = "note")]
    pub category: String,
    /// Who may see it
    #[arg(long, value_parser = names!(Sensitivity), default_value = "private-user")]
    #[serde(default = "private")]
    pub sensitivity: Sensitivity,
    /// The channel it came through
    #[arg(long, value_name = "NAME", default_value = "operator")]
    #[serde(skip, default = "operator")]
    pub channel: String,
    /// How sure the writer is, 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0)]
    #[serde(default = "sure")]
    pub confidence: f64,
    /// It stays in MEMORY.md and comes first in every briefing
    #[arg(long)]
    #[serde(default)]
    pub pin: bool,
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

fn note() -> String {
    "note".to_owned()
}

fn private() -> Sensitivity {
    Sensitivity::Private
}

fn operator() -> String {
    "operator".to_owned()
}

fn sure() -> f64 {
    1.0
}

/// A record that was appended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Appended {
    /// Its id.
    pub id: String,
    /// The day's log that holds it.
    pub path: String,
    /// Whether it only shows what would be appended.
    pub dry_run: bool,
    /// Why the index does not have it yet, where it does not.
    pub degraded: Option<String>,
}

impl Appended {
    fn new(done: Remembered, dry_run: bool) -> Self {
        let Remembered { ids, path, degraded } = done;
        let id = ids.into_iter().next().unwrap_or_default();
        Self { id, path, dry_run, degraded }
    }
}

impl Output for Appended {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for JournalAppend {
    const NAME: &'static str = "journal.append";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = Appended;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Appended, OperationError> {
        let new = NewMemory {
            text: self.not_secret.vouched(&self.text, Scope::Credentials, call)?,
            category: self.category.clone(),
            sensitivity: Some(self.sensitivity),
            channel: Some(self.channel.clone()),
            confidence: Some(self.confidence),
            pinned: self.pin,
            allow_secret: self.allow_secret,
            ..NewMemory::default()
        };
        let dry_run = self.dry.dry_run;
        let done = remember::remember_one(on, &new, &call.request("journal append", dry_run))?;
        let RememberedOne { id, path, degraded, .. } = done;
        Ok(Appended { id, path, dry_run, degraded })
    }
}

/// Take the oldest records out of MEMORY.md; the daily logs keep them
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalTrim {
    /// Keep so many records (default: continuity.memoryMaxRecords)
    #[arg(long, value_name = "N")]
    pub max_records: Option<usize>,
    /// Keep so many characters (default: continuity.memoryMaxChars)
    #[arg(long, value_name = "N")]
    pub max_chars: Option<usize>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A window that was trimmed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TrimmedWindow {
    /// What left it.
    #[serde(flatten)]
    pub done: Trim,
    /// Whether it only shows what would leave.
    pub dry_run: bool,
}

impl Output for TrimmedWindow {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for JournalTrim {
    const NAME: &'static str = "journal.trim";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = TrimmedWindow;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<TrimmedWindow, OperationError> {
        let mut limits = journal::window_limits(on);
        if self.max_records.is_some() || self.max_chars.is_some() {
            (limits.records, limits.chars) = (self.max_records, self.max_chars);
        }
        if !limits.are_set() {
            return Err(OperationError::usage("the window has no limit").hint(
                "give --max-records or --max-chars, or set continuity.memoryMaxRecords in quipu.toml",
            ));
        }
        let dry_run = self.dry.dry_run;
        Ok(TrimmedWindow { done: journal::trim(on, &limits, call.now, dry_run)?, dry_run })
    }
}

/// Append the checkpoint that a runtime writes before it compacts a conversation
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalFlush {
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Operation for JournalFlush {
    const NAME: &'static str = "journal.flush";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = Appended;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Appended, OperationError> {
        let dry_run = self.dry.dry_run;
        let done = remember::flush_journal(on, &call.request("journal flush", dry_run))?;
        Ok(Appended::new(done, dry_run))
    }
}

/// Write the records of the journal in another form, without loss: Markdown or lines of JSON
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct JournalConvert {
    /// The form: `markdown` or `json`
    #[arg(long, value_enum, value_name = "FORM")]
    #[schemars(with = "String")]
    pub to: RecordForm,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// How records are written.
#[derive(Clone, Copy, Debug, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum RecordForm {
    /// A bullet with the words, and a comment below.
    Markdown,
    /// A line of JSON, as the original writes it.
    Json,
}

/// A journal that was converted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConvertedJournal {
    /// What changed.
    #[serde(flatten)]
    pub done: Converted,
    /// Whether it only shows what would change.
    pub dry_run: bool,
}

impl Output for ConvertedJournal {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for JournalConvert {
    const NAME: &'static str = "journal.convert";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Admin;
    const AUDIENCE: Audience = Audience::Main;
    const OF_JOURNAL: bool = true;
    type Output = ConvertedJournal;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<ConvertedJournal, OperationError> {
        let dry_run = self.dry.dry_run;
        let to = match self.to {
            RecordForm::Markdown => Form::Markdown,
            RecordForm::Json => Form::Json,
        };
        let done = convert::convert_journal(on, to, &call.request("journal convert", dry_run))?;
        Ok(ConvertedJournal { done, dry_run })
    }
}
