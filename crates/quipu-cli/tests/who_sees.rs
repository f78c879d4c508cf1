//! Who sees what: two projects and a user's own memory, through the command line, MCP and briefings.

use std::path::Path;
use std::process::Command;

use quipu_testkit::TestRepo;
use serde_json::{Value, json};

use crate::mcp::Client;
use crate::{answer, initialised, quipu};

/// Two projects of one user, each with something of every scope.
struct World {
    first: TestRepo,
    second: TestRepo,
    user: TestRepo,
}

/// What is kept, with the words that find it.
const KEPT: [(&str, &str); 5] = [
    ("first-team", "Exports of invoices are streamed"),
    ("first-project", "The staging vault has a green door"),
    ("second-team", "Parcels are weighed in grams"),
    ("second-project", "The label printer sits on floor four"),
    ("user", "Commits should be small and tested"),
];

impl World {
    fn new() -> Self {
        let world = Self { first: initialised(), second: initialised(), user: TestRepo::new() };
        let [(_, team), (_, project), (_, other_team), (_, other), (_, own)] = KEPT;
        world.done(world.first.root(), &["fact", "add", team, "--id", "exports-streamed"]);
        world.done(world.first.root(), &["remember", project, "-c", "learned"]);
        world.done(world.second.root(), &["fact", "add", other_team, "--id", "parcels-grams"]);
        world.done(world.second.root(), &["remember", other, "-c", "learned"]);
        world.done(world.first.root(), &["remember", "--user", own, "-c", "user-preference"]);
        world
    }

    fn command(&self, folder: &Path) -> Command {
        let mut command = quipu(folder);
        command.env("QUIPU_USER_DIR", self.user.root());
        command.env(quipu_engine::state::VARIABLE, self.user.state_home());
        command
    }

    fn done(&self, folder: &Path, arguments: &[&str]) -> String {
        let (code, out, error) = answer(&self.command(folder).args(arguments).output().unwrap());
        assert_eq!(code, 0, "{arguments:?}: {out}{error}");
        out
    }

    fn json(&self, folder: &Path, arguments: &[&str]) -> (i32, Value) {
        let output = self.command(folder).arg("--json").args(arguments).output().unwrap();
        let (code, out, error) = answer(&output);
        let document = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"));
        (code, document)
    }

    fn client(&self, folder: &Path, other: &[&str]) -> Client {
        let mut client = Client::spawn(self.command(folder).arg("mcp").args(other));
        client.shake_hands("test", &json!({}));
        client
    }
}

/// Returns the scope of the answer that says something, where there is one.
fn scope_in(recalled: &Value, words: &str) -> Option<String> {
    let results = recalled["results"].as_array().unwrap();
    let found = results.iter().find(|one| one["text"] == words)?;
    Some(found["scope"].as_str().unwrap().to_owned())
}

#[test]
fn each_scope_is_seen_where_it_should_be_and_nowhere_else() {
    let world = World::new();
    let mut cases = 0;
    for (repo, name) in [(&world.first, "first"), (&world.second, "second")] {
        let mut client = world.client(repo.root(), &[]);
        let briefed = world.done(repo.root(), &["brief"]);
        for (kept, words) in KEPT {
            let (owner, scope) = kept.split_once('-').unwrap_or((name, kept));
            let expected = (owner == name).then(|| scope.to_owned());
            let (_, recalled) = world.json(repo.root(), &["recall", words]);
            assert_eq!(scope_in(&recalled, words), expected, "{name}: recall finds {kept}");
            let told = client.data("recall", json!({ "query": words }));
            assert_eq!(scope_in(&told, words), expected, "{name}: MCP finds {kept}");
            assert_eq!(briefed.contains(words), expected.is_some(), "{name}: {kept}: {briefed}");
            cases += 3;
        }
    }
    assert_eq!(cases, 30);
}

#[test]
fn a_briefing_over_mcp_names_the_scope_and_other_channels_hear_nothing_private() {
    let world = World::new();
    let mut client = world.client(world.second.root(), &["--profile", "full"]);
    let text = client.data("brief", json!({}))["text"].as_str().unwrap().to_owned();
    let (before, own) = text.split_once("Yours, in every project (user scope):").unwrap();
    assert!(own.contains("Commits should be small"), "{text}");
    assert!(before.contains("label printer") && !text.contains("green door"), "{text}");
    let mut other = world.client(world.first.root(), &["--channel", "other"]);
    for words in ["staging vault green door", "Commits should be small"] {
        let told = other.data("recall", json!({ "query": words }));
        assert_eq!(told["results"].as_array().unwrap().len(), 0, "{told}");
    }
}

#[test]
fn undo_takes_back_what_was_done_last_in_whichever_scope() {
    let world = World::new();
    let here = world.second.root();
    let (_, listed) = world.json(here, &["undo", "--list"]);
    let scopes: Vec<&Value> =
        listed["history"].as_array().unwrap().iter().map(|one| &one["scope"]).collect();
    assert!(scopes.contains(&&json!("user")) && scopes.contains(&&Value::Null), "{listed}");
    let (_, undone) = world.json(here, &["undo"]);
    assert_eq!(undone["undone"]["operation"], "remember");
    let (_, recalled) = world.json(here, &["recall", KEPT[4].1]);
    assert_eq!(scope_in(&recalled, KEPT[4].1), None, "{undone}");
    let (_, recalled) = world.json(here, &["recall", KEPT[3].1]);
    assert_eq!(scope_in(&recalled, KEPT[3].1), Some("project".to_owned()));
    world.json(here, &["redo"]);
    let (_, recalled) = world.json(here, &["recall", KEPT[4].1]);
    assert_eq!(scope_in(&recalled, KEPT[4].1), Some("user".to_owned()));
}

#[test]
fn what_a_project_says_against_the_users_own_memory_is_a_question_that_decides_nothing_elsewhere() {
    let world = World::new();
    let (_, own) = world.json(
        world.first.root(),
        &["remember", "--user", "-c", "decision", "The gateway listens on port 7000"],
    );
    let (_, new) = world.json(
        world.second.root(),
        &["remember", "-c", "decision", "The gateway listens on port 8000"],
    );
    assert_eq!(new["contradicts"], json!([own["id"]]), "{new}");
    let (_, asked) = world.json(world.second.root(), &["questions"]);
    let question = &asked["questions"][0];
    assert_eq!(question["subjects"][0]["text"], "The gateway listens on port 7000", "{asked}");
    let newer = question["choices"][0]["does"].as_str().unwrap();
    assert!(newer.contains("yours in every project"), "{newer}");
    let id = question["id"].as_str().unwrap();
    world.done(world.second.root(), &["answer", id, "newer"]);
    let (_, recalled) = world.json(world.first.root(), &["recall", "gateway port"]);
    let own = "The gateway listens on port 7000";
    assert_eq!(scope_in(&recalled, own), Some("user".to_owned()), "{recalled}");
}

#[test]
fn a_purged_value_is_gone_from_the_users_own_memory_too() {
    let world = World::new();
    let value = "tangerine-4711";
    let words = format!("The door code is {value}");
    world.done(world.first.root(), &["remember", &words]);
    world.done(world.first.root(), &["remember", "--user", &words]);
    let mut command = world.command(world.first.root());
    command.args(["purge", "--value", "--reason", "leaked", "--yes"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), value.as_bytes()).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    for folder in [world.first.root(), world.user.root(), world.user.state_home()] {
        for (path, bytes) in quipu_testkit::repo::files_in(folder) {
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(value), "{path} in {} has it", folder.display());
        }
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let names = ["-c", "user.name=n", "-c", "user.email=n@example.com"];
    let mut command = Command::new("git");
    let done = command.args(names).args(arguments).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn worktrees_share_the_private_memory_of_the_main_checkout() {
    let world = World::new();
    let main = world.first.root();
    git(main, &["init", "-q"]);
    git(main, &["add", "memory/continuity.md", ".agent"]);
    git(main, &["commit", "-qm", "x"]);
    let worktree = world.user.state_home().join("worktree");
    git(main, &["worktree", "add", "-q", worktree.to_str().unwrap()]);
    world.done(&worktree, &["remember", "The kettle is on the roof"]);
    assert!(!worktree.join("MEMORY.md").exists());
    assert!(world.first.read("MEMORY.md").contains("kettle"));
    for words in ["The kettle is on the roof", KEPT[1].1] {
        let (_, recalled) = world.json(&worktree, &["recall", words]);
        assert_eq!(scope_in(&recalled, words), Some("project".to_owned()), "{recalled}");
    }
    let briefed = world.done(&worktree, &["brief"]);
    assert!(briefed.contains("kettle") && briefed.contains("green door"), "{briefed}");
    world.done(&worktree, &["undo"]);
    assert!(!world.first.read("MEMORY.md").contains("kettle"));
}

#[test]
fn facts_shared_from_a_worktree_are_on_its_branch_and_private_words_in_the_main_checkout() {
    let world = World::new();
    let main = world.first.root();
    git(main, &["init", "-q"]);
    git(main, &["add", "memory/continuity.md", ".agent"]);
    git(main, &["commit", "-qm", "x"]);
    let worktree = world.user.state_home().join("worktree");
    git(main, &["worktree", "add", "-q", worktree.to_str().unwrap()]);
    let facts = |folder: &Path| std::fs::read_to_string(folder.join("memory/continuity.md"));
    let (_, private) = world.json(&worktree, &["remember", "Kettles are on the roof"]);
    let id = private["id"].as_str().unwrap();
    let status = || world.json(main, &["show", id]).1["status"].clone();
    world.done(&worktree, &["share", id, "--as", "kettles-roof"]);
    assert!(facts(&worktree).unwrap().contains("kettles-roof"));
    assert!(!facts(main).unwrap().contains("kettles-roof"), "another branch");
    assert_eq!(status(), "superseded");
    let (_, listed) = world.json(&worktree, &["undo", "--list"]);
    let shares = listed["history"].as_array().unwrap().iter();
    assert_eq!(shares.filter(|one| one["operation"] == "share").count(), 1, "{listed}");
    world.done(&worktree, &["undo"]);
    assert_eq!(
        (facts(&worktree).unwrap().contains("kettles-roof"), status()),
        (false, json!("active"))
    );
    world.done(&worktree, &["redo"]);
    assert_eq!(
        (facts(&worktree).unwrap().contains("kettles-roof"), status()),
        (true, json!("superseded"))
    );
    world.done(&worktree, &["unshare", "kettles-roof"]);
    assert!(!worktree.join("MEMORY.md").exists());
    let index = std::fs::read_to_string(worktree.join("memory/archive/INDEX.md")).unwrap();
    assert!(index.contains("— unshared —"), "{index}");
    let copies = world.first.read("MEMORY.md").matches("Kettles are on the roof").count();
    assert_eq!(copies, 2, "the first one, and the copy");
    world.done(&worktree, &["undo"]);
    assert_eq!(world.first.read("MEMORY.md").matches("Kettles are on the roof").count(), 1);
    assert!(facts(&worktree).unwrap().contains("kettles-roof"));
}

#[test]
fn a_command_in_a_worktree_leaves_facts_of_the_main_checkout_alone() {
    let world = World::new();
    let main = world.first.root();
    git(main, &["init", "-q"]);
    git(main, &["add", "memory/continuity.md", ".agent"]);
    git(main, &["commit", "-qm", "x"]);
    let worktree = world.user.state_home().join("worktree");
    git(main, &["worktree", "add", "-q", worktree.to_str().unwrap()]);
    world.done(main, &["fact", "add", "Kettles are on the roof", "--id", "kettles-roof"]);
    let before = world.first.read("memory/continuity.md");
    for command in [&["forget", "kettles-roof"][..], &["fact", "core", "kettles-roof"]] {
        let (code, refused) = world.json(&worktree, command);
        assert_eq!(code, 3, "{command:?}: {refused}");
    }
    assert_eq!(world.first.read("memory/continuity.md"), before);
}

#[test]
fn a_git_file_that_nobody_points_back_at_leads_nowhere() {
    let world = World::new();
    let main = world.first.root();
    git(main, &["init", "-q"]);
    git(main, &["add", "memory/continuity.md"]);
    git(main, &["commit", "-qm", "x"]);
    let worktree = world.user.state_home().join("worktree");
    git(main, &["worktree", "add", "-q", worktree.to_str().unwrap()]);
    let forged = initialised();
    let link = std::fs::read(worktree.join(".git")).unwrap();
    std::fs::write(forged.root().join(".git"), link).unwrap();
    world.done(forged.root(), &["remember", "The kettle is on the roof"]);
    assert!(forged.read("MEMORY.md").contains("kettle"));
    let (_, recalled) = world.json(forged.root(), &["recall", KEPT[1].1]);
    assert_eq!(scope_in(&recalled, KEPT[1].1), None, "{recalled}");
}

#[test]
fn a_fresh_clone_is_told_that_its_private_memory_is_empty() {
    let world = World::new();
    let here = world.first.root();
    world.done(here, &["session", "start", "--agent", "codex"]);
    world.done(here, &["session", "note", "looked around"]);
    world.done(here, &["session", "end"]);
    git(here, &["init", "-q"]);
    git(here, &["add", "memory/continuity.md", "memory/sessions", ".agent"]);
    git(here, &["commit", "-qm", "x"]);
    let clone = world.user.state_home().join("clone");
    git(here, &["clone", "-q", ".", clone.to_str().unwrap()]);
    let note = "Project memory is empty in this clone.";
    assert!(world.done(&clone, &["brief"]).contains(note));
    assert!(!world.done(here, &["brief"]).contains(note));
    world.done(&clone, &["remember", "The kettle is on the roof"]);
    assert!(!world.done(&clone, &["brief"]).contains(note));
}

#[test]
fn an_answer_about_a_fact_is_in_the_log_and_nobody_else_is_asked() {
    let world = World::new();
    let here = world.first.root();
    git(here, &["init", "-q"]);
    world.first.write("src/lock.rs", "pub fn lock() {}\n");
    world.done(here, &["fact", "add", "Locking lives in src/lock.rs", "--id", "locking-place"]);
    git(here, &["add", "."]);
    git(here, &["commit", "-qm", "x"]);
    git(here, &["rm", "-q", "src/lock.rs"]);
    git(here, &["commit", "-qm", "y"]);
    world.done(here, &["drift", "--fix"]);
    let asked = |folder: &Path| world.json(folder, &["questions"]).1["questions"].clone();
    let id = asked(here)[0]["id"].as_str().unwrap().to_owned();
    world.done(here, &["answer", &id, "fine", "--reason", "it comes back"]);
    world.done(here, &["session", "start", "--agent", "codex"]);
    world.done(here, &["session", "end"]);
    let logs = std::fs::read_dir(here.join("memory/sessions")).unwrap();
    let log = logs.map(|log| std::fs::read_to_string(log.unwrap().path()).unwrap());
    let log = log.collect::<String>();
    assert!(log.contains(&format!("- Answered {id}: fine (it comes back).")), "{log}");
    git(here, &["add", "memory/sessions", "memory/continuity.md"]);
    git(here, &["commit", "-qm", "z"]);
    let clone = world.user.state_home().join("clone");
    git(here, &["clone", "-q", ".", clone.to_str().unwrap()]);
    world.json(&clone, &["drift", "--fix"]);
    assert_eq!(asked(&clone), json!([]));
}

#[test]
fn a_journal_that_git_tracks_is_not_written_to_unless_its_user_says_so() {
    let repo = initialised();
    git(repo.root(), &["init", "-q"]);
    repo.write("MEMORY.md", "my own notes\n");
    git(repo.root(), &["add", "-f", "MEMORY.md"]);
    let (code, _, error) = crate::run(repo.root(), &["remember", "The kettle is on the roof"]);
    assert_eq!((code, error.contains("git tracks `MEMORY.md`")), (3, true), "{error}");
    assert_eq!(repo.read("MEMORY.md"), "my own notes\n");
    let (_, text, _) = crate::run(repo.root(), &["lint"]);
    assert!(text.contains("tracked-journal"), "{text}");
    repo.write("quipu.toml", "[journal]\ntracked = true\n");
    let (code, ..) = crate::run(repo.root(), &["remember", "The kettle is on the roof"]);
    assert_eq!(code, 3, "a repository cannot allow it");
    repo.write(crate::USER_SETTINGS, "[journal]\ntracked = true\n");
    let (code, _, error) = crate::run(repo.root(), &["remember", "The kettle is on the roof"]);
    assert_eq!((code, error.contains("committed")), (0, true), "{error}");
}

#[test]
fn hooks_brief_and_answer_from_the_users_own_memory_too() {
    let world = World::new();
    let hook = |event: &str, name: &str, more: Value| {
        let mut payload = json!({
            "session_id": "s-1", "transcript_path": "/nowhere.jsonl", "cwd": world.second.root(),
            "permission_mode": "default", "hook_event_name": name,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut command = world.command(world.second.root());
        command.args(["hook", "claude-code", event]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut to = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut to, payload.to_string().as_bytes()).unwrap();
        drop(to);
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let own = "Commits should be small and tested";
    let prompt = json!({ "prompt": "Should commits here be small and tested, or large?" });
    let told = hook("prompt", "UserPromptSubmit", prompt);
    assert!(told.contains(own) && told.contains(", user)"), "{told}");
    let started = hook("session-start", "SessionStart", json!({ "source": "startup" }));
    assert!(started.contains(own) && started.contains("user scope"), "{started}");
}
