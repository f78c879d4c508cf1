//! `quipu session`.

use std::fmt::Write as _;

use quipu_core::ledger::is_session_log;
use quipu_core::memory::SESSIONS;
use quipu_core::secret::Scope;
use quipu_core::session::{Note, NoteKind, OpenSession};
use quipu_engine::sessions::EndRequest;
use quipu_engine::{Diff, Workspace};
use serde_json::json;

use crate::cli::{NoteKindArg, SessionCommand};
use crate::context::Context;
use crate::error::CommandError;
use crate::reply::{CYAN, DIM, Reply, YELLOW, diff_json, styled};

pub(crate) fn run(command: SessionCommand, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    match command {
        SessionCommand::Start { agent, user } => {
            let session =
                workspace.session_start(agent.as_deref(), user.as_deref(), context.now())?;
            super::tell_recovered(&workspace);
            let text = format!(
                "session {} is open
",
                styled(CYAN, &session.id)
            );
            let advice =
                "note what happens with `quipu session note`, end it with `quipu session end`";
            Ok(Reply::new(text, json!({ "id": session.id, "session": session })).advise(advice))
        }
        SessionCommand::Note { text, kind, references, not_secret } => {
            let kind = match kind {
                NoteKindArg::Did => NoteKind::Did,
                NoteKindArg::Decided => NoteKind::Decided,
                NoteKindArg::Next => NoteKind::Next,
            };
            let text = context.vouched(&text, Scope::Credentials, &not_secret)?;
            let note = Note { kind, text };
            let named = context.global.session.as_deref();
            let session = workspace.session_note(named, &note, &references, context.now())?;
            super::tell_recovered(&workspace);
            let text = format!("noted in {}\n", styled(CYAN, &session.id));
            Ok(Reply::new(text, json!({ "id": session.id, "session": session })))
        }
        SessionCommand::End { did, decided, next, references, force, not_secret, dry } => {
            let not_secret = &not_secret;
            let note = |kind| {
                move |text: String| {
                    let text = context.vouched(&text, Scope::Credentials, not_secret)?;
                    Ok::<Note, CommandError>(Note { kind, text })
                }
            };
            let notes = (did.into_iter().map(note(NoteKind::Did)))
                .chain(decided.into_iter().map(note(NoteKind::Decided)))
                .chain(next.into_iter().map(note(NoteKind::Next)))
                .collect::<Result<_, _>>()?;
            let session = context.global.session.clone();
            let request = EndRequest { session, notes, references, force, dry_run: dry.dry_run };
            end(&workspace, &request, context)
        }
        SessionCommand::List { limit } => list(&workspace, limit),
        SessionCommand::Show { id: Some(id) } => show(&workspace, &id, context),
        SessionCommand::Show { id: None } => {
            let open = workspace.open_sessions()?;
            match open.as_slice() {
                [only] => Ok(open_reply(only, context)),
                [] => Err(CommandError::input("session", "no session is open")
                    .hint("name a log; `quipu session list` shows them")),
                _ => Err(CommandError::input("session", "several sessions are open")
                    .hint("name one; `quipu session list` shows them")),
            }
        }
    }
}

fn end(
    workspace: &Workspace,
    request: &EndRequest,
    context: &Context,
) -> Result<Reply, CommandError> {
    let (ended, diff) = workspace.session_end(request, context.now(), context.today())?;
    super::tell_recovered(workspace);
    let mut text = String::new();
    let json = json!({
        "id": ended.session.id,
        "log": ended.stem,
        "path": ended.stem.as_ref().map(|stem| format!("{SESSIONS}{stem}.md")),
        "text": ended.log,
        "events": ended.session.events,
        "reactivated": ended.reactivated,
        "review_due": ended.review,
        "review_applied": ended.review_applied,
        "dry_run": request.dry_run,
        "changes": diff_json(&diff),
    });
    let Some(stem) = &ended.stem else {
        text.push_str(if request.dry_run {
            "nothing happened in this session: no log would be written\n"
        } else {
            "nothing happened in this session, so no log was written; it is closed\n"
        });
        return Ok(Reply::new(text, json));
    };
    let verb = if request.dry_run { "would write" } else { "wrote" };
    let _ = writeln!(text, "{verb} {}", styled(CYAN, format!("{SESSIONS}{stem}.md")));
    for line in ended
        .log
        .iter()
        .flat_map(|log| log.lines())
        .skip_while(|line| *line != "## Memory References")
        .skip(1)
    {
        if !line.is_empty() {
            let _ = writeln!(text, "  {line}");
        }
    }
    for id in &ended.reactivated {
        let _ =
            writeln!(text, "  {} {id} is back from the archive", styled(YELLOW, "reactivated:"));
    }
    let mut advice = "";
    if let Some(plan) = &ended.review {
        let plan_diff = Diff::default();
        let _ = writeln!(text);
        text.push_str(
            &super::review::plan_text(plan, &plan_diff, true).replace("nothing to change\n", ""),
        );
        if ended.review_applied {
            text.push_str("the review was applied (review.auto)\n");
        } else {
            advice = "a review is due: see its diff with `quipu review --dry-run`, apply it with `quipu review`";
        }
    }
    Ok(Reply::new(text, json).advise(advice))
}

fn list(workspace: &Workspace, limit: usize) -> Result<Reply, CommandError> {
    let open = workspace.open_sessions()?;
    let snapshot = workspace.read()?;
    let mut logs: Vec<(&str, &str)> =
        snapshot.inside(SESSIONS).filter(|(name, _)| is_session_log(name)).collect();
    logs.reverse();
    let total = logs.len();
    logs.truncate(limit);
    super::tell_recovered(workspace);
    let mut text = String::new();
    for session in &open {
        let agent = session.agent.as_deref().unwrap_or("unknown");
        let _ = writeln!(
            text,
            "{} {}  {agent}, {} event(s)",
            styled(YELLOW, "open"),
            styled(CYAN, &session.id),
            session.events.0.len()
        );
    }
    let mut rows = Vec::new();
    for (name, log) in logs {
        let stem = name.trim_end_matches(".md");
        let agent = log.lines().find_map(|line| line.strip_prefix("**Agent:**")).map(str::trim);
        let first = first_sentence(log);
        let _ = writeln!(
            text,
            "{}  {}  {first}",
            styled(CYAN, stem),
            styled(DIM, agent.unwrap_or("unknown"))
        );
        rows.push(json!({ "id": stem, "agent": agent, "summary": first }));
    }
    if open.is_empty() && total == 0 {
        text.push_str("no sessions yet\n");
    }
    Ok(Reply::new(text, json!({ "open": open, "logs": rows, "total": total })))
}

/// Returns the first line of prose in a log.
fn first_sentence(log: &str) -> String {
    let prose = |line: &&str| {
        let line = line.trim();
        !line.is_empty()
            && !line.starts_with('#')
            && !line.starts_with("**Agent")
            && !line.starts_with("**User")
            && !line.starts_with("---")
    };
    let line = log.lines().find(prose).unwrap_or_default();
    let line = line.trim_start_matches(['-', '*', ' ']).replace("**", "");
    quipu_core::text::ellipsis(&line, 90)
}

fn show(workspace: &Workspace, id: &str, context: &Context) -> Result<Reply, CommandError> {
    if let Some(session) = workspace.open_sessions()?.iter().find(|session| session.id == id) {
        return Ok(open_reply(session, context));
    }
    let snapshot = workspace.read()?;
    let stem = id.trim_end_matches(".md");
    let mut stems = snapshot
        .inside(SESSIONS)
        .filter(|(name, _)| is_session_log(name) && name.starts_with(stem))
        .collect::<Vec<_>>();
    match (stems.pop(), stems.is_empty()) {
        (Some((name, log)), true) => {
            let stem = name.trim_end_matches(".md");
            Ok(Reply::new(
                log,
                json!({ "id": stem, "kind": "session", "text": log, "path": format!("{SESSIONS}{name}") }),
            ))
        }
        (Some(_), false) => {
            Err(CommandError::input("session", format!("several logs begin with `{stem}`"))
                .hint("give more of the name"))
        }
        (None, _) => Err(CommandError::input("session", format!("there is no session `{id}`"))
            .hint("`quipu session list` shows open sessions and logs")),
    }
}

/// Answers with the log as it would be written now.
fn open_reply(session: &OpenSession, context: &Context) -> Reply {
    let text = format!("{}\n{}", styled(DIM, "open; its log so far:"), session.log(context.now()));
    Reply::new(text, json!({ "id": session.id, "kind": "open-session", "session": session }))
}
