//! JSON as people write it in configuration: comments, trailing commas, a byte order mark. Parsing
//! yields spans, so that [`edit`] changes an entry and no other byte.

pub(super) mod edit;
#[cfg(test)]
mod properties;
mod style;

use std::ops::Range;

use serde_json::Value;

/// Nobody nests configuration deeper than this.
const DEEPEST: usize = 128;

/// Why a configuration file cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SyntaxError {
    /// 1-based line.
    pub line: usize,
    /// What was found there.
    pub what: String,
}

impl SyntaxError {
    pub(super) fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let line = text.get(..offset).unwrap_or(text).matches('\n').count() + 1;
        Self { line, what: what.into() }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Member>),
    Scalar(Value),
}

/// A member of an object, or an element of an array, which has no key.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: Option<String>,
    /// Where it begins: its key, or the value itself.
    pub(super) start: usize,
    pub(super) value: Node,
    /// Where its comma stands, if it has one.
    pub(super) comma: Option<usize>,
}

impl Member {
    pub(super) fn end(&self) -> usize {
        self.value.span.end
    }
}

impl Node {
    /// Returns the members of an object or an array.
    pub(super) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) | Kind::Array(members) => members,
            Kind::Scalar(_) => &[],
        }
    }

    /// Returns where a key's member stands; of several the last, as every reader does.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.members().iter().rposition(|member| member.key.as_deref() == Some(key))
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.position(key).map(|at| &self.members()[at].value)
    }

    /// Returns the node at the end of a path of keys.
    pub(super) fn at(&self, path: &[String]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Returns what it says, without comments.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::Array(elements) => elements.iter().map(|one| one.value.value()).collect(),
            Kind::Object(members) => {
                let pair = |one: &Member| (one.key.clone().unwrap_or_default(), one.value.value());
                Value::Object(members.iter().map(pair).collect())
            }
        }
    }
}

/// Reads a document; `None` where there is nothing but white space and comments.
///
/// # Errors
/// When it is not JSON, with the line.
pub(super) fn parse(text: &str) -> Result<Option<Node>, SyntaxError> {
    let mut parser = Parser { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    parser.skip()?;
    if parser.at == text.len() {
        return Ok(None);
    }
    let root = parser.value(0)?;
    parser.skip()?;
    if parser.at < text.len() {
        return Err(parser.error("there is more after the end of the document"));
    }
    Ok(Some(root))
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn error(&self, what: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.text, self.at, what)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes white space and comments.
    fn skip(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with([' ', '\t', '\r', '\n']) {
                self.at += 1;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/");
                let end = end.ok_or_else(|| self.error("this comment has no end"))?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        if depth > DEEPEST {
            return Err(self.error("this is nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.members(b'}', depth)?),
            Some(b'[') => Kind::Array(self.members(b']', depth)?),
            Some(b'"') => Kind::Scalar(Value::String(self.string()?)),
            Some(_) => self.word()?,
            None => return Err(self.error("the document ends where a value should stand")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn members(&mut self, close: u8, depth: usize) -> Result<Vec<Member>, SyntaxError> {
        let opened = self.at;
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.skip()?;
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(members);
                }
                None => {
                    let what = format!("this `{}` is never closed", &self.text[opened..=opened]);
                    return Err(SyntaxError::at(self.text, opened, what));
                }
                Some(_) => {}
            }
            if members.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.error(format!("expected `,` or `{}`", char::from(close))));
            }
            members.push(self.member(close == b'}', depth)?);
            self.skip()?;
            if self.peek() == Some(b',') {
                if let Some(last) = members.last_mut() {
                    last.comma = Some(self.at);
                }
                self.at += 1;
            }
        }
    }

    fn member(&mut self, has_key: bool, depth: usize) -> Result<Member, SyntaxError> {
        let start = self.at;
        let key = if has_key {
            if self.peek() != Some(b'"') {
                return Err(self.error("expected a key in double quotes"));
            }
            let key = self.string()?;
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.error("expected `:` after this key"));
            }
            self.at += 1;
            self.skip()?;
            Some(key)
        } else {
            None
        };
        Ok(Member { key, start, value: self.value(depth + 1)?, comma: None })
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(b'\n') | None => return Err(self.error("this string has no end")),
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        let read = self.text.get(start..self.at).map(serde_json::from_str);
        read.and_then(Result::ok)
            .ok_or_else(|| SyntaxError::at(self.text, start, "this string cannot be read"))
    }

    fn word(&mut self) -> Result<Kind, SyntaxError> {
        let rest = &self.text[self.at..];
        let is_end = |c: char| c.is_whitespace() || ",:{}[]\"/".contains(c);
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        // The word itself may be a secret that somebody forgot to quote.
        let value = serde_json::from_str(word).map_err(|_| self.error("this is not a value"))?;
        self.at += word.len();
        Ok(Kind::Scalar(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text =
            "\u{feff}// top\n{\n  \"a\": [1, /* two */ 2,], // end\n  \"b\": {\"c\": null,},\n}\n";
        let root = parse(text).unwrap().unwrap();
        assert_eq!(root.value(), serde_json::json!({ "a": [1, 2], "b": { "c": null } }));
        assert!(parse(" // nothing\n").unwrap().is_none());
    }

    #[test]
    fn an_error_names_its_line_and_no_value() {
        let line = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(line("{\n  \"a\": 1\n  \"b\": 2\n}"), "line 3: expected `,` or `}`");
        assert_eq!(line("{\n  \"a\": sk-secret\n}"), "line 2: this is not a value");
        assert_eq!(line("{\"a\": {\n"), "line 1: this `{` is never closed");
        assert_eq!(line("{'a': 1}"), "line 1: expected a key in double quotes");
        assert_eq!(line("{} {}"), "line 1: there is more after the end of the document");
        assert_eq!(line("{\"a\": \"open\n}"), "line 1: this string has no end");
        assert_eq!(line("[1,,2]"), "line 1: this is not a value");
        assert!(line(&"[".repeat(4000)).contains("nested too deeply"));
    }
}
