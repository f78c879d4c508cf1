//! One module a command. Parse, call, print.

mod demo;
mod edit;
mod fact;
mod init;
mod lint;
mod man;
mod refresh;
mod review;
mod session;
mod show;
mod status;
mod thread;
mod undo;
mod verify;
mod why;

use std::fmt::Write as _;

use quipu_engine::{Diff, Workspace};
use serde_json::{Value, json};

use crate::cli::Command;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{self, Reply};

/// Runs a command.
pub(crate) fn run(command: Command, context: &Context) -> Result<Reply, CommandError> {
    match command {
        Command::Demo => demo::run(context),
        Command::Init(arguments) => init::run(&arguments, context),
        Command::Status => status::run(context),
        Command::Lint(arguments) => lint::run(&arguments, context),
        Command::Refresh(dry) => refresh::run(dry, context),
        Command::Review(arguments) => review::run(&arguments, context),
        Command::Fact(command) => fact::run(command, context),
        Command::Thread(command) => thread::run(command, context),
        Command::Session(command) => session::run(command, context),
        Command::Show(arguments) => show::run(&arguments.id, context),
        Command::Edit(arguments) => edit::run(&arguments, context),
        Command::Why(arguments) => why::run(&arguments.id, context),
        Command::Undo(arguments) => undo::run(&arguments, context),
        Command::Verify(arguments) => verify::run(&arguments, context),
        Command::Completions { shell } => Ok(man::completions(shell)),
        Command::Man { out } => man::run(out.as_deref()),
    }
}

/// Tells of operations that an earlier process left unfinished.
fn recovered(workspace: &Workspace) -> String {
    let mut text = String::new();
    for found in workspace.take_recovered() {
        text.push_str(&reply::styled(reply::YELLOW, "note:"));
        let _ = writeln!(text, " finished an interrupted `{}`", found.operation);
        for path in found.left_alone {
            let _ =
                writeln!(text, "  {path} was edited meanwhile and left as it is; run `quipu lint`");
        }
    }
    text
}

/// An answer for an operation that changed files, or would have.
fn changed(
    workspace: &Workspace,
    done: &str,
    dry_run: bool,
    diff: &Diff,
    mut data: Value,
) -> Reply {
    data["dry_run"] = json!(dry_run);
    data["changes"] = reply::diff_json(diff);
    let mut text = recovered(workspace);
    if diff.is_empty() {
        text.push_str("nothing to change\n");
    } else if dry_run {
        let _ = writeln!(text, "would have {done}:");
        text.push_str(&reply::diff_text(diff));
    } else {
        let _ = writeln!(text, "{done}");
    }
    let reply = Reply::new(text, data);
    if dry_run || diff.is_empty() { reply } else { reply.advise("`quipu undo` takes it back") }
}
