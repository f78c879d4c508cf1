//! Whether two texts say the same, one the opposite of the other, or the same of something else.

use std::collections::BTreeSet;

use super::likeness::{telling, telling_in_order};
use super::preference::{Preference, is_teller};
use crate::contradict::{self, Statement};
use crate::prose::{self, bare};

/// Numbers as words: another one is another value, however alike the rest is.
const NUMBERS: &str = "one two three four five six seven eight nine ten eleven twelve fifteen \
     twenty thirty forty fifty sixty ninety hundred once twice daily weekly monthly quarterly yearly \
     zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig \
     deux trois quatre cinq sept huit neuf dix douze vingt trente \
     dos tres cuatro cinco seis siete ocho nueve diez veinte treinta \
     dois duas três quatro sete oito nove dez vinte due tre quattro cinque sei sette otto dieci venti";

/// Words that join equals: what stands on either side may change places.
const JOINTS: &[&str] = &["and", "or", "und", "oder", "et", "ou", "y", "o", "e", "as", "well"];

/// A text as far as it matters for whether another says the same.
pub(crate) struct Gist {
    pub(super) bare: String,
    pub(super) telling: BTreeSet<String>,
    pub(super) numbers: BTreeSet<String>,
    pub(super) preference: Option<Preference>,
    statement: Statement,
}

impl Gist {
    /// Two texts that say the same share so much of the shorter one's words, in percent.
    pub(super) const SAME: usize = 85;
    /// Texts with fewer words than this are not alike by their words.
    pub(super) const FEWEST: usize = 4;
    /// A text that stands in another has so much of its words there, in percent.
    pub(super) const MOSTLY: usize = 60;
    /// A text that another holds nearly all of has so much of its words there, in percent.
    pub(super) const HELD: usize = 80;

    pub(crate) fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words = prose::words(&lower, ".");
        let is_number = |word: &&str| {
            word.bytes().any(|byte| byte.is_ascii_digit())
                || NUMBERS.split_whitespace().any(|number| number == *word && number != "one")
        };
        let numbers = words.map(|word| word.trim_matches('.')).filter(is_number);
        Self {
            bare: bare(text),
            telling: telling(text),
            numbers: numbers.map(str::to_owned).collect(),
            preference: Preference::of(text),
            statement: Statement::of(text),
        }
    }

    /// Tells whether it denies something.
    pub(super) fn is_negated(&self) -> bool {
        self.statement.is_negated()
    }

    /// Returns why both cannot hold, this being the older one.
    pub(super) fn conflict(&self, newer: &Self) -> Option<String> {
        let judgement = contradict::relate(&self.statement, &newer.statement);
        judgement.disagrees().then_some(judgement.reason)
    }

    /// Tells whether both say the same: nearly every word of the shorter stands in the longer.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        if self.bare == other.bare {
            return true;
        }
        let same_numbers =
            self.numbers.is_subset(&other.numbers) || other.numbers.is_subset(&self.numbers);
        if !same_numbers || self.is_reverse(other) {
            return false;
        }
        if self.prefers_as(other) {
            let (a, b) = (self.topics(), other.topics());
            return a.intersection(&b).count() * 100 >= a.len().min(b.len()) * Self::SAME;
        }
        let smaller = self.telling.len().min(other.telling.len());
        smaller >= Self::FEWEST
            && self.is_negated() == other.is_negated()
            && self.telling.intersection(&other.telling).count() * 100 >= smaller * Self::SAME
    }

    /// Tells whether both prefer the same to the same.
    pub(crate) fn prefers_as(&self, other: &Self) -> bool {
        let both = self.preference.as_ref().zip(other.preference.as_ref());
        both.is_some_and(|(a, b)| a.is_same(b))
    }

    /// Tells whether one turns around what the other says: another preference, or two words that
    /// changed places.
    pub(crate) fn is_reverse(&self, other: &Self) -> bool {
        match self.preference.as_ref().zip(other.preference.as_ref()) {
            // "Tabs, not spaces, in Ruby" leaves Python alone.
            Some((a, b)) => a.is_opposite(b) && !self.has_another_topic(other),
            None => self.telling == other.telling && are_swapped(&self.bare, &other.bare),
        }
    }

    /// Tells whether each has a word or a number that the other lacks.
    pub(crate) fn has_changed(&self, other: &Self) -> bool {
        let lacks = |a: &Self, b: &Self| {
            !a.telling.is_subset(&b.telling) || !a.numbers.is_subset(&b.numbers)
        };
        (lacks(self, other) && lacks(other, self)) || self.is_reverse(other)
    }

    /// Returns a number of its own and the one that the other has instead.
    pub(crate) fn other_number(&self, other: &Self) -> Option<(String, String)> {
        let own = self.numbers.difference(&other.numbers).next()?;
        let others = other.numbers.difference(&self.numbers).next()?;
        Some((own.clone(), others.clone()))
    }

    /// Returns how much of the longer text's words both share, in percent.
    pub(crate) fn likeness(&self, other: &Self) -> usize {
        let longer = self.telling.len().max(other.telling.len());
        (self.telling.intersection(&other.telling).count() * 100).checked_div(longer).unwrap_or(0)
    }

    /// Tells whether most of its words stand in another text, or nearly all of that one in it, and no
    /// other number.
    pub(crate) fn is_mostly_in(&self, other: &Self) -> bool {
        if self.other_number(other).is_some() || self.is_reverse(other) {
            return false;
        }
        let both = self.telling.intersection(&other.telling).count();
        let (own, others) = (self.telling.len(), other.telling.len());
        both * 100 >= own * Self::MOSTLY || (others >= 3 && both * 100 >= others * Self::HELD)
    }

    /// Tells whether each is about something that the other does not mention.
    fn has_another_topic(&self, other: &Self) -> bool {
        let (a, b) = (self.topics(), other.topics());
        !a.is_subset(&b) && !b.is_subset(&a)
    }

    /// Returns the telling words but those of the preference itself.
    fn topics(&self) -> BTreeSet<&String> {
        let tells = |word: &&String| {
            !is_teller(word) && !["instea", "replac", "prefer"].contains(&word.as_str())
        };
        self.telling.iter().filter(tells).collect()
    }
}

/// Tells whether two texts are the same but for two words that changed places.
fn are_swapped(a: &str, b: &str) -> bool {
    let (first, second) = (telling_in_order(a), telling_in_order(b));
    if first.len() != second.len() {
        return false;
    }
    let apart: Vec<usize> = (0..first.len()).filter(|at| first[*at] != second[*at]).collect();
    let [from, to] = apart[..] else { return false };
    first[from] == second[to]
        && first[to] == second[from]
        && !are_equals(a, &first[from], &first[to])
}

/// Tells whether two words are joined as equals: "Redis and Kafka".
fn are_equals(text: &str, first: &str, second: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let place = |stem: &str| words.iter().position(|word| word.starts_with(stem));
    let (Some(from), Some(to)) = (place(first), place(second)) else { return false };
    let between = words.get(from.min(to) + 1..from.max(to)).unwrap_or_default();
    between.iter().all(|word| JOINTS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says_the_same(a: &str, b: &str) -> bool {
        Gist::of(a).is_like(&Gist::of(b))
    }

    #[test]
    fn the_same_words_say_the_same_and_a_denial_does_not() {
        let text = "Orders are stored in PostgreSQL because reports join them";
        assert!(says_the_same(text, "reports: orders are stored in PostgreSQL"));
        assert!(!says_the_same(
            text,
            "Orders are never stored in PostgreSQL because reports join them"
        ));
        assert!(!says_the_same(
            "Retry payment calls 3 times at most",
            "Retry payment calls 5 times at most"
        ));
        assert!(!says_the_same(
            "Forecasts of all stations in the valley are kept for five years",
            "Forecasts of all stations in the valley are kept for seven years"
        ));
    }

    #[test]
    fn words_that_changed_places_say_something_else() {
        for (a, b) in [
            ("Prefer tabs over spaces in C files", "Prefer spaces over tabs in C files."),
            (
                "Writes go to the primary and reads go to replicas",
                "Reads go to the primary and writes go to replicas.",
            ),
            ("The gateway calls billing every night", "Billing calls the gateway every night"),
        ] {
            assert!(!says_the_same(a, b), "{a}");
            assert!(Gist::of(a).is_reverse(&Gist::of(b)), "{a}");
        }
        let (a, b) = ("Use tabs, not spaces, in Ruby", "Use spaces, not tabs, in Python");
        assert!(!Gist::of(a).is_reverse(&Gist::of(b)), "two languages");
        let (a, b) =
            ("Queues live in Redis and Kafka today", "Queues live in Kafka and Redis today");
        assert!(says_the_same(a, b));
    }

    #[test]
    fn the_same_preference_in_other_words_says_the_same() {
        let text = "Use GraphQL instead of REST for the public API.";
        assert!(says_the_same(text, "The public API is GraphQL, not REST"));
        assert!(says_the_same(text, "GraphQL replaces REST in the public API"));
        assert!(!says_the_same(text, "Use REST instead of GraphQL for the public API"));
    }
}
