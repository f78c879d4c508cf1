//! A file of the journal part by part: which lines are records, and which are the user's.
//!
//! A record has one of two forms: a line of JSON, as the original writes it, or a bullet with a comment
//! below. A file may hold both.

use std::collections::VecDeque;
use std::ops::Range;

use super::{BARE, Record, markdown};
use crate::text::{self, Line};

/// How a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One line: `- ` and a JSON object.
    Json,
    /// One line that is a JSON object, as in the files of events.
    Bare,
    /// A bullet with the words, and a comment below.
    Markdown,
}

/// A record with the bytes of its lines, the last line ending included.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The lines.
    pub span: Range<usize>,
    /// The number of the first one, from 1.
    pub line: usize,
    /// How it is written.
    pub form: Form,
    /// What it says.
    pub record: Record,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A record.
    Record(Box<Entry>),
    /// A line that was meant to be a record, or a part of one, and cannot be read.
    Broken {
        /// The line.
        span: Range<usize>,
        /// Its number, from 1.
        line: usize,
    },
    /// A line of the user's own.
    Own {
        /// The line.
        span: Range<usize>,
        /// Its number, from 1.
        line: usize,
    },
}

impl Part {
    /// Returns the bytes of its lines.
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::Record(entry) => entry.span.clone(),
            Self::Broken { span, .. } | Self::Own { span, .. } => span.clone(),
        }
    }
}

/// Returns the parts of a file, in order; together they are all of it.
pub fn parts(source: &str) -> impl Iterator<Item = Part> {
    let mut lines = text::lines(source).enumerate().peekable();
    // Lines that were looked at as a part of a record, and are none.
    let mut waiting: VecDeque<(usize, Line<'_>)> = VecDeque::new();
    std::iter::from_fn(move || {
        if let Some((number, line)) = waiting.pop_front() {
            return Some(single(number, &line));
        }
        let (number, line) = lines.next()?;
        let json = Record::parse(line.text).map(|record| (record, Form::Json));
        let bare = || Some((Record::parse_bare(line.text)?, Form::Bare));
        if let Some((record, form)) = json.or_else(bare) {
            let (span, line) = (line.start..line.end, number + 1);
            return Some(Part::Record(Box::new(Entry { span, line, form, record })));
        }
        if !line.text.starts_with("- ") {
            return Some(single(number, &line));
        }
        // What belongs to a bullet is indented, and a comment ends it.
        let (first, start) = (number + 1, line.start);
        let mut block = vec![(number, line)];
        while let Some((number, line)) = lines.next_if(|(_, line)| is_below_bullet(line.text)) {
            let is_end = markdown::is_footer(line.text);
            block.push((number, line));
            if is_end {
                let texts: Vec<&str> = block.iter().map(|(_, line)| line.text).collect();
                let end = block.last().map_or(start, |(_, line)| line.end);
                if let Some(record) = markdown::read(&texts) {
                    let (span, form) = (start..end, Form::Markdown);
                    return Some(Part::Record(Box::new(Entry { span, line: first, form, record })));
                }
                break;
            }
        }
        waiting.extend(block);
        waiting.pop_front().map(|(number, line)| single(number, &line))
    })
}

fn is_below_bullet(line: &str) -> bool {
    line.starts_with("  ") || line.starts_with('\t') || line.trim().is_empty()
}

/// Returns a line that is no record as a part.
fn single(number: usize, line: &Line<'_>) -> Part {
    let (span, at) = (line.start..line.end, number + 1);
    if is_broken_json(line.text) || markdown::is_footer(line.text) {
        Part::Broken { span, line: at }
    } else {
        Part::Own { span, line: at }
    }
}

/// Tells whether a line was meant to be a record in JSON. It is known to be none.
fn is_broken_json(line: &str) -> bool {
    if line.starts_with(BARE) {
        return true;
    }
    let Some(rest) = line.trim().strip_prefix("- {") else { return false };
    // A brace that is closed may be a template's; a record has keys.
    rest.trim_start().starts_with('"') || !rest.contains('}')
}

/// Returns the records of a file with the lines that they stand on.
pub fn entries(source: &str) -> impl Iterator<Item = Entry> {
    parts(source).filter_map(|part| match part {
        Part::Record(entry) => Some(*entry),
        Part::Broken { .. } | Part::Own { .. } => None,
    })
}
