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
    #[error("the format of `{path}` is unknown{seen}")]
    Unknown {
        /// The file or folder.
        path: String,
        /// What was seen there.
        seen: String,
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
            Self::Unknown { .. } => {
                "docs/import.md says what each source looks like; `--as FORMAT` decides, and `--map text=COLUMN` names columns".to_owned()
            }
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
