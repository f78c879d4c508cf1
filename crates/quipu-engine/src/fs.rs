//! Every effect on files goes through [`FileSystem`], so that tests can make each one fail.

use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
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
    /// Returns who may do what with a file, as Unix has it; none elsewhere.
    fn mode(&self, path: &Path) -> Option<u32> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::metadata(path).ok().map(|found| found.permissions().mode() & 0o777)
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None
        }
    }
    /// Sets what [`FileSystem::mode`] returns; its owner may read and write it in any case.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o600))
        }
        #[cfg(not(unix))]
        {
            let _ = mode;
            fs::metadata(path).map(|_| ())
        }
    }
    /// Lets nobody but its owner read a file, or look into a folder.
    fn make_private(&self, path: &Path) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = if fs::metadata(path)?.is_dir() { 0o700 } else { 0o600 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
        }
        // Elsewhere a file has the rights of the folder that it stands in.
        #[cfg(not(unix))]
        {
            fs::metadata(path).map(|_| ())
        }
    }
}

/// The machine's file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFs;

impl FileSystem for RealFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Result<Vec<u8>, u64>> {
        let mut file = fs::File::open(path)?;
        let size = file.metadata()?.len();
        if size > limit {
            return Ok(Err(size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok(Ok(bytes))
    }

    fn read_last_byte(&self, path: &Path, size: u64) -> io::Result<u8> {
        let mut file = fs::File::open(path)?;
        file.seek(io::SeekFrom::Start(size.saturating_sub(1)))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, Kind)>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            // A name that is not Unicode cannot be one of ours.
            if let Ok(name) = entry.file_name().into_string() {
                entries.push((name, kind_of(entry.file_type()?)));
            }
        }
        Ok(entries)
    }

    fn stat(&self, path: &Path) -> io::Result<(Kind, u64)> {
        let metadata = fs::symlink_metadata(path)?;
        Ok((kind_of(metadata.file_type()), metadata.len()))
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let metadata = fs::metadata(path)?;
        let written = metadata.modified()?;
        let since_epoch = written.duration_since(SystemTime::UNIX_EPOCH);
        let nanoseconds =
            since_epoch.map_or(-1, |time| i128::try_from(time.as_nanos()).unwrap_or(-1));
        let is_fresh = written.elapsed().is_ok_and(|age| age < TICK);
        Ok(Stamp { size: metadata.len(), written: nanoseconds, is_fresh })
    }

    /// Asked from inside the folder, so that its path is walked once and not for every file.
    #[cfg(target_os = "linux")]
    fn stamps(&self, folder: &Path, names: &[String]) -> Vec<Option<Stamp>> {
        use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};

        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(inside) = openat(CWD, folder, flags, Mode::empty()) else {
            return vec![None; names.len()];
        };
        let now = SystemTime::now();
        let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i128::try_from(since_epoch.as_nanos()).unwrap_or(0);
        let stamp = |name: &String| {
            let found = statat(&inside, name.as_str(), AtFlags::empty()).ok()?;
            let written =
                i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec);
            let age = now - written;
            let is_fresh = (0..i128::try_from(TICK.as_nanos()).unwrap_or(0)).contains(&age);
            Some(Stamp { size: u64::try_from(found.st_size).unwrap_or(0), written, is_fresh })
        };
        names.iter().map(stamp).collect()
    }

    fn create_folders(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::File::create(path)?.write_all(bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes)
    }

    fn append_durably(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        fs::OpenOptions::new().write(true).open(path)?.set_len(size)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        fs::File::open(path)?.sync_all()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Windows has no handle to a folder's names; its renames are durable by themselves.
        if cfg!(windows) { Ok(()) } else { fs::File::open(path)?.sync_all() }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn copy_permissions(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::set_permissions(to, fs::metadata(from)?.permissions())
    }
}

fn kind_of(file_type: fs::FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}
