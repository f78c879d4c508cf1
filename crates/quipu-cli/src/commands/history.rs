//! `quipu history`.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli::IdArgs;
use crate::commands::recall::chain;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, styled};

pub(crate) fn run(arguments: &IdArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let history = workspace.history(&arguments.id, arguments.allow_secret)?;
    super::tell_recovered(&workspace);
    let mut text = format!("{}\n", styled(CYAN, &history.id));
    for entry in &history.entries {
        let _ = writeln!(
            text,
            "  {}  {} {}",
            entry.at.strftime("%Y-%m-%d %H:%M"),
            entry.what,
            styled(DIM, format!("({})", entry.by))
        );
        if !entry.reason.is_empty() {
            let _ = writeln!(text, "      {}", entry.reason);
        }
    }
    if !history.supersedes.is_empty() {
        let _ = writeln!(text, "  replaces {}", chain(&history.supersedes));
    }
    if let Some(successor) = &history.superseded_by {
        let _ = writeln!(text, "  superseded by {successor}");
    }
    Ok(Reply::new(text, json!(history)))
}
