//! What a question says about time: "last week", "in March", "two sessions ago", "before the
//! migration". Resolved against the day of the question, never against a clock. Also the moment at
//! which a day begins.

mod names;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};

use self::names::weekday;
pub(crate) use self::names::{is_weekday, month, names_a_date, ordinal};

/// Returns the start of a day.
pub fn midnight(day: Date) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp()).unwrap_or_default()
}

/// Words about time, and what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The words.
    pub words: String,
    /// What they mean.
    pub meaning: Meaning,
}

/// A time that words mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// From a day on, until before another; open where nothing is said.
    Days {
        /// The first day.
        from: Option<Date>,
        /// The day after the last.
        to: Option<Date>,
    },
    /// The session so many back; 1 is the newest.
    SessionsAgo(usize),
    /// Before or after something that happened.
    Event {
        /// Whether before it.
        before: bool,
        /// What happened.
        what: String,
    },
}

/// A run of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Days {
    from: Date,
    to: Date,
}

impl Days {
    fn one(day: Date) -> Option<Self> {
        Some(Self { from: day, to: day.tomorrow().ok()? })
    }

    fn between(from: Date, span: Span) -> Option<Self> {
        Some(Self { from, to: from.checked_add(span).ok()? })
    }

    fn month(year: i16, month: i8) -> Option<Self> {
        Self::between(Date::new(year, month, 1).ok()?, 1.month())
    }

    fn year(year: i16) -> Option<Self> {
        Self::between(Date::new(year, 1, 1).ok()?, 1.year())
    }
}

/// Returns what a question says about time, in order.
pub fn expressions(text: &str, today: Date) -> Vec<Expression> {
    let words = words(text);
    let reader = Reader { words: &words, today };
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match reader.expression(at) {
            Some((meaning, end)) => {
                let span = words[at].start..words[end - 1].end;
                found.push(Expression { words: text[span].to_owned(), meaning });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the days that `text` names, from the first until the day after the last; nothing where it
/// says anything else. For options, so that `--since yesterday` means what a question means by it.
pub fn named_days(text: &str, today: Date) -> Option<(Date, Date)> {
    // "in 2026" is a year, and "on Monday" the last one: a preposition says that a time follows.
    let mut words = words(&format!("in {text}"));
    let skip = usize::from(matches!(words.get(1)?.text.as_str(), "in" | "on" | "during"));
    words.drain(..skip);
    // Options are written in lower case, and only a time is expected here.
    for word in &mut words {
        word.capital = true;
    }
    let reader = Reader { words: &words, today };
    let (days, end) = reader.days(1)?;
    (end == words.len()).then_some((days.from, days.to))
}

#[derive(Debug)]
struct Word {
    text: String,
    start: usize,
    end: usize,
    /// Whether it began with a capital.
    capital: bool,
    /// Whether a sentence or clause ends after it.
    ends: bool,
}

fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '/' | ':');
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_word(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let raw = &text[from..at];
                let lower = raw.to_lowercase().replace('’', "'");
                let lower = lower.trim_end_matches("'s").trim_matches([':', '-', '\'']).to_owned();
                words.push(Word {
                    text: lower,
                    start: from,
                    end: at,
                    capital: raw.starts_with(char::is_uppercase),
                    ends: matches!(c, '.' | ',' | '?' | '!' | ';'),
                });
                start = None;
            }
            _ => {}
        }
    }
    words
}

struct Reader<'a> {
    words: &'a [Word],
    today: Date,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.text.as_str())
    }

    /// Reads an expression that begins at a word; returns its end.
    fn expression(&self, at: usize) -> Option<(Meaning, usize)> {
        if let Some((back, end)) = self.sessions(at) {
            return Some((Meaning::SessionsAgo(back), end));
        }
        match self.word(at) {
            "between" | "from" => {
                let (first, middle) = self.days(at + 1)?;
                if !matches!(self.word(middle), "and" | "to" | "until" | "till" | "through") {
                    return None;
                }
                let (last, end) = self.days(middle + 1)?;
                let days = Meaning::Days { from: Some(first.from), to: Some(last.to) };
                return Some((days, end));
            }
            relation @ ("before" | "until" | "till" | "after" | "since") => {
                return self.relation(relation, at);
            }
            _ => {}
        }
        let skip =
            usize::from(matches!(self.word(at), "in" | "on" | "during" | "at" | "within" | "over"));
        let (days, end) = self.days(at + skip)?;
        Some((Meaning::Days { from: Some(days.from), to: Some(days.to) }, end))
    }

    fn relation(&self, relation: &str, at: usize) -> Option<(Meaning, usize)> {
        let is_before = matches!(relation, "before" | "until" | "till");
        if let Some((days, end)) = self.days(at + 1) {
            let (from, to) = match relation {
                "before" => (None, Some(days.from)),
                "until" | "till" => (None, Some(days.to)),
                "after" => (Some(days.to), None),
                _ => (Some(days.from), None),
            };
            return Some((Meaning::Days { from, to }, end));
        }
        // "before the migration": to the end of the clause. "Before committing" and "after each
        // release" tell of no day.
        let mut first = at + 1;
        while matches!(self.word(first), "the" | "we" | "our" | "my" | "i" | "that") {
            first += 1;
        }
        if first == at + 1 {
            return None;
        }
        let mut end = first;
        while end < self.words.len() && end < first + 8 {
            end += 1;
            if self.words[end - 1].ends {
                break;
            }
        }
        if first >= self.words.len() || self.word(first).len() < 3 {
            return None;
        }
        let what: Vec<&str> =
            self.words[first..end].iter().map(|word| word.text.as_str()).collect();
        Some((Meaning::Event { before: is_before, what: what.join(" ") }, end))
    }

    fn sessions(&self, at: usize) -> Option<(usize, usize)> {
        let skip = usize::from(self.word(at) == "the");
        let at = at + skip;
        if matches!(self.word(at), "last" | "latest" | "previous" | "newest" | "recent")
            && self.word(at + 1) == "session"
        {
            return Some((1, at + 2));
        }
        let number = self.number(at)?;
        let is_session = matches!(self.word(at + 1), "session" | "sessions");
        let ago = matches!(self.word(at + 2), "ago" | "back" | "earlier");
        // The newest log is one session ago.
        (is_session && ago).then_some((usize::try_from(number).ok()?, at + 3))
    }

    fn number(&self, at: usize) -> Option<i64> {
        Some(match self.word(at) {
            "a" | "an" | "one" => 1,
            "two" => 2,
            "three" => 3,
            "four" => 4,
            "five" => 5,
            "six" => 6,
            "seven" => 7,
            "eight" => 8,
            "nine" => 9,
            "ten" => 10,
            "eleven" => 11,
            "twelve" => 12,
            word => word.parse().ok().filter(|number| (1..=1000).contains(number))?,
        })
    }

    /// Reads days that begin at a word.
    fn days(&self, at: usize) -> Option<(Days, usize)> {
        let at = at + usize::from(self.word(at) == "the" && self.word(at + 1) != "day");
        self.named_day(at)
            .or_else(|| self.ago(at))
            .or_else(|| self.relative(at))
            .or_else(|| self.date(at))
    }

    fn named_day(&self, at: usize) -> Option<(Days, usize)> {
        let day = |back: i64| Days::one(self.today.checked_sub(back.days()).ok()?);
        match self.word(at) {
            "today" | "tonight" => Some((day(0)?, at + 1)),
            "yesterday" => Some((day(1)?, at + 1)),
            "tomorrow" => Some((Days::one(self.today.tomorrow().ok()?)?, at + 1)),
            "the"
                if self.word(at + 1) == "day"
                    && self.word(at + 2) == "before"
                    && self.word(at + 3) == "yesterday" =>
            {
                Some((day(2)?, at + 4))
            }
            "recently" | "lately" => {
                let from = self.today.checked_sub(14.days()).ok()?;
                Some((Days { from, to: self.today.tomorrow().ok()? }, at + 1))
            }
            word => {
                let weekday = weekday(word)?;
                // "on a Friday" is any Friday.
                let before = at.checked_sub(1).map_or("", |before| self.word(before));
                let is_any = matches!(before, "a" | "any" | "each" | "every");
                if !self.words[at].capital || is_any {
                    return None;
                }
                Some((self.last_weekday(weekday)?, at + 1))
            }
        }
    }

    /// The last such day before today.
    fn last_weekday(&self, weekday: Weekday) -> Option<Days> {
        Days::one(self.today.nth_weekday(-1, weekday).ok()?)
    }

    /// "three weeks ago", "a couple of days ago".
    fn ago(&self, at: usize) -> Option<(Days, usize)> {
        let (number, unit_at) = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("a", "couple", "of") => (2, at + 3),
            ("couple", "of", _) => (2, at + 2),
            ("a", "few", _) => (3, at + 2),
            ("few" | "several", _, _) => (3, at + 1),
            _ => (self.number(at)?, at + 1),
        };
        if !matches!(self.word(unit_at + 1), "ago" | "back" | "earlier") {
            return None;
        }
        let end = unit_at + 2;
        let back = |span: Span| self.today.checked_sub(span).ok();
        let days = match self.word(unit_at).trim_end_matches('s') {
            "day" => Days::one(back(number.days())?)?,
            // Nobody who says "two weeks ago" means the very day.
            "week" => {
                let day = back(number.weeks())?;
                Days { from: day.checked_sub(3.days()).ok()?, to: day.checked_add(4.days()).ok()? }
            }
            "month" => {
                let day = back(number.months())?;
                Days::month(day.year(), day.month())?
            }
            "year" => Days::year(back(number.years())?.year())?,
            _ => return None,
        };
        Some((days, end))
    }

    /// "last week", "this month", "past 10 days", "last summer", "last Monday".
    fn relative(&self, at: usize) -> Option<(Days, usize)> {
        let which = match self.word(at) {
            "last" | "past" | "previous" => -1,
            "this" | "current" => 0,
            "next" => 1,
            _ => return None,
        };
        let unit = self.word(at + 1);
        if which <= 0
            && let Some(number) = self.number(at + 1).or_else(|| (unit == "few").then_some(3))
        {
            let span = match self.word(at + 2).trim_end_matches('s') {
                "day" => number.days(),
                "week" => number.weeks(),
                "month" => number.months(),
                "year" => number.years(),
                _ => return None,
            };
            let from = self.today.checked_sub(span).ok()?;
            return Some((Days { from, to: self.today.tomorrow().ok()? }, at + 3));
        }
        let today = self.today;
        let days = match unit {
            "week" => {
                let back = i64::from(today.weekday().to_monday_zero_offset());
                let monday = today.checked_sub(back.days()).ok()?;
                Days::between(monday.checked_add((which * 7).days()).ok()?, 1.week())?
            }
            "weekend" => {
                let back = i64::from(today.weekday().to_monday_zero_offset());
                let saturday = today.checked_sub(back.days()).ok()?.checked_add(5.days()).ok()?;
                Days::between(saturday.checked_add((which * 7).days()).ok()?, 2.days())?
            }
            "month" => {
                let day = today.first_of_month().checked_add(which.months()).ok()?;
                Days::month(day.year(), day.month())?
            }
            "quarter" => {
                let first = today.month() - (today.month() - 1) % 3;
                let start = Date::new(today.year(), first, 1).ok()?;
                Days::between(start.checked_add((which * 3).months()).ok()?, 3.months())?
            }
            "year" => Days::year(today.year() + i16::try_from(which).ok()?)?,
            "night" => Days::one(today.checked_add(which.days()).ok()?)?,
            "morning" | "afternoon" | "evening" => Days::one(today)?,
            "spring" | "summer" | "autumn" | "fall" | "winter" => self.season(unit, which)?,
            word => {
                if let Some(month) = month(word) {
                    let year = self.year_of(month) + i16::from(which > 0);
                    return Some((Days::month(year, month)?, at + 2));
                }
                let weekday = weekday(word)?;
                match which {
                    1 => Days::one(today.nth_weekday(1, weekday).ok()?)?,
                    _ => self.last_weekday(weekday)?,
                }
            }
        };
        Some((days, at + 2))
    }

    fn season(&self, name: &str, which: i64) -> Option<Days> {
        let first = match name {
            "spring" => 3,
            "summer" => 6,
            "winter" => 12,
            _ => 9,
        };
        let this = Date::new(self.today.year(), first, 1).ok()?;
        let began = this <= self.today;
        let back = i64::from(!began)
            + i64::from(
                which < 0 && began && {
                    let end = this.checked_add(3.months()).ok()?;
                    self.today < end
                },
            );
        Days::between(this.checked_sub(back.years()).ok()?, 3.months())
    }

    /// The year of the last such month that has begun.
    fn year_of(&self, month: i8) -> i16 {
        self.today.year() - i16::from(month > self.today.month())
    }

    /// "2026-03-05", "March 5, 2026", "5 March", "March 2026", "2026", "Q2 2026", "March".
    fn date(&self, at: usize) -> Option<(Days, usize)> {
        let word = self.word(at);
        if let Ok(day) = word.parse::<Date>() {
            return Some((Days::one(day)?, at + 1));
        }
        if let Some((year, month)) = word.split_once('-')
            && year.len() == 4
            && month.len() == 2
            && let (Ok(year), Ok(month)) = (year.parse(), month.parse())
        {
            return Some((Days::month(year, month)?, at + 1));
        }
        if let Some(quarter) = word.strip_prefix('q').and_then(|n| n.parse::<i8>().ok())
            && (1..=4).contains(&quarter)
        {
            let named = self.year(at + 1);
            let first = quarter * 3 - 2;
            let year = named.unwrap_or_else(|| self.year_of(first));
            let days = Days::between(Date::new(year, first, 1).ok()?, 3.months())?;
            return Some((days, at + 1 + usize::from(named.is_some())));
        }
        if let Some(year) = self.year(at) {
            // A number alone is a year only where something says so.
            let is_told = at > 0
                && matches!(
                    self.word(at - 1),
                    "in" | "during"
                        | "since"
                        | "before"
                        | "after"
                        | "until"
                        | "of"
                        | "year"
                        | "from"
                        | "between"
                        | "and"
                        | "to"
                        | "early"
                        | "late"
                );
            return is_told.then(|| Days::year(year)).flatten().map(|days| (days, at + 1));
        }
        if let Some(month) = month(word) {
            return self.after_month(month, at);
        }
        // "5 March 2026", "the 5th of March"
        let day = ordinal(word)?;
        let month_at = at + 1 + usize::from(self.word(at + 1) == "of");
        let month = month(self.word(month_at))?;
        let named = self.year(month_at + 1);
        let year = named.unwrap_or_else(|| self.year_of_day(month, day));
        let days = Days::one(Date::new(year, month, day).ok()?)?;
        Some((days, month_at + 1 + usize::from(named.is_some())))
    }

    fn after_month(&self, month: i8, at: usize) -> Option<(Days, usize)> {
        if let Some(day) = ordinal(self.word(at + 1)) {
            let named = self.year(at + 2);
            let year = named.unwrap_or_else(|| self.year_of_day(month, day));
            let days = Days::one(Date::new(year, month, day).ok()?)?;
            return Some((days, at + 2 + usize::from(named.is_some())));
        }
        let of = usize::from(self.word(at + 1) == "of");
        if let Some(year) = self.year(at + 1 + of) {
            return Some((Days::month(year, month)?, at + 2 + of));
        }
        // "may" and "march" are words too.
        let is_told = at > 0
            && matches!(
                self.word(at - 1),
                "in" | "during"
                    | "since"
                    | "before"
                    | "after"
                    | "until"
                    | "of"
                    | "early"
                    | "late"
                    | "mid"
                    | "from"
                    | "between"
                    | "and"
                    | "to"
            );
        let is_month = is_told || (self.words[at].capital && !matches!(month, 3 | 5) && at > 0);
        is_month.then(|| Days::month(self.year_of(month), month)).flatten().map(|d| (d, at + 1))
    }

    fn year(&self, at: usize) -> Option<i16> {
        let word = self.word(at);
        let year: i16 = (word.len() == 4).then(|| word.parse().ok()).flatten()?;
        (1900..2200).contains(&year).then_some(year)
    }

    fn year_of_day(&self, month: i8, day: i8) -> i16 {
        let this_year = Date::new(self.today.year(), month, day);
        let is_ahead = this_year.is_ok_and(|date| date > self.today);
        self.today.year() - i16::from(is_ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Wednesday.
    fn days(text: &str) -> String {
        let today = "2026-11-18".parse().unwrap();
        let found = expressions(text, today);
        let show = |date: Option<Date>| date.map_or("…".to_owned(), |date| date.to_string());
        let meanings = found.iter().map(|found| match &found.meaning {
            Meaning::Days { from, to } => format!("{}..{}", show(*from), show(*to)),
            Meaning::SessionsAgo(back) => format!("session -{back}"),
            Meaning::Event { before, what } => {
                format!("{} {what}", if *before { "before" } else { "after" })
            }
        });
        meanings.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn relative_words() {
        assert_eq!(days("what did we do yesterday?"), "2026-11-17..2026-11-18");
        assert_eq!(days("what happened last week"), "2026-11-09..2026-11-16");
        assert_eq!(days("what changed this month"), "2026-11-01..2026-12-01");
        assert_eq!(days("decisions of last month"), "2026-10-01..2026-11-01");
        assert_eq!(days("what broke three days ago"), "2026-11-15..2026-11-16");
        assert_eq!(days("two weeks ago we met"), "2026-11-01..2026-11-08");
        assert_eq!(days("in the past 10 days"), "2026-11-08..2026-11-19");
        assert_eq!(days("what was said on Monday"), "2026-11-16..2026-11-17");
        assert_eq!(days("last summer"), "2026-06-01..2026-09-01");
        assert_eq!(days("last year"), "2025-01-01..2026-01-01");
    }

    #[test]
    fn dates() {
        assert_eq!(days("on 2026-03-05"), "2026-03-05..2026-03-06");
        assert_eq!(days("March 5, 2025"), "2025-03-05..2025-03-06");
        assert_eq!(days("on 7 May 2023"), "2023-05-07..2023-05-08");
        assert_eq!(days("the 3rd of December"), "2025-12-03..2025-12-04");
        assert_eq!(days("what did we decide in March?"), "2026-03-01..2026-04-01");
        assert_eq!(days("in December"), "2025-12-01..2026-01-01");
        assert_eq!(days("in 2024"), "2024-01-01..2025-01-01");
        assert_eq!(days("Q2 2026 goals"), "2026-04-01..2026-07-01");
        assert_eq!(days("June 2023"), "2023-06-01..2023-07-01");
    }

    #[test]
    fn relations() {
        assert_eq!(days("before March"), "…..2026-03-01");
        assert_eq!(days("since last week"), "2026-11-09..…");
        assert_eq!(days("between March and May 2026"), "2026-03-01..2026-06-01");
        assert_eq!(days("what did we use before the migration?"), "before migration");
        assert_eq!(days("after we moved to postgres"), "after moved to postgres");
    }

    #[test]
    fn what_happens_again_and_again_is_no_time() {
        for text in [
            "dry-run before committing",
            "after each release",
            "before a release",
            "may I deploy on a Friday?",
            "who cooks every Monday",
        ] {
            assert_eq!(days(text), "", "{text}");
        }
    }

    #[test]
    fn sessions() {
        assert_eq!(days("what did we do two sessions ago?"), "session -2");
        assert_eq!(days("in the last session"), "session -1");
    }

    #[test]
    fn other_words_are_left_alone() {
        for text in
            ["may I retry", "a march of 5 kilometres", "the 2024 port", "second try", "", "🙂"]
        {
            assert_eq!(days(text), "", "{text}");
        }
    }
}
