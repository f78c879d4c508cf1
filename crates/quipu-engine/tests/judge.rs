//! Questions that a model answers, over the real protocol.

use quipu_core::item::{Sensitivity, Status};
use quipu_core::question::QuestionKind;
use quipu_engine::Workspace;
use quipu_engine::dream::DreamRequest;
use quipu_engine::index;
use quipu_engine::questions;
use quipu_engine::questions::Judge as _;
use quipu_engine::remember;
use quipu_engine::remember::NewMemory;
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{dream, lesson, told};
use quipu_testkit::repo::{now, request};
use quipu_testkit::server::JudgeServer;

fn use_judge(repo: &TestRepo, server: &JudgeServer) -> Workspace {
    repo.workspace_with(&[("judge.url", server.url()), ("judge.model", "wise")])
}

#[test]
fn a_model_answers_and_is_named_in_the_history() {
    let server = JudgeServer::start(|prompt| {
        let choice = if prompt.contains("Which of these holds") { "newer" } else { "holds" };
        format!("```json\n{{\"choice\": \"{choice}\", \"reason\": \"it is later\"}}\n```")
    });
    let repo = TestRepo::new();
    let workspace = use_judge(&repo, &server);
    let new = [
        lesson("The API of the gateway listens on port 8080", 90),
        lesson("The API of the gateway listens on port 9090", 40),
        NewMemory {
            sensitivity: Some(Sensitivity::Secret),
            ..lesson("The gateway's password is hunter2 on port 9090", 50)
        },
    ];
    let ids = remember::remember(&workspace, &new, &request("remember")).unwrap().ids;
    dream(&workspace);
    let judge = questions::judge(&workspace).unwrap();
    let judged =
        questions::answer_by(&workspace, &judge, (50, None), &request("answer"), &mut |_, _| {})
            .unwrap();
    assert!(judged.failed.is_empty(), "{:?}", judged.failed);
    assert_eq!(index::resolve(&workspace, &ids[0]).unwrap().status, Status::Superseded);
    let answered = questions::answered_questions(&workspace).unwrap();
    let by = answered.iter().filter_map(|one| one.answer.as_ref()).map(|answer| &*answer.by);
    assert!(by.into_iter().all(|by| by == "judge:wise"));
    assert!(server.prompts().iter().all(|prompt| !prompt.contains("hunter2")));
    assert!(server.prompts().iter().any(|prompt| prompt.contains("\"memories\"")));
}

#[test]
fn a_model_that_talks_nonsense_changes_nothing() {
    let server = JudgeServer::start(|_| "{\"choice\": \"delete everything\"}".to_owned());
    let repo = TestRepo::new();
    let workspace = use_judge(&repo, &server);
    let new = lesson("Backups are kept for 30 days", 90);
    let id = remember::remember(&workspace, &[new], &request("remember")).unwrap().ids.remove(0);
    dream(&workspace);
    let judge = questions::judge(&workspace).unwrap();
    let judged =
        questions::answer_by(&workspace, &judge, (50, None), &request("answer"), &mut |_, _| {})
            .unwrap();
    assert!(judged.answers.is_empty());
    assert!(judged.failed[0].1.contains("is not one of the choices"), "{:?}", judged.failed);
    assert_eq!(index::resolve(&workspace, &id).unwrap().status, Status::Active);
    let open = questions::questions(&workspace, now()).unwrap();
    assert!(open.iter().any(|one| one.kind == QuestionKind::Belief), "it waits");
}

#[test]
fn a_model_finds_words_where_rules_find_none() {
    let server = JudgeServer::start(|_| {
        "{\"choice\": \"summary\", \"reason\": \"The importer failed in many ways.\"}".to_owned()
    });
    let repo = TestRepo::new();
    let workspace = use_judge(&repo, &server);
    let long = "the nightly importer of the warehouse failed on table ";
    let new: Vec<NewMemory> = (0..6)
        .map(|n| {
            let tables: Vec<String> = (0..60).map(|t| format!("{long}{}", t + 60 * n)).collect();
            told(&(tables.join(". The importer, again: ") + "."))
        })
        .collect();
    remember::remember(&workspace, &new, &request("remember")).unwrap();
    let judge = questions::judge(&workspace).unwrap();
    assert_eq!(judge.name(), "judge:wise");
    let asked = DreamRequest { now: now(), judge: Some(&judge), ..DreamRequest::default() };
    let done = quipu_engine::dream::dream(&workspace, &asked, &mut |_, _, _| true).unwrap();
    let merged = done.actions.iter().find(|action| action.does.contains("in many ways"));
    assert!(merged.is_some(), "{:?}", done.actions);
}

#[test]
fn no_judge_is_an_error_that_says_what_to_do_and_a_repo_cannot_send_memory_away() {
    let repo = TestRepo::new();
    let error = questions::judge(&repo.workspace()).unwrap_err();
    assert!(error.advice().unwrap().contains("quipu questions"));
    repo.write("quipu.toml", "[judge]\nurl = \"https://models.example/v1\"\nmodel = \"m\"\n");
    let workspace = repo.workspace();
    assert!(workspace.config().notices[0].contains("`judge.model`, `judge.url`"));
    assert!(
        questions::judge(&workspace).unwrap_err().advice().unwrap().contains("quipu questions")
    );
}
