//! Every effect on files goes through [`FileSystem`], so that tests can make each one fail.

pub mod outside;

#[cfg(unix)]
mod nofollow;
#[cfg(not(unix))]
#[path = "fs/portable.rs"]
mod nofollow;
// Compiled here too, so that it keeps compiling.
#[cfg(all(unix, test))]
#[expect(dead_code, reason = "only the functions that the tests call are used")]
mod portable;

use std::fs;
pub use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What a directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever it points to.
    Link,
    /// A pipe, a socket, a device: nothing to read.
    Other,
}

/// What a file looks like from outside. A file that was changed has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds.
    pub written: i128,
    /// Whether that is so short ago that the next change could carry the same time.
    pub is_fresh: bool,
}

/// Clocks of file systems tick this coarsely.
const TICK: Duration = Duration::from_millis(20);

/// The operations that Quipu needs of a file system.
///
/// The write operations are small on purpose: each is one step at which a machine can fail.
pub trait FileSystem: Send + Sync {
    /// Returns a file's bytes.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Returns a file's bytes, or its size where that is more than `limit`.
    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Result<Vec<u8>, u64>>;
    /// Returns the last byte of a file of that size.
    fn read_last_byte(&self, path: &Path, size: u64) -> io::Result<u8>;
    /// Opens a plain file for reading.
    fn open(&self, path: &Path) -> io::Result<fs::File> {
        RealFs.open(path)
    }
    /// Returns the names and kinds in a folder, in any order.
    fn list(&self, path: &Path) -> io::Result<Vec<(String, Kind)>>;
    /// Returns what stands at `path` itself, and its size.
    fn stat(&self, path: &Path) -> io::Result<(Kind, u64)>;
    /// Returns what tells that a file has changed since.
    fn stamp(&self, path: &Path) -> io::Result<Stamp>;
    /// Returns the same for many files of one folder.
    fn stamps(&self, folder: &Path, names: &[String]) -> Vec<Option<Stamp>> {
        names.iter().map(|name| self.stamp(&folder.join(name)).ok()).collect()
    }
    /// Makes a folder and those above it.
    fn create_folders(&self, path: &Path) -> io::Result<()>;
    /// Writes a file, replacing what was there; not yet durable.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Adds to the end of a file, and makes it where there is none; not yet durable.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Adds to the end of a file, and makes that durable: two steps, each of which can fail.
    fn append_durably(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.append(path, bytes)?;
        self.sync_file(path)
    }
    /// Cuts a file back to `size` bytes.
    fn truncate(&self, path: &Path, size: u64) -> io::Result<()>;
    /// Makes a file's contents durable.
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Moves a file or folder over what is at `to`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder and all in it.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Gives `to` the permissions of `from`.
    fn copy_permissions(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Returns who may do what with a file, as Unix has it.
    fn mode(&self, path: &Path) -> Option<u32> {
        nofollow::stat(path).ok().and_then(|found| found.mode)
    }
    /// Sets what [`FileSystem::mode`] returns; its owner may read and write it in any case.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        nofollow::set_mode(path, mode | 0o600)
    }
    /// Lets nobody but its owner read a file, or look into a folder.
    fn make_private(&self, path: &Path) -> io::Result<()> {
        let is_folder = nofollow::stat(path)?.kind == Kind::Folder;
        nofollow::set_mode(path, if is_folder { 0o700 } else { 0o600 })
    }
}

/// How a plain file is opened.
#[derive(Clone, Copy, Debug)]
enum Access {
    Read,
    /// Writes into a file that is there.
    Write,
    /// Writes into a file, which is made where there is none.
    Create,
    /// Adds to the end of a file, which is made where there is none.
    Append,
}

/// What is at a path.
#[derive(Clone, Copy, Debug)]
struct Found {
    kind: Kind,
    size: u64,
    /// When it was last written, in nanoseconds.
    written: i128,
    mode: Option<u32>,
}

impl Found {
    fn stamp(self, now: i128) -> Stamp {
        let tick = i128::try_from(TICK.as_nanos()).unwrap_or(0);
        let is_fresh = (0..tick).contains(&(now - self.written));
        Stamp { size: self.size, written: self.written, is_fresh }
    }
}

/// Opens a file to lock it; makes it where there is none and `create` says so.
pub(crate) fn open_lock(path: &Path, create: bool) -> io::Result<fs::File> {
    nofollow::file(path, if create { Access::Create } else { Access::Read })
}

/// Says that a path leads through a symbolic link.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` is a link, or is behind one; Quipu follows no links", path = path.display())]
struct Linked {
    path: PathBuf,
}

/// Says that something else than a plain file is at a path.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` is not a plain file", path = path.display())]
struct NotAFile {
    path: PathBuf,
}

fn linked(path: &Path) -> io::Error {
    io::Error::other(Linked { path: path.to_owned() })
}

fn not_a_file(path: &Path) -> io::Error {
    io::Error::other(NotAFile { path: path.to_owned() })
}

/// Tells whether a file operation was refused because a part of its path is a link.
pub fn is_linked(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Linked>)
}

/// Returns where a path really leads, for paths that belong to the user and may contain links.
///
/// Parts that are not there yet are kept as they are.
pub fn real_path(path: &Path) -> PathBuf {
    for existing in path.ancestors() {
        if let Ok(real) = existing.canonicalize() {
            let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}

/// The machine's file system. It follows no links: see [`is_linked`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFs;

impl FileSystem for RealFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        nofollow::file(path, Access::Read)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Result<Vec<u8>, u64>> {
        let mut file = nofollow::file(path, Access::Read)?;
        let size = file.metadata()?.len();
        if size > limit {
            return Ok(Err(size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok(Ok(bytes))
    }

    fn read_last_byte(&self, path: &Path, size: u64) -> io::Result<u8> {
        let mut file = nofollow::file(path, Access::Read)?;
        file.seek(io::SeekFrom::Start(size.saturating_sub(1)))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn open(&self, path: &Path) -> io::Result<fs::File> {
        nofollow::file(path, Access::Read)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, Kind)>> {
        nofollow::list(path)
    }

    fn stat(&self, path: &Path) -> io::Result<(Kind, u64)> {
        let found = nofollow::stat(path)?;
        Ok((found.kind, found.size))
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let found = nofollow::stat(path)?;
        if found.kind == Kind::Link {
            Err(linked(path))
        } else {
            Ok(found.stamp(nanoseconds_now()))
        }
    }

    fn stamps(&self, folder: &Path, names: &[String]) -> Vec<Option<Stamp>> {
        let now = nanoseconds_now();
        let Ok(found) = nofollow::stat_all(folder, names) else {
            return vec![None; names.len()];
        };
        let stamp = |found: Option<Found>| {
            found.filter(|found| found.kind != Kind::Link).map(|found| found.stamp(now))
        };
        found.into_iter().map(stamp).collect()
    }

    fn create_folders(&self, path: &Path) -> io::Result<()> {
        nofollow::create_folders(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = nofollow::file(path, Access::Create)?;
        file.set_len(0)?;
        file.write_all(bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        nofollow::file(path, Access::Append)?.write_all(bytes)
    }

    fn append_durably(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = nofollow::file(path, Access::Append)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        nofollow::file(path, Access::Write)?.set_len(size)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        nofollow::file(path, Access::Read)?.sync_all()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        nofollow::sync_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        nofollow::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        nofollow::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        nofollow::remove_folder(path)
    }

    fn copy_permissions(&self, from: &Path, to: &Path) -> io::Result<()> {
        match nofollow::stat(from)?.mode {
            Some(mode) => nofollow::set_mode(to, mode),
            None => Ok(()),
        }
    }
}

fn nanoseconds_now() -> i128 {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i128::try_from(since_epoch.as_nanos()).unwrap_or(0)
}

/// Returns the text of a file that the caller names, wherever it is. Links are followed: it is no file of a
/// workspace.
///
/// # Errors
/// When it cannot be read, or is not text.
pub fn read_named(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Returns the last bytes, at most so many, of a plain file that a client names, wherever it is.
pub(crate) fn end_of(path: &Path, most: u64) -> io::Result<(u64, Vec<u8>)> {
    use std::io::{Read as _, Seek as _};
    let mut file = fs::File::open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    let start = about.len().saturating_sub(most);
    file.seek(io::SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok((start, bytes))
}
