//! `quipu fact`.

use std::fmt::Write as _;

use quipu_core::contradict::Candidate;
use quipu_core::fact::Tier;
use quipu_core::facts::NewFact;
use quipu_core::secret::Scope;
use quipu_engine::operations::{Added, Choice};
use quipu_engine::report::{FactRow, Filter};
use serde_json::json;

use crate::cli::{AddArgs, FactCommand, ListArgs};
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{BOLD, CYAN, DIM, Reply, YELLOW, diff_json, styled, table};

pub(crate) fn run(command: FactCommand, context: &Context) -> Result<Reply, CommandError> {
    match command {
        FactCommand::Add(arguments) => add(&arguments, context),
        FactCommand::List(arguments) => list(&arguments, context),
        FactCommand::Supersede { old, new, confirm_core, dry } => {
            let workspace = context.workspace()?;
            let request = context.request("fact supersede", dry.dry_run);
            let diff = workspace.supersede(&old, new.as_deref(), confirm_core, &request)?;
            let done = match &new {
                Some(new) => format!("superseded {} by {}", styled(CYAN, &old), styled(CYAN, new)),
                None => format!("marked {} as no longer true", styled(CYAN, &old)),
            };
            let data = json!({ "superseded": old, "by": new });
            Ok(super::changed(context, &workspace, &done, dry.dry_run, &diff, data))
        }
        FactCommand::Core { id, dry } => {
            let workspace = context.workspace()?;
            let diff = workspace.make_core(&id, &context.request("fact core", dry.dry_run))?;
            let done = format!("made {} core: it never decays", styled(CYAN, &id));
            Ok(super::changed(
                context,
                &workspace,
                &done,
                dry.dry_run,
                &diff,
                json!({ "id": id, "tier": "core" }),
            ))
        }
        FactCommand::Tier { id, tier, auto: _, dry } => {
            let workspace = context.workspace()?;
            let tier: Option<Tier> = tier.and_then(|word| word.parse().ok());
            let diff = workspace.set_tier(&id, tier, &context.request("fact tier", dry.dry_run))?;
            let done = match tier {
                Some(tier) => format!("set {} to {tier}, held by a person", styled(CYAN, &id)),
                None => format!("gave the tier of {} back to the rules", styled(CYAN, &id)),
            };
            let data = json!({ "id": id, "tier": tier, "held": tier.is_some() });
            Ok(super::changed(context, &workspace, &done, dry.dry_run, &diff, data))
        }
        FactCommand::Archive { ids, dry } => {
            let workspace = context.workspace()?;
            let diff = workspace.archive(&ids, &context.request("fact archive", dry.dry_run))?;
            let done = format!("archived {}", styled(CYAN, ids.join(", ")));
            Ok(super::changed(
                context,
                &workspace,
                &done,
                dry.dry_run,
                &diff,
                json!({ "archived": ids }),
            ))
        }
        FactCommand::Reactivate { ids, dry } => {
            let workspace = context.workspace()?;
            let diff =
                workspace.reactivate(&ids, &context.request("fact reactivate", dry.dry_run))?;
            let done = format!("brought back {}", styled(CYAN, ids.join(", ")));
            Ok(super::changed(
                context,
                &workspace,
                &done,
                dry.dry_run,
                &diff,
                json!({ "reactivated": ids }),
            ))
        }
    }
}

fn add(arguments: &AddArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let new = NewFact {
        text: context.vouched(&arguments.text, Scope::Memory, &arguments.not_secret)?,
        section: Some(arguments.section.clone()),
        id: arguments.id.clone(),
        is_thread: false,
        allow_secret: arguments.allow_secret,
    };
    let choice = Choice {
        supersedes: arguments.supersedes.clone(),
        raise: arguments.raise,
        agree: arguments.agree,
        confirm_core: arguments.confirm_core,
    };
    let dry_run = arguments.dry.dry_run;
    let (added, diff) = workspace.add_fact(&new, &choice, &context.request("fact add", dry_run))?;
    match added {
        Added::Undecided { candidates } => Ok(undecided(&candidates, &choice)),
        Added::Written { id, is_new_section, thread, candidates } => {
            let new = if is_new_section { "the new section " } else { "" };
            let mut done = format!("added {} to {new}{}", styled(CYAN, &id), arguments.section);
            if let Some(old) = &arguments.supersedes {
                let _ = write!(done, ", superseding {}", styled(CYAN, old));
            }
            if let Some(thread) = &thread {
                let _ = write!(done, "; raised {}", styled(CYAN, thread));
            }
            let data = json!({
                "added": true,
                "id": id,
                "section": arguments.section,
                "supersedes": arguments.supersedes,
                "thread": thread,
                "candidates": candidates,
            });
            Ok(super::changed(context, &workspace, &done, dry_run, &diff, data))
        }
    }
}

/// Tells what the fact may contradict, and what the caller can do about it.
fn undecided(candidates: &[Candidate], choice: &Choice) -> Reply {
    let core = candidates.iter().any(|candidate| candidate.is_core);
    let mut text =
        format!("{} it may conflict with what is known:\n", styled(YELLOW, "not added:"));
    for candidate in candidates {
        let mark = if candidate.is_core { " (core)" } else { "" };
        let _ = writeln!(
            text,
            "  {}{}  {}",
            styled(CYAN, &candidate.id),
            styled(BOLD, mark),
            first_line(&candidate.text)
        );
        let _ = writeln!(text, "      {}", styled(DIM, candidate.reasons.join("; ")));
    }
    text.push_str("choose, and run it again with one of:\n");
    let mut choices = vec![("--supersedes ID", "it replaces that fact")];
    if choice.agree || choice.raise {
        text.insert_str(0, "a core fact is concerned: --agree and --raise are not enough\n");
    } else {
        choices.push(("--raise", "not clear: write it and open a Contradiction thread"));
        choices.push(("--agree", "they agree: write it"));
    }
    if core {
        choices.push((
            "--confirm-core",
            "a core fact is concerned, and a person confirmed the new one",
        ));
    }
    for (flag, meaning) in &choices {
        let _ = writeln!(text, "  {flag:<16} {meaning}");
    }
    let flags: Vec<&str> = choices.iter().map(|(flag, _)| *flag).collect();
    let json = json!({ "added": false, "candidates": candidates, "choices": flags, "changes": diff_json(&quipu_engine::Diff::default()) });
    Reply::new(text, json).exit(1)
}

fn first_line(text: &str) -> String {
    quipu_core::text::ellipsis(text.lines().next().unwrap_or_default(), 100)
}

fn list(arguments: &ListArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let filter = Filter {
        tier: arguments.tier.clone(),
        section: arguments.section.clone(),
        archived: arguments.all,
        matching: (!arguments.words.is_empty()).then(|| arguments.words.join(" ")),
        ..Filter::default()
    };
    let rows = workspace.list(&filter)?;
    super::tell_recovered(&workspace);
    Ok(listed(&rows, "facts"))
}

/// Answers with a table of facts or threads.
pub(crate) fn listed(rows: &[FactRow], key: &str) -> Reply {
    let json = json!({ key: rows, "count": rows.len() });
    if rows.is_empty() {
        return Reply::new(format!("no {key}\n"), json).exit(1);
    }
    let cells = |row: &FactRow| {
        let since = row.sessions_since_last_use.map_or("–".to_owned(), |since| since.to_string());
        let tier = row.tier.clone().unwrap_or_else(|| "–".to_owned());
        let tier = match (&row.computed_tier, row.state) {
            (Some(computed), _) if *computed != tier => format!("{tier}→{computed}"),
            _ => tier,
        };
        let tier = match row.state {
            "done" => format!("{tier} [x]"),
            "open" => format!("{tier} [ ]"),
            "archived" if tier != "archived" => format!("{tier} (archived)"),
            _ => tier,
        };
        vec![row.id.clone(), tier, row.uses.to_string(), since, row.title.clone()]
    };
    let text = table(&["id", "tier", "uses", "idle", "text"], rows.iter().map(cells).collect());
    Reply::new(text, json)
}
