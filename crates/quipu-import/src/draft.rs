//! What a reader finds: memories as their source has them, before anything is decided about them.

use jiff::Timestamp;
use quipu_core::item::{Layer, MemoryType, Sensitivity, Source, Status};
use serde_json::{Map, Value};

/// A memory of another program, in our words.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The words.
    pub text: String,
    /// A free word for the sort of memory, where the source has one.
    pub category: Option<String>,
    /// The type, where the source has one.
    pub memory_type: Option<MemoryType>,
    /// The layer, where the source has one.
    pub layer: Option<Layer>,
    /// The heading or title that it stands under.
    pub heading: Option<String>,
    /// When it was learned; never the time of the import.
    pub time: Option<Timestamp>,
    /// Where the time is from, where the source does not say it: `mtime`, `container`.
    pub time_from: Option<&'static str>,
    /// Since when it is true.
    pub valid_from: Option<Timestamp>,
    /// Until when it is true.
    pub valid_to: Option<Timestamp>,
    /// The conversation or session.
    pub session: Option<String>,
    /// Who said it.
    pub speaker: Option<String>,
    /// Who it is from.
    pub source: Source,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Other memories that it points to, by their ids in the source.
    pub links: Vec<DraftLink>,
    /// Base importance, 0 to 1.
    pub importance: Option<f32>,
    /// How sure the writer was, 0 to 1.
    pub confidence: Option<f64>,
    /// Whether it still holds there.
    pub status: Status,
    /// When and why its status became what it is, where the source says so.
    pub decided: Option<(Timestamp, String)>,
    /// The memory that it replaces, by its id in the source.
    pub supersedes: Option<String>,
    /// Whether the source has it pinned.
    pub pinned: bool,
    /// Whether it says that something is not so.
    pub negative: bool,
    /// Who may see it.
    pub sensitivity: Option<Sensitivity>,
    /// What was noted beside it, and when.
    pub notes: Vec<(String, Option<Timestamp>)>,
    /// Where it is from.
    pub origin: Origin,
}

/// A memory that another one points to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DraftLink {
    /// Its id in the source.
    pub to: String,
    /// What it is to this one.
    pub relation: String,
}

/// Where a draft is from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// Its id in the source.
    pub id: Option<String>,
    /// The account, bank, group or user that it belongs to there.
    pub account: String,
    /// The file, as it is called in the source.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// Keys that have no place of their own, so that an export can give them back.
    pub extra: Map<String, Value>,
}

impl Draft {
    /// Makes a draft of words; it holds, and is from a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            category: None,
            memory_type: None,
            layer: None,
            heading: None,
            time: None,
            time_from: None,
            valid_from: None,
            valid_to: None,
            session: None,
            speaker: None,
            source: Source::Ingest,
            tags: Vec::new(),
            links: Vec::new(),
            importance: None,
            confidence: None,
            status: Status::Active,
            decided: None,
            supersedes: None,
            pinned: false,
            negative: false,
            sensitivity: None,
            notes: Vec::new(),
            origin: Origin::default(),
        }
    }

    /// Returns it with another source.
    #[must_use]
    pub fn from(mut self, source: Source) -> Self {
        self.source = source;
        self
    }

    /// Returns it as being in a file, under an id where there is one.
    #[must_use]
    pub fn at(mut self, file: &str, id: Option<String>) -> Self {
        file.clone_into(&mut self.origin.file);
        self.origin.id = id;
        self
    }

    /// Returns it as being of a category.
    #[must_use]
    pub fn called(mut self, category: &str) -> Self {
        self.category = Some(category.to_owned());
        self
    }

    /// Notes a key that has no place of its own; nothing where it is null or empty.
    pub fn keep(&mut self, key: &str, value: &Value) {
        let is_empty = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(all) => all.is_empty(),
            Value::Object(all) => all.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        if !is_empty {
            self.origin.extra.insert(key.to_owned(), value.clone());
        }
    }
}

/// Why something in a source does not become a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// It has no words.
    Empty,
    /// It says nothing to another day: a question, thanks, a single link.
    Noise,
    /// A tool said it.
    Tool,
    /// It was never shown to the user.
    Hidden,
    /// It is the program's own instruction.
    System,
    /// It is a helper agent's conversation.
    Sidechain,
    /// The conversation went on from another place.
    Branch,
    /// The user said that it should not be remembered.
    DoNotRemember,
    /// It was deleted there.
    Deleted,
    /// The same stands elsewhere in the source.
    Repeat,
    /// It holds a credential, and the settings refuse such a text.
    Secret,
    /// It is longer than a memory may be.
    TooLong,
    /// It cannot be read.
    Unreadable,
    /// The caller left it out, by time or kind.
    Filtered,
    /// It was removed here for good.
    Purged,
    /// What a chat says is kept only where the caller asks for chats.
    Chat,
    /// The program makes it from something else.
    Derived,
}

impl Skip {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Noise => "noise",
            Self::Tool => "tool",
            Self::Hidden => "hidden",
            Self::System => "system",
            Self::Sidechain => "sidechain",
            Self::Branch => "branch",
            Self::DoNotRemember => "do-not-remember",
            Self::Deleted => "deleted",
            Self::Repeat => "repeat",
            Self::Secret => "secret",
            Self::TooLong => "too-long",
            Self::Unreadable => "unreadable",
            Self::Filtered => "filtered",
            Self::Purged => "purged",
            Self::Chat => "chat",
            Self::Derived => "derived",
        }
    }

    /// Returns the reason in words for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Empty => "without words",
            Self::Noise => "say nothing to another day (questions, thanks, single links)",
            Self::Tool => "words of tools, and thinking",
            Self::Hidden => "never shown to the user",
            Self::System => "system prompts and injected context",
            Self::Sidechain => "conversations of helper agents",
            Self::Branch => "on a branch that the conversation left",
            Self::DoNotRemember => "marked there as not to be remembered",
            Self::Deleted => "deleted there",
            Self::Repeat => "the source has the same text elsewhere",
            Self::Secret => "hold a credential (guard.secrets = refuse)",
            Self::TooLong => "longer than a memory may be: use `quipu ingest`",
            Self::Unreadable => "cannot be read",
            Self::Filtered => "left out by --since",
            Self::Purged => "purged here, and stay so",
            Self::Chat => "turns of chats (--with-chats takes them)",
            Self::Derived => "made from something else there",
        }
    }
}
