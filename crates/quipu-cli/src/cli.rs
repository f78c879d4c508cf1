//! The arguments of every command.

mod git;
mod hook;
mod install;
mod serve;
#[cfg(feature = "postgres")]
mod space;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use quipu_core::item::Scope;

pub(crate) use git::{GitCommand, GuardArgs, MergeArgs};
pub(crate) use hook::HookArgs;
pub(crate) use install::{DoctorArgs, InstallArgs, UninstallArgs, Where, Whom};
pub(crate) use quipu_engine::operation::input::DryRun;
pub(crate) use serve::{McpArgs, OpenArgs, Profile, ServeArgs, TokenCommand};
#[cfg(feature = "postgres")]
pub(crate) use space::{DatabaseArgs, SpaceCommand};

/// Long-term memory for AI agents: plain text that people can read, decided by counting.
#[derive(Debug, Parser)]
#[command(name = "quipu", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done · 1 findings, or an empty list · 2 no workspace, or wrong usage · 3 bad input or state · 4 busy · 70 a bug of ours"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Work in this folder (default: climb from the current one to a memory)
    #[arg(short = 'C', long = "directory", global = true, value_name = "DIR", env = "QUIPU_DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Print one JSON document on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only what was asked for, no advice
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Never print colours
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    /// Take this as today (UTC), so that a result can be reproduced
    #[arg(long, global = true, value_name = "DATE", env = "QUIPU_TODAY")]
    pub(crate) today: Option<Date>,
    /// Take this as the time, such as 2026-04-20T10:00:00Z
    #[arg(long, global = true, value_name = "TIME", env = "QUIPU_NOW")]
    pub(crate) now: Option<Timestamp>,
    /// Set a configuration key for this command (docs/configuration.md lists them)
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Only this memory: `team` (facts, in git), `project` (private to this clone), `user` (yours in every project)
    #[arg(long, global = true, value_name = "SCOPE", value_parser = scope, hide_possible_values = true)]
    pub(crate) scope: Option<Scope>,
    /// Record events in this open session
    #[arg(long, global = true, value_name = "ID", env = "QUIPU_SESSION")]
    pub(crate) session: Option<String>,
}

fn scope(text: &str) -> Result<Scope, String> {
    Scope::named(text).ok_or_else(|| {
        "expected team, project or user (what a token may do is `--permission`)".to_owned()
    })
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// Commands that are no operations: they set up this machine, or speak with programs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Take a tour: a small, real story in a folder of its own, one screen after another
    Demo,
    /// Set up a memory in this repo, or bring an older one up to date
    Init(InitArgs),
    /// Connect the clients that are found here: their MCP server entry, and hooks where they have them
    Install(InstallArgs),
    /// Give the clients' configuration back as it was; memory stays
    Uninstall(UninstallArgs),
    /// Find and explain what is wrong with an installation
    Doctor(DoctorArgs),
    /// Take over what Quipu 0.1 left in `.quipu/`, after you have agreed
    Adopt(AdoptArgs),
    /// Speak the Model Context Protocol over stdin and stdout: how agents use this memory
    Mcp(McpArgs),
    /// Serve MCP, the journal's files and metrics over HTTP, and do what is due: compaction, dreams
    Serve(ServeArgs),
    /// Open the page in a browser, signed in: at a memory, or at home
    Open(OpenArgs),
    /// Say who may talk to a server
    #[command(subcommand)]
    Token(TokenCommand),
    /// Off the record: no hook keeps anything, until `quipu resume` or for a time (`--session ID`: only of that session)
    Pause(PauseArgs),
    /// Back on the record
    Resume,
    /// Keep private memory the same on several machines, in a private git repository of yours
    Sync {
        /// What to do (default: sync)
        #[command(subcommand)]
        command: Option<SyncCommand>,
    },
    /// Make, list, copy and remove the spaces of a PostgreSQL database
    #[cfg(feature = "postgres")]
    #[command(subcommand)]
    Space(SpaceCommand),
    /// Bring a PostgreSQL database to the newest schema; servers that run go on meanwhile
    #[cfg(feature = "postgres")]
    Migrate(DatabaseArgs),
    /// Answer an event of an agent: JSON in, JSON or nothing out, never a failure
    Hook(HookArgs),
    /// Merge memory files by id in git, guard commits against secrets, remind of session logs
    #[command(subcommand)]
    Git(GitCommand),
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for every command into a folder
    Man {
        /// Write the pages here
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

impl Command {
    /// Tells whether the command uses the terminal while it runs.
    pub(crate) fn talks(&self) -> bool {
        match self {
            Self::Demo | Self::Mcp(_) | Self::Serve(_) | Self::Open(_) => true,
            Self::Init(arguments) => {
                !(arguments.yes || arguments.dry.dry_run || arguments.said().is_some())
            }
            Self::Install(arguments) => arguments.asks(),
            Self::Uninstall(arguments) => arguments.asks(),
            _ => false,
        }
    }
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command")]
pub(crate) struct InitArgs {
    /// The project's name (default: the folder's)
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// What becomes of instructions that other tools were given (`CLAUDE.md`, `.cursorrules`, …)
    #[arg(long, value_name = "WHAT")]
    pub(crate) existing: Option<Existing>,
    /// The same as `--existing move`
    #[arg(long, conflicts_with_all = ["no_migrate", "existing"], hide = true)]
    pub(crate) migrate: bool,
    /// The same as `--existing keep`
    #[arg(long, conflicts_with = "existing", hide = true)]
    pub(crate) no_migrate: bool,
    /// Take over also what git ignores: its words get into files that are committed
    #[arg(long, conflicts_with = "no_migrate")]
    pub(crate) include_ignored: bool,
    /// Write a pointer for this tool, which does not read `AGENTS.md` (where it is found here it gets one anyway)
    #[arg(long, value_name = "TOOL", value_parser = ["claude", "gemini"])]
    pub(crate) client: Vec<String>,
    /// Show every changed line
    #[arg(long)]
    pub(crate) diff: bool,
    /// Ask nothing: instructions for other tools stay where they are, unless `--existing` says otherwise
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

/// What becomes of instructions that other tools were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Existing {
    /// They stay as they are (the default)
    Keep,
    /// They stay, and their rules become facts
    Copy,
    /// They move to legacy/, their rules become facts, and a pointer stands in their place
    Move,
}

impl InitArgs {
    /// Returns what was said about existing instructions.
    pub(crate) fn said(&self) -> Option<Existing> {
        match (self.migrate, self.no_migrate) {
            (true, _) => Some(Existing::Move),
            (_, true) => Some(Existing::Keep),
            _ => self.existing,
        }
    }
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SyncCommand {
    /// Name the repository: its address, or the path of a bare one
    Init {
        /// The repository, which only you should be able to read
        #[arg(value_name = "URL|PATH")]
        remote: String,
        /// This project's private memory, not your own of every project; by the folder's name, or by this one
        #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
        project: Option<String>,
    },
    /// Tell where memory is synced, when it was last, and what stays here
    Status,
    /// Stop; everything stays where it is
    Off,
}

#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    /// End by itself after this time, such as 1h or 30m
    #[arg(long = "for", value_name = "TIME", value_parser = length_of_time)]
    pub(crate) length: Option<SignedDuration>,
}

fn length_of_time(text: &str) -> Result<SignedDuration, &'static str> {
    text.parse().map_err(|_| "expected a length of time, such as 30m, 2h or 1h30m")
}

#[derive(Debug, Args)]
pub(crate) struct AdoptArgs {
    /// Take it over without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}
