//! Days that a text names: `2027-01-21`, `21 January 2027`, `by 3 February`, `until October`.
//!
//! A day without a year is the next one after the text was written: who notes "by 3 February" in
//! July speaks of the year to come.

use jiff::civil::Date;

use crate::prose;
use crate::when;

/// Words that a month alone is an end or a beginning after: "until October".
const LIMITS: &[&str] =
    &["by", "until", "till", "before", "from", "in", "end", "mid", "early", "late", "through"];

/// Returns the days that a text names, as far as a calendar knows them, in their order.
pub fn days_named(text: &str, written: Date) -> Vec<Date> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = prose::words(&lower, "-./").collect();
    let mut days = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (day, taken) = day_at(&words, at, written);
        days.extend(day);
        at += taken;
    }
    days
}

/// Tells whether a text names a day, a month with a limit, or a time of day.
pub fn names_a_day(text: &str) -> bool {
    let any = Date::constant(2000, 1, 1);
    !days_named(text, any).is_empty()
}

/// Reads the day that begins at a word; returns it and how many words it has.
fn day_at(words: &[&str], at: usize, written: Date) -> (Option<Date>, usize) {
    let word = words[at].trim_matches(['.', '-', '/']);
    let next = |ahead: usize| words.get(at + ahead).map(|word| word.trim_matches(['.', '-', '/']));
    if let Some(day) = numeric(word) {
        return (Some(day), 1);
    }
    if let Some(day) = day_of_month(word)
        && let Some(month) = next(1).and_then(month)
    {
        return match next(2).and_then(year) {
            Some(year) => (Date::new(year, month, day).ok(), 3),
            None => (next_after(written, month, day), 2),
        };
    }
    let Some(number) = month(word) else { return (None, 1) };
    if let Some(day) = next(1).and_then(day_of_month) {
        return match next(2).and_then(year) {
            Some(year) => (Date::new(year, number, day).ok(), 3),
            None => (next_after(written, number, day), 2),
        };
    }
    let last_of = |year: i16| Date::new(year, number, 1).ok().map(Date::last_of_month);
    if let Some(year) = next(1).and_then(year) {
        return (last_of(year), 2);
    }
    let is_limit = at > 0 && (LIMITS.contains(&words[at - 1]) || (words[at - 1] == "of" && at > 1));
    // "In March" is as well the last one as the next: half a year ahead is the next.
    let day = last_of(written.year())
        .map(|day| if day < written { last_of(written.year() + 1).unwrap_or(day) } else { day });
    let is_near = |day: &Date| (*day - written).get_days() <= 183;
    (day.filter(|day| is_limit && (words[at - 1] != "in" || is_near(day))), 1)
}

/// Returns the next such day of a year, from the day on which it was written.
fn next_after(written: Date, month: i8, day: i8) -> Option<Date> {
    let this = Date::new(written.year(), month, day).ok();
    match this {
        Some(this) if this >= written => Some(this),
        _ => Date::new(written.year() + 1, month, day).ok(),
    }
}

fn month(word: &str) -> Option<i8> {
    when::month(word).or_else(|| {
        const GERMAN: [&str; 12] = [
            "januar",
            "februar",
            "märz",
            "april",
            "mai",
            "juni",
            "juli",
            "august",
            "september",
            "oktober",
            "november",
            "dezember",
        ];
        let at = GERMAN.iter().position(|name| *name == word)?;
        i8::try_from(at + 1).ok()
    })
}

fn day_of_month(word: &str) -> Option<i8> {
    when::ordinal(word)
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1970..2200).contains(year))
}

/// Reads `2027-01-21`, `21.1.2027` and `1/21/2027`.
fn numeric(word: &str) -> Option<Date> {
    if word.len() >= 10
        && let Some(day) = word.get(..10).and_then(|start| start.parse::<Date>().ok())
    {
        return Some(day);
    }
    let parts = |mark: char| -> Option<(i16, i16, i16)> {
        let mut parts = word.split(mark).map(|part| part.parse::<i16>().ok());
        let found = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(found)
    };
    let date = |year: i16, month: i16, day: i16| {
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        Date::new(year, month, day).ok().filter(|_| year >= 1970)
    };
    let german = parts('.').and_then(|(day, month, year)| date(year, month, day));
    german.or_else(|| {
        let (first, second, year) = parts('/')?;
        date(year, first, second).or_else(|| date(year, second, first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let written = Date::constant(2026, 7, 21);
        days_named(text, written).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn days_are_read_however_they_are_written() {
        assert_eq!(named("replaced by 3 February 2027"), ["2027-02-03"]);
        assert_eq!(named("by February 3rd, 2027."), ["2027-02-03"]);
        assert_eq!(named("on 2027-01-21 at 8:15"), ["2027-01-21"]);
        assert_eq!(named("am 21.1.2027 und 5. Mai"), ["2027-01-21", "2027-05-05"]);
        assert_eq!(named("ends on 30 November 2026"), ["2026-11-30"]);
    }

    #[test]
    fn a_day_without_a_year_is_the_next_one() {
        assert_eq!(named("before 15 January"), ["2027-01-15"]);
        assert_eq!(named("until 24 July, or until October"), ["2026-07-24", "2026-10-31"]);
        assert!(named("they may march in a row").is_empty());
        assert!(named("version 1.17.2 of 3 services").is_empty());
    }
}
