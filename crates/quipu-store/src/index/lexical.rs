//! The lexical channel: BM25 over the postings of the query's words, where a short turn of a
//! conversation borrows words from the turns around it.

use quipu_core::rank;
use quipu_core::terms::{QueryTerm, Term};

use super::{Meta, View, decode_postings};
use crate::search::label;

/// Where postings are read from.
pub(crate) trait Postings {
    /// What can go wrong.
    type Error;

    /// Reads the postings of terms in all segments at once, for [`Self::with`] to find them at hand.
    fn gather(&self, terms: &[Term]) -> Result<(), Self::Error>;

    /// Calls `each` with the postings of a term in a segment, where there are any.
    fn with(
        &self,
        segment: i64,
        term: Term,
        each: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Self::Error>;

    /// Returns the numbers of the documents that are experiences.
    fn experiences(&self) -> Result<Vec<u32>, Self::Error>;
}

/// Scores by document index, and which words each has.
#[derive(Debug)]
pub(crate) struct Lexical {
    pub(crate) scores: Vec<f32>,
    /// A bit for each of the first 64 words.
    pub(crate) words: Vec<u64>,
    /// How telling each word is.
    pub(crate) rarities: Vec<f32>,
}

impl Lexical {
    /// Returns how telling some of the words are, all together.
    pub(crate) fn telling(&self, words: u64) -> f32 {
        let has = |(bit, _): &(usize, &f32)| *bit < 64 && words >> bit & 1 == 1;
        self.rarities.iter().enumerate().filter(has).map(|(_, rarity)| rarity).sum()
    }
}

/// Returns the documents that hold any of `forms`, each with its count, in order.
pub(crate) fn holders<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    forms: &[Term],
) -> Result<Vec<(usize, u32)>, E> {
    let mut found: Vec<(usize, u32)> = Vec::new();
    for (segment, offset) in view.segments.iter().zip(&view.offsets) {
        let before = found.len();
        for form in forms {
            if segment.number == 0 {
                for (ordinal, row) in view.tail.iter().enumerate() {
                    if let Some(count) = row.count(*form) {
                        found.push((offset + ordinal, count));
                    }
                }
            } else {
                postings.with(segment.number, *form, &mut |bytes| {
                    decode_postings(bytes, |ordinal, count| {
                        found.push((offset + ordinal as usize, count));
                    });
                })?;
            }
        }
        if forms.len() > 1 {
            join(&mut found, before);
        }
    }
    found.retain(|(index, _)| *index < view.len() && view.is_live(*index));
    Ok(found)
}

/// Sorts what was found from `start` on, and adds up what belongs to the same document.
fn join(found: &mut Vec<(usize, u32)>, start: usize) {
    found[start..].sort_unstable();
    let mut end = start;
    for at in start..found.len() {
        if end > start && found[end - 1].0 == found[at].0 {
            found[end - 1].1 += found[at].1;
        } else {
            found[end] = found[at];
            end += 1;
        }
    }
    found.truncate(end);
}

/// How much of one word each document has.
struct Amounts {
    amounts: Vec<f32>,
    touched: Vec<usize>,
}

impl Amounts {
    fn add(&mut self, index: usize, amount: f32) {
        if self.amounts[index] == 0.0 {
            self.touched.push(index);
        }
        self.amounts[index] += amount;
    }
}

/// Scores every document.
pub(crate) fn score<E>(
    view: &View,
    postings: &impl Postings<Error = E>,
    words: &[QueryTerm],
) -> Result<Lexical, E> {
    let mut result = Lexical {
        scores: vec![0.0; view.len()],
        words: vec![0; view.len()],
        rarities: Vec::with_capacity(words.len()),
    };
    let mut amounts = Amounts { amounts: vec![0.0; view.len()], touched: Vec::new() };
    for (number, word) in words.iter().enumerate() {
        let bit = u32::try_from(number).ok().and_then(|at| 1_u64.checked_shl(at)).unwrap_or(0);
        let in_text = holders(view, postings, &word.forms)?;
        let named: Vec<Term> = word.forms.iter().map(|form| label::speaker(*form)).collect();
        let in_name = holders(view, postings, &named)?;
        let mut holding = in_text.len();
        for (index, count) in &in_text {
            #[expect(clippy::cast_precision_loss, reason = "counts are small")]
            let count = *count as f32;
            let segment = view.segment_of(*index);
            let meta = view.meta_in(*index, segment);
            result.words[*index] |= bit;
            amounts.add(*index, count * rank::density(meta.length, view.mean_length));
            let lent = count * rank::density(meta.text_length, view.mean_length);
            if view.has_turns {
                lend(view, *index, meta, lent, &mut amounts);
            }
        }
        for (index, _) in &in_name {
            let meta = view.meta(*index);
            holding += usize::from(result.words[*index] & bit == 0);
            result.words[*index] |= bit;
            amounts.add(*index, rank::density(meta.length, view.mean_length));
        }
        let rarity = rank::rarity(holding, view.count);
        result.rarities.push(rarity);
        for index in amounts.touched.drain(..) {
            let amount = std::mem::take(&mut amounts.amounts[index]);
            result.scores[index] += rank::worth(rarity, amount);
        }
    }
    Ok(result)
}

/// Gives the turns around a document their share of its words.
fn lend(view: &View, index: usize, meta: &Meta, lent: f32, amounts: &mut Amounts) {
    if meta.session == 0 {
        return;
    }
    for side in 0..2 {
        let mut at = index;
        for (distance, share) in rank::LENT.iter().enumerate() {
            let Some(near) = view.neighbours(at)[side] else { break };
            at = near;
            let neighbour = view.meta(near);
            if neighbour.speaker == 0 {
                continue;
            }
            let mut share = *share;
            if side == 1 && distance == 0 && meta.asks == 1 {
                share += rank::LENT_BY_A_QUESTION * rank::borrows(meta.words);
            }
            amounts.add(near, lent * share * rank::borrows(neighbour.words));
        }
    }
}
