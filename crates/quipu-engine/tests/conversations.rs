//! Recall in conversations: which turn of an exchange carries what is asked for, standing instructions,
//! questions about many memories; and what "current" means elsewhere.

use quipu_engine::recall::{Confidence, Question};
use quipu_engine::remember::NewMemory;
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{ask, asked, ids, remember_all, told};
use quipu_testkit::repo::ago;

fn turn(session: &str, speaker: &str, text: &str) -> NewMemory {
    NewMemory {
        session: Some(session.to_owned()),
        speaker: Some(speaker.to_owned()),
        category: "turn".to_owned(),
        time: Some(ago(5)),
        ..told(text)
    }
}

/// An exchange about a market among others.
fn market() -> Vec<NewMemory> {
    let mut all = Vec::new();
    for (number, thing) in ["garden", "cinema", "bicycle", "library"].iter().enumerate() {
        let session = format!("s{number}");
        all.push(turn(&session, "Ann", &format!("How is your {thing} these days?")));
        all.push(turn(&session, "Ben", "It could be better, but I do not complain."));
    }
    all.push(turn("m", "Ann", "What did you buy at the market, Ben?"));
    all.push(turn("m", "Ben", "Two kilos of apples and a jar of honey."));
    all.push(turn("m", "Ann", "That sounds like a pie."));
    all
}

#[test]
fn the_turn_that_answers_comes_before_the_turn_that_asks() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let all = remember_all(&workspace, &market());
    let recalled = ask(&workspace, &asked("What did Ben buy at the market?"));
    assert_eq!(recalled.results[0].id, all[9], "{:?}", recalled.results[0].text);
    assert_ne!(recalled.confidence, Confidence::None, "the exchange has all of the words");
}

#[test]
fn fewer_answers_are_the_same_ones() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    remember_all(&workspace, &market());
    let most = ask(&workspace, &Question { count: Some(40), ..asked("Ben at the market") });
    for count in [1, 3, 7, 10] {
        let fewer = ask(&workspace, &Question { count: Some(count), ..asked("Ben at the market") });
        assert_eq!(ids(&fewer), ids(&most)[..count.min(most.results.len())]);
    }
}

#[test]
fn a_standing_instruction_is_found_by_what_it_is_for() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let mut all: Vec<NewMemory> = (0..14)
        .map(|number| {
            let text = format!("Libraries again, part {number}");
            turn(&format!("s{number}"), "user", &text)
        })
        .collect();
    all.push(turn("i", "user", "Always name the versions when I ask about libraries."));
    let all = remember_all(&workspace, &all);
    let recalled = ask(&workspace, &asked("Which libraries are in the project?"));
    assert!(ids(&recalled).contains(&all[14].as_str()), "{:?}", ids(&recalled));
}

#[test]
fn a_question_about_many_hears_of_more_than_one_conversation() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let mut all = Vec::new();
    for number in 0..12 {
        all.push(turn("long", "Ann", &format!("The concert on evening {number} was by a band")));
    }
    for number in 0..4 {
        let text = format!("The concert in hall {number} was by a choir, and I liked it");
        all.push(turn(&format!("short{number}"), "Ann", &text));
    }
    remember_all(&workspace, &all);
    let sessions = |query: &str| {
        let recalled = ask(&workspace, &asked(query));
        let mut sessions: Vec<Option<String>> =
            recalled.results.into_iter().map(|answer| answer.source.session).collect();
        sessions.sort();
        sessions.dedup();
        sessions.len()
    };
    let (many, one) = (sessions("List all the concerts in order"), sessions("concerts"));
    assert!(many >= 4 && many > one, "{many} and {one}");
}

fn noted(text: &str, days: i64) -> NewMemory {
    NewMemory { category: "note".to_owned(), time: Some(ago(days)), ..told(text) }
}

#[test]
fn the_current_one_of_a_series_is_the_newest() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let all = remember_all(
        &workspace,
        &[
            noted("Fuel surcharge is 8.4 percent by the letter of Nordlink.", 60),
            noted("Fuel surcharge is 8.8 percent by the letter of Nordlink.", 5),
            noted("Fuel surcharge is 7.9 percent by the letter of Nordlink.", 30),
            noted("The coffee machine is descaled on Mondays.", 3),
        ],
    );
    let recalled = ask(&workspace, &asked("current fuel surcharge?"));
    assert_eq!(recalled.results[0].id, all[1], "{:?}", recalled.results[0].text);
}
