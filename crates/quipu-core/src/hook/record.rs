//! Whether a prompt says that a conversation is off the record, or on it again. Only a sentence that begins a line and says
//! just that counts: talk about records is no such word.

use crate::prose;
use crate::text;

/// What a prompt says about the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// From here on nothing is kept.
    Off,
    /// Nothing of this turn is kept.
    NotThis,
    /// From here on things are kept again.
    On,
}

/// What may stand before the phrase.
const OPENINGS: [&str; 14] = [
    "ok",
    "okay",
    "please",
    "from now on",
    "from here on",
    "this is",
    "let's go",
    "lets go",
    "we are",
    "we're",
    "go",
    "going",
    "now",
    "strictly",
];
const OFF: [&str; 1] = ["off the record"];
const NOT_THIS: [&str; 8] = [
    "don't remember this",
    "do not remember this",
    "don't remember that",
    "don't save this",
    "don't record this",
    "do not record this",
    "don't store this",
    "keep this off the record",
];
const ON: [&str; 5] = [
    "back on the record",
    "on the record again",
    "on the record",
    "you can remember again",
    "start remembering again",
];

/// Returns what a prompt says about the record; the last word counts.
pub fn word(prompt: &str) -> Option<Word> {
    let lines = prompt.lines().filter(|line| !line.trim_start().starts_with(['>', '`', '|']));
    lines.filter_map(|line| prose::sentences(line).into_iter().find_map(said)).next_back()
}

fn said(sentence: &str) -> Option<Word> {
    let plain = text::collapse_whitespace(&sentence.to_lowercase().replace('’', "'"));
    let mut rest = plain.trim_start_matches(['(', '[', '*', '"', '-', ' ']);
    while let Some(next) = OPENINGS.iter().find_map(|opening| {
        let rest = rest.strip_prefix(opening)?;
        let is_whole = rest.starts_with([' ', ',', ':']);
        is_whole.then(|| rest.trim_start_matches([',', ':', ' ']))
    }) {
        rest = next;
    }
    let begins = |phrases: &[&str]| {
        phrases.iter().any(|phrase| {
            let ends = |rest: &str| {
                let rest = rest.trim_start();
                // "Off the record book" is about a book; "off the record: …" and "off the record, please" are not.
                rest.is_empty()
                    || rest.starts_with([',', ':', '.', '!', '-', '–', '—', ';', ')', ']', '*'])
                    || rest.starts_with("please")
                    || rest.starts_with("for ")
                    || rest.starts_with("from here")
                    || rest.starts_with("from now")
                    || rest.starts_with("now")
                    || rest.starts_with("again")
            };
            rest.strip_prefix(phrase).is_some_and(ends)
        })
    };
    if begins(&NOT_THIS) {
        Some(Word::NotThis)
    } else if begins(&OFF) {
        Some(Word::Off)
    } else if begins(&ON) {
        Some(Word::On)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_that_says_so_and_only_that_changes_the_record() {
        for (prompt, expected) in [
            ("Off the record: my knee hurts", Some(Word::Off)),
            ("This is off the record.", Some(Word::Off)),
            (
                "Okay, let's go off the record for a moment. How do I ask for a raise?",
                Some(Word::Off),
            ),
            ("Please don’t remember this: the party is on Friday", Some(Word::NotThis)),
            ("fix it\n\ndo not record this", Some(Word::NotThis)),
            ("We're back on the record", Some(Word::On)),
            ("ok, back on the record. Run the tests", Some(Word::On)),
            ("The parser runs off the record boundary", None),
            ("Off the record boundary there is a crash", None),
            ("don't remember this function being so slow", None),
            ("> off the record", None),
            ("what does \"off the record\" mean?", None),
        ] {
            assert_eq!(word(prompt), expected, "{prompt}");
        }
    }
}
