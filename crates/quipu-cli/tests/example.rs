//! The worked example and the demo do what they say.

use std::path::Path;

use quipu_testkit::TestRepo;
use quipu_testkit::repo::files_in;

use crate::{json, run};

fn example(which: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/evolving-memory").join(which)
}

#[test]
fn a_review_of_the_example_gives_its_after_folder() {
    let repo = TestRepo::copy_of(&example("before"));
    let (code, text, error) = run(repo.root(), &["--today", "2026-04-20", "review"]);
    assert_eq!(code, 0, "{error}");
    for action in ["reactivate", "file", "archive", "sweep", "refresh", "origin", "stamp"] {
        assert!(text.contains(&format!("  {action} ")), "no step {action} in\n{text}");
    }
    assert_eq!(repo.files(), files_in(&example("after")));
    assert_eq!(run(repo.root(), &["lint"]).0, 0);
    assert_eq!(run(&example("before"), &["lint"]).0, 1, "before the review something is wrong");
}

#[test]
fn the_demo_tells_its_story() {
    let (code, document) = json(Path::new("."), &["demo"]);
    assert_eq!(code, 0);
    let steps = document["steps"].as_array().unwrap();
    let exits: Vec<i64> = steps.iter().map(|step| step["exit"].as_i64().unwrap()).collect();
    assert_eq!(
        exits.iter().filter(|exit| **exit != 0).count(),
        1,
        "only the contradiction stops: {exits:?}"
    );
    let review = steps.iter().find(|step| step["command"][0] == "review").unwrap();
    let actions: Vec<&str> = review["reply"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["file", "archive", "stamp"]);
    std::fs::remove_dir_all(Path::new(document["folder"].as_str().unwrap()).parent().unwrap())
        .unwrap();
}
