//! What hooks know of a client's session from one event to the next: a small state file in `hooks`.
//! Losing it costs a memory told twice, nothing more.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use quipu_core::hook::transcript;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::fs;
use crate::workspace::Workspace;

/// So many sessions are known at once; of those that never end the oldest are forgotten.
const MOST_STATES: usize = 64;

/// A session from which nothing was heard for so long has ended, whatever its client says.
const QUIET: SignedDuration = SignedDuration::from_hours(24);

/// So many memories are remembered as given; who was told more has forgotten the first.
const MOST_GIVEN: usize = 500;

/// So many bytes of prompts are kept.
const LONGEST_ASKED: usize = 16 * 1024;

/// So many files are named in one line.
const MOST_FILES: usize = 12;

/// What hooks know of a client's session.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// Quipu's session.
    pub(super) session: Option<String>,
    /// When the client was heard of last.
    pub(super) heard: Option<Timestamp>,
    /// Ids of memories that were given with prompts.
    pub(super) given: Vec<String>,
    /// Ids of facts that were given, with a briefing or a prompt.
    pub(super) facts: Vec<String>,
    /// The briefing, in one line.
    pub(super) briefed: String,
    /// The last prompts of the user, for clients that keep no file of the conversation.
    pub(super) asked: Vec<String>,
    /// Numbers for what the user stated and what was taken or left as known.
    pub(super) taken: Vec<String>,
    /// How far the file of the conversation was read for uses.
    pub(super) read: u64,
    /// What a summary of the session would say: the beginning of the last answer that says something.
    pub(super) summary: Option<String>,
    /// Whether the session was off the record when it was heard of last.
    pub(super) is_off: bool,
    /// What stands before this in the file of the conversation is not looked at: it was off the record.
    pub(super) off: u64,
    /// Whether the file of the conversation is not looked at any more: it is written anew at each turn, so nobody could
    /// tell what was off the record.
    pub(super) is_closed: bool,
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

    /// Remembers that a fact was given, if it is none that was.
    pub(super) fn give_fact(&mut self, id: &str) {
        if !self.facts.iter().any(|fact| fact == id) && self.facts.len() < MOST_GIVEN {
            self.facts.push(id.to_owned());
        }
    }

    /// Keeps what the user typed, as much of it as matters later.
    pub(super) fn ask(&mut self, prompt: &str) {
        let known = self.asked.iter().map(String::len).sum::<usize>();
        if known + prompt.len() > LONGEST_ASKED {
            self.asked.clear();
        }
        if prompt.len() <= LONGEST_ASKED {
            self.asked.push(prompt.to_owned());
        }
    }

    /// Tells whether a text is met for the first time, and remembers that it was.
    pub(super) fn is_new(&mut self, text: &str) -> bool {
        let number = fingerprint(text);
        let is_new = !self.taken.contains(&number);
        if is_new {
            self.taken.push(number);
            let many = self.taken.len().saturating_sub(MOST_GIVEN);
            self.taken.drain(..many);
        }
        is_new
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
    let (briefed, asked, summary) = (String::new(), Vec::new(), None);
    let state = State { briefed, asked, summary, ..state };
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

/// Returns the end of the conversation, as far as it can be read, and where in the file it begins.
pub(super) fn conversation(path: Option<&str>) -> Option<(u64, String)> {
    let path = std::path::Path::new(path?);
    let (start, bytes) = fs::end_of(path, super::TAIL).ok()?;
    Some((start, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns what of the end of the conversation is on the record, and where in the file it begins.
pub(super) fn on_record(call: &Call<'_>, state: &State) -> Option<(u64, String)> {
    let (start, tail) = conversation(call.payload.transcript.as_deref())?;
    if state.is_closed {
        return Some((start, String::new()));
    }
    let off = usize::try_from(state.off.saturating_sub(start)).unwrap_or(usize::MAX);
    let mut off = off.min(tail.len());
    while !tail.is_char_boundary(off) {
        off += 1;
    }
    Some((start + off as u64, tail[off..].to_owned()))
}

/// Tells whether a conversation is written anew at each turn; others get lines added.
pub(super) fn is_document(tail: &str) -> bool {
    tail.trim_start().starts_with('{') && tail.trim_end().lines().count() < 2
}

/// Leaves out of the record what the conversation holds by now.
pub(super) fn leave_out(call: &Call<'_>, state: &mut State) {
    state.asked.clear();
    let Some((start, tail)) = conversation(call.payload.transcript.as_deref()) else { return };
    state.off = start + tail.len() as u64;
    state.read = state.off;
    // One that goes over several lines begins with a brace alone.
    state.is_closed |=
        is_document(&tail) || tail.trim_start().lines().next().map(str::trim) == Some("{");
}

/// Returns what the user said in the end of the conversation, newest first.
pub(super) fn user_said(call: &Call<'_>, state: &State) -> Vec<String> {
    let Some((_, tail)) = on_record(call, state) else {
        return state.asked.iter().rev().cloned().collect();
    };
    let said = transcript::said(&tail).into_iter().rev();
    said.filter(|said| said.role == transcript::Role::User).map(|said| said.text).collect()
}

/// Returns the name under which the session of a client is known.
pub(super) fn name(call: &Call<'_>) -> String {
    // What a subagent does belongs to the session that started it.
    let session = call.payload.parent.as_deref().or(call.payload.session.as_deref());
    let session = session.unwrap_or_default();
    format!("{}-{}", call.client.slug(), fingerprint(session))
}

fn hook_state_path(workspace: &Workspace, call: &Call<'_>) -> std::path::PathBuf {
    workspace.state("hooks").join(format!("{}.json", name(call)))
}

pub(super) fn hook_state(workspace: &Workspace, call: &Call<'_>) -> State {
    let bytes = workspace.fs().read(&hook_state_path(workspace, call)).unwrap_or_default();
    let mut state: State = serde_json::from_slice(&bytes).unwrap_or_default();
    state.heard = Some(call.now);
    state
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

/// Returns what hooks know of sessions that were not heard of for [`QUIET`], and of the oldest where there are too
/// many, with their files. The caller's own is not among them.
pub(super) fn stale_states(workspace: &Workspace, call: &Call<'_>) -> Vec<(PathBuf, State)> {
    let own = hook_state_path(workspace, call);
    let folder = workspace.state("hooks");
    let names = workspace.fs().list(&folder).unwrap_or_default();
    let mut by_age: BTreeMap<(i128, String), State> = BTreeMap::new();
    for (name, _) in names {
        let path = folder.join(&name);
        let written = workspace.fs().stamp(&path).map_or(0, |stamp| stamp.written);
        let bytes = workspace.fs().read(&path).unwrap_or_default();
        by_age.insert((written, name), serde_json::from_slice(&bytes).unwrap_or_default());
    }
    let many = (by_age.len() + 1).saturating_sub(MOST_STATES);
    let is_quiet = |state: &State| state.heard.is_some_and(|heard| heard + QUIET < call.now);
    let stale = by_age.into_iter().enumerate();
    let stale = stale.filter(|(at, (_, state))| *at < many || is_quiet(state));
    let stale = stale.map(|(_, ((_, name), state))| (folder.join(name), state));
    stale.filter(|(path, _)| *path != own).collect()
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
