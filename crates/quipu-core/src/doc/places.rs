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

    /// Returns the facts whose blocks begin in a span, in file order.
    pub(super) fn beginning_in(&self, facts: &[Fact], span: &Range<usize>) -> Vec<usize> {
        let before = |end: usize| self.by_start.partition_point(|at| facts[*at].block.start < end);
        let mut inside = self.by_start[before(span.start)..before(span.end)].to_vec();
        inside.sort_unstable();
        inside
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

#[cfg(test)]
mod tests {
    use crate::doc::{Document, Fact};

    /// Facts in each other, twice, in one line, without words, and below each other.
    const ODD: &str = "# C\n\n## A\n- a\n  - b\n    <!-- id: b-b | uses: 1 -->\n  - c\n    - d <!-- id: d-d | uses: 1 --> <!-- id: e-e | uses: 1 -->\n    <!-- id: c-c | uses: 1 -->\n  <!-- id: a-a | uses: 1 -->\n<!-- id: f-f | uses: 1 -->\n\n<!-- id: b-b | uses: 2 -->\n\nText\n`<!-- id: q-q | uses: 1 -->`\n<!-- id: g-g | uses: 1 -->\n";

    fn ids(facts: &[&Fact]) -> Vec<(String, usize)> {
        facts.iter().map(|fact| (fact.id().to_owned(), fact.line)).collect()
    }

    #[test]
    fn looking_up_finds_what_looking_at_all_finds() {
        let document = Document::parse(ODD);
        assert!(document.facts.len() > 8);
        for fact in &document.facts {
            let all: Vec<&Fact> = document.facts.iter().filter(|f| f.id() == fact.id()).collect();
            assert_eq!(document.copies(fact.id()), all.len());
            assert_eq!(document.fact(fact.id()), all.last().copied());
            let held: Vec<&Fact> = document.facts.iter().filter(|f| fact.holds(f)).collect();
            assert_eq!(ids(&document.held_by(fact)), ids(&held), "{}", fact.id());
            let below = document.facts.iter().find(|f| f.block.start == fact.block.end);
            let below = below.filter(|below| document.words(below).is_empty());
            assert_eq!(document.bare_footer_below(fact), below, "{}", fact.id());
            let inside = document.facts.iter().filter(|f| fact.block.contains(&f.block.start));
            assert_eq!(ids(&document.facts_in(&fact.block)), ids(&inside.collect::<Vec<_>>()));
        }
        for at in 0..ODD.len() {
            let is_inside = document.facts.iter().any(|fact| fact.block.contains(&at));
            assert_eq!(document.is_in_fact(at), is_inside, "byte {at}");
        }
        assert_eq!(document.fact("no-such"), None);
    }

    #[test]
    fn a_crowd_of_footers_in_a_line_does_not_repeat_it_for_each() {
        let footer = |number: usize| format!("<!-- id: side-{number} | uses: 1 --> ");
        let footers: String = (0..2000).map(footer).collect();
        let source = format!("- Words {footers}\n");
        let document = Document::parse(&source);
        assert_eq!(document.facts.len(), 2000);
        let words: usize = document.facts.iter().map(|fact| document.words(fact).len()).sum();
        assert!(words < 20 * source.len(), "{words} bytes of words in {}", source.len());
    }
}
