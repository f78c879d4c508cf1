//! What a command runs with: the workspace, the clock, and who asks.

use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_core::item::Scope;
use quipu_engine::caller::{Actor, Caller};
use quipu_engine::operation::input::MoreWords;
use quipu_engine::operation::{Call, Effect, Operation};
use quipu_engine::workspace::user_folder;
use quipu_engine::{Workspace, open, sessions};

use crate::cli::Global;
use crate::error::CommandError;
use crate::identity::Identity;
use crate::output::{self, styled};
use crate::pool::{Lease, real_fs};
use crate::reply::YELLOW;

/// The circumstances of one command.
#[derive(Clone)]
pub(crate) struct Context {
    /// The global options.
    pub(crate) global: Global,
    now: Timestamp,
    identity: Identity,
}

/// Returns the time: the clock's, unless the caller set it.
pub(crate) fn now(global: &Global) -> Timestamp {
    let midnight = |date: Date| {
        date.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp()).unwrap_or_default()
    };
    match (global.now, global.today) {
        (Some(now), _) => now,
        (None, Some(today)) => midnight(today),
        (None, None) => Timestamp::now(),
    }
}

/// Returns the day (UTC) that a time falls on, unless the caller set it.
pub(crate) fn today(global: &Global, now: Timestamp) -> Date {
    global.today.unwrap_or_else(|| now.to_zoned(TimeZone::UTC).date())
}

impl Context {
    /// Reads the clock, unless the caller set it.
    pub(crate) fn new(global: Global) -> Self {
        let now = now(&global);
        Self { global, now, identity: Identity::local() }
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// The day (UTC).
    pub(crate) fn today(&self) -> Date {
        today(&self.global, self.now)
    }

    /// The folder that the caller stands in.
    pub(crate) fn start(&self) -> PathBuf {
        self.global.directory.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The workspace around that folder.
    pub(crate) fn workspace(&self) -> Result<Lease, CommandError> {
        self.workspace_or_user(|_| self.global.scope == Some(Scope::User))
    }

    /// The workspace for an operation: outside of any project, questions go to the user's own memory, where
    /// there is one, and so does what is kept for every project.
    pub(crate) fn workspace_for<O: Operation>(&self, asked: &O) -> Result<Lease, CommandError> {
        let is_user = asked.scope().or(self.global.scope) == Some(Scope::User);
        let reads = asked.effect() == Effect::Reads;
        self.workspace_or_user(|folder| is_user || (reads && folder.join("memory").is_dir()))
    }

    fn workspace_or_user(
        &self,
        wants_user: impl FnOnce(&Path) -> bool,
    ) -> Result<Lease, CommandError> {
        let lease = self.open(wants_user)?;
        for notice in &lease.config().notices {
            output::note(&format!("{} {notice}\n", styled(YELLOW, "note:")));
        }
        Ok(lease)
    }

    /// The same for a look before an operation, which will tell the notices.
    pub(crate) fn glimpse(&self) -> Result<Lease, CommandError> {
        self.open(|_| self.global.scope == Some(Scope::User))
    }

    fn open(&self, wants_user: impl FnOnce(&Path) -> bool) -> Result<Lease, CommandError> {
        let start = self.start();
        if !start.is_dir() {
            return Err(CommandError::usage(format!("`{}` is not a folder", start.display())));
        }
        let workspace = match open::discover_with(real_fs(), &start, &self.global.settings) {
            Ok(workspace) => workspace,
            Err(error) => match user_folder().filter(|folder| wants_user(folder)) {
                Some(folder) => open::at_with(real_fs(), &folder, &self.global.settings)?,
                None => return Err(error),
            },
        };
        Ok(Lease::owned(workspace.with_user_scope(user_folder())))
    }

    /// The circumstances of an operation.
    pub(crate) fn call<'a>(&'a self, progress: quipu_engine::operation::Progress<'a>) -> Call<'a> {
        Call {
            caller: self.caller(),
            now: self.now,
            today: self.today(),
            session: self.global.session.as_deref(),
            scope: self.global.scope,
            progress,
            is_here: true,
            counts: true,
            retry: None,
        }
    }

    /// The session that an operation belongs to: the named one, or the one that the hooks of the calling agent
    /// opened.
    pub(crate) fn own_session(&self, workspace: &Workspace) -> Option<String> {
        let named = self.global.session.clone();
        named.or_else(|| match self.caller().actor {
            Actor::Agent(name) => sessions::session_by_hook(workspace, name).ok().flatten(),
            Actor::Person(_) => None,
        })
    }

    /// Who runs the command, as somebody who comes through a server.
    pub(crate) fn at_the_door(&self) -> quipu_server::Caller {
        self.identity.at_the_door()
    }

    /// Tells whether a person reads the answer, at a terminal.
    pub(crate) fn is_person_at_terminal(&self) -> bool {
        output::is_terminal() && matches!(self.caller().actor, Actor::Person(_))
    }

    /// Who runs the command.
    pub(crate) fn caller(&self) -> Caller<'_> {
        self.identity.caller()
    }
}

impl Context {
    /// Returns `text`, or what stands on stdin where it is `-`.
    pub(crate) fn text_or_stdin(text: &str) -> Result<String, CommandError> {
        if text == "-" { read_stdin() } else { Ok(text.to_owned()) }
    }

    /// Completes a text that may have come without quotes, word by word, or be on stdin.
    pub(crate) fn complete_words(
        text: &mut String,
        more: &mut MoreWords,
    ) -> Result<(), CommandError> {
        more.join_to(text);
        *text = Self::text_or_stdin(text)?;
        Ok(())
    }

    /// Reads a text from stdin where it is `-`.
    pub(crate) fn complete_text(text: Option<&mut String>) -> Result<(), CommandError> {
        if let Some(text) = text {
            *text = Self::text_or_stdin(text)?;
        }
        Ok(())
    }
}

fn read_stdin() -> Result<String, CommandError> {
    let mut read = String::new();
    std::io::stdin()
        .read_to_string(&mut read)
        .map_err(|error| CommandError::usage(format!("cannot read stdin: {error}")))?;
    Ok(read)
}

/// Returns the root of the git repository around `start`, or `start` itself.
pub(crate) fn repository_root(start: &Path) -> PathBuf {
    let absolute = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    let root = absolute.ancestors().find(|folder| folder.join(".git").exists());
    root.map_or(absolute.clone(), Path::to_owned)
}
