//! `repair`: what version 0.1 archived too early comes back.

use quipu_core::item::{Decision, Status};
use quipu_core::journal::Record;
use quipu_engine::operation::Request;
use quipu_engine::{decide, repair, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::journal::record;
use quipu_testkit::memories::{assert_replays, continuity, remember, status};
use quipu_testkit::repo::{ago, request};

/// A record, and the line of a dream that archived it when it was so many days old.
fn faded(id: &str, days: i64) -> String {
    let archived = (Status::Active, Status::Archived);
    let decision = Decision::Status { from: archived.0, to: archived.1 };
    let reason = "retention 0.04, importance 0.11, 0 uses";
    let mut event =
        Record::deciding(format!("e-{id}"), "dream", id, (decision, reason), ago(200 - days));
    event.run = Some("dream-1".to_owned());
    record(id, "note", &format!("matter of {id}"), 200).line() + &event.line()
}

#[test]
fn memories_that_were_archived_before_ninety_days_come_back_and_go_again() {
    let repo = TestRepo::new();
    let text: String =
        [("at30", 30), ("at49", 49), ("at120", 120)].map(|(id, days)| faded(id, days)).concat();
    repo.write("memory/2025-12-02.md", &text);
    let workspace = repo.workspace();
    let by_hand = remember(&workspace, "the kettle is blue");
    let forget = Decision::Status { from: Status::Active, to: Status::Archived };
    decide::decide(&workspace, &by_hand, forget, "not needed", &request("forget")).unwrap();
    let look = Request { dry_run: true, ..request("repair") };
    let found = repair::repair(&workspace, &look).unwrap();
    let ids: Vec<(&str, i64)> = found.archived.iter().map(|one| (&*one.id, one.days)).collect();
    assert_eq!(ids, [("at30", 30), ("at49", 49)]);
    assert_eq!(status(&workspace, "at30"), Status::Archived, "a look changes nothing");
    repair::repair(&workspace, &request("repair")).unwrap();
    let all = ["at30", "at49", "at120", &by_hand].map(|id| status(&workspace, id));
    assert_eq!(all, [Status::Active, Status::Active, Status::Archived, Status::Archived]);
    assert_eq!(repair::repairs(&workspace).unwrap(), repair::Repairs::default());
    assert_replays(&workspace);
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(status(&workspace, "at30"), Status::Archived);
}

#[test]
fn facts_that_faded_because_empty_logs_counted_come_back() {
    let repo = TestRepo::new();
    repo.write(
        "memory/continuity.md",
        &continuity(&[("labels-are-zpl", "Labels are ZPL", "uses: 1 | tier: active")]),
    );
    let fact = |id: &str| {
        format!(
            "- Matter of {id}\n  <!-- id: {id} | created: 2026-01-01 | uses: 1 | tier: archived -->\n\n"
        )
    };
    let archive = ["aged-by-nothing", "aged-by-work", "put-away-by-hand"].map(fact).concat();
    repo.write(
        "memory/archive/2026-Q1.md",
        &format!("# Archive\n\n## 2026-03-01 — archived (faded)\n\n{archive}"),
    );
    let row = |id: &str, why: &str| format!("- {id} — x — {why} — 2026-Q1.md\n");
    let index = row("aged-by-nothing", "faded (30 sessions unused)")
        + &row("aged-by-work", "faded (25 sessions unused)")
        + &row("put-away-by-hand", "faded, by hand");
    repo.write("memory/archive/INDEX.md", &format!("# Archive Index\n\n{index}"));
    for number in 0..50_u32 {
        let references = match number {
            19 => "- Referenced: aged-by-nothing, put-away-by-hand\n",
            0..25 => "- Referenced: labels-are-zpl\n",
            _ => "(none)\n",
        };
        let stem = format!("2026-01-{:02}-{:02}0000", 2 + number / 24, number % 24);
        repo.write(
            &format!("memory/sessions/{stem}.md"),
            &format!("# Session\n\n## Memory References\n\n{references}"),
        );
    }
    let workspace = repo.workspace();
    let found = repair::repair(&workspace, &request("repair")).unwrap();
    let ids: Vec<(&str, usize, usize)> =
        found.aged.iter().map(|one| (&*one.id, one.unused, one.empty)).collect();
    assert_eq!(ids, [("aged-by-nothing", 30, 25)]);
    let facts = repo.read("memory/continuity.md");
    assert!(facts.contains("aged-by-nothing") && !facts.contains("aged-by-work"), "{facts}");
}
