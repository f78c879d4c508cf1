//! Which pieces of code are names that the project's code has in it, and which are packages.

use super::path;
use super::prose::Token;

/// Words that say that the next one is a name of code.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "function", "class", "def", "method", "fn", "func", "struct", "enum", "trait", "interface",
    "type", "macro", "constant", "module",
];

/// Words that stand before them in a declaration.
#[rustfmt::skip]
const MODIFIERS: &[&str] = &[
    "pub", "pub(crate)", "pub(super)", "async", "export", "default", "const", "static", "public",
    "private", "protected", "abstract", "final", "unsafe", "extern",
];

/// Names that every other project has, or that mean no code of this one.
#[rustfmt::skip]
const NOISE: &[&str] = &[
    "self", "this", "cls", "super", "crate", "std", "core", "alloc", "none", "null", "true",
    "false", "some", "ok", "err", "string", "vec", "option", "result", "hashmap", "hashset",
    "btreemap", "btreeset", "github", "gitlab", "javascript", "typescript", "nodejs", "postgresql",
    "mysql", "sqlite", "macos", "ios", "openai", "chatgpt", "linkedin", "youtube", "devops",
    "graphql", "mongodb", "dynamodb", "fastapi", "pytorch", "tensorflow", "numpy", "restful",
    "oauth", "todo", "fixme", "readme", "console", "window", "document", "math", "json", "object",
    "array", "promise", "print", "println", "printf", "len", "str", "int", "float", "bool", "dict",
    "list", "set", "tuple", "usize", "unwrap", "expect", "clone", "main", "init", "new", "default",
    "from", "into", "get", "put", "post", "delete", "patch", "head", "test", "log", "map", "filter",
    "reduce", "require", "import", "open", "close", "read", "write", "run", "exit", "stringify",
    "parse", "__init__", "__main__", "__name__", "foo", "bar", "baz", "qux", "foo_bar", "foobar",
    "my_func", "myclass", "my_function", "snake_case", "camelcase", "pascalcase", "user_id",
];

/// Words after which a piece of code is a package.
#[rustfmt::skip]
const DEPENDS: &[&str] = &[
    "use", "uses", "using", "require", "requires", "import", "imports", "install", "installs",
    "installed", "depend", "depends", "dependency", "dependencies",
];

/// Words before which it is one.
const PACKAGES: &[&str] = &["crate", "package", "library", "dependency", "gem", "npm"];

/// Tells whether a word says that a name of code follows.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Tells whether the words around a piece of code call it a name of code.
pub(super) fn is_named_code(tokens: &[Token<'_>], at: usize) -> bool {
    let is_near = |other: Option<&Token<'_>>| {
        other.is_some_and(|other| {
            other.sentence == tokens[at].sentence
                && !other.is_code
                // A "type" is as often one of commits, of events or of people.
                && !matches!(path::trim(other.text), "type" | "Type" | "module" | "Module")
                && is_keyword(path::trim(other.text).to_lowercase().as_str())
        })
    };
    is_near(at.checked_sub(1).map(|before| &tokens[before])) || is_near(tokens.get(at + 1))
}

/// Tells whether the words around a piece of code call it a package.
pub(super) fn names_dependency(tokens: &[Token<'_>], at: usize) -> bool {
    let same = |other: &&Token<'_>| other.sentence == tokens[at].sentence;
    let after = tokens.get(at + 1).filter(same).filter(|next| !next.is_code);
    if after.is_some_and(|next| PACKAGES.contains(&path::trim(next.text))) {
        return true;
    }
    // "uses `a`, `b` and `c`" names three.
    let mut before = tokens[..at].iter().rev().take_while(same).skip_while(|token| {
        token.is_code || matches!(token.text, "," | "and" | "&" | "the" | "on" | "or")
    });
    before.next().is_some_and(|word| DEPENDS.contains(&&*word.text.to_lowercase()))
}

/// Tells whether a word can be a package's name.
pub(super) fn is_package(word: &str) -> bool {
    let (scope, name) = match word.strip_prefix('@').map(|rest| rest.split_once('/')) {
        Some(Some((scope, name))) => (scope, name),
        Some(None) => return false,
        None => ("scope", word),
    };
    let is_name = |part: &str| {
        part.len() > 1
            && part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|b| {
                b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.')
            })
    };
    is_name(scope) && is_name(name) && path::parse(word, true).is_none()
}

/// Returns the name of code that a piece of code is, as it is looked for.
///
/// `is_named` says that the words around it call it one; then it need not look like one.
pub(super) fn symbol(text: &str, is_named: bool) -> Option<String> {
    let declared = declared(text);
    let (text, is_named) = (declared.unwrap_or(text), is_named || declared.is_some());
    let text = text.trim_start_matches(['&', '*', '@']).trim_end_matches([';', '?']);
    let (name, is_called) = match text.find(['(', '<', '{']) {
        Some(at) => (&text[..at], text[at..].starts_with('(')),
        None => text.strip_suffix('!').map_or((text, false), |name| (name, true)),
    };
    let name = name.trim_end();
    if name.len() < 3 || name.len() > 120 || !split(name).all(is_identifier) {
        return None;
    }
    let parts: Vec<&str> = identifiers(name).collect();
    let (first, last) = (parts.first()?, parts.last()?);
    let accepted = if parts.len() == 1 && first.len() == name.len() {
        is_named || is_called || looks_like_code(last)
    } else if name.contains("::") {
        true
    } else {
        // `a.b` is as often a setting or an address.
        is_called || parts.iter().any(|part| looks_like_code(part))
    };
    accepted.then(|| name.to_owned())
}

/// Returns what `pub fn NAME(…)` or the like declares.
fn declared(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let (word, after) = rest.split_once(' ')?;
        rest = after.trim_start();
        if is_keyword(word) {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            return (end > 0).then(|| &rest[..end]);
        }
        if !MODIFIERS.contains(&word) {
            return None;
        }
    }
}

/// Returns the parts of a name that are worth looking for.
pub(super) fn identifiers(name: &str) -> impl Iterator<Item = &str> {
    split(name).filter(|part| part.len() >= 3 && !NOISE.contains(&&*part.to_ascii_lowercase()))
}

fn split(name: &str) -> impl Iterator<Item = &str> {
    name.split("::").flat_map(|part| part.split(['.', '#']))
}

fn is_identifier(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// `snake_case`, `camelCase`, `PascalCase`, `UPPER_CASE`.
fn looks_like_code(part: &str) -> bool {
    let inner = part.trim_matches('_');
    let has_hump = inner
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    part.len() >= 4 && (inner.contains('_') || has_hump)
}
