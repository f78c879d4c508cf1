//! What version 0.1 left in `.quipu/`: taken over where it is ours, and what could write files only when
//! a person says so.

use std::path::Path;

use quipu_testkit::repo::files_in;
use quipu_testkit::{TestRepo, state_of};

use crate::callers::person;
use crate::git::git;
use crate::{initialised, json, run};

/// A workspace as version 0.1 left it: all of its state is in `.quipu/`.
fn of_0_1(with_git: bool) -> TestRepo {
    let repo = initialised();
    let root = repo.root();
    if with_git {
        git(root, &["init", "-q"]);
    }
    run(root, &["token", "add", "ada"]);
    run(root, &["fact", "add", "Deploys happen on Tuesdays", "--id", "deploys-on-tuesdays"]);
    run(root, &["session", "start", "--agent", "tester"]);
    run(root, &["session", "note", "Looked around"]);
    run(root, &["show", "deploys-on-tuesdays"]);
    let state = state_of(root, "");
    for (path, bytes) in files_in(&state) {
        repo.write_bytes(&format!(".quipu/{path}"), &bytes);
    }
    std::fs::remove_file(root.join(".quipu/state")).unwrap();
    std::fs::remove_file(root.join(".quipu/workspace")).unwrap();
    std::fs::remove_dir_all(state).unwrap();
    repo
}

fn tokens(root: &Path) -> usize {
    json(root, &["token", "list"]).1["tokens"].as_array().unwrap().len()
}

fn sessions(root: &Path) -> usize {
    json(root, &["session", "list"]).1["open"].as_array().unwrap().len()
}

#[test]
fn data_of_0_1_is_taken_over_and_operations_wait_for_a_person() {
    let repo = of_0_1(true);
    let root = repo.root();
    let (code, _, error) = run(root, &["remember", "Tea is at four"]);
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("`quipu adopt` shows them"), "{error}");
    assert_eq!((tokens(root), sessions(root)), (0, 1), "a token waits for a person");
    let (_, listed) = json(root, &["undo", "--list"]);
    let listed = listed["history"].as_array().unwrap();
    assert_eq!(listed.len(), 1, "only what was remembered can be undone yet: {listed:?}");
    let (code, out, _) = run(root, &["adopt", "--yes"]);
    assert!(code == 1 && out.contains("a person can do it at a terminal"), "{out}");
    assert!(out.contains("operations to undo, for ") && out.contains("ada (write)"), "{out}");
    assert_eq!(person(root, &["adopt", "--yes"], &[]).0, 0);
    assert_eq!(tokens(root), 1);
    assert_eq!(run(root, &["undo"]).0, 0);
    let (code, undone, error) = run(root, &["undo"]);
    assert_eq!(code, 0, "{undone}{error}");
    assert!(undone.contains("session note"), "the last operation of 0.1: {undone}");
}

#[test]
fn a_folder_that_git_does_not_vouch_for_is_ignored() {
    let repo = of_0_1(false);
    let root = repo.root();
    let (code, _, error) = run(root, &["remember", "Tea is at four"]);
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("`.quipu/` came with this folder and is ignored"), "{error}");
    assert_eq!((tokens(root), sessions(root)), (0, 0));
    assert_eq!(person(root, &["adopt", "--yes"], &[]).0, 0);
    assert_eq!((tokens(root), sessions(root)), (1, 1));
}

#[test]
fn a_committed_folder_is_ignored() {
    let repo = of_0_1(true);
    let root = repo.root();
    git(root, &["add", "-f", ".quipu"]);
    let (_, _, error) = run(root, &["remember", "Tea is at four"]);
    assert!(error.contains("is ignored"), "{error}");
    assert_eq!((tokens(root), sessions(root)), (0, 0));
}

#[test]
fn a_state_folder_that_is_no_absolute_path_is_refused() {
    let repo = initialised();
    let mut command = crate::quipu(repo.root());
    command.env(quipu_engine::state::VARIABLE, "state/of/mine");
    let (code, _, error) =
        crate::answer(&command.args(["remember", "Tea at four"]).output().unwrap());
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("`QUIPU_STATE_DIR` nor `HOME` is an absolute path"), "{error}");
    assert!(!repo.root().join("state").exists());
}
