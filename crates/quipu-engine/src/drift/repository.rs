//! The repository around a workspace: its default branch, what that holds, and the branches that
//! have something of their own.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::git::git;

/// Of more branches than these, only those with the newest commits count.
const MOST_BRANCHES: usize = 100;

/// What decides about references, whatever is checked out.
#[derive(Debug)]
pub(super) struct Repository {
    root: PathBuf,
    /// The repository's own folder, without links.
    pub(super) top: PathBuf,
    /// The workspace's path inside it, with a `/` at its end.
    pub(super) prefix: String,
    pub(super) is_shallow: bool,
    /// The name of the default branch.
    pub(super) branch: String,
    /// Its last commit.
    pub(super) commit: String,
    tree: OnceCell<Tree>,
    others: OnceCell<Vec<Head>>,
}

/// A branch that has commits of its own.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) commit: String,
    /// Whether it can be checked out as it is, and is not only known of a remote.
    pub(super) is_own: bool,
    base: OnceCell<Option<String>>,
}

/// What stands at a path in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) id: String,
    pub(super) is_folder: bool,
}

/// The files of a commit.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) files: BTreeSet<String>,
    /// Files by their last segment.
    by_name: BTreeMap<String, Vec<String>>,
}

/// A commit that changed something that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) id: String,
    pub(super) when: Option<Timestamp>,
}

impl Commit {
    /// Reads `id seconds`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (id, seconds) = text.trim().split_once(' ')?;
        let when = seconds.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        Some(Self { id: id.to_owned(), when })
    }
}

impl Repository {
    /// Opens the repository that holds `root`, where it has a commit.
    pub(super) fn open(root: &Path) -> Option<Self> {
        let what = ["rev-parse", "--show-toplevel", "--show-prefix", "--is-shallow-repository"];
        let text = text(git(root, &what, None)?);
        let mut lines = text.lines();
        let (top, prefix, shallow) = (lines.next()?, lines.next()?, lines.next()?);
        let references = References::read(root)?;
        let (branch, commit) = references.default_branch(root)?;
        Some(Self {
            root: root.to_owned(),
            top: PathBuf::from(top),
            prefix: prefix.to_owned(),
            is_shallow: shallow == "true",
            branch,
            commit,
            tree: OnceCell::new(),
            others: OnceCell::new(),
        })
    }

    /// Runs git, and returns what it says where it succeeds.
    pub(super) fn git(&self, arguments: &[&str], input: Option<&[u8]>) -> Option<Vec<u8>> {
        git(&self.root, arguments, input)
    }

    /// Returns the tracked files that differ from `HEAD`, with the blob that it has of each.
    pub(super) fn uncommitted(&self) -> Vec<(PathBuf, Option<String>)> {
        let head = self.git(&["rev-parse", "-q", "--verify", "HEAD^{commit}"], None).map(text);
        head.map_or_else(Vec::new, |head| crate::git::changed_since(&self.root, head.trim()))
    }

    /// Returns the files of the default branch.
    pub(super) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let list = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", &self.commit];
            Tree::new(&self.git(&list, None).unwrap_or_default())
        })
    }

    /// Returns the branches that have commits of their own: one that was merged, or lags behind, says
    /// nothing that the default branch does not know.
    pub(super) fn others(&self) -> &[Head] {
        self.others.get_or_init(|| {
            let unmerged = format!("--no-merged={}", self.commit);
            let count = format!("--count={MOST_BRANCHES}");
            let list = [
                "for-each-ref",
                "--format=%(objectname) %(refname)",
                "--sort=-committerdate",
                &count,
                &unmerged,
                "refs/heads",
                "refs/remotes",
            ];
            let listed = self.git(&list, None).map(text).unwrap_or_default();
            let detached = self.detached_head().map(|commit| format!("{commit} HEAD"));
            let mut heads: Vec<Head> = Vec::new();
            for line in listed.lines().map(str::to_owned).chain(detached) {
                let Some((commit, name)) = line.split_once(' ') else { continue };
                let is_own = !name.starts_with("refs/remotes/");
                let name = name.trim_start_matches("refs/heads/");
                let name = name.trim_start_matches("refs/remotes/").to_owned();
                match heads.iter_mut().find(|head| head.commit == commit) {
                    Some(same) if is_own && !same.is_own => (same.name, same.is_own) = (name, true),
                    Some(_) => {}
                    None => {
                        let commit = commit.to_owned();
                        heads.push(Head { name, commit, is_own, base: OnceCell::new() });
                    }
                }
            }
            heads
        })
    }

    /// Returns the commit at which a branch left the default one.
    pub(super) fn base<'a>(&self, head: &'a Head) -> Option<&'a str> {
        let base = head.base.get_or_init(|| {
            let base = self.git(&["merge-base", &self.commit, &head.commit], None).map(text)?;
            Some(base.lines().next()?.to_owned())
        });
        base.as_deref()
    }

    /// Returns the commit that is checked out without a branch, where it is not on the default one.
    fn detached_head(&self) -> Option<String> {
        if self.git(&["symbolic-ref", "-q", "HEAD"], None).is_some() {
            return None;
        }
        let head = self.git(&["rev-parse", "-q", "--verify", "HEAD^{commit}"], None).map(text)?;
        let head = head.trim().to_owned();
        let is_known = ["merge-base", "--is-ancestor", &head, &self.commit];
        self.git(&is_known, None).is_none().then_some(head)
    }

    /// Returns what stands at each `COMMIT:PATH`, in order; none where nothing does.
    pub(super) fn objects(&self, names: &[String]) -> Option<Vec<Option<Object>>> {
        if names.is_empty() {
            return Some(Vec::new());
        }
        let input = names.join("\n") + "\n";
        let output = self.git(&["cat-file", "--batch-check"], Some(input.as_bytes()))?;
        let object = |line: &str| {
            let mut words = line.split(' ');
            let (id, kind) = (words.next()?, words.next()?);
            let is_there = !line.ends_with(" missing");
            is_there.then(|| Object { id: id.to_owned(), is_folder: kind == "tree" })
        };
        let found: Vec<Option<Object>> = text(output).lines().map(object).collect();
        (found.len() == names.len()).then_some(found)
    }

    /// Returns the contents of blobs by name, in order; none for what is not there.
    pub(super) fn blobs(&self, names: &[String]) -> Option<Vec<Option<String>>> {
        if names.is_empty() {
            return Some(Vec::new());
        }
        let input = names.join("\n") + "\n";
        let output = self.git(&["cat-file", "--batch"], Some(input.as_bytes()))?;
        let mut rest = output.as_slice();
        let mut blobs = Vec::with_capacity(names.len());
        for _ in names {
            let end = rest.iter().position(|b| *b == b'\n')?;
            let header = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let mut words = header.rsplit(' ');
            let size: Option<usize> = words.next().and_then(|size| size.parse().ok());
            let Some(size) = size.filter(|_| words.next().is_some_and(|kind| kind != "missing"))
            else {
                blobs.push(None);
                continue;
            };
            blobs.push(Some(String::from_utf8_lossy(rest.get(..size)?).into_owned()));
            rest = rest.get(size + 1..)?;
        }
        Some(blobs)
    }
}

impl Tree {
    fn new(list: &[u8]) -> Self {
        let names = list.split(|b| *b == 0).filter(|name| !name.is_empty());
        let files: BTreeSet<String> =
            names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in &files {
            let name = file.rsplit('/').next().unwrap_or(file);
            by_name.entry(name.to_owned()).or_default().push(file.clone());
        }
        Self { files, by_name }
    }

    /// Tells whether a file, or any file of a folder, is there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains(path) || self.has_folder(path)
    }

    fn has_folder(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty()
            || self
                .files
                .range(folder.clone()..)
                .next()
                .is_some_and(|file| file.starts_with(&folder))
    }

    /// Tells whether a path ends so: people leave out the folders that everyone knows.
    pub(super) fn has_ending(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = format!("/{path}");
        let inside = format!("/{path}/");
        self.by_name
            .get(name)
            .is_some_and(|files| files.iter().any(|file| file == path || file.ends_with(&ending)))
            || self.files.iter().any(|file| file.contains(&inside))
    }

    /// Tells whether a path leads into something that is no folder here: a submodule.
    pub(super) fn leads_elsewhere(&self, path: &str) -> bool {
        path.match_indices('/').any(|(at, _)| self.files.contains(&path[..at]))
    }
}

/// Branches by name, with their last commits.
struct References {
    commits: BTreeMap<String, String>,
    /// What `origin` calls its default branch.
    origin: Option<String>,
}

impl References {
    fn read(root: &Path) -> Option<Self> {
        let format = "--format=%(objectname)%00%(refname)%00%(symref)";
        let list = text(git(root, &["for-each-ref", format, "refs/heads", "refs/remotes"], None)?);
        let mut references = Self { commits: BTreeMap::new(), origin: None };
        for line in list.lines() {
            let mut parts = line.split('\0');
            let (Some(commit), Some(name)) = (parts.next(), parts.next()) else { continue };
            let target = parts.next().unwrap_or_default();
            if name == "refs/remotes/origin/HEAD" {
                references.origin = target.strip_prefix("refs/remotes/origin/").map(str::to_owned);
            } else {
                references.commits.insert(name.to_owned(), commit.to_owned());
            }
        }
        Some(references)
    }

    fn default_branch(&self, root: &Path) -> Option<(String, String)> {
        let usual = ["main", "master", "trunk"].into_iter();
        self.origin
            .as_deref()
            .into_iter()
            .chain(usual)
            .find_map(|name| Some((name.to_owned(), self.newest(root, name)?)))
            .or_else(|| self.only_branch())
            .or_else(|| {
                let head = git(root, &["rev-parse", "-q", "--verify", "HEAD^{commit}"], None)?;
                Some(("HEAD".to_owned(), text(head).trim().to_owned()))
            })
    }

    fn only_branch(&self) -> Option<(String, String)> {
        let mut local = self.commits.iter().filter(|(name, _)| name.starts_with("refs/heads/"));
        let (name, commit) = local.next()?;
        local.next().is_none().then(|| (name["refs/heads/".len()..].to_owned(), commit.clone()))
    }

    /// Returns a branch's last commit: that of `origin`, or one's own where it has all of that.
    fn newest(&self, root: &Path, name: &str) -> Option<String> {
        let local = self.commits.get(&format!("refs/heads/{name}"));
        let remote = self.commits.get(&format!("refs/remotes/origin/{name}"));
        match (local, remote) {
            (Some(local), Some(remote)) if local != remote => {
                let ahead = git(root, &["merge-base", "--is-ancestor", remote, local], None);
                Some(if ahead.is_some() { local } else { remote }.clone())
            }
            (local, remote) => remote.or(local).cloned(),
        }
    }
}

/// Returns bytes as text; a name that is not Unicode is none that anybody wrote down.
pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
