//! The arguments of entities and of the index.

use clap::{Args, Subcommand};

/// Makes a parser that knows the names of an enum.
macro_rules! names {
    ($type:ty) => {{
        use clap::builder::TypedValueParser as _;
        PossibleValuesParser::new(<$type>::ALL.iter().map(|value| value.as_str()))
            .try_map(|name| <$type>::named(&name).ok_or_else(|| format!("unknown: {name}")))
    }};
}

pub(crate) use names;

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
