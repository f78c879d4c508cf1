//! Source files as text: their modules, the modules that they name, the types that they implement.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file of a crate.
pub(crate) struct Source {
    /// The file, from the repository's root.
    pub(crate) file: String,
    /// The path of its module, such as `recall`, `filter`; none for `lib.rs`.
    pub(crate) module: Vec<String>,
    /// How many lines it has.
    pub(crate) lines: usize,
    /// The code without comments, texts and tests.
    pub(crate) code: String,
}

/// Returns the source files of a crate.
pub(crate) fn of_crate(root: &Path, folder: &Path) -> Vec<Source> {
    let src = folder.join("src");
    let mut files = Vec::new();
    collect(&src, &mut files);
    files.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let inner = path.strip_prefix(&src).ok()?.with_extension("");
        let mut module: Vec<String> =
            inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        module.retain(|part| !matches!(part.as_str(), "lib" | "main" | "mod"));
        let file = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
        Some(Source { file, module, lines: text.lines().count(), code: code_of(&text) })
    };
    files.into_iter().filter_map(read).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && path.file_stem().is_some_and(|stem| stem != "tests")
        {
            files.push(path);
        }
    }
}

/// Returns code without comments, without what stands in quotes, and without the tests at its end.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let mut code = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => drop(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
                code.push_str("\"\"");
            }
            // A quote as a character is no beginning of a text.
            '\'' => {
                code.push(c);
                if chars.peek() == Some(&'"') {
                    chars.next();
                } else if chars.peek() == Some(&'\\') {
                    chars.next();
                    chars.next();
                }
            }
            c => code.push(c),
        }
    }
    code
}

impl Source {
    /// Returns the absolute paths that it names: `crate::…`, `super::…` and `self::…`, groups resolved.
    pub(crate) fn names(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        for start in ["crate::", "super::", "self::"] {
            for (at, _) in self.code.match_indices(start) {
                let before = self.code[..at].chars().next_back();
                // `super::super::x` is read from its beginning, and `$crate::` is in a macro.
                let is_inside =
                    before.is_some_and(|c| c == ':' || c == '$' || c.is_alphanumeric() || c == '_');
                if !is_inside {
                    paths(&self.code[at..], &mut Vec::new(), &mut |path| found.push(path.to_vec()));
                }
            }
        }
        found.into_iter().filter_map(|path| self.absolute(&path)).collect()
    }

    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut base = self.module.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            _ => {}
        }
        while rest.first().is_some_and(|part| part == "super") {
            base.pop()?;
            rest = &rest[1..];
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// Returns the types that it declares.
    pub(crate) fn declared(&self) -> Vec<String> {
        let name = |line: &str| {
            let line = line.trim_start();
            let line = match line.strip_prefix("pub") {
                Some(rest) if rest.starts_with('(') => {
                    rest.split_once(") ").map_or("", |(_, rest)| rest)
                }
                Some(rest) => rest.trim_start(),
                None => line,
            };
            let rest = line.strip_prefix("struct ").or_else(|| line.strip_prefix("enum "))?;
            Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        };
        self.code.lines().filter_map(name).collect()
    }

    /// Returns the types for which it has an `impl` block.
    pub(crate) fn implemented(&self) -> Vec<String> {
        let mut types = Vec::new();
        for line in self.code.lines().filter(|line| line.starts_with("impl")) {
            let Some(head) = line.strip_prefix("impl") else { continue };
            // Without the parameters of the block itself.
            let head = match head.strip_prefix('<') {
                Some(inner) => inner.split_once('>').map_or("", |(_, rest)| rest),
                None => head,
            };
            let subject = head.split(" for ").last().unwrap_or(head).trim();
            let name: String = subject
                .chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                .collect();
            let name = name.rsplit("::").next().unwrap_or_default();
            if name.chars().next().is_some_and(char::is_uppercase) {
                types.push(name.to_owned());
            }
        }
        types
    }
}

/// Reads one path with its groups: `crate::a::{b, c::d}` is two. Returns how much was read.
fn paths(code: &str, prefix: &mut Vec<String>, each: &mut impl FnMut(&[String])) -> usize {
    let depth = prefix.len();
    let mut at = 0;
    loop {
        let rest = &code[at..];
        let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !word.is_empty() {
            at += word.len();
            prefix.push(word);
            if code[at..].starts_with("::") {
                at += 2;
                continue;
            }
            each(prefix);
        } else if rest.starts_with('{') {
            at += 1;
            loop {
                at += code[at..].len() - code[at..].trim_start().len();
                match code[at..].chars().next() {
                    Some('}') => {
                        at += 1;
                        break;
                    }
                    Some(',') => at += 1,
                    Some(_) => {
                        let read = paths(&code[at..], prefix, each);
                        at += read.max(1);
                    }
                    None => break,
                }
            }
        } else {
            each(prefix);
        }
        break;
    }
    prefix.truncate(depth);
    at
}
