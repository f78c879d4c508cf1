//! The `quipu` command from the outside: the real binary, real files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adopt;
mod callers;
mod cli;
mod corpora;
#[cfg(unix)]
mod docs;
mod doctor;
mod documents;
mod dream;
mod everyday;
mod example;
mod git;
mod git_hooks;
mod harvest;
mod hook;
mod hook_uses;
mod hostile;
mod import;
mod init;
mod install;
mod integrations;
mod journal;
mod lifecycle;
#[cfg(unix)]
mod links;
mod mcp;
mod mcp_words;
mod memory_tool;
#[cfg(unix)]
mod modes;
mod off_record;
#[cfg(unix)]
mod polite;
mod printing;
mod processes;
mod purge;
mod recall;
mod remember;
#[cfg(unix)]
mod rest;
#[cfg(unix)]
mod rest_events;
#[cfg(unix)]
mod rest_imports;
#[cfg(unix)]
mod rest_security;
#[cfg(unix)]
mod rest_writes;
mod scopes;
mod secrets;
mod serve;
#[cfg(all(unix, feature = "postgres"))]
mod spaces;
#[cfg(unix)]
mod sync;
mod twins;
mod who_sees;

use std::path::Path;
use std::process::{Command, Output};

use quipu_testkit::TestRepo;

#[test]
fn every_test_file_is_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    quipu_testkit::assert_no_forgotten_test_files(folder, include_str!("it.rs"));
}

/// The settings of the user, in tests: a file in the folder that a command works in.
const USER_SETTINGS: &str = ".user-settings.toml";

/// How long a hook may take.
const HOOK_SECONDS: &str = "QUIPU_HOOK_SECONDS";

/// Returns a command line in `folder`, free of the caller's environment.
fn quipu(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
    command.arg("-C").arg(folder);
    command.env(quipu_engine::state::VARIABLE, quipu_testkit::state_home_of(folder));
    command.env("QUIPU_USER_DIR", quipu_testkit::state_home_of(folder).join("user"));
    // What programs left in the home folder of whoever runs this is no part of a test either.
    command.env("HOME", quipu_testkit::state_home_of(folder).join("home"));
    // A key that somebody set for themselves is no part of a test.
    command.env(quipu_engine::config::VARIABLE, folder.join(USER_SETTINGS));
    for (key, ..) in quipu_engine::config::KEYS {
        command.env_remove(quipu_engine::config::variable(key));
    }
    for name in
        ["QUIPU_SESSION", "QUIPU_AGENT", "QUIPU_USER", "QUIPU_TODAY", "QUIPU_NOW", "NO_COLOR"]
    {
        command.env_remove(name);
    }
    // A busy machine is no reason for a hook to give up.
    command.env(HOOK_SECONDS, "120");
    // These tests may run inside an agent's session; who calls is part of what they test.
    for (name, _) in quipu_engine::caller::AGENT_VARIABLES {
        command.env_remove(name);
    }
    command
}

/// Makes a folder with a memory in it.
fn initialised() -> TestRepo {
    let repo = TestRepo::new();
    let (code, _, error) = run(repo.root(), &["init", "--project", "x"]);
    assert_eq!(code, 0, "{error}");
    repo
}

/// Runs a command line; returns exit code, stdout and stderr.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    answer(&quipu(folder).args(arguments).output().unwrap())
}

fn answer(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Runs a command line with `--json`; returns exit code and document.
fn json(folder: &Path, arguments: &[&str]) -> (i32, serde_json::Value) {
    let (code, out, error) = answer(&quipu(folder).arg("--json").args(arguments).output().unwrap());
    let document = serde_json::from_str(&out)
        .unwrap_or_else(|cause| panic!("{arguments:?} answered no JSON ({cause}): {out}{error}"));
    (code, document)
}
