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

// Everybody carries it.
const _: () = assert!(BUILT_IN.len() <= 12_000_000, "the table is too large");

impl StaticModel {
    /// How many bytes of the binary it is.
    pub const BYTES: usize = BUILT_IN.len();

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

    /// FNV-1a over the bytes of a vector: one bit more or less is another number.
    fn fingerprint(vector: &[f32]) -> u32 {
        vector.iter().flat_map(|value| value.to_le_bytes()).fold(SEED, wordpiece::extend_hash)
    }

    #[test]
    fn vectors_are_the_same_to_the_bit_everywhere() {
        let model = StaticModel::built_in().unwrap();
        let long = "one two three ".repeat(300);
        let expected = [
            ("Anna prefers dark mode.", 0x7d83_4c43, 0x169c_3c08),
            ("Die Straßenbahn fährt über die Brücke.", 0x38d9_60e0, 0xf535_1ea3),
            ("¿Dónde está la biblioteca?", 0x0043_3b8a, 0x4cfb_482e),
            ("グレタはリスボンに住んでいます。", 0x8086_7868, 0x66e9_d43b),
            ("我们在东京吃拉面", 0x49b0_8b05, 0xf444_47cf),
            ("안녕하세요 세계", 0x1d2d_251f, 0x0c53_05c9),
            ("Привет, мир", 0x99a7_ac03, 0x5027_1bdc),
            ("مرحبا بالعالم", 0xd90e_21a1, 0x09d1_4171),
            ("नमस्ते दुनिया", 0x5540_8d7a, 0x3c29_93e3),
            ("สวัสดีชาวโลก", 0x1f11_6dc5, 0x1f11_6dc5),
            ("🎉 party 👩‍👩‍👧 at 7", 0x3351_3fb5, 0x4e69_5e3c),
            ("e\u{301} é E\u{301} ﬁne İ ẞ", 0x6ddb_efd1, 0x3abd_f749),
            ("\u{0}\u{200b}\u{fffd}\u{10ffff}", 0x1f11_6dc5, 0x1f11_6dc5),
            (&long, 0x0b72_083d, 0x1cdf_0f36),
        ];
        let found = expected.map(|(text, ..)| {
            let [question, memory] =
                [Role::Question, Role::Memory].map(|role| fingerprint(&model.vector(text, role)));
            (text, question, memory)
        });
        assert!(found == expected, "{found:#010x?}");
    }

    #[test]
    fn what_is_unknown_counts_for_nothing() {
        let model = StaticModel::built_in().unwrap();
        let vector = |text| model.vector(text, Role::Memory);
        assert_eq!(vector("party 🎉 at 7 สวัสดี"), vector("party at 7"));
        assert_ne!(vector("Привет"), vector("Пока"), "letters of other scripts are pieces");
        for text in ["🎉 😀", "สวัสดีชาวโลก", "薔薇"] {
            assert!(vector(text).iter().all(|value| *value == 0.0), "{text} is near to nothing");
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
