//! What a short statement tells of whom: its marks (names, numbers, days, channels), and the plain words
//! that say how they belong together. "The tests of Falcon run on Drone" has the marks Falcon and Drone.

use crate::prose;
use crate::terms::{self, Language, Term};
use crate::when;

/// Longer texts tell more than one thing.
const LONGEST: usize = 200;

/// With more marks nobody can say which of them is the value.
const MOST_MARKS: usize = 5;

/// A value has no more words than this.
const LONGEST_VALUE: usize = 2;

/// What a mark is. Only values of one sort can stand for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Name,
    /// A channel, a branch, an account.
    Marked,
    /// A day of a month.
    Date,
    Weekday,
    /// A time of the day.
    Clock,
    Version,
    /// So many of these.
    Count(Term),
    Number,
}

/// A word that is no plain word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mark {
    sort: Sort,
    word: Term,
}

/// A statement as its marks and its wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// In order, each once.
    marks: Vec<Mark>,
    /// The stems of the plain words, in order, each once.
    words: Vec<Term>,
    /// The first word, which has a capital in any case: as a mark, and as a plain word where it says
    /// something.
    first: Option<(Mark, Option<Term>)>,
    /// A number for its plain words.
    wording: Term,
}

/// What a statement is that may hold no longer, or was not meant to last, or adds to another.
const PASSING: &[&str] = &[
    "was",
    "were",
    "had",
    "been",
    "will",
    "would",
    "could",
    "might",
    "may",
    "maybe",
    "perhaps",
    "if",
    "unless",
    "until",
    "today",
    "tonight",
    "tomorrow",
    "yesterday",
    "temporarily",
    "also",
    "too",
    "another",
    "both",
    "either",
    "or",
    "some",
    "sometimes",
    "not",
    "no",
    "never",
    "neither",
    "nor",
    "without",
    "dont",
    "doesnt",
    "isnt",
    "cannot",
];

/// Words that say nothing about how the others belong together.
const LITTLE: &[&str] = &[
    "now",
    "new",
    "currently",
    "again",
    "already",
    "please",
    "about",
    "after",
    "before",
    "behind",
    "between",
    "over",
    "under",
    "within",
    "out",
    "off",
    "through",
];

impl Telling {
    /// Reads a statement; nothing where it is none that gives one value to one thing.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches(['.', '!']);
        let is_one = !text.contains(['\n', '?', '!']) && !text.contains(". ");
        if text.len() > LONGEST || !is_one {
            return None;
        }
        let words: Vec<&str> = prose::spoken_words(text)
            .map(|raw| raw.strip_suffix("'s").or_else(|| raw.strip_suffix("’s")).unwrap_or(raw))
            .collect();
        let mut telling = Self { marks: Vec::new(), words: Vec::new(), first: None, wording: 0 };
        let mut at = 0;
        while at < words.len() {
            at += telling.take(&words, at)?;
        }
        telling.marks.sort_unstable();
        telling.marks.dedup();
        telling.words.sort_unstable();
        telling.words.dedup();
        let marks = telling.marks.len() + usize::from(telling.first.is_some());
        ((2..=MOST_MARKS).contains(&marks)).then_some(telling)
    }

    /// Takes the word at a place; returns how many it took.
    fn take(&mut self, words: &[&str], at: usize) -> Option<usize> {
        let raw = words[at];
        let plain = raw.to_lowercase().replace(['\'', '’'], "");
        if PASSING.contains(&plain.as_str()) && !is_of_calendar(raw, &plain) {
            return None;
        }
        let next = words.get(at + 1).map(|next| (*next, next.to_lowercase()));
        let (sort, name, taken) = match sort(raw, &plain) {
            Some(Sort::Number) => number(&plain, next),
            Some(Sort::Date) => match next.filter(|(_, next)| is_number(next)) {
                Some((_, day)) => (Sort::Date, format!("{day} {plain}"), 2),
                None => (Sort::Date, plain.clone(), 1),
            },
            Some(sort) => (sort, plain.clone(), 1),
            None => {
                self.words.extend(stems(&plain));
                return Some(1);
            }
        };
        let mark = Mark { sort, word: terms::label('w', &name) };
        if at == 0 && sort == Sort::Name && !raw.chars().skip(1).any(char::is_uppercase) {
            self.first = Some((mark, stems(&plain).next()));
        } else {
            self.marks.push(mark);
        }
        Some(taken)
    }

    /// Returns the names that it certainly has: those that do not begin it.
    pub fn names(&self) -> impl Iterator<Item = Term> {
        let names = self.marks.iter().filter(|mark| mark.sort == Sort::Name);
        names.map(|mark| mark.word).collect::<Vec<Term>>().into_iter()
    }

    /// Says whether the first word is a name, which other statements know.
    #[must_use]
    pub fn resolved(mut self, is_name: impl Fn(Term) -> bool) -> Option<Self> {
        match self.first.take() {
            Some((mark, _)) if is_name(mark.word) => {
                self.marks.push(mark);
                self.marks.sort_unstable();
                self.marks.dedup();
            }
            Some((_, Some(word))) => {
                self.words.push(word);
                self.words.sort_unstable();
                self.words.dedup();
            }
            _ => {}
        }
        let numbers = self.words.iter().map(|word| terms::scattered(*word, 1));
        self.wording = numbers.fold(0, u64::wrapping_add);
        (self.marks.len() > 1 && !self.words.is_empty()).then_some(self)
    }

    /// Returns a number for the wording of one that is [resolved](Self::resolved).
    pub fn wording(&self) -> Term {
        self.wording
    }

    /// Returns a number for its marks: the same for those that [say the same](Self::says_the_same).
    pub fn said(&self) -> Term {
        let number = |mark: &Mark| match mark.sort {
            Sort::Count(of) => mark.word ^ of.rotate_left(1),
            _ => mark.word,
        };
        let marks = self.marks.iter().map(|mark| terms::scattered(number(mark), 1));
        marks.fold(0, u64::wrapping_add)
    }

    /// Tells whether both give the same value to the same thing, in whatever words.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.marks == other.marks
    }

    /// Tells whether its value is one that few things have: a number may be that of many.
    pub fn has_telling_value(&self) -> bool {
        let is_telling = |mark: &&Mark| {
            matches!(mark.sort, Sort::Name | Sort::Marked | Sort::Date | Sort::Version)
        };
        self.marks.iter().filter(is_telling).count() > 1
    }

    /// Tells whether both have a plain word in common.
    pub fn shares_a_word(&self, other: &Self) -> bool {
        self.words.iter().any(|word| other.words.contains(word))
    }

    /// Tells whether both are in the same words, or one of them in some words more. Where each has words of
    /// its own, they may well be about two things.
    pub fn shares_words(&self, other: &Self) -> bool {
        let shared = self.words.iter().filter(|word| other.words.contains(word)).count();
        let (fewer, more) = (self.words.len(), other.words.len());
        shared == fewer.min(more) && (fewer == more || shared > 1)
    }

    /// Tells whether both are about the same thing, and give it another value of the same sort.
    ///
    /// What both have is what they are about, where more statements mention it than mention the
    /// values: "Ada owns Falcon" and "Ada owns Basalt" are about two things.
    pub fn differs_in_value(&self, other: &Self, mentions: impl Fn(Term) -> usize) -> bool {
        let own = |of: &Self, than: &Self| -> Vec<Mark> {
            of.marks.iter().filter(|mark| !than.marks.contains(mark)).copied().collect()
        };
        let (mine, theirs) = (own(self, other), own(other, self));
        let Some(first) = mine.first() else { return false };
        if !mine.iter().chain(&theirs).all(|mark| mark.sort == first.sort) {
            return false;
        }
        let most = if first.sort == Sort::Name { LONGEST_VALUE } else { 1 };
        if theirs.is_empty() || mine.len() > most || theirs.len() > most {
            return false;
        }
        let shared = self.marks.iter().filter(|mark| other.marks.contains(mark));
        let names = shared.filter(|mark| mark.sort == Sort::Name);
        let Some(subject) = names.map(|mark| mentions(mark.word)).max() else { return false };
        let is_value = |mark: &Mark| mark.sort != Sort::Name || mentions(mark.word) < subject;
        mine.iter().chain(&theirs).all(is_value)
    }
}

fn stems(plain: &str) -> impl Iterator<Item = Term> {
    let is_said = !STOPWORDS.contains(&plain) && !LITTLE.contains(&plain);
    is_said.then(|| terms::label('w', &stem(plain))).into_iter()
}

/// Returns what a word is; nothing for a plain one.
fn sort(raw: &str, plain: &str) -> Option<Sort> {
    if is_of_calendar(raw, plain) {
        return Some(if when::is_weekday(plain) { Sort::Weekday } else { Sort::Date });
    }
    if is_number(plain) {
        return Some(match plain {
            _ if plain.contains(':') => Sort::Clock,
            _ if plain.contains('.') => Sort::Version,
            _ => Sort::Number,
        });
    }
    let is_file = raw.contains('.') || raw.contains("::");
    if raw.contains(['#', '@', '/', '_']) && !is_file && plain != "and/or" {
        Some(Sort::Marked)
    } else if raw.chars().any(char::is_uppercase) {
        Some(Sort::Name)
    } else {
        None
    }
}

/// Returns a number with what it counts, or the month that it is a day of.
fn number(plain: &str, next: Option<(&str, String)>) -> (Sort, String, usize) {
    match next {
        Some((raw, month)) if is_of_calendar(raw, &month) && !when::is_weekday(&month) => {
            (Sort::Date, format!("{plain} {month}"), 2)
        }
        Some((raw, counted))
            if sort(raw, &counted).is_none()
                && !STOPWORDS.contains(&counted.as_str())
                && !LITTLE.contains(&counted.as_str()) =>
        {
            let of = terms::label('w', &stem(&counted));
            (Sort::Count(of), plain.to_owned(), 2)
        }
        _ => (Sort::Number, plain.to_owned(), 1),
    }
}

const STOPWORDS: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does",
    "each", "for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "may", "more",
    "must", "of", "on", "only", "or", "our", "should", "so", "than", "that", "the", "their",
    "them", "then", "there", "this", "to", "up", "use", "used", "uses", "using", "via", "was",
    "we", "were", "when", "which", "will", "with", "you", "your", "always", "every", "all", "now",
    "also",
];

/// Tells whether a word is a month or a day of the week.
fn is_of_calendar(raw: &str, plain: &str) -> bool {
    raw.starts_with(char::is_uppercase) && when::names_a_date(plain)
}

fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('v').unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn stem(word: &str) -> String {
    Language::English.stem(word)
}
