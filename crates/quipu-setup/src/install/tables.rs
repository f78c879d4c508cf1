//! One server in a TOML file of servers: the table `[mcp_servers.quipu]`, at the end of the file.
//!
//! The text around it is not rendered anew: a table goes in and out by whole lines, and the result is
//! read again to see that nothing else changed.

use std::ops::Range;

use quipu_core::text;
use serde_json::Value;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use super::jsonc::SyntaxError;
use super::jsonc::edit::Receipt;

/// Returns what the table `parent.name` says.
pub(super) fn look(text: &str, parent: &str, name: &str) -> Result<Option<Value>, SyntaxError> {
    let document = parse(text)?;
    let found = document.get(parent).and_then(|servers| servers.get(name));
    Ok(found.and_then(|server| serde_json::to_value(server).ok()))
}

fn parse(text: &str) -> Result<Table, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.parse::<Table>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        SyntaxError::at(text, at, error.message())
    })
}

/// Puts the table at the end.
pub(super) fn insert(
    text: &str,
    parent: &str,
    name: &str,
    value: &Value,
) -> Result<(String, Receipt), SyntaxError> {
    let before = parse(text)?;
    let ending = text::line_ending(text);
    let broke = !text.is_empty() && !text.ends_with('\n');
    let mut result = text.to_owned();
    if broke {
        result.push_str(ending);
    }
    if !text.is_empty() {
        result.push_str(ending);
    }
    for line in lines(parent, name, value) {
        result.push_str(&line);
        result.push_str(ending);
    }
    // An inline table, for one, cannot be added to from below.
    let before = without(before, parent, name);
    let is_whole = parse(&result).is_ok_and(|after| without(after, parent, name) == before);
    if !is_whole {
        let at = text.find(parent).unwrap_or(0);
        let what = format!("`{parent}` is written so that no table can be added to it");
        return Err(SyntaxError::at(text, at, what));
    }
    Ok((result, Receipt { made: 0, broke, replaced: None }))
}

/// Takes the table out. `None` where nothing of anybody else is left.
pub(super) fn remove(
    text: &str,
    parent: &str,
    name: &str,
    receipt: &Receipt,
) -> Result<Option<String>, SyntaxError> {
    let before = parse(text)?;
    let mut result = text.to_owned();
    let mut is_last = false;
    while let Some((start, end)) = block(&result, parent, name) {
        is_last = result[end..].is_empty();
        let above = &result[..start];
        // The blank line that was put before the table.
        let own = ["\r\n", "\n"].into_iter().find(|newline| {
            let rest = above.strip_suffix(*newline);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'))
        });
        result.replace_range(start - own.map_or(0, str::len)..end, "");
    }
    if is_last && receipt.broke {
        let one = result.strip_suffix("\r\n").or_else(|| result.strip_suffix('\n'));
        result.truncate(one.map_or(result.len(), str::len));
    }
    let is_out = block(&result, parent, name).is_none() && look(&result, parent, name)?.is_none();
    if !is_out || without(parse(&result)?, parent, name) != without(before, parent, name) {
        let at = text.find(parent).unwrap_or(0);
        let what = format!("`{parent}.{name}` is not a table of its own, take it out by hand");
        return Err(SyntaxError::at(text, at, what));
    }
    Ok((!result.trim().is_empty()).then_some(result))
}

/// Replaces the table where it stands.
pub(super) fn replace(
    text: &str,
    parent: &str,
    name: &str,
    value: &Value,
) -> Result<(String, String), SyntaxError> {
    let before = parse(text)?;
    let Some((start, end)) = block(text, parent, name) else {
        let at = text.find(parent).unwrap_or(0);
        let what = format!("`{parent}.{name}` is not a table of its own, change it by hand");
        return Err(SyntaxError::at(text, at, what));
    };
    let ending = text::line_ending(text);
    let new = lines(parent, name, value).join(ending) + ending;
    let old = text[start..end].to_owned();
    let result = format!("{}{new}{}", &text[..start], &text[end..]);
    let is_whole = parse(&result)
        .is_ok_and(|after| without(after, parent, name) == without(before, parent, name));
    if !is_whole {
        let what = format!("`{parent}.{name}` cannot be replaced, change it by hand");
        return Err(SyntaxError::at(text, start, what));
    }
    Ok((result, old))
}

/// Puts `old` back where the table stands.
pub(super) fn put_back(text: &str, parent: &str, name: &str, old: &str) -> String {
    match block(text, parent, name) {
        Some((start, end)) => format!("{}{old}{}", &text[..start], &text[end..]),
        None => text.to_owned(),
    }
}

fn lines(parent: &str, name: &str, value: &Value) -> Vec<String> {
    let mut lines = vec![format!("[{parent}.{name}]")];
    for key in ["command", "args"] {
        if let Some(value) = value.get(key) {
            // Strings of JSON are strings of TOML, and so are lists of them.
            let value = serde_json::to_string(value).unwrap_or_default().replace("\",\"", "\", \"");
            lines.push(format!("{key} = {value}"));
        }
    }
    lines
}

fn without(mut document: Table, parent: &str, name: &str) -> Table {
    let servers = document.get_mut(parent).and_then(toml::Value::as_table_mut);
    if let Some(servers) = servers {
        servers.remove(name);
        if servers.is_empty() {
            document.remove(parent);
        }
    }
    document
}

/// Returns the span of a table's header and keys, without the comments that follow them.
fn block(text: &str, parent: &str, name: &str) -> Option<(usize, usize)> {
    let (own, below) = (format!("[{parent}.{name}]"), format!("[{parent}.{name}."));
    let bare = |line: &str| line.replace([' ', '\t', '"', '\''], "");
    let values = values(text);
    // A line of a longer value may look like anything.
    let is_inside = |at: usize| values.iter().any(|span| span.start < at && at < span.end);
    let mut at = 0;
    let mut found: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let trimmed = line.trim();
        if trimmed.starts_with('[') && !is_inside(start) {
            if found.is_some() {
                return found;
            }
            let header = bare(trimmed);
            if header.starts_with(&own) || header.starts_with(&below) {
                found = Some((start, end));
            }
        } else if let Some((_, last)) = &mut found
            && (is_inside(start) || !(trimmed.is_empty() || trimmed.starts_with('#')))
        {
            *last = end;
        }
    }
    found
}

/// Returns where values stand that may go over several lines.
fn values(text: &str) -> Vec<Range<usize>> {
    fn gather(text: &str, value: &Spanned<DeValue<'_>>, spans: &mut Vec<Range<usize>>) {
        let span = value.span();
        let words = text.get(span.clone()).unwrap_or_default();
        match value.get_ref() {
            DeValue::String(_) => spans.push(span),
            DeValue::Array(elements) => {
                if words.starts_with('[') && !words.starts_with("[[") {
                    spans.push(span);
                }
                elements.iter().for_each(|element| gather(text, element, spans));
            }
            DeValue::Table(members) => {
                if words.starts_with('{') {
                    spans.push(span);
                }
                members.iter().for_each(|(_, member)| gather(text, member, spans));
            }
            _ => {}
        }
    }
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let body = &text[mark..];
    let mut spans = Vec::new();
    if let Ok(document) = DeTable::parse(body) {
        document.get_ref().iter().for_each(|(_, value)| gather(body, value, &mut spans));
    }
    spans.into_iter().map(|span| span.start + mark..span.end + mark).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_goes_in_and_out_without_a_trace() {
        let value = json!({ "command": "quipu", "args": ["mcp"] });
        for text in [
            "",
            "# only a comment",
            "model = \"x\"",
            "model = \"x\"\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\" # why\r\n",
            "[a]\nb = 1\n\n\n",
            "[mcp_servers]\n",
            "x = \"\"\"\n[mcp_servers.quipu]\ncommand = 1\n\"\"\"\ny = [\n  [\"mcp_servers.quipu\"],\n]\n[[z]]\na = 1\n",
            "\u{feff}a = 1\n",
        ] {
            let (with, receipt) = insert(text, "mcp_servers", "quipu", &value).unwrap();
            assert_eq!(look(&with, "mcp_servers", "quipu").unwrap(), Some(value.clone()));
            let other = json!({ "command": "/q", "args": ["mcp", "[x]"] });
            let (changed, old) = replace(&with, "mcp_servers", "quipu", &other).unwrap();
            assert_eq!(look(&changed, "mcp_servers", "quipu").unwrap(), Some(other));
            assert_eq!(put_back(&changed, "mcp_servers", "quipu", &old), with);
            let back = remove(&with, "mcp_servers", "quipu", &receipt).unwrap();
            assert_eq!(back.unwrap_or_default(), text, "{with:?}");
        }
    }

    #[test]
    fn what_follows_stays() {
        let value = json!({ "command": "quipu", "args": ["mcp"] });
        let (with, receipt) = insert("a = 1", "mcp_servers", "quipu", &value).unwrap();
        let edited =
            format!("{with}[mcp_servers.quipu.env]\nX = \"1\"\n\n# mine\n[theirs]\nb = 2\n");
        let back = remove(&edited, "mcp_servers", "quipu", &receipt).unwrap().unwrap();
        assert_eq!(back, "a = 1\n\n# mine\n[theirs]\nb = 2\n");
        let (changed, old) =
            replace(&edited, "mcp_servers", "quipu", &json!({ "command": "/q" })).unwrap();
        assert!(changed.contains("[mcp_servers.quipu]\ncommand = \"/q\"\n"), "{changed}");
        assert_eq!(put_back(&changed, "mcp_servers", "quipu", &old), edited);
    }

    #[test]
    fn an_inline_table_is_not_touched() {
        let error = insert("x = 1\nmcp_servers = {}\n", "mcp_servers", "quipu", &json!({}));
        assert_eq!(error.unwrap_err().line, 2);
        assert_eq!(parse("a = 1\nb = = 2\n").unwrap_err().line, 2);
    }

    fn document() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("N = 1\n"),
            Just("N = \"x # no comment\" # one\n"),
            Just("# a comment\n"),
            Just("\n"),
            Just("[tN]\n"),
            Just("[[list]]\n"),
            Just("N = \"\"\"\n[mcp_servers.quipu]\n\n\"\"\"\n"),
            Just("N = [\n  [\"a\"], # in\n]\n"),
            Just("[mcp_servers.oN]\ncommand = \"y\"\n"),
            Just("[mcp_servers]\n"),
        ];
        let pieces = prop::collection::vec(piece, 0..8);
        (pieces, any::<bool>(), any::<bool>()).prop_map(|(pieces, is_ended, is_windows)| {
            let numbered = pieces
                .iter()
                .enumerate()
                .map(|(at, piece)| piece.replacen('N', &format!("k{at}"), 1));
            let text = numbered.collect::<String>();
            let text = if is_ended { text } else { text.trim_end().to_owned() };
            if is_windows { text.replace('\n', "\r\n") } else { text }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn putting_in_and_taking_out_is_nothing(text in document()) {
            let value = json!({ "command": "quipu", "args": ["mcp"] });
            // A key may have been put where it cannot stand.
            prop_assume!(parse(&text).is_ok());
            let (with, receipt) = insert(&text, "mcp_servers", "quipu", &value).unwrap();
            prop_assert!(with.starts_with(&text));
            prop_assert_eq!(look(&with, "mcp_servers", "quipu").unwrap(), Some(value));
            let other = json!({ "command": "/q", "args": ["mcp"] });
            let (changed, old) = replace(&with, "mcp_servers", "quipu", &other).unwrap();
            prop_assert_eq!(put_back(&changed, "mcp_servers", "quipu", &old), with.clone());
            let back = remove(&with, "mcp_servers", "quipu", &receipt).unwrap();
            match back {
                Some(back) => prop_assert_eq!(back, text),
                None => prop_assert!(text.trim().is_empty()),
            }
        }
    }
}
