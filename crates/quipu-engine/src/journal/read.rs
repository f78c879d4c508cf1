//! Reading the journal as it is written: by session, category and time; and what is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use quipu_core::finding::{Finding, Severity};
use quipu_core::item::Sensitivity;
use quipu_core::journal::scan::{self, JournalFinding, ScanRules};
use quipu_core::journal::{
    self, ARCHIVE, CHECKPOINT, COMPACTION, LIFECYCLE, LONG, PRIMARY, Record,
};
use quipu_core::text;
use serde::Serialize;

use crate::error::Error;
use crate::operations::Request;
use crate::parallel;
use crate::recall::RecallError;
use crate::remember::{Remembered, new_id, to_milliseconds};
use crate::workspace::Workspace;

/// Which records to read.
#[derive(Clone, Debug, Default)]
pub struct RecordQuery {
    /// Only this session.
    pub session: Option<String>,
    /// Only this category.
    pub category: Option<String>,
    /// Written at this time or later.
    pub since: Option<Timestamp>,
    /// Written before.
    pub until: Option<Timestamp>,
    /// Secrets too.
    pub allow_secret: bool,
    /// Decisions too.
    pub decisions: bool,
    /// Only what stands in the window.
    pub window: bool,
    /// Only the newest so many.
    pub newest: Option<usize>,
}

/// A record and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FiledRecord {
    /// The record.
    #[serde(flatten)]
    pub record: Record,
    /// The file.
    pub path: String,
    /// The line.
    pub line: usize,
}

/// Records that were read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Records {
    /// Oldest first.
    pub records: Vec<FiledRecord>,
    /// How many more match.
    pub more: usize,
    /// How many secrets were left out.
    pub secrets: usize,
    /// Files that could not be read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<(String, String)>,
}

/// What a scan found.
#[derive(Clone, Debug, Serialize)]
pub struct Scanned {
    /// What wants a look.
    pub findings: Vec<JournalFinding>,
    /// How many records there are.
    pub records: usize,
    /// How many files were looked at.
    pub files: usize,
}

/// How large the window is.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WindowSize {
    /// Lines that look like records.
    pub records: usize,
    /// Characters.
    pub chars: usize,
}

/// How large the files of the journal are.
#[derive(Clone, Debug, Default, Serialize)]
pub struct JournalSize {
    /// The window.
    pub window: WindowSize,
    /// Characters of everything that a briefing draws on.
    pub substrate: usize,
    /// What is larger than it should be.
    pub warnings: Vec<String>,
}

impl Workspace {
    /// Returns the paths of the days, oldest first.
    pub(crate) fn days(&self) -> Result<Vec<String>, Error> {
        let entries = match self.fs().list(&self.root().join("memory")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(Error::reading("memory", source)),
        };
        let names = entries.into_iter().map(|(name, _)| name);
        let mut days: Vec<String> = names
            .filter(|name| journal::is_daily(name))
            .map(|name| format!("memory/{name}"))
            .collect();
        days.sort_unstable();
        Ok(days)
    }

    /// Returns the archives of the window.
    pub(crate) fn archives(&self) -> Vec<String> {
        let mut paths = vec![ARCHIVE.to_owned()];
        paths.extend(self.config().continuity.memory_archive_path.clone());
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns the records of the journal, oldest first, each once.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn records(&self, query: &RecordQuery) -> Result<Records, Error> {
        let mut paths = Vec::new();
        if !query.window {
            paths.extend(self.archives());
            paths.extend(self.days()?);
        }
        paths.push(PRIMARY.to_owned());
        let mut seen = BTreeSet::new();
        let mut found = Records::default();
        let mut hidden = BTreeSet::new();
        for path in paths {
            let Some(text) = self.read_into(&path, &mut found) else { continue };
            for filed in filed(&path, &text) {
                let record = &filed.record;
                if !query.matches(record) || !seen.insert(record.id.clone()) {
                    continue;
                }
                if record.provenance.sensitivity == Sensitivity::Secret && !query.allow_secret {
                    found.secrets += 1;
                } else {
                    found.records.push(filed);
                }
            }
            if query.decisions && !query.allow_secret {
                hidden.extend(secret_ids(&text));
            }
        }
        found.hide_decisions_about(&hidden);
        found.records.sort_by_key(|filed| filed.record.provenance.timestamp);
        if let Some(newest) = query.newest {
            found.more = found.records.len().saturating_sub(newest);
            found.records.drain(..found.more);
        }
        Ok(found)
    }

    fn read_into(&self, path: &str, found: &mut Records) -> Option<String> {
        self.read_optional(path).unwrap_or_else(|error| {
            found.unread.push((path.to_owned(), error.to_string()));
            None
        })
    }

    /// Returns the newest records in the order in which they were written, without reading the rest.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn tail(&self, query: &RecordQuery) -> Result<Records, Error> {
        let wanted = query.newest.unwrap_or(10);
        let mut found = Records::default();
        let mut hidden = BTreeSet::new();
        for path in self.days()?.iter().rev().map(String::as_str).chain([PRIMARY]) {
            if found.records.len() >= wanted && !query.decisions {
                break;
            }
            let Some(text) = self.read_into(path, &mut found) else { continue };
            let mut here: Vec<FiledRecord> = Vec::new();
            for filed in filed(path, &text).filter(|filed| query.matches(&filed.record)) {
                let is_known = |known: &FiledRecord| known.record.id == filed.record.id;
                if filed.record.provenance.sensitivity == Sensitivity::Secret && !query.allow_secret
                {
                    found.secrets += 1;
                } else if path != PRIMARY || !found.records.iter().any(is_known) {
                    here.push(filed);
                }
            }
            here.append(&mut found.records);
            found.records = here;
            if query.decisions && !query.allow_secret {
                hidden.extend(secret_ids(&text));
            }
        }
        found.hide_decisions_about(&hidden);
        let more = found.records.len().saturating_sub(wanted);
        found.records.drain(..more);
        Ok(found)
    }

    /// Returns every line that holds a record, and the compaction records that stand for it.
    ///
    /// # Errors
    /// When there is none, several begin so, or it is a secret that was not asked for.
    pub fn record(&self, id: &str, allow_secret: bool) -> Result<Vec<FiledRecord>, Error> {
        let mut paths = self.days()?;
        paths.extend(self.archives());
        paths.push(PRIMARY.to_owned());
        let mut by_id: BTreeMap<String, Vec<FiledRecord>> = BTreeMap::new();
        let mut standing: Vec<FiledRecord> = Vec::new();
        for path in paths {
            let Ok(Some(text)) = self.read_optional(&path) else { continue };
            for filed in filed(&path, &text) {
                if filed.record.merged.is_some() {
                    standing.push(filed.clone());
                }
                if filed.record.id.starts_with(id) {
                    by_id.entry(filed.record.id.clone()).or_default().push(filed);
                }
            }
        }
        let exact = by_id.remove(id);
        let mut lines = match (exact, by_id.len()) {
            (Some(lines), _) => lines,
            (None, 1) => by_id.into_values().next().unwrap_or_default(),
            (None, 0) => return Err(RecallError::Unknown { id: id.to_owned() }.into()),
            _ => {
                let ids = by_id.into_keys().take(4).collect();
                return Err(RecallError::Ambiguous { id: id.to_owned(), ids }.into());
            }
        };
        let first = &lines[0].record;
        if first.provenance.sensitivity == Sensitivity::Secret && !allow_secret {
            return Err(RecallError::IsSecret { id: first.id.clone() }.into());
        }
        let id = first.id.clone();
        let stands_for = |filed: &FiledRecord| {
            filed.record.merged.as_ref().is_some_and(|merged| merged.ids.contains(&id))
        };
        lines.extend(standing.into_iter().filter(stands_for));
        Ok(lines)
    }

    /// Looks for contradictions, stale records, broken lines, double ids, and files that disagree.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn scan_journal(&self, now: Timestamp) -> Result<Scanned, Error> {
        let mut paths = self.days()?;
        paths.extend(self.archives());
        paths.push(PRIMARY.to_owned());
        let mut files = Vec::new();
        let mut findings = Vec::new();
        for path in paths {
            match self.read_optional(&path) {
                Ok(Some(text)) => files.push((path, text)),
                Ok(None) => {}
                Err(error) => findings.push(JournalFinding {
                    code: "unreadable",
                    severity: "error",
                    record_id: None,
                    path,
                    line: 0,
                    issue: error.to_string(),
                    hint: "save the file as UTF-8",
                }),
            }
        }
        let mut ids = BTreeSet::new();
        for (_, text) in &files {
            ids.extend(journal::records(text).map(|(_, record)| record.id));
        }
        findings.extend(scan::scan(&files, &self.scan_rules(now)));
        Ok(Scanned { findings, records: ids.len(), files: files.len() })
    }

    /// Tells whether there is a journal.
    pub(crate) fn has_journal(&self) -> bool {
        self.fs().stat(&self.root().join(PRIMARY)).is_ok()
            || self.days().is_ok_and(|days| !days.is_empty())
    }

    /// Returns lines of the journal that were meant to be records, as lint tells them.
    pub(crate) fn broken_records(&self) -> Result<Vec<Finding>, Error> {
        let mut paths = self.days()?;
        paths.extend(self.archives());
        paths.push(PRIMARY.to_owned());
        let mut findings = Vec::new();
        let mut files = Vec::new();
        for path in paths {
            match self.read_optional(&path) {
                Ok(Some(text)) => files.push((path, text)),
                Ok(None) => {}
                Err(error) => findings.push(Finding {
                    severity: Severity::Warn,
                    code: "unreadable-journal",
                    subject: path.clone(),
                    path,
                    line: None,
                    message: error.to_string(),
                    hint: "save the file as UTF-8; until then its records are not recalled"
                        .to_owned(),
                }),
            }
        }
        let broken = parallel::map(&files, |(_, text)| scan::broken_lines(text));
        for ((path, _), lines) in files.into_iter().zip(broken) {
            for line in lines {
                findings.push(Finding {
                    severity: Severity::Warn,
                    code: "broken-record",
                    subject: format!("{path}:{line}"),
                    path: path.clone(),
                    line: Some(line),
                    message: "the line looks like a record, and cannot be read".to_owned(),
                    hint: "complete its JSON; it stays as it is, and is no record".to_owned(),
                });
            }
        }
        Ok(findings)
    }

    pub(crate) fn scan_rules(&self, now: Timestamp) -> ScanRules {
        let continuity = &self.config().continuity;
        ScanRules {
            now,
            stale_days: continuity.integrity_stale_days,
            exempt: continuity.integrity_exempt_categories.clone(),
        }
    }

    /// Appends the checkpoint that a runtime writes before it compacts a conversation.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush_journal(&self, request: &Request<'_>) -> Result<Remembered, Error> {
        let session = self.session_for_records(request)?;
        let time = to_milliseconds(request.now);
        let mut record = Record::new(new_id(request.now)?, &session, COMPACTION, CHECKPOINT, time);
        record.provenance.sensitivity = Sensitivity::Operational;
        "system".clone_into(&mut record.provenance.source_channel);
        let ids = vec![record.id.clone()];
        let path = journal::daily_path(self.day(request.now));
        let degraded = if request.dry_run { None } else { self.append(&[record], request.now)? };
        Ok(Remembered { ids, path, degraded })
    }

    /// Measures what a briefing draws on; a file that cannot be read counts as empty.
    pub fn journal_size(&self, now: Timestamp) -> JournalSize {
        let continuity = &self.config().continuity;
        let text = |path: &str| self.read_optional(path).ok().flatten().unwrap_or_default();
        let window = text(PRIMARY);
        // Counted, not read: a glance at the state must not take longer for every year.
        let records = window.lines().filter(|line| line.starts_with("- {")).count();
        let chars = window.chars().count();
        let mut size =
            JournalSize { window: WindowSize { records, chars }, ..JournalSize::default() };
        let today = self.day(now);
        let yesterday = today.yesterday().unwrap_or(today);
        let paths = [
            journal::daily_path(today),
            journal::daily_path(yesterday),
            continuity.long_memory_path.clone(),
            journal::USER.to_owned(),
        ];
        size.substrate = size.window.chars;
        for path in paths {
            size.substrate += text(&path).chars().count();
        }
        let limit = continuity.memory_size_warn_chars;
        if size.window.chars > limit {
            size.warnings.push(format!(
                "{PRIMARY} has {} characters (memorySizeWarnChars is {limit}): `quipu compact` makes it smaller, a briefing takes the most valuable",
                size.window.chars
            ));
        }
        let limit = continuity.substrate_size_warn_chars;
        if size.substrate > limit {
            size.warnings.push(format!(
                "{PRIMARY}, two days, {LONG} and USER.md have {} characters (substrateSizeWarnChars is {limit})",
                size.substrate
            ));
        }
        size
    }
}

impl RecordQuery {
    fn matches(&self, record: &Record) -> bool {
        let time = record.provenance.timestamp;
        let is = |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|w| w == has);
        is(&self.session, &record.session_id)
            && is(&self.category, &record.category)
            && self.since.is_none_or(|since| time >= since)
            && self.until.is_none_or(|until| time < until)
            && (self.decisions
                || self.category.as_deref() == Some(LIFECYCLE)
                || record.category != LIFECYCLE)
    }
}

impl Records {
    /// What was noted about a secret may tell it.
    fn hide_decisions_about(&mut self, hidden: &BTreeSet<String>) {
        let is_hidden = |filed: &FiledRecord| {
            filed.record.target.as_ref().is_some_and(|target| hidden.contains(target))
        };
        let before = self.records.len();
        self.records.retain(|filed| !is_hidden(filed));
        self.secrets += before - self.records.len();
    }
}

fn secret_ids(source: &str) -> impl Iterator<Item = String> {
    journal::records(source)
        .map(|(_, record)| record)
        .filter(|record| record.provenance.sensitivity == Sensitivity::Secret)
        .map(|record| record.id)
}

fn filed<'a>(path: &'a str, source: &'a str) -> impl Iterator<Item = FiledRecord> + 'a {
    text::lines(source).enumerate().filter_map(move |(number, line)| {
        let record = Record::parse(line.text)?;
        Some(FiledRecord { record, path: path.to_owned(), line: number + 1 })
    })
}
