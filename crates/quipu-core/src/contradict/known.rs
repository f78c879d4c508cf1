//! The facts that a text is compared with, by their words.

use std::collections::{BTreeMap, BTreeSet};

use super::{CLOSE_SUBJECT, Candidate, Rarity, SAME_SUBJECT, SAME_TEXT, Words, signs};
use crate::doc::{Document, Fact, Form};

/// The live facts of a document as the rules see them.
pub(super) struct Known<'d, 'a> {
    document: &'d Document<'a>,
    pub(super) facts: Vec<(&'d Fact, Words)>,
    rarity: Rarity,
    /// The facts that have a stem.
    with: BTreeMap<String, Vec<usize>>,
    /// What the stems of each fact weigh.
    weights: Vec<f64>,
    ids: BTreeMap<&'d str, usize>,
    /// How long ids are.
    lengths: BTreeSet<usize>,
}

impl<'d, 'a> Known<'d, 'a> {
    pub(super) fn of(document: &'d Document<'a>) -> Self {
        let facts: Vec<(&Fact, Words)> = document
            .distinct_facts()
            .into_iter()
            .filter(|fact| !fact.footer.is_superseded())
            .filter(|fact| !matches!(fact.form, Form::Quoted | Form::DoneThread))
            .map(|fact| (fact, Words::of(&document.words(fact))))
            .collect();
        let rarity = Rarity::of(facts.iter().map(|(_, words)| words));
        let weights = facts.iter().map(|(_, words)| rarity.sum(words.subject.keys())).collect();
        let mut with: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, (_, words)) in facts.iter().enumerate() {
            for stem in words.subject.keys() {
                with.entry(stem.clone()).or_default().push(at);
            }
        }
        let ids: BTreeMap<&str, usize> =
            facts.iter().enumerate().map(|(at, (fact, _))| (fact.id(), at)).collect();
        let lengths = ids.keys().map(|id| id.len()).collect();
        Self { document, facts, rarity, with, weights, ids, lengths }
    }

    pub(super) fn candidates(&self, text: &str) -> Vec<Candidate> {
        let new = Words::of(text);
        let mut found: Vec<Candidate> = (self.near(text, &new).into_iter())
            .filter_map(|at| {
                let (fact, words) = &self.facts[at];
                self.compare(text, &new, fact, words)
            })
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        found
    }

    /// Returns the facts that a text may be about: it shares enough of their words, or names them.
    fn near(&self, text: &str, new: &Words) -> BTreeSet<usize> {
        let mut shared = vec![0.0; self.facts.len()];
        let mut touched = Vec::new();
        for stem in new.subject.keys() {
            let weight = self.rarity.of_word(stem);
            for at in self.with.get(stem).into_iter().flatten() {
                if shared[*at] == 0.0 {
                    touched.push(*at);
                }
                shared[*at] += weight;
            }
        }
        let own = self.rarity.sum(new.subject.keys());
        // Sums in another order differ in their last digits.
        let is_near =
            |at: &usize| shared[*at] >= (SAME_SUBJECT - 0.001) * own.min(self.weights[*at]);
        let mut near: BTreeSet<usize> = touched.into_iter().filter(is_near).collect();
        near.extend(self.named(text));
        near
    }

    /// Returns the facts whose ids stand in a text.
    fn named(&self, text: &str) -> Vec<usize> {
        if text.len() * self.lengths.len() > self.ids.len() {
            let named = self.ids.iter().filter(|(id, _)| text.contains(**id));
            return named.map(|(_, at)| *at).collect();
        }
        let pieces = self.lengths.iter().flat_map(|length| {
            (0..text.len()).filter_map(move |from| text.get(from..from + length))
        });
        pieces.filter_map(|piece| self.ids.get(piece).copied()).collect()
    }

    fn compare(&self, text: &str, new: &Words, fact: &Fact, words: &Words) -> Option<Candidate> {
        let names_id = text.contains(fact.id());
        let overlap = self.rarity.overlap(new, words);
        if overlap < SAME_SUBJECT && !names_id {
            return None;
        }
        let mut reasons = signs(new, words);
        if names_id {
            reasons.push(format!("it names `{}`", fact.id()));
        }
        let conflict = reasons.len();
        if conflict == 0 && overlap < CLOSE_SUBJECT {
            return None;
        }
        let shared = self.rarity.rarest_shared(new, words);
        reasons.insert(0, format!("both are about {}", shared.join(", ")));
        if overlap >= SAME_TEXT && conflict == 0 {
            reasons.push("they say nearly the same".to_owned());
        }
        #[expect(clippy::cast_precision_loss, reason = "a handful of signs")]
        let strength = (conflict as f64).min(3.0) / 3.0;
        Some(Candidate {
            id: fact.id().to_owned(),
            text: self.document.words(fact),
            is_core: fact.footer.is_core() || self.document.is_invariant(fact),
            score: (0.6 * overlap.min(1.0) + 0.4 * strength).min(1.0),
            reasons,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fact_that_a_comparison_with_each_finds_is_missed() {
        const WORDS: &[&str] = &[
            "orders",
            "reports",
            "stored",
            "Postgres",
            "Redis",
            "retries",
            "webhooks",
            "never",
            "three",
            "7",
            "12",
            "gateway",
            "billing",
            "queue",
            "no longer",
            "port",
            "fact-11",
        ];
        let mut state = 7_u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            usize::try_from(state >> 33).unwrap() % end
        };
        let mut text = |longest: usize| {
            let many = 1 + below(longest);
            (0..many).map(|_| WORDS[below(WORDS.len())]).collect::<Vec<_>>().join(" ")
        };
        let fact =
            |number: usize| format!("- {}\n  <!-- id: fact-{number} | tier: active -->\n", text(9));
        let facts: Vec<String> = (0..900).map(fact).collect();
        let source = format!("## Key Decisions\n\n{}", facts.concat());
        let document = Document::parse(&source);
        let known = Known::of(&document);
        let (mut found, mut named) = (0, 0);
        for _ in 0..60 {
            let text = text(9);
            let new = Words::of(&text);
            let compare = |(fact, words): &(&Fact, Words)| known.compare(&text, &new, fact, words);
            let mut all: Vec<Candidate> = known.facts.iter().filter_map(compare).collect();
            all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
            assert_eq!(known.candidates(&text), all, "{text}");
            found += all.len();
            named += all.iter().filter(|one| one.id == "fact-11").count();
        }
        assert!(found > 500 && named > 3, "{found} {named}");
    }
}
