//! The journal's files for somebody who shows and edits them: exactly `MEMORY.md` and the daily logs.

use quipu_core::journal::{self, PRIMARY};
use quipu_core::secret::{self, Scope};
use serde::Serialize;

use crate::config::OnSecret;
use crate::error::{Error, Failure};
use crate::index;
use crate::ledger;
use crate::operation::Request;
use crate::secret_policy;
use crate::transaction::{ApplyError, CommitOptions, FileChanges};
use crate::workspace::{Diff, Workspace, stamp};

/// Why a file of the journal is not given or taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// No path was given.
    #[error("path is required")]
    NoPath,
    /// It is none of the files.
    #[error("path must be MEMORY.md or memory/YYYY-MM-DD.md")]
    BadPath,
    /// The new text lacks records that the file has.
    #[error("the new text lacks {} of the file's records: {}", .ids.len(), first(.ids))]
    LosesRecords {
        /// Their ids.
        ids: Vec<String>,
    },
}

impl Failure for GatewayError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoPath | Self::BadPath => "bad-path",
            Self::LosesRecords { .. } => "loses-records",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoPath | Self::BadPath => "other files are not reachable this way",
            Self::LosesRecords { .. } => {
                "put the lines back, or say that they may go; nothing was changed"
            }
        };
        Some(hint.to_owned())
    }
}

fn first(ids: &[String]) -> String {
    const TOLD: usize = 5;
    let told = ids.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > TOLD { format!("{told}, …") } else { told }
}

/// A file of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JournalFile {
    /// Its name.
    pub name: String,
    /// Its path from the root.
    pub path: String,
}

/// A text that takes the place of a file's.
#[derive(Clone, Debug, Default)]
pub struct NewText<'t> {
    /// The text.
    pub text: &'t str,
    /// What it was made from, where that is known: another text there now is not overwritten.
    pub instead_of: Option<&'t str>,
    /// Whether a credential may be in it.
    pub allow_secret: bool,
    /// Whether it may lack records that the file has.
    pub may_lose: bool,
}

fn checked(path: &str) -> Result<(), GatewayError> {
    if path.is_empty() {
        return Err(GatewayError::NoPath);
    }
    let is_day = path.strip_prefix("memory/").is_some_and(journal::is_daily);
    if path == PRIMARY || is_day { Ok(()) } else { Err(GatewayError::BadPath) }
}

/// Returns what in a text looks like a credential.
fn credentials(source: &str) -> std::collections::BTreeSet<&str> {
    secret::scan(source, Scope::Credentials).into_iter().map(|hit| &source[hit.span]).collect()
}

fn ids(source: &str) -> impl Iterator<Item = String> {
    journal::records(source).map(|(_, record)| record.id)
}

/// Returns the daily logs, newest first.
///
/// # Errors
/// When the folder cannot be read.
pub fn daily_logs(workspace: &Workspace) -> Result<Vec<JournalFile>, Error> {
    let days = ledger::days(workspace)?.into_iter().rev();
    let file = |path: String| JournalFile { name: path.replace("memory/", ""), path };
    Ok(days.map(file).collect())
}

/// Returns a file of the journal; one that is missing is empty.
///
/// # Errors
/// When the path is none of the journal's, or the file cannot be read.
pub fn journal_file(workspace: &Workspace, path: &str) -> Result<String, Error> {
    checked(path)?;
    Ok(workspace.read_optional(path)?.unwrap_or_default())
}

/// Replaces a file of the journal; `quipu undo` takes it back.
///
/// # Errors
/// When the path is none of the journal's, records or somebody's edit would be lost, it holds a new
/// credential, or cannot be written.
pub fn set_journal_file(
    workspace: &Workspace,
    path: &str,
    new: &NewText<'_>,
    request: &Request<'_>,
) -> Result<Diff, Error> {
    checked(path)?;
    let before = workspace.read_optional(path)?.unwrap_or_default();
    let kept: std::collections::BTreeSet<String> = ids(new.text).collect();
    let lost: Vec<String> = ids(&before).filter(|id| !kept.contains(id)).collect();
    if !lost.is_empty() && !new.may_lose {
        return Err(GatewayError::LosesRecords { ids: lost }.into());
    }
    // What is there already came in by another way.
    let known = credentials(&before);
    let allow_secret = new.allow_secret || credentials(new.text).is_subset(&known);
    let instead_of = new.instead_of.or(Some(&*before));
    replace_file(workspace, path, &NewText { instead_of, allow_secret, ..new.clone() }, request)
}

/// Replaces a file that belongs to the user, as one operation that can be undone.
pub(crate) fn replace_file(
    workspace: &Workspace,
    path: &str,
    new: &NewText<'_>,
    request: &Request<'_>,
) -> Result<Diff, Error> {
    // A whole file is somebody's text: where it may not stay as it is, it is refused, not changed.
    let may_be_kept = new.allow_secret || workspace.config().guard.on_said() == OnSecret::Allow;
    if !may_be_kept {
        secret_policy::guarded(OnSecret::Refuse, new.text)?;
    }
    let lock = workspace.lock_for_writing()?;
    let before = workspace.read_optional(path)?;
    if new.instead_of.is_some_and(|seen| seen != before.as_deref().unwrap_or_default()) {
        let (operation, path) = (request.operation.to_owned(), path.to_owned());
        return Err(ApplyError::EditedMeanwhile { operation, path }.into());
    }
    if before.as_deref() == Some(new.text) {
        return Ok(Diff::default());
    }
    let text = new.text.to_owned();
    let diff = Diff { files: vec![(path.to_owned(), before.clone(), Some(text.clone()))] };
    if request.dry_run {
        return Ok(diff);
    }
    let files = FileChanges::from([(path.to_owned(), Some(text.into_bytes()))]);
    let expected = FileChanges::from([(path.to_owned(), before.map(String::into_bytes))]);
    let options = CommitOptions::default();
    workspace.transactions().commit(
        request.operation,
        &stamp(request.now),
        &files,
        &expected,
        options,
    )?;
    // It is written; an index that cannot follow now does so with the next command.
    let _ = index::index_locked(workspace, &lock, &mut |_, _| {});
    Ok(diff)
}
