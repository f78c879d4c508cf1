//! A purge is final: killed at any step it is finished by the next command, and nothing has the words
//! afterwards, in whatever form.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use quipu_core::facts::NewFact;
use quipu_core::item::Decision;
use quipu_core::journal::Record;
use quipu_core::merge::{Elsewhere, FileKind, Sides, three_way};
use quipu_core::question::{Question, QuestionKind};
use quipu_core::session::{Note, NoteKind};
use quipu_engine::facts::{self, Added, Choice};
use quipu_engine::operation::Request;
use quipu_engine::purge::{self, Purged};
use quipu_engine::refusal::Refusal;
use quipu_engine::remember::NewMemory;
use quipu_engine::{Error, Workspace, codebase, history, index, replay, sessions, undo};
use quipu_testkit::journal::{compact, profile, record, records_in};
use quipu_testkit::memories::{ask, asked, assert_replays, continuity, ids, remember, told};
use quipu_testkit::repo::{files_in, now, request};
use quipu_testkit::{Fault, FaultFs, TestRepo};

const SENTENCE: &str = "Marlin quartz 7712 opens the vault";
const VALUE: &str = "Marlin/quartz-7712";

/// The folder that has the database, the undo entries and the rest of the state.
fn state(repo: &TestRepo) -> PathBuf {
    index::database(&repo.workspace()).parent().unwrap().to_owned()
}

/// Returns the places that have the words in any case and with any punctuation; names of files count.
fn places(repo: &TestRepo, words: &str) -> Vec<String> {
    let plain = |text: &str| -> String {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
    };
    let words = plain(words);
    let first = words.split(' ').next().unwrap().to_owned();
    let state = state(repo);
    let mut files = files_in(repo.root());
    if let Ok(inside) = state.strip_prefix(repo.root()) {
        files.retain(|path, _| !std::path::Path::new(path).starts_with(inside));
    }
    files.extend(files_in(&state).into_iter().map(|(path, b)| (format!("state:{path}"), b)));
    let has = |(path, bytes): &(String, Vec<u8>)| {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        (text.contains(&first) && plain(&text).contains(&words)) || plain(path).contains(&words)
    };
    files.into_iter().filter(has).map(|(path, _)| path).collect()
}

fn add_fact(workspace: &Workspace, text: &str, is_thread: bool) -> String {
    let new =
        NewFact { text: text.to_owned(), section: None, id: None, is_thread, allow_secret: true };
    let choice = Choice { agree: true, ..Choice::default() };
    match facts::add_fact(workspace, &new, &choice, &request("fact add")).unwrap().0 {
        Added::Written { id, .. } => id,
        other => panic!("{other:?}"),
    }
}

/// A workspace that has the words in every kind of place; returns the fact's id.
fn full() -> (TestRepo, String) {
    let repo = TestRepo::new();
    repo.write(
        "memory/continuity.md",
        &continuity(&[("kept-fact", "A fact that stays", "uses: 1")]),
    );
    let workspace = repo.workspace();
    let archived = add_fact(&workspace, "Once marlin QUARTZ 7712 opens the vault was said", false);
    facts::archive(&workspace, &[archived], &request("archive")).unwrap();
    add_fact(&workspace, "Ask whether marlin quartz, 7712 opens the vault", true);
    let id = add_fact(&workspace, SENTENCE, false);
    assert_eq!(id, "marlin-quartz-7712-opens-vault");
    let next = "the day after: marlin quartz 7712 opens the vault!";
    sessions::session_start(&workspace, Some("Codex"), None, &request("session start")).unwrap();
    let note = Note { kind: NoteKind::Did, text: format!("{next} See {id}") };
    sessions::session_note(&workspace, &note, std::slice::from_ref(&id), &request("session note"))
        .unwrap();
    sessions::note_opened(&workspace, None, &id).unwrap();
    remember(&workspace, "Marlin quartz 7712 opens the vault; somebody said so");
    let lesson = NewMemory { category: "experience".to_owned(), ..told(SENTENCE) };
    quipu_engine::remember::remember(&workspace, &[lesson], &request("remember")).unwrap();
    repo.write(
        "memory/sessions/2026-06-01-100000.md",
        &format!("# Session\n\n## What We Did\n\n- {next}\n\n## Memory References\n\n- {id}\n"),
    );
    repo.write("USER.md", &format!("# Ada\n\nI know: {SENTENCE}.\n"));
    repo.write("LONGMEMORY.md", &format!("# Long\n\n## Summary (2026-06-01)\n\n{SENTENCE}?\n"));
    repo.write(
        "memory/notes/marlin-quartz-7712-opens-the-vault.md",
        &format!("# {SENTENCE}\n\n{SENTENCE}.\n"),
    );
    let mut question =
        Question::new(QuestionKind::Belief, vec![id.clone(), "kept-fact".to_owned()], SENTENCE);
    question.claim = Some(VALUE.to_owned());
    let filed = question.filed_under();
    let asked = Decision::Ask { question: Box::new(question) };
    let asked = Record::deciding("ask-1", "s", &filed, (asked, SENTENCE), now());
    repo.write("memory/2026-06-01.md", &asked.line());
    index::index(&workspace, &mut |_, _| {}).unwrap();
    index::note_access(&workspace, &id, now());
    let state = state(&repo);
    std::fs::create_dir_all(state.join("hooks")).unwrap();
    let hook = format!(
        r#"{{"session":"s","given":["{id}"],"briefed":"{SENTENCE}","touched":["notes/{VALUE}"]}}"#
    );
    std::fs::write(state.join("hooks/claude-1.json"), hook).unwrap();
    std::fs::write(state.join("hook.log"), format!("2026-06-20 failed: {SENTENCE}\nother\n"))
        .unwrap();
    let plan = format!(r#"{{"actions":[{{"does":"{SENTENCE}"}},{{"does":"fade","id":"{id}"}}]}}"#);
    std::fs::write(state.join("dream.json"), plan).unwrap();
    std::fs::write(state.join("pending.json.new"), SENTENCE).unwrap();
    std::fs::write(state.join("quipu.db.broken"), SENTENCE).unwrap();
    repo.write("memory/.continuity.md.quipu-tmp", SENTENCE);
    (repo, id)
}

/// The same workspace for every test, made once.
fn copy() -> (TestRepo, String) {
    static FULL: OnceLock<(TestRepo, String)> = OnceLock::new();
    let (repo, id) = FULL.get_or_init(full);
    (repo.duplicate(), id.clone())
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Id,
    Value,
}

fn purge(workspace: &Workspace, by: By, id: &str) -> Result<Purged, Error> {
    match by {
        By::Id => purge::purge(workspace, id, "leaked", &request("purge")),
        By::Value => purge::purge_value(workspace, VALUE, "leaked", false, &request("purge")),
    }
}

/// What must be gone: by its id a fact goes as a whole, and a value wherever it is.
fn gone(by: By) -> &'static str {
    match by {
        By::Id => "marlin quartz 7712 opens",
        By::Value => VALUE,
    }
}

#[test]
fn the_words_are_in_every_kind_of_place_before() {
    let (repo, _) = copy();
    let found = places(&repo, gone(By::Id));
    for place in [
        "memory/continuity.md",
        "memory/archive/INDEX.md",
        "memory/archive/2026-Q2.md",
        "memory/sessions/2026-06-01-100000.md",
        "memory/2026-06-20.md",
        "memory/2026-06-01.md",
        "MEMORY.md",
        "LONGMEMORY.md",
        "USER.md",
        "memory/notes/marlin-quartz-7712-opens-the-vault.md",
        "memory/.continuity.md.quipu-tmp",
        "state:pending.json",
        "state:pending.json.new",
        "state:quipu.db.broken",
        "state:hooks/claude-1.json",
        "state:hook.log",
        "state:dream.json",
        "state:quipu.db",
    ] {
        assert!(found.iter().any(|found| found == place), "{place} of {found:?}");
    }
    for part in ["state:undo/", "state:sessions/"] {
        assert!(found.iter().any(|found| found.starts_with(part)), "{part} of {found:?}");
    }
}

#[test]
fn a_purge_by_id_or_by_value_leaves_nothing_anywhere() {
    for by in [By::Id, By::Value] {
        let (repo, id) = copy();
        let preview = Request { dry_run: true, ..request("purge") };
        let before = files_in(repo.root());
        let workspace = repo.workspace();
        let shown = match by {
            By::Id => purge::purge(&workspace, &id, "leaked", &preview).unwrap(),
            By::Value => purge::purge_value(&workspace, VALUE, "leaked", false, &preview).unwrap(),
        };
        assert!(shown.files.len() > 12, "{by:?}: {shown:?}");
        for (path, bytes) in files_in(repo.root()) {
            assert!(path.contains("quipu.db") || before.get(&path) == Some(&bytes), "{path}");
        }
        let done = purge(&workspace, by, &id).unwrap();
        assert_eq!(places(&repo, gone(by)), [""; 0], "{by:?}");
        assert!(repo.read("memory/continuity.md").contains("A fact that stays"));
        assert!(repo.read("MEMORY.md").contains("somebody said so"), "other words stay");
        assert!(done.renamed.iter().any(|id| id.contains("purged-")), "{done:?}");
        let told = serde_json::to_string(&done).unwrap().to_lowercase();
        assert!(!told.contains("marlin"), "{told}");
        assert!(!state(&repo).join("purge.json").exists());
        assert_replays(&workspace);
        assert_eq!(facts::lint(&workspace, false).unwrap().errors(), 0);
        let history = history::history(&workspace, &done.id, false).unwrap();
        assert!(history.entries.iter().any(|entry| entry.reason == "leaked"));
        assert!(ask(&workspace, &asked("marlin quartz")).results.is_empty(), "{by:?}");
        let (log, new) = (repo.read("memory/sessions/2026-06-01-100000.md"), &done.renamed);
        assert!(new.iter().any(|id| log.contains(&format!("- {id}\n"))), "{log}: {new:?}");
        while undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).is_ok() {}
        assert_eq!(places(&repo, gone(by)), [""; 0], "{by:?} after undo");
        remember(&workspace, "life goes on");
        replay::replay(&workspace, false, &mut |_, _| {}).unwrap();
        assert_eq!(places(&repo, gone(by)), [""; 0], "{by:?} later");
    }
}

/// Kills a purge at every step of those that write, or at each of so many, and lets the next command
/// finish it.
fn killed(fault: Fault, by: By, stride: usize) {
    for step in (0..).step_by(stride) {
        let (repo, id) = copy();
        let fs = Arc::new(FaultFs::new(fault, step));
        let result = purge(&repo.workspace_on(fs.clone()), by, &id);
        if !fs.happened() {
            assert!(result.is_ok(), "{by:?} without a fault: {result:?}");
            assert!(step > 60, "only {step} steps: is the file layer bypassed?");
            return;
        }
        let place = format!("{by:?}, {fault:?} at step {step}");
        let was_begun = state(&repo).join("purge.json").exists();
        let workspace = repo.workspace();
        if step % 2 == 0 {
            // Any command that writes finishes it, before it does anything else.
            remember(&workspace, "life goes on");
            if was_begun {
                assert_eq!(places(&repo, gone(by)), [""; 0], "{place}: after the next command");
            }
        }
        match purge(&workspace, by, &id) {
            Ok(_) => {}
            Err(error) if matches!(error.of(), Some(Refusal::Unknown { .. })) => {}
            Err(error) => panic!("{place}: {error:?}"),
        }
        assert_eq!(places(&repo, gone(by)), [""; 0], "{place}");
        assert!(!state(&repo).join("purge.json").exists(), "{place}");
        let tombstones = repo.ledger("2026-06-20").matches("leaked").count();
        assert_eq!(tombstones, 1, "{place}: when and why, once");
        if step % 8 == 0 {
            assert_replays(&workspace);
        }
        while undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).is_ok() {}
        assert_eq!(places(&repo, gone(by)), [""; 0], "{place}: after undo");
    }
}

#[test]
fn a_purge_by_id_that_is_killed_at_any_step_is_finished() {
    killed(Fault::Stop, By::Id, 1);
}

#[test]
fn a_purge_by_value_that_is_killed_at_any_step_is_finished() {
    killed(Fault::Stop, By::Value, 1);
}

#[test]
fn a_purge_by_id_that_loses_power_is_finished() {
    killed(Fault::PowerCut, By::Id, 3);
}

#[test]
fn a_purge_by_value_that_loses_power_is_finished() {
    killed(Fault::PowerCut, By::Value, 3);
}

#[test]
fn a_reader_finishes_an_interrupted_purge_before_it_answers() {
    for step in (0..).step_by(7) {
        let (repo, id) = copy();
        let fs = Arc::new(FaultFs::new(Fault::Stop, step));
        let _ = purge(&repo.workspace_on(fs.clone()), By::Value, &id);
        if !fs.happened() {
            return;
        }
        if state(&repo).join("purge.json").exists() {
            let workspace = repo.workspace();
            match step % 3 {
                0 => drop(workspace.read().unwrap()),
                1 => assert!(ask(&workspace, &asked("marlin quartz")).results.is_empty()),
                _ => assert!(undo::changes(&workspace, 20).is_ok()),
            }
            assert_eq!(places(&repo, VALUE), [""; 0], "step {step}");
        }
    }
}

#[test]
fn a_purge_that_fails_before_its_files_changed_leaves_everything_as_it_was() {
    let (repo, _) = copy();
    let read_only = repo.root().join("USER.md");
    let mut rights = std::fs::metadata(&read_only).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&read_only, rights).unwrap();
    let before = repo.files();
    let workspace = repo.workspace();
    assert!(purge::purge_value(&workspace, VALUE, "leaked", false, &request("purge")).is_err());
    assert_eq!(repo.files(), before);
    assert!(!state(&repo).join("purge.json").exists(), "there is nothing to finish");
    assert!(workspace.read().is_ok());
}

#[test]
fn references_follow_an_id_that_was_made_of_the_words() {
    let repo = TestRepo::new();
    let facts = [
        (
            "pin-is-marlin-7712",
            "The pin is marlin-7712, and Otto knows",
            "uses: 1 | tier: superseded | superseded_by: pin-marlin-7712-now",
        ),
        (
            "pin-marlin-7712-now",
            "The pin is marlin-7712 now",
            "uses: 1 | supersedes: pin-is-marlin-7712",
        ),
        ("pinned-down", "Requirements are pinned down", "uses: 1"),
    ];
    repo.write("memory/continuity.md", &continuity(&facts));
    let workspace = repo.workspace();
    let done =
        purge::purge_value(&workspace, "marlin-7712", "leaked", false, &request("purge")).unwrap();
    let text = repo.read("memory/continuity.md");
    assert!(!text.contains("7712") && !text.contains("marlin"), "{text}");
    assert!(text.contains("and Otto knows") && text.contains("id: pinned-down"), "{text}");
    assert_eq!(done.renamed.len(), 2);
    for id in &done.renamed {
        assert_eq!(text.matches(id.as_str()).count(), 2, "{id} in {text}");
    }
    assert_replays(&workspace);
}

#[test]
fn a_short_value_or_one_of_the_mark_is_refused() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    remember(&workspace, "the code is 4711x");
    let run = |value: &str, is_meant: bool| {
        purge::purge_value(&workspace, value, "leaked", is_meant, &request("purge"))
    };
    for (value, is_meant) in [("a", true), ("471", true), ("4711x", false), ("PURGED 2026", true)] {
        assert!(run(value, is_meant).is_err(), "{value}");
    }
    assert!(repo.read("MEMORY.md").contains("4711x"));
    run("4711x", true).unwrap();
    assert!(repo.read("MEMORY.md").contains("the code is (PURGED 2026-06-20)"));
}

#[test]
fn a_value_that_is_nowhere_leaves_no_tombstone_and_files_outside_are_named() {
    let repo = TestRepo::new();
    repo.write("src/main.rs", "const KEY: &str = \"marlin-7712\";\n");
    let workspace = repo.workspace();
    remember(&workspace, "an ordinary note");
    let before = repo.files();
    let done =
        purge::purge_value(&workspace, "marlin-7712", "leaked", false, &request("purge")).unwrap();
    assert!(done.files.is_empty());
    assert!(done.not_reached.iter().any(|place| place.starts_with("src/main.rs")));
    assert_eq!(repo.files(), before);
}

#[test]
fn what_stands_for_others_is_redacted_and_its_sources_are_named() {
    let lines: Vec<String> = (0..6)
        .map(|n| {
            record(&format!("r{n}"), "note", &format!("Matter {n} was settled well"), 30).line()
        })
        .collect();
    let repo = profile(&lines);
    let workspace = repo.workspace();
    compact(&workspace);
    let merged = records_in(&repo, "MEMORY.md")[0].id.clone();
    let done = purge::purge(&workspace, &merged, "asked to", &request("purge")).unwrap();
    assert!(done.not_reached.iter().any(|place| place.contains("(6)")), "{done:?}");
    assert_eq!(records_in(&repo, "MEMORY.md")[0].text, "(PURGED 2026-06-20)");
    assert!(repo.read("memory/MEMORY-archive.md").contains("Matter 3 was settled"), "sources stay");
    assert!(index::resolve(&workspace, "r3").unwrap().text.contains("Matter 3"));
    assert_replays(&workspace);
}

#[test]
fn words_of_source_files_are_refused_with_the_file() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", &continuity(&[]));
    repo.write("src/lib.rs", "/// Opens the vault by marlin-7712.\npub fn open_vault() {}\n");
    let workspace = repo.workspace();
    codebase::scan_code(&workspace, now(), false, &mut |_, _| {}).unwrap();
    let all = replay::index_ids(&workspace).unwrap();
    let code = all.iter().find(|id| id.contains("src/lib.rs")).unwrap();
    let refused = purge::purge(&workspace, code, "leaked", &request("purge")).unwrap_err();
    assert!(refused.to_string().contains("src/lib.rs"), "{refused}");
    purge::purge_value(&workspace, "marlin-7712", "leaked", false, &request("purge")).unwrap();
    assert_eq!(places(&repo, "marlin-7712"), ["src/lib.rs"]);
    assert_replays(&workspace);
}

#[test]
fn a_copy_of_the_old_fact_does_not_come_back_through_a_merge() {
    let before = continuity(&[
        ("pin-is-marlin-7712", "The pin is marlin-7712", "uses: 1"),
        ("kept-fact", "A fact that stays", "uses: 1"),
    ]);
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", &before);
    let workspace = repo.workspace();
    purge::purge(&workspace, "pin-is-marlin-7712", "leaked", &request("purge")).unwrap();
    let ours = repo.read("memory/continuity.md");
    let theirs = before.replace("A fact that stays", "A fact that stays, says Ada");
    let sides = Sides { base: &before, ours: &ours, theirs: &theirs };
    let merged = three_way(FileKind::Continuity, sides, &Elsewhere::default()).text;
    assert!(!merged.contains("7712"), "{merged}");
    assert!(merged.contains("says Ada"), "{merged}");
    repo.write("memory/continuity.md", &merged);
    assert!(!ids(&ask(&workspace, &asked("pin marlin"))).iter().any(|id| id.contains("marlin")));
}

#[test]
fn a_restored_copy_of_the_old_file_is_not_recalled_under_the_old_id() {
    let before = continuity(&[
        ("pin-is-marlin-7712", "The pin is marlin-7712", "uses: 1"),
        ("kept-fact", "A fact that stays", "uses: 1"),
    ]);
    let (here, there) = (TestRepo::new(), TestRepo::new());
    for repo in [&here, &there] {
        repo.write("memory/continuity.md", &before);
        assert!(!ask(&repo.workspace(), &asked("pin marlin")).results.is_empty());
    }
    purge::purge(&here.workspace(), "pin-is-marlin-7712", "leaked", &request("purge")).unwrap();
    here.write("memory/continuity.md", &before);
    // Only the tombstone reaches the other clone.
    let events = "memory/events/2026-06-20.jsonl";
    there.write(events, &here.read(events));
    for repo in [&here, &there] {
        let workspace = repo.workspace();
        assert!(ask(&workspace, &asked("pin marlin")).results.is_empty());
        assert!(!ask(&workspace, &asked("fact that stays")).results.is_empty());
        assert_replays(&workspace);
    }
}
