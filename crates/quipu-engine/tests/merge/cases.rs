//! Counterexamples that the properties of merging once drew, each by its symptom.

use super::{Step, assert_review_of_both_ledgers};
use quipu_core::memory::{CONTINUITY, Snapshot};
use quipu_testkit::generators::IDS;

fn folder(continuity: &str) -> Snapshot {
    let mut folder = Snapshot::default();
    folder.files.insert(CONTINUITY.to_owned(), continuity.into());
    folder
}

fn at(id: &str) -> usize {
    IDS.iter().position(|known| *known == id).unwrap()
}

fn assert_both(base: &str, ours: Vec<Step>, theirs: Vec<Step>) {
    assert_review_of_both_ledgers(&folder(base), ours.clone(), theirs.clone()).unwrap();
    assert_review_of_both_ledgers(&folder(base), theirs, ours).unwrap();
}

#[test]
fn a_changed_copy_of_an_archived_fact_keeps_no_done_thread_from_being_filed() {
    let base = "# Continuity

## Open Threads

### Sub

- [x] How long do we keep it?
  more of it

  and more
  <!-- id: ot-retention | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: superseded -->
\t- Times are UTC
\t  <!-- id: times-are-utc | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->
";
    let utc = at("times-are-utc");
    assert_both(base, vec![Step::Archive(utc)], vec![Step::Reword(utc, 1)]);
}

#[test]
fn a_chain_of_successors_keeps_both_links_where_either_order_refuses_one() {
    let base = "# Continuity

## Key Decisions

- Webhooks are fired and forgotten
  <!-- id: webhook-fire-forget | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: active -->
- [x] Is there a sandbox?
  <!-- id: ot-carrier-sandbox | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: active -->
- Events are only appended
  <!-- id: inv-events-append-only | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->
";
    let [webhook, sandbox, events] =
        ["webhook-fire-forget", "ot-carrier-sandbox", "inv-events-append-only"].map(at);
    assert_both(
        base,
        vec![Step::Supersede(webhook, events), Step::Archive(sandbox)],
        vec![Step::Supersede(events, sandbox)],
    );
}

#[test]
fn a_nested_fact_that_both_archived_is_no_change_to_the_words_above_it() {
    let base = "# Continuity

## Open Threads

### Sub

- Exports are streamed <!-- id: post-only-mutations | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->

\t- Webhooks are fired and forgotten
\t  <!-- id: webhook-fire-forget | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->
";
    let [exports, webhook] = ["post-only-mutations", "webhook-fire-forget"].map(at);
    assert_both(
        base,
        vec![Step::Archive(webhook), Step::Reword(exports, 0)],
        vec![Step::Archive(webhook)],
    );
}

#[test]
fn what_both_branches_superseded_and_one_archived_is_not_asked_about() {
    let base = "# Continuity

## Key Decisions

- Webhooks are fired and forgotten
  <!-- id: webhook-fire-forget | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->

- Exports are streamed, never built in memory
  <!-- id: golden-payloads | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->
";
    let [webhook, golden] = ["webhook-fire-forget", "golden-payloads"].map(at);
    assert_both(
        base,
        vec![Step::Supersede(webhook, golden), Step::Archive(webhook)],
        vec![Step::Supersede(webhook, golden)],
    );
}

#[test]
fn a_fact_that_one_side_archived_stays_there_where_the_other_let_it_slip_into_a_thread() {
    let base = "# Continuity

## Key Decisions

- [x] Exports are streamed
  more of it

  and more
  <!-- id: post-only-mutations | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: working -->
Webhooks are fired and forgotten
<!-- id: webhook-fire-forget | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: superseded -->

\t- The stack is Go
\t  <!-- id: stack-go-postgres | created: 2026-05-01 | last_used: 2026-05-01 | uses: 1 | tier: superseded -->
";
    let [webhook, stack] = ["webhook-fire-forget", "stack-go-postgres"].map(at);
    assert_both(
        base,
        vec![Step::Archive(stack), Step::Add(0, false)],
        vec![Step::Archive(webhook)],
    );
    // What the other side made of it is kept under another name, as it is anywhere else.
    assert_both(
        base,
        vec![Step::Archive(stack), Step::Add(0, false)],
        vec![Step::Archive(webhook), Step::Reword(stack, 1)],
    );
}
