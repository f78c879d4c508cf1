//! Set-up that nobody else has to notice: what a teammate without Quipu finds in a clone.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quipu_setup::install::CLIENTS;
use quipu_testkit::TestRepo;
use serde_json::{Value, json};

use crate::{answer, quipu};

fn git(root: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-C"])
        .arg(root)
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Every configuration file below a folder.
fn configurations(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().unwrap() != ".git" {
                open.push(path);
            } else if ["json", "jsonc", "toml", "yaml"]
                .contains(&path.extension().unwrap_or_default().to_str().unwrap())
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns every hook command and every server command line in a document.
fn commands(document: &Value, hooks: &mut Vec<String>, servers: &mut Vec<Vec<String>>) {
    let texts = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        all.map(str::to_owned).collect()
    };
    match document {
        Value::Array(all) => all.iter().for_each(|one| commands(one, hooks, servers)),
        Value::Object(fields) => {
            for key in ["command", "bash"] {
                match fields.get(key) {
                    Some(Value::String(line)) if line.contains(" hook ") => {
                        hooks.push(line.clone());
                    }
                    Some(Value::String(program)) => {
                        let mut line = vec![program.clone()];
                        line.extend(texts(fields.get("args").unwrap_or(&Value::Null)));
                        servers.push(line);
                    }
                    Some(list) => servers.push(texts(list)),
                    None => {}
                }
            }
            fields.values().for_each(|one| commands(one, hooks, servers));
        }
        _ => {}
    }
}

/// Runs a program with nothing of Quipu on its path; returns exit code, stdout and stderr.
fn without_quipu(folder: &Path, line: &[String], input: &str) -> (i32, String, String) {
    let mut child = Command::new(&line[0])
        .args(&line[1..])
        .current_dir(folder)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A hook that is not there reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    answer(&child.wait_with_output().unwrap())
}

#[test]
fn a_clone_of_a_repo_set_up_for_the_team_is_quiet_where_quipu_is_not_installed() {
    let (project, home) = (TestRepo::new(), TestRepo::new());
    git(project.root(), &["init", "-q"]);
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    for arguments in [
        &["init"][..],
        &["git", "install"],
        &[&["install", "--for", "team", "--yes", "--after-tool", "--command", "quipu"], &names[..]]
            .concat(),
        &["install", "copilot", "--for", "team", "--yes", "--command", "quipu"],
    ] {
        let done = quipu(project.root()).env("HOME", home.root()).args(arguments).output().unwrap();
        let (code, out, error) = answer(&done);
        assert!(code == 0, "{arguments:?}: {out}{error}");
    }
    git(project.root(), &["add", "."]);
    // The hook of git is guarded too: this one runs where `quipu` is not on the path.
    git(project.root(), &["commit", "-q", "-m", "set up"]);
    let clone = TestRepo::new();
    git(clone.root(), &["clone", "-q", project.root().to_str().unwrap(), "clone"]);
    let folder = clone.root().join("clone");
    let (mut hooks, mut servers) = (Vec::new(), Vec::new());
    let files = configurations(&folder);
    assert!(files.len() >= 12, "{files:?}");
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let document: Value = match path.extension().unwrap().to_str().unwrap() {
            "toml" => serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap(),
            "yaml" => {
                // Continue's file: two lines tell what it starts.
                let value = |key: &str| -> Value {
                    let line = text.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap();
                    serde_json::from_str(line).unwrap()
                };
                json!({ "command": value("command: "), "args": value("args: ") })
            }
            _ => serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        };
        commands(&document, &mut hooks, &mut servers);
    }
    assert!(hooks.len() >= 20 && servers.len() >= 10, "{hooks:?} {servers:?}");
    for line in &hooks {
        for shell in ["sh", "bash"] {
            let parts = [shell, "-c", line].map(str::to_owned);
            let told = without_quipu(&folder, &parts, "{\"session_id\":\"s\"}");
            assert_eq!(told, (0, String::new(), String::new()), "{line}");
        }
    }
    let asked = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"method": "tools/list", "params": {}, "jsonrpc": "2.0", "id": "a-1"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}),
    ];
    let asked = asked.map(|one| one.to_string()).join("\n") + "\n";
    for line in &servers {
        let (code, out, error) = without_quipu(&folder, line, &asked);
        assert_eq!((code, &*error), (0, ""), "{line:?}");
        let told: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{out}")))
            .collect();
        assert_eq!(told.len(), 3, "{out}");
        assert_eq!(told[0]["result"]["protocolVersion"], "2025-03-26", "{out}");
        assert_eq!((&told[1]["id"], &told[1]["result"]["tools"]), (&json!("a-1"), &json!([])));
        assert_eq!(told[2]["id"], 2);
    }
}

#[test]
fn what_an_older_quipu_wrote_is_recognised_brought_up_to_date_and_comes_back() {
    let (project, home) = (TestRepo::new(), TestRepo::new());
    let done = |arguments: &[&str]| {
        let output = quipu(project.root()).env("HOME", home.root()).args(arguments).output();
        let (code, out, error) = answer(&output.unwrap());
        assert!(code == 0, "{arguments:?}: {out}{error}");
        out
    };
    let theirs = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"quipu hook cursor stop\", \"timeout\": 10 }\n    ]\n  }\n}\n";
    project.write(".cursor/hooks.json", theirs);
    project.write(
        ".cursor/mcp.json",
        "{\"mcpServers\": {\"quipu\": {\"command\": \"quipu\", \"args\": [\"mcp\"]}}}",
    );
    let before = project.files();
    done(&["install", "cursor", "--for", "team", "--yes", "--command", "quipu"]);
    let hooks = project.read(".cursor/hooks.json");
    assert_eq!(hooks.matches("hook cursor stop").count(), 1, "{hooks}");
    assert!(hooks.contains("|| exit 0; exec quipu hook cursor stop"), "{hooks}");
    assert!(project.read(".cursor/mcp.json").contains("exec quipu mcp"));
    done(&["uninstall", "cursor", "--yes"]);
    assert_eq!(project.files(), before);
    // What this machine wrote without a guard is as it wants it.
    done(&[
        "install",
        "cursor",
        "--for",
        "team",
        "--yes",
        "--plain",
        "--force",
        "--command",
        "/bin/sh",
    ]);
    done(&["install", "--check"]);
    done(&["uninstall", "cursor", "--yes"]);
    assert_eq!(project.files(), before);
}

#[test]
fn whoever_sets_up_twice_hears_what_to_do() {
    let (project, home) = (TestRepo::new(), TestRepo::new());
    let done = |arguments: &[&str]| {
        let output = quipu(project.root()).env("HOME", home.root()).args(arguments).output();
        let (code, out, error) = answer(&output.unwrap());
        assert!(code == 0, "{arguments:?}: {out}{error}");
        out
    };
    let out = done(&["install", "cursor", "--for", "me", "--yes", "--command", "/bin/sh"]);
    assert!(!out.contains("twice"), "{out}");
    assert!(!out.contains("asks once"), "the home folder is trusted: {out}");
    let out = done(&["install", "cursor", "--for", "team", "--yes", "--command", "/bin/sh"]);
    assert!(
        out.contains("Cursor is connected for you in every project too, so its hooks run twice"),
        "{out}"
    );
    assert!(out.contains("`quipu uninstall cursor --user`"), "{out}");
    let out = done(&["install", "cursor", "--for", "me", "--yes", "--command", "/bin/sh"]);
    assert!(
        out.contains("nothing to change") && out.contains("for the team in this project too"),
        "{out}"
    );
}

/// Runs a command in a repo; returns exit code, stdout and stderr.
fn told(repo: &TestRepo, arguments: &[&str]) -> (i32, String, String) {
    crate::run(repo.root(), arguments)
}

#[test]
fn init_writes_five_files_and_says_why() {
    let repo = TestRepo::new();
    let (code, out, _) = told(&repo, &["init"]);
    assert_eq!(code, 0, "{out}");
    let files: Vec<String> =
        repo.files().into_keys().filter(|path| !path.starts_with(".quipu")).collect();
    let expected = [
        ".agent/version.md",
        ".gitignore",
        "AGENTS.md",
        "memory/PROTOCOL.md",
        "memory/continuity.md",
    ];
    assert_eq!(files, expected);
    for path in expected {
        let line = out.lines().find(|line| line.contains(path)).unwrap();
        assert!(line.contains('('), "no reason: {line}");
    }
    assert!(!out.contains("mode") && out.contains("quipu install"), "{out}");
    for command in [
        &["fact", "add", "Orders are never deleted", "--id", "orders-stay"][..],
        &["review"],
        &["lint"],
        &["brief"],
        &["status"],
    ] {
        let (code, out, error) = told(&repo, command);
        assert_eq!(code, 0, "{command:?}: {out}{error}");
    }
}

#[test]
fn rules_of_other_tools_stay_where_they_are_unless_somebody_says_otherwise() {
    let written =
        "Use tabs for indentation\nnever use default exports\nprefer const\nAll dates are in UTC\n";
    for said in [
        &[][..],
        &["--yes"],
        &["--existing", "keep"],
        &["--existing", "copy"],
        &["--existing", "move"],
    ] {
        let repo = TestRepo::new();
        repo.write("CLAUDE.md", "# C\n\n- Squash before merging\n");
        repo.write(".cursorrules", written);
        let (code, out, error) = told(&repo, &[&["init"], said].concat());
        assert_eq!(code, 0, "{said:?}: {out}{error}");
        let is_moved = said.contains(&"move");
        let is_read = is_moved || said.contains(&"copy");
        assert_eq!(repo.root().join(".cursorrules").exists(), !is_moved, "{said:?}");
        assert_eq!(repo.read("CLAUDE.md").contains("Squash before"), !is_moved, "{said:?}");
        let facts = repo.read("memory/continuity.md");
        for rule in ["Squash before merging", "never use default exports", "All dates are in UTC"] {
            assert_eq!(facts.contains(rule), is_read, "{said:?}: {rule}");
        }
        let (code, out, error) = told(&repo, &["fact", "add", "Orders are never deleted"]);
        assert_eq!(code, 0, "a working memory: {said:?}: {out}{error}");
    }
}

#[test]
fn tools_that_do_not_read_agents_md_get_a_pointer_where_they_are_used() {
    let repo = TestRepo::new();
    repo.write(".claude/settings.json", "{}\n");
    let before = repo.files();
    assert_eq!(told(&repo, &["init"]).0, 0);
    assert!(repo.read("CLAUDE.md").contains("\n@AGENTS.md\n"));
    assert!(!repo.root().join("GEMINI.md").exists());
    assert_eq!(told(&repo, &["init", "--client", "gemini"]).0, 0);
    assert!(repo.read("GEMINI.md").contains("\n@./AGENTS.md\n"));
    assert!(told(&repo, &["init"]).1.contains("up to date"));
    assert_eq!(told(&repo, &["uninstall", "--yes"]).0, 0);
    assert_eq!(repo.files(), before);
}

#[test]
fn a_file_of_their_own_that_does_not_lead_to_the_memory_is_named() {
    let repo = TestRepo::new();
    repo.write("CLAUDE.md", "# C\n\n- Squash before merging\n");
    repo.write(".claude/settings.json", "{}\n");
    let (_, out, _) = told(&repo, &["init"]);
    assert!(out.contains("Claude Code reads CLAUDE.md and not AGENTS.md"), "{out}");
    assert!(out.contains("`@AGENTS.md`") && out.contains("quipu install"), "{out}");
    let repo = TestRepo::new();
    repo.write("CLAUDE.md", "# C\n\n@AGENTS.md\n");
    repo.write(".claude/settings.json", "{}\n");
    let (_, out, _) = told(&repo, &["init"]);
    assert!(!out.contains("and not AGENTS.md"), "{out}");
}

#[test]
fn rules_that_were_taken_over_are_no_findings() {
    let repo = TestRepo::new();
    let rules: Vec<String> =
        (1..=9).map(|n| format!("- Règle {n}: gérer le module {n} à part\n")).collect();
    repo.write("CLAUDE.md", &format!("# C\n\n{}", rules.concat()));
    assert_eq!(told(&repo, &["init", "--existing", "copy"]).0, 0);
    let (code, out, _) = told(&repo, &["lint"]);
    assert!(code == 0 && !out.contains("unknown-origin"), "{out}");
    assert!(out.lines().count() < 12, "one sort of warning fills the screen: {out}");
    let facts = repo.read("memory/continuity.md");
    assert!(facts.contains("id: regle-1") && facts.contains("gerer"), "{facts}");
    let (_, out, _) = told(&repo, &["recall", "gérer", "le", "module"]);
    assert!(out.contains("learned from legacy/claude/CLAUDE.md"), "{out}");
}

#[test]
fn the_originals_own_pointers_are_no_rules() {
    let repo = TestRepo::new();
    let pointer = "# x — Claude Code\n\nThis project uses the agent-memory shared memory system. **Follow\n[`memory/PROTOCOL.md`](./memory/PROTOCOL.md) first.**\n\n@AGENTS.md\n@memory/continuity.md\n\nIdentify yourself as **Claude Code** in all session logs.\n";
    repo.write("CLAUDE.md", pointer);
    repo.write(".windsurfrules", "Read AGENTS.md first: it has the memory protocol.\n\nIdentify yourself as Windsurf in all session logs.\n");
    let (code, out, error) = told(&repo, &["init", "--existing", "move"]);
    assert_eq!(code, 0, "{out}{error}");
    assert_eq!(repo.read("CLAUDE.md"), pointer);
    assert!(!repo.root().join("legacy").exists(), "{out}");
    assert!(out.contains("CLAUDE.md is agent-memory's own"), "{out}");
}

#[test]
fn an_older_original_keeps_its_rules_and_its_stamp() {
    let repo = TestRepo::new();
    let stamp = "# agent-memory install manifest\n\n- **version:** 4.20.0\n";
    repo.write(".agent/version.md", stamp);
    repo.write("DECAY.md", "# DECAY\n");
    repo.write("REVIEW.md", "# REVIEW\n");
    repo.write("memory/continuity.md", "# C\n\n## Project State\n\n- **project:** x\n\n## Key Decisions\n\n- Orders are never deleted\n  <!-- id: orders | created: 2026-06-01 | last_used: 2026-06-01 | uses: 1 | tier: working -->\n");
    let (code, out, error) = told(&repo, &["init"]);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("the rules in DECAY.md and REVIEW.md stay in force"), "{out}");
    assert_eq!(repo.read(".agent/version.md"), stamp);
    assert!(!repo.root().join("memory/PROTOCOL.md").exists());
    let block = repo.read("AGENTS.md");
    assert!(
        block.contains("the rules are in `DECAY.md` and `REVIEW.md`")
            && !block.contains("PROTOCOL"),
        "{block}"
    );
    let files = repo.files();
    assert_eq!(told(&repo, &["init"]).0, 0);
    assert_eq!(repo.files(), files);
}

#[test]
fn a_journal_that_git_tracks_is_told_before_anything_private_lands_in_it() {
    let repo = TestRepo::new();
    git(repo.root(), &["init", "-q"]);
    repo.write("MEMORY.md", "# Mine\n");
    git(repo.root(), &["add", "."]);
    git(repo.root(), &["commit", "-qm", "a"]);
    let before = repo.files();
    let (code, _, error) = told(&repo, &["init"]);
    assert!(code == 3 && error.contains("git tracks MEMORY.md"), "{error}");
    assert!(
        error.contains("git rm --cached MEMORY.md") && error.contains("journal.tracked"),
        "{error}"
    );
    assert_eq!(repo.files(), before);
    repo.write("quipu.toml", "[journal]\ntracked = true\n");
    assert_eq!(told(&repo, &["init"]).0, 3, "a repository does not say so itself");
    std::fs::remove_file(repo.root().join("quipu.toml")).unwrap();
    repo.write(crate::USER_SETTINGS, "[journal]\ntracked = true\n");
    assert_eq!(told(&repo, &["init"]).0, 0, "its user does");
    assert!(!told(&repo, &["lint"]).1.contains("tracked-journal"));
    std::fs::remove_file(repo.root().join(crate::USER_SETTINGS)).unwrap();
    let (_, out, _) = told(&repo, &["lint"]);
    assert!(out.contains("tracked-journal") && out.contains("MEMORY.md"), "{out}");
    let (_, out, _) = told(&repo, &["doctor", "--no-run"]);
    assert!(out.contains("git tracks MEMORY.md"), "{out}");
}
