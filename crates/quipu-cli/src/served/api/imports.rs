//! Memories of other programs, sent here as files. A file comes in pieces, is shown as a plan, and is imported when
//! the plan is accepted. What is sent stays in a folder of its own for as long as the server runs, or until it is
//! imported or taken away.

use std::fs::OpenOptions;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use quipu_engine::operation::registry::Object;
use quipu_engine::operations::Import;
use quipu_server::{ApiAnswer, ApiRequest, Caller, Channel, Refusal, Scope};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{BASE, Reported, refusal, with_undo};
use crate::context;
use crate::served::{Circumstances, Commands, Progress};

/// A file that is sent is no larger than this.
const LARGEST: u64 = 2 * 1024 * 1024 * 1024;

/// So many files are kept; one more takes the place of the oldest.
const MOST_KEPT: usize = 4;

/// What a caller may say about how a file is read; the rest of the operation is decided here.
pub(super) const SAID: [&str; 9] =
    ["as", "map", "with_chats", "me", "timezone", "keep_pins", "since", "strict", "explain"];

/// The files that were sent.
#[derive(Default)]
pub(in crate::served) struct Uploads {
    all: Mutex<Vec<Arc<Upload>>>,
    count: AtomicU64,
}

/// A file that was sent, or is being sent.
struct Upload {
    id: String,
    by: Option<String>,
    /// The space that it was sent to.
    space: Option<String>,
    name: String,
    size: u64,
    /// When it was written, as the caller knows; never when it was sent.
    modified: SystemTime,
    received: Mutex<u64>,
    /// It holds nothing else, and goes when nobody needs the file any more.
    folder: TempDir,
}

impl Upload {
    fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    fn received(&self) -> MutexGuard<'_, u64> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn data(&self) -> Value {
        json!({ "id": self.id, "name": self.name, "size": self.size, "received": *self.received() })
    }

    /// Takes a piece that begins where the last one ended.
    fn take(&self, offset: u64, bytes: &[u8]) -> Result<(), Refusal> {
        let mut received = self.received();
        let end = offset.saturating_add(bytes.len() as u64);
        if offset != *received || end > self.size {
            let why =
                format!("the next piece begins at {received}, and the file ends at {}", self.size);
            return Err(Refusal::new(409, "offset", why).hint("GET it to see how much has arrived"));
        }
        let write = || -> std::io::Result<()> {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(false).open(self.path())?;
            file.seek(SeekFrom::Start(offset))?;
            file.write_all(bytes)?;
            file.set_modified(self.modified)
        };
        write().map_err(|error| {
            Refusal::new(507, "no-room", format!("the file cannot be kept: {error}"))
        })?;
        *received = end;
        Ok(())
    }
}

impl Uploads {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Upload>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a file.
    fn begin(&self, request: &ApiRequest, caller: &Caller) -> Result<Arc<Upload>, Refusal> {
        let wrong = |why: &str| Refusal::new(400, "arguments", why);
        let known = ["name", "size", "modified"];
        if let Some(other) = request.body.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(wrong(&format!("there is no argument `{other}`"))
                .hint("a file has `name` and `size`"));
        }
        let name = request.body.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| wrong("`name` is the name of the file"))?;
        let size = request.body.get("size").and_then(Value::as_u64);
        let size =
            size.filter(|size| *size > 0).ok_or_else(|| wrong("`size` is its length in bytes"))?;
        let modified = match request.body.get("modified") {
            None => SystemTime::UNIX_EPOCH,
            Some(time) => time
                .as_str()
                .and_then(|time| time.parse::<Timestamp>().ok())
                .ok_or_else(|| wrong("`modified` is a time such as 2026-04-20T10:00:00Z"))?
                .into(),
        };
        if size > LARGEST {
            let why = format!("a file of more than {LARGEST} bytes is not taken here");
            return Err(
                Refusal::new(413, "too-large", why).hint("quipu import PATH reads it where it is")
            );
        }
        let folder =
            tempfile::Builder::new().prefix("quipu-upload-").tempdir().map_err(|error| {
                Refusal::new(507, "no-room", format!("the file cannot be kept: {error}"))
            })?;
        let upload = Arc::new(Upload {
            id: format!("upload-{}", self.count.fetch_add(1, Ordering::Relaxed) + 1),
            by: caller.agent.clone(),
            space: caller.space.clone(),
            name: file_name(name),
            size,
            modified,
            received: Mutex::default(),
            folder,
        });
        let mut all = self.all();
        // Nobody's file goes because somebody of another space sends many.
        let mut own = all.iter().enumerate().filter(|(_, one)| one.space == caller.space);
        if own.clone().count() >= MOST_KEPT
            && let Some((oldest, _)) = own.next()
        {
            all.remove(oldest);
        }
        all.push(upload.clone());
        Ok(upload)
    }

    fn of(&self, id: &str, caller: &Caller) -> Result<Arc<Upload>, Refusal> {
        let all = self.all();
        let is_theirs = |one: &Upload| one.by == caller.agent || caller.scope == Scope::Admin;
        let is_for = |one: &Upload| one.space == caller.space && is_theirs(one);
        let found = all.iter().find(|one| one.id == id && is_for(one));
        found.cloned().ok_or_else(|| {
            Refusal::new(404, "no-import", format!("no file `{id}` was sent"))
                .hint(format!("POST {BASE}/imports begins; the server keeps the last {MOST_KEPT}"))
        })
    }

    fn remove(&self, id: &str) {
        self.all().retain(|one| one.id != id);
    }
}

/// Returns a name that is one plain file in a folder.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control()).take(100).collect();
    if plain.trim_matches(['.', ' ']).is_empty() { "file".to_owned() } else { plain }
}

/// Answers a request about imports; nothing where it is about something else.
pub(super) fn answer(
    commands: &Arc<Commands>,
    request: &ApiRequest,
    caller: &Caller,
) -> Option<Result<ApiAnswer, Refusal>> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let ["imports", rest @ ..] = &path[..] else { return None };
    Some(allowed(request, caller).and_then(|()| done(commands, request, caller, rest)))
}

fn allowed(request: &ApiRequest, caller: &Caller) -> Result<(), Refusal> {
    let reads = request.method == "GET";
    if caller.channel != Channel::Main {
        let why = "imports are only there for the main channel";
        return Err(Refusal::new(403, "channel", why));
    }
    if reads || caller.scope != Scope::Read {
        return Ok(());
    }
    Err(Refusal::new(
        403,
        "forbidden",
        "this needs the permission `write`, and this caller may only read",
    ))
}

fn done(
    commands: &Arc<Commands>,
    request: &ApiRequest,
    caller: &Caller,
    path: &[&str],
) -> Result<ApiAnswer, Refusal> {
    let plain = |status: u16, body: Value| ApiAnswer { status, body, etag: None, location: None };
    let uploads = &commands.uploads;
    match (request.method.as_str(), path) {
        ("GET", []) => {
            let list = Import { list: true, ..read(&Object::new())? };
            let silence: Progress = Arc::new(crate::served::Silence);
            let circumstances = Circumstances { counts: false, ..Circumstances::of(&silence) };
            let data =
                commands.perform(&list, circumstances, caller).map_err(|error| refusal(&error))?;
            Ok(plain(200, json!({ "items": data["runs"], "next": null })))
        }
        ("POST", []) => {
            let upload = uploads.begin(request, caller)?;
            let location = Some(format!("{BASE}/imports/{}", upload.id));
            Ok(ApiAnswer { location, ..plain(201, upload.data()) })
        }
        ("GET", [id]) => Ok(plain(200, uploads.of(id, caller)?.data())),
        ("DELETE", [id]) => {
            let upload = uploads.of(id, caller)?;
            uploads.remove(id);
            Ok(plain(200, upload.data()))
        }
        ("PUT", [id, "content"]) => {
            let upload = uploads.of(id, caller)?;
            let offset = request.query.iter().find(|(name, _)| name == "offset");
            let offset = offset.map_or(Ok(0), |(_, value)| value.parse());
            let offset = offset
                .map_err(|_| Refusal::new(400, "arguments", "`offset` is a number of bytes"))?;
            let bytes = request.bytes.as_deref().ok_or_else(|| {
                Refusal::new(415, "not-bytes", "a piece of a file is sent as it is")
                    .hint("send `Content-Type: application/octet-stream`")
            })?;
            upload.take(offset, bytes)?;
            Ok(plain(200, upload.data()))
        }
        ("POST", [id, step @ ("plan" | "accept")]) => {
            run(commands, request, caller, uploads.of(id, caller)?, *step == "accept")
        }
        (_, []) => Err(Refusal::method(&request.method, &["GET", "POST"])),
        (_, [_]) => Err(Refusal::method(&request.method, &["GET", "DELETE"])),
        (_, [_, "content"]) => Err(Refusal::method(&request.method, &["PUT"])),
        (_, [_, "plan" | "accept"]) => Err(Refusal::method(&request.method, &["POST"])),
        _ => Err(Refusal::new(404, "no-route", "there is nothing at this path")),
    }
}

fn read(said: &Object) -> Result<Import, Refusal> {
    serde_json::from_value(Value::Object(said.clone()))
        .map_err(|error| Refusal::new(400, "arguments", error.to_string()))
}

/// Makes the plan of a file, or imports it: work that may take long.
fn run(
    commands: &Arc<Commands>,
    request: &ApiRequest,
    caller: &Caller,
    upload: Arc<Upload>,
    is_accepted: bool,
) -> Result<ApiAnswer, Refusal> {
    if *upload.received() < upload.size {
        let why = format!("{} of {} bytes have arrived", upload.received(), upload.size);
        return Err(Refusal::new(409, "incomplete", why));
    }
    if let Some(other) = request.body.keys().find(|key| !SAID.contains(&key.as_str())) {
        let why = format!("there is no argument `{other}`");
        return Err(
            Refusal::new(400, "arguments", why).hint(format!("there are {}", SAID.join(", ")))
        );
    }
    let import = Import { upload: Some(upload.path()), yes: is_accepted, ..read(&request.body)? };
    let job = commands.jobs.begin("import", caller, context::now(&commands.global))?;
    let (own, commands, caller) = (job.clone(), commands.clone(), caller.clone());
    std::thread::spawn(move || {
        let progress: Progress =
            Arc::new(Reported { commands: commands.clone(), job: own.clone() });
        let done = commands.perform(&import, Circumstances::of(&progress), &caller);
        if is_accepted && done.is_ok() {
            commands.uploads.remove(&upload.id);
        }
        own.end(&commands.jobs, done.map(with_undo).map_err(|error| refusal(&error)));
    });
    match job.wait(request) {
        Some(outcome) => Ok(ApiAnswer { status: 200, body: outcome?, etag: None, location: None }),
        None => Ok(job.accepted()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere() {
        for (name, plain) in [
            ("a.zip", "a.zip"),
            ("../../etc/x", "x"),
            ("..", "file"),
            ("c:\\x\u{7}", "x"),
            ("", "file"),
        ] {
            assert_eq!(file_name(name), plain, "{name}");
        }
    }
}
