//! Which threads are open, line by line.

use std::collections::BTreeSet;

use crate::outline::Checkbox;
use crate::text;

/// Returns the ids of unchecked threads.
///
/// This walks the lines as the original does, and beside that remembers the open items around a
/// footer, so that a ticked child does not unpin its parent (deviation D2).
pub(super) fn pinned(source: &str) -> BTreeSet<String> {
    let mut pinned = BTreeSet::new();
    let mut around: Vec<(usize, Checkbox)> = Vec::new();
    let mut latest: Option<(usize, Checkbox)> = None;
    for line in text::lines(source) {
        let trimmed = line.text.trim_start();
        if trimmed.is_empty() {
            continue;
        }
        if line.text.starts_with('#') {
            around.clear();
        }
        let indent = line.text.chars().count() - trimmed.chars().count();
        let checkbox = if trimmed.starts_with("- [ ]") {
            Some(Checkbox::Open)
        } else if trimmed.starts_with("- [x]") || trimmed.starts_with("- [X]") {
            Some(Checkbox::Done)
        } else {
            None
        };
        let is_item = checkbox.is_some() || trimmed.starts_with("- ") || trimmed.starts_with("* ");
        if is_item {
            // The indentations grow from the outermost to the innermost.
            while around.pop_if(|(outer, _)| *outer >= indent).is_some() {}
        }
        if let Some(checkbox) = checkbox {
            around.push((indent, checkbox));
            latest = Some((indent, checkbox));
        } else if is_item && latest.is_some_and(|(outer, _)| indent <= outer) {
            latest = None;
        }
        let Some(id) = footer_id(line.text) else {
            continue;
        };
        let outer = around.partition_point(|(outer, _)| *outer < indent || is_item);
        let owner = around.get(outer.saturating_sub(1)).map(|(_, checkbox)| *checkbox);
        let is_open = |checkbox| checkbox == Some(Checkbox::Open);
        if is_open(latest.map(|(_, checkbox)| checkbox)) || is_open(owner) {
            pinned.insert(id.to_owned());
        }
    }
    pinned
}

/// Returns the id of the first comment in `line` that begins like a footer.
fn footer_id(line: &str) -> Option<&str> {
    let mut rest = line;
    while let Some(at) = rest.find("<!--") {
        rest = &rest[at + "<!--".len()..];
        if let Some(id) = rest.trim_start().strip_prefix("id:") {
            let id = id.trim_start();
            let length = id
                .bytes()
                .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
                .count();
            if length > 0 {
                return Some(&id[..length]);
            }
        }
    }
    None
}
