//! What two statements say of the same thing, where no list knows the words: "alerts go to the pager" and
//! "alerts are sent by email".

use super::cues::SCOPES;
use super::evidence::{Evidence, Match, Said, became};
use super::statement::{Clause, Weight, Word};

/// Finds what both say with words of their own.
pub(super) fn said(
    old: &Clause,
    new: &Clause,
    pairs: &[(usize, usize, Match)],
    (own_old, own_new): (&[usize], &[usize]),
    evidence: &mut Evidence,
) {
    let is_paired = |at: usize, in_new: bool| {
        pairs.iter().any(|pair| if in_new { pair.1 == at } else { pair.0 == at })
    };
    let subjects = |clause: &Clause| -> Vec<usize> {
        let is_one = |at: &usize| {
            let word = &clause.words[*at];
            word.is_subject && word.weight == Weight::Full && !word.is_quantity
        };
        (0..clause.words.len()).filter(is_one).collect()
    };
    let (of_old, of_new) = (subjects(old), subjects(new));
    let said_of = |clause: &Clause, own: &[usize]| -> Vec<usize> {
        let is_said = |at: &usize| !clause.words[*at].is_subject && clause.verb != Some(*at);
        own.iter().copied().filter(is_said).collect()
    };
    let (from, to) = (said_of(old, own_old), said_of(new, own_new));
    let differs = |clause: &Clause, in_new: bool| {
        let end = clause.verb.unwrap_or(0);
        let is_own = |at: usize| {
            let word = &clause.words[at];
            let is_same = pairs
                .iter()
                .any(|pair| (if in_new { pair.1 } else { pair.0 }) == at && pair.2 == Match::Same);
            (word.weight != Weight::None || word.is_quantity) && !is_same
        };
        (0..end).any(is_own)
    };
    let (differs_old, differs_new) = (differs(old, false), differs(new, true));
    let is_turned =
        is_turned((old, own_old), (new, own_new)) || is_turned((new, own_new), (old, own_old));
    let in_both = || pairs.iter().map(|pair| &old.words[pair.0]);
    let shares = in_both().any(|word| word.weight == Weight::Full && !word.is_quantity);
    // Much can be said of somebody: "Ann likes tea" and "Ann wrote the parser" are two things.
    let is_about_a_name = in_both().any(|word| word.is_name);
    let is_same_verb = is_same_verb(old, new, pairs);
    let lacks_verb = old.verb.is_none() || new.verb.is_none();
    let has_subject =
        |clause: &Clause, own: &[usize]| own.iter().any(|at| clause.words[*at].is_subject);
    let are_other_subjects = has_subject(old, own_old) && has_subject(new, own_new)
        || (of_old.is_empty() && begins_with_own(old, &from, |at| is_paired(at, false)))
            && (of_new.is_empty() && begins_with_own(new, &to, |at| is_paired(at, true)));
    let says_another = !are_other_subjects && !from.is_empty() && !to.is_empty();
    let is_otherwise = shares && (is_turned || says_another);
    let (slots, others) = (slots(old, &from), slots(new, &to));
    let is_name = |clause: &Clause, places: &[usize]| {
        places.iter().any(|at| clause.words[*at].shown.starts_with(char::is_uppercase))
    };
    evidence.said = Said {
        is_otherwise,
        is_comparable: is_turned || is_same_verb || !is_about_a_name,
        is_same_subject: !of_old.is_empty()
            && of_old.iter().all(|at| is_paired(*at, false))
            && of_new.iter().all(|at| is_paired(*at, true)),
        are_other_subjects: differs_old && differs_new,
        is_part_of_subject: differs_old != differs_new,
        is_turned: shares && is_turned,
        is_same_verb,
        lacks_verb,
        is_same_slot: slots.iter().flatten().any(|slot| others.contains(&Some(slot))),
        has_no_slot: slots.contains(&None) && others.contains(&None),
        are_names: is_name(old, &from) && is_name(new, &to),
        is_single: from.len() == 1 && to.len() == 1,
        is_long: from.len() > 3 || to.len() > 3,
    };
    let (from, to) = if is_turned { (own_old.to_vec(), own_new.to_vec()) } else { (from, to) };
    if is_otherwise && evidence.reasons.is_empty() {
        let words = |clause: &Clause, places: &[usize]| {
            let words = places.iter().take(3).map(|at| clause.words[*at].shown.as_str());
            words.collect::<Vec<_>>().join(" ")
        };
        evidence.reasons.push(became(&words(old, &from), &words(new, &to)));
    }
}

/// Tells whether a word of its own comes before all that both have: "we host Orchid in Zurich" is about Orchid.
fn begins_with_own(clause: &Clause, own: &[usize], is_shared: impl Fn(usize) -> bool) -> bool {
    let is_telling = |at: &usize| {
        let word = &clause.words[*at];
        word.weight == Weight::Full && !word.is_quantity && clause.verb != Some(*at)
    };
    let shared = (0..clause.words.len()).filter(is_telling).find(|at| is_shared(*at));
    own.first().is_some_and(|first| shared.is_none_or(|shared| *first < shared))
}

/// Tells whether the first names who does it after "by", and the other before its verb.
fn is_turned((passive, own): (&Clause, &[usize]), (active, others): (&Clause, &[usize])) -> bool {
    let is_after_by = |at: &usize| {
        let from = at.saturating_sub(3);
        passive.words[from..*at].iter().any(|word| word.plain == "by")
    };
    own.iter().any(is_after_by)
        && active.verb.is_some()
        && others.iter().any(|at| active.words[*at].is_subject)
}

fn is_same_verb(old: &Clause, new: &Clause, pairs: &[(usize, usize, Match)]) -> bool {
    let (Some(from), Some(to)) = (old.verb, new.verb) else { return false };
    let plain = |word: &Word| match word.plain.as_str() {
        "are" | "was" | "were" | "be" | "been" => "is".to_owned(),
        "have" | "had" => "has".to_owned(),
        _ => word.stem.clone(),
    };
    plain(&old.words[from]) == plain(&new.words[to])
        || pairs.iter().any(|pair| pair.0 == from || pair.1 == to)
}

/// Returns the preposition that each of some words stands after; nothing for those right after the verb.
fn slots<'c>(clause: &'c Clause, places: &[usize]) -> Vec<Option<&'c str>> {
    let slot = |at: &usize| {
        let from = clause.verb.filter(|verb| verb < at).unwrap_or(0);
        let before = clause.words[from..*at].iter().rev();
        let here = before.take_while(|word| word.part == clause.words[*at].part);
        here.map(|word| word.plain.as_str()).find(|plain| SCOPES.contains(plain))
    };
    places.iter().map(slot).collect()
}
