//! Facts that cannot leave without others: those nested in them, and a footer below without words.

use std::collections::{BTreeMap, BTreeSet};

use crate::archive::Reason;
use crate::doc::{Document, Fact};
use crate::memory::BARE_FOOTER_BELOW;

/// The facts that one cannot leave without.
struct Ties<'m> {
    nested: Vec<&'m str>,
    /// The footer below it that has no words of its own.
    below: Option<&'m str>,
}

impl<'m> Ties<'m> {
    fn of(document: &'m Document<'_>, fact: &Fact) -> Self {
        let nested = document.nested_in(fact).into_iter().map(Fact::id).collect();
        Self { nested, below: document.bare_footer_below(fact).map(Fact::id) }
    }

    fn ids(&self) -> impl Iterator<Item = &'m str> {
        self.nested.iter().copied().chain(self.below)
    }

    /// Returns why the fact cannot leave while others than those `going` stay.
    fn to_others_than(&self, going: &BTreeSet<&str>) -> Option<String> {
        let nested: Vec<&str> =
            self.nested.iter().copied().filter(|id| !going.contains(id)).collect();
        if !nested.is_empty() {
            return Some(format!("live facts are nested in it: {}", nested.join(", ")));
        }
        let below = self.below.filter(|id| !going.contains(id));
        below.map(|_| format!("it stands {BARE_FOOTER_BELOW}"))
    }
}

/// Takes out the candidates that cannot leave while others stay; returns when and why for each. What is
/// held may hold others, until nothing changes any more.
pub(super) fn hold_tied<'m>(
    document: &'m Document<'_>,
    candidates: &mut Vec<(&'m Fact, Reason, String)>,
) -> BTreeMap<&'m str, (usize, String)> {
    let ties: Vec<Ties<'m>> =
        candidates.iter().map(|(fact, ..)| Ties::of(document, fact)).collect();
    let mut holders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, ties) in ties.iter().enumerate() {
        ties.ids().for_each(|id| holders.entry(id).or_default().push(number));
    }
    let mut going: BTreeSet<&str> = candidates.iter().map(|(fact, ..)| fact.id()).collect();
    let mut held: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut round: BTreeSet<usize> = (0..candidates.len()).collect();
    while !round.is_empty() {
        let mut now: Vec<&str> = Vec::new();
        for number in round {
            let id = candidates[number].0.id();
            if going.contains(id)
                && let Some(why) = ties[number].to_others_than(&going)
            {
                held.insert(id, (held.len(), why));
                now.push(id);
            }
        }
        for id in &now {
            going.remove(id);
        }
        // Only those that are tied to what was held can be next.
        round = now.iter().filter_map(|id| holders.get(id)).flatten().copied().collect();
    }
    candidates.retain(|(fact, ..)| going.contains(fact.id()));
    held
}
