//! `quipu init`.

use std::fmt::Write as _;

use quipu_engine::init::{InitRequest, init};
use serde_json::json;

use crate::cli::InitArgs;
use crate::context::{Context, real_fs, repository_root};
use crate::error::CommandError;
use crate::reply::{BOLD, DIM, GREEN, Reply, styled};

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
    let request = InitRequest {
        project: arguments.project.clone(),
        today: context.today(),
        now: context.now(),
        version: env!("CARGO_PKG_VERSION"),
        dry_run: arguments.dry.dry_run,
    };
    let written = init(real_fs(), &root, &request)?;
    let verb = if request.dry_run { "would set up" } else { "set up" };
    let mut text = format!("{verb} a memory in {}\n", styled(BOLD, absolute.display()));
    for file in &written {
        let (mark, note) =
            if file.is_new { ("+", "") } else { ("~", " (block added, the rest untouched)") };
        let _ = writeln!(text, "  {} {}{}", styled(GREEN, mark), file.path, styled(DIM, note));
    }
    let files: Vec<_> =
        written.iter().map(|file| json!({ "path": file.path, "new": file.is_new })).collect();
    let json = json!({ "mode": "A", "root": absolute, "dry_run": request.dry_run, "files": files });
    let advice = "nothing was committed; look at it with `git status`\n\
                  next: `quipu session start --agent NAME`, `quipu fact add TEXT`, `quipu recall QUESTION`, `quipu session end`";
    Ok(Reply::new(text, json).advise(if request.dry_run { "" } else { advice }))
}
