//! The arguments of every command.

mod dream;
mod git;
mod harvest;
mod hook;
mod install;
mod journal;
mod memory;
mod serve;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use jiff::Timestamp;
use jiff::civil::Date;

pub(crate) use dream::{AnswerArgs, CompressArgs, DreamArgs, DriftArgs, QuestionsArgs, ScanArgs};
pub(crate) use git::{GitCommand, GuardArgs, MergeArgs};
pub(crate) use harvest::HarvestArgs;
pub(crate) use hook::{HookArgs, MemoryToolArgs};
pub(crate) use install::{DoctorArgs, InstallArgs, UninstallArgs, Where};
pub(crate) use journal::{
    AppendArgs, BriefArgs, CompactArgs, ExperiencesCommand, JournalCommand, ListRecordsArgs,
    UserCommand, WhichArgs,
};
pub(crate) use memory::{
    EntityCommand, IndexArgs, MemoryCommand, PurgeArgs, ReasonArgs, ReembedArgs, ReplayArgs,
};
pub(crate) use quipu_engine::operation::input::{DryRun, NotSecret};
pub(crate) use serve::{McpArgs, Profile, ServeArgs, TokenCommand};

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
    /// Record events in this open session
    #[arg(long, global = true, value_name = "ID", env = "QUIPU_SESSION")]
    pub(crate) session: Option<String>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tell a small, real story in a temporary folder
    Demo,
    /// Set up a memory in this repo, bring an older one up to date, take over what tools were told
    Init(InitArgs),
    /// Connect the clients that are found here: their MCP server entry, and hooks where they have them
    Install(InstallArgs),
    /// Give the clients' configuration back as it was; memory stays
    Uninstall(UninstallArgs),
    /// Find and explain what is wrong with an installation
    Doctor(DoctorArgs),
    /// Show the memory at a glance
    Status,
    /// Print what a session should start with: the most valuable of all that is remembered
    Brief(BriefArgs),
    /// Show anything that is remembered: a fact, a session log or a part of it, a record
    Show(IdArgs),
    /// Change the words of a fact or a record
    Edit(EditArgs),
    /// Tell what happened to something since it was remembered
    History(IdArgs),
    /// Put something away, until `restore`: a record is no longer recalled, a fact moves to the archive
    Forget(ReasonArgs),
    /// Bring back what was forgotten, invalidated, merged or archived
    Restore(ReasonArgs),
    /// Remove the words of a record for good, in every file and table (for secrets)
    Purge(PurgeArgs),
    /// Read and write the journal: MEMORY.md and the daily logs
    #[command(subcommand)]
    Journal(JournalCommand),
    /// Merge old notes and turns of MEMORY.md into summaries; nothing is lost
    Compact(CompactArgs),
    /// Find what was learned in situations like this one
    #[command(subcommand)]
    Experiences(ExperiencesCommand),
    /// Show or change what the user says about themselves (USER.md)
    #[command(subcommand)]
    User(UserCommand),
    /// Pin, tag, link and annotate what is remembered; find what is similar
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Explain anything: a fact's tier and the rule that fired; how much of a memory is left, and the
    /// nine terms of its importance
    Why {
        /// The fact, record or part of a log
        id: String,
    },
    /// Plot how much of a memory is left, over time
    Curve(CurveArgs),
    /// Go through everything that is remembered: put away what faded, merge what repeats, ask about the rest
    Dream(DreamArgs),
    /// Find decisions, rules and plans in the documents of this repo, and propose them as facts
    Harvest(HarvestArgs),
    /// Read what the source files declare into the codebase layer; only what changed is read again
    Scan(ScanArgs),
    /// Find what memories say about the code and the code no longer has, by git's history
    Drift(DriftArgs),
    /// Let vectors of what has faded take less room; what comes back gets its own again
    Compress(CompressArgs),
    /// List what needs judgement, with its evidence and the possible answers
    Questions(QuestionsArgs),
    /// Answer a question; what the answer does happens with it
    Answer(AnswerArgs),
    /// Take over what Quipu 0.1 left in `.quipu/`, after you have agreed
    Adopt(AdoptArgs),
    /// Who and what the memory is about
    #[command(subcommand)]
    Entity(EntityCommand),
    /// Bring the index up to date with the files
    Index(IndexArgs),
    /// Rebuild the index from the files, and tell whether it was the same
    Replay(ReplayArgs),
    /// Make vectors of the current model where they are missing
    Reembed(ReembedArgs),
    /// Tell how much is remembered
    Stats,
    /// Speak the Model Context Protocol over stdin and stdout: how agents use this memory
    Mcp(McpArgs),
    /// Serve MCP, the journal's files and metrics over HTTP, and do what is due: compaction, dreams
    Serve(ServeArgs),
    /// Say who may talk to a server
    #[command(subcommand)]
    Token(TokenCommand),
    /// Answer an event of an agent: JSON in, JSON or nothing out, never a failure
    Hook(HookArgs),
    /// Carry out a command of Anthropic's memory tool over the notes of this workspace
    MemoryTool(MemoryToolArgs),
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
            Self::Demo
            | Self::Mcp(_)
            | Self::Serve(_)
            | Self::Index(_)
            | Self::Replay(_)
            | Self::Reembed(_) => true,
            Self::Init(arguments) => !(arguments.yes || arguments.dry.dry_run),
            Self::Install(arguments) => arguments.asks(),
            Self::Uninstall(arguments) => arguments.asks(),
            Self::Harvest(arguments) => arguments.interactive,
            Self::Edit(arguments) => arguments.text.is_none(),
            Self::Purge(arguments) => arguments.value,
            Self::User(UserCommand::Edit { text, .. }) => text.is_none(),
            Self::Journal(JournalCommand::Tail { follow, .. }) => *follow,
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
    /// Take over instructions for other tools also where there is a memory already
    #[arg(long, conflicts_with = "no_migrate")]
    pub(crate) migrate: bool,
    /// Leave instructions for other tools where they are
    #[arg(long)]
    pub(crate) no_migrate: bool,
    /// Take over also what git ignores: its words get into files that are committed
    #[arg(long, conflicts_with = "no_migrate")]
    pub(crate) include_ignored: bool,
    /// Show every changed line
    #[arg(long)]
    pub(crate) diff: bool,
    /// Move files of other tools without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Args)]
pub(crate) struct IdArgs {
    /// A fact's id, a session log's name, a record's id or a beginning of it
    pub(crate) id: String,
    /// A secret too
    #[arg(long)]
    pub(crate) allow_secret: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The fact or record
    pub(crate) id: String,
    /// The new words (`-` reads them from stdin; default: open $EDITOR)
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// Write it although it looks like it holds a secret
    #[arg(long)]
    pub(crate) allow_secret: bool,
    #[command(flatten)]
    pub(crate) not_secret: NotSecret,
    /// It is core or an invariant, and a person confirmed the new words
    #[arg(long)]
    pub(crate) confirm_core: bool,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Debug, Args)]
pub(crate) struct CurveArgs {
    /// The id, or a beginning of it that only it has
    pub(crate) id: String,
    /// How far to look ahead
    #[arg(long, value_name = "N", default_value_t = 90)]
    pub(crate) days: u32,
    /// How retention falls (default: lifecycle.retention)
    #[arg(long, value_parser = ["l2", "huber", "elastic"])]
    pub(crate) mode: Option<String>,
    /// Draw it into this SVG file too
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct AdoptArgs {
    /// Take it over without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}
