//! Commands that run something the project itself defines.

use serde::{Deserialize, Serialize};

/// What runs a script or a target.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Runner {
    /// npm, or whatever else runs the scripts of `package.json`.
    Npm,
    /// make.
    Make,
    /// just.
    Just,
    /// cargo, by an alias or an xtask.
    Cargo,
    /// uv, poetry, pdm, hatch or poe, by what `pyproject.toml` declares.
    Python,
}

impl Runner {
    /// Returns the command, up to the script's name.
    pub fn command(self) -> &'static str {
        match self {
            Self::Npm => "npm run",
            Self::Make => "make",
            Self::Just => "just",
            Self::Cargo => "cargo",
            Self::Python => "uv run",
        }
    }
}

/// Subcommands that cargo or one of its common extensions brings along.
#[rustfmt::skip]
const CARGO: &[&str] = &[
    "add", "audit", "b", "bench", "binstall", "bloat", "build", "c", "check", "clean", "clippy",
    "d", "deny", "dist", "doc", "edit", "expand", "fetch", "fix", "flamegraph", "fmt", "fuzz",
    "generate", "generate-lockfile", "geiger", "hack", "help", "init", "insta", "install",
    "install-update", "llvm-cov", "locate-project", "login", "logout", "machete", "make",
    "metadata", "miri", "msrv", "mutants", "nextest", "new", "outdated", "owner", "package", "pgo",
    "pkgid", "publish", "r", "release", "remove", "report", "rm", "run", "rustc", "rustdoc",
    "search", "semver-checks", "set-version", "shear", "sort", "t", "tarpaulin", "test", "tree",
    "udeps", "uninstall", "update", "upgrade", "vendor", "verify-project", "version", "vet",
    "watch", "yank", "zigbuild",
];

/// What yarn, pnpm and bun do by themselves.
#[rustfmt::skip]
const MANAGER: &[&str] = &[
    "add", "audit", "bin", "build", "cache", "ci", "config", "create", "dedupe", "dlx", "exec",
    "global", "help", "i", "import", "info", "init", "install", "licenses", "link", "list", "login",
    "ls", "node", "outdated", "pack", "patch", "pm", "prune", "publish", "rebuild", "remove", "rm",
    "root", "self-update", "set", "setup", "store", "test", "unlink", "up", "update", "upgrade",
    "version", "versions", "view", "why", "workspace", "workspaces", "x",
];

/// Returns the scripts that a line of code runs: one a command of the line.
pub(super) fn scripts<'a>(words: &[&'a str], is_code: bool) -> Vec<(Runner, &'a str)> {
    let parts = words.split(|word| matches!(*word, "&&" | "||" | ";" | "|"));
    parts.filter_map(|part| script(part, is_code)).collect()
}

/// Returns the script that a command runs.
///
/// In prose only what cannot be English: people make sure, and just do it.
pub(super) fn script<'a>(words: &[&'a str], is_code: bool) -> Option<(Runner, &'a str)> {
    let words = match words {
        ["$" | ">" | "sudo", rest @ ..] => rest,
        other => other,
    };
    let (command, rest) = words.split_first()?;
    let first = rest.iter().copied().find(|word| !word.starts_with('-'));
    let (runner, name) = match *command {
        "npm" | "pnpm" | "yarn" | "bun" => (Runner::Npm, package_script(command, rest, is_code)?),
        "cargo" if is_code || first == Some("xtask") => {
            (Runner::Cargo, first.filter(|name| !CARGO.contains(name))?)
        }
        "uv" | "poetry" | "pdm" | "hatch" if is_code && rest.first() == Some(&"run") => {
            (Runner::Python, rest[1..].iter().copied().find(|word| !word.starts_with('-'))?)
        }
        "poe" if is_code => (Runner::Python, first?),
        "make" if is_code => (Runner::Make, first?),
        "just" if is_code => (Runner::Just, first?),
        _ => return None,
    };
    is_name(name).then_some((runner, name))
}

fn package_script<'a>(command: &str, rest: &[&'a str], is_code: bool) -> Option<&'a str> {
    let mut words = rest.iter().copied().filter(|word| !word.starts_with('-'));
    match (words.next()?, command) {
        ("run" | "run-script", _) => words.next(),
        // npm runs these two without being told to.
        (name @ ("test" | "start"), "npm" | "pnpm" | "yarn") if is_code => Some(name),
        (name, "yarn" | "pnpm") if is_code && !MANAGER.contains(&name) => Some(name),
        _ => None,
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.'))
}
