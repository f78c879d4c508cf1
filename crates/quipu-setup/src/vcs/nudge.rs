//! The reminder after a commit. It writes no log by itself, and says something once a working session.

use jiff::{SignedDuration, Timestamp};
use quipu_core::ledger::is_session_log;
use quipu_core::memory::SESSIONS;
use quipu_engine::error::Error;
use quipu_engine::git::git;
use quipu_engine::sessions;
use quipu_engine::workspace::Workspace;

use super::as_line;

/// How long a working session is taken to last.
const SESSION: SignedDuration = SignedDuration::from_mins(30);

/// Where the time of the last reminder is kept.
const REMINDED: &str = "nudged";

/// Returns what to remind of after a commit; mostly nothing.
///
/// # Errors
/// When the open sessions cannot be read.
pub fn nudge(workspace: &Workspace, now: Timestamp) -> Result<Option<String>, Error> {
    let root = workspace.root();
    if !workspace.config().guard.nudge || is_under_way(workspace) {
        return Ok(None);
    }
    // The log of an open session is written at its end.
    if !sessions::open_sessions(workspace)?.is_empty() {
        return Ok(None);
    }
    let arguments = ["show", "--name-only", "--format=%P", "--no-renames", "--relative", "HEAD"];
    let Some(told) = git(root, &arguments, None) else { return Ok(None) };
    let told = String::from_utf8_lossy(&told);
    let mut lines = told.lines();
    let is_merge = lines.next().is_some_and(|parents| parents.contains(' '));
    let files: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let is_log = |path: &&str| path.strip_prefix(SESSIONS).is_some_and(is_session_log);
    let is_work = files.iter().any(|path| !path.starts_with("memory/"));
    if is_merge || !is_work || files.iter().any(is_log) {
        return Ok(None);
    }
    let since = now.checked_sub(SESSION).unwrap_or(now);
    if has_log_since(workspace, since) || was_reminded_since(workspace, since) {
        return Ok(None);
    }
    // Where it cannot be noted down, it would be said again and again.
    if workspace.prepare_state().is_err()
        || workspace.write_state(REMINDED, now.to_string().as_bytes()).is_err()
    {
        return Ok(None);
    }
    Ok(Some(
        "no session log mentions this work yet; `quipu session end --did TEXT` writes one, for all commits of this session"
            .to_owned(),
    ))
}

/// Tells whether a rebase or the like is at work, whose commits are nobody's session.
fn is_under_way(workspace: &Workspace) -> bool {
    let ask = ["rev-parse", "--path-format=absolute", "--git-dir"];
    let folder = git(workspace.root(), &ask, None).and_then(as_line).unwrap_or_default();
    let folder = std::path::PathBuf::from(folder);
    ["rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "sequencer"]
        .iter()
        .any(|name| workspace.fs().stat(&folder.join(name)).is_ok())
}

/// Tells whether there is a log of this working session, committed or not.
fn has_log_since(workspace: &Workspace, since: Timestamp) -> bool {
    let stem = since.strftime("%Y-%m-%d-%H%M%S").to_string();
    let names = workspace.fs().list(&workspace.root().join(SESSIONS)).unwrap_or_default();
    names.iter().any(|(name, _)| is_session_log(name) && name.trim_end_matches(".md") >= &*stem)
}

fn was_reminded_since(workspace: &Workspace, since: Timestamp) -> bool {
    let bytes = workspace.fs().read(&workspace.state_folder().join(REMINDED)).unwrap_or_default();
    let at = String::from_utf8_lossy(&bytes).trim().parse::<Timestamp>();
    at.is_ok_and(|at| at >= since)
}
