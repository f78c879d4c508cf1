//! The journal by the command line.

use std::collections::BTreeSet;
use std::path::Path;

use quipu_testkit::TestRepo;
use serde_json::Value;

use crate::{answer, initialised, json, quipu, run};

const NOW: &str = "2026-06-20T10:00:00Z";

fn line(id: &str, category: &str, text: &str, day: &str, sensitivity: &str) -> String {
    format!(
        "- {{\"id\":\"{id}\",\"sessionId\":\"s1\",\"category\":\"{category}\",\"text\":\"{text}\",\"provenance\":{{\"sourceChannel\":\"web\",\"confidence\":1,\"timestamp\":\"{day}T08:00:00.000Z\",\"sensitivity\":\"{sensitivity}\"}}}}\n"
    )
}

/// A profile as the original leaves it.
fn profile() -> TestRepo {
    let repo = TestRepo::new();
    let lines = [
        "# MEMORY.md\n\n".to_owned(),
        line("n1", "note", "The parser was rewritten", "2026-05-01", "private-user"),
        line("n2", "turn-summary", "We looked at the cache", "2026-05-02", "operational"),
        "Maria is allergic to peanuts.\n".to_owned(),
        line("l1", "learned", "Deploys need the blue token", "2026-05-03", "private-user"),
        line("s1", "note", "the word is hunter2", "2026-05-04", "secret"),
        line("n3", "note", "Today is release day", "2026-06-20", "private-user"),
    ];
    repo.write("MEMORY.md", &lines.concat());
    repo
}

#[test]
fn a_profile_of_the_original_opens_as_it_is() {
    let repo = profile();
    let root = repo.root();
    let before = repo.files();
    let (code, text, error) = run(root, &["--now", NOW, "brief", "--hint", "peanuts"]);
    assert_eq!(code, 0, "{error}");
    for words in ["Maria is allergic", "Deploys need the blue token", "Today is release day"] {
        assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
    }
    assert!(!text.contains("hunter2"));
    let (code, found) = json(root, &["recall", "who is allergic to peanuts?"]);
    assert_eq!((code, found["results"][0]["kind"].as_str()), (0, Some("document")));
    for command in [&["status"][..], &["lint"], &["show", "l1"], &["stats"]] {
        let (code, out, error) = run(root, command);
        assert_eq!(code, 0, "{command:?}: {out}{error}");
    }
    assert_eq!(repo.files(), before, "looking changes nothing");
    // A folder below finds it too, once it has days.
    run(root, &["--now", NOW, "journal", "append", "a thought"]);
    std::fs::create_dir_all(root.join("deep/down")).unwrap();
    let (code, _) = json(&root.join("deep/down"), &["recall", "thought"]);
    assert_eq!(code, 0);
}

#[test]
fn what_is_appended_the_original_reads() {
    let repo = profile();
    let arguments = ["--now", NOW, "--session", "s7", "journal", "append", "Zwölf\nZeilen"];
    let more = [
        "-c",
        "turn-summary",
        "--channel",
        "web",
        "--confidence",
        "0.8",
        "--sensitivity",
        "operational",
    ];
    let (code, done) = json(repo.root(), &[&arguments[..], &more[..]].concat());
    assert_eq!(code, 0);
    let id = done["id"].as_str().unwrap();
    let window = repo.read("MEMORY.md");
    let last = window.lines().last().unwrap();
    // Behind it stands how new it was.
    assert_eq!(Some(last), repo.read("memory/2026-06-20.md").lines().rev().nth(1));
    // Byte for byte what the original writes: its keys, in its order.
    assert_eq!(
        last,
        format!(
            "- {{\"id\":\"{id}\",\"sessionId\":\"s7\",\"category\":\"turn-summary\",\"text\":\"Zwölf\\nZeilen\",\"provenance\":{{\"sourceChannel\":\"web\",\"confidence\":0.8,\"timestamp\":\"2026-06-20T10:00:00.000Z\",\"sensitivity\":\"operational\"}}}}"
        )
    );
}

#[test]
fn the_journal_is_listed_shown_and_scanned() {
    let repo = profile();
    let root = repo.root();
    let (code, all) = json(root, &["journal", "list"]);
    assert_eq!(code, 0);
    let ids = |value: &Value| -> Vec<String> {
        let records = value["records"].as_array().unwrap();
        records.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&all), ["n1", "n2", "l1", "n3"]);
    assert_eq!(all["secrets"], 1);
    let (_, some) = json(root, &["journal", "list", "-c", "note", "--until", "2026-06-01"]);
    assert_eq!(ids(&some), ["n1"]);
    let (_, tail) = json(root, &["journal", "tail", "-n", "2"]);
    assert_eq!(ids(&tail), ["l1", "n3"]);
    let (code, _, error) = run(root, &["journal", "show", "s1"]);
    assert_eq!((code, error.contains("--allow-secret")), (3, true), "{error}");
    let (code, shown) = json(root, &["journal", "show", "s1", "--allow-secret"]);
    assert_eq!((code, shown["places"][0]["line"].as_u64()), (0, Some(7)));
    let (code, text, _) = run(root, &["journal", "list", "--in-session", "nobody"]);
    assert_eq!((code, text.as_str()), (1, "no records\n"));
    repo.write("memory/2026-06-19.md", "- {\"id\":\"torn\n");
    let (code, scanned) = json(root, &["--now", NOW, "journal", "scan"]);
    assert_eq!(code, 1);
    assert_eq!(scanned["findings"][0]["code"], "broken-line");
    let (_, lint, _) = run(root, &["lint"]);
    assert!(lint.contains("broken-record") && lint.contains("memory/2026-06-19.md"), "{lint}");
}

#[test]
fn trim_keeps_what_no_day_has_and_says_so() {
    let repo = profile();
    let root = repo.root();
    let (code, _, error) = run(root, &["journal", "trim"]);
    assert_eq!((code, error.contains("memoryMaxRecords")), (2, true), "{error}");
    let (_, plan) = json(root, &["journal", "trim", "--max-records", "2", "-n"]);
    assert_eq!((&plan["dropped"], &plan["dry_run"]), (&3.into(), &true.into()));
    let (code, done) = json(root, &["journal", "trim", "--max-records", "2"]);
    assert_eq!((code, &done["archived"], &done["left"]), (0, &3.into(), &2.into()));
    assert!(repo.read("memory/MEMORY-archive.md").contains("\"n1\""));
    assert!(repo.read("MEMORY.md").contains("Maria is allergic"));
    let (_, again) = json(root, &["journal", "trim", "--max-records", "2"]);
    assert_eq!(again["dropped"], 0);
}

#[test]
fn compact_shows_its_plan_does_it_and_can_be_undone() {
    let repo = profile();
    let root = repo.root();
    let before = repo.files();
    let (code, plan) = json(root, &["--now", NOW, "compact", "--dry-run"]);
    assert_eq!((code, &plan["recordsCompacted"]), (0, &2.into()), "a secret stays");
    assert_eq!(repo.files(), before);
    let (_, done) = json(root, &["--now", NOW, "compact"]);
    assert_eq!((&done["ran"], &done["recordsAfter"]), (&true.into(), &4.into()), "{done}");
    let long = repo.read("LONGMEMORY.md");
    assert!(long.contains("The parser was rewritten") && !long.contains("hunter2"), "{long}");
    let (code, text, error) = run(root, &["--now", NOW, "undo"]);
    assert_eq!(code, 0, "{text}{error}");
    assert_eq!(repo.files(), before);
    // By schedule only where it is wanted, and once.
    let (_, off) = json(root, &["--now", NOW, "compact", "--if-due"]);
    assert_eq!(off["reason"], "not due", "it ran a moment ago");
    let on = [
        "--set",
        "continuity.memoryCompactionEnabled=true",
        "--set",
        "continuity.memoryCompactionSchedule=0 3 * * *",
    ];
    let later = [&on[..], &["--now", "2026-06-21T03:00:00Z", "compact", "--if-due"]].concat();
    let (_, ran) = json(root, &later);
    assert_eq!(
        (&ran["ran"], &ran["next"]),
        (&true.into(), &"2026-06-22T03:00:00Z".into()),
        "{ran}"
    );
}

#[test]
fn settings_come_from_file_environment_and_flag() {
    let repo = profile();
    let root = repo.root();
    let cap = |command: &mut std::process::Command| -> u64 {
        let (code, out, error) = answer(&command.args(["--json", "brief"]).output().unwrap());
        assert_eq!(code, 0, "{out}{error}");
        serde_json::from_str::<Value>(&out).unwrap()["cap"].as_u64().unwrap()
    };
    assert_eq!(cap(&mut quipu(root)), 32_000);
    repo.write("quipu.toml", "[continuity]\nsessionMemoryCap = 5000\n");
    assert_eq!(cap(&mut quipu(root)), 5000);
    let variable = "QUIPU_CONTINUITY_SESSION_MEMORY_CAP";
    assert_eq!(cap(quipu(root).env(variable, "4000")), 4000);
    let flag = ["--set", "continuity.sessionMemoryCap=3000"];
    assert_eq!(cap(quipu(root).env(variable, "4000").args(flag)), 3000);
    let (code, _, error) = run(root, &["--set", "continuity.sessionMemoryCap=much", "brief"]);
    assert_eq!((code, error.contains("whole number")), (3, true), "{error}");
    let (code, _, error) = run(root, &["--set", "sessionMemoryCap=1", "brief"]);
    assert_eq!((code, error.contains("continuity.sessionMemoryCap")), (3, true), "{error}");
}

#[test]
fn every_setting_is_in_the_reference_with_its_variable() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, shown) = json(initialised().root(), &["config", "--all"]);
    let shown = shown["settings"].as_array().unwrap();
    for (key, _, class) in quipu_engine::config::KEYS {
        let variable = quipu_engine::config::variable(key);
        let row = page.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("{key} is not in docs/configuration.md"));
        assert!(row.contains(&variable), "{key}: {variable} is missing in: {row}");
        let class = class.in_words();
        assert!(row.contains(&format!("| {class} |")), "{key}: `{class}` is missing in: {row}");
        let setting = shown.iter().find(|setting| setting["key"] == *key).unwrap();
        let meaning = setting["meaning"].as_str().unwrap();
        assert!(!meaning.is_empty() && row.contains(meaning), "{key}: {meaning} is not in: {row}");
    }
}

#[test]
fn the_user_is_shown_changed_and_told_first() {
    let repo = initialised();
    let root = repo.root();
    let (code, _, _) = run(root, &["user", "show"]);
    assert_eq!(code, 1);
    let (code, _, error) = run(root, &["user", "edit", "--text", "# Ada\n\nCall her Ada.\n"]);
    assert_eq!(code, 0, "{error}");
    let (code, text, _) = run(root, &["user", "show"]);
    assert_eq!((code, text.as_str()), (0, "# Ada\n\nCall her Ada.\n"));
    let (_, text, _) = run(root, &["brief"]);
    let (_, inside) = text.split_once("\n\n").unwrap();
    assert!(inside.starts_with("User (USER.md):\n\n# Ada\nCall her Ada."), "{text}");
    let (code, _, _) = run(root, &["undo"]);
    assert_eq!((code, root.join("USER.md").exists()), (0, false));
}

#[test]
fn experiences_are_told_found_and_not_repeated() {
    let repo = initialised();
    let root = repo.root();
    let text = "Rolling back the migration locked the orders table for an hour";
    let (code, done) = json(root, &["experiences", "add", text]);
    assert_eq!((code, &done["added"]), (0, &true.into()));
    let (code, again) = json(root, &["experiences", "add", &format!("{text}!")]);
    assert_eq!((code, &again["added"], &again["like"]), (1, &false.into(), &done["id"]));
    run(root, &["remember", "The coffee machine on the second floor is broken again"]);
    let (_, found) = json(root, &["experiences", "query", "migration rollback", "-k", "1"]);
    assert_eq!(found["results"][0]["id"], done["id"]);
    let (_, list) = json(root, &["experiences", "list"]);
    assert_eq!(list["count"], 2);
    let (_, text, _) = run(root, &["brief", "--hint", "how do we roll back a migration?"]);
    assert_eq!(text.matches("Rolling back the migration").count(), 1, "{text}");
}

#[test]
fn a_pin_is_in_the_log_and_first_in_every_briefing() {
    let repo = initialised();
    let root = repo.root();
    let text = format!("Billing tables are off limits: {}\n", "words ".repeat(60));
    // A batch is not weighed, so all are as important.
    let turns = (0..60).map(|n| format!("turn {n}: {}\n", "words ".repeat(60)));
    repo.write("turns.txt", &(text + &turns.collect::<String>()));
    let batch = repo.root().join("turns.txt");
    let (code, done) = json(root, &["remember", "--batch", batch.to_str().unwrap()]);
    assert_eq!(code, 0, "{done}");
    let id = done["ids"][0].as_str().unwrap();
    let (_, text, _) = run(root, &["brief", "--cap", "3000"]);
    assert!(!text.contains("Billing"), "it is the oldest of today");
    let (code, pinned) = json(root, &["memory", "pin", id, "-r", "legal says so"]);
    assert_eq!((code, &pinned["pinned"]), (0, &true.into()));
    let (_, text, _) = run(root, &["brief", "--cap", "3000"]);
    assert!(text.contains("Billing tables are off limits"));
    assert!(text.chars().count() <= 3001, "{}", text.chars().count());
    let (_, history, _) = run(root, &["history", id]);
    assert!(history.contains("pinned") && history.contains("legal says so"), "{history}");
    let (code, _, _) = run(root, &["memory", "unpin", id]);
    assert_eq!(code, 0);
}

#[test]
fn a_compaction_beside_another_one_is_told_that_it_is_at_work() {
    let repo = profile();
    let root = repo.root();
    repo.write("tmp/memory-compaction.lock", &std::process::id().to_string());
    let before = repo.files();
    let (code, told) = json(root, &["--now", NOW, "compact"]);
    assert_eq!((code, &told["error"]["code"]), (4, &"busy".into()), "{told}");
    assert_eq!(told["error"]["message"], "another compaction is at work");
    assert_eq!(repo.files(), before);
}

#[test]
fn processes_append_while_the_window_is_trimmed_and_compacted() {
    const WRITERS: usize = 6;
    const TURNS: usize = 12;
    let repo = TestRepo::new();
    let root = repo.root();
    let old: String = (0..30)
        .map(|n| {
            line(&format!("old{n}"), "note", &format!("matter {n}"), "2026-01-01", "private-user")
        })
        .collect();
    repo.write("MEMORY.md", &old);
    repo.write("quipu.toml", "[continuity]\nmemoryMaxRecords = 20\n");
    let (code, done) = json(root, &["compact"]);
    assert_eq!((code, &done["recordsCompacted"]), (0, &30.into()), "{done}");
    // Old ones again, so that there is something to merge while others write.
    let more = old.replace("old", "more");
    repo.write("MEMORY.md", &format!("{}{more}", repo.read("MEMORY.md")));
    let ids: BTreeSet<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    let append = |turn: usize| {
                        let text = format!("writer {writer}, turn {turn}");
                        let (code, done) = json(root, &["journal", "append", &text]);
                        assert_eq!((code, &done["degraded"]), (0, &Value::Null), "{done}");
                        done["id"].as_str().unwrap().to_owned()
                    };
                    (0..TURNS).map(append).collect::<Vec<String>>()
                })
            })
            .collect();
        for command in [&["journal", "trim", "--max-records", "10"][..], &["compact"]] {
            for _ in 0..4 {
                let (code, out, error) = run(root, command);
                assert!(code == 0 || code == 4, "{command:?}: {code} {out}{error}");
            }
        }
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(ids.len(), WRITERS * TURNS);
    let days: Vec<String> = std::fs::read_dir(root.join("memory"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("20"))
        .collect();
    let mut found: Vec<String> = Vec::new();
    for day in days {
        for line in repo.read(&format!("memory/{day}")).lines() {
            let record = quipu_core::journal::Record::parse(line).expect("none torn");
            if record.target.is_none() {
                found.push(record.id);
            }
        }
    }
    assert_eq!(found.len(), ids.len(), "none twice");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), ids);
    let window = quipu_core::journal::records(&repo.read("MEMORY.md")).count();
    assert!((1..=20).contains(&window), "{window} records in the window");
    let (_, all) = json(root, &["journal", "list", "--allow-secret"]);
    let listed: BTreeSet<&str> =
        all["records"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    for name in ["old", "more"] {
        assert!((0..30).all(|n| listed.contains(format!("{name}{n}").as_str())), "{name} ones too");
    }
    let (code, out, _) = run(root, &["replay", "--check"]);
    assert_eq!(code, 0, "{out}");
}
