//! Finding what other tools were told: their files, inside the repo, and nothing behind a link.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quipu_core::memory::PROTOCOL;
use quipu_core::migrate::vendor::{Folder, VENDORS, Vendor};
use quipu_core::migrate::{self, adapter, rules};
use quipu_core::upgrade::OLD_RULES;
use quipu_core::wiring;
use quipu_engine::codebase::files_below;
use quipu_engine::error::Error;
use quipu_engine::fs::Kind;
use quipu_engine::git;
use quipu_engine::workspace::Workspace;

use super::{LeftAlone, files_in, kind};

/// Instructions longer than this are something else.
const LARGEST: u64 = 1024 * 1024;
/// More files than this are something else.
const MOST_FILES: usize = 200;

/// What Claude reads of one person alone; usually git does not know it.
const PERSONAL: &str = "CLAUDE.local.md";
/// Where instructions for one mode of Roo Code stand, and how their names begin.
const MODES: [(&str, &str); 2] = [(".roo", "rules-"), ("", ".roorules-")];
/// Instructions that may stand in any folder.
const NESTED: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
/// Folders whose instructions are taken over, or were.
const OWN_PLACES: [&str; 4] = ["legacy", "memory", ".claude", ".gemini"];
/// So many of them are named; more are counted.
const MOST_NAMED: usize = 5;

/// A file of a vendor.
pub(super) struct Found {
    pub(super) vendor: &'static Vendor,
    pub(super) path: String,
    pub(super) text: String,
    pub(super) is_live: bool,
}

impl Found {
    /// Returns where it is kept.
    pub(super) fn legacy(&self) -> String {
        migrate::legacy_path(self.vendor.name, &self.path)
    }
}

/// Returns the file that holds what `AGENTS.md` says. Where that is a link to a file beside it, such as
/// `CLAUDE.md`, that file is written and the link stays.
pub(super) fn instructions(workspace: &Workspace) -> String {
    let agents = workspace.root().join(AGENTS);
    let beside = || {
        let target = std::fs::read_link(&agents).ok()?.into_os_string().into_string().ok()?;
        // A link to a file anywhere else is not looked at.
        if target.contains(['/', '\\']) || target.starts_with('.') {
            return None;
        }
        (kind(workspace, &target) == Some(Kind::File)).then_some(target)
    };
    beside().unwrap_or_else(|| AGENTS.to_owned())
}

const AGENTS: &str = "AGENTS.md";

/// Returns the files of an older original that hold the rules of the memory; none where they are in `memory/PROTOCOL.md`.
pub(super) fn old_rules(workspace: &Workspace) -> Vec<&'static str> {
    let is_there = |path: &&str| kind(workspace, path) == Some(Kind::File);
    let is_ours = kind(workspace, PROTOCOL).is_some() || !is_there(&OLD_RULES[0]);
    if is_ours { Vec::new() } else { OLD_RULES.into_iter().filter(is_there).collect() }
}

/// Where tools that do not read `AGENTS.md` leave traces in a repo, by the vendor's name.
const TRACES: [(&str, &str); 3] =
    [("claude", ".claude"), ("claude", ".mcp.json"), ("gemini", ".gemini")];

/// Returns the vendors that have traces in the repo.
pub(super) fn present(workspace: &Workspace) -> Vec<&'static str> {
    let is_there = |trace: &&(&str, &str)| kind(workspace, trace.1).is_some();
    TRACES.iter().filter(is_there).map(|(name, _)| *name).collect()
}

/// What other tools were told.
pub(super) struct Detected {
    /// Their files.
    pub(super) found: Vec<Found>,
    /// Files that are left alone, whatever is asked for.
    pub(super) left: Vec<LeftAlone>,
    /// Files that are left alone, and named only where something is taken over: they only point to
    /// `AGENTS.md`, or git ignores them.
    pub(super) told_once: Vec<LeftAlone>,
}

/// Returns the files of other tools, and those that are left alone. What git ignores is private: only
/// where somebody asks for it is it read.
pub(super) fn detect(workspace: &Workspace, include_ignored: bool) -> Result<Detected, Error> {
    // What is `AGENTS.md` by another name is read by everybody already.
    let agents = workspace.root().join(AGENTS).canonicalize().ok();
    let mut search = Search {
        workspace,
        agents,
        ignored: if include_ignored { Vec::new() } else { ignored(workspace) },
        found: Vec::new(),
        left: Vec::new(),
        told_once: Vec::new(),
        seen: BTreeSet::new(),
    };
    for vendor in &VENDORS {
        for file in vendor.files {
            let is_named = match file.named_in {
                Some(other) => search.names(other, file.path)?,
                None => true,
            };
            if is_named && search.kind(file.path) == Some(Kind::File) {
                search.file(vendor, file.path.to_owned(), false)?;
            }
        }
        for folder in vendor.folders {
            if search.kind(folder.path) == Some(Kind::Folder) {
                search.folder(vendor, folder, folder.path)?;
            }
        }
    }
    Ok(Detected { found: search.found, left: search.left, told_once: search.told_once })
}

/// Returns which files and folders of other tools git ignores.
fn ignored(workspace: &Workspace) -> Vec<String> {
    let files = VENDORS.iter().flat_map(|vendor| vendor.files).map(|file| file.path);
    let folders = VENDORS.iter().flat_map(|vendor| vendor.folders).map(|folder| folder.path);
    let paths: Vec<&str> = files.chain(folders).collect();
    git::ignored(workspace.root(), &paths)
}

/// Adds what tools are told too, and what is no business of everybody: it stays where it is.
pub(super) fn name_others(workspace: &Workspace, left: &mut Vec<LeftAlone>) {
    let fs = workspace.fs();
    let mut leave = |path: String, why: &str| left.push(LeftAlone { path, why: why.to_owned() });
    if kind(workspace, PERSONAL).is_some() {
        leave(PERSONAL.to_owned(), "is personal: it is not read, and Claude goes on reading it");
    }
    for (folder, start) in MODES {
        let mut names = fs.list(&workspace.root().join(folder)).unwrap_or_default();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, _) in names.into_iter().filter(|(name, _)| name.starts_with(start)) {
            let path = Path::new(folder).join(name).to_string_lossy().replace('\\', "/");
            leave(path, "is for one mode of Roo Code, which goes on reading it");
        }
    }
    let mut nested = nested(workspace);
    let more = nested.split_off(nested.len().min(MOST_NAMED));
    for path in nested {
        leave(path, "is about its folder: it stays, and tools read it there");
    }
    if let Some(first) = more.first() {
        leave(first.clone(), &format!("and {} others below folders stay as well", more.len() - 1));
    }
}

/// Returns the instructions below the root, which are about their folder.
fn nested(workspace: &Workspace) -> Vec<String> {
    let all = files_below(workspace.root());
    let is_one = |path: &String| {
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        let first = folder.split('/').next().unwrap_or_default();
        NESTED.contains(&name) && !first.is_empty() && !OWN_PLACES.contains(&first)
    };
    let mut found: Vec<String> = all.into_iter().filter(is_one).collect();
    found.sort();
    found.dedup();
    found
}

/// Returns the files that are kept of other tools, in order.
pub(super) fn kept(workspace: &Workspace) -> Vec<String> {
    let folders = VENDORS.iter().map(|vendor| format!("{}{}", migrate::LEGACY, vendor.name));
    let mut kept: Vec<String> = folders.flat_map(|folder| files_in(workspace, &folder).0).collect();
    kept.sort();
    kept
}

struct Search<'w> {
    workspace: &'w Workspace,
    agents: Option<PathBuf>,
    ignored: Vec<String>,
    found: Vec<Found>,
    left: Vec<LeftAlone>,
    told_once: Vec<LeftAlone>,
    seen: BTreeSet<String>,
}

impl Search<'_> {
    fn leave(&mut self, path: &str, why: impl Into<String>) {
        if self.seen.insert(path.to_owned()) {
            self.left.push(LeftAlone { path: path.to_owned(), why: why.into() });
        }
    }

    /// Tells whether a file has the name of another in it.
    fn names(&self, file: &str, name: &str) -> Result<bool, Error> {
        if kind(self.workspace, file) != Some(Kind::File) {
            return Ok(false);
        }
        Ok(self.workspace.read_optional(file)?.is_some_and(|text| text.contains(name)))
    }

    /// Returns what stands at a path, where no link is on the way.
    fn kind(&mut self, path: &str) -> Option<Kind> {
        let above = path.match_indices('/').map(|(end, _)| &path[..end]);
        for way in above.chain([path]) {
            if kind(self.workspace, way)? == Kind::Link {
                self.link(way);
                return None;
            }
        }
        kind(self.workspace, path)
    }

    fn link(&mut self, path: &str) {
        let root = self.workspace.root();
        let real = root.join(path).canonicalize().ok();
        if real.is_some() && real == self.agents {
            return;
        }
        if real.is_some_and(|real| real.starts_with(root)) {
            self.leave(path, "is a link: it stays, and so does what it leads to");
        } else {
            self.leave(path, "is a link that leads out of the repo: neither read nor touched");
        }
    }

    fn folder(
        &mut self,
        vendor: &'static Vendor,
        folder: &Folder,
        path: &str,
    ) -> Result<(), Error> {
        let listed = self.workspace.fs().list(&self.workspace.root().join(path));
        let mut names = listed.map_err(|source| quipu_engine::workspace::reading(path, source))?;
        names.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, kind) in names {
            let inner = format!("{path}/{name}");
            match kind {
                Kind::Link => self.link(&inner),
                Kind::Folder => self.folder(vendor, folder, &inner)?,
                Kind::File if folder.endings.iter().any(|ending| name.ends_with(ending)) => {
                    self.file(vendor, inner, folder.is_live)?;
                }
                Kind::File | Kind::Other => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, vendor: &'static Vendor, path: String, is_live: bool) -> Result<(), Error> {
        let full = self.workspace.root().join(&path);
        if self.agents.is_some() && full.canonicalize().ok() == self.agents {
            return Ok(());
        }
        if self.ignored.iter().any(|one| Path::new(&path).starts_with(one)) {
            let why = "is ignored by git, so it is private: not read (`--include-ignored` takes it over, into files that git does not ignore)";
            self.told_once.push(LeftAlone { path, why: why.to_owned() });
            return Ok(());
        }
        if self.found.len() == MOST_FILES {
            self.leave(&path, format!("comes after {MOST_FILES} others: move it by hand"));
            return Ok(());
        }
        if path.contains(['|', '\n', '\r']) || path.contains("--") && path.contains('>') {
            self.leave(&path, "has a name that cannot stand in a footer");
            return Ok(());
        }
        let read = self.workspace.fs().read_up_to(&full, LARGEST);
        let Ok(bytes) = read.map_err(|source| quipu_engine::workspace::reading(&path, source))?
        else {
            self.leave(&path, "is too large for instructions");
            return Ok(());
        };
        let Ok(text) = String::from_utf8(bytes) else {
            self.leave(&path, "is not UTF-8: save it as such and run `quipu init --existing move`");
            return Ok(());
        };
        if text.trim().is_empty() || wiring::has_block(&text) {
            return Ok(());
        }
        if adapter::is_originals(&text) {
            let why = "is agent-memory's own, and holds no rule of yours: it stays".to_owned();
            self.told_once.push(LeftAlone { path, why });
        } else if rules::only_points_to(&text, "AGENTS.md") {
            let why = "only points to AGENTS.md: it stays".to_owned();
            self.told_once.push(LeftAlone { path, why });
        } else {
            self.found.push(Found { vendor, path, text, is_live });
        }
        Ok(())
    }
}
