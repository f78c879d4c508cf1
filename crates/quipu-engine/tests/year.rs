//! What a memory looks like at the end of each month of a small year: a golden report, so that a change
//! of what the engine does with time shows itself.

use quipu_engine::{questions, replay};
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
            let open = questions::questions(life.workspace(), now).unwrap().len();
            month(&mut report, day, &life.items().into_values().collect::<Vec<_>>());
            let did = counted(did.iter().map(|(what, count)| (what.clone(), *count)));
            let _ = writeln!(report, "  did so far: {did}; answered {answered}, open {open}");
        }
    }
    let replayed = replay::replay(life.workspace(), true, &mut |_, _| {}).unwrap();
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
    2026-01-31: 30 active
      active: 20 episodic, 2 procedural, 8 semantic; 2 by dreams
      did so far: 2 makes, 3 writes; answered 0, open 0
    2026-02-28: 128 active, 5 archived, 27 merged, 2 superseded
      active: 101 episodic, 2 procedural, 25 semantic; 13 by dreams
      did so far: 4 archives, 6 asks, 9 makes, 5 merges, 1 promotes, 1 puts, 20 writes; answered 5, open 5
    2026-03-31: 69 active, 82 archived, 27 merged, 3 superseded
      active: 36 episodic, 3 procedural, 30 semantic; 8 by dreams
      did so far: 81 archives, 18 asks, 9 makes, 5 merges, 1 promotes, 1 puts, 49 writes; answered 15, open 8
    2026-04-30: 68 active, 106 archived, 2 challenged, 28 merged, 4 superseded
      active: 31 episodic, 4 procedural, 33 semantic; 7 by dreams
      did so far: 104 archives, 26 asks, 2 challenges, 9 makes, 5 merges, 3 promotes, 3 puts, 70 writes; answered 22, open 10
    2026-05-31: 58 active, 126 archived, 3 invalidated, 29 merged, 7 superseded
      active: 24 episodic, 5 procedural, 29 semantic; 6 by dreams
      did so far: 123 archives, 33 asks, 2 brings, 4 challenges, 9 makes, 5 merges, 3 promotes, 4 puts, 94 writes; answered 31, open 10
    2026-06-30: 63 active, 137 archived, 3 invalidated, 29 merged, 13 superseded
      active: 33 episodic, 5 procedural, 25 semantic; 4 by dreams
      did so far: 132 archives, 35 asks, 2 brings, 8 challenges, 9 makes, 5 merges, 3 promotes, 6 puts, 108 writes; answered 39, open 11
    2026-07-31: 42 active, 157 archived, 4 invalidated, 29 merged, 13 superseded
      active: 13 episodic, 5 procedural, 24 semantic; 4 by dreams
      did so far: 152 archives, 49 asks, 2 brings, 8 challenges, 9 makes, 5 merges, 3 promotes, 6 puts, 119 writes; answered 48, open 16
    2026-08-31: 31 active, 161 archived, 11 invalidated, 29 merged, 13 superseded
      active: 10 episodic, 2 procedural, 19 semantic; 3 by dreams
      did so far: 155 archives, 61 asks, 2 brings, 8 challenges, 9 makes, 5 merges, 3 promotes, 7 puts, 125 writes; answered 59, open 13
    2026-09-30: 53 active, 160 archived, 11 invalidated, 29 merged, 13 superseded
      active: 23 episodic, 3 procedural, 27 semantic; 5 by dreams
      did so far: 155 archives, 61 asks, 2 brings, 8 challenges, 10 makes, 5 merges, 4 promotes, 7 puts, 131 writes; answered 59, open 15
    2026-10-31: 56 active, 168 archived, 11 invalidated, 29 merged, 13 superseded
      active: 26 episodic, 3 procedural, 27 semantic; 5 by dreams
      did so far: 163 archives, 68 asks, 2 brings, 8 challenges, 10 makes, 5 merges, 5 promotes, 7 puts, 138 writes; answered 64, open 17
    2026-11-30: 100 active, 172 archived, 11 invalidated, 34 merged, 16 superseded
      active: 64 episodic, 3 procedural, 33 semantic; 8 by dreams
      did so far: 169 archives, 68 asks, 2 brings, 9 challenges, 10 makes, 6 merges, 9 promotes, 7 puts, 155 writes; answered 67, open 29
    2026-12-31: 63 active, 209 archived, 11 invalidated, 34 merged, 16 superseded
      active: 28 episodic, 3 procedural, 32 semantic; 6 by dreams
      did so far: 205 archives, 74 asks, 2 brings, 9 challenges, 10 makes, 6 merges, 9 promotes, 8 puts, 167 writes; answered 70, open 32
    replay equal: true
    [Peer card] kestrel; [Peer card] linus; [Peer card] ada; [Peer card] grace; [Peer card] yuki; [Peer card] juniper; [Peer card] marlin; [Peer card] deployed kestrel; [Peer card] otto; [Peer card] maria
    "#);
}
