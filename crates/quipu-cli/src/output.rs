//! The only way out: everything that a person or a program reads from this command passes through here.
//!
//! Words may come from memory, from files of a repository or from the names of its branches, so nothing
//! in them is obeyed by a terminal. Styles of our own are marks with a number that no text can know (see
//! [`styled`]); whatever else would steer a terminal, or hide words, is shown by its number. JSON keeps
//! its values and escapes the same characters. `clippy.toml` forbids other ways to the streams.

use std::fmt::Display;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::LazyLock;

use anstyle::AnsiColor;
use quipu_core::printable::{json_escaped, printable};
use serde::Serialize;
use serde_json::Value;

use crate::terminal::folded;

/// How words stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Emphasis for names.
    Bold,
    /// For what is secondary.
    Dim,
    /// For what is fine.
    Green,
    /// For what wants attention.
    Yellow,
    /// For what is wrong.
    Red,
    /// For ids.
    Cyan,
}

impl Style {
    const ALL: [Self; 6] =
        [Self::Bold, Self::Dim, Self::Green, Self::Yellow, Self::Red, Self::Cyan];

    fn mark(self) -> char {
        match self {
            Self::Bold => 'B',
            Self::Dim => 'D',
            Self::Green => 'G',
            Self::Yellow => 'Y',
            Self::Red => 'R',
            Self::Cyan => 'C',
        }
    }

    fn on_terminal(self) -> anstyle::Style {
        match self {
            Self::Bold => anstyle::Style::new().bold(),
            Self::Dim => anstyle::Style::new().dimmed(),
            Self::Green => AnsiColor::Green.on_default(),
            Self::Yellow => AnsiColor::Yellow.on_default(),
            Self::Red => AnsiColor::Red.on_default(),
            Self::Cyan => AnsiColor::Cyan.on_default(),
        }
    }
}

/// Begins a mark of ours: a character that no text has a use for, and a number that is drawn anew by
/// each process. A text that wants to look styled would have to guess it.
static OURS: LazyLock<String> =
    LazyLock::new(|| format!("\u{fdd0}{:016x}", RandomState::new().build_hasher().finish()));

/// Ends a style.
const END: char = 'E';

/// Marks `text` to be shown in a style.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    let ours = &*OURS;
    format!("{ours}{}{text}{ours}{END}", style.mark())
}

/// Changes the words between our marks, and leaves the marks as they are.
pub(crate) fn between_styles(text: &str, mut change: impl FnMut(&str) -> String) -> String {
    let mut parts = text.split(OURS.as_str());
    let mut result = change(parts.next().unwrap_or_default());
    for part in parts {
        let mark = part.chars().next().map_or(0, char::len_utf8);
        result.push_str(&OURS);
        result.push_str(&part[..mark]);
        result.push_str(&change(&part[mark..]));
    }
    result
}

/// Returns what goes to a terminal: our styles as its sequences, everything else printable.
fn rendered(text: &str) -> String {
    let mut parts = text.split(OURS.as_str());
    let mut result = printable(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let mut chars = part.chars();
        match chars.next() {
            Some(END) => result.push_str(&anstyle::Reset.to_string()),
            mark => {
                if let Some(style) = Style::ALL.into_iter().find(|s| Some(s.mark()) == mark) {
                    result.push_str(&style.on_terminal().to_string());
                }
            }
        }
        result.push_str(&printable(chars.as_str()));
    }
    result
}

/// Writes words to stdout.
pub(crate) fn out(text: &str) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "this is the way out")]
    let mut out = anstream::stdout().lock();
    let text = folded(&rendered(text), out.is_terminal());
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a file to stdout: as it is, except to a terminal, which gets it as words.
pub(crate) fn file(text: &str) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "this is the way out")]
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() {
        drop(stdout);
        return out(text);
    }
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes words to stderr.
pub(crate) fn err(text: &str) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "this is the way out")]
    let mut err = anstream::stderr().lock();
    let text = folded(&rendered(text), err.is_terminal());
    err.write_all(text.as_bytes())?;
    err.flush()
}

/// Writes words to stderr that a caller who closed it does not miss.
pub(crate) fn note(text: &str) {
    // A note that nobody can read is no failure of the command.
    let _ = err(text);
}

/// Writes a document to stdout, in one piece.
pub(crate) fn json(value: &Value) -> io::Result<()> {
    raw_json(&format!("{value:#}"))
}

/// Returns a document as words.
pub(crate) fn json_text(value: &impl Serialize) -> String {
    json_escaped(&serde_json::to_string_pretty(value).unwrap_or_default()).into_owned()
}

/// Writes a document to stdout, on one line.
pub(crate) fn json_line(value: &Value) -> io::Result<()> {
    raw_json(&value.to_string())
}

fn raw_json(json: &str) -> io::Result<()> {
    // Without looking for styles: a document has none, and its strings are whatever they are.
    #[expect(clippy::disallowed_methods, reason = "this is the way out")]
    let mut out = io::stdout().lock();
    out.write_all(format!("{}\n", json_escaped(json)).as_bytes())?;
    out.flush()
}

/// Tells whether a terminal is at both ends: somebody types, and somebody reads.
pub(crate) fn is_terminal() -> bool {
    #[expect(clippy::disallowed_methods, reason = "nothing is written")]
    let stdout = io::stdout();
    io::stdin().is_terminal() && stdout.is_terminal()
}

/// Tells whether a person looks at stderr.
pub(crate) fn is_watched() -> bool {
    #[expect(clippy::disallowed_methods, reason = "nothing is written")]
    let stderr = io::stderr();
    stderr.is_terminal()
}

/// Lets a panic tell its words on stderr, as printable as all others.
pub(crate) fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| note(&format!("{panic}\n"))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_styles_are_rendered_and_others_are_shown() {
        let text = format!("{} \u{1b}[31mred\u{1b}[0m", styled(Style::Red, "error\u{7}:"));
        assert_eq!(rendered(&text), "\u{1b}[31merror\\u{7}:\u{1b}[0m \\u{1b}[31mred\\u{1b}[0m");
    }

    #[test]
    fn a_text_cannot_style_itself() {
        let guessed = format!("\u{fdd0}{:016x}R", 0);
        assert_eq!(rendered(&guessed), guessed, "the mark needs this process's number");
        let torn = format!("{}?x{}", &*OURS, &*OURS);
        assert_eq!(rendered(&torn), "x", "a mark that is none leaves nothing");
    }
}
