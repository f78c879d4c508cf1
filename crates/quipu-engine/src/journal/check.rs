//! Whether the journal is sound, and how large it is.

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::finding::{Finding, LintCode};
use quipu_core::journal::scan::{self, JournalCode, JournalFinding, ScanRules};
use quipu_core::journal::{self, LONG, PRIMARY};
use serde::Serialize;

use crate::error::Error;
use crate::ledger;
use crate::parallel;
use crate::workspace::Workspace;

/// What a scan found.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Scanned {
    /// What wants a look.
    pub findings: Vec<JournalFinding>,
    /// How many records there are.
    pub records: usize,
    /// How many files were looked at.
    pub files: usize,
}

/// How large the window is.
#[derive(Clone, Copy, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct WindowSize {
    /// Lines that look like records.
    pub records: usize,
    /// Characters.
    pub chars: usize,
}

/// How large the files of the journal are.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct JournalSize {
    /// The window.
    pub window: WindowSize,
    /// Characters of everything that a briefing draws on.
    pub substrate: usize,
    /// What is larger than it should be.
    pub warnings: Vec<String>,
}

/// Looks for contradictions, stale records, broken lines, double ids, and files that disagree.
///
/// # Errors
/// When the folder cannot be read.
pub fn scan_journal(workspace: &Workspace, now: Timestamp) -> Result<Scanned, Error> {
    let Texts { files, unread } = texts(workspace)?;
    let unreadable = |(path, error): (String, Error)| JournalFinding {
        code: JournalCode::Unreadable,
        severity: JournalCode::Unreadable.severity(),
        record_id: None,
        path,
        line: 0,
        issue: error.to_string(),
        hint: "save the file as UTF-8",
    };
    let mut findings: Vec<JournalFinding> = unread.into_iter().map(unreadable).collect();
    let mut ids = BTreeSet::new();
    for (_, text) in &files {
        ids.extend(journal::records(text).map(|(_, record)| record.id));
    }
    findings.extend(scan::scan(&files, &scan_rules(workspace, now)));
    Ok(Scanned { findings, records: ids.len(), files: files.len() })
}

/// The files of the journal.
struct Texts {
    /// Paths and texts.
    files: Vec<(String, String)>,
    /// Those that cannot be read, and why.
    unread: Vec<(String, Error)>,
}

fn texts(workspace: &Workspace) -> Result<Texts, Error> {
    let mut texts = Texts { files: Vec::new(), unread: Vec::new() };
    for path in ledger::journal_paths(workspace)? {
        match workspace.read_optional(&path) {
            Ok(Some(text)) => texts.files.push((path, text)),
            Ok(None) => {}
            Err(error) => texts.unread.push((path, error)),
        }
    }
    Ok(texts)
}

/// Tells whether there is a journal.
pub(crate) fn has_journal(workspace: &Workspace) -> bool {
    workspace.fs().stat(&workspace.root().join(PRIMARY)).is_ok()
        || ledger::days(workspace).is_ok_and(|days| !days.is_empty())
}

/// Returns lines of the journal that were meant to be records, as lint tells them.
pub(crate) fn broken_records(workspace: &Workspace) -> Result<Vec<Finding>, Error> {
    let Texts { files, unread } = texts(workspace)?;
    let unreadable = |(path, error): (String, Error)| Finding {
        severity: LintCode::UnreadableJournal.severity(),
        code: LintCode::UnreadableJournal,
        subject: path.clone(),
        path,
        line: None,
        message: error.to_string(),
        hint: "save the file as UTF-8; until then its records are not recalled".to_owned(),
    };
    let mut findings: Vec<Finding> = unread.into_iter().map(unreadable).collect();
    let broken = parallel::map(&files, |(_, text)| scan::broken_lines(text));
    for ((path, _), lines) in files.into_iter().zip(broken) {
        for line in lines {
            findings.push(Finding {
                severity: LintCode::BrokenRecord.severity(),
                code: LintCode::BrokenRecord,
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

pub(crate) fn scan_rules(workspace: &Workspace, now: Timestamp) -> ScanRules {
    let continuity = &workspace.config().continuity;
    ScanRules {
        now,
        stale_days: continuity.integrity_stale_days,
        exempt: continuity.integrity_exempt_categories.clone(),
    }
}

/// Measures what a briefing draws on; a file that cannot be read counts as empty.
pub fn journal_size(workspace: &Workspace, now: Timestamp) -> JournalSize {
    let continuity = &workspace.config().continuity;
    let text = |path: &str| workspace.read_optional(path).ok().flatten().unwrap_or_default();
    let window = text(PRIMARY);
    // Counted, not read: a glance at the state must not take longer for every year.
    let records = window
        .lines()
        .filter(|line| line.starts_with("- {") || line.starts_with("  <!-- id: "))
        .count();
    let chars = window.chars().count();
    let mut size = JournalSize { window: WindowSize { records, chars }, ..JournalSize::default() };
    let today = workspace.day(now);
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
