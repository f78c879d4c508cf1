//! What holds for every memory folder, however odd.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use quipu_core::doc::{Document, Form};
use quipu_core::facts::{self, NewFact, NewWords, Outcome};
use quipu_core::ledger::Ledger;
use quipu_core::lint;
use quipu_core::memory::{CONTINUITY, Changes, Memory, Snapshot};
use quipu_core::policy::Policy;
use quipu_core::review::{self, ReviewError, ReviewPlan, Selection};
use quipu_core::secret::{self, Scope};
use quipu_core::{refresh, text};
use quipu_engine::facts::Choice;
use quipu_engine::{brief, journal, recall, undo, upkeep};
use quipu_testkit::TestRepo;
use quipu_testkit::generators::{IDS, odd_text, snapshot};
use quipu_testkit::memories::{asked, told};
use quipu_testkit::repo::{now, request, today};

fn config() -> ProptestConfig {
    let regressions = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000),
        failure_persistence: Some(Box::new(regressions)),
        ..ProptestConfig::default()
    }
}

fn refreshed(snapshot: &Snapshot) -> Snapshot {
    let memory = snapshot.parse().unwrap();
    let edits: Vec<text::Edit> =
        refresh::refresh(&memory).into_iter().flat_map(|change| change.edits).collect();
    let text = text::apply(memory.continuity.source, &edits).unwrap();
    snapshot.with(&Changes::from([(CONTINUITY.to_owned(), Some(text))]))
}

/// The ledger's first `sessions` logs, with everything else as it is.
fn prefix(snapshot: &Snapshot, sessions: usize) -> Snapshot {
    let mut files = snapshot.files.clone();
    let logs: Vec<String> =
        files.keys().filter(|path| path.starts_with("memory/sessions/")).cloned().collect();
    for path in logs.into_iter().skip(sessions) {
        files.remove(&path);
    }
    Snapshot { files }
}

/// Ids with their words, wherever they stand.
fn facts_of(memory: &Memory<'_>) -> BTreeSet<(String, String)> {
    let documents =
        std::iter::once(&memory.continuity).chain(memory.archive.iter().map(|file| &file.document));
    documents
        .flat_map(|document| {
            let fact = |fact: &quipu_core::doc::Fact| {
                (fact.id().to_owned(), document.words(fact).replace('\r', ""))
            };
            document.facts.iter().map(fact).collect::<Vec<_>>()
        })
        .collect()
}

/// Plans a review while no session is open.
fn plan(memory: &Memory<'_>, selection: &Selection) -> Result<ReviewPlan, ReviewError> {
    review::plan(memory, today(), selection, &BTreeSet::new())
}

/// An operation on a fact, chosen by number.
fn operate(memory: &Memory<'_>, which: u8, id: &str, other: &str) -> Option<Outcome> {
    let ids = [id.to_owned()];
    let new = |is_thread| NewFact {
        text: "Logs are JSON\nand go to stdout".to_owned(),
        section: None,
        id: None,
        is_thread,
        allow_secret: false,
    };
    match which % 10 {
        0 => facts::add(memory, &new(false), today()).ok().map(|(_, outcome)| outcome),
        1 => facts::add(memory, &new(true), today()).ok().map(|(_, outcome)| outcome),
        2 => facts::supersede(memory, id, Some(other), true).ok(),
        3 => facts::make_core(memory, id).ok(),
        4 => facts::set_tier(memory, id, Some(quipu_core::fact::Tier::Active)).ok(),
        5 => facts::set_tier(memory, id, None).ok(),
        6 => facts::archive(memory, &ids, today()).ok(),
        7 => facts::reactivate(memory, &ids, today()).ok(),
        8 => facts::set_done(memory, id, true).ok(),
        _ => {
            let text = "New words\nof two lines";
            let words = NewWords { text, instead_of: None, allow_secret: false, confirmed: true };
            facts::rewrite(memory, id, &words).ok()
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn parse_and_print_is_the_identity(source in odd_text()) {
        let document = Document::parse(&source);
        prop_assert_eq!(text::apply(&source, &[]).unwrap(), source.clone());
        let joined: String = text::lines(&source).map(|line| &source[line.start..line.end]).collect();
        prop_assert_eq!(&joined, &source);
        for fact in &document.facts {
            // Slicing panics where a span is not on a character.
            prop_assert!(source[fact.footer.span.clone()].starts_with("<!--"));
            let _ = (&source[fact.block.clone()], document.words(fact), document.title(fact, 20));
            for field in &fact.footer.fields {
                prop_assert_eq!(&source[field.span.clone()], &field.value);
            }
        }
    }

    #[test]
    fn no_text_makes_the_readers_panic(source in odd_text()) {
        let _ = Policy::parse(&source);
        let _ = Ledger::parse([("2026-06-01-000000.md", source.as_str())]);
        for hit in secret::scan(&source, Scope::Memory) {
            let _ = &source[hit.span];
        }
        let mut snapshot = Snapshot::default();
        snapshot.files.insert(CONTINUITY.to_owned(), source.as_str().into());
        snapshot.files.insert("memory/sessions/2026-06-01-000000.md".to_owned(), source.as_str().into());
        snapshot.files.insert("memory/archive/2026-Q1.md".to_owned(), source.as_str().into());
        snapshot.files.insert("memory/archive/INDEX.md".to_owned(), source.as_str().into());
        let memory = snapshot.parse().unwrap();
        let _ = lint::structure(&memory);
        // A folder like this may have nothing to plan from, but there is an answer.
        let _ = plan(&memory, &Selection::default());
    }

    #[test]
    fn a_plan_with_no_edits_changes_nothing(snapshot in snapshot()) {
        let memory = snapshot.parse().unwrap();
        let nothing = Selection { only: vec!["no-such-step".to_owned()], except: Vec::new() };
        prop_assert!(plan(&memory, &nothing).unwrap().is_empty());
    }

    #[test]
    fn a_review_applied_twice_is_a_review_applied_once(snapshot in snapshot()) {
        let planned = plan(&snapshot.parse().unwrap(), &Selection::default()).unwrap();
        let once = snapshot.with(&planned.changes);
        let again = plan(&once.parse().unwrap(), &Selection::default()).unwrap();
        prop_assert!(again.is_empty(), "{:?}", again.items);
    }

    #[test]
    fn an_incremental_rebuild_is_a_full_rebuild(snapshot in snapshot(), cut in 0..14_usize) {
        let early = refreshed(&prefix(&snapshot, cut));
        let mut later = snapshot.clone();
        later.files.insert(CONTINUITY.to_owned(), early.files[CONTINUITY].clone());
        prop_assert_eq!(refreshed(&later), refreshed(&snapshot));
    }

    #[test]
    fn the_order_of_a_listing_changes_nothing(snapshot in snapshot(), turn in 0..14_usize) {
        let mut files: Vec<(&str, &str)> = snapshot.inside("memory/sessions/").collect();
        let straight = Ledger::parse(files.clone());
        let turn = turn.min(files.len());
        files.rotate_left(turn);
        files.reverse();
        let shuffled = Ledger::parse(files);
        for id in IDS {
            prop_assert_eq!(straight.usage(id), shuffled.usage(id));
            prop_assert_eq!(straight.origin(id), shuffled.origin(id));
        }
    }

    #[test]
    fn no_review_loses_a_fact_or_moves_what_never_decays(snapshot in snapshot()) {
        let memory = snapshot.parse().unwrap();
        let planned = plan(&memory, &Selection::default()).unwrap();
        let after = snapshot.with(&planned.changes);
        let after = after.parse().unwrap();
        for (id, words) in facts_of(&memory) {
            let kept = facts_of(&after).contains(&(id.clone(), words));
            prop_assert!(kept, "{} was lost or changed", id);
        }
        for fact in memory.continuity.facts.iter().filter(|fact| fact.form != Form::Quoted) {
            let protected = fact.footer.is_core()
                || memory.continuity.is_pinned(fact)
                || (memory.continuity.is_invariant(fact) && !fact.footer.is_superseded());
            if protected {
                prop_assert!(after.continuity.fact(fact.id()).is_some(), "{} moved", fact.id());
            }
        }
    }

    #[test]
    fn no_operation_loses_an_id(
        snapshot in snapshot(),
        steps in proptest::collection::vec((any::<u8>(), 0..IDS.len(), 0..IDS.len()), 1..6),
    ) {
        let before: BTreeSet<String> =
            snapshot.parse().unwrap().ids().into_iter().map(str::to_owned).collect();
        let mut current = snapshot;
        for (which, id, other) in steps {
            let outcome = operate(&current.parse().unwrap(), which, IDS[id], IDS[other]);
            current = current.with(&outcome.unwrap_or_default().changes);
        }
        let memory = current.parse().unwrap();
        for id in before {
            prop_assert!(memory.knows(&id), "{} is gone", id);
        }
    }

    #[test]
    fn archive_then_reactivate_gives_the_same_facts_back(snapshot in snapshot()) {
        let memory = snapshot.parse().unwrap();
        let movable: Vec<String> = (memory.continuity.distinct_facts().into_iter())
            .filter(|fact| fact.form != Form::Quoted && !fact.footer.is_superseded())
            .map(|fact| fact.id().to_owned())
            .filter(|id| facts::archive(&memory, std::slice::from_ref(id), today()).is_ok())
            .collect();
        let Ok(gone) = facts::archive(&memory, &movable, today()) else { return Ok(()) };
        let archived = snapshot.with(&gone.changes);
        let archived = archived.parse().unwrap();
        for id in &movable {
            prop_assert!(archived.continuity.fact(id).is_none() && archived.archived_fact(id).is_some());
        }
        let back = facts::reactivate(&archived, &movable, today()).unwrap();
        let returned = archived.snapshot.with(&back.changes);
        let returned = returned.parse().unwrap();
        prop_assert_eq!(facts_of(&memory), facts_of(&returned));
        for id in &movable {
            prop_assert!(returned.continuity.fact(id).is_some(), "{} did not come back", id);
        }
    }

    #[test]
    fn what_an_operation_does_not_own_stays_byte_for_byte(
        snapshot in snapshot(), which in any::<u8>(), id in 0..IDS.len(), other in 0..IDS.len(),
    ) {
        let memory = snapshot.parse().unwrap();
        let Some(outcome) = operate(&memory, which, IDS[id], IDS[other]) else { return Ok(()) };
        let after = snapshot.with(&outcome.changes);
        let after = after.parse().unwrap();
        let touched = [IDS[id], IDS[other]];
        for fact in memory.continuity.facts.iter().filter(|fact| {
            fact.form != Form::Quoted && !touched.contains(&fact.id())
        }) {
            let block = &memory.continuity.source[fact.footer.span.clone()];
            let kept = after.continuity.source.contains(block)
                || after.archive.iter().any(|file| file.document.source.contains(block));
            prop_assert!(kept, "the footer of {} changed", fact.id());
        }
        let everything: String = std::iter::once(after.continuity.source)
            .chain(after.archive.iter().map(|file| file.document.source))
            .collect();
        let touched_blocks: String = (memory.continuity.facts.iter())
            .filter(|fact| touched.contains(&fact.id()))
            .map(|fact| &memory.continuity.source[fact.block.clone()])
            .collect();
        for line in text::lines(memory.continuity.source).filter(|line| !line.is_blank()) {
            let kept = everything.contains(line.text.trim()) || touched_blocks.contains(line.text.trim());
            prop_assert!(kept, "the line {:?} is gone", line.text);
        }
        let crlf = |text: &str| text.matches("\r\n").count() == text.matches('\n').count();
        prop_assert_eq!(crlf(memory.continuity.source), crlf(after.continuity.source));
    }

    #[test]
    fn undo_gives_the_same_bytes_back(snapshot in snapshot(), which in 0..6_u8, id in 0..IDS.len()) {
        let repo = TestRepo::with(&snapshot);
        let workspace = repo.workspace();
        let before = repo.files();
        let ids = [IDS[id].to_owned()];
        let new = NewFact {
            text: "Logs are JSON and go to stdout".to_owned(),
            section: Some("New Section".to_owned()),
            id: None,
            is_thread: false,
            allow_secret: false,
        };
        let request = request("test");
        let diff = match which {
            0 => quipu_engine::facts::review(&workspace, &Selection::default(), &request).map(|(_, diff)| diff),
            1 => quipu_engine::facts::refresh(&workspace, &request).map(|(_, diff)| diff),
            2 => quipu_engine::facts::archive(&workspace, &ids, &request),
            3 => quipu_engine::facts::supersede(&workspace, IDS[id], None, true, &request),
            4 => quipu_engine::facts::add_fact(&workspace, &new, &Choice { agree: true, confirm_core: true, ..Choice::default() }, &request).map(|(_, diff)| diff),
            _ => quipu_engine::facts::reactivate(&workspace, &["archived-one".to_owned()], &request),
        };
        match diff {
            Ok(diff) if !diff.is_empty() => {
                prop_assert_ne!(&repo.files(), &before);
                undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap();
            }
            _ => {}
        }
        prop_assert_eq!(repo.files(), before);
    }
}

mod memories {
    //! Whatever is done, a replay of the files gives the same index.

    use proptest::prelude::*;
    use quipu_core::item::{Decision, Status};
    use quipu_engine::recall::Question;
    use quipu_engine::remember::NewMemory;
    use quipu_testkit::TestRepo;
    use quipu_testkit::repo::{now, request};

    #[derive(Clone, Debug)]
    enum Act {
        Remember(String, bool),
        Supersede(usize, String),
        Status(usize, usize),
        Edit(usize, String),
        Tag(usize, String),
        Note(usize, String),
        WriteFact(String),
        DropIndex,
        Tear,
    }

    fn act() -> impl Strategy<Value = Act> {
        let words = "[a-zäß ]{3,12} [A-Z][a-z]{2,8}[.?]";
        prop_oneof![
            6 => (words, any::<bool>()).prop_map(|(text, turn)| Act::Remember(text, turn)),
            1 => (any::<usize>(), words).prop_map(|(at, text)| Act::Supersede(at, text)),
            2 => (any::<usize>(), any::<usize>()).prop_map(|(at, to)| Act::Status(at, to)),
            2 => (any::<usize>(), words).prop_map(|(at, text)| Act::Edit(at, text)),
            2 => (any::<usize>(), "[a-z]{1,4}").prop_map(|(at, tag)| Act::Tag(at, tag)),
            1 => (any::<usize>(), words).prop_map(|(at, note)| Act::Note(at, note)),
            1 => words.prop_map(Act::WriteFact),
            1 => Just(Act::DropIndex),
            1 => Just(Act::Tear),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rule_1_a_replay_gives_the_same_at_every_step(acts in prop::collection::vec(act(), 1..10)) {
            let repo = TestRepo::new();
            let workspace = repo.workspace();
            let mut ids: Vec<String> = Vec::new();
            for act in acts {
                let pick = |at: usize| ids.get(at % ids.len().max(1)).cloned();
                let decide = |at: usize, decision: Decision| {
                    // What is refused changes nothing, which the replay shows.
                    pick(at).map(|id| quipu_engine::decide::decide(&workspace, &id, decision, "", &request("decide")).is_ok())
                };
                match act {
                    Act::Remember(text, turn) => {
                        let speaker = turn.then(|| "Ann".to_owned());
                        let new = NewMemory { text, speaker, ..NewMemory::default() };
                        ids.extend(quipu_engine::remember::remember(&workspace, &[new], &request("remember")).unwrap().ids);
                    }
                    Act::Supersede(at, text) => {
                        let new = NewMemory { text, supersedes: pick(at), ..NewMemory::default() };
                        if let Ok(done) = quipu_engine::remember::remember(&workspace, &[new], &request("remember")) {
                            ids.extend(done.ids);
                        }
                    }
                    Act::Status(at, to) => {
                        let to = Status::ALL[to % Status::ALL.len()];
                        decide(at, Decision::Status { from: Status::Active, to });
                    }
                    Act::Edit(at, text) => {
                        decide(at, Decision::Edit { text });
                    }
                    Act::Tag(at, tag) => {
                        decide(at, Decision::Tag { add: vec![tag], remove: vec![] });
                    }
                    Act::Note(at, note) => {
                        decide(at, Decision::Annotate { note });
                    }
                    Act::WriteFact(words) => {
                        let text = format!("# C\n\n## Key Decisions\n\n- {words}\n  <!-- id: the-fact | created: 2026-01-01 | tier: active -->\n");
                        repo.write("memory/continuity.md", &text);
                        ids.push("the-fact".to_owned());
                        quipu_engine::index::index(&workspace, &mut |_, _| {}).unwrap();
                    }
                    Act::DropIndex => {
                        let _ = std::fs::remove_file(quipu_testkit::state_of(repo.root(), "quipu.db"));
                    }
                    Act::Tear => {
                        let path = "memory/2026-06-20.md";
                        if repo.root().join(path).exists() {
                            let text = repo.read(path);
                            repo.write(path, &format!("{text}- {{\"id\":\"half"));
                        }
                    }
                }
                let replayed = quipu_engine::replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
                prop_assert!(replayed.equal, "{:?}", replayed.differences);
                let question = Question { query: "anything at all".to_owned(), ..Question::default() };
                quipu_engine::recall::recall(&workspace, &question, now()).unwrap();
            }
        }
    }
}

/// A window in which anything may stand between the records.
fn window() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        odd_text(),
        (0_u32..40, 0_i64..60, 0_usize..5, any::<bool>()).prop_map(
            |(id, days, category, pinned)| {
                let category =
                    ["note", "turn-summary", "learned", "heartbeat", "compaction"][category];
                let text = format!(
                    "We decided matter {id}. It was # odd\n## and long {}",
                    "x ".repeat(id as usize)
                );
                let mut record =
                    quipu_testkit::journal::record(&format!("r{id}-{days}"), category, &text, days);
                record.pinned = pinned;
                if id % 7 == 0 {
                    record.provenance.sensitivity = quipu_core::item::Sensitivity::Secret;
                }
                record.line()
            }
        ),
    ];
    proptest::collection::vec(line, 0..24).prop_map(|lines| lines.concat())
}

fn own_lines(source: &str) -> Vec<&str> {
    let lines = source.split_inclusive('\n');
    lines.filter(|line| quipu_core::journal::Record::parse(line).is_none()).collect()
}

fn records_of(source: &str) -> BTreeSet<String> {
    quipu_core::journal::records(source).map(|(_, record)| record.id).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn trimming_takes_records_and_nothing_else(source in window(), most in 0_usize..12, chars in 0_usize..3000) {
        use quipu_core::journal::window::{Limits, trim};
        for limits in [
            Limits { records: Some(most), ..Limits::default() },
            Limits { chars: Some(chars), ..Limits::default() },
        ] {
            let trimmed = trim(&source, &limits, &|record| record.pinned);
            prop_assert_eq!(own_lines(&trimmed.text), own_lines(&source));
            let mut all = records_of(&trimmed.text);
            all.extend(trimmed.dropped.iter().map(|entry| entry.record.id.clone()));
            prop_assert_eq!(all, records_of(&source));
            let again = trim(&trimmed.text, &limits, &|record| record.pinned);
            prop_assert!(again.dropped.is_empty(), "a second time changes something");
        }
    }

    #[test]
    fn a_compaction_names_what_it_merges_and_keeps_the_rest(source in window(), days in 0_u32..70) {
        use quipu_core::journal::compaction::{self, Rules, State};
        let ids = (0..16).map(|n| format!("new-{n}")).collect();
        let rules = Rules { form: quipu_core::journal::Form::Json, now: now(), zone: jiff::tz::TimeZone::UTC, min_age_days: days, longest_summary: 8000, ids };
        let state = |record: &quipu_core::journal::Record| State {
            text: Some(record.text.clone()),
            pinned: record.pinned,
            label: None,
        };
        if let Some(plan) = compaction::plan(&source, &rules, &state) {
            prop_assert_eq!(compaction::check(&source, &plan, &rules), Ok(()));
            prop_assert_eq!(own_lines(&plan.text), own_lines(&source));
            let mut all = records_of(&plan.text);
            all.extend(plan.records.iter().flat_map(|record| record.merged.clone().unwrap().ids));
            prop_assert!(all.is_superset(&records_of(&source)));
            let long = quipu_core::journal::long::extend("", today(), &plan.summary, 16_000);
            prop_assert!(plan.summary.is_empty() || quipu_core::journal::long::blocks(&long.text).len() == 1);
        }
    }
}

/// Something that changes what a question finds.
#[derive(Clone, Debug)]
enum Change {
    Remember(usize),
    RememberElsewhere(usize),
    EditByHand(usize),
    Forget,
    Trim,
    Compact,
    Wait,
    Nothing,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0_usize..8).prop_map(Change::Remember),
        (0_usize..8).prop_map(Change::RememberElsewhere),
        (0_usize..8).prop_map(Change::EditByHand),
        Just(Change::Forget),
        Just(Change::Trim),
        Just(Change::Compact),
        Just(Change::Wait),
        Just(Change::Nothing),
    ]
}

const THINGS: [&str; 8] =
    ["kettle", "garden", "engine", "window", "bridge", "pillow", "candle", "basket"];

/// Gives every file that changed a time of its own, so that no two states look alike and none is
/// taken for one that is still being written.
fn settle(
    repo: &TestRepo,
    known: &mut std::collections::BTreeMap<String, Vec<u8>>,
    tick: &mut u64,
) {
    let files = repo.files();
    for (path, bytes) in &files {
        if known.get(path) != Some(bytes) {
            *tick += 1;
            let time = std::time::SystemTime::UNIX_EPOCH
                + std::time::Duration::from_secs(1_000_000_000 + *tick);
            let file = std::fs::File::options().write(true).open(repo.root().join(path)).unwrap();
            file.set_modified(time).unwrap();
        }
    }
    *known = files;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: config().cases / 12, ..config() })]

    #[test]
    fn a_cached_answer_is_never_stale(changes in proptest::collection::vec(change(), 1..8)) {
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        let (mut known, mut tick) = (std::collections::BTreeMap::new(), 0);
        let mut time = now();
        let mut last = None;
        for change in changes {
            let at = quipu_engine::operation::Request { now: time, ..request("test") };
            let new = |thing: usize| told(&format!("the {} stands in the yard", THINGS[thing]));
            match change {
                Change::Remember(thing) => {
                    last = quipu_engine::remember::remember(&workspace, &[new(thing)], &at).unwrap().ids.pop();
                }
                Change::RememberElsewhere(thing) => {
                    last = quipu_engine::remember::remember(&repo.workspace(), &[new(thing)], &at).unwrap().ids.pop();
                }
                Change::EditByHand(thing) => {
                    for (path, bytes) in repo.files() {
                        let text = String::from_utf8(bytes).unwrap();
                        // Six letters for six: the size stays.
                        repo.write(&path, &text.replace(THINGS[thing], "saddle"));
                    }
                }
                Change::Forget => {
                    use quipu_core::item::{Decision, Status};
                    let gone = Decision::Status { from: Status::Active, to: Status::Archived };
                    if let Some(id) = last.take() {
                        quipu_engine::decide::decide(&repo.workspace(), &id, gone, "", &at).unwrap();
                    }
                }
                Change::Trim => {
                    let limits = quipu_core::journal::window::Limits { records: Some(2), ..Default::default() };
                    journal::trim(&repo.workspace(), &limits, quipu_testkit::repo::now(), false).unwrap();
                }
                Change::Compact => {
                    let asked = quipu_testkit::journal::compaction();
                    let asked = quipu_engine::compaction::CompactRequest { now: time, ..asked };
                    upkeep::compact(&repo.workspace(), &asked).unwrap();
                }
                Change::Wait => time = time.checked_add(jiff::SignedDuration::from_hours(80)).unwrap(),
                Change::Nothing => {}
            }
            settle(&repo, &mut known, &mut tick);
            for query in ["kettle or garden", "saddle yard"] {
                let fresh = quipu_engine::recall::recall(&repo.workspace(), &asked(query), time).unwrap();
                for _ in 0..2 {
                    let cached = quipu_engine::recall::recall(&workspace, &asked(query), time).unwrap();
                    prop_assert_eq!(
                        serde_json::to_value(&cached.results).unwrap(),
                        serde_json::to_value(&fresh.results).unwrap()
                    );
                }
            }
            let brief = quipu_engine::brief::BriefRequest {
                now: time,
                cap: None,
                tokens: None,
                hint: Some("kettle".to_owned()),
                channel: quipu_engine::caller::Channel::Main,
            };
            let fresh = brief::brief(&repo.workspace(), &brief).unwrap().text;
            prop_assert_eq!(&brief::brief(&workspace, &brief).unwrap().text, &fresh);
            prop_assert_eq!(&brief::brief(&workspace, &brief).unwrap().text, &fresh);
        }
        prop_assert!(recall::recall_cache(&workspace).hits > 0, "the cache is never used");
        prop_assert!(brief::brief_cache(&workspace).hits > 0, "the cache is never used");
    }
}
