//! A repository may hold any amount of anything: hooks leave out what is too much for them, and say so.

use quipu_core::hook::{Client, Event, Payload};
use quipu_engine::hook::{self, Call};
use quipu_engine::recall::{self, LONGEST_CHAIN, Question};
use quipu_engine::{Workspace, history};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::{now, today};

const CONTINUITY: &str = "# Continuity\n\n## Key Decisions\n\n- Exports are streamed\n  <!-- id: exports-are-streamed | created: 2026-01-01 | tier: active -->\n";

/// A file that no hook reads into the index.
fn too_long() -> String {
    format!("# Handbook\n\n{}\n", "lorem ".repeat(400_000))
}

fn told(workspace: &Workspace, event: Event, payload: &str) -> Option<String> {
    let payload = Payload::parse(payload);
    let client = Client::named("claude-code").unwrap();
    let call = Call {
        client,
        event,
        payload: &payload,
        now: now(),
        today: today(),
        patience: hook::PATIENCE,
    };
    hook::hook(workspace, &call).unwrap()
}

#[test]
fn a_start_tells_the_facts_and_what_the_index_does_not_know() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", CONTINUITY);
    repo.write("memory/handbook.md", &too_long());
    let start = r#"{"session_id":"s1","source":"startup"}"#;
    let first = told(&repo.workspace(), Event::SessionStart, start).unwrap();
    assert!(first.contains("Exports are streamed"), "{first}");
    let line =
        "[left out: a file that the index does not know yet (2.2 MB): `quipu index` reads them]";
    assert!(first.contains(line), "{first}");
    // The same files give the same answer.
    assert_eq!(told(&repo.workspace(), Event::SessionStart, start), Some(first));
}

#[test]
fn a_prompt_finds_what_is_indexed_and_says_what_is_not() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", CONTINUITY);
    repo.write("memory/ports.md", "# Ports\n\nThe staging server Bertha listens on port 4711.\n");
    repo.write("memory/handbook.md", &too_long());
    let prompt =
        r#"{"session_id":"s1","prompt":"on which port does the staging server Bertha listen?"}"#;
    let told = told(&repo.workspace(), Event::Prompt, prompt).unwrap();
    assert!(told.contains("4711"), "{told}");
    assert!(told.contains("[left out: a file that the index does not know yet"), "{told}");
}

#[test]
fn what_is_small_enough_is_indexed_by_a_hook_and_nothing_is_said() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", CONTINUITY);
    let start = told(&repo.workspace(), Event::SessionStart, r#"{"session_id":"s1"}"#).unwrap();
    assert!(!start.contains("left out"), "{start}");
}

#[test]
fn a_long_chain_is_named_as_far_as_one_would_read() {
    let fact = |number: usize| {
        let by = format!(" | superseded-by: link-{}", number + 1);
        let by = if number == 299 { "" } else { &by };
        format!(
            "- Lantern number {number}\n  <!-- id: link-{number} | created: 2026-01-01{by} -->\n"
        )
    };
    let facts: String = (0..300).map(fact).collect();
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", &format!("# C\n\n## Key Decisions\n\n{facts}"));
    let workspace = repo.workspace();
    let question = Question { query: "lantern number 299".to_owned(), ..Question::default() };
    let found = recall::recall(&workspace, &question, now()).unwrap();
    let newest = found.results.iter().find(|answer| answer.id == "link-299").unwrap();
    let expected: Vec<String> =
        (0..299).rev().take(LONGEST_CHAIN).map(|number| format!("link-{number}")).collect();
    assert_eq!(newest.supersedes, expected);
    assert_eq!(history::history(&workspace, "link-299", false).unwrap().supersedes, expected);
}
