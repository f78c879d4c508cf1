//! Which proposals cannot hold beside a fact, or beside each other.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Kind;
use super::super::gist::Gist;
use super::{Action, Candidate, MOST_COMPARED, Planner, SURE, Step, unpointed};
use crate::contradict;

/// What denies something says it of the same only where so much of both is the same, in percent.
const SAME_DENIED: usize = 50;

/// Another number is another value only where so much of both is the same, in percent.
const SAME_COUNTED: usize = 60;

/// How reasons begin that hold only where most of both is the same: a denial, and wording that replaces.
const WEAK_REASONS: [&str; 2] = ["one says `", "it says \""];

fn is_weak(reason: &str) -> bool {
    WEAK_REASONS.iter().any(|beginning| reason.starts_with(beginning))
}

impl Planner<'_, '_> {
    pub(super) fn find_conflicts(&mut self) {
        let is_stated = |step: &&mut Step| {
            matches!(step.action, Action::Add | Action::Replace | Action::Restore)
                && step.proposal.kind != Kind::Plan
        };
        // Two sentences of one place are meant to hold beside each other.
        let beside: BTreeSet<(String, String)> = (self.old.all.iter())
            .filter(|old| self.marks.contains(&(old.path().to_owned(), old.mark.clone())))
            .map(|old| (old.id.clone(), old.source.clone()))
            .collect();
        let mut stated: Vec<&mut Step> = self.plan.steps.iter_mut().filter(is_stated).collect();
        let texts: Vec<&str> = stated.iter().map(|step| step.proposal.text.as_str()).collect();
        let all = contradict::candidates_of_each(&self.memory.continuity, &texts);
        let gists: Vec<Gist> = stated.iter().map(|step| Gist::of(&step.proposal.text)).collect();
        let mut known: BTreeMap<String, (String, Gist)> = BTreeMap::new();
        for ((step, candidates), gist) in stated.iter_mut().zip(all).zip(&gists) {
            let is_beside =
                |id: &str| beside.contains(&(id.to_owned(), step.proposal.source.clone()));
            let candidates = candidates
                .into_iter()
                .filter(|one| !step.supersedes.contains(&one.id) && !is_beside(&one.id));
            let found = candidates.filter_map(|one| {
                let (words, old) = known.entry(one.id.clone()).or_insert_with(|| {
                    let words = unpointed(&one.text);
                    let gist = Gist::of(&words);
                    (words, gist)
                });
                conflicting(one, (words, old), (&step.proposal.text, gist))
            });
            let found = found.collect();
            step.conflicts = found;
        }
        for newer in 1..stated.len().min(MOST_COMPARED) {
            for older in 0..newer {
                let (old, new) = (&stated[older].proposal, &stated[newer].proposal);
                if old.source == new.source && !new.is_record {
                    continue;
                }
                let reason = reason((&old.text, &gists[older]), (&new.text, &gists[newer]));
                let Some(reason) = reason else { continue };
                let candidate = Candidate {
                    id: stated[older].id.clone(),
                    text: old.text.clone(),
                    is_core: false,
                    score: SURE,
                    reasons: vec![reason],
                };
                stated[newer].conflicts.push(candidate);
            }
        }
    }
}

/// Returns a candidate that a proposal contradicts, with the reasons.
fn conflicting(
    mut candidate: Candidate,
    (words, old): (&str, &Gist),
    (text, new): (&str, &Gist),
) -> Option<Candidate> {
    if let Some(reason) = reason((words, old), (text, new)) {
        if !candidate.reasons.contains(&reason) {
            candidate.reasons.retain(|known| !known.starts_with("they say nearly"));
            candidate.reasons.push(reason);
        }
        return Some(candidate);
    }
    let repeats = candidate.reasons.iter().any(|reason| reason.starts_with("they say nearly"));
    let speaks = candidate.score >= SURE && candidate.reasons.len() > 1;
    let is_denial = candidate.reasons.iter().skip(1).all(|reason| is_weak(reason));
    let is_conflict = speaks && !repeats && !can_both_hold(words, old, text, new);
    (is_conflict && (!is_denial || old.likeness(new) >= SAME_DENIED)).then_some(candidate)
}

/// Returns why two texts cannot both hold.
fn reason((old, old_gist): (&str, &Gist), (new, new_gist): (&str, &Gist)) -> Option<String> {
    if can_both_hold(old, old_gist, new, new_gist) {
        return None;
    }
    if old_gist.is_reverse(new_gist) {
        return Some("it turns around what the other says".to_owned());
    }
    let likeness = old_gist.likeness(new_gist);
    let found = old_gist.conflict(new_gist);
    let found = found.filter(|reason| !is_weak(reason) || likeness >= SAME_DENIED);
    let counted = || old_gist.other_number(new_gist).filter(|_| likeness >= SAME_COUNTED);
    found.or_else(|| counted().map(|(from, to)| format!("{from} became {to}")))
}

/// Tells whether two texts only look like a contradiction: two things that nobody plans, or the same
/// preference in other words.
fn can_both_hold(old: &str, old_gist: &Gist, new: &str, new_gist: &Gist) -> bool {
    let is_non_goal =
        |text: &str| text.starts_with("Not planned:") || text.starts_with("Not a goal of ");
    (is_non_goal(old) && is_non_goal(new)) || old_gist.prefers_as(new_gist)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(old: &str, new: &str) -> Option<String> {
        reason((old, &Gist::of(old)), (new, &Gist::of(new)))
    }

    #[test]
    fn only_another_value_of_the_same_is_a_contradiction() {
        for (old, new) in [
            ("Not planned: A Windows client", "Not planned: A native Linux client"),
            ("A change needs two approvals before the merge.", "Never merge your own change."),
            (
                "The public API is GraphQL, not REST",
                "Use GraphQL instead of REST for the public API.",
            ),
            (
                "We chose GraphQL rather than REST for the public API",
                "Use GraphQL instead of REST for the public API.",
            ),
            ("Orders live in PostgreSQL", "Invoices live in PostgreSQL."),
        ] {
            assert_eq!(why(old, new), None, "{old} | {new}");
        }
        for (old, new) in [
            ("Prefer tabs over spaces", "Prefer spaces over tabs."),
            (
                "Use REST instead of GraphQL for the public API",
                "Use GraphQL instead of REST for the public API.",
            ),
            ("Forecasts are kept for five years", "Forecasts are kept for seven years."),
            ("A change needs two approvals", "A change needs three approvals."),
            ("Squash commits before merge", "Do not squash commits before merge."),
            (
                "Writes go to the primary and reads go to replicas",
                "Reads go to the primary and writes go to replicas.",
            ),
        ] {
            assert!(why(old, new).is_some(), "{old} | {new}");
        }
    }
}
