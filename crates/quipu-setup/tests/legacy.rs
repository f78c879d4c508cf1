//! Receipts of version 0.1, which kept them in the workspace. The engine takes them over by types of
//! its own, so they are compared with the receipts that set-up writes.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use quipu_setup::init::{Existing, InitRequest, Setup};
use quipu_setup::install::{CLIENTS, InstallRequest, Installer, Machine, Scope};
use quipu_testkit::repo::{files_in, now, today};
use quipu_testkit::{NoSyncFs, TestRepo};
use serde_json::Value;

/// A project with a receipt of every kind: files that were empty, had no last line's end, were not
/// there, or had an entry of somebody else in our place.
fn set_up() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("AGENTS.md", "# Mine, without an end");
    repo.write(".gitignore", "");
    repo.write(".mcp.json", "{\"mcpServers\": {\"quipu\": {\"command\": \"other\"}}}\n");
    repo.write(".codex/config.toml", "model = \"x\"");
    let setup = Setup::at(Arc::new(NoSyncFs), repo.root()).unwrap();
    let setup = setup.keeping_state_in(repo.state_home());
    let request = InitRequest {
        project: None,
        today: today(),
        version: "0.1.0",
        existing: Existing::Keep,
        used: Vec::new(),
        chosen: Vec::new(),
        include_ignored: false,
    };
    setup.carry_out(&setup.plan(&request).unwrap(), now()).unwrap();
    let machine = Machine::at(repo.root().join("home"), None).keeping_state_in(repo.state_home());
    let installer = Installer::new(Arc::new(NoSyncFs), Scope::Project, repo.root(), machine);
    let request = InstallRequest {
        clients: CLIENTS.iter().collect(),
        command: "quipu".to_owned(),
        servers: true,
        hooks: true,
        after_tool: true,
        plain: false,
        force: true,
        version: "0.1.0",
    };
    installer.carry_out(&installer.plan(&request).unwrap()).unwrap();
    repo
}

/// The receipts in the state folder. Version 0.1 wrote some with spaces, so JSON is compared as data.
fn receipts(repo: &TestRepo) -> BTreeMap<String, Value> {
    let is_receipt =
        |path: &str| matches!(path, "init.json" | "install.json") || path.starts_with("install/");
    let files = files_in(&repo.state("")).into_iter().filter(|(path, _)| is_receipt(path));
    let read = |bytes: Vec<u8>| {
        serde_json::from_slice(&bytes).unwrap_or_else(|_| String::from_utf8(bytes).unwrap().into())
    };
    files.map(|(path, bytes)| (path, read(bytes))).collect()
}

/// Puts the state where version 0.1 had it.
fn move_state_into_workspace(repo: &TestRepo) {
    let folder = repo.state("");
    for (path, bytes) in files_in(&folder) {
        repo.write_bytes(&format!(".quipu/{path}"), &bytes);
    }
    for name in ["state", "workspace"] {
        std::fs::remove_file(repo.root().join(".quipu").join(name)).unwrap();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn receipts_of_0_1_are_taken_over_whole() {
    let repo = set_up();
    let before = receipts(&repo);
    let kinds = ["\"key\"", "\"ending\"", "\"table\"", "\"file\"", "\"made\"", "\"replaced\""];
    for kind in kinds {
        assert!(before["install.json"].to_string().contains(kind), "no receipt has {kind}");
    }
    assert_eq!(before["init.json"].as_object().unwrap().len(), 2);
    let git = Command::new("git").arg("init").arg("-q").arg(repo.root()).status();
    assert!(git.unwrap().success());
    move_state_into_workspace(&repo);
    assert!(receipts(&repo).is_empty());
    repo.workspace().prepare_state().unwrap();
    assert_eq!(receipts(&repo), before);
}

#[test]
fn a_receipt_that_leads_out_of_the_project_is_not_taken_over() {
    for name in ["init.json", "install.json"] {
        let repo = set_up();
        let git = Command::new("git").arg("init").arg("-q").arg(repo.root()).status();
        assert!(git.unwrap().success());
        move_state_into_workspace(&repo);
        let path = format!(".quipu/{name}");
        let text = repo.read(&path);
        let outside =
            text.replace("AGENTS.md", "../AGENTS.md").replace(".mcp.json", "../.mcp.json");
        assert_ne!(outside, text, "{name}");
        repo.write(&path, &outside);
        repo.workspace().prepare_state().unwrap();
        assert!(!receipts(&repo).contains_key(name), "{name}");
        assert!(receipts(&repo).len() > 1, "{name}: the others are taken over");
    }
}
