//! `USER.md`: who the human is. Written by hand; every briefing begins with it.

use quipu_core::journal::USER;
use quipu_core::secret::{self, Scope};

use crate::error::Error;
use crate::operations::Request;
use crate::recall::RecallError;
use crate::transaction::{ApplyError, FileChanges};
use crate::workspace::{Diff, Workspace, stamp};

/// What a new `USER.md` asks.
pub const TEMPLATE: &str =
    "# User\n\n- Name:\n- What to call them:\n- Pronouns:\n- Time zone:\n\n## Notes\n\n";

impl Workspace {
    /// Returns what the user wrote about themselves.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn user(&self) -> Result<Option<String>, Error> {
        self.read_optional(USER)
    }

    /// Replaces what the user wrote about themselves; `quipu undo` takes it back. `instead_of` is what
    /// the new text was made from, where that is known.
    ///
    /// # Errors
    /// When it holds a credential that was not allowed, was changed meanwhile, or cannot be written.
    pub fn set_user(
        &self,
        text: &str,
        instead_of: Option<&str>,
        allow_secret: bool,
        request: &Request<'_>,
    ) -> Result<Diff, Error> {
        let hits = secret::scan(text, Scope::Credentials);
        if !allow_secret && !hits.is_empty() {
            let mut categories: Vec<&'static str> = hits.iter().map(|hit| hit.category).collect();
            categories.dedup();
            return Err(RecallError::Secret { categories }.into());
        }
        let lock = self.lock_for_writing()?;
        let before = self.read_optional(USER)?;
        if instead_of.is_some_and(|seen| seen != before.as_deref().unwrap_or(TEMPLATE)) {
            let (operation, path) = (request.operation.to_owned(), USER.to_owned());
            return Err(ApplyError::EditedMeanwhile { operation, path }.into());
        }
        if before.as_deref() == Some(text) {
            return Ok(Diff::default());
        }
        let diff = Diff { files: vec![(USER.to_owned(), before.clone(), Some(text.to_owned()))] };
        if request.dry_run {
            return Ok(diff);
        }
        let files = FileChanges::from([(USER.to_owned(), Some(text.as_bytes().to_vec()))]);
        let expected = FileChanges::from([(USER.to_owned(), before.map(String::into_bytes))]);
        self.transactions().commit(request.operation, &stamp(request.now), &files, &expected)?;
        // It is written; an index that cannot follow now does so with the next command.
        let _ = self.index_locked(&lock, &mut |_, _| {});
        Ok(diff)
    }
}
