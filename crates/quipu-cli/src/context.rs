//! What a command runs with: the workspace, the clock, and who asks.

use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_engine::caller::Caller;
use quipu_engine::open;
use quipu_engine::operation::Call;

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
        let lease = self.glimpse()?;
        for notice in &lease.config().notices {
            output::note(&format!("{} {notice}\n", styled(YELLOW, "note:")));
        }
        Ok(lease)
    }

    /// The same for a look before an operation, which will tell the notices.
    pub(crate) fn glimpse(&self) -> Result<Lease, CommandError> {
        let start = self.start();
        if !start.is_dir() {
            return Err(CommandError::usage(format!("`{}` is not a folder", start.display())));
        }
        let workspace = open::discover_with(real_fs(), &start, &self.global.settings)?;
        Ok(Lease::owned(workspace))
    }

    /// The circumstances of an operation.
    pub(crate) fn call<'a>(&'a self, progress: quipu_engine::operation::Progress<'a>) -> Call<'a> {
        Call {
            caller: self.caller(),
            now: self.now,
            today: self.today(),
            session: self.global.session.as_deref(),
            progress,
            is_here: true,
        }
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
