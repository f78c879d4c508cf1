//! The words of a question or of a short memory, as far as evidence is concerned: stems, names, values
//! with what they measure, and which words mean nearly the same.

use std::collections::BTreeSet;

use super::kin::{self, Rival};
use crate::prose;
use crate::terms::Language;

/// One word of a text.
#[derive(Clone, Debug)]
pub struct Word {
    /// As it is written.
    pub raw: String,
    /// In small letters.
    pub plain: String,
    /// Its stem.
    pub stem: String,
    /// Whether it says what the text is about: no little word.
    pub tells: bool,
    /// Whether it is written like a name, and not only because a sentence begins with it.
    pub is_name: bool,
    /// What it measures, where it is a number, a day or a time.
    pub value: Option<Value>,
    /// Groups of words that people use for one another.
    kin: Vec<u16>,
    /// Its place among words of which one excludes the others: `staging`, `production`.
    rival: Option<Rival>,
}

/// What a value measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A day, a month, a weekday, a season.
    Date,
    /// A time of the day.
    Clock,
    /// An amount of money.
    Money,
    /// A span of time.
    Span,
    /// How often something happens.
    Often,
    /// A share.
    Percent,
    /// Any other number.
    Number,
    /// A number that is part of a name: `J4`, `E18`, `Lane 9`.
    Code,
}

/// Words of questions that say nothing about the subject.
const FILLERS: &[&str] = &[
    "actually",
    "already",
    "anything",
    "back",
    "come",
    "current",
    "currently",
    "ever",
    "everything",
    "find",
    "get",
    "gets",
    "give",
    "go",
    "going",
    "happen",
    "happened",
    "happens",
    "info",
    "information",
    "ist",
    "kind",
    "know",
    "known",
    "let",
    "like",
    "list",
    "long",
    "made",
    "make",
    "many",
    "moment",
    "much",
    "need",
    "new",
    "number",
    "off",
    "often",
    "one",
    "per",
    "please",
    "plus",
    "remember",
    "remind",
    "right",
    "show",
    "sort",
    "still",
    "stuff",
    "tell",
    "thing",
    "things",
    "today",
    "uns",
    "unser",
    "us",
    "use",
    "via",
    "wann",
    "want",
    "was",
    "way",
    "wer",
    "what's",
    "when's",
    "who's",
    "wie",
    "wo",
    "yet",
];

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
];

const DAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
    "sundays",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonntag",
    "spring",
    "summer",
    "autumn",
    "winter",
    "noon",
    "midnight",
    "morning",
    "mornings",
    "evening",
    "tomorrow",
    "easter",
    "christmas",
];

const SPANS: &[&str] = &[
    "second", "seconds", "minute", "minutes", "min", "ms", "s", "hour", "hours", "h", "day",
    "days", "week", "weeks", "month", "months", "year", "years", "sessions", "nights",
];

const MONEY: &[&str] = &[
    "euro", "euros", "eur", "pound", "pounds", "dollar", "dollars", "usd", "gbp", "pence", "p",
    "cents", "francs", "kr", "chf",
];

const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "twice", "half", "fifteen", "twenty", "thirty", "dozen",
];

const OFTEN: &[&str] =
    &["every", "daily", "weekly", "monthly", "hourly", "nightly", "yearly", "twice", "each"];

/// Returns the words of a text.
pub fn words(text: &str) -> Vec<Word> {
    let parts = parts(text);
    let language = Language::of(parts.iter().map(|(_, plain, _)| plain.as_str()));
    let mut words: Vec<Word> =
        parts.into_iter().map(|(raw, plain, place)| word(raw, plain, place, language)).collect();
    for at in 0..words.len() {
        words[at].value = value(&words, at);
    }
    words
}

/// How a word stands in its sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    First,
    Later,
    /// Of somebody: `Mila's`.
    Owner,
}

fn parts(text: &str) -> Vec<(String, String, Standing)> {
    let mut parts = Vec::new();
    let mut begins = true;
    for raw in text.split(|c: char| c.is_whitespace() || "()[]{}\",;|".contains(c)) {
        let bare = raw.trim_matches(|c: char| "`*_.:!?'’—–-<>".contains(c));
        if bare.is_empty() {
            continue;
        }
        let owner = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s"));
        let standing = match (owner, begins) {
            (Some(_), _) => Standing::Owner,
            (None, true) => Standing::First,
            (None, false) => Standing::Later,
        };
        begins = raw.ends_with(['.', '!', '?', ':']);
        let bare = owner.unwrap_or(bare);
        let mut push = |part: &str| {
            if !part.is_empty() {
                parts.push((part.to_owned(), part.to_lowercase(), standing));
            }
        };
        if bare.starts_with(|c: char| c.is_ascii_digit()) && !bare.contains(char::is_alphabetic) {
            push(bare); // 14:00, 26,340, 2026-05-04
        } else {
            let pieces = bare.split(['-', '/', '_', '.', ':', '=', '@', '~']);
            pieces.flat_map(prose::humps).for_each(&mut push);
        }
    }
    parts
}

fn word(raw: String, plain: String, standing: Standing, language: Language) -> Word {
    let has_digit = raw.bytes().any(|byte| byte.is_ascii_digit());
    let capitals = raw.chars().filter(|c| c.is_uppercase()).count();
    let is_calendar = is_calendar(&plain);
    let begins_alike = matches!(language, Language::German) || standing == Standing::First;
    let is_name = !is_calendar
        && (capitals > 1 || (capitals == 1 && (!begins_alike || standing == Standing::Owner)));
    let short = plain.split(['\'', '’']).next().unwrap_or_default();
    // "service A": a capital by itself is a name where no sentence begins with it.
    let is_mark = capitals == 1 && plain.chars().count() == 1 && standing != Standing::First;
    let is_letter = plain.chars().count() == 1
        && !has_digit
        && !plain.chars().any(prose::is_unspaced)
        && (!is_mark || plain == "i");
    let is_little = [language, Language::English]
        .into_iter()
        .any(|language| language.is_stop(&plain) || language.is_stop(short));
    let tells = (is_mark && !is_letter)
        || !(is_letter || is_little || FILLERS.binary_search(&plain.as_str()).is_ok());
    let stem = if has_digit || !tells { plain.clone() } else { language.stem(short) };
    let (kin, rival) =
        if tells { (kin::groups(&plain, &stem), kin::rival(&plain)) } else { (Vec::new(), None) };
    Word { raw, plain, stem, tells, is_name, value: None, kin, rival }
}

/// Tells whether a word in small letters names a month.
pub fn is_month(plain: &str) -> bool {
    MONTHS.contains(&plain)
}

fn is_calendar(plain: &str) -> bool {
    MONTHS.contains(&plain) || DAYS.contains(&plain)
}

/// Returns what the word at a place measures.
fn value(words: &[Word], at: usize) -> Option<Value> {
    let word = &words[at];
    let plain = word.plain.as_str();
    let next = words.get(at + 1).map_or("", |next| next.plain.as_str());
    let before = at.checked_sub(1).map(|before| &words[before]);
    let before_plain = before.map_or("", |before| before.plain.as_str());
    let is_written_month = MONTHS.contains(&plain) && word.raw.starts_with(char::is_uppercase);
    if is_written_month || DAYS.contains(&plain) {
        return Some(Value::Date);
    }
    if OFTEN.contains(&plain) {
        return Some(Value::Often);
    }
    if !word.has_digit() && !NUMBERS.contains(&plain) {
        return None;
    }
    let is_number = |c: char| c.is_ascii_digit() || ".,:-–%+€$£".contains(c);
    if word.has_digit() && !plain.chars().all(is_number) {
        let unit = plain.trim_start_matches(|c: char| c.is_ascii_digit() || ".,".contains(c));
        return Some(match unit {
            "st" | "nd" | "rd" | "th" => Value::Date,
            unit if SPANS.contains(&unit) => Value::Span,
            unit if MONEY.contains(&unit) => Value::Money,
            _ => Value::Code,
        });
    }
    let is_of_name = || before.is_some_and(|before| before.is_name && !before.has_digit());
    Some(if plain.contains(':') {
        Value::Clock
    } else if plain.contains(['€', '$', '£']) || MONEY.contains(&next) {
        Value::Money
    } else if plain.contains('%') || next == "percent" || next == "%" {
        Value::Percent
    } else if (plain.len() >= 8 && plain.matches('-').count() == 2)
        || MONTHS.contains(&next)
        || MONTHS.contains(&before_plain)
        || before_plain == "week"
    {
        Value::Date
    } else if SPANS.contains(&next) {
        Value::Span
    } else if matches!(next, "uhr" | "am" | "pm" | "utc")
        || (plain.contains('-') && plain.len() <= 5)
    {
        Value::Clock
    } else if is_of_name() {
        Value::Code
    } else {
        Value::Number
    })
}

impl Word {
    /// Tells whether it has a digit.
    pub fn has_digit(&self) -> bool {
        self.plain.bytes().any(|byte| byte.is_ascii_digit())
    }

    /// Tells whether it begins with a capital, whatever the reason.
    pub fn is_capitalised(&self) -> bool {
        self.raw.starts_with(char::is_uppercase)
    }

    /// Tells whether another word is one that people use in its place.
    pub fn is_kin_of(&self, other: &Self) -> bool {
        !self.excludes(other) && self.kin.iter().any(|group| other.kin.contains(group))
    }

    /// Tells whether it and another word are two of which only one can be meant.
    pub fn excludes(&self, other: &Self) -> bool {
        let pair = self.rival.zip(other.rival);
        pair.is_some_and(|(one, other)| one.group == other.group && one.place != other.place)
    }
}

/// Tells whether any of the words has a stem.
pub fn has_stem(words: &[Word], stem: &str) -> bool {
    words.iter().any(|word| word.stem == stem)
}

/// Returns the letters that runs of two to four words begin with: `pr` for "pull request".
pub fn initials(words: &[Word]) -> BTreeSet<String> {
    let letters: Vec<char> = words.iter().filter_map(|word| word.plain.chars().next()).collect();
    let of = |length: usize| letters.windows(length).map(|run| run.iter().collect());
    (2..=4).flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_can_be_searched() {
        assert!(FILLERS.is_sorted());
    }

    #[test]
    fn values_are_known_by_what_they_measure() {
        let values = |text: &str| -> Vec<Value> {
            words(text).into_iter().filter_map(|word| word.value).collect()
        };
        assert_eq!(values("Basket expiry is set to 14 days."), [Value::Span]);
        assert_eq!(values("It costs 38 pounds or 29€"), [Value::Money, Value::Money]);
        assert_eq!(values("on 23 January at 14:00"), [Value::Date, Value::Date, Value::Clock]);
        assert_eq!(values("every 5 minutes"), [Value::Often, Value::Span]);
        assert_eq!(values("Mill Lane 9"), [Value::Code]);
        assert_eq!(values("port 5544, error E18"), [Value::Number, Value::Code]);
        assert_eq!(values("you may not march"), []);
    }

    #[test]
    fn names_are_capitalised_within_a_sentence_or_own_something() {
        let names = |text: &str| -> Vec<String> {
            words(text).into_iter().filter(|word| word.is_name).map(|word| word.raw).collect()
        };
        assert_eq!(names("Please ask Priya on Monday"), ["Priya"]);
        assert_eq!(names("Mila's shoe size is 31"), ["Mila"]);
        assert_eq!(names("The SLA holds"), ["SLA"]);
    }
}
