//! All or nothing across files (rule 7 of docs/spec/rules.md).
//!
//! A transaction is staged in the state folder, under `tx`: the old and the new bytes of every file, then a
//! manifest. The manifest's rename is the commit point. Before it a crash changes nothing; after
//! it the next command installs what is missing. A finished transaction becomes an undo entry, which the
//! change log (`log`) names.

mod commit;
pub(crate) mod log;
mod recover;
mod retention;

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use quipu_core::journal;
use serde::{Deserialize, Serialize};

pub use self::commit::CommitOptions;
pub use self::recover::Recovered;
use crate::error::Failure;
use crate::fs::FileSystem;
use crate::state::PREFIX;

const MANIFEST: &str = "manifest.json";

/// New bytes by path from the root; `None` removes the file.
pub type FileChanges = BTreeMap<String, Option<Vec<u8>>>;

/// Who may do what with a file, by path: [`FileSystem::mode`].
pub type Modes = BTreeMap<String, u32>;

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A file operation failed; everything is as it was.
    #[error("cannot {action} `{path}`", path = path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A file must not be replaced.
    #[error("`{path}` is read-only", path = path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Something else stands where a file should be.
    #[error("`{path}` is a folder where a file is expected", path = path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A part of the path is a link.
    #[error("`{path}` is a link, or is behind one; Quipu follows no links in a workspace")]
    Linked {
        /// The path.
        path: String,
    },
    /// A path leads out of the workspace, or to what git keeps for itself.
    #[error("`{path}` is not the path of a file in the workspace")]
    NotInside {
        /// The path.
        path: String,
    },
    /// The record of an interrupted operation cannot be read.
    #[error("the record of an interrupted operation, `{path}`, cannot be read", path = path.display())]
    BadManifest {
        /// The record.
        path: PathBuf,
        /// Why not.
        source: serde_json::Error,
    },
    /// There is nothing to undo.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// A file was edited while the plan was made.
    #[error("`{path}` was edited while `{operation}` was at work")]
    EditedMeanwhile {
        /// The operation.
        operation: String,
        /// The file.
        path: String,
    },
    /// A file was edited since.
    #[error("`{operation}` cannot be undone: edited since: {}", paths.join(", "))]
    EditedSince {
        /// The operation.
        operation: String,
        /// The files.
        paths: Vec<String>,
    },
    /// A request that is retried was carried out before, and its answer was lost.
    #[error("this request was carried out before, as change `{change}`, and its answer was lost")]
    AlreadyMade {
        /// The change that it made.
        change: String,
    },
}

impl Failure for ApplyError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotAFile { .. } => "not-a-file",
            Self::Linked { .. } | Self::NotInside { .. } => "outside-workspace",
            Self::ReadOnly { .. } => "read-only",
            Self::NothingToUndo => "nothing-to-undo",
            Self::AlreadyMade { .. } => "already-done",
            Self::EditedSince { .. } | Self::EditedMeanwhile { .. } => "edited-since",
            _ => "io",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotAFile { .. } => "move the folder away; nothing was changed",
            Self::Linked { .. } => {
                "replace the link with the file or folder itself; a link could lead to any file of yours"
            }
            Self::NotInside { .. } => {
                "Quipu touches nothing outside the workspace; nothing was changed"
            }
            Self::Io { .. } => "nothing was changed; try again when the cause is gone",
            Self::AlreadyMade { .. } => {
                "`quipu undo --list` shows what it did; nothing was changed now"
            }
            Self::ReadOnly { .. } => "make it writable (`chmod u+w`); nothing was changed",
            Self::EditedSince { .. } => {
                "nothing was changed; take the edit back first, or use git to restore older text"
            }
            Self::EditedMeanwhile { .. } => {
                "nothing was changed; run it again, it will start from the edited file"
            }
            Self::BadManifest { .. } => {
                "the files it lists are beside it (N.old, N.new): compare them with the workspace by hand, then remove the folder"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// What a transaction does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Manifest {
    /// The command, for people.
    pub operation: String,
    /// When, for people.
    pub at: String,
    /// The files, in the order in which they are installed.
    pub paths: Vec<String>,
    /// The undo entry that this transaction takes back, as version 0.1 wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The change that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The change that it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_back: Option<String>,
    /// Records and events that it adds to the ledger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Whether it writes files of the ledger anew, and does not only add to them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewrites_ledger: bool,
    /// Whether nothing may bring the old bytes back: no undo entry is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_final: bool,
    /// Whether new files and folders are for their owner alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Who may do what with files that are made anew, where that is not as usual.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modes: Modes,
}

impl Manifest {
    fn access(&self, path: &str) -> Access {
        // A file that is there keeps its mode; this is for one that is made.
        let private = journal::is_private(path).then_some(0o600);
        Access { private: self.private, mode: self.modes.get(path).copied().or(private) }
    }
}

/// Who may do what with a file that is made anew.
#[derive(Clone, Copy, Default)]
struct Access {
    private: bool,
    mode: Option<u32>,
}

/// The transactions of one workspace. The caller holds the lock.
pub struct Transactions<'a> {
    fs: &'a dyn FileSystem,
    root: &'a Path,
    state: PathBuf,
    change: Option<log::OpenChange>,
    /// How many days before the newest change others are kept.
    days: u32,
}

impl<'a> Transactions<'a> {
    /// Works on the workspace at `root`, whose state is kept in the folder `state`.
    pub fn new(fs: &'a dyn FileSystem, root: &'a Path, state: PathBuf) -> Self {
        Self { fs, root, state, change: None, days: u32::MAX }
    }

    /// Keeps changes for so many days before the newest one.
    pub(crate) fn keeping_days(mut self, days: u32) -> Self {
        self.days = days;
        self
    }

    /// Makes everything a part of a change that was begun.
    pub(crate) fn within(mut self, change: Option<log::OpenChange>) -> Self {
        self.change = change;
        self
    }

    fn staging(&self) -> PathBuf {
        self.state.join("tx")
    }

    fn undo(&self) -> PathBuf {
        self.state.join("undo")
    }

    /// Returns where a path's bytes are: in the workspace, or in its state folder.
    fn target(&self, path: &str) -> Result<PathBuf, ApplyError> {
        if !is_inside(path) {
            return Err(ApplyError::NotInside { path: path.to_owned() });
        }
        Ok(match path.strip_prefix(PREFIX) {
            Some(name) => self.state.join(name),
            None => self.root.join(path),
        })
    }

    fn undo_entries(&self) -> Result<Vec<String>, ApplyError> {
        let undo = self.undo();
        let mut names: Vec<String> = match self.fs.list(&undo) {
            Ok(entries) => entries.into_iter().map(|(name, _)| name).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(io_error("read", &undo)(source)),
        };
        // A folder whose removal was cut short has no manifest any more.
        let is_entry = |name: &String| {
            name.bytes().all(|b| b.is_ascii_digit())
                && self.fs.stat(&undo.join(name).join(MANIFEST)).is_ok()
        };
        names.retain(is_entry);
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the bytes of a file of the workspace or its state, where it is there.
    pub(crate) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, ApplyError> {
        self.read_if_there(&self.target(path)?)
    }

    fn read_if_there(&self, path: &Path) -> Result<Option<Vec<u8>>, ApplyError> {
        match self.fs.read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(io_error("read", path)(source)),
        }
    }

    fn write_durably(&self, path: &Path, bytes: &[u8]) -> Result<(), ApplyError> {
        self.fs.write(path, bytes).map_err(io_error("write", path))?;
        self.fs.sync_file(path).map_err(io_error("write", path))
    }

    /// Writes a file to which not everybody may have access: before the words are in it, not after.
    fn write_guarded(&self, path: &Path, bytes: &[u8], access: Access) -> Result<(), ApplyError> {
        let shut = || match access {
            Access { mode: Some(mode), .. } => {
                self.fs.write(path, b"").and_then(|()| self.fs.set_mode(path, mode))
            }
            Access { private: true, .. } => {
                self.fs.write(path, b"").and_then(|()| self.fs.make_private(path))
            }
            Access { .. } => Ok(()),
        };
        shut().map_err(io_error("write", path))?;
        self.write_durably(path, bytes)
    }

    fn create_folders(&self, path: &Path) -> Result<(), ApplyError> {
        if self.fs.stat(path).is_ok() {
            return Ok(());
        }
        self.fs.create_folders(path).map_err(io_error("create", path))?;
        // The new folder's name must be as durable as what is put into it.
        let above = path.parent().unwrap_or(self.root);
        self.sync_folder(above)
    }

    /// Makes the folders that are missing, each for its owner alone.
    fn create_private_folders(&self, path: &Path) -> Result<(), ApplyError> {
        let missing: Vec<&Path> =
            path.ancestors().take_while(|folder| self.fs.stat(folder).is_err()).collect();
        for folder in missing.into_iter().rev() {
            self.create_folders(folder)?;
            self.fs.make_private(folder).map_err(io_error("create", folder))?;
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), ApplyError> {
        self.fs.rename(from, to).map_err(io_error("write", to))
    }

    fn sync_folder(&self, path: &Path) -> Result<(), ApplyError> {
        self.fs.sync_folder(path).map_err(io_error("write", path))
    }
}

/// Reads a manifest of version 0.1 strictly; returns it as it may be written again.
pub(crate) fn rewritten(bytes: &[u8]) -> Option<Vec<u8>> {
    let manifest: Manifest = serde_json::from_slice(bytes).ok()?;
    let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
    let is_sound = manifest.paths.iter().all(|path| is_inside(path))
        && manifest.undoes.as_ref().is_none_or(is_number);
    is_sound.then(|| serde_json::to_vec_pretty(&manifest).ok())?
}

/// Returns the paths that a manifest names, as far as it can be read.
pub(crate) fn paths_in(bytes: &[u8]) -> Vec<String> {
    serde_json::from_slice::<Manifest>(bytes).map(|manifest| manifest.paths).unwrap_or_default()
}

/// Tells whether a path can be that of a file in a workspace. What git keeps for itself is not ours,
/// wherever a manifest got the idea from.
pub fn is_inside(path: &str) -> bool {
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    };
    !path.is_empty() && Path::new(path).components().all(is_plain)
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ApplyError {
    let path = path.to_owned();
    move |source| ApplyError::Io { action, path, source }
}
