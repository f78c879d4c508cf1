//! Starting what clients start: a hook and the server, always by this very program.

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

/// Tells whether the `quipu` on the path is this one. Where it is another, it is asked for its version, unless it
/// is inside the project, which may have brought it.
pub(super) fn on_path(patient: &Patient<'_>) -> Vec<Check> {
    let Some(found) = patient.project.machine().program(NAME) else {
        return vec![Check::wrong(
            "path",
            "quipu is not on the PATH",
            "committed entries that start `quipu` work only where it is on the PATH",
            "put the folder of quipu on the PATH",
        )];
    };
    let shown = found.display();
    if is_same_program(&found, patient.own) {
        return vec![Check::fine("path", format!("{shown} ({NAME} {})", patient.version))];
    }
    if is_inside(&found, patient.project.root()) {
        return vec![Check::wrong(
            "path",
            format!("the quipu on the PATH is {shown}, inside this project; it was not started"),
            "clients start the one on the PATH, and a repository may have brought this one",
            "remove the folder from the PATH, or put the folder of quipu before it",
        )];
    }
    let Some(scratch) = patient.scratch else {
        return vec![Check::skipped("path", "no program was started")];
    };
    let answer = run(&found, &["--version"], scratch, "");
    let said = answer.map(|answer| answer.out.trim().to_owned()).unwrap_or_default();
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

/// Starts this program as clients start the hooks and the server that are installed. What the installed entries
/// name is compared with it, and reported where it is another.
pub(super) fn entries(patient: &Patient<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for installer in [patient.project, patient.user] {
        let Ok(checked) = installer.check(&[]) else { continue };
        if !checked.is_installed() {
            continue;
        }
        let Some(named) = installer.machine().command(&checked.command) else { continue };
        if !is_same_program(&named, patient.own) {
            checks.push(other_program(installer, &checked.command, &named));
            continue;
        }
        let Some(scratch) = patient.scratch else {
            return vec![Check::skipped("programs", "no program was started")];
        };
        checks.extend(hooks(installer, (&checked.command, patient.own), scratch));
        if checked.entries.iter().any(|entry| entry.what == "mcp") {
            checks.push(server((&checked.command, patient.own), installer.root()));
        }
    }
    checks
}

/// Reports a program that entries start and that is not this one. On the PATH it is an installation of its own,
/// whose version is checked there.
fn other_program(installer: &Installer, command: &str, named: &Path) -> Check {
    if command == NAME && !is_inside(named, installer.root()) {
        let why =
            format!("entries start {}, which is another file than this program", named.display());
        return Check::skipped("programs", why);
    }
    Check::wrong(
        "programs",
        format!("entries start `{command}`, which is not this Quipu; it was not started"),
        "clients run it at every session, and a repository may have brought it",
        "quipu install --force, or remove the entries if you do not know them",
    )
}

/// Tells whether two files are the same program: one file, or the same bytes.
fn is_same_program(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (one.canonicalize(), other.canonicalize()) else { return false };
    if one == other {
        return true;
    }
    let size = |path: &Path| path.metadata().ok().map(|found| found.len());
    size(&one).is_some()
        && size(&one) == size(&other)
        && std::fs::read(&one).ok().is_some_and(|bytes| std::fs::read(&other).ok() == Some(bytes))
}

fn is_inside(file: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    file.starts_with(folder) || real(file).starts_with(real(folder))
}

fn hooks(installer: &Installer, (command, own): (&str, &Path), scratch: &Path) -> Vec<Check> {
    let payload = json!({
        "session_id": "doctor", "sessionId": "doctor", "cwd": scratch, "source": "startup",
        "hook_event_name": "SessionStart",
    });
    let try_one = |name: String| {
        let line = format!("{command} hook {name} session-start");
        match run(own, &["hook", &name, "session-start"], scratch, &payload.to_string()) {
            Some(Answer { is_success: true, out, .. }) if is_json_or_empty(&out) => {
                Check::fine("hooks", line)
            }
            Some(Answer { is_success: true, .. }) => Check::wrong(
                "hooks",
                format!("`{line}` answers with something that is not JSON"),
                "clients read its answer as JSON",
                "this is a bug in Quipu; please report it",
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
    installer.hook_names().unwrap_or_default().into_iter().map(try_one).collect()
}

fn is_json_or_empty(out: &str) -> bool {
    out.trim().is_empty() || serde_json::from_str::<Value>(out).is_ok()
}

/// Asks the server for its name.
fn server((command, own): (&str, &Path), root: &Path) -> Check {
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "quipu doctor", "version": "1" },
        },
    });
    let answer = first_line(own, &["mcp"], root, &format!("{hello}\n"));
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

fn start(command: &Path, arguments: &[&str], folder: &Path) -> Option<Child> {
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
fn run(command: &Path, arguments: &[&str], folder: &Path, input: &str) -> Option<Answer> {
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
fn first_line(command: &Path, arguments: &[&str], folder: &Path, input: &str) -> Option<String> {
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
