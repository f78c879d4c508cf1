//! What many records say, in the words of the few that say it best. Extractive, by rule.
//!
//! Short input stays as it is. Of longer input decisions and preferences are kept verbatim, then the
//! sentences that are nearest to what all are about and least like those already taken, in the order
//! in which they were written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::prose;
use crate::secret::{self, Scope};
use crate::terms::{self, Term};
use crate::text;

/// How much a sentence loses for being like one that was taken.
const NOVELTY: f32 = 0.7;

/// A longer sentence is a paste, and told by its beginning.
const LONGEST_SENTENCE: usize = 300;

/// Shorter ones say little by themselves.
const SHORTEST_SENTENCE: usize = 12;

/// More sentences than this are not compared with each other; the newest are.
const MOST_SENTENCES: usize = 20_000;

/// Something that was said.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// When.
    pub at: Timestamp,
    /// The words.
    pub text: &'a str,
}

/// Says the same in at most `budget` characters, where there is more than that.
///
/// Nothing that looks like a credential gets in.
pub fn extract(said: &[Said<'_>], budget: usize) -> String {
    let mut seen = BTreeSet::new();
    let texts: Vec<(Timestamp, String)> = said
        .iter()
        .map(|one| (one.at, secret::redacted(one.text.trim(), Scope::Credentials)))
        .filter(|(_, text)| !text.is_empty() && seen.insert(text.clone()))
        .collect();
    let whole: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let whole = whole.join("\n\n");
    if whole.chars().count() <= budget {
        return whole;
    }
    let sentences = Sentence::all(&texts);
    let chosen = choose(&sentences, budget);
    let lines: Vec<String> = chosen.into_iter().map(|at| sentences[at].line()).collect();
    lines.join("\n")
}

/// Says what all of them say, each thing once, where that fits into `budget` characters.
///
/// A sentence is there already when it has the same words, whatever their order and endings, and the
/// same numbers.
pub fn union(said: &[Said<'_>], budget: usize) -> Option<String> {
    let mut told: BTreeSet<(Vec<Term>, Vec<String>, bool)> = BTreeSet::new();
    let mut whole = String::new();
    let mut length = 0;
    for one in said {
        let text = secret::redacted(one.text.trim(), Scope::Credentials);
        for sentence in sentences_of(&text) {
            let words = terms::of_document(sentence).counts.into_iter().map(|(term, _)| term);
            let numbers = numbers(sentence).into_iter().map(str::to_owned).collect();
            let negated = crate::contradict::is_negated(sentence);
            if !told.insert((words.collect(), numbers, negated)) {
                continue;
            }
            length += sentence.chars().count() + usize::from(!whole.is_empty());
            if length > budget {
                return None;
            }
            if !whole.is_empty() {
                whole.push('\n');
            }
            whole.push_str(sentence);
        }
    }
    (!whole.is_empty()).then_some(whole)
}

fn numbers(sentence: &str) -> BTreeSet<&str> {
    prose::words(sentence, ".")
        .map(|word| word.trim_matches('.'))
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .collect()
}

struct Sentence<'a> {
    day: String,
    text: Cow<'a, str>,
    /// Weighted words; their squares add up to one.
    vector: BTreeMap<Term, f32>,
    is_marked: bool,
}

impl<'a> Sentence<'a> {
    fn all(texts: &'a [(Timestamp, String)]) -> Vec<Self> {
        let mut sentences = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, text) in texts.iter().rev() {
            let day = at.to_zoned(TimeZone::UTC).date().to_string();
            let mut own: Vec<Self> = self::sentences(text)
                .into_iter()
                .filter(|text| seen.insert(text.to_lowercase()))
                .map(|text| {
                    let words = terms::of_document(&text).counts;
                    #[expect(clippy::cast_precision_loss, reason = "few words")]
                    let vector = words.into_iter().map(|(term, count)| (term, count as f32));
                    let is_marked = is_marked(&text);
                    Self { day: day.clone(), text, vector: vector.collect(), is_marked }
                })
                .collect();
            own.reverse();
            sentences.extend(own);
            if sentences.len() >= MOST_SENTENCES {
                break;
            }
        }
        sentences.reverse();
        weigh(&mut sentences);
        sentences
    }

    fn line(&self) -> String {
        format!("- {}: {}", self.day, self.text)
    }

    /// How much of their words two sentences share. Rare words count no more than others here: the
    /// same sentence with another number in it is the same again.
    #[expect(clippy::cast_precision_loss, reason = "few words")]
    fn likeness(&self, other: &Self) -> f32 {
        let (small, large) = if self.vector.len() < other.vector.len() {
            (&self.vector, &other.vector)
        } else {
            (&other.vector, &self.vector)
        };
        let shared = small.keys().filter(|term| large.contains_key(term)).count();
        shared as f32 / ((small.len() * large.len()).max(1) as f32).sqrt()
    }
}

/// Gives rare words their weight, and every sentence the same length.
#[expect(clippy::cast_precision_loss, reason = "counts of sentences")]
fn weigh(sentences: &mut [Sentence<'_>]) {
    let mut holders: BTreeMap<Term, usize> = BTreeMap::new();
    for term in sentences.iter().flat_map(|sentence| sentence.vector.keys()) {
        *holders.entry(*term).or_default() += 1;
    }
    let all = sentences.len() as f32;
    for sentence in sentences {
        for (term, weight) in &mut sentence.vector {
            *weight *= (1.0 + all / holders.get(term).copied().unwrap_or(1) as f32).ln();
        }
        let length = sentence.vector.values().map(|weight| weight * weight).sum::<f32>().sqrt();
        if length > 0.0 {
            sentence.vector.values_mut().for_each(|weight| *weight /= length);
        }
    }
}

/// Returns the sentences to keep, in order.
fn choose(sentences: &[Sentence<'_>], budget: usize) -> BTreeSet<usize> {
    let mut centre: BTreeMap<Term, f32> = BTreeMap::new();
    for (term, weight) in sentences.iter().flat_map(|sentence| &sentence.vector) {
        *centre.entry(*term).or_default() += weight;
    }
    let length = centre.values().map(|weight| weight * weight).sum::<f32>().sqrt().max(1e-6);
    let centrality = |sentence: &Sentence<'_>| {
        let words = sentence.vector.iter();
        words.filter_map(|(term, weight)| Some(weight * centre.get(term)?)).sum::<f32>() / length
    };
    let central: Vec<f32> = sentences.iter().map(centrality).collect();
    let mut nearest = vec![0.0_f32; sentences.len()];
    let mut chosen = BTreeSet::new();
    let mut left = budget;
    let mut take = |at: usize, nearest: &mut Vec<f32>, chosen: &mut BTreeSet<usize>| {
        let cost = sentences[at].line().chars().count() + 1;
        if cost > left {
            return false;
        }
        left -= cost;
        chosen.insert(at);
        for (other, near) in nearest.iter_mut().enumerate() {
            *near = near.max(sentences[at].likeness(&sentences[other]));
        }
        true
    };
    // The newest decision on a matter says where it stands, so they are taken from the end.
    let mut open: Vec<usize> = (0..sentences.len()).collect();
    for at in open.iter().copied().rev().filter(|at| sentences[*at].is_marked) {
        if nearest[at] < 0.95 {
            take(at, &mut nearest, &mut chosen);
        }
    }
    open.retain(|at| !chosen.contains(at));
    loop {
        let value = |at: &usize| central[*at] - NOVELTY * nearest[*at];
        let best = open.iter().enumerate().max_by(|a, b| value(a.1).total_cmp(&value(b.1)));
        let Some((place, at)) = best.map(|(place, at)| (place, *at)) else { break };
        open.swap_remove(place);
        // What is nearly said already would only fill the budget.
        if nearest[at] > 0.9 {
            continue;
        }
        if !take(at, &mut nearest, &mut chosen) && chosen.len() > 256 {
            break;
        }
    }
    chosen
}

/// Returns the sentences of a text as a summary may tell them.
pub fn sentences(text: &str) -> Vec<Cow<'_, str>> {
    sentences_of(text)
        // A short text says something by itself, a short part of a longer one does not.
        .filter(|part| part.len() == text.len() || part.chars().count() >= SHORTEST_SENTENCE)
        .map(|text| match text.chars().nth(LONGEST_SENTENCE) {
            Some(_) => Cow::Owned(text::ellipsis(text, LONGEST_SENTENCE)),
            None => Cow::Borrowed(text),
        })
        .collect()
}

/// Splits a text where a sentence or a line ends. A purge finds what older summaries tell by the same
/// rule, so that it stays as it is and is not [`prose::sentences`].
fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let line = line.trim().trim_start_matches(['-', '*', '•', '#', '>']).trim_start();
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = end_of_sentence(rest);
            let (sentence, after) = rest.split_at(end);
            rest = after.trim_start();
            Some(sentence.trim_end())
        })
    })
}

fn end_of_sentence(text: &str) -> usize {
    let mut after: Option<char> = None;
    for (at, c) in text.char_indices() {
        if matches!(after, Some('.' | '!' | '?')) && c.is_whitespace() {
            let next = text[at..].trim_start().chars().next();
            // "e.g. this" and "v2. next" go on; a capital or another script begins anew.
            if next.is_some_and(|next| next.is_uppercase() || !next.is_ascii()) {
                return at;
            }
        }
        if matches!(c, '。' | '！' | '？') {
            return at + c.len_utf8();
        }
        after = Some(c);
    }
    text.len()
}

/// Tells whether a sentence decides something, or tells what somebody wants.
fn is_marked(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "decided",
        "decision",
        "decide",
        "agreed",
        "chose",
        "prefer",
        "prefers",
        "preference",
        "preferred",
        "always",
        "never",
        "must",
        "learned",
        "lesson",
        "policy",
        "important",
        "deadline",
        "promised",
    ];
    prose::words(&sentence.to_lowercase(), "").any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(texts: &[String]) -> Vec<Said<'_>> {
        texts.iter().map(|text| Said { at: Timestamp::UNIX_EPOCH, text }).collect()
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let texts = ["old note 0".to_owned(), "old note 1".to_owned(), "old note 0".to_owned()];
        assert_eq!(extract(&said(&texts), 100), "old note 0\n\nold note 1");
    }

    #[test]
    fn decisions_are_kept_verbatim_and_the_budget_holds() {
        let mut texts: Vec<String> = (0..300)
            .map(|n| format!("The build of module {n} took {n} seconds and was green again."))
            .collect();
        texts[40] = "We decided to keep retries at three, with jitter.".to_owned();
        texts[250] = "Maria prefers short answers without tables.".to_owned();
        let summary = extract(&said(&texts), 2000);
        assert!(summary.chars().count() <= 2000);
        assert!(summary.contains("We decided to keep retries at three, with jitter."));
        assert!(summary.contains("Maria prefers short answers without tables."));
        assert!(summary.lines().all(|line| line.starts_with("- 1970-01-01: ")), "{summary}");
    }

    #[test]
    fn what_differs_is_told_rather_than_the_same_again() {
        let mut texts: Vec<String> =
            (0..200).map(|n| format!("Deployed the web server to staging, run {n}.")).collect();
        texts[100] = "The database moved to another region over the weekend.".to_owned();
        let summary = extract(&said(&texts), 600);
        assert!(summary.contains("another region"), "{summary}");
    }

    #[test]
    fn a_union_tells_each_thing_once_and_loses_nothing() {
        let texts = [
            "The build is slow.".to_owned(),
            "the build is slow! Caching would help.".to_owned(),
            "The build took 40 minutes.".to_owned(),
            "The build took 55 minutes.".to_owned(),
        ];
        let told = union(&said(&texts), 500).unwrap();
        assert_eq!(
            told,
            "The build is slow.\nCaching would help.\nThe build took 40 minutes.\nThe build took 55 minutes."
        );
        assert_eq!(union(&said(&texts), 50), None);
    }

    #[test]
    fn a_credential_never_gets_in() {
        let key = format!("the key is AKIA{}", "ABCDEFGHIJKLMNOP");
        let summary = extract(&said(std::slice::from_ref(&key)), 1000);
        assert!(!summary.contains("ABCDEFGHIJKLMNOP"), "{summary}");
    }

    #[test]
    fn the_same_input_gives_the_same_output() {
        let texts: Vec<String> =
            (0..400).map(|n| format!("Item {} was {} today.", n % 37, n % 11)).collect();
        assert_eq!(extract(&said(&texts), 500), extract(&said(&texts), 500));
    }
}
