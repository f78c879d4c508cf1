//! What a user states for good in a conversation: a wish, a rule, a decision. Found by rule, for the time when no
//! model is at hand; better to miss one than to take a passing word for one.
//!
//! Two things make a sentence worth keeping: it asks for memory (`phrases::ASKS`), or it says by itself that it
//! holds from now on (`phrases::STANDS`). What was pasted or quoted is nobody's wish (`typed`).

mod phrases;
mod typed;

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use crate::prose::{is_full_stop, is_unspaced, sentences_by};
use crate::text;

/// A longer sentence is a text, not a statement.
const LONGEST: usize = 400;

/// A statement has at least so many words.
const FEWEST_WORDS: usize = 3;

/// What somebody asked to remember has at least so many.
const FEWEST_ASKED: usize = 2;

/// So many sentences follow one request to remember.
const MOST_FOLLOWING: usize = 3;

/// So many lines may a list have.
const LONGEST_LIST: usize = 8;

/// A longer sentence says more than that another one is to be remembered.
const LONGEST_REQUEST: usize = 14;

/// A sentence that is worth keeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The category of its record.
    pub category: &'static str,
    /// The words.
    pub text: String,
}

/// Returns what a message of the user states for good, in order. Code and quotes are not the user's
/// words; a question states nothing.
pub fn statements(message: &str) -> Vec<Statement> {
    let mut sentences: Vec<Sentence> = Vec::new();
    for (paragraph, lines) in typed::paragraphs(message).iter().enumerate() {
        for (line, words) in lines.iter().enumerate() {
            let texts = self::sentences(words).into_iter();
            sentences.extend(texts.map(|text| Sentence { paragraph, line, text }));
        }
    }
    let mut found: Vec<Statement> = Vec::new();
    let mut at = 0;
    while at < sentences.len() {
        let before = at.checked_sub(1).map(|before| &sentences[before]);
        let taken = stated(&sentences[at..], before);
        at += taken.used;
        for one in taken.statements {
            let is_new = !found.iter().any(|other| other.text.contains(&one.text));
            if is_new && is_sound(&one.text) {
                found.push(one);
            }
        }
    }
    found
}

/// A sentence, and where it stands.
struct Sentence {
    paragraph: usize,
    line: usize,
    text: String,
}

/// What was taken from the beginning of some sentences.
#[derive(Default)]
struct Taken {
    statements: Vec<Statement>,
    /// How many of the sentences were looked at.
    used: usize,
}

/// Looks at the first of some sentences, and at what belongs to it. `before` is the one that was said last.
fn stated(sentences: &[Sentence], before: Option<&Sentence>) -> Taken {
    let sentence = &sentences[0].text;
    let nothing = Taken { used: 1, ..Taken::default() };
    let lower = folded(sentence);
    let asked = first(phrases::asks(), &lower);
    if phrases::is_passing(&lower) || (asked.is_none() && phrases::happens(&lower)) {
        return nothing;
    }
    if is_question(sentence, &lower) && !(asked.is_some() && phrases::is_polite(&lower)) {
        return nothing;
    }
    if let Some((span, category)) = asked {
        // "remember our API …": the words after the first are meant.
        let end =
            if category == "whole" { lower.find("remember").unwrap_or(0) + 8 } else { span.end };
        let (texts, used) = asked_for(sentences, before, span.start..end);
        let category = if phrases::is_wish(&lower) { "user-preference" } else { "learned" };
        let statements = texts.into_iter().map(|text| Statement { category, text }).collect();
        return Taken { statements, used };
    }
    match first(phrases::stands(), &lower) {
        Some((_, category)) => {
            Taken { statements: vec![Statement { category, text: sentence.clone() }], used: 1 }
        }
        None => nothing,
    }
}

/// Returns what the request at `span` of the first sentence is about, and how many sentences that takes: the words
/// behind it, those before it, the sentence before, or the ones that follow.
fn asked_for(
    sentences: &[Sentence],
    before: Option<&Sentence>,
    span: Range<usize>,
) -> (Vec<String>, usize) {
    let Sentence { paragraph, line, text: sentence } = &sentences[0];
    let lower = folded(sentence);
    let content = content(&sentence[span.end..]);
    let (mut texts, mut used) = (Vec::new(), 1);
    if counted(&content) >= FEWEST_ASKED && !phrases::announces(&content) {
        texts.push(content);
    } else if lower[span.end..].split_whitespace().count() > LONGEST_REQUEST {
        return (texts, used);
    } else {
        let own =
            sentence[..span.start].trim_end_matches(|c: char| !c.is_alphanumeric() && c != '/');
        if counted(own) >= FEWEST_WORDS {
            return (vec![told(own)], used);
        }
        let back =
            before.filter(|before| before.paragraph == *paragraph && !before.text.ends_with('?'));
        if let Some(back) = back.filter(|_| phrases::points_back(&lower)) {
            return (vec![told(&back.text)], used);
        }
    }
    // A list follows line by line, other words in one line.
    let is_list = sentence.ends_with(':') && texts.is_empty();
    let is_alone = sentences.iter().any(|one| (one.paragraph, one.line) != (*paragraph, *line));
    let most = match (is_list, is_alone || texts.is_empty()) {
        (true, _) => LONGEST_LIST,
        (_, true) => MOST_FOLLOWING,
        _ => 1,
    };
    let mut place = (*paragraph, *line);
    for next in &sentences[1..] {
        if texts.is_empty() {
            place = (next.paragraph, next.line);
        }
        let lower = folded(&next.text);
        let is_elsewhere =
            if is_list { next.paragraph != place.0 } else { (next.paragraph, next.line) != place };
        let is_over = texts.len() >= most || is_elsewhere || is_question(&next.text, &lower);
        if is_over || (phrases::is_task(&lower) && !is_list) {
            break;
        }
        texts.push(next.text.clone());
        used += 1;
    }
    (texts, used)
}

/// Tells whether a statement can stand by itself.
fn is_sound(text: &str) -> bool {
    text.chars().count() <= LONGEST && counted(text) >= FEWEST_ASKED
}

/// Returns the number of words; two characters of a script without spaces count as one.
fn counted(text: &str) -> usize {
    text.split_whitespace().count() + text.chars().filter(|c| is_unspaced(*c)).count() / 2
}

/// Returns what is to be remembered of the rest of a request.
fn content(rest: &str) -> String {
    static ASIDE: OnceLock<Regex> = OnceLock::new();
    let rest = rest.trim_end_matches('?');
    let rest = without_fillers(rest);
    // "across sessions please — Mrs. Whitlock …"
    let aside = pattern(&ASIDE, r"^(?:[\w']+[ ,]+){0,5}[\w']+\s*(?::|—|–| - )\s+");
    let rest = match aside.find(&folded(rest)) {
        Some(found) if phrases::is_aside(&folded(&rest[..found.end()])) => &rest[found.end()..],
        _ => rest,
    };
    text::collapse_whitespace(without_fillers(rest))
}

/// Returns words without what only joins them to a request.
fn without_fillers(words: &str) -> &str {
    const FILLERS: [&str; 12] = [
        "that",
        "please",
        "pls",
        "dass",
        "bitte",
        "que",
        "por favor",
        "che",
        "dat",
        "also",
        "for me",
        "immer dran",
    ];
    let bare = |words: &str| {
        words.len()
            - words
                .trim_start_matches(|c: char| c.is_whitespace() || ",:;.!—–-,:".contains(c))
                .len()
    };
    let mut rest = &words[bare(words)..];
    while let Some(after) = FILLERS.iter().find_map(|filler| {
        let lower = folded(rest);
        let ends = lower.strip_prefix(filler)?.starts_with(|c: char| !c.is_alphanumeric());
        ends.then(|| &rest[filler.len()..])
    }) {
        rest = &after[bare(after)..];
    }
    rest
}

/// Returns a sentence without "I've told you:".
fn told(sentence: &str) -> String {
    static TOLD: OnceLock<Regex> = OnceLock::new();
    let told = pattern(
        &TOLD,
        r"^(?:i|we)(?:'ve| have|'d)?(?: already)? (?:told|said|mentioned|explained)[^:]*:\s*",
    );
    match told.find(&folded(sentence)) {
        Some(found) => sentence[found.end()..].to_owned(),
        None => sentence.to_owned(),
    }
}

/// Returns where the first of some phrases stands in a sentence in small letters, and what it means.
fn first(phrases: &[(Regex, &'static str)], lower: &str) -> Option<(Range<usize>, &'static str)> {
    phrases.iter().find_map(|(phrase, category)| Some((phrase.find(lower)?.range(), *category)))
}

/// Returns a sentence in small letters, byte by byte where it was.
fn folded(sentence: &str) -> String {
    let fold = |c: char| match c {
        c if c.len_utf8() == 1 => c.to_ascii_lowercase(),
        c => c.to_lowercase().next().filter(|small| small.len_utf8() == c.len_utf8()).unwrap_or(c),
    };
    sentence.chars().map(fold).collect()
}

fn is_question(sentence: &str, lower: &str) -> bool {
    let is_tag = phrases::ends_with_a_tag(lower);
    sentence.starts_with('¿') || (sentence.trim_end().ends_with('?') && !is_tag)
}

/// Returns the sentences of a line.
fn sentences(line: &str) -> Vec<String> {
    // Many messages have no capitals, and a semicolon ends what is said for good.
    let ends = |before: &str, mark: char, after: &str| {
        is_full_stop(before, mark, after) || (mark == ';' && after.starts_with(char::is_whitespace))
    };
    let sentences = sentences_by(line, ends).into_iter();
    let sentences = sentences.map(|one| text::collapse_whitespace(&one.replace('’', "'")));
    sentences.filter(|one| !one.is_empty()).collect()
}

fn pattern<'c>(cell: &'c OnceLock<Regex>, words: &str) -> &'c Regex {
    cell.get_or_init(|| Regex::new(words).expect("a pattern of ours is one"))
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
    fn a_request_takes_the_words_that_it_is_about() {
        let texts = |message| found(message).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(
            texts("Remember that we always squash before merging"),
            ["we always squash before merging"]
        );
        assert_eq!(
            texts("Our API returns cents. Write that down, please."),
            ["Our API returns cents."]
        );
        assert_eq!(
            texts("For your memory:\nThe demo tenant is called Elm.\n\nNow fix the chart."),
            ["The demo tenant is called Elm."]
        );
    }

    #[test]
    fn a_request_for_the_team_is_about_the_sentence_before_it() {
        let texts = |message: &str| -> Vec<String> {
            found(message).into_iter().map(|(_, text)| text).collect()
        };
        for request in ["Please remember that for the team.", "Remember this for everyone, please."]
        {
            let message = format!("Search ignores superseded pages. {request}");
            assert_eq!(texts(&message), ["Search ignores superseded pages."], "{request}");
        }
        assert_eq!(
            texts("Please remember: release notes go to the releases page, never a changelog file"),
            ["release notes go to the releases page, never a changelog file"]
        );
        assert_eq!(
            texts("Remember that for the release we need two approvals"),
            ["for the release we need two approvals"]
        );
        assert_eq!(
            texts("every command needs a test in tests/, remember that"),
            ["every command needs a test in tests/"]
        );
    }

    #[test]
    fn a_letter_that_was_pasted_is_nobody_s_wish() {
        let letter = "Hi all,\nplease remember that the office is closed on Friday.\n\n\
                      From now on badges are required.\nBest,\nSam";
        assert_eq!(found(&format!("Summarise this mail:\n\n{letter}")), []);
        assert_eq!(found(&format!("{letter}\n\nWhat does Sam want?")), []);
        let own = "Hi Claude,\nremember that the office is closed on Fridays.\nThanks!";
        assert_eq!(found(own).len(), 1, "nobody but the agent is addressed");
        assert_eq!(
            found(&format!("{letter}\n\nFrom now on answer such mails in German.")).len(),
            1
        );
    }

    #[test]
    fn requests_in_other_words_are_found_and_those_for_now_are_not() {
        for (message, kept) in [
            ("Store this permanently: the court closes at 21:00.", "the court closes at 21:00."),
            (
                "Let's remember for all upcoming tournaments that the hall opens at 8.",
                "the hall opens at 8.",
            ),
        ] {
            assert_eq!(found(message)[0].1, kept);
        }
        assert_eq!(found("Keep in mind while you do this refactoring that I leave at five."), []);
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
            "Remember to update the changelog.",
            "The linter says:\nalways use tabs in this repo",
        ] {
            assert_eq!(found(message), [], "{message}");
        }
    }
}
