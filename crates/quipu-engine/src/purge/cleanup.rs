//! What follows the files of the memory: the state folder, the undo entries and the index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quipu_core::item::{Item, Kind};
use quipu_core::purge::{NEUTRAL, Redaction};
use quipu_store::Batch;

use super::Purged;
use super::intent::Intent;
use super::places::memory_debris;
use super::places::memory_files;
use super::places::state_files;
use crate::error::Error;
use crate::fs::Kind as FileType;
use crate::index;
use crate::lock::Lock;
use crate::state;
use crate::workspace::Workspace;

/// How often the index's journal is tried again while another process reads it.
const TRIES: u32 = 20;

/// Takes the words out of everything but the files of the memory, and ends the purge.
pub(super) fn clean_up(
    workspace: &Workspace,
    lock: &Lock,
    intent: &Intent,
    redaction: &Redaction,
    report: &mut Purged,
) -> Result<(), Error> {
    clean_state(workspace, intent, redaction)?;
    workspace.forget_kept();
    if clean_index(workspace, lock, intent, redaction)? {
        Intent::remove(workspace).map_err(|source| crate::workspace::reading(state::PURGE, source))
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
fn clean_state(workspace: &Workspace, intent: &Intent, redaction: &Redaction) -> Result<(), Error> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |source| crate::workspace::reading(&path, source)
    };
    let mut removed = undo_entries_with(workspace, redaction);
    for entry in &removed {
        workspace.fs().remove_folder(entry).map_err(failed(entry))?;
    }
    let files = state_files(workspace);
    let (memory, _) = memory_files(workspace, intent.is_of_value());
    let own = crate::index::open::database_files(&index::database(workspace));
    let has_words = |path: &PathBuf| {
        !own.contains(path)
            && workspace.fs().read(path).is_ok_and(|bytes| redaction.words.are_in_bytes(&bytes))
    };
    // Copies of the index that were set aside.
    let copies = files.databases.into_iter().filter(has_words);
    let debris = files.debris.into_iter().chain(memory_debris(workspace, &memory)).chain(copies);
    for path in debris {
        workspace.fs().remove_file(&path).map_err(failed(&path))?;
        removed.push(path);
    }
    let staging = workspace.state("tx");
    if workspace.fs().stat(&staging).is_ok() {
        workspace.fs().remove_folder(&staging).map_err(failed(&staging))?;
        removed.push(staging);
    }
    for folder in index::notes(workspace).map(|(_, folders)| folders).unwrap_or_default() {
        let full = workspace.root().join(&folder);
        let is_empty = workspace.fs().list(&full).is_ok_and(|names| names.is_empty());
        if is_empty && redaction.words.are_in(&folder) {
            workspace.fs().remove_folder(&full).map_err(failed(&full))?;
            removed.push(full);
        }
    }
    // What is removed must not come back after a power cut.
    let folders: BTreeSet<&Path> = removed.iter().filter_map(|path| path.parent()).collect();
    for folder in folders {
        workspace.fs().sync_folder(folder).map_err(failed(folder))?;
    }
    for path in files.texts {
        if let Some(cleaned) = cleaned_state(workspace, &path, redaction) {
            replace_state(workspace, &path, cleaned.as_bytes()).map_err(failed(&path))?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if redaction.words.are_in(&name) {
            let new = path.with_file_name(redaction.words.out_of(&name, NEUTRAL));
            workspace.fs().rename(&path, &new).map_err(failed(&path))?;
        }
    }
    Ok(())
}

/// Returns what a file of the state folder says without the words; nothing where it stays as it is.
fn cleaned_state(workspace: &Workspace, path: &Path, redaction: &Redaction) -> Option<String> {
    let bytes = workspace.fs().read(path).ok()?;
    let Ok(text) = String::from_utf8(bytes) else {
        // Nothing of ours is written so; what cannot be read is of no use.
        let bytes = workspace.fs().read(path).unwrap_or_default();
        return redaction.words.are_in_bytes(&bytes).then(String::new);
    };
    let cleaned = if path == workspace.state(crate::dream::PLAN) {
        redaction.dream_plan(&text)
    } else if path.parent() == Some(&workspace.state("hooks")) {
        // A briefing may say it in part, or cut short.
        redaction.state(&crate::hook::without_briefing(&text))
    } else if path == workspace.state("uses.jsonl") {
        // Single words of a fact say little, and enough.
        String::new()
    } else if path.parent() == Some(&workspace.state("sessions")) {
        redaction.state(&crate::sessions::without_evidence(&text))
    } else {
        redaction.state(&text)
    };
    (cleaned != text).then_some(cleaned)
}

fn replace_state(workspace: &Workspace, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".quipu-tmp");
    let beside = PathBuf::from(beside);
    workspace.fs().write(&beside, b"")?;
    workspace.fs().copy_permissions(path, &beside)?;
    workspace.fs().write(&beside, bytes)?;
    workspace.fs().sync_file(&beside)?;
    workspace.fs().rename(&beside, path)?;
    workspace.fs().sync_folder(path.parent().unwrap_or(path))
}

/// Returns the undo entries whose copies have the words or an id that goes.
fn undo_entries_with(workspace: &Workspace, redaction: &Redaction) -> Vec<PathBuf> {
    let folder = workspace.state("undo");
    let mut entries = workspace.fs().list(&folder).unwrap_or_default();
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let holds = |path: &PathBuf| {
        let files = workspace.fs().list(path).unwrap_or_default();
        files.iter().any(|(name, _)| match workspace.fs().read(&path.join(name)) {
            Ok(bytes) => redaction.is_in(&String::from_utf8_lossy(&bytes)),
            Err(_) => true,
        })
    };
    entries.into_iter().map(|(name, _)| folder.join(name)).filter(holds).collect()
}

/// Names the places beside the memory that have the words.
pub(super) fn other_places(workspace: &Workspace, redaction: &Redaction) -> Vec<String> {
    let mut places = Vec::new();
    let shown = |path: &Path| {
        let path = path.strip_prefix(workspace.root()).unwrap_or(path).display().to_string();
        redaction.id(&path)
    };
    let files = state_files(workspace);
    for path in files.texts.iter().chain(&files.debris) {
        let bytes = workspace.fs().read(path).unwrap_or_default();
        if redaction.is_in(&String::from_utf8_lossy(&bytes)) {
            places.push(shown(path));
        }
    }
    places.extend(undo_entries_with(workspace, redaction).iter().map(|path| shown(path)));
    let has_words = |path: &&PathBuf| {
        workspace.fs().read(path).is_ok_and(|bytes| redaction.words.are_in_bytes(&bytes))
    };
    places.extend(files.databases.iter().filter(has_words).map(|path| shown(path)));
    places
}

/// Takes the words out of the index, and every trace of them out of its files. Returns whether it
/// is done; another process that reads can keep it from that.
fn clean_index(
    workspace: &Workspace,
    lock: &Lock,
    intent: &Intent,
    redaction: &Redaction,
) -> Result<bool, Error> {
    crate::index::open::remove_database(workspace.fs(), &workspace.state("replay.db"))?;
    let clean = || -> Result<bool, Error> {
        index::index_locked(workspace, lock, &mut |_, _| {})?;
        let mut store = index::store(workspace)?;
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
        Ok(true) if !index_has(workspace, redaction) => return Ok(true),
        Ok(false) => return Ok(false),
        _ => {}
    }
    // An index that cannot be cleaned is made anew; it says nothing that the files do not, but how
    // often something was used.
    let uses =
        index::store(workspace).and_then(|store| Ok(store.all_accesses()?)).unwrap_or_default();
    if workspace.home().is_some() {
        // Rows that were removed are gone for every reader; nothing else can be made of them.
        return Ok(true);
    }
    index::close_store(workspace);
    crate::index::open::remove_database(workspace.fs(), &index::database(workspace))?;
    index::index_locked(workspace, lock, &mut |_, _| {})?;
    let mut store = index::store(workspace)?;
    for (item, at, uses) in uses {
        let item = redaction.id(&item);
        store.record_access(&item, at, uses)?;
    }
    Ok(store.scrub()?)
}

fn index_has(workspace: &Workspace, redaction: &Redaction) -> bool {
    let has = |path: &PathBuf| match workspace.fs().stat(path) {
        Ok((FileType::File, _)) => {
            workspace.fs().read(path).is_ok_and(|bytes| redaction.words.are_in_bytes(&bytes))
        }
        _ => false,
    };
    crate::index::open::database_files(&index::database(workspace)).iter().any(has)
}

fn code_words(item: &Item) -> String {
    format!("{}\n{}\n{}", item.id, item.title, item.text)
}
