//! Putting Quipu's part into a repository, and taking it out again: all of it or nothing, to the byte.

use std::path::{Path, PathBuf};

use quipu_core::text;
use serde::Serialize;

use super::hook::{self, HOOKS, Hook};
use super::{BEGIN, END, Repository, VcsError, failed};
use crate::fs::{FileSystem, Kind};
use crate::git::git;

const ATTRIBUTES: &str = ".gitattributes";

/// The files that Quipu merges.
const PATTERNS: [&str; 9] = [
    "/memory/continuity.md",
    "/memory/archive/*.md",
    "/memory/sessions/[0-9]*.md",
    "/memory/[0-9]*-[0-9]*-[0-9]*.md",
    "/memory/MEMORY-archive.md",
    "/memory/LONGMEMORY-archive.md",
    "/MEMORY.md",
    "/LONGMEMORY.md",
    "/.agent/version.md",
];

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

    fn attributes_in(&mut self) -> Result<(), VcsError> {
        let path = self.root.join(ATTRIBUTES);
        if self.is_link(&path) {
            return Err(VcsError::Link { path: ATTRIBUTES.to_owned() });
        }
        let current = self.read(&path)?;
        let source = String::from_utf8_lossy(current.as_deref().unwrap_or_default()).into_owned();
        if current.as_ref().is_some_and(|bytes| bytes != source.as_bytes()) {
            return Err(VcsError::NotText { path: ATTRIBUTES.to_owned() });
        }
        let ending = text::line_ending(&source);
        let (head, tail) = match block(&source)? {
            Some((span, _)) => (source[..span.start].to_owned(), source[span.end..].to_owned()),
            None => (source.clone(), String::new()),
        };
        // The mark tells a removal what to put back: no file at all, or no end of the last line.
        let mark = match block(&source)? {
            Some((_, mark)) => mark,
            None if current.is_none() => " +".to_owned(),
            None if !source.is_empty() && !source.ends_with('\n') => " -".to_owned(),
            None => String::new(),
        };
        let gap = if mark == " -" && !head.ends_with('\n') { ending } else { "" };
        let mut new = format!("{head}{gap}{BEGIN}{mark}{ending}");
        for pattern in PATTERNS {
            for part in [pattern, " merge=quipu", ending] {
                new.push_str(part);
            }
        }
        for part in [END, ending, &tail] {
            new.push_str(part);
        }
        if new != source {
            self.file(&path, "names the files that Quipu merges");
            self.write(&path, new.into_bytes(), None);
        }
        Ok(())
    }

    fn attributes_out(&mut self) -> Result<(), VcsError> {
        let path = self.root.join(ATTRIBUTES);
        if self.is_link(&path) {
            return Ok(());
        }
        let Some(bytes) = self.read(&path)? else { return Ok(()) };
        let source = String::from_utf8(bytes)
            .map_err(|_| VcsError::NotText { path: ATTRIBUTES.to_owned() })?;
        let Some((span, mark)) = block(&source)? else { return Ok(()) };
        let mut head = &source[..span.start];
        let tail = &source[span.end..];
        if mark == " -" && tail.is_empty() {
            head = head.strip_suffix('\n').unwrap_or(head);
            head = head.strip_suffix('\r').unwrap_or(head);
        }
        let rest = format!("{head}{tail}");
        if rest.is_empty() && mark == " +" {
            self.file(&path, "goes: Quipu made it");
            self.todo.push(Step::Remove { path });
        } else {
            self.file(&path, "is as it was before Quipu");
            self.write(&path, rest.into_bytes(), None);
        }
        Ok(())
    }

    /// Tells whether another workspace of the repository names files for the driver.
    fn names_files_elsewhere(&self) -> bool {
        let own = format!(":(exclude){ATTRIBUTES}");
        let all = format!(":(top,glob)**/{ATTRIBUTES}");
        let arguments =
            ["grep", "--no-color", "--untracked", "-l", "-F", "-e", BEGIN, "--", &all, &own];
        git(self.root, &arguments, None).is_some_and(|found| !found.is_empty())
    }

    /// Returns another worktree of the repository that names files for the driver.
    fn other_worktree(&self) -> Option<PathBuf> {
        let listed = git(self.root, &["worktree", "list", "--porcelain"], None)?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let folders = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
        let others = folders.map(PathBuf::from).filter(|folder| *folder != self.repository.top);
        let names = |folder: &PathBuf| {
            let path = folder.join(&self.repository.workspace).join(ATTRIBUTES);
            let found = self.read(&path).ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&found).contains(BEGIN)
        };
        others.into_iter().find(names)
    }

    fn hook_in(&mut self, name: &'static str, binary: &Path) -> Result<(), VcsError> {
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
    fn set_aside_out(&mut self, folder: &Path, name: &str) -> Result<(), VcsError> {
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
    fn hook_out(&mut self, folder: &Path, name: &'static str) -> Result<bool, VcsError> {
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

    /// Git writes its configuration through a link, which may lead anywhere in an unpacked archive.
    fn refuse_linked_config(&self) -> Result<(), VcsError> {
        let sets = |step: &Step| matches!(step, Step::Set { .. } | Step::Unset { .. });
        let is_linked = self.is_link(&self.repository.common.join("config"));
        if is_linked && self.todo.iter().any(sets) {
            return Err(VcsError::Link { path: ".git/config".to_owned() });
        }
        Ok(())
    }

    fn finish(self, dry_run: bool) -> Result<InstallPlan, VcsError> {
        self.refuse_linked_config()?;
        if !dry_run {
            self.carry_out_all()?;
        }
        Ok(InstallPlan { changes: self.changes })
    }

    /// Does every step or none, and returns the steps that take them back, the last one first.
    fn carry_out_all(&self) -> Result<Vec<Step>, VcsError> {
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

    fn take_back(&self, done: &[Step]) {
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
                self.replace(path, bytes, *mode)?;
                Ok(vec![back])
            }
            Step::Copy { from, to } => {
                let back = back_to(to)?;
                let bytes = self.fs.read(from).map_err(failed("read", from))?;
                self.replace_like(to, &bytes, from)?;
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

    /// Writes a file whole, or not at all.
    fn replace(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> Result<(), VcsError> {
        self.replace_with(path, bytes, |new| {
            if let Some(mode) = mode {
                set_mode(new, mode)
            } else if self.fs.stat(path).is_ok() {
                self.fs.copy_permissions(path, new)
            } else {
                Ok(())
            }
        })
    }

    /// The same with the permissions of another file.
    fn replace_like(&self, path: &Path, bytes: &[u8], model: &Path) -> Result<(), VcsError> {
        self.replace_with(path, bytes, |new| self.fs.copy_permissions(model, new))
    }

    fn replace_with(
        &self,
        path: &Path,
        bytes: &[u8],
        permit: impl Fn(&Path) -> std::io::Result<()>,
    ) -> Result<(), VcsError> {
        let mut new = path.to_owned().into_os_string();
        new.push(".quipu-new");
        let new = PathBuf::from(new);
        let write = || {
            if let Some(folder) = path.parent() {
                self.fs.create_folders(folder)?;
            }
            self.fs.write(&new, bytes)?;
            permit(&new)?;
            self.fs.rename(&new, path)
        };
        write().map_err(|error| {
            // It may not even be there.
            let _ = self.fs.remove_file(&new);
            failed("write", path)(error)
        })
    }

    fn run_config(&self, key: &str, arguments: &[&str]) -> Result<(), VcsError> {
        let no_git = || VcsError::Config { key: key.to_owned() };
        let mut command = crate::git::command().ok_or_else(no_git)?;
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let done =
            command.arg("-C").arg(&self.repository.top).arg("config").args(arguments).output();
        if done.is_ok_and(|output| output.status.success()) {
            Ok(())
        } else {
            Err(VcsError::Config { key: key.to_owned() })
        }
    }
}

/// Returns where our block stands in a file, and the mark behind its first line.
fn block(source: &str) -> Result<Option<(std::ops::Range<usize>, String)>, VcsError> {
    let broken = || VcsError::BrokenBlock { path: ATTRIBUTES.to_owned() };
    let begin = text::lines(source).find(|line| line.text.starts_with(BEGIN));
    let end = text::lines(source).find(|line| line.text.trim_end() == END);
    match (begin, end) {
        (None, None) => Ok(None),
        (Some(begin), Some(end)) if begin.start < end.start => {
            let mark = begin.text[BEGIN.len()..].trim_end().to_owned();
            Ok(Some((begin.start..end.end, mark)))
        }
        _ => Err(broken()),
    }
}

/// Who may run a hook: everybody who may read it.
const PROGRAM: u32 = 0o755;

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
