//! One fact that two branches changed. Words, box and footer are merged apart from each other.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use similar::DiffOp;

use super::piece::{FactPiece, Piece};
use super::{Elsewhere, Question, diff, mark, scalar};
use crate::doc::Document;
use crate::edit;
use crate::fact::{self, Field, Footer, Tier};
use crate::text::{self, Edit};

/// Stands for the footer while the words around it are merged.
const FOOTER: char = '\u{1}';
/// Stands for the box.
const BOX: char = '\u{2}';

/// What becomes of a fact that one side took out.
pub(super) enum Removal {
    /// It is gone from this file.
    Gone,
    /// It stays, as this text.
    Stays(String),
    /// It is in the archive; what the other side made of it stays under another name, as this text.
    Copy(String),
}

/// A fact in parts.
struct Parts<'a> {
    id: &'a str,
    /// The block with marks in place of footer and box.
    words: String,
    done: Option<bool>,
    footer: &'a str,
}

impl<'a> Parts<'a> {
    fn of(piece: &'a Piece<'_>) -> Option<Self> {
        let FactPiece { fact, nested } = piece.fact.as_ref()?;
        let span = fact.footer.span.clone();
        // Nested facts are merged by their own names: where they are gone from both sides, their lines
        // are no change to the words of what held them.
        let inner = nested.iter().map(|nested| nested.block.clone());
        let mut cuts: Vec<_> = inner.filter(|block| !block.contains(&span.start)).collect();
        cuts.push(span.clone());
        cuts.sort_by_key(|cut| cut.start);
        let mut words = String::with_capacity(piece.text.len());
        let mut at = 0;
        for cut in cuts {
            if cut.start < at {
                continue;
            }
            words.push_str(&piece.text[at..cut.start]);
            if cut == span {
                words.push(FOOTER);
            }
            at = cut.end.min(piece.text.len());
        }
        words.push_str(&piece.text[at..]);
        let (words, done) = without_box(&words);
        Some(Self { id: fact.id(), words, done, footer: &piece.text[span] })
    }

    /// Puts footer and box back.
    fn whole(words: &str, done: Option<bool>, footer: &str) -> String {
        let mark = match done {
            Some(true) => "[x]",
            _ => "[ ]",
        };
        words.replacen(BOX, mark, 1).replacen(FOOTER, footer, 1)
    }
}

/// Returns a block with a mark in place of its box, and whether that was ticked.
fn without_box(block: &str) -> (String, Option<bool>) {
    let trimmed = block.trim_start();
    let at = block.len() - trimmed.len() + 2;
    let done = match trimmed.get(..5) {
        Some("- [ ]") => false,
        Some("- [x]" | "- [X]") => true,
        _ => return (block.to_owned(), None),
    };
    (format!("{}{BOX}{}", &block[..at], &block[at + 3..]), Some(done))
}

/// A ticked box wins where both sides changed it.
fn box_of(old: Option<bool>, x: Option<bool>, y: Option<bool>) -> Option<bool> {
    match () {
        () if x == y || y == old => x,
        () if x == old => y,
        () => x.max(y),
    }
}

/// Merges a fact that both sides have. Two texts are two facts: the second has another id, and a
/// person is asked.
pub(super) fn both(
    old: Option<&Piece<'_>>,
    x: &Piece<'_>,
    y: &Piece<'_>,
    questions: &mut BTreeSet<Question>,
) -> Vec<String> {
    let (Some(a), Some(b)) = (Parts::of(x), Parts::of(y)) else {
        return vec![x.text.to_owned(), y.text.to_owned()];
    };
    let before = old.and_then(Parts::of);
    let id = a.id;
    let done = box_of(before.as_ref().and_then(|old| old.done), a.done, b.done);
    let footer = |keeps: &Parts<'_>, other: &Parts<'_>, questions: &mut BTreeSet<Question>| {
        let (footer, doubts) =
            footers(before.as_ref().map(|old| old.footer), keeps.footer, other.footer);
        for (key, values) in doubts {
            questions.insert(Question {
                about: id.to_owned(),
                text: format!("Contradiction: two branches set `{key}` of `{id}`: {values}"),
            });
        }
        footer
    };
    if let Some(words) = lines(before.as_ref().map(|old| &*old.words), &a.words, &b.words) {
        let footer = footer(&a, &b, questions);
        return vec![Parts::whole(&words, done, &footer)];
    }
    // The one that was used last keeps the name that others refer to.
    let (keeps, other) = if newness(a.footer) >= newness(b.footer) { (a, b) } else { (b, a) };
    let new_id = format!("{id}-other-{}", mark(&other.words));
    let own = footer(&keeps, &other, questions);
    let renamed = with_id(other.footer, &new_id);
    questions.insert(Question {
        about: id.to_owned(),
        text: format!(
            "Contradiction: two branches changed `{id}`; which holds, it or `{new_id}`? Supersede the other"
        ),
    });
    vec![ended(Parts::whole(&keeps.words, done, &own)), Parts::whole(&other.words, done, &renamed)]
}

/// Returns a text with a line end.
pub(super) fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn newness(footer: &str) -> (String, u64) {
    let footer = fact::footers(footer).0.pop();
    let get = |key: &str| footer.as_ref().and_then(|footer| footer.get(key)).unwrap_or_default();
    (get("last_used").to_owned(), get("uses").parse().unwrap_or(0))
}

/// Merges the first line of a fact that holds others; the second part is what found no place.
pub(super) fn title(old: Option<&str>, x: &str, y: &str) -> (String, Option<String>) {
    let (before, old_box) = old.map_or((None, None), |old| {
        let (words, done) = without_box(old);
        (Some(words), done)
    });
    let ((a, a_box), (b, b_box)) = (without_box(x), without_box(y));
    let done = box_of(old_box, a_box, b_box);
    let mark = if done == Some(true) { "[x]" } else { "[ ]" };
    let (words, other) = match () {
        () if a == b || before.as_ref() == Some(&b) => (a, None),
        () if before.as_ref() == Some(&a) => (b, None),
        () => (a, Some(b.replacen(BOX, "", 1))),
    };
    (words.replacen(BOX, mark, 1), other)
}

/// Merges words line by line; nothing where both sides changed the same line. How a block ends is
/// merged apart: what stands below it is no change of its words.
fn lines(old: Option<&str>, x: &str, y: &str) -> Option<String> {
    let ((a, a_end), (b, b_end)) = (cut_end(x), cut_end(y));
    let (before, end) = match old.map(cut_end) {
        Some((before, old_end)) => {
            let end = match () {
                () if a_end == old_end => b_end,
                () if b_end == old_end => a_end,
                () => a_end.max(b_end),
            };
            (Some(before), end)
        }
        None => (None, a_end.max(b_end)),
    };
    let words = match () {
        () if a == b || before == Some(b) => a.to_owned(),
        () if before == Some(a) => b.to_owned(),
        () => line_by_line(before?, a, b)?,
    };
    Some(words + end)
}

/// Returns words without the line ends and blanks that they end with, and those.
fn cut_end(words: &str) -> (&str, &str) {
    words.split_at(words.trim_end().len())
}

fn line_by_line(old: &str, x: &str, y: &str) -> Option<String> {
    let ending = text::line_ending(old);
    let split = |text: &str| {
        let whole = format!("{text}{ending}");
        whole.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>()
    };
    let (base, a, b) = (split(old), split(x), split(y));
    let (ours, theirs) = (changes(&base, &a), changes(&base, &b));
    let mut result = String::new();
    for at in 0..=base.len() {
        if ours.added[at] == theirs.added[at] {
            result.extend(ours.added[at].iter().map(String::as_str));
        } else {
            result.extend(ours.added[at].iter().chain(&theirs.added[at]).map(String::as_str));
        }
        let Some(line) = base.get(at) else { break };
        match (ours.gone[at], theirs.gone[at]) {
            (true, true) => return None,
            (false, false) => result.push_str(line),
            _ => {}
        }
    }
    let is_whole = result.matches(FOOTER).count() == 1 && result.matches(BOX).count() <= 1;
    is_whole.then(|| result.strip_suffix(ending).unwrap_or(&result).to_owned())
}

struct Changed {
    gone: Vec<bool>,
    added: Vec<Vec<String>>,
}

fn changes(base: &[String], side: &[String]) -> Changed {
    let mut changed =
        Changed { gone: vec![false; base.len()], added: vec![Vec::new(); base.len() + 1] };
    for op in diff::steps(base, side) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        changed.gone[op.old_range()].fill(true);
        changed.added[op.old_range().start].extend_from_slice(&side[op.new_range()]);
    }
    changed
}

/// Merges two footers into the first; beside it the fields that no rule decides.
fn footers(old: Option<&str>, keeps: &str, other: &str) -> (String, Vec<(String, String)>) {
    let parse = |text: &str| fact::footers(text).0.pop();
    let (Some(x), Some(y)) = (parse(keeps), parse(other)) else {
        return (keeps.to_owned(), Vec::new());
    };
    let old = old.and_then(parse);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let keys = x.fields.iter().chain(&y.fields).map(|field| field.key.as_str());
    let keys: Vec<&str> = keys.filter(|key| seen.insert(key)).collect();
    let (before, mine, other) = (old.as_ref().map(values), values(&x), values(&y));
    let mut edits = Vec::new();
    let mut doubts = Vec::new();
    for key in keys {
        let before = before.as_ref().and_then(|old| old.get(key)).map(|field| &*field.value);
        let [a, b] = [&mine, &other].map(|side| side.get(key).map(|field| &*field.value));
        let merged = scalar::field(key, before, a, b);
        if merged.is_doubtful {
            let both = [a, b].map(|value| format!("`{}`", value.unwrap_or("")));
            let mut both = both;
            both.sort();
            doubts.push((key.to_owned(), both.join(" and ")));
        }
        let own = mine.get(key).copied();
        edits.extend(match &merged.value {
            Some(value) => edit::set(keeps, &x, own, key, value),
            None => own.and_then(|own| edit::remove(keeps, own)),
        });
    }
    (text::apply(keeps, &edits).unwrap_or_else(|_| keeps.to_owned()), doubts)
}

/// Returns the fields of a footer by key: of several the last.
fn values(footer: &Footer) -> BTreeMap<&str, &Field> {
    footer.fields.iter().map(|field| (field.key.as_str(), field)).collect()
}

fn with_field(footer: &str, key: &str, value: Option<&str>) -> String {
    let Some(parsed) = fact::footers(footer).0.pop() else { return footer.to_owned() };
    let edit = match value {
        Some(value) => edit::set_field(footer, &parsed, key, value),
        None => edit::remove_field(footer, &parsed, key),
    };
    let edits: Vec<Edit> = edit.into_iter().collect();
    text::apply(footer, &edits).unwrap_or_else(|_| footer.to_owned())
}

/// Opens what two branches closed against each other: each superseded by the other, all of them
/// would leave, and nobody would have said so.
pub(super) fn without_circles(
    merged: &str,
    sides: [&str; 2],
    questions: &mut BTreeSet<Question>,
) -> String {
    let document = Document::parse(merged);
    let sides = sides.map(Document::parse);
    let successors: BTreeMap<&str, &str> = document
        .distinct_facts()
        .into_iter()
        .filter(|fact| fact.footer.is_superseded())
        .filter_map(|fact| Some((fact.id(), fact.footer.get("superseded-by")?)))
        .collect();
    let circles = circles(&successors);
    let nothing = BTreeSet::new();
    let mut edits = Vec::new();
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    for fact in document.distinct_facts() {
        let circle = circles.get(fact.id()).map_or(&nothing, |circle| &**circle);
        // What was one before the merge is not the merge's to open.
        let open = sides.iter().filter_map(|side| side.fact(fact.id()));
        let Some(open) = open.into_iter().find(|fact| !fact.footer.is_superseded()) else {
            continue;
        };
        if circle.is_empty() {
            continue;
        }
        let mut footer = merged[fact.footer.span.clone()].to_owned();
        let others = open.footer.get("supersedes").unwrap_or_default().split(',').map(str::trim);
        let others = others.filter(|id| !id.is_empty() && !circle.contains(id));
        let others = others.collect::<Vec<_>>().join(", ");
        footer = with_field(&footer, "tier", open.footer.get("tier"));
        footer = with_field(&footer, "superseded-by", None);
        footer = with_field(&footer, "supersedes", Some(&*others).filter(|ids| !ids.is_empty()));
        edits.push(Edit::replace(fact.footer.span.clone(), footer));
        let first = circle.first().copied().unwrap_or_default();
        if !asked.insert(first) {
            continue;
        }
        let names: Vec<String> = circle.iter().map(|id| format!("`{id}`")).collect();
        questions.insert(Question {
            about: first.to_owned(),
            text: format!(
                "Contradiction: two branches superseded {} by each other; which holds? Supersede the others",
                names.join(" and ")
            ),
        });
    }
    text::apply(merged, &edits).unwrap_or_else(|_| merged.to_owned())
}

/// Returns, for each fact that following the successors leads back to, the facts on the way.
fn circles<'a>(
    successors: &BTreeMap<&'a str, &'a str>,
) -> BTreeMap<&'a str, Rc<BTreeSet<&'a str>>> {
    let mut circles = BTreeMap::new();
    // Where it is known where following leads.
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for start in successors.keys() {
        let (mut way, mut at) = (Vec::new(), *start);
        while done.insert(at) {
            way.push(at);
            match successors.get(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        // Only where it comes back to this very way is the circle new.
        if let Some(first) =
            way.iter().position(|id| *id == at).filter(|_| successors.contains_key(at))
        {
            let circle: Rc<BTreeSet<&str>> = Rc::new(way[first..].iter().copied().collect());
            if circle.len() > 1 {
                circles.extend(circle.iter().map(|id| (*id, Rc::clone(&circle))));
            }
        }
    }
    circles
}

/// Returns a footer with another id.
fn with_id(footer: &str, id: &str) -> String {
    let Some(parsed) = fact::footers(footer).0.pop() else { return footer.to_owned() };
    footer.replacen(parsed.id.as_str(), id, 1)
}

/// One side took the fact out; the other still has it, and changed something.
pub(super) fn removed(
    old: &Piece<'_>,
    kept: &Piece<'_>,
    elsewhere: &Elsewhere,
    questions: &mut BTreeSet<Question>,
) -> Removal {
    let Some(fact) = kept.fact.as_ref().map(|piece| &piece.fact) else {
        return Removal::Stays(kept.text.to_owned());
    };
    let id = fact.id();
    // What left was done with: a box that the other side ticked says no more than that.
    let (unboxed, is_done) = without_box(kept.text);
    let (before, after) = if is_done == Some(true) {
        (meaning(&without_box(old.text).0), meaning(&unboxed))
    } else {
        (meaning(old.text), meaning(kept.text))
    };
    if before == after {
        return Removal::Gone;
    }
    let Some(there) = elsewhere.0.get(id) else {
        return Removal::Stays(kept.text.to_owned());
    };
    if before.0 == after.0 || there.words.contains(&after.0) {
        let is_new = |field: &&String| !before.1.contains(*field) && !there.fields.contains(*field);
        let said: Vec<String> =
            after.1.iter().filter(is_new).map(|field| format!("`{field}`")).collect();
        let is_unsaid = |field: &String| !after.1.contains(field) && there.fields.contains(field);
        if said.is_empty() && !before.1.iter().any(is_unsaid) {
            return Removal::Gone;
        }
        questions.insert(Question {
            about: id.to_owned(),
            text: format!(
                "Merge: `{id}` is in the archive, and the other branch said of it {}; say it again with `quipu fact`",
                if said.is_empty() { "less than before".to_owned() } else { said.join(", ") }
            ),
        });
        return Removal::Gone;
    }
    // What it said before is in the archive; what it says now is another fact, until somebody decides.
    let suffix = format!("other-{}", mark(&after.0));
    questions.insert(Question {
        about: id.to_owned(),
        text: format!(
            "Contradiction: one branch archived `{id}`, the other changed it; the changed one is `{id}-{suffix}`"
        ),
    });
    Removal::Copy(renamed(kept, &suffix))
}

/// Returns the words and fields of a fact that left, to compare with what is said of it now.
pub(super) fn said(block: &str) -> (String, Vec<String>) {
    meaning(&without_box(block).0)
}

/// Returns what a block says, without what counting derives: its words, and the fields that mean something.
fn meaning(block: &str) -> (String, Vec<String>) {
    let mut words = String::new();
    let mut fields = Vec::new();
    let mut at = 0;
    for footer in fact::footers(block).0 {
        words.push_str(&block[at..footer.span.start]);
        words.push_str(footer.id.as_str());
        at = footer.span.end;
        fields.extend(meaningful(&footer));
    }
    words.push_str(&block[at..]);
    fields.sort();
    (text::collapse_whitespace(&words), fields)
}

fn meaningful(footer: &Footer) -> Vec<String> {
    let means = |key: &str, value: &str| match key {
        "last_used" | "uses" | "created" | "origin" => false,
        "tier" => Tier::named(value).is_some_and(|tier| !tier.is_counted()),
        _ => true,
    };
    let fields = footer.fields.iter().filter(|field| means(&field.key, &field.value));
    fields.map(|field| format!("{}: {}", field.key, field.value)).collect()
}

/// Returns the block with another id for each fact in it.
fn renamed(piece: &Piece<'_>, suffix: &str) -> String {
    let Some(parts) = &piece.fact else { return piece.text.to_owned() };
    let mut edits = Vec::new();
    for fact in std::iter::once(&parts.fact).chain(&parts.nested) {
        let span = fact.footer.span.clone();
        let footer = &piece.text[span.clone()];
        edits.push(Edit::replace(span, with_id(footer, &format!("{}-{suffix}", fact.id()))));
    }
    text::apply(piece.text, &edits).unwrap_or_else(|_| piece.text.to_owned())
}
