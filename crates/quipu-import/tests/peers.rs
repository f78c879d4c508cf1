//! What other programs wrote with their own code (`scripts/try-peers` with KEEP made it), and what their own reading of it
//! says: id for id, field for field.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use quipu_core::item::{Layer, MemoryType};
use quipu_import::{Draft, Format, Input, Options, detect};
use serde_json::Value;

use crate::sources::{Found, take_as};

/// The folders of samples, with the format that each has.
const PEERS: [(&str, Format); 7] = [
    ("server-memory", Format::Mcp),
    ("mem0", Format::Mem0),
    ("engram", Format::Engram),
    ("engram-0.5", Format::Engram),
    ("basic-memory", Format::BasicMemory),
    ("claude-mem", Format::ClaudeMem),
    ("graphiti", Format::Graphiti),
];

/// Reads a sample. A database is kept as its tables in words.
fn sample(name: &str) -> (Value, Format, Found) {
    let folder = Path::new("tests/data/peers").join(name);
    let about = std::fs::read_to_string(folder.join("peer.json")).unwrap();
    let about: Value = serde_json::from_str(&about).unwrap();
    let source = folder.join(about["source"].as_str().unwrap());
    let made = tempfile::tempdir().unwrap();
    let words = PathBuf::from(format!("{}.sql", source.display()));
    let source = if words.exists() {
        let path = made.path().join(source.file_name().unwrap());
        let database = rusqlite::Connection::open(&path).unwrap();
        database.execute_batch(&std::fs::read_to_string(words).unwrap()).unwrap();
        path
    } else {
        source
    };
    let input = Input::open(&source).unwrap();
    let format = detect(&input).unwrap();
    let options = Options { with_chats: true, ..Options::default() };
    (about, format, take_as(&input, format, &options))
}

fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => quipu_import::text::seconds(number.as_f64()?),
        _ => quipu_import::text::time_of(value.as_str()?, &jiff::tz::TimeZone::UTC),
    }
}

/// Tells whether a draft says what the program itself says about a memory.
fn says(draft: &Draft, key: &str, there: &Value) -> bool {
    let is = |here: Option<&str>| here == there.as_str().filter(|text| !text.is_empty());
    let is_then = |here: Option<Timestamp>| {
        let (Some(here), Some(there)) = (here, time(there)) else { return false };
        (here.as_millisecond() - there.as_millisecond()).abs() <= 1
    };
    match key {
        "id" => true,
        "text" => {
            is(Some(&draft.text)) || draft.text == quipu_import::text::tidy(there.as_str().unwrap())
        }
        "category" => is(draft.category.as_deref()),
        "type" => is(draft.memory_type.map(MemoryType::as_str)),
        "layer" => is(draft.layer.map(Layer::as_str)),
        "status" => is(Some(draft.status.as_str())),
        "source" => is(Some(draft.source.as_str())),
        "session" => is(draft.session.as_deref()),
        "speaker" => is(draft.speaker.as_deref()),
        "negative" => there.as_bool() == Some(draft.negative),
        "time" => is_then(draft.time),
        "valid_from" => is_then(draft.valid_from),
        "valid_to" => is_then(draft.valid_to),
        "importance" => {
            let there = there.as_f64().unwrap().min(0.8);
            draft.importance.is_some_and(|here| (f64::from(here) - there).abs() < 0.002)
        }
        "tags" => {
            let tags = there.as_array().unwrap();
            tags.iter().all(|tag| draft.tags.iter().any(|one| Some(one.as_str()) == tag.as_str()))
        }
        other => panic!("nothing is known about {other}"),
    }
}

#[test]
fn what_programs_wrote_is_read_as_they_read_it_themselves() {
    for (name, format) in PEERS {
        let (about, detected, found) = sample(name);
        assert_eq!(detected, format, "{name}");
        let items = about["items"].as_array().unwrap();
        assert!(items.len() > 15, "{name}");
        for item in items {
            let is_it = |draft: &&Draft| match item.get("id").and_then(Value::as_str) {
                Some(id) => draft.origin.id.as_deref() == Some(id),
                None => draft.text == quipu_import::text::tidy(item["text"].as_str().unwrap()),
            };
            let draft = found.drafts.iter().find(is_it);
            let draft = draft.unwrap_or_else(|| panic!("{name} lacks {item}"));
            for (key, there) in item.as_object().unwrap() {
                assert!(says(draft, key, there), "{name}, {key}: {item}\n{draft:?}");
            }
        }
    }
}
