//! A year of somebody's work, made up from a seed: what was said and asked on each day, and what of it
//! is true and in use at any moment.

pub mod life;
mod make;
mod words;

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::item::{Layer, Source};

/// So many days a happening may matter to somebody.
pub const RECENT_DAYS: i64 = 21;

/// How a year is to be.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The same seed gives the same year.
    pub seed: u64,
    /// How many days, from 1 January 2026.
    pub days: i64,
    /// How many projects begin.
    pub projects: usize,
    /// How many facts a project has.
    pub facts: usize,
    /// How many of a hundred working days have a session; some have two.
    pub busy: usize,
    /// How many happenings a session tells, at most.
    pub chatter: usize,
    /// How many questions a session asks, at most.
    pub questions: usize,
}

impl Shape {
    /// Returns whole years of about thirteen hundred statements each.
    pub fn years(years: i64, seed: u64) -> Self {
        let projects = usize::try_from(years).unwrap_or(1) * 8;
        Self { seed, days: 365 * years, projects, facts: 9, busy: 90, chatter: 5, questions: 4 }
    }

    /// Returns one small year, for tests.
    pub fn small(seed: u64) -> Self {
        Self { seed, days: 365, projects: 3, facts: 5, busy: 20, chatter: 3, questions: 3 }
    }
}

/// What was said and asked.
#[derive(Clone, Debug, Default)]
pub struct Year {
    /// Every project.
    pub projects: Vec<Project>,
    /// Every fact about them.
    pub facts: Vec<Fact>,
    /// Everything that was said, in order.
    pub told: Vec<Statement>,
    /// Everything that was asked, in order.
    pub asked: Vec<Ask>,
    /// Every day, also those on which nobody worked.
    pub days: Vec<Day>,
}

/// A project.
#[derive(Clone, Debug)]
pub struct Project {
    /// What it is called.
    pub name: &'static str,
    /// Its first day.
    pub from: Date,
    /// The day after its last.
    pub to: Date,
}

/// Something that is so in a project, and changes.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The project.
    pub project: usize,
    /// The values that it had, each with when that became known.
    pub values: Vec<(Timestamp, &'static str)>,
    kind: usize,
}

/// Something that somebody said.
#[derive(Clone, Debug)]
pub struct Statement {
    /// When.
    pub at: Timestamp,
    /// The words.
    pub text: String,
    /// The sort of record.
    pub category: &'static str,
    /// The layer, where the speaker said so.
    pub layer: Option<Layer>,
    /// Where it was learned.
    pub source: Source,
    /// Who said it.
    pub speaker: Option<&'static str>,
    /// Whether it was pinned.
    pub pinned: bool,
    /// What it says.
    pub about: About,
    /// The statement that it replaces by its own words.
    pub replaces: Option<usize>,
}

/// What a statement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A value of a fact.
    Fact {
        /// Which fact.
        fact: usize,
        /// Which of its values.
        value: usize,
    },
    /// Something that holds all year.
    Lasting(usize),
    /// Something that happened.
    Happening,
}

/// A question that an agent asks.
#[derive(Clone, Debug)]
pub struct Ask {
    /// When.
    pub at: Timestamp,
    /// The words.
    pub words: String,
    /// What it asks for; of a fact, the value that is right.
    pub about: About,
}

/// One day.
#[derive(Clone, Debug)]
pub struct Day {
    /// Which.
    pub date: Date,
    /// What was done, in order.
    pub deeds: Vec<Deed>,
}

/// One thing that was done.
#[derive(Clone, Copy, Debug)]
pub enum Deed {
    /// Something was said: which of [`Year::told`].
    Tell(usize),
    /// Something was asked: which of [`Year::asked`].
    Ask(usize),
}

impl Year {
    /// Makes a year.
    pub fn new(shape: &Shape) -> Self {
        make::year(shape)
    }

    /// Returns the value that a fact has, where somebody said so.
    pub fn value_at(&self, fact: usize, now: Timestamp) -> Option<usize> {
        self.facts[fact].values.iter().rposition(|(from, _)| *from <= now)
    }

    /// Tells whether a project is alive.
    pub fn is_alive(&self, project: usize, now: Timestamp) -> bool {
        let (project, today) = (&self.projects[project], day_of(now));
        project.from <= today && today < project.to
    }

    /// Tells whether a statement is true and of use to somebody.
    pub fn is_in_use(&self, statement: usize, now: Timestamp) -> bool {
        let statement = &self.told[statement];
        if statement.at > now {
            return false;
        }
        match statement.about {
            About::Fact { fact, value } => {
                self.is_alive(self.facts[fact].project, now)
                    && self.value_at(fact, now) == Some(value)
            }
            About::Lasting(_) => true,
            About::Happening => now.duration_since(statement.at).as_hours() <= 24 * RECENT_DAYS,
        }
    }
}

/// Returns the day of a moment.
pub fn day_of(time: Timestamp) -> Date {
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// Numbers that look random, and are always the same.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Makes dice.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 20).unwrap_or(0) % end.max(1)
    }

    /// Tells whether something happens that does so in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of several.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_year_and_another_another() {
        let words = |seed: u64| {
            let year = Year::new(&Shape::small(seed));
            year.told.into_iter().map(|one| one.text).collect::<Vec<String>>()
        };
        assert_eq!(words(3), words(3));
        assert_ne!(words(3), words(4));
    }

    #[test]
    fn a_year_has_all_that_years_have() {
        for seed in 0..8 {
            let year = Year::new(&Shape::years(1, seed));
            assert!((800..2200).contains(&year.told.len()), "{} statements", year.told.len());
            assert!(year.asked.len() > 300, "{} questions", year.asked.len());
            let is_silent = |days: &[Day]| days.iter().all(|day| day.deeds.is_empty());
            assert!(year.days.windows(9).any(is_silent), "there are holidays");
            assert!(year.facts.iter().any(|fact| fact.values.len() > 2), "facts change");
            assert!(year.told.iter().any(|one| one.replaces.is_some()));
            assert!(year.told.iter().any(|one| one.pinned));
            let end = year.told.last().unwrap().at;
            let in_use = (0..year.told.len()).filter(|one| year.is_in_use(*one, end)).count();
            assert!(in_use * 2 < year.told.len(), "{in_use} of {}", year.told.len());
            assert!(year.told.windows(2).all(|pair| pair[0].at < pair[1].at));
        }
    }

    #[test]
    fn a_question_asks_for_what_is_true_when_it_is_asked() {
        let year = Year::new(&Shape::years(1, 5));
        for ask in &year.asked {
            if let About::Fact { fact, value } = ask.about {
                assert_eq!(year.value_at(fact, ask.at), Some(value));
                assert!(year.is_alive(year.facts[fact].project, ask.at));
            }
        }
    }
}
