//! Putting Quipu's part into a repository, and taking it out again: all of it or nothing, to the byte.

mod attributes;
mod carry_out;
mod hooks;

use std::path::{Path, PathBuf};

use quipu_engine::fs::{FileSystem, Kind};
use quipu_engine::git::git;
use serde::Serialize;

use super::hook::{self, HOOKS};
use super::{BEGIN, Repository, VcsError, failed};

const ATTRIBUTES: &str = ".gitattributes";

const KEYS: [&str; 2] = ["merge.quipu.name", "merge.quipu.driver"];
const NAME: &str = "memory files, by id";

/// One thing that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Change {
    /// A file gets or loses Quipu's part.
    File {
        /// The file.
        path: PathBuf,
        /// What happens, for people.
        what: &'static str,
    },
    /// A key of the repository's own configuration.
    Config {
        /// The key.
        key: &'static str,
        /// What happens, for people.
        what: &'static str,
    },
    /// Something that is left alone.
    Skipped {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
}

/// What an installation or a removal does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstallPlan {
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// How much of Quipu is in a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstallState {
    /// Whether `.gitattributes` names the files.
    pub attributes: bool,
    /// Whether git knows the driver.
    pub driver: bool,
    /// For each hook whether it calls Quipu.
    pub hooks: Vec<(&'static str, bool)>,
    /// Where git looks for hooks.
    pub hooks_folder: PathBuf,
    /// Whether those are this repository's own: others are left alone.
    pub hooks_are_own: bool,
}

/// A step with all that is needed to do it and to take it back.
enum Step {
    Write { path: PathBuf, bytes: Vec<u8>, mode: Option<u32> },
    Copy { from: PathBuf, to: PathBuf },
    Move { from: PathBuf, to: PathBuf },
    Remove { path: PathBuf },
    Set { key: &'static str, value: String },
    Unset { key: &'static str },
}

/// What to do where the hooks belong to others too.
pub const SHARED_HOOKS: &str = "`core.hooksPath` leads out of the repository, to hooks that other repositories use too; \
                                call `quipu git pre-commit` (also from `pre-merge-commit`) and `quipu git post-commit` from there yourself";

/// Puts the merge driver and the hooks into the repository around `root`; returns what changes.
///
/// # Errors
/// When there is no repository, or a step fails; then everything is as it was.
pub fn install(
    fs: &dyn FileSystem,
    root: &Path,
    binary: &Path,
    dry_run: bool,
) -> Result<InstallPlan, VcsError> {
    let repository = Repository::around(root)?;
    let mut steps = Steps::new(fs, &repository, root);
    steps.attributes_in()?;
    if repository.hooks_are_own() {
        for name in HOOKS {
            steps.hook_in(name, binary)?;
            steps.set_aside_out(&repository.hooks, name)?;
        }
    } else {
        steps.skip(&repository.hooks, SHARED_HOOKS);
    }
    steps.set(KEYS[0], NAME);
    steps.set(KEYS[1], &hook::driver(binary));
    steps.finish(dry_run)
}

/// Takes all of it out again; what was there before is put back to the byte.
///
/// # Errors
/// When there is no repository, or a step fails; then everything is as it was.
pub fn uninstall(fs: &dyn FileSystem, root: &Path, dry_run: bool) -> Result<InstallPlan, VcsError> {
    let repository = Repository::around(root)?;
    out_of(fs, &repository, root)?.finish(dry_run)
}

/// Takes all of it out, and then does something else; where that fails, it is put in again.
///
/// # Errors
/// When a step fails, or what is done then.
pub(crate) fn uninstall_and<T, E: From<VcsError>>(
    fs: &dyn FileSystem,
    root: &Path,
    then: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let repository = Repository::around(root)?;
    let steps = out_of(fs, &repository, root)?;
    let done = steps.carry_out_all()?;
    then().inspect_err(|_| steps.take_back(&done))
}

fn out_of<'a>(
    fs: &'a dyn FileSystem,
    repository: &'a Repository,
    root: &'a Path,
) -> Result<Steps<'a>, VcsError> {
    let mut steps = Steps::new(fs, repository, root);
    steps.attributes_out()?;
    if let Some(other) = steps.other_worktree() {
        let why = format!(
            "the worktree {} uses Quipu, and all worktrees share hooks and driver: they stay",
            other.display()
        );
        steps.skip(&repository.hooks, &why);
        return Ok(steps);
    }
    let mut is_needed = steps.names_files_elsewhere();
    // Where a manager moved `core.hooksPath` since, ours are in the usual place too.
    let usual = repository.common.join("hooks");
    let own = repository.hooks_are_own().then_some(&repository.hooks);
    for folder in own.into_iter().chain((usual != repository.hooks).then_some(&usual)) {
        for name in HOOKS {
            is_needed |= steps.hook_out(folder, name)?;
            steps.set_aside_out(folder, name)?;
        }
    }
    // Another workspace of the repository has the same driver.
    for key in KEYS.into_iter().filter(|_| !is_needed) {
        steps.unset(key);
    }
    Ok(steps)
}

/// Tells how much of it is there.
///
/// # Errors
/// When there is no repository, or a file cannot be read.
pub fn state(fs: &dyn FileSystem, root: &Path) -> Result<InstallState, VcsError> {
    let repository = Repository::around(root)?;
    let steps = Steps::new(fs, &repository, root);
    let attributes = steps.read(&root.join(ATTRIBUTES))?.unwrap_or_default();
    let mut hooks = Vec::new();
    for name in HOOKS {
        let script = steps.read(&repository.hooks.join(name))?.unwrap_or_default();
        let aside = steps.read(&repository.hooks.join(format!("{name}.legacy")))?;
        let is_run = hook::runs_legacy(&script) && aside.is_some_and(|aside| hook::is_ours(&aside));
        hooks.push((name, hook::calls(&script, name) || is_run));
    }
    Ok(InstallState {
        attributes: String::from_utf8_lossy(&attributes).contains(BEGIN),
        driver: steps.config(KEYS[1]).is_some(),
        hooks,
        hooks_folder: repository.hooks.clone(),
        hooks_are_own: repository.hooks_are_own(),
    })
}

impl Repository {
    /// Tells whether the hooks belong to this repository alone.
    fn hooks_are_own(&self) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let hooks = real(&self.hooks);
        hooks.starts_with(real(&self.common)) || hooks.starts_with(real(&self.top))
    }
}

struct Steps<'a> {
    fs: &'a dyn FileSystem,
    repository: &'a Repository,
    root: &'a Path,
    todo: Vec<Step>,
    changes: Vec<Change>,
}

impl<'a> Steps<'a> {
    fn new(fs: &'a dyn FileSystem, repository: &'a Repository, root: &'a Path) -> Self {
        Self { fs, repository, root, todo: Vec::new(), changes: Vec::new() }
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, VcsError> {
        match self.fs.stat(path) {
            Ok((Kind::Folder, _)) | Err(_) => Ok(None),
            Ok(_) => self.fs.read(path).map(Some).map_err(failed("read", path)),
        }
    }

    fn file(&mut self, path: &Path, what: &'static str) {
        self.changes.push(Change::File { path: path.to_owned(), what });
    }

    fn skip(&mut self, path: &Path, why: &str) {
        self.changes.push(Change::Skipped { path: path.to_owned(), why: why.to_owned() });
    }

    fn is_link(&self, path: &Path) -> bool {
        matches!(self.fs.stat(path), Ok((Kind::Link, _)))
    }

    fn write(&mut self, path: &Path, bytes: Vec<u8>, mode: Option<u32>) {
        self.todo.push(Step::Write { path: path.to_owned(), bytes, mode });
    }

    fn config(&self, key: &str) -> Option<String> {
        let value = git(&self.repository.top, &["config", "--local", "--get", key], None)?;
        Some(String::from_utf8_lossy(&value).trim_end_matches('\n').to_owned())
    }

    fn set(&mut self, key: &'static str, value: &str) {
        if self.config(key).as_deref() != Some(value) {
            self.changes.push(Change::Config { key, what: "is set" });
            self.todo.push(Step::Set { key, value: value.to_owned() });
        }
    }

    fn unset(&mut self, key: &'static str) {
        if self.config(key).is_some() {
            self.changes.push(Change::Config { key, what: "is taken out" });
            self.todo.push(Step::Unset { key });
        }
    }
}
