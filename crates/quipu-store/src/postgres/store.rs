//! The index of one space.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use quipu_core::entity::{Aliases, Entity, filed_under};
use quipu_core::item::{Event, Filed, Item, Kind, Sensitivity};
use quipu_core::terms;
use quipu_core::vector::{Packed, Stored};

use super::link::{At, Link};
use super::loading::{self, Loaded, size};
use super::read;
use super::schema::OF_A_SPACE;
use super::segments;
use super::views::SpaceView;
use super::write;
use super::{compress, link};
use crate::error::StoreError;
use crate::index::{self, Fingerprint, answer};
use crate::search::{Filter, Found, Search};
use crate::{
    Batch, Compressed, Counts, EXPERIENCES_PLACE, Experience, NewExperience, Precision, Store,
};

/// A store whose contents were replaced as a whole counts its writes from the next multiple of this.
const REPLACED: i64 = 1 << 32;

/// The index of one space.
#[derive(Clone, Debug)]
pub struct PgStore {
    pub(super) link: Arc<Link>,
}

/// Returns sensitivities as bits.
fn bits(sensitivities: &[Sensitivity]) -> u32 {
    sensitivities.iter().fold(0, |bits, one| bits | 1 << one.index())
}

impl PgStore {
    /// Returns the index of a space, as a link sees it.
    pub fn of(link: Arc<Link>) -> Self {
        Self { link }
    }

    fn view(&self, at: &mut At<'_>, model: Option<&str>) -> Result<Arc<SpaceView>, StoreError> {
        loading::view_of(at, self.link.database.views(), model)
    }
}

/// Tells whether a filter needs to know which documents are experiences.
fn experiences(at: &mut At<'_>, filter: Option<&Filter>) -> Result<Vec<u32>, StoreError> {
    if filter.is_some_and(|filter| filter.experiences) {
        return read::experience_docs(at);
    }
    Ok(Vec::new())
}

impl Store for PgStore {
    fn apply(&mut self, batch: &Batch) -> Result<(), StoreError> {
        self.link.write(|at| write::apply(at, batch))
    }

    fn get(&self, id: &str) -> Result<Option<Item>, StoreError> {
        self.link.read(|at| read::item(at, id))
    }

    fn items(&self, ids: &[&str]) -> Result<Vec<Option<Item>>, StoreError> {
        self.link.read(|at| read::items(at, ids))
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        self.link.read(|at| read::ids(at, prefix, limit))
    }

    fn each(&self, each: &mut dyn FnMut(Item) -> bool) -> Result<(), StoreError> {
        // Nothing is held while `each` runs: it may ask the space for something else.
        let mut after = String::new();
        loop {
            let items = self.link.read(|at| read::items_after(at, &after))?;
            let Some(last) = items.last() else { return Ok(()) };
            after.clone_from(&last.id);
            if !items.into_iter().all(&mut *each) {
                return Ok(());
            }
        }
    }

    fn base(&self, id: &str) -> Result<Option<Item>, StoreError> {
        self.link.read(|at| read::base(at, id))
    }

    fn bases_in(&self, path: &str) -> Result<Vec<Item>, StoreError> {
        self.link.read(|at| read::bases_in(at, path))
    }

    fn place(&self, id: &str) -> Result<Option<(Kind, String)>, StoreError> {
        self.link.read(|at| read::place(at, id))
    }

    fn filed(&self, item: &str) -> Result<Vec<Filed>, StoreError> {
        self.link.read(|at| read::filed_of(at, item))
    }

    fn filed_in(&self, path: &str) -> Result<Vec<Filed>, StoreError> {
        self.link.read(|at| read::filed_in(at, path))
    }

    fn events_of(&self, items: &[&str]) -> Result<Vec<Vec<Event>>, StoreError> {
        self.link.read(|at| read::events_of(at, items))
    }

    fn filed_under(&self, prefix: &str) -> Result<Vec<Event>, StoreError> {
        self.link.read(|at| read::filed_under(at, prefix))
    }

    fn events_before(
        &self,
        before: Option<(Timestamp, &str)>,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        self.link.read(|at| read::events_before(at, before, limit))
    }

    fn source(&self, path: &str) -> Result<Option<String>, StoreError> {
        self.link.read(|at| read::source(at, path))
    }

    fn sources(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.link.read(read::sources)
    }

    fn entities(&self, part: &str, limit: usize) -> Result<Vec<(Entity, usize)>, StoreError> {
        self.link.read(|at| read::entities(at, part, limit))
    }

    fn mentions(&self, name: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        self.link.read(|at| read::mentions(at, name, limit))
    }

    fn each_mention(&self, each: &mut dyn FnMut(&Entity, &str)) -> Result<(), StoreError> {
        for (entity, id) in self.link.read(read::all_mentions)? {
            each(&entity, &id);
        }
        Ok(())
    }

    fn mentioned_with(&self, name: &str, limit: usize) -> Result<Vec<(Entity, usize)>, StoreError> {
        self.link.read(|at| read::mentioned_with(at, name, limit))
    }

    fn aliases(&self) -> Result<Aliases, StoreError> {
        Ok(Aliases::new(&self.filed_under(&filed_under(""))?))
    }

    fn speakers_in(&self, text: &str, may_see: &[Sensitivity]) -> Result<Vec<String>, StoreError> {
        self.link.read(|at| {
            let space = self.view(at, None)?;
            let view = space.view.restricted_to(bits(may_see));
            let words = terms::of_query(text, &view.languages);
            let loaded = Loaded { view: &space, experiences: Vec::new() };
            let found = index::speakers(&view, &loaded, &words)?;
            Ok(found.into_iter().map(|(word, _)| word).collect())
        })
    }

    fn search(&self, search: &Search) -> Result<Found, StoreError> {
        self.link.read(|at| {
            let space = self.view(at, Some(&search.model))?;
            let view = space.view.restricted_to(bits(&search.filter.sensitivities));
            let experiences = experiences(at, Some(&search.filter))?;
            let matches = index::search(&view, &Loaded { view: &space, experiences }, search)?;
            let docs: Vec<u32> = matches.best.iter().map(|found| found.doc).collect();
            let ids = read::ids_of(at, &answer::beside(&matches))?;
            let items = read::items_of(at, &docs)?;
            Ok(answer::found(&view, matches, items, ids))
        })
    }

    fn nearest(
        &self,
        model: &str,
        vector: &Packed,
        count: usize,
        may_see: &[Sensitivity],
    ) -> Result<Vec<(String, f32)>, StoreError> {
        self.link.read(|at| {
            let space = self.view(at, Some(model))?;
            let loaded = Loaded { view: &space, experiences: experiences(at, None)? };
            let found = index::nearest(&space.view, &loaded, vector, count, may_see)?;
            let docs: Vec<u32> = found.iter().map(|(doc, _)| *doc).collect();
            let ids = read::ids_of(at, &docs)?.into_iter().zip(found);
            Ok(ids.filter_map(|(id, (_, near))| Some((id?, near))).collect())
        })
    }

    fn newest(&self, filter: &Filter, limit: usize) -> Result<(Vec<Item>, usize), StoreError> {
        self.link.read(|at| {
            let space = self.view(at, None)?;
            let loaded = Loaded { view: &space, experiences: experiences(at, Some(filter))? };
            let (docs, count) = index::newest(&space.view, &loaded, filter, limit)?;
            Ok((read::items_of(at, &docs)?, count))
        })
    }

    fn generation(&self) -> Result<i64, StoreError> {
        self.link.read(|at| Ok(at.state.generation))
    }

    fn next_change(&self, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.link.read(|at| {
            let next = self.view(at, None)?.view.next_change(after.as_second());
            Ok(next.and_then(|second| Timestamp::from_second(second).ok()))
        })
    }

    fn note(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.link.read(|at| read::note(at, key))
    }

    fn experiences(&self) -> Result<Vec<Experience>, StoreError> {
        self.link.read(read::experiences)
    }

    fn forget_experiences(&mut self) -> Result<(), StoreError> {
        self.link.write(|at| {
            at.wire.run("DELETE FROM experience WHERE space = $1", &[&at.space])?;
            let sql = "DELETE FROM note WHERE space = $1 AND key = $2";
            at.wire.run(sql, &[&at.space, &EXPERIENCES_PLACE])?;
            at.state.is_own = true;
            Ok(())
        })
    }

    fn records_after(&self, place: i64, limit: usize) -> Result<Vec<(i64, Item)>, StoreError> {
        self.link.read(|at| read::records_after(at, place, limit))
    }

    fn add_experiences(
        &mut self,
        new: &[NewExperience],
        most: usize,
        notes: &[(&str, String)],
    ) -> Result<(), StoreError> {
        self.link.write(|at| write::add_experiences(at, new, most, notes))
    }

    fn sessions(
        &self,
        may_see: &[Sensitivity],
    ) -> Result<Vec<(String, Timestamp, Timestamp)>, StoreError> {
        self.link.read(|at| {
            let view = self.view(at, None)?.view.restricted_to(bits(may_see));
            Ok(answer::sessions(&view, read::session_names(at)?))
        })
    }

    fn record_access(&mut self, item: &str, at: Timestamp, uses: u32) -> Result<(), StoreError> {
        self.link.note_use(item, at.as_second(), i64::from(uses))
    }

    fn accesses(&self, item: &str) -> Result<Vec<Timestamp>, StoreError> {
        self.link.read(|at| read::accesses(at, item))
    }

    fn all_accesses(&self) -> Result<Vec<(String, Timestamp, u32)>, StoreError> {
        self.link.read(read::all_accesses)
    }

    fn fold_accesses(&mut self, before: Timestamp) -> Result<usize, StoreError> {
        self.link.write(|at| write::fold_accesses(at, before.as_second()))
    }

    fn counts(&self, model: &str) -> Result<Counts, StoreError> {
        self.link.read(|at| {
            let space = self.view(at, Some(model))?;
            let view = &space.view;
            let row = at.wire.row(
                "SELECT (SELECT count(*) FROM item WHERE space = $1), \
                 (SELECT count(*) FROM event WHERE space = $1), \
                 (SELECT count(DISTINCT entity) FROM mention WHERE space = $1), \
                 (SELECT coalesce(sum(uses), 0)::bigint FROM access WHERE space = $1), \
                 (SELECT coalesce(sum(length(data)), 0) FROM segment_part WHERE space = $1)::bigint",
                &[&at.space],
            )?;
            Ok(Counts {
                items: size(row.get(0)),
                events: size(row.get(1)),
                entities: size(row.get(2)),
                sessions: answer::sessions(view, read::session_names(at)?).len(),
                embedded: view.embedded,
                precision: view.widths,
                vector_bytes: read::vector_bytes(at, view.model)?,
                accesses: size(row.get(3)),
                segments: view.segments.len() - 1,
                tail: view.tail.len(),
                bytes: u64::try_from(row.get::<_, i64>(4) + at.state.bytes).unwrap_or(0),
            })
        })
    }

    fn without_vector(&self, model: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        self.link.read(|at| {
            let space = self.view(at, Some(model))?;
            let ids = read::ids_of(at, &answer::without_vector(&space.view))?;
            Ok(ids.into_iter().flatten().take(limit).collect())
        })
    }

    fn vectors(
        &self,
        model: &str,
        each: &mut dyn FnMut(&str, Stored) -> bool,
    ) -> Result<(), StoreError> {
        let (space, order, ids) = self.link.read(|at| {
            let space = self.view(at, Some(model))?;
            let order = answer::living_vectors(&space.view);
            let docs: Vec<u32> = order.iter().map(|(doc, ..)| *doc).collect();
            let ids = read::ids_of(at, &docs)?;
            Ok((space, order, ids))
        })?;
        let view = &space.view;
        for ((_, at, place), id) in order.into_iter().zip(ids) {
            let stored = view.segments[at].vectors.stored(place, view.calibration.as_ref());
            if let (Some(id), Some(stored)) = (id, stored)
                && !each(&id, stored)
            {
                break;
            }
        }
        Ok(())
    }

    fn compress(
        &mut self,
        model: &str,
        precision: &mut dyn Precision,
    ) -> Result<Compressed, StoreError> {
        compress::compress(&self.link, model, precision)
    }

    fn shrink(&mut self) -> Result<bool, StoreError> {
        // The database gives room back by itself: autovacuum is a part of running it.
        Ok(true)
    }

    fn digest(&self) -> Result<String, StoreError> {
        self.link.read(digest)
    }

    fn purge(&mut self, id: &str) -> Result<(), StoreError> {
        self.link.write(|at| write::purge(at, id))
    }

    fn rename_uses(&mut self, ids: &BTreeMap<String, String>) -> Result<(), StoreError> {
        self.link.write(|at| {
            for (old, new) in ids {
                let sql = "UPDATE access SET item = $3 WHERE space = $1 AND item = $2";
                at.wire.run(sql, &[&at.space, old, new])?;
                let sql = "DELETE FROM experience WHERE space = $1 AND item = $2";
                at.wire.run(sql, &[&at.space, old])?;
            }
            at.state.is_own = true;
            Ok(())
        })
    }

    fn take_over(&mut self, other: &dyn Store) -> Result<(), StoreError> {
        let other: &dyn Any = other;
        let other = other.downcast_ref::<Self>().ok_or(StoreError::OtherKind)?;
        let from = other.link.space;
        let latest = self.generation()?.max(other.generation()?);
        let latest = (latest / REPLACED + 1) * REPLACED;
        self.link.database.copy_index(from, self.link.space, latest)?;
        // The generation of the other one differs from now on too.
        other.link.write(|at| {
            at.state.generation = latest;
            at.state.advance(&[]);
            Ok(())
        })
    }

    fn scrub(&mut self) -> Result<bool, StoreError> {
        self.link.write(segments::merge_all)?;
        self.shrink()
    }
}

fn digest(at: &mut At<'_>) -> Result<String, StoreError> {
    let space = at.space;
    let mut print = Fingerprint::default();
    let sql = "SELECT t.doc, t.terms, m.name, coalesce(length(t.vectors) / (m.dims + 4), 0)::bigint \
               FROM tail AS t LEFT JOIN model AS m ON m.space = $1 AND m.number = t.model \
               WHERE t.space = $1";
    for row in at.wire.rows(sql, &[&space])? {
        let count = u64::try_from(row.get::<_, i64>(3)).unwrap_or(0);
        let model: Option<&str> = row.get(2);
        print.tail(loading::doc(row.get(0)), row.get(1), model.map(|model| (model, count)));
    }
    let models =
        at.wire.rows("SELECT number, dims, name FROM model WHERE space = $1", &[&space])?;
    for row in at.wire.rows("SELECT number FROM segment WHERE space = $1", &[&space])? {
        let number = row.get(0);
        let metas = loading::metas(at.wire, space, number)?;
        for (term, list) in loading::read_postings(at.wire, space, number)?.all() {
            print.postings(&metas, term, list);
        }
        for model in &models {
            let of = (model.get(0), size(model.get(1)));
            let vectors = loading::vectors(at.wire, space, number, of, metas.len())?;
            print.vectors(&metas, model.get(2), &vectors);
        }
    }
    let sql = "SELECT doc, id, data FROM item WHERE space = $1 ORDER BY id";
    for row in at.wire.rows(sql, &[&space])? {
        print.item(loading::doc(row.get(0)), row.get(1), row.get(2));
    }
    for sql in [
        "SELECT i.id, e.name FROM mention AS m JOIN item AS i ON i.space = $1 AND i.doc = m.doc \
         JOIN entity AS e ON e.space = $1 AND e.number = m.entity WHERE m.space = $1 ORDER BY 1, 2",
        "SELECT id, data FROM event WHERE space = $1 ORDER BY id",
    ] {
        for row in at.wire.rows(sql, &[&space])? {
            print.pair(row.get(0), row.get(1));
        }
    }
    Ok(print.finish())
}

impl PgStore {
    /// Removes the index, but for what only it knows: how often each item was opened.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.link.write(|at| {
            for sql in [
                "DELETE FROM event WHERE space = $1",
                "DELETE FROM item WHERE space = $1",
                "DELETE FROM session WHERE space = $1",
                "DELETE FROM source WHERE space = $1",
                "DELETE FROM entity WHERE space = $1",
                "DELETE FROM mention WHERE space = $1",
                "DELETE FROM note WHERE space = $1",
                "DELETE FROM experience WHERE space = $1",
                "DELETE FROM model WHERE space = $1",
                "DELETE FROM tail WHERE space = $1",
                "DELETE FROM dead WHERE space = $1",
                "DELETE FROM segment WHERE space = $1",
                "DELETE FROM segment_part WHERE space = $1",
                "UPDATE space SET next_doc = 1, next_segment = 1, next_seq = 1, next_session = 1, \
                 next_entity = 1, next_model = 1, tail = 0 WHERE space = $1",
            ] {
                at.wire.run(sql, &[&at.space])?;
            }
            at.state.advance(&[]);
            Ok(())
        })
    }
}

/// Tables that hold files and what servers note, and no part of the index.
const NOT_INDEX: [&str; 4] = ["page", "entry", "audit", "lease"];

impl super::Database {
    /// Puts a copy of one space's index in place of another's.
    fn copy_index(&self, from: i64, to: i64, generation: i64) -> Result<(), StoreError> {
        let mut lent = self.lend()?;
        let mut transaction = lent.client().transaction()?;
        transaction.execute("SELECT 1 FROM space WHERE space = $1 FOR UPDATE", &[&to])?;
        for table in OF_A_SPACE.into_iter().filter(|table| !NOT_INDEX.contains(table)) {
            let columns: String = transaction
                .query_one(
                    "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute \
                     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped \
                     AND attname <> 'space'",
                    &[&table],
                )?
                .get(0);
            transaction.execute(&format!("DELETE FROM {table} WHERE space = $1"), &[&to])?;
            let sql = format!(
                "INSERT INTO {table} (space, {columns}) SELECT $2, {columns} FROM {table} \
                 WHERE space = $1"
            );
            transaction.execute(&sql, &[&from, &to])?;
        }
        transaction.execute(
            "UPDATE space AS new SET generation = $3, head = $4, next_doc = old.next_doc, \
             next_segment = old.next_segment, next_seq = old.next_seq, \
             next_session = old.next_session, next_entity = old.next_entity, \
             next_model = old.next_model, tail = old.tail \
             FROM space AS old WHERE new.space = $2 AND old.space = $1",
            &[&from, &to, &generation, &link::random().to_le_bytes().as_slice()],
        )?;
        transaction.commit()?;
        Ok(())
    }
}
