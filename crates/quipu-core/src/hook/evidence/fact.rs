//! The terms of a fact: which of them tell of it, and which of them a text shows.

use std::collections::{BTreeMap, BTreeSet};

use super::writing::{self, Number, Writing, stem};
use super::{ENOUGH, EXACT, Evidence, FEWEST_TERMS, Given, NAME, ORDINARY, RARE};
use crate::prose::sentences;
use crate::terms::Language;

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sign {
    /// A name of code, a path or an address, with its parts.
    Code(Vec<String>),
    /// A number with what it counts.
    Value(Number),
    /// A word by its stem.
    Word,
}

/// A term of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FactTerm {
    sign: Sign,
    /// What it is known by: a stem, or a name in small letters.
    key: String,
    /// How the fact writes it.
    written: String,
    /// How many points it counts.
    weight: u32,
}

/// A fact by its terms.
#[derive(Clone, Debug)]
pub(super) struct FactTerms<'g> {
    pub(super) id: &'g str,
    terms: Vec<FactTerm>,
    /// The stems of its words.
    stems: BTreeSet<String>,
}

/// Returns the terms of facts that were given together. A word that several of them have tells of none.
pub(super) fn terms(given: &[Given]) -> Vec<FactTerms<'_>> {
    let mut facts: Vec<FactTerms<'_>> = given.iter().map(FactTerms::of).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for fact in &facts {
        let keys: BTreeSet<&String> = fact.terms.iter().map(|term| &term.key).collect();
        for key in keys {
            *counts.entry(key.clone()).or_default() += 1;
        }
    }
    for term in facts.iter_mut().flat_map(|fact| &mut fact.terms) {
        if counts[&term.key] > 1 && !matches!(term.sign, Sign::Value(_)) {
            term.weight = ORDINARY;
        }
    }
    facts
}

impl<'g> FactTerms<'g> {
    fn of(given: &'g Given) -> Self {
        let text = &given.text;
        let lower = text.to_lowercase();
        let language = Language::of(crate::prose::words(&lower, ""));
        let mut terms: Vec<FactTerm> = Vec::new();
        let mut add = |term: FactTerm| {
            if !terms.iter().any(|other| other.key == term.key) {
                terms.push(term);
            }
        };
        for number in text.lines().flat_map(writing::numbers) {
            let unit = number.unit.as_deref().map_or(String::new(), |unit| format!(" {unit}"));
            let written = format!("{}{unit}", number.digits);
            let is_year = number.unit.is_none()
                && number.digits.parse().is_ok_and(|year: u32| (1900..2100).contains(&year));
            let key = written.clone();
            add(FactTerm {
                sign: Sign::Value(number),
                key,
                written,
                weight: if is_year { ORDINARY } else { NAME },
            });
        }
        let verb = verb_at(text);
        for name in proper_names(text) {
            let parts = writing::parts(&name);
            let key = name.to_lowercase();
            add(FactTerm { sign: Sign::Code(parts), key, written: name, weight: NAME });
        }
        for (at, token) in tokens(text).enumerate() {
            let is_subject = at < verb;
            if let Some(parts) = code_parts(token) {
                let key = token.trim_end_matches("()").to_lowercase();
                let is_exact = token.contains(['_', '/', '(']);
                let is_known = WELL_KNOWN.contains(&&*key);
                let weight = if is_exact {
                    EXACT
                } else if is_known {
                    RARE
                } else {
                    NAME
                };
                let sign = Sign::Code(parts);
                add(FactTerm { sign, key, written: token.to_owned(), weight });
            } else {
                let words = token.split(|c: char| !c.is_alphanumeric());
                for word in words.filter(|word| is_content(word, language)) {
                    let lower = word.to_lowercase();
                    let weight = weight(word, &lower, (at == 0, is_subject), language);
                    let key = stem(&lower);
                    add(FactTerm { sign: Sign::Word, key, written: word.to_owned(), weight });
                }
            }
        }
        let stems = terms.iter().filter(|term| term.sign == Sign::Word);
        let stems = stems.map(|term| term.key.clone()).collect();
        Self { id: &given.id, terms, stems }
    }

    /// Returns what in a text shows the fact, where it is enough; `place` is the path of the file,
    /// and `known` what others wrote before.
    pub(super) fn evidence(
        &self,
        written: &Writing,
        place: &Writing,
        known: &Writing,
    ) -> Option<Evidence> {
        let (mut telling, mut ordinary, mut points) = (Vec::new(), Vec::new(), 0_u32);
        for term in &self.terms {
            let is_written = self.is_in(term, written);
            if !is_written && !self.is_in(term, place) {
                continue;
            }
            if is_written && term.weight > ORDINARY && !self.is_in(term, known) {
                telling.push(term.written.clone());
                points += term.weight;
            } else {
                ordinary.push(term.written.clone());
                points += ORDINARY;
            }
        }
        let matched = telling.len() + ordinary.len();
        let is_share = |part: usize, whole: usize| matched * whole >= self.terms.len() * part;
        let is_told =
            !telling.is_empty() && (points >= ENOUGH || (points + 1 == ENOUGH && is_share(1, 3)));
        let is_whole = (matched >= FEWEST_TERMS && is_share(3, 4))
            || (matched > FEWEST_TERMS && is_share(3, 5));
        (is_told || is_whole).then_some(Evidence::Terms { telling, ordinary, points })
    }

    /// Tells whether a text names what the fact is about.
    pub(super) fn is_named_in(&self, text: &Writing) -> bool {
        let named: Vec<&FactTerm> =
            self.terms.iter().filter(|term| self.is_in(term, text)).collect();
        let weight: u32 = named.iter().map(|term| term.weight).sum();
        let has_name = named.iter().any(|term| term.weight >= RARE);
        (has_name && weight >= NAME)
            || named.iter().any(|term| term.weight >= NAME)
            || (has_name && named.iter().any(|term| is_all_capitals(&term.written)))
    }

    fn is_in(&self, term: &FactTerm, writing: &Writing) -> bool {
        match &term.sign {
            Sign::Code(parts) => writing.has_code(&term.key, parts),
            Sign::Value(number) => writing.has_number(number, &self.stems),
            Sign::Word => writing.has_stem(&term.key),
        }
    }
}

/// Returns how many different terms of a text tell of something.
pub(super) fn telling(text: &str) -> usize {
    let given = Given { id: String::new(), text: text.to_owned() };
    FactTerms::of(&given).terms.iter().filter(|term| term.weight > ORDINARY).count()
}

fn is_all_capitals(word: &str) -> bool {
    word.chars().count() > 1 && word.chars().all(char::is_uppercase)
}

/// Returns the words of a fact as it writes them: a name keeps the `_` at its end.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "()[]{}\",;|".contains(c))
        .map(|word| word.trim_matches(|c: char| "`*.:!?'’—–-<>".contains(c)))
        .map(|word| word.strip_prefix('_').and_then(|rest| rest.strip_suffix('_')).unwrap_or(word))
        .filter(|word| !word.is_empty())
}

/// Returns the names of several words: capitals side by side, not at the start of a sentence.
fn proper_names(text: &str) -> Vec<String> {
    let is_capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
    };
    let mut names = Vec::new();
    for sentence in sentences(text) {
        let mut run: Vec<&str> = Vec::new();
        for word in sentence.split_whitespace().skip(1).chain([""]) {
            let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
            if is_capital(bare) {
                run.push(bare);
            }
            if !is_capital(bare) || bare.len() < word.len() {
                if run.len() > 1 {
                    names.push(run.join(" "));
                }
                run.clear();
            }
        }
    }
    names
}

/// Tells whether a word says anything.
fn is_content(word: &str, language: Language) -> bool {
    let lower = word.to_lowercase();
    let has_letter = word.chars().any(char::is_alphabetic);
    has_letter
        && word.chars().count() > 1
        && !language.is_stop(&lower)
        && !Language::English.is_stop(&lower)
        && !(word.chars().count() == 2 && is_small_word(&lower))
        && VERBS.binary_search(&&*lower).is_err()
        && writing::numbers(&lower).is_empty()
}

/// Tells whether a word of two letters is no abbreviation: it has a vowel, or is a unit.
fn is_small_word(word: &str) -> bool {
    const UNITS: [&str; 12] =
        ["ms", "kb", "mb", "gb", "tb", "px", "km", "kg", "cm", "mm", "hz", "vs"];
    word.contains(['a', 'e', 'i', 'o', 'u', 'y']) || UNITS.contains(&word)
}

/// Names that are mentioned wherever software is made.
const WELL_KNOWN: [&str; 72] = [
    "android",
    "angular",
    "ansible",
    "apache",
    "aws",
    "azure",
    "bash",
    "chrome",
    "django",
    "docker",
    "eslint",
    "excel",
    "express",
    "firefox",
    "flask",
    "flutter",
    "github",
    "gitlab",
    "golang",
    "google",
    "grafana",
    "graphql",
    "ios",
    "java",
    "javascript",
    "jenkins",
    "jest",
    "jira",
    "jwt",
    "kafka",
    "kotlin",
    "kubernetes",
    "laravel",
    "linux",
    "macos",
    "markdown",
    "mongodb",
    "mysql",
    "nginx",
    "node",
    "npm",
    "oauth",
    "oracle",
    "php",
    "playwright",
    "postgres",
    "postgresql",
    "prisma",
    "prometheus",
    "pytest",
    "python",
    "rails",
    "react",
    "redis",
    "ruby",
    "rust",
    "s3",
    "slack",
    "spring",
    "sqlite",
    "stripe",
    "svelte",
    "swift",
    "tailwind",
    "terraform",
    "typescript",
    "ubuntu",
    "unity",
    "vite",
    "vue",
    "webpack",
    "windows",
];

/// Words that end what a sentence is about.
const VERBS: [&str; 60] = [
    "accept", "accepts", "always", "are", "be", "belong", "belongs", "can", "cannot", "carries",
    "carry", "come", "comes", "contain", "contains", "do", "does", "don't", "ends", "expire",
    "expires", "follow", "follows", "get", "gets", "go", "goes", "had", "has", "have", "is",
    "keep", "keeps", "lasts", "live", "lives", "may", "must", "need", "needs", "never", "no",
    "not", "only", "require", "requires", "return", "returns", "run", "runs", "should", "start",
    "starts", "stay", "stays", "take", "takes", "use", "uses", "will",
];

/// Returns the place of the word that ends the subject of a fact; without one the first word is the subject.
fn verb_at(text: &str) -> usize {
    let is_verb = |token: &str| VERBS.binary_search(&&*token.to_lowercase()).is_ok();
    tokens(text).position(is_verb).unwrap_or(1)
}

/// Returns how many points a word counts: a name, a word that few use, or any other.
fn weight(
    word: &str,
    lower: &str,
    (is_first, is_subject): (bool, bool),
    language: Language,
) -> u32 {
    let is_name = word.chars().next().is_some_and(char::is_uppercase) && !is_first;
    let length = lower.chars().count();
    if writing::is_common(lower) || (is_subject && !is_name && !is_first) {
        // What a fact is about is said by everybody who works on it.
        ORDINARY
    } else if (is_subject && is_first) || WELL_KNOWN.contains(&lower) {
        RARE
    } else if is_name || length < 4 || language == Language::English || length > 8 {
        NAME
    } else {
        // The list of common words is English.
        ORDINARY
    }
}

/// Returns the parts of a token that is a name of code, a path or an address.
fn code_parts(token: &str) -> Option<Vec<String>> {
    let has_letter = token.chars().any(char::is_alphabetic);
    let inner = |c: char| token.trim_matches(c).contains(c);
    let is_path =
        token.starts_with('/') || token.matches('/').count() > 1 || token.contains(['+', '\\']);
    let is_dotted = inner('.') && token.split('.').any(|part| part.chars().count() > 2);
    let is_joined = token.contains('_') || token.contains("::") || token.contains("()");
    let has_hump = {
        let letters: Vec<char> = token.chars().collect();
        letters.iter().all(|c| c.is_alphanumeric())
            && letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
    };
    let has_digit =
        token.starts_with(char::is_alphabetic) && token.chars().any(|c| c.is_ascii_digit());
    let is_code = has_letter && (is_path || is_dotted || is_joined || has_hump || has_digit);
    is_code.then(|| writing::parts(token))
}
