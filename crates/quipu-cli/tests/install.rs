//! `quipu install`, `uninstall` and `doctor` in folders full of hand-written configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use quipu_setup::install::CLIENTS;
use quipu_testkit::TestRepo;
use quipu_testkit::repo::files_in;
use serde_json::{Value, json};

use crate::{answer, quipu};

/// A home folder and a project.
struct Place {
    home: TestRepo,
    project: TestRepo,
}

impl Place {
    fn new() -> Self {
        Self { home: TestRepo::new(), project: TestRepo::new() }
    }

    /// With configuration that people wrote, for every client.
    fn lived_in() -> Self {
        let place = Self::new();
        for (path, text) in project_files() {
            place.project.write(path, &text);
        }
        for (path, text) in home_files() {
            place.home.write(path, &text);
        }
        place
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = quipu(self.project.root());
        command.env("HOME", self.home.root()).env("PATH", "/usr/bin:/bin");
        for name in
            ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME"]
        {
            command.env_remove(name);
        }
        command.args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        answer(&self.command(arguments).output().unwrap())
    }

    fn done(&self, arguments: &[&str]) -> String {
        let (code, out, error) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{error}");
        out
    }

    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let mut all = vec!["--json"];
        all.extend(arguments);
        let (code, out, error) = self.run(&all);
        (code, serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}")))
    }

    /// Every file of both folders, without Quipu's own.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let of = |repo: &TestRepo| {
            let root = repo.root().to_owned();
            files_in(&root).into_iter().map(move |(path, bytes)| (root.join(path), bytes))
        };
        of(&self.home)
            .chain(of(&self.project))
            .filter(|(path, _)| !path.components().any(|part| part.as_os_str() == ".quipu"))
            .filter(|(path, _)| !path.starts_with(self.home.root().join(".local")))
            .collect()
    }

    fn folders(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![self.home.root().to_owned(), self.project.root().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    found.push(path.clone());
                    open.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

const SECRET: &str = "sk-not-for-anyones-eyes";

fn project_files() -> Vec<(&'static str, String)> {
    vec![
        (
            ".mcp.json",
            format!("{{\n    \"mcpServers\": {{\n        \"other\": {{ \"command\": \"x\", \"env\": {{ \"TOKEN\": \"{SECRET}\" }} }}\n    }}\n}}"),
        ),
        (
            ".claude/settings.json",
            "{\n\t// who may do what\n\t\"permissions\": { \"allow\": [\"Bash(ls:*)\",] },\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{ \"hooks\": [ { \"type\": \"command\", \"command\": \"date\" } ] } // mine\n\t\t],\n\t\t\"Stop\": [],\n\t},\n}\n"
                .to_owned(),
        ),
        (
            ".codex/config.toml",
            "# my model\r\nmodel = \"x\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\" # why\r\nargs = [\r\n  \"a\", # first\r\n]"
                .to_owned(),
        ),
        (".codex/hooks.json", "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]}}".to_owned()),
        (".cursor/mcp.json", "\u{feff}{\r\n  \"mcpServers\": {}\r\n}\r\n".to_owned()),
        (".cursor/hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {\"stop\": [{\"command\": \"beep\"}]},\n  \"unknown\": null\n}\n".to_owned()),
        (".gemini/settings.json", "{ /* nothing yet */ }\n".to_owned()),
        (".vscode/mcp.json", "{\n  \"inputs\": [],\n  \"servers\": {\n    \"a\": {}, // first\n    /* last */ \"b\": {}, /* end */ // of list\n  },\n}\n".to_owned()),
        (".zed/settings.json", "// Zed\n//\n{\n  \"tab_size\": 2,\n  \"context_servers\": {\n    // none\n  }\n}\n".to_owned()),
        (".roo/mcp.json", String::new()),
        (".kilocode/mcp.json", "{}".to_owned()),
        ("opencode.jsonc", "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n  }\n}\n".to_owned()),
        (".continue/config.yaml", "name: x\n".to_owned()),
        (".amp/settings.json", "{\"amp.notifications\": true}\n".to_owned()),
        (".github/hooks/lint.json", "{\"version\": 1, \"hooks\": {}}\n".to_owned()),
    ]
}

fn home_files() -> Vec<(&'static str, String)> {
    vec![
        (".claude.json", format!("{{\"numStartups\": 3, \"oauth\": \"{SECRET}\", \"projects\": {{}}}}")),
        (".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n".to_owned()),
        (".codex/config.toml", format!("key = \"{SECRET}\"\n[features]\nhooks = true\n")),
        (".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"z\": {\n      \"url\": \"https://z\"\n    }\n  }\n}\n".to_owned()),
        (".gemini/settings.json", "{\n   \"theme\": \"x\",\n   \"hooks\": { \"BeforeAgent\": [ ] }\n}".to_owned()),
        (".config/Code/User/mcp.json", "{\r\n\t\"servers\": {\r\n\t\t\"a\": {\r\n\t\t}\r\n\t}\r\n}\r\n".to_owned()),
        (".copilot/mcp-config.json", "{\n  \"mcpServers\": {\n  }\n}\n".to_owned()),
        (".codeium/windsurf/mcp_config.json", "{\n  \"mcpServers\": { \"one\": { \"command\": \"1\" } }\n}\n".to_owned()),
        (".config/zed/settings.json", "// comment\n{\n  \"theme\": { \"mode\": \"system\", },\n  // tail\n}\n".to_owned()),
        (
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "{\n  \"mcpServers\": {\n  }\n}".to_owned(),
        ),
        (
            ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            "{\"mcpServers\":{}}".to_owned(),
        ),
        (".config/kilo/kilo.jsonc", "{\n  // mine\n  \"mcp\": { \"a\": { \"type\": \"local\", \"command\": [\"a\"] } }, // one\n}\n".to_owned()),
        (".config/opencode/opencode.json", "{ }\n".to_owned()),
        (".continue/config.yaml", "name: mine\n".to_owned()),
        (".config/amp/settings.json", "{\n  \"amp.mcpServers\": {\n    \"p\": { \"command\": \"p\" }\n  }\n}\n".to_owned()),
        (
            ".config/goose/config.yaml",
            format!("GOOSE_PROVIDER: x # mine\nextensions:\n    developer: # built in\n        enabled: true\n        type: builtin\nOTHER: {SECRET}\n"),
        ),
    ]
}

fn names() -> Vec<&'static str> {
    CLIENTS.iter().map(|client| client.name).collect()
}

#[test]
fn what_is_installed_comes_out_without_a_trace() {
    for scope in [&[][..], &["--user"]] {
        let place = Place::lived_in();
        let (before, folders) = (place.files(), place.folders());
        let with = |arguments: &[&'static str]| [arguments, scope].concat();
        let mut install = with(&["install", "--yes", "--command", "/bin/sh"]);
        install.extend(names());
        let out = place.done(&install);
        assert!(!out.contains(SECRET), "{out}");
        assert_ne!(place.files(), before);
        place.done(&with(&["install", "--check"]));
        let after = place.files();
        let out = place.done(&install);
        assert!(out.contains("nothing to change"), "{out}");
        assert_eq!(place.files(), after, "installing twice changes nothing");
        let out = place.done(&with(&["uninstall", "--yes"]));
        assert!(!out.contains(SECRET), "{out}");
        assert_eq!(place.files(), before, "{scope:?}");
        assert_eq!(place.folders(), folders, "{scope:?}");
        assert_eq!(place.run(&with(&["install", "--check"])).0, 1);
    }
}

#[test]
fn entries_come_out_of_files_that_were_edited_since() {
    for scope in [&[][..], &["--user"]] {
        let place = Place::lived_in();
        let before = place.files();
        let with = |arguments: &[&'static str]| [arguments, scope].concat();
        let mut install = with(&["install", "--yes", "--command", "/bin/sh"]);
        install.extend(names());
        place.done(&install);
        place.done(&with(&["uninstall", "--yes", "--edit"]));
        assert_eq!(place.files(), before, "by editing alone: {scope:?}");
    }
}

#[test]
fn only_whole_pieces_are_put_in() {
    let place = Place::lived_in();
    let before = place.files();
    for scope in [&[][..], &["--user"]] {
        let mut install = [&["install", "--yes", "--command", "/bin/sh"], scope].concat();
        install.extend(names());
        place.done(&install);
    }
    for (path, old) in &before {
        let new = &place.files()[path];
        let mut rest = old.iter().peekable();
        for byte in new {
            rest.next_if(|wanted| *wanted == byte);
        }
        assert_eq!(rest.count(), 0, "{} lost bytes of its own", path.display());
    }
}

#[test]
fn what_people_write_meanwhile_stays() {
    let place = Place::lived_in();
    place.done(&["install", "claude-code", "codex", "--yes", "--command", "/bin/sh"]);
    let claude = place.project.read(".claude/settings.json");
    let edited = claude.replace("\"permissions\"", "\"model\": \"opus\",\n\t\"permissions\"");
    place.project.write(".claude/settings.json", &edited);
    let toml = place.project.read(".codex/config.toml");
    place.project.write(".codex/config.toml", &format!("{toml}\r\n[mine]\r\na = 1\r\n"));
    place.done(&["install", "claude-code", "codex", "--yes", "--command", "/bin/sh"]);
    place.done(&["uninstall", "--yes"]);
    let original: BTreeMap<_, _> = project_files().into_iter().collect();
    let expected = original[".claude/settings.json"]
        .replace("\"permissions\"", "\"model\": \"opus\",\n\t\"permissions\"");
    assert_eq!(place.project.read(".claude/settings.json"), expected);
    let toml = place.project.read(".codex/config.toml");
    assert_eq!(toml, format!("{}\r\n\r\n[mine]\r\na = 1\r\n", original[".codex/config.toml"]));
}

#[test]
fn clients_that_share_a_file_leave_it_one_by_one() {
    let place = Place::new();
    place.done(&["install", "copilot", "vscode", "--yes", "--command", "/bin/sh"]);
    let hooks = place.project.read(".github/hooks/quipu.json");
    assert!(hooks.contains("/bin/sh hook copilot session-start"), "{hooks}");
    place.done(&["uninstall", "copilot", "--yes"]);
    assert_eq!(place.project.read(".github/hooks/quipu.json"), hooks);
    assert!(!place.project.root().join(".mcp.json").exists());
    place.done(&["install", "--check"]);
    place.done(&["uninstall", "vscode", "--yes"]);
    assert_eq!(place.folders(), Vec::<PathBuf>::new());
}

#[test]
fn hooks_are_not_written_twice_for_clients_that_read_claudes() {
    let place = Place::new();
    let out = place.done(&["install", "claude", "vscode", "copilot", "-y", "--command", "/bin/sh"]);
    assert!(out.contains("left out vscode") && out.contains("left out copilot"), "{out}");
    assert!(!place.project.root().join(".github").exists());
    assert!(!place.project.read(".claude/settings.json").contains("after-tool"));
}

#[test]
fn every_client_gets_its_own_shape() {
    let place = Place::new();
    let mut install = vec!["install", "--yes", "--command", "quipu", "--after-tool"];
    install.extend(names().into_iter().filter(|name| *name != "claude-code"));
    place.done(&[&install[..], &["--for", "team", "--plain"]].concat());
    place.done(&[&install[..], &["--for", "me"]].concat());
    let read = |root: &TestRepo, path: &str| -> Value {
        serde_json::from_str(&root.read(path)).unwrap_or_else(|_| panic!("{path}"))
    };
    let project = |path: &str| read(&place.project, path);
    let plain = json!({ "command": "quipu", "args": ["mcp"] });
    let stdio = json!({ "type": "stdio", "command": "quipu", "args": ["mcp"] });
    assert_eq!(project(".mcp.json")["mcpServers"]["quipu"], stdio);
    assert_eq!(project(".vscode/mcp.json")["servers"]["quipu"], stdio);
    assert_eq!(project(".cursor/mcp.json")["mcpServers"]["quipu"], plain);
    assert_eq!(project(".roo/mcp.json")["mcpServers"]["quipu"], plain);
    assert_eq!(project(".amp/settings.json")["amp.mcpServers"]["quipu"], plain);
    assert_eq!(project(".zed/settings.json")["context_servers"]["quipu"]["source"], "custom");
    let one_list = json!({ "type": "local", "command": ["quipu", "mcp"], "enabled": true });
    assert_eq!(project("opencode.json")["mcp"]["quipu"], one_list);
    assert_eq!(project(".kilo/kilo.jsonc")["mcp"]["quipu"], one_list);
    let codex = place.project.read(".codex/config.toml");
    assert_eq!(codex, "[mcp_servers.quipu]\ncommand = \"quipu\"\nargs = [\"mcp\"]\n");
    let gemini = project(".gemini/settings.json");
    let prompt = &gemini["hooks"]["BeforeAgent"][0]["hooks"][0];
    assert_eq!(prompt["command"], "quipu hook gemini prompt");
    assert_eq!(prompt["timeout"], 5000, "milliseconds");
    let codex = project(".codex/hooks.json");
    assert_eq!(codex["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3, "seconds");
    assert_eq!(codex["hooks"]["PostToolUse"][0]["matcher"], "*");
    let cursor = project(".cursor/hooks.json");
    assert_eq!(cursor["version"], 1);
    assert_eq!(cursor["hooks"]["stop"][0]["command"], "quipu hook cursor stop");
    let copilot = project(".github/hooks/quipu.json");
    assert_eq!(copilot["hooks"]["sessionStart"][0]["bash"], "quipu hook copilot session-start");
    assert_eq!(copilot["hooks"]["sessionStart"][0]["timeoutSec"], 10);
    let home = |path: &str| read(&place.home, path);
    assert_eq!(home(".copilot/mcp-config.json")["mcpServers"]["quipu"]["tools"], json!(["*"]));
    assert_eq!(home(".codeium/windsurf/mcp_config.json")["mcpServers"]["quipu"], plain);
    assert!(
        place.home.read(".config/goose/config.yaml").contains("  quipu:\n    args: [\"mcp\"]\n")
    );
    assert!(place.home.read(".continue/mcpServers/quipu.yaml").contains("command: \"quipu\"\n"));
}

#[test]
fn a_broken_file_skips_its_client_and_nothing_else() {
    let place = Place::new();
    place.project.write(".gemini/settings.json", &format!("{{\n  \"key\": {SECRET}\n}}\n"));
    let before = place.files();
    let (code, out, error) =
        place.run(&["install", "gemini", "roo", "--yes", "--command", "/bin/sh"]);
    assert_eq!(code, 3, "{out}{error}");
    assert!(out.contains(".gemini/settings.json line 2: this is not a value"), "{out}");
    assert!(!out.contains(SECRET), "{out}");
    assert!(place.project.root().join(".roo/mcp.json").exists());
    let gemini = place.project.root().join(".gemini/settings.json");
    assert_eq!(place.files()[&gemini], before[&gemini]);
}

#[test]
fn a_stranger_of_our_name_is_not_replaced_silently() {
    let place = Place::new();
    let theirs =
        "{\n  \"mcpServers\": {\n    \"quipu\": { \"command\": \"knots\" } // mine\n  }\n}\n";
    place.project.write(".roo/mcp.json", theirs);
    let (code, out, _) = place.run(&["install", "roo", "--yes", "--command", "/bin/sh"]);
    assert!(code == 0 && out.contains("--force"), "{out}");
    assert_eq!(place.project.read(".roo/mcp.json"), theirs);
    place.done(&["install", "roo", "--yes", "--force", "--command", "/bin/sh", "--plain"]);
    assert!(place.project.read(".roo/mcp.json").contains("\"command\": \"/bin/sh\""));
    let edited = place.project.read(".roo/mcp.json").replace("// mine", "// still mine");
    place.project.write(".roo/mcp.json", &edited);
    place.done(&["uninstall", "--yes"]);
    assert_eq!(place.project.read(".roo/mcp.json"), theirs.replace("// mine", "// still mine"));
}

#[test]
fn a_check_tells_what_differs() {
    let place = Place::new();
    place.done(&["install", "cursor", "codex", "roo", "--yes", "--command", "/bin/sh"]);
    let (code, checked) = place.json(&["install", "--check"]);
    assert_eq!((code, &checked["right"]), (0, &json!(true)), "{checked}");
    let text = place.project.read(".cursor/mcp.json").replace("/bin/sh", "/bin/false");
    place.project.write(".cursor/mcp.json", &text);
    std::fs::remove_file(place.project.root().join(".codex/hooks.json")).unwrap();
    place.project.write(".roo/mcp.json", "{}");
    let (code, checked) = place.json(&["install", "--check"]);
    assert_eq!(code, 1);
    let state = |path: &str| {
        let entries = checked["entries"].as_array().unwrap();
        entries.iter().find(|one| one["path"] == path).unwrap()["state"].clone()
    };
    assert_eq!(state(".cursor/mcp.json"), "changed");
    assert_eq!(state(".codex/hooks.json"), "no-file");
    assert_eq!(state(".roo/mcp.json"), "missing");
    let (code, out, _) =
        place.run(&["install", "cursor", "codex", "roo", "--yes", "--command", "/bin/sh"]);
    assert!(code == 0 && out.contains("was not written by this installation"), "{out}");
    place.done(&["install", "cursor", "--yes", "--force", "--command", "/bin/sh"]);
    place.done(&["install", "--check"]);
    place.done(&["uninstall", "--yes"]);
    assert_eq!(place.project.read(".roo/mcp.json"), "{}");
}

#[test]
fn a_program_that_is_gone_is_told() {
    let place = Place::new();
    place.done(&["install", "roo", "--yes", "--command", "/no/such/quipu"]);
    let (code, out, _) = place.run(&["install", "--check"]);
    assert!(code == 1 && out.contains("`/no/such/quipu` is not found"), "{out}");
}

#[test]
fn a_newer_command_takes_the_place_of_the_old_one() {
    let place = Place::lived_in();
    let before = place.files();
    let mut install = vec!["install", "--yes", "--command", "/bin/sh"];
    install.extend(names());
    place.done(&install);
    install[3] = "/bin/cat";
    let out = place.done(&install);
    assert!(!out.contains("left out roo"), "{out}");
    place.done(&["install", "--check"]);
    let left: Vec<_> = place
        .files()
        .into_iter()
        .filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("/bin/sh"))
        .collect();
    assert_eq!(left, Vec::new());
    place.done(&["uninstall", "--yes"]);
    assert_eq!(place.files(), before);
}

#[test]
fn without_a_word_nothing_is_written() {
    let place = Place::lived_in();
    let before = place.files();
    let (code, out, _) = place.run(&["install", "roo"]);
    assert!(code == 1 && out.contains("--yes"), "{out}");
    place.done(&["install", "roo", "--dry-run"]);
    assert_eq!(place.files(), before);
    assert!(!place.project.root().join(".quipu").exists());
    let (code, plan) = place.json(&["install", "roo"]);
    assert_eq!((code, &plan["applied"]), (1, &json!(false)));
    assert_eq!(plan["files"][0]["entries"][0]["place"], "mcpServers.quipu");
}

#[cfg(unix)]
#[test]
fn clients_are_found_by_what_they_leave_behind() {
    let place = Place::new();
    let (code, _, error) = place.run(&["install", "--yes"]);
    assert!(code == 3 && error.contains("no client was found"), "{error}");
    place.project.write(".cursor/rules/x.mdc", "");
    place.home.write(".codeium/windsurf/x", "");
    place.home.write("bin/gemini", "#!/bin/sh\n");
    let program = place.home.root().join("bin/gemini");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let path = format!("{}:/usr/bin:/bin", place.home.root().join("bin").display());
    let output = place.command(&["install", "--yes"]).env("PATH", path).output().unwrap();
    let (code, out, error) = answer(&output);
    assert_eq!(code, 0, "{out}{error}");
    assert!(out.contains("quipu install windsurf --user"), "{out}");
    assert!(place.project.root().join(".cursor/mcp.json").exists());
    assert!(place.project.root().join(".gemini/settings.json").exists());
    let (_, listed) = place.json(&["install", "--list"]);
    let cursor = &listed["clients"].as_array().unwrap()[2];
    assert_eq!((&cursor["client"], &cursor["installed"]), (&json!("cursor"), &json!(true)));
    // This binary is not on the path, so its own path is written, and said.
    assert!(out.contains("a path of this machine"), "{out}");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let place = Place::new();
    place.home.write("dotfiles/mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    std::fs::create_dir_all(place.home.root().join(".cursor")).unwrap();
    let link = place.home.root().join(".cursor/mcp.json");
    std::os::unix::fs::symlink("../dotfiles/mcp.json", &link).unwrap();
    place.done(&["install", "cursor", "--mcp-only", "--user", "--yes", "--command", "/bin/sh"]);
    assert!(link.is_symlink());
    assert!(place.home.read("dotfiles/mcp.json").contains("quipu"));
    place.done(&["uninstall", "--user", "--yes"]);
    assert!(link.is_symlink());
    assert_eq!(place.home.read("dotfiles/mcp.json"), "{\n  \"mcpServers\": {}\n}\n");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_stops_everything() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::lived_in();
    let before = place.files();
    let file = place.project.root().join(".vscode/mcp.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let (code, _, error) =
        place.run(&["install", "roo", "vscode", "--yes", "--command", "/bin/sh"]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("is read-only") && error.contains("chmod u+w"), "{error}");
    assert_eq!(place.files(), before);
    assert!(!place.project.root().join(".quipu").exists());
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_saved_bytes_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::lived_in();
    let file = place.home.root().join(".claude.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    place.done(&["install", "claude", "--user", "--yes", "--command", "/bin/sh"]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&place.project.state_home().join("install")), 0o700);
    assert_eq!(mode(&place.project.state_home().join("install.json")), 0o600);
    place.done(&["uninstall", "--user", "--yes"]);
    assert_eq!(mode(&file), 0o600);
}

#[test]
fn entries_that_somebody_committed_are_mentioned_and_taken_out_by_force() {
    let place = Place::new();
    place.project.write(".roo/mcp.json", "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"quipu\": { \"command\": \"/x/quipu\", \"args\": [\"mcp\"] }\n  }\n}\n");
    let (code, out, _) = place.run(&["uninstall", "--yes"]);
    assert!(code == 1 && out.contains("--force"), "{out}");
    place.done(&["uninstall", "--yes", "--force"]);
    assert_eq!(
        place.project.read(".roo/mcp.json"),
        "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n"
    );
}

#[test]
fn memory_survives_an_uninstallation() {
    let place = Place::new();
    place.done(&["init", "--project", "x"]);
    place.done(&["remember", "the knots are counted from the left"]);
    let before = place.files();
    place.done(&["install", "roo", "--yes", "--command", "/bin/sh"]);
    place.done(&["uninstall", "--yes", "--clients-only"]);
    assert_eq!(place.files(), before);
    place.done(&["uninstall", "--yes"]);
    let mut without = before.clone();
    without.remove(&place.project.root().join("AGENTS.md"));
    assert_eq!(place.files(), without);
    assert!(place.done(&["recall", "knots"]).contains("counted from the left"));
    assert!(!quipu_testkit::state_of(place.project.root(), "install.json").exists());
}

#[test]
fn a_home_folder_is_no_project() {
    let place = Place::new();
    let root = place.home.root().to_str().unwrap();
    let (code, _, error) = place.run(&["-C", root, "install", "roo"]);
    assert!(code == 2 || code == 3, "{error}");
    let output =
        quipu(place.home.root()).env("HOME", place.home.root()).args(["install", "roo"]).output();
    let (code, _, error) = answer(&output.unwrap());
    assert!(code == 3 && error.contains("--user"), "{error}");
}

#[test]
fn entries_that_came_with_the_project_count() {
    let place = Place::new();
    let entry = "{\"mcpServers\": {\"quipu\": {\"command\": \"quipu\", \"args\": [\"mcp\"]}}}";
    place.project.write(".roo/mcp.json", entry);
    let (code, checked) = place.json(&["install", "--check"]);
    assert_eq!(checked["entries"][0]["recorded"], false);
    assert_eq!((code, &checked["command_found"]), (1, &json!(false)), "no quipu on this path");
    let (_, plan) = place.json(&["install", "roo", "--command", "quipu", "--yes"]);
    assert_eq!(plan["files"][0]["entries"][0]["action"], "replace");
    place.done(&["uninstall", "--yes"]);
    assert_eq!(place.project.read(".roo/mcp.json"), entry, "what somebody committed comes back");
    let (_, plan) = place.json(&["install", "roo", "--command", "quipu", "--yes", "--plain"]);
    assert_eq!(plan["files"][0]["entries"][0]["action"], "keep");
    assert_eq!(place.project.read(".roo/mcp.json"), entry);
}

#[test]
fn what_a_client_adds_to_an_entry_stays_when_it_is_brought_up_to_date() {
    let place = Place::new();
    place.done(&["install", "roo", "--yes", "--command", "/bin/sh"]);
    let text = place.project.read(".roo/mcp.json");
    let text = text.replace("\"args\": [", "\"disabled\": false,\n      \"args\": [");
    place.project.write(".roo/mcp.json", &text);
    place.done(&["install", "--check"]);
    place.done(&["install", "roo", "--yes", "--command", "/bin/cat", "--plain"]);
    let roo: Value = serde_json::from_str(&place.project.read(".roo/mcp.json")).unwrap();
    let entry = &roo["mcpServers"]["quipu"];
    assert_eq!((&entry["command"], &entry["disabled"]), (&json!("/bin/cat"), &json!(false)));
    place.done(&["uninstall", "--yes"]);
    assert_eq!(place.folders(), Vec::<PathBuf>::new());
}

#[cfg(unix)]
#[test]
fn a_projects_link_into_the_home_folder_is_not_followed() {
    let place = Place::lived_in();
    let before = place.files();
    std::fs::remove_dir_all(place.project.root().join(".gemini")).unwrap();
    std::os::unix::fs::symlink(
        place.home.root().join(".gemini"),
        place.project.root().join(".gemini"),
    )
    .unwrap();
    let (code, out, _) = place.run(&["install", "gemini", "--yes", "--command", "/bin/sh"]);
    assert!(code == 3 && out.contains("is behind a link"), "{out}");
    let home = place.home.root().join(".gemini/settings.json");
    assert_eq!(place.files()[&home], before[&home]);
}

#[test]
fn a_table_that_somebody_added_to_is_not_rewritten_without_a_word() {
    let place = Place::new();
    place.done(&["install", "codex", "--mcp-only", "--yes", "--command", "/bin/sh"]);
    let text = place.project.read(".codex/config.toml") + "startup_timeout_sec = 20\n";
    place.project.write(".codex/config.toml", &text);
    place.done(&["install", "--check"]);
    let out = place.done(&["install", "codex", "--mcp-only", "--yes", "--command", "/bin/cat"]);
    assert!(out.contains("--force"), "{out}");
    assert_eq!(place.project.read(".codex/config.toml"), text);
}

#[test]
fn files_go_where_clients_are_opened() {
    let place = Place::new();
    place.done(&["init", "--project", "x"]);
    place.project.write("app/.git/HEAD", "");
    place.project.write("app/src/main.rs", "");
    place.project.write("docs/a.md", "");
    let inside = |folder: &str| {
        let output = quipu(&place.project.root().join(folder))
            .env("HOME", place.home.root())
            .args(["install", "roo", "--yes", "--command", "/bin/sh"])
            .output();
        assert_eq!(answer(&output.unwrap()).0, 0);
    };
    inside("app/src");
    assert!(place.project.root().join("app/.roo/mcp.json").exists(), "the repository is nearer");
    inside("docs");
    assert!(place.project.root().join(".roo/mcp.json").exists(), "the memory is nearer");
}
