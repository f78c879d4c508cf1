//! Whether what was installed is still there, and still right.

use quipu_engine::error::Error;
use serde_json::Value;

use super::clients;
use super::clients::Client;
use super::entry::{self, Wanted};
use super::guard::Start;
use super::machine::Scope;
use super::manifest::{EntryRecord, Manifest};
use super::{InstallError, Installer};

/// How an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// As it was written.
    Right,
    /// Its file is gone.
    NoFile,
    /// Its file is there, and it is not.
    Missing,
    /// It says something else now.
    Changed,
    /// This Quipu would write something else.
    Outdated,
    /// It has our name or place, and starts something else.
    Foreign {
        /// The command line that it starts.
        command: String,
    },
    /// Its file cannot be understood.
    Unreadable {
        /// The line and the reason.
        why: String,
    },
}

impl EntryState {
    /// Returns its name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::NoFile => "no-file",
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Outdated => "outdated",
            Self::Foreign { .. } => "foreign",
            Self::Unreadable { .. } => "unreadable",
        }
    }
}

/// An entry and how it is.
#[derive(Clone, Debug)]
pub struct CheckedEntry {
    /// Who reads it.
    pub clients: Vec<String>,
    /// `mcp`, or an event's name.
    pub what: String,
    /// The file.
    pub path: String,
    /// Where in the file.
    pub place: String,
    /// How it is.
    pub state: EntryState,
    /// Whether this machine wrote it; otherwise it came with the project.
    pub is_recorded: bool,
}

/// What is installed, and how it is.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Whose configuration.
    pub scope: Scope,
    /// The entries.
    pub entries: Vec<CheckedEntry>,
    /// The program that they start.
    pub command: String,
    /// Whether that program can be started.
    pub command_is_there: bool,
    /// The version that wrote them.
    pub version: String,
}

impl Checked {
    /// Tells whether there is something to check.
    pub fn is_installed(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Tells whether all is as it should be.
    pub fn is_right(&self) -> bool {
        let all = self.entries.iter().all(|entry| entry.state == EntryState::Right);
        self.is_installed() && self.command_is_there && all
    }

    /// Returns the clients that have an entry, each once.
    pub fn clients(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.entries.iter().flat_map(|entry| &entry.clients).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Installer {
    /// Returns how every recorded entry is; `clients` limits it to some.
    ///
    /// # Errors
    /// When the manifest or a file cannot be read.
    pub fn check(&self, clients: &[&'static Client]) -> Result<Checked, Error> {
        let manifest = Manifest::read(&*self.fs, &self.state())?;
        let current = self.current(self.start(&manifest.command, manifest.plain));
        let mut entries = Vec::new();
        for file in &manifest.files {
            let path = self.root.join(&file.path);
            let text = self.read_text(&path)?;
            for one in &file.entries {
                if !is_asked(clients, &one.clients) {
                    continue;
                }
                let state = match &text {
                    Ok(None) => EntryState::NoFile,
                    Ok(Some(text)) => state_of(one, text, &path, &current),
                    Err(error) => EntryState::Unreadable { why: error.to_string() },
                };
                entries.push(CheckedEntry {
                    clients: one.clients.clone(),
                    what: one.what.clone(),
                    path: self.shown(&path),
                    place: one.spot.shown(),
                    state,
                    is_recorded: true,
                });
            }
        }
        self.check_unrecorded(&manifest, clients, &mut entries)?;
        let is_known = !manifest.command.is_empty();
        let command = if is_known { manifest.command } else { clients::NAME.to_owned() };
        Ok(Checked {
            scope: self.scope,
            entries,
            command_is_there: self.machine.command(&command).is_some(),
            command,
            version: manifest.quipu,
        })
    }

    /// Adds the entries that somebody else wrote for everybody.
    fn check_unrecorded(
        &self,
        manifest: &Manifest,
        clients: &[&'static Client],
        entries: &mut Vec<CheckedEntry>,
    ) -> Result<(), InstallError> {
        // Whoever wrote an entry for everybody wrote `quipu`, or the path of this very program.
        let this = std::env::current_exe().ok().map(|path| path.display().to_string());
        let others = this.iter().map(String::as_str).chain([manifest.command.as_str()]);
        let others: Vec<Vec<Wanted>> = others
            .filter(|command| !command.is_empty())
            .map(|one| self.current(self.start(one, true)))
            .collect();
        for (at, one) in self.current(self.start(clients::NAME, true)).iter().enumerate() {
            let is_recorded = manifest.has_entry(&self.recorded(&one.file), &one.spot);
            if !is_asked(clients, &one.clients) || is_recorded {
                continue;
            }
            let text = self.read_text(&one.file)?.unwrap_or_default();
            let found = one.spot.look(text.as_deref()).ok().flatten();
            let Some(found) = found.filter(|found| entry::is_in_our_place(&one.spot, found)) else {
                continue;
            };
            let is_right = |wanted: &Wanted| entry::starts_the_same(&found, &wanted.value);
            let state = if is_right(one) || others.iter().any(|all| is_right(&all[at])) {
                EntryState::Right
            } else {
                EntryState::Foreign { command: entry::program_line(&found) }
            };
            entries.push(CheckedEntry {
                clients: one.clients.clone(),
                what: one.what.clone(),
                path: self.shown(&one.file),
                place: one.spot.shown(),
                state,
                is_recorded: false,
            });
        }
        Ok(())
    }

    /// Returns what this Quipu would write, with a command that starts it.
    pub(super) fn current(&self, start: Start<'_>) -> Vec<Wanted> {
        let of = |client: &'static Client| {
            self.server(client, start).into_iter().chain(self.hooks(client, start, true))
        };
        super::CLIENTS.iter().flat_map(of).collect()
    }

    /// Returns how entries start a program here. What a project's people share is guarded; a guard needs a shell,
    /// which Windows need not have.
    pub(super) fn start<'a>(&self, command: &'a str, plain: bool) -> Start<'a> {
        let is_guarded = self.scope == Scope::Project && !plain && !cfg!(windows);
        Start { command, is_guarded }
    }

    /// Tells whether Codex was told to run no hooks.
    pub fn codex_runs_no_hooks(&self) -> bool {
        let places = Client::named("codex").map_or(&[][..], |codex| codex.servers);
        let files = places.iter().map(|place| self.machine.resolve(place.at, &self.root));
        let is_off = |text: &str| {
            let table = text.parse::<toml::Table>().unwrap_or_default();
            let features = table.get("features");
            ["hooks", "codex_hooks"].iter().any(|key| {
                features.and_then(|features| features.get(key)?.as_bool()) == Some(false)
            })
        };
        files
            .filter_map(|file| self.fs.read(&self.real(&file)).ok())
            .any(|bytes| std::str::from_utf8(&bytes).is_ok_and(is_off))
    }

    /// Returns the names that the recorded hooks give to `quipu hook`.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub fn hook_names(&self) -> Result<Vec<String>, Error> {
        let manifest = Manifest::read(&*self.fs, &self.state())?;
        let mut names: Vec<String> = manifest
            .files
            .iter()
            .flat_map(|file| &file.entries)
            .filter(|entry| !matches!(entry.what.as_str(), "mcp" | "version"))
            .flat_map(|entry| &entry.clients)
            .filter_map(|name| Client::named(name)?.hooks.map(|hooks| hooks.name.to_owned()))
            .collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}

/// Tells whether entries of `names` are among what was asked for; nothing means all.
pub(super) fn is_asked(clients: &[&Client], names: &[String]) -> bool {
    clients.is_empty() || clients.iter().any(|client| names.iter().any(|name| name == client.name))
}

fn state_of(
    one: &EntryRecord,
    text: &str,
    path: &std::path::Path,
    current: &[Wanted],
) -> EntryState {
    let found: Option<Value> = match one.spot.look(Some(text)) {
        Ok(found) => found,
        Err(error) => return EntryState::Unreadable { why: error.to_string() },
    };
    let wanted = current.iter().find(|wanted| wanted.file == path && wanted.spot == one.spot);
    match found {
        None => EntryState::Missing,
        Some(found) if !entry::says(&found, &one.value) => EntryState::Changed,
        Some(_)
            if wanted.is_some_and(|wanted| wanted.value != one.value)
                && (one.what != "hooks" || !is_of_this_form(&one.value, current, path)) =>
        {
            EntryState::Outdated
        }
        Some(_) => EntryState::Right,
    }
}

/// Whether the file of Copilot has the hook after tools is its user's choice; all else in it is not.
fn is_of_this_form(written: &Value, current: &[Wanted], path: &std::path::Path) -> bool {
    let parsed = |value: &Value| -> Option<Value> { serde_json::from_str(value.as_str()?).ok() };
    let wanted =
        current.iter().find(|wanted| wanted.file == path).and_then(|one| parsed(&one.value));
    match (parsed(written), wanted) {
        (Some(written), Some(wanted)) => entry::says(&wanted, &written),
        _ => true,
    }
}
