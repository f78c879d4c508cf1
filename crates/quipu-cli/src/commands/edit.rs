//! `quipu edit`.

use std::io::Write as _;
use std::process::Command;

use quipu_core::facts::NewWords;
use quipu_core::item::Decision;
use quipu_core::secret::Scope;
use serde_json::json;

use crate::cli::EditArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, styled};

pub(crate) fn run(arguments: &EditArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let id = &arguments.id;
    let (text, instead_of) = if let Some(text) = &arguments.text {
        (context.vouched(text, Scope::Memory, &arguments.not_secret)?, None)
    } else {
        let current = workspace.show_any(id, arguments.allow_secret)?.text;
        (in_editor(&current)?, Some(current))
    };
    if workspace.show_any(id, arguments.allow_secret)?.kind == "record" {
        let decision = Decision::Edit { text };
        let request = context.request("edit", arguments.dry.dry_run);
        let item = workspace.decide(id, decision, "", &request)?;
        let verb = if request.dry_run { "would change" } else { "changed" };
        let text = format!("{verb} the words of {}\n", styled(CYAN, &item.id));
        let data = json!({ "id": item.id, "text": item.text, "dry_run": request.dry_run });
        return Ok(Reply::new(text, data).advise("the old words stay in `quipu history`"));
    }
    let words = NewWords {
        text: &text,
        instead_of: instead_of.as_deref(),
        allow_secret: arguments.allow_secret,
        confirmed: arguments.confirm_core,
    };
    let request = context.request("edit", arguments.dry.dry_run);
    let diff = workspace.rewrite(id, &words, &request)?;
    let done = format!("changed the words of {}", styled(CYAN, id));
    Ok(super::changed(
        context,
        &workspace,
        &done,
        arguments.dry.dry_run,
        &diff,
        json!({ "id": id }),
    ))
}

/// Lets a person change `text` in their editor.
pub(super) fn in_editor(text: &str) -> Result<String, CommandError> {
    let set = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        return Err(CommandError::usage("no editor is set")
            .hint("set $EDITOR, or give the words with --text"));
    };
    let failed = |error: std::io::Error| {
        CommandError::input("editor", format!("cannot run `{editor}`: {error}"))
    };
    let mut file =
        tempfile::Builder::new().prefix("quipu-").suffix(".md").tempfile().map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
    // A shell reads the setting, as it does for git: it may have arguments and quotes.
    let command = format!("{editor} \"$1\"");
    let status = Command::new("sh")
        .args(["-c", &command, "sh"])
        .arg(file.path())
        .status()
        .map_err(failed)?;
    if !status.success() {
        return Err(CommandError::input("editor", "the editor gave up; nothing was changed"));
    }
    std::fs::read_to_string(file.path()).map_err(failed)
}
