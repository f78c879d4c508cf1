//! `quipu install`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use quipu_setup::install::{
    Action, Checked, Client, EntryPlan, EntryState, FilePlan, InstallRequest, Installer, Machine,
    NAME, Plan, Scope, Seen, program_line,
};
use serde_json::{Value, json};

use crate::cli::{InstallArgs, Where, Whom};
use crate::context::Context;
use crate::error::CommandError;
use crate::machine::{machine, project, seen_json};
use crate::output;
use crate::pool::real_fs;
use crate::reply::{BOLD, CYAN, DIM, GREEN, RED, Reply, YELLOW, styled, table};

pub(crate) fn run(arguments: &InstallArgs, context: &Context) -> Result<Reply, CommandError> {
    let place = asked_whom(arguments, context)?;
    let installer = installer(&place, context)?;
    if arguments.list {
        return Ok(list(&installer.seen()?));
    }
    if arguments.check {
        return Ok(checked(&installer, &installer.check(&arguments.clients)?));
    }
    let clients = chosen(arguments, &installer)?;
    let request = InstallRequest {
        clients,
        command: command(arguments, installer.machine())?,
        servers: !arguments.hooks_only,
        hooks: !arguments.mcp_only,
        after_tool: arguments.after_tool,
        plain: arguments.plain,
        force: arguments.force,
        version: env!("CARGO_PKG_VERSION"),
    };
    let plan = installer.plan(&request)?;
    let decision = Decision { dry_run: arguments.dry.dry_run, yes: arguments.yes };
    let reply = carry_out(&installer, &plan, decision, "install", context)?;
    let has_memory = context.workspace().is_ok() || installer.scope() == Scope::User;
    let advice = match (reply.json["applied"].as_bool(), has_memory) {
        (Some(true), true) => {
            "`quipu install --check` tells whether it stays so, `quipu uninstall` takes it back"
        }
        (Some(true), false) => "there is no memory here yet: `quipu init` makes one",
        _ => "",
    };
    Ok(if advice.is_empty() { reply } else { reply.advise(advice) })
}

/// Returns the installer for a project, or for the home folder.
pub(super) fn installer(place: &Where, context: &Context) -> Result<Installer, CommandError> {
    let machine = machine(place.home.as_ref())?;
    let scope = if place.is_user() { Scope::User } else { Scope::Project };
    let root = project(context)?;
    let is_home = machine.home.canonicalize().is_ok_and(|home| home == root);
    if scope == Scope::Project && (is_home || root.parent().is_none()) {
        let message = format!("`{}` is no project", root.display());
        return Err(CommandError::input("install", message)
            .hint("run it inside a repo or name one with -C; `--user` is for the home folder"));
    }
    Ok(Installer::new(real_fs(), scope, &root, machine))
}

/// Returns where to work; a person at a terminal who did not say is asked.
fn asked_whom(arguments: &InstallArgs, context: &Context) -> Result<Where, CommandError> {
    let mut place = arguments.place.clone();
    let can_ask = io::stdin().is_terminal() && output::is_watched() && !context.global.json;
    if place.is_said() || !arguments.asks() || !can_ask {
        return Ok(place);
    }
    let failed = |error: io::Error| CommandError::usage(format!("cannot ask: {error}"));
    output::err(
        "For whom?\n  m  for me: in my home folder, in every project of mine\n  t  for the team: in files of this project that git shares; \
         who has no Quipu notices nothing\n[t] ",
    )
    .map_err(failed)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(failed)?;
    place.whom = Some(match answer.trim().to_lowercase().as_str() {
        "m" | "me" => Whom::Me,
        "" | "t" | "team" => Whom::Team,
        _ => return Err(CommandError::input("cancelled", "cancelled; nothing was changed")),
    });
    Ok(place)
}

fn chosen(
    arguments: &InstallArgs,
    installer: &Installer,
) -> Result<Vec<&'static Client>, CommandError> {
    if !arguments.clients.is_empty() {
        let mut clients = Vec::new();
        for client in &arguments.clients {
            if !clients.iter().any(|known: &&Client| known.name == client.name) {
                clients.push(*client);
            }
        }
        return Ok(clients);
    }
    let seen = installer.seen()?;
    let found: Vec<_> = seen
        .iter()
        .filter(|seen| !seen.signs.is_empty() || seen.is_installed)
        .map(|seen| seen.client)
        .collect();
    if found.is_empty() {
        return Err(CommandError::input("no-client", "no client was found here")
            .hint("name one, such as `quipu install claude-code`; `--list` shows all"));
    }
    Ok(found)
}

fn command(arguments: &InstallArgs, machine: &Machine) -> Result<String, CommandError> {
    if let Some(command) = &arguments.command {
        return Ok(command.clone());
    }
    if machine.program(NAME).is_some() {
        return Ok(NAME.to_owned());
    }
    let own = std::env::current_exe()
        .map_err(|error| CommandError::input("io", format!("cannot tell where I am: {error}")))?;
    Ok(own.display().to_string())
}

/// What the caller has decided beforehand.
#[derive(Clone, Copy)]
pub(super) struct Decision {
    pub(super) dry_run: bool,
    pub(super) yes: bool,
}

/// Shows a plan, asks where it has to, and carries it out.
pub(super) fn carry_out(
    installer: &Installer,
    plan: &Plan,
    decision: Decision,
    verb: &str,
    context: &Context,
) -> Result<Reply, CommandError> {
    let has_error = plan.skipped.iter().any(|one| one.is_error);
    let exit = if has_error { 3 } else { 0 };
    let mut json = plan_json(installer, plan);
    json["dry_run"] = json!(decision.dry_run);
    json["applied"] = json!(false);
    if plan.is_empty() {
        let text = format!("{}{}nothing to change\n", left_out(plan), notes(plan));
        let is_missing = plan.files.is_empty() && !plan.skipped.is_empty();
        return Ok(Reply::new(text, json).exit(if is_missing { exit.max(1) } else { exit }));
    }
    let text = plan_text(installer, plan);
    if decision.dry_run {
        let text = format!("{text}{}\n", styled(GREEN, "dry run: nothing was changed"));
        return Ok(Reply::new(text, json).exit(exit));
    }
    let mut said = text.clone();
    if !decision.yes {
        let can_ask = io::stdin().is_terminal() && output::is_watched();
        if !can_ask || context.global.json {
            let text = format!("{text}{}\n", styled(YELLOW, "nothing was changed yet"));
            json["hint"] = json!(format!("`quipu {verb} --yes` carries it out"));
            return Ok(Reply::new(text, json)
                .exit(exit.max(1))
                .advise(format!("`quipu {verb} --yes` carries it out")));
        }
        super::ask(&text)?;
        // It was shown with the question.
        said.clear();
    }
    installer.carry_out(plan)?;
    json["applied"] = json!(true);
    let _ = writeln!(said, "{}", styled(GREEN, "done"));
    Ok(Reply::new(said, json).exit(exit))
}

pub(super) fn plan_text(installer: &Installer, plan: &Plan) -> String {
    let place = match installer.scope() {
        Scope::Project => format!("project {}", installer.root().display()),
        Scope::User => format!("home folder {}", installer.machine().home.display()),
    };
    let mut text = format!("{}\n", styled(BOLD, place));
    for file in &plan.files {
        let (style, mark, note) = match file {
            file if !file.changes() && file.has_foreign() => {
                (YELLOW, "!", "another entry is in our place; see below")
            }
            file if !file.changes() => (DIM, "=", "as it should be"),
            file if file.is_gone() => (RED, "-", "removed"),
            file if file.is_new() => (GREEN, "+", "new file"),
            _ => (YELLOW, "~", "the rest stays byte for byte"),
        };
        let note = styled(DIM, format!("({note})"));
        let _ = writeln!(text, "{} {} {note}", styled(style, mark), file.shown);
        for entry in file.entries.iter().filter(|entry| entry.action.changes()) {
            text.push_str(&entry_text(entry));
        }
    }
    text.push_str(&left_out(plan));
    text.push_str(&notes(plan));
    text
}

fn notes(plan: &Plan) -> String {
    let mut text = String::new();
    for note in &plan.notes {
        let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
    }
    text
}

fn entry_text(entry: &EntryPlan) -> String {
    let (style, mark) = match entry.action {
        Action::Remove => (RED, "-"),
        Action::Add => (GREEN, "+"),
        _ => (YELLOW, "~"),
    };
    // What goes may have words of others in it.
    let words =
        if entry.action == Action::Remove { String::new() } else { program_line(&entry.value) };
    let clients = entry.clients.join(", ");
    let line = format!("    {} {}  {words}", styled(style, mark), styled(CYAN, &entry.place));
    format!("{} {}\n", line.trim_end(), styled(DIM, format!("[{clients}]")))
}

pub(super) fn left_out(plan: &Plan) -> String {
    let mut text = String::new();
    for one in &plan.skipped {
        let (style, word) = if one.is_error { (RED, "skipped") } else { (YELLOW, "left out") };
        let _ = writeln!(text, "{} {}: {}", styled(style, word), one.client, one.why);
        let _ = writeln!(text, "    {}", styled(DIM, format!("→ {}", one.hint)));
    }
    text
}

pub(super) fn plan_json(installer: &Installer, plan: &Plan) -> Value {
    let entry = |entry: &EntryPlan| {
        let mut json = json!({
            "clients": entry.clients, "what": entry.what, "place": entry.place,
            "action": entry.action.as_str(),
        });
        if entry.action != Action::Remove {
            json["value"] = entry.value.clone();
        }
        json
    };
    let file = |file: &FilePlan| {
        json!({
            "path": file.path, "new": file.is_new(), "removed": file.is_gone(),
            "changed": file.changes(),
            "entries": file.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    };
    let skipped: Vec<Value> = plan
        .skipped
        .iter()
        .map(|one| json!({ "client": one.client, "why": one.why, "hint": one.hint, "error": one.is_error }))
        .collect();
    json!({
        "scope": installer.scope().as_str(),
        "root": installer.root(),
        "files": plan.files.iter().map(file).collect::<Vec<_>>(),
        "skipped": skipped,
        "notes": plan.notes,
    })
}

fn list(seen: &[Seen]) -> Reply {
    let rows = seen.iter().map(|one| {
        let found = if one.signs.is_empty() { "-".to_owned() } else { one.signs.join(", ") };
        let hooks = if one.client.has_hooks() { "server, hooks" } else { "server" };
        let installed = match (one.is_installed, one.has_scope) {
            (true, _) => "yes",
            (false, true) => "no",
            (false, false) => "only with --user",
        };
        let name = one.client.name.to_owned();
        vec![name, one.client.title.to_owned(), hooks.to_owned(), installed.to_owned(), found]
    });
    let text = table(&["client", "name", "gets", "installed", "found"], rows.collect());
    Reply::new(text, seen_json(seen))
}

fn checked(installer: &Installer, checked: &Checked) -> Reply {
    let entries: Vec<Value> = checked
        .entries
        .iter()
        .map(|one| {
            let why = match &one.state {
                EntryState::Unreadable { why } => Some(why),
                _ => None,
            };
            json!({
                "clients": one.clients, "what": one.what, "path": one.path, "place": one.place,
                "state": one.state.as_str(), "why": why, "recorded": one.is_recorded,
            })
        })
        .collect();
    let json = json!({
        "scope": checked.scope.as_str(), "right": checked.is_right(), "command": checked.command,
        "command_found": checked.command_is_there, "version": checked.version, "entries": entries,
    });
    if !checked.is_installed() {
        let flag = if installer.scope() == Scope::User { " --user" } else { "" };
        return Reply::new("nothing is installed\n", json)
            .exit(1)
            .advise(format!("`quipu install{flag}` connects the clients that are found"));
    }
    let mut text = String::new();
    for one in &checked.entries {
        let what = format!("{} {} in {}", one.clients.join(", "), one.place, one.path);
        let _ = match &one.state {
            EntryState::Right if !one.is_recorded => {
                let note = styled(DIM, "(not written by this machine)");
                writeln!(text, "{} {what} {note}", styled(GREEN, "ok  "))
            }
            EntryState::Right => writeln!(text, "{} {what}", styled(GREEN, "ok  ")),
            EntryState::Unreadable { why } => {
                writeln!(text, "{} {what}: {why}", styled(RED, "diff"))
            }
            EntryState::Foreign { command } => {
                let why = format!("it starts `{command}`, which is not this Quipu");
                writeln!(text, "{} {what}: {why}", styled(RED, "diff"))
            }
            state => writeln!(text, "{} {what}: {}", styled(RED, "diff"), state_words(state)),
        };
    }
    if !checked.command_is_there {
        let _ = writeln!(
            text,
            "{} the program `{}` is not found",
            styled(RED, "diff"),
            checked.command
        );
    }
    let reply = Reply::new(text, json).exit(u8::from(!checked.is_right()));
    if checked.is_right() {
        return reply;
    }
    reply.advise(
        "`quipu install` puts back what is missing, `--force` also what was changed by hand",
    )
}

/// Returns what is the matter with an entry.
pub(super) fn state_words(state: &EntryState) -> &'static str {
    match state {
        EntryState::Right => "as installed",
        EntryState::NoFile => "the file is gone",
        EntryState::Missing => "the entry is gone",
        EntryState::Changed => "the entry was changed",
        EntryState::Outdated => "this Quipu would write it differently",
        EntryState::Foreign { .. } => "another program is in our place",
        EntryState::Unreadable { .. } => "the file cannot be read",
    }
}
