//! `quipu user …`: who the human is.

use quipu_engine::user::TEMPLATE;
use serde_json::json;

use super::edit::in_editor;
use crate::cli::UserCommand;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::Reply;

pub(crate) fn run(command: UserCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    match command {
        UserCommand::Show => {
            let text = workspace.user()?;
            let exit = u8::from(text.is_none());
            let data = json!({ "path": "USER.md", "text": text });
            let advice = if text.is_none() { "`quipu user edit` writes it" } else { "" };
            let shown = text.unwrap_or_else(|| "there is no USER.md yet\n".to_owned());
            Ok(Reply::new(shown, data).exit(exit).advise(advice))
        }
        UserCommand::Edit { text, allow_secret, dry } => {
            let (new, instead_of) = if let Some(text) = text {
                (context.text_or_stdin(&text)?, None)
            } else {
                let current = workspace.user()?.unwrap_or_else(|| TEMPLATE.to_owned());
                (in_editor(&current)?, Some(current))
            };
            let new = if new.is_empty() || new.ends_with('\n') { new } else { format!("{new}\n") };
            let request = context.request("user edit", dry.dry_run);
            let diff = workspace.set_user(&new, instead_of.as_deref(), allow_secret, &request)?;
            let data = json!({ "path": "USER.md" });
            Ok(super::changed(context, &workspace, "changed USER.md", dry.dry_run, &diff, data))
        }
    }
}
