//! Records in both forms: a bullet with a comment below, and a line of JSON.

use quipu_core::finding::LintCode;
use quipu_core::journal::window::Limits;
use quipu_core::journal::{Form, Record};
use quipu_core::merge::{self, FileKind, Sides};
use quipu_engine::journal::{self, RecordQuery};
use quipu_engine::{facts, index, purge, replay};
use quipu_testkit::TestRepo;
use quipu_testkit::journal::{brief, compact, record, records_in, secret};
use quipu_testkit::memories::{ask, asked, ids, remember};
use quipu_testkit::repo::{now, request};

/// A window and a day with one record of each form, and a line of the user's.
fn mixed() -> TestRepo {
    let repo = TestRepo::new();
    let written = format!(
        "{}my own words\n{}",
        record("json1", "note", "The canary deploy goes to Lisbon", 1).line(),
        record("mark2", "decision", "Retries back off:\n\n- first a second\n- then two", 1)
            .written(Form::Markdown),
    );
    repo.write("MEMORY.md", &written);
    repo.write("memory/2026-06-09.md", &written);
    repo
}

#[test]
fn both_forms_are_recalled_listed_and_told() {
    let repo = mixed();
    let workspace = repo.workspace();
    assert_eq!(ids(&ask(&workspace, &asked("how do retries back off")))[0], "mark2");
    assert_eq!(ids(&ask(&workspace, &asked("where does the canary deploy go")))[0], "json1");
    let listed = journal::records(&workspace, &RecordQuery::default()).unwrap().records;
    let places: Vec<(&str, usize)> =
        listed.iter().map(|one| (one.record.id.as_str(), one.line)).collect();
    assert_eq!(places, [("json1", 1), ("mark2", 3)]);
    assert_eq!(listed[1].record.text, "Retries back off:\n\n- first a second\n- then two");
    assert!(brief(&workspace, None).text.contains("then two"));
    let findings = facts::lint(&workspace, false).unwrap().findings;
    assert!(findings.iter().all(|one| one.code != LintCode::BrokenRecord), "{findings:?}");
    assert!(journal::scan_journal(&workspace, now()).unwrap().findings.is_empty());
    assert_eq!(journal::journal_size(&workspace, now()).window.records, 2);
    let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
    assert_eq!(replayed.differences, Vec::<String>::new());
}

#[test]
fn a_record_with_a_bad_comment_is_named_and_kept() {
    let repo = mixed();
    let broken = "- words\n  <!-- id: a | at: noon -->\n";
    repo.write("memory/2026-06-09.md", broken);
    let findings = facts::lint(&repo.workspace(), false).unwrap().findings;
    let broken_ones = findings.iter().filter(|one| one.code == LintCode::BrokenRecord);
    let subjects: Vec<&str> = broken_ones.map(|one| one.subject.as_str()).collect();
    assert_eq!(subjects, ["memory/2026-06-09.md:2"]);
    remember(&repo.workspace(), "more");
    assert_eq!(repo.read("memory/2026-06-09.md"), broken);
}

#[test]
fn the_window_loses_whole_records() {
    let repo = mixed();
    let limits = Limits { records: Some(1), ..Limits::default() };
    let done =
        journal::trim(&repo.workspace(), &limits, quipu_testkit::repo::now(), false).unwrap();
    assert_eq!(done.ids, ["json1"]);
    assert!(repo.read("MEMORY.md").starts_with("my own words\n- Retries back off:\n\n  - first"));
    let newer = record("json3", "note", "The newest", 0).line();
    repo.write("MEMORY.md", &format!("{}{newer}", repo.read("MEMORY.md")));
    let done =
        journal::trim(&repo.workspace(), &limits, quipu_testkit::repo::now(), false).unwrap();
    assert_eq!(done.ids, ["mark2"]);
    assert_eq!(repo.read("MEMORY.md"), format!("my own words\n{newer}"));
}

#[test]
fn a_compaction_merges_both_forms() {
    let repo = TestRepo::new();
    let old = |number: i64| record(&format!("old{number}"), "note", &format!("note {number}"), 60);
    let written: String = (0..6)
        .map(|n| old(n).written(if n % 2 == 0 { Form::Json } else { Form::Markdown }))
        .collect();
    repo.write("memory/2026-04-11.md", &written);
    repo.write("MEMORY.md", &written);
    assert_eq!(compact(&repo.workspace()).records_compacted, 6);
    let left = records_in(&repo, "MEMORY.md");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].merged.as_ref().unwrap().ids.len(), 6);
    assert!(!repo.read("MEMORY.md").contains("<!-- id: old"));
    assert_eq!(repo.read("memory/2026-04-11.md"), written);
}

#[test]
fn a_record_that_a_dead_process_left_in_its_day_reaches_the_window_in_its_form() {
    let repo = mixed();
    index::freshen(&repo.workspace()).unwrap();
    let new = record("mark4", "note", "written and not shown", 0).written(Form::Markdown);
    let day = repo.read("memory/2026-06-09.md");
    repo.write("memory/2026-06-09.md", &format!("{day}{new}"));
    index::freshen(&repo.workspace()).unwrap();
    assert!(repo.read("MEMORY.md").ends_with(&new));
}

#[test]
fn a_purge_takes_the_words_and_keeps_the_form() {
    let repo = mixed();
    let workspace = repo.workspace();
    index::freshen(&workspace).unwrap();
    purge::purge(&workspace, "mark2", "said by mistake", &request("purge")).unwrap();
    for path in ["MEMORY.md", "memory/2026-06-09.md"] {
        let text = repo.read(path);
        assert!(!text.contains("Retries") && !text.contains("then two"), "{text}");
        assert!(text.contains("  <!-- id: mark2 | at: "), "{text}");
        assert!(text.contains("my own words\n") && text.contains("Lisbon"), "{text}");
    }
}

#[test]
fn a_secret_in_either_form_is_hidden() {
    let repo = TestRepo::new();
    let hidden = secret("mark5", "the vault opens with a word", 1).written(Form::Markdown);
    repo.write("memory/2026-06-09.md", &hidden);
    repo.write("MEMORY.md", &hidden);
    let listed = journal::records(&repo.workspace(), &RecordQuery::default()).unwrap();
    assert_eq!((listed.records.len(), listed.secrets), (0, 1));
    assert!(!brief(&repo.workspace(), None).text.contains("vault"));
    assert!(ask(&repo.workspace(), &asked("how does the vault open")).results.is_empty());
}

#[test]
fn branches_with_records_of_both_forms_are_united() {
    let base = record("a1", "note", "first", 3).written(Form::Markdown);
    let ours =
        format!("{base}{}", record("b2", "note", "ours\n\nin lines", 1).written(Form::Markdown));
    let theirs = format!("{base}{}", record("c3", "note", "theirs", 2).line());
    let sides = Sides { base: &base, ours: &ours, theirs: &theirs };
    let merged = merge::three_way(FileKind::Journal, sides, &merge::Elsewhere::default());
    let ids: Vec<String> =
        quipu_core::journal::records(&merged.text).map(|(_, one): (u64, Record)| one.id).collect();
    assert_eq!(ids, ["a1", "c3", "b2"]);
    assert!(merged.text.contains("- ours\n\n  in lines\n  <!-- id: b2"));
}
