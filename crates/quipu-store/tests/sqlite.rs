//! `SQLite` keeps the promises, and some of its own.

use quipu_core::item::{Item, Kind};
use quipu_store::{Batch, Put, Search, SqliteStore, Store, StoreError};

use crate::conformance;

#[test]
fn a_store_in_memory_keeps_every_promise() {
    conformance::all(&|| Box::new(SqliteStore::in_memory().unwrap()));
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
