//! Links in the documentation lead somewhere: to a file of this repository, and to a heading in it.
//! Every page of the book is listed in `docs/SUMMARY.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::docs::SOURCE;

/// Markdown files outside of `docs/` whose links are checked too.
const OTHERS: [&str; 11] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "GLOSSARY.md",
    "SECURITY.md",
    ".github/pull_request_template.md",
    "bench/README.md",
    "examples/evolving-memory/README.md",
    "integrations/claude-code/README.md",
    "tools/distil/README.md",
];

/// A link in a file: the line and where it leads.
struct Link {
    line: usize,
    target: String,
}

/// The lines of a document that are not code, with their numbers.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fence = None;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let marks = start.chars().take_while(|mark| *mark == '`').count();
        match fence {
            None if marks >= 3 => fence = Some(marks),
            Some(open) if marks >= open => fence = None,
            None => lines.push((index + 1, line.to_owned())),
            Some(_) => (),
        }
    }
    lines
}

/// Returns a line without inline code, so that brackets in code are no links. Code may go on in the
/// next line of a paragraph.
fn without_code(line: &str, in_code: &mut bool) -> String {
    if line.trim().is_empty() || line.starts_with(['|', '-', '#']) {
        *in_code = false;
    }
    let mut kept = String::new();
    for (index, part) in line.split('`').enumerate() {
        *in_code ^= index > 0;
        if !*in_code {
            kept.push_str(part);
        }
    }
    kept
}

/// Reads `[text](target)`, `![text](target)` and `src="target"`.
fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (line, words) in prose(text) {
        let words = without_code(&words, &mut in_code);
        for (start, end) in [("](", ')'), ("src=\"", '"')] {
            for part in words.split(start).skip(1) {
                let target = part.split([end, ' ']).next().unwrap_or_default().to_owned();
                found.push(Link { line, target });
            }
        }
    }
    found
}

/// The anchor that code hosts and mdBook make of a heading.
fn slug(heading: &str) -> String {
    let mut shown = String::new();
    let mut rest = heading;
    while let Some((before, after)) = rest.split_once("](") {
        shown.push_str(&before.replace('[', ""));
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    shown.push_str(rest);
    let kept = shown.trim().to_lowercase();
    let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    kept.chars().filter(is_kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a document's headings; a heading that occurs again gets a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text) {
        let hashes = line.chars().take_while(|mark| *mark == '#').count();
        if let (1..=6, Some(heading)) = (hashes, line[hashes..].strip_prefix(' ')) {
            let slug = slug(heading);
            let times = seen.entry(slug.clone()).or_default();
            anchors.insert(if *times == 0 { slug } else { format!("{slug}-{times}") });
            *times += 1;
        }
    }
    anchors
}

/// Resolves `..` without asking the file system.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            Component::CurDir => (),
            part => parts.push(part),
        }
    }
    parts
}

/// The Markdown files of the book, as paths from the root of the repository.
fn book() -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(SOURCE).join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if Path::new(SOURCE).join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.insert(path);
            }
        }
    }
    found
}

/// What is wrong with a link of `document`.
fn problem(document: &Path, target: &str) -> Option<&'static str> {
    let is_elsewhere =
        ["https://", "http://", "mailto:"].iter().any(|start| target.starts_with(start));
    if is_elsewhere {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = document.parent().unwrap_or(Path::new(""));
    let file = if path.is_empty() { document.to_owned() } else { normal(&folder.join(path)) };
    let full = Path::new(SOURCE).join(&file);
    if full.is_dir() {
        return Some("is a folder: name a file in it");
    }
    if !full.is_file() {
        return Some("is not there");
    }
    let is_missing =
        !anchor.is_empty() && !anchors(&fs::read_to_string(full).unwrap()).contains(anchor);
    is_missing.then_some("has no such heading")
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let mut problems = Vec::new();
    let mut checked = 0;
    let others = OTHERS.iter().map(PathBuf::from);
    for document in book().into_iter().chain(others) {
        let text = fs::read_to_string(Path::new(SOURCE).join(&document)).unwrap();
        for link in links(&text) {
            checked += 1;
            if let Some(problem) = problem(&document, &link.target) {
                problems.push(format!(
                    "{}:{}: {} {problem}",
                    document.display(),
                    link.line,
                    link.target
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(checked > 200, "only {checked} links were found");
}

#[test]
fn every_page_is_in_the_book_once() {
    let summary = fs::read_to_string(Path::new(SOURCE).join("docs/SUMMARY.md")).unwrap();
    let listed: Vec<PathBuf> =
        links(&summary).iter().map(|link| Path::new("docs").join(&link.target)).collect();
    let unique: BTreeSet<PathBuf> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), unique.len(), "a page is listed twice");
    let mut pages = book();
    pages.remove(Path::new("docs/SUMMARY.md"));
    let missing: Vec<_> = pages.difference(&unique).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

#[test]
fn anchors_are_those_of_code_hosts() {
    assert_eq!(slug("A `.quipu/` of version 0.1"), "a-quipu-of-version-01");
    assert_eq!(slug("Leaving: `quipu uninstall`"), "leaving-quipu-uninstall");
    assert_eq!(slug("See [the page](web.md), twice"), "see-the-page-twice");
    let twice = anchors("# One\n```\n# no heading\n```\n## One\n");
    assert_eq!(twice.into_iter().collect::<Vec<_>>(), ["one", "one-1"]);
}
