//! What files tell: `USER.md`, the long-term summaries, facts and threads, the newest session logs.

use std::collections::BTreeMap;

use quipu_core::brief::{Class, Part};
use quipu_core::doc::{Document, Fact, Form};
use quipu_core::fact::Tier;
use quipu_core::indexing;
use quipu_core::item::Item;
use quipu_core::journal::{self, long};
use quipu_core::ledger::is_session_log;
use quipu_core::memory::{CONTINUITY, SESSIONS};

use super::part::{Gathered, Section, as_value, paragraphs, told};
use crate::index;
use crate::index::limit::{self, MOST_TOLD};
use crate::workspace::Workspace;

/// So many session logs are told of.
const LOGS: usize = 3;

/// Reads a file of a briefing; one that cannot be read is named, and the rest is told.
fn read_part(workspace: &Workspace, path: &str, gathered: &mut Gathered) -> Option<String> {
    let mut text = read_part_whole(workspace, path, gathered)?;
    if workspace.git_limit().is_some() && text.len() > MOST_TOLD {
        // A hook has no time for more; whole lines only.
        let cut = text.floor_char_boundary(MOST_TOLD);
        let cut = text[..cut].rfind('\n').map_or(cut, |newline| newline + 1);
        let rest = limit::size((text.len() - cut) as u64);
        text.truncate(cut);
        let words = format!("the last {rest} of {path}, which is too long");
        if !gathered.cut.contains(&words) {
            gathered.cut.push(words);
        }
    }
    Some(text)
}

fn read_part_whole(workspace: &Workspace, path: &str, gathered: &mut Gathered) -> Option<String> {
    workspace.read_optional(path).unwrap_or_else(|error| {
        let why = error.to_string();
        if !gathered.unread.contains(&why) {
            gathered.unread.push(why);
        }
        None
    })
}

pub(super) fn gather_user(workspace: &Workspace, gathered: &mut Gathered) {
    let Some(source) = read_part(workspace, journal::USER, gathered) else { return };
    // A form that nobody filled in tells nothing.
    if source.trim() == crate::user::TEMPLATE.trim() {
        return;
    }
    for (at, paragraph) in paragraphs(&source).into_iter().enumerate() {
        // All of it before anything else, the beginning first.
        gathered.add(Part {
            order: (0, at),
            value: 1e6 - as_value(at),
            ..Section::User.part(Class::Standing, &paragraph)
        });
    }
}

pub(super) fn gather_long(workspace: &Workspace, gathered: &mut Gathered) {
    let continuity = &workspace.config().continuity;
    if !continuity.include_long_memory_in_session {
        return;
    }
    let Some(source) = read_part(workspace, &continuity.long_memory_path, gathered) else { return };
    let blocks = long::blocks(&source);
    let mut at = 0;
    for paragraph in paragraphs(&long::own_text(&source)) {
        let part = Section::Long.part(Class::Summary, &paragraph);
        gathered.add(Part { order: (0, at), value: 1e6, ..part });
        at += 1;
    }
    for (number, block) in blocks.iter().enumerate() {
        let day = block.days.split(' ').next().and_then(|day| day.parse().ok());
        for (day, text) in long::dated(&block.body, day.unwrap_or_default()) {
            gathered.add(Part {
                order: (0, at),
                value: as_value(number),
                words: text.to_owned(),
                ..Section::Long.part(Class::Summary, &format!("{day}: {text}"))
            });
            at += 1;
        }
    }
}

pub(super) fn gather_facts(
    workspace: &Workspace,
    relevant: &BTreeMap<String, (f64, Item)>,
    longest: usize,
    gathered: &mut Gathered,
) {
    let Some(source) = read_part(workspace, CONTINUITY, gathered) else { return };
    let document = Document::parse(&source);
    // What else stands there: the state of the project, preferences, prose.
    for (at, item) in indexing::around_facts(CONTINUITY, &source).into_iter().enumerate() {
        let words = format!("{}: {}", item.title, item.text);
        let line = told(&words, &item.id, longest);
        gathered.add(Part {
            order: (0, at),
            value: 8.0,
            id: Some(item.id),
            ..Section::Facts.part(Class::Lasting, &line)
        });
    }
    for (at, fact) in document.distinct_facts().into_iter().enumerate() {
        if fact.footer.is_superseded() || fact.form == Form::Quoted {
            continue;
        }
        let fit = relevant.get(fact.id()).map_or(0.0, |(fit, _)| *fit);
        let is_pinned = || {
            let item =
                index::store(workspace).ok().and_then(|store| store.get(fact.id()).ok().flatten());
            item.is_some_and(|item| item.pinned)
        };
        let (section, class) = match fact.form {
            Form::DoneThread => continue,
            Form::OpenThread => (Section::Threads, Class::Standing),
            _ if is_pinned() => (Section::Pinned, Class::Standing),
            _ if is_standing(&document, fact) => (Section::Facts, Class::Standing),
            _ if fit > 0.0 => (Section::Facts, Class::Relevant),
            _ => (Section::Facts, Class::Lasting),
        };
        // Open threads before core facts, both before the rest of their class.
        let value = fit + if section == Section::Threads { 20.0 } else { tier_value(fact) };
        let line = told(&document.words(fact), fact.id(), longest);
        gathered.add(Part {
            order: (1, at),
            value,
            id: Some(fact.id().to_owned()),
            ..section.part(class, &line)
        });
    }
}

pub(super) fn gather_logs(workspace: &Workspace, longest: usize, gathered: &mut Gathered) {
    let entries = workspace.fs().list(&workspace.root().join(SESSIONS)).unwrap_or_default();
    let mut names: Vec<String> =
        entries.into_iter().map(|(name, _)| name).filter(|name| is_session_log(name)).collect();
    names.sort_unstable();
    let older = names.len().saturating_sub(LOGS);
    gathered.beyond.push((older, "older session logs".to_owned()));
    for (number, name) in names[older..].iter().enumerate() {
        let path = format!("{SESSIONS}{name}");
        let Some(source) = read_part(workspace, &path, gathered) else { continue };
        for (at, item) in indexing::session(&path, &source).into_iter().enumerate() {
            let title = if item.title.is_empty() { &item.id } else { &item.title };
            let words = format!("{title}: {}", item.text);
            let line = told(&words, &item.id, longest);
            // What the next session should know is what it is for.
            let is_next = title.to_lowercase().contains("next");
            let value =
                as_value(number) * 100.0 + f64::from(u8::from(is_next)) * 50.0 - as_value(at);
            gathered.add(Part {
                order: (i64::try_from(number).unwrap_or(0), at),
                value,
                id: Some(item.id),
                ..Section::Logs.part(Class::Recent, &line)
            });
        }
    }
}

fn is_standing(document: &Document<'_>, fact: &Fact) -> bool {
    document.is_pinned(fact) || document.is_invariant(fact) || fact.footer.is_core()
}

fn tier_value(fact: &Fact) -> f64 {
    match fact.footer.tier() {
        Some(Tier::Core) => 10.0,
        Some(Tier::Working) => 6.0,
        Some(Tier::Active) => 5.0,
        Some(Tier::ArchiveCandidate | Tier::Archived | Tier::Superseded) | None => 1.0,
    }
}
