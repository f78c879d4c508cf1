//! Documents that become a segment, and segments that become one: what is in them, wherever it is
//! written.

use std::collections::{BTreeMap, HashSet};

use quipu_core::terms::Term;

use super::{Meta, Place, TailRow, Vectors, decode_postings, encode_postings};
use crate::Put;
use crate::search::label;

/// Returns the row of the tail for an item: its words, its labels and its vectors.
pub(crate) fn tail_row(put: &Put, doc: u32, session: i64, position: u32, model: i64) -> TailRow {
    let item = &put.item;
    let mut counts = put.words.counts.clone();
    let mut labels: Vec<Term> = item.tags.iter().map(|tag| label::tag(tag)).collect();
    labels.push(label::category(&item.category));
    labels.extend(item.pinned.then(label::pinned));
    labels.extend(item.session.as_deref().map(label::session));
    labels.extend(item.speaker.as_deref().map(label::entity));
    labels.extend(put.speaker.counts.iter().map(|(word, _)| label::speaker(*word)));
    labels.extend(put.entities.iter().map(|entity| label::entity(&entity.name)));
    labels.sort_unstable();
    labels.dedup();
    counts.extend(labels.into_iter().map(|label| (label, 1)));
    counts.sort_unstable();
    let mut meta = Meta::new(item, doc, u32::try_from(session).unwrap_or(0), position);
    meta.length = put.words.length + put.speaker.length;
    meta.text_length = put.words.length;
    meta.language = put.words.language.index();
    meta.fold = put.words.sequence;
    let vectors = TailRow::encode_vectors(&put.vectors);
    TailRow { meta, terms: counts, model: if vectors.is_empty() { 0 } else { model }, vectors }
}

/// A segment that is about to be written.
pub(crate) struct Sealed {
    pub(crate) metas: Vec<Meta>,
    /// By model.
    pub(crate) vectors: BTreeMap<i64, Vectors>,
    /// By term, as signed numbers order them.
    pub(crate) postings: BTreeMap<i64, Vec<u8>>,
    /// Dead documents that it leaves out.
    pub(crate) gone: Vec<u32>,
}

/// Makes a segment of documents; `dims` says how many numbers the vectors of each model have.
pub(crate) fn sealed(
    mut rows: Vec<TailRow>,
    dead: &HashSet<u32>,
    dims: &BTreeMap<i64, usize>,
) -> Sealed {
    let gone = rows.iter().map(|row| row.meta.doc).filter(|doc| dead.contains(doc)).collect();
    rows.retain(|row| !dead.contains(&row.meta.doc));
    rows.sort_by_key(|row| row.meta.order());
    let mut postings: BTreeMap<i64, Vec<(u32, u32)>> = BTreeMap::new();
    let mut vectors: BTreeMap<i64, Vectors> = BTreeMap::new();
    for (ordinal, row) in (0_u32..).zip(&rows) {
        for (term, count) in &row.terms {
            postings.entry(term.cast_signed()).or_default().push((ordinal, *count));
        }
        if let Some(dims) = dims.get(&row.model) {
            let vectors = vectors.entry(row.model).or_insert_with(|| Vectors::new(*dims));
            row.each_vector(*dims, |scale, values| vectors.push_full(ordinal, scale, values));
        }
    }
    let postings =
        postings.into_iter().map(|(term, list)| (term, encode_postings(&list))).collect();
    Sealed { metas: rows.iter().map(|row| row.meta).collect(), vectors, postings, gone }
}

/// One of the segments that are being merged.
pub(crate) struct MergePart {
    pub(crate) number: i64,
    pub(crate) metas: Vec<Meta>,
    /// The new ordinal of each document; none for the dead.
    pub(crate) moved: Vec<Option<u32>>,
}

/// Where every document of some segments goes when they become one.
pub(crate) struct MergePlan {
    pub(crate) parts: Vec<MergePart>,
    pub(crate) metas: Vec<Meta>,
    /// Dead documents that are left out.
    pub(crate) gone: Vec<u32>,
}

/// Plans how segments become one, without the dead.
pub(crate) fn merge_plan(segments: Vec<(i64, Vec<Meta>)>, dead: &HashSet<u32>) -> MergePlan {
    let mut gone = Vec::new();
    let mut parts: Vec<MergePart> = Vec::new();
    for (number, metas) in segments {
        gone.extend(metas.iter().map(|meta| meta.doc).filter(|doc| dead.contains(doc)));
        let moved = vec![None; metas.len()];
        parts.push(MergePart { number, metas, moved });
    }
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (part, MergePart { metas, .. }) in parts.iter().enumerate() {
        let lives = |at: &usize| !dead.contains(&metas[*at].doc);
        order.extend((0..metas.len()).filter(lives).map(|at| (part, at)));
    }
    order.sort_by_key(|(part, at)| parts[*part].metas[*at].order());
    let mut metas = Vec::with_capacity(order.len());
    for (ordinal, (part, at)) in (0_u32..).zip(&order) {
        metas.push(parts[*part].metas[*at]);
        parts[*part].moved[*at] = Some(ordinal);
    }
    MergePlan { parts, metas, gone }
}

impl MergePlan {
    /// Returns the vectors of one model, in the new order: `all` holds those of each part. None where
    /// no living document has any.
    pub(crate) fn vectors(&self, all: &[Vectors], dims: usize) -> Option<Vectors> {
        let mut order: Vec<(u32, usize, Place)> = Vec::new();
        for (at, (part, vectors)) in self.parts.iter().zip(all).enumerate() {
            order.extend(vectors.rows().filter_map(|(owner, place)| {
                let ordinal = part.moved.get(owner as usize).copied().flatten()?;
                Some((ordinal, at, place))
            }));
        }
        if order.is_empty() {
            return None;
        }
        order.sort_unstable();
        let mut merged = Vectors::new(dims);
        for (ordinal, part, place) in order {
            merged.push_from(ordinal, &all[part], place);
        }
        Some(merged)
    }
}

impl MergePart {
    /// Adds the postings of a term, under the new ordinals, to a list.
    pub(crate) fn move_postings(&self, bytes: &[u8], list: &mut Vec<(u32, u32)>) {
        decode_postings(bytes, |at, count| {
            if let Some(ordinal) = self.moved.get(at as usize).copied().flatten() {
                list.push((ordinal, count));
            }
        });
    }
}
