//! Why a store does not do what it is asked.

/// Why a store does not do what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] rusqlite::Error),
    /// A newer Quipu made the database.
    #[error("the database has schema {found}, and this Quipu knows schemas up to {known}")]
    NewerSchema {
        /// Its schema.
        found: usize,
        /// Ours.
        known: usize,
    },
    /// A row makes no sense.
    #[error("the database holds a row that makes no sense: {what}")]
    BadRow {
        /// What is wrong.
        what: String,
    },
}

impl StoreError {
    /// Tells whether the place lets nobody write.
    pub fn is_read_only(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, PermissionDenied, ReadOnly};
        match self {
            Self::Database(error) => {
                let code = error.sqlite_error_code();
                matches!(code, Some(CannotOpen | PermissionDenied | ReadOnly))
            }
            _ => false,
        }
    }

    /// Tells whether the database itself is damaged, and should be rebuilt from the files.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Database(error) => {
                matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
            }
            Self::BadRow { .. } => true,
            Self::NewerSchema { .. } => false,
        }
    }
}
