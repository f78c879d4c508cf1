//! One server in a TOML file of servers: the table `[mcp_servers.quipu]`, at the end of the file.
//!
//! A table goes in and out by whole lines, and the result is read again to see that nothing else changed.
//! `toml_edit` is not used: it writes `\r\n` as `\n` and moves dotted keys of one table together.

use std::ops::Range;

use quipu_core::text;
use serde_json::Value;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use super::clients::NAME;
use super::jsonc::SyntaxError;
use super::jsonc::edit::Receipt;
use crate::without_line_break;

/// Returns what the table `parent.quipu` says.
pub(super) fn look(text: &str, parent: &str) -> Result<Option<Value>, SyntaxError> {
    let document = parse(text)?;
    let found = document.get(parent).and_then(|servers| servers.get(NAME));
    Ok(found.and_then(|server| serde_json::to_value(server).ok()))
}

fn parse(text: &str) -> Result<Table, SyntaxError> {
    text.parse::<Table>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        SyntaxError::at(text, at, error.message())
    })
}

/// Puts the table at the end.
pub(super) fn insert(
    text: &str,
    parent: &str,
    value: &Value,
) -> Result<(String, Receipt), SyntaxError> {
    let ending = text::line_ending(text);
    let broke = !text.is_empty() && !text.ends_with('\n');
    let gap = ending.repeat(usize::from(broke) + usize::from(!text.is_empty()));
    let result = format!("{text}{gap}{}", render(text, parent, value));
    // An inline table, for one, cannot be added to from below.
    let before = others(text, parent)?;
    if !others(&result, parent).is_ok_and(|after| after == before) {
        let what = format!("`{parent}` is written so that no table can be added to it");
        return Err(refusal(text, parent, what));
    }
    Ok((result, Receipt { broke, ..Receipt::default() }))
}

/// Takes the table out. `None` where nothing of anybody else is left.
pub(super) fn remove(
    text: &str,
    parent: &str,
    receipt: &Receipt,
) -> Result<Option<String>, SyntaxError> {
    let blocks = blocks(text, parent);
    let mut result = text.to_owned();
    for block in blocks.iter().rev() {
        let above = &text[..block.start];
        // The blank line that was put before the table.
        let rest = without_line_break(above);
        let is_blank = rest.is_empty() || rest.ends_with('\n');
        let start = if is_blank { rest.len() } else { above.len() };
        result.replace_range(start..block.end, "");
    }
    if receipt.broke && blocks.last().is_some_and(|last| last.end == text.len()) {
        result.truncate(without_line_break(&result).len());
    }
    if look(&result, parent)?.is_some() || others(&result, parent)? != others(text, parent)? {
        let what = format!("`{parent}.{NAME}` is not a table of its own, take it out by hand");
        return Err(refusal(text, parent, what));
    }
    Ok((!result.trim().is_empty()).then_some(result))
}

/// Returns where the table is.
///
/// # Errors
/// When it is not a table of its own.
pub(super) fn span(text: &str, parent: &str) -> Result<Option<Range<usize>>, SyntaxError> {
    let what = || format!("`{parent}.{NAME}` is not a table of its own, change it by hand");
    let block = blocks(text, parent).into_iter().next();
    block.map(Some).ok_or_else(|| refusal(text, parent, what()))
}

fn refusal(text: &str, parent: &str, what: String) -> SyntaxError {
    SyntaxError::at(text, text.find(parent).unwrap_or(0), what)
}

/// Returns the lines of a table.
pub(super) fn render(text: &str, parent: &str, value: &Value) -> String {
    let ending = text::line_ending(text);
    let mut lines = format!("[{parent}.{NAME}]{ending}");
    for key in ["command", "args"] {
        if let Some(value) = value.get(key) {
            // Strings of JSON are strings of TOML, and so are lists of them.
            let value = value.to_string().replace("\",\"", "\", \"");
            lines.extend([key, " = ", &value, ending]);
        }
    }
    lines
}

/// Returns what a document says, but for the table `parent.quipu`.
fn others(text: &str, parent: &str) -> Result<Table, SyntaxError> {
    let mut document = parse(text)?;
    let servers = document.get_mut(parent).and_then(toml::Value::as_table_mut);
    if let Some(servers) = servers {
        servers.remove(NAME);
        if servers.is_empty() {
            document.remove(parent);
        }
    }
    Ok(document)
}

/// Returns the lines of the table `parent.quipu` and of those below it, in their order: each header
/// with its keys, without the comments that follow them.
fn blocks(text: &str, parent: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    if let Ok(document) = DeTable::parse(text) {
        let servers = document.get_ref().get(parent).and_then(|item| item.get_ref().as_table());
        if let Some(server) = servers.and_then(|servers| servers.get(NAME)) {
            gather(text, server, &mut blocks);
        }
    }
    blocks.sort_by_key(|block: &Range<usize>| block.start);
    blocks
}

/// Adds the blocks at and below an item; returns where the item's own words end, if it has any
/// outside of those.
fn gather(text: &str, item: &Spanned<DeValue<'_>>, blocks: &mut Vec<Range<usize>>) -> usize {
    let span = item.span();
    // A table of its own has the span of its header.
    let has_header = |item: &Spanned<DeValue<'_>>| {
        item.get_ref().is_table() && text[item.span()].starts_with('[')
    };
    let end = match item.get_ref() {
        DeValue::Table(members) if !text[span.clone()].starts_with('{') => {
            members.iter().map(|(_, member)| gather(text, member, blocks)).max()
        }
        DeValue::Array(elements) if elements.iter().any(has_header) => {
            elements.iter().map(|element| gather(text, element, blocks)).max()
        }
        _ => Some(span.end),
    };
    if !has_header(item) {
        return end.unwrap_or_default();
    }
    let end = end.unwrap_or_default().max(span.end);
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    blocks.push(start..end);
    0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::entry::Spot;
    use super::*;

    fn spot() -> Spot {
        Spot::Table { parent: "mcp_servers".to_owned() }
    }

    fn put_back(text: &str, old: String) -> String {
        let receipt = Receipt { replaced: Some(old), ..Receipt::default() };
        spot().remove(text, &receipt).unwrap().unwrap()
    }

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
            let (with, receipt) = spot().insert(text, &value).unwrap();
            assert_eq!(spot().look(Some(&with)).unwrap(), Some(value.clone()));
            let other = json!({ "command": "/q", "args": ["mcp", "[x]"] });
            let (changed, old) = spot().replace(&with, &other).unwrap();
            assert_eq!(spot().look(Some(&changed)).unwrap(), Some(other));
            assert_eq!(put_back(&changed, old), with);
            let back = spot().remove(&with, &receipt).unwrap();
            assert_eq!(back.unwrap_or_default(), text, "{with:?}");
        }
    }

    #[test]
    fn what_follows_stays() {
        let value = json!({ "command": "quipu", "args": ["mcp"] });
        let (with, receipt) = spot().insert("a = 1", &value).unwrap();
        let edited =
            format!("{with}[mcp_servers.quipu.env]\nX = \"1\"\n\n# mine\n[theirs]\nb = 2\n");
        let back = spot().remove(&edited, &receipt).unwrap().unwrap();
        assert_eq!(back, "a = 1\n\n# mine\n[theirs]\nb = 2\n");
        let (changed, old) = spot().replace(&edited, &json!({ "command": "/q" })).unwrap();
        assert!(changed.contains("[mcp_servers.quipu]\ncommand = \"/q\"\n"), "{changed}");
        assert_eq!(put_back(&changed, old), edited);
    }

    #[test]
    fn tables_below_ours_go_with_it() {
        let parts = "[mcp_servers.quipu.env]\nX = \"1\"\n[other]\na = 1\n[mcp_servers.quipu]\ncommand = \"q\"\nd.e = \"\"\"\n[x]\n\"\"\"\n# mine\n[[mcp_servers.quipu.list]]\nv = [[1],\n[2]]\n";
        let back = spot().remove(parts, &Receipt::default()).unwrap();
        assert_eq!(back.as_deref(), Some("[other]\na = 1\n# mine\n"));
        // The first of the parts cannot become the table that comes later.
        assert_eq!(spot().replace(parts, &json!({ "command": "/q" })).unwrap_err().line, 5);
    }

    #[test]
    fn an_inline_table_is_not_touched() {
        let error = spot().insert("x = 1\nmcp_servers = {}\n", &json!({}));
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
            let (with, receipt) = spot().insert(&text, &value).unwrap();
            prop_assert!(with.starts_with(&text));
            prop_assert_eq!(spot().look(Some(&with)).unwrap(), Some(value));
            let other = json!({ "command": "/q", "args": ["mcp"] });
            let (changed, old) = spot().replace(&with, &other).unwrap();
            prop_assert_eq!(put_back(&changed, old), with.clone());
            let back = spot().remove(&with, &receipt).unwrap();
            match back {
                Some(back) => prop_assert_eq!(back, text),
                None => prop_assert!(text.trim().is_empty()),
            }
        }
    }
}
