//! Carrying out a batch inside a transaction.

use std::collections::HashMap;

use quipu_core::item::{Filed, Item};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value};

use super::merge;
use crate::error::StoreError;
use crate::index::{LONGEST_TAIL, TailRow, encode_terms, tail_row};
use crate::{Batch, EXPERIENCES_PLACE, NewExperience, Put};

/// The one row that every writer changes.
struct Counter {
    next_doc: u32,
    tail: usize,
}

/// Carries out a batch.
pub(super) fn apply(connection: &Connection, batch: &Batch) -> Result<(), StoreError> {
    let mut counter = connection
        .prepare_cached("SELECT next_doc, tail FROM counter")?
        .query_row([], |row| Ok(Counter { next_doc: row.get(0)?, tail: row.get(1)? }))?;
    for id in &batch.forget {
        connection.prepare_cached("DELETE FROM event WHERE id = ?")?.execute([id])?;
    }
    if !batch.forget.is_empty() {
        // A place that is free again is looked at again.
        connection
            .prepare_cached(
                "UPDATE note SET value = min(CAST(value AS INTEGER), \
                 (SELECT coalesce(max(seq), 0) FROM event)) WHERE key = ?",
            )?
            .execute([EXPERIENCES_PLACE])?;
    }
    for Filed { event, path, offset } in &batch.events {
        connection
            .prepare_cached(
                "INSERT INTO event (id, item, at, path, place, data) VALUES (?, ?, ?, ?, ?, ?) \
                 ON CONFLICT (id) DO UPDATE SET item = excluded.item, at = excluded.at, \
                 path = excluded.path, place = excluded.place, data = excluded.data",
            )?
            .execute(params![
                event.id,
                event.item,
                event.at.as_millisecond(),
                path,
                offset,
                json(event)?
            ])?;
    }
    for id in &batch.remove {
        remove(connection, id)?;
    }
    let model = model(connection, batch)?;
    let mut sessions = Numbers::new("session");
    let mut entities = Numbers::new("entity");
    let mut rows = Vec::with_capacity(batch.put.len());
    for put in &batch.put {
        rows.push(insert(connection, put, model, &mut counter, &mut sessions, &mut entities)?);
    }
    for (path, stamp) in &batch.sources {
        match stamp {
            Some(stamp) => connection
                .prepare_cached("INSERT OR REPLACE INTO source (path, stamp) VALUES (?, ?)")?
                .execute(params![path, stamp])?,
            None => connection
                .prepare_cached("DELETE FROM source WHERE path = ?")?
                .execute(params![path])?,
        };
    }
    if counter.tail + rows.len() > LONGEST_TAIL {
        let mut all = merge::take_tail(connection)?;
        all.extend(rows);
        merge::seal(connection, all)?;
        counter.tail = 0;
    } else {
        counter.tail += rows.len();
        for row in &rows {
            push_tail(connection, row)?;
        }
    }
    connection
        .prepare_cached("UPDATE counter SET generation = generation + 1, next_doc = ?, tail = ?")?
        .execute(params![counter.next_doc, counter.tail])?;
    Ok(())
}

/// Removes an item, and names that nothing mentions any more. Events follow the files.
pub(super) fn purge(connection: &Connection, id: &str) -> Result<(), StoreError> {
    remove(connection, id)?;
    // Names may be the very words that must go.
    connection
        .execute("DELETE FROM entity WHERE number NOT IN (SELECT entity FROM mention)", [])?;
    connection.execute("UPDATE counter SET generation = generation + 1", [])?;
    Ok(())
}

/// Adds experiences, forgets the oldest beyond `most`, and notes how far that goes.
pub(super) fn add_experiences(
    connection: &Connection,
    new: &[NewExperience],
    most: usize,
    notes: &[(&str, String)],
) -> Result<(), StoreError> {
    for one in new {
        let mut bytes = one.vector.scale.to_le_bytes().to_vec();
        bytes.extend(one.vector.values.iter().map(|value| value.cast_unsigned()));
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO experience (item, at, place, vector) VALUES (?, ?, ?, ?)",
            )?
            .execute(params![one.id, one.at.as_millisecond(), one.place, bytes])?;
    }
    // Public ones are counted by themselves, so that private ones never push one out.
    connection.execute(
        "DELETE FROM experience WHERE item NOT IN \
         (SELECT item FROM experience ORDER BY at DESC, place DESC LIMIT ?1) \
         AND item NOT IN \
         (SELECT item FROM experience JOIN item ON item.id = experience.item \
          WHERE json_extract(data, '$.sensitivity') = 'public' \
          ORDER BY at DESC, place DESC LIMIT ?1)",
        [most],
    )?;
    for (key, value) in notes {
        connection
            .prepare_cached("INSERT OR REPLACE INTO note (key, value) VALUES (?, ?)")?
            .execute(params![key, value])?;
    }
    connection.execute("UPDATE counter SET generation = generation + 1", [])?;
    Ok(())
}

/// Old uses are told apart by 30 days.
const USES_TOGETHER: i64 = 30 * 24 * 60 * 60;

/// Puts old uses of an item together, at their mean time. Its last use stays as it is: retention
/// counts from there.
pub(super) fn fold_accesses(connection: &Connection, before: i64) -> Result<usize, StoreError> {
    let count = || -> Result<usize, StoreError> {
        Ok(connection.query_row("SELECT count(*) FROM access", [], |row| row.get(0))?)
    };
    let all = count()?;
    connection.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS folded (item TEXT, at INTEGER, uses INTEGER); \
         DELETE FROM folded;",
    )?;
    let old = "at < ?1 AND at < (SELECT max(at) FROM access AS last WHERE last.item = access.item)";
    connection.execute(
        &format!(
            "INSERT INTO folded SELECT item, sum(at * uses) / sum(uses), sum(uses) FROM access \
             WHERE {old} GROUP BY item, at / ?2"
        ),
        [before, USES_TOGETHER],
    )?;
    connection.execute(&format!("DELETE FROM access WHERE {old}"), [before])?;
    connection.execute_batch(
        "INSERT INTO access (item, at, uses) SELECT item, at, uses FROM folded; DROP TABLE folded;",
    )?;
    Ok(all.saturating_sub(count()?))
}

fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::BadRow { what: error.to_string() })
}

/// Returns the base of an item as its difference from the item: a list with one merge patch (RFC 7396). Most items
/// differ from their base in a number or two. Where a patch cannot say it, it is the base itself.
fn difference(item: &Item, base: &Item) -> Result<String, StoreError> {
    let value = |item| {
        serde_json::to_value(item).map_err(|error| StoreError::BadRow { what: error.to_string() })
    };
    let (Value::Object(now), Value::Object(before)) = (value(item)?, value(base)?) else {
        return json(base);
    };
    let mut patch = Map::new();
    for key in now.keys().chain(before.keys()) {
        match (now.get(key), before.get(key)) {
            (one, other) if one == other => {}
            // A patch goes into objects, and takes null for "not there".
            (Some(Value::Object(_)), Some(Value::Object(_))) | (_, Some(Value::Null)) => {
                return json(base);
            }
            (_, other) => drop(patch.insert(key.clone(), other.cloned().unwrap_or_default())),
        }
    }
    json(&[patch])
}

/// Takes an item out; its number in the index is dead from now on.
fn remove(connection: &Connection, id: &str) -> Result<Option<u32>, StoreError> {
    let found: Option<(u32, u32)> = connection
        .prepare_cached("DELETE FROM item WHERE id = ? RETURNING doc, position")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((doc, position)) = found else { return Ok(None) };
    connection.prepare_cached("INSERT OR IGNORE INTO dead (doc) VALUES (?)")?.execute([doc])?;
    connection.prepare_cached("DELETE FROM mention WHERE doc = ?")?.execute([doc])?;
    Ok(Some(position))
}

fn insert(
    connection: &Connection,
    put: &Put,
    model: i64,
    counter: &mut Counter,
    sessions: &mut Numbers,
    entities: &mut Numbers,
) -> Result<TailRow, StoreError> {
    let item = &put.item;
    let before = remove(connection, &item.id)?;
    let doc = counter.next_doc;
    counter.next_doc += 1;
    let position = put.position.or(before).unwrap_or(doc);
    let session = match &item.session {
        Some(name) => sessions.get(connection, name, None)?,
        None => 0,
    };
    connection
        .prepare_cached(
            "INSERT INTO item (doc, id, path, position, data, base) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            doc,
            item.id,
            item.place.as_ref().map(|place| &place.path),
            position,
            json(item)?,
            put.base.as_ref().map(|base| difference(item, base)).transpose()?
        ])?;
    for entity in &put.entities {
        let number = entities.get(connection, &entity.name, Some(entity.kind.as_str()))?;
        if entity.kind == quipu_core::entity::EntityKind::Name {
            // Used as a name once, a word that only began sentences is one everywhere.
            connection
                .prepare_cached(
                    "UPDATE entity SET kind = 'name' WHERE number = ? AND kind IN ('word', 'term')",
                )?
                .execute([number])?;
        }
        connection
            .prepare_cached("INSERT OR IGNORE INTO mention (entity, doc) VALUES (?, ?)")?
            .execute(params![number, doc])?;
    }
    Ok(tail_row(put, doc, session, position, model))
}

fn push_tail(connection: &Connection, row: &TailRow) -> Result<(), StoreError> {
    let mut meta = Vec::new();
    row.meta.encode(&mut meta);
    connection
        .prepare_cached(
            "INSERT INTO tail (doc, meta, terms, model, vectors) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![row.meta.doc, meta, encode_terms(&row.terms), row.model, row.vectors])?;
    Ok(())
}

fn model(connection: &Connection, batch: &Batch) -> Result<i64, StoreError> {
    let Some(vector) = batch.put.iter().find_map(|put| put.vectors.first()) else { return Ok(0) };
    let dims = vector.values.len();
    connection
        .prepare_cached("INSERT OR IGNORE INTO model (name, dims) VALUES (?, ?)")?
        .execute(params![batch.model, dims])?;
    let (number, known): (i64, usize) = connection
        .prepare_cached("SELECT number, dims FROM model WHERE name = ?")?
        .query_row([&batch.model], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if known != dims {
        // A server serves another model by the same name: its old vectors mean nothing now.
        for sql in [
            "DELETE FROM segment_vectors WHERE model = ?",
            "UPDATE tail SET model = 0, vectors = x'' WHERE model = ?",
        ] {
            connection.execute(sql, [number])?;
        }
        connection.execute(
            "UPDATE model SET dims = ?, calibration = NULL WHERE number = ?",
            params![dims, number],
        )?;
        connection.execute("UPDATE segment SET revision = revision + 1", [])?;
    }
    Ok(number)
}

/// Numbers for names, remembered for the length of a batch.
struct Numbers {
    table: &'static str,
    known: HashMap<String, i64>,
}

impl Numbers {
    fn new(table: &'static str) -> Self {
        Self { table, known: HashMap::new() }
    }

    fn get(
        &mut self,
        connection: &Connection,
        name: &str,
        kind: Option<&str>,
    ) -> Result<i64, StoreError> {
        if let Some(number) = self.known.get(name) {
            return Ok(*number);
        }
        let table = self.table;
        let found = connection
            .prepare_cached(&format!("SELECT number FROM {table} WHERE name = ?"))?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let number = match (found, kind) {
            (Some(number), _) => number,
            (None, Some(kind)) => connection
                .prepare_cached(&format!("INSERT INTO {table} (name, kind) VALUES (?, ?)"))?
                .insert(params![name, kind])?,
            (None, None) => connection
                .prepare_cached(&format!("INSERT INTO {table} (name) VALUES (?)"))?
                .insert(params![name])?,
        };
        self.known.insert(name.to_owned(), number);
        Ok(number)
    }
}
