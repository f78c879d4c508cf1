//! What needs judgement.

use clap::Args;
use quipu_core::question::{Asked, QuestionKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::names;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::questions::{self, OpenQuestion};
use crate::workspace::Workspace;

/// List what needs judgement, with its evidence and the possible answers
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Questions {
    /// Only the next one
    #[arg(long)]
    #[serde(default)]
    pub next: bool,
    /// Only of this kind
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = names!(QuestionKind))]
    #[serde(default)]
    pub kind: Vec<QuestionKind>,
    /// Those that were answered instead
    #[arg(long, conflicts_with = "next")]
    #[serde(default)]
    pub answered: bool,
}

/// Questions that wait, or that were answered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum QuestionList {
    /// Those that wait.
    Open {
        /// How many wait.
        count: usize,
        /// Those that were asked first first; perhaps only the next one.
        questions: Vec<OpenQuestion>,
    },
    /// Those that were answered.
    Answered {
        /// How many there are.
        count: usize,
        /// Oldest first.
        questions: Vec<Asked>,
    },
}

impl Output for QuestionList {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Open { questions, .. } => {
                for question in questions {
                    each(&mut question.asks);
                    each(&mut question.reason);
                    question.subjects.iter_mut().for_each(|subject| each(&mut subject.text));
                    question.choices.iter_mut().for_each(|choice| each(&mut choice.does));
                }
            }
            Self::Answered { questions, .. } => {
                for asked in questions {
                    each(&mut asked.question.reason);
                    asked.answer.iter_mut().for_each(|answer| each(&mut answer.reason));
                }
            }
        }
    }
}

impl Operation for Questions {
    const NAME: &'static str = "questions";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Contradictions, duplicates and doubts that wait for judgement, with evidence and possible \
         answers. Call it when there is time to settle them.",
    );
    type Output = QuestionList;

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<QuestionList, OperationError> {
        if self.answered && self.next {
            let why = "`next` and `answered` exclude each other";
            return Err(OperationError::input("arguments", why));
        }
        if self.answered {
            let questions = questions::answered_questions(on)?;
            return Ok(QuestionList::Answered { count: questions.len(), questions });
        }
        let mut questions = questions::questions(on, call.now)?;
        questions.retain(|one| self.kind.is_empty() || self.kind.contains(&one.kind));
        let count = questions.len();
        if self.next {
            questions.truncate(1);
        }
        Ok(QuestionList::Open { count, questions })
    }
}
