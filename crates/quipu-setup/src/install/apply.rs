//! Carrying out a plan: all files or none.
//!
//! The bytes from before and the manifest are durable first, so that a machine that dies half-way
//! leaves a record of everything that may have been written. After an error the old bytes go back.

use std::path::{Path, PathBuf};

use super::machine::Scope;
use super::manifest::Manifest;
use super::plan::{FilePlan, Plan};
use super::{InstallError, Installer, missing};

impl Installer {
    /// Writes everything; `above` are the folders that were made for the manifest's own.
    pub(super) fn apply(
        &self,
        plan: &Plan,
        had_state: bool,
        above: &[PathBuf],
    ) -> Result<(), InstallError> {
        let changed: Vec<&FilePlan> = plan.files.iter().filter(|file| file.changes()).collect();
        for file in &changed {
            self.check_target(file)?;
        }
        let state = self.state();
        let mut manifest = plan.manifest.clone();
        let is_first = plan.was.files.is_empty();
        manifest.made_state = if is_first { !had_state } else { plan.was.made_state };
        let written = changed.iter().filter(|file| file.after.is_some());
        let made = missing(written.flat_map(|file| file.path.ancestors().skip(1)));
        let new = above.iter().chain(&made).map(|folder| self.recorded(folder));
        manifest.folders.extend(new);
        if plan.is_removal {
            return self.take_back(plan, &manifest, &changed);
        }
        self.save_originals(plan, &state)?;
        let path = Manifest::path(&state);
        let before = self.fs.read(&path).ok();
        self.write(&path, &manifest.render())?;
        self.fs.make_private(&path).map_err(failed("write", &path))?;
        if let Err((error, is_as_before)) = self.write_all(&changed) {
            for folder in made.iter().rev() {
                self.remove_if_empty(folder);
            }
            if is_as_before {
                // Where this fails the record names more than there is, which does no harm.
                let _ = self.place(&path, before.as_deref());
            }
            return Err(error);
        }
        self.forget_originals(&manifest, &state);
        Ok(())
    }

    /// The record goes last: what it lists and is gone already does no harm.
    fn take_back(
        &self,
        plan: &Plan,
        manifest: &Manifest,
        changed: &[&FilePlan],
    ) -> Result<(), InstallError> {
        let state = self.state();
        let path = Manifest::path(&state);
        let before = self.fs.read(&path).ok();
        self.write_all(changed).map_err(|(error, _)| error)?;
        let rendered = manifest.render();
        let recorded = self.place(&path, (!plan.leaves_nothing()).then_some(&*rendered));
        if let Err(error) = recorded {
            self.roll_back(changed);
            // The files are back, and so is their record, unless nothing can be written any more.
            let _ = self.place(&path, before.as_deref());
            return Err(error);
        }
        for folder in plan.was.folders.iter().rev() {
            self.remove_if_empty(&self.root.join(folder));
        }
        self.forget_originals(manifest, &state);
        Ok(())
    }

    /// Removes the folder of the manifest, where it was made for it and holds nothing else.
    pub(super) fn clear_state(&self, was_made: bool) {
        let state = self.state();
        let originals = Manifest::originals(&state);
        self.remove_if_empty(&originals);
        if self.scope == Scope::Project {
            let workspace = self.workspace().ok().filter(|_| was_made);
            // It can be made again, and one that stays does no harm.
            let _ = workspace.is_some_and(|workspace| workspace.remove_state(|_| false));
            return;
        }
        let names = self.fs.list(&state).unwrap_or_default();
        let is_ours = |name: &str| matches!(name, "lock" | ".gitignore");
        if was_made && names.iter().all(|(name, _)| is_ours(name)) {
            // It can be made again, and an empty one does no harm.
            let _ = self.fs.remove_folder(&state);
        }
    }

    fn check_target(&self, file: &FilePlan) -> Result<(), InstallError> {
        if self.read_bytes(&file.path)? != file.before {
            return Err(InstallError::EditedMeanwhile { path: file.path.clone() });
        }
        let is_read_only =
            file.real.metadata().is_ok_and(|metadata| metadata.permissions().readonly());
        if is_read_only {
            return Err(InstallError::ReadOnly { path: file.path.clone() });
        }
        Ok(())
    }

    fn save_originals(&self, plan: &Plan, state: &Path) -> Result<(), InstallError> {
        let folder = Manifest::originals(state);
        for file in &plan.files {
            let hash = file.record.as_ref().and_then(|record| record.original.as_deref());
            let (Some(hash), Some(bytes)) = (hash, &file.original) else { continue };
            let path = Manifest::original(state, hash);
            if self.fs.stat(&path).is_ok() {
                continue;
            }
            let created = self.fs.create_folders(&folder);
            created.and_then(|()| self.fs.sync_folder(state)).map_err(failed("create", &folder))?;
            // Somebody's configuration may hold a token.
            self.fs.make_private(&folder).map_err(failed("create", &folder))?;
            self.write(&path, bytes)?;
        }
        Ok(())
    }

    fn forget_originals(&self, manifest: &Manifest, state: &Path) {
        let folder = Manifest::originals(state);
        let names = self.fs.list(&folder).unwrap_or_default();
        let is_needed =
            |name: &str| manifest.files.iter().any(|file| file.original.as_deref() == Some(name));
        for (name, _) in names.iter().filter(|(name, _)| !is_needed(name)) {
            // Bytes that are kept too long do no harm.
            let _ = self.fs.remove_file(&folder.join(name));
        }
    }

    /// Brings every file to its new state; after an error tells whether all are as they were.
    fn write_all(&self, files: &[&FilePlan]) -> Result<(), (InstallError, bool)> {
        for (at, file) in files.iter().enumerate() {
            if let Err(error) = self.place(&file.real, file.after.as_deref()) {
                return Err((error, self.roll_back(&files[..=at])));
            }
        }
        Ok(())
    }

    /// Puts the old bytes back; tells whether all of them are.
    fn roll_back(&self, files: &[&FilePlan]) -> bool {
        let mut is_as_before = true;
        for file in files.iter().rev() {
            let is_there = self.fs.read(&file.real).ok() == file.before;
            is_as_before &= is_there || self.place(&file.real, file.before.as_deref()).is_ok();
        }
        is_as_before
    }

    fn place(&self, path: &Path, bytes: Option<&[u8]>) -> Result<(), InstallError> {
        match bytes {
            Some(bytes) => self.write(path, bytes),
            None => self.remove(path),
        }
    }

    /// Replaces a file at once, and makes that durable.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), InstallError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        self.fs.create_folders(folder).map_err(failed("create", folder))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = folder.join(format!(".{name}.quipu-tmp"));
        let is_there = self.fs.stat(path).is_ok();
        // Before there is anything to read: configuration may hold a token.
        let protect = || {
            if !is_there {
                return Ok(());
            }
            self.fs.write(&beside, b"")?;
            self.fs.copy_permissions(path, &beside)
        };
        let placed = protect()
            .and_then(|()| self.fs.write(&beside, bytes))
            .and_then(|()| self.fs.sync_file(&beside))
            .and_then(|()| self.fs.rename(&beside, path))
            .and_then(|()| self.fs.sync_folder(folder));
        placed.map_err(|error| {
            // The half-written copy is of no use; a failure to remove it changes nothing.
            let _ = self.fs.remove_file(&beside);
            failed("write", path)(error)
        })
    }

    fn remove(&self, path: &Path) -> Result<(), InstallError> {
        match self.fs.remove_file(path) {
            Ok(()) => {
                let folder = path.parent().unwrap_or(Path::new("."));
                self.fs.sync_folder(folder).map_err(failed("remove", path))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(failed("remove", path)(error)),
        }
    }

    pub(super) fn remove_if_empty(&self, folder: &Path) {
        if self.fs.list(folder).is_ok_and(|names| names.is_empty()) && has_no_entry(folder) {
            // An empty folder does no harm.
            let _ = self.fs.remove_folder(folder);
        }
    }
}

/// Names that are not Unicode are names too.
fn has_no_entry(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> InstallError {
    let path = path.to_owned();
    move |source| InstallError::Io { action, path, source }
}
