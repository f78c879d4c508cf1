//! What hooks see of an agent's work: the facts that it used, what its user asked to remember, and nothing else.

use std::io::Write as _;
use std::path::Path;

use quipu_testkit::TestRepo;
use serde_json::{Value, json as value};

use crate::git::{commit, git, git_fails, quipu, repository};
use crate::hook::claude;
use crate::{initialised, json, run};

const FACTS: [(&str, &str); 3] = [
    ("exports-are-streamed", "Exports are streamed, never built in memory"),
    ("dev-api-port", "The dev API listens on port 7431"),
    ("logs-have-evt", "Log lines are JSON with the name in the field evt"),
];

/// A memory with three facts that a log names, so that nothing waits.
fn with_facts() -> TestRepo {
    let repo = initialised();
    let root = repo.root();
    run(root, &["session", "start", "--agent", "Ann"]);
    for (id, text) in FACTS {
        let (code, _, error) = run(root, &["fact", "add", text, "--id", id]);
        assert_eq!(code, 0, "{error}");
    }
    let (code, _, error) = run(root, &["session", "end"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(logs(root).len(), 1);
    repo
}

fn logs(root: &Path) -> Vec<String> {
    let (_, listed) = json(root, &["session", "list", "--limit", "200"]);
    let logs = listed["logs"].as_array().unwrap().iter();
    logs.map(|log| log["id"].as_str().unwrap().to_owned()).collect()
}

fn newest_log(root: &Path) -> String {
    run(root, &["session", "show", &logs(root)[0]]).1
}

fn records(root: &Path) -> Vec<(String, String)> {
    let (_, listed) = json(root, &["journal", "list"]);
    let text = |record: &Value, key: &str| record[key].as_str().unwrap().to_owned();
    let records = listed["records"].as_array().unwrap().iter();
    records.map(|record| (text(record, "category"), text(record, "text"))).collect()
}

fn agent(parts: &Value) -> Value {
    value!({ "type": "assistant", "message": { "role": "assistant", "content": parts } })
}

fn says(text: &str) -> Value {
    agent(&value!([{ "type": "text", "text": text }]))
}

fn user(text: &str) -> Value {
    value!({ "type": "user", "message": { "role": "user", "content": text } })
}

/// A whole session of Claude Code with that conversation.
fn session(root: &Path, id: &str, lines: &[Value]) {
    let file = quipu_testkit::state_home_of(root).join(format!("{id}.jsonl"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n";
    std::fs::write(&file, text).unwrap();
    let more = value!({ "session_id": id, "transcript_path": file, "source": "startup" });
    claude(root, "SessionStart", &more);
    assert_eq!(claude(root, "Stop", &more), "");
    assert_eq!(claude(root, "Stop", &more), "");
    assert_eq!(claude(root, "SessionEnd", &more), "");
}

#[test]
fn a_fact_that_the_agent_cites_or_shows_is_used_and_why_says_what_showed_it() {
    let repo = with_facts();
    let root = repo.root();
    let edit = value!([
        { "type": "text", "text": "The proxy points at 3000, but your dev API is on 7431." },
        { "type": "tool_use", "name": "Edit", "input": {
            "file_path": "src/log.py", "old_string": "log(x)", "new_string": "log.info({\"evt\": \"done\"})" } },
    ]);
    let lines = [
        user("the export dies and login gets ECONNREFUSED, fix both and write a log line"),
        says("Because of exports-are-streamed I keep the generator."),
        agent(&edit),
    ];
    session(root, "one", &lines);
    let log = newest_log(root);
    assert!(log.contains("**Agent:** Claude Code"), "{log}");
    for (id, _) in FACTS {
        assert!(log.contains(id), "{id}: {log}");
    }
    let (_, why, _) = run(root, &["why", "dev-api-port"]);
    assert!(why.contains(": the agent wrote `7431`") && why.contains("points"), "{why}");
    let (_, why, _) = run(root, &["why", "exports-are-streamed"]);
    assert!(why.contains("the agent named its id"), "{why}");
}

#[test]
fn what_tools_return_users_say_or_a_list_names_is_no_use() {
    let repo = with_facts();
    let root = repo.root();
    let tool = value!({ "type": "user", "message": { "role": "user", "content": [
        { "type": "tool_result", "content": "docs: exports-are-streamed, port 7431, evt" }] } });
    let many =
        "I know [exports-are-streamed], [dev-api-port], [logs-have-evt], [a-b], [c-d], [e-f].";
    let lines = [
        user("what about `exports-are-streamed`?"),
        tool,
        says("It is one of several notes in the documentation, I found no others there."),
        user("and what else do you know?"),
        says(many),
    ];
    session(root, "one", &lines);
    assert_eq!(logs(root).len(), 1, "{}", newest_log(root));
}

#[test]
fn a_hundred_sessions_that_never_touch_memory_change_no_tier_and_write_nothing() {
    let repo = with_facts();
    let root = repo.root();
    git(root, &["init", "-q"]);
    let continuity = repo.read("memory/continuity.md");
    let before = repo.files();
    for number in 0..100 {
        repo.write("src/work.rs", &format!("// {number}"));
        let lines = [
            user("rename the helper and format the file, please"),
            says("Done, it has the new name."),
        ];
        session(root, &format!("s{number}"), &lines);
    }
    std::fs::remove_dir_all(root.join("src")).unwrap();
    std::fs::remove_dir_all(root.join(".git")).unwrap();
    assert_eq!(repo.read("memory/continuity.md"), continuity);
    let (old, new): (Vec<_>, Vec<_>) =
        (before.into_keys().collect(), repo.files().into_keys().collect());
    assert_eq!(new, old, "nothing was written");
    run(root, &["review"]);
    for (id, _) in FACTS {
        assert!(repo.read("memory/continuity.md").contains(&format!("id: {id}")));
    }
    assert!(records(root).is_empty(), "{:?}", records(root));
}

#[test]
fn what_the_user_asked_to_remember_is_kept_once_and_not_the_answer_to_it() {
    let repo = with_facts();
    let root = repo.root();
    let lines = [
        user("Remember that we always squash before merging"),
        says("Understood, I will remember that we always squash before merging from now on."),
    ];
    session(root, "one", &lines);
    let kept = [("user-preference".to_owned(), "we always squash before merging".to_owned())];
    assert_eq!(records(root), kept);
    session(root, "two", &lines);
    assert_eq!(records(root), kept, "it was known");
    assert_eq!(logs(root).len(), 1, "a private record is no reason for a log");
}

#[test]
fn a_session_leaves_one_summary_at_its_end_if_it_says_something() {
    let repo = with_facts();
    let root = repo.root();
    let lines = [
        user("bound the retries"),
        says("First I looked at `net/retry.rs`, where the loop has no bound and sleeps 30 s."),
        says("The loop in `net/retry.rs` now gives up after 5 attempts, with jitter between them."),
        user("thanks!"),
        says("You're welcome, let me know if there is anything else to do."),
    ];
    session(root, "one", &lines);
    let summaries: Vec<_> =
        records(root).into_iter().filter(|(category, _)| category == "turn-summary").collect();
    assert!(summaries.len() <= 1, "{summaries:?}");
}

#[test]
fn a_person_at_a_terminal_never_meets_the_sessions_of_agents() {
    let repo = with_facts();
    let root = repo.root();
    for id in ["a", "b", "c", "d"] {
        claude(root, "SessionStart", &value!({ "session_id": id, "source": "startup" }));
    }
    let (code, _, error) = run(root, &["session", "end"]);
    assert_eq!((code, error.contains("4 agents")), (3, true), "{error}");
    run(root, &["session", "start", "--agent", "Ann"]);
    run(root, &["fact", "add", "Deploys happen on Tuesdays", "--id", "deploy-day"]);
    let (code, said, error) = run(root, &["session", "end"]);
    assert_eq!((code, said.contains("Created: deploy-day")), (0, true), "{said}{error}");
}

#[test]
fn a_fact_that_an_agent_adds_goes_into_its_own_session() {
    let repo = with_facts();
    let root = repo.root();
    claude(root, "SessionStart", &value!({ "session_id": "a", "source": "startup" }));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quipu"));
    command.current_dir(root).env("CLAUDECODE", "1");
    command.env(quipu_engine::state::VARIABLE, quipu_testkit::state_home_of(root));
    command.args(["fact", "add", "Deploys happen on Tuesdays", "--id", "deploy-day"]);
    assert!(command.output().unwrap().status.success());
    claude(root, "SessionEnd", &value!({ "session_id": "a" }));
    let log = newest_log(root);
    assert!(log.contains("**Agent:** Claude Code") && log.contains("Created: deploy-day"), "{log}");
}

#[test]
fn a_subagents_words_count_in_the_session_of_its_parent() {
    let repo = with_facts();
    let root = repo.root();
    claude(root, "SessionStart", &value!({ "session_id": "a", "source": "startup" }));
    let more = value!({ "session_id": "sub", "parent_session_id": "a",
        "last_assistant_message": "I left the generator, see [exports-are-streamed]." });
    assert_eq!(claude(root, "SubagentStop", &more), "");
    claude(root, "SessionEnd", &value!({ "session_id": "a" }));
    assert!(newest_log(root).contains("Referenced: exports-are-streamed"), "{}", newest_log(root));
}

#[test]
fn a_payload_that_is_no_json_leaves_a_line_in_the_log_of_hooks() {
    let repo = with_facts();
    let root = repo.root();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quipu"));
    command.current_dir(root).args(["hook", "claude-code", "stop"]);
    command.env(quipu_engine::state::VARIABLE, quipu_testkit::state_home_of(root));
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"not json").unwrap();
    assert!(child.wait().unwrap().success());
    let log = std::fs::read_to_string(quipu_testkit::state_of(root, "hook.log")).unwrap();
    assert!(log.contains("stop: claude-code sent no JSON object"), "{log}");
}

#[test]
fn facts_that_no_log_names_are_named_by_lint_and_listed_in_the_next_log() {
    let repo = with_facts();
    let root = repo.root();
    let text = repo.read("memory/continuity.md");
    let by_hand = "- Tokens live 15 minutes\n  <!-- id: token-life | created: 2026-01-01 | last_used: 2026-01-01 | uses: 7 | tier: active -->\n- A bullet that somebody wrote\n";
    let at = text.find("- Exports are streamed").unwrap();
    repo.write("memory/continuity.md", &format!("{}{by_hand}{}", &text[..at], &text[at..]));
    let (_, found, _) = run(root, &["lint"]);
    assert!(found.contains("unlogged-fact") && found.contains("token-life"), "{found}");
    assert!(found.contains("bullet-without-footer") && found.contains("somebody wrote"), "{found}");
    let lines = [user("fix the export"), says("I kept the generator ([exports-are-streamed]).")];
    session(root, "one", &lines);
    assert!(newest_log(root).contains("Created: token-life"), "{}", newest_log(root));
    let (_, found, _) = run(root, &["lint"]);
    assert!(!found.contains("unlogged-fact"), "{found}");
}

#[test]
fn a_core_fact_is_core_however_it_is_written() {
    let repo = with_facts();
    let text = repo.read("memory/continuity.md");
    let text = text.replacen("tier: working", "tier: Core", 1);
    repo.write("memory/continuity.md", &text);
    let (_, why, _) = run(repo.root(), &["why", "exports-are-streamed"]);
    assert!(why.contains("is core"), "{why}");
}

#[test]
fn a_session_log_that_is_staged_as_changed_moved_or_removed_stops_the_commit() {
    let repo = repository();
    let root = repo.root();
    quipu(root, &["session", "start"]);
    quipu(root, &["session", "end", "--did", "built the export"]);
    commit(root, "a session");
    let name = logs(root)[0].clone();
    let path = format!("memory/sessions/{name}.md");
    let moved = "memory/sessions/2020-01-01-000000.md";
    let edit = || {
        repo.write(&path, &(repo.read(&path) + "more\n"));
        git(root, &["add", "-A"]);
    };
    let steps: [(&str, &dyn Fn()); 3] = [
        ("removed", &|| drop(git(root, &["rm", "-q", &path]))),
        ("removed", &|| drop(git(root, &["mv", &path, moved]))),
        ("changed", &edit),
    ];
    for (what, step) in steps {
        step();
        let (_, found, _) = run(root, &["lint"]);
        assert!(found.contains("ledger-changed") && found.contains(what), "{found}");
        let said = git_fails(root, &["commit", "-m", "x"]);
        assert!(said.contains("session log") && said.contains(&name), "{said}");
        git(root, &["reset", "-q", "--hard"]);
    }
    // What undo takes back, too.
    let (code, said, error) = run(root, &["undo"]);
    assert!(root.join(&path).exists(), "{code} {said}{error}");
}

#[test]
fn an_invariant_is_told_when_a_prompt_names_what_it_is_about() {
    let repo = with_facts();
    let root = repo.root();
    let text = repo.read("memory/continuity.md");
    let fact =
        "- The MSRV is 1.85\n  <!-- id: msrv | created: 2026-01-01 | uses: 1 | tier: core -->\n";
    let at = text.find("- Exports are streamed").unwrap();
    repo.write("memory/continuity.md", &format!("{}{fact}{}", &text[..at], &text[at..]));
    let more = value!({ "prompt": "can we raise the MSRV?", "session_id": "q" });
    assert!(claude(root, "UserPromptSubmit", &more).contains("1.85"));
    let more = value!({ "prompt": "fix the typo in the README please", "session_id": "q" });
    assert_eq!(claude(root, "UserPromptSubmit", &more), "");
}
