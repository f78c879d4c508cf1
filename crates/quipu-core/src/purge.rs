//! Taking words out of files for good: what each kind of file looks like without them.
//!
//! Nothing here reads or writes a file, and cleaning a clean text changes nothing. That is what lets
//! the engine start over after an interruption.

mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::doc;
use crate::indexing::{self, FileKind};
use crate::item::{Decision, Item};
use crate::journal::entry::{self, Entry, Part};
use crate::journal::{LIFECYCLE, Record};
use crate::memory::ARCHIVE_INDEX;

/// A shorter value is never removed: it would be part of too many words.
pub const SHORTEST_VALUE: usize = 4;

/// A shorter value is removed only where the caller says that this is meant.
pub const SHORT_VALUE: usize = 8;

pub use words::{Subject, Words};

/// What stands in an id, a key or a footer in place of words that are gone.
pub const NEUTRAL: &str = "purged";

/// The item that is purged by its id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnItem {
    /// Its id, and the neutral one that it gets.
    pub ids: BTreeSet<String>,
    /// Its file.
    pub path: Option<String>,
    /// What the events of questions about it are filed under.
    pub questions: BTreeSet<String>,
}

impl OwnItem {
    fn is(&self, id: &str) -> bool {
        self.ids.contains(id)
    }
}

/// What a purge does to a text.
#[derive(Clone, Debug)]
pub struct Redaction {
    /// The words that go.
    pub words: Words,
    /// What stands in their place.
    pub mark: String,
    /// New ids for those that were made of the words.
    pub renames: BTreeMap<String, String>,
    /// The item that is purged; none where a value is.
    pub own: OwnItem,
}

impl Redaction {
    /// Returns a file of the memory without the words. Records and footers keep their shape.
    pub fn file(&self, path: &str, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut prose = String::new();
        for part in entry::parts(text) {
            let line = &text[part.span()];
            if let Part::Record(entry) = part {
                let Entry { record, form, .. } = *entry;
                self.push_prose(path, &mut prose, &mut result);
                let changed = self.record(record).map(|record| record.written(form));
                result.push_str(&changed.unwrap_or_else(|| line.to_owned()));
            } else if path == ARCHIVE_INDEX && self.own.ids.iter().any(|id| names(line, id)) {
                self.push_prose(path, &mut prose, &mut result);
                result.push_str(&self.index_row(line));
            } else {
                prose.push_str(line);
            }
        }
        self.push_prose(path, &mut prose, &mut result);
        result
    }

    /// Returns a file of the state folder without the words.
    pub fn state(&self, text: &str) -> String {
        let Ok(mut value) = serde_json::from_str::<Value>(text) else {
            return text.split_inclusive('\n').map(|line| self.string(line)).collect();
        };
        let before = value.clone();
        self.value(&mut value);
        if value == before {
            return text.to_owned();
        }
        let is_pretty = text.trim_end().contains('\n');
        let json =
            if is_pretty { serde_json::to_string_pretty(&value) } else { Ok(value.to_string()) };
        let end = if text.ends_with('\n') { "\n" } else { "" };
        json.unwrap_or_default() + end
    }

    /// Returns the plan of a dream without what it would do about the words or the item.
    pub fn dream_plan(&self, text: &str) -> String {
        let Ok(mut plan) = serde_json::from_str::<Value>(text) else { return String::new() };
        if let Some(actions) = plan["actions"].as_array_mut() {
            actions.retain(|action| {
                let json = action.to_string();
                !self.names_an_id(&json) && !self.words.are_in(&json)
            });
        }
        self.value(&mut plan);
        plan.to_string()
    }

    /// Tells whether a text has the words, or an id that goes.
    pub fn is_in(&self, text: &str) -> bool {
        self.words.are_in(text) || self.names_an_id(text)
    }

    /// Tells whether an id of something else has to go too: it has the words, or was made from a text
    /// that does.
    pub fn takes_id(&self, item: &Item) -> bool {
        let has_words = || self.words.are_in(&item.text) || self.words.are_in(&item.title);
        self.words.are_in(&item.id) || (has_words() && self.words.are_part_of_id(&item.id))
    }

    /// Returns an id, or a path, without the words.
    pub fn id(&self, id: &str) -> String {
        match self.renames.get(id) {
            Some(new) => new.clone(),
            None => self.words.out_of(&self.renamed(id), NEUTRAL),
        }
    }

    /// Returns the ids of sections that are called differently after `new` has replaced `old` in a
    /// file: they are made of its headings.
    pub fn renamed_sections(
        &self,
        (path, new_path): (&str, &str),
        (old, new): (&str, &str),
        kind: FileKind,
    ) -> BTreeMap<String, String> {
        let items = |path: &str, text: &str| match kind {
            FileKind::Session => indexing::session(path, text),
            FileKind::Document => indexing::document(path, text),
            FileKind::Note => indexing::note(path, text),
            FileKind::Facts => indexing::around_facts(path, text),
            FileKind::Journal => indexing::between_records(path, text),
        };
        let line = |item: &Item| item.place.as_ref().map(|place| place.line);
        let after: BTreeMap<Option<usize>, String> =
            items(new_path, new).into_iter().map(|item| (line(&item), item.id)).collect();
        let before = items(path, old).into_iter();
        let changed = before.filter_map(|item| {
            let new = after.get(&line(&item)).cloned().unwrap_or_else(|| self.id(&item.id));
            (new != item.id).then_some((item.id, new))
        });
        changed.collect()
    }

    fn names_an_id(&self, text: &str) -> bool {
        self.renames.keys().chain(&self.own.ids).any(|id| !occurrences(text, id).is_empty())
    }

    /// Returns a text with new ids in place of old ones.
    fn renamed(&self, text: &str) -> String {
        let mut result = text.to_owned();
        for (old, new) in &self.renames {
            for at in occurrences(&result, old).into_iter().rev() {
                result.replace_range(at..at + old.len(), new);
            }
        }
        result
    }

    fn push_prose(&self, path: &str, prose: &mut String, result: &mut String) {
        let owns = self.own.path.as_deref() == Some(path);
        for (is_comment, part) in comments(prose) {
            let part = self.renamed(part);
            if is_comment {
                result.push_str(&self.words.out_of(&part, NEUTRAL));
            } else if owns {
                result.push_str(&self.words.out_of(&self.own_lines(&part), &self.mark));
            } else {
                result.push_str(&self.words.out_of(&part, &self.mark));
            }
        }
        prose.clear();
    }

    /// Replaces the lines of the item itself, where short ones count too.
    fn own_lines(&self, text: &str) -> String {
        let line = |line: &str| {
            let bare = doc::without_marker(line.trim()).trim();
            if self.words.are_all_of(bare) {
                line.replacen(bare, &self.mark, 1)
            } else {
                line.to_owned()
            }
        };
        text.split_inclusive('\n').map(line).collect()
    }

    fn index_row(&self, line: &str) -> String {
        let body = line.trim_end_matches(['\n', '\r']);
        let quarter = body.rsplit(" — ").next().unwrap_or_default();
        let named = self.own.ids.iter().find(|id| names(line, id)).map_or(NEUTRAL, String::as_str);
        let mut row = String::new();
        let _ =
            write!(row, "- {} — {} — {quarter}{}", self.id(named), self.mark, &line[body.len()..]);
        row
    }

    /// Returns a record's line without the words; nothing where it stays as it is.
    fn record(&self, mut record: Record) -> Option<Record> {
        let before = record.clone();
        let target = record.target.as_deref();
        let is_about =
            record.category == LIFECYCLE && target.is_some_and(|target| self.own.is(target));
        let is_asked = target.is_some_and(|target| self.own.questions.contains(target));
        if self.own.is(&record.id) {
            record.text.clone_from(&self.mark);
            record.tags.clear();
            record.speaker = None;
            record.unknown = Map::new();
        } else if is_about {
            self.clear_decision(&mut record);
        } else if is_asked {
            // Values of the memory are in the reason, and in what a judge said.
            record.text.clone_from(&self.mark);
            if let Some(Decision::Ask { question }) = &mut record.decision {
                question.reason.clone_from(&self.mark);
                question.claim = None;
                question.now = None;
            }
        }
        self.every_string(&mut record);
        (record != before).then_some(record)
    }

    fn clear_decision(&self, record: &mut Record) {
        if !record.text.is_empty() && !matches!(record.decision, Some(Decision::Purge { .. })) {
            record.text.clone_from(&self.mark);
        }
        match &mut record.decision {
            Some(Decision::Edit { text } | Decision::Annotate { note: text }) => {
                text.clone_from(&self.mark);
            }
            Some(Decision::Tag { add, remove }) => {
                add.clear();
                remove.clear();
            }
            _ => {}
        }
    }

    fn every_string(&self, record: &mut Record) {
        record.text = self.prose(&record.text);
        let ids = [&mut record.id, &mut record.session_id, &mut record.category];
        for id in ids.into_iter().chain([&mut record.provenance.source_channel]) {
            *id = self.id(id);
        }
        let ids = [&mut record.supersedes, &mut record.target, &mut record.run];
        for id in ids.into_iter().flatten() {
            *id = self.id(id);
        }
        for name in record.speaker.iter_mut().chain(&mut record.tags) {
            *name = self.string(name);
        }
        if let Some(merged) = &mut record.merged {
            for id in merged.ids.iter_mut().chain(&mut merged.sessions) {
                *id = self.id(id);
            }
        }
        if let Some(decision) = &record.decision
            && let Ok(mut value) = serde_json::to_value(decision)
        {
            self.value(&mut value);
            if let Ok(cleaned) = serde_json::from_value::<Decision>(value)
                && cleaned != *decision
            {
                record.decision = Some(cleaned);
            }
        }
        for unknown in [&mut record.unknown, &mut record.provenance.unknown] {
            unknown.values_mut().for_each(|value| self.value(value));
        }
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.string(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value)),
            Value::Object(values) => {
                let cleaned = std::mem::take(values).into_iter().map(|(key, mut value)| {
                    self.value(&mut value);
                    (self.id(&key), value)
                });
                *values = cleaned.collect();
            }
            Value::Number(number) if self.words.are_all_of(&number.to_string()) => {
                *value = Value::String(self.mark.clone());
            }
            _ => {}
        }
    }

    /// Returns a text without the words; one without a space may be an id or a path, and stays one.
    fn string(&self, text: &str) -> String {
        if text.trim().contains(char::is_whitespace) { self.prose(text) } else { self.id(text) }
    }

    fn prose(&self, text: &str) -> String {
        self.words.out_of(&self.renamed(text), &self.mark)
    }
}

/// Tells whether a line names an id.
fn names(line: &str, id: &str) -> bool {
    !occurrences(line, id).is_empty()
}

/// Returns where an id stands by itself, and not as a part of another.
fn occurrences(text: &str, id: &str) -> Vec<usize> {
    if id.is_empty() {
        return Vec::new();
    }
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let is_alone = |at: &usize| {
        !is_part(text[..*at].chars().next_back()) && !is_part(text[at + id.len()..].chars().next())
    };
    text.match_indices(id).map(|(at, _)| at).filter(is_alone).collect()
}

/// Splits a text into what is inside HTML comments and what is not.
fn comments(text: &str) -> Vec<(bool, &str)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        let Some(length) = rest[start..].find("-->") else { break };
        let end = start + length + 3;
        parts.push((false, &rest[..start]));
        parts.push((true, &rest[start..end]));
        rest = &rest[end..];
    }
    parts.push((false, rest));
    parts
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn of_value(value: &str) -> Redaction {
        Redaction {
            words: Words::new(&Subject::Value(value.to_owned())),
            mark: "(PURGED 2026-06-20)".to_owned(),
            renames: BTreeMap::new(),
            own: OwnItem::default(),
        }
    }

    #[test]
    fn a_fact_keeps_its_other_words_and_its_footer_gets_the_new_id() {
        let mut purge = of_value("marlin-7712");
        purge.renames.insert("pin-marlin-7712".to_owned(), "purged-1a".to_owned());
        let text = "- The pin is Marlin 7712, as said  <!-- id: pin-marlin-7712 | tier: core -->\n\
                    - Other  <!-- id: pin-marlin-7712-b | superseded_by: pin-marlin-7712 -->\n";
        let clean = purge.file("memory/continuity.md", text);
        assert_eq!(
            clean,
            "- The pin is (PURGED 2026-06-20), as said  <!-- id: purged-1a | tier: core -->\n\
             - Other  <!-- id: pin-purged-b | superseded_by: purged-1a -->\n"
        );
        assert_eq!(purge.file("memory/continuity.md", &clean), clean, "cleaning twice");
    }

    #[test]
    fn a_record_stays_a_record() {
        let purge = of_value("a\"quoted\"secret");
        let mut record =
            Record::new("r1", "s", "note", "it is A\"quoted\"secret here", Timestamp::UNIX_EPOCH);
        record.unknown.insert("more".to_owned(), Value::from("a\"quoted\"secret"));
        let clean = purge.file("MEMORY.md", &record.line());
        let read = Record::parse(&clean).unwrap();
        assert_eq!(read.text, "it is (PURGED 2026-06-20) here");
        assert_eq!(read.unknown["more"], "purged");
    }

    #[test]
    fn state_is_cleaned_in_keys_and_values_and_otherwise_kept() {
        let mut purge = of_value("zebra9-quartz");
        purge.renames.insert("key-zebra9-quartz".to_owned(), "purged-2b".to_owned());
        let text = "{\n  \"zebra9-quartz\": 1,\n  \"ids\": [\n    \"key-zebra9-quartz\"\n  ]\n}\n";
        assert_eq!(
            purge.state(text),
            "{\n  \"ids\": [\n    \"purged-2b\"\n  ],\n  \"purged\": 1\n}\n"
        );
        assert_eq!(purge.state("half {\"zebra9-quartz"), "half {\"(PURGED 2026-06-20)");
        assert_eq!(purge.state("{ \"a\":1 }"), "{ \"a\":1 }", "the same bytes");
    }
}
