//! Operations on facts, as an agent meets them.

use quipu_core::fact::Tier;
use quipu_core::facts::{FactError, NewFact, NewWords};
use quipu_core::finding::LintCode;
use quipu_core::review::Selection;
use quipu_engine::facts::{self, Added, Choice, Reworded};
use quipu_engine::operation::Request;
use quipu_engine::{Workspace, glance, report, undo};
use quipu_testkit::TestRepo;
use quipu_testkit::repo::{now, request};

const CONTINUITY: &str = "\
# Continuity

## Project State

- **project:** x
- **last_review:** (none yet)

## Architectural Invariants

- Mutations are POST only
  <!-- id: post-only-mutations | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: core -->

## Key Decisions

- The client retries a failed request 3 times
  <!-- id: client-retry-count | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->
- Parent
  - Child
    <!-- id: nested-child | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->
  <!-- id: the-parent | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: active -->

## Open Threads

- [ ] Ship it
  <!-- id: ot-ship-it | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: working -->
";

fn repo() -> (TestRepo, Workspace) {
    let repo = TestRepo::new();
    repo.write("memory/continuity.md", CONTINUITY);
    let workspace = repo.workspace();
    (repo, workspace)
}

/// Adds sessions that use nothing, so that facts fade.
fn pass_sessions(repo: &TestRepo, count: usize) {
    repo.write(
        "memory/sessions/2026-01-01-000000.md",
        "## Memory References\n\n- Created: client-retry-count, nested-child, the-parent, ot-ship-it, post-only-mutations\n",
    );
    for day in 1..=count {
        repo.write(
            &format!("memory/sessions/2026-02-{day:02}-000000.md"),
            "## Memory References\n\n(none)\n",
        );
    }
}

fn fact(text: &str) -> NewFact {
    NewFact {
        text: text.to_owned(),
        section: None,
        id: None,
        is_thread: false,
        allow_secret: false,
    }
}

#[test]
fn a_fact_that_may_contradict_another_waits_for_a_choice() {
    let (repo, workspace) = repo();
    let new = fact("The client retries failed requests 5 times");
    let (added, diff) =
        facts::add_fact(&workspace, &new, &Choice::default(), &request("add")).unwrap();
    let Added::Undecided { candidates, .. } = added else { panic!("it was written") };
    assert_eq!(candidates[0].id, "client-retry-count");
    assert!(diff.is_empty());
    assert_eq!(repo.read("memory/continuity.md"), CONTINUITY);

    let choice = Choice { supersedes: Some("client-retry-count".to_owned()), ..Choice::default() };
    let (added, _) = facts::add_fact(&workspace, &new, &choice, &request("add")).unwrap();
    let Added::Written { id, .. } = added else { panic!("it was not written") };
    let text = repo.read("memory/continuity.md");
    assert!(text.contains(&format!("tier: superseded | superseded-by: {id}")), "{text}");
    assert!(text.contains("tier: working | supersedes: client-retry-count"), "{text}");
}

#[test]
fn an_identical_fact_is_already_there() {
    let (repo, workspace) = repo();
    let again = fact("the client retries a failed request  3 times.");
    let (added, diff) =
        facts::add_fact(&workspace, &again, &Choice::default(), &request("add")).unwrap();
    let Added::AlreadyThere { id } = added else { panic!("{added:?}") };
    assert_eq!((id.as_str(), diff.is_empty()), ("client-retry-count", true));
    assert_eq!(repo.read("memory/continuity.md"), CONTINUITY);
}

#[test]
fn a_fact_says_what_is_near_to_it() {
    let (_repo, workspace) = repo();
    let near = fact("The client sends a failed request to the fallback host");
    let (added, _) =
        facts::add_fact(&workspace, &near, &Choice::default(), &request("add")).unwrap();
    let Added::Written { nearest, .. } = added else { panic!("{added:?}") };
    assert_eq!(nearest[0].id, "client-retry-count");
    let far = fact("Lunch is at noon");
    let (added, _) =
        facts::add_fact(&workspace, &far, &Choice::default(), &request("add")).unwrap();
    let Added::Written { nearest, .. } = added else { panic!("{added:?}") };
    assert_eq!(nearest, []);
}

#[test]
fn a_fact_that_contradicts_an_archived_one_is_told_and_written() {
    let (_repo, workspace) = repo();
    let old = ["client-retry-count".to_owned()];
    facts::archive(&workspace, &old, &request("fact archive")).unwrap();
    let new = fact("The client retries failed requests 5 times");
    let (added, _) =
        facts::add_fact(&workspace, &new, &Choice::default(), &request("add")).unwrap();
    let Added::Written { nearest, .. } = added else { panic!("{added:?}") };
    assert!(nearest[0].id == "client-retry-count" && nearest[0].archived, "{nearest:?}");
    assert!(nearest[0].reason.contains("`3` became `5`"), "{nearest:?}");
}

#[test]
fn a_reversal_by_edit_asks_as_adding_does() {
    let (repo, workspace) = repo();
    let reword = |text: &str, agree: bool| {
        let words = NewWords { text, instead_of: None, allow_secret: false, confirmed: false };
        facts::reword(&workspace, "client-retry-count", &words, agree, &request("edit")).unwrap()
    };
    let (done, diff) = reword("The client never retries a failed request", false);
    let Reworded::Undecided { candidates, .. } = done else { panic!("{done:?}") };
    assert_eq!(candidates[0].id, "client-retry-count");
    assert!(diff.is_empty());
    assert_eq!(repo.read("memory/continuity.md"), CONTINUITY);
    let (done, _) = reword("The client retries each failed request 3 times", false);
    assert!(matches!(done, Reworded::Written { .. }), "other words for the same: {done:?}");
    let (done, diff) = reword("The client never retries a failed request", true);
    assert!(matches!(done, Reworded::Written { .. }) && !diff.is_empty(), "{done:?}");
}

#[test]
fn a_first_review_looks_at_the_facts_it_meets() {
    let repo = TestRepo::new();
    let other = "- The client retries a failed request 5 times\n  <!-- id: retries-five | created: 2026-01-02 | last_used: 2026-01-02 | uses: 1 | tier: active -->\n- Parent\n";
    repo.write("memory/continuity.md", &CONTINUITY.replace("- Parent\n", other));
    let workspace = repo.workspace();
    let (plan, _) = facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    let found: Vec<&str> = (plan.notices.iter())
        .filter(|notice| notice.code == LintCode::Contradiction)
        .map(|notice| notice.subject.as_str())
        .collect();
    assert_eq!(found.len(), 1, "{:?}", plan.notices);
}

#[test]
fn raising_a_contradiction_writes_the_fact_and_a_thread() {
    let (repo, workspace) = repo();
    let choice = Choice { raise: true, ..Choice::default() };
    let new = fact("The client retries failed requests 5 times");
    let (added, _) = facts::add_fact(&workspace, &new, &choice, &request("add")).unwrap();
    let Added::Written { thread: Some(thread), .. } = added else { panic!("no thread") };
    assert!(repo.read("memory/continuity.md").contains(&format!("id: {thread} ")));
}

#[test]
fn against_a_core_fact_agreement_is_not_enough() {
    let (_repo, workspace) = repo();
    let new = fact("Mutations are never POST only");
    let agree = Choice { agree: true, ..Choice::default() };
    let (added, _) = facts::add_fact(&workspace, &new, &agree, &request("add")).unwrap();
    assert!(matches!(added, Added::Undecided { .. }));
    let confirmed = Choice { confirm_core: true, agree: true, ..Choice::default() };
    let (added, _) = facts::add_fact(&workspace, &new, &confirmed, &request("add")).unwrap();
    assert!(matches!(added, Added::Written { .. }));
}

#[test]
fn a_secret_is_not_written() {
    let (_repo, workspace) = repo();
    let new = fact(&format!("The database password={}", ["Zq7", "Lm2", "Xw9"].concat()));
    let error = facts::add_fact(&workspace, &new, &Choice::default(), &request("add")).unwrap_err();
    assert_eq!(error.code(), "secret");
}

#[test]
fn an_id_that_is_taken_or_malformed_is_refused() {
    let (_repo, workspace) = repo();
    for (id, code) in [("ot-ship-it", "refused"), ("Nope", "refused"), ("single", "refused")] {
        let new = NewFact { id: Some(id.to_owned()), ..fact("Logs are JSON") };
        let error =
            facts::add_fact(&workspace, &new, &Choice::default(), &request("add")).unwrap_err();
        assert_eq!(error.code(), code, "{id}");
    }
}

#[test]
fn what_never_decays_cannot_be_archived() {
    let (repo, workspace) = repo();
    pass_sessions(&repo, 21);
    for id in ["post-only-mutations", "ot-ship-it"] {
        let error = facts::archive(&workspace, &[id.to_owned()], &request("archive")).unwrap_err();
        assert!(error.to_string().contains("never decays"), "{error}");
    }
}

#[test]
fn a_fact_in_use_cannot_be_archived_as_faded() {
    let (repo, workspace) = repo();
    pass_sessions(&repo, 3);
    let error =
        facts::archive(&workspace, &["client-retry-count".to_owned()], &request("x")).unwrap_err();
    assert!(
        error.of::<FactError>().is_some() && error.to_string().contains("within archive_window")
    );
}

#[test]
fn a_persons_tier_is_kept_until_it_is_given_back() {
    let (repo, workspace) = repo();
    pass_sessions(&repo, 21);
    facts::set_tier(&workspace, "client-retry-count", Some(Tier::Active), &request("tier"))
        .unwrap();
    let (plan, _) = facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert!(
        !plan
            .items
            .iter()
            .any(|item| item.id == "client-retry-count" && item.action.as_str() == "archive")
    );
    assert!(repo.read("memory/continuity.md").contains("tier: active | tier-by: human"));
    facts::set_tier(&workspace, "client-retry-count", None, &request("tier")).unwrap();
    let text = repo.read("memory/continuity.md");
    assert!(text.contains("client-retry-count") && !text.contains("tier-by"), "{text}");
    assert!(
        facts::set_tier(&workspace, "client-retry-count", Some(Tier::Core), &request("tier"))
            .is_err()
    );
}

#[test]
fn an_edit_changes_the_words_and_not_the_footer() {
    let (repo, workspace) = repo();
    let words = NewWords {
        text: "Ship it\nby Friday",
        instead_of: Some("Ship it"),
        allow_secret: false,
        confirmed: false,
    };
    facts::reword(&workspace, "ot-ship-it", &words, true, &request("edit")).unwrap();
    let text = repo.read("memory/continuity.md");
    let footer = "<!-- id: ot-ship-it | created: 2026-01-01 | last_used: 2026-01-01 | uses: 1 | tier: working -->";
    assert!(text.contains(&format!("- [ ] Ship it\n  by Friday\n  {footer}\n")), "{text}");
}

#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let (repo, workspace) = repo();
    let text = "1. Numbered\n\n   | a | b |\n   |---|---|\n   <!-- id: num-fact | tier: active -->\n* Star <!-- id: star-fact | tier: active -->\n";
    let text = format!("{CONTINUITY}\n## Other\n\n{text}");
    repo.write("memory/continuity.md", &text);
    for id in ["num-fact", "star-fact", "the-parent"] {
        let current = report::show(&workspace, id).unwrap().text;
        let words = NewWords {
            text: &current,
            instead_of: Some(&current),
            allow_secret: false,
            confirmed: false,
        };
        facts::reword(&workspace, id, &words, true, &request("edit")).unwrap();
    }
    assert_eq!(repo.read("memory/continuity.md"), text);
    let words =
        NewWords { text: "Sun", instead_of: Some("Moon"), allow_secret: false, confirmed: false };
    assert!(
        facts::reword(&workspace, "star-fact", &words, true, &request("edit")).is_err(),
        "changed meanwhile"
    );
    let words = NewWords { instead_of: None, ..words };
    facts::reword(&workspace, "star-fact", &words, true, &request("edit")).unwrap();
    assert!(repo.read("memory/continuity.md").contains("* Sun\n  <!-- id: star-fact"));
}

#[test]
fn what_is_permanent_is_not_touched_without_a_persons_word() {
    let (repo, workspace) = repo();
    let id = "post-only-mutations";
    let words =
        NewWords { text: "Anything goes", instead_of: None, allow_secret: false, confirmed: false };
    let supersedes = Choice { supersedes: Some(id.to_owned()), agree: true, ..Choice::default() };
    let refused = [
        facts::reword(&workspace, id, &words, true, &request("edit")).unwrap_err(),
        facts::supersede(&workspace, id, None, false, &request("supersede")).unwrap_err(),
        facts::add_fact(&workspace, &fact("Mutations are PUT only"), &supersedes, &request("add"))
            .unwrap_err(),
    ];
    assert!(refused.iter().all(|error| error.code() == "permanent"), "{refused:?}");
    assert_eq!(repo.read("memory/continuity.md"), CONTINUITY);
    facts::supersede(&workspace, id, None, true, &request("supersede")).unwrap();
}

#[test]
fn superseded_is_final_and_links_are_not_overwritten() {
    let (repo, workspace) = repo();
    facts::supersede(&workspace, "client-retry-count", Some("the-parent"), false, &request("x"))
        .unwrap();
    let again = facts::supersede(
        &workspace,
        "the-parent",
        Some("client-retry-count"),
        false,
        &request("x"),
    );
    assert!(again.is_err(), "no cycles");
    assert!(facts::make_core(&workspace, "client-retry-count", &request("x")).is_err());
    facts::supersede(&workspace, "nested-child", Some("the-parent"), false, &request("x")).unwrap();
    assert!(repo.read("memory/continuity.md").contains("supersedes: client-retry-count"));
    let linted = facts::lint(&workspace, false).unwrap();
    assert!(
        linted.findings.iter().all(|finding| finding.code != LintCode::OneWayLink),
        "{:?}",
        linted.findings
    );
}

#[test]
fn a_fact_brought_back_by_hand_stays_until_the_log_tells() {
    let (repo, workspace) = repo();
    pass_sessions(&repo, 21);
    facts::archive(&workspace, &["client-retry-count".to_owned()], &request("x")).unwrap();
    facts::reactivate(&workspace, &["client-retry-count".to_owned()], &request("x")).unwrap();
    assert!(repo.read("memory/continuity.md").contains("uses: 1 | tier: active"));
    let (plan, _) = facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert!(
        plan.items
            .iter()
            .all(|item| item.id != "client-retry-count" || item.action.as_str() != "archive")
    );
}

#[test]
fn a_review_without_project_state_is_stamped_all_the_same() {
    let (repo, workspace) = repo();
    repo.write("memory/continuity.md", "# C\n\n## Key Decisions\n");
    pass_sessions(&repo, 12);
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    let text = repo.read("memory/continuity.md");
    let added = "\n## Project State\n\n- **last_review:** 2026-06-20 | through 2026-02-12-000000\n";
    assert_eq!(text, format!("# C\n\n## Key Decisions\n{added}"));
    assert_eq!(glance::status(&workspace, now()).unwrap().sessions_since_review.0, 0);
}

#[test]
fn a_review_of_single_steps_leaves_no_summary() {
    let (repo, workspace) = repo();
    pass_sessions(&repo, 21);
    let only = Selection { only: vec!["refresh".to_owned()], except: Vec::new() };
    facts::review(&workspace, &only, &request("review")).unwrap();
    assert!(!quipu_testkit::state_of(repo.root(), "pending.json").exists());
}

#[test]
fn a_confirmation_without_a_thread_waits_for_the_log() {
    let (repo, workspace) = repo();
    facts::make_core(&workspace, "client-retry-count", &request("core")).unwrap();
    facts::confirm(&workspace, &["client-retry-count".to_owned()], "Ann", &request("verify"))
        .unwrap();
    let pending =
        std::fs::read_to_string(quipu_testkit::state_of(repo.root(), "pending.json")).unwrap();
    assert!(pending.contains("confirmed") && pending.contains("Ann"), "{pending}");
}

#[test]
fn an_id_that_begins_another_confirms_only_itself() {
    let (repo, workspace) = repo();
    let invariant =
        |id: &str| format!("- {id}\n  <!-- id: {id} | created: 2026-01-01 | tier: core -->\n");
    let text = format!(
        "## Architectural Invariants\n\n{}{}",
        invariant("inv-events"),
        invariant("inv-events-append")
    );
    repo.write("memory/continuity.md", &text);
    repo.write("memory/decay-policy.md", "- verify_invariants_every: 1\n");
    pass_sessions(&repo, 2);
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    facts::confirm(&workspace, &["inv-events".to_owned()], "Ann", &request("verify")).unwrap();
    let text = repo.read("memory/continuity.md");
    assert!(
        text.contains("inv-events: confirmed") && text.contains("inv-events-append: to confirm"),
        "{text}"
    );
    let all = ["inv-events".to_owned(), "inv-events-append".to_owned()];
    facts::confirm(&workspace, &all, "Ann", &request("verify")).unwrap();
}

#[test]
fn the_answer_why_is_given_for_archived_facts_too() {
    let (repo, workspace) = repo();
    let many = "## A\n\n## B\n\n## C\n\n## D\n\n## E\n\n## F\n\n## G\n\n- x\n  <!-- id: old-fact | tier: archived -->\n";
    repo.write("memory/archive/2026-Q1.md", many);
    let why = report::why(&workspace, "old-fact").unwrap();
    assert!(why.because.contains("memory/archive/2026-Q1.md"), "{}", why.because);
}

#[test]
fn text_that_would_be_read_as_structure_is_refused() {
    let (_repo, workspace) = repo();
    for text in ["[ ] a box", "a <!-- comment", "```\ncode\n```", "\u{1b}[31mred", ""] {
        let result = facts::add_fact(&workspace, &fact(text), &Choice::default(), &request("add"));
        assert!(result.is_err(), "{text:?}");
    }
    for section in ["", "A\n## B", "Project State"] {
        let new = NewFact { section: Some(section.to_owned()), ..fact("Logs are JSON") };
        assert!(
            facts::add_fact(&workspace, &new, &Choice::default(), &request("add")).is_err(),
            "{section:?}"
        );
    }
    let new = NewFact { section: Some("C#".to_owned()), ..fact("Logs are JSON") };
    facts::add_fact(&workspace, &new, &Choice::default(), &request("add")).unwrap();
    let new = NewFact { section: Some("C#".to_owned()), ..fact("Releases are monthly") };
    facts::add_fact(&workspace, &new, &Choice::default(), &request("add")).unwrap();
    let snapshot = workspace.read().unwrap();
    assert_eq!(snapshot.get("memory/continuity.md").unwrap().matches("## C#").count(), 1);
}

#[test]
fn undo_is_refused_where_a_file_was_edited_since() {
    let (repo, workspace) = repo();
    facts::make_core(&workspace, "client-retry-count", &request("fact core")).unwrap();
    let edited = repo.read("memory/continuity.md").replace("tier: core", "tier: core | mine: yes");
    repo.write("memory/continuity.md", &edited);
    let error = undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap_err();
    assert_eq!(error.code(), "edited-since");
    assert_eq!(repo.read("memory/continuity.md"), edited);
}

#[test]
fn undo_keeps_what_was_edited_elsewhere_in_the_file() {
    let (repo, workspace) = repo();
    let before = repo.read("memory/continuity.md");
    facts::make_core(&workspace, "client-retry-count", &request("fact core")).unwrap();
    repo.write("memory/continuity.md", &(repo.read("memory/continuity.md") + "\nmine\n"));
    undo::undo(&workspace, None, &request("undo")).unwrap();
    assert_eq!(repo.read("memory/continuity.md"), before + "\nmine\n");
}

#[test]
fn several_operations_are_undone_one_by_one() {
    let (repo, workspace) = repo();
    facts::make_core(&workspace, "client-retry-count", &request("fact core")).unwrap();
    facts::set_done(&workspace, "ot-ship-it", true, &request("thread close")).unwrap();
    assert_eq!(
        undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap().operation,
        "thread close"
    );
    assert_eq!(
        undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap().operation,
        "fact core"
    );
    assert_eq!(repo.read("memory/continuity.md"), CONTINUITY);
    assert_eq!(
        undo::undo(&workspace, None, &quipu_testkit::repo::request("undo")).unwrap_err().code(),
        "nothing-to-undo"
    );
}

#[test]
fn a_dry_run_shows_what_the_run_does() {
    let (repo, workspace) = repo();
    pass_sessions(&repo, 21);
    let before = repo.files();
    let dry = Request { dry_run: true, ..request("review") };
    let (_, shown) = facts::review(&workspace, &Selection::default(), &dry).unwrap();
    assert_eq!(repo.files(), before);
    assert!(!repo.root().join(".quipu").exists(), "a dry run writes nothing at all");
    let (_, done) = facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    assert_eq!(shown, done);
}

#[test]
fn a_review_takes_items_out_when_asked() {
    let (repo, workspace) = repo();
    pass_sessions(&repo, 21);
    let except = Selection { only: Vec::new(), except: vec!["client-retry-count".to_owned()] };
    facts::review(&workspace, &except, &request("review")).unwrap();
    let text = repo.read("memory/continuity.md");
    assert!(text.contains("client-retry-count") && !text.contains("id: the-parent"));
    assert!(text.contains("through 2026-02-21-000000"));
}

#[test]
fn invariants_are_confirmed_by_a_person_one_by_one() {
    let (repo, workspace) = repo();
    repo.write("memory/decay-policy.md", "- verify_invariants_every: 5\n");
    pass_sessions(&repo, 6);
    facts::make_core(&workspace, "client-retry-count", &request("core")).unwrap();
    facts::review(&workspace, &Selection::default(), &request("review")).unwrap();
    let check = report::invariants(&workspace).unwrap();
    assert!(check.is_due && check.open_thread.is_some());
    facts::confirm(&workspace, &["post-only-mutations".to_owned()], "Eric", &request("verify"))
        .unwrap();
    assert!(report::invariants(&workspace).unwrap().is_due, "one of two is not all");
    assert!(
        repo.read("memory/continuity.md")
            .contains("- post-only-mutations: confirmed 2026-06-20 by Eric")
    );
    facts::confirm(&workspace, &["client-retry-count".to_owned()], "Eric", &request("verify"))
        .unwrap();
    let check = report::invariants(&workspace).unwrap();
    assert!(!check.is_due && check.open_thread.is_none());
    assert!(
        facts::confirm(&workspace, &["ot-ship-it".to_owned()], "Eric", &request("verify")).is_err()
    );
}
