//! Turns of conversations: what the chats of all programs have in common, and the two that have nothing else.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use quipu_core::item::{Layer, MemoryType, Source};
use serde_json::Value;

use super::{Options, each_value};
use crate::draft::{Draft, Skip};
use crate::error::ImportError;
use crate::id::derived;
use crate::input::{Input, Member};
use crate::out::Out;
use crate::text::{text_in, time_of};

/// Prompts of Gemini that are further apart begin a new conversation, in seconds.
const GAP: i64 = 30 * 60;

/// One turn.
pub(super) struct Turn<'t> {
    pub(super) words: String,
    pub(super) speaker: &'t str,
    pub(super) id: Option<String>,
    pub(super) time: Option<Timestamp>,
    pub(super) session: &'t str,
    pub(super) title: Option<&'t str>,
}

/// Takes a turn, where the caller asked for chats.
pub(super) fn turn(
    turn: Turn<'_>,
    member: &Member,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    if turn.words.trim().is_empty() {
        out.skip(Skip::Empty);
        return Ok(());
    }
    if !options.with_chats {
        out.skip(Skip::Chat);
        return Ok(());
    }
    let mut draft =
        Draft::new(turn.words).from(Source::Interaction).at(member.file_name(), turn.id);
    draft.time = turn.time;
    if draft.time.is_none() {
        (draft.time, draft.time_from) = (member.modified, Some("mtime"));
    }
    draft.session = Some(turn.session.to_owned());
    draft.speaker = Some(turn.speaker.to_owned());
    (draft.layer, draft.memory_type) = (Some(Layer::Episodic), Some(MemoryType::Narrative));
    draft.category = Some("note".to_owned());
    draft.importance = Some(0.3);
    if let Some(title) = turn.title {
        draft.keep("title", &Value::from(title));
    }
    out.put(draft)
}

/// What the Gemini apps know of their use: prompts and answers, the newest first.
pub(super) fn gemini(
    input: &Input,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    for member in input.ending(&[".json"]) {
        let mut prompts: Vec<(Timestamp, String, Option<String>)> = Vec::new();
        each_value(input, member, out, &mut |value, _, out| {
            let about = format!("{} {}", value["header"], value["products"]);
            if !["Gemini", "Bard"].iter().any(|name| about.contains(name)) {
                out.skip(Skip::Filtered);
                return Ok(());
            }
            let time = text_in(&value, "time").and_then(|text| time_of(text, &options.zone));
            let (Some(time), Some(title)) = (time, text_in(&value, "title")) else {
                out.unreadable(&input.place(member), "a prompt without time or title");
                return Ok(());
            };
            let html =
                value["safeHtmlItem"].as_array().and_then(|all| text_in(all.first()?, "html"));
            let answer = html.map(crate::document::html_text);
            let prompt =
                ["Prompted ", "Asked ", "Said "].iter().find_map(|verb| title.strip_prefix(verb));
            match (prompt, &answer) {
                (Some(prompt), _) => prompts.push((time, prompt.to_owned(), answer)),
                // In other languages the verb is another.
                (None, Some(_)) => prompts.push((time, title.to_owned(), answer)),
                (None, None) => out.skip(Skip::Tool),
            }
            Ok(())
        })?;
        prompts.sort();
        let mut session = String::new();
        let mut before: Option<Timestamp> = None;
        for (time, prompt, answer) in prompts {
            if before.is_none_or(|before| time.as_second() - before.as_second() > GAP) {
                session = format!("gemini-{}", time.strftime("%Y%m%d-%H%M%S"));
            }
            before = Some(time);
            let id = derived(&["gemini", &time.to_string(), &prompt]);
            let mut say = |words: String, speaker: &str, id: String| {
                let time = Some(time);
                let one =
                    Turn { words, speaker, id: Some(id), time, session: &session, title: None };
                turn(one, member, options, out)
            };
            say(prompt, "user", id.clone())?;
            if let Some(answer) = answer {
                say(answer, "gemini", format!("{id}-answer"))?;
            }
        }
    }
    out.warn(
        "known 2026-09: Google does not document this format, and it has no ids of conversations",
    );
    Ok(())
}

/// An export of Slack: who is who, and a file a channel and day.
pub(super) fn slack(
    input: &Input,
    options: &Options,
    out: &mut Out<'_>,
) -> Result<(), ImportError> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for member in input.ending(&["users.json"]) {
        each_value(input, member, out, &mut |value, _, _| {
            let profile = &value["profile"];
            let name = [
                text_in(profile, "display_name"),
                text_in(&value, "real_name"),
                text_in(&value, "name"),
            ];
            if let (Some(id), Some(name)) =
                (text_in(&value, "id"), name.into_iter().flatten().next())
            {
                names.insert(id.to_owned(), name.to_owned());
            }
            Ok(())
        })?;
    }
    for member in input.ending(&[".json"]) {
        let mut parts = member.name.rsplit('/');
        let (Some(_), Some(channel)) = (parts.next(), parts.next()) else { continue };
        each_value(input, member, out, &mut |value, _, out| {
            if text_in(&value, "type") != Some("message") {
                return Ok(());
            }
            let kept = [None, Some("thread_broadcast"), Some("me_message"), Some("file_share")];
            if !kept.contains(&text_in(&value, "subtype")) || value.get("bot_id").is_some() {
                out.skip(Skip::Tool);
                return Ok(());
            }
            let Some(stamp) = text_in(&value, "ts") else {
                out.unreadable(&input.place(member), "a message without a time");
                return Ok(());
            };
            let time = stamp.parse().ok().and_then(crate::text::seconds);
            let day = time.map(|time| time.to_zoned(TimeZone::UTC).date().to_string());
            let thread =
                text_in(&value, "thread_ts").map(str::to_owned).or(day).unwrap_or_default();
            let user = text_in(&value, "user").unwrap_or_default();
            let speaker = names.get(user).map_or(user, String::as_str);
            let words = slack_words(text_in(&value, "text").unwrap_or_default(), &names);
            let session = format!("{channel}/{thread}");
            let id = Some(format!("{channel}\u{1f}{stamp}"));
            let is_me = options.me.as_deref().is_some_and(|me| me == speaker || me == user);
            let one = Turn { words, speaker, id, time, session: &session, title: Some(channel) };
            if is_me {
                return turn(one, member, options, out);
            }
            // What others said is no word of the user's.
            if !options.with_chats {
                out.skip(Skip::Chat);
                return Ok(());
            }
            let mut draft = Draft::new(one.words).at(member.file_name(), one.id);
            (draft.time, draft.session) = (time, Some(session.clone()));
            draft.speaker = Some(speaker.to_owned());
            draft.tags.push(crate::text::as_tag(channel));
            draft.importance = Some(0.3);
            out.put(draft)
        })?;
    }
    Ok(())
}

/// Returns the words of a message with names instead of ids.
fn slack_words(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        words.push_str(&rest[..start]);
        let Some(end) = rest[start..].find('>') else {
            words.push_str(&rest[start..]);
            rest = "";
            break;
        };
        let inside = &rest[start + 1..start + end];
        let (target, label) = inside.split_once('|').map_or((inside, None), |(a, b)| (a, Some(b)));
        match target.split_at_checked(1) {
            Some(("@", id)) => {
                words.push('@');
                words.push_str(label.or(names.get(id).map(String::as_str)).unwrap_or(id));
            }
            Some(("#", id)) => words.extend(["#", label.unwrap_or(id)]),
            Some(("!", word)) => words.extend(["@", label.unwrap_or(word)]),
            _ => match label {
                Some(label) => words.extend([label, " (", target, ")"]),
                None => words.push_str(target),
            },
        }
        rest = &rest[start + end + 1..];
    }
    words.push_str(rest);
    words.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}
