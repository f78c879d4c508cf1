//! JSON as people write it in configuration: comments, trailing commas. `jsonc_parser` reads it; the
//! spans of its values and tokens let [`edit`] change an entry and no other byte.
//!
//! The crate's own editor (`cst`) is not used: it spreads `{"a":1}` over lines and drops blank lines.

pub(super) mod edit;
mod style;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

/// Strict but for comments and trailing commas.
const SYNTAX: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

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

/// Returns bytes as text.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, SyntaxError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
        SyntaxError { line, what: "this is not UTF-8".to_owned() }
    })
}

/// A document, with the place of everything in it.
pub(super) struct Document<'t> {
    text: &'t str,
    /// `None` where there is nothing but white space and comments.
    root: Option<Node<'t>>,
    /// In their order, comments too.
    tokens: Vec<TokenAndRange<'t>>,
}

/// A member of an object, or an element of an array, which has no key.
struct Member<'d> {
    key: Option<&'d str>,
    /// Where it begins: its key, or the value itself.
    start: usize,
    value: &'d Node<'d>,
}

impl<'t> Document<'t> {
    /// Reads a document.
    ///
    /// # Errors
    /// When it is not JSON, with the line.
    fn parse(text: &'t str) -> Result<Self, SyntaxError> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &SYNTAX).map_err(|error| {
            let what = match error.kind() {
                ParseErrorKind::ExpectedComma => "expected `,`".to_owned(),
                ParseErrorKind::UnexpectedWord | ParseErrorKind::UnexpectedToken => {
                    "this is not a value".to_owned()
                }
                other => other.to_string().to_lowercase(),
            };
            SyntaxError::at(text, error.range().start, what)
        })?;
        let tokens = parsed.tokens.unwrap_or_default();
        // The crate takes line breaks and other control characters in a string.
        let is_broken = |one: &&TokenAndRange<'_>| {
            matches!(one.token, Token::String(_))
                && serde_json::from_str::<String>(one.text(text)).is_err()
        };
        match tokens.iter().find(is_broken) {
            Some(one) => Err(SyntaxError::at(text, one.start(), "this string cannot be read")),
            None => Ok(Self { text, root: parsed.value, tokens }),
        }
    }

    /// Returns the value at the end of a path of keys.
    fn at(&self, path: &[String]) -> Option<&Node<'t>> {
        path.iter().try_fold(self.root.as_ref()?, |node, key| get(node, key))
    }

    /// Returns where the comma after a member is.
    fn comma(&self, end: usize) -> Option<usize> {
        let next = self.tokens.iter().find(|one| one.start() >= end && !is_comment(one))?;
        (next.token == Token::Comma).then_some(next.start())
    }

    /// Returns the end of the comments that follow on the same line: they belong to what is there.
    fn after_comments(&self, from: usize) -> usize {
        let mut end = from;
        for one in self.tokens.iter().skip_while(|one| one.start() < from) {
            if !is_comment(one) || self.text[end..one.start()].contains('\n') {
                break;
            }
            end = one.end();
        }
        end
    }
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// Returns the members of an object or an array.
fn members<'d>(node: &'d Node<'_>) -> Vec<Member<'d>> {
    match node {
        Node::Object(object) => {
            let member = |one: &'d jsonc_parser::ast::ObjectProp<'_>| Member {
                key: Some(one.name.as_str()),
                start: one.start(),
                value: &one.value,
            };
            object.properties.iter().map(member).collect()
        }
        Node::Array(array) => {
            let member = |value: &'d Node<'_>| Member { key: None, start: value.start(), value };
            array.elements.iter().map(member).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the position of a key's member; of several the last, as every reader does.
fn position(node: &Node<'_>, key: &str) -> Option<usize> {
    members(node).iter().rposition(|member| member.key == Some(key))
}

fn get<'n, 't>(node: &'n Node<'t>, key: &str) -> Option<&'n Node<'t>> {
    let at = position(node, key)?;
    node.as_object().map(|object| &object.properties[at].value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text = "// top\n{\n  \"a\": [1, /* two */ 2,], // end\n  \"b\": {\"c\": null,},\n}\n";
        let root = Document::parse(text).unwrap().root.unwrap();
        let value = serde_json::Value::from(root);
        assert_eq!(value, serde_json::json!({ "a": [1, 2], "b": { "c": null } }));
        assert!(Document::parse(" // nothing\n").unwrap().root.is_none());
    }

    #[test]
    fn an_error_names_its_line_and_no_value() {
        let line = |text: &str| Document::parse(text).err().unwrap().to_string();
        assert_eq!(line("{\n  \"a\": 1\n  \"b\": 2\n}"), "line 2: expected `,`");
        assert_eq!(line("{\n  \"a\": sk-secret\n}"), "line 2: this is not a value");
        assert_eq!(line("{\"a\": {\n"), "line 1: unterminated object");
        assert_eq!(line("{'a': 1}"), "line 1: single-quoted strings are not allowed");
        assert_eq!(line("{} {}"), "line 1: text cannot contain more than one json value");
        assert_eq!(line("{\"a\": \"open\n}"), "line 1: unterminated string literal");
        assert_eq!(line("{\n\"a\": \"two\nlines\"}"), "line 2: this string cannot be read");
        assert_eq!(line("[1,,2]"), "line 1: unexpected comma");
        assert!(line(&"[".repeat(4000)).contains("nesting depth exceeded"));
    }
}
