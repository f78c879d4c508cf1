//! `quipu doctor`.

use std::fmt::Write as _;

use quipu_core::text::counted;
use quipu_setup::doctor::{Check, Outcome};

use crate::cli::DoctorArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::machine::{checks_json, examined};
use crate::reply::{DIM, GREEN, RED, Reply, styled};

pub(crate) fn run(arguments: &DoctorArgs, context: &Context) -> Result<Reply, CommandError> {
    #[cfg(feature = "postgres")]
    if let Some(url) = &arguments.database {
        let url = url.clone().or_else(|| std::env::var("QUIPU_DATABASE").ok());
        let url = url.ok_or_else(|| {
            CommandError::usage("`--database` needs the address of one")
                .hint("`--database URL`, or QUIPU_DATABASE")
        })?;
        return Ok(reply(&super::doctor_database::examined(&url)?));
    }
    let checks = examined(arguments.home.as_ref(), !arguments.no_run, context)?;
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
        _ => styled(RED, counted(findings, "finding")),
    };
    let _ = writeln!(text, "{verdict}");
    let json = checks_json(checks);
    Reply::new(text, json).exit(u8::from(findings > 0))
}
