//! What a command answers: words for people, a document for programs, an exit code for both.

use std::fmt::Write as _;
use std::io;

use quipu_core::printable::printable_line;
use quipu_engine::Diff;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::error::CommandError;
use crate::layout;
use crate::output::{self, Style};

pub(crate) use crate::output::styled;

/// Emphasis for names.
pub(crate) const BOLD: Style = Style::Bold;
/// For what is secondary.
pub(crate) const DIM: Style = Style::Dim;
/// For what is fine.
pub(crate) const GREEN: Style = Style::Green;
/// For what wants attention.
pub(crate) const YELLOW: Style = Style::Yellow;
/// For what is wrong.
pub(crate) const RED: Style = Style::Red;
/// For ids.
pub(crate) const CYAN: Style = Style::Cyan;

/// An answer.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// Words, styled.
    pub(crate) text: String,
    /// Advice on what to type next; left out when quiet.
    pub(crate) advice: String,
    /// The same as data.
    pub(crate) json: Value,
    /// The exit code.
    pub(crate) exit: u8,
    /// Whether the words are a file for programs: not a byte of it changes on its way.
    pub(crate) is_file: bool,
}

impl Reply {
    /// An answer that says the same to people and programs.
    pub(crate) fn new(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json, ..Self::default() }
    }

    /// An answer in words; its data is known already.
    pub(crate) fn words(text: impl Into<String>) -> Self {
        Self::new(text, Value::Null)
    }

    /// An answer that is a file, to be piped into one.
    pub(crate) fn file(text: impl Into<String>) -> Self {
        Self { is_file: true, ..Self::words(text) }
    }

    /// Sets the exit code.
    pub(crate) fn exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    /// Adds advice.
    pub(crate) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Writes the words to stdout while the command goes on.
    pub(crate) fn print_now(&self) -> Result<(), CommandError> {
        self.print(false, true)
            .map_err(|error| CommandError::input("io", format!("cannot write the answer: {error}")))
    }

    /// Writes the answer to stdout.
    pub(crate) fn print(&self, as_json: bool, quiet: bool) -> io::Result<()> {
        if as_json {
            return output::json(&self.json);
        }
        if self.is_file {
            return output::file(&self.text);
        }
        let mut text = ended(&self.text);
        if !quiet && !self.advice.is_empty() {
            text.push_str(&ended(&styled(DIM, self.advice.trim_end())));
        }
        output::out(&text)
    }
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Renders a diff for a terminal.
pub(crate) fn diff_text(diff: &Diff) -> String {
    let mut result = String::new();
    for (path, old, new) in &diff.files {
        let what = match (old, new) {
            (None, _) => "new file",
            (_, None) => "removed",
            _ => "changed",
        };
        let _ = writeln!(result, "{} {}", styled(BOLD, path), styled(DIM, format!("({what})")));
        let (old, new) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
        let text_diff = TextDiff::from_lines(old, new);
        for group in text_diff.grouped_ops(2) {
            let first = group.first().map_or(0, |op| op.old_range().start);
            let _ = writeln!(result, "{}", styled(DIM, format!("  @@ line {}", first + 1)));
            for change in group.iter().flat_map(|op| text_diff.iter_changes(op)) {
                let line = change.value().trim_end_matches(['\n', '\r']);
                let _ = match change.tag() {
                    ChangeTag::Delete => writeln!(result, "{}", styled(RED, format!("  - {line}"))),
                    ChangeTag::Insert => {
                        writeln!(result, "{}", styled(GREEN, format!("  + {line}")))
                    }
                    ChangeTag::Equal => writeln!(result, "    {line}"),
                };
            }
        }
    }
    result
}

/// Renders a diff as data: each path with a unified diff.
pub(crate) fn diff_json(diff: &Diff) -> Value {
    let file = |(path, old, new): &(String, Option<String>, Option<String>)| {
        let (old, new) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
        let unified = TextDiff::from_lines(old, new)
            .unified_diff()
            .context_radius(2)
            .header(&format!("a/{path}"), &format!("b/{path}"))
            .to_string();
        json!({ "path": path, "diff": unified })
    };
    Value::Array(diff.files.iter().map(file).collect())
}

/// Renders rows in columns; the last one wraps at the terminal's edge.
pub(crate) fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(comfy_table::ContentArrangement::Dynamic)
        .set_width(u16::try_from(layout::width()).unwrap_or(u16::MAX));
    table.set_header(header.iter().map(|name| name.to_uppercase()).collect::<Vec<_>>());
    for row in rows {
        // Before columns are measured: what is shown by its number is wider.
        table.add_row(row.iter().map(|cell| printable_line(cell)));
    }
    let mut result = String::new();
    for (index, line) in table.to_string().lines().enumerate() {
        let line = line.trim_end();
        let line = line.strip_prefix(' ').unwrap_or(line);
        let _ = if index == 0 {
            writeln!(result, "{}", styled(DIM, line))
        } else {
            writeln!(result, "{line}")
        };
    }
    result
}
