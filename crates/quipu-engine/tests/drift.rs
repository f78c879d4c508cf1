//! What becomes of claims in real repositories.

use std::path::Path;

use quipu_core::claim::claims;
use quipu_core::item::{Item, Kind, Layer, Place, Source};
use quipu_engine::drift::{self, DriftReport, Evidence, Past, Verdict};
use quipu_engine::{Workspace, open};
use quipu_testkit::project::{Project, git, source};
use quipu_testkit::repo::{TestRepo, now};

fn verdict(root: &Path, text: &str) -> Verdict {
    let claims = claims(text);
    assert_eq!(claims.len(), 1, "{claims:?}");
    Evidence::of(root).judge(&[(&claims[0], None)]).remove(0)
}

fn target(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Gone { now, certain: true, .. } => now.as_deref(),
        other => panic!("not certainly gone: {other:?}"),
    }
}

fn is_doubtful(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Gone { certain: false, .. })
}

fn item(id: &str, text: &str) -> Item {
    Item::new(id, Kind::Record, text, now())
}

fn check(workspace: &Workspace, texts: &[&str]) -> DriftReport {
    let items: Vec<Item> =
        texts.iter().enumerate().map(|(at, text)| item(&format!("m{at}"), text)).collect();
    drift::drift_check(workspace, &items)
}

#[test]
fn a_deleted_path_is_gone_and_one_that_never_was_is_unknown() {
    let project = Project::new();
    project.write("src/a.rs", &source("a"));
    project.write("src/b.rs", &source("b"));
    project.commit();
    project.delete("src/a.rs");
    let commit = project.git(&["rev-parse", "HEAD"]).trim().to_owned();
    project.write("src/c.rs", "later\n");
    project.commit();
    let Verdict::Gone { commit: found, when, now, certain: true, still_on: None } =
        verdict(project.repo.root(), "src/a.rs")
    else {
        panic!("it is certainly gone")
    };
    assert_eq!(found.as_deref(), Some(&*commit));
    assert_eq!(when.unwrap().to_string(), "2026-01-01T02:00:00Z");
    assert_eq!(now, None);
    assert_eq!(verdict(project.repo.root(), "src/b.rs"), Verdict::Alive);
    assert_eq!(verdict(project.repo.root(), "src/never.rs"), Verdict::Unknown);
    assert_eq!(verdict(project.repo.root(), "/etc/nowhere/x.conf"), Verdict::Unknown);
    assert_eq!(verdict(project.repo.root(), "~/notes/a.md"), Verdict::Unknown);
    assert_eq!(verdict(project.repo.root(), "../other/a.rs"), Verdict::Unknown);
    let inside = project.repo.root().join("src/a.rs");
    assert_eq!(target(&verdict(project.repo.root(), inside.to_str().unwrap())), None);
}

#[test]
fn renames_are_followed_to_the_name_of_today() {
    let project = Project::new();
    project.write("src/a.rs", &source("a"));
    project.write("src/z.rs", &source("z"));
    project.commit();
    project.rename("src/a.rs", "src/b.rs");
    project.rename("src/b.rs", "lib/c.rs");
    project.write("src/b.rs", &source("another"));
    project.commit();
    project.delete("src/b.rs");
    project.rename("lib/c.rs", "lib/d e.rs");
    project.rename("src/z.rs", "src/y.rs");
    project.delete("src/y.rs");
    assert_eq!(target(&verdict(project.repo.root(), "src/a.rs")), Some("lib/d e.rs"));
    assert_eq!(
        target(&verdict(project.repo.root(), "src/b.rs")),
        None,
        "the second one went for good"
    );
    assert_eq!(
        target(&verdict(project.repo.root(), "src/z.rs")),
        None,
        "it was deleted under its new name"
    );
    project.write("src/a.rs", "back again\n");
    project.commit();
    assert_eq!(verdict(project.repo.root(), "src/a.rs"), Verdict::Alive);
}

#[test]
fn a_folder_is_gone_when_all_of_it_is_and_moved_when_most_of_it_went_to_one_place() {
    let project = Project::new();
    for name in ["a", "b", "deep/c", "old"] {
        project.write(&format!("src/parser/{name}.rs"), &source(name));
    }
    project.write("src/lexer/x.rs", &source("x"));
    project.commit();
    project.delete("src/parser/old.rs");
    assert_eq!(verdict(project.repo.root(), "`src/parser/`"), Verdict::Alive);
    project.rename("src/parser", "crates/syntax");
    project.delete("src/lexer");
    assert_eq!(target(&verdict(project.repo.root(), "`src/parser/`")), Some("crates/syntax/"));
    assert_eq!(target(&verdict(project.repo.root(), "`src/parser`")), Some("crates/syntax/"));
    assert_eq!(
        target(&verdict(project.repo.root(), "src/parser/deep/c.rs")),
        Some("crates/syntax/deep/c.rs")
    );
    assert_eq!(target(&verdict(project.repo.root(), "`src/lexer/`")), None);
}

#[test]
fn folders_that_everyone_knows_may_be_left_out() {
    let project = Project::new();
    project.write("crates/core/src/claim.rs", &source("claim"));
    project.write("crates/core/src/gone.rs", &source("gone"));
    project.commit();
    project.rename("crates/core/src/gone.rs", "crates/core/src/here.rs");
    assert_eq!(verdict(project.repo.root(), "`claim.rs`"), Verdict::Alive);
    assert_eq!(verdict(project.repo.root(), "src/claim.rs"), Verdict::Alive);
    let found = verdict(project.repo.root(), "src/gone.rs");
    assert!(is_doubtful(&found), "another file may be meant: {found:?}");
    assert!(is_doubtful(&verdict(project.repo.root(), "`gone.rs`")));
    assert_eq!(verdict(project.repo.root(), "`other.rs`"), Verdict::Unknown);
}

#[test]
fn what_is_checked_out_changes_nothing() {
    let project = Project::new();
    project.write("src/old.rs", &source("old"));
    project.write("src/kept.rs", &source("kept"));
    project.write("src/lib.rs", "fn old_name() {}\n");
    project.commit();
    project.git(&["branch", "lagging"]);
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.write("src/new.rs", &source("new"));
    project.delete("src/kept.rs");
    project.git(&["checkout", "-q", "main"]);
    project.write("src/lib.rs", "fn new_name() {}\n");
    project.rename("src/old.rs", "src/moved.rs");
    let texts = [
        "src/old.rs",
        "src/kept.rs",
        "src/new.rs",
        "src/moved.rs",
        "src/never.rs",
        "`old_name()`",
        "`new_name()`",
    ];
    let look = || format!("{:?}", check(&project.repo.workspace(), &texts));
    let before = look();
    for branch in ["feature", "lagging", "main", "HEAD~1", "main"] {
        project.git(&["checkout", "-q", branch]);
        assert_eq!(look(), before, "on {branch}");
    }
    assert_eq!(verdict(project.repo.root(), "src/kept.rs"), Verdict::Alive, "main has it");
    assert_eq!(verdict(project.repo.root(), "src/new.rs"), Verdict::Alive, "a branch has it");
}

#[test]
fn new_files_of_the_working_tree_are_there() {
    let project = Project::new();
    project.write("src/a.rs", &source("a"));
    project.write("src/b.rs", "fn here() {}\nfn there_it_was() {}\n");
    project.commit();
    project.delete("src/a.rs");
    project.write("src/b.rs", "fn here() {}\n");
    project.commit();
    assert_eq!(target(&verdict(project.repo.root(), "src/a.rs")), None);
    assert!(is_doubtful(&verdict(project.repo.root(), "`there_it_was()`")));
    project.write("src/a.rs", "not committed: there_it_was\n");
    assert_eq!(verdict(project.repo.root(), "src/a.rs"), Verdict::Alive);
    assert_eq!(verdict(project.repo.root(), "`there_it_was()`"), Verdict::Alive);
    std::fs::remove_file(project.repo.root().join("src/b.rs")).unwrap();
    assert_eq!(verdict(project.repo.root(), "src/b.rs"), Verdict::Alive, "main still has it");
}

#[test]
fn a_name_is_gone_when_the_code_had_it() {
    let project = Project::new();
    project.write(
        "src/a.rs",
        "struct OldThing;\nfn load_it(x: OldThing) { gone_fn(); kept_here(); }\n",
    );
    project.write("CHANGELOG.md", "OldThing and gone_fn, and never_there\n");
    project.write("docs/guide.md", "kept_here() is put together\n");
    project.commit();
    project.write("src/a.rs", "struct NewThing;\nfn load_it(x: NewThing) {  }\n");
    project.commit();
    assert_eq!(verdict(project.repo.root(), "`load_it(x)`"), Verdict::Alive);
    assert_eq!(verdict(project.repo.root(), "`never_there()`"), Verdict::Unknown);
    assert_eq!(verdict(project.repo.root(), "`kept_here()`"), Verdict::Alive, "the guide has it");
    let Verdict::Gone { now, certain: false, .. } =
        verdict(project.repo.root(), "`OldThing::load_it`")
    else {
        panic!("it is gone")
    };
    assert_eq!(now.as_deref(), Some("NewThing::load_it"));
    assert!(is_doubtful(&verdict(project.repo.root(), "`gone_fn()`")));
}

#[test]
fn scripts_and_dependencies_are_gone_when_they_were_declared() {
    let project = Project::new();
    project.write(
        "package.json",
        r#"{"scripts":{"build":"x","lint":"y"},"dependencies":{"left-pad":"1"}}"#,
    );
    project.write("Makefile", "test: all\n\techo\nall:\n\techo\nold: all\nX := 1\n");
    project.write(
        "crates/a/Cargo.toml",
        "[package]\nname = \"a\"\n[dependencies]\nserde_json = \"1\"\nregex = \"1\"\n",
    );
    project.commit();
    project.write("package.json", r#"{"scripts":{"build":"x"},"dependencies":{}}"#);
    project.write("Makefile", "test: all\n\techo\nall:\n\techo\n");
    project.write(
        "crates/a/Cargo.toml",
        "[package]\nname = \"a\"\n[dependencies]\nserde_json = \"1\"\n",
    );
    project.commit();
    for text in ["`npm run build`", "`make test`", "uses `serde-json`"] {
        assert_eq!(verdict(project.repo.root(), text), Verdict::Alive, "{text}");
    }
    for text in ["`npm run lint`", "`make old`", "uses `regex`", "depends on `left-pad`"] {
        assert!(is_doubtful(&verdict(project.repo.root(), text)), "{text}");
    }
    for text in ["`npm run deploy`", "`make X`", "uses `tokio`", "`just test`"] {
        assert_eq!(verdict(project.repo.root(), text), Verdict::Unknown, "{text}");
    }
}

#[test]
fn a_workspace_may_be_a_folder_of_its_repository() {
    let project = Project::new();
    project.write("app/memory/continuity.md", "# Continuity\n");
    project.write("app/src/a.rs", &source("a"));
    project.write("app/src/out.rs", &source("out"));
    project.write("tools/gen.py", &source("gen"));
    project.commit();
    project.rename("app/src/a.rs", "app/src/b.rs");
    project.rename("app/src/out.rs", "shared/out.rs");
    project.rename("tools/gen.py", "tools/make.py");
    let root = project.repo.root().join("app");
    assert_eq!(target(&verdict(&root, "src/a.rs")), Some("src/b.rs"));
    assert_eq!(target(&verdict(&root, "app/src/a.rs")), Some("src/b.rs"));
    assert_eq!(target(&verdict(&root, "src/out.rs")), Some("../shared/out.rs"));
    assert_eq!(target(&verdict(&root, "tools/gen.py")), Some("tools/make.py"));
    assert_eq!(verdict(&root, "../tools/make.py"), Verdict::Alive);
    let workspace = open::at(std::sync::Arc::new(quipu_engine::fs::RealFs), &root).unwrap();
    let workspace = workspace.keeping_state_in(&quipu_testkit::state_home_of(&root));
    let mut linked = item("m", "see [the log](sessions/x.md) and [this](../src/b.rs)");
    linked.place = Some(Place { path: "memory/continuity.md".to_owned(), line: 1 });
    assert_eq!(drift::drift_check(&workspace, &[linked]).score.alive, 1);
}

#[test]
fn without_git_or_a_commit_nothing_is_gone() {
    let repo = TestRepo::new();
    repo.write("src/a.rs", "here\n");
    repo.write("Makefile", "test:\n\techo\n");
    let look = |repo: &TestRepo| {
        let texts = ["src/a.rs", "src/b.rs", "`make test`", "`make all`", "`some_name()`"];
        check(&repo.workspace(), &texts)
    };
    // A repository around the temporary folder would be the workspace's, too.
    let report = look(&repo);
    assert_eq!((report.past, report.score.alive, report.score.unknown), (Past::None, 2, 3));
    git(repo.root(), &["init", "-q"], 0);
    let report = look(&repo);
    assert_eq!((report.past, report.findings.len(), report.score.alive), (Past::None, 0, 2));
}

#[test]
fn a_shallow_clone_knows_only_what_it_has() {
    let project = Project::new();
    project.write("src/early.rs", &source("early"));
    project.write("src/late.rs", &source("late"));
    project.commit();
    project.delete("src/early.rs");
    project.commit();
    project.delete("src/late.rs");
    let clone = TestRepo::new();
    let url = format!("file://{}", project.repo.root().display());
    git(clone.root(), &["clone", "-q", "--depth", "2", &url, "copy"], 0);
    let root = clone.root().join("copy");
    assert_eq!(Evidence::of(&root).past(), Past::CutOff);
    assert_eq!(verdict(&root, "src/early.rs"), Verdict::Unknown);
    assert_eq!(target(&verdict(&root, "src/late.rs")), None);
}

#[test]
fn what_origin_deleted_is_gone_and_what_is_not_pushed_counts() {
    let project = Project::new();
    project.write("src/a.rs", &source("a"));
    project.write("src/b.rs", &source("b"));
    project.commit();
    let clone = TestRepo::new();
    let url = project.repo.root().display().to_string();
    git(clone.root(), &["clone", "-q", &url, "copy"], 0);
    let root = clone.root().join("copy");
    git(&root, &["mv", "src/b.rs", "src/c.rs"], 5);
    git(&root, &["commit", "-q", "-m", "own"], 5);
    assert_eq!(target(&verdict(&root, "src/b.rs")), Some("src/c.rs"));
    project.delete("src/a.rs");
    git(&root, &["fetch", "-q"], 6);
    let Verdict::Gone { certain: false, still_on, .. } = verdict(&root, "src/a.rs") else {
        panic!("it is gone, and one's own branch has it")
    };
    assert_eq!(still_on.as_deref(), Some("main"));
    git(&root, &["merge", "-q", "-m", "both", "origin/main"], 7);
    assert_eq!(target(&verdict(&root, "src/a.rs")), None);
}

#[test]
fn a_branch_that_changed_a_file_keeps_it_alive() {
    let project = Project::new();
    for name in ["a", "b", "c"] {
        project.write(&format!("src/{name}.rs"), &format!("fn gone_{name}() {{}}\n"));
    }
    project.commit();
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.write("src/a.rs", "fn gone_a() {}\nfn more() {}\n");
    project.commit();
    project.git(&["checkout", "-q", "main"]);
    project.delete("src");
    assert_eq!(verdict(project.repo.root(), "src/a.rs"), Verdict::Alive);
    let found = verdict(project.repo.root(), "src/b.rs");
    assert!(is_doubtful(&found), "{found:?}");
    assert!(is_doubtful(&verdict(project.repo.root(), "`gone_b()`")));
    project.git(&["branch", "-q", "-D", "feature"]);
    assert_eq!(target(&verdict(project.repo.root(), "src/a.rs")), None);
    assert_eq!(target(&verdict(project.repo.root(), "src/b.rs")), None);
}

#[test]
fn many_paths_are_judged_as_few_are() {
    let project = Project::new();
    let names: Vec<String> = (0..80).map(|number| format!("src/many/f{number}.rs")).collect();
    for name in &names {
        project.write(name, &source(name));
    }
    project.commit();
    project.rename("src/many/f7.rs", "lib/seven.rs");
    project.rename("lib/seven.rs", "lib/eight.rs");
    project.delete("src/many");
    let texts: Vec<&str> = names.iter().map(String::as_str).chain(["`src/many/`"]).collect();
    let report = check(&project.repo.workspace(), &texts);
    assert_eq!((report.findings.len(), report.score.gone), (81, 81));
    assert_eq!(target(&report.findings[7].verdict), Some("lib/eight.rs"));
    for (text, finding) in texts.iter().zip(&report.findings).step_by(9) {
        assert_eq!(verdict(project.repo.root(), text), finding.verdict, "{text}");
    }
}

#[test]
fn a_branch_that_was_squashed_keeps_nothing_alive() {
    let project = Project::new();
    project.write("src/a.rs", &source("a"));
    project.commit();
    project.git(&["checkout", "-q", "-b", "feature"]);
    project.write("src/a.rs", &source("changed"));
    project.write("src/new.rs", &source("new"));
    project.commit();
    project.git(&["checkout", "-q", "main"]);
    project.git(&["merge", "-q", "--squash", "feature"]);
    project.commit();
    project.delete("src");
    assert!(is_doubtful(&verdict(project.repo.root(), "src/a.rs")));
    assert!(is_doubtful(&verdict(project.repo.root(), "src/new.rs")));
    project.git(&["update-ref", "refs/remotes/origin/feature", "feature"]);
    project.git(&["branch", "-q", "-D", "feature"]);
    assert_eq!(target(&verdict(project.repo.root(), "src/a.rs")), None, "nobody has it on disk");
}

#[test]
fn a_merge_that_deletes_and_a_submodule_kill_nothing_else() {
    let project = Project::new();
    project.write("src/a.rs", &source("a"));
    project.write("src/b.rs", &source("b"));
    project.commit();
    project.git(&["checkout", "-q", "-b", "side"]);
    project.write("src/c.rs", "side\n");
    project.commit();
    project.git(&["checkout", "-q", "main"]);
    project.write("src/d.rs", "main\n");
    project.commit();
    project.git(&["merge", "-q", "--no-commit", "side"]);
    project.git(&["rm", "-q", "src/a.rs"]);
    project.commit();
    let Verdict::Gone { commit: None, certain: true, .. } =
        verdict(project.repo.root(), "src/a.rs")
    else {
        panic!("the merge took it away")
    };
    let other = Project::new();
    other.write("x.rs", "inside\n");
    other.commit();
    project.git(&[
        "submodule",
        "--quiet",
        "add",
        other.repo.root().to_str().unwrap(),
        "vendor/other",
    ]);
    project.commit();
    assert_eq!(verdict(project.repo.root(), "vendor/other/x.rs"), Verdict::Alive);
    assert_eq!(verdict(project.repo.root(), "vendor/other/y.rs"), Verdict::Unknown);
}

#[test]
fn what_is_said_about_the_past_and_what_code_says_are_not_checked() {
    let project = Project::new();
    project.write("src/a.rs", &source("a"));
    project.commit();
    project.delete("src/a.rs");
    let workspace = project.repo.workspace();
    let mut scanned = item("scanned", "src/a.rs");
    scanned.source = Source::CodeScan;
    let mut code = item("code", "src/a.rs");
    code.layer = Layer::Codebase;
    let mut titled = item("titled", "src/a.rs");
    titled.title = "Removed files".to_owned();
    let items = [
        scanned,
        code,
        titled,
        item("past", "We deleted src/a.rs last week."),
        item("stale", "The parser is in `src/a.rs`."),
    ];
    let report = drift::drift_check(&workspace, &items);
    assert_eq!((report.checked, report.claims), (2, 1));
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!(finding.id, "stale");
    assert!(finding.reason.starts_with("`src/a.rs` was deleted in "), "{}", finding.reason);
    assert!(finding.reason.ends_with("(2026-01-01)"), "{}", finding.reason);
    assert!((report.score.value() - 100.0 / 3.0).abs() < 1e-9);
}
