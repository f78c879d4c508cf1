//! Putting an entry into a JSON document and taking it out again. Taking out what was put in gives
//! the document back byte for byte; what others wrote meanwhile stays.

use std::ops::Range;

use jsonc_parser::common::Ranged as _;
use quipu_core::text::{self, Edit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::style::{Style, line_indent};
use super::{Document, Member, Node, SyntaxError, get, members, position};

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
    let document = Document::parse(text)?;
    let found = document.at(path).and_then(|node| find(node, slot).map(|(_, value)| value.clone()));
    Ok(found.map(Value::from))
}

/// Returns where the value of a slot is.
pub(in crate::install) fn span(
    text: &str,
    path: &[String],
    slot: &Slot,
) -> Result<Option<Range<usize>>, SyntaxError> {
    let document = Document::parse(text)?;
    let found = document.at(path).and_then(|node| find(node, slot));
    Ok(found.map(|(_, value)| value.start()..value.end()))
}

/// Returns a slot's position in its container, and its value.
fn find<'n>(container: &'n Node<'n>, slot: &Slot) -> Option<(usize, &'n Node<'n>)> {
    let members = members(container);
    let at = match slot {
        Slot::Key(key) => position(container, key),
        Slot::Ending(ending) => {
            let is_it = |member: &Member<'_>| says(&Value::from(member.value.clone()), ending);
            members.iter().position(is_it)
        }
    }?;
    Some((at, members[at].value))
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
    let document = Document::parse(text)?;
    let Some(mut container) = document.root.as_ref() else {
        let whole = nested(path, slot, value);
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { style.ending };
        let result = format!("{text}{gap}{}{}", style.render(&whole, Some("")), style.ending);
        return Ok((result, Receipt { made: path.len() + 1, ..Receipt::default() }));
    };
    let mut depth = 0;
    while let Some(inner) = path.get(depth).and_then(|key| get(container, key)) {
        container = inner;
        depth += 1;
    }
    let missing = path.get(depth);
    let is_list = missing.is_none() && matches!(slot, Slot::Ending(_));
    let is_fitting = match container {
        Node::Object(_) => !is_list,
        Node::Array(_) => is_list,
        _ => false,
    };
    if !is_fitting {
        let name = path[..depth].last().map_or("the document", String::as_str);
        let wanted = if is_list { "a list" } else { "an object" };
        let what = format!("expected {wanted} in `{name}`");
        return Err(SyntaxError::at(text, container.start(), what));
    }
    let (key, value) = match (missing, slot) {
        (Some(key), _) => (Some(key), nested(&path[depth + 1..], slot, value)),
        (None, Slot::Key(key)) => (Some(key), value.clone()),
        (None, Slot::Ending(_)) => (None, value.clone()),
    };
    let made = path.len() - depth;
    let (edits, broke) = style.addition(&document, container, key, &value);
    Ok((apply(text, &edits), Receipt { made, broke, replaced: None }))
}

/// Returns the words of a value that begins at `start`.
pub(in crate::install) fn render(text: &str, start: usize, value: &Value) -> String {
    Style::of(text).render(value, Some(line_indent(text, start)))
}

/// Takes an entry out, with the containers that were made for it and hold nothing else. `None` where
/// nothing of anybody else is left.
pub(in crate::install) fn remove(
    text: &str,
    path: &[String],
    slot: &Slot,
    receipt: &Receipt,
) -> Result<Option<String>, SyntaxError> {
    let document = Document::parse(text)?;
    let found = document.at(path).and_then(|node| find(node, slot));
    let Some((mut at, _)) = found else { return Ok(Some(text.to_owned())) };
    let mut left = receipt.made;
    let mut path = path;
    while let Some(container) = document.at(path) {
        if left == 0 || !holds_only(text, container) {
            let edits = removal(&document, container, at, receipt.broke && left == 0);
            return Ok(Some(apply(text, &edits)));
        }
        let Some((key, outer)) = path.split_last() else { break };
        at = document.at(outer).and_then(|outer| position(outer, key)).unwrap_or_default();
        path = outer;
        left -= 1;
    }
    // The document itself was made.
    Ok(None)
}

/// Tells whether a container has one member and no comment.
fn holds_only(text: &str, container: &Node<'_>) -> bool {
    let [member] = &members(container)[..] else { return false };
    let blank =
        |from: usize, to: usize| text[from..to].chars().all(|c| c.is_whitespace() || c == ',');
    blank(container.start() + 1, member.start) && blank(member.value.end(), container.end() - 1)
}

fn removal(document: &Document<'_>, container: &Node<'_>, at: usize, broke: bool) -> Vec<Edit> {
    let text = document.text;
    let members = members(container);
    let member = &members[at];
    let above = text[..member.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    // A line of its own goes with its line break, and what is before that stays.
    let start = text[above..member.start].rfind('\n').map_or(above, |newline| {
        let newline = above + newline;
        if text[above..newline].ends_with('\r') { newline - 1 } else { newline }
    });
    let blank = |from: usize, to: usize| text[from..to].trim().is_empty();
    let mut end = member.value.end();
    let mut edits = Vec::new();
    match document.comma(end) {
        Some(comma) if blank(end, comma) => end = comma + 1,
        Some(comma) => edits.push(Edit::remove(comma..comma + 1)),
        None => {
            let previous = at.checked_sub(1).and_then(|at| document.comma(members[at].value.end()));
            edits.extend(previous.map(|comma| Edit::remove(comma..comma + 1)));
        }
    }
    let close = container.end() - 1;
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

    use super::super::super::entry::Spot;
    use super::*;

    fn path(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    /// Puts an entry in and takes it out; returns the document in between.
    fn there_and_back(text: &str, keys: &[&str], slot: &Slot) -> String {
        let place = Spot::Json { path: path(keys), slot: slot.clone() };
        let value = json!({ "command": "quipu hook x", "args": ["mcp"] });
        let (with, receipt) = place.insert(text, &value).unwrap();
        assert_eq!(place.look(Some(&with)).unwrap(), Some(value), "{with}");
        let back = place.remove(&with, &receipt).unwrap();
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
            "{\n\n  \"m\": {\n\n    \"a\": {}\n\n  }\n\n}\n",
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
