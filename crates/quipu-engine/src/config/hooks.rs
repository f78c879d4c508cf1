//! The settings of what hooks of agents do.

use serde::{Deserialize, Serialize};

/// Settings of hooks: which events do something, and how much each may say.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "one switch an event")]
pub struct HooksConfig {
    /// Whether a session of an agent opens one of Quipu's, and begins with a briefing.
    pub session_start: bool,
    /// Whether memories are given with a prompt that they fit.
    pub prompt: bool,
    /// Whether files that tools edit, and failures that were fixed, are noted.
    pub after_tool: bool,
    /// Whether a checkpoint is written before an agent forgets, and what the user said is kept.
    pub pre_compact: bool,
    /// Whether each turn is looked at for uses and for what the user asked to remember.
    pub stop: bool,
    /// Whether the end of an agent's session ends Quipu's.
    pub session_end: bool,
    /// The most characters of the briefing that a session begins with.
    pub brief_chars: usize,
    /// The same for a session that goes on where it was.
    pub resume_chars: usize,
    /// How sure it must be that a memory has to do with a prompt, 0 to 1.
    pub prompt_threshold: f32,
    /// The most memories that are given with a prompt.
    pub prompt_count: usize,
    /// The most characters that are given with a prompt.
    pub prompt_chars: usize,
    /// At most one line is noted in so many calls of tools.
    pub after_tool_every: u32,
    /// The most records that are taken from a conversation at once.
    pub extract_most: usize,
    /// The most characters of a session's summary.
    pub turn_chars: usize,
}

impl Default for HooksConfig {
    fn default() -> Self {
        Self {
            session_start: true,
            prompt: true,
            after_tool: false,
            pre_compact: true,
            stop: true,
            session_end: true,
            brief_chars: 8000,
            resume_chars: 2000,
            prompt_threshold: 0.6,
            prompt_count: 3,
            prompt_chars: 2000,
            after_tool_every: 20,
            extract_most: 3,
            turn_chars: 500,
        }
    }
}
