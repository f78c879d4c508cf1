//! Memories as one file: lines, a list or a table.

use std::collections::BTreeMap;

use quipu_core::item::{Sensitivity, Status};
use serde_json::{Map, Value, json};

use super::{Named, Written, rank, stamp};
use crate::shared::{NOBODY, NOTHING, RELATION};
use crate::text::{as_tag, texts_in};

/// `memory.jsonl`: entities with their observations, then relations.
pub(super) fn mcp(all: &[Named<'_>]) -> Vec<Written> {
    let mut order: Vec<(String, String)> = Vec::new();
    let mut entities: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut relations: Vec<Value> = Vec::new();
    for one in all {
        if let (Some(from), Some(to), Some(how)) =
            (one.kept("from"), one.kept("to"), one.kept("relationType"))
            && one.item.category == RELATION
        {
            relations
                .push(json!({"type": "relation", "from": from, "to": to, "relationType": how}));
            continue;
        }
        let name = one.kept("entity").unwrap_or(NOBODY).to_owned();
        let usual = if one.from.is_some() { "" } else { NOTHING };
        let kind = one.kept("entityType").unwrap_or(usual).to_owned();
        let text = one.kept("observation").unwrap_or(&one.item.text).to_owned();
        let key = (name, kind);
        if !entities.contains_key(&key) {
            order.push(key.clone());
        }
        entities.entry(key).or_default().push(text);
    }
    // The order of times would change with the file's own.
    order.sort();
    let mut lines: Vec<String> = Vec::new();
    for key in order {
        let mut observations = entities.remove(&key).unwrap_or_default();
        observations.sort();
        let (name, kind) = key;
        let entity = json!({"type": "entity", "name": name, "entityType": kind, "observations": observations});
        lines.push(entity.to_string());
    }
    let mut relations: Vec<String> = relations.iter().map(Value::to_string).collect();
    relations.sort();
    lines.extend(relations);
    vec![(String::new(), lines.join("\n") + "\n")]
}

/// What `get_all` returns; what mem0 has no place for stands in `metadata.quipu`.
pub(super) fn mem0(all: &[Named<'_>]) -> Vec<Written> {
    let rows = all.iter().map(|one| {
        let item = one.item;
        let mut row = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                row.insert(key.to_owned(), value);
            }
        };
        put("id", Some(json!(one.id)));
        put("memory", Some(json!(item.text)));
        put("created_at", Some(json!(stamp(item.time))));
        let kept = |key: &str| one.from.and_then(|from| from.extra.get(key)).cloned();
        for key in [
            "updated_at",
            "agent_id",
            "run_id",
            "actor_id",
            "role",
            "app",
            "categories",
            "attributed_to",
        ] {
            put(key, kept(key));
        }
        let user = kept("user_id").or_else(|| item.speaker.as_ref().map(|name| json!(name)));
        put("user_id", Some(user.unwrap_or_else(|| json!("quipu"))));
        put("expiration_date", kept("expiration_date"));
        let mut metadata = match kept("metadata") {
            Some(Value::Object(metadata)) => metadata,
            _ => Map::new(),
        };
        metadata.insert("quipu".to_owned(), Value::Object(ours(one)));
        put("metadata", Some(Value::Object(metadata)));
        Value::Object(row)
    });
    let all = json!({"results": rows.collect::<Vec<_>>()});
    vec![(String::new(), serde_json::to_string_pretty(&all).unwrap_or_default() + "\n")]
}

/// Returns what only we know about a memory.
fn ours(one: &Named<'_>) -> Map<String, Value> {
    let item = one.item;
    let mut all = Map::new();
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            all.insert(key.to_owned(), Value::String(value));
        }
    };
    put("category", Some(item.category.clone()));
    put("type", Some(item.memory_type.to_string()));
    put("layer", Some(item.layer.to_string()));
    put("source", Some(item.source.to_string()));
    put("status", (item.status != Status::Active).then(|| item.status.to_string()));
    put("importance", Some(rank(item.importance)));
    put("session", item.session.clone());
    put("speaker", item.speaker.clone());
    put("valid_from", item.valid_from.map(stamp));
    put("valid_to", item.valid_to.map(stamp));
    put("supersedes", one.supersedes());
    put("negative", item.negative.then(|| "true".to_owned()));
    let is_usual = item.sensitivity == Sensitivity::Private;
    put("sensitivity", (!is_usual).then(|| item.sensitivity.to_string()));
    if !item.tags.is_empty() {
        all.insert("tags".to_owned(), json!(item.tags));
    }
    all
}

/// The columns of a table.
const COLUMNS: [&str; 16] = [
    "id",
    "text",
    "category",
    "type",
    "layer",
    "status",
    "time",
    "session",
    "speaker",
    "source",
    "tags",
    "importance",
    "valid_from",
    "valid_to",
    "supersedes",
    "origin",
];

/// Returns tags as they come back from a cell, where signs stand between them.
pub(super) fn tags_of_cell(tags: &[String]) -> Vec<String> {
    let joined = Value::from(tags.join(",").replace(';', ","));
    let mut tags: Vec<String> = texts_in(&joined).iter().map(|tag| as_tag(tag)).collect();
    tags.sort();
    tags.dedup();
    tags
}

/// A table with a header. A cell that a program for tables would take for a formula has a quote before it.
pub(super) fn csv(all: &[Named<'_>]) -> Vec<Written> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing into memory does not fail.
    let _ = writer.write_record(COLUMNS);
    for one in all {
        let item = one.item;
        let cells = [
            one.id.clone(),
            item.text.clone(),
            item.category.clone(),
            item.memory_type.to_string(),
            item.layer.to_string(),
            item.status.to_string(),
            stamp(item.time),
            item.session.clone().unwrap_or_default(),
            item.speaker.clone().unwrap_or_default(),
            item.source.to_string(),
            item.tags.join(";"),
            rank(item.importance),
            item.valid_from.map(stamp).unwrap_or_default(),
            item.valid_to.map(stamp).unwrap_or_default(),
            one.supersedes().unwrap_or_default(),
            one.kept("origin").map_or_else(|| origin(one), str::to_owned),
        ];
        let _ = writer.write_record(cells.map(guarded));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    vec![(String::new(), String::from_utf8_lossy(&bytes).into_owned())]
}

fn origin(one: &Named<'_>) -> String {
    if one.from.is_some() {
        return String::new();
    }
    let channel = one.item.channel.as_deref().unwrap_or_default();
    channel.strip_prefix("import:").unwrap_or_default().to_owned()
}

fn guarded(cell: String) -> String {
    // A quote that stands there already would be taken for ours.
    let bare = cell.trim_start_matches('\'');
    if bare.starts_with(['=', '+', '-', '@']) { format!("'{cell}") } else { cell }
}
