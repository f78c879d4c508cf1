//! Memories as folders of Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use quipu_core::item::{Item, Sensitivity, Status};
use quipu_core::text::{collapse_whitespace, ellipsis};

use super::{Named, Written, rank, stamp};
use crate::head::quoted;
use crate::shared::{DERIVED, ID, LINKS};
use crate::text::tidy;

/// A title that is longer is cut.
const LONGEST_TITLE: usize = 60;

/// Returns the first words of a memory.
fn title(one: &Named<'_>) -> String {
    ellipsis(&collapse_whitespace(&one.item.text), LONGEST_TITLE)
}

/// Returns a name as a file can have it.
fn file_name(id: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = id.chars().map(plain).take(100).collect();
    name.trim_matches(['.', '-']).to_owned()
}

/// A note a memory, an index, and for Obsidian a page a day.
pub(super) fn notes(all: &[Named<'_>], is_obsidian: bool) -> Vec<Written> {
    let mut files: Vec<Written> = Vec::new();
    let mut days: BTreeMap<String, String> = BTreeMap::new();
    let mut index = format!("---\n{DERIVED}: true\n---\n# Memories\n\n");
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for one in all {
        let base = file_name(&one.id);
        let mut name = if base.is_empty() { "memory".to_owned() } else { base.clone() };
        let mut count = 1;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}-{count}");
        }
        let link = format!("[[{name}|{}]]", title(one).replace(['[', ']', '|'], " "));
        let _ = writeln!(index, "- {link}");
        let day = one.item.time.strftime("%Y-%m-%d").to_string();
        let page = days
            .entry(day)
            .or_insert_with_key(|day| format!("---\n{DERIVED}: true\n---\n# {day}\n\n"));
        let _ = writeln!(page, "- {link}");
        files.push((format!("{}/{name}.md", one.item.layer), note(one)));
    }
    if is_obsidian {
        files.extend(days.into_iter().map(|(day, page)| (format!("Daily/{day}.md"), page)));
    }
    files.push(("_index.md".to_owned(), index));
    files
}

/// Returns the words of a memory as they stand in its note: without the line that begins what is not its words.
pub(super) fn body(item: &Item) -> String {
    tidy(&tidy(&item.text).replace(LINKS.trim(), ""))
}

fn note(one: &Named<'_>) -> String {
    let item = one.item;
    let mut text = format!("---\n{ID}: {}\n", quoted(&one.id));
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "{key}: {value}");
        }
    };
    put("aliases", Some(format!("[{}]", quoted(&title(one)))));
    let list = |all: &[String]| all.iter().map(|tag| quoted(tag)).collect::<Vec<_>>().join(", ");
    put("tags", (!item.tags.is_empty()).then(|| format!("[{}]", list(&item.tags))));
    put("created", Some(quoted(&stamp(item.time))));
    put("valid_from", item.valid_from.map(|time| quoted(&stamp(time))));
    put("valid_to", item.valid_to.map(|time| quoted(&stamp(time))));
    put("status", (item.status != Status::Active).then(|| item.status.to_string()));
    put("category", Some(quoted(&item.category)).filter(|_| !item.category.is_empty()));
    put("type", Some(item.memory_type.to_string()));
    put("layer", Some(item.layer.to_string()));
    put("source", Some(item.source.to_string()));
    put("importance", Some(rank(item.importance)));
    put("session", item.session.as_deref().map(quoted));
    put("speaker", item.speaker.as_deref().map(quoted));
    let is_usual = item.sensitivity == Sensitivity::Private;
    put("sensitivity", (!is_usual).then(|| item.sensitivity.to_string()));
    put("supersedes", one.supersedes().map(|id| quoted(&id)));
    put("negative", item.negative.then(|| "true".to_owned()));
    put("pinned", item.pinned.then(|| "true".to_owned()));
    let _ = write!(text, "---\n{}\n", body(item));
    if !item.links.is_empty() || !item.notes.is_empty() {
        text.push_str(LINKS);
        for link in &item.links {
            let _ = writeln!(text, "- {} [[{}]]", link.relation, one.name_of(&link.to));
        }
        for note in &item.notes {
            let _ = writeln!(text, "- note: {}", collapse_whitespace(note));
        }
    }
    text
}

/// Notes of basic-memory: what came from one goes back into it, anything else gets a note of its own.
pub(super) fn basic_memory(all: &[Named<'_>]) -> Vec<Written> {
    // Of each note its title, its time and its lines.
    let mut pages: BTreeMap<String, (String, String, Vec<String>)> = BTreeMap::new();
    for one in all {
        let own = || format!("quipu/{}", file_name(&one.id));
        let permalink = one.kept("permalink").map_or_else(own, str::to_owned);
        let name = one.kept("title").map_or_else(|| title(one), str::to_owned);
        let time = stamp(one.item.time);
        let page = pages.entry(permalink).or_insert_with(|| (name, time, Vec::new()));
        page.2.push(match (one.kept("relation"), one.kept("target")) {
            (Some(relation), Some(target)) if relation.contains(' ') => {
                format!("- \"{relation}\" [[{target}]]")
            }
            (Some(relation), Some(target)) => format!("- {relation} [[{target}]]"),
            _ => observation(one),
        });
    }
    let mut files = Vec::new();
    for (permalink, (title, time, lines)) in pages {
        let mut text = format!("---\ntitle: {}\ntype: note\n", quoted(&title));
        let _ = writeln!(text, "permalink: {}", quoted(&permalink));
        let _ = writeln!(text, "created: {}\n---\n\n# {title}\n", quoted(&time));
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        let path: Vec<String> =
            permalink.split('/').map(file_name).filter(|part| !part.is_empty()).collect();
        files.push((format!("{}.md", path.join("/")), text));
    }
    files
}

/// Returns a memory as an observation: one line, with a category and tags.
fn observation(one: &Named<'_>) -> String {
    let item = one.item;
    let category = category(item);
    let mut line = format!("- [{category}]");
    for word in item.text.split_whitespace() {
        line.push(' ');
        // These would be read as a tag.
        if word.starts_with('#') {
            line.push('\\');
        }
        line.push_str(word);
    }
    if line.ends_with(')') {
        line.insert(line.len() - 1, '\\');
    }
    for tag in &item.tags {
        let _ = write!(line, " #{}", tag.replace(char::is_whitespace, "-"));
    }
    if let Some(note) = context(item) {
        let _ = write!(line, " ({note})");
    }
    line
}

/// Returns the category of a memory as an observation can have it.
pub(super) fn category(item: &Item) -> String {
    let category = collapse_whitespace(&item.category.replace(['[', ']', '(', ')'], " "));
    let is_word = category.chars().count() > 1 && category.chars().any(char::is_alphabetic);
    if is_word { category } else { "note".to_owned() }
}

/// Returns the one note that an observation can have.
pub(super) fn context(item: &Item) -> Option<String> {
    let first = item.notes.first().filter(|note| !note.contains(['(', ')']));
    first.map(|note| collapse_whitespace(note))
}
