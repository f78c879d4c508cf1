//! Quipu in a repository: whatever fails, it is there whole or not at all.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use quipu_engine::config::OnSecret;
use quipu_engine::fs::RealFs;
use quipu_engine::gateway::NewText;
use quipu_engine::vcs;
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

#[test]
fn a_text_with_a_credential_is_refused_redacted_or_taken() {
    let text = format!("the password={} of it", ["Zq7", "Lm2", "Xw9", "Rt4"].concat());
    assert!(vcs::guarded(OnSecret::Refuse, &text).is_err());
    assert_eq!(vcs::guarded(OnSecret::Redact, &text).unwrap(), "the password=(REDACTED) of it");
    assert_eq!(vcs::guarded(OnSecret::Allow, &text).unwrap(), text);
    assert_eq!(vcs::guarded(OnSecret::Refuse, "plain").unwrap(), "plain");
}

#[test]
fn a_file_keeps_the_credential_that_it_has_and_gets_no_other_in_its_place() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", "# C\n");
    let line = |parts: [&str; 4]| format!("# Mine\n\npassword={}\n", parts.concat());
    let (old, new) = (line(["Zq7", "Lm2", "Xw9", "Rt4"]), line(["Vb8", "Kp3", "Jd6", "Hs5"]));
    repo.write("MEMORY.md", &old);
    let workspace = quipu_testkit::journal::configured(&repo, &[]);
    let set = |text: &str| {
        let new = NewText { text, instead_of: None, allow_secret: false, may_lose: false };
        workspace.set_journal_file("MEMORY.md", &new, &quipu_testkit::repo::request("journal.set"))
    };
    set(&format!("{old}More.\n")).unwrap();
    set(&new).unwrap_err();
    set(&format!("{old}{new}")).unwrap_err();
    assert_eq!(repo.read("MEMORY.md"), format!("{old}More.\n"));
}
