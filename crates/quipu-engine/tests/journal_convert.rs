//! `journal convert`: the same records and the same digests in either form.

use quipu_core::item::Decision;
use quipu_core::journal::{self, Form, Record};
use quipu_engine::{Workspace, convert, decide, replay, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::journal::record;
use quipu_testkit::memories::{ask, asked, assert_replays, ids, remember};
use quipu_testkit::repo::request;

fn digest(workspace: &Workspace) -> String {
    let replayed = replay::replay(workspace, true, &mut |_, _| {}).unwrap();
    assert!(replayed.equal, "{:?}", replayed.differences);
    replayed.digest
}

/// Returns every record, in an order of its own.
fn records(repo: &TestRepo) -> Vec<String> {
    let mut all = Vec::new();
    for (path, bytes) in repo.files() {
        if journal::is_private(&path) {
            let text = String::from_utf8(bytes).unwrap();
            all.extend(journal::records(&text).map(|(_, record)| record.line()));
        }
    }
    all.sort_unstable();
    all
}

fn to(workspace: &Workspace, form: Form) -> convert::Converted {
    convert::convert_journal(workspace, form, &request("journal convert")).unwrap()
}

/// A folder as the original leaves it, with words of the user's and what only JSON can say.
fn cursorclaw() -> TestRepo {
    let repo = TestRepo::new();
    let odd = record("odd", "note", " begins with a space\r\n", 1);
    let several = record("several", "decision", "Retries:\n\n- one\n- two", 1);
    let mut unknown = record("unknown", "note", "has a key of its own", 1);
    unknown.unknown.insert("mood".to_owned(), serde_json::json!({ "of": [1, 2] }));
    let lines: String = [&odd, &several, &unknown].map(Record::line).concat();
    repo.write("MEMORY.md", &format!("# My memory\n\n{lines}my own words\n"));
    repo.write("memory/2026-06-09.md", &format!("{lines}- a bullet of mine\n"));
    repo
}

#[test]
fn a_journal_becomes_markdown_and_json_again_and_loses_nothing() {
    let repo = cursorclaw();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    assert!(repo.read("memory/2026-06-20.md").starts_with("- {"), "as the folder has them");
    let pin = Decision::Pin { pinned: true };
    decide::decide(&workspace, "several", pin, "it matters", &request("pin")).unwrap();
    let (before, all, files) = (digest(&workspace), records(&repo), repo.files());
    let done = to(&workspace, Form::Markdown);
    assert!(done.events > 0 && done.kept > 0, "{done:?}");
    assert_eq!((digest(&workspace), records(&repo)), (before.clone(), all.clone()));
    let day = repo.read("memory/2026-06-09.md");
    assert!(day.contains("- Retries:\n\n  - one\n") && day.ends_with("- a bullet of mine\n"));
    assert!(repo.read("memory/events/2026-06-20.jsonl").contains("\"pin\""));
    assert!(!repo.read("memory/2026-06-20.md").contains("lifecycle"));
    let new = remember(&workspace, "the gateway is on port 7000");
    assert!(repo.read("memory/2026-06-20.md").contains(&format!("<!-- id: {new}")));
    undo::undo(&workspace, None, &request("undo")).unwrap();
    let (before, all) = (digest(&workspace), records(&repo));
    to(&workspace, Form::Json);
    assert_eq!((digest(&workspace), records(&repo)), (before, all));
    assert!(!repo.root().join("memory/events/2026-06-20.jsonl").exists());
    assert_eq!(
        repo.read("memory/2026-06-09.md"),
        String::from_utf8_lossy(&files["memory/2026-06-09.md"])
    );
    assert_eq!(ids(&ask(&workspace, &asked("kettle"))), [id.as_str()]);
}

#[test]
fn a_conversion_is_undone_byte_for_byte_until_something_is_appended() {
    let repo = cursorclaw();
    let workspace = repo.workspace();
    remember(&workspace, "the kettle is blue");
    let files = |repo: &TestRepo| {
        let mut files = repo.files();
        files.remove("memory/events/.gitignore");
        files
    };
    let before = files(&repo);
    to(&workspace, Form::Markdown);
    let after = files(&repo);
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(files(&repo), before);
    assert_replays(&workspace);
    undo::redo(&workspace, &request("redo")).unwrap();
    assert_eq!(files(&repo), after);
    let changes = undo::changes(&workspace, 9).unwrap();
    remember(&workspace, "the gateway is on port 7000");
    let error = undo::undo(&workspace, Some(&changes[0].id), &request("undo")).unwrap_err();
    assert_eq!(error.code(), "edited-since");
    assert_replays(&workspace);
}

#[test]
fn the_form_is_noted_once_and_a_hand_written_record_does_not_change_it() {
    let repo = cursorclaw();
    let workspace = repo.workspace();
    remember(&workspace, "the kettle is blue");
    let hand = "- mine\n  <!-- id: mine | at: 2026-06-19T10:00:00Z -->\n";
    repo.write("memory/2026-06-19.md", hand);
    std::fs::remove_file(repo.root().join("memory/2026-06-20.md")).unwrap();
    remember(&repo.workspace(), "the gateway is on port 7000");
    assert!(repo.read("memory/2026-06-20.md").starts_with("- {"));
}

#[test]
fn settings_that_name_a_form_go_first() {
    let repo = cursorclaw();
    let workspace = repo.workspace_with(&[("journal.format", "json")]);
    let error = convert::convert_journal(&workspace, Form::Markdown, &request("x")).unwrap_err();
    assert_eq!(error.code(), "form-is-set");
}

#[test]
fn an_edit_by_hand_is_a_change_of_its_own() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    let edited = repo.read("MEMORY.md").replace("blue", "green");
    repo.write("MEMORY.md", &edited);
    remember(&workspace, "the gateway is on port 7000");
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(repo.read("MEMORY.md"), edited, "the person's words stay");
    let changes = undo::changes(&workspace, 9).unwrap();
    let by_hand = changes.iter().find(|one| one.operation == "edit by hand").unwrap();
    assert_eq!(by_hand.by.as_deref(), Some("operator"));
    assert_eq!(ask(&workspace, &asked("kettle")).results[0].text, "the kettle is green");
    assert_eq!(ids(&ask(&workspace, &asked("kettle")))[0], id);
    assert_replays(&workspace);
}
