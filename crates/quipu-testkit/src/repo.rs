//! A temporary workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use quipu_core::memory::Snapshot;
use quipu_engine::caller::Caller;
use quipu_engine::fs::FileSystem;
use quipu_engine::operation::Request;
use quipu_engine::{Workspace, open};

use crate::faults::NoSyncFs;

/// The names of the two folders.
const ROOT: &str = "repo";
const STATE_HOME: &str = "state";

/// A workspace in a temporary folder, with a folder for its state beside it. Both are removed when it
/// is dropped.
#[derive(Debug)]
pub struct TestRepo {
    _folder: tempfile::TempDir,
    root: PathBuf,
    state_home: PathBuf,
}

impl Default for TestRepo {
    fn default() -> Self {
        Self::new()
    }
}

impl TestRepo {
    /// Makes an empty folder.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, state_home) = (base.join(ROOT), base.join(STATE_HOME));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&state_home).unwrap();
        Self { _folder: folder, root, state_home }
    }

    /// Makes a workspace that holds `snapshot`.
    pub fn with(snapshot: &Snapshot) -> Self {
        let repo = Self::new();
        for (path, text) in &snapshot.files {
            repo.write(path, text);
        }
        repo
    }

    /// Makes a workspace with a copy of `folder`.
    pub fn copy_of(folder: &Path) -> Self {
        let repo = Self::new();
        for (path, bytes) in files_in(folder) {
            repo.write_bytes(&path, &bytes);
        }
        repo
    }

    /// Makes a copy of the workspace with its state, as if it had been moved here.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        let copy = Self::copy_of(&self.root);
        for (path, bytes) in files_in(&self.state_home) {
            let target = copy.state_home.join(&path);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            let is_owner = path.starts_with("workspaces/") && path.ends_with("/workspace");
            let root = copy.root.to_str().unwrap().as_bytes();
            std::fs::write(target, if is_owner { root } else { &bytes }).unwrap();
        }
        copy
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder that stands for the user's state folder.
    pub fn state_home(&self) -> &Path {
        &self.state_home
    }

    /// Returns the path of a state file.
    pub fn state(&self, name: &str) -> PathBuf {
        self.workspace().state_folder().join(name)
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.as_bytes());
    }

    /// Writes a file that need not be text.
    pub fn write_bytes(&self, path: &str, bytes: &[u8]) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Returns what the ledger says about a day: its records, then its events.
    pub fn ledger(&self, day: &str) -> String {
        let read = |path: String| std::fs::read_to_string(self.root().join(path));
        let events = read(format!("memory/events/{day}.jsonl")).unwrap_or_default();
        read(format!("memory/{day}.md")).unwrap_or_default() + &events
    }

    /// Returns every file outside `.quipu` and `.git`.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = files_in(self.root());
        files.retain(|path, _| !path.starts_with(".quipu/") && !path.starts_with(".git/"));
        files
    }

    /// Opens the workspace, without waiting for the disk.
    pub fn workspace(&self) -> Workspace {
        self.workspace_on(Arc::new(NoSyncFs))
    }

    /// Opens the workspace with settings of the user's.
    pub fn workspace_with(&self, settings: &[(&str, &str)]) -> Workspace {
        let settings: Vec<(String, String)> =
            settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let workspace = open::at_with(Arc::new(NoSyncFs), self.root(), &settings).unwrap();
        workspace.keeping_state_in(self.state_home())
    }

    /// Opens the workspace on a given file system.
    pub fn workspace_on(&self, fs: Arc<dyn FileSystem>) -> Workspace {
        open::at(fs, self.root()).unwrap().keeping_state_in(self.state_home())
    }
}

/// Returns the state folder beside the workspace that `folder` is in, for a command line that is run
/// there. A folder that no [`TestRepo`] made has one of its own inside.
pub fn state_home_of(folder: &Path) -> PathBuf {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let beside = full
        .ancestors()
        .filter(|part| part.file_name().is_some_and(|name| name == ROOT))
        .map(|root| root.with_file_name(STATE_HOME))
        .find(|home| home.is_dir());
    beside.unwrap_or_else(|| std::env::temp_dir().join("quipu-test-state"))
}

/// Returns the path of a state file of the workspace at `root`, as a command line that is run there sees
/// it. Without state it leads nowhere.
pub fn state_of(root: &Path, name: &str) -> PathBuf {
    let folder = quipu_engine::state::folder_of(&state_home_of(root), root);
    folder.unwrap_or_else(|| state_home_of(root).join("none")).join(name)
}

/// Returns the files below `folder`, by path with `/`.
pub fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                files.insert(name, bytes);
            }
        }
    }
    files
}

/// A fixed time for tests.
pub fn now() -> Timestamp {
    "2026-06-20T10:00:00Z".parse().unwrap()
}

/// The time that was `days` before the fixed time of tests.
pub fn ago(days: i64) -> Timestamp {
    now().checked_sub(SignedDuration::from_hours(24 * days)).unwrap()
}

/// A fixed day for tests.
pub fn today() -> Date {
    Date::constant(2026, 6, 20)
}

/// A request for tests.
pub fn request(operation: &str) -> Request<'_> {
    let caller = Caller::PERSON;
    Request { operation, now: now(), today: today(), session: None, dry_run: false, caller }
}
