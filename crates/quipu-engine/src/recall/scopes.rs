//! One answer from a project's memory and the user's own.

use jiff::Timestamp;
use quipu_core::item::{Kind, Scope};

use super::{Confidence, Question, Recalled, note_answer, recall};
use crate::caller::Channel;
use crate::error::Error;
use crate::workspace::Workspace;

/// Returns who sees something in a project.
pub(crate) fn scope_of(kind: Kind) -> Scope {
    match kind {
        Kind::Record => Scope::Project,
        Kind::Fact
        | Kind::Thread
        | Kind::Archived
        | Kind::Session
        | Kind::Document
        | Kind::Code => Scope::Team,
    }
}

/// Asks a project's memory, with the journal that all its worktrees share, and, unless a scope is named, the
/// user's own beside it.
///
/// # Errors
/// When the project's memory cannot be asked. That the user's cannot is a reason in `degraded`.
pub fn recall_scopes(
    workspace: &Workspace,
    question: &Question,
    scope: Option<Scope>,
    now: Timestamp,
) -> Result<Recalled, Error> {
    let mut recalled = recall(workspace, question, now)?;
    if workspace.is_user_scope() {
        recalled.results.iter_mut().for_each(|answer| answer.scope = Scope::User);
        return Ok(recalled);
    }
    if scope != Some(Scope::Team) {
        ask_main_checkout(workspace, question, now, &mut recalled);
    }
    if let Some(scope) = scope {
        recalled.results.retain(|answer| answer.scope == scope);
        return Ok(recalled);
    }
    // What is the user's own is for the main channel, as the journal is.
    if question.channel != Channel::Main {
        return Ok(recalled);
    }
    let own = match workspace.user_scope() {
        Ok(Some(user)) => recall(user, question, now).map(|mut own| {
            own.results.iter_mut().for_each(|answer| answer.scope = Scope::User);
            own
        }),
        Ok(None) => return Ok(recalled),
        Err(error) => Err(error),
    };
    match own {
        Ok(own) => unite(&mut recalled, own, question.count),
        Err(error) => {
            recalled.degraded.push(format!("your own memory could not be asked: {error}"));
        }
    }
    Ok(recalled)
}

/// Adds what is in the journal of the main checkout, where this is another worktree of it.
fn ask_main_checkout(
    workspace: &Workspace,
    question: &Question,
    now: Timestamp,
    recalled: &mut Recalled,
) {
    let asks_records = question.kinds.is_empty() || question.kinds.contains(&Kind::Record);
    let Some(main) = workspace.main_checkout().filter(|_| asks_records) else { return };
    let records = Question { kinds: vec![Kind::Record], ..question.clone() };
    match recall(main, &records, now) {
        Ok(shared) => unite(recalled, shared, question.count),
        Err(error) => {
            let why = format!("the journal of the main checkout could not be asked: {error}");
            recalled.degraded.push(why);
        }
    }
}

/// Adds the user's own answers. What is surer goes first, and among equals the better match; nothing that is
/// not an answer joins one that is.
fn unite(recalled: &mut Recalled, own: Recalled, count: Option<usize>) {
    if own.results.is_empty() || rank(own.confidence) < rank(recalled.confidence).min(1) {
        return;
    }
    if rank(recalled.confidence) < rank(own.confidence).min(1) {
        recalled.results.clear();
        recalled.hint = None;
    }
    let is_surer = rank(own.confidence) > rank(recalled.confidence);
    let is_equal = own.confidence == recalled.confidence;
    recalled.left_out += own.left_out;
    recalled.advice = None;
    let all = if is_surer {
        recalled.confidence = own.confidence;
        own.results.into_iter().chain(std::mem::take(&mut recalled.results)).collect()
    } else {
        recalled.results.extend(own.results);
        std::mem::take(&mut recalled.results)
    };
    recalled.results = all;
    if is_equal {
        recalled.results.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    if let Some(count) = count {
        recalled.results.truncate(count);
    }
}

fn rank(confidence: Confidence) -> u8 {
    match confidence {
        Confidence::None => 0,
        Confidence::Likely => 1,
        Confidence::Sure => 2,
    }
}

/// Notes that a sure answer was given, in the memory that it is from.
pub fn note_answer_of_scopes(workspace: &Workspace, recalled: &Recalled, now: Timestamp) {
    let from = match recalled.results.first().map(|first| first.scope) {
        Some(Scope::User) if !workspace.is_user_scope() => workspace.user_scope().ok().flatten(),
        Some(Scope::Project) => {
            // A worktree may have a journal of its own beside the shared one.
            note_answer(workspace, recalled, now);
            workspace.main_checkout()
        }
        Some(Scope::Team | Scope::User) | None => Some(workspace),
    };
    if let Some(from) = from {
        note_answer(from, recalled, now);
    }
}
