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
    /// The address of a database makes no sense.
    #[error("the database address is not valid: {why}")]
    BadAddress {
        /// What is wrong with it.
        why: String,
    },
    /// A database of spaces has an older schema than this Quipu needs.
    #[error("the database has schema {found}, and this Quipu needs schema {known}")]
    OlderSchema {
        /// Its schema; 0 where it was never migrated.
        found: usize,
        /// Ours.
        known: usize,
    },
    /// Nothing would keep the spaces of a database apart.
    #[error(
        "this database login bypasses row-level security and may not use the role `quipu_app`, so \
         spaces would not be kept apart"
    )]
    NotIsolated,
    /// There is no such space.
    #[error("there is no space `{name}`")]
    NoSpace {
        /// Its name.
        name: String,
    },
    /// A space of that name is there.
    #[error("there is a space `{name}` already")]
    SpaceExists {
        /// Its name.
        name: String,
    },
    /// Somebody of that name has a token for the space.
    #[error("there is a token for `{name}` already")]
    TokenExists {
        /// The name.
        name: String,
    },
    /// The files of a space would take more room than it may have.
    #[error("the space is full: its files may take {most} bytes together")]
    SpaceFull {
        /// How much it may have.
        most: i64,
    },
    /// No transaction is open where one should be.
    #[error("no transaction is open in this space")]
    NoTransaction,
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
    /// It got in the way of somebody else's transaction: the same can be done again at once.
    Collided,
    /// The database cannot be reached, and it may work later.
    Unreachable,
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
        matches!(self, Self::Database { failure: Failure::Busy | Failure::Collided, .. })
    }

    /// Tells whether a transaction got in the way of another, so that it can be made again at once.
    pub fn is_collision(&self) -> bool {
        matches!(self, Self::Database { failure: Failure::Collided, .. })
    }

    /// Tells whether the database cannot be reached, so that the same may work later.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Database { failure: Failure::Unreachable, .. })
    }

    /// Tells whether this is about a database of spaces on a server, where no index of a folder is to
    /// blame.
    pub fn is_of_a_server(&self) -> bool {
        self.is_unreachable()
            || matches!(
                self,
                Self::BadAddress { .. }
                    | Self::OlderSchema { .. }
                    | Self::NotIsolated
                    | Self::NoSpace { .. }
                    | Self::SpaceExists { .. }
                    | Self::TokenExists { .. }
                    | Self::SpaceFull { .. }
                    | Self::NoTransaction
            )
    }

    /// Tells whether the database itself is damaged, and should be rebuilt from the files.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Database { failure, .. } => *failure == Failure::Damaged,
            Self::BadRow { .. } | Self::Foreign { .. } => true,
            Self::NewerSchema { .. }
            | Self::OtherKind
            | Self::BadAddress { .. }
            | Self::OlderSchema { .. }
            | Self::NotIsolated
            | Self::NoSpace { .. }
            | Self::SpaceExists { .. }
            | Self::TokenExists { .. }
            | Self::SpaceFull { .. }
            | Self::NoTransaction => false,
        }
    }
}
