//! Text that people wrote by hand, and records of a journal: both sides' stay, whole and once.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use quipu_core::merge::{Elsewhere, FileKind, Sides, three_way};
use quipu_core::text;

use super::config;

fn record(id: usize, second: usize) -> String {
    format!(
        "- {{\"id\":\"r{id}\",\"sessionId\":\"s\",\"category\":\"note\",\"text\":\"t{id}\",\"provenance\":{{\"sourceChannel\":\"c\",\"confidence\":1,\"timestamp\":\"2026-05-01T00:{:02}:{:02}.000Z\",\"sensitivity\":\"public\"}}}}\n",
        second / 60,
        second % 60
    )
}

/// What a journal becomes on a branch: the oldest leave the window, new ones are added in order.
fn grown(base: usize, trimmed: usize, added: &BTreeSet<usize>) -> String {
    let old = (trimmed.min(base)..base).map(|n| record(n, n));
    let new = added.iter().map(|second| record(1000 + second, *second));
    old.chain(new).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_journal_has_every_record_once_in_order_of_time(
        base in 0_usize..6,
        ours in (0_usize..6, proptest::collection::btree_set(100_usize..160, 0..8)),
        theirs in (0_usize..6, proptest::collection::btree_set(100_usize..160, 0..8)),
    ) {
        let header = "# MEMORY.md\n\nMy own words.\n\n---\n\n";
        let text = |trimmed, added: &BTreeSet<usize>| format!("{header}{}", grown(base, trimmed, added));
        let (before, x, y) = (text(0, &BTreeSet::new()), text(ours.0, &ours.1), text(theirs.0, &theirs.1));
        let done = three_way(FileKind::Journal, Sides { base: &before, ours: &x, theirs: &y }, &Elsewhere::default());
        let all: BTreeSet<usize> = ours.1.union(&theirs.1).copied().collect();
        prop_assert_eq!(done.text, text(ours.0.max(theirs.0), &all));
    }
}

/// What somebody writes by hand: state lines, sentences that look like them, lists, fences, sections.
fn hand_written() -> impl Strategy<Value = String> {
    let block = prop_oneof![
        Just("- **note:** seen\n"),
        Just("- **note:** seen again\n"),
        Just("- **status:** frozen since 2026-05-04\n"),
        Just("- **Backend:** Rust everywhere\n"),
        Just("- **last_review:** 2026-05-04 | through 2026-05-04-100000\n"),
        Just("- [ ] deploy\n- done\n"),
        Just("- done\n"),
        Just("```sh\nmake\n```\n"),
        Just("~~~\n# no heading\n\n- done\n~~~\n"),
        Just("Some words\nin two lines.\n"),
        Just("> Must hold.\n\n"),
        Just("\n"),
        Just("\n## Api\n\n> Must hold.\n\n"),
        Just("\n## Web\n\n> Must hold.\n\n"),
        Just("\n### Sub\n\n"),
    ];
    vec(block, 0..8).prop_map(|blocks| blocks.concat())
}

/// A file with hand-written text in three places.
fn by_hand(parts: &[String; 3]) -> String {
    let [state, decisions, end] = parts;
    let fact = "- One way\n  <!-- id: one-way | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: active -->\n";
    format!(
        "# Continuity\n\n## Project State\n\n- **project:** x\n- **status:** calm\n{state}\n## Key Decisions\n\n{fact}{decisions}\n## Open Threads\n\n- [ ] nothing\n{end}"
    )
}

/// How often each line stands under each heading; blank lines do not count, nor line endings.
fn counted(source: &str) -> BTreeMap<(String, String), usize> {
    let mut section = String::new();
    let mut counts = BTreeMap::new();
    let mut in_fence = false;
    for line in source.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        in_fence ^= line.starts_with("```") || line.starts_with("~~~");
        if line.starts_with("## ") && !in_fence {
            line.clone_into(&mut section);
        }
        *counts.entry((section.clone(), line.to_owned())).or_default() += 1;
    }
    counts
}

fn converts() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.2)
}

fn ended(source: &str, windows: bool) -> String {
    text::with_line_ending(source, if windows { "\r\n" } else { "\n" })
}

proptest! {
    #![proptest_config(config())]

    /// Text that one side only added is there as often as that side has it, under its own heading.
    #[test]
    fn hand_written_lines_of_both_sides_stay_where_and_as_often_as_they_were(
        base in [hand_written(), hand_written(), hand_written()],
        ours in [hand_written(), hand_written(), hand_written()],
        theirs in [hand_written(), hand_written(), hand_written()],
        windows in [converts(), converts(), converts()],
    ) {
        let grown = |more: &[String; 3]| {
            [0, 1, 2].map(|at| format!("{}{}", base[at], more[at]))
        };
        let (x, y) = (by_hand(&grown(&ours)), by_hand(&grown(&theirs)));
        let before = ended(&by_hand(&base), windows[0]);
        let (x, y) = (ended(&x, windows[1]), ended(&y, windows[2]));
        let sides = Sides { base: &before, ours: &x, theirs: &y };
        let done = three_way(FileKind::Continuity, sides, &Elsewhere::default());
        let swapped = Sides { base: &before, ours: &y, theirs: &x };
        prop_assert_eq!(&three_way(FileKind::Continuity, swapped, &Elsewhere::default()), &done);
        let after = counted(&done.text);
        for side in [&x, &y] {
            for (at, count) in counted(side) {
                // Of two times that a review left the later holds.
                let is_stamp = at.1.starts_with("- **last_review:**");
                let found = after.get(&at).copied().unwrap_or(0);
                prop_assert!(
                    found >= if is_stamp { 1 } else { count },
                    "{:?}: {} of {}\n--- base\n{}--- ours\n{}--- theirs\n{}--- merged\n{}",
                    at, found, count, before, x, y, done.text
                );
            }
        }
        let endings = done.text.matches("\r\n").count();
        prop_assert!(endings == 0 || endings == done.text.matches('\n').count());
    }

    /// What both sides appended to a journal by hand is there as one piece each.
    #[test]
    fn notes_that_both_sides_appended_to_a_journal_stay_whole(
        base in hand_written(),
        ours in hand_written(),
        theirs in hand_written(),
        records in [0_usize..3, 0_usize..3],
        windows in [converts(), converts(), converts()],
    ) {
        let side = |more: &str, count: usize, number: usize| {
            let records: String = (0..count).map(|n| record(number + n, number + n)).collect();
            format!("# Journal\n\n{base}{}\n{more}{records}", record(1, 1))
        };
        let before = ended(&side("", 0, 0), windows[0]);
        let x = ended(&side(&ours, records[0], 100), windows[1]);
        let y = ended(&side(&theirs, records[1], 200), windows[2]);
        let sides = Sides { base: &before, ours: &x, theirs: &y };
        for kind in [FileKind::Journal, FileKind::Long] {
            let done = three_way(kind, sides, &Elsewhere::default());
            let swapped = Sides { base: &before, ours: &y, theirs: &x };
            prop_assert_eq!(&three_way(kind, swapped, &Elsewhere::default()), &done);
            let lines = |text: &str| -> Vec<String> {
                let lines = text.lines().map(|line| line.trim_end().to_owned());
                lines.filter(|line| !line.is_empty()).collect()
            };
            let all = lines(&done.text);
            for note in [lines(&ours), lines(&theirs)] {
                prop_assert!(
                    note.is_empty() || all.windows(note.len()).any(|part| part == note),
                    "{:?}\n--- base\n{}--- ours\n{}--- theirs\n{}--- merged\n{}",
                    note, before, x, y, done.text
                );
            }
        }
    }
}
