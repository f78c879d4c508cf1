//! `quipu status`.

use std::fmt::Write as _;

use quipu_engine::glance;
use quipu_engine::operations::Status;
use quipu_engine::pause;

use crate::context::Context;
use crate::reply::{BOLD, GREEN, RED, Reply, YELLOW, styled};
use crate::spoken::Spoken;

impl Spoken for Status {
    fn say(&self, status: &glance::Status, context: &Context) -> Reply {
        let advice = if status.lint_errors > 0 {
            "next: `quipu lint`"
        } else if !status.review_due.is_empty() {
            "next: `quipu review --dry-run`"
        } else if status.facts == 0 {
            "next: `quipu session start --agent NAME`, then `quipu fact add TEXT`"
        } else {
            ""
        };
        let workspace = context.glimpse().ok();
        let paused = workspace.map(|workspace| pause::pauses(&workspace, context.now()));
        let mut text = words(status);
        for one in paused.unwrap_or_default() {
            let _ = writeln!(text, "  {}", styled(YELLOW, one.words()));
        }
        Reply::words(text).advise(advice)
    }
}

fn words(status: &glance::Status) -> String {
    let mut text = String::new();
    let name = status.project.as_deref().unwrap_or("(no project name)");
    let _ = writeln!(text, "{} {}", styled(BOLD, name), status.root);
    let tiers: Vec<String> =
        status.tiers.iter().map(|(tier, count)| format!("{count} {tier}")).collect();
    let _ = writeln!(
        text,
        "  facts     {} ({})",
        status.facts,
        if tiers.is_empty() { "none yet".to_owned() } else { tiers.join(", ") }
    );
    let _ = writeln!(text, "  threads   {} open", status.open_threads);
    let _ = writeln!(text, "  archive   {}", status.archived);
    let newest =
        status.last_session.as_deref().map(|stem| format!(", newest {stem}")).unwrap_or_default();
    let _ = writeln!(text, "  logs      {}{newest}", status.sessions);
    for session in &status.open_sessions {
        let _ = writeln!(text, "            {} {session}", styled(YELLOW, "open:"));
    }
    let review = status.last_review.as_deref().unwrap_or("never");
    let _ = writeln!(
        text,
        "  review    last {review}; {} session(s) since",
        status.sessions_since_review
    );
    for trigger in &status.review_due {
        let _ = writeln!(text, "            {} {trigger}", styled(YELLOW, "due:"));
    }
    if status.invariants_due {
        let _ = writeln!(
            text,
            "            {} a person should confirm the invariants (`quipu verify`)",
            styled(YELLOW, "due:")
        );
    }
    if let Some(journal) = &status.journal {
        let _ = writeln!(
            text,
            "  journal   {} records in MEMORY.md, {} characters",
            journal.window.records, journal.window.chars
        );
        for warning in &journal.warnings {
            let _ = writeln!(text, "            {} {warning}", styled(YELLOW, "large:"));
        }
    }
    if status.open_questions > 0 || status.last_dream.is_some() {
        let last = status.last_dream.map(|at| at.strftime("%Y-%m-%d %H:%M").to_string());
        let last = last.unwrap_or_else(|| "never".to_owned());
        let _ = writeln!(
            text,
            "  dream     last {last}; {} question(s) wait (`quipu questions`)",
            status.open_questions
        );
    }
    let lint = match (status.lint_errors, status.lint_warnings) {
        (0, 0) => styled(GREEN, "clean"),
        (0, warnings) => styled(YELLOW, format!("{warnings} warning(s)")),
        (errors, warnings) => styled(RED, format!("{errors} error(s), {warnings} warning(s)")),
    };
    let _ = writeln!(text, "  lint      {lint}");
    text
}
