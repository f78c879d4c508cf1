//! What git knows about the workspace. Reads only; Quipu never commits.
//!
//! A repository is untrusted: its files and its configuration may try to run programs. Every call
//! goes through `command`, which switches off what could start one, and no call makes git read
//! files of the work tree, because that runs the filters that the configuration names.

mod tracked;
mod tree;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, UNIX_EPOCH};

use quipu_core::lint::{Finding, LintCode};
use quipu_core::memory::{SESSIONS, Snapshot};

use crate::fs::{FileSystem as _, RealFs};

pub(crate) use self::tracked::TrackedFiles;
pub use self::tracked::tracked_journal;
pub(crate) use self::tree::changed_since;

/// Returns the files below a folder that git tracks or would track, from there.
pub(crate) fn files(root: &Path) -> Option<Vec<String>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."];
    let listed = git(root, &arguments, None)?;
    // A name that is not UTF-8 is no reason to forget what git ignores.
    let names = listed.split(|byte| *byte == 0).filter_map(|name| str::from_utf8(name).ok());
    Some(names.filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// Runs git for reading: nothing is fetched, no hook and no helper of the repository runs.
pub fn git(root: &Path, arguments: &[&str], input: Option<&[u8]>) -> Option<Vec<u8>> {
    output(started(root, arguments, input.is_some())?, input, limit_of(arguments))
}

/// Returns how long git may take. A pipe in place of one of its files would be waited for for ever.
fn limit_of(arguments: &[&str]) -> Duration {
    let is_long = ["log", "rev-list", "diff-tree", "grep", "cat-file"];
    let is_long =
        !arguments.contains(&"--untracked") && arguments.iter().any(|word| is_long.contains(word));
    let seconds = if is_long { 300 } else { 10 };
    Duration::from_secs(seconds)
}

/// Runs git inside a hook, on the index that is about to be committed, which need not be the usual one.
pub fn git_in_hook(arguments: &[&str], input: Option<&[u8]>) -> Option<Vec<u8>> {
    output(spawned(command()?, arguments, input.is_some())?, input, limit_of(arguments))
}

/// Runs git for its own merge driver: on the repository that git merges, wherever its folder is.
pub fn git_in_driver(root: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = command()?;
    command.arg("-C").arg(root);
    output(spawned(command, arguments, false)?, None, limit_of(arguments))
}

/// When git last took too long. A moment later it would again, so it is not asked for a while.
static GAVE_UP: Mutex<Option<Instant>> = Mutex::new(None);

/// How long git is not asked after it took too long.
const PAUSE: Duration = Duration::from_secs(30);

/// Returns what git answers, and ends it where that takes longer than `limit`.
fn output(mut child: Child, input: Option<&[u8]>, limit: Duration) -> Option<Vec<u8>> {
    let stdin = child.stdin.take();
    let mut stdout = child.stdout.take()?;
    let deadline = Instant::now() + limit;
    std::thread::scope(|scope| {
        // Git answers while it still reads: a process that only writes would wait for ever.
        if let (Some(mut stdin), Some(input)) = (stdin, input) {
            // Where git has heard enough it closes the pipe.
            scope.spawn(move || stdin.write_all(input).ok());
        }
        let answer = scope.spawn(move || {
            let mut bytes = Vec::new();
            stdout.read_to_end(&mut bytes).ok().map(|_| bytes)
        });
        while !answer.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        if !answer.is_finished() {
            *GAVE_UP.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            // It may have ended just now; then there is nothing to end.
            let _ = child.kill();
        }
        let ended = child.wait().ok()?;
        let bytes = answer.join().ok()??;
        ended.success().then_some(bytes)
    })
}

/// Tells whether the repository at `root` contains files of a folder. `None` where git does not say.
pub(crate) fn tracks(root: &Path, folder: &str) -> Option<bool> {
    let listed = git(root, &["ls-files", "-z", "--", folder], None)?;
    Some(!listed.is_empty())
}

/// Returns what git ignores and does not track of some files and folders; a folder stands for all in it.
pub fn ignored(root: &Path, paths: &[&str]) -> Vec<String> {
    let list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    let arguments: Vec<&str> =
        list.into_iter().chain(["--"]).chain(paths.iter().copied()).collect();
    if let Some(listed) = git(root, &arguments, None) {
        let names = listed.split(|byte| *byte == 0).filter_map(|name| str::from_utf8(name).ok());
        let names = names.map(|name| name.trim_end_matches('/'));
        return names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    }
    // Before `git init` the lines say what will be ignored, as far as they name it.
    let read = RealFs.read_up_to(&root.join(".gitignore"), LARGEST_INDEX);
    let bytes = read.ok().and_then(Result::ok).unwrap_or_default();
    let lines = String::from_utf8_lossy(&bytes).into_owned();
    let named = |line: &str| line.trim().trim_matches('/').trim_end_matches("/*").to_owned();
    lines.lines().map(named).filter(|line| !line.is_empty()).collect()
}

/// Tells whether git tracks a file.
pub fn tracks_file(root: &Path, path: &str) -> bool {
    git(root, &["ls-files", "-z", "--error-unmatch", "--", path], None).is_some()
}

/// Tells whether a folder is one that git keeps for itself: a bare repository, or `.git`.
pub fn is_own_folder(root: &Path) -> bool {
    top_of(root) == Err(GitFolder)
}

/// A folder that git would take for its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GitFolder;

/// Returns the folder above `root` that has a `.git`.
///
/// Git takes any folder with `HEAD`, `objects` and `refs` for a bare repository and obeys the
/// configuration in it. A clone can contain such a folder, so git is not started below one. Versions
/// from 2.38 on check this themselves (`safe.bareRepository`).
fn top_of(root: &Path) -> Result<Option<PathBuf>, GitFolder> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    for folder in root.ancestors() {
        let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
        if has(".git") {
            return Ok(Some(folder.to_owned()));
        }
        if has("HEAD") && has("objects") && has("refs") {
            return Err(GitFolder);
        }
    }
    Ok(None)
}

/// Runs git as [`git`] does, and ends it where it takes longer than `limit`.
fn git_within(root: &Path, arguments: &[&str], limit: Option<Duration>) -> Option<Vec<u8>> {
    let limit = limit.unwrap_or_else(|| limit_of(arguments));
    output(started(root, arguments, false)?, None, limit)
}

fn started(root: &Path, arguments: &[&str], has_input: bool) -> Option<Child> {
    let gave_up = *GAVE_UP.lock().unwrap_or_else(PoisonError::into_inner);
    if gave_up.is_some_and(|then| then.elapsed() < PAUSE) {
        return None;
    }
    let top = top_of(root).ok()??;
    let mut command = command()?;
    // Inside a hook these name the repository of the hook.
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    // A configuration could name another folder as its work tree.
    command.env("GIT_WORK_TREE", top).arg("-C").arg(root);
    spawned(command, arguments, has_input)
}

/// Returns git itself. Only absolute folders of the `PATH` are looked through: `.` may be a folder of
/// the repository.
pub fn command() -> Option<Command> {
    static GIT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let name = if cfg!(windows) { "git.exe" } else { "git" };
        let path = std::env::var_os("PATH")?;
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(name)).find(|file| file.is_file())
    };
    GIT.get_or_init(find).as_ref().map(Command::new)
}

/// What changes how git understands a request, or what it answers.
const CHANGES_ANSWERS: [&str; 6] = [
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
];

/// What a repository's own configuration must not decide.
const SAFE: [&str; 7] = [
    "safe.bareRepository=explicit",
    // Programs that git starts to learn which files changed, to check signatures, or to fetch.
    "core.fsmonitor=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "core.untrackedCache=false",
    "diff.external=",
    "submodule.recurse=false",
];

fn spawned(mut command: Command, arguments: &[&str], has_input: bool) -> Option<Child> {
    for name in CHANGES_ANSWERS {
        command.env_remove(name);
    }
    command.args(["--no-optional-locks", "--no-pager"]);
    for setting in SAFE {
        command.args(["-c", setting]);
    }
    command
        .args(arguments)
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(if has_input { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()
}

/// Returns a finding for each session log that differs from what git has staged or committed.
///
/// It reads git's index itself: starting git would take longer than all the rest of lint.
pub fn changed_logs(root: &Path, snapshot: &Snapshot) -> Vec<Finding> {
    let Some(index) = Index::open(root) else {
        return Vec::new();
    };
    let prefix = format!("{}{SESSIONS}", index.prefix);
    let mut findings = Vec::new();
    for (path, entry) in index.entries.range(prefix.clone()..) {
        let Some(name) = path.strip_prefix(&prefix) else {
            break;
        };
        if !quipu_core::ledger::is_session_log(name) {
            continue;
        }
        let local = format!("{SESSIONS}{name}");
        let what = match snapshot.get(&local) {
            None => "was deleted",
            Some(text) if entry.differs(&root.join(&local), text) => "was changed",
            Some(_) => continue,
        };
        findings.push(Finding {
            severity: LintCode::LedgerChanged.severity(),
            code: LintCode::LedgerChanged,
            subject: name.to_owned(),
            path: local.clone(),
            line: None,
            message: format!("session log `{name}` {what} since git recorded it; the ledger is append-only"),
            hint: format!(
                "restore it with `git checkout -- {local}` and say the rest in a new log; where a secret was redacted, commit that"
            ),
        });
    }
    findings
}

/// Returns a finding for each committed session log that is staged as changed, moved or removed.
pub fn staged_logs(root: &Path) -> Vec<Finding> {
    let arguments = [
        "diff-index",
        "--cached",
        "--name-status",
        "-z",
        "--no-renames",
        "--diff-filter=MDT",
        "--relative",
        "HEAD",
        "--",
        SESSIONS,
    ];
    git(root, &arguments, None).map_or_else(Vec::new, |answer| staged_findings(&answer))
}

/// The same in a hook of git's, which may commit another index than the usual one; `root` is the workspace's path from
/// the repository's top.
pub fn staged_logs_in_hook(root: &str) -> Vec<Finding> {
    let folder = format!("{}{SESSIONS}", root.trim_start_matches("./"));
    let arguments = [
        "diff-index",
        "--cached",
        "--name-status",
        "-z",
        "--no-renames",
        "--diff-filter=MDT",
        "--no-relative",
        "HEAD",
        "--",
        &*folder,
    ];
    git_in_hook(&arguments, None).map_or_else(Vec::new, |answer| staged_findings(&answer))
}

fn staged_findings(answer: &[u8]) -> Vec<Finding> {
    let text = String::from_utf8_lossy(answer);
    let mut fields = text.split('\0');
    let mut findings = Vec::new();
    while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !quipu_core::ledger::is_session_log(name) {
            continue;
        }
        let what = if status.starts_with('D') { "removed" } else { "changed" };
        findings.push(Finding {
            severity: LintCode::LedgerChanged.severity(),
            code: LintCode::LedgerChanged,
            subject: name.to_owned(),
            path: path.to_owned(),
            line: None,
            message: format!("session log `{name}` is staged as {what}; the ledger is append-only"),
            hint: format!(
                "bring it back with `git restore --staged --worktree -- {path}` and say the rest in a new log; where a secret was redacted, commit with QUIPU_GUARD_MODE=warn"
            ),
        });
    }
    findings
}

/// Returns a finding for each session log that a commit changed or deleted.
pub fn rewritten_logs(root: &Path) -> Vec<Finding> {
    let arguments = [
        "log",
        "--format=commit %h",
        "--name-status",
        "--diff-filter=MD",
        "-M",
        "--relative",
        "--",
        SESSIONS,
    ];
    let Some(output) = git(root, &arguments, None) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&output);
    let mut commit = "";
    let mut last: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for line in text.lines() {
        if let Some(id) = line.strip_prefix("commit ") {
            commit = id;
        } else if let Some((status, path)) = line.split_once('\t') {
            let name = path.rsplit('/').next().unwrap_or(path);
            if quipu_core::ledger::is_session_log(name) {
                last.entry(path).or_insert((status, commit));
            }
        }
    }
    let finding = |(path, (status, commit)): (&str, (&str, &str))| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let what = if status.starts_with('D') { "deleted" } else { "changed" };
        Finding {
            severity: LintCode::LedgerRewritten.severity(),
            code: LintCode::LedgerRewritten,
            subject: name.to_owned(),
            path: path.to_owned(),
            line: None,
            message: format!(
                "commit {commit} {what} session log `{name}`; the ledger is append-only"
            ),
            hint: format!(
                "see `git show {commit} -- {path}`; a redacted secret is fine: waive it with `lint.allow = [\"ledger-rewritten:{name}\"]` in quipu.toml"
            ),
        }
    };
    last.into_iter().map(finding).collect()
}

/// A larger index is not read.
const LARGEST_INDEX: u64 = 512 * 1024 * 1024;

/// A `.git` file is one line.
const LARGEST_LINK: u64 = 16 * 1024;

/// Git's index: what is staged or committed, by path from the repository's root.
struct Index {
    entries: BTreeMap<String, Entry>,
    /// The workspace's path inside the repository, with a `/` at its end.
    prefix: String,
    /// When git wrote it, in nanoseconds.
    written: i128,
}

struct Entry {
    seconds: u32,
    nanoseconds: u32,
    size: u32,
    id: [u8; 20],
    /// Whether it is a plain file, and neither a link nor a submodule.
    is_file: bool,
}

impl Entry {
    fn differs(&self, path: &Path, text: &str) -> bool {
        let unchanged = || {
            let metadata = path.metadata().ok()?;
            let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            let same = metadata.len() == u64::from(self.size)
                && modified.as_secs() == u64::from(self.seconds)
                && modified.subsec_nanos() == self.nanoseconds;
            Some(same)
        };
        if unchanged() == Some(true) {
            return false;
        }
        let id = |text: &str| {
            let mut hash = sha1_smol::Sha1::new();
            hash.update(format!("blob {}\0", text.len()).as_bytes());
            hash.update(text.as_bytes());
            hash.digest().bytes()
        };
        // Git may keep a file with CRLF as LF.
        id(text) != self.id && id(&text.replace("\r\n", "\n")) != self.id
    }
}

impl Index {
    fn open(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        let top = top_of(&root).ok()??;
        let folder = git_folder(&top)?;
        let prefix = root.strip_prefix(&top).ok()?.to_str()?.replace('\\', "/");
        let prefix = if prefix.is_empty() { prefix } else { prefix + "/" };
        let folder = folder.canonicalize().ok()?;
        let path = folder.join("index");
        let written = RealFs.stamp(&path).ok()?.written;
        let bytes = RealFs.read_up_to(&path, LARGEST_INDEX).ok()?.ok()?;
        Some(Self { entries: parse_index(&bytes)?, prefix, written })
    }
}

/// Returns the folder of the main checkout that stands for `root`, where `root` is in a linked worktree.
///
/// Anybody can write a `.git` file that names a repository of others, so the repository has to list the
/// worktree, and name its `.git` file in turn.
pub(crate) fn main_checkout(root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let top = top_of(&root).ok()??;
    let link = top.join(".git");
    if link.is_dir() {
        return None;
    }
    let folder = git_folder(&top)?.canonicalize().ok()?;
    let named_in = |name: &str| {
        let bytes = RealFs.read_up_to(&folder.join(name), LARGEST_LINK).ok()?.ok()?;
        let path = String::from_utf8(bytes).ok()?;
        folder.join(path.trim_end_matches(['\r', '\n'])).canonicalize().ok()
    };
    let common = named_in("commondir")?;
    let is_listed = folder.parent() == Some(&*common.join("worktrees"));
    let is_named_back = named_in("gitdir")? == link;
    // A bare repository has no checkout.
    let main = common.parent().filter(|_| common.ends_with(".git"))?;
    (is_listed && is_named_back).then(|| main.join(root.strip_prefix(&top).unwrap_or(&root)))
}

/// Returns git's own folder, which in a worktree stands elsewhere.
fn git_folder(top: &Path) -> Option<PathBuf> {
    let path = top.join(".git");
    if path.is_dir() {
        return Some(path);
    }
    let bytes = RealFs.read_up_to(&path, LARGEST_LINK).ok()?.ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(top.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Reads an index of version 2 to 4 with SHA-1 ids; of anything else it knows nothing.
fn parse_index(bytes: &[u8]) -> Option<BTreeMap<String, Entry>> {
    let number =
        |at: usize| bytes.get(at..at + 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let version = number(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut entries = BTreeMap::new();
    let mut at = 12;
    let mut path: Vec<u8> = Vec::new();
    for _ in 0..number(8)? {
        let start = at;
        let flags = u16::from_be_bytes([*bytes.get(at + 60)?, *bytes.get(at + 61)?]);
        let id: [u8; 20] = bytes.get(at + 40..at + 60)?.try_into().ok()?;
        let (seconds, nanoseconds, size) = (number(at + 8)?, number(at + 12)?, number(at + 36)?);
        let is_file = number(at + 24)? >> 12 == 0o10;
        let extended = version >= 3 && flags & 0x4000 != 0;
        at += if extended { 64 } else { 62 };
        if version == 4 {
            let (strip, length) = offset_varint(bytes.get(at..)?)?;
            at += length;
            path.truncate(path.len().checked_sub(strip)?);
        } else {
            path.clear();
        }
        let end = at + bytes.get(at..)?.iter().position(|b| *b == 0)?;
        path.extend_from_slice(&bytes[at..end]);
        at = if version == 4 { end + 1 } else { start + ((end - start) / 8 + 1) * 8 };
        if let Ok(path) = std::str::from_utf8(&path) {
            entries.insert(path.to_owned(), Entry { seconds, nanoseconds, size, id, is_file });
        }
    }
    (!is_split(bytes, at)).then_some(entries)
}

/// Tells whether a `link` extension follows the entries: a split index keeps most of them elsewhere.
fn is_split(bytes: &[u8], mut at: usize) -> bool {
    while let Some(header) = bytes.get(at..at + 8) {
        if &header[..4] == b"link" {
            return true;
        }
        at += 8 + u32::from_be_bytes([header[4], header[5], header[6], header[7]]) as usize;
    }
    false
}

fn offset_varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut at = 0;
    while bytes.get(at)? & 0x80 != 0 {
        at += 1;
        value = ((value + 1) << 7) | usize::from(bytes.get(at)? & 0x7f);
    }
    Some((value, at + 1))
}
