//! Where things are in a memory file: its sections, its facts with their exact blocks, its open
//! threads and its `- **key:** value` lines.
//!
//! A [`Document`] borrows the source and points into it; changing a file is left to
//! [`crate::text::Edit`].

mod pinned;
mod places;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use self::places::Places;
use crate::fact::{self, BrokenFooter, Footer};
pub use crate::outline::Section;
use crate::outline::{Checkbox, Kind, Lines, Outline, OutlineLine};
use crate::text;

/// The section whose facts never decay.
pub const INVARIANTS: &str = "Architectural Invariants";
/// The section for work that is not finished.
pub const OPEN_THREADS: &str = "Open Threads";
/// The section for what was decided.
pub const KEY_DECISIONS: &str = "Key Decisions";

/// More footers than these in one line share its words out.
const CROWD: usize = 16;
/// So many bytes on either side of a footer are its words then.
const CROWDED_WORDS: usize = 200;

/// How a fact stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A list item.
    Bullet,
    /// A list item with an empty box.
    OpenThread,
    /// A list item with a ticked box.
    DoneThread,
    /// A paragraph or table.
    Paragraph,
    /// A footer quoted as code, or in a heading: counted as the original counts it, never acted on.
    Quoted,
}

/// A fact: a block of text with a footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The footer.
    pub footer: Footer,
    /// The whole lines that belong to the fact, nested ones included.
    pub block: Range<usize>,
    /// How it stands there.
    pub form: Form,
    /// Title of its level-two section.
    pub section: Option<Arc<str>>,
    /// 1-based line of the footer.
    pub line: usize,
}

impl Fact {
    /// Returns the fact's id as text.
    pub fn id(&self) -> &str {
        self.footer.id.as_str()
    }

    /// Tells whether the fact is a thread, open or done.
    pub fn is_thread(&self) -> bool {
        matches!(self.form, Form::OpenThread | Form::DoneThread)
    }

    /// Tells whether the block of `inner` lies inside this one.
    pub fn holds(&self, inner: &Self) -> bool {
        self.block != inner.block
            && self.block.start <= inner.block.start
            && inner.block.end <= self.block.end
    }
}

/// A line `- **key:** value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLine<'a> {
    /// The value, trimmed.
    pub value: &'a str,
    /// Where the value stands, from after the key to the end of the line.
    pub span: Range<usize>,
}

/// A memory file, read.
#[derive(Debug)]
pub struct Document<'a> {
    /// The text that all spans point into.
    pub source: &'a str,
    /// Facts in file order, duplicates included.
    pub facts: Vec<Fact>,
    /// Comments that look like footers and are none.
    pub broken: Vec<BrokenFooter>,
    /// Headings of every level.
    pub sections: Vec<Section>,
    /// 1-based line of a code fence that is never closed, which hides all below it.
    pub unclosed_fence: Option<usize>,
    /// Ids of unchecked threads.
    pub pinned: BTreeSet<String>,
    places: OnceLock<Places>,
}

impl<'a> Document<'a> {
    /// Reads a memory file.
    pub fn parse(source: &'a str) -> Self {
        let (footers, broken) = fact::footers(source);
        let lines = Lines::new(source);
        let unclosed_fence = lines.unclosed_fence.map(|index| index + 1);
        let quoted = quoted(source, &lines, &footers);
        let ends: BTreeSet<usize> = footers
            .iter()
            .zip(&quoted)
            .filter(|(_, quoted)| !**quoted)
            .map(|(footer, _)| lines.line_of(footer.span.end - 1))
            .collect();
        let outline = Outline::new(lines, |index| ends.contains(&index));
        let sections = outline.sections(source);
        let blocks = Blocks { outline: &outline, footer_lines: &ends };
        let facts = blocks.facts(footers.into_iter().zip(quoted), &sections);
        let (pinned, places) = (pinned::pinned(source), OnceLock::new());
        Self { source, facts, broken, sections, unclosed_fence, pinned, places }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of(&self.facts))
    }

    /// Returns the fact that counts for `id`: of several the last, as the original does.
    pub fn fact(&self, id: &str) -> Option<&Fact> {
        self.with_id(id).next_back()
    }

    /// Returns the facts with this id in file order, quoted ones included.
    pub(crate) fn with_id(&self, id: &str) -> impl DoubleEndedIterator<Item = &Fact> {
        self.places().with_id(&self.facts, id).iter().map(|at| &self.facts[*at])
    }

    /// Returns how many facts have this id, quoted ones included.
    pub fn copies(&self, id: &str) -> usize {
        self.places().with_id(&self.facts, id).len()
    }

    /// Returns the facts that count, one an id, in file order of their first footer.
    pub fn distinct_facts(&self) -> Vec<&Fact> {
        let mut order: Vec<&str> = Vec::new();
        let mut last = std::collections::BTreeMap::new();
        for fact in &self.facts {
            if last.insert(fact.id(), fact).is_none() {
                order.push(fact.id());
            }
        }
        order.into_iter().map(|id| last[id]).collect()
    }

    /// Tells whether `fact` is an unchecked thread.
    pub fn is_pinned(&self, fact: &Fact) -> bool {
        self.pinned.contains(fact.id())
    }

    /// Tells whether `fact` stands under the invariants heading (deviation D1).
    pub fn is_invariant(&self, fact: &Fact) -> bool {
        self.section_title(fact).is_some_and(is_invariants_title)
    }

    /// Returns the title of the level-two section that holds `fact`.
    pub fn section_title<'f>(&self, fact: &'f Fact) -> Option<&'f str> {
        fact.section.as_deref()
    }

    /// Returns the level-two section with this title, in any case; a longer heading that begins
    /// with the title will do.
    pub fn section(&self, title: &str) -> Option<&Section> {
        let wanted = title.to_lowercase();
        let level_two = || self.sections.iter().filter(|section| section.level == 2);
        level_two().find(|section| section.title.to_lowercase() == wanted).or_else(|| {
            level_two().find(|section| section.title.to_lowercase().starts_with(&wanted))
        })
    }

    /// Returns a fact's words: its block without footer, list marker, common indentation, and facts
    /// that are nested in it.
    pub fn words(&self, fact: &Fact) -> String {
        let mut cuts: Vec<Range<usize>> =
            self.nested_in(fact).into_iter().map(|nested| nested.block.clone()).collect();
        cuts.push(fact.footer.span.clone());
        cuts.sort_by_key(|cut| cut.start);
        let mut bare = String::new();
        let block = self.own_part(fact);
        let mut at = block.start;
        for cut in cuts.into_iter().filter(|cut| cut.end <= block.end) {
            if at <= cut.start {
                bare.push_str(&self.source[at..cut.start]);
            }
            at = at.max(cut.end);
        }
        bare.push_str(&self.source[at..block.end]);
        let mut lines = bare.lines();
        let first = lines.next().unwrap_or_default();
        let body = first.trim_start();
        let text = without_marker(body);
        let hang = (first.len() - body.len()) + if text.len() < body.len() { 2 } else { 0 };
        let mut words = text.trim_end().to_owned();
        for line in lines {
            let white = line.len() - line.trim_start().len();
            words.push('\n');
            words.push_str(line.get(white.min(hang)..).unwrap_or(line).trim_end());
        }
        words.trim().to_owned()
    }

    /// Returns the part of a fact's block that its words are taken from: all of it, unless a crowd of
    /// footers shares the block, which would give each of them the words of all.
    fn own_part(&self, fact: &Fact) -> Range<usize> {
        let block = fact.block.clone();
        if self.places().sharing(&self.facts, &block) <= CROWD {
            return block;
        }
        let start = fact.footer.span.start.saturating_sub(CROWDED_WORDS);
        let end = (fact.footer.span.end + CROWDED_WORDS).min(self.source.len());
        let start = self.source.floor_char_boundary(start).max(block.start);
        start..self.source.ceil_char_boundary(end).min(block.end)
    }

    /// Returns a fact's first paragraph in one line, without emphasis, cut to `limit` characters.
    pub fn title(&self, fact: &Fact, limit: usize) -> String {
        let words = self.words(fact);
        let continues = |line: &&str| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with('|') && without_marker(line).len() == line.len()
        };
        let mut lines = words.lines();
        let first = lines.next().unwrap_or_default();
        let rest: Vec<&str> = lines.take_while(continues).collect();
        let paragraph = [&[first], rest.as_slice()].concat().join(" ").replace("**", "");
        text::ellipsis(&text::collapse_whitespace(&paragraph), limit)
    }

    /// Returns the fact right below `fact` that is a footer without words of its own. Without
    /// `fact` it would become the footer of whatever stands above.
    pub fn bare_footer_below(&self, fact: &Fact) -> Option<&Fact> {
        let below = self.places().beginning_at(&self.facts, fact.block.end);
        below.map(|at| &self.facts[at]).filter(|below| self.words(below).is_empty())
    }

    /// Returns the facts whose blocks lie inside the block of `outer`.
    pub fn nested_in(&self, outer: &Fact) -> Vec<&Fact> {
        self.held_by(outer).into_iter().filter(|fact| fact.form != Form::Quoted).collect()
    }

    /// Returns the facts whose blocks lie inside the block of `outer`, quoted ones included.
    pub(crate) fn held_by(&self, outer: &Fact) -> Vec<&Fact> {
        let inside = self.places().inside(&self.facts, &outer.block);
        inside.into_iter().map(|at| &self.facts[at]).collect()
    }

    /// Returns the facts whose blocks begin in a span, in file order.
    pub(crate) fn facts_in(&self, span: &Range<usize>) -> Vec<&Fact> {
        let inside = self.places().beginning_in(&self.facts, span);
        inside.into_iter().map(|at| &self.facts[at]).collect()
    }

    /// Returns the first line `- **key:** value` that belongs to no fact; where there is none, the
    /// first of all.
    pub fn state(&self, key: &str) -> Option<StateLine<'a>> {
        self.own_state(key).or_else(|| state_line(self.source, key))
    }

    /// Returns the first line `- **key:** value` that belongs to no fact.
    pub(crate) fn own_state(&self, key: &str) -> Option<StateLine<'a>> {
        state_lines(self.source, key).find(|line| !self.is_in_fact(line.span.start))
    }

    /// Tells whether byte `at` lies in a fact's block.
    pub(crate) fn is_in_fact(&self, at: usize) -> bool {
        self.places().covers(&self.facts, at)
    }
}

/// Returns the first line `- **key:** value` of `source`.
pub fn state_line<'a>(source: &'a str, key: &str) -> Option<StateLine<'a>> {
    state_lines(source, key).next()
}

/// Returns the lines `- **key:** value` of `source`, in order.
fn state_lines<'a>(source: &'a str, key: &str) -> impl Iterator<Item = StateLine<'a>> {
    text::lines(source).filter_map(move |line| {
        let rest = line.text.strip_prefix("- **")?.strip_prefix(key)?.strip_prefix(":**")?;
        let start = line.start + line.text.len() - rest.len();
        Some(StateLine { value: rest.trim(), span: start..line.start + line.text.len() })
    })
}

fn is_invariants_title(title: &str) -> bool {
    title.get(..INVARIANTS.len()).is_some_and(|head| head.eq_ignore_ascii_case(INVARIANTS))
}

/// Returns `line` without its list marker and checkbox.
pub fn without_marker(line: &str) -> &str {
    let Some(rest) = line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' ')) else {
        return line;
    };
    let rest = rest.trim_start();
    ["[ ]", "[x]", "[X]"]
        .into_iter()
        .find_map(|checkbox| rest.strip_prefix(checkbox))
        .unwrap_or(rest)
        .trim_start()
}

/// Returns how long the list marker and checkbox are that a line begins with, spaces included.
pub(crate) fn marker_length(line: &str) -> usize {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = line[digits..].strip_prefix(['.', ')']).filter(|_| digits > 0);
    if let Some(rest) = numbered.filter(|rest| rest.starts_with(' ')) {
        return line.len() - rest.trim_start().len();
    }
    line.len() - without_marker(line).len()
}

/// Tells of each footer whether it stands in a code fence, in inline code or in a heading: no fact does.
fn quoted(source: &str, lines: &Lines<'_>, footers: &[Footer]) -> Vec<bool> {
    // How many backticks stand before the last footer in its line: a line may have many footers.
    let (mut seen, mut ticks) = (0, 0);
    let is_quoted = |footer: &Footer| {
        let entry = &lines.lines[lines.line_of(footer.span.start)];
        if seen <= entry.line.start {
            (seen, ticks) = (entry.line.start, 0);
        }
        ticks += source[seen..footer.span.start].bytes().filter(|&b| b == b'`').count();
        seen = footer.span.start;
        matches!(entry.kind, Kind::Heading(_)) || entry.in_fence || ticks % 2 == 1
    };
    footers.iter().map(is_quoted).collect()
}

/// Finds the block of each footer.
struct Blocks<'a, 'b> {
    outline: &'b Outline<'a>,
    /// Lines on which a footer ends that is not quoted.
    footer_lines: &'b BTreeSet<usize>,
}

/// The lines of a block before it is cut to its place among other footers.
struct Extent {
    start: usize,
    end: usize,
    item: Option<usize>,
    form: Form,
}

impl<'a> Blocks<'a, '_> {
    fn facts(
        &self,
        footers: impl Iterator<Item = (Footer, bool)>,
        sections: &[Section],
    ) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        let mut last_of_item = std::collections::BTreeMap::new();
        // Of the headings above a footer the last counts that is no deeper than a section.
        let starts: Vec<(usize, Option<Arc<str>>)> = sections
            .iter()
            .filter(|section| section.level <= 2)
            .map(|section| {
                let title = (section.level == 2).then(|| Arc::from(section.title.as_str()));
                (section.heading.start, title)
            })
            .collect();
        for (footer, quoted) in footers {
            let first = self.outline.line_of(footer.span.start);
            let last = self.outline.line_of(footer.span.end - 1);
            let mut extent = if quoted {
                Extent { start: first, end: last + 1, item: None, form: Form::Quoted }
            } else {
                self.extent(first, last)
            };
            if let Some(item) = extent.item
                && let Some(earlier) = last_of_item.insert(item, facts.len())
            {
                // One item with two footers: the first fact ends with its footer, the second is
                // what stands between.
                let earlier: &mut Fact = &mut facts[earlier];
                let cut = self.outline.line_of(earlier.footer.span.end - 1) + 1;
                earlier.block.end = earlier.block.end.min(self.line_end(cut - 1));
                extent.start = cut.min(first);
                extent.form = Form::Paragraph;
            }
            let above = starts.partition_point(|(start, _)| *start <= footer.span.start);
            let section = above.checked_sub(1).and_then(|last| starts[last].1.clone());
            facts.push(Fact {
                block: self.line_start(extent.start)..self.line_end(extent.end - 1),
                form: extent.form,
                section,
                line: first + 1,
                footer,
            });
        }
        facts
    }

    fn line_start(&self, index: usize) -> usize {
        self.outline.lines[index].line.start
    }

    fn line_end(&self, index: usize) -> usize {
        self.outline.lines[index].line.end
    }

    fn extent(&self, first: usize, last: usize) -> Extent {
        if let Some(index) = self.outline.owner(first) {
            let item = self.outline.items[index];
            let (start, end) = (item.start, item.end.max(last + 1));
            Extent { start, end, item: Some(index), form: item_form(item.checkbox) }
        } else {
            let (start, form) = self.paragraph_start(first);
            Extent { start, end: last + 1, item: None, form }
        }
    }

    /// Returns the first line of the paragraph that ends in a footer on line `index`.
    ///
    /// A table, or a footer alone, continues what stands above the blank line.
    fn paragraph_start(&self, index: usize) -> (usize, Form) {
        let mut start = self.group_start(index);
        let mut looked_at = index + 1;
        // Lines that were thin once stay so.
        while (start..looked_at).all(|line| self.is_thin(line)) {
            looked_at = start;
            let Some(above) = (0..start).rev().find(|&line| self.lines()[line].kind != Kind::Blank)
            else {
                break;
            };
            let closed = self.footer_lines.contains(&above)
                || matches!(self.lines()[above].kind, Kind::Heading(_));
            match self.outline.items_around(above).last() {
                _ if closed => break,
                Some(outer) => {
                    let item = self.outline.items[outer];
                    if item.is_stamp
                        || self.footer_lines.range(item.start..item.end).next().is_some()
                    {
                        break;
                    }
                    return (item.start, item_form(item.checkbox));
                }
                None => start = self.group_start(above),
            }
        }
        (start, Form::Paragraph)
    }

    fn lines(&self) -> &[OutlineLine<'a>] {
        &self.outline.lines
    }

    /// Tells whether a line says nothing by itself: a blank, a table's row, a comment.
    fn is_thin(&self, index: usize) -> bool {
        let entry = &self.lines()[index];
        matches!(entry.kind, Kind::Table | Kind::Blank)
            || entry.line.text.trim_start().starts_with("<!--")
    }

    /// Returns the first of the adjoining lines of text that end with line `index`.
    fn group_start(&self, index: usize) -> usize {
        let belongs = |&line: &usize| {
            matches!(self.outline.lines[line].kind, Kind::Text | Kind::Table)
                && !self.footer_lines.contains(&line)
                && self.outline.items_around(line).next().is_none()
        };
        (0..index).rev().take_while(belongs).last().unwrap_or(index)
    }
}

fn item_form(checkbox: Checkbox) -> Form {
    match checkbox {
        Checkbox::Open => Form::OpenThread,
        Checkbox::Done => Form::DoneThread,
        Checkbox::None => Form::Bullet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(source: &str, id: &str) -> String {
        let document = Document::parse(source);
        let fact = document.fact(id).expect("the fact");
        source[fact.block.clone()].to_owned()
    }

    #[test]
    fn a_bullet_fact_reaches_from_its_marker_to_its_last_line() {
        let source = "## Key Decisions\n\n- One\n  two\n  <!-- id: a-a | uses: 1 -->\n- Next\n  <!-- id: b-b | uses: 1 -->\n";
        assert_eq!(block(source, "a-a"), "- One\n  two\n  <!-- id: a-a | uses: 1 -->\n");
        assert_eq!(block(source, "b-b"), "- Next\n  <!-- id: b-b | uses: 1 -->\n");
    }

    #[test]
    fn nested_facts_do_not_drag_their_parent_or_siblings_along() {
        let source = "- Parent\n  - Child one\n    <!-- id: child-one | uses: 1 -->\n  - Child two\n    <!-- id: child-two | uses: 1 -->\n  <!-- id: the-parent | uses: 1 -->\n";
        assert_eq!(
            block(source, "child-one"),
            "  - Child one\n    <!-- id: child-one | uses: 1 -->\n"
        );
        assert_eq!(
            block(source, "child-two"),
            "  - Child two\n    <!-- id: child-two | uses: 1 -->\n"
        );
        assert_eq!(block(source, "the-parent"), source);
        let document = Document::parse(source);
        let nested = document.nested_in(document.fact("the-parent").unwrap());
        assert_eq!(
            nested.iter().map(|fact| fact.id()).collect::<Vec<_>>(),
            ["child-one", "child-two"]
        );
    }

    #[test]
    fn a_paragraph_fact_leaves_the_list_above_it_alone() {
        let source =
            "- No footer here\n\nA paragraph\nof two lines.\n<!-- id: para-fact | uses: 1 -->\n";
        assert_eq!(
            block(source, "para-fact"),
            "A paragraph\nof two lines.\n<!-- id: para-fact | uses: 1 -->\n"
        );
    }

    #[test]
    fn a_table_between_bullet_and_footer_belongs_to_the_fact() {
        let source =
            "- Limits:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- id: the-limits | uses: 1 -->\n";
        assert_eq!(block(source, "the-limits"), source);
    }

    #[test]
    fn lines_below_the_footer_that_are_indented_belong_to_the_fact() {
        let footer = "- [ ] Thread\n  <!-- id: ot-one | uses: 1 -->\n";
        assert_eq!(block(&format!("{footer}Not part of it.\n"), "ot-one"), footer);
        let nested = format!("{footer}  - detail\n\n    more\n");
        assert_eq!(block(&format!("{nested}\nNot part of it.\n"), "ot-one"), nested);
    }

    #[test]
    fn two_footers_in_one_item_share_no_bytes() {
        let source =
            "- One <!-- id: a-a | uses: 1 -->\n  two\n  <!-- id: b-b | uses: 1 -->\n  tail\n";
        assert_eq!(block(source, "a-a"), "- One <!-- id: a-a | uses: 1 -->\n");
        assert_eq!(block(source, "b-b"), "  two\n  <!-- id: b-b | uses: 1 -->\n  tail\n");
    }

    #[test]
    fn an_open_parent_stays_pinned_when_its_last_child_is_done() {
        let document =
            Document::parse("- [ ] Parent\n  - [x] child\n  <!-- id: ot-parent | uses: 1 -->\n");
        assert!(document.pinned.contains("ot-parent"));
    }

    #[test]
    fn a_done_child_is_not_pinned_by_its_open_parent() {
        let document =
            Document::parse("- [ ] Parent\n  - [x] child\n    <!-- id: ot-child | uses: 1 -->\n");
        assert!(document.pinned.is_empty());
    }

    #[test]
    fn a_quoted_footer_is_known_as_such() {
        let document = Document::parse(
            "> `<!-- id: kebab-id | uses: N -->`\n\n```\n<!-- id: other-id | uses: 1 -->\n```\n",
        );
        assert!(document.facts.iter().all(|fact| fact.form == Form::Quoted));
    }

    #[test]
    fn words_come_without_marker_and_footer() {
        let source = "- [ ] **Do** it\n  now\n  - nested\n  <!-- id: ot-do | uses: 1 -->\n";
        let document = Document::parse(source);
        assert_eq!(document.words(&document.facts[0]), "**Do** it\nnow\n- nested");
        assert_eq!(document.title(&document.facts[0], 90), "Do it now");
    }

    #[test]
    fn invariants_are_known_by_their_section() {
        let source = "## Architectural Invariants (hard)\n### Sub\n- x\n  <!-- id: inv-x | tier: active -->\n## Key Decisions\n- y\n  <!-- id: dec-y | tier: active -->\n";
        let document = Document::parse(source);
        assert!(document.is_invariant(document.fact("inv-x").unwrap()));
        assert!(!document.is_invariant(document.fact("dec-y").unwrap()));
    }
}
