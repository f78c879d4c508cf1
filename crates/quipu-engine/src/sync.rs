//! One memory on several machines: private memory is kept in a git repository of the user's choice.
//!
//! A sync fetches, unites what is there with what is here, writes that here, and pushes it. Each step may be the last one of
//! a process that dies: uniting twice changes nothing, and nothing is forgotten before both sides have it. Days and events unite by id and are
//! ordered by time and id; what was purged or forgotten on one machine is so on all. What looks like a credential stays here.

mod files;
mod remote;

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use quipu_core::journal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Failure};
use crate::ledger;
use crate::operation::Request;
use crate::purge;
use crate::state;
use crate::transaction::{CommitOptions, FileChanges};
use crate::workspace::{self, Workspace, stamp};
use remote::{Pushed, Remote};

/// The files of one memory, by path.
type Files = BTreeMap<String, Vec<u8>>;

/// A file larger than this is not read.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Tells whether a file travels. Nothing else that a remote holds is ever read or written here.
fn travels(path: &str) -> bool {
    // A line break would end the line in which git hears of the file.
    let is_plain = ledger::is_file_of_memory(path) && !path.contains(char::is_control);
    is_plain && journal::is_private(path) && !journal::is_library(path)
}

/// The folder of the local repository, in the state folder.
const REPOSITORY: &str = "sync.git";
/// So often somebody else may be faster.
const TRIES: usize = 10;

/// Why a memory was not synced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// There is no git.
    #[error("there is no git on the PATH")]
    NoGit,
    /// Git could not do something.
    #[error("git could not {what}: {said}")]
    Git {
        /// What.
        what: &'static str,
        /// What it said.
        said: String,
    },
    /// Nobody said where.
    #[error("this memory is not synced")]
    Off,
    /// It is no place for a memory.
    #[error("`{url}` is no repository to sync with")]
    BadRemote {
        /// What was named.
        url: String,
    },
    /// A name for a project cannot be a folder's.
    #[error("`{name}` is no name for a project: letters, digits, `-`, `_` and `.` are")]
    BadName {
        /// The name.
        name: String,
    },
    /// Others were always faster.
    #[error(
        "other machines kept pushing; everything is as it was on the remote, and this machine has what they wrote"
    )]
    Crowded,
}

impl Failure for SyncError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoGit | Self::Git { .. } => "git",
            Self::Off => "not-synced",
            Self::BadRemote { .. } | Self::BadName { .. } => "bad-remote",
            Self::Crowded => "busy",
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoGit => "install git",
            Self::Git { .. } => "nothing was lost: run `quipu sync` again when the cause is gone",
            Self::Off => "`quipu sync init URL` names a private git repository of yours",
            Self::BadRemote { .. } => {
                "name one by https:// or ssh, or by the path of a bare repository: `git init --bare PATH` makes one"
            }
            Self::BadName { .. } => "name it with --project NAME",
            Self::Crowded => "run `quipu sync` again",
        };
        Some(hint.to_owned())
    }
}

/// Where a memory is synced, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// The repository.
    pub remote: String,
    /// The folder in it.
    pub folder: String,
    /// When both sides had the same last.
    #[serde(default)]
    pub last: Option<Timestamp>,
    /// What stayed here, because it looks like a credential.
    #[serde(default)]
    pub kept: Vec<Kept>,
}

/// Something that stays on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    /// The file.
    pub path: String,
    /// The record, where it is one.
    pub id: Option<String>,
    /// What it looks like.
    pub why: String,
}

/// What a sync did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Synced {
    /// The folder in the repository.
    pub folder: String,
    /// Files that changed here.
    pub received: Vec<String>,
    /// Files that changed on the remote.
    pub sent: Vec<String>,
    /// Records whose words another machine had purged.
    pub purged: Vec<String>,
    /// What stays here.
    pub kept: Vec<Kept>,
    /// Whether the remote's history was dropped, because it led to purged words.
    pub forgot_history: bool,
}

/// Returns where a memory is synced; none where it is not.
pub fn settings(workspace: &Workspace) -> Option<Settings> {
    let bytes = workspace.fs().read(&workspace.state(state::SYNC)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Says where a memory is synced.
///
/// # Errors
/// When the remote cannot be one, or git cannot reach it.
pub fn begin(workspace: &Workspace, url: &str, folder: &str) -> Result<Settings, Error> {
    let name = folder.strip_prefix("projects/").unwrap_or(folder);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(SyncError::BadName { name: name.to_owned() }.into());
    }
    let url = checked(url)?;
    workspace.prepare_state()?;
    let settings =
        Settings { remote: url, folder: folder.to_owned(), last: None, kept: Vec::new() };
    // What was agreed with another repository holds for none but that one.
    forget(workspace)?;
    let place = workspace.state(REPOSITORY);
    let remote = Remote { folder: &place, url: &settings.remote, prefix: &settings.folder };
    remote.prepare()?;
    remote.fetch()?;
    put(workspace, &settings)?;
    Ok(settings)
}

/// Stops syncing a memory; everything stays where it is. Tells whether it was synced.
///
/// # Errors
/// When the state folder cannot be written.
pub fn end(workspace: &Workspace) -> Result<bool, Error> {
    let was = settings(workspace).is_some();
    forget(workspace)?;
    Ok(was)
}

fn forget(workspace: &Workspace) -> Result<(), Error> {
    let gone = |result: std::io::Result<()>| match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(workspace::reading(".quipu/sync", error))
        }
        _ => Ok(()),
    };
    gone(workspace.fs().remove_file(&workspace.state(state::SYNC)))?;
    let place = workspace.state(REPOSITORY);
    if workspace.fs().stat(&place).is_ok() {
        gone(workspace.fs().remove_folder(&place))?;
    }
    Ok(())
}

/// Returns a remote as it is written down: a path is absolute.
fn checked(url: &str) -> Result<String, SyncError> {
    let bad = || SyncError::BadRemote { url: url.to_owned() };
    let url = url.trim();
    if url.is_empty()
        || url.starts_with('-')
        || url.contains("::")
        || url.contains(char::is_control)
    {
        return Err(bad());
    }
    let has_scheme = ["https://", "ssh://", "file://"].iter().any(|scheme| url.starts_with(scheme));
    let is_scp =
        url.split_once(':').is_some_and(|(host, _)| !host.contains(['/', '\\']) && host.len() > 1);
    if has_scheme || (is_scp && !PathBuf::from(url).exists()) {
        return Ok(url.to_owned());
    }
    let path = std::path::absolute(url).map_err(|_| bad())?;
    if path.is_dir() { Ok(path.display().to_string()) } else { Err(bad()) }
}

fn put(workspace: &Workspace, settings: &Settings) -> Result<(), Error> {
    let text = serde_json::to_vec(settings).unwrap_or_default();
    let (new, path) = (workspace.state("sync.json.new"), workspace.state(state::SYNC));
    let write = || {
        workspace.fs().write(&new, &text)?;
        workspace.fs().rename(&new, &path)
    };
    write().map_err(|source| workspace::reading(".quipu/sync.json", source))
}

/// Unites a memory with what other machines wrote.
///
/// # Errors
/// When it is not synced, or a step fails; then nothing was lost, and the next sync goes on.
pub fn sync(workspace: &Workspace, request: &Request<'_>) -> Result<Synced, Error> {
    let mut settings = settings(workspace).ok_or(SyncError::Off)?;
    let place = workspace.state(REPOSITORY);
    let remote = Remote { folder: &place, url: &settings.remote, prefix: &settings.folder };
    remote.prepare()?;
    let mut synced = Synced { folder: settings.folder.clone(), ..Synced::default() };
    for _ in 0..TRIES {
        let theirs = remote.fetch()?;
        let base = remote.base().and_then(|base| remote.files(&base).ok()).unwrap_or_default();
        let there = match &theirs {
            Some(commit) => files::texts(remote.files(commit)?),
            None => Files::new(),
        };
        purge_as_others_did(workspace, &there, request, &mut synced)?;
        let mut purged = files::purged(&files::here(workspace)?);
        purged.extend(files::purged(&there));
        let clean = |files: &Files| files::without_words_of(files, &purged);
        let united = unite(workspace, &clean(&base), &clean(&there), request, &mut synced)?;
        let outgoing = files::outgoing(&united, &base, &there, &mut synced.kept);
        let sent: Vec<String> = outgoing
            .iter()
            .filter(|(path, bytes)| there.get(*path) != Some(bytes))
            .map(|(path, _)| path.clone())
            .collect();
        let is_same = sent.is_empty() && there.keys().all(|path| outgoing.contains_key(path));
        let commit = if is_same {
            theirs
        } else {
            let forgets = !files::purged(&outgoing).is_subset(&files::purged(&there))
                || clean(&there) != there;
            match remote.push(theirs.as_deref(), &outgoing, forgets, request.now)? {
                Pushed::Behind => continue,
                Pushed::Done(commit) => {
                    synced.sent = sent;
                    synced.forgot_history = forgets && theirs.is_some();
                    Some(commit)
                }
            }
        };
        if let Some(commit) = commit {
            let before = remote.base();
            // Another memory in the same repository may have dropped the history too.
            let is_dropped = before.is_some_and(|before| !remote.leads_to(&before, &commit));
            remote.set_base(&commit)?;
            if is_dropped || synced.forgot_history || !synced.purged.is_empty() {
                remote.tidy(&commit);
            }
        }
        settings.last = Some(request.now);
        settings.kept.clone_from(&synced.kept);
        put(workspace, &settings)?;
        return Ok(synced);
    }
    Err(SyncError::Crowded.into())
}

/// Purges here what another machine has purged, so that the index and the state folder lose the words too.
fn purge_as_others_did(
    workspace: &Workspace,
    there: &Files,
    request: &Request<'_>,
    synced: &mut Synced,
) -> Result<(), Error> {
    let here = files::purged(&files::here(workspace)?);
    for id in files::purged(there) {
        if here.contains(&id) || !files::has(&files::here(workspace)?, &id) {
            continue;
        }
        let reason = "purged on another machine";
        purge::purge(workspace, &id, reason, &Request { operation: "purge", ..*request })?;
        synced.purged.push(id);
    }
    Ok(())
}

/// Unites the files that are here with those of the remote, and writes what is new here.
fn unite(
    workspace: &Workspace,
    base: &Files,
    there: &Files,
    request: &Request<'_>,
    synced: &mut Synced,
) -> Result<Files, Error> {
    let _lock = workspace.lock_for_writing()?;
    let here = files::here(workspace)?;
    let united = files::united(base, &here, there);
    let new = united.iter().filter(|(path, bytes)| here.get(*path) != Some(bytes));
    let changes: FileChanges =
        new.map(|(path, bytes)| (path.clone(), Some(bytes.clone()))).collect();
    if changes.is_empty() {
        return Ok(united);
    }
    let expected: FileChanges =
        changes.keys().map(|path| (path.clone(), here.get(path).cloned())).collect();
    for path in changes.keys() {
        crate::ledger::prepare_folder_of(workspace, path)?;
    }
    let options = CommitOptions { private: true, is_final: true, ..CommitOptions::default() };
    let transactions = workspace.transactions();
    transactions.commit("sync", &stamp(request.now), &changes, &expected, options)?;
    synced.received.extend(changes.into_keys());
    synced.received.sort_unstable();
    synced.received.dedup();
    Ok(united)
}
