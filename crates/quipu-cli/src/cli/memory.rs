//! The arguments of remember, recall and what belongs to them.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use quipu_core::item::{Layer, Status};

use super::DryRun;

/// Makes a parser that knows the names of an enum.
macro_rules! names {
    ($type:ty) => {{
        use clap::builder::TypedValueParser as _;
        PossibleValuesParser::new(<$type>::ALL.iter().map(|value| value.as_str()))
            .try_map(|name| <$type>::named(&name).ok_or_else(|| format!("unknown: {name}")))
    }};
}

pub(crate) use names;

#[derive(Debug, Args)]
pub(crate) struct ReasonArgs {
    /// The id, or a beginning of it that only it has
    pub(crate) id: String,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Args)]
pub(crate) struct PurgeArgs {
    /// The id, or a beginning of it that only it has
    #[arg(required_unless_present = "value", conflicts_with = "value")]
    pub(crate) id: Option<String>,
    /// Remove a value wherever it is; asks for it without showing it, or reads one line from stdin
    #[arg(long)]
    pub(crate) value: bool,
    /// Why; it is kept with the date
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Really remove the words for good: nothing can bring them back
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Take a value of 4 to 7 characters too, which may be part of other words
    #[arg(long, requires = "value")]
    pub(crate) yes_short: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Set the status of a record: active, challenged, invalidated, merged, superseded or archived
    Status {
        /// The record
        id: String,
        /// The status
        #[arg(value_parser = names!(Status))]
        status: Status,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Let a record last longer: working, then episodic, then semantic
    Promote {
        /// The record
        id: String,
        /// The layer (default: the next one)
        #[arg(long, value_parser = names!(Layer))]
        to: Option<Layer>,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Let a record last less long
    Demote {
        /// The record
        id: String,
        /// The layer (default: the one before)
        #[arg(long, value_parser = names!(Layer))]
        to: Option<Layer>,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Say that something is so; each name counts once, and a challenged record is active again
    Confirm {
        /// The item
        id: String,
        /// The person who says so (default: `QUIPU_USER`); an agent signs with its own name
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
        /// How they know
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Doubt a record: it is no longer returned until it is confirmed
    Challenge {
        /// The record
        id: String,
        /// What speaks against it
        #[arg(short, long, value_name = "TEXT")]
        reason: String,
    },
    /// Say that a record is wrong
    Invalidate {
        /// The record
        id: String,
        /// What is wrong
        #[arg(short, long, value_name = "TEXT")]
        reason: String,
    },
    /// Say that another record says what these say
    Merge {
        /// The records
        #[arg(required = true)]
        ids: Vec<String>,
        /// The one that stays
        #[arg(long, value_name = "ID")]
        into: String,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Take a merge back
    Unmerge {
        /// The record
        id: String,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Let something come first in every briefing
    Pin {
        /// The item
        id: String,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Take that back
    Unpin {
        /// The item
        id: String,
        /// Why
        #[arg(short, long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Add or remove tags
    Tag {
        /// The item
        id: String,
        /// Tags to add
        #[arg(required_unless_present = "remove")]
        tags: Vec<String>,
        /// Tags to take away
        #[arg(short, long, value_name = "TAG", value_delimiter = ',')]
        remove: Vec<String>,
    },
    /// Link one item to another
    Link {
        /// The item
        id: String,
        /// The other
        to: String,
        /// What the other is to it
        #[arg(long, default_value = "related")]
        relation: String,
        /// Take the link away instead
        #[arg(long)]
        remove: bool,
    },
    /// Note something beside an item
    Annotate {
        /// The item
        id: String,
        /// The note
        note: String,
    },
    /// Find what is similar to an item
    Similar {
        /// The item
        id: String,
        /// How many
        #[arg(short = 'k', long = "count", default_value_t = 5)]
        count: usize,
    },
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Forget the index and make it anew
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Stay and follow changes until interrupted
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Only compare, and print the fingerprints
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReembedArgs {
    /// Also items that have a vector of the model
    #[arg(long)]
    pub(crate) all: bool,
}
