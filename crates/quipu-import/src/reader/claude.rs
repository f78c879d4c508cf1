//! An export of Claude: memories, instructions of projects, and conversations.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use quipu_core::item::Source;
use serde_json::Value;

use super::sections::{Section, sections};
use super::turns::{Turn, turn};
use super::{Options, each_value};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, text_in, time_in};

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    let mut projects: BTreeMap<String, String> = BTreeMap::new();
    let mut memories: Vec<(Value, &Member)> = Vec::new();
    for member in input.ending(&[".json", "stdin"]) {
        each_value(input, member, out, &mut |value, _, out| {
            let one = |value: &Value| {
                value.get("conversations_memory").is_some()
                    || value.get("memory_files").is_some()
                    || value.get("project_memories").is_some()
            };
            if value.get("chat_messages").is_some() || value.get("messages").is_some() {
                conversation(&value, member, options, out)?;
            } else if one(&value) {
                memories.push((value, member));
            } else if value.get("docs").is_some() || value.get("prompt_template").is_some() {
                if let (Some(id), Some(name)) = (text_in(&value, "uuid"), text_in(&value, "name")) {
                    projects.insert(id.to_owned(), name.to_owned());
                }
                project(&value, member, options, out)?;
            }
            Ok(())
        })?;
    }
    // Names of projects may stand in a later file than what is remembered about them.
    for (value, member) in memories {
        account(&value, &projects, member, out)?;
    }
    Ok(())
}

fn account(
    value: &Value,
    projects: &BTreeMap<String, String>,
    member: &Member,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let account = text_in(value, "account_uuid").unwrap_or_default();
    if let Some(text) = text_in(value, "conversations_memory") {
        curated(text, (account, "", None), member, out)?;
    }
    let of_projects = value["project_memories"].as_object().into_iter().flatten();
    for (id, text) in of_projects {
        let name = projects.get(id).map(String::as_str);
        curated(text.as_str().unwrap_or_default(), (account, id, name), member, out)?;
    }
    for file in value["memory_files"].as_array().into_iter().flatten() {
        let path = text_in(file, "path").or_else(|| text_in(file, "name")).unwrap_or_default();
        if let Some(text) = text_in(file, "content").or_else(|| text_in(file, "text")) {
            curated(text, (account, path, None), member, out)?;
        }
    }
    Ok(())
}

/// Takes what Claude wrote about the user: each bullet or paragraph is a memory.
fn curated(
    text: &str,
    (account, place, project): (&str, &str, Option<&str>),
    member: &Member,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    for Section { heading, text, .. } in sections(text) {
        let id = format!("{place}\u{1f}{text}");
        let mut draft = Draft::new(text).from(Source::Ai).at(member.file_name(), Some(id));
        account.clone_into(&mut draft.origin.account);
        // Claude does not say when: its export does.
        (draft.time, draft.time_from) = (member.modified, Some("mtime"));
        let tags = [Some(heading.as_str()), project].into_iter().flatten().map(as_tag);
        draft.tags = tags.filter(|tag| !tag.is_empty()).collect();
        draft.heading = Some(heading).filter(|heading| !heading.is_empty());
        out.put(draft)?;
    }
    Ok(())
}

fn project(
    value: &Value,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let (Some(id), Some(words)) = (text_in(value, "uuid"), text_in(value, "prompt_template"))
    else {
        return Ok(());
    };
    let mut draft = Draft::new(words).from(Source::Human).called("user-preference");
    draft = draft.at(member.file_name(), Some(format!("{id}\u{1f}instructions")));
    draft.time = time_in(&value["created_at"], &options.zone);
    draft.tags = text_in(value, "name").map(as_tag).into_iter().collect();
    if !value["docs"].as_array().is_none_or(Vec::is_empty) {
        out.warn("documents of projects are left out: `quipu ingest` takes them");
    }
    out.put(draft)
}

fn conversation(
    value: &Value,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let all = value.get("chat_messages").or_else(|| value.get("messages"));
    let Some(all) = all.and_then(Value::as_array) else { return Ok(()) };
    let id = text_in(value, "uuid").unwrap_or_default();
    let time_of = |message: &Value| time_in(&message["created_at"], &options.zone);
    let usual = time_in(&value["created_at"], &options.zone);
    let on_path = path(all, &time_of);
    for message in all {
        let own = text_in(message, "uuid");
        if let (Some(on_path), Some(own)) = (&on_path, own)
            && !on_path.contains(own)
        {
            out.skip(Skip::Branch);
            continue;
        }
        let speaker = match text_in(message, "sender").or_else(|| text_in(message, "role")) {
            Some("human" | "user") => "user",
            Some("assistant") => "assistant",
            _ => {
                out.skip(Skip::System);
                continue;
            }
        };
        let Some(words) = words(message) else {
            out.skip(Skip::Tool);
            continue;
        };
        let time = time_of(message).or(usual);
        let own = own.map(str::to_owned);
        let title = text_in(value, "name");
        turn(Turn { words, speaker, id: own, time, session: id, title }, member, options, out)?;
    }
    Ok(())
}

/// Returns what the user saw of a message; nothing where it is only tools and thinking.
fn words(message: &Value) -> Option<String> {
    let parts = match message.get("content") {
        Some(Value::Array(parts)) => parts,
        Some(Value::String(text)) => return Some(text.clone()),
        _ => return text_in(message, "text").map(str::to_owned),
    };
    let texts: Vec<&str> = parts
        .iter()
        .filter(|part| text_in(part, "type") == Some("text"))
        .filter_map(|part| text_in(part, "text"))
        .collect();
    if texts.is_empty() && parts.is_empty() {
        return text_in(message, "text").map(str::to_owned);
    }
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Returns the messages from the newest leaf up to the first one, where messages name their parents.
fn path<'v>(
    all: &'v [Value],
    time_of: &dyn Fn(&Value) -> Option<Timestamp>,
) -> Option<BTreeSet<&'v str>> {
    let ids: BTreeMap<&str, &Value> =
        all.iter().filter_map(|one| Some((text_in(one, "uuid")?, one))).collect();
    let parent = |one: &'v Value| text_in(one, "parent_message_uuid");
    if !all.iter().any(|one| parent(one).is_some_and(|id| ids.contains_key(id))) {
        return None;
    }
    let parents: BTreeSet<&str> = all.iter().filter_map(parent).collect();
    let leaves = all
        .iter()
        .enumerate()
        .filter(|(_, one)| text_in(one, "uuid").is_some_and(|id| !parents.contains(id)));
    let newest = leaves.max_by_key(|(at, one)| (time_of(one), *at)).map(|(_, one)| one);
    let mut path = BTreeSet::new();
    let mut at = newest;
    while let Some(one) = at {
        if !text_in(one, "uuid").is_some_and(|id| path.insert(id)) {
            break;
        }
        at = parent(one).and_then(|id| ids.get(id)).copied();
    }
    Some(path)
}
