//! Features of letters, for scripts of which the table knows little more than single letters: two words
//! are alike where they share pairs of neighbouring characters.
//!
//! The vector of a pair comes of its hash alone, so that it takes no room, and those of two pairs have
//! next to nothing in common.

use crate::wordpiece;

/// The hash of a pair of characters.
pub(crate) type Pair = u64;

/// Calls `each` with every pair of neighbouring letters of a script that is not Latin; with the letter
/// and nothing where one stands alone.
pub(crate) fn pairs(text: &str, mut each: impl FnMut(Pair)) {
    if text.is_ascii() {
        return;
    }
    let mut before: Option<char> = None;
    let mut alone = false;
    for c in wordpiece::fold(text).map(Some).chain([None]) {
        let letter = c.filter(|c| is_foreign(*c));
        match (before, letter) {
            (Some(first), Some(second)) => each(hash(first, second)),
            (Some(first), None) if alone => each(hash(first, '\0')),
            _ => {}
        }
        alone = before.is_none();
        before = letter;
    }
}

/// Adds the pair's vector, whose numbers are `size` or its negative.
pub(crate) fn add(sum: &mut [f32], pair: Pair, size: f32) {
    let mut state = pair;
    for part in sum.chunks_mut(64) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = scramble(state);
        for (at, value) in part.iter_mut().enumerate() {
            *value += if bits >> at & 1 == 1 { size } else { -size };
        }
    }
}

/// Tells whether a piece is nothing but such a letter. To the table they are all alike: it would take any
/// two texts of a script for the same.
pub(crate) fn is_letter(piece: &str) -> bool {
    let mut letters = piece.strip_prefix("##").unwrap_or(piece).chars();
    letters.next().is_some_and(is_foreign) && letters.next().is_none()
}

/// Letters of scripts in which the table knows words only by their letters.
fn is_foreign(c: char) -> bool {
    let latin = matches!(u32::from(c), 0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff | 0xfb00..=0xfb06);
    c >= '\u{370}' && !latin && c.is_alphabetic()
}

fn hash(first: char, second: char) -> Pair {
    scramble(u64::from(u32::from(first)) << 32 | u64::from(u32::from(second)))
}

/// `SplitMix64`: every bit of the result depends on every bit of the number.
fn scramble(number: u64) -> u64 {
    let mut bits = number;
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Pair> {
        let mut all = Vec::new();
        pairs(text, |pair| all.push(pair));
        all
    }

    #[test]
    fn other_scripts_are_spelled_and_latin_is_not() {
        assert!(of("plain words, ½ and Ångström ẞ ﬁ 🎉").is_empty());
        assert_eq!(of("薔薇"), [hash('薔', '薇')]);
        assert_eq!(of("薔 x"), [hash('薔', '\0')]);
        assert_eq!(of("x薔"), [hash('薔', '\0')]);
        assert_eq!(of("Да да"), [hash('д', 'а'), hash('д', 'а')]);
        assert_eq!(of("東京に"), [hash('東', '京'), hash('京', 'に')]);
    }

    #[test]
    fn vectors_of_two_pairs_have_little_in_common() {
        let vector = |pair| {
            let mut sum = vec![0.0; 256];
            add(&mut sum, pair, 1.0 / 16.0);
            sum
        };
        let all: Vec<Vec<f32>> = of("Жили были старик со старухой у самого синего моря")
            .into_iter()
            .map(vector)
            .collect();
        for (at, first) in all.iter().enumerate() {
            for second in all[..at].iter().filter(|second| *second != first) {
                let cosine: f32 = first.iter().zip(second).map(|(a, b)| a * b).sum();
                assert!(cosine.abs() < 0.3, "{cosine}");
            }
        }
    }
}
