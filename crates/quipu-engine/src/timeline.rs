//! What happened, newest first: what was remembered and decided, sessions, dreams, new facts.

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::indexing::session_time;
use quipu_core::item::{Decision, EntryKind, Event, Item, Kind, Sensitivity, Status};
use quipu_core::journal;
use quipu_core::ledger::is_session_log;
use quipu_core::memory::SESSIONS;
use quipu_core::text::ellipsis;
use quipu_store::{Filter, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::index;
use crate::listing::CursorError;
use crate::sessions::summary_line;
use crate::workspace::Workspace;

/// A longer text is cut; `show` has all of it.
const LONGEST_TEXT: usize = 600;

/// Events are read so many at a time.
const CHUNK: usize = 500;

/// Which part of the past to tell.
#[derive(Clone, Debug, Default)]
pub struct TimelineQuery {
    /// Only entries of these kinds.
    pub kinds: Vec<EntryKind>,
    /// Only what is about records of this category.
    pub category: Option<String>,
    /// Only what belongs to this session.
    pub session: Option<String>,
    /// Only what happened before this time.
    pub before: Option<Timestamp>,
    /// How many entries.
    pub limit: usize,
    /// The cursor that the page before ended with.
    pub after: Option<String>,
}

/// What happened, a page of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimelinePage {
    /// Newest first.
    pub items: Vec<TimelineEntry>,
    /// What `after` takes for the page that follows; none on the last one.
    pub next: Option<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimelineEntry {
    /// Its id, unlike that of any other entry.
    pub id: String,
    /// What sort of thing it is.
    pub kind: EntryKind,
    /// When.
    pub at: Timestamp,
    /// The memory, session or dream that it happened to, as `show` takes it.
    pub about: String,
    /// What happened, in words; nothing where something was remembered.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub what: String,
    /// The words of the memory; long ones are cut.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The category of the memory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// The session that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who did it, or through which channel it came.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How the memory stands by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Whether it was taken back since.
    pub is_undone: bool,
}

/// Returns what happened, newest first, secrets apart.
///
/// # Errors
/// When the index or the files cannot be read, or the cursor is none of ours.
pub fn timeline(workspace: &Workspace, query: &TimelineQuery) -> Result<TimelinePage, Error> {
    index::freshen(workspace)?;
    let place = query.place()?;
    let mut entries = facts(workspace, query)?;
    entries.extend(sessions(workspace, query)?);
    if let Some(place) = &place {
        entries.retain(|entry| (entry.at, &*entry.id) < (place.0, &*place.1));
    }
    entries.extend(events(&*index::store(workspace)?, query, place)?);
    entries.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
    let has_more = entries.len() > query.limit;
    entries.truncate(query.limit);
    let next = entries.last().filter(|_| has_more);
    let next = next.map(|last| format!("{}~{}", last.at.as_millisecond(), last.id));
    Ok(TimelinePage { items: entries, next })
}

impl TimelineQuery {
    fn wants(&self, kind: EntryKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    fn wants_entry(&self, entry: &TimelineEntry) -> bool {
        self.wants(entry.kind)
            && self.category.as_ref().is_none_or(|category| *category == entry.category)
            && self.session.as_ref().is_none_or(|session| entry.session.as_ref() == Some(session))
    }

    /// Returns where the page begins: entries come before this time, or at it with a smaller id.
    fn place(&self) -> Result<Option<(Timestamp, String)>, CursorError> {
        let Some(text) = &self.after else {
            return Ok(self.before.map(|before| (before, String::new())));
        };
        let read = || {
            let (at, id) = text.split_once('~')?;
            let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
            Some((at, id.to_owned()))
        };
        read().map(Some).ok_or_else(|| CursorError { text: text.clone() })
    }
}

/// Returns facts and threads by the day that they were written on.
fn facts(workspace: &Workspace, query: &TimelineQuery) -> Result<Vec<TimelineEntry>, Error> {
    if !query.wants(EntryKind::Fact) {
        return Ok(Vec::new());
    }
    let filter = Filter {
        kinds: vec![Kind::Fact, Kind::Thread, Kind::Archived],
        statuses: Status::ALL.to_vec(),
        ..Filter::default()
    };
    let (items, _) = index::store(workspace)?.newest(&filter, usize::MAX)?;
    let dated = items.into_iter().filter(|item| item.time != Timestamp::UNIX_EPOCH);
    let entry = |item: Item| TimelineEntry {
        id: format!("fact:{}", item.id),
        kind: EntryKind::Fact,
        at: item.time,
        about: item.id,
        what: String::new(),
        text: ellipsis(&item.text, LONGEST_TEXT),
        category: item.category,
        session: item.origin,
        by: String::new(),
        reason: String::new(),
        status: Some(item.status),
        is_undone: false,
    };
    Ok(dated.map(entry).filter(|entry| query.wants_entry(entry)).collect())
}

/// Returns the sessions that left a log.
fn sessions(workspace: &Workspace, query: &TimelineQuery) -> Result<Vec<TimelineEntry>, Error> {
    if !query.wants(EntryKind::Session) {
        return Ok(Vec::new());
    }
    let snapshot = workspace.read()?;
    let logs = snapshot.inside(SESSIONS).filter(|(name, _)| is_session_log(name));
    let entry = |(name, log): (&str, &str)| {
        let stem = name.trim_end_matches(".md");
        let agent = log.lines().find_map(|line| line.strip_prefix("**Agent:**"));
        TimelineEntry {
            id: format!("session:{stem}"),
            kind: EntryKind::Session,
            at: session_time(stem),
            about: stem.to_owned(),
            what: String::new(),
            text: summary_line(log),
            category: String::new(),
            session: Some(stem.to_owned()),
            by: agent.map(|agent| agent.trim().to_owned()).unwrap_or_default(),
            reason: String::new(),
            status: None,
            is_undone: false,
        }
    };
    Ok(logs.map(entry).filter(|entry| query.wants_entry(entry)).collect())
}

/// Returns what was remembered, decided and dreamt: as many as a page needs.
fn events(
    store: &dyn Store,
    query: &TimelineQuery,
    place: Option<(Timestamp, String)>,
) -> Result<Vec<TimelineEntry>, Error> {
    let mut place = place;
    let mut found: Vec<TimelineEntry> = Vec::new();
    while found.len() <= query.limit {
        let before = place.as_ref().map(|(at, id)| (*at, id.as_str()));
        let events = store.events_before(before, CHUNK)?;
        let Some(last) = events.last() else { break };
        place = Some((last.at, last.id.clone()));
        let of: BTreeSet<&str> = events.iter().map(|event| &*event.item).collect();
        let of: Vec<&str> = of.into_iter().collect();
        let items = store.items(&of)?;
        let histories = store.events_of(&of)?;
        let known = |id: &str| {
            let at = of.binary_search(&id).ok()?;
            Some((items[at].as_ref(), &histories[at]))
        };
        for event in &events {
            let Some((item, history)) = known(&event.item) else { continue };
            found.extend(entry(event, item, history).filter(|entry| query.wants_entry(entry)));
        }
    }
    Ok(found)
}

/// Tells what an event was; nothing where it is the engine's own bookkeeping, or about a secret.
fn entry(event: &Event, item: Option<&Item>, history: &[Event]) -> Option<TimelineEntry> {
    if item.is_some_and(|item| item.sensitivity == Sensitivity::Secret) {
        return None;
    }
    let kind = match &event.decision {
        None => EntryKind::Remembered,
        Some(Decision::Weigh(_) | Decision::Revert { .. }) => return None,
        Some(Decision::Dreamed { .. }) => EntryKind::Dreamed,
        Some(Decision::Ask { .. }) => EntryKind::Asked,
        Some(Decision::Answer { .. }) => EntryKind::Answered,
        Some(_) => EntryKind::Decided,
    };
    let what = match &event.decision {
        None => String::new(),
        Some(Decision::Edit { text }) => format!("now says: {}", ellipsis(text, LONGEST_TEXT)),
        Some(Decision::Ask { question }) => {
            format!("{} {}", question.in_words(), question.subjects.join(" or "))
        }
        Some(decision) => decision.in_words(),
    };
    // A secret that is not in the index any more has left its decisions behind.
    if kind == EntryKind::Remembered && item.is_none() {
        return None;
    }
    let text = item.map(|item| ellipsis(&item.text, LONGEST_TEXT)).unwrap_or_default();
    let is_undone = journal::is_taken_back(&event.id, history);
    Some(TimelineEntry {
        id: event.id.clone(),
        kind,
        at: event.at,
        about: event.item.clone(),
        what,
        text,
        category: item.map(|item| item.category.clone()).unwrap_or_default(),
        session: item.and_then(|item| item.session.clone()),
        by: event.actor.clone(),
        reason: event.reason.clone(),
        status: item.map(|item| item.status),
        is_undone,
    })
}
