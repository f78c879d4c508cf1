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
    let make = |part: Part<'t>| {
        let time = time.unwrap_or(Timestamp::UNIX_EPOCH);
        let mut item = Item::new(format!("{path}#{}", part.slug), Kind::Document, part.text, time);
        item.title = match part.title {
            "" => title.to_owned(),
            heading if heading == title => title.to_owned(),
            heading => format!("{title} › {heading}"),
        };
        let line = if has_lines { format!(":{}", part.line) } else { String::new() };
        item.channel = Some(format!("{CHANNEL}{source}{line}"));
        item.place = Some(Place { path: path.to_owned(), line: part.line + head.lines });
        "document".clone_into(&mut item.category);
        item.source = Source::Ingest;
        (item.layer, item.memory_type) = (Layer::Semantic, MemoryType::Fact);
        item
    };
    parts(&text[start..]).map(make).collect()
}
