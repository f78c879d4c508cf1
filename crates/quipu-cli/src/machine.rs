//! This machine: its clients, the project that they are opened in, and what is wrong with the installation.

use std::path::PathBuf;

use quipu_setup::doctor::{Check, Outcome, Patient, examine};
use quipu_setup::install::{Installer, Machine, Scope, Seen};
use serde_json::{Value, json};

use crate::context::{Context, repository_root};
use crate::error::CommandError;
use crate::pool::real_fs;

/// Returns the machine, or the one that a caller describes.
pub(crate) fn machine(home: Option<&PathBuf>) -> Result<Machine, CommandError> {
    let variable = |name: &str| std::env::var_os(name);
    let machine = match home {
        Some(home) => Some(Machine::at(absolute(home), variable("PATH"))),
        None => Machine::from_environment(variable),
    };
    machine.ok_or_else(|| {
        CommandError::input("no-home", "there is no home folder").hint("set HOME to yours")
    })
}

/// Returns the root of the project: the memory's or the repository's, whichever is nearer, since that is
/// where clients are opened; otherwise the folder itself.
pub(crate) fn project(context: &Context) -> Result<PathBuf, CommandError> {
    let start = context.start();
    if !start.is_dir() {
        return Err(CommandError::usage(format!("`{}` is not a folder", start.display())));
    }
    let memory = context.workspace().ok().map(|workspace| absolute(workspace.root()));
    let repository = Some(absolute(&repository_root(&absolute(&start))));
    let repository = repository.filter(|root| root.join(".git").exists());
    let nearer = memory.into_iter().chain(repository).max_by_key(|root| root.components().count());
    Ok(nearer.unwrap_or_else(|| absolute(&start)))
}

fn absolute(path: &std::path::Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// Finds out what is wrong with the installation. With `runs` it starts programs, as clients do.
pub(crate) fn examined(
    home: Option<&PathBuf>,
    runs: bool,
    context: &Context,
) -> Result<Vec<Check>, CommandError> {
    let machine = machine(home)?;
    let root = project(context)?;
    let installer = |scope: Scope| Installer::new(real_fs(), scope, &root, machine.clone());
    let failed = |error| CommandError::input("io", format!("cannot make a folder: {error}"));
    let own = std::env::current_exe().map_err(|error| {
        CommandError::input("io", format!("cannot find the path of this program: {error}"))
    })?;
    let scratch = if runs { Some(tempfile::tempdir().map_err(failed)?) } else { None };
    Ok(examine(
        &real_fs(),
        &Patient {
            project: &installer(Scope::Project),
            user: &installer(Scope::User),
            settings: &context.global.settings,
            version: env!("CARGO_PKG_VERSION"),
            own: &own,
            scratch: scratch.as_ref().map(tempfile::TempDir::path),
        },
    ))
}

/// Returns what was found out as data.
pub(crate) fn checks_json(checks: &[Check]) -> Value {
    json!({
        "findings": checks.iter().filter(|check| check.is_wrong()).count(),
        "checks": checks.iter().map(check_json).collect::<Vec<_>>(),
    })
}

fn check_json(check: &Check) -> Value {
    match &check.outcome {
        Outcome::Fine { detail } => {
            json!({ "name": check.name, "state": "fine", "detail": detail })
        }
        Outcome::Skipped { why } => json!({ "name": check.name, "state": "skipped", "why": why }),
        Outcome::Wrong { what, why, mend } => {
            json!({ "name": check.name, "state": "wrong", "what": what, "why": why, "mend": mend })
        }
    }
}

/// Returns the clients that are found here.
pub(crate) fn seen(context: &Context) -> Result<Vec<Seen>, CommandError> {
    let (machine, root) = (machine(None)?, project(context)?);
    Installer::new(real_fs(), Scope::Project, &root, machine).seen()
}

/// Returns clients as data.
pub(crate) fn seen_json(seen: &[Seen]) -> Value {
    let one = |one: &Seen| {
        json!({
            "client": one.client.name, "title": one.client.title,
            "hooks": one.client.has_hooks(), "found": one.signs,
            "installed": one.is_installed, "in_scope": one.has_scope,
        })
    };
    json!({ "clients": seen.iter().map(one).collect::<Vec<_>>() })
}
