//! Facts by id and by place, so that finding one does not mean looking at all of them.

use std::cmp::Reverse;
use std::ops::Range;

use super::Fact;

/// The numbers of a document's facts in several orders.
#[derive(Debug)]
pub(super) struct Places {
    /// By id, those of one id in file order.
    by_id: Vec<usize>,
    /// By where the block begins, the longest first.
    by_block: Vec<usize>,
    /// By where the block begins, in file order.
    by_start: Vec<usize>,
    /// For each of `by_block`: where the last block ends that begins there or before.
    reach: Vec<usize>,
}

impl Places {
    pub(super) fn of(facts: &[Fact]) -> Self {
        let ordered = |compare: &dyn Fn(usize, usize) -> std::cmp::Ordering| {
            let mut order: Vec<usize> = (0..facts.len()).collect();
            // A stable sort: where nothing else decides, the order of the file does.
            order.sort_by(|a, b| compare(*a, *b));
            order
        };
        let block = |at: usize| (facts[at].block.start, Reverse(facts[at].block.end));
        let by_block = ordered(&|a, b| block(a).cmp(&block(b)));
        let reach = by_block.iter().scan(0, |last, at| {
            *last = facts[*at].block.end.max(*last);
            Some(*last)
        });
        Self {
            by_id: ordered(&|a, b| facts[a].id().cmp(facts[b].id())),
            by_start: ordered(&|a, b| facts[a].block.start.cmp(&facts[b].block.start)),
            reach: reach.collect(),
            by_block,
        }
    }

    /// Returns the facts of an id, in file order.
    pub(super) fn with_id(&self, facts: &[Fact], id: &str) -> &[usize] {
        let start = self.by_id.partition_point(|at| facts[*at].id() < id);
        let count = self.by_id[start..].partition_point(|at| facts[*at].id() == id);
        &self.by_id[start..start + count]
    }

    /// Returns the first fact whose block begins at a byte.
    pub(super) fn beginning_at(&self, facts: &[Fact], start: usize) -> Option<usize> {
        let place = self.by_start.partition_point(|at| facts[*at].block.start < start);
        self.by_start.get(place).copied().filter(|at| facts[*at].block.start == start)
    }

    /// Returns the facts whose blocks lie inside a block and are not the same, in file order.
    pub(super) fn inside(&self, facts: &[Fact], block: &Range<usize>) -> Vec<usize> {
        let own = (block.start, Reverse(block.end));
        let begins = |at: &usize| (facts[*at].block.start, Reverse(facts[*at].block.end)) <= own;
        let from = self.by_block.partition_point(begins);
        let mut inside: Vec<usize> = self.by_block[from..]
            .iter()
            .copied()
            .take_while(|at| facts[*at].block.start < block.end)
            .filter(|at| facts[*at].block.end <= block.end)
            .collect();
        inside.sort_unstable();
        inside
    }

    /// Returns how many facts have exactly this block.
    pub(super) fn sharing(&self, facts: &[Fact], block: &Range<usize>) -> usize {
        let own = (block.start, Reverse(block.end));
        let key = |at: &usize| (facts[*at].block.start, Reverse(facts[*at].block.end));
        let from = self.by_block.partition_point(|at| key(at) < own);
        self.by_block[from..].partition_point(|at| key(at) == own)
    }

    /// Tells whether a byte lies in the block of a fact.
    pub(super) fn covers(&self, facts: &[Fact], byte: usize) -> bool {
        let begun = self.by_block.partition_point(|at| facts[*at].block.start <= byte);
        begun.checked_sub(1).is_some_and(|last| self.reach[last] > byte)
    }
}
