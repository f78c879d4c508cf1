//! Remember and recall, from the outside.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jiff::{Timestamp, ToSpan as _};
use quipu_core::item::{Decision, Kind, Layer, MemoryType, Mode, Sensitivity, Status};
use quipu_engine::caller::Channel;
use quipu_engine::recall::{self, Question, Recalled};
use quipu_engine::remember::NewMemory;
use quipu_engine::{decide, history, index, purge, replay};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::{ask, asked, continuity, ids, remember, told};
use quipu_testkit::questions::{self, TOPICS};
use quipu_testkit::repo::{now, request};

#[test]
fn who_is_named_in_the_question_counts_more_than_a_rare_word() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for number in 0..40 {
        remember(&workspace, &format!("Deployed Kestrel build {number} to staging"));
    }
    let lesson = |text: &str| NewMemory { category: "learned".to_owned(), ..told(text) };
    let told = [lesson("Marlin is owned by Otto"), lesson("Ask Ada who decides for Kestrel")];
    let ids =
        quipu_engine::remember::remember(&workspace, &told, &request("remember")).unwrap().ids;
    let recalled = ask(&workspace, &asked("Who owns Kestrel and decides?"));
    assert_eq!(recalled.results[0].id, ids[1]);
    assert!(recalled.results[0].why.because.contains("has the names"));
    let other = recalled.results.iter().find(|answer| answer.id == ids[0]);
    assert!(other.is_none_or(|answer| answer.why.channels.named == 0.0));
}

#[test]
fn what_is_remembered_is_in_the_log_the_window_and_the_answer() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "Retries back off exponentially, with jitter");
    assert!(repo.read("memory/2026-06-20.md").contains(&id));
    assert!(repo.read("MEMORY.md").contains(&id));
    let recalled = ask(&workspace, &asked("what about retrying?"));
    assert_eq!(ids(&recalled), [id.as_str()]);
    assert!(recalled.degraded.is_empty());
    assert_eq!(recalled.channels, ["lexical", "dense"]);
}

#[test]
fn a_fact_comes_with_the_session_that_it_was_learned_in() {
    let repo = TestRepo::new();
    let fields = "created: 2026-01-01 | tier: active | origin: 2026-01-01-100000";
    repo.write(
        "memory/continuity.md",
        &continuity(&[("cache-size", "The cache is small.", fields)]),
    );
    let recalled = ask(&repo.workspace(), &asked("cache"));
    assert_eq!(recalled.results[0].source.session.as_deref(), Some("2026-01-01-100000"));
}

#[test]
fn what_somebody_called_important_stands_above_its_equal() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let with = |text: &str, importance| NewMemory { importance: Some(importance), ..told(text) };
    let new = [with("the kettle is blue", 1.0), with("the kettle is green", 0.0)];
    let made =
        quipu_engine::remember::remember(&workspace, &new, &request("remember")).unwrap().ids;
    assert_eq!(ids(&ask(&workspace, &asked("kettle"))), made);
}

#[test]
fn hand_edits_are_seen_by_the_next_question() {
    let repo = TestRepo::new();
    repo.write(
        "memory/continuity.md",
        &continuity(&[(
            "cache-size",
            "The cache holds 100 entries.",
            "created: 2026-01-01 | tier: active",
        )]),
    );
    let workspace = repo.workspace();
    assert_eq!(ids(&ask(&workspace, &asked("cache entries"))), ["cache-size"]);
    repo.write(
        "memory/continuity.md",
        &continuity(&[(
            "cache-size",
            "The turbine is held by 250 bolts.",
            "created: 2026-01-01 | tier: active",
        )]),
    );
    let recalled = ask(&workspace, &asked("cache entries"));
    assert!(recalled.results.iter().all(|answer| !answer.text.contains("100 entries")));
    assert!(ask(&workspace, &asked("turbine bolts")).results[0].text.contains("250"));
    repo.write("memory/continuity.md", &continuity(&[]));
    assert!(ids(&ask(&workspace, &asked("turbine bolts"))).is_empty());
}

#[test]
fn time_questions_find_their_answers() {
    let (memories, questions) = questions::about_time();
    assert!(questions.len() >= 300, "{}", questions.len());
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let new: Vec<NewMemory> = memories
        .iter()
        .map(|memory| NewMemory {
            session: Some(memory.session.clone()),
            time: Some(memory.time),
            ..told(&memory.text)
        })
        .collect();
    let ids = quipu_engine::remember::remember(&workspace, &new, &request("remember")).unwrap().ids;
    let index: BTreeMap<&str, usize> =
        ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let mut by_template: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut sum = 0.0;
    for question in &questions {
        let recalled = recall::recall(&workspace, &asked(&question.text), question.now).unwrap();
        let gold: BTreeSet<usize> = question.gold.iter().copied().collect();
        let mut found: BTreeSet<usize> = BTreeSet::new();
        for answer in &recalled.results {
            let with = std::iter::once(&answer.id).chain(&answer.same);
            found.extend(with.map(|id| index[id.as_str()]));
        }
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let share = gold.intersection(&found).count() as f64 / gold.len() as f64;
        sum += share;
        let entry = by_template.entry(question.template).or_default();
        entry.0 += share;
        entry.1 += 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let mean = sum / questions.len() as f64;
    let table: Vec<String> = by_template
        .iter()
        .map(|(name, (sum, count))| format!("{name} {:.2} ({count})", sum / count))
        .collect();
    assert!(mean >= 0.9, "R@10 {mean:.3}: {table:#?}");
}

/// Three generations of each topic, each a month after the one before.
fn chains(repo: &TestRepo) {
    let mut text = continuity(&[]);
    for topic in 0..200 {
        let name = format!("{} {}", TOPICS[topic % TOPICS.len()], topic / TOPICS.len());
        for (generation, value) in ["ten", "twenty", "thirty"].iter().enumerate() {
            let id = |generation: usize| format!("topic-{topic}-v{generation}");
            let mut fields = format!("created: 2026-0{}-01", generation + 1);
            if generation < 2 {
                let _ =
                    write!(fields, " | tier: superseded | superseded-by: {}", id(generation + 1));
            } else {
                fields.push_str(" | tier: active");
            }
            if generation > 0 {
                let _ = write!(fields, " | supersedes: {}", id(generation - 1));
            }
            let _ = write!(
                text,
                "- The limit of the {name} is {value} units.\n  <!-- id: {} | {fields} -->\n",
                id(generation)
            );
        }
    }
    repo.write("memory/continuity.md", &text);
}

#[test]
fn a_stale_fact_is_never_above_its_successor() {
    let repo = TestRepo::new();
    chains(&repo);
    let workspace = repo.workspace();
    for topic in 0..200 {
        let name = format!("{} {}", TOPICS[topic % TOPICS.len()], topic / TOPICS.len());
        // The words of the oldest generation, so that it matches best.
        let query = format!("limit of the {name} ten units");
        let current = format!("topic-{topic}-v2");
        let recalled = ask(&workspace, &asked(&query));
        assert!(recalled.results.iter().all(|answer| answer.status == Status::Active));
        let best = recalled.results.iter().find(|answer| answer.id == current).unwrap();
        assert_eq!(best.supersedes, [format!("topic-{topic}-v1"), format!("topic-{topic}-v0")]);
        let all = Question { include: vec![Status::Superseded], ..asked(&query) };
        let with_stale = ask(&workspace, &all);
        let place = |id: &str| with_stale.results.iter().position(|answer| answer.id == id);
        for (at, answer) in with_stale.results.iter().enumerate() {
            if let Some(successor) = &answer.superseded_by {
                assert!(place(successor).is_some_and(|newer| newer < at), "{query}: {}", answer.id);
            }
        }
        for (day, generation) in [("2026-01-15", 0), ("2026-02-15", 1), ("2026-03-15", 2)] {
            let at: Timestamp = format!("{day}T00:00:00Z").parse().unwrap();
            let then = ask(&workspace, &Question { as_of: Some(at), ..asked(&query) });
            let of_topic: Vec<&str> = then
                .results
                .iter()
                .map(|answer| answer.id.as_str())
                .filter(|id| id.starts_with(&format!("topic-{topic}-")))
                .collect();
            assert_eq!(of_topic, [format!("topic-{topic}-v{generation}")], "{day}");
        }
    }
}

#[test]
fn facts_that_replaced_each_other_in_a_circle_are_answers_once() {
    let footer = |by: &str| format!("tier: superseded | superseded-by: {by}");
    let facts = [
        ("lamp-one", "The lamp on the pier is red", &*footer("lamp-two")),
        ("lamp-two", "The lamp on the pier is green", &*footer("lamp-three")),
        ("lamp-three", "The lamp on the pier is blue", &*footer("lamp-one")),
    ];
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", &continuity(&facts));
    let all = Question { include: vec![Status::Superseded], ..asked("lamp on the pier") };
    let recalled = ask(&repo.workspace(), &all);
    let mut found = ids(&recalled);
    found.sort_unstable();
    assert_eq!(found, ["lamp-one", "lamp-three", "lamp-two"]);
}

#[test]
fn a_record_replaces_another() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let old = remember(&workspace, "The staging server runs on port 8080");
    let new = NewMemory {
        supersedes: Some(old[..8].to_owned()),
        ..told("The staging server runs on port 9090")
    };
    let mut later = request("remember");
    later.now = now().checked_add(1.hour()).unwrap();
    let new = quipu_engine::remember::remember(&workspace, &[new], &later).unwrap().ids.remove(0);
    let recalled = ask(&workspace, &asked("staging server port"));
    assert_eq!(ids(&recalled), [new.as_str()]);
    assert_eq!(recalled.results[0].supersedes, [old.as_str()]);
    let then = Question {
        as_of: Some(now().checked_add(30.minutes()).unwrap()),
        ..asked("staging server port")
    };
    assert_eq!(ids(&ask(&workspace, &then)), [old.as_str()]);
    assert!(replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal);
}

#[test]
fn filters_come_before_the_cut() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let other = |text: &str| NewMemory {
        layer: Some(Layer::Episodic),
        memory_type: Some(MemoryType::Narrative),
        ..told(text)
    };
    let mut new: Vec<NewMemory> =
        (0..300).map(|n| other(&format!("the deployment checklist, item {n}"))).collect();
    new.push(NewMemory {
        tags: vec!["rare".into()],
        layer: Some(Layer::Procedural),
        memory_type: Some(MemoryType::Procedure),
        category: "convention".into(),
        session: Some("s-7".into()),
        ..told("a long and winding remark in which somewhere the word deployment can be found, together with Berlin and many other words")
    });
    let id = quipu_engine::remember::remember(&workspace, &new, &request("remember"))
        .unwrap()
        .ids
        .pop()
        .unwrap();
    let one = |question: Question| {
        let recalled = ask(&workspace, &Question { count: Some(1), ..question });
        assert_eq!(ids(&recalled), [id.as_str()], "{question:?}", question = recalled.query);
    };
    let query = "deployment checklist item";
    one(Question { tags: vec!["RARE".into()], ..asked(query) });
    one(Question { layers: vec![Layer::Procedural], ..asked(query) });
    one(Question { types: vec![MemoryType::Procedure], ..asked(query) });
    one(Question { mode: Some(Mode::FactsPlusRules), ..asked(query) });
    one(Question { category: Some("convention".into()), ..asked(query) });
    one(Question { session: Some("s-7".into()), ..asked(query) });
    one(Question { entity: Some("Berlin".into()), ..asked(query) });
    let none = ask(&workspace, &Question { kinds: vec![Kind::Fact], ..asked(query) });
    assert!(none.results.is_empty());
    assert!(none.advice.unwrap().contains("filters"));
}

#[test]
fn secrets_and_private_memory_stay_with_those_who_may_see_them() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let with = |text: &str, sensitivity| NewMemory { sensitivity: Some(sensitivity), ..told(text) };
    let new = [
        with("the launch code is in the safe", Sensitivity::Secret),
        with("the launch party is private", Sensitivity::Private),
        with("the launch date is public", Sensitivity::Public),
    ];
    quipu_engine::remember::remember(&workspace, &new, &request("remember")).unwrap();
    let texts = |question: Question| -> BTreeSet<String> {
        ask(&workspace, &question).results.into_iter().map(|answer| answer.text).collect()
    };
    assert_eq!(texts(asked("launch")).len(), 2);
    assert_eq!(texts(Question { allow_secret: true, ..asked("launch") }).len(), 3);
    let other = Question { channel: Channel::Other, allow_secret: true, ..asked("launch") };
    assert_eq!(texts(other), BTreeSet::from(["the launch date is public".to_owned()]));
}

#[test]
fn odd_questions_get_clear_answers() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    assert!(ask(&workspace, &asked("anything")).advice.unwrap().contains("nothing is remembered"));
    remember(&workspace, "The cat sat on the mat, said O'Brien; DROP TABLE item");
    let long = "mat ".repeat(250_000);
    let cases = [
        ("", 10, 0),
        ("the of and", 10, 0),
        ("🙂🙂", 10, 0),
        ("'; DROP TABLE item; --", 10, 1),
        ("cat AND (NEAR \"mat*\" OR", 10, 1),
        ("cat", 0, 0),
        ("cat", 1_000_000_000, 1),
        (long.as_str(), 10, 1),
        ("\u{0}\u{ffff}cat", 10, 1),
    ];
    for (query, count, expected) in cases {
        let question = Question { count: Some(count), ..asked(query) };
        let recalled = ask(&workspace, &question);
        let shown: String = query.chars().take(40).collect();
        assert_eq!(recalled.results.len(), expected, "{shown}");
        assert_eq!(recalled.advice.is_some(), expected == 0, "{shown}");
    }
    assert!(!ask(&workspace, &asked(&long)).degraded.is_empty());
}

#[test]
fn other_languages_and_code_are_found() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for text in [
        "Wir haben beschlossen, die Datenbanken nachts zu sichern",
        "Nous avons décidé de sauvegarder les factures chaque nuit",
        "東京のサーバーは毎晩バックアップされる",
        "Мы решили хранить журналы тридцать дней",
        "set retry_backoff_ms in RetryPolicy, see src/net/retry.rs",
    ] {
        remember(&workspace, text);
    }
    for (query, part) in [
        ("Datenbank sichern", "Datenbanken"),
        ("facture", "factures"),
        ("サーバー バックアップ", "東京"),
        ("журнал", "журналы"),
        ("retry backoff", "retry_backoff_ms"),
        ("src/net/retry.rs", "retry.rs"),
        ("retryPolicy", "RetryPolicy"),
    ] {
        let recalled = ask(&workspace, &asked(query));
        assert!(recalled.results[0].text.contains(part), "{query}: {:?}", ids(&recalled));
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    let repo = TestRepo::new();
    chains(&repo);
    let first = ask(&repo.workspace(), &asked("limit of the cache size"));
    let again = ask(&repo.workspace(), &asked("limit of the cache size"));
    let show = |recalled: &Recalled| serde_json::to_string(recalled).unwrap();
    assert_eq!(show(&first), show(&again));
    std::fs::remove_file(quipu_testkit::state_of(repo.root(), "quipu.db")).unwrap();
    let rebuilt = ask(&repo.workspace(), &asked("limit of the cache size"));
    assert_eq!(show(&first), show(&rebuilt));
}

#[test]
fn a_decision_is_a_line_in_the_log_and_can_be_taken_back() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "The gateway listens on port 7000");
    let status = |to| Decision::Status { from: Status::Active, to };
    decide::decide(&workspace, &id, status(Status::Archived), "moved", &request("forget")).unwrap();
    assert!(ids(&ask(&workspace, &asked("gateway port"))).is_empty());
    let log = repo.read("memory/events/2026-06-20.jsonl");
    assert!(log.contains("\"category\":\"lifecycle\"") && log.contains("\"moved\""), "{log}");
    assert!(!repo.read("MEMORY.md").contains("moved"));
    let twice = decide::decide(&workspace, &id, status(Status::Archived), "", &request("forget"));
    assert!(twice.unwrap_err().to_string().contains("cannot become archived"));
    decide::decide(&workspace, &id, status(Status::Active), "", &request("restore")).unwrap();
    decide::decide(
        &workspace,
        &id,
        Decision::Edit { text: "The gateway listens on port 7001".into() },
        "",
        &request("edit"),
    )
    .unwrap();
    let add = Decision::Tag { add: vec!["net".into()], remove: vec![] };
    decide::decide(&workspace, &id, add, "", &request("tag")).unwrap();
    let recalled = ask(&workspace, &Question { tags: vec!["net".into()], ..asked("gateway port") });
    assert!(recalled.results[0].text.contains("7001"));
    assert_eq!(history::history(&workspace, &id, false).unwrap().entries.len(), 5);
    let replayed = replay::replay(&workspace, true, &mut |_, _| {}).unwrap();
    assert!(replayed.equal, "{:?}", replayed.differences);
}

#[test]
fn rule_4_a_fact_is_tagged_by_the_engine_and_changed_in_its_file_only() {
    let repo = TestRepo::new();
    repo.write(
        "memory/continuity.md",
        &continuity(&[(
            "cache-size",
            "The cache holds 100 entries.",
            "created: 2026-01-01 | tier: active",
        )]),
    );
    let workspace = repo.workspace();
    ask(&workspace, &asked("cache"));
    let status = Decision::Status { from: Status::Active, to: Status::Invalidated };
    let refused = decide::decide(&workspace, "cache-size", status, "", &request("invalidate"));
    assert!(refused.unwrap_err().to_string().contains("is part of a file"));
    let tag = Decision::Tag { add: vec!["perf".into()], remove: vec![] };
    decide::decide(&workspace, "cache-size", tag, "", &request("tag")).unwrap();
    repo.write(
        "memory/continuity.md",
        &continuity(&[(
            "cache-size",
            "The cache holds 200 entries.",
            "created: 2026-01-01 | tier: active",
        )]),
    );
    let recalled = ask(&workspace, &Question { tags: vec!["perf".into()], ..asked("cache") });
    assert!(recalled.results[0].text.contains("200"), "the tag survives an edit of the file");
}

#[test]
fn a_deleted_or_broken_index_comes_back_from_the_files() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "The gateway listens on port 7000");
    drop(workspace);
    let path = quipu_testkit::state_of(repo.root(), "quipu.db");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(ids(&ask(&repo.workspace(), &asked("gateway"))), [id.as_str()]);
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in &mut bytes[100..] {
        *byte = 0x5a;
    }
    std::fs::write(&path, &bytes).unwrap();
    let _ = std::fs::remove_file(quipu_testkit::state_of(repo.root(), "quipu.db-wal"));
    let workspace = repo.workspace();
    // What is remembered meanwhile is not lost.
    let new = [told("The gateway moved to port 7001")];
    quipu_engine::remember::remember(&workspace, &new, &request("remember")).unwrap();
    assert!(replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal);
    assert_eq!(ask(&workspace, &asked("gateway port")).results.len(), 2);
}

#[test]
fn a_window_that_lost_its_last_lines_is_healed_from_the_day() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let first = remember(&workspace, "first thing");
    // A process wrote the day's log and died; a third one was cut off in the middle of a line.
    let day = repo.read("memory/2026-06-20.md");
    let second = "0".repeat(36);
    let line = day.replace(&first, &second).replace("first", "second");
    repo.write("memory/2026-06-20.md", &format!("{day}{line}- {{\"id\":\"torn"));
    let third = remember(&workspace, "third thing");
    let window = repo.read("MEMORY.md");
    assert!(window.contains(&second) && window.contains(&third));
    assert!(repo.read("memory/2026-06-20.md").contains("\n- {\"id\":\"torn\n- third"));
    assert_eq!(ask(&workspace, &asked("thing")).results.len(), 3);
    // What somebody took out of the window stays out.
    repo.write("MEMORY.md", &quipu_testkit::memories::without_record(&window, &second));
    remember(&workspace, "fourth thing");
    assert!(!repo.read("MEMORY.md").contains(&second));
    assert_eq!(ask(&workspace, &asked("thing")).results.len(), 4);
}

#[test]
fn a_purge_leaves_no_trace() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", &continuity(&[]));
    repo.write("memory/sessions/2026-06-01-100000.md", "# Session\n\n## What We Did\n\n- The secret word is xylophonequartz, they said.\n\n## Memory References\n\n(none)\n");
    let workspace = repo.workspace();
    let keep = remember(&workspace, "an ordinary note about the garden");
    let id = remember(&workspace, "The secret word is xylophonequartz");
    let edit = Decision::Edit { text: "The secret word is xylophonequartz now".into() };
    decide::decide(&workspace, &id, edit, "", &request("edit")).unwrap();
    let preview = quipu_engine::operation::Request { dry_run: true, ..request("purge") };
    assert!(!purge::purge(&workspace, &id, "leaked", &preview).unwrap().files.is_empty());
    assert!(repo.read("MEMORY.md").contains("xylophonequartz"), "a preview changes nothing");
    purge::purge(&workspace, &id, "leaked", &request("purge")).unwrap();
    let trace = |when: &str| {
        for (path, bytes) in quipu_testkit::repo::files_in(repo.root()) {
            let needle = b"xylophonequartz";
            let found = bytes.windows(needle.len()).any(|window| window == needle);
            assert!(!found, "{when}: {path}");
        }
    };
    trace("after the purge");
    assert!(repo.ledger("2026-06-20").contains("leaked"), "the tombstone says why");
    replay::replay(&workspace, false, &mut |_, _| {}).unwrap();
    trace("after a replay");
    index::index(&workspace, &mut |_, _| {}).unwrap();
    remember(&workspace, "life goes on");
    trace("after the next writes");
    assert!(
        ids(&ask(&workspace, &asked("secret word xylophonequartz")))
            .iter()
            .all(|found| *found != id)
    );
    assert_eq!(ids(&ask(&workspace, &asked("garden")))[0], keep);
}

#[test]
fn nothing_is_half_remembered_when_the_disk_fails() {
    use quipu_testkit::{Fault, FaultFs};
    for fault in [Fault::Fail, Fault::Full, Fault::Stop, Fault::PowerCut] {
        for at in 0.. {
            let repo = TestRepo::new();
            let first = remember(&repo.workspace(), "what was there before");
            let fs = std::sync::Arc::new(FaultFs::new(fault, at));
            let result = quipu_engine::remember::remember(
                &repo.workspace_on(fs.clone()),
                &[told("the new thing")],
                &request("remember"),
            );
            let workspace = repo.workspace();
            let found = ids(&ask(&workspace, &asked("there before"))).contains(&first.as_str());
            assert!(found, "{fault:?} at {at}: what was acknowledged is there");
            let recalled = ask(&workspace, &asked("new thing"));
            let is_there = recalled.results.iter().any(|answer| answer.text == "the new thing");
            match result {
                Ok(_) => assert!(is_there, "{fault:?} at {at}: acknowledged"),
                // A process that is stopped says nothing; one that fails takes it back.
                Err(_) if matches!(fault, Fault::Fail) => assert!(!is_there, "{fault:?} at {at}"),
                Err(_) => {}
            }
            let again = remember(&workspace, "life goes on");
            assert!(ids(&ask(&workspace, &asked("life goes"))).contains(&again.as_str()));
            assert!(
                replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal,
                "{fault:?} at {at}"
            );
            if !fs.happened() {
                break;
            }
        }
    }
}

#[test]
fn of_two_that_cannot_both_hold_the_newer_comes_first() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let learned = |text: &str, days: i64| NewMemory {
        category: "learned".to_owned(),
        time: Some(quipu_testkit::repo::ago(days)),
        ..told(text)
    };
    let new = [
        NewMemory { importance: Some(0.9), ..learned("The Kestrel API listens on port 8080", 40) },
        NewMemory { importance: Some(0.3), ..learned("Kestrel API: it listens on port 9090", 10) },
        learned("The Marlin API listens on port 7443", 2),
    ];
    quipu_engine::remember::remember(&workspace, &new, &request("remember")).unwrap();
    let query = "Which port does the Kestrel API listen on?".to_owned();
    let question = Question { query, ..Question::default() };
    let answers = recall::recall(&workspace, &question, now()).unwrap().results;
    let texts: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
    assert!(texts[0].ends_with("9090") && texts[1].ends_with("8080"), "{texts:?}");
}
