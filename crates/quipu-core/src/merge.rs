//! Two branches changed the same file: one text that loses nothing of either.
//!
//! A file is cut into pieces that have names: facts, records, index rows, `- **key:** value` lines.
//! What has a name is merged by it, whatever its place; the lines between are merged as lines, and
//! where both sides wrote, both stay. There are no conflict markers: what only a person can decide
//! becomes a thread (docs/git.md).
//!
//! The result does not depend on which branch is merged into which: the same two branches give the same bytes on every machine.

mod diff;
mod fact;
mod interleave;
mod log;
mod lost;
mod opposed;
mod piece;
pub mod revert;
mod scalar;
mod sequence;
pub mod union;

use std::collections::{BTreeMap, BTreeSet};

use crate::doc::{self, Document, Form, OPEN_THREADS};
use crate::{edit, journal, ledger, terms, text};

/// The section whose lines `- **key:** value` are keys.
const PROJECT_STATE: &str = "Project State";

/// What a file is, which decides how it is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// The live facts.
    Continuity,
    /// A quarter of the archive.
    Quarter,
    /// The archive's index.
    Index,
    /// A session log, which nobody changes.
    SessionLog,
    /// Records, one a line: `MEMORY.md`, a day's log.
    Journal,
    /// Summaries: `LONGMEMORY.md`.
    Long,
    /// Lines `- **key:** value`: the install manifest.
    Manifest,
}

impl FileKind {
    /// Returns what the file at `path` is; nothing where Quipu has no rule for it.
    pub fn of(path: &str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = folder.rsplit('/').next().unwrap_or(folder);
        let is_index = name.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("index"));
        match (folder, name) {
            ("memory", "continuity.md") => Some(Self::Continuity),
            ("archive", _) if is_index => Some(Self::Index),
            ("archive", _) => Some(Self::Quarter),
            ("sessions", _) if ledger::is_session_log(name) => Some(Self::SessionLog),
            ("memory", "MEMORY-archive.md") => Some(Self::Journal),
            ("memory", "LONGMEMORY-archive.md") => Some(Self::Long),
            ("memory", _) if journal::is_daily(name) => Some(Self::Journal),
            ("events", _) if journal::is_events_name(name) => Some(Self::Journal),
            (_, journal::PRIMARY) => Some(Self::Journal),
            (_, journal::LONG) => Some(Self::Long),
            (".agent", "version.md") => Some(Self::Manifest),
            _ => None,
        }
    }
}

/// The three versions of a file.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// Where both began; empty where both made the file.
    pub base: &'a str,
    /// The one branch.
    pub ours: &'a str,
    /// The other.
    pub theirs: &'a str,
}

/// A file that two branches changed, as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The text.
    pub text: String,
    /// What a person should look at, in a sentence each; in continuity each is a thread too.
    pub questions: Vec<Question>,
}

/// Something that only a person can decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// What it is about: a fact's id, a key, a section.
    pub about: String,
    /// The question.
    pub text: String,
}

/// The facts that branches keep in other files: what left this one went there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elsewhere(BTreeMap<String, Left>);

/// What is said of a fact where it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Left {
    words: BTreeSet<String>,
    fields: BTreeSet<String>,
}

impl Elsewhere {
    /// Adds the facts of another file.
    pub fn add(&mut self, source: &str) {
        let document = Document::parse(source);
        for fact in document.facts.iter().filter(|fact| fact.form != Form::Quoted) {
            let (words, fields) = fact::said(&source[fact.block.clone()]);
            let left = self.0.entry(fact.id().to_owned()).or_default();
            left.words.insert(words);
            left.fields.extend(fields);
        }
    }
}

/// Merges two versions of a file.
pub fn three_way(kind: FileKind, sides: Sides<'_>, elsewhere: &Elsewhere) -> Merged {
    let whole = |text: &str| Merged { text: text.to_owned(), questions: Vec::new() };
    // Sorted, so that the order of merging makes no difference.
    let (first, second) = if sides.ours <= sides.theirs {
        (sides.ours, sides.theirs)
    } else {
        (sides.theirs, sides.ours)
    };
    let sides = Sides { base: sides.base, ours: first, theirs: second };
    if sides.ours == sides.theirs || sides.theirs == sides.base {
        return whole(sides.ours);
    }
    if sides.ours == sides.base {
        return whole(sides.theirs);
    }
    if let Some(ending) = converted(sides) {
        let unix = |text: &str| text::with_line_ending(text, "\n");
        let [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(unix);
        let sides = Sides { base: &base, ours: &ours, theirs: &theirs };
        let merged = three_way(kind, sides, elsewhere);
        return Merged { text: text::with_line_ending(&merged.text, ending), ..merged };
    }
    if kind == FileKind::SessionLog && sides.base.is_empty() {
        return whole(&log::both(sides.ours, sides.theirs));
    }
    let mut questions = BTreeSet::new();
    let mut pieces = sequence::Merger { kind, elsewhere, questions: &mut questions };
    let merged = pieces.merge(sides);
    let merged = match kind {
        FileKind::Continuity | FileKind::Quarter => {
            let merged = lost::without_returned(merged, sides, elsewhere, &mut questions);
            lost::with_all_facts(merged, sides)
        }
        _ => merged,
    };
    let merged = match kind {
        FileKind::Continuity => {
            fact::without_circles(&merged, [sides.ours, sides.theirs], &mut questions)
        }
        _ => merged,
    };
    if kind == FileKind::Continuity {
        opposed::ask(&merged, sides, &mut questions);
    }
    let questions: Vec<Question> = questions.into_iter().collect();
    let merged = match kind {
        FileKind::Continuity => with_threads(&merged, sides, &questions),
        _ => merged,
    };
    Merged { text: merged, questions }
}

/// Returns the line ending of the result where the versions differ in it: that of the side that changed
/// it. Line by line such a change would be one of every line.
fn converted(sides: Sides<'_>) -> Option<&'static str> {
    let prevailing = |text: &str| {
        let all = text.matches('\n').count();
        let windows = text.matches("\r\n").count();
        (all > 0).then_some(if windows * 2 > all { "\r\n" } else { "\n" })
    };
    let base = prevailing(sides.base);
    let (ours, theirs) = (prevailing(sides.ours).or(base)?, prevailing(sides.theirs).or(base)?);
    let differs = ours != theirs || base.is_some_and(|base| base != ours);
    differs.then_some(match base {
        _ if ours == theirs => ours,
        Some(base) if base == ours => theirs,
        Some(_) => ours,
        None => "\n",
    })
}

/// Adds a thread for each question.
fn with_threads(merged: &str, sides: Sides<'_>, questions: &[Question]) -> String {
    let document = Document::parse(merged);
    // Below a fence that never closes a thread would be code; whoever merges is told all the same.
    if questions.is_empty() || document.unclosed_fence.is_some() {
        return merged.to_owned();
    }
    let day = newest_day(sides);
    let thread = |question: &Question| {
        let id = format!("ot-merge-{}-{}", naming_part(&question.about), mark(&question.text));
        let taken = document.fact(&id).is_some();
        (!taken).then(|| {
            format!(
                "- [ ] {}\n  <!-- id: {id} | created: {day} | last_used: {day} | uses: 1 | tier: working -->\n",
                question.text
            )
        })
    };
    let blocks: Vec<String> = questions.iter().filter_map(thread).collect();
    if blocks.is_empty() {
        return merged.to_owned();
    }
    let edit = edit::insert_blocks(&document, OPEN_THREADS, &blocks);
    text::apply(merged, &[edit]).unwrap_or_else(|_| merged.to_owned())
}

/// Returns the newest day that a footer of either side names: a merge has no clock of its own.
fn newest_day(sides: Sides<'_>) -> String {
    let mut newest = String::new();
    for source in [sides.base, sides.ours, sides.theirs] {
        for footer in crate::fact::footers(source).0 {
            for key in ["created", "last_used"] {
                if let Some(day) = footer.get(key).filter(|day| ledger::is_date(day))
                    && day > newest.as_str()
                {
                    day.clone_into(&mut newest);
                }
            }
        }
    }
    if newest.is_empty() { "1970-01-01".to_owned() } else { newest }
}

/// Returns a text as part of an id.
fn naming_part(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let words: String = text.chars().map(plain).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).take(8).collect();
    if words.is_empty() { "text".to_owned() } else { words.join("-") }
}

/// Returns six letters that tell one text from another.
fn mark(source: &str) -> String {
    let unix = text::with_line_ending(source.trim(), "\n");
    let hash = terms::term(&unix);
    format!("{:06x}", (hash ^ (hash >> 24) ^ (hash >> 48)) & 0x00ff_ffff)
}

/// Returns the ids of the facts in a text; quotations are none.
pub fn ids(source: &str) -> BTreeSet<String> {
    let document = Document::parse(source);
    let facts = document.facts.iter().filter(|fact| fact.form != Form::Quoted);
    facts.map(|fact| fact.id().to_owned()).collect()
}

/// Tells whether a line is `- **key:** value`, and returns the key.
fn state_key(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("- **")?;
    let (key, _) = rest.split_once(":**")?;
    (!key.is_empty() && !key.contains('*') && doc::without_marker(line).len() < line.len())
        .then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Edit;

    const BASE: &str = "# Continuity

## Project State

- **project:** x
- **status:** calm
- **last_review:** 2026-05-03 | through 2026-05-03-100000

## Key Decisions

- One way
  <!-- id: one-way | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: active -->
- Two ways
  <!-- id: two-ways | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: active -->

## Open Threads

- [ ] Ship it
  <!-- id: ot-ship | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->
";

    fn fact(id: &str) -> String {
        format!(
            "- New {id}\n  <!-- id: {id} | created: 2026-05-04 | last_used: 2026-05-04 | uses: 1 | tier: working -->\n"
        )
    }

    fn add(source: &str, id: &str) -> String {
        let edit = edit::insert_blocks(&Document::parse(source), "Key Decisions", &[fact(id)]);
        text::apply(source, &[edit]).unwrap()
    }

    fn merged(ours: &str, theirs: &str) -> Merged {
        let none = Elsewhere::default();
        let one = three_way(FileKind::Continuity, Sides { base: BASE, ours, theirs }, &none);
        let swapped = Sides { base: BASE, ours: theirs, theirs: ours };
        assert_eq!(one, three_way(FileKind::Continuity, swapped, &none));
        assert!(!one.text.contains("<<<<<<<"));
        one
    }

    #[test]
    fn facts_of_both_sides_stand_together() {
        let done = merged(&add(BASE, "fact-a"), &add(BASE, "fact-b"));
        let expected = add(&add(BASE, "fact-a"), "fact-b");
        assert_eq!(done.text, expected);
        assert!(done.questions.is_empty());
    }

    #[test]
    fn a_reworded_thread_that_the_other_closed_is_closed_with_new_words() {
        let done = merged(
            &BASE.replace("[ ] Ship", "[x] Ship"),
            &BASE.replace("Ship it", "Ship it today"),
        );
        assert_eq!(done.text, BASE.replace("[ ] Ship it", "[x] Ship it today"));
    }

    #[test]
    fn one_fact_with_two_new_wordings_becomes_two_and_a_thread() {
        let done = merged(
            &BASE.replace("One way", "Only one way"),
            &BASE.replace("One way", "One way or none"),
        );
        assert!(done.text.contains("Only one way") && done.text.contains("One way or none"));
        assert_eq!(done.questions.len(), 1);
        let document = Document::parse(&done.text);
        assert_eq!(document.facts.len(), 5, "{}", done.text);
        assert!(document.facts.iter().any(|fact| fact.id().starts_with("one-way-other-")));
        assert!(document.facts.iter().any(|fact| fact.id().starts_with("ot-merge-one-way-")));
    }

    #[test]
    fn numbers_that_counting_derives_raise_no_question() {
        let used = |n: u8| {
            BASE.replacen(
                "last_used: 2026-05-01 | uses: 1",
                &format!("last_used: 2026-05-0{n} | uses: {n}"),
                1,
            )
        };
        let done = merged(&used(3), &used(7));
        assert_eq!(done.text, used(7));
    }

    #[test]
    fn a_fact_that_one_side_archived_and_the_other_changed_is_kept_under_another_name() {
        let at = BASE.find("- Two ways").unwrap()..BASE.find("\n## Open").unwrap();
        let gone = text::apply(BASE, &[Edit::remove(at)]).unwrap();
        let changed = BASE.replace("Two ways", "Three ways");
        let mut archived = Elsewhere::default();
        archived.add(&BASE[BASE.find("- Two ways").unwrap()..]);
        let sides = Sides { base: BASE, ours: &gone, theirs: &changed };
        let done = three_way(FileKind::Continuity, sides, &archived);
        assert!(done.text.contains("Three ways") && done.text.contains("id: two-ways-other-"));
        assert!(!done.text.contains("id: two-ways |"));
        let unknown = three_way(FileKind::Continuity, sides, &Elsewhere::default());
        assert!(unknown.text.contains("id: two-ways |"));
        let used = BASE.replace("uses: 1 | tier: active", "uses: 2 | tier: active");
        let sides = Sides { base: BASE, ours: &gone, theirs: &used };
        assert!(!three_way(FileKind::Continuity, sides, &archived).text.contains("two-ways"));
    }

    #[test]
    fn facts_that_two_branches_superseded_by_each_other_stay_and_a_person_is_asked() {
        let superseded = |id: &str, by: &str| {
            BASE.replace(
                &format!("id: {id} | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: active"),
                &format!("id: {id} | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: superseded | superseded-by: {by}"),
            )
        };
        let done = merged(&superseded("one-way", "two-ways"), &superseded("two-ways", "one-way"));
        assert!(!done.text.contains("tier: superseded"), "{}", done.text);
        assert!(!done.text.contains("superseded-by"), "{}", done.text);
        assert_eq!(done.questions.len(), 1);
        assert!(done.questions[0].text.contains("`one-way` and `two-ways`"));
        // What one of them replaced long ago, it still did.
        let with = |text: String| {
            let at = text.find("id: one-way").unwrap();
            let end = at + text[at..].find(" -->").unwrap();
            format!("{} | supersedes: zero-ways, two-ways{}", &text[..end], &text[end..])
        };
        let (ours, theirs) = (superseded("one-way", "two-ways"), superseded("two-ways", "one-way"));
        let done = merged(&with(ours), &with(theirs));
        assert!(done.text.contains("| supersedes: zero-ways -->"), "{}", done.text);
    }

    #[test]
    fn what_is_added_below_the_last_fact_is_no_change_of_it() {
        let base = BASE.trim_end();
        let ours = base.replace("Ship it", "Ship it today");
        let theirs = format!("{base}\n\n## Notes\n\nmine\n");
        let sides = Sides { base, ours: &ours, theirs: &theirs };
        let done = three_way(FileKind::Continuity, sides, &Elsewhere::default());
        assert_eq!(done.text, theirs.replace("Ship it", "Ship it today"));
        assert!(done.questions.is_empty());
    }

    #[test]
    fn what_both_said_and_one_archived_is_archived() {
        let at = BASE.find("- [ ] Ship").unwrap();
        let closed = BASE.replace("[ ] Ship it", "[x] Shipped");
        let mut archived = Elsewhere::default();
        archived.add(&format!("# Archive\n\n{}", &closed[closed.find("- [x]").unwrap()..]));
        let sides = Sides { base: BASE, ours: &closed, theirs: &BASE[..at] };
        let done = three_way(FileKind::Continuity, sides, &archived);
        assert!(!done.text.contains("ot-ship") && done.questions.is_empty(), "{}", done.text);
        let reopened = BASE.replace("Ship it", "Shipped");
        let sides = Sides { base: BASE, ours: &reopened, theirs: &BASE[..at] };
        assert_eq!(three_way(FileKind::Continuity, sides, &archived).questions.len(), 1);
    }

    #[test]
    fn the_later_review_holds_and_two_states_are_asked_about() {
        let ours = BASE.replace(
            "2026-05-03 | through 2026-05-03-100000",
            "2026-05-04 | through 2026-05-04-100000",
        );
        let theirs = BASE
            .replace("2026-05-03 | through 2026-05-03-100000", "2026-05-05")
            .replace("calm", "busy");
        let done = merged(&ours.replace("calm", "alarm"), &theirs);
        assert!(done.text.contains("- **last_review:** 2026-05-05\n"));
        assert_eq!(done.questions.len(), 1, "{:?}", done.questions);
        assert!(done.text.contains("- **status:** alarm\n- **status:** busy\n"), "{}", done.text);
        assert!(done.text.contains("- [ ] Merge: two branches set **status**"), "{}", done.text);
    }

    #[test]
    fn a_state_line_with_a_date_in_it_is_asked_about_like_any_other() {
        for (a, b) in [
            ("frozen since 2026-05-04", "released on 2026-05-04"),
            ("2026-05-04 rolled back", "2026-05-06 shipped\n  to everybody"),
        ] {
            let done = merged(&BASE.replace("calm", a), &BASE.replace("calm", b));
            assert!(done.text.contains(&format!("- **status:** {a}\n")), "{}", done.text);
            assert!(done.text.contains(&format!("- **status:** {b}\n")), "{}", done.text);
            assert_eq!(done.questions.len(), 1);
        }
    }

    #[test]
    fn lines_with_one_key_are_as_many_as_there_were() {
        let base = BASE
            .replace("- **status:** calm\n", "- **status:** calm\n- **note:** first note\n")
            .replace("## Open", "- **Backend:** Rust everywhere\n\n## Conventions\n\n- **Backend:** cargo fmt\n- **note:** second note\n\n## Open");
        let ours = base.replace("One way", "Only one way");
        let theirs = base.replace("first note", "first note, changed");
        let done = three_way(
            FileKind::Continuity,
            Sides { base: &base, ours: &ours, theirs: &theirs },
            &Elsewhere::default(),
        );
        assert_eq!(done.text, ours.replace("first note", "first note, changed"));
        assert!(done.questions.is_empty());
        // Also where all stand in one section.
        let base = base.replace("- **note:** first", "- **note:** zeroth note\n- **note:** first");
        let ours = base.replace("zeroth note", "zeroth note, changed");
        let theirs = base.replace("- **note:** first note\n", "");
        let done = three_way(
            FileKind::Continuity,
            Sides { base: &base, ours: &ours, theirs: &theirs },
            &Elsewhere::default(),
        );
        assert_eq!(done.text, ours.replace("- **note:** first note\n", ""));
        let manifest = "- **a:** 1\n- **a:** 2\n- **b:** x\n";
        let sides = Sides {
            base: manifest,
            ours: &manifest.replace("** 1", "** 3"),
            theirs: &manifest.replace("** x", "** y"),
        };
        let done = three_way(FileKind::Manifest, sides, &Elsewhere::default());
        assert_eq!(done.text, "- **a:** 3\n- **a:** 2\n- **b:** y\n");
    }

    #[test]
    fn a_side_that_converted_the_line_endings_changed_no_fact() {
        let windows = |text: &str| text::with_line_ending(text, "\r\n");
        let theirs = BASE.replace("One way", "Only one way").replace("calm", "busy");
        for (base, ours, theirs) in [
            (BASE.to_owned(), windows(&add(BASE, "fact-a")), theirs.clone()),
            (BASE.to_owned(), windows(&add(BASE, "fact-a")), windows(&theirs)),
            (windows(BASE), add(BASE, "fact-a"), windows(&theirs)),
        ] {
            let sides = Sides { base: &base, ours: &ours, theirs: &theirs };
            let done = three_way(FileKind::Continuity, sides, &Elsewhere::default());
            let expected = add(&theirs.replace('\r', ""), "fact-a");
            assert_eq!(done.text, text::with_line_ending(&expected, text::line_ending(&ours)));
            assert!(done.questions.is_empty());
        }
    }

    #[test]
    fn prose_that_both_rewrote_stays_twice_with_a_question() {
        let base = BASE.replace("## Key Decisions\n", "## Key Decisions\n\n> Old rule of thumb.\n");
        let ours = base.replace("Old rule", "New rule");
        let theirs = base.replace("Old rule", "Better rule");
        let done = three_way(
            FileKind::Continuity,
            Sides { base: &base, ours: &ours, theirs: &theirs },
            &Elsewhere::default(),
        );
        assert!(done.text.contains("> New rule") && done.text.contains("> Better rule"));
        assert!(!done.text.contains("> Old rule"));
        assert_eq!(done.questions.len(), 1);
    }

    #[test]
    fn records_stand_once_in_order_of_time() {
        let record = |id: &str, second: u8| {
            format!(
                "- {{\"id\":\"{id}\",\"sessionId\":\"s\",\"category\":\"note\",\"text\":\"t\",\"provenance\":{{\"sourceChannel\":\"c\",\"confidence\":1,\"timestamp\":\"2026-05-01T00:00:{second:02}.000Z\",\"sensitivity\":\"public\"}}}}\n"
            )
        };
        let base = format!("# M\n\nmine\n{}", record("a", 1));
        let ours = format!("{base}{}{}my words\n", record("b", 2), record("e", 5));
        let theirs = format!("{base}{}{}{}", record("c", 3), record("e", 5), record("f", 6));
        let done = three_way(
            FileKind::Journal,
            Sides { base: &base, ours: &ours, theirs: &theirs },
            &Elsewhere::default(),
        );
        let expected = format!(
            "{base}{}{}{}my words\n{}",
            record("b", 2),
            record("c", 3),
            record("e", 5),
            record("f", 6)
        );
        assert_eq!(done.text, expected);
    }

    #[test]
    fn index_rows_and_quarters_are_united() {
        let base = "# Index\n\n- a-a — x — faded — 2026-Q1.md\n";
        let ours =
            format!("{base}- b-b — y — faded (21) — 2026-Q2.md\n- d-d — y — faded — 2026-Q2.md\n");
        let theirs =
            format!("{base}- b-b — y — superseded — 2026-Q2.md\n- c-c — z — faded — 2026-Q2.md\n");
        let done = three_way(
            FileKind::Index,
            Sides { base, ours: &ours, theirs: &theirs },
            &Elsewhere::default(),
        );
        assert_eq!(done.text.lines().filter(|line| line.starts_with("- b-b")).count(), 1);
        assert!(
            done.text.contains("superseded")
                && done.text.contains("c-c")
                && done.text.contains("d-d")
        );
        let quarter = |reason: &str, id: &str| {
            format!(
                "# Archive\n\n## 2026-05-04 — archived ({reason})\n\n### From Key Decisions\n\n{}",
                fact(id)
            )
        };
        let (ours, theirs) = (quarter("faded", "fact-a"), quarter("superseded", "fact-b"));
        let done = three_way(
            FileKind::Quarter,
            Sides { base: "# Archive\n", ours: &ours, theirs: &theirs },
            &Elsewhere::default(),
        );
        let (faded, replaced) =
            (done.text.find("(faded)").unwrap(), done.text.find("(superseded)").unwrap());
        let (a, b) = (done.text.find("id: fact-a").unwrap(), done.text.find("id: fact-b").unwrap());
        assert!(faded < a && a < replaced && replaced < b, "{}", done.text);
    }

    #[test]
    fn every_kind_is_known_by_its_path() {
        for (path, kind) in [
            ("memory/continuity.md", Some(FileKind::Continuity)),
            ("sub/memory/archive/2026-Q2.md", Some(FileKind::Quarter)),
            ("memory/archive/INDEX.md", Some(FileKind::Index)),
            ("memory/sessions/2026-05-01-100000.md", Some(FileKind::SessionLog)),
            ("memory/2026-05-01.md", Some(FileKind::Journal)),
            ("MEMORY.md", Some(FileKind::Journal)),
            ("LONGMEMORY.md", Some(FileKind::Long)),
            (".agent/version.md", Some(FileKind::Manifest)),
            ("memory/vision.md", None),
            ("README.md", None),
        ] {
            assert_eq!(FileKind::of(path), kind, "{path}");
        }
    }
}
