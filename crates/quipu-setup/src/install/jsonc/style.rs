//! How a document is laid out, and what is new in it in the same way.

use quipu_core::text::{self, Edit};
use serde_json::{Map, Value};

use super::Node;

/// Returns the white space that the line of `offset` begins with.
pub(super) fn line_indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..offset];
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// How a document is laid out.
pub(super) struct Style<'t> {
    pub(super) ending: &'static str,
    unit: &'t str,
}

impl<'t> Style<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let is_indented = |line: &&str| line.starts_with([' ', '\t']) && line.contains('"');
        let first = text.lines().find(is_indented);
        let unit = first.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
        Self { ending: text::line_ending(text), unit }
    }

    /// The edits that add a member, and whether they break the line before the closing bracket.
    pub(super) fn addition(
        &self,
        text: &str,
        container: &Node,
        key: Option<&String>,
        value: &Value,
    ) -> (Vec<Edit>, bool) {
        let outer = line_indent(text, container.span.start);
        let key = key.map_or_else(String::new, |key| format!("{}: ", Value::from(key.as_str())));
        let close = container.span.end - 1;
        let Some(last) = container.members().last() else {
            let indent = format!("{outer}{}", self.unit);
            let member = format!("{}{indent}{key}{}", self.ending, self.render(value, &indent));
            let inside = &text[container.span.start + 1..close];
            let comment = inside.trim_end_matches([' ', '\t', '\r', '\n']).len();
            if let Some(newline) = inside[comment..].rfind('\n') {
                let newline = container.span.start + 1 + comment + newline;
                let at = if text[..newline].ends_with('\r') { newline - 1 } else { newline };
                return (vec![Edit::insert(at, member)], false);
            }
            return (vec![Edit::insert(close, format!("{member}{}{outer}", self.ending))], true);
        };
        let is_one_line = !text[container.span.start..last.end()].contains('\n');
        let prefix = if is_one_line {
            format!(" {key}{}", one_line(value))
        } else {
            let first = &container.members()[0];
            let own_line = line_indent(text, first.start);
            let starts_line = text[..first.start].ends_with(own_line)
                && text[..first.start - own_line.len()].ends_with('\n');
            let indent =
                if starts_line { own_line.to_owned() } else { format!("{outer}{}", self.unit) };
            format!("{}{indent}{key}{}", self.ending, self.render(value, &indent))
        };
        if let Some(comma) = last.comma {
            let at = after_comments(text, comma + 1, close, is_one_line);
            return (vec![Edit::insert(at, format!("{prefix},"))], false);
        }
        let at = after_comments(text, last.end(), close, is_one_line);
        (vec![Edit::insert(last.end(), ","), Edit::insert(at, prefix)], false)
    }

    /// Objects on lines of their own, lists of words on one.
    pub(super) fn render(&self, value: &Value, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let lines = |open: char, close: char, parts: Vec<String>| {
            let joined = parts.join(&format!(",{}{inner}", self.ending));
            format!("{open}{0}{inner}{joined}{0}{indent}{close}", self.ending)
        };
        match value {
            Value::Object(members) if !members.is_empty() => {
                let part = |(key, value): (&String, &Value)| {
                    format!("{}: {}", Value::from(key.as_str()), self.render(value, &inner))
                };
                lines('{', '}', ordered(members).into_iter().map(part).collect())
            }
            Value::Array(elements) if elements.iter().any(Value::is_object) => {
                lines('[', ']', elements.iter().map(|one| self.render(one, &inner)).collect())
            }
            other => one_line(other),
        }
    }
}

/// Keys in the order in which people write them.
const ORDER: [&str; 17] = [
    "version",
    "type",
    "source",
    "enabled",
    "name",
    "description",
    "matcher",
    "command",
    "bash",
    "powershell",
    "args",
    "env",
    "tools",
    "cwd",
    "timeout",
    "timeoutSec",
    "hooks",
];

fn ordered(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = members.iter().collect();
    let rank = |key: &String| ORDER.iter().position(|known| known == key).unwrap_or(ORDER.len());
    members.sort_by_key(|(key, _)| rank(key));
    members
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let part = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), one_line(value))
            };
            let parts: Vec<String> = ordered(members).into_iter().map(part).collect();
            format!("{{{}}}", parts.join(", "))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(one_line).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the end of the comments that follow on the same line: they belong to what stands there.
fn after_comments(text: &str, from: usize, close: usize, is_one_line: bool) -> usize {
    if is_one_line {
        return from;
    }
    let mut end = from;
    loop {
        let rest = &text[end..close];
        let comment = rest.trim_start_matches([' ', '\t']);
        let start = end + rest.len() - comment.len();
        if comment.starts_with("//") {
            let line = comment.find('\n').unwrap_or(comment.len());
            return start + comment[..line].trim_end_matches('\r').len();
        }
        match comment.strip_prefix("/*").and_then(|inside| inside.find("*/")) {
            Some(length) => end = start + length + 4,
            None => return end,
        }
    }
}
