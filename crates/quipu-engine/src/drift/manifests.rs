//! Whether a script or a dependency is declared, and which commit took it out.

use std::collections::BTreeMap;

use quipu_core::claim::{Claim, ClaimKind};

use super::Verdict;
use super::manifest::{ALIASES, Declared, is_manifest, package, read};
use super::past::{HISTORY, commits};
use super::repository::{Commit, Repository};

/// So many files are read; those nearest to the root first.
const MOST_FILES: usize = 300;

/// So many of their changes are looked at.
const MOST_CHANGES: usize = 1000;

/// Returns a verdict for each script and dependency.
pub(super) fn judge(repository: &Repository, claims: &[&Claim]) -> Vec<Verdict> {
    let mut paths: Vec<&String> =
        repository.tree().files.iter().filter(|path| is_manifest(path)).collect();
    paths.sort_by_key(|path| path.matches('/').count());
    paths.truncate(MOST_FILES);
    let names: Vec<String> =
        paths.iter().map(|path| format!("{}:{path}", repository.commit)).collect();
    let texts = repository.blobs(&names).unwrap_or_default();
    let present: Vec<Declared> =
        paths.iter().zip(texts).map(|(path, text)| read(path, &text.unwrap_or_default())).collect();
    let is_there = |claim: &Claim| present.iter().any(|declared| has(declared, claim));
    let missing: Vec<&Claim> = claims.iter().copied().filter(|claim| !is_there(claim)).collect();
    let removals = removals(repository, &missing);
    claims
        .iter()
        .map(|claim| match removals.iter().find(|(other, _)| other == claim) {
            Some((_, Some(commit))) => Verdict::Gone {
                commit: Some(commit.id.clone()),
                when: commit.when,
                now: None,
                certain: false,
                still_on: None,
            },
            Some((_, None)) => Verdict::Unknown,
            None => Verdict::Alive,
        })
        .collect()
}

/// Tells whether a file declares what is claimed.
pub(super) fn has(declared: &Declared, claim: &Claim) -> bool {
    match claim.kind {
        ClaimKind::Script(runner) => declared.scripts.contains(&(runner, claim.text.clone())),
        _ => declared.dependencies.contains(&package(&claim.text)),
    }
}

/// Returns the newest commit that took each of the claims out of a file.
fn removals<'a>(
    repository: &Repository,
    missing: &[&'a Claim],
) -> Vec<(&'a Claim, Option<Commit>)> {
    let mut removals: Vec<(&Claim, Option<Commit>)> =
        missing.iter().map(|claim| (*claim, None)).collect();
    if missing.is_empty() {
        return removals;
    }
    let changes = changes(repository);
    let mut names: Vec<String> = Vec::new();
    for change in &changes {
        names.extend([change.old.clone(), change.new.clone()]);
    }
    let texts = repository.blobs(&names).unwrap_or_default();
    let mut known: BTreeMap<(&str, &str), Declared> = BTreeMap::new();
    for (change, texts) in changes.iter().zip(texts.chunks(2)) {
        for (name, text) in [&change.old, &change.new].into_iter().zip(texts) {
            known
                .entry((change.path.as_str(), name.as_str()))
                .or_insert_with(|| read(&change.path, text.as_deref().unwrap_or_default()));
        }
    }
    for change in &changes {
        let side = |name: &str, claim: &Claim| {
            known.get(&(change.path.as_str(), name)).is_some_and(|declared| has(declared, claim))
        };
        for (claim, commit) in &mut removals {
            if commit.is_none() && side(&change.old, claim) && !side(&change.new, claim) {
                *commit = Some(change.commit.clone());
            }
        }
    }
    removals
}

/// A file before and after a commit, as names of blobs.
struct Change {
    commit: Commit,
    path: String,
    old: String,
    new: String,
}

fn changes(repository: &Repository) -> Vec<Change> {
    let names = quipu_code::ManifestKind::PATTERNS.iter().chain([&ALIASES]);
    let patterns: Vec<String> = names.map(|name| format!(":(top,glob)**/{name}")).collect();
    let mut arguments = HISTORY.to_vec();
    arguments.extend([&*repository.commit, "--"]);
    arguments.extend(patterns.iter().map(String::as_str));
    let output = repository.git(&arguments, None).unwrap_or_default();
    let mut changes = Vec::new();
    for (commit, entries) in commits(&output) {
        for entry in entries.into_iter().filter(|entry| is_manifest(&entry.path)) {
            // `:100644 100644 OLD NEW M`
            let mut words = entry.status.split(' ').skip(2);
            let (Some(old), Some(new)) = (words.next(), words.next()) else { continue };
            let (old, new) = (old.to_owned(), new.to_owned());
            changes.push(Change { commit: commit.clone(), path: entry.path, old, new });
            if changes.len() == MOST_CHANGES {
                return changes;
            }
        }
    }
    changes
}
