//! `WordPiece` as BERT's uncased models do it: fold, split at punctuation, then the longest known
//! piece first.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Words longer than this are unknown, as in the original.
const LONGEST_WORD: usize = 100;

/// Looks up pieces: `continues` tells whether one stands inside a word.
pub(crate) trait Vocabulary {
    /// Starts a hash for a piece.
    fn seed(&self, continues: bool) -> u32;
    /// Returns the id of the piece with that text and hash.
    fn find(&self, piece: &str, hash: u32, continues: bool) -> Option<u32>;
}

/// FNV-1a, so that the hash of a longer piece follows from that of a shorter one.
pub(crate) fn extend_hash(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(16_777_619)
}

/// Calls `each` with the id of every known piece of `text`, in order.
pub(crate) fn pieces(text: &str, vocabulary: &impl Vocabulary, mut each: impl FnMut(u32)) {
    let mut word = String::new();
    let mut buffer = Vec::new();
    let mut flush = |word: &mut String, each: &mut dyn FnMut(u32)| {
        if !word.is_empty() {
            split_word(word, vocabulary, &mut buffer, each);
            word.clear();
        }
    };
    let mut push = |c: char, each: &mut dyn FnMut(u32)| {
        if in_word(c) {
            word.push(c);
            return;
        }
        flush(&mut word, each);
        if !c.is_whitespace() && !c.is_control() {
            word.push(c);
            flush(&mut word, each);
        }
    };
    if text.is_ascii() {
        text.bytes().for_each(|byte| push(char::from(byte.to_ascii_lowercase()), &mut each));
    } else {
        fold(text).for_each(|c| push(c, &mut each));
    }
    flush(&mut word, &mut each);
}

/// Returns the letters, small and without the marks above and below them.
pub(crate) fn fold(text: &str) -> impl Iterator<Item = char> + '_ {
    let small = text.nfd().filter(|c| !is_mark(*c)).flat_map(char::to_lowercase);
    // Lowering İ brings a mark back.
    small.filter(|c| !is_mark(*c))
}

/// Marks that take no room of their own: vowel signs that do are letters.
fn is_mark(c: char) -> bool {
    c >= '\u{300}' && c.general_category() == GeneralCategory::NonspacingMark
}

/// Characters that words are made of; each other one stands alone.
fn in_word(c: char) -> bool {
    (c.is_alphanumeric() && !is_ideograph(c))
        || (c >= '\u{300}' && c.general_category() == GeneralCategory::SpacingMark)
}

fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

/// Splits one word, the longest piece first; a word with an unknown rest is unknown as a whole.
fn split_word(
    word: &str,
    vocabulary: &impl Vocabulary,
    ids: &mut Vec<u32>,
    each: &mut dyn FnMut(u32),
) {
    ids.clear();
    if word.chars().count() > LONGEST_WORD {
        return;
    }
    let mut start = 0;
    while start < word.len() {
        let continues = start > 0;
        let mut hash = vocabulary.seed(continues);
        let mut longest = None;
        for (at, byte) in word.bytes().enumerate().skip(start) {
            hash = extend_hash(hash, byte);
            let end = at + 1;
            if word.is_char_boundary(end) {
                let found = vocabulary.find(&word[start..end], hash, continues);
                longest = found.map(|id| (id, end)).or(longest);
            }
        }
        let Some((id, end)) = longest else { return };
        ids.push(id);
        start = end;
    }
    for id in ids {
        each(*id);
    }
}
