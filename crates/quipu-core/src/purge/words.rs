//! Finding words in a text again, however Quipu wrote them down: in another case, with other
//! punctuation, as part of an id, escaped for JSON or a link, or cut short with an ellipsis.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::journal::summary;

/// A phrase shorter than this may be in any text by chance, unless it is several words or has digits.
const TELLING: usize = 12;
const SHORTEST_TELLING: usize = 6;

/// With fewer letters and digits than this, a value is only found as it was given.
const SHORTEST_LOOSE: usize = 6;

/// No more than this stands between two words of one phrase: punctuation, a line break, a quote mark.
const LONGEST_GAP: usize = 12;

/// A copy that was cut short counts if at least so many bytes of the phrase are left.
const SHORTEST_CUT: usize = 16;

/// Bytes are looked through in parts of this size.
const PART: usize = 1 << 20;

/// What has to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Subject {
    /// Everything that an item says, or said before it was edited.
    Texts(BTreeSet<String>),
    /// The text of a summary as a whole; its sentences belong to the records that it was made from.
    Summary(BTreeSet<String>),
    /// One value, wherever it is, even inside a word.
    Value(String),
}

/// Where a phrase counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Everywhere, even inside a longer word.
    Anywhere,
    /// Wherever it stands as whole words.
    AsWords,
    /// Only in the item's own place: elsewhere it may mean something else.
    AtHome,
}

#[derive(Clone, Debug)]
struct Phrase {
    /// The phrase as given.
    text: String,
    /// The phrase and its encodings, in small letters.
    literals: Vec<String>,
    /// Its words, in small letters.
    words: Vec<String>,
    scope: Scope,
}

/// The words that a purge removes.
#[derive(Clone, Debug)]
pub struct Words {
    phrases: Vec<Phrase>,
    /// Every word of the phrases, as an id would have it.
    vocabulary: BTreeSet<String>,
}

impl Words {
    /// Returns the phrases of a subject, the longest first.
    pub fn new(subject: &Subject) -> Self {
        let mut phrases: Vec<Phrase> = match subject {
            Subject::Value(value) => vec![Phrase::new(value.trim(), Scope::Anywhere)],
            Subject::Summary(texts) => {
                texts.iter().map(|text| Phrase::of_item(text.trim())).collect()
            }
            Subject::Texts(texts) => {
                let mut all: BTreeSet<String> = BTreeSet::new();
                for text in texts {
                    let lines =
                        text.lines().map(|line| crate::doc::without_marker(line.trim()).trim());
                    // A summary may repeat one sentence, or the beginning of one.
                    all.extend(summary::sentences(text).into_iter().map(Cow::into_owned));
                    all.extend(summary::sentences_of_old(text).into_iter().map(Cow::into_owned));
                    all.extend(lines.chain([text.trim()]).map(str::to_owned));
                }
                all.iter().map(|text| Phrase::of_item(text)).collect()
            }
        };
        phrases.retain(|phrase| !phrase.text.is_empty());
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.text.len()));
        let ascii = |word: &String| -> String { word.chars().filter(char::is_ascii).collect() };
        let vocabulary = phrases.iter().flat_map(|phrase| &phrase.words).map(ascii).collect();
        Self { phrases, vocabulary }
    }

    /// Tells whether a text has any of the words, encoded or not.
    pub fn are_in(&self, text: &str) -> bool {
        self.may_be_in(text) && !self.ranges(text).is_empty()
    }

    /// Tells whether bytes of any kind, such as those of a database, have any of the words.
    pub fn are_in_bytes(&self, bytes: &[u8]) -> bool {
        let longest = self.phrases.first().map_or(0, |phrase| phrase.text.len());
        // The parts overlap, so that words on a border are seen too.
        let overlap = 4096.max(4 * longest);
        let mut start = 0;
        while start < bytes.len() {
            let end = bytes.len().min(start + PART + overlap);
            if self.are_in(&String::from_utf8_lossy(&bytes[start..end])) {
                return true;
            }
            start += PART;
        }
        false
    }

    /// Tells whether a text has words that are too common to remove from it.
    pub fn are_left_in(&self, text: &str) -> bool {
        let folded = Folded::new(text);
        let common = self.phrases.iter().filter(|phrase| phrase.scope == Scope::AtHome);
        common
            .filter(|phrase| phrase.text.len() > 2)
            .any(|phrase| !folded.literal(&phrase.text.to_lowercase(), true).is_empty())
    }

    /// Tells whether a line of the item's own file says one of the phrases and nothing else.
    pub fn are_all_of(&self, line: &str) -> bool {
        !line.is_empty() && self.phrases.iter().any(|phrase| phrase.text == line)
    }

    /// Returns a text with `mark` in place of the words.
    pub fn out_of(&self, text: &str, mark: &str) -> String {
        if !self.may_be_in(text) {
            return text.to_owned();
        }
        let mut result = String::with_capacity(text.len());
        let mut at = 0;
        for range in self.ranges(text) {
            result.push_str(&text[at..range.start]);
            let is_part =
                |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
            // Inside an id or a word, a mark with spaces would break it.
            let is_inside = is_part(text[..range.start].chars().next_back())
                || is_part(text[range.end..].chars().next());
            result.push_str(if is_inside { super::NEUTRAL } else { mark });
            at = range.end;
        }
        result.push_str(&text[at..]);
        result
    }

    /// Tells whether an id shares a telling word with what has to go. Ids are made from the first few
    /// words of a text, so a part of a phrase is enough.
    pub fn are_part_of_id(&self, id: &str) -> bool {
        id.split(|c: char| !c.is_ascii_alphanumeric())
            .map(str::to_ascii_lowercase)
            .any(|word| crate::naming::is_telling(&word) && self.vocabulary.contains(&word))
    }

    /// A quick look that most texts fail.
    fn may_be_in(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.phrases.iter().filter(|phrase| phrase.scope != Scope::AtHome).any(|phrase| {
            let first = phrase.words.first().map_or("", |word| prefix(word, 4));
            lower.contains(first) || phrase.literals.iter().any(|literal| lower.contains(literal))
        })
    }

    /// Returns where the words are, in order and without overlaps.
    fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::new(text);
        let tokens = tokens(text);
        let mut found: Vec<Range<usize>> = Vec::new();
        for phrase in self.phrases.iter().filter(|phrase| phrase.scope != Scope::AtHome) {
            let as_words = phrase.scope == Scope::AsWords;
            for literal in &phrase.literals {
                found.extend(folded.literal(literal, as_words));
            }
            found.extend(phrase.loosely_in(text, &tokens));
        }
        found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in found {
            match merged.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        merged
    }
}

impl Phrase {
    fn of_item(text: &str) -> Self {
        Self::new(text, if is_telling(text) { Scope::AsWords } else { Scope::AtHome })
    }

    fn new(text: &str, scope: Scope) -> Self {
        let mut literals = Vec::new();
        // Letters with marks may be one character or two.
        for form in [text.to_owned(), text.nfc().collect(), text.nfd().collect()] {
            let lower = form.to_lowercase();
            literals.extend([json_escaped(&lower), percent_encoded(&lower), ascii_escaped(&lower)]);
            // What is escaped keeps its case.
            literals.extend([ascii_escaped(&form), lower]);
        }
        literals.retain(|literal| !literal.is_empty());
        literals.sort();
        literals.dedup();
        let words = tokens(text).into_iter().map(|token| token.word).collect();
        Self { text: text.to_owned(), literals, words, scope }
    }

    /// Finds the phrase by its words, whatever stands between them, and copies that were cut short.
    fn loosely_in(&self, text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
        let letters: usize = self.words.iter().map(String::len).sum();
        let mut found = Vec::new();
        if letters < SHORTEST_LOOSE {
            return found;
        }
        let mut at = 0;
        while at < tokens.len() {
            match self.matched(text, &tokens[at..]) {
                Some((count, end)) => {
                    found.push(tokens[at].span.start..end);
                    at += count;
                }
                None => at += 1,
            }
        }
        found
    }

    /// Matches the phrase at the first of `tokens`; returns how many it takes and where it ends.
    fn matched(&self, text: &str, tokens: &[Token]) -> Option<(usize, usize)> {
        let mut length = 0;
        for (count, word) in self.words.iter().enumerate() {
            let token = tokens.get(count)?;
            if count > 0 {
                let gap = &text[tokens[count - 1].span.end..token.span.start];
                if gap.chars().count() > LONGEST_GAP {
                    return None;
                }
            }
            let cut = ellipsis_after(text, token.span.end);
            let is_enough = match self.scope {
                Scope::Anywhere => length + token.word.len() >= SHORTEST_LOOSE,
                _ => length + token.word.len() >= SHORTEST_CUT && count > 1,
            };
            match cut {
                // The last word may be cut too.
                Some(end) if is_enough && word.starts_with(&token.word) => {
                    return Some((count + 1, end));
                }
                _ if token.word == *word => {}
                _ => return None,
            }
            length += word.len();
        }
        let end = tokens.get(self.words.len().checked_sub(1)?)?.span.end;
        let end = if self.scope == Scope::AsWords { after_full_stop(text, end) } else { end };
        Some((self.words.len(), end))
    }
}

/// A run of letters and digits, in small letters.
struct Token {
    span: Range<usize>,
    word: String,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        let end = at + c.len_utf8();
        match tokens.last_mut() {
            Some(token) if token.span.end == at => {
                token.span.end = end;
                token.word.extend(c.to_lowercase());
            }
            _ => tokens.push(Token { span: at..end, word: c.to_lowercase().collect() }),
        }
    }
    tokens
}

/// A text in small letters, with the place that each byte comes from.
struct Folded<'t> {
    source: &'t str,
    text: String,
    from: Vec<usize>,
}

impl<'t> Folded<'t> {
    fn new(source: &'t str) -> Self {
        let mut text = String::with_capacity(source.len());
        let mut from = Vec::with_capacity(source.len() + 1);
        for (at, c) in source.char_indices() {
            for lower in c.to_lowercase() {
                text.push(lower);
                from.resize(text.len(), at);
            }
        }
        from.push(source.len());
        Self { source, text, from }
    }

    /// Finds a literal, as whole words or anywhere.
    fn literal(&self, literal: &str, as_words: bool) -> Vec<Range<usize>> {
        let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let mut found = Vec::new();
        for (at, _) in self.text.match_indices(literal) {
            let (start, end) = (self.from[at], self.from[at + literal.len()]);
            let is_joined = (is_inside(self.source[..start].chars().next_back())
                && is_inside(literal.chars().next()))
                || (is_inside(self.source[end..].chars().next())
                    && is_inside(literal.chars().next_back()));
            if !(as_words && is_joined) && start < end {
                found.push(start..end);
            }
        }
        found
    }
}

fn json_escaped(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    let inner = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or_default().to_owned()
}

/// Returns a text as programs write it that keep JSON in ASCII, in small letters: `\u00e9` for é.
fn ascii_escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in json_escaped(text).chars() {
        if c.is_ascii() {
            escaped.push(c.to_ascii_lowercase());
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}

fn is_telling(words: &str) -> bool {
    let has = |is: fn(char) -> bool| words.chars().any(is);
    let is_mixed = has(char::is_numeric) && has(char::is_alphabetic) || has(char::is_whitespace);
    words.len() >= TELLING || (words.len() >= SHORTEST_TELLING && is_mixed)
}

fn prefix(word: &str, length: usize) -> &str {
    word.char_indices().nth(length).map_or(word, |(end, _)| &word[..end])
}

fn ellipsis_after(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches(' ');
    let start = text.len() - rest.len();
    ["…", "..."].iter().find(|dots| rest.starts_with(**dots)).map(|dots| start + dots.len())
}

/// A sentence goes with its full stop, whichever it has.
fn after_full_stop(text: &str, at: usize) -> usize {
    let mut rest = text[at..].chars();
    match rest.next() {
        Some(stop @ ('.' | '!' | '?' | '。')) => match rest.next() {
            Some(next) if next.is_alphanumeric() => at,
            _ => at + stop.len_utf8(),
        },
        _ => at,
    }
}

fn percent_encoded(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            result.push(char::from(byte));
        } else {
            let _ = write!(result, "%{byte:02x}");
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: &str) -> Words {
        Words::new(&Subject::Value(value.to_owned()))
    }

    fn texts(text: &str) -> Words {
        Words::new(&Subject::Texts(BTreeSet::from([text.to_owned()])))
    }

    #[test]
    fn a_value_is_found_however_it_was_written() {
        let words = value("Zebra-quartz/41!");
        for text in [
            "the pin is Zebra-quartz/41!",
            "xZebra-quartz/41!y",
            "ZEBRA-QUARTZ/41!",
            "vault-zebra-quartz-41",
            "zebra quartz 41.",
            "zebra\n  quartz `41`",
            "https://x.org/?q=zebra-quartz%2F41%21",
            "zebra-quartz-4…",
        ] {
            assert!(words.are_in(text), "{text}");
            assert!(!words.are_in(&words.out_of(text, "(PURGED)")), "{text}");
        }
        for text in ["zebra quartz", "zebras and quartz 41", "quartz 41 zebra"] {
            assert!(!words.are_in(text), "{text}");
        }
        assert_eq!(words.out_of("pin zebra-quartz/41! now", "(P)"), "pin (P) now");
    }

    #[test]
    fn letters_with_marks_are_found_in_every_form() {
        let words = value("Caf\u{e9}-\u{c9}toile-7");
        for text in [
            "Caf\u{e9}-\u{c9}toile-7",
            "cafe\u{301}-e\u{301}toile-7",
            r#"{"text":"Caf\u00e9-\u00c9toile-7"}"#,
            r#"{"text":"Caf\u00E9-\u00C9toile-7"}"#,
        ] {
            assert!(words.are_in(text), "{text}");
            assert!(!words.are_in(&words.out_of(text, "(PURGED)")), "{text}");
        }
    }

    #[test]
    fn a_value_of_signs_is_found_as_it_is() {
        let words = value("a\"b\\$$");
        assert_eq!(words.out_of(r#"{"x":"a\"b\\$$"}"#, "-"), r#"{"x":"-"}"#);
        assert!(!words.are_in("a b"), "too short to look for loosely");
    }

    #[test]
    fn another_full_stop_hides_no_copy() {
        let words = texts("The locker code is four two four two.");
        assert_eq!(words.out_of("- The locker code is four two four two!\n", "X"), "- X\n");
        assert_eq!(words.out_of("the Locker code, is four two\nfour two", "X"), "X");
        assert_eq!(words.out_of("The locker code is four…", "X"), "X");
        let others = "The locker code is four two four twofold";
        assert_eq!(words.out_of(others, "X"), others);
    }

    #[test]
    fn common_words_stay_in_other_texts() {
        let words = texts("category");
        assert!(!words.are_in("the category of letters"));
        assert!(words.are_left_in("the category of letters"));
        assert!(words.are_all_of("category"));
    }

    #[test]
    fn a_summary_is_removed_whole_and_not_sentence_by_sentence() {
        let text = "The first matter was settled. The second matter is still open.";
        let words = Words::new(&Subject::Summary(BTreeSet::from([text.to_owned()])));
        assert!(words.are_in(text));
        assert!(!words.are_in("The first matter was settled."));
        assert!(texts(text).are_in("The first matter was settled."));
    }

    #[test]
    fn an_id_with_a_word_of_the_value_is_noticed() {
        assert!(value("zebra quartz 41").are_part_of_id("vault-pin-is-zebra"));
        assert!(!value("zebra quartz 41").are_part_of_id("vault-pin"));
        assert!(!texts("The pin is with us").are_part_of_id("is-with-the"), "fillers");
    }
}
