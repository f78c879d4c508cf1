//! Numbers that name a person or a card, found in one pass over the digits.

use std::ops::Range;

/// Returns the numbers in `bytes` that look like one of those, with their category, in order.
pub(super) fn find(bytes: &[u8]) -> Vec<(&'static str, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + offset;
        let run = digits(&bytes[start..]);
        at = start + run;
        let before = start.checked_sub(1).map(|index| bytes[index]);
        if before == Some(b'+') && (10..=15).contains(&run) && ends_word(bytes, at) {
            found.push(("phone-e164", start - 1..at));
        }
        if before.is_some_and(is_word_byte) {
            continue;
        }
        if let Some(end) = groups(bytes, start, &[3, 2, 4], b"-") {
            found.push(("ssn", start..end));
            at = end;
        }
        let plain = ((13..=19).contains(&run) && ends_word(bytes, at)).then_some(at);
        if let Some(end) = groups(bytes, start, &[4, 4, 4, 4], b" -").or(plain) {
            at = end;
            if passes_luhn(&bytes[start..end]) {
                found.push(("payment-card", start..end));
            }
        }
    }
    // In order of category, so that a caller can tell repetitions.
    found.sort_by_key(|(category, span)| (*category, span.start));
    found
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn ends_word(bytes: &[u8], at: usize) -> bool {
    !bytes.get(at).copied().is_some_and(is_word_byte)
}

/// Returns how many digits `bytes` begins with.
fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Returns the end of digit groups of these lengths, joined by one of `joints`, that end a word.
fn groups(bytes: &[u8], start: usize, lengths: &[usize], joints: &[u8]) -> Option<usize> {
    let mut at = start;
    for (index, length) in lengths.iter().enumerate() {
        if index > 0 {
            joints.contains(bytes.get(at)?).then_some(())?;
            at += 1;
        }
        (digits(&bytes[at..]) == *length).then_some(())?;
        at += length;
    }
    ends_word(bytes, at).then_some(at)
}

fn passes_luhn(number: &[u8]) -> bool {
    let digits: Vec<u32> =
        number.iter().filter(|b| b.is_ascii_digit()).map(|b| u32::from(b - b'0')).collect();
    let weigh = |(place, digit): (usize, &u32)| match (place % 2, digit * 2) {
        (0, _) => *digit,
        (_, double) if double > 9 => double - 9,
        (_, double) => double,
    };
    (13..=19).contains(&digits.len())
        && digits.iter().rev().enumerate().map(weigh).sum::<u32>() % 10 == 0
}
