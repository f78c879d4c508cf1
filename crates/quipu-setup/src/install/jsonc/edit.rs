//! Putting an entry into a JSON document and taking it out again. Taking out what was put in gives
//! the document back byte for byte; what others wrote meanwhile stays.

use quipu_core::text::{self, Edit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::style::{Style, line_indent};
use super::{Kind, Member, Node, SyntaxError, parse};

/// Where an entry stands in its container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::install) enum Slot {
    /// A member of an object.
    Key(String),
    /// An element of an array: the one whose commands end in this.
    Ending(String),
}

/// What has to be known to take an entry out as if it had never been there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::install) struct Receipt {
    /// So many containers around it were made for it.
    #[serde(skip_serializing_if = "is_zero")]
    pub(in crate::install) made: usize,
    /// The line break before the closing bracket (or before the entry, in TOML and YAML) came with it.
    #[serde(skip_serializing_if = "is_false")]
    pub(in crate::install) broke: bool,
    /// What stood in its place before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::install) replaced: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Returns what the document says in a slot.
pub(in crate::install) fn look(
    text: &str,
    path: &[String],
    slot: &Slot,
) -> Result<Option<Value>, SyntaxError> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let container = root.at(path);
    let found = container.and_then(|node| position(node, slot).map(|at| &node.members()[at]));
    Ok(found.map(|member| member.value.value()))
}

fn position(container: &Node, slot: &Slot) -> Option<usize> {
    match slot {
        Slot::Key(key) => container.position(key),
        Slot::Ending(ending) => {
            let is_it = |member: &Member| says(&member.value.value(), ending);
            container.members().iter().position(is_it)
        }
    }
}

/// Tells whether a command somewhere in a value ends in `ending`.
fn says(value: &Value, ending: &str) -> bool {
    match value {
        Value::String(text) => text.ends_with(ending),
        Value::Array(elements) => elements.iter().any(|one| says(one, ending)),
        Value::Object(members) => members.values().any(|one| says(one, ending)),
        _ => false,
    }
}

/// Puts a value into a free slot; makes the containers that are missing.
pub(in crate::install) fn insert(
    text: &str,
    path: &[String],
    slot: &Slot,
    value: &Value,
) -> Result<(String, Receipt), SyntaxError> {
    let style = Style::of(text);
    let Some(root) = parse(text)? else {
        let whole = nested(path, slot, value);
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.ending };
        let result = format!("{text}{gap}{}{}", style.render(&whole, ""), style.ending);
        return Ok((result, Receipt { made: path.len() + 1, ..Receipt::default() }));
    };
    let mut container = &root;
    let mut depth = 0;
    while let Some(inner) = path.get(depth).and_then(|key| container.get(key)) {
        container = inner;
        depth += 1;
    }
    let is_fitting = matches!(
        (&container.kind, path.get(depth), slot),
        (Kind::Object(_), Some(_), _)
            | (Kind::Object(_), None, Slot::Key(_))
            | (Kind::Array(_), None, Slot::Ending(_))
    );
    if !is_fitting {
        let name = path[..depth].last().map_or("the document", String::as_str);
        let is_list = depth == path.len() && matches!(slot, Slot::Ending(_));
        let wanted = if is_list { "a list" } else { "an object" };
        let what = format!("expected {wanted} in `{name}`");
        return Err(SyntaxError::at(text, container.span.start, what));
    }
    let (key, value) = match (path.get(depth), slot) {
        (Some(key), _) => (Some(key), nested(&path[depth + 1..], slot, value)),
        (None, Slot::Key(key)) => (Some(key), value.clone()),
        (None, Slot::Ending(_)) => (None, value.clone()),
    };
    let made = path.len() - depth;
    let (edits, broke) = style.addition(text, container, key, &value);
    Ok((apply(text, &edits), Receipt { made, broke, replaced: None }))
}

/// Replaces the value in a slot; returns the document and what stood there.
pub(in crate::install) fn replace(
    text: &str,
    path: &[String],
    slot: &Slot,
    value: &Value,
) -> Result<(String, String), SyntaxError> {
    let style = Style::of(text);
    let rendered = |member: &Member| style.render(value, line_indent(text, member.start));
    put_back(text, path, slot, rendered)
}

/// Puts `make`'s words in the place of a slot's value.
pub(in crate::install) fn put_back(
    text: &str,
    path: &[String],
    slot: &Slot,
    make: impl FnOnce(&Member) -> String,
) -> Result<(String, String), SyntaxError> {
    let root = parse(text)?;
    let container = root.as_ref().and_then(|root| root.at(path));
    let Some(member) =
        container.and_then(|node| position(node, slot).map(|at| &node.members()[at]))
    else {
        return Ok((text.to_owned(), String::new()));
    };
    let span = member.value.span.clone();
    let old = text[span.clone()].to_owned();
    Ok((apply(text, &[Edit::replace(span, make(member))]), old))
}

/// Takes an entry out, with the containers that were made for it and hold nothing else. `None` where
/// nothing of anybody else is left.
pub(in crate::install) fn remove(
    text: &str,
    path: &[String],
    slot: &Slot,
    receipt: &Receipt,
) -> Result<Option<String>, SyntaxError> {
    let Some(root) = parse(text)? else { return Ok(Some(text.to_owned())) };
    let mut chain = vec![&root];
    for key in path {
        match chain.last().and_then(|node| node.get(key)) {
            Some(inner) => chain.push(inner),
            None => return Ok(Some(text.to_owned())),
        }
    }
    let Some(mut at) = chain.last().and_then(|node| position(node, slot)) else {
        return Ok(Some(text.to_owned()));
    };
    let mut left = receipt.made;
    while left > 0 && chain.last().is_some_and(|node| holds_only(text, node, at)) {
        chain.pop();
        left -= 1;
        match (chain.last(), path.get(chain.len().wrapping_sub(1))) {
            (Some(outer), Some(key)) => at = outer.position(key).unwrap_or(0),
            // The document itself was made.
            _ => return Ok(None),
        }
    }
    let container = chain.last().copied().unwrap_or(&root);
    let edits = removal(text, container, at, receipt.broke && left == 0);
    Ok(Some(apply(text, &edits)))
}

/// Tells whether a container has one member and no comment.
fn holds_only(text: &str, container: &Node, at: usize) -> bool {
    let [member] = container.members() else { return false };
    let blank =
        |from: usize, to: usize| text[from..to].chars().all(|c| c.is_whitespace() || c == ',');
    at == 0
        && blank(container.span.start + 1, member.start)
        && blank(member.end(), container.span.end - 1)
}

fn removal(text: &str, container: &Node, at: usize, broke: bool) -> Vec<Edit> {
    let members = container.members();
    let member = &members[at];
    let before = &text[..member.start];
    let gap = before.len() - before.trim_end_matches([' ', '\t', '\r', '\n']).len();
    let gap = &before[before.len() - gap..];
    // A line of its own goes with its line break, and what stands before that stays.
    let own = gap.rfind('\n').map_or(gap.len(), |newline| {
        let newline = if gap[..newline].ends_with('\r') { newline - 1 } else { newline };
        gap.len() - newline
    });
    let start = member.start - own;
    let blank = |from: usize, to: usize| text[from..to].trim().is_empty();
    let mut end = member.end();
    let mut edits = Vec::new();
    match member.comma {
        Some(comma) if blank(end, comma) => end = comma + 1,
        Some(comma) => edits.push(Edit::remove(comma..comma + 1)),
        None => {
            let previous = at.checked_sub(1).and_then(|at| members[at].comma);
            edits.extend(previous.map(|comma| Edit::remove(comma..comma + 1)));
        }
    }
    let close = container.span.end - 1;
    if broke && members.len() == 1 && blank(end, close) {
        end = close;
    }
    edits.push(Edit::remove(start..end));
    edits
}

/// A value inside the containers that are missing around it.
fn nested(path: &[String], slot: &Slot, value: &Value) -> Value {
    let object = |key: &String, value: Value| Value::Object(Map::from_iter([(key.clone(), value)]));
    let innermost = match slot {
        Slot::Key(key) => object(key, value.clone()),
        Slot::Ending(_) => Value::Array(vec![value.clone()]),
    };
    path.iter().rev().fold(innermost, |value, key| object(key, value))
}

fn apply(text: &str, edits: &[Edit]) -> String {
    // The spans come from one parse, side by side.
    text::apply(text, edits).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    /// Puts an entry in and takes it out; returns the document in between.
    fn there_and_back(text: &str, keys: &[&str], slot: &Slot) -> String {
        let (keys, value) = (path(keys), json!({ "command": "quipu hook x", "args": ["mcp"] }));
        let (with, receipt) = insert(text, &keys, slot, &value).unwrap();
        assert_eq!(look(&with, &keys, slot).unwrap(), Some(value), "{with}");
        let back = remove(&with, &keys, slot, &receipt).unwrap();
        assert_eq!(back.as_deref().unwrap_or(text), text, "{with}");
        with
    }

    #[test]
    fn what_is_put_in_comes_out_without_a_trace() {
        let key = Slot::Key("quipu".to_owned());
        for text in [
            "",
            "\n",
            "{}",
            "{ }",
            "{\n}\n",
            "{\r\n\t\"a\": 1\r\n}\r\n",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\n  \"m\": {}\n}",
            "{\n  \"m\": { // why\n  }\n}",
            "{\n  \"m\": {\n    \"a\": 1 // one\n    // tail\n  }, // after\n  \"z\": []\n}",
            "{\n  \"m\": {\n    \"a\": 1, /* x */ // one\n  },\n}",
            "\u{feff}{\n  \"m\": {\"a\": {}}\n}\n",
            "{\n \"a\": 1}",
            "// only a comment\n{ /* inside */ }",
        ] {
            there_and_back(text, &["m"], &key);
            there_and_back(text, &[], &key);
        }
    }

    #[test]
    fn a_comment_stays_with_its_line() {
        let text = "{\n    \"m\": {\n        \"a\": 1 // one\n    }\n}\n";
        let with = there_and_back(text, &["m"], &Slot::Key("quipu".to_owned()));
        assert_eq!(
            with,
            "{\n    \"m\": {\n        \"a\": 1, // one\n        \"quipu\": {\n            \"command\": \"quipu hook x\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n"
        );
    }

    #[test]
    fn an_element_is_known_by_the_end_of_its_command() {
        let slot = Slot::Ending(" hook x".to_owned());
        let text = "{\n  \"h\": {\"E\": [{\"command\": \"other\"}]}\n}\n";
        let with = there_and_back(text, &["h", "E"], &slot);
        assert!(with.contains("[{\"command\": \"other\"}, {"), "{with}");
        there_and_back("{\"h\": {}}", &["h", "E"], &slot);
        there_and_back("{\"h\": {\"E\": []}}", &["h", "E"], &slot);
    }

    #[test]
    fn what_others_wrote_since_stays() {
        let key = Slot::Key("quipu".to_owned());
        let (with, receipt) = insert("{\n  \"a\": 1\n}\n", &path(&["m"]), &key, &json!(7)).unwrap();
        let edited = with.replace("\"quipu\": 7", "\"quipu\": 7,\n    \"theirs\": 8");
        let back = remove(&edited, &path(&["m"]), &key, &receipt).unwrap().unwrap();
        assert_eq!(back, "{\n  \"a\": 1,\n  \"m\": {\n    \"theirs\": 8\n  }\n}\n");
        let commented = with.replace("\"quipu\": 7", "// mine\n    \"quipu\": 7");
        let back = remove(&commented, &path(&["m"]), &key, &receipt).unwrap().unwrap();
        assert_eq!(back, "{\n  \"a\": 1,\n  \"m\": {\n    // mine\n  }\n}\n");
    }

    #[test]
    fn a_container_of_another_kind_is_not_touched() {
        let key = Slot::Key("quipu".to_owned());
        let error = |text: &str, keys: &[&str]| {
            insert(text, &path(keys), &key, &json!(1)).unwrap_err().to_string()
        };
        assert_eq!(error("{\n\"m\": []}", &["m"]), "line 2: expected an object in `m`");
        assert_eq!(error("[]", &["m"]), "line 1: expected an object in `the document`");
        assert_eq!(error("{\"m\": null}", &["m", "n"]), "line 1: expected an object in `m`");
    }
}
