//! How it is known that facts were used: a line per use, beside the sessions, for `quipu why`.

use quipu_core::hook::evidence::Use;
use quipu_core::memory::Changes;
use serde::{Deserialize, Serialize};

use super::open_sessions;
use crate::error::Error;
use crate::workspace::Workspace;

const KEPT: &str = ".quipu/uses.jsonl";

/// So many uses are explained; of older ones the log alone tells.
const MOST: usize = 2000;

/// A use in a log.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// The log's name.
    log: String,
    #[serde(flatten)]
    what: Use,
}

/// Returns the change that keeps how the uses of a log are known.
pub(super) fn kept(workspace: &Workspace, log: &str, uses: &[Use]) -> Changes {
    if uses.is_empty() {
        return Changes::new();
    }
    let mut lines = read(workspace);
    lines.extend(uses.iter().map(|what| Line { log: log.to_owned(), what: what.clone() }));
    let text: String = lines[lines.len().saturating_sub(MOST)..]
        .iter()
        .filter_map(|line| serde_json::to_string(line).ok())
        .map(|line| line + "\n")
        .collect();
    Changes::from([(KEPT.to_owned(), Some(text))])
}

fn read(workspace: &Workspace) -> Vec<Line> {
    let bytes = workspace.fs().read(&workspace.locate(KEPT)).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns how it is known that a fact was used: the log, or the open session, and what was seen.
///
/// # Errors
/// When the open sessions cannot be read.
pub fn evidence_of(workspace: &Workspace, id: &str) -> Result<Vec<(String, String)>, Error> {
    let ended = read(workspace).into_iter().filter(|line| line.what.id == id);
    let mut found: Vec<(String, String)> =
        ended.map(|line| (line.log, line.what.evidence.in_words())).collect();
    for session in open_sessions(workspace)? {
        let seen = session.uses.into_iter().filter(|one| one.id == id);
        found.extend(seen.map(|one| (session.id.clone(), one.evidence.in_words())));
    }
    Ok(found)
}
