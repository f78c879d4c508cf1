//! What is decided about an item, and the events that say so.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::question::Question;
use super::{Layer, Status, is_false};
use crate::text::counted;

/// How new an item was when it came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Weight {
    /// How unlike its nearest neighbours it is, 0 to 1.
    pub surprise: f32,
    /// What that adds to its importance.
    pub modifier: f32,
    /// The item that is most like it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Whether that one says the same.
    #[serde(default, skip_serializing_if = "is_false")]
    pub duplicate: bool,
}

/// What a person or an agent decided about an item. A record of category `lifecycle` holds one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Decision {
    /// It has another status now.
    Status {
        /// The status before.
        from: Status,
        /// The status from now on.
        to: Status,
    },
    /// It says something else now.
    Edit {
        /// The new words.
        text: String,
    },
    /// Another item replaced it.
    Supersede {
        /// The other item.
        by: String,
    },
    /// It has other tags.
    Tag {
        /// New ones.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        add: Vec<String>,
        /// Those that go.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        remove: Vec<String>,
    },
    /// It points to another item.
    Link {
        /// The other item.
        to: String,
        /// What that is to this one.
        relation: String,
        /// Take the link away instead.
        #[serde(default, skip_serializing_if = "is_false")]
        remove: bool,
    },
    /// Something was noted beside it.
    Annotate {
        /// The note.
        note: String,
    },
    /// It is meant to last longer, or less long.
    Layer {
        /// The layer before.
        from: Layer,
        /// The layer from now on.
        to: Layer,
    },
    /// Somebody said independently that it is so.
    Confirm {
        /// Who.
        by: String,
    },
    /// Another item says what it says.
    Merge {
        /// The other item.
        into: String,
    },
    /// It comes first in every briefing, or no longer does.
    Pin {
        /// Whether it does.
        pinned: bool,
    },
    /// It is more or less important by itself than was said.
    Importance {
        /// The base from now on.
        to: f32,
    },
    /// How new it was when it came.
    Weigh(Weight),
    /// Something about it wants judgement; filed under the question.
    Ask {
        /// What.
        question: Box<Question>,
    },
    /// A judge answered a question.
    Answer {
        /// How.
        choice: String,
    },
    /// A dream went through the memory; filed under its run.
    Dreamed {
        /// How much each step did.
        did: BTreeMap<String, usize>,
    },
    /// An event does not count any more; that of its own beginning takes the whole item back.
    Revert {
        /// The event.
        event: String,
    },
    /// An entity goes by another name too.
    Alias {
        /// The other name.
        name: String,
        /// Take the name away instead.
        #[serde(default, skip_serializing_if = "is_false")]
        remove: bool,
    },
    /// Its words were removed for good.
    Purge {
        /// How many places held them.
        places: usize,
        /// For what a file owns: a salted fingerprint of the words, so that only they stay away.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        words: String,
    },
}

impl Decision {
    /// Returns the decision in a few words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Status { from, to } => format!("{from} → {to}"),
            Self::Edit { .. } => "edited".to_owned(),
            Self::Supersede { by } => format!("superseded by {by}"),
            Self::Tag { add, remove } => {
                let added = add.iter().map(|tag| format!("+{tag}"));
                let removed = remove.iter().map(|tag| format!("-{tag}"));
                format!("tags {}", added.chain(removed).collect::<Vec<_>>().join(" "))
            }
            Self::Link { to, relation, remove: false } => format!("linked to {to} ({relation})"),
            Self::Link { to, relation, remove: true } => format!("unlinked from {to} ({relation})"),
            Self::Annotate { note } => format!("noted: {note}"),
            Self::Layer { from, to } => format!("{from} → {to}"),
            Self::Confirm { by } => format!("confirmed by {by}"),
            Self::Merge { into } => format!("merged into {into}"),
            Self::Pin { pinned: true } => "pinned".to_owned(),
            Self::Pin { pinned: false } => "unpinned".to_owned(),
            Self::Importance { to } => format!("importance {to:.2} from now on"),
            Self::Weigh(weight) if weight.duplicate => {
                format!("says what {} says", weight.nearest.as_deref().unwrap_or("another"))
            }
            Self::Weigh(weight) => {
                format!("surprise {:.2}, importance {:+.2}", weight.surprise, weight.modifier)
            }
            Self::Ask { question } => {
                format!("asked: {} {}", question.in_words(), question.subjects.join(" or "))
            }
            Self::Answer { choice } => format!("answered: {choice}"),
            Self::Dreamed { did } => {
                let parts = did.iter().map(|(step, count)| format!("{step} {count}"));
                format!("dreamed: {}", parts.collect::<Vec<_>>().join(", "))
            }
            Self::Revert { .. } => "taken back".to_owned(),
            Self::Alias { name, remove: false } => format!("also called {name}"),
            Self::Alias { name, remove: true } => format!("no longer called {name}"),
            Self::Purge { places, .. } => format!("purged from {}", counted(places, "place")),
        }
    }
}

/// An event with the place in the ledger that holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Filed {
    /// The event.
    pub event: Event,
    /// The file; empty where the event table itself is the ledger.
    pub path: String,
    /// Where its line begins.
    pub offset: u64,
}

impl Filed {
    /// What events are sorted by before they are added up, so that it never matters in which order
    /// files were read.
    pub fn order(&self) -> (Timestamp, &str, u64) {
        (self.event.at, &self.path, self.offset)
    }
}

/// Something that happened to an item: one row of the append-only log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The name of the record that holds it.
    pub id: String,
    /// The item.
    pub item: String,
    /// When.
    pub at: Timestamp,
    /// Who did it.
    pub actor: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The run of the dream that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What was decided; none where the item was first remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
}

/// Returns whether an item may go from one status to another by somebody's word.
pub fn may_become(from: Status, to: Status) -> bool {
    use Status::{Active, Archived, Challenged, Invalidated, Merged, Superseded};
    match from {
        Active => matches!(to, Challenged | Invalidated | Merged | Superseded | Archived),
        Challenged => matches!(to, Active | Invalidated | Merged | Superseded | Archived),
        Invalidated | Merged | Superseded => matches!(to, Active | Archived),
        Archived => to == Active,
    }
}
