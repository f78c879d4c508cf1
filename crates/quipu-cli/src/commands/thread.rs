//! `quipu thread`.

use quipu_core::facts::NewFact;
use quipu_core::secret::Scope;
use quipu_engine::facts::{Added, Choice};
use quipu_engine::report::Filter;
use serde_json::json;

use crate::cli::ThreadCommand;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, styled};

pub(crate) fn run(command: ThreadCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    match command {
        ThreadCommand::Open { text, id, allow_secret, not_secret, dry } => {
            let new = NewFact {
                text: context.vouched(&text, Scope::Memory, &not_secret)?,
                section: None,
                id,
                is_thread: true,
                allow_secret,
            };
            let request = context.request("thread open", dry.dry_run);
            let (added, diff) = workspace.add_fact(&new, &Choice::default(), &request)?;
            let Added::Written { id, .. } = added else {
                return Err(CommandError::input("refused", "the thread was not written"));
            };
            let done = format!("opened {}", styled(CYAN, &id));
            Ok(super::changed(
                context,
                &workspace,
                &done,
                dry.dry_run,
                &diff,
                json!({ "id": id, "state": "open" }),
            ))
        }
        ThreadCommand::Close { id, reopen, dry } => {
            let request =
                context.request(if reopen { "thread reopen" } else { "thread close" }, dry.dry_run);
            let diff = workspace.set_done(&id, !reopen, &request)?;
            let (verb, state) = if reopen { ("reopened", "open") } else { ("closed", "done") };
            let done = format!("{verb} {}", styled(CYAN, &id));
            Ok(super::changed(
                context,
                &workspace,
                &done,
                dry.dry_run,
                &diff,
                json!({ "id": id, "state": state }),
            ))
        }
        ThreadCommand::List { words, all } => {
            let filter = Filter {
                threads: true,
                done: all,
                matching: (!words.is_empty()).then(|| words.join(" ")),
                ..Filter::default()
            };
            let rows = workspace.list(&filter)?;
            super::tell_recovered(&workspace);
            let json = json!({ "threads": rows, "count": rows.len() });
            let exit = u8::from(rows.is_empty());
            Ok(Reply::new(super::fact::listed(&rows, "threads"), json).exit(exit))
        }
    }
}
