//! Answers as agents read them: short, true sentences with the ids to go on with. A program that wants
//! every field asks for `format: "json"` instead.

mod found;
mod kept;
mod other;

use std::collections::BTreeSet;

use quipu_core::text;
use serde_json::Value;

use super::tool::{Arguments, Tool};

/// An answer to put into words.
pub(super) struct Answered<'a> {
    /// The operation that answered.
    pub(super) operation: &'a str,
    /// The client's arguments.
    pub(super) arguments: &'a Arguments,
    /// The tool that was called, to name no argument that it does not take.
    pub(super) tool: &'a Tool,
    /// The tools that may be called next.
    pub(super) tools: &'a [Tool],
    /// Whether nothing was changed, although the operation can.
    pub(super) is_preview: bool,
    /// What it answered.
    pub(super) data: &'a Value,
}

/// An answer in words.
#[derive(Default)]
pub(super) struct Words {
    /// The words.
    pub(super) text: String,
    /// The ids of memories that are cut in them.
    pub(super) cut: BTreeSet<String>,
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self { text, cut: BTreeSet::new() }
    }
}

/// Puts an answer into words.
pub(super) fn of(answered: &Answered<'_>) -> Words {
    let data = answered.data;
    let mut words: Words = match answered.operation {
        "recall" => found::recalled(answered),
        "brief" => said(&data["text"]).into(),
        "show" => found::shown(data).into(),
        "why" => found::explained(data).into(),
        "history" => found::history(data).into(),
        "fact.list" | "thread.list" => found::listed(data).into(),
        "questions" => found::questions(data).into(),
        "remember" => kept::remembered(data).into(),
        "fact.add" => kept::fact_added(answered).into(),
        "fact.supersede" | "fact.archive" | "fact.reactivate" => kept::facts_moved(data).into(),
        "thread.open" | "thread.close" => kept::thread(data).into(),
        "answer" => kept::answer(data).into(),
        "forget" | "restore" => kept::put_away(data).into(),
        "undo" | "redo" => kept::undone(answered.operation, data).into(),
        "session.start" | "session.note" => other::session_now(answered.operation, data).into(),
        "session.end" => other::session_ended(data).into(),
        "session.list" => other::sessions(data).into(),
        "session.show" => other::session(data).into(),
        "review" => other::review(data).into(),
        "status" => other::status(data).into(),
        _ => other::outline(data).into(),
    };
    // A list of changes is not a preview of one.
    if answered.is_preview && !data["history"].is_array() {
        words.text.insert_str(0, "Only a preview; nothing was changed:\n");
    }
    words.text.truncate(words.text.trim_end().len());
    words
}

/// Returns a text; nothing for what is none.
fn said(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the texts of a list.
fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the day of a time; nothing for a time that nobody knows.
fn day(value: &Value) -> Option<String> {
    let day = value.as_str()?.get(..10)?;
    (day != "1970-01-01").then(|| day.to_owned())
}

/// Returns a time to the minute.
fn minute(value: &Value) -> String {
    value.as_str().and_then(|time| time.get(..16)).unwrap_or_default().replace('T', " ")
}

/// Returns ids in brackets, as they are cited.
fn cited(ids: &[String]) -> String {
    ids.iter().map(|id| format!("[{id}]")).collect::<Vec<_>>().join(", ")
}

/// Returns a number of things, such as `1 session` and `2 sessions`.
fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

fn whole(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
}

/// Names the change of an answer, by which it can be taken back.
fn change(data: &Value) -> String {
    data["change"].as_str().map_or(String::new(), |id| format!(" (change {id})"))
}

/// Returns a memory's words in one line.
fn one_line(value: &Value, limit: usize) -> String {
    text::ellipsis(&text::collapse_whitespace(value.as_str().unwrap_or_default()), limit)
}
