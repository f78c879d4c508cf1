//! Two clauses side by side: what they share, what each has of its own, and which signs say that they
//! disagree, or are about two things.

use std::collections::BTreeSet;

use super::evidence::{Evidence, Match, became};
use super::lexicon::{self, Meaning, Member};
use super::quantity::{self, Dimension, Quantity};
use super::said::said;
use super::slots::{complements, names, only};
use super::statement::{Clause, Weight, Word};
use crate::terms::Language;

/// Compares the clauses of an older and a newer statement.
pub(super) fn compare(old: &Clause, new: &Clause) -> Evidence {
    let mut evidence = Evidence::default();
    let pairs = pairs(&old.words, &new.words);
    let old_used: BTreeSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let new_used: BTreeSet<usize> = pairs.iter().map(|pair| pair.1).collect();
    amounts(old, new, &mut evidence);
    let (old_values, new_values) = values(old, new, (&old_used, &new_used), &mut evidence);
    polarity(old, new, &pairs, &mut evidence);
    scopes(old, new, &mut evidence);
    for (at, other, _) in &pairs {
        let (word, _) = (&old.words[*at], other);
        match word.weight {
            Weight::Full if !word.is_quantity => {
                evidence.shared += 1;
                evidence.shared_names += i32::from(word.is_name);
                evidence.about.push(word.shown.clone());
            }
            Weight::Light => evidence.shared_light += 1,
            _ => {}
        }
    }
    let own = |words: &[Word], used: &BTreeSet<usize>, values: &BTreeSet<usize>| -> Vec<usize> {
        let is_own = |at: &usize| {
            let word = &words[*at];
            word.weight == Weight::Full
                && !word.is_quantity
                && !used.contains(at)
                && !values.contains(at)
        };
        (0..words.len()).filter(is_own).collect()
    };
    let own_old = own(&old.words, &old_used, &old_values);
    let own_new = own(&new.words, &new_used, &new_values);
    let scoped = |words: &[Word], own: &[usize]| own.iter().any(|at| words[*at].is_scope);
    evidence.own_scopes = i32::from(scoped(&old.words, &own_old) && scoped(&new.words, &own_new));
    complements(old, new, &pairs, &mut evidence);
    names(old, new, &pairs, (&own_old, &own_new), &mut evidence);
    // What was compared as a value is no word of its own.
    let is_left = |words: &[Word], at: &usize| evidence.other_code == 0 || !words[*at].is_code;
    let own_old: Vec<usize> = own_old.into_iter().filter(|at| is_left(&old.words, at)).collect();
    let own_new: Vec<usize> = own_new.into_iter().filter(|at| is_left(&new.words, at)).collect();
    only(old, new, (&own_old, &own_new), &mut evidence);
    said(old, new, &pairs, (&own_old, &own_new), &mut evidence);
    evidence.modifier_clashes = modifier_clashes(old, new, &pairs, (&own_old, &own_new));
    heads(old, new, &pairs, &mut evidence);
    evidence.other_rate = i32::from(old.is_rate != new.is_rate && evidence.other_amounts > 0);
    evidence.own_old = count(own_old.len());
    evidence.own_new = count(own_new.len());
    let subjects = |words: &[Word], own: &[usize]| {
        count(own.iter().filter(|at| words[**at].is_subject).count())
    };
    evidence.own_subject_old = subjects(&old.words, &own_old);
    evidence.own_subject_new = subjects(&new.words, &own_new);
    evidence.swapped = i32::from(is_swapped(old, new));
    evidence
}

/// Compares the nouns that both begin with.
fn heads(old: &Clause, new: &Clause, pairs: &[(usize, usize, Match)], evidence: &mut Evidence) {
    let head = |words: &[Word]| words.iter().position(|word| word.is_head);
    let (Some(from), Some(to)) = (head(&old.words), head(&new.words)) else { return };
    let is_same = pairs.iter().any(|pair| (pair.0, pair.1) == (from, to));
    evidence.same_head = i32::from(is_same);
    let is_in = |at: usize, other: bool| {
        pairs.iter().any(|pair| if other { pair.1 == at } else { pair.0 == at })
    };
    evidence.other_head = match (is_same, is_in(from, false), is_in(to, true)) {
        (true, ..) | (_, true, true) => 0,
        (_, true, _) | (_, _, true) => 1,
        _ => 2,
    };
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Returns the words that belong together, each once: the same spelling first, then kin.
fn pairs(old: &[Word], new: &[Word]) -> Vec<(usize, usize, Match)> {
    let mut found: Vec<(usize, usize, Match)> = Vec::new();
    let mut taken_old = vec![false; old.len()];
    let mut taken_new = vec![false; new.len()];
    for strength in [3, 2, 1] {
        for (at, word) in old.iter().enumerate() {
            if taken_old[at] || word.weight == Weight::None {
                continue;
            }
            let other = (0..new.len())
                .find(|other| !taken_new[*other] && likeness(word, &new[*other]) == strength);
            if let Some(other) = other {
                taken_old[at] = true;
                taken_new[other] = true;
                found.push((at, other, how(word, &new[other])));
            }
        }
    }
    // A word that is said twice is shared as a whole.
    for (at, word) in old.iter().enumerate() {
        if !taken_old[at]
            && word.weight == Weight::Full
            && let Some(other) = (0..new.len()).find(|other| likeness(word, &new[*other]) >= 2)
        {
            found.push((at, other, how(word, &new[other])));
        }
    }
    for (other, word) in new.iter().enumerate() {
        if !taken_new[other]
            && word.weight == Weight::Full
            && let Some(at) = (0..old.len()).find(|at| likeness(&old[*at], word) >= 2)
        {
            found.push((at, other, how(&old[at], word)));
        }
    }
    found.sort_unstable_by_key(|pair| (pair.0, pair.1));
    found
}

fn how(a: &Word, b: &Word) -> Match {
    if is_reverse(&a.plain, &b.plain) {
        return Match::Opposite;
    }
    if a.plain != b.plain && pole(a, b) == Some(true) { Match::Opposite } else { Match::Same }
}

/// Returns whether two words stand at opposite poles of a sense that both have.
fn pole(a: &Word, b: &Word) -> Option<bool> {
    let (a, b) = (a.meaning?, b.meaning?);
    let both = a.senses.iter().filter_map(|one| {
        let other = b.senses.iter().find(|other| other.number == one.number)?;
        Some(one.is_opposite != other.is_opposite)
    });
    both.reduce(|all, one| all && one)
}

/// Tells whether one word denies the other: "tested" and "untested".
fn is_reverse(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let prefixes = ["un", "in", "im", "ir", "dis", "non", "non-", "de"];
    let rest = prefixes.iter().find_map(|prefix| long.strip_prefix(prefix)).unwrap_or_default();
    let suffix =
        long.strip_suffix("less").or_else(|| long.strip_suffix("-free")).unwrap_or_default();
    let is_same = |rest: &str| {
        rest.len() > 3 && Language::English.stem(rest) == Language::English.stem(short)
    };
    is_same(rest) || is_same(suffix)
}

/// Returns how sure it is that two words mean the same, 0 to 3.
fn likeness(a: &Word, b: &Word) -> u8 {
    if a.weight == Weight::None || b.weight == Weight::None || a.is_quantity != b.is_quantity {
        return 0;
    }
    if a.is_quantity {
        return u8::from(a.plain == b.plain && a.weight == Weight::Full) * 3;
    }
    if a.plain == b.plain || a.stem == b.stem {
        return 3;
    }
    let related = |one: &Meaning, other: &Meaning| {
        one.kin.iter().any(|kin| other.kin.contains(kin))
            || one.values.iter().any(|value| other.values.contains(value))
            || one
                .senses
                .iter()
                .any(|sense| other.senses.iter().any(|two| two.number == sense.number))
    };
    if let (Some(one), Some(other)) = (a.meaning, b.meaning)
        && related(one, other)
    {
        return 2;
    }
    if is_reverse(&a.plain, &b.plain) {
        return 2;
    }
    if a.is_code || b.is_code {
        let stems = |word: &Word| -> Vec<String> {
            let parts =
                word.plain.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2);
            parts.map(|part| Language::English.stem(part)).collect()
        };
        let (one, other) = (stems(a), stems(b));
        let is_plain = !a.is_code || !b.is_code;
        return u8::from(is_plain && one.iter().any(|part| other.contains(part)));
    }
    let are_listed = a.meaning.is_some() && b.meaning.is_some();
    u8::from(is_nearly(&a.plain, &b.plain) || !are_listed && holds(&a.plain, &b.plain))
}

/// Tells whether two long words differ by a slip of the finger.
fn is_nearly(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if short.len() < 6 || long.len() - short.len() > 1 || short[0] != long[0] {
        return false;
    }
    if short.iter().chain(long).any(|c| !c.is_alphabetic()) {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (rest_short, mut rest_long) = (&short[same..], &long[same..]);
    if rest_short.len() == rest_long.len() {
        if let ([x, y, ..], [z, w, ..]) = (rest_short, rest_long)
            && x == w
            && y == z
        {
            return rest_short[2..] == rest_long[2..];
        }
        return false;
    }
    rest_long = &rest_long[1..];
    rest_short == rest_long
}

/// Tells whether one word is a part of a compound: "Bruttopreise" has "Preise".
fn holds(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let long_enough =
        short.chars().count() >= 5 && long.chars().count() >= short.chars().count() + 3;
    long_enough && short.chars().all(char::is_alphabetic) && long.ends_with(short)
}

/// Compares amounts of one dimension.
fn amounts(old: &Clause, new: &Clause, evidence: &mut Evidence) {
    let mut dimensions: BTreeSet<&Dimension> =
        old.quantities.iter().map(|one| &one.dimension).collect();
    // A count may stand where the other has a number alone.
    if dimensions.contains(&Dimension::Number) || dimensions.contains(&Dimension::Count) {
        dimensions.remove(&Dimension::Number);
        dimensions.insert(&Dimension::Count);
    }
    schedules(old, new, evidence);
    let are_occasions = are_occasions(old, new);
    for dimension in dimensions {
        if are_occasions && matches!(dimension, Dimension::Date | Dimension::Year) {
            evidence.scope_clashes += 2;
            continue;
        }
        let of = |clause: &Clause| -> Vec<Quantity> {
            let fits = |one: &&Quantity| quantity::are_comparable(&one.dimension, dimension);
            clause.quantities.iter().filter(fits).cloned().collect()
        };
        let (olds, news) = (of(old), of(new));
        if olds.is_empty() || news.is_empty() {
            continue;
        }
        let same = olds
            .iter()
            .filter(|one| news.iter().any(|other| quantity::are_equal(one, other)))
            .count();
        evidence.same_amounts += count(same);
        let lacks = |one: &&Quantity, others: &[Quantity]| {
            !others.iter().any(|other| quantity::are_equal(one, other))
        };
        let from: Vec<&Quantity> = olds.iter().filter(|one| lacks(one, &news)).collect();
        let to: Vec<&Quantity> = news.iter().filter(|one| lacks(one, &olds)).collect();
        // Of counts, only those of the same things.
        let pair = from.iter().find_map(|from| {
            let to = to.iter().find(|to| count_the_same(old, from, new, to))?;
            Some((*from, *to))
        });
        if let Some((from, to)) = pair {
            // "Version 1 of the API" and "version 2" are two things.
            if old.words[from.at].is_subject && new.words[to.at].is_subject {
                evidence.scope_clashes += 1;
                continue;
            }
            evidence.other_amounts += 1;
            evidence.reasons.push(became(&shown(old, from), &shown(new, to)));
        }
    }
}

/// Tells whether both tell of something that happened on days of their own: what "cost 10 euros in June" and
/// "cost 12 euros in July" is said of two months, and neither replaces the other.
fn are_occasions(old: &Clause, new: &Clause) -> bool {
    let day = |clause: &Clause| -> Option<Quantity> {
        let is_occasion = |one: &&Quantity| {
            let before = one.at.checked_sub(1).map_or("", |at| clause.words[at].plain.as_str());
            matches!(one.dimension, Dimension::Date | Dimension::Year)
                && matches!(before, "in" | "on" | "im" | "am" | "en" | "el" | "le")
        };
        clause.quantities.iter().find(is_occasion).cloned()
    };
    let has_more = |clause: &Clause| {
        clause
            .quantities
            .iter()
            .any(|one| !matches!(one.dimension, Dimension::Date | Dimension::Year))
            || clause.words.iter().any(|word| word.is_code)
    };
    let Some((one, other)) = day(old).zip(day(new)) else { return false };
    one.dimension == other.dimension
        && !quantity::are_equal(&one, &other)
        && has_more(old)
        && has_more(new)
}

/// Compares "every Sunday" with "once a month": how often, in another dimension.
fn schedules(old: &Clause, new: &Clause, evidence: &mut Evidence) {
    let is_schedule = |one: &&Quantity| {
        matches!(one.dimension, Dimension::Weekday | Dimension::Frequency | Dimension::DayOfMonth)
    };
    let (ours, theirs): (Vec<&Quantity>, Vec<&Quantity>) = (
        old.quantities.iter().filter(is_schedule).collect(),
        new.quantities.iter().filter(is_schedule).collect(),
    );
    let (Some(from), Some(to)) = (ours.first(), theirs.first()) else { return };
    let is_daily =
        |one: &Quantity| one.dimension == Dimension::Frequency && one.amount == 86_400_000;
    // A weekday may be one of those on which something happens weekly.
    let is_weekly = |one: &Quantity| {
        one.dimension == Dimension::Frequency
            && one.amount >= 604_800_000
            && one.amount < 2_000_000_000
    };
    let fits = |a: &Quantity, b: &Quantity| {
        a.dimension == Dimension::Weekday
            && (is_weekly(b)
                || b.dimension == Dimension::Frequency && !is_daily(b) && b.amount < 604_800_000)
    };
    let share = ours.iter().any(|one| theirs.iter().any(|other| one.dimension == other.dimension));
    if !share && !fits(from, to) && !fits(to, from) {
        evidence.other_amounts += 1;
        evidence.reasons.push(became(&shown(old, from), &shown(new, to)));
    }
}

/// Tells whether a word stands before another in the place of a subject: "the red team".
fn qualifies(clause: &Clause, at: usize) -> bool {
    let word = &clause.words[at];
    let after = clause.words.get(at + 1);
    word.is_subject
        && after.is_some_and(|after| after.weight == Weight::Full && after.part == word.part)
}

fn shown(clause: &Clause, quantity: &Quantity) -> String {
    let words = &clause.words[quantity.at..quantity.at + quantity.length];
    words.iter().map(|word| word.shown.as_str()).collect::<Vec<_>>().join(" ")
}

fn count_the_same(old: &Clause, from: &Quantity, new: &Clause, to: &Quantity) -> bool {
    let counted = |clause: &Clause, one: &Quantity| -> Option<Word> {
        let after = clause.words.get(one.at + one.length);
        matches!(one.dimension, Dimension::Count | Dimension::Ordinal)
            .then(|| after.cloned())
            .flatten()
    };
    match (counted(old, from), counted(new, to)) {
        _ if from.dimension == Dimension::Number && to.dimension == Dimension::Number => {
            // "Node 22" and "port 9090" are numbers of two things.
            let label = |clause: &Clause, one: &Quantity| -> Option<Word> {
                let before = one.at.checked_sub(1).map(|at| clause.words[at].clone())?;
                (before.weight == Weight::Full).then_some(before)
            };
            match (label(old, from), label(new, to)) {
                (Some(a), Some(b)) => {
                    let is_in = |word: &Word, clause: &Clause| {
                        clause.words.iter().any(|other| likeness(word, other) > 0)
                    };
                    is_in(&a, new) || is_in(&b, old)
                }
                _ => true,
            }
        }
        (Some(a), Some(b)) if from.dimension == Dimension::Ordinal => likeness(&a, &b) > 0,
        (Some(a), Some(b)) => {
            a.weight == Weight::Light || b.weight == Weight::Light || likeness(&a, &b) > 0
        }
        _ => true,
    }
}

/// Compares members of families of values; returns the places of those that were compared.
fn values(
    old: &Clause,
    new: &Clause,
    (old_used, new_used): (&BTreeSet<usize>, &BTreeSet<usize>),
    evidence: &mut Evidence,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let members = |clause: &Clause| -> Vec<(usize, Member)> {
        let words = clause.words.iter().enumerate().filter(|(_, word)| !word.is_quantity);
        words
            .flat_map(|(at, word)| {
                word.meaning
                    .into_iter()
                    .flat_map(move |meaning| meaning.values.iter().map(move |one| (at, *one)))
            })
            .collect()
    };
    let (olds, news) = (members(old), members(new));
    let families: BTreeSet<u16> = olds.iter().map(|(_, one)| one.family).collect();
    let (mut old_places, mut new_places) = (BTreeSet::new(), BTreeSet::new());
    for family in families {
        let of = |all: &[(usize, Member)]| -> Vec<(usize, Member)> {
            all.iter().filter(|one| one.1.family == family).copied().collect()
        };
        let (ours, theirs) = (of(&olds), of(&news));
        if theirs.is_empty() {
            continue;
        }
        let is_same = |one: &(usize, Member)| theirs.iter().any(|other| other.1 == one.1);
        let same = ours.iter().filter(|one| is_same(one)).count();
        evidence.same_values += count(same);
        let from = ours.iter().find(|one| !is_same(one) && !old_used.contains(&one.0));
        let to = theirs
            .iter()
            .find(|other| !ours.iter().any(|one| one.1 == other.1) && !new_used.contains(&other.0));
        if let (Some(from), Some(to)) = (from, to) {
            let (word, other) = (&old.words[from.0], &new.words[to.0]);
            // Two things that both are denied, or named as what is not so, are no values.
            if qualifies(old, from.0) && qualifies(new, to.0) {
                evidence.scope_clashes += 1;
            } else if word.is_head && other.is_head && old.verb.is_some() && new.verb.is_some() {
                // "The bus leaves" and "the train leaves" are about two things.
                continue;
            } else if word.is_denied == other.is_denied && same == 0 {
                evidence.other_values += 1;
                evidence.reasons.push(became(&word.shown, &other.shown));
            }
            old_places.extend(ours.iter().map(|one| one.0));
            new_places.extend(theirs.iter().map(|one| one.0));
        }
    }
    (old_places, new_places)
}

/// Counts what one says and the other denies.
fn polarity(old: &Clause, new: &Clause, pairs: &[(usize, usize, Match)], evidence: &mut Evidence) {
    let mut denied = None;
    let mut is_subject_denied = false;
    // What is denied is said of something: a thing alone that both mention is not denied.
    let mut is_strong = false;
    for (at, other, how) in pairs {
        let (a, b) = (&old.words[*at], &new.words[*other]);
        if a.is_quantity {
            continue;
        }
        let differs = a.is_denied != b.is_denied;
        let has_pole = pole(a, b).is_some();
        match how {
            Match::Opposite if qualifies(old, *at) && qualifies(new, *other) => {
                evidence.scope_clashes += 1;
            }
            Match::Opposite if differs => evidence.agreements += 1,
            Match::Opposite => {
                evidence.opposites += 1;
                evidence.reasons.insert(0, became(&a.shown, &b.shown));
            }
            // "MUST NOT" denies what follows, and not that something must be.
            Match::Same if differs && matches!(a.plain.as_str(), "must" | "has_to" | "have_to") => {
            }
            Match::Same if differs && (old.is_double || new.is_double) => {}
            Match::Same if differs && (a.is_aside || b.is_aside) && !has_pole => {}
            Match::Same if differs && (a.weight == Weight::Full || has_pole) => {
                evidence.negations += 1;
                let is_said = |word: &Word| {
                    word.is_after_no
                        || lexicon::is_action(&word.stem)
                        || lexicon::is_verb(&word.stem)
                };
                is_strong |= has_pole || is_said(a) || is_said(b);
                if denied.is_none() || (!a.is_subject && is_subject_denied) {
                    denied = Some(a.shown.clone());
                    is_subject_denied = a.is_subject;
                }
            }
            Match::Same if has_pole && !differs => evidence.agreements += 1,
            Match::Same => {}
        }
    }
    // "It is not optional" and "it is required" deny each other's words and say the same.
    if evidence.agreements > 0
        && evidence.opposites == 0
        && pairs.iter().any(|pair| pair.2 == Match::Opposite)
    {
        evidence.negations = 0;
    }
    if evidence.negations == 1 && !is_strong {
        evidence.negations = 0;
    }
    if let Some(word) = denied.filter(|_| evidence.negations > 0) {
        evidence.reasons.push(format!("one says `{word}` and the other denies it"));
    }
}

/// Counts families of scopes in which both name different members.
fn scopes(old: &Clause, new: &Clause, evidence: &mut Evidence) {
    let members = |clause: &Clause| -> BTreeSet<Member> {
        let words = clause.words.iter();
        words
            .filter_map(|word| word.meaning)
            .flat_map(|meaning| meaning.scopes.iter().copied())
            .collect()
    };
    let (olds, news) = (members(old), members(new));
    let families: BTreeSet<u16> = olds.iter().map(|one| one.family).collect();
    for family in families {
        let of = |all: &BTreeSet<Member>| -> BTreeSet<u16> {
            all.iter().filter(|one| one.family == family).map(|one| one.member).collect()
        };
        let (ours, theirs) = (of(&olds), of(&news));
        evidence.scope_clashes += i32::from(!theirs.is_empty() && ours.is_disjoint(&theirs));
    }
}

/// Counts nouns that both have, with different words right before them.
fn modifier_clashes(
    old: &Clause,
    new: &Clause,
    pairs: &[(usize, usize, Match)],
    (own_old, own_new): (&[usize], &[usize]),
) -> i32 {
    let modifier = |words: &[Word], at: usize, own: &[usize]| {
        let mut before = at.checked_sub(1)?;
        if words[before].is_only && words[before].weight != Weight::Full {
            before = before.checked_sub(1)?;
        }
        (own.contains(&before) && words[before].part == words[at].part).then_some(before)
    };
    let clashes = pairs.iter().filter(|(at, other, _)| {
        old.words[*at].weight == Weight::Full
            && modifier(&old.words, *at, own_old).is_some()
            && modifier(&new.words, *other, own_new).is_some()
    });
    count(clashes.count())
}

/// Tells whether both are the same words, and some of them changed places: "A calls B" and "B calls A".
fn is_swapped(old: &Clause, new: &Clause) -> bool {
    let words = |clause: &Clause| -> Vec<String> {
        clause.words.iter().map(|word| word.plain.clone()).collect()
    };
    let (a, b) = (words(old), words(new));
    let sorted = |words: &[String]| {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        sorted
    };
    let is_loose = |word: &String| {
        ["and", "or", "is", "are", "und", "oder", "y", "et", "ist", "sind"].contains(&word.as_str())
    };
    let apart: Vec<usize> = (0..a.len().min(b.len())).filter(|at| a[*at] != b[*at]).collect();
    a != b
        && sorted(&a) == sorted(&b)
        && matches!(apart[..], [from, to] if a[from] == b[to] && !a[from + 1..to].iter().all(is_loose))
}
