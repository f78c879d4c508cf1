//! What both sides added at one place, in one order. A block of either side stays whole: a heading keeps
//! its lines, an item what is indented below it, and what somebody wrote into a journal all of it.

use std::collections::{BTreeMap, BTreeSet};

use similar::DiffOp;

use super::piece::{Name, Piece};
use super::{FileKind, diff};

/// The level of what stands below no heading of its own.
const NO_HEADING: usize = 7;

/// Returns what both sides added: what they share once.
pub(super) fn interleaved<'p, 'a>(
    kind: FileKind,
    ours: &'p [Piece<'a>],
    theirs: &'p [Piece<'a>],
) -> Vec<&'p Piece<'a>> {
    match kind {
        FileKind::Journal | FileKind::Long => by_time(ours, theirs),
        _ => by_section(ours, theirs),
    }
}

/// What stands below no heading of its own belongs to the section that is there already, so it goes
/// first; then come the deeper headings, and the higher ones last.
fn by_section<'p, 'a>(ours: &'p [Piece<'a>], theirs: &'p [Piece<'a>]) -> Vec<&'p Piece<'a>> {
    let (ours, theirs) = (blocks(ours), blocks(theirs));
    let mut result = Vec::new();
    for level in (1..=NO_HEADING).rev() {
        let of_level = |blocks: &[&'p [Piece<'a>]]| -> Vec<&'p [Piece<'a>]> {
            blocks.iter().copied().filter(|block| level_of(&block[0]) == level).collect()
        };
        let (x, y) = (of_level(&ours), of_level(&theirs));
        if level == NO_HEADING {
            result.extend(aligned(&x, &y));
        } else {
            result.extend(sections(&x, &y));
        }
    }
    result
}

/// Puts two lists of blocks together; one that is the same to the last line stands once.
fn aligned<'p, 'a>(ours: &[&'p [Piece<'a>]], theirs: &[&'p [Piece<'a>]]) -> Vec<&'p Piece<'a>> {
    let (old, new): (Vec<_>, Vec<_>) = (
        ours.iter().map(|block| names(block)).collect(),
        theirs.iter().map(|b| names(b)).collect(),
    );
    let mut result = Vec::new();
    for op in diff::steps(&old, &new) {
        result.extend(ours[op.old_range()].iter().copied().flatten());
        if !matches!(op, DiffOp::Equal { .. }) {
            result.extend(theirs[op.new_range()].iter().copied().flatten());
        }
    }
    result
}

/// Puts two lists of sections together; those with one heading become one.
fn sections<'p, 'a>(ours: &[&'p [Piece<'a>]], theirs: &[&'p [Piece<'a>]]) -> Vec<&'p Piece<'a>> {
    let mut others: BTreeMap<&Name, Vec<&'p [Piece<'a>]>> = BTreeMap::new();
    for section in theirs.iter().rev() {
        others.entry(&section[0].name).or_default().push(section);
    }
    let mut result = Vec::new();
    for section in ours {
        let other = others.get_mut(&section[0].name).and_then(Vec::pop);
        result.push(&section[0]);
        result.extend(by_section(&section[1..], other.map_or(&[], |other| &other[1..])));
    }
    for section in theirs {
        let left = others.get(&section[0].name);
        if left.is_some_and(|left| left.iter().any(|other| std::ptr::eq(*other, *section))) {
            result.extend(*section);
        }
    }
    result
}

/// Cuts pieces into blocks: a section with all below its heading, a fact, an item, a paragraph.
fn blocks<'p, 'a>(pieces: &'p [Piece<'a>]) -> Vec<&'p [Piece<'a>]> {
    let mut result = Vec::new();
    let mut start = 0;
    for at in 1..=pieces.len() {
        let ends = pieces.get(at).is_none_or(|next| {
            let level = level_of(&pieces[start]);
            if level < NO_HEADING {
                level_of(next) <= level
            } else {
                !continues(&pieces[at - 1], next)
            }
        });
        if ends {
            result.push(&pieces[start..at]);
            start = at;
        }
    }
    result
}

/// Tells whether a line goes on with what the one before it says.
fn continues(previous: &Piece<'_>, next: &Piece<'_>) -> bool {
    let is_item = |line: &str| {
        line.starts_with(['-', '*', '+']) || line.starts_with(|c: char| c.is_ascii_digit())
    };
    !previous.name.is_own()
        && !next.name.is_own()
        && previous.tail.is_empty()
        && level_of(next) == NO_HEADING
        && !is_item(next.text)
}

fn level_of(piece: &Piece<'_>) -> usize {
    let level = piece.text.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = !piece.name.is_own()
        && (1..NO_HEADING).contains(&level)
        && piece.text[level..].starts_with([' ', '\t', '\r', '\n']);
    if is_heading { level } else { NO_HEADING }
}

fn names<'p>(pieces: &'p [Piece<'_>]) -> Vec<&'p Name> {
    pieces.iter().map(|piece| &piece.name).collect()
}

/// A record, a summary, or all that somebody wrote by hand between two of them.
fn entries<'p, 'a>(pieces: &'p [Piece<'a>]) -> Vec<&'p [Piece<'a>]> {
    let is_single = |piece: &Piece<'_>| piece.name.is_own() || piece.time.is_some();
    pieces.chunk_by(|a, b| !is_single(a) && !is_single(b)).collect()
}

/// Merges two lists that are each in order of time; what has no time stays behind what precedes it.
fn by_time<'p, 'a>(ours: &'p [Piece<'a>], theirs: &'p [Piece<'a>]) -> Vec<&'p Piece<'a>> {
    let (mut ours, mut theirs) = (entries(ours), entries(theirs));
    without_repeated(&mut ours, &mut theirs);
    let mut result: Vec<&Piece<'_>> = Vec::new();
    let (mut x, mut y) = (ours.into_iter().peekable(), theirs.into_iter().peekable());
    while let (Some(a), Some(b)) = (x.peek(), y.peek()) {
        let (a, b) = (&a[0].time, &b[0].time);
        let first = a.is_none() || (b.is_some() && a <= b);
        let entry = if first { x.next() } else { y.next() };
        result.extend(entry.into_iter().flatten());
    }
    result.extend(x.flatten());
    result.extend(y.flatten());
    result
}

/// Takes out what the other side has too: all of it, or all of it and more behind it. A line that both
/// wrote into two different notes belongs to each of them.
fn without_repeated<'p, 'a>(ours: &mut Vec<&'p [Piece<'a>]>, theirs: &mut Vec<&'p [Piece<'a>]>) {
    let mut by_first: BTreeMap<&Name, Vec<usize>> = BTreeMap::new();
    for (index, entry) in ours.iter().enumerate().filter(|(_, entry)| !entry[0].name.is_own()) {
        by_first.entry(&entry[0].name).or_default().push(index);
    }
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    theirs.retain(|entry| {
        let Some(candidates) = by_first.get_mut(&entry[0].name) else { return true };
        let other = names(entry);
        let found = candidates.iter().position(|index| {
            let own = names(ours[*index]);
            own.starts_with(&other) || other.starts_with(&own)
        });
        let Some(index) = found.map(|at| candidates.remove(at)) else { return true };
        let stays = other.len() > ours[index].len();
        if stays {
            gone.insert(index);
        }
        stays
    });
    let mut index = 0;
    ours.retain(|_| {
        index += 1;
        !gone.contains(&(index - 1))
    });
}

#[cfg(test)]
mod tests {
    use crate::merge::{Elsewhere, FileKind, Sides, three_way};

    fn merged(kind: FileKind, base: &str, ours: &str, theirs: &str) -> String {
        let none = Elsewhere::default();
        let one = three_way(kind, Sides { base, ours, theirs }, &none).text;
        let swapped = Sides { base, ours: theirs, theirs: ours };
        assert_eq!(one, three_way(kind, swapped, &none).text, "the order of merging matters");
        one
    }

    #[test]
    fn what_both_wrote_by_hand_into_a_journal_stays_whole() {
        let base = "# MEMORY\n\nSeen:\n";
        let ours = "```sh\nmake\n```\n\n- [ ] deploy\n- done\n- [ ] tell\n- done\n";
        let theirs = "```sh\nmake test\n```\n\n- [ ] rotate\n- done\n";
        for kind in [FileKind::Journal, FileKind::Long] {
            let done = merged(kind, base, &format!("{base}{ours}"), &format!("{base}{theirs}"));
            assert_eq!(done, format!("{base}{ours}{theirs}"));
            let same = format!("{base}{ours}");
            assert_eq!(merged(kind, base, &same, &same), same);
            let more = format!("{same}- [ ] rest\n");
            assert_eq!(merged(kind, base, &same, &more), more, "the same and more");
        }
    }

    #[test]
    fn a_fence_that_never_closes_hides_no_record() {
        let record = |id: &str| {
            format!(
                "- {{\"id\":\"{id}\",\"sessionId\":\"s\",\"category\":\"note\",\"text\":\"t\",\"provenance\":{{\"sourceChannel\":\"c\",\"confidence\":1,\"timestamp\":\"2026-05-01T00:00:00.000Z\",\"sensitivity\":\"public\"}}}}\n"
            )
        };
        let base = "# M\n```\n";
        let (a, b) = (record("a"), record("b"));
        let done = merged(FileKind::Journal, base, &format!("{base}{a}{b}"), &format!("{base}{b}"));
        assert_eq!(done, format!("{base}{a}{b}"));
    }

    #[test]
    fn a_fence_below_a_state_line_is_one_piece() {
        let base = "# C\n\n## Project State\n\n- **phase:** one\n  ```\n  x\n\n  y\n  ```\n\n## Notes\n\n- old\n";
        let ours = base.replace("** one", "** two");
        let theirs = format!("{base}- new\n");
        let done = merged(FileKind::Continuity, base, &ours, &theirs);
        assert_eq!(done, format!("{ours}- new\n"));
    }

    #[test]
    fn a_new_section_keeps_its_lines_and_takes_none() {
        let base = "# C\n\n## Decisions\n\n- one\n\n## Threads\n\n- [ ] x\n";
        let with = |new: &str| base.replace("\n## Threads", &format!("\n{new}\n## Threads"));
        let api = "## Api\n\n> Must hold.\n\n- a\n  in short\n";
        let web = "## Web\n\n> Must hold.\n\n- w\n  in short\n";
        let done = merged(FileKind::Continuity, base, &with(api), &with(web));
        assert_eq!(done, with(&format!("{api}\n{web}")));
        // What the other side added to the section that is there stays in it.
        let two = base.replace("- one\n", "- one\n- two\n");
        let done = merged(FileKind::Continuity, base, &with(web), &two);
        assert_eq!(done, two.replace("\n## Threads", &format!("\n{web}\n## Threads")));
        // One heading that both added is one section.
        let more = "## Api\n\n> Must hold.\n\n- b\n  in short\n";
        let done = merged(FileKind::Continuity, base, &with(api), &with(more));
        assert_eq!(done, with(&format!("{api}\n- b\n  in short\n")));
    }
}
