//! What can be done with a memory. Each capability is one type: its fields are what a caller says, as arguments of
//! a command or as JSON, and `run` does it. The command line, MCP and the references are made from these types, so
//! they cannot differ.

pub mod homes;
pub mod input;
pub mod registry;

use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::item::Scope;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::error::Error as OperationError;

use crate::caller::{Caller, Channel, Permission};
use crate::retry::RetryKey;
use crate::workspace::Workspace;

/// What an operation does to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It looks.
    Reads,
    /// It adds, or makes changes that can be taken back.
    Writes,
    /// It puts away or removes.
    Removes,
}

/// Who may call an operation at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every channel: it knows by itself what is private.
    Everyone,
    /// The main channel, and a runtime's own ticks.
    Heartbeat,
    /// The main channel.
    Main,
    /// Only the command line of this machine.
    Here,
}

impl Audience {
    /// Tells whether a channel is among them.
    pub fn has(self, channel: Channel) -> bool {
        match self {
            Self::Everyone => true,
            Self::Heartbeat => channel != Channel::Other,
            Self::Main | Self::Here => channel == Channel::Main,
        }
    }
}

/// Something that can be done with a memory.
///
/// The doc comments of the type and its fields are the help text and the schema's descriptions. Fields that only
/// make sense at a terminal are left out of the schema with `#[serde(skip)]`.
pub trait Operation: Args + DeserializeOwned + JsonSchema {
    /// Its name: `fact.add` is `quipu fact add` and the tool `fact_add`.
    const NAME: &'static str;
    /// The most that it does.
    const EFFECT: Effect;
    /// What a caller needs to be allowed for it to do that.
    const PERMISSION: Permission;
    /// Who may call it.
    const AUDIENCE: Audience;
    /// Whether it only looks unless it is told more.
    const LOOKS_FIRST: bool = false;
    /// What it is for, in the words of a tool, where the help text does not say it to an agent.
    const FOR_AGENTS: Option<&'static str> = None;
    /// Whether it is about the private journal alone, which all worktrees of a repository share.
    const OF_JOURNAL: bool = false;
    /// What it answers.
    type Output: Output;

    /// What this call does: some only look unless they are told more, and a dry run always does.
    fn effect(&self) -> Effect {
        Self::EFFECT
    }

    /// What a caller needs for this call.
    fn needs(&self) -> Permission {
        match (Self::PERMISSION, self.effect()) {
            (Permission::Admin, _) => Permission::Admin,
            (_, Effect::Reads) => Permission::Read,
            (needed, _) => needed,
        }
    }

    /// Which memory this call is about, where it says so.
    fn scope(&self) -> Option<Scope> {
        None
    }

    /// Which memory it is about where the caller names none: this one, or one that belongs to it.
    fn home<'w>(&self, on: &'w Workspace) -> &'w Workspace {
        if Self::OF_JOURNAL { on.project_scope() } else { on }
    }

    /// Does it.
    ///
    /// # Errors
    /// When it cannot be done; then nothing has changed.
    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Self::Output, OperationError>;
}

/// What an operation answers.
pub trait Output: Serialize + JsonSchema {
    /// Hands every text in it that comes from memory to `each`, which may change it.
    fn said(&mut self, each: &mut dyn FnMut(&mut String));

    /// Tells whether the answer is that something is missing or wrong: nothing was found, or there are findings.
    fn wants_attention(&self) -> bool {
        false
    }
}

/// Hears how far a call has come: the step, how much of it is done, and how much there is. Returns whether to go on.
pub type Progress<'a> = &'a dyn Fn(&str, usize, usize) -> bool;

/// The circumstances of a call: who calls, when, and in which session.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Who calls.
    pub caller: Caller<'a>,
    /// The time.
    pub now: Timestamp,
    /// The day.
    pub today: Date,
    /// The session to record it in; by default the one that is open.
    pub session: Option<&'a str>,
    /// Which memory it is about; by default the project's, and for questions the user's own too.
    pub scope: Option<Scope>,
    /// Who hears how far it has come.
    pub progress: Progress<'a>,
    /// Whether it comes from the command line of this machine. To anybody else no credential is shown that
    /// somebody once wrote into a memory.
    pub is_here: bool,
    /// Whether looking at a memory counts as an access or a use. A GET request counts as neither: any page
    /// can make a browser send one.
    pub counts: bool,
    /// What a retry of this call is recognised by.
    pub retry: Option<RetryKey<'a>>,
}

impl<'a> Call<'a> {
    /// Returns the same as a request.
    pub fn request(&self, operation: &'a str, dry_run: bool) -> Request<'a> {
        let Self { caller, now, today, session, .. } = *self;
        Request { operation, now, today, session, dry_run, caller }
    }

    /// Returns the channel that a question is asked in: the caller's own. Only the main one may choose another.
    pub fn channel(&self, chosen: Channel) -> Channel {
        if self.caller.channel == Channel::Main { chosen } else { self.caller.channel }
    }
}

/// Who asks, when, and whether for real.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The command, for the undo list.
    pub operation: &'a str,
    /// The time.
    pub now: Timestamp,
    /// The day.
    pub today: Date,
    /// The session to record it in; by default the one that is open.
    pub session: Option<&'a str>,
    /// Only show what would change.
    pub dry_run: bool,
    /// Who asks.
    pub caller: Caller<'a>,
}
