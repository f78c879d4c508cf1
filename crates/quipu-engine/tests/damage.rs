//! A damaged index costs nothing but time: the next question rebuilds it from the files.

use quipu_engine::brief::{self, BriefRequest};
use quipu_engine::caller::Channel;
use quipu_engine::recall::{self, Question};
use quipu_engine::{Workspace, index, remember, replay};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::told;
use quipu_testkit::repo::{now, request};

const WORDS: [&str; 4] = [
    "the staging server is called Bertha",
    "releases happen on Thursdays",
    "the parrot speaks Portuguese",
    "invoices are numbered by year",
];

fn asked() -> Question {
    Question { query: "what does the parrot speak?".to_owned(), ..Question::default() }
}

/// A workspace with an index that is closed, and the bytes of it.
fn indexed() -> (TestRepo, Vec<u8>) {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new: Vec<_> = WORDS.iter().map(|words| told(words)).collect();
    remember::remember(&workspace, &new, &request("remember")).unwrap();
    recall::recall(&workspace, &asked(), now()).unwrap();
    let database = index::database(&workspace);
    drop(workspace);
    // All of it into the one file.
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    let bytes = std::fs::read(&database).unwrap();
    (repo, bytes)
}

fn answers(workspace: &Workspace, what: &str) {
    let recalled = recall::recall(workspace, &asked(), now());
    let recalled = recalled.unwrap_or_else(|error| panic!("{what}: {error:?}"));
    assert_eq!(recalled.results[0].text, WORDS[2], "{what}");
    let brief =
        BriefRequest { now: now(), cap: None, tokens: None, hint: None, channel: Channel::Main };
    let made = brief::brief(workspace, &brief).unwrap_or_else(|error| panic!("{what}: {error:?}"));
    assert!(made.text.contains("Bertha"), "{what}: {}", made.text);
}

/// Numbers that look random and are the same each time.
fn noise(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    })
}

#[test]
fn a_damaged_index_is_rebuilt_by_the_next_question() {
    let (repo, whole) = indexed();
    let database = index::database(&repo.workspace());
    let digest = replay::replay(&repo.workspace(), true, &mut |_, _| {}).unwrap().digest;
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    for size in [1, 15, 16, 99, 100, 512, 4095, 4096, 4097, 8192, 20_000, whole.len() - 1] {
        cases.push((format!("cut to {size} bytes"), whole[..size.min(whole.len())].to_vec()));
    }
    // All but 60 to 63: that would be a database of a newer Quipu, which is left alone.
    for at in [0, 5, 15, 16, 18, 20, 21, 23, 28, 44, 47, 56, 59, 64, 100, 101, 103, 105, 108, 110] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        cases.push((format!("byte {at} turned"), bytes));
    }
    for seed in 1..=8 {
        let mut bytes = whole.clone();
        let pages = bytes.len() / 4096;
        let page = usize::try_from(seed).unwrap() % pages;
        let garbage: Vec<u8> = noise(seed).take(4096).collect();
        bytes[page * 4096..(page + 1) * 4096].copy_from_slice(&garbage);
        cases.push((format!("page {page} is garbage"), bytes));
    }
    cases.push(("all garbage".to_owned(), noise(99).take(whole.len()).collect()));
    cases.push(("a letter".to_owned(), b"dear reader, this is no database".repeat(200)));
    assert!(cases.len() >= 37, "{}", cases.len());
    for (what, bytes) in cases {
        std::fs::write(&database, bytes).unwrap();
        let _ = std::fs::remove_file(database.with_extension("db-wal"));
        let _ = std::fs::remove_file(database.with_extension("db-shm"));
        answers(&repo.workspace(), &what);
        let replayed = replay::replay(&repo.workspace(), false, &mut |_, _| {}).unwrap();
        assert_eq!(replayed.digest, digest, "{what}");
        answers(&repo.workspace(), &what);
    }
}

#[test]
fn what_somebody_planted_in_the_index_is_not_obeyed() {
    for planted in [
        "CREATE TRIGGER evil AFTER INSERT ON access BEGIN DELETE FROM item; END",
        "CREATE VIEW evil AS SELECT load_extension('evil')",
        "CREATE TABLE evil (x)",
        "DROP TABLE tail",
        "ALTER TABLE item RENAME TO other",
        "ALTER TABLE item RENAME COLUMN path TO other",
        "DELETE FROM counter",
        "UPDATE item SET item = 'nonsense'",
    ] {
        let (repo, _) = indexed();
        let database = index::database(&repo.workspace());
        let connection = rusqlite::Connection::open(&database).unwrap();
        // A column that has another name is as good as none.
        if connection.execute_batch(planted).is_err() {
            continue;
        }
        drop(connection);
        answers(&repo.workspace(), planted);
        let left = rusqlite::Connection::open(&database).unwrap();
        let evil = "SELECT count(*) FROM sqlite_schema WHERE name = 'evil'";
        assert_eq!(left.query_row(evil, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "{planted}");
    }
}

#[test]
fn the_damaged_one_is_kept_once_and_the_answer_says_so() {
    let (repo, _) = indexed();
    let database = index::database(&repo.workspace());
    for letter in ["first", "second"] {
        std::fs::write(&database, letter.repeat(1000)).unwrap();
        let recalled = recall::recall(&repo.workspace(), &asked(), now()).unwrap();
        let notice = recalled.degraded.iter().find(|why| why.contains("was damaged"));
        assert!(notice.unwrap().contains("how often"), "{:?}", recalled.degraded);
        assert!(recall::recall(&repo.workspace(), &asked(), now()).unwrap().degraded.is_empty());
        let kept = std::fs::read(database.with_extension("db.damaged")).unwrap();
        assert_eq!(kept, letter.repeat(1000).into_bytes());
    }
}

#[test]
fn many_who_find_the_damage_at_once_all_get_an_answer() {
    let (repo, _) = indexed();
    std::fs::write(index::database(&repo.workspace()), "no database".repeat(1000)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let recalled = recall::recall(&repo.workspace(), &asked(), now()).unwrap();
                // Who comes while another is at it may find nothing yet, and is told.
                assert!(!recalled.results.is_empty() || !recalled.degraded.is_empty());
            });
        }
    });
    answers(&repo.workspace(), "after all of them");
}
