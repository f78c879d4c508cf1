//! From what a search finds in the index to what a store answers, whatever database its rows rest in.

use std::collections::HashMap;

use jiff::Timestamp;
use quipu_core::item::Item;

use super::search::Matches;
use super::{Match, Place, View};
use crate::search::{Found, Hit};

/// Returns the documents whose ids an answer names beside its items.
pub(crate) fn beside(matches: &Matches) -> Vec<u32> {
    matches.best.iter().flat_map(Match::beside).flatten().collect()
}

/// Puts an answer together: `items` are those of the best matches, `ids` those of [`beside`].
pub(crate) fn found(
    view: &View,
    matches: Matches,
    items: Vec<Item>,
    ids: Vec<Option<String>>,
) -> Found {
    let words: Vec<String> = matches.words.iter().map(|word| word.word.clone()).collect();
    let mut ids = ids.into_iter();
    let mut hits = Vec::with_capacity(items.len());
    for (found, item) in matches.best.into_iter().zip(items) {
        let mut id = |doc: Option<u32>| doc.and_then(|_| ids.next().flatten());
        let neighbours = found.neighbours.map(&mut id);
        let same = found.same.iter().filter_map(|doc| id(Some(*doc))).collect();
        let has = |bit: &usize| *bit < 64 && found.words >> bit & 1 == 1;
        hits.push(Hit {
            item,
            score: found.score,
            channels: found.channels,
            cosine: found.cosine,
            words: (0..words.len()).filter(has).map(|bit| words[bit].clone()).collect(),
            telling: found.telling,
            neighbours,
            same,
        });
    }
    Found {
        hits,
        items: view.count,
        allowed: matches.allowed,
        embedded: view.embedded,
        words,
        rarities: matches.rarities,
        telling: matches.telling,
    }
}

/// Returns sessions with their first and last time, oldest first; `names` are all that have a number.
pub(crate) fn sessions(
    view: &View,
    names: impl IntoIterator<Item = (u32, String)>,
) -> Vec<(String, Timestamp, Timestamp)> {
    let mut times: HashMap<u32, (i64, i64)> = HashMap::new();
    for (index, meta) in view.metas() {
        if meta.session != 0 && view.is_live(index) {
            let (first, last) = times.entry(meta.session).or_insert((meta.time, meta.time));
            *first = meta.time.min(*first);
            *last = meta.time.max(*last);
        }
    }
    let at = |second: i64| Timestamp::from_second(second).unwrap_or_default();
    let mut sessions: Vec<(String, Timestamp, Timestamp)> = names
        .into_iter()
        .filter_map(|(number, name)| {
            let (first, last) = times.get(&number)?;
            Some((name, at(*first), at(*last)))
        })
        .collect();
    sessions.sort_by(|a, b| (a.2, &a.0).cmp(&(b.2, &b.0)));
    sessions
}

/// Returns the living documents that have no vector, in the order of the index.
pub(crate) fn without_vector(view: &View) -> Vec<u32> {
    let mut has = vec![false; view.len()];
    for (segment, offset) in view.segments.iter().zip(&view.offsets) {
        for (owner, _) in segment.vectors.rows() {
            has[offset + owner as usize] = true;
        }
    }
    let lacks = |(index, _): &(usize, _)| view.is_live(*index) && !has[*index];
    view.metas().filter(lacks).map(|(_, meta)| meta.doc).collect()
}

/// Returns where the vectors of living documents are, in order of document: the document, its segment
/// in the view, and the place there.
pub(crate) fn living_vectors(view: &View) -> Vec<(u32, usize, Place)> {
    let mut order: Vec<(u32, usize, Place)> = Vec::new();
    for (at, segment) in view.segments.iter().enumerate() {
        for (owner, place) in segment.vectors.rows() {
            if view.is_live(view.offsets[at] + owner as usize) {
                order.push((segment.metas[owner as usize].doc, at, place));
            }
        }
    }
    order.sort_unstable();
    order
}
