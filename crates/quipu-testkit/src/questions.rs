//! Generated memories with questions whose answers are known: about time, and about what replaced
//! what. The same every time.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// Something to remember.
#[derive(Clone, Debug)]
pub struct Told {
    /// The words.
    pub text: String,
    /// The session.
    pub session: String,
    /// When.
    pub time: Timestamp,
    topic: usize,
}

/// Something to ask.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The words.
    pub text: String,
    /// When it is asked.
    pub now: Timestamp,
    /// Which of what was told answers it.
    pub gold: Vec<usize>,
    /// The template it was made from.
    pub template: &'static str,
}

/// A small generator of numbers.
#[derive(Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// Starts somewhere.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Topics of a project.
pub const TOPICS: [&str; 24] = [
    "retry policy",
    "billing export",
    "search ranking",
    "login page",
    "cache size",
    "invoice template",
    "audit log",
    "rate limiter",
    "image upload",
    "password reset",
    "error budget",
    "mobile layout",
    "data retention",
    "webhook delivery",
    "test runner",
    "release notes",
    "access tokens",
    "queue workers",
    "backup schedule",
    "feature flags",
    "report builder",
    "email digest",
    "usage metering",
    "theme editor",
];

const ACTIONS: [&str; 12] = [
    "We decided to simplify the {}.",
    "Fixed a bug in the {} that customers had reported.",
    "Measured the {} and wrote the numbers down.",
    "Reviewed the {} with the whole team.",
    "Rewrote the documentation of the {}.",
    "The {} was slow, so we profiled it.",
    "Agreed that the {} needs an owner.",
    "Removed dead code from the {}.",
    "Added tests for the {}.",
    "The {} failed in staging and was rolled back.",
    "Talked to support about the {}.",
    "Renamed the settings of the {}.",
];

/// What happened once, and can be asked about.
const EVENTS: [&str; 3] = [
    "We finished the database migration.",
    "The office move took place.",
    "The security incident was closed.",
];

fn noon(day: Date) -> Timestamp {
    day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp()
}

/// Returns memories of more than a year, and questions about when things happened.
pub fn about_time() -> (Vec<Told>, Vec<Asked>) {
    let mut numbers = Numbers::new(7);
    let mut told = Vec::new();
    let mut days: Vec<Date> = Vec::new();
    let mut day = Date::constant(2025, 3, 3);
    while day < Date::constant(2026, 7, 1) {
        days.push(day);
        let session = format!("{day}-120000");
        let events = EVENTS.iter().enumerate().filter(|(at, _)| days.len() == 30 + at * 35);
        for (_, event) in events {
            told.push(Told {
                text: (*event).to_owned(),
                session: session.clone(),
                time: noon(day),
                topic: usize::MAX,
            });
        }
        for _ in 0..5 {
            let topic = numbers.below(TOPICS.len());
            let action = ACTIONS[numbers.below(ACTIONS.len())];
            let text = action.replace("{}", TOPICS[topic]);
            told.push(Told { text, session: session.clone(), time: noon(day), topic });
        }
        day = day.checked_add((1 + i64::try_from(numbers.below(5)).unwrap()).days()).unwrap();
    }
    let asked = ask(&told, &days, &mut numbers);
    (told, asked)
}

/// A question about the days from the first until before the second, asked on a day.
struct Window {
    template: &'static str,
    words: String,
    from: Date,
    to: Date,
    now: Date,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// How each of [`EVENTS`] is spoken of.
const EVENT_NAMES: [&str; 3] =
    ["the database migration", "the office move", "the security incident"];

fn later(day: Date, days: i64) -> Date {
    day.checked_add(days.days()).unwrap()
}

/// Windows that are told from the day of the question.
fn relative(round: usize, days: &[Date], at: usize) -> Window {
    let day = days[at];
    let window = |template, words: &str, from: Date, to: Date, now: Date| Window {
        template,
        words: words.to_owned(),
        from,
        to,
        now,
    };
    let monday = later(day, -i64::from(day.weekday().to_monday_zero_offset()));
    let first = day.first_of_month();
    let next = first.checked_add(1.month()).unwrap();
    match round % 7 {
        0 => window("yesterday", "yesterday", day, later(day, 1), later(day, 1)),
        1 => window("N days ago", "three days ago", day, later(day, 1), later(day, 3)),
        2 => window("last week", "last week", monday, later(monday, 7), later(monday, 9)),
        3 => window("last month", "last month", first, next, later(next, 10)),
        4 => {
            let before = days[at - 1];
            window("two sessions ago", "two sessions ago", before, later(before, 1), day)
        }
        5 => {
            let words = "in the last session";
            window("in the last session", words, day, later(day, 1), later(day, 1))
        }
        _ => window("past N days", "in the past 10 days", later(day, -10), later(day, 1), day),
    }
}

/// Windows that are told by dates and by what happened.
fn absolute(round: usize, told: &[Told], days: &[Date], at: usize) -> Window {
    let day = days[at];
    let last = days[days.len() - 1];
    let month = MONTHS[usize::try_from(day.month()).unwrap() - 1];
    let first = day.first_of_month();
    let next = first.checked_add(1.month()).unwrap();
    let event = round / 7 % EVENTS.len();
    let happened = told.iter().find(|told| told.text == EVENTS[event]).unwrap();
    let happened = happened.time.to_zoned(TimeZone::UTC).date();
    let name = EVENT_NAMES[event];
    let window = |template, words: String, from, to, now| Window { template, words, from, to, now };
    match round % 7 {
        0 => window("in MONTH", format!("in {month}"), first, next, later(next, 25)),
        1 => window("in MONTH YEAR", format!("in {month} {}", day.year()), first, next, last),
        2 => window("on DATE", format!("on {day}"), day, later(day, 1), last),
        3 => {
            let words = format!("on {month} {}", day.day());
            window("on MONTH DAY", words, day, later(day, 1), later(day, 20))
        }
        4 => window("before EVENT", format!("before {name}"), days[0], happened, last),
        5 => window("after EVENT", format!("after {name}"), happened, later(last, 1), last),
        _ => {
            let from = later(day, -21);
            window("between", format!("between {from} and {day}"), from, later(day, 1), last)
        }
    }
}

fn ask(told: &[Told], days: &[Date], numbers: &mut Numbers) -> Vec<Asked> {
    let mut asked = Vec::new();
    for round in 0..700 {
        let at = 20 + numbers.below(days.len() - 20);
        let window = if round % 2 == 0 {
            relative(round / 2, days, at)
        } else {
            absolute(round / 2, told, days, at)
        };
        let within = |told: &&Told| told.time >= noon(window.from) && told.time < noon(window.to);
        let topics: Vec<usize> = told
            .iter()
            .filter(within)
            .map(|told| told.topic)
            .filter(|topic| *topic < TOPICS.len())
            .collect();
        let Some(topic) = topics.get(numbers.below(topics.len())).copied() else { continue };
        let gold: Vec<usize> = told
            .iter()
            .enumerate()
            .filter(|(_, told)| told.topic == topic && within(told))
            .map(|(at, _)| at)
            .collect();
        // More answers than ten cannot be among the first ten.
        if gold.len() > 10 {
            continue;
        }
        let form = ["What happened to the {} {}?", "What did we do about the {} {}?", "{} work {}"];
        let text =
            form[round % 3].replacen("{}", TOPICS[topic], 1).replacen("{}", &window.words, 1);
        let now = window.now.at(18, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
        asked.push(Asked { text, now, gold, template: window.template });
    }
    asked
}
