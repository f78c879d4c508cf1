//! What the errors of `PostgreSQL` mean.

use postgres::Error;
use postgres::error::SqlState;

use crate::error::{Failure, StoreError};

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        Self::Database { failure: failure(&error), cause: Box::new(error) }
    }
}

fn failure(error: &Error) -> Failure {
    let Some(state) = error.code() else {
        // No answer came from the database.
        return if error.is_closed() || is_io(error) {
            Failure::Unreachable
        } else {
            Failure::Other
        };
    };
    let state = state.clone();
    if state == SqlState::READ_ONLY_SQL_TRANSACTION
        || state == SqlState::DISK_FULL
        || state == SqlState::INSUFFICIENT_PRIVILEGE
    {
        Failure::ReadOnly
    } else if state == SqlState::T_R_DEADLOCK_DETECTED
        || state == SqlState::T_R_SERIALIZATION_FAILURE
    {
        Failure::Collided
    } else if state == SqlState::LOCK_NOT_AVAILABLE || state == SqlState::QUERY_CANCELED {
        Failure::Busy
    } else if state == SqlState::ADMIN_SHUTDOWN
        || state == SqlState::CRASH_SHUTDOWN
        || state == SqlState::CANNOT_CONNECT_NOW
        || state == SqlState::TOO_MANY_CONNECTIONS
    {
        Failure::Unreachable
    } else {
        Failure::Other
    }
}

fn is_io(error: &Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.is::<std::io::Error>() {
            return true;
        }
        cause = inner.source();
    }
    false
}
