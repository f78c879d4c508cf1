//! What is decided about a memory: `forget`, `restore`, `purge`, `memory …`.

use std::fmt::Write as _;

use quipu_core::item::{Decision, Kind, Status};
use quipu_engine::Workspace;
use quipu_engine::operations::Request;
use quipu_engine::recall::Question;
use serde_json::json;

use super::recall;
use crate::cli::{MemoryCommand, PurgeArgs, ReasonArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, Reply, YELLOW, styled};

pub(crate) fn forget(arguments: &ReasonArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let item = found(&workspace, &arguments.id)?;
    let request = context.request("forget", arguments.dry.dry_run);
    if !matches!(item.kind, Kind::Fact | Kind::Thread) {
        return status(&workspace, &item.id, Status::Archived, arguments, &request);
    }
    // Files own what is in them: a fact is forgotten by moving it to the archive.
    let diff = workspace.archive(std::slice::from_ref(&item.id), &request)?;
    let done = format!("moved {} to the archive", styled(CYAN, &item.id));
    let data = json!({ "id": item.id, "status": "archived" });
    Ok(super::changed(context, &workspace, &done, request.dry_run, &diff, data))
}

pub(crate) fn restore(arguments: &ReasonArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let item = found(&workspace, &arguments.id)?;
    let request = context.request("restore", arguments.dry.dry_run);
    if item.kind != Kind::Archived {
        return status(&workspace, &item.id, Status::Active, arguments, &request);
    }
    let diff = workspace.reactivate(std::slice::from_ref(&item.id), &request)?;
    let done = format!("brought {} back from the archive", styled(CYAN, &item.id));
    let data = json!({ "id": item.id, "status": "active" });
    Ok(super::changed(context, &workspace, &done, request.dry_run, &diff, data))
}

fn found(workspace: &Workspace, id: &str) -> Result<quipu_core::item::Item, CommandError> {
    workspace.freshen()?;
    Ok(workspace.resolve(id)?)
}

fn status(
    workspace: &Workspace,
    id: &str,
    to: Status,
    arguments: &ReasonArgs,
    request: &Request<'_>,
) -> Result<Reply, CommandError> {
    let decision = Decision::Status { from: Status::Active, to };
    let item = workspace.decide(id, decision, &arguments.reason, request)?;
    let verb = if request.dry_run { "would be" } else { "is" };
    let text = format!("{} {verb} {}\n", styled(CYAN, &item.id), item.status);
    let data = json!({ "id": item.id, "status": item.status, "dry_run": request.dry_run });
    let back = match to {
        Status::Active => format!("`quipu forget {id}` takes it back"),
        _ => format!("`quipu restore {id}` takes it back"),
    };
    Ok(Reply::new(text, data).advise(back))
}

pub(crate) fn purge(arguments: &PurgeArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let request = context.request("purge", !arguments.yes);
    let purged = workspace.purge(&arguments.id, &arguments.reason, &request)?;
    let mut text = String::new();
    let verb = if arguments.yes { "removed" } else { "would remove" };
    let _ = writeln!(text, "{verb} the words of {} from:", styled(CYAN, &purged.id));
    for file in &purged.files {
        let _ = writeln!(text, "  {file}");
    }
    text.push_str("  the index\n");
    for place in &purged.not_reached {
        let _ = writeln!(text, "{} {place}", styled(YELLOW, "not reached:"));
    }
    let mut data = json!(purged);
    data["dry_run"] = json!(!arguments.yes);
    let reply = Reply::new(text, data);
    if arguments.yes {
        return Ok(reply);
    }
    Ok(reply.exit(1).advise("this cannot be undone: run it again with --yes"))
}

pub(crate) fn memory(command: MemoryCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let request = context.request("memory", false);
    let mut why = String::new();
    let (id, decision) = match command {
        MemoryCommand::Pin { id, reason } => {
            why = reason;
            (id, Decision::Pin { pinned: true })
        }
        MemoryCommand::Unpin { id, reason } => {
            why = reason;
            (id, Decision::Pin { pinned: false })
        }
        MemoryCommand::Similar { id, count } => return similar(&workspace, &id, count, context),
        MemoryCommand::Tag { id, tags, remove } => (id, Decision::Tag { add: tags, remove }),
        MemoryCommand::Link { id, to, relation, remove } => {
            (id, Decision::Link { to, relation, remove })
        }
        MemoryCommand::Annotate { id, note } => (id, Decision::Annotate { note }),
    };
    let words = decision.in_words();
    let item = workspace.decide(&id, decision, &why, &request)?;
    let text = format!("{}: {words}\n", styled(CYAN, &item.id));
    let data = json!({ "id": item.id, "pinned": item.pinned, "tags": item.tags, "links": item.links, "notes": item.notes });
    Ok(Reply::new(text, data))
}

fn similar(
    workspace: &Workspace,
    id: &str,
    count: usize,
    context: &Context,
) -> Result<Reply, CommandError> {
    let item = found(workspace, id)?;
    // Words of a secret would show in what is like it.
    workspace.show(&item.id)?;
    let question = Question {
        query: item.text.clone(),
        count: Some(count.saturating_add(1)),
        ..Question::default()
    };
    let mut recalled = workspace.recall(&question, context.now())?;
    recalled.results.retain(|answer| answer.id != item.id);
    recalled.results.truncate(count);
    let exit = u8::from(recalled.results.is_empty());
    Ok(Reply::new(recall::words(&recalled, true), json!(recalled)).exit(exit))
}
