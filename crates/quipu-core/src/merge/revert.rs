//! Taking an older edit of a file back while later edits stay.

use std::ops::Range;

use similar::DiffOp;

use super::diff::steps;

/// Returns `now` without the edit that once turned `old` into `new`; nothing where a later edit
/// touched the same lines or the lines beside them.
pub fn without_edit(old: &str, new: &str, now: &str) -> Option<String> {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let (old, new, now) = (lines(old), lines(new), lines(now));
    let place = kept_lines(&new, &now);
    let mut edits: Vec<(Range<usize>, &[String])> = Vec::new();
    for operation in steps(&new, &old) {
        if matches!(operation, DiffOp::Equal { .. }) {
            continue;
        }
        let (_, of_new, of_old) = operation.as_tag_tuple();
        edits.push((place_of(&of_new, &place, new.len(), now.len())?, &old[of_old]));
    }
    let mut result = String::new();
    let mut at = 0;
    for (range, text) in edits {
        now.get(at..range.start)?.iter().chain(text).for_each(|line| result.push_str(line));
        at = range.end;
    }
    now[at..].iter().for_each(|line| result.push_str(line));
    Some(result)
}

/// Returns where each line of `new` is in `now`, where it was kept.
fn kept_lines(new: &[String], now: &[String]) -> Vec<Option<usize>> {
    let mut place = vec![None; new.len()];
    for operation in steps(new, now) {
        if let DiffOp::Equal { old_index, new_index, len } = operation {
            for step in 0..len {
                place[old_index + step] = Some(new_index + step);
            }
        }
    }
    place
}

/// Returns where lines of `new` are in `now`: they and the lines beside them are there, side by side.
fn place_of(
    lines: &Range<usize>,
    place: &[Option<usize>],
    before: usize,
    after: usize,
) -> Option<Range<usize>> {
    let start = match lines.start.checked_sub(1) {
        Some(line) => place[line]? + 1,
        None => 0,
    };
    let end = if lines.end < before { place[lines.end]? } else { after };
    let is_there = lines.clone().enumerate().all(|(step, line)| place[line] == Some(start + step));
    (is_there && end == start + lines.len()).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_goes_and_later_ones_stay() {
        let (old, new) = ("a\nb\nc\nd\n", "a\nb\nX\nc\nd\n");
        assert_eq!(without_edit(old, new, new).as_deref(), Some(old));
        assert_eq!(
            without_edit(old, new, "first\na\nb\nX\nc\nd\nlast\n").as_deref(),
            Some("first\na\nb\nc\nd\nlast\n")
        );
        assert_eq!(without_edit("", "a\n", "a\n").as_deref(), Some(""));
    }

    #[test]
    fn an_edit_that_a_later_one_touched_stays() {
        let (old, new) = ("a\nb\nc\n", "a\nB\nc\n");
        for now in ["a\nBB\nc\n", "a\nc\n", "a\nB\nnew\nc\n", "x\nB\nc\n", ""] {
            assert_eq!(without_edit(old, new, now), None, "{now:?}");
        }
    }

    #[test]
    fn the_ends_of_lines_are_kept() {
        assert_eq!(without_edit("a\r\nb", "a\r\nx\r\nb", "a\r\nx\r\nb").as_deref(), Some("a\r\nb"));
    }
}
