//! `quipu edit`.

use std::io::Write as _;
use std::process::Command;

use serde_json::json;

use crate::cli::EditArgs;
use crate::context::{Context, text_or_stdin};
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, styled};

pub(crate) fn run(arguments: &EditArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let id = &arguments.id;
    let words = match &arguments.text {
        Some(text) => text_or_stdin(text)?,
        None => in_editor(&workspace.show(id)?.text)?,
    };
    let request = context.request("edit", arguments.dry.dry_run);
    let diff = workspace.rewrite(id, &words, arguments.allow_secret, &request)?;
    let done = format!("changed the words of {}", styled(CYAN, id));
    Ok(super::changed(&workspace, &done, arguments.dry.dry_run, &diff, json!({ "id": id })))
}

/// Lets a person change `text` in their editor.
fn in_editor(text: &str) -> Result<String, CommandError> {
    let editor = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok());
    let Some(editor) = editor.filter(|editor| !editor.trim().is_empty()) else {
        return Err(CommandError::usage("no editor is set")
            .hint("set $EDITOR, or give the words with --text"));
    };
    let failed = |error: std::io::Error| {
        CommandError::input("editor", format!("cannot run `{editor}`: {error}"))
    };
    let mut file =
        tempfile::Builder::new().prefix("quipu-").suffix(".md").tempfile().map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(program).args(words).arg(file.path()).status().map_err(failed)?;
    if !status.success() {
        return Err(CommandError::input("editor", "the editor gave up; nothing was changed"));
    }
    std::fs::read_to_string(file.path()).map_err(failed)
}
