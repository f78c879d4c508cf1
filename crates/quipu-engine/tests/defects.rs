//! Each defect of agent-memory 4.38, by name, shown gone.

use quipu_core::lint::Finding;
use quipu_core::review::Selection;
use quipu_engine::{Workspace, facts, glance, report, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::{now, request};

/// A footer whose tier is what the example needs.
fn footer(id: &str, tier: &str) -> String {
    format!(
        "<!-- id: {id} | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: {tier} -->"
    )
}

/// A folder with this continuity, and one log that uses `ids` followed by `idle` that use nothing.
fn repo(continuity: &str, ids: &str, idle: usize) -> (TestRepo, Workspace) {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", continuity);
    let uses = format!("## Memory References\n\n- Created: {ids}\n");
    repo.write("memory/sessions/2026-01-01-000000.md", &uses);
    for day in 1..=idle {
        let path = format!("memory/sessions/2026-02-{day:02}-000000.md");
        repo.write(&path, "## Memory References\n\n(none)\n");
    }
    let workspace = repo.workspace();
    (repo, workspace)
}

fn findings(workspace: &Workspace, code: &str) -> Vec<Finding> {
    let mut findings = facts::lint(workspace, false).unwrap().findings;
    findings.retain(|finding| finding.code.as_str() == code);
    findings
}

fn archive(workspace: &Workspace, ids: &[&str]) {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    facts::archive(workspace, &ids, &request("fact archive")).unwrap();
}

#[test]
fn a_duplicate_id_argument_does_not_delete_the_next_fact() {
    let text = format!(
        "- One\n  {}\n- Two\n  {}\n",
        footer("fact-one", "active"),
        footer("fact-two", "active")
    );
    let (repo, workspace) = repo(&text, "fact-one, fact-two", 21);
    archive(&workspace, &["fact-one", "fact-one"]);
    assert_eq!(
        repo.read("memory/continuity.md"),
        format!("- Two\n  {}\n", footer("fact-two", "active"))
    );
    assert_eq!(repo.read("memory/archive/2026-Q2.md").matches("<!-- id:").count(), 1);
}

/// The original takes the dashes of `-->` for a part of the tier, and writes `active>`.
#[test]
fn a_refresh_does_not_cut_the_end_of_a_footer_without_a_space() {
    let text = "- One\n  <!-- id: fact-one | tier: working-->\n";
    let (repo, workspace) = repo(text, "fact-one", 4);
    facts::refresh(&workspace, &request("refresh")).unwrap();
    let refreshed = "- One\n  <!-- id: fact-one | tier: active-->\n";
    assert_eq!(repo.read("memory/continuity.md"), refreshed);
}

#[test]
fn a_footer_under_a_paragraph_does_not_drag_the_fact_above_along() {
    let above = format!("- Above\n  {}\n- No footer\n\n", footer("fact-above", "active"));
    let text = format!("{above}A paragraph.\n{}\n", footer("fact-para", "active"));
    let (repo, workspace) = repo(&text, "fact-para", 21);
    archive(&workspace, &["fact-para"]);
    assert_eq!(repo.read("memory/continuity.md"), above.trim_end().to_owned() + "\n");
}

#[test]
fn a_nested_bullet_does_not_drag_its_parent_or_siblings_along() {
    let child = |id: &str| format!("  - {id}\n    {}\n", footer(id, "active"));
    let parent = format!("  {}\n", footer("the-parent", "active"));
    let text = format!("- Parent\n{}{}{parent}", child("child-one"), child("child-two"));
    let (repo, workspace) = repo(&text, "the-parent, child-one, child-two", 21);
    archive(&workspace, &["child-one"]);
    assert_eq!(
        repo.read("memory/continuity.md"),
        format!("- Parent\n{}{parent}", child("child-two"))
    );
    let error = facts::archive(&workspace, &["the-parent".to_owned()], &request("x")).unwrap_err();
    assert!(error.to_string().contains("child-two"), "{error}");
    archive(&workspace, &["the-parent", "child-two"]);
    let archived = repo.read("memory/archive/2026-Q2.md");
    assert_eq!(archived.matches("tier: archived").count(), 3, "{archived}");
    assert_eq!(archived.matches("id: child-two").count(), 1);
}

#[test]
fn text_below_the_footer_does_not_stay_behind() {
    let text = format!("- One\n  {}\n  - a detail of it\n\nElse\n", footer("fact-one", "active"));
    let (repo, workspace) = repo(&text, "fact-one", 21);
    archive(&workspace, &["fact-one"]);
    assert!(!repo.read("memory/continuity.md").contains("a detail"));
    assert!(repo.read("memory/archive/2026-Q2.md").contains("- a detail of it"));
}

#[test]
fn a_missing_archive_folder_is_no_crash() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "active")), "fact-one", 21);
    archive(&workspace, &["fact-one"]);
    assert!(repo.read("memory/archive/INDEX.md").contains("- fact-one — One — "));
}

#[test]
fn an_archived_fact_says_that_it_is_archived() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "active")), "fact-one", 21);
    archive(&workspace, &["fact-one"]);
    let archived = repo.read("memory/archive/2026-Q2.md");
    let footer = footer("fact-one", "archived");
    assert!(archived.contains(footer.trim_end_matches(" -->")), "{archived}");
}

#[test]
fn a_superseded_fact_is_not_filed_as_faded() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "superseded")), "fact-one", 0);
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    let archived = repo.read("memory/archive/2026-Q2.md");
    assert!(
        archived.contains("— archived (superseded)") && !archived.contains("aded facts"),
        "{archived}"
    );
}

#[test]
fn a_reactivated_fact_leaves_the_archive_and_the_index() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "active")), "fact-one", 21);
    archive(&workspace, &["fact-one"]);
    repo.write(
        "memory/sessions/2026-03-01-000000.md",
        "## Memory References\n\n- Reactivated: fact-one\n",
    );
    assert_eq!(findings(&workspace, "over-archived").len(), 1);
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    let linted = facts::lint(&workspace, false).unwrap();
    assert_eq!(linted.errors(), 0, "{:?}", linted.findings);
    assert!(!repo.read("memory/archive/INDEX.md").contains("fact-one"));
    assert!(repo.read("memory/continuity.md").contains("uses: 2 | tier: active"));
}

#[test]
fn policy_prose_is_not_read_as_policy() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "active")), "fact-one", 0);
    repo.write(
        "memory/decay-policy.md",
        "> We raised archive_window: 50 once.\n\n- archive_window: 9\n",
    );
    assert_eq!(facts::lint(&workspace, false).unwrap().policy.archive_window.0, 9);
}

#[test]
fn an_open_parent_whose_last_child_is_done_stays_pinned() {
    let text = format!("- [ ] Parent\n  - [x] child\n  {}\n", footer("ot-parent", "working"));
    let (repo, workspace) = repo(&text, "ot-parent", 30);
    assert!(findings(&workspace, "overdue").is_empty());
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert!(repo.read("memory/continuity.md").contains("- [ ] Parent"));
}

#[test]
fn an_index_in_the_sessions_folder_is_no_session() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "active")), "fact-one", 2);
    repo.write("memory/sessions/INDEX.md", "# Sessions\n\n## Memory References\n\n- fact-one\n");
    repo.write("memory/sessions/README.md", "# Read me\n");
    assert_eq!(facts::lint(&workspace, false).unwrap().sessions, 3);
    assert_eq!(report::why(&workspace, "fact-one").unwrap().sessions_since_last_use.unwrap().0, 2);
}

#[test]
fn an_invariant_with_another_label_is_neither_relabelled_nor_archived() {
    let text = format!("## Architectural Invariants\n\n- One\n  {}\n", footer("inv-one", "active"));
    let (repo, workspace) = repo(&text, "inv-one", 30);
    assert!(
        findings(&workspace, "overdue").is_empty()
            && findings(&workspace, "stale-metadata").is_empty()
    );
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert!(repo.read("memory/continuity.md").contains("tier: active"));
}

#[test]
fn line_endings_stay_as_they_are() {
    let text = format!(
        "# C\r\n\r\n- One\r\n  {}\r\n- Two\r\n  {}\r\n",
        footer("fact-one", "active"),
        footer("fact-two", "active")
    );
    let (repo, workspace) = repo(&text, "fact-one", 5);
    facts::refresh(&workspace, &request("refresh")).unwrap();
    let after = repo.read("memory/continuity.md");
    assert_eq!(after, text);
    archive_after(&repo, &workspace, &text);
}

/// Also with an edit, and a block that moves to a file of its own.
fn archive_after(repo: &TestRepo, workspace: &Workspace, text: &str) {
    for day in 1..=20 {
        repo.write(
            &format!("memory/sessions/2026-03-{day:02}-000000.md"),
            "## Memory References\n\n(none)\n",
        );
    }
    archive(workspace, &["fact-one"]);
    let after = repo.read("memory/continuity.md");
    assert_eq!(after.matches("\r\n").count(), after.matches('\n').count());
    let archived = repo.read("memory/archive/2026-Q2.md");
    assert_eq!(archived.matches("\r\n").count(), archived.matches('\n').count());
    undo::undo(workspace, None, &quipu_testkit::repo::request("undo")).unwrap();
    assert_eq!(repo.read("memory/continuity.md"), text);
}

#[test]
fn a_log_whose_heading_does_not_count_is_told() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "active")), "fact-one", 0);
    repo.write(
        "memory/sessions/2026-02-01-000000.md",
        "## Memory References (addendum)\n\n- fact-one\n",
    );
    repo.write("memory/sessions/2026-02-02-000000.md", "# S\n\nno section\n");
    let uncounted = findings(&workspace, "uncounted-references");
    assert_eq!(
        (uncounted[0].subject.as_str(), uncounted[0].line),
        ("2026-02-01-000000.md", Some(1))
    );
    assert_eq!(findings(&workspace, "no-references")[0].subject, "2026-02-02-000000.md");
}

#[test]
fn a_reference_to_an_id_that_exists_nowhere_is_told() {
    let (repo, workspace) = repo(
        &format!("- One\n  {}\n", footer("fact-one", "active")),
        "fact-one, eric-release-rhythm",
        0,
    );
    let unknown = findings(&workspace, "unknown-reference");
    assert_eq!(unknown[0].subject, "eric-release-rhythm");
    repo.write("quipu.toml", "[lint]\nallow = [\"unknown-reference:eric-release-rhythm\"]\n");
    assert!(
        findings(&repo.workspace(), "unknown-reference").is_empty(),
        "a warning can be cleared"
    );
}

#[test]
fn a_successor_that_does_not_link_back_is_told() {
    let old = footer("fact-one", "superseded | superseded-by: fact-two");
    let text = format!("- One\n  {old}\n- Two\n  {}\n", footer("fact-two", "active"));
    let (_repo, workspace) = repo(&text, "fact-one, fact-two", 0);
    assert_eq!(findings(&workspace, "one-way-link")[0].subject, "fact-one");
}

#[test]
fn a_review_stamp_in_brackets_or_backticks_is_read() {
    for stamp in
        ["2026-02-03 (through 2026-02-03-000000.md)", "2026-02-03 | through `2026-02-03-000000.md`"]
    {
        let text = format!("## Project State\n\n- **last_review:** {stamp}\n");
        let (_repo, workspace) = repo(&text, "x-y", 5);
        assert_eq!(
            glance::status(&workspace, now()).unwrap().sessions_since_review.0,
            2,
            "{stamp}"
        );
    }
}

#[test]
fn duplicate_and_broken_footers_are_told() {
    let text = format!(
        "- One\n  {}\n- Again\n  {}\n- Open\n  <!-- id: fact-open | tier: active\n- Bare\n  <!-- id: fact-bare -->\n",
        footer("fact-one", "active"),
        footer("fact-one", "active"),
    );
    let (_repo, workspace) = repo(&text, "fact-one", 0);
    for (code, subject) in [
        ("duplicate-id", "fact-one"),
        ("unclosed-footer", "fact-open"),
        ("footer-without-fields", "fact-bare"),
    ] {
        assert_eq!(findings(&workspace, code)[0].subject, subject, "{code}");
    }
}

#[test]
fn auto_core_and_the_invariant_cadence_are_read_by_the_machine() {
    let text = format!(
        "## Key Decisions\n\n- One\n  {}\n- Core\n  {}\n",
        footer("fact-one", "active"),
        footer("fact-core", "core")
    );
    let (repo, workspace) = repo(&text, "fact-one", 0);
    for day in 1..=6 {
        let log = "## Memory References\n\n- fact-one\n\n## Memory Review (x)\n\n- Archived: 0\n";
        repo.write(&format!("memory/sessions/2026-02-{day:02}-000000.md"), log);
    }
    repo.write("memory/decay-policy.md", "- verify_invariants_every: 5\n- enabled: true\n- core_min_uses: 5\n- core_min_reviews: 4\n");
    let (plan, _) = facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert_eq!(plan.core_proposals[0].id, "fact-one");
    assert!(plan.items.iter().any(|item| item.action.as_str() == "verify"), "{:?}", plan.items);
    let after = repo.read("memory/continuity.md");
    assert!(after.contains("uses: 7 | tier: active"), "it is only proposed: {after}");
    assert!(after.contains("  - fact-core: to confirm"), "{after}");
}

#[test]
fn a_session_log_that_was_changed_after_git_recorded_it_is_told() {
    let (repo, workspace) =
        repo(&format!("- One\n  {}\n", footer("fact-one", "active")), "fact-one", 1);
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
        let status = std::process::Command::new("git")
            .arg("-C")
            .arg(repo.root())
            .args(identity)
            .args(arguments)
            .output()
            .unwrap()
            .status;
        assert!(status.success(), "git {arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    assert!(findings(&workspace, "ledger-changed").is_empty());
    repo.write("memory/sessions/2026-02-01-000000.md", "## Memory References\n\n- fact-one\n");
    std::fs::remove_file(repo.root().join("memory/sessions/2026-01-01-000000.md")).unwrap();
    let changed = findings(&workspace, "ledger-changed");
    assert_eq!(changed.len(), 2, "{changed:?}");
    git(&["commit", "-qam", "rewrite"]);
    assert!(findings(&workspace, "ledger-changed").is_empty());
    let rewritten = facts::lint(&workspace, true).unwrap().findings;
    assert_eq!(
        rewritten.iter().filter(|finding| finding.code.as_str() == "ledger-rewritten").count(),
        2
    );
}

#[test]
fn a_footer_quoted_as_code_neither_cuts_nor_hides_a_fact() {
    let quoted = "- A footer looks like this:\n  ````md\n  ```\n  <!-- id: some-fact-id | tier: x -->\n  ```\n  ````\n";
    let inline = "- Like `<!-- id: other-id | uses: N -->` it closes on its line\n";
    let after = format!("- After\n  {}\n", footer("after-fact", "core"));
    let text = format!(
        "## Key Decisions\n\n{quoted}  {}\n{inline}  {}\n{after}",
        footer("fence-fact", "active"),
        footer("inline-fact", "active"),
    );
    let (repo, workspace) = repo(&text, "fence-fact, inline-fact", 21);
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    let live = repo.read("memory/continuity.md");
    assert!(live.starts_with(&format!("## Key Decisions\n\n{after}")), "{live}");
    let archived = repo.read("memory/archive/2026-Q2.md");
    assert!(archived.contains(quoted) && archived.contains(inline), "{archived}");
    assert!(facts::reactivate(&workspace, &["some-fact-id".to_owned()], &request("x")).is_err());
}

#[test]
fn an_unclosed_fence_is_told() {
    let text = format!("- x\n  {}\n\n```sh\nnever closed\n", footer("fact-one", "active"));
    let (_repo, workspace) = repo(&text, "fact-one", 0);
    assert_eq!(findings(&workspace, "unclosed-fence")[0].line, Some(4));
    let back = facts::reactivate(&workspace, &["fact-one".to_owned()], &request("x")).unwrap_err();
    assert!(back.to_string().contains("line 4 never closes"), "{back}");
}

#[test]
fn an_id_that_stands_twice_is_held_and_the_rest_still_applies() {
    let twice = format!("- One\n  {}\n", footer("dup-fact", "superseded")).repeat(2);
    let text = format!("{twice}- Two\n  {}\n", footer("fact-two", "active"));
    let (repo, workspace) = repo(&text, "fact-two", 21);
    let (plan, _) = facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert_eq!(plan.held[0].id, "dup-fact");
    assert!(!repo.read("memory/continuity.md").contains("fact-two"));
}

#[test]
fn a_thread_does_not_pin_what_stands_below_the_next_heading() {
    let thread = format!("- [ ] Parent\n  - [x] child\n  {}\n", footer("ot-parent", "working"));
    let text = format!("{thread}\n## Notes\n\nA paragraph.\n{}\n", footer("para-fact", "active"));
    let (_repo, workspace) = repo(&text, "ot-parent, para-fact", 22);
    assert_eq!(findings(&workspace, "overdue")[0].subject, "para-fact");
}

#[test]
fn a_footer_without_text_does_not_change_hands_when_its_neighbour_leaves() {
    let text = format!(
        "- [x] Done\n\nWords\n{}\n{}\n",
        footer("fact-gone", "superseded"),
        footer("fact-bare", "active"),
    );
    let (repo, workspace) = repo(&text, "another-fact", 0);
    let (plan, _) = facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert_eq!(plan.held[0].id, "fact-gone");
    assert!(repo.read("memory/continuity.md").starts_with(&text));
}
