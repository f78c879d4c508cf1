//! A repository with a random past, of which all is known: which paths and names were there, which
//! are, and what became of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::ledger::Numbers;

const FOLDERS: [&str; 12] = [
    "src",
    "src/parser",
    "src/net",
    "src/net/http",
    "lib",
    "lib/cache",
    "crates/core/src",
    "crates/cli/src",
    "tests",
    "tools",
    "docs/guide",
    "web/components",
];

const WORDS: [&str; 24] = [
    "queue", "retry", "export", "stream", "parcel", "carrier", "webhook", "index", "cache",
    "schema", "release", "token", "thread", "ledger", "policy", "window", "batch", "cursor",
    "filter", "merge", "quota", "shard", "digest", "lease",
];

const ENDINGS: [&str; 5] = ["rs", "py", "ts", "go", "sql"];

/// A file: what it is, whatever it is called, and its lines.
#[derive(Clone, Debug)]
struct File {
    lineage: usize,
    lines: Vec<String>,
}

type Tree = BTreeMap<String, File>;

/// A branch in the making.
struct Branch {
    name: String,
    tree: Tree,
    mark: usize,
    /// Paths that it has touched.
    touched: BTreeSet<String>,
    /// Paths that the default branch has touched since.
    theirs: BTreeSet<String>,
}

/// What really happened.
pub(crate) struct Truth {
    /// Paths that were ever on the default branch, with the file that stood there last.
    pub(crate) seen: BTreeMap<String, usize>,
    /// Where each file is today.
    pub(crate) places: BTreeMap<usize, String>,
    /// Paths of the default branch.
    pub(crate) living: BTreeSet<String>,
    /// Paths that an unmerged branch has changed.
    pub(crate) on_branches: BTreeSet<String>,
    /// Names of code that were ever there.
    pub(crate) names: BTreeSet<String>,
    /// Those that are.
    pub(crate) living_names: BTreeSet<String>,
    /// What names were changed into.
    pub(crate) renamed: BTreeMap<String, String>,
}

/// Makes histories.
pub(crate) struct Maker {
    numbers: Numbers,
    main: Tree,
    mark: usize,
    main_mark: usize,
    script: String,
    lineages: usize,
    symbols: usize,
    open: Option<Branch>,
    left: Vec<(Tree, BTreeSet<String>)>,
    branches: usize,
    truth: Truth,
}

impl Maker {
    /// Writes a repository with about so many commits, and returns the truth about it.
    pub(crate) fn write(root: &Path, seed: u64, commits: usize) -> Truth {
        let mut maker = Self {
            numbers: Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635),
            main: Tree::new(),
            mark: 0,
            main_mark: 0,
            script: String::new(),
            lineages: 0,
            symbols: 0,
            open: None,
            left: Vec::new(),
            branches: 0,
            truth: Truth {
                seen: BTreeMap::new(),
                places: BTreeMap::new(),
                living: BTreeSet::new(),
                on_branches: BTreeSet::new(),
                names: BTreeSet::new(),
                living_names: BTreeSet::new(),
                renamed: BTreeMap::new(),
            },
        };
        let mut first = Tree::new();
        for _ in 0..40 {
            maker.create(&mut first, None);
        }
        maker.commit_main(first);
        for _ in 0..commits {
            maker.step();
        }
        maker.finish();
        maker.import(root);
        maker.truth
    }

    fn import(&self, root: &Path) {
        git(root, &["init", "-q", "-b", "main"]);
        let mut child = Command::new("git")
            .arg("-C")
            .arg(root)
            .args(["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), self.script.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success());
        git(root, &["checkout", "-q", "main"]);
    }

    fn step(&mut self) {
        let chance = self.numbers.below(100);
        match &self.open {
            None if chance < 12 => return self.start_branch(),
            Some(_) if chance < 35 => return self.work_on_branch(),
            Some(_) if chance < 50 => return self.end_branch(),
            _ => {}
        }
        let mut tree = self.main.clone();
        let busy = self.open.as_ref().map(|branch| branch.touched.clone()).unwrap_or_default();
        if self.open.is_none() && self.numbers.below(100) < 18 {
            self.change_name(&mut tree);
        } else {
            self.change(&mut tree, &busy);
        }
        self.commit_main(tree);
    }

    /// Changes a tree in one or a few ways, as one commit does.
    fn change(&mut self, tree: &mut Tree, busy: &BTreeSet<String>) {
        let mut used = busy.clone();
        for _ in 0..=self.numbers.below(3) {
            let free: Vec<String> =
                tree.keys().filter(|path| !used.contains(*path)).cloned().collect();
            let chance = self.numbers.below(100);
            if free.len() < 30 || chance < 27 {
                let again =
                    if self.numbers.below(4) == 0 { self.gone_path(tree, &used) } else { None };
                let path = self.create(tree, again);
                used.insert(path);
                continue;
            }
            let path = free[self.numbers.below(free.len())].clone();
            used.insert(path.clone());
            if chance < 42 {
                let file = tree.get_mut(&path).unwrap();
                edit(&mut self.numbers, file, 3);
            } else if chance < 76 {
                let to = self.new_path(tree);
                used.insert(to.clone());
                self.rename(tree, &path, to);
            } else if chance < 80 {
                for path in self.move_folder(tree, &path, &used) {
                    used.insert(path);
                }
            } else {
                tree.remove(&path);
            }
        }
    }

    fn rename(&mut self, tree: &mut Tree, path: &str, to: String) {
        let mut file = tree.remove(path).unwrap();
        if self.numbers.below(3) == 0 {
            let most = file.lines.len() * 2 / 5;
            edit(&mut self.numbers, &mut file, most);
        }
        tree.insert(to, file);
    }

    fn move_folder(&mut self, tree: &mut Tree, path: &str, used: &BTreeSet<String>) -> Vec<String> {
        let folder = path.rsplit_once('/').unwrap().0.to_owned();
        let inside: Vec<String> =
            tree.keys().filter(|path| path.starts_with(&format!("{folder}/"))).cloned().collect();
        if inside.iter().any(|path| used.contains(path)) {
            return Vec::new();
        }
        let to = format!("{folder}_{}", self.numbers.below(1000));
        let mut touched = Vec::new();
        for path in inside {
            let target = format!("{to}{}", &path[folder.len()..]);
            if !tree.contains_key(&target) {
                let file = tree.remove(&path).unwrap();
                tree.insert(target.clone(), file);
                touched.extend([path, target]);
            }
        }
        touched
    }

    /// Returns a path that was there once and is on no branch.
    fn gone_path(&mut self, tree: &Tree, used: &BTreeSet<String>) -> Option<String> {
        let gone: Vec<&String> = self
            .truth
            .seen
            .keys()
            .filter(|path| !tree.contains_key(*path) && !self.main.contains_key(*path))
            .filter(|path| !used.contains(*path))
            .collect();
        let gone: Vec<&String> = gone.into_iter().filter(|path| !is_blocked(tree, path)).collect();
        (!gone.is_empty()).then(|| gone[self.numbers.below(gone.len())].clone())
    }

    fn new_path(&mut self, tree: &Tree) -> String {
        loop {
            let (a, b) = (self.word(), self.word());
            let folder = FOLDERS[self.numbers.below(FOLDERS.len())];
            let folder = match self.numbers.below(3) {
                0 => format!("{folder}/{}", self.word()),
                _ => folder.to_owned(),
            };
            let end = ENDINGS[self.numbers.below(ENDINGS.len())];
            let path = match self.numbers.below(3) {
                0 => format!("{folder}/{a}.{end}"),
                1 => format!("{folder}/{a}_{b}.{end}"),
                _ => format!("{folder}/{a}-{}.{end}", self.numbers.below(100)),
            };
            let taken = tree.contains_key(&path) || self.truth.seen.contains_key(&path);
            if !taken && !self.main.contains_key(&path) {
                return path;
            }
        }
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.numbers.below(WORDS.len())]
    }

    fn create(&mut self, tree: &mut Tree, path: Option<String>) -> String {
        let path = path.unwrap_or_else(|| self.new_path(tree));
        self.lineages += 1;
        let mut lines = Vec::new();
        for _ in 0..=self.numbers.below(6) {
            self.symbols += 1;
            let (a, b) = (self.word(), self.word());
            lines.push(format!("fn {a}_{b}_{}() {{", self.symbols));
            for _ in 0..2 + self.numbers.below(8) {
                lines.push(line(&mut self.numbers));
            }
            lines.push("}".to_owned());
        }
        tree.insert(path.clone(), File { lineage: self.lineages, lines });
        path
    }

    /// Renames a name everywhere, or takes a function out.
    fn change_name(&mut self, tree: &mut Tree) {
        let names: Vec<String> = tree.values().flat_map(names_in).collect();
        let name = names[self.numbers.below(names.len())].clone();
        if self.numbers.below(2) == 0 {
            self.symbols += 1;
            let (a, b) = (self.word(), self.word());
            let new = format!("{a}_{b}_{}", self.symbols);
            for line in tree.values_mut().flat_map(|file| &mut file.lines) {
                *line = line.replace(&format!("{name}("), &format!("{new}("));
            }
            self.truth.renamed.insert(name, new);
        } else {
            for file in tree.values_mut().filter(|file| names_in(file).len() > 1) {
                let head = format!("fn {name}(");
                if let Some(at) = file.lines.iter().position(|line| line.starts_with(&head)) {
                    let end = file.lines[at..].iter().position(|line| line == "}").unwrap();
                    file.lines.drain(at..=at + end);
                }
            }
        }
    }

    fn start_branch(&mut self) {
        self.branches += 1;
        self.open = Some(Branch {
            name: format!("topic-{}", self.branches),
            tree: self.main.clone(),
            mark: self.main_mark,
            touched: BTreeSet::new(),
            theirs: BTreeSet::new(),
        });
        self.work_on_branch();
    }

    fn work_on_branch(&mut self) {
        let mut branch = self.open.take().unwrap();
        let before = branch.tree.clone();
        let mut tree = branch.tree.clone();
        self.change(&mut tree, &branch.theirs);
        branch.touched.extend(difference(&before, &tree));
        branch.mark = self.commit(
            &format!("refs/heads/{}", branch.name),
            (branch.mark, None),
            &before,
            &tree,
        );
        branch.tree = tree;
        self.open = Some(branch);
    }

    fn end_branch(&mut self) {
        let branch = self.open.take().unwrap();
        if self.numbers.below(4) == 0 {
            self.left.push((branch.tree, branch.touched));
            return;
        }
        let mut tree = self.main.clone();
        for path in &branch.touched {
            match branch.tree.get(path) {
                Some(file) => tree.insert(path.clone(), file.clone()),
                None => tree.remove(path),
            };
        }
        let before = std::mem::replace(&mut self.main, tree.clone());
        self.main_mark =
            self.commit("refs/heads/main", (self.main_mark, Some(branch.mark)), &before, &tree);
        self.note(&before);
        // Whoever merged it seldom deletes it.
        if self.numbers.below(2) == 0 {
            let _ =
                writeln!(self.script, "reset refs/heads/{}\nfrom :{}\n", branch.name, branch.mark);
        }
    }

    fn commit_main(&mut self, tree: Tree) {
        let before = std::mem::take(&mut self.main);
        if let Some(branch) = &mut self.open {
            branch.theirs.extend(difference(&before, &tree));
        }
        self.main_mark = self.commit("refs/heads/main", (self.main_mark, None), &before, &tree);
        self.main = tree;
        self.note(&before);
    }

    /// Remembers who stood where.
    fn note(&mut self, before: &Tree) {
        for (path, file) in before.iter().chain(&self.main) {
            self.truth.seen.insert(path.clone(), file.lineage);
        }
        let names = self.main.values().flat_map(names_in);
        self.truth.names.extend(names);
    }

    fn commit(
        &mut self,
        branch: &str,
        (from, merged): (usize, Option<usize>),
        before: &Tree,
        after: &Tree,
    ) -> usize {
        self.mark += 1;
        let time = 1_700_000_000 + self.mark * 3600;
        let _ = write!(
            self.script,
            "commit {branch}\nmark :{}\ncommitter A <a@example.com> {time} +0000\ndata 4\nstep\n",
            self.mark
        );
        if from > 0 {
            let _ = writeln!(self.script, "from :{from}");
        }
        if let Some(merged) = merged {
            let _ = writeln!(self.script, "merge :{merged}");
        }
        let changed = difference(before, after);
        for path in changed.iter().filter(|path| !after.contains_key(*path)) {
            let _ = writeln!(self.script, "D {path}");
        }
        for path in changed.iter().filter(|path| after.contains_key(*path)) {
            let text = after[path].lines.join("\n") + "\n";
            let _ = writeln!(self.script, "M 100644 inline {path}\ndata {}\n{text}", text.len());
        }
        self.script.push('\n');
        self.mark
    }

    fn finish(&mut self) {
        if let Some(branch) = self.open.take() {
            self.left.push((branch.tree, branch.touched));
        }
        self.truth.living = self.main.keys().cloned().collect();
        self.truth.places =
            self.main.iter().map(|(path, file)| (file.lineage, path.clone())).collect();
        self.truth.living_names = self.main.values().flat_map(names_in).collect();
        for (tree, touched) in &self.left {
            let changed = touched.iter().filter(|path| tree.contains_key(*path));
            self.truth.on_branches.extend(changed.cloned());
        }
    }
}

fn edit(numbers: &mut Numbers, file: &mut File, most: usize) {
    for _ in 0..=most {
        let at = numbers.below(file.lines.len());
        if file.lines[at].starts_with("    ") {
            file.lines[at] = line(numbers);
        }
    }
}

fn line(numbers: &mut Numbers) -> String {
    let (a, b) = (WORDS[numbers.below(WORDS.len())], WORDS[numbers.below(WORDS.len())]);
    format!("    let {a} = {b}.take({}) + {};", numbers.below(100_000), numbers.below(100_000))
}

fn names_in(file: &File) -> Vec<String> {
    let heads = file.lines.iter().filter_map(|line| line.strip_prefix("fn "));
    heads.filter_map(|head| Some(head.split_once('(')?.0.to_owned())).collect()
}

fn difference(before: &Tree, after: &Tree) -> Vec<String> {
    let changed = |path: &&String| {
        let lines = |tree: &Tree| tree.get(*path).map(|file| (file.lineage, file.lines.clone()));
        lines(before) != lines(after)
    };
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    paths.into_iter().filter(changed).cloned().collect()
}

/// Tells whether a file stands where a path needs a folder, or the other way round.
fn is_blocked(tree: &Tree, path: &str) -> bool {
    let folder = format!("{path}/");
    path.match_indices('/').any(|(at, _)| tree.contains_key(&path[..at]))
        || tree.range(folder.clone()..).next().is_some_and(|(other, _)| other.starts_with(&folder))
}

/// Runs git in a folder.
pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let done = Command::new("git").arg("-C").arg(root).args(arguments).status().unwrap();
    assert!(done.success(), "{arguments:?}");
}
