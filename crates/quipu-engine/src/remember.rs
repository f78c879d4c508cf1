//! What is remembered: it is checked, compared with what is known, and written.
//!
//! The day's log is the ledger: a line is synced before anyone hears that it is remembered.
//! `MEMORY.md` is a window on it and the index a projection; both are healed from the log.

use std::borrow::Cow;

use jiff::Timestamp;
use quipu_core::item::{Decision, Layer, MemoryType, Sensitivity, Source, Status};
use quipu_core::journal::{self, CHECKPOINT, COMPACTION, LIFECYCLE, Record};
use quipu_core::text;

use crate::caller::{Actor, Caller, Channel, OPERATOR};
use crate::compaction;
use crate::config::OnSecret;
use crate::decide::{confirmed, refuse_transition};
use crate::embedding::{self, MadeVectors, OwnVectors};
use crate::error::Error;
use crate::ids::new_id;
use crate::index;
use crate::lock::Lock;
use crate::operation::Request;
use crate::records::{check_words, decision_record, to_milliseconds};
use crate::refusal::Refusal;
use crate::retry::RetryError;
use crate::secret_policy;
use crate::sessions;
use crate::weigh::{self, Weighed};
use crate::workspace::Workspace;

/// Something to remember.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewMemory {
    /// The words.
    pub text: String,
    /// A free word for the sort of record; `note` where empty.
    pub category: String,
    /// The layer; else the category tells.
    pub layer: Option<Layer>,
    /// The type; else the category tells.
    #[serde(rename = "type")]
    pub memory_type: Option<MemoryType>,
    /// Who it is from.
    pub source: Option<Source>,
    /// Who said it.
    pub speaker: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Base importance, 0 to 1.
    pub importance: Option<f32>,
    /// How pleasant it is, −1 to 1.
    pub valence: Option<f32>,
    /// Who may see it; `private-user` where not said.
    pub sensitivity: Option<Sensitivity>,
    /// Since when it is true.
    #[serde(deserialize_with = "day_or_time")]
    pub valid_from: Option<Timestamp>,
    /// Until when it is true.
    #[serde(deserialize_with = "day_or_time")]
    pub valid_to: Option<Timestamp>,
    /// The session; else the open one, else the day.
    pub session: Option<String>,
    /// The channel it came through.
    pub channel: Option<String>,
    /// It says that something is not so.
    pub negative: bool,
    /// The record that it replaces.
    pub supersedes: Option<String>,
    /// When it was said; else now.
    #[serde(deserialize_with = "day_or_time")]
    pub time: Option<Timestamp>,
    /// It comes first in every briefing.
    pub pinned: bool,
    /// How sure the writer is, 0 to 1; 1 where not said.
    pub confidence: Option<f64>,
    /// Take it although it looks like it holds a secret.
    pub allow_secret: bool,
}

/// Reads a day or a time.
fn day_or_time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = <Option<String> as serde::Deserialize>::deserialize(from)? else {
        return Ok(None);
    };
    let day = text.parse().map(quipu_core::when::midnight);
    let time = day.or_else(|_| text.parse()).map_err(|_| {
        serde::de::Error::custom(format!(
            "`{text}` is neither a day nor a time such as 2026-04-20T10:00:00Z"
        ))
    })?;
    Ok(Some(time))
}

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Remembered {
    /// The new ids, in order.
    pub ids: Vec<String>,
    /// The day's log that holds them.
    pub path: String,
    /// Why the index does not have them yet, where it does not.
    pub degraded: Option<String>,
}

/// What became of one memory that was compared with what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct RememberedOne {
    /// Its id.
    pub id: String,
    /// The day's log that holds it.
    pub path: String,
    /// Why the index does not have it yet, where it does not.
    pub degraded: Option<String>,
    /// How it compares with what is known, where that could be found out.
    pub weighed: Option<Weighed>,
}

/// Records that are ready to be written.
struct Draft {
    records: Vec<Record>,
    /// The session of what is decided about them.
    session: String,
    /// Held since something that they replace was looked up; the index is current then.
    lock: Option<Lock>,
}

impl Draft {
    fn ids(&self) -> Vec<String> {
        let new = self.records.iter().filter(|record| record.category != LIFECYCLE);
        new.map(|record| record.id.clone()).collect()
    }
}

/// Remembers, durably: each is in the day's log when this returns. None is compared with what is
/// known; a dream does that.
///
/// # Errors
/// When one of them is refused or the log cannot be written; then none is remembered.
pub fn remember(
    workspace: &Workspace,
    new: &[NewMemory],
    request: &Request<'_>,
) -> Result<Remembered, Error> {
    let draft = draft(workspace, new, request)?;
    let (ids, path) = (draft.ids(), journal::daily_path(workspace.day(request.now)));
    if request.dry_run || draft.records.is_empty() {
        return Ok(Remembered { ids, path, degraded: None });
    }
    let Draft { records, lock, .. } = draft;
    let lock = lock.map_or_else(|| workspace.lock_for_writing(), Ok)?;
    let degraded = crate::journal::append_locked(workspace, &lock, &records, request.now)?;
    drop(lock);
    let degraded = degraded.or_else(|| compaction::compact_after(workspace, &records, request.now));
    Ok(Remembered { ids, path, degraded })
}

/// Remembers one thing, durably, and compares it with what is known: the record and what was
/// decided about it are in the day's log when this returns, written at once.
///
/// What cannot be compared is remembered all the same.
///
/// # Errors
/// When it is refused or the log cannot be written; then it is not remembered.
pub fn remember_one(
    workspace: &Workspace,
    new: &NewMemory,
    request: &Request<'_>,
) -> Result<RememberedOne, Error> {
    let draft = draft(workspace, std::slice::from_ref(new), request)?;
    let id = draft.ids().pop().unwrap_or_default();
    let path = journal::daily_path(workspace.day(request.now));
    if request.dry_run {
        return Ok(RememberedOne { id, path, degraded: None, weighed: None });
    }
    let Draft { mut records, session, lock } = draft;
    // Asking a server for a vector may take long, so it is asked before others have to wait.
    let item = records.iter().find_map(Record::item);
    let vectors = item.as_ref().and_then(|item| embedding::own_vectors(workspace, item));
    let (lock, is_current) = lock_to_compare(workspace, lock)?;
    if let Some(item) = item.as_ref().filter(|_| workspace.derived_id().is_some())
        && let Some(known) = index::store(workspace)?.base(&id)?
    {
        // An earlier process wrote it, and died before it could answer.
        if known.text != item.text {
            return Err(RetryError::OtherRequest.into());
        }
        return Ok(RememberedOne { id, path, degraded: None, weighed: None });
    }
    let weighing = match (&item, &vectors) {
        (Some(item), Some(Ok(own))) if is_current => {
            // How new it is can be found out later, too.
            weigh::weigh(workspace, item, own, &session, request).ok().flatten()
        }
        _ => None,
    };
    let own = records.len();
    let weighed = weighing.map(|weighing| {
        records.extend(weighing.records);
        weighing.weighed
    });
    let made = vectors.map(|made| (id.clone(), made.map(OwnVectors::into_indexed)));
    let made = MadeVectors::from_iter(made);
    let degraded = crate::journal::append_with(workspace, &lock, &records, &made, request.now)?;
    for confirmed in confirmed(&records) {
        index::note_access(workspace, confirmed, request.now);
    }
    drop(lock);
    let degraded =
        degraded.or_else(|| compaction::compact_after(workspace, &records[..own], request.now));
    Ok(RememberedOne { id, path, degraded, weighed })
}

/// Takes the lock, where it is not held, and brings the index up to date. Returns whether that
/// could be done: a broken index is no reason not to remember.
fn lock_to_compare(workspace: &Workspace, held: Option<Lock>) -> Result<(Lock, bool), Error> {
    if let Some(lock) = held {
        return Ok((lock, true));
    }
    let lock = workspace.lock_for_writing()?;
    let indexed =
        index::mending(workspace, || index::index_locked(workspace, &lock, &mut |_, _| {}));
    Ok((lock, indexed.is_ok()))
}

/// Makes the records of new memories; all of them may be written.
fn draft(workspace: &Workspace, new: &[NewMemory], request: &Request<'_>) -> Result<Draft, Error> {
    let session = sessions::session_for_records(workspace, request)?;
    // What is replaced is looked up, and must not change until it is.
    let replaces = new.iter().any(|memory| memory.supersedes.is_some());
    let lock = if replaces && !request.dry_run {
        let lock = workspace.lock_for_writing()?;
        index::index_locked(workspace, &lock, &mut |_, _| {})?;
        Some(lock)
    } else {
        None
    };
    let mut records = Vec::with_capacity(new.len());
    for (at, memory) in new.iter().enumerate() {
        let made = attributed(&request.caller, memory).map_err(Error::from);
        let made = made.and_then(|new| records_for(workspace, &new, &session, request));
        records.extend(made.map_err(|error| match new.len() {
            1 => error,
            _ => Refusal::InBatch { number: at + 1, source: Box::new(error) }.into(),
        })?);
    }
    Ok(Draft { records, session, lock })
}

fn records_for(
    workspace: &Workspace,
    new: &NewMemory,
    default_session: &str,
    request: &Request<'_>,
) -> Result<Vec<Record>, Error> {
    let words = new.text.trim();
    check(new, words)?;
    let words = &*guarded(workspace, new, words)?;
    let named = [Some(&new.category), new.speaker.as_ref()].into_iter().flatten();
    let named = named.chain([&new.session, &new.channel].into_iter().flatten());
    for name in named.chain(&new.tags) {
        // What something is called is refused, not changed: others ask for it by that.
        if guarded(workspace, new, name)? != **name {
            secret_policy::guarded(OnSecret::Refuse, name)?;
        }
    }
    let category = text::collapse_whitespace(&new.category);
    let category = match (&*category, new.negative) {
        ("", true) => "learned",
        ("", false) => "note",
        (LIFECYCLE, _) => return Err(Refusal::ReservedCategory.into()),
        (category, _) => category,
    };
    // What was said on another day belongs to that day.
    let told_on = new.time.map(|time| workspace.day(time).to_string());
    let session = new.session.as_deref().or(told_on.as_deref()).unwrap_or(default_session);
    let time = to_milliseconds(new.time.unwrap_or(request.now));
    let new_id = workspace.derived_id().map_or_else(new_id, Ok)?;
    let mut record = Record::new(new_id, session, category, words, time);
    record.provenance.sensitivity = new.sensitivity.unwrap_or(Sensitivity::Private);
    if let Some(channel) = &new.channel {
        record.provenance.source_channel.clone_from(channel);
    }
    record.layer = new.layer;
    record.memory_type = new.memory_type;
    record.source = new.source;
    record.speaker.clone_from(&new.speaker);
    record.tags = new.tags.iter().map(|tag| text::collapse_whitespace(tag)).collect();
    record.tags.retain(|tag| !tag.is_empty());
    record.importance = new.importance;
    record.valence = new.valence;
    record.valid_from = new.valid_from;
    record.valid_to = new.valid_to;
    record.negative = new.negative;
    record.pinned = new.pinned;
    if let Some(confidence) = new.confidence {
        record.provenance.confidence = as_number(confidence);
    }
    let mut records = vec![record];
    if let Some(old) = &new.supersedes {
        let old = index::resolve(workspace, old)?;
        if old.is_owned_by_a_file() {
            return Err(Refusal::OwnedByFile { id: old.id, does: "supersede" }.into());
        }
        refuse_transition(&old, Status::Superseded)?;
        let by = records[0].id.clone();
        records[0].supersedes = Some(old.id.clone());
        let decision = Decision::Supersede { by };
        records.push(decision_record(&old.id, decision, "", session, request)?);
    }
    Ok(records)
}

/// Returns the words as they may be remembered (`guard.secrets`).
fn guarded<'w>(
    workspace: &Workspace,
    new: &NewMemory,
    words: &'w str,
) -> Result<Cow<'w, str>, Error> {
    if new.allow_secret || new.sensitivity == Some(Sensitivity::Secret) {
        return Ok(Cow::Borrowed(words));
    }
    Ok(secret_policy::guarded(workspace.config().guard.on_said(), words)?)
}

/// Appends the checkpoint that a runtime writes before it compacts a conversation.
///
/// # Errors
/// When it cannot be written.
pub fn flush_journal(workspace: &Workspace, request: &Request<'_>) -> Result<Remembered, Error> {
    let session = sessions::session_for_records(workspace, request)?;
    let time = to_milliseconds(request.now);
    let mut record = Record::new(new_id()?, &session, COMPACTION, CHECKPOINT, time);
    record.provenance.sensitivity = Sensitivity::Operational;
    "system".clone_into(&mut record.provenance.source_channel);
    let ids = vec![record.id.clone()];
    let path = journal::daily_path(workspace.day(request.now));
    let degraded =
        if request.dry_run { None } else { compaction::append(workspace, &[record], request.now)? };
    Ok(Remembered { ids, path, degraded })
}

fn check(new: &NewMemory, words: &str) -> Result<(), Error> {
    check_words(words)?;
    let within = |value: Option<f32>, low: f32| {
        value.is_none_or(|value| value.is_finite() && (low..=1.0).contains(&value))
    };
    if !within(new.importance, 0.0) {
        return Err(Refusal::Range { what: "importance", low: 0 }.into());
    }
    if !within(new.valence, -1.0) {
        return Err(Refusal::Range { what: "valence", low: -1 }.into());
    }
    if new.confidence.is_some_and(|sure| !(0.0..=1.0).contains(&sure)) {
        return Err(Refusal::Range { what: "confidence", low: 0 }.into());
    }
    if let (Some(from), Some(to)) = (new.valid_from, new.valid_to)
        && from >= to
    {
        return Err(Refusal::EmptyValidity.into());
    }
    Ok(())
}

/// Writes a whole number without a point, as the original does.
fn as_number(value: f64) -> serde_json::Number {
    match value {
        0.0 => 0.into(),
        1.0 => 1.into(),
        _ => serde_json::Number::from_f64(value).unwrap_or_else(|| 1.into()),
    }
}

/// Returns something to remember with the provenance that its writer has, whatever it claims.
///
/// An agent writes as an agent: what it says that a person said was said in a conversation. The channel
/// `other` chooses nothing that decides where its words stand in somebody's briefing.
///
/// # Errors
/// When the channel `other` would replace a record.
fn attributed(caller: &Caller<'_>, new: &NewMemory) -> Result<NewMemory, Refusal> {
    let mut new = new.clone();
    let Actor::Agent(name) = caller.actor else { return Ok(new) };
    new.source = match new.source {
        Some(Source::Human | Source::Interaction) => Some(Source::Interaction),
        Some(Source::Ingest) => Some(Source::Ingest),
        // The category says it.
        None if new.category == "turn-summary" => None,
        _ => Some(Source::Ai),
    };
    let is_said = new.channel.as_deref().is_some_and(|channel| channel != OPERATOR);
    if !is_said || caller.channel != Channel::Main {
        new.channel = Some(name.to_owned());
    }
    if caller.channel != Channel::Other {
        return Ok(new);
    }
    if new.supersedes.is_some() {
        return Err(Refusal::OnlyMain { what: "supersedes" });
    }
    Ok(NewMemory {
        text: new.text,
        category: "note".to_owned(),
        source: Some(Source::Ai),
        tags: new.tags,
        sensitivity: new.sensitivity,
        valid_from: new.valid_from,
        valid_to: new.valid_to,
        channel: new.channel,
        negative: new.negative,
        ..NewMemory::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_never_recorded_as_a_person() {
        let agent = Caller::agent("codex");
        let table = [
            (None, Source::Ai),
            (Some(Source::Human), Source::Interaction),
            (Some(Source::Interaction), Source::Interaction),
            (Some(Source::Ai), Source::Ai),
            (Some(Source::Ingest), Source::Ingest),
            (Some(Source::Dream), Source::Ai),
            (Some(Source::CodeScan), Source::Ai),
        ];
        for (claimed, recorded) in table {
            let new = NewMemory { source: claimed, ..NewMemory::default() };
            let made = attributed(&agent, &new).unwrap();
            assert_eq!(made.source, Some(recorded), "{claimed:?}");
            assert_eq!(made.channel.as_deref(), Some("codex"));
            assert_eq!(attributed(&Caller::PERSON, &new).unwrap(), new);
        }
    }

    #[test]
    fn another_channel_does_not_choose_where_its_words_stand() {
        let other = Caller { channel: Channel::Other, ..Caller::agent("bot") };
        let new = NewMemory {
            text: "words".to_owned(),
            category: "user-preference".to_owned(),
            source: Some(Source::Human),
            speaker: Some("user".to_owned()),
            importance: Some(1.0),
            pinned: true,
            confidence: Some(1.0),
            channel: Some("main".to_owned()),
            session: Some("theirs".to_owned()),
            allow_secret: true,
            ..NewMemory::default()
        };
        let expected = NewMemory {
            text: "words".to_owned(),
            category: "note".to_owned(),
            source: Some(Source::Ai),
            channel: Some("bot".to_owned()),
            ..NewMemory::default()
        };
        assert_eq!(attributed(&other, &new).unwrap(), expected);
        let replaces = NewMemory { supersedes: Some("x".to_owned()), ..new };
        assert!(attributed(&other, &replaces).is_err());
    }
}
