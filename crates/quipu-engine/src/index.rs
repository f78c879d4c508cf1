//! The index over everything in the workspace: kept in step with the files, thrown away and rebuilt
//! at will.

mod heal;
mod known;
pub(crate) mod limit;
mod lookup;
mod mend;
pub(crate) mod open;

use std::cell::RefMut;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use quipu_core::indexing::FileKind;
use quipu_core::journal;
use quipu_store::{Batch, Store};

pub(crate) use self::heal::heal_window;
pub(crate) use self::known::{known_sizes, knows, window_wants_a_look, window_was_looked_at};
use self::limit::most_indexed;
pub use self::lookup::{note_access, resolve, short_name};
use self::mend::is_read_only;
use self::mend::is_unwritable;
pub(crate) use self::mend::mending;
use self::mend::read_into_memory;
use self::mend::set_aside;
pub use self::mend::set_damaged_aside;
use self::open::file_number;
use crate::cache::World;
use crate::embedding;
use crate::error::Error;
use crate::found::{Found, Indexable};
use crate::fs::{Kind, Stamp};
use crate::ledger;
use crate::lock::Lock;
use crate::parallel;
use crate::workspace::{Opened, Workspace};

pub use self::limit::LeftOut;

/// The database, beside the locks.
pub(crate) const DATABASE: &str = "quipu.db";

/// How ids and sources of the codebase layer begin.
pub(crate) const CODE: &str = "code:";

/// So many items are indexed in one transaction.
const BATCH: usize = 2000;

/// What bringing the index up to date did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Indexed {
    /// Items that are new or changed.
    pub put: usize,
    /// Items that are gone.
    pub removed: usize,
    /// Files that were read.
    pub files: usize,
    /// Files that could not be, and why.
    pub skipped: Vec<(String, String)>,
    /// Whether another process was writing for so long that its changes may be missing.
    pub busy: bool,
    /// Why some items have no vector.
    pub without_vector: Option<String>,
    /// What was too much for a hook.
    pub left_out: Option<LeftOut>,
    /// What else a person should know, such as that the index was damaged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The folders of the memory.
const FOLDERS: [&str; 6] = [
    "memory/",
    "memory/sessions/",
    "memory/archive/",
    journal::EVENTS,
    journal::IMPORTS,
    journal::LIBRARY,
];

/// The files that an answer depends on, listed anew only when a folder changed.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    folders: Option<Vec<(String, Option<Stamp>)>>,
    files: Vec<(PathBuf, Vec<String>)>,
    /// A number for their names.
    names: u64,
}

/// Notes in more folders than these are not indexed.
const MOST_NOTE_FOLDERS: usize = 1000;

/// Marks the stamp of a file that could not be read.
const UNREAD: &str = "!";

/// Marks the stamp of a file of the journal that has to be looked at before anything is added to it: its last
/// line has no end, or a person changed the window's words.
const UNENDED: &str = "\\";

/// How long a question waits for somebody who is writing.
const BRIEFLY: Duration = Duration::from_secs(1);

/// Files that differ from what was indexed.
#[derive(Debug, Default)]
struct Differences {
    changed: Vec<(String, String)>,
    gone: Vec<String>,
    /// Files that still cannot be read, and why.
    unread: Vec<(String, String)>,
    /// Every file that is there, with its stamp.
    present: BTreeMap<String, String>,
}

impl Differences {
    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

/// Returns the open database; opens it, and makes it where there is none.
pub(crate) fn store(workspace: &Workspace) -> Result<RefMut<'_, dyn Store + 'static>, Error> {
    if let Some(home) = workspace.home() {
        let opened = workspace.opened.borrow_mut();
        return Ok(RefMut::map(opened, |opened| {
            let open =
                || Opened { store: home.store(), file: None, in_memory: false, notice: None };
            &mut *opened.get_or_insert_with(open).store
        }));
    }
    let path = database(workspace);
    let mut opened = workspace.opened.borrow_mut();
    // A replay puts another file in its place.
    let file = file_number(&path);
    let is_other = |open: &Opened| !open.in_memory && (open.file != file || file.is_none());
    if opened.as_ref().is_some_and(is_other) {
        *opened = None;
    }
    if opened.is_none() {
        let mut notice = None;
        let store = match open::open(&path) {
            Err(error) if error.is_damage() => {
                notice = set_aside(workspace, None)?;
                open::open(&path)?
            }
            opened => opened?,
        };
        *opened = Some(Opened { store, file: file_number(&path), in_memory: false, notice });
    }
    RefMut::filter_map(opened, |opened| opened.as_mut().map(|open| &mut *open.store))
        .map_err(|_| Error::from(crate::error::IndexError::NotOpened))
}

pub(crate) fn close_store(workspace: &Workspace) {
    *workspace.opened.borrow_mut() = None;
}

/// Returns the path of the database.
pub fn database(workspace: &Workspace) -> PathBuf {
    workspace.state(DATABASE)
}

/// Opens the index once more, beside the one that is open.
pub(crate) fn another_store(workspace: &Workspace) -> Result<Box<dyn Store>, Error> {
    match workspace.home() {
        Some(home) => Ok(home.store()),
        None => Ok(open::open(&database(workspace))?),
    }
}

/// Tells whether there is an index, which no question should make by itself.
pub(crate) fn is_made(workspace: &Workspace) -> bool {
    workspace.home().is_some() || database(workspace).exists()
}

/// Brings the index up to date with the files, where it is not.
///
/// Another process that is writing holds this one up for a moment only; the answer says so.
///
/// # Errors
/// When the database or the files cannot be used.
pub fn freshen(workspace: &Workspace) -> Result<Indexed, Error> {
    let mut indexed = mending(workspace, || match freshen_on_disk(workspace) {
        Err(error) if workspace.home().is_none() && is_unwritable(&error) => {
            read_into_memory(workspace)
        }
        done => done,
    })?;
    let opened = &mut *workspace.opened.borrow_mut();
    indexed.notices.extend(opened.as_mut().and_then(|open| open.notice.take()));
    Ok(indexed)
}

fn freshen_on_disk(workspace: &Workspace) -> Result<Indexed, Error> {
    if is_read_only(workspace) {
        return read_into_memory(workspace);
    }
    let mut differences = differences(workspace)?;
    // Words that were about to be removed may not be read before they are.
    if !workspace.has_unfinished_purge() {
        let left_out = cut(workspace, &mut differences);
        if differences.is_empty() {
            let skipped = differences.unread;
            return Ok(Indexed { skipped, left_out, ..Indexed::default() });
        }
    }
    let Some(lock) = workspace.try_lock_for_writing(BRIEFLY)? else {
        return Ok(Indexed { busy: true, skipped: differences.unread, ..Indexed::default() });
    };
    index_locked(workspace, &lock, &mut |_, _| {})
}

/// Brings the index up to date, waiting for others; `progress` hears how many of how many.
///
/// # Errors
/// When the database or the files cannot be used.
pub fn index(
    workspace: &Workspace,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Indexed, Error> {
    let lock = workspace.lock_for_writing()?;
    index_locked(workspace, &lock, progress)
}

pub(crate) fn index_locked(
    workspace: &Workspace,
    lock: &Lock,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Indexed, Error> {
    let mut differences = differences(workspace)?;
    if differences.is_empty() {
        return Ok(Indexed::default());
    }
    // A process that died may have reached a day's log and not the window.
    let days: Vec<String> = differences
        .changed
        .iter()
        .map(|(path, _)| path.clone())
        .filter(|path| path.strip_prefix("memory/").is_some_and(journal::is_daily))
        .collect();
    if heal_window(workspace, lock, &days)? {
        differences = self::differences(workspace)?;
    }
    let left_out = cut(workspace, &mut differences);
    let mut store = store(workspace)?;
    let indexed = index_into(workspace, &mut *store, &differences, progress)?;
    Ok(Indexed { left_out, ..indexed })
}

/// Leaves out what is too much for a hook; returns what that is.
fn cut(workspace: &Workspace, differences: &mut Differences) -> Option<LeftOut> {
    let most = most_indexed(workspace)?;
    differences.cut_to(most, |path| workspace.file_kind(path))
}

/// Indexes everything into an empty store.
pub(crate) fn index_all(
    workspace: &Workspace,
    store: &mut dyn Store,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Indexed, Error> {
    let present = stamps(workspace)?;
    let changed = present.iter().map(|(path, stamp)| (path.clone(), stamp.clone())).collect();
    index_into(
        workspace,
        store,
        &Differences { changed, present, ..Differences::default() },
        progress,
    )
}

/// Returns the files that should be indexed; some may not be there.
fn paths(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let own = [journal::PRIMARY, journal::USER, journal::LONG];
    let mut paths: Vec<String> = own.map(str::to_owned).to_vec();
    paths.extend(workspace.config().continuity.memory_archive_path.clone());
    for folder in FOLDERS {
        match workspace.fs().list(&workspace.root().join(folder)) {
            Ok(entries) => paths.extend(
                entries
                    .into_iter()
                    .filter(|(_, kind)| *kind != Kind::Folder)
                    .map(|(name, _)| format!("{folder}{name}"))
                    .filter(|path| !path.contains("/.")),
            ),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(crate::workspace::reading(folder, source)),
        }
    }
    paths.extend(notes(workspace)?.0);
    paths.retain(|path| workspace.file_kind(path).is_some());
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

/// Returns the files of the memory tool and their folders, whether or not these are there.
pub(crate) fn notes(workspace: &Workspace) -> Result<(Vec<String>, Vec<String>), Error> {
    let mut files = Vec::new();
    let mut folders = vec![workspace.config().memory_tool.folder.clone()];
    let mut at = 0;
    while let Some(folder) = folders.get(at).cloned() {
        at += 1;
        let entries = match workspace.fs().list(&workspace.root().join(&folder)) {
            Ok(entries) => entries,
            // A file may stand there; then there is nothing to look into.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                continue;
            }
            Err(source) => return Err(crate::workspace::reading(&folder, source)),
        };
        for (name, kind) in entries.into_iter().filter(|(name, _)| !name.starts_with('.')) {
            let path = format!("{folder}/{name}");
            match kind {
                Kind::Folder if folders.len() < MOST_NOTE_FOLDERS => folders.push(path),
                Kind::File => files.push(path),
                // A link is not followed: it could lead anywhere.
                Kind::Folder | Kind::Link | Kind::Other => {}
            }
        }
    }
    Ok((files, folders))
}

/// Returns the files that should be indexed, each with its stamp.
fn stamps(workspace: &Workspace) -> Result<BTreeMap<String, String>, Error> {
    let paths = paths(workspace)?;
    let (fs, root) = (workspace.fs(), workspace.root());
    let config = workspace.config();
    let stamp = |path: &String| {
        let stamp = fs.stamp(&root.join(path)).ok()?;
        let is_journal = config.file_kind(path) == Some(FileKind::Journal);
        Some((path.clone(), written_stamp(is_journal, &stamp)))
    };
    Ok(parallel::map(&paths, stamp).into_iter().flatten().collect())
}

/// Returns how many files the index does not know as they are.
///
/// # Errors
/// When the index or the folder cannot be read.
pub fn behind(workspace: &Workspace) -> Result<usize, Error> {
    let differences = differences(workspace)?;
    Ok(differences.changed.len() + differences.gone.len() + differences.unread.len())
}

fn differences(workspace: &Workspace) -> Result<Differences, Error> {
    let present = stamps(workspace)?;
    // The codebase layer has a scan of its own.
    let known = store(workspace)?.sources()?.into_iter();
    let known: BTreeMap<String, String> =
        known.filter(|(path, _)| !path.starts_with(CODE)).collect();
    let mut differences = Differences::default();
    for (path, stamp) in &present {
        match known.get(path) {
            // It could not be read then. It is tried again, and named until it can be.
            Some(old) if old.strip_suffix(UNREAD) == Some(stamp) => {
                match workspace.read_optional(path) {
                    Ok(_) => differences.changed.push((path.clone(), stamp.clone())),
                    Err(error) => differences.unread.push((path.clone(), error.to_string())),
                }
            }
            Some(old) if old.strip_suffix(UNENDED).unwrap_or(old) == stamp => {}
            _ => differences.changed.push((path.clone(), stamp.clone())),
        }
    }
    let gone = known.into_keys().filter(|path| !present.contains_key(path));
    differences.gone = gone.collect();
    differences.present = present;
    Ok(differences)
}

fn index_into(
    workspace: &Workspace,
    store: &mut dyn Store,
    differences: &Differences,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Indexed, Error> {
    let mut result = Indexed { skipped: differences.unread.clone(), ..Indexed::default() };
    let mut batch =
        Batch { model: embedding::embedder(workspace)?.id().to_owned(), ..Batch::default() };
    let kind = |path: &String| workspace.file_kind(path);
    let mut wanted: BTreeSet<String> =
        differences.changed.iter().map(|(path, _)| path.clone()).collect();
    let of_kind = |wanted: &BTreeSet<String>, one: FileKind| {
        wanted.iter().chain(&differences.gone).any(|path| kind(path) == Some(one))
    };
    // Facts replace each other across files, so they are read together.
    if of_kind(&wanted, FileKind::Facts) {
        let facts = differences.present.keys().filter(|path| kind(path) == Some(FileKind::Facts));
        wanted.extend(facts.cloned());
    }
    // What a day no longer holds, an archive or the window may.
    if of_kind(&wanted, FileKind::Journal) {
        let copies = ledger::archives(workspace).into_iter().chain([journal::PRIMARY.to_owned()]);
        wanted.extend(copies.filter(|path| differences.present.contains_key(path)));
    }
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut touched: BTreeSet<String> = differences.gone.iter().cloned().collect();
    let mut unread: BTreeSet<String> = BTreeSet::new();
    let kind_of = |path: &str| workspace.file_kind(path);
    let mut found = Found::default();
    while !wanted.is_empty() {
        for path in std::mem::take(&mut wanted) {
            match workspace.read_optional(&path) {
                Ok(text) => {
                    texts.extend(text.map(|text| (path.clone(), text)));
                    touched.insert(path);
                }
                Err(error) => {
                    result.skipped.push((path.clone(), error.to_string()));
                    unread.insert(path);
                }
            }
        }
        found = Found::read(&texts, &kind_of);
        // An undo that was undone brings back what other files hold.
        wanted = found.homes_of_returning(store)?;
        wanted.retain(|path| !touched.contains(path) && !unread.contains(path));
    }
    let changes = found.changes(store, &touched, texts.get(journal::PRIMARY))?;
    batch.sources.extend(differences.gone.iter().map(|path| (path.clone(), None)));
    for (path, stamp) in &differences.changed {
        let mark = match texts.get(path) {
            _ if unread.contains(path) => UNREAD,
            Some(text) if workspace.file_kind(path) == Some(FileKind::Journal) => {
                let is_whole = text.is_empty() || text.ends_with('\n');
                let is_edited = path == journal::PRIMARY && !changes.by_hand.is_empty();
                if is_whole && !is_edited { "" } else { UNENDED }
            }
            _ => "",
        };
        batch.sources.push((path.clone(), Some(format!("{stamp}{mark}"))));
    }
    result.files = texts.len();
    result.removed = changes.gone.len();
    result.put = changes.items.len();
    result.skipped.extend(changes.shadowed);
    batch.events = changes.events;
    batch.forget = changes.forget;
    batch.remove = changes.gone;
    result.without_vector = write_batches(workspace, store, batch, &changes.items, progress)?;
    if !changes.purged.is_empty() {
        for id in &changes.purged {
            store.purge(id)?;
        }
        store.scrub()?;
    }
    Ok(result)
}

/// Writes items in transactions of a bearable size. Events and stamps come last, so that an
/// interruption is noticed, and made up for.
fn write_batches(
    workspace: &Workspace,
    store: &mut dyn Store,
    mut last: Batch,
    items: &[Indexable],
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<String>, Error> {
    let mut done = 0;
    let mut failed = None;
    let mut chunks = items.chunks(BATCH).peekable();
    while let Some(chunk) = chunks.next() {
        let prepared = embedding::prepared(workspace, chunk)?;
        failed = failed.or(prepared.failed);
        if chunks.peek().is_some() {
            let model = last.model.clone();
            store.apply(&Batch { model, put: prepared.puts, ..Batch::default() })?;
        } else {
            last.put = prepared.puts;
        }
        done += chunk.len();
        progress(done, items.len());
    }
    if !last.is_empty() {
        store.apply(&last)?;
    }
    Ok(failed)
}

/// A file of the journal only grows, so its size tells; others may change within a tick of the
/// clock, and are looked at again.
fn written_stamp(is_journal: bool, stamp: &Stamp) -> String {
    let mark = if stamp.is_fresh && !is_journal { "~" } else { "" };
    format!("{}:{}{mark}", stamp.size, stamp.written)
}

/// Returns what the files and the index look like; nothing while that cannot be told for sure,
/// because a file was written just now or nothing is kept.
pub(crate) fn world(workspace: &Workspace) -> Result<Option<World>, Error> {
    if workspace.opened.borrow().as_ref().is_none_or(|open| open.in_memory) {
        return Ok(None);
    }
    let Some(files) = files(workspace)? else { return Ok(None) };
    Ok(Some(World { generation: store(workspace)?.generation()?, files }))
}

/// Returns what the world looks like, where it is what it was before an answer was made.
pub(crate) fn unchanged_world(
    workspace: &Workspace,
    files: Option<u64>,
    generation: i64,
) -> Result<Option<World>, Error> {
    let world = world(workspace)?;
    Ok(world.filter(|now| Some(now.files) == files && now.generation == generation))
}

/// Returns a number for the state of all files; nothing while one was written just now.
pub(crate) fn files(workspace: &Workspace) -> Result<Option<u64>, Error> {
    let mut watched: Watched = workspace.kept(std::mem::take);
    let mut known: Vec<String> = FOLDERS.map(str::to_owned).to_vec();
    let notes = workspace.config().memory_tool.folder.clone();
    match &watched.folders {
        Some(before) => known = before.iter().map(|(folder, _)| folder.clone()).collect(),
        None => known.push(notes),
    }
    let look = |folder: String| {
        let stamp = workspace.fs().stamp(&workspace.root().join(&folder)).ok();
        (folder, stamp)
    };
    let mut folders: Vec<(String, Option<Stamp>)> = known.into_iter().map(look).collect();
    // Names come and go only with a change of their folder.
    let was_written_now = |(_, stamp): &(String, Option<Stamp>)| stamp.is_some_and(|s| s.is_fresh);
    if watched.folders.as_ref() != Some(&folders) || folders.iter().any(was_written_now) {
        let all = FOLDERS.map(str::to_owned).into_iter().chain(self::notes(workspace)?.1);
        folders = all.map(look).collect();
        let mut paths = paths(workspace)?;
        paths.push(workspace.config().continuity.long_memory_path.clone());
        paths.push("tmp/recent-topics.json".to_owned());
        let mut hasher = DefaultHasher::new();
        paths.hash(&mut hasher);
        watched.names = hasher.finish();
        let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for path in &paths {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            groups.entry(folder).or_default().push(name.to_owned());
        }
        let absolute = |folder: &str| workspace.root().join(folder);
        watched.files =
            groups.into_iter().map(|(folder, names)| (absolute(folder), names)).collect();
        watched.folders = Some(folders);
    }
    let mut hasher = DefaultHasher::new();
    watched.names.hash(&mut hasher);
    let groups = watched.files.iter();
    let stamps = groups.flat_map(|(folder, names)| workspace.fs().stamps(folder, names));
    let mut is_fresh = false;
    for (number, stamp) in stamps.enumerate() {
        let Some(stamp) = stamp else { continue };
        // Two writes within a tick of the clock look like one.
        is_fresh |= stamp.is_fresh;
        (number, stamp.size, stamp.written).hash(&mut hasher);
    }
    workspace.kept(|kept| *kept = watched);
    Ok((!is_fresh).then(|| hasher.finish()))
}

pub(crate) fn stamp_text(workspace: &Workspace, path: &str, stamp: &Stamp) -> String {
    written_stamp(workspace.file_kind(path) == Some(FileKind::Journal), stamp)
}
