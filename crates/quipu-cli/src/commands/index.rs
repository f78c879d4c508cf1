//! `quipu index`, `replay`, `reembed` and `stats`: the index and its files.

use std::fmt::Write as _;

use quipu_core::text::counted;
use quipu_engine::Workspace;
use quipu_engine::index::{self, Indexed};
use quipu_engine::operations::{Counted, Index, IndexedNow, Reembed, Reembedded, Replay, Stats};
use quipu_engine::replay::Replayed;

use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{GREEN, Reply, YELLOW, styled};
use crate::spoken::Spoken;

/// How often a watcher looks.
const EVERY: std::time::Duration = std::time::Duration::from_millis(500);

impl Spoken for Index {
    fn talks(&self) -> bool {
        true
    }

    fn follow_up(
        &self,
        output: &IndexedNow,
        workspace: &Workspace,
        context: &Context,
    ) -> Result<(), CommandError> {
        let (true, IndexedNow::Updated(first)) = (self.watch, output) else { return Ok(()) };
        let mut indexed = first.clone();
        loop {
            if indexed.put + indexed.removed > 0 {
                let shown = if context.global.json {
                    serde_json::to_string(&indexed).unwrap_or_default()
                } else {
                    format!("{} changed, {} gone", indexed.put, indexed.removed)
                };
                Reply::words(shown).print_now()?;
            }
            std::thread::sleep(EVERY);
            indexed = index::freshen(workspace)?;
        }
    }

    fn say(&self, output: &IndexedNow, _: &Context) -> Reply {
        match output {
            IndexedNow::Updated(indexed) => Reply::words(updated(indexed)),
            IndexedNow::Rebuilt(done) => Reply::words(replayed(done)),
        }
    }
}

fn updated(indexed: &Indexed) -> String {
    let mut text = String::new();
    if indexed.put == 0 && indexed.removed == 0 {
        text.push_str("the index is up to date\n");
    } else {
        let _ = writeln!(
            text,
            "read {} files: {} items new or changed, {} gone",
            indexed.files, indexed.put, indexed.removed
        );
    }
    for (path, why) in &indexed.skipped {
        let _ = writeln!(text, "{} {path}: {why}", styled(YELLOW, "skipped"));
    }
    text
}

impl Spoken for Replay {
    fn talks(&self) -> bool {
        true
    }

    fn say(&self, done: &Replayed, _: &Context) -> Reply {
        Reply::words(replayed(done))
    }
}

fn replayed(done: &Replayed) -> String {
    let mut text = format!("files: {}\n", done.digest);
    match &done.before {
        Some(before) => {
            let _ = writeln!(text, "index: {before}");
        }
        None => text.push_str("index: could not be read\n"),
    }
    if done.equal {
        let _ = writeln!(text, "{} the index is what the files say", styled(GREEN, "equal:"));
    } else if done.replaced {
        let _ = writeln!(text, "{} the index was rebuilt", styled(YELLOW, "different:"));
    } else {
        let _ = writeln!(text, "{} run `quipu replay`", styled(YELLOW, "different:"));
    }
    if !done.differences.is_empty() {
        let _ = writeln!(text, "differed in {}", done.differences.join(", "));
    }
    for lost in &done.lost {
        let _ = writeln!(text, "{} {lost}", styled(YELLOW, "lost:"));
    }
    for (path, why) in &done.indexed.skipped {
        let _ = writeln!(text, "{} {path}: {why}", styled(YELLOW, "skipped"));
    }
    text
}

impl Spoken for Reembed {
    fn talks(&self) -> bool {
        true
    }

    fn say(&self, done: &Reembedded, _: &Context) -> Reply {
        let model = &done.model;
        Reply::words(match done.count {
            0 => format!("every item has a vector of {model}\n"),
            count => format!("made vectors of {model} for {count} items\n"),
        })
    }
}

impl Spoken for Stats {
    fn say(&self, output: &Counted, _: &Context) -> Reply {
        let Counted { counts, model } = output;
        let waiting = counted(counts.tail, "item");
        let parts = match counts.segments {
            0 => format!("none yet: {waiting} searched one by one, which is fine for so few"),
            some => format!("{}, and {waiting} not in one yet", counted(some, "sorted part")),
        };
        let mut text = String::new();
        for (name, value) in [
            ("items", counts.items.to_string()),
            ("sessions", counted(counts.sessions, "log")),
            ("entities", counts.entities.to_string()),
            ("events", counts.events.to_string()),
            ("accesses", counts.accesses.to_string()),
            ("vectors", format!("{} of {model}", counts.embedded)),
            ("parts", parts),
            ("database", format!("{} KiB", counts.bytes / 1024)),
        ] {
            let _ = writeln!(text, "{name:<12} {value}");
        }
        Reply::words(text)
    }
}
