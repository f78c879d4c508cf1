//! `Cargo.toml`: of a package, a workspace, or both.

use toml::{Table, Value};

use super::Manifest;

/// Reads a `Cargo.toml`.
pub(super) fn read(manifest: &mut Manifest, text: &str) -> Option<()> {
    let table: Table = text.parse().ok()?;
    let name = table.get("package").and_then(|package| package.get("name"));
    manifest.name = name.and_then(Value::as_str).map(str::to_owned);
    dependencies(manifest, &table);
    if let Some(workspace) = table.get("workspace").and_then(Value::as_table) {
        dependencies(manifest, workspace);
    }
    let targets = table.get("target").and_then(Value::as_table);
    for target in targets.into_iter().flat_map(Table::values).filter_map(Value::as_table) {
        dependencies(manifest, target);
    }
    for (key, what) in [("bin", "binary"), ("example", "example"), ("bench", "benchmark")] {
        let entries = table.get(key).and_then(Value::as_array);
        for entry in entries.into_iter().flatten() {
            if let Some(name) = entry.get("name").and_then(Value::as_str) {
                let path = entry.get("path").and_then(Value::as_str).unwrap_or_default();
                manifest.script(name, &format!("{what} {path}"));
            }
        }
    }
    Some(())
}

/// Notes the dependencies of a package, a workspace or a target.
fn dependencies(manifest: &mut Manifest, table: &Table) {
    for (key, dev) in
        [("dependencies", false), ("dev-dependencies", true), ("build-dependencies", true)]
    {
        let entries = table.get(key).and_then(Value::as_table);
        for (name, entry) in entries.into_iter().flatten() {
            manifest.depend(name, version(entry).as_deref(), dev);
            // By the name that others know it by, too.
            if let Some(original) = entry.get("package").and_then(Value::as_str) {
                manifest.depend(original, version(entry).as_deref(), dev);
            }
        }
    }
}

/// Returns which version is asked for, or where it comes from instead.
fn version(entry: &Value) -> Option<String> {
    let field = |name| entry.get(name).and_then(Value::as_str);
    if entry.get("workspace").and_then(Value::as_bool) == Some(true) {
        return Some("workspace".to_owned());
    }
    let version = entry.as_str().or_else(|| field("version")).map(str::to_owned);
    version
        .or_else(|| field("path").map(|path| format!("path {path}")))
        .or_else(|| field("git").map(|git| format!("git {git}")))
}
