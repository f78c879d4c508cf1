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
    /// The database has something that no Quipu made.
    #[error("the database has a {kind} `{name}`, which Quipu did not make")]
    Foreign {
        /// Such as `trigger`.
        kind: String,
        /// Its name.
        name: String,
    },
    /// A row makes no sense.
    #[error("the database holds a row that makes no sense: {what}")]
    BadRow {
        /// What is wrong.
        what: String,
    },
}

impl StoreError {
    /// Tells whether nothing can be written there: nobody may, or nothing more fits.
    pub fn is_read_only(&self) -> bool {
        use rusqlite::ErrorCode::{
            CannotOpen, DiskFull, PermissionDenied, ReadOnly, SystemIoFailure,
        };
        match self {
            Self::Database(error) => matches!(
                error.sqlite_error_code(),
                Some(CannotOpen | DiskFull | PermissionDenied | ReadOnly | SystemIoFailure)
            ),
            _ => false,
        }
    }

    /// Tells whether the database itself is damaged, and should be rebuilt from the files.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Database(rusqlite::Error::SqliteFailure(error, words)) => {
                // Our statements are right for our schema, so it is not ours.
                let not_ours = ["no such", "malformed", "unsupported file format"];
                let words = words.as_deref().unwrap_or_default();
                matches!(error.code, DatabaseCorrupt | NotADatabase)
                    || not_ours.iter().any(|known| words.contains(known))
            }
            Self::Database(rusqlite::Error::SqlInputError { msg, .. }) => msg.contains("no such"),
            // A row that every database of ours has is missing, or holds something else.
            Self::Database(
                rusqlite::Error::QueryReturnedNoRows
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..),
            )
            | Self::BadRow { .. }
            | Self::Foreign { .. } => true,
            Self::Database(_) | Self::NewerSchema { .. } => false,
        }
    }
}
