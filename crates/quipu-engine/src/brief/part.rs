//! What competes for a place in a briefing, as it is gathered.

use jiff::Timestamp;
use jiff::civil::Date;
use quipu_core::brief::{Class, Part};
use quipu_core::secret::{self, Scope};
use quipu_core::text;

/// The sections, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Pinned,
    User,
    Long,
    Facts,
    Threads,
    Logs,
    Memory,
    /// Of a day.
    Daily(Date),
    /// What the user keeps for every project.
    Own,
    /// What is not there, and why.
    Note,
    Topics,
    Experiences,
}

impl Section {
    fn heading(self) -> String {
        match self {
            Self::Pinned => "Pinned:".to_owned(),
            Self::User => "User (USER.md):".to_owned(),
            Self::Long => "Long-term summary (LONGMEMORY):".to_owned(),
            Self::Facts => "Facts (memory/continuity.md):".to_owned(),
            Self::Threads => "Open threads:".to_owned(),
            Self::Logs => "Latest session logs:".to_owned(),
            Self::Memory => "Long-term memory (MEMORY.md):".to_owned(),
            Self::Daily(day) => format!("Daily memory ({day}):"),
            Self::Own => "Yours, in every project (user scope):".to_owned(),
            Self::Note => "Note:".to_owned(),
            Self::Topics => "Recent topics (with this user):".to_owned(),
            Self::Experiences => "Relevant past experiences:".to_owned(),
        }
    }

    fn rank(self) -> usize {
        match self {
            Self::Pinned => 0,
            Self::User => 1,
            Self::Long => 2,
            Self::Facts => 3,
            Self::Threads => 4,
            Self::Logs => 5,
            Self::Memory => 6,
            Self::Daily(_) => 7,
            Self::Own => 8,
            Self::Note => 9,
            Self::Topics => 10,
            Self::Experiences => 11,
        }
    }

    /// Moves parts of other sections into this one.
    pub(super) fn take_over(self, parts: &mut [Part]) {
        for part in parts {
            (part.section, part.rank) = (self.heading(), self.rank());
        }
    }

    /// Makes a part of this section; its place and value are up to the caller.
    pub(super) fn part(self, class: Class, words: &str) -> Part {
        let is_written = matches!(self, Self::User | Self::Topics)
            || words.starts_with("- ")
            || words.starts_with('#');
        Part {
            section: self.heading(),
            rank: self.rank(),
            order: (0, 0),
            class,
            value: 0.0,
            id: None,
            text: if is_written { words.to_owned() } else { bullet(words) },
            words: words.to_owned(),
        }
    }
}

/// What was gathered.
#[derive(Clone, Default)]
pub(super) struct Gathered {
    pub(super) parts: Vec<Part>,
    /// How many more there are of what.
    pub(super) beyond: Vec<(usize, String)>,
    /// Files that could not be read, and why.
    pub(super) unread: Vec<String>,
    /// What was too long for a hook.
    pub(super) cut: Vec<String>,
}

impl Gathered {
    pub(super) fn add(&mut self, mut part: Part) {
        // Labels keep secrets out; what nobody labelled is found by its shape.
        part.text = secret::redacted(&part.text, Scope::Credentials);
        self.parts.push(part);
    }
}

/// Writes words as one item of a list.
fn bullet(words: &str) -> String {
    let lines: Vec<&str> = words.trim().lines().collect();
    format!("- {}", lines.join("\n  "))
}

/// Returns something after its id: whole where it is short, else its beginning and how to see the rest.
pub(super) fn told(words: &str, id: &str, longest: usize) -> String {
    let words = words.trim();
    if words.chars().count() <= longest {
        return format!("[{id}] {words}");
    }
    let flat = text::collapse_whitespace(words);
    format!("[{id}] {} show {id}", text::ellipsis(&flat, longest))
}

/// Splits a text at blank lines, and lists into their items.
pub(super) fn paragraphs(source: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in source.lines() {
        let is_item = line.starts_with("- ") || line.starts_with("* ");
        if line.trim().is_empty() {
            is_open = false;
        } else if is_open && !is_item {
            if let Some(last) = found.last_mut() {
                last.push('\n');
                last.push_str(line);
            }
        } else {
            found.push(line.to_owned());
            is_open = true;
        }
    }
    found.retain(|paragraph| paragraph.chars().any(char::is_alphanumeric));
    found
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(super) fn as_value(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "a rank need not be exact")]
pub(super) fn as_days(time: Timestamp) -> f64 {
    time.as_millisecond() as f64 / 86_400_000.0
}
