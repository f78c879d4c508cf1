//! What an installation, or its removal, would do: every entry with its place, and each file before and
//! after.

use std::path::PathBuf;

use serde_json::Value;

use super::entry::Wanted;
use super::manifest::{FileRecord, Manifest};

/// What happens to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is put in.
    Add,
    /// It is brought up to date.
    Update,
    /// It takes the place of an entry that somebody else wrote.
    Replace,
    /// It is there already.
    Keep,
    /// Something else stands there, and stays.
    Foreign,
    /// It is taken out.
    Remove,
}

impl Action {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Replace => "replace",
            Self::Keep => "keep",
            Self::Foreign => "foreign",
            Self::Remove => "remove",
        }
    }

    /// Tells whether it changes the file.
    pub fn changes(self) -> bool {
        !matches!(self, Self::Keep | Self::Foreign)
    }
}

/// What happens to one entry.
#[derive(Clone, Debug)]
pub struct EntryPlan {
    /// Who reads it.
    pub clients: Vec<String>,
    /// `mcp`, or an event's name.
    pub what: String,
    /// Where in the file.
    pub place: String,
    /// What happens.
    pub action: Action,
    /// Our own words, and nobody else's.
    pub value: Value,
}

impl EntryPlan {
    pub(super) fn of(one: &Wanted, action: Action, value: Value) -> Self {
        let (clients, what) = (one.clients.clone(), one.what.clone());
        Self { clients, what, place: one.spot.shown(), action, value }
    }
}

/// What happens to one file.
#[derive(Clone, Debug)]
pub struct FilePlan {
    /// The file, as the client knows it.
    pub path: PathBuf,
    /// The same for people.
    pub shown: String,
    /// Where its bytes are: the end of a link.
    pub(super) real: PathBuf,
    pub(super) before: Option<Vec<u8>>,
    /// Its bytes afterwards; none where it goes.
    pub(super) after: Option<Vec<u8>>,
    /// Its entries.
    pub entries: Vec<EntryPlan>,
    /// What the manifest says afterwards.
    pub(super) record: Option<FileRecord>,
    /// The bytes that the manifest should keep.
    pub(super) original: Option<Vec<u8>>,
}

impl FilePlan {
    /// Tells whether an entry that is not ours stands where ours would.
    pub fn has_foreign(&self) -> bool {
        self.entries.iter().any(|entry| entry.action == Action::Foreign)
    }

    /// Tells whether the file is new.
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// Tells whether the file goes.
    pub fn is_gone(&self) -> bool {
        self.after.is_none()
    }

    /// Tells whether its bytes change.
    pub fn changes(&self) -> bool {
        self.before != self.after
    }
}

/// Something that cannot be done, and what can be done instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The client.
    pub client: String,
    /// Why.
    pub why: String,
    /// What helps.
    pub hint: String,
    /// Whether something is wrong; otherwise it is only for information.
    pub is_error: bool,
}

impl Skipped {
    /// A file that cannot be understood or edited.
    pub(super) fn broken(client: &str, file: &str, error: &str) -> Self {
        let hint = "repair the file and run it again; it was not touched".to_owned();
        Self { client: client.to_owned(), why: format!("{file} {error}"), hint, is_error: true }
    }
}

/// All that an installation, or its removal, would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The files.
    pub files: Vec<FilePlan>,
    /// What is left out, and why.
    pub skipped: Vec<Skipped>,
    /// What the user of a client has to do once.
    pub notes: Vec<String>,
    pub(super) is_removal: bool,
    pub(super) manifest: Manifest,
    /// The manifest that the plan was made from.
    pub(super) was: Manifest,
}

impl Plan {
    /// A plan that does nothing yet, made from a manifest.
    pub(super) fn new(was: Manifest, is_removal: bool) -> Self {
        let (files, skipped, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { files, skipped, notes, is_removal, manifest: was.clone(), was }
    }

    /// Tells whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.manifest == self.was && !self.files.iter().any(FilePlan::changes)
    }

    pub(super) fn leaves_nothing(&self) -> bool {
        self.manifest.files.is_empty()
    }
}
