//! What the channels `other` and `heartbeat` can learn about memory that they may not see: nothing.
//!
//! Two workspaces are the same but for hidden records with rare words. Every tool of every profile is called
//! in both, with every argument that its schema has, and must answer with the same bytes. Only ids, which are
//! random, are masked.

use std::path::Path;

use quipu_core::journal;
use quipu_testkit::TestRepo;
use serde_json::{Value, json};

use crate::mcp::Client;
use crate::{initialised, json as cli, run};

/// All of it happens now.
const NOW: [&str; 2] = ["--now", "2026-06-20T10:00:00Z"];

const PROFILES: [&str; 5] = ["standard", "full", "engram", "cursorclaw", "memory"];

/// Words that only hidden records have, that public ones have, and questions whose answer depends on times,
/// names and languages.
const WORDS: [&str; 9] = [
    "xylophone",
    "What does Zebulon say about the deploy key?",
    "deploy key rotates",
    "What did we talk about in the last session?",
    "What happened before the xylophone was sold?",
    "Which pets would Ann and Bob like, and where is the Xylophone?",
    "Wo steht das Instrument im Keller?",
    "zz-hidden",
    "parrot",
];

/// Which of the twins.
#[derive(Clone, Copy, PartialEq)]
enum Twin {
    Plain,
    /// With records that one channel may not see.
    Planted(&'static str),
}

fn remember(root: &Path, words: &[&str]) -> String {
    let all: Vec<&str> = NOW.into_iter().chain(["remember"]).chain(words.iter().copied()).collect();
    let (code, done) = cli(root, &all);
    assert_eq!(code, 0, "{words:?}: {done}");
    done["id"].as_str().unwrap().to_owned()
}

fn batch(root: &Path, lines: &[Value]) {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let file = root.join("batch.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let (code, _, error) =
        run(root, &[NOW[0], NOW[1], "remember", "--batch", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{error}");
    std::fs::remove_file(file).unwrap();
}

fn turn(session: &str, minute: u32, speaker: &str, text: &str, sensitivity: &str) -> Value {
    json!({
        "text": text, "session": session, "speaker": speaker, "sensitivity": sensitivity,
        "time": format!("2026-06-18T09:{minute:02}:00Z"),
    })
}

/// Builds a workspace; returns it with the ids of what is hidden.
fn built(twin: Twin) -> (TestRepo, Vec<String>) {
    let repo = initialised();
    let root = repo.root();
    let mut hidden = Vec::new();
    let mut plant = |words: &[&str]| {
        if let Twin::Planted(sensitivity) = twin {
            let all: Vec<&str> =
                words.iter().copied().chain(["--sensitivity", sensitivity]).collect();
            hidden.push(remember(root, &all));
        }
    };
    plant(&["The deploy key rotates every ninety days at night, says the xylophone"]);
    plant(&["Our parrot repeats whatever the xylophone plays in the kitchen", "-c", "learned"]);
    let mut turns = vec![
        turn("talk", 1, "Ann", "Which pet would you like?", "public"),
        turn("talk", 3, "Bob", "Rather something with feathers.", "public"),
        turn("talk", 9, "Ann", "Let us have supper first.", "public"),
        turn("other-talk", 20, "Bob", "The parrot moved in on Tuesday.", "public"),
    ];
    if let Twin::Planted(sensitivity) = twin {
        turns.extend([
            turn("talk", 2, "Zebulon", "A xylophone? Which pet plays the xylophone?", sensitivity),
            turn("talk", 4, "Bob", "Feathers, feathers, feathers.", sensitivity),
            turn("zz-hidden", 50, "Zebulon", "The xylophone was sold yesterday.", sensitivity),
        ]);
    }
    batch(root, &turns);
    plant(&["Das Xylophon steht im Keller und niemand spielt darauf, weil es verstimmt ist"]);
    let rotates = "The deploy key rotates every ninety days at night";
    remember(root, &[rotates, "--sensitivity", "public", "-c", "learned"]);
    plant(&["The deploy key rotates every thirty days at night", "-c", "learned"]);
    plant(&[rotates, "--speaker", "Zebulon"]);
    let parrot = "Our parrot repeats whatever the radio plays in the kitchen";
    remember(root, &[parrot, "--sensitivity", "public", "-c", "learned", "-t", "pets"]);
    plant(&["Ask Zebulon about `src/xylophone.rs` and the parrot", "-t", "pets"]);
    let (_, _, error) = run(root, &[NOW[0], NOW[1], "index"]);
    assert!(!error.contains("error"), "{error}");
    (repo, hidden)
}

/// Returns values that fit a schema, given a word to use.
fn values(schema: &Value, word: &str) -> Vec<Value> {
    if let Some(names) = schema["enum"].as_array() {
        return names.clone();
    }
    match schema["type"].as_str() {
        Some("integer") => vec![json!(3)],
        Some("number") => vec![json!(0.9)],
        Some("boolean") => vec![json!(true)],
        Some("array") => match schema["items"]["enum"].as_array() {
            Some(names) => names.iter().map(|name| json!([name])).collect(),
            None => vec![json!([word])],
        },
        _ => vec![json!(word)],
    }
}

/// Returns calls of a tool: with what it needs, and with each other argument added in turn.
fn calls(tool: &Value, word: &str) -> Vec<Value> {
    let schema = &tool["inputSchema"];
    let needed: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let empty = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let mut least = json!({});
    for name in &needed {
        least[*name] = values(&properties[*name], word)[0].clone();
    }
    let mut all = vec![least.clone()];
    for (name, schema) in properties {
        for value in values(schema, word) {
            let mut one = least.clone();
            one[name] = value;
            all.push(one);
        }
    }
    // The public record of somebody who wants to know what is near to it.
    for extra in
        ["explain", "sensitivity"].into_iter().filter(|name| properties.contains_key(*name))
    {
        let mut one = least.clone();
        one[extra] = if extra == "explain" { json!(true) } else { json!("public") };
        all.push(one);
    }
    all
}

/// Hides what is random: the ids, numbered in the order in which they come, and the folder.
fn masked(text: &str, root: &Path) -> String {
    let text = text.replace(root.to_str().unwrap(), "ROOT");
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let mut made = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_part) {
        let word = &rest[start..];
        let length = word.find(|c| !is_part(c)).unwrap_or(word.len());
        made.push_str(&rest[..start]);
        made.push_str(if journal::is_short_id(&word[..length]) { "ID" } else { &word[..length] });
        rest = &word[length..];
    }
    made + rest
}

/// Everything that a caller of a channel can ask, and what it hears.
fn asked(root: &Path, hidden: &[String], profile: &str, channel: &[&str]) -> Vec<(String, String)> {
    let arguments: Vec<&str> = ["--profile", profile].into_iter().chain(NOW).collect();
    let tools = Client::new(root, &arguments).request("tools/list", json!({}));
    let everything = tools["result"]["tools"].as_array().unwrap().clone();
    let arguments: Vec<&str> = arguments.into_iter().chain(channel.iter().copied()).collect();
    let mut client = Client::new(root, &arguments);
    let mut heard = Vec::new();
    let mut ask = |client: &mut Client, method: &str, params: Value| {
        let asked = masked(&format!("{method} {params}"), root);
        let answer = client.request(method, params);
        let told = format!("{} {}", answer["result"], answer["error"]);
        heard.push((asked, masked(&told, root)));
        answer
    };
    let offered = ask(&mut client, "tools/list", json!({}));
    let offered = offered["result"]["tools"].to_string();
    let id = &*hidden[0];
    for tool in &everything {
        let name = tool["name"].as_str().unwrap();
        // What is refused is refused whatever the words are.
        let is_offered = offered.contains(&format!("\"name\":\"{name}\""));
        let words: Vec<&str> =
            if is_offered { WORDS.into_iter().chain([id, &id[..8]]).collect() } else { vec![id] };
        for word in words {
            for arguments in calls(tool, word) {
                ask(&mut client, "tools/call", json!({ "name": name, "arguments": arguments }));
            }
        }
    }
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        ask(&mut client, method, json!({}));
    }
    for address in ["brief", "continuity", "threads", "questions", "status", "session/zz-hidden"] {
        ask(&mut client, "resources/read", json!({ "uri": format!("quipu://{address}") }));
    }
    ask(&mut client, "resources/read", json!({ "uri": format!("quipu://memory/{id}") }));
    for prompt in ["start", "wrap-up", "review"] {
        ask(&mut client, "prompts/get", json!({ "name": prompt, "arguments": {} }));
    }
    for argument in ["id", "session", "question"] {
        let reference = json!({ "type": "ref/resource", "uri": "quipu://memory/{id}" });
        let argument = json!({ "name": argument, "value": "" });
        ask(&mut client, "completion/complete", json!({ "ref": reference, "argument": argument }));
    }
    heard
}

fn assert_alike(sensitivity: &'static str, channel: &[&str], profiles: &[&str], dream: bool) {
    let (plain, _) = built(Twin::Plain);
    let (planted, hidden) = built(Twin::Planted(sensitivity));
    assert!(!hidden.is_empty());
    if dream {
        for twin in [&plain, &planted] {
            let (code, _, error) = run(twin.root(), &[NOW[0], NOW[1], "dream"]);
            assert_eq!(code, 0, "{error}");
        }
    }
    let mut count = 0;
    for profile in profiles {
        // In both by the id of what only one has.
        let one = asked(plain.root(), &hidden, profile, channel);
        let other = asked(planted.root(), &hidden, profile, channel);
        assert_eq!(one.len(), other.len());
        for ((asked, one), (_, other)) in one.iter().zip(&other) {
            assert_eq!(one, other, "{profile} {channel:?}: {asked}");
            // What it asked with may come back; the rest of what is hidden does not.
            assert!(!other.contains("verstimmt"), "{asked}: {other}");
        }
        count += one.len();
    }
    assert!(count > 50, "{count}");
}

#[test]
fn the_channel_other_hears_the_same_whether_or_not_private_memory_is_there() {
    assert_alike("private-user", &["--channel", "other"], &PROFILES, false);
}

#[test]
fn the_channel_other_hears_the_same_whether_or_not_secrets_are_there() {
    assert_alike("secret", &["--channel", "other"], &["standard", "full"], false);
}

#[test]
fn the_channel_other_hears_the_same_after_a_dream() {
    assert_alike("private-user", &["--channel", "other"], &["standard", "full"], true);
}

#[test]
fn a_reader_of_the_channel_other_hears_the_same() {
    let channel = ["--channel", "other", "--read-only"];
    assert_alike("private-user", &channel, &["standard", "engram"], false);
}

#[test]
fn the_channel_heartbeat_hears_the_same_whether_or_not_secrets_are_there() {
    assert_alike("secret", &["--channel", "heartbeat"], &["standard", "cursorclaw"], false);
}
