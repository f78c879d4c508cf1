//! All or nothing across files (DESIGN rule 7).
//!
//! A transaction is staged in the state folder, under `tx`: the old and the new bytes of every file, then a
//! manifest. The manifest's rename is the commit point. Before it a crash changes nothing; after
//! it the next command installs what is missing. A finished transaction becomes an undo entry.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _, Seek as _};
use std::path::{Component, Path, PathBuf};

use quipu_core::journal;
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::fs::{FileSystem, Kind, is_linked};
use crate::state::PREFIX;

/// How many operations can be undone.
const UNDO_DEPTH: usize = 50;

const MANIFEST: &str = "manifest.json";

/// Where an undo entry waits while it is being taken back.
const UNDONE: &str = "undone";

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
    #[error("`{path}` is a folder, and a file should stand there", path = path.display())]
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
    #[error("`{path}` is no path of a file in the workspace")]
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
}

impl Failure for ApplyError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotAFile { .. } => "not-a-file",
            Self::Linked { .. } | Self::NotInside { .. } => "outside-workspace",
            Self::ReadOnly { .. } => "read-only",
            Self::NothingToUndo => "nothing-to-undo",
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
    /// The undo entry that this transaction takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
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

/// What recovery found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The operation that had been interrupted.
    pub operation: String,
    /// Files that somebody edited after the interruption, and that were left alone.
    pub left_alone: Vec<String>,
    /// Whether it was finished; otherwise it was taken back.
    pub forward: bool,
}

/// A file of an interrupted operation.
struct Interrupted<'a> {
    path: &'a String,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    now: Option<Vec<u8>>,
}

impl Interrupted<'_> {
    /// Tells whether somebody edited the file after the interruption. Whoever did keeps it.
    fn is_edited(&self) -> bool {
        self.now != self.old && self.now != self.new
    }
}

/// Tells whether every fact of the files is still in one of them when those that nobody edited are
/// brought to one state. Going forward loses a fact whose new place was edited, going back one whose
/// old place was.
fn keeps_every_fact<'f>(
    files: &'f [Interrupted<'_>],
    state: impl Fn(&'f Interrupted<'_>) -> &'f Option<Vec<u8>>,
) -> bool {
    let ids = |bytes: &Option<Vec<u8>>| -> BTreeSet<String> {
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        let (footers, _) = quipu_core::fact::footers(&text);
        footers.into_iter().map(|footer| footer.id.as_str().to_owned()).collect()
    };
    let before: BTreeSet<String> = files.iter().flat_map(|file| ids(&file.old)).collect();
    let after: BTreeSet<String> = files
        .iter()
        .flat_map(|file| ids(if file.is_edited() { &file.now } else { state(file) }))
        .collect();
    before.is_subset(&after)
}

/// The transactions of one workspace. The caller holds the lock.
pub struct Transactions<'a> {
    fs: &'a dyn FileSystem,
    root: &'a Path,
    state: PathBuf,
}

impl<'a> Transactions<'a> {
    /// Works on the workspace at `root`, whose state is kept in the folder `state`.
    pub fn new(fs: &'a dyn FileSystem, root: &'a Path, state: PathBuf) -> Self {
        Self { fs, root, state }
    }

    fn staging(&self) -> PathBuf {
        self.state.join("tx")
    }

    fn undo(&self) -> PathBuf {
        self.state.join("undo")
    }

    /// Carries out `changes`, all or none. `expected` is what the plan was made from: a file that
    /// somebody edited since then is not overwritten.
    ///
    /// # Errors
    /// When a step fails; then everything is as it was.
    pub fn commit(
        &self,
        operation: &str,
        at: &str,
        changes: &FileChanges,
        expected: &FileChanges,
    ) -> Result<(), ApplyError> {
        self.run(&manifest(operation, at, changes), changes, expected)
    }

    /// Carries out `changes` as [`Transactions::commit`] does; files and folders that are new can be
    /// read by their owner alone.
    ///
    /// # Errors
    /// When a step fails; then everything is as it was.
    pub fn commit_private(
        &self,
        operation: &str,
        at: &str,
        changes: &FileChanges,
        expected: &FileChanges,
    ) -> Result<(), ApplyError> {
        let manifest = Manifest { private: true, ..manifest(operation, at, changes) };
        self.run(&manifest, changes, expected)
    }

    /// Carries out `changes` as [`Transactions::commit`] does, and keeps nothing to undo them with.
    ///
    /// # Errors
    /// When a step fails; then everything is as it was.
    pub fn commit_final(
        &self,
        operation: &str,
        at: &str,
        changes: &FileChanges,
        expected: &FileChanges,
    ) -> Result<(), ApplyError> {
        let manifest = Manifest { is_final: true, ..manifest(operation, at, changes) };
        self.run(&manifest, changes, expected)
    }

    /// Carries out `changes` as [`Transactions::commit`] does; new files get the modes that are named.
    ///
    /// # Errors
    /// When a step fails; then everything is as it was.
    pub fn commit_with_modes(
        &self,
        operation: &str,
        at: &str,
        changes: &FileChanges,
        expected: &FileChanges,
        modes: Modes,
    ) -> Result<(), ApplyError> {
        self.run(&Manifest { modes, ..manifest(operation, at, changes) }, changes, expected)
    }

    fn run(
        &self,
        manifest: &Manifest,
        changes: &FileChanges,
        expected: &FileChanges,
    ) -> Result<(), ApplyError> {
        let mut manifest = manifest.clone();
        for (path, new) in changes {
            self.check_target(path)?;
            // Whoever undoes it finds the file as it was.
            if new.is_none()
                && let Some(mode) = self.fs.mode(&self.target(path)?)
            {
                manifest.modes.insert(path.clone(), mode);
            }
        }
        let manifest = &manifest;
        let staged = self.stage(manifest, changes, expected);
        let done =
            staged.and_then(|()| self.install_all(manifest)).and_then(|()| self.finish(manifest));
        if let Err(error) = done {
            self.roll_back(manifest);
            return Err(error);
        }
        Ok(())
    }

    /// Refuses targets that must not be replaced, before anything is touched.
    fn check_target(&self, path: &str) -> Result<(), ApplyError> {
        let target = self.target(path)?;
        match self.fs.stat(&target) {
            Ok((Kind::Folder, _)) => Err(ApplyError::NotAFile { path: target }),
            Ok((Kind::Link, _)) => Err(ApplyError::Linked { path: path.to_owned() }),
            Err(error) if is_linked(&error) => Err(ApplyError::Linked { path: path.to_owned() }),
            Ok(_) if is_read_only(&target) => Err(ApplyError::ReadOnly { path: target }),
            _ => Ok(()),
        }
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

    fn stage(
        &self,
        manifest: &Manifest,
        changes: &FileChanges,
        expected: &FileChanges,
    ) -> Result<(), ApplyError> {
        let staging = self.staging();
        self.create_folders(&staging)?;
        if manifest.private {
            // The copies in it are as private as what they are copies of.
            self.fs.make_private(&staging).map_err(io_error("create", &staging))?;
        }
        for (index, (path, new)) in changes.iter().enumerate() {
            let target = self.target(path)?;
            let old = self.read_if_there(&target)?;
            if expected.get(path).is_some_and(|expected| *expected != old) {
                let operation = manifest.operation.clone();
                return Err(ApplyError::EditedMeanwhile { operation, path: path.clone() });
            }
            // A copy is no more readable than what it is a copy of.
            let mode = manifest.modes.get(path).copied().or_else(|| self.fs.mode(&target));
            let access =
                Access { private: mode.is_some_and(|mode| mode & 0o044 != 0o044), mode: None };
            if let Some(old) = old {
                self.write_guarded(&staging.join(format!("{index}.old")), &old, access)?;
            }
            if let Some(new) = new {
                self.write_guarded(&staging.join(format!("{index}.new")), new, access)?;
            }
        }
        let record = serde_json::to_vec_pretty(manifest).unwrap_or_default();
        let unfinished = staging.join("manifest.tmp");
        self.write_durably(&unfinished, &record)?;
        self.sync_folder(&staging)?;
        self.rename(&unfinished, &staging.join(MANIFEST))?;
        self.sync_folder(&staging)?;
        self.sync_folder(&self.state)
    }

    /// Replaces one file, all or nothing, without an undo entry: for what can be made again.
    ///
    /// # Errors
    /// When it is no longer what the change was made from, or cannot be written.
    pub fn replace(&self, path: &str, bytes: &[u8], expected: &[u8]) -> Result<(), ApplyError> {
        self.check_target(path)?;
        if self.read_if_there(&self.target(path)?)?.as_deref() != Some(expected) {
            let operation = "trim".to_owned();
            return Err(ApplyError::EditedMeanwhile { operation, path: path.to_owned() });
        }
        self.install_after(path, bytes, expected.len() as u64, Access::default())
    }

    /// Brings one file to its new state, and takes over what somebody without the lock appends to the
    /// old one, which had `size` bytes, while it is being replaced.
    fn install_after(
        &self,
        path: &str,
        new: &[u8],
        size: u64,
        access: Access,
    ) -> Result<(), ApplyError> {
        let target = self.target(path)?;
        let before = self.fs.open(&target).ok();
        self.install(path, Some(new), access)?;
        let mut more = Vec::new();
        if let Some(mut file) = before
            && file.seek(io::SeekFrom::Start(size)).is_ok()
            && file.read_to_end(&mut more).is_ok()
            && !more.is_empty()
        {
            self.fs.append_durably(&target, &more).map_err(io_error("write", &target))?;
        }
        Ok(())
    }

    fn install_all(&self, manifest: &Manifest) -> Result<(), ApplyError> {
        for (index, path) in manifest.paths.iter().enumerate() {
            let new = self.read_if_there(&self.staging().join(format!("{index}.new")))?;
            let old = self.fs.stat(&self.staging().join(format!("{index}.old")));
            match (new, old) {
                (Some(new), Ok((_, size))) => {
                    self.install_after(path, &new, size, manifest.access(path))?;
                }
                (new, _) => self.install(path, new.as_deref(), manifest.access(path))?,
            }
        }
        Ok(())
    }

    /// Brings one file to its new state.
    fn install(&self, path: &str, new: Option<&[u8]>, access: Access) -> Result<(), ApplyError> {
        let target = self.target(path)?;
        let folder = target.parent().unwrap_or(self.root).to_owned();
        let Some(bytes) = new else {
            if self.fs.stat(&target).is_ok() {
                self.fs.remove_file(&target).map_err(io_error("remove", &target))?;
                self.sync_folder(&folder)?;
            }
            return Ok(());
        };
        if access.private {
            self.create_private_folders(&folder)?;
        } else {
            self.create_folders(&folder)?;
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let beside = folder.join(format!(".{name}.quipu-tmp"));
        let placed = self.write_guarded(&beside, bytes, access).and_then(|()| {
            if self.fs.stat(&target).is_ok() {
                self.fs.copy_permissions(&target, &beside).map_err(io_error("write", &beside))?;
            }
            self.rename(&beside, &target)
        });
        if placed.is_err() {
            // The half-written copy is of no use; a failure to remove it changes nothing.
            let _ = self.fs.remove_file(&beside);
        }
        placed?;
        self.sync_folder(&folder)
    }

    /// Turns the staged transaction into an undo entry; it is over then.
    fn finish(&self, manifest: &Manifest) -> Result<(), ApplyError> {
        if manifest.is_final {
            return self.drop_staging();
        }
        let undo = self.undo();
        self.create_folders(&undo)?;
        if let Some(undone) = &manifest.undoes {
            // Its entry goes first: were it still there after a crash, it could be undone twice.
            let entry = undo.join(undone);
            if self.fs.stat(&entry).is_ok() {
                self.rename(&entry, &self.staging().join(UNDONE))?;
                self.sync_folder(&undo)?;
            }
            return self.drop_staging();
        }
        let entries = self.undo_entries()?;
        let next = entries.last().and_then(|name| name.parse::<u64>().ok()).unwrap_or(0) + 1;
        self.rename(&self.staging(), &undo.join(format!("{next:08}")))?;
        // It is over. Should the staged folder come back after a power cut, installing the same
        // bytes once more changes nothing.
        let _ = self.sync_folder(&undo);
        let _ = self.sync_folder(&self.state);
        for old in entries.iter().rev().skip(UNDO_DEPTH - 1) {
            // Forgetting an old entry late does no harm.
            let _ = self.fs.remove_folder(&undo.join(old));
        }
        Ok(())
    }

    /// Ends a transaction that leaves no undo entry.
    fn drop_staging(&self) -> Result<(), ApplyError> {
        let staging = self.staging();
        let manifest = staging.join(MANIFEST);
        self.fs.remove_file(&manifest).map_err(io_error("remove", &manifest))?;
        // It is over. Should the manifest come back after a power cut, finishing once more
        // changes nothing; the rest is debris that the next command clears.
        let _ = self.sync_folder(&staging);
        let _ = self.fs.remove_folder(&staging);
        Ok(())
    }

    /// After a failure: puts the old bytes back. What cannot be put back now, the next command
    /// brings to the new state instead.
    fn roll_back(&self, manifest: &Manifest) {
        let staging = self.staging();
        if self.fs.stat(&staging.join(MANIFEST)).is_ok() {
            for (index, path) in manifest.paths.iter().enumerate() {
                if self.restore(index, path, manifest.access(path)).is_err() {
                    return;
                }
            }
            let waiting = staging.join(UNDONE);
            if let Some(undone) = &manifest.undoes
                && self.fs.stat(&waiting).is_ok()
                && self.fs.rename(&waiting, &self.undo().join(undone)).is_err()
            {
                return;
            }
            if self.fs.remove_file(&staging.join(MANIFEST)).is_err() {
                return;
            }
            let _ = self.fs.sync_folder(&staging);
        }
        let _ = self.fs.remove_folder(&staging);
    }

    fn restore(&self, index: usize, path: &str, access: Access) -> Result<(), ApplyError> {
        let target = self.target(path)?;
        let staging = self.staging();
        let old = self.read_if_there(&staging.join(format!("{index}.old")))?;
        if self.read_if_there(&target)? == old {
            return Ok(());
        }
        let Some(bytes) = old else {
            return self.install(path, None, access);
        };
        match self.install(path, Some(&bytes), access) {
            Ok(()) => Ok(()),
            // A full disk has no room for a copy, but a rename needs none.
            Err(_) => self.rename(&staging.join(format!("{index}.old")), &target),
        }
    }

    /// Finishes or clears away what an earlier process left behind.
    ///
    /// # Errors
    /// When that fails; the record stays for the next try.
    pub fn recover(&self) -> Result<Option<Recovered>, ApplyError> {
        let staging = self.staging();
        if self.fs.stat(&staging).is_err() {
            return Ok(None);
        }
        let record = staging.join(MANIFEST);
        let Some(bytes) = self.read_if_there(&record)? else {
            self.fs.remove_folder(&staging).map_err(io_error("remove", &staging))?;
            return Ok(None);
        };
        let manifest: Manifest = serde_json::from_slice(&bytes)
            .map_err(|source| ApplyError::BadManifest { path: record, source })?;
        let mut files = Vec::new();
        for (index, path) in manifest.paths.iter().enumerate() {
            let state = |which| self.read_if_there(&staging.join(format!("{index}.{which}")));
            let now = self.read_if_there(&self.target(path)?)?;
            files.push(Interrupted { path, old: state("old")?, new: state("new")?, now });
        }
        let left_alone: Vec<String> =
            files.iter().filter(|file| file.is_edited()).map(|file| file.path.clone()).collect();
        let forward = left_alone.is_empty() || keeps_every_fact(&files, |file| &file.new);
        for file in files.iter().filter(|file| !file.is_edited()) {
            let target = if forward { &file.new } else { &file.old };
            if file.now != *target {
                self.install(file.path, target.as_deref(), manifest.access(file.path))?;
            }
        }
        if forward {
            self.finish(&manifest)?;
        } else {
            // The manifest goes first: without it the rest is debris, with it half of it is not.
            let manifest = staging.join(MANIFEST);
            self.fs.remove_file(&manifest).map_err(io_error("remove", &manifest))?;
            self.sync_folder(&staging)?;
            self.fs.remove_folder(&staging).map_err(io_error("remove", &staging))?;
        }
        Ok(Some(Recovered { operation: manifest.operation, left_alone, forward }))
    }

    /// Takes back the last operation.
    ///
    /// # Errors
    /// When there is none, a file was edited since, or a step fails; then everything is as it was.
    pub fn undo_last(&self, at: &str, dry_run: bool) -> Result<Manifest, ApplyError> {
        let entries = self.undo_entries()?;
        let name = entries.last().ok_or(ApplyError::NothingToUndo)?;
        let entry = self.undo().join(name);
        let record = entry.join(MANIFEST);
        let bytes = self.fs.read(&record).map_err(io_error("read", &record))?;
        let manifest: Manifest = serde_json::from_slice(&bytes)
            .map_err(|source| ApplyError::BadManifest { path: record, source })?;
        let mut changes = FileChanges::new();
        let mut edited = Vec::new();
        for (index, path) in manifest.paths.iter().enumerate() {
            let state = |which| self.read_if_there(&entry.join(format!("{index}.{which}")));
            let (now, new) = (self.read_if_there(&self.target(path)?)?, state("new")?);
            let mut old = state("old")?;
            if now != new {
                // What was appended to the journal since stays.
                let is_journal = path == quipu_core::journal::PRIMARY;
                let appended = now.as_deref().zip(new.as_deref());
                match appended.and_then(|(now, new)| now.strip_prefix(new)) {
                    Some(tail) if is_journal && old.as_deref().is_some_and(ends_line) => {
                        old.as_mut().into_iter().for_each(|old| old.extend_from_slice(tail));
                    }
                    _ => edited.push(path.clone()),
                }
            }
            changes.insert(path.clone(), old);
        }
        if !edited.is_empty() {
            return Err(ApplyError::EditedSince { operation: manifest.operation, paths: edited });
        }
        if !dry_run {
            let undo = Manifest {
                operation: format!("undo of {}", manifest.operation),
                at: at.to_owned(),
                undoes: Some(name.clone()),
                ..manifest.clone()
            };
            self.run(&undo, &changes, &FileChanges::new())?;
        }
        Ok(manifest)
    }

    /// Returns what can be undone, newest first.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub fn history(&self) -> Result<Vec<Manifest>, ApplyError> {
        let mut history = Vec::new();
        for name in self.undo_entries()?.iter().rev() {
            let record = self.undo().join(name).join(MANIFEST);
            let bytes = self.fs.read(&record).map_err(io_error("read", &record))?;
            history.push(
                serde_json::from_slice(&bytes)
                    .map_err(|source| ApplyError::BadManifest { path: record, source })?,
            );
        }
        Ok(history)
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

fn manifest(operation: &str, at: &str, changes: &FileChanges) -> Manifest {
    Manifest {
        operation: operation.to_owned(),
        at: at.to_owned(),
        paths: changes.keys().cloned().collect(),
        undoes: None,
        is_final: false,
        private: false,
        modes: Modes::new(),
    }
}

/// Tells whether a path can be that of a file in a workspace. What git keeps for itself is not ours,
/// wherever a manifest got the idea from.
pub(crate) fn is_inside(path: &str) -> bool {
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

fn ends_line(bytes: &[u8]) -> bool {
    bytes.last().is_none_or(|byte| *byte == b'\n')
}

fn is_read_only(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.permissions().readonly())
}
