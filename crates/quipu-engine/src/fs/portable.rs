//! What `nofollow` does, for systems without file descriptors of folders.
//!
//! Each part of a path is checked before the file is opened. Another program could put a link there in
//! between; a repository that lies still cannot.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::{Access, Found, Kind, linked, not_a_file};

/// Refuses a path that leads through a link.
fn check(path: &Path) -> io::Result<()> {
    match path.ancestors().find(|part| part.is_symlink()) {
        Some(_) => Err(linked(path)),
        None => Ok(()),
    }
}

/// Checks the folder that something is in, and not the thing itself.
fn check_above(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), check)
}

pub(super) fn file(path: &Path, access: Access) -> io::Result<File> {
    check(path)?;
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(not_a_file(path));
    }
    let mut options = OpenOptions::new();
    match access {
        Access::Read => options.read(true),
        Access::Write => options.write(true),
        Access::Create => options.write(true).create(true).truncate(false),
        Access::Append => options.append(true).create(true),
    };
    options.open(path)
}

pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    // Windows has no handle to a folder's names; its renames are durable by themselves.
    check(path)
}

pub(super) fn stat(path: &Path) -> io::Result<Found> {
    check_above(path)?;
    let metadata = fs::symlink_metadata(path)?;
    let written = metadata.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    Ok(Found {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        written: written.map_or(-1, |time| i128::try_from(time.as_nanos()).unwrap_or(-1)),
        mode: None,
    })
}

pub(super) fn stat_all(path: &Path, names: &[String]) -> io::Result<Vec<Option<Found>>> {
    check(path)?;
    Ok(names.iter().map(|name| stat(&path.join(name)).ok()).collect())
}

/// Elsewhere a file has the rights of the folder that it is in.
pub(super) fn set_mode(path: &Path, _mode: u32) -> io::Result<()> {
    check(path)
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

pub(super) fn list(path: &Path) -> io::Result<Vec<(String, Kind)>> {
    check(path)?;
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

pub(super) fn create_folders(path: &Path) -> io::Result<()> {
    check(path)?;
    fs::create_dir_all(path)
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    check_above(from)?;
    check_above(to)?;
    fs::rename(from, to)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    check_above(path)?;
    fs::remove_file(path)
}

pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    check(path)?;
    fs::remove_dir_all(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::fs::is_linked;

    #[test]
    fn a_link_anywhere_on_the_way_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("real")).unwrap();
        fs::write(root.join("real/file"), "words").unwrap();
        std::os::unix::fs::symlink("real", root.join("linked")).unwrap();
        assert!(file(&root.join("real/file"), Access::Read).is_ok());
        assert!(is_linked(&file(&root.join("linked/file"), Access::Read).unwrap_err()));
        assert!(is_linked(&list(&root.join("linked")).unwrap_err()));
        assert_eq!(stat(&root.join("linked")).unwrap().kind, Kind::Link);
    }
}
