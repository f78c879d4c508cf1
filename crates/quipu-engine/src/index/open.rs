//! The one place that knows in which kind of store the index rests: a `SQLite` file.

use std::io;
use std::path::{Path, PathBuf};

use quipu_store::{SqliteStore, Store, StoreError};

use crate::error::Error;
use crate::fs::FileSystem;

/// Opens the database at a path, and makes it where there is none.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(SqliteStore::open(path)?))
}

/// Makes a store that is gone with this process.
pub(crate) fn in_memory() -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(SqliteStore::in_memory()?))
}

/// Returns the files that a database consists of, itself first.
pub(crate) fn database_files(path: &Path) -> [PathBuf; 3] {
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    [path.to_owned(), with("-wal"), with("-shm")]
}

/// Removes a database, where there is one.
pub(crate) fn remove_database(fs: &dyn FileSystem, path: &Path) -> Result<(), Error> {
    for file in database_files(path) {
        match fs.remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(crate::workspace::reading(&file.display().to_string(), error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns a number that another file at the same path would not have.
pub(super) fn file_number(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        path.metadata().ok().map(|metadata| metadata.ino())
    }
    #[cfg(not(unix))]
    {
        path.metadata().ok().map(|_| 0)
    }
}
