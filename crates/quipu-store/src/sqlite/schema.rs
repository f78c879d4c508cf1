//! The database's shape, and how older ones come to it.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// Every step from nothing to now; a step that was released never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_memories.sql"),
    include_str!("../../migrations/0002_journal.sql"),
    include_str!("../../migrations/0003_life.sql"),
    include_str!("../../migrations/0004_precision.sql"),
];

/// Brings a database to the newest shape.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    // Small pages, for a write copies every page that it touches; counts only before the first table.
    connection.pragma_update(None, "page_size", 4096)?;
    use_wal(connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The same few pages change with every write: moving them seldom saves most of the moving.
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    if version(connection)? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it while this one waited.
    let found = version(&transaction)?;
    let Some(steps) = MIGRATIONS.get(found..) else {
        return Err(StoreError::NewerSchema { found, known: MIGRATIONS.len() });
    };
    for step in steps {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
    transaction.commit()?;
    Ok(())
}

fn version(connection: &Connection) -> Result<usize, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Changing the journal's mode asks for the whole file and does not queue, so it is asked again.
fn use_wal(connection: &Connection) -> Result<(), StoreError> {
    let mode = |connection: &Connection| {
        connection.pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0))
    };
    if mode(connection)? == "wal" {
        return Ok(());
    }
    for pause in 1..100 {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Ok(()) => return Ok(()),
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
                std::thread::sleep(Duration::from_millis(pause));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(connection.pragma_update(None, "journal_mode", "WAL")?)
}
