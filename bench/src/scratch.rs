//! A workspace that can be put back to where it was, with its state outside of it, at the same path.

use std::path::{Path, PathBuf};
use std::process::Command;

use quipu_engine::state;

/// A workspace and a copy of it and of its state.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    /// Fills a workspace and keeps a copy.
    pub(crate) fn filled<T>(fill: impl FnOnce(&Path) -> T) -> (Self, T) {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(scratch.root()).unwrap();
        let filled = fill(&scratch.root());
        copy(&scratch.root(), &scratch.kept("workspace"));
        copy(&scratch.state(), &scratch.kept("state"));
        (scratch, filled)
    }

    /// Puts the workspace back to where it was when it was filled.
    pub(crate) fn restore(&self) -> PathBuf {
        let state = self.state();
        copy(&self.kept("state"), &state);
        copy(&self.kept("workspace"), &self.root());
        self.root()
    }

    /// Returns the workspace's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// Returns the folder with its state.
    pub(crate) fn state(&self) -> PathBuf {
        let home = std::env::var_os(state::VARIABLE).unwrap();
        state::folder_of(Path::new(&home), &self.root()).unwrap()
    }

    fn kept(&self, name: &str) -> PathBuf {
        self.folder.path().join("kept").join(name)
    }
}

fn copy(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).unwrap();
    }
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}
