//! mem0: what `get_all` returns, its history, notes of its plugin, and archives of `OpenMemory`.

use std::collections::BTreeMap;

use quipu_core::item::{Layer, MemoryType, Sensitivity, Source, Status};
use serde_json::Value;

use super::{Options, each_value};
use crate::database::Database;
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::head::Note;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, importance, text_in, texts_in, time_in, time_of};

/// `get_all` returns so many unless it is told otherwise.
const USUAL_PAGE: usize = 20;

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    // An archive of `OpenMemory` has the same memories twice; the lines know the names of categories.
    let lines = input.members().iter().any(|one| one.name.ends_with("memories.jsonl.gz"));
    for member in input.members() {
        let name = member.file_name().to_lowercase();
        if member.is(&[".md"]) {
            notes(input, member, options, out)?;
        } else if member.is(&[".db", ".sqlite"]) || is_database(input, member) {
            let Some(path) = input.path_of(member) else { continue };
            let database = Database::open(path)?;
            if database.format().is_some() {
                history(&database, member, options, out)?;
            }
        } else if !(lines && name == "memories.json") {
            json(input, member, options, out)?;
        }
    }
    Ok(())
}

fn is_database(input: &Input, member: &Member) -> bool {
    input.beginning(member, 15).is_ok_and(|bytes| bytes == b"SQLite format 3")
}

fn json(
    input: &Input,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let before = out.read;
    each_value(input, member, out, &mut |value, line, out| {
        for key in ["results", "memories"] {
            if let Some(all) = value.get(key).and_then(Value::as_array) {
                let names = categories(&value);
                for one in all {
                    memory(one, line, member, &names, options, out)?;
                }
                return Ok(());
            }
        }
        memory(&value, line, member, &BTreeMap::new(), options, out)
    })?;
    if out.read - before == USUAL_PAGE {
        out.warn(
            "there are exactly 20 memories, which is all that get_all() returns unless told otherwise: ask mem0 for get_all(top_k=1000000)",
        );
    }
    Ok(())
}

/// Returns the names of categories by id, where an archive lists them.
fn categories(value: &Value) -> BTreeMap<String, String> {
    let all = value.get("categories").and_then(Value::as_array).into_iter().flatten();
    let names = all
        .filter_map(|one| Some((text_in(one, "id")?.to_owned(), text_in(one, "name")?.to_owned())));
    names.collect()
}

fn memory(
    value: &Value,
    line: Option<usize>,
    member: &Member,
    names: &BTreeMap<String, String>,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let words = ["memory", "content", "text"].into_iter().find_map(|key| text_in(value, key));
    let (Some(words), Some(id)) = (words, text_in(value, "id")) else {
        if value.is_object() {
            out.unreadable(member.file_name(), "a memory without words or id");
        }
        return Ok(());
    };
    let status = match text_in(value, "state") {
        Some("deleted") => {
            out.skip(Skip::Deleted);
            return Ok(());
        }
        Some("paused") => Status::Challenged,
        Some("archived") => Status::Archived,
        _ => Status::Active,
    };
    let time = |key: &str| value.get(key).and_then(|value| time_in(value, &options.zone));
    let user = text_in(value, "user_id");
    let is_person = text_in(value, "role") == Some("user");
    let mut draft = Draft::new(words)
        .from(if is_person { Source::Human } else { Source::Ai })
        .at(member.file_name(), Some(id.to_owned()));
    draft.origin.line = line;
    user.unwrap_or_default().clone_into(&mut draft.origin.account);
    draft.time = time("created_at").or_else(|| time("updated_at"));
    draft.valid_to = time("expiration_date");
    draft.session = text_in(value, "run_id").map(str::to_owned);
    draft.speaker = text_in(value, "actor_id").or(user).map(str::to_owned);
    draft.status = status;
    draft.decided = time("archived_at").map(|at| (at, "archived in OpenMemory".to_owned()));
    let metadata = value.get("metadata");
    let tags = [value.get("categories"), metadata.and_then(|all| all.get("tags"))];
    draft.tags = tags.into_iter().flatten().flat_map(texts_in).map(|tag| as_tag(&tag)).collect();
    let of_id = value.get("category_ids").map(texts_in).unwrap_or_default();
    draft.tags.extend(of_id.iter().filter_map(|id| names.get(id)).map(|name| as_tag(name)));
    if let (Some(made), Some(changed)) = (draft.time, time("updated_at"))
        && made != changed
    {
        draft.keep("updated_at", &value["updated_at"]);
    }
    for key in [
        "agent_id",
        "run_id",
        "actor_id",
        "role",
        "user_id",
        "app",
        "expiration_date",
        "attributed_to",
    ] {
        draft.keep(key, &value[key]);
    }
    draft.keep("categories", &value["categories"]);
    if let Some(Value::Object(mut metadata)) = metadata.cloned() {
        if let Some(category) = metadata.get("category").and_then(Value::as_str) {
            draft.category = Some(category.to_owned());
        }
        if let Some(ours) = metadata.remove("quipu") {
            take_ours(&ours, &mut draft, options);
        }
        draft.keep("metadata", &Value::Object(metadata));
    }
    out.put(draft)
}

/// Takes what our own export has beside a memory.
fn take_ours(value: &Value, draft: &mut Draft, options: &Options) {
    let text = |key: &str| text_in(value, key).map(str::to_owned);
    let time = |key: &str| value.get(key).and_then(|value| time_in(value, &options.zone));
    draft.category = text("category");
    draft.memory_type = text("type").and_then(|text| MemoryType::named(&text));
    draft.layer = text("layer").and_then(|text| Layer::named(&text));
    draft.source = text("source").and_then(|text| Source::named(&text)).unwrap_or(draft.source);
    draft.status = text("status").and_then(|text| Status::named(&text)).unwrap_or(draft.status);
    draft.importance = importance(text("importance").and_then(|text| text.parse().ok()));
    (draft.session, draft.speaker) = (text("session"), text("speaker"));
    (draft.valid_from, draft.valid_to) = (time("valid_from"), time("valid_to"));
    draft.supersedes = text("supersedes");
    draft.negative = text("negative").as_deref() == Some("true");
    draft.sensitivity = text("sensitivity").and_then(|text| Sensitivity::named(&text));
    draft.tags = value.get("tags").map(texts_in).unwrap_or_default();
}

/// What happened to one memory, as its history has it.
#[derive(Default)]
struct Past {
    /// Each text that it had, and since when.
    texts: Vec<(String, Option<jiff::Timestamp>)>,
    made: Option<jiff::Timestamp>,
    is_deleted: bool,
    speaker: Option<String>,
    is_person: bool,
}

fn history(
    database: &Database,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let mut order: Vec<String> = Vec::new();
    let mut pasts: BTreeMap<String, Past> = BTreeMap::new();
    database.rows("history", &mut |row| {
        let Some(id) = row.id("memory_id") else {
            out.unreadable(member.file_name(), "a line of the history without a memory");
            return Ok(());
        };
        if !pasts.contains_key(&id) {
            order.push(id.clone());
        }
        let past = pasts.entry(id).or_default();
        let made = row.time("created_at", &options.zone);
        let changed = row.time("updated_at", &options.zone).or(made);
        past.made = past.made.or(made).or(changed);
        past.speaker = row.text("actor_id").map(str::to_owned).or(past.speaker.take());
        past.is_person |= row.text("role") == Some("user");
        if row.text("event") == Some("DELETE") || row.is("is_deleted") {
            past.is_deleted = true;
            if past.texts.is_empty() {
                past.texts.extend(row.text("old_memory").map(|text| (text.to_owned(), made)));
            }
        } else if let Some(text) = row.text("new_memory") {
            past.is_deleted = false;
            past.texts.push((text.to_owned(), if past.texts.is_empty() { made } else { changed }));
        }
        Ok(())
    })?;
    for id in order {
        let past = pasts.remove(&id).unwrap_or_default();
        let last = past.texts.len().saturating_sub(1);
        for (number, (text, at)) in past.texts.into_iter().enumerate() {
            // The text of today has the memory's own id, those before it have a number.
            let own = if number == last { id.clone() } else { format!("{id}\u{1f}{number}") };
            let mut draft = Draft::new(text)
                .from(if past.is_person { Source::Human } else { Source::Ai })
                .at(member.file_name(), Some(own));
            draft.time = at.or(past.made);
            draft.speaker.clone_from(&past.speaker);
            if number > 0 {
                draft.supersedes = Some(format!("{id}\u{1f}{}", number - 1));
            }
            if number == last && past.is_deleted {
                draft.status = Status::Archived;
            }
            out.put(draft)?;
        }
    }
    Ok(())
}

/// Notes of the plugin: blocks of a head between `---` lines and a text.
fn notes(
    input: &Input,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let text = input.text(member)?;
    // A line `---` in the words begins no block: a head begins with its id.
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let is_head = lines.get(number + 1).is_some_and(|next| next.starts_with("id:"));
        if line.trim_end() == "---" && is_head {
            starts.push(at);
        }
        at += line.len();
    }
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(text.len());
        let note = Note::read(&text[*start..end]);
        let Some(id) = note.text("id") else {
            out.unreadable(&input.place(member), "a note whose head cannot be read");
            continue;
        };
        let mut draft = Draft::new(note.body).from(Source::Ai).at(member.file_name(), Some(id));
        draft.time = note.text("created_at").and_then(|text| time_of(&text, &options.zone));
        draft.category = note.text("type");
        draft.confidence = note.text("confidence").and_then(|text| text.parse().ok());
        draft.tags = note.list("categories").iter().map(|tag| as_tag(tag)).collect();
        draft.tags.extend(note.list("files").iter().map(|file| format!("file:{file}")));
        if let Some(branch) = note.head.get("branch") {
            draft.keep("branch", branch);
        }
        out.put(draft)?;
    }
    Ok(())
}
