//! `quipu purge` by the command line: the value is never an argument, and never printed.

use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json as value};

use crate::mcp::Client;
use crate::{initialised, json, quipu, run};

const SECRET: &str = "marlin-quartz-7712";

/// Runs a command with a line on its standard input.
fn piped(root: &Path, arguments: &[&str], line: &str) -> Output {
    let mut child = quipu(root)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn told(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[test]
fn a_value_is_read_from_a_pipe_and_removed_everywhere() {
    let repo = initialised();
    let root = repo.root();
    let words = format!("The vault opens by {SECRET}, says Otto");
    run(root, &["remember", &words, "--allow-secret"]);
    run(root, &["fact", "add", &format!("Vault phrase: {SECRET}"), "--allow-secret"]);
    repo.write("notes.txt", &words);
    let ask = ["purge", "--value", "-r", "leaked"];
    let shown = piped(root, &ask, &format!("{SECRET}\n"));
    assert_eq!(shown.status.code(), Some(1), "{}", told(&shown));
    assert!(
        told(&shown).contains("MEMORY.md") && told(&shown).contains("--yes"),
        "{}",
        told(&shown)
    );
    assert!(!told(&shown).contains("marlin"), "{}", told(&shown));
    assert!(repo.read("MEMORY.md").contains(SECRET), "it only asked");
    let done = piped(root, &["purge", "--value", "-r", "leaked", "--yes", "--json"], SECRET);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
    assert!(!told(&done).contains("marlin"), "{}", told(&done));
    let data: Value = serde_json::from_slice(&done.stdout).unwrap();
    let missed = data["not_reached"].as_array().unwrap();
    assert!(missed.iter().any(|place| place.as_str().unwrap().starts_with("notes.txt")), "{data}");
    for (path, bytes) in quipu_testkit::repo::files_in(root) {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(path == "notes.txt" || !text.contains("marlin"), "{path}");
    }
    assert!(repo.read("MEMORY.md").contains("says Otto"));
    assert_eq!(run(root, &["lint"]).0, 0);
    assert_eq!(run(root, &["replay", "--check"]).0, 0);
    let again = piped(root, &["purge", "--value", "-r", "leaked", "--yes"], SECRET);
    assert_eq!(again.status.code(), Some(1), "{}", told(&again));
    assert!(told(&again).contains("nowhere"), "{}", told(&again));
}

#[test]
fn a_value_is_never_an_argument() {
    let repo = initialised();
    let root = repo.root();
    assert_eq!(run(root, &["purge", "--value", SECRET, "-r", "x"]).0, 2);
    assert_eq!(run(root, &["purge", &format!("--value={SECRET}"), "-r", "x"]).0, 2);
    assert_eq!(run(root, &["purge", "-r", "x"]).0, 2, "one of the two is needed");
    let empty = piped(root, &["purge", "--value", "-r", "x"], "\n");
    assert_eq!(empty.status.code(), Some(3));
    assert!(told(&empty).contains("pass show x"), "{}", told(&empty));
    let short = piped(root, &["purge", "--value", "-r", "x", "--yes"], "abc12\n");
    assert_eq!(short.status.code(), Some(3));
    assert!(told(&short).contains("--yes-short"), "{}", told(&short));
}

#[test]
fn clients_purge_by_id_and_never_by_value() {
    let repo = initialised();
    let (_, done) = json(repo.root(), &["remember", "my locker number is four two four two"]);
    let mut client = Client::new(repo.root(), &["--profile", "full"]);
    let tools = client.request("tools/list", value!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let purge = tools.iter().find(|tool| tool["name"] == "purge").unwrap();
    let input = &purge["inputSchema"];
    assert!(input["properties"].get("value").is_none(), "{input}");
    assert!(input["required"].as_array().unwrap().contains(&"id".into()), "{input}");
    client.data("purge", value!({ "id": done["id"], "reason": "private", "yes": true }));
    assert!(!repo.read("MEMORY.md").contains("locker"));
}
