//! `quipu index`, `replay`, `reembed` and `stats`: the index and its files.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli::{IndexArgs, ReembedArgs, ReplayArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::progress::Bar;
use crate::reply::{GREEN, Reply, YELLOW, styled};

/// How often a watcher looks.
const EVERY: std::time::Duration = std::time::Duration::from_millis(500);

pub(crate) fn run(arguments: &IndexArgs, context: &Context) -> Result<Reply, CommandError> {
    if arguments.rebuild {
        return replay(&ReplayArgs { check: false }, context);
    }
    let workspace = context.workspace()?;
    let bar = Bar::new(context, "indexing");
    let mut indexed = workspace.index(&mut |done, total| bar.set(done, total))?;
    drop(bar);
    super::tell_recovered(&workspace);
    if arguments.watch {
        loop {
            let line = serde_json::to_string(&indexed).unwrap_or_default();
            if indexed.put + indexed.removed > 0 {
                let shown = if context.global.json {
                    line
                } else {
                    format!("{} changed, {} gone", indexed.put, indexed.removed)
                };
                Reply::new(shown, json!(indexed)).print(false, true).map_err(|error| {
                    CommandError::input("io", format!("cannot write the answer: {error}"))
                })?;
            }
            std::thread::sleep(EVERY);
            indexed = workspace.freshen()?;
        }
    }
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
    Ok(Reply::new(text, json!(indexed)))
}

pub(crate) fn replay(arguments: &ReplayArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let bar = Bar::new(context, "replaying");
    let done = workspace.replay(arguments.check, &mut |done, total| bar.set(done, total))?;
    drop(bar);
    super::tell_recovered(&workspace);
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
    let exit = u8::from(arguments.check && !done.equal);
    Ok(Reply::new(text, json!(done)).exit(exit))
}

pub(crate) fn reembed(arguments: &ReembedArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let bar = Bar::new(context, "embedding");
    let count = workspace.reembed(arguments.all, &mut |done, total| bar.set(done, total))?;
    drop(bar);
    let model = workspace.embedder()?.id().to_owned();
    let text = match count {
        0 => format!("every item has a vector of {model}\n"),
        count => format!("made vectors of {model} for {count} items\n"),
    };
    Ok(Reply::new(text, json!({ "model": model, "count": count })))
}

pub(crate) fn stats(context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let counts = workspace.index_counts()?;
    let model = workspace.embedder()?.id().to_owned();
    let mut text = String::new();
    for (name, value) in [
        ("items", counts.items.to_string()),
        ("sessions", counts.sessions.to_string()),
        ("entities", counts.entities.to_string()),
        ("events", counts.events.to_string()),
        ("accesses", counts.accesses.to_string()),
        ("vectors", format!("{} of {model}", counts.embedded)),
        ("index", format!("{} segments, {} in the tail", counts.segments, counts.tail)),
        ("database", format!("{} KiB", counts.bytes / 1024)),
    ] {
        let _ = writeln!(text, "{name:<10} {value}");
    }
    let mut data = json!(counts);
    data["model"] = json!(model);
    Ok(Reply::new(text, data))
}
