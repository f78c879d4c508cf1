//! `quipu sync`.

use std::fmt::Write as _;

use quipu_engine::open;
use quipu_engine::operation::Request;
use quipu_engine::sync::{self, Kept, Settings, Synced};
use quipu_engine::workspace::{Workspace, user_folder};
use serde_json::json;

use crate::cli::SyncCommand;
use crate::context::Context;
use crate::error::CommandError;
use crate::pool::real_fs;
use crate::reply::{BOLD, DIM, GREEN, Reply, YELLOW, styled};

/// The folder of the user's own memory in the repository.
const USER: &str = "user";

pub(crate) fn run(command: Option<&SyncCommand>, context: &Context) -> Result<Reply, CommandError> {
    match command {
        Some(SyncCommand::Init { remote, project }) => init(remote, project.as_deref(), context),
        Some(SyncCommand::Status) => status(context),
        Some(SyncCommand::Off) => off(context),
        None => all(context),
    }
}

/// Returns the user's own memory, which may hold nothing yet.
fn user(context: &Context) -> Result<Workspace, CommandError> {
    let folder = user_folder()
        .ok_or_else(|| CommandError::input("no-home", "nothing says where your own memory is"))?;
    let workspace = open::at_with(real_fs(), &folder, &context.global.settings)?;
    let workspace = workspace.with_user_scope(Some(folder));
    workspace.user_scope_to_write()?;
    Ok(workspace)
}

fn init(remote: &str, project: Option<&str>, context: &Context) -> Result<Reply, CommandError> {
    let settings = if let Some(name) = project {
        let workspace = context.workspace()?;
        let folder =
            workspace.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = if name.is_empty() { &folder } else { name };
        sync::begin(&workspace, remote, &format!("projects/{name}"))?
    } else {
        sync::begin(&user(context)?, remote, USER)?
    };
    let text =
        format!("{} is kept in {}\n", styled(BOLD, whose(&settings.folder)), settings.remote);
    Ok(Reply::new(text, json!({ "settings": settings }))
        .advise("next: `quipu sync`; who can read that repository can read the memory in it"))
}

fn whose(folder: &str) -> String {
    match folder.strip_prefix("projects/") {
        Some(name) => format!("the private memory of `{name}`"),
        None => "your own memory".to_owned(),
    }
}

/// Does something with every memory that is synced: the user's own, and that of the project around.
fn each<T>(
    context: &Context,
    mut work: impl FnMut(&Workspace) -> Result<T, CommandError>,
) -> Result<Vec<T>, CommandError> {
    let mut done = Vec::new();
    let user = user(context)?;
    if sync::settings(&user).is_some() {
        done.push(work(&user)?);
    }
    if let Ok(project) = context.glimpse()
        && project.root() != user.root()
        && sync::settings(&project).is_some()
    {
        done.push(work(&project)?);
    }
    Ok(done)
}

fn all(context: &Context) -> Result<Reply, CommandError> {
    let done = each(context, |workspace| {
        let request = Request {
            operation: "sync",
            now: context.now(),
            today: context.today(),
            session: None,
            dry_run: false,
            caller: context.caller(),
        };
        sync::sync(workspace, &request)
    })?;
    if done.is_empty() {
        return Err(sync::SyncError::Off.into());
    }
    let mut text = String::new();
    for one in &done {
        synced_text(one, &mut text);
    }
    Ok(Reply::new(text, json!({ "synced": done })))
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

fn synced_text(one: &Synced, text: &mut String) {
    let name = styled(BOLD, whose(&one.folder));
    if one.received.is_empty() && one.sent.is_empty() {
        let _ = writeln!(text, "{name}: nothing new");
    } else {
        let (received, sent) = (files(one.received.len()), files(one.sent.len()));
        let _ =
            writeln!(text, "{name}: {} {received} received, {sent} sent", styled(GREEN, "done,"));
    }
    for id in &one.purged {
        let _ = writeln!(text, "  {id} was purged on another machine, and is purged here too");
    }
    if one.forgot_history {
        let _ = writeln!(
            text,
            "  the repository's history was dropped, because it led to purged words"
        );
    }
    kept_text(&one.kept, text);
}

fn kept_text(kept: &[Kept], text: &mut String) {
    for one in kept {
        let what = one.id.as_deref().unwrap_or("a line");
        let place = styled(DIM, format!("({})", one.path));
        let _ = writeln!(
            text,
            "  {} {what} stays here: it looks like a credential ({}) {place}",
            styled(YELLOW, "!"),
            one.why
        );
    }
}

fn status(context: &Context) -> Result<Reply, CommandError> {
    let all: Vec<Settings> =
        each(context, |workspace| Ok(sync::settings(workspace)))?.into_iter().flatten().collect();
    let json = json!({ "synced": all });
    if all.is_empty() {
        return Ok(Reply::new("nothing is synced\n", json)
            .advise("`quipu sync init URL` names a private git repository of yours"));
    }
    let mut text = String::new();
    for one in &all {
        let last = one.last.map_or_else(
            || "not yet".to_owned(),
            |last| last.strftime("%Y-%m-%d %H:%MZ").to_string(),
        );
        let _ = writeln!(text, "{}: {}, last {last}", styled(BOLD, whose(&one.folder)), one.remote);
        kept_text(&one.kept, &mut text);
    }
    Ok(Reply::new(text, json))
}

fn off(context: &Context) -> Result<Reply, CommandError> {
    let ended = each(context, |workspace| {
        let folder = sync::settings(workspace).map(|one| one.folder);
        sync::end(workspace)?;
        Ok(folder)
    })?;
    let ended: Vec<String> = ended.into_iter().flatten().collect();
    let mut text = String::new();
    for folder in &ended {
        let name = whose(folder);
        let _ = writeln!(text, "{name} is no longer synced; the repository keeps what it has");
    }
    if ended.is_empty() {
        text.push_str("nothing was synced\n");
    }
    Ok(Reply::new(text, json!({ "ended": ended })))
}
