//! The skeleton of a Markdown file: headings, list items and fences, line by line.
//!
//! A list item reaches until a line that cannot belong to it. Only what decides where a fact's
//! block begins and ends is modelled; inline markup is left to others.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::{self, Line};

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Blank,
    Heading(u8),
    Item(Checkbox),
    Table,
    Text,
}

/// The box of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checkbox {
    None,
    Open,
    Done,
}

/// A line with its kind and indentation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlineLine<'a> {
    pub(crate) line: Line<'a>,
    pub(crate) kind: Kind,
    /// Columns before the first character; a tab reaches to the next multiple of four.
    pub(crate) indent: usize,
    pub(crate) in_fence: bool,
}

/// A list item: its first line, and the line after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) indent: usize,
    pub(crate) checkbox: Checkbox,
    pub(crate) parent: Option<usize>,
    /// A line such as `- **last_review:** …`, which is nobody's text and owns no footer.
    pub(crate) is_stamp: bool,
}

/// Returns the item, of those around a line from the innermost out, that a footer there belongs to.
fn owner(
    items: &[Item],
    around: impl Iterator<Item = usize>,
    line: usize,
    indent: usize,
) -> Option<usize> {
    let mut outermost = None;
    for item in around.filter(|item| !items[*item].is_stamp) {
        if items[item].start == line || items[item].indent < indent {
            return Some(item);
        }
        outermost = Some(item);
    }
    outermost
}

/// A heading and the text below it, up to the next heading of its level or a higher one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading's text.
    pub title: String,
    /// How many `#` it has.
    pub level: u8,
    /// The heading line.
    pub heading: Range<usize>,
    /// All below it.
    pub body: Range<usize>,
}

/// The lines of a source, each with its kind.
pub(crate) struct Lines<'a> {
    pub(crate) lines: Vec<OutlineLine<'a>>,
    /// The line of a fence that is never closed, which hides all below it.
    pub(crate) unclosed_fence: Option<usize>,
}

impl<'a> Lines<'a> {
    /// Reads `source`.
    pub(crate) fn new(source: &'a str) -> Self {
        let (lines, unclosed_fence) = classify(source);
        Self { lines, unclosed_fence }
    }

    /// Returns the index of the line that holds byte `at`.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        line_of(&self.lines, at)
    }
}

fn line_of(lines: &[OutlineLine<'_>], at: usize) -> usize {
    lines.partition_point(|line| line.line.end <= at).min(lines.len().max(1) - 1)
}

/// The lines of a source with the items that they form.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) lines: Vec<OutlineLine<'a>>,
    /// Items in order of their first line; parents before children.
    pub(crate) items: Vec<Item>,
    /// For each line the innermost item that holds it.
    innermost: Vec<Option<usize>>,
}

impl<'a> Outline<'a> {
    /// Reads the lines of `source`; `ends_comment` tells which of them a footer ends.
    pub(crate) fn new(lines: Lines<'a>, ends_comment: impl Fn(usize) -> bool) -> Self {
        let (items, innermost) = items(&lines.lines, ends_comment);
        Self { lines: lines.lines, items, innermost }
    }

    /// Returns the index of the line that holds byte `at`.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        line_of(&self.lines, at)
    }

    /// Returns the items that hold line `index`, innermost first.
    pub(crate) fn items_around(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.innermost[index], |&item| self.items[item].parent)
    }

    /// Returns the item that a footer on line `index` belongs to.
    pub(crate) fn owner(&self, index: usize) -> Option<usize> {
        owner(&self.items, self.items_around(index), index, self.lines[index].indent)
    }

    /// Returns the sections of the source in order.
    pub(crate) fn sections(&self, source: &str) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        // Those that reach to the end so far, the deepest last.
        let mut open: Vec<usize> = Vec::new();
        for entry in &self.lines {
            let Kind::Heading(level) = entry.kind else {
                continue;
            };
            while let Some(last) = open.pop_if(|last| sections[*last].level >= level) {
                sections[last].body.end = entry.line.start;
            }
            open.push(sections.len());
            sections.push(Section {
                title: heading_title(entry.line.text).to_owned(),
                level,
                heading: entry.line.start..entry.line.end,
                body: entry.line.end..source.len(),
            });
        }
        sections
    }
}

/// Returns a heading's words: without the `#` before, and those after that stand by themselves.
pub(crate) fn heading_title(line: &str) -> &str {
    let title = line.trim().trim_start_matches('#').trim();
    let bare = title.trim_end_matches('#');
    if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { title }
}

/// An open code fence: its character and length.
#[derive(Clone, Copy)]
pub(crate) struct Fence(u8, usize);

impl Fence {
    /// Reads the fence that a line begins with.
    fn at(trimmed: &str) -> Option<(Self, &str)> {
        let character = *trimmed.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
        let length = trimmed.bytes().take_while(|b| *b == character).count();
        (length >= 3).then(|| (Self(character, length), trimmed[length..].trim()))
    }

    /// Tells whether a line opens a fence; inline code may not be mistaken for one.
    pub(crate) fn opens(trimmed: &str) -> Option<Self> {
        let (fence, info) = Self::at(trimmed)?;
        (fence.0 == b'~' || !info.contains('`')).then_some(fence)
    }

    /// Tells whether everything that closes this fence would close `other` too.
    pub(crate) fn is_as_strict_as(self, other: Self) -> bool {
        self.0 == other.0 && self.1 >= other.1
    }

    /// Tells whether a line closes this fence: as long at least, and nothing after it.
    pub(crate) fn is_closed_by(self, trimmed: &str) -> bool {
        Self::at(trimmed)
            .is_some_and(|(other, rest)| other.0 == self.0 && other.1 >= self.1 && rest.is_empty())
    }
}

/// Returns the lines of `source`, and the index of the line whose fence is never closed.
fn classify(source: &str) -> (Vec<OutlineLine<'_>>, Option<usize>) {
    let mut fence: Option<(Fence, usize)> = None;
    let mut result: Vec<OutlineLine<'_>> = Vec::new();
    for (index, line) in text::lines(source).enumerate() {
        let trimmed = line.text.trim_start();
        let (kind, in_fence) = if let Some((open, _)) = fence {
            if open.is_closed_by(trimmed) {
                fence = None;
            }
            (Kind::Text, true)
        } else {
            fence = Fence::opens(trimmed).map(|open| (open, index));
            (
                if fence.is_some() { Kind::Text } else { kind_of(trimmed, line.text) },
                fence.is_some(),
            )
        };
        let indent = columns(&line.text[..line.text.len() - trimmed.len()]);
        result.push(OutlineLine { line, kind, indent, in_fence });
    }
    (result, fence.map(|(_, index)| index))
}

fn kind_of(trimmed: &str, whole: &str) -> Kind {
    if trimmed.is_empty() {
        return Kind::Blank;
    }
    let hashes = whole.bytes().take_while(|&b| b == b'#').count();
    if (1..=6).contains(&hashes)
        && matches!(whole.as_bytes().get(hashes), None | Some(b' ' | b'\t'))
    {
        return Kind::Heading(u8::try_from(hashes).unwrap_or(6));
    }
    if trimmed.starts_with("- [ ]") {
        Kind::Item(Checkbox::Open)
    } else if trimmed.starts_with("- [x]") || trimmed.starts_with("- [X]") {
        Kind::Item(Checkbox::Done)
    } else if is_list_item(trimmed) {
        Kind::Item(Checkbox::None)
    } else if trimmed.starts_with('|') {
        Kind::Table
    } else {
        Kind::Text
    }
}

fn is_list_item(trimmed: &str) -> bool {
    let bullet = trimmed.strip_prefix(['-', '*', '+']);
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let numbered =
        (1..=9).contains(&digits).then(|| trimmed[digits..].strip_prefix(['.', ')'])).flatten();
    bullet.or(numbered).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Returns how many columns `white` takes.
fn columns(white: &str) -> usize {
    white.chars().fold(0, |column, c| if c == '\t' { column / 4 * 4 + 4 } else { column + 1 })
}

fn items(
    lines: &[OutlineLine<'_>],
    ends_comment: impl Fn(usize) -> bool,
) -> (Vec<Item>, Vec<Option<usize>>) {
    let mut items: Vec<Item> = Vec::new();
    let mut innermost = Vec::with_capacity(lines.len());
    let mut open: Vec<usize> = Vec::new();
    // The indentations of open items that have their footer.
    let mut complete: BTreeSet<usize> = BTreeSet::new();
    let mut loose = false;
    for (index, entry) in lines.iter().enumerate() {
        let inside_fence = entry.in_fence && index > 0 && lines[index - 1].in_fence;
        let close_from = match entry.kind {
            Kind::Heading(_) => Some(0),
            Kind::Item(_) => Some(entry.indent),
            // A paragraph may go on lazily at any indentation, but not after a blank line or a
            // comment, which end it, nor in an item that has its footer already.
            Kind::Table | Kind::Text if inside_fence => None,
            Kind::Table | Kind::Text if loose => Some(entry.indent),
            Kind::Table | Kind::Text => complete.range(entry.indent..).next().copied(),
            Kind::Blank => None,
        };
        if let Some(indent) = close_from {
            while let Some(last) = open.pop_if(|last| items[*last].indent >= indent) {
                items[last].end = index;
                complete.remove(&items[last].indent);
            }
        }
        if let Kind::Item(checkbox) = entry.kind {
            let parent = open.last().copied();
            open.push(items.len());
            let (start, end, indent) = (index, lines.len(), entry.indent);
            let is_stamp = entry.line.text.starts_with("- **last_");
            items.push(Item { start, end, indent, checkbox, parent, is_stamp });
        }
        if ends_comment(index)
            && let Some(owner) = owner(&items, open.iter().rev().copied(), index, entry.indent)
        {
            complete.insert(items[owner].indent);
        }
        innermost.push(open.last().copied());
        loose = entry.kind == Kind::Blank || ends_comment(index);
    }
    // For each line the end of the last one up to it that is not blank.
    let ends = lines.iter().enumerate().scan(0, |end, (index, entry)| {
        *end = if entry.kind == Kind::Blank { *end } else { index + 1 };
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    for item in &mut items {
        item.end = ends[item.end - 1];
    }
    (items, innermost)
}
