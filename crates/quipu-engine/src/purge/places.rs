//! Where words can be: the files of the memory, those of the state folder, and the rest of the
//! repository, which a purge names and does not change.

use std::path::{Path, PathBuf};

use quipu_core::journal;
use quipu_core::purge::Words;

use crate::fs::Kind;
use crate::state;
use crate::workspace::Workspace;

/// Files of a repository that are larger than this are not looked into.
const LARGEST_OUTSIDE: u64 = 4 * 1024 * 1024;

/// So many files of a repository are looked into.
const MOST_OUTSIDE: usize = 50_000;

/// So many paths are listed one by one.
const MOST_LISTED: usize = 20;

/// How deep folders are looked into.
const DEEPEST: usize = 32;

/// Files that nothing is written to.
const LOCKS: [&str; 4] = ["lock", "dream.lock", "compaction.lock", "mend.lock"];

/// What has the words beside the files of the memory.
#[derive(Debug, Default)]
pub(super) struct StateFiles {
    /// Files that keep what is not the memory itself, such as open sessions.
    pub(super) texts: Vec<PathBuf>,
    /// Half-written copies, which an interrupted process left behind.
    pub(super) debris: Vec<PathBuf>,
    /// The database, and what belongs to it.
    pub(super) databases: Vec<PathBuf>,
}

/// Tells whether a file is a copy that was never put in place. The caller holds the lock, so nobody
/// is writing one.
fn is_debris(name: &str) -> bool {
    [".quipu-tmp", ".new", ".tmp"].iter().any(|end| name.ends_with(end))
}

/// Lists every file of the state folder, and of one that version 0.1 left, but locks, undo entries and the intent itself.
pub(super) fn state_files(workspace: &Workspace) -> StateFiles {
    let mut found = StateFiles::default();
    // Version 0.1 kept its state in the workspace, and its files may still be there.
    let mut folders = vec![(workspace.state(""), 0), (workspace.root().join(state::FOLDER), 1)];
    while let Some((folder, depth)) = folders.pop() {
        let mut entries = workspace.fs().list(&folder).unwrap_or_default();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (name, kind) in entries {
            let path = folder.join(&name);
            let is_top = depth == 0;
            match kind {
                Kind::Folder if is_top && (name == "undo" || name == "tx") => {}
                Kind::Folder if depth < DEEPEST => folders.push((path, depth + 1)),
                Kind::File if is_top && (name == state::PURGE || name == state::OWNER) => {}
                Kind::File if is_debris(&name) => found.debris.push(path),
                Kind::File if name.contains(".db") => found.databases.push(path),
                Kind::File if LOCKS.contains(&name.as_str()) => {}
                Kind::File => found.texts.push(path),
                Kind::Folder | Kind::Link | Kind::Other => {}
            }
        }
    }
    found
}

/// Lists the files of the memory, and what in it is a link. What a protocol or a policy says is
/// only cleaned of a value: common words of an item may be part of a setting.
pub(super) fn memory_files(workspace: &Workspace, is_of_value: bool) -> (Vec<String>, Vec<String>) {
    let (mut files, mut links) = (Vec::new(), Vec::new());
    let mut folders = vec![("memory".to_owned(), 0)];
    folders.push((workspace.config().memory_tool.folder.clone(), 0));
    while let Some((folder, depth)) = folders.pop() {
        for (name, kind) in workspace.fs().list(&workspace.root().join(&folder)).unwrap_or_default()
        {
            let path = format!("{folder}/{name}");
            let is_rule = path == quipu_core::memory::POLICY || path == "memory/PROTOCOL.md";
            match kind {
                _ if name.starts_with('.') || (is_rule && !is_of_value) => {}
                Kind::File => files.push(path),
                Kind::Folder if depth < DEEPEST => folders.push((path, depth + 1)),
                Kind::Link => links.push(path),
                Kind::Folder | Kind::Other => {}
            }
        }
    }
    let continuity = &workspace.config().continuity;
    let mut own = vec![journal::PRIMARY, journal::LONG, journal::USER];
    own.push(&continuity.long_memory_path);
    own.extend(continuity.memory_archive_path.as_deref());
    for name in own {
        match workspace.fs().stat(&workspace.root().join(name)) {
            Ok((Kind::File, _)) => files.push(name.to_owned()),
            Ok((Kind::Link, _)) => links.push(name.to_owned()),
            _ => {}
        }
    }
    for paths in [&mut files, &mut links] {
        paths.sort_unstable();
        paths.dedup();
    }
    (files, links)
}

/// Lists the half-written copies beside files of the memory.
pub(super) fn memory_debris(workspace: &Workspace, files: &[String]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = files
        .iter()
        .filter_map(|path| Some(workspace.root().join(Path::new(path).parent()?)))
        .chain(
            ["", "memory", "memory/sessions", "memory/archive"].map(|f| workspace.root().join(f)),
        )
        .collect();
    folders.sort_unstable();
    folders.dedup();
    let mut debris = Vec::new();
    for folder in folders {
        let names = workspace.fs().list(&folder).unwrap_or_default().into_iter();
        let ours = names.filter(|(name, kind)| {
            *kind == Kind::File && name.starts_with('.') && name.ends_with(".quipu-tmp")
        });
        debris.extend(ours.map(|(name, _)| folder.join(name)));
    }
    debris
}

/// Says which other files of the repository have the words.
pub(super) fn outside_files(
    workspace: &Workspace,
    words: &Words,
    memory: &[String],
) -> Vec<String> {
    let mut folders = vec![(PathBuf::new(), 0)];
    let (mut seen, mut found) = (0, Vec::new());
    while let Some((folder, depth)) = folders.pop() {
        for (name, kind) in workspace.fs().list(&workspace.root().join(&folder)).unwrap_or_default()
        {
            let path = folder.join(&name);
            let full = workspace.root().join(&path);
            let is_skipped =
                [".git", state::FOLDER].contains(&name.as_str()) || seen >= MOST_OUTSIDE;
            match kind {
                _ if is_skipped => {}
                Kind::Folder if depth < DEEPEST => folders.push((path, depth + 1)),
                Kind::File => {
                    seen += 1;
                    let relative = path.to_string_lossy().replace('\\', "/");
                    if memory.binary_search(&relative).is_ok() {
                        continue;
                    }
                    if let Ok(Ok(bytes)) = workspace.fs().read_up_to(&full, LARGEST_OUTSIDE)
                        && words.are_in_bytes(&bytes)
                    {
                        found.push(words.out_of(&relative, quipu_core::purge::NEUTRAL));
                    }
                }
                Kind::Folder | Kind::Link | Kind::Other => {}
            }
        }
    }
    found.sort_unstable();
    let more = found.len().saturating_sub(MOST_LISTED);
    found.truncate(MOST_LISTED);
    let mut told: Vec<String> = found
        .into_iter()
        .map(|path| format!("{path}, which is not part of the memory: remove it there"))
        .collect();
    if more > 0 {
        told.push(format!("{more} more files that are not part of the memory"));
    }
    if seen >= MOST_OUTSIDE {
        told.push(format!("files of the repository beyond the first {MOST_OUTSIDE}"));
    }
    told
}
