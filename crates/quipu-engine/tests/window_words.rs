//! `MEMORY.md` shows what memories say now, and what a person changes in it with an editor counts.

use quipu_core::item::Decision;
use quipu_engine::{Workspace, decide, index, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{ask, asked, assert_replays, ids, remember};
use quipu_testkit::repo::request;

fn edit(workspace: &Workspace, id: &str, words: &str) {
    let edit = Decision::Edit { text: words.to_owned() };
    decide::decide(workspace, id, edit, "it moved", &request("edit")).unwrap();
}

/// Changes words in the window as an editor does.
fn change_by_hand(repo: &TestRepo, old: &str, new: &str) {
    let window = repo.read("MEMORY.md");
    assert!(window.contains(old), "{window}");
    repo.write("MEMORY.md", &window.replace(old, new));
}

#[test]
fn an_edit_shows_in_the_window_and_its_undo_brings_back_every_byte() {
    for form in ["json", "markdown"] {
        let repo = TestRepo::new();
        repo.write("quipu.toml", &format!("[journal]\nformat = \"{form}\"\n"));
        let workspace = repo.workspace();
        let id = remember(&workspace, "the kettle is blue");
        remember(&workspace, "the gateway listens on port 7000");
        let before = repo.read("MEMORY.md");
        edit(&workspace, &id, "the kettle is red");
        let window = repo.read("MEMORY.md");
        assert!(window.contains("kettle is red") && !window.contains("blue"), "{window}");
        assert!(repo.read("memory/2026-06-20.md").contains("blue"), "the ledger only grows");
        edit(&workspace, &id, "the kettle is green\nand loud");
        undo::undo(&workspace, None, &request("undo")).unwrap();
        assert_eq!(repo.read("MEMORY.md"), window);
        undo::undo(&workspace, None, &request("undo")).unwrap();
        assert_eq!(repo.read("MEMORY.md"), before, "{form}");
        assert_replays(&workspace);
    }
}

#[test]
fn words_changed_by_hand_are_recalled_at_once_and_recorded_with_the_next_write() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    let other = remember(&workspace, "the gateway listens on port 7000");
    change_by_hand(&repo, "kettle is blue", "kettle is red");
    let answer = ask(&workspace, &asked("kettle"));
    assert_eq!((ids(&answer)[0], answer.results[0].text.as_str()), (&*id, "the kettle is red"));
    assert!(
        !repo.ledger("2026-06-20").contains("changed in MEMORY.md"),
        "a question writes nothing"
    );
    assert_replays(&workspace);
    edit(&workspace, &other, "the gateway listens on port 7001");
    let events = repo.read("memory/events/2026-06-20.jsonl");
    assert!(
        events.contains("changed in MEMORY.md") && events.contains("kettle is red"),
        "{events}"
    );
    remember(&workspace, "tea is at four");
    let events = repo.read("memory/events/2026-06-20.jsonl");
    assert_eq!(events.matches("changed in MEMORY.md").count(), 1, "once");
    assert_eq!(ask(&workspace, &asked("kettle")).results[0].text, "the kettle is red");
    assert_replays(&workspace);
}

#[test]
fn words_that_a_memory_once_had_are_no_change_by_hand() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    let old = repo.read("MEMORY.md");
    edit(&workspace, &id, "the kettle is red");
    // As version 0.1 left it: the window shows the first words.
    repo.write("MEMORY.md", &old);
    index::freshen(&workspace).unwrap();
    remember(&workspace, "tea is at four");
    assert_eq!(ask(&workspace, &asked("kettle")).results[0].text, "the kettle is red");
    assert!(!repo.ledger("2026-06-20").contains("changed in MEMORY.md"));
}

#[test]
fn a_record_that_a_person_deleted_from_the_window_is_not_put_back() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the kettle is blue");
    let before = repo.read("MEMORY.md");
    remember(&workspace, "tea is at four");
    repo.write("MEMORY.md", &before);
    remember(&workspace, "the gateway listens on port 7000");
    let window = repo.read("MEMORY.md");
    assert!(window.contains(&id) && window.contains("7000") && !window.contains("tea"), "{window}");
    assert!(!ids(&ask(&workspace, &asked("tea at four"))).is_empty(), "it is still remembered");
}

#[test]
fn a_window_whose_lines_end_with_crlf_keeps_them_so() {
    let repo = TestRepo::new();
    let mine = "# My memory\r\n\r\nmy own line\r\n";
    repo.write("MEMORY.md", mine);
    let workspace = repo.workspace();
    let only_crlf = |window: &str| window.replace("\r\n", "").find(['\r', '\n']).is_none();
    let id = remember(&workspace, "the kettle is blue\n\n- and loud");
    let remembered = repo.read("MEMORY.md");
    assert!(only_crlf(&remembered), "{remembered:?}");
    let text = "the kettle is green".to_owned();
    decide::decide(&workspace, &id, Decision::Edit { text }, "", &request("edit")).unwrap();
    let edited = repo.read("MEMORY.md");
    assert!(edited.contains("green") && only_crlf(&edited), "{edited:?}");
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(repo.read("MEMORY.md"), remembered);
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(repo.read("MEMORY.md"), mine);
    assert_replays(&workspace);
}
