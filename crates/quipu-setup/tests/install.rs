//! At every step at which a machine can fail, what was installed can be taken back.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use quipu_engine::fs::FileSystem;
use quipu_setup::install::{Client, InstallRequest, Installer, Machine, Scope, UninstallRequest};
use quipu_testkit::repo::files_in;
use quipu_testkit::{Fault, FaultFs, NoSyncFs, TestRepo};

const FAULTS: [Fault; 4] = [Fault::Fail, Fault::Full, Fault::Stop, Fault::PowerCut];

fn lived_in() -> TestRepo {
    let home = TestRepo::new();
    home.write(".claude.json", "{\n  \"theme\": \"dark\", // mine\n}\n");
    home.write(".config/goose/config.yaml", "A: b # mine");
    home
}

fn installer(home: &TestRepo, fs: Arc<dyn FileSystem>) -> Installer {
    let machine = Machine::at(home.root().to_owned(), None);
    Installer::new(fs, Scope::User, &home.root().join("project"), machine)
}

fn request() -> InstallRequest {
    let names = ["claude-code", "goose"];
    InstallRequest {
        clients: names.iter().filter_map(|name| Client::named(name)).collect(),
        command: "quipu".to_owned(),
        servers: true,
        hooks: true,
        after_tool: false,
        plain: false,
        force: false,
        version: "1",
    }
}

/// Files of clients, without Quipu's own and without half-written copies, which no client reads.
fn files(home: &TestRepo) -> BTreeMap<String, Vec<u8>> {
    let is_other = |path: &String| path.starts_with(".local/") || path.ends_with(".quipu-tmp");
    files_in(home.root()).into_iter().filter(|(path, _)| !is_other(path)).collect()
}

fn install(installer: &Installer) -> bool {
    installer.plan(&request()).and_then(|plan| installer.carry_out(&plan)).is_ok()
}

fn uninstall(installer: &Installer) -> bool {
    let plan = installer.uninstall(&UninstallRequest::default());
    plan.and_then(|plan| installer.carry_out(&plan)).is_ok()
}

#[test]
fn an_installation_that_fails_half_way_can_be_taken_back() {
    for fault in FAULTS {
        for at in 0.. {
            let home = lived_in();
            let before = files(&home);
            let fs = Arc::new(FaultFs::new(fault, at));
            let is_done = install(&installer(&home, fs.clone()));
            if !fs.happened() {
                assert!(is_done && at > 20, "{fault:?}: {at} steps");
                break;
            }
            if fault == Fault::Fail && !is_done {
                assert_eq!(files(&home), before, "an error leaves all as it was: {at}");
            }
            let healthy = installer(&home, Arc::new(NoSyncFs));
            assert!(uninstall(&healthy), "{fault:?} at {at}");
            assert_eq!(files(&home), before, "{fault:?} at {at}");
            assert!(
                install(&healthy) && healthy.check(&[]).is_ok_and(|all| all.entries.len() == 7)
            );
        }
    }
}

#[test]
fn a_removal_that_fails_half_way_can_be_finished() {
    for fault in FAULTS {
        for at in 0.. {
            let home = lived_in();
            let before = files(&home);
            let healthy = installer(&home, Arc::new(NoSyncFs));
            assert!(install(&healthy));
            let after = files(&home);
            let fs = Arc::new(FaultFs::new(fault, at));
            let is_done = uninstall(&installer(&home, fs.clone()));
            if !fs.happened() {
                assert!(is_done && at > 10, "{fault:?}: {at} steps");
                break;
            }
            if fault == Fault::Fail && !is_done {
                assert_eq!(files(&home), after, "an error leaves all as it was: {at}");
            }
            assert!(uninstall(&healthy), "{fault:?} at {at}");
            assert_eq!(files(&home), before, "{fault:?} at {at}");
        }
    }
}

#[test]
fn a_file_that_is_edited_while_the_plan_is_looked_at_is_not_overwritten() {
    let home = lived_in();
    let installer = installer(&home, Arc::new(NoSyncFs));
    let plan = installer.plan(&request()).unwrap();
    home.write(".claude.json", "{\"theme\": \"light\"}\n");
    let before = files(&home);
    let error = installer.carry_out(&plan).unwrap_err();
    assert_eq!(error.code(), "edited-since");
    assert_eq!(files(&home), before);
    assert_eq!(installer.state().parent().map(PathBuf::from).filter(|state| state.exists()), None);
}
