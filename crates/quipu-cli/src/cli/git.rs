//! The arguments of `quipu git`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::DryRun;

#[derive(Debug, Subcommand)]
pub(crate) enum GitCommand {
    /// Let git merge memory files by id, guard commits against secrets, and remind of session logs
    Install(DryRun),
    /// Take all of that out again; what was there before is put back to the byte
    Uninstall(DryRun),
    /// Tell how much of it is there
    Status,
    /// Merge one file: what git calls
    Merge(MergeArgs),
    /// Look for secrets in what is staged: what git's hook calls
    PreCommit(GuardArgs),
    /// Remind of a session log, at most once a working session, and tell of secrets that were committed:
    /// what git's hook calls
    PostCommit(GuardArgs),
}

#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    /// Another workspace of this repository, which has a guard of its own
    #[arg(long, value_name = "FOLDER")]
    pub(crate) not_in: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The common ancestor (git's %O)
    pub(crate) base: PathBuf,
    /// Our version, which takes the result (git's %A)
    pub(crate) current: PathBuf,
    /// The other version (git's %B)
    pub(crate) other: PathBuf,
    /// The file's path in the repository (git's %P)
    pub(crate) path: String,
    /// What git calls our side (git's %X)
    #[arg(long, value_name = "LABEL", default_value = "", allow_hyphen_values = true)]
    pub(crate) ours: String,
    /// What git calls the other side (git's %Y)
    #[arg(long, value_name = "LABEL", default_value = "", allow_hyphen_values = true)]
    pub(crate) theirs: String,
}
