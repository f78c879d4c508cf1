//! Letta: agent files of both versions, and folders of `MemFS`.

use quipu_core::item::Source;
use serde_json::Value;

use super::turns::{Turn, turn};
use super::{Options, each_value};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::head::Note;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, text_in, time_in};

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        if member.name.to_lowercase().ends_with(".md") {
            file(input, member, out)?;
            continue;
        }
        each_value(input, member, out, &mut |value, _, out| {
            for block in value["blocks"].as_array().into_iter().flatten() {
                self::block(block, "", member, options, out)?;
            }
            let name = text_in(&value, "name").unwrap_or_default();
            for block in value["core_memory"].as_array().into_iter().flatten() {
                self::block(block, name, member, options, out)?;
            }
            let flat = value.get("core_memory").is_some().then_some(&value);
            let agents = value["agents"].as_array().into_iter().flatten().chain(flat);
            for agent in agents {
                messages(agent, member, options, out)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn category_of(label: &str) -> Option<&'static str> {
    match label {
        "human" => Some("user-preference"),
        "persona" => Some("note"),
        _ => None,
    }
}

/// A block is a text that the agent keeps: each of its paragraphs is a memory.
fn block(
    block: &Value,
    agent: &str,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let label = text_in(block, "label").unwrap_or("memory");
    let id = text_in(block, "id").map_or_else(|| format!("{agent}/{label}"), str::to_owned);
    let value = text_in(block, "value").unwrap_or_default();
    let paragraphs = value.split("\n\n").filter(|text| !text.trim().is_empty());
    for (number, words) in paragraphs.enumerate() {
        let own = Some(format!("{id}\u{1f}{number}"));
        let mut draft = Draft::new(words).from(Source::Ai).at(member.file_name(), own);
        draft.category = Some(category_of(label).unwrap_or(label).to_owned());
        let time = |key: &str| time_in(&block[key], &options.zone);
        draft.time = time("updated_at").or_else(|| time("created_at"));
        if draft.time.is_none() {
            (draft.time, draft.time_from) = (member.modified, Some("mtime"));
        }
        draft.tags.push(as_tag(label));
        draft.keep("block", &Value::from(label));
        out.put(draft)?;
    }
    Ok(())
}

fn messages(
    agent: &Value,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let id = text_in(agent, "id").or_else(|| text_in(agent, "name")).unwrap_or_default();
    if text_in(agent, "system").is_some() {
        out.skip(Skip::System);
    }
    for message in agent["messages"].as_array().into_iter().flatten() {
        let speaker = match text_in(message, "role") {
            Some("user") => "user",
            Some("assistant") => "assistant",
            Some("system") => {
                out.skip(Skip::System);
                continue;
            }
            _ => {
                out.skip(Skip::Tool);
                continue;
            }
        };
        let words = match message.get("content").or_else(|| message.get("text")) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter(|part| text_in(part, "type") == Some("text"));
                texts.filter_map(|part| text_in(part, "text")).collect::<Vec<_>>().join("\n\n")
            }
            _ => String::new(),
        };
        let own = text_in(message, "id").map(|own| format!("{id}\u{1f}{own}"));
        let time = time_in(&message["created_at"], &options.zone);
        turn(
            Turn { words, speaker, id: own, time, session: id, title: None },
            member,
            options,
            out,
        )?;
    }
    Ok(())
}

/// A file of `MemFS`: each of its paragraphs is a memory; those in `system/` are always before the agent.
fn file(input: &Input, member: &Member, out: &mut Out<'_>) -> Result<(), ImportError> {
    let text = input.text(member)?;
    let note = Note::read(&text);
    for section in super::sections::sections(note.body) {
        let mut draft = Draft::new(section.text).from(Source::Ai).at(&member.name, None);
        draft.origin.account.clone_from(&member.name);
        draft.origin.line = Some(note.line + section.line - 1);
        (draft.time, draft.time_from) = (member.modified, Some("mtime"));
        draft.category = category_of(member.stem()).map(str::to_owned);
        draft.importance = member.name.split('/').any(|part| part == "system").then_some(0.7);
        draft.tags.push(as_tag(member.stem()));
        draft.heading = Some(section.heading).filter(|heading| !heading.is_empty());
        out.put(draft)?;
    }
    Ok(())
}
