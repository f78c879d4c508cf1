//! Claude Code: its memory files, the instructions that people write for it, and its transcripts.

use std::collections::BTreeSet;

use quipu_core::item::{Layer, MemoryType, Source};
use serde_json::Value;

use super::sections::{Section, sections};
use super::turns::{Turn, turn};
use super::{Options, each_value};
use crate::draft::{Draft, DraftLink, Skip};
use crate::error::ImportError;
use crate::head::Note;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, text_in, time_of};

/// Words that Claude Code puts into turns of the user, with what ends them.
const INJECTED: [(&str, &str); 7] = [
    ("<system-reminder>", "</system-reminder>"),
    ("<local-command-stdout>", "</local-command-stdout>"),
    ("<local-command-caveat>", "</local-command-caveat>"),
    ("<command-name>", "</command-name>"),
    ("<command-message>", "</command-message>"),
    ("<command-args>", "</command-args>"),
    ("<user-prompt-submit-hook>", "</user-prompt-submit-hook>"),
];

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    let mut known = BTreeSet::new();
    for member in input.members() {
        let name = member.file_name();
        let is_transcript = name.to_lowercase().ends_with(".jsonl");
        if is_transcript {
            transcript(input, member, options, &mut known, out)?;
        } else if name.to_lowercase().ends_with(".md") {
            match name {
                "CLAUDE.md" | "CLAUDE.local.md" => rules(input, member, out)?,
                "MEMORY.md" => index(input, member, out)?,
                _ if is_memory(input, member) => memory(input, member, options, out)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Tells whether a file is among the memories: other Markdown beside them is somebody else's.
fn is_memory(input: &Input, member: &Member) -> bool {
    let folder = member.name.rsplit('/').nth(1);
    input.members().len() == 1
        || !input.is_folder()
        || folder.is_some_and(|folder| folder == "memory" || folder == "team")
        || input.text(member).is_ok_and(|text| {
            let note = Note::read(&text);
            note.head.get("metadata").and_then(|more| more.get("node_type")).is_some()
                || (note.head.contains_key("name") && note.head.contains_key("type"))
        })
}

/// Returns the folder that a project's memories are about, as its name says; signs of the path are lost in it.
fn project_of(member: &Member) -> Option<String> {
    let parts: Vec<&str> = member.name.split('/').collect();
    let at = parts.iter().position(|part| *part == "projects")?;
    let slug = parts.get(at + 1).filter(|_| parts.len() > at + 2)?;
    slug.rsplit('-').find(|part| !part.is_empty()).map(str::to_owned)
}

/// One file is one memory.
fn memory(
    input: &Input,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let text = input.text(member)?;
    let note = Note::read(&text);
    if let Some(why) = &note.broken {
        out.warn(format!("{}: {why}; its words are read", input.place(member)));
    }
    let metadata = note.head.get("metadata").cloned().unwrap_or_default();
    let own = |key: &str| text_in(&metadata, key).map(str::to_owned).or_else(|| note.text(key));
    let name = note.text("name").unwrap_or_else(|| member.stem().to_owned());
    let title = note.text("description");
    let body = note.body.trim();
    let words = match &title {
        Some(title) if body.is_empty() => title.clone(),
        // The title alone tells which memory it is; the words may begin in the middle.
        Some(title) if !body.to_lowercase().contains(&title.to_lowercase()) => {
            format!("{title}\n\n{body}")
        }
        _ => body.to_owned(),
    };
    let mut draft = Draft::new(words).from(Source::Ai).at(&member.name, Some(name));
    draft.origin.account = project_of(member).unwrap_or_default();
    let has_reason = body.contains("**Why");
    let (category, layer, memory_type) = match own("type").as_deref() {
        Some("user") => ("user-preference", Layer::Semantic, MemoryType::Fact),
        Some("feedback") => ("convention", Layer::Procedural, MemoryType::Procedure),
        Some("project") if has_reason => ("decision", Layer::Procedural, MemoryType::Procedure),
        Some("project") => ("learned", Layer::Semantic, MemoryType::Fact),
        Some("reference") => ("note", Layer::Semantic, MemoryType::Fact),
        _ => ("", Layer::Semantic, MemoryType::Fact),
    };
    if !category.is_empty() {
        draft = draft.called(category);
        (draft.layer, draft.memory_type) = (Some(layer), Some(memory_type));
    }
    draft.session = own("originSessionId");
    draft.time = own("modified").and_then(|text| time_of(&text, &options.zone));
    if draft.time.is_none() {
        (draft.time, draft.time_from) = (member.modified, Some("mtime"));
    }
    draft.tags.extend(project_of(member).map(|name| as_tag(&name)));
    draft.links = wiki_links(note.body)
        .into_iter()
        .map(|to| DraftLink { to, relation: "related".to_owned() })
        .collect();
    draft.keep("description", &Value::from(title));
    draft.keep("type", &Value::from(own("type")));
    out.put(draft)
}

/// Returns the names in `[[name]]`.
pub(super) fn wiki_links(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("[[") {
        let Some(end) = rest[start..].find("]]") else { break };
        let inside = &rest[start + 2..start + end];
        let target = inside.split(['|', '#']).next().unwrap_or_default().trim();
        let is_new = !found.iter().any(|one| one == target);
        if is_new && !target.is_empty() && !target.contains('\n') && target.len() < 300 {
            found.push(target.to_owned());
        }
        rest = &rest[start + end + 2..];
    }
    found
}

/// The index names files. Older ones hold the notes themselves: bullets that are no pointer.
fn index(input: &Input, member: &Member, out: &mut Out<'_>) -> Result<(), ImportError> {
    let text = input.text(member)?;
    for section in sections(Note::read(&text).body) {
        let is_pointer = section.text.starts_with('[') && section.text.contains(".md)");
        if is_pointer || section.text.contains("](") && section.text.contains(".md)") {
            out.skip(Skip::Derived);
            continue;
        }
        said(section, member, Source::Ai, out)?;
    }
    Ok(())
}

/// What people write for Claude Code: each bullet or paragraph is a memory. Lines that name another file are not
/// words of their own.
fn rules(input: &Input, member: &Member, out: &mut Out<'_>) -> Result<(), ImportError> {
    let text = input.text(member)?;
    let mut in_ours = false;
    for section in sections(Note::read(&text).body) {
        // What `quipu init` wrote there is about this memory.
        in_ours |= section.text.contains("quipu:begin");
        let is_import =
            section.text.starts_with('@') && !section.text.contains(char::is_whitespace);
        if is_import || in_ours {
            out.skip(Skip::Derived);
            continue;
        }
        said(section, member, Source::Human, out)?;
    }
    Ok(())
}

fn said(
    section: Section,
    member: &Member,
    source: Source,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let Section { heading, text, line, .. } = section;
    let mut draft = Draft::new(text).from(source).at(&member.name, None);
    draft.origin.line = Some(line);
    draft.origin.account = project_of(member).unwrap_or_default();
    (draft.time, draft.time_from) = (member.modified, Some("mtime"));
    draft.tags.extend(Some(as_tag(&heading)).filter(|tag| !tag.is_empty()));
    draft.heading = Some(heading).filter(|heading| !heading.is_empty());
    out.put(draft)
}

fn transcript(
    input: &Input,
    member: &Member,
    options: &Options,
    known: &mut BTreeSet<String>,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    each_value(input, member, out, &mut |value, _, out| {
        let kind = text_in(&value, "type");
        let Some(speaker @ ("user" | "assistant")) = kind else { return Ok(()) };
        let is = |key: &str| value[key] == true;
        if is("isSidechain") || member.name.contains("/subagents/") {
            out.skip(Skip::Sidechain);
            return Ok(());
        }
        let is_synthetic = text_in(&value["message"], "model") == Some("<synthetic>");
        if ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"]
            .iter()
            .any(|key| is(key))
            || is_synthetic
        {
            out.skip(Skip::Hidden);
            return Ok(());
        }
        let id = text_in(&value, "uuid").map(str::to_owned);
        // A session that is taken up again repeats the lines of the one before.
        if id.as_ref().is_some_and(|id| !known.insert(id.clone())) {
            out.skip(Skip::Repeat);
            return Ok(());
        }
        let Some(words) = words(&value["message"]["content"]) else {
            out.skip(Skip::Tool);
            return Ok(());
        };
        let words = without_injected(&words);
        let time = text_in(&value, "timestamp").and_then(|text| time_of(text, &options.zone));
        let session = text_in(&value, "sessionId").unwrap_or(member.stem());
        turn(Turn { words, speaker, id, time, session, title: None }, member, options, out)
    })
}

/// Returns what was said; nothing where it is only what a tool was told or answered.
fn words(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| text_in(part, "type") == Some("text"));
            let texts: Vec<&str> = texts.filter_map(|part| text_in(part, "text")).collect();
            (!texts.is_empty()).then(|| texts.join("\n\n"))
        }
        _ => None,
    }
}

/// Returns a turn without what Claude Code and its hooks put into it.
pub(super) fn without_injected(words: &str) -> String {
    let mut words = words.to_owned();
    for (begin, end) in INJECTED {
        while let Some(start) = words.find(begin) {
            let stop = words[start..].find(end).map_or(words.len(), |at| start + at + end.len());
            words.replace_range(start..stop, "");
        }
    }
    words.trim().to_owned()
}
