//! The settings of the journal, by the names that the original gave them.

use serde::{Deserialize, Serialize};

/// Settings of the journal: window, briefing, compaction, experiences.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "switches, by the names of the original")]
pub struct ContinuityConfig {
    /// Whether a session starts with a briefing.
    pub session_memory_enabled: bool,
    /// The most characters of a briefing.
    pub session_memory_cap: usize,
    /// Whether a briefing lists what the newest sessions were about.
    pub include_recent_topics: bool,
    /// Whether a briefing begins with the long-term summaries.
    pub include_long_memory_in_session: bool,
    /// Whether a briefing ends with experiences that fit the hint.
    pub inject_experience_context: bool,
    /// Whether records are recalled.
    pub memory_embeddings_enabled: bool,
    /// `status` warns when the window has more characters than this.
    pub memory_size_warn_chars: usize,
    /// `status` warns when all files of a briefing together have more characters than this.
    pub substrate_size_warn_chars: usize,
    /// The most records in the window.
    pub memory_max_records: Option<usize>,
    /// The most characters in the window.
    pub memory_max_chars: Option<usize>,
    /// Where lines that leave the window are kept.
    pub memory_archive_path: Option<String>,
    /// Categories that never leave the window.
    pub memory_protected_categories: Vec<String>,
    /// Whether compaction runs by itself.
    pub memory_compaction_enabled: bool,
    /// When it runs, as a cron expression; else by the interval.
    #[serde(alias = "memoryCompactionSchedule")]
    pub memory_compaction_schedule_cron: Option<String>,
    /// How long from one run to the next.
    pub memory_compaction_interval_ms: u64,
    /// It runs only above so many records, and then after an append too.
    #[serde(alias = "memoryCompactionMaxRecords")]
    pub memory_compaction_threshold_records: Option<usize>,
    /// It runs only above so many characters, and then after an append too.
    #[serde(alias = "memoryCompactionMaxChars")]
    pub memory_compaction_threshold_chars: Option<usize>,
    /// Younger records are left alone.
    pub memory_compaction_min_age_days: u32,
    /// Where the long-term summaries are.
    pub long_memory_path: String,
    /// How long they may get.
    pub long_memory_max_chars: usize,
    /// Whether experiences are collected.
    pub experience_store_enabled: bool,
    /// Where the original kept its experiences, which are read.
    pub experience_store_path: String,
    /// How alike two experiences may be.
    pub experience_uniqueness_threshold: f32,
    /// The most experiences.
    pub experience_max_count: usize,
    /// Categories in which different words are no contradiction.
    pub integrity_exempt_categories: Vec<String>,
    /// A record is stale after so many days.
    pub integrity_stale_days: u32,
}

impl Default for ContinuityConfig {
    fn default() -> Self {
        Self {
            session_memory_enabled: true,
            session_memory_cap: 32_000,
            include_recent_topics: false,
            include_long_memory_in_session: true,
            inject_experience_context: true,
            memory_embeddings_enabled: true,
            memory_size_warn_chars: 28_800,
            substrate_size_warn_chars: 60_000,
            memory_max_records: None,
            memory_max_chars: None,
            memory_archive_path: None,
            memory_protected_categories: Vec::new(),
            memory_compaction_enabled: false,
            memory_compaction_schedule_cron: None,
            memory_compaction_interval_ms: 86_400_000,
            memory_compaction_threshold_records: None,
            memory_compaction_threshold_chars: None,
            memory_compaction_min_age_days: 7,
            long_memory_path: quipu_core::journal::LONG.to_owned(),
            long_memory_max_chars: 16_000,
            experience_store_enabled: true,
            experience_store_path: "tmp/chroma".to_owned(),
            experience_uniqueness_threshold: 0.85,
            experience_max_count: 5000,
            integrity_exempt_categories: ["turn-summary", "compaction", "heartbeat"]
                .map(str::to_owned)
                .to_vec(),
            integrity_stale_days: 120,
        }
    }
}
