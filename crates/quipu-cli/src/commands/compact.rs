//! `quipu compact`.

use std::fmt::Write as _;

use quipu_engine::compaction::{Compacted, Reason};
use quipu_engine::operations::{Compact, CompactedWindow};

use crate::context::Context;
use crate::reply::{DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Compact {
    fn say(&self, output: &CompactedWindow, _: &Context) -> Reply {
        let advice = match (output.done.records_compacted, output.dry_run) {
            (0, _) => "",
            (_, true) => "`quipu compact` does it",
            (_, false) => {
                "`quipu undo` takes it back; every merged record is still in its daily log or the archive"
            }
        };
        Reply::words(words(&output.done, output.dry_run)).advise(advice)
    }
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
        let next = next.strftime("%Y-%m-%d %H:%M UTC");
        let _ = writeln!(text, "{}", styled(DIM, format!("next: {next}")));
    }
    text
}
