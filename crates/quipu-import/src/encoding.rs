//! Texts that are not in UTF-8: with a mark of byte order in UTF-16, as some programs of Windows write, or in the code
//! page of the West, as tables and old notes are.

use std::io::{self, Read};

/// The signs from 0x80 to 0x9f in the code page of the West (1252); the others are those of Unicode.
const WEST: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Tells whether bytes begin with the mark of UTF-16, and if so whether the large half of a sign comes first.
pub(crate) fn utf16(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, ..] => Some(false),
        [0xfe, 0xff, ..] => Some(true),
        _ => None,
    }
}

/// Returns bytes as text, without a mark of byte order: UTF-8 where they are that, else UTF-16 where they say so, else
/// the code page of the West.
pub(crate) fn decoded(bytes: Vec<u8>) -> String {
    if utf16(&bytes).is_some() {
        let mut text = String::new();
        // A reader of bytes that lie in memory does not fail, and what it hands out is UTF-8.
        let _ = Utf16::new(&*bytes).read_to_string(&mut text);
        return text;
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error.as_bytes().iter().map(|byte| west(*byte)).collect(),
    };
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

fn west(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WEST[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

/// Reads UTF-16 as UTF-8.
pub(crate) struct Utf16<R> {
    from: R,
    large_first: Option<bool>,
    /// Bytes that are not a whole sign yet.
    rest: Vec<u8>,
    ready: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16<R> {
    /// Makes a reader of something that begins with a mark of byte order.
    pub(crate) fn new(from: R) -> Self {
        Self { from, large_first: None, rest: Vec::new(), ready: Vec::new(), at: 0 }
    }

    /// Reads on, until something is ready or nothing is left.
    fn fill(&mut self) -> io::Result<()> {
        let mut piece = [0; 16 * 1024];
        while self.at == self.ready.len() {
            let count = self.from.read(&mut piece)?;
            self.rest.extend_from_slice(&piece[..count]);
            if count == 0 && self.rest.is_empty() {
                return Ok(());
            }
            if self.large_first.is_none() && self.rest.len() >= 2 {
                self.large_first = utf16(&self.rest[..2]);
                self.rest.drain(..2);
            }
            let large_first = self.large_first.unwrap_or(false);
            let mut units: Vec<u16> = (self.rest.chunks_exact(2))
                .map(|two| {
                    let two = [two[0], two[1]];
                    if large_first { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) }
                })
                .collect();
            // The first half of a pair waits for the second.
            let is_half = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
            if is_half && count > 0 {
                units.pop();
            }
            let taken = if count == 0 { self.rest.len() } else { units.len() * 2 };
            self.rest.drain(..taken);
            let signs = char::decode_utf16(units).map(|sign| sign.unwrap_or('\u{fffd}'));
            self.ready = signs.collect::<String>().into_bytes();
            self.at = 0;
            if count == 0 {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.fill()?;
        let count = into.len().min(self.ready.len() - self.at);
        into[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time.
    struct Slow<'b>(&'b [u8]);
    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            (into[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn texts_of_windows_are_read() {
        let text = "Käse 🎉\nzwei";
        let little: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let large: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_be_bytes)
            .collect();
        for bytes in [little.clone(), large, text.as_bytes().to_vec()] {
            assert_eq!(decoded(bytes), text);
        }
        // Byte by byte, so that every sign is cut somewhere.
        let mut slow = String::new();
        Utf16::new(Slow(&little)).read_to_string(&mut slow).unwrap();
        assert_eq!(slow, text);
        assert_eq!(decoded(b"Gr\xf6\xdfe \x80 5 \x96 fast".to_vec()), "Größe € 5 – fast");
    }
}
