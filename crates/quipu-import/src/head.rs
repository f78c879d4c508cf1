//! Notes in Markdown: what stands between `---` lines at their beginning, and the rest.

use serde_json::{Map, Value};

/// A head that is longer is none.
const LONGEST: usize = 64 * 1024;

/// A note: its head, and its words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note<'t> {
    /// The keys of the head.
    pub head: Map<String, Value>,
    /// Everything below the head.
    pub body: &'t str,
    /// The line that the body begins on, from 1.
    pub line: usize,
    /// Why the head could not be read; its text is left out then.
    pub broken: Option<String>,
}

impl<'t> Note<'t> {
    /// Reads a text. A head that cannot be read is no reason not to read the words.
    pub fn read(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let whole = Self { body: text, line: 1, ..Self::default() };
        let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
            return whole;
        };
        let mut at = 0;
        let mut end = None;
        for (number, line) in rest.split_inclusive('\n').enumerate() {
            if line.trim_end() == "---" {
                end = Some((at, at + line.len(), number + 3));
                break;
            }
            at += line.len();
            if at > LONGEST {
                return whole;
            }
        }
        let Some((head_end, body, line)) = end else { return whole };
        let (head, broken) = match read_head(&rest[..head_end]) {
            Ok(head) => (head, None),
            Err(why) => (Map::new(), Some(why)),
        };
        Self { head, body: &rest[body..], line, broken }
    }

    /// Returns a text of the head.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.head.get(key)? {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Returns the texts of a list in the head, or of a text with commas.
    pub fn list(&self, key: &str) -> Vec<String> {
        self.head.get(key).map(crate::text::texts_in).unwrap_or_default()
    }
}

/// Reads the lines of a head.
fn read_head(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_saphyr::from_str::<Value>(text) {
        Ok(Value::Object(head)) => Ok(head),
        Ok(_) => Err("its head is no list of keys".to_owned()),
        Err(error) => {
            let why = error.to_string();
            Err(format!("its head cannot be read: {}", why.lines().next().unwrap_or_default()))
        }
    }
}

/// Returns a text as a value in a head: quoted where it would be read as something else.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_and_a_broken_one_is_no_reason_not_to_read() {
        let text = "---\ntitle: \"Tea: plan\"\ntags:\n- tea\n- x\nmetadata:\n  type: user\n  n: 3\nday: 2026-01-02\n---\n# Tea\n";
        let note = Note::read(text);
        assert_eq!(note.text("title").as_deref(), Some("Tea: plan"));
        assert_eq!(note.list("tags"), ["tea", "x"]);
        assert_eq!(note.head["metadata"]["type"], "user");
        assert_eq!(note.text("day").as_deref(), Some("2026-01-02"));
        assert_eq!((note.body, note.line), ("# Tea\n", 11));
        let note = Note::read("---\na: [1\n---\nwords\n");
        assert!(note.broken.is_some() && note.body == "words\n");
        assert_eq!(Note::read("--- x\nwords").body, "--- x\nwords");
    }

    #[test]
    fn a_text_survives_in_a_head() {
        for text in ["a: b", "- x", "\"", "true", "2026-01-02", "a\\b", "línea", "#x", ""] {
            let source = format!("---\nkey: {}\n---\n", quoted(text));
            assert_eq!(Note::read(&source).head["key"], text, "{source}");
        }
    }
}
