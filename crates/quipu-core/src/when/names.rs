//! Names of months and days, in small letters.

use jiff::civil::Weekday;

const MONTHS: [&str; 12] = [
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
];

/// Tells whether a word in small letters is a month or a day of the week.
pub(crate) fn names_a_date(word: &str) -> bool {
    MONTHS.contains(&word) || weekday(word).is_some()
}

/// Tells whether a word in small letters is a day of the week.
pub(crate) fn is_weekday(word: &str) -> bool {
    weekday(word).is_some()
}

/// Returns the number of a month by its name, or by its first three or four letters.
pub(crate) fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|name| {
        *name == word || (word.len() >= 3 && word.len() <= 4 && name.starts_with(word))
    })?;
    i8::try_from(at + 1).ok()
}

/// Returns the day of the week of that name.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// Returns the day of a month: `5`, `5th`.
pub(crate) fn ordinal(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &word[digits.len()..];
    let is_day = matches!(suffix, "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| is_day && (1..=31).contains(day))
}
