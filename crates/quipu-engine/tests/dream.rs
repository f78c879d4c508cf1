//! The dream: what it does, what it leaves alone, and that all of it can be taken back.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use quipu_core::item::{Decision, Item, Layer, Source, Status};
use quipu_core::question::QuestionKind;
use quipu_engine::dream::{DreamRequest, Dreamt, Step};
use quipu_engine::operation::Request;
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::weigh::Weighed;
use quipu_engine::{Workspace, decide, entities, history, index, numbers, purge, questions};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{
    assert_replays, dream, lesson, projection, remember_all, status, told,
};
use quipu_testkit::repo::{ago, now, request};

fn dream_at(workspace: &Workspace, now: Timestamp) -> Dreamt {
    let request = DreamRequest { now, ..DreamRequest::default() };
    quipu_engine::dream::dream(workspace, &request, &mut |_, _, _| true).unwrap()
}

/// Remembers one thing; returns its id and how it compares with what is known.
fn remember_one(workspace: &Workspace, new: &NewMemory) -> (String, Weighed) {
    let done = remember::remember_one(workspace, new, &request("remember")).unwrap();
    (done.id, done.weighed.unwrap())
}

/// Counts how often it was decided how new something is.
fn times_weighed(repo: &TestRepo, id: &str) -> usize {
    let ledger = repo.ledger("2026-06-20");
    let records = quipu_core::journal::records(&ledger).map(|(_, record)| record);
    let about = records.filter(|record| record.target.as_deref() == Some(id));
    about.filter(|record| matches!(record.decision, Some(Decision::Weigh(_)))).count()
}

fn old(text: &str, days: i64) -> NewMemory {
    NewMemory { time: Some(ago(days)), ..told(text) }
}

#[test]
fn a_question_about_a_past_time_finds_what_faded_and_not_what_somebody_put_away() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let note = |text: &str| NewMemory {
        importance: Some(0.1),
        source: Some(Source::Ingest),
        ..old(text, 100)
    };
    let ids = remember_all(
        &workspace,
        &[note("the export of the billing run hung"), note("the export of payroll hung")],
    );
    let put_away = Decision::Status { from: Status::Active, to: Status::Archived };
    decide::decide(&workspace, &ids[1], put_away, "wrong", &request("forget")).unwrap();
    dream(&workspace);
    assert_eq!(status(&workspace, &ids[0]), Status::Archived);
    let found = |query: &str| {
        let question = Question { query: query.to_owned(), ..Question::default() };
        let recalled = recall::recall(&workspace, &question, now()).unwrap();
        let found = recalled.results.into_iter().filter(|one| ids.contains(&one.id));
        found.map(|one| (one.id, one.status)).collect::<Vec<_>>()
    };
    // A match that only time put away is found, and marked.
    assert_eq!(found("which export hung?"), [(ids[0].clone(), Status::Archived)]);
    assert_eq!(found("which export hung in March?"), [(ids[0].clone(), Status::Archived)]);
}

#[test]
fn what_faded_is_put_away_and_what_is_used_is_promoted() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = remember_all(
        &workspace,
        &[
            NewMemory { importance: Some(0.1), ..old("we had tea on the balcony", 120) },
            NewMemory { pinned: true, importance: Some(0.1), ..old("the old key is blue", 120) },
            NewMemory { importance: Some(1.0), ..old("Rollbacks go through the release desk", 50) },
            NewMemory { layer: Some(Layer::Working), ..old("now on ticket 4711", 1) },
            lesson("Backups are kept for 30 days", 400),
        ],
    );
    for day in 0..6 {
        index::note_access(&workspace, &ids[2], ago(day));
        decide::decide(
            &workspace,
            &ids[2],
            Decision::Confirm { by: format!("p{day}") },
            "",
            &request("x"),
        )
        .unwrap();
    }
    let done = dream(&workspace);
    assert_eq!(status(&workspace, &ids[0]), Status::Archived);
    assert_eq!(status(&workspace, &ids[1]), Status::Active, "pinned is absolute");
    assert_eq!(index::resolve(&workspace, &ids[3]).unwrap().layer, Layer::Episodic);
    assert_eq!(status(&workspace, &ids[4]), Status::Active, "knowledge does not fade");
    assert!(done.did["fade"] >= 2, "{:?}", done.did);
    assert_replays(&workspace);
}

#[test]
fn a_second_dream_right_after_the_first_changes_nothing() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    fill(&workspace, 7, 120);
    let first = dream(&workspace);
    assert!(!first.actions.is_empty());
    let (files, items) = (repo.files(), projection(&workspace));
    let second = dream(&workspace);
    assert!(second.actions.is_empty(), "{:?}", second.actions);
    assert_eq!(projection(&workspace), items);
    let is_same = |(path, bytes): (&String, &Vec<u8>)| {
        path.starts_with(".quipu") || files.get(path) == Some(bytes)
    };
    assert!(repo.files().iter().all(is_same), "no file was written");
}

#[test]
fn undo_restores_the_exact_projection() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    fill(&workspace, 3, 120);
    let before = projection(&workspace);
    let done = dream(&workspace);
    assert!(done.did.contains_key("merge"), "{:?}", done.did);
    assert_ne!(projection(&workspace), before);
    let (run, events) =
        quipu_engine::dream::undo_dream(&workspace, None, &request("dream")).unwrap();
    assert_eq!((run, events > 0), (done.run, true));
    assert_eq!(projection(&workspace), before);
    assert!(
        questions::questions(&workspace, now()).unwrap().is_empty(),
        "its questions went with it"
    );
    assert_replays(&workspace);
    assert!(
        quipu_engine::dream::undo_dream(&workspace, None, &request("dream")).is_err(),
        "there is no other"
    );
}

#[test]
fn defect_merging_ignores_no_pin_and_keeps_every_text_reachable() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let mut new: Vec<NewMemory> = (0..6)
        .map(|n| old(&format!("The nightly build of the gateway failed, run {n}"), 3))
        .collect();
    new[2].pinned = true;
    let ids = remember_all(&workspace, &new);
    dream(&workspace);
    assert_eq!(status(&workspace, &ids[2]), Status::Active);
    let into = index::resolve(&workspace, &ids[0]).unwrap().merged_into.unwrap();
    let one = index::resolve(&workspace, &into).unwrap();
    assert_eq!((one.source, one.layer), (Source::Dream, Layer::Episodic));
    for (n, id) in ids.iter().enumerate().filter(|(n, _)| *n != 2) {
        let item = index::resolve(&workspace, id).unwrap();
        assert_eq!((item.status, item.merged_into.as_ref()), (Status::Merged, Some(&into)));
        assert!(
            one.text.contains(&format!("run {n}")),
            "nothing that differs is lost: {}",
            one.text
        );
    }
    assert_replays(&workspace);
}

#[test]
fn what_cannot_both_be_true_is_asked_and_never_merged() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ports = [8080, 8080, 8080, 9090, 9090, 9090];
    let new: Vec<NewMemory> = (0_i64..)
        .zip(ports)
        .map(|(day, port)| {
            lesson(&format!("the api of the gateway listens on port {port}"), 20 - day)
        })
        .collect();
    let ids = remember_all(&workspace, &new);
    dream(&workspace);
    assert!(ids.iter().all(|id| status(&workspace, id) == Status::Active));
    let open = questions::questions(&workspace, now()).unwrap();
    let question = open.iter().find(|one| one.kind == QuestionKind::Contradiction).unwrap();
    let (older, newer) = (question.subjects[0].id.clone(), question.subjects[1].id.clone());
    let by = ("operator", "moved in May");
    let given =
        questions::answer(&workspace, &question.id, "newer", by, &request("answer")).unwrap();
    assert_eq!(given.changed, std::slice::from_ref(&older));
    assert_eq!(status(&workspace, &older), Status::Superseded);
    assert_eq!(status(&workspace, &newer), Status::Active);
    let still = questions::questions(&workspace, now()).unwrap();
    assert!(still.iter().all(|one| one.id != question.id));
    questions::take_answer_back(&workspace, &question.id, &request("answer")).unwrap();
    assert_eq!(status(&workspace, &older), Status::Active);
    assert!(
        questions::questions(&workspace, now()).unwrap().iter().any(|one| one.id == question.id)
    );
    assert_replays(&workspace);
}

#[test]
fn defect_peer_cards_do_not_multiply() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let about =
        ["owns billing", "likes tea", "moved to Oslo", "wrote the parser", "leads the desk"];
    for (day, what) in (0_i64..).zip(about) {
        remember_all(&workspace, &[old(&format!("today Maria Lopez {what}"), 30 - day)]);
    }
    dream(&workspace);
    let card = entities::entity(&workspace, "maria lopez", 50).unwrap().card.unwrap();
    assert!(card.contains("moved to Oslo"), "{card}");
    remember_all(&workspace, &[old("today Maria Lopez bought a boat", 1)]);
    dream_at(&workspace, now().checked_add(SignedDuration::from_hours(24)).unwrap());
    let again = entities::entity(&workspace, "maria lopez", 50).unwrap();
    assert!(again.card.unwrap().contains("bought a boat"));
    let cards = projection(&workspace).into_values().filter(|item| item.category == "peer-card");
    let cards: Vec<Item> = cards.collect();
    assert_eq!(cards.len(), 1, "one card, written anew");
    let history = history::history(&workspace, &cards[0].id, false).unwrap();
    assert!(history.entries.len() >= 2, "the old words are in its history");
}

#[test]
fn defect_invalidated_memories_are_not_returned() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id =
        remember_all(&workspace, &[lesson("the staging host is called kestrel", 60)]).remove(0);
    dream(&workspace);
    let open = questions::questions(&workspace, now()).unwrap();
    let belief = open.iter().find(|one| one.kind == QuestionKind::Belief).unwrap();
    let before = index::resolve(&workspace, &id).unwrap().importance;
    questions::answer(&workspace, &belief.id, "wrong", ("operator", "renamed"), &request("answer"))
        .unwrap();
    let after = index::resolve(&workspace, &id).unwrap();
    assert_eq!(after.status, Status::Invalidated);
    assert!(after.importance < before, "base importance is reduced");
    let question = Question { query: "staging host kestrel".to_owned(), ..Question::default() };
    let answers = recall::recall(&workspace, &question, now()).unwrap().results;
    assert!(answers.iter().all(|answer| answer.id != id));
}

/// Stops a dream after its first records.
fn interrupted(workspace: &Workspace) -> Dreamt {
    let mut writes = 0;
    let mut stop = |step: &str, _: usize, _: usize| {
        writes += usize::from(step == "write");
        writes < 2
    };
    let request = DreamRequest { now: now(), ..DreamRequest::default() };
    let stopped = quipu_engine::dream::dream(workspace, &request, &mut stop).unwrap();
    assert!(stopped.stopped && !stopped.actions.is_empty(), "{:?}", stopped.did);
    stopped
}

/// More than are written at once.
fn fill_much(workspace: &Workspace) {
    let faded = |n: usize| NewMemory {
        importance: Some(0.1),
        ..old(&format!("note {n} of a rainy day in {}", ["Oslo", "Rome", "Bern"][n % 3]), 120)
    };
    remember_all(workspace, &(0..600).map(faded).collect::<Vec<_>>());
    fill(workspace, 5, 90);
}

#[test]
fn an_interrupted_dream_is_finished_by_the_next() {
    let whole = TestRepo::new();
    let workspace = whole.workspace();
    fill_much(&workspace);
    let torn = TestRepo::copy_of(whole.root());
    dream(&workspace);
    let expected = projection(&workspace);
    interrupted(&torn.workspace());
    let workspace = torn.workspace();
    assert_ne!(projection(&workspace), expected);
    assert!(dream(&workspace).resumed);
    assert_eq!(projection(&workspace), expected);
    assert!(dream(&workspace).actions.is_empty());
    assert_replays(&workspace);
}

#[test]
fn a_dream_without_time_says_so_and_does_nothing() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    fill(&workspace, 5, 90);
    let before = projection(&workspace);
    let request = DreamRequest { now: now(), ..DreamRequest::default() };
    let done = quipu_engine::dream::dream(&workspace, &request, &mut |_, _, _| false).unwrap();
    assert!(done.stopped && done.did.is_empty() && done.actions.is_empty(), "{:?}", done.did);
    assert_eq!(projection(&workspace), before);
    assert!(!dream(&workspace).actions.is_empty(), "the next goes on");
}

#[test]
fn an_interrupted_dream_can_be_taken_back() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    fill_much(&workspace);
    let before = projection(&workspace);
    let stopped = interrupted(&workspace);
    let (run, events) =
        quipu_engine::dream::undo_dream(&workspace, None, &request("dream")).unwrap();
    assert_eq!((run, events > 400), (stopped.run, true));
    assert_eq!(projection(&workspace), before);
    let again = dream(&workspace);
    assert!(!again.resumed && !again.actions.is_empty(), "its plan went with it");
}

#[test]
fn cards_come_back_after_undo_and_go_when_too_little_is_left() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let about =
        ["owns billing", "likes tea", "moved to Oslo", "wrote the parser", "leads the desk"];
    let told: Vec<NewMemory> = (0_i64..)
        .zip(about)
        .map(|(n, what)| old(&format!("today Maria Lopez {what}"), 30 - n))
        .collect();
    let ids = remember_all(&workspace, &told);
    let card = || entities::entity(&workspace, "maria lopez", 50).unwrap().card;
    dream(&workspace);
    assert!(card().is_some());
    quipu_engine::dream::undo_dream(&workspace, None, &request("dream")).unwrap();
    assert_eq!(card(), None);
    let again = dream(&workspace);
    assert!(card().is_some() && again.did.contains_key("cards"));
    assert!(dream(&workspace).actions.is_empty());
    let forget = Decision::Status { from: Status::Active, to: Status::Archived };
    decide::decide(&workspace, &ids[2], forget, "", &request("forget")).unwrap();
    dream(&workspace);
    assert_eq!(card(), None, "four memories make no card, and what was forgotten is not told");
    decide::decide(
        &workspace,
        &ids[2],
        Decision::Status { from: Status::Archived, to: Status::Active },
        "",
        &request("x"),
    )
    .unwrap();
    dream(&workspace);
    assert!(card().is_some(), "a dream put it away, so a dream may bring it back");
    assert_replays(&workspace);
}

#[test]
fn a_contradiction_is_seen_wherever_it_stands_in_a_group() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let texts = [
        "the api of the gateway listens on port 8080",
        "the api of the gateway listens behind nginx",
        "the api of the gateway listens for hooks",
        "the api of the gateway listens at night too",
        "the api of the gateway listens on port 9090",
    ];
    let new: Vec<NewMemory> =
        (0_i64..).zip(texts).map(|(day, text)| lesson(text, 20 - day)).collect();
    let ids = remember_all(&workspace, &new);
    dream(&workspace);
    assert!(ids.iter().all(|id| status(&workspace, id) == Status::Active));
}

#[test]
fn a_purge_reaches_cards_questions_and_what_a_dream_still_plans() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let long =
        "Then Maria Lopez told us of her illness, which nobody else may know. It was in May.";
    let mut new: Vec<NewMemory> = ["likes tea", "owns billing", "moved to Oslo", "leads the desk"]
        .map(|what| old(&format!("today Maria Lopez {what}"), 30))
        .to_vec();
    new.extend([old(long, 40), lesson("The vault code of the lab is 774411", 50)]);
    new.push(lesson("The vault code of the lab is 993355", 45));
    let ids = remember_all(&workspace, &new);
    fill_much(&workspace);
    interrupted(&workspace);
    for id in [&ids[4], &ids[5]] {
        purge::purge(&workspace, id, "asked to", &request("purge")).unwrap();
    }
    let holds = |words: &str| -> Vec<String> {
        let files = repo.files().into_iter();
        let found = files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(words));
        found.map(|(path, _)| path).collect()
    };
    // The number alone could stand in an id by chance.
    let gone = ["nobody else may know", "is 774411", "774411 became"];
    for words in gone {
        assert_eq!(holds(words), [""; 0], "{words}");
    }
    assert!(dream(&workspace).resumed);
    for words in gone {
        assert_eq!(holds(words), [""; 0], "{words} came back");
    }
    let card = entities::entity(&workspace, "maria lopez", 9).unwrap().card;
    assert!(card.is_none_or(|card| !card.contains("nobody else may know")));
    assert_replays(&workspace);
}

#[test]
fn a_purge_of_what_stands_for_others_leaves_them_alone_and_says_so() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let texts =
        (0..6).map(|n| old(&format!("The nightly build of the gateway failed, run {n}"), 3));
    let ids = remember_all(&workspace, &texts.collect::<Vec<_>>());
    dream(&workspace);
    let into = index::resolve(&workspace, &ids[0]).unwrap().merged_into.unwrap();
    let done = purge::purge(&workspace, &into, "asked to", &request("purge")).unwrap();
    assert!(done.not_reached.iter().any(|place| place.contains("(6)")), "{done:?}");
    assert!(index::resolve(&workspace, &into).is_err());
    assert!(index::resolve(&workspace, &ids[1]).unwrap().text.contains("run 1"));
}

#[test]
fn a_secret_is_named_and_never_told() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let secret = NewMemory {
        sensitivity: Some(quipu_core::item::Sensitivity::Secret),
        importance: Some(0.1),
        ..old("the password is hunter2", 300)
    };
    remember_all(&workspace, &[secret]);
    let done = dream(&workspace);
    assert_eq!(done.did.get("fade"), Some(&1));
    assert!(done.actions.iter().all(|action| !action.does.contains("hunter2")));
}

#[test]
fn a_memory_that_changed_since_the_plan_is_left_alone() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let faded = NewMemory { importance: Some(0.1), ..old("we had tea on the balcony", 120) };
    let id = remember_all(&workspace, &[faded]).remove(0);
    let other = repo.workspace();
    let mut pin = |step: &str, done: usize, _: usize| {
        if step == "write" && done == 0 {
            decide::decide(&other, &id, Decision::Pin { pinned: true }, "", &request("pin"))
                .unwrap();
        }
        true
    };
    let request = DreamRequest { now: now(), ..DreamRequest::default() };
    let done = quipu_engine::dream::dream(&workspace, &request, &mut pin).unwrap();
    assert_eq!(done.skipped.len(), 1);
    assert_eq!(status(&workspace, &id), Status::Active);
}

#[test]
fn steps_and_actions_can_be_chosen_and_a_dry_run_changes_nothing() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    fill(&workspace, 11, 120);
    let before = projection(&workspace);
    let dry = DreamRequest { now: now(), dry_run: true, ..DreamRequest::default() };
    let planned = quipu_engine::dream::dream(&workspace, &dry, &mut |_, _, _| true).unwrap();
    assert_eq!(projection(&workspace), before);
    let fade = planned.actions.iter().find(|action| action.step == Step::Fade).unwrap();
    let only = DreamRequest { dry_run: false, only: vec![fade.id.clone()], ..dry.clone() };
    let done = quipu_engine::dream::dream(&workspace, &only, &mut |_, _, _| true).unwrap();
    assert_eq!(done.actions.len(), 1);
    let merge = DreamRequest { dry_run: false, steps: vec![Step::Merge], ..dry };
    let done = quipu_engine::dream::dream(&workspace, &merge, &mut |_, _, _| true).unwrap();
    assert!(done.actions.iter().all(|action| action.step == Step::Merge));
}

#[test]
fn a_repeat_is_linked_reduced_and_confirms_only_from_another_mouth() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let say =
        |text: &str, speaker: &str| NewMemory { speaker: Some(speaker.to_owned()), ..told(text) };
    let text = "the export to the warehouse runs at four in the morning";
    let (first, alone) = remember_one(&workspace, &say(text, "Ada"));
    assert!((alone.surprise - 1.0).abs() < 1e-6, "nothing was known: {alone:?}");
    let (same, weighed) = remember_one(&workspace, &say(text, "Ada"));
    assert_eq!(weighed.duplicate_of.as_ref(), Some(&first));
    assert!(weighed.importance <= 0.5);
    assert!(
        index::resolve(&workspace, &first).unwrap().confirmed_by.is_empty(),
        "she only said it again"
    );
    let (other, _) = remember_one(&workspace, &say(text, "Grace"));
    let confirmed: usize = [&first, &same]
        .iter()
        .map(|id| index::resolve(&workspace, id).unwrap().confirmed_by.len())
        .sum();
    assert_eq!(confirmed, 1);
    assert_eq!(times_weighed(&repo, &other), 1, "once is enough");
    assert_replays(&workspace);
}

#[test]
fn old_uses_stand_together_and_hardly_change_activation() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember_all(&workspace, &[old("the archive is in the cellar", 900)]).remove(0);
    let mut state = 9_u64;
    for _ in 0..200 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        index::note_access(&workspace, &id, ago(91 + i64::try_from(state >> 33).unwrap() % 800));
    }
    let numbers = || numbers::numbers(&workspace, &id, now()).unwrap();
    let activation = |numbers: &quipu_engine::numbers::Numbers| numbers.importance.terms[8].value;
    let before = numbers();
    let prune = DreamRequest { now: now(), steps: vec![Step::Prune], ..DreamRequest::default() };
    let done = quipu_engine::dream::dream(&workspace, &prune, &mut |_, _, _| true).unwrap();
    assert!(done.folded > 150, "{}", done.folded);
    let after = numbers();
    assert_eq!((after.uses, after.retention), (before.uses, before.retention));
    let error = (activation(&after) / activation(&before) - 1.0).abs();
    assert!(error < 0.008, "activation changed by {error}");
}

#[test]
fn another_value_in_the_same_words_is_news_and_confirms_nothing() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let say = |text: &str, speaker: &str| NewMemory {
        speaker: Some(speaker.to_owned()),
        ..lesson(text, 0)
    };
    let text = "The gateway API listens on port";
    let (first, _) = remember_one(&workspace, &say(&format!("{text} 8080"), "Ada"));
    let (other, weighed) = remember_one(&workspace, &say(&format!("{text} 9090"), "Grace"));
    assert_eq!(weighed.duplicate_of, None);
    assert!(weighed.importance >= 0.5, "{weighed:?}");
    assert_eq!(weighed.contradicts, std::slice::from_ref(&first));
    let open = questions::questions(&workspace, now()).unwrap();
    assert_eq!(open.len(), 1, "it is asked at once");
    assert_eq!(times_weighed(&repo, &other), 1);
    assert!(index::resolve(&workspace, &first).unwrap().confirmed_by.is_empty());
    assert_replays(&workspace);
}

#[test]
fn beliefs_that_nobody_answers_make_room_for_others_after_a_while() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let words = ["kestrel", "marlin", "juniper", "basalt", "orchid", "falcon", "tundra"];
    let hosts = words.map(|word| lesson(&format!("the {word} host has a lock of its own"), 60));
    for host in hosts {
        remember_all(&workspace, &[host]);
    }
    let asked = |days: i64| {
        let later = now().checked_add(SignedDuration::from_hours(24 * days)).unwrap();
        dream_at(&workspace, later);
        let open = questions::questions(&workspace, later).unwrap();
        open.iter().filter(|one| one.kind == QuestionKind::Belief).count()
    };
    // Until the half-year is over, which asks anew.
    assert_eq!([asked(-20), asked(-1), asked(9), asked(10)], [5, 5, 5, 7]);
}

/// A memory with topics, repeats, contradictions and noise, the same for the same seed.
fn fill(workspace: &Workspace, seed: u64, count: usize) {
    let mut state = seed;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let topics = ["the billing service", "the release desk", "the search index", "the mobile app"];
    let events = ["was slow again", "failed at night", "was deployed", "lost its connection"];
    let mut new = Vec::new();
    for _ in 0..count {
        let (topic, event) = (topics[next(4)], events[next(4)]);
        let days = i64::try_from(next(200)).unwrap();
        let mut one = match next(4) {
            0 => lesson(&format!("{topic} keeps {} copies of its data", next(3) + 1), days),
            _ => old(&format!("today {topic} {event} says Maria Lopez"), days),
        };
        one.pinned = next(20) == 0;
        one.importance = Some([0.1, 0.5, 0.9][next(3)]);
        new.push(one);
    }
    remember_all(workspace, &new);
}

/// What somebody may do to a memory between two dreams.
#[derive(Clone, Debug)]
enum Deed {
    Dream,
    Undo,
    Use(usize),
    Forget(usize),
    Challenge(usize),
    Restore(usize),
    Answer(usize, usize),
    Days(i64),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        4 => Just(Deed::Dream),
        1 => Just(Deed::Undo),
        2 => (0..40_usize).prop_map(Deed::Use),
        2 => (0..40_usize).prop_map(Deed::Forget),
        1 => (0..40_usize).prop_map(Deed::Challenge),
        1 => (0..40_usize).prop_map(Deed::Restore),
        2 => (0..9_usize, 0..3_usize).prop_map(|(question, choice)| Deed::Answer(question, choice)),
        2 => (1..90_i64).prop_map(Deed::Days),
    ];
    proptest::collection::vec(deed, 1..8)
}

/// As many as somebody asks for; few by default, for each dreams several times.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// Pinned memories are untouched by any sequence of operations of the engine, no text becomes
    /// unreachable, no status is reached on an illegal path, and the files say the same as the index.
    #[test]
    fn any_sequence_keeps_its_promises(seed in 0..1000_u64, deeds in deeds()) {
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        fill(&workspace, seed, 40);
        let first = projection(&workspace);
        let pinned: Vec<&Item> = first.values().filter(|item| item.pinned).collect();
        let ids: Vec<&String> = first.keys().collect();
        let mut time = now();
        for deed in &deeds {
            let ask = Request { now: time, ..request("deed") };
            let status_to = |at: &usize, to| {
                let id = ids[at % ids.len()];
                let decision = Decision::Status { from: Status::Active, to };
                // What is pinned is left to itself here: a person may, the engine may not.
                if !first[id].pinned {
                    let _ = decide::decide(&workspace, id, decision, "", &ask);
                }
            };
            match deed {
                Deed::Dream => { dream_at(&workspace, time); }
                Deed::Undo => { let _ = quipu_engine::dream::undo_dream(&workspace, None, &ask); }
                Deed::Use(at) => index::note_access(&workspace, ids[at % ids.len()], time),
                Deed::Forget(at) => status_to(at, Status::Archived),
                Deed::Challenge(at) => status_to(at, Status::Challenged),
                Deed::Restore(at) => status_to(at, Status::Active),
                Deed::Answer(question, choice) => {
                    let open = questions::questions(&workspace, time).unwrap();
                    if let Some(one) = open.get(question % open.len().max(1)) {
                        let choice = one.choices[choice % one.choices.len()].name;
                        let given = questions::answer(&workspace, &one.id, choice, ("operator", ""), &ask);
                        // What is pinned is not changed by an answer, and the question stays.
                        let is_kept = one.subjects.iter().any(|one| first.get(&one.id).is_some_and(|item| item.pinned));
                        prop_assert!(given.is_ok() || is_kept, "{:?}", given);
                    }
                }
                Deed::Days(days) => {
                    time = time.checked_add(SignedDuration::from_hours(24 * days)).unwrap();
                }
            }
        }
        dream_at(&workspace, time);
        let again: Vec<String> = dream_at(&workspace, time)
            .actions
            .into_iter()
            .map(|action| format!("{} ({})", action.does, action.why))
            .collect();
        prop_assert!(again.is_empty(), "dream after dream is dream: {:?}", again);
        let last = projection(&workspace);
        for item in pinned {
            let now = &last[&item.id];
            // To be said again by another is no change of its own.
            let confirmed = Item { confirmed_by: item.confirmed_by.clone(), ..now.clone() };
            prop_assert_eq!(&confirmed, item);
        }
        for (id, item) in &first {
            prop_assert_eq!(&last[id].text, &item.text, "every text is still there");
        }
        assert_replays(&workspace);
    }
}

#[test]
fn a_dream_never_changes_when_something_happened() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let notes: Vec<NewMemory> =
        (1..=6).map(|n| old(&format!("Deployed the gateway 1.17.{n}"), 20 - n)).collect();
    let ids = remember_all(&workspace, &notes);
    let asked = Question { query: "when did we deploy 1.17.2?".to_owned(), ..Question::default() };
    let day = ago(18).strftime("%Y-%m-%d").to_string();
    let told = |workspace: &Workspace| {
        let answers = recall::recall(workspace, &asked, now()).unwrap().results;
        let first = answers.into_iter().next().unwrap();
        let line = first.text.lines().find(|line| line.contains("1.17.2")).unwrap_or("").to_owned();
        if line.starts_with("- ") { line } else { first.time.strftime("- %Y-%m-%d").to_string() }
    };
    assert!(told(&workspace).contains(&day), "{}", told(&workspace));
    dream(&workspace);
    let into = index::resolve(&workspace, &ids[1]).unwrap().merged_into.unwrap();
    let one = index::resolve(&workspace, &into).unwrap();
    assert_eq!((one.valid_from, one.time), (Some(ago(19)), ago(14)), "its span");
    assert!(told(&workspace).contains(&day), "{}", told(&workspace));
    let brief = quipu_engine::brief::brief(
        &workspace,
        &quipu_engine::brief::BriefRequest {
            now: now(),
            cap: None,
            tokens: None,
            hint: None,
            channel: quipu_core::item::Channel::Main,
        },
    );
    let brief = brief.unwrap().text;
    assert!(brief.contains(&format!("{day}: Deployed the gateway 1.17.2")), "{brief}");
    assert!(!brief.contains("10:00 ["), "nothing of it happened today: {brief}");
    // What comes later joins it, with its own day.
    let after = now().checked_add(SignedDuration::from_hours(12)).unwrap();
    let late = NewMemory {
        time: Some(after),
        ..quipu_testkit::memories::told("Deployed the gateway 1.17.7")
    };
    let late = remember_all(&workspace, &[late]).remove(0);
    dream_at(&workspace, now().checked_add(SignedDuration::from_hours(24)).unwrap());
    let into = index::resolve(&workspace, &late).unwrap().merged_into.unwrap();
    let one = index::resolve(&workspace, &into).unwrap();
    assert!(one.text.contains("1.17.1") && one.text.contains("1.17.7"), "{}", one.text);
    assert_eq!(one.time, after);
    assert_replays(&workspace);
}

#[test]
fn what_was_at_hand_is_settled_when_its_session_ends() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new = NewMemory { layer: Some(Layer::Working), ..told("now on ticket 4711") };
    let asked = Request { session: Some("20260620-100000-s"), ..request("remember") };
    let id = remember::remember(&workspace, &[new], &asked).unwrap().ids.remove(0);
    assert_eq!(index::resolve(&workspace, &id).unwrap().layer, Layer::Working);
    let later = now().checked_add(SignedDuration::from_hours(1)).unwrap();
    let ended = Request { now: later, ..request("session end") };
    quipu_engine::settle::settle_working(&workspace, "20260620-100000-s", &ended).unwrap();
    assert_eq!(index::resolve(&workspace, &id).unwrap().layer, Layer::Episodic);
}

#[test]
fn a_bridge_quotes_its_evidence_and_a_template_makes_none() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let mut told = Vec::new();
    for (n, what) in (0_i64..).zip(["Kestrel", "Marlin"]) {
        for (day, text) in (0_i64..).zip([
            format!("Today {what} corrupted messages while draining the Rabbit queue backlog"),
            format!("Later {what} was restarted by the on-call engineer"),
            format!("Then {what} got a larger machine in the cluster"),
        ]) {
            told.push(old(&text, 10 + 3 * n + day));
        }
    }
    remember_all(&workspace, &told);
    dream(&workspace);
    let open = questions::questions(&workspace, now()).unwrap();
    for bridge in open.iter().filter(|one| one.kind == QuestionKind::Bridge) {
        assert!(bridge.subjects.iter().all(|subject| !subject.text.is_empty()), "{bridge:?}");
        assert!(bridge.reason.contains('“'), "{}", bridge.reason);
    }
}
