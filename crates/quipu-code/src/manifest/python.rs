//! `pyproject.toml` (PEP 621, dependency groups, Poetry) and `requirements.txt`.

use toml::{Table, Value};

use super::Manifest;

/// Reads a `pyproject.toml`.
pub(super) fn read_project(manifest: &mut Manifest, text: &str) -> Option<()> {
    let table: Table = text.parse().ok()?;
    let none = Table::new();
    let section = |path: &[&str]| -> Option<&Table> {
        path.iter().try_fold(&table, |table, key| table.get(*key)?.as_table())
    };
    let project = section(&["project"]).unwrap_or(&none);
    let poetry = section(&["tool", "poetry"]).unwrap_or(&none);
    let name = project.get("name").or_else(|| poetry.get("name"));
    manifest.name = name.and_then(Value::as_str).map(str::to_owned);

    requirements(manifest, project.get("dependencies"), false);
    for (_, group) in section(&["project", "optional-dependencies"]).into_iter().flatten() {
        requirements(manifest, Some(group), true);
    }
    for (_, group) in section(&["dependency-groups"]).into_iter().flatten() {
        requirements(manifest, Some(group), true);
    }
    pairs(manifest, poetry.get("dependencies"), false);
    pairs(manifest, poetry.get("dev-dependencies"), true);
    for (_, group) in section(&["tool", "poetry", "group"]).into_iter().flatten() {
        pairs(manifest, group.get("dependencies"), true);
    }
    for path in [
        &["project", "scripts"][..],
        &["project", "gui-scripts"],
        &["tool", "poetry", "scripts"],
        &["tool", "pdm", "scripts"],
        &["tool", "poe", "tasks"],
        &["tool", "hatch", "envs", "default", "scripts"],
        &["tool", "taskipy", "tasks"],
    ] {
        for (name, does) in section(path).into_iter().flatten() {
            let command = does.get("cmd").or_else(|| does.get("shell")).unwrap_or(does);
            manifest.script(name, command.as_str().unwrap_or_default());
        }
    }
    Some(())
}

/// Reads a `requirements.txt`. The name of the file says whether it is for development.
pub(super) fn read_requirements(manifest: &mut Manifest, path: &str, text: &str) {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let dev = ["dev", "test", "lint", "doc"].iter().any(|word| name.contains(word));
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim();
        if !line.starts_with(['#', '-']) {
            requirement(manifest, line, dev);
        }
    }
}

/// Notes a list of requirements.
fn requirements(manifest: &mut Manifest, list: Option<&Value>, dev: bool) {
    let list = list.and_then(Value::as_array);
    for text in list.into_iter().flatten().filter_map(Value::as_str) {
        requirement(manifest, text, dev);
    }
}

/// Notes one requirement: `requests[socks] >= 2.8 ; python_version < "3"`.
fn requirement(manifest: &mut Manifest, text: &str, dev: bool) {
    let text = text.split(';').next().unwrap_or(text).trim().trim_end_matches('\\');
    // An address without a name says nothing.
    if text.contains("://") && !text.contains(" @ ") {
        return;
    }
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let end = text.find(|letter| !is_name(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = match rest.trim_start().strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let version = rest.trim().trim_matches(['(', ')']);
    let version = version.split(" --hash").next().unwrap_or(version);
    manifest.depend(name, Some(version), dev);
}

/// Notes the dependencies of a table in Poetry's way. Python itself is none.
fn pairs(manifest: &mut Manifest, table: Option<&Value>, dev: bool) {
    let table = table.and_then(Value::as_table);
    for (name, entry) in table.into_iter().flatten().filter(|(name, _)| *name != "python") {
        let version = entry.as_str().or_else(|| entry.get("version").and_then(Value::as_str));
        manifest.depend(name, version, dev);
    }
}
