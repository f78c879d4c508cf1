//! Looking at one thing: its words, why it stands where it does, and what happened to it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::history;
use crate::index;
use crate::numbers::{self, Numbers};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::report::{self, Shown};
use crate::sessions;
use crate::workspace::Workspace;

/// Show anything that is remembered: a fact, a session log or a part of it, a record
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Show {
    /// A fact's id, a session log's name, a record's id or a beginning of it
    pub id: String,
    /// A secret too
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
}

impl Output for Shown {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        each(&mut self.text);
        self.usage.iter_mut().for_each(|row| each(&mut row.title));
        self.notes.iter_mut().for_each(each);
    }
}

impl Operation for Show {
    const NAME: &'static str = "show";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> =
        Some("Open one memory by id: its full text, or why it ranks so, or its history.");
    type Output = Shown;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Shown, OperationError> {
        let shown = report::show_any(on, &self.id, self.allow_secret)?;
        if call.counts {
            index::note_access(on, &shown.id, call.now);
            if matches!(shown.kind, "fact" | "thread") {
                sessions::note_opened(on, call.session, &shown.id)?;
            }
        }
        Ok(shown)
    }
}

/// Explain anything: a fact's tier and the rule that fired; how much of a memory is left, and the
/// nine terms of its importance
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Why {
    /// The fact, record or part of a log
    pub id: String,
}

/// Why something stands where it does.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explained {
    /// The rules, and which of them decided.
    #[serde(flatten)]
    pub why: report::Why,
    /// The numbers; none where there is no index.
    pub numbers: Option<Numbers>,
    /// How hooks saw that it was used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<SeenUse>,
}

/// How a hook saw that a fact was used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeenUse {
    /// The log, or the session that is still open.
    pub session: String,
    /// What showed it.
    pub evidence: String,
}

impl Output for Explained {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        // The last decision may repeat a note.
        each(&mut self.why.because);
        self.seen.iter_mut().for_each(|use_| each(&mut use_.evidence));
    }
}

impl Operation for Why {
    const NAME: &'static str = "why";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Explained;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Explained, OperationError> {
        let why = report::why(on, &self.id)?;
        // Whoever asks about a fact need not have an index, and does not get one by asking.
        let is_indexed = index::is_made(on);
        let numbers = if is_indexed { numbers::numbers(on, &why.id, call.now).ok() } else { None };
        let seen = sessions::evidence_of(on, &why.id)?.into_iter();
        let seen = seen.map(|(session, evidence)| SeenUse { session, evidence }).collect();
        Ok(Explained { why, numbers, seen })
    }
}

/// Tell what happened to something since it was remembered
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct History {
    /// A fact's id, a session log's name, a record's id or a beginning of it
    #[arg(
        default_value = "",
        hide_default_value = true,
        help = "A fact's id, a session log's name, a record's id or a beginning of it (default: all that happened, as `quipu timeline` shows it)"
    )]
    pub id: String,
    /// A secret too
    #[arg(long)]
    #[serde(skip)]
    pub allow_secret: bool,
}

impl Output for history::History {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        for entry in &mut self.entries {
            each(&mut entry.what);
            each(&mut entry.reason);
        }
    }
}

impl Operation for History {
    const NAME: &'static str = "history";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = history::History;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<history::History, OperationError> {
        history::history(on, &self.id, self.allow_secret)
    }
}
