//! Setting up the clients: one server entry each, and hooks where they have any.
//!
//! A plan is made from the files as they are; showing it and carrying it out are two uses of the same
//! plan. Only our entries change: everything else in a file stays byte for byte. A manifest remembers
//! what was there before, so that [`Installer::uninstall`] gives it back.

mod apply;
mod blocks;
mod check;
pub mod clients;
mod entry;
mod guard;
mod jsonc;
pub mod machine;
mod manifest;
mod placing;
mod plan;
#[cfg(test)]
mod properties;
mod removal;
mod tables;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quipu_engine::error::{Error, Failure};
use quipu_engine::fs::{FileSystem, real_path};
use quipu_engine::lock::{Lock, Mode};
use quipu_engine::open;
use quipu_engine::workspace::Workspace;

pub use check::{Checked, CheckedEntry, EntryState};
pub use clients::NAME;
pub use clients::{CLIENTS, Client, Event};
pub use entry::program_line;
pub use jsonc::SyntaxError;
pub use machine::{Machine, Scope};
pub use plan::{Action, EntryPlan, FilePlan, Plan, Skipped};

use manifest::Manifest;

/// Why clients were not set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// A file operation failed; everything is as it was.
    #[error("cannot {action} `{path}`", path = path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A file must not be replaced.
    #[error("`{path}` is read-only", path = path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Something else stands where a file should be.
    #[error("`{path}` is a folder where a file is expected", path = path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A file was edited after the plan was made.
    #[error("`{path}` was edited after the plan was made", path = path.display())]
    EditedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// The record of what was written cannot be read.
    #[error("the record of what was installed, `{path}`, cannot be read", path = path.display())]
    BadManifest {
        /// The record.
        path: PathBuf,
        /// Why not.
        source: serde_json::Error,
    },
    /// The record was written by a newer Quipu.
    #[error("the record of what was installed, `{path}`, was written by a newer Quipu", path = path.display())]
    NewerManifest {
        /// The record.
        path: PathBuf,
    },
    /// The bytes that a file had before are gone.
    #[error("the saved copy of `{path}` is damaged", path = path.display())]
    NoOriginal {
        /// The file.
        path: PathBuf,
    },
}

impl Failure for InstallError {
    fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::ReadOnly { .. } => "read-only",
            Self::NotAFile { .. } => "not-a-file",
            Self::EditedMeanwhile { .. } => "edited-since",
            Self::BadManifest { .. } | Self::NewerManifest { .. } => "bad-manifest",
            Self::NoOriginal { .. } => "no-original",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Io { .. } => "nothing was changed; try again when the cause is gone",
            Self::ReadOnly { .. } => "make it writable (`chmod u+w`); nothing was changed",
            Self::NotAFile { .. } => "move the folder away; nothing was changed",
            Self::EditedMeanwhile { .. } => {
                "nothing was changed; run it again, it will start from the edited file"
            }
            Self::BadManifest { .. } => {
                "move it away: `quipu uninstall --force` then takes out what is Quipu's by its name"
            }
            Self::NewerManifest { .. } => "install a newer Quipu; nothing was changed",
            Self::NoOriginal { .. } => {
                "`quipu uninstall --edit` takes out only our entries and needs no saved bytes"
            }
        };
        Some(hint.to_owned())
    }
}

/// What to set up.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command")]
pub struct InstallRequest {
    /// For whom.
    pub clients: Vec<&'static Client>,
    /// The program that entries start.
    pub command: String,
    /// The server.
    pub servers: bool,
    /// The hooks.
    pub hooks: bool,
    /// A hook after every use of a tool, too.
    pub after_tool: bool,
    /// Write entries that fail where the program is not installed, also into files that others get through git.
    pub plain: bool,
    /// Replace entries of that name which somebody else wrote.
    pub force: bool,
    /// Quipu's version.
    pub version: &'static str,
}

/// What to take back.
#[derive(Clone, Debug, Default)]
pub struct UninstallRequest {
    /// From whom; everybody where empty.
    pub clients: Vec<&'static Client>,
    /// Also entries that the manifest does not know and that are Quipu's by what they say.
    pub force: bool,
    /// Take entries out by editing, also where the bytes from before could be put back.
    pub edit: bool,
}

/// A client, and whether it is used and set up here.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The client.
    pub client: &'static Client,
    /// What tells that it is used: paths and programs.
    pub signs: Vec<String>,
    /// Whether the manifest of this scope has an entry for it.
    pub is_installed: bool,
    /// Whether it has a file of this scope.
    pub has_scope: bool,
}

/// Sets up clients for a project, or for a user.
pub struct Installer {
    fs: Arc<dyn FileSystem>,
    scope: Scope,
    root: PathBuf,
    machine: Machine,
}

impl Installer {
    /// Works on the project at `root`, or on the home folder of `machine`.
    pub fn new(fs: Arc<dyn FileSystem>, scope: Scope, root: &Path, machine: Machine) -> Self {
        // Below the root no link is followed, so its own path must contain none.
        let root = real_path(root);
        Self { fs, scope, root, machine }
    }

    /// Returns the scope.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Returns the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the folder of the manifest.
    pub fn state(&self) -> PathBuf {
        match self.scope {
            Scope::Project => match self.workspace() {
                Ok(workspace) => workspace.state_folder(),
                Err(_) => self.machine.state(),
            },
            Scope::User => real_path(&self.machine.state()),
        }
    }

    /// Returns every client and whether it is used here.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub fn seen(&self) -> Result<Vec<Seen>, Error> {
        let manifest = Manifest::read(&*self.fs, &self.state())?;
        let see = |client: &'static Client| {
            let mut signs: Vec<String> = client
                .signs
                .iter()
                .map(|sign| self.machine.resolve(*sign, &self.root))
                .filter(|path| path.exists())
                .map(|path| self.shown(&path))
                .collect();
            let programs = client.binaries.iter().filter_map(|name| self.machine.program(name));
            signs.extend(programs.map(|path| self.shown(&path)));
            let is_installed = manifest.has(client.name);
            let has_scope = client.servers.iter().any(|place| place.at.is_of(self.scope))
                || client.hooks.is_some();
            Seen { client, signs, is_installed, has_scope }
        };
        Ok(CLIENTS.iter().map(see).collect())
    }

    /// Returns a path as people would write it.
    pub fn shown(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(&self.root)
            && self.scope == Scope::Project
        {
            return inside.display().to_string();
        }
        match path.strip_prefix(&self.machine.home) {
            Ok(inside) => format!("~/{}", inside.display()),
            Err(_) => path.display().to_string(),
        }
    }

    /// Carries out a plan, all or nothing.
    ///
    /// # Errors
    /// When a file changed since, or a step fails; then everything is as it was.
    pub fn carry_out(&self, plan: &Plan) -> Result<(), Error> {
        if plan.is_empty() {
            return Ok(());
        }
        let state = self.state();
        let had_state = state.exists();
        let made = match self.scope {
            Scope::Project => Vec::new(),
            Scope::User => missing(state.ancestors().skip(1)),
        };
        let lock = self.lock()?;
        let done = self.apply(plan, had_state, &made);
        drop(lock);
        if done.is_err() || plan.leaves_nothing() {
            self.clear_state(plan.was.made_state || !had_state);
            let folders = plan.was.folders.iter().map(|folder| self.root.join(folder));
            for folder in folders.chain(made).collect::<Vec<_>>().iter().rev() {
                self.remove_if_empty(folder);
            }
        }
        Ok(done?)
    }

    fn workspace(&self) -> Result<Workspace, Error> {
        let workspace = open::at(Arc::clone(&self.fs), &self.root)?;
        Ok(workspace.keeping_state_in(&self.machine.state()))
    }

    fn lock(&self) -> Result<Lock, Error> {
        if self.scope == Scope::Project {
            return self.workspace()?.lock_for_writing();
        }
        let state = self.state();
        let fail = |source| InstallError::Io { action: "create", path: state.clone(), source };
        self.fs.create_folders(&state).map_err(fail)?;
        let patience = std::time::Duration::from_secs(30);
        Ok(Lock::take(&state.join("lock"), Mode::Exclusive, patience)?)
    }
}

/// Returns the folders that are not there, outermost first.
fn missing<'p>(folders: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let mut missing: Vec<PathBuf> = folders.filter(is_missing).map(Path::to_owned).collect();
    missing.sort();
    missing.dedup();
    missing
}
