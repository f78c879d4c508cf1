//! The same operations on two workspaces, which must answer alike: a folder and a space.
//!
//! What is done is drawn from the registry of operations, with arguments that their schemas allow, so an
//! operation that is new is tried too.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use quipu_engine::caller::{Caller, Channel};
use quipu_engine::operation::Call;
use quipu_engine::operation::registry::Entry;
use quipu_engine::{Workspace, ids, operations};
use serde_json::{Map, Value, json};

/// What happened to both.
#[derive(Debug, Default)]
pub struct Played {
    /// How often each operation was carried out, and how often it was refused, alike in both.
    pub done: BTreeMap<&'static str, (usize, usize)>,
    /// Where they differed: the operation, what was asked, and both answers.
    pub differences: Vec<(String, String, String)>,
}

/// Numbers that follow from a seed (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ (mixed >> 31);
        usize::try_from(mixed % sides.max(1) as u64).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.roll(from.len()))
    }
}

const WORDS: [&str; 16] = [
    "Alice deploys the gateway to Berlin on Friday",
    "retries back off with jitter and a limit of 5",
    "the invoice service speaks to Postgres 15",
    "we decided to use tabs",
    "Bob moved to Lisbon in March 2025",
    "the cache expires after ten minutes",
    "never log a password",
    "Größe und Maß der Zöpfe",
    "an elephant in the Berlin zoo",
    "the build needs two cores",
    "tea is better than coffee, says Alice",
    "src/main.rs panics on an empty line",
    "the gateway listens on port 8080",
    "Carol owns the release notes",
    "we no longer use tabs",
    "the limit of retries is 7 now",
];

/// Carries out `steps` operations, drawn from `seed`, on both. Operations that a space refuses because it
/// has no folder are left out.
pub fn play(folder: &Workspace, space: &Workspace, seed: u64, steps: usize) -> Played {
    let mut dice = Dice(seed);
    let mut played = Played::default();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut now: Timestamp = "2026-03-02T08:00:00Z".parse().unwrap_or_default();
    for step in 0..steps {
        now += SignedDuration::from_mins(i64::try_from(dice.roll(600)).unwrap_or(1) + 1);
        let ids: Vec<String> = known.iter().cloned().collect();
        // Without memories there is little to do with them.
        let name = match dice.roll(8) {
            0 | 1 => "remember",
            2 => "fact.add",
            _ => "",
        };
        let drawn = dice.roll(operations::ALL.len());
        let entry = operations::named(name).unwrap_or(&operations::ALL[drawn]);
        let object = arguments(entry, &mut dice, &ids);
        let start = seed.wrapping_mul(1_000_003).wrapping_add(step as u64 * 64);
        let asked = json!({ "operation": entry.name, "arguments": object }).to_string();
        let in_space = answer(entry, &object, space, (now, start));
        if matches!(&in_space, Err(error) if error.starts_with("needs-folder")) {
            continue;
        }
        let in_folder = answer(entry, &object, folder, (now, start));
        if let Ok(answer) = &in_folder {
            gather(answer, &mut known);
        }
        let told = |answer: &Result<Value, String>, of: &Workspace| match answer {
            Ok(answer) => alike(answer.clone(), of).to_string(),
            Err(error) => plain(error, of),
        };
        let (a, b) = (told(&in_folder, folder), told(&in_space, space));
        if a == b {
            let (done, refused) = played.done.entry(entry.name).or_default();
            *(if in_folder.is_ok() { done } else { refused }) += 1;
        } else {
            played.differences.push((asked, a, b));
        }
    }
    played
}

fn answer(
    entry: &'static Entry,
    object: &Map<String, Value>,
    on: &Workspace,
    (now, start): (Timestamp, u64),
) -> Result<Value, String> {
    ids::repeat_from(start);
    let call = Call {
        caller: Caller { channel: Channel::Main, ..Caller::PERSON },
        now,
        today: now.to_zoned(jiff::tz::TimeZone::UTC).date(),
        session: None,
        scope: None,
        progress: &|_, _, _| true,
        is_here: true,
        counts: true,
        retry: None,
    };
    let done = entry.read(object.clone()).and_then(|asked| asked.answer(on, &call));
    done.map_err(|error| format!("{}: {error}", error.code()))
}

/// Draws arguments that a schema allows.
fn arguments(entry: &Entry, dice: &mut Dice, ids: &[String]) -> Map<String, Value> {
    let schema = &*entry.input;
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|all| all.iter().any(|it| it.as_str() == Some(name)));
    let mut object = Map::new();
    for (name, schema) in properties {
        // Files of this machine, and the user's own memory, are no part of a space.
        let is_elsewhere = ["to", "out", "file", "folder", "scope", "user"].contains(&&**name);
        if is_elsewhere || !(is_required(name) || dice.roll(4) == 0) {
            continue;
        }
        object.insert(name.clone(), value(name, schema, dice, ids));
    }
    object
}

fn value(name: &str, schema: &Value, dice: &mut Dice, ids: &[String]) -> Value {
    let is = |kind: &str| match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => false,
    };
    if let Some(names) = schema["enum"].as_array() {
        return dice.pick(names).cloned().unwrap_or_default();
    }
    if is("array") {
        let count = 1 + dice.roll(2);
        return (0..count).map(|_| value(name, &schema["items"], dice, ids)).collect();
    }
    if is("boolean") {
        return json!(dice.roll(2) == 0);
    }
    if is("integer") || is("number") {
        return json!(1 + dice.roll(9));
    }
    if schema["pattern"].is_string() {
        return json!(format!("2026-03-{:02}", 1 + dice.roll(20)));
    }
    if name == "command" {
        let path = format!("/memories/note{}.md", dice.roll(3));
        let text = dice.pick(&WORDS).copied().unwrap_or_default();
        let command = match dice.roll(4) {
            0 => json!({ "command": "view", "path": path }),
            1 => json!({ "command": "delete", "path": path }),
            _ => json!({ "command": "create", "path": path, "file_text": text }),
        };
        return json!(command.to_string());
    }
    let says_id = ["id", "ids", "old", "new", "into", "other", "fact", "target", "memory"];
    if says_id.contains(&name) && dice.roll(8) > 0 {
        return json!(dice.pick(ids).cloned().unwrap_or_else(|| "nothing".to_owned()));
    }
    json!(dice.pick(&WORDS).copied().unwrap_or_default())
}

/// Collects what looks like an id in an answer.
fn gather(answer: &Value, known: &mut BTreeSet<String>) {
    match answer {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(id) if name == "id" && known.len() < 60 => {
                        known.insert(id.clone());
                    }
                    Value::Array(all) if name == "ids" => {
                        known.extend(all.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    other => gather(other, known),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|value| gather(value, known)),
        _ => {}
    }
}

/// What says where a memory is, or how its database counts, and nothing of what is remembered.
const OF_ITS_OWN: [&str; 13] = [
    "bytes",
    "file_after",
    "file_before",
    "root",
    "segments",
    "tail",
    "generation",
    "version",
    "etag",
    "committed",
    "vector_bytes",
    "took_ms",
    "database",
];

/// Returns an answer without what differs between any two folders.
fn alike(mut answer: Value, of: &Workspace) -> Value {
    fn clean(value: &mut Value, of: &Workspace) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !OF_ITS_OWN.contains(&&**name));
                fields.values_mut().for_each(|value| clean(value, of));
            }
            Value::Array(all) => {
                // Files of the state, which a folder has beside it and a space within.
                let is_state = |path: &str| {
                    path.starts_with(".quipu/")
                        || (path.starts_with('/')
                            && !path.starts_with(&*of.root().to_string_lossy()))
                };
                all.retain(|one| !one.as_str().is_some_and(is_state));
                for value in all {
                    clean(value, of);
                }
            }
            Value::String(text) => *text = plain(text, of),
            _ => {}
        }
    }
    clean(&mut answer, of);
    answer
}

fn plain(text: &str, of: &Workspace) -> String {
    text.replace(&of.root().display().to_string(), "ROOT")
}
