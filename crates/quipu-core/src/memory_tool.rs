//! The memory tool of Anthropic's API (`memory_20250818`): its commands, its paths, and the words it
//! answers with. Text in, text out; the engine reads and writes the files.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::text;

/// Where every path of the tool begins.
pub const ROOT: &str = "/memories";

/// A file of more lines than these is not shown.
const MOST_LINES: usize = 999_999;

/// Lines before and after a change that are shown with it.
const AROUND: usize = 2;

/// What a model asks of its memory, in the form that the API sends.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Show a file, or what is in a folder.
    View {
        /// Where.
        path: String,
        /// First and last line; −1 means the end.
        #[serde(default)]
        view_range: Option<Vec<i64>>,
    },
    /// Write a new file.
    Create {
        /// Where.
        path: String,
        /// Its text.
        file_text: String,
    },
    /// Replace a text that occurs once.
    StrReplace {
        /// In which file.
        path: String,
        /// The text.
        old_str: String,
        /// What takes its place.
        #[serde(default)]
        new_str: String,
    },
    /// Insert a text after a line.
    Insert {
        /// In which file.
        path: String,
        /// After which line; 0 is the beginning.
        insert_line: i64,
        /// The text.
        insert_text: String,
    },
    /// Delete a file, or a folder with all in it.
    Delete {
        /// Which.
        path: String,
    },
    /// Give a file or a folder another name.
    Rename {
        /// The old one.
        old_path: String,
        /// The new one.
        new_path: String,
    },
}

impl Command {
    /// Returns the name of the command.
    pub fn name(&self) -> &'static str {
        match self {
            Self::View { .. } => "view",
            Self::Create { .. } => "create",
            Self::StrReplace { .. } => "str_replace",
            Self::Insert { .. } => "insert",
            Self::Delete { .. } => "delete",
            Self::Rename { .. } => "rename",
        }
    }

    /// Returns the words that the command would write.
    pub fn words(&self) -> &str {
        match self {
            Self::Create { file_text, .. } => file_text,
            Self::StrReplace { new_str, .. } => new_str,
            Self::Insert { insert_text, .. } => insert_text,
            Self::View { .. } | Self::Delete { .. } | Self::Rename { .. } => "",
        }
    }

    /// Returns the command with other words to write.
    #[must_use]
    pub fn with_words(mut self, words: String) -> Self {
        match &mut self {
            Self::Create { file_text, .. } => *file_text = words,
            Self::StrReplace { new_str, .. } => *new_str = words,
            Self::Insert { insert_text, .. } => *insert_text = words,
            Self::View { .. } | Self::Delete { .. } | Self::Rename { .. } => {}
        }
        self
    }
}

/// Why a command was not carried out, in the words that a model is trained to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The path is none of the tool's.
    #[error("Path must start with /memories, got: {path}")]
    NotOurs {
        /// The path.
        path: String,
    },
    /// The path leads elsewhere.
    #[error("Path {path} would escape /memories directory")]
    Escapes {
        /// The path.
        path: String,
    },
    /// A link on the path leads elsewhere.
    #[error("Path would escape /memories directory via symlink")]
    EscapesByLink,
    /// There is nothing to look at.
    #[error("The path {path} does not exist. Please provide a valid path.")]
    Absent {
        /// The path.
        path: String,
    },
    /// There is nothing to delete or to rename.
    #[error("The path {path} does not exist")]
    Gone {
        /// The path.
        path: String,
    },
    /// Only a file has lines.
    #[error("The path {path} is not a file.")]
    NotAFile {
        /// The path.
        path: String,
    },
    /// It is neither a file with text nor a folder.
    #[error("Unsupported file type for {path}")]
    Unsupported {
        /// The path.
        path: String,
    },
    /// The file is too long to be shown.
    #[error("File {path} exceeds maximum line limit of 999,999 lines.")]
    TooLong {
        /// The path.
        path: String,
    },
    /// The file would be too large.
    #[error("File {path} would have {size} bytes, and the most are {most}.")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        size: usize,
        /// The most.
        most: usize,
    },
    /// There is such a file already.
    #[error("File {path} already exists")]
    Exists {
        /// The path.
        path: String,
    },
    /// The text to replace is not there.
    #[error("No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")]
    NotFound {
        /// The path.
        path: String,
        /// The text.
        old_str: String,
    },
    /// The text to replace is there more than once.
    #[error(
        "No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {}. Please ensure it is unique",
        joined(lines)
    )]
    Several {
        /// The text.
        old_str: String,
        /// Where it stands.
        lines: Vec<usize>,
    },
    /// There is no such line.
    #[error("Invalid `insert_line` parameter: {line}. It should be within the range [0, {lines}].")]
    NoSuchLine {
        /// The line.
        line: i64,
        /// How many there are.
        lines: usize,
    },
    /// The whole memory is not deleted.
    #[error("Cannot delete the /memories directory itself")]
    DeletesRoot,
    /// The whole memory is not renamed.
    #[error("Cannot rename the /memories directory itself")]
    RenamesRoot,
    /// Something has the new name already.
    #[error("The destination {path} already exists")]
    Taken {
        /// The path.
        path: String,
    },
    /// A folder cannot stand inside itself.
    #[error("Cannot rename {path} into itself")]
    IntoItself {
        /// The path.
        path: String,
    },
    /// The words look like they hold a secret.
    #[error(
        "The text looks like it holds a secret ({}) and was not written. Leave the secret out.",
        categories.join(", ")
    )]
    Secret {
        /// What kinds.
        categories: Vec<String>,
    },
}

fn joined(lines: &[usize]) -> String {
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    lines.join(", ")
}

/// Returns the parts of a path below `/memories`; none for the folder itself.
///
/// # Errors
/// When it does not begin there, or would lead out of it in any spelling.
pub fn parts(path: &str) -> Result<Vec<&str>, Refusal> {
    let inside = path.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let Some(inside) = inside else { return Err(Refusal::NotOurs { path: path.to_owned() }) };
    let escapes = || Refusal::Escapes { path: path.to_owned() };
    let mut kept = Vec::new();
    for part in inside.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if !is_a_name(part) || !is_a_name(&decoded(part)) {
            return Err(escapes());
        }
        kept.push(part);
    }
    Ok(kept)
}

/// Tells whether a part of a path names something in its folder, on every system.
fn is_a_name(part: &str) -> bool {
    let is_bad = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
    // Windows drops dots and spaces at the end.
    let bare = part.trim_end_matches(['.', ' ']);
    !part.contains(is_bad) && !bare.is_empty()
}

/// Returns a part of a path as a careless server would read it: `%2e` is a dot, also twice encoded.
fn decoded(part: &str) -> String {
    let mut text = part.to_owned();
    for _ in 0..4 {
        let next = text::percent_decoded(&text);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

/// Returns a size as people write it: `0B`, `512B`, `1.5K`.
#[expect(clippy::cast_precision_loss, reason = "one digit after the point")]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["B", "K", "M", "G"];
    let step = bytes.checked_ilog2().map_or(0, |bits| (bits / 10).min(3));
    let unit = UNITS[step as usize];
    let whole = 1_u64 << (10 * step);
    if bytes.is_multiple_of(whole) {
        format!("{}{unit}", bytes / whole)
    } else {
        format!("{:.1}{unit}", bytes as f64 / whole as f64)
    }
}

/// Returns what is in a folder: sizes and paths below it, in order, folders ending in `/`.
pub fn listing(path: &str, own_size: u64, entries: &[(u64, String)]) -> String {
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n{}\t{path}",
        size(own_size)
    );
    for (bytes, name) in entries {
        let _ = write!(text, "\n{}\t{}/{name}", size(*bytes), path.trim_end_matches('/'));
    }
    text
}

/// Returns a file with line numbers, or the lines that were asked for.
///
/// # Errors
/// When it has too many lines.
pub fn shown(path: &str, text: &str, range: Option<&[i64]>) -> Result<String, Refusal> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > MOST_LINES {
        return Err(Refusal::TooLong { path: path.to_owned() });
    }
    let (mut first, mut end) = (0, lines.len());
    if let Some([from, to]) = range {
        first = usize::try_from((*from).max(1) - 1).unwrap_or(usize::MAX).min(lines.len());
        end = match to {
            -1 => lines.len(),
            to if *to < 0 => lines.len().saturating_sub(to.unsigned_abs().try_into().unwrap_or(0)),
            to => usize::try_from(*to).unwrap_or(usize::MAX).min(lines.len()),
        };
    }
    let numbered = numbered(&lines, first, end);
    Ok(format!("Here's the content of {path} with line numbers:\n{numbered}"))
}

fn numbered(lines: &[&str], first: usize, end: usize) -> String {
    let some = lines.get(first..end).unwrap_or_default();
    let line = |(at, line): (usize, &&str)| format!("{:>6}\t{line}", first + at + 1);
    some.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a text with `old` replaced by `new`, and the lines around the change.
///
/// # Errors
/// When `old` does not occur in it, or more than once.
pub fn replaced(path: &str, text: &str, old: &str, new: &str) -> Result<(String, String), Refusal> {
    let places = places(text, old);
    let [at] = places[..] else {
        let old_str = old.to_owned();
        return Err(if places.is_empty() {
            Refusal::NotFound { path: path.to_owned(), old_str }
        } else {
            let line = |at: &usize| text[..*at].matches('\n').count() + 1;
            Refusal::Several { old_str, lines: places.iter().map(line).collect() }
        });
    };
    let changed = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
    let lines: Vec<&str> = changed.split('\n').collect();
    let line = text[..at].matches('\n').count();
    let end = (line + AROUND + 1).min(lines.len());
    let snippet = numbered(&lines, line.saturating_sub(AROUND), end);
    let told = format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
    );
    Ok((changed, told))
}

/// Returns where `wanted` begins in a text; places may overlap.
fn places(text: &str, wanted: &str) -> Vec<usize> {
    let mut places = Vec::new();
    if wanted.is_empty() {
        return places;
    }
    let mut start = 0;
    while let Some(found) = text.get(start..).and_then(|rest| rest.find(wanted)) {
        let at = start + found;
        places.push(at);
        start = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    places
}

/// Returns a text with another after one of its lines; it ends with a line's end then.
///
/// # Errors
/// When there is no such line.
pub fn inserted(text: &str, line: i64, insert: &str) -> Result<String, Refusal> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let at = usize::try_from(line).ok().filter(|at| *at <= lines.len());
    let Some(at) = at else { return Err(Refusal::NoSuchLine { line, lines: lines.len() }) };
    lines.insert(at, insert.trim_end_matches('\n'));
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_out_is_refused_in_every_spelling() {
        for path in [
            "/memories/../x",
            "/memories/a/../../x",
            "/memories/%2e%2e/x",
            "/memories/%2E%2e%2fx",
            "/memories/%252e%252e%252fx",
            "/memories/..\\x",
            "/memories/a\\..\\..\\x",
            "/memories/a\0b",
            "/memories/.. /x",
            "/memories/.../x",
            "/memories/C:x",
        ] {
            assert_eq!(parts(path), Err(Refusal::Escapes { path: path.to_owned() }), "{path:?}");
        }
        for path in ["", "/", "memories/a", "/etc/passwd", "/memoriesx", "/Memories/a", "a"] {
            assert_eq!(parts(path), Err(Refusal::NotOurs { path: path.to_owned() }), "{path}");
        }
        assert_eq!(parts("/memories"), Ok(vec![]));
        assert_eq!(parts("/memories//a/./b.md"), Ok(vec!["a", "b.md"]));
        assert_eq!(parts("/memories/100%.md"), Ok(vec!["100%.md"]));
        assert_eq!(parts("/memories/日本 語.md"), Ok(vec!["日本 語.md"]));
    }

    #[test]
    fn sizes_are_short() {
        let cases = [
            (0, "0B"),
            (1, "1B"),
            (1023, "1023B"),
            (1024, "1K"),
            (1536, "1.5K"),
            (4096, "4K"),
            (1024 * 1024 + 1, "1.0M"),
            (5 * 1024 * 1024 * 1024, "5G"),
            (3 << 40, "3072G"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn a_range_shows_its_lines_and_no_others() {
        let show = |range: &[i64]| {
            let text = shown("/memories/a", "one\ntwo\nthree", Some(range)).unwrap();
            text.split_once('\n').unwrap().1.to_owned()
        };
        assert_eq!(show(&[2, 2]), "     2\ttwo");
        assert_eq!(show(&[2, -1]), "     2\ttwo\n     3\tthree");
        assert_eq!(show(&[-5, 1]), "     1\tone");
        assert_eq!(show(&[3, 2]), "");
        assert_eq!(show(&[7, 9]), "");
        assert_eq!(show(&[i64::MIN, i64::MAX]).lines().count(), 3);
        assert_eq!(show(&[1, i64::MIN]), "");
        assert_eq!(show(&[2]).lines().count(), 3, "half a range is none");
    }

    #[test]
    fn overlapping_places_are_all_named() {
        assert_eq!(places("aaa", "aa"), [0, 1]);
        assert_eq!(places("ééé", "éé"), [0, 2]);
        assert_eq!(places("abc", ""), [] as [usize; 0]);
    }

    #[test]
    fn what_is_inserted_stands_on_lines_of_its_own() {
        assert_eq!(inserted("", 0, "a").unwrap(), "a\n");
        assert_eq!(inserted("a\nb", 1, "x\n\n").unwrap(), "a\nx\nb\n");
        assert_eq!(inserted("a\n\n", 0, "x").unwrap(), "x\na\n\n", "a blank line at the end stays");
        assert_eq!(inserted("a\r\nb\r\n", 2, "c").unwrap(), "a\r\nb\r\nc\n");
        assert_eq!(inserted("a\n", 2, "x"), Err(Refusal::NoSuchLine { line: 2, lines: 1 }));
        assert_eq!(inserted("a\n", -1, "x"), Err(Refusal::NoSuchLine { line: -1, lines: 1 }));
    }

    proptest::proptest! {
        #[test]
        fn a_path_that_is_taken_names_something_inside(path in "(/memories)?[/.%2eE5cC:a\\\\ \u{0}é]{0,24}") {
            if let Ok(parts) = parts(&path) {
                for part in parts {
                    proptest::prop_assert!(!part.is_empty() && part != "." && part != "..");
                    proptest::prop_assert!(!part.contains(['/', '\\', '\0', ':']));
                }
            }
        }

        #[test]
        fn an_edit_changes_what_it_says_and_nothing_else(
            text in "[ab\r\né]{0,40}", old in "[ab\né]{1,3}", new in "[xé\n]{0,3}", line in -1_i64..9,
        ) {
            if let Ok((changed, _)) = replaced("/memories/a", &text, &old, &new) {
                proptest::prop_assert_eq!(text.replacen(&old, &new, 1), changed);
            }
            if let Ok(changed) = inserted(&text, line, "new") {
                let lines = text.split('\n').count() - usize::from(text.ends_with('\n') || text.is_empty());
                proptest::prop_assert_eq!(changed.matches('\n').count(), lines + 1);
            }
            let _ = shown("/memories/a", &text, Some(&[line, line + 2]));
        }
    }
}
