//! Every way to write words into the memory refuses a credential, or leaves it out.

use std::path::Path;

use serde_json::json as value;

use crate::callers::person;
use crate::dream::{at_night, told};
use crate::hook::claude;
use crate::mcp::Client;
use crate::{USER_SETTINGS, initialised, json, run};

/// A key that no scanner finds in this file.
fn key() -> String {
    ["AKIA", "Q7ZN", "4LM2", "XW9R", "T4B8"].concat()
}

/// Every command that takes words of the caller's; `@@` stands for them, `RECORD` and `FACT` for ids.
const WRITERS: [&[&str]; 36] = [
    &["remember", "@@"],
    &["remember", "x y z", "--tag", "@@"],
    &["remember", "x y z", "--speaker", "@@"],
    &["remember", "x y z", "--category", "@@"],
    &["remember", "x y z", "--channel", "@@"],
    &["journal", "append", "@@"],
    &["experiences", "add", "@@", "--force"],
    &["fact", "add", "@@", "--agree"],
    &["thread", "open", "@@"],
    &["edit", "FACT", "--text", "@@", "--confirm-core"],
    &["edit", "RECORD", "--text", "@@"],
    &["user", "edit", "--text", "@@"],
    &["session", "note", "@@"],
    &["session", "note", "@@", "--kind", "next"],
    &["session", "end", "--did", "@@"],
    &["session", "end", "--next", "@@"],
    &["session", "end", "--decided", "@@"],
    &["memory", "annotate", "RECORD", "@@"],
    &["memory", "tag", "RECORD", "@@"],
    &["memory", "link", "RECORD", "FACT", "--relation", "@@"],
    &["memory", "confirm", "RECORD", "--by", "@@"],
    &["memory", "confirm", "RECORD", "--reason", "@@"],
    &["memory", "challenge", "RECORD", "--reason", "@@"],
    &["memory", "invalidate", "RECORD", "--reason", "@@"],
    &["memory", "status", "RECORD", "challenged", "--reason", "@@"],
    &["memory", "promote", "RECORD", "--reason", "@@"],
    &["forget", "RECORD", "--reason", "@@"],
    &["purge", "RECORD", "--reason", "@@", "--yes"],
    &["verify", "FACT", "--by", "@@"],
    &["entity", "alias", "Ann Miller", "@@"],
    &["answer", "QUESTION", "1", "--reason", "@@"],
    &["answer", "QUESTION", "1", "--by", "@@"],
    &["memory-tool", "{\"command\":\"create\",\"path\":\"/memories/a.md\",\"file_text\":\"@@\"}"],
    &["memory-tool", "{\"command\":\"create\",\"path\":\"/memories/@@.md\",\"file_text\":\"x\"}"],
    // One more session is open after these.
    &["session", "start", "--agent", "@@"],
    &["session", "start", "--user", "@@"],
];

/// Tells which files of a workspace hold the key; the index counts too.
fn files_with(root: &Path, key: &str) -> Vec<String> {
    let holds = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        text.contains(&key.to_lowercase())
    };
    let files = quipu_testkit::repo::files_in(root);
    files
        .into_iter()
        .filter(|(path, bytes)| holds(bytes) || holds(path.as_bytes()))
        .map(|f| f.0)
        .collect()
}

#[test]
fn no_writer_takes_a_credential() {
    let said = format!("deploy key {} of it", key());
    let (mut taken, mut strange, mut redacted) = (Vec::new(), Vec::new(), 0);
    let repo = initialised();
    let root = repo.root();
    for arguments in [
        &[
            "fact",
            "add",
            "Invoices are never deleted",
            "--section",
            "Architectural Invariants",
            "--id",
            "inv-invoices",
            "--agree",
        ][..],
        &["session", "start", "--agent", "anna"],
    ] {
        let (code, _, error) = run(root, arguments);
        assert_eq!(code, 0, "{arguments:?}: {error}");
    }
    let (_, remembered) = json(root, &["remember", "Ann Miller moved the invoices to Postgres"]);
    let record = remembered["id"].as_str().unwrap().to_owned();
    told(root);
    at_night(root, &["dream", "--step", "merge"]);
    let (_, asked) = json(root, &["questions", "--kind", "contradiction"]);
    let question = asked["questions"][0]["id"].as_str().unwrap().to_owned();
    for mode in ["refuse", "redact"] {
        for writer in WRITERS {
            let filled: Vec<String> = writer
                .iter()
                .map(|word| word.replace("@@", &said).replace("RECORD", &record))
                .map(|word| word.replace("FACT", "inv-invoices").replace("QUESTION", &question))
                .collect();
            let setting = format!("guard.secrets={mode}");
            let mut words = vec!["--set", &setting];
            words.extend(filled.iter().map(String::as_str));
            // Only a person says who somebody is.
            let (code, out, error) = if writer.contains(&"--by") {
                person(root, &words, &[])
            } else {
                run(root, &words)
            };
            let error = error + &out;
            if !files_with(root, &key()).is_empty() {
                taken.push(format!("{mode} {writer:?}: {:?}", files_with(root, &key())));
            }
            if mode == "refuse" && !error.contains("looks like it holds a secret") {
                strange.push(format!("{writer:?}: {code} {error}"));
            }
            if mode == "refuse" && error.contains(&key()) {
                strange.push(format!("{writer:?} told the value: {error}"));
            }
            if mode == "redact" && writer[0] == "session" && writer[1] == "end" {
                // Later something purges these words, everywhere.
                redacted += files_with(root, "deploy key (REDACTED) of it").len();
                run(root, &["session", "start", "--agent", "anna"]);
            }
        }
    }
    assert!(taken.is_empty(), "{taken:#?}");
    assert!(strange.is_empty(), "{strange:#?}");
    assert!(redacted > 0, "no log tells what was noted");
}

#[test]
fn no_tool_of_a_client_takes_a_credential() {
    let repo = initialised();
    let root = repo.root();
    let said = format!("deploy key {} of it", key());
    let mut full = Client::new(root, &["--profile", "full"]);
    let started = full.call("session_start", value!({ "agent": "anna" }));
    assert_ne!(started["isError"], true, "{started}");
    for (tool, arguments) in [
        ("remember", value!({ "text": said })),
        ("session_note", value!({ "text": said })),
        ("session_end", value!({ "did": [said] })),
        ("journal_append", value!({ "text": said })),
        ("thread_open", value!({ "text": said })),
        ("fact_add", value!({ "text": said, "agree": true })),
    ] {
        let result = full.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert!(result.to_string().contains("looks like it holds a secret"), "{tool}: {result}");
        assert!(!result.to_string().contains(&key()), "{tool}: {result}");
    }
    assert_eq!(files_with(root, &key()), [""; 0]);
}

#[test]
fn a_false_alarm_passes_with_a_reason_that_everybody_sees() {
    let repo = initialised();
    let root = repo.root();
    // What looks like a key and is the sample of a manual.
    let said = format!("the manual shows {} as a sample", key());
    let why = "sample of the vendor manual";
    let mut client = Client::new(root, &[]);
    client.call("session", value!({ "action": "start", "agent": "anna" }));
    for (tool, arguments) in [
        ("remember", value!({ "text": said })),
        ("fact", value!({ "action": "add", "text": said, "agree": true })),
        ("session", value!({ "action": "note", "text": said })),
    ] {
        let refused = client.call(tool, arguments.clone());
        assert_eq!(refused["isError"], true, "{tool}: {refused}");
        let told = refused.to_string();
        assert!(told.contains("aws-access-key-id") && told.contains("not_a_secret"), "{told}");
        assert!(!told.contains(&key()), "{told}");
        let mut vouched = arguments;
        vouched["not_a_secret"] = value!("");
        assert_eq!(client.call(tool, vouched.clone())["isError"], true, "{tool} took no reason");
        vouched["not_a_secret"] = value!(why);
        let taken = client.call(tool, vouched);
        assert_ne!(taken["isError"], true, "{tool}: {taken}");
    }
    client.call("session", value!({ "action": "end" }));
    assert!(files_with(root, why).iter().any(|path| path.contains("sessions/")), "no log says why");
    let recalled = client.call("recall", value!({ "query": "manual sample" }));
    let told = recalled.to_string();
    assert!(told.contains(&key()) && told.contains(why), "{told}");
    let (code, linted) = json(root, &["lint"]);
    assert_eq!(code, 0, "{linted}");
    assert!(!linted.to_string().contains("aws-access-key-id"), "{linted}");
    // A reason is no way in.
    let (code, _, error) =
        run(root, &["remember", &said, "--not-a-secret", &format!("it is {}", key())]);
    assert_ne!(code, 0, "{error}");
    assert!(!error.contains(&key()), "{error}");
}

#[test]
fn what_a_hook_notes_has_no_credential_in_it() {
    let repo = initialised();
    let root = repo.root();
    repo.write(USER_SETTINGS, "[hooks]\nafterTool = true\nafterToolEvery = 1\n");
    claude(root, "SessionStart", &value!({ "source": "startup" }));
    // The key stands where a headline is cut.
    for length in [0, 50, 56, 62, 68] {
        let command = format!("{} export KEY={} && make", "x".repeat(length), key());
        for code in [1, 0] {
            let more = value!({
                "tool_name": "Bash", "tool_input": { "command": command },
                "tool_response": { "exit_code": code },
            });
            claude(root, "PostToolUse", &more);
        }
    }
    claude(root, "SessionEnd", &value!({ "reason": "exit" }));
    assert_eq!(files_with(root, &key()[..10]), [""; 0]);
    assert!(!files_with(root, "KEY=(REDACTED)").is_empty(), "nothing was noted");
}
