//! The built-in model: a table of one vector a word piece, in the binary, read where it lies.

use crate::wordpiece::{self, Vocabulary};
use crate::{EmbedError, Embedder, Role};

/// The table that is always there.
static BUILT_IN: &[u8] = include_bytes!("../data/quipu-static-2.bin");

/// A memory says what it is about at its beginning: the piece at this place counts half.
const FADING: f32 = 24.0;

const HEADER: usize = 64;
const SEED: u32 = 0x811c_9dc5;
const CONTINUATION_SEED: u32 = SEED ^ 0x5bd1_e995;

/// A table of word-piece vectors. A text's vector is the sum of those of its pieces.
#[derive(Clone, Copy, Debug)]
pub struct StaticModel {
    id: &'static str,
    dims: usize,
    mask: usize,
    slots: &'static [u8],
    offsets: &'static [u8],
    strings: &'static [u8],
    scales: &'static [u8],
    rows: &'static [u8],
}

impl StaticModel {
    /// Returns the model that is part of Quipu.
    ///
    /// # Errors
    /// When the data is not a table, which a test rules out.
    pub fn built_in() -> Result<Self, EmbedError> {
        Self::parse(BUILT_IN)
    }

    fn parse(data: &'static [u8]) -> Result<Self, EmbedError> {
        let bad = |reason: &str| EmbedError::BadModel {
            model: "built-in table".to_owned(),
            reason: reason.to_owned(),
        };
        if data.len() < HEADER || &data[..8] != b"QUIPUEMB" || u32_at(data, 2) != 1 {
            return Err(bad("it is not a table of version 1"));
        }
        let [dims, vocabulary, slots, strings] = [3, 4, 5, 6].map(|at| u32_at(data, at) as usize);
        let name = data[32..HEADER].split(|byte| *byte == 0).next().unwrap_or_default();
        let id = std::str::from_utf8(name).map_err(|_| bad("its name is not text"))?;
        let sizes = [slots * 2, (vocabulary + 1) * 4, strings, vocabulary * 4, vocabulary * dims];
        if sizes.iter().sum::<usize>() + HEADER != data.len() || !slots.is_power_of_two() {
            return Err(bad("its parts do not add up"));
        }
        let mut rest = &data[HEADER..];
        let [slots, offsets, strings, scales, rows] = sizes.map(|size| {
            let (part, after) = rest.split_at(size);
            rest = after;
            part
        });
        Ok(Self { id, dims, mask: slots.len() / 2 - 1, slots, offsets, strings, scales, rows })
    }

    /// Returns the vector of one text, of length one; zeros where no piece is known.
    pub fn vector(&self, text: &str, role: Role) -> Vec<f32> {
        let mut sum = vec![0.0_f32; self.dims];
        let mut place = 0.0_f32;
        wordpiece::pieces(text, self, |id| {
            let id = id as usize;
            let weight = if role == Role::Memory { 1.0 / (1.0 + place / FADING) } else { 1.0 };
            place += 1.0;
            let scale = weight * f32::from_bits(u32_at(self.scales, id));
            let row = &self.rows[id * self.dims..(id + 1) * self.dims];
            for (total, value) in sum.iter_mut().zip(row) {
                *total += scale * f32::from(value.cast_signed());
            }
        });
        let norm = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        if norm > 0.0 {
            for value in &mut sum {
                *value /= norm;
            }
        }
        sum
    }

    fn piece(&self, id: u32) -> &'static [u8] {
        let [start, end] = [0, 1].map(|more| u32_at(self.offsets, id as usize + more) as usize);
        &self.strings[start..end]
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &str {
        self.id
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text, role)).collect())
    }
}

impl Vocabulary for StaticModel {
    fn seed(&self, continues: bool) -> u32 {
        if continues { CONTINUATION_SEED } else { SEED }
    }

    fn find(&self, piece: &str, hash: u32, continues: bool) -> Option<u32> {
        let mut slot = hash as usize & self.mask;
        loop {
            let entry = u16::from_le_bytes([self.slots[slot * 2], self.slots[slot * 2 + 1]]);
            let id = u32::from(entry.checked_sub(1)?);
            let known = self.piece(id);
            let (marked, known) = match known.strip_prefix(b"##") {
                Some(rest) if !rest.is_empty() => (true, rest),
                _ => (false, known),
            };
            if marked == continues && known == piece.as_bytes() {
                return Some(id);
            }
            slot = (slot + 1) & self.mask;
        }
    }
}

fn u32_at(data: &[u8], index: usize) -> u32 {
    let at = index * 4;
    u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Golden {
        cases: Vec<Case>,
    }

    #[derive(serde::Deserialize)]
    struct Case {
        text: String,
        ids: Vec<u32>,
        head: Vec<f32>,
    }

    fn cosine(a: &str, b: &str) -> f32 {
        let model = StaticModel::built_in().unwrap();
        model
            .vector(a, Role::Question)
            .iter()
            .zip(model.vector(b, Role::Memory))
            .map(|(a, b)| a * b)
            .sum()
    }

    #[test]
    fn pieces_and_vectors_are_those_of_the_recipe() {
        let golden: Golden = serde_json::from_str(include_str!("../data/golden.json")).unwrap();
        let model = StaticModel::built_in().unwrap();
        let unknown = u32_at(BUILT_IN, 7);
        for case in golden.cases {
            let mut ids = Vec::new();
            wordpiece::pieces(&case.text, &model, |id| ids.push(id));
            let known: Vec<u32> = case.ids.into_iter().filter(|id| *id != unknown).collect();
            assert_eq!(ids, known, "{}", case.text);
            for (ours, theirs) in model.vector(&case.text, Role::Question).iter().zip(&case.head) {
                assert!((ours - theirs).abs() < 1e-4, "{}: {ours} {theirs}", case.text);
            }
        }
    }

    #[test]
    fn what_means_the_same_is_nearer_than_what_does_not() {
        let triples = [
            ("the car would not start", "his vehicle broke down", "she planted roses"),
            ("retry with backoff", "try again and wait longer each time", "the menu has soup"),
            ("which theme does she like", "Anna prefers dark mode", "the server was moved"),
            ("how much does it cost", "the price is ten dollars", "we walked along the beach"),
            ("who fixed the bug", "the defect was repaired by Tom", "dinner is at eight"),
        ];
        for (question, same, other) in triples {
            let (near, far) = (cosine(question, same), cosine(question, other));
            assert!(near > far + 0.05, "{question}: {near} {far}");
        }
    }

    #[test]
    fn odd_texts_are_fine() {
        let model = StaticModel::built_in().unwrap();
        for text in ["", "🙂", "İ", "\u{0}\u{301}", "日本語", &"x".repeat(10_000)] {
            assert_eq!(model.vector(text, Role::Memory).len(), model.dims);
        }
    }
}
