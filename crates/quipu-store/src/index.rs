//! The search index, whatever database its rows rest in.
//!
//! New documents wait in a *tail*; a full tail becomes an immutable *segment*, and small segments
//! merge into larger ones. Changing a document means adding it again and marking the old number
//! dead. A reader puts a [`View`] together from segments, tail and dead marks.

pub(crate) mod answer;
mod build;
mod codec;
mod fingerprint;
mod lexical;
mod meta;
mod narrowing;
mod search;
mod segment;
mod vectors;
mod view;

pub(crate) use build::{MergePart, MergePlan, merge_plan, sealed, tail_row};
pub(crate) use codec::{decode_postings, decode_terms, encode_postings, encode_terms};
pub(crate) use fingerprint::Fingerprint;
pub(crate) use lexical::Postings;
pub(crate) use meta::Meta;
pub(crate) use narrowing::{NarrowingPlan, sampled, widths};
pub(crate) use search::{Match, nearest, newest, search, speakers};
pub(crate) use segment::{Segment, TailRow};
pub(crate) use vectors::{Place, Vectors};
pub(crate) use view::View;

/// How many documents wait in the tail before they become a segment.
pub(crate) const LONGEST_TAIL: usize = 512;

/// Segments of more documents are merged no further, so that no single write takes long.
pub(crate) const LARGEST_MERGE: usize = 1 << 17;

/// Tells whether the newest segments, by size from old to new, should become one.
pub(crate) fn should_merge(sizes: &[usize]) -> bool {
    match sizes {
        [.., before, last] => *before < last * 4 && before + last <= LARGEST_MERGE,
        _ => false,
    }
}
