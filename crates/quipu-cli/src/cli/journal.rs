//! The arguments of the journal's commands.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use quipu_core::item::Sensitivity;

use quipu_engine::operation::input::Moment;

use super::memory::names;
use super::{DryRun, NotSecret};

#[derive(Debug, Subcommand)]
pub(crate) enum JournalCommand {
    /// Append a record to today's log and to MEMORY.md
    Append(AppendArgs),
    /// List records, oldest first: from every day, the archive and MEMORY.md
    List(ListRecordsArgs),
    /// Show the newest records
    Tail {
        /// How many
        #[arg(short = 'n', long, default_value_t = 10)]
        lines: usize,
        /// Stay, and show what is appended until interrupted
        #[arg(short, long)]
        follow: bool,
        #[command(flatten)]
        which: WhichArgs,
    },
    /// Show a record: its line, where it stands, and what stands for it
    Show {
        /// The id, or a beginning of it that only it has
        id: String,
        /// A secret too
        #[arg(long)]
        allow_secret: bool,
    },
    /// Look for contradictions, stale records, broken lines and files that disagree; changes nothing
    Scan {
        /// List every finding, not only the first of each kind
        #[arg(short, long)]
        all: bool,
    },
    /// Take the oldest records out of MEMORY.md; the daily logs keep them
    Trim {
        /// Keep so many records (default: continuity.memoryMaxRecords)
        #[arg(long, value_name = "N")]
        max_records: Option<usize>,
        /// Keep so many characters (default: continuity.memoryMaxChars)
        #[arg(long, value_name = "N")]
        max_chars: Option<usize>,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Append the checkpoint that a runtime writes before it compacts a conversation
    Flush(DryRun),
}

#[derive(Debug, Args)]
pub(crate) struct AppendArgs {
    /// What to append (`-` reads it from stdin)
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: String,
    /// What sort of record it is: turn-summary, note, learned, heartbeat, or your own word
    #[arg(short, long, value_name = "WORD", default_value = "note")]
    pub(crate) category: String,
    /// Who may see it
    #[arg(long, value_parser = names!(Sensitivity), default_value = "private-user")]
    pub(crate) sensitivity: Sensitivity,
    /// The channel it came through
    #[arg(long, value_name = "NAME", default_value = "operator")]
    pub(crate) channel: String,
    /// How sure the writer is, 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0)]
    pub(crate) confidence: f64,
    /// It stays in MEMORY.md and comes first in every briefing
    #[arg(long)]
    pub(crate) pin: bool,
    /// Take it although it looks like it holds a secret
    #[arg(long)]
    pub(crate) allow_secret: bool,
    #[command(flatten)]
    pub(crate) not_secret: NotSecret,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

/// Which records.
#[derive(Clone, Debug, Args)]
pub(crate) struct WhichArgs {
    /// Only this session
    #[arg(long = "in-session", value_name = "ID")]
    pub(crate) in_session: Option<String>,
    /// Only this category
    #[arg(short, long, value_name = "WORD")]
    pub(crate) category: Option<String>,
    /// Secrets too
    #[arg(long)]
    pub(crate) allow_secret: bool,
    /// Decisions too (category `lifecycle`)
    #[arg(long)]
    pub(crate) decisions: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListRecordsArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,
    /// Written then or later
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<Moment>,
    /// Written before then
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Moment>,
    /// Only what stands in MEMORY.md
    #[arg(long)]
    pub(crate) window: bool,
    /// Only the newest so many
    #[arg(short = 'l', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct BriefArgs {
    /// The most characters (default: continuity.sessionMemoryCap, 32000)
    #[arg(long, value_name = "CHARS", conflicts_with = "tokens")]
    pub(crate) cap: Option<usize>,
    /// The most tokens, as far as they can be estimated
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<usize>,
    /// What the session is about, such as the first message (`-` reads it from stdin)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) hint: Option<String>,
    /// Who asks: a briefing is for the main channel; a heartbeat gets experiences that fit its hint
    #[arg(long, default_value = "main", value_parser = ["main", "heartbeat", "other"])]
    pub(crate) channel: String,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// Only when compaction is on and due: for cron, hooks and heartbeats
    #[arg(long)]
    pub(crate) if_due: bool,
    /// Also where MEMORY.md is below the threshold
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperiencesCommand {
    /// Find experiences that fit a situation
    Query {
        /// The situation, in words
        #[arg(required = true)]
        words: Vec<String>,
        /// How many
        #[arg(short = 'k', long = "count", default_value_t = 5)]
        count: usize,
        /// Who asks: other channels see public memory only
        #[arg(long, default_value = "main", value_parser = ["main", "heartbeat", "other"])]
        channel: String,
    },
    /// List experiences, newest first
    List {
        /// How many
        #[arg(short = 'l', long, default_value_t = 20)]
        limit: usize,
    },
    /// Tell an experience; one that is known already is not added
    Add {
        /// What happened, and what came of it (`-` reads it from stdin)
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Also where one like it is there
        #[arg(long)]
        force: bool,
        /// Take it although it looks like it holds a secret
        #[arg(long)]
        allow_secret: bool,
        #[command(flatten)]
        not_secret: NotSecret,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Take over experiences from a store that the original (`CursorClaw`) wrote
    Import {
        /// The file (default: continuity.experienceStorePath, tmp/experience-store.json)
        file: Option<std::path::PathBuf>,
        #[command(flatten)]
        dry: DryRun,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Show USER.md
    Show,
    /// Change USER.md
    Edit {
        /// The new text (`-` reads it from stdin; default: open $EDITOR)
        #[arg(long, allow_hyphen_values = true)]
        text: Option<String>,
        /// Write it although it looks like it holds a secret
        #[arg(long)]
        allow_secret: bool,
        #[command(flatten)]
        dry: DryRun,
    },
}
