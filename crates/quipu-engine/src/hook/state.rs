//! What hooks know of a client's session from one event to the next: a small state file in `hooks`.
//! Losing it costs a memory told twice, nothing more.

use std::collections::BTreeMap;

use quipu_core::hook::transcript;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::error::Error;
use crate::fs;
use crate::lock::Lock;
use crate::sessions;
use crate::workspace::Workspace;

/// So many sessions are known at once; of those that never end the oldest are forgotten.
const MOST_STATES: usize = 64;

/// So many memories are remembered as given; who was told more has forgotten the first.
const MOST_GIVEN: usize = 500;

/// So many files are named in one line.
const MOST_FILES: usize = 12;

/// What hooks know of a client's session.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// Quipu's session.
    pub(super) session: Option<String>,
    /// Ids of memories that were given with prompts.
    pub(super) given: Vec<String>,
    /// The briefing, in one line.
    pub(super) briefed: String,
    /// A number for the last turn that was recorded.
    pub(super) turn: Option<String>,
    /// How many calls of tools there were.
    pub(super) calls: u32,
    /// Files that were edited since the last line about them.
    touched: Vec<String>,
    /// What failed last, and has not succeeded since.
    failed: Option<String>,
    /// What failed and succeeded after.
    fixed: Vec<String>,
}

impl State {
    pub(super) fn give(&mut self, id: &str) {
        self.given.push(id.to_owned());
        let many = self.given.len().saturating_sub(MOST_GIVEN);
        self.given.drain(..many);
    }

    pub(super) fn touch(&mut self, path: String) {
        if !self.touched.contains(&path) {
            self.touched.push(path);
        }
    }

    /// Notes that something was tried.
    pub(super) fn tried(&mut self, what: &str, has_failed: bool) {
        if has_failed {
            self.failed = Some(what.to_owned());
        } else if self.failed.as_deref() == Some(what) {
            self.failed = None;
            self.fixed.push(what.to_owned());
        }
    }

    pub(super) fn has_something(&self) -> bool {
        !self.touched.is_empty() || !self.fixed.is_empty()
    }

    /// Returns what tools did in one line, and forgets it.
    pub(super) fn told(&mut self) -> Option<String> {
        if !self.has_something() {
            return None;
        }
        let mut parts = Vec::new();
        let (touched, mut fixed) =
            (std::mem::take(&mut self.touched), std::mem::take(&mut self.fixed));
        fixed.dedup();
        if !touched.is_empty() {
            let some: Vec<String> =
                touched.iter().take(MOST_FILES).map(|path| format!("`{path}`")).collect();
            let more = touched.len().saturating_sub(MOST_FILES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            parts.push(format!("edited {}{more}", some.join(", ")));
        }
        let fixed = fixed.iter().take(3).map(|what| format!("`{what}` failed, then succeeded"));
        parts.extend(fixed);
        Some(parts.join("; "))
    }
}

/// Returns the text of a state without the briefing, which may hold words that have to go.
pub(crate) fn without_briefing(text: &str) -> String {
    let state: State = serde_json::from_str(text).unwrap_or_default();
    let state = State { briefed: String::new(), ..state };
    serde_json::to_string(&state).unwrap_or_default()
}

/// Reads a state of version 0.1 strictly; returns it as it may be written again.
pub(crate) fn rewritten(bytes: &[u8]) -> Option<Vec<u8>> {
    let state: State = serde_json::from_slice(bytes).ok()?;
    serde_json::to_vec(&state).ok()
}

/// Returns a number for a text that is the same on every machine.
pub(super) fn fingerprint(text: &str) -> String {
    sha1_smol::Sha1::from(text).digest().to_string()[..16].to_owned()
}

/// Returns the end of the conversation, as far as it can be read.
pub(super) fn conversation(call: &Call<'_>) -> Option<String> {
    let path = call.payload.transcript.as_deref()?;
    let bytes = fs::end_of(std::path::Path::new(path), super::TAIL).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns what the user said in the end of the conversation, newest first.
pub(super) fn user_said(call: &Call<'_>) -> Vec<String> {
    let tail = conversation(call).unwrap_or_default();
    let said = transcript::said(&tail).into_iter().rev();
    said.filter(|said| said.role == transcript::Role::User).map(|said| said.text).collect()
}

fn hook_state_path(workspace: &Workspace, call: &Call<'_>) -> std::path::PathBuf {
    let session = call.payload.session.as_deref().unwrap_or_default();
    let name = format!("{}-{}.json", call.client.slug(), fingerprint(session));
    workspace.state("hooks").join(name)
}

/// Returns the open sessions that hooks began for an agent, by the name that its client gives itself.
///
/// # Errors
/// When the open sessions cannot be read.
pub fn hook_sessions(workspace: &Workspace, client: &str) -> Result<Vec<String>, Error> {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
    };
    let client = plain(client);
    let folder = workspace.state("hooks");
    let mut begun = Vec::new();
    for (name, _) in workspace.fs().list(&folder).unwrap_or_default() {
        let bytes = workspace.fs().read(&folder.join(name)).unwrap_or_default();
        let state: State = serde_json::from_slice(&bytes).unwrap_or_default();
        begun.extend(state.session);
    }
    // Clients add to their names: `codex-mcp-client`, `cursor-vscode`.
    let is_theirs = |agent: Option<&str>| {
        agent.map(plain).is_some_and(|agent| !agent.is_empty() && client.starts_with(&agent))
    };
    let open = sessions::open_sessions(workspace)?.into_iter();
    let open = open.filter(|open| begun.contains(&open.id) && is_theirs(open.agent.as_deref()));
    Ok(open.map(|open| open.id).collect())
}

pub(super) fn hook_state(workspace: &Workspace, call: &Call<'_>) -> State {
    let bytes = workspace.fs().read(&hook_state_path(workspace, call)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

pub(super) fn put_hook_state(workspace: &Workspace, call: &Call<'_>, state: &State) {
    let text = serde_json::to_string(state).unwrap_or_default();
    let path = hook_state_path(workspace, call);
    let write = || {
        workspace.prepare_state()?;
        let folder = workspace.state("hooks");
        let made = workspace.fs().create_folders(&folder);
        made.and_then(|()| workspace.fs().write(&path, text.as_bytes()))
            .map_err(|source| crate::workspace::reading(".quipu/hooks", source))
    };
    // See the head of this file.
    let _ = write();
}

pub(super) fn drop_hook_state(workspace: &Workspace, call: &Call<'_>) {
    // It may not be there.
    let _ = workspace.fs().remove_file(&hook_state_path(workspace, call));
}

/// Forgets the oldest sessions of clients that never said goodbye. One in which something happened
/// stays open: its log is owed.
pub(super) fn sweep_hook_states(workspace: &Workspace, _lock: &Lock) {
    let folder = workspace.state("hooks");
    let names = workspace.fs().list(&folder).unwrap_or_default();
    if names.len() < MOST_STATES {
        return;
    }
    let mut by_age: BTreeMap<(i128, String), State> = BTreeMap::new();
    for (name, _) in names {
        let path = folder.join(&name);
        let written = workspace.fs().stamp(&path).map_or(0, |stamp| stamp.written);
        let bytes = workspace.fs().read(&path).unwrap_or_default();
        by_age.insert((written, name), serde_json::from_slice(&bytes).unwrap_or_default());
    }
    let many = by_age.len() + 1 - MOST_STATES;
    for ((_, name), state) in by_age.into_iter().take(many) {
        if let Some(id) = &state.session
            && let Ok(Some(session)) = sessions::open_session(workspace, id)
            && session.is_quiet()
        {
            sessions::session_drop(workspace, id);
        }
        // It may be gone already.
        let _ = workspace.fs().remove_file(&folder.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_and_then_succeeded_is_told_once() {
        let mut state = State::default();
        state.tried("cargo test", true);
        assert_eq!(state.told(), None);
        state.tried("cargo build", false);
        state.tried("cargo test", false);
        state.touch("src/a.rs".to_owned());
        state.touch("src/a.rs".to_owned());
        let told = state.told().unwrap();
        assert_eq!(told, "edited `src/a.rs`; `cargo test` failed, then succeeded");
        assert_eq!(state.told(), None);
    }
}
