//! Files that the caller names, outside of any workspace: what an export or a backup writes, and what it reads back.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Something to write into, anywhere in it.
pub trait Sink: Write + Seek {}

impl<T: Write + Seek> Sink for T {}

/// Refuses a path that the caller names where a link in the workspace is a part of it: a stranger may have put that
/// there, and it may lead anywhere.
///
/// # Errors
/// When there is such a link.
pub fn refuse_links(root: &Path, path: &Path) -> Result<(), Error> {
    let root = super::real_path(root);
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let is_planted = |place: &&Path| {
        place.is_symlink()
            && place.parent().is_some_and(|above| super::real_path(above).starts_with(&root))
    };
    match full.ancestors().find(is_planted) {
        None => Ok(()),
        Some(link) => {
            let why =
                format!("`{}` is a link in the workspace, which is not followed", link.display());
            Err(Error::input("linked", why)
                .hint("name the place that it leads to, if you trust it"))
        }
    }
}

/// Writes a file, whole or not at all, for its owner alone. What stood there is replaced.
///
/// # Errors
/// When a step fails; then the old file stays.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Sink) -> io::Result<()>,
) -> io::Result<()> {
    let mut beside = path.file_name().unwrap_or_default().to_owned();
    beside.push(".quipu-tmp");
    let beside = path.with_file_name(beside);
    let done = (|| {
        // Whatever is there already, a link too, is none of ours.
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = BufWriter::new(options.open(&beside)?);
        write(&mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        fs::rename(&beside, path)
    })();
    if done.is_err() {
        // The half-written copy is of no use.
        let _ = fs::remove_file(&beside);
    }
    done
}

/// Makes a folder for an export: a new one, or one with nothing in it.
///
/// # Errors
/// When something is in it already, or it cannot be made.
pub fn make_empty_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    match fs::read_dir(path)?.next() {
        None => Ok(()),
        Some(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "something is in it already")),
    }
}

/// Writes the files of an export into a folder.
///
/// # Errors
/// When one of them cannot be written.
pub fn write_files(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// Opens a file that the caller names.
///
/// # Errors
/// When it cannot be read.
pub fn open_named(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Moves a folder away, so that another can stand there; returns where it is now.
///
/// # Errors
/// When it cannot be moved.
pub fn set_aside(path: &Path, mark: &str) -> io::Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{mark}"));
    let aside = path.with_file_name(name);
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// Writes one file below a folder, for its owner alone where `mode` says so. The owner can always read and write it,
/// nobody else can write it, and nobody can run it.
///
/// # Errors
/// When it cannot be written.
pub fn write_below(folder: &Path, name: &str, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    let path = folder.join(name);
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    fs::write(&path, bytes)?;
    #[cfg(unix)]
    if let Some(mode) = mode {
        let mode = mode & 0o644 | 0o600;
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = mode;
    Ok(())
}

/// Moves a folder that was filled to its place, in one step.
///
/// # Errors
/// When it cannot be moved.
pub fn put_folder(from: &Path, to: &Path) -> io::Result<()> {
    if to.is_dir() {
        fs::remove_dir(to)?;
    }
    fs::rename(from, to)
}

/// Makes a file to write and read that nobody else can open: its name is gone when this returns.
///
/// # Errors
/// When it cannot be made.
pub fn unnamed_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    fs::remove_file(path)?;
    Ok(file)
}

/// Removes a folder that was only filled for a while.
pub fn drop_folder(path: &Path) {
    // What is left costs room and nothing else.
    let _ = fs::remove_dir_all(path);
}
