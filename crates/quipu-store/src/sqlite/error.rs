//! What the errors of `SQLite` mean.

use rusqlite::{Error, ErrorCode};

use crate::error::{Failure, StoreError};

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        Self::Database { failure: failure(&error), cause: Box::new(error) }
    }
}

fn failure(error: &Error) -> Failure {
    use ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, PermissionDenied, ReadOnly,
        SystemIoFailure,
    };
    if is_damage(error) {
        return Failure::Damaged;
    }
    match error.sqlite_error_code() {
        Some(CannotOpen | DiskFull | PermissionDenied | ReadOnly | SystemIoFailure) => {
            Failure::ReadOnly
        }
        Some(DatabaseBusy | DatabaseLocked) => Failure::Busy,
        _ => Failure::Other,
    }
}

fn is_damage(error: &Error) -> bool {
    match error {
        Error::SqliteFailure(error, words) => {
            // Our statements are right for our schema, so it is not ours.
            let not_ours = ["no such", "malformed", "unsupported file format"];
            let words = words.as_deref().unwrap_or_default();
            matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
                || not_ours.iter().any(|known| words.contains(known))
        }
        Error::SqlInputError { msg, .. } => msg.contains("no such"),
        // A row that every database of ours has is missing, or holds something else.
        Error::QueryReturnedNoRows
        | Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn failed(code: i32, words: &str) -> StoreError {
        Error::SqliteFailure(ffi::Error::new(code), Some(words.to_owned())).into()
    }

    #[test]
    fn every_error_means_one_thing() {
        let cases = [
            (failed(ffi::SQLITE_CORRUPT, "database disk image is malformed"), Failure::Damaged),
            (failed(ffi::SQLITE_NOTADB, "file is not a database"), Failure::Damaged),
            (failed(ffi::SQLITE_ERROR, "no such table: item"), Failure::Damaged),
            (Error::QueryReturnedNoRows.into(), Failure::Damaged),
            (
                failed(ffi::SQLITE_READONLY, "attempt to write a readonly database"),
                Failure::ReadOnly,
            ),
            (failed(ffi::SQLITE_FULL, "database or disk is full"), Failure::ReadOnly),
            (failed(ffi::SQLITE_CANTOPEN, "unable to open database file"), Failure::ReadOnly),
            (failed(ffi::SQLITE_BUSY, "database is locked"), Failure::Busy),
            (failed(ffi::SQLITE_LOCKED, "database table is locked"), Failure::Busy),
            (failed(ffi::SQLITE_NOMEM, "out of memory"), Failure::Other),
        ];
        for (error, meant) in cases {
            assert_eq!(error.is_damage(), meant == Failure::Damaged, "{error:?}");
            assert_eq!(error.is_read_only(), meant == Failure::ReadOnly, "{error:?}");
            assert_eq!(error.is_busy(), meant == Failure::Busy, "{error:?}");
        }
    }

    #[test]
    fn what_the_database_says_is_the_cause() {
        let error = failed(ffi::SQLITE_FULL, "database or disk is full");
        assert_eq!(error.to_string(), "the database failed");
        let cause = std::error::Error::source(&error).unwrap();
        assert_eq!(cause.to_string(), "database or disk is full");
    }
}
