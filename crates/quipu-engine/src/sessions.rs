//! Working sessions: open ones live in `.quipu/sessions`, one log is written at the end.
//!
//! What happens to facts outside any session waits in `.quipu/pending.json` for the next log, so
//! that no event is lost and reviewing never advances the clock by itself.

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::facts::{self, Outcome};
use quipu_core::ledger::id_tokens;
use quipu_core::memory::{CONTINUITY, Changes, Memory, SESSIONS};
use quipu_core::review::{self, ReviewPlan, Selection};
use quipu_core::session::{Event, Events, Note, OpenSession};
use quipu_core::{doc, edit, text};

use crate::error::{Error, Failure};
use crate::git;
use crate::index;
use crate::lock::Lock;
use crate::operation::Request;
use crate::secret_policy::guarded_words;
use crate::workspace::{Diff, ReadError, Workspace};

/// Why a session cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No session is open.
    #[error("no session is open")]
    NoneOpen,
    /// Several are open, and none was named.
    #[error("{} sessions are open: {}", ids.len(), ids.join(", "))]
    Several {
        /// Their names.
        ids: Vec<String>,
    },
    /// There is no session of that name.
    #[error("there is no session `{id}`")]
    Unknown {
        /// The name.
        id: String,
    },
    /// The record of an open session cannot be read.
    #[error("the record of the open session, `{path}`, cannot be read")]
    BadRecord {
        /// The file.
        path: String,
        /// Why not.
        source: serde_json::Error,
    },
}

impl Failure for SessionError {
    fn code(&self) -> &'static str {
        "session"
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoneOpen => "begin one with `quipu session start`".to_owned(),
            Self::Several { .. } => "name one with --session ID or QUIPU_SESSION".to_owned(),
            Self::Unknown { .. } => "`quipu session list` shows open sessions and logs".to_owned(),
            Self::BadRecord { path, .. } => format!("correct or remove {path}"),
        })
    }
}

const PENDING: &str = ".quipu/pending.json";

/// Stands for whichever of several open sessions ends first.
const ANY_SESSION: &str = "any";

/// Returns a name in one line; nothing where it is empty.
fn one_line(name: &str) -> Option<String> {
    let name = text::collapse_whitespace(&name.replace(char::is_control, " "));
    (!name.is_empty()).then_some(name)
}

fn record_path(id: &str) -> String {
    format!(".quipu/sessions/{id}.json")
}

fn opened_path(id: &str) -> String {
    format!(".quipu/sessions/{id}.opened")
}

/// Reads a session's record of version 0.1 strictly; returns it as it may be written again.
pub(crate) fn rewritten(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut session: OpenSession = serde_json::from_slice(bytes).ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    // The id becomes the name of a file, and the tree an argument of git.
    if !session.id.bytes().all(is_plain) || session.id.starts_with('.') {
        return None;
    }
    session.tree = None;
    Some(to_json(&session).into_bytes())
}

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

/// Says that the caller has no session open, whoever else may have one.
pub const NO_SESSION: &str = "-";

/// Returns the open sessions, oldest first.
///
/// # Errors
/// When a record cannot be read.
pub fn open_sessions(workspace: &Workspace) -> Result<Vec<OpenSession>, Error> {
    let folder = workspace.state("sessions");
    let entries = match workspace.fs().list(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            return Err(ReadError::Io { path: ".quipu/sessions".to_owned(), source }.into());
        }
    };
    let mut names: Vec<String> = entries
        .into_iter()
        .filter_map(|(name, _)| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort_unstable();
    let mut sessions = Vec::new();
    for name in names {
        sessions.extend(session_record(workspace, &record_path(&name))?);
    }
    Ok(sessions)
}

fn session_record(workspace: &Workspace, path: &str) -> Result<Option<OpenSession>, Error> {
    let bytes = match workspace.fs().read(&workspace.locate(path)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(ReadError::Io { path: path.to_owned(), source }.into());
        }
    };
    let session = serde_json::from_slice(&bytes)
        .map_err(|source| SessionError::BadRecord { path: path.to_owned(), source })?;
    Ok(Some(session))
}

/// Returns the session that `name` means, or the only one that is open.
fn chosen_session(workspace: &Workspace, name: Option<&str>) -> Result<OpenSession, Error> {
    if name == Some(NO_SESSION) {
        return Err(SessionError::NoneOpen.into());
    }
    let mut open = open_sessions(workspace)?;
    if let Some(name) = name {
        let at = open.iter().position(|session| session.id == name);
        let at = at.ok_or_else(|| SessionError::Unknown { id: name.to_owned() })?;
        return Ok(open.swap_remove(at));
    }
    match open.len() {
        0 => Err(SessionError::NoneOpen.into()),
        1 => Ok(open.remove(0)),
        _ => {
            let ids = open.into_iter().map(|session| session.id).collect();
            Err(SessionError::Several { ids }.into())
        }
    }
}

/// Returns the change that writes `events` down: in the session, or for the next log.
///
/// Among several open sessions none is guessed: the events wait for whichever ends first.
pub(crate) fn recorded(
    workspace: &Workspace,
    name: Option<&str>,
    record: impl FnOnce(&mut OpenSession),
) -> Result<Changes, Error> {
    let chosen = match chosen_session(workspace, name) {
        Ok(session) => Some(session),
        Err(error) => match error.of() {
            Some(SessionError::NoneOpen | SessionError::Several { .. }) => None,
            _ => return Err(error),
        },
    };
    let path = chosen.as_ref().map_or_else(|| PENDING.to_owned(), |s| record_path(&s.id));
    let before = match chosen {
        Some(session) => session,
        None => session_record(workspace, PENDING)?.unwrap_or_default(),
    };
    let mut after = before.clone();
    record(&mut after);
    if after == before {
        return Ok(Changes::new());
    }
    Ok(Changes::from([(path, Some(to_json(&after)))]))
}

/// Returns the facts that sessions still open have used, and those that wait for the next log.
pub(crate) fn ids_in_use(workspace: &Workspace) -> Result<BTreeSet<String>, Error> {
    let mut sessions = open_sessions(workspace)?;
    sessions.extend(session_record(workspace, PENDING)?);
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for session in &sessions {
        ids.extend(session.events.ids().into_iter().map(str::to_owned));
        ids.extend(opened_ids(workspace, &session.id));
    }
    ids.extend(opened_ids(workspace, ANY_SESSION));
    Ok(ids)
}

/// Returns the open session of that name.
pub(crate) fn open_session(workspace: &Workspace, id: &str) -> Result<Option<OpenSession>, Error> {
    session_record(workspace, &record_path(id))
}

/// Opens a session for a hook: as [`Workspace::session_start`], and nothing to undo, for nobody
/// asked for it. The caller holds the lock.
pub(crate) fn session_open(
    workspace: &Workspace,
    _lock: &Lock,
    agent: &str,
    now: Timestamp,
) -> Result<OpenSession, Error> {
    let session = OpenSession {
        id: free_id(workspace, Some(agent), now)?,
        agent: Some(agent.to_owned()),
        started: Some(now),
        tree: git::tree_state(workspace.root(), workspace.git_limit()),
        ..OpenSession::default()
    };
    session_put(workspace, &session)?;
    Ok(session)
}

/// Writes the record of an open session, in one piece. The caller holds the lock.
pub(crate) fn session_put(workspace: &Workspace, session: &OpenSession) -> Result<(), Error> {
    let path = record_path(&session.id);
    let full = workspace.locate(&path);
    let beside = full.with_extension("json.new");
    let write = || {
        workspace.fs().create_folders(&workspace.state("sessions"))?;
        workspace.fs().write(&beside, to_json(session).as_bytes())?;
        workspace.fs().sync_file(&beside)?;
        workspace.fs().rename(&beside, &full)
    };
    write().map_err(|source| crate::workspace::reading(&path, source))
}

/// Closes a session in which nothing happened, without a trace. The caller holds the lock.
pub(crate) fn session_drop(workspace: &Workspace, id: &str) {
    for path in [record_path(id), opened_path(id)] {
        // It may not be there.
        let _ = workspace.fs().remove_file(&workspace.locate(&path));
    }
}

/// Returns a name for a session that no open one has.
fn free_id(workspace: &Workspace, agent: Option<&str>, now: Timestamp) -> Result<String, Error> {
    let slug: String = agent
        .unwrap_or("agent")
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let taken: BTreeSet<String> =
        open_sessions(workspace)?.into_iter().map(|session| session.id).collect();
    let base = format!("{}-{slug}", now.strftime("%Y%m%d-%H%M%S"));
    let mut names = std::iter::once(base.clone()).chain((2..).map(|n| format!("{base}-{n}")));
    Ok(names.find(|name| !taken.contains(name)).unwrap_or(base))
}

/// Opens a session.
///
/// # Errors
/// When the record cannot be written.
pub fn session_start(
    workspace: &Workspace,
    agent: Option<&str>,
    user: Option<&str>,
    now: Timestamp,
) -> Result<OpenSession, Error> {
    let named = |name: Option<&str>| {
        name.and_then(one_line).map(|name| guarded_words(workspace.config(), &name)).transpose()
    };
    let (agent, user) = (named(agent)?, named(user)?);
    let (agent, user) = (agent.as_deref(), user.as_deref());
    let operation = "session start";
    let (session, _) = workspace.change(operation, now, false, |_| {
        let id = free_id(workspace, agent, now)?;
        let session = OpenSession {
            id: id.clone(),
            agent: agent.map(str::to_owned),
            user: user.map(str::to_owned),
            started: Some(now),
            tree: git::tree_state(workspace.root(), workspace.git_limit()),
            ..OpenSession::default()
        };
        let changes = Changes::from([(record_path(&id), Some(to_json(&session)))]);
        Ok((session, changes))
    })?;
    Ok(session)
}

/// Adds a note to a session.
///
/// # Errors
/// When no session is open, several are and none was named, or the note holds a credential.
pub fn session_note(
    workspace: &Workspace,
    name: Option<&str>,
    note: &Note,
    references: &[String],
    now: Timestamp,
) -> Result<OpenSession, Error> {
    let note = guarded_note(workspace, note)?;
    let (session, _) = workspace.change("session note", now, false, |memory| {
        let mut session = chosen_session(workspace, name)?;
        session.notes.push(note);
        session.events.0.extend(cited(memory, references)?);
        let changes = Changes::from([(record_path(&session.id), Some(to_json(&session)))]);
        Ok((session, changes))
    })?;
    Ok(session)
}

fn guarded_note(workspace: &Workspace, note: &Note) -> Result<Note, Error> {
    Ok(Note { kind: note.kind, text: guarded_words(workspace.config(), &note.text)? })
}

/// Remembers that `id` was opened, where a session is open.
///
/// # Errors
/// When a session was named that is not open. A disk that cannot be written is no reason to
/// fail a reader.
pub fn note_opened(workspace: &Workspace, name: Option<&str>, id: &str) -> Result<(), Error> {
    let session = match chosen_session(workspace, name) {
        Ok(session) => session.id,
        Err(error) => match error.of() {
            Some(SessionError::Several { .. }) => ANY_SESSION.to_owned(),
            Some(SessionError::NoneOpen) => return Ok(()),
            _ => return Err(error),
        },
    };
    let Ok(_lock) = workspace.lock_for_writing() else { return Ok(()) };
    let mut ids = opened_ids(workspace, &session);
    if !ids.iter().any(|opened| opened == id) {
        ids.push(id.to_owned());
        // See above.
        let path = workspace.locate(&opened_path(&session));
        let _ = workspace.fs().write(&path, (ids.join("\n") + "\n").as_bytes());
    }
    Ok(())
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
    let named = words.filter(|word| word.contains('-'));
    // Only what the index knows can be counted, and who never asked has none.
    if !index::database(workspace).exists() || index::freshen(workspace).is_err() {
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
    if let Some(pending) = session_record(workspace, PENDING)? {
        session.absorb(pending);
    }
    session.events.0.extend(mentioned(memory, &session));
    let mut changes = Changes::from([
        (record_path(&session.id), None),
        (opened_path(&session.id), None),
        (opened_path(ANY_SESSION), None),
        (PENDING.to_owned(), None),
    ]);
    // Only what is there can be removed.
    changes.retain(|path, _| workspace.fs().stat(&workspace.locate(path)).is_ok());
    let tree_changed = session
        .tree
        .as_deref()
        .is_some_and(|before| git::tree_changed(workspace.root(), before, workspace.git_limit()));
    let is_owed = !session.is_quiet() || tree_changed || request.force;
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
    let stem = free_stem(memory, now);
    let path = format!("{SESSIONS}{stem}.md");
    changes.insert(path.clone(), Some(ended.session.log(now)));
    let logged = memory.snapshot.with(changes);
    changes.extend(follow_up(&logged.parse()?, ended, &stem, today)?);
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
    ended.stem = Some(stem);
    Ok(())
}

/// Returns the ids that were opened during a session.
fn opened_ids(workspace: &Workspace, session: &str) -> Vec<String> {
    let bytes = workspace.fs().read(&workspace.locate(&opened_path(session))).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// The session that records go to: the named one, the open one, or one for the day.
pub(crate) fn session_for_records(
    workspace: &Workspace,
    request: &Request<'_>,
) -> Result<String, Error> {
    let open = match request.session {
        Some(NO_SESSION) => Vec::new(),
        Some(name) => return Ok(name.to_owned()),
        None => open_sessions(workspace)?,
    };
    Ok(match &open[..] {
        [only] => only.id.clone(),
        _ => workspace.day(request.now).to_string(),
    })
}

/// Returns the changes that a new log brings about in the projection: `last_session`, the origin of
/// what was created, and the return of archived facts that were used.
fn follow_up(after: &Memory<'_>, ended: &Ended, stem: &str, today: Date) -> Result<Changes, Error> {
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
    for id in created {
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

/// Returns uses for ids that the caller listed.
fn cited(memory: &Memory<'_>, ids: &[String]) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for id in ids {
        facts::find(memory, id)?;
        events.push(Event::Referenced { id: id.clone() });
    }
    Ok(events)
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

pub(crate) fn to_json(session: &OpenSession) -> String {
    serde_json::to_string_pretty(session).unwrap_or_default() + "\n"
}
