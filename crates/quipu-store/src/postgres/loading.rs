//! The index of a space from its rows: what is known from before is not read again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use quipu_core::terms::Term;
use quipu_core::vector::{Calibration, Width};

use super::connect::Wire;
use super::link::At;
use super::views::{SegmentPostings, SpaceView, Views};
use crate::error::StoreError;
use crate::index::{Meta, Postings, Segment, TailRow, Vectors, View};

/// What a part of a segment is.
pub(super) mod kind {
    pub(in super::super) const METAS: i64 = 0;
    pub(in super::super) const VECTORS: i64 = 1;
    pub(in super::super) const POSTINGS: i64 = 2;
}

/// Returns the number of a model, with how many numbers its vectors have.
pub(super) fn model(wire: &mut Wire, space: i64, name: &str) -> Result<(i64, usize), StoreError> {
    let sql = "SELECT number, dims FROM model WHERE space = $1 AND name = $2";
    let row = wire.row_if_any(sql, &[&space, &name])?;
    Ok(row.map_or((0, 1), |row| (row.get(0), size(row.get(1)))))
}

/// Returns whatever model a space was last asked with, or its newest.
fn any_model(at: &mut At<'_>, views: &Views) -> Result<(i64, usize), StoreError> {
    if let Some(known) = views.model(at.space) {
        return Ok(known);
    }
    let sql = "SELECT number, dims FROM model WHERE space = $1 ORDER BY number DESC LIMIT 1";
    let row = at.wire.row_if_any(sql, &[&at.space])?;
    Ok(row.map_or((0, 1), |row| (row.get(0), size(row.get(1)))))
}

/// Returns a number of rows or bytes.
pub(super) fn size(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// Returns the number of a document.
pub(super) fn doc(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// Returns the view of the state at hand.
pub(super) fn view(
    at: &mut At<'_>,
    views: &Views,
    (model, dims): (i64, usize),
) -> Result<Arc<SpaceView>, StoreError> {
    let known = views.last(at.space, model);
    let is_current = |known: &&Arc<SpaceView>| known.head == at.state.head;
    if let Some(current) = known.as_ref().filter(is_current) {
        return Ok(Arc::clone(current));
    }
    let same = known.as_deref().filter(|known| known.view.dims == dims);
    let view = Arc::new(read_view(at, (model, dims), same)?);
    // Nobody else may see what is not committed.
    if !at.state.is_own {
        views.keep(at.space, model, Arc::clone(&view));
    }
    Ok(view)
}

/// Returns the view of the state at hand, with the vectors of a model; by default of any.
pub(super) fn view_of(
    at: &mut At<'_>,
    views: &Views,
    name: Option<&str>,
) -> Result<Arc<SpaceView>, StoreError> {
    let model = match name {
        Some(name) => model(at.wire, at.space, name)?,
        None => any_model(at, views)?,
    };
    view(at, views, model)
}

fn read_view(
    at: &mut At<'_>,
    (model, dims): (i64, usize),
    known: Option<&SpaceView>,
) -> Result<SpaceView, StoreError> {
    let space = at.space;
    let mut segments: Vec<Arc<Segment>> = Vec::new();
    let mut postings = HashMap::new();
    let sql = "SELECT number, mark FROM segment WHERE space = $1 ORDER BY number";
    for row in at.wire.rows(sql, &[&space])? {
        let (number, mark) = (row.get(0), row.get(1));
        let same = known.and_then(|known| known.segment(number, mark));
        let (segment, lists) = if let Some(same) = same {
            same
        } else {
            let metas = metas(at.wire, space, number)?;
            let vectors = vectors(at.wire, space, number, (model, dims), metas.len())?;
            let lists = read_postings(at.wire, space, number)?;
            let segment = Segment { number, revision: mark, metas, vectors };
            (Arc::new(segment), Arc::new(lists))
        };
        segments.push(segment);
        postings.insert(number, lists);
    }
    let calibration = if segments.iter().any(|segment| segment.vectors.has_coarse()) {
        Some(calibration(at.wire, space, model, dims)?)
    } else {
        None
    };
    let (tail, marks) = tail(at, known)?;
    let sql = "SELECT doc FROM dead WHERE space = $1";
    let dead: HashSet<u32> =
        at.wire.rows(sql, &[&space])?.into_iter().map(|row| doc(row.get(0))).collect();
    let view = View::new(at.state.generation, (model, dims, calibration), segments, tail, &dead);
    Ok(SpaceView { head: at.state.head.clone(), view: Arc::new(view), postings, marks })
}

type Tail = (Vec<Arc<TailRow>>, BTreeMap<u32, i64>);

fn tail(at: &mut At<'_>, known: Option<&SpaceView>) -> Result<Tail, StoreError> {
    let known = known.map(SpaceView::tail).unwrap_or_default();
    let (mut rows, mut marks, mut new) = (Vec::new(), BTreeMap::new(), Vec::new());
    let sql = "SELECT doc, mark FROM tail WHERE space = $1 ORDER BY doc";
    for row in at.wire.rows(sql, &[&at.space])? {
        let (doc, mark) = (doc(row.get(0)), row.get(1));
        marks.insert(doc, mark);
        match known.get(&(doc, mark)) {
            Some(row) => rows.push(Arc::clone(row)),
            None => new.push(i64::from(doc)),
        }
    }
    if !new.is_empty() {
        let sql = "SELECT meta, terms, model, vectors FROM tail \
                   WHERE space = $1 AND doc = ANY($2) ORDER BY doc";
        for row in at.wire.rows(sql, &[&at.space, &new])? {
            rows.push(Arc::new(tail_row(&row)?));
        }
    }
    rows.sort_unstable_by_key(|row| row.meta.doc);
    Ok((rows, marks))
}

/// Reads a row of the tail: documents, terms, model, vectors.
pub(super) fn tail_row(row: &postgres::Row) -> Result<TailRow, StoreError> {
    TailRow::new(row.get(0), row.get(1), row.get(2), row.get(3))
        .ok_or_else(|| StoreError::BadRow { what: "a document of the tail".to_owned() })
}

fn parts(wire: &mut Wire, space: i64, segment: i64, kind: i64) -> Result<Vec<u8>, StoreError> {
    let sql = "SELECT data FROM segment_part WHERE space = $1 AND segment = $2 AND kind = $3 \
               ORDER BY part";
    let rows = wire.rows(sql, &[&space, &segment, &kind])?;
    Ok(rows.iter().flat_map(|row| row.get::<_, &[u8]>(0)).copied().collect())
}

/// Reads the documents of a segment.
pub(super) fn metas(wire: &mut Wire, space: i64, segment: i64) -> Result<Vec<Meta>, StoreError> {
    Ok(Segment::decode_metas(&parts(wire, space, segment, kind::METAS)?))
}

/// Reads the postings of a segment.
pub(super) fn read_postings(
    wire: &mut Wire,
    space: i64,
    segment: i64,
) -> Result<SegmentPostings, StoreError> {
    SegmentPostings::decode(parts(wire, space, segment, kind::POSTINGS)?)
        .ok_or_else(|| StoreError::BadRow { what: format!("the postings of segment {segment}") })
}

/// Reads the vectors of a segment that has `docs` documents.
pub(super) fn vectors(
    wire: &mut Wire,
    space: i64,
    segment: i64,
    (model, dims): (i64, usize),
    docs: usize,
) -> Result<Vectors, StoreError> {
    let bad = || StoreError::BadRow { what: format!("segment {segment}") };
    let mut vectors = Vectors::new(dims);
    let sql = "SELECT bits, data FROM segment_part \
               WHERE space = $1 AND segment = $2 AND kind = $3 AND model = $4 ORDER BY bits, part";
    let rows = wire.rows(sql, &[&space, &segment, &kind::VECTORS, &model])?;
    let mut read = Vec::with_capacity(rows.len());
    let mut bytes: BTreeMap<u32, usize> = BTreeMap::new();
    for row in &rows {
        let bits = doc(row.get(0));
        let data: &[u8] = row.get(1);
        *bytes.entry(bits).or_default() += data.len();
        read.push((bits, data));
    }
    for (bits, bytes) in bytes {
        vectors.reserve(width(bits).ok_or_else(bad)?, bytes);
    }
    for (bits, data) in read {
        vectors.decode(width(bits).ok_or_else(bad)?, data);
    }
    if vectors.rows().any(|(owner, _)| owner as usize >= docs) {
        return Err(bad());
    }
    Ok(vectors)
}

fn width(bits: u32) -> Option<Width> {
    Width::of_bits(u8::try_from(bits).ok()?)
}

/// Returns what the narrow vectors of a model are relative to.
pub(super) fn calibration(
    wire: &mut Wire,
    space: i64,
    model: i64,
    dims: usize,
) -> Result<Calibration, StoreError> {
    let sql = "SELECT calibration FROM model WHERE space = $1 AND number = $2";
    let row = wire.row_if_any(sql, &[&space, &model])?;
    row.and_then(|row| row.get::<_, Option<Vec<u8>>>(0))
        .and_then(|bytes| Calibration::decode(&bytes))
        .filter(|calibration| calibration.dims() == dims)
        .ok_or_else(|| StoreError::BadRow { what: format!("the calibration of model {model}") })
}

/// Postings from what was read with the view, and experiences as they were read before the search.
pub(super) struct Loaded<'a> {
    pub(super) view: &'a SpaceView,
    pub(super) experiences: Vec<u32>,
}

impl Postings for Loaded<'_> {
    type Error = StoreError;

    fn gather(&self, _terms: &[Term]) -> Result<(), StoreError> {
        Ok(())
    }

    fn with(
        &self,
        segment: i64,
        term: Term,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), StoreError> {
        let lists = self.view.postings.get(&segment);
        lists.and_then(|lists| lists.get(term)).into_iter().for_each(each);
        Ok(())
    }

    fn experiences(&self) -> Result<Vec<u32>, StoreError> {
        Ok(self.experiences.clone())
    }
}
