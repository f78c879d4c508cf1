//! Off the record: for a time, or a session, no hook keeps anything. What is paused stands in `pause.json` in the state
//! folder; how far a conversation was off the record is known by the hooks themselves.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::workspace::{self, Workspace};

/// The state file.
const FILE: &str = "pause.json";

/// Something that is off the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Since when.
    pub from: Timestamp,
    /// Until when; without it until somebody resumes.
    pub until: Option<Timestamp>,
    /// Whose session: Quipu's id, or the name under which hooks know a client's. Without it every session.
    pub session: Option<String>,
    /// Only the turn that began it.
    #[serde(default)]
    pub turn: bool,
}

impl Pause {
    fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    fn is_about(&self, names: &[&str]) -> bool {
        self.session.as_deref().is_none_or(|session| names.contains(&session))
    }

    /// Says what is off the record and how it ends.
    pub fn words(&self) -> String {
        let what = match (&self.session, self.turn) {
            (_, true) => "this turn is off the record".to_owned(),
            (Some(_), false) => "one session is off the record".to_owned(),
            (None, false) => "off the record".to_owned(),
        };
        let end = self.until.map_or_else(
            || "until `quipu resume`".to_owned(),
            |until| format!("until {} (`quipu resume` ends it)", until.strftime("%Y-%m-%d %H:%MZ")),
        );
        format!("{what} {end}: no hook keeps anything")
    }
}

/// Returns what is off the record now.
pub fn pauses(workspace: &Workspace, now: Timestamp) -> Vec<Pause> {
    let bytes = workspace.fs().read(&workspace.state(FILE)).unwrap_or_default();
    let all: Vec<Pause> = serde_json::from_slice(&bytes).unwrap_or_default();
    all.into_iter().filter(|one| one.holds(now)).collect()
}

/// Returns why a session is off the record, if it is; `names` are the names that it has.
pub(crate) fn of(workspace: &Workspace, now: Timestamp, names: &[&str]) -> Option<Pause> {
    pauses(workspace, now).into_iter().find(|one| one.is_about(names))
}

/// Takes everything, or one session, off the record.
///
/// # Errors
/// When the state folder cannot be written.
pub fn pause(
    workspace: &Workspace,
    now: Timestamp,
    length: Option<SignedDuration>,
    session: Option<&str>,
) -> Result<Pause, Error> {
    let until = length.and_then(|length| now.checked_add(length).ok());
    begin(workspace, Pause { from: now, until, session: session.map(str::to_owned), turn: false })
}

/// Begins a pause, in the place of an older one of the same session.
pub(crate) fn begin(workspace: &Workspace, pause: Pause) -> Result<Pause, Error> {
    let mut all = pauses(workspace, pause.from);
    all.retain(|one| one.session != pause.session);
    all.push(pause.clone());
    write(workspace, &all)?;
    Ok(pause)
}

/// Ends what is off the record: all of it, or one session's; returns what was.
///
/// # Errors
/// When the state folder cannot be written.
pub fn resume(
    workspace: &Workspace,
    now: Timestamp,
    session: Option<&str>,
) -> Result<Vec<Pause>, Error> {
    end(workspace, now, |one| session.is_none_or(|session| one.session.as_deref() == Some(session)))
}

/// Ends the pauses that `ends` names; returns them.
pub(crate) fn end(
    workspace: &Workspace,
    now: Timestamp,
    ends: impl Fn(&Pause) -> bool,
) -> Result<Vec<Pause>, Error> {
    let (ended, kept): (Vec<Pause>, Vec<Pause>) =
        pauses(workspace, now).into_iter().partition(ends);
    if !ended.is_empty() {
        write(workspace, &kept)?;
    }
    Ok(ended)
}

fn write(workspace: &Workspace, all: &[Pause]) -> Result<(), Error> {
    workspace.prepare_state()?;
    let path = workspace.state(FILE);
    let fail = |source| workspace::reading(".quipu/pause.json", source);
    if all.is_empty() {
        return match workspace.fs().remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(fail(error)),
            _ => Ok(()),
        };
    }
    let text = serde_json::to_vec(all).unwrap_or_default();
    workspace.fs().write(&path, &text).map_err(fail)
}
