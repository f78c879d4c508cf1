//! `quipu remember`.

use std::fmt::Write as _;
use std::path::Path;

use quipu_core::secret::Scope;
use quipu_engine::remember::NewMemory;
use serde_json::json;

use crate::cli::RememberArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};

pub(crate) fn run(arguments: &RememberArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let dry_run = arguments.dry.dry_run;
    let batch = arguments.batch.clone();
    let common = common(arguments);
    let new = match (&batch, &arguments.text) {
        (Some(path), _) => from_lines(path, &common, context)?,
        (None, text) => {
            let text = text.as_deref().unwrap_or_default();
            let text = context.vouched(text, Scope::Credentials, &arguments.not_secret)?;
            vec![NewMemory { text, ..common }]
        }
    };
    let done = workspace.remember(&new, &context.request("remember", dry_run))?;
    super::tell_recovered(&workspace);
    let verb = if dry_run { "would remember" } else { "remembered" };
    let mut text = match &done.ids[..] {
        [] => "nothing to remember\n".to_owned(),
        [id] => format!("{verb} {} {}\n", styled(CYAN, id), styled(DIM, &done.path)),
        ids => format!("{verb} {} records {}\n", ids.len(), styled(DIM, &done.path)),
    };
    // One thing at a time is compared with what is known; the dream looks at the rest.
    let weighed = match &done.ids[..] {
        [id] if !dry_run => workspace.weigh(id, &context.request("remember", false)).ok().flatten(),
        _ => None,
    };
    if let Some(other) = weighed.as_ref().and_then(|weighed| weighed.duplicate_of.as_ref()) {
        let _ = writeln!(text, "{} says nearly the same", styled(CYAN, other));
    }
    for other in weighed.iter().flat_map(|weighed| &weighed.contradicts) {
        let other = styled(CYAN, other);
        let _ = writeln!(text, "{other} may say otherwise: `quipu questions` asks which holds");
    }
    if let Some(why) = &done.degraded {
        let _ = writeln!(text, "{} {why}", styled(YELLOW, "note:"));
    }
    let back = match &done.ids[..] {
        [id] if !dry_run => format!("`quipu forget {id}` takes it back"),
        _ => String::new(),
    };
    let mut data = json!({
        "path": done.path,
        "dry_run": dry_run,
        "degraded": done.degraded,
    });
    match (&batch, &done.ids[..]) {
        (None, [id]) => {
            data["id"] = json!(id);
            if let Some(weighed) = &weighed {
                data["surprise"] = json!(weighed.surprise);
                data["importance"] = json!(weighed.importance);
                data["duplicate_of"] = json!(weighed.duplicate_of);
                data["contradicts"] = json!(weighed.contradicts);
            }
        }
        (_, ids) => {
            data["ids"] = json!(ids);
            data["count"] = json!(ids.len());
        }
    }
    Ok(Reply::new(text, data).advise(back))
}

fn common(arguments: &RememberArgs) -> NewMemory {
    NewMemory {
        text: String::new(),
        category: arguments.category.clone(),
        layer: arguments.layer,
        memory_type: arguments.memory_type,
        source: arguments.source,
        speaker: arguments.speaker.clone(),
        tags: arguments.tags.clone(),
        importance: arguments.importance,
        valence: arguments.valence,
        sensitivity: Some(arguments.sensitivity),
        valid_from: arguments.valid_from,
        valid_to: arguments.valid_to,
        session: None,
        channel: arguments.channel.clone(),
        negative: arguments.negative,
        supersedes: arguments.supersedes.clone(),
        time: None,
        pinned: arguments.pin,
        confidence: arguments.confidence,
        allow_secret: arguments.allow_secret,
    }
}

/// Reads one memory a line; what a line does not say, the options do.
fn from_lines(
    path: &Path,
    common: &NewMemory,
    context: &Context,
) -> Result<Vec<NewMemory>, CommandError> {
    let source = if path == Path::new("-") {
        context.text_or_stdin("-")?
    } else {
        std::fs::read_to_string(path).map_err(|error| {
            CommandError::input("batch", format!("cannot read `{}`: {error}", path.display()))
        })?
    };
    let mut new = Vec::new();
    for (index, line) in source.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if !line.trim_start().starts_with('{') {
            new.push(NewMemory { text: line.to_owned(), ..common.clone() });
            continue;
        }
        let bad = |error: serde_json::Error| {
            CommandError::input("batch", format!("line {}: {error}", index + 1)).hint(
                "each line is a JSON object with `text`, or plain words; nothing was remembered",
            )
        };
        let mut one: NewMemory = serde_json::from_str(line).map_err(bad)?;
        if one.category.is_empty() {
            one.category.clone_from(&common.category);
        }
        if one.tags.is_empty() {
            one.tags.clone_from(&common.tags);
        }
        one.importance = one.importance.or(common.importance);
        one.valence = one.valence.or(common.valence);
        one.valid_from = one.valid_from.or(common.valid_from);
        one.valid_to = one.valid_to.or(common.valid_to);
        one.negative |= common.negative;
        one.layer = one.layer.or(common.layer);
        one.memory_type = one.memory_type.or(common.memory_type);
        one.source = one.source.or(common.source);
        one.sensitivity = one.sensitivity.or(common.sensitivity);
        one.speaker = one.speaker.or_else(|| common.speaker.clone());
        one.channel = one.channel.or_else(|| common.channel.clone());
        one.pinned |= common.pinned;
        one.confidence = one.confidence.or(common.confidence);
        one.allow_secret |= common.allow_secret;
        new.push(one);
    }
    Ok(new)
}
