//! Keeping what a user stated for good, before the agent forgets it.

use quipu_core::hook::statement::{self, Statement};
use quipu_core::item::{Sensitivity, Source, Status};
use quipu_core::secret::{self, Scope};
use quipu_core::text;

use super::Call;
use super::state::{self, State};
use crate::error::Error;
use crate::recall::{self, Answer, Question};
use crate::remember::{self, NewMemory};
use crate::workspace::Workspace;

/// What is as near as this to something known says the same.
const SAME: f32 = 0.9;

/// Remembers what the user stated, newest first, unless it is known.
pub(super) fn take_statements(
    workspace: &Workspace,
    call: &Call<'_>,
    state: &mut State,
) -> Result<(), Error> {
    let most = workspace.config().hooks.extract_most;
    let mut taken: Vec<String> = Vec::new();
    let said = state::user_said(call, state);
    // Of one message the first statement comes first.
    let stated = said.iter().flat_map(|message| statement::statements(message));
    for statement in stated {
        if taken.len() == most {
            break;
        }
        let words = secret::redacted(&statement.text, Scope::Credentials);
        // What the user has put away since is not taken again.
        if !state.is_new(&words) || is_known(workspace, &words, call)? {
            continue;
        }
        take(workspace, &statement, &words, call, state)?;
        taken.push(words);
    }
    Ok(())
}

fn take(
    workspace: &Workspace,
    statement: &Statement,
    words: &str,
    call: &Call<'_>,
    state: &State,
) -> Result<(), Error> {
    let new = NewMemory {
        text: words.to_owned(),
        category: statement.category.to_owned(),
        source: Some(Source::Interaction),
        sensitivity: Some(Sensitivity::Private),
        channel: Some(call.client.slug().to_owned()),
        confidence: Some(0.8),
        ..NewMemory::default()
    };
    let request = call.request(state.session.as_deref());
    remember::remember_one(workspace.project_scope(), &new, &request)?;
    Ok(())
}

/// Tells whether something that is remembered says the same.
fn is_known(workspace: &Workspace, words: &str, call: &Call<'_>) -> Result<bool, Error> {
    let question = Question { query: words.to_owned(), count: Some(3), ..Question::default() };
    let recalled = recall::recall_once(workspace.project_scope(), &question, call.now)?;
    let plain = text::collapse_whitespace(words).to_lowercase();
    // To say again what was overtaken is news.
    let holds = |answer: &&Answer| answer.status == Status::Active;
    Ok(recalled.results.iter().filter(holds).any(|answer| {
        answer.why.cosine >= SAME || text::collapse_whitespace(&answer.text).to_lowercase() == plain
    }))
}
