//! What we compare recall with: plain BM25, and vectors of hashed words.

use std::collections::BTreeMap;

use quipu_core::terms::{self, Language, Term};

use crate::data::Memory;

/// Ranks all memories for a question, best first.
pub(crate) trait Baseline {
    fn rank(&self, question: &str) -> Vec<usize>;
}

fn best_first(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    order
}

fn full_text(memory: &Memory) -> String {
    format!("{} {}", memory.speaker.as_deref().unwrap_or_default(), memory.text)
}

/// BM25 (k1 1.2, b 0.75) over stemmed words, stop words left out, the speaker in the text.
pub(crate) struct Bm25 {
    postings: BTreeMap<Term, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean: f64,
}

impl Bm25 {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn new(memories: &[Memory]) -> Self {
        let mut postings: BTreeMap<Term, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (at, memory) in memories.iter().enumerate() {
            let words = terms::of_document(&full_text(memory));
            lengths.push(f64::from(words.length));
            for (term, count) in words.counts {
                postings.entry(term).or_default().push((at, f64::from(count)));
            }
        }
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self { postings, lengths, mean }
    }
}

impl Baseline for Bm25 {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn rank(&self, question: &str) -> Vec<usize> {
        let mut scores = vec![0.0; self.lengths.len()];
        let all = self.lengths.len() as f64;
        for word in terms::of_query(question, &[Language::English]) {
            for list in word.forms.iter().filter_map(|form| self.postings.get(form)) {
                let rarity =
                    (1.0 + (all - list.len() as f64 + 0.5) / (list.len() as f64 + 0.5)).ln();
                for (at, count) in list {
                    let norm = 1.2 * (0.25 + 0.75 * self.lengths[*at] / self.mean);
                    scores[*at] += rarity * count * 2.2 / (count + norm);
                }
            }
        }
        best_first(&scores)
    }
}

/// 128 buckets of hashed words, as the journal of `CursorClaw` does it.
pub(crate) struct Hashed {
    vectors: Vec<Vec<f64>>,
}

impl Hashed {
    pub(crate) fn new(memories: &[Memory]) -> Self {
        Self { vectors: memories.iter().map(|memory| hashed(&full_text(memory))).collect() }
    }
}

impl Baseline for Hashed {
    fn rank(&self, question: &str) -> Vec<usize> {
        let query = hashed(question);
        let near = |vector: &Vec<f64>| vector.iter().zip(&query).map(|(a, b)| a * b).sum();
        best_first(&self.vectors.iter().map(near).collect::<Vec<f64>>())
    }
}

fn hashed(text: &str) -> Vec<f64> {
    let mut vector = vec![0.0; 128];
    let lower = text.to_lowercase();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for word in lower.split(|c| !is_word(c)).filter(|word| word.len() >= 2).take(2000) {
        let hash = sha1_smol::Sha1::from(word).digest().bytes();
        let bucket = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]) % 128;
        vector[bucket as usize] += 1.0;
    }
    let norm = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    for value in &mut vector {
        *value /= norm.max(1e-12);
    }
    vector
}
