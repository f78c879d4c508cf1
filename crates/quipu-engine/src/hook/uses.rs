//! Which facts an agent used, seen in what it wrote since the last look.

use std::collections::BTreeSet;

use quipu_core::hook::evidence::{self, Given, Use};
use quipu_core::hook::transcript::{self, Role, Said};
use quipu_core::memory::{CONTINUITY, Memory};
use quipu_core::session::Event;

use super::Call;
use super::state::{State, conversation, is_document, on_record};
use crate::error::Error;
use crate::sessions;
use crate::workspace::Workspace;

/// Notes the uses since the last look in the session. Where there is none, one is opened for the first use.
pub(super) fn note_uses(
    workspace: &Workspace,
    call: &Call<'_>,
    state: &mut State,
) -> Result<(), Error> {
    if workspace.fs().stat(&workspace.root().join(CONTINUITY)).is_err() {
        return Ok(());
    }
    let said = said(call, state);
    if !said.iter().any(|one| matches!(one.role, Role::Agent | Role::Edit | Role::Command)) {
        return Ok(());
    }
    let snapshot = workspace.read()?;
    // A memory that cannot be read is lint's business.
    let Ok(memory) = snapshot.parse() else { return Ok(()) };
    let given = given(workspace, &memory, &said, state);
    let seen = evidence::uses(&given, &said, |id| memory.knows(id));
    if seen.is_empty() {
        return Ok(());
    }
    super::open_for(workspace, call, state)?;
    let Some(id) = &state.session else { return Ok(()) };
    let _lock = workspace.lock_for_writing()?;
    let Some(mut session) = sessions::open_session(workspace, id)? else { return Ok(()) };
    let known: BTreeSet<String> = session.uses.iter().map(|one| one.id.clone()).collect();
    let new: Vec<Use> = seen.into_iter().filter(|one| !known.contains(&one.id)).collect();
    if new.is_empty() {
        return Ok(());
    }
    session.events.0.extend(new.iter().map(|one| Event::Referenced { id: one.id.clone() }));
    session.uses.extend(new);
    sessions::session_put(workspace, &session)
}

/// Returns what was said and done since the last look; what came before is known, and shows nothing.
fn said(call: &Call<'_>, state: &mut State) -> Vec<Said> {
    let payload = call.payload;
    let mut said: Vec<Said> = Vec::new();
    let is_own = payload.subagent_transcript.is_none();
    let heard = match payload.subagent_transcript.as_deref() {
        Some(file) => conversation(Some(file)),
        None => on_record(call, state),
    };
    if let Some((start, tail)) = heard {
        let end = start + u64::try_from(tail.len()).unwrap_or(u64::MAX);
        let seen = if is_own && !is_document(&tail) { state.read.saturating_sub(start) } else { 0 };
        let mut seen = usize::try_from(seen).unwrap_or(usize::MAX).min(tail.len());
        while !tail.is_char_boundary(seen) {
            seen -= 1;
        }
        said.extend(transcript::turns(&tail[..seen]).into_iter().map(|one| match one.role {
            Role::User => one,
            _ => Said { role: Role::Tool, ..one },
        }));
        said.extend(transcript::turns(&tail[seen..]));
        if is_own {
            state.read = end;
        }
    } else {
        said.extend(state.asked.iter().map(|text| Said { role: Role::User, text: text.clone() }));
        said.extend(payload.done.iter().cloned());
    }
    // The client may not have written the last words into its file yet.
    if let Some(message) = &payload.message
        && !said.iter().any(|one| one.role == Role::Agent && one.text.trim() == message.trim())
    {
        said.push(Said { role: Role::Agent, text: message.clone() });
    }
    // What the agent writes into the memory is no evidence that it relies on it.
    said.retain(|one| !one.path().is_some_and(is_memory));
    said
}

fn is_memory(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let name = path.rsplit('/').next().unwrap_or_default();
    let names = ["MEMORY.md", "LONGMEMORY.md", "USER.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"];
    names.contains(&name) || path.starts_with("memory/") || path.contains("/memory/")
}

/// Returns the facts that the session was given: by a briefing, with a prompt, by recall.
fn given(workspace: &Workspace, memory: &Memory<'_>, said: &[Said], state: &State) -> Vec<Given> {
    let mut ids: BTreeSet<String> = state.facts.iter().cloned().collect();
    if let Some(session) = &state.session {
        ids.extend(sessions::given_ids(workspace, session));
    }
    // Recall answers a client's tools with ids between quotes.
    let returned = said.iter().filter(|one| one.role == Role::Tool);
    let returned: Vec<&str> =
        returned.map(|one| &*one.text).filter(|text| evidence::is_recalled(text)).collect();
    let facts = memory.continuity.distinct_facts().into_iter().filter(|fact| {
        ids.contains(fact.id()) || returned.iter().any(|text| text.contains(fact.id()))
    });
    facts
        .map(|fact| Given { id: fact.id().to_owned(), text: memory.continuity.words(fact) })
        .collect()
}
