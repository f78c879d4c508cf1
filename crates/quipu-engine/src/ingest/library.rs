//! The documents that were read before: where each is kept, and where it was read from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quipu_core::journal::{self, LIBRARY};
use quipu_import::head::Note;
use quipu_import::id::derived;

use super::slug;
use crate::workspace::Workspace;

/// The files of the library, by what they were read from.
pub(super) struct Library<'w> {
    workspace: &'w Workspace,
    /// Of each source its file here, and the hash of what was read.
    kept: BTreeMap<String, (String, String)>,
    /// Files that have a new source in this run.
    taken: BTreeSet<String>,
}

impl<'w> Library<'w> {
    /// Looks at what is there.
    pub(super) fn of(workspace: &'w Workspace) -> Self {
        let folder = workspace.root().join(LIBRARY);
        let entries = workspace.fs().list(&folder).unwrap_or_default();
        let mut kept = BTreeMap::new();
        for path in entries.into_iter().map(|(name, _)| format!("{LIBRARY}{name}")) {
            let Ok(Some(text)) = workspace.read_optional(&path) else { continue };
            if !journal::is_library(&path) {
                continue;
            }
            let head = Note::read(&text);
            if let (Some(source), Some(hash)) = (head.text("source"), head.text("sha256")) {
                kept.insert(source, (path, hash));
            }
        }
        Self { workspace, kept, taken: BTreeSet::new() }
    }

    /// Returns the file of a document: the one that it has, the one of the same document at a place where it is no
    /// longer, or a new one. What was found there keeps its ids.
    pub(super) fn file_of(&mut self, source: &str, hash: &str) -> (String, Option<String>) {
        if let Some((path, _)) = self.kept.get(source) {
            return (path.clone(), None);
        }
        let moved = self.kept.iter().find(|(old, (path, other))| {
            other == hash && !self.taken.contains(path) && !self.is_there(old)
        });
        if let Some((old, (path, _))) = moved {
            let (old, path) = (old.clone(), path.clone());
            self.taken.insert(path.clone());
            return (path, Some(old));
        }
        (format!("{LIBRARY}{}-{}.md", slug(source), &derived(&["document", source])[..8]), None)
    }

    /// Returns the documents below some places that are no longer there, with their files here.
    pub(super) fn gone(&self, places: &[String]) -> Vec<(String, String)> {
        let is_below = |source: &str| {
            places.iter().any(|place| {
                let rest = source.strip_prefix(place.as_str());
                rest.is_some_and(|rest| {
                    place.is_empty() || rest.is_empty() || rest.starts_with(['/', '!'])
                })
            })
        };
        let kept = self.kept.iter().filter(|(source, (path, _))| {
            is_below(source) && !self.taken.contains(path) && !self.is_there(source)
        });
        kept.map(|(source, (path, _))| (source.clone(), path.clone())).collect()
    }

    /// Tells whether a source is still at its place; of one in an archive, whether the archive is.
    fn is_there(&self, source: &str) -> bool {
        let file = source.split_once('!').map_or(source, |(archive, _)| archive);
        self.workspace.root().join(Path::new(file)).exists()
    }
}
