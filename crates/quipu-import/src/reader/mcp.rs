//! The official MCP memory server: a graph as lines of JSON, or as `read_graph` returns it.

use std::collections::BTreeMap;

use quipu_core::item::{Layer, MemoryType, Source};
use serde_json::Value;

use super::{Options, each_value};
use crate::draft::{Draft, DraftLink};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::shared::{NOBODY, NOTHING, RELATION};
use crate::text::{as_tag, text_in};

pub(super) fn read(input: &Input, _: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.ending(&[".jsonl", ".json"]).chain(input.named("stdin")) {
        // Of an entity its observations are counted, so that two that are the same are two.
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        each_value(input, member, out, &mut |value, line, out| {
            let list = |keys: [&str; 2]| {
                keys.iter().find_map(|key| value.get(*key)?.as_array()).cloned().unwrap_or_default()
            };
            if value.get("entities").is_some() {
                for entity in list(["entities", "entities"]) {
                    self::entity(&entity, None, member, &mut counts, out)?;
                }
                for relation in list(["relations", "relations"]) {
                    self::relation(&relation, None, member, out)?;
                }
                return Ok(());
            }
            match text_in(&value, "type") {
                Some("entity") => entity(&value, line, member, &mut counts, out),
                Some("relation") => relation(&value, line, member, out),
                _ => {
                    out.unreadable(&input.place(member), "neither an entity nor a relation");
                    Ok(())
                }
            }
        })?;
    }
    Ok(())
}

fn draft(text: String, id: String, member: &Member, line: Option<usize>) -> Draft {
    let mut draft = Draft::new(text).from(Source::Ai).at(member.file_name(), Some(id));
    draft.memory_type = Some(MemoryType::Fact);
    draft.layer = Some(Layer::Semantic);
    draft.origin.line = line;
    draft.time = member.modified;
    draft.time_from = Some("mtime");
    draft
}

fn entity(
    value: &Value,
    line: Option<usize>,
    member: &Member,
    counts: &mut BTreeMap<(String, String), usize>,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let name = text_in(value, "name").or_else(|| text_in(value, "entityName"));
    let Some(name) = name else {
        out.unreadable(member.file_name(), "an entity without a name");
        return Ok(());
    };
    let kind = text_in(value, "entityType").unwrap_or_default();
    let observations = value.get("observations").and_then(Value::as_array);
    for observation in observations.into_iter().flatten().filter_map(Value::as_str) {
        let count = counts.entry((name.to_owned(), observation.to_owned())).or_default();
        *count += 1;
        // Words that do not name whom they are about would mean nothing alone.
        // What our own export has under its own name is about nobody.
        let is_ours = name == NOBODY && kind == NOTHING;
        let is_named = is_ours || observation.to_lowercase().contains(&name.to_lowercase());
        let text = if is_named { observation.to_owned() } else { format!("{name}: {observation}") };
        let id = match *count {
            1 => format!("{name}\u{1f}{observation}"),
            more => format!("{name}\u{1f}{observation}\u{1f}{more}"),
        };
        let mut draft = draft(text, id, member, line);
        draft.tags.extend(Some(as_tag(kind)).filter(|tag| !tag.is_empty() && !is_ours));
        draft.keep("entity", &Value::from(name));
        draft.keep("entityType", &Value::from(kind));
        draft.keep("observation", &Value::from(observation));
        out.put(draft)?;
    }
    Ok(())
}

fn relation(
    value: &Value,
    line: Option<usize>,
    member: &Member,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let key = |names: [&str; 2]| names.into_iter().find_map(|name| text_in(value, name));
    let (from, to) = (key(["from", "from_id"]), key(["to", "to_id"]));
    let (Some(from), Some(to), Some(how)) = (from, to, key(["relationType", "relation_type"]))
    else {
        out.unreadable(member.file_name(), "a relation without its ends");
        return Ok(());
    };
    let text = format!("{from} {} {to}", how.replace('_', " "));
    let id = format!("{from}\u{1f}{how}\u{1f}{to}\u{1f}relation");
    let mut draft = draft(text, id, member, line).called(RELATION);
    for (key, value) in [("from", from), ("to", to), ("relationType", how)] {
        draft.keep(key, &Value::from(value));
    }
    draft.links = Vec::<DraftLink>::new();
    out.put(draft)
}
