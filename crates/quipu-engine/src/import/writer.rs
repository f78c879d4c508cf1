//! The file of an import: written beside its place, put there whole, and removed by undo.
//!
//! A source of any size is written as it is read. What is more than a file should hold goes into the next one of the
//! same run; the change log names all of them before the first is in its place, so that undo finds every one.

use std::path::PathBuf;

use quipu_core::journal::IMPORTS;
use quipu_core::text;
use quipu_import::Format;
use quipu_import::id::derived;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::ids::new_id;
use crate::index;
use crate::ledger;
use crate::lock::Lock;
use crate::operation::Request;
use crate::refusal::Refusal;
use crate::transaction::log::FileEdit;
use crate::workspace::{Workspace, stamp};

/// A file is written in pieces of this size.
const PIECE: usize = 1024 * 1024;

/// A run goes on in another file when one has become this large.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The files of one run.
pub(super) struct Writer<'w> {
    workspace: &'w Workspace,
    base: String,
    at: String,
    heading: String,
    done: Vec<Part>,
    part: Part,
    buffer: String,
    events: String,
}

/// One file: where it goes, and what is in it so far.
#[derive(Default)]
struct Part {
    path: String,
    beside: PathBuf,
    size: u64,
    sum: Sha256,
}

/// What was put in place.
pub(super) struct Placed {
    pub(super) paths: Vec<String>,
    pub(super) degraded: Option<String>,
}

impl<'w> Writer<'w> {
    pub(super) fn new(
        workspace: &'w Workspace,
        format: Format,
        request: &Request<'_>,
    ) -> Result<Self, Error> {
        let day = workspace.day(request.now);
        let run = &derived(&["run", &new_id()?])[..8];
        let base = format!("{IMPORTS}{day}-{format}-{run}");
        let mut writer = Self {
            workspace,
            part: Part::default(),
            at: stamp(request.now),
            heading: format!("# Imported from {}, {day}\n\n", format.program()),
            base,
            done: Vec::new(),
            buffer: String::new(),
            events: String::new(),
        };
        writer.next();
        Ok(writer)
    }

    fn next(&mut self) {
        let number = self.done.len() + 1;
        let end = if number == 1 { String::new() } else { format!("-{number}") };
        let path = format!("{}{end}.md", self.base);
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let beside = self.workspace.root().join(format!("{IMPORTS}.{name}.quipu-tmp"));
        self.part = Part { path, beside, ..Part::default() };
        self.buffer.push_str(&self.heading);
    }

    /// Adds a record.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Error> {
        if self.part.size + self.buffer.len() as u64 > LARGEST {
            self.flush()?;
            self.done.push(std::mem::take(&mut self.part));
            self.next();
        }
        self.buffer.push_str(text);
        if self.buffer.len() > PIECE { self.flush() } else { Ok(()) }
    }

    /// Adds a decision; those stand at the end of the last file, below what people read.
    pub(super) fn push_event(&mut self, text: &str) {
        self.events.push_str(text);
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let fs = self.workspace.fs();
        let (part, bytes) = (&mut self.part, self.buffer.as_bytes());
        let write = || {
            if part.size == 0 {
                // Private before the words are in it, not after.
                fs.write(&part.beside, b"")?;
                fs.make_private(&part.beside)?;
            }
            fs.append(&part.beside, bytes)
        };
        if part.size == 0 {
            ledger::prepare_folder_of(self.workspace, &part.path)?;
        }
        if let Err(source) = write() {
            let path = part.path.clone();
            return Err(Refusal::NotWritten { path, source }.into());
        }
        part.size += bytes.len() as u64;
        part.sum.update(bytes);
        self.buffer.clear();
        Ok(())
    }

    /// Puts all files in place, and brings the index up to date, a file at a time.
    pub(super) fn put_in_place(
        mut self,
        lock: &Lock,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Placed, Error> {
        let events = std::mem::take(&mut self.events);
        self.buffer.push_str(&events);
        self.flush()?;
        let (workspace, fs) = (self.workspace, self.workspace.fs());
        let mut parts = std::mem::take(&mut self.done);
        parts.push(std::mem::take(&mut self.part));
        for part in &parts {
            let synced = fs.sync_file(&part.beside);
            synced.map_err(|source| Refusal::NotWritten { path: part.path.clone(), source })?;
        }
        let edits = parts.iter().map(|part| FileEdit {
            path: part.path.clone(),
            at: 0,
            added: part.size,
            removed: String::new(),
            created: true,
            sha256: Some(text::hex(&part.sum.clone().finalize())),
        });
        let edits: Vec<FileEdit> = edits.collect();
        workspace.transactions().note(&self.at, Vec::new(), edits, "import");
        let mut placed = Placed { paths: Vec::new(), degraded: None };
        for part in parts {
            let target = workspace.root().join(&part.path);
            let folder = target.parent().unwrap_or(workspace.root());
            let moved = fs.rename(&part.beside, &target).and_then(|()| fs.sync_folder(folder));
            placed.paths.push(part.path.clone());
            if let Err(source) = moved {
                // Nobody may hear "failed" of something that is imported.
                for path in &placed.paths {
                    let _ = fs.remove_file(&workspace.root().join(path));
                }
                return Err(Refusal::NotWritten { path: part.path, source }.into());
            }
            // It is imported; an index that cannot follow now does so with the next command.
            if let Err(error) = index::index_locked(workspace, lock, progress) {
                placed.degraded = Some(error.to_string());
            }
        }
        Ok(placed)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // What was not put in place is of no use to anybody.
        for part in self.done.iter().chain([&self.part]).filter(|part| part.size > 0) {
            let _ = self.workspace.fs().remove_file(&part.beside);
        }
    }
}
