//! `quipu uninstall`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use quipu_setup::init::{RemovalPlan, Setup};
use quipu_setup::install::{Installer, Plan, Scope, UninstallRequest};
use serde_json::json;

use super::ask;
use super::git::changes_text;
use super::init::{file_text, files_json};
use super::install::{installer, left_out, plan_json, plan_text};
use crate::cli::UninstallArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::pool::real_fs;
use crate::reply::{BOLD, GREEN, Reply, YELLOW, styled};

/// What is said first, and holds whatever else is taken out.
const STAYS: &str = "memory stays: memory/ and its stamp .agent/version.md, legacy/, the journal and .quipu/ are not touched";
/// The same where there is no memory yet.
const GOES: &str =
    "nobody has written into the memory yet: it goes too, and only legacy/ would stay";

pub(crate) fn run(arguments: &UninstallArgs, context: &Context) -> Result<Reply, CommandError> {
    let installer = installer(&arguments.place, context)?;
    let request = UninstallRequest {
        clients: arguments.clients.clone(),
        force: arguments.force,
        edit: arguments.edit,
    };
    let clients = installer.uninstall(&request)?;
    let is_whole = arguments.clients.is_empty()
        && !arguments.clients_only
        && installer.scope() == Scope::Project;
    let setup = Setup::at(real_fs(), installer.root())?;
    let files = if is_whole { setup.plan_removal()? } else { RemovalPlan::default() };
    let has_error = clients.skipped.iter().any(|one| one.is_error);
    let exit = if has_error { 3 } else { 0 };
    let mut json = plan_json(&installer, &clients);
    json["project_files"] = json!(files_json(&files.files));
    json["git"] = json!(files.git);
    json["project_notes"] = json!(files.notes);
    json["memory_stays"] = json!(files.keeps_memory || !is_whole);
    json["dry_run"] = json!(arguments.dry.dry_run);
    json["applied"] = json!(false);
    if clients.is_empty() && files.is_empty() {
        let text = format!("{}nothing to change\n", left_out(&clients));
        let is_missing = clients.files.is_empty() && !clients.skipped.is_empty();
        return Ok(Reply::new(text, json).exit(if is_missing { exit.max(1) } else { exit }));
    }
    let text = text(&installer, &clients, &files);
    if arguments.dry.dry_run {
        let text = format!("{text}{}\n", styled(GREEN, "dry run: nothing was changed"));
        return Ok(Reply::new(text, json).exit(exit));
    }
    let mut said = text.clone();
    if !arguments.yes {
        let can_ask = io::stdin().is_terminal() && output::is_watched();
        if !can_ask || context.global.json {
            let advice = "`quipu uninstall --yes` carries it out";
            json["hint"] = json!(advice);
            let text = format!("{text}{}\n", styled(YELLOW, "nothing was changed yet"));
            return Ok(Reply::new(text, json).exit(exit.max(1)).advise(advice));
        }
        ask(&text)?;
        // It was shown with the question.
        said.clear();
    }
    let is_clear = setup.leave(&files, &installer, &clients, context.now())?;
    json["applied"] = json!(true);
    let done = if is_clear { "done; nothing of Quipu is left here" } else { "done" };
    let _ = writeln!(said, "{}", styled(GREEN, done));
    Ok(Reply::new(said, json).exit(exit))
}

fn text(installer: &Installer, clients: &Plan, files: &RemovalPlan) -> String {
    let mut text = String::new();
    if !files.is_empty() {
        let _ = writeln!(text, "{}", if files.keeps_memory { STAYS } else { GOES });
    }
    if !clients.is_empty() || !clients.skipped.is_empty() {
        text.push_str(&plan_text(installer, clients));
    } else {
        let _ = writeln!(text, "{}", styled(BOLD, installer.root().display()));
    }
    for file in &files.files {
        text.push_str(&file_text(file));
    }
    text.push_str(&changes_text(&files.git, installer.root()));
    for note in &files.notes {
        let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
    }
    text
}
