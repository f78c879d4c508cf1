//! The `.quipu/` folder of version 0.1, which kept its state in the workspace.
//!
//! It may be ours, and it may have come with a repository or an archive. Data that can do no harm is
//! taken over when git says that the folder is not part of the repository: each file is read by its own
//! type and written anew. What could write files (`tx`, `undo`) or let somebody in (`tokens.json`) is
//! taken over only when a person agrees, by `quipu adopt`: an archive can contain a `.git` folder, too.

mod receipts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quipu_store::StoreError;

use crate::digest::sha256;
use crate::error::Error;
use crate::fs::{FileSystem, Kind};
use crate::git;
use crate::index::DATABASE;
use crate::index::open::{open, remove_database};
use crate::state::{self, FOLDER};
use crate::workspace::Workspace;

/// Files larger than this are not state of 0.1.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A larger database is not copied.
const LARGEST_DATABASE: u64 = 1024 * 1024 * 1024;

/// More files than this in one folder are not state of 0.1.
const MOST: usize = 4096;

/// What was found in `.quipu/` of 0.1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// The files that were taken over.
    pub taken: Vec<String>,
    /// What waits for a person, in words.
    pub waiting: Vec<String>,
    /// Whether git does not say that the folder is no part of the repository.
    pub is_foreign: bool,
    /// Whether version 0.1 had an index here, so that it may have archived something.
    pub had_index: bool,
}

impl Adopted {
    /// Says what happened in one sentence; nothing where there was nothing.
    pub(crate) fn notice(&self) -> Option<String> {
        if self.is_foreign {
            return Some(
                "`.quipu/` came with this folder and is ignored; `quipu adopt` shows what is in it"
                    .to_owned(),
            );
        }
        let repair = "`quipu repair` shows what version 0.1 archived too early, and brings it back";
        if self.waiting.is_empty() {
            return self.had_index.then(|| repair.to_owned());
        }
        Some(
            "version 0.1 left tokens or unfinished and undoable operations in `.quipu/`: \
             `quipu adopt` shows them, and takes them over when you agree"
                .to_owned(),
        )
    }
}

/// Takes over what can do no harm, into a new state folder. Returns what to tell a person.
pub(crate) fn adopt_data(fs: &dyn FileSystem, root: &Path, into: &Path) -> Option<String> {
    let is_foreign = git::tracks(root, FOLDER) != Some(false);
    let taken = if is_foreign { Vec::new() } else { Taker::new(fs, root, into).data() };
    let had_index = fs.stat(&root.join(FOLDER).join(DATABASE)).is_ok();
    Adopted { taken, waiting: waiting(fs, root), is_foreign, had_index }.notice()
}

/// Copies files of 0.1 into a state folder, each read by its own type.
struct Taker<'a> {
    fs: &'a dyn FileSystem,
    old: PathBuf,
    into: &'a Path,
    taken: Vec<String>,
}

impl<'a> Taker<'a> {
    fn new(fs: &'a dyn FileSystem, root: &Path, into: &'a Path) -> Self {
        Self { fs, old: root.join(FOLDER), into, taken: Vec::new() }
    }

    /// Takes one file over under a name, where `read` understands it and none is there yet.
    fn take(&mut self, name: &str, to: &str, read: &dyn Fn(&[u8]) -> Option<Vec<u8>>) {
        let (fs, target) = (self.fs, self.into.join(to));
        let Ok(Ok(bytes)) = fs.read_up_to(&self.old.join(name), LARGEST) else { return };
        let Some(bytes) = read(&bytes).filter(|_| fs.stat(&target).is_err()) else { return };
        let write = || {
            fs.create_folders(target.parent().unwrap_or(self.into))?;
            fs.write(&target, b"")?;
            fs.make_private(&target)?;
            fs.write(&target, &bytes)?;
            fs.sync_file(&target)
        };
        if write().is_ok() {
            self.taken.push(name.to_owned());
        }
    }

    fn data(mut self) -> Vec<String> {
        self.take("pending.json", "pending.json", &crate::sessions::rewritten);
        self.take("init.json", "init.json", &receipts::of_init);
        self.take("install.json", "install.json", &receipts::of_install);
        for name in names(self.fs, &self.old.join("sessions")) {
            let path = format!("sessions/{name}");
            match Path::new(&name).extension().and_then(|end| end.to_str()) {
                Some("json") => self.take(&path, &path, &crate::sessions::rewritten),
                Some("opened") => self.take(&path, &path, &plain_lines),
                _ => {}
            }
        }
        for name in names(self.fs, &self.old.join("hooks")) {
            let path = format!("hooks/{name}");
            self.take(&path, &path, &crate::hook::rewritten);
        }
        for name in names(self.fs, &self.old.join("install")) {
            let path = format!("install/{name}");
            let is_itself = |bytes: &[u8]| sha256(bytes) == name;
            self.take(&path, &path, &|bytes| is_itself(bytes).then(|| bytes.to_vec()));
        }
        if self.accesses().is_ok_and(|count| count > 0) {
            self.taken.push(DATABASE.to_owned());
        }
        self.taken
    }

    /// Takes over how often memories were opened, which only the database knows; returns how many
    /// there are. A copy is read, by a store that refuses any schema but its own; nothing else of it
    /// is used, for the rest is rebuilt from the files.
    fn accesses(&self) -> Result<usize, StoreError> {
        let copy = self.into.join("of-0.1.db");
        for end in ["", "-wal"] {
            let with = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
            let from = with(&self.old.join(DATABASE));
            let Ok(Ok(bytes)) = self.fs.read_up_to(&from, LARGEST_DATABASE) else { continue };
            if self.fs.write(&with(&copy), &bytes).is_err() {
                return Ok(0);
            }
        }
        let counted = || -> Result<usize, StoreError> {
            if self.fs.stat(&copy).is_err() || self.fs.stat(&self.into.join(DATABASE)).is_ok() {
                return Ok(0);
            }
            let accesses = open(&copy)?.all_accesses()?;
            let mut store = open(&self.into.join(DATABASE))?;
            for (item, at, uses) in &accesses {
                store.record_access(item, *at, *uses)?;
            }
            Ok(accesses.len())
        };
        let counted = counted();
        // A copy that stays does no harm.
        let _ = remove_database(self.fs, &copy);
        counted
    }

    /// Takes over a folder with a manifest and the bytes that it names.
    fn operation(&mut self, from: &str, to: &str) {
        for name in names(self.fs, &self.old.join(from)) {
            let end = Path::new(&name).extension().and_then(|end| end.to_str());
            if matches!(end, Some("old" | "new")) {
                let (from, to) = (format!("{from}/{name}"), format!("{to}/{name}"));
                self.take(&from, &to, &|bytes| Some(bytes.to_vec()));
            }
        }
        // Without it the rest means nothing, so it comes last.
        let (from, to) = (format!("{from}/manifest.json"), format!("{to}/manifest.json"));
        self.take(&from, &to, &crate::transaction::rewritten);
    }
}

/// Returns the names of plain files in a folder, few and harmless ones.
fn names(fs: &dyn FileSystem, folder: &Path) -> Vec<String> {
    let is_plain = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            && !name.starts_with('.')
    };
    let entries = fs.list(folder).unwrap_or_default().into_iter();
    let files = entries.filter(|(name, kind)| *kind == Kind::File && is_plain(name));
    let mut names: Vec<String> = files.map(|(name, _)| name).take(MOST).collect();
    names.sort_unstable();
    names
}

/// Reads a list of ids.
fn plain_lines(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(bytes).ok()?;
    let is_id = |line: &str| line.len() <= 200 && !line.contains(char::is_control);
    text.lines().all(is_id).then(|| bytes.to_vec())
}

/// Returns what waits for a person, as a person would say it.
fn waiting(fs: &dyn FileSystem, root: &Path) -> Vec<String> {
    let old = root.join(FOLDER);
    let read = |name: &str| fs.read_up_to(&old.join(name), LARGEST).ok().and_then(Result::ok);
    let mut waiting = Vec::new();
    if let Some(manifest) = read("tx/manifest.json") {
        let paths = crate::transaction::paths_in(&manifest);
        waiting.push(format!("an interrupted operation that writes {}", listed(&paths)));
    }
    let undo = names_of_folders(fs, &old.join("undo"));
    if !undo.is_empty() {
        let manifests = undo.iter().filter_map(|name| read(&format!("undo/{name}/manifest.json")));
        let paths: Vec<String> =
            manifests.flat_map(|manifest| crate::transaction::paths_in(&manifest)).collect();
        let what =
            if undo.len() == 1 { "1 operation" } else { &format!("{} operations", undo.len()) };
        waiting.push(format!("{what} to undo, for {}", listed(&paths)));
    }
    if let Some(tokens) = read("tokens.json") {
        let names = crate::tokens::names_in(&tokens);
        waiting.push(format!("tokens that let in {}", listed(&names)));
    }
    waiting
}

/// Names each thing once.
fn listed(names: &[String]) -> String {
    let is_memory = |name: &&str| !name.starts_with(state::PREFIX);
    let names: BTreeSet<&str> = names.iter().map(String::as_str).filter(is_memory).collect();
    if names.is_empty() {
        return "nothing but state of Quipu's own".to_owned();
    }
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the numbered folders in a folder, in order.
fn names_of_folders(fs: &dyn FileSystem, folder: &Path) -> Vec<String> {
    let entries = fs.list(folder).unwrap_or_default().into_iter();
    let is_number = |name: &str| name.len() == 8 && name.bytes().all(|b| b.is_ascii_digit());
    let entries = entries.filter(|(name, kind)| *kind == Kind::Folder && is_number(name));
    let mut names: Vec<String> = entries.map(|(name, _)| name).take(MOST).collect();
    names.sort_unstable();
    names
}

/// Returns what version 0.1, or whoever made this folder, left in `.quipu/`.
pub fn left_in_folder(workspace: &Workspace) -> Adopted {
    Adopted {
        taken: Vec::new(),
        waiting: waiting(workspace.fs(), workspace.root()),
        is_foreign: git::tracks(workspace.root(), FOLDER) != Some(false),
        had_index: false,
    }
}

/// Tells whether `.quipu/` has files that this version does not write there.
pub fn has_foreign_state(workspace: &Workspace) -> bool {
    workspace.states().has_foreign_files()
}

/// Takes over all that is in `.quipu/`, because a person said so. An interrupted operation is
/// brought to its end by the next command; operations to undo come before those of today.
///
/// # Errors
/// When the workspace cannot be locked or written.
pub fn adopt(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let _lock = workspace.lock_for_writing()?;
    let into = workspace.state_folder();
    let mut adopted = Taker::new(workspace.fs(), workspace.root(), &into).data();
    let mut taker = Taker::new(workspace.fs(), workspace.root(), &into);
    taker.take("tokens.json", "tokens.json", &crate::tokens::rewritten);
    taker.operation("tx", "tx");
    let old = names_of_folders(workspace.fs(), &workspace.root().join(FOLDER).join("undo"));
    let highest = old.last().and_then(|name| name.parse::<u32>().ok()).unwrap_or(0);
    for name in names_of_folders(workspace.fs(), &into.join("undo")).into_iter().rev() {
        let number = name.parse::<u32>().unwrap_or(0).saturating_add(highest);
        let (from, to) = (into.join("undo").join(&name), into.join(format!("undo/{number:08}")));
        workspace
            .fs()
            .rename(&from, &to)
            .map_err(|source| crate::workspace::reading("undo", source))?;
    }
    for name in old {
        taker.operation(&format!("undo/{name}"), &format!("undo/{name}"));
    }
    adopted.extend(taker.taken);
    Ok(adopted)
}
