//! How words are laid out for a person: broken into lines between words, as wide as the terminal.

use std::fmt::Write as _;

use console::measure_text_width;
use quipu_core::printable::printable_line;

use crate::output::{Style, styled};
pub(crate) use crate::terminal::{lines, width};

/// Adds a memory to a list: its words first, then its id and standing, dimmed.
pub(crate) fn entry(result: &mut String, text: &str, about: &[String]) {
    entry_in(result, text, about, width());
}

fn entry_in(result: &mut String, text: &str, about: &[String], width: usize) {
    let about = printable_line(&about.join(" · ")).into_owned();
    let mut words = lines(&printable_line(text), width.saturating_sub(2));
    let last = words.pop().unwrap_or_default();
    for (number, line) in words.iter().enumerate() {
        let _ = writeln!(result, "{:1$}{line}", "", if number == 0 { 0 } else { 2 });
    }
    let indent = if words.is_empty() { 0 } else { 2 };
    let together = indent + measure_text_width(&last) + 2 + measure_text_width(&about);
    let _ = write!(result, "{:indent$}{last}", "");
    if together <= width {
        let _ = writeln!(result, "  {}", styled(Style::Dim, about));
        return;
    }
    result.push('\n');
    for line in lines(&about, width.saturating_sub(2)) {
        let _ = writeln!(result, "  {}", styled(Style::Dim, line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_memory_begins_with_its_words() {
        let mut text = String::new();
        let about = ["exports-streamed".to_owned(), "active".to_owned()];
        entry_in(&mut text, "Exports are streamed", &about, 80);
        assert!(text.starts_with("Exports are streamed  "), "{text}");
        assert_eq!(text.lines().count(), 1);
        let mut text = String::new();
        entry_in(&mut text, "Exports are streamed because memory is small", &about, 30);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["Exports are streamed because", "  memory is small"]);
        assert_eq!(lines.len(), 3);
    }
}
