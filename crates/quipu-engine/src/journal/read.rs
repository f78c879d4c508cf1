//! Reading the journal as it is written: by session, category and time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use quipu_core::item::Sensitivity;
use quipu_core::journal::entry;
use quipu_core::journal::{self, LIFECYCLE, PRIMARY, Record};
use serde::Serialize;

use crate::error::Error;
use crate::ledger;
use crate::refusal::Refusal;
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
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
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
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
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

/// Returns the records of the journal, oldest first, each once.
///
/// # Errors
/// When a file cannot be read.
pub fn records(workspace: &Workspace, query: &RecordQuery) -> Result<Records, Error> {
    let paths =
        if query.window { vec![PRIMARY.to_owned()] } else { ledger::journal_paths(workspace)? };
    let mut found = Records::default();
    let mut texts = Vec::new();
    for path in paths {
        if let Some(text) = read_into(workspace, &path, &mut found) {
            texts.push((path, text));
        }
    }
    // Of copies of a record the strictest label counts.
    let mut hidden: BTreeSet<String> = BTreeSet::new();
    if !query.allow_secret {
        hidden.extend(texts.iter().flat_map(|(_, text)| secret_ids(text)));
    }
    let mut seen = BTreeSet::new();
    for (path, text) in &texts {
        for filed in filed(path, text) {
            let record = &filed.record;
            if !query.matches(record) || !seen.insert(record.id.clone()) {
                continue;
            }
            if hidden.contains(&record.id) {
                found.secrets += 1;
            } else {
                found.records.push(filed);
            }
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

fn read_into(workspace: &Workspace, path: &str, found: &mut Records) -> Option<String> {
    workspace.read_optional(path).unwrap_or_else(|error| {
        found.unread.push((path.to_owned(), error.to_string()));
        None
    })
}

/// Returns the newest records in the order in which they were written, without reading the rest.
///
/// # Errors
/// When a file cannot be read.
pub fn tail(workspace: &Workspace, query: &RecordQuery) -> Result<Records, Error> {
    let wanted = query.newest.unwrap_or(10);
    let mut found = Records::default();
    let window = read_into(workspace, PRIMARY, &mut Records::default()).unwrap_or_default();
    let mut hidden: BTreeSet<String> = BTreeSet::new();
    if !query.allow_secret {
        hidden.extend(secret_ids(&window));
    }
    for path in ledger::days(workspace)?.iter().rev().map(String::as_str).chain([PRIMARY]) {
        if found.records.len() >= wanted && !query.decisions {
            break;
        }
        let Some(text) = read_into(workspace, path, &mut found) else { continue };
        let mut here: Vec<FiledRecord> = Vec::new();
        for filed in filed(path, &text).filter(|filed| query.matches(&filed.record)) {
            let is_known = |known: &FiledRecord| known.record.id == filed.record.id;
            let label = filed.record.provenance.sensitivity;
            let is_secret = label == Sensitivity::Secret || hidden.contains(&filed.record.id);
            if is_secret && !query.allow_secret {
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
pub fn record(
    workspace: &Workspace,
    id: &str,
    allow_secret: bool,
) -> Result<Vec<FiledRecord>, Error> {
    let paths = ledger::journal_paths(workspace)?;
    let mut by_id: BTreeMap<String, Vec<FiledRecord>> = BTreeMap::new();
    let mut standing: Vec<FiledRecord> = Vec::new();
    for path in paths {
        let Ok(Some(text)) = workspace.read_optional(&path) else { continue };
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
        (None, 0) => return Err(Refusal::unknown(id.to_owned()).into()),
        _ => {
            let ids = by_id.into_keys().take(4).collect();
            return Err(Refusal::Ambiguous { id: id.to_owned(), ids }.into());
        }
    };
    let first = &lines[0].record;
    let is_secret =
        |filed: &FiledRecord| filed.record.provenance.sensitivity == Sensitivity::Secret;
    if lines.iter().any(is_secret) && !allow_secret {
        return Err(Refusal::IsSecret { id: first.id.clone() }.into());
    }
    let id = first.id.clone();
    let stands_for = |filed: &FiledRecord| {
        filed.record.merged.as_ref().is_some_and(|merged| merged.ids.contains(&id))
    };
    lines.extend(standing.into_iter().filter(stands_for));
    Ok(lines)
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
    entry::entries(source).map(move |entry| FiledRecord {
        record: entry.record,
        path: path.to_owned(),
        line: entry.line,
    })
}
