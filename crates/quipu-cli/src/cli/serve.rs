//! The arguments of what programs talk to.

use std::net::SocketAddr;

use clap::{Args, Subcommand, ValueEnum};

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
    /// Anthropic's memory tool (`memory_20250818`) as one tool, `memory`
    Memory,
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

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command")]
pub(crate) struct ServeArgs {
    /// Listen here (default: serve.listen, 127.0.0.1:8377); port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Which tools to offer over MCP
    #[arg(long, value_enum, default_value_t, env = "QUIPU_MCP_PROFILE")]
    pub(crate) profile: Profile,
    /// Open the page in a browser, signed in: whoever has the address within a minute acts as you
    #[arg(long)]
    pub(crate) open: bool,
    /// Let every program of this machine in without a token
    #[arg(long)]
    pub(crate) no_token: bool,
    /// Ask for a token, which is the default
    #[arg(long, hide = true, conflicts_with = "no_token")]
    pub(crate) require_token: bool,
    /// Print the description of the REST API (OpenAPI 3.1), and end
    #[arg(long)]
    pub(crate) openapi: bool,
    /// Leave out what is due: compaction, experiences, dreams
    #[arg(long)]
    pub(crate) no_schedule: bool,
    /// Go on for so long when told to stop, and answer `/readyz` with 503, so that others turn away first
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=600))]
    pub(crate) drain: u64,
    /// Serve the spaces of this PostgreSQL database, each to who has a token for it
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "URL", env = "QUIPU_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
}

/// The tokens of which memory: this folder's, or a space's.
#[derive(Clone, Debug, Args)]
pub(crate) struct TokensOf {
    /// For a space of a PostgreSQL database
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "NAME")]
    pub(crate) space: Option<String>,
    /// The PostgreSQL database that the space is in
    #[cfg(feature = "postgres")]
    #[arg(long, value_name = "URL", env = "QUIPU_DATABASE", hide_env_values = true)]
    pub(crate) database: Option<String>,
}

impl TokenCommand {
    /// Returns the tokens of which memory it is about.
    #[cfg(feature = "postgres")]
    pub(crate) fn of(&self) -> &TokensOf {
        match self {
            Self::Add { of, .. } | Self::List { of } | Self::Revoke { of, .. } => of,
        }
    }
}

impl ServeArgs {
    /// Returns those of a server that opens the page.
    pub(crate) fn opening() -> Self {
        Self {
            drain: 0,
            listen: None,
            profile: Profile::Standard,
            open: true,
            no_token: false,
            require_token: false,
            openapi: false,
            no_schedule: false,
            #[cfg(feature = "postgres")]
            database: None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The memory (default: the first page)
    pub(crate) id: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token; it is shown once, and only its hash is kept
    Add {
        /// Whose it is
        name: String,
        /// What they may do
        #[arg(long, default_value = "write", value_parser = ["read", "write", "admin"])]
        permission: String,
        /// Where they speak from: private memory goes to the main channel only
        #[arg(long, default_value = "main", value_parser = ["main", "heartbeat", "other"])]
        channel: String,
        #[command(flatten)]
        of: TokensOf,
    },
    /// List who has a token
    List {
        #[command(flatten)]
        of: TokensOf,
    },
    /// Take a token away, at once
    Revoke {
        /// Whose
        name: String,
        #[command(flatten)]
        of: TokensOf,
    },
}
