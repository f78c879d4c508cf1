//! Taking back what an operation wrote: facts, records, decisions, answers, dreams, compactions and
//! files, all by one change log. An undo is a change too, so that it can be taken back.
//!
//! The ledger is never rewritten: what stands in a day file or an event file is taken back by an
//! event that says so. All other files get their bytes back.

mod restore;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::item::{Item, Kind, Scope, Status};
use quipu_core::journal;
use schemars::JsonSchema;
use serde::Serialize;

use self::restore::Restored;
use crate::caller::Actor;
use crate::error::Error;
use crate::index;
use crate::ledger;
use crate::operation::Request;
use crate::refusal::Refusal;
use crate::transaction::log::{FileEdit, LOG, Line};
use crate::transaction::{ApplyError, CommitOptions};
use crate::workspace::{Workspace, stamp};

/// What one operation wrote, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// Its id.
    pub id: String,
    /// When it was made.
    pub at: String,
    /// The operation, such as `fact add`.
    pub operation: String,
    /// Who made it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What it did, one line for each thing.
    pub what: Vec<String>,
    /// The files of the memory that it changed.
    pub paths: Vec<String>,
    /// The change that it took back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes_back: Option<String>,
    /// Whether it was taken back since.
    pub is_undone: bool,
    /// `user` where it is in the user's own memory, which every project shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

impl Change {
    /// Adds what the same change did in another memory.
    fn add_part(&mut self, part: Self) {
        self.what.extend(part.what);
        self.paths.extend(part.paths);
    }
}

/// The parts of one change in one memory.
struct Logged {
    id: String,
    lines: Vec<Line>,
}

impl Logged {
    fn last(&self) -> &Line {
        self.lines.last().expect("a change has at least one line")
    }

    fn takes_back(&self) -> Option<&str> {
        self.lines.iter().find_map(|line| line.takes_back.as_deref())
    }

    /// Returns the records and events that it appended, each with the item that it is about.
    fn events(&self) -> impl Iterator<Item = (&str, &str)> {
        let ids = self.lines.iter().flat_map(|line| &line.ids);
        ids.map(|id| id.split_once('@').unwrap_or((id, id)))
    }

    /// Tells whether nothing is left of it: all that it did was to make files that are not there.
    fn is_void(&self, workspace: &Workspace) -> bool {
        let is_gone = |edit: &FileEdit| {
            let path = workspace.root().join(&edit.path);
            edit.sha256.is_some() && workspace.fs().stat(&path).is_err()
        };
        self.lines.iter().all(|line| {
            let made_files = line.ids.is_empty() && line.entry.is_none() && !line.edits.is_empty();
            made_files && line.edits.iter().all(is_gone)
        })
    }

    /// Returns the items that it is about: those of its events, and those of files that it made as a whole.
    fn items(&self, workspace: &Workspace) -> BTreeSet<String> {
        let mut items: BTreeSet<String> = self.events().map(|(_, item)| item.to_owned()).collect();
        let edits = self.lines.iter().flat_map(|line| &line.edits);
        for edit in edits.filter(|edit| journal::is_imports(&edit.path)) {
            // A file that is gone has no items.
            let text = workspace.read_optional(&edit.path).ok().flatten().unwrap_or_default();
            items.extend(journal::records(&text).map(|(_, record)| record.event().item));
        }
        items
    }
}

/// The changes that are known, oldest first, and which of them were taken back.
struct Log {
    changes: Vec<Logged>,
    undone: BTreeSet<String>,
}

impl Log {
    fn read(workspace: &Workspace) -> Result<Self, Error> {
        let mut by_id: BTreeMap<String, Vec<Line>> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        for line in workspace.transactions().log()? {
            // A change stands where its last part does.
            order.retain(|id| *id != line.change);
            order.push(line.change.clone());
            by_id.entry(line.change.clone()).or_default().push(line);
        }
        let mut changes: Vec<Logged> = order
            .into_iter()
            .map(|id| Logged { lines: by_id.remove(&id).unwrap_or_default(), id })
            .collect();
        // Last first: an undo counts unless a later one took it back.
        let mut undone = BTreeSet::new();
        for change in changes.iter().rev() {
            if let Some(other) = change.takes_back().filter(|_| !undone.contains(&change.id)) {
                undone.insert(other.to_owned());
            }
        }
        changes.retain(|change| undone.contains(&change.id) || !change.is_void(workspace));
        Ok(Self { changes, undone })
    }

    fn is_undone(&self, change: &Logged) -> bool {
        self.undone.contains(&change.id)
    }

    /// Returns the change of an id, or of a beginning that only one has.
    fn named(&self, name: &str) -> Result<usize, Refusal> {
        if let Some(at) = self.changes.iter().position(|change| change.id == name) {
            return Ok(at);
        }
        let fits = |change: &Logged| !name.is_empty() && change.id.starts_with(name);
        let found: Vec<usize> =
            (0..self.changes.len()).filter(|at| fits(&self.changes[*at])).collect();
        match found[..] {
            [] => Err(Refusal::NoChange { id: name.to_owned() }),
            [only] => Ok(only),
            _ => {
                let ids = found.iter().map(|at| self.changes[*at].id.clone()).take(4).collect();
                Err(Refusal::Ambiguous { id: name.to_owned(), ids })
            }
        }
    }

    /// Returns the change that was made last and still stands.
    fn last(&self) -> Result<usize, ApplyError> {
        let stands = |change: &Logged| change.takes_back().is_none() && !self.is_undone(change);
        self.changes.iter().rposition(stands).ok_or(ApplyError::NothingToUndo)
    }

    /// Returns the operation of a change.
    fn operation_of(&self, id: &str) -> Option<String> {
        let change = self.changes.iter().find(|change| change.id == id)?;
        Some(change.last().operation.clone())
    }

    /// Describes a change.
    fn summary(&self, workspace: &Workspace, change: &Logged) -> Change {
        let operation_of = |id: &str| self.operation_of(id);
        words::summary(workspace, change, self.is_undone(change), &operation_of)
    }

    /// Returns the undo that was made last, where nothing else was written since.
    fn last_undo(&self) -> Result<usize, Refusal> {
        let is_undo_of_undo = |change: &Logged| {
            let other = change.takes_back();
            let undone = self.changes.iter().find(|one| other == Some(&one.id));
            undone.is_some_and(|undone| undone.takes_back().is_some())
        };
        let mut standing = (0..self.changes.len()).rev().filter(|at| {
            let change = &self.changes[*at];
            !self.is_undone(change) && !is_undo_of_undo(change)
        });
        let last = standing.next().filter(|at| self.changes[*at].takes_back().is_some());
        last.ok_or(Refusal::NothingToRedo)
    }

    /// Returns the changes after one that still stand, without pairs of a change and its undo.
    fn later(&self, at: usize) -> impl Iterator<Item = &Logged> {
        let later = &self.changes[at + 1..];
        later.iter().filter(move |change| {
            let other = change.takes_back();
            let is_pair = other.is_some_and(|other| later.iter().any(|one| one.id == other));
            !self.is_undone(change) && !is_pair
        })
    }
}

/// Returns what was remembered last and still holds, with the time of that.
///
/// # Errors
/// When the change log or the index cannot be read.
pub fn last_remembered(workspace: &Workspace) -> Result<Option<(Item, String)>, Error> {
    index::freshen(workspace)?;
    let log = Log::read(workspace)?;
    let standing = log.changes.iter().rev().filter(|change| !log.is_undone(change));
    for change in standing.filter(|change| change.takes_back().is_none()) {
        for id in words::added(workspace, change).iter().rev() {
            let Ok(item) = index::resolve(workspace, id) else { continue };
            if item.status == Status::Active && item.kind != Kind::Archived {
                return Ok(Some((item, change.last().at.clone())));
            }
        }
    }
    Ok(None)
}

/// Takes back a change: the last one, or the one of an id.
///
/// # Errors
/// When there is none, a later change depends on it, or a file was edited since.
pub fn undo(
    workspace: &Workspace,
    change: Option<&str>,
    request: &Request<'_>,
) -> Result<Change, Error> {
    let log = Log::read(workspace)?;
    let at = match change {
        Some(name) => log.named(name)?,
        None => log.last()?,
    };
    take_back_everywhere(workspace, &log.changes[at].id, request)
}

/// Takes back the last undo. Returns the change that stands again.
///
/// # Errors
/// When the last change was no undo, or a file was edited since.
pub fn redo(workspace: &Workspace, request: &Request<'_>) -> Result<Change, Error> {
    let log = Log::read(workspace)?;
    let undo = &log.changes[log.last_undo()?];
    let brought_back = undo.takes_back().map(str::to_owned);
    let undone = take_back_everywhere(workspace, &undo.id, request)?;
    let log = Log::read(workspace)?;
    let change = log.changes.iter().find(|change| brought_back.as_ref() == Some(&change.id));
    Ok(change.map_or(undone, |change| log.summary(workspace, change)))
}

/// Returns the memory that was changed last, of those that belong to a project: its own, that of the main
/// checkout, and the user's.
pub fn changed_last(workspace: &Workspace) -> &Workspace {
    newest_of(workspace, |log| log.last().ok())
}

/// Returns the memory in which a change was undone last, of those that belong to a project.
pub fn undone_last(workspace: &Workspace) -> &Workspace {
    newest_of(workspace, |log| log.last_undo().ok())
}

fn newest_of(workspace: &Workspace, choose: impl Fn(&Log) -> Option<usize>) -> &Workspace {
    let when = |one: &Workspace| {
        let log = Log::read(one).ok()?;
        let change = &log.changes[choose(&log)?];
        // Of one second the log that was written to last has the later change.
        let written = one.fs().stamp(&one.state(LOG)).ok().map(|stamp| stamp.written);
        Some(((change.last().at.clone(), written), change.id.clone()))
    };
    let known = workspace.all_scopes().filter_map(|one| Some((when(one)?, one)));
    // Of equals, and of parts of one change, the first: what belongs to the project itself.
    let is_newer = |((next, id), _): &((_, String), _), ((best, other), _): &((_, String), _)| {
        next > best && id != other
    };
    let newest = known.reduce(|best, next| if is_newer(&next, &best) { next } else { best });
    newest.map_or(workspace, |(_, one)| one)
}

/// Takes back a change in each memory of a project that has a part of it.
fn take_back_everywhere(
    workspace: &Workspace,
    id: &str,
    request: &Request<'_>,
) -> Result<Change, Error> {
    let has_part = |one: &&Workspace| {
        let stands =
            |log: Log| log.changes.iter().any(|change| change.id == id && !log.is_undone(change));
        !std::ptr::eq(*one, workspace) && Log::read(one).is_ok_and(stands)
    };
    let others: Vec<&Workspace> = workspace.all_scopes().filter(has_part).collect();
    let look = Request { dry_run: true, ..*request };
    for other in &others {
        take_back(other, id, &look)?;
    }
    let mut change = take_back(workspace, id, request)?;
    for other in others {
        let part = workspace.as_part_of_change(other, || take_back(other, id, request))?;
        change.add_part(part);
    }
    Ok(change)
}

fn take_back(workspace: &Workspace, id: &str, request: &Request<'_>) -> Result<Change, Error> {
    let lock = workspace.lock_for_writing()?;
    index::index_locked(workspace, &lock, &mut |_, _| {})?;
    if !request.dry_run {
        // Words that a person wrote are in the ledger before the lines that have them may go.
        let _ = crate::journal::record_edits_by_hand(workspace, &lock, request.now);
    }
    let log = Log::read(workspace)?;
    let at = log.named(id)?;
    let change = &log.changes[at];
    if log.is_undone(change) {
        return Err(Refusal::AlreadyUndone { id: change.id.clone() }.into());
    }
    refuse_others_work(change, request)?;
    refuse_dependents(workspace, &log, at)?;
    let restored = Restored::of(workspace, change, request)?;
    let summary = log.summary(workspace, change);
    if request.dry_run {
        return Ok(summary);
    }
    let options = CommitOptions {
        takes_back: Some(change.id.clone()),
        ids: restored.ids,
        modes: restored.modes,
        rewrites_ledger: restored.rewrites_ledger,
        ..CommitOptions::default()
    };
    let (files, expected) = (&restored.files, &restored.expected);
    for path in files.keys().filter(|path| quipu_core::journal::is_events(path)) {
        ledger::prepare_folder_of(workspace, path)?;
    }
    workspace.transactions().commit("undo", &stamp(request.now), files, expected, options)?;
    // It is written; an index that cannot follow now does so with the next command.
    let _ = index::index_locked(workspace, &lock, &mut |_, _| {});
    let _ = crate::journal::show_current_words(workspace, &lock, &change.items(workspace));
    for (path, bytes) in &restored.files {
        if bytes.is_none() && !path.starts_with(crate::state::PREFIX) {
            workspace.remove_empty_folders(path);
        }
    }
    Ok(summary)
}

/// An agent takes back only what it did itself, and what version 0.1 wrote without an author.
fn refuse_others_work(change: &Logged, request: &Request<'_>) -> Result<(), Refusal> {
    match request.caller.actor {
        Actor::Agent(name) if !["", name].contains(&&*change.last().by) => {
            let (id, by) = (change.id.clone(), change.last().by.clone());
            Err(Refusal::NotTheirChange { id, by, agent: name.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Refuses where something that was written later is about the same memories.
fn refuse_dependents(workspace: &Workspace, log: &Log, at: usize) -> Result<(), Refusal> {
    let change = &log.changes[at];
    let items = change.items(workspace);
    let touches = |other: &&Logged| other.items(workspace).iter().any(|item| items.contains(item));
    match log.later(at).find(touches) {
        Some(later) => Err(Refusal::ChangedSince {
            id: change.id.clone(),
            later: later.id.clone(),
            operation: later.last().operation.clone(),
        }),
        None => Ok(()),
    }
}

/// Returns the operations whose changes are known. The caller holds the lock.
///
/// # Errors
/// When the log cannot be read.
pub fn operations(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let log = Log::read(workspace)?;
    Ok(log.changes.iter().map(|change| change.last().operation.clone()).collect())
}

/// Returns the changes of all memories that belong to a project, newest first.
///
/// # Errors
/// When a log cannot be read.
pub fn changes_of_all(workspace: &Workspace, most: usize) -> Result<Vec<Change>, Error> {
    let mut logs = Vec::new();
    for one in workspace.all_scopes() {
        let scope = (one.is_user_scope() && !workspace.is_user_scope()).then_some(Scope::User);
        let log = changes(one, most)?.into_iter().map(move |change| Change { scope, ..change });
        logs.push(log.peekable());
    }
    // Each log keeps its order, also where a clock was set back: the beginning of a list is the same for every length.
    let mut all: Vec<Change> = Vec::new();
    loop {
        let newest = logs.iter_mut().enumerate().filter_map(|(at, log)| {
            log.peek().map(|change| (change.at.clone(), std::cmp::Reverse(at)))
        });
        let Some((_, std::cmp::Reverse(at))) = newest.max() else { break };
        let Some(change) = logs[at].next() else { break };
        // A change over two memories has a part in the log of each.
        let has_room = all.len() < most;
        match all.iter_mut().find(|known| known.id == change.id) {
            Some(known) => known.add_part(change),
            None if has_room => all.push(change),
            None => {}
        }
    }
    Ok(all)
}

/// Returns the changes that are known, newest first.
///
/// # Errors
/// When the log cannot be read.
pub fn changes(workspace: &Workspace, most: usize) -> Result<Vec<Change>, Error> {
    let _lock = workspace.lock_for_reading()?;
    let log = Log::read(workspace)?;
    if !log.changes.is_empty() {
        index::freshen(workspace)?;
    }
    let newest = log.changes.iter().rev().take(most);
    Ok(newest.map(|change| log.summary(workspace, change)).collect())
}
