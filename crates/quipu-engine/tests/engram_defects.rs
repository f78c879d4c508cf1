//! Every known defect of engram 0.5.2, shown gone. (Those that have a test
//! elsewhere: compression bricks the store, `compress.rs`; drift deletes pinned memories, `drift.rs`; merge
//! ignores pins, peer cards multiply, invalidated memories are returned, `dream.rs`.)

use jiff::Timestamp;
use quipu_core::claim::{ClaimKind, Runner, claims};
use quipu_core::item::{Decision, Layer, Status};
use quipu_engine::dream::{self, DreamRequest};
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::NewMemory;
use quipu_engine::{Workspace, decide, history, index, numbers};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{remember, told};
use quipu_testkit::repo::{ago, now, request};

fn ask(workspace: &Workspace, query: &str) -> Vec<String> {
    let question = Question { query: query.to_owned(), ..Question::default() };
    let recalled = recall::recall(workspace, &question, now()).unwrap();
    recalled.results.into_iter().map(|answer| answer.id).collect()
}

fn dream(workspace: &Workspace) {
    let asked = DreamRequest { now: now(), ..DreamRequest::default() };
    dream::dream(workspace, &asked, &mut |_, _, _| true).unwrap();
}

#[test]
fn importance_is_not_fed_back_by_recomputing() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new = NewMemory { importance: Some(0.9), ..told("the release is on Friday") };
    let id = quipu_engine::remember::remember(&workspace, &[new], &request("remember"))
        .unwrap()
        .ids
        .remove(0);
    let first = numbers::numbers(&workspace, &id, now()).unwrap().importance;
    for _ in 0..5 {
        dream(&workspace);
        assert_eq!(numbers::numbers(&workspace, &id, now()).unwrap().importance, first);
    }
    assert!(
        (index::resolve(&workspace, &id).unwrap().importance - 0.9).abs() < 1e-6,
        "the base is as said"
    );
}

#[test]
fn what_explains_importance_is_what_is_computed() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the office moved to Oslo");
    index::note_access(&workspace, &id, ago(3));
    let importance = numbers::numbers(&workspace, &id, now()).unwrap().importance;
    let sum: f64 = importance.terms.iter().map(|term| term.part).sum();
    assert_eq!(importance.terms.len(), 9);
    assert!((sum - importance.value).abs() < 1e-12);
    assert!(importance.terms.iter().any(|term| term.name == "activation" && term.value > 0.0));
}

#[test]
fn appearing_in_a_list_is_no_use() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids: Vec<String> = (0..4)
        .map(|n| remember(&workspace, &format!("the printer on floor {n} is out of ink")))
        .collect();
    assert_eq!(ask(&workspace, "printer out of ink").len(), 4);
    assert!(ids.iter().all(|id| numbers::numbers(&workspace, id, now()).unwrap().uses == 0));
}

#[test]
fn an_unknown_id_is_an_error_and_so_is_an_illegal_step() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "the queue is empty");
    let to = |to| Decision::Status { from: Status::Active, to };
    let ask = request("status");
    assert!(decide::decide(&workspace, "no-such-id", to(Status::Challenged), "", &ask).is_err());
    decide::decide(&workspace, &id, to(Status::Archived), "", &ask).unwrap();
    assert!(decide::decide(&workspace, &id, to(Status::Challenged), "", &ask).is_err());
    let same = Decision::Layer { from: Layer::Episodic, to: Layer::Episodic };
    assert!(decide::decide(&workspace, &id, same, "", &ask).is_err());
}

#[test]
fn an_exact_copy_of_an_isolated_memory_is_no_news() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for text in ["tea is served at four", "the moon is full", "trains run late", "salt is cheap"] {
        remember(&workspace, text);
    }
    let first = remember(&workspace, "the vault opens with two keys");
    let copy = told("the vault opens with two keys");
    let weighed = quipu_engine::remember::remember_one(&workspace, &copy, &request("remember"))
        .unwrap()
        .weighed
        .unwrap();
    assert_eq!(weighed.duplicate_of.as_ref(), Some(&first));
    assert!(weighed.importance <= 0.5, "never raised for being far from the rest: {weighed:?}");
}

#[test]
fn a_neighbour_is_never_rewritten_by_what_comes_later() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let first = remember(&workspace, "deploys happen on Monday");
    let second = told("deploys happen on Monday and Thursday");
    quipu_engine::remember::remember_one(&workspace, &second, &request("remember"))
        .unwrap()
        .weighed
        .unwrap();
    dream(&workspace);
    assert_eq!(index::resolve(&workspace, &first).unwrap().text, "deploys happen on Monday");
    let edit = Decision::Edit { text: "deploys happen on Friday".to_owned() };
    decide::decide(&workspace, &first, edit, "moved", &request("edit")).unwrap();
    let history = history::history(&workspace, &first, false).unwrap();
    assert!(history.entries.len() >= 2, "an edit keeps what was there before");
}

#[test]
fn a_script_is_known_by_its_own_name() {
    let found = claims("build it with `npm run build` before a release");
    let script = found.iter().find(|claim| matches!(claim.kind, ClaimKind::Script(_))).unwrap();
    assert_eq!((script.kind, script.text.as_str()), (ClaimKind::Script(Runner::Npm), "build"));
}

#[test]
fn the_same_question_has_the_same_answer_every_time() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for n in 0..30 {
        remember(&workspace, &format!("report {n} covers the sales of region {}", n % 5));
    }
    let first = ask(&workspace, "sales of region 3");
    for _ in 0..5 {
        assert_eq!(ask(&repo.workspace(), "sales of region 3"), first);
    }
}

#[test]
fn a_filter_never_empties_a_page_that_has_answers() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for n in 0..60 {
        remember(&workspace, &format!("the ferry to the island was late, day {n}"));
    }
    let lesson =
        NewMemory { category: "learned".to_owned(), ..told("ferries leave from pier two") };
    let id = quipu_engine::remember::remember(&workspace, &[lesson], &request("remember"))
        .unwrap()
        .ids
        .remove(0);
    let question = Question {
        query: "the ferry to the island".to_owned(),
        layers: vec![Layer::Semantic],
        ..Question::default()
    };
    let found = recall::recall(&workspace, &question, now()).unwrap().results;
    assert_eq!(found.iter().map(|answer| &answer.id).collect::<Vec<_>>(), [&id]);
}

#[test]
fn repeats_are_found_beyond_the_first_five_hundred() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let mut new: Vec<NewMemory> = (0..700_u32)
        .map(|n| told(&format!("ticket {n} is about {} and {}", word(n), word(n * 7 + 3))))
        .collect();
    let lesson = |text: &str| NewMemory { category: "learned".to_owned(), ..told(text) };
    new.push(lesson("Invoices are printed on green paper in the cellar"));
    new.push(lesson("Invoices are printed on green paper in the cellar."));
    let ids = quipu_engine::remember::remember(&workspace, &new, &request("remember")).unwrap().ids;
    dream(&workspace);
    let later = index::resolve(&workspace, &ids[701]).unwrap();
    let earlier = index::resolve(&workspace, &ids[700]).unwrap();
    let linked =
        |item: &quipu_core::item::Item, to: &str| item.links.iter().any(|link| link.to == to);
    assert!(linked(&later, &ids[700]) || linked(&earlier, &ids[701]));
}

fn word(n: u32) -> String {
    const PARTS: [&str; 8] = ["bal", "cor", "dim", "fen", "gos", "hul", "jin", "kap"];
    let part = |n: u32| PARTS[usize::try_from(n % 8).unwrap()];
    format!("{}{}{}", part(n), part(n / 8), part(n / 64))
}

#[test]
fn a_day_without_a_year_is_of_the_year_of_the_question() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let at = |time: &str| NewMemory {
        time: Some(time.parse::<Timestamp>().unwrap()),
        ..told("the harbour party took place")
    };
    let ids = quipu_engine::remember::remember(
        &workspace,
        &[at("2024-03-24T10:00:00Z"), at("2025-03-24T10:00:00Z")],
        &request("x"),
    )
    .unwrap()
    .ids;
    let question =
        Question { query: "what happened on March 24?".to_owned(), ..Question::default() };
    let in_2025 = "2025-05-01T00:00:00Z".parse().unwrap();
    assert_eq!(recall::recall(&workspace, &question, in_2025).unwrap().results[0].id, ids[1]);
}
