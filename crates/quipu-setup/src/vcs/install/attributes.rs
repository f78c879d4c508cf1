//! Quipu's block in `.gitattributes`: the files that it merges.

use std::path::PathBuf;

use quipu_core::text;
use quipu_engine::git::git;

use super::{ATTRIBUTES, Step, Steps};
use crate::vcs::{BEGIN, END, VcsError};
use crate::without_line_break;

/// The files that Quipu merges.
const PATTERNS: [&str; 9] = [
    "/memory/continuity.md",
    "/memory/archive/*.md",
    "/memory/sessions/[0-9]*.md",
    "/memory/[0-9]*-[0-9]*-[0-9]*.md",
    "/memory/MEMORY-archive.md",
    "/memory/LONGMEMORY-archive.md",
    "/MEMORY.md",
    "/LONGMEMORY.md",
    "/.agent/version.md",
];

impl Steps<'_> {
    pub(super) fn attributes_in(&mut self) -> Result<(), VcsError> {
        let path = self.root.join(ATTRIBUTES);
        if self.is_link(&path) {
            return Err(VcsError::Link { path: ATTRIBUTES.to_owned() });
        }
        let current = self.read(&path)?;
        let source = String::from_utf8_lossy(current.as_deref().unwrap_or_default()).into_owned();
        if current.as_ref().is_some_and(|bytes| bytes != source.as_bytes()) {
            return Err(VcsError::NotText { path: ATTRIBUTES.to_owned() });
        }
        let ending = text::line_ending(&source);
        let (head, tail) = match block(&source)? {
            Some((span, _)) => (source[..span.start].to_owned(), source[span.end..].to_owned()),
            None => (source.clone(), String::new()),
        };
        // The mark tells a removal what to put back: no file at all, or no end of the last line.
        let mark = match block(&source)? {
            Some((_, mark)) => mark,
            None if current.is_none() => " +".to_owned(),
            None if !source.is_empty() && !source.ends_with('\n') => " -".to_owned(),
            None => String::new(),
        };
        let gap = if mark == " -" && !head.ends_with('\n') { ending } else { "" };
        let mut new = format!("{head}{gap}{BEGIN}{mark}{ending}");
        for pattern in PATTERNS {
            for part in [pattern, " merge=quipu", ending] {
                new.push_str(part);
            }
        }
        for part in [END, ending, &tail] {
            new.push_str(part);
        }
        if new != source {
            self.file(&path, "names the files that Quipu merges");
            self.write(&path, new.into_bytes(), None);
        }
        Ok(())
    }

    pub(super) fn attributes_out(&mut self) -> Result<(), VcsError> {
        let path = self.root.join(ATTRIBUTES);
        if self.is_link(&path) {
            return Ok(());
        }
        let Some(bytes) = self.read(&path)? else { return Ok(()) };
        let source = String::from_utf8(bytes)
            .map_err(|_| VcsError::NotText { path: ATTRIBUTES.to_owned() })?;
        let Some((span, mark)) = block(&source)? else { return Ok(()) };
        let mut head = &source[..span.start];
        let tail = &source[span.end..];
        if mark == " -" && tail.is_empty() {
            head = without_line_break(head);
        }
        let rest = format!("{head}{tail}");
        if rest.is_empty() && mark == " +" {
            self.file(&path, "goes: Quipu made it");
            self.todo.push(Step::Remove { path });
        } else {
            self.file(&path, "is as it was before Quipu");
            self.write(&path, rest.into_bytes(), None);
        }
        Ok(())
    }

    /// Tells whether another workspace of the repository names files for the driver.
    pub(super) fn names_files_elsewhere(&self) -> bool {
        let own = format!(":(exclude){ATTRIBUTES}");
        let all = format!(":(top,glob)**/{ATTRIBUTES}");
        let arguments =
            ["grep", "--no-color", "--untracked", "-l", "-F", "-e", BEGIN, "--", &all, &own];
        git(self.root, &arguments, None).is_some_and(|found| !found.is_empty())
    }

    /// Returns another worktree of the repository that names files for the driver.
    pub(super) fn other_worktree(&self) -> Option<PathBuf> {
        let listed = git(self.root, &["worktree", "list", "--porcelain"], None)?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let folders = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
        let others = folders.map(PathBuf::from).filter(|folder| *folder != self.repository.top);
        let names = |folder: &PathBuf| {
            let path = folder.join(&self.repository.workspace).join(ATTRIBUTES);
            let found = self.read(&path).ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&found).contains(BEGIN)
        };
        others.into_iter().find(names)
    }
}

/// Returns where our block stands in a file, and the mark behind its first line.
fn block(source: &str) -> Result<Option<(std::ops::Range<usize>, String)>, VcsError> {
    let broken = || VcsError::BrokenBlock { path: ATTRIBUTES.to_owned() };
    let begin = text::lines(source).find(|line| line.text.starts_with(BEGIN));
    let end = text::lines(source).find(|line| line.text.trim_end() == END);
    match (begin, end) {
        (None, None) => Ok(None),
        (Some(begin), Some(end)) if begin.start < end.start => {
            let mark = begin.text[BEGIN.len()..].trim_end().to_owned();
            Ok(Some((begin.start..end.end, mark)))
        }
        _ => Err(broken()),
    }
}
