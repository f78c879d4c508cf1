//! The briefing: what a session starts with, gathered from the journal and the shared layer.
//!
//! Which parts get in is decided in `quipu_core::brief`. Nothing is read that cannot get in: records
//! come from the index, newest first, and of the files only those that a briefing shows.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::brief::{self, Cap, Class, Composed, Part};
use quipu_core::doc::{Document, Fact, Form};
use quipu_core::indexing;
use quipu_core::item::{Item, Kind, Sensitivity, Status};
use quipu_core::journal::{self, CHECKPOINT, COMPACTION, PRIMARY, long};
use quipu_core::ledger::is_session_log;
use quipu_core::memory::{CONTINUITY, SESSIONS};
use quipu_core::secret::{self, Scope};
use quipu_core::text;
use quipu_store::{Filter, Store, label};
use serde::Serialize;

use crate::error::Error;
use crate::index::Indexed;
use crate::recall::{Channel, Question};
use crate::workspace::Workspace;

/// Facts and sections of logs are told whole where there is room for all; else longer ones by their
/// beginning, and how to see the rest.
const LONGEST: [usize; 2] = [6000, 600];

/// So many session logs are told of.
const LOGS: usize = 3;

/// So many experiences and records are asked for by the hint.
const EXPERIENCES: usize = 8;
const RELEVANT: usize = 20;

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

/// The headings, in order.
const HEADINGS: [&str; 9] = [
    "User (USER.md):",
    "Long-term summary (LONGMEMORY):",
    "Facts (memory/continuity.md):",
    "Open threads:",
    "Latest session logs:",
    "Long-term memory (MEMORY.md):",
    "Daily memory",
    "Recent topics (with this user):",
    "Relevant past experiences:",
];
const USER: usize = 0;
const LONG: usize = 1;
const FACTS: usize = 2;
const THREADS: usize = 3;
const LOG: usize = 4;
const MEMORY: usize = 5;
const DAILY: usize = 6;
const TOPICS: usize = 7;
const EXPERIENCE: usize = 8;

/// What a briefing is for.
#[derive(Clone, Debug)]
pub struct BriefRequest {
    /// The time.
    pub now: Timestamp,
    /// The most characters; the configuration's where not said.
    pub cap: Option<usize>,
    /// The most tokens, instead.
    pub tokens: Option<usize>,
    /// What the session is about, such as the first message.
    pub hint: Option<String>,
    /// Who asks.
    pub channel: Channel,
}

/// A briefing.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Briefing {
    /// What to put before the first message; empty where there is nothing.
    pub text: String,
    /// Its length.
    pub chars: usize,
    /// About how many tokens that is.
    pub tokens: usize,
    /// How long it may be.
    pub cap: usize,
    /// What is in it, by section.
    pub sections: Vec<brief::SectionReport>,
    /// How many records, facts and threads there are in all.
    pub records: usize,
    /// Ids of what alone is too long.
    pub too_long: Vec<String>,
    /// Why there is less than there could be.
    pub degraded: Vec<String>,
}

impl Workspace {
    /// Puts together what a session starts with.
    ///
    /// # Errors
    /// When the index or the files cannot be used.
    pub fn brief(&self, request: &BriefRequest) -> Result<Briefing, Error> {
        let key = format!(
            "{} {:?}",
            self.day(request.now),
            (request.cap, request.tokens, &request.hint, request.channel)
        );
        if let Some(world) = self.world()?
            && let Some(made) = self.briefed.borrow_mut().get(&key, world, request.now)
        {
            return Ok(made);
        }
        let before = self.files()?;
        let indexed = self.freshen()?;
        let generation = self.store()?.generation()?;
        let made = self.brief_anew(request, &indexed)?;
        if made.degraded.is_empty()
            && let Some(world) = self.unchanged_world(before, generation)?
        {
            let until = self.holds_until(request.now)?;
            self.briefed.borrow_mut().put(key, world, (request.now, until), made.clone());
        }
        Ok(made)
    }

    fn brief_anew(&self, request: &BriefRequest, indexed: &Indexed) -> Result<Briefing, Error> {
        let continuity = &self.config().continuity;
        let cap = match (request.tokens, request.cap) {
            (Some(tokens), _) => Cap::Tokens(tokens),
            (None, cap) => Cap::Chars(cap.unwrap_or(continuity.session_memory_cap)),
        };
        let mut made = Briefing { cap: measured(cap), ..Briefing::default() };
        if !continuity.session_memory_enabled {
            made.degraded.push("briefings are off (continuity.sessionMemoryEnabled)".to_owned());
            return Ok(made);
        }
        if request.channel == Channel::Other {
            made.degraded.push(
                "a briefing is for the main channel: others ask with `quipu recall --channel other`"
                    .to_owned(),
            );
            return Ok(made);
        }
        let unread = indexed.skipped.iter().map(|(path, why)| format!("{path}: {why}"));
        made.degraded.extend(unread);
        if indexed.busy {
            made.degraded.push("another process is writing: its changes may be missing".to_owned());
        }
        let mut gathered = Gathered { parts: Vec::new(), beyond: Vec::new() };
        self.gather_experiences(request, &mut gathered)?;
        if request.channel == Channel::Heartbeat {
            let composed = brief::compose(gathered.parts, cap, &gathered.beyond);
            return Ok(finished(made, composed));
        }
        let relevant = self.relevant(request)?;
        self.gather_user(&mut gathered)?;
        self.gather_long(&mut gathered)?;
        made.records = self.gather_records(request, cap, &relevant, &mut gathered)?;
        self.gather_topics(request, &mut gathered)?;
        let mut composed = Composed::default();
        for longest in LONGEST {
            let mut all =
                Gathered { parts: gathered.parts.clone(), beyond: gathered.beyond.clone() };
            self.gather_facts(&relevant, longest, &mut all)?;
            self.gather_logs(longest, &mut all)?;
            composed = brief::compose(all.parts, cap, &all.beyond);
            if composed.sections.iter().all(|section| section.left_out == 0) {
                break;
            }
        }
        let has_parts = composed.sections.iter().any(|section| section.left_out > 0);
        if composed.text.is_empty() && has_parts {
            made.degraded.push("nothing fits under so small a cap".to_owned());
        }
        Ok(finished(made, composed))
    }

    /// Returns how well things fit the hint, by id.
    fn relevant(&self, request: &BriefRequest) -> Result<BTreeMap<String, (f64, Item)>, Error> {
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
        let answers = self.recall(&question, request.now)?.results;
        let best = answers.first().map_or(1.0, |answer| f64::from(answer.score)).max(1e-6);
        let store = self.store()?;
        for answer in answers {
            if let Some(item) = store.get(&answer.id)? {
                relevant.insert(answer.id, (f64::from(answer.score) / best, item));
            }
        }
        Ok(relevant)
    }

    fn gather_user(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let Some(source) = self.read_optional(quipu_core::journal::USER)? else { return Ok(()) };
        // A form that nobody filled in tells nothing.
        if source.trim() == crate::user::TEMPLATE.trim() {
            return Ok(());
        }
        for (at, paragraph) in paragraphs(&source).into_iter().enumerate() {
            // All of it before anything else, the beginning first.
            gathered.add(USER, "", at, Class::Standing, 1e6 - as_value(at), None, &paragraph);
        }
        Ok(())
    }

    fn gather_long(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let continuity = &self.config().continuity;
        if !continuity.include_long_memory_in_session {
            return Ok(());
        }
        let Some(source) = self.read_optional(&continuity.long_memory_path)? else { return Ok(()) };
        let blocks = long::blocks(&source);
        let mut at = 0;
        let mut own = String::new();
        let mut end = 0;
        for block in &blocks {
            own.push_str(&source[end..block.span.start]);
            end = block.span.end;
        }
        own.push_str(&source[end..]);
        let own = own.replace(long::TITLE.trim(), "");
        for paragraph in paragraphs(&own) {
            gathered.add(LONG, "", at, Class::Summary, 1e6, None, &paragraph);
            at += 1;
        }
        for (number, block) in blocks.iter().enumerate() {
            for paragraph in paragraphs(&block.body) {
                let bare = paragraph.trim_start_matches("- ");
                let starts_with_day = bare.get(..10).is_some_and(|day| day.parse::<Date>().is_ok());
                let line = if starts_with_day {
                    paragraph
                } else {
                    format!("{}: {paragraph}", block.days)
                };
                gathered.add(LONG, "", at, Class::Summary, as_value(number), None, &line);
                at += 1;
            }
        }
        Ok(())
    }

    fn gather_facts(
        &self,
        relevant: &BTreeMap<String, (f64, Item)>,
        longest: usize,
        gathered: &mut Gathered,
    ) -> Result<(), Error> {
        let Some(source) = self.read_optional(CONTINUITY)? else { return Ok(()) };
        let document = Document::parse(&source);
        // What else stands there: the state of the project, preferences, prose.
        for (at, item) in indexing::around_facts(CONTINUITY, &source).into_iter().enumerate() {
            let words = format!("{}: {}", item.title, item.text);
            let line = told(&words, &item.id, longest);
            gathered.add(FACTS, "", at, Class::Lasting, 8.0, Some(&item.id), &line);
        }
        for (at, fact) in document.distinct_facts().into_iter().enumerate() {
            if fact.footer.is_superseded() || fact.form == Form::Quoted {
                continue;
            }
            let fit = relevant.get(fact.id()).map_or(0.0, |(fit, _)| *fit);
            let is_pinned = || {
                let item = self.store().ok().and_then(|store| store.get(fact.id()).ok().flatten());
                item.is_some_and(|item| item.pinned)
            };
            let (rank, class) = match fact.form {
                Form::DoneThread => continue,
                Form::OpenThread => (THREADS, Class::Standing),
                _ if is_standing(&document, fact) || is_pinned() => (FACTS, Class::Standing),
                _ if fit > 0.0 => (FACTS, Class::Relevant),
                _ => (FACTS, Class::Lasting),
            };
            // Open threads before core facts, both before the rest of their class.
            let value = fit + if rank == THREADS { 20.0 } else { tier_value(fact) };
            let line = told(&document.words(fact), fact.id(), longest);
            gathered.add(rank, "", at + 1000, class, value, Some(fact.id()), &line);
        }
        Ok(())
    }

    fn gather_logs(&self, longest: usize, gathered: &mut Gathered) -> Result<(), Error> {
        let entries = self.fs().list(&self.root().join(SESSIONS)).unwrap_or_default();
        let mut names: Vec<String> =
            entries.into_iter().map(|(name, _)| name).filter(|name| is_session_log(name)).collect();
        names.sort_unstable();
        let older = names.len().saturating_sub(LOGS);
        gathered.beyond.push((older, "older session logs".to_owned()));
        for (number, name) in names[older..].iter().enumerate() {
            let path = format!("{SESSIONS}{name}");
            let Some(source) = self.read_optional(&path)? else { continue };
            for (at, item) in indexing::session(&path, &source).into_iter().enumerate() {
                let title = if item.title.is_empty() { &item.id } else { &item.title };
                let stem = name.trim_end_matches(".md");
                let words = format!("{stem}, {title}: {}", item.text);
                let line = told(&words, &item.id, longest);
                // What the next session should know is what it is for.
                let is_next = title.to_lowercase().contains("next");
                let value =
                    as_value(number) * 100.0 + f64::from(u8::from(is_next)) * 50.0 - as_value(at);
                let place = number * 1000 + at;
                gathered.add(LOG, "", place, Class::Recent, value, Some(&item.id), &line);
            }
        }
        Ok(())
    }

    /// Gathers records, and the user's own words between them. Returns how many records there are.
    fn gather_records(
        &self,
        request: &BriefRequest,
        cap: Cap,
        relevant: &BTreeMap<String, (f64, Item)>,
        gathered: &mut Gathered,
    ) -> Result<usize, Error> {
        // No record takes less than this, so more of them cannot get in.
        let most = match cap {
            Cap::Chars(most) => most / 24,
            Cap::Tokens(most) => most / 6,
        };
        let most = most.clamp(50, 4000);
        let today = self.day(request.now);
        let yesterday = today.yesterday().unwrap_or(today);
        let filter = Filter {
            kinds: vec![Kind::Record],
            statuses: vec![Status::Active],
            sensitivities: vec![
                Sensitivity::Public,
                Sensitivity::Private,
                Sensitivity::Operational,
            ],
            now: Some(request.now),
            ..Filter::default()
        };
        let with = |labels: Vec<_>| Filter { labels: vec![labels], ..filter.clone() };
        let lasting = LASTING.iter().map(|category| label::category(category)).collect();
        let store = self.store()?;
        let (newest, count) = store.newest(&filter, most)?;
        let mut items = store.newest(&with(vec![label::pinned()]), most)?.0;
        items.extend(store.newest(&with(vec![label::category(LASTING[0])]), most)?.0);
        items.extend(store.newest(&with(lasting), most)?.0);
        items.extend(relevant.values().map(|(_, item)| item.clone()));
        items.extend(newest);
        let mut shown = std::collections::BTreeSet::new();
        items.retain(|item| {
            item.kind == Kind::Record && item.text != CHECKPOINT && shown.insert(item.id.clone())
        });
        for (at, item) in items.iter().enumerate() {
            let day = self.day(item.time);
            let fit = relevant.get(&item.id).map_or(0.0, |(fit, _)| *fit);
            let heading = format!("{} ({day}):", HEADINGS[DAILY]);
            let (rank, heading) = if day == today || day == yesterday {
                (DAILY, heading)
            } else {
                (MEMORY, String::new())
            };
            let class = match &*item.category {
                _ if item.pinned || item.tags.iter().any(|tag| tag == "pinned") => Class::Standing,
                COMPACTION => Class::Summary,
                category if LASTING.contains(&category) => Class::Lasting,
                _ if day == today => Class::Today,
                _ if fit > 0.0 => Class::Relevant,
                _ if day == yesterday => Class::Recent,
                _ => Class::Other,
            };
            let when = if rank == DAILY {
                item.time.to_zoned(self.zone().clone()).strftime("%H:%M").to_string()
            } else {
                day.to_string()
            };
            let line = format!("{when} [{}] {}", item.category, item.text);
            let order = item.time.as_millisecond();
            gathered.part(Part {
                order: (order, 0),
                // The newest first; what fits the hint, or matters by itself, is worth days.
                value: as_days(item.time) - as_value(at) * 1e-9
                    + 30.0 * fit
                    + 10.0 * f64::from(item.importance - 0.5)
                    + lasts(&item.category),
                words: item.text.clone(),
                ..new_part(rank, &heading, class, Some(&item.id), &line)
            });
        }
        let own = Filter { kinds: vec![Kind::Document], ..filter };
        for (at, item) in store.newest(&own, most)?.0.into_iter().enumerate() {
            let path = item.place.as_ref().map_or("", |place| place.path.as_str());
            let day = [today, yesterday].into_iter().find(|day| journal::daily_path(*day) == path);
            let heading = day.map_or(String::new(), |day| format!("{} ({day}):", HEADINGS[DAILY]));
            if path == PRIMARY || day.is_some() {
                let rank = if day.is_some() { DAILY } else { MEMORY };
                for (number, paragraph) in paragraphs(&item.text).into_iter().enumerate() {
                    gathered.part(Part {
                        order: (i64::MIN, at * 1000 + number),
                        value: 1e5 - as_value(at),
                        ..new_part(rank, &heading, Class::Lasting, None, &paragraph)
                    });
                }
            }
        }
        let older = count.saturating_sub(shown.len());
        gathered.beyond.push((older, "older records (`quipu journal list`)".to_owned()));
        Ok(count)
    }

    fn gather_experiences(
        &self,
        request: &BriefRequest,
        gathered: &mut Gathered,
    ) -> Result<(), Error> {
        let continuity = &self.config().continuity;
        let hint = request.hint.as_deref().filter(|hint| !hint.trim().is_empty());
        let (true, true, Some(hint)) =
            (continuity.experience_store_enabled, continuity.inject_experience_context, hint)
        else {
            return Ok(());
        };
        let found =
            self.query_experiences(hint, EXPERIENCES, request.channel, request.now)?.results;
        for (at, answer) in found.into_iter().enumerate() {
            let line = format!("[{}] {}", answer.category, answer.text);
            gathered.part(Part {
                order: (0, at),
                value: as_value(EXPERIENCES - at) + 1e6,
                words: answer.text.clone(),
                ..new_part(EXPERIENCE, "", Class::Relevant, Some(&answer.id), &line)
            });
        }
        Ok(())
    }

    /// What the newest sessions began with, where that is wanted.
    fn gather_topics(&self, request: &BriefRequest, gathered: &mut Gathered) -> Result<(), Error> {
        if !self.config().continuity.include_recent_topics {
            return Ok(());
        }
        let topics = self.recent_topics(request.now)?;
        for (at, topic) in topics.iter().enumerate() {
            let line = format!("{}. {topic}", at + 1);
            let value = 100.0 - as_value(at);
            gathered.part(Part {
                order: (0, at),
                text: line.clone(),
                value,
                // A topic is a name for a session, and may well be what a record says.
                words: format!("topic {line}"),
                ..new_part(TOPICS, "", Class::Recent, None, &line)
            });
        }
        Ok(())
    }

    fn recent_topics(&self, now: Timestamp) -> Result<Vec<String>, Error> {
        const MOST: usize = 10;
        const LONGEST: usize = 100;
        const ROOM: usize = 800;
        let mut topics = original_topics(
            &self.fs().read(&self.root().join("tmp/recent-topics.json")).unwrap_or_default(),
        );
        let filter = Filter { kinds: vec![Kind::Record], now: Some(now), ..Filter::default() };
        let newest = self.store()?.newest(&filter, 2000)?.0;
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

/// What was gathered.
struct Gathered {
    parts: Vec<Part>,
    /// How many more there are of what.
    beyond: Vec<(usize, String)>,
}

impl Gathered {
    #[expect(clippy::too_many_arguments, reason = "a part in one line")]
    fn add(
        &mut self,
        rank: usize,
        heading: &str,
        at: usize,
        class: Class,
        value: f64,
        id: Option<&str>,
        words: &str,
    ) {
        let part = new_part(rank, heading, class, id, words);
        self.part(Part { order: (0, at), value, ..part });
    }

    fn part(&mut self, part: Part) {
        self.parts.push(part);
    }
}

fn new_part(rank: usize, heading: &str, class: Class, id: Option<&str>, words: &str) -> Part {
    let heading = if heading.is_empty() { HEADINGS[rank] } else { heading };
    let is_prose =
        matches!(rank, USER | TOPICS) || words.starts_with("- ") || words.starts_with('#');
    let text = if is_prose { words.to_owned() } else { bullet(words) };
    Part {
        section: heading.to_owned(),
        rank,
        order: (0, 0),
        class,
        value: 0.0,
        id: id.map(str::to_owned),
        text,
        words: words.to_owned(),
    }
}

/// Writes words as one item of a list.
fn bullet(words: &str) -> String {
    let lines: Vec<&str> = words.trim().lines().collect();
    format!("- {}", lines.join("\n  "))
}

/// Tells something whole where it is short, else by its beginning and how to see the rest.
fn told(words: &str, id: &str, longest: usize) -> String {
    let words = words.trim();
    if words.chars().count() <= longest {
        return format!("{words} ({id})");
    }
    let flat = text::collapse_whitespace(words);
    format!("{} ({id}: `quipu show {id}`)", text::ellipsis(&flat, longest))
}

fn is_standing(document: &Document<'_>, fact: &Fact) -> bool {
    document.is_pinned(fact) || document.is_invariant(fact) || fact.footer.tier() == Some("core")
}

fn tier_value(fact: &Fact) -> f64 {
    match fact.footer.tier() {
        Some("core") => 10.0,
        Some("working") => 6.0,
        Some("active") => 5.0,
        _ => 1.0,
    }
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

/// Splits a text at blank lines, and lists into their items.
fn paragraphs(source: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in source.lines() {
        let is_item = line.starts_with("- ") || line.starts_with("* ");
        if line.trim().is_empty() {
            is_open = false;
        } else if is_open && !is_item {
            if let Some(last) = found.last_mut() {
                last.push('\n');
                last.push_str(line);
            }
        } else {
            found.push(line.to_owned());
            is_open = true;
        }
    }
    found.retain(|paragraph| paragraph.chars().any(char::is_alphanumeric));
    found
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn as_value(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
fn as_days(time: Timestamp) -> f64 {
    time.as_millisecond() as f64 / 86_400_000.0
}

fn measured(cap: Cap) -> usize {
    match cap {
        Cap::Chars(most) | Cap::Tokens(most) => most,
    }
}

fn finished(made: Briefing, composed: Composed) -> Briefing {
    // Labels keep secrets out; what nobody labelled is found by its shape.
    let text = secret::redacted(&composed.text, Scope::Credentials);
    Briefing {
        chars: text.chars().count(),
        tokens: text::tokens(&text),
        text,
        sections: composed.sections,
        too_long: composed.too_long,
        ..made
    }
}
