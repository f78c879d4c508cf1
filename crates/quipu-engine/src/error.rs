//! A failure: whose it is, what went wrong, and what to do next about it.

mod home;

use std::error::Error as Cause;
use std::fmt::{self, Write as _};
use std::io;
use std::path::PathBuf;

use quipu_core::facts::FactError;
use quipu_core::manifest::{LayoutVersion, NEWEST_LAYOUT};
use quipu_core::memory::MemoryError;
use quipu_core::review::ReviewError;
use quipu_embed::EmbedError;
use quipu_store::StoreError;
use serde_json::{Value, json};

pub use self::home::HomeError;

/// What kind of failure it is; each surface maps these once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no memory here.
    NoWorkspace,
    /// What was asked makes no sense.
    Usage,
    /// Something that was given is not right.
    Input,
    /// There is nothing of that name.
    NotFound,
    /// It does not fit what is there: it was changed meanwhile, or has to be decided first.
    Conflict,
    /// The caller may not do this.
    Forbidden,
    /// Another process is working.
    Busy,
    /// A file or the index cannot be used as it is; no caller is to blame.
    Damaged,
    /// A bug of ours.
    Bug,
}

/// What a failure tells that has a type of its own.
pub trait Failure: Cause + Send + Sync + 'static {
    /// Returns a stable name for it.
    fn code(&self) -> &'static str;

    /// Returns what to do next.
    fn hint(&self) -> Option<String>;

    /// Returns whose fault it is.
    fn kind(&self) -> ErrorKind {
        kind_of(self.code())
    }
}

/// A failure, whatever its type was.
#[derive(Debug)]
pub struct Error {
    /// Whose fault it is; exit codes and HTTP statuses follow from it.
    pub kind: ErrorKind,
    /// A stable name.
    pub code: &'static str,
    /// What went wrong, with its causes.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    cause: Option<Box<dyn Cause + Send + Sync>>,
}

impl<E: Failure> From<E> for Error {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let told = inner.to_string();
            let told = told.trim_end();
            // Some say their cause themselves.
            if !message.ends_with(told) {
                let _ = write!(message, ": {told}");
            }
            cause = inner.source();
        }
        let hint = if is_disk_full(&error) {
            Some("the disk is full: make room and run it again; nothing was changed".to_owned())
        } else {
            error.hint()
        };
        let (kind, code) = (error.kind(), error.code());
        Self { kind, code, message, hint, cause: Some(Box::new(error)) }
    }
}

fn is_disk_full(error: &dyn Cause) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return matches!(io.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        }
        cause = inner.source();
    }
    false
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        self.cause.as_ref()?.source()
    }
}

impl Error {
    fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), hint: None, cause: None }
    }

    /// The caller asked for something that makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, "usage", message)
    }

    /// Something that was given or found is not right.
    pub fn input(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, code, message)
    }

    /// The caller may not do this.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, code, message)
    }

    /// Somebody else is at work.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Busy, "busy", message).hint("wait for it to finish and try again")
    }

    /// We failed, not the caller.
    pub fn bug() -> Self {
        Self::new(ErrorKind::Bug, "bug", "quipu stumbled over a bug of its own")
            .hint("what was under way is finished or taken back by the next command")
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns what it was, where it was an `E`.
    pub fn of<E: Failure>(&self) -> Option<&E> {
        self.cause.as_ref()?.downcast_ref()
    }

    /// Tells whether the index was found damaged.
    pub fn is_damaged_index(&self) -> bool {
        self.code == DAMAGED_INDEX
    }

    /// Returns whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns its stable name.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns what to do next.
    pub fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The failure as data.
    pub fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }
}

const DAMAGED_INDEX: &str = "damaged-index";

/// Returns whose fault a failure is, by its name.
fn kind_of(code: &str) -> ErrorKind {
    match code {
        "no-workspace" => ErrorKind::NoWorkspace,
        "busy" | "unreachable" => ErrorKind::Busy,
        "bug" => ErrorKind::Bug,
        "unknown-fact" | "unknown-id" | "unknown-entity" | "unknown-question" | "no-such-path"
        | "empty-user-scope" | "no-such-proposal" | "nothing-to-undo" | "nothing-to-redo"
        | "unknown-change" | "unknown-space" => ErrorKind::NotFound,
        "edited-since" | "changed-since" | "already-undone" | "transition" | "loses-records"
        | "permanent" | "owned-by-file" | "would-be-wrong" | "key-reused" | "already-done" => {
            ErrorKind::Conflict
        }
        "not-a-person" | "not-their-change" | "channel" => ErrorKind::Forbidden,
        DAMAGED_INDEX | "index" | "io" | "read-only" | "state" | "embedding" | "judge" | "git" => {
            ErrorKind::Damaged
        }
        _ => ErrorKind::Input,
    }
}

/// There is no memory here.
#[derive(Debug, thiserror::Error)]
#[error("there is no memory in `{start}` or any folder above it", start = start.display())]
pub struct NoWorkspace {
    /// Where the search began.
    pub start: PathBuf,
}

impl Failure for NoWorkspace {
    fn code(&self) -> &'static str {
        "no-workspace"
    }

    fn hint(&self) -> Option<String> {
        let hint = "run `quipu init` in your repo, or name it with `-C DIR`; what you `remember --user` needs none";
        Some(hint.to_owned())
    }
}

/// The memory was made by a tool of a newer major version.
#[derive(Debug, thiserror::Error)]
#[error("the memory has layout {found}, and this Quipu knows layouts up to {NEWEST_LAYOUT}")]
pub struct NewerLayout {
    /// The version in the manifest.
    pub found: LayoutVersion,
}

impl Failure for NewerLayout {
    fn code(&self) -> &'static str {
        "newer-layout"
    }

    fn hint(&self) -> Option<String> {
        Some("install a newer Quipu; nothing was changed".to_owned())
    }
}

impl Failure for MemoryError {
    fn code(&self) -> &'static str {
        if matches!(self, Self::Policy { .. }) { "bad-policy" } else { "no-continuity" }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Policy { .. } => BAD_POLICY,
            _ => "run `quipu init`",
        };
        Some(hint.to_owned())
    }
}

const BAD_POLICY: &str =
    "correct that line of memory/decay-policy.md, or remove it to use the default";

impl Failure for FactError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown-fact",
            Self::Secret { .. } => "secret",
            Self::Permanent { .. } => "permanent",
            Self::Changed { .. } => "edited-since",
            _ => "refused",
        }
    }

    fn hint(&self) -> Option<String> {
        FactError::hint(self)
    }
}

impl Failure for ReviewError {
    fn code(&self) -> &'static str {
        match self {
            Self::Memory(_) => "bad-policy",
            Self::Lint { .. } => "would-be-wrong",
            _ => "bug",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Memory(_) => BAD_POLICY,
            Self::Lint { .. } => "nothing was changed; `quipu lint` has the details",
            _ => "this is a bug of Quipu; nothing was changed",
        };
        Some(hint.to_owned())
    }
}

impl Failure for EmbedError {
    fn code(&self) -> &'static str {
        "embedding"
    }

    fn hint(&self) -> Option<String> {
        let hint = "check your [embedding] settings (docs/configuration.md); without them the built-in model is used";
        Some(hint.to_owned())
    }
}

/// The index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The store failed.
    #[error("the index cannot be used")]
    Store(#[from] StoreError),
    /// It could not be opened.
    #[error("the index could not be opened")]
    NotOpened,
}

impl Failure for IndexError {
    fn code(&self) -> &'static str {
        match self {
            Self::Store(error) if error.is_damage() => DAMAGED_INDEX,
            _ => "index",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Store(StoreError::NewerSchema { .. }) => {
                "install a newer Quipu, or remove the index that `quipu doctor` names: it is rebuilt from the files"
            }
            Self::Store(error) if error.is_damage() => {
                "it is set aside and rebuilt from the files: run the command again"
            }
            _ => "`quipu replay` rebuilds it from the files; nothing that was remembered is lost",
        };
        Some(hint.to_owned())
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        if error.is_of_a_server() {
            return HomeError::Database(error).into();
        }
        IndexError::Store(error).into()
    }
}
