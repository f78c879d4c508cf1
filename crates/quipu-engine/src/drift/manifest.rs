//! What a project declares: scripts, targets and dependencies, read from its own files.

use std::collections::BTreeSet;

use quipu_core::claim::Runner;

/// What one file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) scripts: BTreeSet<(Runner, String)>,
    /// Packages, as [`package`] spells them.
    pub(super) dependencies: BTreeSet<String>,
}

/// The files that declare something, by their last segment.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "package.json", "Cargo.toml", "pyproject.toml", "Makefile", "makefile", "GNUmakefile",
    "justfile", "Justfile", ".justfile", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts",
    "requirements.txt", "requirements-dev.txt", "config.toml",
];

/// Tells whether a path is one of a file that declares something.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    NAMES.contains(&name) && (name != "config.toml" || path.ends_with(".cargo/config.toml"))
}

/// Returns a package's name as all ecosystems would compare it.
pub(super) fn package(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// Reads what a file declares. Half a file that makes sense declares that half.
pub(super) fn read(path: &str, text: &str) -> Declared {
    let mut declared = Declared::default();
    match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => package_json(text, &mut declared).unwrap_or_default(),
        "Cargo.toml" => cargo(text, &mut declared).unwrap_or_default(),
        "config.toml" => cargo_config(text, &mut declared).unwrap_or_default(),
        "pyproject.toml" => python(text, &mut declared).unwrap_or_default(),
        "go.mod" => go(text, &mut declared),
        "pom.xml" => maven(text, &mut declared),
        "build.gradle" | "build.gradle.kts" => gradle(text, &mut declared),
        "justfile" | "Justfile" | ".justfile" => targets(text, Runner::Just, &mut declared),
        "requirements.txt" | "requirements-dev.txt" => {
            text.lines().for_each(|line| requirement(line, &mut declared));
        }
        _ => targets(text, Runner::Make, &mut declared),
    }
    declared
}

fn package_json(text: &str, declared: &mut Declared) -> Option<()> {
    let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
    let keys = |name: &str| {
        let object = manifest.get(name).and_then(serde_json::Value::as_object);
        object.into_iter().flat_map(|object| object.keys().cloned())
    };
    declared.scripts.extend(keys("scripts").map(|name| (Runner::Npm, name)));
    for name in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        declared.dependencies.extend(keys(name).map(|name| package(&name)));
    }
    declared.dependencies.insert(package(manifest.get("name")?.as_str()?));
    Some(())
}

fn cargo(text: &str, declared: &mut Declared) -> Option<()> {
    let manifest: toml::Table = text.parse().ok()?;
    cargo_dependencies(&manifest, declared);
    for name in ["workspace", "target"] {
        let Some(table) = manifest.get(name).and_then(toml::Value::as_table) else { continue };
        cargo_dependencies(table, declared);
        table.values().filter_map(toml::Value::as_table).for_each(|inner| {
            cargo_dependencies(inner, declared);
        });
    }
    let name = manifest.get("package")?.get("name")?.as_str()?;
    declared.dependencies.insert(package(name));
    if name == "xtask" {
        declared.scripts.insert((Runner::Cargo, name.to_owned()));
    }
    Some(())
}

fn cargo_dependencies(table: &toml::Table, declared: &mut Declared) {
    for name in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for (name, value) in table.get(name).and_then(toml::Value::as_table).into_iter().flatten() {
            declared.dependencies.insert(package(name));
            let original = value.get("package").and_then(toml::Value::as_str);
            declared.dependencies.extend(original.map(package));
        }
    }
}

fn cargo_config(text: &str, declared: &mut Declared) -> Option<()> {
    let config: toml::Table = text.parse().ok()?;
    let aliases = config.get("alias")?.as_table()?;
    declared.scripts.extend(aliases.keys().map(|name| (Runner::Cargo, name.clone())));
    Some(())
}

fn python(text: &str, declared: &mut Declared) -> Option<()> {
    let manifest: toml::Table = text.parse().ok()?;
    let table = |path: &[&str]| {
        let mut value = manifest.get(path[0])?;
        for name in &path[1..] {
            value = value.get(name)?;
        }
        value.as_table()
    };
    for path in [
        &["project", "scripts"][..],
        &["project", "gui-scripts"],
        &["tool", "poetry", "scripts"],
        &["tool", "pdm", "scripts"],
        &["tool", "poe", "tasks"],
    ] {
        let names = table(path).into_iter().flat_map(toml::Table::keys);
        declared.scripts.extend(names.map(|name| (Runner::Python, name.clone())));
    }
    let lists = table(&["project"]).and_then(|project| project.get("dependencies"));
    let groups = [&["project", "optional-dependencies"][..], &["dependency-groups"]];
    let groups = groups.into_iter().filter_map(table).flat_map(toml::Table::values);
    for list in lists.into_iter().chain(groups).filter_map(toml::Value::as_array) {
        list.iter().filter_map(toml::Value::as_str).for_each(|line| requirement(line, declared));
    }
    let mut tables = vec![
        table(&["tool", "poetry", "dependencies"]),
        table(&["tool", "poetry", "dev-dependencies"]),
    ];
    let groups = table(&["tool", "poetry", "group"]).into_iter().flat_map(toml::Table::values);
    tables.extend(groups.map(|group| group.get("dependencies").and_then(toml::Value::as_table)));
    let names = tables.into_iter().flatten().flat_map(toml::Table::keys);
    declared.dependencies.extend(names.map(|name| package(name)));
    declared.dependencies.insert(package(table(&["project"])?.get("name")?.as_str()?));
    Some(())
}

fn requirement(line: &str, declared: &mut Declared) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = line.find(|c| !is_name(c)).unwrap_or(line.len());
    if end > 0 && !line.starts_with('-') {
        declared.dependencies.insert(package(&line[..end]));
    }
}

fn go(text: &str, declared: &mut Declared) {
    for line in text.lines() {
        let line = line.trim().trim_start_matches("require ").trim_start_matches("module ");
        let path = line.split_whitespace().next().unwrap_or_default();
        if path.contains(['/', '.']) {
            declared.dependencies.insert(package(path));
            declared.dependencies.extend(path.rsplit('/').next().map(package));
        }
    }
}

fn maven(text: &str, declared: &mut Declared) {
    let names = text.split("<artifactId>").skip(1).filter_map(|part| part.split('<').next());
    declared.dependencies.extend(names.map(|name| package(name.trim())));
}

fn gradle(text: &str, declared: &mut Declared) {
    for quoted in text.split(['"', '\'']).skip(1).step_by(2) {
        let mut parts = quoted.split(':');
        if let (Some(group), Some(name)) = (parts.next(), parts.next()) {
            declared.dependencies.insert(package(name));
            declared.dependencies.insert(package(&format!("{group}:{name}")));
        }
    }
}

/// Reads the targets of a `Makefile` or the recipes of a `justfile`.
fn targets(text: &str, runner: Runner, declared: &mut Declared) {
    for line in text.lines() {
        if line.starts_with(|c: char| c.is_whitespace() || c == '#') {
            continue;
        }
        let Some((head, rest)) = line.split_once(':') else { continue };
        if rest.starts_with('=') || head.contains('=') && runner == Runner::Make {
            continue;
        }
        let names = head.trim_start_matches('@').split_whitespace();
        // What follows a recipe's name are its parameters.
        let most = if runner == Runner::Just { 1 } else { usize::MAX };
        declared.scripts.extend(names.take(most).map(|name| (runner, name.to_owned())));
    }
}
