//! What happens to a memory while somebody watches, whoever writes it: this process, another one, or an editor.
//!
//! The ledger is only added to, so a place in it is a position: how far the newest day and the newest file of events
//! have been read. Whoever comes back with a position hears everything that was added since. Facts and session logs
//! are in files of their own; a position has a fingerprint of these, and says after a gap only that they changed.

mod shared;
mod tail;

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use quipu_core::item::{Decision, EntryKind, Kind, Sensitivity};
use quipu_core::journal::{self, Record};
use schemars::JsonSchema;
use serde::Serialize;

use self::shared::Shared;
use self::tail::Tail;
use crate::error::Error;
use crate::index;
use crate::ledger;
use crate::transaction::log::{LOG, Line};
use crate::workspace::Workspace;

/// Something that happened. It has no words of the memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Happening {
    /// What happened: `remembered`, `decided`, `asked`, `answered`, `dreamed`, `taken-back`, `added`, `changed`,
    /// `removed`, or `reset`, after which everything has to be read anew.
    pub what: &'static str,
    /// To what: an id, or a path.
    pub id: String,
    /// What that is: `record`, `fact`, `thread`, `session`, `file`, …
    pub kind: &'static str,
    /// Who did it, where that is known.
    pub by: Option<String>,
    /// When, where that is known.
    pub at: Option<String>,
    /// The change that it belongs to, where that is known.
    pub change: Option<String>,
}

impl Happening {
    fn new(what: &'static str, kind: &'static str, id: &str) -> Self {
        Self { what, id: id.to_owned(), kind, by: None, at: None, change: None }
    }
}

/// Somebody who watches a memory.
#[derive(Debug)]
pub struct Watcher {
    days: Tail,
    events: Tail,
    shared: Shared,
    /// How much of the change log was read.
    log: u64,
    /// What has to be told at the next look.
    due: Option<Happening>,
}

/// A place in the ledger, as text.
impl fmt::Display for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{:x}", self.days, self.events, self.shared.fingerprint)
    }
}

impl Watcher {
    /// Begins to watch, at a position that an earlier watcher had, or now.
    ///
    /// # Errors
    /// When the memory cannot be read.
    pub fn begin(workspace: &Workspace, after: Option<&str>) -> Result<Self, Error> {
        let mut watcher = Self {
            days: Tail::end(workspace, &ledger::days(workspace)?),
            events: Tail::end(workspace, &ledger::events(workspace)),
            shared: Shared::read(workspace),
            log: log_size(workspace),
            due: None,
        };
        let Some(after) = after else { return Ok(watcher) };
        let Some((days, events, fingerprint)) = read_position(after) else {
            watcher.due = Some(Happening::new("reset", "memory", ""));
            return Ok(watcher);
        };
        (watcher.days, watcher.events) = (days, events);
        if fingerprint != watcher.shared.fingerprint {
            watcher.due = Some(Happening::new("changed", "file", "memory/"));
        }
        Ok(watcher)
    }

    /// Returns what happened since the last look, each with the position after it.
    ///
    /// # Errors
    /// When the memory cannot be read.
    pub fn look(&mut self, workspace: &Workspace) -> Result<Vec<(String, Happening)>, Error> {
        let mut found: Vec<(String, Happening)> = Vec::new();
        // A reset counts from now on.
        if let Some(due) = self.due.take() {
            found.push((self.to_string(), due));
        }
        let lines = self.new_lines(workspace);
        let changes: BTreeMap<&str, &Line> = lines
            .iter()
            .flat_map(|line| {
                line.ids.iter().map(move |id| (id.split('@').next().unwrap_or(id), line))
            })
            .collect();
        for is_day in [true, false] {
            let paths = if is_day { ledger::days(workspace)? } else { ledger::events(workspace) };
            let Some((added, end)) = self.tail(is_day).added(workspace, &paths) else {
                *self.tail(is_day) = Tail::end(workspace, &paths);
                found.push((self.to_string(), Happening::new("reset", "memory", "")));
                continue;
            };
            for (place, record) in added {
                *self.tail(is_day) = place;
                let Some(mut happening) = told(workspace, &record) else { continue };
                happening.change = changes.get(&*record.id).map(|line| line.change.clone());
                found.push((self.to_string(), happening));
            }
            *self.tail(is_day) = end;
        }
        let before = self.shared.fingerprint;
        let mut differences = self.shared.look(workspace);
        let now = self.shared.fingerprint;
        let last = lines.iter().rev().find(|line| line.entry.is_some());
        let count = differences.len();
        for (at, mut happening) in differences.drain(..).enumerate() {
            if let Some(line) = last {
                happening.by = Some(line.by.clone()).filter(|by| !by.is_empty());
                happening.at = Some(line.at.clone());
                happening.change = Some(line.change.clone());
            }
            // Whoever comes back in the middle hears that something changed.
            self.shared.fingerprint = if at + 1 < count { before } else { now };
            found.push((self.to_string(), happening));
        }
        self.shared.fingerprint = now;
        Ok(found)
    }

    fn tail(&mut self, is_day: bool) -> &mut Tail {
        if is_day { &mut self.days } else { &mut self.events }
    }

    /// Returns what was added to the change log; it says who made a change.
    fn new_lines(&mut self, workspace: &Workspace) -> Vec<Line> {
        let size = log_size(workspace);
        let from = if size < self.log { 0 } else { self.log };
        let Some((text, end)) = tail::read_from(workspace, &workspace.state(LOG), from) else {
            return Vec::new();
        };
        self.log = end;
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

fn log_size(workspace: &Workspace) -> u64 {
    workspace.fs().stat(&workspace.state(LOG)).map_or(0, |(_, size)| size)
}

/// Reads a position.
fn read_position(text: &str) -> Option<(Tail, Tail, u64)> {
    let parts: Vec<&str> = text.split('.').collect();
    let [day, day_size, day_older, events, events_size, events_older, fingerprint] = *parts else {
        return None;
    };
    let days = Tail::parse([day, day_size, day_older], journal::daily_path)?;
    let events = Tail::parse([events, events_size, events_older], journal::events_path)?;
    Some((days, events, u64::from_str_radix(fingerprint, 16).ok()?))
}

/// Says what a line of the ledger means; nothing where it is about a secret, or the engine's own bookkeeping.
fn told(workspace: &Workspace, record: &Record) -> Option<Happening> {
    if record.provenance.sensitivity == Sensitivity::Secret {
        return None;
    }
    let event = record.event();
    let what = match &event.decision {
        None => EntryKind::Remembered.as_str(),
        Some(Decision::Weigh(_)) => return None,
        Some(Decision::Revert { .. }) => "taken-back",
        Some(Decision::Dreamed { .. }) => EntryKind::Dreamed.as_str(),
        Some(Decision::Ask { .. }) => EntryKind::Asked.as_str(),
        Some(Decision::Answer { .. }) => EntryKind::Answered.as_str(),
        Some(_) => EntryKind::Decided.as_str(),
    };
    let known = || index::store(workspace).ok()?.place(&event.item).ok().flatten();
    let kind = if event.decision.is_some() { known().map(|(kind, _)| kind) } else { None };
    let mut happening = Happening::new(what, kind.unwrap_or(Kind::Record).as_str(), &event.item);
    happening.by = Some(event.actor).filter(|by| !by.is_empty());
    happening.at = Some(stamp(event.at));
    Some(happening)
}

fn stamp(at: Timestamp) -> String {
    crate::workspace::stamp(at)
}
