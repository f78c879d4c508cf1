//! Ids as a terminal shows them: the shortest beginning that only one memory has.

use std::collections::BTreeMap;

use quipu_core::journal::is_short_id;
use quipu_engine::index;

use crate::context::Context;
use crate::output;

/// Returns a text for a person at a terminal, with short ids. Files, programs and agents get whole ones.
pub(crate) fn shown(text: &str, context: &Context) -> String {
    if !context.is_person_at_terminal() {
        return text.to_owned();
    }
    let Ok(workspace) = context.glimpse() else { return text.to_owned() };
    let mut known = BTreeMap::new();
    let mut short = |id: &str| -> Option<String> {
        known.entry(id.to_owned()).or_insert_with(|| index::short_name(&workspace, id)).clone()
    };
    output::between_styles(text, |words| shortened(words, &mut short))
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

/// Returns the words of a text and where each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().take_while(|byte| !is_part(**byte)).count();
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

    #[test]
    fn ids_in_colour_become_short_too() {
        let id = |id: &str| output::styled(output::Style::Cyan, id);
        let short = |id: &str| (id == "k7m2qd4xwz").then(|| "k7m2".to_owned());
        let text = format!("{} is pinned, {}", id("k7m2qd4xwz"), id("k7m2qd4xwy"));
        let shown = output::between_styles(&text, |words| shortened(words, short));
        assert_eq!(shown, format!("{} is pinned, {}", id("k7m2"), id("k7m2qd4xwy")));
    }
}
