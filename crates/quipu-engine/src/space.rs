//! Workspaces in a `PostgreSQL` database.

use std::io::{self, Seek as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::civil::Date;
use quipu_core::manifest::NEWEST_LAYOUT;
use quipu_core::memory::MANIFEST;
use quipu_core::template::{Filling, SKELETON};
use quipu_core::upgrade;
pub use quipu_store::postgres::{AuditLine, Database, Examined, SpaceInfo, SpaceToken};
use quipu_store::postgres::{AuditRecord, Link, PageInfo, PgStore, SpaceFiles};
use quipu_store::{Store, StoreError};

use crate::caller::OPERATOR;
use crate::error::Error;
use crate::fs::{File, FileSystem, Kind, Stamp, outside};
use crate::home::Home;
use crate::index;
use crate::ledger;
use crate::open;
use crate::refusal::Refusal;
use crate::state;
use crate::workspace::Workspace;

/// Where the paths of all spaces begin. Nothing of the machine is there.
const ROOT: &str = "/quipu-space";

/// Opens a space as a workspace.
///
/// # Errors
/// When there is no such space, or its settings cannot be read.
pub fn open_space(
    database: &Database,
    name: &str,
    settings: &[(String, String)],
) -> Result<Workspace, Error> {
    let link = database.link(name)?;
    let root = Path::new(ROOT).join(name);
    let fs = SpaceFs { root: root.clone(), files: SpaceFiles::of(Arc::clone(&link)) };
    open::in_home(Arc::new(fs), &root, settings, Arc::new(Space { link }))
}

/// A space, as the home of a workspace.
#[derive(Debug)]
struct Space {
    link: Arc<Link>,
}

impl Space {
    fn record(who: &str, operation: &str) -> AuditRecord {
        AuditRecord { who: who.to_owned(), operation: operation.to_owned() }
    }
}

impl Home for Space {
    fn name(&self) -> &str {
        self.link.name()
    }

    fn store(&self) -> Box<dyn Store> {
        Box::new(PgStore::of(Arc::clone(&self.link)))
    }

    fn is_entered(&self) -> bool {
        self.link.is_entered()
    }

    fn enter(&self) {
        self.link.enter();
    }

    fn lock(&self, patience: Duration) -> Result<(), StoreError> {
        self.link.lock(patience)
    }

    fn commit(&self, who: &str, operation: &str) -> Result<(), StoreError> {
        self.link.commit(Some(&Self::record(who, operation))).map(drop)
    }

    fn roll_back(&self) {
        self.link.roll_back();
    }

    fn clear_index(&self) -> Result<(), StoreError> {
        PgStore::of(Arc::clone(&self.link)).clear()
    }

    fn note_refusal(&self, who: &str, operation: &str, code: &str) {
        // The caller hears of the refusal in any case.
        let _ = self.link.note_refusal(&Self::record(who, operation), code);
    }
}

/// The files of a space, as a file system.
struct SpaceFs {
    root: PathBuf,
    files: SpaceFiles,
}

impl SpaceFs {
    /// Returns the path below the root.
    fn inside(&self, path: &Path) -> io::Result<String> {
        let inside = path.strip_prefix(&self.root).map_err(|_| not_found())?;
        let mut names = Vec::new();
        for part in inside.components() {
            match part {
                Component::Normal(name) => names.push(name.to_str().ok_or_else(not_found)?),
                Component::CurDir => {}
                _ => return Err(not_found()),
            }
        }
        Ok(names.join("/"))
    }

    fn info(&self, path: &Path) -> io::Result<PageInfo> {
        self.files.info(&self.inside(path)?).map_err(failed)?.ok_or_else(not_found)
    }

    fn bytes(&self, path: &Path) -> io::Result<Arc<Vec<u8>>> {
        let inside = self.inside(path)?;
        match self.files.read(&inside).map_err(failed)? {
            Some(bytes) => Ok(bytes),
            None if self.files.info(&inside).map_err(failed)?.is_some() => {
                Err(io::ErrorKind::IsADirectory.into())
            }
            None => Err(not_found()),
        }
    }
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}

fn failed(error: StoreError) -> io::Error {
    io::Error::other(error)
}

fn kind(is_folder: bool) -> Kind {
    if is_folder { Kind::Folder } else { Kind::File }
}

impl FileSystem for SpaceFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.bytes(path)?.to_vec())
    }

    fn read_up_to(&self, path: &Path, limit: u64) -> io::Result<Result<Vec<u8>, u64>> {
        let info = self.info(path)?;
        if info.size > limit {
            return Ok(Err(info.size));
        }
        Ok(Ok(self.read(path)?))
    }

    fn read_last_byte(&self, path: &Path, size: u64) -> io::Result<u8> {
        let bytes = self.bytes(path)?;
        let at = usize::try_from(size.saturating_sub(1)).unwrap_or(usize::MAX);
        bytes.get(at).copied().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        // A copy without a name: who reads from it needs a real file, and nobody else can see it.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let bytes = self.bytes(path)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quipu-{}-{number}.read", std::process::id());
        outside::unnamed_file(&std::env::temp_dir().join(name)).and_then(|mut file| {
            file.write_all(&bytes)?;
            file.rewind()?;
            Ok(file)
        })
    }

    fn list(&self, path: &Path) -> io::Result<Vec<(String, Kind)>> {
        let inside = self.inside(path)?;
        let Some(names) = self.files.list(&inside).map_err(failed)? else {
            let is_file = self.files.info(&inside).map_err(failed)?.is_some();
            return Err(if is_file { io::ErrorKind::NotADirectory.into() } else { not_found() });
        };
        Ok(names.into_iter().map(|(name, is_folder)| (name, kind(is_folder))).collect())
    }

    fn stat(&self, path: &Path) -> io::Result<(Kind, u64)> {
        let info = self.info(path)?;
        Ok((kind(info.is_folder), info.size))
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let info = self.info(path)?;
        // Versions differ by themselves, so no clock has to tick in between.
        Ok(Stamp { size: info.size, written: i128::from(info.version), is_fresh: false })
    }

    fn create_folders(&self, path: &Path) -> io::Result<()> {
        self.files.create_folder(&self.inside(path)?).map_err(failed)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.files.write(&self.inside(path)?, bytes).map_err(failed)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.files.append(&self.inside(path)?, bytes).map_err(failed)
    }

    fn truncate(&self, path: &Path, size: u64) -> io::Result<()> {
        let bytes = self.bytes(path)?;
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(bytes.len());
        self.write(path, &bytes[..size])
    }

    fn sync_file(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.inside(from)?, self.inside(to)?);
        if self.files.info(&from).map_err(failed)?.is_none() {
            return Err(not_found());
        }
        self.files.rename(&from, &to).map_err(failed)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.remove_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let is_gone = self.files.remove(&self.inside(path)?).map_err(failed)?;
        if is_gone { Ok(()) } else { Err(not_found()) }
    }

    fn copy_permissions(&self, _from: &Path, _to: &Path) -> io::Result<()> {
        Ok(())
    }

    fn mode(&self, _path: &Path) -> Option<u32> {
        None
    }

    fn set_mode(&self, _path: &Path, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    fn make_private(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

/// What a copy between a folder and a space moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Copied {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Fills an empty space with the files that a new memory has.
///
/// # Errors
/// When something is in it already, or it cannot be written.
pub fn begin(space: &Workspace, name: &str, today: Date) -> Result<(), Error> {
    let filling = Filling { project: name, today, version: env!("CARGO_PKG_VERSION") };
    let mut files: Vec<(String, Vec<u8>)> = SKELETON
        .iter()
        .map(|(path, template)| ((*path).to_owned(), filling.fill(template).into_bytes()))
        .collect();
    let stamp = upgrade::manifest(filling, NEWEST_LAYOUT, 'A');
    files.push((MANIFEST.to_owned(), stamp.into_bytes()));
    fill(space, "space add", &files).map(drop)
}

/// Copies the memory of a folder into an empty space, byte for byte.
///
/// # Errors
/// When something is in the space already, or one of the two cannot be used.
pub fn import(folder: &Workspace, space: &Workspace) -> Result<Copied, Error> {
    let mut files = Vec::new();
    {
        let _lock = folder.lock_for_writing()?;
        let mut paths = ledger::memory_files(folder)?;
        // Git wants some files that are no memory: a copy without them would differ.
        let hidden = files_below(folder, "memory")?;
        paths.extend(hidden.into_iter().filter(|path| path.contains("/.")));
        if folder.fs().stat(&folder.root().join(SETTINGS)).is_ok() {
            paths.push(SETTINGS.to_owned());
        }
        for path in paths {
            let bytes = folder.fs().read(&folder.root().join(&path));
            let bytes = bytes.map_err(|source| crate::workspace::reading(&path, source))?;
            files.push((path, bytes));
        }
    }
    fill(space, "space import", &files)
}

/// Settings that belong to a memory.
const SETTINGS: &str = "quipu.toml";

fn fill(space: &Workspace, operation: &str, files: &[(String, Vec<u8>)]) -> Result<Copied, Error> {
    space.as_one(operation, OPERATOR, || {
        let lock = space.lock_for_writing()?;
        if !files_below(space, "")?.is_empty() {
            let why = "the space holds a memory already";
            return Err(Error::input("not-empty", why)
                .hint("make another with `quipu space add NAME --empty`, and import into that"));
        }
        let mut copied = Copied { files: files.len(), bytes: 0 };
        for (path, bytes) in files {
            copied.bytes += bytes.len() as u64;
            let written = space.fs().write(&space.root().join(path), bytes);
            written.map_err(|source| Refusal::NotWritten { path: path.clone(), source })?;
        }
        index::index_locked(space, &lock, &mut |_, _| {})?;
        Ok(copied)
    })
}

/// Writes the memory of a space into an empty folder, byte for byte.
///
/// # Errors
/// When the folder is not empty, or something cannot be read or written.
pub fn export(space: &Workspace, folder: &Path) -> Result<Copied, Error> {
    let unwritten =
        |source| Error::from(Refusal::NotWritten { path: folder.display().to_string(), source });
    outside::make_empty_folder(folder).map_err(unwritten)?;
    space.as_one("space export", OPERATOR, || {
        let mut copied = Copied { files: 0, bytes: 0 };
        for path in files_below(space, "")? {
            let bytes = space.fs().read(&space.root().join(&path));
            let bytes = bytes.map_err(|source| crate::workspace::reading(&path, source))?;
            copied.files += 1;
            copied.bytes += bytes.len() as u64;
            outside::write_below(folder, &path, &bytes, Some(0o600)).map_err(unwritten)?;
        }
        Ok(copied)
    })
}

/// Returns the paths of all files below a folder of a workspace, but Quipu's own state.
fn files_below(space: &Workspace, folder: &str) -> Result<Vec<String>, Error> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let names = space.fs().list(&space.root().join(&folder));
        for (name, kind) in names.map_err(|source| crate::workspace::reading(&folder, source))? {
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            match kind {
                Kind::Folder if path != state::FOLDER => folders.push(path),
                Kind::File => files.push(path),
                _ => {}
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}
