//! Where memories rest: one [`Store`] trait, with [`SqliteStore`] and, with the feature `postgres`,
//! `postgres::PgStore` behind it.
//!
//! A store holds one space. Events are append-only; items, words, vectors, entities and links are
//! projections that change in the same transaction. It knows no files: the engine tells it what is
//! in them.

mod error;
mod index;
#[cfg(feature = "postgres")]
pub mod postgres;
mod precision;
mod search;
mod sqlite;

use std::any::Any;
use std::collections::BTreeMap;

use jiff::Timestamp;
use quipu_core::entity::{Aliases, Entity};
use quipu_core::item::{Event, Filed, Item, Kind, Sensitivity};
use quipu_core::terms::{self, DocumentTerms};
use quipu_core::vector::{Packed, Stored};
use serde::Serialize;

pub use error::{Failure, StoreError};
pub use precision::{Compressed, Precision, Widths};
pub use search::{Filter, Found, Hit, Moment, Search, Sorted, label};
pub use sqlite::SqliteStore;

/// An item with what the index needs of it.
#[derive(Clone, Debug)]
pub struct Put {
    item: Item,
    /// As the file has it, where that differs.
    base: Option<Item>,
    position: Option<u32>,
    vectors: Vec<Packed>,
    words: DocumentTerms,
    /// The words that who said it is called.
    speaker: DocumentTerms,
    entities: Vec<Entity>,
}

impl Put {
    /// Prepares an item. `position` is its place in its session, where a file says so; `vectors`
    /// are by the batch's model, none where that could not be asked.
    ///
    /// This is most of the work of indexing, and needs no store: do it on as many threads as
    /// there are.
    pub fn new(item: Item, position: Option<u32>, vectors: Vec<Packed>) -> Self {
        Self::decided(item, None, position, vectors)
    }

    /// Prepares an item that decisions have changed; `base` is what the file says.
    pub fn decided(
        item: Item,
        base: Option<Item>,
        position: Option<u32>,
        vectors: Vec<Packed>,
    ) -> Self {
        let base = base.filter(|base| *base != item);
        let words = terms::of_document(&searchable(&item));
        let speaker = terms::of_document(item.speaker.as_deref().unwrap_or_default());
        // Whoever may not see it may not learn whom it is about; a card only repeats.
        let is_card = item.category == quipu_core::card::CATEGORY;
        let entities = if item.sensitivity == Sensitivity::Secret || is_card {
            Vec::new()
        } else {
            quipu_core::entity::extract(&item.text)
        };
        Self { item, base, position, vectors, words, speaker, entities }
    }
}

/// The words that an item is found by.
fn searchable(item: &Item) -> String {
    let mut text = String::with_capacity(item.text.len() + 64);
    // A note is the user's own, and whoever may see a public item could find out its words.
    let notes: &[String] = if item.sensitivity == Sensitivity::Public { &[] } else { &item.notes };
    let more = item.tags.iter().chain(notes).map(String::as_str);
    for part in [&*item.title, &*item.text].into_iter().chain(more).filter(|part| !part.is_empty())
    {
        text.push_str(part);
        text.push('\n');
    }
    if item.is_owned_by_a_file() {
        text.push_str(&item.id);
    }
    text
}

/// Changes that happen together or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The model that made the vectors.
    pub model: String,
    /// What happened; an event that is known is replaced.
    pub events: Vec<Filed>,
    /// Ids of events that their file no longer holds.
    pub forget: Vec<String>,
    /// Items that are new or changed.
    pub put: Vec<Put>,
    /// Ids of items that are no longer there.
    pub remove: Vec<String>,
    /// Files that were read, with a stamp that tells when they change; `None` forgets one.
    pub sources: Vec<(String, Option<String>)>,
}

impl Batch {
    /// Tells whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.forget.is_empty()
            && self.put.is_empty()
            && self.remove.is_empty()
            && self.sources.is_empty()
    }
}

/// The key of the note that says how far the log was looked through for experiences.
pub const EXPERIENCES_PLACE: &str = "experiences.place";

/// A record that is unlike all before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Experience {
    /// What it says.
    pub item: Item,
    /// Its vector, of the model that the engine noted.
    pub vector: Packed,
}

/// An experience to add.
#[derive(Clone, Debug, PartialEq)]
pub struct NewExperience {
    /// The item.
    pub id: String,
    /// When it was learned.
    pub at: Timestamp,
    /// Its place in the log.
    pub place: i64,
    /// Its vector.
    pub vector: Packed,
}

/// How much a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Counts {
    /// Items.
    pub items: usize,
    /// Events.
    pub events: usize,
    /// Entities.
    pub entities: usize,
    /// Sessions.
    pub sessions: usize,
    /// Items with a vector of the model.
    pub embedded: usize,
    /// The same, by how exactly it is kept.
    pub precision: Widths,
    /// Bytes of the model's vectors, part of [`Self::bytes`].
    pub vector_bytes: u64,
    /// Recorded accesses.
    pub accesses: usize,
    /// Segments of the index, and documents in its tail.
    pub segments: usize,
    /// Documents that wait in the tail.
    pub tail: usize,
    /// Bytes on disk.
    pub bytes: u64,
}

/// A space that remembers. Whoever has one may hand it to another thread.
pub trait Store: Any + Send {
    /// Carries out a batch, all or nothing.
    ///
    /// # Errors
    /// When it cannot; then nothing has changed.
    fn apply(&mut self, batch: &Batch) -> Result<(), StoreError>;

    /// Returns an item.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get(&self, id: &str) -> Result<Option<Item>, StoreError>;

    /// Returns several items at once: one for each id, in the order of the ids, and none where nothing
    /// has that id. However many there are, the database is asked a fixed number of times.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn items(&self, ids: &[&str]) -> Result<Vec<Option<Item>>, StoreError>;

    /// Returns the ids that begin with `prefix`, in order, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Calls `each` with every item, in order of id, until it returns false.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn each(&self, each: &mut dyn FnMut(Item) -> bool) -> Result<(), StoreError>;

    /// Returns an item as its file has it, before any decision.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn base(&self, id: &str) -> Result<Option<Item>, StoreError>;

    /// Returns the items of a file as it has them, before any decision.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn bases_in(&self, path: &str) -> Result<Vec<Item>, StoreError>;

    /// Returns the kind and the file of an item.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn place(&self, id: &str) -> Result<Option<(Kind, String)>, StoreError>;

    /// Returns what happened to an item, in the order in which it is added up.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn filed(&self, item: &str) -> Result<Vec<Filed>, StoreError>;

    /// Returns the events that a file holds.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn filed_in(&self, path: &str) -> Result<Vec<Filed>, StoreError>;

    /// Returns what happened to an item, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn events(&self, item: &str) -> Result<Vec<Event>, StoreError> {
        Ok(self.filed(item)?.into_iter().map(|filed| filed.event).collect())
    }

    /// Returns what happened to several items at once: for each id, in the order of the ids, what
    /// [`Self::events`] says. However many there are, the database is asked a fixed number of times.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn events_of(&self, items: &[&str]) -> Result<Vec<Vec<Event>>, StoreError>;

    /// Returns the events of everything whose name begins so, in the order in which they are added up.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn filed_under(&self, prefix: &str) -> Result<Vec<Event>, StoreError>;

    /// Returns what happened to anything before a time, or at that time to an event whose id comes before
    /// the given one: newest first, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn events_before(
        &self,
        before: Option<(Timestamp, &str)>,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError>;

    /// Returns the stamp of a file that was indexed.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn source(&self, path: &str) -> Result<Option<String>, StoreError>;

    /// Returns the files that were indexed, each with its stamp.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn sources(&self) -> Result<Vec<(String, String)>, StoreError>;

    /// Returns the entities whose name holds `part`, with how many items mention each, those that
    /// are mentioned most first, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn entities(&self, part: &str, limit: usize) -> Result<Vec<(Entity, usize)>, StoreError>;

    /// Returns the ids of items that mention an entity, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn mentions(&self, name: &str, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Calls `each` with every entity and the id of each item that mentions it, entity by entity.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn each_mention(&self, each: &mut dyn FnMut(&Entity, &str)) -> Result<(), StoreError>;

    /// Returns the entities that items mention beside this one, with how many items do, those with most
    /// first, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn mentioned_with(&self, name: &str, limit: usize) -> Result<Vec<(Entity, usize)>, StoreError>;

    /// Returns which names mean the same.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn aliases(&self) -> Result<Aliases, StoreError>;

    /// Returns the words of a text that name a speaker of an item that the asker may see.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn speakers_in(&self, text: &str, may_see: &[Sensitivity]) -> Result<Vec<String>, StoreError>;

    /// Returns the best matches. Items of a sensitivity that the filter does not name count nowhere: scores,
    /// counts and neighbours are those of a store without them.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn search(&self, search: &Search) -> Result<Found, StoreError>;

    /// Returns the ids of active items whose vectors are nearest to one, nearest first, with how near
    /// they are, among those of the given sensitivities.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn nearest(
        &self,
        model: &str,
        vector: &Packed,
        count: usize,
        may_see: &[Sensitivity],
    ) -> Result<Vec<(String, f32)>, StoreError>;

    /// Returns the newest items that a filter lets through, newest first, at most `limit`, and how
    /// many there are.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn newest(&self, filter: &Filter, limit: usize) -> Result<(Vec<Item>, usize), StoreError>;

    /// Returns a number that changes with every write.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn generation(&self) -> Result<i64, StoreError>;

    /// Returns when an item next begins or ceases to be true, though nobody writes.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn next_change(&self, after: Timestamp) -> Result<Option<Timestamp>, StoreError>;

    /// Returns what was noted under a key.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn note(&self, key: &str) -> Result<Option<String>, StoreError>;

    /// Returns the experiences that are still there, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn experiences(&self) -> Result<Vec<Experience>, StoreError>;

    /// Forgets all experiences, and how far the log was looked through.
    ///
    /// # Errors
    /// When it cannot.
    fn forget_experiences(&mut self) -> Result<(), StoreError>;

    /// Returns items that were first remembered after a place in the log, with their places, in
    /// order, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn records_after(&self, place: i64, limit: usize) -> Result<Vec<(i64, Item)>, StoreError>;

    /// Adds experiences, forgets the oldest beyond `most`, and notes something with it. The `most` newest
    /// public ones stay, however many others there are.
    ///
    /// # Errors
    /// When it cannot; then nothing has changed.
    fn add_experiences(
        &mut self,
        new: &[NewExperience],
        most: usize,
        notes: &[(&str, String)],
    ) -> Result<(), StoreError>;

    /// Returns the names of the sessions with their first and last time, oldest first, as far as items of
    /// the given sensitivities show them.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn sessions(
        &self,
        may_see: &[Sensitivity],
    ) -> Result<Vec<(String, Timestamp, Timestamp)>, StoreError>;

    /// Notes that somebody used an item, so many times.
    ///
    /// # Errors
    /// When it cannot be written.
    fn record_access(&mut self, item: &str, at: Timestamp, uses: u32) -> Result<(), StoreError>;

    /// Returns when an item was used, oldest first; old uses by their mean time.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn accesses(&self, item: &str) -> Result<Vec<Timestamp>, StoreError>;

    /// Returns every recorded use, by item, oldest first, with how many uses stand in for it.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn all_accesses(&self) -> Result<Vec<(String, Timestamp, u32)>, StoreError>;

    /// Puts uses before a time together, those of an item in the same 30 days at their mean time; the
    /// last use of an item stays as it is. Returns how many rows that saves.
    ///
    /// # Errors
    /// When it cannot; then nothing has changed.
    fn fold_accesses(&mut self, before: Timestamp) -> Result<usize, StoreError>;

    /// Returns how much there is.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn counts(&self, model: &str) -> Result<Counts, StoreError>;

    /// Returns ids of items that have no vector of `model`, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn without_vector(&self, model: &str, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Calls `each` with the id and every vector of each item that has one of `model`, until it
    /// returns false. Always in the same order while nobody writes; a long item comes several
    /// times.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn vectors(
        &self,
        model: &str,
        each: &mut dyn FnMut(&str, Stored) -> bool,
    ) -> Result<(), StoreError>;

    /// Keeps the vectors of `model` as exactly as `precision` says, a part at a time: others can
    /// write in between, and what was stopped goes on where it was. Where all is as it should be,
    /// nothing is written.
    ///
    /// # Errors
    /// When it cannot; what was done before stays.
    fn compress(
        &mut self,
        model: &str,
        precision: &mut dyn Precision,
    ) -> Result<Compressed, StoreError>;

    /// Gives room that is no longer used back to the file system. Returns whether it is done; a
    /// reader that holds on to the old state keeps it from that.
    ///
    /// # Errors
    /// When it cannot.
    fn shrink(&mut self) -> Result<bool, StoreError>;

    /// Returns a number for all that can be rebuilt: two stores with the same content have the
    /// same, however they came to it and however exactly they keep their vectors.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn digest(&self) -> Result<String, StoreError>;

    /// Removes an item, and the names that nothing else mentions.
    ///
    /// # Errors
    /// When it cannot.
    fn purge(&mut self, id: &str) -> Result<(), StoreError>;

    /// Keeps how often items were used under new ids, and forgets which of them were experiences.
    ///
    /// # Errors
    /// When it cannot; then nothing has changed.
    fn rename_uses(&mut self, ids: &BTreeMap<String, String>) -> Result<(), StoreError>;

    /// Puts the contents of another store of the same kind in place of its own, all at once: readers
    /// see the old or the new. Afterwards both have the same [`Self::digest`], and a
    /// [`Self::generation`] that neither had before.
    ///
    /// # Errors
    /// When it cannot be written, or the other is of another kind.
    fn take_over(&mut self, other: &dyn Store) -> Result<(), StoreError>;

    /// Removes every trace of items and events that were taken out: merges, compacts, truncates.
    /// Returns whether it is done; a reader that holds on to the old state keeps it from that.
    ///
    /// # Errors
    /// When it cannot.
    fn scrub(&mut self) -> Result<bool, StoreError>;
}
