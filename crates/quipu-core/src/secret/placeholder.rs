//! Values that stand where a secret would, and are none.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::compile;

/// Tells whether a value is a template, a redaction, a number or a stand-in.
pub(super) fn is_placeholder(key: &str, value: &str) -> bool {
    is_own_switch(key, value)
        || is_template(value)
        || is_number(value)
        || is_constant(key, value)
        || is_stand_in(value)
        || template_default(value)
            .is_some_and(|fallback| fallback.chars().count() < 8 || is_placeholder(key, fallback))
}

/// The original guard's own setting, which its documentation spells out.
fn is_own_switch(key: &str, value: &str) -> bool {
    let names = ["AGENT_MEMORY_SECRET_GUARD", "AGENT-MEMORY.SECRETGUARD"];
    let bare = value.trim_end_matches([')', '.', ',']);
    names.iter().any(|name| name.eq_ignore_ascii_case(key))
        && ["advisory", "enforcing"].iter().any(|word| word.eq_ignore_ascii_case(bare))
}

/// `${NAME}`, `${{ x }}`, `{X}`, `$(x)`, `{{x}}`, `<x>`, `%(x)s`, `(REDACTED)` or stars.
fn is_template(value: &str) -> bool {
    static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"(?i-u)\A(?:\$\{[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*:?\}|\$\{\{[^{}]+\}\}|\{[^{}\s]+\}|\$\([^)]+\)|\{\{[^{}]+\}\}|<[a-z0-9_.:-]+>|%\([a-z_][a-z0-9_]*\)s|\(redacted\)|\*+)\z",
        )
    });
    TEMPLATE.is_match(value.as_bytes())
}

/// Returns the fallback of `${NAME:fallback}` or `${NAME:-fallback}`.
pub(super) fn template_default(value: &str) -> Option<&str> {
    let inner = value.strip_prefix("${")?.strip_suffix('}')?;
    let (name, fallback) = inner.split_once(':')?;
    let fallback = fallback.strip_prefix('-').filter(|rest| !rest.is_empty()).unwrap_or(fallback);
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
    (named && !fallback.is_empty() && !fallback.contains(['{', '}'])).then_some(fallback)
}

/// Counts, dates, times, versions.
fn is_number(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b':' | b'/' | b'T'))
}

/// An upper-case word is a constant only where the key says that it chooses among some.
fn is_constant(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let chooses = ["source", "type", "mode", "mechanism", "strategy"].iter().any(|dimension| {
        key.strip_suffix(dimension)
            .is_some_and(|head| head.is_empty() || head.ends_with(['_', '.', '-']))
    });
    chooses
        && value.len() >= 3
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Words that stand where a secret would.
fn is_stand_in(value: &str) -> bool {
    static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
        let word = "changeme|change-me|example|sample|dummy|demo|test|placeholder";
        let rest = "[a-z0-9_.-]+";
        compile(&format!(
            r"(?i-u)\A(?:{word}|redacted|todo|x{{4,}}|your[-_]{rest}|(?:{word})[-_]{rest}|{rest}[-_](?:{word}))\z"
        ))
    });
    STAND_IN.is_match(value.as_bytes())
}

/// Tells whether an address of mail is nobody's: an example, or one that takes no answers.
pub(super) fn is_public_address(local: &str, domain: &str) -> bool {
    let (local, domain) = (local.to_ascii_lowercase(), domain.to_ascii_lowercase());
    ["git", "noreply", "no-reply"].contains(&local.as_str())
        || local.ends_with("+noreply")
        || domain.contains("noreply")
        || domain.starts_with("example.")
        || domain.contains(".example")
        || [".invalid", ".test", ".local", ".localhost"].iter().any(|end| domain.ends_with(end))
}
