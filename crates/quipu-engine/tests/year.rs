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
    2026-01-31: 30 active
      active: 20 episodic, 2 procedural, 8 semantic; 2 by dreams
      did so far: 2 makes, 3 writes; answered 0, open 0
    2026-02-28: 135 active, 1 invalidated, 27 merged
      active: 105 episodic, 3 procedural, 27 semantic; 15 by dreams
      did so far: 7 asks, 10 makes, 5 merges, 1 promotes, 20 writes; answered 4, open 3
    2026-03-31: 152 active, 2 invalidated, 27 merged, 1 superseded
      active: 117 episodic, 3 procedural, 32 semantic; 15 by dreams
      did so far: 20 asks, 10 makes, 5 merges, 1 promotes, 29 writes; answered 15, open 4
    2026-04-30: 163 active, 13 archived, 2 invalidated, 28 merged, 3 superseded
      active: 125 episodic, 4 procedural, 34 semantic; 13 by dreams
      did so far: 11 archives, 28 asks, 10 makes, 5 merges, 3 promotes, 2 puts, 49 writes; answered 23, open 5
    2026-05-31: 93 active, 94 archived, 5 invalidated, 29 merged, 3 superseded
      active: 55 episodic, 6 procedural, 32 semantic; 8 by dreams
      did so far: 92 archives, 35 asks, 10 makes, 5 merges, 3 promotes, 2 puts, 74 writes; answered 29, open 6
    2026-06-30: 96 active, 111 archived, 5 invalidated, 29 merged, 5 superseded
      active: 58 episodic, 6 procedural, 32 semantic; 7 by dreams
      did so far: 108 archives, 38 asks, 10 makes, 5 merges, 3 promotes, 3 puts, 89 writes; answered 33, open 6
    2026-07-31: 72 active, 133 archived, 7 invalidated, 29 merged, 5 superseded
      active: 37 episodic, 6 procedural, 29 semantic; 6 by dreams
      did so far: 129 archives, 53 asks, 10 makes, 5 merges, 3 promotes, 4 puts, 101 writes; answered 43, open 11
    2026-08-31: 54 active, 143 archived, 15 invalidated, 29 merged, 5 superseded
      active: 29 episodic, 3 procedural, 22 semantic; 4 by dreams
      did so far: 137 archives, 64 asks, 10 makes, 5 merges, 3 promotes, 6 puts, 109 writes; answered 52, open 13
    2026-09-30: 55 active, 161 archived, 17 invalidated, 29 merged, 5 superseded
      active: 23 episodic, 4 procedural, 28 semantic; 6 by dreams
      did so far: 156 archives, 69 asks, 11 makes, 5 merges, 4 promotes, 6 puts, 123 writes; answered 58, open 13
    2026-10-31: 66 active, 161 archived, 17 invalidated, 29 merged, 5 superseded
      active: 34 episodic, 4 procedural, 28 semantic; 6 by dreams
      did so far: 156 archives, 76 asks, 11 makes, 5 merges, 5 promotes, 6 puts, 128 writes; answered 63, open 15
    2026-11-30: 118 active, 159 archived, 17 invalidated, 34 merged, 6 superseded
      active: 78 episodic, 5 procedural, 35 semantic; 9 by dreams
      did so far: 156 archives, 76 asks, 11 makes, 6 merges, 9 promotes, 6 puts, 143 writes; answered 64, open 15
    2026-12-31: 106 active, 171 archived, 17 invalidated, 34 merged, 6 superseded
      active: 66 episodic, 5 procedural, 35 semantic; 9 by dreams
      did so far: 168 archives, 82 asks, 11 makes, 6 merges, 9 promotes, 6 puts, 149 writes; answered 67, open 18
    replay equal: true
    [Peer card] kestrel; [Peer card] linus; [Peer card] vera; [Peer card] ada; [Peer card] grace; [Peer card] yuki; [Peer card] juniper; [Peer card] marlin; [Peer card] deployed kestrel; [Peer card] otto; [Peer card] maria
    "#);
}
