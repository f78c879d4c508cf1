//! Why a store does not do what it is asked.

use std::error::Error;

/// Why a store does not do what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database failed.
    #[error("the database failed")]
    Database {
        /// What that means for whoever asked.
        failure: Failure,
        /// What the database says about it.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
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
    /// A store cannot take over what another kind of store holds.
    #[error("cannot copy from a store of another kind")]
    OtherKind,
}

/// What the failure of a database means for whoever asked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// What it holds is not what was written, so it should be rebuilt from the files.
    Damaged,
    /// Nothing can be written: nobody may, or nothing more fits.
    ReadOnly,
    /// Somebody else uses it, and it may work later.
    Busy,
    /// Anything else.
    Other,
}

impl StoreError {
    /// Tells whether nothing can be written there: nobody may, or nothing more fits.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Database { failure: Failure::ReadOnly, .. })
    }

    /// Tells whether somebody else uses the database, so that the same may work later.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Database { failure: Failure::Busy, .. })
    }

    /// Tells whether the database itself is damaged, and should be rebuilt from the files.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Database { failure, .. } => *failure == Failure::Damaged,
            Self::BadRow { .. } | Self::Foreign { .. } => true,
            Self::NewerSchema { .. } | Self::OtherKind => false,
        }
    }
}
