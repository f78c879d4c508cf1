//! Numbers with what they count: "3,200", "30 days", "half past seven", "every second Sunday".
//! Amounts are whole numbers of thousandths of a base unit, so that `1.5 km` equals `1500 m`.

pub(super) use super::units::Dimension;
use super::units::{EVERY, FREQUENCIES, MONTHS, NUMBER_WORDS, PER, UNITS, WEEKDAYS};

/// One amount in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quantity {
    pub(super) dimension: Dimension,
    /// In thousandths of the base unit.
    pub(super) amount: i64,
    /// As it was written.
    pub(super) text: String,
    /// The place of its first word.
    pub(super) at: usize,
    /// How many words it takes.
    pub(super) length: usize,
}

/// A word as the reader of amounts sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelled<'t> {
    /// In small letters, without marks around it.
    pub(super) plain: &'t str,
    pub(super) has_capital: bool,
}

/// Returns the number that a word is, in thousandths, and what follows it without a space.
pub(super) fn number(word: &str) -> Option<(i64, &str)> {
    let word = word.trim_start_matches(['€', '$', '£', '~', '<', '>', '=', '≤', '≥', '#', '+']);
    let end = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_')));
    let (digits, rest) = word.split_at(end.unwrap_or(word.len()));
    let digits = digits.trim_end_matches(['.', ',', '_']);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || digits.len() > 18 {
        return None;
    }
    Some((thousandths(digits)?, rest))
}

/// Reads digits with their separators: groups of three after a comma or an underscore are thousands.
fn thousandths(digits: &str) -> Option<i64> {
    let groups: Vec<&str> = digits.split([',', '.', '_']).collect();
    let are_thousands = |mark: char| {
        digits.contains(mark)
            && !digits.contains(if mark == ',' { '_' } else { ',' })
            && groups[0].len() <= 3
            && groups[0] != "0"
            && groups[1..].iter().all(|group| group.len() == 3)
    };
    if digits.contains(['_', ',', '.'])
        && [',', '_', '.'].into_iter().any(|mark| are_thousands(mark) && !mixed(digits, mark))
    {
        return groups.concat().parse::<i64>().ok()?.checked_mul(1000);
    }
    let marks = digits.matches([',', '.', '_']).count();
    match marks {
        0 => digits.parse::<i64>().ok()?.checked_mul(1000),
        1 => {
            let (whole, part) = digits.split_once([',', '.', '_'])?;
            let part: String = format!("{part}000").chars().take(3).collect();
            whole.parse::<i64>().ok()?.checked_mul(1000)?.checked_add(part.parse().ok()?)
        }
        // A thousand and cents, or a version of three parts.
        _ => {
            let (whole, last) = digits.rsplit_once([',', '.'])?;
            let is_amount =
                last.len() == 2 && whole.split([',', '.']).skip(1).all(|group| group.len() == 3);
            if is_amount {
                let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
                return whole
                    .parse::<i64>()
                    .ok()?
                    .checked_mul(1000)?
                    .checked_add(last.parse::<i64>().ok()? * 10);
            }
            groups
                .iter()
                .try_fold(0_i64, |sum, part| sum.checked_mul(1000)?.checked_add(part.parse().ok()?))
        }
    }
}

fn mixed(digits: &str, mark: char) -> bool {
    digits.chars().any(|c| !c.is_ascii_digit() && c != mark)
}

fn in_list(lists: &[&str], word: &str) -> Option<i64> {
    let at = lists.iter().position(|list| list.split(' ').any(|name| name == word))?;
    i64::try_from(at + 1).ok()
}

fn unit(word: &str) -> Option<(Dimension, i64, i64)> {
    let found = UNITS.iter().find(|(names, ..)| names.split(' ').any(|name| name == word))?;
    Some((found.1.clone(), found.2, found.3))
}

fn number_word(word: &str) -> Option<i64> {
    NUMBER_WORDS.iter().find(|(name, _)| *name == word).map(|(_, number)| number * 1000)
}

fn clock(word: &str) -> Option<i64> {
    let (hour, minute) = word.split_once(':')?;
    let (hour, minute) = (hour.parse::<i64>().ok()?, minute.get(..2)?.parse::<i64>().ok()?);
    (hour < 60 && minute < 60).then_some(hour * 60 + minute)
}

/// Returns the amounts in a statement, in order.
pub(super) fn quantities(words: &[Spelled<'_>]) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let taken = Reader { words, at }.read();
        let next = at + taken.as_ref().map_or(1, |(_, _, length)| *length);
        if let Some((dimension, amount, length)) = taken {
            let text =
                words[at..at + length].iter().map(|word| word.plain).collect::<Vec<_>>().join(" ");
            found.push(Quantity { dimension, amount, text, at, length });
        }
        at = next;
    }
    found
}

struct Reader<'w> {
    words: &'w [Spelled<'w>],
    at: usize,
}

type Read = Option<(Dimension, i64, usize)>;

impl Reader<'_> {
    fn word(&self, more: usize) -> &str {
        self.words.get(self.at + more).map_or("", |word| word.plain)
    }

    fn before(&self) -> &str {
        self.at.checked_sub(1).map_or("", |at| self.words[at].plain)
    }

    fn read(&self) -> Read {
        self.time_of_day()
            .or_else(|| self.date())
            .or_else(|| self.frequency())
            .or_else(|| self.ordinal())
            .or_else(|| self.amount())
    }

    fn time_of_day(&self) -> Read {
        let first = self.word(0);
        let hour = |word: &str| {
            number_word(word)
                .or_else(|| number(word).filter(|n| n.1.is_empty()).map(|n| n.0))
                .map(|n| n / 1000)
        };
        for (phrase, minutes) in [("half_past", 30), ("quarter_past", 15), ("quarter_to", -15)] {
            if first == phrase
                && let Some(hour) = hour(self.word(1))
            {
                return Some((Dimension::Clock, hour * 60 + minutes, 2));
            }
        }
        if matches!(first, "noon" | "midday") {
            return Some((Dimension::Clock, 720, 1));
        }
        if first == "midnight" {
            return Some((Dimension::Clock, 1440, 1));
        }
        let minutes = clock(first);
        let (value, rest) = match (minutes, number(first)) {
            (Some(minutes), _) => {
                (minutes, first.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':'))
            }
            (None, Some((value, rest))) => (value * 60 / 1000, rest),
            (None, None) => (number_word(first)? * 60 / 1000, ""),
        };
        let suffix = |word: &str| match word.replace('.', "").as_str() {
            "am" => Some(0),
            "pm" => Some(720),
            "uhr" | "o'clock" | "oclock" => Some(-1),
            _ => None,
        };
        let (half, length) = match (suffix(rest), suffix(self.word(1))) {
            (Some(half), _) => (half, 1),
            (None, Some(half)) => (half, 2),
            _ if minutes.is_some() => return Some((Dimension::Clock, value, 1)),
            // "at four", "at 8", "until nine"
            _ if matches!(self.before(), "at" | "by" | "until" | "till")
                && (60..=1440).contains(&value)
                && value % 15 == 0
                && unit(self.word(1)).is_none()
                && !self.words.get(self.at + 1).is_some_and(|next| is_noun_like(next.plain)) =>
            {
                return Some((Dimension::Clock, value, 1));
            }
            _ => return None,
        };
        let value = match half {
            720 if value < 720 => value + 720,
            0 if value >= 720 => value - 720,
            _ => value,
        };
        Some((Dimension::Clock, value, length))
    }

    fn date(&self) -> Read {
        let first = self.word(0);
        if let Some(day) = in_list(WEEKDAYS, first)
            && (first.len() > 3 || self.words[self.at].has_capital)
        {
            return Some((Dimension::Weekday, day, 1));
        }
        let month = |more: usize| {
            let is_month = self
                .words
                .get(self.at + more)
                .is_some_and(|word| word.has_capital || word.plain.len() > 4);
            in_list(MONTHS, self.word(more)).filter(|_| is_month)
        };
        let day = |word: &str| {
            let (value, rest) = number(word)?;
            let is_day = matches!(rest, "" | "st" | "nd" | "rd" | "th" | ".") && value % 1000 == 0;
            (is_day && (1000..=31_000).contains(&value)).then_some(value / 1000)
        };
        if let Some(month) = month(0) {
            return Some(match day(self.word(1)) {
                Some(day) => (Dimension::Date, month * 100 + day, 2),
                None => (Dimension::Date, month * 100, 1),
            });
        }
        if let Some(day) = day(first) {
            let skip = usize::from(self.word(1) == "of");
            if let Some(month) = month(1 + skip) {
                return Some((Dimension::Date, month * 100 + day, 2 + skip));
            }
            let is_ordinal = first.ends_with("st")
                || first.ends_with("nd")
                || first.ends_with("rd")
                || first.ends_with("th");
            if is_ordinal {
                return Some((Dimension::DayOfMonth, day, 1));
            }
        }
        let ordinals = ["first", "second", "third", "fourth", "fifth"];
        if let Some(at) = ordinals.iter().position(|name| *name == first)
            && self.word(1) == "of"
            && (self.word(3) == "month" || self.word(2) == "month")
        {
            return Some((Dimension::DayOfMonth, i64::try_from(at).ok()? + 1, 1));
        }
        let year = first.parse::<i64>().ok().filter(|year| (1900..2100).contains(year))?;
        let is_counted = is_noun_like(self.word(1)) || unit(self.word(1)).is_some();
        (!is_counted || matches!(self.before(), "in" | "since" | "until" | "from")).then_some((
            Dimension::Year,
            year,
            1,
        ))
    }

    fn ordinal(&self) -> Read {
        let first = self.word(0);
        let names = [
            "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth",
        ];
        let at = names.iter().position(|name| *name == first)?;
        let of = self.word(1);
        let is_of = is_noun_like(of) && unit(of).is_none() && number_word(of).is_none();
        is_of.then(|| (Dimension::Ordinal, i64::try_from(at).unwrap_or(0) + 1, 1))
    }

    fn frequency(&self) -> Read {
        let first = self.word(0);
        if let Some((_, interval)) = FREQUENCIES.iter().find(|(name, _)| *name == first) {
            return Some((Dimension::Frequency, interval * 1000, 1));
        }
        if first == "every_other" {
            let (_, n, d) = unit(self.word(1)).filter(|unit| unit.0 == Dimension::Duration)?;
            return Some((Dimension::Frequency, 2 * n * 1000 / d, 2));
        }
        if EVERY.contains(&first) {
            let mut more = 1;
            if ["single", "los", "les", "las", "the"].contains(&self.word(1)) {
                more = 2;
            }
            let part = |word: &str| {
                [
                    "morning",
                    "evening",
                    "night",
                    "afternoon",
                    "weekday",
                    "lunchtime",
                    "abend",
                    "morgen",
                    "nacht",
                    "nuit",
                    "noche",
                    "soir",
                    "matin",
                ]
                .contains(&word)
            };
            if part(self.word(more)) {
                return Some((Dimension::Frequency, 86_400_000, more + 1));
            }
            if let Some((Dimension::Duration, n, d)) = unit(self.word(more)) {
                return Some((Dimension::Frequency, n * 1000 / d, more + 1));
            }
            let count = number_word(self.word(1)).or_else(|| number(self.word(1)).map(|n| n.0))?;
            let (_, n, d) = unit(self.word(2)).filter(|unit| unit.0 == Dimension::Duration)?;
            return Some((Dimension::Frequency, count * n / d, 3));
        }
        // "one review per month"
        if let Some(count) =
            number_word(first).or_else(|| number(first).filter(|n| n.1.is_empty()).map(|n| n.0))
        {
            let place = (1..4).find(|more| matches!(self.word(*more), "per" | "pro"));
            if let Some(more) = place.filter(|more| *more > 1)
                && let Some((Dimension::Duration, n, d)) = unit(self.word(more + 1))
                && count > 0
                && unit(self.word(1)).is_none()
                && n >= 86_400
                && count <= 10_000
            {
                return Some((Dimension::Frequency, n * 1_000_000 / d / count, 1));
            }
        }
        // "for a month", "after an hour"
        if matches!(first, "a" | "an" | "ein" | "eine" | "einen" | "un" | "une" | "una")
            && matches!(
                self.before(),
                "for"
                    | "after"
                    | "within"
                    | "last"
                    | "lasts"
                    | "takes"
                    | "in"
                    | "of"
                    | "keep"
                    | "kept"
                    | "than"
                    | "durante"
                    | "pendant"
                    | "logs"
            )
            && self.word(2) != "of"
            && let Some((Dimension::Duration, n, d)) = unit(self.word(1))
        {
            return Some((Dimension::Duration, n * 1000 / d, 2));
        }
        // "three times a week", "once a month", "twice a day"
        let (count, length) = match (first, self.word(1)) {
            ("once" | "einmal", _) => (1000, 1),
            ("twice" | "zweimal", _) => (2000, 1),
            ("thrice" | "dreimal", _) => (3000, 1),
            (_, "times" | "mal" | "fois" | "veces") => {
                (number_word(first).or_else(|| number(first).map(|n| n.0))?, 2)
            }
            _ => return None,
        };
        let (_, n, d) = unit(self.word(length + 1)).filter(|unit| unit.0 == Dimension::Duration)?;
        let is_rate = PER.contains(&self.word(length)) && count > 0;
        is_rate.then(|| (Dimension::Frequency, n * 1_000_000 / d / count, length + 2))
    }

    fn amount(&self) -> Read {
        let first = self.word(0);
        let rest = [self.word(1), self.word(2), self.word(3)];
        let spoken = match (first, rest) {
            ("quarter", ["of", "an", "hour"]) => Some((900, 4)),
            ("half", ["an", "hour", _]) => Some((1800, 3)),
            ("half", ["a", "day", _]) => Some((43_200, 3)),
            _ => None,
        };
        if let Some((seconds, length)) = spoken {
            return Some((Dimension::Duration, seconds * 1000, length));
        }
        if first == "a_dozen" {
            return Some((Dimension::Count, 12_000, 1));
        }
        let (value, rest) = match number(first) {
            Some(found) => found,
            None => (self.counted_in_words()?, ""),
        };
        let of = |dimension: Dimension, n: i64, d: i64, length: usize| {
            Some((dimension, value.checked_mul(n)? / d, length))
        };
        if !rest.is_empty() {
            let rest = rest.trim_start_matches('-');
            return match unit(rest) {
                Some((dimension, n, d)) => of(dimension, n, d, 1),
                None if rest.starts_with(|c: char| c.is_alphanumeric() || c == '/') => None,
                None => of(Dimension::Number, 1, 1, 1),
            };
        }
        let is_money = first.starts_with(['€', '$', '£']);
        let skip = usize::from(matches!(
            self.word(1),
            "business" | "working" | "calendar" | "whole" | "full"
        ));
        if let Some((dimension, n, d)) = unit(self.word(1 + skip)).filter(|_| !is_money) {
            // "8 nights a week" is no duration of a week.
            return of(dimension, n, d, 2 + skip);
        }
        let is_count = !is_money && is_noun_like(self.word(1));
        Some((if is_count { Dimension::Count } else { Dimension::Number }, value, 1))
    }

    fn counted_in_words(&self) -> Option<i64> {
        let first = self.word(0);
        let value = number_word(first)?;
        let follows = |words: &[&str]| words.contains(&self.before());
        // "the one exception", "no one", "one of them", "both" stand for no amount.
        let is_pronoun = match first {
            "one" => {
                follows(&["the", "no", "this", "that", "which", "only", "old", "new", "other"])
                    || ["of", "another", "day", ""].contains(&self.word(1))
            }
            "both" | "couple" | "single" | "once" | "hundred" => {
                !(first == "once"
                    && (follows(&["exactly", "only", "just"]) || self.word(1).is_empty()))
            }
            _ => false,
        };
        (!is_pronoun).then_some(value)
    }
}

fn is_noun_like(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'')
        && !super::lexicon::is_function_word(word)
        && word.len() > 1
}

/// Tells whether two amounts of one dimension are the same.
pub(super) fn are_equal(a: &Quantity, b: &Quantity) -> bool {
    match a.dimension {
        // 7 may be in the morning or in the evening.
        Dimension::Clock => {
            a.amount == b.amount
                || (a.amount - b.amount).abs() == 720
                    && a.amount.min(b.amount) <= 720
                    && !(a.text.contains('m') && b.text.contains('m'))
        }
        Dimension::Date => {
            a.amount == b.amount
                || a.amount / 100 == b.amount / 100 && (a.amount % 100 == 0 || b.amount % 100 == 0)
        }
        _ => a.amount == b.amount,
    }
}

/// Tells whether amounts of two dimensions may stand for each other.
pub(super) fn are_comparable(a: &Dimension, b: &Dimension) -> bool {
    a == b
        || matches!(
            (a, b),
            (Dimension::Number, Dimension::Count) | (Dimension::Count, Dimension::Number)
        )
}
