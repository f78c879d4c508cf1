//! What is wrong with a journal, as findings. Nothing is repaired: the files are the user's.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::window::{self, is_broken};
use super::{COMPACTION, LIFECYCLE, PRIMARY, Record};
use crate::item::{Decision, Status};
use crate::text;

/// Something that wants a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalFinding {
    /// A stable name for the check.
    pub code: &'static str,
    /// How bad it is.
    pub severity: &'static str,
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
}

/// Looks through the files of a journal, in order: days and archives first, the window last.
pub fn scan(files: &[(String, String)], rules: &ScanRules) -> Vec<JournalFinding> {
    let mut findings = Vec::new();
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let mut first_words: BTreeMap<(String, String), (String, String)> = BTreeMap::new();
    let settled = settled(files);
    let stale = SignedDuration::from_hours(24 * i64::from(rules.stale_days));
    let limit = rules.now.checked_sub(stale).unwrap_or(Timestamp::MIN);
    for (path, source) in files {
        let mut here: BTreeSet<String> = BTreeSet::new();
        for (number, line) in text::lines(source).enumerate() {
            let mut add = |code, severity, record: Option<&Record>, issue: String, hint| {
                findings.push(JournalFinding {
                    code,
                    severity,
                    record_id: record.map(|record| record.id.clone()),
                    path: path.clone(),
                    line: number + 1,
                    issue,
                    hint,
                });
            };
            if is_broken(line.text) {
                let issue = "Looks like a record, and cannot be read".to_owned();
                add(
                    "broken-line",
                    "warning",
                    None,
                    issue,
                    "complete the JSON, or remove the hyphen before it",
                );
                continue;
            }
            let Some(record) = Record::parse(line.text) else { continue };
            if !here.insert(record.id.clone()) {
                let issue = format!("Record {} stands twice in this file", record.id);
                add("duplicate-id", "warning", Some(&record), issue, "remove one of the lines");
                continue;
            }
            if let Some(first) = seen.get(&record.id) {
                let place = format!("{}:{}", first.path, first.line);
                if first.text != record.text {
                    let issue = format!("Record {} says something else in {place}", record.id);
                    add(
                        "differs",
                        "warning",
                        Some(&record),
                        issue,
                        "the daily log counts: make the two lines the same",
                    );
                } else if path != PRIMARY
                    && first.path != *path
                    && is_day(path)
                    && is_day(&first.path)
                {
                    let issue = format!("Record {} is also in {place}", record.id);
                    add("duplicate-id", "warning", Some(&record), issue, "remove one of the lines");
                }
                continue;
            }
            seen.insert(
                record.id.clone(),
                Seen { path: path.clone(), line: number + 1, text: record.text.clone() },
            );
            if record.category == LIFECYCLE {
                continue;
            }
            if record.provenance.timestamp < limit {
                let issue = format!("Stale memory record older than {} days", rules.stale_days);
                add(
                    "stale",
                    "info",
                    Some(&record),
                    issue,
                    "`quipu compact` merges old notes; `quipu forget ID` puts one away",
                );
            }
            let is_exempt =
                record.category == COMPACTION || rules.exempt.contains(&record.category);
            if is_exempt || settled.contains(&record.id) {
                continue;
            }
            let key = (record.session_id.clone(), record.category.clone());
            match first_words.get(&key) {
                None => {
                    first_words.insert(key, (record.id.clone(), record.text.clone()));
                }
                Some((first, words)) if *words != record.text => {
                    let issue = format!(
                        "Potential contradiction with {first} in category {}",
                        record.category
                    );
                    add(
                        "contradiction",
                        "warning",
                        Some(&record),
                        issue,
                        "look at both; `quipu remember --supersedes ID` replaces one",
                    );
                }
                Some(_) => {}
            }
        }
    }
    findings
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
    let lines = text::lines(source).enumerate();
    lines.filter(|(_, line)| is_broken(line.text)).map(|(number, _)| number + 1).collect()
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
        scan(&files, &rules()).into_iter().map(|found| (found.code, found.line)).collect()
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
