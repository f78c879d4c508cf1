//! The built-in model: a table of one vector a word piece, in the binary, read where it lies.

use crate::wordpiece::{self, Vocabulary};
use crate::{EmbedError, Embedder, Role, spelling};

/// The table that is always there.
static BUILT_IN: &[u8] = include_bytes!("../data/quipu-static-3.bin");

/// A memory says what it is about at its beginning: the piece at this place counts half.
const FADING: f32 = 24.0;

/// Each number of the vector of a pair of letters: of 256 they make a length of a half, where that of
/// a rare word is about 1.5.
const SPELLING: f32 = 0.5 / 16.0;

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

    /// Returns the vector of one text, of length one; zeros where it has no known piece and no letter of
    /// another script.
    pub fn vector(&self, text: &str, role: Role) -> Vec<f32> {
        let ascii = text.is_ascii();
        let mut sum = vec![0.0_f32; self.dims];
        let fading = |place: &mut f32| {
            let weight = if role == Role::Memory { 1.0 / (1.0 + *place / FADING) } else { 1.0 };
            *place += 1.0;
            weight
        };
        let mut place = 0.0_f32;
        wordpiece::pieces(text, self, |id| {
            if !ascii && spelling::is_letter(self.piece(id)) {
                return;
            }
            let id = id as usize;
            let scale = fading(&mut place) * f32::from_bits(u32_at(self.scales, id));
            let row = &self.rows[id * self.dims..(id + 1) * self.dims];
            for (total, value) in sum.iter_mut().zip(row) {
                *total += scale * f32::from(value.cast_signed());
            }
        });
        let mut place = 0.0_f32;
        spelling::pairs(text, |pair| {
            spelling::add(&mut sum, pair, fading(&mut place) * SPELLING);
        });
        let norm = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        if norm > 0.0 {
            for value in &mut sum {
                *value /= norm;
            }
        }
        sum
    }

    fn piece(&self, id: u32) -> &'static str {
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    fn bytes(&self, id: u32) -> &'static [u8] {
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
            let known = self.bytes(id);
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
            let mut spelled = false;
            spelling::pairs(&case.text, |_| spelled = true);
            if spelled {
                continue; // the recipe knows of pieces alone
            }
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
            ("Anna prefers dark mode.", 0xe773_558a, 0x7aaf_ee23),
            ("Die Straßenbahn fährt über die Brücke.", 0xb4c7_2d96, 0x10c7_e96a),
            ("¿Dónde está la biblioteca?", 0xf46e_088a, 0x2bf8_9a6d),
            ("グレタはリスボンに住んでいます。", 0x2e20_a905, 0x308c_aa30),
            ("我们在东京吃拉面", 0x5efb_25a9, 0x4df5_2bdb),
            ("안녕하세요 세계", 0x6cb2_c6cb, 0x1194_03bb),
            ("Привет, мир", 0x925d_a80d, 0xfb2c_7ae9),
            ("مرحبا بالعالم", 0x473a_b4ae, 0x9050_c57b),
            ("नमस्ते दुनिया", 0x291f_326c, 0x3565_c26e),
            ("สวัสดีชาวโลก", 0xe623_cb20, 0xe349_fff7),
            ("🎉 party 👩‍👩‍👧 at 7", 0xa0a6_72ed, 0xa15a_5227),
            ("e\u{301} é E\u{301} ﬁne İ ẞ", 0xa64b_c9f6, 0x3fb4_23cc),
            ("\u{0}\u{200b}\u{fffd}\u{10ffff}", 0x1f11_6dc5, 0x1f11_6dc5),
            (&long, 0x68d3_31e4, 0x66ea_da79),
        ];
        let found = expected.map(|(text, ..)| {
            let [question, memory] =
                [Role::Question, Role::Memory].map(|role| fingerprint(&model.vector(text, role)));
            (text, question, memory)
        });
        assert!(found == expected, "{found:#010x?}");
    }

    #[test]
    fn unknown_signs_count_for_nothing() {
        let model = StaticModel::built_in().unwrap();
        let vector = |text| model.vector(text, Role::Memory);
        assert_eq!(vector("party 🎉 at 7"), vector("party at 7"));
        assert!(vector("🎉 😀").iter().all(|value| *value == 0.0), "near to nothing");
    }

    #[test]
    fn words_of_any_script_are_near_to_those_that_share_their_letters() {
        let triples = [
            ("薔薇が好き", "薔薇の花", "自転車を買う"),
            ("สวัสดีชาวโลก", "สวัสดีครับ", "รถไฟฟ้า"),
            ("Столица Франции", "в столице", "зелёный чай"),
            ("ខ្មែរ ភាសា", "ភាសាខ្មែរ", "ទឹកក្តៅ"),
            ("தமிழ் மொழி", "தமிழ்", "பச்சை தேநீர்"),
            ("서울에 산다", "서울", "녹차를 마신다"),
        ];
        for (question, same, other) in triples {
            let (near, far) = (cosine(question, same), cosine(question, other));
            assert!(near > far + 0.1, "{question}: {near} {far}");
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
