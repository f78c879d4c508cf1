//! What an operation that changes files answers.

use schemars::JsonSchema;
use serde::Serialize;
use similar::TextDiff;

use crate::error::Error;
use crate::operation::{Call, Output};
use crate::sessions;
use crate::workspace::{Diff, Workspace};

/// An answer of an operation that changed files, or would have.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Changed<T> {
    /// What was done.
    #[serde(flatten)]
    pub done: T,
    /// Whether it only shows what would change.
    pub dry_run: bool,
    /// The lines that changed.
    pub changes: Vec<FileChange>,
    /// The same with both texts.
    #[serde(skip)]
    pub diff: Diff,
    /// How many sessions are open, where it is not said whose log it goes into.
    #[serde(skip)]
    pub rival_sessions: usize,
}

/// The lines of a file that changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// A unified diff.
    pub diff: String,
}

impl FileChange {
    /// Returns a unified diff for each file.
    pub fn all(diff: &Diff) -> Vec<Self> {
        changes(diff)
    }
}

impl<T> Changed<T> {
    /// Says what was done.
    pub fn new(done: T, diff: Diff, dry_run: bool, on: &Workspace, call: &Call<'_>) -> Self {
        let is_open = call.session.is_none() && !dry_run && !diff.is_empty();
        let open = if is_open {
            sessions::open_sessions(on)
                .map_or(0, |open| open.iter().filter(|open| !open.by_hook).count())
        } else {
            0
        };
        let rival_sessions = if open > 1 { open } else { 0 };
        Self { done, dry_run, changes: changes(&diff), diff, rival_sessions }
    }

    /// Says what an operation did.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn of(
        done: T,
        diff: Result<Diff, Error>,
        dry_run: bool,
        on: &Workspace,
        call: &Call<'_>,
    ) -> Result<Self, crate::operation::OperationError> {
        Ok(Self::new(done, diff?, dry_run, on, call))
    }
}

impl<T: Output> Output for Changed<T> {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        self.done.said(each);
        for change in &mut self.changes {
            each(&mut change.diff);
        }
    }

    fn wants_attention(&self) -> bool {
        self.done.wants_attention()
    }
}

/// Returns a unified diff for each file.
pub(crate) fn changes(diff: &Diff) -> Vec<FileChange> {
    let file = |(path, old, new): &(String, Option<String>, Option<String>)| {
        let (old, new) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(old, new)
            .unified_diff()
            .context_radius(2)
            .header(&format!("a/{path}"), &format!("b/{path}"))
            .to_string();
        FileChange { path: path.clone(), diff }
    };
    diff.files.iter().map(file).collect()
}
