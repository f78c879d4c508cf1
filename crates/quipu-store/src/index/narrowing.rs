//! What happens to the vectors of a segment that should become narrower or wider, wherever it rests.

use std::collections::{BTreeMap, HashSet};

use quipu_core::vector::{Calibration, Coarse, Packed, Width};

use super::{Place, Vectors, View};
use crate::Precision;

/// From how many vectors the calibration is made: more change nothing.
const SAMPLE: usize = 4096;

/// What happens to the vectors of one document.
pub(crate) struct Change {
    pub(crate) to: Width,
    /// New vectors, where those that are there say too little.
    pub(crate) fresh: Option<Vec<Packed>>,
}

/// What happens to a segment.
pub(crate) struct NarrowingPlan {
    pub(crate) vectors: Vectors,
    /// By ordinal, with the width that it has.
    pub(crate) changes: BTreeMap<u32, (Width, Change)>,
    /// Documents that nobody misses.
    pub(crate) dead: HashSet<u32>,
    /// Documents that should be more exact and stay as they are.
    pub(crate) missing: usize,
}

impl NarrowingPlan {
    /// Plans a segment: `owners` are the documents with vectors, each with its width and with its id
    /// where it is still there. A model is asked for vectors that say too little.
    pub(crate) fn new(
        vectors: Vectors,
        dims: usize,
        owners: Vec<(u32, Width, Option<String>)>,
        precision: &mut dyn Precision,
    ) -> Self {
        let mut plan = Self { vectors, changes: BTreeMap::new(), dead: HashSet::new(), missing: 0 };
        let (mut ids, mut wider) = (Vec::new(), Vec::new());
        for (owner, from, id) in owners {
            let Some(id) = id else {
                plan.dead.insert(owner);
                continue;
            };
            let to = precision.width(&id);
            if to < from {
                plan.changes.insert(owner, (from, Change { to, fresh: None }));
            } else if to > from {
                ids.push(id);
                wider.push((owner, from, to));
            }
        }
        if !ids.is_empty() {
            let mut fresh = precision.fresh(&ids).into_iter();
            for (owner, from, to) in wider {
                let fresh = fresh.next().flatten().filter(|fresh| {
                    !fresh.is_empty() && fresh.iter().all(|it| it.values.len() == dims)
                });
                match fresh {
                    Some(_) => _ = plan.changes.insert(owner, (from, Change { to, fresh })),
                    None => plan.missing += 1,
                }
            }
        }
        plan
    }

    /// Makes the vectors of a segment as they should be.
    pub(crate) fn rewritten(&self, calibration: &Calibration) -> Vectors {
        let mut rows: Vec<(u32, Place)> = self.vectors.rows().collect();
        rows.sort_unstable();
        let mut result = Vectors::new(calibration.dims());
        for vectors in rows.chunk_by(|a, b| a.0 == b.0) {
            let owner = vectors[0].0;
            let mut push = |packed: &Packed, width: Width| match width {
                Width::Eight => result.push_full(owner, packed.scale, &packed.values),
                width => {
                    result.push_coarse(owner, &Coarse::new(&packed.unpacked(), width, calibration));
                }
            };
            match self.changes.get(&owner) {
                _ if self.dead.contains(&owner) => {}
                Some((_, Change { to, fresh: Some(fresh) })) => {
                    for packed in fresh {
                        push(packed, *to);
                    }
                }
                Some((_, Change { to, fresh: None })) => {
                    for (_, place) in vectors {
                        if let Some(stored) = self.vectors.stored(*place, Some(calibration)) {
                            push(&stored.vector, *to);
                        }
                    }
                }
                None => {
                    for (_, place) in vectors {
                        result.push_from(owner, &self.vectors, *place);
                    }
                }
            }
        }
        result
    }
}

/// Returns the documents of a segment that have vectors, each with its width.
pub(crate) fn widths(vectors: &Vectors) -> BTreeMap<u32, Width> {
    vectors.rows().map(|(owner, place)| (owner, place.width)).collect()
}

/// Measures vectors from all over the index.
pub(crate) fn sampled(view: &View, dims: usize) -> Calibration {
    let mut living: Vec<(usize, usize)> = Vec::new();
    for (at, segment) in view.segments.iter().enumerate() {
        let owners = segment.vectors.full.owners.iter().enumerate();
        let lives = |(_, owner): &(usize, &u32)| view.is_live(view.offsets[at] + **owner as usize);
        living.extend(owners.filter(lives).map(|(index, _)| (at, index)));
    }
    let step = living.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Packed> = living
        .into_iter()
        .step_by(step)
        .map(|(at, index)| view.segments[at].vectors.packed(index))
        .collect();
    Calibration::new(dims, &sample)
}
