//! Folders of Markdown: notes of our own export, of basic-memory, of Obsidian, and any others.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::item::{Layer, MemoryType, Sensitivity, Source, Status};
use serde_json::Value;

use super::Options;
use super::claude_code::wiki_links;
use super::sections::{Section, bullet, sections, title_of};
use crate::draft::{Draft, DraftLink, Skip};
use crate::error::ImportError;
use crate::head::Note;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::shared::{DERIVED, ID, LINKS, RELATION};
use crate::text::{as_tag, time_of};

/// A part of a note is no longer than this, where it can be cut.
const LONGEST_PART: usize = 1800;

/// Returns when a note was written: as it says, else as its name says, else as its file does.
fn time_of_note(
    note: &Note<'_>,
    member: &Member,
    options: &Options,
) -> (Option<Timestamp>, Option<&'static str>) {
    let told = ["created", "date", "modified", "updated", "created_at"].iter();
    let told = told.filter_map(|key| note.text(key)).find_map(|text| time_of(&text, &options.zone));
    let named = || day_of(member).map(quipu_core::when::midnight);
    match told.or_else(named) {
        Some(time) => (Some(time), None),
        None => (member.modified, Some("mtime")),
    }
}

fn day_of(member: &Member) -> Option<Date> {
    member.stem().get(..10)?.parse().ok()
}

/// Takes what Quipu itself exported as a note, and tells whether it was that. A head that cannot be read is
/// reported.
fn is_quipus(
    note: &Note<'_>,
    (input, member): (&Input, &Member),
    options: &Options,
    out: &mut Out<'_>,
) -> Result<bool, ImportError> {
    if let Some(why) = &note.broken {
        out.warn(format!("{}: {why}; its words are read", input.place(member)));
    }
    if note.head.contains_key(ID) {
        own(note, member, options, out)?;
        return Ok(true);
    }
    let is_derived = note.head.contains_key(DERIVED);
    if is_derived {
        out.skip(Skip::Derived);
    }
    Ok(is_derived)
}

/// Any Markdown: each bullet or paragraph is a memory.
pub(super) fn markdown(
    input: &Input,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    for member in input.ending(&[".md", ".markdown", ".txt", "stdin"]) {
        let text = input.text(member)?;
        let note = Note::read(&text);
        if is_quipus(&note, (input, member), options, out)? {
            continue;
        }
        let (time, time_from) = time_of_note(&note, member, options);
        for Section { heading, text, line, .. } in sections(note.body) {
            let mut draft = Draft::new(text).at(&member.name, None);
            draft.origin.line = Some(note.line + line - 1);
            draft.origin.account.clone_from(&member.name);
            (draft.time, draft.time_from) = (time, time_from);
            draft.tags = note.list("tags").iter().map(|tag| as_tag(tag)).collect();
            draft.heading = Some(heading).filter(|heading| !heading.is_empty());
            out.put(draft)?;
        }
    }
    Ok(())
}

/// A note of our own export: one memory, with all that we know about it.
fn own(
    note: &Note<'_>,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let (body, links) = note.body.split_once(LINKS).unwrap_or((note.body, ""));
    let mut draft = Draft::new(body.trim()).at(&member.name, note.text(ID));
    let time = |key: &str| note.text(key).and_then(|text| time_of(&text, &options.zone));
    draft.time = time("created");
    (draft.valid_from, draft.valid_to) = (time("valid_from"), time("valid_to"));
    draft.category = note.text("category");
    draft.memory_type = note.text("type").and_then(|text| MemoryType::named(&text));
    draft.layer = note.text("layer").and_then(|text| Layer::named(&text));
    draft.source =
        note.text("source").and_then(|text| Source::named(&text)).unwrap_or(Source::Ingest);
    draft.status =
        note.text("status").and_then(|text| Status::named(&text)).unwrap_or(Status::Active);
    draft.sensitivity = note.text("sensitivity").and_then(|text| Sensitivity::named(&text));
    draft.importance =
        crate::text::importance(note.text("importance").and_then(|text| text.parse().ok()));
    draft.confidence = note.text("confidence").and_then(|text| text.parse().ok());
    (draft.session, draft.speaker) = (note.text("session"), note.text("speaker"));
    draft.tags = note.list("tags");
    draft.supersedes = note.text("supersedes");
    draft.negative = note.text("negative").as_deref() == Some("true");
    draft.pinned = options.keep_pins && note.text("pinned").as_deref() == Some("true");
    for line in links.lines().filter_map(|line| bullet(line.trim())) {
        if let Some((relation, rest)) = line.split_once(" [[")
            && let Some(target) = rest.split(['|', ']']).next()
        {
            draft.links.push(DraftLink { to: target.to_owned(), relation: relation.to_owned() });
        } else if let Some(words) = line.strip_prefix("note: ") {
            draft.notes.push((words.to_owned(), None));
        }
    }
    out.put(draft)
}

/// basic-memory: bullets with a category are memories, bullets with a link are relations.
pub(super) fn basic_memory(
    input: &Input,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    for member in input.ending(&[".md", "stdin"]) {
        let text = input.text(member)?;
        let note = Note::read(&text);
        if let Some(why) = &note.broken {
            out.warn(format!("{}: {why}; its words are read", input.place(member)));
        }
        let (time, time_from) = time_of_note(&note, member, options);
        let title = note.text("title").unwrap_or_else(|| member.stem().to_owned());
        let permalink = note.text("permalink").unwrap_or_else(|| member.stem().to_owned());
        let tags: Vec<String> = note.list("tags").iter().map(|tag| as_tag(tag)).collect();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut put = |mut draft: Draft, key: String, line: usize, out: &mut Out<'_>| {
            let count = counts.entry(key.clone()).or_default();
            *count += 1;
            let id = if *count == 1 { key } else { format!("{key}\u{1f}{count}") };
            draft.origin.id = Some(format!("{permalink}\u{1f}{id}"));
            draft.origin.file.clone_from(&member.name);
            draft.origin.line = Some(note.line + line - 1);
            (draft.time, draft.time_from) = (time, time_from);
            draft.keep("permalink", &Value::from(permalink.as_str()));
            draft.keep("title", &Value::from(title.as_str()));
            out.put(draft)
        };
        let mut rest = String::new();
        let mut in_fence = false;
        for (number, line) in note.body.lines().enumerate() {
            let line_number = number + 1;
            in_fence ^= line.trim_start().starts_with("```");
            let item = if in_fence { None } else { bullet(line.trim()) };
            let is_quote = line.trim_start().starts_with('>');
            if let Some(one) = item.and_then(observation).filter(|_| !is_quote) {
                let mut draft = Draft::new(one.text.clone()).from(Source::Ai).called(&one.category);
                draft.tags = [tags.clone(), one.tags].concat();
                draft.notes.extend(one.context.map(|context| (context, None)));
                let key = format!("{}\u{1f}{}", one.category, one.text);
                put(draft, key, line_number, out)?;
                rest.push('\n');
            } else if let Some((relation, target)) = item.and_then(relation) {
                let words = format!("{title} {} {target}", relation.replace('_', " "));
                let mut draft = Draft::new(words).from(Source::Ai).called(RELATION);
                draft.tags.clone_from(&tags);
                draft.keep("relation", &Value::from(relation.as_str()));
                draft.keep("target", &Value::from(target.as_str()));
                put(draft, format!("{relation}\u{1f}{target}"), line_number, out)?;
                rest.push('\n');
            } else {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        // What is neither is read as text.
        for section in sections(&rest) {
            let mut draft = Draft::new(section.text.clone()).called("note");
            draft.tags.clone_from(&tags);
            draft.heading = Some(section.heading).filter(|heading| !heading.is_empty());
            put(draft, section.text, section.line, out)?;
        }
    }
    Ok(())
}

/// A bullet of basic-memory that says something.
struct Observation {
    category: String,
    text: String,
    tags: Vec<String>,
    context: Option<String>,
}

/// Reads `[category] words #tag (context)`.
fn observation(item: &str) -> Option<Observation> {
    let (category, words) = match item.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((category, words)) if is_category(category) && !words.starts_with('(') => {
            (category.trim(), words.trim())
        }
        // A task, a link or a time is no category.
        None if has_tag(item) => ("note", item),
        Some(_) | None => return None,
    };
    let (words, context) = match words.strip_suffix(')') {
        Some(inside) if !inside.ends_with('\\') => match inside.rsplit_once(" (") {
            Some((words, context)) if !context.contains(')') => (words, Some(context.to_owned())),
            _ => (words, None),
        },
        _ => (words, None),
    };
    let mut text = words.trim();
    let mut tags = Vec::new();
    while let Some((before, last)) = text.rsplit_once(' ') {
        let Some(tag) = last.strip_prefix('#').filter(|tag| !tag.is_empty()) else { break };
        tags.insert(0, tag.to_owned());
        text = before.trim_end();
    }
    let text = text.replace("\\#", "#").replace("\\)", ")");
    let (category, text) = (category.to_owned(), text);
    text.chars().any(char::is_alphanumeric).then_some(Observation { category, text, tags, context })
}

fn has_tag(item: &str) -> bool {
    item.split_whitespace()
        .any(|word| word.len() > 1 && word.starts_with('#') && !word.starts_with("##"))
        && !item.contains("[[")
}

fn is_category(text: &str) -> bool {
    let is_time = text.contains(':') && text.chars().all(|c| c.is_ascii_digit() || c == ':');
    let is_sign = text.chars().count() == 1 && !text.chars().all(char::is_alphanumeric);
    let is_task = matches!(text.trim(), "" | "x" | "X" | "-");
    !is_time && !is_sign && !is_task && !text.contains(['[', '(', ')'])
}

/// Reads `leads_to [[Target]]` and `"two words" [[Target]]`.
fn relation(item: &str) -> Option<(String, String)> {
    let start = item.find("[[")?;
    let end = start + item[start..].find("]]")?;
    let target = item[start + 2..end].split(['|', '#']).next()?.trim();
    let (before, after) = (item[..start].trim().trim_matches('"'), item[end + 2..].trim());
    let is_prose = !(after.is_empty() || after.starts_with('(') && after.ends_with(')'));
    let relation = if is_prose || before.is_empty() { "links_to" } else { before };
    (!target.is_empty()).then(|| (relation.to_owned(), target.to_owned()))
}

/// A vault of Obsidian: one memory a heading; bullets of daily notes are memories of their day.
pub(super) fn obsidian(
    input: &Input,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let notes: Vec<&Member> = input.ending(&[".md"]).filter(|one| is_note(one)).collect();
    // Links name notes by their names: the first part of each stands for it.
    let mut firsts: BTreeMap<String, String> = BTreeMap::new();
    for member in &notes {
        let text = input.text(member)?;
        let note = Note::read(&text);
        if let Some(part) = parts(note.body).first() {
            let id = format!("{}#{}", member.name, part.name);
            let mut names =
                vec![member.stem().to_owned(), member.name.trim_end_matches(".md").to_owned()];
            names.extend(note.list("aliases"));
            for name in names {
                firsts.entry(name.to_lowercase()).or_insert_with(|| id.clone());
            }
        }
    }
    for member in notes {
        let text = input.text(member)?;
        let note = Note::read(&text);
        if is_quipus(&note, (input, member), options, out)? {
            continue;
        }
        let (time, time_from) = time_of_note(&note, member, options);
        let tags: Vec<String> =
            [note.list("tags"), note.list("tag")].concat().iter().map(|tag| as_tag(tag)).collect();
        let make = |text: String, heading: &str, line: usize| {
            let mut draft = Draft::new(text).at(&member.name, None);
            draft.origin.line = Some(note.line + line - 1);
            (draft.time, draft.time_from) = (time, time_from);
            draft.tags.clone_from(&tags);
            draft.tags.extend(inline_tags(&draft.text));
            draft.tags.sort();
            draft.tags.dedup();
            let named = wiki_links(&draft.text).into_iter();
            let targets = named.filter_map(|name| firsts.get(&name.to_lowercase()).cloned());
            let link = |to| DraftLink { to, relation: "links-to".to_owned() };
            draft.links = targets.map(link).collect();
            let title = if heading.is_empty() { member.stem() } else { heading };
            draft.heading = Some(title.to_owned());
            draft.keep("note", &Value::from(member.stem()));
            draft.text = without_marks(&draft.text);
            draft
        };
        if day_of(member).is_some() {
            for section in sections(note.body).into_iter().filter(|one| one.is_bullet) {
                let mut draft = make(section.text, &section.heading, section.line);
                draft.origin.account.clone_from(&member.name);
                draft.source = Source::Human;
                out.put(draft.called("note"))?;
            }
            continue;
        }
        for part in parts(note.body) {
            let title = if part.heading.is_empty() { member.stem() } else { part.heading };
            let text = format!("{title}\n\n{}", part.text);
            let mut draft = make(text, part.heading, part.line);
            let own = format!("{}#{}", member.name, part.name);
            draft.links.retain(|link| link.to != own);
            draft.origin.id = Some(own);
            (draft.layer, draft.memory_type) = (Some(Layer::Semantic), Some(MemoryType::Fact));
            out.put(draft.called("note"))?;
        }
    }
    Ok(())
}

fn is_note(member: &Member) -> bool {
    !member.name.split('/').any(|part| {
        let lower = part.to_lowercase();
        part == ".obsidian" || part == ".trash" || lower == "templates" || lower == "_templates"
    })
}

/// A part of a note: what stands below one heading.
struct Part<'t> {
    heading: &'t str,
    /// Its name among the parts of the note.
    name: String,
    text: String,
    line: usize,
}

fn parts(body: &str) -> Vec<Part<'_>> {
    let mut found: Vec<Part<'_>> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let (mut heading, mut text, mut start, mut in_fence) = ("", String::new(), 1, false);
    let mut flush =
        |heading: &'_ str, text: &mut String, line: usize| -> Option<(String, String, usize)> {
            let words = std::mem::take(text);
            if !words.chars().any(char::is_alphanumeric) {
                return None;
            }
            let mut name = heading.to_owned();
            let mut count = 1;
            while !names.insert(name.clone()) {
                count += 1;
                name = format!("{heading}\u{1f}{count}");
            }
            Some((name, words.trim().to_owned(), line))
        };
    for (number, line) in body.lines().enumerate() {
        in_fence ^= line.trim_start().starts_with("```");
        let title = if in_fence { None } else { title_of(line) };
        let is_long = text.len() > LONGEST_PART && line.trim().is_empty() && !in_fence;
        if title.is_some() || is_long {
            let flushed = flush(heading, &mut text, start);
            found.extend(flushed.map(|(name, text, line)| Part { heading, name, text, line }));
            start = number + 1;
            heading = title.unwrap_or(heading);
        }
        if title.is_none() {
            text.push_str(line);
            text.push('\n');
        }
    }
    let flushed = flush(heading, &mut text, start);
    found.extend(flushed.map(|(name, text, line)| Part { heading, name, text, line }));
    found
}

/// Returns the tags in a text: `#word` with a letter first, outside of code.
fn inline_tags(text: &str) -> Vec<String> {
    let mut in_fence = false;
    let mut found = Vec::new();
    for line in text.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        if in_fence {
            continue;
        }
        for word in line.split_whitespace() {
            let Some(tag) = word.strip_prefix('#') else { continue };
            let tag = tag.trim_end_matches([',', '.', ';', ':', ')', '!', '?']);
            let is_tag = tag.starts_with(char::is_alphabetic)
                && tag.chars().all(|c| c.is_alphanumeric() || "_-/".contains(c));
            if is_tag {
                found.push(tag.to_owned());
            }
        }
    }
    found
}

/// Returns a text without marks that only Obsidian reads: comments, embeds, names of blocks; links become words.
fn without_marks(text: &str) -> String {
    let mut words = text.to_owned();
    while let Some(start) = words.find("%%") {
        let Some(end) = words[start + 2..].find("%%") else { break };
        words.replace_range(start..start + 2 + end + 2, "");
    }
    let mut plain = String::with_capacity(words.len());
    let mut rest = words.as_str();
    while let Some(start) = rest.find("[[") {
        let Some(end) = rest[start..].find("]]") else { break };
        let inside = &rest[start + 2..start + end];
        let is_embed = rest[..start].ends_with('!');
        plain.push_str(rest[..start].strip_suffix('!').unwrap_or(&rest[..start]));
        if !is_embed {
            let shown = inside.rsplit_once('|').map_or(inside, |(_, shown)| shown);
            plain.push_str(shown.trim_start_matches('#'));
        }
        rest = &rest[start + end + 2..];
    }
    plain.push_str(rest);
    let lines = plain.lines().map(|line| match line.rsplit_once(" ^") {
        Some((words, name))
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') =>
        {
            words
        }
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}
