//! `quipu doctor`: what is wrong, why it matters, and what mends it.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use quipu_testkit::TestRepo;
use serde_json::Value;

use crate::{answer, quipu};

/// A project with a memory, a home folder, and a `quipu` on the path that answers as it is told.
struct Clinic {
    project: TestRepo,
    home: TestRepo,
}

/// Writes down how it was called, and answers as the version that it is told.
const SCRIPT: &str = "echo \"$*\" >>\"$0.calls\"\necho \"quipu VERSION\"\n";

impl Clinic {
    fn new() -> Self {
        let clinic = Self { project: TestRepo::new(), home: TestRepo::new() };
        std::fs::create_dir_all(clinic.home.root().join("bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_quipu"), clinic.program()).unwrap();
        clinic.done(&["init", "--project", "x"]);
        clinic
    }

    /// Puts another program on the path; returns the file in which it writes down its calls.
    fn has_another(&self, version: &str) -> PathBuf {
        std::fs::remove_file(self.program()).unwrap();
        script(&self.program(), version)
    }

    fn program(&self) -> PathBuf {
        self.home.root().join("bin/quipu")
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = quipu(self.project.root());
        command.env("HOME", self.home.root());
        command.env("PATH", format!("{}:{path}", self.home.root().join("bin").display()));
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            command.env_remove(name);
        }
        answer(&command.args(arguments).output().unwrap())
    }

    fn done(&self, arguments: &[&str]) {
        let (code, out, error) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{error}");
    }

    /// Examines; returns the exit code and the findings, each with its name.
    fn findings(&self) -> (i32, Vec<(String, Value)>) {
        let (code, out, error) = self.run(&["--json", "doctor"]);
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"));
        let checks = document["checks"].as_array().unwrap().clone();
        let wrong = checks.into_iter().filter(|check| check["state"] == "wrong");
        let findings: Vec<_> =
            wrong.map(|check| (check["name"].as_str().unwrap().to_owned(), check)).collect();
        assert_eq!(document["findings"], findings.len());
        for (_, finding) in &findings {
            for key in ["what", "why", "mend"] {
                assert!(finding[key].as_str().is_some_and(|text| !text.is_empty()), "{finding}");
            }
        }
        (code, findings)
    }

    fn names(&self) -> Vec<String> {
        let (code, findings) = self.findings();
        assert_eq!(code, i32::from(!findings.is_empty()));
        findings.into_iter().map(|(name, _)| name).collect()
    }
}

/// Writes a program that is not Quipu; returns the file in which it writes down its calls.
fn script(path: &Path, version: &str) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{}", SCRIPT.replace("VERSION", version))).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.with_file_name(format!("{}.calls", path.file_name().unwrap().to_str().unwrap()))
}

#[test]
fn a_healthy_installation_has_no_findings() {
    let clinic = Clinic::new();
    clinic.done(&["install", "claude-code", "roo", "--yes"]);
    clinic.done(&["remember", "knots are counted from the left"]);
    assert_eq!(clinic.names(), Vec::<String>::new());
    let (_, out, _) = clinic.run(&["doctor"]);
    assert!(out.contains("quipu hook claude-code session-start"), "{out}");
    assert!(out.contains("`quipu mcp` answers as"), "{out}");
    assert!(clinic.run(&["doctor", "--no-run"]).1.contains("no program was started"));
}

#[test]
fn nothing_at_all_is_told_with_what_to_do() {
    let clinic = Clinic { project: TestRepo::new(), home: TestRepo::new() };
    let (code, findings) = clinic.findings();
    assert_eq!(code, 1);
    let names: Vec<&str> = findings.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"workspace") && names.contains(&"clients"), "{names:?}");
    let mend = findings.iter().find(|(name, _)| name == "clients").unwrap();
    assert_eq!(mend.1["mend"], "quipu install");
}

#[test]
fn another_program_on_the_path_is_asked_for_its_version_and_nothing_else() {
    let clinic = Clinic::new();
    clinic.done(&["install", "claude-code", "--yes"]);
    let calls = clinic.has_another("0.0.0");
    assert_eq!(clinic.names(), ["path"]);
    assert_eq!(std::fs::read_to_string(&calls).unwrap(), "--version\n");
    let calls = clinic.has_another(env!("CARGO_PKG_VERSION"));
    std::fs::remove_file(&calls).unwrap();
    assert_eq!(clinic.names(), Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(&calls).unwrap(), "--version\n");
    std::fs::remove_file(clinic.program()).unwrap();
    assert_eq!(clinic.names(), ["path", "command"]);
}

#[test]
fn a_program_of_the_project_is_never_started() {
    let clinic = Clinic::new();
    clinic.done(&["install", "claude-code", "--yes"]);
    // On the path, as `node_modules/.bin` or `.` may be.
    let calls = script(&clinic.project.root().join("bin/quipu"), env!("CARGO_PKG_VERSION"));
    std::fs::remove_file(clinic.program()).unwrap();
    std::os::unix::fs::symlink(clinic.project.root().join("bin/quipu"), clinic.program()).unwrap();
    assert_eq!(clinic.names(), ["path", "programs"]);
    assert!(!calls.exists());
    // Named by the record of an installation.
    let calls = script(&clinic.project.root().join("tools/evil"), env!("CARGO_PKG_VERSION"));
    let evil = clinic.project.root().join("tools/evil");
    let words = ["install", "claude-code", "roo", "--yes", "--command", evil.to_str().unwrap()];
    clinic.done(&words);
    assert_eq!(clinic.names(), ["path", "programs"]);
    assert!(!calls.exists());
}

#[test]
fn an_entry_of_our_name_that_starts_something_else_is_not_called_right() {
    let clinic = Clinic::new();
    let write = |entry: &str| {
        clinic
            .project
            .write(".roo/mcp.json", &format!("{{\"mcpServers\": {{\"quipu\": {entry}}}}}"));
    };
    let strange = [
        r#"{"command": "npx", "args": ["evil"]}"#,
        r#"{"command": "./tools/quipu", "args": ["mcp"]}"#,
        r#"{"command": "quipu", "args": ["mcp"], "env": {"PATH": "tools"}}"#,
        r#"{"command": "quipu", "args": ["mcp"], "cwd": "tools"}"#,
    ];
    for entry in strange {
        write(entry);
        let (_, planned, _) = clinic.run(&["install", "roo", "--mcp-only", "--dry-run"]);
        assert!(!planned.contains("as it should be"), "{entry}: {planned}");
        assert!(planned.contains("it starts `") && planned.contains("--force"), "{planned}");
        let (code, checked, _) = clinic.run(&["install", "--check"]);
        assert_eq!(code, 1, "{entry}: {checked}");
        assert!(checked.contains("which is not this Quipu"), "{entry}: {checked}");
        let (_, findings) = clinic.findings();
        let finding = findings.iter().find(|(name, _)| name == "clients");
        let what = finding.unwrap().1["what"].as_str().unwrap();
        assert!(what.contains("which is not this Quipu"), "{what}");
    }
    write(r#"{"command": "quipu", "args": ["mcp"]}"#);
    assert_eq!(clinic.names(), Vec::<String>::new());
}

#[test]
fn entries_that_changed_are_found() {
    let clinic = Clinic::new();
    clinic.done(&["install", "roo", "cursor", "--mcp-only", "--yes"]);
    clinic.project.write(".roo/mcp.json", "{\n\"mcpServers\": 7 8\n}");
    clinic.project.write(".cursor/mcp.json", "{\"mcpServers\": {\"quipu\": {\"command\": \"x\"}}}");
    let (_, findings) = clinic.findings();
    let said = |at: usize, key: &str| findings[at].1[key].as_str().unwrap().to_owned();
    assert_eq!(said(0, "mend"), "quipu install --force cursor");
    assert!(said(1, "what").contains(".roo/mcp.json line 2: expected `,`"), "{findings:?}");
}

#[test]
fn a_memory_that_cannot_be_used_is_explained() {
    let clinic = Clinic::new();
    clinic.done(&["install", "roo", "--yes"]);
    clinic.done(&["remember", "knots"]);
    let tx = clinic.project.state("tx");
    std::fs::create_dir_all(&tx).unwrap();
    std::fs::write(tx.join("manifest.tmp"), "").unwrap();
    assert_eq!(clinic.names(), ["transaction"]);
    clinic.done(&["index"]);
    std::fs::write(clinic.project.state("quipu.db"), "this is no database").unwrap();
    assert_eq!(clinic.names(), [""; 0], "it is set aside, and the next question rebuilds it");
    clinic.done(&["recall", "knots"]);
    clinic.project.write("quipu.toml", "[embedding]\nprovider = \"endpoint\"\n");
    assert_eq!(clinic.names(), ["settings"], "a repository does not choose who makes vectors");
    std::fs::remove_file(clinic.project.root().join("quipu.toml")).unwrap();
    clinic.project.write(crate::USER_SETTINGS, "[embedding]\nprovider = \"endpoint\"\n");
    assert_eq!(clinic.names(), ["embedding"]);
    std::fs::remove_file(clinic.project.root().join(crate::USER_SETTINGS)).unwrap();
    clinic.project.write(".agent/version.md", "- **version:** 99.0.0\n");
    assert_eq!(clinic.names(), ["layout"]);
}

#[test]
fn hooks_that_run_twice_or_never_are_found() {
    let clinic = Clinic::new();
    clinic.done(&["install", "codex", "--yes"]);
    clinic.done(&["install", "codex", "--user", "--yes"]);
    assert_eq!(clinic.names(), ["hooks"]);
    clinic.done(&["uninstall", "--user", "--yes"]);
    clinic.home.write(".codex/config.toml", "[features]\nhooks = false\n");
    let (_, findings) = clinic.findings();
    assert!(findings[0].1["what"].as_str().unwrap().contains("turned off"), "{findings:?}");
}
