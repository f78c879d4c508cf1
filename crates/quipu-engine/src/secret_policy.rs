//! Whether words that look like they hold a credential may be written into the memory.
//!
//! The configuration chooses between refusing, redacting and allowing such words; which words look
//! like a credential is decided in `quipu_core::secret`.

use std::borrow::Cow;

use quipu_core::secret::{self, Scope};

use crate::config::OnSecret;
use crate::error::Error;
use crate::recall::RecallError;
use crate::workspace::Workspace;

/// Returns a text as `policy` lets it be written: as it is, or with credentials redacted.
///
/// # Errors
/// When the text looks like it holds a credential, and the policy refuses such a text.
pub fn guarded(policy: OnSecret, text: &str) -> Result<Cow<'_, str>, RecallError> {
    secret::admitted(policy, text, Scope::Credentials)
        .map_err(|categories| RecallError::Secret { categories })
}

impl Workspace {
    /// Returns words that a caller gave, as the configuration lets them be written into the memory.
    ///
    /// # Errors
    /// When they look like they hold a credential, and the configuration refuses such words.
    pub(crate) fn guarded_words(&self, words: &str) -> Result<String, Error> {
        Ok(guarded(self.config().guard.on_said(), words)?.into_owned())
    }
}
