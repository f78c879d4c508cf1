//! Working sessions: begun, noted, ended, listed and shown.

mod end;
mod read;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quipu_core::secret::Scope;
use quipu_core::session::{Note, NoteKind, OpenSession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use end::*;
pub use read::*;

use crate::caller::{Actor, Permission};
use crate::operation::input::{DryRun, MoreWords, NotSecret, separated};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::sessions;
use crate::workspace::Workspace;

/// Begin a session; several may be open at once, one per agent
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SessionStart {
    /// Who works, such as "Claude Code"
    #[arg(long, env = "QUIPU_AGENT")]
    pub agent: Option<String>,
    /// For whom
    #[arg(long, env = "QUIPU_USER")]
    pub user: Option<String>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// A session that is open.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionNow {
    /// Its id.
    pub id: String,
    /// What happened in it so far.
    pub session: OpenSession,
    /// Whether it only shows how it would be.
    pub dry_run: bool,
}

impl SessionNow {
    fn of(session: OpenSession, dry_run: bool) -> Self {
        Self { id: session.id.clone(), session, dry_run }
    }
}

impl Output for SessionNow {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        noted(&mut self.session, each);
    }
}

/// Hands over what was noted in a session.
fn noted(session: &mut OpenSession, each: &mut dyn FnMut(&mut String)) {
    session.notes.iter_mut().for_each(|note| each(&mut note.text));
}

impl Operation for SessionStart {
    const NAME: &'static str = "session.start";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = SessionNow;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<SessionNow, OperationError> {
        let agent = match (self.agent.as_deref(), call.caller.actor) {
            // Clients introduce themselves when they connect. A local command does not, and whether a script or an
            // agent runs it is only a guess from its environment.
            (None, Actor::Agent(name)) if !call.is_here => Some(name),
            (said, _) => said,
        };
        let request = call.request("session start", self.dry.dry_run);
        let session = sessions::session_start(on, agent, self.user.as_deref(), &request)?;
        Ok(SessionNow::of(session, request.dry_run))
    }
}

/// Note something for the log
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SessionNote {
    /// What to note (`-` reads it from stdin)
    pub text: String,
    /// The other words of a text without quotes.
    #[command(flatten)]
    #[serde(skip)]
    pub more: MoreWords,
    /// What kind of note it is
    #[arg(short, long, value_parser = note_kind(), default_value = "did")]
    #[serde(default)]
    pub kind: NoteKind,
    /// Facts that were used
    #[arg(short, long = "ref", value_name = "ID", value_delimiter = ',')]
    #[serde(default)]
    pub references: Vec<String>,
    /// Why it holds no secret.
    #[command(flatten)]
    #[serde(flatten)]
    pub not_secret: NotSecret,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// Reads the kind of a note, and explains each in the help.
fn note_kind() -> impl TypedValueParser<Value = NoteKind> {
    let value = |kind: NoteKind| {
        PossibleValue::new(kind.as_str()).help(match kind {
            NoteKind::Did => "What was done",
            NoteKind::Decided => "What was decided",
            NoteKind::Next => "What the next session should know",
        })
    };
    PossibleValuesParser::new(NoteKind::ALL.iter().copied().map(value))
        .try_map(|name| NoteKind::named(&name).ok_or_else(|| format!("unknown: {name}")))
}

impl Operation for SessionNote {
    const NAME: &'static str = "session.note";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = SessionNow;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<SessionNow, OperationError> {
        let text = self.not_secret.vouched(&self.text, Scope::Credentials, call)?;
        let note = Note { kind: self.kind, text };
        let references = separated(&self.references);
        let request = call.request("session note", self.dry.dry_run);
        let session = sessions::session_note(on, &note, &references, &request)?;
        Ok(SessionNow::of(session, request.dry_run))
    }
}
