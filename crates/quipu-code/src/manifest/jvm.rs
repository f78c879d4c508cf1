//! `pom.xml` and `build.gradle`: what stands there plainly. Inherited and computed values do not.

use super::Manifest;

/// Tags inside each other, deeper than any project has them.
const DEEPEST: usize = 64;

/// Reads a `pom.xml`: its own artifact and its dependencies.
pub(super) fn read_maven(manifest: &mut Manifest, text: &str) {
    let mut path: Vec<&str> = Vec::new();
    let mut entry = Entry::default();
    for (tag, value) in elements(text) {
        if let Some(closed) = tag.strip_prefix('/') {
            if closed == "dependency" && path.last() == Some(&"dependency") {
                let name = format!("{}:{}", entry.group, entry.artifact);
                let dev = entry.scope == "test" || entry.scope == "provided";
                manifest.depend(name.trim_matches(':'), Some(entry.version), dev);
                entry = Entry::default();
            }
            // A tag that was never closed does not keep the others open.
            if let Some(at) = path.iter().rposition(|open| *open == closed) {
                path.truncate(at);
            }
            continue;
        }
        let parent = path.last().copied().unwrap_or_default();
        match (parent, tag) {
            ("project", "artifactId") => manifest.name = Some(value.to_owned()),
            ("dependency", "groupId") => entry.group = value,
            ("dependency", "artifactId") => entry.artifact = value,
            ("dependency", "version") => entry.version = value,
            ("dependency", "scope") => entry.scope = value,
            _ => {}
        }
        if path.len() < DEEPEST {
            path.push(tag);
        }
    }
}

/// A dependency that is being read.
#[derive(Default)]
struct Entry<'a> {
    group: &'a str,
    artifact: &'a str,
    version: &'a str,
    scope: &'a str,
}

/// Returns the tags of an XML text, `/name` for a closing one, each with the text after it.
fn elements(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once('<')?;
            if let Some(comment) = after.strip_prefix("!--") {
                rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
                continue;
            }
            let (tag, after) = after.split_once('>')?;
            rest = after;
            let is_element =
                tag.starts_with(|letter: char| letter.is_alphabetic() || letter == '/');
            if is_element && !tag.ends_with('/') {
                let name = tag.split_whitespace().next().unwrap_or(tag);
                let value = after.split('<').next().unwrap_or_default().trim();
                return Some((name, value));
            }
        }
    })
}

/// The configurations of Gradle that name a dependency, and whether only tests need it.
const CONFIGURATIONS: [(&str, bool); 13] = [
    ("annotationProcessor", true),
    ("androidTestImplementation", true),
    ("api", false),
    ("classpath", true),
    ("compile", false),
    ("compileOnly", true),
    ("implementation", false),
    ("kapt", true),
    ("runtimeOnly", false),
    ("testCompile", true),
    ("testImplementation", true),
    ("testRuntimeOnly", true),
    ("debugImplementation", true),
];

/// Reads a `build.gradle`, in Groovy or Kotlin.
pub(super) fn read_gradle(manifest: &mut Manifest, text: &str) {
    for line in text.lines().map(str::trim) {
        let end = line.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        if let Some((_, dev)) = CONFIGURATIONS.iter().find(|(name, _)| *name == word) {
            gradle_dependency(manifest, rest, *dev);
        } else if word == "task" || line.starts_with("tasks.register") {
            let name = quoted(rest).unwrap_or_else(|| rest.trim());
            let is_name = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
            let end = name.find(|letter| !is_name(letter)).unwrap_or(name.len());
            manifest.script(&name[..end], "task");
        } else if matches!(word, "archivesBaseName" | "rootProject") && manifest.name.is_none() {
            manifest.name = quoted(rest).map(str::to_owned);
        }
    }
}

/// Notes what a line of Gradle's dependencies names.
fn gradle_dependency(manifest: &mut Manifest, rest: &str, dev: bool) {
    let Some(text) = quoted(rest) else { return };
    if rest.contains("project(") {
        return manifest.depend(text, Some("project"), dev);
    }
    let mut parts = text.splitn(3, ':');
    let (Some(group), Some(artifact)) = (parts.next(), parts.next()) else { return };
    manifest.depend(&format!("{group}:{artifact}"), parts.next(), dev);
}

/// Returns the first text in quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\''])?;
    let quote = if text[start..].starts_with('"') { '"' } else { '\'' };
    text[start + 1..].split_once(quote).map(|(inner, _)| inner)
}
