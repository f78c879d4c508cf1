//! What many records say, in the words of the few that say it best. Extractive, by rule.
//!
//! Every line has the day on which it was said. What is still open leads; then come a person's words
//! before an agent's, and names, dates, amounts and quotes before what says little; the same thing is
//! said once. Sentences stay whole.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use crate::entity::{self, EntityKind};
use crate::nature;
use crate::prose;
use crate::secret::{self, Scope};
use crate::terms::{self, Term};
use crate::{calendar, contradict};

/// How much a sentence loses for being like one that was taken.
const NOVELTY: f32 = 2.0;

/// A longer sentence is a paste, and told by its beginning.
const LONGEST_SENTENCE: usize = 600;

/// Shorter ones say little by themselves.
const SHORTEST_SENTENCE: usize = 12;

/// More sentences than this are not compared with each other; the newest are.
const MOST_SENTENCES: usize = 20_000;

/// What is open takes no more of a summary than one part in so many.
const OPEN_SHARE: usize = 2;

/// So many days are told of a thing that was said again and again.
const MOST_DAYS: usize = 5;

/// Something that was said.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The day on which it was said, where the user is.
    pub day: Date,
    /// Whether a person said it.
    pub by_person: bool,
    /// The words.
    pub text: &'a str,
}

/// Says the same in at most `budget` characters, a line for each thing, each with its day.
///
/// Nothing that looks like a credential gets in.
pub fn extract(said: &[Said<'_>], budget: usize) -> String {
    let texts = without_repeats(said);
    let lines: Vec<String> = texts
        .iter()
        .flat_map(|one| one.text.lines().map(|text| (one.day, plain_line(text))))
        .filter(|(_, text)| !text.is_empty())
        .map(|(day, text)| line(day, text))
        .collect();
    let whole = lines.join("\n");
    if whole.chars().count() <= budget {
        return whole;
    }
    let sentences = Sentence::all(&texts);
    let chosen = choose(&sentences, budget);
    let (open, rest): (Vec<usize>, Vec<usize>) =
        chosen.into_iter().partition(|at| sentences[*at].is_open);
    let lines = open.into_iter().chain(rest).map(|at| sentences[at].line());
    lines.collect::<Vec<_>>().join("\n")
}

fn line(day: Date, text: &str) -> String {
    format!("- {day}: {text}")
}

/// What was said, without credentials.
struct Told {
    day: Date,
    by_person: bool,
    text: String,
}

/// Returns what was said, of the same words the last time.
fn without_repeats(said: &[Said<'_>]) -> Vec<Told> {
    let mut seen = BTreeSet::new();
    let mut texts: Vec<Told> = Vec::new();
    for one in said.iter().rev() {
        let text = secret::redacted(one.text.trim(), Scope::Credentials);
        if !text.is_empty() && seen.insert(text.clone()) {
            texts.push(Told { day: one.day, by_person: one.by_person, text });
        }
    }
    texts.reverse();
    texts
}

/// Says what all of them say, each thing once with the days on which it was said, where that fits into
/// `budget` characters.
///
/// A sentence is there already when it has the same words, whatever their order and endings, and the
/// same numbers.
pub fn union(said: &[Said<'_>], budget: usize) -> Option<String> {
    let mut places: BTreeMap<(Vec<Term>, Vec<String>, bool), usize> = BTreeMap::new();
    let mut lines: Vec<(Vec<Date>, String)> = Vec::new();
    for one in said {
        let text = secret::redacted(one.text.trim(), Scope::Credentials);
        for sentence in sentences_whole(&text) {
            let words = terms::of_document(sentence).counts.into_iter().map(|(term, _)| term);
            let numbers = numbers(sentence).into_iter().map(str::to_owned).collect();
            let key = (words.collect(), numbers, contradict::is_negated(sentence));
            match places.get(&key) {
                Some(at) if lines[*at].0.last() != Some(&one.day) => lines[*at].0.push(one.day),
                Some(_) => {}
                None => {
                    places.insert(key, lines.len());
                    lines.push((vec![one.day], sentence.to_owned()));
                }
            }
        }
    }
    let lines: Vec<String> =
        lines.iter().map(|(days, text)| format!("- {}: {text}", days_in_words(days))).collect();
    let whole = lines.join("\n");
    (!whole.is_empty() && whole.chars().count() <= budget).then_some(whole)
}

/// Says on which days something was said: each of a few, else the first and the last.
fn days_in_words(days: &[Date]) -> String {
    match days {
        [first, .., last] if days.len() > MOST_DAYS => {
            format!("{first} to {last}, on {} days", days.len())
        }
        _ => days.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn numbers(sentence: &str) -> BTreeSet<&str> {
    prose::words(sentence, ".")
        .map(|word| word.trim_matches('.'))
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .collect()
}

struct Sentence<'a> {
    day: Date,
    text: Cow<'a, str>,
    /// Weighted words; their squares add up to one.
    vector: BTreeMap<Term, f32>,
    is_open: bool,
    /// What it is worth by itself.
    worth: f32,
}

impl<'a> Sentence<'a> {
    fn all(texts: &'a [Told]) -> Vec<Self> {
        let mut sentences = Vec::new();
        let mut seen = BTreeSet::new();
        for told in texts.iter().rev() {
            let mut own: Vec<Self> = self::sentences(&told.text)
                .into_iter()
                .filter(|text| seen.insert(text.to_lowercase()))
                .map(|text| {
                    let words = terms::of_document(&text).counts;
                    #[expect(clippy::cast_precision_loss, reason = "few words")]
                    let vector = words.into_iter().map(|(term, count)| (term, count as f32));
                    let is_open = nature::is_open(&text, "");
                    let worth = worth(&text, told.by_person, is_open);
                    Self { day: told.day, text, vector: vector.collect(), is_open, worth }
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
        line(self.day, &self.text)
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
    // What is open leads, the newest first, as long as it leaves room for the rest.
    let mut room_for_open = budget / OPEN_SHARE;
    let mut open: Vec<usize> = (0..sentences.len()).collect();
    for at in open.iter().copied().rev().filter(|at| sentences[*at].is_open) {
        let cost = sentences[at].line().chars().count() + 1;
        if nearest[at] < 0.9 && cost <= room_for_open && take(at, &mut nearest, &mut chosen) {
            room_for_open -= cost;
        }
    }
    open.retain(|at| !chosen.contains(at));
    let mut misses = 0;
    loop {
        let value = |at: &usize| sentences[*at].worth + central[*at] - NOVELTY * nearest[*at];
        let best = open.iter().enumerate().max_by(|a, b| {
            // Of two that say as much, the newer one says where it stands.
            value(a.1).total_cmp(&value(b.1)).then(a.1.cmp(b.1))
        });
        let Some((place, at)) = best.map(|(place, at)| (place, *at)) else { break };
        open.swap_remove(place);
        // What is nearly said already would only fill the budget.
        if nearest[at] > 0.9 && !differs_in_values(sentences, at, &chosen) {
            continue;
        }
        if !take(at, &mut nearest, &mut chosen) {
            misses += 1;
            if misses > 64 {
                break;
            }
        }
    }
    chosen
}

/// Tells whether a sentence has a number that none of the chosen ones has.
fn differs_in_values(sentences: &[Sentence<'_>], at: usize, chosen: &BTreeSet<usize>) -> bool {
    let own = numbers(&sentences[at].text);
    sentences[at].worth >= 3.0
        && !own.is_empty()
        && chosen.iter().all(|other| !own.is_subset(&numbers(&sentences[*other].text)))
}

/// Returns what a sentence is worth by itself: who said it, and how much that is definite it says.
fn worth(text: &str, by_person: bool, is_open: bool) -> f32 {
    let words = prose::word_count(text);
    let entities = entity::extract(text);
    let names = entities.iter().filter(|one| one.kind == EntityKind::Name).count();
    let others = entities
        .iter()
        .any(|one| matches!(one.kind, EntityKind::Identifier | EntityKind::File | EntityKind::Url));
    let is_quoted = text.contains(['"', '“', '«', '„']);
    let figures = numbers(text).len();
    let names_day = calendar::names_a_day(text);
    let mut worth = if by_person { 1.5 } else { 0.0 };
    worth += match names {
        0 => 0.0,
        1 => 1.0,
        _ => 1.4,
    };
    worth += match figures {
        0 => 0.0,
        1 => 1.0,
        _ => 1.4,
    };
    worth += if names_day { 1.0 } else { 0.0 };
    worth += if is_quoted { 1.0 } else { 0.0 };
    worth += if others { 0.3 } else { 0.0 };
    worth += if is_open { 1.0 } else { 0.0 };
    worth += if nature::nature(text, "").lasts() { 0.8 } else { 0.0 };
    worth += if is_marked(text) { 0.3 } else { 0.0 };
    if words < 4 && names == 0 && figures == 0 {
        worth -= 1.5;
    }
    worth
}

/// Returns the sentences of a text as a summary may tell them.
pub fn sentences(text: &str) -> Vec<Cow<'_, str>> {
    sentences_whole(text)
        // A short text says something by itself, a short part of a longer one does not.
        .filter(|part| part.len() == text.len() || part.chars().count() >= SHORTEST_SENTENCE)
        .map(|text| match text.chars().nth(LONGEST_SENTENCE) {
            Some(_) => Cow::Owned(prose::shortened(text, LONGEST_SENTENCE)),
            None => Cow::Borrowed(text),
        })
        .collect()
}

/// Splits a text where a line or a whole sentence ends.
pub fn sentences_whole(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| prose::sentences(plain_line(line)))
}

/// Returns a line without the mark of a list, a heading or a quote.
fn plain_line(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '*', '•', '#', '>']).trim()
}

/// Splits a text as summaries did that were written by version 0.1, at "Dr." too. A purge finds by it
/// what they say.
pub fn sentences_of_old(text: &str) -> Vec<Cow<'_, str>> {
    const LONGEST: usize = 300;
    text.lines()
        .flat_map(|line| {
            let mut rest = plain_line(line);
            std::iter::from_fn(move || {
                if rest.is_empty() {
                    return None;
                }
                let end = end_of_old_sentence(rest);
                let (sentence, after) = rest.split_at(end);
                rest = after.trim_start();
                Some(sentence.trim_end())
            })
        })
        .filter(|part| part.len() == text.len() || part.chars().count() >= SHORTEST_SENTENCE)
        .map(|text| match text.chars().nth(LONGEST) {
            Some(_) => Cow::Owned(crate::text::ellipsis(text, LONGEST)),
            None => Cow::Borrowed(text),
        })
        .collect()
}

fn end_of_old_sentence(text: &str) -> usize {
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
        let day = Date::constant(1970, 1, 1);
        texts.iter().map(|text| Said { day, by_person: true, text }).collect()
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let texts = ["old note 0".to_owned(), "old note 1".to_owned(), "old note 0".to_owned()];
        assert_eq!(
            extract(&said(&texts), 100),
            "- 1970-01-01: old note 1\n- 1970-01-01: old note 0"
        );
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
            "- 1970-01-01: The build is slow.\n- 1970-01-01: Caching would help.\n- 1970-01-01: The build took 40 minutes.\n- 1970-01-01: The build took 55 minutes."
        );
        assert_eq!(union(&said(&texts), 50), None);
    }

    #[test]
    fn what_was_said_again_has_every_day() {
        let texts = ["Deployed 1.17.1.", "Deployed 1.17.2.", "deployed 1.17.1"];
        let said: Vec<Said<'_>> = (1..)
            .zip(texts)
            .map(|(day, text)| Said { day: Date::constant(2026, 6, day), by_person: true, text })
            .collect();
        assert_eq!(
            union(&said, 500).unwrap(),
            "- 2026-06-01, 2026-06-03: Deployed 1.17.1.\n- 2026-06-02: Deployed 1.17.2."
        );
    }

    #[test]
    fn a_title_ends_no_sentence() {
        let text = "Her GP is Dr. Feldkamp. Ask Hr. Zumbrunn.";
        assert_eq!(sentences(text), ["Her GP is Dr. Feldkamp.", "Ask Hr. Zumbrunn."]);
    }

    #[test]
    fn what_is_open_leads() {
        let mut texts: Vec<String> = (0..100)
            .map(|n| format!("The build of module {n} took {n} seconds and was green again."))
            .collect();
        texts[60] = "Waiting for the licence of the geo database.".to_owned();
        let summary = extract(&said(&texts), 600);
        assert!(summary.starts_with("- 1970-01-01: Waiting for the licence"), "{summary}");
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
