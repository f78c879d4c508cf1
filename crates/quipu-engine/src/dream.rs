//! The dream: seven steps over everything that is remembered, each a plan that can be looked at, chosen
//! from, carried out and taken back.
//!
//! The plan is made while others go on writing, kept in a file, and carried out a little at a time.
//! Whoever dies in between leaves a plan that the next dream finishes: what is written already is
//! known by its names, and a memory that changed meanwhile is left alone.

mod beliefs;
mod drifted;
mod fade;
pub(crate) mod flock;
mod merge;
mod night;
mod outdated;
pub(crate) mod people;
mod plan;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::Decision;
use quipu_core::journal::{self, Record};
use serde::Serialize;

pub(crate) use self::night::FILED;
use self::night::Night;
pub use self::night::Progress;
pub use self::plan::{Action, Dreamt, Plan, Step};
use crate::caller::Caller;
use crate::compress;
use crate::decide::{self, CHUNK};
use crate::error::Error;
use crate::index;
use crate::lock::Lock;
use crate::operation::Request;
use crate::questions::Judge;
use crate::records::decision_record;
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// Uses older than this stand together.
const USES_KEPT_DAYS: i64 = 90;

/// The file that holds the plan while it is carried out.
pub(crate) const PLAN: &str = "dream.json";

/// How a dream is asked for.
#[derive(Clone, Default)]
pub struct DreamRequest<'a> {
    /// The time.
    pub now: Timestamp,
    /// Only show what would happen.
    pub dry_run: bool,
    /// Only these steps; all where empty.
    pub steps: Vec<Step>,
    /// Only these actions; all where empty.
    pub only: Vec<String>,
    /// Not these actions.
    pub skip: Vec<String>,
    /// Who finds words where rules find none.
    pub judge: Option<&'a dyn Judge>,
}

/// A dream that was.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct PastDream {
    /// Its name.
    pub run: String,
    /// When.
    pub at: Timestamp,
    /// What it did, in words.
    pub did: String,
    /// Whether it was taken back.
    pub taken_back: bool,
}

/// Goes through everything that is remembered.
///
/// # Errors
/// When the index or the files cannot be used, or another dream is at work. What was done until
/// then stays, and the next dream goes on.
pub fn dream(
    workspace: &Workspace,
    request: &DreamRequest<'_>,
    progress: Progress<'_>,
) -> Result<Dreamt, Error> {
    let _alone = if request.dry_run { None } else { Some(dream_alone(workspace)?) };
    index::freshen(workspace)?;
    let mut before = Dreamt::default();
    if let Some(plan) = left_over_plan(workspace)? {
        if request.dry_run {
            let count = plan.actions.len();
            let note = format!("an interrupted dream with {count} actions is finished first");
            before.notes.push(note);
        } else {
            let note = "finished what an interrupted dream had planned".to_owned();
            let done = Dreamt { resumed: true, notes: vec![note], ..Dreamt::default() };
            before = carry_out(workspace, &plan, done, progress)?;
            if before.stopped {
                return Ok(before);
            }
        }
    }
    let (mut plan, mut done) = dream_plan(workspace, request, progress)?;
    for id in request.only.iter().chain(&request.skip) {
        if !plan.actions.iter().any(|action| action.id.starts_with(id.as_str())) {
            return Err(Refusal::NoAction { id: id.clone() }.into());
        }
    }
    plan.actions.retain(|action| {
        let is_chosen = |ids: &[String]| ids.iter().any(|id| action.id.starts_with(id));
        (request.only.is_empty() || is_chosen(&request.only)) && !is_chosen(&request.skip)
    });
    before.notes.append(&mut done.notes);
    done = Dreamt { looked_at: done.looked_at, stopped: done.stopped, ..before };
    if request.dry_run {
        done.run.clone_from(&plan.run);
        for action in &plan.actions {
            *done.did.entry(action.step.as_str().to_owned()).or_default() += 1;
        }
        done.actions = plan.actions;
        return Ok(done);
    }
    // A plan that was cut short is carried out as far as it goes; the next dream sees the rest.
    if !plan.actions.is_empty() {
        keep_plan(workspace, &plan)?;
    }
    carry_out(workspace, &plan, done, progress)
}

/// Makes sure that nobody else dreams, or takes a dream back.
fn dream_alone(workspace: &Workspace) -> Result<Lock, Error> {
    workspace.prepare_state()?;
    workspace
        .lock_work("dream.lock", Duration::ZERO)
        .map_err(|error| if error.code() == "busy" { Refusal::Dreaming.into() } else { error })
}

fn dream_plan(
    workspace: &Workspace,
    request: &DreamRequest<'_>,
    progress: Progress<'_>,
) -> Result<(Plan, Dreamt), Error> {
    let wants = |step: Step| request.steps.is_empty() || request.steps.contains(&step);
    let mut stopped = false;
    let mut hear = |step: &str, done: usize, total: usize| {
        stopped |= !progress(step, done, total);
        !stopped
    };
    let mut night = Night::look(workspace, request.now)?;
    if wants(Step::Fade) {
        fade::plan(&mut night, &mut hear)?;
    }
    // Before what tells of it: nothing is merged or told on a card that does not hold.
    if wants(Step::Drift) && is_in_repository(workspace) {
        drifted::plan(&mut night, &mut hear)?;
    }
    if wants(Step::Merge) {
        outdated::plan(&mut night, &mut hear)?;
    }
    let needs_vectors = wants(Step::Merge) || wants(Step::Bridges);
    let flock = if needs_vectors { Some(flock::Flock::read(&night)?) } else { None };
    if let Some(flock) = flock.as_ref().filter(|_| wants(Step::Merge)) {
        merge::plan(&mut night, flock, request.judge, &mut hear)?;
    }
    if wants(Step::Cards) || wants(Step::Bridges) {
        let company = people::Company::count(&night)?;
        if wants(Step::Cards) {
            people::cards(&mut night, &company, &mut hear)?;
        }
        if let Some(flock) = flock.as_ref().filter(|_| wants(Step::Bridges)) {
            people::bridges(&mut night, &company, flock)?;
        }
    }
    if wants(Step::Beliefs) {
        beliefs::plan(&mut night);
    }
    let looked_at = night.items.len();
    let notes = night.notes.take();
    let steps = Step::ALL.into_iter().filter(|step| wants(*step)).collect();
    let plan = Plan { run: night.run, now: night.now, actions: night.actions, steps };
    Ok((plan, Dreamt { looked_at, notes, stopped, ..Dreamt::default() }))
}

/// Tells whether there is a history to ask.
fn is_in_repository(workspace: &Workspace) -> bool {
    workspace.root().ancestors().any(|folder| folder.join(".git").exists())
}

/// Carries out a plan, from where somebody left off.
fn carry_out(
    workspace: &Workspace,
    plan: &Plan,
    mut done: Dreamt,
    progress: Progress<'_>,
) -> Result<Dreamt, Error> {
    done.run.clone_from(&plan.run);
    let total = plan.actions.len();
    let mut next = 0;
    while next < total {
        if !progress("write", next, total) {
            done.stopped = true;
            return Ok(done);
        }
        let mut records = 0;
        let wanted = plan.actions[next..].iter().take_while(|action| {
            let fits = records < CHUNK;
            records += action.records.len();
            fits
        });
        let end = next + wanted.count();
        carry_out_some(workspace, &plan.actions[next..end], plan.now, &mut done)?;
        next = end;
    }
    if total > 0 {
        note_dream(workspace, plan, &done)?;
    }
    if plan.steps.contains(&Step::Prune) {
        let days = SignedDuration::from_hours(24 * USES_KEPT_DAYS);
        let before = plan.now.checked_sub(days).unwrap_or(Timestamp::MIN);
        done.folded = index::store(workspace)?.fold_accesses(before)?;
        done.compressed = compress::compress_in_dream(workspace, plan.now)?;
    }
    forget_plan(workspace)?;
    progress("write", total, total);
    Ok(done)
}

fn carry_out_some(
    workspace: &Workspace,
    actions: &[Action],
    now: Timestamp,
    done: &mut Dreamt,
) -> Result<(), Error> {
    let lock = workspace.lock_for_writing()?;
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    let mut records: Vec<Record> = Vec::new();
    for action in actions {
        let missing = not_yet_written(workspace, &action.records)?;
        let is_new = missing.len() == action.records.len();
        if is_new && !is_as_found(workspace, action)? {
            done.skipped.push(action.id.clone());
            continue;
        }
        records.extend(missing);
        *done.did.entry(action.step.as_str().to_owned()).or_default() += 1;
        done.actions.push(action.clone());
    }
    if !records.is_empty()
        && let Some(why) = crate::journal::append_locked(workspace, &lock, &records, now)?
    {
        done.notes.push(why);
    }
    Ok(())
}

/// Returns the records that the ledger does not have.
fn not_yet_written(workspace: &Workspace, records: &[Record]) -> Result<Vec<Record>, Error> {
    let store = index::store(workspace)?;
    let mut missing = Vec::new();
    for record in records {
        let filed = store.filed(record.target.as_deref().unwrap_or(&record.id))?;
        if !filed.iter().any(|filed| filed.event.id == record.id) {
            missing.push(record.clone());
        }
    }
    Ok(missing)
}

fn is_as_found(workspace: &Workspace, action: &Action) -> Result<bool, Error> {
    let store = index::store(workspace)?;
    for (id, found) in &action.found {
        let is_same = store.get(id)?.is_some_and(|item| plan::look(&item) == *found);
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes down that there was a dream, so that it can be found and taken back.
fn note_dream(workspace: &Workspace, plan: &Plan, done: &Dreamt) -> Result<(), Error> {
    let filed = format!("{FILED}{}", plan.run);
    if done.did.is_empty() || !index::store(workspace)?.filed(&filed)?.is_empty() {
        return Ok(());
    }
    let session = workspace.day(plan.now).to_string();
    let request = Request {
        operation: "dream",
        now: plan.now,
        today: workspace.day(plan.now),
        session: None,
        dry_run: false,
        caller: Caller::QUIPU,
    };
    let decision = Decision::Dreamed { did: done.did.clone() };
    let mut record = decision_record(&filed, decision, "", &session, &request)?;
    "dream".clone_into(&mut record.provenance.source_channel);
    record.run = Some(plan.run.clone());
    let lock = workspace.lock_for_writing()?;
    crate::journal::append_locked(workspace, &lock, &[record], plan.now)?;
    Ok(())
}

fn left_over_plan(workspace: &Workspace) -> Result<Option<Plan>, Error> {
    let Ok(bytes) = workspace.fs().read(&workspace.state(PLAN)) else { return Ok(None) };
    match serde_json::from_slice(&bytes) {
        Ok(plan) => Ok(Some(plan)),
        Err(error) => Err(Refusal::BadPlan { reason: error.to_string() }.into()),
    }
}

/// Keeps the plan as safely as what it plans: without it nobody could finish, or take back.
fn keep_plan(workspace: &Workspace, plan: &Plan) -> Result<(), Error> {
    let json = serde_json::to_vec(plan).map_err(std::io::Error::from);
    let written = json.and_then(|json| workspace.write_state(PLAN, &json));
    written.map_err(|source| Refusal::NotWritten { path: PLAN.to_owned(), source }.into())
}

fn forget_plan(workspace: &Workspace) -> Result<(), Error> {
    match workspace.fs().remove_file(&workspace.state(PLAN)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(crate::workspace::reading(PLAN, error))
        }
        _ => Ok(()),
    }
}

/// Returns the dreams that were, oldest first.
///
/// # Errors
/// When the index cannot be used.
pub fn dreams(workspace: &Workspace) -> Result<Vec<PastDream>, Error> {
    index::freshen(workspace)?;
    let events = index::store(workspace)?.filed_under(FILED)?;
    let standing = journal::standing(&events);
    let runs = events.iter().filter_map(|event| match &event.decision {
        Some(decision @ Decision::Dreamed { .. }) => Some(PastDream {
            run: event.item.strip_prefix(FILED)?.to_owned(),
            at: event.at,
            did: decision.in_words(),
            taken_back: !standing.iter().any(|one| one.id == event.id),
        }),
        _ => None,
    });
    Ok(runs.collect())
}

/// Takes a dream back, the last one where none is named: everything is as if it had not been. Returns
/// its name and how many events do not count any more.
///
/// # Errors
/// When there is none, or the records cannot be written.
pub fn undo_dream(
    workspace: &Workspace,
    run: Option<&str>,
    request: &Request<'_>,
) -> Result<(String, usize), Error> {
    let _alone = dream_alone(workspace)?;
    // One that was interrupted is the last, and has no note yet.
    if let Some(plan) = left_over_plan(workspace)?
        && run.is_none_or(|run| plan.run == run)
    {
        let why = "the dream was taken back";
        let count = decide::take_back(workspace, &plan.run, plan.now, why, request)?;
        if !request.dry_run {
            forget_plan(workspace)?;
        }
        return Ok((plan.run, count));
    }
    let dreams = dreams(workspace)?;
    let found = dreams
        .into_iter()
        .rev()
        .find(|dream| !dream.taken_back && run.is_none_or(|run| dream.run == run));
    let Some(dream) = found else {
        let run = run.unwrap_or_default().to_owned();
        return Err(Refusal::NoDream { run }.into());
    };
    let count =
        decide::take_back(workspace, &dream.run, dream.at, "the dream was taken back", request)?;
    Ok((dream.run, count))
}
