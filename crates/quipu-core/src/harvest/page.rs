//! A document as harvests see it: headings with the paragraphs, list items and table rows below them.
//!
//! Markdown, reStructuredText, `AsciiDoc` and plain text are read line by line. Only what tells
//! decisions from the rest is modelled; code, directives and comments are left out.

mod markup;
mod reader;
mod table;

pub(crate) use self::markup::{plain, unstruck};
use self::reader::Reader;
use super::words::words;
use crate::outline::Checkbox;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Markdown,
    Rst,
    Asciidoc,
    Plain,
}

impl Dialect {
    fn of(path: &str) -> Self {
        match path.rsplit('.').next().unwrap_or_default().to_lowercase().as_str() {
            "rst" => Self::Rst,
            "adoc" | "asciidoc" => Self::Asciidoc,
            "txt" => Self::Plain,
            _ => Self::Markdown,
        }
    }

    fn has_underlines(self) -> bool {
        matches!(self, Self::Rst | Self::Plain | Self::Markdown)
    }
}

/// What a piece of text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Paragraph,
    /// A note or warning that is set apart.
    Aside,
    Item {
        checkbox: Checkbox,
        indent: usize,
    },
    Row {
        cells: Vec<String>,
        is_header: bool,
    },
}

/// A paragraph, a list item or a table row, on one line.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) shape: Shape,
    /// As it is written, markup included.
    pub(crate) raw: String,
    /// 1-based.
    pub(crate) line: usize,
}

/// A heading with what stands right below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// The heading's words; nothing before the first heading.
    pub(crate) title: String,
    /// The same as it is written: what is struck out or in brackets tells a status.
    pub(crate) raw: String,
    pub(crate) level: u8,
    /// 1-based.
    pub(crate) line: usize,
    pub(crate) blocks: Vec<Block>,
}

/// A document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// Fields before the text: front matter, attributes.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) parts: Vec<Part>,
}

impl Page {
    /// Reads a document; `path` tells how it is written.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let dialect = Dialect::of(path);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = match dialect {
            Dialect::Markdown => struck_tags(&without_comments(text)),
            _ => text.replace("[line-through]#", "~~"),
        };
        let lines: Vec<&str> = text.lines().collect();
        Reader::new(dialect, &lines).read()
    }

    /// Adds the fields of a file that stands beside the document, such as a `kep.yaml`.
    pub(crate) fn add_fields(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        self.fields.splice(0..0, reader::fields(&lines));
    }

    /// Returns the document's title: its first heading, or the one that its fields tell.
    pub(crate) fn title(&self) -> Option<&str> {
        let own = self.parts.iter().find(|part| !part.title.is_empty());
        let is_titular = |part: &&Part| {
            part.level <= 1 && super::words::role(&part.title) == super::words::Role::Other
        };
        let told = ["title", "feature name", "titel", "titre", "título", "titolo"]
            .into_iter()
            .find_map(|name| self.field(name))
            .filter(|told| !told.is_empty());
        match own.filter(is_titular) {
            Some(part) => Some(&part.title),
            None => told.or_else(|| own.map(|part| part.title.as_str())),
        }
    }

    /// Returns a field of the front matter or the header.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the parts below a part, deeper than it, in order.
    pub(crate) fn below(&self, index: usize) -> impl Iterator<Item = &Part> {
        let level = self.parts[index].level;
        self.parts[index + 1..].iter().take_while(move |part| part.level > level)
    }
}

/// Blanks out HTML comments; lines stay where they are. A comment that tells a status is kept as text.
fn without_comments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        result.push_str(&rest[..start]);
        let end = rest[start..].find("-->").map_or(rest.len(), |end| start + end + "-->".len());
        let comment = &rest[start..end];
        if let Some(status) = told_status(comment) {
            let line = result.rsplit('\n').next().unwrap_or_default();
            let kept = if line.trim().is_empty() {
                format!("Status: {status}")
            } else {
                format!("[{status}]")
            };
            result.push_str(&kept);
        }
        result.extend(comment.chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

/// Returns the status that a comment tells: `<!-- status: superseded -->`.
fn told_status(comment: &str) -> Option<&str> {
    let inner = comment.trim_start_matches("<!--").trim_end_matches("-->").trim();
    let (key, value) = inner.lines().find_map(|line| line.split_once([':', '=']))?;
    let key = key.trim().to_lowercase();
    let is_short = value.chars().count() < 80 && inner.lines().count() <= 3;
    (words().status_labels.contains(&key.as_str()) && is_short).then(|| value.trim())
}

fn struck_tags(text: &str) -> String {
    let tags = ["<del>", "</del>", "<s>", "</s>", "<strike>", "</strike>"];
    tags.iter().fold(text.to_owned(), |text, tag| text.replace(tag, "~~"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(path: &str, text: &str) -> Vec<(u8, String)> {
        let page = Page::read(path, text);
        page.parts[1..].iter().map(|part| (part.level, part.title.clone())).collect()
    }

    #[test]
    fn headings_are_read_in_every_dialect() {
        let expected = vec![(1, "One".to_owned()), (2, "Two".to_owned())];
        assert_eq!(titles("a.md", "# One\n\ntext\n\n## Two ##\n"), expected);
        assert_eq!(titles("a.md", "One\n===\n\ntext\n\nTwo\n---\nx\n"), expected);
        assert_eq!(titles("a.rst", "===\nOne\n===\n\ntext\n\nTwo\n---\n\nx\n"), expected);
        assert_eq!(titles("a.adoc", "= One\n\n== Two\n\n----\n== code\n----\n"), expected);
        assert_eq!(titles("a.txt", "One\n===\n\nTwo\n---\r\n"), expected);
        assert_eq!(titles("a.txt", "THE DECISION\n\nWords.\n"), [(2, "THE DECISION".to_owned())]);
    }

    #[test]
    fn code_and_comments_are_no_text() {
        let page = Page::read("a.md", "# T\n\n```\nMUST\n```\n<!--\nNEVER\n-->\n- [ ] do\n  it\n");
        let blocks: Vec<&str> = page.parts[1].blocks.iter().map(|b| b.raw.as_str()).collect();
        assert_eq!(blocks, ["do it"]);
        assert_eq!(page.parts[1].blocks[0].line, 9);
    }

    #[test]
    fn markup_is_taken_off() {
        assert_eq!(
            plain("**Use** [the *queue*](q.md) of `a_b`, __now__"),
            "Use the queue of `a_b`, now"
        );
        assert_eq!(plain("snake_case and 2 * 3 <br/> stay"), "snake_case and 2 * 3 stay");
        assert_eq!(plain("see link:x.html[the page] and ``lit``"), "see the page and `lit`");
    }

    #[test]
    fn tables_have_a_header_and_rows() {
        let page = Page::read("a.md", "| Decision | Why |\n|---|---|\n| Use X | fast |\n");
        let rows: Vec<bool> = (page.parts[0].blocks.iter())
            .map(|block| matches!(block.shape, Shape::Row { is_header: true, .. }))
            .collect();
        assert_eq!(rows, [true, false]);
    }
}
