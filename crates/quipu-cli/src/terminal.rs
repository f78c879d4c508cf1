//! How wide the terminal is, and lines that fit into it.

use std::io::IsTerminal as _;

use console::measure_text_width;

/// The width for output that goes to a file or program, so that each memory stays on one line.
const UNSEEN: usize = 400;

/// Nothing is laid out for less than this.
const NARROWEST: usize = 24;

/// Returns how many columns to lay words out for.
pub(crate) fn width() -> usize {
    #[expect(clippy::disallowed_methods, reason = "nothing is written")]
    let stdout = std::io::stdout();
    seen(stdout.is_terminal()).unwrap_or(UNSEEN)
}

/// Returns how many columns a person sees: those of `COLUMNS` where it is set, or of
/// the terminal.
fn seen(is_terminal: bool) -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    let terminal = || {
        let size = if is_terminal { terminal_size::terminal_size() } else { None };
        size.map(|(terminal_size::Width(columns), _)| usize::from(columns))
    };
    let columns = set.filter(|columns| *columns > 0).or_else(terminal);
    columns.map(|columns| columns.max(NARROWEST))
}

/// Breaks a text into lines between its words. A word that is wider than a line has one of its own, because
/// half an id or half a path is of no use.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let wide = measure_text_width(&line) + 1 + measure_text_width(word);
        if !line.is_empty() && wide > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Breaks lines that are wider than the terminal between words, and indents what follows a little more.
/// Output that goes to a file or program is not changed.
pub(crate) fn folded(text: &str, is_terminal: bool) -> String {
    match seen(is_terminal) {
        Some(width) => folded_at(text, width),
        None => text.to_owned(),
    }
}

fn folded_at(text: &str, width: usize) -> String {
    let mut result = String::with_capacity(text.len());
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches('\n');
        if measure_text_width(line) <= width {
            result.push_str(whole);
            continue;
        }
        let begins = line.len() - line.trim_start_matches(' ').len();
        let indent = (begins + 2).min(width / 2);
        let mut used = begins;
        result.push_str(&line[..begins]);
        for (number, word) in line[begins..].split(' ').enumerate() {
            let wide = measure_text_width(word);
            if number > 0 && used + 1 + wide > width && wide > 0 {
                result.truncate(result.trim_end_matches(' ').len());
                result.push('\n');
                result.extend(std::iter::repeat_n(' ', indent));
                used = indent;
            } else if number > 0 {
                result.push(' ');
                used += 1;
            }
            result.push_str(word);
            used += wide;
        }
        result.push_str(&whole[line.len()..]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_never_within_one() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("a exports-are-streamed b", 8), ["a", "exports-are-streamed", "b"]);
        assert_eq!(lines("  ", 8), Vec::<String>::new());
    }

    #[test]
    fn a_long_line_goes_on_below_itself() {
        let text = "short\n  facts     one two three four five six\nend";
        let folded = folded_at(text, 24);
        assert_eq!(folded, "short\n  facts     one two\n    three four five six\nend");
        assert_eq!(folded_at("exactly-one-word-that-is-wide-as-a-path", 24).lines().count(), 1);
        let red = format!("\u{1b}[31m{}\u{1b}[0m", "x".repeat(24));
        assert_eq!(folded_at(&red, 24), red, "what is not seen takes no room");
    }
}
