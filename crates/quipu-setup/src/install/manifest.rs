//! What was written, so that it can be checked, brought up to date and taken back.
//!
//! `install.json` lists files and entries; the bytes that a file had before stand in `install/`, by
//! their hash. For a project both are in its state folder, for the home folder in the user's.

use std::path::{Path, PathBuf};

use quipu_engine::fs::FileSystem;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::InstallError;
use super::entry::{Spot, Wanted};
use super::jsonc::edit::Receipt;

/// The format of this file.
const FORMAT: u32 = 1;

const FILE: &str = "install.json";

/// The bytes that files had before.
const ORIGINALS: &str = "install";

/// What was written where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// The version that wrote it last.
    pub(super) quipu: String,
    /// The program that entries start.
    pub(super) command: String,
    /// Whether entries are written without a guard on purpose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) plain: bool,
    pub(super) files: Vec<FileRecord>,
    /// Folders that were made, outermost first.
    #[serde(default)]
    pub(super) folders: Vec<PathBuf>,
    /// Whether the folder that holds the manifest was made for it.
    #[serde(default)]
    pub(super) made_state: bool,
}

/// A file with entries of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    /// From the project's root; absolute in the home folder.
    pub(super) path: PathBuf,
    /// The hash of its bytes before; none where there was no file.
    pub(super) original: Option<String>,
    /// The hash of its bytes after.
    pub(super) written: String,
    /// In the order in which they were put in.
    pub(super) entries: Vec<EntryRecord>,
}

/// An entry of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EntryRecord {
    /// Who reads it.
    pub(super) clients: Vec<String>,
    /// `mcp`, or an event's name.
    pub(super) what: String,
    pub(super) spot: Spot,
    pub(super) value: Value,
    #[serde(default)]
    pub(super) receipt: Receipt,
}

impl EntryRecord {
    pub(super) fn of(one: &Wanted, receipt: Receipt) -> Self {
        let Wanted { clients, what, spot, value, .. } = one.clone();
        Self { clients, what, spot, value, receipt }
    }
}

impl Manifest {
    /// Reads the manifest in a state folder; an empty one where there is none.
    pub(super) fn read(fs: &dyn FileSystem, state: &Path) -> Result<Self, InstallError> {
        let path = state.join(FILE);
        let bytes = match fs.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { format: FORMAT, ..Self::default() });
            }
            Err(source) => return Err(InstallError::Io { action: "read", path, source }),
        };
        let read: Self = serde_json::from_slice(&bytes)
            .map_err(|source| InstallError::BadManifest { path: path.clone(), source })?;
        if read.format > FORMAT {
            return Err(InstallError::NewerManifest { path });
        }
        Ok(read)
    }

    /// Returns where the manifest stands.
    pub(super) fn path(state: &Path) -> PathBuf {
        state.join(FILE)
    }

    /// Returns where bytes from before stand.
    pub(super) fn original(state: &Path, hash: &str) -> PathBuf {
        state.join(ORIGINALS).join(hash)
    }

    /// Returns the folder of the bytes from before.
    pub(super) fn originals(state: &Path) -> PathBuf {
        state.join(ORIGINALS)
    }

    /// Returns its bytes.
    pub(super) fn render(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    pub(super) fn file(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Tells whether an entry is recorded.
    pub(super) fn has_entry(&self, path: &Path, spot: &Spot) -> bool {
        self.file(path).is_some_and(|file| file.entries.iter().any(|known| known.spot == *spot))
    }

    /// Replaces what is recorded about a file.
    pub(super) fn put(&mut self, path: &Path, record: Option<FileRecord>) {
        self.files.retain(|known| known.path != path);
        self.files.extend(record);
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// Tells whether a client has an entry.
    pub(super) fn has(&self, client: &str) -> bool {
        let entries = self.files.iter().flat_map(|file| &file.entries);
        entries.flat_map(|entry| &entry.clients).any(|name| name == client)
    }
}
