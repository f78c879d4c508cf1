//! Why an operation on facts is refused, and what to do next.

use crate::fact::{FactIdError, SetBy, Tier};
use crate::policy::Sessions;
use crate::text::counted;

/// Why an operation on facts is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FactError {
    /// No fact has the id.
    #[error("there is nothing with the id `{id}` among the facts")]
    Unknown {
        /// The id asked for.
        id: String,
        /// Ids that look like it.
        alike: Vec<String>,
    },
    /// The fact is not where the operation needs it.
    #[error("`{id}` is {place}")]
    Elsewhere {
        /// The fact.
        id: String,
        /// Where it is instead.
        place: &'static str,
    },
    /// The id is taken.
    #[error("the id `{id}` is taken by a fact in {path}")]
    Taken {
        /// The id.
        id: String,
        /// The file.
        path: String,
    },
    /// The id is malformed.
    #[error(transparent)]
    BadId(#[from] FactIdError),
    /// There is nothing to remember.
    #[error("the text is empty")]
    Empty,
    /// The text would be read as something else.
    #[error("the text contains {what}, which would be read as part of the file's structure")]
    Structure {
        /// What it contains.
        what: &'static str,
    },
    /// Facts do not go there.
    #[error("`{section}` is not a section for facts")]
    Section {
        /// The name given.
        section: String,
    },
    /// What is written would be read as code.
    #[error(
        "the code fence in memory/continuity.md line {line} never closes, and all below it is read as code"
    )]
    Fence {
        /// 1-based line of the fence.
        line: usize,
    },
    /// A permanent fact is concerned, and nobody confirmed it.
    #[error("`{id}` is permanent (core, or an invariant)")]
    Permanent {
        /// The fact.
        id: String,
    },
    /// The fact was changed by somebody else meanwhile.
    #[error("`{id}` was changed in the meantime")]
    Changed {
        /// The fact.
        id: String,
    },
    /// Superseded is final.
    #[error("`{id}` is superseded, which is final")]
    Final {
        /// The fact.
        id: String,
    },
    /// The text looks like it holds a secret.
    #[error("the text looks like it holds a secret ({})", categories.join(", "))]
    Secret {
        /// Kinds of secret.
        categories: Vec<String>,
    },
    /// The fact never decays, so it cannot be archived.
    #[error("`{id}` never decays: {why}")]
    Protected {
        /// The fact.
        id: String,
        /// The rule that protects it.
        why: &'static str,
    },
    /// The fact was used too recently to be archived as faded.
    #[error("`{id}` was used {} ago, within archive_window {window}", counted(since, "session"))]
    InUse {
        /// The fact.
        id: String,
        /// Sessions since it was used.
        since: Sessions,
        /// The window.
        window: Sessions,
    },
    /// Other facts are nested in the block.
    #[error("`{id}` has facts nested in it: {}", nested.join(", "))]
    Nested {
        /// The fact.
        id: String,
        /// The nested ones.
        nested: Vec<String>,
    },
    /// A tier that cannot be set by hand.
    #[error("`{tier}` cannot be set by hand")]
    NotByHand {
        /// The tier.
        tier: Tier,
    },
    /// The fact cannot replace itself.
    #[error("`{id}` cannot supersede itself")]
    Itself {
        /// The fact.
        id: String,
    },
}

impl FactError {
    /// Returns what to do next.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { alike, .. } if alike.is_empty() => {
                "`quipu recall WORDS` finds it by its words, `quipu fact list --all` shows every fact"
                    .to_owned()
            }
            Self::Unknown { alike, .. } => format!("did you mean {}?", alike.join(", ")),
            Self::Taken { .. } => {
                "choose another with --id, or change that fact with `quipu edit`".to_owned()
            }
            Self::Secret { .. } => {
                "write (REDACTED) instead of the value. If it is not a secret, say why with --not-a-secret REASON; for a deliberate example, add --allow-secret".to_owned()
            }
            Self::Section { .. } => "name a heading, such as `Key Decisions`".to_owned(),
            Self::Fence { .. } => "close it first; nothing was changed".to_owned(),
            Self::Permanent { .. } => {
                "ask a person; with their word, run it again with --confirm-core".to_owned()
            }
            Self::Changed { .. } => "look at it again; nothing was changed".to_owned(),
            Self::Final { .. } => {
                "add it again as a new fact, if it holds after all".to_owned()
            }
            Self::InUse { id, .. } => format!(
                "if it is no longer true, `quipu fact supersede {id}`; a person can put it away all the same: `quipu forget {id}`"
            ),
            Self::Protected { id, .. } => {
                format!("a person can put it away all the same: `quipu forget {id}`; a core fact decays again after `quipu fact tier {id} --auto`, a thread once it is closed")
            }
            Self::Nested { nested, .. } => format!("name them too: {}", nested.join(" ")),
            Self::NotByHand { tier } => match tier.set_by() {
                SetBy::Tier => return None,
                SetBy::Archive => "use `quipu fact archive ID`".to_owned(),
                SetBy::Supersede => "use `quipu fact supersede ID`".to_owned(),
                SetBy::Core => "use `quipu fact core ID`".to_owned(),
            },
            Self::Elsewhere { id, place } if place.contains("archive") => {
                format!("bring it back first: `quipu fact reactivate {id}`")
            }
            _ => return None,
        })
    }
}
