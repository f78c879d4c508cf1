//! Everything that can go wrong, and what to do next about it.

use std::io;
use std::path::PathBuf;

use quipu_core::facts::FactError;
use quipu_core::manifest::{LayoutVersion, NEWEST_LAYOUT};
use quipu_core::memory::MemoryError;
use quipu_core::review::ReviewError;
use quipu_embed::EmbedError;
use quipu_store::StoreError;

use crate::init::InitError;
use crate::install::InstallError;
use crate::lock::LockError;
use crate::recall::RecallError;
use crate::sessions::SessionError;
use crate::state::StateError;
use crate::transaction::ApplyError;
use crate::workspace::ReadError;

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

/// A failure of an operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no memory here.
    #[error("there is no memory in `{start}` or any folder above it", start = start.display())]
    NoWorkspace {
        /// Where the search began.
        start: PathBuf,
    },
    /// The configuration cannot be used.
    #[error("`{path}` cannot be used", path = path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// Why.
        source: crate::config::ConfigError,
    },
    /// A setting of the environment or of a flag cannot be used.
    #[error(transparent)]
    Setting(#[from] crate::config::ConfigError),
    /// There is no place for Quipu's state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The memory was made by a tool of a newer major version.
    #[error("the memory has layout {found}, and this Quipu knows layouts up to {NEWEST_LAYOUT}")]
    NewerLayout {
        /// The version in the manifest.
        found: LayoutVersion,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The memory cannot be understood.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// An operation on a fact is refused.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// A review has no plan.
    #[error(transparent)]
    Review(#[from] ReviewError),
    /// A change was not made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// Another process is working.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A session cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A memory cannot be set up.
    #[error(transparent)]
    Init(#[from] InitError),
    /// A harvest cannot be carried out as asked.
    #[error(transparent)]
    Harvest(#[from] crate::harvest::HarvestError),
    /// Clients were not set up.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The index cannot be used.
    #[error("the index cannot be used")]
    Store(#[from] StoreError),
    /// The index could not be opened.
    #[error("the index could not be opened")]
    NoIndex,
    /// A text has no vector.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Something cannot be remembered, recalled or changed as asked.
    #[error(transparent)]
    Recall(#[from] RecallError),
    /// A file or a token is not given or taken.
    #[error(transparent)]
    Gateway(#[from] crate::gateway::GatewayError),
    /// Something with git cannot be done.
    #[error(transparent)]
    Vcs(#[from] crate::vcs::VcsError),
}

impl Error {
    pub(crate) fn reading(path: &str, source: std::io::Error) -> Self {
        let path = path.to_owned();
        if crate::fs::is_linked(&source) {
            return ReadError::Linked { path }.into();
        }
        ReadError::Io { path, source }.into()
    }

    /// Returns the kind of failure.
    pub fn kind(&self) -> ErrorKind {
        if matches!(self, Self::Recall(RecallError::Dreaming)) {
            return ErrorKind::Busy;
        }
        match self.code() {
            "no-workspace" => ErrorKind::NoWorkspace,
            "busy" => ErrorKind::Busy,
            "bug" => ErrorKind::Bug,
            "unknown-fact" | "unknown-id" | "unknown-entity" | "unknown-question"
            | "no-such-path" | "no-such-proposal" | "nothing-to-undo" => ErrorKind::NotFound,
            "edited-since" | "record-since" | "transition" | "loses-records" | "permanent"
            | "owned-by-file" | "would-be-wrong" => ErrorKind::Conflict,
            "not-a-person" | "channel" => ErrorKind::Forbidden,
            "damaged-index" | "index" | "io" | "read-only" | "state" | "embedding" | "judge"
            | "git" => ErrorKind::Damaged,
            _ => ErrorKind::Input,
        }
    }

    /// Returns a stable name for the failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoWorkspace { .. } => "no-workspace",
            Self::Config { .. } | Self::Setting(_) => "bad-config",
            Self::NewerLayout { .. } | Self::Init(InitError::Upgrade(_)) => "newer-layout",
            Self::Read(ReadError::NotUtf8 { .. }) => "not-utf8",
            Self::Read(ReadError::NotAFile { .. }) | Self::Apply(ApplyError::NotAFile { .. }) => {
                "not-a-file"
            }
            Self::Read(ReadError::TooLarge { .. }) => "too-large",
            Self::Read(ReadError::Linked { .. })
            | Self::Apply(ApplyError::Linked { .. } | ApplyError::NotInside { .. }) => {
                "outside-workspace"
            }
            Self::State(_) => "state",
            Self::Fact(FactError::Unknown { .. }) => "unknown-fact",
            Self::Fact(FactError::Secret { .. }) => "secret",
            Self::Fact(FactError::Permanent { .. }) => "permanent",
            Self::Fact(_) => "refused",
            Self::Memory(MemoryError::Policy { .. }) | Self::Review(ReviewError::Memory(_)) => {
                "bad-policy"
            }
            Self::Review(ReviewError::Lint { .. }) => "would-be-wrong",
            Self::Review(_) => "bug",
            Self::Apply(ApplyError::ReadOnly { .. }) => "read-only",
            Self::Apply(ApplyError::NothingToUndo) => "nothing-to-undo",
            Self::Apply(ApplyError::EditedSince { .. } | ApplyError::EditedMeanwhile { .. }) => {
                "edited-since"
            }
            Self::Lock(LockError::Busy { .. }) => "busy",
            Self::Read(_) | Self::Apply(_) | Self::Lock(_) => "io",
            Self::Memory(_) => "no-continuity",
            Self::Session(_) => "session",
            Self::Init(_) => "init",
            Self::Harvest(error) => error.code(),
            Self::Install(error) => error.code(),
            Self::Store(error) if error.is_damage() => "damaged-index",
            Self::Store(_) | Self::NoIndex => "index",
            Self::Embed(_) => "embedding",
            Self::Recall(error) => error.code(),
            Self::Gateway(error) => error.code(),
            Self::Vcs(error) => error.code(),
        }
    }

    fn is_disk_full(&self) -> bool {
        let (Self::Read(ReadError::State { source } | ReadError::Io { source, .. })
        | Self::Apply(ApplyError::Io { source, .. })
        | Self::Lock(LockError::Io { source, .. })
        | Self::State(StateError::Io { source, .. })
        | Self::Vcs(crate::vcs::VcsError::Io { source, .. })) = self
        else {
            return false;
        };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Returns what to do next.
    pub fn hint(&self) -> Option<String> {
        if self.is_disk_full() {
            let hint = "the disk is full: make room and run it again; nothing was changed";
            return Some(hint.to_owned());
        }
        let hint = match self {
            Self::NoWorkspace { .. } => "run `quipu init` in your repo, or name it with `-C DIR`",
            Self::Config { .. } | Self::Setting(_) => "docs/configuration.md lists every key",
            Self::NewerLayout { .. } => "install a newer Quipu; nothing was changed",
            Self::Read(ReadError::NotUtf8 { .. }) => "save the file as UTF-8; nothing was changed",
            Self::Read(ReadError::NotAFile { .. }) | Self::Apply(ApplyError::NotAFile { .. }) => {
                "move the folder away; nothing was changed"
            }
            Self::Read(ReadError::TooLarge { .. }) => {
                "move it out of memory/, or split it; nothing was changed"
            }
            Self::Read(ReadError::Linked { .. }) | Self::Apply(ApplyError::Linked { .. }) => {
                "replace the link with the file or folder itself; a link could lead to any file of yours"
            }
            Self::State(_) => {
                "set `QUIPU_STATE_DIR` to a folder that you can write to; nothing was changed"
            }
            Self::Apply(ApplyError::NotInside { .. }) => {
                "Quipu touches nothing outside the workspace; nothing was changed"
            }
            Self::Read(ReadError::State { .. }) => {
                "check who may write in the workspace's root; nothing was changed"
            }
            Self::Read(ReadError::Io { .. }) | Self::Apply(ApplyError::Io { .. }) => {
                "nothing was changed; try again when the cause is gone"
            }
            Self::Memory(MemoryError::Policy { .. }) | Self::Review(ReviewError::Memory(_)) => {
                "correct that line of memory/decay-policy.md, or remove it to use the default"
            }
            Self::Fact(error) => return error.hint(),
            Self::Session(error) => return Some(error.hint()),
            Self::Init(error) => return Some(error.hint()),
            Self::Harvest(error) => error.hint(),
            Self::Install(error) => error.hint(),
            Self::Review(ReviewError::Lint { .. }) => {
                "nothing was changed; `quipu lint` tells more"
            }
            Self::Review(_) => "this is a bug of Quipu; nothing was changed",
            Self::Apply(ApplyError::ReadOnly { .. }) => {
                "make it writable (`chmod u+w`); nothing was changed"
            }
            Self::Apply(ApplyError::EditedSince { .. }) => {
                "nothing was changed; take the edit back first, or use git to restore older text"
            }
            Self::Apply(ApplyError::EditedMeanwhile { .. }) => {
                "nothing was changed; run it again, it will start from the edited file"
            }
            Self::Apply(ApplyError::BadManifest { .. }) => {
                "the files it lists are beside it (N.old, N.new): compare them with the workspace by hand, then remove the folder"
            }
            Self::Apply(_) => return None,
            Self::Lock(LockError::Busy { .. }) => "wait for it to finish and try again",
            Self::Lock(_) => "check who may write in .quipu/",
            Self::Memory(_) => "run `quipu init`",
            Self::Store(StoreError::NewerSchema { .. }) => {
                "install a newer Quipu, or remove the index that `quipu doctor` names: it is rebuilt from the files"
            }
            Self::Store(error) if error.is_damage() => {
                "it is set aside and rebuilt from the files: run the command again"
            }
            Self::Store(_) | Self::NoIndex => {
                "`quipu replay` rebuilds it from the files; nothing that was remembered is lost"
            }
            Self::Embed(_) => {
                "check your [embedding] settings (docs/configuration.md); without them the built-in model is used"
            }
            Self::Recall(error) => return error.hint(),
            Self::Gateway(error) => error.hint(),
            Self::Vcs(error) => error.hint(),
        };
        Some(hint.to_owned())
    }
}
