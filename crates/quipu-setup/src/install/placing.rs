//! Planning an installation: what each client should have, and what its files then say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quipu_engine::digest::sha256;
use quipu_engine::error::Error;
use quipu_engine::fs::{Kind, is_linked, real_path};
use serde_json::Value;

use super::clients::Client;
use super::entry::{self, Spot, Wanted};
use super::jsonc::edit::Receipt;
use super::jsonc::{SyntaxError, text_of};
use super::machine::Scope;
use super::manifest::{EntryRecord, FileRecord, Manifest};
use super::plan::{Action, EntryPlan, FilePlan, Plan, Skipped};
use super::{InstallError, InstallRequest, Installer};

impl Installer {
    /// Returns what setting up would write.
    ///
    /// # Errors
    /// When the manifest or a file cannot be read.
    pub fn plan(&self, request: &InstallRequest) -> Result<Plan, Error> {
        let was = Manifest::read(&*self.fs, &self.state())?;
        let mut plan = Plan::new(was, false);
        let mut by_file: BTreeMap<PathBuf, Vec<Wanted>> = BTreeMap::new();
        for client in &request.clients {
            let wanted = self.wanted(client, request, &mut plan.skipped);
            match self.first_problem(&wanted, request.force, &plan.was)? {
                Some((file, error)) => {
                    plan.skipped.push(Skipped::broken(client.name, &self.shown(&file), &error));
                }
                None => {
                    for one in wanted {
                        merge(by_file.entry(one.file.clone()).or_default(), one);
                    }
                }
            }
        }
        for (file, wanted) in by_file {
            let planned = self.plan_file(&file, &wanted, request, &mut plan)?;
            plan.files.push(planned);
        }
        self.note(request, &mut plan);
        let changes = plan.files.iter().any(FilePlan::changes);
        if changes || !plan.manifest.files.is_empty() {
            plan.manifest.command.clone_from(&request.command);
            plan.manifest.plain = request.plain;
            request.version.clone_into(&mut plan.manifest.quipu);
        }
        Ok(plan)
    }

    /// Returns what a client should have, and says what it cannot have.
    fn wanted(
        &self,
        client: &'static Client,
        request: &InstallRequest,
        skipped: &mut Vec<Skipped>,
    ) -> Vec<Wanted> {
        let mut say = |why: String, hint: String| {
            skipped.push(Skipped { client: client.name.to_owned(), why, hint, is_error: false });
        };
        let mut wanted = Vec::new();
        if request.servers {
            match self.server(client, self.start(&request.command, request.plain)) {
                Some(server) => wanted.push(server),
                None => say(
                    format!("{} reads servers from the home folder only", client.title),
                    format!("`quipu install {} --user`", client.name),
                ),
            }
        }
        if request.hooks {
            if reads_claude(client, self.scope) && self.has_claude_hooks(request) {
                say(
                    format!("{} runs the hooks of Claude Code's settings too", client.title),
                    "no second set was written: it would run everything twice".to_owned(),
                );
            } else {
                wanted.extend(self.hooks(
                    client,
                    self.start(&request.command, request.plain),
                    request.after_tool,
                ));
            }
        }
        wanted
    }

    fn has_claude_hooks(&self, request: &InstallRequest) -> bool {
        let is_claude = |client: &&Client| client.name == "claude-code";
        let planned = request.hooks && request.clients.iter().copied().any(|one| is_claude(&one));
        planned
            || Client::named("claude").is_some_and(|claude| {
                let mine = self.hooks(
                    claude,
                    self.start(&request.command, request.plain),
                    request.after_tool,
                );
                mine.iter().any(|one| {
                    let text = self.fs.read(&one.file).ok().and_then(|read| text_of(read).ok());
                    one.spot.look(text.as_deref()).is_ok_and(|found| found.is_some())
                })
            })
    }

    /// Returns the first file of a client that cannot be understood or added to.
    fn first_problem(
        &self,
        wanted: &[Wanted],
        force: bool,
        manifest: &Manifest,
    ) -> Result<Option<(PathBuf, String)>, InstallError> {
        for one in wanted {
            if let Some(what) = self.leads_astray(&one.file) {
                return Ok(Some((one.file.clone(), what.to_owned())));
            }
            let text = match self.read_text(&one.file)? {
                Ok(text) => text,
                Err(error) => return Ok(Some((one.file.clone(), error.to_string()))),
            };
            let is_known = manifest.has_entry(&self.recorded(&one.file), &one.spot);
            let found = one.spot.look(text.as_deref()).and_then(|found| match found {
                Some(found) if (force || is_known) && !entry::says(&found, &one.value) => {
                    one.spot.replace(text.as_deref().unwrap_or_default(), &one.value).map(|_| ())
                }
                Some(_) => Ok(()),
                None => {
                    one.spot.insert(text.as_deref().unwrap_or_default(), &one.value).map(|_| ())
                }
            });
            if let Err(error) = found {
                return Ok(Some((one.file.clone(), error.to_string())));
            }
        }
        Ok(None)
    }

    /// Says why a file cannot be written because of a link. In a project no link is followed: it could
    /// lead into the home folder. A link that the user made there is followed, and stays.
    fn leads_astray(&self, file: &Path) -> Option<&'static str> {
        match (self.scope, self.fs.stat(file)) {
            (Scope::Project, Ok((Kind::Link, _))) => {
                Some("is a link; Quipu follows none in a project")
            }
            (Scope::Project, Err(error)) if is_linked(&error) => {
                Some("is behind a link; Quipu follows none in a project")
            }
            (Scope::User, _) if file.is_symlink() && !file.exists() => Some("is a link to nothing"),
            _ => None,
        }
    }

    /// Returns a file's text; none where there is no file.
    pub(super) fn read_text(
        &self,
        path: &Path,
    ) -> Result<Result<Option<String>, SyntaxError>, InstallError> {
        Ok(self.read_bytes(path)?.map(text_of).transpose())
    }

    pub(super) fn read_bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, InstallError> {
        if path.is_dir() {
            return Err(InstallError::NotAFile { path: path.to_owned() });
        }
        match self.fs.read(&self.real(path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(InstallError::Io { action: "read", path: path.to_owned(), source }),
        }
    }

    /// Returns where the bytes of a file are: in the home folder that may be the end of a link.
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        match self.scope {
            Scope::Project => path.to_owned(),
            Scope::User => real_path(path),
        }
    }

    /// Returns a path as the manifest has it.
    pub(super) fn recorded(&self, path: &Path) -> PathBuf {
        match self.scope {
            Scope::Project => path.strip_prefix(&self.root).unwrap_or(path).to_owned(),
            Scope::User => path.to_owned(),
        }
    }

    fn plan_file(
        &self,
        file: &Path,
        wanted: &[Wanted],
        request: &InstallRequest,
        plan: &mut Plan,
    ) -> Result<FilePlan, InstallError> {
        let before = self.read_bytes(file)?;
        let text = before.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let recorded = self.recorded(file);
        let known = plan.was.file(&recorded).cloned();
        let original = self.original_of(known.as_ref(), before.as_deref())?;
        let mut entries: Vec<EntryRecord> = known.map_or_else(Vec::new, |known| known.entries);
        // What the user took out since is no longer ours to take out.
        let is_there =
            |one: &EntryRecord| one.spot.look(text.as_deref()).is_ok_and(|found| found.is_some());
        entries.retain(is_there);
        let mut now = text;
        let mut planned = Vec::new();
        for one in wanted {
            let step = |_: SyntaxError| InstallError::EditedMeanwhile { path: file.to_owned() };
            let action = put(&mut now, one, &mut entries, request.force).map_err(step)?;
            if action == Action::Foreign {
                let found = one.spot.look(now.as_deref()).ok().flatten();
                plan.skipped.push(foreign(&self.shown(file), one, found.as_ref()));
            }
            planned.push(EntryPlan::of(one, action, one.value.clone()));
        }
        let after = now.map(String::into_bytes);
        let record = after.as_ref().filter(|_| !entries.is_empty()).map(|bytes| FileRecord {
            path: recorded.clone(),
            original: original.as_deref().map(sha256),
            written: sha256(bytes),
            entries,
        });
        plan.manifest.put(&recorded, record.clone());
        let planned = self.file_plan(file, before, after, planned);
        Ok(FilePlan { record, original, ..planned })
    }

    /// Returns the plan of a file that is not recorded.
    pub(super) fn file_plan(
        &self,
        path: &Path,
        before: Option<Vec<u8>>,
        after: Option<Vec<u8>>,
        entries: Vec<EntryPlan>,
    ) -> FilePlan {
        let (shown, real, path) = (self.shown(path), self.real(path), path.to_owned());
        FilePlan { path, shown, real, before, after, entries, record: None, original: None }
    }

    /// Returns what uninstalling should give back: the bytes from before, and where somebody edited the
    /// file since, those without our entries.
    fn original_of(
        &self,
        known: Option<&FileRecord>,
        now: Option<&[u8]>,
    ) -> Result<Option<Vec<u8>>, InstallError> {
        let (Some(known), Some(now)) = (known, now) else { return Ok(now.map(<[u8]>::to_vec)) };
        if sha256(now) == known.written {
            return self.saved(known);
        }
        let text = String::from_utf8_lossy(now).into_owned();
        let without = super::removal::take_out(Some(text), known.entries.iter().rev());
        Ok(without.ok().flatten().map(String::into_bytes))
    }

    /// Returns the bytes that a file had before.
    pub(super) fn saved(&self, record: &FileRecord) -> Result<Option<Vec<u8>>, InstallError> {
        let Some(wanted) = &record.original else { return Ok(None) };
        let path = Manifest::original(&self.state(), wanted);
        let bytes = self.fs.read(&path).ok().filter(|bytes| sha256(bytes) == *wanted);
        bytes.map(Some).ok_or_else(|| InstallError::NoOriginal { path: record.path.clone() })
    }

    fn note(&self, request: &InstallRequest, plan: &mut Plan) {
        let entries = plan.files.iter().flat_map(|file| &file.entries);
        let changed: Vec<String> = entries
            .filter(|entry| entry.action.changes())
            .flat_map(|entry| entry.clients.clone())
            .collect();
        let touched = |name: &str| changed.iter().any(|client| client == name);
        let notes = request.clients.iter().filter(|client| touched(client.name));
        let notes = notes.map(|client| client.note_in(self.scope)).filter(|note| !note.is_empty());
        plan.notes.extend(notes.map(str::to_owned));
        plan.notes.extend(self.twice(request));
        if self.start(&request.command, request.plain).is_guarded && !changed.is_empty() {
            plan.notes.push(
                "these files go to others through git: where Quipu is not installed, the entries do nothing and say nothing"
                    .to_owned(),
            );
        }
        let has_path = request.command.contains(['/', '\\']);
        if has_path && self.scope == Scope::Project && plan.files.iter().any(FilePlan::changes) {
            let command = &request.command;
            plan.notes.push(format!(
                "the entries start `{command}`, a path of this machine; with `quipu` on the PATH, or \
                 --command, they would fit every machine"
            ));
        }
    }
}

impl Installer {
    /// Says which clients are connected in the project and for the user too, and what to do about it.
    fn twice(&self, request: &InstallRequest) -> Vec<String> {
        let other = match self.scope {
            Scope::Project => Scope::User,
            Scope::User => Scope::Project,
        };
        if other == Scope::Project && (self.root == real_path(&self.machine.home)) {
            return Vec::new();
        }
        let machine = self.machine.clone();
        let other =
            Self { fs: Arc::clone(&self.fs), scope: other, root: self.root.clone(), machine };
        // What is wrong with that record is told where that is worked on.
        let Ok(checked) = other.check(&request.clients) else { return Vec::new() };
        let (where_, flag) = match other.scope {
            Scope::Project => ("for the team in this project", ""),
            Scope::User => ("for you in every project", " --user"),
        };
        let has = |client: &Client, what: fn(&str) -> bool| {
            let of = |one: &super::CheckedEntry| {
                one.clients.iter().any(|name| name == client.name) && what(&one.what)
            };
            checked.entries.iter().any(of)
        };
        let note = |client: &&'static Client| {
            let what = if request.hooks && has(client, |what| !matches!(what, "mcp" | "version")) {
                "its hooks run twice"
            } else if request.servers && has(client, |what| what == "mcp") {
                "it knows the server twice"
            } else {
                return None;
            };
            let (title, name) = (client.title, client.name);
            Some(format!(
                "{title} is connected {where_} too, so {what}: keep one; `quipu uninstall {name}{flag}` takes that one out"
            ))
        };
        request.clients.iter().filter_map(note).collect()
    }
}

/// VS Code and Copilot read a project's `.claude/settings.json`; VS Code reads the user's too.
fn reads_claude(client: &Client, scope: Scope) -> bool {
    match client.name {
        "vscode" => true,
        "copilot" => scope == Scope::Project,
        _ => false,
    }
}

/// Clients that read the same file share an entry.
fn merge(wanted: &mut Vec<Wanted>, one: Wanted) {
    match wanted.iter_mut().find(|known| known.spot == one.spot) {
        Some(known) => known.clients.extend(one.clients),
        None => wanted.push(one),
    }
}

/// Puts an entry into a text, unless something stands there.
fn put(
    text: &mut Option<String>,
    one: &Wanted,
    entries: &mut Vec<EntryRecord>,
    force: bool,
) -> Result<Action, SyntaxError> {
    let known = entries.iter_mut().find(|known| known.spot == one.spot);
    let Some(found) = one.spot.look(text.as_deref())? else {
        let (new, receipt) = one.spot.insert(text.as_deref().unwrap_or_default(), &one.value)?;
        *text = Some(new);
        entries.push(EntryRecord::of(one, receipt));
        return Ok(Action::Add);
    };
    // An entry that we did not write, and that sets more than ours would, may start something else.
    let is_same = entry::says(&found, &one.value)
        && (known.is_some() || !entry::changes_what_runs(&found, &one.value));
    // A version of Cursor's file is a version, whoever wrote it.
    if is_same || one.what == "version" {
        if let Some(known) = known {
            let missing = one.clients.iter().filter(|name| !known.clients.contains(name));
            let missing: Vec<String> = missing.cloned().collect();
            known.clients.extend(missing);
        }
        return Ok(Action::Keep);
    }
    // A table of TOML is written as a whole: what somebody added to it would be lost.
    let is_ours = |ours: &&Value| match one.spot {
        Spot::Table { .. } => found == **ours,
        _ => entry::says(&found, ours),
    };
    let ours = known.as_ref().map(|known| &known.value).filter(is_ours);
    // What an older Quipu of somebody else wrote for everybody starts the same, without the guard.
    let is_older = known.is_none()
        && one.spot != Spot::File
        && entry::is_in_our_place(&one.spot, &found)
        && entry::starts_the_same(&found, &one.value);
    if ours.is_none() && !force && !is_older {
        return Ok(Action::Foreign);
    }
    let base = ours.or_else(|| is_older.then_some(&one.value));
    let value = base.map(|base| entry::with_additions(&one.value, &found, base));
    let value = value.as_ref().unwrap_or(&one.value);
    let (new, old) = one.spot.replace(text.as_deref().unwrap_or_default(), value)?;
    *text = Some(new);
    if let Some(known) = known {
        known.value = one.value.clone();
        known.clients.clone_from(&one.clients);
        return Ok(Action::Update);
    }
    let receipt = Receipt { replaced: Some(old), ..Receipt::default() };
    entries.push(EntryRecord::of(one, receipt));
    Ok(Action::Replace)
}

fn foreign(shown: &str, one: &Wanted, found: Option<&Value>) -> Skipped {
    let place = match &one.spot {
        Spot::File => shown.to_owned(),
        spot => format!("{} in {shown}", spot.shown()),
    };
    let starts = found.map(entry::program_line).filter(|line| !line.is_empty());
    let starts = starts.map_or_else(String::new, |line| format!(": it starts `{line}`"));
    Skipped {
        client: one.clients.join(", "),
        why: format!("{place} is there already and was not written by this installation{starts}"),
        hint:
            "remove it if you do not know it; `--force` replaces it, and uninstalling puts it back"
                .to_owned(),
        is_error: false,
    }
}
