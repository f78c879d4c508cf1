//! Which items the files of a memory folder hold. Text in, items out.

mod library;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::doc::{Document, Fact, Form, INVARIANTS, KEY_DECISIONS};
use crate::fact::Tier;
use crate::item::{Item, Kind, Layer, MemoryType, Place, Status};
use crate::journal;
use crate::memory::{ARCHIVE, CONTINUITY, SESSIONS};
use crate::text::ellipsis;
use crate::when::midnight;

/// A title that many items repeat is cut where it would have more characters than this.
const LONGEST_TITLE: usize = 300;

/// So many of the facts that one replaced itself are named in its item.
const MOST_REPLACED: usize = 64;

/// So many of the facts that those had replaced are named there too; the rest is found by them.
const MOST_BEFORE: usize = 8;

/// A part of a text is cut where it would have more characters than this.
const LONGEST_PART: usize = 6000;

/// What a file holds, as far as recall is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Facts: `continuity.md` and the quarter files of the archive.
    Facts,
    /// A session log.
    Session,
    /// A day of the journal, or the window on it.
    Journal,
    /// Another text, such as the vision.
    Document,
    /// A file of the memory tool, wherever its folder is.
    Note,
}

/// Returns what a path of the workspace holds; nothing where it is not indexed.
///
/// The archive's index repeats the first lines of the facts; the policy and the protocol are about
/// memory, not memory.
pub fn file_kind(path: &str) -> Option<FileKind> {
    let inside = |folder: &str| {
        let name = path.strip_prefix(folder)?;
        (!name.contains('/') && name.strip_suffix(".md").is_some()).then_some(name)
    };
    let is_index = |name: &str| name.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("index"));
    if path == CONTINUITY {
        return Some(FileKind::Facts);
    }
    if path == journal::PRIMARY || path == journal::ARCHIVE {
        return Some(FileKind::Journal);
    }
    if path == journal::USER || path == journal::LONG {
        return Some(FileKind::Document);
    }
    if let Some(name) = inside(ARCHIVE) {
        return (!is_index(name)).then_some(FileKind::Facts);
    }
    if let Some(name) = inside(SESSIONS) {
        return crate::ledger::is_session_log(name).then_some(FileKind::Session);
    }
    if journal::is_events(path) || journal::is_imports(path) {
        return Some(FileKind::Journal);
    }
    if journal::is_library(path) {
        return Some(FileKind::Note);
    }
    match inside("memory/") {
        Some("decay-policy.md" | "PROTOCOL.md") | None => None,
        Some(_) if path == journal::long::ARCHIVE => None,
        Some(name) if journal::is_daily(name) => Some(FileKind::Journal),
        Some(_) => Some(FileKind::Document),
    }
}

/// Returns the items of every file of facts: live ones, archived ones, and what replaced them.
///
/// A fact that is live and archived too counts as live, as everywhere.
pub fn facts<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (path, text) in files {
        let document = Document::parse(text);
        let headings = heading_paths(&document);
        for fact in document.distinct_facts() {
            if fact.form == Form::Quoted {
                continue;
            }
            let item = fact_item(path, &document, &headings, fact);
            if is_purged_mark(&item.text) {
                continue;
            }
            match known.get(&item.id) {
                Some(at) if path == CONTINUITY => items[*at] = item,
                Some(_) => {}
                None => {
                    known.insert(item.id.clone(), items.len());
                    items.push(item);
                }
            }
        }
    }
    link_chains(&mut items, &known);
    items
}

/// Returns what else stands in `continuity.md`: the state of the project, preferences, prose, and
/// bullets without a footer, by section.
pub fn around_facts(path: &str, text: &str) -> Vec<Item> {
    let document = Document::parse(text);
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for fact in document.facts.iter().filter(|fact| fact.form != Form::Quoted) {
        if fact.block.start >= at {
            rest.push_str(&text[at..fact.block.start]);
            // The lines stay, so that what is below keeps its place.
            rest.extend(text[fact.block.clone()].matches('\n'));
            at = fact.block.end;
        }
    }
    rest.push_str(&text[at..]);
    // When the last review was is not memory, and neither is what `init` writes.
    let is_stamp = |line: &str| {
        let line = line.trim();
        ["- **last_", "- **project:**"].iter().any(|key| line.starts_with(key))
            || line == "- **status:** new"
    };
    let lines = rest.split_inclusive('\n').map(|line| if is_stamp(line) { "\n" } else { line });
    self::document(path, &lines.collect::<String>())
}

/// Tells whether all that is left of something is the mark of a purge.
pub fn is_purged_mark(text: &str) -> bool {
    // Emphasis and full stops around the words may be left.
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '(' && c != ')');
    let inside = text.strip_prefix("(PURGED ").and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|day| day.parse::<Date>().is_ok())
}

fn fact_item(
    path: &str,
    document: &Document<'_>,
    headings: &[(usize, String)],
    fact: &Fact,
) -> Item {
    let footer = &fact.footer;
    let created = footer.get("created").and_then(|date| date.parse::<Date>().ok());
    let kind = match fact.form {
        _ if path != CONTINUITY => Kind::Archived,
        Form::OpenThread | Form::DoneThread => Kind::Thread,
        _ => Kind::Fact,
    };
    let time = created.map_or(Timestamp::UNIX_EPOCH, midnight);
    let mut item = Item::new(fact.id(), kind, document.words(fact), time);
    let section = document.section_title(fact).unwrap_or_default();
    let above = headings.partition_point(|(start, _)| *start <= fact.block.start);
    item.title = above.checked_sub(1).map(|at| headings[at].1.clone()).unwrap_or_default();
    item.category = ellipsis(section, LONGEST_TITLE);
    (item.layer, item.memory_type) = layer_of(section);
    item.place = Some(Place { path: path.to_owned(), line: fact.line });
    item.importance = match footer.tier() {
        Some(Tier::Core) => 0.9,
        Some(Tier::Active) => 0.7,
        Some(Tier::Working) => 0.6,
        Some(Tier::ArchiveCandidate | Tier::Archived | Tier::Superseded) | None => 0.5,
    };
    item.tier = footer.tier_label();
    item.origin = footer.get("origin").map(str::to_owned);
    item.supersedes.extend(footer.get("supersedes").map(str::to_owned));
    item.superseded_by = footer.superseded_by().map(str::to_owned);
    if footer.is_superseded() {
        item.status = Status::Superseded;
    }
    item
}

/// Returns of each heading where it begins, and the headings above it with its own, the outermost first.
fn heading_paths(document: &Document<'_>) -> Vec<(usize, String)> {
    let mut path: Vec<(u8, String)> = Vec::new();
    let mut paths = Vec::with_capacity(document.sections.len());
    for section in &document.sections {
        while path.pop_if(|(level, _)| *level >= section.level).is_some() {}
        path.push((section.level, ellipsis(&section.title, LONGEST_TITLE)));
        let titles: Vec<&str> = path.iter().map(|(_, title)| title.as_str()).collect();
        paths.push((section.heading.start, titles.join(" › ")));
    }
    paths
}

fn layer_of(section: &str) -> (Layer, MemoryType) {
    let lower = section.to_lowercase();
    if section == INVARIANTS {
        (Layer::Semantic, MemoryType::Fact)
    } else if section == KEY_DECISIONS || lower.contains("decision") {
        (Layer::Procedural, MemoryType::Fact)
    } else if ["convention", "pattern", "how", "workflow", "rule", "practice"]
        .iter()
        .any(|word| lower.contains(word))
    {
        (Layer::Procedural, MemoryType::Procedure)
    } else {
        (Layer::Semantic, MemoryType::Fact)
    }
}

/// Gives each fact the chain that it replaced, as far as an item names it, and each replaced one the end
/// of its truth.
fn link_chains(items: &mut [Item], known: &BTreeMap<String, usize>) {
    // A footer on either side of the relation is enough.
    for at in 0..items.len() {
        if let Some(newer) = items[at].superseded_by.as_ref().and_then(|id| known.get(id)).copied()
            // What the footer there names comes first, and nobody else has this id.
            && items[newer].supersedes.first() != Some(&items[at].id)
        {
            let id = items[at].id.clone();
            items[newer].supersedes.push(id);
        }
    }
    for at in 0..items.len() {
        for place in 0..items[at].supersedes.len() {
            if let Some(older) = known.get(&items[at].supersedes[place]).copied()
                && older != at
            {
                items[older].status = Status::Superseded;
                if items[older].superseded_by.is_none() {
                    items[older].superseded_by = Some(items[at].id.clone());
                }
            }
        }
    }
    let links = |item: &Item| -> Vec<Link> {
        let direct = item.supersedes.iter().take(MOST_REPLACED);
        direct.map(|id| (id.clone(), known.get(id).copied())).collect()
    };
    let links: Vec<Vec<Link>> = items.iter().map(links).collect();
    for at in 0..items.len() {
        let end = items[at].superseded_by.as_ref().and_then(|id| known.get(id));
        let end = end.map(|newer| items[*newer].time.max(items[at].time));
        let item = &mut items[at];
        item.supersedes = chain(&links, at);
        if item.status == Status::Superseded {
            item.valid_to = end.or(item.valid_to);
        }
    }
}

/// The id of a replaced fact, and its number where it is there.
type Link = (String, Option<usize>);

/// Returns what an item replaced, each followed by what that replaced.
fn chain(links: &[Vec<Link>], at: usize) -> Vec<String> {
    let mut chain: Vec<&Link> = Vec::new();
    let mut before = 0;
    let mut next: Vec<(&Link, bool)> = links[at].iter().rev().map(|link| (link, true)).collect();
    while let Some((link, is_direct)) = next.pop() {
        if link.1 == Some(at) || chain.contains(&link) || (before == MOST_BEFORE && !is_direct) {
            continue;
        }
        before += usize::from(!is_direct);
        if let Some(older) = link.1.filter(|_| before < MOST_BEFORE) {
            next.extend(links[older].iter().rev().map(|link| (link, false)));
        }
        chain.push(link);
    }
    chain.into_iter().map(|(id, _)| id.clone()).collect()
}

/// Returns the sections of a session log, in order.
pub fn session(path: &str, text: &str) -> Vec<Item> {
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).unwrap_or(path);
    let time = session_time(stem);
    let parts = parts(text).filter(|part| {
        !part.title.eq_ignore_ascii_case("Memory References") && !is_only_a_header(&part.text)
    });
    let make = |part: Part<'_>| {
        let id = format!("{stem}#{}", part.slug);
        let mut item = Item::new(id, Kind::Session, part.text, time);
        part.title.clone_into(&mut item.title);
        item.place = Some(Place { path: path.to_owned(), line: part.line });
        item.session = Some(stem.to_owned());
        "session".clone_into(&mut item.category);
        item
    };
    parts.map(make).collect()
}

/// Tells whether a part only says who worked, and for whom.
fn is_only_a_header(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.all(|line| line.starts_with("**") && line.contains(":**"))
}

/// Returns when a session log was written, from its name.
pub fn session_time(stem: &str) -> Timestamp {
    let Some(day) = stem.get(..10).and_then(|day| day.parse::<Date>().ok()) else {
        return Timestamp::UNIX_EPOCH;
    };
    let digits: String = stem[10..].chars().filter(char::is_ascii_digit).take(6).collect();
    let number = |at: usize| digits.get(at..at + 2).and_then(|text| text.parse::<i8>().ok());
    let (hour, minute) = (number(0).unwrap_or(0), number(2).unwrap_or(0));
    let second = number(4).unwrap_or(0);
    let at = jiff::civil::Time::new(hour, minute, second, 0).unwrap_or_default();
    day.to_datetime(at).to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp()).unwrap_or_default()
}

/// Returns the sections of another text, in order.
pub fn document(path: &str, text: &str) -> Vec<Item> {
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).unwrap_or(path);
    let make = |part: Part<'_>| {
        let id = format!("{stem}#{}", part.slug);
        let mut item = Item::new(id, Kind::Document, part.text, Timestamp::UNIX_EPOCH);
        item.title = if part.title.is_empty() { stem.to_owned() } else { part.title.to_owned() };
        item.place = Some(Place { path: path.to_owned(), line: part.line });
        stem.clone_into(&mut item.category);
        item.layer = if stem == "instructions" { Layer::Procedural } else { Layer::Semantic };
        item.memory_type =
            if stem == "instructions" { MemoryType::Procedure } else { MemoryType::Fact };
        item
    };
    let parts = parts(text);
    let told =
        parts.filter(|part| !is_only_prompts(path, &part.text) && !is_purged_mark(&part.text));
    told.map(make).collect()
}

/// Returns the sections of a file of the memory tool, in order. Files of one name in several folders
/// are told apart, so an id begins with the whole path.
pub fn note(path: &str, text: &str) -> Vec<Item> {
    if journal::is_library(path) {
        return library::document(path, text, parts);
    }
    let make = |part: Part<'_>| {
        let id = format!("{path}#{}", part.slug);
        let mut item = Item::new(id, Kind::Document, part.text, Timestamp::UNIX_EPOCH);
        let name = path.rsplit('/').next().unwrap_or(path);
        item.title = if part.title.is_empty() { name.to_owned() } else { part.title.to_owned() };
        item.place = Some(Place { path: path.to_owned(), line: part.line });
        "note".clone_into(&mut item.category);
        item.layer = Layer::Semantic;
        item.memory_type = MemoryType::Fact;
        item
    };
    parts(text).map(make).collect()
}

/// Returns what the user wrote beside the long-term summaries, which repeat the words of records.
pub fn beside_summaries(path: &str, text: &str) -> Vec<Item> {
    document(path, &journal::long::own_text(text))
}

/// Returns what the user wrote between the records of a journal file.
pub fn between_records(path: &str, text: &str) -> Vec<Item> {
    let words = journal::window::text_of_user(text);
    // Most files hold records only.
    if words.trim().is_empty() { Vec::new() } else { document(path, &words) }
}

/// Tells whether nobody has written anything yet: our templates ask their questions in quotes.
fn is_only_prompts(path: &str, text: &str) -> bool {
    let is_template = matches!(path, CONTINUITY | "memory/vision.md" | "memory/instructions.md");
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    is_template && lines.all(|line| line.starts_with('>') || line.starts_with("<!--"))
}

/// A section of a text.
struct Part<'a> {
    title: &'a str,
    slug: String,
    text: String,
    line: usize,
}

/// Splits a text at its headings; very long sections at blank lines too.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut title = "";
    let mut body = String::new();
    let mut first_line = 1;
    let mut in_fence = false;
    let mut taken = BTreeSet::new();
    // For each name the last number that was given: those before it are taken.
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut flush =
        |title: &'_ str, body: &mut String, line: usize| -> Option<(String, String, usize)> {
            let words = body.trim();
            let has_words = words.chars().any(char::is_alphanumeric);
            let text = std::mem::take(body);
            if !has_words {
                return None;
            }
            let base = slug(title);
            let mut slug = base.clone();
            let count = numbers.entry(base.clone()).or_insert(1);
            // `A`, `A` and `A 2` are three sections.
            while !taken.insert(slug.clone()) {
                *count += 1;
                slug = format!("{base}-{count}");
            }
            Some((slug, text.trim().to_owned(), line))
        };
    for (index, line) in text.lines().enumerate() {
        in_fence ^= line.trim_start().starts_with("```");
        let heading = (!in_fence && line.starts_with('#'))
            .then(|| line.trim_start_matches('#'))
            .filter(|rest| rest.starts_with(' '));
        let too_long = body.len() > LONGEST_PART && line.trim().is_empty() && !in_fence;
        if heading.is_some() || too_long {
            if let Some((slug, text, line)) = flush(title, &mut body, first_line) {
                parts.push(Part { title, slug, text, line });
            }
            first_line = index + 1;
        }
        if let Some(words) = heading {
            title = words.trim().trim_end_matches('#').trim_end();
        } else {
            body.push_str(line);
            body.push('\n');
        }
    }
    if let Some((slug, text, line)) = flush(title, &mut body, first_line) {
        parts.push(Part { title, slug, text, line });
    }
    parts.into_iter()
}

fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() > 60 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "top".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: &str = "# C\n\n## Key Decisions\n\n- Retries back off twice.\n  <!-- id: retry-v2 | tier: active | created: 2026-03-01 | supersedes: retry-v1 -->\n- Old way.\n  <!-- id: retry-v1 | tier: superseded | created: 2026-01-01 | superseded-by: retry-v2 | supersedes: retry-v0 -->\n";
    const ARCHIVED: &str = "# 2026-Q1\n\n- Never retry.\n  <!-- id: retry-v0 | tier: superseded | created: 2025-12-01 | superseded-by: retry-v1 -->\n";

    #[test]
    fn a_fact_carries_the_chain_that_it_replaced() {
        let items = facts([(CONTINUITY, FACTS), ("memory/archive/2026-Q1.md", ARCHIVED)]);
        let of = |id: &str| items.iter().find(|item| item.id == id).unwrap();
        assert_eq!(of("retry-v2").supersedes, ["retry-v1", "retry-v0"]);
        assert_eq!(of("retry-v2").status, Status::Active);
        assert_eq!(of("retry-v1").valid_to, Some(of("retry-v2").time));
        assert_eq!(of("retry-v0").kind, Kind::Archived);
        assert_eq!(of("retry-v0").valid_to, Some(of("retry-v1").time));
    }

    #[test]
    fn a_log_is_indexed_by_section_and_its_references_are_not() {
        let log = "# Session (x)\n\n**Agent:** a\n\n## What We Did\n\n- moved it\n\n## Memory References\n\n- Referenced: `a-b`\n";
        let items = session("memory/sessions/2026-04-20-101530.md", log);
        let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["2026-04-20-101530#what-we-did"], "who worked is no memory by itself");
        assert_eq!(items[0].time.to_string(), "2026-04-20T10:15:30Z");
        assert_eq!(items[0].place.as_ref().unwrap().line, 5);
    }

    #[test]
    fn what_stands_around_the_facts_is_found_too() {
        let text = format!(
            "# C\n\n## Project State\n\n- **version:** 4.38\n\n{}- a bullet without a footer\n",
            &FACTS[5..]
        );
        let items = around_facts(CONTINUITY, &text);
        let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["continuity#project-state", "continuity#key-decisions"]);
        assert_eq!(items[1].text, "- a bullet without a footer");
        assert_eq!(items[1].place.as_ref().unwrap().line, 7, "where its heading stands");
    }

    #[test]
    fn what_init_writes_is_no_memory_until_somebody_changes_it() {
        let state = |status: &str| {
            format!(
                "# C\n\n## Project State\n\n- **project:** x\n- **status:** {status}\n- **last_review:** (none yet)\n"
            )
        };
        assert_eq!(around_facts(CONTINUITY, &state("new")), []);
        let items = around_facts(CONTINUITY, &state("in beta since May"));
        assert_eq!(items[0].text.trim(), "- **status:** in beta since May");
    }

    #[test]
    fn only_files_of_the_memory_are_indexed() {
        assert_eq!(file_kind("memory/continuity.md"), Some(FileKind::Facts));
        assert_eq!(file_kind("memory/archive/2026-Q1.md"), Some(FileKind::Facts));
        assert_eq!(file_kind("memory/archive/INDEX.md"), None);
        assert_eq!(file_kind("memory/2026-04-20.md"), Some(FileKind::Journal));
        assert_eq!(file_kind("memory/vision.md"), Some(FileKind::Document));
        assert_eq!(file_kind("memory/decay-policy.md"), None);
        assert_eq!(file_kind("README.md"), None);
    }

    #[test]
    fn notes_of_one_name_in_two_folders_are_two_notes() {
        let of = |path: &str| note(path, "# A\nx\n").remove(0).id;
        assert_eq!(of("memory/notes/a/x.md"), "memory/notes/a/x.md#a");
        assert_ne!(of("memory/notes/a/x.md"), of("memory/notes/b/x.md"));
    }

    #[test]
    fn sections_of_the_same_title_have_names_of_their_own() {
        let items =
            document("memory/vision.md", "intro\n# A\nx\n# A\ny\n# A 2\nw\n# B\n\n# 日本\nz\n");
        let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["vision#top", "vision#a", "vision#a-2", "vision#a-2-2", "vision#日本"]);
    }

    fn linked(n: usize, next: impl Fn(usize) -> Option<usize>) -> Vec<Item> {
        let fact = |number: usize| {
            let by = next(number).map(|next| format!(" | superseded-by: link-{next}"));
            let by = by.unwrap_or_default();
            format!("- Words\n  <!-- id: link-{number} | created: 2026-01-01{by} -->\n")
        };
        let text: String = (0..n).map(fact).collect();
        facts([("memory/continuity.md", text.as_str())])
    }

    #[test]
    fn items_of_a_long_chain_name_the_nearest_alone() {
        let n = 3000;
        for chain in [
            linked(n, |number| (number + 1 < n).then_some(number + 1)),
            linked(n, |number| Some((number + 1) % n)),
            linked(n, |number| (number > 0).then_some(0)),
        ] {
            let named: usize = chain.iter().map(|item| item.supersedes.len()).sum();
            assert!(named <= 10 * n, "{named} names in {n} items");
            let replaced = chain.iter().filter(|item| item.status == Status::Superseded).count();
            assert!(replaced >= n - 1, "{replaced} of {n} are known to be replaced");
        }
        let chain = linked(5, |number| (number < 4).then_some(number + 1));
        assert_eq!(chain[4].supersedes, ["link-3", "link-2", "link-1", "link-0"]);
        let circle = linked(3, |number| Some((number + 1) % 3));
        assert_eq!(circle[0].supersedes, ["link-2", "link-1"]);
    }

    #[test]
    fn sections_of_one_name_are_numbered_as_they_come() {
        let text = "# A\nx\n# A\ny\n# A 2\nz\n# A\nw\n";
        let ids: Vec<String> =
            document("memory/page.md", text).into_iter().map(|item| item.id).collect();
        assert_eq!(ids, ["page#a", "page#a-2", "page#a-2-2", "page#a-3"]);
    }

    #[test]
    fn a_long_heading_is_not_repeated_whole_by_every_fact_below_it() {
        let heading = "word ".repeat(2000);
        let text = format!("## {heading}\n- x\n  <!-- id: a-b | uses: 1 -->\n");
        let item = facts([("memory/continuity.md", text.as_str())]).remove(0);
        assert!(item.title.chars().count() <= LONGEST_TITLE);
        assert!(item.category.chars().count() <= LONGEST_TITLE);
    }
}
