//! The indexes that this process has read, for all its spaces: those used least recently leave first.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use quipu_core::terms::Term;

use crate::index::{Segment, TailRow, View};

/// So many bytes of indexes are kept.
const MOST_BYTES: usize = 1 << 30;

/// The postings of a segment, in one piece.
#[derive(Debug, Default)]
pub(super) struct SegmentPostings {
    bytes: Vec<u8>,
    /// Term, beginning and end, in order of term.
    places: Vec<(Term, usize, usize)>,
}

/// A number and a length before the postings of each term.
const HEAD: usize = 12;

impl SegmentPostings {
    /// Writes postings as they rest in the database.
    pub(super) fn encode<'a>(lists: impl Iterator<Item = (Term, &'a [u8])>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (term, list) in lists {
            bytes.extend_from_slice(&term.to_le_bytes());
            let length =
                u32::try_from(list.len()).expect("postings are smaller than their segment");
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(list);
        }
        bytes
    }

    /// Reads what [`Self::encode`] wrote; none where it makes no sense.
    pub(super) fn decode(bytes: Vec<u8>) -> Option<Self> {
        let mut places = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let head = bytes.get(at..at + HEAD)?;
            let term = Term::from_le_bytes(head[..8].try_into().ok()?);
            let length = u32::from_le_bytes(head[8..].try_into().ok()?) as usize;
            let from = at + HEAD;
            bytes.get(from..from + length)?;
            places.push((term, from, from + length));
            at = from + length;
        }
        places.sort_unstable();
        Some(Self { bytes, places })
    }

    pub(super) fn get(&self, term: Term) -> Option<&[u8]> {
        let at = self.places.binary_search_by_key(&term, |place| place.0).ok()?;
        let (_, from, to) = self.places[at];
        Some(&self.bytes[from..to])
    }

    /// Returns every term with its postings, in order of term.
    pub(super) fn all(&self) -> impl Iterator<Item = (Term, &[u8])> {
        self.places.iter().map(|(term, from, to)| (*term, &self.bytes[*from..*to]))
    }
}

/// One model's view of a space, with all that a search needs.
#[derive(Debug)]
pub(super) struct SpaceView {
    /// The state that it shows.
    pub(super) head: Vec<u8>,
    pub(super) view: Arc<View>,
    /// By the number of the segment.
    pub(super) postings: HashMap<i64, Arc<SegmentPostings>>,
    /// The mark of each row of the tail, by document.
    pub(super) marks: BTreeMap<u32, i64>,
}

impl SpaceView {
    /// Returns a segment that is the same in another state.
    pub(super) fn segment(
        &self,
        number: i64,
        mark: i64,
    ) -> Option<(Arc<Segment>, Arc<SegmentPostings>)> {
        let is_same = |it: &&Arc<Segment>| (it.number, it.revision) == (number, mark);
        let segment = self.view.segments.iter().find(is_same)?;
        Some((Arc::clone(segment), Arc::clone(self.postings.get(&number)?)))
    }

    /// Returns the rows of the tail by document and mark.
    pub(super) fn tail(&self) -> HashMap<(u32, i64), Arc<TailRow>> {
        let row = |row: &Arc<TailRow>| {
            let doc = row.meta.doc;
            Some(((doc, *self.marks.get(&doc)?), Arc::clone(row)))
        };
        self.view.tail.iter().filter_map(row).collect()
    }

    fn bytes(&self) -> usize {
        let documents = self.view.len() * 160;
        let vectors: usize = self.view.embedded * (self.view.dims + 8);
        documents + vectors + self.postings.values().map(|it| it.bytes.len() * 2).sum::<usize>()
    }
}

/// All views of a process, by space and model.
#[derive(Debug, Default)]
pub(super) struct Views {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    views: HashMap<(i64, i64), (u64, usize, Arc<SpaceView>)>,
    clock: u64,
}

impl Views {
    /// Returns the view of a space that was read last.
    pub(super) fn last(&self, space: i64, model: i64) -> Option<Arc<SpaceView>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clock += 1;
        let clock = known.clock;
        let (used, _, view) = known.views.get_mut(&(space, model))?;
        *used = clock;
        Some(Arc::clone(view))
    }

    /// Returns which model was last asked for in a space, with how many numbers its vectors have.
    pub(super) fn model(&self, space: i64) -> Option<(i64, usize)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let of_space = known.views.iter().filter(|((of, _), _)| *of == space);
        let newest = of_space.max_by_key(|(_, (used, ..))| *used)?;
        Some((newest.1.2.view.model, newest.1.2.view.dims))
    }

    /// Keeps a view of a state that was committed.
    pub(super) fn keep(&self, space: i64, model: i64, view: Arc<SpaceView>) {
        let bytes = view.bytes();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clock += 1;
        let clock = known.clock;
        known.views.insert((space, model), (clock, bytes, view));
        let mut total: usize = known.views.values().map(|(_, bytes, _)| bytes).sum();
        while total > MOST_BYTES && known.views.len() > 1 {
            let oldest = known.views.iter().min_by_key(|(_, (used, ..))| *used);
            let Some(oldest) = oldest.map(|(key, _)| *key) else { break };
            total -= known.views.remove(&oldest).map_or(0, |(_, bytes, _)| bytes);
        }
    }
}
