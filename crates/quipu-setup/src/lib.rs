//! This machine: setting up a repository and its clients, git's hooks and merge driver, and finding out
//! what is wrong with an installation. Never needed to serve a memory.
//!
//! What a memory is and how its files change lives in `quipu-engine`, which knows nothing of this
//! crate; words and exit codes live in `quipu-cli`.

pub mod doctor;
pub mod init;
pub mod install;
pub mod vcs;
