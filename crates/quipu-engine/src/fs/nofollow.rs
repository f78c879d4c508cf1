//! File operations that follow no symbolic link.
//!
//! A repository may contain links, and a link may lead anywhere: to `~/.ssh`, to `.git`, to a device.
//! Every function here refuses a path when any part of it is a link, and opens plain files only. The
//! kernel does the check while it opens the file, so nothing can be swapped in between.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::Errno;

use super::{Access, Found, Kind, linked, not_a_file};

/// Opens a plain file. A pipe is not waited for, and a device is refused.
pub(super) fn file(path: &Path, access: Access) -> io::Result<File> {
    let flags = match access {
        Access::Read => OFlags::RDONLY,
        Access::Write => OFlags::WRONLY,
        Access::Create => OFlags::WRONLY | OFlags::CREATE,
        Access::Append => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
    };
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = open(path, flags, Mode::from_raw_mode(0o666))?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode);
    if kind == FileType::RegularFile { Ok(File::from(opened)) } else { Err(not_a_file(path)) }
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    folder(path)?.sync_all()
}

fn folder(path: &Path) -> io::Result<File> {
    open(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).map(File::from)
}

/// Describes what is at `path` itself, which may be a link.
pub(super) fn stat(path: &Path) -> io::Result<Found> {
    at(path, |folder, name| statat(folder, name, AtFlags::SYMLINK_NOFOLLOW))
        .map(|stat| found(&stat))
}

/// Describes many files of one folder, whose path is walked once.
pub(super) fn stat_all(path: &Path, names: &[String]) -> io::Result<Vec<Option<Found>>> {
    let folder = folder(path)?;
    let one = |name: &String| {
        statat(&folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| found(&stat))
    };
    Ok(names.iter().map(one).collect())
}

/// Sets who may use a file or folder.
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    File::from(open(path, flags, Mode::empty())?).set_permissions(Permissions::from_mode(mode))
}

fn found(stat: &Stat) -> Found {
    Found {
        kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        written: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
        mode: Some(stat.st_mode & 0o777),
    }
}

fn kind_of(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

/// Returns the names and kinds in a folder.
pub(super) fn list(path: &Path) -> io::Result<Vec<(String, Kind)>> {
    let folder = folder(path)?;
    let mut entries = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        // A name that is not Unicode cannot be one of ours.
        let Ok(name) = entry.file_name().to_str() else { continue };
        if name == "." || name == ".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => found(&statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?).kind,
            known => kind_of(known),
        };
        entries.push((name.to_owned(), kind));
    }
    Ok(entries)
}

/// Makes a folder and those above it.
pub(super) fn create_folders(path: &Path) -> io::Result<()> {
    match stat(path) {
        Ok(found) if found.kind == Kind::Folder => return Ok(()),
        Ok(found) if found.kind == Kind::Link => return Err(linked(path)),
        Ok(_) => return Err(io::Error::from(io::ErrorKind::NotADirectory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_folders(above)?;
    }
    let mode = Mode::from_raw_mode(0o777);
    match at(path, |folder, name| rustix::fs::mkdirat(folder, name, mode)) {
        // Another process may have made it just now.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => folder(path).map(|_| ()),
        result => result,
    }
}

/// Moves a file or folder over what is at `to`.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    at(from, |old, old_name| {
        Ok(at(to, |new, new_name| rustix::fs::renameat(old, old_name, new, new_name)))
    })?
}

/// Removes a file, or a link itself.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    at(path, |folder, name| rustix::fs::unlinkat(folder, name, AtFlags::empty()))
}

/// Removes a folder and everything in it; a link inside is removed, never followed.
pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    if stat(path)?.kind == Kind::Link {
        return Err(linked(path));
    }
    std::fs::remove_dir_all(path)
}

/// Calls `act` with the opened folder that `path` is in, and the last part of `path`.
fn at<T>(
    path: &Path,
    act: impl FnOnce(std::os::fd::BorrowedFd<'_>, &Path) -> rustix::io::Result<T>,
) -> io::Result<T> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        // The root of the file system, or a path that ends in `..`.
        return Ok(act(CWD, path)?);
    };
    let name = Path::new(name);
    if above.as_os_str().is_empty() {
        return Ok(act(CWD, name)?);
    }
    let above = open(above, LOOK | OFlags::DIRECTORY, Mode::empty())?;
    Ok(act(above.as_fd(), name)?)
}

/// Opens a folder only to go on from it, which needs no permission to list it.
#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::RDONLY;

#[cfg(target_os = "linux")]
fn open(path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};

    // `openat2` accepts a mode only together with a flag that can create a file.
    let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
    match openat2(CWD, path, flags | OFlags::CLOEXEC, mode, ResolveFlags::NO_SYMLINKS) {
        Ok(opened) => Ok(opened),
        Err(Errno::LOOP) => Err(linked(path)),
        // Kernels before 5.6 and some sandboxes do not have it.
        Err(Errno::NOSYS | Errno::PERM) => walk(path, flags, mode),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open(path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    walk(path, flags, mode)
}

/// Opens a path one part at a time, so that each part can be checked.
fn walk(path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let parts: Vec<Component<'_>> = path.components().collect();
    let mut here: Option<OwnedFd> = None;
    for (index, part) in parts.iter().enumerate() {
        let (flags, mode) = if index + 1 == parts.len() {
            (flags, mode)
        } else {
            (LOOK | OFlags::DIRECTORY, Mode::empty())
        };
        let from = here.as_ref().map_or(CWD, |folder| folder.as_fd());
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let next = match openat(from, part.as_os_str(), flags, mode) {
            Ok(next) => next,
            Err(Errno::LOOP | Errno::MLINK) => return Err(linked(path)),
            // With `O_DIRECTORY` a link is only "not a directory".
            Err(Errno::NOTDIR) if is_link(from, part.as_os_str()) => return Err(linked(path)),
            Err(error) => return Err(error.into()),
        };
        // With `O_PATH` a link is opened instead of refused.
        if FileType::from_raw_mode(rustix::fs::fstat(&next)?.st_mode) == FileType::Symlink {
            return Err(linked(path));
        }
        here = Some(next);
    }
    here.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}

fn is_link(folder: std::os::fd::BorrowedFd<'_>, name: &std::ffi::OsStr) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::fs::is_linked;

    /// Opens a file by both ways.
    fn both(path: &Path) -> [io::Result<File>; 2] {
        let walked = walk(path, OFlags::RDONLY, Mode::empty()).map(File::from);
        [file(path, Access::Read), walked]
    }

    #[test]
    fn a_link_anywhere_on_the_way_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/deep")).unwrap();
        std::fs::write(root.join("real/deep/file"), "words").unwrap();
        symlink("real", root.join("linked")).unwrap();
        symlink("file", root.join("real/deep/alias")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        for opened in both(&root.join("real/deep/file")) {
            let mut text = String::new();
            opened.unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "words");
        }
        for path in ["linked/deep/file", "real/deep/alias", "dangling", "linked"] {
            for opened in both(&root.join(path)) {
                assert!(is_linked(&opened.unwrap_err()), "{path}");
            }
        }
        for path in ["linked/deep", "linked/new"] {
            assert!(is_linked(&create_folders(&root.join(path)).unwrap_err()), "{path}");
        }
        assert!(is_linked(&stat(&root.join("linked/deep")).unwrap_err()));
        assert!(is_linked(&list(&root.join("linked")).unwrap_err()));
        assert!(is_linked(&remove_folder(&root.join("linked")).unwrap_err()));
        assert!(is_linked(&remove_file(&root.join("linked/deep/file")).unwrap_err()));
        let moved = rename(&root.join("real/deep/file"), &root.join("linked/file"));
        assert!(is_linked(&moved.unwrap_err()));
        assert!(root.join("real/deep/file").exists());
    }

    #[test]
    fn only_plain_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let fifo = root.join("fifo");
        rustix::fs::mkfifoat(CWD, &fifo, Mode::from_raw_mode(0o600)).unwrap();
        assert!(file(&fifo, Access::Read).is_err());
        assert!(file(&fifo, Access::Create).is_err());
        assert!(file(&root, Access::Read).is_err());
        assert!(file(Path::new("/dev/zero"), Access::Read).is_err());
    }
}
