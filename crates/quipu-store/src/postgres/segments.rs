//! Tails that become segments, and segments that become one.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use quipu_core::vector::Width;

use super::connect::Wire;
use super::link::{At, random};
use super::loading::{self, kind, size};
use super::views::SegmentPostings;
use crate::error::StoreError;
use crate::index::{
    MergePart, Meta, Segment, TailRow, Vectors, encode_postings, merge_plan, sealed, should_merge,
};

/// How many bytes a row holds.
const PART: usize = 1 << 20;

/// How many vectors are encoded together; a row holds no fewer.
const CHUNK: usize = 4096;

/// Empties the tail and returns what was in it.
pub(super) fn take_tail(at: &mut At<'_>) -> Result<Vec<TailRow>, StoreError> {
    let sql = "SELECT meta, terms, model, vectors FROM tail WHERE space = $1 ORDER BY doc";
    let rows = at.wire.rows(sql, &[&at.space])?;
    at.wire.run("DELETE FROM tail WHERE space = $1", &[&at.space])?;
    rows.iter().map(loading::tail_row).collect()
}

/// Turns documents into a segment, and merges segments of its size.
pub(super) fn seal(at: &mut At<'_>, rows: Vec<TailRow>) -> Result<(), StoreError> {
    let sealed = sealed(rows, &dead(at)?, &dims(at)?);
    forget_dead(at, &sealed.gone)?;
    let postings = SegmentPostings::encode(
        sealed.postings.iter().map(|(term, list)| (term.cast_unsigned(), list.as_slice())),
    );
    write_segment(at, &sealed.metas, &sealed.vectors, &postings)?;
    while let Some((a, b)) = worth_merging(at)? {
        merge(at, a, b)?;
    }
    Ok(())
}

/// Makes a segment of the tail.
pub(super) fn seal_tail(at: &mut At<'_>) -> Result<(), StoreError> {
    let tail = take_tail(at)?;
    seal(at, tail)?;
    at.wire.run("UPDATE space SET tail = 0 WHERE space = $1", &[&at.space])?;
    at.state.advance(&[]);
    Ok(())
}

/// Makes one segment of everything, without the dead.
pub(super) fn merge_all(at: &mut At<'_>) -> Result<(), StoreError> {
    seal_tail(at)?;
    loop {
        let numbers = numbers(at)?;
        match numbers[..] {
            [] => return Ok(()),
            // A segment alone may hold dead documents: merging it with nothing drops them.
            [(only, _)] => return merge(at, only, only),
            [.., (a, _), (b, _)] => merge(at, a, b)?,
        }
    }
}

fn numbers(at: &mut At<'_>) -> Result<Vec<(i64, usize)>, StoreError> {
    let sql = "SELECT number, docs FROM segment WHERE space = $1 ORDER BY number";
    let rows = at.wire.rows(sql, &[&at.space])?;
    Ok(rows.iter().map(|row| (row.get(0), size(row.get(1)))).collect())
}

fn worth_merging(at: &mut At<'_>) -> Result<Option<(i64, i64)>, StoreError> {
    let numbers = numbers(at)?;
    let sizes: Vec<usize> = numbers.iter().map(|(_, docs)| *docs).collect();
    Ok(match numbers[..] {
        [.., (a, _), (b, _)] if should_merge(&sizes) => Some((a, b)),
        _ => None,
    })
}

fn dead(at: &mut At<'_>) -> Result<HashSet<u32>, StoreError> {
    let rows = at.wire.rows("SELECT doc FROM dead WHERE space = $1", &[&at.space])?;
    Ok(rows.iter().map(|row| loading::doc(row.get(0))).collect())
}

fn forget_dead(at: &mut At<'_>, docs: &[u32]) -> Result<(), StoreError> {
    let docs: Vec<i64> = docs.iter().copied().map(i64::from).collect();
    at.wire.run("DELETE FROM dead WHERE space = $1 AND doc = ANY($2)", &[&at.space, &docs])?;
    Ok(())
}

fn dims(at: &mut At<'_>) -> Result<BTreeMap<i64, usize>, StoreError> {
    let rows = at.wire.rows("SELECT number, dims FROM model WHERE space = $1", &[&at.space])?;
    Ok(rows.iter().map(|row| (row.get(0), size(row.get(1)))).collect())
}

fn write_segment(
    at: &mut At<'_>,
    metas: &[Meta],
    vectors: &BTreeMap<i64, Vectors>,
    postings: &[u8],
) -> Result<(), StoreError> {
    let sql = "UPDATE space SET next_segment = next_segment + 1 WHERE space = $1 \
               RETURNING next_segment - 1";
    let number: i64 = at.wire.row(sql, &[&at.space])?.get(0);
    let docs = i64::try_from(metas.len()).unwrap_or(0);
    at.wire.run(
        "INSERT INTO segment (space, number, mark, docs) VALUES ($1, $2, $3, $4)",
        &[&at.space, &number, &random(), &docs],
    )?;
    let of = (at.space, number);
    write_parts(at.wire, of, (kind::METAS, 0, 0), &Segment::encode_metas(metas))?;
    write_parts(at.wire, of, (kind::POSTINGS, 0, 0), postings)?;
    for (model, vectors) in vectors {
        write_vectors(at.wire, of, *model, vectors)?;
    }
    Ok(())
}

fn write_parts(
    wire: &mut Wire,
    (space, segment): (i64, i64),
    (kind, model, bits): (i64, i64, i64),
    bytes: &[u8],
) -> Result<(), StoreError> {
    for (part, bytes) in (0_i64..).zip(bytes.chunks(PART)) {
        write_part(wire, (space, segment), (kind, model, bits, part), bytes)?;
    }
    Ok(())
}

fn write_part(
    wire: &mut Wire,
    (space, segment): (i64, i64),
    (kind, model, bits, part): (i64, i64, i64, i64),
    bytes: &[u8],
) -> Result<(), StoreError> {
    wire.run(
        "INSERT INTO segment_part (space, segment, kind, model, bits, part, data) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[&space, &segment, &kind, &model, &bits, &part, &bytes],
    )?;
    Ok(())
}

/// Adds the vectors of a segment.
pub(super) fn write_vectors(
    wire: &mut Wire,
    of: (i64, i64),
    model: i64,
    vectors: &Vectors,
) -> Result<(), StoreError> {
    for width in Width::ALL {
        let count = vectors.len_of(width);
        for (part, start) in (0_i64..).zip((0..count).step_by(CHUNK)) {
            let bytes = vectors.encode(width, start..count.min(start + CHUNK));
            write_part(wire, of, (kind::VECTORS, model, i64::from(width.bits()), part), &bytes)?;
        }
    }
    Ok(())
}

/// Makes one segment of two, or of one alone, without the dead.
fn merge(at: &mut At<'_>, a: i64, b: i64) -> Result<(), StoreError> {
    let dead = dead(at)?;
    let mut segments = Vec::new();
    for number in if a == b { vec![a] } else { vec![a, b] } {
        segments.push((number, loading::metas(at.wire, at.space, number)?));
    }
    let plan = merge_plan(segments, &dead);
    let mut vectors = BTreeMap::new();
    for (model, dims) in dims(at)? {
        let mut all = Vec::new();
        for MergePart { number, metas, .. } in &plan.parts {
            let of = (model, dims);
            all.push(loading::vectors(at.wire, at.space, *number, of, metas.len())?);
        }
        vectors.extend(plan.vectors(&all, dims).map(|vectors| (model, vectors)));
    }
    let mut lists = Vec::new();
    for part in &plan.parts {
        lists.push(loading::read_postings(at.wire, at.space, part.number)?);
    }
    let terms: BTreeSet<u64> = lists.iter().flat_map(SegmentPostings::all).map(|it| it.0).collect();
    let mut merged = Vec::new();
    let mut list: Vec<(u32, u32)> = Vec::new();
    for term in terms {
        list.clear();
        for (part, lists) in plan.parts.iter().zip(&lists) {
            if let Some(bytes) = lists.get(term) {
                part.move_postings(bytes, &mut list);
            }
        }
        if !list.is_empty() {
            list.sort_unstable();
            merged.push((term, encode_postings(&list)));
        }
    }
    let postings =
        SegmentPostings::encode(merged.iter().map(|(term, list)| (*term, list.as_slice())));
    write_segment(at, &plan.metas, &vectors, &postings)?;
    let old: Vec<i64> = plan.parts.iter().map(|part| part.number).collect();
    for sql in [
        "DELETE FROM segment_part WHERE space = $1 AND segment = ANY($2)",
        "DELETE FROM segment WHERE space = $1 AND number = ANY($2)",
    ] {
        at.wire.run(sql, &[&at.space, &old])?;
    }
    forget_dead(at, &plan.gone)
}
