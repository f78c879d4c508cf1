//! `quipu dream`: the night's work.

use std::fmt::Write as _;

use quipu_engine::dream::{Dreamt, PastDream, Step};
use quipu_engine::operations::{Dream, Dreamed, Night};

use crate::context::Context;
use crate::reply::{self, BOLD, CYAN, DIM, Reply, YELLOW, styled};
use crate::spoken::Spoken;

/// So many actions of a step are told; the rest is counted.
const MOST_TOLD: usize = 10;

impl Spoken for Dream {
    fn say(&self, output: &Dreamed, _: &Context) -> Reply {
        match output {
            Dreamed::Dreams { dreams, .. } => Reply::words(list(dreams)),
            Dreamed::TakenBack { run, events, dry_run } => {
                let verb = if *dry_run { "would take back" } else { "took back" };
                let run = styled(CYAN, run);
                Reply::words(format!("{verb} {run}: {events} events do not count any more\n"))
            }
            Dreamed::Done(night) => told(night),
        }
    }
}

/// Tells of a dream, or of one step of it.
pub(super) fn told(night: &Night) -> Reply {
    let Night { done, dry_run, open_questions: open, judged } = night;
    let (dry_run, open) = (*dry_run, *open);
    let mut text = words(done, dry_run);
    if let Some(judged) = judged {
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
    Reply::words(text).advise(advice)
}

fn waiting(open: usize) -> String {
    let wait = if open == 1 { "question waits" } else { "questions wait" };
    format!("{open} {wait}: `quipu questions --next`")
}

fn list(dreams: &[PastDream]) -> String {
    if dreams.is_empty() {
        return "there was no dream yet\n".to_owned();
    }
    let rows = dreams.iter().map(|dream| {
        let taken_back = if dream.taken_back { " (taken back)" } else { "" };
        let did = format!("{}{taken_back}", dream.did);
        vec![dream.at.strftime("%Y-%m-%d %H:%M").to_string(), dream.run.clone(), did]
    });
    reply::table(&["when", "run", "what"], rows.collect())
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
