//! Taking Quipu out of a repo's files: the block, the pointers, the lines in `.gitignore`. What was
//! moved comes back from `legacy/`; memory and `legacy/` themselves stay. A memory that nobody has
//! written into is none: it goes with the rest.

use std::collections::BTreeMap;

use quipu_core::journal;
use quipu_core::memory::MANIFEST;
use quipu_core::migrate;
use quipu_core::migrate::vendor::{Pointer, VENDORS};
use quipu_core::template;
use quipu_core::upgrade;
use quipu_core::wiring;

use super::plan::{Before, Record, read_bytes, read_record};
use super::{FileChange, RECORD, RemovalPlan, detect};
use crate::error::Error;
use crate::fs::Kind;
use crate::install::hash;
use crate::vcs;
use crate::workspace::Workspace;

/// Returns what taking out would do.
pub(super) fn plan(workspace: &Workspace) -> Result<RemovalPlan, Error> {
    let record = read_record(workspace)?;
    let mut removal = Removal { workspace, record, after: BTreeMap::new(), notes: Vec::new() };
    removal.block()?;
    removal.pointers()?;
    removal.originals()?;
    removal.ignored()?;
    let keeps_memory = !removal.skeleton()?;
    removal.finish(keeps_memory)
}

struct Removal<'w> {
    workspace: &'w Workspace,
    record: Record,
    after: BTreeMap<String, (Option<String>, String)>,
    notes: Vec<String>,
}

impl Removal<'_> {
    fn change(&mut self, path: &str, text: Option<String>, what: impl Into<String>) {
        self.after.insert(path.to_owned(), (text, what.into()));
    }

    fn is_there(&self, path: &str) -> bool {
        self.workspace.fs().stat(&self.workspace.root().join(path)).is_ok()
    }

    /// Returns what is left of a file, down to its last byte where nobody edited it since.
    fn as_before(&self, path: &str, current: &str, left: Option<String>) -> Option<String> {
        let Some(known) = self.record.get(path) else { return left };
        if known.written != hash(current.as_bytes()) {
            return left;
        }
        match known.before {
            Before::Empty => Some(String::new()),
            Before::Unended => left.map(|text| {
                let bare = text.strip_suffix('\n').unwrap_or(&text);
                bare.strip_suffix('\r').unwrap_or(bare).to_owned()
            }),
        }
    }

    fn block(&mut self) -> Result<(), Error> {
        let path = "AGENTS.md";
        let Some(current) = self.workspace.read_optional(path)? else { return Ok(()) };
        let Ok(left) = wiring::take_block(&current) else {
            let note = format!(
                "{path} stays as it is: its markers are broken, take the block out by hand"
            );
            self.notes.push(note);
            return Ok(());
        };
        if left.as_deref() == Some(&current) {
            return Ok(());
        }
        let left = self.as_before(path, &current, left);
        let what = if left.is_some() { "without our block" } else { "nothing else stands in it" };
        self.change(path, left, what);
        Ok(())
    }

    fn pointers(&mut self) -> Result<(), Error> {
        let pointing = VENDORS.iter().filter(|vendor| vendor.pointer != Pointer::Needless);
        for vendor in pointing {
            for file in vendor.files {
                let Some(current) = self.readable(file.path) else { continue };
                if !wiring::has_block(&current) {
                    continue;
                }
                let legacy = migrate::legacy_path(vendor.name, file.path);
                let original = self.workspace.read_optional(&legacy)?;
                match (wiring::take_block(&current).ok().flatten(), original) {
                    (Some(own), original) => {
                        if original.is_some() {
                            self.notes.push(format!(
                                "{} has words of its own by now; what it was before stays in {legacy}",
                                file.path
                            ));
                        }
                        self.change(file.path, Some(own), "without our pointer");
                    }
                    (None, Some(original)) => {
                        self.change(file.path, Some(original), format!("as it was, from {legacy}"));
                    }
                    (None, None) => self.change(file.path, None, "our pointer, and nothing else"),
                }
            }
        }
        Ok(())
    }

    /// A file of a vendor that is no text is not ours.
    fn readable(&self, path: &str) -> Option<String> {
        self.workspace.read_optional(path).ok().flatten()
    }

    /// Brings back what was moved and left no pointer.
    fn originals(&mut self) -> Result<(), Error> {
        let Some(manifest) = self.workspace.read_optional(MANIFEST)? else { return Ok(()) };
        let moved = upgrade::migrated(&manifest);
        if moved.is_empty() {
            return Ok(());
        }
        for path in &moved {
            if self.after.contains_key(path) || self.is_there(path) {
                continue;
            }
            let from = VENDORS
                .iter()
                .map(|vendor| migrate::legacy_path(vendor.name, path))
                .find(|legacy| self.is_there(legacy));
            let Some(from) = from else {
                self.notes.push(format!("{path} cannot come back: it is not in legacy/ any more"));
                continue;
            };
            let text = self.workspace.read_optional(&from)?;
            self.change(path, text, format!("as it was, from {from}"));
        }
        self.change(MANIFEST, Some(upgrade::without_migrated(&manifest)), "nothing is moved now");
        Ok(())
    }

    fn ignored(&mut self) -> Result<(), Error> {
        let path = ".gitignore";
        let Some(current) = self.workspace.read_optional(path)? else { return Ok(()) };
        let left = wiring::take_ignored(&current);
        if left.as_deref() == Some(&current) {
            return Ok(());
        }
        if let Some(personal) = self.personal() {
            self.notes.push(format!(
                ".gitignore keeps our lines, because {personal} is personal and would be committed without them"
            ));
            return Ok(());
        }
        let left = self.as_before(path, &current, left);
        let what = if left.is_some() { "without our lines" } else { "nothing else stands in it" };
        self.change(path, left, what);
        Ok(())
    }

    /// Returns a file that nobody wants to commit by mistake.
    fn personal(&self) -> Option<String> {
        let own = [journal::PRIMARY, "LONGMEMORY.md", "USER.md"];
        let own = own.into_iter().find(|path| self.is_there(path)).map(str::to_owned);
        let folder = self.workspace.root().join("memory");
        let names = self.workspace.fs().list(&folder).unwrap_or_default();
        own.or_else(|| {
            let day = names
                .into_iter()
                .find(|(name, _)| journal::is_daily(name) || name.ends_with("MEMORY-archive.md"));
            day.map(|(name, _)| format!("memory/{name}"))
        })
    }

    /// Takes out a memory that nobody has written into; tells whether it did.
    fn skeleton(&mut self) -> Result<bool, Error> {
        let Some(mut files) = self.unwritten() else { return Ok(false) };
        match self.workspace.read_optional(MANIFEST)? {
            Some(text) if upgrade::is_plain_manifest(&upgrade::without_migrated(&text)) => {
                files.push(MANIFEST.to_owned());
            }
            Some(_) => return Ok(false),
            None => {}
        }
        for path in &files {
            self.change(path, None, "nobody has written in it");
        }
        Ok(!files.is_empty())
    }

    /// Returns the files of a memory that are all as `init` writes them; none where one is not, or
    /// where something waits to be written into it.
    fn unwritten(&self) -> Option<Vec<String>> {
        let sessions = self.workspace.fs().list(&self.workspace.state("sessions"));
        let waits = sessions.is_ok_and(|names| !names.is_empty())
            || self.workspace.fs().stat(&self.workspace.state("pending.json")).is_ok();
        if waits || !self.is_block_as_written() || self.personal().is_some() {
            return None;
        }
        let (mut files, mut open) = (Vec::new(), vec!["memory".to_owned()]);
        while let Some(folder) = open.pop() {
            let names = self.workspace.fs().list(&self.workspace.root().join(&folder));
            for (name, kind) in names.unwrap_or_default() {
                let path = format!("{folder}/{name}");
                match kind {
                    Kind::Folder => open.push(path),
                    Kind::File => {
                        let text = self.readable(&path);
                        if !text.is_some_and(|text| template::is_unwritten(&path, &text)) {
                            return None;
                        }
                        files.push(path);
                    }
                    Kind::Link | Kind::Other => return None,
                }
            }
        }
        Some(files)
    }

    /// Tells whether our block in `AGENTS.md` has no word of anybody else.
    fn is_block_as_written(&self) -> bool {
        let agents = self.readable("AGENTS.md").unwrap_or_default();
        let block = wiring::agents_block(&detect::kept(self.workspace));
        !wiring::has_block(&agents)
            || wiring::put_block(&agents, &block).is_ok_and(|again| again == agents)
    }

    fn finish(mut self, keeps_memory: bool) -> Result<RemovalPlan, Error> {
        let in_git = vcs::state(self.workspace.fs(), self.workspace.root());
        if in_git.is_ok_and(|state| state.attributes || state.driver) {
            self.notes.push(
                "the merge driver and the hooks of git stay: `quipu git uninstall` takes them out"
                    .to_owned(),
            );
        }
        let mut plan = RemovalPlan { keeps_memory, notes: self.notes, ..RemovalPlan::default() };
        for (path, (text, what)) in self.after {
            let before = read_bytes(self.workspace, &path)?;
            let after = text.map(String::into_bytes);
            if before != after {
                plan.files.push(FileChange { path, before, after, what });
            }
        }
        plan.forgets = self.workspace.fs().stat(&self.workspace.root().join(RECORD)).is_ok();
        Ok(plan)
    }
}
