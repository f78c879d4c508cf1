//! Starting what clients start: `quipu` itself, a hook, the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Check, Patient};
use crate::install::{Installer, NAME};

/// Longer than any hook may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// What a program answered.
struct Answer {
    is_success: bool,
    out: String,
    error: String,
}

/// Tells whether the `quipu` on the path is this one.
pub(super) fn on_path(patient: &Patient<'_>) -> Vec<Check> {
    let Some(found) = patient.project.machine().program(NAME) else {
        return vec![Check::wrong(
            "path",
            "quipu is not on the PATH",
            "committed entries that start `quipu` work only where it is on the PATH",
            "put the folder of quipu on the PATH",
        )];
    };
    let Some(scratch) = patient.scratch else {
        return vec![Check::skipped("path", "no program was started")];
    };
    let answer = run(&found.display().to_string(), &["--version"], scratch, "");
    let said = answer.map(|answer| answer.out.trim().to_owned()).unwrap_or_default();
    let shown = found.display();
    if said == format!("{NAME} {}", patient.version) {
        return vec![Check::fine("path", format!("{shown} ({said})"))];
    }
    let what = if said.is_empty() { "does not answer".to_owned() } else { format!("is {said}") };
    vec![Check::wrong(
        "path",
        format!("{shown} {what}, and this one is {NAME} {}", patient.version),
        "clients start the one on the PATH",
        "update it, or put this one before it on the PATH",
    )]
}

/// Starts the hooks and the server that are installed.
pub(super) fn entries(patient: &Patient<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for installer in [patient.project, patient.user] {
        let Ok(checked) = installer.check(&[]) else { continue };
        if !checked.is_installed() || !checked.command_is_there {
            continue;
        }
        let Some(scratch) = patient.scratch else {
            return vec![Check::skipped("programs", "no program was started")];
        };
        checks.extend(hooks(installer, &checked.command, scratch));
        if checked.entries.iter().any(|entry| entry.what == "mcp") {
            checks.push(server(&checked.command, installer.root()));
        }
    }
    checks
}

fn hooks(installer: &Installer, command: &str, scratch: &Path) -> Vec<Check> {
    let names = installer.hook_names().unwrap_or_default();
    if names.is_empty() {
        return Vec::new();
    }
    if !knows(command, "hook", scratch) {
        return vec![Check::skipped("hooks", format!("`{command}` has no command `hook`"))];
    }
    let payload = json!({
        "session_id": "doctor", "sessionId": "doctor", "cwd": scratch, "source": "startup",
        "hook_event_name": "SessionStart",
    });
    let try_one = |name: String| {
        let line = format!("{command} hook {name} session-start");
        match run(command, &["hook", &name, "session-start"], scratch, &payload.to_string()) {
            Some(Answer { is_success: true, out, .. }) if is_json_or_empty(&out) => {
                Check::fine("hooks", line)
            }
            Some(Answer { is_success: true, .. }) => Check::wrong(
                "hooks",
                format!("`{line}` answers with something that is not JSON"),
                "clients read its answer as JSON",
                "quipu doctor --json shows which program answers; update it",
            ),
            Some(Answer { error, .. }) => Check::wrong(
                "hooks",
                format!("`{line}` fails: {}", error.lines().next().unwrap_or("without a word")),
                "the client shows an error at every session",
                "run that command in a terminal to see all of what it says",
            ),
            None => Check::wrong(
                "hooks",
                format!("`{line}` does not answer within {} s", PATIENCE.as_secs()),
                "the client waits for it, then goes on without memory",
                "run that command in a terminal to see where it hangs",
            ),
        }
    };
    names.into_iter().map(try_one).collect()
}

fn is_json_or_empty(out: &str) -> bool {
    out.trim().is_empty() || serde_json::from_str::<Value>(out).is_ok()
}

/// Asks the server for its name.
fn server(command: &str, root: &Path) -> Check {
    if !knows(command, "mcp", root) {
        return Check::skipped("server", format!("`{command}` has no command `mcp`"));
    }
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "quipu doctor", "version": "1" },
        },
    });
    let answer = first_line(command, &["mcp"], root, &format!("{hello}\n"));
    let answer: Option<Value> = answer.and_then(|line| serde_json::from_str(&line).ok());
    match answer.as_ref().and_then(|answer| answer.pointer("/result/serverInfo/name")) {
        Some(name) => Check::fine("server", format!("`{command} mcp` answers as {name}")),
        None => Check::wrong(
            "server",
            format!("`{command} mcp` does not answer as a server"),
            "clients cannot ask the memory",
            "run it in a terminal to see what it says",
        ),
    }
}

fn knows(command: &str, subcommand: &str, folder: &Path) -> bool {
    run(command, &[subcommand, "--help"], folder, "").is_some_and(|answer| answer.is_success)
}

fn start(command: &str, arguments: &[&str], folder: &Path) -> Option<Child> {
    let mut starting = Command::new(command);
    // It should find what a client's would find.
    starting.env_remove("QUIPU_DIR").env_remove("QUIPU_SESSION");
    starting
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()
}

/// Runs a program to its end; `None` where it cannot be started or takes too long.
fn run(command: &str, arguments: &[&str], folder: &Path, input: &str) -> Option<Answer> {
    let mut child = start(command, arguments, folder)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Whoever does not read its input has closed it.
        let _ = stdin.write_all(input.as_bytes());
    }
    let (mut out, mut error) = (child.stdout.take()?, child.stderr.take()?);
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut texts = (Vec::new(), Vec::new());
        // Half an answer is told as it is.
        let _ = out.read_to_end(&mut texts.0);
        let _ = error.read_to_end(&mut texts.1);
        send.send(texts).ok()
    });
    let texts = receive.recv_timeout(PATIENCE).ok();
    if texts.is_none() {
        // It may have ended this moment.
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    let (out, error) = texts?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some(Answer { is_success: status.success(), out: text(out), error: text(error) })
}

/// Returns the first line that a program answers, and ends it.
fn first_line(command: &str, arguments: &[&str], folder: &Path, input: &str) -> Option<String> {
    let mut child = start(command, arguments, folder)?;
    let mut stdin = child.stdin.take()?;
    let out = child.stdout.take()?;
    let written = stdin.write_all(input.as_bytes()).and_then(|()| stdin.flush());
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(out).read_line(&mut line);
        send.send(read.ok().map(|_| line)).ok()
    });
    let line = written.ok().and_then(|()| receive.recv_timeout(PATIENCE).ok().flatten());
    drop(stdin);
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    line
}
