//! `MemPalace`: drawers, each a slice of a file or of a conversation, and facts with their validity. Both of its
//! databases are read; what it makes from drawers (closets, vectors, halls) is not.

use std::collections::BTreeMap;

use quipu_core::item::{Layer, MemoryType, Source};
use serde_json::{Map, Value};

use super::Options;
use crate::database::Database;
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, text_in, time_in};

/// The collection that holds what was stored; others are made from it.
const DRAWERS: &str = "mempalace_drawers";

/// One slice: its id, its words, and what is said about it.
struct Drawer {
    id: String,
    words: String,
    about: Value,
}

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        if input.beginning(member, 15)? != b"SQLite format 3" {
            continue;
        }
        let Some(path) = input.path_of(member) else { continue };
        let database = Database::open(path)?;
        let drawers = if database.has("documents", &["collection_id", "metadata_json"]) {
            exact(&database, out)?
        } else if database.has("embedding_metadata", &["key", "string_value"]) {
            chroma(&database, out)?
        } else {
            Vec::new()
        };
        for (words, drawer) in joined(drawers) {
            put(words, &drawer, member, options, out)?;
        }
        facts(&database, member, options, out)?;
    }
    Ok(())
}

/// Drawers of the backend `sqlite_exact`.
fn exact(database: &Database, out: &mut Out<'_>) -> Result<Vec<Drawer>, ImportError> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    database.rows("collections", &mut |row| {
        names.extend(row.id("id").zip(row.text("name").map(str::to_owned)));
        Ok(())
    })?;
    let mut drawers = Vec::new();
    database.rows("documents", &mut |row| {
        let collection = row.id("collection_id").unwrap_or_default();
        if names.get(&collection).is_some_and(|name| name != DRAWERS) {
            out.skip(Skip::Derived);
            return Ok(());
        }
        let about = row.text("metadata_json").and_then(|json| serde_json::from_str(json).ok());
        drawers.push(Drawer {
            id: row.id("id").unwrap_or_default(),
            words: row.text("document").unwrap_or_default().to_owned(),
            about: about.unwrap_or_default(),
        });
        Ok(())
    })?;
    Ok(drawers)
}

/// Drawers of the backend `chroma`, where everything about one is a row of its own.
fn chroma(database: &Database, out: &mut Out<'_>) -> Result<Vec<Drawer>, ImportError> {
    let mut wanted = Vec::new();
    database.rows("collections", &mut |row| {
        wanted.extend(row.id("id").filter(|_| row.text("name") == Some(DRAWERS)));
        Ok(())
    })?;
    let mut segments = Vec::new();
    database.rows("segments", &mut |row| {
        let is_it = row.id("collection").is_some_and(|one| wanted.contains(&one));
        segments.extend(row.id("id").filter(|_| is_it));
        Ok(())
    })?;
    let mut drawers: BTreeMap<String, Drawer> = BTreeMap::new();
    database.rows("embeddings", &mut |row| {
        let is_it = row.id("segment_id").is_some_and(|one| segments.contains(&one));
        match (row.id("id"), row.id("embedding_id")) {
            (Some(number), Some(id)) if is_it => {
                let about = Value::Object(Map::new());
                drawers.insert(number, Drawer { id, words: String::new(), about });
            }
            _ => out.skip(Skip::Derived),
        }
        Ok(())
    })?;
    database.rows("embedding_metadata", &mut |row| {
        let drawer = row.id("id").and_then(|number| drawers.get_mut(&number));
        let (Some(drawer), Some(key)) = (drawer, row.text("key")) else { return Ok(()) };
        match (key, row.text("string_value")) {
            ("chroma:document", Some(words)) => words.clone_into(&mut drawer.words),
            (key, Some(text)) => drawer.about[key] = Value::from(text),
            (key, None) => {
                let number = row.number("int_value").or_else(|| row.number("float_value"));
                drawer.about[key] = Value::from(number);
            }
        }
        Ok(())
    })?;
    Ok(drawers.into_values().collect())
}

/// Puts the slices of one file together: the words of all, and what is said about the first.
fn joined(drawers: Vec<Drawer>) -> Vec<(String, Drawer)> {
    let place = |drawer: &Drawer| drawer.about["chunk_index"].as_f64().unwrap_or(0.0);
    let mut files: BTreeMap<(String, String), Vec<Drawer>> = BTreeMap::new();
    for drawer in drawers {
        let is_slice = drawer.about["chunk_total"].as_f64().is_some_and(|total| total > 1.0);
        let file = text_in(&drawer.about, "source_file").filter(|_| is_slice).unwrap_or_default();
        // What is no slice stands alone.
        let own = if file.is_empty() { drawer.id.clone() } else { String::new() };
        files.entry((file.to_owned(), own)).or_default().push(drawer);
    }
    let join = |mut slices: Vec<Drawer>| {
        slices.sort_by(|a, b| place(a).total_cmp(&place(b)).then(a.id.cmp(&b.id)));
        let words: Vec<&str> = slices.iter().map(|one| one.words.as_str()).collect();
        let words = words.join("\n");
        Some((words, slices.into_iter().next()?))
    };
    files.into_values().filter_map(join).collect()
}

fn put(
    words: String,
    drawer: &Drawer,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let about = &drawer.about;
    let mut draft =
        Draft::new(words).from(Source::Ingest).at(member.file_name(), Some(drawer.id.clone()));
    // `filed_at` is when it was put into the palace, and no time of the memory.
    let times = ["authored_at", "content_date", "source_mtime"];
    draft.time = times.into_iter().find_map(|key| time_in(&about[key], &options.zone));
    draft.tags =
        ["wing", "room"].into_iter().filter_map(|key| text_in(about, key)).map(as_tag).collect();
    for key in ["source_file", "added_by", "line_start", "line_end"] {
        draft.keep(key, &about[key]);
    }
    out.put(draft)
}

/// Facts of the knowledge graph, with the time for which they hold.
fn facts(
    database: &Database,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    if !database.has("triples", &["subject", "predicate", "object"]) {
        return Ok(());
    }
    database.rows("triples", &mut |row| {
        let all = [row.text("subject"), row.text("predicate"), row.text("object")];
        let [Some(subject), Some(predicate), Some(object)] = all else {
            out.unreadable(member.file_name(), "a fact without subject, predicate or object");
            return Ok(());
        };
        let text = format!("{subject} {} {object}", predicate.replace('_', " "));
        let id = row.id("id").unwrap_or_else(|| text.clone());
        let mut draft =
            Draft::new(text).from(Source::Ai).at(member.file_name(), Some(format!("triple-{id}")));
        (draft.layer, draft.memory_type) = (Some(Layer::Semantic), Some(MemoryType::Fact));
        draft.valid_from = row.time("valid_from", &options.zone);
        draft.valid_to = row.time("valid_to", &options.zone);
        draft.time = draft.valid_from.or_else(|| row.time("extracted_at", &options.zone));
        draft.confidence = row.number("confidence");
        draft.tags.push(as_tag(subject));
        out.put(draft)
    })
}
