//! What the session logs say: which facts each session used, in order, and the numbers that follow.
//!
//! The rules are those of agent-memory (docs/spec/facts.md). Only the block under the
//! first `## Memory References` heading counts; in it every hyphenated token is a use, whatever its
//! label. Labels are read only to know where a fact was created.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::Serialize;

use crate::policy::Sessions;
use crate::text;

/// Tells whether a file in `sessions/` is a session log: its name starts with a date (D3).
pub fn is_session_log(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".md") else {
        return false;
    };
    stem.get(..10).is_some_and(is_date)
}

/// Tells whether `text` has the shape `YYYY-MM-DD`.
pub fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| match at {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        })
}

/// One session log, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLog<'a> {
    /// The file's name without `.md`.
    pub stem: &'a str,
    /// Every token of the references block that could be an id.
    pub tokens: BTreeSet<&'a str>,
    /// The tokens that stand where the ritual lists ids, not in prose.
    pub listed: BTreeSet<&'a str>,
    /// The tokens under a `Created` label.
    pub created: BTreeSet<&'a str>,
    /// Whether the log has a references heading that counts.
    pub has_references: bool,
    /// Lines with a heading that looks like the references heading and does not count.
    pub uncounted_headings: Vec<usize>,
    /// Whether the log carries a `## Memory Review` section.
    pub has_review: bool,
}

impl<'a> SessionLog<'a> {
    /// Reads a session log.
    pub fn parse(stem: &'a str, source: &'a str) -> Self {
        let mut log = Self {
            stem,
            tokens: BTreeSet::new(),
            listed: BTreeSet::new(),
            created: BTreeSet::new(),
            has_references: false,
            uncounted_headings: Vec::new(),
            has_review: false,
        };
        // Most of a log is prose: only lines that begin with `#` matter outside the block.
        let mut block: Option<usize> = None;
        let mut numbers = text::LineNumbers::of(source);
        for at in heading_lines(source) {
            let line = text::lines(&source[at..]).next().map_or("", |line| line.text);
            let title = heading(line);
            if title.is_some()
                && let Some(start) = block.take()
            {
                log.read_block(&source[start..at]);
            }
            match title {
                Some("Memory References") if !log.has_references => {
                    log.has_references = true;
                    block = Some(at + line.len());
                }
                _ if looks_like_references(line) => {
                    log.uncounted_headings.push(numbers.at(at));
                }
                Some(title) if title.starts_with("Memory Review") => log.has_review = true,
                _ => {}
            }
        }
        if let Some(start) = block {
            log.read_block(&source[start..]);
        }
        log
    }

    fn read_block(&mut self, block: &'a str) {
        let mut item = ItemState::default();
        for line in text::lines(block) {
            self.read_block_line(line.text, &mut item);
        }
    }

    fn read_block_line(&mut self, line: &'a str, item: &mut ItemState) {
        self.tokens.extend(id_tokens(line));
        let label = label(line);
        if label.is_some() || line.trim().is_empty() {
            *item = ItemState::default();
        }
        if let Some(label) = &label {
            item.creates =
                label.contains("created") || label.split_whitespace().next() == Some("new");
        }
        if item.creates {
            self.created.extend(id_tokens(line));
        }
        self.listed.extend(listed_ids(line, label.is_some(), &mut item.parentheses));
    }

    /// Returns the session's date.
    pub fn date(&self) -> &'a str {
        &self.stem[..10]
    }
}

/// What is known of the list item around a line of the block.
#[derive(Default)]
struct ItemState {
    creates: bool,
    parentheses: usize,
}

/// Returns where the lines that begin with `#` start.
fn heading_lines(source: &str) -> impl Iterator<Item = usize> {
    let first = source.starts_with('#').then_some(0);
    first.into_iter().chain(memchr::memmem::find_iter(source.as_bytes(), b"\n#").map(|at| at + 1))
}

/// Returns the title of a level-two heading with something after the `##`.
fn heading(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("##")?;
    let title = rest.trim_start_matches(' ');
    if title.len() == rest.len() || title.starts_with(char::is_whitespace) || title.is_empty() {
        return None;
    }
    Some(title.trim_end_matches([' ', '\t']))
}

fn looks_like_references(line: &str) -> bool {
    let title = line.trim_start_matches('#').trim();
    title.get(..17).is_some_and(|head| head.eq_ignore_ascii_case("memory references"))
}

/// Returns the label of a list item, in lower case: what precedes its first colon.
fn label(line: &str) -> Option<String> {
    let item = line.trim_start().strip_prefix(['-', '*'])?;
    let (label, _) = item.split_once(':')?;
    Some(label.replace(['*', '`'], "").trim().to_lowercase())
}

/// Returns the ids that a line lists: after its label, outside parentheses, alone between commas.
fn listed_ids<'a>(line: &'a str, labelled: bool, parentheses: &mut usize) -> Vec<&'a str> {
    let list = if labelled { line.split_once(':').map_or(line, |(_, list)| list) } else { line };
    let separates = |c: char| {
        match c {
            '(' => *parentheses += 1,
            ')' => *parentheses = parentheses.saturating_sub(1),
            _ => {}
        }
        *parentheses > 0 || matches!(c, ',' | ';' | '→' | '(' | ')')
    };
    list.split(separates)
        .map(|item| item.trim().trim_matches(['`', '*', '.']))
        .filter(|item| id_tokens(item).next() == Some(*item))
        .collect()
}

/// Returns every maximal token of the form `word-word`, where the first word starts with a letter.
pub fn id_tokens(source: &str) -> impl Iterator<Item = &str> {
    let bytes = source.as_bytes();
    let word = |at: usize| {
        bytes[at..].iter().take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit()).count()
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            if !bytes[at].is_ascii_lowercase() {
                at += 1;
                continue;
            }
            let start = at;
            let mut end = start + word(start);
            let mut parts = 1;
            while bytes.get(end) == Some(&b'-') {
                let length = if end + 1 < bytes.len() { word(end + 1) } else { 0 };
                if length == 0 {
                    break;
                }
                end += 1 + length;
                parts += 1;
            }
            at = end;
            if parts > 1 {
                return Some(&source[start..end]);
            }
        }
        None
    })
}

/// How often and when an id was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Usage<'a> {
    /// In how many sessions.
    pub uses: usize,
    /// Date of the last of them.
    pub last_used: &'a str,
    /// Sessions written after the last of them.
    pub since: Sessions,
}

/// All session logs, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Ledger<'a> {
    /// The logs, sorted by file name.
    pub logs: Vec<SessionLog<'a>>,
    hits: BTreeMap<&'a str, Vec<u32>>,
}

impl<'a> Ledger<'a> {
    /// Reads the logs among `files` (name, text), in whatever order they come.
    pub fn parse(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut files: Vec<_> =
            files.into_iter().filter(|(name, _)| is_session_log(name)).collect();
        files.sort_unstable_by_key(|(name, _)| *name);
        let parse = |(name, source): (&'a str, &'a str)| {
            SessionLog::parse(name.strip_suffix(".md").unwrap_or(name), source)
        };
        Self::of(files.into_iter().map(parse).collect())
    }

    fn of(logs: Vec<SessionLog<'a>>) -> Self {
        let mut hits: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (index, log) in (0_u32..).zip(&logs) {
            for token in &log.tokens {
                hits.entry(token).or_default().push(index);
            }
        }
        Self { logs, hits }
    }

    /// Returns the number of sessions.
    pub fn len(&self) -> usize {
        self.logs.len()
    }

    /// Tells whether there is no session yet.
    pub fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// Returns how `id` was used; `None` where no session names it.
    pub fn usage(&self, id: &str) -> Option<Usage<'a>> {
        self.usage_at(id, self.logs.len())
    }

    /// Returns how `id` had been used when only the first `sessions` logs existed.
    pub fn usage_at(&self, id: &str, sessions: usize) -> Option<Usage<'a>> {
        let hits = self.hits.get(id)?;
        let uses = hits.partition_point(|&hit| (hit as usize) < sessions);
        let last = *hits[..uses].last()? as usize;
        Some(Usage {
            uses,
            last_used: self.logs[last].date(),
            since: Sessions::from(sessions - 1 - last),
        })
    }

    /// Returns the stems of the sessions that used `id`.
    pub fn sessions_of(&self, id: &str) -> impl Iterator<Item = &'a str> {
        let hits = self.hits.get(id).map_or(&[][..], Vec::as_slice);
        hits.iter().map(|&hit| self.logs[hit as usize].stem)
    }

    /// Returns how many sessions are dated after `created`, of the first `sessions` logs.
    pub fn sessions_after_date(&self, created: &str, sessions: usize) -> Sessions {
        // Sorted by name is sorted by date.
        let logs = &self.logs[..sessions];
        Sessions::from(sessions - logs.partition_point(|log| log.date() <= created))
    }

    /// Returns how many sessions have a stem after `threshold`; all where there is none.
    pub fn sessions_after(&self, threshold: Option<&str>) -> Sessions {
        let later = match threshold {
            None => self.logs.len(),
            Some(threshold) => self.logs.iter().filter(|log| log.stem > threshold).count(),
        };
        Sessions::from(later)
    }

    /// Returns what a state line says after something was done today, up to the newest session.
    pub fn stamp_value(&self, today: Date) -> String {
        match self.logs.last() {
            Some(log) => format!("{today} | through {}", log.stem),
            None => today.to_string(),
        }
    }

    /// Tells whether there is a log that goes by this name, as origins write it.
    pub fn has_log(&self, origin: &str) -> bool {
        let name = origin.trim().trim_matches('`');
        let name = name.rsplit('/').next().unwrap_or(name);
        let stem = name.strip_suffix(".md").unwrap_or(name);
        self.logs.iter().any(|log| log.stem == stem)
    }

    /// Returns the earliest session that names `id` as created.
    pub fn origin(&self, id: &str) -> Option<&'a str> {
        let hits = self.hits.get(id)?;
        hits.iter()
            .map(|&hit| &self.logs[hit as usize])
            .find(|log| log.created.contains(id))
            .map(|log| log.stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> Vec<&str> {
        SessionLog::parse("2026-06-01-000000", source).tokens.into_iter().collect()
    }

    #[test]
    fn only_the_first_references_block_counts() {
        let source = "# S\n\na-b\n\n## Memory References \t\n- Referenced: c-d, e-f\n### Sub\n- g-h\n\n## Memory Review\n- i-j\n\n## Memory References\n- k-l\n";
        assert_eq!(tokens(source), ["c-d", "e-f", "g-h"]);
    }

    #[test]
    fn a_suffixed_heading_does_not_count_and_is_told() {
        let log = SessionLog::parse("2026-06-01", "## Memory References (addendum)\n- a-b\n");
        assert!(log.tokens.is_empty());
        assert_eq!(log.uncounted_headings, [1]);
        assert!(!log.has_references);
    }

    #[test]
    fn a_negated_mention_still_counts() {
        assert_eq!(tokens("## Memory References\nnot touching foo-bar\n"), ["foo-bar"]);
    }

    #[test]
    fn tokens_are_maximal() {
        let found: Vec<_> = id_tokens("Xfoo-bar 9ab-cd a--b c-d-e- v4-2 A-b-c x_y-z").collect();
        assert_eq!(found, ["foo-bar", "ab-cd", "c-d-e", "v4-2", "b-c", "y-z"]);
    }

    #[test]
    fn an_index_file_is_no_session() {
        let files = [("INDEX.md", "## Memory References\n- a-b\n"), ("2026-06-01-000000.md", "")];
        assert_eq!(Ledger::parse(files).len(), 1);
    }

    #[test]
    fn numbers_follow_from_the_logs_alone() {
        let uses = "## Memory References\n- Created: a-b\n";
        let ledger = Ledger::parse([
            ("2026-06-03-000000.md", "## Memory References\n(none)\n"),
            ("2026-06-01-000000.md", uses),
            ("2026-06-02-000000.md", uses),
        ]);
        let usage = ledger.usage("a-b").unwrap();
        assert_eq!((usage.uses, usage.last_used, usage.since), (2, "2026-06-02", Sessions(1)));
        assert_eq!(ledger.origin("a-b"), Some("2026-06-01-000000"));
        assert_eq!(ledger.sessions_after_date("2026-06-01", 3), Sessions(2));
        assert_eq!(ledger.usage("c-d"), None);
    }

    #[test]
    fn listed_ids_leave_prose_out() {
        let line =
            "- Referenced: a-b (see well-known case), `c-d`, the live-tree check, e-f → g-h.";
        assert_eq!(listed_ids(line, true, &mut 0), ["a-b", "c-d", "e-f", "g-h"]);
    }
}
