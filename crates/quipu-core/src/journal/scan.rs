//! What is wrong with a journal, as findings. Nothing is repaired: the files are the user's.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::entry::{self, Entry, Part};
use super::{COMPACTION, LIFECYCLE, Record, window};
use crate::item::{Decision, Sensitivity, Status};
use crate::named::named;

named! {
    /// A check of `quipu journal scan`.
    JournalCode {
        /// A line that was meant to be a record and cannot be read as one.
        BrokenLine = "broken-line",
        /// Two records of the same session and category say different things.
        Contradiction = "contradiction",
        /// Copies of a record disagree.
        Differs = "differs",
        /// An id twice in the daily logs, or in one file.
        DuplicateId = "duplicate-id",
        /// A record that is old, which is not wrong.
        Stale = "stale",
        /// A file that cannot be read.
        Unreadable = "unreadable",
    }
}

named! {
    /// How bad a finding in the journal is.
    JournalSeverity {
        /// Worth knowing.
        Info = "info",
        /// Something wants attention.
        Warning = "warning",
        /// The file cannot be used.
        Error = "error",
    }
}

impl JournalCode {
    /// Returns how bad its findings are.
    pub fn severity(self) -> JournalSeverity {
        match self {
            Self::Stale => JournalSeverity::Info,
            Self::BrokenLine | Self::Contradiction | Self::Differs | Self::DuplicateId => {
                JournalSeverity::Warning
            }
            Self::Unreadable => JournalSeverity::Error,
        }
    }
}

/// Something that wants a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalFinding {
    /// A stable name for the check.
    #[schemars(with = "String")]
    pub code: JournalCode,
    /// How bad it is.
    #[schemars(with = "String")]
    pub severity: JournalSeverity,
    /// The record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
    /// What is wrong.
    pub issue: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// How the journal is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRules {
    /// The time.
    pub now: Timestamp,
    /// A record is stale after so many days.
    pub stale_days: u32,
    /// Categories in which different words are no contradiction.
    pub exempt: Vec<String>,
}

/// Where a record was first seen.
struct Seen {
    path: String,
    line: usize,
    text: String,
    label: Sensitivity,
}

/// Looks through the files of a journal, in order: days and archives first, the window last.
pub fn scan(files: &[(String, String)], rules: &ScanRules) -> Vec<JournalFinding> {
    let stale = SignedDuration::from_hours(24 * i64::from(rules.stale_days));
    let mut scanner = Scanner {
        rules,
        limit: rules.now.checked_sub(stale).unwrap_or(Timestamp::MIN),
        settled: settled(files),
        seen: BTreeMap::new(),
        first_words: BTreeMap::new(),
        findings: Vec::new(),
    };
    for (path, source) in files {
        let mut here: BTreeSet<String> = BTreeSet::new();
        for part in entry::parts(source) {
            match part {
                Part::Own { .. } => {}
                Part::Broken { line, .. } => scanner.add(
                    JournalCode::BrokenLine,
                    None,
                    (path, line),
                    "Looks like a record, and cannot be read".to_owned(),
                    "complete the JSON or the comment, or remove the hyphen before it",
                ),
                Part::Record(entry) => {
                    let Entry { record, line, .. } = *entry;
                    if here.insert(record.id.clone()) {
                        scanner.look_at(&record, (path, line));
                    } else {
                        let issue = format!("Record {} is in this file twice", record.id);
                        let (code, hint) = (JournalCode::DuplicateId, "remove one of the two");
                        scanner.add(code, Some(&record), (path, line), issue, hint);
                    }
                }
            }
        }
    }
    scanner.findings
}

struct Scanner<'a> {
    rules: &'a ScanRules,
    /// What is older is stale.
    limit: Timestamp,
    settled: BTreeSet<String>,
    seen: BTreeMap<String, Seen>,
    /// By session and category: the first record, and its words.
    first_words: BTreeMap<(String, String), (String, String)>,
    findings: Vec<JournalFinding>,
}

impl Scanner<'_> {
    fn add(
        &mut self,
        code: JournalCode,
        record: Option<&Record>,
        (path, line): (&str, usize),
        issue: String,
        hint: &'static str,
    ) {
        let record_id = record.map(|record| record.id.clone());
        let (severity, path) = (code.severity(), path.to_owned());
        self.findings.push(JournalFinding { code, severity, record_id, path, line, issue, hint });
    }

    fn look_at(&mut self, record: &Record, place: (&str, usize)) {
        let (path, line) = place;
        if let Some(first) = self.seen.get(&record.id) {
            if let Some((code, issue, hint)) = first.disagrees(record, path) {
                self.add(code, Some(record), place, issue, hint);
            }
            return;
        }
        let (text, label) = (record.text.clone(), record.provenance.sensitivity);
        self.seen.insert(record.id.clone(), Seen { path: path.to_owned(), line, text, label });
        if record.category == LIFECYCLE {
            return;
        }
        if record.provenance.timestamp < self.limit {
            let issue = format!("Stale memory record older than {} days", self.rules.stale_days);
            let hint = "`quipu compact` merges old notes; `quipu forget ID` puts one away";
            self.add(JournalCode::Stale, Some(record), place, issue, hint);
        }
        self.contradiction(record, place);
    }

    fn contradiction(&mut self, record: &Record, place: (&str, usize)) {
        let is_exempt =
            record.category == COMPACTION || self.rules.exempt.contains(&record.category);
        // Who names no session gets the day, in which many things are true.
        let is_day = record.session_id.parse::<Date>().is_ok();
        if is_exempt || is_day || self.settled.contains(&record.id) {
            return;
        }
        let key = (record.session_id.clone(), record.category.clone());
        let first = self.first_words.entry(key);
        let (first, words) =
            first.or_insert_with(|| (record.id.clone(), record.text.clone())).clone();
        if words != record.text {
            let category = &record.category;
            let issue = format!("Potential contradiction with {first} in category {category}");
            let hint = "look at both; `quipu remember --supersedes ID` replaces one";
            self.add(JournalCode::Contradiction, Some(record), place, issue, hint);
        }
    }
}

impl Seen {
    /// Tells what a copy of a record says otherwise: code, issue and hint.
    fn disagrees(&self, copy: &Record, path: &str) -> Option<(JournalCode, String, &'static str)> {
        let place = format!("{}:{}", self.path, self.line);
        let (id, label) = (&copy.id, copy.provenance.sensitivity);
        if self.label != label {
            let issue = format!("Record {id} is {label} here and {} in {place}", self.label);
            Some((JournalCode::Differs, issue, "the stricter label counts"))
        } else if self.text != copy.text {
            let issue = format!("Record {id} says something else in {place}");
            Some((JournalCode::Differs, issue, "the daily log counts: make the two lines the same"))
        } else if is_day(path) && is_day(&self.path) {
            let issue = format!("Record {id} is also in {place}");
            Some((JournalCode::DuplicateId, issue, "remove one of the lines"))
        } else {
            None
        }
    }
}

/// Returns what was replaced, forgotten or found wrong: it contradicts nothing any more.
fn settled(files: &[(String, String)]) -> BTreeSet<String> {
    let mut settled = BTreeSet::new();
    for (_, source) in files {
        for (_, record) in super::records(source).filter(|(_, one)| one.category == LIFECYCLE) {
            let (Some(target), Some(decision)) = (record.target, record.decision) else { continue };
            match decision {
                Decision::Status { to: Status::Active, .. } => drop(settled.remove(&target)),
                Decision::Status { .. } | Decision::Supersede { .. } | Decision::Purge { .. } => {
                    settled.insert(target);
                }
                _ => {}
            }
        }
    }
    settled
}

fn is_day(path: &str) -> bool {
    path.strip_prefix("memory/").is_some_and(super::is_daily)
}

/// Returns the numbers of the lines that were meant to be records and are none.
pub fn broken_lines(source: &str) -> Vec<usize> {
    let broken = entry::parts(source).filter_map(|part| match part {
        Part::Broken { line, .. } => Some(line),
        Part::Record(_) | Part::Own { .. } => None,
    });
    broken.collect()
}

/// How much a window holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Records.
    pub records: usize,
    /// Characters.
    pub chars: usize,
}

/// Measures a file of the journal.
pub fn size(source: &str) -> Size {
    Size { records: window::entries(source).len(), chars: source.chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> ScanRules {
        ScanRules {
            now: "2026-03-01T00:00:00Z".parse().unwrap(),
            stale_days: 120,
            exempt: vec!["turn-summary".to_owned()],
        }
    }

    fn line(id: &str, category: &str, text: &str, at: &str) -> String {
        Record::new(id, "s1", category, text, at.parse().unwrap()).line()
    }

    fn codes(files: &[(&str, String)]) -> Vec<(&'static str, usize)> {
        let files: Vec<(String, String)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect();
        scan(&files, &rules()).into_iter().map(|found| (found.code.as_str(), found.line)).collect()
    }

    const RECENT: &str = "2026-02-20T10:00:00Z";

    #[test]
    fn different_words_contradict_except_in_narratives() {
        let note = [line("a", "note", "one", RECENT), line("b", "note", "two", RECENT)].concat();
        assert_eq!(codes(&[("MEMORY.md", note)]), [("contradiction", 2)]);
        let turns =
            [line("a", "turn-summary", "one", RECENT), line("b", "turn-summary", "two", RECENT)];
        assert_eq!(codes(&[("MEMORY.md", turns.concat())]), []);
    }

    #[test]
    fn stale_broken_and_double_lines_are_told() {
        let text = format!(
            "# M\n{}- {{\"id\":\"x\n- 5\n- a list\n{}",
            line("a", "learned", "one", "2025-01-01T00:00:00Z"),
            line("a", "learned", "one", "2025-01-01T00:00:00Z"),
        );
        assert_eq!(
            codes(&[("MEMORY.md", text)]),
            [("stale", 2), ("broken-line", 3), ("duplicate-id", 6)]
        );
    }

    #[test]
    fn the_window_and_the_day_must_say_the_same() {
        let day = ("memory/2026-02-20.md", line("a", "note", "one", RECENT));
        assert_eq!(codes(&[day.clone(), ("MEMORY.md", line("a", "note", "one", RECENT))]), []);
        assert_eq!(
            codes(&[day, ("MEMORY.md", line("a", "note", "other", RECENT))]),
            [("differs", 1)]
        );
    }
}
