//! Memories that fit a prompt: few, sure, and none twice.

use std::fmt::Write as _;

use quipu_core::excerpt;
use quipu_core::fact::{Tier, TierLabel};
use quipu_core::hook;
use quipu_core::hook::evidence::{self, Given};
use quipu_core::hook::relevance::{self, Evidence};
use quipu_core::item::{self, Kind, Status};
use quipu_core::secret::{self, Scope};
use quipu_core::{journal, text};

use super::Call;
use super::state::hook_state;
use super::state::put_hook_state;
use crate::error::Error;
use crate::recall::{self, Answer, Question};
use crate::workspace::Workspace;

/// More of a prompt is a document, and its beginning tells what it is about.
const LONGEST_PROMPT: usize = 2000;

/// A longer memory is cut; its id leads to the rest.
const LONGEST_MEMORY: usize = 600;

/// What has so much of its beginning in the briefing was told there.
const TELLING_BEGINNING: usize = 60;

/// Returns the memories that have to do with a prompt, where there are any.
pub(super) fn fitting(workspace: &Workspace, call: &Call<'_>) -> Result<Option<String>, Error> {
    let hooks = &workspace.config().hooks;
    let prompt = call.payload.prompt.as_deref().unwrap_or_default();
    if call.payload.transcript.is_none() && !prompt.trim().is_empty() {
        // Nothing else will tell what the user typed.
        let mut state = hook_state(workspace, call);
        state.ask(&secret::redacted(prompt, Scope::Credentials));
        put_hook_state(workspace, call, &state);
    }
    if !relevance::asks_for_something(prompt) || hooks.prompt_count == 0 {
        return Ok(None);
    }
    let question = Question {
        query: prompt.chars().take(LONGEST_PROMPT).collect(),
        // Some were given already, some were said in this very session.
        count: Some(hooks.prompt_count.saturating_mul(2).saturating_add(4)),
        kinds: Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Code).collect(),
        ..Question::default()
    };
    let mut recalled = recall::recall_once(workspace, &question, call.now)?;
    for other in workspace.all_scopes().skip(1) {
        let records = Question { kinds: vec![Kind::Record], ..question.clone() };
        // What cannot be asked now is no reason to tell nothing.
        let Ok(mut more) = recall::recall_once(other, &records, call.now) else { continue };
        if other.is_user_scope() {
            more.results.iter_mut().for_each(|answer| answer.scope = item::Scope::User);
        }
        recalled.results.extend(more.results);
    }
    let sure = |answer: &&Answer| {
        confidence(answer) >= hooks.prompt_threshold || is_standing_and_named(answer, prompt)
    };
    let mut candidates = recalled.results.iter().filter(sure).peekable();
    if candidates.peek().is_none() {
        return Ok(None);
    }
    let mut state = hook_state(workspace, call);
    let mut told = String::new();
    let mut count = 0;
    for answer in candidates {
        let is_own = state.session.is_some() && answer.source.session == state.session;
        let is_told = state.given.contains(&answer.id) || is_in(&state.briefed, &answer.text);
        let is_mark = answer.category == journal::COMPACTION && answer.kind == Kind::Record;
        if is_own || is_told || is_mark || answer.status != Status::Active {
            continue;
        }
        let line = line(answer, prompt);
        if told.chars().count() + line.chars().count() > hooks.prompt_chars {
            continue;
        }
        told.push_str(&line);
        state.give(&answer.id);
        if matches!(answer.kind, Kind::Fact | Kind::Thread) {
            state.give_fact(&answer.id);
        }
        count += 1;
        if count == hooks.prompt_count {
            break;
        }
    }
    if told.is_empty() {
        return Ok(None);
    }
    put_hook_state(workspace, call, &state);
    if let Some(left_out) = recalled.unindexed {
        let _ = writeln!(told, "\n[left out: {}]", left_out.words());
    }
    Ok(Some(hook::fenced_with_ids("quipu recall", &told)))
}

/// Tells whether a prompt names what an invariant, a core fact or a standing instruction is about. These hold
/// whatever the prompt asks.
fn is_standing_and_named(answer: &Answer, prompt: &str) -> bool {
    let is_fact = answer.kind == Kind::Fact;
    let is_core = answer.tier.as_ref().and_then(TierLabel::tier) == Some(Tier::Core);
    let is_invariant = answer.category.to_lowercase().contains("invariant");
    let is_wish = answer.kind == Kind::Record && answer.category == "user-preference";
    let fact = Given { id: answer.id.clone(), text: answer.text.clone() };
    (is_wish || (is_fact && (is_core || is_invariant))) && evidence::is_named(&fact, prompt)
}

fn confidence(answer: &Answer) -> f32 {
    let why = &answer.why;
    let evidence =
        Evidence { cosine: why.cosine, coverage: why.coverage, rare_words: why.rare_words };
    evidence.confidence()
}

/// Tells whether a briefing has told a memory.
fn is_in(briefed: &str, memory: &str) -> bool {
    let beginning: String =
        text::collapse_whitespace(memory).chars().take(TELLING_BEGINNING).collect();
    !beginning.is_empty() && briefed.contains(&beginning)
}

/// Returns a memory in a line: id, what it is, its day and scope, and the words that have to do with the prompt.
fn line(answer: &Answer, prompt: &str) -> String {
    let is_record = answer.kind == Kind::Record && !answer.category.is_empty();
    let kind = if is_record { answer.category.clone() } else { answer.kind.to_string() };
    let mut about = vec![kind];
    if answer.time != jiff::Timestamp::UNIX_EPOCH {
        about.push(answer.time.strftime("%Y-%m-%d").to_string());
    }
    about.push(answer.scope.to_string());
    if answer.negative {
        about.push("says that it is not so".to_owned());
    }
    excerpt::line(&answer.id, &about, &answer.text, prompt, LONGEST_MEMORY).0
}
