//! Why a source cannot be read.

use std::io;

/// Why a source cannot be read at all. What is broken in a part of it is counted instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: String,
        /// What went wrong.
        source: io::Error,
    },
    /// No reader knows it.
    #[error("{}", .what.said(path, seen))]
    Unknown {
        /// The file or folder.
        path: String,
        /// What was seen there.
        seen: String,
        /// What it is, as far as that is known.
        what: Unknown,
    },
    /// More than one reader claims it.
    #[error("`{path}` could be {}", formats.join(" or "))]
    Several {
        /// The file or folder.
        path: String,
        /// The formats.
        formats: Vec<String>,
    },
    /// It is in another format than the caller said.
    #[error("`{path}` is not {format}: {why}")]
    NotThat {
        /// The file or folder.
        path: String,
        /// The format.
        format: String,
        /// Why not.
        why: String,
    },
    /// It is larger than anything that was meant.
    #[error("`{path}`: {what}")]
    TooLarge {
        /// The file.
        path: String,
        /// What is too large.
        what: String,
    },
    /// Its database cannot be read.
    #[error("`{path}` cannot be read as a database: {why}")]
    Database {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// Whoever takes what is found cannot.
    #[error("{0}")]
    Sink(String),
}

/// What something is that no reader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// There is nothing in it.
    Empty,
    /// A document: PDF, or one of an office program.
    Document,
    /// A text in which nothing is marked as a memory.
    Text,
    /// Values in which nothing has words.
    Data,
    /// No text at all.
    Binary,
    /// A database of a program that is not known.
    Database,
    /// Files of several kinds.
    Folder,
}

impl Unknown {
    fn said(self, path: &str, seen: &str) -> String {
        match self {
            Self::Empty => format!("there is nothing in `{path}`"),
            Self::Document => format!("`{path}` is a document, not a list of memories"),
            Self::Text => format!("`{path}` is a text, and nothing in it is marked as a memory"),
            Self::Data => {
                format!("`{path}` is of no known program, and its objects have no column of words")
            }
            Self::Binary => format!("`{path}` is no text, and of no known program"),
            Self::Database => format!("`{path}` is a database of no known program"),
            Self::Folder => format!("nothing in `{path}` is of a known program{seen}"),
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Empty => "`quipu import --find` looks for what else there is",
            Self::Document => {
                "`quipu ingest` reads documents, so that they are found by what they say"
            }
            Self::Text => {
                "`--as list` takes every line as a memory; `quipu ingest` reads it as a document"
            }
            Self::Data => "`--as json --map text=COLUMN` says which one holds the words",
            Self::Binary | Self::Database | Self::Folder => {
                "docs/import.md lists what is read; where the program has an export, take that; `quipu ingest` reads documents"
            }
        }
    }
}

impl ImportError {
    /// Returns a stable name for it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::Unknown { .. } => "unknown-format",
            Self::Several { .. } => "several-formats",
            Self::NotThat { .. } => "other-format",
            Self::TooLarge { .. } => "too-large",
            Self::Database { .. } => "bad-database",
            Self::Sink(_) => "import",
        }
    }

    /// Returns what to do next.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { what, .. } => what.hint().to_owned(),
            Self::Several { formats, .. } => {
                format!("say which: --as {}", formats.first().map_or("FORMAT", |one| one))
            }
            Self::TooLarge { .. } => "nothing was imported".to_owned(),
            _ => return None,
        })
    }

    /// Makes one of a failed file operation.
    pub fn io(path: &str) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
