//! Setting up and taking out: at every step at which a machine can fail, the repo is as before or as
//! after.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use quipu_engine::Error;
use quipu_engine::fs::FileSystem;
use quipu_setup::init::{Existing, InitRequest, Setup};
use quipu_setup::install::{Client, InstallRequest, Installer, Machine, Scope, UninstallRequest};
use quipu_setup::vcs;
use quipu_testkit::repo::{now, today};
use quipu_testkit::{Fault, FaultFs, NoSyncFs, TestRepo};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Fresh,
    Upgrade,
    Migrate,
    Leave,
}

fn request() -> InitRequest {
    InitRequest {
        project: Some("x".to_owned()),
        today: today(),
        version: "0.1.0",
        existing: Existing::Move,
        used: Vec::new(),
        chosen: Vec::new(),
        include_ignored: false,
    }
}

fn set_up(repo: &TestRepo, fs: Arc<dyn FileSystem>) -> Result<(), Error> {
    let setup = Setup::at(fs, repo.root())?.keeping_state_in(repo.state_home());
    setup.carry_out(&setup.plan(&request())?, now())
}

/// A repo in which there is something to do.
fn prepared(way: Way) -> TestRepo {
    let repo = TestRepo::new();
    repo.write("AGENTS.md", "# Mine, without an end");
    repo.write(".gitignore", "target\n");
    match way {
        Way::Fresh => {}
        Way::Upgrade => {
            repo.write(
                "memory/continuity.md",
                "# C\n\n## Key Decisions\n\n- POST only\n- No PUT\n",
            );
        }
        Way::Migrate | Way::Leave => {
            repo.write("CLAUDE.md", "- Use tabs for indentation\n");
            repo.write(".cursor/rules/a.mdc", "- Use spaces for indentation\n");
            NoSyncFs.set_mode(&repo.root().join(".cursor/rules/a.mdc"), 0o600).unwrap();
        }
    }
    if way == Way::Leave {
        set_up(&repo, Arc::new(NoSyncFs)).unwrap();
    }
    repo
}

fn go(way: Way, repo: &TestRepo, fs: Arc<dyn FileSystem>) -> Result<(), Error> {
    if way != Way::Leave {
        return set_up(repo, fs);
    }
    let setup = Setup::at(fs, repo.root())?.keeping_state_in(repo.state_home());
    setup.remove(&setup.plan_removal()?, now())
}

fn state(repo: &TestRepo) -> BTreeMap<String, Vec<u8>> {
    let mut files = repo.files();
    // A copy that was never put in place is debris, not memory.
    files.retain(|path, _| !path.ends_with(".quipu-tmp"));
    for path in [".cursor/rules/a.mdc", "legacy/cursor/.cursor/rules/a.mdc"] {
        if let Some(mode) = NoSyncFs.mode(&repo.root().join(path)) {
            files.insert(format!("{path}: mode"), format!("{mode:o}").into_bytes());
        }
    }
    files
}

/// Runs one way with each fault at every step.
fn holds_at_every_step(way: Way, faults: &[Fault]) {
    let repo = prepared(way);
    let old = state(&repo);
    go(way, &repo, Arc::new(NoSyncFs)).unwrap();
    let new = state(&repo);
    assert_ne!(old, new, "{way:?} does nothing");
    for fault in faults.iter().copied() {
        for step in 0.. {
            let repo = prepared(way);
            let fs = Arc::new(FaultFs::new(fault, step));
            let result = go(way, &repo, fs.clone());
            if !fs.happened() {
                assert!(result.is_ok(), "{way:?} without a fault: {result:?}");
                assert!(step > 10, "{way:?} has only {step} steps");
                break;
            }
            let place = format!("{way:?}, {fault:?} at step {step}");
            if let Err(error) = &result {
                let hint = error.advice().unwrap_or_default();
                assert!(hint.contains("disk is full"), "{place}: {error}: {hint}");
            }
            if fault == Fault::Fail && result.is_err() {
                assert_eq!(state(&repo), old, "{place}: an error left traces");
            }
            repo.workspace().read().unwrap_or_else(|error| panic!("{place}: {error}"));
            let found = state(&repo);
            assert!(found == old || found == new, "{place}: a mix of old and new");
            assert!(result.is_err() || found == new, "{place}: reported success and lost it");
            if fault != Fault::Stop {
                continue;
            }
            // And it can be run again.
            go(way, &repo, Arc::new(NoSyncFs)).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(state(&repo), new, "{place}: a second try");
        }
    }
}

#[test]
fn a_fresh_repo_is_set_up_or_as_it_was_whatever_fails() {
    holds_at_every_step(Way::Fresh, &[Fault::Fail, Fault::Stop]);
}

#[test]
fn an_old_memory_is_up_to_date_or_as_it_was_whatever_fails() {
    holds_at_every_step(Way::Upgrade, &[Fault::Fail, Fault::PowerCut]);
}

#[test]
fn instructions_are_taken_over_or_as_they_were_whatever_fails() {
    holds_at_every_step(Way::Migrate, &[Fault::Fail, Fault::Full, Fault::Stop, Fault::PowerCut]);
}

#[test]
fn quipu_is_taken_out_or_there_whatever_fails() {
    holds_at_every_step(Way::Leave, &[Fault::Fail, Fault::Full, Fault::Stop, Fault::PowerCut]);
}

#[test]
fn what_is_edited_between_the_plan_and_its_doing_is_not_overwritten() {
    let repo = prepared(Way::Migrate);
    let setup = Setup::at(Arc::new(NoSyncFs), repo.root()).unwrap();
    let setup = setup.keeping_state_in(repo.state_home());
    let plan = setup.plan(&request()).unwrap();
    repo.write("CLAUDE.md", "- Use spaces after all\n");
    let before = repo.files();
    assert_eq!(setup.carry_out(&plan, now()).unwrap_err().code(), "edited-since");
    assert_eq!(repo.files(), before);
}

fn installer(repo: &TestRepo, fs: Arc<dyn FileSystem>) -> Installer {
    // Nobody lives there: entries are for the project alone.
    let machine = Machine::at(repo.root().join("nobody"), None);
    let machine = machine.keeping_state_in(repo.state_home());
    Installer::new(fs, Scope::Project, repo.root(), machine)
}

/// A repo with a memory and an entry for a client, and what it was before.
fn lived_in(with_fact: bool) -> (TestRepo, BTreeMap<String, Vec<u8>>) {
    let repo = TestRepo::new();
    repo.write("AGENTS.md", "# Mine, without an end");
    repo.write(".mcp.json", "{\n  \"mcpServers\": {} // mine\n}\n");
    if with_fact {
        repo.write("CLAUDE.md", "- Use tabs for indentation\n");
    }
    let before = state(&repo);
    set_up(&repo, Arc::new(NoSyncFs)).unwrap();
    let clients = installer(&repo, Arc::new(NoSyncFs));
    let request = InstallRequest {
        clients: Client::named("claude-code").into_iter().collect(),
        command: "quipu".to_owned(),
        servers: true,
        hooks: true,
        after_tool: false,
        plain: false,
        force: false,
        version: "1",
    };
    clients.carry_out(&clients.plan(&request).unwrap()).unwrap();
    assert_ne!(repo.files()[".mcp.json"], before[".mcp.json"], "the client has no entry");
    (repo, before)
}

fn leave(repo: &TestRepo, fs: &Arc<FaultFs>) -> Result<bool, Error> {
    let clients = installer(repo, fs.clone());
    let setup = Setup::at(fs.clone(), repo.root())?.keeping_state_in(repo.state_home());
    let plan = clients.uninstall(&UninstallRequest::default())?;
    setup.leave(&setup.plan_removal()?, &clients, &plan, now())
}

#[test]
fn leaving_takes_out_both_halves_or_neither_whatever_fails() {
    for (fault, with_fact) in
        [(Fault::Fail, true), (Fault::Fail, false), (Fault::Full, true), (Fault::Stop, false)]
    {
        for step in 0.. {
            let (repo, before) = lived_in(with_fact);
            let old = state(&repo);
            let fs = Arc::new(FaultFs::new(fault, step));
            let left = leave(&repo, &fs);
            let place = format!("{fault:?} at step {step}: {left:?}");
            if fault == Fault::Fail && left.is_err() {
                assert_eq!(state(&repo), old, "{place}");
            }
            let is_done = !fs.happened();
            // Whatever was left behind, a second try ends it.
            let healthy = Arc::new(FaultFs::new(Fault::Fail, usize::MAX));
            leave(&repo, &healthy).unwrap_or_else(|error| panic!("{place}: {error}"));
            let mut after = state(&repo);
            if with_fact {
                assert!(after.contains_key("memory/continuity.md"), "{place}");
                let kept = ["memory/", "legacy/", ".agent/"];
                after.retain(|path, _| !kept.iter().any(|folder| path.starts_with(folder)));
            }
            assert_eq!(after, before, "{place}");
            if is_done {
                assert!(step > 30 && left.is_ok_and(|is_clear| is_clear != with_fact), "{step}");
                break;
            }
        }
    }
}

#[test]
fn what_git_was_given_goes_with_the_rest_or_stays_with_it() {
    // Every step would start git a thousand times.
    for step in (0..).step_by(5) {
        let (repo, _) = lived_in(true);
        let git = std::process::Command::new("git").arg("init").arg("-q").arg(repo.root()).status();
        assert!(git.unwrap().success());
        vcs::install(&NoSyncFs, repo.root(), Path::new("quipu"), false).unwrap();
        let in_git = || vcs::state(&NoSyncFs, repo.root()).unwrap();
        let (old, old_in_git) = (state(&repo), in_git());
        let fs = Arc::new(FaultFs::new(Fault::Fail, step));
        let left = leave(&repo, &fs);
        if left.is_err() {
            assert_eq!((state(&repo), in_git()), (old, old_in_git), "step {step}: {left:?}");
            continue;
        }
        assert!(!in_git().attributes && !in_git().driver, "step {step}");
        assert!(in_git().hooks.iter().all(|(_, is_there)| !is_there), "step {step}");
        if !fs.happened() {
            assert!(step > 40, "only {step} steps");
            break;
        }
    }
}
