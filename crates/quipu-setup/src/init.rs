//! Setting up a memory: in a fresh repo (mode A), bringing an older one up to date (B), taking over
//! what other tools have been told (C). One plan for all of them, carried out whole or not at all.

mod detect;
mod plan;
mod removal;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_core::manifest::LayoutVersion;
use quipu_core::memory::Changes;
use quipu_core::migrate::distil::Made;
use quipu_core::upgrade::{Step, UpgradeError};
use quipu_core::wiring::{BEGIN, END};
use quipu_engine::caller::Caller;
use quipu_engine::error::{Error, Failure};
use quipu_engine::fs::{FileSystem, Kind};
use quipu_engine::operation::Request;
use quipu_engine::transaction::{CommitOptions, FileChanges};
use quipu_engine::workspace::{Workspace, stamp};
use quipu_engine::{git, open, undo};

use crate::install::{Installer, Plan};
use crate::vcs::{self, Change};

/// What `init` must know about the files that it wrote into, so that their bytes come back.
const RECORD: &str = ".quipu/init.json";

/// The same file by its name in the state folder.
const RECORD_NAME: &str = "init.json";

/// What stands in the state folder and can be made again, or is about files that are gone.
const STATE: [&str; 17] = [
    "changes.jsonl",
    "journal-form",
    "dream.lock",
    "undo",
    "quipu.db",
    "quipu.db-wal",
    "quipu.db-shm",
    "replay.db",
    "hook.log",
    "hooks",
    "requests",
    "server.json",
    "sessions",
    "nudged",
    "pause.json",
    "sync.git",
    "sync.json",
];

/// What is undone by setting up again.
const OWN_OPERATIONS: [&str; 3] = ["init", "upgrade", "uninstall"];

/// Why a memory cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// The folder is not there.
    #[error("there is no folder `{root}`", root = root.display())]
    NoFolder {
        /// The path.
        root: PathBuf,
    },
    /// The folder is git's own.
    #[error("`{root}` is where git keeps a repository: a bare one, or the inside of `.git`", root = root.display())]
    InGit {
        /// The path.
        root: PathBuf,
    },
    /// An existing file cannot take the block.
    #[error("in `{path}`, the marks `{BEGIN}` and `{END}` must occur once each, in this order")]
    BrokenBlock {
        /// The file.
        path: String,
    },
    /// Git tracks what should stay private.
    #[error("git tracks {}, where private memory is written: it would be committed", paths.join(", "))]
    TrackedJournal {
        /// The files.
        paths: Vec<String>,
    },
    /// The memory cannot be brought up to date.
    #[error(transparent)]
    Upgrade(#[from] UpgradeError),
    /// The files of clients stayed, and the repo's own could not be put back.
    #[error("Quipu was removed from the repository's files, but not from the clients': {reason}")]
    HalfOut {
        /// Why they stayed.
        reason: String,
    },
    /// The result would not pass the checks.
    #[error("the memory would not pass lint: {}", findings.join("; "))]
    WouldBeWrong {
        /// What lint would say.
        findings: Vec<String>,
    },
}

impl Failure for InitError {
    fn code(&self) -> &'static str {
        match self {
            Self::Upgrade(_) => "newer-layout",
            Self::TrackedJournal { .. } => "tracked-journal",
            _ => "init",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoFolder { .. } => "create it first, or name another with -C".to_owned(),
            Self::InGit { .. } => {
                "run it in a checkout: `git worktree add DIR` makes one; nothing was changed"
                    .to_owned()
            }
            Self::BrokenBlock { path } => {
                format!("repair the markers in {path}; nothing was changed")
            }
            Self::TrackedJournal { paths } => format!(
                "`git rm --cached {}` keeps the file and takes it out of git; `journal.tracked = true` in your own settings says that it may be committed; nothing was changed",
                paths.join(" ")
            ),
            Self::HalfOut { .. } => {
                "run `quipu uninstall` again when the cause is gone: it does the rest".to_owned()
            }
            Self::Upgrade(_) => "install a newer Quipu; nothing was changed".to_owned(),
            Self::WouldBeWrong { .. } => {
                "clear what `quipu lint` says, then run it again; nothing was changed".to_owned()
            }
        })
    }
}

/// How a repo is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It has no memory and nothing that other tools were told.
    Fresh,
    /// It has a memory.
    Enabled,
    /// It has instructions for other tools.
    Migrate,
}

impl Mode {
    /// Returns the letter that the manifest has for it.
    pub fn letter(self) -> char {
        match self {
            Self::Fresh => 'A',
            Self::Enabled => 'B',
            Self::Migrate => 'C',
        }
    }
}

/// What becomes of instructions that other tools were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// They stay where they are, and nobody reads them.
    #[default]
    Keep,
    /// They stay where they are, and their rules become facts.
    Copy,
    /// They move to `legacy/`, their rules become facts, and a pointer stands in their place.
    Move,
}

/// A memory to set up.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The project's name; by default the one it has, or the folder's.
    pub project: Option<String>,
    /// The day.
    pub today: Date,
    /// Quipu's version.
    pub version: &'static str,
    /// What becomes of instructions that other tools were given.
    pub existing: Existing,
    /// Tools that are used on this machine, by the name of their vendor: in a new memory those that do not read
    /// `AGENTS.md` get a pointer.
    pub used: Vec<&'static str>,
    /// Tools that get a pointer in any case.
    pub chosen: Vec<&'static str>,
    /// Whether those that git ignores are taken over too; what comes of them is not ignored.
    pub include_ignored: bool,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path from the root.
    pub path: String,
    /// Its bytes now; none where there is no file.
    pub before: Option<Vec<u8>>,
    /// Its bytes then; none where it goes.
    pub after: Option<Vec<u8>>,
    /// What is done, for people.
    pub what: String,
    /// Who may do what with it where it is new, on Unix: as with the file that it was before.
    pub mode: Option<u32>,
}

impl FileChange {
    /// Tells whether the file is new.
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// Tells whether the file goes.
    pub fn is_gone(&self) -> bool {
        self.after.is_none()
    }
}

/// A file that a tool was told things in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The tool, for people.
    pub vendor: &'static str,
    /// Where it stood.
    pub from: String,
    /// Where it is kept.
    pub to: String,
    /// Whether it stays in its old place too, because the tool goes on writing there.
    pub is_copy: bool,
}

/// Something that is not touched, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftAlone {
    /// The path from the root.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// What setting up would do.
#[derive(Clone, Debug)]
pub struct InitPlan {
    /// How.
    pub mode: Mode,
    /// The layout that was found, where there is a memory.
    pub found: Option<LayoutVersion>,
    /// What the rungs of the upgrade do.
    pub steps: Vec<Step>,
    /// The files that change, by path.
    pub files: Vec<FileChange>,
    /// Files of other tools.
    pub moved: Vec<Moved>,
    /// Files of other tools that were found and are not asked for.
    pub waiting: Vec<Moved>,
    /// Facts that their rules become.
    pub facts: Vec<Made>,
    /// Threads about rules that cannot all hold: id and words.
    pub threads: Vec<(String, String)>,
    /// Rules that stay in their file alone: file and number.
    pub left: Vec<(String, usize)>,
    /// What is not touched, and why.
    pub left_alone: Vec<LeftAlone>,
    /// What to know besides.
    pub notes: Vec<String>,
    record: Option<Vec<u8>>,
}

impl InitPlan {
    /// Tells whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Tells whether somebody's files are moved, which a person has to agree to.
    pub fn moves_files(&self) -> bool {
        self.files.iter().any(FileChange::is_gone)
    }
}

/// What taking Quipu out of a repo's files would do.
#[derive(Clone, Debug, Default)]
pub struct RemovalPlan {
    /// The files that change, by path.
    pub files: Vec<FileChange>,
    /// What `quipu git install` wrote.
    pub git: Vec<Change>,
    /// What to know besides.
    pub notes: Vec<String>,
    /// Whether there is a memory that stays; one that nobody has written into goes.
    pub keeps_memory: bool,
    /// Whether there is a record of our own to remove.
    forgets: bool,
}

impl RemovalPlan {
    /// Tells whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.changes_git()
    }

    fn changes_git(&self) -> bool {
        self.git.iter().any(|change| !matches!(change, Change::Skipped { .. }))
    }
}

/// The files that a plan changes.
#[derive(Default)]
struct Edits {
    changes: Changes,
    /// What is done to each file, for people.
    said: BTreeMap<String, String>,
    /// Who may do what with files that are moved, as with the originals.
    modes: BTreeMap<String, u32>,
}

impl Edits {
    fn change(&mut self, path: &str, text: Option<String>, what: impl Into<String>) {
        self.changes.insert(path.to_owned(), text);
        self.said.insert(path.to_owned(), what.into());
    }

    fn keep_mode(&mut self, workspace: &Workspace, from: &str, to: &str) {
        let mode = workspace.fs().mode(&workspace.root().join(from));
        self.modes.extend(mode.map(|mode| (to.to_owned(), mode)));
    }

    /// Returns the files that do not say already what they should.
    fn finish(mut self, workspace: &Workspace) -> Result<Vec<FileChange>, Error> {
        let mut files = Vec::new();
        for (path, text) in self.changes {
            let before = workspace.read_optional(&path)?.map(String::into_bytes);
            let after = text.map(String::into_bytes);
            if before != after {
                let what = self.said.remove(&path).unwrap_or_default();
                let mode = self.modes.get(&path).copied();
                files.push(FileChange { path, before, after, what, mode });
            }
        }
        Ok(files)
    }
}

/// Returns what is at a path.
fn kind(workspace: &Workspace, path: &str) -> Option<Kind> {
    workspace.fs().stat(&workspace.root().join(path)).ok().map(|(kind, _)| kind)
}

/// Returns the files below a folder, and whether there is nothing else, such as a link.
fn files_in(workspace: &Workspace, folder: &str) -> (Vec<String>, bool) {
    let (mut files, mut is_all) = (Vec::new(), true);
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let names = workspace.fs().list(&workspace.root().join(&folder)).unwrap_or_default();
        for (name, kind) in names {
            let path = format!("{folder}/{name}");
            match kind {
                Kind::Folder => open.push(path),
                Kind::File => files.push(path),
                Kind::Link | Kind::Other => is_all = false,
            }
        }
    }
    (files, is_all)
}

/// A repo to set up, or to leave.
pub struct Setup {
    workspace: Workspace,
}

impl Setup {
    /// Works on the folder `root`.
    ///
    /// # Errors
    /// When there is no such folder, or its configuration cannot be read.
    pub fn at(fs: Arc<dyn FileSystem>, root: &Path) -> Result<Self, Error> {
        match fs.stat(root) {
            Ok((Kind::Folder | Kind::Link, _)) => {}
            _ => return Err(InitError::NoFolder { root: root.to_owned() }.into()),
        }
        Ok(Self { workspace: open::at(fs, root)? })
    }

    /// Keeps state in another folder than the user's own, `home`.
    #[must_use]
    pub fn keeping_state_in(self, home: &Path) -> Self {
        Self { workspace: self.workspace.keeping_state_in(home) }
    }

    /// Returns what setting up would do.
    ///
    /// # Errors
    /// When a file cannot be read, or the memory is newer than we are.
    pub fn plan(&self, request: &InitRequest) -> Result<InitPlan, Error> {
        let root = self.workspace.root();
        if git::is_own_folder(root) {
            return Err(InitError::InGit { root: root.to_owned() }.into());
        }
        let _lock = self.workspace.lock_for_reading()?;
        plan::plan(&self.workspace, request)
    }

    /// Sets up what was planned, whole or not at all.
    ///
    /// # Errors
    /// When a file changed since, or a step fails; then everything is as it was.
    pub fn carry_out(&self, plan: &InitPlan, now: Timestamp) -> Result<(), Error> {
        let record = plan.record.clone().map(|bytes| (RECORD.to_owned(), Some(bytes)));
        // Whoever undoes an upgrade means just that; undoing `init` takes a memory away.
        let operation = if plan.mode == Mode::Enabled { "upgrade" } else { "init" };
        self.commit(operation, &plan.files, record, now)
    }

    /// Returns what taking Quipu out of the repo's files would do. Memory and `legacy/` stay.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn plan_removal(&self) -> Result<RemovalPlan, Error> {
        let _lock = self.workspace.lock_for_reading()?;
        removal::plan(&self.workspace)
    }

    /// Takes out what was planned, whole or not at all.
    ///
    /// # Errors
    /// When a file changed since, or a step fails; then everything is as it was.
    pub fn remove(&self, plan: &RemovalPlan, now: Timestamp) -> Result<(), Error> {
        let record = plan.forgets.then(|| (RECORD.to_owned(), None));
        self.commit("uninstall", &plan.files, record, now)
    }

    /// Removes the workspace's state after [`Setup::remove`], where no memory stayed and nothing in it
    /// is anybody's; tells whether nothing is left. State that cannot be removed does no harm.
    fn clear(&self, plan: &RemovalPlan) -> bool {
        let is_ours = |operation: &String| OWN_OPERATIONS.contains(&operation.as_str());
        let may_go = || -> Result<bool, Error> {
            let _lock = self.workspace.lock_for_writing()?;
            Ok(undo::operations(&self.workspace)?.iter().all(is_ours))
        };
        // The lock stands in the folder, and some systems remove no open file.
        !plan.is_empty()
            && !plan.keeps_memory
            && may_go().unwrap_or(false)
            && self.workspace.remove_state(|name| STATE.contains(&name))
    }

    /// Takes out what was planned here, in git and in the files of clients, all or nothing; tells
    /// whether nothing of Quipu is left.
    ///
    /// # Errors
    /// When a step fails; then everything is as it was, or the error says that it is not.
    pub fn leave(
        &self,
        files: &RemovalPlan,
        installer: &Installer,
        clients: &Plan,
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.remove(files, now)?;
        let done = if files.changes_git() {
            let (fs, root) = (self.workspace.fs(), self.workspace.root());
            vcs::uninstall_and(fs, root, || installer.carry_out(clients))
        } else {
            installer.carry_out(clients)
        };
        if let Err(error) = done {
            if !files.files.is_empty() && undo::undo(&self.workspace, None, &rollback(now)).is_err()
            {
                let reason = error.to_string();
                return Err(InitError::HalfOut { reason }.into());
            }
            return Err(error);
        }
        let is_left = |change: &vcs::Change| matches!(change, vcs::Change::Skipped { .. });
        Ok(self.clear(files) && !files.git.iter().any(is_left))
    }

    fn commit(
        &self,
        operation: &str,
        files: &[FileChange],
        record: Option<(String, Option<Vec<u8>>)>,
        now: Timestamp,
    ) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        let _lock = self.workspace.lock_for_writing()?;
        let of = |bytes: fn(&FileChange) -> &Option<Vec<u8>>| -> FileChanges {
            files.iter().map(|file| (file.path.clone(), bytes(file).clone())).collect()
        };
        let mut changes = of(|file| &file.after);
        changes.extend(record);
        let expected = of(|file| &file.before);
        let mode = |file: &FileChange| file.mode.map(|mode| (file.path.clone(), mode));
        let modes = files.iter().filter(|file| file.is_new()).filter_map(mode).collect();
        let transactions = self.workspace.transactions();
        let options = CommitOptions { modes, ..CommitOptions::default() };
        transactions.commit(operation, &stamp(now), &changes, &expected, options)?;
        for file in files.iter().filter(|file| file.is_gone()) {
            self.workspace.remove_empty_folders(&file.path);
        }
        Ok(())
    }
}

/// Returns the request that takes back what a set-up had begun.
fn rollback(now: Timestamp) -> Request<'static> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let caller = Caller::PERSON;
    Request { operation: "undo", now, today, session: None, dry_run: false, caller }
}
