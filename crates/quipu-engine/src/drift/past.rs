//! What the history of the default branch says about paths: which commit took one away, and what it
//! is called today.

use std::collections::{BTreeMap, BTreeSet};

use super::repository::{Commit, Repository, text};
use super::{Asked, Verdict};

/// A file is followed through so many walks over the history.
const MOST_ROUNDS: usize = 12;

/// Git compares each path of each commit with each that it is given: beyond so many it is faster to
/// read them all.
const MOST_NAMED: usize = 64;

/// Of a folder that is gone, so many files are followed.
const MOST_FOLLOWED: usize = 100;

/// What happened to the paths that were asked about.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Newest first; no commit comes before one that builds on it.
    commits: Vec<Change>,
    /// Which of them delete a path, newest first.
    deletions: BTreeMap<String, Vec<usize>>,
    /// Every version that a path has had, by name of blob.
    versions: BTreeSet<(String, String)>,
    /// What each commit renamed.
    renames: BTreeMap<String, BTreeMap<String, String>>,
}

/// The paths that are asked about.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Files and folders, from the repository's root.
    pub(super) exact: BTreeSet<String>,
    /// What paths may end with, or have in them.
    pub(super) endings: BTreeSet<String>,
}

impl Wanted {
    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.endings.is_empty()
    }

    fn is_few(&self) -> bool {
        self.exact.len() + self.endings.len() <= MOST_NAMED
    }

    fn pathspec(&self) -> Vec<String> {
        let exact = self.exact.iter().map(|path| format!(":(top,literal){path}"));
        let endings = self.endings.iter().flat_map(|ending| {
            [format!(":(top,glob)**/{ending}"), format!(":(top,glob)**/{ending}/**")]
        });
        exact.chain(endings).collect()
    }

    fn has(&self, path: &str) -> bool {
        let is_in = |wanted: &BTreeSet<String>, path: &str| {
            wanted.contains(path)
                || path.match_indices('/').any(|(at, _)| wanted.contains(&path[..at]))
        };
        is_in(&self.exact, path)
            || is_in(&self.endings, path)
            || path.match_indices('/').any(|(at, _)| is_in(&self.endings, &path[at + 1..]))
    }
}

#[derive(Debug)]
struct Change {
    commit: Commit,
    /// Paths that it adds or changes, with what stands there since.
    written: Vec<(String, String)>,
    deleted: Vec<String>,
}

impl Change {
    /// Returns what it does to the paths that are asked about.
    fn only(&self, wanted: &Wanted) -> Option<Self> {
        let deleted: Vec<String> =
            self.deleted.iter().filter(|path| wanted.has(path)).cloned().collect();
        let written: Vec<(String, String)> =
            self.written.iter().filter(|(path, _)| wanted.has(path)).cloned().collect();
        let is_empty = deleted.is_empty() && written.is_empty();
        (!is_empty).then(|| Self { commit: self.commit.clone(), written, deleted })
    }
}

/// What became of a file: the commit that took it away, and its name today.
struct Fate<'a> {
    at: usize,
    commit: &'a Commit,
    now: Option<String>,
}

impl History {
    /// Reads until no rename leads to a path that was not asked about.
    pub(super) fn read(repository: &Repository, mut wanted: Wanted) -> Self {
        let mut history = Self::default();
        if wanted.is_empty() {
            return history;
        }
        let mut all: Option<Vec<Change>> = None;
        for _ in 0..MOST_ROUNDS {
            history.commits = if wanted.is_few() {
                changes(repository, &wanted.pathspec())
            } else {
                let all = all.get_or_insert_with(|| changes(repository, &[]));
                all.iter().filter_map(|change| change.only(&wanted)).collect()
            };
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
                .filter(|target| !target.contains('\n') && !wanted.exact.contains(*target))
                .cloned()
                .collect();
            if targets.is_empty() {
                break;
            }
            wanted.exact.extend(targets);
        }
        history
    }

    /// Tells whether a path has had this version on the default branch.
    pub(super) fn knows(&self, path: &str, version: &str) -> bool {
        self.versions.contains(&(path.to_owned(), version.to_owned()))
    }

    fn index(&mut self) {
        self.deletions.clear();
        self.versions.clear();
        for (at, change) in self.commits.iter().enumerate() {
            for path in &change.deleted {
                self.deletions.entry(path.clone()).or_default().push(at);
            }
            self.versions.extend(change.written.iter().cloned());
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

    /// Returns what became of a path that is not there.
    pub(super) fn verdict(&self, repository: &Repository, asked: &Asked) -> Verdict {
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
        let first = |from: &str| self.versions.range((from.to_owned(), String::new())..).next();
        let is_file = first(path).is_some_and(|(added, _)| added == path);
        let is_folder = first(&folder).is_some_and(|(added, _)| added.starts_with(&folder));
        (is_file || is_folder).then(|| gone(None, None))
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

/// How the changes of files are asked for.
pub(super) const HISTORY: [&str; 10] = [
    "log",
    "--topo-order",
    "--full-history",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "--no-ext-diff",
    "--no-show-signature",
    "--format=%x01%H %ct",
];

/// Returns the commits of the default branch that touch one of the paths, or anything.
fn changes(repository: &Repository, pathspec: &[String]) -> Vec<Change> {
    let start = format!("{}\n--\n", repository.commit);
    let input = pathspec.iter().fold(start, |input, path| input + path + "\n");
    let mut arguments = HISTORY.to_vec();
    arguments.extend(["--stdin", "--diff-filter=AMD"]);
    let output = repository.git(&arguments, Some(input.as_bytes())).unwrap_or_default();
    let change = |(commit, entries): (Commit, Vec<Entry>)| {
        let (deleted, written): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|entry| entry.status.ends_with('D'));
        Change {
            commit,
            deleted: deleted.into_iter().map(|entry| entry.path).collect(),
            written: written
                .into_iter()
                .filter_map(|entry| Some((entry.path, entry.status.split(' ').nth(3)?.to_owned())))
                .collect(),
        }
    };
    commits(&output).into_iter().map(change).collect()
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
