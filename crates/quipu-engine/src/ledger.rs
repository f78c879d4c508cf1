//! The journal's files: which there are, and adding lines to one.

use std::io;

use quipu_core::journal::{self, ARCHIVE, PRIMARY};

use crate::error::Error;
use crate::fs::Kind;
use crate::refusal::Refusal;
use crate::workspace::{ReadError, Workspace};

/// Lines that were added to a file.
pub(crate) struct AddedLines {
    /// Its size before, where it was there.
    pub(crate) before: Option<u64>,
    /// Where the lines begin.
    pub(crate) start: u64,
    /// Its size now.
    pub(crate) end: u64,
}

/// What is known about a file before it is appended to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing.
    Unknown,
    /// It is not there.
    Absent,
    /// It has so many bytes, and its last line an end.
    Whole(u64),
}

/// Returns the paths of the days, oldest first.
pub(crate) fn days(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let entries = match workspace.fs().list(&workspace.root().join("memory")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(crate::workspace::reading("memory", source)),
    };
    let names = entries.into_iter().map(|(name, _)| name);
    let mut days: Vec<String> =
        names.filter(|name| journal::is_daily(name)).map(|name| format!("memory/{name}")).collect();
    days.sort_unstable();
    Ok(days)
}

/// Returns the archives of the window.
pub(crate) fn archives(workspace: &Workspace) -> Vec<String> {
    let mut paths = vec![ARCHIVE.to_owned()];
    paths.extend(workspace.config().continuity.memory_archive_path.clone());
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the files of the journal: days, archives, and the window last.
pub(crate) fn journal_paths(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let mut paths = days(workspace)?;
    paths.extend(archives(workspace));
    paths.push(PRIMARY.to_owned());
    Ok(paths)
}

/// Adds lines to a file; on failure it is as it was.
pub(crate) fn add_to(
    workspace: &Workspace,
    path: &str,
    lines: &str,
    header: &str,
    durable: bool,
) -> Result<AddedLines, Error> {
    add_known(workspace, path, lines, (header, durable), Before::Unknown)
}

/// Adds lines to a file of which something is known already.
pub(crate) fn add_known(
    workspace: &Workspace,
    path: &str,
    lines: &str,
    (header, durable): (&str, bool),
    known: Before,
) -> Result<AddedLines, Error> {
    let full = workspace.root().join(path);
    let before = match known {
        Before::Absent => None,
        Before::Whole(size) => Some(size),
        Before::Unknown => size_of(workspace, path)?,
    };
    let mut bytes = String::with_capacity(lines.len() + header.len() + 1);
    match before {
        None | Some(0) => bytes.push_str(header),
        // A line that was cut off by a crash stays as it is, on a line of its own.
        Some(size) if known == Before::Unknown && !ends_line(workspace, path, size)? => {
            bytes.push('\n');
        }
        Some(_) => {}
    }
    let start = before.unwrap_or(0) + bytes.len() as u64;
    bytes.push_str(lines);
    let folder = full.parent().unwrap_or(workspace.root()).to_owned();
    let write = || {
        if before.is_none() {
            workspace.fs().create_folders(&folder)?;
            // Private before the words are in it, not after.
            workspace.fs().append(&full, b"")?;
            workspace.fs().make_private(&full)?;
        }
        if !durable {
            return workspace.fs().append(&full, bytes.as_bytes());
        }
        workspace.fs().append_durably(&full, bytes.as_bytes())?;
        if before.is_none() { workspace.fs().sync_folder(&folder) } else { Ok(()) }
    };
    if let Err(source) = write() {
        let _ = cut_back(workspace, path, before);
        return Err(Refusal::NotWritten { path: path.to_owned(), source }.into());
    }
    Ok(AddedLines { before, start, end: before.unwrap_or(0) + bytes.len() as u64 })
}

fn size_of(workspace: &Workspace, path: &str) -> Result<Option<u64>, Error> {
    let full = workspace.root().join(path);
    match workspace.fs().stat(&full) {
        Ok((Kind::File, size)) => Ok(Some(size)),
        Ok((Kind::Link, _)) => Err(ReadError::Linked { path: path.to_owned() }.into()),
        Ok(_) => Err(ReadError::NotAFile { path: path.to_owned() }.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(crate::workspace::reading(path, source)),
    }
}

fn ends_line(workspace: &Workspace, path: &str, size: u64) -> Result<bool, Error> {
    let last = workspace
        .fs()
        .read_last_byte(&workspace.root().join(path), size)
        .map_err(|source| crate::workspace::reading(path, source))?;
    Ok(last == b'\n')
}

pub(crate) fn cut_back(workspace: &Workspace, path: &str, size: Option<u64>) -> io::Result<()> {
    let full = workspace.root().join(path);
    match size {
        Some(size) => workspace.fs().truncate(&full, size),
        None => workspace.fs().remove_file(&full),
    }
}
