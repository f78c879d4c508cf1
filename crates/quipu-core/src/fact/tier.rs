//! The tiers of a fact, and the label in its footer that names one.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::named::named;

named! {
    /// The lifecycle bucket of a fact.
    Tier {
        /// New and not yet used again.
        Working = "working",
        /// Used within the active window.
        Active = "active",
        /// Not used for longer than the active window.
        ArchiveCandidate = "archive-candidate",
        /// Moved to the archive.
        Archived = "archived",
        /// Replaced or found false; never comes back by itself.
        Superseded = "superseded",
        /// Never decays; set by a person.
        Core = "core",
    }
}

/// How a fact comes to have a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetBy {
    /// `quipu fact tier`, or counting its uses.
    Tier,
    /// `quipu fact archive`, or a review.
    Archive,
    /// `quipu fact supersede`.
    Supersede,
    /// `quipu fact core`.
    Core,
}

impl Tier {
    /// Returns how a fact comes to have this tier.
    pub fn set_by(self) -> SetBy {
        match self {
            Self::Working | Self::Active | Self::ArchiveCandidate => SetBy::Tier,
            Self::Archived => SetBy::Archive,
            Self::Superseded => SetBy::Supersede,
            Self::Core => SetBy::Core,
        }
    }

    /// Tells whether the tier says nothing that a review would not decide again.
    pub fn is_counted(self) -> bool {
        match self.set_by() {
            SetBy::Tier | SetBy::Archive => true,
            SetBy::Supersede | SetBy::Core => false,
        }
    }
}

/// The tier label of a footer: a tier, or a word that names none and stays as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TierLabel {
    /// One of the tiers.
    Known(Tier),
    /// Another word.
    Unknown(String),
}

impl TierLabel {
    /// Returns the tier that the label names.
    pub fn tier(&self) -> Option<Tier> {
        match self {
            Self::Known(tier) => Some(*tier),
            Self::Unknown(_) => None,
        }
    }

    /// Returns the label as written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(tier) => tier.as_str(),
            Self::Unknown(word) => word,
        }
    }
}

impl From<&str> for TierLabel {
    fn from(word: &str) -> Self {
        // Whoever writes `Core` means that the fact never decays.
        let named =
            if word.eq_ignore_ascii_case("core") { Some(Tier::Core) } else { Tier::named(word) };
        named.map_or_else(|| Self::Unknown(word.to_owned()), Self::Known)
    }
}

impl From<Tier> for TierLabel {
    fn from(tier: Tier) -> Self {
        Self::Known(tier)
    }
}

impl fmt::Display for TierLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl schemars::JsonSchema for TierLabel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TierLabel".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_names_no_tier_keeps_its_bytes() {
        for word in ["corer", "archive candidate", "", "äöü"] {
            let label = TierLabel::from(word);
            assert_eq!((label.tier(), label.as_str()), (None, word));
            let json = serde_json::to_string(&label).unwrap();
            assert_eq!(serde_json::from_str::<TierLabel>(&json).unwrap(), label);
        }
    }

    #[test]
    fn a_tier_and_its_label_are_the_same_word() {
        for tier in Tier::ALL {
            assert_eq!(TierLabel::from(tier.as_str()), TierLabel::Known(*tier));
            let json = serde_json::to_string(&TierLabel::Known(*tier)).unwrap();
            assert_eq!(json, format!("\"{tier}\""));
            assert_eq!(serde_json::from_str::<TierLabel>(&json).unwrap(), TierLabel::Known(*tier));
        }
    }
}
