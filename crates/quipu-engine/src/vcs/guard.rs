//! The guard before a commit: what is staged, line by added line, and nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use quipu_core::lint;
use quipu_core::lint::Finding;
use quipu_core::secret::Scope;
use serde::Serialize;

use super::VcsError;
use crate::config::{Config, GuardMode, GuardScope};
use crate::git::git_in_hook;

/// What the guard found.
#[derive(Clone, Debug, Serialize)]
pub struct GuardReport {
    /// Whether the commit must not go on.
    pub blocks: bool,
    /// How many files were looked at.
    pub files: usize,
    /// What would be committed and looks like a secret; a value is never part of it.
    pub findings: Vec<Finding>,
}

/// The added lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Staged {
    /// The lines.
    pub text: String,
    /// For each its number in the file.
    pub numbers: Vec<usize>,
}

/// Categories that name a person and are no credential: told, and no reason to stop.
const PERSONAL: [&str; 5] = ["email", "ssn", "phone-e164", "payment-card", "home-path"];

/// Looks at what is staged. Runs in git's hook, on the index that is about to be committed.
///
/// # Errors
/// When git does not tell what is staged.
pub fn guard(config: &Config, waived: &str) -> Result<GuardReport, VcsError> {
    let mode = config.guard.on_commit();
    if mode == GuardMode::Off {
        return Ok(GuardReport { blocks: false, files: 0, findings: Vec::new() });
    }
    let staged = staged()?;
    let globs: Vec<&str> =
        waived.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let mut report = GuardReport { blocks: false, files: 0, findings: Vec::new() };
    for (path, added) in &staged {
        let is_memory = is_memory(path);
        let is_waived = !is_memory && globs.iter().any(|glob| glob_matches(glob, path));
        if is_waived || (config.guard.scope == GuardScope::Memory && !is_memory) {
            continue;
        }
        report.files += 1;
        let scope = if is_memory { Scope::Memory } else { Scope::Credentials };
        for mut finding in lint::secret_findings(path, &added.text, scope) {
            let allowed = |entry: &String| match entry.split_once(':') {
                Some((code, subject)) => code == finding.code && glob_matches(subject, path),
                None => entry == finding.code,
            };
            if config.lint.allow.iter().any(allowed) {
                continue;
            }
            let category = finding.message.split([':', ' ']).next().unwrap_or_default();
            report.blocks |= mode == GuardMode::Block && !PERSONAL.contains(&category);
            let line = finding.line.and_then(|line| added.numbers.get(line - 1)).copied();
            finding.message = told(&finding.message, line);
            finding.line = line;
            report.findings.push(finding);
        }
    }
    Ok(report)
}

/// The message counts lines of what was added; people know those of the file.
fn told(message: &str, line: Option<usize>) -> String {
    let head = message.split(", first on line").next().unwrap_or(message);
    line.map_or_else(|| head.to_owned(), |line| format!("{head}, first on line {line}"))
}

fn is_memory(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("memory/")
        || path.contains("/memory/")
        || quipu_core::migrate::is_kept(path)
        || ["MEMORY.md", "LONGMEMORY.md", "USER.md"].contains(&name)
}

fn staged() -> Result<BTreeMap<String, Staged>, VcsError> {
    let arguments = [
        "-c",
        "core.quotePath=false",
        // What is larger is no text that somebody wrote.
        "-c",
        "core.bigFileThreshold=8m",
        "diff",
        "--cached",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--diff-filter=ACMT",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--ignore-submodules",
    ];
    let patch = git_in_hook(&arguments).ok_or(VcsError::NoDiff)?;
    Ok(added_lines(&String::from_utf8_lossy(&patch)))
}

/// Reads the added lines out of a patch without context.
fn added_lines(diff: &str) -> BTreeMap<String, Staged> {
    let mut files: BTreeMap<String, Staged> = BTreeMap::new();
    let mut path = String::new();
    let (mut number, mut old, mut new) = (0_usize, 0_usize, 0_usize);
    for line in diff.split('\n') {
        // Inside a hunk a line that begins like a header is text.
        if old > 0 && line.starts_with('-') {
            old -= 1;
        } else if new > 0 && line.starts_with('+') {
            new -= 1;
            let file = files.entry(path.clone()).or_default();
            file.text.push_str(line[1..].trim_end_matches('\r'));
            file.text.push('\n');
            file.numbers.push(number);
            number += 1;
        } else if let Some(hunk) = line.strip_prefix("@@ ") {
            (old, number, new) = hunk_of(hunk).unwrap_or((0, 0, 0));
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = name.trim_end_matches('\t').trim_matches('"');
            name.strip_prefix("b/").unwrap_or(name).clone_into(&mut path);
        }
    }
    files
}

/// Reads `-a,b +c,d @@`: how many lines went, where the new ones begin, how many they are.
fn hunk_of(hunk: &str) -> Option<(usize, usize, usize)> {
    let mut parts = hunk.split(' ');
    let mut range = |sign: char| {
        let part = parts.next()?.strip_prefix(sign)?;
        let (start, length) = part.split_once(',').unwrap_or((part, "1"));
        Some((start.parse::<usize>().ok()?, length.parse::<usize>().ok()?))
    };
    let ((_, old), (start, new)) = (range('-')?, range('+')?);
    Some((old, start, new))
}

/// Tells whether a shell pattern with `*` and `?` matches a path, or its last part.
pub fn glob_matches(glob: &str, path: &str) -> bool {
    fn at(glob: &[u8], text: &[u8]) -> bool {
        match (glob.first(), text.first()) {
            (None, None) => true,
            (Some(b'*'), _) => at(&glob[1..], text) || (!text.is_empty() && at(glob, &text[1..])),
            (Some(b'?'), Some(_)) => at(&glob[1..], &text[1..]),
            (Some(a), Some(b)) if a == b => at(&glob[1..], &text[1..]),
            _ => false,
        }
    }
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    at(glob.as_bytes(), path.as_bytes())
        || name.is_some_and(|name| at(glob.as_bytes(), name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_have_their_numbers_and_headers_in_text_are_text() {
        let patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2 +2,2 @@ f\n-old\n+++ b/evil\n+two\n@@ -9,0 +11 @@\n+three\n";
        let files = added_lines(patch);
        assert_eq!(files.keys().collect::<Vec<_>>(), ["x"]);
        assert_eq!(files["x"].text, "++ b/evil\ntwo\nthree\n");
        assert_eq!(files["x"].numbers, [2, 3, 11]);
    }

    #[test]
    fn shell_patterns_match_paths_and_names() {
        assert!(glob_matches("config/*.json", "config/a.json"));
        assert!(glob_matches("*.env", "deep/down/prod.env"));
        assert!(glob_matches("a?c", "abc"));
        assert!(!glob_matches("*.env", "env.rs"));
    }
}
