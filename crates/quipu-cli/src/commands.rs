//! One module a command. Parse, call, print.

mod adopt;
mod backup;
mod brief;
mod compact;
mod compress;
mod config;
mod curve;
mod decide;
mod demo;
mod doctor;
#[cfg(feature = "postgres")]
mod doctor_database;
mod dream;
mod drift;
mod edit;
mod entity;
mod experiences;
mod export;
mod fact;
mod git;
mod harvest;
mod history;
pub(crate) mod hook;
mod import;
mod index;
mod ingest;
mod init;
mod install;
mod journal;
mod lint;
mod listening;
mod listing;
mod man;
mod mcp;
mod memory_tool;
mod near;
mod open;
mod pause;
mod questions;
mod recall;
mod refresh;
mod remember;
mod repair;
mod review;
mod scan;
mod serve;
#[cfg(feature = "postgres")]
mod serve_spaces;
mod session;
mod share;
mod show;
#[cfg(feature = "postgres")]
mod space;
mod status;
mod sync;
mod thread;
mod timeline;
mod token;
mod undo;
mod uninstall;
mod user;
mod verify;
mod why;

use std::fmt::Write as _;
use std::io;

use quipu_engine::operations::Changed;

use crate::cli::Command;
use crate::context::Context;
use crate::error::CommandError;
use crate::grammar::What;
use crate::output;
use crate::reply::{self, Reply};
use crate::spoken;

/// Runs a command, and tells a bug of ours from a failure.
pub(crate) fn run_caught(what: What, context: &Context) -> Result<Reply, CommandError> {
    spoken::caught(
        || context.glimpse(),
        || match what {
            What::Operation(mut asked) => asked.reply(context),
            What::Command(command) => run(command, context),
        },
    )
}

/// Runs a command.
fn run(command: Command, context: &Context) -> Result<Reply, CommandError> {
    match command {
        Command::Demo => demo::run(context),
        Command::Init(arguments) => init::run(&arguments, context),
        Command::Install(arguments) => install::run(&arguments, context),
        Command::Uninstall(arguments) => uninstall::run(&arguments, context),
        Command::Doctor(arguments) => doctor::run(&arguments, context),
        Command::Pause(arguments) => pause::run(&arguments, context),
        Command::Resume => pause::resume(context),
        Command::Sync { command } => sync::run(command.as_ref(), context),
        Command::Hook(arguments) => {
            hook::run(&arguments, context);
            Ok(Reply::default())
        }
        Command::Adopt(arguments) => adopt::run(&arguments, context),
        Command::Mcp(arguments) => mcp::run(&arguments, context),
        Command::Serve(arguments) => serve::run(&arguments, context),
        Command::Open(arguments) => open::run(&arguments, context),
        Command::Token(command) => token::run(command, context),
        #[cfg(feature = "postgres")]
        Command::Space(command) => space::run(command, context),
        #[cfg(feature = "postgres")]
        Command::Migrate(at) => space::migrate(&at),
        Command::Git(command) => git::run(command, context),
        Command::Completions { shell } => Ok(man::completions(shell)),
        Command::Man { out } => man::run(out.as_deref()),
    }
}

/// Asks a person whether to go ahead with what `plan` says.
fn ask(plan: &str) -> Result<(), CommandError> {
    let failed = |error: io::Error| CommandError::usage(format!("cannot ask: {error}"));
    output::err(&format!("{plan}Go ahead? [y/N] ")).map_err(failed)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(failed)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(CommandError::input("cancelled", "cancelled; nothing was changed")),
    }
}

/// Tells of an operation that changed files, or would have.
fn changed_words<T>(done: &str, changed: &Changed<T>) -> Reply {
    let mut text = String::new();
    if changed.diff.is_empty() {
        text.push_str("nothing to change\n");
    } else if changed.dry_run {
        let _ = writeln!(text, "would have {done}:");
        text.push_str(&reply::diff_text(&changed.diff));
    } else {
        let _ = writeln!(text, "{done}");
    }
    if changed.dry_run || changed.diff.is_empty() {
        return Reply::words(text);
    }
    let several = match changed.rival_sessions {
        0 => String::new(),
        open => format!(
            "{open} sessions are open: it goes into the log of the one that ends first; name yours with --session\n"
        ),
    };
    Reply::words(text).advise(format!("{several}`quipu undo` takes it back"))
}
