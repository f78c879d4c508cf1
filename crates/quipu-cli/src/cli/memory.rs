//! The arguments of remember, recall and what belongs to them.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quipu_core::item::{Kind, Layer, MemoryType, Mode, Sensitivity, Source, Status};

use super::{DryRun, NotSecret};

/// Makes a parser that knows the names of an enum.
macro_rules! names {
    ($type:ty) => {{
        use clap::builder::TypedValueParser as _;
        PossibleValuesParser::new(<$type>::ALL.iter().map(|value| value.as_str()))
            .try_map(|name| <$type>::named(&name).ok_or_else(|| format!("unknown: {name}")))
    }};
}

pub(crate) use names;

/// A day of the journal, or a time to the second.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment {
    /// A day.
    Day(Date),
    /// A time.
    Time(Timestamp),
}

impl Moment {
    /// Returns when it begins, in a time zone.
    pub(crate) fn start(self, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Day(day) => {
                day.to_zoned(zone.clone()).map(|zoned| zoned.timestamp()).unwrap_or_default()
            }
            Self::Time(time) => time,
        }
    }
}

/// Reads a day of the journal, or a time.
pub(crate) fn day_or_moment(text: &str) -> Result<Moment, String> {
    match text.parse::<Date>() {
        Ok(day) => Ok(Moment::Day(day)),
        Err(_) => moment(text).map(Moment::Time),
    }
}

/// A day, or a time to the second.
pub(crate) fn moment(text: &str) -> Result<Timestamp, String> {
    if let Ok(day) = text.parse::<Date>() {
        return Ok(quipu_core::indexing::midnight(day));
    }
    text.parse::<Timestamp>().map_err(|_| {
        "expected a day such as 2026-04-20, or a time such as 2026-04-20T10:00:00Z".to_owned()
    })
}

/// A day means its end: what was true then.
fn end_of_moment(text: &str) -> Result<Timestamp, String> {
    match text.parse::<Date>().ok().and_then(|day| day.tomorrow().ok()) {
        Some(next) => {
            let second = quipu_core::indexing::midnight(next).as_second() - 1;
            Timestamp::from_second(second).map_err(|error| error.to_string())
        }
        None => moment(text),
    }
}

#[derive(Debug, Args)]
pub(crate) struct RememberArgs {
    /// What to remember (`-` reads it from stdin)
    #[arg(allow_hyphen_values = true, required_unless_present = "batch")]
    pub(crate) text: Option<String>,
    /// What sort of record it is: note, learned, decision, user-preference, or your own word
    #[arg(short, long, value_name = "WORD", default_value = "")]
    pub(crate) category: String,
    /// How long it is meant to last (default: by category)
    #[arg(long, value_parser = names!(Layer))]
    pub(crate) layer: Option<Layer>,
    /// What sort of statement it is (default: by category)
    #[arg(long = "type", value_parser = names!(MemoryType))]
    pub(crate) memory_type: Option<MemoryType>,
    /// Where it was learned; what an agent calls `human` is recorded as `interaction`
    #[arg(long, value_parser = names!(Source))]
    pub(crate) source: Option<Source>,
    /// Who said it
    #[arg(long, value_name = "NAME")]
    pub(crate) speaker: Option<String>,
    /// Words to find it by
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub(crate) tags: Vec<String>,
    /// How important it is, 0 to 1
    #[arg(long, value_name = "NUMBER")]
    pub(crate) importance: Option<f32>,
    /// How pleasant it is, -1 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) valence: Option<f32>,
    /// Who may see it
    #[arg(long, value_parser = names!(Sensitivity), default_value = "private-user")]
    pub(crate) sensitivity: Sensitivity,
    /// It is true since then
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) valid_from: Option<Timestamp>,
    /// It is true until then
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) valid_to: Option<Timestamp>,
    /// The channel it came through
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// It says that something is not so, or does not exist
    #[arg(long)]
    pub(crate) negative: bool,
    /// It comes first in every briefing, and never leaves MEMORY.md
    #[arg(long)]
    pub(crate) pin: bool,
    /// How sure you are, 0 to 1
    #[arg(long, value_name = "NUMBER")]
    pub(crate) confidence: Option<f64>,
    /// It replaces this record
    #[arg(long, value_name = "ID", conflicts_with = "batch")]
    pub(crate) supersedes: Option<String>,
    /// Take it although it looks like it holds a secret
    #[arg(long)]
    pub(crate) allow_secret: bool,
    #[command(flatten)]
    pub(crate) not_secret: NotSecret,
    /// Remember every line of this file (`-` is stdin): a JSON object with `text` and the keys of
    /// `docs/recall.md`, or plain words
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub(crate) batch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// The question, in words (after `--` where it begins with a hyphen)
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How many answers
    #[arg(short = 'k', long = "count", default_value_t = 10)]
    pub(crate) count: usize,
    /// No more tokens than this in all answers together
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Which types: facts only, facts and rules, or everything
    #[arg(long, value_parser = names!(Mode), default_value = "full_context")]
    pub(crate) mode: Mode,
    /// Only these kinds
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = names!(Kind))]
    pub(crate) kind: Vec<Kind>,
    /// Only these layers
    #[arg(long, value_name = "LAYER", value_delimiter = ',', value_parser = names!(Layer))]
    pub(crate) layer: Vec<Layer>,
    /// Only these types
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = names!(MemoryType))]
    pub(crate) types: Vec<MemoryType>,
    /// Statuses beside active
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = names!(Status))]
    pub(crate) include: Vec<Status>,
    /// Only this session
    #[arg(long = "in-session", value_name = "ID")]
    pub(crate) in_session: Option<String>,
    /// Only this category, or this section of the facts
    #[arg(short, long, value_name = "WORD")]
    pub(crate) category: Option<String>,
    /// With all of these tags
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',')]
    pub(crate) tags: Vec<String>,
    /// That mention this name, file or identifier
    #[arg(long, value_name = "NAME")]
    pub(crate) entity: Option<String>,
    /// Learned then or later
    #[arg(long, value_name = "TIME", value_parser = day_or_moment)]
    pub(crate) since: Option<Moment>,
    /// Learned before then
    #[arg(long, value_name = "TIME", value_parser = day_or_moment)]
    pub(crate) until: Option<Moment>,
    /// True then, whatever has replaced it since
    #[arg(long, value_name = "TIME", value_parser = end_of_moment)]
    pub(crate) as_of: Option<Timestamp>,
    /// Secrets too
    #[arg(long)]
    pub(crate) allow_secret: bool,
    /// Who asks: other channels see public memory only
    #[arg(long, default_value = "main", value_parser = ["main", "heartbeat", "other"])]
    pub(crate) channel: String,
    /// Say why each answer ranks where it does
    #[arg(short = 'x', long)]
    pub(crate) explain: bool,
}

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

#[derive(Debug, Subcommand)]
pub(crate) enum EntityCommand {
    /// List names, files, identifiers, addresses, dates and terms that are mentioned
    List {
        /// Only names that hold these words
        words: Vec<String>,
        /// How many
        #[arg(short = 'k', long = "count", default_value_t = 30)]
        count: usize,
    },
    /// Show what mentions an entity, newest first
    Show {
        /// Its name, or another name of it
        name: String,
        /// How many items
        #[arg(short = 'k', long = "count", default_value_t = 20)]
        count: usize,
    },
    /// Tell what was said about an entity, oldest first
    Timeline {
        /// Its name, or another name of it
        name: String,
        /// How many items, the newest ones
        #[arg(short = 'k', long = "count", default_value_t = 50)]
        count: usize,
    },
    /// Show who is mentioned with an entity, and with those, and so on
    Graph {
        /// Its name, or another name of it
        name: String,
        /// How many steps
        #[arg(long, default_value_t = 2)]
        hops: usize,
        /// How many others from each
        #[arg(short = 'k', long = "count", default_value_t = 6)]
        count: usize,
        /// Print it for Graphviz
        #[arg(long)]
        dot: bool,
    },
    /// Say that an entity goes by another name too
    Alias {
        /// Its name
        name: String,
        /// The other name
        alias: String,
        /// Take the other name away instead
        #[arg(long)]
        remove: bool,
    },
    /// Say that two entities are one
    Merge {
        /// The one whose name becomes another name
        from: String,
        /// The one that stays
        into: String,
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
