//! Settings of the guard against secrets, and of what git's hooks do.

use serde::Deserialize;

/// What happens when a commit would add a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardScope {
    /// Those of the memory.
    #[default]
    Memory,
    /// All.
    All,
}

/// What happens to a text that looks like it holds a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnSecret {
    /// It is not taken.
    #[default]
    Refuse,
    /// It is taken with `(REDACTED)` in place of the value.
    Redact,
    /// It is taken as it is.
    Allow,
}

/// Settings of the guard.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuardConfig {
    /// What happens when a commit would add a secret.
    pub mode: GuardMode,
    /// Which staged files are looked at.
    pub scope: GuardScope,
    /// What happens when a record would hold one.
    pub journal: OnSecret,
    /// Whether a commit reminds of the session log that is missing.
    pub nudge: bool,
}

impl Default for GuardConfig {
    fn default() -> Self {
        Self {
            mode: GuardMode::default(),
            scope: GuardScope::default(),
            journal: OnSecret::default(),
            nudge: true,
        }
    }
}
