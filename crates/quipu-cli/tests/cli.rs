//! Arguments, words, documents and exit codes.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use quipu_testkit::TestRepo;

use crate::{answer, json, quipu, run};

fn initialised() -> TestRepo {
    let repo = TestRepo::new();
    assert_eq!(run(repo.root(), &["--today", "2026-03-02", "init", "--project", "x"]).0, 0);
    repo
}

#[test]
fn init_writes_a_memory_that_lint_finds_clean() {
    let repo = TestRepo::new();
    repo.write("AGENTS.md", "# Mine\n");
    repo.write(".gitignore", "target\n");
    let (code, document) = json(repo.root(), &["init"]);
    assert_eq!((code, &document["mode"]), (0, &serde_json::json!("A")));
    assert!(repo.read("AGENTS.md").starts_with("# Mine\n\n<!-- quipu:begin -->"));
    assert!(repo.read(".gitignore").starts_with("target\n\n# Quipu"));
    let (code, linted) = json(repo.root(), &["lint", "--strict"]);
    assert_eq!((code, &linted["findings"]), (0, &serde_json::json!([])));
    let (code, again, _) = run(repo.root(), &["init"]);
    assert!(code == 0 && again.contains("up to date"), "{again}");
    assert_eq!(run(repo.root(), &["undo"]).0, 0);
    assert_eq!(repo.read("AGENTS.md"), "# Mine\n");
    assert_eq!(run(repo.root(), &["status"]).0, 2, "undoing init leaves no workspace behind");
}

#[test]
fn a_newcomers_first_hour() {
    let repo = initialised();
    let at = |time: &str, arguments: &[&str]| {
        let mut all = vec!["--now", time];
        all.extend(arguments);
        let (code, out, error) = run(repo.root(), &all);
        assert_eq!(code, 0, "{arguments:?}: {out}{error}");
        out
    };
    at("2026-03-02T09:00:00Z", &["session", "start", "--agent", "Codex"]);
    at(
        "2026-03-02T09:01:00Z",
        &["fact", "add", "Exports are streamed", "--id", "exports-streamed"],
    );
    at(
        "2026-03-02T09:02:00Z",
        &["thread", "open", "Measure the export", "--id", "ot-measure-export"],
    );
    at("2026-03-02T09:03:00Z", &["session", "note", "It is fast", "--kind", "decided"]);
    at("2026-03-02T09:04:00Z", &["thread", "close", "ot-measure-export"]);
    let end = at("2026-03-02T09:05:00Z", &["session", "end"]);
    assert!(end.contains("memory/sessions/2026-03-02-090500.md"), "{end}");
    let log = repo.read("memory/sessions/2026-03-02-090500.md");
    assert!(log.contains("## Decisions Made\n\n- It is fast\n"), "{log}");
    let why = at("2026-03-02T10:00:00Z", &["why", "exports-streamed"]);
    assert!(why.contains("working_window 3"), "{why}");
    let shown = at("2026-03-02T10:00:00Z", &["show", "exports-streamed"]);
    assert!(shown.contains("in session 2026-03-02-090500"), "{shown}");
    assert!(at("2026-03-02T10:00:00Z", &["session", "list"]).contains("2026-03-02-090500"));
    assert!(at("2026-03-02T10:00:00Z", &["session", "show", "2026-03-02"]).contains("# Session"));
    assert!(at("2026-03-02T10:00:00Z", &["undo", "--list"]).contains("session end"));
    assert_eq!(run(repo.root(), &["lint", "--strict"]).0, 0);
}

#[test]
fn exit_codes_are_as_documented() {
    let nowhere = TestRepo::new();
    assert_eq!(run(nowhere.root(), &["status"]).0, 2, "no workspace");
    assert_eq!(run(nowhere.root(), &["no-such-command"]).0, 2, "wrong usage");
    let repo = initialised();
    assert_eq!(run(repo.root(), &["show", "no-such-fact"]).0, 3, "bad input");
    assert_eq!(run(repo.root(), &["fact", "list"]).0, 1, "nothing found");
    assert_eq!(run(repo.root(), &["undo", "--list"]).0, 0);
    let (code, usage) = json(repo.root(), &["fact", "add"]);
    assert_eq!((code, &usage["error"]["code"]), (2, &serde_json::json!("usage")));
    assert_eq!(run(&repo.root().join("memory"), &["status"]).0, 0, "climbs from a folder below");
}

#[test]
fn an_error_as_json_has_a_code_and_a_hint() {
    let repo = initialised();
    repo.write("memory/decay-policy.md", "- active_window: 20\n- archive_window: 8\n");
    let (code, document) = json(repo.root(), &["review"]);
    assert_eq!((code, &document["error"]["code"]), (3, &serde_json::json!("bad-policy")));
    assert!(document["error"]["message"].as_str().unwrap().contains("line 2"), "{document}");
    assert!(document["error"]["hint"].as_str().unwrap().contains("decay-policy.md"));
}

#[test]
fn a_mistyped_id_is_answered_with_the_one_that_was_meant() {
    let repo = initialised();
    run(repo.root(), &["fact", "add", "Exports are streamed", "--id", "exports-streamed"]);
    let (_, _, error) = run(repo.root(), &["why", "export-streamed"]);
    assert!(error.contains("did you mean exports-streamed?"), "{error}");
}

#[test]
fn a_contradiction_stops_with_what_can_be_chosen() {
    let repo = initialised();
    run(repo.root(), &["fact", "add", "The client retries 3 times", "--id", "client-retries"]);
    let (code, document) = json(repo.root(), &["fact", "add", "The client retries 5 times"]);
    assert_eq!((code, &document["added"]), (1, &serde_json::json!(false)));
    assert_eq!(document["candidates"][0]["id"], "client-retries");
    let (code, document) = json(
        repo.root(),
        &["fact", "add", "The client retries 5 times", "--supersedes", "client-retries"],
    );
    assert_eq!((code, &document["added"]), (0, &serde_json::json!(true)));
}

#[test]
fn a_fact_that_is_there_already_is_no_failure_and_an_edit_that_reverses_it_stops() {
    let repo = initialised();
    run(repo.root(), &["fact", "add", "The client retries 3 times", "--id", "client-retries"]);
    let (code, document) = json(repo.root(), &["fact", "add", "the client retries 3 times."]);
    assert_eq!((code, &document["already_there"]), (0, &serde_json::json!(true)));
    assert_eq!(document["id"], "client-retries");
    let never = "The client never retries";
    let (code, document) = json(repo.root(), &["edit", "client-retries", "--text", never]);
    assert_eq!((code, &document["changed"]), (1, &serde_json::json!(false)));
    assert_eq!(document["candidates"][0]["id"], "client-retries");
    let agreed = ["edit", "client-retries", "--text", never, "--agree"];
    assert_eq!(json(repo.root(), &agreed).0, 0);
}

#[test]
fn text_can_come_from_stdin() {
    let repo = initialised();
    let mut child = quipu(repo.root())
        .args(["fact", "add", "-", "--id", "from-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all("Two lines\nof text\n".as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(
        repo.read("memory/continuity.md").contains("- Two lines\n  of text\n  <!-- id: from-stdin")
    );
}

#[test]
fn an_editor_changes_the_words() {
    let repo = initialised();
    run(repo.root(), &["fact", "add", "Exports are streamed", "--id", "exports-streamed"]);
    let output = quipu(repo.root())
        .args(["edit", "exports-streamed", "--agree"])
        .env("EDITOR", "sed -i s/streamed/buffered/")
        .env_remove("VISUAL")
        .output()
        .unwrap();
    assert_eq!(answer(&output).0, 0);
    assert!(repo.read("memory/continuity.md").contains("- Exports are buffered\n"));
}

#[test]
fn an_interactive_review_leaves_out_what_is_declined() {
    let before =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/evolving-memory/before");
    let repo = TestRepo::copy_of(&before);
    let mut child = quipu(repo.root())
        .args(["--today", "2026-04-20", "review", "--interactive"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"n\n\n\n\n\n\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert!(repo.read("memory/archive/2026-Q1.md").contains("tracking-number-check-digit"));
    assert!(!repo.read("memory/continuity.md").contains("id: changelog-per-merge"));
}

#[test]
fn files_of_any_repo_can_be_scanned_for_credentials() {
    let repo = TestRepo::new();
    let value = ["Zq7", "Lm2", "Xw9"].concat();
    repo.write("app.env", &format!("DB_PASSWORD={value}\n"));
    repo.write("waived.env", &format!("DB_PASSWORD={value}\n"));
    repo.write("clean.yml", "password: ${DB_PASSWORD}\n");
    repo.write(".agent/secret-scan-ignore", "# by hand\nwaived.*\n");
    let (code, document) = json(
        repo.root(),
        &["lint", "--scan-files", "app.env", "waived.env", "clean.yml", "gone.txt"],
    );
    assert_eq!((code, document["warnings"].as_u64()), (1, Some(1)));
    assert_eq!(document["findings"][0]["subject"], "app.env");
    assert!(!document.to_string().contains(&value), "a value is never echoed");
}

#[test]
fn a_folder_named_by_a_path_with_dots_is_the_one_that_is_meant() {
    let around = TestRepo::new();
    for name in ["a", "b"] {
        std::fs::create_dir(around.root().join(name)).unwrap();
    }
    assert_eq!(run(&around.root().join("a"), &["init"]).0, 0);
    let other = around.root().join("a/../b");
    assert_eq!(run(&other, &["fact", "add", "Wrong place"]).0, 2);
}

#[test]
fn what_was_not_read_is_not_called_clean() {
    let repo = TestRepo::new();
    std::fs::create_dir(repo.root().join("folder")).unwrap();
    assert_eq!(run(repo.root(), &["lint", "--scan-files", "folder"]).0, 3);
    let (code, document) = json(repo.root(), &["lint", "--scan-files", "gone.env"]);
    assert_eq!((code, &document["skipped"]), (0, &serde_json::json!(["gone.env"])));
}

#[test]
fn findings_come_as_sarif_too() {
    let before =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/evolving-memory/before");
    let (code, out, _) = run(&before, &["lint", "--sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &sarif["version"]), (1, &serde_json::json!("2.1.0")));
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "error");
}

#[test]
fn output_that_is_piped_has_no_colours() {
    let before =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/evolving-memory/before");
    for arguments in [&["lint"][..], &["status"], &["fact", "list"], &["review", "--dry-run"]] {
        let (_, out, _) = run(&before, arguments);
        assert!(!out.contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let before =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/evolving-memory/before");
    let mut child =
        quipu(&before).args(["review", "--dry-run"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn reading_writes_nothing() {
    let before =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/evolving-memory/before");
    let repo = TestRepo::copy_of(&before);
    let files = repo.files();
    for arguments in [
        &["status"][..],
        &["lint"],
        &["fact", "list", "--all"],
        &["refresh", "--dry-run"],
        &["review", "--dry-run"],
        &["verify"],
        &["why", "parcel-ids-ulid"],
        &["show", "parcel-ids-ulid"],
        &["thread", "list", "--all"],
        &["session", "list"],
        &["undo", "--dry-run"],
        &["undo", "--list"],
    ] {
        run(repo.root(), arguments);
    }
    assert_eq!(repo.files(), files);
    assert!(!repo.root().join(".quipu").exists());
}

#[test]
fn completions_and_manual_pages_come_from_the_same_source() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, _) = run(Path::new("."), &["completions", shell]);
        assert!(code == 0 && script.contains("reactivate"), "{shell}");
    }
    assert!(run(Path::new("."), &["man"]).1.contains(".TH quipu"));
    let folder = TestRepo::new();
    run(Path::new("."), &["man", "--out", folder.root().to_str().unwrap()]);
    assert!(folder.files().contains_key("quipu-fact-add.1"));
}

#[test]
fn every_command_explains_itself() {
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_quipu"))
            .args(arguments)
            .arg("--help")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for command in [
        "demo",
        "init",
        "install",
        "uninstall",
        "doctor",
        "status",
        "lint",
        "refresh",
        "review",
        "show",
        "edit",
        "why",
        "undo",
        "verify",
    ] {
        assert!(help(&[command]).contains("Usage:"));
    }
    for (group, commands) in [
        ("fact", &["add", "list", "supersede", "core", "tier", "archive", "reactivate"][..]),
        ("thread", &["open", "close", "list"]),
        ("session", &["start", "note", "end", "list", "show"]),
    ] {
        for command in commands {
            help(&[group, command]);
        }
    }
    insta::assert_snapshot!(help(&[]));
}
