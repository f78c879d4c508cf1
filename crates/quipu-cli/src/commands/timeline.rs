//! `quipu timeline` and `quipu fact cords`.

use std::fmt::Write as _;

use quipu_core::item::EntryKind;
use quipu_core::question::FILED;
use quipu_core::text;
use quipu_engine::cords::{Cord, Cords};
use quipu_engine::operations::{FactCords, Timeline};
use quipu_engine::timeline::{TimelineEntry, TimelinePage};

use crate::context::Context;
use crate::reply::{BOLD, CYAN, DIM, Reply, styled};
use crate::spoken::Spoken;

/// So much of a fact's name is shown before its cord.
const NAME_WIDTH: usize = 32;

impl Spoken for Timeline {
    fn say(&self, page: &TimelinePage, _: &Context) -> Reply {
        if page.items.is_empty() {
            return Reply::words("nothing happened that matches\n");
        }
        let mut told = String::new();
        let mut day = String::new();
        for entry in &page.items {
            let this = entry.at.strftime("%Y-%m-%d").to_string();
            if this != day {
                let _ = writeln!(told, "{}", styled(BOLD, &this));
                day = this;
            }
            let _ = writeln!(told, "{}", line(entry));
        }
        let reply = Reply::words(told);
        match &page.next {
            Some(next) => reply.advise(format!("`--after '{next}'` goes on")),
            None => reply,
        }
    }
}

fn line(entry: &TimelineEntry) -> String {
    // The footer of a fact names its day alone.
    let time = match entry.kind {
        EntryKind::Fact => " ".repeat(5),
        _ => entry.at.strftime("%H:%M").to_string(),
    };
    let about = entry.about.strip_prefix(FILED).unwrap_or(&entry.about);
    let mut line = format!("  {} {} {}", styled(DIM, time), entry.kind, styled(CYAN, about));
    for part in [&entry.what, &entry.text].into_iter().filter(|part| !part.is_empty()) {
        let _ = write!(line, "  {}", text::headline(part));
    }
    if !entry.by.is_empty() {
        let _ = write!(line, "  {}", styled(DIM, format!("by {}", entry.by)));
    }
    if entry.is_undone {
        let _ = write!(line, "  {}", styled(DIM, "(taken back)"));
    }
    line
}

impl Spoken for FactCords {
    fn say(&self, cords: &Cords, _: &Context) -> Reply {
        if cords.facts.is_empty() {
            return Reply::words("no fact matches\n");
        }
        let mut told = String::new();
        for cord in &cords.facts {
            let _ = writeln!(told, "{}", row(cord, cords.sessions.len()));
        }
        let first = cords.sessions.first().map_or("", |session| &session.day);
        let last = cords.sessions.last().map_or("", |session| &session.day);
        let legend = if cords.sessions.is_empty() {
            "no session has left a log yet".to_owned()
        } else {
            format!(
                "● used  ─ not used; sessions from {first} to {last}; active for {} sessions \
                 without a use, archived after {}",
                cords.windows.active, cords.windows.archive
            )
        };
        Reply::words(told).advise(legend)
    }
}

fn row(cord: &Cord, sessions: usize) -> String {
    let column = |at: usize| match (cord.knots.binary_search(&at), at < cord.since) {
        (Ok(_), _) => '●',
        (Err(_), true) => ' ',
        (Err(_), false) => '─',
    };
    let cells: String = (0..sessions).map(column).collect();
    let name = text::ellipsis(&cord.fact.id, NAME_WIDTH);
    let tier = cord.fact.computed_tier.as_ref().or(cord.fact.tier.as_ref());
    let tier = tier.map_or(cord.fact.state, |tier| tier.as_str());
    format!("{name:NAME_WIDTH$} {cells} {}", styled(DIM, tier))
}
