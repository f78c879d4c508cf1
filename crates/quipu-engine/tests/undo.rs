//! One change log, one undo: what an operation wrote is taken back, and brought back.

use std::collections::BTreeMap;

use proptest::prelude::*;
use quipu_core::facts::NewFact;
use quipu_core::item::{Decision, Status};
use quipu_core::journal;
use quipu_engine::caller::Caller;
use quipu_engine::facts::Choice;
use quipu_engine::operation::{Call, Request};
use quipu_engine::remember::NewMemory;
use quipu_engine::{Workspace, decide, facts, operations, replay, undo, upkeep};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{ask, asked, assert_replays, continuity, ids, remember, told};
use quipu_testkit::repo::{ago, now, request};

/// Returns every file but those of the ledger, which only grows.
fn files(repo: &TestRepo) -> BTreeMap<String, Vec<u8>> {
    let mut files = repo.files();
    files.retain(|path, _| !journal::is_ledger(path) && path != "memory/events/.gitignore");
    files
}

/// Returns what recall answers, without numbers that only time changes.
fn answers(workspace: &Workspace) -> Vec<String> {
    let questions = ["gateway port", "kettle", "exports streamed", "deployed"];
    let all = questions.map(|query| {
        let recalled = ask(workspace, &asked(query));
        recalled.results.iter().map(|one| format!("{} {}", one.id, one.text)).collect::<Vec<_>>()
    });
    all.concat()
}

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write(
        "memory/continuity.md",
        &continuity(&[("exports-are-streamed", "Exports are streamed", "uses: 1 | tier: active")]),
    );
    repo
}

fn new_fact(words: &str) -> NewFact {
    NewFact {
        text: words.to_owned(),
        section: Some("Key Decisions".to_owned()),
        id: None,
        is_thread: false,
        allow_secret: false,
    }
}

fn forget(workspace: &Workspace, id: &str) {
    let status = Decision::Status { from: Status::Active, to: Status::Archived };
    decide::decide(workspace, id, status, "not needed", &request("forget")).unwrap();
}

#[test]
fn undo_takes_back_what_was_remembered_last() {
    let repo = repo();
    let workspace = repo.workspace();
    remember(&workspace, "the kettle is blue");
    let before = (files(&repo), answers(&workspace));
    let id = remember(&workspace, "the gateway listens on port 7000");
    assert_eq!(ids(&ask(&workspace, &asked("gateway port")))[0], id);
    let undone = undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(undone.what, ["remembered “the gateway listens on port 7000”"]);
    assert_eq!((files(&repo), answers(&workspace)), before);
    assert!(repo.ledger("2026-06-20").contains("port 7000"), "the ledger only grows");
    assert_replays(&workspace);
}

#[test]
fn the_first_memory_ever_leaves_no_window_behind_when_it_is_undone() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let before = files(&repo);
    remember(&workspace, "the kettle is blue");
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(files(&repo), before);
    assert_replays(&workspace);
}

#[test]
fn redo_brings_back_what_undo_took() {
    let repo = repo();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    forget(&workspace, &id);
    let after = (files(&repo), answers(&workspace));
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(ids(&ask(&workspace, &asked("kettle"))), [id.as_str()]);
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert!(ids(&ask(&workspace, &asked("kettle"))).is_empty());
    undo::redo(&workspace, &request("redo")).unwrap();
    assert_eq!(ids(&ask(&workspace, &asked("kettle"))), [id.as_str()]);
    undo::redo(&workspace, &request("redo")).unwrap();
    let paths: Vec<String> = files(&repo).into_keys().collect();
    assert_eq!(paths, after.0.keys().cloned().collect::<Vec<_>>());
    assert_eq!((files(&repo), answers(&workspace)), after);
    assert_eq!(undo::redo(&workspace, &request("redo")).unwrap_err().code(), "nothing-to-redo");
    assert_replays(&workspace);
}

#[test]
fn an_older_change_is_undone_by_its_id_and_later_ones_stay() {
    let repo = repo();
    let workspace = repo.workspace();
    let first = remember(&workspace, "the kettle is blue");
    facts::add_fact(
        &workspace,
        &new_fact("Deployed on Fridays"),
        &Choice::default(),
        &request("fact add"),
    )
    .unwrap();
    let last = remember(&workspace, "the gateway listens on port 7000");
    let changes = undo::changes(&workspace, 20).unwrap();
    let operations: Vec<&str> = changes.iter().map(|change| change.operation.as_str()).collect();
    assert_eq!(operations, ["journal append", "fact add", "journal append"]);
    undo::undo(&workspace, Some(&changes[2].id[..6]), &request("undo")).unwrap();
    assert!(ids(&ask(&workspace, &asked("kettle"))).is_empty());
    let window = repo.read("MEMORY.md");
    assert!(!window.contains(&first) && window.contains(&last));
    undo::undo(&workspace, Some(&changes[1].id), &request("undo")).unwrap();
    assert!(!repo.read("memory/continuity.md").contains("Fridays"));
    assert_eq!(ids(&ask(&workspace, &asked("gateway port")))[0], last);
    let twice = undo::undo(&workspace, Some(&changes[1].id), &request("undo"));
    assert_eq!(twice.unwrap_err().code(), "already-undone");
    assert_replays(&workspace);
}

#[test]
fn a_change_on_which_a_later_one_builds_is_not_undone() {
    let repo = repo();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    forget(&workspace, &id);
    let changes = undo::changes(&workspace, 20).unwrap();
    let error = undo::undo(&workspace, Some(&changes[1].id), &request("undo")).unwrap_err();
    assert_eq!(error.code(), "changed-since");
    assert!(error.hint.as_deref().unwrap().contains(&changes[0].id), "{error:?}");
}

#[test]
fn an_agent_takes_back_only_what_it_did() {
    let repo = repo();
    let workspace = repo.workspace();
    let call = |agent| Call {
        caller: Caller::agent(agent),
        now: now(),
        today: quipu_testkit::repo::today(),
        session: None,
        scope: None,
        progress: &|_, _, _| true,
        is_here: true,
        counts: true,
        retry: None,
    };
    let done = |name: &str, input: serde_json::Value, agent| {
        let entry = operations::named(name).unwrap();
        let input = input.as_object().unwrap().clone();
        entry.read(input).unwrap().answer(&workspace, &call(agent))
    };
    let remembered = serde_json::json!({ "text": "the kettle is blue" });
    done("remember", remembered, "claude").unwrap();
    let error = done("undo", serde_json::json!({}), "codex").unwrap_err();
    assert_eq!(error.code(), "not-their-change");
    assert!(!ids(&ask(&workspace, &asked("kettle"))).is_empty());
    done("undo", serde_json::json!({}), "claude").unwrap();
}

#[test]
fn a_dry_run_says_what_undo_would_do_and_does_nothing() {
    let repo = repo();
    let workspace = repo.workspace();
    remember(&workspace, "the kettle is blue");
    let before = repo.files();
    let dry = Request { dry_run: true, ..request("undo") };
    assert_eq!(undo::undo(&workspace, None, &dry).unwrap().operation, "journal append");
    assert_eq!(repo.files(), before);
}

#[test]
fn a_file_that_was_committed_is_not_deleted_by_undo() {
    let repo = repo();
    let workspace = repo.workspace();
    let git = |arguments: &[&str]| {
        let done =
            std::process::Command::new("git").args(arguments).current_dir(repo.root()).output();
        assert!(done.unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    quipu_engine::sessions::session_start(
        &workspace,
        Some("codex"),
        None,
        &request("session start"),
    )
    .unwrap();
    facts::add_fact(
        &workspace,
        &new_fact("Deployed on Fridays"),
        &Choice::default(),
        &request("fact add"),
    )
    .unwrap();
    let end = quipu_engine::sessions::EndRequest::default();
    quipu_engine::sessions::session_end(&workspace, &end, now(), quipu_testkit::repo::today())
        .unwrap();
    git(&["add", "memory"]);
    let before = files(&repo);
    let error = undo::undo(&workspace, None, &request("undo")).unwrap_err();
    assert_eq!(error.code(), "changed-since");
    assert_eq!(files(&repo), before);
}

#[test]
fn changes_can_be_undone_for_ninety_days() {
    let repo = repo();
    let workspace = repo.workspace();
    let add = |words: &str, days| {
        let at = Request { now: ago(days), ..request("fact add") };
        facts::add_fact(&workspace, &new_fact(words), &Choice::default(), &at).unwrap();
    };
    add("Deployed on Fridays", 91);
    add("Kettles are blue", 80);
    let known = |days| {
        let last = Request { now: ago(days), ..request("remember") };
        let new = told(&format!("the gateway listens on port {days}"));
        quipu_engine::remember::remember(&workspace, &[new], &last).unwrap();
        let changes = undo::changes(&workspace, usize::MAX).unwrap();
        changes.into_iter().map(|change| change.what.concat()).collect::<Vec<_>>()
    };
    let all = ["added `kettles-blue`", "added `deployed-fridays`"];
    assert_eq!(known(1)[1..], all, "90 days lie between them");
    assert_eq!(known(0)[2..], all[..1]);
    let entries = || std::fs::read_dir(repo.state("undo")).unwrap().count();
    assert_eq!(entries(), 2);
    add("Labels are ZPL", 0);
    assert_eq!(entries(), 2, "the files of the forgotten one are gone");
    assert!(repo.read("memory/continuity.md").contains("Fridays"));
}

#[test]
fn words_that_a_person_wrote_over_a_memory_stay_when_it_is_to_be_undone() {
    let repo = repo();
    let workspace = repo.workspace();
    remember(&workspace, "the kettle is blue");
    let edited = repo.read("MEMORY.md").replace("blue", "green");
    repo.write("MEMORY.md", &edited);
    let error = undo::undo(&workspace, None, &request("undo")).unwrap_err();
    assert_eq!(error.code(), "changed-since");
    assert_eq!(repo.read("MEMORY.md"), edited);
    assert!(repo.ledger("2026-06-20").contains("the kettle is green"));
    assert_eq!(undo::changes(&workspace, 1).unwrap()[0].operation, "edit by hand");
    undo::undo(&workspace, None, &request("undo")).unwrap();
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert!(ids(&ask(&workspace, &asked("kettle"))).is_empty());
    assert_replays(&workspace);
}

#[test]
fn what_was_undone_is_listed_with_its_words() {
    let repo = repo();
    let workspace = repo.workspace();
    remember(&workspace, "the kettle is blue");
    let undone = undo::undo(&workspace, None, &request("undo")).unwrap();
    let words: Vec<Vec<String>> =
        undo::changes(&workspace, 9).unwrap().into_iter().map(|change| change.what).collect();
    let back = format!("took back {} (journal append)", undone.id);
    assert_eq!(words, [vec![back], vec!["remembered “the kettle is blue”".to_owned()]]);
    let again = undo::redo(&workspace, &request("redo")).unwrap();
    assert_eq!((again.id, again.what.concat()), (undone.id, words[1].concat()));
}

/// Something that somebody does.
#[derive(Clone, Debug)]
enum Act {
    Remember(u8),
    Forget(u8),
    Pin(u8),
    Edit(u8, u8),
    Tag(u8),
    Fact(u8),
    Core,
    Supersede(u8),
    Compact,
    Trim(u8),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => any::<u8>().prop_map(Act::Remember),
        1 => any::<u8>().prop_map(Act::Forget),
        1 => any::<u8>().prop_map(Act::Pin),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(id, words)| Act::Edit(id, words)),
        1 => any::<u8>().prop_map(Act::Tag),
        1 => any::<u8>().prop_map(Act::Fact),
        1 => Just(Act::Core),
        1 => any::<u8>().prop_map(Act::Supersede),
        1 => Just(Act::Compact),
        1 => (1_u8..4).prop_map(Act::Trim),
    ]
}

/// Does it; what is not possible now is no matter.
fn carry_out(workspace: &Workspace, act: &Act, known: &mut Vec<String>) {
    let pick = |known: &[String], at: u8| known.get(usize::from(at) % known.len().max(1)).cloned();
    let decide = |id: Option<String>, decision: Decision| {
        let Some(id) = id else { return };
        let _ = decide::decide(workspace, &id, decision, "because", &request("decide"));
    };
    match act {
        Act::Remember(words) => {
            let old = now().checked_sub(jiff::SignedDuration::from_hours(24 * 30)).unwrap();
            let new = NewMemory { time: Some(old), ..told(&format!("deployed gateway {words}")) };
            let done = quipu_engine::remember::remember(workspace, &[new], &request("remember"));
            known.extend(done.unwrap().ids);
        }
        Act::Forget(at) => {
            let status = Decision::Status { from: Status::Active, to: Status::Archived };
            decide(pick(known, *at), status);
        }
        Act::Pin(at) => decide(pick(known, *at), Decision::Pin { pinned: true }),
        Act::Edit(at, words) => {
            decide(pick(known, *at), Decision::Edit { text: format!("kettle {words}") });
        }
        Act::Tag(at) => {
            let tag = Decision::Tag { add: vec!["net".to_owned()], remove: Vec::new() };
            decide(pick(known, *at), tag);
        }
        Act::Fact(words) => {
            let new = new_fact(&format!("Fact number {words} about the harbour"));
            let choice = Choice { agree: true, ..Choice::default() };
            let _ = facts::add_fact(workspace, &new, &choice, &request("fact add"));
        }
        Act::Core => {
            let _ = facts::make_core(workspace, "exports-are-streamed", &request("fact core"));
        }
        Act::Supersede(at) => {
            let Some(old) = pick(known, *at) else { return };
            let new = NewMemory { supersedes: Some(old), ..told("a newer gateway was deployed") };
            let done = quipu_engine::remember::remember(workspace, &[new], &request("remember"));
            known.extend(done.map(|done| done.ids).unwrap_or_default());
        }
        Act::Compact => {
            let _ = upkeep::compact(workspace, &quipu_testkit::journal::compaction());
        }
        Act::Trim(left) => {
            let limits = journal::window::Limits {
                records: Some(usize::from(*left)),
                ..journal::window::Limits::default()
            };
            let _ = quipu_engine::journal::trim(workspace, &limits, now(), false);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn undoing_in_reverse_restores_every_file_and_every_answer(acts in prop::collection::vec(act(), 1..9)) {
        let repo = repo();
        let workspace = repo.workspace();
        let mut known = Vec::new();
        let mut states = Vec::new();
        for act in &acts {
            let before = (files(&repo), answers(&workspace));
            let changes = undo::changes(&workspace, usize::MAX).unwrap().len();
            carry_out(&workspace, act, &mut known);
            if undo::changes(&workspace, usize::MAX).unwrap().len() > changes {
                states.push((act, before));
            }
        }
        let end = (files(&repo), answers(&workspace));
        let undone = states.len();
        while let Some((act, before)) = states.pop() {
            undo::undo(&workspace, None, &request("undo")).unwrap();
            prop_assert_eq!(&(files(&repo), answers(&workspace)), &before, "{:?}", act);
            let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
            prop_assert!(replayed.equal, "{:?}", act);
        }
        for _ in 0..undone {
            undo::redo(&workspace, &request("redo")).unwrap();
        }
        prop_assert_eq!((files(&repo), answers(&workspace)), end);
        let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
        prop_assert!(replayed.equal, "{:?}", replayed.differences);
    }
}
