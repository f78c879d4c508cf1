//! Worktrees of one repository, which share the private memory of its main checkout.

use std::sync::Arc;

use super::Workspace;
use crate::git;

impl Workspace {
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
