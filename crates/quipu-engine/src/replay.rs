//! Throwing the index away and getting the same back.

use quipu_store::{Batch, Counts, Store};
use serde::Serialize;

use crate::codebase;
use crate::embedding;
use crate::error::Error;
use crate::found::Indexable;
use crate::index::open::{self, remove_database};
use crate::index::{self, Indexed};
use crate::refusal::Refusal;
use crate::workspace::Workspace;

/// What a replay found.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Replayed {
    /// The fingerprint of what the files say.
    pub digest: String,
    /// The fingerprint of what the index said before; none where it could not be read.
    pub before: Option<String>,
    /// Whether both are the same.
    pub equal: bool,
    /// Ids that differ, some of them.
    pub differences: Vec<String>,
    /// Whether the index was replaced.
    pub replaced: bool,
    /// What the files do not know, and is lost: in words.
    pub lost: Vec<String>,
    /// What was read.
    pub indexed: Indexed,
}

/// Rebuilds the index from the files and compares it with the one that is there; puts the new
/// one in its place where they differ, unless this is only a check.
///
/// # Errors
/// When the files cannot be read, or the new index cannot be written.
pub fn replay(
    workspace: &Workspace,
    check: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Replayed, Error> {
    let lock = workspace.lock_for_writing()?;
    // What the files say that the index has not heard yet is no difference.
    let caught_up = index::index_locked(workspace, &lock, &mut |_, _| {});
    let new_path = workspace.state("replay.db");
    remove_database(workspace.fs(), &new_path)?;
    let mut new = match workspace.home() {
        Some(_) => open::in_memory()?,
        None => open::open(&new_path)?,
    };
    let indexed = index::index_all(workspace, &mut *new, progress)?;
    if let Some(reason) = &indexed.without_vector {
        // A server that does not answer is no reason to throw away what it said before.
        drop(new);
        remove_database(workspace.fs(), &new_path)?;
        return Err(Refusal::NoVectors { reason: reason.clone() }.into());
    }
    let mut lost = Vec::new();
    if caught_up.is_ok() {
        match codebase::carry_code(workspace, &mut *new) {
            Err(error) if error.is_damaged_index() => {
                lost.push("what `quipu scan` read of the code".to_owned());
            }
            carried => carried?,
        }
    }
    let digest = new.digest()?;
    let old = caught_up.and_then(|_| {
        let old = index::store(workspace)?;
        Ok((old.digest()?, differences(&*old, &*new)?))
    });
    let (before, differences) = match old {
        Ok((digest, differences)) => (Some(digest), differences),
        Err(_) => (None, Vec::new()),
    };
    let equal = before.as_ref() == Some(&digest);
    let replaced = !equal && !check;
    if replaced && let Some(home) = workspace.home() {
        // All of it is one transaction.
        drop(new);
        home.clear_index()?;
        index::index_all(workspace, &mut *index::store(workspace)?, progress)?;
        return Ok(Replayed { digest, before, equal, differences, replaced, lost, indexed });
    }
    if replaced {
        if !carry_accesses(workspace, &mut *new) {
            lost.push("how often each item was opened".to_owned());
        }
        put_in_place(workspace, &*new)?;
    }
    drop(new);
    remove_database(workspace.fs(), &new_path)?;
    drop(lock);
    Ok(Replayed { digest, before, equal, differences, replaced, lost, indexed })
}

/// Writes the new index over the old one, so that a reader sees one or the other. Only one that
/// is damaged beyond that is removed first.
fn put_in_place(workspace: &Workspace, new: &dyn Store) -> Result<(), Error> {
    if let Ok(mut store) = index::store(workspace)
        && store.take_over(new).is_ok()
    {
        return Ok(());
    }
    index::close_store(workspace);
    remove_database(workspace.fs(), &index::database(workspace))?;
    index::store(workspace)?.take_over(new)?;
    Ok(())
}

/// Takes over what only the old index knows; tells whether it could be read.
fn carry_accesses(workspace: &Workspace, new: &mut dyn Store) -> bool {
    let mut carry = || -> Result<(), Error> {
        let old = index::store(workspace)?;
        for (item, at, uses) in old.all_accesses()? {
            new.record_access(&item, at, uses)?;
        }
        Ok(())
    };
    !index::is_made(workspace) || carry().is_ok()
}

/// Makes vectors of the current model for items that have none.
///
/// # Errors
/// When the model or the index cannot be used.
pub fn reembed(
    workspace: &Workspace,
    all: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<usize, Error> {
    index::index(workspace, &mut |_, _| {})?;
    let model = embedding::embedder(workspace)?.id().to_owned();
    let ids = if all {
        index::store(workspace)?.ids("", usize::MAX)?
    } else {
        index::store(workspace)?.without_vector(&model, usize::MAX)?
    };
    let total = ids.len();
    let mut done = 0;
    // A little at a time, so that others can write in between.
    for chunk in ids.chunks(500) {
        let _lock = workspace.lock_for_writing()?;
        let mut store = index::store(workspace)?;
        let mut items = Vec::new();
        let ids: Vec<&str> = chunk.iter().map(String::as_str).collect();
        for item in store.items(&ids)?.into_iter().flatten() {
            if let Some(base) = store.base(&item.id)? {
                items.push(Indexable { base, item, position: None });
            }
        }
        let prepared = embedding::prepared(workspace, &items)?;
        if let Some(reason) = prepared.failed {
            return Err(Refusal::NoVectors { reason }.into());
        }
        store.apply(&Batch { model: model.clone(), put: prepared.puts, ..Batch::default() })?;
        done += chunk.len();
        progress(done, total);
    }
    Ok(total)
}

/// Returns the ids of everything that is remembered, in order.
///
/// # Errors
/// When the index cannot be used.
pub fn index_ids(workspace: &Workspace) -> Result<Vec<String>, Error> {
    index::freshen(workspace)?;
    Ok(index::store(workspace)?.ids("", usize::MAX)?)
}

/// Returns how much is in the index.
///
/// # Errors
/// When it cannot be read.
pub fn index_counts(workspace: &Workspace) -> Result<Counts, Error> {
    index::freshen(workspace)?;
    let model = embedding::embedder(workspace)?.id().to_owned();
    Ok(index::store(workspace)?.counts(&model)?)
}

/// Returns some of the ids that two stores disagree about.
fn differences(old: &dyn Store, new: &dyn Store) -> Result<Vec<String>, Error> {
    let mut result = Vec::new();
    let mut compare = |a: &dyn Store, b: &dyn Store| -> Result<(), Error> {
        let mut failed = None;
        a.each(&mut |item| {
            match b.get(&item.id) {
                Ok(other) if other.as_ref() != Some(&item) && !result.contains(&item.id) => {
                    result.push(item.id);
                }
                Err(error) => failed = Some(error),
                Ok(_) => {}
            }
            result.len() < 20 && failed.is_none()
        })?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    };
    compare(old, new)?;
    compare(new, old)?;
    Ok(result)
}
