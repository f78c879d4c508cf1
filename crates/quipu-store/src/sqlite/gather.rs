//! Many rows with one question: what is asked for travels as a list in JSON.

use std::collections::{HashMap, HashSet};

use quipu_core::item::{Event, Item};
use quipu_core::terms::Term;
use rusqlite::Connection;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// Reads a row's JSON.
pub(super) fn parsed<T: DeserializeOwned>(json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::BadRow { what: error.to_string() })
}

fn list(values: &[impl Serialize]) -> Result<String, StoreError> {
    serde_json::to_string(values).map_err(|error| StoreError::BadRow { what: error.to_string() })
}

/// Runs a statement whose first column says for which of the values a row is; calls `each` with that and
/// the second column.
fn rows_of(
    connection: &Connection,
    sql: &str,
    values: &[impl Serialize],
    mut each: impl FnMut(usize, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    if values.is_empty() {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([list(values)?])?;
    while let Some(row) = rows.next()? {
        each(row.get(0)?, row.get_ref(1)?.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// Postings of several terms, by segment.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    terms: HashSet<Term>,
    postings: HashMap<(i64, Term), Vec<u8>>,
}

impl Gathered {
    /// Tells whether the postings of a term were read, though there may be none.
    pub(super) fn has_read(&self, term: Term) -> bool {
        self.terms.contains(&term)
    }

    /// Returns the postings of a term in a segment.
    pub(super) fn get(&self, segment: i64, term: Term) -> Option<&[u8]> {
        self.postings.get(&(segment, term)).map(Vec::as_slice)
    }

    /// Reads the postings of terms in all segments, as far as they are not there yet.
    pub(super) fn read(
        &mut self,
        connection: &Connection,
        terms: &[Term],
    ) -> Result<(), StoreError> {
        let new: Vec<i64> = terms
            .iter()
            .filter(|term| self.terms.insert(**term))
            .map(|term| term.cast_signed())
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut statement = connection.prepare_cached(
            "SELECT segment.number, term, data FROM segment CROSS JOIN json_each(?) \
             CROSS JOIN posting ON posting.segment = segment.number AND term = value",
        )?;
        let mut rows = statement.query([list(&new)?])?;
        while let Some(row) = rows.next()? {
            let term: i64 = row.get(1)?;
            let data = row.get_ref(2)?.as_blob().unwrap_or_default().to_vec();
            self.postings.insert((row.get(0)?, term.cast_unsigned()), data);
        }
        Ok(())
    }
}

/// Returns the items with some ids, in the order of these.
pub(super) fn items(
    connection: &Connection,
    ids: &[&str],
) -> Result<Vec<Option<Item>>, StoreError> {
    let sql = "SELECT key, data FROM json_each(?) CROSS JOIN item ON item.id = value";
    let mut items = vec![None; ids.len()];
    rows_of(connection, sql, ids, |at, json| {
        items[at] = Some(parsed(json)?);
        Ok(())
    })?;
    Ok(items)
}

/// Returns the items with some numbers in the index, which has no number without one.
pub(super) fn items_of(connection: &Connection, docs: &[u32]) -> Result<Vec<Item>, StoreError> {
    let sql = "SELECT key, data FROM json_each(?) CROSS JOIN item ON item.doc = value";
    let mut items = vec![None; docs.len()];
    rows_of(connection, sql, docs, |at, json| {
        items[at] = Some(parsed(json)?);
        Ok(())
    })?;
    let there = |(item, doc): (Option<Item>, &u32)| {
        item.ok_or_else(|| StoreError::BadRow { what: format!("document {doc} has no item") })
    };
    items.into_iter().zip(docs).map(there).collect()
}

/// Returns the ids of items with some numbers in the index, in the order of these.
pub(super) fn ids_of(
    connection: &Connection,
    docs: &[u32],
) -> Result<Vec<Option<String>>, StoreError> {
    let sql = "SELECT key, item.id FROM json_each(?) CROSS JOIN item ON item.doc = value";
    let mut ids = vec![None; docs.len()];
    rows_of(connection, sql, docs, |at, id| {
        ids[at] = Some(id.to_owned());
        Ok(())
    })?;
    Ok(ids)
}

/// Returns what happened to each of some items, in the order of these.
pub(super) fn events_of(
    connection: &Connection,
    items: &[&str],
) -> Result<Vec<Vec<Event>>, StoreError> {
    // Two halves, each with an index of its own.
    let sql = "SELECT key, data, at, event.path AS path, place, seq FROM json_each(?1) \
               CROSS JOIN event ON event.id = value AND event.item = value \
               UNION ALL SELECT key, data, at, event.path AS path, place, seq FROM json_each(?1) \
               CROSS JOIN event ON event.item = value AND event.item <> event.id \
               ORDER BY at, path, place, seq";
    let mut events = vec![Vec::new(); items.len()];
    rows_of(connection, sql, items, |at, json| {
        events[at].push(parsed(json)?);
        Ok(())
    })?;
    Ok(events)
}
