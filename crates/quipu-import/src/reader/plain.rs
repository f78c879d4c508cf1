//! Tables, lists and objects that no program in particular wrote: their columns say what they hold.

use std::collections::BTreeMap;
use std::io::Read;

use quipu_core::item::{Layer, MemoryType, Source, Status};
use serde_json::{Map, Value};

use super::{Options, each_value};
use crate::draft::Draft;
use crate::encoding::decoded;
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, importance, texts_in, time_in};

/// Our name for a column, and the names that it has elsewhere.
const COLUMNS: &[(&str, &[&str])] = &[
    ("text", &["text", "content", "memory", "body", "note", "summary"]),
    ("time", &["time", "created_at", "timestamp", "date", "created"]),
    ("tags", &["tags", "labels"]),
    ("category", &["category", "kind"]),
    ("type", &["type"]),
    ("layer", &["layer"]),
    ("status", &["status"]),
    ("id", &["id", "uuid"]),
    ("importance", &["importance", "score"]),
    ("session", &["session", "conversation_id", "session_id"]),
    ("speaker", &["speaker", "author", "user"]),
    ("source", &["source"]),
    ("valid_from", &["valid_from"]),
    ("valid_to", &["valid_to"]),
    ("supersedes", &["supersedes"]),
];

/// The separators that a table may have.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// Tells whether an object has words, and something else that memories have.
pub(crate) fn is_record(value: &Value) -> bool {
    let Some(all) = value.as_object() else { return false };
    let has = |of: &str| {
        let names = COLUMNS.iter().find(|(name, _)| *name == of).map_or(&[][..], |(_, all)| all);
        names.iter().any(|name| all.get(*name).is_some_and(|value| !value.is_null()))
    };
    let is_text = COLUMNS[0].1.iter().any(|name| all.get(*name).is_some_and(Value::is_string));
    is_text && ["time", "tags", "category", "id", "importance", "session"].into_iter().any(has)
}

/// Tells whether a text is a table with a column of words.
pub(crate) fn is_table(text: &str) -> bool {
    let Some(first) = text.lines().next() else { return false };
    separator(text).is_some_and(|separator| {
        let names: Vec<String> = first.split(char::from(separator)).map(plain_name).collect();
        let known = |name: &String| COLUMNS.iter().any(|(_, all)| all.contains(&name.as_str()));
        let is_text = |name: &String| COLUMNS[0].1.contains(&name.as_str());
        names.iter().any(is_text) && names.iter().filter(|name| known(name)).count() > 1
    })
}

/// Tells whether a text is a table, whatever its columns: its lines have the same separators.
pub(crate) fn looks_like_table(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let lines: Vec<&str> = lines.take(8).collect();
    let count = |line: &str, sign: u8| line.bytes().filter(|byte| *byte == sign).count();
    let is_even = |sign: u8| {
        let first = count(lines[0], sign);
        first > 1 && lines.iter().all(|line| count(line, sign) == first)
    };
    lines.len() > 2 && SEPARATORS.into_iter().any(is_even)
}

fn plain_name(name: &str) -> String {
    name.trim().trim_matches('"').trim().to_lowercase()
}

/// Returns the sign between columns: the one that the header has most of.
fn separator(text: &str) -> Option<u8> {
    let first = text.lines().next()?;
    let count = |sign: &u8| first.bytes().filter(|byte| byte == sign).count();
    SEPARATORS.into_iter().max_by_key(count).filter(|sign| count(sign) > 0)
}

/// Returns what a row has under our name for it.
fn of<'r>(row: &'r Map<String, Value>, name: &str, options: &Options) -> Option<&'r Value> {
    let value = |key: &str| row.get(key).filter(|value| !value.is_null());
    if let Some(column) = options.columns.get(name) {
        return value(column);
    }
    let names = COLUMNS.iter().find(|(own, _)| *own == name)?.1;
    names.iter().find_map(|name| value(name))
}

fn put(
    row: &Map<String, Value>,
    line: Option<usize>,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let text = |name: &str| {
        let value = of(row, name, options)?;
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        Some(unguarded(&text).to_owned()).filter(|text| !text.trim().is_empty())
    };
    let Some(words) = text("text") else {
        if of(row, "text", options).is_none() {
            let names = row.keys().take(12).map(String::as_str).collect::<Vec<_>>().join(", ");
            out.unreadable(member.file_name(), &format!("no words in it (columns: {names})"));
        } else {
            out.skip(crate::draft::Skip::Empty);
        }
        return Ok(());
    };
    let mut draft = Draft::new(words).at(member.file_name(), text("id"));
    draft.origin.line = line;
    draft.source = text("source").and_then(|text| Source::named(&text)).unwrap_or(Source::Ingest);
    draft.time = of(row, "time", options).and_then(|value| time_in(value, &options.zone));
    if draft.time.is_none() {
        (draft.time, draft.time_from) = (member.modified, Some("mtime"));
    }
    let time = |name: &str| of(row, name, options).and_then(|value| time_in(value, &options.zone));
    (draft.valid_from, draft.valid_to) = (time("valid_from"), time("valid_to"));
    let tags = of(row, "tags", options).map(|value| match value {
        Value::String(text) => texts_in(&Value::from(unguarded(text).replace(';', ","))),
        other => texts_in(other),
    });
    draft.tags = tags.unwrap_or_default().iter().map(|tag| as_tag(tag)).collect();
    let kind = text("type");
    draft.memory_type = kind.as_deref().and_then(MemoryType::named);
    // A type of another program is a category of ours.
    draft.category = text("category").or(kind.filter(|_| draft.memory_type.is_none()));
    draft.layer = text("layer").and_then(|text| Layer::named(&text));
    draft.status = text("status").and_then(|text| Status::named(&text)).unwrap_or(Status::Active);
    draft.importance = importance(text("importance").and_then(|text| text.parse().ok()));
    (draft.session, draft.speaker) = (text("session"), text("speaker"));
    draft.supersedes = text("supersedes");
    let is_known = |name: &String| {
        options.columns.values().any(|column| column == name)
            || COLUMNS.iter().any(|(_, all)| all.contains(&name.as_str()))
    };
    for (name, value) in row.iter().filter(|(name, _)| !is_known(name)) {
        draft.keep(name, value);
    }
    out.put(draft)
}

/// A cell that a program for tables would take for a formula has a quote before it.
fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@']) => rest,
        _ => cell,
    }
}

pub(super) fn objects(
    input: &Input,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    for member in input.ending(&[".json", ".jsonl", ".ndjson", "stdin"]) {
        each_value(input, member, out, &mut |value, line, out| {
            let Value::Object(row) = value else {
                out.unreadable(&input.place(member), "a value that is no object");
                return Ok(());
            };
            // A list under any one key is what is meant.
            let list = row
                .values()
                .find(|value| value.as_array().and_then(|all| all.first()).is_some_and(is_record));
            match list.and_then(Value::as_array) {
                Some(all) if !is_record(&Value::Object(row.clone())) => {
                    for one in all.iter().filter_map(Value::as_object) {
                        put(one, line, member, options, out)?;
                    }
                    Ok(())
                }
                _ => put(&row, line, member, options, out),
            }
        })?;
    }
    Ok(())
}

pub(super) fn table(
    input: &Input,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    for member in input.ending(&[".csv", ".tsv", ".txt", "stdin"]) {
        let beginning = input.beginning(member, 4096)?;
        let beginning = String::from_utf8_lossy(&beginning);
        let Some(separator) = separator(beginning.trim_start_matches('\u{feff}')) else { continue };
        let place = input.place(member);
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .from_reader(input.read(member)?.take(crate::input::LONGEST_TEXT * 8));
        let names: Vec<String> = match reader.byte_headers() {
            Ok(names) => names
                .iter()
                .map(|name| {
                    String::from_utf8_lossy(name)
                        .trim_start_matches('\u{feff}')
                        .trim()
                        .to_lowercase()
                })
                .collect(),
            Err(error) => {
                out.unreadable(&place, &error.to_string());
                continue;
            }
        };
        let is_words = |name: &String| {
            options.columns.get("text").map_or_else(
                || COLUMNS[0].1.contains(&name.as_str()),
                |one| one.to_lowercase() == *name,
            )
        };
        if !names.iter().any(is_words) {
            return Err(ImportError::NotThat {
                path: place,
                format: "a table with a column of words".to_owned(),
                why: format!(
                    "its columns are {}; --map text=COLUMN says which one it is",
                    names.join(", ")
                ),
            });
        }
        let lower: BTreeMap<String, String> =
            options.columns.iter().map(|(own, name)| (own.clone(), name.to_lowercase())).collect();
        let options = Options { columns: lower, ..options.clone() };
        for row in reader.byte_records() {
            let row = match row {
                Ok(row) => row,
                Err(error) => {
                    out.unreadable(&place, &error.to_string());
                    continue;
                }
            };
            let line = row.position().and_then(|at| usize::try_from(at.line()).ok());
            let cells = row.iter().map(|cell| Value::from(decoded(cell.to_vec())));
            let cells: Map<String, Value> = names.iter().cloned().zip(cells).collect();
            put(&cells, line, member, &options, out)?;
        }
    }
    Ok(())
}

/// A line, a bullet or an entry such as `1. [2026-01-02]. The words` is a memory.
pub(super) fn list(input: &Input, _: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        let text = input.text(member)?;
        for (number, line) in text.lines().enumerate() {
            let words = super::sections::bullet(line.trim()).unwrap_or(line.trim());
            let dated = words.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let day = dated.and_then(|(day, _)| day.parse().ok()).map(quipu_core::when::midnight);
            let words = match (day, dated) {
                (Some(_), Some((_, rest))) => rest.trim_start_matches(['.', ' ']),
                _ => words,
            };
            if words.is_empty() || super::sections::title_of(words).is_some() {
                continue;
            }
            let mut draft = Draft::new(words).at(member.file_name(), None);
            draft.origin.line = Some(number + 1);
            draft.time = day.or(member.modified);
            draft.time_from = day.is_none().then_some("mtime");
            out.put(draft)?;
        }
    }
    Ok(())
}
