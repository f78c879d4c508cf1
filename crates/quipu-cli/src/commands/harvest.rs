//! `quipu harvest`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use quipu_core::harvest::{Action, Kind, Step};
use quipu_core::text;
use quipu_engine::harvest::{self, Accepted, Pick, Reworded};
use quipu_engine::operations::{Harvest, Harvested, Reaped};

use crate::context::Context;
use crate::error::CommandError;
use crate::output;
use crate::progress::Steps;
use crate::reply::{BOLD, CYAN, DIM, Reply, YELLOW, diff_text, styled};
use crate::spoken::Spoken;

/// What a harvest found.
type Found = quipu_engine::harvest::Harvest;

/// So many documents that were not read are named.
const MOST_NAMED: usize = 10;

impl Spoken for Harvest {
    fn complete(&mut self, context: &Context) -> Result<(), CommandError> {
        for path in &mut self.paths {
            *path = from_here(path);
        }
        self.picked = match &self.reworded {
            Some(file) => Some(Pick::Reworded(reworded(file)?)),
            None if self.interactive => Some(Pick::Named(ask(&look(self, context)?.plan.steps)?)),
            None => None,
        };
        Ok(())
    }

    fn talks(&self) -> bool {
        self.interactive
    }

    fn say(&self, output: &Harvested, _: &Context) -> Reply {
        match &output.reaped {
            Some(reaped) => written(&output.harvest, reaped, self.dry.dry_run),
            None => shown(&output.harvest, self.all),
        }
    }
}

/// Returns a path as it is seen from the folder that the command runs in.
fn from_here(path: &Path) -> PathBuf {
    let here = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if here.exists() { here } else { path.to_owned() }
}

/// Returns the proposals to ask about.
fn look(asked: &Harvest, context: &Context) -> Result<Found, CommandError> {
    let workspace = context.glimpse()?;
    let steps = Steps::new(context);
    let mut progress = |done: usize, total: usize| {
        steps.set("reading documents", done, total);
    };
    let found = harvest::harvest(&workspace, &asked.place(), &mut progress);
    crate::spoken::tell_recovered(&workspace);
    found
}

fn reworded(file: &Path) -> Result<Vec<Reworded>, CommandError> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        io::stdin().read_to_string(&mut text).map(drop)
    } else {
        std::fs::read_to_string(file).map(|read| text = read)
    };
    let shown = file.display();
    read.map_err(|error| CommandError::input("io", format!("cannot read `{shown}`: {error}")))?;
    serde_json::from_str(&text).map_err(|error| {
        CommandError::input("bad-json", format!("`{shown}` cannot be used: {error}"))
            .hint("a list such as [{\"id\": \"use-postgres\", \"text\": \"Orders live in PostgreSQL, because …\"}]")
    })
}

fn shown(harvest: &Found, all: bool) -> Reply {
    let mut text = found_text(harvest);
    for step in &harvest.plan.steps {
        text.push_str(&step_text(step));
    }
    text.push_str(&rest_text(harvest, all));
    let advice = if harvest.plan.steps.is_empty() {
        "nothing new; `quipu harvest --all` also lists what was left out and not read"
    } else {
        "write all with --accept, some with --accept ID,ID or --interactive; --json and --reworded let an agent find better words"
    };
    Reply::words(text).advise(advice)
}

fn found_text(harvest: &Found) -> String {
    let steps = harvest.plan.steps.len();
    format!(
        "{} {}: {steps} new, {} known, {} left out\n",
        styled(BOLD, "Harvest of"),
        text::counted(harvest.documents, "document"),
        harvest.plan.known,
        harvest.plan.left_out.len()
    )
}

fn step_text(step: &Step) -> String {
    let proposal = &step.proposal;
    let mut text = format!(
        "{:>3}  {} {}  {}\n     {}\n     {}\n",
        step.number,
        step.action.as_str(),
        styled(CYAN, &step.id),
        styled(DIM, format!("{} → {}", proposal.kind.as_str(), step.section)),
        step.words(),
        styled(DIM, format!("{}:{} ({})", proposal.path(), proposal.line, proposal.why)),
    );
    for old in &step.supersedes {
        let _ = writeln!(text, "     supersedes {}", styled(CYAN, old));
    }
    if step.action == Action::Restore {
        let _ = writeln!(text, "     its document says it again");
    }
    if step.action == Action::Retire {
        let by = step
            .superseded_by
            .as_ref()
            .map_or(String::new(), |id| format!(", by {}", styled(CYAN, id)));
        let what = if proposal.kind == Kind::Plan { "closes the thread" } else { "holds no more" };
        let _ = writeln!(text, "     {what}{by}");
    }
    for other in &step.conflicts {
        let _ = writeln!(
            text,
            "     {} {}: {}",
            styled(YELLOW, "contradicts"),
            styled(CYAN, &other.id),
            other.reasons.join("; ")
        );
    }
    text
}

fn rest_text(harvest: &Found, all: bool) -> String {
    let mut text = String::new();
    if harvest.beyond_limit > 0 {
        let _ = writeln!(text, "… and {} more beyond --limit", harvest.beyond_limit);
    }
    for left in harvest.plan.left_out.iter().filter(|_| all) {
        let _ = writeln!(text, "  {} {}: {}", styled(DIM, "left out"), left.source, left.why);
    }
    text.push_str(&unused_text(harvest, all));
    for (path, why) in harvest.skipped.iter().take(MOST_NAMED) {
        let _ = writeln!(text, "  {} {path}: {why}", styled(YELLOW, "not read"));
    }
    if harvest.skipped.len() > MOST_NAMED {
        let _ = writeln!(text, "  … and {} more", harvest.skipped.len() - MOST_NAMED);
    }
    text
}

/// Returns how many texts say nothing to a harvest, and which where all is asked for.
fn unused_text(harvest: &Found, all: bool) -> String {
    let mut text = String::new();
    for (list, what) in [(&harvest.unread, "not read"), (&harvest.silent, "nothing taken from")] {
        if all {
            for (path, why) in list {
                let _ = writeln!(text, "  {} {path}: {why}", styled(DIM, what));
            }
            continue;
        }
        for (why, count) in counted(list) {
            let _ =
                writeln!(text, "  {} {}: {why}", styled(DIM, what), text::counted(count, "text"));
        }
    }
    text
}

fn counted(list: &[(String, String)]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for (_, why) in list {
        *counts.entry(why.as_str()).or_default() += 1;
    }
    counts
}

fn written(harvest: &Found, reaped: &Reaped, dry_run: bool) -> Reply {
    let Reaped { accepted, diff, .. } = reaped;
    let mut text = found_text(harvest);
    text.push_str(&rest_text(harvest, false));
    let verb = if dry_run { "would write" } else { "wrote" };
    let more = [
        ("superseded", accepted.superseded.len(), ""),
        ("closed", accepted.closed.len(), ""),
        ("opened", accepted.reopened.len(), " again"),
        ("moved", accepted.moved.len(), ""),
    ];
    let mut did = vec![format!("{verb} {}", text::counted(accepted.created.len(), "fact"))];
    let more = more.into_iter().filter(|(_, count, _)| *count > 0);
    did.extend(more.map(|(verb, count, end)| format!("{verb} {count}{end}")));
    if !accepted.raised.is_empty() {
        did.push(format!("raised {}", text::counted(accepted.raised.len(), "contradiction")));
    }
    let _ = writeln!(text, "{}", did.join(", "));
    if dry_run {
        text.push_str(&diff_text(diff));
    } else {
        for id in accepted.created.iter().chain(&accepted.raised) {
            let _ = writeln!(text, "  {}", styled(CYAN, id));
        }
    }
    let is_empty = *accepted == Accepted::default();
    let advice =
        if dry_run || is_empty || diff.is_empty() { "" } else { "`quipu undo` takes it back" };
    Reply::words(text).advise(advice)
}

/// Asks about each proposal; returns those to write.
fn ask(steps: &[Step]) -> Result<Vec<String>, CommandError> {
    let failed = |error: io::Error| CommandError::usage(format!("cannot ask: {error}"));
    if !io::stdin().is_terminal() && steps.is_empty() {
        return Ok(Vec::new());
    }
    let mut taken = Vec::new();
    let mut answers = io::stdin().lock().lines();
    for step in steps {
        let question = format!("{}     write it? [y/N/a/q] ", step_text(step));
        output::err(&question).map_err(failed)?;
        let answer = answers.next().transpose().map_err(failed)?.unwrap_or_else(|| "q".to_owned());
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => taken.push(step.id.clone()),
            "a" | "all" => {
                taken.extend(steps[step.number - 1..].iter().map(|step| step.id.clone()));
                break;
            }
            "q" | "quit" => {
                return Err(CommandError::input("cancelled", "cancelled; nothing was changed"));
            }
            _ => {}
        }
    }
    Ok(taken)
}
