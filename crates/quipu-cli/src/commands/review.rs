//! `quipu review`.

use std::fmt::Write as _;
use std::io::{self, BufRead as _};

use quipu_core::review::{Action, Item, ReviewPlan};
use quipu_core::text::counted;
use quipu_engine::operations::{Review, Reviewed};
use quipu_engine::{Diff, Workspace, facts};

use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::reply::{BOLD, CYAN, DIM, GREEN, Reply, YELLOW, diff_text, styled};
use crate::spoken::Spoken;

impl Spoken for Review {
    fn ask(&mut self, workspace: &Workspace, context: &Context) -> Result<(), CommandError> {
        if !self.interactive {
            return Ok(());
        }
        let call = context.call(&|_, _, _| true);
        let selection = self.selection(workspace, &call)?;
        let (plan, _) = facts::review(workspace, &selection, &call.request("review", true))?;
        self.except.extend(refused(&plan)?);
        Ok(())
    }

    fn talks(&self) -> bool {
        self.interactive
    }

    fn say(&self, output: &Reviewed, _: &Context) -> Reply {
        let dry_run = self.dry.dry_run;
        let advice = match (output.plan.is_empty(), dry_run) {
            (true, _) => "",
            (_, true) => "apply it with `quipu review`; leave something out with --except ID",
            (_, false) => "`quipu undo` takes it back",
        };
        Reply::words(plan_text(&output.plan, &output.diff, dry_run)).advise(advice)
    }
}

/// Renders a plan as it is shown to a person.
pub(crate) fn plan_text(plan: &ReviewPlan, diff: &Diff, dry_run: bool) -> String {
    let mut text = String::new();
    let through = plan.through.as_deref().unwrap_or("no session yet");
    let _ = writeln!(text, "{} {} through {through}", styled(BOLD, "Memory review"), plan.today);
    let window = &plan.window;
    let _ = writeln!(
        text,
        "  {} since the last review; {} created, {} used",
        counted(window.sessions, "session"),
        counted(window.created.len(), "fact"),
        window.used.len(),
    );
    for trigger in &plan.triggers {
        let _ = writeln!(text, "  {} {trigger}", styled(YELLOW, "due:"));
    }
    text.push_str(&steps(&plan.items));
    for held in &plan.held {
        let _ =
            writeln!(text, "  {} {}: {}", styled(YELLOW, "held"), styled(CYAN, &held.id), held.why);
    }
    for proposal in &plan.core_proposals {
        let _ = writeln!(
            text,
            "  {} {}: {}",
            styled(YELLOW, "core?"),
            styled(CYAN, &proposal.id),
            proposal.why
        );
    }
    for notice in &plan.notices {
        let _ = writeln!(
            text,
            "  {} [{}] {}\n       {}",
            styled(YELLOW, "look"),
            notice.code,
            notice.message,
            styled(DIM, format!("→ {}", notice.hint))
        );
    }
    if diff.is_empty() {
        let _ = writeln!(text, "nothing to change");
        return text;
    }
    let _ = writeln!(text);
    text.push_str(&diff_text(diff));
    let verdict = if dry_run { "dry run: nothing was changed" } else { "applied" };
    let _ = writeln!(text, "{}", styled(GREEN, verdict));
    text
}

fn steps(items: &[Item]) -> String {
    let mut text = String::new();
    for action in Action::ALL {
        for item in items.iter().filter(|item| item.action == action) {
            let _ = writeln!(
                text,
                "  {:<10} {}  {}",
                action.as_str(),
                styled(CYAN, &item.id),
                styled(DIM, &item.why)
            );
        }
    }
    text
}

/// Asks about each fact that would move; returns those to leave out.
fn refused(plan: &ReviewPlan) -> Result<Vec<String>, CommandError> {
    let moves = [Action::Reactivate, Action::File, Action::Archive, Action::Sweep, Action::Verify];
    let failed = |error: io::Error| CommandError::usage(format!("cannot ask: {error}"));
    let mut left_out = Vec::new();
    let mut answers = io::stdin().lock().lines();
    for item in plan.items.iter().filter(|item| moves.contains(&item.action)) {
        let question =
            format!("{} {} ({})? [Y/n/q] ", item.action.as_str(), styled(CYAN, &item.id), item.why);
        output::err(&question).map_err(failed)?;
        let answer = answers.next().transpose().map_err(failed)?.unwrap_or_else(|| "q".to_owned());
        match answer.trim().to_lowercase().as_str() {
            "" | "y" | "yes" => {}
            "q" | "quit" => {
                return Err(CommandError::input("cancelled", "cancelled; nothing was changed"));
            }
            _ => left_out.push(item.id.clone()),
        }
    }
    Ok(left_out)
}
