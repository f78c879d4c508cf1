//! Quipu in a repository: whatever fails, it is there whole or not at all.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use quipu_engine::fs::RealFs;
use quipu_setup::vcs;
use quipu_testkit::{Fault, FaultFs, TestRepo};

const HOOK: &str = "#!/bin/sh\necho mine\n";

fn repository() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", "# C\n");
    repo.write(".gitattributes", "*.png binary");
    let done =
        Command::new("git").arg("-C").arg(repo.root()).args(["init", "-q"]).output().unwrap();
    assert!(done.status.success());
    let hook = repo.root().join(".git/hooks/pre-commit");
    repo.write(".git/hooks/pre-commit", HOOK);
    #[cfg(unix)]
    std::fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o750)).unwrap();
    repo
}

/// Every file with its mode.
fn state(root: &Path) -> BTreeMap<String, (Vec<u8>, u32)> {
    let files = quipu_testkit::repo::files_in(root);
    let mode = |path: &str| {
        #[cfg(unix)]
        return std::os::unix::fs::PermissionsExt::mode(
            &root.join(path).metadata().unwrap().permissions(),
        );
        #[cfg(not(unix))]
        0
    };
    files
        .into_iter()
        .map(|(path, bytes)| {
            let mode = mode(&path);
            (path, (bytes, mode))
        })
        .collect()
}

fn install(
    fs: &dyn quipu_engine::fs::FileSystem,
    root: &Path,
) -> Result<vcs::InstallPlan, vcs::VcsError> {
    vcs::install(fs, root, Path::new("/nowhere/quipu"), false)
}

#[test]
fn an_installation_that_fails_at_any_step_changes_nothing() {
    let mut steps = 0;
    loop {
        let repo = repository();
        let before = state(repo.root());
        let fs = FaultFs::new(Fault::Fail, steps);
        let done = install(&fs, repo.root());
        if !fs.happened() {
            done.unwrap();
            break;
        }
        done.unwrap_err();
        assert_eq!(state(repo.root()), before, "step {steps}");
        steps += 1;
    }
    assert!(steps >= 8, "only {steps} steps were tried");
}

#[test]
fn an_installation_that_git_refuses_changes_nothing() {
    let repo = repository();
    repo.write(".git/config.lock", "");
    let before = state(repo.root());
    assert!(matches!(install(&RealFs, repo.root()), Err(vcs::VcsError::Config { .. })));
    assert_eq!(state(repo.root()), before);
}

#[test]
fn a_process_that_dies_while_installing_leaves_a_hook_that_works_and_the_next_run_finishes() {
    let mut step = 0;
    loop {
        let repo = repository();
        let before = state(repo.root());
        let fs = FaultFs::new(Fault::Stop, step);
        let done = install(&fs, repo.root());
        let hook = repo.read(".git/hooks/pre-commit");
        let kept = repo.root().join(".git/hooks/pre-commit.before-quipu");
        let is_whole = hook == HOOK
            || (hook.contains("quipu:hook")
                && std::fs::read_to_string(kept).is_ok_and(|kept| kept == HOOK));
        assert!(is_whole, "step {step}: {hook}");
        install(&RealFs, repo.root()).unwrap();
        assert!(vcs::state(&RealFs, repo.root()).unwrap().driver);
        vcs::uninstall(&RealFs, repo.root(), false).unwrap();
        let mut after = state(repo.root());
        // What a killed process was writing stays behind under a name of its own.
        after.retain(|path, _| !path.ends_with(".quipu-new"));
        assert_eq!(after, before, "step {step}");
        if done.is_ok() {
            break;
        }
        step += 1;
    }
    assert!(step >= 8, "only {step} steps were tried");
}

#[test]
fn a_removal_that_fails_at_any_step_changes_nothing() {
    let mut steps = 0;
    loop {
        let repo = repository();
        install(&RealFs, repo.root()).unwrap();
        let before = state(repo.root());
        let fs = FaultFs::new(Fault::Fail, steps);
        let done = vcs::uninstall(&fs, repo.root(), false);
        if !fs.happened() {
            done.unwrap();
            break;
        }
        done.unwrap_err();
        assert_eq!(state(repo.root()), before, "step {steps}");
        steps += 1;
    }
    assert!(steps >= 3, "only {steps} steps were tried");
}

#[test]
fn a_block_without_an_end_is_left_alone() {
    let repo = repository();
    repo.write(".gitattributes", "# quipu:begin\n*.png binary\n");
    let before = state(repo.root());
    assert!(matches!(install(&RealFs, repo.root()), Err(vcs::VcsError::BrokenBlock { .. })));
    assert_eq!(state(repo.root()), before);
    let nowhere = TestRepo::new();
    assert!(matches!(install(&RealFs, nowhere.root()), Err(vcs::VcsError::NoRepository { .. })));
}
