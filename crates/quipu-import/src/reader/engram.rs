//! engram: its database, or its JSON export. ICM, whose database is of the same kind.

use std::collections::BTreeMap;

use jiff::Timestamp;
use quipu_core::item::{Layer, MemoryType, Source, Status};
use serde_json::Value;

use super::{Options, each_value};
use crate::database::{Database, Row};
use crate::draft::{Draft, DraftLink, Skip};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, importance, seconds, text_in, texts_in, texts_of, time_of};

/// How a text begins that says that something is not so.
const NEGATIVE: &str = "NEGATIVE KNOWLEDGE: ";

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        if input.beginning(member, 15)? == b"SQLite format 3" {
            if let Some(path) = input.path_of(member) {
                let database = Database::open(path)?;
                if database.format().is_some() {
                    database_rows(&database, member, options, out)?;
                }
            }
        } else if member.name.to_lowercase().ends_with(".json") || member.name == "stdin" {
            export(input, member, options, out)?;
        }
    }
    Ok(())
}

/// Why the status of each memory is what it is, the newest word.
type Decided = BTreeMap<String, (Timestamp, String)>;

fn database_rows(
    database: &Database,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let mut decided = Decided::new();
    database.rows("status_history", &mut |row| {
        if let (Some(id), Some(at)) = (row.id("memory_id"), row.time("changed_at", &options.zone)) {
            let why = row.text("reason").unwrap_or_default().to_owned();
            decided.insert(id, (at, why));
        }
        Ok(())
    })?;
    database.rows("memories", &mut |row| {
        if row.text("layer") == Some("codebase") {
            out.skip(Skip::Derived);
            return Ok(());
        }
        let metadata = row.text("metadata").and_then(|json| serde_json::from_str(json).ok());
        let made = Made {
            id: row.id("id"),
            words: row.text("content").unwrap_or_default().to_owned(),
            layer: row.text("layer").map(str::to_owned),
            kind: row.text("memory_type").map(str::to_owned),
            source: row.text("source_type").map(str::to_owned),
            status: row.text("status").map(str::to_owned),
            importance: row.number("importance"),
            time: row.time("created_at", &options.zone),
            from: row.text("fact_date").and_then(|text| day(text, options)),
            to: row.text("fact_date_end").and_then(|text| day(text, options)),
            is_forgotten: row.is("forgotten"),
            file: row.text("source_file").map(str::to_owned),
            metadata: metadata.unwrap_or_default(),
        };
        made.put(&decided, member, options, out)
    })?;
    for (table, column, category) in
        [("diary_entries", "text", "note"), ("session_handoffs", "summary", "turn-summary")]
    {
        database.rows(table, &mut |row| {
            let words = row.text(column).unwrap_or_default();
            let id = row.id("id").map(|id| format!("{table}-{id}"));
            let mut draft =
                Draft::new(words).from(Source::Ai).called(category).at(member.file_name(), id);
            draft.time = row.time("created_at", &options.zone);
            draft.session = row.id("session_id");
            out.put(draft)
        })?;
    }
    Ok(())
}

/// Reads a day, or a month.
fn day(text: &str, options: &Options) -> Option<Timestamp> {
    time_of(text, &options.zone).or_else(|| time_of(&format!("{text}-01"), &options.zone))
}

/// A memory as engram has it.
struct Made {
    id: Option<String>,
    words: String,
    layer: Option<String>,
    kind: Option<String>,
    source: Option<String>,
    status: Option<String>,
    importance: Option<f64>,
    time: Option<Timestamp>,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    is_forgotten: bool,
    file: Option<String>,
    metadata: Value,
}

impl Made {
    fn put(
        self,
        decided: &Decided,
        member: &Member,
        options: &Options,
        out: &mut Out<'_>,
    ) -> Result<(), ImportError> {
        let (words, negative) = match self.words.strip_prefix(NEGATIVE) {
            Some(rest) => (rest.to_owned(), true),
            None => (self.words, false),
        };
        let source = match self.source.as_deref() {
            Some("remember:human") => Source::Human,
            Some("remember:ai" | "code_scan") => Source::Ai,
            Some("interaction") => Source::Interaction,
            Some("dream") => Source::Dream,
            _ => Source::Ingest,
        };
        let mut draft = Draft::new(words).from(source).at(member.file_name(), self.id.clone());
        draft.negative = negative;
        draft.layer = self.layer.as_deref().and_then(Layer::named);
        draft.memory_type = self.kind.as_deref().and_then(MemoryType::named);
        draft.importance = importance(self.importance);
        draft.time = self.time;
        (draft.valid_from, draft.valid_to) = (self.from, self.to);
        let more = &self.metadata;
        draft.status = self.status.as_deref().and_then(Status::named).unwrap_or(Status::Active);
        if self.is_forgotten {
            draft.status = Status::Archived;
        }
        draft.decided = self.id.as_ref().and_then(|id| decided.get(id)).cloned();
        // The tool that invalidates writes it here only.
        if more["invalidated"] == true {
            draft.status = Status::Invalidated;
            let at = more["invalidated_at"].as_f64().and_then(seconds);
            let why = text_in(more, "invalidation_reason").unwrap_or_default().to_owned();
            draft.decided = at.or(self.time).map(|at| (at, why)).or(draft.decided);
        }
        if let Some(other) = text_in(more, "duplicate_of") {
            let relation = "duplicates".to_owned();
            draft.links.push(DraftLink { to: other.to_owned(), relation });
        }
        draft.tags = texts_in(&more["tags"]).iter().map(|tag| as_tag(tag)).collect();
        draft.pinned = options.keep_pins && more["pinned"] == true;
        let notes = more["annotations"].as_array().into_iter().flatten();
        let notes = notes.filter_map(|note| {
            let at = note["timestamp"].as_f64().and_then(seconds);
            Some((text_in(note, "note")?.to_owned(), at))
        });
        draft.notes = notes.collect();
        if let Some(file) = self.file {
            draft.keep("source_file", &Value::from(file));
        }
        for key in ["causal_parent", "entities", "keywords", "type"] {
            draft.keep(key, &more[key]);
        }
        out.put(draft)
    }
}

fn export(
    input: &Input,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    out.warn(
        "engram's JSON export has no types, statuses and forgotten marks: its memory.db has them",
    );
    each_value(input, member, out, &mut |value, _, out| {
        let rows = match value.get("memories").and_then(Value::as_array) {
            Some(all) => all.clone(),
            None => vec![value],
        };
        for row in rows {
            if text_in(&row, "layer") == Some("codebase") {
                out.skip(Skip::Derived);
                continue;
            }
            let text = |key: &str| text_in(&row, key).map(str::to_owned);
            let made = Made {
                id: text("id"),
                words: text("content").unwrap_or_default(),
                layer: text("layer"),
                kind: text("memory_type"),
                source: text("source_type"),
                status: text("status"),
                importance: row["importance"].as_f64(),
                time: row["created_at"].as_f64().and_then(seconds),
                from: text("fact_date").and_then(|text| day(&text, options)),
                to: text("fact_date_end").and_then(|text| day(&text, options)),
                is_forgotten: row["forgotten"] == true,
                file: text("source_file"),
                metadata: row["metadata"].clone(),
            };
            made.put(&Decided::new(), member, options, out)?;
        }
        Ok(())
    })
}

/// ICM: memories by topic, facts about entities, and what it was corrected about.
pub(super) fn icm(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        if input.beginning(member, 15)? != b"SQLite format 3" {
            continue;
        }
        let Some(path) = input.path_of(member) else { continue };
        let database = Database::open(path)?;
        database.rows("memories", &mut |row| {
            let is_person = row.text("source_type") == Some("manual");
            let mut draft = Draft::new(row.text("summary").unwrap_or_default())
                .from(if is_person { Source::Human } else { Source::Ai })
                .at(member.file_name(), row.id("id"));
            draft.time = row.time("created_at", &options.zone);
            draft.importance = match row.text("importance") {
                Some("critical") => Some(0.8),
                Some("high") => Some(0.7),
                Some("medium") => Some(0.5),
                Some("low") => Some(0.3),
                _ => None,
            };
            draft.tags.extend(row.text("topic").map(as_tag));
            for word in texts_of(row.text("keywords")) {
                match word.split_once(':') {
                    Some(("kind", kind)) => draft.category = Some(kind.to_owned()),
                    _ => draft.tags.push(as_tag(&word)),
                }
            }
            let related = texts_of(row.text("related_ids")).into_iter();
            let link = |to| DraftLink { to, relation: "related".to_owned() };
            draft.links = related.map(link).collect();
            let about: Option<Value> =
                row.text("source_data").and_then(|json| serde_json::from_str(json).ok());
            let session = |key: &str| text_in(about.as_ref()?, key).map(str::to_owned);
            draft.session = session("session_id").or_else(|| session("thread_id"));
            out.put(draft)
        })?;
        icm_facts(&database, member, options, out)?;
        database.rows("feedback", &mut |row: Row| {
            let (Some(context), Some(right)) = (row.text("context"), row.text("corrected")) else {
                return Ok(());
            };
            let why = row.text("reason").map(|why| format!(" ({why})")).unwrap_or_default();
            let id = row.id("id").map(|id| format!("feedback-{id}"));
            let mut draft = Draft::new(format!("{context}: {right}{why}"))
                .from(Source::Ai)
                .called("convention")
                .at(member.file_name(), id);
            draft.time = row.time("created_at", &options.zone);
            out.put(draft)
        })?;
    }
    Ok(())
}

fn icm_facts(
    database: &Database,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let mut before: BTreeMap<String, String> = BTreeMap::new();
    database.rows("facts", &mut |row| {
        let all = [row.text("entity"), row.text("key"), row.text("value")];
        let ([Some(entity), Some(key), Some(value)], Some(id)) = (all, row.id("id")) else {
            out.unreadable(member.file_name(), "a fact without entity, key or value");
            return Ok(());
        };
        let own = format!("fact-{id}");
        let text = format!("{entity} {key}: {value}");
        let mut draft = Draft::new(text).from(Source::Ai).at(member.file_name(), Some(own.clone()));
        (draft.layer, draft.memory_type) = (Some(Layer::Semantic), Some(MemoryType::Fact));
        draft.time = row.time("created_at", &options.zone);
        draft.valid_to = row.time("superseded_at", &options.zone);
        draft.tags.push(as_tag(entity));
        draft.supersedes = before.insert(format!("{entity}\u{1f}{key}"), own);
        out.put(draft)
    })
}
