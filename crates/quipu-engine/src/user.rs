//! `USER.md`: who the human is. Written by hand; every briefing begins with it.

use quipu_core::journal::USER;

use crate::error::Error;
use crate::gateway::{self, NewText};
use crate::operation::Request;
use crate::workspace::{Diff, Workspace};

/// What a new `USER.md` asks.
pub const TEMPLATE: &str =
    "# User\n\n- Name:\n- What to call them:\n- Pronouns:\n- Time zone:\n\n## Notes\n\n";

/// Returns what the user wrote about themselves.
///
/// # Errors
/// When it cannot be read.
pub fn user(workspace: &Workspace) -> Result<Option<String>, Error> {
    workspace.read_optional(USER)
}

/// Replaces what the user wrote about themselves; `quipu undo` takes it back. `instead_of` is what
/// the new text was made from, where that is known.
///
/// # Errors
/// When it holds a credential that was not allowed, was changed meanwhile, or cannot be written.
pub fn set_user(
    workspace: &Workspace,
    text: &str,
    instead_of: Option<&str>,
    allow_secret: bool,
    request: &Request<'_>,
) -> Result<Diff, Error> {
    // Who begins sees the template, which is not there yet.
    let instead_of = match (instead_of, user(workspace)?) {
        (Some(TEMPLATE), None) => Some(""),
        (seen, _) => seen,
    };
    let new = NewText { text, instead_of, allow_secret, may_lose: true };
    gateway::replace_file(workspace, USER, &new, request)
}
