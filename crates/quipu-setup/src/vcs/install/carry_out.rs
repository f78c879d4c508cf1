//! Carrying out the steps: all of them, or none.

use std::path::Path;

use super::{InstallPlan, Step, Steps};
use crate::vcs::{VcsError, failed, replace};

impl Steps<'_> {
    /// Git writes its configuration through a link, which may lead anywhere in an unpacked archive.
    fn refuse_linked_config(&self) -> Result<(), VcsError> {
        let sets = |step: &Step| matches!(step, Step::Set { .. } | Step::Unset { .. });
        let is_linked = self.is_link(&self.repository.common.join("config"));
        if is_linked && self.todo.iter().any(sets) {
            return Err(VcsError::Link { path: ".git/config".to_owned() });
        }
        Ok(())
    }

    pub(super) fn finish(self, dry_run: bool) -> Result<InstallPlan, VcsError> {
        self.refuse_linked_config()?;
        if !dry_run {
            self.carry_out_all()?;
        }
        Ok(InstallPlan { changes: self.changes })
    }

    /// Does every step or none, and returns the steps that take them back, the last one first.
    pub(super) fn carry_out_all(&self) -> Result<Vec<Step>, VcsError> {
        self.refuse_linked_config()?;
        let mut done = Vec::new();
        for step in &self.todo {
            match self.carry_out(step) {
                Ok(back) => done.extend(back),
                Err(error) => {
                    self.take_back(&done);
                    return Err(error);
                }
            }
        }
        Ok(done)
    }

    pub(super) fn take_back(&self, done: &[Step]) {
        // Each step back is tried: one that fails too must not keep the others.
        for back in done.iter().rev() {
            let _ = self.carry_out(back);
        }
    }

    /// Does one step, and returns the steps that take it back, the last one first.
    fn carry_out(&self, step: &Step) -> Result<Vec<Step>, VcsError> {
        let back_to = |path: &Path| -> Result<Step, VcsError> {
            Ok(match self.read(path)? {
                Some(bytes) => Step::Write { path: path.to_owned(), bytes, mode: mode_of(path) },
                None => Step::Remove { path: path.to_owned() },
            })
        };
        match step {
            Step::Write { path, bytes, mode } => {
                let back = back_to(path)?;
                self.write_with(path, bytes, *mode)?;
                Ok(vec![back])
            }
            Step::Copy { from, to } => {
                let back = back_to(to)?;
                let bytes = self.fs.read(from).map_err(failed("read", from))?;
                replace(self.fs, to, &bytes, |new| self.fs.copy_permissions(from, new))?;
                Ok(vec![back])
            }
            Step::Move { from, to } => {
                // Where something stood at the target, it is written back there first.
                let there = back_to(to)?;
                self.fs.rename(from, to).map_err(failed("move", from))?;
                Ok(vec![there, Step::Move { from: to.clone(), to: from.clone() }])
            }
            Step::Remove { path } => {
                let back = back_to(path)?;
                if self.fs.stat(path).is_ok() {
                    self.fs.remove_file(path).map_err(failed("remove", path))?;
                }
                Ok(vec![back])
            }
            Step::Set { key, value } => {
                let back =
                    self.config(key).map_or(Step::Unset { key }, |value| Step::Set { key, value });
                self.run_config(key, &["--local", key, value])?;
                Ok(vec![back])
            }
            Step::Unset { key } => {
                let back = self.config(key).map(|value| Step::Set { key, value });
                self.run_config(key, &["--local", "--unset-all", key])?;
                Ok(back.into_iter().collect())
            }
        }
    }

    /// Writes a file with these permissions, or those that it has.
    fn write_with(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> Result<(), VcsError> {
        if let Some(folder) = path.parent() {
            self.fs.create_folders(folder).map_err(failed("write", path))?;
        }
        replace(self.fs, path, bytes, |new| {
            if let Some(mode) = mode {
                set_mode(new, mode)
            } else if self.fs.stat(path).is_ok() {
                self.fs.copy_permissions(path, new)
            } else {
                Ok(())
            }
        })
    }

    fn run_config(&self, key: &str, arguments: &[&str]) -> Result<(), VcsError> {
        let no_git = || VcsError::Config { key: key.to_owned() };
        let mut command = quipu_engine::git::command().ok_or_else(no_git)?;
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let done =
            command.arg("-C").arg(&self.repository.top).arg("config").args(arguments).output();
        done.ok().filter(|output| output.status.success()).map(|_| ()).ok_or_else(no_git)
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).ok().map(|found| found.permissions().mode())
}

#[cfg(not(unix))]
fn mode_of(_path: &Path) -> Option<u32> {
    None
}
