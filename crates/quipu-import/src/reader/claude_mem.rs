//! claude-mem: its database, or what its export holds.

use std::collections::BTreeMap;

use quipu_core::item::Source;
use serde_json::Value;

use super::turns::{Turn, turn};
use super::{Options, each_value};
use crate::database::{Database, Row};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, texts_of};

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        if input.beginning(member, 15)? == b"SQLite format 3" {
            if let Some(path) = input.path_of(member) {
                let database = Database::open(path)?;
                if database.format().is_some() {
                    database_rows(&database, member, options, out)?;
                }
            }
        } else if member.name.to_lowercase().ends_with(".json") || member.name == "stdin" {
            out.warn("an export of claude-mem holds the results of a search: claude-mem.db has everything");
            each_value(input, member, out, &mut |value, _, out| {
                let rows = |key: &str| value[key].as_array().cloned().unwrap_or_default();
                let sessions: BTreeMap<String, String> =
                    rows("sessions").iter().filter_map(|row| session(&Row::of(row))).collect();
                for row in rows("observations") {
                    observation(&Row::of(&row), &sessions, member, options, out)?;
                }
                for row in rows("summaries") {
                    summary(&Row::of(&row), &sessions, member, options, out)?;
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}

fn database_rows(
    database: &Database,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let mut sessions: BTreeMap<String, String> = BTreeMap::new();
    database.rows("sdk_sessions", &mut |row| {
        sessions.extend(session(&row));
        Ok(())
    })?;
    database.rows("observations", &mut |row| observation(&row, &sessions, member, options, out))?;
    database
        .rows("session_summaries", &mut |row| summary(&row, &sessions, member, options, out))?;
    database.rows("user_prompts", &mut |row| {
        let words = row.text("prompt_text").unwrap_or_default().to_owned();
        let session = row.text("content_session_id").or(row.text("claude_session_id"));
        let time = row.time("created_at_epoch", &options.zone);
        let id = row.id("id").map(|id| format!("prompt-{id}"));
        let session = session.unwrap_or_default();
        let words = super::claude_code::without_injected(&words);
        turn(Turn { words, speaker: "user", id, time, session, title: None }, member, options, out)
    })
}

impl Row {
    /// Returns an object of JSON as a row.
    fn of(value: &Value) -> Self {
        let all = value.as_object().into_iter().flatten();
        let texts = all.filter_map(|(key, value)| {
            let text = match value {
                Value::Null => return None,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some((key.clone(), text))
        });
        Self::of_texts(texts)
    }
}

/// Returns the name of a session among the memories, and the one that Claude Code knows.
fn session(row: &Row) -> Option<(String, String)> {
    let inner = row.text("memory_session_id").or(row.text("sdk_session_id"))?;
    let outer = row.text("content_session_id").or(row.text("claude_session_id"))?;
    Some((inner.to_owned(), outer.to_owned()))
}

fn session_of(row: &Row, sessions: &BTreeMap<String, String>) -> Option<String> {
    let inner = row.text("memory_session_id").or(row.text("sdk_session_id"))?;
    Some(sessions.get(inner).cloned().unwrap_or_else(|| inner.to_owned()))
}

fn observation(
    row: &Row,
    sessions: &BTreeMap<String, String>,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let parts =
        [row.text("title"), row.text("narrative").or(row.text("text")).or(row.text("subtitle"))];
    let words: Vec<&str> = parts.into_iter().flatten().collect();
    if words.is_empty() {
        out.skip(Skip::Empty);
        return Ok(());
    }
    let kind = row.text("type").unwrap_or_default();
    let category = match kind {
        "decision" => "decision",
        "discovery" => "learned",
        _ => "note",
    };
    let id = row.id("id").map(|id| format!("observation-{id}"));
    let mut draft =
        Draft::new(words.join("\n\n")).from(Source::Ai).called(category).at(member.file_name(), id);
    row.text("project").unwrap_or_default().clone_into(&mut draft.origin.account);
    draft.time =
        row.time("created_at_epoch", &options.zone).or(row.time("created_at", &options.zone));
    draft.session = session_of(row, sessions);
    // Facts repeat the words of the narrative: each of them as a memory would be the same again.
    draft.notes = texts_of(row.text("facts")).into_iter().map(|fact| (fact, None)).collect();
    draft.tags = texts_of(row.text("concepts")).iter().map(|tag| as_tag(tag)).collect();
    draft.tags.extend(row.text("project").map(as_tag));
    let files = [row.text("files_read"), row.text("files_modified")].map(texts_of).concat();
    draft.tags.extend(files.iter().map(|file| format!("file:{file}")));
    draft.keep("type", &Value::from(kind));
    out.put(draft)
}

fn summary(
    row: &Row,
    sessions: &BTreeMap<String, String>,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let id = row.id("id").unwrap_or_default();
    let parts = [
        ("Asked", "request"),
        ("Looked into", "investigated"),
        ("Done", "completed"),
        ("Notes", "notes"),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter_map(|(title, column)| Some(format!("{title}: {}", row.text(column)?)))
        .collect();
    let all = [
        ("turn-summary", Some(told.join("\n")).filter(|text| !text.is_empty())),
        ("learned", row.text("learned").map(str::to_owned)),
        ("note", row.text("next_steps").map(|text| format!("Next: {text}"))),
    ];
    for (category, words) in all {
        let Some(words) = words else { continue };
        let own = Some(format!("summary-{id}-{category}"));
        let mut draft =
            Draft::new(words).from(Source::Ai).called(category).at(member.file_name(), own);
        row.text("project").unwrap_or_default().clone_into(&mut draft.origin.account);
        draft.time =
            row.time("created_at_epoch", &options.zone).or(row.time("created_at", &options.zone));
        draft.session = session_of(row, sessions);
        draft.tags.extend(row.text("project").map(as_tag));
        out.put(draft)?;
    }
    Ok(())
}
