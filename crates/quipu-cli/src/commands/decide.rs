//! What is decided about a memory: `forget`, `restore`, `purge`, `memory …`.

use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _};

use quipu_core::item::{Decision, Item, Kind, Layer, Status};
use quipu_engine::Workspace;
use quipu_engine::caller::Caller;
use quipu_engine::operation::Request;
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

fn found(workspace: &Workspace, id: &str) -> Result<Item, CommandError> {
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
    let purged = if let Some(id) = &arguments.id {
        workspace.purge(id, &arguments.reason, &request)?
    } else {
        let (value, is_short_meant) = (asked_value()?, arguments.yes_short);
        workspace.purge_value(&value, &arguments.reason, is_short_meant, &request)?
    };
    let mut data = json!(purged);
    data["dry_run"] = json!(!arguments.yes);
    if purged.files.is_empty() && arguments.value {
        let mut text = "the value is nowhere in this memory\n".to_owned();
        not_reached(&mut text, &purged.not_reached);
        return Ok(Reply::new(text, data).exit(1));
    }
    let mut text = String::new();
    if purged.resumed {
        text.push_str("finished a purge that had been interrupted\n");
    }
    let verb = if arguments.yes { "removed" } else { "would remove" };
    let what = match &arguments.id {
        Some(_) => format!("the words of {}", styled(CYAN, &purged.id)),
        None => "the value".to_owned(),
    };
    let _ = writeln!(text, "{verb} {what} from:");
    for file in &purged.files {
        let _ = writeln!(text, "  {file}");
    }
    if arguments.id.is_some() {
        text.push_str("  the index\n");
    }
    if !purged.renamed.is_empty() {
        let new = purged.renamed.join(", ");
        let _ = writeln!(text, "ids that were made of the words are called now: {new}");
    }
    not_reached(&mut text, &purged.not_reached);
    let reply = Reply::new(text, data);
    if arguments.yes {
        return Ok(reply);
    }
    if arguments.dry.dry_run {
        return Ok(reply.advise("nothing was changed"));
    }
    Ok(reply.exit(1).advise("this cannot be undone: run it again with --yes"))
}

fn not_reached(text: &mut String, places: &[String]) {
    for place in places {
        let _ = writeln!(text, "{} {place}", styled(YELLOW, "not reached:"));
    }
}

/// Asks for a value on the terminal without showing it, or reads a line of what is piped in. It is
/// never an argument: other users see those in the list of processes, and shells keep them.
fn asked_value() -> Result<String, CommandError> {
    let reading = |error: std::io::Error| {
        CommandError::input("no-value", format!("the value cannot be read: {error}"))
    };
    let line = if std::io::stdin().is_terminal() {
        let terminal = console::Term::stderr();
        terminal.write_str("Value to remove (not shown): ").map_err(reading)?;
        terminal.read_secure_line().map_err(reading)?
    } else {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(reading)?;
        line
    };
    let value = line.trim_end_matches(['\n', '\r']);
    if value.trim().is_empty() {
        let hint =
            "type it when asked, or pipe it in: `pass show x | quipu purge --value -r leaked`";
        return Err(CommandError::input("no-value", "no value was given").hint(hint));
    }
    Ok(value.to_owned())
}

pub(crate) fn memory(command: MemoryCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let request = context.request("memory", false);
    if let MemoryCommand::Similar { id, count } = command {
        return similar(&workspace, &id, count, context);
    }
    let mut text = String::new();
    let mut rows = Vec::new();
    let decisions = decisions(&workspace, command, &request.caller)?;
    let words: Vec<String> = decisions
        .iter()
        .map(|(_, decision, _)| match decision {
            Decision::Status { to, .. } => format!("{to} from now on"),
            other => other.in_words(),
        })
        .collect();
    for (item, words) in workspace.decide_all(decisions, &request)?.into_iter().zip(words) {
        let _ = writeln!(text, "{}: {words}", styled(CYAN, &item.id));
        rows.push(json!({
            "id": item.id, "status": item.status, "layer": item.layer, "pinned": item.pinned,
            "tags": item.tags, "links": item.links, "notes": item.notes,
            "confirmed_by": item.confirmed_by, "merged_into": item.merged_into,
        }));
    }
    // Several decisions about one item: the last tells how it stands.
    rows.dedup_by(|later, earlier| {
        let is_same = later["id"] == earlier["id"];
        if is_same {
            *earlier = later.take();
        }
        is_same
    });
    let data = if rows.len() == 1 { rows.remove(0) } else { json!({ "items": rows }) };
    Ok(Reply::new(text, data).advise("`quipu history ID` tells what happened to it"))
}

/// What a command decides, about which items, and why.
fn decisions(
    workspace: &Workspace,
    command: MemoryCommand,
    caller: &Caller<'_>,
) -> Result<Vec<(String, Decision, String)>, CommandError> {
    let status = |to| Decision::Status { from: Status::Active, to };
    let plain = String::new();
    Ok(match command {
        MemoryCommand::Similar { .. } => Vec::new(),
        MemoryCommand::Pin { id, reason } => vec![(id, Decision::Pin { pinned: true }, reason)],
        MemoryCommand::Unpin { id, reason } => vec![(id, Decision::Pin { pinned: false }, reason)],
        MemoryCommand::Tag { id, tags, remove } => {
            vec![(id, Decision::Tag { add: tags, remove }, plain)]
        }
        MemoryCommand::Link { id, to, relation, remove } => {
            vec![(id, Decision::Link { to, relation, remove }, plain)]
        }
        MemoryCommand::Annotate { id, note } => vec![(id, Decision::Annotate { note }, plain)],
        MemoryCommand::Status { id, status: to, reason } => vec![(id, status(to), reason)],
        MemoryCommand::Challenge { id, reason } => vec![(id, status(Status::Challenged), reason)],
        MemoryCommand::Invalidate { id, reason } => {
            vec![(id, status(Status::Invalidated), reason)]
        }
        MemoryCommand::Promote { id, to, reason } => {
            let item = found(workspace, &id)?;
            let to = to.or_else(|| beside(item.layer, 1)).ok_or_else(|| no_layer(&item))?;
            vec![(item.id, Decision::Layer { from: item.layer, to }, reason)]
        }
        MemoryCommand::Demote { id, to, reason } => {
            let item = found(workspace, &id)?;
            let to = to.or_else(|| beside(item.layer, -1)).ok_or_else(|| no_layer(&item))?;
            vec![(item.id, Decision::Layer { from: item.layer, to }, reason)]
        }
        MemoryCommand::Confirm { id, by, reason } => {
            let item = found(workspace, &id)?;
            let by = caller.signature(by.as_deref()).map_err(quipu_engine::Error::from)?;
            let mut all = vec![(item.id.clone(), Decision::Confirm { by }, reason.clone())];
            if item.status == Status::Challenged {
                all.push((item.id, status(Status::Active), reason));
            }
            all
        }
        MemoryCommand::Merge { ids, into, reason } => ids
            .into_iter()
            .map(|id| (id, Decision::Merge { into: into.clone() }, reason.clone()))
            .collect(),
        MemoryCommand::Unmerge { id, reason } => {
            let item = found(workspace, &id)?;
            if item.status != Status::Merged {
                let message = format!("`{}` is {}, and not merged", item.id, item.status);
                return Err(CommandError::input("transition", message));
            }
            vec![(item.id, status(Status::Active), reason)]
        }
    })
}

/// Returns the layer above or below, of those that lead into each other.
fn beside(layer: Layer, step: isize) -> Option<Layer> {
    const CHAIN: [Layer; 3] = [Layer::Working, Layer::Episodic, Layer::Semantic];
    let at = CHAIN.iter().position(|one| *one == layer)?;
    CHAIN.get(at.checked_add_signed(step)?).copied()
}

fn no_layer(item: &Item) -> CommandError {
    let message = format!("`{}` is {}, and there is no next layer", item.id, item.layer);
    CommandError::input("transition", message).hint("name one with --to")
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
