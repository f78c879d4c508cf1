//! Private files that git tracks: what is written to them is committed with the repository.

use std::path::Path;

use quipu_core::journal;

use super::{Index, git_folder, top_of};
use crate::fs::{FileSystem as _, RealFs, Stamp};

/// The private files of a folder that git tracks, as of a state of git's index.
#[derive(Default)]
pub(crate) struct TrackedFiles {
    stamp: Option<Stamp>,
    paths: Vec<String>,
}

impl TrackedFiles {
    /// Returns the files that git tracks now, of those that `is_private` accepts.
    pub(crate) fn current(&mut self, root: &Path, is_private: impl Fn(&str) -> bool) -> &[String] {
        let stamp = stamp_of_index(root);
        if stamp != self.stamp {
            let index = stamp.as_ref().and_then(|_| Index::open(root));
            self.paths = index.map_or_else(Vec::new, |index| {
                let all = index.entries.range(index.prefix.clone()..);
                let inside = all.map_while(|(path, _)| path.strip_prefix(&index.prefix));
                inside.filter(|path| is_private(path)).map(str::to_owned).collect()
            });
            self.stamp = stamp;
        }
        &self.paths
    }
}

/// Returns the files of the journal that git tracks: private memory that would be committed.
pub fn tracked_journal(root: &Path) -> Vec<String> {
    TrackedFiles::default().current(root, journal::is_private).to_vec()
}

fn stamp_of_index(root: &Path) -> Option<Stamp> {
    let top = top_of(root).ok()??;
    RealFs.stamp(&git_folder(&top)?.join("index")).ok()
}
