//! What a command runs with: the workspace, the clock, and who asks.

use std::io::Read;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_engine::Workspace;
use quipu_engine::caller::Channel;
use quipu_engine::caller::{self, Actor, Caller, Permission};
use quipu_engine::fs::{FileSystem, RealFs};
use quipu_engine::operation::{Call, Request};

use crate::cli::Global;
use crate::error::CommandError;
use crate::output;
use crate::reply::{YELLOW, styled};
use crate::served::{Pool, Progress};

/// The circumstances of one command.
#[derive(Clone)]
pub(crate) struct Context {
    /// The global options.
    pub(crate) global: Global,
    now: Timestamp,
    identity: Identity,
    remote: Option<Remote>,
}

/// Who runs a command. Found out once: by the terminal and the environment of this process, or by the door of a
/// server. No argument of a command changes it.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    permission: Permission,
    channel: Channel,
    is_person: bool,
    /// The agent's name, or the person's where it is known.
    name: Option<String>,
}

impl Identity {
    /// Returns who started this process.
    fn local() -> Self {
        let variable = |name: &str| std::env::var(name).ok();
        let agent = caller::started_by_agent(output::is_terminal(), variable);
        let is_person = agent.is_none();
        let name = agent.or_else(|| variable("QUIPU_USER").filter(|name| !name.trim().is_empty()));
        Self { permission: Permission::Admin, channel: Channel::Main, is_person, name }
    }

    /// Returns the server itself, which does what is due.
    pub(crate) fn quipu() -> Self {
        let (permission, channel) = (Permission::Admin, Channel::Main);
        Self { permission, channel, is_person: false, name: Some("quipu".to_owned()) }
    }

    /// Returns who calls through a server.
    pub(crate) fn remote(caller: &quipu_server::Caller) -> Self {
        let (permission, channel) = (permission(caller), channel(caller));
        let name = caller::agent_name(caller.agent.as_deref().unwrap_or("agent"));
        Self { permission, channel, is_person: caller.is_person, name: Some(name) }
    }

    fn caller(&self) -> Caller<'_> {
        let actor = match (self.is_person, self.name.as_deref()) {
            (true, name) => Actor::Person(name),
            (false, name) => Actor::Agent(name.unwrap_or("agent")),
        };
        Caller { permission: self.permission, channel: self.channel, actor }
    }
}

/// What a command runs with that a server runs.
#[derive(Clone)]
pub(crate) struct Remote {
    /// Workspaces that stay open.
    pub(crate) pool: Arc<Pool>,
    /// Who hears how far it has come.
    pub(crate) progress: Progress,
    /// Who calls.
    pub(crate) identity: Identity,
}

impl Context {
    /// Reads the clock, unless the caller set it.
    pub(crate) fn new(global: Global) -> Self {
        let midnight = |date: Date| {
            date.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp()).unwrap_or_default()
        };
        let now = match (global.now, global.today) {
            (Some(now), _) => now,
            (None, Some(today)) => midnight(today),
            (None, None) => Timestamp::now(),
        };
        Self { global, now, identity: Identity::local(), remote: None }
    }

    /// Says that a server runs the command: nobody is at the terminal, and stdin is the client's.
    pub(crate) fn remote(mut self, remote: Remote) -> Self {
        self.identity = remote.identity.clone();
        self.remote = Some(remote);
        self
    }

    /// Who hears how far the command has come, where that is a program.
    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.remote.as_ref().map(|remote| &remote.progress)
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// The day (UTC).
    pub(crate) fn today(&self) -> Date {
        self.global.today.unwrap_or_else(|| self.now.to_zoned(TimeZone::UTC).date())
    }

    /// Tells whether somebody asks through a server, who has no terminal.
    pub(crate) fn is_remote(&self) -> bool {
        self.remote.is_some()
    }

    /// The folder that the caller stands in.
    pub(crate) fn start(&self) -> PathBuf {
        self.global.directory.clone().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The workspace around that folder.
    pub(crate) fn workspace(&self) -> Result<Lease, CommandError> {
        let lease = self.glimpse()?;
        if self.remote.is_none() {
            for notice in &lease.config().notices {
                output::note(&format!("{} {notice}\n", styled(YELLOW, "note:")));
            }
        }
        Ok(lease)
    }

    /// The same for a look before an operation, which will tell the notices.
    pub(crate) fn glimpse(&self) -> Result<Lease, CommandError> {
        if let Some(remote) = &self.remote {
            return remote.pool.take(&self.global);
        }
        let start = self.start();
        if !start.is_dir() {
            return Err(CommandError::usage(format!("`{}` is not a folder", start.display())));
        }
        let workspace = Workspace::discover_with(real_fs(), &start, &self.global.settings)?;
        Ok(Lease { workspace: Some(workspace), pool: None })
    }

    /// A request in the name of the caller.
    pub(crate) fn request<'a>(&'a self, operation: &'a str, dry_run: bool) -> Request<'a> {
        Request {
            operation,
            now: self.now,
            today: self.today(),
            session: self.global.session.as_deref(),
            dry_run,
            caller: self.caller(),
        }
    }

    /// The same for an operation.
    pub(crate) fn call<'a>(&'a self, progress: quipu_engine::operation::Progress<'a>) -> Call<'a> {
        Call {
            caller: self.caller(),
            now: self.now,
            today: self.today(),
            session: self.global.session.as_deref(),
            progress,
            is_here: self.remote.is_none(),
        }
    }

    /// Who runs the command.
    pub(crate) fn caller(&self) -> Caller<'_> {
        self.identity.caller()
    }
}

/// A workspace for one command; one of a server's goes back to the others.
pub(crate) struct Lease {
    workspace: Option<Workspace>,
    pool: Option<Arc<Pool>>,
}

impl Lease {
    /// Lends a workspace of a pool.
    pub(crate) fn of(pool: Arc<Pool>, workspace: Workspace) -> Self {
        Self { workspace: Some(workspace), pool: Some(pool) }
    }
}

impl Deref for Lease {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        self.workspace.as_ref().expect("a lease has its workspace until it ends")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        for notice in self.workspace.iter().flat_map(Workspace::take_notices) {
            output::note(&format!("{} {notice}\n", styled(YELLOW, "note:")));
        }
        // What a panic went through may be half done.
        if let (Some(pool), Some(workspace), false) =
            (&self.pool, self.workspace.take(), std::thread::panicking())
        {
            pool.give_back(workspace);
        }
    }
}

/// What somebody who calls through a server may do.
pub(crate) fn permission(caller: &quipu_server::Caller) -> Permission {
    match caller.scope {
        quipu_server::Scope::Read => Permission::Read,
        quipu_server::Scope::Write => Permission::Write,
        quipu_server::Scope::Admin => Permission::Admin,
    }
}

/// Where somebody who calls through a server speaks from.
pub(crate) fn channel(caller: &quipu_server::Caller) -> Channel {
    match caller.channel {
        quipu_server::Channel::Main => Channel::Main,
        quipu_server::Channel::Heartbeat => Channel::Heartbeat,
        quipu_server::Channel::Other => Channel::Other,
    }
}

/// The machine's file system.
pub(crate) fn real_fs() -> Arc<dyn FileSystem> {
    Arc::new(RealFs)
}

impl Context {
    /// Returns `text`, or what stands on stdin where it is `-`.
    pub(crate) fn text_or_stdin(&self, text: &str) -> Result<String, CommandError> {
        if text != "-" || self.remote.is_some() {
            return Ok(text.to_owned());
        }
        read_stdin()
    }

    /// Reads a text from stdin where it is `-`.
    pub(crate) fn complete_text(&self, text: Option<&mut String>) -> Result<(), CommandError> {
        if let Some(text) = text {
            *text = self.text_or_stdin(text)?;
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
