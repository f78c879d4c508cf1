//! The least that a program must do: one line in a log, one row in `SQLite`'s FTS5, one OR query.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use rusqlite::Connection;

/// A log and a full-text table, and nothing else.
pub(crate) struct Bare {
    connection: Connection,
    log: File,
}

impl Bare {
    pub(crate) fn open(folder: &Path) -> Self {
        let connection = Connection::open(folder.join("bare.db")).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
        connection
            .execute_batch("CREATE VIRTUAL TABLE IF NOT EXISTS memory USING fts5(text, tokenize = 'porter unicode61')")
            .unwrap();
        let log =
            OpenOptions::new().append(true).create(true).open(folder.join("bare.log")).unwrap();
        Self { connection, log }
    }

    /// Appends and syncs one line, inserts and commits one row.
    pub(crate) fn remember(&mut self, text: &str) {
        self.log.write_all(format!("{text}\n").as_bytes()).unwrap();
        self.log.sync_all().unwrap();
        self.connection
            .prepare_cached("INSERT INTO memory (text) VALUES (?)")
            .unwrap()
            .execute([text])
            .unwrap();
    }

    /// Inserts many rows in one transaction.
    pub(crate) fn import(&mut self, texts: &[String]) {
        let transaction = self.connection.transaction().unwrap();
        for text in texts {
            let mut insert =
                transaction.prepare_cached("INSERT INTO memory (text) VALUES (?)").unwrap();
            insert.execute([text]).unwrap();
        }
        transaction.commit().unwrap();
    }

    /// Returns the ten best rows for any of the words.
    pub(crate) fn recall(&self, words: &str) -> Vec<String> {
        let query: Vec<String> = words
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| format!("\"{word}\""))
            .collect();
        let mut statement = self
            .connection
            .prepare_cached("SELECT text FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT 10")
            .unwrap();
        let rows = statement.query_map([query.join(" OR ")], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }
}
