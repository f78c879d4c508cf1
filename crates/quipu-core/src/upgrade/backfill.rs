//! Ids and metadata for the facts of a memory that had none (the 2.x rung of seed 000 §12).

use std::collections::BTreeSet;

use jiff::civil::Date;

use crate::doc::{self, Document};
use crate::fact;
use crate::memory::Snapshot;
use crate::naming;
use crate::outline::{Checkbox, Lines, Outline};
use crate::text::{self, Edit};

/// Returns `source` with a footer under every bullet that stands by itself in a section, and the ids.
///
/// Old session logs know no ids, so that every fact begins today, in use.
pub(super) fn backfill(source: &str, all: &Snapshot, today: Date) -> (String, Vec<String>) {
    let document = Document::parse(source);
    let lines = Lines::new(source);
    let hidden_from = lines.unclosed_fence.unwrap_or(usize::MAX);
    let footers = fact::footers(source).0;
    let ends: BTreeSet<usize> =
        footers.iter().map(|footer| lines.line_of(footer.span.end - 1)).collect();
    let outline = Outline::new(lines, |index| ends.contains(&index));
    let mut taken: BTreeSet<String> = all
        .files
        .values()
        .flat_map(|text| fact::footers(text).0)
        .map(|footer| footer.id.as_str().to_owned())
        .collect();
    let mut edits = Vec::new();
    let mut ids = Vec::new();
    let tops = outline.items.iter().enumerate().filter(|(_, item)| item.parent.is_none());
    for (index, item) in tops.filter(|(_, item)| !item.is_stamp) {
        let start = outline.lines[item.start].line.start;
        let end = outline.lines[item.end - 1].line.end;
        let block = &source[start..end];
        let is_fact =
            document.facts.iter().any(|fact| fact.block.start < end && start < fact.block.end);
        let child = outline.items.iter().find(|child| child.parent == Some(index));
        let own = child.map_or(end, |child| outline.lines[child.start].line.start);
        let words = source[start..own].trim_start();
        let words = &words[doc::marker_length(words)..];
        if is_fact
            || item.end > hidden_from
            || !words.chars().any(char::is_alphanumeric)
            || !is_in_a_section(&document, start)
        {
            continue;
        }
        let known: BTreeSet<&str> = taken.iter().map(String::as_str).collect();
        let id = naming::derive_id(words, item.checkbox != Checkbox::None, &known);
        let ending = text::line_ending(source);
        let gap = if block.ends_with('\n') { "" } else { ending };
        let indent = " ".repeat(item.indent + 2);
        edits.push(Edit::insert(
            end,
            format!(
                "{gap}{indent}<!-- id: {id} | created: {today} | last_used: {today} | uses: 1 | tier: active -->{ending}"
            ),
        ));
        taken.insert(id.clone());
        ids.push(id);
    }
    match text::apply(source, &edits) {
        Ok(text) => (text, ids),
        // Items one after the other do not overlap.
        Err(_) => (source.to_owned(), Vec::new()),
    }
}

/// Tells whether byte `at` stands in a section that holds facts.
fn is_in_a_section(document: &Document<'_>, at: usize) -> bool {
    let above = document.sections.iter().rfind(|s| s.level <= 2 && s.heading.start <= at);
    above.is_some_and(|section| {
        section.level == 2 && !section.title.eq_ignore_ascii_case("Project State")
    })
}
