//! What happens at the events of an agent: a briefing, memories that fit a prompt, the facts that it used and what
//! its user asked to remember, a checkpoint, the end of a session. Small, quick, and never worth a failed turn: what goes
//! wrong is a line in `hook.log` in the state folder.

mod log;
mod off;
mod prompt;
mod state;
mod take;
mod uses;

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::hook::{Beginning, Client, Event, Payload, summary, transcript};
use quipu_core::item::{Sensitivity, Source};
use quipu_core::memory::CONTINUITY;
use quipu_core::secret::{self, Scope};
use quipu_core::session::{Note, NoteKind};
use quipu_core::text;

use self::prompt::fitting;
use self::state::State;
use self::state::drop_hook_state;
use self::state::hook_state;
use self::state::put_hook_state;
use self::state::stale_states;
use self::take::take_statements;
use self::uses::note_uses;
use crate::brief::{self, BriefRequest};
use crate::caller::{Caller, Channel};
use crate::error::Error;
use crate::operation::Request;
use crate::remember::{self, NewMemory};
use crate::sessions::{self, EndRequest};
use crate::settle;
use crate::workspace::Workspace;

pub use self::log::log;
pub(crate) use self::state::{rewritten, without_briefing};

/// How long a hook usually waits for others, be it for the lock or for git.
pub const PATIENCE: Duration = Duration::from_secs(1);

/// So much of a conversation's end is read.
const TAIL: u64 = 1024 * 1024;

/// An event of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Whose.
    pub client: Client,
    /// What happened.
    pub event: Event,
    /// What the client tells about it.
    pub payload: &'a Payload,
    /// The time.
    pub now: Timestamp,
    /// The day.
    pub today: Date,
    /// How long it may wait for others: for the lock, or for git.
    pub patience: Duration,
}

impl Call<'_> {
    fn request<'a>(&self, session: Option<&'a str>) -> Request<'a> {
        let operation = self.event.as_str();
        let caller = Caller::agent(self.client.slug());
        Request { operation, now: self.now, today: self.today, session, dry_run: false, caller }
    }
}

/// Does what belongs to an event; returns what to put before the model, where there is something.
///
/// # Errors
/// When the workspace cannot be used, or others keep its lock.
pub fn hook(workspace: &Workspace, call: &Call<'_>) -> Result<Option<String>, Error> {
    workspace.hurry(call.patience);
    if let Some(told) = off::off_the_record(workspace, call)? {
        return Ok(
            Some(secret::redacted(&told, Scope::Credentials)).filter(|told| !told.is_empty())
        );
    }
    let hooks = &workspace.config().hooks;
    let context = match call.event {
        Event::SessionStart if hooks.session_start => begin(workspace, call)?,
        Event::Prompt if hooks.prompt => fitting(workspace, call)?,
        Event::AfterTool if hooks.after_tool => after_tool(workspace, call).map(|()| None)?,
        Event::PreCompact if hooks.pre_compact => {
            before_compaction(workspace, call).map(|()| None)?
        }
        Event::Stop if hooks.stop => after_turn(workspace, call).map(|()| None)?,
        Event::SubagentStop if hooks.stop => after_subagent(workspace, call).map(|()| None)?,
        Event::SessionEnd if hooks.session_end => end(workspace, call).map(|()| None)?,
        _ => None,
    };
    // Whatever it is that stands in a file: what looks like a credential stays here.
    Ok(context.map(|context| secret::redacted(&context, Scope::Credentials)))
}

/// Opens the session, or goes on with it, and tells what is remembered.
fn begin(workspace: &Workspace, call: &Call<'_>) -> Result<Option<String>, Error> {
    let mut state = hook_state(workspace, call);
    for (path, stale) in stale_states(workspace, call) {
        conclude(workspace, call, stale)?;
        // It may be gone already.
        let _ = workspace.fs().remove_file(&path);
    }
    if workspace.fs().stat(&workspace.root().join(CONTINUITY)).is_ok() {
        open_for(workspace, call, &mut state)?;
    }
    let hooks = &workspace.config().hooks;
    let most = match call.payload.beginning {
        Beginning::Resumed => hooks.resume_chars,
        Beginning::Fresh | Beginning::Compacted => hooks.brief_chars,
    };
    let briefing = brief::brief(
        workspace,
        &BriefRequest {
            now: call.now,
            cap: Some(most.min(workspace.config().continuity.session_memory_cap)),
            tokens: None,
            hint: call.payload.prompt.clone(),
            channel: Channel::Main,
        },
    )?;
    // Who starts anew or has just forgotten may be told everything again.
    if call.payload.beginning != Beginning::Resumed {
        state.given.clear();
    }
    state.briefed = text::collapse_whitespace(&briefing.text);
    let listed = briefing.sections.iter().flat_map(|section| &section.ids);
    listed.for_each(|id| state.give_fact(id));
    put_hook_state(workspace, call, &state);
    if briefing.text.trim().is_empty() && briefing.left_out.is_empty() {
        return Ok(None);
    }
    Ok(Some(briefing.marked()))
}

fn open_for(workspace: &Workspace, call: &Call<'_>, state: &mut State) -> Result<(), Error> {
    if let Some(id) = &state.session
        && sessions::open_session(workspace, id)?.is_some()
    {
        return Ok(());
    }
    let lock = workspace.lock_for_writing()?;
    state.session =
        Some(sessions::session_open(workspace, &lock, call.client.agent(), call.now)?.id);
    Ok(())
}

/// Notes what tools did, at most a line in so many calls.
fn after_tool(workspace: &Workspace, call: &Call<'_>) -> Result<(), Error> {
    let mut state = hook_state(workspace, call);
    let payload = call.payload;
    state.calls = state.calls.saturating_add(1);
    if let Some(path) = payload.edited.as_deref().and_then(|path| inside(workspace, path)) {
        state.touch(path);
    }
    let what = payload.ran.as_deref().or(payload.tool.as_deref());
    // Before it is cut: half a token looks like none.
    let what = what.map(|what| text::headline(&secret::redacted(what, Scope::Credentials)));
    if let Some(what) = what.filter(|what| !what.is_empty()) {
        state.tried(&what, payload.has_failed);
    }
    let every = workspace.config().hooks.after_tool_every.max(1);
    if state.calls.is_multiple_of(every) && state.has_something() {
        note_tools(workspace, &mut state)?;
    }
    if payload.transcript.is_none() {
        note_uses(workspace, call, &mut state)?;
    }
    put_hook_state(workspace, call, &state);
    Ok(())
}

/// Adds what tools did to the open session.
fn note_tools(workspace: &Workspace, state: &mut State) -> Result<(), Error> {
    let Some(id) = state.session.clone() else { return Ok(()) };
    let _lock = workspace.lock_for_writing()?;
    let Some(mut session) = sessions::open_session(workspace, &id)? else { return Ok(()) };
    session.notes.extend(state.told().map(did));
    sessions::session_put(workspace, &session)
}

/// Returns a path from the workspace's root, where it leads into it.
fn inside(workspace: &Workspace, path: &str) -> Option<String> {
    let path = PathBuf::from(path);
    let full = if path.is_absolute() { path } else { workspace.root().join(path) };
    let real = full.canonicalize().ok()?;
    let inside = real.strip_prefix(workspace.root().canonicalize().ok()?).ok()?;
    Some(inside.to_string_lossy().replace('\\', "/"))
}

/// Writes the checkpoint, and keeps what the agent is about to forget.
fn before_compaction(workspace: &Workspace, call: &Call<'_>) -> Result<(), Error> {
    let mut state = hook_state(workspace, call);
    remember::flush_journal(workspace, &call.request(state.session.as_deref()))?;
    look(workspace, call, &mut state)?;
    put_hook_state(workspace, call, &state);
    Ok(())
}

/// Looks at a turn: what was used in it, and what the user asked to remember. A turn by itself is not a memory.
fn after_turn(workspace: &Workspace, call: &Call<'_>) -> Result<(), Error> {
    let mut state = hook_state(workspace, call);
    look(workspace, call, &mut state)?;
    put_hook_state(workspace, call, &state);
    Ok(())
}

/// Looks at what a subagent did; nobody typed anything in it.
fn after_subagent(workspace: &Workspace, call: &Call<'_>) -> Result<(), Error> {
    let mut state = hook_state(workspace, call);
    note_uses(workspace, call, &mut state)?;
    put_hook_state(workspace, call, &state);
    Ok(())
}

/// Notes the uses, takes the statements, and keeps what a summary would say.
fn look(workspace: &Workspace, call: &Call<'_>, state: &mut State) -> Result<(), Error> {
    note_uses(workspace, call, state)?;
    take_statements(workspace, call, state)?;
    let said = call.payload.message.clone().or_else(|| {
        let (_, tail) = state::on_record(call, state)?;
        transcript::last_answer(&tail)
    });
    let said = said.map(|said| text::collapse_whitespace(&said));
    if let Some(said) = said.filter(|said| summary::says_something(said)) {
        let safe = secret::redacted(&said, Scope::Credentials);
        state.summary = Some(text::ellipsis(&safe, workspace.config().hooks.turn_chars));
    }
    Ok(())
}

/// Ends the session, with a log if team memory was touched.
fn end(workspace: &Workspace, call: &Call<'_>) -> Result<(), Error> {
    let mut state = hook_state(workspace, call);
    look(workspace, call, &mut state)?;
    conclude(workspace, call, state)?;
    drop_hook_state(workspace, call);
    Ok(())
}

/// Writes what a session leaves: a summary, if it has one, and the log, if team memory was touched.
fn conclude(workspace: &Workspace, call: &Call<'_>, mut state: State) -> Result<(), Error> {
    if let Some(summary) = state.summary.take() {
        let new = NewMemory {
            text: summary,
            category: "turn-summary".to_owned(),
            source: Some(Source::Ai),
            sensitivity: Some(Sensitivity::Operational),
            channel: Some(call.client.slug().to_owned()),
            confidence: Some(0.8),
            ..NewMemory::default()
        };
        let request = call.request(state.session.as_deref());
        remember::remember(workspace.project_scope(), &[new], &request)?;
    }
    // What happens to private memories must not fail the end of a session.
    if let Some(id) = &state.session {
        let _ = settle::settle_working(workspace.project_scope(), id, &call.request(Some(id)));
    }
    let id = match state.session.take() {
        Some(id) if sessions::open_session(workspace, &id)?.is_some() => id,
        _ => return Ok(()),
    };
    let notes = state.told().map(did);
    let mut request = EndRequest {
        session: Some(id.clone()),
        notes: notes.into_iter().collect(),
        dry_run: true,
        ..EndRequest::default()
    };
    let (planned, _) = sessions::session_end(workspace, &request, call.now, call.today)?;
    if planned.stem.is_some() {
        request.dry_run = false;
        sessions::session_end(workspace, &request, call.now, call.today)?;
    } else {
        let _lock = workspace.lock_for_writing()?;
        sessions::session_drop(workspace, &id);
    }
    Ok(())
}

/// Returns a note of what tools did. Nobody is there to hear a refusal, so a secret is left out.
fn did(text: impl AsRef<str>) -> Note {
    Note { kind: NoteKind::Did, text: secret::redacted(text.as_ref(), Scope::Credentials) }
}
