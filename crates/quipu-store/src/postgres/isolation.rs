//! Spaces stay apart twice over: every statement names its space, and row-level security shows no other.
//!
//! Both are tried by taking the name of the space out of one statement after the other. Without row-level
//! security each such statement must be noticed; with it, none may make a difference.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use quipu_core::item::{Event, Filed, Item, Kind, Place, Sensitivity};
use quipu_core::vector::{Packed, Width};

use super::{Database, PgStore, SpaceFiles};
use crate::{Batch, EXPERIENCES_PLACE, Filter, NewExperience, Precision, Put, Search, Store};

#[expect(dead_code, unreachable_pub, reason = "the testkit offers more than this test uses")]
#[path = "../../../quipu-testkit/src/postgres.rs"]
mod server;

/// What becomes of statements while the test runs.
#[derive(Default)]
struct Tampering {
    /// How many names of a space each statement has that was seen, without its numbers.
    seen: BTreeMap<String, usize>,
    cut: Cut,
    /// How many statements there were. Who goes round in circles is stopped.
    count: usize,
}

/// Many more than a run without tampering has.
const TOO_MANY: usize = 20_000;

/// Which names of a space are taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Cut {
    #[default]
    Nothing,
    Everything,
    /// This one of a statement.
    One(String, usize),
}

static TAMPERING: Mutex<Option<Tampering>> = Mutex::new(None);

/// Returns a statement as the test wants it.
pub(super) fn tampered(sql: &str) -> String {
    let mut tampering = TAMPERING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(tampering) = &mut *tampering else { return sql.to_owned() };
    tampering.count += 1;
    if tampering.count > TOO_MANY {
        return "it goes round in circles".to_owned();
    }
    let (shape, places) = (shape(sql), names_of_a_space(sql));
    let mut changed = sql.to_owned();
    for (number, (from, to)) in places.iter().enumerate().rev() {
        let is_cut = match &tampering.cut {
            Cut::Nothing => false,
            Cut::Everything => true,
            Cut::One(of, which) => *of == shape && *which == number,
        };
        if is_cut {
            // The value is still used, or the statement would be none.
            let value = sql[*from..*to].rsplit(' ').next().unwrap_or_default();
            changed.replace_range(*from..*to, &format!("{value}::bigint IS NOT NULL"));
        }
    }
    if !places.is_empty() {
        tampering.seen.insert(shape, places.len());
    }
    changed
}

/// Returns a statement without what is different each time.
fn shape(sql: &str) -> String {
    let mut shape = String::new();
    let mut in_quotes = false;
    for letter in sql.chars() {
        let is_quote = letter == '\'';
        in_quotes ^= is_quote;
        if is_quote || !(in_quotes || letter.is_ascii_digit()) {
            shape.push(letter);
        }
    }
    shape
}

/// Returns where a statement says which space it is about: `space = $1`, `t.space = 5`.
fn names_of_a_space(sql: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (at, found) in sql.match_indices("space = ") {
        let is_setting = sql[..at].ends_with("quipu.");
        let from = sql[..at].rfind([' ', '(']).map_or(0, |before| before + 1);
        let value = at + found.len();
        let length = sql[value..].find(|letter: char| letter != '$' && !letter.is_ascii_digit());
        let to = length.map_or(sql.len(), |length| value + length);
        if to > value && !is_setting {
            places.push((from, to));
        }
    }
    places
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn vector(text: &str) -> Packed {
    let mut counts = [0.1_f32; 26];
    for byte in text.to_lowercase().bytes().filter(u8::is_ascii_lowercase) {
        counts[usize::from(byte - b'a')] += 1.0;
    }
    Packed::new(&counts)
}

/// An item that has the same id in every space, and other words.
fn item(number: usize, space: &str) -> Item {
    let who = match number {
        30.. => "Heidi",
        5 => "Zelda",
        number if number.is_multiple_of(2) => "Alice",
        _ => "Bob",
    };
    let text = format!("{who} and {space}son talk about tea number {number}");
    let mut item = Item::new(format!("i{number}"), Kind::Record, text, at(1_000));
    let is_public = number.is_multiple_of(2);
    item.sensitivity = if is_public { Sensitivity::Public } else { Sensitivity::Private };
    item.session = Some(format!("{space}-{}", number % 3));
    item.speaker = Some(who.to_owned());
    item.place = Some(Place { path: "memory/1.md".to_owned(), line: 0 });
    item
}

fn event(kind: char, number: usize, space: &str) -> Filed {
    let event = Event {
        id: format!("{kind}{number}"),
        item: format!("i{number}"),
        at: at(i64::try_from(number).unwrap()),
        actor: space.to_owned(),
        reason: String::new(),
        run: None,
        decision: None,
    };
    Filed { event, path: "memory/1.md".to_owned(), offset: number as u64 }
}

fn put(items: std::ops::Range<usize>, space: &str, model: &str) -> Batch {
    let put = |number: usize| {
        let item = item(number, space);
        let base =
            number.is_multiple_of(3).then(|| Item { title: "base".to_owned(), ..item.clone() });
        let vectors = vec![vector(&item.text)];
        Put::decided(item, base, None, vectors)
    };
    Batch {
        model: model.to_owned(),
        // What made an item has its id; what happened to it has one of its own.
        events: items
            .clone()
            .flat_map(|number| [event('i', number, space), event('e', number, space)])
            .collect(),
        put: items.map(put).collect(),
        sources: vec![("memory/1.md".to_owned(), Some(space.to_owned()))],
        ..Batch::default()
    }
}

/// Writes down everything that can be seen of a space.
fn seen(files: &SpaceFiles, store: &dyn Store, model: &str) -> Result<String, crate::StoreError> {
    const ALL: [Sensitivity; 2] = [Sensitivity::Public, Sensitivity::Private];
    let mut seen = String::new();
    let mut line = |value: &dyn std::fmt::Debug| writeln!(seen, "{value:?}").unwrap();
    for path in files.paths()? {
        line(&(files.read(&path)?, files.info(&path)?.map(|it| it.size), path));
    }
    line(&(files.list("")?, files.list("memory")?, files.info("nowhere")?));
    let filter = Filter { experiences: true, ..Filter::default() };
    for filter in [Filter::default(), filter] {
        let search = Search {
            text: "Alice tea".to_owned(),
            vector: Some(vector("tea")),
            model: model.to_owned(),
            limit: 10,
            filter: filter.clone(),
            ..Search::default()
        };
        line(&store.search(&search)?.hits);
        line(&store.newest(&filter, 10)?);
    }
    line(&store.nearest(model, &vector("tea"), 10, &ALL)?);
    line(&(store.get("i1")?, store.items(&["i2", "i3"])?, store.ids("", 1000)?));
    let mut ids = Vec::new();
    store.each(&mut |item| {
        ids.push(item.text);
        true
    })?;
    line(&ids);
    line(&(store.base("i3")?, store.bases_in("memory/1.md")?, store.place("i1")?));
    line(&(store.filed("i1")?, store.filed_in("memory/1.md")?, store.events_of(&["i1", "e2"])?));
    line(&(store.filed_under("i")?, store.events_before(None, 100)?));
    line(&(store.source("memory/1.md")?, store.sources()?));
    line(&(
        store.entities("", 50)?,
        store.mentions("alice", 50)?,
        store.mentioned_with("alice", 50)?,
    ));
    store.each_mention(&mut |entity, id| ids.push(format!("{entity:?} {id}")))?;
    line(&ids);
    line(&(store.speakers_in("alice", &ALL)?, store.sessions(&ALL)?, store.next_change(at(0))?));
    line(&(store.note(EXPERIENCES_PLACE)?, store.experiences()?, store.records_after(0, 100)?));
    line(&(store.accesses("i1")?, store.all_accesses()?));
    line(&(store.counts(model)?, store.without_vector(model, 100)?));
    let mut vectors = 0;
    store.vectors(model, &mut |_, stored| {
        vectors += stored.vector.values.len();
        true
    })?;
    line(&(vectors, store.digest()?, store.generation()?));
    Ok(seen)
}

/// Returns all rows of all spaces, without what is random.
fn rows(database: &Database) -> Result<String, crate::StoreError> {
    let tables = super::schema::OF_A_SPACE.into_iter().chain(["space"]);
    let of = |table: &str| {
        // Of some the name, the id or the time is no random one.
        let random = match table {
            "event" | "item" | "access" | "experience" => "ARRAY['space', 'mark']",
            "session" | "model" | "entity" => "ARRAY['space']",
            _ => "ARRAY['space', 'mark', 'head', 'files', 'version', 'id', 'at', 'created']",
        };
        format!(
            "SELECT '{table} ' || coalesce((SELECT name FROM space WHERE space.space = t.space), '') || \
             (to_jsonb(t) - {random})::text FROM {table} AS t"
        )
    };
    let sql: Vec<String> = tables.map(of).collect();
    let found = database.lend()?.client().query(&sql.join(" UNION ALL "), &[])?;
    let mut rows: Vec<&str> = found.iter().map(|row| row.get(0)).collect();
    rows.sort_unstable();
    Ok(rows.join("\n"))
}

/// Keeps vectors in four bits.
struct Narrow;

impl Precision for Narrow {
    fn width(&mut self, _: &str) -> Width {
        Width::Four
    }
}

fn experience(
    store: &mut dyn Store,
    space: &str,
    numbers: [i64; 3],
) -> Result<(), crate::StoreError> {
    let new = |number: i64| NewExperience {
        id: format!("i{number}"),
        at: at(number),
        place: number,
        vector: vector(space),
    };
    let notes = [(EXPERIENCES_PLACE, format!("{}", space.len()))];
    store.add_experiences(&numbers.map(new), 2, &notes)
}

/// Statements with a name of a space that these steps do not miss yet: only row-level security is seen to
/// stand behind it.
const UNSEEN: [&str; 2] =
    ["SELECT other.name, other.kind, count(*)", "UPDATE note SET value = least("];

/// The steps after which everything is read as well; the rows are looked at after each.
const LOOKS: [usize; 6] = [4, 8, 9, 12, 18, 19];

type Step = fn(&SpaceFiles, &mut dyn Store, &str) -> Result<(), crate::StoreError>;

/// What is done to both spaces, one after the other.
const STEPS: [Step; 20] = [
    |files, _, space| files.write("memory/1.md", format!("{space}\n").as_bytes()),
    |files, _, space| files.append("memory/1.md", format!("more of {space}\n").as_bytes()),
    |_, store, space| store.apply(&put(0..6, space, "m")),
    |_, store, space| store.apply(&put(4..9, space, "m")),
    |_, store, _| store.record_access("i1", at(100), 1),
    |_, store, space| {
        // The last use is another one in each, and stays as it is.
        let last = if space == "one" { 300 } else { 90_000_000 };
        store.record_access("i1", at(200), 2)?;
        store.record_access("i1", at(last), 1)
    },
    |_, store, _| store.fold_accesses(at(80_000_000)).map(drop),
    |_, store, space| experience(store, space, if space == "one" { [1, 2, 3] } else { [2, 3, 4] }),
    |_, store, space| experience(store, space, if space == "one" { [5, 6, 8] } else { [0, 5, 7] }),
    |_, store, _| {
        let forget = vec!["e1".to_owned(), "e8".to_owned()];
        let sources = vec![("memory/1.md".to_owned(), None)];
        let remove = vec!["i2".to_owned()];
        store.apply(&Batch { forget, remove, sources, ..Batch::default() })
    },
    |_, store, _| store.scrub().map(drop),
    |_, store, space| {
        store.apply(&put(6..12, space, "m"))?;
        store.scrub().map(drop)
    },
    |_, store, space| {
        store.apply(&put(12..14, space, "m"))?;
        store.compress("m", &mut Narrow).map(drop)
    },
    |_, store, _| {
        store.purge("i5")?;
        let old = ["i1", "i3", "i5", "i6", "i7", "i8"];
        let names = old.map(|old| (old.to_owned(), format!("new-{old}"))).into();
        store.rename_uses(&names)
    },
    |_, store, _| store.forget_experiences(),
    |_, store, space| experience(store, space, [0, 1, 2]),
    |_, store, space| {
        // The same model, with vectors of another length.
        store.apply(&put(14..16, space, "m"))?;
        let item = item(20, space);
        let put = vec![Put::new(item, None, vec![Packed::new(&[0.5, 0.25, 0.125])])];
        store.apply(&Batch { model: "m".to_owned(), put, ..Batch::default() })
    },
    |files, _, space| files.write("memory/1.md", format!("{space} anew\n").as_bytes()),
    |files, _, space| {
        files.write("memory/old/2.md", space.as_bytes())?;
        files.rename("memory/old", "memory/new")?;
        files.remove("memory/new/2.md").map(drop)
    },
    |_, store, space| {
        let any: &dyn std::any::Any = store;
        any.downcast_ref::<PgStore>().unwrap().clear()?;
        store.apply(&put(0..5, space, "m"))
    },
];

/// Does everything in two spaces, and tells `look` what can be seen of both all the while, until that
/// has seen enough.
fn happen(url: &str, look: &mut dyn FnMut(&str) -> bool) -> Result<(), crate::StoreError> {
    let database = Database::at(url)?;
    {
        let mut lent = database.lend()?;
        let tables = super::schema::OF_A_SPACE.join(", ");
        lent.client().batch_execute(&format!("TRUNCATE space, token, {tables}"))?;
    }
    let names = ["one", "two"];
    let mut spaces = Vec::new();
    for name in names {
        database.add_space(name, 1 << 20, 0)?;
        let link = database.link(name)?;
        spaces.push((name, SpaceFiles::of(link.clone()), PgStore::of(link)));
    }
    // One has been written to more often.
    spaces[1].2.apply(&put(30..33, "two", "m"))?;
    for (number, step) in STEPS.into_iter().enumerate() {
        for (name, files, store) in &mut spaces {
            step(files, store, name)?;
            if !look(&rows(&database)?) {
                return Ok(());
            }
        }
        if !LOOKS.contains(&number) {
            continue;
        }
        // Another process, which has not read anything yet.
        let fresh = Database::at(url)?;
        for (name, ..) in &spaces {
            let link = fresh.link(name)?;
            let (files, store) = (SpaceFiles::of(link.clone()), PgStore::of(link));
            if !look(&seen(&files, &store, "m")?) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Tells whether all is as it should be where something is cut.
fn is_as(expected: &[String], url: &str, cut: Cut) -> Result<bool, crate::StoreError> {
    *TAMPERING.lock().unwrap() = Some(Tampering { cut, ..Tampering::default() });
    let mut left = expected.iter();
    let mut is_same = true;
    happen(url, &mut |seen| {
        is_same &= left.next().is_some_and(|expected| expected == seen);
        is_same
    })?;
    Ok(is_same)
}

#[test]
fn a_statement_that_names_no_space_is_noticed_and_row_level_security_holds_without_it() {
    let Some(server) = server::server() else { return };
    let test = server.database();
    let url = test.url();
    Database::at(&url).unwrap().migrate().unwrap();
    *TAMPERING.lock().unwrap() = Some(Tampering::default());
    let mut expected = Vec::new();
    happen(&url, &mut |seen| {
        expected.push(seen.to_owned());
        true
    })
    .unwrap();
    let statements = std::mem::take(&mut TAMPERING.lock().unwrap().as_mut().unwrap().seen);
    assert!(statements.len() > 60, "{}", statements.len());
    assert!(is_as(&expected, &url, Cut::Nothing).unwrap(), "the same gives something else");
    // Row-level security alone keeps them apart.
    assert!(is_as(&expected, &url, Cut::Everything).unwrap(), "something leaks");
    let tables = super::schema::OF_A_SPACE.into_iter().chain(["space"]);
    for table in tables {
        test.execute(&format!("ALTER TABLE {table} DISABLE ROW LEVEL SECURITY"));
    }
    assert!(is_as(&expected, &url, Cut::Nothing).unwrap(), "without security it is different");
    let cuts = statements
        .iter()
        .flat_map(|(shape, count)| (0..*count).map(|number| Cut::One(shape.clone(), number)));
    // All of them take minutes: QUIPU_EVERY_CUT=1 asks for that.
    let step = if std::env::var_os("QUIPU_EVERY_CUT").is_some() { 1 } else { 8 };
    let cuts = cuts.step_by(step);
    let unnoticed: Vec<Cut> =
        cuts.filter(|cut| is_as(&expected, &url, cut.clone()).unwrap_or(false)).collect();
    let is_known =
        |cut: &Cut| matches!(cut, Cut::One(of, _) if UNSEEN.iter().any(|it| of.starts_with(it)));
    let unnoticed: Vec<Cut> = unnoticed.into_iter().filter(|cut| !is_known(cut)).collect();
    *TAMPERING.lock().unwrap() = None;
    assert!(unnoticed.is_empty(), "nobody notices {}: {unnoticed:#?}", unnoticed.len());
}
