//! Events of a session that is off the record: nothing of them is kept, and what its client hears says so.

use quipu_core::hook::record::{self, Word};
use quipu_core::hook::{self, Event};

use super::state::{State, drop_hook_state, hook_state, leave_out, name, put_hook_state};
use super::{Call, conclude};
use crate::brief::{self, BriefRequest};
use crate::caller::Channel;
use crate::error::Error;
use crate::pause::{self, Pause};
use crate::workspace::Workspace;

/// Answers an event off the record; `None` where the session is on it. The answer is empty where nobody has to hear
/// anything.
pub(super) fn off_the_record(
    workspace: &Workspace,
    call: &Call<'_>,
) -> Result<Option<String>, Error> {
    let own = name(call);
    let said = (call.event == Event::Prompt)
        .then(|| call.payload.prompt.as_deref().and_then(record::word))
        .flatten();
    if call.event == Event::Prompt {
        // A turn ends where the next one begins.
        pause::end(workspace, call.now, |one| {
            one.session.as_deref() == Some(&own) && (one.turn || said == Some(Word::On))
        })?;
    }
    if let Some(word) = said.filter(|word| *word != Word::On) {
        let turn = word == Word::NotThis;
        let session = Some(own.clone());
        pause::begin(workspace, Pause { from: call.now, until: None, session, turn })?;
    }
    let mut state = hook_state(workspace, call);
    let mut names = vec![own.as_str()];
    names.extend(state.session.as_deref());
    let Some(paused) = pause::of(workspace, call.now, &names) else {
        if state.is_off {
            // What was said meanwhile stands in the conversation.
            leave_out(call, &mut state);
            state.is_off = false;
            put_hook_state(workspace, call, &state);
            if said == Some(Word::On) {
                return Ok(Some(hook::fenced_notice("quipu pause", "Back on the record.")));
            }
        }
        return Ok(None);
    };
    leave_out(call, &mut state);
    state.is_off = true;
    if call.event == Event::SessionEnd {
        end(workspace, call, state, &own)?;
        return Ok(Some(String::new()));
    }
    put_hook_state(workspace, call, &state);
    Ok(Some(match call.event {
        Event::SessionStart => format!("{}\n{}", briefing(workspace, call)?, notice(&paused)),
        Event::Prompt => notice(&paused),
        _ => String::new(),
    }))
}

/// Ends a session of which the end is off the record: what came before that is told.
fn end(workspace: &Workspace, call: &Call<'_>, state: State, own: &str) -> Result<(), Error> {
    pause::end(workspace, call.now, |one| one.session.as_deref() == Some(own))?;
    conclude(workspace, call, state)?;
    drop_hook_state(workspace, call);
    Ok(())
}

fn notice(paused: &Pause) -> String {
    let way_back = match (&paused.session, paused.turn) {
        (_, true) => "the next prompt is on the record again",
        (Some(_), false) => "the user ends it with \"back on the record\"",
        (None, false) => "the user ends it with `quipu resume`",
    };
    let text = format!(
        "Off the record: nothing of this is kept. Remember nothing of it with any tool either; {way_back}."
    );
    hook::fenced_notice("quipu pause", &text)
}

/// What is known may be told; that it was is not kept.
fn briefing(workspace: &Workspace, call: &Call<'_>) -> Result<String, Error> {
    let hooks = &workspace.config().hooks;
    if !hooks.session_start {
        return Ok(String::new());
    }
    let most = hooks.brief_chars.min(workspace.config().continuity.session_memory_cap);
    let request = BriefRequest {
        now: call.now,
        cap: Some(most),
        tokens: None,
        hint: None,
        channel: Channel::Main,
    };
    let briefing = brief::brief(workspace, &request)?;
    Ok(if briefing.text.trim().is_empty() { String::new() } else { briefing.marked() })
}
