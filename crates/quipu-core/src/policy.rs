//! Which windows and triggers hold: `memory/decay-policy.md`.
//!
//! Numbers are read from list items `- key: N` only, never from prose, and a policy that makes no
//! sense is an error that names the line (deviation D4). Unknown keys are the user's.

use std::fmt;

use serde::Serialize;

use crate::text;

/// A number of sessions; not days, not facts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Sessions(pub u32);

impl fmt::Display for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<usize> for Sessions {
    fn from(count: usize) -> Self {
        Self(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

/// The integers that decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Policy {
    /// A new fact stays working for this long unless it is used again.
    pub working_window: Sessions,
    /// A fact used within this is active.
    pub active_window: Sessions,
    /// A fact not used for longer than this goes to the archive.
    pub archive_window: Sessions,
    /// A review is due after this many sessions.
    pub review_every: Sessions,
    /// A review is due above this many decaying facts.
    pub continuity_max_facts: u32,
    /// A review is due above this many lines.
    pub continuity_max_lines: u32,
    /// Completed threads should take no more lines than this.
    pub closed_narrative_max_lines: u32,
    /// A person confirms the invariants this often.
    pub verify_invariants_every: Sessions,
    /// Whether the review may propose facts for core.
    pub auto_core: bool,
    /// Auto-core: at least this many uses.
    pub core_min_uses: u32,
    /// Auto-core: active in this many reviews in a row.
    pub core_min_reviews: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            working_window: Sessions(3),
            active_window: Sessions(8),
            archive_window: Sessions(20),
            review_every: Sessions(10),
            continuity_max_facts: 30,
            continuity_max_lines: 600,
            closed_narrative_max_lines: 150,
            verify_invariants_every: Sessions(40),
            auto_core: false,
            core_min_uses: 12,
            core_min_reviews: 5,
        }
    }
}

/// Why a policy cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A value is not a number, or too large a one.
    #[error("line {line}: `{key}: {value}` is not a whole number from 0 to {max}", max = MAX)]
    NotANumber {
        /// 1-based line.
        line: usize,
        /// The key.
        key: String,
        /// What stands there.
        value: String,
    },
    /// The switch of auto-core is neither true nor false.
    #[error("line {line}: `enabled: {value}` is neither `true` nor `false`")]
    NotASwitch {
        /// 1-based line.
        line: usize,
        /// What stands there.
        value: String,
    },
    /// A review can not be due after no session.
    #[error(
        "line {line}: `review_every: 0` would make a review due for ever; write 1 for one after each session, or a large number for none"
    )]
    NeverReviewed {
        /// 1-based line.
        line: usize,
    },
    /// The windows contradict each other.
    #[error(
        "line {line}: active_window {active} is not below archive_window {archive}, so no fact could ever become a candidate"
    )]
    WindowOrder {
        /// 1-based line of the window that was set last.
        line: usize,
        /// The active window.
        active: Sessions,
        /// The archive window.
        archive: Sessions,
    },
}

impl PolicyError {
    /// Returns the 1-based line that is wrong.
    pub fn line(&self) -> usize {
        match self {
            Self::NotANumber { line, .. }
            | Self::NotASwitch { line, .. }
            | Self::NeverReviewed { line }
            | Self::WindowOrder { line, .. } => *line,
        }
    }
}

/// No ledger comes near this, and sums of such numbers cannot overflow.
const MAX: u32 = 1_000_000;

impl Policy {
    /// Reads a policy; a key that is missing has its default, of a repeated key the first counts.
    ///
    /// # Errors
    /// When a known key has no usable value, or the windows contradict each other.
    pub fn parse(source: &str) -> Result<Self, PolicyError> {
        let mut policy = Self::default();
        let mut seen = std::collections::BTreeMap::new();
        for (index, line) in text::lines(source).enumerate() {
            let Some((key, value)) = list_item(line.text) else {
                continue;
            };
            if seen.contains_key(key) || !policy.knows(key) {
                continue;
            }
            seen.insert(key, index + 1);
            policy.set(key, value, index + 1)?;
        }
        if policy.review_every == Sessions(0) {
            let line = seen.get("review_every").copied().unwrap_or(1);
            return Err(PolicyError::NeverReviewed { line });
        }
        if policy.active_window >= policy.archive_window {
            let line = |key| seen.get(key).copied().unwrap_or(1);
            return Err(PolicyError::WindowOrder {
                line: line("active_window").max(line("archive_window")),
                active: policy.active_window,
                archive: policy.archive_window,
            });
        }
        Ok(policy)
    }

    fn number(&mut self, key: &str) -> Option<&mut u32> {
        Some(match key {
            "working_window" => &mut self.working_window.0,
            "active_window" => &mut self.active_window.0,
            "archive_window" => &mut self.archive_window.0,
            "review_every" => &mut self.review_every.0,
            "continuity_max_facts" => &mut self.continuity_max_facts,
            "continuity_max_lines" => &mut self.continuity_max_lines,
            "closed_narrative_max_lines" => &mut self.closed_narrative_max_lines,
            "verify_invariants_every" => &mut self.verify_invariants_every.0,
            "core_min_uses" => &mut self.core_min_uses,
            "core_min_reviews" => &mut self.core_min_reviews,
            _ => return None,
        })
    }

    fn knows(&mut self, key: &str) -> bool {
        key == "enabled" || self.number(key).is_some()
    }

    fn set(&mut self, key: &str, value: &str, line: usize) -> Result<(), PolicyError> {
        if key == "enabled" {
            self.auto_core = value
                .parse()
                .map_err(|_| PolicyError::NotASwitch { line, value: value.to_owned() })?;
        } else if let Some(number) = self.number(key) {
            *number = value.parse().ok().filter(|number| *number <= MAX).ok_or_else(|| {
                PolicyError::NotANumber { line, key: key.to_owned(), value: value.to_owned() }
            })?;
        }
        Ok(())
    }
}

/// Why a line that looks like a setting is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleKey {
    /// No such setting.
    Unknown,
    /// The first line with the key counts.
    Repeated,
    /// It is written in another style, which is not read: `- **key:** N`.
    Styled,
}

/// Returns the lines `- some_key: N` that set nothing: line, key and why.
pub fn idle_keys(source: &str) -> Vec<(usize, &str, IdleKey)> {
    let mut known = Policy::default();
    let mut seen = std::collections::BTreeSet::new();
    let mut idle = Vec::new();
    for (index, line) in text::lines(source).enumerate() {
        if let Some(key) = styled_key(line.text).filter(|key| known.knows(key)) {
            idle.push((index + 1, key, IdleKey::Styled));
            continue;
        }
        let Some((key, value)) = list_item(line.text) else { continue };
        let is_name = key.contains('_') && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        if known.knows(key) {
            if !seen.insert(key) {
                idle.push((index + 1, key, IdleKey::Repeated));
            }
        } else if is_name && value.starts_with(|c: char| c.is_ascii_digit()) {
            idle.push((index + 1, key, IdleKey::Unknown));
        }
    }
    idle
}

/// Returns the key of a line that sets something in another style than the one that is read, with marks
/// around the key, in a table, or without a bullet: `- **key:** 12`, `| key | 12 |`, `key = 12`.
fn styled_key(line: &str) -> Option<&str> {
    let item = line.trim();
    let bare = item.trim_start_matches(['-', '*', '+', '|', '`', ' ']);
    let end = bare.find(|c: char| !(c.is_ascii_lowercase() || c == '_'))?;
    let (key, rest) = bare.split_at(end);
    let marks = rest.trim_start_matches(['*', '`', '|', ':', '=', ' ']);
    let is_setting =
        rest.contains([':', '=', '|']) && !rest.starts_with(' ') | rest.contains(['=', '|']);
    let has_number = marks.starts_with(|c: char| c.is_ascii_digit());
    let is_read = list_item(line).is_some_and(|(read, _)| read == key);
    (key.contains('_') && is_setting && has_number && !is_read).then_some(key)
}

/// Returns key and value of a line `- key: value  # comment`.
fn list_item(line: &str) -> Option<(&str, &str)> {
    let item = line.trim_start().strip_prefix(['-', '*'])?;
    let (key, value) = item.split_once(':')?;
    let value = value.split('#').next().unwrap_or_default().trim();
    let value = value.split_whitespace().next().unwrap_or_default();
    Some((key.trim(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_prose_are_not_read() {
        let source = "> raised active_window: 99 in spring\n\n- active_window:   5   # sessions\n";
        assert_eq!(Policy::parse(source).unwrap().active_window, Sessions(5));
    }

    #[test]
    fn an_empty_policy_has_the_defaults() {
        assert_eq!(Policy::parse("# Memory Policy\n").unwrap(), Policy::default());
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let error = Policy::parse("\n- active_window: 99999999999\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2: `active_window: 99999999999` is not a whole number from 0 to 1000000"
        );
        assert!(Policy::parse("- review_every: -1\n").is_err());
        assert!(Policy::parse("- review_every:\n").is_err());
        assert!(Policy::parse("- enabled: perhaps\n").is_err());
    }

    #[test]
    fn settings_that_set_nothing_are_known() {
        let source = "- active_windw: 4\n- review_every: 3\n- review_every: 4\n- tier: core\n";
        let idle = [(1, "active_windw", IdleKey::Unknown), (3, "review_every", IdleKey::Repeated)];
        assert_eq!(idle_keys(source), idle);
    }

    #[test]
    fn settings_in_another_style_are_named() {
        let source = "- **active_window:** 12\n| archive_window | 30 |\nreview_every = 5\n- working_window: 3\n";
        let idle: Vec<(usize, &str)> = idle_keys(source)
            .into_iter()
            .filter(|(.., why)| *why == IdleKey::Styled)
            .map(|(line, key, _)| (line, key))
            .collect();
        assert_eq!(idle, [(1, "active_window"), (2, "archive_window"), (3, "review_every")]);
        assert!(idle_keys("> raised active_window from 8 to 12\n").is_empty());
    }

    #[test]
    fn a_review_after_no_session_is_refused_with_advice() {
        let error = Policy::parse("- review_every: 0\n").unwrap_err();
        assert!(error.to_string().contains("write 1"), "{error}");
    }

    #[test]
    fn windows_that_contradict_each_other_are_refused() {
        let error = Policy::parse("- archive_window: 8\n- active_window: 8\n").unwrap_err();
        assert_eq!(error.line(), 2);
    }
}
