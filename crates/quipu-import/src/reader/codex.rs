//! Codex: memories that it keeps, summaries of sessions, and the sessions themselves.

use quipu_core::item::Source;

use super::sections::sections;
use super::turns::{Turn, turn};
use super::{Options, each_value};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::id::derived;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{as_tag, text_in, time_of};

/// How turns begin that Codex writes for the user.
const INJECTED: [&str; 4] =
    ["<environment_context>", "# AGENTS.md instructions", "<turn_aborted>", "<user_instructions>"];

pub(super) fn read(input: &Input, options: &Options, out: &mut Out<'_>) -> Result<(), ImportError> {
    for member in input.members() {
        let name = member.file_name();
        if member.is(&[".zst"]) {
            out.warn(
                "sessions that Codex has packed (.jsonl.zst) are left out: `unzstd` unpacks them",
            );
        } else if member.is(&[".jsonl"]) {
            session(input, member, options, out)?;
        } else if name == "raw_memories.md" {
            out.skip(Skip::Derived);
        } else if member.is(&[".md"]) {
            let text = input.text(member)?;
            if text.starts_with("thread_id: ") {
                summary(&text, member, options, out)?;
            } else {
                curated(&text, member, out)?;
            }
        }
    }
    Ok(())
}

/// What Codex keeps: each bullet or paragraph is a memory.
fn curated(text: &str, member: &Member, out: &mut Out<'_>) -> Result<(), ImportError> {
    for section in sections(text) {
        let mut draft = Draft::new(section.text).from(Source::Ai).at(&member.name, None);
        draft.origin.line = Some(section.line);
        (draft.time, draft.time_from) = (member.modified, Some("mtime"));
        draft.tags.extend(Some(as_tag(&section.heading)).filter(|tag| !tag.is_empty()));
        draft.heading = Some(section.heading).filter(|heading| !heading.is_empty());
        out.put(draft)?;
    }
    Ok(())
}

/// What one session came to: a head of plain lines, a blank one, the words.
fn summary(
    text: &str,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let of = |key: &str| {
        head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": ")).map(str::trim)
    };
    let thread = of("thread_id").map(str::to_owned);
    let mut draft = Draft::new(body).from(Source::Ai).called("turn-summary");
    draft = draft.at(&member.name, thread.clone().map(|id| format!("{id}\u{1f}summary")));
    draft.session = thread;
    draft.time = of("updated_at").and_then(|text| time_of(text, &options.zone));
    if draft.time.is_none() {
        (draft.time, draft.time_from) = (member.modified, Some("mtime"));
    }
    let folder = of("cwd").and_then(|path| path.rsplit('/').next()).map(as_tag);
    draft.tags.extend(folder.filter(|tag| !tag.is_empty()));
    out.put(draft)
}

fn session(
    input: &Input,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let (mut thread, mut is_helper) = (String::new(), false);
    each_value(input, member, out, &mut |value, _, out| {
        let payload = &value["payload"];
        match text_in(&value, "type") {
            Some("session_meta") => {
                let id = text_in(payload, "session_id").or_else(|| text_in(payload, "id"));
                id.unwrap_or(member.stem()).clone_into(&mut thread);
                is_helper = payload.get("agent_role").is_some_and(|role| !role.is_null());
                out.version = text_in(payload, "cli_version").map(str::to_owned);
                return Ok(());
            }
            Some("response_item") => {}
            _ => return Ok(()),
        }
        let Some(speaker @ ("user" | "assistant")) = text_in(payload, "role") else {
            let is_system = matches!(text_in(payload, "role"), Some("developer" | "system"));
            out.skip(if is_system { Skip::System } else { Skip::Tool });
            return Ok(());
        };
        if is_helper {
            out.skip(Skip::Sidechain);
            return Ok(());
        }
        let parts = payload["content"].as_array().into_iter().flatten();
        let texts = parts
            .filter(|part| matches!(text_in(part, "type"), Some("input_text" | "output_text")));
        let texts: Vec<&str> = texts.filter_map(|part| text_in(part, "text")).collect();
        let words = texts.join("\n\n");
        if speaker == "user" && INJECTED.iter().any(|begin| words.trim_start().starts_with(begin)) {
            out.skip(Skip::System);
            return Ok(());
        }
        let stamp = text_in(&value, "timestamp").unwrap_or_default();
        // A session that was forked repeats what was said before.
        let id = Some(derived(&["codex", speaker, stamp, &words]));
        let time = time_of(stamp, &options.zone);
        let session = if thread.is_empty() { member.stem() } else { &thread };
        turn(Turn { words, speaker, id, time, session, title: None }, member, options, out)
    })?;
    Ok(())
}
