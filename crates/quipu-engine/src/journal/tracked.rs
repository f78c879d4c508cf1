//! Keeping what is private out of git: a journal that git tracks is not written to, unless its user said so.

use quipu_core::finding::{Finding, LintCode};
use quipu_core::journal;

use crate::error::Error;
use crate::git::TrackedFiles;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// Returns the private files that git tracks.
fn tracked_files(workspace: &Workspace) -> Vec<String> {
    let root = workspace.root();
    workspace.kept(|known: &mut TrackedFiles| known.current(root, journal::is_private).to_vec())
}

/// Refuses to write to a private file that git tracks. One that has records already goes on, with a notice.
pub(super) fn refuse_tracked(workspace: &Workspace, paths: &[&str]) -> Result<(), Error> {
    let tracked = tracked_files(workspace);
    for path in tracked.iter().filter(|tracked| paths.contains(&tracked.as_str())) {
        if workspace.config().journal.tracked {
            workspace
                .notice(format!("committed: git tracks `{path}`, and `journal.tracked` allows it"));
            continue;
        }
        let text = workspace.read_optional(path)?.unwrap_or_default();
        if journal::records(&text).next().is_none() {
            return Err(Refusal::TrackedJournal { path: path.clone() }.into());
        }
        workspace.notice(format!(
            "git tracks `{path}`, so this is committed with the repository; `git rm --cached {path}` keeps it private"
        ));
    }
    Ok(())
}

/// Returns the private files that git tracks, as lint reports them.
pub(crate) fn tracked_findings(workspace: &Workspace) -> Vec<Finding> {
    if workspace.config().journal.tracked {
        return Vec::new();
    }
    let finding = |path: String| Finding {
        severity: LintCode::TrackedJournal.severity(),
        code: LintCode::TrackedJournal,
        message: format!("git tracks `{path}`, which is private to one person"),
        hint: format!(
            "`git rm --cached {path}` keeps the file and takes it out of git; `journal.tracked = true` in your own settings allows it"
        ),
        subject: path.clone(),
        path,
        line: None,
    };
    tracked_files(workspace).into_iter().map(finding).collect()
}
