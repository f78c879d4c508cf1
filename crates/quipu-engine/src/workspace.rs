//! A workspace on disk: finding it, reading it, and changing it under its lock.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_core::indexing::FileKind;
use quipu_core::journal;
use quipu_core::manifest::{Manifest, NEWEST_LAYOUT};
use quipu_core::memory::{Changes, MANIFEST, Memory, Snapshot};
use quipu_core::review;
use quipu_store::Store;

use crate::config::Config;
use crate::error::{Error, Failure, NewerLayout};
use crate::fs::{self, FileSystem, Kind};
use crate::lock::{Lock, LockError, Mode};
use crate::parallel;
use crate::state::{self, States};
use crate::transaction::{CommitOptions, FileChanges, Recovered, Transactions};

/// A memory file larger than this is a mistake, and is not read.
const LARGEST_FILE: u64 = 32 * 1024 * 1024;

/// Nobody writes so many settings.
const LARGEST_CONFIG: u64 = 1024 * 1024;

/// A journal grows for years.
const LARGEST_JOURNAL: u64 = 2 * 1024 * 1024 * 1024;

/// How long a command waits for another to finish.
const PATIENCE: Duration = Duration::from_secs(30);

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
    #[error("`{path}` is a folder, and a file should stand there")]
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

/// What the modules above a workspace do for it.
#[derive(Clone, Copy)]
pub(crate) struct Duties {
    /// Takes over what version 0.1 left in `.quipu` of a root, into a new state folder. Returns what
    /// to tell.
    pub(crate) adopt: fn(&dyn FileSystem, &Path, &Path) -> Option<String>,
    /// Finishes a purge that an earlier process did not.
    pub(crate) finish_purge: fn(&Workspace, &Lock) -> Result<(), Error>,
}

/// An index that is open, and which file it is.
pub(crate) struct Opened {
    pub(crate) store: Box<dyn Store>,
    pub(crate) file: Option<u64>,
    /// Whether it is gone with this process, because nothing can be written.
    pub(crate) in_memory: bool,
    /// What to tell about the one that stood there before.
    pub(crate) notice: Option<String>,
}

/// A folder with memory in it.
pub struct Workspace {
    root: PathBuf,
    fs: Arc<dyn FileSystem>,
    config: Config,
    zone: TimeZone,
    recovered: RefCell<Vec<Recovered>>,
    is_prepared: Cell<bool>,
    /// The user's state folder.
    state_home: PathBuf,
    /// The workspace's part of it, once it is known.
    state_folder: RefCell<Option<PathBuf>>,
    notices: RefCell<Vec<String>>,
    /// How long to wait for others, where it is not as long as it takes.
    hurry: Cell<Option<Duration>>,
    /// The index, once it is open.
    pub(crate) opened: RefCell<Option<Opened>>,
    kept: RefCell<HashMap<TypeId, Box<dyn Any + Send>>>,
    duties: Duties,
}

impl Workspace {
    /// Opens the folder `root` with settings of the caller's own.
    ///
    /// # Errors
    /// When its configuration cannot be read, or a setting makes no sense.
    pub(crate) fn open(
        fs: Arc<dyn FileSystem>,
        root: &Path,
        settings: &[(String, String)],
        duties: Duties,
    ) -> Result<Self, Error> {
        // Below this path no link is followed, so it must contain none itself.
        let root = &root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let path = root.join("quipu.toml");
        let text = match fs.read_up_to(&path, LARGEST_CONFIG) {
            Ok(Ok(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(Err(size)) => {
                return Err(ReadError::TooLarge { path: "quipu.toml".to_owned(), size }.into());
            }
            Err(error) if fs::is_linked(&error) => {
                return Err(ReadError::Linked { path: "quipu.toml".to_owned() }.into());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => {
                return Err(ReadError::Io { path: "quipu.toml".to_owned(), source }.into());
            }
        };
        let config = Config::of_workspace(root, &text, settings)?;
        // The configuration was read, so the zone is one.
        let zone = TimeZone::get(&config.journal.timezone).unwrap_or(TimeZone::UTC);
        Ok(Self {
            root: root.to_owned(),
            fs,
            config,
            zone,
            recovered: RefCell::default(),
            is_prepared: Cell::default(),
            state_home: state::default_state_home(),
            state_folder: RefCell::default(),
            notices: RefCell::default(),
            hurry: Cell::default(),
            opened: RefCell::default(),
            kept: RefCell::default(),
            duties,
        })
    }

    /// Keeps state in another folder than the user's own, `home`.
    #[must_use]
    pub fn keeping_state_in(mut self, home: &Path) -> Self {
        self.state_home = fs::real_path(home);
        self
    }

    /// Returns the workspace's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Lets a module look at what it keeps about this workspace between two calls, one value a type.
    ///
    /// # Panics
    /// When `look` does the same again.
    pub(crate) fn kept<T: Default + Send + 'static, R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        let mut kept = self.kept.borrow_mut();
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        look(value.downcast_mut().expect("it is kept under its type"))
    }

    /// Forgets what modules keep, for it may hold words that were removed.
    pub(crate) fn forget_kept(&self) {
        self.kept.borrow_mut().clear();
    }

    /// Tells whether a purge was interrupted, and has to be finished before anything is read.
    pub(crate) fn has_unfinished_purge(&self) -> bool {
        self.fs().stat(&self.state(state::PURGE)).is_ok()
    }

    /// Returns the settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the day that a time falls on, in the journal's time zone.
    pub fn day(&self, time: Timestamp) -> Date {
        time.to_zoned(self.zone.clone()).date()
    }

    /// Returns the journal's time zone.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Waits for nobody longer than `patience` from now on: neither for a lock nor for git.
    pub fn hurry(&self, patience: Duration) {
        self.hurry.set(Some(patience));
    }

    fn patience(&self) -> Duration {
        self.hurry.get().unwrap_or(PATIENCE)
    }

    /// Returns how long git may take.
    pub(crate) fn git_limit(&self) -> Option<Duration> {
        self.hurry.get()
    }

    /// Returns the text of a small file of the workspace; nothing where it cannot be read.
    pub fn small_file(&self, path: &str) -> Option<String> {
        let bytes = self.fs.read_up_to(&self.root.join(path), LARGEST_CONFIG).ok()?.ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Returns the file system that the workspace is in.
    pub fn fs(&self) -> &dyn FileSystem {
        &*self.fs
    }

    /// Returns what was found interrupted and brought to an end, once.
    pub fn take_recovered(&self) -> Vec<Recovered> {
        self.recovered.take()
    }

    /// Returns what a person should know about how the workspace was opened, once.
    pub fn take_notices(&self) -> Vec<String> {
        self.notices.take()
    }

    pub(crate) fn states(&self) -> States<'_> {
        States { fs: &*self.fs, home: &self.state_home, root: &self.root }
    }

    /// Returns the folder in which Quipu keeps the state of this workspace. Before anything was
    /// written there is none, and the path leads nowhere.
    pub fn state_folder(&self) -> PathBuf {
        if let Some(folder) = &*self.state_folder.borrow() {
            return folder.clone();
        }
        let Some(folder) = self.states().find() else { return self.states().nowhere() };
        *self.state_folder.borrow_mut() = Some(folder.clone());
        folder
    }

    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.state_folder().join(name)
    }

    /// Returns where a file is that a change names: a state file, or one of the workspace.
    pub(crate) fn locate(&self, path: &str) -> PathBuf {
        match path.strip_prefix(state::PREFIX) {
            Some(name) => self.state(name),
            None => self.root.join(path),
        }
    }

    /// Removes the state of this workspace where nothing in it has another name than those that
    /// `is_known` accepts. Tells whether it is gone.
    pub fn remove_state(&self, is_known: impl Fn(&str) -> bool) -> bool {
        let is_gone = self.states().remove(is_known);
        if is_gone {
            *self.state_folder.borrow_mut() = None;
            self.is_prepared.set(false);
        }
        is_gone
    }

    /// Returns the file that is locked. Version 0.1 locks the same one.
    pub fn lock_path(&self) -> PathBuf {
        self.root.join(state::FOLDER).join("lock")
    }

    /// Writes a state file, whole or not at all, and for good.
    ///
    /// # Errors
    /// When it cannot be written; then the old one stays.
    pub fn write_state(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (new, path) = (self.state(&format!("{name}.new")), self.state(name));
        // Private before the words are in it, not after.
        self.fs.write(&new, b"")?;
        self.fs.make_private(&new)?;
        self.fs.write(&new, bytes)?;
        self.fs.sync_file(&new)?;
        self.fs.rename(&new, &path)?;
        self.fs.sync_folder(&self.state_folder())
    }

    /// Reads the memory folder as it stands between two operations.
    ///
    /// # Errors
    /// When a file cannot be read, or another process keeps the lock.
    pub fn read(&self) -> Result<Snapshot, Error> {
        let _lock = self.lock_for_reading()?;
        self.snapshot()
    }

    /// Takes the lock together with other readers. A reader needs no lock where nobody has ever
    /// written through Quipu, or where the medium lets nobody write.
    ///
    /// # Errors
    /// When another process keeps the lock, or what it left behind cannot be finished.
    pub fn lock_for_reading(&self) -> Result<Option<Lock>, Error> {
        let path = self.lock_path();
        let lock = match Lock::take(&path, Mode::Shared, self.patience()) {
            Ok(lock) => lock,
            Err(LockError::Io { .. }) => return Ok(None),
            Err(busy) => return Err(busy.into()),
        };
        if self.fs.stat(&self.state("tx")).is_err() && !self.has_unfinished_purge() {
            return Ok(Some(lock));
        }
        drop(lock);
        self.lock_for_writing().map(Some)
    }

    /// Takes the lock alone, and finishes what an earlier process left behind.
    ///
    /// # Errors
    /// When another process keeps the lock, or what was left behind cannot be finished.
    pub fn lock_for_writing(&self) -> Result<Lock, Error> {
        // A process that lives on need not look at every write whether the folder is still there.
        let take = || Lock::take(&self.lock_path(), Mode::Exclusive, self.patience());
        let taken = if self.is_prepared.get() { Some(take()) } else { None };
        let lock = match taken {
            Some(Ok(lock)) => lock,
            Some(Err(busy @ LockError::Busy { .. })) => return Err(busy.into()),
            Some(Err(LockError::Io { .. })) | None => {
                self.prepare_state()?;
                take()?
            }
        };
        self.is_prepared.set(true);
        self.recover()?;
        (self.duties.finish_purge)(self, &lock)?;
        Ok(lock)
    }

    /// Takes the lock alone if nobody else holds it for longer than `patience`.
    pub(crate) fn try_lock_for_writing(&self, patience: Duration) -> Result<Option<Lock>, Error> {
        self.prepare_state()?;
        match Lock::take(&self.lock_path(), Mode::Exclusive, patience) {
            Ok(lock) => {
                self.recover()?;
                (self.duties.finish_purge)(self, &lock)?;
                Ok(Some(lock))
            }
            Err(LockError::Busy { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn recover(&self) -> Result<(), Error> {
        if let Some(recovered) = self.transactions().recover()? {
            self.recovered.borrow_mut().push(recovered);
        }
        Ok(())
    }

    /// Makes `.quipu` for the lock, and the state folder for everything else.
    ///
    /// # Errors
    /// When one of them cannot be made.
    pub fn prepare_state(&self) -> Result<(), Error> {
        let folder = self.root.join(state::FOLDER);
        if let Ok((Kind::Link, _)) = self.fs.stat(&folder) {
            return Err(ReadError::Linked { path: state::FOLDER.to_owned() }.into());
        }
        let prepare = || {
            if self.fs.stat(&folder).is_err() {
                self.fs.create_folders(&folder)?;
                self.fs.sync_folder(&self.root)?;
            }
            // Nobody should ever commit this folder, also where `init` never ran.
            let ignore = folder.join(".gitignore");
            let is_there = self.fs.stat(&ignore).is_ok_and(|(_, size)| size > 0);
            if is_there { Ok(()) } else { self.fs.write(&ignore, b"*\n") }
        };
        prepare().map_err(|source| ReadError::State { source })?;
        self.claim_state()
    }

    /// Gives the workspace a state folder, where it has none. A process that lives on looks again, for
    /// somebody may have removed `.quipu` meanwhile.
    fn claim_state(&self) -> Result<(), Error> {
        let known = self.state_folder.borrow().clone();
        let found = self.states().find();
        if found.is_some() && found == known {
            return Ok(());
        }
        let had_files = self.states().has_foreign_files();
        let folder = self.states().claim(known.as_deref(), |folder| {
            if had_files {
                let notice = (self.duties.adopt)(&*self.fs, &self.root, folder);
                self.notices.borrow_mut().extend(notice);
            }
        })?;
        *self.state_folder.borrow_mut() = Some(folder);
        Ok(())
    }

    /// Returns how several files are changed together. The caller holds the lock.
    pub fn transactions(&self) -> Transactions<'_> {
        Transactions::new(&*self.fs, &self.root, self.state_folder())
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

    /// Carries out a plan that `make` computes from the current memory, all or nothing.
    ///
    /// `make` runs under the lock, so the plan is made from what it is applied to. With `dry_run`
    /// nothing is written.
    ///
    /// # Errors
    /// When there is no plan, the plan would do harm, or a step fails; then nothing has changed.
    pub fn change<T>(
        &self,
        operation: &str,
        now: Timestamp,
        dry_run: bool,
        make: impl FnOnce(&Memory<'_>) -> Result<(T, Changes), Error>,
    ) -> Result<(T, Diff), Error> {
        let _lock = if dry_run { self.lock_for_reading()? } else { Some(self.lock_for_writing()?) };
        let snapshot = self.snapshot()?;
        refuse_newer_layout(&snapshot)?;
        let memory = snapshot.parse()?;
        let (result, mut changes) = make(&memory)?;
        changes.retain(|path, text| !snapshot_holds(path) || text.as_deref() != snapshot.get(path));
        let ours = changes.keys().any(|path| snapshot_holds(path));
        if ours {
            review::check(&memory, &snapshot.with(&changes))?;
        }
        let diff = Diff::between(&snapshot, &changes);
        if !dry_run && !changes.is_empty() {
            let expected: FileChanges = changes
                .keys()
                .filter(|path| snapshot_holds(path))
                .map(|path| (path.clone(), snapshot.get(path).map(|text| text.as_bytes().to_vec())))
                .collect();
            let bytes: FileChanges = changes
                .into_iter()
                .map(|(path, text)| (path, text.map(String::into_bytes)))
                .collect();
            let options = CommitOptions::default();
            self.transactions().commit(operation, &stamp(now), &bytes, &expected, options)?;
        }
        Ok((result, diff))
    }

    /// Removes the folders of a file that is gone, where they hold nothing: they are of no use.
    pub fn remove_empty_folders(&self, path: &str) {
        for folder in Path::new(path).ancestors().skip(1).filter(|path| *path != Path::new("")) {
            let folder = self.root.join(folder);
            let is_empty = self.fs.list(&folder).is_ok_and(|names| names.is_empty());
            // An empty folder does no harm.
            if !is_empty || self.fs.remove_folder(&folder).is_err() {
                return;
            }
        }
    }

    /// Returns what a path of this workspace holds.
    pub(crate) fn file_kind(&self, path: &str) -> Option<FileKind> {
        self.config.file_kind(path)
    }
}

/// Returns a time as the undo list shows it.
pub fn stamp(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A layout of a newer major version may mean something else by the same bytes.
fn refuse_newer_layout(snapshot: &Snapshot) -> Result<(), Error> {
    match snapshot.get(MANIFEST).and_then(Manifest::parse) {
        Some(manifest) if manifest.version.major > NEWEST_LAYOUT.major => {
            Err(NewerLayout { found: manifest.version }.into())
        }
        _ => Ok(()),
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

fn snapshot_holds(path: &str) -> bool {
    path.starts_with("memory/") || path == MANIFEST
}

/// What an operation changes, for people to look at: old and new text by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Path, text before, text after.
    pub files: Vec<(String, Option<String>, Option<String>)>,
}

impl Diff {
    fn between(snapshot: &Snapshot, changes: &Changes) -> Self {
        let files = changes
            .iter()
            .filter(|(path, _)| !path.starts_with(".quipu/"))
            .map(|(path, new)| (path.clone(), snapshot.get(path).map(str::to_owned), new.clone()))
            .collect();
        Self { files }
    }

    /// Tells whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the paths that change.
    pub fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|(path, ..)| path.as_str()).collect()
    }
}
