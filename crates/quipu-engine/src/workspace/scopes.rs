//! Other memories that belong to a project: that of the main checkout, which all worktrees of a repository share, and
//! the user's own, which is there in every project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Workspace;
use crate::error::Error;
use crate::fs::real_path;
use crate::git;
use crate::refusal::Refusal;

/// The environment variable that names the folder.
const VARIABLE: &str = "QUIPU_USER_DIR";

/// Returns the folder of the user's own memory: `$QUIPU_USER_DIR`, or `quipu` in the user's data folder
/// (`$XDG_DATA_HOME`, usually `~/.local/share`). Nothing where no variable says where that is.
pub fn user_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder(VARIABLE).or_else(|| folder("XDG_DATA_HOME").map(|data| data.join("quipu"))).or_else(
        || {
            let usual = if cfg!(windows) { "AppData/Roaming/quipu" } else { ".local/share/quipu" };
            Some(folder("HOME").or_else(|| folder("USERPROFILE"))?.join(usual))
        },
    )
}

impl Workspace {
    /// Lets this workspace answer from the user's own memory too, which is in `folder`.
    #[must_use]
    pub fn with_user_scope(mut self, folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| real_path(&folder));
        self.is_user_scope = folder.as_deref() == Some(self.root());
        self.user_folder = folder.filter(|_| !self.is_user_scope);
        self
    }

    /// Tells whether this is the user's own memory, and no project's.
    pub fn is_user_scope(&self) -> bool {
        self.is_user_scope
    }

    /// Returns the user's own memory beside the one of this project. Before anything was written to it there
    /// is none.
    ///
    /// # Errors
    /// When its settings cannot be read.
    pub fn user_scope(&self) -> Result<Option<&Self>, Error> {
        let Some(folder) = &self.user_folder else { return Ok(None) };
        if self.user.get().is_none() {
            if self.fs.list(&folder.join("memory")).is_err() {
                return Ok(None);
            }
            self.open_user_scope(folder)?;
        }
        let user = self.user.get().map(|user| &**user);
        if let (Some(user), Some(patience)) = (user, self.hurry.get()) {
            user.hurry(patience);
        }
        Ok(user)
    }

    /// Returns the user's own memory, and makes its folder where there is none yet.
    ///
    /// # Errors
    /// When nothing says where it is, or the folder cannot be made.
    pub fn user_scope_to_write(&self) -> Result<&Self, Error> {
        let own = self.is_user_scope.then_some(&self.root);
        let Some(folder) = self.user_folder.as_ref().or(own) else {
            return Err(Refusal::NoUserScope.into());
        };
        let memory = folder.join("memory");
        if self.fs.list(&memory).is_err() {
            let make = || {
                self.fs.create_folders(&memory)?;
                self.fs.make_private(folder)
            };
            make().map_err(|source| Refusal::NotWritten { path: shown(folder), source })?;
        }
        Ok(self.user_scope()?.unwrap_or(self))
    }

    /// Returns the memories that belong to a project: its own, that of the main checkout, and the user's.
    pub fn all_scopes(&self) -> impl Iterator<Item = &Self> {
        let user = self.user_scope().ok().flatten();
        std::iter::once(self).chain(self.main_checkout()).chain(user)
    }

    fn open_user_scope(&self, folder: &Path) -> Result<(), Error> {
        let mut user = Self::open(Arc::clone(&self.fs), folder, &[], self.duties)?;
        user.state_home.clone_from(&self.state_home);
        user.is_user_scope = true;
        // Nobody else can have opened it: a workspace is used by one thread at a time.
        let _ = self.user.set(Box::new(user));
        Ok(())
    }

    /// Returns the memory of the repository's main checkout, where this folder is another worktree of it.
    /// Nothing where that checkout has no memory.
    pub fn main_checkout(&self) -> Option<&Self> {
        if self.is_user_scope {
            return None;
        }
        let main = self.main.get_or_init(|| self.open_main_checkout()).as_deref()?;
        if let Some(patience) = self.hurry.get() {
            main.hurry(patience);
        }
        Some(main)
    }

    /// Returns the memory that holds the journal of this project: all worktrees share one.
    pub fn project_scope(&self) -> &Self {
        self.main_checkout().unwrap_or(self)
    }

    fn open_main_checkout(&self) -> Option<Box<Self>> {
        let root = git::main_checkout(&self.root)?;
        // Where nobody keeps a memory there, this worktree keeps its own.
        self.fs.list(&root.join("memory")).ok()?;
        let mut main = Self::open(Arc::clone(&self.fs), &root, &[], self.duties).ok()?;
        main.state_home.clone_from(&self.state_home);
        main.user_folder.clone_from(&self.user_folder);
        main.is_main_of_worktree = true;
        Some(Box::new(main))
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
