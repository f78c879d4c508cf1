//! Which names the code has in it, and which commit took a name out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quipu_core::claim::Claim;

use super::Verdict;
use super::repository::{Commit, Repository, text};
use crate::fs::{FileSystem as _, RealFs};

/// So many names that are missing are looked for in the past.
const MOST_MISSING: usize = 256;

/// So many commits of the past are searched: each costs reading what it changed.
const MOST_COMMITS: usize = 3000;

/// So many branches with commits of their own are searched.
const MOST_BRANCHES: usize = 8;

/// A file of the working tree that is larger holds no code that anybody wrote.
const LARGEST_FILE: u64 = 1 << 20;

/// Returns a verdict for each name. A name is alive when the default branch has all its parts; it is
/// gone only where the past shows a part that the present has not.
pub(super) fn judge(repository: &Repository, claims: &[&Claim]) -> Vec<Verdict> {
    let asked: BTreeSet<&str> = claims.iter().flat_map(|claim| claim.identifiers()).collect();
    let default = std::slice::from_ref(&repository.commit);
    let mut missing = without(asked, |asked| grep(repository, default, asked));
    missing = without(missing, |missing| added_on_branches(repository, missing));
    missing = without(missing, |_| uncommitted(repository));
    let searched: BTreeSet<&str> = missing.iter().copied().take(MOST_MISSING).collect();
    let removals = removals(repository, &searched);
    let candidates = removals.values().filter_map(|removal| removal.now.as_deref()).collect();
    let living = grep(repository, default, &candidates);
    let verdict = |claim: &&Claim| {
        let parts: Vec<&str> = claim.identifiers().collect();
        if parts.iter().all(|part| !missing.contains(part)) {
            return Verdict::Alive;
        }
        let gone = parts.iter().find_map(|part| Some((part, removals.get(*part)?)));
        gone.map_or(Verdict::Unknown, |(part, removal)| Verdict::Gone {
            commit: Some(removal.commit.id.clone()),
            when: removal.commit.when,
            now: removal
                .now
                .as_ref()
                .filter(|now| living.contains(*now))
                .map(|now| claim.text.replace(part, now)),
            certain: false,
            still_on: None,
        })
    };
    claims.iter().map(verdict).collect()
}

/// Returns the names that are not found.
fn without<'a>(
    mut names: BTreeSet<&'a str>,
    find: impl FnOnce(&BTreeSet<&'a str>) -> BTreeSet<String>,
) -> BTreeSet<&'a str> {
    if !names.is_empty() {
        let found = find(&names);
        names.retain(|name| !found.contains(*name));
    }
    names
}

/// Everything but memory, and what tells of the past: a name that only stands there is gone.
///
/// A name that documents still have may be put together by the code, as those of settings often are.
fn present(repository: &Repository) -> Vec<String> {
    let mut paths = vec![":(top)".to_owned()];
    paths.push(format!(":(top,exclude,literal){}memory", repository.prefix));
    for name in ["MEMORY.md", "LONGMEMORY.md", "USER.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
        paths.push(format!(":(top,exclude,glob)**/{name}"));
    }
    for name in ["CHANGELOG", "CHANGES", "HISTORY", "NEWS", "RELEASES", "RELEASE-NOTES"] {
        for ending in ["", ".md", ".rst", ".txt", ".adoc"] {
            paths.push(format!(":(top,exclude,icase,glob)**/{name}{ending}"));
        }
    }
    paths.push(":(top,exclude,glob)**/*.lock".to_owned());
    paths
}

/// Where code is: that a name went out of a text about it is no evidence.
fn code(repository: &Repository) -> Vec<String> {
    let mut paths = present(repository);
    for ending in ["md", "mdx", "markdown", "mdc", "rst", "adoc", "txt", "org"] {
        paths.push(format!(":(top,exclude,glob)**/*.{ending}"));
    }
    paths
}

/// Returns which of the names some of the commits have.
fn grep(repository: &Repository, commits: &[String], names: &BTreeSet<&str>) -> BTreeSet<String> {
    if names.is_empty() || commits.is_empty() {
        return BTreeSet::new();
    }
    let input = names.iter().copied().collect::<Vec<_>>().join("\n") + "\n";
    let mut arguments = vec![
        "-c",
        "grep.lineNumber=false",
        "-c",
        "grep.column=false",
        "grep",
        "-w",
        "-F",
        "-o",
        "-h",
        "-I",
        "--no-color",
        "-f",
        "-",
    ];
    arguments.extend(commits.iter().map(String::as_str));
    arguments.push("--");
    let paths = present(repository);
    arguments.extend(paths.iter().map(String::as_str));
    let output = repository.git(&arguments, Some(input.as_bytes())).unwrap_or_default();
    output
        .split(|b| *b == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok())
        .filter(|line| names.contains(line))
        .map(str::to_owned)
        .collect()
}

/// Returns the names that a branch has and that it did not find where it left the default one.
fn added_on_branches(repository: &Repository, names: &BTreeSet<&str>) -> BTreeSet<String> {
    let heads = repository.others().iter().take(MOST_BRANCHES);
    let commits: Vec<String> = heads.clone().map(|head| head.commit.clone()).collect();
    let mut found = grep(repository, &commits, names);
    if !found.is_empty() {
        let bases: Vec<String> =
            heads.filter_map(|head| repository.base(head)).map(str::to_owned).collect();
        let old = grep(repository, &bases, &found.iter().map(String::as_str).collect());
        found.retain(|name| !old.contains(name));
    }
    found
}

/// Returns the names in what is not committed yet, which no change of branch takes away.
fn uncommitted(repository: &Repository) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let paths = present(repository);
    for (path, before) in repository.uncommitted() {
        let Some(now) = small_text(&path) else { continue };
        let blob = before.and_then(|blob| repository.git(&["cat-file", "blob", &blob], None));
        let before = blob.map(text).unwrap_or_default();
        let old: BTreeSet<&str> = before.lines().collect();
        for line in now.lines().filter(|line| !old.contains(line)) {
            names.extend(words(line).map(str::to_owned));
        }
    }
    let mut arguments = vec!["ls-files", "-o", "-z", "--exclude-standard", "--full-name", "--"];
    arguments.extend(paths.iter().map(String::as_str));
    let new = repository.git(&arguments, None).map(text).unwrap_or_default();
    for path in new.split('\0').filter(|path| !path.is_empty()) {
        if let Some(text) = small_text(&repository.top.join(path)) {
            names.extend(words(&text).map(str::to_owned));
        }
    }
    names
}

/// Returns the text of a file that is not too large for somebody to have written it.
fn small_text(path: &Path) -> Option<String> {
    let bytes = RealFs.read_up_to(path, LARGEST_FILE).ok()?.ok()?;
    String::from_utf8(bytes).ok()
}

/// The commit that took a name out, and the name that stands there since.
struct Removal {
    commit: Commit,
    now: Option<String>,
}

/// Returns the newest commit that took each name out of the code.
fn removals<'a>(repository: &Repository, names: &BTreeSet<&'a str>) -> BTreeMap<&'a str, Removal> {
    let mut removals = BTreeMap::new();
    if names.is_empty() {
        return removals;
    }
    let count = format!("-n{MOST_COMMITS}");
    let list = ["rev-list", "--topo-order", "--no-merges", &count, &repository.commit];
    let Some(commits) = repository.git(&list, None) else { return removals };
    let any = names.iter().copied().collect::<Vec<_>>().join("|");
    let pattern = format!("-G({any})");
    let mut arguments = vec![
        "diff-tree",
        "--stdin",
        "-r",
        "-p",
        "-U0",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        &pattern,
        "--format=%x01%H %ct",
        "--",
    ];
    let paths = code(repository);
    arguments.extend(paths.iter().map(String::as_str));
    let output = repository.git(&arguments, Some(&commits)).map(text).unwrap_or_default();
    for part in output.split('\u{1}').skip(1) {
        let (header, patch) = part.split_once('\n').unwrap_or((part, ""));
        let Some(commit) = Commit::parse(header) else { continue };
        for (name, now) in taken_out(patch, names) {
            removals.entry(name).or_insert_with(|| Removal { commit: commit.clone(), now });
        }
    }
    removals
}

/// Returns the names that a patch takes out, each with the one that most lines have in its place.
fn taken_out<'a>(patch: &str, names: &BTreeSet<&'a str>) -> Vec<(&'a str, Option<String>)> {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    let mut votes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let is_line = |line: &&str| !line.starts_with("+++") && !line.starts_with("---");
    let lines: Vec<&str> = patch.lines().filter(is_line).collect();
    for hunk in lines.split(|line| !line.starts_with(['+', '-'])) {
        let old = hunk.iter().filter_map(|line| line.strip_prefix('-'));
        let new = hunk.iter().filter_map(|line| line.strip_prefix('+'));
        for word in old.clone().flat_map(words) {
            *balance.entry(word).or_default() -= 1;
        }
        for word in new.clone().flat_map(words) {
            *balance.entry(word).or_default() += 1;
        }
        for (old, new) in old.zip(new) {
            if let Some((name, now)) = replaced(old, new) {
                *votes.entry(name).or_default().entry(now).or_default() += 1;
            }
        }
    }
    let lost = names.iter().filter(|name| balance.get(**name).is_some_and(|count| *count < 0));
    lost.map(|name| {
        let most = votes.get(name).into_iter().flatten();
        let most = most.max_by_key(|(now, count)| (**count, std::cmp::Reverse(**now)));
        (*name, most.map(|(now, _)| (*now).to_owned()))
    })
    .collect()
}

/// Returns the one word in which two lines differ, before and after.
fn replaced<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    let mut different = None;
    let (mut before, mut after) = (words(old), words(new));
    loop {
        match (before.next(), after.next()) {
            (None, None) => return different,
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) if different.is_none_or(|pair| pair == (a, b)) => {
                different = Some((a, b));
            }
            _ => return None,
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}
