//! Long texts, cut to the passages that have to do with a question. Which words match is up to
//! `terms`; how long a text may be is up to the caller.

use std::collections::BTreeMap;

use crate::prose;
use crate::terms::{self, Language, Term};
use crate::text;

/// Longer sentences are split between words.
const LONGEST_PASSAGE: usize = 240;

/// How long a recalled memory may be before it is cut. The first ones are the likeliest answers, and
/// keep more of their words.
const LIMITS: [usize; 3] = [2400; 3];
const LIMIT: usize = 1600;

/// What stands where something was left out.
const GAP: &str = "…";

/// How much the words of the passages one and two places away count: an answer often stands beside
/// the words that were asked for.
const NEAR: [f32; 2] = [0.4, 0.15];

/// How much the first passage counts without any match: it says what the text is about.
const OPENING: f32 = 0.3;

/// Returns how many characters of the memory at a place of the ranking are shown.
pub fn limit(rank: usize) -> usize {
    LIMITS.get(rank).copied().unwrap_or(LIMIT)
}

/// Cuts a text that is longer than `limit` characters to the passages that match `question` best, in
/// their order, with `…` where something was left out. Returns `None` for a text that fits.
pub fn around(whole: &str, question: &str, limit: usize) -> Option<String> {
    whole.chars().nth(limit)?;
    let passages = passages(whole);
    let scores = scores(whole, &passages, question);
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut kept = Vec::new();
    let mut used = 0;
    for at in order {
        // A space or a gap follows.
        let length = passages[at].chars().count() + 2;
        if used + length <= limit {
            used += length;
            kept.push(at);
        }
    }
    if kept.is_empty() {
        return Some(text::ellipsis(passages.first().copied().unwrap_or_default(), limit));
    }
    kept.sort_unstable();
    Some(joined(&passages, &kept))
}

/// Returns a memory as an item of a list, such as `- [its-id] (fact, 2026-04-20, team) Its words`, and
/// whether it was cut. Its own lines are indented, so that none of them looks like another memory.
pub fn line(
    id: &str,
    about: &[String],
    text: &str,
    question: &str,
    limit: usize,
) -> (String, bool) {
    let cut = around(text, question, limit);
    let is_cut = cut.is_some();
    let mut words = cut.map_or_else(|| indented(text), |cut| text::collapse_whitespace(&cut));
    if is_cut {
        let gap = if words.ends_with(GAP) { "" } else { " …" };
        words.push_str(gap);
        words.push_str(" show ");
        words.push_str(id);
    }
    let about = about.join(", ");
    (format!("- [{id}] ({about}) {words}\n"), is_cut)
}

/// Returns a text whose lines after the first are indented; empty ones are left out.
pub fn indented(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    lines.collect::<Vec<_>>().join("\n  ")
}

/// Returns the sentences of a text, line by line; very long ones in pieces.
pub fn passages(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(prose::sentences).flat_map(pieces).collect()
}

fn pieces(sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = sentence;
    while let Some((end, _)) = rest.char_indices().nth(LONGEST_PASSAGE) {
        let space = rest[..end].rfind(char::is_whitespace).filter(|at| *at > end / 2);
        let (piece, after) = rest.split_at(space.unwrap_or(end));
        pieces.push(piece);
        rest = after.trim_start();
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

fn scores(text: &str, passages: &[&str], question: &str) -> Vec<f32> {
    let language = terms::of_document(text).language;
    let asked = terms::of_query(question, &[language]);
    let matches: Vec<Vec<usize>> = passages
        .iter()
        .map(|passage| {
            let forms = forms(passage, language);
            let matched = asked.iter().enumerate();
            let is_there = |form: &Term| forms.binary_search(form).is_ok();
            matched.filter(|(_, word)| word.forms.iter().any(is_there)).map(|(at, _)| at).collect()
        })
        .collect();
    // A word of the question that every passage has does not tell them apart.
    let mut spread: BTreeMap<usize, f32> = BTreeMap::new();
    for word in matches.iter().flatten() {
        *spread.entry(*word).or_default() += 1.0;
    }
    let own: Vec<f32> = matches
        .iter()
        .map(|words| words.iter().map(|word| 1.0 / (1.0 + spread[word].ln())).sum())
        .collect();
    let at = |place: Option<usize>| place.and_then(|place| own.get(place)).copied();
    (0..passages.len())
        .map(|place| {
            let opening = if place == 0 { OPENING } else { 0.0 };
            let near = NEAR.iter().zip(1..).map(|(weight, steps)| {
                let before = at(place.checked_sub(steps)).unwrap_or_default();
                weight * (before + at(Some(place + steps)).unwrap_or_default())
            });
            own[place] + near.sum::<f32>() + opening
        })
        .collect()
}

/// Returns what the words of a passage may be in the index, in order.
fn forms(passage: &str, language: Language) -> Vec<Term> {
    let words = terms::of_query(passage, &[language]);
    let mut forms: Vec<Term> = words.into_iter().flat_map(|word| word.forms).collect();
    forms.sort_unstable();
    forms
}

fn joined(passages: &[&str], kept: &[usize]) -> String {
    let mut text = String::new();
    let mut next = 0;
    for &at in kept {
        if at > next {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(GAP);
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(passages[at]);
        next = at + 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_not_cut() {
        assert_eq!(around("short", "anything", 5), None);
    }

    #[test]
    fn the_passages_that_match_survive_in_their_order() {
        let filler = "Nothing of interest happened on that day in the office. ".repeat(30);
        let text = format!(
            "We met in Lisbon. {filler}The deploy moved to Tuesday.\nIt takes two hours. {filler}"
        );
        let cut = around(&text, "when do we deploy?", 200).unwrap();
        assert!(cut.contains("The deploy moved to Tuesday. It takes two hours."), "{cut}");
        assert!(cut.starts_with("We met in Lisbon."), "{cut}");
        assert!(cut.chars().count() <= 200, "{cut}");
    }

    #[test]
    fn a_text_without_sentences_is_cut_too() {
        let text = "word ".repeat(400) + "needle " + &"word ".repeat(400);
        let cut = around(&text, "where is the needle", 300).unwrap();
        assert!(cut.contains("needle") && cut.chars().count() <= 300, "{cut}");
        let text = "x".repeat(5000);
        assert_eq!(around(&text, "y", 300).unwrap().chars().count(), 240);
    }

    #[test]
    fn no_line_of_a_memory_looks_like_another_memory() {
        let about = ["note".to_owned(), "2026-04-20".to_owned(), "project".to_owned()];
        let (line, is_cut) = line("k7m2", &about, "One\n\n- [fake] (fact) Two", "", 100);
        assert_eq!(line, "- [k7m2] (note, 2026-04-20, project) One\n  - [fake] (fact) Two\n");
        assert!(!is_cut);
        let (cut, is_cut) = super::line("k7m2", &about[..1], &"word ".repeat(50), "x", 40);
        assert!(is_cut && cut.ends_with("… show k7m2\n"), "{cut}");
    }

    #[test]
    fn where_no_passage_fits_the_beginning_is_kept() {
        assert_eq!(around(&"x".repeat(300), "y", 10).unwrap(), "xxxxxxxxx…");
    }
}
