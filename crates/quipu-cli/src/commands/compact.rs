//! `quipu compact`.

use std::fmt::Write as _;

use quipu_engine::compaction::{CompactRequest, Compacted, Reason};
use serde_json::json;

use super::journal::minute;
use crate::cli::CompactArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{self, DIM, Reply, YELLOW, styled};

pub(crate) fn run(arguments: &CompactArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let dry_run = arguments.dry.dry_run;
    let done = workspace.compact(&CompactRequest {
        now: context.now(),
        if_due: arguments.if_due,
        force: arguments.force,
        dry_run,
    })?;
    super::tell_recovered(&workspace);
    let mut data = json!(done);
    data["dryRun"] = json!(dry_run);
    if dry_run {
        data["changes"] = reply::diff_json(&done.diff);
    }
    let busy = done.reason == Some(Reason::LockHeld);
    let advice = match (done.records_compacted, dry_run) {
        (0, _) => "",
        (_, true) => "`quipu compact` does it",
        (_, false) => {
            "`quipu undo` takes it back; every merged record is still in its daily log or the archive"
        }
    };
    let reply = Reply::new(words(&done, dry_run), data).advise(advice);
    Ok(reply.exit(if busy { 4 } else { 0 }))
}

fn words(done: &Compacted, dry_run: bool) -> String {
    let mut text = String::new();
    match done.reason {
        Some(Reason::NotDue) => text.push_str("compaction is not due"),
        Some(Reason::Disabled) => text.push_str(
            "compaction is off: set continuity.memoryCompactionEnabled to let it run by itself",
        ),
        Some(Reason::NoMemoryFile) => text.push_str("there is nothing in MEMORY.md"),
        Some(Reason::UnderThreshold) => {
            let _ = write!(
                text,
                "MEMORY.md is below the threshold ({} records, {} characters): --force compacts all the same",
                done.records_before, done.chars_before
            );
        }
        Some(Reason::LockHeld) => text.push_str("another compaction is at work"),
        Some(Reason::NothingToCompact) => text.push_str("nothing is old enough to compact"),
        None => {
            let verb = if dry_run { "would merge" } else { "merged" };
            let _ = write!(
                text,
                "{verb} {} of {} records: {} are left in MEMORY.md, {} characters instead of {}",
                done.records_compacted,
                done.records_before,
                done.records_after,
                done.chars_after,
                done.chars_before
            );
            if done.archived > 0 {
                let _ = write!(text, "\n{} lines kept in the archive", done.archived);
            }
            if done.long_memory_appended {
                let _ = write!(text, "\n\n{}", done.summary);
            }
        }
    }
    text.push('\n');
    if let Some(why) = &done.degraded {
        let _ = writeln!(text, "{} {why}", styled(YELLOW, "note:"));
    }
    if done.experiences > 0 {
        let _ = writeln!(text, "{} new experiences", done.experiences);
    }
    if let Some(next) = done.next {
        let _ = writeln!(text, "{}", styled(DIM, format!("next: {}", minute(next))));
    }
    text
}
