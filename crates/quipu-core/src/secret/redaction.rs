//! Texts with `(REDACTED)` in place of what looks like a secret.

use std::ops::Range;

use memchr::memmem;

use super::{Hit, REDACTED, Scope, find};
use crate::prose;

/// Returns a text with `(REDACTED)` where it looks like a secret.
pub fn redacted(source: &str, scope: Scope) -> String {
    let hits = find(source, scope, true);
    if hits.is_empty() {
        return source.to_owned();
    }
    let keys = KeyLines::of(source);
    let mut spans: Vec<Range<usize>> = hits.iter().map(|hit| keys.whole(source, hit)).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    let mut result = String::with_capacity(source.len());
    let mut at = 0;
    for span in spans.into_iter().filter(|span| !span.is_empty()) {
        if span.start >= at {
            result.push_str(&source[at..span.start]);
            result.push_str(REDACTED);
        }
        at = at.max(span.end);
    }
    result.push_str(&source[at..]);
    result
}

/// Tells whether a redacted text says nothing but that there is a secret: "password: (REDACTED)".
pub(crate) fn is_bare(redacted: &str) -> bool {
    const SAYING: &str = "a access an and api apikey auth credential credentials for is it key keys login my \
        of our pass passphrase passwd password passwords pwd secret secrets set the this to token \
        tokens use user username with your";
    /// A longer text before the value says what it is for.
    const LONGEST_NAME: usize = 4;
    if !redacted.contains(REDACTED) {
        return false;
    }
    let told = |text: &str| -> usize {
        let lower = text.to_lowercase();
        let is_said = |word: &&str| SAYING.split(' ').all(|known| known != *word);
        prose::words(&lower, "").filter(is_said).count()
    };
    let is_mark = |c: char| c.is_whitespace() || "`'\".*_".contains(c);
    let ends = redacted.trim_end_matches(is_mark).strip_suffix(REDACTED);
    let name = ends.map(|name| name.trim_end_matches(is_mark)).filter(|name| {
        name.ends_with([':', '=']) || name.ends_with(" is") || name.ends_with(" are")
    });
    told(&redacted.replace(REDACTED, " ")) == 0
        || name.is_some_and(|name| !name.contains(REDACTED) && told(name) < LONGEST_NAME)
}

/// Where keys in several lines begin and end, so that each is found without reading on to the end of the text.
struct KeyLines {
    begins: Vec<usize>,
    ends: Vec<usize>,
}

impl KeyLines {
    fn of(source: &str) -> Self {
        let places = |mark: &str| memmem::find_iter(source.as_bytes(), mark).collect();
        Self { begins: places("-----BEGIN "), ends: places("-----END ") }
    }

    /// Returns the first of `places` from `at` on.
    fn next(places: &[usize], at: usize) -> Option<usize> {
        places.get(places.partition_point(|place| *place < at)).copied()
    }

    /// Returns all of a secret whose beginning was found: of a key in several lines up to its end.
    fn whole(&self, source: &str, hit: &Hit) -> Range<usize> {
        /// So long is a line that ends a key at most.
        const LAST_LINE: usize = 100;
        let Range { start, mut end } = hit.span.clone();
        let mark = match hit.category {
            "private-key-block" => "PRIVATE KEY-----",
            "pgp-private-key" => "PRIVATE KEY BLOCK-----",
            _ => return start..end,
        };
        let next = Self::next(&self.begins, end).unwrap_or(usize::MAX);
        if let Some(close) = Self::next(&self.ends, end).filter(|close| *close < next)
            && let line = &source.as_bytes()[close..(close + LAST_LINE).min(source.len())]
            && let Some(length) = memmem::find(line, mark.as_bytes())
        {
            return start..close + length + mark.len();
        }
        // It was cut off: the lines that can only be its own go with it.
        let is_key = |line: &str| {
            let line = line.trim();
            let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
            line.is_empty() || (line.len() >= 16 && line.bytes().all(plain))
        };
        for line in source[end..].split_inclusive('\n') {
            if !is_key(line) {
                break;
            }
            end += line.len();
        }
        let kept = source[start..end].trim_end().len();
        start..start + kept
    }
}
