//! Stores of agents in databases and archives, and mails.

use quipu_core::item::{Layer, Source, Status};
use quipu_import::{Format, Options, Skip};
use rusqlite::Connection;

use crate::sources::{folder, take};

fn chats() -> Options {
    Options { with_chats: true, ..Options::default() }
}

fn time(text: &str) -> jiff::Timestamp {
    text.parse().unwrap()
}

/// Writes a database into a folder of its own.
fn database(name: &str, sql: &str) -> tempfile::TempDir {
    let folder = folder(&[]);
    Connection::open(folder.path().join(name)).unwrap().execute_batch(sql).unwrap();
    folder
}

const SLICE: &str = r#"{"wing":"src","room":"general","hall":"creative","source_file":"/n/notes.md","chunk_index":INDEX,"chunk_total":2,"content_date":"2026-04-02","filed_at":"2026-11-16T06:38:51","added_by":"mempalace"}"#;

#[test]
fn mempalace_slices_of_a_file_are_one_memory_and_closets_are_none() {
    let (one, two) = (SLICE.replace("INDEX", "0"), SLICE.replace("INDEX", "1"));
    let exact = database("sqlite_exact.sqlite3", &format!(
        "CREATE TABLE collections(id INTEGER, name TEXT); INSERT INTO collections VALUES(1,'mempalace_drawers'),(2,'mempalace_closets');
         CREATE TABLE documents(collection_id INTEGER, id TEXT, document TEXT, metadata_json TEXT, created_at TEXT, updated_at TEXT);
         INSERT INTO documents VALUES(1,'d2','for the seat map.','{two}','',''),(1,'d1','We decided on one query','{one}','',''),(2,'c1','closet','{{}}','','');
         CREATE TABLE triples(id TEXT, subject TEXT, predicate TEXT, object TEXT, valid_from TEXT, valid_to TEXT, confidence REAL, source_file TEXT);
         INSERT INTO triples VALUES('t1','Ana','lives_in','Porto','2020-05-01',NULL,0.9,NULL);"
    ));
    let found = take(exact.path(), &Options::default());
    assert_eq!((found.format, found.drafts.len()), (Format::MemPalace, 2));
    let slices = &found.drafts[0];
    assert_eq!(slices.text, "We decided on one query\nfor the seat map.");
    assert_eq!(
        (slices.time, &*slices.tags),
        (Some(time("2026-04-02T00:00:00Z")), &["src".to_owned(), "general".to_owned()][..])
    );
    let fact = &found.drafts[1];
    assert_eq!(
        (&*fact.text, fact.valid_from),
        ("Ana lives in Porto", Some(time("2020-05-01T00:00:00Z")))
    );
    let chroma = database("chroma.sqlite3",
        "CREATE TABLE collections(id TEXT, name TEXT); INSERT INTO collections VALUES('c','mempalace_drawers'),('k','mempalace_closets');
         CREATE TABLE segments(id TEXT, type TEXT, scope TEXT, collection TEXT); INSERT INTO segments VALUES('s','x','METADATA','c'),('z','x','METADATA','k');
         CREATE TABLE embeddings(id INTEGER, segment_id TEXT, embedding_id TEXT, created_at TEXT); INSERT INTO embeddings VALUES(1,'s','d1',''),(2,'z','c1','');
         CREATE TABLE embedding_metadata(id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER);
         INSERT INTO embedding_metadata VALUES(1,'chroma:document','Tea on Fridays',NULL,NULL,NULL),(1,'wing','home',NULL,NULL,NULL),(1,'authored_at','2026-01-02T10:00:00Z',NULL,NULL,NULL),(2,'chroma:document','closet',NULL,NULL,NULL);",
    );
    let found = take(chroma.path(), &Options::default());
    assert_eq!((found.format, found.drafts.len(), found.skipped.len()), (Format::MemPalace, 1, 1));
    assert_eq!(
        (&*found.drafts[0].text, found.drafts[0].time),
        ("Tea on Fridays", Some(time("2026-01-02T10:00:00Z")))
    );
}

#[test]
fn hindsight_facts_have_their_time_and_counts_are_those_of_the_manifest() {
    let manifest = r#"{"schema_version":1,"source_bank_id":"b","document_count":1,"fact_count":2,"observation_count":1,"archive_type":"bank"}"#;
    let document = r#"{"id":"d1","tags":["home"],"chunks":[],"facts":[{"text":"Ana moved to Porto","fact_type":"world","occurred_start":"2020-05-01T00:00:00Z","mentioned_at":"2026-01-02T00:00:00Z","tags":[],"entities":["Ana"],"causal_relations":[{"relation_type":"causes","target_fact_index":1}]},{"text":"Ana bought a boat","fact_type":"experience","event_date":"2026-01-03T00:00:00Z"}]}"#;
    let files = [
        ("manifest.json", manifest),
        ("documents/000000.json", document),
        (
            "observations.json",
            r#"[{"id":"o1","text":"Ana likes the sea","created_at":"2026-01-04T00:00:00Z"}]"#,
        ),
    ];
    let found = take(folder(&files).path(), &Options::default());
    assert_eq!((found.format, found.drafts.len()), (Format::Hindsight, 3));
    let moved = &found.drafts[0];
    assert_eq!(
        (moved.time, moved.valid_from),
        (Some(time("2026-01-02T00:00:00Z")), Some(time("2020-05-01T00:00:00Z")))
    );
    assert_eq!(
        (&*moved.links[0].to, &*moved.tags, &*moved.origin.account),
        ("d1#1", &["Ana".to_owned(), "home".to_owned()][..], "b")
    );
    assert_eq!(
        (found.drafts[1].layer, found.drafts[2].source),
        (Some(Layer::Episodic), Source::Dream)
    );
    let files = [
        ("manifest.json", &*manifest.replace("\"fact_count\":2", "\"fact_count\":3")),
        files[1],
        files[2],
    ];
    let folder = folder(&files);
    let input = quipu_import::Input::open(folder.path()).unwrap();
    let mut put = |_| Ok(());
    let read = quipu_import::read(
        &input,
        Format::Hindsight,
        &Options::default(),
        &mut quipu_import::Out::new(&mut put),
    );
    assert!(read.unwrap_err().to_string().contains("3 facts, and 2"));
}

const VAULT: &str = r#"CREATE TABLE entities(id TEXT, category TEXT, key TEXT, body_json TEXT, status TEXT, type TEXT, tags TEXT, layer TEXT, archived INTEGER, links TEXT, verified INTEGER, source TEXT, always_on INTEGER, certainty REAL, importance REAL, created_at_unix_ms INTEGER, invalidated_at_unix_ms INTEGER, supersedes TEXT, epistemic_state TEXT);
    CREATE TABLE entity_history(id TEXT, history_id INTEGER, category TEXT, key TEXT, body_json TEXT, created_at_unix_ms INTEGER);
    CREATE TABLE keystones(id TEXT, content TEXT, scope TEXT, weight REAL);
    INSERT INTO entities VALUES('e1','decision','ship-to','{"text":"Otter ships to Fly"}','active','insight','["deploy"]','working',0,'[{"target_id":"e2","relationship":"needs"}]',1,'human',1,0.9,0.6,1767348000000,NULL,NULL,'x');
    INSERT INTO entities VALUES('e2','note','draft','{"summary":"Perhaps a queue"}','proposed','insight','[]','working',0,'[]',0,'ai',0,0.2,0.4,1767348000000,NULL,NULL,'x');
    INSERT INTO entity_history VALUES('e1',1,'decision','ship-to','{"text":"Otter ships to Heroku"}',1767340000000);
    INSERT INTO keystones VALUES('k1','Never deploy on Fridays','team',1.0);"#;

#[test]
fn perseus_entities_have_their_history_and_an_encrypted_vault_is_refused() {
    let found = take(
        database("vault.db", VAULT).path(),
        &Options { keep_pins: true, ..Options::default() },
    );
    assert_eq!((found.format, found.drafts.len()), (Format::Perseus, 4));
    let now = found.drafts.iter().find(|one| one.text.contains("Fly")).unwrap();
    assert_eq!(
        (now.supersedes.as_deref(), now.pinned, now.source),
        (Some("e1@1"), true, Source::Human)
    );
    assert_eq!((now.time, &*now.links[0].relation), (Some(time("2026-01-02T10:00:00Z")), "needs"));
    assert_eq!(
        found.drafts.iter().find(|one| one.text.contains("queue")).unwrap().status,
        Status::Challenged
    );
    let locked = database(
        "vault.db",
        &format!(
            "{VAULT} CREATE TABLE encryption_canary(x); INSERT INTO encryption_canary VALUES(1);"
        ),
    );
    let input = quipu_import::Input::open(locked.path()).unwrap();
    let mut put = |_| Ok(());
    let read = quipu_import::read(
        &input,
        Format::Perseus,
        &Options::default(),
        &mut quipu_import::Out::new(&mut put),
    );
    assert!(read.unwrap_err().to_string().contains("encrypted"));
}

#[test]
fn cursor_turns_have_a_time_even_where_only_the_conversation_has_one() {
    let cursor = database(
        "state.vscdb",
        r#"CREATE TABLE cursorDiskKV(key TEXT, value BLOB);
        INSERT INTO cursorDiskKV VALUES('composerData:c1','{"_v":10,"composerId":"c1","name":"Fix","createdAt":1767348000000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2}]}');
        INSERT INTO cursorDiskKV VALUES('bubbleId:c1:b1','{"_v":3,"type":1,"bubbleId":"b1","text":"Use jitter"}');
        INSERT INTO cursorDiskKV VALUES('bubbleId:c1:b2','{"_v":3,"type":2,"bubbleId":"b2","text":"Done"}');
        INSERT INTO cursorDiskKV VALUES('other','not json');"#,
    );
    let found = take(cursor.path(), &chats());
    assert_eq!((found.format, found.drafts.len()), (Format::Cursor, 2));
    assert_eq!(
        (found.drafts[0].speaker.as_deref(), found.drafts[0].session.as_deref()),
        (Some("user"), Some("c1"))
    );
    assert!(found.drafts[0].time < found.drafts[1].time);
    assert_eq!(take(cursor.path(), &Options::default()).skipped, [(Skip::Chat, 2)]);
}

#[test]
fn mails_of_a_box_are_memories_of_their_conversation() {
    let mail = |id: &str, more: &str, words: &str| {
        format!(
            "From ana@example.org Fri Jan  2 10:00:00 2026\nFrom: Ana <ana@example.org>\nSubject: Tea\nDate: Fri, 2 Jan 2026 10:00:00 +0000\nMessage-ID: <{id}>\n{more}Content-Type: text/plain\n\n{words}\n\n"
        )
    };
    let text = mail("a@x", "", "Buy sencha.\n\n>From now on green tea.")
        + &mail("b@x", "References: <a@x>\n", "Agreed.\n> old\n-- \nAna");
    let folder = folder(&[("inbox.mbox", &text)]);
    let found = take(folder.path(), &Options { me: Some("ana@".to_owned()), ..Options::default() });
    assert_eq!((found.format, found.drafts.len()), (Format::Mail, 2));
    assert_eq!(found.drafts[0].text, "Tea\n\nBuy sencha.\n\nFrom now on green tea.");
    assert_eq!(
        (found.drafts[1].session.as_deref(), found.drafts[1].speaker.as_deref()),
        (Some("a@x"), Some("Ana"))
    );
    assert_eq!(
        (found.drafts[0].source, found.drafts[0].time),
        (Source::Interaction, Some(time("2026-01-02T10:00:00Z")))
    );
    assert_eq!(take(folder.path(), &Options::default()).drafts[0].source, Source::Ingest);
}
