//! Perseus Vault: entities with their history, and keystones.

use std::collections::BTreeMap;

use quipu_core::item::{Layer, MemoryType, Source, Status};
use serde_json::Value;

use super::Options;
use crate::database::{Database, Row};
use crate::draft::{Draft, DraftLink};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, importance, text_in, texts_of};

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        if input.beginning(member, 15)? != b"SQLite format 3" {
            continue;
        }
        let Some(path) = input.path_of(member) else { continue };
        let database = Database::open(path)?;
        let mut is_locked = false;
        database.rows("encryption_canary", &mut |_| {
            is_locked = true;
            Ok(())
        })?;
        if is_locked {
            return Err(ImportError::NotThat {
                path: input.place(member),
                format: "a vault that can be read".to_owned(),
                why: "it is encrypted; let Perseus export it, and import that".to_owned(),
            });
        }
        // What an entity said before stands first: each version replaces the one before.
        let mut last: BTreeMap<String, String> = BTreeMap::new();
        database.rows("entity_history", &mut |row| {
            let (Some(id), Some(version)) = (row.id("id"), row.id("history_id")) else {
                return Ok(());
            };
            let own = format!("{id}@{version}");
            let mut draft = entity(&row, Some(own.clone()), member, options);
            draft.supersedes = last.insert(id, own);
            // Which one replaces it is said by that one.
            draft.status = Status::Archived;
            out.put(draft)
        })?;
        database.rows("entities", &mut |row| {
            let mut draft = entity(&row, row.id("id"), member, options);
            draft.supersedes = row.id("supersedes").or_else(|| last.get(&row.id("id")?).cloned());
            out.put(draft)
        })?;
        database.rows("keystones", &mut |row| {
            let id = row.id("id").map(|id| format!("keystone-{id}"));
            let mut draft = Draft::new(row.text("content").unwrap_or_default())
                .from(Source::Ai)
                .called("convention")
                .at(member.file_name(), id);
            (draft.layer, draft.memory_type) =
                (Some(Layer::Procedural), Some(MemoryType::Procedure));
            draft.time = row.time("created_at_unix_ms", &options.zone);
            draft.tags.extend(row.text("scope").map(as_tag));
            out.put(draft)
        })?;
    }
    Ok(())
}

fn entity(row: &Row, id: Option<String>, member: &Member, options: &Options) -> Draft {
    let body = row.text("body_json").unwrap_or_default();
    let value: Option<Value> = serde_json::from_str(body).ok();
    let said = |value: &Value| {
        let words = ["text", "content", "summary"].into_iter().find_map(|key| text_in(value, key));
        words.map_or_else(|| value.to_string(), str::to_owned)
    };
    let words = value.as_ref().map_or_else(|| body.to_owned(), said);
    let is_human =
        row.text("source").is_some_and(|source| ["human", "user", "manual"].contains(&source));
    let mut draft = Draft::new(words)
        .from(if is_human { Source::Human } else { Source::Ai })
        .at(member.file_name(), id);
    draft.category = row.text("category").map(str::to_owned);
    draft.heading = row.text("key").map(str::to_owned);
    draft.time = row.time("created_at_unix_ms", &options.zone);
    draft.valid_from = row.time("valid_from_unix_ms", &options.zone);
    draft.valid_to = row.time("valid_to_unix_ms", &options.zone);
    draft.importance = importance(row.number("importance"));
    draft.confidence = row.number("certainty");
    draft.tags = texts_of(row.text("tags")).iter().map(|tag| as_tag(tag)).collect();
    draft.pinned = options.keep_pins && row.is("always_on");
    draft.status = match row.text("status") {
        Some("draft" | "proposed" | "quarantined") => Status::Challenged,
        _ if row.is("archived") => Status::Archived,
        _ => Status::Active,
    };
    if let Some(at) = row.time("invalidated_at_unix_ms", &options.zone) {
        draft.status = Status::Invalidated;
        draft.decided = Some((at, "invalidated there".to_owned()));
    }
    let links: Option<Vec<Value>> =
        row.text("links").and_then(|json| serde_json::from_str(json).ok());
    let link = |one: &Value| {
        let relation = text_in(one, "relationship").unwrap_or("related").to_owned();
        Some(DraftLink { to: text_in(one, "target_id")?.to_owned(), relation })
    };
    draft.links = links.iter().flatten().filter_map(link).collect();
    draft
}
