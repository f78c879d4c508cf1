//! Documents that were read: a head that says where they are from, and their words.

use jiff::Timestamp;

use super::{Part, Place};
use crate::item::{Item, Kind, Layer, MemoryType, Source};

/// How channels of documents begin.
const CHANNEL: &str = "ingest:";

/// The head of a document: its keys, and how many lines it has.
struct Head<'t> {
    keys: Vec<(&'t str, String)>,
    lines: usize,
}

impl Head<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }
}

/// Reads the lines between `---`: each a key and a value in JSON.
fn head(text: &str) -> Option<Head<'_>> {
    let mut lines = text.lines();
    (lines.next()? == "---").then_some(())?;
    let mut head = Head { keys: Vec::new(), lines: 1 };
    for line in lines {
        head.lines += 1;
        if line == "---" {
            return Some(head);
        }
        let (key, value) = line.split_once(": ")?;
        let value = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
        head.keys.push((key, value));
    }
    None
}

/// Returns the sections of a document, each with the file and line that it is from.
pub(super) fn document<'t, P: Iterator<Item = Part<'t>>>(
    path: &str,
    text: &'t str,
    parts: impl Fn(&'t str) -> P,
) -> Vec<Item> {
    let Some(head) = head(text) else { return Vec::new() };
    let start: usize = text.split_inclusive('\n').take(head.lines).map(str::len).sum();
    let source = head.get("source").unwrap_or(path);
    let title = head.get("title").unwrap_or_else(|| source.rsplit('/').next().unwrap_or(source));
    let time = head.get("created").and_then(|time| time.parse().ok());
    let has_lines = head.get("lines") == Some("same");
    let body = &text[start..];
    let mut items = Vec::new();
    let make = |part: Part<'t>, above: &str, page: Option<usize>, lines: usize| {
        let time = time.unwrap_or(Timestamp::UNIX_EPOCH);
        let id = match page {
            None => format!("{path}#{}", part.slug),
            Some(page) => format!("{path}#p{page}-{}", part.slug),
        };
        let mut item = Item::new(id, Kind::Document, part.text, time);
        let heading = if part.title.is_empty() { above } else { part.title };
        item.title = match heading {
            "" => title.to_owned(),
            heading if heading == title => title.to_owned(),
            heading => format!("{title} › {heading}"),
        };
        let line = lines + part.line;
        let place = match page {
            Some(page) => format!(" p. {page}"),
            None if has_lines => format!(":{line}"),
            None => String::new(),
        };
        item.channel = Some(format!("{CHANNEL}{source}{place}"));
        item.place = Some(Place { path: path.to_owned(), line: line + head.lines });
        "document".clone_into(&mut item.category);
        item.source = Source::Ingest;
        (item.layer, item.memory_type) = (Layer::Semantic, MemoryType::Fact);
        item
    };
    let mut above = "";
    for (page, lines, words) in pages(body, head.get("pages") == Some("marked")) {
        for part in parts(words) {
            let title = part.title;
            items.push(make(part, above, page, lines));
            if !title.is_empty() {
                above = title;
            }
        }
    }
    items
}

/// Returns the pages of a document: the number of each, how many lines stand before it, and its words.
fn pages(body: &str, are_marked: bool) -> Vec<(Option<usize>, usize, &str)> {
    if !are_marked {
        return vec![(None, 0, body)];
    }
    let mut pages = Vec::new();
    let (mut page, mut begin, mut before) = (1, 0, 0);
    let (mut at, mut lines) = (0, 0);
    for line in body.split_inclusive('\n') {
        let number =
            line.trim().strip_prefix("<!-- page ").and_then(|rest| rest.strip_suffix(" -->"));
        let next = number.and_then(|number| number.parse().ok());
        (at, lines) = (at + line.len(), lines + 1);
        if let Some(next) = next {
            pages.push((Some(page), before, &body[begin..at - line.len()]));
            (page, begin, before) = (next, at, lines);
        }
    }
    pages.push((Some(page), before, &body[begin..]));
    pages
}
