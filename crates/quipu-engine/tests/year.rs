//! What a memory looks like at the end of each month of a small year: a golden report, so that a change
//! of what the engine does with time shows itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::tz::TimeZone;
use quipu_core::item::{Item, Source};
use quipu_testkit::year::life::{Knower, Life};
use quipu_testkit::year::{Day, Deed, Shape, Year};

/// Nights between two dreams.
const NIGHTS: usize = 7;

/// Lives through a small year; returns what there is at each month's end.
fn report(seed: u64) -> String {
    let year = Year::new(&Shape::small(seed));
    let knower = Knower { percent: 70, seed };
    let mut life = Life::new(&year);
    let mut report = format!("{} statements, {} questions\n", year.told.len(), year.asked.len());
    let mut did: BTreeMap<String, usize> = BTreeMap::new();
    let mut answered = 0;
    for (number, day) in year.days.iter().enumerate() {
        for deed in &day.deeds {
            match deed {
                Deed::Tell(number) => {
                    life.tell(*number);
                }
                Deed::Ask(number) => {
                    life.ask(*number, None);
                }
            }
        }
        let is_month_end = day.date.last_of_month() == day.date;
        let now = day.date.at(21, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
        if is_month_end || number % NIGHTS == 0 {
            for action in life.sleep(now).actions {
                let what = action.does.split([' ', ':']).next().unwrap_or_default();
                *did.entry(what.to_owned()).or_default() += 1;
            }
            answered += life.answer(&knower, now);
        }
        if is_month_end {
            let open = life.workspace().questions(now).unwrap().len();
            month(&mut report, day, &life.items().into_values().collect::<Vec<_>>());
            let did = counted(did.iter().map(|(what, count)| (what.clone(), *count)));
            let _ = writeln!(report, "  did so far: {did}; answered {answered}, open {open}");
        }
    }
    let replayed = life.workspace().replay(true, &mut |_, _| {}).unwrap();
    let _ = writeln!(report, "replay equal: {}", replayed.equal);
    let cards = life.items().into_values().filter(|item| item.category == "peer-card");
    let cards: Vec<String> =
        cards.filter_map(|card| Some(card.text.lines().next()?.to_owned())).collect();
    let _ = writeln!(report, "{}", cards.join("; "));
    report
}

fn month(report: &mut String, day: &Day, items: &[Item]) {
    let all = items.iter();
    let statuses = counted(all.clone().map(|item| (item.status.to_string(), 1)));
    let active = all.filter(|item| item.status == quipu_core::item::Status::Active);
    let layers = counted(active.clone().map(|item| (item.layer.to_string(), 1)));
    let dreamt = active.filter(|item| item.source == Source::Dream).count();
    let _ = writeln!(report, "{}: {statuses}", day.date);
    let _ = writeln!(report, "  active: {layers}; {dreamt} by dreams");
}

fn counted(words: impl Iterator<Item = (String, usize)>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (word, count) in words {
        *counts.entry(word).or_default() += count;
    }
    let words: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    words.join(", ")
}

#[test]
fn a_small_year_leaves_what_it_should() {
    insta::assert_snapshot!(report(7), @r#"
    317 statements, 160 questions
    2026-01-31: 29 active
      active: 20 episodic, 2 procedural, 7 semantic; 1 by dreams
      did so far: 1 makes, 2 writes; answered 0, open 0
    2026-02-28: 129 active, 1 invalidated, 27 merged
      active: 105 episodic, 3 procedural, 21 semantic; 9 by dreams
      did so far: 7 asks, 4 makes, 5 merges, 1 promotes, 8 writes; answered 4, open 3
    2026-03-31: 147 active, 2 invalidated, 27 merged, 1 superseded
      active: 117 episodic, 3 procedural, 27 semantic; 10 by dreams
      did so far: 20 asks, 5 makes, 5 merges, 1 promotes, 10 writes; answered 15, open 4
    2026-04-30: 161 active, 11 archived, 2 invalidated, 28 merged, 3 superseded
      active: 125 episodic, 4 procedural, 32 semantic; 11 by dreams
      did so far: 11 archives, 28 asks, 6 makes, 5 merges, 3 promotes, 17 writes; answered 22, open 5
    2026-05-31: 91 active, 92 archived, 5 invalidated, 29 merged, 3 superseded
      active: 55 episodic, 6 procedural, 30 semantic; 6 by dreams
      did so far: 92 archives, 35 asks, 6 makes, 5 merges, 3 promotes, 25 writes; answered 28, open 6
    2026-06-30: 95 active, 108 archived, 5 invalidated, 29 merged, 5 superseded
      active: 58 episodic, 6 procedural, 31 semantic; 6 by dreams
      did so far: 108 archives, 39 asks, 6 makes, 5 merges, 3 promotes, 31 writes; answered 32, open 6
    2026-07-31: 72 active, 129 archived, 7 invalidated, 29 merged, 5 superseded
      active: 37 episodic, 6 procedural, 29 semantic; 6 by dreams
      did so far: 129 archives, 54 asks, 6 makes, 5 merges, 3 promotes, 36 writes; answered 42, open 11
    2026-08-31: 56 active, 137 archived, 15 invalidated, 29 merged, 5 superseded
      active: 29 episodic, 3 procedural, 24 semantic; 6 by dreams
      did so far: 137 archives, 65 asks, 6 makes, 5 merges, 3 promotes, 41 writes; answered 51, open 13
    2026-09-30: 56 active, 156 archived, 17 invalidated, 29 merged, 5 superseded
      active: 23 episodic, 4 procedural, 29 semantic; 7 by dreams
      did so far: 156 archives, 71 asks, 7 makes, 5 merges, 4 promotes, 47 writes; answered 57, open 13
    2026-10-31: 67 active, 156 archived, 17 invalidated, 29 merged, 5 superseded
      active: 34 episodic, 4 procedural, 29 semantic; 7 by dreams
      did so far: 156 archives, 78 asks, 7 makes, 5 merges, 5 promotes, 49 writes; answered 62, open 15
    2026-11-30: 118 active, 156 archived, 17 invalidated, 34 merged, 5 superseded
      active: 78 episodic, 5 procedural, 35 semantic; 8 by dreams
      did so far: 156 archives, 78 asks, 7 makes, 6 merges, 9 promotes, 53 writes; answered 62, open 15
    2026-12-31: 105 active, 168 archived, 18 invalidated, 34 merged, 5 superseded
      active: 66 episodic, 5 procedural, 34 semantic; 8 by dreams
      did so far: 168 archives, 85 asks, 7 makes, 6 merges, 9 promotes, 56 writes; answered 66, open 18
    replay equal: true
    [Peer card] kestrel; [Peer card] linus; [Peer card] ada; [Peer card] juniper; [Peer card] marlin; [Peer card] deployed kestrel; [Peer card] otto
    "#);
}
