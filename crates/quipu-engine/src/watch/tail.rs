//! How far files that are only added to were read.

use std::fmt;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::civil::Date;
use quipu_core::journal::{Record, entry};

use crate::workspace::Workspace;

/// How far the files of one kind were read, which are named after days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// The newest file.
    path: Option<String>,
    /// How much of it was read.
    size: u64,
    /// How large all files before it are together.
    older: u64,
}

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.path.as_deref().and_then(|path| path.rsplit('/').next());
        let day = name.and_then(|name| name.split('.').next()).unwrap_or("-");
        write!(f, "{day}.{}.{}", self.size, self.older)
    }
}

impl Tail {
    /// Returns the end of all files.
    pub(super) fn end(workspace: &Workspace, paths: &[String]) -> Self {
        let Some((last, before)) = paths.split_last() else { return Self::default() };
        let older = before.iter().map(|path| size_of(workspace, path)).sum();
        Self { path: Some(last.clone()), size: size_of(workspace, last), older }
    }

    /// Reads what [`fmt::Display`] wrote.
    pub(super) fn parse(parts: [&str; 3], path: fn(Date) -> String) -> Option<Self> {
        let [day, size, older] = parts;
        let path = if day == "-" { None } else { Some(path(day.parse().ok()?)) };
        Some(Self { path, size: size.parse().ok()?, older: older.parse().ok()? })
    }

    /// Returns the records that were added, each with the place behind it, and the place behind all that was read;
    /// nothing where a file did something else than grow.
    pub(super) fn added(
        &self,
        workspace: &Workspace,
        paths: &[String],
    ) -> Option<(Vec<(Self, Record)>, Self)> {
        let begin = match &self.path {
            Some(path) => paths.iter().position(|one| one == path)?,
            None => 0,
        };
        let mut older: u64 = paths[..begin].iter().map(|path| size_of(workspace, path)).sum();
        if older != self.older {
            return None;
        }
        let (mut found, mut end) = (Vec::new(), self.clone());
        for (at, path) in paths[begin..].iter().enumerate() {
            let from = if at == 0 { self.size } else { 0 };
            let full = workspace.root().join(path);
            let stamp = workspace.fs().stamp(&full).ok()?;
            if stamp.size < from {
                return None;
            }
            let at = |size: u64| Self { path: Some(path.clone()), size, older };
            end = at(from);
            if stamp.size > from {
                let (text, read) = read_from(workspace, &full, from)?;
                for entry in entry::entries(&text) {
                    end = at(from + entry.span.end as u64);
                    found.push((end.clone(), entry.record));
                }
                // A file that somebody is writing right now may lack the end of its last record.
                if !stamp.is_fresh {
                    end = at(read);
                }
            }
            older += stamp.size;
        }
        Some((found, end))
    }
}

fn size_of(workspace: &Workspace, path: &str) -> u64 {
    workspace.fs().stat(&workspace.root().join(path)).map_or(0, |(_, size)| size)
}

/// Returns the whole lines of a file from a place on, and where they end.
pub(super) fn read_from(workspace: &Workspace, path: &Path, from: u64) -> Option<(String, u64)> {
    let mut file = workspace.fs().open(path).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    bytes.truncate(end);
    Some((String::from_utf8_lossy(&bytes).into_owned(), from + end as u64))
}
