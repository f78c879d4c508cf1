//! What is done in a workspace of each family: a command of the built binary.

use std::path::Path;
use std::process::{Command, Stdio};

use super::families::{Family, KNOWN};

/// Something to do in a workspace, and to take the time of.
pub(crate) struct Step {
    /// Its name.
    pub(crate) name: &'static str,
    /// The command line after `quipu`; words in braces are replaced.
    arguments: &'static [&'static str],
    /// What is done before, without the time being taken.
    before: Before,
    /// What the command reads.
    pub(crate) stdin: &'static str,
}

/// What is done in a workspace before the time is taken.
enum Before {
    Nothing,
    /// Another command of the binary.
    Run(&'static [&'static str]),
    /// A repository of git with everything staged.
    Git,
    /// Three versions of the family's file.
    Versions,
}

const PROMPT: &str = r#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"how quickly does the parcel service answer the carrier?"}"#;
const START: &str = r#"{"session_id":"s1","hook_event_name":"SessionStart","source":"startup"}"#;
const STOP: &str = r#"{"session_id":"s1","hook_event_name":"Stop","last_assistant_message":"The parcel service was changed so that it answers within half a second, and all of its tests pass now."}"#;
const END: &str = r#"{"session_id":"s1","hook_event_name":"SessionEnd"}"#;

/// All steps.
pub(crate) const ALL: [Step; 26] = [
    step("lint", &["lint"]),
    step("status", &["status"]),
    step("brief", &["brief"]),
    step("show", &["show", "{known}"]),
    step("why", &["why", "{known}"]),
    step("history", &["history", "{known}"]),
    step("list", &["fact", "list", "--all"]),
    step("threads", &["thread", "list"]),
    step("questions", &["questions"]),
    step("index", &["index"]),
    step("recall", &["recall", "how quickly does the parcel service answer"]),
    Step {
        before: Before::Run(&["index"]),
        ..step("recall-again", &["recall", "how quickly does the parcel service answer"])
    },
    Step {
        before: Before::Run(&["index"]),
        ..step("remember", &["remember", "The parcel service has a new carrier."])
    },
    step("refresh", &["refresh"]),
    step("review", &["review"]),
    step("add", &["fact", "add", "Giraffes eat the marzipan lighthouse.", "--agree"]),
    step("supersede", &["fact", "supersede", "{known}"]),
    step("archive", &["fact", "archive", "{known}"]),
    step("harvest", &["harvest", "{main}", "--all"]),
    Step { before: Before::Run(&["index"]), ..step("dream", &["dream", "--dry-run"]) },
    Step { before: Before::Git, ..step("guard", &["git", "pre-commit"]) },
    Step {
        before: Before::Versions,
        ..step("merge", &["git", "merge", "base", "ours", "theirs", "{main}"])
    },
    Step { stdin: START, ..step("hook-start", &["hook", "claude-code", "SessionStart"]) },
    Step {
        before: Before::Run(&["index"]),
        stdin: PROMPT,
        ..step("hook-prompt", &["hook", "claude-code", "UserPromptSubmit"])
    },
    Step {
        before: Before::Run(&["index"]),
        stdin: STOP,
        ..step("hook-stop", &["hook", "claude-code", "Stop"])
    },
    Step {
        before: Before::Run(&["session", "start"]),
        stdin: END,
        ..step("hook-end", &["session", "end", "--force"])
    },
];

const fn step(name: &'static str, arguments: &'static [&'static str]) -> Step {
    Step { name, arguments, before: Before::Nothing, stdin: "" }
}

impl Step {
    /// Returns the command that the time is taken of.
    pub(crate) fn command(&self, binary: &Path, root: &Path, family: &Family) -> Command {
        quipu(binary, root, self.arguments, family)
    }

    /// Does what has to be done before.
    pub(crate) fn prepare(&self, binary: &Path, root: &Path, family: &Family) {
        match self.before {
            Before::Nothing => {}
            Before::Run(arguments) => {
                // It may find something, or nothing.
                let _ = quipu(binary, root, arguments, family).status().unwrap();
            }
            Before::Git => {
                for arguments in [&["init", "--quiet"][..], &["add", "--all"]] {
                    let mut git = Command::new("git");
                    git.arg("-C").arg(root).args(arguments);
                    assert!(git.status().unwrap().success(), "git {arguments:?}");
                }
            }
            Before::Versions => versions(root, family),
        }
    }
}

fn quipu(binary: &Path, root: &Path, arguments: &[&str], family: &Family) -> Command {
    let mut command = Command::new(binary);
    let arguments = arguments.iter().map(|word| match *word {
        "{known}" => KNOWN,
        "{main}" => family.main,
        word => word,
    });
    // Nothing of the user's may make a difference, nor be touched.
    let home = root.with_extension("home");
    command
        .args(["--now", "2026-06-20T10:00:00Z"])
        .args(arguments)
        .current_dir(root)
        .env("HOME", &home)
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Writes what the sides of a merge have: each changed every second fact, and added one.
fn versions(root: &Path, family: &Family) {
    let base = std::fs::read_to_string(root.join(family.main)).unwrap();
    let side = |from: &str, to: &str, name: &str| {
        let changed = base.replace(from, to);
        format!("{changed}- What {name} added.\n  <!-- id: added-by-{name} | tier: working -->\n")
    };
    let ours = side(" queue ", " stack ", "ours");
    let theirs = side("last_used: 2026-01-01", "last_used: 2026-02-02", "theirs");
    for (name, text) in [("base", &base), ("ours", &ours), ("theirs", &theirs)] {
        std::fs::write(root.join(name), text).unwrap();
    }
}
