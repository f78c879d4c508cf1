//! Questions with known answers: our neutral form, and the files of the original benchmarks.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// One memory.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Memory {
    pub(crate) space: String,
    pub(crate) id: String,
    pub(crate) session: String,
    pub(crate) time: Option<String>,
    #[serde(default)]
    pub(crate) speaker: Option<String>,
    pub(crate) text: String,
}

/// One question.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) space: String,
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(rename = "question")]
    pub(crate) words: String,
    pub(crate) time: Option<String>,
    pub(crate) gold: Vec<String>,
    pub(crate) gold_sessions: Vec<String>,
}

/// Memories that are searched together, and what is asked of them.
#[derive(Debug, Default)]
pub(crate) struct Space {
    pub(crate) memories: Vec<Memory>,
    pub(crate) questions: Vec<Question>,
}

/// Reads a set.
pub(crate) fn read(path: &Path) -> BTreeMap<String, Space> {
    let mut spaces: BTreeMap<String, Space> = BTreeMap::new();
    let (memories, questions) = if path.is_dir() {
        (lines(&path.join("corpus.jsonl")), lines(&path.join("questions.jsonl")))
    } else {
        original(path)
    };
    for memory in memories {
        spaces.entry(memory.space.clone()).or_default().memories.push(memory);
    }
    for question in questions {
        let space = spaces.entry(question.space.clone()).or_default();
        space.questions.push(question);
    }
    spaces
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Vec<T> {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Reads a time with or without a zone.
pub(crate) fn time(text: &str) -> Timestamp {
    text.parse()
        .or_else(|_| format!("{text}Z").parse())
        .or_else(|_| format!("{text}T00:00:00Z").parse())
        .unwrap_or_default()
}

/// Reads a file as its makers publish it, by its shape.
fn original(path: &Path) -> (Vec<Memory>, Vec<Question>) {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let value: Value = serde_json::from_str(&text).unwrap();
    let first = value.get(0).unwrap_or(&value);
    if first.get("haystack_sessions").is_some() {
        long_mem_eval(&value)
    } else if first.get("conversation").is_some() {
        locomo(&value)
    } else if first.get("chat").is_some() || value.get("chat").is_some() {
        beam(&value)
    } else {
        panic!("{}: not a LoCoMo, LongMemEval or BEAM file", path.display())
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// What `LoCoMo`'s categories are called; the fifth has no answer to find.
const KINDS: [&str; 5] = ["", "multi-hop", "temporal", "open-domain", "single-hop"];

/// `locomo10.json`: sessions `session_N` with `session_N_date_time`, evidence `D1:3`.
fn locomo(value: &Value) -> (Vec<Memory>, Vec<Question>) {
    let (mut memories, mut questions) = (Vec::new(), Vec::new());
    for (number, sample) in list(value).iter().enumerate() {
        let space = format!("locomo-{number}");
        let conversation = &sample["conversation"];
        for session in 1..1000 {
            let turns = list(&conversation[format!("session_{session}")]);
            if turns.is_empty() && conversation.get(format!("session_{}", session + 1)).is_none() {
                break;
            }
            let date = text_of(&conversation[format!("session_{session}_date_time")]);
            for turn in turns {
                let caption = turn.get("blip_caption").map(text_of).unwrap_or_default();
                let mut text = text_of(&turn["text"]);
                if !caption.is_empty() {
                    text = format!("{text} [image: {caption}]");
                }
                memories.push(Memory {
                    space: space.clone(),
                    id: text_of(&turn["dia_id"]),
                    session: session.to_string(),
                    time: spoken_date(&date),
                    speaker: Some(text_of(&turn["speaker"])),
                    text,
                });
            }
        }
        for (index, question) in list(&sample["qa"]).iter().enumerate() {
            let category = question["category"].as_u64().unwrap_or(0);
            let Some(kind) = usize::try_from(category).ok().and_then(|at| KINDS.get(at)) else {
                continue;
            };
            let gold: Vec<String> = list(&question["evidence"])
                .iter()
                .flat_map(|id| text_of(id).split([';', ' ']).map(str::to_owned).collect::<Vec<_>>())
                .filter(|id| id.starts_with('D'))
                .collect();
            if gold.is_empty() || kind.is_empty() {
                continue;
            }
            let session =
                |id: &String| id.trim_start_matches('D').split(':').next().map(str::to_owned);
            let mut gold_sessions: Vec<String> = gold.iter().filter_map(session).collect();
            gold_sessions.sort();
            gold_sessions.dedup();
            questions.push(Question {
                space: space.clone(),
                id: format!("{space}-q{index}"),
                kind: (*kind).to_owned(),
                words: text_of(&question["question"]),
                time: None,
                gold,
                gold_sessions,
            });
        }
    }
    (memories, questions)
}

/// "1:56 pm on 8 May, 2023" as a date.
fn spoken_date(text: &str) -> Option<String> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| {
        word.get(..3).is_some_and(|word| MONTHS.contains(&word.to_lowercase().as_str()))
    })?;
    let month = MONTHS.iter().position(|name| words[at].to_lowercase().starts_with(name))? + 1;
    let day: u32 = words.get(at.checked_sub(1)?)?.parse().ok()?;
    let year: u32 = words.get(at + 1)?.parse().ok()?;
    Some(format!("{year:04}-{month:02}-{day:02}T00:00:00"))
}

/// `longmemeval_s.json`: a haystack of sessions for each question; a turn is a memory.
fn long_mem_eval(value: &Value) -> (Vec<Memory>, Vec<Question>) {
    let (mut memories, mut questions) = (Vec::new(), Vec::new());
    for sample in list(value) {
        let space = text_of(&sample["question_id"]);
        if space.ends_with("_abs") {
            continue;
        }
        let sessions = list(&sample["haystack_sessions"]);
        let ids = list(&sample["haystack_session_ids"]);
        let dates = list(&sample["haystack_dates"]);
        let mut gold = Vec::new();
        for (index, session) in sessions.iter().enumerate() {
            let session_id = ids.get(index).map_or(index.to_string(), text_of);
            let time = dates.get(index).map(text_of).and_then(|date| slashed_date(&date));
            for (turn_index, turn) in list(session).iter().enumerate() {
                let id = format!("{session_id}:{turn_index}");
                if turn["has_answer"].as_bool() == Some(true) {
                    gold.push(id.clone());
                }
                memories.push(Memory {
                    space: space.clone(),
                    id,
                    session: session_id.clone(),
                    time: time.clone(),
                    speaker: Some(text_of(&turn["role"])),
                    text: text_of(&turn["content"]),
                });
            }
        }
        questions.push(Question {
            space: space.clone(),
            id: space,
            kind: text_of(&sample["question_type"]),
            words: text_of(&sample["question"]),
            time: slashed_date(&text_of(&sample["question_date"])),
            gold,
            gold_sessions: list(&sample["answer_session_ids"]).iter().map(text_of).collect(),
        });
    }
    (memories, questions)
}

/// "2023/05/30 (Tue) 23:40" as a time.
fn slashed_date(text: &str) -> Option<String> {
    let mut words = text.split(' ');
    let day = words.next()?.replace('/', "-");
    let clock = words.find(|word| word.contains(':')).unwrap_or("00:00");
    Some(format!("{day}T{clock}:00"))
}

/// A BEAM chat: messages with a role, an id and a time anchor, and probing questions by type.
fn beam(value: &Value) -> (Vec<Memory>, Vec<Question>) {
    let (mut memories, mut questions) = (Vec::new(), Vec::new());
    let samples = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    for (number, sample) in samples.iter().enumerate() {
        let space = format!("beam-{number}");
        let mut id = 0;
        let mut time = None;
        let mut session_of = BTreeMap::new();
        for (session, batch) in list(&sample["chat"]).iter().enumerate() {
            let turns = batch.get("turns").unwrap_or(batch);
            for message in list(turns).iter().flat_map(|turn| match turn {
                Value::Array(messages) => messages.clone(),
                other => vec![other.clone()],
            }) {
                let anchor =
                    message.get("time_anchor").map(text_of).filter(|text| !text.is_empty());
                time = anchor.and_then(|text| spoken_anchor(&text)).or(time);
                session_of.insert(id.to_string(), (session + 1).to_string());
                memories.push(Memory {
                    space: space.clone(),
                    id: id.to_string(),
                    session: (session + 1).to_string(),
                    time: time.clone(),
                    speaker: Some(text_of(&message["role"])),
                    text: text_of(&message["content"]),
                });
                id += 1;
            }
        }
        let Some(kinds) = sample["probing_questions"].as_object() else { continue };
        for (kind, entries) in kinds.iter().filter(|(kind, _)| *kind != "abstention") {
            for (index, entry) in list(entries).iter().enumerate() {
                let mut gold = Vec::new();
                numbers(&entry["source_chat_ids"], &mut gold);
                if gold.is_empty() {
                    continue;
                }
                let mut gold_sessions: Vec<String> =
                    gold.iter().filter_map(|id| session_of.get(id).cloned()).collect();
                gold_sessions.sort();
                gold_sessions.dedup();
                questions.push(Question {
                    space: space.clone(),
                    id: format!("{space}-{kind}-{index}"),
                    kind: kind.clone(),
                    words: text_of(&entry["question"]),
                    time: None,
                    gold,
                    gold_sessions,
                });
            }
        }
    }
    (memories, questions)
}

/// "March-15-2024" as a date.
fn spoken_anchor(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(['-', ' ', ',']).filter(|word| !word.is_empty()).collect();
    let [month, day, year] = words[..] else { return None };
    spoken_date(&format!("{day} {month} {year}"))
}

fn numbers(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| numbers(value, found)),
        Value::Object(values) => values.values().for_each(|value| numbers(value, found)),
        _ => {}
    }
}
