//! Hostile repositories: whatever a stranger puts into one, Quipu runs nothing of it and stays inside.
//!
//! Every command line, hook, the MCP server and the HTTP server run in each repository as an ordinary
//! user under `strace`. The trace must show no program but git with safe settings and this binary, and
//! no file outside the workspace, the user's own folders and the system's. `docs/security.md` says what
//! is promised; each promise names its test here.
#![cfg(target_os = "linux")]

mod plant;
mod repositories;
mod scene;
mod steps;
mod trace;

use std::collections::BTreeMap;

use repositories::all;
use scene::{CANARY, Scene};

/// Runs every step in the repositories of one family.
fn run(family: &str) {
    if !trace::is_there() {
        return;
    }
    let repositories: Vec<_> = all().into_iter().filter(|one| one.family == family).collect();
    assert!(!repositories.is_empty(), "there is no family `{family}`");
    for repository in repositories {
        let scene = Scene::new(repository.name);
        (repository.build)(&scene);
        scene.hand_over();
        let before = scene.untouchable();
        for step in steps::all(&scene) {
            let ran = trace::run(&scene, &step);
            let place = format!("{}: {}", repository.name, step.name());
            assert_eq!(ran.violations(&scene), [""; 0], "{place}");
            assert!(!ran.printed().contains(CANARY), "{place} printed a secret");
            let raw = ran.printed().chars().find(|c| c.is_control() && !"\n\t".contains(*c));
            assert_eq!(raw, None, "{place} printed a control character");
            assert_eq!(scene.pwned(), [""; 0], "{place} ran code of the repository");
        }
        assert_eq!(scene.untouchable(), before, "{}: a file was changed", repository.name);
        assert_eq!(scene.leaked(), [""; 0], "{}: a secret was copied", repository.name);
    }
}

#[test]
fn a_repository_that_git_would_obey_runs_nothing() {
    run("git");
}

#[test]
fn state_that_a_repository_brings_along_is_not_ours() {
    run("state");
}

#[test]
fn a_link_leads_nowhere() {
    run("links");
}

#[test]
fn a_link_in_a_file_of_other_tools_leads_nowhere() {
    run("links of others");
}

#[test]
fn special_files_are_not_read() {
    run("special files");
}

#[test]
fn settings_of_a_repository_open_no_door() {
    run("settings");
}

#[test]
fn texts_and_sizes_of_a_repository_are_only_data() {
    run("texts");
}

#[test]
fn a_hostile_branch_does_no_harm_in_a_good_clone() {
    run("branches");
}

/// Measures, and proves nothing: `cargo nextest run -p quipu-cli --run-ignored only -E 'test(costs)' --no-capture`.
/// The family of texts and sizes is left out: `quipu-bench growth` measures what size costs.
#[test]
#[ignore = "measures how long things take"]
#[expect(clippy::print_stdout, reason = "it measures, and tells")]
fn a_hostile_repository_costs_no_more_than_a_friendly_one() {
    // The best of three counts: other programs run on this machine too.
    let times = |name: &'static str, build: &dyn Fn(&Scene)| {
        let mut best = BTreeMap::new();
        for _ in 0..3 {
            let scene = Scene::new(name);
            build(&scene);
            scene.hand_over();
            let first = &scene.folders()[0];
            let steps = steps::all(&scene).into_iter();
            for step in steps.filter(|step| step.folder == *first && !step.is_server) {
                let took = trace::time(&scene, &step);
                let best = best.entry(step.arguments.join(" ")).or_insert(took);
                *best = took.min(*best);
            }
        }
        best
    };
    let budget = times("friendly", &|scene| scene.cloned(|_| {}));
    let (mut measured, mut over) = (0, Vec::new());
    for repository in all().into_iter().filter(|one| one.family != "texts") {
        let mut best = times(repository.name, &repository.build);
        measured += best.len();
        best.retain(|step, took| *took > budget[step] * 2);
        if !best.is_empty() {
            // Something else may have run just then.
            let again = times(repository.name, &repository.build);
            best.retain(|step, took| {
                *took = again[step].min(*took);
                *took > budget[step] * 2
            });
        }
        over.extend(best.into_iter().map(|(step, took)| {
            let friendly = budget[&step];
            format!("{}: {step}: {took:?}, friendly {friendly:?}", repository.name)
        }));
    }
    println!("{measured} steps, {} took more than twice as long as in a friendly one", over.len());
    for line in over {
        println!("{line}");
    }
}

#[test]
fn there_are_at_least_forty_hostile_repositories() {
    let mut names: Vec<&str> = all().iter().map(|one| one.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two have one name");
    assert!(count >= 40, "{count}");
}
