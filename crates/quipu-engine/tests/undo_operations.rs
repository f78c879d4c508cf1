//! Undo over operations of every kind, as callers carry them out.

use std::collections::BTreeMap;

use proptest::prelude::*;
use quipu_core::journal;
use quipu_engine::caller::Caller;
use quipu_engine::operation::Call;
use quipu_engine::{Workspace, operations, questions, replay, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{ask, asked, continuity};
use quipu_testkit::repo::{now, today};
use serde_json::{Value, json};

/// Returns every file but those of the ledger, which only grows.
fn files(repo: &TestRepo) -> BTreeMap<String, String> {
    let mut files = repo.files();
    files.retain(|path, _| !journal::is_ledger(path) && path != "memory/events/.gitignore");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    files.into_iter().map(|(path, bytes)| (path, text(bytes))).collect()
}

/// Returns what recall answers.
fn answers(workspace: &Workspace) -> Vec<String> {
    let all = ["gateway port", "kettle", "exports streamed", "invoices"].map(|query| {
        let recalled = ask(workspace, &asked(query));
        recalled.results.iter().map(|one| format!("{} {}", one.id, one.text)).collect::<Vec<_>>()
    });
    all.concat()
}

fn call(operation: &str, input: &Value, workspace: &Workspace) -> Option<Value> {
    let call = Call {
        caller: Caller::PERSON,
        now: now(),
        today: today(),
        session: None,
        scope: None,
        progress: &|_, _, _| true,
        is_here: true,
        counts: true,
        retry: None,
    };
    let entry = operations::named(operation).unwrap();
    let asked = entry.read(input.as_object().unwrap().clone());
    asked
        .unwrap_or_else(|error| panic!("{operation} {input}: {error}"))
        .answer(workspace, &call)
        .ok()
}

/// What is done, with numbers that choose among what is there.
fn operation(at: u8, one: u8, known: &[String], workspace: &Workspace) -> (&'static str, Value) {
    let id = |at: u8| known.get(usize::from(at) % known.len().max(1)).cloned().unwrap_or_default();
    let port = 7000 + u32::from(one % 3);
    match at % 22 {
        0..5 => (
            "remember",
            json!({ "text": format!("The gateway listens on port {port}"), "category": "decision" }),
        ),
        5 => (
            "remember",
            json!({ "text": format!("The kettle number {one} is blue"), "tags": ["kitchen"] }),
        ),
        6 => ("edit", json!({ "id": id(one), "text": format!("The kettle {one} is green") })),
        7 => ("forget", json!({ "id": id(one) })),
        8 => ("memory.pin", json!({ "id": id(one) })),
        9 => (
            "fact.add",
            json!({ "text": format!("Invoices of kind {one} are streamed"), "agree": true }),
        ),
        10 => ("session.start", json!({ "agent": "codex" })),
        11 => ("session.note", json!({ "text": format!("looked at {one}"), "kind": "did" })),
        12 => ("session.end", json!({ "references": ["exports-are-streamed"] })),
        13 => ("share", json!({ "id": id(one), "agree": true })),
        14 => ("unshare", json!({ "id": "exports-are-streamed" })),
        15 => ("dream", json!({})),
        16 => {
            let open = questions::questions(workspace, now()).unwrap();
            let Some(first) = open.first() else { return ("status", json!({})) };
            let choice = &first.choices[usize::from(one) % first.choices.len()];
            ("answer", json!({ "id": first.id, "choice": choice.name }))
        }
        17 => ("review", json!({})),
        18 => ("memory.merge", json!({ "ids": [id(one)], "into": id(one.wrapping_add(1)) })),
        19 => ("user.edit", json!({ "text": format!("I am user {one}") })),
        // A conversion is undone only until something is appended: `journal_convert` has its tests.
        20 => ("journal.flush", json!({})),
        _ => ("journal.trim", json!({ "max_records": 2 })),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_is_undone_to_the_byte_and_back(
        acts in prop::collection::vec((any::<u8>(), any::<u8>()), 1..12)
    ) {
        let repo = TestRepo::new();
        repo.write(
            "memory/continuity.md",
            &continuity(&[("exports-are-streamed", "Exports are streamed", "uses: 1 | tier: active")]),
        );
        let workspace = repo.workspace();
        let (mut known, mut states) = (Vec::new(), Vec::new());
        for (at, one) in acts {
            let before = (files(&repo), answers(&workspace));
            let (name, input) = operation(at, one, &known, &workspace);
            let Some(answer) = call(name, &input, &workspace) else { continue };
            known.extend(answer["id"].as_str().filter(|_| name == "remember").map(str::to_owned));
            if let Some(change) = answer["change"].as_str() {
                states.push((name, change.to_owned(), before));
            }
            let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
            prop_assert!(replayed.equal, "after {}: {:?}", name, replayed.differences);
        }
        let end = (files(&repo), answers(&workspace));
        let undone = states.len();
        while let Some((name, change, before)) = states.pop() {
            let taken = undo::undo(&workspace, None, &quipu_testkit::repo::request("undo"));
            let taken = taken.unwrap_or_else(|error| panic!("{name}: {error}"));
            prop_assert_eq!(&taken.id, &change, "{}", name);
            prop_assert_eq!(&(files(&repo), answers(&workspace)), &before, "{}", name);
            let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
            prop_assert!(replayed.equal, "without {}: {:?}", name, replayed.differences);
        }
        for _ in 0..undone {
            undo::redo(&workspace, &quipu_testkit::repo::request("redo")).unwrap();
        }
        prop_assert_eq!((files(&repo), answers(&workspace)), end);
    }
}
