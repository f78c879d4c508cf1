//! The way back: facts that leave the archive because they were used again.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::doc::{Document, Fact, KEY_DECISIONS, OPEN_THREADS, Section};
use crate::edit;
use crate::fact::Tier;
use crate::memory::Memory;
use crate::refresh;
use crate::text::{self, Edit};
use crate::tier::{self, Case};

/// Returns the section that an archived fact stood in, where a heading of ours says so.
pub(crate) fn home_of<'d>(document: &'d Document<'_>, fact: &Fact) -> Option<&'d str> {
    let above = document.sections.partition_point(|s| s.heading.start <= fact.block.start);
    document.sections[above.checked_sub(1)?].title.strip_prefix("From ")
}

/// Returns the wanted facts whose blocks come back, without those nested in another of them, and
/// the ids of all facts in these blocks.
pub(crate) fn come_back<'d>(
    document: &'d Document<'_>,
    wanted: impl Fn(&Fact) -> bool,
) -> (Vec<&'d Fact>, Vec<&'d str>) {
    let wanted: Vec<&Fact> = document.facts.iter().filter(|fact| wanted(fact)).collect();
    // In order of place and size, a fact is inside another where that one ends no earlier.
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|at| (wanted[*at].block.start, Reverse(wanted[*at].block.end)));
    let mut widest: Option<&Fact> = None;
    let mut is_inside = vec![false; wanted.len()];
    for at in order {
        match widest.filter(|widest| wanted[at].block.end <= widest.block.end) {
            Some(widest) => is_inside[at] = widest.holds(wanted[at]),
            None => widest = Some(wanted[at]),
        }
    }
    let outer: Vec<&Fact> =
        wanted.iter().zip(is_inside).filter(|(_, inside)| !inside).map(|(fact, _)| *fact).collect();
    let ids = outer
        .iter()
        .flat_map(|fact| std::iter::once(*fact).chain(document.nested_in(fact)))
        .map(Fact::id)
        .collect();
    (outer, ids)
}

/// Returns a quarter file without the blocks of `facts`, and without headings of ours that are
/// left with nothing below them.
pub(crate) fn remove(document: &Document<'_>, facts: &[&Fact]) -> String {
    let source = document.source;
    let edits: Vec<Edit> =
        facts.iter().map(|fact| edit::remove_block(source, fact.block.clone())).collect();
    let result = text::apply(source, &edits).unwrap_or_else(|_| source.to_owned());
    let mut result = edit::tidy_end(source, result);
    let spans = emptied(&Document::parse(&result));
    if !spans.is_empty() {
        let edits: Vec<Edit> = spans.into_iter().map(Edit::remove).collect();
        result = text::apply(&result, &edits).unwrap_or(result);
        let kept = result.trim_end().len();
        let kept = result[kept..].find('\n').map_or(result.len(), |newline| kept + newline + 1);
        result.truncate(kept);
    }
    result
}

/// Returns the sections of ours that have nothing below their heading, or only others such.
fn emptied(document: &Document<'_>) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    // Where the first text stands that is kept, and where the next heading does.
    let (mut kept, mut next) = (document.source.len(), document.source.len());
    for section in document.sections.iter().rev() {
        let own = &document.source[section.body.start..next];
        if !own.trim().is_empty() {
            kept = section.body.start;
        }
        let ours = section.title.starts_with("From ") || section.title.contains(" — archived (");
        if ours && section.body.end <= kept {
            // It may hold some that were found already.
            while spans.pop_if(|inner| inner.start < section.body.end).is_some() {}
            spans.push(section.heading.start..section.body.end);
        } else {
            kept = section.heading.start;
        }
        next = section.heading.start;
    }
    spans
}

/// Returns the section that an archived fact goes back to.
pub(crate) fn home_section<'d>(document: &'d Document<'_>, fact: &Fact) -> &'d str {
    let fallback = if fact.is_thread() { OPEN_THREADS } else { KEY_DECISIONS };
    home_of(document, fact).unwrap_or(fallback)
}

/// Blocks on their way into continuity, by section, in order.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    sections: Vec<(String, Vec<String>)>,
    /// The number of each section, by its title in lower case.
    numbers: BTreeMap<String, usize>,
}

/// So many sections are looked up one after the other; where more come back, they do so at once, and
/// only the same title is the same section.
const MOST_LOOKED_UP: usize = 32;

impl Arrivals {
    /// Adds a block to a section.
    pub(crate) fn add(&mut self, section: &str, block: String) {
        let next = self.sections.len();
        let number = *self.numbers.entry(section.to_ascii_lowercase()).or_insert(next);
        if number == next {
            self.sections.push((section.to_owned(), Vec::new()));
        }
        self.sections[number].1.push(block);
    }

    /// Returns continuity with the blocks in their sections.
    pub(crate) fn settle(&self, continuity: &str) -> String {
        let mut text = continuity.to_owned();
        let (first, rest) = self.sections.split_at(self.sections.len().min(MOST_LOOKED_UP));
        for (section, blocks) in first {
            let edit = edit::insert_blocks(&Document::parse(&text), section, blocks);
            text.replace_range(edit.span, &edit.text);
        }
        if rest.is_empty() {
            return text;
        }
        let document = Document::parse(&text);
        let mut known: BTreeMap<String, &Section> = BTreeMap::new();
        for section in document.sections.iter().filter(|section| section.level == 2) {
            known.entry(section.title.to_lowercase()).or_insert(section);
        }
        let mut edits = Vec::new();
        let mut new = Vec::new();
        for (title, blocks) in rest {
            match known.get(&title.to_lowercase()) {
                Some(section) => edits.push(edit::insert_into(&document, section, blocks)),
                None => new.push(edit::append_section(&document, title, blocks)),
            }
        }
        // New sections stand behind what the last one that was there gets.
        edits.extend(new);
        text::apply(&text, &edits).unwrap_or_else(|_| text.clone())
    }
}

/// Returns an archived fact's block for continuity: at the margin, with fresh numbers.
pub(crate) fn returned_block(
    memory: &Memory<'_>,
    document: &Document<'_>,
    fact: &Fact,
    by_hand: bool,
) -> String {
    let mut edits: Vec<Edit> = Vec::new();
    for fact in std::iter::once(fact).chain(document.nested_in(fact)) {
        renew(memory, document.source, fact, by_hand, &mut edits);
    }
    for edit in &mut edits {
        edit.span = edit.span.start - fact.block.start..edit.span.end - fact.block.start;
    }
    let block = &document.source[fact.block.clone()];
    let block = text::apply(block, &edits).unwrap_or_else(|_| block.to_owned());
    let mut block = edit::dedent(&text::with_line_ending(&block, "\n"));
    if !block.ends_with('\n') {
        block.push('\n');
    }
    block
}

/// Gives an archived fact the numbers that it has as a live one.
fn renew(memory: &Memory<'_>, source: &str, fact: &Fact, by_hand: bool, edits: &mut Vec<Edit>) {
    let footer = &fact.footer;
    if footer.is_superseded() {
        return;
    }
    let usage = memory.ledger.usage(fact.id());
    let age = |created| memory.ledger.sessions_after_date(created, memory.ledger.len());
    let case = Case {
        tier: None,
        superseded: false,
        held_by_human: false,
        invariant: false,
        pinned: false,
        used: usage.map(|usage| (usage.uses, usage.since)),
        age: footer.get("created").map(age),
    };
    let counted = tier::tier(tier::rule(&case, &memory.policy)).unwrap_or(Tier::Active);
    // Bringing a fact back is a use, which the next log will tell.
    let tier = if by_hand && counted == Tier::ArchiveCandidate { Tier::Active } else { counted };
    edits.extend(edit::set_field(source, footer, "tier", tier.as_str()));
    // That a person forgot it holds no longer.
    edits.extend(edit::remove_field(source, footer, "tier-by"));
    if let Some(usage) = usage {
        let uses = usage.uses.to_string();
        refresh::edit_values(footer, "uses", &uses, u8::is_ascii_digit, edits);
        refresh::edit_values(footer, "last_used", usage.last_used, refresh::is_date_byte, edits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_ours_go_with_the_last_fact_below_them() {
        let source = "# Archive\n\n## 2026-01-01 — archived (faded)\n\n### From A\n\n- a\n  <!-- id: a-a | uses: 1 -->\n\n### From B\n\n- b\n  <!-- id: b-b | uses: 1 -->\n\n## Mine\n\n## 2026-02-01 — archived (faded)\n\n### From C\n\n- c\n  <!-- id: c-c | uses: 1 -->\n";
        let without = |ids: &[&str]| {
            let document = Document::parse(source);
            let facts: Vec<&Fact> = ids.iter().map(|id| document.fact(id).unwrap()).collect();
            remove(&document, &facts)
        };
        let start = "# Archive\n\n## 2026-01-01 — archived (faded)\n\n";
        assert_eq!(
            without(&["a-a", "c-c"]),
            format!("{start}### From B\n\n- b\n  <!-- id: b-b | uses: 1 -->\n\n## Mine\n")
        );
        assert_eq!(without(&["a-a", "b-b", "c-c"]), "# Archive\n\n## Mine\n");
    }

    #[test]
    fn many_sections_come_back_to_where_they_were() {
        let mut arrivals = Arrivals::default();
        for number in 0..100 {
            arrivals.add(&format!("Part {number:03}"), format!("- fact {number}\n"));
        }
        arrivals.add("part 050", "- one more\n".to_owned());
        let continuity = "# C\n\n## Part 070\n\n- old\n\n## Part 099\n\n- last\n";
        let settled = arrivals.settle(continuity);
        assert_eq!(settled.matches("\n## ").count(), 100);
        assert!(settled.contains("## Part 070\n\n- old\n\n- fact 70\n"), "{settled}");
        assert!(settled.contains("## Part 099\n\n- last\n\n- fact 99\n"), "{settled}");
        assert!(settled.contains("## Part 050\n\n- fact 50\n- one more\n"), "{settled}");
    }
}
