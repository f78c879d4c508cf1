//! A workspace on disk: where it is, reading it, and changing it under its lock.

mod at_home;
mod change;
mod locking;
mod reading;
mod scopes;

use std::any::{Any, TypeId};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_store::Store;

pub(crate) use self::at_home::again;
pub use self::change::{Diff, stamp};
pub use self::reading::{ReadError, reading};
pub use self::scopes::user_folder;
use crate::config::Config;
use crate::error::Error;
use crate::fs::{self, FileSystem};
use crate::home::Home;
use crate::ids;
use crate::lock::Lock;
use crate::state::{self, States};
use crate::transaction::log::OpenChange;
use crate::transaction::{Recovered, Transactions};

/// Nobody writes so many settings.
const LARGEST_CONFIG: u64 = 1024 * 1024;

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
    /// The change that an operation is making.
    change: RefCell<Option<OpenChange>>,
    duties: Duties,
    /// The folder of the user's own memory, where this workspace answers from it too.
    user_folder: Option<PathBuf>,
    user: OnceCell<Box<Workspace>>,
    is_user_scope: bool,
    /// Whether it is the main checkout of a worktree, which shares its journal alone.
    is_main_of_worktree: bool,
    /// The main checkout of the repository, where this is another worktree of it.
    main: OnceCell<Option<Box<Workspace>>>,
    /// Where this workspace lives, if not in a folder.
    home: Option<Arc<dyn Home>>,
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
            change: RefCell::default(),
            duties,
            user_folder: None,
            user: OnceCell::new(),
            is_user_scope: false,
            is_main_of_worktree: false,
            main: OnceCell::new(),
            home: None,
        })
    }

    /// Opens a workspace that lives in a home; its paths begin with `root`, which is no folder here.
    ///
    /// # Errors
    /// When its configuration cannot be read, or a setting makes no sense.
    pub(crate) fn open_in_home(
        fs: Arc<dyn FileSystem>,
        root: &Path,
        settings: &[(String, String)],
        duties: Duties,
        home: Arc<dyn Home>,
    ) -> Result<Self, Error> {
        let mut workspace = Self::open(fs, root, settings, duties)?;
        workspace.state_folder = RefCell::new(Some(root.join(state::FOLDER)));
        workspace.home = Some(home);
        Ok(workspace)
    }

    /// Returns where this workspace lives, if not in a folder.
    pub fn home(&self) -> Option<&dyn Home> {
        self.home.as_deref()
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

    /// Returns how long git may take.
    pub(crate) fn git_limit(&self) -> Option<Duration> {
        self.hurry.get()
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
        let mut notices = self.notices.take();
        let main = self.main.get().and_then(Option::as_deref);
        let others = self.user.get().map(|user| &**user).into_iter().chain(main);
        notices.extend(others.flat_map(|other| other.notices.take()));
        notices
    }

    /// Keeps something that a person should know about this call, once.
    pub(crate) fn notice(&self, words: String) {
        let mut notices = self.notices.borrow_mut();
        if !notices.contains(&words) {
            notices.push(words);
        }
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

    /// Returns how several files are changed together. The caller holds the lock.
    pub fn transactions(&self) -> Transactions<'_> {
        Transactions::new(&*self.fs, &self.root, self.state_folder())
            .within(self.change.borrow().clone())
            .keeping_days(self.config.undo.days)
    }

    /// Begins a change: all that is written until [`Workspace::end_change`] is taken back together.
    /// With a key, the ids of the change and of what it makes are derived from it.
    pub(crate) fn begin_change(
        &self,
        operation: &str,
        by: &str,
        key: Option<&str>,
    ) -> Result<(), Error> {
        let id = match key {
            Some(key) => ids::derived_id("change", key),
            None => ids::new_id()?,
        };
        let (operation, by, key) = (operation.to_owned(), by.to_owned(), key.map(str::to_owned));
        *self.change.borrow_mut() =
            Some(OpenChange { id, operation, by, key, has_written: Arc::default() });
        Ok(())
    }

    /// Makes what is written to another memory a part of the change at hand: it has the same id in both logs.
    pub(crate) fn as_part_of_change<T>(&self, other: &Self, work: impl FnOnce() -> T) -> T {
        if std::ptr::eq(self, other) {
            return work();
        }
        other.change.borrow_mut().clone_from(&self.change.borrow());
        let done = work();
        *other.change.borrow_mut() = None;
        done
    }

    /// Returns the id of what the change at hand makes, where it is derived from a key.
    pub(crate) fn derived_id(&self) -> Option<String> {
        let change = self.change.borrow();
        Some(ids::derived_id("new", change.as_ref()?.key.as_deref()?))
    }

    /// Ends the change that was begun; returns its id where anything was written.
    pub(crate) fn end_change(&self) -> Option<String> {
        let change = self.change.borrow_mut().take()?;
        change.has_written.load(Ordering::Relaxed).then_some(change.id)
    }
}
