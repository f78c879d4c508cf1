//! Several processes on one memory, and processes that are killed.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use quipu_testkit::TestRepo;

use crate::{answer, initialised, json, quipu, run};

#[test]
fn processes_that_write_at_once_never_lose_each_others_work() {
    let repo = initialised();
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let root = repo.root().to_owned();
            std::thread::spawn(move || {
                for turn in 0..5 {
                    let id = format!("writer-{writer}-turn-{turn}");
                    let text = format!("Fact {writer} {turn}");
                    let output = quipu(&root)
                        .args(["fact", "add", &text, "--id", &id, "--agree"])
                        .output()
                        .unwrap();
                    let (code, _, error) = answer(&output);
                    assert_eq!(code, 0, "{error}");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let (_, facts) = json(repo.root(), &["fact", "list"]);
    assert_eq!(facts["count"], 40);
    let (code, log, error) = run(repo.root(), &["session", "start"]);
    assert_eq!(code, 0, "{log}{error}");
    let (_, ended) = json(repo.root(), &["session", "end"]);
    assert_eq!(ended["events"].as_array().unwrap().len(), 40, "no event was lost either");
}

#[test]
fn a_killed_review_leaves_the_old_state_or_the_new_one() {
    let before =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/evolving-memory/before");
    let whole = TestRepo::copy_of(&before);
    let old = whole.files();
    run(whole.root(), &["--today", "2026-04-20", "review"]);
    let new = whole.files();
    for delay in (0..40).map(|step| Duration::from_micros(step * 700)) {
        let repo = TestRepo::copy_of(&before);
        let mut child = quipu(repo.root())
            .args(["--today", "2026-04-20", "review"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(delay);
        // It may have finished by itself.
        let _ = child.kill();
        child.wait().unwrap();
        let (code, _, error) = run(repo.root(), &["status"]);
        assert_eq!(code, 0, "{error}");
        let mut found = repo.files();
        found.retain(|path, _| !path.ends_with(".quipu-tmp"));
        assert!(found == old || found == new, "killed after {delay:?}: a mix of old and new");
    }
}
