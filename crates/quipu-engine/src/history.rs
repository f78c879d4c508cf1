//! What happened to something since it was remembered.

use jiff::Timestamp;
use quipu_core::indexing;
use quipu_core::item::{Decision, Event, Kind, Status};
use quipu_core::memory::SESSIONS;
use quipu_core::session;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::index;
use crate::recall;
use crate::refusal::Refusal;
use crate::report::refuse_secret;
use crate::sessions;
use crate::workspace::Workspace;

/// What happened to something since it was remembered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct History {
    /// The item.
    pub id: String,
    /// Each thing that happened, oldest first.
    pub entries: Vec<HistoryEntry>,
    /// What it replaced, nearest first.
    pub supersedes: Vec<String>,
    /// What replaced it.
    pub superseded_by: Option<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistoryEntry {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: String,
    /// Who did it.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The status before, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Status>,
    /// The status after, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Status>,
}

impl HistoryEntry {
    fn of(at: Timestamp, what: String, by: String) -> Self {
        Self { at, what, by, reason: String::new(), old: None, new: None }
    }
}

/// Returns what happened to an item.
///
/// # Errors
/// When there is no such item.
pub fn history(workspace: &Workspace, id: &str, allow_secret: bool) -> Result<History, Error> {
    index::freshen(workspace)?;
    let item = match index::resolve(workspace, id) {
        // What was purged has no words any more, but still a past.
        Err(ref error) if let Some(id) = Refusal::unknown_id(error) => {
            let events = index::store(workspace)?.events(&id)?;
            if events.is_empty() {
                return Err(Refusal::unknown(id).into());
            }
            let entries = events.into_iter().map(history_entry).collect();
            return Ok(History { id, entries, supersedes: Vec::new(), superseded_by: None });
        }
        found => found?,
    };
    refuse_secret(&item, allow_secret)?;
    let mut entries: Vec<HistoryEntry> = Vec::new();
    let events = index::store(workspace)?.events(&item.id)?;
    if events.iter().all(|event| event.decision.is_some()) && item.time != Timestamp::UNIX_EPOCH {
        let is_there = |session: &&String| {
            let log = workspace.root().join(format!("{SESSIONS}{session}.md"));
            workspace.fs().stat(&log).is_ok()
        };
        // An origin that names no log is not shown as true.
        let by = item.origin.as_ref().filter(is_there).map(|session| format!("session {session}"));
        let by = by.or_else(|| created_in(workspace, &item.id));
        let by = by.unwrap_or_else(|| item.source.to_string());
        entries.push(HistoryEntry::of(item.time, "written".to_owned(), by));
    }
    let first = index::store(workspace)?.base(&item.id)?.map(|base| base.text).unwrap_or_default();
    entries.extend(events.into_iter().map(|event| {
        let mut entry = history_entry(event);
        if entry.what == "remembered" {
            entry.what = format!("remembered: {first}");
        }
        entry
    }));
    if matches!(item.kind, Kind::Fact | Kind::Thread | Kind::Archived) {
        let snapshot = workspace.read()?;
        let memory = snapshot.parse()?;
        for session in memory.ledger.sessions_of(&item.id) {
            let at = indexing::session_time(session);
            entries.push(HistoryEntry::of(at, "used".to_owned(), format!("session {session}")));
        }
    }
    entries.sort_by_key(|entry| entry.at);
    let supersedes = recall::chain_of(&*index::store(workspace)?, &item)?;
    Ok(History { id: item.id, entries, supersedes, superseded_by: item.superseded_by })
}

/// Returns the open session in which a fact was created, whose log will say so.
fn created_in(workspace: &Workspace, id: &str) -> Option<String> {
    let created = session::Event::Created { id: id.to_owned() };
    let open = sessions::open_sessions(workspace).ok()?;
    let session = open.into_iter().find(|open| open.events.0.contains(&created))?;
    Some(format!("session {}", session.id))
}

fn history_entry(event: Event) -> HistoryEntry {
    let what = match &event.decision {
        None => "remembered".to_owned(),
        Some(Decision::Edit { text }) => format!("now says: {text}"),
        Some(decision) => decision.in_words(),
    };
    let (old, new) = match event.decision {
        Some(Decision::Status { from, to }) => (Some(from), Some(to)),
        _ => (None, None),
    };
    HistoryEntry { at: event.at, what, by: event.actor, reason: event.reason, old, new }
}
