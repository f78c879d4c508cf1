//! `quipu verify`.

use std::fmt::Write as _;

use quipu_engine::caller::Actor;
use serde_json::json;

use crate::cli::VerifyArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, GREEN, Reply, YELLOW, styled};

pub(crate) fn run(arguments: &VerifyArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let check = workspace.invariants()?;
    if arguments.ids.is_empty() && !arguments.all {
        super::tell_recovered(&workspace);
        let mut text = String::new();
        let state = if check.is_due { styled(YELLOW, "due") } else { styled(GREEN, "not due") };
        let _ = writeln!(
            text,
            "confirmation by a person is {state}: {} session(s) since the last",
            check.since
        );
        for (id, title) in &check.ids {
            let _ = writeln!(text, "  {}  {title}", styled(CYAN, id));
        }
        if check.ids.is_empty() {
            text.push_str("  there is no core fact, invariant or vision yet\n");
        }
        let advice = "when a person has confirmed them: `quipu verify ID… --by NAME`, or `quipu verify --all --by NAME`";
        let invariants: Vec<_> =
            check.ids.iter().map(|(id, title)| json!({ "id": id, "title": title })).collect();
        let json = json!({ "due": check.is_due, "sessions_since": check.since, "invariants": invariants, "thread": check.open_thread });
        return Ok(Reply::new(text, json).advise(advice).exit(u8::from(check.is_due)));
    }
    let caller = context.caller();
    caller.must_be_person("confirm invariants").map_err(quipu_engine::Error::from)?;
    let by = arguments.by.as_deref().or(match caller.actor {
        Actor::Person(name) => name,
        Actor::Agent(_) => None,
    });
    let Some(by) = by else {
        return Err(CommandError::usage("who confirmed them?")
            .hint("name the person with --by NAME, or set QUIPU_USER"));
    };
    let ids: Vec<String> = if arguments.all {
        check.ids.into_iter().map(|(id, _)| id).collect()
    } else {
        arguments.ids.clone()
    };
    let dry_run = arguments.dry.dry_run;
    let diff = workspace.confirm(&ids, by, &context.request("verify", dry_run))?;
    let done = format!("{} confirmed {}", by, styled(CYAN, ids.join(", ")));
    Ok(super::changed(
        context,
        &workspace,
        &done,
        dry_run,
        &diff,
        json!({ "confirmed": ids, "by": by }),
    ))
}
