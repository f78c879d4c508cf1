//! Vectors that become narrower or wider, a segment at a time.
//!
//! What is costly happens before a segment's transaction begins, so that other writers hardly wait.
//! Where somebody else was faster, the segment is looked at again.

use std::collections::HashSet;

use quipu_core::vector::{Calibration, Width};

use super::link::{At, Link, random};
use super::loading::{self, size};
use super::read;
use super::segments;
use crate::error::StoreError;
use crate::index::{NarrowingPlan, sampled, widths};
use crate::{Compressed, Precision};

/// A segment as it was found.
struct Found {
    number: i64,
    mark: i64,
    docs: usize,
}

/// Keeps the vectors of a model as exactly as `precision` says.
pub(super) fn compress(
    link: &Link,
    name: &str,
    precision: &mut dyn Precision,
) -> Result<Compressed, StoreError> {
    let (of, bytes_before, tail) = link.read(|at| {
        let of = loading::model(at.wire, at.space, name)?;
        let sql = "SELECT i.id FROM tail AS t JOIN item AS i ON i.space = $1 AND i.doc = t.doc \
                   WHERE t.space = $1 AND t.model = $2";
        let rows = at.wire.rows(sql, &[&at.space, &of.0])?;
        let ids: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        Ok((of, read::vector_bytes(at, of.0)?, ids))
    })?;
    let fading = tail.iter().filter(|id| precision.width(id) < Width::Eight).count();
    let only_looks = precision.only_looks();
    if fading > 0 && !only_looks {
        link.write(segments::seal_tail)?;
    }
    let mut result = Compressed { bytes_before, ..Compressed::default() };
    result.narrowed = if only_looks { fading } else { 0 };
    let mut calibration = None;
    let total = link.read(found)?.iter().map(|segment| segment.docs).sum();
    let mut visited = HashSet::new();
    let mut done = 0;
    while let Some(segment) = link.read(found)?.into_iter().find(|it| !visited.contains(&it.number))
    {
        let Some(plan) = plan(link, &segment, of, precision)? else { continue };
        if !only_looks
            && !plan.changes.is_empty()
            && !rewrite(link, &segment, of, &plan, &mut calibration)?
        {
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
    link.read(|at| {
        result.bytes_after = read::vector_bytes(at, of.0)?;
        result.precision = loading::view_of(at, link.database.views(), Some(name))?.view.widths;
        Ok(result)
    })
}

fn found(at: &mut At<'_>) -> Result<Vec<Found>, StoreError> {
    let sql = "SELECT number, mark, docs FROM segment WHERE space = $1 ORDER BY number";
    let rows = at.wire.rows(sql, &[&at.space])?;
    let found = |row: &postgres::Row| Found {
        number: row.get(0),
        mark: row.get(1),
        docs: size(row.get(2)),
    };
    Ok(rows.iter().map(found).collect())
}

fn is_same(at: &mut At<'_>, segment: &Found) -> Result<bool, StoreError> {
    let sql = "SELECT mark FROM segment WHERE space = $1 AND number = $2";
    let row = at.wire.row_if_any(sql, &[&at.space, &segment.number])?;
    Ok(row.is_some_and(|row| row.get::<_, i64>(0) == segment.mark))
}

/// Finds out what should change in a segment; nothing where it is no longer there.
fn plan(
    link: &Link,
    segment: &Found,
    of: (i64, usize),
    precision: &mut dyn Precision,
) -> Result<Option<NarrowingPlan>, StoreError> {
    let read = link.read(|at| {
        if !is_same(at, segment)? {
            return Ok(None);
        }
        let metas = loading::metas(at.wire, at.space, segment.number)?;
        let vectors = loading::vectors(at.wire, at.space, segment.number, of, metas.len())?;
        let widths = widths(&vectors);
        let docs: Vec<u32> = widths.keys().map(|owner| metas[*owner as usize].doc).collect();
        let ids = read::ids_of(at, &docs)?.into_iter().zip(widths);
        let owners = ids.map(|(id, (owner, width))| (owner, width, id)).collect();
        Ok(Some((vectors, owners)))
    })?;
    // A model may take its time, and nobody should wait for it.
    Ok(read.map(|(vectors, owners)| NarrowingPlan::new(vectors, of.1, owners, precision)))
}

/// Carries out a plan; tells whether the segment was still as it was.
fn rewrite(
    link: &Link,
    segment: &Found,
    (model, dims): (i64, usize),
    plan: &NarrowingPlan,
    known: &mut Option<Calibration>,
) -> Result<bool, StoreError> {
    let calibration = match known.take() {
        Some(calibration) => calibration,
        None => calibrate(link, model, dims)?,
    };
    let vectors = plan.rewritten(&calibration);
    let written = link.write(|at| {
        if !is_same(at, segment)?
            || loading::calibration(at.wire, at.space, model, dims)? != calibration
        {
            return Ok(false);
        }
        let sql = "DELETE FROM segment_part \
                   WHERE space = $1 AND segment = $2 AND kind = 1 AND model = $3";
        at.wire.run(sql, &[&at.space, &segment.number, &model])?;
        segments::write_vectors(at.wire, (at.space, segment.number), model, &vectors)?;
        let sql = "UPDATE segment SET mark = $3 WHERE space = $1 AND number = $2";
        at.wire.run(sql, &[&at.space, &segment.number, &random()])?;
        at.state.advance(&[]);
        Ok(true)
    })?;
    if written {
        *known = Some(calibration);
    }
    Ok(written)
}

/// Returns the calibration that narrow vectors have; makes one while there are none.
fn calibrate(link: &Link, model: i64, dims: usize) -> Result<Calibration, StoreError> {
    let views = link.database.views();
    link.write(|at| {
        let sql = "SELECT EXISTS (SELECT 1 FROM segment_part \
                   WHERE space = $1 AND kind = 1 AND model = $2 AND bits < 8)";
        if at.wire.row(sql, &[&at.space, &model])?.get(0) {
            return loading::calibration(at.wire, at.space, model, dims);
        }
        let made = sampled(&loading::view(at, views, (model, dims))?.view, dims);
        let sql = "UPDATE model SET calibration = $3 WHERE space = $1 AND number = $2";
        at.wire.run(sql, &[&at.space, &model, &made.encode()])?;
        at.state.is_own = true;
        Ok(made)
    })
}
