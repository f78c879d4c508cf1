//! Whether words that look like they hold a credential may be written into the memory.
//!
//! The configuration chooses between refusing, redacting and allowing such words; which words look
//! like a credential is decided in `quipu_core::secret`.

use std::borrow::Cow;

use quipu_core::secret::{self, Scope};

use crate::config::{Config, OnSecret};
use crate::error::Failure;

/// The text looks like it holds a secret, and the policy refuses such a text.
#[derive(Debug, thiserror::Error)]
#[error("the text looks like it holds a secret ({})", categories.join(", "))]
pub struct SecretRefused {
    /// The kinds of secret that were recognised.
    pub categories: Vec<String>,
}

impl Failure for SecretRefused {
    fn code(&self) -> &'static str {
        "secret"
    }

    fn hint(&self) -> Option<String> {
        let hint = "write (REDACTED) instead of the value, or use --sensitivity secret. If it is not a secret, say why with --not-a-secret REASON; for a deliberate example, add --allow-secret (your `guard.secrets` setting says what happens by default)";
        Some(hint.to_owned())
    }
}

/// Returns a text as `policy` lets it be written: as it is, or with credentials redacted.
///
/// # Errors
/// When the text looks like it holds a credential, and the policy refuses such a text.
pub fn guarded(policy: OnSecret, text: &str) -> Result<Cow<'_, str>, SecretRefused> {
    secret::admitted(policy, text, Scope::Credentials)
        .map_err(|categories| SecretRefused { categories })
}

/// Returns words that a caller gave, as the configuration lets them be written into the memory.
///
/// # Errors
/// When they look like they hold a credential, and the configuration refuses such words.
pub(crate) fn guarded_words(config: &Config, words: &str) -> Result<String, SecretRefused> {
    Ok(guarded(config.guard.on_said(), words)?.into_owned())
}
