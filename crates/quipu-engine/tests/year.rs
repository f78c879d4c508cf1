//! What a memory looks like at the end of each month of a small year: a golden report, so that a change
//! of what the engine does with time shows itself.

use quipu_engine::{ids, questions, replay};
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
    ids::repeat_from(seed);
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
    2026-01-31: 32 active
      active: 20 episodic, 2 procedural, 10 semantic; 4 by dreams
      did so far: 4 makes, 4 writes; answered 0, open 0
    2026-02-28: 131 active, 30 merged, 3 superseded
      active: 102 episodic, 2 procedural, 27 semantic; 15 by dreams
      did so far: 1 adds, 7 asks, 10 makes, 5 merges, 2 promotes, 29 writes; answered 6, open 11
    2026-03-31: 149 active, 30 merged, 4 superseded
      active: 114 episodic, 3 procedural, 32 semantic; 15 by dreams
      did so far: 1 adds, 21 asks, 10 makes, 5 merges, 2 promotes, 38 writes; answered 19, open 15
    2026-04-30: 158 active, 13 archived, 2 challenged, 31 merged, 8 superseded
      active: 119 episodic, 3 procedural, 36 semantic; 16 by dreams
      did so far: 1 adds, 12 archives, 28 asks, 2 challenges, 12 makes, 5 merges, 4 promotes, 1 puts, 63 writes; answered 28, open 22
    2026-05-31: 85 active, 95 archived, 2 challenged, 4 invalidated, 31 merged, 10 superseded
      active: 51 episodic, 4 procedural, 30 semantic; 8 by dreams
      did so far: 1 adds, 91 archives, 35 asks, 2 brings, 5 challenges, 12 makes, 5 merges, 4 promotes, 4 puts, 92 writes; answered 37, open 17
    2026-06-30: 90 active, 109 archived, 4 invalidated, 31 merged, 15 superseded
      active: 58 episodic, 4 procedural, 28 semantic; 7 by dreams
      did so far: 1 adds, 104 archives, 39 asks, 4 brings, 8 challenges, 12 makes, 5 merges, 4 promotes, 5 puts, 114 writes; answered 45, open 20
    2026-07-31: 61 active, 134 archived, 8 invalidated, 31 merged, 15 superseded
      active: 35 episodic, 2 procedural, 24 semantic; 5 by dreams
      did so far: 1 adds, 127 archives, 55 asks, 4 brings, 8 challenges, 12 makes, 5 merges, 4 promotes, 7 puts, 126 writes; answered 57, open 15
    2026-08-31: 48 active, 143 archived, 12 invalidated, 31 merged, 15 superseded
      active: 27 episodic, 1 procedural, 20 semantic; 4 by dreams
      did so far: 1 adds, 135 archives, 64 asks, 4 brings, 8 challenges, 12 makes, 5 merges, 4 promotes, 8 puts, 134 writes; answered 65, open 12
    2026-09-30: 50 active, 162 archived, 12 invalidated, 31 merged, 15 superseded
      active: 21 episodic, 2 procedural, 27 semantic; 5 by dreams
      did so far: 1 adds, 154 archives, 64 asks, 4 brings, 8 challenges, 13 makes, 5 merges, 5 promotes, 9 puts, 147 writes; answered 65, open 14
    2026-10-31: 62 active, 161 archived, 12 invalidated, 31 merged, 15 superseded
      active: 31 episodic, 2 procedural, 29 semantic; 6 by dreams
      did so far: 1 adds, 154 archives, 71 asks, 4 brings, 8 challenges, 13 makes, 5 merges, 7 promotes, 9 puts, 154 writes; answered 70, open 16
    2026-11-30: 112 active, 158 archived, 13 invalidated, 38 merged, 17 superseded
      active: 74 episodic, 3 procedural, 35 semantic; 10 by dreams
      did so far: 2 adds, 154 archives, 72 asks, 4 brings, 9 challenges, 13 makes, 6 merges, 11 promotes, 9 puts, 173 writes; answered 73, open 28
    2026-12-31: 100 active, 170 archived, 13 invalidated, 38 merged, 17 superseded
      active: 62 episodic, 3 procedural, 35 semantic; 10 by dreams
      did so far: 2 adds, 166 archives, 78 asks, 4 brings, 9 challenges, 13 makes, 6 merges, 11 promotes, 9 puts, 178 writes; answered 76, open 31
    replay equal: true
    [Peer card] kestrel; [Peer card] linus; [Peer card] vera; [Peer card] ada; [Peer card] grace; [Peer card] yuki; [Peer card] juniper; [Peer card] omar; [Peer card] paul; [Peer card] marlin; [Peer card] rosa; [Peer card] otto; [Peer card] maria
    "#);
}
