//! Memories in formats of others: the way out. Each format says what it cannot hold.

mod notes;
mod site;
mod tables;

use std::collections::BTreeMap;

use jiff::Timestamp;
use quipu_core::item::{Item, Layer, MemoryType, Sensitivity, Source, Status};
use quipu_core::text::collapse_whitespace;
use serde_json::{Map, Value};

use crate::classify::classify;
use crate::draft::Draft;
use crate::shared::RELATION;
use crate::text::{MOST_IMPORTANCE, as_tag, tidy};

/// A format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A note a memory.
    Markdown,
    /// The same, with a page a day and links as Obsidian has them.
    Obsidian,
    /// Notes with observations and relations.
    BasicMemory,
    /// `memory.jsonl` of the official server.
    Mcp,
    /// What `get_all` of mem0 returns.
    Mem0,
    /// A table.
    Csv,
    /// A site to read in a browser, without script and network.
    Html,
}

/// A memory on its way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// What is known about it.
    pub item: Item,
    /// Where it was imported from, where it was.
    pub origin: Option<From>,
}

/// Where a memory was imported from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct From {
    /// The format.
    pub tool: String,
    /// Its id there.
    pub id: Option<String>,
    /// Keys that have no place of their own.
    pub extra: Map<String, Value>,
}

/// A file of an export: its path, or nothing where the export is one file, and its text.
pub type Written = (String, String);

/// What a format cannot hold, and how many memories have it.
pub type Losses = BTreeMap<&'static str, usize>;

/// A field, and whether two memories differ in it.
type Field = (&'static str, fn(&Item, &Item) -> bool);

/// The fields that some format cannot hold.
const FIELDS: [Field; 18] = [
    ("text", |a, b| tidy(&a.text) != b.text),
    ("category", |a, b| a.category != b.category),
    ("type", |a, b| a.memory_type != b.memory_type),
    ("layer", |a, b| a.layer != b.layer),
    ("status", |a, b| a.status != b.status),
    ("importance", |a, b| (a.importance - b.importance).abs() > 0.001),
    ("time", |a, b| a.time != b.time),
    ("session", |a, b| a.session != b.session),
    ("speaker", |a, b| a.speaker != b.speaker),
    ("source", |a, b| a.source != b.source),
    ("tags", |a, b| a.tags != b.tags),
    ("links", |a, b| a.links != b.links),
    ("notes", |a, b| a.notes != b.notes),
    ("valid from/to", |a, b| (a.valid_from, a.valid_to) != (b.valid_from, b.valid_to)),
    ("supersedes", |a, b| a.supersedes != b.supersedes),
    ("negative", |a, b| a.negative != b.negative),
    ("sensitivity", |a, b| a.sensitivity != b.sensitivity),
    ("pinned", |a, b| a.pinned != b.pinned),
];

/// Returns the fields in which two memories differ.
pub fn differences(one: &Item, other: &Item) -> impl Iterator<Item = &'static str> {
    FIELDS.iter().filter(|(_, differ)| differ(one, other)).map(|(name, _)| *name)
}

impl Target {
    /// Returns a memory as it comes back from this format: what has no place in it is what its reader takes instead.
    fn come_back(self, one: &Memory) -> Item {
        let mut item = one.item.clone();
        item.text = tidy(&item.text);
        item.importance = item.importance.min(MOST_IMPORTANCE);
        item.supersedes.truncate(1);
        // Nothing is pinned by an import unless it is asked to be.
        item.pinned = false;
        match self {
            Self::Markdown | Self::Obsidian => {
                item.text = notes::body(&item);
                item.notes = item.notes.iter().map(|note| collapse_whitespace(note)).collect();
            }
            Self::Mem0 => (item.links, item.notes) = (Vec::new(), Vec::new()),
            Self::Csv => {
                (item.links, item.notes) = (Vec::new(), Vec::new());
                item.tags = tables::tags_of_cell(&item.tags);
                item.sensitivity = Sensitivity::Private;
                let mut draft = Draft::new(&*item.text);
                draft.memory_type = Some(item.memory_type);
                item.negative = classify(&draft).negative;
            }
            Self::BasicMemory | Self::Mcp => self.become_plain(one, &mut item),
            // A page shows these two to nobody.
            Self::Html => {
                (item.negative, item.sensitivity) = (false, Sensitivity::Private);
                (item.supersedes, item.pinned) = (one.item.supersedes.clone(), one.item.pinned);
                (item.text, item.importance) = (tidy(&one.item.text), one.item.importance);
            }
        }
        item
    }

    /// Makes a memory what a format with little more than words makes of it.
    fn become_plain(self, one: &Memory, item: &mut Item) {
        let mut draft = if self == Self::Mcp {
            // The time is that of the file, whichever that is.
            item.time = Timestamp::MIN;
            let own = self.own(one);
            let kept = |key: &str| own.and_then(|from| from.extra.get(key)?.as_str());
            let is_relation = kept("relationType").is_some() && item.category == RELATION;
            item.tags =
                kept("entityType").map(as_tag).filter(|tag| !tag.is_empty()).into_iter().collect();
            item.notes = Vec::new();
            let mut draft = Draft::new(&*item.text);
            draft.category = is_relation.then(|| RELATION.to_owned());
            (draft.memory_type, draft.layer) = (Some(MemoryType::Fact), Some(Layer::Semantic));
            draft
        } else {
            item.text = collapse_whitespace(&item.text);
            item.tags = item.tags.iter().map(|tag| as_tag(tag)).collect();
            item.tags.sort();
            item.tags.dedup();
            item.notes = notes::context(item).into_iter().collect();
            Draft::new(&*item.text).called(&notes::category(item))
        };
        draft.source = Source::Ai;
        let class = classify(&draft);
        (item.category, item.memory_type, item.layer) =
            (class.category, class.memory_type, class.layer);
        (item.importance, item.negative) = (class.importance, class.negative);
        (item.status, item.source) = (Status::Active, Source::Ai);
        (item.session, item.speaker) = (None, None);
        (item.valid_from, item.valid_to) = (None, None);
        (item.links, item.supersedes) = (Vec::new(), Vec::new());
        item.sensitivity = Sensitivity::Private;
    }

    /// Returns in which fields memories come back changed from it, and how many do.
    pub fn losses(self, all: &[Memory]) -> Losses {
        let mut losses = Losses::new();
        for one in all {
            for field in differences(&one.item, &self.come_back(one)) {
                *losses.entry(field).or_default() += 1;
            }
        }
        losses
    }

    /// Tells whether it is a folder of files.
    pub fn is_folder(self) -> bool {
        matches!(self, Self::Markdown | Self::Obsidian | Self::BasicMemory | Self::Html)
    }

    /// Returns the format that reads it back.
    fn read_as(self) -> Option<&'static str> {
        Some(match self {
            Self::Markdown | Self::Obsidian => "markdown",
            Self::BasicMemory => "basic-memory",
            Self::Mcp => "mcp",
            Self::Mem0 => "mem0",
            Self::Csv => "csv",
            Self::Html => return None,
        })
    }

    /// Writes memories: the oldest first, so that the same ones make the same bytes.
    pub fn write(self, all: &[Memory]) -> Vec<Written> {
        let names = self.names(all);
        let mut all: Vec<&Memory> = all.iter().collect();
        let name = |one: &Memory| names.get(&one.item.id).cloned().unwrap_or_default();
        all.sort_by_cached_key(|one| (one.item.time, name(one)));
        let all: Vec<Named<'_>> = all
            .into_iter()
            .map(|one| Named { id: name(one), item: &one.item, from: self.own(one), names: &names })
            .collect();
        match self {
            Self::Markdown => notes::notes(&all, false),
            Self::Obsidian => notes::notes(&all, true),
            Self::BasicMemory => notes::basic_memory(&all),
            Self::Mcp => tables::mcp(&all),
            Self::Mem0 => tables::mem0(&all),
            Self::Csv => tables::csv(&all),
            Self::Html => site::site(&all),
        }
    }

    /// Returns where a memory was imported from, where that was this format.
    fn own(self, one: &Memory) -> Option<&From> {
        one.origin.as_ref().filter(|from| Some(from.tool.as_str()) == self.read_as())
    }

    /// Returns what each memory is called there: what came from that format has the id that it had.
    fn names(self, all: &[Memory]) -> BTreeMap<String, String> {
        let name = |one: &Memory| self.own(one).and_then(|from| from.id.clone());
        all.iter()
            .map(|one| (one.item.id.clone(), name(one).unwrap_or_else(|| one.item.id.clone())))
            .collect()
    }
}

/// A memory with the name that it has in a format.
pub(crate) struct Named<'m> {
    pub(crate) id: String,
    pub(crate) item: &'m Item,
    pub(crate) from: Option<&'m From>,
    names: &'m BTreeMap<String, String>,
}

impl Named<'_> {
    /// Returns what another memory is called there.
    pub(crate) fn name_of(&self, id: &str) -> String {
        self.names.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }

    /// Returns a text that the source had beside it.
    pub(crate) fn kept(&self, key: &str) -> Option<&str> {
        self.from?.extra.get(key)?.as_str()
    }

    /// Returns the memory that it replaced, as it is called there.
    pub(crate) fn supersedes(&self) -> Option<String> {
        self.item.supersedes.first().map(|id| self.name_of(id))
    }
}

/// Returns a short time: without a fraction where it has none.
pub(crate) fn stamp(time: jiff::Timestamp) -> String {
    time.to_string()
}

/// Returns an importance as it is written: two digits are enough to rank by.
pub(crate) fn rank(value: f32) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
