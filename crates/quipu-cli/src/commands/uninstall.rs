//! `quipu uninstall`.

use quipu_engine::install::UninstallRequest;

use super::install::{Decision, carry_out, installer};
use crate::cli::UninstallArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::Reply;

pub(crate) fn run(arguments: &UninstallArgs, context: &Context) -> Result<Reply, CommandError> {
    let installer = installer(&arguments.place, context)?;
    let request = UninstallRequest {
        clients: arguments.clients.clone(),
        force: arguments.force,
        edit: arguments.edit,
    };
    let plan = installer.uninstall(&request)?;
    let decision = Decision { dry_run: arguments.dry.dry_run, yes: arguments.yes };
    carry_out(&installer, &plan, decision, "uninstall", context)
}
