//! What the index tells: records, what fits the hint, topics.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use quipu_core::brief::{Cap, Class, Part};
use quipu_core::item::{Item, Kind, Sensitivity, Source, Status};
use quipu_core::journal::compaction::COMPACTABLE;
use quipu_core::journal::{self, CHECKPOINT, COMPACTION, PRIMARY, long};
use quipu_core::ledger::is_session_log;
use quipu_core::memory::SESSIONS;
use quipu_core::text;
use quipu_store::{Filter, label};

use super::BriefRequest;
use super::files::gather_user;
use super::part::{Gathered, Section, as_days, as_value, paragraphs};
use crate::error::Error;
use crate::experiences;
use crate::index;
use crate::journal::has_journal;
use crate::recall::{self, Confidence, Question};
use crate::workspace::Workspace;

/// So many experiences and records are asked for by the hint.
const EXPERIENCES: usize = 8;
const RELEVANT: usize = 20;

/// What a session in a fresh clone is told.
const EMPTY_CLONE: &str = "Project memory is empty in this clone. What `quipu remember` keeps is private: it stays in \
    `MEMORY.md` and `memory/` of the clone where it was written, which git ignores. Facts and session logs \
    come with git.";

/// Categories of records that are meant to last.
const LASTING: [&str; 8] = [
    "user-preference",
    "learned",
    "decision",
    "convention",
    "procedure",
    "error",
    "fact",
    "experience",
];

/// How well things fit the hint, by id.
pub(super) type Relevant = BTreeMap<String, (f64, Item)>;

/// The days that a briefing is about.
#[derive(Clone, Copy)]
struct Days {
    today: Date,
    yesterday: Date,
    /// Whether records are told under their day.
    by_day: bool,
}

impl Days {
    fn section(self, day: Date) -> Section {
        if self.by_day && (day == self.today || day == self.yesterday) {
            Section::Daily(day)
        } else {
            Section::Memory
        }
    }
}

/// Returns how well things fit the hint, by id.
pub(super) fn relevant(workspace: &Workspace, request: &BriefRequest) -> Result<Relevant, Error> {
    let mut relevant = BTreeMap::new();
    let Some(hint) = request.hint.as_deref().filter(|hint| !hint.trim().is_empty()) else {
        return Ok(relevant);
    };
    let question = Question {
        query: hint.to_owned(),
        count: Some(RELEVANT),
        channel: request.channel,
        ..Question::default()
    };
    let recalled = recall::recall(workspace, &question, request.now)?;
    // What is merely the nearest there is has nothing to do with the hint.
    if recalled.confidence == Confidence::None {
        return Ok(relevant);
    }
    let answers: Vec<_> =
        recalled.results.into_iter().filter(|answer| answer.why.is_relevant()).collect();
    let best = answers.first().map_or(1.0, |answer| f64::from(answer.score)).max(1e-6);
    let answers: Vec<_> =
        answers.into_iter().filter(|answer| answer.status == Status::Active).collect();
    let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
    let items = index::store(workspace)?.items(&ids)?;
    for (answer, item) in answers.iter().zip(items) {
        if let Some(item) = item {
            relevant.insert(answer.id.clone(), (f64::from(answer.score) / best, item));
        }
    }
    Ok(relevant)
}

/// Gathers records, and the user's own words between them. Returns how many records there are.
pub(super) fn gather_records(
    workspace: &Workspace,
    request: &BriefRequest,
    cap: Cap,
    relevant: &Relevant,
    gathered: &mut Gathered,
) -> Result<usize, Error> {
    // Records are longer than this on the whole, so more of them cannot get in.
    let most = match cap {
        Cap::Chars(most) => most / 48,
        Cap::Tokens(most) => most / 12,
    };
    let most = most.clamp(50, 20_000);
    let today = workspace.day(request.now);
    let yesterday = today.yesterday().unwrap_or(today);
    let days = Days { today, yesterday, by_day: !workspace.is_user_scope() };
    let filter = Filter {
        kinds: vec![Kind::Record],
        statuses: vec![Status::Active],
        sensitivities: vec![Sensitivity::Public, Sensitivity::Private, Sensitivity::Operational],
        now: Some(request.now),
        ..Filter::default()
    };
    let with = |labels: Vec<_>| Filter { labels: vec![labels], ..filter.clone() };
    let lasting = LASTING.iter().map(|category| label::category(category)).collect();
    let store = index::store(workspace)?;
    let (newest, count) = store.newest(&filter, most)?;
    let mut items = store.newest(&with(vec![label::pinned()]), most)?.0;
    items.extend(store.newest(&with(vec![label::category(LASTING[0])]), most)?.0);
    items.extend(store.newest(&with(lasting), most)?.0);
    items.extend(relevant.values().map(|(_, item)| item.clone()));
    items.extend(newest);
    let own = store.newest(&Filter { kinds: vec![Kind::Document], ..filter }, most)?.0;
    drop(store);
    let merged_until = merged_until(workspace, &items);
    let mut shown = BTreeSet::new();
    items.retain(|item| {
        // What compaction has merged is told by its summaries.
        let is_merged = COMPACTABLE.contains(&&*item.category)
            && !item.pinned
            && !relevant.contains_key(&item.id)
            && merged_until.is_some_and(|until| item.time <= until);
        let is_told = item.kind == Kind::Record && item.text != CHECKPOINT && !is_merged;
        is_told && shown.insert(item.id.clone())
    });
    for (at, item) in items.iter().enumerate() {
        gather_record(workspace, item, at, days, relevant, gathered);
    }
    gather_own_words(&own, days, gathered);
    let older = count.saturating_sub(shown.len());
    let which = if workspace.is_user_scope() { "--scope user " } else { "" };
    gathered.beyond.push((older, format!("older records (`quipu {which}journal list`)")));
    Ok(count)
}

/// Gathers what the user keeps for every project. Returns how many records there are.
pub(super) fn gather_own(
    workspace: &Workspace,
    request: &BriefRequest,
    cap: Cap,
    gathered: &mut Gathered,
) -> Result<usize, Error> {
    let Some(user) = workspace.user_scope()? else { return Ok(0) };
    index::freshen(user)?;
    let mut own = Gathered::default();
    gather_user(user, &mut own);
    let count = gather_records(user, request, cap, &relevant(user, request)?, &mut own)?;
    Section::Own.take_over(&mut own.parts);
    gathered.parts.extend(own.parts);
    gathered.beyond.extend(own.beyond);
    gathered.unread.extend(own.unread);
    Ok(count)
}

/// Says that the private memory of a project stays with the clone that it was written in, where others
/// have worked on the project and this clone has none.
pub(super) fn gather_empty_clone(workspace: &Workspace, gathered: &mut Gathered) {
    let has_logs = workspace
        .fs()
        .list(&workspace.root().join(SESSIONS))
        .is_ok_and(|names| names.iter().any(|(name, _)| is_session_log(name)));
    if !has_logs || has_journal(workspace.project_scope()) || has_journal(workspace) {
        return;
    }
    gathered.add(Section::Note.part(Class::Standing, EMPTY_CLONE));
}

/// Returns the time up to which the newest compaction has merged what it merges.
fn merged_until(workspace: &Workspace, items: &[Item]) -> Option<Timestamp> {
    let days = workspace.config().continuity.memory_compaction_min_age_days;
    let is_summary = |item: &&Item| item.category == COMPACTION && item.text != CHECKPOINT;
    let newest = items.iter().filter(is_summary).map(|item| item.time).max()?;
    newest.checked_sub(SignedDuration::from_hours(24 * i64::from(days))).ok()
}

fn gather_record(
    workspace: &Workspace,
    item: &Item,
    at: usize,
    days: Days,
    relevant: &Relevant,
    gathered: &mut Gathered,
) {
    let day = workspace.day(item.time);
    // What a dream made is of no hour: a merged memory tells its days, a card stands for itself.
    let is_made = item.source == Source::Dream;
    let fit = relevant.get(&item.id).map_or(0.0, |(fit, _)| *fit);
    let class = match &*item.category {
        _ if item.pinned || item.tags.iter().any(|tag| tag == "pinned") => Class::Standing,
        COMPACTION => return gather_summary(item, day, gathered),
        category if LASTING.contains(&category) => Class::Lasting,
        _ if day == days.today && !is_made => Class::Today,
        _ if fit > 0.0 => Class::Relevant,
        _ if day == days.yesterday && !is_made => Class::Recent,
        _ => Class::Other,
    };
    let section = match class {
        Class::Standing => Section::Pinned,
        _ if is_made => Section::Memory,
        _ => days.section(day),
    };
    let when = match section {
        _ if is_made => match item.valid_from.map(|from| workspace.day(from)) {
            Some(from) if from < day => format!("{from} to {day}"),
            _ => day.to_string(),
        },
        Section::Daily(_) => {
            item.time.to_zoned(workspace.zone().clone()).strftime("%H:%M").to_string()
        }
        _ => day.to_string(),
    };
    let line = format!("[{}] ({}, {when}) {}", item.id, item.category, item.text);
    gathered.add(Part {
        // Of one moment the one that was written first stands first.
        order: (item.time.as_millisecond(), usize::MAX - at),
        // The newest first; what fits the hint, or matters by itself, is worth days.
        value: as_days(item.time) - as_value(at) * 1e-9
            + 30.0 * fit
            + 10.0 * f64::from(item.importance - 0.5)
            + lasts(&item.category),
        id: Some(item.id.clone()),
        words: item.text.clone(),
        ..section.part(class, &line)
    });
}

pub(super) fn gather_experiences(
    workspace: &Workspace,
    request: &BriefRequest,
    gathered: &mut Gathered,
) -> Result<(), Error> {
    let continuity = &workspace.config().continuity;
    let hint = request.hint.as_deref().filter(|hint| !hint.trim().is_empty());
    let (true, true, Some(hint)) =
        (continuity.experience_store_enabled, continuity.inject_experience_context, hint)
    else {
        return Ok(());
    };
    let found =
        experiences::query_experiences(workspace, hint, EXPERIENCES, request.channel, request.now)?;
    if found.confidence == Confidence::None {
        return Ok(());
    }
    let fitting = found.results.into_iter().filter(|answer| answer.why.is_relevant());
    for (at, answer) in fitting.enumerate() {
        let line = format!("[{}] {}", answer.category, answer.text);
        gathered.add(Part {
            order: (0, at),
            value: as_value(EXPERIENCES - at) + 1e6,
            words: answer.text.clone(),
            id: Some(answer.id),
            ..Section::Experiences.part(Class::Relevant, &line)
        });
    }
    Ok(())
}

/// What the newest sessions began with, where that is wanted.
pub(super) fn gather_topics(
    workspace: &Workspace,
    request: &BriefRequest,
    gathered: &mut Gathered,
) -> Result<(), Error> {
    if !workspace.config().continuity.include_recent_topics {
        return Ok(());
    }
    let topics = recent_topics(workspace, request.now)?;
    for (at, topic) in topics.iter().enumerate() {
        let line = format!("{}. {topic}", at + 1);
        let value = 100.0 - as_value(at);
        gathered.add(Part {
            order: (0, at),
            text: line.clone(),
            value,
            // A topic is a name for a session, and may well be what a record says.
            words: format!("topic {line}"),
            ..Section::Topics.part(Class::Recent, &line)
        });
    }
    Ok(())
}

fn recent_topics(workspace: &Workspace, now: Timestamp) -> Result<Vec<String>, Error> {
    const MOST: usize = 10;
    const LONGEST: usize = 100;
    const ROOM: usize = 800;
    let mut topics = original_topics(
        &workspace.fs().read(&workspace.root().join("tmp/recent-topics.json")).unwrap_or_default(),
    );
    let filter = Filter { kinds: vec![Kind::Record], now: Some(now), ..Filter::default() };
    let newest = index::store(workspace)?.newest(&filter, 2000)?.0;
    let mut first: BTreeMap<&str, &Item> = BTreeMap::new();
    for item in &newest {
        if let Some(session) = &item.session {
            first.insert(session, item);
        }
    }
    let mut sessions: Vec<&Item> = first.into_values().collect();
    sessions.sort_by_key(|item| std::cmp::Reverse(item.time));
    topics.extend(sessions.iter().map(|item| text::collapse_whitespace(&item.text)));
    let mut room = ROOM;
    let mut kept: Vec<String> = Vec::new();
    for topic in topics {
        let topic: String = topic.chars().take(LONGEST).collect();
        let cost = topic.chars().count() + 4;
        if kept.len() == MOST || cost > room {
            break;
        }
        if !kept.contains(&topic) {
            room -= cost;
            kept.push(topic);
        }
    }
    Ok(kept)
}

/// A compaction record is told line by line, so that none stands beside its like in the summaries.
fn gather_summary(item: &Item, day: Date, gathered: &mut Gathered) {
    for (number, (day, text)) in long::dated(&item.text, day).into_iter().enumerate() {
        gathered.add(Part {
            order: (item.time.as_millisecond(), number),
            value: as_days(item.time),
            words: text.to_owned(),
            ..Section::Memory.part(Class::Summary, &format!("{day}: {text}"))
        });
    }
}

/// What the user wrote in the window, today and yesterday.
fn gather_own_words(own: &[Item], days: Days, gathered: &mut Gathered) {
    for (at, item) in own.iter().enumerate() {
        let path = item.place.as_ref().map_or("", |place| place.path.as_str());
        let of_day = |day: &Date| journal::daily_path(*day) == path;
        let section = match [days.today, days.yesterday].into_iter().find(of_day) {
            Some(day) => Section::Daily(day),
            None if path == PRIMARY => Section::Memory,
            None => continue,
        };
        for (number, paragraph) in paragraphs(&item.text).into_iter().enumerate() {
            gathered.add(Part {
                order: (i64::MIN, at * 1000 + number),
                value: 1e5 - as_value(at),
                ..section.part(Class::Lasting, &paragraph)
            });
        }
    }
}

/// Reads the topics that the original noted, newest first.
fn original_topics(json: &[u8]) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_slice(json).unwrap_or_default();
    let entries = value["entries"].as_array().cloned().unwrap_or_default();
    let mut topics: Vec<(String, String)> = entries
        .iter()
        .filter_map(|entry| {
            Some((entry["at"].to_string(), entry["topic"].as_str()?.trim().to_owned()))
        })
        .collect();
    topics.sort_by(|a, b| b.0.cmp(&a.0));
    topics.into_iter().map(|(_, topic)| topic).filter(|topic| !topic.is_empty()).collect()
}

/// What somebody prefers stays true longer than what was decided, and that longer than what was
/// learned on the way: the newest of many lessons must not crowd out the one preference.
fn lasts(category: &str) -> f64 {
    match category {
        "user-preference" => 20_000.0,
        "decision" | "convention" => 400.0,
        _ => 0.0,
    }
}
