//! What is off the record: no hook of any client keeps anything of it.

use std::path::Path;

use quipu_testkit::{TestRepo, state_home_of};
use serde_json::{Value, json as value};

use crate::hook::{claude, context, hook, records};
use crate::{initialised, json, run};

/// A conversation with Claude Code, which keeps a file of it.
struct Talk<'r> {
    repo: &'r TestRepo,
    lines: std::cell::RefCell<String>,
}

impl Talk<'_> {
    fn event(&self, event: &str, more: Value) -> String {
        let path = self.path();
        std::fs::write(&path, self.lines.borrow().as_str()).unwrap();
        let mut more = more;
        more["transcript_path"] = value!(path);
        claude(self.repo.root(), event, &more)
    }

    /// Not in the repo: it is the client's own.
    fn path(&self) -> std::path::PathBuf {
        self.repo.root().with_file_name(format!(
            "{}-talk.jsonl",
            self.repo.root().file_name().unwrap().to_string_lossy()
        ))
    }

    /// The user says something, the agent answers, and both stand in the file.
    fn turn(&self, prompt: &str, answer: &str) -> String {
        let told = self.event("UserPromptSubmit", value!({ "prompt": prompt }));
        for line in [
            value!({ "type": "user", "message": { "role": "user", "content": prompt } }),
            value!({ "type": "assistant", "message": { "role": "assistant", "content": [{ "type": "text", "text": answer }] } }),
        ] {
            self.lines.borrow_mut().extend([line.to_string(), "\n".to_owned()]);
        }
        assert_eq!(self.event("Stop", value!({ "last_assistant_message": answer })), "");
        told
    }
}

impl Drop for Talk<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.path());
    }
}

/// Fails where a word stands in any file of the memory or of its state.
fn assert_nowhere(root: &Path, word: &str) {
    for folder in [root.to_owned(), state_home_of(root)] {
        let mut open = vec![folder];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    let text = String::from_utf8_lossy(&bytes).to_lowercase();
                    assert!(!text.contains(word), "{} has `{word}`", path.display());
                }
            }
        }
    }
}

#[test]
fn what_is_said_off_the_record_is_kept_by_no_hook_of_a_client_with_a_transcript() {
    let repo = initialised();
    let root = repo.root();
    let talk = Talk { repo: &repo, lines: std::cell::RefCell::default() };
    talk.event("SessionStart", value!({ "source": "startup" }));
    talk.turn("From now on, run the linter before each commit.", "I will run the linter.");
    let told = talk.turn(
        "Off the record: from now on remember that my salary is zebrafive.",
        "Your salary is zebrafive; the whole plan for the raise is set up in three steps now.",
    );
    assert!(context(&told).contains("Off the record: nothing of this is kept"), "{told}");
    talk.turn(
        "Remember that we decided to fire zebrabob.",
        "The zebrabob plan is written in the notes as agreed.",
    );
    talk.event("PreCompact", value!({ "trigger": "auto" }));
    talk.event(
        "PostToolUse",
        value!({ "tool_name": "Bash", "tool_input": { "command": "echo zebra" } }),
    );
    talk.event("SubagentStop", value!({ "last_assistant_message": "zebra" }));
    let (_, status) = json(root, &["status"]);
    assert!(status["notices"].to_string().contains("off the record"), "{status}");
    let told =
        talk.turn("Back on the record. From now on, squash before merging.", "I will squash.");
    assert!(context(&told).contains("Back on the record"), "{told}");
    talk.turn(
        "Thanks, continue please with that.",
        "Done with the second part of the work on merges.",
    );
    talk.event("SessionEnd", value!({ "reason": "other" }));
    let kept = records(root, "user-preference");
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept[0].contains("linter") && kept[1].contains("squash"), "{kept:?}");
    assert_nowhere(root, "zebra");
    let (_, status) = json(root, &["status"]);
    assert!(!status.to_string().contains("off the record"), "{status}");
}

#[test]
fn a_session_that_ends_off_the_record_tells_only_what_came_before() {
    let repo = initialised();
    let root = repo.root();
    let talk = Talk { repo: &repo, lines: std::cell::RefCell::default() };
    talk.event("SessionStart", value!({ "source": "startup" }));
    talk.turn(
        "Please move the retry loop.",
        "I moved the retry loop into `net/retry.rs` and gave it a jittered backoff with a limit of five attempts.",
    );
    talk.turn(
        "Let's go off the record. How do I tell zebra?",
        "Tell zebra in a calm voice, early in the week, in person.",
    );
    talk.event("SessionEnd", value!({ "reason": "other" }));
    let summaries = records(root, "turn-summary");
    assert_eq!(summaries.len(), 1, "{summaries:?}");
    assert!(summaries[0].starts_with("I moved the retry loop"), "{summaries:?}");
    assert_nowhere(root, "zebra");
    let (_, status) = json(root, &["status"]);
    assert!(!status.to_string().contains("off the record"), "it was that session's: {status}");
}

#[test]
fn a_turn_of_a_client_without_a_transcript_can_be_left_out() {
    let repo = initialised();
    let root = repo.root();
    let cursor = |event: &str, more: &Value| {
        let mut payload = value!({
            "conversation_id": "c-1", "generation_id": "g", "hook_event_name": event, "workspace_roots": [root],
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hook("cursor", event, &payload)
    };
    cursor("sessionStart", &value!({}));
    let told = cursor(
        "beforeSubmitPrompt",
        &value!({ "prompt": "Don't remember this: from now on the door code is zebra." }),
    );
    assert!(told.contains("Off the record") && told.contains("\"continue\":true"), "{told}");
    cursor(
        "afterAgentResponse",
        &value!({ "text": "The door code is zebra, and I will not write it down." }),
    );
    cursor("stop", &value!({ "status": "completed" }));
    let told = cursor(
        "beforeSubmitPrompt",
        &value!({ "prompt": "From now on, always use tabs in the Makefile." }),
    );
    assert!(!told.contains("Off the record"), "only the turn: {told}");
    cursor("stop", &value!({ "status": "completed" }));
    cursor("sessionEnd", &value!({}));
    let kept = records(root, "user-preference");
    assert_eq!(kept, ["From now on, always use tabs in the Makefile."]);
    assert_nowhere(root, "zebra");
}

#[test]
fn a_pause_holds_for_every_client_until_its_time_is_over_or_somebody_resumes() {
    let repo = initialised();
    let root = repo.root();
    let gemini = |event: &str, more: &Value| {
        let mut payload = value!({ "session_id": "g-1", "cwd": root, "hook_event_name": event });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hook("gemini", event, &payload)
    };
    let said = |words: &str| value!({ "prompt": format!("From now on, always use {words}.") });
    let (code, out, error) = run(root, &["pause", "--for", "1h"]);
    assert!(
        code == 0 && out.contains("off the record until") && out.contains("quipu resume"),
        "{out}{error}"
    );
    assert!(gemini("SessionStart", &value!({ "source": "startup" })).contains("Off the record"));
    assert!(gemini("BeforeAgent", &said("zebras")).contains("Off the record"));
    gemini(
        "AfterAgent",
        &value!({ "prompt_response": "I will always use zebras for that from here on." }),
    );
    assert!(run(root, &["status"]).1.contains("off the record"), "status says so");
    let (code, _, error) = run(root, &["remember", "What I type myself is kept"]);
    assert_eq!(code, 0, "{error}");
    let (code, out, _) = run(root, &["resume"]);
    assert!(code == 0 && out.contains("back on the record"), "{out}");
    assert!(run(root, &["resume"]).1.contains("nothing was off"));
    assert!(!gemini("BeforeAgent", &said("tabs")).contains("Off the record"));
    gemini("AfterAgent", &value!({ "prompt_response": "Fine." }));
    gemini("SessionEnd", &value!({}));
    assert_eq!(records(root, "user-preference"), ["From now on, always use tabs."]);
    assert_nowhere(root, "zebra");
    // A time that is over needs nobody to end it.
    run(root, &["--now", "2020-01-01T10:00:00Z", "pause", "--for", "30m"]);
    assert!(!gemini("BeforeAgent", &said("spaces")).contains("Off the record"));
    assert_ne!(run(root, &["pause", "--for", "-1h"]).0, 0);
}
