//! What is shipped beside the binary says the same as the binary.

use std::path::{Path, PathBuf};

use quipu_setup::install::CLIENTS;
use quipu_testkit::TestRepo;
use serde_json::{Value, json};

use crate::{answer, quipu};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|_| panic!("no {path}"))
}

fn document(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the plan of an installation in empty folders, with paths as people write them.
fn plan(arguments: &[&str]) -> (Vec<String>, Value) {
    let (project, home) = (TestRepo::new(), TestRepo::new());
    let mut command = quipu(project.root());
    command.env("HOME", home.root());
    for name in ["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME"] {
        command.env_remove(name);
    }
    command.args(["--json", "install", "--dry-run", "--command", "quipu"]).args(arguments);
    let (_, out, error) = answer(&command.output().unwrap());
    let plan: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"));
    let real = |root: &Path| root.canonicalize().unwrap();
    let files = plan["files"].as_array().unwrap();
    let paths = files.iter().map(|file| {
        let path = Path::new(file["path"].as_str().unwrap());
        if let Ok(inside) = path.strip_prefix(real(project.root())) {
            return inside.display().to_string();
        }
        format!("~/{}", path.strip_prefix(home.root()).unwrap().display())
    });
    (paths.collect(), plan.clone())
}

const PLUGIN: &str = "integrations/claude-code/plugin";

#[test]
fn the_plugin_has_the_hooks_and_the_server_that_the_installer_writes() {
    // Whoever installs the plugin has Quipu.
    let (_, plan) = plan(&["claude-code", "--plain"]);
    let entries = plan["files"].as_array().unwrap().iter();
    let entries: Vec<&Value> =
        entries.flat_map(|file| file["entries"].as_array().unwrap()).collect();
    let hooks = document(&format!("{PLUGIN}/hooks/hooks.json"));
    let mut expected = serde_json::Map::new();
    for entry in &entries {
        let place = entry["place"].as_str().unwrap();
        if let Some(event) = place.strip_prefix("hooks.").and_then(|rest| rest.strip_suffix("[]")) {
            expected.insert(event.to_owned(), json!([entry["value"]]));
        }
    }
    assert_eq!(expected.len(), 5);
    assert_eq!(hooks["hooks"], Value::Object(expected));
    let server = entries.iter().find(|entry| entry["what"] == "mcp").unwrap();
    let shipped = document(&format!("{PLUGIN}/.mcp.json"));
    assert_eq!(shipped, json!({ "mcpServers": { "quipu": server["value"] } }));
}

#[test]
fn every_version_is_the_binarys() {
    let version = env!("CARGO_PKG_VERSION");
    let server = document("server.json");
    assert_eq!(server["version"], version);
    let packages = server["packages"].as_array().unwrap();
    let named = packages.iter().map(|one| (&one["registryType"], &one["identifier"]));
    assert_eq!(
        named.collect::<Vec<_>>(),
        [(&json!("npm"), &json!("quipu")), (&json!("pypi"), &json!("quipu"))]
    );
    assert!(packages.iter().all(|one| one["version"] == version), "{server}");
    assert_eq!(server["repository"]["url"], env!("CARGO_PKG_REPOSITORY"));
    assert!(server["description"].as_str().unwrap().len() <= 100, "the registry takes no more");
    let plugin = document(&format!("{PLUGIN}/.claude-plugin/plugin.json"));
    assert_eq!(plugin["version"], version);
    assert_eq!(plugin["repository"], env!("CARGO_PKG_REPOSITORY"));
    assert_eq!(plugin["license"], env!("CARGO_PKG_LICENSE"));
    let market = document("integrations/claude-code/.claude-plugin/marketplace.json");
    let listed = &market["plugins"][0];
    assert_eq!((&listed["version"], &listed["name"]), (&json!(version), &plugin["name"]));
    let source = listed["source"].as_str().unwrap();
    assert!(repository().join("integrations/claude-code").join(source).is_dir());
}

#[test]
fn skills_and_commands_name_commands_that_exist() {
    let folder = repository().join(PLUGIN);
    let mut texts = Vec::new();
    for name in ["quipu-recall", "quipu-wrap-up", "quipu-review"] {
        let text = read(&format!("{PLUGIN}/skills/{name}/SKILL.md"));
        assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")), "{name}");
        texts.push(text);
    }
    for entry in std::fs::read_dir(folder.join("commands")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(text.starts_with("---\ndescription: "), "{text}");
        texts.push(text);
    }
    for text in &texts {
        for mention in text.split("`quipu ").skip(1) {
            let words = mention.split(|c: char| c == '`' || c.is_whitespace());
            let command: Vec<&str> = words
                .take(2)
                .take_while(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()))
                .collect();
            let (code, _, error) =
                answer(&quipu(Path::new(".")).args(&command).arg("--help").output().unwrap());
            assert_eq!(code, 0, "quipu {command:?}: {error}");
        }
    }
}

#[test]
fn every_client_has_a_page_that_names_its_files() {
    let table = read("docs/clients/README.md");
    for client in &CLIENTS {
        let page = read(&format!("docs/clients/{}.md", client.name));
        assert!(table.contains(&format!("({}.md)", client.name)), "{}", client.name);
        for (arguments, line) in [
            (vec![client.name], format!("quipu install {}", client.name)),
            (vec![client.name, "--user"], format!("quipu install {} --user", client.name)),
        ] {
            let (paths, plan) = plan(&arguments);
            if paths.is_empty() {
                continue;
            }
            assert!(page.contains(&line), "{} does not say `{line}`", client.name);
            for path in paths {
                assert!(
                    page.contains(&format!("`{path}`")),
                    "{} does not name {path}",
                    client.name
                );
            }
            for file in plan["files"].as_array().unwrap() {
                for entry in file["entries"].as_array().unwrap() {
                    let place = entry["place"].as_str().unwrap();
                    let place = place.trim_end_matches("[]").trim_start_matches("hooks.");
                    assert!(page.contains(place), "{} does not name {place}", client.name);
                }
            }
        }
    }
}
