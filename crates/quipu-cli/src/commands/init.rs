//! `quipu init`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use quipu_core::manifest::NEWEST_LAYOUT;
use quipu_core::migrate::vendor::Vendor;
use quipu_engine::workspace::Diff;
use quipu_setup::init::{
    Existing, FileChange, InitPlan, InitRequest, LeftAlone, Mode, Moved, Setup,
};
use quipu_setup::install::{Installer, Scope};
use serde_json::{Value, json};

use crate::cli::{self, InitArgs};
use crate::context::{Context, repository_root};
use crate::error::CommandError;
use crate::machine::machine;
use crate::output;
use crate::pool::real_fs;
use crate::reply::{BOLD, CYAN, DIM, GREEN, RED, Reply, YELLOW, diff_json, diff_text, styled};

/// So many facts are shown; more are counted.
const SHOWN: usize = 8;

pub(crate) fn run(arguments: &InitArgs, context: &Context) -> Result<Reply, CommandError> {
    let root = match &context.global.directory {
        Some(named) => named.clone(),
        None => repository_root(&context.start()),
    };
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let absolute = root.canonicalize().unwrap_or_else(|_| root.clone());
    if absolute.parent().is_none() || home.is_some_and(|home| home == absolute) {
        let message = format!("`{}` is no place for a project's memory", absolute.display());
        return Err(
            CommandError::input("init", message).hint("run it inside a repo, or name one with -C")
        );
    }
    let mut request = InitRequest {
        project: arguments.project.clone(),
        today: context.today(),
        version: env!("CARGO_PKG_VERSION"),
        existing: arguments.said().map(existing).unwrap_or_default(),
        used: used(&root),
        chosen: arguments
            .client
            .iter()
            .filter_map(|name| Some(Vendor::named(name)?.name))
            .collect(),
        include_ignored: arguments.include_ignored,
    };
    let setup = Setup::at(real_fs(), &root)?;
    let mut plan = setup.plan(&request)?;
    let may_ask = !arguments.yes && !arguments.dry.dry_run && arguments.said().is_none();
    let can_ask = io::stdin().is_terminal() && output::is_watched() && !context.global.json;
    if may_ask && can_ask && plan.mode != Mode::Enabled && !plan.waiting.is_empty() {
        request.existing = asked(&plan.waiting)?;
        plan = setup.plan(&request)?;
    }
    let mut json = plan_json(&plan, &absolute);
    json["dry_run"] = json!(arguments.dry.dry_run);
    json["applied"] = json!(false);
    let text = plan_text(&plan, &absolute, arguments.diff);
    if plan.is_empty() {
        return Ok(Reply::new(text, json));
    }
    if arguments.dry.dry_run {
        let text = format!("{text}{}\n", styled(GREEN, "dry run: nothing was changed"));
        return Ok(Reply::new(text, json));
    }
    let mut said = text;
    setup.carry_out(&plan, context.now())?;
    json["applied"] = json!(true);
    let _ = writeln!(said, "{}", styled(GREEN, done(&plan)));
    Ok(Reply::new(said, json).advise(advice(&plan)))
}

fn existing(said: cli::Existing) -> Existing {
    match said {
        cli::Existing::Keep => Existing::Keep,
        cli::Existing::Copy => Existing::Copy,
        cli::Existing::Move => Existing::Move,
    }
}

/// Asks a person what becomes of instructions that other tools were given.
fn asked(waiting: &[Moved]) -> Result<Existing, CommandError> {
    let failed = |error: io::Error| CommandError::usage(format!("cannot ask: {error}"));
    let files: Vec<&str> = waiting.iter().map(|one| one.from.as_str()).collect();
    let question = format!(
        "There are instructions for other tools: {}\n  k  keep them as they are\n  c  copy: they stay, and their rules become facts that \
         everybody sees\n  m  move them to legacy/; their rules become facts, and a pointer stands in their place\n[k] ",
        files.join(", ")
    );
    output::err(&question).map_err(failed)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(failed)?;
    match answer.trim().to_lowercase().as_str() {
        "" | "k" | "keep" | "n" | "no" => Ok(Existing::Keep),
        "c" | "copy" => Ok(Existing::Copy),
        "m" | "move" => Ok(Existing::Move),
        _ => Err(CommandError::input("cancelled", "cancelled; nothing was changed")),
    }
}

/// Returns the tools that are used on this machine and may need a pointer.
fn used(root: &Path) -> Vec<&'static str> {
    let Ok(machine) = machine(None) else { return Vec::new() };
    let seen = Installer::new(real_fs(), Scope::User, root, machine).seen().unwrap_or_default();
    let seen = seen.iter().filter(|one| !one.signs.is_empty()).map(|one| one.client.name);
    seen.filter_map(|name| match name {
        "claude-code" => Some("claude"),
        "gemini" => Some("gemini"),
        _ => None,
    })
    .collect()
}

fn done(plan: &InitPlan) -> &'static str {
    match plan.mode {
        Mode::Fresh => "set up",
        Mode::Migrate => "set up; `quipu undo` takes all of it back",
        Mode::Enabled => "brought up to date; `quipu undo` takes all of it back",
    }
}

fn advice(plan: &InitPlan) -> String {
    let mut advice = "nothing was committed; look at it with `git status`".to_owned();
    if plan.mode != Mode::Enabled {
        advice.push_str(
            "\nnext: `quipu install` connects your coding agents, `quipu harvest` proposes facts from your documents\n\
             then: `quipu fact add TEXT` for the team, `quipu remember TEXT` for you, `quipu recall QUESTION`",
        );
    }
    advice
}

fn plan_text(plan: &InitPlan, root: &Path, with_diff: bool) -> String {
    let place = styled(BOLD, root.display());
    let mut text = match (plan.mode, plan.found) {
        (Mode::Fresh, _) => format!("a new memory in {place}\n"),
        (Mode::Migrate, _) if plan.moved.is_empty() => {
            format!("a new memory in {place}\n")
        }
        (Mode::Migrate, _) => {
            let tools = tools(&plan.moved);
            format!("a new memory in {place}, with the rules for {tools}\n")
        }
        (Mode::Enabled, Some(found)) if plan.steps.is_empty() => {
            format!("the memory in {place} is up to date (layout {found})\n")
        }
        (Mode::Enabled, found) => {
            let found = found.map(|found| found.to_string()).unwrap_or_default();
            format!("the memory in {place} goes from layout {found} to {NEWEST_LAYOUT}\n")
        }
    };
    for step in &plan.steps {
        let _ = writeln!(text, "  {} {}", styled(CYAN, step.to), step.done.join("\n        "));
    }
    for file in &plan.files {
        text.push_str(&file_text(file));
    }
    if with_diff {
        text.push_str(&diff_text(&diff(&plan.files)));
    }
    text.push_str(&facts_text(plan));
    for LeftAlone { path, why } in &plan.left_alone {
        let _ = writeln!(text, "{} {path} {why}", styled(YELLOW, "left alone:"));
    }
    if !plan.waiting.is_empty() {
        let files: Vec<&str> = plan.waiting.iter().map(|one| one.from.as_str()).collect();
        let _ = writeln!(
            text,
            "{} {} (for {}); `quipu init --existing copy` makes facts of their rules, `--existing move` moves them to legacy/ too",
            styled(YELLOW, "kept as they are:"),
            files.join(", "),
            tools(&plan.waiting)
        );
    }
    for note in &plan.notes {
        let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
    }
    text
}

fn tools(moved: &[Moved]) -> String {
    let mut names: Vec<&str> = moved.iter().map(|one| one.vendor).collect();
    names.dedup();
    names.join(", ")
}

/// Returns a line about a changed file.
pub(super) fn file_text(file: &FileChange) -> String {
    let (style, mark) = match file {
        file if file.is_gone() => (RED, "-"),
        file if file.is_new() => (GREEN, "+"),
        _ => (YELLOW, "~"),
    };
    let note = if file.what.is_empty() { String::new() } else { format!("  ({})", file.what) };
    format!("  {} {}{}\n", styled(style, mark), file.path, styled(DIM, note))
}

fn facts_text(plan: &InitPlan) -> String {
    let mut text = String::new();
    if !plan.facts.is_empty() {
        let _ = writeln!(text, "{} rules become facts:", styled(BOLD, plan.facts.len()));
    }
    for fact in plan.facts.iter().take(SHOWN) {
        let from = styled(DIM, format!("[{}, {}]", fact.section, fact.origins.join(", ")));
        let _ = writeln!(text, "  {} {} {from}", styled(GREEN, "+"), fact.text);
    }
    if plan.facts.len() > SHOWN {
        let _ = writeln!(text, "    and {} more (`--diff` shows them)", plan.facts.len() - SHOWN);
    }
    for (_, words) in &plan.threads {
        let _ = writeln!(text, "  {} {words}", styled(YELLOW, "?"));
    }
    for (file, count) in &plan.left {
        let rules = if *count == 1 { "rule stays" } else { "rules stay" };
        let _ = writeln!(text, "  {count} {rules} in {file} alone");
    }
    text
}

fn diff(files: &[FileChange]) -> Diff {
    let text = |bytes: &Option<Vec<u8>>| {
        bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let of = |file: &FileChange| (file.path.clone(), text(&file.before), text(&file.after));
    Diff { files: files.iter().map(of).collect() }
}

/// Returns changed files as data.
pub(super) fn files_json(files: &[FileChange]) -> Vec<Value> {
    let diffs = diff_json(&diff(files));
    files
        .iter()
        .enumerate()
        .map(|(index, file)| {
            json!({
                "path": file.path, "new": file.is_new(), "removed": file.is_gone(),
                "what": file.what, "diff": diffs[index]["diff"],
            })
        })
        .collect()
}

fn plan_json(plan: &InitPlan, root: &Path) -> Value {
    let moved = |all: &[Moved]| -> Vec<Value> {
        let one = |one: &Moved| json!({ "vendor": one.vendor, "from": one.from, "to": one.to, "copy": one.is_copy });
        all.iter().map(one).collect()
    };
    let steps: Vec<Value> = plan
        .steps
        .iter()
        .map(|step| json!({ "to": step.to.to_string(), "done": step.done }))
        .collect();
    let facts: Vec<Value> = plan
        .facts
        .iter()
        .map(|fact| {
            json!({
                "id": fact.id, "text": fact.text, "section": fact.section, "origins": fact.origins,
            })
        })
        .collect();
    let threads: Vec<Value> =
        plan.threads.iter().map(|(id, text)| json!({ "id": id, "text": text })).collect();
    let left: Vec<Value> =
        plan.left.iter().map(|(path, rules)| json!({ "path": path, "rules": rules })).collect();
    let alone: Vec<Value> =
        plan.left_alone.iter().map(|one| json!({ "path": one.path, "why": one.why })).collect();
    json!({
        "mode": plan.mode.letter().to_string(),
        "root": root,
        "layout": plan.found.map(|found| found.to_string()),
        "newest": NEWEST_LAYOUT.to_string(),
        "up_to_date": plan.mode == Mode::Enabled && plan.steps.is_empty(),
        "steps": steps,
        "files": files_json(&plan.files),
        "moved": moved(&plan.moved),
        "not_taken_over": moved(&plan.waiting),
        "facts": facts,
        "threads": threads,
        "stays": left,
        "left_alone": alone,
        "notes": plan.notes,
    })
}
