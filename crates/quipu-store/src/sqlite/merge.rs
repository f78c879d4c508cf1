//! Tails that become segments, and segments that become one.

use std::collections::{BTreeMap, HashSet};

use quipu_core::vector::Width;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator as _;
use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::index::{
    Meta, Place, Segment, TailRow, Vectors, decode_postings, encode_postings, should_merge,
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
pub(super) fn seal(connection: &Connection, mut rows: Vec<TailRow>) -> Result<(), StoreError> {
    let dead = dead(connection)?;
    let gone: Vec<u32> =
        rows.iter().map(|row| row.meta.doc).filter(|doc| dead.contains(doc)).collect();
    rows.retain(|row| !dead.contains(&row.meta.doc));
    forget_dead(connection, &gone)?;
    rows.sort_by_key(|row| row.meta.order());
    let mut postings: BTreeMap<i64, Vec<(u32, u32)>> = BTreeMap::new();
    let mut vectors: BTreeMap<i64, Vectors> = BTreeMap::new();
    let dims = dims(connection)?;
    for (ordinal, row) in (0_u32..).zip(&rows) {
        for (term, count) in &row.terms {
            postings.entry(term.cast_signed()).or_default().push((ordinal, *count));
        }
        if let Some(dims) = dims.get(&row.model) {
            let vectors = vectors.entry(row.model).or_insert_with(|| Vectors::new(*dims));
            row.each_vector(*dims, |scale, values| vectors.push_full(ordinal, scale, values));
        }
    }
    let metas: Vec<Meta> = rows.iter().map(|row| row.meta).collect();
    let number = next_segment(connection)?;
    write_segment(connection, number, &metas, &vectors)?;
    for (term, list) in postings {
        push_posting(connection, number, term, &encode_postings(&list))?;
    }
    while let Some((a, b)) = worth_merging(connection)? {
        merge(connection, a, b)?;
    }
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

/// One of the segments that are being merged.
struct Part {
    number: i64,
    metas: Vec<Meta>,
    /// The new ordinal of each document; none for the dead.
    moved: Vec<Option<u32>>,
}

/// Makes one segment of two, or of one alone, without the dead.
fn merge(connection: &Connection, a: i64, b: i64) -> Result<(), StoreError> {
    let dead = dead(connection)?;
    let mut parts = Vec::new();
    let mut gone = Vec::new();
    for number in if a == b { vec![a] } else { vec![a, b] } {
        let metas = read_metas(connection, number)?;
        gone.extend(metas.iter().map(|meta| meta.doc).filter(|doc| dead.contains(doc)));
        let moved = vec![None; metas.len()];
        parts.push(Part { number, metas, moved });
    }
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (part, Part { metas, .. }) in parts.iter().enumerate() {
        let lives = |at: &usize| !dead.contains(&metas[*at].doc);
        order.extend((0..metas.len()).filter(lives).map(|at| (part, at)));
    }
    order.sort_by_key(|(part, at)| parts[*part].metas[*at].order());
    let mut metas = Vec::with_capacity(order.len());
    for (ordinal, (part, at)) in (0_u32..).zip(&order) {
        metas.push(parts[*part].metas[*at]);
        parts[*part].moved[*at] = Some(ordinal);
    }
    let number = next_segment(connection)?;
    let vectors = merged_vectors(connection, &parts)?;
    write_segment(connection, number, &metas, &vectors)?;
    merge_postings(connection, &parts, number)?;
    for part in &parts {
        for table in ["posting", "segment_vectors"] {
            connection
                .prepare_cached(&format!("DELETE FROM {table} WHERE segment = ?"))?
                .execute([part.number])?;
        }
        connection
            .prepare_cached("DELETE FROM segment WHERE number = ?")?
            .execute([part.number])?;
    }
    forget_dead(connection, &gone)
}

fn merged_vectors(
    connection: &Connection,
    parts: &[Part],
) -> Result<BTreeMap<i64, Vectors>, StoreError> {
    let mut result = BTreeMap::new();
    for (model, dims) in dims(connection)? {
        let mut all: Vec<Vectors> = Vec::new();
        let mut order: Vec<(u32, usize, Place)> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let vectors = read_vectors(connection, part.number, (model, dims), part.metas.len())?;
            let moved = vectors.rows().filter_map(|(owner, place)| {
                let ordinal = part.moved.get(owner as usize).copied().flatten()?;
                Some((ordinal, at, place))
            });
            order.extend(moved);
            all.push(vectors);
        }
        if order.is_empty() {
            continue;
        }
        order.sort_unstable();
        let mut merged = Vectors::new(dims);
        for (ordinal, part, place) in order {
            merged.push_from(ordinal, &all[part], place);
        }
        result.insert(model, merged);
    }
    Ok(result)
}

/// Walks the postings of all parts in order of term.
fn merge_postings(connection: &Connection, parts: &[Part], number: i64) -> Result<(), StoreError> {
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
                decode_postings(row.get_ref(1)?.as_blob().unwrap_or_default(), |at, count| {
                    if let Some(ordinal) = part.moved.get(at as usize).copied().flatten() {
                        list.push((ordinal, count));
                    }
                });
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
