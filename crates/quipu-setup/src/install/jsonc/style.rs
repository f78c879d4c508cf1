//! How a document is laid out, and what is new in it in the same way.

use jsonc_parser::common::Ranged as _;
use quipu_core::text::{self, Edit};
use serde_json::{Map, Value};

use super::{Document, Node, members};

/// Returns the white space that the line of `offset` begins with.
pub(super) fn line_indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..offset];
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
        document: &Document<'_>,
        container: &Node<'_>,
        key: Option<&String>,
        value: &Value,
    ) -> (Vec<Edit>, bool) {
        let text = document.text;
        let outer = line_indent(text, container.start());
        let key = key.map_or_else(String::new, |key| format!("{}: ", Value::from(key.as_str())));
        let close = container.end() - 1;
        let members = members(container);
        let Some(last) = members.last().map(|last| last.value.end()) else {
            let indent = format!("{outer}{}", self.unit);
            let member =
                format!("{}{indent}{key}{}", self.ending, self.render(value, Some(&indent)));
            let inside = text[..close].trim_end_matches([' ', '\t', '\r', '\n']).len();
            if let Some(newline) = text[inside..close].rfind('\n') {
                let at =
                    text[..inside + newline].strip_suffix('\r').map_or(inside + newline, str::len);
                return (vec![Edit::insert(at, member)], false);
            }
            return (vec![Edit::insert(close, format!("{member}{}{outer}", self.ending))], true);
        };
        let is_one_line = !text[container.start()..last].contains('\n');
        let member = if is_one_line {
            format!(" {key}{}", self.render(value, None))
        } else {
            let first = members[0].start;
            let own_line = line_indent(text, first);
            let above = text[..first].strip_suffix(own_line);
            let starts_line = above.is_some_and(|above| above.ends_with('\n'));
            let indent =
                if starts_line { own_line.to_owned() } else { format!("{outer}{}", self.unit) };
            format!("{}{indent}{key}{}", self.ending, self.render(value, Some(&indent)))
        };
        let comma = document.comma(last);
        let from = comma.map_or(last, |comma| comma + 1);
        let at = if is_one_line { from } else { document.after_comments(from) };
        let edits = match comma {
            Some(_) => vec![Edit::insert(at, format!("{member},"))],
            None => vec![Edit::insert(last, ","), Edit::insert(at, member)],
        };
        (edits, false)
    }

    /// Returns a value as text: objects on lines of their own, lists of words on one. Without an
    /// indent everything is on one line.
    pub(super) fn render(&self, value: &Value, indent: Option<&str>) -> String {
        let inner = indent.map(|indent| format!("{indent}{}", self.unit));
        let inner = inner.as_deref();
        let (open, close, indents, parts): (_, _, _, Vec<String>) = match value {
            Value::Object(members) if !members.is_empty() => {
                let part = |(key, value): (&String, &Value)| {
                    format!("{}: {}", Value::from(key.as_str()), self.render(value, inner))
                };
                let parts = ordered(members).into_iter().map(part).collect();
                ('{', '}', indent.zip(inner), parts)
            }
            Value::Array(elements) => {
                let inner = inner.filter(|_| elements.iter().any(Value::is_object));
                let parts = elements.iter().map(|one| self.render(one, inner)).collect();
                ('[', ']', indent.zip(inner), parts)
            }
            other => return other.to_string(),
        };
        let Some((indent, inner)) = indents else {
            return format!("{open}{}{close}", parts.join(", "));
        };
        let joined = parts.join(&format!(",{}{inner}", self.ending));
        format!("{open}{0}{inner}{joined}{0}{indent}{close}", self.ending)
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
