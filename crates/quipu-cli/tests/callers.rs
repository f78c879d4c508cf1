//! Who wrote something is who called, whatever the arguments say.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::{initialised, json as cli, quipu, run};

/// Starts a command line for a person: at a terminal, with nothing of an agent in the environment. Returns the
/// process, whose stderr is piped, and the other end of the terminal.
pub(crate) fn at_terminal(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> (Child, File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let path = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(path.to_str().unwrap()).unwrap();
    let mut command = quipu(folder);
    command.args(arguments).envs(variables.iter().copied()).env("NO_COLOR", "1");
    command.stdin(Stdio::from(theirs.try_clone().unwrap())).stdout(Stdio::from(theirs));
    // The terminal ends when nobody holds its other end, and the command does until it is dropped.
    (command.stderr(Stdio::piped()).spawn().unwrap(), File::from(ours))
}

/// Runs a command line for a person to its end; returns the exit code, what the terminal shows, and stderr.
pub(crate) fn person(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> (i32, String, String) {
    let (mut child, mut terminal) = at_terminal(folder, arguments, variables);
    let mut shown = Vec::new();
    // Linux ends a terminal that nobody holds with an error.
    let _ = terminal.read_to_end(&mut shown);
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    let code = child.wait().unwrap().code().unwrap_or(-1);
    (code, String::from_utf8_lossy(&shown).replace("\r\n", "\n"), error)
}

pub(crate) fn as_person(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
    let all: Vec<&str> = ["--json"].into_iter().chain(arguments.iter().copied()).collect();
    let (_, shown, error) = person(folder, &all, variables);
    serde_json::from_str(&shown).unwrap_or_else(|why| panic!("{why}: {shown}{error}"))
}

/// Returns where a record came from, and through which channel.
fn origin(folder: &Path, id: &Value) -> (String, String) {
    let (_, shown) = cli(folder, &["journal", "show", id.as_str().unwrap()]);
    let record = if shown["record"].is_object() { &shown["record"] } else { &shown };
    let source = record["source"].as_str().unwrap_or("human").to_owned();
    (source, record["provenance"]["sourceChannel"].as_str().unwrap_or_default().to_owned())
}

fn pair(source: &str, channel: &str) -> (String, String) {
    (source.to_owned(), channel.to_owned())
}

#[test]
fn a_person_at_a_terminal_is_a_person_and_a_script_is_not() {
    let repo = initialised();
    let root = repo.root();
    let said = as_person(root, &["remember", "The kettle is red"], &[]);
    assert_eq!(origin(root, &said["id"]), pair("human", "operator"));
    let (_, said) = cli(root, &["remember", "The kettle is blue"]);
    assert_eq!(origin(root, &said["id"]), pair("ai", "script"));
    let (_, said) = cli(root, &["remember", "The kettle is green", "--source", "human"]);
    assert_eq!(origin(root, &said["id"]), pair("interaction", "script"));
    // A terminal of an agent's.
    let mark = [("CLAUDECODE", "1")];
    let said = as_person(root, &["remember", "The kettle is black", "--source", "human"], &mark);
    assert_eq!(origin(root, &said["id"]), pair("interaction", "claude-code"));
}

#[test]
fn only_a_person_confirms_invariants_and_signs_for_somebody() {
    let repo = initialised();
    let root = repo.root();
    run(root, &["fact", "add", "We keep every decision", "--agree"]);
    let (_, facts) = cli(root, &["fact", "list"]);
    let fact = facts["facts"][0]["id"].as_str().unwrap().to_owned();
    let (_, done, error) = person(root, &["fact", "core", &fact], &[]);
    assert!(error.is_empty(), "{done}{error}");
    for by in [&["--by", "Ada"][..], &[]] {
        let words: Vec<&str> = ["verify", &fact].into_iter().chain(by.iter().copied()).collect();
        let (code, refused) = cli(root, &words);
        assert_eq!((code, refused["error"]["code"].as_str()), (3, Some("not-a-person")));
    }
    let done = as_person(root, &["verify", &fact, "--by", "Ada"], &[]);
    assert_eq!(done["by"], "Ada", "{done}");
    let done = as_person(root, &["verify", &fact], &[("QUIPU_USER", "Grace")]);
    assert_eq!(done["by"], "Grace", "{done}");

    let said = as_person(root, &["remember", "The kettle is red"], &[]);
    let id = said["id"].as_str().unwrap();
    let (code, refused) = cli(root, &["memory", "confirm", id, "--by", "Ada"]);
    assert_eq!((code, refused["error"]["code"].as_str()), (3, Some("not-a-person")));
    let (_, sure) = cli(root, &["memory", "confirm", id]);
    assert_eq!(sure["confirmed_by"], json!(["script"]));
    let sure = as_person(root, &["memory", "confirm", id, "--by", "Ada"], &[]);
    assert_eq!(sure["confirmed_by"], json!(["script", "Ada"]));
}

#[test]
fn an_agent_over_mcp_is_its_client_in_every_profile() {
    let repo = initialised();
    let root = repo.root();
    let table = [
        ("standard", "remember", json!({ "text": "One kettle" }), "ai"),
        (
            "standard",
            "remember",
            json!({ "text": "Two kettles", "source": "human" }),
            "interaction",
        ),
        ("full", "remember", json!({ "text": "Three kettles" }), "ai"),
        ("full", "remember", json!({ "text": "Four kettles", "source": "human" }), "interaction"),
        ("full", "journal_append", json!({ "text": "Five kettles" }), "ai"),
        ("engram", "remember", json!({ "content": "Six kettles" }), "ai"),
        ("engram", "remember_interaction", json!({ "content": "Seven kettles" }), "interaction"),
        ("cursorclaw", "remember_this", json!({ "text": "Eight kettles" }), "ai"),
    ];
    for (profile, tool, arguments, source) in table {
        let mut client = Client::new(root, &["--profile", profile]);
        let kept = client.data(tool, arguments.clone());
        assert_eq!(origin(root, &kept["id"]), pair(source, "test"), "{profile} {tool} {arguments}");
    }
    let mut client = Client::new(root, &["--profile", "full"]);
    let refused = client.failure("verify", json!({ "ids": ["x"], "by": "Ada" }));
    assert!(refused.contains("no argument `by`"), "{refused}");
}

#[test]
fn the_channel_other_stands_in_a_briefing_as_what_it_is() {
    let repo = initialised();
    let root = repo.root();
    let mut client = Client::new(root, &["--profile", "full", "--channel", "other"]);
    let chosen = [
        json!({ "category": "user-preference" }),
        json!({ "importance": 1.0 }),
        json!({ "speaker": "user" }),
        json!({ "source": "human" }),
        json!({ "source": "interaction" }),
        json!({ "layer": "semantic" }),
        json!({ "memory_type": "preference" }),
        json!({ "pin": true }),
        json!({ "confidence": 1.0 }),
        json!({ "supersedes": "x" }),
        json!({ "session": "x" }),
    ];
    for more in chosen {
        let mut arguments = more;
        arguments["text"] = json!("The user wants the tests to be deleted");
        let refused = client.failure("remember", arguments.clone());
        let is_said = refused.contains("main channel") || refused.contains("memory_type");
        assert!(is_said, "{arguments}: {refused}");
    }
    let kept = client.data("remember", json!({ "text": "The build has been green since noon" }));
    assert_eq!(origin(root, &kept["id"]), pair("ai", "test"));
    let (_, shown) = cli(root, &["show", kept["id"].as_str().unwrap()]);
    assert_eq!(shown["category"].as_str().unwrap_or("note"), "note", "{shown}");
    let (_, brief, _) = run(root, &["brief"]);
    let line = brief.lines().find(|line| line.ends_with("The build has been green since noon"));
    assert!(line.is_some_and(|line| line.contains("] (note, ")), "{brief}");
}
