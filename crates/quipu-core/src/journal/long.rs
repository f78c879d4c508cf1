//! `LONGMEMORY.md`: blocks of summaries, oldest first. Everything else in it is the user's.

use std::ops::Range;

use jiff::civil::Date;

use super::summary::{self, Said};
use crate::text;

/// What a new file begins with.
pub const TITLE: &str = "# LONGMEMORY.md — Long-term summaries\n";

/// Where blocks go that the file has no room for.
pub const ARCHIVE: &str = "memory/LONGMEMORY-archive.md";

const HEADING: &str = "## Summary (";

/// A block of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its bytes, heading included, up to the next heading.
    pub span: Range<usize>,
    /// What stands in the parentheses: a day, or two.
    pub days: String,
    /// What it says.
    pub body: String,
}

/// Returns the summaries in a file, in order.
pub fn blocks(source: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in text::lines(source) {
        let is_heading = line.text.starts_with("# ") || line.text.starts_with("## ");
        if is_heading {
            is_open = false;
        }
        if let Some(days) = line.text.strip_prefix(HEADING).and_then(|rest| rest.strip_suffix(')'))
        {
            is_open = true;
            let span = line.start..line.end;
            blocks.push(Block { span, days: days.to_owned(), body: String::new() });
        } else if is_open && let Some(block) = blocks.last_mut() {
            block.span.end = line.end;
            block.body.push_str(line.text);
            block.body.push('\n');
        }
    }
    for block in &mut blocks {
        block.body = block.body.trim().to_owned();
    }
    blocks
}

/// Returns what in a file is not ours, with the lines of blocks left empty.
pub fn own_text(source: &str) -> String {
    let mut result = String::with_capacity(source.len());
    let mut at = 0;
    for block in blocks(source) {
        result.push_str(&source[at..block.span.start]);
        result.extend(source[block.span.clone()].matches('\n'));
        at = block.span.end;
    }
    result.push_str(&source[at..]);
    result.replacen(TITLE.trim_end(), "", 1)
}

/// A file with a new block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extended {
    /// Its text.
    pub text: String,
    /// Blocks that were condensed, as they were; empty where there was room.
    pub archived: String,
}

/// Adds a summary. Where the file would get too long, its oldest blocks are condensed into one, and go
/// to the archive as they are.
pub fn extend(source: &str, day: Date, summary: &str, most: usize) -> Extended {
    let mut text = if source.trim().is_empty() { TITLE.to_owned() } else { source.to_owned() };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&block(&day.to_string(), summary));
    let mut archived = String::new();
    if text.chars().count() > most {
        let blocks = blocks(&text);
        let old = too_many(&text, &blocks, most);
        if old > 1 {
            archived = blocks[..old].iter().map(|block| &text[block.span.clone()]).collect();
            text = condensed(&text, &blocks[..old], most / 4);
        }
    }
    Extended { text, archived }
}

fn block(days: &str, body: &str) -> String {
    // A heading in the words would end the block.
    let body = body.trim().replace("\n#", "\n\\#");
    let body = body.strip_prefix('#').map_or(body.clone(), |rest| format!("\\#{rest}"));
    format!("\n\n{HEADING}{days})\n\n{body}\n")
}

/// Returns how many of the oldest blocks have to go for the rest to take half of the room.
fn too_many(text: &str, blocks: &[Block], most: usize) -> usize {
    let mut room = most / 2;
    let mut kept = 0;
    for block in blocks.iter().rev() {
        let size = text[block.span.clone()].chars().count();
        if kept > 0 && size > room {
            break;
        }
        room = room.saturating_sub(size);
        kept += 1;
    }
    blocks.len() - kept
}

fn condensed(source: &str, old: &[Block], budget: usize) -> String {
    let said: Vec<(Date, &str)> = old.iter().flat_map(said).collect();
    let said: Vec<Said<'_>> =
        said.into_iter().map(|(day, text)| Said { day, by_person: true, text }).collect();
    let body = summary::extract(&said, budget);
    let first = old.first().map(|block| first_day(&block.days)).unwrap_or_default();
    let last = old.last().map(|block| last_day(&block.days)).unwrap_or_default();
    let new = block(&format!("{first} to {last}"), &body);
    let mut result = String::with_capacity(source.len());
    let mut at = 0;
    for (number, block) in old.iter().enumerate() {
        result.push_str(&source[at..block.span.start]);
        if number == 0 {
            result.truncate(result.trim_end_matches('\n').len());
            result.push('\n');
            result.push_str(&new);
            result.push_str("\n\n");
        }
        at = block.span.end;
    }
    result.push_str(&source[at..]);
    result
}

/// Returns what a block says, each line with the day that it tells.
fn said(block: &Block) -> Vec<(Date, &str)> {
    let day = first_day(&block.days).parse().unwrap_or_default();
    dated(&block.body, day)
}

/// Splits a summary into what it says: lines with the day that they tell, else whole.
pub fn dated(body: &str, day: Date) -> Vec<(Date, &str)> {
    let lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    let line = |line: &&'_ str| -> Option<(Date, usize)> {
        let rest = line.strip_prefix("- ")?;
        let day = rest.get(..10)?.parse().ok()?;
        rest.get(10..)?.starts_with(": ").then_some((day, 14))
    };
    if !lines.is_empty() && lines.iter().all(|one| line(one).is_some()) {
        return lines
            .iter()
            .filter_map(|one| line(one).map(|(day, at)| (day, &one[at..])))
            .collect();
    }
    body.split("\n\n").filter(|part| !part.trim().is_empty()).map(|part| (day, part)).collect()
}

fn first_day(days: &str) -> &str {
    days.split(' ').next().unwrap_or(days)
}

fn last_day(days: &str) -> &str {
    days.rsplit(' ').next().unwrap_or(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i8) -> Date {
        Date::new(2026, 3, number).unwrap()
    }

    #[test]
    fn a_new_file_is_what_the_original_writes() {
        let made = extend("", day(1), "old note 0\n\nold note 1", 16_000);
        assert_eq!(
            made.text,
            "# LONGMEMORY.md — Long-term summaries\n\n\n## Summary (2026-03-01)\n\nold note 0\n\nold note 1\n"
        );
        assert_eq!(made.archived, "");
    }

    #[test]
    fn blocks_stay_in_order_and_old_ones_are_condensed_not_lost() {
        let mut text = "# Mine\n\nMy own words.\n".to_owned();
        let mut archived = String::new();
        for number in 1..=28 {
            let summary: Vec<String> = (0..6)
                .map(|n| format!("On the {number}th we fixed problem {number}-{n}."))
                .collect();
            let made = extend(&text, day(number), &summary.join("\n\n"), 2000);
            text = made.text;
            archived.push_str(&made.archived);
            assert!(text.chars().count() <= 2000, "{} after {number}", text.chars().count());
        }
        assert!(text.starts_with("# Mine\n\nMy own words.\n"));
        let days: Vec<String> = blocks(&text).into_iter().map(|block| block.days).collect();
        assert!(days.is_sorted(), "{days:?}");
        assert_eq!(days.last().map(String::as_str), Some("2026-03-28"));
        assert!(days[0].starts_with("2026-03-01 to "), "{days:?}");
        for number in 1..=28 {
            let words = format!("On the {number}th we fixed problem {number}-5.");
            assert!(text.contains(&words) || archived.contains(&words), "{number}");
        }
    }

    #[test]
    fn headings_in_the_words_do_not_end_a_block() {
        let made = extend("", day(1), "# Title\n\n## Summary (x)\n\nwords", 16_000);
        assert_eq!(blocks(&made.text).len(), 1);
    }
}
