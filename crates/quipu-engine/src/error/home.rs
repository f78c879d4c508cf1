//! What can go wrong with a workspace that lives on a server.

use quipu_store::StoreError;

use super::Failure;

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
    /// The server's database went away in the middle of an operation.
    #[error("the database of the space `{space}` cannot be reached")]
    CutOff {
        /// The space.
        space: String,
    },
    /// Another transaction was in the way.
    #[error("somebody else changed the space `{space}` at the same moment")]
    Collided {
        /// The space.
        space: String,
    },
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
            Self::Collided { .. } => "busy",
            Self::Database(_) => "database",
            Self::CutOff { .. } | Self::Unreachable { .. } => "unreachable",
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
            Self::Database(_)
            | Self::Collided { .. }
            | Self::CutOff { .. }
            | Self::Unreachable { .. } => "nothing was changed; try again in a moment",
        };
        Some(hint.to_owned())
    }
}
