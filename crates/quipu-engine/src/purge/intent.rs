//! What a purge is about to do, written down before it does anything.
//!
//! The file is in the state folder, for its owner alone, and goes last. While it is there no command
//! reads or changes the memory before the purge is finished.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use quipu_core::purge::{OwnItem, Redaction, Subject, Words};
use serde::{Deserialize, Serialize};

use crate::state;
use crate::workspace::Workspace;

/// What this version writes; another one may mean something else by the same fields.
const VERSION: u32 = 1;

/// A purge, with all that is needed to start over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intent {
    version: u32,
    /// The id that was asked for; none where a value was.
    pub(super) id: Option<String>,
    /// The words: without them nothing could be found again.
    pub(super) subject: Subject,
    /// What stands in their place.
    pub(super) mark: String,
    /// When, as the list of operations shows it.
    pub(super) at: String,
    /// New ids by old ones.
    pub(super) renames: BTreeMap<String, String>,
    /// What the purged item is called, before and after.
    pub(super) own_ids: BTreeSet<String>,
    /// The file that has it.
    pub(super) own_path: Option<String>,
    /// What questions about it are filed under.
    pub(super) questions: BTreeSet<String>,
    /// The day's log that gets the tombstone.
    pub(super) daily: String,
    /// The id of the tombstone.
    pub(super) tombstone_id: String,
    /// The tombstone's line.
    pub(super) tombstone: String,
}

impl Intent {
    pub(super) fn new(subject: Subject, mark: String, at: String) -> Self {
        Self {
            version: VERSION,
            id: None,
            subject,
            mark,
            at,
            renames: BTreeMap::new(),
            own_ids: BTreeSet::new(),
            own_path: None,
            questions: BTreeSet::new(),
            daily: String::new(),
            tombstone_id: String::new(),
            tombstone: String::new(),
        }
    }

    pub(super) fn redaction(&self) -> Redaction {
        Redaction {
            words: Words::new(&self.subject),
            mark: self.mark.clone(),
            renames: self.renames.clone(),
            own: OwnItem {
                ids: self.own_ids.clone(),
                path: self.own_path.clone(),
                questions: self.questions.clone(),
            },
        }
    }

    pub(super) fn is_of_value(&self) -> bool {
        matches!(self.subject, Subject::Value(_))
    }

    /// Returns what the purge is known by afterwards.
    pub(super) fn new_id(&self) -> String {
        let id = self.id.as_ref();
        let new = id.map(|id| self.renames.get(id).unwrap_or(id).clone());
        new.unwrap_or_else(|| self.tombstone_id.clone())
    }

    pub(super) fn write(&self, workspace: &Workspace) -> io::Result<()> {
        let fs = workspace.fs();
        let (beside, path) = (workspace.state("purge.json.new"), workspace.state(state::PURGE));
        let bytes = serde_json::to_vec(self).map_err(io::Error::from)?;
        let written = (|| {
            // For its owner alone before the words are in it, not after.
            fs.write(&beside, b"")?;
            fs.make_private(&beside)?;
            fs.write(&beside, &bytes)?;
            fs.sync_file(&beside)?;
            fs.rename(&beside, &path)
        })();
        if written.is_err() {
            // The half-written copy has words in it, and nothing was begun.
            let _ = fs.remove_file(&beside);
        }
        written?;
        fs.sync_folder(&workspace.state(""))
    }

    /// Reads the intent of a purge that was interrupted.
    pub(super) fn read(workspace: &Workspace) -> io::Result<Option<Self>> {
        let bytes = match workspace.fs().read(&workspace.state(state::PURGE)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let intent: Self = serde_json::from_slice(&bytes).map_err(io::Error::from)?;
        if intent.version == VERSION {
            Ok(Some(intent))
        } else {
            let why = format!("it has version {}, and this Quipu knows {VERSION}", intent.version);
            Err(io::Error::new(io::ErrorKind::InvalidData, why))
        }
    }

    pub(super) fn remove(workspace: &Workspace) -> io::Result<()> {
        workspace.fs().remove_file(&workspace.state(state::PURGE))?;
        workspace.fs().sync_folder(&workspace.state(""))
    }
}
