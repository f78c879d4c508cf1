//! Committing: staging a change, installing it, and putting everything back where a step fails.

use std::io::{self, Read as _, Seek as _};
use std::path::Path;
use std::sync::atomic::Ordering;

use super::log::OpenChange;
use super::{Access, ApplyError, FileChanges, MANIFEST, Manifest, Modes, Transactions, io_error};
use crate::fs::{Kind, is_linked};

/// Where an undo entry waits while it is being taken back.
const UNDONE: &str = "undone";

/// How a change is carried out, where that is not as usual.
#[derive(Clone, Debug, Default)]
pub struct CommitOptions {
    /// Whether only their owner can read new files and folders.
    pub private: bool,
    /// Whether nothing is kept to undo it with.
    pub is_final: bool,
    /// Whether it writes files of the ledger anew, and does not only add to them.
    pub rewrites_ledger: bool,
    /// The modes of new files, by path.
    pub modes: Modes,
    /// The change that it takes back.
    pub takes_back: Option<String>,
    /// Records and events that it adds to the ledger.
    pub ids: Vec<String>,
}

impl Transactions<'_> {
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
        options: CommitOptions,
    ) -> Result<(), ApplyError> {
        let CommitOptions { private, is_final, rewrites_ledger, modes, takes_back, ids } = options;
        let change = self.open_change(operation);
        self.refuse_repetition(change.as_ref())?;
        let manifest = Manifest {
            operation: change.as_ref().map_or(operation, |open| &open.operation).to_owned(),
            change: change.as_ref().map(|open| open.id.clone()),
            by: change.map(|open| open.by).filter(|by| !by.is_empty()),
            takes_back,
            ids,
            at: at.to_owned(),
            paths: changes.keys().cloned().collect(),
            undoes: None,
            rewrites_ledger,
            is_final,
            private,
            modes,
        };
        self.run(manifest, changes, expected)
    }

    /// Refuses to make a change a second time that a request with a key made before. This happens where the
    /// process that made it died before it could answer.
    fn refuse_repetition(&self, change: Option<&OpenChange>) -> Result<(), ApplyError> {
        let begins = |open: &&OpenChange| !open.has_written.load(Ordering::Relaxed);
        let Some(open) = change.filter(|open| open.key.is_some()).filter(begins) else {
            return Ok(());
        };
        if self.log()?.iter().any(|line| line.change == open.id) {
            return Err(ApplyError::AlreadyMade { change: open.id.clone() });
        }
        Ok(())
    }

    /// Carries out what a manifest says.
    pub(super) fn run(
        &self,
        mut manifest: Manifest,
        changes: &FileChanges,
        expected: &FileChanges,
    ) -> Result<(), ApplyError> {
        for (path, new) in changes {
            self.check_target(path)?;
            // Whoever undoes it finds the file as it was.
            if new.is_none()
                && let Some(mode) = self.fs.mode(&self.target(path)?)
            {
                manifest.modes.insert(path.clone(), mode);
            }
        }
        let staged = self.stage(&manifest, changes, expected);
        let done =
            staged.and_then(|()| self.install_all(&manifest)).and_then(|()| self.finish(&manifest));
        if let Err(error) = done {
            self.roll_back(&manifest);
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

    fn stage(
        &self,
        manifest: &Manifest,
        changes: &FileChanges,
        expected: &FileChanges,
    ) -> Result<(), ApplyError> {
        let staging = self.staging();
        self.create_folders(&staging)?;
        self.fs.make_private(&staging).map_err(io_error("create", &staging))?;
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
    pub(super) fn install(
        &self,
        path: &str,
        new: Option<&[u8]>,
        access: Access,
    ) -> Result<(), ApplyError> {
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
    pub(super) fn finish(&self, manifest: &Manifest) -> Result<(), ApplyError> {
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
        let name = format!("{next:08}");
        self.rename(&self.staging(), &undo.join(&name))?;
        // It is over. Should the staged folder come back after a power cut, installing the same
        // bytes once more changes nothing.
        let _ = self.sync_folder(&undo);
        let _ = self.sync_folder(&self.state);
        self.note_entry(manifest, &name);
        self.forget_old_entries(&entries, &manifest.at, next);
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
}

fn is_read_only(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.permissions().readonly())
}
