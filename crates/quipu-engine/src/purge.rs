//! Removing words for good: for secrets, and for the right to be forgotten.
//!
//! Everything else in Quipu can be undone. This cannot, so it also goes through what undo keeps.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quipu_core::item::{Decision, Item};
use quipu_core::journal::{self, LIFECYCLE, Record};
use quipu_store::Store;
use serde::Serialize;

use crate::error::Error;
use crate::fs::Kind;
use crate::operations::Request;
use crate::recall::RecallError;
use crate::remember::{day, decision_record};
use crate::workspace::Workspace;

/// A line shorter than this may stand in any text, and is only removed where the item stands.
const TELLING: usize = 6;

/// What a purge did.
#[derive(Clone, Debug, Serialize)]
pub struct Purged {
    /// The item.
    pub id: String,
    /// The files that held its words.
    pub files: Vec<String>,
    /// What Quipu cannot reach.
    pub not_reached: Vec<String>,
}

impl Workspace {
    /// Removes an item's words from every file and table of the workspace, for good.
    ///
    /// # Errors
    /// When there is no such item, or a step fails; then it can be run again.
    pub fn purge(&self, id: &str, reason: &str, request: &Request<'_>) -> Result<Purged, Error> {
        self.freshen()?;
        let item = self.resolve(id)?;
        let lock = self.lock_for_writing()?;
        let words = self.all_words(&item)?;
        let mark = format!("(PURGED {})", day(request.now));
        let mut files = Vec::new();
        for path in self.files_with_words() {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let cleaned = cleaned(&text, &item, &words, &mark);
            if cleaned == text {
                continue;
            }
            let shown = path.strip_prefix(self.root()).unwrap_or(&path).display().to_string();
            if !request.dry_run {
                self.overwrite(&path, &shown, &cleaned)?;
            }
            files.push(shown);
        }
        let kept = self.undo_entries_with(&words);
        if request.dry_run {
            return Ok(self.purged(item.id, files));
        }
        for folder in kept {
            self.fs()
                .remove_folder(&folder)
                .map_err(|error| Error::reading(".quipu/undo", error))?;
            files.push(folder.strip_prefix(self.root()).unwrap_or(&folder).display().to_string());
        }
        let session = day(request.now).to_string();
        let decision = Decision::Purge { places: files.len() };
        let record = decision_record(&item.id, decision, reason, &session, request)?;
        self.append_lines(&lock, &journal::daily_path(day(request.now)), &[record])?;
        self.index_locked(&lock, &mut |_, _| {})?;
        let mut store = self.store()?;
        store.purge(&item.id)?;
        store.scrub()?;
        Ok(self.purged(item.id, files))
    }

    fn purged(&self, id: String, files: Vec<String>) -> Purged {
        let mut not_reached = vec!["backups and exports that were made before".to_owned()];
        if self.root().join(".git").exists() {
            not_reached.insert(
                0,
                "git history: rewrite it (`git filter-repo`) where a file with the words was committed"
                    .to_owned(),
            );
        }
        Purged { id, files, not_reached }
    }

    /// The words that the item has and had.
    fn all_words(&self, item: &Item) -> Result<Words, Error> {
        let mut texts = BTreeSet::from([item.text.clone()]);
        for event in self.store()?.events(&item.id)? {
            if let Some(Decision::Edit { text }) = event.decision {
                texts.insert(text);
            }
        }
        // The first words stand in the log, and an edit may have replaced them.
        if let Some(place) = &item.place
            && let Some(text) = self.read_optional(&place.path)?
        {
            let own = journal::records(&text).find(|(_, record)| record.id == item.id);
            texts.extend(own.map(|(_, record)| record.text));
        }
        Ok(Words { texts: texts.into_iter().collect() })
    }

    /// Every file of the memory, and what Quipu keeps beside it as text.
    fn files_with_words(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in ["memory", "memory/sessions", "memory/archive", ".quipu", ".quipu/sessions"] {
            let path = self.root().join(folder);
            let Ok(entries) = self.fs().list(&path) else { continue };
            let is_text =
                |name: &str| !name.starts_with('.') && !name.contains(".db") && name != "lock";
            files.extend(
                entries
                    .into_iter()
                    .filter(|(name, kind)| *kind == Kind::File && is_text(name))
                    .map(|(name, _)| path.join(name)),
            );
        }
        for name in ["MEMORY.md", "LONGMEMORY.md", "USER.md"] {
            files.push(self.root().join(name));
        }
        files.sort_unstable();
        files
    }

    /// Writes a file anew, as a whole or not at all.
    fn overwrite(&self, path: &Path, shown: &str, text: &str) -> Result<(), Error> {
        let new = path.with_extension("purging");
        let write = || {
            self.fs().write(&new, text.as_bytes())?;
            self.fs().copy_permissions(path, &new)?;
            self.fs().sync_file(&new)?;
            self.fs().rename(&new, path)?;
            self.fs().sync_folder(path.parent().unwrap_or(self.root()))
        };
        write().map_err(|source| {
            let _ = self.fs().remove_file(&new);
            RecallError::NotWritten { path: shown.to_owned(), source }.into()
        })
    }

    /// Undo entries whose copies hold the words.
    fn undo_entries_with(&self, words: &Words) -> Vec<PathBuf> {
        let folder = self.state("undo");
        let Ok(entries) = self.fs().list(&folder) else { return Vec::new() };
        let holds = |path: &PathBuf| {
            let files = self.fs().list(path).unwrap_or_default();
            files.iter().any(|(name, _)| {
                std::fs::read_to_string(path.join(name)).is_ok_and(|text| words.are_in(&text))
            })
        };
        entries.into_iter().map(|(name, _)| folder.join(name)).filter(holds).collect()
    }
}

/// The texts that must go.
struct Words {
    texts: Vec<String>,
}

impl Words {
    /// Each telling line of each text, the longest first, as it is and as JSON has it.
    fn needles(&self) -> Vec<String> {
        let mut needles: BTreeSet<String> = BTreeSet::new();
        for text in &self.texts {
            let lines =
                text.lines().map(|line| quipu_core::doc::without_marker(line.trim()).trim());
            for line in lines.chain([text.as_str()]).filter(|line| line.len() >= TELLING) {
                needles.insert(line.to_owned());
                needles.insert(escaped(line));
            }
        }
        let mut needles: Vec<String> = needles.into_iter().collect();
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.len()));
        needles
    }

    fn are_in(&self, text: &str) -> bool {
        self.needles().iter().any(|needle| text.contains(needle.as_str()))
    }
}

fn escaped(line: &str) -> String {
    let json = serde_json::to_string(line).unwrap_or_default();
    json.trim_matches('"').to_owned()
}

/// Returns a file without the words. A record keeps its line, and says that it was purged.
fn cleaned(text: &str, item: &Item, words: &Words, mark: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match Record::parse(line) {
            Some(mut record) if record.id == item.id => {
                mark.clone_into(&mut record.text);
                record.tags.clear();
                result.push_str(&record.line());
            }
            Some(mut record)
                if record.category == LIFECYCLE && record.target.as_deref() == Some(&item.id) =>
            {
                if let Some(Decision::Edit { text }) = &mut record.decision {
                    mark.clone_into(text);
                }
                result.push_str(&record.line());
            }
            _ => result.push_str(line),
        }
    }
    for needle in words.needles() {
        if result.contains(&needle) {
            result = result.replace(&needle, mark);
        }
    }
    result
}
