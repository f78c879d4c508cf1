//! The guard before a commit: the lines that what is staged adds, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::lint;
use quipu_core::lint::Finding;
use quipu_core::secret::{self, Scope};
use quipu_engine::config::{Config, GuardMode, GuardScope};
use quipu_engine::git::{git_in_hook, staged_logs_in_hook};
use quipu_engine::glob::Waivers;
use serde::Serialize;

use super::{VcsError, as_line};

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
#[derive(Default)]
struct Staged {
    text: String,
    /// For each line its number in the file.
    numbers: Vec<usize>,
}

/// Which changes the guard looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// What is about to be committed.
    Staged,
    /// What was committed last: also by what asks no hook before.
    Committed,
}

/// What the guard is asked.
#[derive(Clone, Debug)]
pub struct GuardRequest<'a> {
    /// The changes.
    pub changes: Changes,
    /// The workspace's path from the repository's root; empty where it is the same.
    pub workspace: String,
    /// Other workspaces of the repository, which have a guard of their own.
    pub others: &'a [String],
    /// The patterns of `.agent/secret-scan-ignore`.
    pub waived: &'a str,
}

/// Looks at changes. Runs in git's hook, on the index that is about to be committed.
///
/// # Errors
/// When git does not tell what changed.
pub fn guard(config: &Config, request: &GuardRequest<'_>) -> Result<GuardReport, VcsError> {
    let mode = config.guard.on_commit();
    let mut report = GuardReport { blocks: false, files: 0, findings: Vec::new() };
    if mode == GuardMode::Off {
        return Ok(report);
    }
    let waivers = Waivers::parse(request.waived);
    let takes = |path: &str| {
        let is_waived = !is_memory(path) && waivers.has(path);
        let is_asked = config.guard.scope == GuardScope::All || is_memory(path);
        is_asked && !is_waived && !is_others(path, request)
    };
    // Whose address a merge brings was told when it was committed.
    let is_merge = git_in_hook(&["rev-parse", "--verify", "--quiet", "MERGE_HEAD"], None).is_some();
    if request.changes == Changes::Staged && !is_merge {
        // What is committed of the ledger stays as it is; a merge unites two logs of one name.
        let workspace = request.workspace.trim_matches('/');
        let root =
            if matches!(workspace, "" | ".") { String::new() } else { format!("{workspace}/") };
        let logs = staged_logs_in_hook(&root);
        report.blocks |= mode == GuardMode::Block && !logs.is_empty();
        report.findings.extend(logs);
    }
    let changed = changed_files(request.changes).ok_or(VcsError::NoDiff)?;
    let changed: Vec<Changed> = changed.into_iter().filter(|file| takes(&file.path)).collect();
    for (path, added) in &added(&changed).ok_or(VcsError::NoDiff)? {
        report.files += 1;
        let scope = if is_memory(path) { Scope::Memory } else { Scope::Credentials };
        for mut finding in lint::secret_findings(path, &added.text, scope) {
            let allowed = |entry: &String| match entry.split_once(':') {
                Some((code, subject)) => {
                    code == finding.code.as_str() && Waivers::of([subject]).has(path)
                }
                None => entry == finding.code.as_str(),
            };
            if config.lint.allow.iter().any(allowed) {
                continue;
            }
            let category = finding.message.split([':', ' ']).next().unwrap_or_default();
            let is_personal = secret::is_personal(category);
            if is_personal && is_merge {
                continue;
            }
            report.blocks |= mode == GuardMode::Block && !is_personal;
            let line = finding.line.and_then(|line| added.numbers.get(line - 1)).copied();
            finding.message = told(&finding.message, line);
            finding.line = line;
            report.findings.push(finding);
        }
    }
    Ok(report)
}

/// Tells whether a file belongs to another workspace: the nearest one above it counts.
fn is_others(path: &str, request: &GuardRequest<'_>) -> bool {
    let depth = |workspace: &str| {
        let workspace = workspace.trim_matches('/');
        let is_inside = matches!(workspace, "" | ".")
            || path.strip_prefix(workspace).is_some_and(|rest| rest.starts_with('/'));
        is_inside.then_some(if workspace == "." { 0 } else { workspace.len() })
    };
    let nearest = request.others.iter().filter_map(|other| depth(other)).max();
    nearest.is_some() && nearest > depth(&request.workspace)
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

/// A file that changed, with the blobs that git has of it.
struct Changed {
    path: String,
    before: Option<String>,
    now: String,
}

/// Returns what changed, as git's plumbing tells it: no setting of anybody's changes its answer.
fn changed_files(changes: Changes) -> Option<Vec<Changed>> {
    let ask = |arguments: &[&str], input: Option<&[u8]>| as_line(git_in_hook(arguments, input)?);
    let parent = if changes == Changes::Staged { "HEAD" } else { "HEAD^" };
    let parent = format!("{parent}^{{tree}}");
    let before = ask(&["rev-parse", "--verify", "--quiet", &parent], None)
        .or_else(|| ask(&["hash-object", "-t", "tree", "--stdin"], Some(b"")))?;
    let how = ["--raw", "-z", "-r", "--no-abbrev", "--no-renames", "--no-relative"];
    let which = ["--ignore-submodules=all", "--diff-filter=ACMT"];
    let what: &[&str] = match changes {
        Changes::Staged => &["diff-index", "--cached"],
        Changes::Committed => &["diff-tree"],
    };
    let ends: &[&str] = match changes {
        Changes::Staged => &[&before, "--"],
        Changes::Committed => &[&before, "HEAD", "--"],
    };
    let arguments: Vec<&str> = [what, &how, &which, ends].into_iter().flatten().copied().collect();
    let answer = git_in_hook(&arguments, None)?;
    let mut fields = answer.split(|byte| *byte == 0);
    let mut files = Vec::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let head = String::from_utf8_lossy(head);
        // `:100644 100644 OLD NEW M`
        let parts: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [_, mode, before, now, ..] = parts[..] else { return None };
        if mode == SUBMODULE {
            continue;
        }
        let is_none = before.bytes().all(|byte| byte == b'0');
        files.push(Changed {
            path: String::from_utf8_lossy(path).into_owned(),
            before: (!is_none).then(|| before.to_owned()),
            now: now.to_owned(),
        });
    }
    Some(files)
}

const SUBMODULE: &str = "160000";

/// What is larger is no text that somebody wrote.
const LARGEST: usize = 8 * 1024 * 1024;
/// A memory file is read up to this size, whatever it looks like.
const LARGEST_MEMORY: usize = 64 * 1024 * 1024;

/// Returns the lines that each file did not have before.
fn added(files: &[Changed]) -> Option<BTreeMap<String, Staged>> {
    let names: BTreeSet<&str> = files
        .iter()
        .flat_map(|file| file.before.iter().chain(std::iter::once(&file.now)))
        .map(String::as_str)
        .collect();
    if names.is_empty() {
        return Some(BTreeMap::new());
    }
    let sizes = sizes(&names)?;
    let limit = |file: &Changed| if is_memory(&file.path) { LARGEST_MEMORY } else { LARGEST };
    let fits =
        |file: &Changed, blob: &str| sizes.get(blob).is_some_and(|size| *size <= limit(file));
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    for file in files {
        let blobs = file.before.iter().chain(std::iter::once(&file.now)).map(String::as_str);
        wanted.extend(blobs.filter(|blob| fits(file, blob)));
    }
    let texts = blobs(&wanted)?;
    let mut result = BTreeMap::new();
    for file in files {
        let Some(now) = texts.get(&file.now).filter(|_| fits(file, &file.now)) else { continue };
        // Git takes what has a zero byte near its beginning for no text.
        if !is_memory(&file.path) && now.iter().take(8000).any(|byte| *byte == 0) {
            continue;
        }
        let before = file.before.as_ref().and_then(|before| texts.get(before));
        let staged = news(&decoded(before.map_or(&[], Vec::as_slice)), &decoded(now));
        if !staged.text.is_empty() {
            result.insert(file.path.clone(), staged);
        }
    }
    Some(result)
}

fn listed(names: &BTreeSet<&str>) -> String {
    names.iter().flat_map(|name| [*name, "\n"]).collect()
}

fn sizes(names: &BTreeSet<&str>) -> Option<BTreeMap<String, usize>> {
    let arguments = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
    let answer = git_in_hook(&arguments, Some(listed(names).as_bytes()))?;
    let answer = String::from_utf8_lossy(&answer);
    let size = |line: &str| {
        let (name, size) = line.split_once(' ')?;
        Some((name.to_owned(), size.parse().ok()?))
    };
    Some(answer.lines().filter_map(size).collect())
}

/// Returns the bytes of blobs, by name.
fn blobs(names: &BTreeSet<&str>) -> Option<BTreeMap<String, Vec<u8>>> {
    let arguments = ["cat-file", "--batch=%(objectname) %(objectsize)"];
    let answer = git_in_hook(&arguments, Some(listed(names).as_bytes()))?;
    let mut rest = answer.as_slice();
    let mut result = BTreeMap::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let Some((name, Ok(size))) = head.split_once(' ').map(|(n, s)| (n, s.parse::<usize>()))
        else {
            // One that a partial clone does not have.
            continue;
        };
        result.insert(name.to_owned(), rest.get(..size)?.to_vec());
        rest = rest.get(size + 1..)?;
    }
    Some(result)
}

/// Returns bytes as text; what Windows' shells write has two bytes a character.
fn decoded(bytes: &[u8]) -> String {
    let units = |bytes: &[u8], read: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => String::from_utf16_lossy(&units(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => String::from_utf16_lossy(&units(rest, u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| line.trim_end_matches('\r'))
}

/// Returns the lines that `now` has more often than `before`.
fn news(before: &str, now: &str) -> Staged {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines(before) {
        *known.entry(line).or_default() += 1;
    }
    let mut staged = Staged::default();
    for (index, line) in lines(now).enumerate() {
        if let Some(count) = known.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
        } else if !line.is_empty() {
            staged.text.push_str(line);
            staged.text.push('\n');
            staged.numbers.push(index + 1);
        }
    }
    staged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_lines_that_stand_more_often_than_before() {
        let staged = news("a\nb\nb\n", "b\nnew\r\nb\nb\na\n+++ b/x\n");
        assert_eq!(staged.text, "new\nb\n+++ b/x\n");
        assert_eq!(staged.numbers, [2, 4, 6]);
        assert_eq!(decoded(b"\xff\xfea\0\n\0"), "a\n");
    }

    #[test]
    fn a_file_belongs_to_the_nearest_workspace() {
        let others = [".".to_owned(), "a/b".to_owned()];
        let of = |workspace: &str, others: &[String], path: &str| {
            let workspace = workspace.to_owned();
            let (changes, waived) = (Changes::Staged, "");
            is_others(path, &GuardRequest { changes, workspace, others, waived })
        };
        assert!(of("a", &others, "memory/x.md"));
        assert!(of("a", &others, "a/b/memory/x.md"));
        assert!(!of("a", &others, "a/memory/x.md"));
        assert!(of("", &others[1..], "a/b/memory/x.md"));
        assert!(!of("", &others[1..], "a/bc/memory/x.md"));
    }
}
