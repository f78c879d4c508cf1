//! `SQLite` keeps the promises, and some of its own.

use quipu_core::item::{Item, Kind};
use quipu_core::vector::Width;
use quipu_store::{Batch, Precision, Put, Search, SqliteStore, Store, StoreError, Widths};

use crate::conformance::{self, MODEL};
use crate::precision::compress;

mod in_memory {
    use super::SqliteStore;
    use crate::promises::keeps_every_promise;

    keeps_every_promise!(|| Box::new(SqliteStore::in_memory().unwrap()));
}

fn put(id: String) -> Put {
    let text = format!("{id} says hello to the world");
    Put::new(Item::new(id, Kind::Record, text, jiff::Timestamp::UNIX_EPOCH), None, Vec::new())
}

fn hello() -> Search {
    Search { text: "hello".to_owned(), limit: 5000, ..Search::default() }
}

#[test]
fn a_store_survives_closing_and_many_segments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let digest = {
        let mut store = SqliteStore::open(&path).unwrap();
        for round in 0..30 {
            let new = (0..100).map(|n| put(format!("r{round}-{n}"))).collect();
            store.apply(&Batch { put: new, ..Batch::default() }).unwrap();
            // Some change again, so that segments hold dead documents.
            let again = (0..20).map(|n| put(format!("r{round}-{n}"))).collect();
            store.apply(&Batch { put: again, ..Batch::default() }).unwrap();
        }
        store.digest().unwrap()
    };
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.digest().unwrap(), digest);
    let found = store.search(&hello()).unwrap();
    assert_eq!((found.hits.len(), found.items), (3000, 3000));
    assert!(store.counts("").unwrap().segments > 1);
}

#[test]
fn readers_do_not_wait_for_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let mut store = SqliteStore::open(&path).unwrap();
    store.apply(&Batch { put: vec![put("a".to_owned())], ..Batch::default() }).unwrap();
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE; DELETE FROM item").unwrap();
    let reader = SqliteStore::open(&path).unwrap();
    assert_eq!(reader.search(&hello()).unwrap().hits.len(), 1);
    writer.execute_batch("ROLLBACK").unwrap();
}

#[test]
fn a_database_of_a_newer_quipu_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    drop(SqliteStore::open(&path).unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 99, .. }), "{error}");
}

#[test]
fn a_reader_that_was_there_before_sees_what_was_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let mut writer = SqliteStore::open(&path).unwrap();
    // As many documents, in segments and tail of the same numbers.
    embedded(&mut writer, "old", 600);
    embedded(&mut writer, "older", 10);
    let reader = SqliteStore::open(&path).unwrap();
    assert_eq!(reader.search(&conformance::search("old")).unwrap().items, 610);
    let mut new = SqliteStore::open(&folder.path().join("new.db")).unwrap();
    embedded(&mut new, "new", 600);
    embedded(&mut new, "newer", 10);
    writer.take_over(&new).unwrap();
    for store in [&writer, &reader] {
        assert!(conformance::found(store, &conformance::search("old")).is_empty());
        assert_eq!(conformance::found(store, &conformance::search("new")).len(), 10);
        assert_eq!(conformance::found(store, &conformance::search("newer")).len(), 10);
    }
}

#[test]
fn a_file_that_took_the_place_of_another_has_an_index_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let open = |word: &str| {
        let mut store = SqliteStore::open(&path).unwrap();
        embedded(&mut store, word, 20);
        assert_eq!(conformance::found(&store, &conformance::search(word)).len(), 10);
        store
    };
    let old = open("elephant");
    std::fs::rename(&path, folder.path().join("aside.db")).unwrap();
    let new = open("giraffe");
    for (store, other) in [(&old, "giraffe"), (&new, "elephant")] {
        assert!(conformance::found(store, &conformance::search(other)).is_empty(), "{other}");
    }
}

#[test]
fn every_thread_sees_what_it_wrote_though_all_share_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    drop(SqliteStore::open(&path).unwrap());
    std::thread::scope(|scope| {
        for number in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = SqliteStore::open(path).unwrap();
                for n in 0..200 {
                    let id = format!("t{number}x{n}");
                    store.apply(&Batch { put: vec![put(id.clone())], ..Batch::default() }).unwrap();
                    assert_eq!(conformance::found(&store, &conformance::search(&id))[0], id);
                }
            });
        }
    });
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.search(&hello()).unwrap().hits.len(), 800);
}

#[test]
fn a_file_that_is_no_database_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    std::fs::write(
        &path,
        "this is a letter, and no database at all; it goes on for a while".repeat(100),
    )
    .unwrap();
    assert!(SqliteStore::open(&path).unwrap_err().is_damage());
}

#[test]
fn many_may_open_a_new_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    std::thread::scope(|scope| {
        for number in 0..16 {
            let path = &path;
            scope.spawn(move || {
                let mut store = SqliteStore::open(path).unwrap();
                for n in 0..10 {
                    let put = vec![put(format!("t{number}-{n}"))];
                    store.apply(&Batch { put, ..Batch::default() }).unwrap();
                }
            });
        }
    });
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.search(&hello()).unwrap().items, 160);
}

fn embedded(store: &mut SqliteStore, name: &str, count: usize) {
    let new = (0..count).map(|n| conformance::item(&format!("{name}{n}"), &format!("{name} {n}")));
    store.apply(&conformance::batch(new.collect())).unwrap();
}

#[test]
fn a_reader_that_was_there_before_sees_what_became_narrow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let mut writer = SqliteStore::open(&path).unwrap();
    embedded(&mut writer, "a", 600);
    let reader = SqliteStore::open(&path).unwrap();
    assert_eq!(reader.counts(MODEL).unwrap().precision.eight, 600);
    compress(&mut writer, &|_| Width::Two);
    let counts = reader.counts(MODEL).unwrap();
    assert_eq!(counts.precision, Widths { two: 600, ..Widths::default() });
    drop(reader);
    let size = || std::fs::metadata(&path).unwrap().len();
    assert!(writer.shrink().unwrap());
    let small = size();
    assert_eq!(writer.counts(MODEL).unwrap().bytes, small);
}

/// Writes to the same database whenever it is asked something.
struct Intruder {
    other: SqliteStore,
    writes: usize,
}

impl Precision for Intruder {
    fn width(&mut self, _: &str) -> Width {
        Width::Four
    }

    fn progress(&mut self, _: usize, _: usize) {
        if self.writes < 3 {
            self.writes += 1;
            // Enough for a segment, which merges with the one that was just rewritten.
            let name = format!("w{}-", self.writes);
            embedded(&mut self.other, &name, 600);
        }
    }
}

#[test]
fn others_may_write_and_merge_while_one_compresses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let mut store = SqliteStore::open(&path).unwrap();
    embedded(&mut store, "a", 600);
    let mut intruder = Intruder { other: SqliteStore::open(&path).unwrap(), writes: 0 };
    store.compress(MODEL, &mut intruder).unwrap();
    let counts = store.counts(MODEL).unwrap();
    assert_eq!((counts.embedded, counts.precision.four), (2400, 2400));
}

#[test]
fn an_older_database_is_read_again_and_keeps_its_uses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let mut store = SqliteStore::open(&path).unwrap();
    embedded(&mut store, "a", 600);
    store.record_access("a", jiff::Timestamp::UNIX_EPOCH, 3).unwrap();
    drop(store);
    let old = rusqlite::Connection::open(&path).unwrap();
    let known: i64 = old.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    old.execute_batch(
        "CREATE TABLE old (segment INTEGER NOT NULL, model INTEGER NOT NULL, \
         chunk INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (segment, model, chunk)); \
         INSERT INTO old SELECT segment, model, chunk, data FROM segment_vectors; \
         DROP TABLE segment_vectors; ALTER TABLE old RENAME TO segment_vectors; \
         ALTER TABLE model DROP COLUMN calibration; ALTER TABLE segment DROP COLUMN revision;",
    )
    .unwrap();
    old.pragma_update(None, "user_version", known - 1).unwrap();
    drop(old);
    let mut store = SqliteStore::open(&path).unwrap();
    // What can be made from the files is made again; what only it knows stays.
    let counts = store.counts(MODEL).unwrap();
    assert_eq!((counts.items, counts.embedded, counts.accesses), (0, 0, 3));
    assert!(store.sources().unwrap().is_empty());
    embedded(&mut store, "a", 600);
    compress(&mut store, &|_| Width::Four);
    assert_eq!(store.counts(MODEL).unwrap().precision.four, 600);
}

#[test]
#[cfg(unix)]
fn a_database_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.db");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    drop(SqliteStore::open(&path).unwrap());
    assert_eq!(mode(&path), 0o600);
    // As an older Quipu left it.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let mut store = SqliteStore::open(&path).unwrap();
    store.forget_experiences().unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_extension("db-wal")), 0o600);
}

#[test]
fn a_schema_that_is_not_ours_is_damage() {
    for planted in [
        "CREATE TRIGGER evil AFTER INSERT ON access BEGIN DELETE FROM item; END",
        "CREATE VIEW evil AS SELECT 1",
        "CREATE TABLE evil (x)",
        "DROP TABLE posting",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.db");
        drop(SqliteStore::open(&path).unwrap());
        rusqlite::Connection::open(&path).unwrap().execute_batch(planted).unwrap();
        assert!(SqliteStore::open(&path).unwrap_err().is_damage(), "{planted}");
    }
}
