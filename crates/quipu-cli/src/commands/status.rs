//! `quipu status`.

use std::fmt::Write as _;

use quipu_core::text::counted;
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
            "next: `quipu remember TEXT` keeps something for you, `quipu fact add TEXT` for the team"
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

/// What a memory without a review says in its footer.
const NONE_YET: &str = "(none yet)";

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
    let _ = writeln!(text, "  sessions  {}{newest}", counted(status.sessions, "log"));
    for session in &status.open_sessions {
        let _ = writeln!(text, "            {} {session}", styled(YELLOW, "open:"));
    }
    let since = counted(status.sessions_since_review, "session");
    let review = match status.last_review.as_deref().filter(|last| *last != NONE_YET) {
        Some(last) => format!("last {last}; {since} since"),
        None => format!("none yet; {since} so far"),
    };
    let _ = writeln!(text, "  review    {review}");
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
            "  journal   {} in MEMORY.md, {}",
            counted(journal.window.records, "record"),
            counted(journal.window.chars, "character")
        );
        for warning in &journal.warnings {
            let _ = writeln!(text, "            {} {warning}", styled(YELLOW, "large:"));
        }
    }
    if status.open_questions > 0 {
        let wait = if status.open_questions == 1 { "waits" } else { "wait" };
        let open = format!("{} {wait} for you (`quipu questions`)", status.open_questions);
        let _ = writeln!(text, "  questions {}", styled(YELLOW, open));
    }
    if let Some(last) = status.last_dream {
        let _ = writeln!(text, "  dream     last {}", last.strftime("%Y-%m-%d %H:%M"));
    }
    let lint = match (status.lint_errors, status.lint_warnings) {
        (0, 0) => styled(GREEN, "clean"),
        (0, warnings) => styled(YELLOW, counted(warnings, "warning")),
        (errors, warnings) => styled(RED, {
            format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
        }),
    };
    let _ = writeln!(text, "  lint      {lint}");
    text
}
