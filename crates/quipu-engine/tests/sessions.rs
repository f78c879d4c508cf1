//! Sessions: what happens in one, and the log at its end.

use jiff::Timestamp;
use quipu_core::facts::NewFact;
use quipu_core::review::Selection;
use quipu_core::session::{Note, NoteKind};
use quipu_engine::facts::{self, Choice};
use quipu_engine::operation::Request;
use quipu_engine::sessions::{self, EndRequest};
use quipu_engine::{Workspace, numbers, report, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::{now, request, today};

const CONTINUITY: &str = "\
# Continuity

## Project State

- **project:** x
- **last_session:** (none yet)
- **last_review:** (none yet)

## Key Decisions

- Exports are streamed
  <!-- id: exports-are-streamed | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->
";

fn repo() -> (TestRepo, Workspace) {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", CONTINUITY);
    let workspace = repo.workspace();
    (repo, workspace)
}

fn add(workspace: &Workspace, text: &str, session: Option<&str>) {
    let new = NewFact {
        text: text.to_owned(),
        section: None,
        id: None,
        is_thread: false,
        allow_secret: false,
    };
    let request = Request { session, ..request("fact add") };
    facts::add_fact(workspace, &new, &Choice { agree: true, ..Choice::default() }, &request)
        .unwrap();
}

fn end(workspace: &Workspace) -> quipu_engine::sessions::Ended {
    sessions::session_end(workspace, &EndRequest::default(), now(), today()).unwrap().0
}

#[test]
fn what_a_session_cites_was_used() {
    let (_repo, workspace) = repo();
    let id = quipu_testkit::memories::remember(&workspace, "the export has a limit of ten rows");
    sessions::session_start(&workspace, Some("Claude Code"), None, &request("session start"))
        .unwrap();
    let text = format!("as {id} says, and exports-are-streamed");
    let note = Note { kind: NoteKind::Did, text };
    sessions::session_note(&workspace, &note, &[], &request("session note")).unwrap();
    end(&workspace);
    for id in [id.as_str(), "exports-are-streamed"] {
        assert_eq!(numbers::numbers(&workspace, id, now()).unwrap().uses, 1, "{id}");
    }
}

#[test]
fn a_log_names_what_was_created_opened_and_cited() {
    let (repo, workspace) = repo();
    sessions::session_start(&workspace, Some("Codex"), Some("Ann"), &request("session start"))
        .unwrap();
    add(&workspace, "Logs are JSON lines", None);
    sessions::note_opened(&workspace, None, "exports-are-streamed").unwrap();
    let ended = end(&workspace);
    let log = repo.read("memory/sessions/2026-06-20-100000.md");
    assert_eq!(ended.log.as_deref(), Some(log.as_str()));
    assert!(
        log.contains("- Created: logs-json-lines\n- Referenced: exports-are-streamed\n"),
        "{log}"
    );
    assert!(log.contains("**Agent:** Codex\n**User:** Ann\n"));
    let text = repo.read("memory/continuity.md");
    assert!(text.contains("- **last_session:** 2026-06-20 | agent: Codex (2026-06-20-100000)"));
    assert!(text.contains("id: logs-json-lines") && text.contains("origin: 2026-06-20-100000"));
    assert!(sessions::open_sessions(&workspace).unwrap().is_empty());
}

#[test]
fn a_note_that_names_a_fact_cites_it() {
    let (repo, workspace) = repo();
    sessions::session_start(&workspace, None, None, &request("session start")).unwrap();
    let note = Note { kind: NoteKind::Did, text: "Followed exports-are-streamed".to_owned() };
    sessions::session_note(&workspace, &note, &[], &request("session note")).unwrap();
    end(&workspace);
    let log = repo.read("memory/sessions/2026-06-20-100000.md");
    assert!(log.ends_with("- Referenced: exports-are-streamed\n"), "{log}");
}

#[test]
fn a_session_in_which_nothing_happened_leaves_no_log() {
    let (repo, workspace) = repo();
    sessions::session_start(&workspace, Some("Codex"), None, &request("session start")).unwrap();
    let before = repo.files();
    assert_eq!(end(&workspace).stem, None);
    assert_eq!(repo.files(), before);
    assert!(sessions::open_sessions(&workspace).unwrap().is_empty());
}

#[test]
fn listing_and_reviewing_are_no_uses() {
    let (repo, workspace) = repo();
    sessions::session_start(&workspace, None, None, &request("session start")).unwrap();
    report::list(&workspace, &quipu_engine::report::Filter::default()).unwrap();
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    end(&workspace);
    let log = repo.read("memory/sessions/2026-06-20-100000.md");
    let created = "- Created: exports-are-streamed\n\n## Memory Review (2026-06-20)";
    assert!(log.contains(created) && !log.contains("- Referenced:"), "{log}");
}

#[test]
fn what_happens_outside_a_session_waits_for_the_next_log() {
    let (repo, workspace) = repo();
    add(&workspace, "Logs are JSON lines", None);
    sessions::session_start(&workspace, Some("Codex"), None, &request("session start")).unwrap();
    end(&workspace);
    assert!(
        repo.read("memory/sessions/2026-06-20-100000.md").contains("- Created: logs-json-lines")
    );
}

#[test]
fn several_sessions_are_open_side_by_side() {
    let (repo, workspace) = repo();
    let one = sessions::session_start(&workspace, Some("Codex"), None, &request("session start"))
        .unwrap();
    let two = sessions::session_start(&workspace, Some("Codex"), None, &request("session start"))
        .unwrap();
    assert_ne!(one.id, two.id);
    add(&workspace, "Logs are JSON lines", Some(&one.id));
    let request =
        |session: &str| EndRequest { session: Some(session.to_owned()), ..EndRequest::default() };
    assert!(
        sessions::session_end(&workspace, &EndRequest::default(), now(), today()).is_err(),
        "which one?"
    );
    assert!(
        sessions::session_end(&workspace, &request(&two.id), now(), today())
            .unwrap()
            .0
            .stem
            .is_none()
    );
    assert!(
        sessions::session_end(&workspace, &request(&one.id), now(), today())
            .unwrap()
            .0
            .stem
            .is_some()
    );
    assert_eq!(repo.files().keys().filter(|path| path.contains("sessions/")).count(), 1);
}

#[test]
fn two_logs_of_one_second_both_stay() {
    let (repo, workspace) = repo();
    for text in ["Logs are JSON lines", "Releases happen on Mondays"] {
        sessions::session_start(&workspace, None, None, &request("session start")).unwrap();
        add(&workspace, text, None);
        end(&workspace);
    }
    assert!(repo.root().join("memory/sessions/2026-06-20-100000.md").exists());
    assert!(repo.root().join("memory/sessions/2026-06-20-100001.md").exists());
}

#[test]
fn an_archived_fact_that_was_opened_comes_back() {
    let (repo, workspace) = repo();
    repo.write(
        "memory/archive/2026-Q1.md",
        "# A\n\n- Old rule\n  <!-- id: old-rule | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: archived -->\n",
    );
    sessions::session_start(&workspace, None, None, &request("session start")).unwrap();
    sessions::note_opened(&workspace, None, "old-rule").unwrap();
    let ended = end(&workspace);
    assert_eq!(ended.reactivated, ["old-rule"]);
    assert!(repo.read("memory/continuity.md").contains("id: old-rule"));
    assert!(repo.read("memory/sessions/2026-06-20-100000.md").contains("- Reactivated: old-rule"));
    assert_eq!(facts::lint(&workspace, false).unwrap().errors(), 0);
}

/// Ends sessions until a review is due; returns the last.
fn until_a_review_is_due(repo: &TestRepo, workspace: &Workspace) -> quipu_engine::sessions::Ended {
    repo.write(
        "memory/decay-policy.md",
        "- review_every: 4\n- archive_window: 2\n- active_window: 1\n",
    );
    let mut last = None;
    for hour in 1..=4_i64 {
        let at: Timestamp = now() + jiff::SignedDuration::from_hours(hour);
        sessions::session_start(
            workspace,
            Some("Codex"),
            None,
            &Request { now: at, ..request("session start") },
        )
        .unwrap();
        let references =
            if hour == 1 { vec!["exports-are-streamed".to_owned()] } else { Vec::new() };
        let request = EndRequest { references, force: true, ..EndRequest::default() };
        last = Some(sessions::session_end(workspace, &request, at, today()).unwrap().0);
    }
    last.unwrap()
}

#[test]
fn a_review_that_is_due_is_shown_and_the_numbers_are_refreshed() {
    let (repo, workspace) = repo();
    let ended = until_a_review_is_due(&repo, &workspace);
    let plan = ended.review.unwrap();
    assert!(!ended.review_applied);
    assert!(plan.items.iter().any(|item| item.id == "exports-are-streamed"), "{:?}", plan.items);
    let text = repo.read("memory/continuity.md");
    assert!(
        text.contains("exports-are-streamed") && text.contains("tier: archive-candidate"),
        "{text}"
    );
    assert!(text.contains("**last_review:** (none yet)"));
}

#[test]
fn a_review_that_is_due_is_applied_where_the_configuration_says_so() {
    let (repo, _) = repo();
    repo.write("quipu.toml", "[review]\nauto = true\n");
    let workspace = repo.workspace();
    let ended = until_a_review_is_due(&repo, &workspace);
    assert!(ended.review_applied);
    assert!(!repo.read("memory/continuity.md").contains("id: exports-are-streamed"));
    let logs = repo.files();
    let reviewed =
        logs.values().any(|bytes| String::from_utf8_lossy(bytes).contains("## Memory Review ("));
    assert!(reviewed, "the log tells of the review");
    assert_eq!(facts::lint(&workspace, false).unwrap().errors(), 0);
}

#[test]
fn ending_a_session_can_be_undone() {
    let (repo, workspace) = repo();
    sessions::session_start(&workspace, Some("Codex"), None, &request("session start")).unwrap();
    add(&workspace, "Logs are JSON lines", None);
    sessions::note_opened(&workspace, None, "exports-are-streamed").unwrap();
    let before = repo.files();
    end(&workspace);
    undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap();
    assert_eq!(repo.files(), before);
    assert_eq!(sessions::open_sessions(&workspace).unwrap().len(), 1);
    let log = end(&workspace).log.unwrap();
    assert!(log.contains("exports-are-streamed") && log.contains("logs-json-lines"), "{log}");
}

#[test]
fn a_name_with_line_breaks_forges_no_heading() {
    let (repo, workspace) = repo();
    let forged = "A\n## Memory References\n\n- Referenced: exports-are-streamed";
    sessions::session_start(&workspace, Some(forged), Some(forged), &request("session start"))
        .unwrap();
    add(&workspace, "Logs are JSON lines", None);
    end(&workspace);
    let log = repo.read("memory/sessions/2026-06-20-100000.md");
    assert_eq!(
        log.lines().filter(|line| line.starts_with("## Memory References")).count(),
        1,
        "{log}"
    );
    // No log named the fact before, so this one lists it as created, and not as referenced.
    assert_eq!(report::why(&workspace, "exports-are-streamed").unwrap().uses, 1);
    assert!(!log.contains("\n- Referenced:"), "{log}");
}

#[test]
fn what_was_opened_while_several_sessions_are_open_is_not_lost() {
    let (_repo, workspace) = repo();
    let one =
        sessions::session_start(&workspace, Some("A"), None, &request("session start")).unwrap();
    sessions::session_start(&workspace, Some("B"), None, &request("session start")).unwrap();
    sessions::note_opened(&workspace, None, "exports-are-streamed").unwrap();
    assert!(
        sessions::note_opened(&workspace, Some("no-such-session"), "exports-are-streamed").is_err()
    );
    let request = EndRequest { session: Some(one.id), ..EndRequest::default() };
    let (ended, _) = sessions::session_end(&workspace, &request, now(), today()).unwrap();
    assert!(ended.log.unwrap().contains("exports-are-streamed"));
}

#[test]
fn a_session_can_end_while_a_review_is_impossible() {
    let (repo, workspace) = repo();
    let footer = "  <!-- id: dup-fact | created: 2026-01-01 | uses: 1 | tier: superseded -->\n";
    repo.write("memory/continuity.md", &format!("{CONTINUITY}- One\n{footer}- Two\n{footer}"));
    until_a_review_is_due(&repo, &workspace);
}
