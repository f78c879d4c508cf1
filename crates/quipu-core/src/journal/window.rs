//! `MEMORY.md` line by line: which lines are records, which are the user's, and which leave first.

use std::ops::Range;

use super::Record;
pub use super::entry::Entry;
use super::entry::{self, Part};

/// Returns the records of a file with the lines that they stand on.
pub fn entries(source: &str) -> Vec<Entry> {
    entry::entries(source).collect()
}

/// Returns what the user wrote, with the lines of records left empty, so that line numbers hold.
///
/// Lines that were meant to be records are nobody's words: they may hold half a secret.
pub fn text_of_user(source: &str) -> String {
    let header: Vec<&str> = super::headers().into_iter().flat_map(str::lines).collect();
    let mut result = String::new();
    for part in entry::parts(source) {
        let text = &source[part.span()];
        let is_format = |line: &str| line.contains("sessionId") && line.contains("provenance");
        let own = |line: &&str| {
            matches!(part, Part::Own { .. }) && !header.contains(line) && !is_format(line)
        };
        for line in text.lines() {
            result.push_str(Some(line).filter(own).unwrap_or_default());
            result.push('\n');
        }
    }
    result
}

/// How large the window may get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most records.
    pub records: Option<usize>,
    /// The most characters.
    pub chars: Option<usize>,
    /// Categories that stay.
    pub protected: Vec<String>,
}

impl Limits {
    /// Tells whether there are any.
    pub fn are_set(&self) -> bool {
        self.records.is_some() || self.chars.is_some()
    }
}

/// A window that was made smaller.
#[derive(Clone, Debug, PartialEq)]
pub struct Trimmed {
    /// Its text.
    pub text: String,
    /// What left, oldest first.
    pub dropped: Vec<Entry>,
    /// How many records are left.
    pub left: usize,
    /// Whether it is still too large: what is left is protected, pinned, the newest, or the user's.
    pub is_over: bool,
}

/// Takes the oldest records out until the limits hold. The newest stays, and so does the user's text.
pub fn trim(source: &str, limits: &Limits, is_pinned: &dyn Fn(&Record) -> bool) -> Trimmed {
    let entries = entries(source);
    let mut count = entries.len();
    let mut chars = source.chars().count();
    let is_over = |count: usize, chars: usize| {
        limits.records.is_some_and(|most| count > most) || limits.chars.is_some_and(|m| chars > m)
    };
    let mut dropped = Vec::new();
    // By time and not by place: a compaction record stands first, and is no older than its making.
    let mut by_age: Vec<&Entry> = entries.iter().collect();
    by_age.sort_by_key(|entry| entry.record.provenance.timestamp);
    by_age.pop();
    for entry in by_age {
        if !is_over(count, chars) {
            break;
        }
        if !limits.protected.contains(&entry.record.category) && !is_pinned(&entry.record) {
            count -= 1;
            chars -= source[entry.span.clone()].chars().count();
            dropped.push(entry.clone());
        }
    }
    dropped.sort_by_key(|entry| entry.span.start);
    let text = without(source, dropped.iter().map(|entry| &entry.span));
    Trimmed { text, left: count, is_over: is_over(count, chars), dropped }
}

/// Returns a text without some of its lines.
pub(super) fn without<'a>(
    source: &str,
    spans: impl IntoIterator<Item = &'a Range<usize>>,
) -> String {
    let mut result = String::with_capacity(source.len());
    let mut at = 0;
    for span in spans {
        result.push_str(&source[at..span.start]);
        at = span.end;
    }
    result.push_str(&source[at..]);
    result
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::Form;
    use super::*;

    fn line(id: &str, category: &str) -> String {
        Record::new(id, "s", category, "words", Timestamp::UNIX_EPOCH).line()
    }

    fn limits(records: usize) -> Limits {
        Limits { records: Some(records), ..Limits::default() }
    }

    #[test]
    fn the_oldest_leave_and_the_users_text_stays() {
        let source = format!(
            "# M\n\n{}my own note\r\n{}{}",
            line("a", "note"),
            line("b", "note"),
            line("c", "note")
        );
        let trimmed = trim(&source, &limits(1), &|_| false);
        assert_eq!(trimmed.text, format!("# M\n\nmy own note\r\n{}", line("c", "note")));
        let ids: Vec<&str> = trimmed.dropped.iter().map(|entry| &*entry.record.id).collect();
        assert_eq!(ids, ["a", "b"]);
        assert!(!trimmed.is_over);
    }

    #[test]
    fn what_is_protected_or_pinned_stays() {
        let source =
            [line("a", "learned"), line("b", "note"), line("c", "note"), line("d", "note")];
        let limits = Limits { protected: vec!["learned".to_owned()], ..limits(1) };
        let trimmed = trim(&source.concat(), &limits, &|record| record.id == "b");
        assert_eq!(
            trimmed.text,
            [line("a", "learned"), line("b", "note"), line("d", "note")].concat()
        );
        assert!(trimmed.is_over);
    }

    #[test]
    fn characters_count_not_bytes() {
        let source = format!("{}{}", line("a", "note"), line("ü", "note"));
        let limits = Limits { chars: Some(source.chars().count()), ..Limits::default() };
        assert!(trim(&source, &limits, &|_| false).dropped.is_empty());
        let tight = Limits { chars: limits.chars.map(|chars| chars - 1), ..limits };
        assert_eq!(trim(&source, &tight, &|_| false).dropped.len(), 1);
    }

    #[test]
    fn the_users_words_are_without_records_and_what_was_meant_to_be_one() {
        let source = format!(
            "{}tabs, not spaces\n{}- {{\"id\":\"x\n- a list\n",
            super::super::header(Form::Json),
            line("a", "note")
        );
        let words = text_of_user(&source);
        assert!(words.contains("tabs, not spaces\n") && words.contains("- a list\n"));
        assert!(!words.contains("\"id\"") && !words.contains("Oldest first"));
        assert_eq!(words.lines().count(), source.lines().count());
    }
}
