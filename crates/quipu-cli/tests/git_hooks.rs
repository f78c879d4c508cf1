//! Hooks and the guard among other people's hooks, settings and workspaces.

use std::path::Path;

use quipu_testkit::TestRepo;

use crate::git::{
    commit, credential, git, git_command, git_fails, program, quipu, repository, state_of, told,
};
use crate::{USER_SETTINGS, initialised, json, run};

#[test]
fn a_hook_that_somebody_changed_keeps_their_lines() {
    let repo = repository();
    let root = repo.root();
    let hook = root.join(".git/hooks/pre-commit");
    let edited =
        std::fs::read_to_string(&hook).unwrap().replace("s=0\n", "echo by hand >&2\ns=0\n");
    std::fs::write(&hook, &edited).unwrap();
    let said = quipu(root, &["git", "install"]);
    assert!(said.contains("pre-commit") && said.contains("left alone"), "{said}");
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), edited);
    repo.write("x", "x");
    assert!(commit(root, "x").contains("by hand"));
    let (_, status) = json(root, &["git", "status"]);
    assert_eq!(status["hooks"]["pre-commit"], true, "it still calls Quipu");
    let said = quipu(root, &["git", "uninstall"]);
    assert!(said.contains("left alone"), "{said}");
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), edited);
}

#[test]
fn a_hook_that_only_mentions_quipu_is_chained_and_put_back() {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q"]);
    let text = "#!/bin/sh\n# quipu:hook comes after this\necho mine >&2\n";
    program(&root.join(".git/hooks/pre-commit"), text);
    let before = state_of(root);
    quipu(root, &["git", "install"]);
    assert!(commit(root, "one").contains("mine"));
    repo.write("memory/notes.md", &credential());
    git(root, &["add", "-A"]);
    git_fails(root, &["commit", "-m", "x"]);
    quipu(root, &["git", "uninstall"]);
    assert_eq!(state_of(root), before);
}

/// Runs the installed hook as another shell would; the earlier hook gets the same one.
fn hook_under(root: &Path, shell: &str) -> std::process::Output {
    let (hooks, wrapper) = (root.join(".git/hooks"), root.join(".git/the-shell"));
    program(&wrapper, &format!("#!/usr/bin/env bash\nexec {shell} \"$@\"\n"));
    let script = std::fs::read_to_string(hooks.join("pre-commit")).unwrap();
    program(&hooks.join("copy"), &script.replace("/bin/sh", wrapper.to_str().unwrap()));
    std::process::Command::new(hooks.join("copy")).current_dir(root).output().unwrap()
}

#[cfg(unix)]
#[test]
fn an_earlier_hook_with_set_e_stops_at_its_first_failure_under_any_shell() {
    let is_there = |shell: &str| {
        std::process::Command::new(shell)
            .args(["-c", ":"])
            .output()
            .is_ok_and(|o| o.status.success())
    };
    let mut tried = 0;
    for shell in ["bash --posix", "dash", "sh"] {
        if !is_there(shell.split(' ').next().unwrap()) {
            continue;
        }
        tried += 1;
        for head in ["#!/bin/sh\nset -e\n", "#!/bin/sh -e\n", "#!/bin/sh\nset -eu\n"] {
            let repo = initialised();
            let root = repo.root();
            git(root, &["init", "-q"]);
            let checks = format!("{head}echo checking >&2\nfalse\necho passed >&2\n");
            program(&root.join(".git/hooks/pre-commit"), &checks);
            quipu(root, &["git", "install"]);
            let output = hook_under(root, shell);
            let said = told(&output);
            assert!(!output.status.success(), "{shell} {head:?} let it pass: {said}");
            assert!(said.contains("checking") && !said.contains("passed"), "{shell}: {said}");
        }
    }
    assert!(tried >= 2, "only {tried} shells");
}

#[test]
fn a_manager_that_keeps_our_hook_and_calls_it_ends() {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q"]);
    let hooks = root.join(".git/hooks");
    program(&hooks.join("pre-commit"), "#!/bin/sh\necho mine >&2\n");
    quipu(root, &["git", "install"]);
    std::fs::rename(hooks.join("pre-commit"), hooks.join("pre-commit.legacy")).unwrap();
    let manager = "#!/usr/bin/env bash\necho managed >&2\nkept=\"$(dirname \"$0\")/pre-commit.legacy\"\n[ ! -x \"$kept\" ] || \"$kept\"\n";
    program(&hooks.join("pre-commit"), manager);
    repo.write("w", "w");
    assert_eq!(commit(root, "w").matches("managed").count(), 1);
    quipu(root, &["git", "install"]);
    repo.write("x", "x");
    assert_eq!(commit(root, "x").matches("managed").count(), 1);
    repo.write("memory/notes.md", &credential());
    git(root, &["add", "-A"]);
    git_fails(root, &["commit", "-m", "x"]);
}

#[test]
fn no_setting_of_git_hides_a_line_from_the_guard() {
    let settings: [&[(&str, &str)]; 7] = [
        &[("diff.interHunkContext", "20")],
        &[("diff.context", "9"), ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true")],
        &[("diff.external", "true"), ("diff.renames", "copies"), ("core.quotePath", "true")],
        &[("color.ui", "always"), ("color.diff", "always"), ("diff.wordRegex", ".")],
        &[("diff.relative", "true"), ("diff.algorithm", "patience"), ("diff.submodule", "log")],
        &[("diff.hide.textconv", "true"), ("diff.hide.binary", "true")],
        &[("diff.ignoreSubmodules", "all"), ("diff.suppressBlankEmpty", "true")],
    ];
    for attributes in ["", "memory/** -diff\n", "memory/** binary\n", "memory/** diff=hide\n"] {
        let repo = repository();
        let root = repo.root();
        repo.write(".git/info/attributes", attributes);
        let lines = ["one", "two", "three", "four", "five", "six"].join("\n");
        repo.write("memory/ä notes.md", &format!("{lines}\n"));
        commit(root, "notes");
        let changed = lines.replace("one", "1").replace("five", &format!("5\n{}", credential()));
        repo.write("memory/ä notes.md", &format!("{changed}\n"));
        git(root, &["add", "-A"]);
        for settings in settings {
            for (key, value) in settings {
                git(root, &["config", key, value]);
            }
            let output = git_command(root)
                .args(["commit", "-m", "x"])
                .env("GIT_EXTERNAL_DIFF", "true")
                .env("GIT_DIFF_OPTS", "--unified=9")
                .output()
                .unwrap();
            let said = told(&output);
            assert!(!output.status.success(), "{attributes:?} {settings:?}: {said}");
            assert!(said.contains("notes.md:6"), "{attributes:?} {settings:?}: {said}");
            for (key, _) in settings {
                git(root, &["config", "--unset", key]);
            }
        }
    }
}

#[test]
fn a_secret_that_another_branch_brings_stops_the_merge_and_is_told_where_nothing_can_stop_it() {
    let repo = repository();
    let root = repo.root();
    git(root, &["checkout", "-q", "-b", "other"]);
    repo.write("memory/notes.md", &credential());
    git(root, &["add", "-A"]);
    let said = git(root, &["commit", "-q", "--no-verify", "-m", "leak"]);
    assert!(said.contains("this is committed now") && said.contains("memory/notes.md:1"), "{said}");
    assert!(!said.contains("Zq7"), "the value was told: {said}");
    git(root, &["checkout", "-q", "main"]);
    repo.write("x", "x");
    commit(root, "ours");
    let said = git_fails(root, &["merge", "--no-edit", "other"]);
    assert!(said.contains("memory/notes.md:1"), "{said}");
    git(root, &["merge", "--abort"]);
    let said = git(root, &["cherry-pick", "other"]);
    assert!(said.contains("this is committed now"), "{said}");
    let said = git(root, &["commit", "--amend", "--no-edit"]);
    assert!(said.contains("this is committed now"), "{said}");
    repo.write("memory/notes.md", "nothing\n");
    git(root, &["add", "-A"]);
    let said = git(root, &["commit", "--amend", "--no-edit"]);
    assert!(!said.contains("this is committed now"), "{said}");
}

#[test]
fn two_workspaces_of_one_repository_are_both_guarded() {
    let repo = TestRepo::new();
    let root = repo.root();
    let folders = ["it's a", "b"].map(|name| root.join(name));
    for folder in &folders {
        std::fs::create_dir_all(folder).unwrap();
        quipu(folder, &["init", "--project", "x"]);
    }
    git(root, &["init", "-q", "-b", "main"]);
    for folder in &folders {
        quipu(folder, &["git", "install"]);
        let (_, status) = json(folder, &["git", "status"]);
        assert_eq!(status["installed"], true, "{status}");
    }
    commit(root, "begin");
    for folder in &folders {
        let leak = folder.join("memory/notes.md");
        std::fs::write(&leak, credential()).unwrap();
        git(root, &["add", "-A"]);
        let said = git_fails(root, &["commit", "-m", "x"]);
        assert_eq!(said.matches("secret?").count(), 1, "{said}");
        // What one workspace lets pass is no matter of the other's.
        let off = format!("[workspace.\"{}\".guard]\nmode = \"off\"\n", folder.display());
        repo.write(USER_SETTINGS, &off);
        commit(root, "let pass");
        std::fs::remove_file(root.join(USER_SETTINGS)).unwrap();
        std::fs::remove_file(&leak).unwrap();
        commit(root, "clean");
    }
    quipu(&folders[0], &["git", "uninstall"]);
    let (_, status) = json(&folders[1], &["git", "status"]);
    assert_eq!(status["installed"], true, "{status}");
    std::fs::write(folders[1].join("memory/notes.md"), credential()).unwrap();
    git(root, &["add", "-A"]);
    git_fails(root, &["commit", "-m", "x"]);
    quipu(&folders[1], &["git", "uninstall"]);
    assert!(!root.join(".git/hooks/pre-commit").exists());
    assert!(!git(root, &["config", "--list", "--local"]).contains("merge.quipu"));
}

#[cfg(unix)]
#[test]
fn attributes_that_are_a_link_are_refused_and_nothing_is_changed() {
    let (repo, outside) = (initialised(), TestRepo::new());
    let root = repo.root();
    git(root, &["init", "-q"]);
    outside.write("attributes", "*.png binary\n");
    std::os::unix::fs::symlink(outside.root().join("attributes"), root.join(".gitattributes"))
        .unwrap();
    let before = state_of(root);
    let (code, _, error) = run(root, &["git", "install"]);
    assert!(code != 0 && error.contains("is a link"), "{error}");
    assert!(root.join(".gitattributes").is_symlink());
    assert_eq!(state_of(root), before);
    assert_eq!(outside.read("attributes"), "*.png binary\n");
    quipu(root, &["git", "uninstall"]);
    assert!(root.join(".gitattributes").is_symlink());
}

#[test]
fn the_advice_for_shared_hooks_can_be_followed() {
    let (repo, shared) = (initialised(), TestRepo::new());
    let root = repo.root();
    git(root, &["init", "-q"]);
    git(root, &["config", "core.hooksPath", shared.root().to_str().unwrap()]);
    quipu(root, &["git", "install"]);
    let (_, out, error) = run(root, &["git", "status"]);
    let said = out + &error;
    assert!(said.contains("call `quipu git pre-commit`"), "{said}");
    assert!(!said.contains("puts in what is missing"), "{said}");
    for (hook, call) in [
        ("pre-commit", "quipu git pre-commit"),
        ("pre-merge-commit", "quipu git pre-commit"),
        ("post-commit", "quipu git post-commit"),
    ] {
        program(&shared.root().join(hook), &format!("#!/bin/sh\n{call}\n"));
    }
    let (_, status) = json(root, &["git", "status"]);
    assert_eq!(status["installed"], true, "{status}");
}

#[test]
fn an_older_hook_that_is_kept_is_told_and_not_left_without_a_word() {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q"]);
    let hook = root.join(".git/hooks/pre-commit");
    for text in ["#!/bin/sh\n# one\n", "#!/bin/sh\n# two\n"] {
        program(&hook, text);
        quipu(root, &["git", "install"]);
    }
    let said = quipu(root, &["git", "uninstall"]);
    assert!(said.contains("pre-commit.before-quipu.1") && said.contains("replaced"), "{said}");
    assert!(std::fs::read_to_string(&hook).unwrap().contains("two"));
}

#[test]
fn a_merge_does_not_depend_on_the_settings_of_whoever_merges() {
    let repo = repository();
    let root = repo.root();
    for (key, value) in [
        ("color.ui", "always"),
        ("color.grep", "always"),
        ("grep.lineNumber", "true"),
        ("grep.column", "true"),
        ("grep.patternType", "fixed"),
        ("grep.fullName", "true"),
    ] {
        git(root, &["config", key, value]);
    }
    git(root, &["checkout", "-q", "-b", "other"]);
    quipu(root, &["edit", "two-ways", "--text", "There are three ways", "--agree"]);
    commit(root, "theirs");
    git(root, &["checkout", "-q", "main"]);
    quipu(root, &["fact", "archive", "two-ways"]);
    commit(root, "ours");
    let output = git_command(root)
        .args(["merge", "--no-edit", "other"])
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", told(&output));
    let continuity = repo.read("memory/continuity.md");
    assert!(continuity.contains("id: two-ways-other-") && !continuity.contains("id: two-ways |"));
}

#[test]
fn a_fact_that_a_stash_archived_and_the_branch_reworded_has_two_names() {
    for arguments in [&["stash", "-q"][..], &["stash", "-q", "-u"][..]] {
        let repo = repository();
        let root = repo.root();
        quipu(root, &["fact", "archive", "two-ways"]);
        git(root, arguments);
        quipu(root, &["edit", "two-ways", "--text", "There are three ways", "--agree"]);
        commit(root, "reworded");
        git(root, &["stash", "pop", "-q"]);
        let continuity = repo.read("memory/continuity.md");
        assert!(continuity.contains("id: two-ways-other-"), "{arguments:?} {continuity}");
        assert!(!continuity.contains("id: two-ways |"), "{arguments:?} {continuity}");
        let (code, lint) = json(root, &["lint"]);
        assert_eq!(code, 0, "{lint}");
    }
}

#[cfg(unix)]
#[test]
fn the_configuration_of_git_is_not_written_through_a_link() {
    let repo = initialised();
    let root = repo.root();
    git(root, &["init", "-q"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("config");
    std::fs::rename(root.join(".git/config"), &target).unwrap();
    std::os::unix::fs::symlink(&target, root.join(".git/config")).unwrap();
    let before = std::fs::read(&target).unwrap();
    let (code, out, error) = run(root, &["git", "install"]);
    assert!(code == 3 && error.contains("`.git/config` is a link"), "{code} {out}{error}");
    assert_eq!(std::fs::read(&target).unwrap(), before);
    assert!(!root.join(".gitattributes").exists());
}
