//! The git repository that machines meet in. It is named by the user, and the only one that Quipu ever fetches from or
//! pushes to. The local side is a bare repository in the state folder, so that no file of a project and no hook runs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;

use super::{Files, LARGEST, SyncError, travels};
use crate::git;

/// The branch that holds the memory.
const BRANCH: &str = "refs/heads/quipu";
/// Where a commit waits to be pushed, and where the last one that both sides have is kept.
const NEXT: &str = "refs/quipu/next";
const BASE: &str = "refs/quipu/base";
/// What was fetched last.
const THEIRS: &str = "refs/quipu/theirs";

/// Settings that hold for every call: nothing but fetching and pushing, by ways that git itself trusts.
const SAFE: [&str; 12] = [
    "core.fsmonitor=false",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "push.gpgSign=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
];

/// The files of one memory are together no larger than this.
const LARGEST_TOGETHER: u64 = 1024 * 1024 * 1024;

/// The local side of a remote repository.
pub(super) struct Remote<'a> {
    /// The bare repository.
    pub(super) folder: &'a Path,
    /// Where it is fetched from and pushed to.
    pub(super) url: &'a str,
    /// The folder in it that holds this memory.
    pub(super) prefix: &'a str,
}

/// How a push ended.
pub(super) enum Pushed {
    /// The remote has it; the commit.
    Done(String),
    /// Somebody else was faster.
    Behind,
}

impl Remote<'_> {
    /// Makes the local side where it is missing.
    pub(super) fn prepare(&self) -> Result<(), SyncError> {
        if self.folder.join("HEAD").exists() {
            return Ok(());
        }
        let folder = self.folder.display().to_string();
        let arguments = ["init", "--quiet", "--bare", "--template=", &folder];
        run(command()?.args(arguments), "make the local repository", b"").map(|_| ())
    }

    /// Returns the newest commit of the remote, with its objects here; none where it is empty.
    pub(super) fn fetch(&self) -> Result<Option<String>, SyncError> {
        let listed = self.git("ask the remote", &["ls-remote", "--", self.url, BRANCH], b"")?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let Some(commit) = listed.split_whitespace().next().map(str::to_owned) else {
            return Ok(None);
        };
        let spec = format!("+{BRANCH}:{THEIRS}");
        let fetch =
            ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", self.url, &spec];
        self.git("fetch", &fetch, b"")?;
        let found = self.git("read what was fetched", &["rev-parse", THEIRS], b"")?;
        let found = String::from_utf8_lossy(&found).trim().to_owned();
        Ok(Some(if found.is_empty() { commit } else { found }))
    }

    /// Returns the files of this memory in a commit, of those that may travel: nothing else is looked into.
    ///
    /// # Errors
    /// When git does not answer, or they are larger than any memory.
    pub(super) fn files(&self, commit: &str) -> Result<Files, SyncError> {
        let what = "read the remote's files";
        let folder = format!("{}/", self.prefix);
        let listed = self.git(what, &["ls-tree", "-r", "-l", "-z", commit, "--", &folder], b"")?;
        let mut names: Vec<(String, String)> = Vec::new();
        let mut together = 0_u64;
        for line in listed.split(|byte| *byte == 0) {
            let Ok(line) = str::from_utf8(line) else { continue };
            // `100644 blob ID    SIZE\tPATH`; anything but a plain file is none of ours.
            let Some((head, path)) = line.split_once('\t') else { continue };
            let (Some(blob), Some(path)) =
                (head.strip_prefix("100644 blob "), path.strip_prefix(&folder))
            else {
                continue;
            };
            let Some((id, size)) = blob.split_once(' ') else { continue };
            if !travels(path) {
                continue;
            }
            let size: u64 = size.trim().parse().unwrap_or(u64::MAX);
            together = together.saturating_add(size);
            if size > LARGEST || together > LARGEST_TOGETHER {
                let said = format!("`{path}` and what is before it is larger than any memory");
                return Err(SyncError::Git { what, said });
            }
            names.push((path.to_owned(), id.to_owned()));
        }
        let asked: String = names.iter().flat_map(|(_, id)| [id.as_str(), "\n"]).collect();
        let answer = self.git(what, &["cat-file", "--batch=%(objectsize)"], asked.as_bytes())?;
        let mut rest = answer.as_slice();
        let mut files = Files::new();
        for (path, _) in names {
            let broken = || SyncError::Git { what, said: "git's answer ends too early".to_owned() };
            let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
            let size: usize =
                String::from_utf8_lossy(&rest[..end]).parse().map_err(|_| broken())?;
            let bytes = rest.get(end + 1..end + 1 + size).ok_or_else(broken)?;
            files.insert(path, bytes.to_vec());
            rest = rest.get(end + size + 2..).ok_or_else(broken)?;
        }
        Ok(files)
    }

    /// Returns the commit that both sides had last, where it is still here.
    pub(super) fn base(&self) -> Option<String> {
        let answer = self.git("", &["rev-parse", "--verify", "--quiet", BASE], b"").ok()?;
        let commit = String::from_utf8_lossy(&answer).trim().to_owned();
        (!commit.is_empty()).then_some(commit)
    }

    /// Notes that both sides have a commit.
    pub(super) fn set_base(&self, commit: &str) -> Result<(), SyncError> {
        self.git("note the state", &["update-ref", BASE, commit], b"").map(|_| ())
    }

    /// Tells whether a commit has another one in its history.
    pub(super) fn leads_to(&self, earlier: &str, commit: &str) -> bool {
        self.git("", &["merge-base", "--is-ancestor", earlier, commit], b"").is_ok()
    }

    /// Drops what no commit of both sides leads to: it may hold words that were purged. What git cannot drop now it drops
    /// at the next such time.
    pub(super) fn tidy(&self, commit: &str) {
        let _ = self.git("", &["update-ref", THEIRS, commit], b"");
        let _ = self.git("", &["update-ref", "-d", NEXT], b"");
        let _ = self.git("", &["gc", "--quiet", "--prune=now"], b"");
    }

    /// Pushes files on top of `theirs`. With `forgets` the remote's branch no longer leads to what was there before.
    pub(super) fn push(
        &self,
        theirs: Option<&str>,
        files: &Files,
        forgets: bool,
        now: Timestamp,
    ) -> Result<Pushed, SyncError> {
        let mut stream: Vec<u8> = Vec::new();
        let mut head = String::new();
        let _ = write!(
            head,
            "commit {NEXT}\ncommitter quipu <quipu@localhost> {} +0000\ndata 11\nquipu sync\n\n",
            now.as_second()
        );
        match theirs {
            Some(commit) if forgets => {
                let tree = format!("{commit}^{{tree}}");
                let tree = self.git("read the remote's files", &["rev-parse", &tree], b"")?;
                let tree = String::from_utf8_lossy(&tree).trim().to_owned();
                let _ = writeln!(head, "M 040000 {tree} \"\"");
            }
            Some(commit) => {
                let _ = writeln!(head, "from {commit}");
            }
            None => {}
        }
        stream.extend(head.as_bytes());
        if theirs.is_some() {
            stream.extend(format!("D {}\n", self.prefix).as_bytes());
        }
        for (path, bytes) in files {
            let line = format!("M 100644 inline {}/{path}\ndata {}\n", self.prefix, bytes.len());
            stream.extend(line.as_bytes());
            stream.extend(bytes);
            stream.push(b'\n');
        }
        stream.extend(b"\n");
        // What an interrupted sync left there is no parent of this.
        let _ = self.git("", &["update-ref", "-d", NEXT], b"");
        self.git("write the commit", &["fast-import", "--quiet", "--force"], &stream)?;
        let commit = self.git("write the commit", &["rev-parse", NEXT], b"")?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        let lease = format!("--force-with-lease={BRANCH}:{}", theirs.unwrap_or_default());
        let spec = format!("{NEXT}:{BRANCH}");
        match self.git("push", &["push", "--quiet", &lease, "--", self.url, &spec], b"") {
            Ok(_) => Ok(Pushed::Done(commit)),
            Err(error) => match self.fetch()? {
                // Somebody was there meanwhile, or the answer to our own push was lost.
                Some(now) if now == commit => Ok(Pushed::Done(commit)),
                Some(now) if Some(now.as_str()) != theirs => Ok(Pushed::Behind),
                _ => Err(error),
            },
        }
    }

    fn git(
        &self,
        what: &'static str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, SyncError> {
        let mut command = command()?;
        // The folder that the caller is in may be a stranger's.
        command.current_dir(self.folder).arg("--git-dir").arg(self.folder);
        let hooks = format!("core.hooksPath={}", self.folder.join("no-hooks").display());
        command.args(["-c", &hooks]).args(arguments);
        run(&mut command, what, input)
    }
}

fn command() -> Result<Command, SyncError> {
    let mut command = git::command().ok_or(SyncError::NoGit)?;
    for (name, _) in std::env::vars_os() {
        // What a hook of git sets would mean another repository.
        let name = name.to_string_lossy().into_owned();
        let is_ours = name.starts_with("GIT_")
            && !name.starts_with("GIT_SSH")
            && !name.starts_with("GIT_CONFIG_")
            && !name.starts_with("GIT_SSL")
            && name != "GIT_ASKPASS";
        if is_ours {
            command.env_remove(&name);
        }
    }
    command.arg("--no-pager");
    for setting in SAFE {
        command.args(["-c", setting]);
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    Ok(command)
}

fn run(command: &mut Command, what: &'static str, input: &[u8]) -> Result<Vec<u8>, SyncError> {
    let fail = |said: String| SyncError::Git { what, said };
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| fail(error.to_string()))?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // Git answers while it still reads. Where it has heard enough it closes the pipe.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    let output = output.map_err(|error| fail(error.to_string()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("without a word");
    Err(fail(line.to_owned()))
}
