//! What a text says about a repository: paths, names of code, scripts and dependencies, found by
//! rule. Whether any of it still holds is for the engine to find out, which can look.
//!
//! Paths are found generously, since only a repository's history can speak against one; names and
//! dependencies only where they plainly are such.

mod code;
mod path;
mod prose;
mod script;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use prose::is_historic;
use prose::{Token, tokens};
pub use script::Runner;

/// What a claim is about.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// A file or a folder is there.
    Path,
    /// Code has this name in it.
    Symbol,
    /// There is a script or a target of that name.
    Script(Runner),
    /// The project depends on this package.
    Dependency,
}

impl ClaimKind {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Symbol => "symbol",
            Self::Script(_) => "script",
            Self::Dependency => "dependency",
        }
    }
}

/// Something that a text says is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Claim {
    /// What it is about.
    pub kind: ClaimKind,
    /// The path, the name of code, the script or the package, without a line number or the like. A
    /// folder keeps the `/` at its end.
    pub text: String,
    /// Whether the text says of it that it is no more, or is not there.
    pub historic: bool,
    /// Where the text says so first.
    pub span: Range<usize>,
}

impl Claim {
    /// Returns the identifiers that code must have for a symbol to be there: of `a::Thing::load()`
    /// these are `Thing` and `load`.
    pub fn identifiers(&self) -> impl Iterator<Item = &str> {
        code::identifiers(&self.text)
    }
}

impl std::fmt::Display for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            ClaimKind::Script(runner) => write!(f, "{} {}", runner.command(), self.text),
            _ => f.write_str(&self.text),
        }
    }
}

/// Returns what a text claims, each thing once, in the order of the text.
///
/// A thing that one sentence calls gone is historic in the whole text: whoever wrote it knew.
pub fn claims(text: &str) -> Vec<Claim> {
    let tokens = tokens(text);
    let mut found: BTreeMap<(ClaimKind, String), Claim> = BTreeMap::new();
    let mut add = |kind: ClaimKind, name: String, token: &Token<'_>, at: &str| {
        let start = token.start + token.text.find(at).unwrap_or(0);
        let claim = Claim {
            kind,
            text: name.clone(),
            historic: token.historic,
            span: start..start + at.len(),
        };
        let known = found.entry((kind, name)).or_insert(claim);
        known.historic |= token.historic;
    };
    for (at, token) in tokens.iter().enumerate() {
        if token.is_code {
            from_code(&tokens, at, &mut add);
        } else {
            from_prose(&tokens, at, &mut add);
        }
    }
    let mut claims: Vec<Claim> = found.into_values().collect();
    claims.sort_by(|a, b| (a.span.start, a.kind, &a.text).cmp(&(b.span.start, b.kind, &b.text)));
    claims
}

type Add<'a> = dyn FnMut(ClaimKind, String, &Token<'_>, &str) + 'a;

fn from_code(tokens: &[Token<'_>], at: usize, add: &mut Add<'_>) {
    let token = &tokens[at];
    let text = token.text.trim();
    let words: Vec<&str> = text.split_whitespace().collect();
    for (runner, name) in script::scripts(&words, true) {
        add(ClaimKind::Script(runner), name.to_owned(), token, name);
    }
    if let [word] = words[..] {
        if code::names_dependency(tokens, at) && code::is_package(word) {
            return add(ClaimKind::Dependency, word.to_owned(), token, word);
        }
        if let Some(found) = path::parse(word, true) {
            return add_path(found, token, word, add);
        }
    } else {
        for word in words.iter().flat_map(|word| path::split(word)) {
            // A bare name among the words of a command may be anything.
            if let Some(found) = path::parse(word, true).filter(|found| found.path.contains('/')) {
                add_path(found, token, word, add);
            }
        }
    }
    if let Some(name) = code::symbol(text, code::is_named_code(tokens, at)) {
        add(ClaimKind::Symbol, name, token, text);
    }
}

fn from_prose(tokens: &[Token<'_>], at: usize, add: &mut Add<'_>) {
    let token = &tokens[at];
    for word in path::split(token.text) {
        if let Some(found) = path::parse(word, false) {
            add_path(found, token, word, add);
        }
    }
    let sentence = tokens[at..].iter().take(4).take_while(|next| !next.is_code);
    let words: Vec<&str> = sentence.map(|next| path::trim(next.text)).collect();
    if let Some((runner, name)) = script::script(&words, false) {
        add(ClaimKind::Script(runner), name.to_owned(), token, token.text);
    }
    if code::names_dependency(tokens, at) {
        let word = path::trim(token.text);
        if word.starts_with('@') && code::is_package(word) {
            add(ClaimKind::Dependency, word.to_owned(), token, word);
        }
    }
    if at > 0 && code::is_keyword(tokens[at - 1].text) {
        let word = path::trim(token.text);
        if let Some(name) = code::symbol(word, false) {
            add(ClaimKind::Symbol, name, token, word);
        }
    }
}

fn add_path(found: path::Found, token: &Token<'_>, word: &str, add: &mut Add<'_>) {
    if let Some(name) = found.inside.and_then(|inside| code::symbol(inside, true)) {
        add(ClaimKind::Symbol, name, token, word);
    }
    add(ClaimKind::Path, found.path, token, word);
}

#[cfg(test)]
mod tests;
