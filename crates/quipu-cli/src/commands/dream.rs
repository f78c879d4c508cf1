//! `quipu dream`: the night's work.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use quipu_engine::dream::{DreamRequest, Dreamt, Step};
use quipu_engine::judge::Judge;
use serde_json::json;

use crate::cli::{DreamArgs, DryRun};
use crate::context::Context;
use crate::error::CommandError;
use crate::progress::Steps;
use crate::reply::{self, BOLD, CYAN, DIM, Reply, YELLOW, styled};

/// So many actions of a step are told; the rest is counted.
const MOST_TOLD: usize = 10;

pub(crate) fn run(arguments: &DreamArgs, context: &Context) -> Result<Reply, CommandError> {
    let workspace = context.workspace()?;
    let dry_run = arguments.dry.dry_run;
    if arguments.list {
        return list(&workspace);
    }
    if let Some(run) = &arguments.undo {
        let request = context.request("dream", dry_run);
        let run = Some(run.as_str()).filter(|run| !run.is_empty());
        let (run, events) = workspace.undo_dream(run, &request)?;
        let verb = if dry_run { "would take back" } else { "took back" };
        let text =
            format!("{verb} {}: {events} events do not count any more\n", styled(CYAN, &run));
        return Ok(Reply::new(text, json!({ "run": run, "events": events, "dry_run": dry_run })));
    }
    let judge = if arguments.judge { Some(workspace.judge()?) } else { None };
    let bar = Steps::new(context);
    let begun = Instant::now();
    let patience = arguments.minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let mut progress = |step: &str, done: usize, total: usize| {
        let go_on = bar.set(step, done, total);
        go_on && patience.is_none_or(|patience| begun.elapsed() < patience)
    };
    let request = DreamRequest {
        now: context.now(),
        dry_run,
        steps: arguments.steps.clone(),
        only: arguments.only.clone(),
        skip: arguments.skip.clone(),
        judge: judge.as_ref().map(|judge| judge as &dyn Judge),
    };
    let done = workspace.dream(&request, &mut progress)?;
    drop(bar);
    let judged = match &judge {
        Some(judge) if !dry_run => {
            let request = context.request("answer", false);
            Some(workspace.answer_by(
                judge,
                (usize::MAX, Some(&done.run)),
                &request,
                &mut |_, _| {},
            )?)
        }
        _ => None,
    };
    super::tell_recovered(&workspace);
    let open = if dry_run { 0 } else { workspace.questions(context.now())?.len() };
    let mut data = json!(done);
    data["dry_run"] = json!(dry_run);
    data["open_questions"] = json!(open);
    data["judged"] = json!(judged);
    let mut text = words(&done, dry_run);
    if let Some(judged) = &judged {
        super::questions::tell_judged(&mut text, judged, false);
    }
    let advice = match (done.actions.is_empty(), dry_run) {
        (true, _) if open > 0 => waiting(open),
        (true, _) => String::new(),
        (_, true) => "`quipu dream` does it; `--only ACTION` or `--skip ACTION` chooses".to_owned(),
        (_, false) if open > 0 => {
            format!(
                "{open} questions wait: `quipu questions --next`\n`quipu dream --undo` takes all of it back"
            )
        }
        (_, false) => "`quipu dream --undo` takes all of it back".to_owned(),
    };
    Ok(Reply::new(text, data).advise(advice))
}

fn waiting(open: usize) -> String {
    let wait = if open == 1 { "question waits" } else { "questions wait" };
    format!("{open} {wait}: `quipu questions --next`")
}

/// Draws the consequences of drift: that step of the dream, and no other.
pub(crate) fn drift(dry_run: bool, context: &Context) -> Result<Reply, CommandError> {
    let arguments =
        DreamArgs { steps: vec![Step::Drift], dry: DryRun { dry_run }, ..DreamArgs::default() };
    run(&arguments, context)
}

fn list(workspace: &quipu_engine::Workspace) -> Result<Reply, CommandError> {
    let dreams = workspace.dreams()?;
    let data = json!({ "count": dreams.len(), "dreams": dreams });
    if dreams.is_empty() {
        return Ok(Reply::new("there was no dream yet\n", data).exit(1));
    }
    let rows = dreams.into_iter().map(|dream| {
        let did = if dream.taken_back { format!("{} (taken back)", dream.did) } else { dream.did };
        vec![dream.at.strftime("%Y-%m-%d %H:%M").to_string(), dream.run, did]
    });
    Ok(Reply::new(reply::table(&["when", "run", "what"], rows.collect()), data))
}

/// The report: what each step did, the first actions by name.
fn words(done: &Dreamt, dry_run: bool) -> String {
    let mut text = String::new();
    for note in &done.notes {
        let _ = writeln!(text, "{} {note}", styled(YELLOW, "note:"));
    }
    if done.actions.is_empty() && done.stopped {
        text.push_str("nothing was done yet\n");
    } else if done.actions.is_empty() && !done.resumed {
        let _ = writeln!(text, "looked at {} memories: nothing to do", done.looked_at);
    } else if done.resumed {
        let _ = writeln!(text, "{}", styled(BOLD, "The rest of the night's work"));
    } else {
        let verb = if dry_run { "would do" } else { "did" };
        let title = format!("The night's work over {} memories ({verb})", done.looked_at);
        let _ = writeln!(text, "{}", styled(BOLD, title));
    }
    for step in Step::ALL {
        let actions: Vec<_> = done.actions.iter().filter(|action| action.step == step).collect();
        if actions.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{} {}", styled(BOLD, step.as_str()), in_words(step));
        for action in actions.iter().take(MOST_TOLD) {
            let _ = writeln!(text, "  {}  {}", styled(CYAN, &action.id), action.does);
            let _ = writeln!(text, "    {}", styled(DIM, &action.why));
        }
        if actions.len() > MOST_TOLD {
            let _ = writeln!(text, "  … and {} more (--json lists all)", actions.len() - MOST_TOLD);
        }
    }
    if done.folded > 0 {
        let _ = writeln!(text, "\n{} old uses now stand together with others", done.folded);
    }
    if done.compressed > 0 {
        let _ = writeln!(text, "{} vectors changed their width with retention", done.compressed);
    }
    if !done.skipped.is_empty() {
        let _ = writeln!(text, "\n{} left alone: changed meanwhile", done.skipped.len());
    }
    if done.stopped {
        text.push_str("\nstopped before the end: the next `quipu dream` goes on\n");
    }
    text
}

fn in_words(step: Step) -> &'static str {
    match step {
        Step::Fade => "what faded was put away, what is used promoted",
        Step::Merge => "what says the same",
        Step::Cards => "what is known about whom",
        Step::Bridges => "what may belong together",
        Step::Beliefs => "old beliefs, put to a judge",
        Step::Drift => "what the code no longer has",
        Step::Prune => "old uses and vectors",
    }
}
