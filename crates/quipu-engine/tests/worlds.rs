//! How sure recall is, on worlds with questions that have an answer and questions that have none. The floors
//! are what is reached, a little below; `quipu-bench worlds` prints each question.

use proptest::prelude::*;
use quipu_core::question::{Question as Doubt, QuestionKind};
use quipu_engine::questions;
use quipu_engine::recall::{self, Confidence, Question};
use quipu_engine::remember::NewMemory;
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{ask, asked, dream, remember_all, told};
use quipu_testkit::repo::{ago, now, request};
use quipu_testkit::worlds::{self, Score};

fn assert_floors(score: Score, floors: [(&str, usize); 6]) {
    let shares = [
        (score.right, score.answerable),
        (score.sure, score.answerable),
        (score.sure_right, score.sure),
        (score.answerable - score.denied, score.answerable),
        (score.admitted, score.unanswerable),
        (score.current_first, score.current),
    ];
    for ((what, percent), (part, whole)) in floors.into_iter().zip(shares) {
        assert!(
            Score::is_at_least(part, percent, whole),
            "{what}: {part} of {whole} is less than {percent} %; {score:?}"
        );
    }
}

#[test]
fn worlds_that_recall_was_tuned_on_are_answered() {
    let score = worlds::score(&worlds::read(worlds::DEV));
    assert_eq!(score.confused, 0, "{score:?}");
    let floors = [
        ("first answer right", 80),
        ("sure", 45),
        ("sure and right", 95),
        ("not denied", 80),
        ("unanswerable admitted", 55),
        ("current value first", 75),
    ];
    assert_floors(score, floors);
}

#[test]
fn worlds_that_nobody_tuned_for_are_answered_too() {
    let score = worlds::score(&worlds::read(worlds::TEST));
    let floors = [
        ("first answer right", 65),
        ("sure", 25),
        ("sure and right", 80),
        ("not denied", 65),
        ("unanswerable admitted", 35),
        ("current value first", 45),
    ];
    assert_floors(score, floors);
}

/// Two things of one sort, what is said of each, and a question about one of them.
const SIBLINGS: &[(&str, [&str; 2], &str, &str, &str)] = &[
    (
        "The {} team meets on {}",
        ["red", "blue"],
        "Monday",
        "Tuesday",
        "When does the {} team meet?",
    ),
    ("{} listens on port {}", ["Staging", "Production"], "5544", "6432", "which port is {}?"),
    (
        "The {} token lives for {}",
        ["access", "refresh"],
        "15 minutes",
        "30 days",
        "how long does the {} token live",
    ),
    (
        "Service {} is written in {}",
        ["Alpha", "Beta"],
        "Go",
        "Python",
        "What is service {} written in?",
    ),
    ("{}'s birthday is on {}", ["Anna", "Boris"], "3 May", "7 June", "When is {}'s birthday?"),
    (
        "The office in {} opens at {}",
        ["Berlin", "Lisbon"],
        "8:00",
        "9:30",
        "when does the office in {} open",
    ),
    (
        "Version {} supports {}",
        ["3.11", "3.12"],
        "Windows",
        "FreeBSD",
        "what does version {} support",
    ),
    (
        "The {} database keeps backups for {}",
        ["billing", "search"],
        "14 days",
        "90 days",
        "how long are backups of the {} database kept",
    ),
    (
        "{} takes {} in the coffee",
        ["Marta", "Igor"],
        "milk",
        "sugar",
        "what does {} take in the coffee?",
    ),
    ("The {} door code is {}", ["front", "rear"], "4471", "9082", "{} door code"),
    (
        "Training in {} starts on {}",
        ["Paris", "Vienna"],
        "Thursday",
        "Friday",
        "when does the training in {} start",
    ),
    (
        "The {} queue retries {}",
        ["mail", "invoice"],
        "three times",
        "ten times",
        "how often does the {} queue retry",
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn siblings_are_never_confused(
        shape in 0..SIBLINGS.len(),
        first in 0_usize..2,
        about in 0_usize..2,
        count in 1_usize..12,
        lasts in [any::<bool>(), any::<bool>()],
        is_answered in any::<bool>(),
        dreams in any::<bool>(),
    ) {
        let (says, names, one, other, question) = SIBLINGS[shape];
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        let values = [one, other];
        let say = |which: usize, days: i64, lasts: bool| NewMemory {
            category: if lasts { "learned" } else { "note" }.to_owned(),
            time: Some(ago(days)),
            ..told(&says.replacen("{}", names[which], 1).replacen("{}", values[which], 1))
        };
        let ids = remember_all(
            &workspace,
            &[
                say(first, 20, lasts[0]),
                say(1 - first, 10, lasts[1]),
                told("We water the plants in the hall"),
            ],
        );
        if dreams {
            dream(&workspace);
        }
        if is_answered {
            let doubt = Doubt::new(QuestionKind::Contradiction, ids[..2].to_vec(), "");
            let open = questions::questions(&workspace, now()).unwrap();
            if open.iter().any(|one| one.id == doubt.id()) {
                questions::answer(&workspace, &doubt.id(), "both", ("me", ""), &request("answer"))
                    .unwrap();
            }
        }
        let question = Question {
            count: Some(count),
            ..asked(&question.replacen("{}", names[about], 1))
        };
        let recalled = ask(&workspace, &question);
        let expected = &ids[usize::from(about != first)];
        prop_assert_eq!(&recalled.results[0].id, expected, "{:?}", question.query);
    }
}

fn noted(text: &str, category: &str, days: i64) -> NewMemory {
    NewMemory { category: category.to_owned(), time: Some(ago(days)), ..told(text) }
}

#[test]
fn the_current_value_comes_first_and_the_old_one_is_there() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = remember_all(
        &workspace,
        &[
            noted("Basket expiry is set to 14 days", "note", 40),
            noted("Baskets now live 30 days before we drop them", "note", 10),
        ],
    );
    for count in [1, 2, 10] {
        let question = Question { count: Some(count), ..asked("how long does a basket live?") };
        assert_eq!(ask(&workspace, &question).results[0].id, ids[1], "{count}");
    }
    let all = ask(&workspace, &asked("how long does a basket live?"));
    assert_eq!(all.results.len(), 2);
}

#[test]
fn what_nobody_said_is_not_known_and_no_access_is_noted() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = remember_all(
        &workspace,
        &[
            noted("The retry limit is three", "learned", 9),
            noted("Deploys run on Mondays and Wednesdays", "learned", 8),
        ],
    );
    let recalled = ask(&workspace, &asked("what is the phone number of the dentist?"));
    assert_eq!(recalled.confidence, Confidence::None, "{:?}", recalled.results);
    recall::note_answer(&workspace, &recalled, now());
    let recalled = ask(&workspace, &asked("what is the retry limit?"));
    assert_eq!(recalled.confidence, Confidence::Sure, "{:?}", recalled.results[0].why);
    assert_eq!(recalled.results[0].id, ids[0]);
}

#[test]
fn what_was_decided_yesterday_are_the_decisions_of_that_day() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let mut new: Vec<NewMemory> = ["Free shipping from 49 euro", "No more PayPal", "Adyen it is"]
        .into_iter()
        .map(|text| noted(text, "decision", 1))
        .collect();
    new.push(noted("We decided nothing about the logo", "note", 1));
    new.push(noted("We decided to drop the old logo", "decision", 30));
    new.push(noted("I like short commit messages", "user-preference", 30));
    let ids = remember_all(&workspace, &new);
    let recalled = ask(&workspace, &asked("What did we decide yesterday?"));
    let mut first: Vec<&String> = recalled.results[..3].iter().map(|one| &one.id).collect();
    first.sort();
    let mut expected: Vec<&String> = ids[..3].iter().collect();
    expected.sort();
    assert_eq!(first, expected);
    assert_eq!(recalled.confidence, Confidence::Sure);
    let recalled = ask(&workspace, &asked("what are my preferences?"));
    assert_eq!((&recalled.results[0].id, recalled.confidence), (&ids[5], Confidence::Sure));
    let recalled = ask(&workspace, &asked("open todos?"));
    assert_eq!(recalled.confidence, Confidence::None, "there are none");
}

#[test]
fn a_superseded_memory_leads_to_its_successor_or_is_named() {
    use quipu_core::item::{Decision, Status};
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let old = remember_all(
        &workspace,
        &[noted("Invoices are archived on the Synology box", "learned", 9)],
    );
    let newer = NewMemory {
        supersedes: Some(old[0].clone()),
        ..noted("Paperwork goes to Backblaze", "learned", 2)
    };
    let newer = remember_all(&workspace, &[newer, noted("The cat is called Minka", "learned", 3)]);
    let recalled = ask(&workspace, &asked("where are invoices archived?"));
    assert_eq!(recalled.results[0].id, newer[0], "{recalled:?}");
    assert_eq!(recalled.results[0].supersedes, old);
    let hint = recalled.hint.unwrap();
    assert!(hint.contains(&old[0]) && hint.contains(&newer[0]), "{hint}");
    assert!(!recalled.results.iter().any(|answer| answer.id == old[0]));

    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = remember_all(
        &workspace,
        &[
            noted("Invoices are archived on the Synology box", "learned", 9),
            noted("The cat is called Minka", "learned", 3),
        ],
    );
    let gone = Decision::Status { from: Status::Active, to: Status::Superseded };
    quipu_engine::decide::decide(&workspace, &ids[0], gone, "", &request("status")).unwrap();
    let recalled = ask(&workspace, &asked("where are invoices archived?"));
    assert!(recalled.hint.as_deref().unwrap().contains("nothing replaced it"), "{recalled:?}");
    assert!(!recalled.results.iter().any(|answer| answer.id == ids[0]));
}
