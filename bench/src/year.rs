//! A year of sessions: what is still active at each month's end against what is true and in use, and
//! how many answers are stale. Quipu with and without a judge, beside keeping everything, keeping the
//! newest, and the original's rules, all on the same history.
//!
//! There is a dream every night. The judge knows the truth, and answers seven of ten questions with it;
//! the rest stays open. What a speaker replaced by name is replaced for all of them.

mod original;

use quipu_engine::{embedding, questions};
use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use quipu_core::item::Status;
use quipu_embed::Role;
use quipu_testkit::year::life::{Knower, Life, Verdict};
use quipu_testkit::year::{About, Day, Deed, Shape, Year};
use serde::Serialize;

use self::original::Original;

/// So many answers are looked at where not all of them count.
const PAGE: usize = 100;

/// The figures of one year.
#[derive(Serialize)]
pub(crate) struct Figures {
    seed: u64,
    statements: usize,
    questions: usize,
    systems: Vec<System>,
}

/// How one way of keeping memories did.
#[derive(Serialize)]
struct System {
    name: &'static str,
    /// Means over the months.
    precision: f64,
    recall: f64,
    f1: f64,
    /// Of a hundred questions about facts.
    right: f64,
    stale: f64,
    both: f64,
    months: Vec<Month>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    more: serde_json::Map<String, serde_json::Value>,
}

/// The end of a month.
#[derive(Serialize)]
struct Month {
    day: String,
    told: usize,
    in_use: usize,
    active: usize,
    precision: f64,
    recall: f64,
    f1: f64,
}

/// What was counted on the way.
#[derive(Default)]
struct Count {
    verdicts: Vec<Verdict>,
    months: Vec<Month>,
    more: serde_json::Map<String, serde_json::Value>,
}

#[expect(clippy::cast_precision_loss, reason = "shares of small numbers")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

impl Count {
    /// Compares what is active with what should be.
    fn month(&mut self, year: &Year, now: Timestamp, active: &[bool]) {
        let in_use: Vec<bool> = (0..active.len()).map(|at| year.is_in_use(at, now)).collect();
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
        let both = active.iter().zip(&in_use).filter(|(a, b)| **a && **b).count();
        let (precision, recall) = (share(both, count(active)), share(both, count(&in_use)));
        let sum = (precision + recall).max(f64::MIN_POSITIVE);
        self.months.push(Month {
            day: now.strftime("%Y-%m-%d").to_string(),
            told: active.len(),
            in_use: count(&in_use),
            active: count(active),
            precision,
            recall,
            f1: 2.0 * precision * recall / sum,
        });
    }

    fn system(self, name: &'static str) -> System {
        let mean = |of: fn(&Month) -> f64| {
            self.months.iter().map(of).sum::<f64>() / share(self.months.len(), 1)
        };
        let percent = |verdict: Verdict| {
            let found = self.verdicts.iter().filter(|one| **one == verdict).count();
            100.0 * share(found, self.verdicts.len())
        };
        System {
            name,
            precision: mean(|month| month.precision),
            recall: mean(|month| month.recall),
            f1: mean(|month| month.f1),
            right: percent(Verdict::Right),
            stale: percent(Verdict::Stale),
            both: percent(Verdict::Both),
            months: self.months,
            more: self.more,
        }
    }
}

/// Returns the moment of the dream, after the day's work.
fn night(day: &Day) -> Timestamp {
    day.date.at(21, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp()
}

fn is_month_end(day: &Day) -> bool {
    day.date.last_of_month() == day.date
}

/// Tells whether a question is about a fact, which has a right answer and stale ones.
fn is_about_a_fact(year: &Year, ask: usize) -> bool {
    matches!(year.asked[ask].about, About::Fact { .. })
}

/// Plays a year in every way.
pub(crate) fn measure(seed: u64, years: i64, config: &str, only_quipu: bool) -> Figures {
    let year = Year::new(&Shape::years(years, seed));
    let knower = Knower { percent: 70, seed };
    let mut systems = vec![
        quipu(&year, Some(&knower), config).system("quipu, with a judge"),
        quipu(&year, None, config).system("quipu, no judge"),
    ];
    if !only_quipu {
        systems.extend(kept(&year, &knower));
    }
    Figures { seed, statements: year.told.len(), questions: year.asked.len(), systems }
}

fn quipu(year: &Year, knower: Option<&Knower>, config: &str) -> Count {
    let (mut count, mut life) = (Count::default(), Life::with(year, config));
    let mut answered = 0;
    let mut instead: BTreeMap<&str, usize> = BTreeMap::new();
    let mut in_vain: BTreeMap<&str, usize> = BTreeMap::new();
    for day in &year.days {
        for deed in &day.deeds {
            match deed {
                Deed::Tell(number) => {
                    life.tell(*number);
                }
                Deed::Ask(number) => {
                    let recalled = life.ask(*number, None);
                    if is_about_a_fact(year, *number) {
                        let first = recalled.results.first();
                        let verdict = life.verdict(*number, first);
                        count.verdicts.push(verdict);
                        if verdict == Verdict::Other {
                            let told = first.and_then(|first| life.statement(&first.id));
                            *instead.entry(what_else(year, *number, told)).or_insert(0) += 1;
                        }
                    }
                }
            }
        }
        let now = night(day);
        for (step, did) in life.sleep(now).did {
            let before = count.more.get(&step).and_then(serde_json::Value::as_u64).unwrap_or(0);
            count.more.insert(step, (before + did as u64).into());
        }
        if let Some(knower) = knower {
            answered += life.answer(knower, now);
        }
        if is_month_end(day) {
            let active = life.active();
            count.month(year, now, &active);
            for at in (0..active.len()).filter(|at| active[*at] && !year.is_in_use(*at, now)) {
                let is_merged = life.item(&life.ids[at]).status == Status::Merged;
                *in_vain.entry(why_not(year, at, is_merged, now)).or_insert(0) += 1;
            }
        }
    }
    count.more.insert("answered_instead".to_owned(), serde_json::to_value(instead).unwrap());
    count.more.insert("kept_in_vain".to_owned(), serde_json::to_value(in_vain).unwrap());
    let end = night(year.days.last().unwrap());
    let mut open = BTreeMap::new();
    for one in questions::questions(life.workspace(), end).unwrap() {
        *open.entry(one.kind.to_string()).or_insert(0) += 1;
    }
    count.more.insert("answered".to_owned(), answered.into());
    count.more.insert("open".to_owned(), serde_json::to_value(open).unwrap());
    count
}

/// Says what was answered where it has nothing to do with what was asked.
fn what_else(year: &Year, ask: usize, told: Option<usize>) -> &'static str {
    let About::Fact { fact, .. } = year.asked[ask].about else { return "something" };
    let project = year.facts[fact].project;
    match told {
        None => "what a dream wrote, or nothing",
        Some(told) => match year.told[told].about {
            About::Fact { fact, .. } if year.facts[fact].project == project => "another fact",
            About::Fact { .. } => "another project's fact",
            _ if year.told[told].text.contains(year.projects[project].name) => "a happening",
            _ => "another project's happening",
        },
    }
}

/// Says why a statement is of no use to anybody.
fn why_not(year: &Year, statement: usize, is_merged: bool, now: Timestamp) -> &'static str {
    match year.told[statement].about {
        About::Fact { fact, value } if year.value_at(fact, now) != Some(value) => "old values",
        About::Fact { .. } => "facts of dead projects",
        _ if is_merged => "old happenings, merged",
        _ => "old happenings",
    }
}

/// The three that decide by simple rules what counts of all that is kept.
fn kept(year: &Year, knower: &Knower) -> Vec<System> {
    let mut life = Life::new(year);
    let [mut all, mut newest] = [Count::default(), Count::default()];
    let mut fixed = WINDOWS.map(|_| Count::default());
    let mut by_original = Count::default();
    let mut original = Original::new(knower.seed);
    let embedder = embedding::embedder(life.workspace()).unwrap();
    let mut replaced: Vec<bool> = Vec::new();
    for day in &year.days {
        for deed in &day.deeds {
            match deed {
                Deed::Tell(number) => {
                    let weighed = life.tell(*number);
                    let twin = weighed.and_then(|one| life.statement(&one.duplicate_of?));
                    let item = life.item(&life.ids[*number]);
                    let vector = embedder.embed(&[&item.text], Role::Memory).unwrap().remove(0);
                    original.tell(&item, vector, twin);
                    replaced.push(false);
                    if let Some(old) = year.told[*number].replaces {
                        replaced[old] = true;
                    }
                }
                Deed::Ask(number) => {
                    let now = year.asked[*number].at;
                    let recalled = life.ask(*number, Some(PAGE));
                    let found: Vec<(usize, f32)> = recalled
                        .results
                        .iter()
                        .flat_map(|answer| {
                            let ids = std::iter::once(&answer.id).chain(&answer.same);
                            ids.filter_map(|id| Some((life.statement(id)?, answer.score)))
                        })
                        .collect();
                    let by_rules = original.answer(&found, now);
                    let among =
                        |kept: &[bool]| found.iter().map(|(at, _)| *at).find(|at| kept[*at]);
                    let by_age = among(&newest_of(in_use(year, &replaced, now), &replaced));
                    let by_window = WINDOWS.map(|window| among(&newest_of(window, &replaced)));
                    let first = found.first().map(|(at, _)| *at);
                    if is_about_a_fact(year, *number) {
                        let verdict = |at: Option<usize>| {
                            at.map_or(Verdict::Other, |at| year.verdict(*number, at))
                        };
                        all.verdicts.push(verdict(first));
                        newest.verdicts.push(verdict(by_age));
                        for (fixed, by_window) in fixed.iter_mut().zip(by_window) {
                            fixed.verdicts.push(verdict(by_window));
                        }
                        by_original.verdicts.push(verdict(by_rules));
                    }
                }
            }
        }
        let now = night(day);
        original.dream(now, Some(knower), &|statement| year.is_in_use(statement, now));
        if is_month_end(day) {
            let told = 0..life.ids.len();
            let active: Vec<bool> = told.clone().map(|at| !replaced[at]).collect();
            all.month(year, now, &active);
            newest.month(year, now, &newest_of(in_use(year, &replaced, now), &replaced));
            for (fixed, window) in fixed.iter_mut().zip(WINDOWS) {
                fixed.month(year, now, &newest_of(window, &replaced));
            }
            let active: Vec<bool> =
                told.map(|at| !replaced[at] && original.is_active(at)).collect();
            by_original.month(year, now, &active);
        }
    }
    let [small, usual, large] = fixed;
    vec![
        all.system("keep everything"),
        newest.system("newest, N known"),
        small.system("newest 250"),
        usual.system("newest 500"),
        large.system("newest 1000"),
        by_original.system("original's rules"),
    ]
}

/// So many records the windows hold: nobody knows beforehand how many are of use.
const WINDOWS: [usize; 3] = [250, 500, 1000];

/// Returns how many statements are in use in truth, which nobody can know.
fn in_use(year: &Year, replaced: &[bool], now: Timestamp) -> usize {
    (0..replaced.len()).filter(|at| year.is_in_use(*at, now)).count()
}

/// Tells of each statement whether it is among the newest, so many of them.
fn newest_of(mut room: usize, replaced: &[bool]) -> Vec<bool> {
    let mut kept: Vec<bool> = replaced.iter().map(|replaced| !replaced).collect();
    for keeps in kept.iter_mut().rev().filter(|keeps| **keeps) {
        *keeps = room > 0;
        room = room.saturating_sub(1);
    }
    kept
}

/// Prints the figures of each year, and their means.
pub(crate) fn print(figures: &[Figures]) {
    for one in figures {
        println!("\nseed {}: {} statements, {} questions", one.seed, one.statements, one.questions);
        print_rows(&one.systems.iter().map(row).collect::<Vec<_>>());
        for system in one.systems.iter().filter(|system| !system.more.is_empty()) {
            println!("  {}: {}", system.name, serde_json::to_string(&system.more).unwrap());
        }
    }
    if figures.len() > 1 {
        println!("\nmean of {} seeds", figures.len());
        let systems = figures[0].systems.len();
        let mean = |at: usize| {
            let rows = figures.iter().map(|one| row(&one.systems[at]));
            let (name, sums) = rows.fold(("", [0.0; 6]), |(_, sums), (name, values)| {
                (name, std::array::from_fn(|at| sums[at] + values[at]))
            });
            (name, sums.map(|sum| sum / share(figures.len(), 1)))
        };
        print_rows(&(0..systems).map(mean).collect::<Vec<_>>());
    }
}

fn row(system: &System) -> (&'static str, [f64; 6]) {
    let System { name, precision, recall, f1, right, stale, both, .. } = system;
    (name, [*f1, *precision, *recall, *right, *stale, *both])
}

fn print_rows(rows: &[(&'static str, [f64; 6])]) {
    println!("| kept by | F1 | precision | recall | right of 100 | stale | stale and right |");
    println!("|---|---|---|---|---|---|---|");
    for (name, [f1, precision, recall, right, stale, both]) in rows {
        println!(
            "| {name} | {f1:.3} | {precision:.3} | {recall:.3} | {right:.1} | {stale:.1} | {both:.1} |"
        );
    }
}
