//! What a dream would do: actions that can be looked at, chosen, carried out and taken back.

use std::collections::BTreeMap;

use jiff::Timestamp;
use quipu_core::item::Item;
use quipu_core::journal::{self, Record};
use serde::{Deserialize, Serialize};

/// A step of the dream, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// What faded is put away, what is used is promoted.
    Fade,
    /// What says the same becomes one.
    Merge,
    /// A card for each entity that much is known about.
    Cards,
    /// Things that seem related and are never mentioned together.
    Bridges,
    /// Old beliefs are put to a judge.
    Beliefs,
    /// What the code no longer has.
    Drift,
    /// Old uses stand together, faded vectors become small.
    Prune,
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Self; 7] = [
        Self::Fade,
        Self::Merge,
        Self::Cards,
        Self::Bridges,
        Self::Beliefs,
        Self::Drift,
        Self::Prune,
    ];

    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fade => "fade",
            Self::Merge => "merge",
            Self::Cards => "cards",
            Self::Bridges => "bridges",
            Self::Beliefs => "beliefs",
            Self::Drift => "drift",
            Self::Prune => "prune",
        }
    }

    /// Returns the step of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.as_str() == name)
    }
}

impl schemars::JsonSchema for Step {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Step".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

/// One thing that a dream does: all of it or nothing.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Action {
    /// Its name: the same action has the same in every plan.
    pub id: String,
    /// The step that it belongs to.
    pub step: Step,
    /// What happens, in words.
    pub does: String,
    /// Why.
    pub why: String,
    /// The memories that it is about.
    pub about: Vec<String>,
    /// What they have to look like still.
    pub(crate) found: Vec<(String, String)>,
    /// What is written.
    pub(crate) records: Vec<Record>,
}

/// What a dream would do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The run's name.
    pub run: String,
    /// When it was planned.
    pub now: Timestamp,
    /// What it does, in order.
    pub actions: Vec<Action>,
    /// Which steps it was asked for.
    pub(crate) steps: Vec<Step>,
}

/// What a dream did, or would do.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Dreamt {
    /// The run's name.
    pub run: String,
    /// Whether it took up what an earlier process left half done.
    pub resumed: bool,
    /// How much each step did.
    pub did: BTreeMap<String, usize>,
    /// How many memories were looked at.
    pub looked_at: usize,
    /// The actions that were carried out, or would be.
    pub actions: Vec<Action>,
    /// Actions whose memories had changed meanwhile: nothing was done about them.
    pub skipped: Vec<String>,
    /// How many rows of uses were put together.
    pub folded: usize,
    /// How many vectors became smaller or larger.
    pub compressed: usize,
    /// What could not be done, and why.
    pub notes: Vec<String>,
    /// Whether it stopped before its end; the next dream goes on.
    pub stopped: bool,
}

/// Returns what an action depends on: if that changes, the action is not carried out.
pub(super) fn look(item: &Item) -> String {
    let state = format!("{}\n{}\n{}\n{}", item.status, item.layer, item.pinned, item.text);
    journal::fingerprint(&state, "dream")
}
