//! What a fact is: its id, its tier, and the footer comment that carries both.
//!
//! The footer grammar is that of agent-memory (docs/spec/facts.md): one HTML comment that
//! begins with `id:`, has at least one `|`, and closes on the line of its first `|`. Spans point
//! into the source, so that a change replaces a value and nothing else.

mod tier;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::Serialize;

pub use tier::{SetBy, Tier, TierLabel};

/// A fact's name: lowercase words joined by `-`, unique in its file, never changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct FactId(String);

/// The reason a piece of text is not a [`FactId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a fact id: expected at least two lowercase words joined by `-`, such as `post-only-mutations`"
)]
pub struct FactIdError {
    text: String,
}

impl FactId {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes an id as found in a footer, where one word is enough and nothing is checked.
    pub(crate) fn found(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl FromStr for FactId {
    type Err = FactIdError;

    fn from_str(text: &str) -> Result<Self, FactIdError> {
        let mut words = text.split('-');
        let letter_first = text.starts_with(|first: char| first.is_ascii_lowercase());
        let plain = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if letter_first && text.contains('-') && words.all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(FactIdError { text: text.to_owned() })
        }
    }
}

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for FactId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for FactId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// One `key: value` of a footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key, trimmed.
    pub key: String,
    /// The value, trimmed.
    pub value: String,
    /// Where the trimmed value stands.
    pub span: Range<usize>,
}

/// A fact's footer comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footer {
    /// The fact's id.
    pub id: FactId,
    /// The fields after the id, in order, duplicates included.
    pub fields: Vec<Field>,
    /// The whole comment, from `<!--` to `-->`.
    pub span: Range<usize>,
}

impl Footer {
    /// Returns the value of `key`; of several the last, as the original does.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().rev().find(|field| field.key == key).map(|field| field.value.as_str())
    }

    /// Returns the tier label as written.
    pub fn tier_label(&self) -> Option<TierLabel> {
        self.get("tier").map(TierLabel::from)
    }

    /// Returns the tier; nothing where the label is missing or names none.
    pub fn tier(&self) -> Option<Tier> {
        self.tier_label()?.tier()
    }

    /// Tells whether the label says `core`.
    pub fn is_core(&self) -> bool {
        self.tier() == Some(Tier::Core)
    }

    /// Tells whether the fact was replaced or found false.
    pub fn is_superseded(&self) -> bool {
        self.superseded_by().is_some() || self.tier() == Some(Tier::Superseded)
    }

    /// Returns the id of the fact that replaced this one.
    pub fn superseded_by(&self) -> Option<&str> {
        self.get("superseded-by").filter(|id| !id.is_empty())
    }

    /// Tells whether a person holds the tier (deviation D7).
    pub fn is_held_by_human(&self) -> bool {
        self.get("tier-by") == Some("human")
    }

    /// Returns where a new field goes: before the white space that precedes `-->`.
    pub fn end_of_fields(&self, source: &str) -> usize {
        let body = &source[self.span.start..self.span.end - "-->".len()];
        self.span.start + body.trim_end().len()
    }
}

/// A comment that begins like a footer and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenFooter {
    /// The id it names.
    pub id: String,
    /// Where it begins.
    pub at: usize,
    /// What is wrong with it.
    pub fault: FooterFault,
}

/// What keeps a comment from being a footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FooterFault {
    /// It has no `-->` on its line.
    Unclosed,
    /// It has no `|` after the id.
    NoFields,
}

/// Returns the footers of `source` in order, and the comments that look like one and are none.
pub fn footers(source: &str) -> (Vec<Footer>, Vec<BrokenFooter>) {
    let mut found = Vec::new();
    let mut broken = Vec::new();
    let mut closes = Closes { source, line_end: 0, last: None };
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(&source.as_bytes()[from..], b"<!--") {
        let start = from + at;
        from = start + "<!--".len();
        match footer_at(source, start, &mut closes) {
            Found::Footer(footer) => {
                from = footer.span.end;
                found.push(footer);
            }
            Found::Broken(fault) => broken.push(fault),
            Found::OtherComment => {}
        }
    }
    (found, broken)
}

/// Knows whether a comment closes on its line, looking at each line once however many begin there.
struct Closes<'a> {
    source: &'a str,
    line_end: usize,
    last: Option<usize>,
}

impl Closes<'_> {
    /// Returns whether a `-->` stands between `at` and the end of its line.
    fn after(&mut self, at: usize) -> bool {
        if at >= self.line_end {
            let rest = &self.source[at..];
            let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            self.line_end = at + length;
            self.last = rest[..length].rfind("-->").map(|offset| at + offset);
        }
        self.last.is_some_and(|last| last >= at)
    }
}

enum Found {
    Footer(Footer),
    Broken(BrokenFooter),
    OtherComment,
}

fn footer_at(source: &str, start: usize, closes: &mut Closes<'_>) -> Found {
    let after_open = &source[start + "<!--".len()..];
    let Some(after_key) = after_open.trim_start().strip_prefix("id:") else {
        return Found::OtherComment;
    };
    let after_key = after_key.trim_start();
    let id_length = after_key
        .bytes()
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
        .count();
    if id_length == 0 {
        return Found::OtherComment;
    }
    let (id, rest) = after_key.split_at(id_length);
    let broken = |fault| {
        Found::Broken(BrokenFooter { id: id.trim_end_matches('-').to_owned(), at: start, fault })
    };
    let Some(fields) = rest.trim_start().strip_prefix('|') else {
        let after_id = source.len() - rest.len();
        let ends = closes.after(after_id) || id.ends_with("--");
        return broken(if ends { FooterFault::NoFields } else { FooterFault::Unclosed });
    };
    let fields_start = source.len() - fields.len();
    if !closes.after(fields_start) {
        return broken(FooterFault::Unclosed);
    }
    let Some(length) = fields.find("-->") else {
        return broken(FooterFault::Unclosed);
    };
    let end = fields_start + length + "-->".len();
    Found::Footer(Footer {
        id: FactId::found(id),
        fields: split_fields(source, fields_start..fields_start + length),
        span: start..end,
    })
}

fn split_fields(source: &str, span: Range<usize>) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut at = span.start;
    for part in source[span].split('|') {
        if let Some((key, value)) = part.split_once(':') {
            let lead = key.len() + 1 + (value.len() - value.trim_start().len());
            let value = value.trim();
            fields.push(Field {
                key: key.trim().to_owned(),
                value: value.to_owned(),
                span: at + lead..at + lead + value.len(),
            });
        }
        at += part.len() + 1;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(source: &str) -> Footer {
        footers(source).0.pop().expect("a footer")
    }

    #[test]
    fn a_footer_knows_where_its_values_stand() {
        let source = "- text\n  <!-- id: a-b | created: 2026-06-08 | uses:14|tier: core -->\n";
        let footer = one(source);
        assert_eq!(footer.id.as_str(), "a-b");
        let values: Vec<_> = footer.fields.iter().map(|f| &source[f.span.clone()]).collect();
        assert_eq!(values, ["2026-06-08", "14", "core"]);
    }

    #[test]
    fn a_later_duplicate_key_wins() {
        assert_eq!(
            one("<!-- id: a-b | tier: working | tier: active -->").tier(),
            Some(Tier::Active)
        );
    }

    #[test]
    fn an_unclosed_footer_swallows_nothing() {
        let (found, broken) = footers("<!-- id: a-b | tier: x\n<!-- id: c-d | tier: y -->\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].id.as_str(), "c-d");
        assert_eq!(broken[0].fault, FooterFault::Unclosed);
    }

    #[test]
    fn a_footer_without_fields_is_reported() {
        let (found, broken) = footers("<!-- id: a-b -->");
        assert!(found.is_empty());
        assert_eq!((broken[0].id.as_str(), broken[0].fault), ("a-b", FooterFault::NoFields));
    }

    #[test]
    fn other_comments_are_left_alone() {
        assert_eq!(footers("<!-- identity: x | y --> <!-- note -->"), (vec![], vec![]));
    }

    #[test]
    fn an_id_needs_two_lowercase_words() {
        assert!("post-only".parse::<FactId>().is_ok());
        for bad in ["post", "Post-only", "post--only", "-post", "post-", "9-lives", "post_only", ""]
        {
            assert!(bad.parse::<FactId>().is_err(), "{bad}");
        }
    }
}
