//! The arguments of what programs talk to.

use clap::{Args, ValueEnum};

/// Which tools a client sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// The dozen that an agent needs every day
    #[default]
    Standard,
    /// Everything that the command line can do
    Full,
    /// The names that `CursorClaw` has: `recall_memory`, `remember_this`, `query_experiences`
    Cursorclaw,
    /// The names that engram has: remember, recall, `update_status`, consolidate, …
    Engram,
}

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Which tools to offer
    #[arg(long, value_enum, default_value_t, env = "QUIPU_MCP_PROFILE")]
    pub(crate) profile: Profile,
    /// Where the client speaks from: private memory goes to the main channel only
    #[arg(long, default_value = "main", value_parser = ["main", "heartbeat", "other"])]
    pub(crate) channel: String,
    /// Offer only what does not change the memory
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Print the reference of all tools as Markdown, and end
    #[arg(long)]
    pub(crate) reference: bool,
}
