//! What the journal keeps to: nothing lost or brought back, no secret told, every setting in force.

use jiff::SignedDuration;
use quipu_core::item::{Decision, Sensitivity};
use quipu_core::journal::Record;
use quipu_core::journal::window::Limits;
use quipu_engine::brief::BriefRequest;
use quipu_engine::caller::Channel;
use quipu_engine::compaction::{CompactRequest, Reason};
use quipu_engine::operation::Request;
use quipu_engine::remember::NewMemory;
use quipu_engine::transaction::Transactions;
use quipu_engine::{
    decide, entities, experiences, facts, index, journal, open, purge, replay, undo, upkeep,
};
use quipu_testkit::journal::{
    brief, compact, compaction, configured, profile, record, records_in, secret,
};
use quipu_testkit::memories::{ask, asked, ids, remember, told};
use quipu_testkit::repo::{ago, now, request};
use quipu_testkit::{Fault, FaultFs, NoSyncFs, TestRepo};

fn at(days: i64) -> Request<'static> {
    Request { now: ago(days), ..request("remember") }
}

fn keep(records: usize) -> Limits {
    Limits { records: Some(records), ..Limits::default() }
}

fn texts(repo: &TestRepo, path: &str) -> Vec<String> {
    records_in(repo, path).into_iter().map(|record| record.text).collect()
}

#[test]
fn a_new_index_brings_nothing_back_into_the_window() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let lesson = NewMemory { category: "learned".to_owned(), ..told("learned on that day") };
    quipu_engine::remember::remember(
        &workspace,
        &[told("before it"), lesson, told("after it")],
        &at(30),
    )
    .unwrap();
    compact(&workspace);
    remember(&workspace, "today");
    let before = repo.read("MEMORY.md");
    std::fs::remove_dir_all(repo.root().join(".quipu")).unwrap();
    assert!(!ask(&repo.workspace(), &asked("after it")).results.is_empty());
    assert_eq!(repo.read("MEMORY.md"), before);
}

#[test]
fn what_another_machine_trimmed_stays_out_of_the_window() {
    let (here, there) = (TestRepo::new(), TestRepo::new());
    remember(&here.workspace(), "from here");
    let workspace = there.workspace();
    for n in 0..6 {
        quipu_engine::remember::remember(
            &workspace,
            &[told(&format!("from there {n}"))],
            &at(6 - n),
        )
        .unwrap();
    }
    journal::trim(&workspace, &keep(2), quipu_testkit::repo::now(), false).unwrap();
    for (path, bytes) in there.files() {
        here.write_bytes(&path, &bytes);
    }
    index::freshen(&here.workspace()).unwrap();
    assert_eq!(here.read("MEMORY.md"), there.read("MEMORY.md"));
}

#[test]
fn a_record_that_a_crash_kept_from_the_window_still_gets_there() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    remember(&workspace, "before the crash");
    let lost = Record::new("lost", "s", "note", "written to the day alone", now());
    let day = repo.read("memory/2026-06-20.md");
    repo.write("memory/2026-06-20.md", &format!("{day}{}", lost.line()));
    index::freshen(&workspace).unwrap();
    assert_eq!(texts(&repo, "MEMORY.md").last().unwrap(), "written to the day alone");
}

#[test]
fn an_archive_holds_copies_and_is_nobodys_home() {
    for archive in ["memory/arch.md", "archive/old.md"] {
        let repo = TestRepo::new();
        let workspace = configured(&repo, &[("memoryArchivePath", archive)]);
        for n in 0..8 {
            remember(&workspace, &format!("record {n} about things"));
        }
        journal::trim(&workspace, &keep(3), quipu_testkit::repo::now(), false).unwrap();
        let day = "memory/2026-06-20.md";
        repo.write(day, &format!("{}my own line\n", repo.read(day)));
        let answer = ask(&workspace, &asked("my own line"));
        assert!(answer.degraded.is_empty(), "{:?}", answer.degraded);
        assert_eq!(records_in(&repo, "MEMORY.md").len(), 3, "{archive}");
        journal::trim(&workspace, &keep(3), quipu_testkit::repo::now(), false).unwrap();
        assert_eq!(records_in(&repo, archive).len(), 5, "{archive}: each once");
        assert!(replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal, "{archive}");
    }
}

#[test]
fn a_record_is_not_dropped_because_a_deleted_day_had_it() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    quipu_engine::remember::remember(&workspace, &[told("the only copy")], &at(9)).unwrap();
    remember(&workspace, "newer");
    std::fs::remove_file(repo.root().join("memory/2026-06-11.md")).unwrap();
    let limited = configured(&repo, &[("memoryMaxRecords", "2")]);
    remember(&limited, "newest");
    assert_eq!(texts(&repo, "memory/MEMORY-archive.md"), ["the only copy"]);
    assert_eq!(ask(&limited, &asked("only copy")).results.len(), 1);
}

#[test]
fn words_that_somebody_corrected_in_the_window_are_kept() {
    for operation in ["trim", "compact"] {
        let repo = TestRepo::new();
        repo.write("memory/2026-05-21.md", &record("a", "note", "said in the ledger", 30).line());
        let corrected = record("a", "note", "CORRECTED BY HAND", 30).line();
        repo.write("MEMORY.md", &format!("{corrected}{}", record("b", "note", "new", 1).line()));
        let workspace = repo.workspace();
        if operation == "trim" {
            journal::trim(&workspace, &keep(1), quipu_testkit::repo::now(), false).unwrap();
        } else {
            compact(&workspace);
        }
        assert_eq!(texts(&repo, "memory/MEMORY-archive.md"), ["CORRECTED BY HAND"], "{operation}");
    }
}

#[test]
fn a_file_that_was_edited_meanwhile_is_not_replaced() {
    let repo = profile(&["as it was\n".to_owned()]);
    let transactions = Transactions::new(&NoSyncFs, repo.root(), repo.workspace().state_folder());
    repo.write("MEMORY.md", "edited\n");
    assert!(transactions.replace("MEMORY.md", b"new\n", b"as it was\n").is_err());
    assert_eq!(repo.read("MEMORY.md"), "edited\n");
}

#[test]
fn a_purge_reaches_the_sentences_of_summaries() {
    let mut lines: Vec<String> = (0..60)
        .map(|n| {
            record(
                &format!("r{n}"),
                "note",
                &format!("Matter {n} was settled. {}", "Nothing more came of it. ".repeat(3)),
                30,
            )
            .line()
        })
        .collect();
    let told = "We decided who pays. His offer of 4.2 million must stay confidential. More soon.";
    lines.push(record("p", "note", told, 30).line());
    let repo = profile(&lines);
    let workspace = repo.workspace();
    compact(&workspace);
    assert!(repo.read("LONGMEMORY.md").contains("4.2 million"), "otherwise this proves nothing");
    purge::purge(&workspace, "p", "asked to", &request("purge")).unwrap();
    for (path, bytes) in repo.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains("4.2 million"), "{path}");
    }
    assert!(repo.read("memory/MEMORY-archive.md").contains("Matter 7 was settled"), "others stay");
    assert!(
        ask(&workspace, &asked("4.2 million offer"))
            .results
            .iter()
            .all(|a| !a.text.contains("4.2 million"))
    );
}

#[test]
fn undo_of_a_compaction_keeps_what_was_appended_since() {
    let repo =
        profile(&[record("a", "note", "old", 30).line(), record("b", "note", "older", 40).line()]);
    let workspace = repo.workspace();
    compact(&workspace);
    let later = now().checked_add(SignedDuration::from_hours(1)).unwrap();
    let append = Request { now: later, ..request("remember") };
    quipu_engine::remember::remember(&workspace, &[told("since then")], &append).unwrap();
    let changes = undo::changes(&workspace, 20).unwrap();
    let compaction = changes.iter().find(|change| change.operation == "compact").unwrap();
    undo::undo(&workspace, Some(&compaction.id), &request("undo")).unwrap();
    assert_eq!(texts(&repo, "MEMORY.md"), ["old", "older", "since then"]);
    assert!(!repo.root().join("LONGMEMORY.md").exists());
}

#[test]
fn a_secret_is_known_by_no_name_no_copy_and_no_plan() {
    let hidden = "The code for Bob Quillfeather at vault_door_nine is 4711";
    let repo = TestRepo::new();
    repo.write("memory/2026-05-21.md", &secret("s", hidden, 30).line());
    // A copy in the window that has lost its label.
    repo.write("MEMORY.md", &record("s", "note", hidden, 30).line());
    let workspace = repo.workspace();
    assert!(entities::entities(&workspace, "", 50).unwrap().is_empty());
    assert!(entities::entity(&workspace, "Bob Quillfeather", 5).is_err());
    assert!(ask(&workspace, &asked("vault door code")).results.is_empty());
    assert!(!brief(&workspace, Some("vault")).text.contains("4711"));
    let scanned = journal::scan_journal(&workspace, now()).unwrap();
    assert_eq!(scanned.findings[0].code.as_str(), "differs");
    let plan =
        upkeep::compact(&workspace, &CompactRequest { dry_run: true, ..compaction() }).unwrap();
    assert_eq!(plan.records_compacted, 0);
    assert!(!format!("{:?}", plan.summary).contains("4711"));
    compact(&workspace);
    assert!(!repo.root().join("LONGMEMORY.md").exists());
    // The other way round: labelled by hand in the window.
    let other = TestRepo::new();
    other.write("memory/2026-05-21.md", &record("s", "note", hidden, 30).line());
    other.write("MEMORY.md", &record("s", "note", hidden, 30).line());
    let workspace = other.workspace();
    assert_eq!(ask(&workspace, &asked("vault door code")).results.len(), 1);
    std::thread::sleep(std::time::Duration::from_millis(30));
    other.write("MEMORY.md", &secret("s", hidden, 30).line());
    assert!(ask(&workspace, &asked("vault door code")).results.is_empty());
    let listed =
        journal::records(&workspace, &quipu_engine::journal::RecordQuery::default()).unwrap();
    assert_eq!((listed.records.len(), listed.secrets), (0, 1));
    assert_eq!(journal::record(&workspace, "s", false).unwrap_err().code(), "secret");
    // The label stays when the line leaves the window.
    compact(&workspace);
    assert!(replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal);
    std::fs::remove_dir_all(other.root().join(".quipu")).unwrap();
    assert!(ask(&other.workspace(), &asked("vault door code")).results.is_empty());
}

#[test]
fn a_plan_shows_no_secret() {
    let repo = profile(&[
        secret("s", "the word is hunter2", 30).line(),
        record("a", "note", "old", 30).line(),
    ]);
    let plan =
        upkeep::compact(&repo.workspace(), &CompactRequest { dry_run: true, ..compaction() })
            .unwrap();
    assert!(!plan.diff.is_empty());
    assert!(!format!("{:?}", plan.diff).contains("hunter2"));
}

#[test]
fn what_is_noted_about_a_secret_is_one() {
    let repo = profile(&[secret("s", "the word is hunter2", 1).line()]);
    let workspace = repo.workspace();
    index::freshen(&workspace).unwrap();
    let note = Decision::Annotate { note: "it was hunter1 before".to_owned() };
    decide::decide(&workspace, "s", note, "", &request("annotate")).unwrap();
    let query = quipu_engine::journal::RecordQuery {
        decisions: true,
        ..quipu_engine::journal::RecordQuery::default()
    };
    assert!(journal::records(&workspace, &query).unwrap().records.is_empty());
    assert!(journal::tail(&workspace, &query).unwrap().records.is_empty());
    let last = records_in(&repo, "memory/2026-06-20.md").pop().unwrap();
    assert_eq!(last.provenance.sensitivity, Sensitivity::Secret);
}

#[test]
fn secrets_of_an_imported_store_stay_out() {
    let repo = profile(&[secret("s", "the vault in Oslo opens with hunter2", 1).line()]);
    let workspace = repo.workspace();
    index::freshen(&workspace).unwrap();
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLF");
    let store = format!(
        r#"{{"experiences":[
            {{"text":"the vault in Oslo opens with hunter2","recordId":"s"}},
            {{"text":"the bucket needs {key} to open"}},
            {{"text":"   "}},
            {{"text":"Backups must be restored once to be backups"}}]}}"#
    );
    let done = experiences::import_experiences(&workspace, &store, &request("import")).unwrap();
    assert_eq!((done.remembered.ids.len(), done.refused), (1, 3));
}

#[test]
fn a_briefing_tells_notes_in_days_and_each_summary_once() {
    let repo = profile(&[
        record("a", "note", "The parser was rewritten in May.", 30).line(),
        record("b", "note", "The cache was dropped in May.", 31).line(),
    ]);
    let workspace = repo.workspace();
    remember(&workspace, "something of today");
    let day = "memory/2026-06-20.md";
    repo.write(day, &format!("{}Ship on Friday, says Ada.\n", repo.read(day)));
    compact(&workspace);
    quipu_engine::remember::flush_journal(&workspace, &request("flush")).unwrap();
    let made = brief(&workspace, None);
    assert_eq!(made.text.matches("Ship on Friday").count(), 1, "{}", made.text);
    assert_eq!(made.text.matches("The parser was rewritten").count(), 1, "{}", made.text);
    assert!(!made.text.contains("checkpoint"), "{}", made.text);
}

#[test]
fn one_bad_byte_does_not_silence_the_rest() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    remember(&workspace, "the kettle is blue");
    repo.write_bytes("USER.md", b"# Ada\n\xff\n");
    let mut window = std::fs::read(repo.root().join("MEMORY.md")).unwrap();
    window.extend_from_slice(b"\xff\xfe broken\n");
    repo.write_bytes("MEMORY.md", &window);
    let workspace = repo.workspace();
    let made = brief(&workspace, None);
    assert!(made.text.contains("the kettle is blue"));
    assert!(made.degraded.iter().any(|why| why.contains("USER.md")), "{:?}", made.degraded);
    assert_eq!(ask(&workspace, &asked("kettle")).results.len(), 1);
    let found =
        journal::records(&workspace, &quipu_engine::journal::RecordQuery::default()).unwrap();
    assert_eq!((found.records.len(), found.unread.len()), (1, 1));
    remember(&workspace, "it can still be written to");
    assert!(std::fs::read(repo.root().join("MEMORY.md")).unwrap().starts_with(&window));
    assert!(
        facts::lint(&workspace, false)
            .unwrap()
            .findings
            .iter()
            .any(|f| f.code.as_str() == "unreadable-journal")
    );
}

#[test]
fn a_memory_of_somebody_else_does_not_take_the_place_of_ours() {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", "# Continuity\n");
    repo.write("docs/MEMORY.md", "# How memory is managed in C\n\nMalloc and free.\n");
    let found = open::discover(std::sync::Arc::new(NoSyncFs), &repo.root().join("docs"));
    assert_eq!(found.unwrap().root(), repo.root().canonicalize().unwrap());
    // A profile inside a repo is a workspace of its own, with or without a window.
    repo.write("profiles/a/memory/2026-06-20.md", &record("a", "note", "x", 0).line());
    let found = open::discover(std::sync::Arc::new(NoSyncFs), &repo.root().join("profiles/a"));
    assert!(found.unwrap().root().ends_with("profiles/a"));
}

#[test]
fn an_experience_that_was_told_is_one_and_a_freed_place_is_looked_at_again() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let add = |text: &str, force| {
        experiences::add_experience(&workspace, told(text), force, &request("experiences add"))
            .unwrap();
    };
    add("Rolling back locked the orders table", false);
    add("Rolling back locked the orders table!", true);
    add("Disk full", false);
    assert_eq!(experiences::experiences(&workspace).unwrap().len(), 3);
    let id = remember(&workspace, "This one will be deleted by hand again");
    experiences::experiences(&workspace).unwrap();
    for path in ["memory/2026-06-20.md", "MEMORY.md"] {
        repo.write(path, &quipu_testkit::memories::without_lines(&repo.read(path), &id));
    }
    experiences::experiences(&workspace).unwrap();
    remember(&workspace, "This one takes its place in the log of events");
    let all = experiences::experiences(&workspace).unwrap();
    assert!(all.iter().any(|item| item.text.contains("takes its place")), "{all:?}");
}

#[test]
fn looking_for_what_is_old_enough_is_done_again_when_that_changes() {
    let repo = profile(&[]);
    let on = [("memoryCompactionEnabled", "true"), ("memoryCompactionThresholdRecords", "3")];
    let patient = [on[0], on[1], ("memoryCompactionMinAgeDays", "3650")];
    for n in 0..6 {
        quipu_engine::remember::remember(
            &configured(&repo, &patient),
            &[told(&format!("matter {n}"))],
            &at(30 - n),
        )
        .unwrap();
    }
    assert_eq!(records_in(&repo, "MEMORY.md").len(), 6);
    remember(&configured(&repo, &on), "one more");
    assert_eq!(records_in(&repo, "MEMORY.md").len(), 2, "the summary and the new one");
    // One that is old when it is written is in scope at once.
    for n in 0..3 {
        remember(&configured(&repo, &on), &format!("young {n}"));
    }
    let before = records_in(&repo, "MEMORY.md").len();
    quipu_engine::remember::remember(
        &configured(&repo, &on),
        &[NewMemory { time: Some(ago(50)), ..told("an old letter") }],
        &request("r"),
    )
    .unwrap();
    assert_eq!(records_in(&repo, "MEMORY.md").len(), before + 1, "it was merged into a new one");
    let window = records_in(&repo, "MEMORY.md");
    let is_itself = |one: &Record| one.text == "an old letter" && one.merged.is_none();
    assert!(!window.iter().any(is_itself), "what stands for it does, and not it");
}

#[test]
fn every_setting_of_the_journal_does_something() {
    let lines: Vec<String> = (0..6)
        .map(|n| {
            record(&format!("r{n}"), "note", &format!("matter number {n} was settled"), 30 + n)
                .line()
        })
        .collect();
    let fresh = || {
        let repo = profile(&lines);
        repo.write("LONGMEMORY.md", "# Long\n\n## Summary (2026-01-01)\n\nThe winter was long.\n");
        repo
    };
    let told_with = |setting: (&str, &str), hint: Option<&str>| {
        let repo = fresh();
        brief(&configured(&repo, &[setting]), hint).text
    };
    assert_eq!(told_with(("sessionMemoryEnabled", "false"), None), "");
    assert!(!told_with(("includeLongMemoryInSession", "false"), None).contains("winter"));
    assert!(told_with(("includeRecentTopics", "true"), None).contains("Recent topics"));
    let hint = Some("which matter was settled?");
    assert!(told_with(("injectExperienceContext", "true"), hint).contains("Relevant past"));
    assert!(!told_with(("injectExperienceContext", "false"), hint).contains("Relevant past"));
    assert!(!told_with(("experienceStoreEnabled", "false"), hint).contains("Relevant past"));

    let repo = fresh();
    let off = configured(&repo, &[("memoryEmbeddingsEnabled", "false")]);
    assert!(ask(&off, &asked("matter settled")).results.is_empty());
    assert!(
        !experiences::query_experiences(&off, "matter", 3, Channel::Main, now())
            .unwrap()
            .results
            .is_empty()
    );

    let repo = fresh();
    let chars = repo.read("MEMORY.md").chars().count();
    let limit = (chars / 2).to_string();
    remember(&configured(&repo, &[("memoryMaxChars", &limit)]), "one more");
    assert!(repo.read("MEMORY.md").chars().count() <= chars / 2);
    let repo = fresh();
    let protected = [("memoryMaxRecords", "1"), ("memoryProtectedCategories", "note")];
    remember(&configured(&repo, &protected), "one more");
    assert_eq!(records_in(&repo, "MEMORY.md").len(), 7);

    for (key, value, expected) in [
        ("memoryCompactionThresholdChars", "100000", Some(Reason::UnderThreshold)),
        ("memoryCompactionThresholdChars", "100", None),
        ("memoryCompactionMinAgeDays", "60", Some(Reason::NothingToCompact)),
        ("memoryCompactionMinAgeDays", "31", None),
    ] {
        let repo = fresh();
        let done = upkeep::compact(&configured(&repo, &[(key, value)]), &compaction()).unwrap();
        assert_eq!(done.reason, expected, "{key} = {value}");
    }
    let repo = fresh();
    let paths = [("longMemoryPath", "notes/long.md"), ("memoryArchivePath", "notes/old.md")];
    compact(&configured(&repo, &paths));
    assert!(repo.read("notes/long.md").contains("matter number"));
    assert_eq!(records_in(&repo, "notes/old.md").len(), 6);
    let repo = fresh();
    let long = "The winter was long and dark. ".repeat(20);
    repo.write(
        "LONGMEMORY.md",
        &format!(
            "# Long\n\n## Summary (2026-01-01)\n\n{long}\n\n## Summary (2026-01-02)\n\n{long}\n"
        ),
    );
    compact(&configured(&repo, &[("longMemoryMaxChars", "600")]));
    assert!(repo.read("memory/LONGMEMORY-archive.md").contains("dark"));

    let hourly = [("memoryCompactionEnabled", "true"), ("memoryCompactionIntervalMs", "3600000")];
    let repo = fresh();
    let workspace = configured(&repo, &hourly);
    let later = |minutes| now().checked_add(SignedDuration::from_mins(minutes)).unwrap();
    let due = |at| CompactRequest { now: at, if_due: true, ..compaction() };
    assert!(upkeep::compact(&workspace, &due(now())).unwrap().ran);
    assert_eq!(upkeep::compact(&workspace, &due(later(59))).unwrap().reason, Some(Reason::NotDue));
    assert_ne!(upkeep::compact(&workspace, &due(later(60))).unwrap().reason, Some(Reason::NotDue));

    let alike = |threshold| {
        let repo = TestRepo::new();
        let workspace = configured(&repo, &[("experienceUniquenessThreshold", threshold)]);
        remember(&workspace, "the red kettle stands in the kitchen");
        remember(&workspace, "the blue kettle stands in the kitchen");
        experiences::experiences(&workspace).unwrap().len()
    };
    assert_eq!((alike("0.3"), alike("1")), (1, 2));
    let count = |days| {
        let repo = fresh();
        let scanned =
            journal::scan_journal(&configured(&repo, &[("integrityStaleDays", days)]), now());
        scanned.unwrap().findings.iter().filter(|finding| finding.code.as_str() == "stale").count()
    };
    assert_eq!((count("20"), count("40")), (6, 0));
    for key in ["memorySizeWarnChars", "substrateSizeWarnChars"] {
        let repo = fresh();
        let warnings = journal::journal_size(&configured(&repo, &[(key, "10")]), now()).warnings;
        assert!(warnings.iter().any(|warning| warning.contains(key)), "{warnings:?}");
    }
}

#[test]
fn a_budget_in_tokens_holds_with_redactions_in_it() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for n in 0..200 {
        let new = NewMemory {
            allow_secret: true,
            ..told(&format!("turn {n}: db_password=Xy7{n:03}pQ and more words"))
        };
        quipu_engine::remember::remember(&workspace, &[new], &request("remember")).unwrap();
    }
    let ask = |cap, tokens| {
        let request = BriefRequest { now: now(), cap, tokens, hint: None, channel: Channel::Main };
        quipu_engine::brief::brief(&workspace, &request).unwrap()
    };
    let made = ask(Some(4000), None);
    assert!(made.text.contains("(REDACTED)") && made.chars <= 4000, "{}", made.chars);
    assert!(ask(None, Some(900)).tokens <= 900);
}

#[test]
fn secrets_stay_in_the_window_and_out_of_every_summary() {
    let repo = TestRepo::new();
    repo.write("MEMORY.md", "# M\n\n");
    let workspace = repo.workspace();
    for week in 0..30 {
        let at = now().checked_add(SignedDuration::from_hours(24 * 7 * week)).unwrap();
        let new =
            NewMemory { sensitivity: Some(Sensitivity::Secret), ..told(&format!("hush {week}")) };
        quipu_engine::remember::remember(
            &workspace,
            &[new],
            &Request { now: at, ..request("remember") },
        )
        .unwrap();
        upkeep::compact(&workspace, &CompactRequest { now: at, ..compaction() }).unwrap();
    }
    let left = records_in(&repo, "MEMORY.md");
    assert_eq!(left.len(), 30, "no secret leaves the window");
    assert!(!repo.root().join("LONGMEMORY.md").exists());
    assert!(ids(&ask(&workspace, &asked("hush"))).is_empty());
}

#[test]
fn what_an_outsider_appends_during_the_swap_is_taken_over() {
    for operation in ["trim", "compact"] {
        let repo = profile(&[
            record("a", "note", "old", 30).line(),
            record("b", "note", "older", 40).line(),
            record("c", "note", "new", 1).line(),
        ]);
        let window = repo.root().canonicalize().unwrap().join("MEMORY.md");
        // Somebody who knows no lock, at the last moment: the new window stands beside the old one.
        let outsider = move |to: &std::path::Path| {
            if to == window {
                let file = std::fs::OpenOptions::new().append(true).open(to);
                std::io::Write::write_all(&mut file.unwrap(), b"from outside\n").unwrap();
            }
        };
        let fs = FaultFs::new(Fault::Fail, usize::MAX).before_rename(outsider);
        let workspace = repo.workspace_on(std::sync::Arc::new(fs));
        if operation == "trim" {
            assert_eq!(
                journal::trim(&workspace, &keep(1), quipu_testkit::repo::now(), false)
                    .unwrap()
                    .dropped,
                2
            );
        } else {
            assert_eq!(compact(&workspace).records_compacted, 2);
        }
        assert!(repo.read("MEMORY.md").ends_with("from outside\n"), "{operation}");
    }
}

#[cfg(unix)]
#[test]
fn a_setting_that_is_the_window_by_another_name_is_refused() {
    let repo =
        profile(&[record("a", "note", "old", 30).line(), record("b", "note", "new", 1).line()]);
    std::os::unix::fs::symlink("MEMORY.md", repo.root().join("link.md")).unwrap();
    let before = repo.read("MEMORY.md");
    for key in ["memoryArchivePath", "longMemoryPath"] {
        let workspace = configured(&repo, &[(key, "link.md")]);
        assert_eq!(
            upkeep::compact(&workspace, &compaction()).unwrap_err().code(),
            "bad-config",
            "{key}"
        );
        assert_eq!(
            journal::trim(&workspace, &keep(1), quipu_testkit::repo::now(), false)
                .unwrap_err()
                .code(),
            "bad-config",
            "{key}"
        );
    }
    assert_eq!(repo.read("MEMORY.md"), before);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_link_leads_nothing_out_of_the_workspace() {
    let (repo, elsewhere) = (profile(&["# M\n".to_owned()]), TestRepo::new());
    std::os::unix::fs::symlink(elsewhere.root(), repo.root().join("memory")).unwrap();
    let refused = quipu_engine::remember::remember(
        &repo.workspace(),
        &[told("stays here")],
        &request("remember"),
    );
    assert_eq!(refused.unwrap_err().code(), "outside-workspace");
    assert!(elsewhere.files().is_empty());
}
