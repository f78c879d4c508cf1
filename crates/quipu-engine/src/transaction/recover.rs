//! Recovering: finishing what an earlier process left behind, or taking it back.

use std::collections::BTreeSet;

use super::{ApplyError, MANIFEST, Manifest, Transactions, io_error};

/// What recovery found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The operation that had been interrupted.
    pub operation: String,
    /// Files that somebody edited after the interruption, and that were left alone.
    pub left_alone: Vec<String>,
    /// Whether it was finished; otherwise it was taken back.
    pub forward: bool,
}

/// A file of an interrupted operation.
struct Interrupted<'a> {
    path: &'a String,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    now: Option<Vec<u8>>,
}

impl Interrupted<'_> {
    /// Tells whether somebody edited the file after the interruption. Whoever did keeps it.
    fn is_edited(&self) -> bool {
        self.now != self.old && self.now != self.new
    }
}

/// Tells whether every fact of the files is still in one of them when those that nobody edited are
/// brought to one state. Going forward loses a fact whose new place was edited, going back one whose
/// old place was.
fn keeps_every_fact<'f>(
    files: &'f [Interrupted<'_>],
    state: impl Fn(&'f Interrupted<'_>) -> &'f Option<Vec<u8>>,
) -> bool {
    let ids = |bytes: &Option<Vec<u8>>| -> BTreeSet<String> {
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        let (footers, _) = quipu_core::fact::footers(&text);
        footers.into_iter().map(|footer| footer.id.as_str().to_owned()).collect()
    };
    let before: BTreeSet<String> = files.iter().flat_map(|file| ids(&file.old)).collect();
    let after: BTreeSet<String> = files
        .iter()
        .flat_map(|file| ids(if file.is_edited() { &file.now } else { state(file) }))
        .collect();
    before.is_subset(&after)
}

impl Transactions<'_> {
    /// Finishes or clears away what an earlier process left behind.
    ///
    /// # Errors
    /// When that fails; the record stays for the next try.
    pub fn recover(&self) -> Result<Option<Recovered>, ApplyError> {
        let staging = self.staging();
        if self.fs.stat(&staging).is_err() {
            return Ok(None);
        }
        let record = staging.join(MANIFEST);
        let Some(bytes) = self.read_if_there(&record)? else {
            self.fs.remove_folder(&staging).map_err(io_error("remove", &staging))?;
            return Ok(None);
        };
        let manifest: Manifest = serde_json::from_slice(&bytes)
            .map_err(|source| ApplyError::BadManifest { path: record, source })?;
        let mut files = Vec::new();
        for (index, path) in manifest.paths.iter().enumerate() {
            let state = |which| self.read_if_there(&staging.join(format!("{index}.{which}")));
            let now = self.read_if_there(&self.target(path)?)?;
            files.push(Interrupted { path, old: state("old")?, new: state("new")?, now });
        }
        let left_alone: Vec<String> =
            files.iter().filter(|file| file.is_edited()).map(|file| file.path.clone()).collect();
        let forward = left_alone.is_empty() || keeps_every_fact(&files, |file| &file.new);
        for file in files.iter().filter(|file| !file.is_edited()) {
            let target = if forward { &file.new } else { &file.old };
            if file.now != *target {
                self.install(file.path, target.as_deref(), manifest.access(file.path))?;
            }
        }
        if forward {
            self.finish(&manifest)?;
        } else {
            // The manifest goes first: without it the rest is debris, with it half of it is not.
            let manifest = staging.join(MANIFEST);
            self.fs.remove_file(&manifest).map_err(io_error("remove", &manifest))?;
            self.sync_folder(&staging)?;
            self.fs.remove_folder(&staging).map_err(io_error("remove", &staging))?;
        }
        Ok(Some(Recovered { operation: manifest.operation, left_alone, forward }))
    }
}
