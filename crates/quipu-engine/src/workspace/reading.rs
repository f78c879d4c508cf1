//! Reading the files of a memory.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use quipu_core::indexing::FileKind;
use quipu_core::journal;
use quipu_core::memory::{MANIFEST, Snapshot};

use super::{LARGEST_CONFIG, Workspace};
use crate::error::{Error, Failure};
use crate::fs::{self, FileSystem, Kind};
use crate::parallel;

/// A memory file larger than this is a mistake, and is not read.
const LARGEST_FILE: u64 = 32 * 1024 * 1024;

/// A journal grows for years.
const LARGEST_JOURNAL: u64 = 2 * 1024 * 1024 * 1024;

/// Why a file of the workspace cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file is not text.
    #[error("`{path}` line {line}: byte {offset} is not UTF-8")]
    NotUtf8 {
        /// The file.
        path: String,
        /// 1-based line.
        line: usize,
        /// Offset of the first bad byte.
        offset: usize,
    },
    /// A folder stands where a file should be.
    #[error("`{path}` is a folder where a file is expected")]
    NotAFile {
        /// The path.
        path: String,
    },
    /// The file is too large to be a memory file.
    #[error("`{path}` has {size} bytes, which is too large for a memory file")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size.
        size: u64,
    },
    /// A part of the path is a link.
    #[error("`{path}` is a link, or is behind one; Quipu follows no links in a workspace")]
    Linked {
        /// The path.
        path: String,
    },
    /// The folder for the lock cannot be made.
    #[error("cannot create `.quipu`")]
    State {
        /// What went wrong.
        source: io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read `{path}`")]
    Io {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
}

impl Failure for ReadError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 { .. } => "not-utf8",
            Self::NotAFile { .. } => "not-a-file",
            Self::TooLarge { .. } => "too-large",
            Self::Linked { .. } => "outside-workspace",
            Self::State { .. } | Self::Io { .. } => "io",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotUtf8 { .. } => "save the file as UTF-8; nothing was changed",
            Self::NotAFile { .. } => "move the folder away; nothing was changed",
            Self::TooLarge { .. } => "move it out of memory/, or split it; nothing was changed",
            Self::Linked { .. } => {
                "replace the link with the file or folder itself; a link could lead to any file of yours"
            }
            Self::State { .. } => {
                "check who may write in the workspace's root; nothing was changed"
            }
            Self::Io { .. } => "nothing was changed; try again when the cause is gone",
        };
        Some(hint.to_owned())
    }
}

/// Returns the error for a file of the workspace that could not be read.
pub fn reading(path: &str, source: io::Error) -> Error {
    let path = path.to_owned();
    if fs::is_linked(&source) {
        return ReadError::Linked { path }.into();
    }
    ReadError::Io { path, source }.into()
}

impl Workspace {
    /// Returns the text of a small file of the workspace; nothing where it cannot be read.
    pub fn small_file(&self, path: &str) -> Option<String> {
        let bytes = self.fs.read_up_to(&self.root.join(path), LARGEST_CONFIG).ok()?.ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Reads the memory folder as it stands between two operations.
    ///
    /// # Errors
    /// When a file cannot be read, or another process keeps the lock.
    pub fn read(&self) -> Result<Snapshot, Error> {
        let _lock = self.lock_for_reading()?;
        self.snapshot()
    }

    /// Reads every file that belongs to the memory. The caller holds the lock.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        let mut files = BTreeMap::new();
        for folder in ["memory", "memory/sessions", "memory/archive"] {
            self.read_folder(folder, &mut files)?;
        }
        if let Some(text) = self.read_optional(MANIFEST)? {
            files.insert(MANIFEST.to_owned(), text.into());
        }
        Ok(Snapshot { files })
    }

    fn read_folder(
        &self,
        folder: &str,
        files: &mut BTreeMap<String, Arc<str>>,
    ) -> Result<(), ReadError> {
        let path = self.root.join(folder);
        let entries = match self.fs.list(&path) {
            Ok(entries) => entries,
            Err(error) if fs::is_linked(&error) => {
                return Err(ReadError::Linked { path: folder.to_owned() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => {
                return Err(ReadError::Io { path: folder.to_owned(), source });
            }
        };
        let mut names: Vec<(String, Kind)> =
            entries.into_iter().filter(|(name, _)| self.is_memory_file(folder, name)).collect();
        // In order, so that of two unreadable files the same one is named each time.
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let (fs, root) = (&*self.fs, self.root.as_path());
        let read = |(name, kind): &(String, Kind)| {
            let path = format!("{folder}/{name}");
            read_text(fs, &root.join(&path), &path, (*kind, LARGEST_FILE))
                .map(|text| (path, Arc::<str>::from(text)))
        };
        for file in parallel::map(&names, read) {
            let (path, text) = file?;
            files.insert(path, text);
        }
        Ok(())
    }

    /// The original reads files that end in `.md`, in small letters, and no hidden ones. Files of the
    /// journal hold records, not facts.
    #[expect(clippy::case_sensitive_file_extension_comparisons, reason = "see above")]
    fn is_memory_file(&self, folder: &str, name: &str) -> bool {
        let path = format!("{folder}/{name}");
        let is_journal = self.file_kind(&path) == Some(FileKind::Journal)
            || path == journal::long::ARCHIVE
            || path == self.config.continuity.long_memory_path;
        name.ends_with(".md") && !name.starts_with('.') && !is_journal
    }

    /// Returns a file's text, where there is such a file.
    ///
    /// # Errors
    /// When it is a link, is not text, is too large or cannot be read.
    pub fn read_optional(&self, path: &str) -> Result<Option<String>, Error> {
        match self.fs.stat(&self.locate(path)) {
            Ok((kind, _)) => {
                let is_journal = self.file_kind(path) == Some(FileKind::Journal);
                let limit = if is_journal { LARGEST_JOURNAL } else { LARGEST_FILE };
                Ok(Some(read_text(&*self.fs, &self.locate(path), path, (kind, limit))?))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if fs::is_linked(&error) => {
                Err(ReadError::Linked { path: path.to_owned() }.into())
            }
            Err(source) => Err(ReadError::Io { path: path.to_owned(), source }.into()),
        }
    }

    /// Returns what a path of this workspace holds.
    pub(crate) fn file_kind(&self, path: &str) -> Option<FileKind> {
        self.config.file_kind(path)
    }
}

fn read_text(
    fs: &dyn FileSystem,
    full: &Path,
    path: &str,
    (kind, limit): (Kind, u64),
) -> Result<String, ReadError> {
    match kind {
        Kind::Folder | Kind::Other => return Err(ReadError::NotAFile { path: path.to_owned() }),
        Kind::Link => return Err(ReadError::Linked { path: path.to_owned() }),
        Kind::File => {}
    }
    let bytes = fs
        .read_up_to(full, limit)
        .map_err(|source| ReadError::Io { path: path.to_owned(), source })?
        .map_err(|size| ReadError::TooLarge { path: path.to_owned(), size })?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..offset].split(|b| *b == b'\n').count();
        ReadError::NotUtf8 { path: path.to_owned(), line, offset }
    })
}
