//! What recall keeps to when files, clocks, ids and neighbours are not as expected.

use jiff::{Timestamp, ToSpan as _};
use quipu_core::item::{Decision, Sensitivity, Status};
use quipu_engine::caller::Channel;
use quipu_engine::recall::Question;
use quipu_engine::remember::NewMemory;
use quipu_engine::{decide, history, index, purge, replay, report};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{
    ask, asked, assert_replays, continuity, ids, remember, told, without_lines,
};
use quipu_testkit::repo::{now, request};

fn later(hours: i64) -> quipu_engine::operation::Request<'static> {
    let now = now().checked_add(hours.hours()).unwrap();
    quipu_engine::operation::Request {
        operation: "later",
        now,
        today: now.to_zoned(jiff::tz::TimeZone::UTC).date(),
        session: None,
        dry_run: false,
        caller: quipu_engine::caller::Caller::PERSON,
    }
}

#[test]
fn a_purge_of_common_words_harms_nothing_else() {
    let repo = TestRepo::new();
    repo.write("memory/decay-policy.md", "- active_window: 8\n");
    let workspace = repo.workspace();
    let keep = remember(&workspace, "Keep this alpha fact in the category of letters");
    for words in ["category", "active", "text", "id"] {
        let id = remember(&workspace, words);
        purge::purge(&workspace, &id, "x", &request("purge")).unwrap();
    }
    assert!(repo.read("memory/decay-policy.md").contains("active_window: 8"));
    assert_eq!(ids(&ask(&workspace, &asked("alpha letters"))), [keep.as_str()]);
    assert_replays(&workspace);
}

#[test]
fn a_purge_takes_notes_reasons_tags_and_speakers_too() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new =
        NewMemory { speaker: Some("xylospeaker".into()), ..told("the xylotext itself, in full") };
    let id = quipu_engine::remember::remember(&workspace, &[new], &request("remember"))
        .unwrap()
        .ids
        .remove(0);
    decide::decide(
        &workspace,
        &id,
        Decision::Annotate { note: "xylonote".into() },
        "",
        &request("x"),
    )
    .unwrap();
    decide::decide(
        &workspace,
        &id,
        Decision::Tag { add: vec!["xylotag".into()], remove: vec![] },
        "",
        &request("x"),
    )
    .unwrap();
    let status = Decision::Status { from: Status::Active, to: Status::Archived };
    decide::decide(&workspace, &id, status, "xyloreason", &request("x")).unwrap();
    purge::purge(&workspace, &id, "leaked", &request("purge")).unwrap();
    for (path, bytes) in quipu_testkit::repo::files_in(repo.root()) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("xylo"), "{path}: {text}");
    }
    assert_replays(&workspace);
    let history = history::history(&workspace, &id, false).unwrap();
    assert!(history.entries.iter().any(|entry| entry.reason == "leaked"));
    // Run again, it finds the tombstone and purge::purge(&finishes.workspace, &id, "leaked", &request("purge")).unwrap();
}

#[test]
fn a_purged_heading_can_be_written_anew() {
    let repo = TestRepo::new();
    repo.write("memory/notes.md", "# Goals\n\nThe hidden goal is xylophonequartz.\n");
    let workspace = repo.workspace();
    ask(&workspace, &asked("goal"));
    purge::purge(&workspace, "notes#goals", "private", &request("purge")).unwrap();
    assert!(!repo.read("memory/notes.md").contains("xylophonequartz"));
    repo.write("memory/notes.md", "# Goals\n\nAn open goal: ship it.\n");
    assert_eq!(ids(&ask(&workspace, &asked("open goal"))), ["notes#goals"]);
    // The old words stay away.
    repo.write("memory/notes.md", "# Goals\n\nThe hidden goal is xylophonequartz.\n");
    assert!(ids(&ask(&workspace, &asked("hidden xylophonequartz"))).is_empty());
}

#[test]
fn a_clock_that_goes_backwards_changes_nothing() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "typed first");
    let edit = |text: &str| Decision::Edit { text: text.to_owned() };
    decide::decide(&workspace, &id, edit("typed on the third day"), "", &later(72)).unwrap();
    decide::decide(&workspace, &id, edit("typed on the second day"), "", &later(24)).unwrap();
    assert_replays(&workspace);
}

#[test]
fn hand_edits_of_decisions_count() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the gateway listens on port 7000");
    let path = "memory/events/2026-06-20.jsonl";
    decide::decide(
        &workspace,
        &id,
        Decision::Edit { text: "the gateway listens on port 7001".into() },
        "",
        &request("edit"),
    )
    .unwrap();
    // The window shows the words too.
    for path in [path, "MEMORY.md"] {
        repo.write(path, &repo.read(path).replace("port 7001", "port 7002"));
    }
    assert!(ask(&workspace, &asked("gateway")).results[0].text.contains("7002"));
    assert_replays(&workspace);
    let status = Decision::Status { from: Status::Active, to: Status::Archived };
    decide::decide(&workspace, &id, status, "", &request("forget")).unwrap();
    repo.write(path, &without_lines(&repo.read(path), "archived"));
    assert_eq!(ids(&ask(&workspace, &asked("gateway"))), [id.as_str()]);
    assert_replays(&workspace);
}

#[test]
fn a_record_that_is_deleted_by_hand_is_gone_and_one_in_the_window_stays() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the gateway listens on port 7000");
    decide::decide(
        &workspace,
        &id,
        Decision::Tag { add: vec!["net".into()], remove: vec![] },
        "",
        &request("tag"),
    )
    .unwrap();
    let without = |path: &str| {
        let text = without_lines(&repo.read(path), &format!("id: {id}"));
        repo.write(path, &without_lines(&text, "the gateway listens"));
    };
    without("memory/2026-06-20.md");
    assert_eq!(ids(&ask(&workspace, &asked("gateway"))), [id.as_str()], "the window has it");
    assert_replays(&workspace);
    without("MEMORY.md");
    assert!(ids(&ask(&workspace, &asked("gateway"))).is_empty());
    assert_replays(&workspace);
}

#[test]
fn ids_that_meet_have_an_order() {
    let repo = TestRepo::new();
    repo.write(
        "memory/continuity.md",
        &continuity(&[("retry-rule", "Retry twice.", "created: 2026-01-01 | tier: active")]),
    );
    let workspace = repo.workspace();
    let id = remember(&workspace, "a record about retrying");
    let path = "memory/2026-06-20.md";
    repo.write(path, &repo.read(path).replace(&id, "retry-rule"));
    repo.write("MEMORY.md", "");
    let recalled = ask(&workspace, &asked("retry"));
    assert_eq!(recalled.results[0].text, "Retry twice.");
    assert_replays(&workspace);
}

#[test]
fn a_negation_is_not_a_duplicate() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for text in [
        "We do use Redis for queues",
        "We do not use Redis for queues",
        "Alice reports to Bob",
        "Bob reports to Alice",
    ] {
        remember(&workspace, text);
    }
    assert_eq!(ask(&workspace, &asked("redis queues")).results.len(), 2);
    assert_eq!(ask(&workspace, &asked("who reports")).results.len(), 2);
}

#[test]
fn what_was_replaced_can_be_restored_and_shown() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let old = remember(&workspace, "the mascot is a walrus");
    let new = NewMemory { supersedes: Some(old.clone()), ..told("we have a new emblem: the ibis") };
    let new =
        quipu_engine::remember::remember(&workspace, &[new], &later(1)).unwrap().ids.remove(0);
    let include = Question { include: vec![Status::Superseded], ..asked("walrus") };
    assert_eq!(ids(&ask(&workspace, &include)), [new.as_str(), old.as_str()]);
    let twice = NewMemory { supersedes: Some(old.clone()), ..told("another") };
    assert!(quipu_engine::remember::remember(&workspace, &[twice], &later(1)).is_err());
    let status = Decision::Status { from: Status::Superseded, to: Status::Active };
    decide::decide(&workspace, &old, status, "", &later(2)).unwrap();
    assert_eq!(ids(&ask(&workspace, &asked("walrus"))), [old.as_str()]);
    assert_replays(&workspace);
}

#[test]
fn what_is_over_is_no_answer() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    let new = NewMemory {
        valid_from: at("2019-01-01T00:00:00Z"),
        valid_to: at("2020-01-01T00:00:00Z"),
        ..told("the office is in Lima")
    };
    quipu_engine::remember::remember(&workspace, &[new], &request("remember")).unwrap();
    assert!(ids(&ask(&workspace, &asked("office"))).is_empty());
    let then = Question { as_of: at("2019-06-01T00:00:00Z"), ..asked("office") };
    assert_eq!(ask(&workspace, &then).results.len(), 1);
}

#[test]
fn a_file_that_cannot_be_read_is_named_every_time() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", &continuity(&[]));
    repo.write_bytes("memory/notes.md", b"caf\xe9 au lait");
    let workspace = repo.workspace();
    for _ in 0..3 {
        let recalled = ask(&workspace, &asked("anything"));
        assert!(
            recalled.degraded.iter().any(|why| why.contains("notes.md")),
            "{:?}",
            recalled.degraded
        );
    }
    repo.write("memory/notes.md", "# Notes\n\ncoffee with milk\n");
    assert_eq!(ask(&workspace, &asked("coffee")).results.len(), 1);
}

#[test]
fn neighbours_and_days_of_secrets_are_not_told() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let turn = |text: &str, sensitivity| NewMemory {
        speaker: Some("Ann".into()),
        session: Some("s".into()),
        sensitivity: Some(sensitivity),
        ..told(text)
    };
    let new = [
        turn("the divorce hearing is on Monday", Sensitivity::Secret),
        turn("lunch was fine", Sensitivity::Public),
    ];
    let ids = quipu_engine::remember::remember(&workspace, &new, &request("remember")).unwrap().ids;
    let other = |query: &str| Question { channel: Channel::Other, ..asked(query) };
    let recalled = ask(&workspace, &other("lunch"));
    assert_eq!(recalled.results[0].neighbours, Vec::<String>::new());
    assert!(ask(&workspace, &other("divorce")).results.is_empty());
    assert!(ask(&workspace, &other("lunch before the divorce hearing")).times.is_empty());
    assert!(report::show(&workspace, &ids[0]).unwrap_err().to_string().contains("secret"));
    assert!(report::show_any(&workspace, &ids[0], true).is_ok());
}

#[test]
fn others_recall_while_a_replay_puts_a_new_index_in_place() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    remember(&workspace, "the gateway listens on port 7000");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let workspace = repo.workspace();
                for _ in 0..30 {
                    assert_eq!(ask(&workspace, &asked("gateway")).results.len(), 1);
                }
            });
        }
        for _ in 0..5 {
            let connection = rusqlite::Connection::open(index::database(&workspace)).unwrap();
            connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
            connection.execute("DELETE FROM event", []).unwrap();
            assert!(replay::replay(&workspace, false, &mut |_, _| {}).unwrap().replaced);
        }
    });
}

#[test]
fn a_workspace_that_cannot_be_written_can_be_asked() {
    let repo = TestRepo::new();
    let fields = "created: 2026-01-01 | tier: active";
    repo.write(
        "memory/continuity.md",
        &continuity(&[("cache-size", "The cache is small.", fields)]),
    );
    // Nobody can make a folder where a file stands, not even root.
    repo.write(".quipu", "");
    let workspace = repo.workspace();
    for _ in 0..2 {
        let recalled = ask(&workspace, &asked("cache"));
        assert_eq!(ids(&recalled), ["cache-size"]);
        assert!(
            recalled.degraded.iter().any(|why| why.contains("read anew")),
            "{:?}",
            recalled.degraded
        );
    }
}
