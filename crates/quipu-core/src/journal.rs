//! The journal's records, in two forms: a bullet with its words and a comment below (`markdown`), or, as the
//! original writes them, one line with `- ` and a JSON object.
//!
//! In JSON keys stand in the original's order (id, sessionId, category, text, provenance), then ours.
//! Any other line is the user's text, and unknown keys of a record survive.

pub mod compaction;
pub mod convert;
pub mod entry;
pub mod long;
mod markdown;
pub mod scan;
pub mod schedule;
pub mod summary;
pub mod window;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

pub use entry::Form;

use crate::item::{Decision, Event, Item, Kind, Layer, MemoryType, Sensitivity, Source};
use crate::nature;
use crate::terms;

/// The window on the journal.
pub const PRIMARY: &str = "MEMORY.md";
/// The long-term summaries.
pub const LONG: &str = "LONGMEMORY.md";
/// What the user wrote about themselves.
pub const USER: &str = "USER.md";
/// Where lines that leave the window are kept, when no day has them.
pub const ARCHIVE: &str = "memory/MEMORY-archive.md";
/// The category of records that stand for others.
pub const COMPACTION: &str = "compaction";
/// What a checkpoint says.
pub const CHECKPOINT: &str = "Pre-compaction checkpoint: everything up to here is saved.";
/// The category of records that hold a decision about an item.
pub const LIFECYCLE: &str = "lifecycle";

/// The folder of what happened to memories, a file a day.
pub const EVENTS: &str = "memory/events/";

/// The folder of what was imported, a file a run.
pub const IMPORTS: &str = "memory/imports/";

/// The folder of documents that were read, a file each.
pub const LIBRARY: &str = "memory/library/";

/// The folders that are private as a whole: each keeps itself out of git.
pub const PRIVATE_FOLDERS: [&str; 3] = [EVENTS, IMPORTS, LIBRARY];

/// Returns what the `.gitignore` of a private folder says: what is in the folder, and that git leaves it alone.
pub fn private_folder_ignore(folder: &str) -> String {
    let what = match folder {
        EVENTS => {
            "what happened to memories, a file for each day: edits, answers, what a dream did.\n\
             # Quipu reads them and only adds to them. `quipu history ID` shows them in words"
        }
        IMPORTS => "memories of other programs, a file for each import. `quipu undo` takes one out",
        _ => "the text of documents that `quipu ingest` read, so that recall finds it",
    };
    format!("# Private: {what}.\n*\n")
}

/// How a line of a file of events begins.
const BARE: &str = "{\"id\":";

/// Returns what a new `MEMORY.md` begins with.
pub fn header(form: Form) -> &'static str {
    match form {
        Form::Markdown => READABLE_HEADER,
        Form::Json | Form::Bare => HEADER,
    }
}

/// Returns everything that a `MEMORY.md` may begin with.
pub fn headers() -> [&'static str; 2] {
    [HEADER, READABLE_HEADER]
}

const READABLE_HEADER: &str = "# MEMORY.md — Long-term memory\n\nWhat was remembered, oldest first: a bullet with the words, and a comment that says where they come from.\nOther lines are yours, and are kept. The daily logs in `memory/` hold the same records.\n\n---\n\n";

const HEADER: &str = "# MEMORY.md — Long-term memory\n\nOne record a line: `- {\"id\", \"sessionId\", \"category\", \"text\", \"provenance\"}`. Oldest first, appended by tools;\nother lines are yours, and are kept. The daily logs in `memory/` hold the same records.\n\n---\n\n";

/// Returns the id that a number stands for: ten letters and digits, the first a letter.
///
/// Random numbers make ids of new records; hashes make ids that are derived from something else.
pub fn short_id(number: u64) -> String {
    const DIGITS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut rest = number;
    let mut next = |base: u64| {
        let digit = usize::try_from(rest % base).unwrap_or(0);
        rest /= base;
        char::from(DIGITS[digit])
    };
    let first = next(26);
    std::iter::once(first).chain((1..10).map(|_| next(36))).collect()
}

/// Tells whether a word has the form of an id that [`short_id`] makes.
pub fn is_short_id(word: &str) -> bool {
    word.len() == 10
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Returns the path of a day's log.
pub fn daily_path(day: Date) -> String {
    format!("memory/{day}.md")
}

/// Returns the path of what happened to memories on a day.
pub fn events_path(day: Date) -> String {
    format!("{EVENTS}{day}.jsonl")
}

/// Tells whether a path is a day's file of events.
pub fn is_events(path: &str) -> bool {
    path.strip_prefix(EVENTS).is_some_and(is_events_name)
}

/// Tells whether a file name in `memory/events/` is a day's file of events.
pub fn is_events_name(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|stem| stem.len() == 10 && stem.parse::<Date>().is_ok())
}

/// Tells whether a path is a file of imported records.
pub fn is_imports(path: &str) -> bool {
    let name = path.strip_prefix(IMPORTS).and_then(|name| name.strip_suffix(".md"));
    name.is_some_and(|name| !name.contains('/'))
}

/// Tells whether a path is a document that was read.
pub fn is_library(path: &str) -> bool {
    let name = path.strip_prefix(LIBRARY).and_then(|name| name.strip_suffix(".md"));
    name.is_some_and(|name| !name.contains('/'))
}

/// Tells whether a path is a file of the ledger: a day's log or a day's events. Quipu only adds to those.
pub fn is_ledger(path: &str) -> bool {
    is_events(path) || path.strip_prefix("memory/").is_some_and(is_daily)
}

/// Tells whether a file name in `memory/` is a day's log.
pub fn is_daily(name: &str) -> bool {
    name.strip_suffix(".md").is_some_and(|stem| stem.len() == 10 && stem.parse::<Date>().is_ok())
}

/// Tells whether a file of the workspace holds what is private to its user: the journal, its summaries,
/// and who the user is. Facts and session logs are shared by a team.
pub fn is_private(path: &str) -> bool {
    let is_one_of_ours = [PRIMARY, LONG, USER, ARCHIVE, long::ARCHIVE].contains(&path);
    let is_inside = PRIVATE_FOLDERS.iter().any(|folder| path.starts_with(folder));
    is_one_of_ours || is_inside || path.strip_prefix("memory/").is_some_and(is_daily)
}

/// Where a record comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// The channel.
    pub source_channel: String,
    /// How sure the writer was, 0 to 1.
    pub confidence: Number,
    /// When.
    #[serde(serialize_with = "in_milliseconds")]
    pub timestamp: Timestamp,
    /// Who may see it.
    pub sensitivity: Sensitivity,
    /// Keys that Quipu does not know.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Writes a time as the original does: always three digits after the second.
fn in_milliseconds<S: serde::Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ"))
}

/// What a record of category `compaction` stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Merged {
    /// The records whose place it took; they are in the daily logs or the archive.
    pub ids: Vec<String>,
    /// The sessions that they are from.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// The time of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// The time of the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Timestamp>,
    /// How often what it says was merged.
    #[serde(default)]
    pub level: u32,
    /// How many records it stands for in the end.
    #[serde(default)]
    pub records: usize,
}

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Its id.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// A free word.
    pub category: String,
    /// The words.
    pub text: String,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The layer, where the category does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// The type, where the category does not tell.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<MemoryType>,
    /// Who it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Who said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Base importance, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<f32>,
    /// How pleasant it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<f32>,
    /// Since when it is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// Whether it says that something is not so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub negative: bool,
    /// The item that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// Whether it stays in the window and comes first in every briefing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// For a compaction record: what it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Merged>,
    /// For a lifecycle record: the item that was decided about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// For a lifecycle record: the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The run of the dream that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Keys that Quipu does not know.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl Record {
    /// Makes a record with the required fields.
    pub fn new(
        id: impl Into<String>,
        session: &str,
        category: &str,
        text: &str,
        at: Timestamp,
    ) -> Self {
        Self {
            id: id.into(),
            session_id: session.to_owned(),
            category: category.to_owned(),
            text: text.to_owned(),
            provenance: Provenance {
                source_channel: "operator".to_owned(),
                confidence: Number::from(1),
                timestamp: at,
                sensitivity: Sensitivity::Private,
                unknown: Map::new(),
            },
            layer: None,
            memory_type: None,
            source: None,
            speaker: None,
            tags: Vec::new(),
            importance: None,
            valence: None,
            valid_from: None,
            valid_to: None,
            negative: false,
            supersedes: None,
            pinned: false,
            merged: None,
            target: None,
            decision: None,
            run: None,
            unknown: Map::new(),
        }
    }

    /// Makes a record that decides something about `target`, and says why.
    pub fn deciding(
        id: impl Into<String>,
        session: &str,
        target: &str,
        (decision, reason): (Decision, &str),
        at: Timestamp,
    ) -> Self {
        let mut record = Self::new(id, session, LIFECYCLE, reason.trim(), at);
        record.provenance.sensitivity = Sensitivity::Operational;
        record.target = Some(target.to_owned());
        record.decision = Some(decision);
        record
    }

    /// Reads a line; nothing where it is not a record in JSON.
    pub fn parse(line: &str) -> Option<Self> {
        // A mark of byte order is white space to the original.
        let line = line.trim_start_matches('\u{feff}').trim();
        let json = line.strip_prefix("- ")?.trim_start();
        if !json.starts_with('{') {
            return None;
        }
        serde_json::from_str(json).ok()
    }

    /// Reads a line of a file of events; nothing where it is not a record.
    pub(crate) fn parse_bare(line: &str) -> Option<Self> {
        if !line.starts_with(BARE) {
            return None;
        }
        serde_json::from_str(line.trim_end()).ok()
    }

    /// Returns the record as it stands in a file, with the end of its last line. One that cannot be written as
    /// Markdown so that it is read back as it is, is written as JSON.
    pub fn written(&self, form: Form) -> String {
        let text = match form {
            Form::Markdown => markdown::write(self),
            Form::Json => None,
            Form::Bare => Some(self.line().split_off("- ".len())),
        };
        text.unwrap_or_else(|| self.line())
    }

    /// Returns the record as a line of JSON, with its end.
    pub fn line(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("- {json}\n")
    }

    /// Tells whether it stands in the window: what somebody said, and not what was made of it.
    pub fn is_shown(&self) -> bool {
        self.category != LIFECYCLE && self.run.is_none()
    }

    /// Returns the item that the record makes; nothing for a decision about another.
    pub fn item(&self) -> Option<Item> {
        if self.category == LIFECYCLE {
            return None;
        }
        let mut item =
            Item::new(self.id.clone(), Kind::Record, self.text.clone(), self.provenance.timestamp);
        let (layer, memory_type) = usual(&self.category);
        item.layer = self.layer.unwrap_or(layer);
        item.memory_type = self.memory_type.or(memory_type).unwrap_or_else(|| {
            // A turn is a story; of other records the words tell, where the category does not.
            let tells = !matches!(&*self.category, "turn-summary" | COMPACTION);
            let of_words = || nature::nature(&self.text, &self.category).memory_type();
            if tells { of_words() } else { MemoryType::Narrative }
        });
        item.sensitivity = self.provenance.sensitivity;
        item.source = self.source.unwrap_or(if self.category == "turn-summary" {
            Source::Interaction
        } else {
            Source::Human
        });
        item.importance = self.importance.unwrap_or(0.5).clamp(0.0, 1.0);
        item.valence = self.valence.unwrap_or_else(|| nature::valence(&self.text)).clamp(-1.0, 1.0);
        item.category.clone_from(&self.category);
        item.session = Some(self.session_id.clone()).filter(|session| !session.is_empty());
        item.speaker.clone_from(&self.speaker);
        item.channel = Some(self.provenance.source_channel.clone());
        item.valid_from = self.valid_from;
        // What a dream put together happened when its parts did, and not in the night of the dream.
        if let Some(merged) = self.merged.as_ref().filter(|_| self.source == Some(Source::Dream)) {
            item.time = merged.to.unwrap_or(item.time);
            item.session = match &merged.sessions[..] {
                [one] => Some(one.clone()),
                _ => None,
            };
        }
        item.valid_to = self.valid_to;
        item.tags.clone_from(&self.tags);
        item.tags.sort();
        item.tags.dedup();
        item.supersedes.extend(self.supersedes.clone());
        item.negative = self.negative;
        item.pinned = self.pinned;
        Some(item)
    }

    /// Returns the event that the record stands for.
    pub fn event(&self) -> Event {
        let decided = self.category == LIFECYCLE;
        Event {
            id: self.id.clone(),
            item: self.target.clone().filter(|_| decided).unwrap_or_else(|| self.id.clone()),
            at: self.provenance.timestamp,
            actor: self.provenance.source_channel.clone(),
            reason: if decided { self.text.clone() } else { String::new() },
            run: self.run.clone(),
            decision: self.decision.clone().filter(|_| decided),
        }
    }
}

/// Returns the layer that a category usually means, and the type, where it means one.
fn usual(category: &str) -> (Layer, Option<MemoryType>) {
    match category {
        "learned" | "user-preference" | "fact" | "experience" => {
            (Layer::Semantic, Some(MemoryType::Fact))
        }
        "decision" | "convention" | "procedure" | "error" => {
            (Layer::Procedural, Some(MemoryType::Procedure))
        }
        _ => (Layer::Episodic, None),
    }
}

/// Reads the records of a journal file, with where their lines begin.
pub fn records(source: &str) -> impl Iterator<Item = (u64, Record)> {
    entry::entries(source).map(|entry| (entry.span.start as u64, entry.record))
}

/// Which events were taken back, whatever the order in which they stand: clocks differ.
struct Reverts<'a> {
    /// The events that take each one back.
    of: BTreeMap<&'a str, Vec<&'a str>>,
}

/// Nobody takes back a taking back more often than this.
const DEEPEST: usize = 64;

impl<'a> Reverts<'a> {
    fn of(events: &[&'a Event]) -> Self {
        let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for event in events {
            if let Some(Decision::Revert { event: other }) = &event.decision {
                of.entry(other).or_default().push(&event.id);
            }
        }
        Self { of }
    }

    fn stands(&self, id: &str, depth: usize) -> bool {
        let by = self.of.get(id).map_or(&[][..], Vec::as_slice);
        depth == DEEPEST || !by.iter().any(|revert| self.stands(revert, depth + 1))
    }
}

/// Returns the events that count: those that no other takes back.
pub fn standing<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<&'a Event> {
    let mut all: Vec<&Event> = events.into_iter().collect();
    let reverts = Reverts::of(&all);
    if !reverts.of.is_empty() {
        all.retain(|event| reverts.stands(&event.id, 0));
    }
    all
}

/// Tells whether an item was made by something that was taken back since.
pub fn is_taken_back<'a>(id: &str, events: impl IntoIterator<Item = &'a Event>) -> bool {
    let all: Vec<&Event> = events.into_iter().collect();
    !Reverts::of(&all).stands(id, 0)
}

/// Everything that the decisions about one item make of it.
pub fn fold<'a>(item: &mut Item, decisions: impl IntoIterator<Item = &'a Event>) {
    for event in standing(decisions) {
        let Some(decision) = &event.decision else { continue };
        item.decide(decision);
        if matches!(decision, Decision::Supersede { .. }) && !item.is_owned_by_a_file() {
            item.valid_to = Some(event.at);
        }
    }
}

/// Tells whether an item's words were removed for good, so that no copy may bring them back. A
/// record is known by its id; what a file owns may be written anew under the same heading.
pub fn is_purged<'a>(item: &Item, decisions: impl IntoIterator<Item = &'a Event>) -> bool {
    decisions.into_iter().any(|event| match &event.decision {
        Some(Decision::Purge { words, .. }) if item.is_owned_by_a_file() => {
            *words == fingerprint(&item.text, &event.id)
        }
        Some(Decision::Purge { .. }) => true,
        _ => false,
    })
}

/// Returns a fingerprint of words that does not tell them.
pub fn fingerprint(words: &str, salt: &str) -> String {
    let mut sum = terms::label('w', salt);
    for byte in words.bytes() {
        sum = terms::scattered(sum ^ u64::from(byte), 1);
    }
    format!("{sum:016x}")
}

#[cfg(test)]
mod tests;
