//! What uninstalling would write: the bytes from before where nobody edited the file since, and
//! otherwise the file without our entries.

use std::path::Path;

use quipu_engine::digest::sha256;
use quipu_engine::error::Error;

use super::check::is_asked;
use super::clients;
use super::entry::{self, Wanted};
use super::jsonc::edit::Receipt;
use super::jsonc::{SyntaxError, text_of};
use super::manifest::{EntryRecord, FileRecord, Manifest};
use super::plan::{Action, EntryPlan, FilePlan, Plan, Skipped};
use super::{InstallError, Installer, UninstallRequest};

/// Takes entries out of a text, in the order given. `None` where nothing of others is left.
pub(super) fn take_out<'e>(
    text: Option<String>,
    entries: impl Iterator<Item = &'e EntryRecord>,
) -> Result<Option<String>, SyntaxError> {
    let mut now = text;
    for one in entries {
        now = match now {
            Some(text) if one.spot.look(Some(&text))?.is_some() => {
                one.spot.remove(&text, &one.receipt)?
            }
            other => other,
        };
    }
    Ok(now)
}

impl Installer {
    /// Returns what taking back would write.
    ///
    /// # Errors
    /// When the manifest or a file cannot be read.
    pub fn uninstall(&self, request: &UninstallRequest) -> Result<Plan, Error> {
        let was = Manifest::read(&*self.fs, &self.state())?;
        let mut plan = Plan::new(was, true);
        for record in plan.was.files.clone() {
            if let Some(planned) = self.plan_taking(&record, request, &mut plan)? {
                plan.files.push(planned);
            }
        }
        self.plan_strangers(request, &mut plan)?;
        if plan.manifest.files.is_empty() {
            plan.manifest.folders.clear();
        }
        Ok(plan)
    }

    fn plan_taking(
        &self,
        record: &FileRecord,
        request: &UninstallRequest,
        plan: &mut Plan,
    ) -> Result<Option<FilePlan>, InstallError> {
        let is_taken = |name: &String| is_asked(&request.clients, std::slice::from_ref(name));
        let (mut kept, mut taken) = (Vec::new(), Vec::new());
        for one in &record.entries {
            let mut left = one.clone();
            left.clients.retain(|name| !is_taken(name));
            if left.clients.is_empty() { taken.push(one.clone()) } else { kept.push(left) }
        }
        if kept == record.entries {
            return Ok(None);
        }
        let file = self.root.join(&record.path);
        let before = self.read_bytes(&file)?;
        let is_untouched = before.as_deref().is_some_and(|bytes| sha256(bytes) == record.written);
        let after = if kept.is_empty() && is_untouched && !request.edit {
            self.saved(record)?
        } else {
            match self.without(&file, before.as_deref(), &taken, record) {
                Ok(after) => after,
                Err(error) => {
                    let client = taken.iter().flat_map(|one| &one.clients).next();
                    let (client, file) = (client.map_or("", String::as_str), self.shown(&file));
                    plan.skipped.push(Skipped::broken(client, &file, &error.to_string()));
                    return Ok(None);
                }
            }
        };
        let record = after.as_ref().filter(|_| !kept.is_empty()).map(|bytes| FileRecord {
            // A file that somebody edited stays one, so that their bytes are never replaced by older ones.
            written: if is_untouched { sha256(bytes) } else { record.written.clone() },
            entries: kept,
            ..record.clone()
        });
        plan.manifest.put(&self.recorded(&file), record.clone());
        let original = record.as_ref().map(|record| self.saved(record)).transpose()?.flatten();
        let entries = taken.into_iter().map(removed).collect();
        let planned = self.file_plan(&file, before, after, entries);
        Ok(Some(FilePlan { record, original, ..planned }))
    }

    /// Returns a file's bytes without entries of ours; none where it goes.
    fn without(
        &self,
        file: &Path,
        before: Option<&[u8]>,
        taken: &[EntryRecord],
        record: &FileRecord,
    ) -> Result<Option<Vec<u8>>, SyntaxError> {
        let Some(before) = before else { return Ok(None) };
        let left = take_out(Some(text_of(before.to_vec())?), taken.iter().rev())?;
        Ok(match left {
            Some(text) => Some(text.into_bytes()),
            // Nothing of anybody else is left: what was there before had nothing in it either.
            None => self.saved(record).ok().flatten().filter(|_| file.exists()),
        })
    }

    /// Takes out what the manifest does not know and what is Quipu's by what it says: somebody else may
    /// have committed it. Without `force` it is only mentioned.
    fn plan_strangers(
        &self,
        request: &UninstallRequest,
        plan: &mut Plan,
    ) -> Result<(), InstallError> {
        let asked = |one: &&Wanted| is_asked(&request.clients, &one.clients);
        for one in self.current(self.start(clients::NAME, true)).iter().filter(asked) {
            self.plan_stranger(one, request.force, plan)?;
        }
        Ok(())
    }

    fn plan_stranger(
        &self,
        one: &Wanted,
        force: bool,
        plan: &mut Plan,
    ) -> Result<(), InstallError> {
        let planned = plan.files.iter().position(|file| file.path == one.file);
        let text = match planned {
            Some(at) => {
                plan.files[at].after.clone().and_then(|bytes| String::from_utf8(bytes).ok())
            }
            // A file that cannot be understood holds nothing that one could call ours.
            None => self.read_text(&one.file)?.unwrap_or_default(),
        };
        if plan.manifest.has_entry(&self.recorded(&one.file), &one.spot) {
            return Ok(());
        }
        let Ok(Some(found)) = one.spot.look(text.as_deref()) else { return Ok(()) };
        if !entry::is_ours(&one.spot, &found) {
            return Ok(());
        }
        if !force {
            plan.skipped.push(Skipped {
                client: one.clients.join(", "),
                why: format!(
                    "{} in {} is not in this machine's record",
                    one.spot.shown(),
                    self.shown(&one.file)
                ),
                hint: "someone else may have written it; `--force` removes it".to_owned(),
                is_error: false,
            });
            return Ok(());
        }
        let left = one.spot.remove(&text.unwrap_or_default(), &Receipt::default());
        let Ok(left) = left else { return Ok(()) };
        let after = left.map(String::into_bytes);
        let entry = EntryPlan::of(one, Action::Remove, found);
        if let Some(at) = planned {
            plan.files[at].after = after;
            plan.files[at].entries.push(entry);
            return Ok(());
        }
        let before = self.read_bytes(&one.file)?;
        plan.files.push(self.file_plan(&one.file, before, after, vec![entry]));
        Ok(())
    }
}

fn removed(one: EntryRecord) -> EntryPlan {
    EntryPlan {
        place: one.spot.shown(),
        clients: one.clients,
        what: one.what,
        action: Action::Remove,
        value: one.value,
    }
}
