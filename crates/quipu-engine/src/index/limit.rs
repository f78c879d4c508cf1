//! What a hook leaves to others: it has seconds, and a repository may hold any amount. Sizes decide, not
//! the clock, so that the same files always give the same answer.

use quipu_core::indexing::FileKind;

use super::Differences;
use crate::workspace::Workspace;

/// A hook reads no more than this into the index: about 12,000 facts, a second's work.
pub(crate) const MOST_INDEXED: u64 = 2 * 1024 * 1024;

/// Of a single file a hook tells no more than this: about 200,000 facts.
pub(crate) const MOST_TOLD: usize = 32 * 1024 * 1024;

/// Files that the index does not know as they are, because they are too many for a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct LeftOut {
    /// How many.
    pub files: usize,
    /// How long they are together.
    pub bytes: u64,
}

impl LeftOut {
    /// Says what is missing, and how to get it.
    pub fn words(&self) -> String {
        format!(
            "{} that the index does not know yet ({}): `quipu index` reads them",
            if self.files == 1 { "a file".to_owned() } else { format!("{} files", self.files) },
            size(self.bytes),
        )
    }
}

/// Returns a number of bytes in words.
pub(crate) fn size(bytes: u64) -> String {
    let tenths = bytes * 10 / (1024 * 1024);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

/// Returns how much of what changed may be indexed now; nothing where that takes as long as it takes.
pub(super) fn most_indexed(workspace: &Workspace) -> Option<u64> {
    workspace.git_limit().map(|_| MOST_INDEXED)
}

impl Differences {
    /// Leaves out what is more than `most` bytes, the smallest files first; returns what that is.
    pub(super) fn cut_to(
        &mut self,
        most: u64,
        kind_of: impl Fn(&str) -> Option<FileKind>,
    ) -> Option<LeftOut> {
        let size = |stamp: &str| -> u64 {
            stamp.split(':').next().and_then(|size| size.parse().ok()).unwrap_or_default()
        };
        let is_facts = |path: &str| kind_of(path) == Some(FileKind::Facts);
        // Facts replace each other across files: all of them are read, or none.
        let facts = self.present.iter().filter(|(path, _)| is_facts(path));
        let facts: u64 = facts.map(|(_, stamp)| size(stamp)).sum();
        let mut order: Vec<(u64, String)> = self
            .changed
            .iter()
            .map(|(path, stamp)| (if is_facts(path) { facts } else { size(stamp) }, path.clone()))
            .collect();
        order.sort();
        let (mut total, mut has_facts) = (0, false);
        let mut kept: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
        for (size, path) in order {
            let is_paid = is_facts(&path) && has_facts;
            if is_paid || size <= most - total {
                total += if is_paid { 0 } else { size };
                has_facts |= is_facts(&path);
                kept.insert(path);
            }
        }
        let mut left_out = LeftOut::default();
        self.changed.retain(|(path, stamp)| {
            let stays = kept.contains(path);
            left_out.files += usize::from(!stays);
            left_out.bytes += if stays { 0 } else { size(stamp) };
            stays
        });
        if facts > most {
            // What is gone from there is noticed with the rest.
            self.gone.retain(|path| !is_facts(path));
        }
        (left_out.files > 0).then_some(left_out)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn differences(files: &[(&str, u64)]) -> Differences {
        let stamp = |size: u64| format!("{size}:1");
        let changed = files.iter().map(|(path, size)| ((*path).to_owned(), stamp(*size))).collect();
        let present: BTreeMap<String, String> =
            files.iter().map(|(path, size)| ((*path).to_owned(), stamp(*size))).collect();
        Differences { changed, present, ..Differences::default() }
    }

    fn kept(differences: &Differences) -> Vec<&str> {
        differences.changed.iter().map(|(path, _)| path.as_str()).collect()
    }

    #[test]
    fn the_smallest_files_are_read_and_the_rest_is_counted() {
        let mut some =
            differences(&[("memory/a.md", 60), ("memory/b.md", 30), ("memory/c.md", 20)]);
        let left_out = some.cut_to(100, quipu_core::indexing::file_kind);
        assert_eq!(left_out, Some(LeftOut { files: 1, bytes: 60 }));
        assert_eq!(kept(&some), ["memory/b.md", "memory/c.md"]);
        let mut all = differences(&[("memory/a.md", 60), ("memory/b.md", 40)]);
        assert_eq!(all.cut_to(100, quipu_core::indexing::file_kind), None);
    }

    #[test]
    fn files_of_facts_are_read_together_or_not_at_all() {
        let facts = [("memory/continuity.md", 10), ("memory/archive/2026-Q1.md", 95)];
        let mut some = differences(&facts);
        let left_out = some.cut_to(100, quipu_core::indexing::file_kind);
        assert_eq!(left_out, Some(LeftOut { files: 2, bytes: 105 }));
        let mut all = differences(&facts);
        assert_eq!(all.cut_to(105, quipu_core::indexing::file_kind), None);
        assert_eq!(kept(&all).len(), 2);
    }

    #[test]
    fn what_is_left_out_is_told_with_its_size() {
        let words = LeftOut { files: 2, bytes: 5 * 1024 * 1024 / 2 }.words();
        assert_eq!(
            words,
            "2 files that the index does not know yet (2.5 MB): `quipu index` reads them"
        );
    }
}
