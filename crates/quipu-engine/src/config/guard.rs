//! Settings of the guard against secrets, and of what git's hooks do.

pub use quipu_core::secret::OnSecret;
use serde::{Deserialize, Serialize};

/// What happens when a commit would add a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardMode {
    /// The commit is refused.
    #[default]
    Block,
    /// It is told, and the commit goes on.
    Warn,
    /// Nothing is looked at.
    Off,
}

/// Which staged files are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardScope {
    /// Those of the memory.
    #[default]
    Memory,
    /// All.
    All,
}

/// Settings of the guard.
#[derive(Default, Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardConfig {
    /// What happens to a secret, wherever it would get in. Without a word what is said is refused,
    /// because it can be said again, and what is read is redacted, because it is somebody's file.
    pub secrets: Option<OnSecret>,
    /// What happens when a commit would add one; by default what `secrets` says.
    pub mode: Option<GuardMode>,
    /// Which staged files are looked at.
    pub scope: GuardScope,
    /// Whether a commit reminds of the session log that is missing.
    pub nudge: bool,
}

impl GuardConfig {
    /// Returns what happens to a secret in what somebody says: a record, a fact, a file of theirs.
    pub fn on_said(&self) -> OnSecret {
        self.secrets.unwrap_or(OnSecret::Refuse)
    }

    /// Returns what happens to a secret in what is read: instructions that are taken over, documents.
    pub fn on_read(&self) -> OnSecret {
        self.secrets.unwrap_or(OnSecret::Redact)
    }

    /// Returns what happens to a secret in a commit. Nobody wants a commit changed on the way, so
    /// that one which should be redacted is refused.
    pub fn on_commit(&self) -> GuardMode {
        self.mode.unwrap_or(match self.secrets {
            Some(OnSecret::Allow) => GuardMode::Warn,
            _ => GuardMode::Block,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::OnSecret::{Allow, Redact, Refuse};
    use super::*;

    #[test]
    fn one_setting_holds_on_every_way_in_and_each_way_has_its_default() {
        let with = |secrets| GuardConfig { secrets, ..GuardConfig::default() };
        let ways = |guard: &GuardConfig| (guard.on_said(), guard.on_read(), guard.on_commit());
        for (secrets, expected) in [
            (None, (Refuse, Redact, GuardMode::Block)),
            (Some(Refuse), (Refuse, Refuse, GuardMode::Block)),
            (Some(Redact), (Redact, Redact, GuardMode::Block)),
            (Some(Allow), (Allow, Allow, GuardMode::Warn)),
        ] {
            assert_eq!(ways(&with(secrets)), expected, "{secrets:?}");
        }
        let strict = GuardConfig { mode: Some(GuardMode::Block), ..with(Some(Allow)) };
        assert_eq!(strict.on_commit(), GuardMode::Block, "commits have a word of their own");
    }
}
