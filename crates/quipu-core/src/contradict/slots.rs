//! What two statements say of the same thing in the same place: another name, another place, another path.

use super::evidence::{Evidence, Match, became};
use super::statement::{Clause, Weight, Word};

/// Finds "our X is A" beside "B is our X", and "X is in A" beside "X is in B".
pub(super) fn complements(
    old: &Clause,
    new: &Clause,
    pairs: &[(usize, usize, Match)],
    evidence: &mut Evidence,
) {
    if let Some((from, to)) = other_actor(&old.words, &new.words) {
        evidence.other_complements += 1;
        evidence.reasons.push(became(from, to));
        return;
    }
    let (Some(from), Some(to)) = (Equation::of(&old.words), Equation::of(&new.words)) else {
        return;
    };
    for (one, value) in [(&from.left, &from.right), (&from.right, &from.left)] {
        for (other, instead) in [(&to.left, &to.right), (&to.right, &to.left)] {
            let full = |words: &[Word], range: &std::ops::Range<usize>| -> Vec<usize> {
                range
                    .clone()
                    .filter(|at| words[*at].weight == Weight::Full && !words[*at].is_quantity)
                    .collect()
            };
            let (a, b) = (full(&old.words, one), full(&new.words, other));
            let (x, y) = (full(&old.words, value), full(&new.words, instead));
            let is_pair =
                |at: usize, other: usize| pairs.iter().any(|pair| (pair.0, pair.1) == (at, other));
            let are_same = !a.is_empty()
                && !b.is_empty()
                && a.iter().all(|at| b.iter().any(|other| is_pair(*at, *other)))
                && b.iter()
                    .filter(|other| !a.iter().any(|at| is_pair(*at, **other)))
                    .all(|other| new.words[*other].is_scope);
            let are_others = (1..=4).contains(&x.len())
                && (1..=4).contains(&y.len())
                && !x.iter().any(|at| pairs.iter().any(|pair| pair.0 == *at))
                && !y.iter().any(|at| pairs.iter().any(|pair| pair.1 == *at));
            let place = |words: &[Word], range: &std::ops::Range<usize>| {
                range.clone().any(|at| PLACES.contains(&words[at].plain.as_str()))
            };
            let name = |words: &[Word], places: &[usize]| {
                places.iter().any(|at| words[*at].is_name || (*at == 0 && words.len() > 1))
            };
            let are_of_one_sort = place(&old.words, value) && place(&new.words, instead)
                || name(&old.words, &x) && name(&new.words, &y);
            if are_same && are_others && are_of_one_sort {
                evidence.other_complements += 1;
                evidence.reasons.push(became(&phrase(&old.words, &x), &phrase(&new.words, &y)));
                return;
            }
        }
    }
}

/// Returns the first words of two sentences that are the same otherwise, and say who alone does it.
fn other_actor<'w>(old: &'w [Word], new: &'w [Word]) -> Option<(&'w str, &'w str)> {
    let ((from, old), (to, new)) = (old.split_first()?, new.split_first()?);
    let is_same = old.iter().map(|word| &word.plain).eq(new.iter().map(|word| &word.plain));
    let is_of_one = old.first().is_some_and(|verb| ALONE.contains(&verb.plain.as_str()));
    let are_names =
        |word: &Word| word.shown.starts_with(char::is_uppercase) && word.weight == Weight::Full;
    (is_same && is_of_one && are_names(from) && are_names(to) && from.plain != to.plain)
        .then_some((from.shown.as_str(), to.shown.as_str()))
}

/// What one does alone.
const ALONE: &[&str] = &[
    "owns",
    "leads",
    "maintains",
    "manages",
    "runs",
    "hosts",
    "handles",
    "heads",
    "approves",
    "tests",
    "serves",
    "builds",
    "stores",
];

fn phrase(words: &[Word], places: &[usize]) -> String {
    places.iter().map(|at| words[*at].shown.as_str()).collect::<Vec<_>>().join(" ")
}

/// A sentence of the form "A is B".
struct Equation {
    left: std::ops::Range<usize>,
    right: std::ops::Range<usize>,
}

const COPULAS: &[&str] = &[
    "is", "are", "was", "were", "ist", "sind", "heißt", "est", "es", "called", "named", "lives",
    "live", "goes", "hangs", "sits", "lies", "stands", "sleeps", "works", "belongs", "belong",
    "liegt", "steht", "wohnt", "vive", "habite", "remains", "stays",
];

const PLACES: &[&str] = &[
    "in", "at", "on", "under", "with", "behind", "by", "near", "above", "below", "inside",
    "outside", "to", "from", "im", "bei", "unter", "auf", "dans", "chez", "sur", "en", "con",
];

impl Equation {
    fn of(words: &[Word]) -> Option<Self> {
        let copula = words.iter().position(|word| COPULAS.contains(&word.plain.as_str()))?;
        let end = words
            .iter()
            .position(|word| word.part != words[copula].part && word.part > words[copula].part)
            .unwrap_or(words.len());
        let mut after = copula + 1;
        while after < end && COPULAS.contains(&words[after].plain.as_str()) {
            after += 1;
        }
        (copula > 0 && after < end && !words[copula].is_denied)
            .then_some(Self { left: 0..copula, right: after..end })
    }
}

/// Compares names and paths that each has of its own in what it says.
pub(super) fn names(
    old: &Clause,
    new: &Clause,
    pairs: &[(usize, usize, Match)],
    (own_old, own_new): (&[usize], &[usize]),
    evidence: &mut Evidence,
) {
    let own = |words: &[Word], own: &[usize], is_code: bool| -> Vec<usize> {
        let fits = |at: &usize| {
            !words[*at].is_subject
                && !words[*at].is_denied
                && words[*at].is_name
                && words[*at].is_code == is_code
        };
        own.iter().copied().filter(|at| fits(at)).collect()
    };
    for is_code in [false, true] {
        let (from, to) = (own(&old.words, own_old, is_code), own(&new.words, own_new, is_code));
        let few = |own: &[usize]| (1..=3).contains(&own.len());
        // "We host Orchid in Zurich" says of another what "we host Basalt in Zurich" says.
        let is_after = |at: usize, own: &[usize]| own.iter().all(|one| *one < at);
        let say_the_same = pairs.iter().any(|(at, other, _)| {
            old.words[*at].is_name && is_after(*at, &from) && is_after(*other, &to)
        });
        if few(&from) && few(&to) && !say_the_same {
            let reason = became(&old.words[from[0]].shown, &new.words[to[0]].shown);
            evidence.reasons.push(reason);
            if is_code {
                evidence.other_code += 1;
                // A channel is an address: there is one for each thing.
                let is_channel = old.words[from[0]].plain.starts_with('#')
                    && new.words[to[0]].plain.starts_with('#');
                evidence.other_values += 2 * i32::from(is_channel);
            } else {
                evidence.other_names += 1;
            }
        }
    }
}

/// Finds "only X" where the other has something else in its place.
pub(super) fn only(
    old: &Clause,
    new: &Clause,
    (own_old, own_new): (&[usize], &[usize]),
    evidence: &mut Evidence,
) {
    let word = |words: &[Word], own: &[usize]| {
        own.iter()
            .find(|at| words[**at].is_only && !words[**at].is_denied)
            .map(|at| words[*at].shown.clone())
    };
    let found = word(&old.words, own_old).or_else(|| word(&new.words, own_new));
    if let Some(word) = found {
        evidence.only_others += 1;
        evidence.reasons.push(format!("one says only `{word}`"));
    }
}
