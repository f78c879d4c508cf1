//! One entry in a YAML mapping, by whole lines. Only the plain block style is edited; a file in another
//! style is left alone, with a reason.

use std::fmt::Write as _;
use std::ops::Range;

use quipu_core::text;
use serde_json::Value;

use super::clients::NAME;
use super::jsonc::SyntaxError;
use super::jsonc::edit::Receipt;
use crate::without_line_break;

/// Returns what the entry `parent.quipu` says.
pub(super) fn look(text: &str, parent: &str) -> Result<Option<Value>, SyntaxError> {
    let Some(parent) = mapping(text, parent)? else { return Ok(None) };
    let Some(entry) = parent.entry(text) else { return Ok(None) };
    let mut members = serde_json::Map::new();
    let mut at = String::new();
    for line in text[entry].lines().skip(1).map(str::trim) {
        // Goose writes lists on lines of their own.
        if let Some(element) = line.strip_prefix("- ") {
            let list = members.entry(at.clone()).or_insert_with(|| Value::Array(Vec::new()));
            match list {
                Value::Array(elements) => elements.push(scalar(element)),
                other => *other = Value::Array(vec![scalar(element)]),
            }
        } else if let Some((key, value)) = line.split_once(':') {
            key.clone_into(&mut at);
            members.insert(at.clone(), scalar(value.trim()));
        }
    }
    Ok(Some(Value::Object(members)))
}

/// Entries are written as JSON, which is YAML; what is not stays the words it is.
fn scalar(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// Puts the entry first in its mapping.
pub(super) fn insert(
    text: &str,
    parent: &str,
    value: &Value,
) -> Result<(String, Receipt), SyntaxError> {
    let ending = text::line_ending(text);
    let found = mapping(text, parent)?;
    let (above, below) = text.split_at(found.as_ref().map_or(text.len(), |one| one.start));
    // The last line of a file, a header too, may lack its end.
    let broke = !above.is_empty() && !above.ends_with('\n');
    let gap = if broke { ending } else { "" };
    let header = if found.is_none() { format!("{parent}:{ending}") } else { String::new() };
    let made = usize::from(found.is_none());
    let indent = found.map_or("  ", |mapping| mapping.indent);
    let block = lines(value, indent, ending);
    let result = format!("{above}{gap}{header}{block}{below}");
    Ok((result, Receipt { made, broke, replaced: None }))
}

/// Takes the entry out. `None` where nothing of anybody else is left.
pub(super) fn remove(
    text: &str,
    parent: &str,
    receipt: &Receipt,
) -> Result<Option<String>, SyntaxError> {
    let Some(mapping) = mapping(text, parent)? else { return Ok(Some(text.to_owned())) };
    let Some(Range { start, end }) = mapping.entry(text) else {
        return Ok(Some(text.to_owned()));
    };
    let is_alone =
        text[mapping.start..start].trim().is_empty() && text[end..mapping.end].trim().is_empty();
    let from = if receipt.made > 0 && is_alone { mapping.header } else { start };
    let mut result = format!("{}{}", &text[..from], &text[end..]);
    if receipt.broke && from == result.len() {
        result.truncate(without_line_break(&result).len());
    }
    Ok((!result.trim().is_empty()).then_some(result))
}

/// Returns where the entry is.
pub(super) fn span(text: &str, parent: &str) -> Result<Option<Range<usize>>, SyntaxError> {
    Ok(mapping(text, parent)?.and_then(|mapping| mapping.entry(text)))
}

/// Returns the lines of an entry in the place of the one that begins at `start`.
pub(super) fn render(text: &str, start: usize, value: &Value) -> String {
    lines(value, indent(&text[start..]), text::line_ending(text))
}

/// A mapping in block style at the top of the document.
struct Mapping<'t> {
    /// Where its key is.
    header: usize,
    /// Where its entries begin.
    start: usize,
    end: usize,
    indent: &'t str,
}

impl Mapping<'_> {
    /// Returns the lines of an entry.
    fn entry(&self, text: &str) -> Option<Range<usize>> {
        let mut found: Option<Range<usize>> = None;
        for line in text::lines(&text[..self.end]).filter(|line| line.start >= self.start) {
            let content = line.text.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let is_entry = indent(line.text).len() <= self.indent.len();
            match &mut found {
                Some(_) if is_entry => return found,
                Some(entry) => entry.end = line.end,
                None if is_entry && key(content) == Some(NAME) => {
                    found = Some(line.start..line.end);
                }
                None => {}
            }
        }
        found
    }
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

fn key(content: &str) -> Option<&str> {
    let (key, _) = content.split_once(':')?;
    Some(key.trim().trim_matches(['"', '\'']))
}

fn mapping<'t>(text: &'t str, name: &str) -> Result<Option<Mapping<'t>>, SyntaxError> {
    let mut found: Option<Mapping<'t>> = None;
    for line in text::lines(text) {
        let content = line.text.trim();
        let refuse = |what: &str| Err(SyntaxError::at(text, line.start, what));
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if line.text.trim_start_matches(' ').starts_with('\t') {
            return refuse("a tab cannot indent YAML");
        }
        if (content == "---" || content == "...") && line.start > 0 {
            return refuse("there is more than one document");
        }
        let is_top = indent(line.text).is_empty() && !content.starts_with("- ") && content != "-";
        if is_top && content.starts_with(['{', '[']) {
            return refuse("the document is in flow style, which is not edited");
        }
        if is_top && content != "---" && !content.starts_with('%') && key(content).is_none() {
            return refuse("expected `key: value`");
        }
        if let Some(mapping) = &mut found {
            if is_top {
                return Ok(found);
            }
            if mapping.end == mapping.start {
                if content.starts_with('-') {
                    return refuse(&format!("expected a mapping in `{name}`, found a list"));
                }
                mapping.indent = indent(line.text);
            }
            mapping.end = line.end;
        } else if is_top && key(content) == Some(name) {
            let rest = content.split_once(':').map_or("", |(_, rest)| rest.trim());
            if !rest.is_empty() && !rest.starts_with('#') {
                return refuse(&format!("`{name}` is in flow style, which is not edited"));
            }
            found =
                Some(Mapping { header: line.start, start: line.end, end: line.end, indent: "  " });
        }
    }
    Ok(found)
}

fn lines(value: &Value, indent: &str, ending: &str) -> String {
    let mut block = format!("{indent}{NAME}:{ending}");
    let members = value.as_object().into_iter().flatten();
    for (key, value) in members {
        let _ = write!(block, "{indent}  {key}: {value}{ending}");
    }
    block
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::entry::Spot;
    use super::*;

    fn spot() -> Spot {
        Spot::Block { parent: "extensions".to_owned() }
    }

    fn put_back(text: &str, old: String) -> String {
        let receipt = Receipt { replaced: Some(old), ..Receipt::default() };
        spot().remove(text, &receipt).unwrap().unwrap()
    }

    #[test]
    fn an_entry_goes_in_and_out_without_a_trace() {
        let value = json!({ "args": ["mcp"], "cmd": "quipu", "enabled": true });
        for text in [
            "",
            "A: b",
            "extensions:",
            "extensions:\n",
            "# top\nA: b\nextensions: # mine\n    dev:\n        enabled: true # yes\n\n# tail\nZ: 1\n",
            "A: b\r\nextensions:\r\n  dev:\r\n    args:\r\n    - x\r\n",
        ] {
            let (with, receipt) = spot().insert(text, &value).unwrap();
            assert_eq!(spot().look(Some(&with)).unwrap(), Some(value.clone()), "{with}");
            let back = spot().remove(&with, &receipt).unwrap();
            assert_eq!(back.unwrap_or_default(), text, "{with:?}");
        }
    }

    #[test]
    fn an_entry_that_goose_wrote_anew_says_the_same() {
        let text =
            "extensions:\n  quipu:\n    cmd: quipu\n    args:\n    - mcp\n    enabled: true\n";
        let found = spot().look(Some(text)).unwrap();
        assert_eq!(found, Some(json!({ "args": ["mcp"], "cmd": "quipu", "enabled": true })));
    }

    #[test]
    fn neighbours_stay() {
        let value = json!({ "cmd": "quipu" });
        let (with, receipt) = spot().insert("", &value).unwrap();
        let edited = format!("{with}  theirs:\n    cmd: x\n");
        let back = spot().remove(&edited, &receipt).unwrap().unwrap();
        assert_eq!(back, "extensions:\n  theirs:\n    cmd: x\n");
    }

    #[test]
    fn other_styles_are_left_alone_with_a_reason() {
        let error = |text: &str| mapping(text, "extensions").err().unwrap().to_string();
        assert_eq!(
            error("a: 1\nextensions: {}\n"),
            "line 2: `extensions` is in flow style, which is not edited"
        );
        assert_eq!(error("extensions:\n\t- x\n"), "line 2: a tab cannot indent YAML");
        assert_eq!(
            error("extensions:\n  - x\n"),
            "line 2: expected a mapping in `extensions`, found a list"
        );
        assert_eq!(error("a: 1\n---\nb: 2\n"), "line 2: there is more than one document");
        assert_eq!(error("just words\n"), "line 1: expected `key: value`");
    }

    fn document() -> impl Strategy<Value = String> {
        let own = prop_oneof![
            Just("N: 1 # one\n"),
            Just("# a comment\n"),
            Just("\n"),
            Just("N: |\n  extensions:\n    quipu: no\n"),
            Just("N:\n- a\n- b: c\n"),
        ];
        let entry = prop_oneof![
            Just("  N:\n    enabled: true # yes\n"),
            Just("  # theirs\n"),
            Just("  \"N\":\n    args:\n    - quipu\n\n"),
            Just("  N: { type: builtin }\n"),
        ];
        let owns = || prop::collection::vec(own.clone(), 0..4);
        let entries = prop::collection::vec(entry, 0..4);
        (owns(), any::<bool>(), entries, owns(), any::<bool>(), any::<bool>()).prop_map(
            |(above, has_mapping, entries, below, is_ended, is_windows)| {
                let mapping = if has_mapping { entries } else { Vec::new() };
                let header = has_mapping.then_some("extensions: # mine\n");
                let pieces = above.into_iter().chain(header).chain(mapping).chain(below);
                let numbered =
                    pieces.enumerate().map(|(at, piece)| piece.replacen('N', &format!("k{at}"), 1));
                let text = numbered.collect::<String>();
                let text = if is_ended { text } else { text.trim_end().to_owned() };
                if is_windows { text.replace('\n', "\r\n") } else { text }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn putting_in_and_taking_out_is_nothing(text in document()) {
            let value = json!({ "args": ["mcp"], "cmd": "quipu" });
            let (with, receipt) = spot().insert(&text, &value).unwrap();
            prop_assert_eq!(spot().look(Some(&with)).unwrap(), Some(value));
            let (changed, old) = spot().replace(&with, &json!({ "cmd": "/q" })).unwrap();
            prop_assert_eq!(put_back(&changed, old), with.clone());
            let back = spot().remove(&with, &receipt).unwrap();
            match back {
                Some(back) => prop_assert_eq!(back, text),
                None => prop_assert!(text.trim().is_empty()),
            }
        }
    }
}
