//! Vectors that become narrower or wider, a segment at a time.
//!
//! What is costly happens before a segment's transaction begins, so that other writers hardly wait.
//! Where somebody else was faster, the segment is looked at again.

use std::collections::HashSet;

use quipu_core::vector::{Calibration, Width};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{SqliteStore, merge, read};
use crate::error::StoreError;
use crate::index::{NarrowingPlan, sampled, widths};
use crate::{Compressed, Precision};

/// Returns what the narrow vectors of a model are relative to.
pub(super) fn calibration(
    connection: &Connection,
    model: i64,
    dims: usize,
) -> Result<Calibration, StoreError> {
    let bytes: Option<Vec<u8>> = connection
        .prepare_cached("SELECT calibration FROM model WHERE number = ?")?
        .query_row([model], |row| row.get(0))
        .optional()?
        .flatten();
    bytes
        .and_then(|bytes| Calibration::decode(&bytes))
        .filter(|calibration| calibration.dims() == dims)
        .ok_or_else(|| StoreError::BadRow { what: format!("the calibration of model {model}") })
}

/// Keeps the vectors of a model as exactly as `precision` says.
pub(super) fn compress(
    store: &mut SqliteStore,
    name: &str,
    precision: &mut dyn Precision,
) -> Result<Compressed, StoreError> {
    let (model, dims) = store.model(name)?;
    let bytes_before = read::vector_bytes(&store.connection, model)?;
    let fading = fading_in_tail(store, model, precision)?;
    let only_looks = precision.only_looks();
    if fading > 0 && !only_looks {
        seal_tail(store)?;
    }
    let mut job = Job { store, model, dims, calibration: None };
    let mut result = Compressed { bytes_before, ..Compressed::default() };
    result.narrowed = if only_looks { fading } else { 0 };
    let total = job.segments()?.iter().map(|segment| segment.docs).sum();
    let mut visited = HashSet::new();
    let mut done = 0;
    while let Some(segment) = job.segments()?.into_iter().find(|it| !visited.contains(&it.number)) {
        let Some(plan) = job.plan(&segment, precision)? else { continue };
        if !only_looks && !plan.changes.is_empty() && !job.rewrite(&segment, &plan)? {
            continue;
        }
        for (from, change) in plan.changes.values() {
            *if change.to < *from { &mut result.narrowed } else { &mut result.widened } += 1;
        }
        result.missing += plan.missing;
        visited.insert(segment.number);
        done += segment.docs;
        precision.progress(done.min(total), total);
    }
    result.bytes_after = read::vector_bytes(&job.store.connection, model)?;
    let _snapshot = job.store.connection.unchecked_transaction()?;
    result.precision = job.store.view_with(model, dims)?.widths;
    Ok(result)
}

/// Returns how many of the tail should be narrow.
fn fading_in_tail(
    store: &SqliteStore,
    model: i64,
    precision: &mut dyn Precision,
) -> Result<usize, StoreError> {
    let mut statement = store
        .connection
        .prepare_cached("SELECT id FROM tail JOIN item USING (doc) WHERE model = ?")?;
    let ids = statement.query_map([model], |row| row.get::<_, String>(0))?;
    let mut fading = 0;
    for id in ids {
        fading += usize::from(precision.width(&id?) < Width::Eight);
    }
    Ok(fading)
}

/// Makes a segment of the tail: its rows know one width.
fn seal_tail(store: &mut SqliteStore) -> Result<(), StoreError> {
    let transaction = store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tail = merge::take_tail(&transaction)?;
    merge::seal(&transaction, tail)?;
    transaction.execute("UPDATE counter SET tail = 0, generation = generation + 1", [])?;
    transaction.commit()?;
    Ok(())
}

/// A segment as it was found.
struct Found {
    number: i64,
    revision: i64,
    docs: usize,
}

struct Job<'a> {
    store: &'a mut SqliteStore,
    model: i64,
    dims: usize,
    /// Read or made when it is first needed.
    calibration: Option<Calibration>,
}

impl Job<'_> {
    fn segments(&self) -> Result<Vec<Found>, StoreError> {
        let mut statement = self
            .store
            .connection
            .prepare_cached("SELECT number, revision, docs FROM segment ORDER BY number")?;
        let rows = statement.query_map([], |row| {
            Ok(Found { number: row.get(0)?, revision: row.get(1)?, docs: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Finds out what should change in a segment; nothing where it is no longer there.
    fn plan(
        &self,
        segment: &Found,
        precision: &mut dyn Precision,
    ) -> Result<Option<NarrowingPlan>, StoreError> {
        let connection = &self.store.connection;
        let snapshot = connection.unchecked_transaction()?;
        if revision(connection, segment.number)? != Some(segment.revision) {
            return Ok(None);
        }
        let metas = merge::read_metas(connection, segment.number)?;
        let of = (self.model, self.dims);
        let vectors = merge::read_vectors(connection, segment.number, of, metas.len())?;
        let mut owners = Vec::new();
        for (owner, width) in widths(&vectors) {
            let id = read::id_of(connection, metas[owner as usize].doc)?;
            owners.push((owner, width, id));
        }
        // A model may take its time, and nobody should wait for it.
        drop(snapshot);
        Ok(Some(NarrowingPlan::new(vectors, self.dims, owners, precision)))
    }

    /// Carries out a plan; tells whether the segment was still as it was.
    fn rewrite(&mut self, segment: &Found, plan: &NarrowingPlan) -> Result<bool, StoreError> {
        let calibration = match self.calibration.take() {
            Some(calibration) => calibration,
            None => self.calibrate()?,
        };
        let vectors = plan.rewritten(&calibration);
        let transaction =
            self.store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let is_same = revision(&transaction, segment.number)? == Some(segment.revision)
            && self::calibration(&transaction, self.model, self.dims)? == calibration;
        if !is_same {
            return Ok(false);
        }
        transaction.execute(
            "DELETE FROM segment_vectors WHERE segment = ? AND model = ?",
            params![segment.number, self.model],
        )?;
        merge::write_vectors(&transaction, segment.number, self.model, &vectors)?;
        transaction.execute(
            "UPDATE segment SET revision = revision + 1 WHERE number = ?",
            [segment.number],
        )?;
        transaction.execute("UPDATE counter SET generation = generation + 1", [])?;
        transaction.commit()?;
        self.calibration = Some(calibration);
        Ok(true)
    }

    /// Returns the calibration that narrow vectors have; makes one while there are none.
    fn calibrate(&mut self) -> Result<Calibration, StoreError> {
        let (model, dims) = (self.model, self.dims);
        let made = {
            let _snapshot = self.store.connection.unchecked_transaction()?;
            sampled(&*self.store.view_with(model, dims)?, dims)
        };
        let transaction =
            self.store.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let is_in_use: bool = transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM segment_vectors WHERE model = ? AND bits < 8)",
            [model],
            |row| row.get(0),
        )?;
        if is_in_use {
            return calibration(&transaction, model, dims);
        }
        transaction.execute(
            "UPDATE model SET calibration = ? WHERE number = ?",
            params![made.encode(), model],
        )?;
        transaction.commit()?;
        Ok(made)
    }
}

fn revision(connection: &Connection, segment: i64) -> Result<Option<i64>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT revision FROM segment WHERE number = ?")?
        .query_row([segment], |row| row.get(0))
        .optional()?)
}
