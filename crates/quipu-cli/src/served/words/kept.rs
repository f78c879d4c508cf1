//! What was written, replaced, put away and taken back.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Answered, change, cited, counted, items, one_line, said, texts};

/// So many of the nearest memories are shown, with so many of their characters: 150 tokens in all.
const NEAREST: usize = 3;
const LONGEST_NEAR: usize = 110;

pub(super) fn remembered(data: &Value) -> String {
    let place = match data["scope"].as_str() {
        Some("user") => "private, for every project of the user",
        _ => "private, for this project",
    };
    let ids = texts(&data["ids"]);
    let what = match (data["id"].as_str(), ids.as_slice()) {
        (Some(id), _) => format!("[{id}]"),
        (None, []) => return "Nothing was remembered.\n".to_owned(),
        (None, ids) => counted(ids.len(), "record"),
    };
    let mut text = format!("Remembered {what} ({place}){}.\n", change(data));
    if let Some(other) = data["duplicate_of"].as_str() {
        let _ = writeln!(text, "[{other}] says nearly the same.");
    }
    let others = texts(&data["contradicts"]);
    if !others.is_empty() {
        let others = cited(&others);
        let _ = writeln!(text, "It may contradict {others}: see `questions`.");
    }
    text.push_str(&nearest(data, &[]));
    for line in items(&data["skipped"]) {
        let _ = writeln!(text, "Line {} was left out: {}.", line["line"], said(&line["reason"]));
    }
    if let Some(why) = data["degraded"].as_str() {
        let _ = writeln!(text, "It was not compared with what is known: {why}.");
    }
    text
}

/// Returns what is known that is near, but for what is shown already.
fn nearest(data: &Value, shown: &[String]) -> String {
    let is_shown = |near: &&Value| shown.iter().any(|id| near["id"] == **id);
    let near: Vec<&Value> =
        items(&data["nearest"]).filter(|near| !is_shown(near)).take(NEAREST).collect();
    let mut text = String::new();
    if !near.is_empty() {
        text.push_str("Nearest:\n");
    }
    for near in near {
        let relation = match near["relation"].as_str() {
            Some("same") => ", the same",
            Some("update") => ", may be outdated",
            Some("conflict") => ", may say otherwise",
            _ => "",
        };
        let place = if near["archived"] == true { ", archived" } else { "" };
        let words = one_line(&near["text"], LONGEST_NEAR);
        let _ = writeln!(text, "- [{}{place}{relation}] {words}", said(&near["id"]));
    }
    text
}

pub(super) fn fact_added(answered: &Answered<'_>) -> String {
    let data = answered.data;
    let id = said(&data["id"]);
    if data["already_there"] == true {
        return format!("[{id}] says this already. Nothing was written.\n");
    }
    let candidates: Vec<String> =
        items(&data["candidates"]).map(|candidate| said(&candidate["id"])).collect();
    if data["added"] != true {
        let mut text = "Not written: it may contradict\n".to_owned();
        text.push_str(&candidate_lines(data));
        text.push_str(&nearest(data, &candidates));
        text.push_str("Call again with ");
        text.push_str(&choices(answered, candidates.first().map_or("ID", String::as_str)));
        return text;
    }
    let section = said(&data["section"]);
    let mut text = format!(
        "Added [{id}] under {section}, shared with the team through git{}.\n",
        change(data)
    );
    if let Some(old) = data["supersedes"].as_str() {
        let _ = writeln!(text, "It replaces [{old}].");
    }
    if let Some(thread) = data["thread"].as_str() {
        let _ = writeln!(text, "The thread [{thread}] asks which of them holds.");
    }
    if !candidates.is_empty() {
        text.push_str("It may contradict\n");
        text.push_str(&candidate_lines(data));
    }
    text.push_str(&nearest(data, &candidates));
    text
}

fn candidate_lines(data: &Value) -> String {
    let mut text = String::new();
    for candidate in items(&data["candidates"]) {
        let core = if candidate["is_core"] == true { ", core" } else { "" };
        let words = one_line(&candidate["text"], LONGEST_NEAR);
        let reasons = texts(&candidate["reasons"]);
        let reason = reasons.last().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let _ = writeln!(text, "- [{}{core}] {words}{reason}", said(&candidate["id"]));
    }
    text
}

/// Names the arguments that decide, as far as the tool takes them. A core fact is for a person.
fn choices(answered: &Answered<'_>, id: &str) -> String {
    let takes = |name: &str| answered.tool.params.iter().any(|param| param.name == name);
    let offered = texts(&answered.data["choices"]);
    let named = |choice: &String| match choice.as_str() {
        "supersedes" => Some(format!("`supersedes: \"{id}\"` (it replaces that fact)")),
        "raise" => Some("`raise: true` (unclear: a thread asks)".to_owned()),
        "agree" => Some("`agree: true` (both hold)".to_owned()),
        other => takes(other).then(|| format!("`{other}: true`")),
    };
    let mut text = offered.iter().filter_map(named).collect::<Vec<_>>().join(", or ");
    text.push_str(".\n");
    let is_core = items(&answered.data["candidates"]).any(|candidate| candidate["is_core"] == true);
    if is_core && !takes("confirm_core") {
        text.push_str("A core fact is changed by a person only: ask the user.\n");
    }
    text
}

/// Facts that were superseded, archived or brought back.
pub(super) fn facts_moved(data: &Value) -> String {
    let mut text = String::new();
    for (name, verb) in [("archived", "Archived"), ("reactivated", "Brought back")] {
        let ids = texts(&data[name]);
        if !ids.is_empty() {
            let _ = writeln!(text, "{verb} {}{}.", cited(&ids), change(data));
        }
    }
    match (data["superseded"].as_str(), data["by"].as_str()) {
        (Some(old), Some(new)) => {
            let _ = writeln!(text, "[{new}] replaces [{old}]{}.", change(data));
        }
        (Some(old), None) => {
            let _ = writeln!(text, "[{old}] no longer holds{}.", change(data));
        }
        _ => {}
    }
    if text.is_empty() { super::other::outline(data) } else { text }
}

pub(super) fn thread(data: &Value) -> String {
    let (id, state) = (said(&data["id"]), said(&data["state"]));
    format!("Thread [{id}] is {state}{}.\n", change(data))
}

pub(super) fn answer(data: &Value) -> String {
    let id = said(&data["id"]);
    match data["does"].as_str() {
        Some(does) => {
            let (choice, by) = (said(&data["choice"]), said(&data["by"]));
            format!("[{id}] is answered {choice} by {by}: {does}{}.\n", change(data))
        }
        None if data["events"].is_u64() => {
            format!("The answer to [{id}] was taken back{}.\n", change(data))
        }
        None => super::other::outline(data),
    }
}

pub(super) fn put_away(data: &Value) -> String {
    let (id, status) = (said(&data["id"]), said(&data["status"]));
    format!("[{id}] is {status}{}.\n", change(data))
}

pub(super) fn undone(operation: &str, data: &Value) -> String {
    let listed = |change: &Value| {
        let what = texts(&change["what"]).join("; ");
        let what = if what.is_empty() { what } else { format!(": {what}") };
        let done = if change["is_undone"] == true { ", taken back" } else { "" };
        format!("{} (change {}{done}){what}", said(&change["operation"]), said(&change["id"]))
    };
    if data["undone"].is_object() {
        let verb = if operation == "redo" { "Brought back" } else { "Took back" };
        return format!("{verb} {}\n", listed(&data["undone"]));
    }
    let mut text = String::new();
    for change in items(&data["history"]) {
        let _ = writeln!(text, "- {}", listed(change));
    }
    if text.is_empty() { "no changes\n".to_owned() } else { text }
}
