//! `quipu doctor`.

use std::fmt::Write as _;

use quipu_setup::doctor::{Check, Outcome, Patient, examine};
use quipu_setup::install::{Installer, Scope};
use serde_json::{Value, json};

use super::install::{machine, project};
use crate::cli::DoctorArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::pool::real_fs;
use crate::reply::{DIM, GREEN, RED, Reply, styled};

pub(crate) fn run(arguments: &DoctorArgs, context: &Context) -> Result<Reply, CommandError> {
    let machine = machine(arguments.home.as_ref())?;
    let root = project(context)?;
    let installer = |scope: Scope| Installer::new(real_fs(), scope, &root, machine.clone());
    let failed = |error| CommandError::input("io", format!("cannot make a folder: {error}"));
    let own = std::env::current_exe().map_err(|error| {
        CommandError::input("io", format!("cannot find the path of this program: {error}"))
    })?;
    let scratch = if arguments.no_run { None } else { Some(tempfile::tempdir().map_err(failed)?) };
    let checks = examine(
        &real_fs(),
        &Patient {
            project: &installer(Scope::Project),
            user: &installer(Scope::User),
            settings: &context.global.settings,
            version: env!("CARGO_PKG_VERSION"),
            own: &own,
            scratch: scratch.as_ref().map(tempfile::TempDir::path),
        },
    );
    Ok(reply(&checks))
}

fn reply(checks: &[Check]) -> Reply {
    let findings = checks.iter().filter(|check| check.is_wrong()).count();
    let mut text = String::new();
    for check in checks {
        let name = check.name;
        let _ = match &check.outcome {
            Outcome::Fine { detail } => {
                writeln!(text, "{} {name:<12} {}", styled(GREEN, "ok   "), styled(DIM, detail))
            }
            Outcome::Skipped { why } => {
                writeln!(text, "{} {name:<12} {}", styled(DIM, "skip "), styled(DIM, why))
            }
            Outcome::Wrong { what, why, mend } => writeln!(
                text,
                "{} {name:<12} {what}\n                   {}\n                   {}",
                styled(RED, "wrong"),
                styled(DIM, why),
                styled(DIM, format!("→ {mend}"))
            ),
        };
    }
    let verdict = match findings {
        0 => styled(GREEN, "all is well"),
        _ => styled(RED, format!("{findings} finding(s)")),
    };
    let _ = writeln!(text, "{verdict}");
    let json = json!({
        "findings": findings,
        "checks": checks.iter().map(check_json).collect::<Vec<_>>(),
    });
    Reply::new(text, json).exit(u8::from(findings > 0))
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
