//! The arguments of what works on a database with spaces.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Which database.
#[derive(Clone, Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// The address of the PostgreSQL database
    #[arg(long, value_name = "URL", env = "QUIPU_DATABASE", hide_env_values = true)]
    pub(crate) database: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SpaceCommand {
    /// Make a space: a memory on the server, shared by everybody who has a token for it
    Add {
        /// Its name: small letters, digits, `-`, `_` and `.`
        name: String,
        /// How many megabytes its files may take together
        #[arg(long, value_name = "MB", default_value_t = 1024)]
        quota: u32,
        /// Leave it empty, to import a memory into it
        #[arg(long)]
        empty: bool,
        #[command(flatten)]
        at: DatabaseArgs,
    },
    /// List the spaces
    List {
        #[command(flatten)]
        at: DatabaseArgs,
    },
    /// Change how many megabytes the files of a space may take together
    Quota {
        /// The space
        name: String,
        /// How many; where there are more already, only removing is possible
        mb: u32,
        #[command(flatten)]
        at: DatabaseArgs,
    },
    /// Show who wrote to a space, and who was refused: the newest first
    Audit {
        /// The space; without one: spaces that were made and removed
        name: Option<String>,
        /// How many lines
        #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
        limit: u32,
        #[command(flatten)]
        at: DatabaseArgs,
    },
    /// Copy the memory of a folder into an empty space, byte for byte
    Import {
        /// The space
        name: String,
        /// A folder with a memory
        folder: PathBuf,
        #[command(flatten)]
        at: DatabaseArgs,
    },
    /// Copy the memory of a space into an empty folder, byte for byte
    Export {
        /// The space
        name: String,
        /// The folder, which is made where there is none
        folder: PathBuf,
        #[command(flatten)]
        at: DatabaseArgs,
    },
    /// Remove a space with all that it remembers, and its tokens; nothing takes that back
    Remove {
        /// The space
        name: String,
        /// Do it without asking
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        at: DatabaseArgs,
    },
}
