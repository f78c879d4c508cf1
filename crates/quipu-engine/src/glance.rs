//! The state of a memory at a glance.

use jiff::Timestamp;
use quipu_core::lint;
use quipu_core::memory::MemoryError;
use quipu_core::policy::{Policy, Sessions};
use quipu_core::{question, review, verify};
use serde::Serialize;

use crate::error::Error;
use crate::facts;
use crate::index;
use crate::journal::{self, JournalSize};
use crate::pause;
use crate::questions;
use crate::report;
use crate::sessions;
use crate::workspace::Workspace;

/// The state of a memory at a glance.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Status {
    /// The project's name.
    pub project: Option<String>,
    /// The workspace's folder.
    pub root: String,
    /// Live facts, threads included.
    pub facts: usize,
    /// Facts by tier.
    pub tiers: std::collections::BTreeMap<String, usize>,
    /// Unchecked threads.
    pub open_threads: usize,
    /// Archived facts.
    pub archived: usize,
    /// Session logs.
    pub sessions: usize,
    /// The newest log.
    pub last_session: Option<String>,
    /// The last review, as stamped.
    pub last_review: Option<String>,
    /// Sessions since then.
    pub sessions_since_review: Sessions,
    /// What makes a review due.
    pub review_due: Vec<String>,
    /// Whether a person should confirm the invariants.
    pub invariants_due: bool,
    /// Sessions that are open.
    pub open_sessions: Vec<String>,
    /// Errors that lint finds.
    pub lint_errors: usize,
    /// Warnings that lint finds.
    pub lint_warnings: usize,
    /// The policy in force.
    pub policy: Policy,
    /// Questions that wait in the ledger for an answer.
    pub open_questions: usize,
    /// When a dream last went through the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_dream: Option<Timestamp>,
    /// The journal, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<JournalSize>,
    /// What a person should know about their settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Returns how many session logs there are.
///
/// # Errors
/// When the memory cannot be read.
pub fn session_logs(workspace: &Workspace) -> Result<usize, Error> {
    match workspace.read()?.parse() {
        Ok(memory) => Ok(memory.ledger.len()),
        Err(MemoryError::NoContinuity) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Returns the state of the memory at a glance.
///
/// # Errors
/// When the memory cannot be read.
pub fn status(workspace: &Workspace, now: Timestamp) -> Result<Status, Error> {
    let linted = facts::lint(workspace, false)?;
    let snapshot = workspace.read()?;
    let journal = if journal::has_journal(workspace) {
        Some(journal::journal_size(workspace, now))
    } else {
        None
    };
    let (open_questions, last_dream) = night_at_a_glance(workspace);
    let memory = match snapshot.parse() {
        Err(MemoryError::NoContinuity) if journal.is_some() => {
            return Ok(Status {
                open_questions,
                last_dream,
                root: workspace.root().display().to_string(),
                lint_errors: linted.errors(),
                lint_warnings: linted.warnings(),
                journal,
                notices: notices(workspace, now),
                ..Status::default()
            });
        }
        parsed => parsed?,
    };
    let mut facts = memory.continuity.distinct_facts();
    facts.retain(|fact| !report::is_purged(&memory.continuity, fact));
    let mut tiers = std::collections::BTreeMap::new();
    for fact in &facts {
        let tier = fact.footer.get("tier").unwrap_or("none").to_owned();
        *tiers.entry(tier).or_insert(0) += 1;
    }
    let archived = memory.archived().into_values();
    let archived = archived.filter(|(file, fact)| !report::is_purged(&file.document, fact));
    let state = |key| memory.continuity.state(key).map(|line| line.value.to_owned());
    Ok(Status {
        project: state("project"),
        root: workspace.root().display().to_string(),
        facts: facts.len(),
        tiers,
        open_threads: facts.iter().filter(|fact| memory.continuity.is_pinned(fact)).count(),
        archived: archived.count(),
        sessions: memory.ledger.len(),
        last_session: memory.ledger.logs.last().map(|log| log.stem.to_owned()),
        last_review: state("last_review"),
        sessions_since_review: lint::sessions_since_review(&memory),
        review_due: review::triggers(&memory),
        invariants_due: verify::invariant_check(&memory).is_due,
        open_sessions: sessions::open_sessions(workspace)?
            .into_iter()
            .map(|session| session.id)
            .collect(),
        lint_errors: linted.errors(),
        lint_warnings: linted.warnings(),
        policy: memory.policy,
        open_questions,
        last_dream,
        journal,
        notices: notices(workspace, now),
    })
}

/// Returns what a person should know: about their settings, and what is off the record.
fn notices(workspace: &Workspace, now: Timestamp) -> Vec<String> {
    let paused = pause::pauses(workspace, now);
    let settings = workspace.config().notices.iter().cloned();
    settings.chain(paused.iter().map(pause::Pause::words)).collect()
}

/// Returns how many questions wait and when the last dream was, as far as the index knows.
fn night_at_a_glance(workspace: &Workspace) -> (usize, Option<Timestamp>) {
    if !index::is_made(workspace) {
        return (0, None);
    }
    let open = index::store(workspace).and_then(|store| Ok(store.filed_under(question::FILED)?));
    let open = question::queue(&open.unwrap_or_default());
    let dreams =
        index::store(workspace).and_then(|store| Ok(store.filed_under(crate::dream::FILED)?));
    let last = dreams.unwrap_or_default().iter().map(|event| event.at).max();
    let find = |id: &str| questions::find_in_scopes(workspace, id);
    let waits = |one: &&question::Asked| one.answer.is_none() && one.question.waits(&find);
    (open.iter().filter(waits).count(), last)
}
