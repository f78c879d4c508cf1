//! What the files hold, against what the index has: which items and events are new, changed or gone.

use std::collections::{BTreeMap, BTreeSet};

use quipu_core::indexing::{self, FileKind};
use quipu_core::item::{Decision, Event, Filed, Item, Kind, Place, Sensitivity};
use quipu_core::journal;
use quipu_core::memory::CONTINUITY;
use quipu_core::purge::NEUTRAL;
use quipu_store::Store;

use crate::by_hand;
use crate::error::Error;

/// An item as it goes into the index: what its file says, and what decisions make of it.
#[derive(Clone, Debug)]
pub(crate) struct Indexable {
    pub(crate) base: Item,
    pub(crate) item: Item,
    pub(crate) position: Option<u32>,
}

impl Indexable {
    /// An item that nothing was decided about.
    pub(crate) fn plain(item: Item) -> Self {
        Self { base: item.clone(), item, position: None }
    }
}

/// What changes in the store.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) events: Vec<Filed>,
    pub(crate) forget: Vec<String>,
    pub(crate) items: Vec<Indexable>,
    pub(crate) gone: Vec<String>,
    /// Items whose id another one has already: file and reason.
    pub(crate) shadowed: Vec<(String, String)>,
    /// Words that a person changed in the window, by id.
    pub(crate) by_hand: BTreeMap<String, String>,
    /// Ids that were purged, in a log that the index had not seen.
    pub(crate) purged: Vec<String>,
}

/// Everything that was read from files.
#[derive(Debug, Default)]
pub(crate) struct Found {
    items: BTreeMap<String, (Item, Option<u32>)>,
    events: BTreeMap<String, Filed>,
    /// Ids of records in the order of the ledger.
    order: Vec<String>,
    shadowed: Vec<(String, String)>,
}

/// A record is at home in its day; an archive and the window hold copies.
fn distance_from_home(path: &str) -> u8 {
    match path {
        journal::PRIMARY => 2,
        _ if path.strip_prefix("memory/").is_some_and(journal::is_daily) => 0,
        _ if journal::is_events(path) || journal::is_imports(path) => 0,
        _ => 1,
    }
}

/// Of two items with one id the first counts: a fact before a log, a log before a record, an older
/// day before a newer one, an archive and the window.
fn precedence(kind: Kind, path: &str) -> (u8, u8, &str) {
    let rank = match kind {
        Kind::Fact | Kind::Thread => 0,
        Kind::Archived => 1,
        Kind::Session => 2,
        Kind::Document => 3,
        Kind::Record => 4,
        Kind::Code => 5,
    };
    (rank, distance_from_home(path), path)
}

fn path_of(item: &Item) -> &str {
    item.place.as_ref().map_or("", |place| place.path.as_str())
}

impl Found {
    /// Reads files.
    pub(crate) fn read(
        texts: &BTreeMap<String, String>,
        kind_of: &dyn Fn(&str) -> Option<FileKind>,
    ) -> Self {
        let mut found = Self::default();
        let of = |kind: FileKind| {
            texts
                .iter()
                .filter(move |(path, _)| kind_of(path) == Some(kind))
                .map(|(path, text)| (path.as_str(), text.as_str()))
        };
        for item in indexing::facts(of(FileKind::Facts)) {
            found.add(item, None);
        }
        for (path, text) in of(FileKind::Facts).filter(|(path, _)| *path == CONTINUITY) {
            for (item, position) in indexing::around_facts(path, text).into_iter().zip(0_u32..) {
                found.add(item, Some(position));
            }
        }
        for (path, text) in of(FileKind::Session) {
            for (item, position) in indexing::session(path, text).into_iter().zip(0_u32..) {
                found.add(item, Some(position));
            }
        }
        for (path, text) in of(FileKind::Document) {
            let is_long = !journal::long::blocks(text).is_empty() || path == journal::LONG;
            let items = if is_long {
                indexing::beside_summaries(path, text)
            } else {
                indexing::document(path, text)
            };
            for (item, position) in items.into_iter().zip(0_u32..) {
                found.add(item, Some(position));
            }
        }
        for (path, text) in of(FileKind::Note) {
            for (item, position) in indexing::note(path, text).into_iter().zip(0_u32..) {
                found.add(item, Some(position));
            }
        }
        let mut files: Vec<(&str, &str)> = of(FileKind::Journal).collect();
        files.sort_by_key(|(path, _)| (distance_from_home(path), *path));
        for (path, text) in files {
            for (item, position) in indexing::between_records(path, text).into_iter().zip(0_u32..) {
                found.add(item, Some(position));
            }
            for (offset, record) in journal::records(text) {
                if found.events.contains_key(&record.id) {
                    found.tighten(&record.id, record.provenance.sensitivity);
                    continue;
                }
                let event = record.event();
                found
                    .events
                    .insert(event.id.clone(), Filed { event, path: path.to_owned(), offset });
                if let Some(mut item) = record.item() {
                    item.place = Some(Place { path: path.to_owned(), line: 0 });
                    found.order.push(item.id.clone());
                    found.add(item, None);
                }
            }
        }
        found
    }

    fn add(&mut self, item: Item, position: Option<u32>) {
        if let Some((first, _)) = self.items.get(&item.id) {
            let is_copy = item.kind == Kind::Record
                && first.kind == Kind::Record
                && distance_from_home(path_of(&item)) > 0;
            let is_elsewhere = path_of(first) != path_of(&item) || first.kind != item.kind;
            if is_elsewhere && !is_copy {
                let first = path_of(first).to_owned();
                self.shadow(&item, &first);
            }
            return;
        }
        self.items.insert(item.id.clone(), (item, position));
    }

    /// Of two labels on copies of a record the stricter one counts.
    fn tighten(&mut self, id: &str, label: Sensitivity) {
        if let Some((item, _)) = self.items.get_mut(id)
            && item.kind == Kind::Record
        {
            item.sensitivity = item.sensitivity.stricter(label);
        }
    }

    fn shadow(&mut self, item: &Item, first: &str) {
        let why = format!("`{}` is already the id of something in {first}", item.id);
        self.shadowed.push((path_of(item).to_owned(), why));
    }

    /// Returns the files of records that are not in the store, and that a new event may bring back.
    pub(crate) fn homes_of_returning(&self, store: &dyn Store) -> Result<BTreeSet<String>, Error> {
        let mut homes = BTreeSet::new();
        let is_revert =
            |filed: &&Filed| matches!(filed.event.decision, Some(Decision::Revert { .. }));
        let items = self.events.values().filter(is_revert).map(|filed| &filed.event.item);
        for id in items.collect::<BTreeSet<_>>() {
            if store.base(id)?.is_none() {
                let filed = store.filed(id)?.into_iter();
                homes.extend(filed.filter(|filed| filed.event.id == *id).map(|filed| filed.path));
            }
        }
        Ok(homes)
    }

    /// Compares with the store. `touched` are the files that were read, or are gone.
    pub(crate) fn changes(
        mut self,
        store: &dyn Store,
        touched: &BTreeSet<String>,
        window: Option<&String>,
    ) -> Result<Changes, Error> {
        self.yield_to_others(store, touched)?;
        let mut known: BTreeMap<String, Item> = BTreeMap::new();
        let mut known_events: BTreeMap<String, Filed> = BTreeMap::new();
        for path in touched {
            known.extend(store.bases_in(path)?.into_iter().map(|item| (item.id.clone(), item)));
            let filed = store.filed_in(path)?.into_iter();
            known_events.extend(filed.map(|filed| (filed.event.id.clone(), filed)));
        }
        let mut changes =
            Changes { shadowed: std::mem::take(&mut self.shadowed), ..Changes::default() };
        let mut decided: BTreeSet<String> = BTreeSet::new();
        for (id, filed) in &self.events {
            if known_events.get(id) == Some(filed) {
                continue;
            }
            if filed.event.decision.is_some() {
                decided.insert(filed.event.item.clone());
            }
            changes.events.push(filed.clone());
        }
        for (id, filed) in known_events {
            if !self.events.contains_key(&id) {
                decided.insert(filed.event.item);
                changes.forget.push(id);
            }
        }
        let forgotten: BTreeSet<String> = changes.forget.iter().cloned().collect();
        let mut by_item: BTreeMap<String, Vec<Filed>> = BTreeMap::new();
        for filed in self.events.values() {
            by_item.entry(filed.event.item.clone()).or_default().push(filed.clone());
        }
        let tombstones = self.tombstones(store, &forgotten)?;
        let is_buried = |item: &Item| {
            item.is_owned_by_a_file() && journal::is_purged(item, tombstones.values())
        };
        if changes.events.iter().any(|filed| tombstones.contains_key(&filed.event.id)) {
            // A tombstone that came from elsewhere may be about what is already here.
            store.each(&mut |item| {
                if is_buried(&item) {
                    changes.gone.push(item.id);
                }
                true
            })?;
        }
        let gone = known.keys().filter(|id| !self.items.contains_key(*id));
        changes.gone.extend(gone.cloned());
        let mut ordered: Vec<String> = std::mem::take(&mut self.order);
        let is_record: BTreeSet<String> = ordered.iter().cloned().collect();
        ordered.extend(self.items.keys().filter(|id| !is_record.contains(*id)).cloned());
        let by_hand = match window {
            Some(window) => {
                let base_of = |id: &str| match self.items.get(id) {
                    Some((item, _)) => Ok(Some(item.clone())),
                    None => Ok(store.base(id)?),
                };
                let events_of = |id: &str| self.events_of(store, id, &forgotten, &by_item);
                by_hand::edits_by_hand(window, &base_of, &events_of)?
            }
            None => BTreeMap::new(),
        };
        decided.extend(by_hand.keys().cloned());
        ordered.extend(decided.iter().filter(|id| !self.items.contains_key(*id)).cloned());
        for id in ordered {
            let derived = self.items.remove(&id);
            let same = derived.as_ref().is_some_and(|(item, _)| known.get(&id) == Some(item));
            if same && !decided.contains(&id) {
                continue;
            }
            let (base, position) = match derived {
                Some(derived) => derived,
                None if known.contains_key(&id) => continue,
                None => match store.base(&id)? {
                    Some(base) => (base, None),
                    None => continue,
                },
            };
            let events = self.events_of(store, &id, &forgotten, &by_item)?;
            let is_purged = journal::is_purged(&base, &events) || is_buried(&base);
            if is_purged || journal::is_taken_back(&id, &events) {
                changes.gone.push(id);
                continue;
            }
            let mut item = base.clone();
            journal::fold(&mut item, &events);
            if let Some(words) = by_hand.get(&item.id) {
                item.text.clone_from(words);
            }
            changes.items.push(Indexable { base, item, position });
        }
        let is_purge =
            |filed: &&Filed| matches!(filed.event.decision, Some(Decision::Purge { .. }));
        changes.by_hand = by_hand;
        changes.purged =
            changes.events.iter().filter(is_purge).map(|filed| filed.event.item.clone()).collect();
        Ok(changes)
    }

    /// Returns the tombstones of items that got a neutral id, by event: what they are about may come
    /// back under its old one, from a copy of its file.
    fn tombstones(
        &self,
        store: &dyn Store,
        forgotten: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, Event>, Error> {
        let mut found = BTreeMap::new();
        for prefix in [format!("{NEUTRAL}-"), format!("ot-{NEUTRAL}-")] {
            let known = store.filed_under(&prefix)?.into_iter();
            let read = self.events.values().map(|filed| filed.event.clone());
            let events = known
                .filter(|event| !forgotten.contains(&event.id))
                .chain(read.filter(|event| event.item.starts_with(&prefix)));
            let is_tombstone =
                |event: &Event| matches!(event.decision, Some(Decision::Purge { .. }));
            found.extend(events.filter(is_tombstone).map(|event| (event.id.clone(), event)));
        }
        Ok(found)
    }

    /// Leaves out what a file that was not read has a better claim to.
    fn yield_to_others(
        &mut self,
        store: &dyn Store,
        touched: &BTreeSet<String>,
    ) -> Result<(), Error> {
        let mut others: Vec<(String, Kind, String)> = Vec::new();
        for (item, _) in self.items.values() {
            if let Some((kind, path)) = store.place(&item.id)?
                && !touched.contains(&path)
                && precedence(kind, &path) < precedence(item.kind, path_of(item))
            {
                others.push((item.id.clone(), kind, path));
            }
        }
        let yielded: BTreeSet<&str> = others.iter().map(|(id, ..)| id.as_str()).collect();
        self.order.retain(|id| !yielded.contains(id.as_str()));
        for (id, kind, path) in others {
            let Some((item, _)) = self.items.remove(&id) else { continue };
            // A copy of a record is no conflict.
            let is_copy = distance_from_home(path_of(&item)) > 0 && kind == Kind::Record;
            if is_copy && item.kind == Kind::Record {
                self.events.remove(&id);
                // One that is labelled more strictly here is put anew, at home in its day.
                if let Some(base) = store.base(&id)? {
                    let label = base.sensitivity.stricter(item.sensitivity);
                    if label != base.sensitivity {
                        let tight = Item { sensitivity: label, ..base };
                        self.items.insert(id.clone(), (tight, None));
                    }
                }
                continue;
            }
            self.shadow(&item, &path);
        }
        Ok(())
    }

    /// Returns what was decided about an item, in the order in which it is added up.
    fn events_of(
        &self,
        store: &dyn Store,
        id: &str,
        forgotten: &BTreeSet<String>,
        by_item: &BTreeMap<String, Vec<Filed>>,
    ) -> Result<Vec<Event>, Error> {
        let mut filed: Vec<Filed> = store.filed(id)?;
        filed.retain(|filed| {
            !forgotten.contains(&filed.event.id) && !self.events.contains_key(&filed.event.id)
        });
        filed.extend(by_item.get(id).into_iter().flatten().cloned());
        filed.sort_by(|a, b| a.order().cmp(&b.order()));
        Ok(filed.into_iter().map(|filed| filed.event).collect())
    }
}
