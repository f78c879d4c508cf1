//! The question queue: what needs judgement, with its evidence; answering is an event.

mod judge;
mod shared;

use std::collections::BTreeSet;

use jiff::Timestamp;
use quipu_core::item::{Decision, Item, Source, Status};
use quipu_core::journal::Record;
use quipu_core::memory::Snapshot;
use quipu_core::question::{self, Asked, Choice, Effect, Question, QuestionKind};
use quipu_core::review;
use quipu_core::secret::{self, Scope};
use serde::Serialize;

pub use self::judge::judge;
use crate::decide;
use crate::error::Error;
use crate::facts;
use crate::ids::new_id;
use crate::index;
use crate::operation::Request;
use crate::records::{decision_record, to_milliseconds};
use crate::refusal::Refusal;
use crate::secret_policy::guarded_words;
use crate::sessions;
use crate::workspace::Workspace;

pub use self::judge::{Judge, ModelJudge};

/// The category of what an answer adds.
pub(crate) const BRIDGE: &str = "bridge";

/// A judge that fails so often in a row is not asked again.
const PATIENCE: usize = 3;

/// A question that waits, as a judge sees it.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct OpenQuestion {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub kind: QuestionKind,
    /// The question in words.
    pub asks: String,
    /// Why it is asked.
    pub reason: String,
    /// What it is about, as it is now.
    pub subjects: Vec<Subject>,
    /// The possible answers, and what each would do.
    pub choices: Vec<Choice>,
    /// When it was asked.
    pub at: Timestamp,
    #[serde(skip)]
    question: Question,
    /// Whether the ledger has it; else the files ask.
    #[serde(skip)]
    is_filed: bool,
    /// Whether it is about nothing but what the team shares.
    #[serde(skip)]
    is_shared: bool,
}

/// A memory that a question is about.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Subject {
    /// Its id, or the name of an entity.
    pub id: String,
    /// Its words.
    pub text: String,
    /// When it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// Whether it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The file that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What an answer did.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct AnswerGiven {
    /// The question.
    pub id: String,
    /// The choice.
    pub choice: String,
    /// What it did.
    pub does: String,
    /// Who answered.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The memories that changed.
    pub changed: Vec<String>,
}

/// What became of the questions that a judge was asked.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Judged {
    /// The answers.
    pub answers: Vec<AnswerGiven>,
    /// Questions that it could not answer, and why; they wait.
    pub failed: Vec<(String, String)>,
}

/// Returns the questions that wait for an answer, those that were asked first first.
///
/// # Errors
/// When the index cannot be used.
pub fn questions(workspace: &Workspace, now: Timestamp) -> Result<Vec<OpenQuestion>, Error> {
    index::freshen(workspace)?;
    let events = index::store(workspace)?.filed_under(question::FILED)?;
    let queue = question::queue(&events);
    let answered: BTreeSet<&str> =
        queue.iter().filter(|one| one.answer.is_some()).map(|one| one.id.as_str()).collect();
    let mut open = Vec::new();
    for asked in queue.iter().filter(|one| one.answer.is_none()) {
        let question = asked.question.clone();
        let opened = opened_question(workspace, question, asked.at, true)?;
        open.extend(opened.map(|opened| OpenQuestion { id: asked.id.clone(), ..opened }));
    }
    let snapshot = workspace.read().unwrap_or_default();
    for question in asked_by_files(&snapshot) {
        if !answered.contains(question.id().as_str()) {
            open.extend(opened_question(workspace, question, now, false)?);
        }
    }
    if open.iter().any(|one| one.is_shared) {
        let answered = shared::answered_in_logs(&snapshot);
        open.retain(|one| !(one.is_shared && answered.contains(&one.id)));
    }
    Ok(open)
}

/// Returns every question that was asked and answered, oldest first.
///
/// # Errors
/// When the index cannot be used.
pub fn answered_questions(workspace: &Workspace) -> Result<Vec<Asked>, Error> {
    index::freshen(workspace)?;
    let events = index::store(workspace)?.filed_under(question::FILED)?;
    Ok(question::queue(&events).into_iter().filter(|one| one.answer.is_some()).collect())
}

/// Returns what the shared layer asks by itself: invariants that are due, facts for the core.
fn asked_by_files(snapshot: &Snapshot) -> Vec<Question> {
    let Ok(memory) = snapshot.parse() else { return Vec::new() };
    let mut questions = Vec::new();
    let check = quipu_core::verify::invariant_check(&memory);
    if check.is_due {
        let state = memory.continuity.state("last_invariant_check");
        let last = state.map_or("never", |line| line.value);
        for (id, _) in check.ids {
            let why = format!("last confirmed: {last}");
            let question = Question::new(QuestionKind::Invariant, vec![id], why);
            questions.push(Question { round: last.to_owned(), ..question });
        }
    }
    for held in review::core_proposals(&memory) {
        questions.push(Question::new(QuestionKind::Core, vec![held.id], held.why));
    }
    questions
}

/// Returns a question as a judge sees it; nothing where it answered itself.
fn opened_question(
    workspace: &Workspace,
    question: Question,
    at: Timestamp,
    is_filed: bool,
) -> Result<Option<OpenQuestion>, Error> {
    let ids: Vec<&str> = question.subjects.iter().map(String::as_str).collect();
    let mut items: Vec<Option<Item>> = index::store(workspace)?.items(&ids)?;
    for (item, id) in items.iter_mut().zip(&ids).filter(|(item, _)| item.is_none()) {
        *item = in_other_scopes(workspace, id);
    }
    let find = |id: &str| items.iter().flatten().find(|item| item.id == id).cloned();
    // Nothing is left to ask about what somebody has put away or replaced meanwhile.
    if is_filed && !question.waits(&find) {
        return Ok(None);
    }
    let subjects = question.subjects.iter().zip(&items).map(|(id, item)| Subject {
        id: id.clone(),
        text: item
            .as_ref()
            .map(|item| item.text.clone())
            .or_else(|| quoted_about(&question.reason, id))
            .unwrap_or_default(),
        time: item.as_ref().map(|item| item.time),
        status: item.as_ref().map(|item| item.status),
        path: item.as_ref().and_then(|item| Some(item.place.as_ref()?.path.clone())),
    });
    let subjects = subjects.collect();
    Ok(Some(OpenQuestion {
        id: question.id(),
        kind: question.kind,
        asks: question.in_words(),
        reason: question.reason.clone(),
        subjects,
        choices: choices_here(workspace, &question, &find, "operator")?,
        is_shared: shared::is_shared(&items),
        at,
        question,
        is_filed,
    }))
}

/// Returns an item that is not in this memory, but in another one that belongs to the project.
fn in_other_scopes(workspace: &Workspace, id: &str) -> Option<Item> {
    let mut others = workspace.all_scopes().skip(1);
    others.find_map(|other| index::store(other).ok()?.get(id).ok().flatten())
}

/// Finds an item in this memory, or in another one that belongs to the project.
pub(crate) fn find_in_scopes(workspace: &Workspace, id: &str) -> Option<Item> {
    let own = index::store(workspace).ok()?.get(id).ok().flatten();
    own.or_else(|| in_other_scopes(workspace, id))
}

/// Returns the possible answers. None of them changes a memory of another scope: what the user keeps for every
/// project is not decided in one of them.
fn choices_here(
    workspace: &Workspace,
    question: &Question,
    find: &dyn Fn(&str) -> Option<Item>,
    by: &str,
) -> Result<Vec<Choice>, Error> {
    let mut choices = question.choices(find, by);
    for choice in &mut choices {
        for effect in std::mem::take(&mut choice.effects) {
            let elsewhere = match &effect {
                Effect::Decide(id, _) if index::store(workspace)?.get(id)?.is_none() => Some(id),
                _ => None,
            };
            match elsewhere {
                Some(id) => {
                    choice.does = format!(
                        "nothing by itself, for `{id}` is yours in every project: `quipu edit {id}` or `quipu forget {id}`"
                    );
                }
                None => choice.effects.push(effect),
            }
        }
    }
    Ok(choices)
}

/// Returns what a reason quotes about a name: a bridge is between names, and each has its evidence there.
fn quoted_about(reason: &str, name: &str) -> Option<String> {
    let (_, rest) = reason.split_once(&format!("{name}: “"))?;
    rest.split_once('”').map(|(quoted, _)| quoted.to_owned())
}

/// Answers a question; what the answer does happens with it, or neither.
///
/// # Errors
/// When there is no such question or choice, or it cannot be written.
pub fn answer(
    workspace: &Workspace,
    id: &str,
    choice: &str,
    (by, reason): (&str, &str),
    request: &Request<'_>,
) -> Result<AnswerGiven, Error> {
    let open = questions(workspace, request.now)?;
    let mut fitting = open.iter().filter(|one| one.id == id || one.id.starts_with(id));
    let (question, others) = (fitting.next(), fitting.next());
    let question = match (question, others) {
        (Some(question), None) => question,
        (Some(_), Some(_)) => {
            let fitting = open.iter().map(|one| one.id.clone());
            let ids = fitting.filter(|one| one.starts_with(id)).take(4).collect();
            return Err(Refusal::Ambiguous { id: id.to_owned(), ids }.into());
        }
        (None, _) => return Err(Refusal::NoQuestion { id: id.to_owned() }.into()),
    };
    if matches!(question.kind, QuestionKind::Invariant | QuestionKind::Core) {
        request.caller.must_be_person("answer this question")?;
    }
    let (by, reason) =
        (guarded_words(workspace.config(), by)?, guarded_words(workspace.config(), reason)?);
    answer_open(workspace, question, (choice, None), (&by, &reason), request)
}

/// Answers an open question; within a dream, taking that back takes the answer back too.
fn answer_open(
    workspace: &Workspace,
    open: &OpenQuestion,
    (choice, within): (&str, Option<&str>),
    (by, reason): (&str, &str),
    request: &Request<'_>,
) -> Result<AnswerGiven, Error> {
    let find = |id: &str| find_in_scopes(workspace, id);
    let choices = choices_here(workspace, &open.question, &find, by)?;
    let numbered = choice.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let place = choices.iter().position(|one| one.name == choice).or(numbered);
    let Some(taken) = place.and_then(|at| choices.get(at)) else {
        let names = choices.iter().map(|one| one.name).collect();
        let (id, choice) = (open.id.clone(), choice.to_owned());
        return Err(Refusal::NoChoice { id, choice, names }.into());
    };
    if let Some(id) = &taken.pinned {
        return Err(Refusal::Pinned { id: id.clone() }.into());
    }
    let reason = &*secret::redacted(reason, Scope::Credentials);
    let mut decided = Vec::new();
    let mut extra = Vec::new();
    let session = sessions::session_for_records(workspace, request)?;
    let own = format!("answer-{}-{}", open.id, request.now.as_millisecond());
    let run = within.map_or(own.clone(), |run| format!("{run}/{own}"));
    for effect in &taken.effects {
        match effect {
            Effect::Decide(id, decision) => {
                let why = if reason.is_empty() { open.reason.clone() } else { reason.to_owned() };
                decided.push((id.clone(), decision.clone(), why));
            }
            Effect::Remember(text) => {
                let at = to_milliseconds(request.now);
                let mut record = Record::new(new_id()?, &session, BRIDGE, text, at);
                record.source = Some(Source::Dream);
                record.importance = Some(0.6);
                extra.push(record);
            }
            // These write to files of their own, before the answer is recorded: an answer that did
            // nothing must not count.
            Effect::Verify(id) => {
                facts::confirm(workspace, std::slice::from_ref(id), by, request)?;
            }
            Effect::Core(id) => {
                facts::make_core(workspace, id, request)?;
            }
        }
    }
    if open.is_shared {
        shared::note_answer(workspace, open, (taken.name, reason), request)?;
    }
    let filed = format!("{}{}", question::FILED, open.id);
    if !open.is_filed {
        let ask = Decision::Ask { question: Box::new(open.question.clone()) };
        extra.push(decision_record(&filed, ask, &open.reason, &session, request)?);
    }
    let answer = Decision::Answer { choice: taken.name.to_owned() };
    extra.push(decision_record(&filed, answer, reason, &session, request)?);
    let items = decide::decide_signed(workspace, decided, extra, Some((by, &run)), request)?;
    let mut changed: Vec<String> = items.into_iter().map(|item| item.id).collect();
    changed.dedup();
    Ok(AnswerGiven {
        id: open.id.clone(),
        choice: taken.name.to_owned(),
        does: taken.does.clone(),
        by: by.to_owned(),
        reason: reason.to_owned(),
        changed,
    })
}

/// Lets a judge answer what is open, at most so many; what it cannot answer waits. Within a dream,
/// taking that back takes the answers back too.
///
/// # Errors
/// When the index cannot be used.
pub fn answer_by(
    workspace: &Workspace,
    judge: &dyn Judge,
    (most, within): (usize, Option<&str>),
    request: &Request<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Judged, Error> {
    // Invariants are a person's to confirm, and what never fades a person's to choose.
    let ours =
        |one: &OpenQuestion| !matches!(one.kind, QuestionKind::Invariant | QuestionKind::Core);
    let open = questions(workspace, request.now)?.into_iter().filter(ours);
    let ids: Vec<String> = open.map(|one| one.id).take(most).collect();
    let mut judged = Judged::default();
    let mut failures = 0;
    for (number, id) in ids.iter().enumerate() {
        progress(number, ids.len());
        // The answer before may have settled this one too.
        let open = questions(workspace, request.now)?.into_iter().find(|one| one.id == *id);
        let Some(question) = open else { continue };
        let name = judge.name();
        let answered = judge.decide(&question).and_then(|(choice, reason)| {
            answer_open(workspace, &question, (&choice, within), (&name, &reason), request)
        });
        match answered {
            Ok(answer) => {
                failures = 0;
                judged.answers.push(answer);
            }
            Err(error) => {
                failures += 1;
                judged.failed.push((id.clone(), error.to_string()));
                // One that cannot be reached is not asked for the rest.
                if failures == PATIENCE {
                    break;
                }
            }
        }
    }
    progress(ids.len(), ids.len());
    Ok(judged)
}

/// Takes an answer back, with what it did to memories; the question is open again.
///
/// # Errors
/// When it was not answered, or the record cannot be written.
pub fn take_answer_back(
    workspace: &Workspace,
    id: &str,
    request: &Request<'_>,
) -> Result<usize, Error> {
    let fitting = answered_questions(workspace)?.into_iter().map(|one| one.id);
    let mut fitting: Vec<String> =
        fitting.filter(|one| one.starts_with(id) && !id.is_empty()).collect();
    let id = match fitting.len() {
        0 => return Err(Refusal::NoQuestion { id: id.to_owned() }.into()),
        1 => fitting.remove(0),
        _ => {
            fitting.truncate(4);
            return Err(Refusal::Ambiguous { id: id.to_owned(), ids: fitting }.into());
        }
    };
    let events = index::store(workspace)?.filed_under(&format!("{}{id}", question::FILED))?;
    let standing = quipu_core::journal::standing(&events);
    let answer = standing
        .into_iter()
        .rev()
        .find(|event| matches!(event.decision, Some(Decision::Answer { .. })));
    let snapshot = workspace.read().unwrap_or_default();
    if shared::answered_in_logs(&snapshot).contains(&id) {
        shared::note_reopened(workspace, &id, request)?;
    }
    let Some(run) = answer.and_then(|answer| answer.run.clone().zip(Some(answer.at))) else {
        return Err(Refusal::NoQuestion { id }.into());
    };
    decide::take_back(workspace, &run.0, run.1, "the answer was taken back", request)
}
