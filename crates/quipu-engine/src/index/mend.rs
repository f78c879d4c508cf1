//! An index that is damaged, or that cannot be written: the files have everything that it has, so the
//! answer does not depend on it.

use std::io;
use std::time::Duration;

use super::close_store;
use super::database;
use super::differences;
use super::index_all;
use super::index_into;
use super::open::{self, database_files, file_number};
use super::store;
use super::{DATABASE, Indexed, Opened};
use crate::error::{Error, IndexError};
use crate::lock::{Lock, Mode};
use crate::workspace::Workspace;

/// Where a damaged one is kept.
const DAMAGED: &str = "quipu.db.damaged";

/// How long one process waits for another that sets a damaged database aside.
const MENDING: Duration = Duration::from_secs(10);

/// Does something that only reads; where the index turns out to be damaged, does it again with one
/// that is made anew from the files.
pub(crate) fn mending<T>(
    workspace: &Workspace,
    work: impl Fn() -> Result<T, Error>,
) -> Result<T, Error> {
    match work() {
        // In a home there is no file to set aside.
        Err(error) if error.is_damaged_index() && workspace.home().is_none() => {
            set_damaged_aside(workspace)?;
            work()
        }
        done => done,
    }
}

/// Puts an index aside that was found damaged; the next one who asks makes it anew.
///
/// # Errors
/// When it cannot be moved.
pub fn set_damaged_aside(workspace: &Workspace) -> Result<(), Error> {
    if workspace.home().is_some() {
        close_store(workspace);
        return Ok(());
    }
    let found = workspace.opened.borrow().as_ref().map(|open| open.file);
    close_store(workspace);
    let notice = set_aside(workspace, found.flatten())?;
    drop(store(workspace)?);
    if let Some(opened) = &mut *workspace.opened.borrow_mut() {
        opened.notice = notice.or(opened.notice.take());
    }
    Ok(())
}

/// Moves the damaged database away, unless another process has done so: `found` is the number of
/// the file that is damaged, where it could be opened. Returns what to tell.
pub(super) fn set_aside(
    workspace: &Workspace,
    found: Option<u64>,
) -> Result<Option<String>, Error> {
    let path = database(workspace);
    let _lock = Lock::take(&workspace.state("mend.lock"), Mode::Exclusive, MENDING)?;
    let is_done = match found {
        Some(found) => file_number(&path) != Some(found),
        None => !matches!(open::open(&path), Err(error) if error.is_damage()),
    };
    if is_done {
        return Ok(None);
    }
    let damaged = workspace.state(DAMAGED);
    // Only the newest is kept.
    let _ = workspace.fs().remove_file(&damaged);
    let moved = workspace.fs().rename(&path, &damaged);
    moved.map_err(|source| crate::workspace::reading(DATABASE, source))?;
    for beside in &database_files(&path)[1..] {
        // They belong to what was moved. SQLite leaves them alone beside an empty file.
        let _ = workspace.fs().remove_file(beside);
    }
    Ok(Some(format!(
        "the index was damaged: it is rebuilt from the files, and the old one is kept as \
         {DAMAGED}; how often each item was opened is not known any more, and `quipu scan` \
         reads the code again"
    )))
}

/// Tells whether nothing can be written here, so that the index has to live in memory.
pub(super) fn is_read_only(workspace: &Workspace) -> bool {
    if workspace.prepare_state().is_err() {
        return true;
    }
    let is_in_memory = workspace.opened.borrow().as_ref().is_some_and(|open| open.in_memory);
    if workspace.home().is_none() && is_in_memory && can_write(workspace) {
        // There is room again.
        close_store(workspace);
        return false;
    }
    is_in_memory
}

/// Tells whether a little can be written.
fn can_write(workspace: &Workspace) -> bool {
    let probe = workspace.state("probe");
    let written = workspace.fs().write(&probe, &[0; 8192]);
    let _ = workspace.fs().remove_file(&probe);
    written.is_ok()
}

/// Indexes everything for this process alone.
pub(super) fn read_into_memory(workspace: &Workspace) -> Result<Indexed, Error> {
    let is_there = workspace.opened.borrow().as_ref().is_some_and(|open| open.in_memory);
    let mut indexed;
    if is_there {
        let differences = differences(workspace)?;
        indexed = index_into(workspace, &mut *store(workspace)?, &differences, &mut |_, _| {})?;
    } else {
        let mut store = open::in_memory()?;
        indexed = index_all(workspace, &mut *store, &mut |_, _| {})?;
        let opened = Opened { store, file: None, in_memory: true, notice: None };
        *workspace.opened.borrow_mut() = Some(opened);
    }
    let why = "nothing can be written here, so everything was read anew".to_owned();
    indexed.notices.push(why);
    Ok(indexed)
}

/// Tells whether something failed because nothing can be written: nobody may, or nothing more fits.
pub(super) fn is_unwritable(error: &Error) -> bool {
    use io::ErrorKind::{
        FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    if let Some(IndexError::Store(error)) = error.of() {
        return error.is_read_only();
    }
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return matches!(
                io.kind(),
                FileTooLarge | PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull
            );
        }
        cause = inner.source();
    }
    false
}
