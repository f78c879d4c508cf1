//! Memories in formats of others: the way out. Each format says what it cannot hold.

mod notes;
mod site;
mod tables;

use std::collections::BTreeMap;

use quipu_core::item::{Item, Sensitivity, Status};
use serde_json::{Map, Value};

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

/// A field that a memory may have, and whether one has it.
type Field = (&'static str, fn(&Item) -> bool);

/// The fields that some format cannot hold.
const FIELDS: [Field; 17] = [
    ("category", |item| !item.category.is_empty()),
    ("type", |_| true),
    ("layer", |_| true),
    ("status", |item| item.status != Status::Active),
    ("importance", |_| true),
    ("time", |_| true),
    ("session", |item| item.session.is_some()),
    ("speaker", |item| item.speaker.is_some()),
    ("source", |_| true),
    ("tags", |item| !item.tags.is_empty()),
    ("links", |item| !item.links.is_empty()),
    ("notes", |item| !item.notes.is_empty()),
    ("valid from/to", |item| item.valid_from.is_some() || item.valid_to.is_some()),
    ("supersedes", |item| !item.supersedes.is_empty()),
    ("negative", |item| item.negative),
    ("sensitivity", |item| item.sensitivity != Sensitivity::Private),
    ("line breaks", |item| item.text.contains('\n')),
];

impl Target {
    /// Returns the fields that it cannot hold.
    fn lost(self) -> &'static [&'static str] {
        match self {
            Self::Markdown | Self::Obsidian => &[],
            Self::BasicMemory => &[
                "type",
                "layer",
                "status",
                "importance",
                "session",
                "speaker",
                "source",
                "links",
                "notes",
                "valid from/to",
                "supersedes",
                "negative",
                "sensitivity",
                "line breaks",
            ],
            Self::Mcp => &[
                "category",
                "type",
                "layer",
                "status",
                "importance",
                "time",
                "session",
                "speaker",
                "source",
                "tags",
                "links",
                "notes",
                "valid from/to",
                "supersedes",
                "negative",
                "sensitivity",
            ],
            Self::Mem0 => &["links", "notes"],
            Self::Csv => &["links", "notes", "negative", "sensitivity"],
            Self::Html => &["negative", "sensitivity"],
        }
    }

    /// Returns what memories lose in it, and how many lose it.
    pub fn losses(self, all: &[Memory]) -> Losses {
        let mut losses = Losses::new();
        for (name, has) in FIELDS.iter().filter(|(name, _)| self.lost().contains(name)) {
            let count = all.iter().filter(|one| has(&one.item)).count();
            if count > 0 {
                losses.insert(name, count);
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
