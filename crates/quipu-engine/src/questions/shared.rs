//! Answers about what a team shares. Each is a line in a session log, so that nobody on the team is asked twice.

use std::collections::BTreeSet;

use quipu_core::item::{Item, Kind};
use quipu_core::memory::{SESSIONS, Snapshot};
use quipu_core::session::{Note, NoteKind};
use quipu_core::text;

use super::OpenQuestion;
use crate::error::Error;
use crate::operation::Request;
use crate::sessions;
use crate::workspace::Workspace;

/// How the line of an answer begins.
const ANSWERED: &str = "Answered ";

/// How the line begins that takes an answer back.
const REOPENED: &str = "Reopened ";

/// A memory is quoted with at most this many characters.
const LONGEST_QUOTE: usize = 80;

/// Tells whether a question is about nothing but what the team shares.
pub(super) fn is_shared(subjects: &[Option<Item>]) -> bool {
    let is_fact = |item: &Item| matches!(item.kind, Kind::Fact | Kind::Thread);
    !subjects.is_empty() && subjects.iter().all(|item| item.as_ref().is_some_and(is_fact))
}

/// Writes an answer down for the log of this session, or of the next one. It quotes what was asked about,
/// and names no ids: an id in a note counts as a use.
pub(super) fn note_answer(
    workspace: &Workspace,
    open: &OpenQuestion,
    (choice, reason): (&str, &str),
    request: &Request<'_>,
) -> Result<(), Error> {
    let quotes = open.subjects.iter().map(|subject| {
        format!("“{}”", text::ellipsis(&text::collapse_whitespace(&subject.text), LONGEST_QUOTE))
    });
    let quotes = quotes.collect::<Vec<_>>().join(" and ");
    let reason = text::collapse_whitespace(reason);
    let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    let line = format!("{ANSWERED}{}: {choice}{why}. {} {quotes}", open.id, open.asks);
    note(workspace, line, request)
}

/// Writes down that an answer was taken back.
pub(super) fn note_reopened(
    workspace: &Workspace,
    id: &str,
    request: &Request<'_>,
) -> Result<(), Error> {
    note(workspace, format!("{REOPENED}{id}: the answer was taken back."), request)
}

fn note(workspace: &Workspace, text: String, request: &Request<'_>) -> Result<(), Error> {
    let note = Note { kind: NoteKind::Decided, text };
    workspace.change("answer", request.now, request.dry_run, |_| {
        let changes = sessions::recorded(workspace, request.session, |session| {
            session.notes.push(note);
        })?;
        Ok(((), changes))
    })?;
    Ok(())
}

/// Returns the questions that somebody on the team answered, as the session logs say.
pub(super) fn answered_in_logs(snapshot: &Snapshot) -> BTreeSet<String> {
    let mut answered = BTreeSet::new();
    let logs = snapshot.files.range(SESSIONS.to_owned()..);
    let logs = logs.take_while(|(path, _)| path.starts_with(SESSIONS));
    for line in logs.flat_map(|(_, text)| text.lines()) {
        let Some(line) = line.strip_prefix("- ") else { continue };
        let id = |line: &str| line.split_once(':').map(|(id, _)| id.to_owned());
        if let Some(id) = line.strip_prefix(ANSWERED).and_then(id) {
            answered.insert(id);
        } else if let Some(id) = line.strip_prefix(REOPENED).and_then(id) {
            answered.remove(&id);
        }
    }
    answered
}
