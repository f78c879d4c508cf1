//! A home that is no folder: where a workspace lives on a server.
//!
//! Use cases are written once, over [`crate::fs::FileSystem`] and [`quipu_store::Store`]. What differs is
//! when something is written for good: in a folder step by step, each of them recovered after a crash;
//! in a home all of an operation at once, when it ends well, or nothing of it.

use std::fmt::Debug;
use std::time::Duration;

use quipu_store::{Store, StoreError};

use crate::error::{Error, Failure};
use crate::lock::{Lock, LockError};
use crate::workspace::Workspace;

/// What a home does for its workspace.
pub trait Home: Debug + Send + Sync {
    /// Returns its name, for people.
    fn name(&self) -> &str;
    /// Returns the index.
    fn store(&self) -> Box<dyn Store>;
    /// Tells whether an operation is under way.
    fn is_entered(&self) -> bool;
    /// Begins an operation: until it ends, reads see one state, and writes are seen by nobody else.
    fn enter(&self);
    /// Keeps all others from writing until the operation ends.
    ///
    /// # Errors
    /// When others write for longer than `patience`, or the home cannot be reached.
    fn lock(&self, patience: Duration) -> Result<(), StoreError>;
    /// Ends an operation and keeps what it wrote, with a line on who did it.
    ///
    /// # Errors
    /// When that cannot be kept; then nothing has changed.
    fn commit(&self, who: &str, operation: &str) -> Result<(), StoreError>;
    /// Ends an operation and takes back what it wrote.
    fn roll_back(&self);
    /// Notes that somebody was refused.
    fn note_refusal(&self, who: &str, operation: &str, code: &str);
}

/// Why something does not work in a workspace that lives on a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// It needs files of a project.
    #[error("`{operation}` needs a folder, and this memory is the space `{space}` on a server")]
    NeedsFolder {
        /// The operation.
        operation: String,
        /// The space.
        space: String,
    },
    /// Something writes outside of an operation, where nothing says when it is done.
    #[error("the space `{space}` is written to outside of an operation")]
    OutsideOperation {
        /// The space.
        space: String,
    },
    /// The server's database does not do what is asked.
    #[error(transparent)]
    Database(StoreError),
    /// The server's database cannot be used now.
    #[error("the database of the space `{space}` cannot be used now")]
    Unreachable {
        /// The space.
        space: String,
        /// What it says.
        source: StoreError,
    },
}

impl Failure for HomeError {
    fn code(&self) -> &'static str {
        match self {
            Self::NeedsFolder { .. } => "needs-folder",
            Self::OutsideOperation { .. } => "bug",
            Self::Database(StoreError::NoSpace { .. }) => "unknown-space",
            Self::Database(StoreError::SpaceFull { .. }) => "space-full",
            Self::Database(error) if error.is_unreachable() => "unreachable",
            Self::Database(error) if error.is_busy() => "busy",
            Self::Database(_) => "database",
            Self::Unreachable { .. } => "unreachable",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NeedsFolder { .. } => {
                "run it in a clone of the project; `quipu space export NAME FOLDER` makes a folder of a space"
            }
            Self::OutsideOperation { .. } => "this is a bug of Quipu; nothing was changed",
            Self::Database(StoreError::NoSpace { .. }) => "`quipu space list` shows the spaces",
            Self::Database(StoreError::OlderSchema { .. }) => {
                "`quipu migrate` brings the database up to date"
            }
            Self::Database(StoreError::NewerSchema { .. }) => "install a newer Quipu",
            Self::Database(StoreError::NotIsolated) => {
                "let `quipu migrate` make the role (its login needs CREATEROLE), or use a login that is no superuser"
            }
            Self::Database(StoreError::BadAddress { .. }) => {
                "an address looks like postgres://USER:PASSWORD@HOST/DATABASE; QUIPU_DATABASE keeps it out of the process list"
            }
            Self::Database(StoreError::SpaceFull { .. }) => {
                "who runs the server can give it more; nothing was changed"
            }
            Self::Database(_) | Self::Unreachable { .. } => {
                "nothing was changed; try again in a moment"
            }
        };
        Some(hint.to_owned())
    }
}

impl Workspace {
    /// Does something as one operation: in a home all of it is kept when it ends well, and nothing
    /// otherwise. In a folder every step is kept as it is done.
    ///
    /// # Errors
    /// When it fails, or cannot be kept.
    pub fn as_one<T>(
        &self,
        operation: &str,
        who: &str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(home) = self.home().filter(|home| !home.is_entered()) else { return work() };
        home.enter();
        let done = work();
        let kept = match &done {
            Ok(_) => home.commit(who, operation).map_err(|error| unreachable(home, error)),
            Err(error) => {
                home.roll_back();
                if error.kind() == crate::error::ErrorKind::Forbidden {
                    home.note_refusal(who, operation, error.code());
                }
                Ok(())
            }
        };
        if done.is_err() || kept.is_err() {
            // It may tell of what was taken back.
            self.forget_kept();
        }
        kept.and(done)
    }

    /// Refuses what needs a folder.
    ///
    /// # Errors
    /// When this workspace lives on a server.
    pub fn needs_folder(&self, operation: &str) -> Result<(), Error> {
        match self.home() {
            Some(home) => Err(HomeError::NeedsFolder {
                operation: operation.replace('.', " "),
                space: home.name().to_owned(),
            }
            .into()),
            None => Ok(()),
        }
    }
}

fn unreachable(home: &dyn Home, source: StoreError) -> Error {
    HomeError::Unreachable { space: home.name().to_owned(), source }.into()
}

/// Takes a home's lock.
pub(crate) fn lock(home: &dyn Home, patience: Duration) -> Result<Lock, Error> {
    if !home.is_entered() {
        return Err(HomeError::OutsideOperation { space: home.name().to_owned() }.into());
    }
    match home.lock(patience) {
        Ok(()) => Ok(Lock::held_by_home()),
        Err(error) if error.is_busy() => Err(LockError::Busy { path: home.name().into() }.into()),
        Err(error) => Err(unreachable(home, error)),
    }
}
