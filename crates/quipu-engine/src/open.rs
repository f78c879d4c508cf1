//! Opening a workspace: finding the folder, and telling it what the modules above it do for it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use quipu_core::journal;
use quipu_core::memory::CONTINUITY;

use crate::adoption;
use crate::error::{Error, NoWorkspace};
use crate::fs::{FileSystem, Kind};
use crate::home::Home;
use crate::purge;
use crate::workspace::{Duties, Workspace};

/// What is done for a workspace by modules that it does not know.
const DUTIES: Duties = Duties { adopt: adoption::adopt_data, finish_purge: purge::finish_purge };

/// Finds the workspace that holds `start`, climbing from there.
///
/// # Errors
/// When no folder above has a memory.
pub fn discover(fs: Arc<dyn FileSystem>, start: &Path) -> Result<Workspace, Error> {
    discover_with(fs, start, &[])
}

/// Finds the workspace that holds `start`, with settings of the caller's own.
///
/// # Errors
/// When no folder above has a memory, or a setting makes no sense.
pub fn discover_with(
    fs: Arc<dyn FileSystem>,
    start: &Path,
    settings: &[(String, String)],
) -> Result<Workspace, Error> {
    let absolute = start.canonicalize().unwrap_or_else(|_| start.to_owned());
    let is_there = |path: &Path| match fs.stat(path) {
        Ok(_) => true,
        // A memory that may not be read is one all the same: reading it tells so.
        Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
    };
    // A profile of the original has a journal and nothing else.
    let is_memory = |folder: &Path| is_there(&folder.join(CONTINUITY)) || has_journal(&*fs, folder);
    // A `MEMORY.md` without a record may be anybody's: it counts where there is nothing better.
    let is_start = || matches!(fs.stat(&absolute.join(journal::PRIMARY)), Ok((Kind::File, _)));
    let root = absolute
        .ancestors()
        .find(|folder| is_memory(folder))
        .or_else(|| is_start().then_some(&*absolute))
        .ok_or_else(|| NoWorkspace { start: absolute.clone() })?;
    at_with(fs, root, settings)
}

/// Opens the folder `root`, whether or not it has a memory yet.
///
/// # Errors
/// When its configuration cannot be read.
pub fn at(fs: Arc<dyn FileSystem>, root: &Path) -> Result<Workspace, Error> {
    at_with(fs, root, &[])
}

/// Opens the folder `root` with settings of the caller's own.
///
/// # Errors
/// When its configuration cannot be read, or a setting makes no sense.
pub fn at_with(
    fs: Arc<dyn FileSystem>,
    root: &Path,
    settings: &[(String, String)],
) -> Result<Workspace, Error> {
    Workspace::open(fs, root, settings, DUTIES)
}

/// Opens a workspace that lives in a home; its paths begin with `root`.
///
/// # Errors
/// When its configuration cannot be read, or a setting makes no sense.
pub fn in_home(
    fs: Arc<dyn FileSystem>,
    root: &Path,
    settings: &[(String, String)],
    home: Arc<dyn Home>,
) -> Result<Workspace, Error> {
    Workspace::open_in_home(fs, root, settings, DUTIES, home)
}

/// Tells whether a folder has daily logs, or a `MEMORY.md` with a record in it.
fn has_journal(fs: &dyn FileSystem, folder: &Path) -> bool {
    const ENOUGH: u64 = 1 << 20;
    let names = fs.list(&folder.join("memory")).unwrap_or_default();
    let has_records = |bytes: Vec<u8>| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        journal::headers().iter().any(|header| text.contains(header.trim()))
            || journal::records(&text).next().is_some()
    };
    names.iter().any(|(name, _)| journal::is_daily(name))
        || match fs.read_up_to(&folder.join(journal::PRIMARY), ENOUGH) {
            Ok(Ok(bytes)) => has_records(bytes),
            // Nobody writes so much by hand.
            Ok(Err(_)) => true,
            Err(_) => false,
        }
}
