//! Whether a newer memory says what has become of what an older one says: the current value of something
//! that changed. Two things of the same sort are not one thing that changed.

use super::evidence::{Asked, Said};
use super::words::{Value, Word, has_stem};

/// Words by which somebody says that something is no longer what it was.
const CHANGES: &[&str] = &[
    "ab",
    "adjusted",
    "anymore",
    "became",
    "becomes",
    "bumped",
    "changed",
    "changes",
    "changing",
    "climbed",
    "corrected",
    "cut",
    "cuts",
    "decrease",
    "decreased",
    "doubled",
    "down",
    "drops",
    "effective",
    "extended",
    "faster",
    "fell",
    "geändert",
    "grew",
    "halved",
    "handed",
    "henceforth",
    "higher",
    "increase",
    "increased",
    "increases",
    "instead",
    "inzwischen",
    "jetzt",
    "künftig",
    "longer",
    "lower",
    "lowered",
    "meanwhile",
    "migrated",
    "mittlerweile",
    "move",
    "moved",
    "moves",
    "neue",
    "neuen",
    "neuer",
    "new",
    "newly",
    "now",
    "nun",
    "postponed",
    "promoted",
    "pushed",
    "raise",
    "raised",
    "raises",
    "reduced",
    "relocated",
    "renamed",
    "renewed",
    "replaced",
    "replaces",
    "rescheduled",
    "revised",
    "rose",
    "shifted",
    "shortened",
    "since",
    "slower",
    "statt",
    "swapped",
    "switch",
    "switched",
    "switches",
    "takes",
    "trimmed",
    "turned",
    "umgezogen",
    "up",
    "updated",
    "upgraded",
    "upped",
];

/// Words by which somebody says what is not so, or not yet.
const WISHES: &[&str] = &[
    "asked",
    "asks",
    "considering",
    "could",
    "maybe",
    "might",
    "perhaps",
    "proposed",
    "proposes",
    "suggested",
    "suggests",
    "think",
    "want",
    "wants",
    "wish",
    "would",
];

/// What speaks for a newer memory as the update of an older one; weights of a logistic regression on the
/// pairs of `worlds.dev.jsonl`.
const BIAS: f32 = -2.5;
const SHARED_WORDS: f32 = 2.5;
const SHARED_KIN: f32 = 1.3;
const COSINE: f32 = 1.9;
const OTHER_VALUE: f32 = 1.0;
const ANSWERS_BETTER: f32 = 0.65;

/// From here on it is one.
const IS_UPDATE: f32 = -0.6;

/// More shared words say no more.
const MOST_SHARED: u8 = 3;
const MOST_KIN: u8 = 4;

/// An answer, its evidence, and what it says.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// What it says.
    pub said: &'a Said,
    /// See [`super::evidence::Evidence::weight`].
    pub weight: f32,
    /// Whether it holds nobody, no time, no amount or no address where one is asked for.
    pub lacks_wanted: bool,
}

/// Tells whether the newer of two answers holds what the older one said before. `cosine` is how near their
/// texts are.
pub fn is_update(asked: &Asked, older: Candidate<'_>, newer: Candidate<'_>, cosine: f32) -> bool {
    let (old, new) = (&older.said.words, &newer.said.words);
    if asked.wants_no_value()
        || (newer.lacks_wanted && !older.lacks_wanted)
        || !says_change(new)
        || is_wish(new)
        || is_another(asked, older.said, newer.said)
    {
        return false;
    }
    let shared = count(new, |word| has_stem(old, &word.stem), MOST_SHARED);
    let kin = |word: &Word| {
        has_stem(old, &word.stem) || old.iter().any(|other| other.tells && word.is_kin_of(other))
    };
    let sum = BIAS
        + shared * SHARED_WORDS
        + count(new, kin, MOST_KIN) * SHARED_KIN
        + cosine * COSINE
        + f32::from(u8::from(has_other_value(old, new))) * OTHER_VALUE
        + (newer.weight - older.weight) * ANSWERS_BETTER;
    sum >= IS_UPDATE
}

/// Tells whether the newer of two memories is about another thing than the one that a question and the older
/// one are about.
pub fn is_another(asked: &Asked, older: &Said, newer: &Said) -> bool {
    is_about_another(asked, &older.words, &newer.words)
        || has_rival_of_the_question(asked, &older.words, &newer.words)
}

/// Returns how many telling words are so, as a share of the most that count.
fn count(words: &[Word], is_so: impl Fn(&Word) -> bool, most: u8) -> f32 {
    let telling = words.iter().filter(|word| word.tells && word.value.is_none());
    let found = telling.filter(|word| is_so(word)).take(usize::from(most)).count();
    f32::from(u8::try_from(found).unwrap_or(most)) / f32::from(most)
}

fn says_change(words: &[Word]) -> bool {
    let from_on = words.windows(2).any(|pair| {
        pair[0].plain == "from" && (pair[1].value == Some(Value::Date) || pair[1].plain == "now")
    });
    from_on || words.iter().any(|word| CHANGES.contains(&word.plain.as_str()))
}

fn is_wish(words: &[Word]) -> bool {
    words.iter().any(|word| WISHES.contains(&word.plain.as_str()))
}

/// Tells whether the newer one says nothing of a name that question and older one share, and names another.
fn is_about_another(asked: &Asked, old: &[Word], new: &[Word]) -> bool {
    let is_asked = |word: &Word| has_stem(&asked.words, &word.stem);
    // "Team 300" is no other state of "team 160".
    let has_lost_number =
        old.iter().any(|word| word.has_digit() && is_asked(word) && !has_stem(new, &word.stem));
    let is_lost = |word: &&Word| word.is_name && is_asked(word) && !has_stem(new, &word.stem);
    let is_own = |word: &Word| {
        let may_be_name = word.is_capitalised() && word.tells && word.value.is_none();
        may_be_name && !has_stem(old, &word.stem) && !is_asked(word)
    };
    has_lost_number || (old.iter().any(|word| is_lost(&word)) && new.iter().any(is_own))
}

/// Tells whether the newer one has another word in the place of one that question and older one share: the
/// *blue* team for the *red* team, and the database in *production* for that in *staging*.
fn has_rival_of_the_question(asked: &Asked, old: &[Word], new: &[Word]) -> bool {
    let telling: Vec<&Word> = old.iter().filter(|word| word.tells).collect();
    let others: Vec<&Word> = new.iter().filter(|word| word.tells).collect();
    telling.iter().enumerate().any(|(at, word)| {
        let is_lost = has_stem(&asked.words, &word.stem) && !has_stem(new, &word.stem);
        let is_before_the_same = |other: usize| {
            let pair = telling.get(at + 1).zip(others.get(other + 1));
            pair.is_some_and(|(a, b)| a.stem == b.stem)
        };
        let takes_its_place = |(at, other): (usize, &&Word)| {
            let is_own = !has_stem(old, &other.stem) && other.value.is_none();
            let is_like = !word.is_kin_of(other);
            other.excludes(word) || (is_own && is_like && is_before_the_same(at))
        };
        is_lost && others.iter().enumerate().any(takes_its_place)
    })
}

/// Tells whether both hold a value of one sort, and not the same.
fn has_other_value(old: &[Word], new: &[Word]) -> bool {
    let values = |words: &[Word]| -> Vec<(Value, String)> {
        let values = words.iter().filter_map(|word| Some((word.value?, word.plain.clone())));
        values.filter(|(value, _)| *value != Value::Code).collect()
    };
    let (old, new) = (values(old), values(new));
    let differs =
        |one: &(Value, String)| new.iter().any(|other| one.0 == other.0 && one.1 != other.1);
    old.iter().any(differs)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn updates(question: &str, older: &str, newer: &str) -> bool {
        let asked = Asked::new(question, BTreeMap::new());
        let (older, newer) = (Said::new(older), Said::new(newer));
        let of = |said| Candidate { said, weight: 0.0, lacks_wanted: false };
        is_update(&asked, of(&older), of(&newer), 0.5)
    }

    #[test]
    fn a_new_value_of_the_same_thing_is_an_update() {
        let table = [
            ("Mila's shoe size?", "Mila's shoe size is 31.", "Mila now takes size 33 in shoes."),
            (
                "how long does the aggregate take",
                "The hourly aggregate job takes 52 minutes.",
                "Aggregate job is down to 17 minutes.",
            ),
            (
                "how long do we keep raw files",
                "Data retention for raw files is 24 months.",
                "Raw retention shortened to 13 months.",
            ),
        ];
        for (question, older, newer) in table {
            assert!(updates(question, older, newer), "{newer}");
        }
    }

    #[test]
    fn another_of_the_same_sort_is_no_update() {
        let table = [
            ("Mila's shoe size?", "Mila's shoe size is 31.", "Jonte's shoe size is now 26."),
            (
                "when does the red team meet?",
                "The red team meets on Monday.",
                "The blue team now meets on Tuesday.",
            ),
            (
                "staging port?",
                "Staging listens on port 5544.",
                "Production now listens on port 6432.",
            ),
            (
                "the harbour of team 300",
                "The harbour of team 300 was looked at.",
                "The harbour of team 160 was looked at now.",
            ),
            ("rent?", "Rent is 1,150 a month.", "The landlord wants a rent of 1,220 a month now."),
        ];
        for (question, older, newer) in table {
            assert!(!updates(question, older, newer), "{newer}");
        }
    }
}
