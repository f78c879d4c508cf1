//! This machine: setting up a repository and its clients, git's hooks and merge driver, and finding out
//! what is wrong with an installation. Never needed to serve a memory.
//!
//! What a memory is and how its files change lives in `quipu-engine`, which knows nothing of this
//! crate; words and exit codes live in `quipu-cli`.

pub mod doctor;
pub mod init;
pub mod install;
pub mod vcs;

/// Returns `text` without the line break at its end.
fn without_line_break(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |line| line.strip_suffix('\r').unwrap_or(line))
}
