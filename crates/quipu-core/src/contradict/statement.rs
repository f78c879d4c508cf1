//! A statement as the comparison reads it: its clauses, and in each the words with what they mean,
//! the amounts, and what is denied.

use std::collections::{BTreeMap, BTreeSet};

use super::cues;
use super::cues::{
    ADDITIONS, ADDITIVE, AFTER, AUXILIARIES, BEFORE_VERBS, CONCORD, CONDITIONS, EXCEPTIONS,
    EXCLUSIVE, NEGATORS, ONLY, PER, PERIODS, PERMISSIONS, PRONOUNS, SCOPES, TWICE, UPDATES,
    WEAK_UPDATES,
};
use super::lexicon::{self, Meaning};
use super::quantity::{self, Quantity, Spelled};
use crate::prose;
use crate::terms::Language;

/// Longer statements are compared by their first sentences.
const MOST_CLAUSES: usize = 6;

/// Longer statements are compared by their first words.
const MOST_WORDS: usize = 160;

/// A statement that can be compared with others.
#[derive(Clone, Debug)]
pub struct Statement {
    pub(super) clauses: Vec<Clause>,
    /// Without case, punctuation and white space.
    pub(super) bare: String,
    /// As it was given, without where it was found.
    pub(super) text: String,
    /// Wording such as "no longer" or "from now on": the statement replaces what held before.
    pub(super) update: Option<String>,
    /// Whether that wording can mean little else.
    pub(super) is_sure_update: bool,
}

/// A sentence, or a part of one that stands by itself.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "signs that are there or not")]
pub(super) struct Clause {
    pub(super) words: Vec<Word>,
    pub(super) quantities: Vec<Quantity>,
    /// The place of the first verb.
    pub(super) verb: Option<usize>,
    /// "if", "when", "unless": it holds in a certain case.
    pub(super) is_conditional: bool,
    /// "except", "exception": it takes something out of a rule.
    pub(super) is_exception: bool,
    /// "may", "can", "is fine": it allows.
    pub(super) is_permission: bool,
    /// "all", "every", "only", "never": it leaves no room for others.
    pub(super) is_exclusive: bool,
    /// "a month", "per day": its amounts are rates.
    pub(super) is_rate: bool,
    /// "supports", "plays", "speaks": several things may be said so at once; or it tells of the past.
    pub(super) is_additive: bool,
    /// "also", "too": it adds to what is said.
    pub(super) is_addition: bool,
    /// "No … without …": what is denied and what is not cannot be told apart by rule.
    pub(super) is_double: bool,
}

/// How much a word says about the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Grammar.
    None,
    /// It may stand beside any subject.
    Light,
    /// A word for a thing or for what is done with it.
    Full,
}

/// One word.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "signs that are there or not")]
pub(super) struct Word {
    pub(super) plain: String,
    /// As it is shown to people.
    pub(super) shown: String,
    pub(super) stem: String,
    pub(super) weight: Weight,
    pub(super) meaning: Option<&'static Meaning>,
    /// It is denied.
    pub(super) is_denied: bool,
    /// "only" stands beside it.
    pub(super) is_only: bool,
    /// It counts as light only because it may be a verb.
    pub(super) is_verb_by_list: bool,
    /// It begins with a capital inside of a sentence, or has marks that names have.
    pub(super) is_name: bool,
    /// A path, a file, a channel, an identifier.
    pub(super) is_code: bool,
    /// It belongs to an amount.
    pub(super) is_quantity: bool,
    /// It is the noun that the sentence begins with.
    pub(super) is_head: bool,
    /// It stands before the first verb.
    pub(super) is_subject: bool,
    /// It follows "of", "for", "in" and the like.
    pub(super) is_scope: bool,
    /// It follows "before", "after" or "until".
    pub(super) is_aside: bool,
    /// "no" or the like stands right before it.
    pub(super) is_after_no: bool,
    /// The comma-separated part that it is in.
    pub(super) part: usize,
}

/// A word before it was looked at.
struct Raw {
    shown: String,
    plain: String,
    has_capital: bool,
    is_first: bool,
    part: usize,
    sentence: usize,
}

impl Statement {
    /// Reads a statement.
    pub fn of(text: &str) -> Self {
        let said = without_source(text);
        let raw = raw_words(said);
        let language = Language::of(raw.iter().map(|word| word.plain.as_str()));
        let words: Vec<Word> = raw.iter().map(|raw| word(raw, language)).collect();
        let mut clauses: Vec<Clause> = Vec::new();
        let sentences: BTreeSet<usize> = raw.iter().map(|word| word.sentence).collect();
        for sentence in sentences.into_iter().take(MOST_CLAUSES) {
            let here = raw.iter().zip(&words).filter(|(raw, _)| raw.sentence == sentence);
            let (raw, words): (Vec<&Raw>, Vec<Word>) =
                here.map(|(raw, word)| (raw, word.clone())).unzip();
            let mut clause = Clause::read(&raw, words, language);
            // "It does not throw" is about what the sentence before is about.
            if let Some(before) = clauses.first()
                && clause.words.first().is_some_and(|word| PRONOUNS.contains(&word.plain.as_str()))
            {
                let subject = before
                    .words
                    .iter()
                    .filter(|word| word.is_subject && word.weight == Weight::Full);
                let subject: Vec<Word> =
                    subject.map(|word| Word { is_denied: false, ..word.clone() }).collect();
                let shift = subject.len();
                clause.verb = clause.verb.map(|verb| verb + shift);
                clause.words.splice(0..0, subject);
                for quantity in &mut clause.quantities {
                    quantity.at += shift;
                }
            }
            clauses.push(clause);
        }
        let is_sure = |word: &&Word| {
            UPDATES.contains(&word.plain.as_str()) && !WEAK_UPDATES.contains(&word.plain.as_str())
        };
        let sure = words.iter().find(is_sure);
        let update =
            sure.or_else(|| words.iter().find(|word| UPDATES.contains(&word.plain.as_str())));
        let update = update.map(|word| word.plain.replace('_', " "));
        Self {
            clauses,
            bare: prose::bare(said),
            text: said.to_owned(),
            update,
            is_sure_update: sure.is_some(),
        }
    }

    /// Tells whether some part of it is denied.
    pub(crate) fn is_negated(&self) -> bool {
        self.clauses.iter().flat_map(|clause| &clause.words).any(|word| word.is_denied)
    }

    /// Tells whether both are the same words, but for case, punctuation and white space.
    pub fn is_identical(&self, other: &Self) -> bool {
        !self.bare.is_empty() && self.bare == other.bare
    }

    /// Returns the words that another statement about the same thing may have, each with whether this one
    /// has it: its own, and those that mean the same.
    pub(super) fn wanted(&self) -> Vec<(String, bool)> {
        let mut wanted: BTreeMap<String, bool> = BTreeMap::new();
        for word in self.clauses.iter().flat_map(|clause| &clause.words) {
            let tells = word.weight == Weight::Full
                || word.meaning.is_some() && word.weight == Weight::Light;
            if !tells || word.is_quantity && word.meaning.is_none() {
                continue;
            }
            for part in prose::words(&word.plain, "") {
                wanted.insert(part.to_owned(), true);
            }
            for relative in word.meaning.into_iter().flat_map(Meaning::relatives) {
                wanted.entry(relative.to_owned()).or_insert(false);
            }
        }
        wanted.into_iter().collect()
    }
}

impl Clause {
    fn read(raw: &[&Raw], mut words: Vec<Word>, language: Language) -> Self {
        let spelled: Vec<Spelled<'_>> = raw
            .iter()
            .map(|raw| Spelled { plain: &raw.plain, has_capital: raw.has_capital })
            .collect();
        let quantities = quantity::quantities(&spelled);
        for quantity in &quantities {
            for word in &mut words[quantity.at..quantity.at + quantity.length] {
                word.is_quantity = true;
            }
        }
        lighten_verbs(&mut words);
        let is_double = deny(&mut words);
        let verb = mark_places(&mut words, language);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.plain.as_str()));
        Self {
            is_conditional: has(CONDITIONS),
            is_exception: has(EXCEPTIONS),
            is_permission: has(PERMISSIONS),
            is_addition: has(ADDITIONS),
            is_additive: has(ADDITIVE),
            is_double,
            is_exclusive: has(EXCLUSIVE),
            is_rate: words.windows(2).any(|two| {
                PER.contains(&two[0].plain.as_str()) && PERIODS.contains(&two[1].plain.as_str())
            }) || has(&[
                "monthly", "weekly", "yearly", "daily", "hourly", "annual", "annually", "per_day",
            ]),
            quantities,
            verb,
            words,
        }
    }
}

/// What follows a pronoun or a modal is a verb, which says little about the subject.
fn lighten_verbs(words: &mut [Word]) {
    for at in 1..words.len() {
        let mut before = at - 1;
        while before > 0 && (words[before].plain == "not" || words[before].plain.ends_with("ly")) {
            before -= 1;
        }
        let is_verb = words[at].weight == Weight::Full
            && words[at].meaning.is_none()
            && !words[at].is_name
            && !words[at].is_quantity
            && BEFORE_VERBS.contains(&words[before].plain.as_str());
        if is_verb {
            words[at].weight = Weight::Light;
        }
    }
}

/// Marks what is denied, part by part.
fn deny(words: &mut [Word]) -> bool {
    let mut is_double = false;
    let last = words.last().map_or(0, |word| word.part);
    for part in 0..=last {
        let Some(start) = words.iter().position(|word| word.part == part) else { continue };
        let length = words[start..].iter().take_while(|word| word.part == part).count();
        let part = &mut words[start..start + length];
        let has = |list: &[&str]| part.iter().any(|word| list.contains(&word.plain.as_str()));
        // "No release without a sign-off" denies nothing.
        if has(&[
            "no", "not", "never", "nobody", "no_one", "none", "kein", "keine", "nie", "cannot",
        ]) && has(TWICE)
        {
            is_double = true;
            continue;
        }
        let mut is_denied_before = false;
        for at in 0..part.len() {
            let plain = part[at].plain.clone();
            if !NEGATORS.contains(&plain.as_str()) {
                continue;
            }
            // "No … ninguna" denies once.
            if is_denied_before && CONCORD.contains(&plain.as_str()) {
                continue;
            }
            is_denied_before = true;
            let before = at.checked_sub(1).map(|at| &part[at]);
            let denies_all = !AFTER.contains(&plain.as_str())
                && before.is_none_or(|word| {
                    !matches!(word.plain.as_str(), "and" | "or" | "und" | "et" | "y")
                })
                && before.is_none_or(|word| {
                    word.weight == Weight::None
                        || AUXILIARIES.contains(&word.plain.as_str())
                        || plain != "not" && plain != "no"
                });
            if denies_all {
                for word in part.iter_mut() {
                    word.is_denied ^= true;
                }
                continue;
            }
            // "REST instead of GraphQL for the public API" denies GraphQL alone.
            let after = part[at + 1..].iter_mut();
            for word in after.take_while(|word| !SCOPES.contains(&word.plain.as_str())) {
                word.is_denied ^= true;
            }
        }
        for at in 0..part.len() {
            if ONLY.contains(&part[at].plain.as_str()) {
                let end = (at + 3).min(part.len());
                for word in &mut part[at.saturating_sub(2)..end] {
                    word.is_only = true;
                }
            }
        }
    }
    is_double
}

/// What a noun follows.
const ARTICLES: &[&str] = &["the", "a", "an", "our", "my", "your", "each", "every", "this"];

/// Marks what stands before the first verb, and what follows a preposition; returns the place of the verb.
fn mark_places(words: &mut [Word], language: Language) -> Option<usize> {
    let is_verb = |word: &Word| {
        AUXILIARIES[..30].contains(&word.plain.as_str()) && word.plain != "a"
            || lexicon::is_verb(&word.stem)
            || lexicon::is_action(&word.stem)
    };
    let listed = words.iter().enumerate().position(|(at, word)| at > 0 && is_verb(word));
    let found = listed.or_else(|| verb_by_form(words, language));
    let verb = found.unwrap_or(0);
    for at in 0..words.len() {
        words[at].is_subject = at < verb;
        // "Reports go out": what stands before the verb, or after an article, is a noun.
        let is_noun = at < verb || at > 0 && ARTICLES.contains(&words[at - 1].plain.as_str());
        if is_noun && words[at].is_verb_by_list {
            words[at].weight = Weight::Full;
        }
        let from = at.saturating_sub(3);
        words[at].is_aside = words[from..at]
            .iter()
            .any(|word| matches!(word.plain.as_str(), "before" | "after" | "until"));
        words[at].is_after_no = at > 0
            && matches!(
                words[at - 1].plain.as_str(),
                "no" | "never" | "not" | "kein" | "keine" | "keinen"
            );
        words[at].is_scope =
            words[from..at].iter().any(|word| SCOPES.contains(&word.plain.as_str()));
    }
    let ends = words[..verb]
        .iter()
        .position(|word| SCOPES.contains(&word.plain.as_str()))
        .filter(|at| *at > 0);
    let subject = &mut words[..ends.unwrap_or(verb)];
    if let Some(head) =
        subject.iter_mut().rev().find(|word| word.weight == Weight::Full && !word.is_quantity)
    {
        head.is_head = true;
    }
    found
}

/// What stands before a noun.
const BEFORE_NOUNS: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "each", "every", "all", "any", "no", "my",
    "our", "your", "his", "her", "its", "their", "both", "some", "few", "many", "most", "and",
    "or", "only",
];

/// Returns the first word that stands where a verb does and has the form of one: "the bus leaves from …".
/// Only English shows its verbs so.
fn verb_by_form(words: &[Word], language: Language) -> Option<usize> {
    // "Use tabs for …" begins with its verb.
    let is_order = words.first().is_some_and(|word| {
        (word.is_verb_by_list || word.weight == Weight::Light || lexicon::is_action(&word.stem))
            && !word.plain.ends_with('s')
    });
    if is_order || !matches!(language, Language::English | Language::Unknown) {
        return None;
    }
    (1..words.len()).find(|at| {
        let (before, word) = (&words[at - 1], &words[*at]);
        let plain = word.plain.as_str();
        let is_plain = word.shown.chars().all(|c| c.is_ascii_lowercase())
            && !word.is_quantity
            && !lexicon::is_function_word(plain)
            && !BEFORE_NOUNS.contains(&plain)
            && !SCOPES.contains(&plain);
        let after_noun = !BEFORE_NOUNS.contains(&before.plain.as_str())
            && !SCOPES.contains(&before.plain.as_str());
        let has_form = plain.ends_with('s') && !plain.ends_with("ss")
            || plain.ends_with("ed")
            || before.plain.ends_with('s') && !before.plain.ends_with("ss");
        let leads_on = words.get(at + 1).is_none_or(|next| {
            next.is_quantity
                || next.part != word.part
                || next.weight == Weight::None
                || next.plain.ends_with("ly")
                || BEFORE_NOUNS.contains(&next.plain.as_str())
                || SCOPES.contains(&next.plain.as_str())
                || next.shown.starts_with(char::is_uppercase)
        });
        is_plain && after_noun && has_form && leads_on
    })
}

fn word(raw: &Raw, language: Language) -> Word {
    let plain = raw.plain.clone();
    let meaning = lexicon::meaning(&plain);
    let is_code = plain.contains(['/', '#', '@', '_', '=', '?', '<', '>'])
        && !lexicon::is_listed(&plain)
        || (plain.contains('.') && plain.chars().any(char::is_alphabetic));
    let has_inner = raw.shown.chars().skip(1).any(char::is_uppercase);
    let is_acronym = cues::METHODS.contains(&raw.shown.as_str());
    let is_name =
        has_inner || is_code || (raw.has_capital && !raw.is_first && language != Language::German);
    let stem = if plain.is_ascii() && language == Language::Unknown {
        Language::English.stem(&plain)
    } else if plain.contains('_') || is_code {
        plain.clone()
    } else {
        language.stem(&plain)
    };
    let is_light = lexicon::is_light(&plain) || UPDATES.contains(&plain.as_str());
    let is_verb_by_list = !is_light
        && lexicon::is_verb(&stem)
        && !plain.ends_with("ings")
        && meaning.is_none_or(|meaning| meaning.senses.is_empty());
    let weight = if is_acronym {
        Weight::Full
    } else if NEGATORS.contains(&plain.as_str())
        || lexicon::is_function_word(&plain)
        || language.is_stop(&plain) && meaning.is_none()
    {
        Weight::None
    } else if is_light || is_verb_by_list {
        Weight::Light
    } else {
        Weight::Full
    };
    Word {
        shown: raw.shown.clone(),
        stem,
        weight,
        meaning,
        is_denied: false,
        is_only: false,
        is_verb_by_list,
        is_name,
        is_code,
        is_quantity: false,
        is_head: false,
        is_subject: false,
        is_scope: false,
        is_aside: false,
        is_after_no: false,
        part: raw.part,
        plain,
    }
}

/// Returns a text without the path at its end that says where it was found, as harvested facts have it:
/// the names of files are no part of what is stated.
fn without_source(text: &str) -> &str {
    let is_source = |words: &str| {
        let path = words.trim_matches('`');
        let name = path.split(['#', ':']).next().unwrap_or_default();
        let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
            let is_ending = (1..=8).contains(&ending.len());
            !stem.is_empty() && is_ending && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        !path.contains(char::is_whitespace) && path.contains('/') && has_ending
    };
    let ended = text.trim_end().trim_end_matches('.');
    ended
        .strip_suffix(')')
        .and_then(|inner| inner.rsplit_once('('))
        .filter(|(said, words)| is_source(words) && !said.trim().is_empty())
        .map_or(text, |(said, _)| said)
}

/// Splits a text into words; contractions and phrases are resolved.
fn raw_words(text: &str) -> Vec<Raw> {
    let mut words: Vec<Raw> = Vec::new();
    let (mut part, mut sentence, mut is_first) = (0, 0, true);
    let text = text.replace(['’', '‘'], "'");
    for chunk in text.split(|c: char| c.is_whitespace() || "()[]{}\"“”„«»|—–".contains(c))
    {
        if words.len() >= MOST_WORDS {
            break;
        }
        let core = chunk.trim_start_matches(|c: char| "`*_.:!'¿¡-,;".contains(c));
        let core = core.strip_prefix('?').filter(|rest| !rest.contains('=')).unwrap_or(core);
        let trimmed = core.trim_end_matches(|c: char| "`*.:!?',;…".contains(c));
        let ending = &core[trimmed.len()..];
        let is_abbreviation = matches!(
            trimmed.to_lowercase().as_str(),
            "a.m" | "p.m" | "e.g" | "i.e" | "dr" | "mr" | "mrs" | "vs" | "approx"
        );
        if !trimmed.is_empty() {
            for (at, piece) in pieces(trimmed).into_iter().enumerate() {
                let plain = piece.to_lowercase();
                let has_capital = piece.starts_with(char::is_uppercase);
                words.push(Raw {
                    shown: piece,
                    plain,
                    has_capital,
                    is_first: is_first && at == 0,
                    part,
                    sentence,
                });
            }
            is_first = false;
        }
        let ends_part = ending.contains([',', ':', ';']) || chunk.is_empty() && text.len() < 4;
        if matches!(
            words.last().map(|word| word.plain.as_str()),
            Some("but" | "aber" | "mais" | "pero" | "sondern")
        ) {
            part += 1;
        }
        if ending.contains([';', '!', '?']) || (ending.contains('.') && !is_abbreviation) {
            (sentence, part, is_first) = (sentence + 1, part + 1, true);
        } else if ends_part {
            part += 1;
        }
    }
    join_phrases(words)
}

/// Splits one word where it is several: `isn't`, `two-week`, `I'm`, `rust:1.79`.
fn pieces(word: &str) -> Vec<String> {
    let lower = word.to_lowercase();
    if lexicon::is_listed(&lower) {
        return vec![word.to_owned()];
    }
    for (ending, replacement) in [
        ("n't", "not"),
        ("'s", ""),
        ("'m", ""),
        ("'re", ""),
        ("'ll", ""),
        ("'ve", ""),
        ("'d", ""),
        ("s'", "s"),
    ] {
        if let Some(stem) = lower.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            let kept = &word[..stem.len().min(word.len())];
            let kept = match lower.as_str() {
                "can't" => "can",
                "won't" => "will",
                _ => kept,
            };
            let mut found =
                if replacement == "s" { vec![format!("{kept}s")] } else { pieces(kept) };
            if replacement == "not" {
                found.push("not".to_owned());
            }
            return found;
        }
    }
    let joined = ["l'", "d'", "n'", "s'", "j'", "m'", "t'", "qu'", "c'"];
    let is_joined = |prefix: &&str| lower.starts_with(prefix) && word.len() > prefix.len();
    if let Some(prefix) = joined.into_iter().find(is_joined) {
        let negation = (prefix == "n'").then(|| "ne".to_owned());
        return negation.into_iter().chain(pieces(&word[prefix.len()..])).collect();
    }
    let is_path = word.contains(['/', '_', '@', '#', '=']);
    if let Some((name, version)) = word.split_once(':').filter(|_| !is_path)
        && version.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.starts_with(char::is_alphabetic)
    {
        return vec![name.to_owned(), version.to_owned()];
    }
    let parts: Vec<&str> = word.split('-').collect();
    let is_date = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    if parts.len() > 1 && !is_path && !is_date && parts.iter().all(|part| part.chars().count() > 1)
    {
        return parts.into_iter().flat_map(pieces).collect();
    }
    vec![word.to_owned()]
}

fn join_phrases(words: Vec<Raw>) -> Vec<Raw> {
    let mut joined: Vec<Raw> = Vec::with_capacity(words.len());
    let plain: Vec<String> = words.iter().map(|word| word.plain.clone()).collect();
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let mut words = words.into_iter();
    let mut at = 0;
    while let Some(mut word) = words.next() {
        let length = lexicon::phrase_length(&plain[at..]).unwrap_or(1);
        for _ in 1..length {
            if let Some(next) = words.next() {
                word.plain = format!("{}_{}", word.plain, next.plain);
                word.shown = format!("{} {}", word.shown, next.shown);
            }
        }
        at += length;
        joined.push(word);
    }
    joined
}
