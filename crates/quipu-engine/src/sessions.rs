//! Working sessions: open ones live in `.quipu/sessions`, one log is written at the end.
//!
//! What happens to facts outside any session waits in `.quipu/pending.json` for the next log, so
//! that no event is lost and reviewing never advances the clock by itself.

mod end;
mod evidence;

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;
use quipu_core::facts::{self};
use quipu_core::memory::{Changes, Memory};
use quipu_core::session::{Event, Note, OpenSession};
use quipu_core::text;

pub use self::end::{EndRequest, Ended, session_end};
pub use self::evidence::evidence_of;
use crate::error::{Error, Failure};
use crate::lock::Lock;
use crate::operation::Request;
use crate::secret_policy::guarded_words;
use crate::workspace::{ReadError, Workspace};

/// Why a session cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No session is open that the caller could mean.
    #[error("no session is open{}", others(*of_agents))]
    NoneOpen {
        /// How many hooks opened for agents.
        of_agents: usize,
    },
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
            Self::NoneOpen { of_agents: 0 } => "begin one with `quipu session start`".to_owned(),
            Self::NoneOpen { .. } => "an agent's session ends with its client; to end one yourself, name it with `--session ID` (`quipu session list` shows them)".to_owned(),
            Self::Several { .. } => "name one with --session ID or QUIPU_SESSION".to_owned(),
            Self::Unknown { .. } => "`quipu session list` shows open sessions and logs".to_owned(),
            Self::BadRecord { path, .. } => format!("correct or remove {path}"),
        })
    }
}

/// Says how many sessions agents have open.
fn others(of_agents: usize) -> String {
    match of_agents {
        0 => String::new(),
        1 => " but that of an agent".to_owned(),
        many => format!(" but those of {many} agents"),
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

fn given_path(id: &str) -> String {
    format!(".quipu/sessions/{id}.given")
}

/// Reads a session's record of version 0.1 strictly; returns it as it may be written again.
pub(crate) fn rewritten(bytes: &[u8]) -> Option<Vec<u8>> {
    let session: OpenSession = serde_json::from_slice(bytes).ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    // The id becomes the name of a file.
    if !session.id.bytes().all(is_plain) || session.id.starts_with('.') {
        return None;
    }
    Some(to_json(&session).into_bytes())
}

/// Returns the text of a session's record without the words by which uses were seen.
pub(crate) fn without_evidence(text: &str) -> String {
    match serde_json::from_str::<OpenSession>(text) {
        Ok(mut session) if !session.uses.is_empty() => {
            session.uses.clear();
            to_json(&session)
        }
        _ => text.to_owned(),
    }
}

/// Says that the caller has no session open, whoever else may have one.
pub const NO_SESSION: &str = "-";

/// Returns the first line of prose in a log.
pub(crate) fn summary_line(log: &str) -> String {
    let prose = |line: &&str| {
        let line = line.trim();
        !line.is_empty()
            && !line.starts_with('#')
            && !line.starts_with("**Agent")
            && !line.starts_with("**User")
            && !line.starts_with("---")
    };
    let line = log.lines().find(prose).unwrap_or_default();
    let line = line.trim_start_matches(['-', '*', ' ']).replace("**", "");
    text::ellipsis(&line, 90)
}

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

/// Returns the session that `name` means, or the only one that somebody opened. One that a hook opened is its
/// agent's: others do not mean it, so that it never stands in their way.
fn chosen_session(workspace: &Workspace, name: Option<&str>) -> Result<OpenSession, Error> {
    if name == Some(NO_SESSION) {
        return Err(SessionError::NoneOpen { of_agents: 0 }.into());
    }
    let mut open = open_sessions(workspace)?;
    if let Some(name) = name {
        let at = open.iter().position(|session| session.id == name);
        let at = at.ok_or_else(|| SessionError::Unknown { id: name.to_owned() })?;
        return Ok(open.swap_remove(at));
    }
    let in_all = open.len();
    open.retain(|session| !session.by_hook);
    match open.len() {
        0 => Err(SessionError::NoneOpen { of_agents: in_all }.into()),
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
            Some(SessionError::NoneOpen { .. } | SessionError::Several { .. }) => None,
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

/// Returns the open session that a hook began for the caller, where it can only be that one.
///
/// # Errors
/// When the open sessions cannot be read.
pub fn session_by_hook(workspace: &Workspace, agent: &str) -> Result<Option<String>, Error> {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
    };
    let caller = plain(agent);
    // Clients add to their names: `codex-mcp-client`, `cursor-vscode`.
    let is_theirs = |agent: Option<&str>| {
        agent.map(plain).is_some_and(|agent| !agent.is_empty() && caller.starts_with(&agent))
    };
    let open = open_sessions(workspace)?.into_iter();
    let mut open = open.filter(|open| open.by_hook && is_theirs(open.agent.as_deref()));
    Ok(match (open.next(), open.next()) {
        (Some(only), None) => Some(only.id),
        _ => None,
    })
}

/// Opens a session for a hook: as [`session_start`], and nothing to undo, for nobody
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
        by_hook: true,
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
    for path in [record_path(id), opened_path(id), given_path(id)] {
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
    request: &Request<'_>,
) -> Result<OpenSession, Error> {
    let Request { operation, now, dry_run, .. } = *request;
    let named = |name: Option<&str>| {
        name.and_then(one_line).map(|name| guarded_words(workspace.config(), &name)).transpose()
    };
    let (agent, user) = (named(agent)?, named(user)?);
    let (agent, user) = (agent.as_deref(), user.as_deref());
    let (session, _) = workspace.change(operation, now, dry_run, |_| {
        let id = free_id(workspace, agent, now)?;
        let session = OpenSession {
            id: id.clone(),
            agent: agent.map(str::to_owned),
            user: user.map(str::to_owned),
            started: Some(now),
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
    note: &Note,
    references: &[String],
    request: &Request<'_>,
) -> Result<OpenSession, Error> {
    let note = guarded_note(workspace, note)?;
    let Request { operation, now, dry_run, session: name, .. } = *request;
    let (session, _) = workspace.change(operation, now, dry_run, |memory| {
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
            Some(SessionError::NoneOpen { .. }) => return Ok(()),
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

/// The session that records go to: the named one, the open one, or one for the day.
pub(crate) fn session_for_records(
    workspace: &Workspace,
    request: &Request<'_>,
) -> Result<String, Error> {
    let open = match request.session {
        Some(NO_SESSION) => Vec::new(),
        Some(name) => return Ok(name.to_owned()),
        None => open_sessions(workspace)?.into_iter().filter(|open| !open.by_hook).collect(),
    };
    Ok(match &open[..] {
        [only] => only.id.clone(),
        _ => workspace.day(request.now).to_string(),
    })
}

pub(crate) fn to_json(session: &OpenSession) -> String {
    serde_json::to_string_pretty(session).unwrap_or_default() + "\n"
}

/// Remembers that facts were given to a session by recall or a briefing: its agent may rely on them. Nothing else
/// is written, and a disk that cannot be written is no reason to fail a reader.
pub(crate) fn note_given(workspace: &Workspace, name: Option<&str>, ids: &[&str]) {
    let Some(name) = name.filter(|name| *name != NO_SESSION && !ids.is_empty()) else { return };
    if !matches!(open_session(workspace, name), Ok(Some(session)) if session.by_hook) {
        return;
    }
    let known = given_ids(workspace, name);
    let new: Vec<&str> =
        ids.iter().copied().filter(|id| !known.iter().any(|one| one == id)).collect();
    if !new.is_empty() {
        // See above.
        let path = workspace.locate(&given_path(name));
        let _ = workspace.fs().append(&path, (new.join("\n") + "\n").as_bytes());
    }
}

/// Returns the ids of facts that were given to a session.
pub(crate) fn given_ids(workspace: &Workspace, session: &str) -> Vec<String> {
    let bytes = workspace.fs().read(&workspace.locate(&given_path(session))).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// Returns the ids that were opened during a session.
fn opened_ids(workspace: &Workspace, session: &str) -> Vec<String> {
    let bytes = workspace.fs().read(&workspace.locate(&opened_path(session))).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
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
