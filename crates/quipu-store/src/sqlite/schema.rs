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
    // Later it changes nothing, and would wait for whoever writes.
    let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    if pages == 0 {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    use_wal(connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The same few pages change with every write: moving them seldom saves most of the moving.
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    if version(connection)? == MIGRATIONS.len() {
        return check(connection);
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
    check(&transaction)?;
    transaction.commit()?;
    Ok(())
}

/// Every table of the newest shape.
const TABLES: [&str; 16] = [
    "access",
    "counter",
    "dead",
    "entity",
    "event",
    "experience",
    "item",
    "mention",
    "model",
    "note",
    "posting",
    "segment",
    "segment_vectors",
    "session",
    "source",
    "tail",
];

/// Refuses a database that lacks a table of ours, or has something that we never made: a trigger or a
/// view would act at our reads and writes.
fn check(connection: &Connection) -> Result<(), StoreError> {
    let mut statement = connection.prepare(
        "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut found = 0;
    for row in rows {
        let (kind, name): (String, String) = row?;
        match &*kind {
            "table" if TABLES.contains(&&*name) => found += 1,
            "index" => {}
            _ => return Err(StoreError::Foreign { kind, name }),
        }
    }
    if found < TABLES.len() {
        return Err(StoreError::BadRow { what: format!("{found} of {} tables", TABLES.len()) });
    }
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
