//! Which paths are there, and what became of those that were.

use std::collections::{BTreeMap, BTreeSet};

use super::Verdict;
use super::repository::{Commit, Repository, text};

/// A file is followed through so many walks over the history.
const MOST_ROUNDS: usize = 12;

/// Of a folder that is gone, so many files are followed.
const MOST_FOLLOWED: usize = 100;

/// So many paths are looked for wherever they may have been.
const MOST_ENDINGS: usize = 200;

/// A path that somebody wrote down.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// What it may mean, from the repository's root, likeliest first.
    pub(super) candidates: Vec<String>,
    /// The path as it was written, where folders before it may have been left out.
    pub(super) ending: Option<String>,
    /// Whether one of the candidates exists on disk.
    pub(super) on_disk: Vec<bool>,
}

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
    let lagging = keep_unmerged(repository, asked, &mut verdicts);
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
    let history = History::read(repository, exact, &endings);
    let mut judged = Vec::with_capacity(asked.len());
    for ((path, verdict), branch) in asked.iter().zip(verdicts).zip(lagging) {
        let mut verdict = verdict.unwrap_or_else(|| history.verdict(repository, path));
        if let (Verdict::Gone { certain, still_on, .. }, Some(branch)) = (&mut verdict, branch) {
            *certain = false;
            *still_on = Some(branch);
        }
        judged.push(verdict);
    }
    judged
}

/// Marks as alive what is new in the working tree, or on a branch. Returns for each path the branch
/// that has it only since it does not know yet what happened to it.
fn keep_unmerged(
    repository: &Repository,
    asked: &[Asked],
    verdicts: &mut [Option<Verdict>],
) -> Vec<Option<String>> {
    let mut lagging: Vec<Option<String>> = vec![None; asked.len()];
    let missing = (0..asked.len()).filter(|at| verdicts[*at].is_none());
    let missing = missing.flat_map(|at| {
        let candidates = asked[at].candidates.iter().zip(&asked[at].on_disk);
        candidates.map(move |(path, on_disk)| (at, path, *on_disk))
    });
    let missing: Vec<(usize, &String, bool)> =
        missing.filter(|(_, path, _)| !path.contains('\n')).collect();
    let written = || missing.iter().filter(|(.., on_disk)| *on_disk);
    let names: Vec<String> = written().map(|(_, path, _)| format!("HEAD:{path}")).collect();
    let found = repository.objects(&names).unwrap_or_default();
    for ((at, ..), found) in written().zip(found) {
        // What is checked out is somebody's branch, and that branch decides; anything else on disk
        // stays there when branches change.
        if found.is_none() {
            verdicts[*at] = Some(Verdict::Alive);
        }
    }
    if missing.is_empty() {
        return lagging;
    }
    let paths_in = |commit: &str| -> Vec<String> {
        missing.iter().map(|(_, path, _)| format!("{commit}:{path}")).collect()
    };
    let names: Vec<String> =
        repository.others().iter().flat_map(|head| paths_in(&head.commit)).collect();
    let found = repository.objects(&names).unwrap_or_default();
    for (head, tips) in repository.others().iter().zip(found.chunks(missing.len())) {
        if tips.iter().all(Option::is_none) {
            continue;
        }
        let bases = repository.base(head).and_then(|base| repository.objects(&paths_in(base)));
        let bases = bases.unwrap_or_else(|| vec![None; missing.len()]);
        for ((at, ..), (tip, base)) in missing.iter().zip(tips.iter().zip(bases)) {
            if tip.is_some() && *tip == base {
                lagging[*at].get_or_insert_with(|| head.name.clone());
            } else if tip.is_some() {
                verdicts[*at] = Some(Verdict::Alive);
            }
        }
    }
    lagging
}

/// What happened to the paths that were asked about.
#[derive(Debug, Default)]
struct History {
    /// Newest first; no commit comes before one that builds on it.
    commits: Vec<Change>,
    /// Which of them delete a path, newest first.
    deletions: BTreeMap<String, Vec<usize>>,
    /// What each commit renamed.
    renames: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Debug)]
struct Change {
    commit: Commit,
    added: Vec<String>,
    deleted: Vec<String>,
}

/// What became of a file: the commit that took it away, and its name today.
struct Fate<'a> {
    at: usize,
    commit: &'a Commit,
    now: Option<String>,
}

impl History {
    /// Reads until no rename leads to a path that was not asked about.
    fn read(
        repository: &Repository,
        mut exact: BTreeSet<String>,
        endings: &BTreeSet<String>,
    ) -> Self {
        let mut history = Self::default();
        if exact.is_empty() && endings.is_empty() {
            return history;
        }
        for _ in 0..MOST_ROUNDS {
            history.commits = changes(repository, &exact, endings);
            history.index();
            history.read_renames(repository);
            let targets: Vec<String> = history
                .commits
                .iter()
                .flat_map(|change| {
                    let renames = history.renames.get(&change.commit.id);
                    let target = move |path| renames.and_then(|renames| renames.get(path));
                    change.deleted.iter().take(MOST_FOLLOWED).filter_map(target)
                })
                .filter(|target| !target.contains('\n') && !exact.contains(*target))
                .cloned()
                .collect();
            if targets.is_empty() {
                break;
            }
            exact.extend(targets);
        }
        history
    }

    fn index(&mut self) {
        self.deletions.clear();
        for (at, change) in self.commits.iter().enumerate() {
            for path in &change.deleted {
                self.deletions.entry(path.clone()).or_default().push(at);
            }
        }
    }

    /// Reads what the commits that delete something renamed. A walk limited to paths sees only one
    /// side of a rename, so each of these commits is looked at as a whole.
    fn read_renames(&mut self, repository: &Repository) {
        let new: Vec<&str> = self
            .commits
            .iter()
            .filter(|change| !change.deleted.is_empty())
            .map(|change| change.commit.id.as_str())
            .filter(|id| !self.renames.contains_key(*id))
            .collect();
        if new.is_empty() {
            return;
        }
        let input = new.join("\n") + "\n";
        let arguments = [
            "diff-tree",
            "--stdin",
            "-r",
            "-z",
            "-M",
            "-l2000",
            "--root",
            "--no-ext-diff",
            "--name-status",
            "--diff-filter=R",
            "--format=%x01%H 0",
        ];
        let mut read: BTreeMap<String, BTreeMap<String, String>> =
            new.iter().map(|id| ((*id).to_owned(), BTreeMap::new())).collect();
        let output = repository.git(&arguments, Some(input.as_bytes())).unwrap_or_default();
        for (commit, entries) in commits(&output) {
            let renames = entries.into_iter().filter_map(|entry| Some((entry.path, entry.target?)));
            read.entry(commit.id).or_default().extend(renames);
        }
        self.renames.extend(read);
    }

    fn verdict(&self, repository: &Repository, asked: &Asked) -> Verdict {
        let tree = repository.tree();
        for candidate in asked.candidates.iter().filter(|path| !tree.leads_elsewhere(path)) {
            if let Some(verdict) = self.fate_of(repository, candidate) {
                return verdict;
            }
        }
        let elsewhere = asked.candidates.iter().any(|path| tree.leads_elsewhere(path));
        if elsewhere {
            let is_there = asked.on_disk.contains(&true);
            return if is_there { Verdict::Alive } else { Verdict::Unknown };
        }
        let Some(ending) = &asked.ending else { return Verdict::Unknown };
        if tree.has_ending(ending) {
            return Verdict::Alive;
        }
        self.fate_of_ending(repository, ending)
    }

    /// Returns what became of a file or a folder that once stood exactly there.
    fn fate_of(&self, repository: &Repository, path: &str) -> Option<Verdict> {
        let gone = |commit: Option<&Commit>, now: Option<String>| Verdict::Gone {
            commit: commit.map(|commit| commit.id.clone()),
            when: commit.and_then(|commit| commit.when),
            now: now.map(|now| from_workspace(&repository.prefix, path, &now)),
            certain: true,
            still_on: None,
        };
        if let Some(fate) = self.follow(repository, path) {
            return Some(gone(Some(fate.commit), fate.now));
        }
        if let Some((commit, now)) = self.fate_of_folder(repository, path) {
            return Some(gone(Some(commit), now));
        }
        // A merge can take a file away that none of its parents did.
        let folder = format!("{path}/");
        let was_added = self.commits.iter().flat_map(|change| &change.added);
        was_added
            .into_iter()
            .any(|added| added == path || added.starts_with(&folder))
            .then(|| gone(None, None))
    }

    /// Follows a file from its last deletion to the name that it has today.
    fn follow(&self, repository: &Repository, path: &str) -> Option<Fate<'_>> {
        let at = *self.deletions.get(path)?.first()?;
        let commit = &self.commits[at].commit;
        let (mut name, mut when) = (path.to_owned(), at);
        let mut now = None;
        for _ in 0..=self.commits.len() {
            let renames = self.renames.get(&self.commits[when].commit.id);
            let Some(target) = renames.and_then(|renames| renames.get(&name)) else { break };
            // The first commit after this one that took the new name away.
            let later = self.deletions.get(target).map(|at| at.iter().rev());
            let Some(next) = later.and_then(|mut later| later.find(|at| **at < when)) else {
                now = repository.tree().files.contains(target).then(|| target.clone());
                break;
            };
            (name, when) = (target.clone(), *next);
        }
        Some(Fate { at, commit, now })
    }

    /// Returns what became of a folder: the commit that emptied it, and where most of it went.
    fn fate_of_folder(
        &self,
        repository: &Repository,
        path: &str,
    ) -> Option<(&Commit, Option<String>)> {
        let folder = format!("{path}/");
        let fates: Vec<(&String, Fate<'_>)> = self
            .deletions
            .range(folder.clone()..)
            .map(|(file, _)| file)
            .take_while(|file| file.starts_with(&folder))
            .take(MOST_FOLLOWED)
            .filter_map(|file| Some((file, self.follow(repository, file)?)))
            .collect();
        let newest = fates.iter().map(|(_, fate)| fate.at).min()?;
        let mut votes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (file, fate) in &fates {
            if let Some(now) = &fate.now {
                let tail = &file[path.len()..];
                let to = now.strip_suffix(tail).or_else(|| Some(now.rsplit_once('/')?.0));
                votes.entry(to.unwrap_or_default().to_owned()).or_default().push(fate.at);
            }
        }
        let most = votes
            .into_iter()
            .max_by_key(|(to, votes)| (votes.len(), std::cmp::Reverse(to.clone())));
        let now = most.and_then(|(to, votes)| {
            // What was deleted before the move began had no part in it.
            let began = votes.iter().max()?;
            let moved = fates.iter().filter(|(_, fate)| fate.at <= *began).count();
            (votes.len() * 2 > moved && !to.is_empty()).then(|| format!("{to}/"))
        });
        Some((&self.commits[newest].commit, now))
    }

    /// Returns what became of the files whose paths end so. Whoever wrote it may have meant another.
    fn fate_of_ending(&self, repository: &Repository, ending: &str) -> Verdict {
        let tail = format!("/{ending}");
        let inside = format!("/{ending}/");
        let matching = |path: &&String| path.ends_with(&tail) || path.contains(&inside);
        let mut found: BTreeSet<String> = BTreeSet::new();
        for path in self.deletions.keys().filter(matching) {
            let end = path.find(&inside).map_or(path.len(), |at| at + inside.len() - 1);
            found.insert(path[..end].to_owned());
        }
        let fates: Vec<Verdict> =
            found.iter().filter_map(|path| self.fate_of(repository, path)).collect();
        let mut targets: Vec<&String> = fates.iter().filter_map(Verdict::now).collect();
        targets.dedup();
        let target = match targets[..] {
            [target] if fates.iter().all(|fate| fate.now().is_some()) => Some(target.clone()),
            _ => None,
        };
        let newest = fates.iter().max_by_key(|fate| fate.when());
        match newest {
            Some(Verdict::Gone { commit, when, .. }) => Verdict::Gone {
                commit: commit.clone(),
                when: *when,
                now: target,
                certain: false,
                still_on: None,
            },
            _ => Verdict::Unknown,
        }
    }
}

/// Returns the commits of the default branch that add or delete one of the paths.
fn changes(
    repository: &Repository,
    exact: &BTreeSet<String>,
    endings: &BTreeSet<String>,
) -> Vec<Change> {
    let exact = exact.iter().map(|path| format!(":(top,literal){path}"));
    let endings = endings.iter().flat_map(|ending| {
        [format!(":(top,glob)**/{ending}"), format!(":(top,glob)**/{ending}/**")]
    });
    let start = [repository.commit.clone(), "--".to_owned()].into_iter();
    let lines: Vec<String> = start.chain(exact).chain(endings).collect();
    let input = lines.join("\n") + "\n";
    let arguments = [
        "log",
        "--stdin",
        "--topo-order",
        "--full-history",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-show-signature",
        "--name-status",
        "--diff-filter=AD",
        "--format=%x01%H %ct",
    ];
    let output = repository.git(&arguments, Some(input.as_bytes())).unwrap_or_default();
    commits(&output)
        .into_iter()
        .map(|(commit, entries)| {
            let (added, deleted): (Vec<Entry>, Vec<Entry>) =
                entries.into_iter().partition(|entry| entry.status.starts_with('A'));
            let paths = |entries: Vec<Entry>| entries.into_iter().map(|entry| entry.path).collect();
            Change { commit, added: paths(added), deleted: paths(deleted) }
        })
        .collect()
}

/// One file of a commit, as `--name-status` or `--raw` lists it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) status: String,
    pub(super) path: String,
    /// Its new path, of a rename.
    pub(super) target: Option<String>,
}

/// Reads what git lists with `-z` and the format `%x01%H %ct`.
pub(super) fn commits(output: &[u8]) -> Vec<(Commit, Vec<Entry>)> {
    let mut commits: Vec<(Commit, Vec<Entry>)> = Vec::new();
    let mut parts = output.split(|b| *b == 0).map(|part| text(part.to_vec()));
    while let Some(part) = parts.next() {
        let part = part.trim_start_matches('\n');
        if let Some(commit) = part.strip_prefix('\u{1}').and_then(Commit::parse) {
            commits.push((commit, Vec::new()));
        } else if let (Some((_, entries)), false) = (commits.last_mut(), part.is_empty()) {
            let Some(path) = parts.next() else { break };
            let target = if part.starts_with('R') { parts.next() } else { None };
            entries.push(Entry { status: part.to_owned(), path, target });
        }
    }
    commits
}

/// Returns a path as one writes it in the workspace, where `meant` was one inside of it.
fn from_workspace(prefix: &str, meant: &str, path: &str) -> String {
    if prefix.is_empty() || !meant.starts_with(prefix) {
        return path.to_owned();
    }
    match path.strip_prefix(prefix) {
        Some(inside) => inside.to_owned(),
        None => format!("{}{path}", "../".repeat(prefix.matches('/').count())),
    }
}
