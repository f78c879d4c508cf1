//! Memory in git: the merge driver, the guard before a commit, the reminder after it.
//!
//! `install` writes all of it or nothing, `uninstall` puts every byte back. Quipu never commits.

mod driver;
mod guard;
mod hook;
mod install;
mod nudge;

use std::io;
use std::path::{Path, PathBuf};

use quipu_engine::error::Failure;
use quipu_engine::fs::{FileSystem, real_path};
use quipu_engine::git::git;

pub use self::driver::{DriverRequest, merge};
pub use self::guard::{Changes, GuardReport, GuardRequest, guard};
pub(crate) use self::install::uninstall_and;
pub use self::install::{
    Change, InstallPlan, InstallState, SHARED_HOOKS, install, state, uninstall,
};
pub use self::nudge::nudge;

/// Why something with git cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VcsError {
    /// There is no repository.
    #[error("`{root}` is not in a git repository", root = root.display())]
    NoRepository {
        /// The folder.
        root: PathBuf,
    },
    /// Quipu's block in a file is not whole.
    #[error("`{path}` has `{BEGIN}` without `{END}`")]
    BrokenBlock {
        /// The file.
        path: String,
    },
    /// A file could not be written or read.
    #[error("cannot {action} `{path}`", path = path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Git's configuration could not be changed.
    #[error("git could not change its configuration (`git config {key}`)")]
    Config {
        /// The key.
        key: String,
    },
    /// The staged changes could not be read.
    #[error("git could not list the staged files")]
    NoDiff,
    /// There is no rule for a file.
    #[error("Quipu has no merge rule for `{path}`: git merges it as text")]
    NoRule {
        /// The file.
        path: String,
    },
    /// A file that Quipu would write into is a link.
    #[error("`{path}` is a link: Quipu does not write through it")]
    Link {
        /// The file.
        path: String,
    },
    /// A file is not text, or too large.
    #[error("`{path}` is not text that Quipu can merge")]
    NotText {
        /// The file.
        path: String,
    },
}

const BEGIN: &str = "# quipu:begin";
const END: &str = "# quipu:end";

impl Failure for VcsError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoRepository { .. } => "no-repository",
            Self::BrokenBlock { .. } => "broken-block",
            Self::Io { .. } => "io",
            Self::Link { .. } => "link",
            Self::Config { .. } | Self::NoDiff => "git",
            Self::NoRule { .. } | Self::NotText { .. } => "not-merged",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoRepository { .. } => "run `git init` first, or name a repository with -C",
            Self::BrokenBlock { .. } => "repair the markers by hand; nothing was changed",
            Self::Link { .. } => {
                "nothing was changed; make it a file of its own, then run it again"
            }
            Self::Io { .. } | Self::Config { .. } => {
                "everything is as it was; try again when the cause is gone"
            }
            Self::NoDiff => "run it inside the repository; `git status` has the details",
            Self::NoRule { .. } | Self::NotText { .. } => {
                "nothing was changed; merge it by hand, or with `git merge-file`"
            }
        };
        Some(hint.to_owned())
    }
}

/// A repository, as far as hooks and configuration go.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    /// The work tree's root.
    pub(crate) top: PathBuf,
    /// Git's folder that all work trees share.
    pub(crate) common: PathBuf,
    /// Where git looks for hooks: `core.hooksPath`, or the usual place.
    pub(crate) hooks: PathBuf,
    /// The workspace's path from `top`, with `/`; `.` where it is the same.
    pub(crate) workspace: String,
}

impl Repository {
    pub(crate) fn around(root: &Path) -> Result<Self, VcsError> {
        let none = || VcsError::NoRepository { root: root.to_owned() };
        let ask = |arguments: &[&str]| Some(PathBuf::from(as_line(git(root, arguments, None)?)?));
        let absolute = "--path-format=absolute";
        let top = ask(&["rev-parse", absolute, "--show-toplevel"]).ok_or_else(none)?;
        let common = ask(&["rev-parse", absolute, "--git-common-dir"]).ok_or_else(none)?;
        let hooks = ask(&["rev-parse", absolute, "--git-path", "hooks"]).ok_or_else(none)?;
        let prefix = ask(&["rev-parse", "--show-prefix"]).ok_or_else(none)?;
        let prefix = prefix.to_string_lossy().trim_end_matches('/').to_owned();
        let workspace = if prefix.is_empty() { ".".to_owned() } else { prefix };
        // Git's own folders may be behind links that the user made.
        let (common, hooks) = (real_path(&common), real_path(&hooks));
        Ok(Self { top, common, hooks, workspace })
    }
}

/// Returns a workspace's path from the root of its repository; empty where it is the same, or unknown.
pub fn place(root: &Path) -> String {
    Repository::around(root).map_or_else(|_| String::new(), |repository| repository.workspace)
}

/// Returns the line that git answered.
fn as_line(answer: Vec<u8>) -> Option<String> {
    Some(String::from_utf8(answer).ok()?.trim_end_matches(['\n', '\r']).to_owned())
}

/// Writes a file whole, or not at all. `permit` says who may do what with it.
fn replace(
    fs: &dyn FileSystem,
    path: &Path,
    bytes: &[u8],
    permit: impl Fn(&Path) -> io::Result<()>,
) -> Result<(), VcsError> {
    let mut new = path.to_owned().into_os_string();
    new.push(".quipu-new");
    let new = PathBuf::from(new);
    let write = || {
        fs.write(&new, bytes)?;
        permit(&new)?;
        fs.rename(&new, path)
    };
    write().map_err(|error| {
        // It may not even be there.
        let _ = fs.remove_file(&new);
        failed("write", path)(error)
    })
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> VcsError {
    let path = path.to_owned();
    move |source| VcsError::Io { action, path, source }
}
