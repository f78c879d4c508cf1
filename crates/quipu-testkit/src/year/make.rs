//! Making a year up, day by day.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use quipu_core::item::{Layer, Source};

use super::words::{
    ASKED_PREFERENCES, FACTS, HAPPENINGS, PEOPLE, PINS, PREFERENCES, PROJECTS, THINGS, TROUBLE,
};
use super::{About, Ask, Day, Deed, Dice, Fact, Project, Shape, Statement, Year};

const FIRST: Date = Date::constant(2026, 1, 1);

/// Days of the year on which nobody works.
const HOLIDAYS: [std::ops::Range<i64>; 3] = [0..4, 206..222, 355..365];

/// What is to come of a fact.
struct Course {
    /// Its value changes when this day is reached.
    due: Date,
    /// When it was last told, and where.
    last: Option<usize>,
}

struct Maker {
    shape: Shape,
    dice: Dice,
    year: Year,
    courses: Vec<Course>,
    /// The bad weeks: project and first day.
    trouble: Vec<(usize, Date)>,
    preferences: usize,
    pins: usize,
    /// The time of the next deed.
    clock: Timestamp,
    /// Who speaks in this session.
    speaker: &'static str,
}

/// Makes a year.
pub(super) fn year(shape: &Shape) -> Year {
    let mut maker = Maker {
        shape: *shape,
        dice: Dice::new(shape.seed),
        year: Year::default(),
        courses: Vec::new(),
        trouble: Vec::new(),
        preferences: 0,
        pins: 0,
        clock: Timestamp::UNIX_EPOCH,
        speaker: PEOPLE[0],
    };
    maker.begin();
    for number in 0..shape.days {
        let date = FIRST.saturating_add(number.days());
        maker.year.days.push(Day { date, deeds: Vec::new() });
        let is_off = matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
            || HOLIDAYS.iter().any(|days| days.contains(&(number % 365)));
        if !is_off {
            maker.day(date);
        }
    }
    maker.year
}

impl Maker {
    /// Lays out projects, their facts and the bad weeks.
    fn begin(&mut self) {
        let count = self.shape.projects;
        for number in 0..count {
            let apart = self.shape.days * i64::try_from(number).unwrap_or(0)
                / i64::try_from(count).unwrap_or(1);
            // The first two are there from the beginning.
            let start = if number < 2 { 0 } else { apart - 30 + self.roll(40) };
            let from = FIRST.saturating_add(start.max(0).days());
            let to = from.saturating_add((70 + self.roll(200)).days());
            let name = PROJECTS[number % PROJECTS.len()];
            self.year.projects.push(Project { name, from, to });
            let mut kinds: Vec<usize> = (0..FACTS.len()).collect();
            for _ in 0..self.shape.facts {
                let kind = kinds.swap_remove(self.dice.below(kinds.len()));
                self.year.facts.push(Fact { project: number, values: Vec::new(), kind });
                self.courses.push(Course { due: from, last: None });
            }
            if self.dice.chance(50) {
                let after = 20 + self.roll(60);
                self.trouble.push((number, from.saturating_add(after.days())));
            }
        }
    }

    fn roll(&mut self, below: usize) -> i64 {
        i64::try_from(self.dice.below(below)).unwrap_or(0)
    }

    fn day(&mut self, date: Date) {
        let alive: Vec<usize> = (0..self.year.projects.len())
            .filter(|at| self.year.projects[*at].from <= date && date < self.year.projects[*at].to)
            .collect();
        let trouble = self.trouble.iter().find(|(project, from)| {
            alive.contains(project) && *from <= date && date < from.saturating_add(7.days())
        });
        let trouble = trouble.map(|(project, _)| *project);
        for hour in [9, 14] {
            let percent = if hour == 9 { self.shape.busy } else { self.shape.busy / 3 };
            if alive.is_empty() || !(self.dice.chance(percent) || trouble.is_some()) {
                continue;
            }
            let start = date.at(hour, 0, 0, 0).to_zoned(TimeZone::UTC);
            self.clock = start.map_or(self.clock, |start| start.timestamp());
            self.speaker = PEOPLE[self.dice.below(4)];
            let project = trouble.unwrap_or(self.dice.pick(&alive));
            self.session(project, date, trouble.is_some());
        }
    }

    fn session(&mut self, project: usize, date: Date, is_bad: bool) {
        self.news(project, date);
        if self.preferences < PREFERENCES.len() && self.dice.chance(35) {
            let text = PREFERENCES[self.preferences][0].to_owned();
            self.say(text, "user-preference", About::Lasting(self.preferences));
            self.preferences += 1;
        } else if self.preferences > 0 && self.dice.chance(4) {
            let which = self.dice.below(self.preferences);
            self.say(PREFERENCES[which][1].to_owned(), "user-preference", About::Lasting(which));
        }
        if self.pins < PINS.len() && self.dice.chance(10) {
            let about = About::Lasting(PREFERENCES.len() + self.pins);
            self.say(PINS[self.pins].to_owned(), "note", about);
            if let Some(last) = self.year.told.last_mut() {
                last.pinned = true;
            }
            self.pins += 1;
        }
        let most = if is_bad { 3 * self.shape.chatter } else { self.shape.chatter };
        for _ in 0..=self.dice.below(most) {
            self.happening(project, is_bad);
        }
        for _ in 0..=self.dice.below(self.shape.questions) {
            self.question(project);
        }
    }

    /// Tells what is new about a project, and now and then what is not.
    fn news(&mut self, project: usize, date: Date) {
        let mut told = 0;
        for fact in self.facts_of(project) {
            if self.courses[fact].due <= date && told < 3 {
                told += 1;
                self.change(fact, date);
            }
        }
        let known = self.known_facts_of(project);
        if known.is_empty() {
            return;
        }
        if self.dice.chance(25) {
            let fact = self.dice.pick(&known);
            self.speaker = PEOPLE[self.dice.below(PEOPLE.len())];
            self.tell(fact, self.year.facts[fact].values.len() - 1, Source::Human);
        }
        let fact = self.dice.pick(&known);
        let values = self.year.facts[fact].values.len();
        // An old page is imported, and says what was so once.
        if values > 1 && self.dice.chance(3) {
            let value = self.dice.below(values - 1);
            self.tell(fact, value, Source::Ingest);
        }
    }

    /// Returns the facts of a project that have a value by now.
    fn known_facts_of(&self, project: usize) -> Vec<usize> {
        let facts = self.facts_of(project).into_iter();
        facts.filter(|fact| !self.year.facts[*fact].values.is_empty()).collect()
    }

    fn facts_of(&self, project: usize) -> Vec<usize> {
        let of = |fact: &usize| self.year.facts[*fact].project == project;
        (0..self.year.facts.len()).filter(of).collect()
    }

    /// Gives a fact another value, and tells it.
    fn change(&mut self, fact: usize, date: Date) {
        let Fact { kind, ref values, .. } = self.year.facts[fact];
        let unused: Vec<&'static str> = FACTS[kind]
            .values
            .iter()
            .copied()
            .filter(|value| values.iter().all(|(_, used)| used != value))
            .collect();
        let days = 35 + self.roll(110);
        self.courses[fact].due = date.saturating_add(days.days());
        if unused.is_empty() {
            return;
        }
        let value = self.dice.pick(&unused);
        let before = self.courses[fact].last.filter(|_| self.dice.chance(20));
        self.year.facts[fact].values.push((self.clock, value));
        let source = [Source::Human, Source::Human, Source::Ai, Source::Interaction];
        let source = self.dice.pick(&source);
        self.tell(fact, self.year.facts[fact].values.len() - 1, source);
        if let Some(last) = self.year.told.last_mut() {
            last.replaces = before;
        }
    }

    /// Tells a value of a fact, in some words.
    fn tell(&mut self, fact: usize, value: usize, source: Source) {
        let Fact { project, kind, ref values } = self.year.facts[fact];
        let (name, words) = (self.year.projects[project].name, values[value].1);
        let is_current = value + 1 == values.len();
        let text = self.dice.pick(FACTS[kind].told).replace("{p}", name).replace("{v}", words);
        // Not everybody cares for categories.
        let category = if self.dice.chance(25) { "note" } else { FACTS[kind].category };
        self.say(text, category, About::Fact { fact, value });
        if let Some(last) = self.year.told.last_mut() {
            last.source = source;
            if matches!(source, Source::Ingest | Source::Ai) {
                last.speaker = None;
            }
        }
        if is_current {
            self.courses[fact].last = Some(self.year.told.len() - 1);
        }
    }

    fn happening(&mut self, project: usize, is_bad: bool) {
        let words = if is_bad && self.dice.chance(70) {
            self.dice.pick(&TROUBLE)
        } else {
            self.dice.pick(&HAPPENINGS)
        };
        let number = (100 + self.dice.below(9000)).to_string();
        let text = words
            .replace("{p}", self.year.projects[project].name)
            .replace("{n}", &number)
            .replace("{w}", self.dice.pick(&PEOPLE))
            .replace("{t}", self.dice.pick(&THINGS));
        let is_ticket = text.starts_with("Now working");
        let category = self.dice.pick(&["note", "note", "turn-summary"]);
        self.say(text, category, About::Happening);
        let sources = [Source::Human, Source::Ai, Source::Interaction, Source::Ingest];
        let source = self.dice.pick(&sources);
        if let Some(last) = self.year.told.last_mut() {
            last.source = source;
            last.layer = is_ticket.then_some(Layer::Working);
            last.speaker = last.speaker.filter(|_| source == Source::Human);
        }
    }

    fn say(&mut self, text: String, category: &'static str, about: About) {
        let at = self.tick();
        self.year.told.push(Statement {
            at,
            text,
            category,
            layer: None,
            source: Source::Human,
            speaker: Some(self.speaker),
            pinned: false,
            about,
            replaces: None,
        });
        self.note(Deed::Tell(self.year.told.len() - 1));
    }

    fn question(&mut self, project: usize) {
        if self.preferences > 0 && self.dice.chance(10) {
            let which = self.dice.below(self.preferences);
            let words = ASKED_PREFERENCES[which].to_owned();
            return self.ask(words, About::Lasting(which));
        }
        let known = self.known_facts_of(project);
        if known.is_empty() {
            return;
        }
        let fact = self.dice.pick(&known);
        let Fact { kind, ref values, .. } = self.year.facts[fact];
        let value = values.len() - 1;
        let words = self.dice.pick(FACTS[kind].asked);
        let words = words.replace("{p}", self.year.projects[project].name);
        self.ask(words, About::Fact { fact, value });
    }

    fn ask(&mut self, words: String, about: About) {
        let at = self.tick();
        self.year.asked.push(Ask { at, words, about });
        self.note(Deed::Ask(self.year.asked.len() - 1));
    }

    fn note(&mut self, deed: Deed) {
        if let Some(today) = self.year.days.last_mut() {
            today.deeds.push(deed);
        }
    }

    /// Returns the time, which goes on.
    fn tick(&mut self) -> Timestamp {
        let now = self.clock;
        self.clock = now.saturating_add(SignedDuration::from_mins(3)).unwrap_or(now);
        now
    }
}
