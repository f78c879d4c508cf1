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

impl Workspace {
    /// Returns the paths of the days, oldest first.
    pub(crate) fn days(&self) -> Result<Vec<String>, Error> {
        let entries = match self.fs().list(&self.root().join("memory")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(crate::workspace::reading("memory", source)),
        };
        let names = entries.into_iter().map(|(name, _)| name);
        let mut days: Vec<String> = names
            .filter(|name| journal::is_daily(name))
            .map(|name| format!("memory/{name}"))
            .collect();
        days.sort_unstable();
        Ok(days)
    }

    /// Returns the archives of the window.
    pub(crate) fn archives(&self) -> Vec<String> {
        let mut paths = vec![ARCHIVE.to_owned()];
        paths.extend(self.config().continuity.memory_archive_path.clone());
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns the files of the journal: days, archives, and the window last.
    pub(crate) fn journal_paths(&self) -> Result<Vec<String>, Error> {
        let mut paths = self.days()?;
        paths.extend(self.archives());
        paths.push(PRIMARY.to_owned());
        Ok(paths)
    }

    /// Adds lines to a file; on failure it is as it was.
    pub(crate) fn add_to(
        &self,
        path: &str,
        lines: &str,
        header: &str,
        durable: bool,
    ) -> Result<AddedLines, Error> {
        self.add_known(path, lines, (header, durable), Before::Unknown)
    }

    /// Adds lines to a file of which something is known already.
    pub(crate) fn add_known(
        &self,
        path: &str,
        lines: &str,
        (header, durable): (&str, bool),
        known: Before,
    ) -> Result<AddedLines, Error> {
        let full = self.root().join(path);
        let before = match known {
            Before::Absent => None,
            Before::Whole(size) => Some(size),
            Before::Unknown => self.size_of(path)?,
        };
        let mut bytes = String::with_capacity(lines.len() + header.len() + 1);
        match before {
            None | Some(0) => bytes.push_str(header),
            // A line that was cut off by a crash stays as it is, on a line of its own.
            Some(size) if known == Before::Unknown && !self.ends_line(path, size)? => {
                bytes.push('\n');
            }
            Some(_) => {}
        }
        let start = before.unwrap_or(0) + bytes.len() as u64;
        bytes.push_str(lines);
        let folder = full.parent().unwrap_or(self.root()).to_owned();
        let write = || {
            if before.is_none() {
                self.fs().create_folders(&folder)?;
                // Private before the words are in it, not after.
                self.fs().append(&full, b"")?;
                self.fs().make_private(&full)?;
            }
            if !durable {
                return self.fs().append(&full, bytes.as_bytes());
            }
            self.fs().append_durably(&full, bytes.as_bytes())?;
            if before.is_none() { self.fs().sync_folder(&folder) } else { Ok(()) }
        };
        if let Err(source) = write() {
            let _ = self.cut_back(path, before);
            return Err(Refusal::NotWritten { path: path.to_owned(), source }.into());
        }
        Ok(AddedLines { before, start, end: before.unwrap_or(0) + bytes.len() as u64 })
    }

    fn size_of(&self, path: &str) -> Result<Option<u64>, Error> {
        let full = self.root().join(path);
        match self.fs().stat(&full) {
            Ok((Kind::File, size)) => Ok(Some(size)),
            Ok((Kind::Link, _)) => Err(ReadError::Linked { path: path.to_owned() }.into()),
            Ok(_) => Err(ReadError::NotAFile { path: path.to_owned() }.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(crate::workspace::reading(path, source)),
        }
    }

    fn ends_line(&self, path: &str, size: u64) -> Result<bool, Error> {
        let last = self
            .fs()
            .read_last_byte(&self.root().join(path), size)
            .map_err(|source| crate::workspace::reading(path, source))?;
        Ok(last == b'\n')
    }

    pub(crate) fn cut_back(&self, path: &str, size: Option<u64>) -> io::Result<()> {
        let full = self.root().join(path);
        match size {
            Some(size) => self.fs().truncate(&full, size),
            None => self.fs().remove_file(&full),
        }
    }
}
