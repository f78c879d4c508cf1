//! The journal from the outside: the golden cases of the original, and each of its defects by name.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use quipu_core::item::Sensitivity;
use quipu_core::journal::Record;
use quipu_engine::brief::BriefRequest;
use quipu_engine::caller::Channel;
use quipu_engine::compaction::{CompactRequest, Reason};
use quipu_engine::experiences::{self, Told};
use quipu_engine::journal::{self, RecordQuery};
use quipu_engine::operation::registry::Entry;
use quipu_engine::operation::{Call, Effect};
use quipu_engine::remember::NewMemory;
use quipu_engine::{open, operations, upkeep};
use quipu_testkit::journal::{
    brief, compact, compaction, configured, profile, record, records_in, secret,
};
use quipu_testkit::memories::{ask, asked, ids, remember, told};
use quipu_testkit::repo::{now, request};
use quipu_testkit::{TestRepo, corpora};
use serde_json::Value;

fn golden(test: &str) -> Vec<Value> {
    corpora::golden(test, "journal.json", "cursorclaw-golden.json")
}

// The golden cases are CursorClaw's. Where Quipu differs (docs/journal.md), the exception is named.

#[test]
fn golden_lines_are_records_only_with_the_required_fields() {
    for golden in golden("golden_lines_are_records_only_with_the_required_fields") {
        for case in golden["parse"].as_array().unwrap() {
            let (line, value) = (case[0].as_str().unwrap(), &case[1]);
            // Exception: a record is an object with the required fields; all of these are user's text.
            assert!(Record::parse(line).is_none(), "{line}");
            // What the original takes for an object is one for us too, once it has the fields.
            if let Some(object) = value.as_object() {
                let whole = record("r", "note", "words", 1).line().replace("- {", "{");
                let mut whole: Value = serde_json::from_str(&whole).unwrap();
                whole.as_object_mut().unwrap().extend(object.clone());
                let indent = &line[..line.len() - line.trim_start().len()];
                assert!(Record::parse(&format!("{indent}- {whole}  ")).is_some(), "{line}");
            }
        }
    }
}

/// Returns what a summary says as the original writes it: without days, in paragraphs.
fn without_days(summary: &str) -> String {
    let lines = summary.lines().map(|line| {
        let (day, text) = line.strip_prefix("- ").and_then(|line| line.split_once(": ")).unwrap();
        assert!(day.parse::<jiff::civil::Date>().is_ok(), "{line}");
        text
    });
    lines.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn golden_compaction_is_the_same_but_for_the_label() {
    for golden in golden("golden_compaction_is_the_same_but_for_the_label") {
        let text = golden["compaction_md"].as_str().unwrap();
        let expected: Vec<Record> =
            quipu_core::journal::records(text).map(|(_, record)| record).collect();
        // The original's input: six old notes stood where its compaction record stands now.
        let mut lines = vec!["# MEMORY.md\n\n".to_owned()];
        let old = expected[1].provenance.timestamp;
        lines.extend((0..6).map(|n| {
            Record::new(format!("o{n}"), "s1", "note", &format!("old note {n}"), old).line()
        }));
        lines.extend(expected[1..].iter().map(Record::line));
        let repo = profile(&lines);
        let at = expected[0].provenance.timestamp;
        let done = upkeep::compact(&repo.workspace(), &CompactRequest { now: at, ..compaction() })
            .unwrap();
        let done = serde_json::to_value(&done).unwrap();
        for (key, value) in golden["compaction"].as_object().unwrap() {
            assert_eq!(done[key], *value, "{key}");
        }
        let mut found = records_in(&repo, "MEMORY.md");
        // Exception: merged records carry the strictest label, and name what they merge.
        assert_eq!(found[0].provenance.sensitivity, Sensitivity::Private);
        let merged = found[0].merged.take().unwrap();
        assert_eq!(merged.ids, ["o0", "o1", "o2", "o3", "o4", "o5"]);
        found[0].provenance.sensitivity = Sensitivity::Operational;
        found[0].id.clone_from(&expected[0].id);
        // Exception: every line has the day on which it was said.
        found[0].text = without_days(&found[0].text);
        assert_eq!(found, expected);
        assert!(repo.read("MEMORY.md").starts_with("# MEMORY.md\n\n- {"));
        let (heading, lines) = repo.read("LONGMEMORY.md").rsplit_once("\n\n").map_or_else(
            || panic!("no summary"),
            |(heading, lines)| (heading.to_owned(), lines.to_owned()),
        );
        let long = format!("{heading}\n\n{}\n", without_days(lines.trim_end()));
        assert_eq!(long, golden["longmemory"].as_str().unwrap());
    }
}

#[test]
fn golden_rolling_window_keeps_the_newest() {
    for golden in golden("golden_rolling_window_keeps_the_newest") {
        let repo = TestRepo::new();
        let workspace = configured(&repo, &[("memoryMaxRecords", "2")]);
        for text in ["one", "two", "three"] {
            remember(&workspace, text);
        }
        let texts: Vec<String> =
            records_in(&repo, "MEMORY.md").into_iter().map(|record| record.text).collect();
        let expected: Vec<&str> = golden["rolling"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|line| {
                line.as_str().unwrap().split("\"text\":\"").nth(1)?.split('"').next()
            })
            .collect();
        assert_eq!(texts, expected);
        // Exception: the header stays (the original had none here).
        assert!(repo.read("MEMORY.md").starts_with("# MEMORY.md"));
    }
}

#[test]
fn golden_integrity_findings_say_the_same_and_nothing_throws() {
    for golden in golden("golden_integrity_findings_say_the_same_and_nothing_throws") {
        let found = golden["integrity"][0].clone();
        let issue = found["issue"].as_str().unwrap();
        let first = issue.split_whitespace().nth(3).unwrap();
        let second = found["recordId"].as_str().unwrap();
        let repo = profile(&[
            record(first, "note", "two", 1).line(),
            record(second, "note", "three", 1).line(),
            // Exception (`bad` throws in the original): these are the user's lines.
            "- 5\n- \"x\"\n- [1]\n- null\n".to_owned(),
        ]);
        let scanned = journal::scan_journal(&repo.workspace(), now()).unwrap();
        let findings = serde_json::to_value(&scanned.findings).unwrap();
        assert_eq!(findings.as_array().unwrap().len(), 1);
        for key in ["recordId", "severity", "issue"] {
            assert_eq!(findings[0][key], found[key], "{key}");
        }
    }
}

#[test]
fn golden_briefing_has_the_labels_and_what_the_original_cuts() {
    for golden in golden("golden_briefing_has_the_labels_and_what_the_original_cuts") {
        let label = golden["session_label_example"].as_str().unwrap();
        let heading = label.lines().next().unwrap();
        let daily = label.lines().find(|line| line.starts_with("Daily memory (")).unwrap();
        let mut lines: Vec<String> = (0..400)
            .map(|n| {
                record(&format!("r{n}"), "note", &format!("{n} {}", "x ".repeat(60)), 400 - n)
                    .line()
            })
            .collect();
        lines.push(secret("sec", "password is hunter2", 3).line());
        let repo = profile(&lines);
        let workspace = repo.workspace();
        remember(&workspace, "TODAY LOG");
        let made = brief(&workspace, None);
        assert!(made.text.contains(heading), "{heading}");
        assert!(made.text.contains(&daily.replace("2026-02-15", "2026-06-20")), "{daily}");
        assert!(made.text.contains("\n\n---\n\n"));
        // Exceptions: the newest survive (hasFirst, hasLast, hasToday), the cap holds with the note in it
        // (len is 32028 in the original), and a secret does not get in (session_secret_leaks).
        assert!(made.text.contains("TODAY LOG") && made.text.contains(") 399 x"));
        assert!(!made.text.contains(") 0 x"));
        assert!(made.chars <= 32_000, "{}", made.chars);
        assert!(!made.text.contains("hunter2"));
    }
}

#[test]
fn golden_uniqueness_is_the_same_on_other_vectors() {
    for golden in golden("golden_uniqueness_is_the_same_on_other_vectors") {
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        let texts = golden["uniq"].as_array().unwrap().clone();
        // The original asks before it adds the first.
        assert_eq!(texts[0][1], true);
        for case in texts {
            let new = told(case[0].as_str().unwrap());
            let added =
                experiences::add_experience(&workspace, new, false, &request("experiences add"))
                    .unwrap();
            assert_eq!(matches!(added, Told::Added(_)), case[1].as_bool().unwrap(), "{case}");
        }
    }
}

#[test]
fn golden_queries_find_the_same_without_collisions_and_in_any_script() {
    let name = "golden_queries_find_the_same_without_collisions_and_in_any_script";
    for golden in golden(name) {
        let repo = TestRepo::new();
        let workspace = repo.workspace();
        let texts: Vec<&str> = golden["vectors"]
            .as_array()
            .unwrap()
            .iter()
            .take(4)
            .map(|case| case["text"].as_str().unwrap())
            .collect();
        for text in &texts {
            remember(&workspace, text);
        }
        for case in golden["query"].as_array().unwrap() {
            let query = case["q"].as_str().unwrap();
            let found = ask(&workspace, &asked(query)).results;
            let best = found.first().map(|answer| answer.text.as_str());
            match query {
                // Exceptions: any script is found, and an unrelated record is not.
                "日本語" => assert_eq!(best, Some(texts[3])),
                "zzz" => assert_eq!(best, None),
                _ => assert_eq!(best, case["r"][0]["text"].as_str(), "{query}"),
            }
        }
    }
}

// Each defect of CursorClaw's journal that Quipu does not have (docs/journal.md).

#[test]
fn defect_values_that_are_no_objects_crash_the_integrity_scan() {
    let text = "- 5\n- \"str\"\n- [1]\n- null\n  - {\"a\":1}\n";
    let repo = profile(&[text.to_owned(), record("a", "note", "words", 1).line()]);
    let workspace = repo.workspace();
    assert_eq!(journal::scan_journal(&workspace, now()).unwrap().records, 1);
    remember(&workspace, "something else");
    assert!(repo.read("MEMORY.md").starts_with(text), "they are the user's, and stay");
}

#[test]
fn defect_every_second_turn_summary_is_a_contradiction() {
    let repo = profile(&[
        record("a", "turn-summary", "did this", 1).line(),
        record("b", "turn-summary", "did that", 1).line(),
    ]);
    assert!(journal::scan_journal(&repo.workspace(), now()).unwrap().findings.is_empty());
    let strict = configured(&repo, &[("integrityExemptCategories", "none")]);
    assert_eq!(
        journal::scan_journal(&strict, now()).unwrap().findings.len(),
        1,
        "by configuration"
    );
}

#[test]
fn defect_trimming_deletes_hand_written_lines() {
    let mine = "My own line, with ünïcode\r\n- a list\r\n";
    let repo = profile(&[
        record("a", "note", "one", 3).line(),
        mine.to_owned(),
        record("b", "note", "two", 2).line(),
    ]);
    let workspace = configured(&repo, &[("memoryMaxRecords", "1")]);
    remember(&workspace, "three");
    let text = repo.read("MEMORY.md");
    assert!(text.starts_with(mine), "{text}");
    assert_eq!(records_in(&repo, "MEMORY.md").len(), 1);
}

#[test]
fn defect_trimming_loses_records_that_no_day_has() {
    let repo = profile(&[record("a", "note", "only here", 3).line()]);
    let workspace = configured(&repo, &[("memoryMaxRecords", "1")]);
    let today = remember(&workspace, "in a day");
    let newest = remember(&workspace, "newest");
    let kept: Vec<String> = records_in(&repo, "MEMORY.md").into_iter().map(|r| r.id).collect();
    assert_eq!(kept, [newest]);
    let archived: Vec<String> =
        records_in(&repo, "memory/MEMORY-archive.md").into_iter().map(|r| r.id).collect();
    assert_eq!(archived, ["a"], "a day has the other: {today}");
    assert_eq!(ids(&ask(&workspace, &asked("only here")))[0], "a", "and it is still found");
}

#[test]
fn defect_the_briefing_keeps_the_oldest_and_cuts_today() {
    let lines: Vec<String> = (0..2000)
        .map(|n| record(&format!("r{n}"), "note", &format!("old matter number {n}"), 300).line())
        .collect();
    let repo = profile(&lines);
    let workspace = repo.workspace();
    remember(&workspace, "what happened today");
    let made = brief(&workspace, None);
    assert!(made.text.contains("what happened today"));
    assert!(made.chars <= 32_000);
    assert!(made.text.contains("older records"), "what was left out is counted");
}

#[test]
fn defect_the_briefing_says_todays_records_twice() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    remember(&workspace, "the one thing of today");
    let made = brief(&workspace, Some("the one thing of today"));
    assert_eq!(made.text.matches("the one thing of today").count(), 1);
}

#[test]
fn defect_files_are_named_in_utc_and_read_in_local_time() {
    let repo = TestRepo::new();
    let fs = std::sync::Arc::new(quipu_testkit::NoSyncFs);
    let zone = vec![("journal.timezone".to_owned(), "Pacific/Auckland".to_owned())];
    let workspace = open::at_with(fs, repo.root(), &zone).unwrap();
    let workspace = workspace.keeping_state_in(repo.state_home());
    // 22:30 in Greenwich is the next morning in Auckland.
    let late: Timestamp = "2026-06-20T22:30:00Z".parse().unwrap();
    let request = quipu_engine::operation::Request { now: late, ..request("remember") };
    let done =
        quipu_engine::remember::remember(&workspace, &[told("a late thought")], &request).unwrap();
    assert_eq!(done.path, "memory/2026-06-21.md");
    let asked =
        BriefRequest { now: late, cap: None, tokens: None, hint: None, channel: Channel::Main };
    let made = quipu_engine::brief::brief(&workspace, &asked).unwrap();
    let day = made.text.split("Daily memory (2026-06-21):\n\n").nth(1).unwrap_or_default();
    assert!(day.starts_with("- [") && day.contains("10:30) a late thought"), "{}", made.text);
}

#[test]
fn defect_secrets_are_injected() {
    let repo = profile(&[secret("s", "the vault opens with hunter2", 1).line()]);
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLF");
    repo.write("USER.md", &format!("# Ada\n\nHer key is {key}, by mistake.\n"));
    let workspace = repo.workspace();
    let made = brief(&workspace, Some("vault"));
    assert!(!made.text.contains("hunter2") && !made.text.contains(&key), "{}", made.text);
    assert!(made.text.contains("(REDACTED)"));
    let request = BriefRequest {
        now: now(),
        cap: None,
        tokens: None,
        hint: Some("vault".to_owned()),
        channel: Channel::Other,
    };
    assert_eq!(
        quipu_engine::brief::brief(&workspace, &request).unwrap().text,
        "",
        "others must ask"
    );
}

#[test]
fn defect_words_that_are_not_ascii_are_not_found() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let id = remember(&workspace, "会議は水曜日に変更されました");
    remember(&workspace, "The meeting room has a new projector");
    assert_eq!(ids(&ask(&workspace, &asked("水曜日の会議")))[0], id);
}

#[test]
fn defect_hash_buckets_collide() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    for text in ["naïve café Straße test_case", "The project uses TypeScript and Vitest"] {
        remember(&workspace, text);
    }
    for word in ["zzz", "qqqq", "xyzzy", "wvut"] {
        assert!(ask(&workspace, &asked(word)).results.is_empty(), "{word}");
    }
}

#[test]
fn defect_compaction_without_a_threshold_never_runs() {
    let repo =
        profile(&[record("a", "note", "old", 30).line(), record("b", "note", "new", 1).line()]);
    let done = compact(&repo.workspace());
    assert!(done.ran && done.reason.is_none());
    assert_eq!(done.records_compacted, 1);
    let below = configured(&repo, &[("memoryCompactionMaxRecords", "10")]);
    assert_eq!(compact(&below).reason, Some(Reason::UnderThreshold));
}

#[test]
fn defect_compaction_strips_the_label_of_secrets_and_takes_them_out() {
    let repo = profile(&[
        record("a", "note", "plain words", 30).line(),
        secret("s", "the vault opens with hunter2", 30).line(),
    ]);
    let workspace = repo.workspace();
    assert_eq!(compact(&workspace).records_compacted, 1);
    assert!(!repo.read("LONGMEMORY.md").contains("hunter2"));
    assert!(repo.read("MEMORY.md").contains("hunter2"), "a secret stays where it is");
    let merged: Vec<Sensitivity> =
        records_in(&repo, "MEMORY.md").iter().map(|record| record.provenance.sensitivity).collect();
    assert_eq!(merged, [Sensitivity::Private, Sensitivity::Secret]);
    let found = journal::records(&workspace, &RecordQuery::default()).unwrap();
    assert!(found.records.iter().all(|filed| !filed.record.text.contains("hunter2")));
    let query = RecordQuery { allow_secret: true, ..RecordQuery::default() };
    let all = journal::records(&workspace, &query).unwrap().records;
    assert!(all.iter().any(|filed| filed.record.text.contains("hunter2")), "it is not lost");
}

#[test]
fn defect_compaction_drops_free_text() {
    let mine = "# Mine\r\n\r\nMy own words stay.\r\n";
    let repo = profile(&[
        mine.to_owned(),
        record("a", "note", "old", 30).line(),
        "- {broken\nbetween records\n".to_owned(),
        record("b", "note", "older", 40).line(),
    ]);
    compact(&repo.workspace());
    let text = repo.read("MEMORY.md");
    assert!(text.starts_with(mine) && text.ends_with("- {broken\nbetween records\n"), "{text}");
}

#[test]
fn defect_text_beyond_the_cuts_is_lost() {
    let lines: Vec<String> = (0..300)
        .map(|n| {
            record(&format!("r{n}"), "note", &format!("matter {n}: {}", "words ".repeat(40)), 30)
                .line()
        })
        .collect();
    let repo = profile(&lines);
    let workspace = repo.workspace();
    assert_eq!(compact(&workspace).records_compacted, 300);
    assert!(repo.read("LONGMEMORY.md").chars().count() <= 16_000);
    let all = journal::records(&workspace, &RecordQuery::default()).unwrap().records;
    let texts: BTreeSet<&str> = all.iter().map(|filed| filed.record.text.as_str()).collect();
    for n in [0, 150, 299] {
        assert!(texts.iter().any(|text| text.starts_with(&format!("matter {n}: "))), "{n}");
    }
    let shown = journal::record(&workspace, "r150", false).unwrap();
    assert_eq!(shown.last().unwrap().record.category, "compaction", "what stands for it is told");
}

#[test]
fn defect_compaction_records_grow_without_bound() {
    let repo = TestRepo::new();
    repo.write("MEMORY.md", "# M\n\n");
    let workspace = repo.workspace();
    let mut most = 0;
    for day in 0..120 {
        let at = now().checked_add(SignedDuration::from_hours(24 * day)).unwrap();
        let request = quipu_engine::operation::Request { now: at, ..request("remember") };
        let new =
            NewMemory { text: format!("on day {day} the tide was high"), ..NewMemory::default() };
        quipu_engine::remember::remember(&workspace, &[new], &request).unwrap();
        upkeep::compact(&workspace, &CompactRequest { now: at, ..compaction() }).unwrap();
        most = most.max(records_in(&repo, "MEMORY.md").len());
    }
    assert!(most < 40, "{most} records at once");
    // Every one of the 120 is in a day, and reachable from the window through the archive.
    let all = journal::records(&workspace, &RecordQuery::default()).unwrap().records;
    let notes = all.iter().filter(|filed| filed.record.category == "note").count();
    assert_eq!(notes, 120);
    let by_id: BTreeMap<&str, &Record> =
        all.iter().map(|filed| (filed.record.id.as_str(), &filed.record)).collect();
    let mut reached = BTreeSet::new();
    let mut next: Vec<String> = records_in(&repo, "MEMORY.md").into_iter().map(|r| r.id).collect();
    while let Some(id) = next.pop() {
        let record = by_id.get(id.as_str()).unwrap_or_else(|| panic!("{id} is nowhere"));
        next.extend(record.merged.iter().flat_map(|merged| merged.ids.clone()));
        reached.insert(id);
    }
    let missing = all.iter().filter(|filed| !reached.contains(&filed.record.id)).count();
    assert_eq!(missing, 0, "records that nothing in the window leads to");
}

#[test]
fn defect_a_lock_of_a_dead_process_stops_compaction_for_good() {
    let repo =
        profile(&[record("a", "note", "old", 30).line(), record("b", "note", "new", 1).line()]);
    let me = std::process::id().to_string();
    repo.write("tmp/memory-compaction.lock", &me);
    assert_eq!(compact(&repo.workspace()).reason, Some(Reason::LockHeld));
    // Nobody has this number.
    repo.write("tmp/memory-compaction.lock", "4194305");
    assert!(compact(&repo.workspace()).reason.is_none());
}

/// Returns what a caller says to an operation that only looks.
fn look(entry: &Entry, id: &str) -> serde_json::Map<String, Value> {
    let required = entry.input.get("required").and_then(Value::as_array).cloned();
    let all = required.unwrap_or_default().into_iter().map(|name| {
        let name = name.as_str().unwrap().to_owned();
        let value = match &*name {
            "id" => id.into(),
            "words" | "ids" => serde_json::json!(["note"]),
            _ => "note".into(),
        };
        (name, value)
    });
    all.collect()
}

#[test]
fn a_golden_folder_stays_byte_identical_when_it_is_only_read() {
    for golden in golden("a_golden_folder_stays_byte_identical_when_it_is_only_read") {
        let text = |key: &str| golden[key].as_str().unwrap();
        let repo = TestRepo::new();
        repo.write("MEMORY.md", text("compaction_md"));
        repo.write("LONGMEMORY.md", text("longmemory"));
        repo.write("memory/2026-06-19.md", &text("compaction_md").replace('\n', "\r\n"));
        let before = repo.files();
        let workspace = repo.workspace();
        let id = records_in(&repo, "MEMORY.md")[0].id.clone();
        let call = Call {
            caller: quipu_engine::caller::Caller::PERSON,
            now: now(),
            today: quipu_testkit::repo::today(),
            session: None,
            scope: None,
            progress: &|_, _, _| true,
            is_here: true,
            counts: true,
            retry: None,
        };
        let reads = operations::ALL.iter().filter(|entry| entry.effect == Effect::Reads);
        // What writes into another place has no business here.
        let reads = reads.filter(|entry| !["export", "backup"].contains(&entry.name));
        let mut answered = 0;
        for entry in reads {
            let asked = entry.read(look(entry, &id)).unwrap();
            answered += usize::from(asked.answer(&workspace, &call).is_ok());
            assert_eq!(repo.files(), before, "{} wrote something", entry.name);
        }
        assert!(answered > 15, "only {answered} operations had an answer");
        brief(&workspace, Some("old note"));
        assert_eq!(repo.files(), before);
    }
}
