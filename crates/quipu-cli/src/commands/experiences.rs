//! `quipu experiences …`.

use std::fmt::Write as _;

use quipu_core::item::Item;
use quipu_core::secret::Scope;
use quipu_core::text;
use quipu_engine::Workspace;
use quipu_engine::caller::Channel;
use quipu_engine::experiences::Told;
use quipu_engine::operation::Request;
use quipu_engine::recall::Answer;
use quipu_engine::remember::NewMemory;
use serde_json::json;

use crate::cli::ExperiencesCommand;
use crate::context::{Context, channel};
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, YELLOW, styled};

/// A longer text is told by its beginning.
const LONGEST: usize = 500;

pub(crate) fn run(command: ExperiencesCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    if !workspace.config().continuity.experience_store_enabled {
        return Err(CommandError::input("disabled", "experiences are off")
            .hint("set continuity.experienceStoreEnabled to true"));
    }
    match command {
        ExperiencesCommand::Query { words, count, channel: name } => {
            query(&workspace, &words.join(" "), count, channel(&name), context)
        }
        ExperiencesCommand::List { limit } => list(&workspace, limit),
        ExperiencesCommand::Add { text, force, allow_secret, not_secret, dry } => {
            let new = NewMemory {
                text: context.vouched(&text, Scope::Credentials, &not_secret)?,
                allow_secret,
                ..NewMemory::default()
            };
            add(&workspace, new, force, &context.request("experiences add", dry.dry_run))
        }
        ExperiencesCommand::Import { file, dry } => {
            let path =
                file.unwrap_or_else(|| workspace.root().join(workspace.original_experiences()));
            let json = std::fs::read_to_string(&path).map_err(|error| {
                CommandError::input("io", format!("cannot read `{}`: {error}", path.display()))
            })?;
            let request = context.request("experiences import", dry.dry_run);
            let done = workspace.import_experiences(&json, &request)?;
            let verb = if dry.dry_run { "would take over" } else { "took over" };
            let ids = done.remembered.ids;
            let mut shown = format!("{verb} {} experiences\n", ids.len());
            if done.refused > 0 {
                let _ = writeln!(shown, "{} secret or empty, left out", done.refused);
            }
            let data = json!({ "ids": ids, "refused": done.refused, "dry_run": dry.dry_run });
            Ok(Reply::new(shown, data))
        }
    }
}

fn query(
    workspace: &Workspace,
    words: &str,
    count: usize,
    channel: Channel,
    context: &Context,
) -> Result<Reply, CommandError> {
    let found = workspace.query_experiences(words, count, channel, context.now())?;
    let row = |answer: &Answer| {
        json!({
            "id": answer.id, "text": answer.text, "category": answer.category,
            "sessionId": answer.source.session, "score": answer.score, "time": answer.time,
        })
    };
    let rows: Vec<_> = found.results.iter().map(row).collect();
    let mut shown = String::new();
    for answer in &found.results {
        let _ = writeln!(
            shown,
            "{:.2} {} [{}] {}",
            answer.score,
            styled(CYAN, &answer.id),
            answer.category,
            text::ellipsis(&text::collapse_whitespace(&answer.text), LONGEST)
        );
    }
    if let Some(advice) = &found.advice {
        let _ = writeln!(shown, "nothing found: {advice}");
    }
    let exit = u8::from(rows.is_empty());
    Ok(Reply::new(shown, json!({ "results": rows })).exit(exit))
}

fn list(workspace: &Workspace, limit: usize) -> Result<Reply, CommandError> {
    let all = workspace.experiences()?;
    let mut shown = String::new();
    for item in all.iter().take(limit) {
        let _ = writeln!(
            shown,
            "{} {} [{}] {}",
            styled(DIM, item.time.strftime("%Y-%m-%d")),
            styled(CYAN, &item.id),
            item.category,
            text::ellipsis(&text::collapse_whitespace(&item.text), LONGEST)
        );
    }
    if all.len() > limit {
        let more = format!("{} older ones: `--limit`", all.len() - limit);
        let _ = writeln!(shown, "{}", styled(DIM, more));
    }
    if all.is_empty() {
        shown.push_str("no experiences yet\n");
    }
    let row = |item: &Item| {
        json!({
            "id": item.id, "text": item.text, "category": item.category,
            "sessionId": item.session, "time": item.time,
        })
    };
    let rows: Vec<_> = all.iter().take(limit).map(row).collect();
    let data = json!({ "experiences": rows, "count": all.len() });
    Ok(Reply::new(shown, data).exit(u8::from(all.is_empty())))
}

fn add(
    workspace: &Workspace,
    new: NewMemory,
    force: bool,
    request: &Request<'_>,
) -> Result<Reply, CommandError> {
    Ok(match workspace.add_experience(new, force, request)? {
        Told::Added(done) => {
            let id = done.ids.first().cloned().unwrap_or_default();
            let verb = if request.dry_run { "would add" } else { "added" };
            let shown = format!("{verb} {}\n", styled(CYAN, &id));
            Reply::new(shown, json!({ "added": true, "id": id, "dry_run": request.dry_run }))
        }
        Told::Known { like, similarity } => {
            let shown = format!(
                "{} {} says nearly the same ({similarity:.2})\n",
                styled(YELLOW, "not added:"),
                styled(CYAN, &like)
            );
            let data = json!({ "added": false, "like": like, "similarity": similarity });
            Reply::new(shown, data).exit(1).advise("--force adds it all the same")
        }
    })
}
