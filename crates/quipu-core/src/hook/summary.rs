//! Whether an answer of an agent says something that is worth a line in the memory of a session.

use super::evidence;

/// A shorter answer says nothing to another day.
const FEWEST_WORDS: usize = 8;

/// An answer says something if it has so many words that few use, names or numbers.
const FEWEST_TELLING: usize = 2;

/// Words that an answer begins with which only says that it was heard.
const ACKNOWLEDGEMENTS: [&str; 16] = [
    "understood",
    "noted",
    "ok",
    "okay",
    "sure",
    "got it",
    "alright",
    "thanks",
    "thank you",
    "you're welcome",
    "will do",
    "i'll remember",
    "i will remember",
    "i've noted",
    "verstanden",
    "entendido",
];

/// Tells whether an answer is worth keeping as the summary of a session.
pub fn says_something(answer: &str) -> bool {
    let lower = answer.trim().to_lowercase().replace('’', "'");
    let is_heard = ACKNOWLEDGEMENTS.iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let words = answer.split_whitespace().count();
    let is_question = lower.ends_with('?');
    words >= FEWEST_WORDS
        && !is_heard
        && !is_question
        && evidence::telling_words(answer) >= FEWEST_TELLING
}

#[cfg(test)]
mod tests {
    use super::says_something;

    #[test]
    fn an_acknowledgement_says_nothing() {
        for answer in [
            "Understood: from now on I will squash before merging, as you asked me to.",
            "Done.",
            "OK, I have noted that for all of our future work together, thank you.",
            "What would you like me to do next with all of this?",
            "Let me know if there is anything else that I can do for you today.",
        ] {
            assert!(!says_something(answer), "{answer}");
        }
        assert!(says_something(
            "I moved the retry loop into `net/retry.rs` and bounded it at 5 attempts with jitter."
        ));
    }
}
