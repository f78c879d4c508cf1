//! Databases of other programs: a copy is opened, for reading only, and nothing is ever written beside the source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::limits::Limit;
use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::error::ImportError;
use crate::format::Format;
use crate::text;

/// A larger database is no memory of a person.
const LARGEST: u64 = 8 * 1024 * 1024 * 1024;

/// A cell is no longer than this.
const LONGEST_CELL: i32 = 64 * 1024 * 1024;

/// A copy of another program's database.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    tables: BTreeMap<String, BTreeSet<String>>,
    shown: String,
    _folder: TempDir,
}

/// One row, by column.
#[derive(Debug, Default)]
pub struct Row(BTreeMap<String, Cell>);

impl Database {
    /// Opens a copy of a database, with what stands in its log.
    ///
    /// # Errors
    /// When it cannot be copied or is none.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let shown = path.display().to_string();
        let size = std::fs::metadata(path).map_err(ImportError::io(&shown))?.len();
        if size > LARGEST {
            let what = format!("a database of {size} bytes");
            return Err(ImportError::TooLarge { path: shown, what });
        }
        let folder = tempfile::tempdir().map_err(ImportError::io(&shown))?;
        let copy = folder.path().join("copy.db");
        std::fs::copy(path, &copy).map_err(ImportError::io(&shown))?;
        let beside = |path: &Path, end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        let log = beside(path, "-wal");
        // A link could lead anywhere.
        let is_log = |about: std::fs::Metadata| about.is_file() && about.len() <= LARGEST;
        if std::fs::symlink_metadata(&log).is_ok_and(is_log) {
            std::fs::copy(&log, beside(&copy, "-wal")).map_err(ImportError::io(&shown))?;
        }
        let bad = |error: rusqlite::Error| ImportError::Database {
            path: shown.clone(),
            why: error.to_string(),
        };
        // The log is played into the copy, and from then on nothing is written.
        drop(
            Connection::open(&copy)
                .and_then(|one| one.query_row("PRAGMA wal_checkpoint", [], |_| Ok(()))),
        );
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&copy, flags).map_err(bad)?;
        connection
            .set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)
            .and_then(|_| {
                connection.set_db_config(
                    rusqlite::config::DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                    false,
                )
            })
            .and_then(|_| connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_CELL))
            .map_err(bad)?;
        let tables = tables(&connection).map_err(bad)?;
        Ok(Self { connection, tables, shown, _folder: folder })
    }

    /// Returns the program whose tables these are.
    pub fn format(&self) -> Option<Format> {
        let has = |table: &str, columns: &[&str]| self.has(table, columns);
        if has("memories", &["content", "layer", "source_type", "chunk_hash"]) {
            return Some(Format::Engram);
        }
        if has("memories", &["topic", "summary", "importance"]) {
            return Some(Format::Icm);
        }
        if has("observations", &["narrative", "facts"]) && self.tables.contains_key("sdk_sessions")
        {
            return Some(Format::ClaudeMem);
        }
        let is_exact = has("documents", &["collection_id", "document", "metadata_json"]);
        let is_chroma = has("embedding_metadata", &["key", "string_value"])
            && has("segments", &["scope", "collection"]);
        let has_facts = has("triples", &["subject", "predicate", "object", "valid_from"]);
        if is_exact || is_chroma || has_facts {
            return Some(Format::MemPalace);
        }
        if has("entities", &["category", "key", "body_json", "epistemic_state"]) {
            return Some(Format::Perseus);
        }
        if has("cursorDiskKV", &["key", "value"]) {
            return Some(Format::Cursor);
        }
        has("history", &["memory_id", "new_memory", "event"]).then_some(Format::Mem0)
    }

    /// Tells whether there is a table with these columns.
    pub fn has(&self, table: &str, columns: &[&str]) -> bool {
        let found = self.tables.get(table);
        found.is_some_and(|all| columns.iter().all(|column| all.contains(*column)))
    }

    /// Hands the rows of a table to `each`, in the order of their numbers. A column that is not there is null.
    ///
    /// # Errors
    /// When the table cannot be read, or `each` fails.
    pub fn rows(
        &self,
        table: &str,
        each: &mut dyn FnMut(Row) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let Some(columns) = self.tables.get(table) else { return Ok(()) };
        let bad = |error: rusqlite::Error| ImportError::Database {
            path: self.shown.clone(),
            why: error.to_string(),
        };
        let names: Vec<String> =
            columns.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
        let select = format!("SELECT {} FROM \"{}\"", names.join(","), table.replace('"', "\"\""));
        // A table without row numbers is read as it comes.
        let ordered = format!("{select} ORDER BY rowid");
        let mut statement = self
            .connection
            .prepare(&ordered)
            .or_else(|_| self.connection.prepare(&select))
            .map_err(bad)?;
        let mut rows = statement.query([]).map_err(bad)?;
        while let Some(row) = rows.next().map_err(bad)? {
            let mut cells = BTreeMap::new();
            for (at, name) in columns.iter().enumerate() {
                let value = match row.get_ref(at).map_err(bad)? {
                    ValueRef::Null => continue,
                    ValueRef::Integer(number) => Cell::Integer(number),
                    ValueRef::Real(number) => Cell::Real(number),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                        Cell::Text(String::from_utf8_lossy(bytes).into_owned())
                    }
                };
                cells.insert(name.clone(), value);
            }
            each(Row(cells))?;
        }
        Ok(())
    }
}

fn tables(connection: &Connection) -> rusqlite::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut tables = BTreeMap::new();
    let mut names = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    let names: Vec<String> =
        names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for name in names {
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        // A virtual table whose module is not there has no columns for us.
        let columns =
            columns.query_map([&name], |row| row.get(0))?.collect::<rusqlite::Result<_>>();
        tables.insert(name, columns.unwrap_or_default());
    }
    Ok(tables)
}

impl Row {
    /// Makes a row of texts.
    pub(crate) fn of_texts(texts: impl Iterator<Item = (String, String)>) -> Self {
        Self(texts.map(|(key, text)| (key, Cell::Text(text))).collect())
    }

    /// Returns a text; nothing where it is null or empty.
    pub fn text(&self, column: &str) -> Option<&str> {
        match self.0.get(column)? {
            Cell::Text(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns a text or a whole number as an id.
    pub fn id(&self, column: &str) -> Option<String> {
        match self.0.get(column)? {
            Cell::Integer(number) => Some(number.to_string()),
            Cell::Text(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns a number.
    pub fn number(&self, column: &str) -> Option<f64> {
        match self.0.get(column)? {
            #[expect(clippy::cast_precision_loss, reason = "times and ranks are smaller")]
            Cell::Integer(number) => Some(*number as f64),
            Cell::Real(number) => Some(*number),
            Cell::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Tells whether a flag is set.
    pub fn is(&self, column: &str) -> bool {
        self.number(column).is_some_and(|number| number != 0.0)
    }

    /// Returns a time: a number of seconds or milliseconds, or a text.
    pub fn time(&self, column: &str, zone: &jiff::tz::TimeZone) -> Option<Timestamp> {
        match self.0.get(column)? {
            Cell::Text(text) => text::time_of(text, zone)
                .or_else(|| text.trim().parse().ok().and_then(text::seconds)),
            _ => self.number(column).and_then(text::seconds),
        }
    }
}
