//! `quipu undo`.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli::UndoArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{BOLD, DIM, Reply, styled};

pub(crate) fn run(arguments: &UndoArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    if arguments.list {
        let history = workspace.undo_history()?;
        super::tell_recovered(&workspace);
        let mut text = String::new();
        for entry in &history {
            let _ = writeln!(
                text,
                "{}  {}  {}",
                styled(DIM, &entry.at),
                styled(BOLD, &entry.operation),
                shown(&entry.paths)
            );
        }
        let exit = u8::from(history.is_empty());
        if history.is_empty() {
            text.push_str("there is nothing to undo\n");
        }
        return Ok(Reply::new(text, json!({ "history": history })).exit(exit));
    }
    let undone = workspace.undo(context.now(), arguments.dry.dry_run, arguments.past_records)?;
    let verb = if arguments.dry.dry_run { "would undo" } else { "undid" };
    super::tell_recovered(&workspace);
    let mut text = String::new();
    let _ = writeln!(text, "{verb} {} of {}", styled(BOLD, &undone.operation), undone.at);
    for path in undone.paths.iter().filter(|path| !path.starts_with(".quipu/")) {
        let _ = writeln!(text, "  {path}");
    }
    Ok(Reply::new(text, json!({ "undone": undone, "dry_run": arguments.dry.dry_run })))
}

/// Returns the paths that are memory, not Quipu's own state.
fn shown(paths: &[String]) -> String {
    let own: Vec<&str> =
        paths.iter().map(String::as_str).filter(|path| !path.starts_with(".quipu/")).collect();
    own.join(", ")
}
