//! `package.json`.

use serde_json::Value;

use super::Manifest;

/// Reads a `package.json`.
pub(super) fn read(manifest: &mut Manifest, text: &str) -> Option<()> {
    let package: Value = serde_json::from_str(text).ok()?;
    let package = package.as_object()?;
    manifest.name = package.get("name").and_then(Value::as_str).map(str::to_owned);
    for (key, dev) in [
        ("dependencies", false),
        ("peerDependencies", false),
        ("optionalDependencies", false),
        ("devDependencies", true),
    ] {
        let entries = package.get(key).and_then(Value::as_object);
        for (name, version) in entries.into_iter().flatten() {
            manifest.depend(name, version.as_str(), dev);
        }
    }
    let scripts = package.get("scripts").and_then(Value::as_object);
    for (name, does) in scripts.into_iter().flatten() {
        manifest.script(name, does.as_str().unwrap_or_default());
    }
    Some(())
}
