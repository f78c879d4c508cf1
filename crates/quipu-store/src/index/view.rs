//! All documents as one reader sees them: segments, tail and dead marks put together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use quipu_core::terms::Language;

use super::Meta;
use super::meta::Order;
use super::segment::{Segment, TailRow, Vectors};

/// Documents that stand in for "none".
const NONE: u32 = u32::MAX;

/// The index at one moment. Documents are numbered through all segments, the tail last.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) generation: i64,
    /// The model whose vectors are loaded.
    pub(crate) model: i64,
    /// How many numbers its vectors have.
    pub(crate) dims: usize,
    pub(crate) segments: Vec<Arc<Segment>>,
    /// The tail's rows, in the order of its segment.
    pub(crate) tail: Vec<Arc<TailRow>>,
    /// Where each segment begins.
    pub(crate) offsets: Vec<usize>,
    live: Vec<bool>,
    /// How many documents live.
    pub(crate) count: usize,
    /// The mean length of living documents.
    pub(crate) mean_length: f32,
    /// The languages of living documents.
    pub(crate) languages: Vec<Language>,
    /// How many living documents have a vector of the model.
    pub(crate) embedded: usize,
    /// Neighbours of documents whose session is spread over several segments.
    spread: HashMap<u32, (u32, u32)>,
}

impl View {
    /// Puts a view together.
    pub(crate) fn new(
        generation: i64,
        (model, dims): (i64, usize),
        mut segments: Vec<Arc<Segment>>,
        mut tail: Vec<Arc<TailRow>>,
        dead: &HashSet<u32>,
    ) -> Self {
        tail.sort_by_key(|row| row.meta.order());
        segments.push(Arc::new(tail_segment(&tail, model, dims)));
        let mut offsets = Vec::with_capacity(segments.len());
        let mut live = Vec::new();
        let mut length = 0_u64;
        let mut languages = BTreeSet::new();
        for segment in &segments {
            offsets.push(live.len());
            for meta in &segment.metas {
                let lives = !dead.contains(&meta.doc);
                live.push(lives);
                if lives {
                    length += u64::from(meta.length);
                    languages.insert(meta.language);
                }
            }
        }
        let count = live.iter().filter(|lives| **lives).count();
        #[expect(clippy::cast_precision_loss, reason = "a mean need not be exact")]
        let mean_length = if count == 0 { 1.0 } else { length as f32 / count as f32 };
        let mut view = Self {
            generation,
            model,
            dims,
            segments,
            tail,
            offsets,
            live,
            count,
            mean_length: mean_length.max(1.0),
            languages: Language::ALL
                .into_iter()
                .filter(|language| languages.contains(&language.index()))
                .collect(),
            embedded: 0,
            spread: HashMap::new(),
        };
        view.embedded = view.count_embedded();
        view.spread = view.spread_sessions();
        view
    }

    /// How many documents there are, dead ones included.
    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    pub(crate) fn is_live(&self, index: usize) -> bool {
        self.live[index]
    }

    /// Returns every document with its index.
    pub(crate) fn metas(&self) -> impl Iterator<Item = (usize, &Meta)> {
        self.segments.iter().flat_map(|segment| &segment.metas).enumerate()
    }

    pub(crate) fn meta(&self, index: usize) -> &Meta {
        let at = self.offsets.partition_point(|offset| *offset <= index) - 1;
        &self.segments[at].metas[index - self.offsets[at]]
    }

    /// Returns a document of a segment that is known.
    pub(crate) fn meta_in(&self, index: usize, segment: usize) -> &Meta {
        &self.segments[segment].metas[index - self.offsets[segment]]
    }

    /// Returns the document before and the one after in the same session.
    pub(crate) fn neighbours(&self, index: usize, segment: usize) -> [Option<usize>; 2] {
        if let Some((before, after)) = u32::try_from(index).ok().and_then(|i| self.spread.get(&i)) {
            return [*before, *after].map(|at| (at != NONE).then_some(at as usize));
        }
        let metas = &self.segments[segment].metas;
        let offset = self.offsets[segment];
        let at = index - offset;
        let session = metas[at].session;
        let near = |other: Option<usize>| {
            let other = other?;
            let same = metas.get(other)?.session == session && session != 0;
            (same && self.live[offset + other]).then_some(offset + other)
        };
        [near(at.checked_sub(1)), near(at.checked_add(1))]
    }

    /// Returns the segment that holds a document.
    pub(crate) fn segment_of(&self, index: usize) -> usize {
        self.offsets.partition_point(|offset| *offset <= index) - 1
    }

    fn count_embedded(&self) -> usize {
        let mut count = 0;
        for (segment, offset) in self.segments.iter().zip(&self.offsets) {
            let mut last = None;
            for owner in &segment.vectors.owners {
                let is_new = last.replace(*owner) != Some(*owner);
                count += usize::from(is_new && self.live[offset + *owner as usize]);
            }
        }
        count
    }

    /// Finds sessions that are in more than one segment, and links their documents in order.
    fn spread_sessions(&self) -> HashMap<u32, (u32, u32)> {
        let mut seen: HashMap<u32, usize> = HashMap::new();
        let mut spread: BTreeSet<u32> = BTreeSet::new();
        for (number, segment) in self.segments.iter().enumerate() {
            for run in segment.metas.chunk_by(|a, b| a.session == b.session) {
                let session = run[0].session;
                if session != 0 && *seen.entry(session).or_insert(number) != number {
                    spread.insert(session);
                }
            }
        }
        if spread.is_empty() {
            return HashMap::new();
        }
        let mut sessions: BTreeMap<u32, Vec<(Order, u32)>> = BTreeMap::new();
        for (segment, offset) in self.segments.iter().zip(&self.offsets) {
            for session in &spread {
                let start = segment.metas.partition_point(|meta| meta.session < *session);
                for (at, meta) in segment.metas.iter().enumerate().skip(start) {
                    if meta.session != *session {
                        break;
                    }
                    if let Ok(index) = u32::try_from(offset + at)
                        && self.live[offset + at]
                    {
                        sessions.entry(*session).or_default().push((meta.order(), index));
                    }
                }
            }
        }
        let mut links = HashMap::new();
        for documents in sessions.values_mut() {
            documents.sort_unstable();
            for (at, (_, index)) in documents.iter().enumerate() {
                let before = at.checked_sub(1).map_or(NONE, |at| documents[at].1);
                let after = documents.get(at + 1).map_or(NONE, |(_, index)| *index);
                links.insert(*index, (before, after));
            }
        }
        links
    }
}

fn tail_segment(tail: &[Arc<TailRow>], model: i64, dims: usize) -> Segment {
    let mut vectors = Vectors::new(dims);
    for (ordinal, row) in (0_u32..).zip(tail) {
        if row.model == model {
            row.each_vector(dims, |scale, values| vectors.push(ordinal, scale, values));
        }
    }
    Segment { number: 0, metas: tail.iter().map(|row| row.meta).collect(), vectors }
}
