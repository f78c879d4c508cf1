//! Vectors that take less room as memories fade, and get it back.

use quipu_core::item::Sensitivity;
use quipu_engine::recall::{self, Question};
use quipu_engine::remember::{self, NewMemory};
use quipu_engine::{Workspace, compress, index, replay};
use quipu_testkit::TestRepo;
use quipu_testkit::memories::told;
use quipu_testkit::repo::{ago, now, request};

/// Notes of every age between now and four months ago.
fn fill(workspace: &Workspace) -> Vec<String> {
    const ABOUT: [&str; 5] = ["harbour", "parser", "invoice", "meadow", "rocket"];
    let new: Vec<NewMemory> = (0..600_usize)
        .map(|n| {
            let text = format!("the {} of team {n} was looked at on floor {}", ABOUT[n % 5], n % 7);
            let time = Some(ago(i64::try_from(n / 5).unwrap()));
            NewMemory { time, pinned: n == 599, ..told(&text) }
        })
        .collect();
    remember::remember(workspace, &new, &request("remember")).unwrap().ids
}

fn first(workspace: &Workspace, query: &str) -> String {
    let question = Question { query: query.to_owned(), ..Question::default() };
    recall::recall(workspace, &question, now()).unwrap().results[0].text.clone()
}

#[test]
fn defect_compression_bricks_no_store() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = fill(&workspace);
    let before = replay::index_counts(&workspace).unwrap();
    let done = compress::compress(&workspace, now(), false, &mut |_, _| {}).unwrap();
    assert!(done.vectors.precision.two > 0 && done.vectors.precision.four > 0, "{done:?}");
    assert!(done.vectors.bytes_after * 2 < done.vectors.bytes_before, "{done:?}");
    assert!(done.file_after < done.file_before, "the disk gets its room back: {done:?}");
    assert_eq!(done.vectors.precision.total(), before.embedded);
    // Old and new, narrow and wide are found, weighed, rebuilt.
    for n in [3_usize, 300, 598] {
        let text = index::resolve(&workspace, &ids[n]).unwrap().text;
        assert_eq!(first(&workspace, &text), text);
    }
    let again = told("the harbour of team 5 was looked at on floor 5");
    let done = remember::remember_one(&workspace, &again, &request("remember")).unwrap();
    assert!(done.weighed.unwrap().duplicate_of.is_some());
    assert!(replay::replay(&workspace, true, &mut |_, _| {}).unwrap().equal);
    let second = compress::compress(&workspace, now(), false, &mut |_, _| {}).unwrap();
    assert!(!second.vectors.has_changed(), "{second:?}");
}

#[test]
fn what_is_used_again_gets_its_vector_back_and_pins_keep_theirs() {
    let repo = TestRepo::new();
    let workspace = repo.workspace();
    let ids = fill(&workspace);
    let dry = compress::compress(&workspace, now(), true, &mut |_, _| {}).unwrap();
    assert_eq!(dry.vectors.precision.two, 0, "a dry run changes nothing");
    let done = compress::compress(&workspace, now(), false, &mut |_, _| {}).unwrap();
    index::note_access(&workspace, &ids[590], now());
    let again = compress::compress(&workspace, now(), false, &mut |_, _| {}).unwrap();
    assert_eq!((again.vectors.widened, again.vectors.missing), (1, 0));
    assert_eq!(again.vectors.precision.eight, done.vectors.precision.eight + 1);
    // The oldest is pinned, and was never narrowed.
    assert_eq!(dry.wanted[2], done.vectors.precision.two);
    let pinned = index::resolve(&workspace, &ids[599]).unwrap();
    assert!(pinned.pinned && pinned.sensitivity == Sensitivity::Private);
}
