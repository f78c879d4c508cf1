//! What a user states for good in a conversation: a wish, a rule, a decision. Found by rule, for the
//! time when no model is at hand; better to miss one than to take a passing word for a rule.

use crate::prose::{is_full_stop, sentences_by};
use crate::text;

/// A longer sentence is a text, not a statement.
const LONGEST: usize = 400;

/// A shorter one says nothing to another day.
const SHORTEST: usize = 15;

/// A sentence that is worth keeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The category of its record.
    pub category: &'static str,
    /// The words.
    pub text: String,
}

/// Where words must stand to make a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Beginning,
    Anywhere,
}

/// Words that make a sentence a statement, and its category; the first that fit win.
const SIGNS: &[(&str, Place, &str)] = &[
    ("remember that ", Place::Beginning, "learned"),
    ("remember: ", Place::Beginning, "learned"),
    ("remember to ", Place::Beginning, "user-preference"),
    ("remember, ", Place::Beginning, "learned"),
    ("note that ", Place::Beginning, "learned"),
    ("for the record", Place::Beginning, "learned"),
    ("keep in mind", Place::Beginning, "learned"),
    ("merke dir", Place::Beginning, "learned"),
    ("from now on", Place::Anywhere, "user-preference"),
    ("in future, ", Place::Beginning, "user-preference"),
    ("in the future, ", Place::Beginning, "user-preference"),
    ("ab jetzt", Place::Beginning, "user-preference"),
    ("we decided", Place::Anywhere, "decision"),
    ("we've decided", Place::Anywhere, "decision"),
    ("we have decided", Place::Anywhere, "decision"),
    ("we agreed", Place::Anywhere, "decision"),
    ("the decision is", Place::Anywhere, "decision"),
    ("let's go with ", Place::Beginning, "decision"),
    ("wir haben entschieden", Place::Anywhere, "decision"),
    ("i prefer ", Place::Anywhere, "user-preference"),
    ("i'd prefer ", Place::Anywhere, "user-preference"),
    ("we prefer ", Place::Anywhere, "user-preference"),
    ("i always ", Place::Beginning, "user-preference"),
    ("i never ", Place::Beginning, "user-preference"),
    ("we always ", Place::Beginning, "user-preference"),
    ("we never ", Place::Beginning, "user-preference"),
    ("always ", Place::Beginning, "user-preference"),
    ("never ", Place::Beginning, "user-preference"),
    ("please always ", Place::Beginning, "user-preference"),
    ("please never ", Place::Beginning, "user-preference"),
    ("don't ever ", Place::Beginning, "user-preference"),
];

/// Words that make it a passing remark after all.
const PASSING: &[&str] = &["never mind", "never again this", "remember when", "always?", "never?"];

/// Returns what a message of the user states for good, in order. Code and quotes are not the user's
/// words; a question states nothing.
pub fn statements(message: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for sentence in sentences(message) {
        let length = sentence.chars().count();
        if !(SHORTEST..=LONGEST).contains(&length) || sentence.ends_with('?') {
            continue;
        }
        let lower = sentence.to_lowercase().replace('’', "'");
        if PASSING.iter().any(|words| lower.contains(words)) {
            continue;
        }
        let fits = |(words, place, _): &&(&str, Place, &str)| match place {
            Place::Beginning => begins(&lower, words),
            Place::Anywhere => lower.contains(words),
        };
        if let Some((_, _, category)) = SIGNS.iter().find(fits)
            && !found.iter().any(|one| one.text == sentence)
        {
            found.push(Statement { category, text: sentence });
        }
    }
    found
}

/// Tells whether a sentence begins with words, after words that mean nothing.
fn begins(sentence: &str, words: &str) -> bool {
    let mut rest = sentence;
    for little in ["and ", "so ", "also, ", "also ", "ok, ", "okay, ", "please "] {
        rest = rest.strip_prefix(little).unwrap_or(rest);
    }
    rest.starts_with(words) || sentence.starts_with(words)
}

/// Returns the sentences of a message, without code and quotes.
fn sentences(message: &str) -> Vec<String> {
    let mut prose = String::new();
    let mut in_code = false;
    for line in message.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            in_code = !in_code;
        } else if !in_code && !trimmed.starts_with('>') && !line.starts_with("    ") {
            let bare = trimmed.trim_start_matches(['-', '*', '#']).trim_start();
            prose.push_str(bare);
            // A list or a heading ends with its line; so does anything after a blank one.
            prose.push(if bare.len() < trimmed.len() || bare.is_empty() { '\n' } else { ' ' });
        }
    }
    // Many messages have no capitals, and a semicolon ends what is said for good.
    let ends = |before: &str, mark: char, after: &str| {
        is_full_stop(before, mark, after) || (mark == ';' && after.starts_with(char::is_whitespace))
    };
    let sentences = prose.lines().flat_map(|line| sentences_by(line, ends));
    sentences.map(text::collapse_whitespace).filter(|one| !one.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> Vec<(&'static str, String)> {
        statements(message).into_iter().map(|one| (one.category, one.text)).collect()
    }

    #[test]
    fn what_is_said_for_good_is_found() {
        assert_eq!(
            found("Nice. From now on, run the linter first! And we decided to ship on Tuesdays."),
            [
                ("user-preference", "From now on, run the linter first!".to_owned()),
                ("decision", "And we decided to ship on Tuesdays.".to_owned()),
            ]
        );
        assert_eq!(
            found("- Always use tabs in this repo\n- never push to main"),
            [
                ("user-preference", "Always use tabs in this repo".to_owned()),
                ("user-preference", "never push to main".to_owned()),
            ]
        );
        assert_eq!(found("Please remember that the staging server is called Bertha.").len(), 1);
        assert_eq!(found("I prefer small commits; they are easier to read.").len(), 1);
    }

    #[test]
    fn a_passing_word_is_no_rule() {
        for message in [
            "never mind, that is fine",
            "do you remember that bug?",
            "Should we always use tabs?",
            "it always fails on the second run",
            "remember",
            "```\nalways use tabs in this repo\n```",
            "> always use tabs in this repo",
            "the docs say you should never do this with a lock",
            "fix the test that never finishes on CI",
            "continue",
        ] {
            assert_eq!(found(message), [], "{message}");
        }
    }
}
