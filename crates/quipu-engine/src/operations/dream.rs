//! The night's work: everything that is remembered is gone through.

use std::time::{Duration, Instant};

use clap::{Args, ValueHint};
use quipu_core::item::Decision;
use quipu_core::journal::Record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::judged_said;
use crate::caller::Permission;
use crate::dream::{self, DreamRequest, Dreamt, PastDream, Step};
use crate::operation::input::{DryRun, names};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::questions::{self, Judge, Judged};
use crate::workspace::Workspace;

/// Go through everything that is remembered: put away what faded, merge what repeats, ask about the rest
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct Dream {
    /// Only these steps
    #[arg(long = "step", value_name = "STEP", value_delimiter = ',', value_parser = names!(Step))]
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Only these actions, as a dry run names them (a beginning will do)
    #[arg(long, value_name = "ACTION", value_delimiter = ',')]
    #[serde(default)]
    pub only: Vec<String>,
    /// Not these actions
    #[arg(long, value_name = "ACTION", value_delimiter = ',')]
    #[serde(default)]
    pub skip: Vec<String>,
    /// Let the configured judge find words and answer the questions
    #[arg(long)]
    #[serde(default)]
    pub judge: bool,
    /// Stop after so many minutes; the next dream goes on
    #[arg(long, value_name = "MINUTES")]
    pub minutes: Option<u64>,
    /// List the dreams that were
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    #[serde(default)]
    pub list: bool,
    /// Take back the last dream, or the one that is named: everything is as if it had not been
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", value_hint = ValueHint::Other)]
    pub undo: Option<String>,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What a dream did, or the dreams that were.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Dreamed {
    /// The dreams that were.
    Dreams {
        /// How many there were.
        count: usize,
        /// Oldest first.
        dreams: Vec<PastDream>,
    },
    /// One was taken back.
    TakenBack {
        /// Its name.
        run: String,
        /// How many events do not count any more.
        events: usize,
        /// Whether it only shows what would be taken back.
        dry_run: bool,
    },
    /// One was dreamt.
    Done(Box<Night>),
}

/// A dream that was dreamt just now, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Night {
    /// What it did.
    #[serde(flatten)]
    pub done: Dreamt,
    /// Whether it only shows what it would do.
    pub dry_run: bool,
    /// How many questions wait now.
    pub open_questions: usize,
    /// What the judge answered, where one was asked.
    pub judged: Option<Judged>,
}

impl Output for Night {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        for action in &mut self.done.actions {
            each(&mut action.does);
            each(&mut action.why);
            for record in &mut action.records {
                record_said(record, each);
            }
        }
        if let Some(judged) = &mut self.judged {
            judged_said(judged, each);
        }
    }
}

/// Hands over the words of a record that a dream writes.
fn record_said(record: &mut Record, each: &mut dyn FnMut(&mut String)) {
    each(&mut record.text);
    match &mut record.decision {
        Some(Decision::Edit { text }) => each(text),
        Some(Decision::Annotate { note }) => each(note),
        Some(Decision::Ask { question }) => each(&mut question.reason),
        _ => {}
    }
}

impl Output for Dreamed {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        if let Self::Done(night) = self {
            night.said(each);
        }
    }

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Dreams { dreams, .. } if dreams.is_empty())
    }
}

impl Operation for Dream {
    const NAME: &'static str = "dream";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    type Output = Dreamed;

    fn effect(&self) -> Effect {
        if self.list { Effect::Reads } else { self.dry.effect(Self::EFFECT) }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Dreamed, OperationError> {
        let dry_run = self.dry.dry_run;
        if self.list && (self.undo.is_some() || dry_run) {
            let why = "`list` goes neither with `undo` nor with `dry_run`";
            return Err(OperationError::input("arguments", why));
        }
        if self.list {
            let dreams = dream::dreams(on)?;
            return Ok(Dreamed::Dreams { count: dreams.len(), dreams });
        }
        if let Some(run) = &self.undo {
            let run = Some(run.as_str()).filter(|run| !run.is_empty());
            let (run, events) = dream::undo_dream(on, run, &call.request("dream", dry_run))?;
            return Ok(Dreamed::TakenBack { run, events, dry_run });
        }
        Ok(Dreamed::Done(Box::new(self.dream(on, call)?)))
    }
}

impl Dream {
    /// Goes through the memory.
    pub(super) fn dream(&self, on: &Workspace, call: &Call<'_>) -> Result<Night, OperationError> {
        let dry_run = self.dry.dry_run;
        let judge = if self.judge { Some(questions::judge(on)?) } else { None };
        let begun = Instant::now();
        let patience = self.minutes.map(|minutes| Duration::from_secs(minutes.saturating_mul(60)));
        let mut progress = |step: &str, done: usize, total: usize| {
            let go_on = (call.progress)(step, done, total);
            go_on && patience.is_none_or(|patience| begun.elapsed() < patience)
        };
        let request = DreamRequest {
            now: call.now,
            dry_run,
            steps: self.steps.clone(),
            only: self.only.clone(),
            skip: self.skip.clone(),
            judge: judge.as_ref().map(|judge| judge as &dyn Judge),
        };
        let done = dream::dream(on, &request, &mut progress)?;
        let judged = match &judge {
            Some(judge) if !dry_run => {
                let request = call.request("answer", false);
                let within = (usize::MAX, Some(done.run.as_str()));
                Some(questions::answer_by(on, judge, within, &request, &mut |_, _| {})?)
            }
            _ => None,
        };
        let open_questions = if dry_run { 0 } else { questions::questions(on, call.now)?.len() };
        Ok(Night { done, dry_run, open_questions, judged })
    }
}
