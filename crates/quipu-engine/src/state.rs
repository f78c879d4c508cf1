//! Where Quipu keeps its own state: open sessions, the index, undo, tokens, what set-up wrote.
//!
//! State lives outside the workspace, in the user's state folder, because a repository may bring any
//! file along and none of them may pass for state of ours: an interrupted operation would be finished,
//! a token would be let in, a command would be run. In the workspace there is only `.quipu/` with
//! the lock, where version 0.1 looks for it, and the id of the state folder.
//!
//! The id is random, so a repository cannot name a state folder that it does not know; and a state
//! folder notes the path that it belongs to, so a copied workspace gets one of its own.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Failure;
use crate::fs::{FileSystem, RealFs, real_path};
use crate::lock::{Lock, LockError, Mode};

/// The folder in a workspace that holds the lock and the id.
pub(crate) const FOLDER: &str = ".quipu";

/// How paths of state files begin in changes and undo entries. They are kept in the state folder.
pub(crate) const PREFIX: &str = ".quipu/";

/// The variable that moves the user's state folder.
pub const VARIABLE: &str = "QUIPU_STATE_DIR";

/// The file in [`FOLDER`] that names the state folder.
const ID: &str = "state";

/// The file in a state folder that names the workspace.
pub(crate) const OWNER: &str = "workspace";

/// The state file that says what a purge is about to do.
pub(crate) const PURGE: &str = "purge.json";

/// The state file that says where a memory is synced.
pub(crate) const SYNC: &str = "sync.json";

/// The folder of all state folders.
const ALL: &str = "workspaces";

/// What Quipu itself puts into [`FOLDER`].
const OWN_FILES: [&str; 4] = [".gitignore", "lock", ID, "state.new"];

const ID_LENGTH: usize = 26;

const LONGEST_PATH: u64 = 16 * 1024;

/// Claiming a state folder writes a few small files.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no state folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Nothing says where the user's files are.
    #[error(
        "there is no place for Quipu's state: neither `QUIPU_STATE_DIR` nor `HOME` is an absolute path"
    )]
    NoHome,
    /// A file operation failed.
    #[error("cannot write `{path}`", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another process is setting up a state folder.
    #[error(transparent)]
    Lock(#[from] LockError),
}

impl Failure for StateError {
    fn code(&self) -> &'static str {
        "state"
    }

    fn hint(&self) -> Option<String> {
        let hint = "set `QUIPU_STATE_DIR` to a folder that you can write to; nothing was changed";
        Some(hint.to_owned())
    }
}

/// Returns the user's state folder; an empty path where nothing says where that is.
pub(crate) fn default_state_home() -> PathBuf {
    let chosen = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = || {
        let home = folder("HOME").or_else(|| folder("USERPROFILE"))?;
        Some(usual_home(&home, folder("XDG_STATE_HOME").as_deref()))
    };
    let home = chosen.or_else(usual).filter(|path| path.is_absolute());
    home.map(|home| real_path(&home)).unwrap_or_default()
}

/// Returns where the user's state folder usually is: in the user's folder for the state of all
/// programs (`XDG_STATE_HOME`), or in the system's usual one below the home folder.
pub fn usual_home(home: &Path, all_state: Option<&Path>) -> PathBuf {
    let usual = if cfg!(windows) { "AppData/Local" } else { ".local/state" };
    all_state.map_or_else(|| home.join(usual), Path::to_owned).join("quipu")
}

/// Returns the state folder of the workspace at `root`, where it has one in `home`.
pub fn folder_of(home: &Path, root: &Path) -> Option<PathBuf> {
    let (home, root) = (real_path(home), real_path(root));
    States { fs: &RealFs, home: &home, root: &root }.find()
}

/// The user's state folder, as one workspace sees it.
pub(crate) struct States<'a> {
    pub(crate) fs: &'a dyn FileSystem,
    /// The user's state folder.
    pub(crate) home: &'a Path,
    /// The workspace.
    pub(crate) root: &'a Path,
}

impl States<'_> {
    /// Returns a path at which nothing is ever written, for a workspace that has no state.
    pub(crate) fn nowhere(&self) -> PathBuf {
        self.home.join(ALL).join("none")
    }

    /// Returns the workspace's state folder, where it has one.
    pub(crate) fn find(&self) -> Option<PathBuf> {
        let id = self.id_in(self.root)?;
        let folder = self.home.join(ALL).join(&id);
        let owner = self.fs.read_up_to(&folder.join(OWNER), LONGEST_PATH).ok()?.ok()?;
        let owner = String::from_utf8(owner).ok()?;
        // Whoever moves a workspace takes its id along; whoever copies it leaves the id there too.
        let is_moved = || self.id_in(Path::new(&owner)).is_none_or(|other| other != id);
        (owner == shown(self.root) || is_moved()).then_some(folder)
    }

    /// Returns the id that a workspace names.
    fn id_in(&self, root: &Path) -> Option<String> {
        let path = root.join(FOLDER).join(ID);
        let bytes = self.fs.read_up_to(&path, ID_LENGTH as u64 + 2).ok()?.ok()?;
        let id = String::from_utf8(bytes).ok()?;
        let id = id.trim_end();
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        (id.len() == ID_LENGTH && id.bytes().all(is_plain)).then(|| id.to_owned())
    }

    /// Gives the workspace a state folder: the one it has, the one that `known` names, or a new one.
    ///
    /// `fill` puts into a new folder what it starts with, before the workspace names it.
    pub(crate) fn claim(
        &self,
        known: Option<&Path>,
        fill: impl FnOnce(&Path),
    ) -> Result<PathBuf, StateError> {
        if self.home.as_os_str().is_empty() {
            return Err(StateError::NoHome);
        }
        let all = self.home.join(ALL);
        self.create_private(&all)?;
        let _lock = Lock::take(&self.home.join("workspaces.lock"), Mode::Exclusive, PATIENCE)?;
        let known = || known.filter(|folder| self.fs.stat(folder).is_ok()).map(Path::to_owned);
        let folder = if let Some(folder) = self.find().or_else(known) {
            folder
        } else {
            let folder = all.join(random_id());
            self.create_private(&folder)?;
            fill(&folder);
            folder
        };
        let owner = folder.join(OWNER);
        if self.fs.read(&owner).ok().as_deref() != Some(shown(self.root).as_bytes()) {
            self.write(&owner, shown(self.root).as_bytes())?;
        }
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if self.id_in(self.root).as_deref() != Some(&id) {
            self.write(&self.root.join(FOLDER).join(ID), format!("{id}\n").as_bytes())?;
        }
        Ok(folder)
    }

    fn create_private(&self, path: &Path) -> Result<(), StateError> {
        let fail = |source| StateError::Io { path: path.to_owned(), source };
        if self.fs.stat(path).is_ok() {
            return Ok(());
        }
        self.fs.create_folders(path).map_err(fail)?;
        self.fs.make_private(path).map_err(fail)?;
        self.fs.sync_folder(path.parent().unwrap_or(path)).map_err(fail)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StateError> {
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let write = || {
            self.fs.write(&new, bytes)?;
            self.fs.sync_file(&new)?;
            self.fs.rename(&new, path)?;
            self.fs.sync_folder(path.parent().unwrap_or(path))
        };
        write().map_err(|source| StateError::Io { path: path.to_owned(), source })
    }

    /// Tells whether `.quipu` holds files that this version does not write there.
    pub(crate) fn has_foreign_files(&self) -> bool {
        let entries = self.fs.list(&self.root.join(FOLDER)).unwrap_or_default();
        entries.iter().any(|(name, _)| !OWN_FILES.contains(&name.as_str()))
    }

    /// Removes the workspace's state folder and its `.quipu`, where both hold nothing but known names.
    pub(crate) fn remove(&self, is_known: impl Fn(&str) -> bool) -> bool {
        let Some(folder) = self.find() else { return false };
        let names = self.fs.list(&folder).unwrap_or_default();
        let may_go = names.iter().all(|(name, _)| name == OWNER || is_known(name));
        // A state folder that cannot be removed does no harm: nothing names it any more.
        may_go
            && !self.has_foreign_files()
            && self.fs.remove_folder(&self.root.join(FOLDER)).is_ok()
            && self.fs.remove_folder(&folder).is_ok()
    }
}

/// Returns a path as the state folder notes it.
fn shown(root: &Path) -> String {
    root.display().to_string()
}

/// Returns a name that nobody can guess: 128 random bits in letters and digits.
fn random_id() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    let number = u128::from_be_bytes(bytes);
    let letter = |at: usize| {
        let five_bits = (number >> (5 * at)) & 31;
        char::from(LETTERS[usize::try_from(five_bits).unwrap_or(0)])
    };
    (0..ID_LENGTH).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        _folder: tempfile::TempDir,
        home: PathBuf,
        root: PathBuf,
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = folder.path().canonicalize().unwrap();
            let place = Self { _folder: folder, home: base.join("home"), root: base.join("work") };
            std::fs::create_dir_all(place.root.join(FOLDER)).unwrap();
            std::fs::create_dir_all(&place.home).unwrap();
            place
        }

        fn states(&self) -> States<'_> {
            States { fs: &RealFs, home: &self.home, root: &self.root }
        }
    }

    #[test]
    fn a_claimed_folder_is_found_again() {
        let place = Place::new();
        assert_eq!(place.states().find(), None);
        let folder = place.states().claim(None, |_| {}).unwrap();
        assert_eq!(place.states().find(), Some(folder.clone()));
        assert_eq!(place.states().claim(None, |_| panic!("not new")).unwrap(), folder);
    }

    #[test]
    fn a_moved_workspace_keeps_its_state_and_a_copy_gets_its_own() {
        let mut place = Place::new();
        let folder = place.states().claim(None, |_| {}).unwrap();
        let moved = place.root.with_file_name("moved");
        std::fs::rename(&place.root, &moved).unwrap();
        place.root = moved;
        assert_eq!(place.states().find(), Some(folder.clone()));
        assert_eq!(place.states().claim(None, |_| {}).unwrap(), folder);
        let copy = place.root.with_file_name("copy");
        std::fs::create_dir_all(copy.join(FOLDER)).unwrap();
        std::fs::copy(place.root.join(".quipu/state"), copy.join(".quipu/state")).unwrap();
        let states = States { root: &copy, ..place.states() };
        assert_eq!(states.find(), None);
        assert_ne!(states.claim(None, |_| {}).unwrap(), folder);
        assert_eq!(place.states().find(), Some(folder));
    }

    #[test]
    fn an_id_that_a_repository_brings_along_names_nothing() {
        let place = Place::new();
        for id in ["../../../etc", "none", "", &"a".repeat(ID_LENGTH), &"a".repeat(1000)] {
            std::fs::write(place.root.join(".quipu/state"), id).unwrap();
            assert_eq!(place.states().find(), None, "{id}");
        }
        let folder = place.states().claim(None, |_| {}).unwrap();
        assert_eq!(place.states().find(), Some(folder));
    }

    #[test]
    fn a_process_that_lives_on_puts_its_id_back() {
        let place = Place::new();
        let folder = place.states().claim(None, |_| {}).unwrap();
        std::fs::remove_file(place.root.join(".quipu/state")).unwrap();
        assert_eq!(place.states().find(), None);
        assert_eq!(place.states().claim(Some(&folder), |_| {}).unwrap(), folder);
        assert_eq!(place.states().find(), Some(folder));
    }
}
