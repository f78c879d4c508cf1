//! A file as pieces that cover every byte of it: those with a name, and the lines between.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{FileKind, PROJECT_STATE, state_key};
use crate::archive;
use crate::doc::{Document, Fact, Form};
use crate::journal::entry::{self, Entry};
use crate::outline::{Fence, heading_title};
use crate::text;

/// What a piece is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Name {
    /// A fact and what is nested in it; the number tells repetitions of an id apart.
    Fact(String, usize),
    /// The first line of a fact that holds others.
    Title(String),
    /// The line with the footer of a fact that holds others.
    Footer(String),
    /// A line `- **key:** value` of the project's state, and the indented lines below it.
    State(String),
    /// A line of the archive's index; the number tells repetitions apart.
    Row(String, usize),
    /// A record of the journal.
    Record(String, usize),
    /// Anything else, known by its words; a heading below another by both.
    Words(String),
}

impl Name {
    /// Tells whether the piece is merged by its name, whatever its place.
    pub(super) fn is_own(&self) -> bool {
        !matches!(self, Self::Words(_))
    }
}

/// A piece of a file.
#[derive(Clone, Debug)]
pub(super) struct Piece<'a> {
    /// What it is known by.
    pub(super) name: Name,
    /// Where it begins in what was cut.
    pub(super) at: usize,
    /// Its lines.
    pub(super) text: &'a str,
    /// The blank lines after it.
    pub(super) tail: &'a str,
    /// The fact, where it is one.
    pub(super) fact: Option<FactPiece>,
    /// What it is sorted by, where both sides added at one place.
    pub(super) time: Option<String>,
}

impl Piece<'_> {
    /// Tells whether the piece is a fact with others nested in it.
    pub(super) fn holds_facts(&self) -> bool {
        self.fact.as_ref().is_some_and(|fact| !fact.nested.is_empty())
    }
}

/// A fact inside its piece: spans count from the piece's first byte.
#[derive(Clone, Debug)]
pub(super) struct FactPiece {
    /// The fact.
    pub(super) fact: Fact,
    /// Facts nested in it.
    pub(super) nested: Vec<Fact>,
}

/// Cuts a file into pieces.
pub(super) fn pieces(kind: FileKind, source: &str) -> Vec<Piece<'_>> {
    match kind {
        FileKind::Continuity | FileKind::Quarter => {
            let document = Document::parse(source);
            let facts: Vec<Fact> =
                document.facts.into_iter().filter(|fact| fact.form != Form::Quoted).collect();
            cut(source, &facts, kind)
        }
        FileKind::Journal => cut_journal(source),
        _ => cut(source, &[], kind),
    }
}

/// Makes plain lines of state lines whose key stands more than once in a version: such a key names
/// nothing, and merging by it would make one line of several.
pub(super) fn demote_repeated(versions: &mut [Vec<Piece<'_>>]) {
    let mut repeated: BTreeSet<String> = BTreeSet::new();
    for pieces in &*versions {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for piece in pieces {
            if let Name::State(key) = &piece.name
                && !seen.insert(key)
            {
                repeated.insert(key.clone());
            }
        }
    }
    for piece in versions.iter_mut().flatten() {
        if matches!(&piece.name, Name::State(key) if repeated.contains(key)) {
            piece.name = Name::Words(piece.text.trim_end().to_owned());
        }
    }
}

/// Cuts a fact that holds others: its first line, its footer, the facts in it, the lines between.
pub(super) fn inner<'a>(piece: &Piece<'a>) -> Vec<Piece<'a>> {
    let Some(FactPiece { fact, nested }) = &piece.fact else { return Vec::new() };
    let mut pieces = cut(piece.text, nested, FileKind::Continuity);
    for (index, inner) in pieces.iter_mut().enumerate() {
        let from = inner.at;
        let holds_footer = (from..from + inner.text.len()).contains(&fact.footer.span.start);
        if !matches!(inner.name, Name::Words(_)) {
            continue;
        }
        if holds_footer {
            inner.name = Name::Footer(fact.id().to_owned());
            let mut own = shifted(fact, from);
            own.block = 0..inner.text.len();
            inner.fact = Some(FactPiece { fact: own, nested: Vec::new() });
        } else if index == 0 {
            inner.name = Name::Title(fact.id().to_owned());
        }
    }
    pieces
}

fn shifted(fact: &Fact, by: usize) -> Fact {
    let shift = |span: &Range<usize>| span.start - by..span.end - by;
    let mut fact = fact.clone();
    // A block may begin before the line that is looked at.
    fact.block = fact.block.start.saturating_sub(by)..fact.block.end.saturating_sub(by);
    fact.footer.span = shift(&fact.footer.span);
    for field in &mut fact.footer.fields {
        field.span = shift(&field.span);
    }
    fact
}

/// Cuts a file of the journal: a record is one wherever it stands.
fn cut_journal(source: &str) -> Vec<Piece<'_>> {
    let mut cutter = Cutter::new(source, FileKind::Journal);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut end = 0;
    for Entry { span, record, .. } in entry::entries(source) {
        cutter.lines(end..span.start);
        end = span.end;
        let count = counts.entry(record.id.clone()).or_default();
        *count += 1;
        let time = record.provenance.timestamp.strftime("%Y-%m-%dT%H:%M:%S.%fZ").to_string();
        cutter.pieces.push(Piece {
            name: Name::Record(record.id, *count),
            at: span.start,
            text: &source[span],
            tail: "",
            fact: None,
            time: Some(time),
        });
    }
    cutter.lines(end..source.len());
    cutter.named()
}

fn cut<'a>(source: &'a str, facts: &[Fact], kind: FileKind) -> Vec<Piece<'a>> {
    let mut cutter = Cutter::new(source, kind);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut order: Vec<&Fact> = facts.iter().collect();
    order.sort_by_key(|fact| (fact.block.start, std::cmp::Reverse(fact.block.end)));
    let mut at = 0;
    for (number, fact) in order.iter().enumerate() {
        let block = fact.block.clone();
        if block.start < at {
            continue;
        }
        cutter.lines(at..block.start);
        // What it holds begins behind it, and inside.
        let inside = order[number..].iter().take_while(|inner| inner.block.start < block.end);
        let nested = inside.filter(|inner| fact.holds(inner)).copied();
        let count = seen.entry(fact.id().to_owned()).or_default();
        let name = Name::Fact(fact.id().to_owned(), *count);
        cutter.pieces.push(whole(source, fact, nested, name));
        *count += 1;
        at = block.end;
    }
    cutter.lines(at..source.len());
    cutter.named()
}

/// Returns a fact of a document as a piece of its own, also where it is nested in another.
pub(super) fn alone<'a>(document: &Document<'a>, fact: &Fact) -> Piece<'a> {
    let nested = document.nested_in(fact).into_iter();
    whole(document.source, fact, nested, Name::Fact(fact.id().to_owned(), 0))
}

fn whole<'a, 'f>(
    source: &'a str,
    fact: &Fact,
    nested: impl Iterator<Item = &'f Fact>,
    name: Name,
) -> Piece<'a> {
    let at = fact.block.start;
    // Blank lines inside a block's end belong to the gap after it.
    let text = &source[fact.block.clone()];
    let words = blank_tail(text);
    Piece {
        name,
        at,
        text: &text[..words],
        tail: &text[words..],
        fact: Some(FactPiece {
            fact: shifted(fact, at),
            nested: nested.map(|inner| shifted(inner, at)).collect(),
        }),
        time: None,
    }
}

/// Returns where the blank lines at the end of `text` begin.
fn blank_tail(text: &str) -> usize {
    let words = text.trim_end().len();
    text[words..].find('\n').map_or(text.len(), |newline| words + newline + 1)
}

struct Cutter<'a> {
    source: &'a str,
    kind: FileKind,
    pieces: Vec<Piece<'a>>,
    /// The pieces of several lines that are known by all their words, which are named in the end.
    grown: BTreeSet<usize>,
    /// The headings above, outermost first.
    path: Vec<(usize, String)>,
}

impl<'a> Cutter<'a> {
    fn new(source: &'a str, kind: FileKind) -> Self {
        Self { source, kind, pieces: Vec::new(), grown: BTreeSet::new(), path: Vec::new() }
    }

    /// Returns the pieces, all of them named.
    fn named(mut self) -> Vec<Piece<'a>> {
        for number in self.grown {
            let piece = &mut self.pieces[number];
            piece.name = Name::Words(piece.text.to_owned());
        }
        self.pieces
    }

    fn lines(&mut self, span: Range<usize>) {
        let source = self.source;
        let part = &source[span.clone()];
        let mut fence: Option<(Fence, usize)> = None;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut closing = Closing::default();
        for line in text::lines(part) {
            if let Some((open, start)) = fence {
                // A fence is one piece: half of it would turn what follows into code.
                self.extend_last(&part[start..line.end]);
                if open.is_closed_by(line.text.trim_start()) {
                    fence = None;
                }
                continue;
            }
            if line.is_blank() {
                self.blank(span.start + line.start..span.start + line.end);
                continue;
            }
            if self.kind == FileKind::Long && self.continues_summary(line.text) {
                let start = self.start_of_last() - span.start;
                self.extend_last(&part[start..line.end]);
                continue;
            }
            if self.continues_state(line.text) {
                self.lengthen_last(span.start + line.end);
                continue;
            }
            let name = self.name(line.text, &mut counts);
            let time = match self.kind {
                FileKind::Long => line.text.strip_prefix("## Summary (").map(str::to_owned),
                _ => None,
            };
            let (at, text) = (span.start + line.start, &part[line.start..line.end]);
            self.pieces.push(Piece { name, at, text, tail: "", fact: None, time });
            // A record is one wherever it stands, so a fence that does not close before the next is none.
            let is_whole = |open: &Fence| {
                self.kind != FileKind::Journal || closing.closes(*open, part, line.end)
            };
            let opened = Fence::opens(line.text.trim_start()).filter(is_whole);
            fence = opened.map(|open| (open, line.start));
        }
    }

    /// Tells whether a line belongs to the summary that the last piece began.
    fn continues_summary(&self, line: &str) -> bool {
        let is_heading = line.starts_with("# ") || line.starts_with("## ");
        !is_heading && self.pieces.last().is_some_and(|last| last.text.starts_with("## Summary ("))
    }

    /// Tells whether a line goes on with what a state line says.
    fn continues_state(&self, line: &str) -> bool {
        let is_state = |last: &Piece<'_>| {
            matches!(last.name, Name::State(_)) && last.tail.is_empty() && last.text.ends_with('\n')
        };
        // A fence is one piece, and may hold lines without an indent.
        line.starts_with([' ', '\t'])
            && Fence::opens(line.trim_start()).is_none()
            && self.pieces.last().is_some_and(is_state)
    }

    fn lengthen_last(&mut self, end: usize) {
        let source = self.source;
        if let Some(last) = self.pieces.last_mut() {
            last.text = &source[last.at..end];
        }
    }

    fn start_of_last(&self) -> usize {
        self.pieces.last().map_or(0, |last| last.at)
    }

    fn extend_last(&mut self, text: &'a str) {
        if let Some(last) = self.pieces.last_mut() {
            last.text = text;
            last.tail = "";
            last.name = Name::Words(String::new());
            self.grown.insert(self.pieces.len() - 1);
        }
    }

    /// Adds a blank line to what precedes it.
    fn blank(&mut self, line: Range<usize>) {
        let source = self.source;
        match self.pieces.last_mut() {
            Some(last) => {
                let end = last.at + last.text.len();
                last.tail = &source[end..line.end];
            }
            None => self.pieces.push(Piece {
                name: Name::Words(String::new()),
                at: line.start,
                text: "",
                tail: &source[line],
                fact: None,
                time: None,
            }),
        }
    }

    fn name(&mut self, line: &str, counts: &mut BTreeMap<String, usize>) -> Name {
        let words = || Name::Words(line.trim_end().to_owned());
        let mut counted = |id: &str| {
            let count = counts.entry(id.to_owned()).or_default();
            *count += 1;
            *count
        };
        match self.kind {
            FileKind::Continuity | FileKind::Manifest
                if state_key(line).is_some() && self.is_in_state() =>
            {
                Name::State(state_key(line).unwrap_or_default().to_owned())
            }
            FileKind::Index => {
                archive::row_id(line).map_or_else(words, |id| Name::Row(id.to_owned(), counted(id)))
            }
            FileKind::Continuity | FileKind::Quarter => self.heading(line).unwrap_or_else(words),
            _ => words(),
        }
    }

    /// Tells whether `- **key:** value` means a key here: below other headings it is a sentence.
    fn is_in_state(&self) -> bool {
        let mut sections = self.path.iter().filter(|(level, _)| *level > 1);
        self.kind == FileKind::Manifest
            || sections.all(|(_, line)| heading_title(line).eq_ignore_ascii_case(PROJECT_STATE))
    }

    /// A heading is known by those above it too: `### From Key Decisions` stands in every quarter often.
    fn heading(&mut self, line: &str) -> Option<Name> {
        let level = line.bytes().take_while(|b| *b == b'#').count();
        if !(1..=6).contains(&level) || !line[level..].starts_with(' ') {
            return None;
        }
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, line.trim_end().to_owned()));
        let path: Vec<&str> =
            self.path.iter().filter(|(level, _)| *level > 1).map(|(_, line)| &**line).collect();
        Some(Name::Words(if path.is_empty() {
            line.trim_end().to_owned()
        } else {
            path.join("\n")
        }))
    }
}

/// Where fences were looked for that close one before the next record, in vain.
#[derive(Default)]
struct Closing {
    open: Option<Fence>,
    /// Nothing closes it before this byte.
    until: usize,
}

impl Closing {
    /// Tells whether a fence closes before the next record, behind byte `at`.
    fn closes(&mut self, fence: Fence, part: &str, at: usize) -> bool {
        if at < self.until && self.open.is_some_and(|open| fence.is_as_strict_as(open)) {
            return false;
        }
        if text::lines(&part[at..]).any(|line| fence.is_closed_by(line.text.trim_start())) {
            return true;
        }
        (self.open, self.until) = (Some(fence), part.len());
        false
    }
}
