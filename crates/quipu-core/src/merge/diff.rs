//! What two lists have in common, in order. Short lists are compared in full; of long ones that differ
//! much, what stands once in both decides, so that time stays in proportion to their length.

use std::collections::BTreeMap;
use std::hash::Hash;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lists are compared in full where the product of their lengths is no more than this.
const MOST_PAIRS: usize = 1_000_000;

/// What stands between two common elements is looked at so many times anew.
const DEEPEST: usize = 8;

/// Returns the steps that lead from one list to the other.
pub(super) fn steps<T: Eq + Hash + Ord>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let mut steps = Vec::new();
    between((old, 0), (new, 0), DEEPEST, &mut steps);
    steps
}

/// A part of a list, and where it begins.
type Part<'a, T> = (&'a [T], usize);

fn between<T: Eq + Hash + Ord>(
    (old, old_index): Part<'_, T>,
    (new, new_index): Part<'_, T>,
    depth: usize,
    steps: &mut Vec<DiffOp>,
) {
    if old.len().saturating_mul(new.len()) <= MOST_PAIRS {
        let inner = capture_diff_slices(Algorithm::Myers, old, new).into_iter();
        steps.extend(inner.map(|step| shifted(step, old_index, new_index)));
        return;
    }
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    if head > 0 {
        steps.push(equal(old_index, new_index, head));
    }
    let (old_index, new_index) = (old_index + head, new_index + head);
    match (old.len(), new.len()) {
        (0, 0) => {}
        (0, new_len) => steps.push(DiffOp::Insert { old_index, new_index, new_len }),
        (old_len, 0) => steps.push(DiffOp::Delete { old_index, old_len, new_index }),
        (old_len, new_len) => {
            let common = if depth == 0 { Vec::new() } else { common(old, new) };
            if common.is_empty() && old_len.saturating_mul(new_len) > MOST_PAIRS {
                steps.push(DiffOp::Replace { old_index, old_len, new_index, new_len });
            } else {
                let (mut a, mut b) = (0, 0);
                for (x, y) in common.into_iter().chain([(old_len, new_len)]) {
                    let parts = ((&old[a..x], old_index + a), (&new[b..y], new_index + b));
                    between(parts.0, parts.1, depth.saturating_sub(1), steps);
                    if x < old_len {
                        steps.push(equal(old_index + x, new_index + y, 1));
                    }
                    (a, b) = (x + 1, y + 1);
                }
            }
        }
    }
    if tail > 0 {
        steps.push(equal(old_index + old.len(), new_index + new.len(), tail));
    }
}

fn shifted(step: DiffOp, old: usize, new: usize) -> DiffOp {
    match step {
        DiffOp::Equal { old_index, new_index, len } => {
            DiffOp::Equal { old_index: old_index + old, new_index: new_index + new, len }
        }
        DiffOp::Delete { old_index, old_len, new_index } => {
            DiffOp::Delete { old_index: old_index + old, old_len, new_index: new_index + new }
        }
        DiffOp::Insert { old_index, new_index, new_len } => {
            DiffOp::Insert { old_index: old_index + old, new_index: new_index + new, new_len }
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => DiffOp::Replace {
            old_index: old_index + old,
            old_len,
            new_index: new_index + new,
            new_len,
        },
    }
}

/// Returns the places of elements that each list has once, as many as stand in the same order.
fn common<T: Ord>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let once = |list: &'_ [T]| -> Vec<usize> {
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by(|a, b| list[*a].cmp(&list[*b]));
        let groups = order.chunk_by(|a, b| list[*a] == list[*b]);
        groups.filter(|group| group.len() == 1).map(|group| group[0]).collect()
    };
    let others: BTreeMap<&T, usize> = once(new).into_iter().map(|at| (&new[at], at)).collect();
    let mut pairs: Vec<(usize, usize)> =
        once(old).into_iter().filter_map(|at| Some((at, *others.get(&old[at])?))).collect();
    pairs.sort_unstable();
    longest_rising(&pairs)
}

/// Returns the longest run of pairs, in order of the first number, whose second numbers rise.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends such a run with the smallest number, and each one's predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *second);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut run: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |at| before[*at]).map(|at| pairs[at]).collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carries the steps out; each must fit to the one before.
    fn carried_out(old: &[u32], new: &[u32]) -> usize {
        let (mut at, mut made, mut kept) = (0, Vec::new(), 0);
        for step in steps(old, new) {
            assert_eq!(step.old_range().start, at);
            assert_eq!(step.new_range().start, made.len());
            if matches!(step, DiffOp::Equal { .. }) {
                assert_eq!(old[step.old_range()], new[step.new_range()]);
                kept += step.old_range().len();
            }
            made.extend_from_slice(&new[step.new_range()]);
            at = step.old_range().end;
        }
        assert_eq!((at, made.as_slice()), (old.len(), new));
        kept
    }

    #[test]
    fn long_lists_keep_what_they_share() {
        let old: Vec<u32> = (0..3000).collect();
        // Every second one is another, and one has moved.
        let mut new: Vec<u32> =
            old.iter().map(|n| if n % 2 == 0 { *n } else { n + 10_000 }).collect();
        new.swap(100, 2900);
        assert_eq!(carried_out(&old, &new), 1498);
        let other: Vec<u32> = (5000..8000).collect();
        assert_eq!(carried_out(&old, &other), 0);
        let same = vec![1; 3000];
        assert_eq!(carried_out(&same, &vec![1; 2500]), 2500);
        let turned: Vec<u32> = old.iter().rev().copied().collect();
        assert_eq!(carried_out(&old, &turned), 1);
    }

    #[test]
    fn short_lists_are_compared_in_full() {
        assert_eq!(carried_out(&[1, 2, 3, 2, 1], &[2, 1, 2, 1, 3]), 3);
        assert_eq!(carried_out(&[], &[]), 0);
        assert_eq!(carried_out(&[1], &[]), 0);
    }
}
