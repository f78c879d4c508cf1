//! Tails that become segments, and segments that become one.

use std::collections::{BTreeMap, HashSet};

use quipu_core::vector::Width;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator as _;
use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::index::{
    MergePart, MergePlan, Meta, Segment, TailRow, Vectors, encode_postings, merge_plan, sealed,
    should_merge,
};

/// How many vectors a row holds.
const CHUNK: usize = 4096;

/// Reads a row of the tail.
pub(super) fn tail_row(row: &Row<'_>) -> Result<TailRow, StoreError> {
    let blob = |at: usize| Ok::<_, StoreError>(row.get_ref(at)?.as_blob().unwrap_or_default());
    TailRow::new(blob(0)?, blob(1)?, row.get(2)?, blob(3)?.to_vec())
        .ok_or_else(|| StoreError::BadRow { what: "a document of the tail".to_owned() })
}

/// Empties the tail and returns what was in it.
pub(super) fn take_tail(connection: &Connection) -> Result<Vec<TailRow>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT meta, terms, model, vectors FROM tail ORDER BY doc")?;
    let mut rows = statement.query([])?;
    let mut tail = Vec::new();
    while let Some(row) = rows.next()? {
        tail.push(tail_row(row)?);
    }
    connection.execute("DELETE FROM tail", [])?;
    Ok(tail)
}

/// Turns documents into a segment, and merges segments of its size.
pub(super) fn seal(connection: &Connection, rows: Vec<TailRow>) -> Result<(), StoreError> {
    let sealed = sealed(rows, &dead(connection)?, &dims(connection)?);
    forget_dead(connection, &sealed.gone)?;
    let number = next_segment(connection)?;
    write_segment(connection, number, &sealed.metas, &sealed.vectors)?;
    for (term, bytes) in &sealed.postings {
        push_posting(connection, number, *term, bytes)?;
    }
    while let Some((a, b)) = worth_merging(connection)? {
        merge(connection, a, b)?;
    }
    give_back_pages(connection)
}

/// Makes the file smaller by the pages that merges left; nothing in a database of an older version, whose pages
/// are used again.
fn give_back_pages(connection: &Connection) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// Makes one segment of everything, without the dead.
pub(super) fn merge_all(connection: &Connection) -> Result<(), StoreError> {
    let tail = take_tail(connection)?;
    seal(connection, tail)?;
    connection.execute("UPDATE counter SET tail = 0, generation = generation + 1", [])?;
    loop {
        let numbers = numbers(connection)?;
        match numbers[..] {
            [] => return Ok(()),
            // A segment alone may hold dead documents: merging it with nothing drops them.
            [(only, _)] => return merge(connection, only, only),
            [.., (a, _), (b, _)] => merge(connection, a, b)?,
        }
    }
}

fn numbers(connection: &Connection) -> Result<Vec<(i64, usize)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT number, docs FROM segment ORDER BY number")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn worth_merging(connection: &Connection) -> Result<Option<(i64, i64)>, StoreError> {
    let numbers = numbers(connection)?;
    let sizes: Vec<usize> = numbers.iter().map(|(_, docs)| *docs).collect();
    Ok(match numbers[..] {
        [.., (a, _), (b, _)] if should_merge(&sizes) => Some((a, b)),
        _ => None,
    })
}

fn dead(connection: &Connection) -> Result<HashSet<u32>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT doc FROM dead")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn forget_dead(connection: &Connection, docs: &[u32]) -> Result<(), StoreError> {
    for doc in docs {
        connection.prepare_cached("DELETE FROM dead WHERE doc = ?")?.execute([doc])?;
    }
    Ok(())
}

fn dims(connection: &Connection) -> Result<BTreeMap<i64, usize>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT number, dims FROM model")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn next_segment(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection
        .prepare_cached(
            "UPDATE counter SET next_segment = next_segment + 1 RETURNING next_segment - 1",
        )?
        .query_row([], |row| row.get(0))?)
}

fn write_segment(
    connection: &Connection,
    number: i64,
    metas: &[Meta],
    vectors: &BTreeMap<i64, Vectors>,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO segment (number, docs, metas) VALUES (?, ?, ?)")?
        .execute(params![number, metas.len(), Segment::encode_metas(metas)])?;
    for (model, vectors) in vectors {
        write_vectors(connection, number, *model, vectors)?;
    }
    Ok(())
}

/// Adds the vectors of a segment.
pub(super) fn write_vectors(
    connection: &Connection,
    segment: i64,
    model: i64,
    vectors: &Vectors,
) -> Result<(), StoreError> {
    for width in Width::ALL {
        let count = vectors.len_of(width);
        for (chunk, start) in (0..count).step_by(CHUNK).enumerate() {
            let bytes = vectors.encode(width, start..count.min(start + CHUNK));
            connection
                .prepare_cached(
                    "INSERT INTO segment_vectors (segment, model, bits, chunk, data) \
                     VALUES (?, ?, ?, ?, ?)",
                )?
                .execute(params![segment, model, width.bits(), chunk, bytes])?;
        }
    }
    Ok(())
}

/// Reads the documents of a segment.
pub(super) fn read_metas(connection: &Connection, segment: i64) -> Result<Vec<Meta>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT metas FROM segment WHERE number = ?")?
        .query_row([segment], |row| {
            Ok(Segment::decode_metas(row.get_ref(0)?.as_blob().unwrap_or_default()))
        })?)
}

/// Reads the vectors of a segment that has `docs` documents.
pub(super) fn read_vectors(
    connection: &Connection,
    segment: i64,
    (model, dims): (i64, usize),
    docs: usize,
) -> Result<Vectors, StoreError> {
    let bad = || StoreError::BadRow { what: format!("segment {segment}") };
    let mut vectors = Vectors::new(dims);
    let mut statement = connection.prepare_cached(
        "SELECT bits, sum(length(data)) FROM segment_vectors WHERE segment = ? AND model = ? \
         GROUP BY bits",
    )?;
    let mut rows = statement.query(params![segment, model])?;
    while let Some(row) = rows.next()? {
        vectors.reserve(Width::of_bits(row.get(0)?).ok_or_else(bad)?, row.get(1)?);
    }
    let mut statement = connection.prepare_cached(
        "SELECT bits, data FROM segment_vectors WHERE segment = ? AND model = ? \
         ORDER BY bits, chunk",
    )?;
    let mut rows = statement.query(params![segment, model])?;
    while let Some(row) = rows.next()? {
        let width = Width::of_bits(row.get(0)?).ok_or_else(bad)?;
        vectors.decode(width, row.get_ref(1)?.as_blob().unwrap_or_default());
    }
    if vectors.rows().any(|(owner, _)| owner as usize >= docs) {
        return Err(bad());
    }
    Ok(vectors)
}

fn push_posting(
    connection: &Connection,
    segment: i64,
    term: i64,
    bytes: &[u8],
) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT INTO posting (segment, term, data) VALUES (?, ?, ?)")?
        .execute(params![segment, term, bytes])?;
    Ok(())
}

/// Makes one segment of two, or of one alone, without the dead.
fn merge(connection: &Connection, a: i64, b: i64) -> Result<(), StoreError> {
    let dead = dead(connection)?;
    let mut segments = Vec::new();
    for number in if a == b { vec![a] } else { vec![a, b] } {
        segments.push((number, read_metas(connection, number)?));
    }
    let plan = merge_plan(segments, &dead);
    let number = next_segment(connection)?;
    let vectors = merged_vectors(connection, &plan)?;
    write_segment(connection, number, &plan.metas, &vectors)?;
    merge_postings(connection, &plan, number)?;
    for part in &plan.parts {
        for table in ["posting", "segment_vectors"] {
            connection
                .prepare_cached(&format!("DELETE FROM {table} WHERE segment = ?"))?
                .execute([part.number])?;
        }
        connection
            .prepare_cached("DELETE FROM segment WHERE number = ?")?
            .execute([part.number])?;
    }
    forget_dead(connection, &plan.gone)
}

fn merged_vectors(
    connection: &Connection,
    plan: &MergePlan,
) -> Result<BTreeMap<i64, Vectors>, StoreError> {
    let mut result = BTreeMap::new();
    for (model, dims) in dims(connection)? {
        let read = |part: &MergePart| {
            read_vectors(connection, part.number, (model, dims), part.metas.len())
        };
        let all = plan.parts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        result.extend(plan.vectors(&all, dims).map(|vectors| (model, vectors)));
    }
    Ok(result)
}

/// Walks the postings of all parts in order of term.
fn merge_postings(
    connection: &Connection,
    plan: &MergePlan,
    number: i64,
) -> Result<(), StoreError> {
    let parts = &plan.parts;
    let sql = "SELECT term, data FROM posting WHERE segment = ? ORDER BY term";
    let mut statements =
        parts.iter().map(|_| connection.prepare(sql)).collect::<Result<Vec<_>, _>>()?;
    let mut cursors = Vec::new();
    for (statement, part) in statements.iter_mut().zip(parts) {
        cursors.push((statement.query([part.number])?, part));
    }
    let mut heads: Vec<Option<i64>> = Vec::new();
    for (rows, _) in &mut cursors {
        heads.push(rows.next()?.map(|row| row.get(0)).transpose()?);
    }
    let mut list: Vec<(u32, u32)> = Vec::new();
    while let Some(term) = heads.iter().flatten().min().copied() {
        list.clear();
        for ((rows, part), head) in cursors.iter_mut().zip(&mut heads) {
            if *head != Some(term) {
                continue;
            }
            if let Some(row) = rows.get() {
                part.move_postings(row.get_ref(1)?.as_blob().unwrap_or_default(), &mut list);
            }
            *head = rows.next()?.map(|row| row.get(0)).transpose()?;
        }
        if !list.is_empty() {
            list.sort_unstable();
            push_posting(connection, number, term, &encode_postings(&list))?;
        }
    }
    Ok(())
}
