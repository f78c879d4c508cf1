//! Who sees what: a team's facts, a project's private memory, and the user's own in every project.

use std::path::Path;

use quipu_testkit::TestRepo;
use quipu_testkit::repo::files_in;
use serde_json::Value;

use crate::{initialised, json, quipu, run};

/// Two projects of one user.
struct Projects {
    first: TestRepo,
    second: TestRepo,
    user: TestRepo,
}

impl Projects {
    fn new() -> Self {
        Self { first: initialised(), second: initialised(), user: TestRepo::new() }
    }

    fn json(&self, folder: &Path, arguments: &[&str]) -> (i32, Value) {
        let mut command = quipu(folder);
        command.env("QUIPU_USER_DIR", self.user.root()).arg("--json").args(arguments);
        command.env(quipu_engine::state::VARIABLE, self.user.state_home());
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let document = serde_json::from_str(&text)
            .unwrap_or_else(|why| panic!("{arguments:?}: {why}: {text}{error}"));
        (output.status.code().unwrap(), document)
    }

    fn in_first(&self, arguments: &[&str]) -> Value {
        let (code, answer) = self.json(self.first.root(), arguments);
        assert_eq!(code, 0, "{arguments:?}: {answer}");
        answer
    }
}

fn id(answer: &Value) -> &str {
    answer["id"].as_str().unwrap()
}

#[test]
fn what_is_kept_for_every_project_is_found_by_id_from_each_and_from_outside() {
    let on = Projects::new();
    assert!(files_in(on.user.root()).is_empty());
    let kept = on.in_first(&["remember", "--user", "I prefer small commits"]);
    assert_eq!(kept["scope"], "user");
    let private = on.in_first(&["remember", "The staging key is in the green vault"]);
    assert_eq!(private["scope"], "project");
    assert!(!on.first.read("MEMORY.md").contains("small commits"));
    assert!(on.user.read("MEMORY.md").contains("small commits"));
    for folder in [on.first.root(), on.second.root(), on.user.root().parent().unwrap()] {
        let (code, shown) = on.json(folder, &["show", id(&kept)]);
        assert_eq!((code, &shown["text"]), (0, &"I prefer small commits".into()), "{shown}");
    }
    let (code, refused) = on.json(on.second.root(), &["show", id(&private)]);
    assert_eq!((code, &refused["error"]["code"]), (3, &"unknown-id".into()), "{refused}");
}

#[test]
fn decisions_about_the_users_own_memory_are_made_and_taken_back_from_any_project() {
    let on = Projects::new();
    let kept = on.in_first(&["remember", "--user", "I prefer small commits"]);
    let window = on.user.read("MEMORY.md");
    let (_, pinned) = on.json(on.second.root(), &["edit", id(&kept), "--text", "I like tea"]);
    assert!(on.user.read("MEMORY.md").contains("I like tea"), "{pinned}");
    let change = pinned["change"].as_str().unwrap();
    let (code, undone) = on.json(on.second.root(), &["undo", change]);
    assert_eq!(code, 0, "{undone}");
    assert_eq!(on.user.read("MEMORY.md"), window);
    let (code, _) = on.json(on.second.root(), &["undo", "--scope", "user"]);
    assert_eq!((code, on.user.root().join("MEMORY.md").exists()), (0, false));
}

#[test]
fn a_project_knows_nothing_of_the_user_where_nothing_was_kept() {
    let on = Projects::new();
    let (code, refused) = on.json(on.first.root(), &["--scope", "user", "recall", "commits"]);
    assert_eq!((code, &refused["error"]["code"]), (3, &"empty-user-scope".into()), "{refused}");
    assert!(files_in(on.user.root()).is_empty(), "a question makes no folder");
    let (code, _, error) = run(on.user.root(), &["remember", "x is y"]);
    assert_eq!((code, error.contains("--user")), (2, true), "{error}");
}

#[test]
fn a_private_memory_becomes_a_fact_of_the_team_and_back() {
    let on = Projects::new();
    let private = on.in_first(&["remember", "Exports are streamed, never built in memory"]);
    let shared = on.in_first(&["share", id(&private), "--as", "exports-are-streamed"]);
    assert_eq!(
        (&shared["id"], &shared["shared"]),
        (&"exports-are-streamed".into(), &private["id"])
    );
    assert!(on.first.read("memory/continuity.md").contains("Exports are streamed"));
    let (_, shown) = on.json(on.first.root(), &["show", id(&private)]);
    assert_eq!(shown["status"], "superseded", "{shown}");
    let (code, again) = on.json(on.first.root(), &["share", "exports-are-streamed"]);
    assert_eq!((code, &again["error"]["code"]), (3, &"scope".into()), "{again}");
    let back = on.in_first(&["unshare", "exports-are-streamed"]);
    assert!(!on.first.read("memory/continuity.md").contains("Exports are streamed"));
    let (_, copy) = on.json(on.first.root(), &["show", id(&back)]);
    assert_eq!(copy["text"], "Exports are streamed, never built in memory");
    let (code, _) = on.json(on.first.root(), &["undo"]);
    assert_eq!(code, 0);
    assert!(on.first.read("memory/continuity.md").contains("Exports are streamed"));
    on.in_first(&["undo"]);
    let (_, shown) = on.json(on.first.root(), &["show", id(&private)]);
    assert_eq!(shown["status"], "active", "one undo takes back the fact and the mark: {shown}");
}

#[test]
fn a_shared_memory_is_checked_against_the_facts_first() {
    let on = Projects::new();
    on.in_first(&["fact", "add", "Access tokens live for 15 minutes", "--id", "token-life"]);
    let private = on.in_first(&["remember", "Access tokens live for 30 minutes"]);
    let (code, stopped) = on.json(on.first.root(), &["share", id(&private)]);
    assert_eq!((code, &stopped["added"]), (1, &false.into()), "{stopped}");
    let shared = on.in_first(&["share", id(&private), "--supersedes", "token-life"]);
    assert_eq!(shared["added"], true);
}

#[test]
fn what_is_the_users_own_stays_theirs_when_it_is_shared() {
    let on = Projects::new();
    let kept = on.in_first(&["remember", "--user", "Commits are small and tested"]);
    let shared = on.in_first(&["share", id(&kept)]);
    assert_eq!(shared["stays"], true);
    let (_, shown) = on.json(on.second.root(), &["show", id(&kept)]);
    assert_eq!(shown["status"], "active");
}

#[test]
fn the_users_own_memory_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let on = Projects::new();
    let user = on.user.root().join("of/me");
    let mut command = quipu(on.first.root());
    command.env("QUIPU_USER_DIR", &user).args(["remember", "--user", "I like tea"]);
    assert!(command.status().unwrap().success());
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&user), 0o700);
    for (path, _) in files_in(&user.join("memory")) {
        if !path.ends_with(".gitignore") {
            assert_eq!(mode(&user.join("memory").join(&path)), 0o600, "{path}");
        }
    }
}

#[test]
fn one_question_is_answered_by_all_three_scopes_and_each_answer_says_from_which() {
    let on = Projects::new();
    on.in_first(&["fact", "add", "Exports of invoices are streamed", "--id", "exports-streamed"]);
    on.in_first(&["remember", "Exports of invoices took nine minutes today"]);
    on.in_first(&[
        "remember",
        "--user",
        "Exports of invoices should have semicolons, I prefer that",
    ]);
    let scopes = |folder: &Path, more: &[&str]| {
        let (_, answer) = on.json(folder, &[&["recall", "exports of invoices"], more].concat());
        let results = answer["results"].as_array().unwrap();
        let all = results.iter().map(|one| one["scope"].as_str().unwrap().to_owned());
        all.collect::<std::collections::BTreeSet<_>>()
    };
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(scopes(on.first.root(), &[]), all(&["project", "team", "user"]));
    assert_eq!(scopes(on.first.root(), &["--scope", "team"]), all(&["team"]));
    assert_eq!(scopes(on.first.root(), &["--scope", "user"]), all(&["user"]));
    assert_eq!(scopes(on.second.root(), &[]), all(&["user"]));
    let (_, text, _) = {
        let mut command = quipu(on.second.root());
        command.env("QUIPU_USER_DIR", on.user.root()).args(["recall", "exports of invoices"]);
        crate::answer(&command.output().unwrap())
    };
    assert!(text.contains("yours in every project"), "{text}");
}

#[test]
fn only_json_names_of_scopes_are_understood() {
    let (code, _, error) = run(initialised().root(), &["--scope", "mine", "status"]);
    assert_eq!((code, error.contains("team, project or user")), (2, true), "{error}");
    assert_eq!(json(initialised().root(), &["--scope", "project", "status"]).0, 0);
}
