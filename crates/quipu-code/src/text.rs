//! One line of words from many: whitespace collapsed, comments left out.

use std::ops::Range;

/// Returns the largest index that is no more than `at` and lies between characters.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns `text[range]` as one line without the parts in `holes`, which are in order.
pub(crate) fn one_line(text: &str, range: Range<usize>, holes: &[Range<usize>]) -> String {
    let mut line = Line::default();
    let mut at = range.start;
    for hole in holes {
        if hole.start >= at && hole.end <= range.end {
            line.push(&text[at..hole.start]);
            // What stood on both sides of a comment stays apart.
            line.push(" ");
            at = hole.end;
        }
    }
    line.push(&text[at..range.end]);
    line.text
}

/// A line that grows, with one space where there was any whitespace.
#[derive(Default)]
struct Line {
    text: String,
    gap: Gap,
}

/// The whitespace after what was written last.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Gap {
    #[default]
    None,
    Space,
    Break,
}

impl Line {
    fn push(&mut self, part: &str) {
        for letter in part.chars() {
            if letter.is_whitespace() {
                let broken = letter == '\n' || self.gap == Gap::Break;
                self.gap = if broken { Gap::Break } else { Gap::Space };
                continue;
            }
            self.close_gap(letter);
            self.text.push(letter);
        }
    }

    /// Writes the space that is due. A list over many lines reads as one over a single line.
    fn close_gap(&mut self, next: char) {
        let gap = std::mem::take(&mut self.gap);
        if gap == Gap::None || self.text.is_empty() {
            return;
        }
        if gap == Gap::Break {
            if self.text.ends_with(['(', '[', '<']) {
                return;
            }
            if matches!(next, ')' | ']' | '>') {
                if self.text.ends_with(',') {
                    self.text.pop();
                }
                return;
            }
        }
        self.text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_over_many_lines_becomes_one_line() {
        let text = "fn pay(\n    a: u8, // why\n    b: (u8,),\n) -> u8";
        let hole = text.find("//").unwrap()..text.find("\n    b").unwrap();
        assert_eq!(one_line(text, 0..text.len(), &[hole]), "fn pay(a: u8, b: (u8,)) -> u8");
    }
}
