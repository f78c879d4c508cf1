//! What uninstalling would write: the bytes from before where nobody edited the file since, and
//! otherwise the file without our entries.

use std::path::Path;

use quipu_engine::digest::sha256;

use super::clients::{CLIENTS, Client};
use super::entry::{self, Wanted};
use super::jsonc::SyntaxError;
use super::jsonc::edit::Receipt;
use super::manifest::{EntryRecord, FileRecord, Manifest};
use super::plan::{Action, EntryPlan, FilePlan, Plan, Skipped};
use super::{InstallError, InstallRequest, Installer, UninstallRequest};

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
    pub(super) fn plan_removal(&self, request: &UninstallRequest) -> Result<Plan, InstallError> {
        let was = Manifest::read(&*self.fs, &self.state())?;
        let mut plan = Plan {
            files: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
            is_removal: true,
            manifest: was.clone(),
            was,
        };
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
        let is_asked = |name: &String| {
            request.clients.is_empty() || request.clients.iter().any(|client| client.name == name)
        };
        if !record.entries.iter().flat_map(|entry| &entry.clients).any(is_asked) {
            return Ok(None);
        }
        let (mut kept, mut taken) = (Vec::new(), Vec::new());
        for one in &record.entries {
            let mut left = one.clone();
            left.clients.retain(|name| !is_asked(name));
            if left.clients.is_empty() { taken.push(one.clone()) } else { kept.push(left) }
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
                    plan.skipped.push(Skipped {
                        client: taken
                            .iter()
                            .flat_map(|one| one.clients.clone())
                            .next()
                            .unwrap_or_default(),
                        why: format!("{} {error}", self.shown(&file)),
                        hint: "repair the file and run it again; it was not touched".to_owned(),
                        is_error: true,
                    });
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
        let recorded = self.recorded(&file);
        plan.manifest.files.retain(|known| known.path != recorded);
        plan.manifest.files.extend(record.clone());
        plan.manifest.files.sort_by(|a, b| a.path.cmp(&b.path));
        let original = record.as_ref().map(|record| self.saved(record)).transpose()?.flatten();
        Ok(Some(FilePlan {
            shown: self.shown(&file),
            real: self.real(&file),
            path: file,
            before,
            after,
            entries: taken.into_iter().map(removed).collect(),
            record,
            original,
        }))
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
        let text = String::from_utf8(before.to_vec())
            .map_err(|_| SyntaxError { line: 1, what: "this is not UTF-8".to_owned() })?;
        let left = take_out(Some(text), taken.iter().rev())?;
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
        let asked: Vec<&'static Client> = if request.clients.is_empty() {
            CLIENTS.iter().collect()
        } else {
            request.clients.clone()
        };
        let looking = InstallRequest {
            clients: Vec::new(),
            command: entry::NAME.to_owned(),
            servers: true,
            hooks: true,
            after_tool: true,
            force: false,
            version: "",
        };
        let order = self.order(&looking);
        for client in asked {
            let server = entry::server(client, &order);
            for one in server.into_iter().chain(entry::hooks(client, &order)) {
                self.plan_stranger(&one, request.force, plan)?;
            }
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
        let recorded = plan.manifest.file(&self.recorded(&one.file));
        if recorded.is_some_and(|file| file.entries.iter().any(|known| known.spot == one.spot)) {
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
                hint: "somebody else may have written it; `--force` takes it out".to_owned(),
                is_error: false,
            });
            return Ok(());
        }
        let left = one.spot.remove(&text.unwrap_or_default(), &Receipt::default());
        let Ok(left) = left else { return Ok(()) };
        let after = left.map(String::into_bytes);
        let entry = EntryPlan {
            clients: one.clients.clone(),
            what: one.what.clone(),
            place: one.spot.shown(),
            action: Action::Remove,
            value: found,
        };
        if let Some(at) = planned {
            plan.files[at].after = after;
            plan.files[at].entries.push(entry);
            return Ok(());
        }
        plan.files.push(FilePlan {
            path: one.file.clone(),
            shown: self.shown(&one.file),
            real: self.real(&one.file),
            before: self.read_bytes(&one.file)?,
            after,
            entries: vec![entry],
            record: None,
            original: None,
        });
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
