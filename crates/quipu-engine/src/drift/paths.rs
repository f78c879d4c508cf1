//! Which paths are there: on the default branch, on one with changes of its own, or new on disk.

use std::collections::BTreeSet;

use super::past::{History, Wanted};
use super::repository::{Head, Object, Repository, text};
use super::{Asked, Verdict};

/// So many paths are looked for wherever they may have been.
const MOST_ENDINGS: usize = 200;

/// Returns a verdict for each path.
pub(super) fn judge(repository: &Repository, asked: &[Asked]) -> Vec<Verdict> {
    let tree = repository.tree();
    let mut verdicts: Vec<Option<Verdict>> = asked
        .iter()
        .map(|path| {
            let is_there = path.candidates.iter().any(|candidate| tree.has(candidate));
            // A bare name means any file of that name.
            let bare = path.ending.as_deref().filter(|ending| !ending.contains('/'));
            (is_there || bare.is_some_and(|name| tree.has_ending(name))).then_some(Verdict::Alive)
        })
        .collect();
    keep_new_on_disk(repository, asked, &mut verdicts);
    let kept = on_branches(repository, asked, &verdicts);
    let missing = || asked.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_none());
    let exact: BTreeSet<String> = missing()
        .flat_map(|(path, _)| &path.candidates)
        .filter(|candidate| !candidate.contains('\n') && !tree.leads_elsewhere(candidate))
        .cloned()
        .collect();
    let endings: BTreeSet<String> = missing()
        .filter_map(|(path, _)| path.ending.clone())
        .filter(|ending| !tree.has_ending(ending))
        .take(MOST_ENDINGS)
        .collect();
    let history = History::read(repository, Wanted { exact, endings });
    let mut judged = Vec::with_capacity(asked.len());
    for ((path, verdict), kept) in asked.iter().zip(verdicts).zip(kept) {
        judged.push(verdict.unwrap_or_else(|| {
            // What a branch made of it may have come to the default branch in another way since.
            if kept.changed.iter().any(|(path, version)| !history.knows(path, version)) {
                return Verdict::Alive;
            }
            let mut verdict = history.verdict(repository, path);
            if let (Verdict::Gone { certain, still_on, .. }, Some(branch)) =
                (&mut verdict, kept.still_on)
            {
                *certain = false;
                *still_on = Some(branch);
            }
            verdict
        }));
    }
    judged
}

/// Returns the candidates of what has no verdict, with the place of each question.
fn missing<'a>(asked: &'a [Asked], verdicts: &[Option<Verdict>]) -> Vec<(usize, &'a str, bool)> {
    let open = (0..asked.len()).filter(|at| verdicts[*at].is_none());
    let candidates = open.flat_map(|at| {
        let candidates = asked[at].candidates.iter().zip(&asked[at].on_disk);
        candidates.map(move |(path, on_disk)| (at, path.as_str(), *on_disk))
    });
    candidates.filter(|(_, path, _)| !path.contains('\n')).collect()
}

/// Marks what is on disk and not checked out: it stays there when branches change. What is checked
/// out is on a branch, and the branches decide about it.
fn keep_new_on_disk(repository: &Repository, asked: &[Asked], verdicts: &mut [Option<Verdict>]) {
    let mut missing = missing(asked, verdicts);
    missing.retain(|(.., on_disk)| *on_disk);
    let names: Vec<String> = missing.iter().map(|(_, path, _)| format!("HEAD:{path}")).collect();
    let found = repository.objects(&names).unwrap_or_default();
    for ((at, ..), found) in missing.into_iter().zip(found) {
        if found.is_none() {
            verdicts[at] = Some(Verdict::Alive);
        }
    }
}

/// What branches with commits of their own have of a path.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// Paths that a branch has added or changed, and what it made of them.
    changed: Vec<(String, String)>,
    /// A branch of one's own that has it only as it was when that branch began. Those of others
    /// are never on one's disk.
    still_on: Option<String>,
}

fn on_branches(
    repository: &Repository,
    asked: &[Asked],
    verdicts: &[Option<Verdict>],
) -> Vec<Kept> {
    let mut kept = vec![Kept::default(); asked.len()];
    let missing = missing(asked, verdicts);
    if missing.is_empty() {
        return kept;
    }
    let paths_in = |commit: &str| -> Vec<String> {
        missing.iter().map(|(_, path, _)| format!("{commit}:{path}")).collect()
    };
    let heads = repository.others();
    let names: Vec<String> = heads.iter().flat_map(|head| paths_in(&head.commit)).collect();
    let found = repository.objects(&names).unwrap_or_default();
    for (head, tips) in heads.iter().zip(found.chunks(missing.len())) {
        if tips.iter().all(Option::is_none) {
            continue;
        }
        let bases = repository.base(head).and_then(|base| repository.objects(&paths_in(base)));
        let bases = bases.unwrap_or_else(|| vec![None; missing.len()]);
        for ((at, path, _), (tip, base)) in missing.iter().zip(tips.iter().zip(bases)) {
            let Some(tip) = tip else { continue };
            if base.as_ref() != Some(tip) {
                kept[*at].changed.extend(changed(repository, head, path, tip));
            }
            if head.is_own {
                kept[*at].still_on.get_or_insert_with(|| head.name.clone());
            }
        }
    }
    kept
}

/// Returns what a branch has added or changed at a path: the file, or files of the folder.
fn changed(
    repository: &Repository,
    head: &Head,
    path: &str,
    tip: &Object,
) -> Vec<(String, String)> {
    let base = repository.base(head).filter(|_| tip.is_folder);
    let Some(base) = base else { return vec![(path.to_owned(), tip.id.clone())] };
    let limit = format!(":(top,literal){path}");
    let arguments = [
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "--diff-filter=AM",
        base,
        &head.commit,
        "--",
        &limit,
    ];
    let output = repository.git(&arguments, None).map(text).unwrap_or_default();
    let mut parts = output.split('\0');
    let mut changed = Vec::new();
    while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
        if let Some(version) = status.split(' ').nth(3) {
            changed.push((path.to_owned(), version.to_owned()));
        }
    }
    changed
}
