//! Undo over every operation of the registry, as callers carry them out.

use std::collections::BTreeMap;

use proptest::prelude::*;
use quipu_core::item::{Decision, Status};
use quipu_core::journal::{self, Record};
use quipu_engine::caller::{Actor, Caller};
use quipu_engine::operation::{Call, Effect, OperationError};
use quipu_engine::{Workspace, operations, questions, replay, sessions, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::journal::record;
use quipu_testkit::memories::{ask, asked, remember};
use quipu_testkit::project::Project;
use quipu_testkit::repo::{ago, now, request, today};
use serde_json::{Value, json};

/// Operations that write nothing which an undo could take back, and why.
const WITHOUT_A_CHANGE: [(&str, &str); 8] = [
    ("undo", "every case here takes back by it"),
    ("redo", "every case here brings back by it"),
    ("purge", "removes for good"),
    ("index", "the index is made from the files"),
    ("replay", "the index is made from the files"),
    ("reembed", "the index is made from the files"),
    ("compress", "the index is made from the files"),
    ("scan", "outlines are made from the source files"),
];

/// Operations that rewrite the ledger: they are taken back only until something is appended, so a
/// sequence cannot have them.
const ONLY_ALONE: [&str; 1] = ["journal.convert"];

/// Returns the operations that write what an undo takes back.
fn writing() -> Vec<&'static str> {
    let writes = operations::ALL.iter().filter(|entry| entry.effect != Effect::Reads);
    let names = writes.map(|entry| entry.name);
    names.filter(|name| WITHOUT_A_CHANGE.iter().all(|(other, _)| other != name)).collect()
}

/// A project in which every operation has something to do.
struct World {
    repo: TestRepo,
    /// The ids of records that were remembered.
    known: Vec<String>,
}

impl World {
    fn new() -> Self {
        let project = Project::new();
        let before = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/evolving-memory/before");
        for (path, bytes) in quipu_testkit::repo::files_in(before.as_ref()) {
            project.repo.write_bytes(&path, &bytes);
        }
        let old = |id: &str, text: &str, days| record(id, "note", text, days).line();
        let days: String = [
            old("old1", "The depot in Lisbon closes at six", 40),
            old("old2", "The depot in Lisbon closes at six o'clock", 39),
            old("old3", "The label printer of the depot jams in summer", 38),
            old("faded", "The canary deploy goes to Porto", 37),
            old("early", "The forklift of the depot in Porto is red", 40),
        ]
        .concat();
        project.write("memory/2026-05-12.md", &(days.clone() + &archived_early("early")));
        project.write("MEMORY.md", &format!("# Mine\n\n{days}my own line\n"));
        project.write("LONGMEMORY.md", "my own words\n");
        project.write("docs/adr/0001-labels.md", DECISION);
        project.write("handbook.md", "# Handbook\n\nForklifts are charged at night.\n");
        project.write("mem0.json", MEM0);
        project.write("tmp/experience-store.json", EXPERIENCES);
        project.write("src/lock.rs", &quipu_testkit::project::source("lock"));
        project.commit();
        project.delete("src/lock.rs");
        let workspace = project.repo.workspace();
        let said = ["The gateway listens on port 7000", "Locking lives in src/lock.rs"];
        let mut known: Vec<String> = said.map(|text| remember(&workspace, text)).into();
        known.extend(["old1", "old2", "old3"].map(str::to_owned));
        Self { repo: project.repo.duplicate(), known }
    }

    /// The same world, for another test of it.
    fn again(&self) -> Self {
        Self { repo: self.repo.duplicate(), known: self.known.clone() }
    }

    /// Every file but those of the ledger, which only grows, the sessions that are open, and what
    /// recall answers.
    fn state(&self, workspace: &Workspace) -> BTreeMap<String, String> {
        let mut files = self.repo.files();
        let keeps_itself_out_of_git = |path: &str| path.ends_with("/.gitignore");
        files.retain(|path, _| !journal::is_ledger(path) && !keeps_itself_out_of_git(path));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let mut state: BTreeMap<String, String> =
            files.into_iter().map(|(path, bytes)| (path, text(bytes))).collect();
        let open = sessions::open_sessions(workspace).unwrap();
        state.insert("open sessions".to_owned(), format!("{open:#?}"));
        for query in ["gateway port", "kettle", "depot in Lisbon", "labels ZPL", "forklifts", "tea"]
        {
            let recalled = ask(workspace, &asked(query));
            let answers = recalled.results.iter();
            let answers: Vec<String> =
                answers.map(|one| format!("{} {:?} {}", one.id, one.kind, one.text)).collect();
            state.insert(format!("answers to {query}"), answers.join("\n"));
        }
        state
    }

    /// What a caller says to an operation, with numbers that choose among what is there; nothing
    /// where there is no generator.
    fn input(&self, name: &str, one: u8, workspace: &Workspace) -> Option<Value> {
        let pick = |at: u8| self.known[usize::from(at) % self.known.len()].clone();
        let (id, other) = (pick(one), pick(one.wrapping_add(1)));
        let facts = ["changelog-per-merge", "parcel-ids-ulid", "error-body-problem-json"];
        let fact = facts[usize::from(one) % facts.len()];
        Some(match name {
            "remember" => match one % 3 {
                0 => {
                    json!({ "text": format!("The gateway listens on port 70{one}"), "category": "decision" })
                }
                1 => {
                    json!({ "text": format!("The kettle number {one} is blue"), "tags": ["kitchen"] })
                }
                _ => json!({ "text": format!("The kettle {one} is new"), "supersedes": id }),
            },
            "refresh" | "session.end" | "journal.flush" | "review" | "experiences.import"
            | "dream" => {
                json!({})
            }
            "fact.add" => {
                json!({ "text": format!("Invoices of kind {one} are streamed"), "agree": true })
            }
            "fact.supersede" => json!({ "old": fact, "new": "times-are-utc-rfc3339" }),
            "fact.core" | "memory.use" | "unshare" => json!({ "id": fact }),
            "fact.tier" => json!({ "id": fact, "tier": "active" }),
            "fact.archive" => json!({ "ids": ["changelog-per-merge"] }),
            "fact.reactivate" => json!({ "ids": ["tracking-number-check-digit"] }),
            "thread.open" => json!({ "text": format!("Find out about depot {one}") }),
            "thread.close" => json!({ "id": "thread-customs-hold-status" }),
            "session.start" => json!({ "agent": "codex" }),
            "session.note" => json!({ "text": format!("looked at {one}"), "kind": "did" }),
            "edit" => match one % 3 {
                0 => {
                    json!({ "id": fact, "text": format!("Something else about {fact}"), "agree": true })
                }
                _ => json!({ "id": id, "text": format!("The kettle {one} is green") }),
            },
            "forget" => json!({ "id": if one % 3 == 1 { fact.to_owned() } else { id } }),
            "restore" => {
                json!({ "id": if one.is_multiple_of(2) { "faded".to_owned() } else { id } })
            }
            "share" => json!({ "id": id, "agree": true }),
            "journal.append" => json!({ "text": format!("The kettle {one} is loud") }),
            "journal.trim" => json!({ "max_records": 2 }),
            "journal.convert" => json!({ "to": "json" }),
            "compact" => json!({ "force": true }),
            "experiences.add" => {
                json!({ "text": format!("Deploy {one} failed, as the port was taken by tea"), "force": true })
            }
            "user.edit" => json!({ "text": format!("I am user {one}, and drink tea") }),
            "memory.status" => json!({ "id": id, "status": "challenged" }),
            "memory.promote" | "memory.demote" | "memory.confirm" | "memory.unmerge"
            | "memory.pin" | "memory.unpin" => json!({ "id": id }),
            "memory.challenge" => json!({ "id": id, "reason": "it has moved" }),
            "memory.invalidate" => json!({ "id": id, "reason": "it was never so" }),
            "memory.merge" => json!({ "ids": [id], "into": other }),
            "memory.tag" => json!({ "id": id, "tags": ["kitchen"] }),
            "memory.link" => json!({ "id": id, "to": other }),
            "memory.annotate" => json!({ "id": id, "note": "seen again" }),
            "harvest" => json!({ "accept": ["1"] }),
            "drift" => json!({ "fix": true }),
            "answer" => {
                let open = questions::questions(workspace, now()).unwrap();
                let first = open.first()?;
                let choice = &first.choices[usize::from(one) % first.choices.len()];
                json!({ "id": first.id, "choice": choice.name })
            }
            "verify" => json!({ "ids": ["inv-reads-stay-local"] }),
            "repair" => json!({ "apply": true }),
            "entity.alias" => json!({ "name": "Lisbon", "alias": format!("Lisboa {one}") }),
            "entity.merge" => json!({ "from": "Porto", "into": "Lisbon" }),
            "memory-tool" => {
                let command = json!({ "command": "create", "path": format!("/memories/n{one}.md"), "file_text": "tea" });
                json!({ "command": command.to_string() })
            }
            "import" => json!({ "paths": [self.repo.root().join("mem0.json")], "yes": true }),
            "ingest" => json!({ "paths": [self.repo.root().join("handbook.md")] }),
            _ => return None,
        })
    }

    /// Does what has to be done before an operation has something to do.
    fn prepare(&self, name: &str, workspace: &Workspace) {
        let before = |operation: &str, input: &Value| {
            call(operation, input, workspace).unwrap_or_else(|error| panic!("{name}: {error}"));
        };
        match name {
            "session.note" | "session.end" => before("session.start", &json!({ "agent": "codex" })),
            "restore" => before("forget", &json!({ "id": "faded" })),
            "memory.unpin" => before("memory.pin", &json!({ "id": self.known[0] })),
            "memory.unmerge" => {
                before("memory.merge", &json!({ "ids": [self.known[0]], "into": self.known[1] }));
            }
            "answer" => before("drift", &json!({ "fix": true })),
            "entity.merge" => before("index", &json!({})),
            _ => {}
        }
        if name == "session.end" {
            before("session.note", &json!({ "text": "looked at parcel-ids-ulid", "kind": "did" }));
        }
    }
}

/// The event by which a dream of version 0.1 archived a memory when it was 35 days old.
fn archived_early(id: &str) -> String {
    let decision = Decision::Status { from: Status::Active, to: Status::Archived };
    let reason = "retention 0.04, importance 0.11, 0 uses";
    let event = Record::deciding(format!("e-{id}"), "dream", id, (decision, reason), ago(5));
    Record { run: Some("dream-1".to_owned()), ..event }.line()
}

const DECISION: &str =
    "# 1. Labels\n\n## Status\n\nAccepted\n\n## Decision\n\nWe print labels as ZPL.\n";

const MEM0: &str = r#"{"results":[
{"id":"44","memory":"Ana likes black tea","hash":"a","created_at":"2025-03-02T10:00:00+00:00","user_id":"ana"},
{"id":"46","memory":"The old gateway listens on port 8080","hash":"c","created_at":"2025-03-06T10:00:00+00:00","user_id":"ana"}]}"#;

const EXPERIENCES: &str = r#"{"version":1,"experiences":[
{"id":"x","text":"The night build failed since the tea kettle took all of the power","recordId":"r-9","sessionId":"s","timestamp":"2026-03-06T10:00:00Z"}]}"#;

fn call(operation: &str, input: &Value, workspace: &Workspace) -> Result<Value, OperationError> {
    let call = Call {
        caller: Caller { actor: Actor::Person(Some("Mira")), ..Caller::PERSON },
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
    entry.read(input.as_object().unwrap().clone())?.answer(workspace, &call)
}

/// Tells how two states differ.
fn difference(expected: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> String {
    let names = expected.keys().chain(found.keys()).collect::<std::collections::BTreeSet<_>>();
    let differs = names.into_iter().filter(|name| expected.get(*name) != found.get(*name));
    let shown = differs.map(|name| {
        format!("{name}:\n{:?}\nand now:\n{:?}\n", expected.get(name), found.get(name))
    });
    shown.collect()
}

fn replays(workspace: &Workspace) -> Result<(), String> {
    let replayed = replay::replay(workspace, true, &mut |_, _| {}).unwrap();
    if replayed.equal { Ok(()) } else { Err(format!("replay: {:?}", replayed.differences)) }
}

/// Carries out an operation, takes it back, brings it back and takes it back again.
fn there_and_back(world: &World, name: &str) -> Result<(), String> {
    let workspace = world.repo.workspace();
    world.prepare(name, &workspace);
    let input = world.input(name, 0, &workspace).ok_or("no generator")?;
    let before = world.state(&workspace);
    let answer =
        call(name, &input, &workspace).map_err(|error| format!("{error}: {:?}", error.hint))?;
    let change = answer["change"].as_str().ok_or_else(|| format!("no change: {answer}"))?;
    replays(&workspace)?;
    let after = world.state(&workspace);
    let same = |expected: &BTreeMap<String, String>, when: &str| {
        let found = world.state(&workspace);
        if found != *expected {
            return Err(format!("{when}: {}", difference(expected, &found)));
        }
        replays(&workspace).map_err(|why| format!("{when}: {why}"))
    };
    let failed = |error: quipu_engine::Error| format!("{error}: {:?}", error.hint);
    let undone = undo::undo(&workspace, None, &request("undo")).map_err(failed)?;
    if undone.id != change || undone.what.is_empty() {
        return Err(format!("another change: {undone:?}"));
    }
    same(&before, "after undo")?;
    undo::redo(&workspace, &request("redo")).map_err(failed)?;
    same(&after, "after redo")?;
    undo::undo(&workspace, Some(change), &request("undo")).map_err(failed)?;
    same(&before, "after the second undo")
}

#[test]
fn every_operation_that_writes_is_undone_brought_back_and_undone_again() {
    let world = World::new();
    let failed: Vec<String> = writing()
        .into_iter()
        .filter_map(|name| {
            let why = there_and_back(&world.again(), name).err()?;
            Some(format!("== {name}: {why}"))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_has_no_change_is_an_operation_that_writes() {
    for (name, _) in WITHOUT_A_CHANGE {
        assert_ne!(
            operations::named(name).map(|entry| entry.effect),
            Some(Effect::Reads),
            "{name}"
        );
        assert!(operations::named(name).is_some(), "{name}");
    }
}

thread_local! {
    static WORLD: World = World::new();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn every_sequence_is_undone_to_the_byte_and_back(
        acts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)
    ) {
        let all: Vec<&str> =
            writing().into_iter().filter(|name| !ONLY_ALONE.contains(name)).collect();
        let mut world = WORLD.with(World::again);
        let workspace = world.repo.workspace();
        let mut states = Vec::new();
        for (which, one) in acts {
            let name = all[which.index(all.len())];
            let Some(input) = world.input(name, one, &workspace) else { continue };
            let before = world.state(&workspace);
            let Ok(answer) = call(name, &input, &workspace) else { continue };
            world.known.extend(answer["id"].as_str().filter(|_| name == "remember").map(str::to_owned));
            if let Some(change) = answer["change"].as_str() {
                states.push((name, change.to_owned(), before));
            }
            prop_assert_eq!(replays(&workspace), Ok(()), "after {}", name);
        }
        let end = world.state(&workspace);
        let undone = states.len();
        while let Some((name, change, before)) = states.pop() {
            let taken = undo::undo(&workspace, None, &request("undo"));
            let taken = taken.unwrap_or_else(|error| panic!("{name}: {error}"));
            prop_assert_eq!(&taken.id, &change, "{}", name);
            let found = world.state(&workspace);
            prop_assert!(found == before, "{}: {}", name, difference(&before, &found));
            prop_assert_eq!(replays(&workspace), Ok(()), "without {}", name);
        }
        for _ in 0..undone {
            undo::redo(&workspace, &request("redo")).unwrap();
        }
        let found = world.state(&workspace);
        prop_assert!(found == end, "{}", difference(&end, &found));
    }
}
