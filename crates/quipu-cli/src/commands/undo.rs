//! `quipu undo` and `quipu redo`.

use std::fmt::Write as _;

use quipu_engine::operations::{Redo, Undo, Undone};
use quipu_engine::undo::Change;

use crate::context::Context;
use crate::reply::{BOLD, DIM, Reply, styled};
use crate::spoken::Spoken;

impl Spoken for Undo {
    fn say(&self, output: &Undone, _: &Context) -> Reply {
        Reply::words(match output {
            Undone::Listed { history } if history.is_empty() => "there is nothing to undo\n".into(),
            Undone::Listed { history } => history.iter().map(listed).collect(),
            Undone::Done { undone, dry_run } => done("undo", "undid", undone, *dry_run),
        })
    }
}

impl Spoken for Redo {
    fn say(&self, output: &Undone, _: &Context) -> Reply {
        Reply::words(match output {
            Undone::Done { undone, dry_run } => done("redo", "redid", undone, *dry_run),
            Undone::Listed { .. } => String::new(),
        })
    }
}

/// Returns a change as the list shows it: what it did, then who did it and when.
fn listed(change: &Change) -> String {
    let mut text = String::new();
    let undone = if change.is_undone { ", undone" } else { "" };
    let by = change.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let scope = if change.scope.is_some() { ", yours in every project" } else { "" };
    let about = format!("{}{by}{scope}{undone}  {}", change.at, change.id);
    let _ = writeln!(text, "{}  {}", styled(BOLD, &change.operation), styled(DIM, &about));
    for line in described(change) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn done(verb: &str, past: &str, change: &Change, dry_run: bool) -> String {
    let verb = if dry_run { format!("would {verb}") } else { past.to_owned() };
    let operation = styled(BOLD, &change.operation);
    let about = format!("{}  {}", change.at, change.id);
    let mut text = format!("{verb} {operation}  {}\n", styled(DIM, &about));
    for line in described(change) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// Returns what a change did; the files where nothing else tells.
fn described(change: &Change) -> Vec<String> {
    if change.what.is_empty() { change.paths.clone() } else { change.what.clone() }
}
