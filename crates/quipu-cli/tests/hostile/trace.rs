//! Running a command as an ordinary user under `strace`, and reading what it did.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::scene::{ORDINARY_USER, Scene, is_root};
use super::steps::Step;

/// A step that takes longer hangs.
const HANGS: Duration = Duration::from_mins(2);

/// Tells whether `strace` can be used. In CI it must be there.
pub(super) fn is_there() -> bool {
    let found = Command::new("strace").arg("-V").stdout(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    assert!(is_there || std::env::var_os("CI").is_none(), "CI has no `strace`; install it");
    // `scripts/test` says that these tests are skipped.
    is_there
}

/// What a step did.
pub(super) struct Ran {
    trace: String,
    out: String,
    error: String,
}

impl Ran {
    /// Returns all that was printed.
    pub(super) fn printed(&self) -> String {
        format!("{}{}", self.out, self.error)
    }

    /// Returns what must not have happened.
    pub(super) fn violations(&self, scene: &Scene) -> Vec<String> {
        self.trace.lines().filter_map(|line| violation(line, scene)).collect()
    }
}

/// Runs a step to its end, unseen, and returns how long it took.
pub(super) fn time(scene: &Scene, step: &Step) -> Duration {
    let mut command = prepared(Command::new(scene.base.join("bin/quipu")), scene, step);
    let started = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // A command that does not read closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(step.given.as_bytes());
    child.wait().unwrap();
    started.elapsed()
}

/// Runs a step to its end.
pub(super) fn run(scene: &Scene, step: &Step) -> Ran {
    let log = scene.base.join("trace.log");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-qq", "-s", "4096", "-o"]).arg(&log);
    command.args([
        "-e",
        "trace=execve,execveat,open,openat,openat2,creat,connect",
        "-e",
        "signal=none",
    ]);
    command.arg(scene.base.join("bin/quipu"));
    let mut command = prepared(command, scene, step);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let given = step.given.clone();
    // A command that does not read closes the pipe.
    let writer = std::thread::spawn(move || stdin.write_all(given.as_bytes()).ok());
    let pid = child.id();
    let deadline = Instant::now() + HANGS;
    let (sender, receiver) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || sender.send(child.wait_with_output()).ok());
    if step.is_server {
        stop_when_up(pid, deadline);
    }
    let output = receiver.recv_timeout(HANGS);
    let Ok(output) = output else {
        end_children(pid, "-KILL");
        panic!("{} in {} hangs", step.name(), scene.name);
    };
    writer.join().unwrap();
    waiter.join().unwrap();
    let output = output.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let trace = text(&std::fs::read(&log).unwrap_or_default());
    assert!(trace.contains("execve("), "strace saw nothing: {}", text(&output.stderr));
    std::fs::remove_file(&log).unwrap();
    Ran { trace, out: text(&output.stdout), error: text(&output.stderr) }
}

/// Returns a command with the step's arguments, as the ordinary user would run it.
fn prepared(mut command: Command, scene: &Scene, step: &Step) -> Command {
    command.args(&step.arguments);
    command.current_dir(scene.base.join(&step.folder));
    command.env_clear();
    let path = format!("{}/usr/local/bin:/usr/bin:/bin", step.path_before);
    command.env("PATH", path).env("HOME", scene.base.join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("TMPDIR", scene.base.join("home/tmp"));
    command.env("TZ", "UTC").env("EMBEDDING_API_KEY", "sk-the-users-own-key");
    if is_root() {
        command.uid(ORDINARY_USER).gid(ORDINARY_USER);
    }
    command.stdin(Stdio::piped());
    command
}

/// Lets a server come up, and ends it: its own process, not `strace`.
fn stop_when_up(strace: u32, deadline: Instant) {
    let up = Instant::now() + Duration::from_millis(700);
    while Instant::now() < up.min(deadline) {
        std::thread::sleep(Duration::from_millis(20));
    }
    end_children(strace, "-TERM");
}

fn end_children(strace: u32, signal: &str) {
    let children = std::fs::read_to_string(format!("/proc/{strace}/task/{strace}/children"));
    for child in children.unwrap_or_default().split_whitespace() {
        // It may have ended by itself.
        let _ = Command::new("kill").args([signal, child]).status();
    }
}

/// Returns what is wrong with one line of the trace.
fn violation(line: &str, scene: &Scene) -> Option<String> {
    // With `-f` the process comes first, and calls that others interrupted come in two parts.
    let call = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
    if call.contains("= -1 ") || call.contains("<unfinished") {
        return None;
    }
    if let Some(arguments) = call.strip_prefix("execve(") {
        let program = arguments.split('"').nth(1).unwrap_or_default();
        let is_this = Path::new(program) == scene.base.join("bin/quipu");
        let is_git = ["/usr/local/bin/git", "/usr/bin/git", "/bin/git"].contains(&program);
        let is_safe = is_git && arguments.contains("\"safe.bareRepository=explicit\"");
        return (!is_this && !is_safe).then(|| call.to_owned());
    }
    if call.starts_with("execveat(") {
        return Some(call.to_owned());
    }
    if call.starts_with("connect(") {
        return (call.contains("AF_INET") && !call.contains("= -1")).then(|| call.to_owned());
    }
    let (_, opened) = call.rsplit_once("= ")?;
    let path = opened.split_once('<')?.1.split('>').next()?;
    (!scene.may_open(path)).then(|| call.to_owned())
}
