//! Carrying out a batch inside a transaction, with as many statements for a thousand items as for one.

use std::collections::{BTreeMap, HashMap};

use quipu_core::entity::EntityKind;
use quipu_core::item::{Filed, Sensitivity};

use super::link::{At, random};
use super::loading::{doc, size};
use super::segments;
use crate::error::StoreError;
use crate::index::{LONGEST_TAIL, TailRow, encode_terms, tail_row};
use crate::{Batch, EXPERIENCES_PLACE, NewExperience, Put};

/// Carries out a batch.
pub(super) fn apply(at: &mut At<'_>, batch: &Batch) -> Result<(), StoreError> {
    let space = at.space;
    let row = at.wire.row("SELECT next_doc, tail FROM space WHERE space = $1", &[&space])?;
    let (mut next_doc, mut tail) = (doc(row.get(0)), size(row.get(1)));
    if !batch.forget.is_empty() {
        let sql = "DELETE FROM event WHERE space = $1 AND id = ANY($2)";
        at.wire.run(sql, &[&space, &batch.forget])?;
        // A place that is free again is looked at again.
        at.wire.run(
            "UPDATE note SET value = least(value::bigint, \
             (SELECT coalesce(max(seq), 0) FROM event WHERE space = $1))::text \
             WHERE space = $1 AND key = $2",
            &[&space, &EXPERIENCES_PLACE],
        )?;
    }
    write_events(at, &batch.events)?;
    let removed: Vec<&str> = batch.remove.iter().map(String::as_str).collect();
    remove(at, &removed)?;
    let model = model(at, batch)?;
    let rows = insert(at, &batch.put, model, &mut next_doc)?;
    write_sources(at, &batch.sources)?;
    if tail + rows.len() > LONGEST_TAIL {
        let mut all = segments::take_tail(at)?;
        all.extend(rows);
        segments::seal(at, all)?;
        tail = 0;
    } else {
        tail += rows.len();
        push_tail(at, &rows)?;
    }
    let (next_doc, tail) = (i64::from(next_doc), i64::try_from(tail).unwrap_or(0));
    let sql = "UPDATE space SET next_doc = $2, tail = $3 WHERE space = $1";
    at.wire.run(sql, &[&space, &next_doc, &tail])?;
    let ids: Vec<&str> = batch.events.iter().map(|filed| &*filed.event.id).collect();
    at.state.advance(&ids);
    Ok(())
}

fn write_events(at: &mut At<'_>, events: &[Filed]) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    // One statement may not change a row twice: the last of the same id counts, in the place of the first.
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut last: Vec<&Filed> = Vec::with_capacity(events.len());
    for filed in events {
        if let Some(place) = places.get(&*filed.event.id) {
            last[*place] = filed;
        } else {
            places.insert(&filed.event.id, last.len());
            last.push(filed);
        }
    }
    let count = i64::try_from(last.len()).unwrap_or(0);
    let sql = "UPDATE space SET next_seq = next_seq + $2 WHERE space = $1 RETURNING next_seq - $2";
    let first: i64 = at.wire.row(sql, &[&at.space, &count])?.get(0);
    let seqs: Vec<i64> = (first..first + count).collect();
    let ids: Vec<&str> = last.iter().map(|filed| &*filed.event.id).collect();
    let items: Vec<&str> = last.iter().map(|filed| &*filed.event.item).collect();
    let times: Vec<i64> = last.iter().map(|filed| filed.event.at.as_millisecond()).collect();
    let paths: Vec<&str> = last.iter().map(|filed| &*filed.path).collect();
    let offsets = last.iter().map(|filed| i64::try_from(filed.offset).unwrap_or(0));
    let offsets: Vec<i64> = offsets.collect();
    let data = last.iter().map(|filed| json(&filed.event)).collect::<Result<Vec<_>, _>>()?;
    at.wire.run(
        "INSERT INTO event (space, seq, id, item, at, path, place, data) \
         SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], \
         $7::bigint[], $8::text[]) \
         ON CONFLICT (space, id) DO UPDATE SET item = excluded.item, at = excluded.at, \
         path = excluded.path, place = excluded.place, data = excluded.data",
        &[&at.space, &seqs, &ids, &items, &times, &paths, &offsets, &data],
    )?;
    Ok(())
}

fn write_sources(at: &mut At<'_>, sources: &[(String, Option<String>)]) -> Result<(), StoreError> {
    if sources.is_empty() {
        return Ok(());
    }
    // The last word on a path counts.
    let last: BTreeMap<&str, Option<&str>> =
        sources.iter().map(|(path, stamp)| (&**path, stamp.as_deref())).collect();
    let gone: Vec<&str> = last.iter().filter(|it| it.1.is_none()).map(|it| *it.0).collect();
    let sql = "DELETE FROM source WHERE space = $1 AND path = ANY($2)";
    at.wire.run(sql, &[&at.space, &gone])?;
    let (paths, stamps): (Vec<&str>, Vec<&str>) =
        last.into_iter().filter_map(|(path, stamp)| Some((path, stamp?))).unzip();
    at.wire.run(
        "INSERT INTO source (space, path, stamp) \
         SELECT $1, * FROM unnest($2::text[], $3::text[]) \
         ON CONFLICT (space, path) DO UPDATE SET stamp = excluded.stamp",
        &[&at.space, &paths, &stamps],
    )?;
    Ok(())
}

/// Takes items out; their numbers in the index are dead from now on. Returns the position of each.
fn remove(at: &mut At<'_>, ids: &[&str]) -> Result<HashMap<String, u32>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "DELETE FROM item WHERE space = $1 AND id = ANY($2) RETURNING id, doc, position";
    let rows = at.wire.rows(sql, &[&at.space, &ids])?;
    let docs: Vec<i64> = rows.iter().map(|row| row.get(1)).collect();
    if !docs.is_empty() {
        for sql in [
            "INSERT INTO dead (space, doc) SELECT $1, * FROM unnest($2::bigint[]) \
             ON CONFLICT DO NOTHING",
            "DELETE FROM mention WHERE space = $1 AND doc = ANY($2)",
        ] {
            at.wire.run(sql, &[&at.space, &docs])?;
        }
    }
    Ok(rows.iter().map(|row| (row.get(0), doc(row.get(2)))).collect())
}

fn insert(
    at: &mut At<'_>,
    puts: &[Put],
    model: i64,
    next_doc: &mut u32,
) -> Result<Vec<TailRow>, StoreError> {
    if puts.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = puts.iter().map(|put| &*put.item.id).collect();
    let mut positions = remove(at, &ids)?;
    let last: HashMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let names: Vec<&str> = puts.iter().filter_map(|put| put.item.session.as_deref()).collect();
    let sessions = session_numbers(at, &names)?;
    let entities = entity_numbers(at, puts)?;
    let mut rows = Vec::with_capacity(puts.len());
    let mut mentions: (Vec<i64>, Vec<i64>) = Default::default();
    let mut docs: Vec<i64> = Vec::new();
    let (mut paths, mut places, mut public) = (Vec::new(), Vec::new(), Vec::new());
    let (mut data, mut bases, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for (index, put) in puts.iter().enumerate() {
        let item = &put.item;
        let number = *next_doc;
        *next_doc += 1;
        let position = put.position.or(positions.get(&item.id).copied()).unwrap_or(number);
        positions.insert(item.id.clone(), position);
        // Of the same id twice only the last is there.
        if last.get(&*item.id) != Some(&index) {
            continue;
        }
        let session = item.session.as_deref().and_then(|name| sessions.get(name)).copied();
        rows.push(tail_row(put, number, session.unwrap_or(0), position, model));
        for entity in &put.entities {
            mentions.0.extend(entities.get(&*entity.name));
            mentions.1.push(i64::from(number));
        }
        docs.push(i64::from(number));
        kept.push(&*item.id);
        paths.push(item.place.as_ref().map(|place| &*place.path));
        places.push(i64::from(position));
        public.push(item.sensitivity == Sensitivity::Public);
        data.push(json(item)?);
        bases.push(put.base.as_ref().map(json).transpose()?);
    }
    at.wire.run(
        "INSERT INTO item (space, doc, id, path, position, is_public, data, base) \
         SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::boolean[], \
         $7::text[], $8::text[])",
        &[&at.space, &docs, &kept, &paths, &places, &public, &data, &bases],
    )?;
    if !mentions.0.is_empty() {
        at.wire.run(
            "INSERT INTO mention (space, entity, doc) \
             SELECT $1, * FROM unnest($2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING",
            &[&at.space, &mentions.0, &mentions.1],
        )?;
    }
    Ok(rows)
}

/// Returns the numbers of sessions; those that are new get the next ones, in the order of their names here.
fn session_numbers(at: &mut At<'_>, names: &[&str]) -> Result<HashMap<String, i64>, StoreError> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "SELECT name, number FROM session WHERE space = $1 AND name = ANY($2)";
    let rows = at.wire.rows(sql, &[&at.space, &names])?;
    let mut known: HashMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let mut new: Vec<&str> = Vec::new();
    for name in names {
        if !known.contains_key(*name) && !new.contains(name) {
            new.push(name);
        }
    }
    if new.is_empty() {
        return Ok(known);
    }
    let count = i64::try_from(new.len()).unwrap_or(0);
    let sql = "UPDATE space SET next_session = next_session + $2 WHERE space = $1 \
               RETURNING next_session - $2";
    let first: i64 = at.wire.row(sql, &[&at.space, &count])?.get(0);
    let numbers: Vec<i64> = (first..first + count).collect();
    at.wire.run(
        "INSERT INTO session (space, name, number) \
         SELECT $1, * FROM unnest($2::text[], $3::bigint[])",
        &[&at.space, &new, &numbers],
    )?;
    known.extend(new.into_iter().map(str::to_owned).zip(numbers));
    Ok(known)
}

/// Returns the numbers of entities, and notes which kind each is.
fn entity_numbers(at: &mut At<'_>, puts: &[Put]) -> Result<HashMap<String, i64>, StoreError> {
    let all = || puts.iter().flat_map(|put| &put.entities);
    let names: Vec<&str> = all().map(|entity| &*entity.name).collect();
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "SELECT name, number FROM entity WHERE space = $1 AND name = ANY($2)";
    let rows = at.wire.rows(sql, &[&at.space, &names])?;
    let mut known: HashMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let mut new: BTreeMap<&str, &str> = BTreeMap::new();
    for entity in all().filter(|entity| !known.contains_key(&entity.name)) {
        new.entry(&entity.name).or_insert_with(|| entity.kind.as_str());
    }
    if !new.is_empty() {
        let count = i64::try_from(new.len()).unwrap_or(0);
        let sql = "UPDATE space SET next_entity = next_entity + $2 WHERE space = $1 \
                   RETURNING next_entity - $2";
        let first: i64 = at.wire.row(sql, &[&at.space, &count])?.get(0);
        let numbers: Vec<i64> = (first..first + count).collect();
        let (names, kinds): (Vec<&str>, Vec<&str>) = new.into_iter().unzip();
        let lowered: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        at.wire.run(
            "INSERT INTO entity (space, name, number, kind, lowered) \
             SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[])",
            &[&at.space, &names, &numbers, &kinds, &lowered],
        )?;
        known.extend(names.into_iter().map(str::to_owned).zip(numbers));
    }
    // Used as a name once, a word that only began sentences is one everywhere.
    let proper = all().filter(|entity| entity.kind == EntityKind::Name);
    let proper: Vec<&str> = proper.map(|entity| &*entity.name).collect();
    if !proper.is_empty() {
        at.wire.run(
            "UPDATE entity SET kind = 'name' \
             WHERE space = $1 AND name = ANY($2) AND kind IN ('word', 'term')",
            &[&at.space, &proper],
        )?;
    }
    Ok(known)
}

fn push_tail(at: &mut At<'_>, rows: &[TailRow]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let docs: Vec<i64> = rows.iter().map(|row| i64::from(row.meta.doc)).collect();
    let marks: Vec<i64> = rows.iter().map(|_| random()).collect();
    let meta = |row: &TailRow| {
        let mut bytes = Vec::new();
        row.meta.encode(&mut bytes);
        bytes
    };
    let metas: Vec<Vec<u8>> = rows.iter().map(meta).collect();
    let terms: Vec<Vec<u8>> = rows.iter().map(|row| encode_terms(&row.terms)).collect();
    let models: Vec<i64> = rows.iter().map(|row| row.model).collect();
    let vectors: Vec<&[u8]> = rows.iter().map(|row| row.vectors.as_slice()).collect();
    at.wire.run(
        "INSERT INTO tail (space, doc, mark, meta, terms, model, vectors) \
         SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], \
         $6::bigint[], $7::bytea[])",
        &[&at.space, &docs, &marks, &metas, &terms, &models, &vectors],
    )?;
    Ok(())
}

fn model(at: &mut At<'_>, batch: &Batch) -> Result<i64, StoreError> {
    let Some(vector) = batch.put.iter().find_map(|put| put.vectors.first()) else { return Ok(0) };
    let dims = i64::try_from(vector.values.len()).unwrap_or(0);
    let sql = "SELECT number, dims FROM model WHERE space = $1 AND name = $2";
    let Some(row) = at.wire.row_if_any(sql, &[&at.space, &batch.model])? else {
        let sql = "UPDATE space SET next_model = next_model + 1 WHERE space = $1 \
                   RETURNING next_model - 1";
        let number: i64 = at.wire.row(sql, &[&at.space])?.get(0);
        at.wire.run(
            "INSERT INTO model (space, name, number, dims) VALUES ($1, $2, $3, $4)",
            &[&at.space, &batch.model, &number, &dims],
        )?;
        return Ok(number);
    };
    let (number, known): (i64, i64) = (row.get(0), row.get(1));
    if known != dims {
        // A server serves another model by the same name: its old vectors mean nothing now.
        for sql in [
            "DELETE FROM segment_part WHERE space = $1 AND kind = 1 AND model = $2",
            "UPDATE tail SET model = 0, vectors = '', mark = mark + 1 WHERE space = $1 AND model = $2",
        ] {
            at.wire.run(sql, &[&at.space, &number])?;
        }
        at.wire.run(
            "UPDATE model SET dims = $3, calibration = NULL WHERE space = $1 AND number = $2",
            &[&at.space, &number, &dims],
        )?;
        at.wire.run("UPDATE segment SET mark = mark + 1 WHERE space = $1", &[&at.space])?;
    }
    Ok(number)
}

/// Removes an item, and names that nothing else mentions. Events follow the files.
pub(super) fn purge(at: &mut At<'_>, id: &str) -> Result<(), StoreError> {
    remove(at, &[id])?;
    // Names may be the very words that must go.
    at.wire.run(
        "DELETE FROM entity WHERE space = $1 \
         AND number NOT IN (SELECT entity FROM mention WHERE space = $1)",
        &[&at.space],
    )?;
    at.state.advance(&[]);
    Ok(())
}

/// Adds experiences, forgets the oldest beyond `most`, and notes how far that goes.
pub(super) fn add_experiences(
    at: &mut At<'_>,
    new: &[NewExperience],
    most: usize,
    notes: &[(&str, String)],
) -> Result<(), StoreError> {
    for one in new {
        let mut bytes = one.vector.scale.to_le_bytes().to_vec();
        bytes.extend(one.vector.values.iter().map(|value| value.cast_unsigned()));
        at.wire.run(
            "INSERT INTO experience (space, item, at, place, vector) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (space, item) DO UPDATE \
             SET at = excluded.at, place = excluded.place, vector = excluded.vector",
            &[&at.space, &one.id, &one.at.as_millisecond(), &one.place, &bytes],
        )?;
    }
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    // Public ones are counted by themselves, so that private ones never push one out.
    at.wire.run(
        "DELETE FROM experience WHERE space = $1 AND item NOT IN \
         (SELECT item FROM experience WHERE space = $1 ORDER BY at DESC, place DESC LIMIT $2) \
         AND item NOT IN \
         (SELECT e.item FROM experience AS e JOIN item AS i ON i.space = $1 AND i.id = e.item \
          WHERE e.space = $1 AND i.is_public ORDER BY e.at DESC, e.place DESC LIMIT $2)",
        &[&at.space, &most],
    )?;
    for (key, value) in notes {
        at.wire.run(
            "INSERT INTO note (space, key, value) VALUES ($1, $2, $3) \
             ON CONFLICT (space, key) DO UPDATE SET value = excluded.value",
            &[&at.space, key, value],
        )?;
    }
    at.state.advance(&[]);
    Ok(())
}

/// Old uses are told apart by 30 days.
const USES_TOGETHER: i64 = 30 * 24 * 60 * 60;

/// Puts old uses of an item together, at their mean time. Its last use stays as it is.
pub(super) fn fold_accesses(at: &mut At<'_>, before: i64) -> Result<usize, StoreError> {
    let rows = at.wire.rows(
        "SELECT item, trunc(sum(at * uses) / sum(uses))::bigint, sum(uses)::bigint, count(*) \
         FROM access AS old WHERE space = $1 AND at < $2 \
         AND at < (SELECT max(at) FROM access AS last WHERE last.space = $1 AND last.item = old.item) \
         GROUP BY item, at / $3",
        &[&at.space, &before, &USES_TOGETHER],
    )?;
    at.wire.run(
        "DELETE FROM access AS old WHERE space = $1 AND at < $2 \
         AND at < (SELECT max(at) FROM access AS last WHERE last.space = $1 AND last.item = old.item)",
        &[&at.space, &before],
    )?;
    let items: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    let times: Vec<i64> = rows.iter().map(|row| row.get(1)).collect();
    let uses: Vec<i64> = rows.iter().map(|row| row.get(2)).collect();
    at.wire.run(
        "INSERT INTO access (space, item, at, uses) \
         SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[])",
        &[&at.space, &items, &times, &uses],
    )?;
    at.state.is_own = true;
    Ok(rows.iter().map(|row| size(row.get::<_, i64>(3) - 1)).sum())
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::BadRow { what: error.to_string() })
}
