//! Taking Quipu out of a repo's files: the block, the pointers, the lines in `.gitignore`. What was
//! moved comes back from `legacy/`; memory and `legacy/` themselves stay. A memory that nobody has
//! written into is none: it goes with the rest.

use quipu_core::journal;
use quipu_core::memory::MANIFEST;
use quipu_core::migrate;
use quipu_core::migrate::vendor::{Pointer, VENDORS};
use quipu_core::template;
use quipu_core::upgrade;
use quipu_core::wiring;
use quipu_engine::digest::sha256;
use quipu_engine::error::Error;
use quipu_engine::fs::Kind;
use quipu_engine::workspace::Workspace;
use quipu_engine::{git, transaction};

use super::plan::{Addition, Before, Record, read_record};
use super::{Edits, RECORD_NAME, RemovalPlan, detect, files_in, kind};
use crate::vcs::{self, Change};
use crate::without_line_break;

/// Returns what taking out would do.
pub(super) fn plan(workspace: &Workspace) -> Result<RemovalPlan, Error> {
    let record = read_record(workspace)?;
    let mut removal = Removal { workspace, record, edits: Edits::default(), notes: Vec::new() };
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
    edits: Edits,
    notes: Vec<String>,
}

impl Removal<'_> {
    fn is_there(&self, path: &str) -> bool {
        kind(self.workspace, path).is_some()
    }

    /// Leaves of a file what is not ours, down to its last byte where nobody edited it since.
    fn leave(&mut self, path: &str, current: &str, left: Option<String>, what: &str) {
        let is_as_written = |known: &&Addition| known.written == sha256(current.as_bytes());
        let left = match self.record.get(path).filter(is_as_written).map(|known| known.before) {
            Some(Before::Empty) => Some(String::new()),
            Some(Before::Unended) => left.map(|text| without_line_break(&text).to_owned()),
            None => left,
        };
        let what = if left.is_some() { what } else { "nothing else is in it" };
        self.edits.change(path, left, what);
    }

    fn block(&mut self) -> Result<(), Error> {
        let path = &*detect::instructions(self.workspace);
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
        self.leave(path, &current, left, "without our block");
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
                                "{} was edited since; its earlier content stays in {legacy}",
                                file.path
                            ));
                        }
                        self.edits.change(file.path, Some(own), "without our pointer");
                    }
                    (None, Some(original)) => {
                        self.edits.change(
                            file.path,
                            Some(original),
                            format!("as it was, from {legacy}"),
                        );
                    }
                    (None, None) => {
                        self.edits.change(file.path, None, "our pointer, and nothing else");
                    }
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
            if !transaction::is_inside(path) || !self.is_without_links(path) {
                let note = format!(
                    "{MANIFEST} says that `{path}` was moved, which is no place inside this repo: it stays as it is"
                );
                self.notes.push(note);
                continue;
            }
            if self.edits.changes.contains_key(path) || self.is_there(path) {
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
            let Some(text) = self.readable(&from) else {
                self.notes.push(format!("{path} cannot come back: {from} cannot be read as text"));
                continue;
            };
            self.edits.keep_mode(self.workspace, &from, path);
            self.edits.change(path, Some(text), format!("as it was, from {from}"));
        }
        self.edits.change(
            MANIFEST,
            Some(upgrade::without_migrated(&manifest)),
            "nothing is moved now",
        );
        Ok(())
    }

    /// Tells whether no folder on the way to a path is a link.
    fn is_without_links(&self, path: &str) -> bool {
        let mut above = path.match_indices('/').map(|(end, _)| &path[..end]);
        above.all(|folder| kind(self.workspace, folder) != Some(Kind::Link))
    }

    fn ignored(&mut self) -> Result<(), Error> {
        let path = ".gitignore";
        let Some(current) = self.workspace.read_optional(path)? else { return Ok(()) };
        let left = wiring::take_ignored(&current);
        if left.as_deref() == Some(&current) {
            return Ok(());
        }
        // What git has anyway is nobody's secret.
        let root = self.workspace.root();
        let mut personal = self.personal().into_iter();
        if let Some(personal) = personal.find(|path| !git::tracks_file(root, path)) {
            self.notes.push(format!(
                ".gitignore keeps our lines, because {personal} is personal and would be committed without them"
            ));
            return Ok(());
        }
        self.leave(path, &current, left, "without our lines");
        Ok(())
    }

    /// Returns the files that nobody wants to commit by mistake.
    fn personal(&self) -> Vec<String> {
        let own = [journal::PRIMARY, "LONGMEMORY.md", "USER.md"].map(str::to_owned);
        let mut found: Vec<String> = own.into_iter().filter(|path| self.is_there(path)).collect();
        let folder = self.workspace.root().join("memory");
        let mut names = self.workspace.fs().list(&folder).unwrap_or_default();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        let is_personal =
            |name: &String| journal::is_daily(name) || name.ends_with("MEMORY-archive.md");
        let days = names.into_iter().map(|(name, _)| name).filter(is_personal);
        found.extend(days.map(|name| format!("memory/{name}")));
        found
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
            self.edits.change(path, None, "nobody has written in it");
        }
        Ok(!files.is_empty())
    }

    /// Returns the files of a memory that are all as `init` writes them; none where one is not, or
    /// where something waits to be written into it.
    fn unwritten(&self) -> Option<Vec<String>> {
        let state = self.workspace.state_folder();
        let sessions = self.workspace.fs().list(&state.join("sessions"));
        let waits = sessions.is_ok_and(|names| !names.is_empty())
            || self.workspace.fs().stat(&state.join("pending.json")).is_ok();
        if waits || !self.is_block_as_written() || !self.personal().is_empty() {
            return None;
        }
        let (files, is_all) = files_in(self.workspace, "memory");
        let is_unwritten = |path: &String| {
            self.readable(path).is_some_and(|text| template::is_unwritten(path, &text))
        };
        (is_all && files.iter().all(is_unwritten)).then_some(files)
    }

    /// Tells whether our block in `AGENTS.md` has no word of anybody else.
    fn is_block_as_written(&self) -> bool {
        let agents = self.readable(&detect::instructions(self.workspace)).unwrap_or_default();
        let block =
            wiring::agents_block(&detect::kept(self.workspace), &detect::old_rules(self.workspace));
        !wiring::has_block(&agents)
            || wiring::put_block(&agents, &block).is_ok_and(|again| again == agents)
    }

    /// Returns what `quipu git install` wrote for this memory, not for another in the same repository.
    fn git(&mut self) -> Vec<Change> {
        let (fs, root) = (self.workspace.fs(), self.workspace.root());
        let Ok(state) = vcs::state(fs, root) else { return Vec::new() };
        let is_top = vcs::Repository::around(root).is_ok_and(|found| found.workspace == ".");
        if !is_top && !state.attributes {
            return Vec::new();
        }
        match vcs::uninstall(fs, root, true) {
            Ok(plan) => plan.changes,
            Err(error) => {
                let hint = quipu_engine::error::Failure::hint(&error).unwrap_or_default();
                self.notes.push(format!("what `quipu git install` wrote stays: {error}; {hint}"));
                Vec::new()
            }
        }
    }

    fn finish(mut self, keeps_memory: bool) -> Result<RemovalPlan, Error> {
        let git = self.git();
        let files = self.edits.finish(self.workspace)?;
        let record = self.workspace.state_folder().join(RECORD_NAME);
        let forgets = self.workspace.fs().stat(&record).is_ok();
        Ok(RemovalPlan { files, git, notes: self.notes, keeps_memory, forgets })
    }
}
