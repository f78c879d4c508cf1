//! Ending a session: its log, and what follows from it.

use super::{
    ANY_SESSION, PENDING, chosen_session, cited, evidence, given_path, guarded_note, opened_ids,
    opened_path, record_path, session_record,
};
use crate::error::Error;
use crate::index;
use crate::workspace::{Diff, Workspace};
use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::doc::Fact;
use quipu_core::facts::{self, Outcome};
use quipu_core::ledger::id_tokens;
use quipu_core::memory::{CONTINUITY, Changes, Memory, SESSIONS};
use quipu_core::review::{self, ReviewPlan, Selection};
use quipu_core::session::{Event, Events, Note, OpenSession};
use quipu_core::{doc, edit, journal, lint, text};
use std::collections::BTreeSet;

/// What `session end` did.
#[derive(Debug)]
pub struct Ended {
    /// The session, with all that happened in it.
    pub session: OpenSession,
    /// The log's stem; `None` where nothing happened.
    pub stem: Option<String>,
    /// The log's text.
    pub log: Option<String>,
    /// Archived facts that came back because they were used.
    pub reactivated: Vec<String>,
    /// The review that is due, applied or only shown.
    pub review: Option<ReviewPlan>,
    /// Whether that review was applied.
    pub review_applied: bool,
}

/// How `session end` is asked for.
#[derive(Clone, Debug, Default)]
pub struct EndRequest {
    /// Which session; by default the one that is open.
    pub session: Option<String>,
    /// Notes to add.
    pub notes: Vec<Note>,
    /// Ids that were used.
    pub references: Vec<String>,
    /// Write a log even if nothing happened.
    pub force: bool,
    /// Only show what would be written.
    pub dry_run: bool,
}

/// Ends a session: writes its log, once, if something happened.
///
/// # Errors
/// When there is no session to end, a note holds a credential, or a step fails; then the session
/// stays open.
pub fn session_end(
    workspace: &Workspace,
    request: &EndRequest,
    now: Timestamp,
    today: Date,
) -> Result<(Ended, Diff), Error> {
    let (ended, diff) = workspace.change("session end", now, request.dry_run, |memory| {
        plan_end(workspace, memory, request, now, today)
    })?;
    if !request.dry_run {
        note_cited(workspace, &ended.session, &request.references, now);
    }
    Ok((ended, diff))
}

/// Notes that what a session cited was of use: facts, and records that its notes name by id.
fn note_cited(workspace: &Workspace, session: &OpenSession, references: &[String], now: Timestamp) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = session.notes.iter().flat_map(|note| note.text.split(move |c| !is_part(c)));
    let named = words.filter(|word| word.contains('-') || journal::is_short_id(word));
    // Only what the index knows can be counted, and who never asked has none.
    if !index::is_made(workspace) || index::freshen(workspace).is_err() {
        return;
    }
    let cited: BTreeSet<&str> = references.iter().map(String::as_str).chain(named).collect();
    for id in cited {
        index::note_access(workspace, id, now);
    }
}

fn plan_end(
    workspace: &Workspace,
    memory: &Memory<'_>,
    request: &EndRequest,
    now: Timestamp,
    today: Date,
) -> Result<(Ended, Changes), Error> {
    let mut session = chosen_session(workspace, request.session.as_deref())?;
    for note in &request.notes {
        session.notes.push(guarded_note(workspace, note)?);
    }
    session.events.0.extend(cited(memory, &request.references)?);
    let opened =
        opened_ids(workspace, &session.id).into_iter().chain(opened_ids(workspace, ANY_SESSION));
    let known = opened.filter(|id| memory.knows(id));
    session.events.0.extend(known.map(|id| Event::Referenced { id }));
    session.events.0.extend(mentioned(memory, &session));
    let waiting = session_record(workspace, PENDING)?.unwrap_or_default();
    // What happened outside of any session waits for a log that is written anyway, or for somebody who ends one.
    let takes_waiting =
        !session.by_hook && (!waiting.notes.is_empty() || !waiting.events.0.is_empty());
    let is_owed = !session.is_quiet() || takes_waiting || request.force;
    let mut changes: Changes =
        [record_path(&session.id), opened_path(&session.id), given_path(&session.id)]
            .map(|path| (path, None))
            .into();
    if is_owed {
        session.absorb(waiting);
        session.events.0.extend(mentioned(memory, &session));
        changes.extend([(opened_path(ANY_SESSION), None), (PENDING.to_owned(), None)]);
    }
    // Only what is there can be removed.
    changes.retain(|path, _| workspace.fs().stat(&workspace.locate(path)).is_ok());
    let mut ended = Ended {
        session,
        stem: None,
        log: None,
        reactivated: Vec::new(),
        review: None,
        review_applied: false,
    };
    if is_owed {
        write_log(workspace, memory, &mut ended, &mut changes, (now, today))?;
    }
    Ok((ended, changes))
}

/// Adds the log and what follows from it to `changes`.
fn write_log(
    workspace: &Workspace,
    memory: &Memory<'_>,
    ended: &mut Ended,
    changes: &mut Changes,
    (now, today): (Timestamp, Date),
) -> Result<(), Error> {
    ended.reactivated = to_bring_back(memory, &ended.session.events);
    for id in &ended.reactivated {
        ended.session.events.0.insert(0, Event::Reactivated { id: id.clone() });
    }
    // Facts that nobody wrote in a session are met for the first time: from now on their uses count.
    let named: BTreeSet<String> =
        ended.session.events.ids().into_iter().map(str::to_owned).collect();
    let met: Vec<&str> = lint::unlogged(memory).into_iter().map(Fact::id).collect();
    let met = met.into_iter().filter(|id| !named.contains(*id));
    let met: BTreeSet<String> = met.map(str::to_owned).collect();
    let events = met.iter().map(|id| Event::Created { id: id.clone() });
    ended.session.events.0.extend(events);
    let stem = free_stem(memory, now);
    let path = format!("{SESSIONS}{stem}.md");
    changes.insert(path.clone(), Some(ended.session.log(now)));
    let logged = memory.snapshot.with(changes);
    changes.extend(follow_up(&logged.parse()?, ended, &met, &stem, today)?);
    let logged = memory.snapshot.with(changes);
    let logged = logged.parse()?;
    if !review::triggers(&logged).is_empty() {
        ended.review_applied = workspace.config().review.auto;
        let only = if ended.review_applied { Vec::new() } else { vec!["refresh".to_owned()] };
        let applied = review::plan(
            &logged,
            today,
            &Selection { only, except: Vec::new() },
            &BTreeSet::new(),
        )?;
        changes.extend(applied.changes.clone());
        if ended.review_applied {
            ended.session.reviews.push(applied.summary.clone());
            changes.insert(path.clone(), Some(ended.session.log(now)));
            ended.review = Some(applied);
        } else {
            let refreshed = memory.snapshot.with(changes);
            // It is only shown: a plan that cannot be made must not keep the session open.
            ended.review =
                review::plan(&refreshed.parse()?, today, &Selection::default(), &BTreeSet::new())
                    .ok();
        }
    }
    ended.log = changes.get(&path).cloned().flatten();
    changes.extend(evidence::kept(workspace, &stem, &ended.session.uses));
    ended.stem = Some(stem);
    Ok(())
}

/// Returns the changes that a new log brings about in the projection: `last_session`, the origin of
/// what was created, and the return of archived facts that were used.
fn follow_up(
    after: &Memory<'_>,
    ended: &Ended,
    met: &BTreeSet<String>,
    stem: &str,
    today: Date,
) -> Result<Changes, Error> {
    let mut outcome = Outcome::default();
    if !ended.reactivated.is_empty() {
        outcome = facts::reactivate(after, &ended.reactivated, today)?;
    }
    let source = match outcome.changes.get(CONTINUITY) {
        Some(Some(text)) => text.clone(),
        _ => after.continuity.source.to_owned(),
    };
    let document = doc::Document::parse(&source);
    let mut edits = Vec::new();
    let agent = ended.session.agent.as_deref().unwrap_or("unknown");
    let value = format!("{} | agent: {agent} ({stem})", &stem[..10]);
    if document.state("last_session").is_some() {
        edits.extend(edit::set_state(&document, "last_session", &value));
    }
    let created: BTreeSet<&str> = (ended.session.events.0.iter())
        .filter_map(|event| match event {
            Event::Created { id } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    // Where a fact came from that was met is not known.
    for id in created.into_iter().filter(|id| !met.contains(*id)) {
        if let Some(fact) = document.fact(id)
            && fact.footer.get("origin").is_none()
        {
            edits.extend(edit::set_field(&source, &fact.footer, "origin", stem));
        }
    }
    let text = text::apply(&source, &edits).map_err(quipu_core::review::ReviewError::from)?;
    let mut changes = outcome.changes;
    if text != after.continuity.source {
        changes.insert(CONTINUITY.to_owned(), Some(text));
    }
    Ok(changes)
}

/// Returns uses for the facts that the notes name.
fn mentioned(memory: &Memory<'_>, session: &OpenSession) -> Vec<Event> {
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for note in &session.notes {
        ids.extend(id_tokens(&note.text).filter(|id| memory.knows(id)));
    }
    let listed = session.events.ids();
    ids.difference(&listed).map(|id| Event::Referenced { id: (*id).to_owned() }).collect()
}

/// Returns the archived facts among the used ones that can come back.
fn to_bring_back(memory: &Memory<'_>, events: &Events) -> Vec<String> {
    let comes_back = |id: &&str| {
        memory.continuity.fact(id).is_none()
            && memory.archived_fact(id).is_some_and(|(_, fact)| !fact.footer.is_superseded())
    };
    events.ids().into_iter().filter(comes_back).map(str::to_owned).collect()
}

/// Returns the first free log name from `now` on.
fn free_stem(memory: &Memory<'_>, now: Timestamp) -> String {
    let mut at = now;
    loop {
        let stem = at.strftime("%Y-%m-%d-%H%M%S").to_string();
        if memory.snapshot.get(&format!("{SESSIONS}{stem}.md")).is_none() {
            return stem;
        }
        at += jiff::SignedDuration::from_secs(1);
    }
}
