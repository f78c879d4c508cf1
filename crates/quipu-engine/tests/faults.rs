//! At every step at which a machine can fail, the memory is as before or as after; nothing between.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process;
use std::sync::Arc;

use quipu_core::facts::NewFact;
use quipu_core::item::Decision;
use quipu_core::journal::{Form, Record, entry, records, window::Limits};
use quipu_core::review::Selection;
use quipu_core::session::{Note, NoteKind};
use quipu_engine::facts::{self, Choice};
use quipu_engine::fs::RealFs;
use quipu_engine::harvest::{self, Pick, Where};
use quipu_engine::memory_tool::{self, Command, MemoryToolError};
use quipu_engine::sessions::{self, EndRequest, SessionError};
use quipu_engine::{Error, Workspace, convert, decide, index, journal, open, undo, upkeep, user};
use quipu_testkit::journal::{compaction, profile, record};
use quipu_testkit::repo::{now, request, today};
use quipu_testkit::{Fault, FaultFs, TestRepo};

const FAULTS: [Fault; 4] = [Fault::Fail, Fault::Full, Fault::Stop, Fault::PowerCut];

/// An operation that writes several files.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Review,
    Archive,
    Reactivate,
    FactAdd,
    SessionEnd,
    Undo,
    Compact,
    UserEdit,
    NoteRename,
    Harvest,
    Convert,
    UndoConvert,
    UndoRemember,
}

/// Operations on the journal's own files.
const OF_JOURNAL: [Operation; 3] =
    [Operation::Convert, Operation::UndoConvert, Operation::UndoRemember];

const OPERATIONS: [Operation; 10] = [
    Operation::Review,
    Operation::Archive,
    Operation::Reactivate,
    Operation::FactAdd,
    Operation::SessionEnd,
    Operation::Undo,
    Operation::Compact,
    Operation::UserEdit,
    Operation::NoteRename,
    Operation::Harvest,
];

fn example() -> TestRepo {
    let before = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/evolving-memory/before");
    TestRepo::copy_of(Path::new(before))
}

/// A workspace in which `operation` has something to do.
fn prepared(operation: Operation) -> TestRepo {
    let repo = example();
    let workspace = repo.workspace();
    quipu_engine::ids::repeat_from(7);
    match operation {
        Operation::Convert | Operation::UndoConvert => {
            let lines = [record("r1", "note", "matter one", 30), record("r2", "note", "two", 29)];
            let lines: String = lines.iter().map(Record::line).collect();
            repo.write("MEMORY.md", &format!("# Mine\n\n{lines}my own line\n"));
            repo.write("memory/2026-05-22.md", &lines);
            let pin = Decision::Pin { pinned: true };
            decide::decide(&workspace, "r1", pin, "", &request("pin")).unwrap();
            repo.write("memory/events/.gitignore", "*\n");
            if matches!(operation, Operation::UndoConvert) {
                let request = request("journal convert");
                convert::convert_journal(&workspace, Form::Json, &request).unwrap();
            }
        }
        Operation::UndoRemember => {
            quipu_testkit::memories::remember(&workspace, "labels are printed at noon");
            repo.write("memory/events/.gitignore", "*\n");
        }
        Operation::SessionEnd => {
            sessions::session_start(&workspace, Some("Codex"), None, &request("session start"))
                .unwrap();
            let note = Note { kind: NoteKind::Did, text: "Looked at parcel-ids-ulid".to_owned() };
            sessions::session_note(&workspace, &note, &[], &request("session note")).unwrap();
        }
        Operation::Undo => {
            facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
        }
        Operation::Compact => {
            let lines: String = (0..6)
                .map(|n| record(&format!("r{n}"), "note", &format!("matter {n}"), 30).line())
                .collect();
            repo.write("MEMORY.md", &format!("# Mine\n\n{lines}my own line\n"));
            repo.write("LONGMEMORY.md", "# Long\n\nmy own words\n");
        }
        Operation::NoteRename => {
            repo.write("memory/notes/a/x.md", "x");
            repo.write("memory/notes/a/b/y.md", "y");
        }
        Operation::Harvest => {
            let record =
                "# 1. Labels\n\n## Status\n\nAccepted\n\n## Decision\n\nWe print labels as ZPL.\n";
            repo.write("docs/adr/0001-labels.md", record);
            repo.write("ROADMAP.md", "# Roadmap\n\n## Next\n\n- Returns at the door\n");
        }
        _ => {}
    }
    repo
}

fn run(operation: Operation, workspace: &Workspace) -> Result<(), Error> {
    let request = request("test");
    match operation {
        Operation::Review => facts::review(workspace, &Selection::default(), &request).map(drop),
        Operation::Archive => {
            facts::archive(workspace, &["changelog-per-merge".to_owned()], &request).map(drop)
        }
        Operation::Reactivate => {
            facts::reactivate(workspace, &["tracking-number-check-digit".to_owned()], &request)
                .map(drop)
        }
        Operation::FactAdd => {
            let new = NewFact {
                text: "Labels are printed as ZPL".to_owned(),
                section: None,
                id: None,
                is_thread: false,
                allow_secret: false,
            };
            facts::add_fact(workspace, &new, &Choice::default(), &request).map(drop)
        }
        Operation::SessionEnd => {
            sessions::session_end(workspace, &EndRequest::default(), now(), today()).map(drop)
        }
        Operation::Undo | Operation::UndoConvert | Operation::UndoRemember => {
            undo::undo(workspace, None, &quipu_testkit::repo::request("undo")).map(drop)
        }
        Operation::Convert => convert::convert_journal(workspace, Form::Json, &request).map(drop),
        Operation::Compact => upkeep::compact(workspace, &compaction()).map(drop),
        Operation::NoteRename => {
            let (old_path, new_path) = ("/memories/a".to_owned(), "/memories/c".to_owned());
            let command = Command::Rename { old_path, new_path };
            memory_tool::memory_tool(workspace, &command, false, &request).map(drop).map_err(
                |error| match error {
                    MemoryToolError::Workspace(error) => error,
                    refused => panic!("{refused}"),
                },
            )
        }
        Operation::UserEdit => {
            user::set_user(workspace, "# Ada\n", None, false, &request).map(drop)
        }
        Operation::Harvest => {
            let place = Where::default();
            harvest::accept_harvest(workspace, &place, &Pick::All, &request, &mut |_, _| {})
                .map(drop)
        }
    }
}

/// The memory's files, and the sessions that are open.
fn state(repo: &TestRepo) -> (BTreeMap<String, Vec<u8>>, usize) {
    let workspace = repo.workspace();
    let mut files = repo.files();
    // A copy that was never put in place is debris, not memory.
    files.retain(|path, _| !path.ends_with(".quipu-tmp"));
    // New records have ids of chance.
    if let Some(window) = files.get_mut("MEMORY.md") {
        let lines = String::from_utf8_lossy(window);
        let mut named = lines.clone().into_owned();
        for entry in entry::entries(&lines).filter(|entry| entry.record.merged.is_some()) {
            named = named.replace(&entry.record.id, "by chance");
        }
        *window = named.into_bytes();
    }
    (files, sessions::open_sessions(&workspace).unwrap().len())
}

/// Runs `operation` with `fault` at each step in turn, and hands each result to `check`.
fn at_every_step(
    fault: Fault,
    operation: Operation,
    check: impl Fn(usize, &TestRepo, bool),
) -> usize {
    for step in 0.. {
        let repo = prepared(operation);
        let fs = Arc::new(FaultFs::new(fault, step));
        let result = run(operation, &repo.workspace_on(fs.clone()));
        if !fs.happened() {
            assert!(result.is_ok(), "{operation:?} without a fault: {result:?}");
            return step;
        }
        check(step, &repo, result.is_ok());
    }
    unreachable!("an operation has an end")
}

#[test]
fn every_fault_at_every_step_leaves_the_old_state_or_the_new_one() {
    leave_the_old_state_or_the_new_one(&OPERATIONS);
}

#[test]
fn every_fault_in_a_conversion_or_an_undo_leaves_the_old_state_or_the_new_one() {
    leave_the_old_state_or_the_new_one(&OF_JOURNAL);
}

fn leave_the_old_state_or_the_new_one(operations: &[Operation]) {
    for &operation in operations {
        let repo = prepared(operation);
        let old = state(&repo);
        let old_errors = facts::lint(&repo.workspace(), false).unwrap().errors();
        run(operation, &repo.workspace()).unwrap();
        let new = state(&repo);
        let new_errors = facts::lint(&repo.workspace(), false).unwrap().errors();
        assert_ne!(old, new, "{operation:?} does nothing");
        for fault in FAULTS {
            let steps = at_every_step(fault, operation, |step, repo, succeeded| {
                let place = format!("{operation:?}, {fault:?} at step {step}");
                if fault == Fault::Fail && !succeeded {
                    assert_eq!(state(repo), old, "{place}: an error left traces");
                }
                // The next command, on a healthy machine.
                let next = repo.workspace();
                next.read().unwrap_or_else(|error| panic!("{place}: {error}"));
                let found = state(repo);
                assert!(found == old || found == new, "{place}: a mix of old and new");
                if succeeded {
                    assert_eq!(found, new, "{place}: reported success and lost it");
                }
                let errors = if found == old { old_errors } else { new_errors };
                assert_eq!(facts::lint(&next, false).unwrap().errors(), errors, "{place}");
            });
            assert!(
                steps > 10,
                "{operation:?} has only {steps} steps: is the file layer bypassed?"
            );
        }
    }
}

#[test]
fn after_a_stop_at_every_step_the_operation_can_be_run_again() {
    for operation in [Operation::Review, Operation::FactAdd, Operation::SessionEnd] {
        at_every_step(Fault::Stop, operation, |step, repo, _| {
            let again = run(operation, &repo.workspace());
            let already_done =
                again.as_ref().is_err_and(|error| error.of::<SessionError>().is_some());
            assert!(again.is_ok() || already_done, "{operation:?}, step {step}: {again:?}");
        });
    }
}

/// Every id that a footer names, in continuity and archive.
fn ids(repo: &TestRepo) -> BTreeSet<String> {
    repo.workspace().read().unwrap().parse().unwrap().ids().into_iter().map(str::to_owned).collect()
}

#[test]
fn a_file_edited_after_an_interruption_is_left_alone_and_no_fact_is_lost() {
    for operation in [Operation::Review, Operation::Archive, Operation::Reactivate] {
        let before = ids(&prepared(operation));
        let edits = Cell::new(0);
        let paths =
            ["memory/continuity.md", "memory/archive/2026-Q1.md", "memory/archive/2026-Q2.md"];
        for edited in paths {
            at_every_step(Fault::Stop, operation, |step, repo, _| {
                let path = repo.root().join(edited);
                if !quipu_testkit::state_of(repo.root(), "tx/manifest.json").exists()
                    || !path.exists()
                {
                    return;
                }
                let mine = repo.read(edited) + "\nmy own line\n";
                repo.write(edited, &mine);
                edits.set(edits.get() + 1);
                repo.workspace().read().unwrap();
                let place = format!("{operation:?}, {edited} edited after step {step}");
                assert_eq!(repo.read(edited), mine, "{place}");
                assert!(before.is_subset(&ids(repo)), "{place}: a fact was lost");
            });
        }
        assert!(edits.get() > 10, "{operation:?} was hardly ever interrupted");
    }
}

#[test]
fn a_file_edited_while_the_plan_was_made_is_not_overwritten() {
    let repo = prepared(Operation::Review);
    let workspace = repo.workspace();
    let result = workspace.change("test", now(), false, |memory| {
        let text = memory.continuity.source.replace("pigeon-post", "pigeon-mail");
        repo.write("memory/continuity.md", "saved by a person\n");
        Ok(((), [("memory/continuity.md".to_owned(), Some(text))].into()))
    });
    assert_eq!(result.unwrap_err().code(), "edited-since");
    assert_eq!(repo.read("memory/continuity.md"), "saved by a person\n");
}

/// Not a test by itself: the process that [`a_process_that_aborts_at_any_step_leaves_no_mix`] kills.
#[test]
fn the_process_that_aborts() {
    let Ok(root) = std::env::var("QUIPU_TEST_ABORT_ROOT") else { return };
    let step = std::env::var("QUIPU_TEST_ABORT_STEP").unwrap().parse().unwrap();
    let fs = Arc::new(FaultFs::new(Fault::Abort, step));
    let workspace = open::at(fs, Path::new(&root)).unwrap();
    let workspace = workspace.keeping_state_in(&quipu_testkit::state_home_of(Path::new(&root)));
    run(Operation::Review, &workspace).unwrap();
}

#[test]
fn a_process_that_aborts_at_any_step_leaves_no_mix() {
    let repo = prepared(Operation::Review);
    let old = state(&repo);
    run(Operation::Review, &repo.workspace()).unwrap();
    let new = state(&repo);
    for step in (0..).step_by(3) {
        let repo = prepared(Operation::Review);
        let status = process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "faults::the_process_that_aborts"])
            .env("QUIPU_TEST_ABORT_ROOT", repo.root())
            .env("QUIPU_TEST_ABORT_STEP", step.to_string())
            .output()
            .unwrap()
            .status;
        // The lock went with the process: the next one neither waits nor fails.
        repo.workspace_on(Arc::new(RealFs)).read().unwrap();
        let found = state(&repo);
        assert!(found == old || found == new, "abort at step {step}: a mix of old and new");
        if status.success() {
            assert_eq!(found, new);
            return;
        }
    }
}

#[test]
fn trimming_loses_nothing_whatever_fails() {
    let lines: Vec<String> = (0..8)
        .map(|n| record(&format!("r{n}"), "note", &format!("matter {n}"), 30).line())
        .collect();
    let limits = Limits { records: Some(3), ..Limits::default() };
    for fault in FAULTS {
        for step in 0.. {
            let repo = profile(&lines);
            index::freshen(&repo.workspace()).unwrap();
            let old = repo.read("MEMORY.md");
            let fs = Arc::new(FaultFs::new(fault, step));
            let result = journal::trim(
                &repo.workspace_on(fs.clone()),
                &limits,
                quipu_testkit::repo::now(),
                false,
            );
            let place = format!("{fault:?} at step {step}");
            let window = repo.read("MEMORY.md");
            let left = records(&window).count();
            assert!(window == old || left == 3, "{place}: {left} records");
            if fault == Fault::Fail && result.is_err() {
                assert_eq!(window, old, "{place}: an error left traces");
            }
            let archive = repo.files().remove("memory/MEMORY-archive.md").unwrap_or_default();
            let archive = String::from_utf8(archive).unwrap();
            let kept: BTreeSet<String> =
                records(&window).chain(records(&archive)).map(|(_, record)| record.id).collect();
            assert_eq!(kept.len(), 8, "{place}: a record was lost");
            // Run again on a healthy machine, it comes to an end.
            journal::trim(&repo.workspace(), &limits, quipu_testkit::repo::now(), false).unwrap();
            assert_eq!(records(&repo.read("MEMORY.md")).count(), 3, "{place}");
            if !fs.happened() {
                assert!(step > 5, "only {step} steps: is the file layer bypassed?");
                break;
            }
        }
    }
}

#[test]
fn appending_over_the_limit_loses_nothing_whatever_fails() {
    use quipu_testkit::memories::told;
    for fault in FAULTS {
        for step in 0.. {
            let repo = profile(&[]);
            let limit = [("continuity.memoryMaxRecords".to_owned(), "2".to_owned())];
            let on = |fs| {
                let workspace = open::at_with(fs, repo.root(), &limit).unwrap();
                workspace.keeping_state_in(repo.state_home())
            };
            let healthy: Arc<dyn quipu_engine::fs::FileSystem> = Arc::new(quipu_testkit::NoSyncFs);
            for n in 0..3 {
                let new = told(&format!("matter {n}"));
                quipu_engine::remember::remember(
                    &on(healthy.clone()),
                    &[new],
                    &request("remember"),
                )
                .unwrap();
            }
            let fs = Arc::new(FaultFs::new(fault, step));
            let result = quipu_engine::remember::remember(
                &on(fs.clone()),
                &[told("one more")],
                &request("remember"),
            );
            let place = format!("{fault:?} at step {step}");
            let texts = |path: &str| -> Vec<String> {
                records(&repo.read(path)).map(|(_, record)| record.text).collect()
            };
            let day = texts("memory/2026-06-20.md");
            assert!(day.len() >= 3, "{place}: a day lost something");
            if result.is_ok() {
                assert_eq!(day.last().map(String::as_str), Some("one more"), "{place}");
            } else if fault == Fault::Fail {
                assert_eq!(day.len(), 3, "{place}: said failed, and was remembered");
            }
            quipu_engine::remember::remember(
                &on(healthy),
                &[told("the next")],
                &request("remember"),
            )
            .unwrap();
            assert_eq!(texts("MEMORY.md").last().map(String::as_str), Some("the next"), "{place}");
            assert_eq!(texts("MEMORY.md").len(), 2, "{place}");
            if !fs.happened() {
                break;
            }
        }
    }
}
