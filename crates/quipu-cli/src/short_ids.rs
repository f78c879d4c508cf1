//! Ids as a terminal shows them: the shortest beginning that only one memory has.

use std::collections::BTreeMap;

use quipu_core::journal::is_short_id;
use quipu_engine::index;

use crate::context::Context;

/// Returns a text for a person at a terminal, with short ids. Files, programs and agents get whole ones.
pub(crate) fn shown(text: &str, context: &Context) -> String {
    if !context.is_person_at_terminal() || !words(text).any(|(_, word)| is_short_id(word)) {
        return text.to_owned();
    }
    let Ok(workspace) = context.glimpse() else { return text.to_owned() };
    let mut known = BTreeMap::new();
    shortened(text, |id| {
        let short = known.entry(id.to_owned()).or_insert_with(|| index::short_name(&workspace, id));
        short.clone()
    })
}

/// Replaces ids by the names that `short` has for them.
fn shortened(text: &str, mut short: impl FnMut(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for (at, word) in words(text) {
        if let Some(name) = Some(word).filter(|word| is_short_id(word)).and_then(&mut short) {
            result.push_str(&text[from..at]);
            result.push_str(&name);
            from = at + word.len();
        }
    }
    result.push_str(&text[from..]);
    result
}

/// Returns the words of a text and where each begins. Colours are no part of a word.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_part(bytes[at]) {
            let is_colour = bytes[at..].starts_with(b"\x1b[");
            at += 1;
            if is_colour {
                at += bytes[at..].iter().position(u8::is_ascii_alphabetic).map_or(0, |end| end + 1);
            }
        }
        let start = at;
        at += bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        (at > start).then(|| (start, &text[start..at]))
    })
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_/.".contains(&byte) || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_ids_become_short_and_nothing_else_changes() {
        let short = |id: &str| (id == "k7m2qd4xwz").then(|| "k7m2".to_owned());
        let table = [
            ("k7m2qd4xwz  record", "k7m2  record"),
            ("\u{1b}[36mk7m2qd4xwz\u{1b}[0m is pinned", "\u{1b}[36mk7m2\u{1b}[0m is pinned"),
            ("`quipu share k7m2qd4xwz` (k7m2qd4xwz)", "`quipu share k7m2` (k7m2)"),
            (
                "memory/k7m2qd4xwz background ak7m2qd4xwz",
                "memory/k7m2qd4xwz background ak7m2qd4xwz",
            ),
            ("ök7m2qd4xwz", "ök7m2qd4xwz"),
            ("", ""),
        ];
        for (text, expected) in table {
            assert_eq!(shortened(text, short), expected);
        }
    }
}
