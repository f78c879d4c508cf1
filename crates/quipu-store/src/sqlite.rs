//! A store in one `SQLite` file.
//!
//! Write-ahead logging lets readers go on while one writer writes; writers queue. The files of the
//! workspace are the ledger, so a commit need not wait for the disk: what a power cut takes from the
//! database is indexed again from them.

mod compress;
mod digest;
mod error;
mod gather;
mod merge;
mod read;
mod schema;
mod views;
mod write;

use std::any::Any;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use quipu_core::entity::{Aliases, Entity, filed_under};
use quipu_core::item::{Event, Filed, Item, Kind, Sensitivity};
use quipu_core::vector::{Packed, Stored};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use self::views::{FileNumber, Views};
use crate::error::StoreError;
use crate::index::{Segment, TailRow, View};
use crate::search::{Filter, Found, Search};
use crate::{
    Batch, Compressed, Counts, EXPERIENCES_PLACE, Experience, NewExperience, Precision, Store,
};

/// How long a writer waits for the one before it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A store in one `SQLite` file.
#[derive(Debug)]
pub struct SqliteStore {
    /// Dropped before the connection: see [`Views::of_file`].
    views: Arc<Views>,
    connection: Connection,
    path: Option<PathBuf>,
}

impl SqliteStore {
    /// Opens the database at `path`, and makes it where there is none.
    ///
    /// # Errors
    /// When it cannot be opened, or a newer Quipu made it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        keep_private(path);
        let before = FileNumber::of(path);
        let connection = Connection::open(path)?;
        // Where another file was put there meanwhile, nobody knows which of them is open.
        let file = before.filter(|before| FileNumber::of(path).as_ref() == Some(before));
        let views = file.map(Views::of_file).unwrap_or_default();
        Self::with(connection, Some(path.to_owned()), views)
    }

    /// Makes a store that is gone when it is dropped.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::with(Connection::open_in_memory()?, None, Arc::default())
    }

    fn with(
        mut connection: Connection,
        path: Option<PathBuf>,
        views: Arc<Views>,
    ) -> Result<Self, StoreError> {
        connection.busy_timeout(PATIENCE)?;
        // What is in the file may not be of our making: nothing in its schema runs a function with an
        // effect, and no statement can write to the schema itself or past the end of a cell.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        connection.set_prepared_statement_cache_capacity(64);
        schema::prepare(&mut connection)?;
        Ok(Self { views, connection, path })
    }

    /// Returns the index as it is now; what did not change since the last call is not read again.
    fn view(&self, model: &str) -> Result<Arc<View>, StoreError> {
        let (model, dims) = self.model(model)?;
        self.view_with(model, dims)
    }

    /// Returns the index with vectors of whatever model it was last asked for.
    fn any_view(&self) -> Result<Arc<View>, StoreError> {
        let (model, dims) = match self.views.model() {
            Some(model) => model,
            None => self
                .connection
                .prepare_cached("SELECT number, dims FROM model ORDER BY number DESC")?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?
                .unwrap_or((0, 1)),
        };
        self.view_with(model, dims)
    }

    fn view_with(&self, model: i64, dims: usize) -> Result<Arc<View>, StoreError> {
        let generation = self.generation()?;
        self.views
            .get((generation, model), |older| self.read_view(generation, (model, dims), older))
    }

    fn model(&self, name: &str) -> Result<(i64, usize), StoreError> {
        let found = self
            .connection
            .prepare_cached("SELECT number, dims FROM model WHERE name = ?")?
            .query_row([name], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(found.unwrap_or((0, 1)))
    }

    fn read_view(
        &self,
        generation: i64,
        (model, dims): (i64, usize),
        cached: Option<&View>,
    ) -> Result<View, StoreError> {
        let mut segments: Vec<Arc<Segment>> = Vec::new();
        let mut statement =
            self.connection.prepare_cached("SELECT number, revision FROM segment")?;
        let numbers = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<Vec<(i64, i64)>, _>>()?;
        let same = cached.filter(|view| view.model == model && view.dims == dims);
        for (number, revision) in numbers {
            let is_same = |it: &&Arc<Segment>| (it.number, it.revision) == (number, revision);
            let known = same.and_then(|view| view.segments.iter().find(is_same).cloned());
            segments.push(match known {
                Some(segment) => segment,
                None => Arc::new(self.read_segment((number, revision), model, dims)?),
            });
        }
        let calibration = if segments.iter().any(|segment| segment.vectors.has_coarse()) {
            Some(compress::calibration(&self.connection, model, dims)?)
        } else {
            None
        };
        let tail = self.read_tail(cached)?;
        let mut statement = self.connection.prepare_cached("SELECT doc FROM dead")?;
        let dead =
            statement.query_map([], |row| row.get(0))?.collect::<Result<HashSet<u32>, _>>()?;
        Ok(View::new(generation, (model, dims, calibration), segments, tail, &dead))
    }

    fn read_segment(
        &self,
        (number, revision): (i64, i64),
        model: i64,
        dims: usize,
    ) -> Result<Segment, StoreError> {
        let metas = merge::read_metas(&self.connection, number)?;
        let vectors = merge::read_vectors(&self.connection, number, (model, dims), metas.len())?;
        Ok(Segment { number, revision, metas, vectors })
    }

    /// Reads the tail. Its rows never change, so only those that were not there before are read.
    fn read_tail(&self, cached: Option<&View>) -> Result<Vec<Arc<TailRow>>, StoreError> {
        let first: Option<u32> = self
            .connection
            .prepare_cached("SELECT min(doc) FROM tail")?
            .query_row([], |row| row.get(0))?;
        let Some(first) = first else { return Ok(Vec::new()) };
        let mut rows: Vec<Arc<TailRow>> = cached
            .map(|view| view.tail.iter().filter(|row| row.meta.doc >= first).cloned().collect())
            .unwrap_or_default();
        let last = rows.iter().map(|row| row.meta.doc).max().unwrap_or(0);
        let mut statement = self.connection.prepare_cached(
            "SELECT meta, terms, model, vectors FROM tail WHERE doc > ? ORDER BY doc",
        )?;
        let mut found = statement.query([last])?;
        while let Some(row) = found.next()? {
            rows.push(Arc::new(merge::tail_row(row)?));
        }
        Ok(rows)
    }
}

/// Lets nobody but its owner read a database: from the beginning where it is made, and from now on
/// where it is there. `SQLite` gives its other files the mode of the database.
#[cfg(unix)]
fn keep_private(path: &Path) {
    use std::fs::{OpenOptions, Permissions, metadata, set_permissions};
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

    // Where this fails, opening the database tells why.
    if OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).is_ok() {
        return;
    }
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        if let Ok(found) = metadata(&name)
            && found.is_file()
            && found.permissions().mode() & 0o077 != 0
        {
            // Somebody else's file stays as they want it.
            let _ =
                set_permissions(&name, Permissions::from_mode(found.permissions().mode() & 0o700));
        }
    }
}

/// Elsewhere a file has the rights of the folder that it stands in.
#[cfg(not(unix))]
fn keep_private(_path: &Path) {}

/// Returns sensitivities as bits.
fn bits(sensitivities: &[Sensitivity]) -> u32 {
    sensitivities.iter().fold(0, |bits, one| bits | 1 << one.index())
}

impl Store for SqliteStore {
    fn apply(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        write::apply(&transaction, batch)?;
        transaction.commit()?;
        Ok(())
    }

    fn get(&self, id: &str) -> Result<Option<Item>, StoreError> {
        read::item(&self.connection, id)
    }

    fn items(&self, ids: &[&str]) -> Result<Vec<Option<Item>>, StoreError> {
        gather::items(&self.connection, ids)
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        read::ids(&self.connection, prefix, limit)
    }

    fn base(&self, id: &str) -> Result<Option<Item>, StoreError> {
        read::base(&self.connection, id)
    }

    fn bases_in(&self, path: &str) -> Result<Vec<Item>, StoreError> {
        read::bases_in(&self.connection, path)
    }

    fn place(&self, id: &str) -> Result<Option<(Kind, String)>, StoreError> {
        read::place(&self.connection, id)
    }

    fn each(&self, each: &mut dyn FnMut(Item) -> bool) -> Result<(), StoreError> {
        read::each(&self.connection, each)
    }

    fn filed(&self, item: &str) -> Result<Vec<Filed>, StoreError> {
        read::filed_of(&self.connection, item)
    }

    fn filed_in(&self, path: &str) -> Result<Vec<Filed>, StoreError> {
        read::filed_in(&self.connection, path)
    }

    fn events_of(&self, items: &[&str]) -> Result<Vec<Vec<Event>>, StoreError> {
        gather::events_of(&self.connection, items)
    }

    fn source(&self, path: &str) -> Result<Option<String>, StoreError> {
        read::source(&self.connection, path)
    }

    fn sources(&self) -> Result<Vec<(String, String)>, StoreError> {
        read::sources(&self.connection)
    }

    fn entities(&self, part: &str, limit: usize) -> Result<Vec<(Entity, usize)>, StoreError> {
        read::entities(&self.connection, part, limit)
    }

    fn mentions(&self, name: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        read::mentions(&self.connection, name, limit)
    }

    fn each_mention(&self, each: &mut dyn FnMut(&Entity, &str)) -> Result<(), StoreError> {
        read::each_mention(&self.connection, each)
    }

    fn mentioned_with(&self, name: &str, limit: usize) -> Result<Vec<(Entity, usize)>, StoreError> {
        read::mentioned_with(&self.connection, name, limit)
    }

    fn aliases(&self) -> Result<Aliases, StoreError> {
        Ok(Aliases::new(&read::filed_under(&self.connection, &filed_under(""))?))
    }

    fn filed_under(&self, prefix: &str) -> Result<Vec<Event>, StoreError> {
        read::filed_under(&self.connection, prefix)
    }

    fn events_before(
        &self,
        before: Option<(Timestamp, &str)>,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        read::events_before(&self.connection, before, limit)
    }

    fn speakers_in(&self, text: &str, may_see: &[Sensitivity]) -> Result<Vec<String>, StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let view = self.any_view()?.restricted_to(bits(may_see));
        read::speakers_in(&self.connection, &view, text)
    }

    fn search(&self, search: &Search) -> Result<Found, StoreError> {
        // One snapshot for the index and the rows that it points to.
        let _snapshot = self.connection.unchecked_transaction()?;
        let view = self.view(&search.model)?.restricted_to(bits(&search.filter.sensitivities));
        read::search(&self.connection, &view, search)
    }

    fn nearest(
        &self,
        model: &str,
        vector: &Packed,
        count: usize,
        may_see: &[Sensitivity],
    ) -> Result<Vec<(String, f32)>, StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let view = self.view(model)?;
        read::nearest(&self.connection, &view, vector, count, may_see)
    }

    fn newest(&self, filter: &Filter, limit: usize) -> Result<(Vec<Item>, usize), StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        // Vectors are not needed, so none are read.
        let (model, dims) = self.views.model().unwrap_or((0, 1));
        let view = self.view_with(model, dims)?;
        read::newest(&self.connection, &view, filter, limit)
    }

    fn generation(&self) -> Result<i64, StoreError> {
        Ok(self
            .connection
            .prepare_cached("SELECT generation FROM counter")?
            .query_row([], |row| row.get(0))?)
    }

    fn next_change(&self, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let next = self.any_view()?.next_change(after.as_second());
        Ok(next.and_then(|second| Timestamp::from_second(second).ok()))
    }

    fn note(&self, key: &str) -> Result<Option<String>, StoreError> {
        read::note(&self.connection, key)
    }

    fn experiences(&self) -> Result<Vec<Experience>, StoreError> {
        read::experiences(&self.connection)
    }

    fn forget_experiences(&mut self) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM experience", [])?;
        transaction.execute("DELETE FROM note WHERE key = ?", [EXPERIENCES_PLACE])?;
        transaction.commit()?;
        Ok(())
    }

    fn records_after(&self, place: i64, limit: usize) -> Result<Vec<(i64, Item)>, StoreError> {
        read::records_after(&self.connection, place, limit)
    }

    fn add_experiences(
        &mut self,
        new: &[NewExperience],
        most: usize,
        notes: &[(&str, String)],
    ) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        write::add_experiences(&transaction, new, most, notes)?;
        transaction.commit()?;
        Ok(())
    }

    fn sessions(
        &self,
        may_see: &[Sensitivity],
    ) -> Result<Vec<(String, Timestamp, Timestamp)>, StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let view = self.any_view()?.restricted_to(bits(may_see));
        read::sessions(&self.connection, &view)
    }

    fn record_access(&mut self, item: &str, at: Timestamp, uses: u32) -> Result<(), StoreError> {
        self.connection
            .prepare_cached("INSERT INTO access (item, at, uses) VALUES (?, ?, ?)")?
            .execute(params![item, at.as_second(), uses])?;
        Ok(())
    }

    fn all_accesses(&self) -> Result<Vec<(String, Timestamp, u32)>, StoreError> {
        read::all_accesses(&self.connection)
    }

    fn fold_accesses(&mut self, before: Timestamp) -> Result<usize, StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let saved = write::fold_accesses(&transaction, before.as_second())?;
        transaction.commit()?;
        Ok(saved)
    }

    fn accesses(&self, item: &str) -> Result<Vec<Timestamp>, StoreError> {
        read::accesses(&self.connection, item)
    }

    fn counts(&self, model: &str) -> Result<Counts, StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let view = self.view(model)?;
        read::counts(&self.connection, &view, self.path.as_deref())
    }

    fn without_vector(&self, model: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let view = self.view(model)?;
        read::without_vector(&self.connection, &view, limit)
    }

    fn vectors(
        &self,
        model: &str,
        each: &mut dyn FnMut(&str, Stored) -> bool,
    ) -> Result<(), StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        let view = self.view(model)?;
        read::vectors(&self.connection, &view, each)
    }

    fn compress(
        &mut self,
        model: &str,
        precision: &mut dyn Precision,
    ) -> Result<Compressed, StoreError> {
        compress::compress(self, model, precision)
    }

    fn digest(&self) -> Result<String, StoreError> {
        let _snapshot = self.connection.unchecked_transaction()?;
        digest::digest(&self.connection)
    }

    fn purge(&mut self, id: &str) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        write::purge(&transaction, id)?;
        transaction.commit()?;
        Ok(())
    }

    fn rename_uses(&mut self, ids: &BTreeMap<String, String>) -> Result<(), StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (old, new) in ids {
            transaction.execute("UPDATE access SET item = ? WHERE item = ?", [new, old])?;
            transaction.execute("DELETE FROM experience WHERE item = ?", [old])?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn take_over(&mut self, other: &dyn Store) -> Result<(), StoreError> {
        let other: &dyn Any = other;
        let other = other.downcast_ref::<Self>().ok_or(StoreError::OtherKind)?;
        // One that is damaged may not know how far it counted.
        let latest = self.generation().unwrap_or_default().max(other.generation()?);
        other.connection.execute("UPDATE counter SET generation = ?", [views::replaced(latest)])?;
        let backup = rusqlite::backup::Backup::new(&other.connection, &mut self.connection)?;
        backup.run_to_completion(1 << 16, Duration::from_millis(1), None)?;
        drop(backup);
        self.views.forget();
        Ok(())
    }

    fn scrub(&mut self) -> Result<bool, StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        merge::merge_all(&transaction)?;
        transaction.commit()?;
        self.shrink()
    }

    fn shrink(&mut self) -> Result<bool, StoreError> {
        self.connection.execute_batch("VACUUM")?;
        let busy: bool =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(!busy)
    }
}
