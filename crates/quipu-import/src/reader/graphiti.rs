//! Graphiti and Zep: edges are facts, episodes are what was said.

use std::collections::BTreeMap;

use quipu_core::item::{Layer, MemoryType, Source, Status};
use serde_json::Value;

use super::{Options, each_value};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, text_in, time_in};

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.ending(&[".json", ".jsonl", "stdin"]) {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut values: Vec<Value> = Vec::new();
        each_value(input, member, out, &mut |value, _, _| {
            let is_one = value.get("fact").is_some() || value.get("content").is_some();
            let nested = ["nodes", "edges", "episodes"].into_iter().filter(|_| !is_one);
            let nested: Vec<Value> =
                nested.filter_map(|key| value.get(key)?.as_array().cloned()).flatten().collect();
            values.extend(if nested.is_empty() { vec![value] } else { nested });
            Ok(())
        })?;
        for value in &values {
            if let (Some(id), Some(name)) = (text_in(value, "uuid"), text_in(value, "name"))
                && value.get("summary").is_some()
            {
                names.insert(id.to_owned(), name.to_owned());
            }
        }
        for value in &values {
            if value.get("fact").is_some() {
                edge(value, &names, member, options, out)?;
            } else if value.get("source_description").is_some() {
                episode(value, member, options, out)?;
            } else {
                out.skip(Skip::Derived);
            }
        }
    }
    Ok(())
}

fn edge(
    value: &Value,
    names: &BTreeMap<String, String>,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let time = |key: &str| time_in(&value[key], &options.zone);
    let id = text_in(value, "uuid").map(str::to_owned);
    let words = text_in(value, "fact").unwrap_or_default();
    let mut draft = Draft::new(words).from(Source::Ai).at(member.file_name(), id);
    text_in(value, "group_id").unwrap_or_default().clone_into(&mut draft.origin.account);
    (draft.layer, draft.memory_type) = (Some(Layer::Semantic), Some(MemoryType::Fact));
    draft.time = time("created_at").or_else(|| time("reference_time"));
    (draft.valid_from, draft.valid_to) = (time("valid_at"), time("invalid_at"));
    if let Some(at) = time("expired_at") {
        draft.status = Status::Superseded;
        draft.decided = Some((at, "expired in Graphiti: a newer fact says otherwise".to_owned()));
    }
    let ends = [text_in(value, "source_node_uuid"), text_in(value, "target_node_uuid")];
    let ends = ends.into_iter().flatten().filter_map(|id| names.get(id));
    draft.tags = ends.map(|name| as_tag(name)).collect();
    draft.keep("name", &value["name"]);
    draft.keep("episodes", &value["episodes"]);
    out.put(draft)
}

fn episode(
    value: &Value,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let is_message = text_in(value, "source") == Some("message");
    if is_message && !options.with_chats {
        out.skip(Skip::Chat);
        return Ok(());
    }
    let content = text_in(value, "content").unwrap_or_default();
    let said = content.split_once(": ").filter(|(who, _)| is_message && who.len() < 64);
    let (speaker, words) = said.map_or((None, content), |(who, words)| (Some(who), words));
    let id = text_in(value, "uuid").map(str::to_owned);
    let source = if is_message { Source::Interaction } else { Source::Ingest };
    let mut draft = Draft::new(words).from(source).at(member.file_name(), id);
    let group = text_in(value, "group_id");
    group.unwrap_or_default().clone_into(&mut draft.origin.account);
    (draft.session, draft.speaker) = (group.map(str::to_owned), speaker.map(str::to_owned));
    let time = |key: &str| time_in(&value[key], &options.zone);
    draft.time = time("valid_at").or_else(|| time("created_at"));
    draft.importance = Some(0.3);
    out.put(draft)
}
