//! A dream every night over everyday memories, and a check that reads like a person: whatever a dream
//! wrote, and whatever a briefing says, must have been said, in these words and on that day.
//!
//! The world is one of its own (a pottery, a harbour, an orchestra): no rule was written beside it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use quipu_core::card;
use quipu_core::item::{Channel, Item, Layer, Source, Status};
use quipu_engine::brief::{self, BriefRequest};
use quipu_engine::dream::{self, DreamRequest};
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{Workspace, index};

use crate::TestRepo;
use crate::memories::projection;
use crate::repo::request;
use crate::year::{Dice, day_of};

/// How many days the world lasts.
pub const DAYS: i64 = 120;

/// What is planted with a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// One of a series: the same again with another number.
    Series(usize),
    /// Nobody needs it again.
    Idle,
    /// It holds for good, and is used every week.
    Lasting,
    /// It happened, and is used often for a while.
    Passing,
    /// It is still to be done.
    Open,
    /// It names a day to come.
    ToCome(Date),
}

/// Something that is said on a day.
#[derive(Clone, Debug)]
pub struct Statement {
    /// How many days after the beginning.
    pub day: i64,
    /// The words.
    pub text: String,
    /// What it was planted as.
    pub planted: Planted,
}

const PEOPLE: &[&str] = &[
    "Ilse Brandt",
    "Corwin",
    "Mirabel Tate",
    "Oskari",
    "Fenella Roux",
    "Padraig",
    "Sunniva Dahl",
    "Teodor",
    "Wilhelmina Kosk",
    "Anselm",
];

const SERIES: &[(&str, &str)] = &[
    ("Fired kiln 3 at ", " degrees, all pieces whole."),
    ("Read the tide gauge at the north mole: ", " centimetres."),
    ("Pressed batch ", " of the cider and filled the barrels."),
    ("Wound the tower clock, it was ", " seconds slow."),
    ("Backed up the score archive to tape ", "."),
    ("Weighed the wool of the week: ", " kilograms."),
    ("Counted the visitors of the glass hall: ", " came."),
    ("Topped up the organ blower with oil, meter at ", "."),
    ("Emptied the moth traps in the costume store, ", " moths."),
    ("Printed proof ", " of the harbour map."),
];

const IDLE_SUBJECTS: &[&str] = &[
    "The delivery van",
    "A school class",
    "The weaver's guild",
    "The new apprentice",
    "A tourist",
    "The radio",
    "The landlord's dog",
    "The heating man",
    "A gull",
    "The choir",
    "The postwoman",
    "The brass section",
    "A customer from abroad",
    "The fire brigade",
    "The night watch",
];

const IDLE_VERBS: &[&str] = &[
    "came late",
    "left muddy tracks in the hall",
    "asked for the way to the lighthouse",
    "forgot an umbrella",
    "made a lot of noise",
    "brought plum cake",
    "got lost in the cellar",
    "took photographs of the looms",
    "waited in the rain",
    "knocked over a bucket",
    "hummed the same tune all day",
    "borrowed a ladder",
    "slept on the bench",
    "sold raffle tickets",
    "lost a glove",
    "broke a cup",
    "left early",
];

const IDLE_ENDS: &[&str] = &[
    "before noon",
    "after the rehearsal",
    "during the guided tour",
    "while we were glazing",
    "at closing time",
    "in the middle of the meeting",
    "just as the ferry arrived",
];

const LASTING: &[&str] = &[
    "The glaze room is behind the old smithy.",
    "Fenella Roux prefers letters to phone calls.",
    "The harbour master speaks Estonian and German.",
    "Visitors must wear clogs in the dye works.",
    "The organ has 31 stops and two manuals.",
    "Anselm is allergic to lanolin.",
    "The score library is ordered by composer, never by title.",
    "Sunniva Dahl owns the recipe for the celadon glaze.",
    "The cider barrels belong to the parish.",
    "Always let kiln 3 cool for ten hours.",
    "The spare key of the boathouse hangs behind the barometer.",
    "Padraig is the one to ask about the sluice.",
];

const PASSING: &[&str] = &[
    "Corwin dropped the crate with the demijohns.",
    "We met the insurance man and showed him the cracked window.",
    "Mirabel Tate fetched the programmes from the printer.",
    "The power failed for two hours and we lit candles.",
];

const OPEN: &[&str] = &[
    "TODO: order cobalt oxide from the supplier in Meissen",
    "Waiting for the report of the crane inspector.",
    "Still have to tune the second harpsichord.",
    "We need to renew the lease of the drying loft.",
    "Teodor still has to hear from the customs office.",
];

/// Returns the statements of a world, in order of their days.
pub fn statements(count: usize, first: Date, seed: u64) -> Vec<Statement> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    let day = |dice: &mut Dice, before: i64| {
        i64::try_from(dice.below(usize::try_from(before).unwrap_or(1))).unwrap_or(0)
    };
    for (series, (start, end)) in SERIES.iter().enumerate() {
        for number in 0..5 + dice.below(5) {
            let value = 100 + 37 * number + dice.below(30);
            let (day, text) = (day(&mut dice, DAYS - 5), format!("{start}{value}{end}"));
            all.push(Statement { day, text, planted: Planted::Series(series) });
        }
    }
    let at =
        |day: i64, text: &str, planted: Planted| Statement { day, text: text.to_owned(), planted };
    all.extend(LASTING.iter().map(|text| at(day(&mut dice, 20), text, Planted::Lasting)));
    all.extend(PASSING.iter().map(|text| at(day(&mut dice, 20), text, Planted::Passing)));
    all.extend(OPEN.iter().map(|text| at(day(&mut dice, 15), text, Planted::Open)));
    for number in 0..6_i64 {
        let to_come = first.saturating_add(jiff::Span::new().days(DAYS + 10 + 9 * number));
        let text = format!(
            "Booked hall {} for the autumn fair on {}, confirmation {}.",
            number + 2,
            to_come.strftime("%-d %B %Y"),
            7000 + 13 * number
        );
        all.push(at(day(&mut dice, 15), &text, Planted::ToCome(to_come)));
    }
    let mut unique = BTreeSet::new();
    while all.len() < count {
        let with =
            if dice.chance(50) { format!(" with {}", dice.pick(PEOPLE)) } else { String::new() };
        let text = format!(
            "{} {}{with} {}.",
            dice.pick(IDLE_SUBJECTS),
            dice.pick(IDLE_VERBS),
            dice.pick(IDLE_ENDS)
        );
        if unique.insert(text.clone()) {
            all.push(at(day(&mut dice, DAYS), &text, Planted::Idle));
        } else if unique.len() > 3000 {
            break;
        }
    }
    all.sort_by(|a, b| (a.day, &a.text).cmp(&(b.day, &b.text)));
    all
}

/// What came of the nights.
#[derive(Clone, Debug, Default)]
pub struct Nights {
    /// What was said that nobody said, or on another day.
    pub untrue: Vec<String>,
    /// What was put away too soon, or although it is open or to come.
    pub too_soon: Vec<String>,
    /// How many planted near-copies there are, and how many are merged.
    pub copies: (usize, usize),
    /// How many idle ones are older than 95 days at the end, and how many of these are put away.
    pub idle: (usize, usize),
    /// How many planted ones became knowledge, and how many of these last.
    pub promoted: (usize, usize),
    /// How many lasting ones there are, and how many of these became knowledge.
    pub lasting: (usize, usize),
    /// How many questions for one of a series were asked, and how many of the first five answers tell
    /// its day.
    pub days_told: (usize, usize),
    /// How many lines of dreams and briefings were checked.
    pub checked: usize,
}

/// What was said: by its words the days on which it was.
struct Truth {
    days: BTreeMap<String, BTreeSet<Date>>,
    all: BTreeSet<Date>,
    words: String,
}

impl Truth {
    fn of<'s>(said: impl Iterator<Item = (&'s str, Date)>) -> Self {
        let mut truth = Self { days: BTreeMap::new(), all: BTreeSet::new(), words: String::new() };
        for (text, day) in said {
            truth.days.entry(bare(text)).or_default().insert(day);
            truth.all.insert(day);
            truth.words.push_str(&text.to_lowercase());
            truth.words.push('\n');
        }
        truth
    }

    /// Tells what is wrong with a line `- DAYS: words`.
    fn fault(&self, line: &str) -> Option<String> {
        let (days, words) = line.strip_prefix("- ")?.split_once(": ")?;
        let Some(said) = self.days.get(&bare(words)) else {
            return Some(format!("nobody said `{words}`"));
        };
        let days = days.split(", on ").next().unwrap_or(days);
        for day in days.split(", ").flat_map(|days| days.split(" to ")) {
            match day.parse::<Date>() {
                Ok(day) if said.contains(&day) => {}
                _ => return Some(format!("`{words}` was not said on {day}, but on {said:?}")),
            }
        }
        None
    }
}

fn bare(text: &str) -> String {
    quipu_core::prose::bare(text)
}

fn moment(first: Date, day: i64, hour: i64) -> Timestamp {
    let hours = SignedDuration::from_hours(24 * day + hour);
    quipu_core::when::midnight(first).checked_add(hours).unwrap()
}

/// Lives through the days: what is said by day, a dream by night where `dreams`, and a check of all
/// that was written every `check_every` nights.
pub fn live(count: usize, seed: u64, dreams: bool, check_every: i64) -> Nights {
    let first = Date::constant(2026, 2, 1);
    let world = statements(count, first, seed);
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let mut ids: Vec<String> = Vec::new();
    let mut nights = Nights::default();
    let mut uses: BTreeMap<String, Timestamp> = BTreeMap::new();
    let mut away: BTreeSet<String> = BTreeSet::new();
    for day in 0..DAYS {
        let today: Vec<&Statement> = world.iter().filter(|one| one.day == day).collect();
        let new: Vec<NewMemory> = today
            .iter()
            .map(|one| NewMemory { text: one.text.clone(), ..NewMemory::default() })
            .collect();
        let asked = quipu_engine::operation::Request {
            now: moment(first, day, 9),
            today: first.saturating_add(jiff::Span::new().days(day)),
            ..request("remember")
        };
        ids.extend(remember::remember(&workspace, &new, &asked).unwrap().ids);
        for (statement, id) in world.iter().zip(&ids) {
            let age = day - statement.day;
            let is_used = match statement.planted {
                Planted::Lasting => age > 0 && age % 7 == 0,
                Planted::Passing => (1..=7).contains(&age),
                _ => false,
            };
            if is_used {
                let at = moment(first, day, 15);
                index::note_access(&workspace, id, at);
                uses.insert(id.clone(), at);
            }
        }
        if !dreams {
            continue;
        }
        let now = moment(first, day + 1, 3);
        let asked = DreamRequest { now, ..DreamRequest::default() };
        dream::dream(&workspace, &asked, &mut |_, _, _| true).unwrap();
        if (day + 1) % check_every == 0 || day + 1 == DAYS {
            let said = world.iter().zip(&ids).map(|(one, _)| {
                (one.text.as_str(), first.saturating_add(jiff::Span::new().days(one.day)))
            });
            let truth = Truth::of(said);
            check(&workspace, &truth, now, &mut nights);
        }
        check_archive(&workspace, &world, &ids, (&uses, &mut away), now, &mut nights);
    }
    count_up(&workspace, &world, &ids, first, &mut nights);
    nights
}

/// Checks what dreams and a briefing say against what was said.
fn check(workspace: &Workspace, truth: &Truth, now: Timestamp, nights: &mut Nights) {
    let today = day_of(now);
    for item in projection(workspace).into_values() {
        if item.source != Source::Dream || item.status != Status::Active {
            continue;
        }
        let lines = item.text.lines().filter(|line| line.starts_with("- "));
        for line in lines {
            nights.checked += 1;
            nights.untrue.extend(truth.fault(line).map(|fault| format!("{}: {fault}", item.id)));
        }
        if item.category == card::CATEGORY {
            check_card(&item, truth, nights);
        } else if !truth.all.contains(&day_of(item.time)) {
            nights.untrue.push(format!("{} is of {}", item.id, item.time));
        }
    }
    let asked =
        BriefRequest { now, cap: Some(20_000), tokens: None, hint: None, channel: Channel::Main };
    let text = brief::brief(workspace, &asked).unwrap().text;
    let near = [today, today.yesterday().unwrap_or(today)];
    for line in text.lines().map(|line| line.trim_start_matches("- ")) {
        let Some((when, rest)) = line.split_once(" [") else { continue };
        let Some((category, words)) = rest.split_once("] ") else { continue };
        let Some(said) = truth.days.get(&bare(words)) else { continue };
        nights.checked += 1;
        let is_true = match when.parse::<Date>() {
            Ok(day) => said.contains(&day),
            Err(_) => near.iter().any(|day| said.contains(day)),
        };
        if !is_true {
            nights.untrue.push(format!("briefing: {when} [{category}] {words}, said on {said:?}"));
        }
    }
}

/// Checks the head of a card: its days, and who stands beside.
fn check_card(item: &Item, truth: &Truth, nights: &mut Nights) {
    for line in item.text.lines().skip(1).take_while(|line| !line.starts_with("- ")) {
        nights.checked += 1;
        let days = line.split_whitespace().filter_map(|word| word.parse::<Date>().ok());
        let names = line.strip_prefix("with: ").unwrap_or_default().split(", ");
        let wrong_days = days.filter(|day| !truth.all.contains(day)).count();
        let strange = names.filter(|name| !truth.words.contains(&name.to_lowercase())).count();
        if wrong_days + strange > 0 {
            nights.untrue.push(format!("{}: {line}", item.id));
        }
    }
}

/// Checks what a night put away.
fn check_archive(
    workspace: &Workspace,
    world: &[Statement],
    ids: &[String],
    (uses, away): (&BTreeMap<String, Timestamp>, &mut BTreeSet<String>),
    now: Timestamp,
    nights: &mut Nights,
) {
    for (statement, id) in world.iter().zip(ids) {
        if away.contains(id) {
            continue;
        }
        let item = index::resolve(workspace, id).unwrap();
        if item.status != Status::Archived {
            continue;
        }
        away.insert(id.clone());
        let last = uses.get(id).copied().unwrap_or(item.time).max(item.time);
        let days = now.duration_since(last).as_hours() / 24;
        let is_kept = match statement.planted {
            Planted::Open => true,
            Planted::ToCome(day) => day >= day_of(now),
            _ => false,
        };
        if days < 90 || is_kept {
            nights.too_soon.push(format!("after {days} days: {}", statement.text));
        }
    }
}

/// Counts what became of what was planted.
fn count_up(
    workspace: &Workspace,
    world: &[Statement],
    ids: &[String],
    first: Date,
    nights: &mut Nights,
) {
    let now = moment(first, DAYS, 4);
    for (statement, id) in world.iter().zip(ids) {
        let item = index::resolve(workspace, id).unwrap();
        let is_away = item.status == Status::Archived;
        match statement.planted {
            Planted::Series(_) => {
                nights.copies.0 += 1;
                nights.copies.1 += usize::from(item.status == Status::Merged);
                let day = first.saturating_add(jiff::Span::new().days(statement.day));
                let question = Question {
                    query: format!("when: {}", statement.text),
                    count: Some(5),
                    ..Question::default()
                };
                let answers = recall::recall(workspace, &question, now).unwrap().results;
                let tells = answers.iter().any(|answer| {
                    let own = bare(&answer.text) == bare(&statement.text);
                    let line = |line: &str| {
                        bare(line).contains(&bare(&statement.text))
                            && line.contains(&day.to_string())
                    };
                    (own && day_of(answer.time) == day) || answer.text.lines().any(line)
                });
                nights.days_told.0 += 1;
                nights.days_told.1 += usize::from(tells);
            }
            Planted::Idle if DAYS - statement.day > 95 => {
                nights.idle.0 += 1;
                // Idle ones that are alike are merged; what they became may fade later.
                nights.idle.1 += usize::from(is_away || item.status == Status::Merged);
            }
            Planted::Lasting => nights.lasting.0 += 1,
            _ => {}
        }
        if item.layer == Layer::Semantic && item.status == Status::Active {
            let lasts = statement.planted == Planted::Lasting;
            nights.promoted.0 += 1;
            nights.promoted.1 += usize::from(lasts);
            nights.lasting.1 += usize::from(lasts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_another_day_or_other_words_is_untrue() {
        let day = |day| Date::constant(2026, 6, day);
        let truth =
            Truth::of([("Deployed 1.17.1.", day(1)), ("Deployed 1.17.1.", day(3))].into_iter());
        let fault = |line: &str| truth.fault(line).is_some();
        assert!(!fault("- 2026-06-01: Deployed 1.17.1."));
        assert!(!fault("- 2026-06-01, 2026-06-03: Deployed 1.17.1."));
        assert!(!fault("- 2026-06-01 to 2026-06-03, on 2 days: Deployed 1.17.1."));
        assert!(fault("- 2026-06-02: Deployed 1.17.1."));
        assert!(fault("- 2026-06-01, 2026-06-04: Deployed 1.17.1."));
        assert!(fault("- 2026-06-01: Deployed 1.17.2."));
    }
}
