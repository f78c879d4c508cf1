//! Pieces of three versions in one order. What has a name stands once; what has none stands where
//! either side put it, and is gone where either side took it out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::DiffOp;

use super::fact::{self, Removal};
use super::interleave::interleaved;
use super::piece::{self, Name, Piece};
use super::{Elsewhere, FileKind, Question, Sides, diff, scalar};
use crate::edit;
use crate::text;

/// Merges one file, and collects what a person has to decide.
pub(super) struct Merger<'m> {
    pub(super) kind: FileKind,
    pub(super) elsewhere: &'m Elsewhere,
    pub(super) questions: &'m mut BTreeSet<Question>,
}

/// A piece of the result.
struct Placed {
    text: String,
    tail: String,
    /// Whether it is a changed copy of a fact that one side archived. Such a copy must not stay nested
    /// in another fact: the side that archived the original may want to file what held it.
    is_copy: bool,
}

impl Placed {
    fn new(text: impl Into<String>, tail: impl Into<String>) -> Self {
        Self { text: text.into(), tail: tail.into(), is_copy: false }
    }

    fn of(piece: &Piece<'_>) -> Self {
        Self::new(piece.text, piece.tail)
    }
}

/// How one side's pieces relate to the base's.
struct Alignment {
    /// For each piece of the base its counterpart at the same place.
    kept: Vec<Option<usize>>,
    /// For each gap before a piece of the base, and for the end, what the side has there of its own.
    added: Vec<Range<usize>>,
    /// For each piece of the base that was replaced by others, the gap where they stand.
    replaced: Vec<Option<usize>>,
}

fn align(base: &[Piece<'_>], side: &[Piece<'_>]) -> Alignment {
    let names = |pieces: &[Piece<'_>]| pieces.iter().map(|piece| piece.name.clone()).collect();
    let (old, new): (Vec<Name>, Vec<Name>) = (names(base), names(side));
    let mut alignment = Alignment {
        kept: vec![None; base.len()],
        added: vec![0..0; base.len() + 1],
        replaced: vec![None; base.len()],
    };
    for op in diff::steps(&old, &new) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                for step in 0..len {
                    alignment.kept[old_index + step] = Some(new_index + step);
                }
            }
            DiffOp::Insert { old_index, new_index, new_len } => {
                alignment.added[old_index] = new_index..new_index + new_len;
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                // Behind what it replaces, where the other side may have added something too.
                let gap = old_index + old_len;
                alignment.added[gap] = new_index..new_index + new_len;
                alignment.replaced[old_index..gap].fill(Some(gap));
            }
            DiffOp::Delete { .. } => {}
        }
    }
    alignment
}

/// Where each named piece of a side is.
type Places<'p, 'a> = BTreeMap<&'p Name, &'p Piece<'a>>;

fn places<'p, 'a>(pieces: &'p [Piece<'a>]) -> Places<'p, 'a> {
    pieces.iter().filter(|piece| piece.name.is_own()).map(|piece| (&piece.name, piece)).collect()
}

impl Merger<'_> {
    /// Merges three texts.
    pub(super) fn merge(&mut self, sides: Sides<'_>) -> String {
        let kind = self.kind;
        let mut versions =
            [sides.base, sides.ours, sides.theirs].map(|source| piece::pieces(kind, source));
        piece::demote_repeated(&mut versions);
        let [base, ours, theirs] = &versions;
        let placed = self.pieces(base, ours, theirs);
        let ending = [sides.base, sides.ours].into_iter().find(|text| text.contains('\n'));
        let ends = [sides.ours, sides.theirs].iter().any(|text| text.ends_with('\n'));
        let ending = text::line_ending(ending.unwrap_or(sides.theirs));
        let mut result = joined(&placed, ending);
        if ends && !result.is_empty() && !result.ends_with('\n') {
            result.push_str(ending);
        }
        result
    }

    fn pieces(
        &mut self,
        base: &[Piece<'_>],
        ours: &[Piece<'_>],
        theirs: &[Piece<'_>],
    ) -> Vec<Placed> {
        let (a, b) = (align(base, ours), align(base, theirs));
        let named = [places(base), places(ours), places(theirs)];
        let mut emitted: BTreeSet<Name> = BTreeSet::new();
        let mut result: Vec<Placed> = Vec::new();
        // A piece that a side moved stands where that side put it.
        let mut first: BTreeMap<&Name, usize> = BTreeMap::new();
        for (at, piece) in base.iter().enumerate() {
            first.entry(&piece.name).or_insert(at);
        }
        let moved = |name: &Name| {
            first.get(name).copied().is_some_and(|at| {
                [(&a, &named[1]), (&b, &named[2])]
                    .iter()
                    .any(|(side, places)| side.kept[at].is_none() && places.contains_key(name))
            })
        };
        let moved: BTreeSet<&Name> = named[0].keys().copied().filter(|name| moved(name)).collect();
        for gap in 0..=base.len() {
            let added =
                interleaved(self.kind, &ours[a.added[gap].clone()], &theirs[b.added[gap].clone()]);
            self.ask_about_lines(gap, (&a, ours), (&b, theirs), base);
            for (number, piece) in added.iter().enumerate() {
                let placed = result.len();
                if !piece.name.is_own() {
                    result.push(Placed::of(piece));
                } else if emitted.insert(piece.name.clone()) {
                    result.extend(self.named(&piece.name, &named));
                }
                let next = added.get(number + 1);
                let joint = next.and_then(|next| self.joint(piece, next, [ours, theirs]));
                if let (Some(tail), Some(last)) = (joint, result[placed..].last_mut()) {
                    tail.clone_into(&mut last.tail);
                }
            }
            let Some(piece) = base.get(gap) else { break };
            if piece.name.is_own() {
                if !moved.contains(&piece.name) && emitted.insert(piece.name.clone()) {
                    result.extend(self.named(&piece.name, &named));
                }
            } else if let (Some(x), Some(y)) = (a.kept[gap], b.kept[gap]) {
                let tail = three(piece.tail, ours[x].tail, theirs[y].tail);
                let text = three(piece.text, ours[x].text, theirs[y].text);
                result.push(Placed::new(text, tail));
            }
        }
        result
    }

    /// Returns the blank lines between two pieces that no side has one after the other: what comes next
    /// stands as close as it does in its own file.
    fn joint<'a>(
        &self,
        piece: &Piece<'_>,
        next: &Piece<'a>,
        sides: [&[Piece<'a>]; 2],
    ) -> Option<&'a str> {
        // Records stand close, whatever stands above them.
        if self.kind == FileKind::Journal && (piece.name.is_own() || next.name.is_own()) {
            return None;
        }
        sides.into_iter().find_map(|side| {
            let at = side.binary_search_by_key(&next.at, |piece| piece.at).ok()?;
            let previous = side.get(at.checked_sub(1)?)?;
            let is_it = std::ptr::eq(&raw const side[at], next);
            (is_it && !std::ptr::eq(previous, piece)).then_some(previous.tail)
        })
    }

    /// Returns what becomes of a named piece; nothing where it is gone.
    fn named(&mut self, name: &Name, [base, ours, theirs]: &[Places<'_, '_>; 3]) -> Vec<Placed> {
        let (old, x, y) = (base.get(name), ours.get(name), theirs.get(name));
        match (old, x, y) {
            (_, Some(x), Some(y)) => self.both(old.copied(), x, y),
            (None, Some(one), None) | (None, None, Some(one)) => vec![Placed::of(one)],
            (Some(old), Some(one), None) | (Some(old), None, Some(one)) => self.removed(old, one),
            (_, None, None) => Vec::new(),
        }
    }

    fn both(&mut self, old: Option<&Piece<'_>>, x: &Piece<'_>, y: &Piece<'_>) -> Vec<Placed> {
        let tail = three(old.map_or("", |old| old.tail), x.tail, y.tail).to_owned();
        let before = old.map(|old| old.text);
        if x.text == y.text || before == Some(y.text) {
            return vec![Placed::new(x.text, tail)];
        }
        if before == Some(x.text) {
            return vec![Placed::new(y.text, tail)];
        }
        if matches!(x.name, Name::Fact(..)) && (x.holds_facts() || y.holds_facts()) {
            return self.compound(old, x, y, &tail);
        }
        let texts = match &x.name {
            Name::Fact(..) | Name::Footer(_) => fact::both(old, x, y, self.questions),
            Name::Title(id) => vec![self.title(id, before, x.text, y.text)],
            Name::State(key) => self.state(key, before.unwrap_or_default(), x.text, y.text),
            Name::Row(..) => vec![row(x.text, y.text).to_owned()],
            Name::Record(..) => records(x.text, y.text),
            Name::Words(_) => vec![x.text.to_owned(), y.text.to_owned()],
        };
        texts.into_iter().map(|text| Placed::new(text, &*tail)).collect()
    }

    /// Merges a fact that holds others. Copies of facts that one side archived come out of it, and stand
    /// below it at the margin.
    fn compound(
        &mut self,
        old: Option<&Piece<'_>>,
        x: &Piece<'_>,
        y: &Piece<'_>,
        tail: &str,
    ) -> Vec<Placed> {
        let before = old.map_or_else(Vec::new, piece::inner);
        let placed = self.pieces(&before, &piece::inner(x), &piece::inner(y));
        let (copies, own): (Vec<_>, Vec<_>) = placed.into_iter().partition(|piece| piece.is_copy);
        let copies = copies.into_iter().map(|copy| Placed {
            text: edit::dedent(&copy.text),
            tail: tail.to_owned(),
            is_copy: true,
        });
        std::iter::once(Placed::new(joined(&own, "\n"), tail)).chain(copies).collect()
    }

    /// The first line of a fact that holds others: the box by rule, the words by a person.
    fn title(&mut self, id: &str, old: Option<&str>, x: &str, y: &str) -> String {
        let (line, other) = fact::title(old, x, y);
        if let Some(other) = other {
            self.questions.insert(Question {
                about: id.to_owned(),
                text: format!(
                    "Contradiction: two branches changed the first line of `{id}`; the other said: {}",
                    text::collapse_whitespace(&other)
                ),
            });
        }
        line
    }

    /// Two values of one key: one where a rule knows which, else both, and a person is asked.
    fn state(&mut self, key: &str, before: &str, x: &str, y: &str) -> Vec<String> {
        let value = |line: &str| {
            line.split_once(":**").map_or_else(String::new, |(_, value)| value.trim().to_owned())
        };
        let (a, b) = (value(x), value(y));
        if a == b {
            return vec![x.to_owned()];
        }
        if let Some(winner) = scalar::later(key, &value(before), &a, &b) {
            return vec![if winner == a { x } else { y }.to_owned()];
        }
        self.questions.insert(Question {
            about: key.to_owned(),
            text: format!(
                "Merge: two branches set **{key}**; both lines stand in this file, keep one"
            ),
        });
        vec![x.to_owned(), y.to_owned()]
    }

    /// One side took a piece out; the other may have changed it.
    fn removed(&mut self, old: &Piece<'_>, kept: &Piece<'_>) -> Vec<Placed> {
        if old.text == kept.text {
            return Vec::new();
        }
        match &kept.name {
            Name::Fact(..) => match fact::removed(old, kept, self.elsewhere, self.questions) {
                Removal::Gone => Vec::new(),
                Removal::Stays(text) => vec![Placed::new(text, kept.tail)],
                Removal::Copy(text) => {
                    vec![Placed { text, tail: kept.tail.to_owned(), is_copy: true }]
                }
            },
            _ => vec![Placed::of(kept)],
        }
    }

    /// Where both sides put other words in the place of the same lines, both stay, and a person is asked.
    fn ask_about_lines(
        &mut self,
        gap: usize,
        (a, ours): (&Alignment, &[Piece<'_>]),
        (b, theirs): (&Alignment, &[Piece<'_>]),
        base: &[Piece<'_>],
    ) {
        if self.kind != FileKind::Continuity || gap == base.len() {
            return;
        }
        let (Some(x), Some(y)) = (a.replaced[gap], b.replaced[gap]) else { return };
        // Once for each pair of replacements: at the first line that both took out.
        if base[gap].name.is_own()
            || gap > 0 && (a.replaced[gap - 1], b.replaced[gap - 1]) == (Some(x), Some(y))
        {
            return;
        }
        let words = |pieces: &[Piece<'_>]| -> Vec<String> {
            let lines = pieces.iter().filter(|piece| !piece.name.is_own());
            lines.map(|piece| text::collapse_whitespace(piece.text)).collect()
        };
        let (one, other) = (words(&ours[a.added[x].clone()]), words(&theirs[b.added[y].clone()]));
        if one.is_empty() || other.is_empty() || one == other {
            return;
        }
        let old = text::collapse_whitespace(base[gap].text);
        let old = text::ellipsis(old.trim_start_matches(['#', ' ', '-', '*', '>']), 60);
        self.questions.insert(Question {
            about: old.clone(),
            text: format!(
                "Merge: two branches rewrote the line “{}”; both versions stand in this file, keep one",
                plain(&old)
            ),
        });
    }
}

/// Returns words that end no comment and open none, so that they can stand in a thread.
fn plain(words: &str) -> String {
    words.replace("<!--", "").replace("-->", "").replace('`', "'")
}

/// Returns the one that changed; where both did, the longer.
fn three<'t>(old: &str, x: &'t str, y: &'t str) -> &'t str {
    match () {
        () if x == y || y == old => x,
        () if x == old => y,
        () => {
            if x.len() >= y.len() {
                x
            } else {
                y
            }
        }
    }
}

/// Two rows about one fact: one stays. What says that the fact was replaced says more.
fn row<'t>(x: &'t str, y: &'t str) -> &'t str {
    let weight = |row: &str| (row.contains("superseded"), row.len());
    if weight(x) >= weight(y) { x } else { y }
}

/// Two versions of one record: what was purged stays purged; otherwise both stay.
fn records(x: &str, y: &str) -> Vec<String> {
    match (x.contains("(PURGED "), y.contains("(PURGED ")) {
        (true, _) => vec![x.to_owned()],
        (_, true) => vec![y.to_owned()],
        _ => vec![x.to_owned(), y.to_owned()],
    }
}

fn joined(placed: &[Placed], ending: &str) -> String {
    let mut result = String::new();
    for piece in placed {
        if !result.is_empty() && !result.ends_with('\n') {
            result.push_str(ending);
        }
        result.push_str(&piece.text);
        // A piece that was last in its file may have no end of line.
        if !piece.tail.is_empty() && !piece.text.is_empty() && !piece.text.ends_with('\n') {
            result.push_str(ending);
        }
        result.push_str(&piece.tail);
    }
    result
}
