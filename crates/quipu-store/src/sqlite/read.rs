//! Answers from the database.

use std::cell::RefCell;
use std::path::Path;

use jiff::Timestamp;
use quipu_core::entity::{Entity, EntityKind};
use quipu_core::item::{Event, Filed, Item, Kind, Sensitivity};
use quipu_core::terms::Term;
use quipu_core::vector::{Packed, Stored};
use rusqlite::{Connection, OptionalExtension, params};

use super::gather::{self, Gathered, parsed};
use crate::error::StoreError;
use crate::index::{self, Postings, View, answer};
use crate::search::{Filter, Found, Search};
use crate::{Counts, Experience};

/// Postings from the database.
struct Reader<'a> {
    connection: &'a Connection,
    gathered: RefCell<Gathered>,
}

impl<'a> Reader<'a> {
    fn new(connection: &'a Connection) -> Self {
        Self { connection, gathered: RefCell::default() }
    }
}

impl Postings for Reader<'_> {
    type Error = StoreError;

    fn gather(&self, terms: &[Term]) -> Result<(), StoreError> {
        self.gathered.borrow_mut().read(self.connection, terms)
    }

    fn with(
        &self,
        segment: i64,
        term: Term,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), StoreError> {
        let gathered = self.gathered.borrow();
        if gathered.has_read(term) {
            gathered.get(segment, term).into_iter().for_each(each);
            return Ok(());
        }
        self.connection
            .prepare_cached("SELECT data FROM posting WHERE segment = ? AND term = ?")?
            .query_row(params![segment, term.cast_signed()], |row| {
                each(row.get_ref(0)?.as_blob().unwrap_or_default());
                Ok(())
            })
            .optional()?;
        Ok(())
    }

    fn experiences(&self) -> Result<Vec<u32>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT doc FROM experience JOIN item ON item.id = experience.item")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

pub(super) fn item(connection: &Connection, id: &str) -> Result<Option<Item>, StoreError> {
    let json: Option<String> = connection
        .prepare_cached("SELECT data FROM item WHERE id = ?")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    json.as_deref().map(parsed).transpose()
}

pub(super) fn id_of(connection: &Connection, doc: u32) -> Result<Option<String>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT id FROM item WHERE doc = ?")?
        .query_row([doc], |row| row.get(0))
        .optional()?)
}

pub(super) fn ids(
    connection: &Connection,
    prefix: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM item WHERE id >= ? ORDER BY id")?;
    let mut rows = statement.query([prefix])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        if !id.starts_with(prefix) || ids.len() == limit {
            break;
        }
        ids.push(id);
    }
    Ok(ids)
}

/// What an item is by itself, without what was decided about it: whole, or as the difference from what it is now.
const BASE: &str = "CASE WHEN base IS NULL THEN data WHEN base LIKE '[%' \
                    THEN json_patch(data, base -> '$[0]') ELSE base END";

pub(super) fn base(connection: &Connection, id: &str) -> Result<Option<Item>, StoreError> {
    let json: Option<String> = connection
        .prepare_cached(&format!("SELECT {BASE} FROM item WHERE id = ?"))?
        .query_row([id], |row| row.get(0))
        .optional()?;
    json.as_deref().map(parsed).transpose()
}

pub(super) fn bases_in(connection: &Connection, path: &str) -> Result<Vec<Item>, StoreError> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT {BASE} FROM item WHERE path = ? ORDER BY id"))?;
    let rows = statement.query_map([path], |row| row.get::<_, String>(0))?;
    rows.map(|json| parsed(&json?)).collect()
}

pub(super) fn place(
    connection: &Connection,
    id: &str,
) -> Result<Option<(Kind, String)>, StoreError> {
    let found: Option<(String, String)> = connection
        .prepare_cached("SELECT data ->> '$.kind', coalesce(path, '') FROM item WHERE id = ?")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.map(|(kind, path)| (Kind::named(&kind).unwrap_or(Kind::Record), path)))
}

pub(super) fn each(
    connection: &Connection,
    each: &mut dyn FnMut(Item) -> bool,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("SELECT data FROM item ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if !each(parsed(row.get_ref(0)?.as_str().unwrap_or_default())?) {
            break;
        }
    }
    Ok(())
}

/// Returns the events of an item.
pub(super) fn filed_of(connection: &Connection, item: &str) -> Result<Vec<Filed>, StoreError> {
    // Two halves, each with an index of its own.
    filed(
        connection,
        "SELECT data, path, place, at, seq FROM event WHERE id = ?1 AND item = ?1 \
         UNION ALL SELECT data, path, place, at, seq FROM event WHERE item = ?1 AND item <> id \
         ORDER BY at, path, place, seq",
        item,
    )
}

/// Returns the events that a file holds.
pub(super) fn filed_in(connection: &Connection, path: &str) -> Result<Vec<Filed>, StoreError> {
    filed(
        connection,
        "SELECT data, path, place FROM event WHERE path = ? ORDER BY at, path, place, seq",
        path,
    )
}

fn filed(connection: &Connection, sql: &str, value: &str) -> Result<Vec<Filed>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement
        .query_map([value], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))?;
    rows.map(|row| {
        let (json, path, offset) = row?;
        Ok(Filed { event: parsed(&json)?, path, offset })
    })
    .collect()
}

pub(super) fn source(connection: &Connection, path: &str) -> Result<Option<String>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT stamp FROM source WHERE path = ?")?
        .query_row([path], |row| row.get(0))
        .optional()?)
}

pub(super) fn sources(connection: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT path, stamp FROM source ORDER BY path")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn entities(
    connection: &Connection,
    part: &str,
    limit: usize,
) -> Result<Vec<(Entity, usize)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT name, kind, count(*) FROM entity JOIN mention ON mention.entity = entity.number \
         WHERE instr(lower(name), ?) > 0 AND kind <> 'word' GROUP BY number ORDER BY count(*) DESC, name LIMIT ?",
    )?;
    let rows = statement.query_map(params![part.to_lowercase(), limit], entity_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn mentions(
    connection: &Connection,
    name: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT item.id FROM entity JOIN mention ON mention.entity = entity.number \
         JOIN item USING (doc) WHERE lower(name) = ? ORDER BY item.id LIMIT ?",
    )?;
    let rows = statement.query_map(params![name.to_lowercase(), limit], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Calls `each` with every mention, entity by entity.
pub(super) fn each_mention(
    connection: &Connection,
    each: &mut dyn FnMut(&Entity, &str),
) -> Result<(), StoreError> {
    let mut entities = connection.prepare("SELECT name, kind, number FROM entity ORDER BY name")?;
    let mut mentions = connection.prepare(
        "SELECT item.id FROM mention JOIN item USING (doc) WHERE entity = ? ORDER BY item.id",
    )?;
    let mut rows = entities.query([])?;
    while let Some(row) = rows.next()? {
        let (entity, number): (Entity, i64) = {
            let (entity, number) = entity_row(row)?;
            (entity, i64::try_from(number).unwrap_or(0))
        };
        let mut ids = mentions.query([number])?;
        while let Some(id) = ids.next()? {
            each(&entity, id.get_ref(0)?.as_str().unwrap_or_default());
        }
    }
    Ok(())
}

/// Returns the entities that items mention beside this one.
pub(super) fn mentioned_with(
    connection: &Connection,
    name: &str,
    limit: usize,
) -> Result<Vec<(Entity, usize)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT other.name, other.kind, count(*) FROM entity \
         JOIN mention ON mention.entity = entity.number \
         JOIN mention AS beside ON beside.doc = mention.doc AND beside.entity <> mention.entity \
         JOIN entity AS other ON other.number = beside.entity \
         WHERE lower(entity.name) = ? AND other.kind <> 'word' GROUP BY other.number ORDER BY count(*) DESC, other.name LIMIT ?",
    )?;
    let rows = statement.query_map(params![name.to_lowercase(), limit], entity_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn entity_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Entity, usize)> {
    let kind: String = row.get(1)?;
    let kind = EntityKind::named(&kind).unwrap_or(EntityKind::Term);
    Ok((Entity { name: row.get(0)?, kind }, row.get(2)?))
}

/// Returns the events of everything whose name begins so.
pub(super) fn filed_under(connection: &Connection, prefix: &str) -> Result<Vec<Event>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT data FROM event WHERE item >= ? AND item < ? || char(1114111) AND item <> id \
         ORDER BY at, path, place, seq",
    )?;
    let rows = statement.query_map([prefix, prefix], |row| row.get::<_, String>(0))?;
    rows.map(|json| parsed(&json?)).collect()
}

/// Returns the newest events before a place.
pub(super) fn events_before(
    connection: &Connection,
    before: Option<(Timestamp, &str)>,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    let (at, id) = before.map_or((i64::MAX, ""), |(at, id)| (at.as_millisecond(), id));
    let mut statement = connection.prepare_cached(
        "SELECT data FROM event WHERE at < ?1 OR (at = ?1 AND id < ?2) \
         ORDER BY at DESC, id DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![at, id, limit], |row| row.get::<_, String>(0))?;
    rows.map(|json| parsed(&json?)).collect()
}

pub(super) fn accesses(connection: &Connection, item: &str) -> Result<Vec<Timestamp>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT at, uses FROM access WHERE item = ? ORDER BY at")?;
    let rows = statement.query_map([item], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut times = Vec::new();
    for row in rows {
        let (at, uses): (i64, usize) = row?;
        let at = Timestamp::from_second(at).unwrap_or_default();
        times.extend(std::iter::repeat_n(at, uses));
    }
    Ok(times)
}

pub(super) fn all_accesses(
    connection: &Connection,
) -> Result<Vec<(String, Timestamp, u32)>, StoreError> {
    let mut statement =
        connection.prepare("SELECT item, at, uses FROM access ORDER BY item, at")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.map(|row| {
        let (item, at, uses) = row?;
        Ok((item, Timestamp::from_second(at).unwrap_or_default(), uses))
    })
    .collect()
}

pub(super) fn speakers_in(
    connection: &Connection,
    view: &View,
    text: &str,
) -> Result<Vec<String>, StoreError> {
    let words = quipu_core::terms::of_query(text, &view.languages);
    let found = index::speakers(view, &Reader::new(connection), &words)?;
    Ok(found.into_iter().map(|(word, _)| word).collect())
}

pub(super) fn search(
    connection: &Connection,
    view: &View,
    search: &Search,
) -> Result<Found, StoreError> {
    let matches = index::search(view, &Reader::new(connection), search)?;
    let docs: Vec<u32> = matches.best.iter().map(|found| found.doc).collect();
    let ids = gather::ids_of(connection, &answer::beside(&matches))?;
    let items = gather::items_of(connection, &docs)?;
    Ok(answer::found(view, matches, items, ids))
}

pub(super) fn nearest(
    connection: &Connection,
    view: &View,
    vector: &Packed,
    count: usize,
    may_see: &[Sensitivity],
) -> Result<Vec<(String, f32)>, StoreError> {
    let found = index::nearest(view, &Reader::new(connection), vector, count, may_see)?;
    let docs: Vec<u32> = found.iter().map(|(doc, _)| *doc).collect();
    let ids = gather::ids_of(connection, &docs)?.into_iter().zip(found);
    Ok(ids.filter_map(|(id, (_, near))| Some((id?, near))).collect())
}

pub(super) fn newest(
    connection: &Connection,
    view: &View,
    filter: &Filter,
    limit: usize,
) -> Result<(Vec<Item>, usize), StoreError> {
    let (docs, count) = index::newest(view, &Reader::new(connection), filter, limit)?;
    Ok((gather::items_of(connection, &docs)?, count))
}

pub(super) fn note(connection: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT value FROM note WHERE key = ?")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

pub(super) fn experiences(connection: &Connection) -> Result<Vec<Experience>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT data, vector FROM experience JOIN item ON item.id = experience.item \
         ORDER BY at DESC, place DESC",
    )?;
    let rows =
        statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
    rows.map(|row| {
        let (json, bytes) = row?;
        let (scale, values) = bytes.split_at(bytes.len().min(4));
        let scale = scale.try_into().map_or(0.0, f32::from_le_bytes);
        let values = values.iter().map(|byte| byte.cast_signed()).collect();
        Ok(Experience { item: parsed(&json)?, vector: Packed { scale, values } })
    })
    .collect()
}

/// Returns the records that were first seen after a place in the log, in that order.
pub(super) fn records_after(
    connection: &Connection,
    place: i64,
    limit: usize,
) -> Result<Vec<(i64, Item)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, item.data FROM event JOIN item ON item.id = event.id \
         WHERE seq > ? ORDER BY seq LIMIT ?",
    )?;
    let rows = statement
        .query_map(params![place, limit], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    rows.map(|row| {
        let (seq, json) = row?;
        Ok((seq, parsed(&json)?))
    })
    .collect()
}

pub(super) fn sessions(
    connection: &Connection,
    view: &View,
) -> Result<Vec<(String, Timestamp, Timestamp)>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT number, name FROM session")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(answer::sessions(view, rows.collect::<Result<Vec<_>, _>>()?))
}

fn sum_of_uses(connection: &Connection) -> Result<usize, StoreError> {
    let sql = "SELECT coalesce(sum(uses), 0) FROM access";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Returns how many bytes the vectors of a model take.
pub(super) fn vector_bytes(connection: &Connection, model: i64) -> Result<u64, StoreError> {
    Ok(connection
        .prepare_cached(
            "SELECT (SELECT coalesce(sum(length(data)), 0) FROM segment_vectors WHERE model = ?1) \
             + (SELECT coalesce(sum(length(vectors)), 0) FROM tail WHERE model = ?1)",
        )?
        .query_row([model], |row| row.get(0))?)
}

pub(super) fn counts(
    connection: &Connection,
    view: &View,
    path: Option<&Path>,
) -> Result<Counts, StoreError> {
    let count = |table: &str| -> Result<usize, StoreError> {
        let sql = format!("SELECT count(*) FROM {table}");
        Ok(connection.prepare_cached(&sql)?.query_row([], |row| row.get(0))?)
    };
    let bytes = path.and_then(|path| path.metadata().ok()).map_or(0, |metadata| metadata.len());
    Ok(Counts {
        items: count("item")?,
        events: count("event")?,
        entities: count("(SELECT DISTINCT entity FROM mention)")?,
        sessions: sessions(connection, view)?.len(),
        embedded: view.embedded,
        precision: view.widths,
        vector_bytes: vector_bytes(connection, view.model)?,
        accesses: sum_of_uses(connection)?,
        segments: view.segments.len() - 1,
        tail: view.tail.len(),
        bytes,
    })
}

pub(super) fn without_vector(
    connection: &Connection,
    view: &View,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut ids = Vec::new();
    for doc in answer::without_vector(view) {
        if ids.len() == limit {
            break;
        }
        ids.extend(id_of(connection, doc)?);
    }
    Ok(ids)
}

/// Calls `each` with the living vectors, in order of document.
pub(super) fn vectors(
    connection: &Connection,
    view: &View,
    each: &mut dyn FnMut(&str, Stored) -> bool,
) -> Result<(), StoreError> {
    for (doc, at, place) in answer::living_vectors(view) {
        let stored = view.segments[at].vectors.stored(place, view.calibration.as_ref());
        if let (Some(id), Some(stored)) = (id_of(connection, doc)?, stored)
            && !each(&id, stored)
        {
            break;
        }
    }
    Ok(())
}
