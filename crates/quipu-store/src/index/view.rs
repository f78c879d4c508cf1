//! All documents as one reader sees them: segments, tail and dead marks put together.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use quipu_core::terms::Language;
use quipu_core::vector::Calibration;

use super::meta::Order;
use super::segment::{Segment, TailRow};
use super::{Meta, Vectors};
use crate::Widths;

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
    /// What its narrow vectors are relative to.
    pub(crate) calibration: Option<Calibration>,
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
    /// The same, by width.
    pub(crate) widths: Widths,
    /// One more than the greatest number of a session.
    pub(crate) sessions: usize,
    /// Whether anybody said anything, so that turns can borrow from each other.
    pub(crate) has_turns: bool,
    /// The document before and the one after each, made when first asked for.
    links: OnceLock<Vec<[u32; 2]>>,
    /// The same index for readers who may not see all of it, by the sensitivities that they may see.
    restricted: Mutex<Vec<(u32, Arc<View>)>>,
}

impl View {
    /// Puts a view together.
    pub(crate) fn new(
        generation: i64,
        (model, dims, calibration): (i64, usize, Option<Calibration>),
        mut segments: Vec<Arc<Segment>>,
        mut tail: Vec<Arc<TailRow>>,
        dead: &HashSet<u32>,
    ) -> Self {
        tail.sort_by_key(|row| row.meta.order());
        segments.push(Arc::new(tail_segment(&tail, model, dims)));
        let metas = segments.iter().flat_map(|segment| &segment.metas);
        let live = metas.map(|meta| !dead.contains(&meta.doc)).collect();
        Self::with_live((generation, model, dims), calibration, segments, tail, live)
    }

    /// Returns the index as somebody sees it who may see only some sensitivities (a bit each).
    ///
    /// To them the rest does not exist: it is not counted, makes no word more common, stands between no two
    /// documents and gives no name to a speaker. So no number in an answer depends on what they may not see.
    pub(crate) fn restricted_to(self: &Arc<Self>, may_see: u32) -> Arc<Self> {
        let is_seen = |meta: &Meta| may_see >> meta.sensitivity & 1 == 1;
        let mut known = self.restricted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = known.iter().find(|(seen, _)| *seen == may_see) {
            return Arc::clone(view);
        }
        if self.metas().all(|(index, meta)| !self.live[index] || is_seen(meta)) {
            // Not kept in `known`: a view that held itself would never be dropped.
            return Arc::clone(self);
        }
        let live = self.metas().map(|(index, meta)| self.live[index] && is_seen(meta)).collect();
        let view = Arc::new(Self::with_live(
            (self.generation, self.model, self.dims),
            self.calibration.clone(),
            self.segments.clone(),
            self.tail.clone(),
            live,
        ));
        known.push((may_see, Arc::clone(&view)));
        view
    }

    /// Counts what lives.
    fn with_live(
        (generation, model, dims): (i64, i64, usize),
        calibration: Option<Calibration>,
        segments: Vec<Arc<Segment>>,
        tail: Vec<Arc<TailRow>>,
        live: Vec<bool>,
    ) -> Self {
        let mut offsets = Vec::with_capacity(segments.len());
        let mut length = 0_u64;
        let mut languages = BTreeSet::new();
        let (mut sessions, mut has_turns) = (1, false);
        let mut at = 0;
        for segment in &segments {
            offsets.push(at);
            for (meta, lives) in segment.metas.iter().zip(&live[at..]) {
                sessions = sessions.max(meta.session as usize + 1);
                if *lives {
                    has_turns |= meta.speaker != 0;
                    length += u64::from(meta.length);
                    languages.insert(meta.language);
                }
            }
            at += segment.metas.len();
        }
        let count = live.iter().filter(|lives| **lives).count();
        #[expect(clippy::cast_precision_loss, reason = "a mean need not be exact")]
        let mean_length = if count == 0 { 1.0 } else { length as f32 / count as f32 };
        let mut view = Self {
            generation,
            model,
            dims,
            calibration,
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
            widths: Widths::default(),
            sessions,
            has_turns,
            links: OnceLock::new(),
            restricted: Mutex::default(),
        };
        view.widths = view.count_widths();
        view.embedded = view.widths.total();
        view
    }

    /// How many documents there are, with those that are dead or not to be seen.
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
    pub(crate) fn neighbours(&self, index: usize) -> [Option<usize>; 2] {
        let links = self.links.get_or_init(|| self.link_sessions());
        links[index].map(|at| (at != NONE).then_some(at as usize))
    }

    /// Returns the first second after `after` at which a document is learned, begins to hold or
    /// ceases to. What is to come shows a day early (see `is_current`).
    pub(crate) fn next_change(&self, after: i64) -> Option<i64> {
        const DAY: i64 = 24 * 60 * 60;
        self.metas()
            .flat_map(|(_, meta)| {
                [meta.time, meta.valid_from, meta.valid_from.saturating_sub(DAY) + 1, meta.valid_to]
            })
            .filter(|second| *second > after)
            .min()
    }

    /// Returns the segment that holds a document.
    pub(crate) fn segment_of(&self, index: usize) -> usize {
        self.offsets.partition_point(|offset| *offset <= index) - 1
    }

    fn count_widths(&self) -> Widths {
        let mut counts = Widths::default();
        for (segment, offset) in self.segments.iter().zip(&self.offsets) {
            for (width, owners) in segment.vectors.planes() {
                let mut last = None;
                for owner in owners {
                    let is_new = last.replace(*owner) != Some(*owner);
                    let counts_too = is_new && self.live[offset + *owner as usize];
                    *counts.of_mut(width) += usize::from(counts_too);
                }
            }
        }
        counts
    }

    /// Links the documents of each session in order, wherever they are.
    fn link_sessions(&self) -> Vec<[u32; 2]> {
        let mut documents: Vec<(Order, u32)> = Vec::with_capacity(self.len());
        for (index, meta) in self.metas() {
            if let Ok(number) = u32::try_from(index)
                && meta.session != 0
                && self.live[index]
            {
                documents.push((meta.order(), number));
            }
        }
        // Each segment is in order already, and this sort makes use of that.
        documents.sort_by_key(|(order, _)| *order);
        let mut links = vec![[NONE; 2]; self.len()];
        for pair in documents.windows(2) {
            let [(before_order, before), (after_order, after)] = [pair[0], pair[1]];
            if before_order.0 == after_order.0 {
                links[before as usize][1] = after;
                links[after as usize][0] = before;
            }
        }
        links
    }
}

fn tail_segment(tail: &[Arc<TailRow>], model: i64, dims: usize) -> Segment {
    let mut vectors = Vectors::new(dims);
    for (ordinal, row) in (0_u32..).zip(tail) {
        if row.model == model {
            row.each_vector(dims, |scale, values| vectors.push_full(ordinal, scale, values));
        }
    }
    Segment { number: 0, revision: 0, metas: tail.iter().map(|row| row.meta).collect(), vectors }
}
