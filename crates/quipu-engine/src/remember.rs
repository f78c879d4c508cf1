//! Writing to the journal: what is remembered, and what is decided about it later.
//!
//! The day's log is the ledger: a line is synced before anyone hears that it is remembered.
//! `MEMORY.md` is a window on it and the index a projection; both are healed from the log.

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use quipu_core::item::{
    Decision, Filed, Item, Kind, Layer, MemoryType, Place, Sensitivity, Source, Status, may_become,
};
use quipu_core::journal::{self, LIFECYCLE, PRIMARY, Record};
use quipu_core::secret::{self, Scope};
use quipu_core::text;
use quipu_store::{Batch, Store};

use crate::error::Error;
use crate::found::Indexable;
use crate::index::stamp_text;
use crate::lock::Lock;
use crate::operations::Request;
use crate::recall::RecallError;
use crate::workspace::Workspace;

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
    /// Take it although it looks like it holds a secret.
    pub allow_secret: bool,
}

/// Reads a day or a time.
fn day_or_time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = <Option<String> as serde::Deserialize>::deserialize(from)? else {
        return Ok(None);
    };
    let day = text.parse().map(quipu_core::indexing::midnight);
    let time = day.or_else(|_| text.parse()).map_err(|_| {
        serde::de::Error::custom(format!(
            "`{text}` is neither a day nor a time such as 2026-04-20T10:00:00Z"
        ))
    })?;
    Ok(Some(time))
}

/// Lines that were added to a file.
struct Added {
    /// Its size before, where it was there.
    before: Option<u64>,
    /// Where the lines begin.
    start: u64,
    /// Its size now.
    end: u64,
}

/// Records that were written.
pub(crate) struct Written {
    daily: String,
    /// Where each line begins.
    offsets: Vec<u64>,
    /// The files and their sizes now.
    sizes: Vec<(String, u64)>,
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

impl Workspace {
    /// Remembers, durably: each is in the day's log when this returns.
    ///
    /// # Errors
    /// When one of them is refused or the log cannot be written; then none is remembered.
    pub fn remember(&self, new: &[NewMemory], request: &Request<'_>) -> Result<Remembered, Error> {
        let default_session = self.session_for_records(request)?;
        // What is replaced is looked up, and must not change until it is.
        let replaces = new.iter().any(|memory| memory.supersedes.is_some());
        let held = if replaces && !request.dry_run {
            let lock = self.lock_for_writing()?;
            self.index_locked(&lock, &mut |_, _| {})?;
            Some(lock)
        } else {
            None
        };
        let mut records = Vec::with_capacity(new.len());
        for (at, memory) in new.iter().enumerate() {
            let made = self.records_for(memory, &default_session, request);
            records.extend(made.map_err(|error| match new.len() {
                1 => error,
                _ => RecallError::InBatch { number: at + 1, source: Box::new(error) }.into(),
            })?);
        }
        let ids: Vec<String> = records
            .iter()
            .filter(|record| record.category != LIFECYCLE)
            .map(|record| record.id.clone())
            .collect();
        let path = journal::daily_path(day(request.now));
        if request.dry_run || records.is_empty() {
            return Ok(Remembered { ids, path, degraded: None });
        }
        let degraded = match &held {
            Some(lock) => self.append_locked(lock, &records, request.now)?,
            None => self.append(&records, request.now)?,
        };
        Ok(Remembered { ids, path, degraded })
    }

    /// The session that records go to: the named one, the open one, or one for the day.
    pub(crate) fn session_for_records(&self, request: &Request<'_>) -> Result<String, Error> {
        if let Some(name) = request.session {
            return Ok(name.to_owned());
        }
        let open = self.open_sessions()?;
        Ok(match &open[..] {
            [only] => only.id.clone(),
            _ => day(request.now).to_string(),
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
        let category = text::collapse_whitespace(&new.category);
        let category = match (&*category, new.negative) {
            ("", true) => "learned",
            ("", false) => "note",
            (LIFECYCLE, _) => return Err(RecallError::ReservedCategory.into()),
            (category, _) => category,
        };
        // What was said on another day belongs to that day.
        let told_on = new.time.map(|time| day(time).to_string());
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

    /// Decides something about an item; the decision goes into the day's log alone.
    ///
    /// # Errors
    /// When there is no such item, the decision is not possible, or it cannot be written.
    pub fn decide(
        &self,
        id: &str,
        decision: Decision,
        reason: &str,
        request: &Request<'_>,
    ) -> Result<Item, Error> {
        let lock = self.lock_for_writing()?;
        self.index_locked(&lock, &mut |_, _| {})?;
        let mut item = self.resolve(id)?;
        let owned = item.is_owned_by_a_file();
        let decision = match decision {
            Decision::Status { to, .. } => {
                if owned {
                    return Err(RecallError::OwnedByFile { id: item.id, does: "status" }.into());
                }
                refuse_transition(&item, to)?;
                Decision::Status { from: item.status, to }
            }
            Decision::Edit { text } if text.trim() == item.text => {
                return Err(RecallError::Itself { id: item.id }.into());
            }
            Decision::Edit { text } => {
                if owned {
                    return Err(RecallError::OwnedByFile { id: item.id, does: "edit" }.into());
                }
                let new = NewMemory { text: text.clone(), ..NewMemory::default() };
                check(&new, text.trim())?;
                Decision::Edit { text: text.trim().to_owned() }
            }
            Decision::Link { to, relation, remove } => {
                let other = self.resolve(&to)?;
                if other.id == item.id {
                    return Err(RecallError::Itself { id: item.id }.into());
                }
                Decision::Link { to: other.id, relation, remove }
            }
            Decision::Annotate { note } if note.trim().is_empty() => {
                return Err(RecallError::NoWords.into());
            }
            other => other,
        };
        item.decide(&decision);
        if request.dry_run {
            return Ok(item);
        }
        let session = self.session_for_records(request)?;
        let record = decision_record(&item.id, decision, reason, &session, request)?;
        self.append_locked(&lock, &[record], request.now)?;
        Ok(item)
    }

    /// Appends records to the ledger, the window and the index. Returns why the index is behind,
    /// where it is.
    pub(crate) fn append(
        &self,
        records: &[Record],
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        let lock = self.lock_for_writing()?;
        self.append_locked(&lock, records, now)
    }

    pub(crate) fn append_locked(
        &self,
        lock: &Lock,
        records: &[Record],
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        let daily = journal::daily_path(day(now));
        let paths = [daily.clone(), PRIMARY.to_owned()];
        // What another process left half done is finished first; a broken index is no reason not
        // to remember.
        let caught_up = self.knows(&paths).and_then(|known| {
            if known { Ok(()) } else { self.index_locked(lock, &mut |_, _| {}).map(|_| ()) }
        });
        let written = self.append_lines(lock, &daily, records)?;
        let indexed = caught_up.and_then(|()| self.index_appended(records, &written));
        Ok(match indexed {
            Ok(without_vector) => without_vector,
            Err(error) => Some(format!("it is in the log, but not in the index: {error}")),
        })
    }

    pub(crate) fn append_lines(
        &self,
        _lock: &Lock,
        daily: &str,
        records: &[Record],
    ) -> Result<Written, Error> {
        let lines: Vec<String> = records.iter().map(Record::line).collect();
        let shown = records.iter().filter(|record| record.category != LIFECYCLE);
        let window: String = shown.map(Record::line).collect();
        let day = self.add_to(daily, &lines.concat(), "", true)?;
        let mut offset = day.start;
        let offsets = lines.iter().map(|line| {
            let at = offset;
            offset += line.len() as u64;
            at
        });
        let offsets = offsets.collect();
        let mut sizes = vec![(daily.to_owned(), day.end)];
        if !window.is_empty() {
            match self.add_to(PRIMARY, &window, journal::HEADER, false) {
                Ok(added) => sizes.push((PRIMARY.to_owned(), added.end)),
                Err(error) => {
                    // Nobody may hear "failed" of something that is remembered.
                    let _ = self.cut_back(daily, day.before);
                    return Err(error);
                }
            }
        }
        Ok(Written { daily: daily.to_owned(), offsets, sizes })
    }

    /// Brings into the window what days have that the index has not seen, and the window has not
    /// either: a process died in between. Returns whether there was anything.
    ///
    /// What the index has seen and the window lacks, somebody has taken out.
    pub(crate) fn heal_window(&self, _lock: &Lock, days: &[String]) -> Result<bool, Error> {
        if days.is_empty() {
            return Ok(false);
        }
        let window = self.read_optional(PRIMARY)?;
        let shown: BTreeSet<String> = journal::records(window.as_deref().unwrap_or_default())
            .map(|(_, record)| record.id)
            .collect();
        // An index that was made anew has seen nothing, and cannot tell.
        let is_new = self.store()?.sources()?.is_empty();
        let mut lines = String::new();
        for day in days {
            let Ok(Some(text)) = self.read_optional(day) else { continue };
            let filed = self.store()?.filed_in(day)?;
            let seen: BTreeSet<String> = filed.into_iter().map(|filed| filed.event.id).collect();
            let records: Vec<Record> = journal::records(&text)
                .map(|(_, record)| record)
                .filter(|record| record.category != LIFECYCLE)
                .collect();
            let last = records.iter().rposition(|record| shown.contains(&record.id));
            let missing = records.iter().enumerate().filter(|(at, record)| {
                let unseen = if is_new {
                    last.is_some_and(|last| *at > last)
                } else {
                    !seen.contains(&record.id)
                };
                unseen && !shown.contains(&record.id)
            });
            lines.extend(missing.map(|(_, record)| record.line()));
        }
        if lines.is_empty() {
            return Ok(false);
        }
        self.add_to(PRIMARY, &lines, journal::HEADER, false)?;
        Ok(true)
    }

    /// Adds lines to a file; on failure it is as it was.
    fn add_to(&self, path: &str, lines: &str, header: &str, durable: bool) -> Result<Added, Error> {
        let full = self.root().join(path);
        let before = match self.fs().stat(&full) {
            Ok((crate::fs::Kind::File, size)) => Some(size),
            Ok(_) => {
                crate::workspace::refuse_outside(self.root(), path)?;
                Some(self.fs().stamp(&full).map_or(0, |stamp| stamp.size))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(Error::reading(path, source)),
        };
        let mut bytes = String::with_capacity(lines.len() + header.len() + 1);
        match before {
            None | Some(0) => bytes.push_str(header),
            // A line that was cut off by a crash stays as it is, on a line of its own.
            Some(size) if !self.ends_line(path, size)? => bytes.push('\n'),
            Some(_) => {}
        }
        let start = before.unwrap_or(0) + bytes.len() as u64;
        bytes.push_str(lines);
        let folder = full.parent().unwrap_or(self.root()).to_owned();
        let write = || {
            if before.is_none() {
                self.fs().create_folders(&folder)?;
            }
            self.fs().append(&full, bytes.as_bytes())?;
            if durable {
                self.fs().sync_file(&full)?;
                if before.is_none() {
                    self.fs().sync_folder(&folder)?;
                }
            }
            Ok::<(), io::Error>(())
        };
        if let Err(source) = write() {
            let _ = self.cut_back(path, before);
            return Err(RecallError::NotWritten { path: path.to_owned(), source }.into());
        }
        Ok(Added { before, start, end: before.unwrap_or(0) + bytes.len() as u64 })
    }

    fn ends_line(&self, path: &str, size: u64) -> Result<bool, Error> {
        let last = self
            .fs()
            .read_last_byte(&self.root().join(path), size)
            .map_err(|source| Error::reading(path, source))?;
        Ok(last == b'\n')
    }

    fn cut_back(&self, path: &str, size: Option<u64>) -> io::Result<()> {
        let full = self.root().join(path);
        match size {
            Some(size) => self.fs().truncate(&full, size),
            None => self.fs().remove_file(&full),
        }
    }

    fn index_appended(
        &self,
        records: &[Record],
        written: &Written,
    ) -> Result<Option<String>, Error> {
        let model = self.embedder()?.id().to_owned();
        let mut store = self.store()?;
        let filed = records.iter().zip(&written.offsets).map(|(record, offset)| Filed {
            event: record.event(),
            path: written.daily.clone(),
            offset: *offset,
        });
        let events: Vec<Filed> = filed.collect();
        let mut items: Vec<Indexable> = Vec::new();
        for mut item in records.iter().filter_map(Record::item) {
            item.place = Some(Place { path: written.daily.clone(), line: 0 });
            items.push(Indexable::plain(item));
        }
        let decided: BTreeSet<&str> = events
            .iter()
            .filter(|filed| filed.event.decision.is_some())
            .map(|filed| filed.event.item.as_str())
            .collect();
        for id in decided {
            let at = items.iter().position(|one| one.item.id == id);
            let Some(base) = (match at {
                Some(at) => Some(items.remove(at).base),
                None => store.base(id)?,
            }) else {
                continue;
            };
            let mut all = store.filed(id)?;
            all.extend(events.iter().filter(|filed| filed.event.item == id).cloned());
            all.sort_by(|a, b| a.order().cmp(&b.order()));
            let mut item = base.clone();
            journal::fold(&mut item, all.iter().map(|filed| &filed.event));
            let one = Indexable { base, item, position: None };
            items.insert(at.unwrap_or(items.len()), one);
        }
        let prepared = self.prepared(&items)?;
        // A file that somebody else wrote to in between is looked at again.
        let sources = written.sizes.iter().filter_map(|(path, size)| {
            let stamp = self.fs().stamp(&self.root().join(path)).ok()?;
            (stamp.size == *size).then(|| (path.clone(), Some(stamp_text(path, &stamp))))
        });
        let sources = sources.collect();
        store.apply(&Batch { model, events, put: prepared.puts, sources, ..Batch::default() })?;
        Ok(prepared.failed)
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

fn refuse_transition(item: &Item, to: Status) -> Result<(), RecallError> {
    if may_become(item.status, to) {
        return Ok(());
    }
    Err(RecallError::Transition { id: item.id.clone(), from: item.status, to })
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
    if let (Some(from), Some(to)) = (new.valid_from, new.valid_to)
        && from >= to
    {
        return Err(RecallError::EmptyValidity.into());
    }
    let is_secret = new.sensitivity == Some(Sensitivity::Secret);
    if !new.allow_secret && !is_secret {
        let hits = secret::scan(words, Scope::Credentials);
        if !hits.is_empty() {
            let mut categories: Vec<&'static str> = hits.iter().map(|hit| hit.category).collect();
            categories.dedup();
            return Err(RecallError::Secret { categories }.into());
        }
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
    let id = new_id(request.now)?;
    let mut record =
        Record::new(id, session, LIFECYCLE, reason.trim(), to_milliseconds(request.now));
    record.provenance.sensitivity = Sensitivity::Operational;
    record.target = Some(target.to_owned());
    record.decision = Some(decision);
    Ok(record)
}

/// Returns the day that a time falls on.
pub(crate) fn day(now: Timestamp) -> jiff::civil::Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// Records carry milliseconds, as the original's do.
fn to_milliseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

/// Returns an id that sorts by time.
fn new_id(now: Timestamp) -> Result<String, Error> {
    let mut random = [0_u8; 10];
    getrandom::fill(&mut random)
        .map_err(|error| RecallError::NoRandomness { reason: error.to_string() })?;
    let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or(0);
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
    }
}
