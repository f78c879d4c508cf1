//! XML as a row of tags and texts: enough to read the files of office programs, where only few elements matter.

use super::html::entities;

/// What stands in a file of XML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// An element begins. One that is empty ends at once.
    Start(Tag<'t>),
    /// An element ends: its name without a prefix.
    End(&'t str),
    /// Words.
    Text(String),
}

/// The beginning of an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    /// Its name without a prefix.
    pub name: &'t str,
    attributes: &'t str,
    /// Whether nothing is inside, so that no [`Token::End`] follows.
    pub is_empty: bool,
}

impl Tag<'_> {
    /// Returns the value of an attribute; its prefix does not matter.
    pub(super) fn value(&self, wanted: &str) -> Option<String> {
        self.values(wanted).into_iter().next()
    }

    /// Returns the values of attributes of that name, whatever their prefixes.
    pub(super) fn values(&self, wanted: &str) -> Vec<String> {
        let mut values = Vec::new();
        let mut rest = self.attributes;
        while let Some(equals) = rest.find('=') {
            let name = without_prefix(rest[..equals].trim());
            rest = rest[equals + 1..].trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                break;
            };
            let Some(end) = rest[1..].find(quote).map(|at| at + 1) else { break };
            if name == wanted {
                values.push(entities(&rest[1..end]));
            }
            rest = &rest[end + 1..];
        }
        values
    }
}

/// Reads XML from its beginning to its end, or to where it is broken.
pub(super) struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { rest: text }
    }

    /// Leaves out what stands before the end of something.
    fn skip(&mut self, end: &str) {
        self.rest = self.rest.find(end).map_or("", |at| &self.rest[at + end.len()..]);
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let start = self.rest.find('<').unwrap_or(self.rest.len());
            if start > 0 {
                let text = entities(&self.rest[..start]);
                self.rest = &self.rest[start..];
                return Some(Token::Text(text));
            }
            if self.rest.starts_with("<!--") {
                self.skip("-->");
            } else if let Some(words) = self.rest.strip_prefix("<![CDATA[") {
                let text = words.split("]]>").next().unwrap_or_default().to_owned();
                self.skip("]]>");
                return Some(Token::Text(text));
            } else if self.rest.starts_with("<?") || self.rest.starts_with("<!") {
                self.skip(">");
            } else {
                let end = end_of_tag(self.rest)?;
                let inside = &self.rest[1..end];
                self.rest = &self.rest[end + 1..];
                if let Some(name) = inside.strip_prefix('/') {
                    return Some(Token::End(without_prefix(name.trim())));
                }
                let is_empty = inside.ends_with('/');
                let inside = inside.trim_end_matches('/');
                let (name, attributes) =
                    inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
                return Some(Token::Start(Tag {
                    name: without_prefix(name),
                    attributes,
                    is_empty,
                }));
            }
        }
    }
}

/// Returns where a tag ends; a `>` in quotes does not end it.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn without_prefix(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

/// Returns the words of the first element of that name.
pub(super) fn first(text: &str, name: &str) -> Option<String> {
    let mut words = String::new();
    let mut is_inside = false;
    for token in Tokens::of(text) {
        match token {
            Token::Start(tag) if tag.name == name && !tag.is_empty => is_inside = true,
            Token::End(end) if is_inside && end == name => break,
            Token::Text(text) if is_inside => words.push_str(&text),
            _ => {}
        }
    }
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_texts_and_what_is_neither() {
        let text = "<?xml version='1.0'?><!-- <x> --><w:p a=\"1 > 0\" w:val='b &amp; c'>Tea<br/><![CDATA[<&>]]></w:p>";
        let all: Vec<Token<'_>> = Tokens::of(text).collect();
        let Token::Start(tag) = &all[0] else { panic!("{all:?}") };
        assert_eq!((tag.name, tag.value("val").as_deref()), ("p", Some("b & c")));
        assert_eq!(all[1], Token::Text("Tea".to_owned()));
        assert_eq!(all[3], Token::Text("<&>".to_owned()));
        assert_eq!(all[4], Token::End("p"));
        assert_eq!(first("<a><dc:title> Tea </dc:title></a>", "title").as_deref(), Some("Tea"));
        assert_eq!(Tokens::of("<a <b").count(), 0);
    }
}
