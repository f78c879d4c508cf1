//! What else the journal promises.

use jiff::SignedDuration;
use quipu_core::item::{Decision, Status};
use quipu_core::journal::Record;
use quipu_engine::brief::BriefRequest;
use quipu_engine::caller::Channel;
use quipu_engine::compaction::{CompactRequest, Reason};
use quipu_engine::journal::{self, RecordQuery};
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::NewMemory;
use quipu_engine::{decide, experiences, index, replay, undo, upkeep};
use quipu_testkit::TestRepo;
use quipu_testkit::journal::{
    brief, compact, compaction, configured, profile, record, records_in, secret,
};
use quipu_testkit::memories::{ask, ids, remember, told};
use quipu_testkit::repo::{ago, now, request};

#[test]
fn what_was_forgotten_or_pinned_is_respected_by_compaction() {
    let repo = profile(&[
        record("a", "note", "this turned out to be wrong", 30).line(),
        record("b", "note", "this holds", 30).line(),
        record("c", "note", "this is pinned", 30).line(),
    ]);
    let workspace = repo.workspace();
    let archived = Decision::Status { from: Status::Active, to: Status::Archived };
    index::freshen(&workspace).unwrap();
    decide::decide(&workspace, "a", archived, "", &request("forget")).unwrap();
    decide::decide(&workspace, "c", Decision::Pin { pinned: true }, "", &request("pin")).unwrap();
    compact(&workspace);
    let long = repo.read("LONGMEMORY.md");
    assert!(long.contains("this holds") && !long.contains("turned out"), "{long}");
    let window = repo.read("MEMORY.md");
    assert!(window.contains("this is pinned"), "{window}");
    let text = brief(&workspace, None).text;
    assert!(text.contains("this is pinned") && !text.contains("turned out"), "{text}");
}

#[test]
fn compaction_changes_no_day_and_can_be_undone() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let old = quipu_engine::operation::Request { now: ago(30), ..request("remember") };
    for n in 0..5 {
        quipu_engine::remember::remember(&workspace, &[told(&format!("old matter {n}"))], &old)
            .unwrap();
    }
    let before = repo.files();
    assert_eq!(compact(&workspace).records_compacted, 5);
    let after = repo.files();
    for (path, bytes) in before.iter().filter(|(path, _)| path.starts_with("memory/")) {
        assert_eq!(after.get(path), Some(bytes), "{path}");
    }
    assert!(!after.contains_key("memory/MEMORY-archive.md"), "every day has its own");
    undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap();
    assert_eq!(repo.files(), before);
}

#[test]
fn compaction_runs_after_an_append_over_the_threshold_and_when_it_is_due() {
    let lines: Vec<String> = (0..20)
        .map(|n| record(&format!("r{n}"), "note", &format!("matter {n}"), 30).line())
        .collect();
    let repo = profile(&lines);
    let on = [("memoryCompactionEnabled", "true"), ("memoryCompactionThresholdRecords", "10")];
    remember(&repo.workspace(), "one more");
    assert_eq!(records_in(&repo, "MEMORY.md").len(), 21, "off by default");
    let due = CompactRequest { if_due: true, ..compaction() };
    let off = upkeep::compact(&repo.workspace(), &due).unwrap();
    assert_eq!(off.reason, Some(Reason::Disabled));
    remember(&configured(&repo, &on), "one more still");
    assert_eq!(records_in(&repo, "MEMORY.md").len(), 3, "the summary and two new ones");

    let again = upkeep::compact(&configured(&repo, &on), &due).unwrap();
    assert_eq!(again.reason, Some(Reason::NotDue));
    assert_eq!(again.next, Some(now().checked_add(SignedDuration::from_hours(24)).unwrap()));
    let tomorrow = now().checked_add(SignedDuration::from_hours(25)).unwrap();
    let later = CompactRequest { now: tomorrow, ..due };
    let ran = upkeep::compact(&configured(&repo, &[on[0]]), &later).unwrap();
    assert!(ran.ran, "{:?}", ran.reason);
}

#[test]
fn a_briefing_draws_on_everything_and_says_what_it_left_out() {
    let before = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/evolving-memory/before");
    let repo = TestRepo::copy_of(std::path::Path::new(before));
    repo.write("USER.md", "# Ada\n\nCall her Ada. She is in Lisbon.\n");
    repo.write("LONGMEMORY.md", "# LONGMEMORY.md — Long-term summaries\n\n\n## Summary (2026-05-01)\n\nThe first customers came in April.\n");
    let workspace = repo.workspace();
    let preference =
        NewMemory { category: "user-preference".to_owned(), ..told("Ada likes short answers") };
    let pinned = NewMemory { pinned: true, ..told("Never touch the billing tables") };
    quipu_engine::remember::remember(&workspace, &[preference, pinned], &request("remember"))
        .unwrap();
    let made = brief(&workspace, Some("how do parcels get their numbers?"));
    let order = [
        "User (USER.md):",
        "Long-term summary (LONGMEMORY):",
        "Facts (memory/continuity.md):",
        "Open threads:",
        "Latest session logs:",
        "Daily memory (2026-06-20):",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|part| made.text.find(part).unwrap_or_else(|| panic!("{part}: {}", made.text)))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    for words in
        ["Call her Ada", "The first customers", "Ada likes short", "Never touch the billing"]
    {
        assert_eq!(made.text.matches(words).count(), 1, "{words}");
    }
    let request = BriefRequest {
        now: now(),
        cap: Some(2500),
        tokens: None,
        hint: None,
        channel: Channel::Main,
    };
    let small = quipu_engine::brief::brief(&workspace, &request).unwrap();
    assert!(small.chars <= 2500, "{}", small.chars);
    assert!(small.text.contains("Never touch the billing") && small.text.contains("left out"));
}

#[test]
fn a_heartbeat_is_told_experiences_and_nothing_else() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    remember(&workspace, "The nightly import fails when the disk is nearly full");
    let request = BriefRequest {
        now: now(),
        cap: None,
        tokens: None,
        hint: Some("nightly import".to_owned()),
        channel: Channel::Heartbeat,
    };
    let made = quipu_engine::brief::brief(&workspace, &request).unwrap();
    assert!(made.text.starts_with("Relevant past experiences:\n\n- [note] The nightly import"));
    assert!(!made.text.contains("Daily memory"));
}

#[test]
fn experiences_are_unique_bounded_and_follow_what_is_decided() {
    let repo = TestRepo::new();
    let workspace = configured(&repo, &[("experienceMaxCount", "3")]);
    for text in [
        "The deploy failed because the certificate had expired",
        "The deploy failed because the certificate had expired!",
        "Maria found the leak in the image cache",
        "Tests on Windows need longer paths enabled",
        "too short",
        "Customers in Brazil pay with Pix, not with cards",
    ] {
        remember(&workspace, text);
    }
    let all = experiences::experiences(&workspace).unwrap();
    assert_eq!(all.len(), 3, "bounded, and the oldest left");
    assert!(all.iter().all(|item| !item.text.contains("certificate")));
    let found =
        experiences::query_experiences(&workspace, "image cache leak", 5, Channel::Main, now())
            .unwrap();
    assert!(found.results[0].text.contains("leak in the image cache"));
    let archived = Decision::Status { from: Status::Active, to: Status::Archived };
    decide::decide(&workspace, &found.results[0].id, archived, "", &request("forget")).unwrap();
    let found =
        experiences::query_experiences(&workspace, "image cache leak", 5, Channel::Main, now())
            .unwrap();
    assert!(found.results.iter().all(|answer| !answer.text.contains("leak")));
}

#[test]
fn experiences_of_the_original_are_taken_over_once() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let store = r#"{"version":1,"experiences":[
        {"id":"exp_1","text":"Backups must be restored once a month to be backups","category":"learned","sessionId":"s9","timestamp":"2026-01-02T03:04:05.000Z","vector":[0.1]},
        {"id":"exp_2","text":"Backups must be restored once a month to be backups","category":"learned","sessionId":"s9","timestamp":"2026-01-02T03:04:05.000Z","vector":[0.1]}]}"#;
    let done = experiences::import_experiences(&workspace, store, &request("import")).unwrap();
    assert_eq!(done.remembered.ids.len(), 1);
    assert!(
        experiences::import_experiences(&workspace, store, &request("import"))
            .unwrap()
            .remembered
            .ids
            .is_empty()
    );
    assert_eq!(experiences::experiences(&workspace).unwrap().len(), 1);
    assert!(experiences::import_experiences(&workspace, "[]", &request("import")).is_err());
}

#[test]
fn reading_is_by_session_category_and_time_and_hides_secrets() {
    let mut other = record("b", "learned", "two", 2);
    "s2".clone_into(&mut other.session_id);
    let repo = profile(&[
        record("a", "note", "one", 3).line(),
        other.line(),
        secret("s", "hush", 1).line(),
    ]);
    let workspace = repo.workspace();
    let read = |query: RecordQuery| -> Vec<String> {
        let found = journal::records(&workspace, &query).unwrap();
        found.records.into_iter().map(|filed| filed.record.id).collect()
    };
    let all = RecordQuery::default;
    assert_eq!(read(all()), ["a", "b"]);
    assert_eq!(read(RecordQuery { session: Some("s2".to_owned()), ..all() }), ["b"]);
    assert_eq!(read(RecordQuery { category: Some("note".to_owned()), ..all() }), ["a"]);
    assert_eq!(read(RecordQuery { since: Some(ago(2)), allow_secret: true, ..all() }), ["b", "s"]);
    assert_eq!(read(RecordQuery { newest: Some(1), ..all() }), ["b"]);
    assert_eq!(journal::records(&workspace, &all()).unwrap().secrets, 1);
    assert_eq!(journal::record(&workspace, "s", false).unwrap_err().code(), "secret");
}

#[test]
fn every_odd_byte_survives_every_operation() {
    let long = format!("{} ends\n", "long ".repeat(210_000));
    let odd = [
        "\u{feff}# Möin\r\n\r\n".to_owned(),
        "  - {\"id\":\"torn\n".to_owned(),
        "\tTabs and trailing spaces   \r\n".to_owned(),
        "日本語の行\n".to_owned(),
        "- {\"id\": 5, \"no\": \"record\"}\n".to_owned(),
        long,
        "\n\n\n".to_owned(),
    ];
    let mut lines = Vec::new();
    for (n, mine) in odd.iter().enumerate() {
        lines.push(mine.clone());
        let text = if n == 3 { "1 MB ".repeat(200_000) } else { format!("matter {n}") };
        lines.push(record(&format!("r{n}"), "note", &text, 30).line());
    }
    lines.push("a last line without an end".to_owned());
    let repo = profile(&lines);
    let mine = |text: &str| -> String {
        text.split_inclusive('\n').filter(|line| Record::parse(line).is_none()).collect()
    };
    let before = mine(&lines.concat());
    let workspace = repo.workspace();
    remember(&workspace, "appended");
    let check = |what: &str| {
        // What was torn off stands on a line of its own now.
        assert_eq!(mine(&repo.read("MEMORY.md")), format!("{before}\n"), "{what}");
    };
    check("append");
    let limits = quipu_core::journal::window::Limits {
        records: Some(5),
        ..quipu_core::journal::window::Limits::default()
    };
    assert_eq!(
        journal::trim(&workspace, &limits, quipu_testkit::repo::now(), false).unwrap().dropped,
        3
    );
    check("trim");
    assert!(compact(&workspace).records_compacted > 0);
    check("compact");
    quipu_engine::remember::flush_journal(&workspace, &request("flush")).unwrap();
    check("flush");
    brief(&workspace, Some("matter"));
    replay::replay(&workspace, false, &mut |_, _| {}).unwrap();
    check("brief and replay");
    let text = repo.read("MEMORY.md");
    assert!(text.starts_with(&odd[0]));
}

#[test]
fn a_repeated_question_is_answered_from_memory_and_never_stale() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    let pause = || std::thread::sleep(std::time::Duration::from_millis(30));
    pause();
    let question = Question { query: "kettle".to_owned(), ..Question::default() };
    ask(&workspace, &question);
    assert_eq!(ids(&ask(&workspace, &question)), [id.as_str()]);
    assert_eq!(recall::recall_cache(&workspace).hits, 1);
    // By this process, by another, by hand, and by the clock.
    let second = remember(&workspace, "the kettle is red now");
    assert_eq!(ask(&workspace, &question).results.len(), 2);
    pause();
    ask(&workspace, &question);
    let third = remember(&repo.workspace(), "another kettle stands in the attic");
    assert_eq!(ask(&workspace, &question).results.len(), 3);
    pause();
    ask(&workspace, &question);
    let day = "memory/2026-06-20.md";
    let without = quipu_testkit::memories::without_record(&repo.read(day), &third);
    repo.write(day, &without);
    repo.write(
        "MEMORY.md",
        &quipu_testkit::memories::without_record(&repo.read("MEMORY.md"), &third),
    );
    assert_eq!(ask(&workspace, &question).results.len(), 2, "{second}");
    let soon = now().checked_add(SignedDuration::from_hours(1)).unwrap();
    let over = NewMemory { valid_to: Some(soon), ..told("the kettle is on until eleven") };
    quipu_engine::remember::remember(&workspace, &[over], &request("remember")).unwrap();
    pause();
    assert_eq!(ask(&workspace, &question).results.len(), 3);
    assert_eq!(ask(&workspace, &question).results.len(), 3);
    assert_eq!(recall::recall(&workspace, &question, soon).unwrap().results.len(), 2, "it is over");
}
