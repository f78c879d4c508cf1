//! Answers to what needs judgement.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::questions::{self, AnswerGiven, Judged};
use crate::workspace::Workspace;

/// Answer a question; what the answer does happens with it
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Answer {
    /// The question (a beginning of its id will do)
    #[arg(required_unless_present = "judge")]
    pub id: Option<String>,
    /// The answer: its name or its number
    #[arg(required_unless_present_any = ["judge", "undo"])]
    pub choice: Option<String>,
    /// Why
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    pub reason: String,
    /// The person who answers (default: `QUIPU_USER`); an agent signs with its own name
    #[arg(long, value_name = "NAME")]
    #[serde(skip)]
    pub by: Option<String>,
    /// Let the configured judge answer what is open
    #[arg(long, conflicts_with_all = ["id", "choice", "undo"])]
    #[serde(default)]
    pub judge: bool,
    /// The judge answers at most so many
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    #[serde(default = "fifty")]
    pub most: usize,
    /// Take an answer back, with what it did
    #[arg(long, conflicts_with = "choice")]
    #[serde(default)]
    pub undo: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

fn fifty() -> usize {
    50
}

/// What became of an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnswerTaken {
    /// It was given.
    Given {
        /// What it did.
        #[serde(flatten)]
        given: AnswerGiven,
        /// Whether it only shows what it would do.
        dry_run: bool,
    },
    /// It was taken back.
    TakenBack {
        /// The question.
        id: String,
        /// How many events do not count any more.
        events: usize,
        /// Whether it only shows what would be taken back.
        dry_run: bool,
    },
    /// The judge answered.
    Judged {
        /// What, and what it could not answer.
        #[serde(flatten)]
        judged: Judged,
        /// Whether it only shows what it would do.
        dry_run: bool,
    },
}

impl Output for AnswerTaken {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Given { given, .. } => answer_said(given, each),
            Self::TakenBack { .. } => {}
            Self::Judged { judged, .. } => judged_said(judged, each),
        }
    }

    fn wants_attention(&self) -> bool {
        match self {
            Self::Judged { judged, .. } => judged.answers.is_empty() && !judged.failed.is_empty(),
            _ => false,
        }
    }
}

fn answer_said(given: &mut AnswerGiven, each: &mut dyn FnMut(&mut String)) {
    each(&mut given.does);
    each(&mut given.reason);
}

/// Hands over the words of what a judge answered.
pub(super) fn judged_said(judged: &mut Judged, each: &mut dyn FnMut(&mut String)) {
    judged.answers.iter_mut().for_each(|given| answer_said(given, each));
    judged.failed.iter_mut().for_each(|(_, why)| each(why));
}

impl Operation for Answer {
    const NAME: &'static str = "answer";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> =
        Some("Settle a question from `questions`. Only with evidence, or when the user decided.");
    type Output = AnswerTaken;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<AnswerTaken, OperationError> {
        let misused = |why: &str| Err(OperationError::input("arguments", why));
        let dry_run = self.dry.dry_run;
        let request = call.request("answer", dry_run);
        if self.judge {
            if self.undo || self.id.is_some() || self.choice.is_some() {
                return misused("`judge` goes neither with `id` and `choice` nor with `undo`");
            }
            let judge = questions::judge(on)?;
            // This work cannot be stopped half way.
            let mut progress = |done: usize, total: usize| {
                (call.progress)("asking the judge", done, total);
            };
            let judged =
                questions::answer_by(on, &judge, (self.most, None), &request, &mut progress)?;
            return Ok(AnswerTaken::Judged { judged, dry_run });
        }
        let Some(id) = self.id.as_deref() else {
            return misused("`id` is missing: which question?");
        };
        match (&self.choice, self.undo) {
            (Some(_), true) => misused("`choice` and `undo` exclude each other"),
            (None, false) => misused("`choice` is missing: the name of the answer, or its number"),
            (None, true) => {
                let events = questions::take_answer_back(on, id, &request)?;
                Ok(AnswerTaken::TakenBack { id: id.to_owned(), events, dry_run })
            }
            (Some(choice), false) => {
                let by = call.caller.signature(self.by.as_deref())?;
                let given =
                    questions::answer(on, id, choice, (&by, self.reason.as_str()), &request)?;
                Ok(AnswerTaken::Given { given, dry_run })
            }
        }
    }
}
