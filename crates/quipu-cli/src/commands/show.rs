//! `quipu show`.

use std::fmt::Write as _;

use quipu_core::fact::TierLabel;
use quipu_core::text::counted;
use quipu_engine::operations::Show;
use quipu_engine::report::{FactRow, Shown};

use crate::commands::fact::times;
use crate::commands::recall::{chain, whence};
use crate::context::Context;
use crate::reply::{BOLD, CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Show {
    fn say(&self, shown: &Shown, _: &Context) -> Reply {
        match &shown.usage {
            Some(row) => Reply::words(fact(shown, row))
                .advise(format!("`quipu why {}` explains its tier", shown.id)),
            None if shown.kind == "record" => Reply::words(record(shown)),
            None => Reply::words(&shown.text),
        }
    }
}

fn fact(shown: &Shown, row: &FactRow) -> String {
    let tier = shown.tier.as_ref().map_or("no tier", TierLabel::as_str);
    let mut text = first(shown, &[row.kind, row.state, tier]);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {} {value}", styled(BOLD, format!("{name:<10}")));
    };
    line(
        "place",
        &format!(
            "{}:{}{}",
            row.path,
            row.line,
            row.section.as_ref().map(|s| format!(", {s}")).unwrap_or_default()
        ),
    );
    if let Some(created) = &shown.provenance.created {
        let origin = shown
            .provenance
            .origin
            .as_ref()
            .map(|origin| format!(", {}", whence(origin)))
            .unwrap_or_default();
        line("created", &format!("{created}{origin}"));
    }
    let used = match (&row.last_used, row.sessions_since_last_use) {
        (Some(date), Some(since)) if since.0 == 0 => {
            format!("{}, last {date}, in the newest session", times(row.uses))
        }
        (Some(date), Some(since)) => {
            format!("{}, last {date}, {} ago", times(row.uses), counted(since, "session"))
        }
        _ => "never named by a session".to_owned(),
    };
    line("used", &used);
    if !shown.sessions.is_empty() {
        let newest: Vec<&str> = shown.sessions.iter().rev().take(5).map(String::as_str).collect();
        line("sessions", &newest.join(", "));
    }
    decided(&mut text, shown);
    text
}

fn record(shown: &Shown) -> String {
    let mut text = first(shown, &[shown.kind, shown.status, shown.layer, shown.kind_of_memory]);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {} {value}", styled(BOLD, format!("{name:<10}")));
    };
    line("place", &shown.provenance.path);
    if let Some(created) = &shown.provenance.created {
        line("created", created);
    }
    if let Some(imported) = &shown.provenance.imported {
        line("source", imported);
    }
    if let Some(session) = &shown.provenance.origin {
        line("session", session);
    }
    decided(&mut text, shown);
    text
}

/// The words of a memory, then its id and standing.
fn first(shown: &Shown, standing: &[&str]) -> String {
    let mut text = format!("{}\n", shown.text.trim_end());
    let standing = styled(DIM, standing.join(" · "));
    let _ =
        writeln!(text, "\n  {} {} {standing}", styled(BOLD, "id        "), styled(CYAN, &shown.id));
    text
}

/// What was decided about it, and what it replaced.
fn decided(text: &mut String, shown: &Shown) {
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "  {} {value}", styled(BOLD, format!("{name:<10}")));
    };
    if !shown.tags.is_empty() {
        line("tags", &shown.tags.join(", "));
    }
    for link in &shown.links {
        line("link", &format!("{} ({})", link.to, link.relation));
    }
    for note in &shown.notes {
        line("note", note);
    }
    if !shown.supersedes.is_empty() {
        line("replaces", &chain(&shown.supersedes));
    }
    if let Some(successor) = &shown.superseded_by {
        line("", &format!("{} {successor}", styled(YELLOW, "superseded by")));
    }
}
