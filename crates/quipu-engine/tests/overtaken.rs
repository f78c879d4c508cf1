//! What a newer memory has overtaken: it is doubted and asked about, stands behind what overtook it, and
//! comes back where that was wrong.

use quipu_core::item::{Decision, Status};
use quipu_core::question::QuestionKind;
use quipu_engine::questions::{self, OpenQuestion};
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::NewMemory;
use quipu_engine::{Workspace, decide};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{assert_replays, dream, lesson, projection, remember_all, status};
use quipu_testkit::repo::{now, request};

/// Marlin was told of in two ways, so both mean the same; Kestrel has moved.
fn moved(workspace: &Workspace) -> Vec<String> {
    remember_all(
        workspace,
        &[
            lesson("We ship Marlin to Fly", 40),
            lesson("The platform behind Marlin is Fly", 30),
            lesson("We ship Kestrel to Heroku", 20),
            lesson("The platform behind Kestrel is Render", 10),
        ],
    )
}

fn asked(workspace: &Workspace) -> OpenQuestion {
    let mut open = questions::questions(workspace, now()).unwrap();
    open.retain(|one| one.kind == QuestionKind::Contradiction);
    assert_eq!(open.len(), 1, "{open:?}");
    open.remove(0)
}

fn found(workspace: &Workspace, question: &Question) -> Vec<(String, Status)> {
    let recalled = recall::recall(workspace, question, now()).unwrap();
    recalled.results.into_iter().map(|one| (one.text, one.status)).collect()
}

fn ask(words: &str) -> Question {
    Question { query: words.to_owned(), ..Question::default() }
}

#[test]
fn what_a_newer_one_says_in_other_words_is_doubted_and_asked() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = moved(&workspace);
    let dreamt = dream(&workspace);
    assert!(dreamt.actions.iter().any(|action| action.does.starts_with("challenges")));
    let statuses: Vec<Status> = ids.iter().map(|id| status(&workspace, id)).collect();
    assert_eq!(
        statuses,
        [Status::Active, Status::Active, Status::Challenged, Status::Active],
        "nothing is replaced, and Marlin has not moved"
    );
    let question = asked(&workspace);
    let subjects: Vec<&String> = question.subjects.iter().map(|one| &one.id).collect();
    assert_eq!(subjects, [&ids[2], &ids[3]]);
    assert_replays(&workspace);
}

#[test]
fn both_are_answers_and_the_newer_comes_first() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    moved(&workspace);
    let older = ("We ship Kestrel to Heroku".to_owned(), Status::Active);
    let newer = ("The platform behind Kestrel is Render".to_owned(), Status::Active);
    let both = found(&workspace, &ask("where do we ship Kestrel"));
    assert!(both[..2].contains(&older) && both[..2].contains(&newer), "{both:?}");
    dream(&workspace);
    let older = (older.0, Status::Challenged);
    let first = &found(&workspace, &ask("where do we ship Kestrel"))[..2];
    assert_eq!(first, [newer, older.clone()]);
    let then = Question {
        as_of: Some(quipu_testkit::repo::ago(15)),
        count: Some(1),
        ..ask("where do we ship Kestrel")
    };
    assert_eq!(found(&workspace, &then), [older], "it was so then");
}

#[test]
fn what_is_doubted_for_another_reason_is_no_answer_and_leaves_no_gap() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new: Vec<NewMemory> =
        (0..4).map(|number| lesson(&format!("gate {number} of the lock is open"), 9)).collect();
    let ids = remember_all(&workspace, &new);
    let doubt = Decision::Status { from: Status::Active, to: Status::Challenged };
    for id in &ids[..2] {
        decide::decide(&workspace, id, doubt.clone(), "not sure", &request("challenge")).unwrap();
    }
    let question = Question { count: Some(2), ..ask("which gate of the lock is open") };
    let found = found(&workspace, &question);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|(_, status)| *status == Status::Active), "{found:?}");
}

#[test]
fn an_answer_decides_and_brings_back_what_was_doubted_in_vain() {
    for (choice, older, newer) in [
        ("newer", Status::Superseded, Status::Active),
        ("older", Status::Active, Status::Invalidated),
        ("both", Status::Active, Status::Active),
    ] {
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        let ids = moved(&workspace);
        dream(&workspace);
        let question = asked(&workspace);
        questions::answer(&workspace, &question.id, choice, ("me", ""), &request("answer"))
            .unwrap();
        let after = [status(&workspace, &ids[2]), status(&workspace, &ids[3])];
        assert_eq!(after, [older, newer], "{choice}");
        assert!(dream(&workspace).actions.is_empty(), "{choice}: answered is answered");
        questions::take_answer_back(&workspace, &question.id, &request("answer")).unwrap();
        let before = [status(&workspace, &ids[2]), status(&workspace, &ids[3])];
        assert_eq!(before, [Status::Challenged, Status::Active], "{choice}");
        assert_replays(&workspace);
    }
}

#[test]
fn who_confirms_a_doubted_memory_has_the_last_word() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = moved(&workspace);
    dream(&workspace);
    let back = Decision::Status { from: Status::Challenged, to: Status::Active };
    decide::decide(&workspace, &ids[2], back, "still there", &request("confirm")).unwrap();
    dream(&workspace);
    assert_eq!(status(&workspace, &ids[2]), Status::Active);
}

#[test]
fn what_was_doubted_comes_back_when_the_newer_was_wrong() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = moved(&workspace);
    dream(&workspace);
    let wrong = Decision::Status { from: Status::Active, to: Status::Invalidated };
    decide::decide(&workspace, &ids[3], wrong, "a typo", &request("invalidate")).unwrap();
    dream(&workspace);
    assert_eq!(status(&workspace, &ids[2]), Status::Active);
    assert!(dream(&workspace).actions.is_empty());
}

#[test]
fn pinned_memories_and_facts_are_only_asked_about() {
    let repo = TestRepo::new();
    repo.write(
        "memory/continuity.md",
        "# Continuity\n\n## Key Decisions\n\n- We ship Juniper to Fly\n  <!-- id: ship-juniper | created: 2026-01-05 | tier: core -->\n",
    );
    let workspace = repo.workspace();
    let ids = remember_all(
        &workspace,
        &[
            NewMemory { pinned: true, ..lesson("We ship Kestrel to Heroku", 20) },
            lesson("We ship Kestrel to Render", 10),
            lesson("We ship Juniper to Vercel", 9),
        ],
    );
    let before = projection(&workspace);
    dream(&workspace);
    let after = projection(&workspace);
    for id in [ids[0].as_str(), "ship-juniper"] {
        assert_eq!(before[id], after[id]);
        let open = questions::questions(&workspace, now()).unwrap();
        let is_asked = |one: &OpenQuestion| {
            one.kind == QuestionKind::Contradiction && one.subjects[0].id == id
        };
        assert!(open.iter().any(is_asked), "{id}");
    }
}

#[test]
fn a_second_dream_changes_nothing_and_undo_restores_everything() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    moved(&workspace);
    let before = projection(&workspace);
    let dreamt = dream(&workspace);
    let after = projection(&workspace);
    assert_ne!(before, after);
    assert!(dream(&workspace).actions.is_empty());
    assert_eq!(projection(&workspace), after);
    quipu_engine::dream::undo_dream(&workspace, Some(&dreamt.run), &request("dream")).unwrap();
    assert_eq!(projection(&workspace), before);
    assert_replays(&workspace);
}

#[test]
fn what_overtook_it_is_no_answer_where_the_question_leaves_it_out() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    moved(&workspace);
    dream(&workspace);
    let until = now() - jiff::SignedDuration::from_hours(24 * 15);
    let question = Question { until: Some(until), ..ask("where do we ship Kestrel") };
    let texts: Vec<String> = found(&workspace, &question).into_iter().map(|one| one.0).collect();
    assert!(texts.iter().any(|text| text.contains("Heroku")), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("Render")), "{texts:?}");
}
