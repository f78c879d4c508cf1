//! Putting right what version 0.1 did: memories that its dreams archived too early, and facts that faded because
//! empty session logs counted.

use std::collections::BTreeMap;

use quipu_core::item::{Decision, Event, Kind, Status};
use quipu_core::journal;
use quipu_core::ledger::SessionLog;
use quipu_core::memory::Memory;
use quipu_core::policy::Sessions;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::facts;
use crate::index;
use crate::operation::Request;
use crate::records::decision_record;
use crate::sessions;
use crate::workspace::Workspace;

/// Nothing is archived before so many days without use. Version 0.1 waited for 30 or 49.
const LEAST_DAYS: i64 = 90;

/// The index of the archive, which says why a fact went there.
const INDEX: &str = "memory/archive/INDEX.md";

/// What version 0.1 did and is put right.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Repairs {
    /// Memories that a dream archived too early: they become active.
    pub archived: Vec<EarlyArchive>,
    /// Facts that faded because empty session logs counted: they come back from the archive.
    pub aged: Vec<AgedFact>,
}

/// A memory that was archived too early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EarlyArchive {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// How old it was.
    pub days: i64,
    /// The event that archived it.
    #[serde(skip)]
    event: String,
}

/// A fact that empty logs aged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgedFact {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// How many sessions have not used it.
    pub unused: usize,
    /// How many of them have an empty log.
    pub empty: usize,
}

/// Returns what there is to put right.
///
/// # Errors
/// When the memory cannot be read.
pub fn repairs(workspace: &Workspace) -> Result<Repairs, Error> {
    index::freshen(workspace)?;
    Ok(Repairs { archived: archived_early(workspace)?, aged: aged_facts(workspace) })
}

/// Puts it right: one change, which can be undone.
///
/// # Errors
/// When a step fails.
pub fn repair(workspace: &Workspace, request: &Request<'_>) -> Result<Repairs, Error> {
    let found = repairs(workspace)?;
    if request.dry_run {
        return Ok(found);
    }
    if !found.aged.is_empty() {
        let ids: Vec<String> = found.aged.iter().map(|fact| fact.id.clone()).collect();
        facts::reactivate(workspace, &ids, request)?;
    }
    if !found.archived.is_empty() {
        let session = sessions::session_for_records(workspace, request)?;
        let mut records = Vec::with_capacity(found.archived.len());
        for one in &found.archived {
            let revert = Decision::Revert { event: one.event.clone() };
            let why = "version 0.1 archived it too early";
            records.push(decision_record(&one.id, revert, why, &session, request)?);
        }
        let lock = workspace.lock_for_writing()?;
        crate::journal::append_locked(workspace, &lock, &records, request.now)?;
    }
    Ok(found)
}

fn archived_early(workspace: &Workspace) -> Result<Vec<EarlyArchive>, Error> {
    let store = index::store(workspace)?;
    let mut candidates = Vec::new();
    store.each(&mut |item| {
        if item.kind == Kind::Record && item.status == Status::Archived {
            candidates.push(item);
        }
        true
    })?;
    let mut found = Vec::new();
    for item in candidates {
        let events = store.events(&item.id)?;
        let standing = journal::standing(&events);
        let Some(event) = standing.into_iter().rev().find(|event| is_fading(event)) else {
            continue;
        };
        let days = event.at.duration_since(item.time).as_hours() / 24;
        if days < LEAST_DAYS {
            let (id, text, event) = (item.id, item.text, event.id.clone());
            found.push(EarlyArchive { id, text, days, event });
        }
    }
    Ok(found)
}

/// Tells whether an event is a dream that archived something because it had faded. What a person or an agent
/// archived has no run.
fn is_fading(event: &Event) -> bool {
    let is_archival = matches!(event.decision, Some(Decision::Status { to: Status::Archived, .. }));
    is_archival && event.run.is_some() && event.reason.starts_with("retention ")
}

/// Returns the facts that empty logs aged; none where there is no shared layer.
fn aged_facts(workspace: &Workspace) -> Vec<AgedFact> {
    let Ok(snapshot) = workspace.read() else { return Vec::new() };
    let Ok(memory) = snapshot.parse() else { return Vec::new() };
    let window = memory.policy.archive_window;
    let mut reasons: BTreeMap<&str, &str> = BTreeMap::new();
    for line in snapshot.get(INDEX).unwrap_or_default().lines() {
        let id = line
            .trim_start_matches(['-', '|', ' '])
            .split([' ', '`', '|'])
            .find(|id| !id.is_empty());
        reasons.extend(id.map(|id| (id, line)));
    }
    let mut found = Vec::new();
    for (id, (file, fact)) in memory.archived() {
        let has_faded = reasons.get(id).is_some_and(|line| line.contains(" unused)"));
        if !has_faded || fact.footer.is_superseded() || memory.cannot_return(id).is_some() {
            continue;
        }
        let (unused, empty) = idle(&memory, id, fact.footer.get("created").unwrap_or_default());
        if Sessions::from(unused) > window && Sessions::from(unused - empty) <= window {
            let text = file.document.words(fact);
            found.push(AgedFact { id: id.to_owned(), text, unused, empty });
        }
    }
    found
}

/// Returns how many sessions have not used a fact since it was used or made, and how many of them have an empty
/// log.
fn idle(memory: &Memory<'_>, id: &str, created: &str) -> (usize, usize) {
    let logs = &memory.ledger.logs;
    let last = logs.iter().rposition(|log| log.tokens.contains(id));
    let first = last.map_or_else(|| logs.partition_point(|log| log.date() <= created), |at| at + 1);
    let is_empty = |log: &&SessionLog<'_>| {
        log.has_references && log.tokens.iter().all(|token| *token == "none") && !log.has_review
    };
    (logs.len() - first, logs[first..].iter().filter(is_empty).count())
}
