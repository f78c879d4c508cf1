//! The way back: facts that leave the archive because they were used again.

use crate::doc::{Document, Fact, KEY_DECISIONS, OPEN_THREADS};
use crate::edit;
use crate::fact::Tier;
use crate::memory::Memory;
use crate::refresh;
use crate::text::{self, Edit};
use crate::tier::{self, Case};

/// Returns the section that an archived fact stood in, where a heading of ours says so.
pub(crate) fn home_of<'d>(document: &'d Document<'_>, fact: &Fact) -> Option<&'d str> {
    let heading = document.sections.iter().rfind(|s| s.heading.start <= fact.block.start)?;
    heading.title.strip_prefix("From ")
}

/// Returns the wanted facts whose blocks come back, without those nested in another of them, and
/// the ids of all facts in these blocks.
pub(crate) fn come_back<'d>(
    document: &'d Document<'_>,
    wanted: impl Fn(&Fact) -> bool,
) -> (Vec<&'d Fact>, Vec<&'d str>) {
    let wanted: Vec<&Fact> = document.facts.iter().filter(|fact| wanted(fact)).collect();
    let outermost = |fact: &&Fact| !wanted.iter().any(|outer| outer.holds(fact));
    let outer: Vec<&Fact> = wanted.iter().copied().filter(outermost).collect();
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
    loop {
        let rest = Document::parse(&result);
        let emptied = rest.sections.iter().rev().find(|section| {
            let ours =
                section.title.starts_with("From ") || section.title.contains(" — archived (");
            ours && result[section.body.clone()].trim().is_empty()
        });
        let Some(section) = emptied else {
            return result;
        };
        let span = section.heading.start..section.body.end;
        result.replace_range(span, "");
        let kept = result.trim_end().len();
        let kept = result[kept..].find('\n').map_or(result.len(), |newline| kept + newline + 1);
        result.truncate(kept);
    }
}

/// Returns the section that an archived fact goes back to.
pub(crate) fn home_section<'d>(document: &'d Document<'_>, fact: &Fact) -> &'d str {
    let fallback = if fact.is_thread() { OPEN_THREADS } else { KEY_DECISIONS };
    home_of(document, fact).unwrap_or(fallback)
}

/// Blocks on their way into continuity, by section, in order.
#[derive(Debug, Default)]
pub(crate) struct Arrivals(Vec<(String, Vec<String>)>);

impl Arrivals {
    /// Adds a block to a section.
    pub(crate) fn add(&mut self, section: &str, block: String) {
        match self.0.iter_mut().find(|(title, _)| title.eq_ignore_ascii_case(section)) {
            Some((_, blocks)) => blocks.push(block),
            None => self.0.push((section.to_owned(), vec![block])),
        }
    }

    /// Returns continuity with the blocks in their sections.
    pub(crate) fn settle(&self, continuity: &str) -> String {
        let mut text = continuity.to_owned();
        for (section, blocks) in &self.0 {
            let edit = edit::insert_blocks(&Document::parse(&text), section, blocks);
            text.replace_range(edit.span, &edit.text);
        }
        text
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
        label: None,
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
    if let Some(usage) = usage {
        let uses = usage.uses.to_string();
        refresh::edit_values(footer, "uses", &uses, u8::is_ascii_digit, edits);
        refresh::edit_values(footer, "last_used", usage.last_used, refresh::is_date_byte, edits);
    }
}
