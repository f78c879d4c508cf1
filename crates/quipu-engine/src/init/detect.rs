//! Finding what other tools were told: their files, inside the repo, and nothing behind a link.

use std::collections::BTreeSet;
use std::path::PathBuf;

use quipu_core::migrate::vendor::{Folder, VENDORS, Vendor};
use quipu_core::migrate::{self, rules};
use quipu_core::wiring;

use super::LeftAlone;
use crate::error::Error;
use crate::fs::Kind;
use crate::workspace::{Workspace, refuse_outside};

/// Instructions longer than this are something else.
const LARGEST: u64 = 1024 * 1024;
/// More files than this are something else.
const MOST_FILES: usize = 200;
/// A pointer has no more lines than this.
const THIN: usize = 15;

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

/// Returns the files of other tools, and those that are left alone.
pub(super) fn detect(workspace: &Workspace) -> Result<(Vec<Found>, Vec<LeftAlone>), Error> {
    // What is `AGENTS.md` by another name is read by everybody already.
    let agents = workspace.root().join("AGENTS.md").canonicalize().ok();
    let mut search =
        Search { workspace, agents, found: Vec::new(), left: Vec::new(), seen: BTreeSet::new() };
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
    Ok((search.found, search.left))
}

/// Returns the files that are kept of other tools, in order.
pub(super) fn kept(workspace: &Workspace) -> Vec<String> {
    let mut kept = Vec::new();
    for vendor in &VENDORS {
        let mut open = vec![format!("{}{}", migrate::LEGACY, vendor.name)];
        while let Some(folder) = open.pop() {
            if !matches!(
                workspace.fs().stat(&workspace.root().join(&folder)),
                Ok((Kind::Folder, _))
            ) {
                continue;
            }
            let names = workspace.fs().list(&workspace.root().join(&folder)).unwrap_or_default();
            for (name, kind) in names {
                let path = format!("{folder}/{name}");
                match kind {
                    Kind::Folder => open.push(path),
                    Kind::File => kept.push(path),
                    Kind::Link | Kind::Other => {}
                }
            }
        }
    }
    kept.sort();
    kept
}

struct Search<'w> {
    workspace: &'w Workspace,
    agents: Option<PathBuf>,
    found: Vec<Found>,
    left: Vec<LeftAlone>,
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
        if !matches!(
            self.workspace.fs().stat(&self.workspace.root().join(file)),
            Ok((Kind::File, _))
        ) {
            return Ok(false);
        }
        Ok(self.workspace.read_optional(file)?.is_some_and(|text| text.contains(name)))
    }

    /// Returns what stands at a path, where no link is on the way.
    fn kind(&mut self, path: &str) -> Option<Kind> {
        let mut way = String::new();
        let mut kind = None;
        for part in path.split('/') {
            way = if way.is_empty() { part.to_owned() } else { format!("{way}/{part}") };
            kind = self.workspace.fs().stat(&self.workspace.root().join(&way)).ok();
            match kind {
                Some((Kind::Link, _)) => {
                    self.link(&way);
                    return None;
                }
                Some(_) => {}
                None => return None,
            }
        }
        kind.map(|(kind, _)| kind)
    }

    fn link(&mut self, path: &str) {
        let root = self.workspace.root();
        let real = root.join(path).canonicalize().ok();
        if real.is_some() && real == self.agents {
            return;
        }
        if refuse_outside(root, path).is_err() {
            self.leave(path, "is a link that leads out of the repo: neither read nor touched");
        } else {
            self.leave(path, "is a link: it stays, and so does what it leads to");
        }
    }

    fn folder(
        &mut self,
        vendor: &'static Vendor,
        folder: &Folder,
        path: &str,
    ) -> Result<(), Error> {
        let listed = self.workspace.fs().list(&self.workspace.root().join(path));
        let mut names = listed.map_err(|source| Error::reading(path, source))?;
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
        if self.found.len() == MOST_FILES {
            self.leave(&path, format!("comes after {MOST_FILES} others: move it by hand"));
            return Ok(());
        }
        if path.contains(['|', '\n', '\r']) || path.contains("--") && path.contains('>') {
            self.leave(&path, "has a name that cannot stand in a footer");
            return Ok(());
        }
        let read = self.workspace.fs().read_up_to(&full, LARGEST);
        let Ok(bytes) = read.map_err(|source| Error::reading(&path, source))? else {
            self.leave(&path, "is too large for instructions");
            return Ok(());
        };
        let Ok(text) = String::from_utf8(bytes) else {
            self.leave(&path, "is not UTF-8: save it as such and run `quipu init --migrate`");
            return Ok(());
        };
        if !text.trim().is_empty() && !is_pointer(&text) {
            self.found.push(Found { vendor, path, text, is_live });
        }
        Ok(())
    }
}

/// Tells whether a file does no more than send its reader to `AGENTS.md`.
fn is_pointer(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let names_it = text.contains("AGENTS.md");
    let says_more = || {
        let rules = rules::rules(text).rules;
        rules.iter().any(|rule| !rule.text.contains("AGENTS.md"))
    };
    wiring::has_block(text) || (names_it && lines <= THIN && !says_more())
}
