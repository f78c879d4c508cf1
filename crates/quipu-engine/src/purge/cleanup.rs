//! What follows the files of the memory: the state folder, the undo entries and the index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quipu_core::item::{Item, Kind};
use quipu_core::purge::{NEUTRAL, Redaction};
use quipu_store::Batch;

use super::Purged;
use super::intent::Intent;
use crate::error::Error;
use crate::fs::Kind as FileType;
use crate::lock::Lock;
use crate::state;
use crate::workspace::Workspace;

/// How often the index's journal is tried again while another process reads it.
const TRIES: u32 = 20;

impl Workspace {
    /// Takes the words out of everything but the files of the memory, and ends the purge.
    pub(super) fn clean_up(
        &self,
        lock: &Lock,
        intent: &Intent,
        redaction: &Redaction,
        report: &mut Purged,
    ) -> Result<(), Error> {
        self.clean_state(intent, redaction)?;
        self.forget_kept();
        if self.clean_index(lock, intent, redaction)? {
            Intent::remove(self).map_err(|source| crate::workspace::reading(state::PURGE, source))
        } else {
            report.not_reached.push(
                "the index's journal, which another process is reading: the next command finishes this"
                    .to_owned(),
            );
            Ok(())
        }
    }

    /// Removes the undo entries and half-written copies that have the words, and cleans the rest of
    /// the state folder.
    fn clean_state(&self, intent: &Intent, redaction: &Redaction) -> Result<(), Error> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |source| crate::workspace::reading(&path, source)
        };
        let mut removed = self.undo_entries_with(redaction);
        for entry in &removed {
            self.fs().remove_folder(entry).map_err(failed(entry))?;
        }
        let files = self.state_files();
        let (memory, _) = self.memory_files(intent.is_of_value());
        let own = crate::index::open::database_files(&self.database());
        let has_words = |path: &PathBuf| {
            !own.contains(path)
                && self.fs().read(path).is_ok_and(|bytes| redaction.words.are_in_bytes(&bytes))
        };
        // Copies of the index that were set aside.
        let copies = files.databases.into_iter().filter(has_words);
        let debris = files.debris.into_iter().chain(self.memory_debris(&memory)).chain(copies);
        for path in debris {
            self.fs().remove_file(&path).map_err(failed(&path))?;
            removed.push(path);
        }
        let staging = self.state("tx");
        if self.fs().stat(&staging).is_ok() {
            self.fs().remove_folder(&staging).map_err(failed(&staging))?;
            removed.push(staging);
        }
        for folder in self.notes().map(|(_, folders)| folders).unwrap_or_default() {
            let full = self.root().join(&folder);
            let is_empty = self.fs().list(&full).is_ok_and(|names| names.is_empty());
            if is_empty && redaction.words.are_in(&folder) {
                self.fs().remove_folder(&full).map_err(failed(&full))?;
                removed.push(full);
            }
        }
        // What is removed must not come back after a power cut.
        let folders: BTreeSet<&Path> = removed.iter().filter_map(|path| path.parent()).collect();
        for folder in folders {
            self.fs().sync_folder(folder).map_err(failed(folder))?;
        }
        for path in files.texts {
            if let Some(cleaned) = self.cleaned_state(&path, redaction) {
                self.replace_state(&path, cleaned.as_bytes()).map_err(failed(&path))?;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if redaction.words.are_in(&name) {
                let new = path.with_file_name(redaction.words.out_of(&name, NEUTRAL));
                self.fs().rename(&path, &new).map_err(failed(&path))?;
            }
        }
        Ok(())
    }

    /// Returns what a file of the state folder says without the words; nothing where it stays as it is.
    fn cleaned_state(&self, path: &Path, redaction: &Redaction) -> Option<String> {
        let bytes = self.fs().read(path).ok()?;
        let Ok(text) = String::from_utf8(bytes) else {
            // Nothing of ours is written so; what cannot be read is of no use.
            let bytes = self.fs().read(path).unwrap_or_default();
            return redaction.words.are_in_bytes(&bytes).then(String::new);
        };
        let cleaned = if path == self.state(crate::dream::PLAN) {
            redaction.dream_plan(&text)
        } else if path.parent() == Some(&self.state("hooks")) {
            // A briefing may say it in part, or cut short.
            redaction.state(&crate::hook::without_briefing(&text))
        } else {
            redaction.state(&text)
        };
        (cleaned != text).then_some(cleaned)
    }

    fn replace_state(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".quipu-tmp");
        let beside = PathBuf::from(beside);
        self.fs().write(&beside, b"")?;
        self.fs().copy_permissions(path, &beside)?;
        self.fs().write(&beside, bytes)?;
        self.fs().sync_file(&beside)?;
        self.fs().rename(&beside, path)?;
        self.fs().sync_folder(path.parent().unwrap_or(path))
    }

    /// Returns the undo entries whose copies have the words or an id that goes.
    fn undo_entries_with(&self, redaction: &Redaction) -> Vec<PathBuf> {
        let folder = self.state("undo");
        let mut entries = self.fs().list(&folder).unwrap_or_default();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let holds = |path: &PathBuf| {
            let files = self.fs().list(path).unwrap_or_default();
            files.iter().any(|(name, _)| match self.fs().read(&path.join(name)) {
                Ok(bytes) => redaction.is_in(&String::from_utf8_lossy(&bytes)),
                Err(_) => true,
            })
        };
        entries.into_iter().map(|(name, _)| folder.join(name)).filter(holds).collect()
    }

    /// Names the places beside the memory that have the words.
    pub(super) fn other_places(&self, redaction: &Redaction) -> Vec<String> {
        let mut places = Vec::new();
        let shown = |path: &Path| {
            let path = path.strip_prefix(self.root()).unwrap_or(path).display().to_string();
            redaction.id(&path)
        };
        let files = self.state_files();
        for path in files.texts.iter().chain(&files.debris) {
            let bytes = self.fs().read(path).unwrap_or_default();
            if redaction.is_in(&String::from_utf8_lossy(&bytes)) {
                places.push(shown(path));
            }
        }
        places.extend(self.undo_entries_with(redaction).iter().map(|path| shown(path)));
        let has_words = |path: &&PathBuf| {
            self.fs().read(path).is_ok_and(|bytes| redaction.words.are_in_bytes(&bytes))
        };
        places.extend(files.databases.iter().filter(has_words).map(|path| shown(path)));
        places
    }

    /// Takes the words out of the index, and every trace of them out of its files. Returns whether it
    /// is done; another process that reads can keep it from that.
    fn clean_index(
        &self,
        lock: &Lock,
        intent: &Intent,
        redaction: &Redaction,
    ) -> Result<bool, Error> {
        crate::index::open::remove_database(&self.state("replay.db"))?;
        let clean = || -> Result<bool, Error> {
            self.index_locked(lock, &mut |_, _| {})?;
            let mut store = self.store()?;
            let mut code = Vec::new();
            store.each(&mut |item| {
                if item.kind == Kind::Code && redaction.words.are_in(&code_words(&item)) {
                    code.push(item.id);
                }
                true
            })?;
            store.apply(&Batch { remove: code, ..Batch::default() })?;
            store.rename_uses(&intent.renames)?;
            for id in intent.renames.keys().chain(&intent.id) {
                store.purge(id)?;
            }
            for _ in 1..TRIES {
                if store.scrub()? {
                    return Ok(true);
                }
                std::thread::sleep(Duration::from_millis(25));
            }
            Ok(store.scrub()?)
        };
        match clean() {
            Ok(true) if !self.index_has(redaction) => return Ok(true),
            Ok(false) => return Ok(false),
            _ => {}
        }
        // An index that cannot be cleaned is made anew; it says nothing that the files do not, but how
        // often something was used.
        let uses = self.store().and_then(|store| Ok(store.all_accesses()?)).unwrap_or_default();
        self.close_store();
        crate::index::open::remove_database(&self.database())?;
        self.index_locked(lock, &mut |_, _| {})?;
        let mut store = self.store()?;
        for (item, at, uses) in uses {
            let item = redaction.id(&item);
            store.record_access(&item, at, uses)?;
        }
        Ok(store.scrub()?)
    }

    fn index_has(&self, redaction: &Redaction) -> bool {
        let has = |path: &PathBuf| match self.fs().stat(path) {
            Ok((FileType::File, _)) => {
                self.fs().read(path).is_ok_and(|bytes| redaction.words.are_in_bytes(&bytes))
            }
            _ => false,
        };
        crate::index::open::database_files(&self.database()).iter().any(has)
    }
}

fn code_words(item: &Item) -> String {
    format!("{}\n{}\n{}", item.id, item.title, item.text)
}
