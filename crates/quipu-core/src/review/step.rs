//! The steps of a review, and which of them a person wants.

use schemars::JsonSchema;
use serde::Serialize;

/// What a review does to one fact, or to the file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Bring derived fields up to date.
    Refresh,
    /// Fill in where a fact comes from.
    Origin,
    /// Bring an archived fact back.
    Reactivate,
    /// Move a superseded fact to the archive.
    File,
    /// Move a faded fact to the archive.
    Archive,
    /// Move a completed thread to the archive.
    Sweep,
    /// Ask a person to confirm the invariants.
    Verify,
    /// Make the index of the archive agree with the archive.
    Index,
    /// Write down that the review happened.
    Stamp,
}

impl Action {
    /// Every action, in the order of the plan.
    pub const ALL: [Self; 9] = [
        Self::Refresh,
        Self::Origin,
        Self::Reactivate,
        Self::File,
        Self::Archive,
        Self::Sweep,
        Self::Verify,
        Self::Index,
        Self::Stamp,
    ];

    /// Returns the action's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refresh => "refresh",
            Self::Origin => "origin",
            Self::Reactivate => "reactivate",
            Self::File => "file",
            Self::Archive => "archive",
            Self::Sweep => "sweep",
            Self::Verify => "verify",
            Self::Index => "index",
            Self::Stamp => "stamp",
        }
    }
}

/// One step of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Item {
    /// What is done.
    pub action: Action,
    /// To which fact; the name of the state line for a stamp.
    pub id: String,
    /// Why, with the numbers.
    pub why: String,
}

/// A step that the numbers ask for and that has to wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Held {
    /// The fact.
    pub id: String,
    /// What stands in the way.
    pub why: String,
}

/// Which steps a person wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these: actions or ids. Empty: all.
    pub only: Vec<String>,
    /// Not these: actions or ids.
    pub except: Vec<String>,
}

impl Selection {
    pub(super) fn takes(&self, action: Action, id: &str) -> bool {
        let named =
            |names: &[String]| names.iter().any(|name| name == action.as_str() || name == id);
        !named(&self.except) && (self.only.is_empty() || named(&self.only))
    }

    /// Returns the names that are neither an action nor the subject of a step.
    pub fn unknown<'s>(&'s self, items: &[Item]) -> Vec<&'s str> {
        let known = |name: &str| {
            Action::ALL.iter().any(|action| action.as_str() == name)
                || items.iter().any(|item| item.id == name)
        };
        self.only
            .iter()
            .chain(&self.except)
            .map(String::as_str)
            .filter(|name| !known(name))
            .collect()
    }
}
