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

/// A question about the days from the first until before the second.
struct Window {
    template: &'static str,
    words: String,
    from: Date,
    to: Date,
}

fn ask(told: &[Told], days: &[Date], numbers: &mut Numbers) -> Vec<Asked> {
    let mut asked = Vec::new();
    let last = *days.last().unwrap();
    let months = [
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
    for round in 0..600 {
        let at = 20 + numbers.below(days.len() - 20);
        let day = days[at];
        let month = months[usize::try_from(day.month()).unwrap() - 1];
        let one = |from: Date| (from, from.tomorrow().unwrap());
        let monday = |day: Date| {
            day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).unwrap()
        };
        let first = day.first_of_month();
        let event = round % EVENTS.len();
        let event_day = told.iter().find(|told| told.text == EVENTS[event]).unwrap();
        let event_day = event_day.time.to_zoned(TimeZone::UTC).date();
        let (template, words, (from, to), now) = match round % 14 {
            0 => ("yesterday", "yesterday".to_owned(), one(day), day.tomorrow().unwrap()),
            1 => (
                "N days ago",
                "three days ago".to_owned(),
                one(day),
                day.checked_add(3.days()).unwrap(),
            ),
            2 => (
                "last week",
                "last week".to_owned(),
                (monday(day), monday(day).checked_add(7.days()).unwrap()),
                monday(day).checked_add(9.days()).unwrap(),
            ),
            3 => (
                "in MONTH",
                format!("in {month}"),
                (first, first.checked_add(1.month()).unwrap()),
                first.checked_add(2.months()).unwrap(),
            ),
            4 => (
                "in MONTH YEAR",
                format!("in {month} {}", day.year()),
                (first, first.checked_add(1.month()).unwrap()),
                last,
            ),
            5 => ("on DATE", format!("on {day}"), one(day), last),
            6 => (
                "on MONTH DAY",
                format!("on {month} {}", day.day()),
                one(day),
                day.checked_add(20.days()).unwrap(),
            ),
            7 => (
                "last month",
                "last month".to_owned(),
                (first, first.checked_add(1.month()).unwrap()),
                first.checked_add(1.month()).unwrap().checked_add(10.days()).unwrap(),
            ),
            8 => ("two sessions ago", "two sessions ago".to_owned(), one(days[at - 1]), day),
            9 => (
                "in the last session",
                "in the last session".to_owned(),
                one(day),
                day.tomorrow().unwrap(),
            ),
            10 => (
                "before EVENT",
                format!(
                    "before {}",
                    ["the database migration", "the office move", "the security incident"][event]
                ),
                (days[0], event_day),
                last,
            ),
            11 => (
                "after EVENT",
                format!(
                    "after {}",
                    ["the database migration", "the office move", "the security incident"][event]
                ),
                (event_day, last.tomorrow().unwrap()),
                last,
            ),
            12 => (
                "past N days",
                "in the past 10 days".to_owned(),
                (day.checked_sub(10.days()).unwrap(), day.tomorrow().unwrap()),
                day,
            ),
            _ => (
                "between",
                format!("between {} and {day}", day.checked_sub(21.days()).unwrap()),
                (day.checked_sub(21.days()).unwrap(), day.tomorrow().unwrap()),
                last,
            ),
        };
        let window = Window { template, words, from, to };
        let within = |told: &&Told| told.time >= noon(window.from) && told.time < noon(window.to);
        let topics: Vec<usize> = told
            .iter()
            .filter(within)
            .map(|told| told.topic)
            .filter(|at| *at < TOPICS.len())
            .collect();
        let Some(topic) = topics.get(numbers.below(topics.len())).copied() else { continue };
        let inside = |told: &Told| told.topic == topic && within(&told);
        let gold: Vec<usize> =
            told.iter().enumerate().filter(|(_, told)| inside(told)).map(|(at, _)| at).collect();
        if gold.is_empty() || gold.len() > 8 {
            continue;
        }
        let form = ["What happened to the {} {}?", "What did we do about the {} {}?", "{} work {}"];
        let text =
            form[round % 3].replacen("{}", TOPICS[topic], 1).replacen("{}", &window.words, 1);
        let now = now.at(18, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
        asked.push(Asked { text, now, gold, template: window.template });
    }
    asked
}
