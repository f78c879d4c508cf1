//! Which format something is in, by what stands in it. A name or an ending decides nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use serde_json::Value;

use crate::database::Database;
use crate::document::{is_foreign, is_mail};
use crate::elements::{Element, elements};
use crate::error::{ImportError, Unknown};
use crate::format::Format;
use crate::head::Note;
use crate::input::{Input, Member};
use crate::reader::{journal, plain};

/// So many elements of a file are looked at.
const LOOKED_AT: usize = 5;

/// So many, as long as none of them is known to be of one program.
const MOST_LOOKED_AT: usize = 200;

/// So many files of a folder are looked at.
const MOST_FILES: usize = 2_000;

/// So much of a text is looked at.
const BEGINNING: u64 = 64 * 1024;

/// Returns the one format that fits.
///
/// # Errors
/// When none does, or more than one.
pub fn detect(input: &Input) -> Result<Format, ImportError> {
    let mut claims: BTreeMap<Format, usize> = BTreeMap::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    if input.members().iter().any(|one| one.name.split('/').any(|part| part == ".obsidian")) {
        claims.insert(Format::Obsidian, 1);
    }
    for member in input.members().iter().take(MOST_FILES) {
        if member.size == 0 {
            continue;
        }
        match claim(input, member) {
            Ok(Some(format)) => *claims.entry(format).or_default() += 1,
            Ok(None) => drop(seen.insert(ending(&member.name))),
            // A file that cannot be read is named when the rest is read.
            Err(_) if input.members().len() > 1 => {}
            Err(error) => return Err(error),
        }
    }
    // A folder of one program has files beside its own: those decide only where nothing else does.
    let weak = [Format::Markdown, Format::List, Format::Csv, Format::Json];
    if claims.keys().any(|format| !weak.contains(format)) {
        claims.retain(|format, _| !weak.contains(format));
    } else if claims.contains_key(&Format::Markdown) {
        claims.retain(|format, _| *format == Format::Markdown);
    }
    // A vault, and our own notes, may hold notes that others wrote.
    if claims.contains_key(&Format::Obsidian) {
        claims.retain(|format, _| *format == Format::Obsidian);
    }
    match claims.keys().copied().collect::<Vec<_>>()[..] {
        [only] => Ok(only),
        [] => {
            let seen = if seen.is_empty() {
                String::new()
            } else {
                format!(" (saw {})", seen.into_iter().take(6).collect::<Vec<_>>().join(", "))
            };
            let what = unknown(input);
            Err(ImportError::Unknown { path: input.shown().to_owned(), seen, what })
        }
        ref several => Err(ImportError::Several {
            path: input.shown().to_owned(),
            formats: several.iter().map(|format| format.as_str().to_owned()).collect(),
        }),
    }
}

/// Returns what something is that no reader knows.
fn unknown(input: &Input) -> Unknown {
    let mut members = input.members().iter().filter(|one| one.size > 0);
    let (Some(only), None) = (members.next(), members.next()) else {
        let is_empty = input.members().iter().all(|one| one.size == 0);
        return if is_empty { Unknown::Empty } else { Unknown::Folder };
    };
    let beginning = input.beginning(only, BEGINNING).unwrap_or_default();
    let first = beginning.trim_ascii_start().first();
    if beginning.starts_with(b"SQLite format 3\0") {
        Unknown::Database
    } else if is_foreign(&beginning) {
        Unknown::Document
    } else if beginning.contains(&0) {
        Unknown::Binary
    } else if matches!(first, Some(b'{' | b'[')) {
        Unknown::Data
    } else if first.is_none() {
        Unknown::Empty
    } else {
        Unknown::Text
    }
}

fn ending(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.rsplit_once('.').map_or_else(|| name.to_owned(), |(_, end)| format!("*.{end}"))
}

/// Returns the format of one file; nothing where no reader knows it.
///
/// # Errors
/// When it cannot be read.
pub fn claim(input: &Input, member: &Member) -> Result<Option<Format>, ImportError> {
    let beginning = input.beginning(member, BEGINNING)?;
    if beginning.starts_with(b"SQLite format 3\0") {
        let Some(path) = input.path_of(member) else { return Ok(None) };
        return Ok(Database::open(path)?.format());
    }
    if beginning.contains(&0) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&beginning);
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().bytes().next() {
        Some(b'{' | b'[') => of_json(input, member, text),
        Some(_) => Ok(of_text(member, text)),
        None => Ok(None),
    }
}

fn of_json(input: &Input, member: &Member, text: &str) -> Result<Option<Format>, ImportError> {
    let mut claims: BTreeSet<Format> = BTreeSet::new();
    let (mut count, mut claimed) = (0, 0);
    elements(input.read(member)?, member.file_name(), &mut |element| {
        count += 1;
        if let Element::Value(value, _) = element
            && let Some(format) = of_value(&value)
        {
            claimed += 1;
            claims.insert(format);
        }
        let is_known = claims.iter().any(|format| *format != Format::Json);
        let is_enough = count >= if is_known { LOOKED_AT } else { MOST_LOOKED_AT };
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    // `[link]: …` and `[ ] a task` begin like a list.
    if claimed == 0 {
        return Ok((count == 0 || text.starts_with('[')).then(|| of_text(member, text)).flatten());
    }
    // Objects with words may be of any program: one that knows its own goes first.
    if claims.len() > 1 {
        claims.remove(&Format::Json);
    }
    Ok((claims.len() == 1).then(|| claims.first().copied()).flatten())
}

/// Returns the format that has values like this one.
fn of_value(value: &Value) -> Option<Format> {
    let has = |key: &str| value.get(key).is_some();
    let is = |key: &str, of: &[&str]| {
        value.get(key).and_then(Value::as_str).is_some_and(|text| of.contains(&text))
    };
    let all = |keys: &[&str]| keys.iter().all(|key| has(key));
    let any = |keys: &[&str]| keys.iter().any(|key| has(key));
    let first = |key: &str| value.get(key).and_then(Value::as_array).and_then(|all| all.first());
    if is("t", &["header"]) && is("format", &["quipu.export/1"]) {
        return Some(Format::Quipu);
    }
    let entity = is("type", &["entity"]) && has("observations") && any(&["name", "entityName"]);
    let relation = is("type", &["relation"])
        && any(&["from", "from_id"])
        && any(&["relationType", "relation_type"]);
    let graph = all(&["entities", "relations"]) && !has("memories");
    if entity || relation || graph {
        return Some(Format::Mcp);
    }
    if all(&["memories", "entities", "relationships"]) {
        return Some(Format::Engram);
    }
    let is_mem0 = |one: &Value| {
        one.get("memory").is_some_and(Value::is_string)
            && ["hash", "user_id", "agent_id", "run_id"].iter().any(|key| one.get(key).is_some())
    };
    let is_open = all(&["state", "content"]) && any(&["app", "categories", "app_id"]);
    if is_mem0(value) || first("results").is_some_and(is_mem0) || is_open {
        return Some(Format::Mem0);
    }
    if has("export_meta") && has("memories") {
        return Some(Format::Mem0);
    }
    if all(&["agents", "blocks"]) || all(&["agent_type", "core_memory"]) {
        return Some(Format::Letta);
    }
    if all(&["schema_version", "source_bank_id"]) {
        return Some(Format::Hindsight);
    }
    let is_node = all(&["uuid", "name", "labels", "group_id", "summary"]);
    if all(&["fact", "source_node_uuid"]) || all(&["source_description", "content"]) || is_node {
        return Some(Format::Graphiti);
    }
    let is_chat = any(&["chat_messages"]) && any(&["uuid", "name"]);
    let is_memory = has("conversations_memory") || all(&["account_uuid", "memory_files"]);
    let is_project = all(&["uuid", "docs"]) && any(&["prompt_template", "description"]);
    if is_chat || is_memory || is_project {
        return Some(Format::Claude);
    }
    if has("mapping") && any(&["current_node", "conversation_id", "create_time"]) {
        return Some(Format::ChatGpt);
    }
    if all(&["observations", "summaries"]) && any(&["sessions", "prompts"]) {
        return Some(Format::ClaudeMem);
    }
    let is_line = any(&["uuid", "leafUuid", "messageId"]) && has("type");
    if is_line && any(&["sessionId", "leafUuid"]) {
        return Some(Format::ClaudeCode);
    }
    if all(&["timestamp", "type", "payload"]) {
        return Some(Format::Codex);
    }
    if all(&["header", "title", "time"]) && any(&["products", "titleUrl"]) {
        return Some(Format::Gemini);
    }
    if is("type", &["message"]) && all(&["ts", "text"]) {
        return Some(Format::Slack);
    }
    if all(&["id", "sessionId", "category", "text", "provenance"]) {
        return Some(Format::Journal);
    }
    plain::is_record(value).then_some(Format::Json)
}

/// Returns the format of a text that is no JSON.
fn of_text(member: &Member, text: &str) -> Option<Format> {
    let is_box = text.starts_with("From ")
        && text.split_once('\n').is_some_and(|(_, rest)| is_mail(rest.as_bytes()));
    if is_box || is_mail(text.as_bytes()) {
        return Some(Format::Mail);
    }
    if journal::has_records(text) {
        return Some(Format::Journal);
    }
    let note = Note::read(text);
    let has = |key: &str| note.head.contains_key(key);
    if has("quipu-id") {
        return Some(Format::Markdown);
    }
    let metadata = note.head.get("metadata");
    let is_memory = metadata.and_then(|more| more.get("node_type")).is_some();
    let kinds = ["user", "feedback", "project", "reference"];
    let kind = note.head.get("type").and_then(Value::as_str);
    let is_older =
        has("name") && has("description") && kind.is_some_and(|one| kinds.contains(&one));
    let is_index =
        member.file_name() == "MEMORY.md" && text.contains("](") && text.contains(".md)");
    let is_rules = ["CLAUDE.md", "CLAUDE.local.md"].contains(&member.file_name());
    if is_memory || is_older || is_index || is_rules {
        return Some(Format::ClaudeCode);
    }
    if has("permalink") {
        return Some(Format::BasicMemory);
    }
    if has("id") && has("created_at") && has("type") && has("confidence") {
        return Some(Format::Mem0);
    }
    if has("description") && has("limit") || has("description") && member.name.contains("system/") {
        return Some(Format::Letta);
    }
    if text.starts_with("thread_id: ") && text.contains("\nrollout_path: ") {
        return Some(Format::Codex);
    }
    if plain::is_table(text) {
        return Some(Format::Csv);
    }
    if note.head.is_empty() && plain::looks_like_table(text) {
        return None;
    }
    let looks_like_markdown = |line: &str| {
        line.starts_with("- ")
            || line.starts_with("* ")
            || (line.starts_with('#') && line.contains(' '))
    };
    (!note.head.is_empty() || text.lines().any(looks_like_markdown)).then_some(Format::Markdown)
}
