//! `quipu hook`: whatever happens, the exit code is 0, and stdout is empty or one JSON document.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use quipu_core::hook::{Client, Event, Payload, answer};
use quipu_engine::config::BadConfig;
use quipu_engine::hook::{self, Call, log};
use quipu_engine::workspace::user_folder;
use quipu_engine::{ErrorKind, Workspace, open};
use serde_json::Value;

use crate::cli::HookArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::pool::real_fs;

/// A payload has the output of a tool in it, at most; more is not read.
const LARGEST_PAYLOAD: u64 = 16 * 1024 * 1024;

/// Where clients say which project they work in.
const FOLDERS: [&str; 3] = ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR"];

/// Tells whether this process was started as a hook, however its arguments are spelled.
pub(crate) fn is_called() -> bool {
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // These take a value of their own.
            "-C" | "--directory" | "--today" | "--now" | "--set" | "--session" => {
                arguments.next();
            }
            word if word.starts_with('-') => {}
            word => return word == "hook",
        }
    }
    false
}

/// Tells on stderr what went wrong, where somebody wants to know.
pub(crate) fn debug(line: &str) {
    if std::env::var_os("QUIPU_HOOK_DEBUG").is_some_and(|value| value == "1") {
        output::note(&format!("quipu hook: {}\n", line.trim_end()));
    }
}

/// Answers on stdout, or not at all.
pub(crate) fn run(arguments: &HookArgs, context: &Context) {
    // A panic is told in the log, and not to the client.
    std::panic::set_hook(Box::new(|_| {}));
    let found = (Client::named(&arguments.client), Event::named(&arguments.event));
    let (Some(client), Some(event)) = found else {
        let line = format!("`{} {}` is not known", arguments.client, arguments.event);
        let workspace = find(&Payload::default(), context).ok().flatten();
        return tell(workspace.as_ref().map(Workspace::root), "hook", &line, context);
    };
    let payload = Arc::new(OnceLock::new());
    let (sender, receiver) = mpsc::channel();
    let (own, told) = (context.clone(), Arc::clone(&payload));
    // Nothing in here may take longer than the client is ready to wait, reading included.
    let worker = std::thread::spawn(move || {
        let given = given();
        let read = Payload::read(&given);
        let is_unreadable = read.is_none() && !given.trim().is_empty();
        let payload = told.get_or_init(|| read.unwrap_or_default());
        if is_unreadable {
            let line = format!("{client} sent no JSON object", client = client.slug());
            let workspace = find(payload, &own).ok().flatten();
            tell(workspace.as_ref().map(Workspace::root), event.as_str(), &line, &own);
        }
        let done = work(client, event, payload, &own);
        // Nobody listens any more where it took too long.
        let _ = sender.send(done);
    });
    let line = match receiver.recv_timeout(limit(event)) {
        Ok(Ok(None)) => return,
        Ok(Ok(Some(answer))) => return print(&answer),
        Ok(Err((root, line))) => return tell(root.as_deref(), event.as_str(), &line, context),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            format!("gave up after {} s; `quipu index` may help", limit(event).as_secs())
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
            Ok(()) => "ended without a word".to_owned(),
            Err(panic) => {
                let words = panic.downcast_ref::<String>().cloned();
                let words = words.or_else(|| Some((*panic.downcast_ref::<&str>()?).to_owned()));
                format!("a bug: {}", words.unwrap_or_default())
            }
        },
    };
    let workspace = payload.get().and_then(|payload| find(payload, context).ok().flatten());
    tell(workspace.as_ref().map(Workspace::root), event.as_str(), &line, context);
}

/// Returns how long a hook may take. A user waits for the answer to a prompt, so that is the shortest.
fn limit(event: Event) -> Duration {
    seconds().unwrap_or(match event {
        Event::Prompt => Duration::from_secs(2),
        _ => Duration::from_secs(5),
    })
}

/// Returns the limit that the user set in `QUIPU_HOOK_SECONDS`.
fn seconds() -> Option<Duration> {
    std::env::var("QUIPU_HOOK_SECONDS").ok()?.parse().ok().map(Duration::from_secs)
}

/// A failure: the workspace where it happened, as far as it is known, and the words.
type Failure = (Option<PathBuf>, String);

fn work(
    client: Client,
    event: Event,
    payload: &Payload,
    context: &Context,
) -> Result<Option<Value>, Failure> {
    let Some(workspace) = find(payload, context)? else { return Ok(None) };
    let (now, today) = (context.now(), context.today());
    let patience = seconds().map_or(hook::PATIENCE, |limit| limit / 2);
    let call = Call { client, event, payload, now, today, patience };
    let told = hook::hook(&workspace, &call);
    let told = told.map_err(|error| (Some(workspace.root().to_owned()), words(error)))?;
    Ok(told.and_then(|text| answer(client, event, payload, &text)))
}

/// Returns the workspace that the client works in; nothing outside of any.
fn find(payload: &Payload, context: &Context) -> Result<Option<Workspace>, Failure> {
    let named = context.global.directory.clone().map(|folder| vec![folder]);
    let folders = named.unwrap_or_else(|| {
        let told = payload.folder.as_ref().map(PathBuf::from);
        let set = FOLDERS.iter().filter_map(std::env::var_os).map(PathBuf::from);
        let mut all: Vec<PathBuf> = told.into_iter().chain(set).collect();
        if all.is_empty() {
            all.push(PathBuf::from("."));
        }
        all
    });
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        match open::discover_with(real_fs(), folder, &context.global.settings) {
            Ok(workspace) => return Ok(Some(workspace.with_user_scope(user_folder()))),
            Err(error) if error.kind == ErrorKind::NoWorkspace => {}
            Err(error) => {
                let file = error.of().map(|BadConfig { path, .. }| path);
                let root = file.and_then(|path| path.parent()).map(Path::to_owned);
                return Err((root, words(error)));
            }
        }
    }
    Ok(None)
}

fn words(error: quipu_engine::Error) -> String {
    CommandError::from(error).message
}

fn tell(root: Option<&Path>, event: &str, line: &str, context: &Context) {
    let line = format!("{event}: {line}");
    debug(&line);
    if let Some(root) = root {
        log(root, context.now(), &line);
    }
}

/// Returns what the client sent; nothing where a person started this in a terminal.
fn given() -> String {
    let mut bytes = Vec::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        // Half a payload is none; what cannot be read was not sent.
        let _ = stdin.lock().take(LARGEST_PAYLOAD).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Prints the answer in one piece; a client that does not listen is no failure of ours.
fn print(answer: &Value) {
    let _ = output::json_line(answer);
}
