//! Two branches of a memory, whatever happened on them, are one memory that lost nothing.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use quipu_core::doc::{Document, Fact, Form};
use quipu_core::facts::{self, NewFact, NewWords, Outcome};
use quipu_core::lint;
use quipu_core::memory::{CONTINUITY, Changes, Memory, Snapshot};
use quipu_core::merge::{self, Elsewhere, FileKind, Question, Sides, three_way};
use quipu_core::review::{self, Selection};
use quipu_core::{refresh, text};
use quipu_testkit::generators::{IDS, odd_text, snapshot};
use quipu_testkit::repo::today;

/// What somebody does on a branch.
#[derive(Clone, Debug)]
enum Step {
    Add(u8, bool),
    Use(usize),
    Archive(usize),
    Close(usize),
    Supersede(usize, usize),
    Reword(usize, u8),
    Refresh,
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..IDS.len();
    prop_oneof![
        3 => (any::<u8>(), any::<bool>()).prop_map(|(n, thread)| Step::Add(n % 4, thread)),
        3 => which.clone().prop_map(Step::Use),
        2 => which.clone().prop_map(Step::Archive),
        2 => which.clone().prop_map(Step::Close),
        1 => (which.clone(), which.clone()).prop_map(|(old, new)| Step::Supersede(old, new)),
        3 => (which, any::<u8>()).prop_map(|(at, n)| Step::Reword(at, n % 3)),
        1 => Just(Step::Refresh),
    ]
}

fn outcome(memory: &Memory<'_>, step: &Step, branch: &str) -> Option<Outcome> {
    match step {
        Step::Add(n, is_thread) => {
            // Some of the texts are the same on both branches.
            let text = if *n == 0 {
                "The same on both".to_owned()
            } else {
                format!("Fact {n} of {branch}")
            };
            // Who finds it said already says it no second time.
            let is_it = |id: &str| id == if *is_thread { "ot-same-both" } else { "same-both" };
            if *n == 0 && memory.ids().into_iter().any(is_it) {
                return None;
            }
            let (section, id) = (None, None);
            let new = NewFact { text, section, id, is_thread: *is_thread, allow_secret: true };
            facts::add(memory, &new, today()).ok().map(|(_, outcome)| outcome)
        }
        Step::Archive(at) => facts::archive(memory, &[IDS[*at].to_owned()], today()).ok(),
        Step::Close(at) => facts::set_done(memory, IDS[*at], true).ok(),
        Step::Supersede(old, new) => {
            facts::supersede(memory, IDS[*old], Some(IDS[*new]), true).ok()
        }
        Step::Reword(at, n) => {
            let words = if *n == 0 {
                "Said the same way".to_owned()
            } else {
                format!("Said {n} by {branch}")
            };
            let new =
                NewWords { text: &words, instead_of: None, allow_secret: true, confirmed: true };
            facts::rewrite(memory, IDS[*at], &new).ok()
        }
        Step::Use(_) | Step::Refresh => None,
    }
}

fn refreshed(snapshot: &Snapshot) -> Snapshot {
    let memory = snapshot.parse().unwrap();
    let edits: Vec<text::Edit> =
        refresh::refresh(&memory).into_iter().flat_map(|change| change.edits).collect();
    let text = text::apply(memory.continuity.source, &edits).unwrap();
    snapshot.with(&Changes::from([(CONTINUITY.to_owned(), Some(text))]))
}

fn branch(base: &Snapshot, steps: &[Step], name: &str) -> Snapshot {
    let steps: Vec<(usize, Step)> = steps.iter().cloned().enumerate().collect();
    walk(base, &steps, name).0
}

/// Takes numbered steps; returns the folder, and those that were not refused.
fn walk(base: &Snapshot, steps: &[(usize, Step)], name: &str) -> (Snapshot, Vec<(usize, Step)>) {
    let (mut now, mut taken) = (base.clone(), Vec::new());
    for (number, step) in steps {
        let next = match step {
            Step::Refresh => Some(refreshed(&now)),
            Step::Use(at) => {
                let day = 20 + number;
                let minute = if name == "ours" { 10 } else { 20 };
                let path = format!("memory/sessions/2026-05-{day:02}-10{minute}00.md");
                let log =
                    format!("# Session\n\n## Memory References\n\n- Referenced: {}\n", IDS[*at]);
                Some(now.with(&Changes::from([(path, Some(log))])))
            }
            _ => now.parse().ok().and_then(|memory| {
                let changes = outcome(&memory, step, name)?.changes;
                let next = now.with(&changes);
                // The engine refuses what would do harm; so does this.
                review::check(&memory, &next).ok().map(|()| next)
            }),
        };
        if let Some(next) = next {
            now = next;
            taken.push((*number, step.clone()));
        }
    }
    (now, taken)
}

/// Merges two folders as git does: a file that one side left alone is the other's.
fn merged(base: &Snapshot, ours: &Snapshot, theirs: &Snapshot) -> Snapshot {
    merged_asking(base, ours, theirs).0
}

/// The same, with the questions that it raises.
fn merged_asking(base: &Snapshot, ours: &Snapshot, theirs: &Snapshot) -> (Snapshot, Vec<Question>) {
    let mut questions = Vec::new();
    let paths: BTreeSet<&String> = ours.files.keys().chain(theirs.files.keys()).collect();
    let mut result = Snapshot::default();
    for path in paths {
        let (old, x, y) = (base.get(path), ours.get(path), theirs.get(path));
        let text = match (x, y) {
            _ if x == y || y == old => x.map(str::to_owned),
            _ if x == old => y.map(str::to_owned),
            (Some(x), Some(y)) => {
                let kind = FileKind::of(path).unwrap_or_else(|| panic!("{path} has no rule"));
                let sides = Sides { base: old.unwrap_or_default(), ours: x, theirs: y };
                let mut elsewhere = Elsewhere::default();
                for side in [ours, theirs] {
                    add_others(&mut elsewhere, side, path);
                }
                let done = three_way(kind, sides, &elsewhere);
                questions.extend(done.questions);
                Some(done.text)
            }
            _ => panic!("{path} was removed and changed"),
        };
        result.files.extend(text.map(|text| (path.clone(), text.into())));
    }
    (result, questions)
}

fn add_others(elsewhere: &mut Elsewhere, side: &Snapshot, path: &str) {
    for (other, text) in &side.files {
        if other != path && !other.starts_with("memory/sessions/") {
            elsewhere.add(text);
        }
    }
}

/// The words of every fact, by id.
fn words(snapshot: &Snapshot) -> BTreeMap<String, BTreeSet<String>> {
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in &snapshot.files {
        if path.starts_with("memory/sessions/") {
            continue;
        }
        let document = Document::parse(source);
        for fact in document.facts.iter().filter(|fact| fact.form != Form::Quoted) {
            let said = document.words(fact).replace('\r', "");
            words.entry(fact.id().to_owned()).or_default().insert(said);
        }
    }
    words
}

fn all_lines(words: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let all = words.values().flatten().flat_map(|said| said.lines());
    all.map(|line| line.trim().to_owned()).collect()
}

/// What a review says about one fact: where it is, what its footer says, its box and its words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Standing {
    file: String,
    fields: BTreeMap<String, String>,
    form: String,
    words: String,
}

/// A folder after its review.
#[derive(Debug, PartialEq, Eq)]
struct Reviewed {
    standings: BTreeMap<String, BTreeSet<Standing>>,
    steps: BTreeSet<(String, String)>,
    held: BTreeSet<(String, String)>,
    core_proposals: BTreeSet<String>,
    triggers: Vec<String>,
    sessions: String,
    through: Option<String>,
}

/// The same without the numbers that stop where a fact leaves: when it was counted last decides them.
fn uncounted(standings: Option<&BTreeSet<Standing>>) -> BTreeSet<Standing> {
    let mut all = BTreeSet::new();
    for mut standing in standings.into_iter().flatten().cloned() {
        standing.fields.retain(|key, _| !["last_used", "uses", "origin"].contains(&&**key));
        all.insert(standing);
    }
    all
}

fn reviewed(folder: &Snapshot) -> Option<Reviewed> {
    let memory = folder.parse().ok()?;
    let plan = review::plan(&memory, today(), &Selection::default(), &BTreeSet::new()).ok()?;
    let after = folder.with(&plan.changes);
    let mut standings: BTreeMap<String, BTreeSet<Standing>> = BTreeMap::new();
    for (path, source) in &after.files {
        if path.starts_with("memory/sessions/") {
            continue;
        }
        let document = Document::parse(source);
        for fact in document.facts.iter().filter(|fact| fact.form != Form::Quoted) {
            let fields = fact.footer.fields.iter();
            // Of a key that stands twice the last one counts.
            let fields = fields.map(|field| (field.key.clone(), field.value.clone())).collect();
            let standing = Standing {
                file: path.clone(),
                fields,
                form: format!("{:?}", fact.form),
                words: text::collapse_whitespace(&document.words(fact)),
            };
            standings.entry(fact.id().to_owned()).or_default().insert(standing);
        }
    }
    let step = |item: &review::Item| (item.action.as_str().to_owned(), item.id.clone());
    Some(Reviewed {
        standings,
        // How many numbers are stale depends on who counted last; what they become does not.
        steps: plan.items.iter().map(step).filter(|(what, _)| what != "refresh").collect(),
        held: plan.held.iter().map(|held| (held.id.clone(), held.why.clone())).collect(),
        core_proposals: plan.core_proposals.iter().map(|held| held.id.clone()).collect(),
        triggers: plan.triggers,
        sessions: format!("{:?}", plan.window.sessions),
        through: plan.through,
    })
}

fn errors(snapshot: &Snapshot) -> BTreeSet<(&'static str, String)> {
    let memory = snapshot.parse().unwrap();
    lint::errors(&memory).into_iter().map(|finding| (finding.code, finding.subject)).collect()
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    ProptestConfig { cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_merge_loses_no_id_no_words_and_no_event(
        base in snapshot(),
        ours in vec(step(), 0..6),
        theirs in vec(step(), 0..6),
    ) {
        let (ours, theirs) = (branch(&base, &ours, "ours"), branch(&base, &theirs, "theirs"));
        let done = merged(&base, &ours, &theirs);
        prop_assert_eq!(&merged(&base, &theirs, &ours), &done, "the order of merging matters");

        let (before, x, y, after) = (words(&base), words(&ours), words(&theirs), words(&done));
        let lines = all_lines(&after);
        for side in [&x, &y] {
            for (id, said) in side {
                prop_assert!(after.contains_key(id), "{} is lost", id);
                for text in said.iter().filter(|text| !before.get(id).is_some_and(|old| old.contains(*text))) {
                    for line in text.lines() {
                        prop_assert!(lines.contains(line.trim()), "{:?} of {} is lost", line, id);
                    }
                }
            }
        }
        for (path, text) in ours.files.iter().chain(&theirs.files) {
            if path.starts_with("memory/sessions/") {
                prop_assert_eq!(done.get(path), Some(text.as_ref()));
            }
        }
        for (path, text) in &done.files {
            prop_assert!(!text.contains("<<<<<<<") && !text.contains(">>>>>>>"), "{}", path);
        }
        let known: BTreeSet<_> = errors(&base).into_iter().chain(errors(&ours)).chain(errors(&theirs)).collect();
        let new: Vec<_> = errors(&done).into_iter().filter(|error| !known.contains(error)).collect();
        prop_assert!(
            new.iter().all(|(code, _)| *code == "over-archived"),
            "{:?}\n{}", new, done.get(CONTINUITY).unwrap_or_default()
        );
    }

    /// The union of two ledgers is what one person would have done who did both, one after the
    /// other. Where the order makes no difference, the review after the merge is that of the union;
    /// where it does, the merge keeps what either order says, or asks.
    #[test]
    fn a_review_after_a_merge_is_the_review_of_both_ledgers(
        base in snapshot(),
        ours in vec(step(), 0..6),
        theirs in vec(step(), 0..6),
    ) {
        let numbered = |steps: Vec<Step>| steps.into_iter().enumerate().collect::<Vec<_>>();
        let (x, ours) = walk(&base, &numbered(ours), "ours");
        let (y, theirs) = walk(&base, &numbered(theirs), "theirs");
        let one = reviewed(&walk(&x, &theirs, "theirs").0);
        let other = reviewed(&walk(&y, &ours, "ours").0);
        let (Some(one), Some(other)) = (one, other) else {
            return Err(TestCaseError::reject("an odd folder"));
        };
        let (done, asked) = merged_asking(&base, &x, &y);
        let Some(merged) = reviewed(&done) else {
            return Err(TestCaseError::fail("the merged folder cannot be reviewed"));
        };
        let all: BTreeSet<&String> = one.standings.keys().chain(other.standings.keys()).collect();
        // Who came last overwrote what the other said: the union of both has both.
        let (before, said) = (words(&base), [words(&x), words(&y)]);
        let is_overwritten = |id: &String| {
            let kept: Vec<&str> = one.standings[id].iter().map(|fact| fact.words.as_str()).collect();
            let mut new = said.iter().filter_map(|side| side.get(id)).flatten();
            new.any(|text| {
                let is_new = !before.get(id).is_some_and(|old| old.contains(text));
                is_new && !kept.contains(&text::collapse_whitespace(text).as_str())
            })
        };
        let (same, disputed): (Vec<&String>, Vec<&String>) = all.into_iter().partition(|id| {
            one.standings.get(*id) == other.standings.get(*id) && !is_overwritten(id)
        });
        // To the original an indented item and a paragraph belong to the box above them, and the merge
        // may have put a thread there.
        let after = Document::parse(done.get(CONTINUITY).unwrap_or_default());
        let is_below = |id: &str| {
            let is_loose = |fact: &Fact| {
                let is_indented = after.source[fact.block.clone()].starts_with([' ', '\t']);
                fact.form == Form::Paragraph || is_indented
            };
            after.facts.iter().any(|fact| fact.id() == id && is_loose(fact))
        };
        // The review's own thread lists the others.
        let is_list = |id: &str| id.starts_with("ot-reverify-invariants-");
        for id in same.into_iter().filter(|id| disputed.is_empty() || !is_list(id)) {
            let found = merged.standings.get(id);
            if disputed.is_empty() || !is_below(id) {
                prop_assert_eq!(found, one.standings.get(id), "{} {:?}\n{}", id, merged.held, done.get(CONTINUITY).unwrap_or_default());
            }
        }
        for id in disputed.iter().filter(|id| !is_list(id) && !is_below(id)) {
            let found = merged.standings.get(*id);
            let is_asked = asked.iter().any(|question| question.text.contains(&format!("`{id}`")));
            prop_assert!(
                is_asked || [&one, &other].iter().any(|way| uncounted(way.standings.get(*id)) == uncounted(found)),
                "{}: {:?}\nnot {:?}\nnor {:?}", id, found, one.standings.get(*id), other.standings.get(*id)
            );
        }
        // What was filed before the review need not be filed by it: only equal ways are compared.
        if disputed.is_empty() && one == other {
            prop_assert_eq!(&merged, &one);
        }
    }

    #[test]
    fn a_side_that_changed_nothing_costs_the_other_no_byte(base in odd_text(), other in odd_text()) {
        let none = Elsewhere::default();
        for kind in [FileKind::Continuity, FileKind::Quarter, FileKind::Index, FileKind::Journal, FileKind::Long] {
            for sides in [
                Sides { base: &base, ours: &base, theirs: &other },
                Sides { base: &base, ours: &other, theirs: &base },
                Sides { base: &base, ours: &other, theirs: &other },
            ] {
                prop_assert_eq!(&three_way(kind, sides, &none).text, &other);
            }
        }
    }

    #[test]
    fn odd_texts_merge_without_losing_a_fact(base in odd_text(), ours in odd_text(), theirs in odd_text()) {
        let none = Elsewhere::default();
        for kind in [FileKind::Continuity, FileKind::Quarter, FileKind::Index, FileKind::Journal, FileKind::Long, FileKind::SessionLog] {
            let sides = Sides { base: &base, ours: &ours, theirs: &theirs };
            let done = three_way(kind, sides, &none);
            let swapped = Sides { base: &base, ours: &theirs, theirs: &ours };
            prop_assert_eq!(&three_way(kind, swapped, &none), &done);
            if kind == FileKind::Continuity {
                let (old, after) = (merge::ids(&base), merge::ids(&done.text));
                for id in merge::ids(&ours).iter().chain(&merge::ids(&theirs)) {
                    prop_assert!(after.contains(id) || old.contains(id), "{} is lost in {:?}", id, done.text);
                }
            }
        }
    }
}

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
