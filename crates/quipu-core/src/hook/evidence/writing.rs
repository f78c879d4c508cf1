//! A text as evidence sees it: its words by their stems, its names of code, its numbers with what stands beside
//! them, line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::hook::transcript::{Role, Said};
use crate::prose::{humps, sentences, spoken_words};
use crate::terms::Language;

/// Words that everybody uses: 2,700 that are frequent in the documentation of software and in everyday requests.
const COMMON: &str = include_str!("../common_words.txt");

/// Tells whether everybody uses a word, given in small letters.
pub(super) fn is_common(word: &str) -> bool {
    static STEMS: OnceLock<BTreeSet<String>> = OnceLock::new();
    let stems = STEMS.get_or_init(|| COMMON.split_whitespace().map(stem).collect());
    stems.contains(&stem(word))
}

/// Returns the stem of a word in small letters.
pub(super) fn stem(word: &str) -> String {
    let stemmed = Language::English.stem(word);
    // Of a word in another language the stemmer may leave nothing sensible; the whole word is kept then.
    if stemmed.chars().count() < 2 { word.to_owned() } else { stemmed }
}

/// Tells whether `word` stands in a text by itself.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + word.len()..].chars();
        let after = after.next().filter(|c| *c != '.');
        !before.is_some_and(|c| is_part(c) || matches!(c, '/' | '.')) && !after.is_some_and(is_part)
    })
}

/// Stems that share so many letters, and go no further in one of them, are of one word.
const SAME_BEGINNING: usize = 5;

/// So many sentences are about one thing.
const SENTENCES: usize = 3;

/// So many lines of a file are about one thing.
const LINES: usize = 8;

/// Returns the passages of a message or an edit: neighbouring sentences or lines. Terms that stand far apart show
/// nothing together.
pub(super) fn passages(said: &Said) -> impl Iterator<Item = Writing> {
    let parts: Vec<&str> = match said.role {
        // The path says where, and not what.
        Role::Edit => said.text.lines().skip(1).collect(),
        _ => said.text.lines().flat_map(sentences).collect(),
    };
    let (size, step) = if said.role == Role::Edit { (LINES, LINES / 2) } else { (SENTENCES, 1) };
    let last = parts.len().saturating_sub(size);
    let starts: Vec<usize> = (0..last).step_by(step).chain([last]).collect();
    starts
        .into_iter()
        .map(move |start| Writing::of(&parts[start..parts.len().min(start + size)].join("\n")))
}

/// A number as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number {
    /// Its digits, without what only groups them.
    pub(super) digits: String,
    /// The stem of what is counted, as far as a word stands right behind it.
    pub(super) unit: Option<String>,
}

/// A text as evidence sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Writing {
    /// The text in small letters.
    lower: String,
    /// The stems of all words, and of the parts of names.
    stems: BTreeSet<String>,
    /// The parts of each name of code, in small letters.
    names: BTreeSet<Vec<String>>,
    /// Each number, with the stems that stand in lines with it.
    numbers: BTreeMap<Number, BTreeSet<String>>,
}

impl Writing {
    pub(super) fn of(text: &str) -> Self {
        let mut writing = Self::default();
        writing.add(text);
        writing
    }

    pub(super) fn add(&mut self, text: &str) {
        self.lower.push('\n');
        self.lower.push_str(&text.to_lowercase());
        for line in text.lines() {
            self.add_line(line);
        }
    }

    fn add_line(&mut self, line: &str) {
        let mut stems = BTreeSet::new();
        for token in spoken_words(line) {
            let parts = parts(token);
            if parts.len() > 1 {
                self.names.insert(parts.clone());
            }
            stems.insert(stem(&token.to_lowercase()));
            stems.extend(parts.iter().map(|part| stem(part)));
        }
        for number in numbers(line) {
            self.numbers.entry(number).or_default().extend(stems.iter().cloned());
        }
        self.stems.extend(stems);
    }

    /// Tells whether it has these words, in small letters.
    pub(super) fn has(&self, words: &str) -> bool {
        self.lower.contains(words)
    }

    /// Tells whether a word is in it, by its stem.
    pub(super) fn has_stem(&self, stem: &str) -> bool {
        let starts_alike = |other: &String| {
            let (short, long) =
                if other.len() < stem.len() { (&**other, stem) } else { (stem, &**other) };
            short.len() >= SAME_BEGINNING && long.starts_with(short)
        };
        self.stems.contains(stem) || self.stems.iter().any(starts_alike)
    }

    /// Tells whether a name of code is in it: as it is written, or as parts of one longer name.
    pub(super) fn has_code(&self, code: &str, parts: &[String]) -> bool {
        let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let (starts, ends) = (inner(code.chars().next()), inner(code.chars().next_back()));
        let is_whole = |(at, _): (usize, &str)| {
            let before = self.lower[..at].chars().next_back();
            let after = self.lower[at + code.len()..].chars().next();
            !((starts && inner(before)) || (ends && inner(after)))
        };
        self.lower.match_indices(code).any(is_whole)
            || (parts.len() > 1 && self.names.iter().any(|name| are_in_order(parts, name)))
    }

    /// Tells whether a number is in it: with its unit, or by itself where it is long, or in a line that has
    /// another of `beside`.
    pub(super) fn has_number(&self, number: &Number, beside: &BTreeSet<String>) -> bool {
        let is_long = number.digits.chars().filter(char::is_ascii_digit).count() > 3
            || number.digits.contains('.');
        self.numbers.iter().filter(|(other, _)| other.digits == number.digits).any(
            |(other, line)| {
                let same_unit = number.unit.is_some() && number.unit == other.unit;
                let is_bare = number.unit.is_none() || other.unit.is_none();
                same_unit
                    || is_long
                    || (is_bare && number.digits.len() > 1 && !line.is_disjoint(beside))
            },
        )
    }
}

fn are_in_order(parts: &[String], name: &[String]) -> bool {
    let mut rest = name.iter();
    parts.iter().all(|part| rest.any(|other| other == part))
}

/// Returns the parts of a name in small letters: `retryAfter_ms` has three.
pub(super) fn parts(token: &str) -> Vec<String> {
    let words = token.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(humps).map(str::to_lowercase).collect()
}

/// Words for numbers that people write out.
const WRITTEN_OUT: [&str; 11] =
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Signs of units behind a number, as words.
const SIGNS: [(char, &str); 4] =
    [('%', " percent "), ('€', " eur "), ('£', " pound "), ('°', " deg ")];

/// Returns the numbers of a line.
pub(super) fn numbers(line: &str) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    let mut spaced = line.to_owned();
    for (sign, word) in SIGNS {
        spaced = spaced.replace(sign, word);
    }
    let mut words =
        spoken_words(&spaced).flat_map(|word| word.split(['=', ':', '/', '-', '_'])).peekable();
    while let Some(word) = words.next() {
        let lower = word.to_lowercase();
        let written = WRITTEN_OUT.iter().position(|one| *one == lower);
        let digits = word.len()
            - word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,'".contains(c)).len();
        let (number, attached) = match written {
            Some(at) => ((at + 2).to_string(), ""),
            None if digits > 0 && word.starts_with(|c: char| c.is_ascii_digit()) => {
                (word[..digits].to_owned(), &word[digits..])
            }
            None => continue,
        };
        let mut number = number.trim_end_matches(['.', ',', '\'']).replace([',', '\''], "");
        while number.contains('.') && number.ends_with(['0', '.']) {
            number.pop();
        }
        let is_word = |word: &&str| word.chars().all(char::is_alphabetic) && !word.is_empty();
        let unit = if attached.is_empty() { words.peek().copied() } else { Some(attached) };
        let unit = unit.filter(is_word).map(|unit| short_unit(&unit.to_lowercase()));
        found.push(Number { digits: number, unit });
    }
    found
}

/// Returns a unit in its short form.
fn short_unit(unit: &str) -> String {
    const FORMS: [(&str, &[&str]); 11] = [
        ("eur", &["euro", "euros"]),
        ("s", &["sec", "secs", "second", "seconds"]),
        ("min", &["mins", "minute", "minutes"]),
        ("h", &["hr", "hrs", "hour", "hours"]),
        ("d", &["day", "days"]),
        ("ms", &["millis", "millisecond", "milliseconds"]),
        ("kb", &["kib", "kilobytes", "k"]),
        ("mb", &["mib", "megabytes"]),
        ("gb", &["gib", "gigabytes"]),
        ("percent", &["pct"]),
        ("deg", &["degree", "degrees"]),
    ];
    let short = FORMS.iter().find(|(short, long)| *short == unit || long.contains(&unit));
    short.map_or_else(|| stem(unit), |(short, _)| (*short).to_owned())
}
