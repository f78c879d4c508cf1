//! Writing to the journal: what is remembered, and what is decided about it later.
//!
//! The day's log is the ledger: a line is synced before anyone hears that it is remembered.
//! `MEMORY.md` is a window on it and the index a projection; both are healed from the log.

mod decide;

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use quipu_core::item::{Decision, Item, Kind, Layer, MemoryType, Sensitivity, Source, Status};
use quipu_core::journal::{self, LIFECYCLE, Record};
use quipu_core::text;

use crate::config::OnSecret;
use crate::embedding::{MadeVectors, OwnVectors};
use crate::error::Error;
use crate::lock::Lock;
use crate::operation::Request;
use crate::recall::RecallError;
use crate::secret_policy;
use crate::sessions::NO_SESSION;
use crate::weigh::Weighed;
use crate::workspace::Workspace;

pub(crate) use self::decide::Deciding;
use self::decide::{confirmed, refuse_transition};

/// A record longer than this is a document, and belongs into a file.
const LONGEST_TEXT: usize = 1024 * 1024;

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

impl Workspace {
    /// Remembers, durably: each is in the day's log when this returns. None is compared with what is
    /// known; a dream does that.
    ///
    /// # Errors
    /// When one of them is refused or the log cannot be written; then none is remembered.
    pub fn remember(&self, new: &[NewMemory], request: &Request<'_>) -> Result<Remembered, Error> {
        let draft = self.draft(new, request)?;
        let (ids, path) = (draft.ids(), journal::daily_path(self.day(request.now)));
        if request.dry_run || draft.records.is_empty() {
            return Ok(Remembered { ids, path, degraded: None });
        }
        let Draft { records, lock, .. } = draft;
        let lock = lock.map_or_else(|| self.lock_for_writing(), Ok)?;
        let degraded = self.append_locked(&lock, &records, request.now)?;
        drop(lock);
        let degraded = degraded.or_else(|| self.compact_after(&records, request.now));
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
        &self,
        new: &NewMemory,
        request: &Request<'_>,
    ) -> Result<RememberedOne, Error> {
        let draft = self.draft(std::slice::from_ref(new), request)?;
        let id = draft.ids().pop().unwrap_or_default();
        let path = journal::daily_path(self.day(request.now));
        if request.dry_run {
            return Ok(RememberedOne { id, path, degraded: None, weighed: None });
        }
        let Draft { mut records, session, lock } = draft;
        // Asking a server for a vector may take long, so it is asked before others have to wait.
        let item = records.iter().find_map(Record::item);
        let vectors = item.as_ref().and_then(|item| self.own_vectors(item));
        let (lock, is_current) = self.lock_to_compare(lock)?;
        let weighing = match (&item, &vectors) {
            (Some(item), Some(Ok(own))) if is_current => {
                // How new it is can be found out later, too.
                self.weigh(item, own, &session, request).ok().flatten()
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
        let degraded = self.append_with(&lock, &records, &made, request.now)?;
        for confirmed in confirmed(&records) {
            self.note_access(confirmed, request.now);
        }
        drop(lock);
        let degraded = degraded.or_else(|| self.compact_after(&records[..own], request.now));
        Ok(RememberedOne { id, path, degraded, weighed })
    }

    /// Takes the lock, where it is not held, and brings the index up to date. Returns whether that
    /// could be done: a broken index is no reason not to remember.
    fn lock_to_compare(&self, held: Option<Lock>) -> Result<(Lock, bool), Error> {
        if let Some(lock) = held {
            return Ok((lock, true));
        }
        let lock = self.lock_for_writing()?;
        let indexed = self.mending(|| self.index_locked(&lock, &mut |_, _| {}));
        Ok((lock, indexed.is_ok()))
    }

    /// Makes the records of new memories; all of them may be written.
    fn draft(&self, new: &[NewMemory], request: &Request<'_>) -> Result<Draft, Error> {
        let session = self.session_for_records(request)?;
        // What is replaced is looked up, and must not change until it is.
        let replaces = new.iter().any(|memory| memory.supersedes.is_some());
        let lock = if replaces && !request.dry_run {
            let lock = self.lock_for_writing()?;
            self.index_locked(&lock, &mut |_, _| {})?;
            Some(lock)
        } else {
            None
        };
        let mut records = Vec::with_capacity(new.len());
        for (at, memory) in new.iter().enumerate() {
            let made = request.caller.attributed(memory).map_err(Error::from);
            let made = made.and_then(|new| self.records_for(&new, &session, request));
            records.extend(made.map_err(|error| match new.len() {
                1 => error,
                _ => RecallError::InBatch { number: at + 1, source: Box::new(error) }.into(),
            })?);
        }
        Ok(Draft { records, session, lock })
    }

    /// The session that records go to: the named one, the open one, or one for the day.
    pub(crate) fn session_for_records(&self, request: &Request<'_>) -> Result<String, Error> {
        let open = match request.session {
            Some(NO_SESSION) => Vec::new(),
            Some(name) => return Ok(name.to_owned()),
            None => self.open_sessions()?,
        };
        Ok(match &open[..] {
            [only] => only.id.clone(),
            _ => self.day(request.now).to_string(),
        })
    }

    fn records_for(
        &self,
        new: &NewMemory,
        default_session: &str,
        request: &Request<'_>,
    ) -> Result<Vec<Record>, Error> {
        let words = new.text.trim();
        check(new, words)?;
        let words = &*self.guarded(new, words)?;
        let named = [Some(&new.category), new.speaker.as_ref()].into_iter().flatten();
        let named = named.chain([&new.session, &new.channel].into_iter().flatten());
        for name in named.chain(&new.tags) {
            // What something is called is refused, not changed: others ask for it by that.
            if self.guarded(new, name)? != **name {
                secret_policy::guarded(OnSecret::Refuse, name)?;
            }
        }
        let category = text::collapse_whitespace(&new.category);
        let category = match (&*category, new.negative) {
            ("", true) => "learned",
            ("", false) => "note",
            (LIFECYCLE, _) => return Err(RecallError::ReservedCategory.into()),
            (category, _) => category,
        };
        // What was said on another day belongs to that day.
        let told_on = new.time.map(|time| self.day(time).to_string());
        let session = new.session.as_deref().or(told_on.as_deref()).unwrap_or(default_session);
        let time = to_milliseconds(new.time.unwrap_or(request.now));
        let mut record = Record::new(new_id(request.now)?, session, category, words, time);
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
            let old = self.resolve(old)?;
            if old.is_owned_by_a_file() {
                return Err(RecallError::OwnedByFile { id: old.id, does: "supersede" }.into());
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
    fn guarded<'w>(&self, new: &NewMemory, words: &'w str) -> Result<Cow<'w, str>, Error> {
        if new.allow_secret || new.sensitivity == Some(Sensitivity::Secret) {
            return Ok(Cow::Borrowed(words));
        }
        Ok(secret_policy::guarded(self.config().guard.on_said(), words)?)
    }

    /// Returns the item that `id` names: exactly, or by a beginning that only it has.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn resolve(&self, id: &str) -> Result<Item, Error> {
        let store = self.store()?;
        if let Some(item) = store.get(id)? {
            return Ok(item);
        }
        let mut ids = if id.is_empty() { Vec::new() } else { store.ids(id, 4)? };
        match ids.len() {
            1 => {
                let id = ids.remove(0);
                store.get(&id)?.ok_or_else(|| RecallError::Unknown { id }.into())
            }
            0 => Err(RecallError::Unknown { id: id.to_owned() }.into()),
            _ => Err(RecallError::Ambiguous { id: id.to_owned(), ids }.into()),
        }
    }
}

fn check(new: &NewMemory, words: &str) -> Result<(), Error> {
    if !words.chars().any(char::is_alphanumeric) {
        return Err(RecallError::NoWords.into());
    }
    if words.len() > LONGEST_TEXT {
        return Err(RecallError::TooLong { size: words.len(), most: LONGEST_TEXT }.into());
    }
    let within = |value: Option<f32>, low: f32| {
        value.is_none_or(|value| value.is_finite() && (low..=1.0).contains(&value))
    };
    if !within(new.importance, 0.0) {
        return Err(RecallError::Range { what: "importance", low: 0 }.into());
    }
    if !within(new.valence, -1.0) {
        return Err(RecallError::Range { what: "valence", low: -1 }.into());
    }
    if new.confidence.is_some_and(|sure| !(0.0..=1.0).contains(&sure)) {
        return Err(RecallError::Range { what: "confidence", low: 0 }.into());
    }
    if let (Some(from), Some(to)) = (new.valid_from, new.valid_to)
        && from >= to
    {
        return Err(RecallError::EmptyValidity.into());
    }
    Ok(())
}

pub(crate) fn decision_record(
    target: &str,
    decision: Decision,
    reason: &str,
    session: &str,
    request: &Request<'_>,
) -> Result<Record, Error> {
    let (id, at) = (new_id(request.now)?, to_milliseconds(request.now));
    let mut record = Record::deciding(id, session, target, (decision, reason), at);
    if let Some(agent) = request.caller.recorded_as() {
        agent.clone_into(&mut record.provenance.source_channel);
    }
    Ok(record)
}

/// Writes a whole number without a point, as the original does.
fn as_number(value: f64) -> serde_json::Number {
    match value {
        0.0 => 0.into(),
        1.0 => 1.into(),
        _ => serde_json::Number::from_f64(value).unwrap_or_else(|| 1.into()),
    }
}

/// Records carry milliseconds, as the original's do.
pub(crate) fn to_milliseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

/// Returns an id that sorts by time.
pub(crate) fn new_id(now: Timestamp) -> Result<String, Error> {
    // Records of one process and millisecond stay in the order in which they were written. The count begins
    // anew with every millisecond: else an id would tell how much this process has written for others.
    static LAST: Mutex<(i64, u32)> = Mutex::new((0, 0));
    let mut random = [0_u8; 10];
    getrandom::fill(&mut random)
        .map_err(|error| RecallError::NoRandomness { reason: error.to_string() })?;
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let millisecond = now.as_millisecond();
    let number = if last.0 == millisecond { last.1.wrapping_add(1) } else { 0 };
    *last = (millisecond, number);
    drop(last);
    let bits = |shift: u32, mask: u32| u8::try_from(number >> shift & mask).unwrap_or(0);
    // The format takes the first half of the first byte, and two bits of the third.
    random[..4].copy_from_slice(&[bits(22, 15), bits(14, 255), bits(8, 63), bits(0, 255)]);
    let milliseconds = u64::try_from(millisecond).unwrap_or(0);
    let id = uuid::Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid();
    Ok(id.to_string())
}

/// Returns what kind of thing an item is, in words.
pub fn kind_in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Fact => "a fact",
        Kind::Thread => "a thread",
        Kind::Archived => "an archived fact",
        Kind::Session => "part of a session log",
        Kind::Document => "part of a document",
        Kind::Record => "a record",
        Kind::Code => "an outline of code",
    }
}
