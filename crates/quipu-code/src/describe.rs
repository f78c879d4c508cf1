//! The words for a code base: one text for a source file, one for a manifest, one for the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use quipu_core::text::ellipsis;

use crate::language::Language;
use crate::manifest::{Dependency, Manifest};
use crate::symbol::{Outline, Symbol, SymbolKind};

/// A file is described in about so many characters.
const FILE: usize = 2_000;

/// A manifest is described in about so many characters.
const MANIFEST: usize = 2_000;

/// A tree is described in about so many characters.
const TREE: usize = 4_000;

/// So many names of a folder's files are shown.
const NAMES: usize = 12;

/// A path has no more parts than this.
const DEEPEST: usize = 12;

/// Room for the line that says how much is left out.
const LAST_LINE: usize = 24;

/// Returns what a source file is, as a text to remember: what it is for, and what others can use.
pub fn describe(path: &str, language: Language, outline: &Outline) -> String {
    let mut text = format!("{path} ({}, {})", language.as_str(), counted(outline.lines, "line"));
    if let Some(doc) = &outline.doc {
        let _ = write!(text, ": {doc}"); // writing to a string cannot fail
    }
    let symbols = shown(&outline.symbols);
    let long: usize = symbols.iter().map(|symbol| length(&line(symbol, true))).sum();
    let with_docs = length(&text) + long <= FILE;
    let mut seen = BTreeSet::new();
    let lines: Vec<(u8, String)> = symbols
        .iter()
        .map(|symbol| (rank(symbol), line(symbol, with_docs)))
        .filter(|(_, line)| seen.insert(line.clone()))
        .collect();
    let kept = fitting(&lines, FILE.saturating_sub(length(&text) + LAST_LINE));
    for (_, line) in kept.iter().map(|at| &lines[*at]) {
        text.push('\n');
        text.push_str(line);
    }
    left_out(&mut text, lines.len() - kept.len());
    text
}

/// Returns what a manifest says, as a text to remember.
pub fn describe_manifest(path: &str, manifest: &Manifest) -> String {
    let mut text = format!("{path} ({})", manifest.kind.as_str());
    if let Some(name) = &manifest.name {
        let _ = write!(text, ": {name}"); // writing to a string cannot fail
    }
    let named = |dev: bool| -> Vec<String> {
        let wanted = manifest.dependencies.iter().filter(|dependency| dependency.dev == dev);
        wanted.map(shown_dependency).collect()
    };
    let scripts = manifest.scripts.iter();
    let scripts: Vec<String> = scripts
        .map(|(name, does)| if does.is_empty() { name.clone() } else { format!("{name} ({does})") })
        .collect();
    let lists = [("Runs", scripts), ("Depends on", named(false)), ("For development", named(true))];
    for (title, entries) in lists {
        if !entries.is_empty() {
            let room = MANIFEST.saturating_sub(length(&text) + title.len() + LAST_LINE);
            let _ = write!(text, "\n{title}: {}", joined(&entries, room)); // as above
        }
    }
    text
}

/// Returns a tree of files, given as path and number of lines: folders with what they hold.
pub fn describe_tree(paths: &[(String, usize)]) -> String {
    let mut all = Folder::default();
    for (path, lines) in paths {
        all.add(path, *lines);
    }
    let head = format!("{} in all: {}", counted(paths.len(), "file"), all.shown());
    for (depth, names) in
        [(DEEPEST, true)].into_iter().chain((1..=DEEPEST).rev().map(|d| (d, false)))
    {
        let text = tree(&head, paths, depth, names);
        if length(&text) <= TREE {
            return text;
        }
    }
    // A folder with hundreds of folders: the first of them, and a count.
    let text = tree(&head, paths, 1, false);
    let lines: Vec<(u8, String)> = text.lines().skip(1).map(|line| (0, line.to_owned())).collect();
    let kept = fitting(&lines, TREE - length(&head) - LAST_LINE);
    let mut text = head;
    for at in &kept {
        text.push('\n');
        text.push_str(&lines[*at].1);
    }
    left_out(&mut text, lines.len() - kept.len());
    text
}

/// What a folder holds.
#[derive(Default)]
struct Folder<'a> {
    languages: BTreeMap<&'static str, usize>,
    lines: usize,
    names: Vec<&'a str>,
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str, lines: usize) {
        let language = Language::of(path).map_or("other", Language::as_str);
        *self.languages.entry(language).or_default() += 1;
        self.lines += lines;
        self.names.push(path.rsplit('/').next().unwrap_or(path));
    }

    /// Returns the counts, the most first.
    fn shown(&self) -> String {
        let mut counts: Vec<(&str, usize)> = self.languages.iter().map(|(a, b)| (*a, *b)).collect();
        counts.sort_by_key(|(name, count)| (*name == "other", std::cmp::Reverse(*count), *name));
        let counts: Vec<String> =
            counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        format!("{}; {}", counts.join(", "), counted(self.lines, "line"))
    }
}

/// Returns the tree with folders down to a depth; deeper ones count for their ancestor.
fn tree(head: &str, paths: &[(String, usize)], depth: usize, with_names: bool) -> String {
    let mut folders: BTreeMap<&str, Folder<'_>> = BTreeMap::new();
    for (path, lines) in paths {
        let end = path.match_indices('/').map(|(at, _)| at + 1).take(depth).last().unwrap_or(0);
        folders.entry(&path[..end]).or_default().add(path, *lines);
    }
    let mut text = head.to_owned();
    let mut open: Vec<&str> = Vec::new();
    for (path, folder) in &mut folders {
        while open.last().is_some_and(|above| !path.starts_with(above)) {
            open.pop();
        }
        let name = path.strip_prefix(open.last().copied().unwrap_or_default()).unwrap_or(path);
        let name = if path.is_empty() { "./" } else { name };
        let indent = "  ".repeat(open.len());
        let _ = write!(text, "\n{indent}{name} ({})", folder.shown()); // writing to a string cannot fail
        if with_names {
            folder.names.sort_unstable();
            let rest = folder.names.len().saturating_sub(NAMES);
            folder.names.truncate(NAMES);
            let _ = write!(text, ": {}", folder.names.join(", ")); // as above
            if rest > 0 {
                let _ = write!(text, " and {rest} more"); // as above
            }
        }
        if !path.is_empty() {
            open.push(path);
        }
    }
    text
}

/// Returns what is worth saying: what others can use, or else what stands at the top of the file.
fn shown(symbols: &[Symbol]) -> Vec<&Symbol> {
    let public: Vec<&Symbol> = symbols.iter().filter(|symbol| symbol.is_public).collect();
    if public.is_empty() {
        return symbols.iter().filter(|symbol| symbol.parent.is_none()).collect();
    }
    public
}

/// Returns a symbol on one line.
fn line(symbol: &Symbol, with_doc: bool) -> String {
    let parent = symbol.parent.as_ref().map(|parent| format!("{parent}: ")).unwrap_or_default();
    match &symbol.doc {
        Some(doc) if with_doc => format!("{parent}{} // {doc}", symbol.signature),
        _ => format!("{parent}{}", symbol.signature),
    }
}

/// Returns what is left out last: types and functions tell more than their parts.
fn rank(symbol: &Symbol) -> u8 {
    match symbol.kind {
        SymbolKind::Method => 1,
        SymbolKind::Constant | SymbolKind::Macro => 2,
        _ => 0,
    }
}

/// Returns the lines that fit, in order. Those of low rank go first into the room there is.
fn fitting(lines: &[(u8, String)], mut room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| (lines[*at].0, *at));
    let mut kept = Vec::new();
    for at in order {
        let needs = length(&lines[at].1) + 1;
        if needs > room {
            break;
        }
        room -= needs;
        kept.push(at);
    }
    kept.sort_unstable();
    kept
}

/// Says how much is left out.
fn left_out(text: &mut String, count: usize) {
    if count > 0 {
        let _ = write!(text, "\n… and {count} more"); // writing to a string cannot fail
    }
}

/// Returns entries in a row, as many as fit, at least one.
fn joined(entries: &[String], room: usize) -> String {
    let mut row = ellipsis(&entries[0], room.max(LAST_LINE));
    for (at, entry) in entries.iter().enumerate().skip(1) {
        if length(&row) + length(entry) + 2 > room {
            let _ = write!(row, " … and {} more", entries.len() - at); // as above
            break;
        }
        row.push_str(", ");
        row.push_str(entry);
    }
    row
}

/// Returns a dependency with the version that is asked for.
fn shown_dependency(dependency: &Dependency) -> String {
    match &dependency.version {
        Some(version) => format!("{} {version}", dependency.name),
        None => dependency.name.clone(),
    }
}

/// Returns a number of things: `1 line`, `2 lines`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Returns the number of characters.
fn length(text: &str) -> usize {
    text.chars().count()
}
