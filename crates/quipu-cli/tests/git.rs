//! Memory in git: real merges, real commits, real hooks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use quipu_testkit::TestRepo;
use quipu_testkit::corpora::{self, Corpus};

use crate::{USER_SETTINGS, initialised, json, run};

/// Returns git in `folder`, which finds the quipu under test on its path.
pub(crate) fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.env(quipu_engine::config::VARIABLE, folder.join(USER_SETTINGS));
    let bin = Path::new(env!("CARGO_BIN_EXE_quipu")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths: Vec<PathBuf> = std::iter::once(bin).chain(std::env::split_paths(&path)).collect();
    command.env("PATH", std::env::join_paths(paths).unwrap()).arg("-C").arg(folder);
    command.env(quipu_engine::state::VARIABLE, quipu_testkit::state_home_of(folder));
    for (key, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.com"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.com"),
    ] {
        command.env(key, value);
    }
    for name in ["QUIPU_SESSION", "QUIPU_NOW", "QUIPU_GUARD_MODE", "QUIPU_DIR"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = git_command(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", told(&output));
    told(&output)
}

pub(crate) fn git_fails(folder: &Path, arguments: &[&str]) -> String {
    let output = git_command(folder).args(arguments).output().unwrap();
    assert!(!output.status.success(), "git {arguments:?} succeeded: {}", told(&output));
    told(&output)
}

pub(crate) fn quipu(folder: &Path, arguments: &[&str]) -> String {
    let (code, out, error) = run(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}: {out}{error}");
    out
}

pub(crate) fn commit(folder: &Path, message: &str) -> String {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", message])
}

/// A repository with a memory, two facts, and Quipu in it.
pub(crate) fn repository() -> TestRepo {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q", "-b", "main"]);
    for (id, words) in [("one-way", "There is one way"), ("two-ways", "There are two ways")] {
        quipu(root, &["fact", "add", words, "--id", id, "--agree"]);
    }
    quipu(root, &["thread", "open", "Ship it", "--id", "ot-ship-it"]);
    quipu(root, &["git", "install"]);
    commit(root, "begin");
    repo
}

/// Does one thing on each of two branches, and merges them.
fn merged(ours: impl Fn(&Path), theirs: impl Fn(&Path)) -> TestRepo {
    let repo = repository();
    let root = repo.root();
    git(root, &["checkout", "-q", "-b", "other"]);
    theirs(root);
    commit(root, "theirs");
    git(root, &["checkout", "-q", "main"]);
    ours(root);
    commit(root, "ours");
    git(root, &["merge", "-q", "--no-edit", "other"]);
    let (code, lint) = json(root, &["lint"]);
    assert_eq!(code, 0, "{lint}");
    repo
}

/// A value that no scanner finds in this file.
pub(crate) fn credential() -> String {
    format!("password = \"{}\"\n", ["Zq7", "Lm2", "Xw9", "Rt4"].concat())
}

#[test]
fn facts_and_logs_of_both_branches_are_there_after_a_merge() {
    let work = |name: &'static str, time: &'static str| {
        move |root: &Path| {
            quipu(root, &["--now", time, "session", "start", "--agent", name]);
            quipu(
                root,
                &[
                    "--now",
                    time,
                    "fact",
                    "add",
                    &format!("Said by {name}"),
                    "--id",
                    &format!("fact-{name}"),
                    "--agree",
                ],
            );
            quipu(root, &["--now", time, "session", "end", "--did", "worked"]);
        }
    };
    let repo = merged(work("anna", "2026-06-20T10:00:00Z"), work("bert", "2026-06-20T11:00:00Z"));
    let continuity = repo.read("memory/continuity.md");
    assert!(continuity.contains("id: fact-anna") && continuity.contains("id: fact-bert"));
    let logs = std::fs::read_dir(repo.root().join("memory/sessions")).unwrap();
    assert_eq!(
        logs.filter(|log| log.as_ref().unwrap().path().extension().is_some_and(|e| e == "md"))
            .count(),
        2
    );
    assert_eq!(git(repo.root(), &["status", "--porcelain", "--", "memory"]), "");
}

#[test]
fn what_both_branches_reworded_is_kept_twice_and_asked_about() {
    let repo = merged(
        |root| {
            quipu(root, &["edit", "one-way", "--text", "There is exactly one way"]);
        },
        |root| {
            quipu(root, &["edit", "one-way", "--text", "There is no way"]);
        },
    );
    let continuity = repo.read("memory/continuity.md");
    assert!(
        continuity.contains("exactly one way") && continuity.contains("no way"),
        "{continuity}"
    );
    assert!(continuity.contains("Contradiction: two branches changed `one-way`"), "{continuity}");
}

#[test]
fn what_one_branch_archived_and_the_other_reworded_is_in_both_places_under_two_names() {
    let repo = merged(
        |root| {
            quipu(root, &["fact", "archive", "two-ways"]);
        },
        |root| {
            quipu(root, &["edit", "two-ways", "--text", "There are three ways", "--agree"]);
        },
    );
    let continuity = repo.read("memory/continuity.md");
    assert!(continuity.contains("id: two-ways-other-") && !continuity.contains("id: two-ways |"));
    quipu(repo.root(), &["show", "two-ways"]);
}

#[test]
fn a_closed_thread_stays_closed_and_a_rebase_merges_too() {
    let repo = repository();
    let root = repo.root();
    git(root, &["checkout", "-q", "-b", "other"]);
    quipu(root, &["thread", "close", "ot-ship-it"]);
    commit(root, "theirs");
    git(root, &["checkout", "-q", "main"]);
    quipu(root, &["edit", "ot-ship-it", "--text", "Ship it today"]);
    quipu(root, &["fact", "archive", "two-ways"]);
    commit(root, "ours");
    git(root, &["checkout", "-q", "other"]);
    quipu(root, &["edit", "two-ways", "--text", "There are three ways", "--agree"]);
    commit(root, "more");
    git(root, &["rebase", "-q", "main"]);
    let continuity = repo.read("memory/continuity.md");
    assert!(continuity.contains("- [x] Ship it today"), "{continuity}");
    assert!(continuity.contains("id: two-ways-other-"), "{continuity}");
}

#[test]
fn without_the_binary_git_merges_as_text() {
    let repo = repository();
    let root = repo.root();
    let driver = git(root, &["config", "merge.quipu.driver"]);
    let gone = driver
        .trim()
        .replace("command -v quipu", "command -v quipu-is-gone")
        .replace(env!("CARGO_BIN_EXE_quipu"), "/nowhere/quipu");
    git(root, &["config", "merge.quipu.driver", &gone]);
    git(root, &["checkout", "-q", "-b", "other"]);
    quipu(root, &["edit", "one-way", "--text", "There is no way"]);
    commit(root, "theirs");
    git(root, &["checkout", "-q", "main"]);
    quipu(root, &["edit", "ot-ship-it", "--text", "Ship it today"]);
    commit(root, "ours");
    assert!(git(root, &["merge", "--no-edit", "other"]).contains("git merges it as text"));
    let continuity = repo.read("memory/continuity.md");
    assert!(continuity.contains("no way") && continuity.contains("today"));
    quipu(root, &["edit", "one-way", "--text", "One"]);
    commit(root, "ours");
    git(root, &["checkout", "-q", "other"]);
    quipu(root, &["edit", "one-way", "--text", "Two"]);
    commit(root, "theirs");
    assert!(git_fails(root, &["merge", "main"]).contains("CONFLICT"));
}

/// Everything that an installation could touch.
pub(crate) fn state_of(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = quipu_testkit::repo::files_in(root);
    files.retain(|path, _| {
        path == ".gitattributes"
            || path == ".git/config"
            || path.contains("hooks/")
            || path.starts_with(".husky")
    });
    files
}

pub(crate) fn program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn an_uninstallation_puts_every_byte_back() {
    for attributes in [None, Some(""), Some("*.png binary"), Some("*.png binary\r\n")] {
        let repo = initialised();
        let root = repo.root();
        git(root, &["init", "-q"]);
        if let Some(attributes) = attributes {
            repo.write(".gitattributes", attributes);
        }
        program(&root.join(".git/hooks/pre-commit"), "#!/usr/bin/env python3\nprint('mine')\n");
        let before = state_of(root);
        let dry = quipu(root, &["git", "install", "--dry-run"]);
        assert!(dry.contains("merge.quipu.driver") && dry.contains("pre-commit"), "{dry}");
        assert_eq!(state_of(root), before, "a dry run changed something");
        quipu(root, &["git", "install"]);
        let installed = state_of(root);
        assert_ne!(installed, before);
        assert!(quipu(root, &["git", "install"]).contains("nothing to change"));
        assert_eq!(state_of(root), installed, "a second run changed something");
        let (_, status) = json(root, &["git", "status"]);
        assert_eq!(status["installed"], true, "{status}");
        quipu(root, &["git", "uninstall"]);
        assert_eq!(state_of(root), before, "{attributes:?}");
    }
}

#[test]
fn hooks_that_were_there_run_first_and_can_still_refuse() {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q"]);
    program(
        &root.join(".git/hooks/pre-commit"),
        "#!/bin/sh\necho \"mine $(basename \"$0\")\" >&2\n[ ! -e stop ] || exit 7\n",
    );
    program(&root.join(".git/hooks/post-commit"), "#!/usr/bin/env bash\necho mine after >&2\n");
    quipu(root, &["git", "install"]);
    let said = commit(root, "one");
    assert!(said.contains("mine pre-commit") && said.contains("mine after"), "{said}");
    repo.write("stop", "");
    git(root, &["add", "-A"]);
    git_fails(root, &["commit", "-m", "two"]);
    std::fs::remove_file(root.join("stop")).unwrap();
    repo.write("memory/notes.md", &credential());
    git(root, &["add", "-A"]);
    let said = git_fails(root, &["commit", "-m", "three"]);
    assert!(said.contains("mine") && said.contains("memory/notes.md:1"), "{said}");
}

#[test]
fn a_hooks_manager_that_looks_at_its_own_name_still_works() {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q"]);
    program(
        &root.join(".husky/_/h"),
        "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n",
    );
    program(&root.join(".husky/_/pre-commit"), "#!/usr/bin/env sh\n. \"${0%/*}/h\"");
    program(&root.join(".husky/pre-commit"), "echo managed >&2\n");
    git(root, &["config", "core.hooksPath", ".husky/_"]);
    let before = state_of(root);
    quipu(root, &["git", "install"]);
    assert!(commit(root, "one").contains("managed"));
    // The manager writes its hook again, as it does with every installation of packages.
    program(&root.join(".husky/_/pre-commit"), "#!/usr/bin/env sh\n. \"${0%/*}/h\"");
    let (_, status) = json(root, &["git", "status"]);
    assert_eq!(status["hooks"]["pre-commit"], false);
    quipu(root, &["git", "install"]);
    repo.write("x", "x");
    assert!(commit(root, "two").contains("managed"));
    quipu(root, &["git", "uninstall"]);
    assert_eq!(state_of(root), before);
}

/// Installs hooks as pre-commit does: what was there is set aside as `.legacy`, and run first. Being run
/// by what it runs is an error to it.
fn install_like_pre_commit(root: &Path) {
    for name in ["pre-commit", "post-commit"] {
        let path = root.join(".git/hooks").join(name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        if !found.is_empty() && !found.contains("pre-commit.com") {
            std::fs::rename(&path, path.with_extension("legacy")).unwrap();
        }
        let script = format!(
            "#!/usr/bin/env bash\n# of a manager: https://pre-commit.com\n[ -z \"$IN_MANAGER_{n}\" ] || {{ echo twice >&2; exit 9; }}\nexport IN_MANAGER_{n}=1\nold=\"$(dirname \"$0\")/{name}.legacy\"\nif [ -x \"$old\" ]; then \"$old\" || exit $?; fi\necho managed >&2\n",
            n = name.replace('-', "_")
        );
        program(&path, &script);
    }
}

/// The same for lefthook, which keeps what was there as `.old` and does not run it.
fn install_like_lefthook(root: &Path) {
    for name in ["pre-commit", "post-commit"] {
        let path = root.join(".git/hooks").join(name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        if !found.is_empty() && !found.contains("MANAGER=1") {
            std::fs::rename(&path, path.with_extension("old")).unwrap();
        }
        program(&path, "#!/bin/sh\nMANAGER=1\necho managed >&2\n");
    }
}

#[test]
fn managers_that_set_hooks_aside_run_beside_quipu_in_any_order() {
    for manager in [install_like_pre_commit, install_like_lefthook] {
        for first in ["manager", "quipu"] {
            let repo = initialised();
            let root = repo.root();
            git(root, &["init", "-q"]);
            let alone = {
                let other = initialised();
                git(other.root(), &["init", "-q"]);
                manager(other.root());
                let mut files = state_of(other.root());
                files.retain(|path, _| path.starts_with(".git/hooks/"));
                files
            };
            let both_work = |number: u8, place: &str| {
                repo.write("memory/notes.md", &credential());
                git(root, &["add", "-A"]);
                let said = git_fails(root, &["commit", "-m", "x"]);
                assert!(
                    said.contains("managed") && said.contains("memory/notes.md:1"),
                    "{place}: {said}"
                );
                repo.write("memory/notes.md", &format!("{number}\n"));
                let said = commit(root, "y");
                assert!(said.contains("managed") && !said.contains("twice"), "{place}: {said}");
            };
            if first == "manager" {
                manager(root);
                quipu(root, &["git", "install"]);
                both_work(1, "manager first");
            } else {
                quipu(root, &["git", "install"]);
            }
            // The manager comes again, as with every installation of packages: commits must work at
            // least, and `quipu git install` brings back what it dropped.
            manager(root);
            repo.write("z", "z");
            assert!(commit(root, "z").contains("managed"), "{first}");
            quipu(root, &["git", "install"]);
            both_work(2, "again");
            assert_eq!(json(root, &["git", "status"]).1["installed"], true);
            quipu(root, &["git", "uninstall"]);
            let mut left = state_of(root);
            left.retain(|path, _| path.starts_with(".git/hooks/"));
            assert_eq!(left, alone, "{first}: {:?}", left.keys());
            assert!(!root.join(".gitattributes").exists());
        }
    }
}

#[test]
fn hooks_that_lie_where_git_no_longer_looks_go_too() {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q"]);
    let before = state_of(root);
    quipu(root, &["git", "install"]);
    program(&root.join(".husky/pre-commit"), "#!/bin/sh\necho managed >&2\n");
    git(root, &["config", "core.hooksPath", ".husky"]);
    git(root, &["add", "-A"]);
    let said = quipu(root, &["git", "install"]);
    assert!(said.contains("commit it only together with `pre-commit.before-quipu`"), "{said}");
    assert!(commit(root, "x").contains("managed"));
    quipu(root, &["git", "uninstall"]);
    git(root, &["config", "--unset", "core.hooksPath"]);
    let mut left = state_of(root);
    assert!(left.remove(".husky/pre-commit").is_some());
    assert_eq!(left, before);
}

#[test]
fn hooks_that_other_repositories_share_are_left_alone() {
    let (repo, shared) = (initialised(), TestRepo::new());
    let root = repo.root();
    git(root, &["init", "-q"]);
    git(root, &["config", "core.hooksPath", shared.root().to_str().unwrap()]);
    let said = quipu(root, &["git", "install"]);
    assert!(said.contains("left alone"), "{said}");
    assert!(shared.files().is_empty());
}

#[test]
fn the_guard_looks_at_what_is_staged_and_only_at_what_is_added() {
    let repo = repository();
    let root = repo.root();
    repo.write("memory/notes.md", &format!("old\n{}", credential()));
    git(root, &["add", "-A"]);
    let said = git_fails(root, &["commit", "-m", "x"]);
    assert!(said.contains("memory/notes.md:2") && said.contains("credential-assignment"), "{said}");
    assert!(!said.contains("Zq7"), "the value was told: {said}");
    // The working tree is clean again, what is staged is not.
    repo.write("memory/notes.md", "old\n");
    git_fails(root, &["commit", "-m", "x"]);
    // And the other way round, also with an index of the commit's own.
    git(root, &["add", "-A"]);
    repo.write("memory/notes.md", &format!("old\n{}", credential()));
    git(root, &["commit", "-q", "-m", "x"]);
    git_fails(root, &["commit", "-m", "x", "memory/notes.md"]);
    git_fails(root, &["commit", "-a", "-m", "x"]);
    repo.write("memory/notes.md", &format!("old\n{} # quipu:allow-secret\n", credential().trim()));
    commit(root, "allowed");
    // What is there already is no news.
    let line = format!("old\n{} # quipu:allow-secret\nmore\n", credential().trim());
    repo.write("memory/notes.md", &line);
    commit(root, "more");
    repo.write("src/config.py", &credential());
    commit(root, "not memory");
    repo.write("quipu.toml", "[guard]\nscope = \"all\"\n");
    repo.write("src/other.py", &credential());
    git(root, &["add", "-A"]);
    git_fails(root, &["commit", "-m", "x"]);
    repo.write("quipu.toml", "[guard]\nscope = \"all\"\nmode = \"warn\"\n");
    git(root, &["add", "-A"]);
    git_fails(root, &["commit", "-m", "a repository does not weaken its guard"]);
    repo.write(USER_SETTINGS, "[guard]\nmode = \"warn\"\n");
    git(root, &["add", "-A"]);
    let said = git(root, &["commit", "-m", "x"]);
    assert!(said.contains("src/other.py:1"), "{said}");
}

#[test]
fn leaving_one_worktree_leaves_the_others_their_guard() {
    let repo = repository();
    let beside = TestRepo::new();
    let tree = beside.root().join("tree");
    git(repo.root(), &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    let (code, text, error) = run(&tree, &["git", "uninstall"]);
    assert_eq!((code, text.contains("all worktrees share")), (0, true), "{text}{error}");
    assert!(!tree.join(".gitattributes").exists());
    let hooks = repo.root().join(".git/hooks");
    assert!(hooks.join("pre-commit").exists() && hooks.join("post-commit").exists());
    assert!(git(repo.root(), &["config", "merge.quipu.driver"]).contains("quipu"));
}

#[test]
fn a_worktree_has_the_driver_and_the_hooks_too() {
    let repo = repository();
    let beside = TestRepo::new();
    let tree = beside.root().join("tree");
    git(repo.root(), &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    std::fs::write(tree.join("memory/notes.md"), credential()).unwrap();
    git(&tree, &["add", "-A"]);
    git_fails(&tree, &["commit", "-m", "x"]);
    git(&tree, &["rm", "-q", "--cached", "-f", "memory/notes.md"]);
    std::fs::remove_file(tree.join("memory/notes.md")).unwrap();
    quipu(&tree, &["edit", "one-way", "--text", "There is no way"]);
    commit(&tree, "side");
    quipu(repo.root(), &["edit", "one-way", "--text", "There is some way"]);
    commit(repo.root(), "main");
    git(&tree, &["merge", "-q", "--no-edit", "main"]);
    assert!(
        std::fs::read_to_string(tree.join("memory/continuity.md"))
            .unwrap()
            .contains("Contradiction:")
    );
}

#[test]
fn a_commit_reminds_of_a_missing_log_once_a_session() {
    let repo = repository();
    let root = repo.root();
    repo.write("quipu.toml", "[guard]\nnudge = true\n");
    quipu(root, &["session", "start"]);
    quipu(root, &["session", "end", "--did", "x"]);
    let logs = root.join("memory/sessions");
    for entry in std::fs::read_dir(&logs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "md") {
            std::fs::rename(&path, logs.join("2020-01-01-000000.md")).unwrap();
        }
    }
    commit(root, "log");
    let work = |name: &str| {
        repo.write(name, "x");
        commit(root, name)
    };
    // The first commit of all may have had no log either.
    let _ = std::fs::remove_file(quipu_testkit::state_of(root, "nudged"));
    assert!(work("a.txt").contains("no session log"));
    assert!(!work("b.txt").contains("no session log"));
    assert_eq!(std::fs::read_dir(&logs).unwrap().count(), 1, "it wrote a log");
    std::fs::remove_file(quipu_testkit::state_of(root, "nudged")).unwrap();
    quipu(root, &["session", "start"]);
    assert!(!work("c.txt").contains("no session log"), "a session is open");
}

#[test]
fn a_file_that_is_no_text_is_left_to_git() {
    let repo = TestRepo::new();
    repo.write_bytes("a", b"\xff");
    repo.write("b", "x\n");
    let root = repo.root();
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    for (base, name) in [("b", "memory/continuity.md"), ("b", "README.md")] {
        let (code, ..) = run(root, &["git", "merge", &path(base), &path("a"), &path("b"), name]);
        assert_eq!(code, 3);
    }
    assert_eq!(repo.files()["a"], b"\xff");
    assert_eq!(repo.files().len(), 2, "something was left behind");
}

/// Each of the 25 snapshots with several parents is a commit on top of its last parent: that one
/// already contains the others (its history was cut down to the commits that touched the memory). So a
/// merge of the parents is the last parent, and what people committed beyond it is their own work. No
/// merge of theirs is recorded; what the test can hold is that ours neither loses nor invents anything.
#[test]
fn the_25_real_merges_give_what_people_had() {
    let Some(folder) = corpora::folder("real merges") else { return };
    let corpus = Corpus::open(&folder.join("agent-memory"));
    let root = corpus.checkout("s0162").to_owned();
    quipu(&root, &["git", "install"]);
    for hook in ["pre-commit", "pre-merge-commit"] {
        std::fs::remove_file(root.join(".git/hooks").join(hook)).unwrap();
    }
    std::fs::rename(root.join(".gitattributes"), root.join(".git/info/attributes")).unwrap();
    let merges = git(&root, &["rev-list", "--merges", "--parents", "s0162"]);
    assert_eq!(merges.lines().count(), 25);
    for line in merges.lines() {
        let commits: Vec<&str> = line.split(' ').collect();
        let (committed, parents) = (commits[0], &commits[1..]);
        git(&root, &["checkout", "-q", "--force", "--detach", parents[0]]);
        for parent in &parents[1..] {
            git(&root, &["merge", "-q", "--no-edit", parent]);
        }
        let newest = parents.last().unwrap();
        assert_eq!(
            git(&root, &["diff", "--stat", newest, "HEAD"]),
            "",
            "{committed}: not its last parent"
        );
        let ids = |commit: &str| -> std::collections::BTreeSet<String> {
            let found = git(
                &root,
                &["grep", "-h", "-o", "-E", "<!-- id: [a-z0-9-]+ \\|", commit, "--", "memory"],
            );
            found.lines().map(str::to_owned).collect()
        };
        // Their own work only adds.
        let lost: Vec<String> = ids("HEAD").difference(&ids(committed)).cloned().collect();
        assert!(lost.is_empty(), "{committed}: {lost:?}");
    }
}

/// The snapshots are in one line: every parent of a merge is an ancestor of its last one, so that git has
/// nothing to merge there. What a merge commit added is put on its first parent instead, as if it had been
/// done on a branch of its own, and that branch is merged with the last parent. What people committed must
/// come out; a fact or a state line that differs must be one that both changed, and that is asked about.
#[test]
fn the_25_real_merges_as_branches_give_what_people_committed_or_ask() {
    let Some(folder) = corpora::folder("real merges as branches") else { return };
    let corpus = Corpus::open(&folder.join("agent-memory"));
    let root = corpus.checkout("s0162").to_owned();
    quipu(&root, &["git", "install"]);
    for hook in ["pre-commit", "pre-merge-commit", "post-commit"] {
        std::fs::remove_file(root.join(".git/hooks").join(hook)).unwrap();
    }
    std::fs::rename(root.join(".gitattributes"), root.join(".git/info/attributes")).unwrap();
    let merges = git(&root, &["rev-list", "--reverse", "--merges", "--parents", "s0162"]);
    let (mut exact, mut asked, mut apart) = (0, Vec::new(), Vec::new());
    for line in merges.lines() {
        let commits: Vec<&str> = line.split(' ').collect();
        let (committed, first, last) = (commits[0], commits[1], commits[commits.len() - 1]);
        let tag = git(&root, &["tag", "--points-at", committed]).trim().to_owned();
        git(&root, &["checkout", "-q", "--force", "--detach", first]);
        let parent = (commits.len() - 1).to_string();
        let picked = git_command(&root).args(["cherry-pick", "-m", &parent, committed]).output();
        if !picked.unwrap().status.success() {
            // It changed a file that the first parent did not have yet.
            let status = git(&root, &["status", "--porcelain"]);
            assert!(status.lines().any(|line| line.starts_with("DU ")), "{tag}: {status}");
            git(&root, &["cherry-pick", "--abort"]);
            apart.push(tag);
            continue;
        }
        let branch = git(&root, &["rev-parse", "HEAD"]).trim().to_owned();
        git(&root, &["checkout", "-q", "--detach", last]);
        let said = git(&root, &["merge", "-q", "--no-edit", &branch]);
        if git(&root, &["diff", "--stat", committed, "HEAD"]).is_empty() {
            exact += 1;
            continue;
        }
        let show = |commit: &str| git(&root, &["show", &format!("{commit}:memory/continuity.md")]);
        let changed = git(&root, &["diff", "--name-only", committed, "HEAD"]);
        assert_eq!(changed.trim(), "memory/continuity.md", "{tag}");
        let differs = differing(&show(committed), &show("HEAD"));
        for name in &differs {
            assert!(
                said.contains(&format!("`{name}`")) || said.contains(&format!("**{name}**")),
                "{tag}: {name}"
            );
        }
        if !differs.is_empty() {
            asked.push(format!("{tag}: {}", differs.join(", ")));
        }
    }
    tell(&format!(
        "25 real merges as branches: {exact} to the byte, {} asked about {asked:?}, not apart {apart:?}, \
         the others in another order or with other counts",
        asked.len()
    ));
    assert_eq!(apart.len(), 3, "{apart:?}");
    assert!(exact >= 6, "{exact}");
}

/// Returns the facts and state lines of a text that another has not, or says otherwise. What counting
/// derives is left out.
fn differing(wanted: &str, found: &str) -> Vec<String> {
    use quipu_core::doc::Document;
    let (wanted, found) = (Document::parse(wanted), Document::parse(found));
    let words = |document: &Document<'_>, id: &str| {
        let fact = document.fact(id)?;
        Some(quipu_core::text::collapse_whitespace(&document.words(fact)))
    };
    let ids = wanted.facts.iter().map(|fact| fact.id().to_owned());
    let mut differs: Vec<String> =
        ids.filter(|id| words(&wanted, id) != words(&found, id)).collect();
    let keys =
        wanted.source.lines().filter_map(|line| line.strip_prefix("- **")?.split_once(":**"));
    for (key, _) in keys {
        let value = |document: &Document<'_>| document.state(key).map(|line| line.value.to_owned());
        if value(&wanted) != value(&found) {
            differs.push(key.to_owned());
        }
    }
    differs.sort();
    differs.dedup();
    differs
}

/// Real commits, taken apart: every other changed block of `continuity.md` goes to one branch, the rest
/// to another. Merging them has to give what people committed.
#[test]
fn commits_taken_apart_and_merged_are_what_was_committed() {
    assert!(take_commits_apart(&corpora::own().join("tidewater"), 5) >= 4);
}

#[test]
fn real_commits_taken_apart_and_merged_are_what_people_committed() {
    let Some(folder) = corpora::folder("real commits") else { return };
    let tried = take_commits_apart(&folder.join("agent-memory"), 162);
    assert!(tried >= 60, "{tried}");
}

/// Checks the commits up to the snapshot number `last`; returns how many could be taken apart.
fn take_commits_apart(corpus: &Path, last: usize) -> usize {
    let corpus = Corpus::open(corpus);
    let root = corpus.checkout(&format!("s{last:04}")).to_owned();
    let show = |tag: usize| {
        let output = git_command(&root)
            .args(["show", &format!("s{tag:04}:memory/continuity.md")])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let scratch = TestRepo::new();
    let path = |name: &str| scratch.root().join(name).to_str().unwrap().to_owned();
    let (mut exact, mut same, mut tried) = (0, 0, 0);
    let mut wrong = Vec::new();
    for tag in 0..last {
        let (base, target) = (show(tag), show(tag + 1));
        let Some((ours, theirs)) = apart(&base, &target) else { continue };
        tried += 1;
        for (name, text) in [("o", &base), ("a", &ours), ("b", &theirs)] {
            scratch.write(name, text);
        }
        quipu(&root, &["git", "merge", &path("o"), &path("a"), &path("b"), "memory/continuity.md"]);
        let result = scratch.read("a");
        let sorted = |text: &str| {
            let mut lines: Vec<String> =
                text.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned).collect();
            lines.sort();
            lines
        };
        if result == target {
            exact += 1;
        } else if sorted(&result) == sorted(&target) {
            same += 1;
        } else {
            wrong.push(format!("s{:04}", tag + 1));
        }
    }
    tell(&format!(
        "{tried} commits: {exact} to the byte, {same} in another order, {wrong:?} otherwise"
    ));
    assert!(wrong.is_empty(), "{wrong:?}");
    tried
}

#[expect(clippy::print_stderr, reason = "figures for the record")]
fn tell(figures: &str) {
    eprintln!("{figures}");
}

/// Gives every other change to one side; nothing where there is only one.
fn apart(base: &str, target: &str) -> Option<(String, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (base.split_inclusive('\n').collect(), target.split_inclusive('\n').collect());
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new);
    let (mut sides, mut number) = ([String::new(), String::new()], 0);
    for op in &ops {
        let (before, after) = (old[op.old_range()].concat(), new[op.new_range()].concat());
        if before == after {
            for side in &mut sides {
                side.push_str(&before);
            }
        } else {
            sides[number % 2].push_str(&after);
            sides[(number + 1) % 2].push_str(&before);
            number += 1;
        }
    }
    let [ours, theirs] = sides;
    (number > 1).then_some((ours, theirs))
}

#[test]
fn one_setting_says_what_happens_to_a_secret_on_every_way_in() {
    let key = format!("sk_{}_a8f7d6s5a4f3d2s1a0", "live");
    let other = ["q7Zx84", "Lm22Xw", "90Rt"].concat();
    for (policy, refuses, shows) in
        [("refuse", true, false), ("redact", false, false), ("allow", false, true)]
    {
        let repo = TestRepo::new();
        let root = repo.root();
        repo.write(USER_SETTINGS, &format!("[guard]\nsecrets = \"{policy}\"\n"));
        repo.write(
            "CLAUDE.md",
            &format!("- API key: {key} opens the bank\n- Use tabs for indentation\n"),
        );
        let adr = format!(
            "# ADR 1: Payments\n\n## Status\n\nAccepted\n\n## Decision\n\nOrders go through the bank adapter, whose access token is {other} until May.\n"
        );
        repo.write("docs/adr/0001-payments.md", &adr);
        let has =
            |path: &str| (repo.read(path).contains(&key), repo.read(path).contains("REDACTED"));
        // A migration.
        quipu(root, &["init", "--existing", "move"]);
        let facts = "memory/continuity.md";
        assert!(repo.read(facts).contains("Use tabs"), "{policy}");
        assert_eq!(has(facts), (shows, policy == "redact"), "{policy}: {}", repo.read(facts));
        // A harvest.
        let (_, harvest) = json(root, &["harvest"]);
        let harvest = harvest.to_string();
        assert_eq!(harvest.contains(&other), shows, "{policy}: {harvest}");
        // A fact, a record.
        let fact = run(
            root,
            &["fact", "add", "--agree", &format!("The bank account wants: API key: {key}")],
        );
        let record = run(root, &["remember", &format!("API key: {key}")]);
        for (code, out, error) in [fact, record] {
            assert_eq!(code != 0, refuses, "{policy}: {out}{error}");
        }
        let journal = repo.root().join("MEMORY.md").exists();
        assert_eq!(journal, !refuses, "{policy}");
        if journal {
            assert_eq!(has("MEMORY.md"), (shows, !shows), "{policy}");
        }
        // A commit, which nobody changes on the way.
        git(root, &["init", "-q", "-b", "main"]);
        quipu(root, &["git", "install"]);
        repo.write("memory/sessions/2026-01-01.md", &format!("# Session\n\nAPI key: {key}\n"));
        git(root, &["add", "-f", "memory/sessions/2026-01-01.md"]);
        if shows {
            assert!(git(root, &["commit", "-m", "x"]).contains("credential"), "it is told");
        } else {
            assert!(git_fails(root, &["commit", "-m", "x"]).contains("nothing was committed"));
        }
    }
}
