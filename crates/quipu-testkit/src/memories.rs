//! What tests of the engine do with memories: remember, ask, dream, compare.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quipu_core::item::{Item, Status};
use quipu_engine::dream::{self, DreamRequest, Dreamt};
use quipu_engine::recall::{self, Question, Recalled};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{Workspace, index, replay};

use crate::repo::{ago, now, request};

/// A new memory that says `text`, and nothing else about it.
pub fn told(text: &str) -> NewMemory {
    NewMemory { text: text.to_owned(), ..NewMemory::default() }
}

/// Remembers `text`; returns its id.
pub fn remember(workspace: &Workspace, text: &str) -> String {
    remember::remember(workspace, &[told(text)], &request("remember")).unwrap().ids.remove(0)
}

/// Remembers all of these at once; returns their ids.
pub fn remember_all(workspace: &Workspace, new: &[NewMemory]) -> Vec<String> {
    remember::remember(workspace, new, &request("remember")).unwrap().ids
}

/// A lesson that was learned `days` ago.
pub fn lesson(text: &str, days: i64) -> NewMemory {
    NewMemory { category: "learned".to_owned(), time: Some(ago(days)), ..told(text) }
}

/// A question in these words, with the usual limits.
pub fn asked(query: &str) -> Question {
    Question { query: query.to_owned(), ..Question::default() }
}

/// Asks a question, at the fixed time of tests.
pub fn ask(workspace: &Workspace, question: &Question) -> Recalled {
    recall::recall(workspace, question, now()).unwrap()
}

/// The ids of the answers, best first.
pub fn ids(recalled: &Recalled) -> Vec<&str> {
    recalled.results.iter().map(|answer| answer.id.as_str()).collect()
}

/// Returns `text` without the lines that contain `part`.
pub fn without_lines(text: &str, part: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains(part)).collect()
}

/// Returns a file of the journal without a record.
pub fn without_record(text: &str, id: &str) -> String {
    let mut left = text.to_owned();
    let found = quipu_core::journal::entry::entries(text).find(|entry| entry.record.id == id);
    left.replace_range(found.expect("the record is there").span, "");
    left
}

/// A `continuity.md` with these facts: id, words, and the rest of the footer.
pub fn continuity(facts: &[(&str, &str, &str)]) -> String {
    let mut text =
        "# Continuity\n\n## Project State\n\n- **project:** x\n\n## Key Decisions\n\n".to_owned();
    for (id, words, fields) in facts {
        let _ = write!(text, "- {words}\n  <!-- id: {id} | {fields} -->\n");
    }
    text
}

/// Dreams every step, at the fixed time of tests.
pub fn dream(workspace: &Workspace) -> Dreamt {
    let request = DreamRequest { now: now(), ..DreamRequest::default() };
    dream::dream(workspace, &request, &mut |_, _, _| true).unwrap()
}

/// Everything that is remembered, as it stands.
pub fn projection(workspace: &Workspace) -> BTreeMap<String, Item> {
    let mut all = BTreeMap::new();
    for id in replay::index_ids(workspace).unwrap() {
        let item = index::resolve(workspace, &id).unwrap();
        all.insert(id, item);
    }
    all
}

/// Fails unless a replay of the logs gives the index as it is.
pub fn assert_replays(workspace: &Workspace) {
    let replayed = replay::replay(workspace, true, &mut |_, _| {}).unwrap();
    assert!(replayed.equal, "{:?}", replayed.differences);
}

/// The status of a memory.
pub fn status(workspace: &Workspace, id: &str) -> Status {
    index::resolve(workspace, id).unwrap().status
}
