//! The shape of the code: no cycles, small files, every thing in its crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::source::{self, Source};

/// No source file is longer.
const LONGEST: usize = 600;

/// No type is implemented in more files.
const MOST_FILES: usize = 6;

/// The modules of the engine that touch files of this machine themselves: the trait for it, locks, and settings
/// that are the user's own.
const FILE_MODULES: [&str; 3] = ["fs", "lock", "config"];

/// Returns everything that is not as it should be.
pub(crate) fn findings(root: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    for folder in crates(root) {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let sources = source::of_crate(root, &folder);
        cycles(&name, &sources, &mut findings);
        long(&sources, &mut findings);
        scattered(&name, &sources, &mut findings);
        // `bench` measures bare SQLite too, as the baseline that a store is compared with; `quipu-import` reads
        // databases of other programs.
        if !["quipu-store", "quipu-import", "bench"].contains(&name.as_str()) {
            for source in sources.iter().filter(|source| source.code.contains("rusqlite")) {
                findings.push(format!("{}: names rusqlite; only quipu-store does", source.file));
            }
        }
        if name == "quipu-engine" {
            around_the_file_system(&sources, &mut findings);
        }
    }
    findings
}

/// Finds modules of the engine that touch files past the one trait for it, so that no test can make them fail.
fn around_the_file_system(sources: &[Source], findings: &mut Vec<String>) {
    let may = |source: &Source| {
        source.module.first().is_some_and(|module| FILE_MODULES.contains(&module.as_str()))
    };
    for source in sources.iter().filter(|source| !may(source) && source.code.contains("std::fs")) {
        findings.push(format!("{}: uses std::fs; only `fs` does", source.file));
    }
}

fn crates(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.push(root.join("bench"));
    folders.push(root.join("xtask"));
    folders.sort();
    folders
}

fn long(sources: &[Source], findings: &mut Vec<String>) {
    for source in sources.iter().filter(|source| source.lines > LONGEST) {
        findings.push(format!("{}: {} lines, more than {LONGEST}", source.file, source.lines));
    }
}

/// Finds types that are implemented all over a crate. Types of the same name are told apart by the module that
/// declares them: an `impl` means the nearest one.
fn scattered(name: &str, sources: &[Source], findings: &mut Vec<String>) {
    let mut declared: BTreeMap<String, BTreeSet<&[String]>> = BTreeMap::new();
    for source in sources {
        for subject in source.declared() {
            declared.entry(subject).or_default().insert(&source.module);
        }
    }
    let mut files: BTreeMap<(String, Option<&[String]>), BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        for subject in source.implemented() {
            let modules = declared.get(&subject).into_iter().flatten().copied();
            let nearest = modules.max_by_key(|module| shared(module, &source.module));
            files.entry((subject, nearest)).or_default().insert(&source.file);
        }
    }
    for ((subject, _), files) in files.iter().filter(|(_, files)| files.len() > MOST_FILES) {
        findings.push(format!("{name}: `{subject}` is implemented in {} files", files.len()));
    }
}

/// Returns how many parts two paths of modules share at their beginnings.
fn shared(one: &[String], other: &[String]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Finds modules that need each other. Modules are compared with their siblings: what one of them, or anything
/// inside of it, names in another is a need. That a parent knows its children and they know it is none.
fn cycles(name: &str, sources: &[Source], findings: &mut Vec<String>) {
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| &source.module[..]).collect();
    let mut needs: BTreeMap<Vec<String>, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for source in sources {
        for named in source.names() {
            // The longest beginning of what is named that is a module.
            let target = (0..=named.len()).rev().map(|end| &named[..end]);
            let Some(target) = target.into_iter().find(|path| modules.contains(path)) else {
                continue;
            };
            let shared = shared(&source.module, target);
            if let (Some(from), Some(to)) = (source.module.get(shared), target.get(shared)) {
                let level = needs.entry(target[..shared].to_vec()).or_default();
                level.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    for (parent, level) in &needs {
        for cycle in knots(level) {
            let place = if parent.is_empty() { "crate".to_owned() } else { parent.join("::") };
            findings
                .push(format!("{name}: in {place} these need each other: {}", cycle.join(", ")));
        }
    }
}

/// Returns the groups of nodes that can be reached from each other.
fn knots(needs: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |start: &String| {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut todo: Vec<&String> = needs.get(start).into_iter().flatten().collect();
        while let Some(next) = todo.pop() {
            if seen.insert(next.clone()) {
                todo.extend(needs.get(next).into_iter().flatten());
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        needs.keys().map(|node| (node, reach(node))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for (node, others) in reached.iter().filter(|(node, others)| others.contains(**node)) {
        if found.iter().any(|knot| knot.contains(*node)) {
            continue;
        }
        let is_mutual =
            |other: &&String| reached.get(other).is_some_and(|back| back.contains(*node));
        found.push(others.iter().filter(is_mutual).cloned().collect());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(module: &str, code: &str) -> Source {
        let parts = module.split("::").map(str::to_owned).collect();
        Source { file: format!("{module}.rs"), module: parts, lines: 1, code: code.to_owned() }
    }

    #[test]
    fn the_shape_holds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(findings(root), Vec::<String>::new());
    }

    #[test]
    fn types_of_one_name_are_told_apart_by_the_modules_that_declare_them() {
        let found = |sources: &[Source]| {
            let mut findings = Vec::new();
            scattered("a", sources, &mut findings);
            findings
        };
        let own = |at: usize| source(&format!("m{at}"), "struct Reader;\nimpl Reader {}\n");
        assert!(found(&(0..9).map(own).collect::<Vec<_>>()).is_empty());
        let inner = |at: usize| source(&format!("m::n{at}"), "impl super::Reader {}\n");
        let mut one: Vec<Source> = (0..MOST_FILES).map(inner).collect();
        one.push(source("m", "pub(crate) struct Reader<'a> {}\nimpl Reader<'_> {}\n"));
        one.push(own(0));
        assert_eq!(found(&one), ["a: `Reader` is implemented in 7 files"]);
    }
}
