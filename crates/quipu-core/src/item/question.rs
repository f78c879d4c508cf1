//! A question as the journal keeps it. What may be answered, and what an answer does, is in
//! [`crate::question`].

use serde::{Deserialize, Serialize};

use crate::named::named;

named! {
    /// What a question is about.
    QuestionKind {
        /// Two memories cannot both be true.
        Contradiction = "contradiction",
        /// Memories say the same.
        Duplicate = "duplicate",
        /// Two things that are never mentioned together seem related.
        Bridge = "bridge",
        /// An old memory may no longer hold.
        Belief = "belief",
        /// A memory names something that is not there any more.
        Reference = "reference",
        /// An invariant was not confirmed for long.
        Invariant = "invariant",
        /// A fact is used so much that it may belong to the core.
        Core = "core",
    }
}

/// Something that wants judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Question {
    /// What it is about.
    pub kind: QuestionKind,
    /// The memories, oldest first; for a bridge, the names of the two.
    pub subjects: Vec<String>,
    /// Why it is asked.
    pub reason: String,
    /// What the memory names, as it has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Where that is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// What makes it another question although it is about the same, such as the half-year.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub round: String,
}
