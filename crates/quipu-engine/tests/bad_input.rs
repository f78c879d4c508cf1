//! What is not as it should be is told with its place, and changes nothing.

use quipu_core::review::Selection;
use quipu_engine::{Error, ErrorKind, facts};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::request;

const CONTINUITY: &str = "# C\n\n## Key Decisions\n\n- x\n  <!-- id: a-b | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: superseded -->\n";

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", CONTINUITY);
    repo.write("memory/sessions/2026-01-02-000000.md", "## Memory References\n\n- a-b\n");
    repo
}

/// Runs a review that would change the folder, and returns how it is refused.
fn refused(repo: &TestRepo) -> Error {
    let before = repo.files();
    let error =
        facts::review(&repo.workspace(), &Selection::default(), &request("review")).unwrap_err();
    assert_eq!(repo.files(), before, "a refused operation changed something");
    assert!(error.advice().is_some(), "{error} does not say what to do next");
    error
}

#[test]
fn a_file_that_is_not_utf8_is_refused_with_its_position() {
    let repo = repo();
    repo.write_bytes("memory/sessions/2026-01-03-000000.md", b"# S\n\nab\xff\n");
    let error = refused(&repo);
    assert_eq!(
        error.to_string(),
        "`memory/sessions/2026-01-03-000000.md` line 3: byte 7 is not UTF-8"
    );
    assert_eq!(error.kind(), ErrorKind::Input);
}

#[test]
fn a_folder_where_a_file_should_be_is_named() {
    let repo = repo();
    std::fs::create_dir(repo.root().join("memory/decay-policy.md")).unwrap();
    assert!(refused(&repo).to_string().contains("`memory/decay-policy.md` is a folder"));
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let repo = repo();
    let path = repo.root().join("memory/continuity.md");
    let mut permissions = path.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    assert!(refused(&repo).to_string().ends_with("memory/continuity.md` is read-only"));
}

#[cfg(unix)]
#[test]
fn a_link_is_refused_wherever_it_leads() {
    let outside = TestRepo::new();
    outside.write("secret.md", "# not yours\n");
    let repo = repo();
    let link = repo.root().join("memory/notes.md");
    std::os::unix::fs::symlink(outside.root().join("secret.md"), &link).unwrap();
    assert!(refused(&repo).to_string().contains("`memory/notes.md` is a link"));
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(outside.root(), repo.root().join("memory/archive")).unwrap();
    assert!(refused(&repo).to_string().contains("`memory/archive` is a link"));
    assert_eq!(outside.files().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_inside_the_workspace_is_refused_too() {
    // What it leads to may be a file that git ignores, such as `.env`.
    let repo = repo();
    std::fs::rename(repo.root().join("memory/continuity.md"), repo.root().join("real.md")).unwrap();
    std::os::unix::fs::symlink("../real.md", repo.root().join("memory/continuity.md")).unwrap();
    assert!(refused(&repo).to_string().contains("`memory/continuity.md` is a link"));
    assert_eq!(repo.read("real.md"), CONTINUITY);
}

#[test]
fn a_file_of_100_mb_is_refused_by_its_size() {
    let repo = repo();
    let file = std::fs::File::create(repo.root().join("memory/sessions/2026-01-04-000000.md"));
    file.unwrap().set_len(100 * 1024 * 1024).unwrap();
    let before = repo.root().join("memory/continuity.md");
    let error =
        facts::review(&repo.workspace(), &Selection::default(), &request("review")).unwrap_err();
    assert!(error.to_string().contains("has 104857600 bytes"), "{error}");
    assert_eq!(std::fs::read_to_string(before).unwrap(), CONTINUITY);
}

#[test]
fn a_policy_that_makes_no_sense_is_named_with_its_line() {
    let repo = repo();
    repo.write("memory/decay-policy.md", "# P\n\n- active_window: 99999999999\n");
    let error = refused(&repo);
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        cause,
        "line 3: `active_window: 99999999999` is not a whole number from 0 to 1000000"
    );
}

#[test]
fn conflict_markers_are_a_finding_and_no_obstacle_to_reading() {
    let repo = repo();
    repo.write("memory/vision.md", "# V\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n");
    let linted = facts::lint(&repo.workspace(), false).unwrap();
    let found =
        linted.findings.iter().find(|finding| finding.code.as_str() == "conflict-marker").unwrap();
    assert_eq!((found.path.as_str(), found.line), ("memory/vision.md", Some(2)));
}

#[test]
fn a_footer_with_a_duplicate_key_keeps_both_and_counts_the_last() {
    let repo = repo();
    let text = CONTINUITY.replace("tier: superseded", "tier: working | tier: active");
    repo.write("memory/continuity.md", &text);
    facts::refresh(&repo.workspace(), &request("refresh")).unwrap();
    let after = repo.read("memory/continuity.md");
    assert!(after.contains("tier: working | tier: working"), "{after}");
}

#[test]
fn a_folder_without_memory_is_told_apart() {
    let empty = TestRepo::new();
    let fs = std::sync::Arc::new(quipu_testkit::NoSyncFs);
    let error = quipu_engine::open::discover(fs, empty.root()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NoWorkspace);
}

#[test]
fn an_unknown_configuration_key_is_named() {
    let repo = repo();
    repo.write("quipu.toml", "[review]\nautomatic = true\n");
    let workspace = repo.workspace();
    let notices = &workspace.config().notices;
    assert!(notices[0].contains("`review.automatic`"), "{notices:?}");
}

#[test]
fn a_layout_of_a_newer_major_version_is_not_written_to() {
    let repo = repo();
    repo.write(".agent/version.md", "- **version:** 5.0.0\n");
    assert_eq!(refused(&repo).code(), "newer-layout");
    assert!(facts::lint(&repo.workspace(), false).is_ok(), "reading is harmless");
    repo.write(".agent/version.md", "- **version:** 4.99.0\n");
    facts::review(&repo.workspace(), &Selection::default(), &request("review")).unwrap();
}
