//! Hooks of a repository: putting Quipu in front of those that are there, and taking it out.

use std::path::{Path, PathBuf};

use quipu_engine::git::git;

use super::{Change, Step, Steps};
use crate::vcs::VcsError;
use crate::vcs::hook::{self, Hook};

/// Who may run a hook: everybody who may read it.
const PROGRAM: u32 = 0o755;

impl Steps<'_> {
    pub(super) fn hook_in(&mut self, name: &'static str, binary: &Path) -> Result<(), VcsError> {
        let path = self.repository.hooks.join(name);
        let kept = self.repository.hooks.join(hook::kept_name(name));
        let current = self.read(&path)?;
        if current.as_ref().is_some_and(|script| hook::was_ours(script, name)) {
            self.skip(&path, "it calls Quipu, but is not as Quipu writes it: somebody changed it, or an older Quipu wrote it; move your lines elsewhere, remove it, and run this again");
            return Ok(());
        }
        let before = self.read(&kept)?;
        let ours = current.as_deref().and_then(Hook::parse);
        let foreign = current.clone().filter(|_| ours.is_none());
        let called = foreign.as_ref().or(before.as_ref());
        let mut hook = ours.unwrap_or(Hook { workspaces: Vec::new(), binary: PathBuf::new() });
        binary.clone_into(&mut hook.binary);
        if !hook.workspaces.contains(&self.repository.workspace) {
            hook.workspaces.push(self.repository.workspace.clone());
            hook.workspaces.sort();
        }
        let script = hook.script(name, called.map(Vec::as_slice)).into_bytes();
        if current.as_ref() == Some(&script) {
            return Ok(());
        }
        if let Some(foreign) = foreign {
            // A hooks manager wrote its hook again: what was kept of it is older.
            if before.is_some_and(|before| before != foreign) {
                let mut older = self.older(&self.repository.hooks, name).into_iter();
                if let Some(to) = older.next_back() {
                    self.file(&to, "keeps the hook from before that one; nothing runs it any more");
                    self.todo.push(Step::Move { from: kept.clone(), to });
                }
            }
            self.file(&kept, "keeps the hook that is there; it runs first");
            // Copied first and then replaced in one step, so that at no moment there is no hook. A link
            // is moved: a copy of what it leads to could not be put back as a link.
            let is_link = self.is_link(&path);
            let (from, to) = (path.clone(), kept);
            self.todo.push(if is_link { Step::Move { from, to } } else { Step::Copy { from, to } });
        }
        if self.is_committed(&path) {
            let why = format!(
                "it is a file of the repository: commit it only together with `{}`, or put `quipu git {name}` into it yourself",
                hook::kept_name(name)
            );
            self.changes.push(Change::Skipped { path: path.clone(), why });
        }
        self.file(&path, "runs Quipu");
        self.write(&path, script, Some(PROGRAM));
        Ok(())
    }

    fn is_committed(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        let listed = git(&self.repository.top, &["ls-files", "-z", "--", &path], None);
        listed.is_some_and(|names| !names.is_empty())
    }

    /// Removes scripts of ours that a manager set aside: ours is there, or should not be.
    pub(super) fn set_aside_out(&mut self, folder: &Path, name: &str) -> Result<(), VcsError> {
        for ending in hook::SET_ASIDE {
            let path = folder.join(format!("{name}.{ending}"));
            if self.read(&path)?.is_some_and(|script| hook::is_ours(&script)) {
                self.file(&path, "goes: a manager put Quipu's hook there");
                self.todo.push(Step::Remove { path });
            }
        }
        Ok(())
    }

    /// Returns where older hooks are kept that a newer one replaced, and the next free place.
    fn older(&self, folder: &Path, name: &str) -> Vec<PathBuf> {
        let mut places = Vec::new();
        for number in 1.. {
            let kept = format!("{}.{number}", hook::kept_name(name));
            places.push(folder.join(kept));
            if places.last().is_none_or(|path| self.fs.stat(path).is_err()) {
                break;
            }
        }
        places
    }

    /// Takes this workspace out of a hook; tells whether another one still needs it.
    pub(super) fn hook_out(&mut self, folder: &Path, name: &'static str) -> Result<bool, VcsError> {
        let path = folder.join(name);
        let kept = folder.join(hook::kept_name(name));
        let current = self.read(&path)?;
        let before = self.read(&kept)?;
        if let Some(mut hook) = current.as_deref().and_then(Hook::parse) {
            hook.workspaces.retain(|workspace| *workspace != self.repository.workspace);
            if !hook.workspaces.is_empty() {
                let script = hook.script(name, before.as_deref()).into_bytes();
                if current.as_ref() != Some(&script) {
                    self.file(&path, "runs Quipu for the other workspaces only");
                    self.write(&path, script, Some(PROGRAM));
                }
                return Ok(true);
            }
        }
        match (current, before) {
            (Some(script), Some(before)) if hook::is_ours(&script) => {
                self.file(&path, "is the hook that was there before");
                self.todo.push(Step::Move { from: kept, to: path });
                self.older_out(folder, name, &before)?;
            }
            (Some(script), None) if hook::is_ours(&script) => {
                self.file(&path, "goes");
                self.todo.push(Step::Remove { path });
            }
            // Somebody wrote the same hook again.
            (Some(script), Some(before)) if script == before => {
                self.file(&kept, "goes: the hook is there again");
                self.todo.push(Step::Remove { path: kept });
                self.older_out(folder, name, &before)?;
            }
            (Some(script), _) if hook::was_ours(&script, name) => {
                self.skip(&path, "it is not as Quipu writes it: somebody changed it, or an older Quipu wrote it; take out the lines that call Quipu yourself (what was there before them is in the file beside it that ends in `.before-quipu`, if there is one)");
            }
            (_, Some(_)) => {
                self.skip(
                    &kept,
                    "the hook was written anew since; look at both, and remove this one",
                );
            }
            _ => {}
        }
        Ok(false)
    }

    /// Takes out older hooks that are the same as the one that is put back; tells of the others.
    fn older_out(&mut self, folder: &Path, name: &str, now: &[u8]) -> Result<(), VcsError> {
        for path in self.older(folder, name) {
            match self.read(&path)? {
                Some(older) if older == now => {
                    self.file(&path, "goes: the hook is there again");
                    self.todo.push(Step::Remove { path });
                }
                Some(_) => {
                    self.skip(
                        &path,
                        "an older hook that a newer one replaced; remove it if nobody misses it",
                    );
                }
                None => {}
            }
        }
        Ok(())
    }
}
