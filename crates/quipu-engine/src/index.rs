//! The index over everything in the workspace: kept in step with the files, thrown away and rebuilt
//! at will.

use std::cell::RefMut;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quipu_core::indexing::{self, FileKind};
use quipu_core::item::{Event, Item, Place};
use quipu_core::journal::{self, Record};
use quipu_core::vector::Packed;
use quipu_embed::{Embedder, Endpoint, Role, StaticModel};
use quipu_store::{Batch, Put, SqliteStore, Store};

use crate::config::{EmbeddingConfig, Provider};
use crate::error::Error;
use crate::fs::{Kind, Stamp};
use crate::lock::Lock;
use crate::parallel;
use crate::recall::RecallError;
use crate::workspace::Workspace;

/// The database, beside the locks.
pub(crate) const DATABASE: &str = "quipu.db";

/// So many items are indexed in one transaction.
const BATCH: usize = 2000;

/// What bringing the index up to date did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Indexed {
    /// Items that are new or changed.
    pub put: usize,
    /// Items that are gone.
    pub removed: usize,
    /// Files that were read.
    pub files: usize,
    /// Files that could not be, and why.
    pub skipped: Vec<(String, String)>,
    /// Files that another process is changing right now; it will index them.
    pub busy: bool,
    /// Why some items have no vector.
    pub without_vector: Option<String>,
}

/// A database that is open, and which file it is.
pub(crate) struct Opened {
    pub(crate) store: SqliteStore,
    file: Option<u64>,
}

/// Files that differ from what was indexed.
#[derive(Debug, Default)]
struct Differences {
    changed: Vec<(String, String)>,
    gone: Vec<String>,
    /// Every file that is there, with its stamp.
    present: BTreeMap<String, String>,
}

impl Differences {
    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

impl Workspace {
    /// Returns the model that makes vectors.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn embedder(&self) -> Result<Arc<dyn Embedder>, Error> {
        let mut known = self.embedder.borrow_mut();
        if let Some(embedder) = &*known {
            return Ok(Arc::clone(embedder));
        }
        let embedder = make_embedder(self.root(), &self.config().embedding)?;
        *known = Some(Arc::clone(&embedder));
        Ok(embedder)
    }

    /// Returns the open database; opens it, and makes it where there is none.
    pub(crate) fn store(&self) -> Result<RefMut<'_, SqliteStore>, Error> {
        let path = self.database();
        let mut opened = self.opened.borrow_mut();
        // A replay puts another file in its place.
        let file = file_number(&path);
        if opened.as_ref().is_some_and(|open| open.file != file || file.is_none()) {
            *opened = None;
        }
        if opened.is_none() {
            let store = SqliteStore::open(&path)?;
            *opened = Some(Opened { store, file: file_number(&path) });
        }
        RefMut::filter_map(opened, |opened| opened.as_mut().map(|open| &mut open.store))
            .map_err(|_| Error::NoIndex)
    }

    pub(crate) fn close_store(&self) {
        *self.opened.borrow_mut() = None;
    }

    /// Returns the path of the database.
    pub fn database(&self) -> PathBuf {
        self.state(DATABASE)
    }

    /// Brings the index up to date with the files, where it is not.
    ///
    /// Another process that is writing does not hold this one up: what it writes, it indexes.
    ///
    /// # Errors
    /// When the database or the files cannot be used.
    pub fn freshen(&self) -> Result<Indexed, Error> {
        self.prepare_state()?;
        if self.differences()?.is_empty() {
            return Ok(Indexed::default());
        }
        let Some(lock) = self.try_lock_for_writing()? else {
            return Ok(Indexed { busy: true, ..Indexed::default() });
        };
        self.index_locked(&lock, &mut |_, _| {})
    }

    /// Brings the index up to date, waiting for others; `progress` hears how many of how many.
    ///
    /// # Errors
    /// When the database or the files cannot be used.
    pub fn index(&self, progress: &mut dyn FnMut(usize, usize)) -> Result<Indexed, Error> {
        let lock = self.lock_for_writing()?;
        self.index_locked(&lock, progress)
    }

    pub(crate) fn index_locked(
        &self,
        lock: &Lock,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Indexed, Error> {
        let mut differences = self.differences()?;
        if differences.is_empty() {
            return Ok(Indexed::default());
        }
        // A process that died may have reached the day's log and not the window.
        let newest_day = differences
            .present
            .keys()
            .rfind(|path| path.strip_prefix("memory/").is_some_and(journal::is_daily));
        if let Some(day) = newest_day
            && differences.changed.iter().any(|(path, _)| path == day)
            && let Ok(Some(text)) = self.read_optional(day)
            && self.heal_window(lock, &text)?
        {
            differences = self.differences()?;
        }
        let mut store = self.store()?;
        self.index_into(&mut *store, &differences, progress)
    }

    /// Indexes everything into an empty store.
    pub(crate) fn index_all(
        &self,
        store: &mut dyn Store,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Indexed, Error> {
        let present = self.stamps()?;
        let changed = present.iter().map(|(path, stamp)| (path.clone(), stamp.clone())).collect();
        self.index_into(store, &Differences { changed, gone: Vec::new(), present }, progress)
    }

    /// Returns the files that should be indexed, each with its stamp.
    fn stamps(&self) -> Result<BTreeMap<String, String>, Error> {
        let mut paths: Vec<String> = vec![journal::PRIMARY.to_owned()];
        for folder in ["memory/", "memory/sessions/", "memory/archive/"] {
            match self.fs().list(&self.root().join(folder)) {
                Ok(entries) => paths.extend(
                    entries
                        .into_iter()
                        .filter(|(_, kind)| *kind != Kind::Folder)
                        .map(|(name, _)| format!("{folder}{name}"))
                        .filter(|path| !path.contains("/.")),
                ),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(Error::reading(folder, source)),
            }
        }
        paths.retain(|path| indexing::file_kind(path).is_some());
        let (fs, root) = (self.fs(), self.root());
        let stamp = |path: &String| {
            let stamp = fs.stamp(&root.join(path)).ok()?;
            Some((path.clone(), stamp_text(path, &stamp)))
        };
        Ok(parallel::map(&paths, stamp).into_iter().flatten().collect())
    }

    fn differences(&self) -> Result<Differences, Error> {
        let present = self.stamps()?;
        let known: BTreeMap<String, String> = self.store()?.sources()?.into_iter().collect();
        let changed = present
            .iter()
            .filter(|(path, stamp)| known.get(*path) != Some(stamp))
            .map(|(path, stamp)| (path.clone(), stamp.clone()))
            .collect();
        let gone = known.into_keys().filter(|path| !present.contains_key(path)).collect();
        Ok(Differences { changed, gone, present })
    }

    fn index_into(
        &self,
        store: &mut dyn Store,
        differences: &Differences,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Indexed, Error> {
        let mut result = Indexed::default();
        let mut batch = Batch { model: self.embedder()?.id().to_owned(), ..Batch::default() };
        let mut gone: BTreeSet<String> = BTreeSet::new();
        for path in &differences.gone {
            gone.extend(store.ids_in(path)?);
            batch.sources.push((path.clone(), None));
        }
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        let has_facts = |path: &String| indexing::file_kind(path) == Some(FileKind::Facts);
        let mut wanted: BTreeSet<String> =
            differences.changed.iter().map(|(path, _)| path.clone()).collect();
        // Facts replace each other across files, so they are read together.
        if wanted.iter().chain(&differences.gone).any(has_facts) {
            let facts = differences.present.keys().filter(|path| has_facts(path));
            wanted.extend(facts.cloned());
        }
        // What a day no longer holds, the window may.
        if differences.gone.iter().any(|path| indexing::file_kind(path) == Some(FileKind::Journal))
            && differences.present.contains_key(journal::PRIMARY)
        {
            wanted.insert(journal::PRIMARY.to_owned());
        }
        for path in &wanted {
            match self.read_optional(path) {
                Ok(Some(text)) => {
                    texts.insert(path.clone(), text);
                }
                Ok(None) => gone.extend(store.ids_in(path)?),
                Err(error) => result.skipped.push((path.clone(), error.to_string())),
            }
        }
        for (path, stamp) in &differences.changed {
            // A file that could not be read is tried again when it has changed.
            batch.sources.push((path.clone(), Some(stamp.clone())));
        }
        result.files = texts.len();
        let mut found = Found::default();
        found.read(&texts);
        for path in texts.keys() {
            gone.extend(store.ids_in(path)?);
        }
        let changes = found.changes(store, &mut gone)?;
        batch.events = changes.events;
        batch.remove = gone.into_iter().collect();
        result.removed = batch.remove.len();
        result.put = changes.items.len();
        result.without_vector = self.write_batches(store, batch, &changes.items, progress)?;
        Ok(result)
    }

    /// Writes items in transactions of a bearable size. Stamps come last, so that an interruption
    /// is noticed.
    fn write_batches(
        &self,
        store: &mut dyn Store,
        mut batch: Batch,
        items: &[(Item, Option<u32>)],
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<String>, Error> {
        let total = items.len();
        let sources = std::mem::take(&mut batch.sources);
        let model = batch.model.clone();
        let mut done = 0;
        let mut failed = None;
        let mut chunks = items.chunks(BATCH).peekable();
        while let Some(chunk) = chunks.next() {
            let prepared = self.prepared(chunk)?;
            batch.put = prepared.puts;
            failed = failed.or(prepared.failed);
            if chunks.peek().is_some() {
                store.apply(&batch)?;
                batch = Batch { model: model.clone(), ..Batch::default() };
            }
            done += chunk.len();
            progress(done, total);
        }
        batch.sources = sources;
        if !batch.is_empty() {
            store.apply(&batch)?;
        }
        Ok(failed)
    }

    /// Embeds and splits into words, on all cores. Where the model cannot be asked, items go without
    /// a vector, and [`Workspace::reembed`] makes up for it.
    pub(crate) fn prepared(&self, items: &[(Item, Option<u32>)]) -> Result<Prepared, Error> {
        let embedder = self.embedder()?;
        let packed = |vector: &Vec<f32>| Some(Packed::new(vector)).filter(|v| !v.is_zero());
        let Some(size) = embedder.batch() else {
            let prepare = |(item, position): &(Item, Option<u32>)| {
                let made = embedder.embed(&[&embedded_text(item)], Role::Memory);
                let (vectors, failed) = match made {
                    Ok(vectors) => (vectors.iter().filter_map(packed).collect(), None),
                    Err(error) => (Vec::new(), Some(error.to_string())),
                };
                (Put::new(item.clone(), *position, vectors), failed)
            };
            let (puts, failures): (Vec<Put>, Vec<Option<String>>) =
                parallel::map(items, prepare).into_iter().unzip();
            return Ok(Prepared { puts, failed: failures.into_iter().flatten().next() });
        };
        let mut prepared = Prepared { puts: Vec::with_capacity(items.len()), failed: None };
        for chunk in items.chunks(size) {
            let texts: Vec<String> = chunk.iter().map(|(item, _)| embedded_text(item)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            // A server that failed once is not asked again for the rest.
            let vectors = match &prepared.failed {
                None => embedder.embed(&texts, Role::Memory),
                Some(_) => Ok(Vec::new()),
            };
            let vectors = vectors.unwrap_or_else(|error| {
                prepared.failed = Some(error.to_string());
                Vec::new()
            });
            for (at, (item, position)) in chunk.iter().enumerate() {
                let vector = vectors.get(at).and_then(packed).into_iter().collect();
                prepared.puts.push(Put::new(item.clone(), *position, vector));
            }
        }
        Ok(prepared)
    }
}

/// Items with what the index needs of them.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) puts: Vec<Put>,
    /// Why some have no vector.
    pub(crate) failed: Option<String>,
}

fn make_embedder(root: &Path, config: &EmbeddingConfig) -> Result<Arc<dyn Embedder>, Error> {
    match config.provider {
        Provider::BuiltIn => Ok(Arc::new(StaticModel::built_in()?)),
        Provider::Endpoint => {
            if config.url.is_empty() || config.model.is_empty() {
                return Err(RecallError::Embedding {
                    what: "`embedding.url` and `embedding.model` name the endpoint and its model",
                }
                .into());
            }
            if !config.url_is_own && !is_this_machine(&config.url) {
                return Err(RecallError::RemoteEndpoint { url: config.url.clone() }.into());
            }
            let key = Some(&config.api_key_env).filter(|name| !name.is_empty());
            let key = key.and_then(|name| std::env::var(name).ok());
            Ok(Arc::new(Endpoint::new(&config.url, &config.model, key)))
        }
        Provider::Transformer => transformer(&root.join(&config.folder)),
    }
}

#[cfg(feature = "transformer")]
fn transformer(folder: &Path) -> Result<Arc<dyn Embedder>, Error> {
    Ok(Arc::new(quipu_embed::Transformer::load(folder)?))
}

#[cfg(not(feature = "transformer"))]
fn transformer(_folder: &Path) -> Result<Arc<dyn Embedder>, Error> {
    Err(RecallError::Embedding {
        what: "this Quipu was built without models from a folder: build it with `--features transformer`",
    }
    .into())
}

/// Tells whether an address is on this machine, so that nothing leaves it.
fn is_this_machine(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    // What stands before an @ is a user, and not the host.
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A name that people gave something says what it is about.
fn embedded_text(item: &Item) -> String {
    let mut text = String::with_capacity(item.text.len() + 64);
    if let Some(speaker) = &item.speaker {
        text.push_str(speaker);
        text.push_str(": ");
    }
    if !item.title.is_empty() {
        text.push_str(&item.title);
        text.push(' ');
    }
    if item.is_owned_by_a_file() {
        text.push_str(&item.id.replace(['-', '#'], " "));
        text.push(' ');
    }
    text.push_str(&item.text);
    text
}

/// A file of the journal only grows, so its size tells; others may change within a tick of the
/// clock, and are looked at again.
fn stamp_text(path: &str, stamp: &Stamp) -> String {
    let is_journal = indexing::file_kind(path) == Some(FileKind::Journal);
    let mark = if stamp.is_fresh && !is_journal { "~" } else { "" };
    format!("{}:{}{mark}", stamp.size, stamp.written)
}

impl Workspace {
    /// Returns the stamps of files that this process has just written.
    pub(crate) fn stamps_of(&self, paths: &[String]) -> Vec<(String, Option<String>)> {
        let stamp = |path: &String| {
            let stamp = self.fs().stamp(&self.root().join(path)).ok()?;
            Some((path.clone(), Some(stamp_text(path, &stamp))))
        };
        paths.iter().filter_map(stamp).collect()
    }

    /// Tells whether the index knows these files as they are.
    pub(crate) fn knows(&self, paths: &[String]) -> Result<bool, Error> {
        let known: BTreeMap<String, String> = self.store()?.sources()?.into_iter().collect();
        Ok(paths.iter().all(|path| match self.fs().stamp(&self.root().join(path)) {
            Ok(stamp) => known.get(path) == Some(&stamp_text(path, &stamp)),
            Err(_) => !known.contains_key(path),
        }))
    }
}

/// Everything that was read from files.
#[derive(Debug, Default)]
struct Found {
    items: BTreeMap<String, (Item, Option<u32>)>,
    records: BTreeMap<String, (Record, Place)>,
    /// Ids of records in the order of the ledger.
    order: Vec<String>,
}

/// What that changes in the store.
#[derive(Debug, Default)]
struct Changes {
    events: Vec<Event>,
    items: Vec<(Item, Option<u32>)>,
}

impl Found {
    fn read(&mut self, texts: &BTreeMap<String, String>) {
        let of = |kind: FileKind| {
            texts
                .iter()
                .filter(move |(path, _)| indexing::file_kind(path) == Some(kind))
                .map(|(path, text)| (path.as_str(), text.as_str()))
        };
        for item in indexing::facts(of(FileKind::Facts)) {
            self.items.insert(item.id.clone(), (item, None));
        }
        let sessions =
            of(FileKind::Session).flat_map(|(path, text)| numbered(indexing::session(path, text)));
        let documents = of(FileKind::Document)
            .flat_map(|(path, text)| numbered(indexing::document(path, text)));
        for (item, position) in sessions.chain(documents) {
            self.items.insert(item.id.clone(), (item, Some(position)));
        }
        // Days first: where a record is in both, its day is its home.
        let mut files: Vec<(&str, &str)> = of(FileKind::Journal).collect();
        files.sort_by_key(|(path, _)| (*path == journal::PRIMARY, *path));
        for (path, text) in files {
            for (_, record) in journal::records(text) {
                if !self.records.contains_key(&record.id) {
                    self.order.push(record.id.clone());
                    let place = Place { path: path.to_owned(), line: 0 };
                    self.records.insert(record.id.clone(), (record, place));
                }
            }
        }
    }

    /// Compares with the store. Ids that are found here are taken out of `gone`.
    fn changes(mut self, store: &dyn Store, gone: &mut BTreeSet<String>) -> Result<Changes, Error> {
        let mut changes = Changes::default();
        let mut decided: BTreeSet<String> = BTreeSet::new();
        for id in &self.order {
            let (record, place) = &self.records[id];
            let event = record.event();
            if let Some(mut item) = record.item() {
                // A window must not take over what a day has already brought.
                if place.path == journal::PRIMARY
                    && let Some(known) = store.get(id)?
                    && known.place.as_ref().is_some_and(|known| known.path != journal::PRIMARY)
                {
                    gone.remove(id);
                    continue;
                }
                item.place = Some(place.clone());
                self.items.insert(id.clone(), (item, None));
            } else {
                decided.insert(event.item.clone());
            }
            changes.events.push(event);
        }
        let mut decisions: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
        for event in changes.events.iter().filter(|event| event.decision.is_some()) {
            decisions.entry(&event.item).or_default().push(event);
        }
        // A decision about something that did not change otherwise.
        let mut loaded: BTreeSet<String> = BTreeSet::new();
        for id in decided {
            if !self.items.contains_key(&id)
                && let Some(item) = store.get(&id)?
            {
                self.items.insert(id.clone(), (item, None));
                loaded.insert(id);
            }
        }
        let mut ordered: Vec<String> = self.order.clone();
        ordered.extend(self.items.keys().filter(|id| !self.records.contains_key(*id)).cloned());
        for id in ordered {
            let Some((mut item, position)) = self.items.remove(&id) else { continue };
            let known = store.events(&id)?;
            let is_new = |event: &&&Event| !known.iter().any(|other| other.id == event.id);
            let new = decisions.get(id.as_str()).into_iter().flatten().filter(is_new);
            let new: Vec<Event> = new.map(|event| (*event).clone()).collect();
            if journal::is_purged(&known) || journal::is_purged(&new) {
                gone.insert(id);
                continue;
            }
            let before = store.get(&id)?;
            // What comes from the store has the known decisions in it already.
            if !loaded.contains(&id) {
                journal::fold(&mut item, &known);
            }
            journal::fold(&mut item, &new);
            gone.remove(&id);
            if before.as_ref() != Some(&item) {
                changes.items.push((item, position));
            }
        }
        Ok(changes)
    }
}

fn numbered(items: Vec<Item>) -> impl Iterator<Item = (Item, u32)> {
    items.into_iter().zip(0_u32..)
}

/// Returns a number that another file at the same path would not have.
fn file_number(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        path.metadata().ok().map(|metadata| metadata.ino())
    }
    #[cfg(not(unix))]
    {
        path.metadata().ok().map(|_| 0)
    }
}
