//! Undo: taking back the last operation, and listing those that can be taken back.

use super::{ApplyError, FileChanges, MANIFEST, Manifest, Transactions, io_error};

impl Transactions<'_> {
    /// Takes back the last operation.
    ///
    /// # Errors
    /// When there is none, a file was edited since, or a step fails; then everything is as it was.
    pub fn undo_last(&self, at: &str, dry_run: bool) -> Result<Manifest, ApplyError> {
        let entries = self.undo_entries()?;
        let name = entries.last().ok_or(ApplyError::NothingToUndo)?;
        let entry = self.undo().join(name);
        let record = entry.join(MANIFEST);
        let bytes = self.fs.read(&record).map_err(io_error("read", &record))?;
        let manifest: Manifest = serde_json::from_slice(&bytes)
            .map_err(|source| ApplyError::BadManifest { path: record, source })?;
        let mut changes = FileChanges::new();
        let mut edited = Vec::new();
        for (index, path) in manifest.paths.iter().enumerate() {
            let state = |which| self.read_if_there(&entry.join(format!("{index}.{which}")));
            let (now, new) = (self.read_if_there(&self.target(path)?)?, state("new")?);
            let mut old = state("old")?;
            if now != new {
                // What was appended to the journal since stays.
                let is_journal = path == quipu_core::journal::PRIMARY;
                let appended = now.as_deref().zip(new.as_deref());
                match appended.and_then(|(now, new)| now.strip_prefix(new)) {
                    Some(tail) if is_journal && old.as_deref().is_some_and(ends_line) => {
                        old.as_mut().into_iter().for_each(|old| old.extend_from_slice(tail));
                    }
                    _ => edited.push(path.clone()),
                }
            }
            changes.insert(path.clone(), old);
        }
        if !edited.is_empty() {
            return Err(ApplyError::EditedSince { operation: manifest.operation, paths: edited });
        }
        if !dry_run {
            let undo = Manifest {
                operation: format!("undo of {}", manifest.operation),
                at: at.to_owned(),
                undoes: Some(name.clone()),
                ..manifest.clone()
            };
            self.run(undo, &changes, &FileChanges::new())?;
        }
        Ok(manifest)
    }

    /// Returns what can be undone, newest first.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub fn history(&self) -> Result<Vec<Manifest>, ApplyError> {
        let mut history = Vec::new();
        for name in self.undo_entries()?.iter().rev() {
            let record = self.undo().join(name).join(MANIFEST);
            let bytes = self.fs.read(&record).map_err(io_error("read", &record))?;
            history.push(
                serde_json::from_slice(&bytes)
                    .map_err(|source| ApplyError::BadManifest { path: record, source })?,
            );
        }
        Ok(history)
    }
}

fn ends_line(bytes: &[u8]) -> bool {
    bytes.last().is_none_or(|byte| *byte == b'\n')
}
