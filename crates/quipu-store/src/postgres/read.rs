//! Answers from the database.

use jiff::Timestamp;
use postgres::Row;
use quipu_core::entity::{Entity, EntityKind};
use quipu_core::item::{Event, Filed, Item, Kind};
use quipu_core::vector::Packed;
use serde::de::DeserializeOwned;

use super::link::At;
use super::loading::{doc, size};
use crate::Experience;
use crate::error::StoreError;

/// So many items are read at a time.
const AT_A_TIME: i64 = 1000;

/// Reads a row's JSON.
pub(super) fn parsed<T: DeserializeOwned>(json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::BadRow { what: error.to_string() })
}

fn all_parsed<T: DeserializeOwned>(rows: &[Row]) -> Result<Vec<T>, StoreError> {
    rows.iter().map(|row| parsed(row.get(0))).collect()
}

fn as_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(super) fn item(at: &mut At<'_>, id: &str) -> Result<Option<Item>, StoreError> {
    let sql = "SELECT data FROM item WHERE space = $1 AND id = $2";
    at.wire.row_if_any(sql, &[&at.space, &id])?.map(|row| parsed(row.get(0))).transpose()
}

pub(super) fn items(at: &mut At<'_>, ids: &[&str]) -> Result<Vec<Option<Item>>, StoreError> {
    let sql = "SELECT place, data FROM unnest($2::text[]) WITH ORDINALITY AS asked (id, place) \
               JOIN item USING (id) WHERE space = $1";
    let mut items = vec![None; ids.len()];
    for row in at.wire.rows(sql, &[&at.space, &ids])? {
        items[size(row.get::<_, i64>(0) - 1)] = Some(parsed(row.get(1))?);
    }
    Ok(items)
}

fn as_numbers(docs: &[u32]) -> Vec<i64> {
    docs.iter().copied().map(i64::from).collect()
}

/// Returns the items with some numbers in the index, which has no number without one.
pub(super) fn items_of(at: &mut At<'_>, docs: &[u32]) -> Result<Vec<Item>, StoreError> {
    let sql = "SELECT place, data FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (doc, place) \
               JOIN item USING (doc) WHERE space = $1";
    let mut items = vec![None; docs.len()];
    for row in at.wire.rows(sql, &[&at.space, &as_numbers(docs)])? {
        items[size(row.get::<_, i64>(0) - 1)] = Some(parsed(row.get(1))?);
    }
    let there = |(item, doc): (Option<Item>, &u32)| {
        item.ok_or_else(|| StoreError::BadRow { what: format!("document {doc} has no item") })
    };
    items.into_iter().zip(docs).map(there).collect()
}

/// Returns the ids of items with some numbers in the index, in the order of these.
pub(super) fn ids_of(at: &mut At<'_>, docs: &[u32]) -> Result<Vec<Option<String>>, StoreError> {
    let mut ids = vec![None; docs.len()];
    if docs.is_empty() {
        return Ok(ids);
    }
    let sql = "SELECT place, item.id FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (doc, place) \
               JOIN item USING (doc) WHERE space = $1";
    for row in at.wire.rows(sql, &[&at.space, &as_numbers(docs)])? {
        ids[size(row.get::<_, i64>(0) - 1)] = Some(row.get(1));
    }
    Ok(ids)
}

pub(super) fn ids(at: &mut At<'_>, prefix: &str, limit: usize) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT id FROM item WHERE space = $1 AND id >= $2 ORDER BY id LIMIT $3";
    let rows = at.wire.rows(sql, &[&at.space, &prefix, &as_limit(limit)])?;
    let ids = rows.iter().map(|row| row.get(0));
    Ok(ids.take_while(|id: &String| id.starts_with(prefix)).collect())
}

/// Returns items in order of id, beginning after one: as many as are read at a time.
pub(super) fn items_after(at: &mut At<'_>, after: &str) -> Result<Vec<Item>, StoreError> {
    let sql = "SELECT data FROM item WHERE space = $1 AND id > $2 ORDER BY id LIMIT $3";
    all_parsed(&at.wire.rows(sql, &[&at.space, &after, &AT_A_TIME])?)
}

pub(super) fn base(at: &mut At<'_>, id: &str) -> Result<Option<Item>, StoreError> {
    let sql = "SELECT coalesce(base, data) FROM item WHERE space = $1 AND id = $2";
    at.wire.row_if_any(sql, &[&at.space, &id])?.map(|row| parsed(row.get(0))).transpose()
}

pub(super) fn bases_in(at: &mut At<'_>, path: &str) -> Result<Vec<Item>, StoreError> {
    let sql = "SELECT coalesce(base, data) FROM item WHERE space = $1 AND path = $2 ORDER BY id";
    all_parsed(&at.wire.rows(sql, &[&at.space, &path])?)
}

pub(super) fn place(at: &mut At<'_>, id: &str) -> Result<Option<(Kind, String)>, StoreError> {
    let sql = "SELECT data, coalesce(path, '') FROM item WHERE space = $1 AND id = $2";
    let Some(row) = at.wire.row_if_any(sql, &[&at.space, &id])? else { return Ok(None) };
    Ok(Some((parsed::<Item>(row.get(0))?.kind, row.get(1))))
}

fn all_filed(rows: &[Row]) -> Result<Vec<Filed>, StoreError> {
    let filed = |row: &Row| {
        let offset = row.get::<_, i64>(2).try_into().unwrap_or_default();
        Ok(Filed { event: parsed(row.get(0))?, path: row.get(1), offset })
    };
    rows.iter().map(filed).collect()
}

pub(super) fn filed_of(at: &mut At<'_>, item: &str) -> Result<Vec<Filed>, StoreError> {
    // Two halves, each with an index of its own.
    let sql = "SELECT data, path, place, at, seq FROM event \
               WHERE space = $1 AND id = $2 AND item = $2 \
               UNION ALL SELECT data, path, place, at, seq FROM event \
               WHERE space = $1 AND item = $2 AND item <> id ORDER BY at, path, place, seq";
    all_filed(&at.wire.rows(sql, &[&at.space, &item])?)
}

pub(super) fn filed_in(at: &mut At<'_>, path: &str) -> Result<Vec<Filed>, StoreError> {
    let sql = "SELECT data, path, place FROM event WHERE space = $1 AND path = $2 \
               ORDER BY at, path, place, seq";
    all_filed(&at.wire.rows(sql, &[&at.space, &path])?)
}

pub(super) fn events_of(at: &mut At<'_>, items: &[&str]) -> Result<Vec<Vec<Event>>, StoreError> {
    let sql = "SELECT asked.place AS asked, data, at, event.path, event.place, seq \
               FROM unnest($2::text[]) WITH ORDINALITY AS asked (name, place) \
               JOIN event ON event.space = $1 AND event.id = name AND event.item = name \
               UNION ALL SELECT asked.place AS asked, data, at, event.path, event.place, seq \
               FROM unnest($2::text[]) WITH ORDINALITY AS asked (name, place) \
               JOIN event ON event.space = $1 AND event.item = name AND event.item <> event.id \
               ORDER BY at, path, place, seq";
    let mut events = vec![Vec::new(); items.len()];
    for row in at.wire.rows(sql, &[&at.space, &items])? {
        events[size(row.get::<_, i64>(0) - 1)].push(parsed(row.get(1))?);
    }
    Ok(events)
}

pub(super) fn filed_under(at: &mut At<'_>, prefix: &str) -> Result<Vec<Event>, StoreError> {
    let sql = "SELECT data FROM event WHERE space = $1 AND item >= $2 AND starts_with(item, $2) \
               AND item <> id ORDER BY at, path, place, seq";
    all_parsed(&at.wire.rows(sql, &[&at.space, &prefix])?)
}

pub(super) fn events_before(
    at: &mut At<'_>,
    before: Option<(Timestamp, &str)>,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    let (time, id) = before.map_or((i64::MAX, ""), |(time, id)| (time.as_millisecond(), id));
    let sql = "SELECT data FROM event WHERE space = $1 AND (at < $2 OR (at = $2 AND id < $3)) \
               ORDER BY at DESC, id DESC LIMIT $4";
    all_parsed(&at.wire.rows(sql, &[&at.space, &time, &id, &as_limit(limit)])?)
}

pub(super) fn source(at: &mut At<'_>, path: &str) -> Result<Option<String>, StoreError> {
    let sql = "SELECT stamp FROM source WHERE space = $1 AND path = $2";
    Ok(at.wire.row_if_any(sql, &[&at.space, &path])?.map(|row| row.get(0)))
}

pub(super) fn sources(at: &mut At<'_>) -> Result<Vec<(String, String)>, StoreError> {
    let sql = "SELECT path, stamp FROM source WHERE space = $1 ORDER BY path";
    let rows = at.wire.rows(sql, &[&at.space])?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

fn entity_row(row: &Row) -> (Entity, usize) {
    let kind = EntityKind::named(row.get(1)).unwrap_or(EntityKind::Term);
    (Entity { name: row.get(0), kind }, size(row.get(2)))
}

pub(super) fn entities(
    at: &mut At<'_>,
    part: &str,
    limit: usize,
) -> Result<Vec<(Entity, usize)>, StoreError> {
    let sql = "SELECT name, kind, count(*) FROM entity AS e \
               JOIN mention AS m ON m.space = $1 AND m.entity = e.number \
               WHERE e.space = $1 AND position($2 IN lowered) > 0 AND kind <> 'word' \
               GROUP BY name, kind ORDER BY count(*) DESC, name LIMIT $3";
    let rows = at.wire.rows(sql, &[&at.space, &part.to_lowercase(), &as_limit(limit)])?;
    Ok(rows.iter().map(entity_row).collect())
}

pub(super) fn mentions(
    at: &mut At<'_>,
    name: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT i.id FROM entity AS e \
               JOIN mention AS m ON m.space = $1 AND m.entity = e.number \
               JOIN item AS i ON i.space = $1 AND i.doc = m.doc \
               WHERE e.space = $1 AND lowered = $2 ORDER BY i.id LIMIT $3";
    let rows = at.wire.rows(sql, &[&at.space, &name.to_lowercase(), &as_limit(limit)])?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Returns every mention, entity by entity.
pub(super) fn all_mentions(at: &mut At<'_>) -> Result<Vec<(Entity, String)>, StoreError> {
    let sql = "SELECT e.name, e.kind, e.number, i.id FROM entity AS e \
               JOIN mention AS m ON m.space = $1 AND m.entity = e.number \
               JOIN item AS i ON i.space = $1 AND i.doc = m.doc \
               WHERE e.space = $1 ORDER BY e.name, i.id";
    let rows = at.wire.rows(sql, &[&at.space])?;
    Ok(rows.iter().map(|row| (entity_row(row).0, row.get(3))).collect())
}

pub(super) fn mentioned_with(
    at: &mut At<'_>,
    name: &str,
    limit: usize,
) -> Result<Vec<(Entity, usize)>, StoreError> {
    let sql = "SELECT other.name, other.kind, count(*) FROM entity AS e \
               JOIN mention AS m ON m.space = $1 AND m.entity = e.number \
               JOIN mention AS beside ON beside.space = $1 AND beside.doc = m.doc \
               AND beside.entity <> m.entity \
               JOIN entity AS other ON other.space = $1 AND other.number = beside.entity \
               WHERE e.space = $1 AND e.lowered = $2 AND other.kind <> 'word' \
               GROUP BY other.name, other.kind ORDER BY count(*) DESC, other.name LIMIT $3";
    let rows = at.wire.rows(sql, &[&at.space, &name.to_lowercase(), &as_limit(limit)])?;
    Ok(rows.iter().map(entity_row).collect())
}

pub(super) fn accesses(at: &mut At<'_>, item: &str) -> Result<Vec<Timestamp>, StoreError> {
    let sql = "SELECT at, uses FROM access WHERE space = $1 AND item = $2 ORDER BY at";
    let mut times = Vec::new();
    for row in at.wire.rows(sql, &[&at.space, &item])? {
        let at = Timestamp::from_second(row.get(0)).unwrap_or_default();
        times.extend(std::iter::repeat_n(at, size(row.get(1))));
    }
    Ok(times)
}

pub(super) fn all_accesses(at: &mut At<'_>) -> Result<Vec<(String, Timestamp, u32)>, StoreError> {
    let sql = "SELECT item, at, uses FROM access WHERE space = $1 ORDER BY item, at";
    let rows = at.wire.rows(sql, &[&at.space])?;
    let access = |row: &Row| {
        (row.get(0), Timestamp::from_second(row.get(1)).unwrap_or_default(), doc(row.get(2)))
    };
    Ok(rows.iter().map(access).collect())
}

/// Returns the numbers of the documents that are experiences.
pub(super) fn experience_docs(at: &mut At<'_>) -> Result<Vec<u32>, StoreError> {
    let sql = "SELECT i.doc FROM experience AS e JOIN item AS i ON i.space = $1 AND i.id = e.item \
               WHERE e.space = $1";
    Ok(at.wire.rows(sql, &[&at.space])?.iter().map(|row| doc(row.get(0))).collect())
}

pub(super) fn experiences(at: &mut At<'_>) -> Result<Vec<Experience>, StoreError> {
    let sql = "SELECT data, vector FROM experience AS e \
               JOIN item AS i ON i.space = $1 AND i.id = e.item \
               WHERE e.space = $1 ORDER BY e.at DESC, e.place DESC";
    let experience = |row: &Row| {
        let bytes: &[u8] = row.get(1);
        let (scale, values) = bytes.split_at(bytes.len().min(4));
        let scale = scale.try_into().map_or(0.0, f32::from_le_bytes);
        let values = values.iter().map(|byte| byte.cast_signed()).collect();
        Ok(Experience { item: parsed(row.get(0))?, vector: Packed { scale, values } })
    };
    at.wire.rows(sql, &[&at.space])?.iter().map(experience).collect()
}

pub(super) fn records_after(
    at: &mut At<'_>,
    place: i64,
    limit: usize,
) -> Result<Vec<(i64, Item)>, StoreError> {
    let sql = "SELECT e.seq, i.data FROM event AS e JOIN item AS i ON i.space = $1 AND i.id = e.id \
               WHERE e.space = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3";
    let rows = at.wire.rows(sql, &[&at.space, &place, &as_limit(limit)])?;
    rows.iter().map(|row| Ok((row.get(0), parsed(row.get(1))?))).collect()
}

pub(super) fn note(at: &mut At<'_>, key: &str) -> Result<Option<String>, StoreError> {
    let sql = "SELECT value FROM note WHERE space = $1 AND key = $2";
    Ok(at.wire.row_if_any(sql, &[&at.space, &key])?.map(|row| row.get(0)))
}

pub(super) fn session_names(at: &mut At<'_>) -> Result<Vec<(u32, String)>, StoreError> {
    let rows = at.wire.rows("SELECT number, name FROM session WHERE space = $1", &[&at.space])?;
    Ok(rows.iter().map(|row| (doc(row.get(0)), row.get(1))).collect())
}

/// Returns how many bytes the vectors of a model take.
pub(super) fn vector_bytes(at: &mut At<'_>, model: i64) -> Result<u64, StoreError> {
    let sql = "SELECT ((SELECT coalesce(sum(length(data)), 0) FROM segment_part \
               WHERE space = $1 AND kind = 1 AND model = $2) \
               + (SELECT coalesce(sum(length(vectors)), 0) FROM tail \
               WHERE space = $1 AND model = $2))::bigint";
    Ok(u64::try_from(at.wire.row(sql, &[&at.space, &model])?.get::<_, i64>(0)).unwrap_or(0))
}
