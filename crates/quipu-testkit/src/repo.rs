//! A temporary workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::memory::Snapshot;
use quipu_engine::Workspace;
use quipu_engine::caller::Caller;
use quipu_engine::fs::FileSystem;
use quipu_engine::operations::Request;

use crate::faults::NoSyncFs;

/// A workspace in a temporary folder, removed when it is dropped.
#[derive(Debug)]
pub struct TestRepo {
    folder: tempfile::TempDir,
}

impl Default for TestRepo {
    fn default() -> Self {
        Self::new()
    }
}

impl TestRepo {
    /// Makes an empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
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

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        self.folder.path()
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

    /// Opens the workspace on a given file system.
    pub fn workspace_on(&self, fs: Arc<dyn FileSystem>) -> Workspace {
        Workspace::at(fs, self.root()).unwrap()
    }
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

/// A fixed day for tests.
pub fn today() -> Date {
    Date::constant(2026, 6, 20)
}

/// A request for tests.
pub fn request(operation: &str) -> Request<'_> {
    let caller = Caller::PERSON;
    Request { operation, now: now(), today: today(), session: None, dry_run: false, caller }
}
