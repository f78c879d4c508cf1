//! Sessions, reviews, the state of the memory, and anything that has no sentence of its own.

use std::fmt::Write as _;

use quipu_core::excerpt;
use serde_json::Value;

use super::{change, cited, counted, items, one_line, said, texts, whole};

/// A summary in a list is cut where nobody would read on.
const LONGEST_SUMMARY: usize = 160;

pub(super) fn session_now(operation: &str, data: &Value) -> String {
    let id = said(&data["id"]);
    match operation {
        "session.note" => format!("Noted in session {id}{}.\n", change(data)),
        _ => format!("Session {id} is open.\n"),
    }
}

pub(super) fn session_ended(data: &Value) -> String {
    let Some(path) = data["path"].as_str() else {
        return "The session is closed. It touched no team memory, so it has no log.\n".to_owned();
    };
    let mut text = format!("The session is closed. Its log is {path}{}.\n", change(data));
    let log = said(&data["text"]);
    let uses = log.lines().skip_while(|line| *line != "## Memory References").skip(1);
    for line in uses.filter(|line| !line.is_empty()) {
        let _ = writeln!(text, "{line}");
    }
    let back = texts(&data["reactivated"]);
    if !back.is_empty() {
        let _ = writeln!(text, "Back from the archive: {}.", cited(&back));
    }
    if data["review_applied"] == true {
        text.push_str("A review was due and was applied.\n");
    } else if data["review_due"].is_object() {
        text.push_str("A review is due: see `review`.\n");
    }
    text
}

pub(super) fn sessions(data: &Value) -> String {
    let mut text = String::new();
    for open in items(&data["open"]) {
        let agent = open["agent"].as_str().unwrap_or("unknown");
        let _ = writeln!(text, "- {} (open, {agent})", said(&open["id"]));
    }
    for log in items(&data["logs"]) {
        let agent = log["agent"].as_str().unwrap_or("unknown");
        let summary = one_line(&log["summary"], LONGEST_SUMMARY);
        let _ = writeln!(text, "- {} ({agent}) {summary}", said(&log["id"]));
    }
    if text.is_empty() { "no sessions yet\n".to_owned() } else { text }
}

/// A session that is open, or a log.
pub(super) fn session(data: &Value) -> String {
    if let Some(log) = data["text"].as_str() {
        return format!("{}\n{log}", said(&data["id"]));
    }
    let open = &data["session"];
    let agent = open["agent"].as_str().unwrap_or("unknown");
    let mut text = format!("Session {} is open ({agent}).\n", said(&data["id"]));
    for note in items(&open["notes"]) {
        let words = excerpt::indented(&said(&note["text"]));
        let _ = writeln!(text, "- {}: {words}", said(&note["kind"]));
    }
    for event in items(&open["events"]) {
        let id = event["id"].as_str().or(event["new"].as_str()).unwrap_or_default();
        let _ = writeln!(text, "- {} [{id}]", said(&event["event"]));
    }
    text
}

pub(super) fn review(data: &Value) -> String {
    let mut text = String::new();
    for item in items(&data["items"]) {
        let (action, id, why) = (said(&item["action"]), said(&item["id"]), said(&item["why"]));
        let _ = writeln!(text, "- {action} [{id}]: {why}");
    }
    for held in items(&data["held"]) {
        let _ = writeln!(text, "- held [{}]: {}", said(&held["id"]), said(&held["why"]));
    }
    for proposal in items(&data["core_proposals"]) {
        let (id, why) = (said(&proposal["id"]), said(&proposal["why"]));
        let _ = writeln!(text, "- a person may make [{id}] core: {why}");
    }
    for notice in items(&data["notices"]) {
        let _ = writeln!(text, "- look: {}", said(&notice["message"]));
    }
    let verdict = match (text.is_empty(), data["applied"] == true) {
        (true, _) => "Nothing to change.\n".to_owned(),
        (false, true) => format!("Applied{}.\n", change(data)),
        (false, false) => "`apply: true` carries this out.\n".to_owned(),
    };
    text + &verdict
}

pub(super) fn status(data: &Value) -> String {
    let mut parts = vec![
        counted(whole(&data["facts"]), "fact"),
        format!("{} archived", whole(&data["archived"])),
        counted(whole(&data["open_threads"]), "open thread"),
        counted(whole(&data["sessions"]), "session log"),
    ];
    if data["journal"].is_object() {
        let records = whole(&data["journal"]["window"]["records"]);
        parts.push(format!("{} in MEMORY.md", counted(records, "record")));
    }
    let project = data["project"].as_str().unwrap_or("This memory");
    let mut text = format!("{project}: {}.\n", parts.join(", "));
    let due = texts(&data["review_due"]);
    if !due.is_empty() {
        let _ = writeln!(text, "A review is due: {}.", due.join("; "));
    }
    if data["invariants_due"] == true {
        text.push_str("Invariants wait for a person to confirm them.\n");
    }
    let questions = whole(&data["open_questions"]);
    if questions > 0 {
        let verb = if questions == 1 { "waits" } else { "wait" };
        let _ = writeln!(text, "{} {verb}: see `questions`.", counted(questions, "question"));
    }
    let open = texts(&data["open_sessions"]);
    if !open.is_empty() {
        let _ = writeln!(text, "Open sessions: {}.", open.join(", "));
    }
    let errors = whole(&data["lint_errors"]);
    if errors > 0 {
        let _ = writeln!(text, "The check of the files finds {}.", counted(errors, "error"));
    }
    for notice in texts(&data["notices"]) {
        let _ = writeln!(text, "{notice}");
    }
    text
}

/// Writes any data as an outline, without what is empty.
pub(super) fn outline(data: &Value) -> String {
    let mut text = String::new();
    write_fields(&mut text, data, 0);
    if text.is_empty() { "nothing\n".to_owned() } else { text }
}

fn write_fields(text: &mut String, data: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match data {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(_, value)| !is_empty(value)) {
                match value {
                    Value::Object(_) | Value::Array(_) => {
                        let _ = writeln!(text, "{indent}{name}:");
                        write_fields(text, value, depth + 1);
                    }
                    value => {
                        let _ = writeln!(text, "{indent}{name}: {}", scalar(value, &indent));
                    }
                }
            }
        }
        Value::Array(all) => {
            for value in all {
                let mut item = String::new();
                write_fields(&mut item, value, 0);
                let item = item.trim_end().replace('\n', &format!("\n{indent}  "));
                let _ = writeln!(text, "{indent}- {item}");
            }
        }
        value => {
            let _ = writeln!(text, "{indent}{}", scalar(value, &indent));
        }
    }
}

fn scalar(value: &Value, indent: &str) -> String {
    match value {
        Value::String(words) => words.replace('\n', &format!("\n{indent}  ")),
        other => other.to_string(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(words) => words.is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
