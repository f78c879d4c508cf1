//! Threads: work and questions that stay until they are done.

use clap::Args;
use quipu_core::facts::NewFact;
use quipu_core::secret::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::facts::{self, Added, Choice};
use crate::operation::input::{DryRun, MoreWords, NotSecret};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::Changed;
use crate::report::{self, FactRow, Filter};
use crate::workspace::Workspace;

/// Open a thread: work or a question that stays until it is done
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ThreadOpen {
    /// What is to be done or found out (`-` reads it from stdin)
    pub text: String,
    /// The other words of a text without quotes.
    #[command(flatten)]
    #[serde(skip)]
    pub more: MoreWords,
    /// Its id (default: derived from the text)
    #[arg(long)]
    pub id: Option<String>,
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

/// A thread that was opened, closed or opened again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ThreadSet {
    /// The thread.
    pub id: String,
    /// What it is now.
    pub state: ThreadState,
}

/// Whether there is still something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThreadState {
    /// It is not done.
    Open,
    /// It is done.
    Done,
}

impl Output for ThreadSet {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

impl Operation for ThreadOpen {
    const NAME: &'static str = "thread.open";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Open a thread: team work or a question that stays in every briefing until it is closed.",
    );
    type Output = Changed<ThreadSet>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Changed<ThreadSet>, OperationError> {
        let new = NewFact {
            text: self.not_secret.vouched(&self.text, Scope::Memory, call)?,
            section: None,
            id: self.id.clone(),
            is_thread: true,
            allow_secret: self.allow_secret,
        };
        let dry_run = self.dry.dry_run;
        let request = call.request("thread open", dry_run);
        let (added, diff) = facts::add_fact(on, &new, &Choice::default(), &request)?;
        let Added::Written { id, .. } = added else {
            return Err(OperationError::input("refused", "the thread was not written"));
        };
        Ok(Changed::new(ThreadSet { id, state: ThreadState::Open }, diff, dry_run, on, call))
    }
}

/// Close a thread
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ThreadClose {
    /// The thread
    pub id: String,
    /// Open it again instead
    #[arg(long)]
    #[serde(default)]
    pub reopen: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

impl Operation for ThreadClose {
    const NAME: &'static str = "thread.close";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Changed<ThreadSet>;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Changed<ThreadSet>, OperationError> {
        let dry_run = self.dry.dry_run;
        let (operation, state) = if self.reopen {
            ("thread reopen", ThreadState::Open)
        } else {
            ("thread close", ThreadState::Done)
        };
        let id = facts::full_id(on, &self.id);
        let diff = facts::set_done(on, &id, !self.reopen, &call.request(operation, dry_run));
        Changed::of(ThreadSet { id, state }, diff, dry_run, on, call)
    }
}

/// List threads
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ThreadList {
    /// Only threads that contain these words
    #[serde(default)]
    pub words: Vec<String>,
    /// Done threads too
    #[arg(short, long)]
    #[serde(default)]
    pub all: bool,
}

/// Threads in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Threads {
    /// The threads.
    pub threads: Vec<FactRow>,
    /// How many there are.
    pub count: usize,
}

impl Output for Threads {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.threads.iter_mut().for_each(|thread| each(&mut thread.title));
    }

    fn wants_attention(&self) -> bool {
        self.threads.is_empty()
    }
}

impl Operation for ThreadList {
    const NAME: &'static str = "thread.list";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Threads;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<Threads, OperationError> {
        let threads = report::list(
            on,
            &Filter {
                threads: true,
                done: self.all,
                matching: (!self.words.is_empty()).then(|| self.words.join(" ")),
                ..Filter::default()
            },
        )?;
        Ok(Threads { count: threads.len(), threads })
    }
}
