//! `PostgreSQL` keeps the promises, answers as `SQLite` does, and keeps spaces apart.

use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use quipu_core::item::{Event, Filed, Item, Kind, Place, Sensitivity};
use quipu_store::postgres::{Database, PgStore, SpaceFiles};
use quipu_store::{Batch, Put, SqliteStore, Store};

use crate::conformance::{MODEL, at, search, vector};
use crate::server::{self, Server, TestDatabase};

/// A database with spaces, for one test.
struct Spaces<'a> {
    database: Database,
    next: AtomicU32,
    test: TestDatabase<'a>,
}

impl<'a> Spaces<'a> {
    fn new(server: &'a Server) -> Self {
        let test = server.database();
        let database = Database::at(&test.url()).unwrap();
        assert_eq!(database.migrate().unwrap(), ["0001_spaces"]);
        Self { database, next: AtomicU32::new(0), test }
    }

    fn space(&self) -> String {
        let name = format!("s{}", self.next.fetch_add(1, Ordering::Relaxed));
        self.database.add_space(&name, 1 << 30, 0).unwrap();
        name
    }

    fn store(&self) -> PgStore {
        PgStore::of(self.database.link(&self.space()).unwrap())
    }
}

mod promises {
    use std::sync::LazyLock;

    use quipu_store::Store;

    use super::Spaces;
    use crate::promises::keeps_every_promise;
    use crate::server::{self, Server};

    keeps_every_promise!(postgres);

    /// Runs one promise, where a server can be had.
    fn with_stores(promise: impl FnOnce(&dyn Fn() -> Box<dyn Store>)) {
        // It is left running for the other tests of this process.
        static SERVER: LazyLock<Option<Server>> = LazyLock::new(server::server);
        let Some(server) = &*SERVER else { return };
        let spaces = Spaces::new(server);
        promise(&|| Box::new(spaces.store()));
    }
}

#[test]
fn migrating_again_changes_nothing_and_servers_refuse_what_was_never_migrated() {
    let Some(server) = server::server() else { return };
    let test = server.database();
    let database = Database::at(&test.url()).unwrap();
    assert!(database.check_schema().unwrap_err().to_string().contains("schema 0"));
    assert_eq!(database.migrate().unwrap().len(), 1);
    assert_eq!(database.migrate().unwrap().len(), 0);
    database.check_schema().unwrap();
    // One step ahead is the migration that runs while old servers serve; two steps are not.
    test.execute("INSERT INTO migration VALUES (2, 'next', '')");
    database.check_schema().unwrap();
    test.execute("INSERT INTO migration VALUES (3, 'later', '')");
    assert!(database.check_schema().is_err());
}

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    Put(Vec<(u8, u8)>),
    Remove(u8),
    Events(Vec<(u8, u8)>),
    Forget(u8),
    Purge(u8),
    Scrub,
}

const ALL: [Sensitivity; 2] = [Sensitivity::Public, Sensitivity::Private];

const WORDS: [&str; 12] = [
    "retries back off with jitter",
    "Alice deployed Postgres on Friday",
    "the Berlin office closes at noon",
    "use tabs, never spaces",
    "Größe und Maß der Zöpfe",
    "Bob said that Alice likes tea",
    "the build needs two cores",
    "src/main.rs panics on an empty line",
    "elephants remember everything",
    "tea is better than coffee",
    "the gateway listens on port 8080",
    "an elephant in the Berlin zoo",
];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pair = (0_u8..40, 0_u8..12);
    let step = prop_oneof![
        6 => prop::collection::vec(pair.clone(), 1..30).prop_map(Step::Put),
        2 => (0_u8..40).prop_map(Step::Remove),
        3 => prop::collection::vec(pair, 1..6).prop_map(Step::Events),
        1 => (0_u8..40).prop_map(Step::Forget),
        1 => (0_u8..40).prop_map(Step::Purge),
        1 => Just(Step::Scrub),
    ];
    prop::collection::vec(step, 1..14)
}

fn item(id: u8, words: u8) -> Item {
    let mut item = Item::new(
        format!("i{id}"),
        Kind::Record,
        format!("{} {}", WORDS[usize::from(words)], WORDS[usize::from(id % 12)]),
        at(1_000 + i64::from(id)),
    );
    item.session = (!id.is_multiple_of(3)).then(|| format!("session-{}", id % 4));
    item.speaker = (id % 4 == 1).then(|| "Alice".to_owned());
    item.tags = vec![format!("tag{}", words % 3)];
    item.pinned = id.is_multiple_of(7);
    item.place = Some(Place { path: format!("memory/{}.md", id % 5), line: 0 });
    if id.is_multiple_of(11) {
        item.sensitivity = Sensitivity::Private;
    }
    item
}

fn event(id: u8, item: u8) -> Filed {
    let event = Event {
        id: format!("e{id}"),
        item: format!("i{item}"),
        at: at(i64::from(id)),
        actor: "test".to_owned(),
        reason: String::new(),
        run: None,
        decision: None,
    };
    Filed { event, path: format!("memory/{}.md", id % 3), offset: u64::from(item) }
}

fn carry_out(step: &Step, store: &mut dyn Store) {
    let mut batch = Batch { model: MODEL.to_owned(), ..Batch::default() };
    match step {
        Step::Put(pairs) => {
            batch.put = pairs
                .iter()
                .map(|(id, words)| {
                    let item = item(*id, *words);
                    let vectors =
                        if id.is_multiple_of(5) { Vec::new() } else { vec![vector(&item.text)] };
                    Put::new(item, None, vectors)
                })
                .collect();
        }
        Step::Remove(id) => batch.remove = vec![format!("i{id}")],
        Step::Events(pairs) => {
            batch.events = pairs.iter().map(|(id, item)| event(*id, *item)).collect();
        }
        Step::Forget(id) => batch.forget = vec![format!("e{id}")],
        Step::Purge(id) => return store.purge(&format!("i{id}")).unwrap(),
        Step::Scrub => return assert!(store.scrub().unwrap()),
    }
    store.apply(&batch).unwrap();
}

/// Everything that a caller can see of an answer, with the bits of its scores.
fn answers(store: &dyn Store) -> Vec<String> {
    let mut answers = Vec::new();
    for text in ["alice elephant tea", "berlin", "Größe", "retries jitter tabs", "port 8080"] {
        let mut asked = search(text);
        asked.vector = Some(vector(text));
        let found = store.search(&asked).unwrap();
        answers.push(format!("{} {} {}", found.items, found.allowed, found.embedded));
        for hit in found.hits {
            answers.push(format!(
                "{} {:08x} {:08x} {:08x} {:?} {:?} {:?}",
                hit.item.id,
                hit.score.to_bits(),
                hit.cosine.to_bits(),
                hit.telling.to_bits(),
                hit.words,
                hit.neighbours,
                hit.same
            ));
        }
    }
    for (id, near) in store.nearest(MODEL, &vector("tea"), 10, &ALL).unwrap() {
        answers.push(format!("{id} {:08x}", near.to_bits()));
    }
    answers.push(format!("{:?}", store.entities("", 50).unwrap()));
    answers.push(format!("{:?}", store.mentioned_with("alice", 50).unwrap()));
    answers.push(format!("{:?}", store.sessions(&ALL).unwrap()));
    answers.push(format!("{:?}", store.filed_in("memory/1.md").unwrap()));
    answers.push(format!("{:?}", store.events_before(None, 20).unwrap()));
    answers
}

#[test]
fn random_histories_give_the_same_answers_bit_for_bit() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    // PROPTEST_RNG_SEED draws others, and QUIPU_HISTORIES=10000 so many.
    let asked = std::env::var("QUIPU_HISTORIES").ok().and_then(|text| text.parse().ok());
    let cases = asked.unwrap_or(60);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(&steps(), |steps| {
        let (mut sqlite, mut postgres) = (SqliteStore::in_memory().unwrap(), spaces.store());
        for step in &steps {
            carry_out(step, &mut sqlite);
            carry_out(step, &mut postgres);
        }
        prop_assert_eq!(answers(&sqlite), answers(&postgres));
        prop_assert_eq!(sqlite.digest().unwrap(), postgres.digest().unwrap());
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn many_segments_give_the_same_answers() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let (mut sqlite, mut postgres) = (SqliteStore::in_memory().unwrap(), spaces.store());
    for round in 0..12_u32 {
        let numbered = |number: u32| {
            let mut item =
                item(u8::try_from(number % 200).unwrap(), u8::try_from(number % 12).unwrap());
            item.id = format!("r{}", (round * 150 + number) % 1500);
            Put::new(item.clone(), None, vec![vector(&item.text)])
        };
        let batch = Batch {
            model: MODEL.to_owned(),
            put: (0..200).map(numbered).collect(),
            ..Batch::default()
        };
        for store in [&mut sqlite as &mut dyn Store, &mut postgres] {
            store.apply(&batch).unwrap();
        }
    }
    assert!(postgres.counts(MODEL).unwrap().segments > 0);
    assert_eq!(answers(&sqlite), answers(&postgres));
    assert_eq!(sqlite.digest().unwrap(), postgres.digest().unwrap());
    // Another server reads it anew, and sees the same.
    let other = Database::at(&spaces.test.url()).unwrap();
    let other = PgStore::of(other.link("s0").unwrap());
    assert_eq!(answers(&other), answers(&postgres));
}

#[test]
fn a_scope_is_carried_out_whole_or_not_at_all() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let name = spaces.space();
    let link = spaces.database.link(&name).unwrap();
    let (files, mut store) = (SpaceFiles::of(link.clone()), PgStore::of(link.clone()));
    let put =
        |id: u8| Batch { put: vec![Put::new(item(id, 1), None, Vec::new())], ..Batch::default() };
    link.enter();
    files.append("memory/2026-01-01.md", b"one\n").unwrap();
    store.apply(&put(1)).unwrap();
    assert_eq!(store.search(&search("Alice")).unwrap().hits.len(), 1);
    link.roll_back();
    assert_eq!(files.read("memory/2026-01-01.md").unwrap(), None);
    assert_eq!(store.search(&search("Alice")).unwrap().hits.len(), 0);

    link.enter();
    files.append("memory/2026-01-01.md", b"one\n").unwrap();
    files.append("memory/2026-01-01.md", b"two\n").unwrap();
    store.apply(&put(2)).unwrap();
    assert!(link.commit(None).unwrap());
    let other = Database::at(&spaces.test.url()).unwrap().link(&name).unwrap();
    let read = SpaceFiles::of(other.clone()).read("memory/2026-01-01.md").unwrap().unwrap();
    assert_eq!(read.as_slice(), b"one\ntwo\n");
    assert_eq!(PgStore::of(other).search(&search("Alice")).unwrap().hits[0].item.id, "i2");

    // A statement that failed takes the whole scope with it, also where nobody looked at the error.
    link.enter();
    files.append("memory/2026-01-01.md", b"three\n").unwrap();
    // A text in the database cannot hold a zero byte.
    let broken = Batch { forget: vec!["\0".to_owned()], ..Batch::default() };
    store.apply(&broken).unwrap_err();
    assert!(link.commit(None).is_err());
    assert_eq!(files.read("memory/2026-01-01.md").unwrap().unwrap().len(), 8);
}

#[test]
fn a_full_space_takes_nothing_more_but_can_be_made_smaller() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    spaces.database.add_space("small", 100, 0).unwrap();
    let link = spaces.database.link("small").unwrap();
    let files = SpaceFiles::of(link.clone());
    files.write("a", &[b'a'; 60]).unwrap();
    files.write("b", &[b'b'; 40]).unwrap();
    assert!(files.append("b", b"b").unwrap_err().to_string().contains("full"));
    assert_eq!(files.read("b").unwrap().unwrap().len(), 40);
    // What counts is how it ends: something may be written first and removed then.
    link.enter();
    files.write("c", b"what is about to be removed").unwrap();
    assert!(files.remove("a").unwrap());
    link.commit(None).unwrap();
    assert_eq!(files.paths().unwrap(), ["b", "c"]);
    // A quota that was made smaller than what is there still lets things go.
    spaces.database.set_quota("small", 10).unwrap();
    files.write("b", b"bb").unwrap();
    assert!(files.append("c", b"c").unwrap_err().to_string().contains("full"));
    assert_eq!(spaces.database.spaces().unwrap()[0].most_bytes, 10);
}

#[test]
fn files_are_moved_removed_and_listed_as_in_a_folder() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let link = spaces.database.link(&spaces.space()).unwrap();
    let files = SpaceFiles::of(link.clone());
    files.write("memory/a.md", b"a").unwrap();
    files.write("memory/b_c.md", b"b").unwrap();
    files.write("memory/sessions/x.md", b"x").unwrap();
    files.create_folder("memory/empty").unwrap();
    let names = |folder: &str| files.list(folder).unwrap();
    let of = |names: &[(&str, bool)]| {
        Some(names.iter().map(|(name, folder)| ((*name).to_owned(), *folder)).collect::<Vec<_>>())
    };
    let all = [("a.md", false), ("b_c.md", false), ("empty", true), ("sessions", true)];
    assert_eq!(names("memory"), of(&all));
    assert_eq!(names("nowhere"), None);
    let before = files.info("memory").unwrap();
    files.rename("memory/sessions", "memory/old").unwrap();
    assert_ne!(files.info("memory").unwrap(), before);
    files.rename("memory/a.md", "memory/b_c.md").unwrap();
    assert_eq!(names("memory"), of(&[("b_c.md", false), ("empty", true), ("old", true)]));
    assert_eq!(files.read("memory/b_c.md").unwrap().unwrap().as_slice(), b"a");
    assert!(files.remove("memory/old").unwrap());
    assert!(!files.remove("memory/old").unwrap());
    assert_eq!(files.paths().unwrap(), ["memory/b_c.md"]);
    // Another process sees the same.
    let other = Database::at(&spaces.test.url()).unwrap();
    let other = SpaceFiles::of(other.link(link.name()).unwrap());
    assert_eq!(other.list("memory").unwrap(), of(&[("b_c.md", false), ("empty", true)]));
}

#[test]
fn no_space_sees_the_rows_of_another() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let (mut one, two) = (spaces.store(), spaces.store());
    let batch = Batch {
        model: MODEL.to_owned(),
        put: (0..20).map(|id| Put::new(item(id, id % 12), None, vec![vector("a")])).collect(),
        events: (0..5).map(|id| event(id, id)).collect(),
        sources: vec![("memory/1.md".to_owned(), Some("1".to_owned()))],
        ..Batch::default()
    };
    one.apply(&batch).unwrap();
    one.record_access("i1", at(5), 1).unwrap();
    let empty = SqliteStore::in_memory().unwrap();
    let sees_nothing = || {
        assert_eq!(answers(&two), answers(&empty));
        assert_eq!(two.get("i1").unwrap(), None);
        assert_eq!(two.ids("", 10).unwrap(), Vec::<String>::new());
        assert_eq!(two.sources().unwrap(), Vec::new());
        assert_eq!(two.all_accesses().unwrap(), Vec::new());
        assert_eq!(two.digest().unwrap(), empty.digest().unwrap());
    };
    sees_nothing();
    // Every query names its space, so this holds without row-level security too.
    let tables = "SELECT format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', relname) \
                  FROM pg_class WHERE relrowsecurity";
    spaces.test.execute(&format!(
        "DO $$ DECLARE s text; BEGIN FOR s IN {tables} LOOP EXECUTE s; END LOOP; END $$"
    ));
    sees_nothing();
}

#[test]
fn row_level_security_shows_nothing_to_who_names_no_space() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let mut store = spaces.store();
    let put = vec![Put::new(item(1, 1), None, Vec::new())];
    store.apply(&Batch { put, ..Batch::default() }).unwrap();
    let check = |space: &str, rows: u32| {
        spaces.test.execute(&format!(
            "DO $$ BEGIN SET LOCAL ROLE quipu_app; {space} \
             ASSERT (SELECT count(*) FROM item) = {rows}, 'rows'; END $$"
        ));
    };
    check("", 0);
    check("SET LOCAL quipu.space = '';", 0);
    check("SET LOCAL quipu.space = '1';", 0);
}

#[test]
fn two_servers_that_write_at_once_take_turns() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let name = spaces.space();
    let url = spaces.test.url();
    let writer = |number: u8| {
        let link = Database::at(&url).unwrap().link(&name).unwrap();
        let (files, mut store) = (SpaceFiles::of(link.clone()), PgStore::of(link.clone()));
        for round in 0..20_u8 {
            link.enter();
            link.lock(std::time::Duration::from_secs(20)).unwrap();
            let id = number * 20 + round;
            files.append("memory/day.md", format!("{id}\n").as_bytes()).unwrap();
            let put = vec![Put::new(item(id, 1), None, Vec::new())];
            store.apply(&Batch { put, events: vec![event(id, id)], ..Batch::default() }).unwrap();
            assert!(link.commit(None).unwrap());
            // What was acknowledged is seen at once, here and elsewhere.
            assert!(store.get(&format!("i{id}")).unwrap().is_some());
        }
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3).map(|number| scope.spawn(move || writer(number))).collect();
        for writer in writers {
            writer.join().unwrap();
        }
    });
    let link = spaces.database.link(&name).unwrap();
    let text = SpaceFiles::of(link.clone()).read("memory/day.md").unwrap().unwrap();
    let lines = String::from_utf8(text.to_vec()).unwrap();
    assert_eq!(lines.lines().count(), 60);
    let store = PgStore::of(link);
    assert_eq!(store.counts("").unwrap().items, 60);
    assert_eq!(store.search(&search("Alice")).unwrap().items, 60);
}

#[test]
fn a_lease_is_one_servers_until_it_ends_or_its_time_is_over() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let (one, two) = (spaces.space(), spaces.space());
    let other = Database::at(&spaces.test.url()).unwrap();
    let minute = std::time::Duration::from_mins(1);
    assert!(spaces.database.lease(&one, "upkeep", "a", minute).unwrap());
    assert!(!other.lease(&one, "upkeep", "b", minute).unwrap());
    // The same may go on, another job and another space are free.
    assert!(spaces.database.lease(&one, "upkeep", "a", minute).unwrap());
    assert!(other.lease(&one, "else", "b", minute).unwrap());
    assert!(other.lease(&two, "upkeep", "b", minute).unwrap());
    // Only who has it gives it back.
    other.end_lease(&one, "upkeep", "b").unwrap();
    assert!(!other.lease(&one, "upkeep", "b", minute).unwrap());
    spaces.database.end_lease(&one, "upkeep", "a").unwrap();
    assert!(other.lease(&one, "upkeep", "b", std::time::Duration::ZERO).unwrap());
    // A server that died does not keep it: its time is over.
    assert!(spaces.database.lease(&one, "upkeep", "a", minute).unwrap());
}

#[test]
fn every_act_leaves_a_row_in_the_audit_and_none_that_failed() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let name = spaces.space();
    let link = spaces.database.link(&name).unwrap();
    let files = SpaceFiles::of(link.clone());
    let record = |operation: &str| quipu_store::postgres::AuditRecord {
        who: "O'Brien \\ Größe".to_owned(),
        operation: operation.to_owned(),
    };
    link.enter();
    files.write("a", b"a").unwrap();
    link.commit(Some(&record("remember"))).unwrap();
    link.enter();
    files.write("b", b"b").unwrap();
    link.roll_back();
    link.enter();
    files.read("a").unwrap();
    link.commit(Some(&record("recall"))).unwrap();
    link.note_refusal(&record("purge"), "forbidden").unwrap();
    let who = quipu_store::postgres::SpaceToken {
        space: name.clone(),
        name: "ada".to_owned(),
        permission: "write".to_owned(),
        channel: "main".to_owned(),
    };
    spaces.database.add_token("secret", &who, 0).unwrap();
    assert!(spaces.database.revoke_token(&name, "ada").unwrap());
    assert!(!spaces.database.revoke_token(&name, "ada").unwrap());
    let told = |space: Option<&str>| {
        let lines = spaces.database.audit(space, 100).unwrap();
        let mut told: Vec<String> =
            lines.iter().map(|it| format!("{} {} {}", it.who, it.operation, it.outcome)).collect();
        told.sort();
        told
    };
    assert_eq!(
        told(Some(&name)),
        [
            "O'Brien \\ Größe purge forbidden",
            "O'Brien \\ Größe remember done",
            "operator token add ada write main done",
            "operator token revoke ada done",
        ]
    );
    spaces.database.remove_space(&name).unwrap();
    let all =
        [format!("operator space add {name} done"), format!("operator space remove {name} done")];
    assert_eq!(told(None), all);
}

#[test]
fn readers_and_their_uses_wait_for_no_writer() {
    let Some(server) = server::server() else { return };
    let spaces = Spaces::new(&server);
    let name = spaces.space();
    let mut store = PgStore::of(spaces.database.link(&name).unwrap());
    let put = vec![Put::new(item(1, 1), None, Vec::new())];
    store.apply(&Batch { put, ..Batch::default() }).unwrap();
    let writer = spaces.database.link(&name).unwrap();
    writer.enter();
    writer.lock(std::time::Duration::from_secs(5)).unwrap();
    // Somebody writes all the while, and a reader hears of it as little as of a use that it notes.
    let reader = Database::at(&spaces.test.url()).unwrap().link(&name).unwrap();
    let mut read = PgStore::of(reader.clone());
    reader.enter();
    assert_eq!(read.search(&search("Alice")).unwrap().hits.len(), 1);
    read.record_access("i1", at(7), 1).unwrap();
    reader.commit(None).unwrap();
    assert_eq!(read.accesses("i1").unwrap(), [at(7)]);
    let busy = reader.lock(std::time::Duration::from_millis(50)).unwrap_err();
    assert!(busy.is_busy(), "{busy}");
    writer.roll_back();
    reader.lock(std::time::Duration::from_secs(5)).unwrap();
}

#[test]
fn a_login_that_is_no_superuser_does_everything() {
    let Some(server) = server::server() else { return };
    let test = server.database();
    let login = "quipu_owner";
    test.execute(&format!(
        "DO $$ BEGIN CREATE ROLE {login} LOGIN CREATEROLE; \
         EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    ));
    test.execute(&format!(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO {login}', current_database()); END $$"
    ));
    test.execute(&format!("ALTER SCHEMA public OWNER TO {login}"));
    let database = Database::at(&test.url_of(login)).unwrap();
    database.migrate().unwrap();
    database.add_space("one", 1 << 20, 0).unwrap();
    let link = database.link("one").unwrap();
    let mut store = PgStore::of(link.clone());
    let put = vec![Put::new(item(1, 1), None, vec![vector("a")])];
    store.apply(&Batch { model: MODEL.to_owned(), put, ..Batch::default() }).unwrap();
    store.scrub().unwrap();
    store.clear().unwrap();
    assert_eq!(store.counts(MODEL).unwrap().items, 0);
    assert!(database.lease("one", "upkeep", "a", std::time::Duration::ZERO).unwrap());
    assert_eq!(database.audit(None, 9).unwrap().len(), 1);
    assert!(database.examined().unwrap().open_tables.is_empty());
    database.remove_space("one").unwrap();
    assert!(database.spaces().unwrap().is_empty());
}
