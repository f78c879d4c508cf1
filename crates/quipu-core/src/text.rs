//! Lossless editing: lines with their byte spans, and edits that replace spans.
//!
//! Nothing in Quipu re-renders a user's file. A change is a list of [`Edit`]s; every byte outside
//! their spans stays as it was (rule 6 of docs/spec/rules.md).

use std::fmt::Write as _;
use std::ops::Range;

/// One replacement: the bytes in `span` become `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the source to replace; empty to insert.
    pub span: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

impl Edit {
    /// Replaces `span` by `text`.
    pub fn replace(span: Range<usize>, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }

    /// Inserts `text` before the byte at `at`.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { span: at..at, text: text.into() }
    }

    /// Removes `span`.
    pub fn remove(span: Range<usize>) -> Self {
        Self { span, text: String::new() }
    }
}

/// Two edits of one plan claim the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two edits overlap at byte {at}")]
pub struct OverlapError {
    /// Where the second edit begins inside the first.
    pub at: usize,
}

/// Returns `source` with `edits` carried out.
///
/// Insertions at one place keep the order in which they are listed.
///
/// # Errors
/// When two edits overlap.
pub fn apply(source: &str, edits: &[Edit]) -> Result<String, OverlapError> {
    let mut order: Vec<&Edit> = edits.iter().collect();
    order.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut result = String::with_capacity(source.len());
    let mut at = 0;
    for edit in order {
        if edit.span.start < at {
            return Err(OverlapError { at: edit.span.start });
        }
        result.push_str(&source[at..edit.span.start]);
        result.push_str(&edit.text);
        at = edit.span.end;
    }
    result.push_str(&source[at..]);
    Ok(result)
}

/// A line of a text, with where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line without its ending.
    pub text: &'a str,
    /// Byte offset of its first character.
    pub start: usize,
    /// Byte offset after its line ending.
    pub end: usize,
}

impl Line<'_> {
    /// Tells whether the line holds nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Returns the lines of `source`; `\n` and `\r\n` end a line.
pub fn lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == source.len() {
            return None;
        }
        let newline = memchr::memchr(b'\n', &source.as_bytes()[start..]);
        let end = newline.map_or(source.len(), |at| start + at + 1);
        let text = &source[start..end - usize::from(newline.is_some())];
        let line = Line { text: text.strip_suffix('\r').unwrap_or(text), start, end };
        start = end;
        Some(line)
    })
}

/// Returns the 1-based line number of byte `at`.
pub fn line_number(source: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &source.as_bytes()[..at]).count() + 1
}

/// Numbers the lines of many bytes of one text, counting on from the last: in order, all of them
/// together cost no more than the last one would.
#[derive(Debug)]
pub struct LineNumbers<'a> {
    source: &'a str,
    /// The byte asked for last, and the line breaks before it.
    last: (usize, usize),
}

impl<'a> LineNumbers<'a> {
    /// Begins at the start of a text.
    pub fn of(source: &'a str) -> Self {
        Self { source, last: (0, 0) }
    }

    /// Returns the 1-based line number of byte `at`.
    pub fn at(&mut self, at: usize) -> usize {
        if at < self.last.0 {
            self.last = (0, 0);
        }
        let (from, breaks) = self.last;
        let between = memchr::memchr_iter(b'\n', &self.source.as_bytes()[from..at]).count();
        self.last = (at, breaks + between);
        breaks + between + 1
    }
}

/// Returns the line ending that `source` uses: that of its first line, `\n` when it has none.
pub fn line_ending(source: &str) -> &'static str {
    match source.find('\n') {
        Some(at) if source[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns `text` with every line ending replaced by `ending`.
pub fn with_line_ending(text: &str, ending: &str) -> String {
    let unix = text.replace("\r\n", "\n");
    if ending == "\n" { unix } else { unix.replace('\n', ending) }
}

/// Cuts `text` to at most `limit` characters, at a character, with `…` where something was cut.
pub fn ellipsis(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// Returns a text in one short line.
pub fn headline(text: &str) -> String {
    ellipsis(&collapse_whitespace(text), 80)
}

/// Returns a number with what it counts, in the plural where it is not one: `1 session`, `2 memories`.
pub fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    if count == "1" {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

/// Returns a number with at most six decimals: 0.65, and not 0.6499999761581421.
pub fn rounded(number: f64) -> f64 {
    let short = (number * 1e6).round() / 1e6;
    if short == 0.0 {
        // What is next to nothing is still something.
        return format!("{number:.1e}").parse().unwrap_or(number);
    }
    if short.is_finite() { short } else { number }
}

/// Joins the words of `text` by single spaces.
pub fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns bytes as hexadecimal digits in lower case.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Returns a part of an address as it is meant: `%20` is a space.
pub fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.filter(|_| *first == b'%').and_then(|pair| str::from_utf8(pair).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes a text as one part of an address: everything but letters, digits and `-._~` by its bytes.
pub fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push_str(&hex(&[byte]).to_uppercase());
        }
    }
    encoded
}

/// Estimates how many tokens a model makes of a text.
pub fn tokens(text: &str) -> usize {
    let (ascii, other) = text.chars().fold((0, 0), |(ascii, other), c| {
        if c.is_ascii() { (ascii + 1, other) } else { (ascii, other + 1) }
    });
    usize::div_ceil(ascii, 4) + other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_order_of_place_not_of_listing() {
        let edits = [Edit::replace(4..5, "E"), Edit::replace(0..1, "A"), Edit::remove(2..3)];
        assert_eq!(apply("abcde", &edits).unwrap(), "AbdE");
    }

    #[test]
    fn only_two_digits_after_a_percent_sign_are_a_byte() {
        for (written, meant) in [
            ("/a%20b/%C3%A4", "/a b/ä"),
            ("100%", "100%"),
            ("%+1%2", "%+1%2"),
            ("%%41", "%A"),
            ("%ä9", "%ä9"),
        ] {
            assert_eq!(percent_decoded(written), meant);
        }
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let edits = [Edit::remove(0..3), Edit::remove(2..4)];
        assert_eq!(apply("abcde", &edits), Err(OverlapError { at: 2 }));
    }

    #[test]
    fn a_cut_is_between_characters_and_marked() {
        assert_eq!(ellipsis("größe", 5), "größe");
        assert_eq!(ellipsis("größer", 5), "größ…");
        assert_eq!(ellipsis("ab  cd", 4), "ab…");
    }

    #[test]
    fn lines_keep_their_endings_outside_the_text() {
        let found: Vec<_> =
            lines("a\r\n\nb").map(|line| (line.text, line.start, line.end)).collect();
        assert_eq!(found, [("a", 0, 3), ("", 3, 4), ("b", 4, 5)]);
        assert_eq!(line_ending("a\r\nb\n"), "\r\n");
    }
}
