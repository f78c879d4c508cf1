//! An export of `ChatGPT`: saved memories, custom instructions, and conversations.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use quipu_core::item::{Source, Status};
use serde_json::Value;

use super::turns::{Turn, turn};
use super::{Options, each_value};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{text_in, time_in};

/// What is known about one saved memory.
#[derive(Clone, Default)]
struct Saved {
    time: Option<Timestamp>,
    /// Whether the assistant was seen saving it.
    by_assistant: bool,
    conversation: String,
    file: String,
}

/// A list of all memories, as the model was shown it at a time.
#[derive(Default)]
struct Shown {
    time: Option<Timestamp>,
    texts: BTreeSet<String>,
}

/// What is found beside the turns, in all conversations together.
#[derive(Default)]
struct Kept {
    memories: BTreeMap<String, Saved>,
    newest: Shown,
    /// What the user told about themselves, and how to answer; the newest counts.
    instructions: BTreeMap<&'static str, (Option<Timestamp>, String)>,
}

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    let mut kept = Kept::default();
    for member in input.ending(&[".json", "stdin"]) {
        each_value(input, member, out, &mut |value, _, out| {
            if value.get("mapping").is_some_and(Value::is_object) {
                conversation(&value, member, options, &mut kept, out)?;
            } else if let Some(text) = text_in(&value, "content") {
                // A list of memories that some exports are said to have.
                let time = time_in(&value["created_at"], &options.zone);
                kept.add(text, time, true, ("", member.file_name()));
            }
            Ok(())
        })?;
    }
    let Kept { memories, newest, instructions } = kept;
    for (text, saved) in memories {
        let id = format!("memory\u{1f}{text}");
        // A later list that lacks it: it was deleted, or said in other words.
        let is_gone =
            saved.by_assistant && newest.time > saved.time && !newest.texts.contains(&text);
        let mut draft = Draft::new(text).from(Source::Ai).at(&saved.file, Some(id));
        draft.time = saved.time;
        draft.session = Some(saved.conversation).filter(|id| !id.is_empty());
        if is_gone {
            draft.status = Status::Challenged;
            let why = "a later list of saved memories does not have it".to_owned();
            draft.decided = newest.time.map(|time| (time, why));
        }
        out.put(draft)?;
    }
    for (which, (time, text)) in instructions {
        let mut draft = Draft::new(text).from(Source::Human).called("user-preference");
        draft.origin.id = Some(format!("instructions\u{1f}{which}"));
        draft.time = time;
        "conversations.json".clone_into(&mut draft.origin.file);
        out.put(draft)?;
    }
    Ok(())
}

impl Kept {
    fn add(
        &mut self,
        text: &str,
        time: Option<Timestamp>,
        is_saved: bool,
        (conversation, file): (&str, &str),
    ) {
        let text = crate::text::tidy(text);
        if text.is_empty() {
            return;
        }
        let known = self.memories.entry(text).or_default();
        let is_earlier = match (known.time, time) {
            (Some(known), Some(time)) => time < known,
            (known, _) => known.is_none(),
        };
        // Where it was saved is worth more than where it was shown.
        if (is_saved && !known.by_assistant) || (is_saved == known.by_assistant && is_earlier) {
            conversation.clone_into(&mut known.conversation);
            file.clone_into(&mut known.file);
            if is_earlier || is_saved {
                known.time = time.or(known.time);
            }
        }
        known.by_assistant |= is_saved;
    }
}

fn conversation(
    value: &Value,
    member: &Member,
    options: &Options,
    kept: &mut Kept,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let Some(mapping) = value["mapping"].as_object() else { return Ok(()) };
    let id = text_in(value, "conversation_id").or_else(|| text_in(value, "id")).unwrap_or_default();
    if value["is_do_not_remember"] == true {
        out.skip(Skip::DoNotRemember);
        return Ok(());
    }
    let message = |node: &Value| node.get("message").filter(|one| one.is_object()).cloned();
    let time_of = |message: &Value| time_in(&message["create_time"], &options.zone);
    let made = time_in(&value["create_time"], &options.zone);
    let earliest = mapping.values().filter_map(|node| time_of(&message(node)?)).min();
    let usual = made.or(earliest).or_else(|| time_in(&value["update_time"], &options.zone));
    // What was saved counts on any branch.
    for node in mapping.values() {
        if let Some(message) = message(node) {
            let time = time_of(&message).or(usual);
            saved(&message, time, (id, member.file_name()), kept);
        }
    }
    let mut path: Vec<&Value> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut at = text_in(value, "current_node").or_else(|| leaf(mapping));
    while let Some(name) = at {
        // A circle has no beginning.
        if !seen.insert(name) {
            break;
        }
        let Some(node) = mapping.get(name) else { break };
        path.push(node);
        at = text_in(node, "parent");
    }
    let others = mapping.values().filter(|node| message(node).is_some()).count();
    let on_path = path.iter().filter(|node| message(node).is_some()).count();
    for _ in on_path..others {
        out.skip(Skip::Branch);
    }
    let title = text_in(value, "title");
    for node in path.into_iter().rev() {
        let Some(message) = message(node) else { continue };
        // It was taken as what it saved.
        if saves(&message) {
            continue;
        }
        let speaker = match what(&message) {
            Ok(speaker) => speaker,
            Err(why) => {
                out.skip(why);
                continue;
            }
        };
        let words = parts(&message);
        let own = text_in(&message, "id").or_else(|| text_in(node, "id"));
        let own = own.map(|own| format!("{id}\u{1f}{own}"));
        let time = time_of(&message).or(usual);
        turn(Turn { words, speaker, id: own, time, session: id, title }, member, options, out)?;
    }
    Ok(())
}

/// Returns the leaf that was written last, where the conversation does not say which one is current.
fn leaf(mapping: &serde_json::Map<String, Value>) -> Option<&str> {
    let parents: BTreeSet<&str> =
        mapping.values().filter_map(|node| text_in(node, "parent")).collect();
    let time = |node: &Value| node["message"]["create_time"].as_f64().unwrap_or(0.0);
    let leaves = mapping.iter().filter(|(name, _)| !parents.contains(name.as_str()));
    leaves.max_by(|a, b| time(a.1).total_cmp(&time(b.1))).map(|(name, _)| name.as_str())
}

/// Returns who speaks, where the words are said to the user or by them.
fn what(message: &Value) -> Result<&'static str, Skip> {
    let content = text_in(&message["content"], "content_type").unwrap_or_default();
    let hidden = &message["metadata"]["is_visually_hidden_from_conversation"];
    if *hidden == true || message["weight"].as_f64() == Some(0.0) {
        return Err(Skip::Hidden);
    }
    let role = text_in(&message["author"], "role");
    if role == Some("system") {
        return Err(Skip::System);
    }
    if !["text", "multimodal_text"].contains(&content) {
        return Err(Skip::Tool);
    }
    match role {
        Some("user") => Ok("user"),
        Some("assistant") if [None, Some("all")].contains(&text_in(message, "recipient")) => {
            Ok("assistant")
        }
        _ => Err(Skip::Tool),
    }
}

/// Returns the words of a message; pictures and files have none.
fn parts(message: &Value) -> String {
    let parts = message["content"]["parts"].as_array().into_iter().flatten();
    let texts: Vec<&str> =
        parts.filter_map(Value::as_str).filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}

/// Tells whether a message is the assistant's note of what to keep.
fn saves(message: &Value) -> bool {
    text_in(message, "recipient") == Some("bio")
        && text_in(&message["author"], "role") == Some("assistant")
}

/// Takes what a message says that was meant to be kept.
fn saved(message: &Value, time: Option<Timestamp>, place: (&str, &str), kept: &mut Kept) {
    let content = &message["content"];
    if saves(message) {
        kept.add(&parts(message), time, true, place);
    }
    if text_in(content, "content_type") == Some("model_editable_context") {
        let text = text_in(content, "model_set_context").unwrap_or_default();
        let mut shown = Shown { time, texts: BTreeSet::new() };
        for (words, day) in numbered(text) {
            kept.add(&words, day.or(time), false, place);
            shown.texts.insert(crate::text::tidy(&words));
        }
        if !shown.texts.is_empty() && shown.time >= kept.newest.time {
            kept.newest = shown;
        }
    }
    let about = &message["metadata"]["user_context_message_data"];
    let instructions = [
        (
            "about the user",
            text_in(content, "user_profile").or(text_in(about, "about_user_message")),
        ),
        (
            "how to answer",
            text_in(content, "user_instructions").or(text_in(about, "about_model_message")),
        ),
    ];
    for (which, text) in instructions {
        let Some(text) = text else { continue };
        let known = kept.instructions.get(which);
        if known.is_none_or(|(before, _)| *before <= time) {
            kept.instructions.insert(which, (time, text.to_owned()));
        }
    }
}

/// Returns the entries of a list such as `1. [2026-01-02]. The words`, each with its day.
pub(super) fn numbered(text: &str) -> Vec<(String, Option<Timestamp>)> {
    let mut found: Vec<(String, Option<Timestamp>)> = Vec::new();
    for line in text.lines() {
        let digits = line.trim_start().chars().take_while(char::is_ascii_digit).count();
        let rest = line.trim_start().get(digits..).and_then(|rest| rest.strip_prefix(". "));
        match rest.filter(|_| digits > 0) {
            Some(rest) => {
                let dated = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                let day =
                    dated.and_then(|(day, _)| day.parse().ok()).map(quipu_core::when::midnight);
                let words = match (day, dated) {
                    (Some(_), Some((_, words))) => words.trim_start_matches(['.', ' ']),
                    _ => rest,
                };
                found.push((words.trim().to_owned(), day));
            }
            None => {
                if let Some((words, _)) = found.last_mut() {
                    words.push('\n');
                    words.push_str(line);
                }
            }
        }
    }
    found
}
