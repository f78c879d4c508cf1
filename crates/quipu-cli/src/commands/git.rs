//! `quipu git`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quipu_core::finding::LintCode;
use quipu_engine::config::GuardMode;
use quipu_engine::fs::RealFs;
use quipu_engine::{Workspace, open};
use quipu_setup::vcs::{
    self, Change, Changes, DriverRequest, GuardReport, GuardRequest, InstallPlan,
};
use serde_json::json;

use crate::cli::{DryRun, GitCommand, GuardArgs, MergeArgs};
use crate::context::{Context, repository_root};
use crate::error::CommandError;
use crate::pool::real_fs;
use crate::reply::{BOLD, DIM, GREEN, RED, Reply, YELLOW, styled};

pub(crate) fn run(command: GitCommand, context: &Context) -> Result<Reply, CommandError> {
    match command {
        GitCommand::Install(dry) => install(dry, context),
        GitCommand::Uninstall(dry) => uninstall(dry, context),
        GitCommand::Status => status(context),
        GitCommand::Merge(arguments) => merge(&arguments, context),
        GitCommand::PreCommit(arguments) => pre_commit(&arguments, context),
        GitCommand::PostCommit(arguments) => Ok(post_commit(&arguments, context)),
    }
}

/// The workspace's folder; without one the repository's.
fn root(context: &Context) -> PathBuf {
    match context.workspace() {
        Ok(workspace) => workspace.root().to_owned(),
        Err(_) => repository_root(&context.start()),
    }
}

fn install(dry: DryRun, context: &Context) -> Result<Reply, CommandError> {
    let root = root(context);
    let binary = std::env::current_exe().map_err(|error| {
        CommandError::input("io", format!("cannot tell where quipu is: {error}"))
    })?;
    let plan =
        vcs::install(&RealFs, &root, &binary, dry.dry_run).map_err(quipu_engine::Error::from)?;
    let advice = "commit .gitattributes, so that the others' git asks for the driver too; each of them runs `quipu git install` once (without it their git merges as text)";
    Ok(told(&plan, &root, dry, "installed").advise(if dry.dry_run { "" } else { advice }))
}

fn uninstall(dry: DryRun, context: &Context) -> Result<Reply, CommandError> {
    let root = root(context);
    let plan = vcs::uninstall(&RealFs, &root, dry.dry_run).map_err(quipu_engine::Error::from)?;
    Ok(told(&plan, &root, dry, "taken out"))
}

fn told(plan: &InstallPlan, root: &Path, dry: DryRun, done: &str) -> Reply {
    let mut text = match (plan.changes.is_empty(), dry.dry_run) {
        (true, _) => format!("nothing to change: it is {done}\n"),
        (_, true) => "would change:\n".to_owned(),
        _ => format!("{done}:\n"),
    };
    text.push_str(&changes_text(&plan.changes, root));
    Reply::new(text, json!({ "dry_run": dry.dry_run, "changes": plan.changes }))
}

/// Returns changes for people, one a line.
pub(super) fn changes_text(changes: &[Change], root: &Path) -> String {
    let near = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let short = |path: &Path| path.strip_prefix(&near).unwrap_or(path).display().to_string();
    let mut text = String::new();
    for change in changes {
        let line = match change {
            Change::File { path, what } => {
                format!("  {} {} {}", styled(GREEN, "~"), short(path), styled(DIM, what))
            }
            Change::Config { key, what } => {
                format!("  {} git config {key} {}", styled(GREEN, "~"), styled(DIM, what))
            }
            Change::Skipped { path, why } => {
                format!("  {} {} left alone: {why}", styled(YELLOW, "!"), short(path))
            }
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

fn status(context: &Context) -> Result<Reply, CommandError> {
    let root = root(context);
    let state = vcs::state(&RealFs, &root).map_err(quipu_engine::Error::from)?;
    let word = |is_there: bool| if is_there { styled(GREEN, "yes") } else { styled(YELLOW, "no") };
    let mut text = format!(
        "{}\n  .gitattributes names the files: {}\n  git knows the driver: {}\n",
        styled(BOLD, "Quipu in this repository"),
        word(state.attributes),
        word(state.driver)
    );
    for (name, is_there) in &state.hooks {
        let _ = writeln!(text, "  {name} calls Quipu: {}", word(*is_there));
    }
    let is_whole = state.attributes && state.driver && state.hooks.iter().all(|(_, there)| *there);
    let advice = match (is_whole, state.attributes && state.driver && !state.hooks_are_own) {
        (true, _) => "",
        (_, true) => vcs::SHARED_HOOKS,
        _ => "`quipu git install` puts in what is missing",
    };
    let hooks: serde_json::Map<String, serde_json::Value> =
        state.hooks.iter().map(|(name, there)| ((*name).to_owned(), json!(there))).collect();
    let json = json!({
        "installed": is_whole, "attributes": state.attributes, "driver": state.driver,
        "hooks": hooks, "hooks_folder": state.hooks_folder,
    });
    Ok(Reply::new(text, json).advise(advice))
}

fn merge(arguments: &MergeArgs, context: &Context) -> Result<Reply, CommandError> {
    let root = context.start();
    let request = DriverRequest {
        root: &root,
        base: arguments.base.clone(),
        ours: arguments.current.clone(),
        theirs: arguments.other.clone(),
        path: &arguments.path,
        our_label: &arguments.ours,
        their_label: &arguments.theirs,
    };
    let merged = vcs::merge(&RealFs, &request).map_err(quipu_engine::Error::from)?;
    let mut text = String::new();
    for question in &merged.questions {
        let _ = writeln!(text, "quipu: {}: {}", arguments.path, question.text);
    }
    let questions: Vec<&str> = merged.questions.iter().map(|question| &*question.text).collect();
    Ok(Reply::new(text, json!({ "path": arguments.path, "questions": questions })))
}

fn guarded(
    workspace: &Workspace,
    changes: Changes,
    others: &[String],
) -> Result<GuardReport, CommandError> {
    let waived = workspace.small_file(".agent/secret-scan-ignore");
    let request = GuardRequest {
        changes,
        workspace: vcs::place(workspace.root()),
        others,
        waived: &waived.unwrap_or_default(),
    };
    vcs::guard(workspace.config(), &request).map_err(quipu_engine::Error::from)
}

fn told_findings(report: &GuardReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
        let is_log = finding.code == LintCode::LedgerChanged;
        let what = if is_log { "session log" } else { "secret?" };
        let _ = writeln!(
            text,
            "{} {}{line}  {}\n      {}",
            styled(if report.blocks { RED } else { YELLOW }, what),
            finding.path,
            finding.message,
            styled(DIM, format!("→ {}", finding.hint))
        );
    }
    text
}

fn pre_commit(arguments: &GuardArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = open::at_with(real_fs(), &root(context), &context.global.settings)?;
    let config = workspace.config();
    let report = guarded(&workspace, Changes::Staged, &arguments.not_in)?;
    let mut text = told_findings(&report);
    if report.blocks {
        let _ = writeln!(
            text,
            "{} nothing was committed. Bring back session logs. Redact what is marked and stage it again; `quipu:allow-secret` on a line lets it pass; QUIPU_GUARD_MODE=warn (or `guard.mode` in your own settings) only tells",
            styled(RED, "quipu:")
        );
    }
    let mode = match config.guard.on_commit() {
        GuardMode::Block => "block",
        GuardMode::Warn => "warn",
        GuardMode::Off => "off",
    };
    let json = json!({
        "mode": mode, "blocks": report.blocks, "files": report.files, "findings": report.findings,
    });
    Ok(Reply::new(text, json).exit(u8::from(report.blocks)))
}

fn post_commit(arguments: &GuardArgs, context: &Context) -> Reply {
    // After a commit there is nothing to refuse: whatever goes wrong here is no news to whoever commits.
    let workspace = context.workspace().ok();
    let said = workspace
        .as_ref()
        .and_then(|workspace| vcs::nudge(workspace, context.now()).ok().flatten());
    let mut text = said.as_ref().map_or_else(String::new, |said| format!("quipu: {said}\n"));
    // A cherry-pick, an amended commit, or one with --no-verify asked nobody before.
    let report = workspace
        .filter(|workspace| workspace.config().guard.on_commit() == GuardMode::Block)
        .and_then(|workspace| guarded(&workspace, Changes::Committed, &arguments.not_in).ok())
        .filter(|report| report.blocks);
    if let Some(report) = &report {
        text.push_str(&told_findings(report));
        let _ = writeln!(
            text,
            "{} this is committed now, and nothing was asked before. Redact it and `git commit --amend` before anybody has it; what was pushed has to be changed where it is valid",
            styled(RED, "quipu:")
        );
    }
    let findings = report.map_or_else(Vec::new, |report| report.findings);
    Reply::new(text, json!({ "nudge": said, "findings": findings }))
}
