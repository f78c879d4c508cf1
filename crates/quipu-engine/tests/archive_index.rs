//! What can be derived is made again: the index of the archive. And what is said of logs that are not
//! there is a finding.

use quipu_core::review::Selection;
use quipu_engine::facts;
use quipu_engine::{Workspace, report};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::continuity;
use quipu_testkit::repo::request;

const QUARTER: &str = "memory/archive/2026-Q1.md";
const INDEX: &str = "memory/archive/INDEX.md";

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    let live = [("exports-streamed", "Exports are streamed", "uses: 1 | tier: core")];
    repo.write("memory/continuity.md", &continuity(&live));
    repo.write(
        QUARTER,
        "# Archive — 2026-Q1\n\n- Backups run at night\n  <!-- id: backups-at-night | uses: 1 | tier: archived -->\n",
    );
    repo
}

fn codes(workspace: &Workspace) -> Vec<&'static str> {
    let findings = facts::lint(workspace, false).unwrap().findings;
    findings.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn an_index_that_was_deleted_is_found_and_made_again() {
    for with_review in [false, true] {
        let repo = repo();
        let workspace = repo.workspace();
        assert!(codes(&workspace).contains(&"archive-index"));
        if with_review {
            let (plan, _) =
                facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
            assert!(plan.items.iter().any(|item| item.id == "archive-index"), "{:?}", plan.items);
        } else {
            facts::refresh(&workspace, &request("refresh")).unwrap();
        }
        assert!(
            repo.read(INDEX)
                .contains("- backups-at-night — Backups run at night — archived — 2026-Q1.md")
        );
        assert!(!codes(&workspace).contains(&"archive-index"));
        let (plan, _) =
            facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
        assert!(plan.items.iter().all(|item| item.id != "archive-index"));
    }
}

#[test]
fn an_origin_that_names_no_log_is_a_finding_and_not_shown() {
    let repo = repo();
    let fact =
        [("a-b", "Exports are streamed", "uses: 1 | origin: 2026-01-01-000000 | tier: core")];
    repo.write("memory/continuity.md", &continuity(&fact));
    let workspace = repo.workspace();
    assert!(codes(&workspace).contains(&"unknown-origin"));
    assert_eq!(report::show(&workspace, "a-b").unwrap().provenance.origin, None);
    repo.write("memory/sessions/2026-01-01-000000.md", "# S\n\n## Memory References\n\n(none)\n");
    let workspace = repo.workspace();
    assert!(!codes(&workspace).contains(&"unknown-origin"));
}

#[test]
fn a_fact_archived_at_its_first_review_keeps_its_origin() {
    let repo = TestRepo::new();
    let fact = [
        ("a-b", "The old way", "uses: 1 | superseded-by: c-d | tier: superseded"),
        ("c-d", "The new way", "uses: 1 | supersedes: a-b | tier: core"),
    ];
    repo.write("memory/continuity.md", &continuity(&fact));
    repo.write(
        "memory/sessions/2026-06-01-000000.md",
        "# S\n\n## Memory References\n\n- Created: a-b\n",
    );
    let workspace = repo.workspace();
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    let archived = repo.read("memory/archive/2026-Q2.md");
    assert!(archived.contains("origin: 2026-06-01-000000"), "{archived}");
}

#[test]
fn a_conflict_in_the_archive_is_seen() {
    let repo = repo();
    let text = format!("{}\n<<<<<<< HEAD\n- x\n=======\n- y\n>>>>>>> other\n", repo.read(QUARTER));
    repo.write(QUARTER, &text);
    assert!(codes(&repo.workspace()).contains(&"conflict-marker"));
}
