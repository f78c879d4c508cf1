//! What a caller may do, and in whose name.

use quipu_core::secret::{SHORT_WAIVER, WAIVER};
use quipu_server::{Caller, Channel, Scope};
use serde_json::Value;

use super::is_private;
use crate::error::CommandError;

/// Commands that only look.
const READS: [&str; 28] = [
    "status",
    "brief",
    "recall",
    "lint",
    "show",
    "history",
    "why",
    "curve",
    "questions",
    "stats",
    "fact list",
    "thread list",
    "session list",
    "session show",
    "journal list",
    "journal tail",
    "journal show",
    "journal scan",
    "experiences query",
    "experiences list",
    "user show",
    "memory similar",
    "entity list",
    "entity show",
    "entity timeline",
    "entity graph",
    "drift",
    "verify",
];

/// Commands that touch more than memory, or cannot be taken back.
const ADMIN: [&str; 6] = ["purge", "init", "index", "replay", "reembed", "compress"];

/// What other channels than the main one may ask: these know what is private.
const ANYWHERE: [&str; 3] = ["recall", "remember", "experiences query"];

/// Commands that take the channel as an option.
const CHANNELS: [&str; 3] = ["recall", "brief", "experiences query"];

/// Returns the name of the command that a line begins with.
pub(super) fn command(words: &[String]) -> String {
    let first = words.first().map_or("", String::as_str);
    let grouped =
        ["fact", "thread", "session", "journal", "experiences", "user", "memory", "entity"];
    match words.get(1) {
        Some(verb) if grouped.contains(&first) => format!("{first} {verb}"),
        _ => first.to_owned(),
    }
}

/// Tells whether a command only looks.
pub(super) fn only_reads(command: &str) -> bool {
    READS.contains(&command)
}

/// Returns the scope that a command line needs.
pub(super) fn needed(words: &[String]) -> Scope {
    let command = command(words);
    let has = |option: &str| is_set(words, option);
    // Some look unless they are told more.
    let acts = match &*command {
        "drift" => has("--fix"),
        "verify" => words.len() > 1,
        "memory-tool" => !is_view(words),
        other => !only_reads(other),
    };
    if ADMIN.contains(&&*command) {
        Scope::Admin
    } else if acts && !has("--dry-run") {
        Scope::Write
    } else {
        Scope::Read
    }
}

/// Tells whether an option is set; what stands behind `--` is text.
pub(super) fn is_set(words: &[String], option: &str) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == option)
}

/// Tells whether a command of the memory tool only looks: itself, or the block that holds it.
fn is_view(words: &[String]) -> bool {
    let given = words.last().and_then(|json| serde_json::from_str::<Value>(json).ok());
    given.is_some_and(|given| {
        let command = if given["type"] == "tool_use" { &given["input"] } else { &given };
        command["command"] == "view"
    })
}

/// Tells whether a caller could ever use a command, with some arguments.
pub(super) fn may(command: &[String], is_raw: bool, caller: &Caller) -> bool {
    // The same command with `--dry-run` may look, and a raw one says itself what it does.
    let is_enough = caller.scope >= needed(command) || is_raw || command[0] == "review";
    let is_there = is_private(caller.channel) || ANYWHERE.contains(&&*self::command(command));
    is_enough && is_there && kept_from(command, caller.channel).is_none()
}

/// What only the main channel says about something to remember: nobody else speaks in the user's name or over
/// their memories.
const OF_MAIN: [&str; 4] = ["pin", "supersedes", "source=human", "confidence"];

/// What the channel `other` does not choose either: it would decide where its words stand in a briefing.
const NOT_OF_OTHER: [&str; 7] =
    ["source", "category", "speaker", "importance", "layer", "type", "valence"];

/// Returns the first option of a command line that the channel does not have.
fn kept_from(words: &[String], channel: Channel) -> Option<&'static str> {
    if is_private(channel) || command(words) != "remember" {
        return None;
    }
    let more: &[&str] = if channel == Channel::Other { &NOT_OF_OTHER } else { &[] };
    let mut kept = OF_MAIN.into_iter().chain(more.iter().copied());
    let options: Vec<&str> = words
        .iter()
        .take_while(|word| *word != "--")
        .filter_map(|word| word.strip_prefix("--"))
        // An agent's own is what it says anyway.
        .filter(|option| *option != "source=ai")
        .collect();
    let is_given = |kept: &&str| {
        options.iter().any(|option| {
            let rest = option.strip_prefix(*kept);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    };
    kept.find(is_given)
}

/// Says that the main channel alone has something.
pub(super) fn only_main(what: &str) -> String {
    let what = what.split('=').next().unwrap_or(what);
    format!("`{what}` is only there for the main channel")
}

/// Lets a command line pass, with the caller's channel set, or says why not.
pub(super) fn admitted(words: &[String], caller: &Caller) -> Result<Vec<String>, CommandError> {
    let command = command(words);
    let needed = needed(words);
    if caller.scope < needed {
        let scope = match needed {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Admin => "admin",
        };
        let why = format!("`{command}` needs the scope `{scope}`, and this caller has less");
        return Err(CommandError::forbidden("forbidden", why)
            .hint("a person can make a token with more: `quipu token add NAME --scope …`"));
    }
    let heartbeat = caller.channel == Channel::Heartbeat && command == "brief";
    if !is_private(caller.channel) && !heartbeat && !ANYWHERE.contains(&&*command) {
        return Err(CommandError::forbidden("channel", only_main(&command)).hint(
            "this channel can `recall` and `remember`; private memory stays in the main one",
        ));
    }
    let mut words = words.to_vec();
    if !is_private(caller.channel) && words.iter().any(|word| vouches(word)) {
        let why = "whether something is no secret is said in the main channel";
        return Err(CommandError::forbidden("channel", why)
            .hint("leave the value out, or write (REDACTED) instead of it"));
    }
    if let Some(kept) = kept_from(&words, caller.channel) {
        return Err(CommandError::forbidden("channel", only_main(kept)).hint("leave it out"));
    }
    if CHANNELS.contains(&&*command) {
        words.retain(|word| !word.starts_with("--channel="));
        let verbs = command.split(' ').count();
        words.insert(verbs, format!("--channel={}", caller.channel.as_str()));
    }
    Ok(words)
}

/// Tells whether a word lets pass what looks like a secret: the option, or the mark in a text.
fn vouches(word: &str) -> bool {
    word.starts_with("--not-a-secret")
        || [WAIVER, SHORT_WAIVER].iter().any(|mark| word.contains(mark))
}
