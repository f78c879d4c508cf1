//! What a source file declares: its symbols, what it imports, what it says it is for.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::language::Language;
use crate::{parse, walk};

/// A file larger than this is data.
const MOST_BYTES: usize = 1 << 18;

/// A line longer than this was not written by hand.
const MOST_LINE: usize = 10_000;

/// Scripts from this size on whose lines are this long on average are packed.
const PACKED_BYTES: usize = 5_000;
const PACKED_LINE: usize = 200;

/// How many bytes at the start of a file can say that it is generated.
const HEAD: usize = 2_000;

/// What a source file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// What it declares, in order.
    pub symbols: Vec<Symbol>,
    /// The modules that it imports, as written, each once, in order.
    pub imports: Vec<String>,
    /// The first sentence that it says about itself.
    pub doc: Option<String>,
    /// How many lines it has.
    pub lines: usize,
    /// Whether parts of it could not be read.
    pub has_errors: bool,
}

/// Something that a source file declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What sort of thing it is.
    pub kind: SymbolKind,
    /// Its declaration on one line, without the body, at most 200 characters.
    pub signature: String,
    /// What it belongs to: a type, a module, or both (`pay::Card`).
    pub parent: Option<String>,
    /// The line of its declaration, from one.
    pub line: usize,
    /// Whether other files can use it.
    pub is_public: bool,
    /// The first sentence of its documentation, at most 160 characters.
    pub doc: Option<String>,
}

/// What sort of thing a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SymbolKind {
    Function,
    Method,
    Struct,
    Class,
    Enum,
    Trait,
    Interface,
    Type,
    Constant,
    Module,
    Macro,
}

impl SymbolKind {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Struct => "struct",
            Self::Class => "class",
            Self::Enum => "enum",
            Self::Trait => "trait",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Module => "module",
            Self::Macro => "macro",
        }
    }
}

/// Why a file is not outlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum Skipped {
    /// It is larger than source files are.
    #[error("{bytes} bytes are more than the {MOST_BYTES} that are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It holds bytes that no source has.
    #[error("it is not text")]
    Binary,
    /// Its lines are as a packer writes them.
    #[error("it is minified")]
    Minified,
    /// It says that a tool made it.
    #[error("it is generated")]
    Generated,
    /// Reading it takes more work than its size allows.
    #[error("it takes too long to read")]
    TooComplex,
}

/// Returns what a source file declares. A broken file gives what can be read of it.
///
/// # Errors
///
/// Says why a file is not worth reading, or cannot be read within bounds.
pub fn outline(language: Language, text: &str) -> Result<Outline, Skipped> {
    if let Some(why) = skipped(language, text) {
        return Err(why);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tree = parse::parse(language, text).ok_or(Skipped::TooComplex)?;
    let root = tree.root_node();
    let mut outline = walk::walk(language, text, root);
    outline.lines = text.lines().count();
    if language == Language::Java {
        // A Java file is about the first type that it declares.
        outline.doc = outline.symbols.first().and_then(|symbol| symbol.doc.clone());
    }
    outline.has_errors = root.has_error();
    hide_members(language, &mut outline.symbols);
    Ok(outline)
}

/// Returns why a text is not parsed at all.
fn skipped(language: Language, text: &str) -> Option<Skipped> {
    if text.len() > MOST_BYTES {
        return Some(Skipped::TooLarge { bytes: text.len() });
    }
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return Some(Skipped::Binary);
    }
    let (mut lines, mut longest) = (0, 0);
    for line in text.lines() {
        lines += 1;
        longest = longest.max(line.len());
    }
    let is_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    let is_packed = is_script && text.len() >= PACKED_BYTES && text.len() / lines > PACKED_LINE;
    if longest > MOST_LINE || is_packed {
        return Some(Skipped::Minified);
    }
    is_generated(text).then_some(Skipped::Generated)
}

/// Tells whether a comment at the start says that a tool made the file.
fn is_generated(text: &str) -> bool {
    let head = &text[..crate::text::boundary(text, HEAD)];
    head.lines().take(40).any(|line| {
        let line = line.trim_start();
        let is_comment =
            ["//", "/*", "*", "#", "\"\"\"", "--"].iter().any(|mark| line.starts_with(mark));
        if !is_comment {
            return false;
        }
        let line = line.to_ascii_lowercase();
        let is_made = line.contains("generated");
        line.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '@' | '_'))
            .any(|word| word == "@generated")
            || (is_made && line.contains("do not edit"))
            || line.contains("automatically generated by")
            || line.contains("autogenerated by")
            || line.contains("auto-generated by")
            || line.contains("generated by the protocol buffer compiler")
    })
}

/// Hides the members of what is hidden: nobody can use a public method of a private class.
fn hide_members(language: Language, symbols: &mut [Symbol]) {
    let separator = language.separator();
    let mut is_public: BTreeMap<String, bool> = BTreeMap::new();
    for symbol in symbols.iter() {
        if matches!(symbol.kind, SymbolKind::Method | SymbolKind::Function | SymbolKind::Constant) {
            continue;
        }
        let path = match &symbol.parent {
            Some(parent) => format!("{parent}{separator}{}", symbol.name),
            None => symbol.name.clone(),
        };
        *is_public.entry(path).or_default() |= symbol.is_public;
    }
    let hidden: BTreeSet<&str> =
        is_public.iter().filter(|(_, shown)| !**shown).map(|(path, _)| path.as_str()).collect();
    if hidden.is_empty() {
        return;
    }
    for symbol in symbols.iter_mut().filter(|symbol| symbol.is_public) {
        let Some(parent) = &symbol.parent else { continue };
        let ends = parent.match_indices(separator).map(|(at, _)| at).chain([parent.len()]);
        if ends.into_iter().any(|end| hidden.contains(&parent[..end])) {
            symbol.is_public = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_wrote_is_skipped_with_a_reason() {
        let long = format!("const a = \"{}\";", "x".repeat(MOST_LINE));
        let packed = format!("{}\n", "a=1;".repeat(100)).repeat(20);
        let big = "x = 1\n".repeat(200_000);
        for (language, text, why) in [
            (Language::Python, big.as_str(), Skipped::TooLarge { bytes: big.len() }),
            (Language::JavaScript, &long, Skipped::Minified),
            (Language::JavaScript, &packed, Skipped::Minified),
            (Language::C, "int a\0b;", Skipped::Binary),
            (Language::Go, "// Code generated by stringer; DO NOT EDIT.\n", Skipped::Generated),
            (Language::Rust, "// @generated\nfn a() {}\n", Skipped::Generated),
            (Language::Java, "/*\n * automatically generated by x\n */", Skipped::Generated),
        ] {
            assert_eq!(outline(language, text), Err(why), "{language:?}");
        }
    }

    #[test]
    fn a_program_that_generates_is_not_generated() {
        let text = "/// Prints `@generated_at`; ids are generated by hand.\nfn a() {}\n";
        assert!(outline(Language::Rust, text).is_ok());
    }

    #[test]
    fn an_empty_file_declares_nothing() {
        for language in Language::ALL {
            assert_eq!(outline(language, ""), Ok(Outline::default()), "{language:?}");
        }
    }
}
