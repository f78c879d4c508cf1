//! Facts that two branches wrote, each by itself, and that cannot hold beside each other.

use std::collections::BTreeSet;

use super::{Question, Sides};
use crate::contradict::{Statement, relate};
use crate::doc::{Document, Form};

/// More facts of one branch are not compared: a merge must stay quick.
const MOST_COMPARED: usize = 200;

/// Asks about each fact of one branch that contradicts a fact of the other, where both stand in the result.
pub(super) fn ask(merged: &str, sides: Sides<'_>, questions: &mut BTreeSet<Question>) {
    let (ours, theirs) = (written(sides.ours, sides.base), written(sides.theirs, sides.base));
    if ours.is_empty() || theirs.is_empty() {
        return;
    }
    let merged = Document::parse(merged);
    let stands = |id: &str| merged.fact(id).is_some_and(|fact| !fact.footer.is_superseded());
    for (id, one) in &ours {
        for (other_id, other) in &theirs {
            let are_two = id != other_id && stands(id) && stands(other_id);
            if are_two && relate(one, other).disagrees() {
                questions.insert(Question {
                    about: id.clone(),
                    text: format!(
                        "Contradiction: one branch wrote `{id}`, the other `{other_id}`; which holds? Supersede the other"
                    ),
                });
            }
        }
    }
}

/// Returns the facts that a branch added or said anew, by id.
fn written(side: &str, base: &str) -> Vec<(String, Statement)> {
    let (side, base) = (Document::parse(side), Document::parse(base));
    let facts = side.distinct_facts().into_iter().filter(|fact| {
        !fact.is_thread() && fact.form != Form::Quoted && !fact.footer.is_superseded()
    });
    let said = facts.filter_map(|fact| {
        let words = side.words(fact);
        let before = base.fact(fact.id()).map(|old| base.words(old));
        (before.as_ref() != Some(&words)).then(|| (fact.id().to_owned(), Statement::of(&words)))
    });
    said.take(MOST_COMPARED).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Elsewhere, FileKind, three_way};
    use super::*;

    fn merged(ours: &str, theirs: &str) -> (String, usize) {
        let base = "# Continuity\n\n## Key Decisions\n\n## Open Threads\n";
        let with = |id: &str, words: &str| {
            let fact = format!(
                "- {words}\n  <!-- id: {id} | created: 2026-05-04 | tier: working -->\n\n## Open"
            );
            base.replace("## Open", &fact)
        };
        let (ours, theirs) = (with("one", ours), with("two", theirs));
        let sides = Sides { base, ours: &ours, theirs: &theirs };
        let done = three_way(FileKind::Continuity, sides, &Elsewhere::default());
        (done.text, done.questions.len())
    }

    #[test]
    fn opposite_facts_of_two_branches_become_a_thread() {
        let retry = "Failed webhooks are retried 5 times";
        let (text, questions) = merged(retry, "Failed webhooks are never retried");
        assert_eq!(questions, 1);
        assert!(text.contains("- [ ] Contradiction: one branch wrote `"), "{text}");
        assert_eq!(merged(retry, "Images are served as WebP").1, 0);
    }
}
