//! Carrying out a plan: all of it or nothing.

use std::path::Path;

use jiff::Timestamp;
use quipu_core::manifest::{Manifest, NEWEST_LAYOUT};
use quipu_core::memory::{Changes, MANIFEST, Memory, Snapshot};
use quipu_core::review;

use super::Workspace;
use crate::error::{Error, NewerLayout};
use crate::refusal::Refusal;
use crate::transaction::{CommitOptions, FileChanges};

impl Workspace {
    /// Carries out a plan that `make` computes from the current memory, all or nothing.
    ///
    /// `make` runs under the lock, so the plan is made from what it is applied to. With `dry_run`
    /// nothing is written.
    ///
    /// # Errors
    /// When there is no plan, the plan would do harm, or a step fails; then nothing has changed.
    pub fn change<T>(
        &self,
        operation: &str,
        now: Timestamp,
        dry_run: bool,
        make: impl FnOnce(&Memory<'_>) -> Result<(T, Changes), Error>,
    ) -> Result<(T, Diff), Error> {
        let _lock = if dry_run { self.lock_for_reading()? } else { Some(self.lock_for_writing()?) };
        let snapshot = self.snapshot()?;
        refuse_newer_layout(&snapshot)?;
        let memory = snapshot.parse()?;
        let (result, mut changes) = make(&memory)?;
        changes.retain(|path, text| !snapshot_holds(path) || text.as_deref() != snapshot.get(path));
        let ours = changes.keys().any(|path| snapshot_holds(path));
        if ours && self.is_main_of_worktree {
            return Err(Refusal::OtherCheckout { root: self.root.clone() }.into());
        }
        if ours {
            review::check(&memory, &snapshot.with(&changes))?;
        }
        let diff = Diff::between(&snapshot, &changes);
        if !dry_run && !changes.is_empty() {
            let expected: FileChanges = changes
                .keys()
                .filter(|path| snapshot_holds(path))
                .map(|path| (path.clone(), snapshot.get(path).map(|text| text.as_bytes().to_vec())))
                .collect();
            let bytes: FileChanges = changes
                .into_iter()
                .map(|(path, text)| (path, text.map(String::into_bytes)))
                .collect();
            let options = CommitOptions::default();
            self.transactions().commit(operation, &stamp(now), &bytes, &expected, options)?;
        }
        Ok((result, diff))
    }

    /// Removes the folders of a file that is gone, where they hold nothing: they are of no use.
    pub fn remove_empty_folders(&self, path: &str) {
        for folder in Path::new(path).ancestors().skip(1).filter(|path| *path != Path::new("")) {
            let folder = self.root.join(folder);
            let is_empty = self.fs.list(&folder).is_ok_and(|names| names.is_empty());
            // An empty folder does no harm.
            if !is_empty || self.fs.remove_folder(&folder).is_err() {
                return;
            }
        }
    }
}

/// Returns a time as the undo list shows it.
pub fn stamp(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A layout of a newer major version may mean something else by the same bytes.
fn refuse_newer_layout(snapshot: &Snapshot) -> Result<(), Error> {
    match snapshot.get(MANIFEST).and_then(Manifest::parse) {
        Some(manifest) if manifest.version.major > NEWEST_LAYOUT.major => {
            Err(NewerLayout { found: manifest.version }.into())
        }
        _ => Ok(()),
    }
}

fn snapshot_holds(path: &str) -> bool {
    path.starts_with("memory/") || path == MANIFEST
}

/// What an operation changes, for people to look at: old and new text by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Path, text before, text after.
    pub files: Vec<(String, Option<String>, Option<String>)>,
}

impl Diff {
    fn between(snapshot: &Snapshot, changes: &Changes) -> Self {
        let files = changes
            .iter()
            .filter(|(path, _)| !path.starts_with(".quipu/"))
            .map(|(path, new)| (path.clone(), snapshot.get(path).map(str::to_owned), new.clone()))
            .collect();
        Self { files }
    }

    /// Tells whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the paths that change.
    pub fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|(path, ..)| path.as_str()).collect()
    }
}
