//! What sort of thing a text says, by its words: something that holds, a rule, something that
//! happened, or something that is still open. And how strong a feeling speaks from it.
//!
//! Small lists, on purpose: a reader can see why a text was taken for what it was.

mod words;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use self::words::{
    CLOSED, DECISIONS, FEELINGS, OPEN_PHRASES, OPEN_STARTS, PASSING, PRESENT, RULE_PHRASES,
    RULE_WORDS,
};
use crate::calendar;
use crate::entity::word;
use crate::item::MemoryType;
use crate::named::named;
use crate::prose;

named! {
    /// What sort of thing a text says.
    Nature {
        /// Something is still to be done, to come, or to be decided.
        Open = "open",
        /// Something happened, or is so for a while.
        Happening = "happening",
        /// Something is to be done in a certain way.
        Rule = "rule",
        /// Something is so, and stays so.
        State = "state",
    }
}

impl Nature {
    /// Tells whether a thoughtful person would call it permanent knowledge.
    pub fn lasts(self) -> bool {
        matches!(self, Self::Rule | Self::State)
    }

    /// Returns the type of a memory that says such a thing.
    pub fn memory_type(self) -> MemoryType {
        match self {
            Self::Rule => MemoryType::Procedure,
            Self::State => MemoryType::Fact,
            Self::Open | Self::Happening => MemoryType::Narrative,
        }
    }
}

/// Returns what sort of thing a text of a category says.
pub fn nature(text: &str, category: &str) -> Nature {
    if is_open(text, category) {
        return Nature::Open;
    }
    // One clause that holds is enough: "Went over the guitar: it is tuned half a step down".
    let sentences = text.lines().flat_map(prose::sentences);
    let clauses: Vec<&str> = sentences.flat_map(|sentence| sentence.split([';', ':'])).collect();
    let natures: Vec<Nature> = clauses
        .iter()
        .map(|clause| clause.trim())
        .filter(|clause| prose::words(clause, "'’").count() > 2)
        .map(|clause| nature_of_clause(clause, category))
        .collect();
    let passing = PASSING.iter().any(|phrase| has_phrase(&text.to_lowercase(), phrase));
    if let Some(found) = natures.iter().find(|nature| nature.lasts()).filter(|_| !passing) {
        return *found;
    }
    // A word or two say nothing that could be permanent.
    Nature::Happening
}

fn nature_of_clause(clause: &str, category: &str) -> Nature {
    let lower = clause.to_lowercase();
    let words: Vec<&str> = prose::words(&lower, "'’-").collect();
    let Some(first) = words.first() else { return Nature::Happening };
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let phrase = |list: &[&str]| list.iter().any(|phrase| has_phrase(&lower, phrase));
    let is_rule = has(RULE_WORDS) || phrase(RULE_PHRASES);
    let decides = DECISIONS.iter().any(|start| lower.starts_with(start));
    // A day of its own makes an event; a measured value is one as well.
    if calendar::names_a_day(clause) && !names_months_only(clause) && !is_rule {
        return Nature::Happening;
    }
    if is_measured(&lower) {
        return Nature::Happening;
    }
    let past = words.iter().enumerate().any(|(at, word)| tells_past(&words, at, word));
    if decides && !(past_after_and(&words)) && !on_a_weekday(&words) {
        // "Learned that the bakery was closed": what was learned is past too.
        let learned = ["learned", "learnt", "found"].contains(first);
        let rest_is_past =
            words.iter().enumerate().skip(2).any(|(at, word)| tells_past(&words, at, word));
        let is_find = first == &"found" || learned;
        if !(is_find && rest_is_past) {
            return if is_rule || category == "decision" { Nature::Rule } else { Nature::State };
        }
    }
    if past && (!is_rule || word::is_past(first)) {
        return Nature::Happening;
    }
    let imperative = word::is_verb(first) && !word::is_past(first) && !PRESENT.contains(first);
    if is_rule || imperative {
        return Nature::Rule;
    }
    let passive =
        words.windows(2).any(|pair| ["is", "are"].contains(&pair[0]) && pair[1].ends_with("ed"));
    if has(PRESENT) || passive || category == "user-preference" || third_person(&words) {
        return Nature::State;
    }
    if category == "decision" || category == "learned" || category == "convention" {
        return Nature::Rule;
    }
    Nature::Happening
}

/// Tells whether a word is a verb of the past that stands for the sentence, and no participle: "are kept".
fn tells_past(words: &[&str], at: usize, word: &str) -> bool {
    if !word::is_past(word) {
        return false;
    }
    let before = |back: usize| at.checked_sub(back).map(|place| words[place]);
    let helps = |word: Option<&str>| {
        word.is_some_and(|word| {
            [
                "is", "are", "be", "been", "being", "to", "a", "an", "the", "when", "if", "has",
                "have", "can", "may", "must", "should", "gets", "get", "not", "as", "never",
                "always",
            ]
            .contains(&word)
                || word.ends_with("ly")
        })
    };
    // Past the first word, "-ed" may well be an adjective; without a helper it tells the past.
    let is_helped =
        helps(before(1)) || ["is", "are", "be", "been"].iter().any(|help| before(2) == Some(help));
    let same_in_the_present = ["left", "set", "cut", "put", "read", "shut", "hit", "let"];
    at == 0 || !(is_helped || same_in_the_present.contains(&word))
}

fn past_after_and(words: &[&str]) -> bool {
    words.windows(2).any(|pair| pair[0] == "and" && word::is_past(pair[1]))
}

/// "on Saturday", "until Wednesday": once, where no "every" or plural says otherwise.
fn on_a_weekday(words: &[&str]) -> bool {
    words.windows(2).any(|pair| {
        ["on", "until", "till", "by", "last", "next", "this", "from", "to"].contains(&pair[0])
            && crate::when::is_weekday(pair[1])
    })
}

/// Tells whether a text tells what is measured now: "is at 11 %", "is 240 ms".
fn is_measured(lower: &str) -> bool {
    let mut words = lower.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if word == "at"
            && words.peek().is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()))
            && lower.contains('%')
        {
            return true;
        }
    }
    lower.contains(", up from ") || lower.contains(", down from ")
}

fn names_months_only(text: &str) -> bool {
    !text.chars().any(|c| c.is_ascii_digit())
}

/// "Likes an aisle seat", "the choir rehearses": a verb in the third person.
fn third_person(words: &[&str]) -> bool {
    words.iter().take(6).any(|word| {
        word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && word.strip_suffix('s').is_some_and(word::is_verb)
    })
}

/// Tells whether something is still to be done, to come or to be decided, by the words.
pub fn is_open(text: &str, category: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let lower = lower.trim_start_matches(['-', '*', ' ']);
    let last = prose::words(lower, "").last();
    let is_closed = last.is_some_and(|word| CLOSED.contains(&word)) || lower.contains("[x]");
    if is_closed {
        return false;
    }
    if OPEN_STARTS.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    let words: Vec<&str> = prose::words(lower, "'").collect();
    let is_rule =
        words.iter().any(|word| ["always", "never", "every", "each", "whenever"].contains(word));
    if !is_rule && OPEN_PHRASES.iter().any(|phrase| has_phrase(lower, phrase)) {
        return true;
    }
    if ["todo", "open-item", "task"].contains(&category) {
        return words.first().is_some_and(|first| !word::is_past(first));
    }
    // "Ask Rosa whether …", "… by 3 February", "who takes this?"
    let asks = words
        .first()
        .is_some_and(|first| ["ask", "check", "find", "clarify", "decide"].contains(first))
        && words.iter().any(|word| ["whether", "if", "for", "who", "when", "out"].contains(word));
    let has_limit =
        words.first().is_some_and(|first| word::is_verb(first) && !word::is_past(first))
            && words.iter().any(|word| ["by", "before", "until"].contains(word))
            && calendar::names_a_day(lower);
    let is_agreed_for_today = ["takes the", "will do", "will take", "will send", "will ask"]
        .iter()
        .any(|phrase| has_phrase(lower, phrase))
        && ["today", "tomorrow", "this week", "next week"]
            .iter()
            .any(|phrase| has_phrase(lower, phrase));
    asks || has_limit || is_agreed_for_today || (lower.ends_with('?') && category != "learned")
}

/// Returns why a text must not be put away, where it must not: it is open, or names a day to come.
pub fn keeps(text: &str, category: &str, written: Date, today: Date) -> Option<&'static str> {
    if calendar::days_named(text, written).into_iter().any(|day| day >= today) {
        return Some("a day to come");
    }
    is_open(text, category).then_some("an open item")
}

/// Returns the strongest feeling that speaks from a text, from −1 to 1: 0 where none does.
pub fn valence(text: &str) -> f32 {
    let lower = text.to_lowercase();
    let words: Vec<&str> = prose::words(&lower, "'").collect();
    let mut strongest = 0.0_f32;
    for (at, word) in words.iter().enumerate() {
        let Some((_, value)) = FEELINGS.iter().find(|(name, _)| name == word) else { continue };
        // "Not happy" is the other way round, and weaker.
        let before = words[at.saturating_sub(2)..at].iter();
        let is_denied = before
            .clone()
            .any(|word| ["not", "no", "never", "isn't", "wasn't", "don't"].contains(word));
        let value = if is_denied { -value / 2.0 } else { *value };
        if value.abs() > strongest.abs() {
            strongest = value;
        }
    }
    strongest
}

fn has_phrase(lower: &str, phrase: &str) -> bool {
    let bare = phrase.trim();
    lower.match_indices(bare).any(|(at, _)| {
        let before = lower[..at].chars().next_back();
        let after = lower[at + bare.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric)
            && (bare.ends_with(':')
                || bare.ends_with('.')
                || !after.is_some_and(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_seen_and_what_is_done_is_not() {
        for open in [
            "TODO: rotate the key",
            "Waiting for the plumber's offer for the bathroom.",
            "We need to renew the certificate.",
            "Boat to Runde still to be booked.",
            "Renew the passport by 3 February",
        ] {
            assert!(is_open(open, "note"), "{open}");
        }
        for closed in ["Paid the deposit for the flat, finished.", "The gateway is written in Go."]
        {
            assert!(!is_open(closed, "note"), "{closed}");
        }
    }

    #[test]
    fn a_day_to_come_keeps_a_text() {
        let day = Date::constant;
        let text = "The dentist's appointment is on 21 January 2027 at 8:15.";
        assert_eq!(keeps(text, "note", day(2026, 7, 8), day(2026, 12, 1)), Some("a day to come"));
        assert_eq!(keeps(text, "note", day(2026, 7, 8), day(2027, 2, 1)), None);
    }

    #[test]
    fn feelings_are_read_from_words() {
        assert!(valence("Maria was furious about the outage") < -0.8);
        assert!(valence("We are thrilled with the result") > 0.8);
        assert!(valence("The port is 8080").abs() < f32::EPSILON);
        assert!(valence("she was not happy") < 0.0);
    }
}
