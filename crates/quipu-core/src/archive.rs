//! The archive: quarter files that hold faded and superseded facts, and the index over them.
//!
//! A block moves as it is but for its tier. Quipu's headings remember why a fact left and from
//! which section, so that it can go back there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::doc::{self, Document, Fact, Form};
use crate::edit;
use crate::fact::Tier;
use crate::memory::{ARCHIVE, ARCHIVE_INDEX, CONTINUITY, Changes, Memory, Snapshot};
use crate::named::named;
use crate::template;
use crate::text::{self, Edit};

named! {
    /// Why a fact leaves continuity, as headings and the index say it.
    Reason {
        /// It was replaced or found false.
        Superseded = "superseded",
        /// It was not used for longer than the archive window.
        Faded = "faded",
        /// A completed thread that was not used for longer than the archive window.
        Swept = "swept",
        /// A person forgot it.
        Forgotten = "forgotten",
        /// It became private again.
        Unshared = "unshared",
    }
}

/// A fact on its way to the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The fact.
    pub id: String,
    /// Why it leaves.
    pub reason: Reason,
    /// The same in words, for the index: `faded (22 sessions unused)`.
    pub words: String,
    /// Its block, tier changed; empty where it is nested in another that leaves too.
    pub block: String,
    /// The section that it stood in.
    pub section: Option<String>,
    /// One line about it, for the index.
    pub note: String,
}

/// Prepares facts to leave `document`: the edits that take their blocks out, and what arrives.
///
/// A fact nested in another that leaves goes inside its block; its own is then empty.
///
/// `origin` knows the log that created a fact: one that leaves before a review filled it in takes it along.
pub fn depart<'l>(
    document: &Document<'_>,
    going: &[(&Fact, Reason, String)],
    origin: &dyn Fn(&str) -> Option<&'l str>,
) -> (Vec<Edit>, Vec<Departure>) {
    let source = document.source;
    let mut edits = Vec::new();
    let mut departures = Vec::new();
    // In order of place, a fact is nested where it ends before the last outer one does.
    let mut going: Vec<&(&Fact, Reason, String)> = going.iter().collect();
    going.sort_by_key(|(fact, ..)| (fact.block.start, std::cmp::Reverse(fact.block.end)));
    let mut outer_end = 0;
    for (index, (fact, reason, words)) in going.iter().enumerate() {
        let nested = fact.block.end <= outer_end;
        let mut block = String::new();
        if !nested {
            outer_end = fact.block.end;
            edits.push(edit::remove_block(source, fact.block.clone()));
            let inside =
                going[index..].iter().take_while(|(inner, ..)| inner.block.start < outer_end);
            block = relabelled(source, fact.block.clone(), inside.copied(), origin);
        }
        departures.push(Departure {
            id: fact.id().to_owned(),
            reason: *reason,
            words: words.clone(),
            block,
            section: document.section_title(fact).map(str::to_owned),
            note: document.title(fact, 90),
        });
    }
    (edits, departures)
}

/// Returns a block with the tiers that its facts have in the archive.
fn relabelled<'f, 'l>(
    source: &str,
    block: Range<usize>,
    facts: impl Iterator<Item = &'f (&'f Fact, Reason, String)>,
    origin: &dyn Fn(&str) -> Option<&'l str>,
) -> String {
    let tier = |reason: &Reason| match reason {
        Reason::Superseded => Tier::Superseded,
        Reason::Faded | Reason::Swept | Reason::Forgotten | Reason::Unshared => Tier::Archived,
    };
    let mut edits: Vec<Edit> = Vec::new();
    for (fact, reason, _) in facts {
        edits.extend(edit::set_field(source, &fact.footer, "tier", tier(reason).as_str()));
        // What a person held is over when the fact leaves; what a person put away stays away.
        edits.extend(match reason {
            Reason::Forgotten | Reason::Unshared => {
                edit::set_field(source, &fact.footer, "tier-by", "human")
            }
            _ => edit::remove_field(source, &fact.footer, "tier-by"),
        });
        if fact.footer.get("origin").is_none()
            && let Some(origin) = origin(fact.id())
        {
            edits.extend(edit::set_field(source, &fact.footer, "origin", origin));
        }
    }
    for edit in &mut edits {
        edit.span = edit.span.start - block.start..edit.span.end - block.start;
    }
    let text = &source[block];
    let text = text::apply(text, &edits).unwrap_or_else(|_| text.to_owned());
    // A nested block keeping its indentation would hang itself under whatever precedes it.
    let mut text = edit::dedent(&text);
    if !text.ends_with('\n') {
        text.push_str(text::line_ending(source));
    }
    text
}

/// Returns the archive's new texts: quarter file and index with `departures`, the index without
/// `returned`. `emptied` are quarter files that facts were taken out of.
pub fn changes(
    snapshot: &Snapshot,
    today: Date,
    departures: &[Departure],
    returned: &[&str],
    emptied: BTreeMap<String, String>,
) -> Changes {
    let mut quarters = emptied;
    let name = quarter_name(today);
    let ending = snapshot.get(CONTINUITY).map_or("\n", text::line_ending);
    if !departures.is_empty() {
        let path = format!("{ARCHIVE}{name}");
        let current = quarters.get(&path).map(String::as_str).or_else(|| snapshot.get(&path));
        let fresh = text::with_line_ending(&format!("# Archive — {}\n", &name[..7]), ending);
        let appended = append(current.unwrap_or(&fresh), today, departures);
        quarters.insert(path, appended);
    }
    let index = snapshot.get(ARCHIVE_INDEX);
    let fresh = text::with_line_ending(template::ARCHIVE_INDEX, ending);
    let updated = Index::parse(index.unwrap_or(&fresh)).updated(departures, &name, returned);
    let touched = !departures.is_empty() || !returned.is_empty();
    let mut changes: Changes =
        quarters.into_iter().map(|(path, text)| (path, Some(text))).collect();
    if touched && Some(updated.as_str()) != index {
        changes.insert(ARCHIVE_INDEX.to_owned(), Some(updated));
    }
    changes
}

/// Returns the name of the quarter file for a date.
pub fn quarter_name(date: Date) -> String {
    format!("{:04}-Q{}.md", date.year(), (date.month() + 2) / 3)
}

/// Returns the quarter file with the departed facts appended.
pub fn append(quarter: &str, today: Date, departures: &[Departure]) -> String {
    let mut result = quarter.to_owned();
    let ending = text::line_ending(quarter);
    let mut line = |text: &str| {
        result.push_str(text);
        result.push_str(ending);
    };
    if !quarter.is_empty() && !quarter.ends_with('\n') {
        line("");
    }
    let mut order: Vec<&Departure> = departures.iter().filter(|d| !d.block.is_empty()).collect();
    order.sort_by_key(|departure| departure.reason);
    for group in order.chunk_by(|a, b| a.reason == b.reason) {
        line("");
        line(&format!("## {today} — archived ({})", group[0].reason.as_str()));
        for section in group.chunk_by(|a, b| a.section == b.section) {
            if let Some(title) = &section[0].section {
                line("");
                line(&format!("### From {title}"));
            }
            for departure in section {
                line("");
                let block = text::with_line_ending(&departure.block, "\n");
                block.lines().for_each(&mut line);
            }
        }
    }
    result
}

/// The greppable index: a line or a table row for each archived fact.
#[derive(Debug)]
pub struct Index<'a> {
    source: &'a str,
    rows: Vec<Row<'a>>,
    is_table: bool,
}

/// One line of the index.
#[derive(Clone, Debug)]
struct Row<'a> {
    id: &'a str,
    line: text::Line<'a>,
}

impl<'a> Index<'a> {
    /// Reads an index in the list form or the table form.
    pub fn parse(source: &'a str) -> Self {
        let rows: Vec<Row<'a>> = text::lines(source)
            .filter_map(|line| Some(Row { id: row_id(line.text)?, line }))
            .collect();
        let is_table = match rows.first() {
            Some(first) => first.line.text.trim_start().starts_with('|'),
            None => text::lines(source).any(|line| is_table_rule(line.text)),
        };
        Self { source, rows, is_table }
    }

    /// Returns the index with a row for each departure, and without rows for `returned`.
    pub fn updated(&self, departures: &[Departure], quarter: &str, returned: &[&str]) -> String {
        let ending = text::line_ending(self.source);
        let gone: BTreeSet<&str> =
            departures.iter().map(|departure| departure.id.as_str()).collect();
        let gone = &gone | &returned.iter().copied().collect();
        let mut edits: Vec<Edit> = self
            .rows
            .iter()
            .filter(|row| gone.contains(row.id))
            .map(|row| Edit::remove(row.line.start..row.line.end))
            .collect();
        let last = match self.rows.last() {
            Some(row) => Some(row.line),
            None => text::lines(self.source).filter(|line| is_table_rule(line.text)).last(),
        };
        let mut added = String::new();
        for departure in departures {
            let cells = [&departure.id, &departure.note, &departure.words, quarter];
            let row = if self.is_table {
                format!("| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
            } else {
                format!("- {}", cells.join(" — "))
            };
            added.push_str(&row);
            added.push_str(ending);
        }
        if !added.is_empty() {
            let at = last.map_or(self.source.len(), |line| line.end);
            let unended = if at > 0 && !self.source[..at].ends_with('\n') { ending } else { "" };
            let blank = if last.is_none() && !self.source.trim().is_empty() { ending } else { "" };
            edits.push(Edit::insert(at, format!("{unended}{blank}{added}")));
        }
        // An insertion after a removed row sorts behind it: both end at the same byte.
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        text::apply(self.source, &edits).unwrap_or_else(|_| self.source.to_owned())
    }
}

/// What is wrong with the index: it is made from the quarter files, and can be made again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexFaults {
    /// Archived facts that it does not name.
    pub missing: Vec<String>,
    /// Live facts that it still names as archived.
    pub returned: Vec<String>,
}

impl IndexFaults {
    /// Tells whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.returned.is_empty()
    }
}

/// Compares the index with what the quarter files hold.
pub fn index_faults(memory: &Memory<'_>) -> IndexFaults {
    let source = memory.snapshot.get(ARCHIVE_INDEX).unwrap_or_default();
    // However a line is written, it names its fact.
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let named: BTreeSet<&str> = source.split(|c| !is_part(c)).collect();
    let archived = memory.archived();
    // What a code block quotes is nobody's fact.
    let facts = archived.iter().filter(|(_, (_, fact))| fact.form != Form::Quoted);
    let missing = facts.map(|(id, _)| id).filter(|id| !named.contains(**id));
    let live: BTreeSet<&str> =
        memory.continuity.distinct_facts().into_iter().map(Fact::id).collect();
    let rows = Index::parse(source).rows;
    let returned = rows
        .iter()
        .map(|row| row.id)
        .filter(|id| live.contains(id) && !archived.contains_key(id))
        .collect::<BTreeSet<_>>();
    IndexFaults {
        missing: missing.map(|id| (*id).to_owned()).collect(),
        returned: returned.into_iter().map(str::to_owned).collect(),
    }
}

/// Returns the index with what it lacks, and without what is no longer archived; nothing where it is
/// right.
pub fn mended_index(memory: &Memory<'_>) -> Option<String> {
    let faults = index_faults(memory);
    if faults.is_empty() {
        return None;
    }
    let ending = memory.snapshot.get(CONTINUITY).map_or("\n", text::line_ending);
    let fresh = text::with_line_ending(template::ARCHIVE_INDEX, ending);
    let mut index = memory.snapshot.get(ARCHIVE_INDEX).unwrap_or(&fresh).to_owned();
    let returned: Vec<&str> = faults.returned.iter().map(String::as_str).collect();
    index = Index::parse(&index).updated(&[], "", &returned);
    let archived = memory.archived();
    for id in &faults.missing {
        let Some((file, fact)) = archived.get(id.as_str()) else { continue };
        let is_superseded = fact.footer.is_superseded();
        let reason = if is_superseded { Reason::Superseded } else { Reason::Faded };
        let departure = Departure {
            id: id.clone(),
            reason,
            words: if is_superseded { reason.as_str().to_owned() } else { "archived".to_owned() },
            block: String::new(),
            section: None,
            note: file.document.title(fact, 90),
        };
        index = Index::parse(&index).updated(&[departure], file.name, &[]);
    }
    Some(index)
}

fn is_table_rule(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains("---") && line.bytes().all(|b| b"|-: ".contains(&b))
}

/// Returns the id that an index line is about.
pub(crate) fn row_id(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    let cell = if let Some(row) = trimmed.strip_prefix('|') {
        row.split('|').next()?
    } else {
        let item = doc::without_marker(trimmed);
        if item.len() == trimmed.len() {
            return None;
        }
        item.split([' ', '\t']).next()?
    };
    let id = cell.trim().trim_matches(['`', '*', '[', ']', ':']);
    let plain = id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    (plain && id.contains(|c: char| c.is_ascii_alphanumeric()) && id.contains('-')).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reactivation::{home_of, remove};

    fn departure(id: &str) -> Departure {
        Departure {
            id: id.to_owned(),
            reason: Reason::Faded,
            words: "faded (22 sessions unused)".to_owned(),
            block: format!("- text\n  <!-- id: {id} | tier: archived -->\n"),
            section: Some("Key Decisions".to_owned()),
            note: "text".to_owned(),
        }
    }

    #[test]
    fn quarters_begin_in_january() {
        let name = |month| quarter_name(Date::constant(2026, month, 1));
        assert_eq!(
            [name(1), name(3), name(4), name(12)],
            ["2026-Q1.md", "2026-Q1.md", "2026-Q2.md", "2026-Q4.md"]
        );
    }

    #[test]
    fn a_fact_that_comes_back_leaves_no_trace_of_ours() {
        let today = Date::constant(2026, 4, 20);
        let before =
            "# Archive — 2026-Q2\n\n## Older\n\n- a\n  <!-- id: a-a | tier: archived -->\n";
        let after = append(before, today, &[departure("b-b")]);
        assert!(after.starts_with(before));
        let document = Document::parse(&after);
        let fact = document.fact("b-b").unwrap();
        assert_eq!(home_of(&document, fact), Some("Key Decisions"));
        assert_eq!(remove(&document, &[fact]), before);
    }

    #[test]
    fn the_index_keeps_its_form() {
        let list = "# Archive Index\n\n- a-a — x — faded — 2026-Q1.md\n";
        let row = "- b-b — text — faded (22 sessions unused) — 2026-Q2.md\n";
        assert_eq!(
            Index::parse(list).updated(&[departure("b-b")], "2026-Q2.md", &[]),
            format!("{list}{row}")
        );
        let table = "# I\n\n| id | summary | reason | file |\n|---|---|---|---|\n| `a-a` | x | faded | 2026-Q1.md |\n\nend\n";
        let updated = Index::parse(table).updated(&[departure("b-b")], "2026-Q2.md", &["a-a"]);
        assert_eq!(
            updated,
            "# I\n\n| id | summary | reason | file |\n|---|---|---|---|\n| b-b | text | faded (22 sessions unused) | 2026-Q2.md |\n\nend\n"
        );
        let empty = "# Archive Index\n\n> why\n";
        assert_eq!(
            Index::parse(empty).updated(&[departure("b-b")], "2026-Q2.md", &[]),
            format!("{empty}\n{row}")
        );
    }

    fn folder(index: Option<&str>) -> Snapshot {
        let fact =
            "- Backups run at night\n  <!-- id: backups-at-night | uses: 1 | tier: archived -->\n";
        let live = "# C\n\n## Key Decisions\n\n- Exports are streamed\n  <!-- id: exports-streamed | uses: 1 | tier: active -->\n";
        let mut files: Changes = [
            (CONTINUITY.to_owned(), Some(live.to_owned())),
            (format!("{ARCHIVE}2026-Q1.md"), Some(format!("# Archive — 2026-Q1\n\n{fact}"))),
        ]
        .into();
        files.extend(index.map(|text| (ARCHIVE_INDEX.to_owned(), Some(text.to_owned()))));
        Snapshot::default().with(&files)
    }

    #[test]
    fn an_index_that_is_lost_or_stale_is_made_again() {
        let row = "- backups-at-night — Backups run at night — archived — 2026-Q1.md\n";
        let lost = folder(None);
        let memory = lost.parse().unwrap();
        assert_eq!(index_faults(&memory).missing, ["backups-at-night"]);
        assert!(mended_index(&memory).unwrap().ends_with(row));
        let stale =
            folder(Some(&format!("# I\n\n- exports-streamed — x — faded — 2026-Q1.md\n{row}")));
        let memory = stale.parse().unwrap();
        assert_eq!(index_faults(&memory).returned, ["exports-streamed"]);
        assert_eq!(mended_index(&memory).unwrap(), format!("# I\n\n{row}"));
        let right = folder(Some(&format!("# I\n\n{row}")));
        assert_eq!(mended_index(&right.parse().unwrap()), None);
    }
}
