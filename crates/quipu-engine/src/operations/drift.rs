//! What memories say about the code, and the code no longer has.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dream::{Dream, Night};
use crate::caller::Permission;
use crate::dream::Step;
use crate::drift::{self, DriftReport, DriftScore};
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Find what memories say about the code and the code no longer has, by git's history
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Drift {
    /// Draw the consequences: invalidate what certainly speaks of what is gone, ask about the rest
    #[arg(long)]
    #[serde(default)]
    pub fix: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What drifted, or what was done about it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Drifted {
    /// What was found.
    Found(DriftFound),
    /// What a dream did about it, with that step alone.
    Fixed(Box<Night>),
}

/// What was found out about the memories.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DriftFound {
    /// What no longer holds.
    #[serde(flatten)]
    pub report: DriftReport,
    /// The score of all memories together.
    pub score: ValuedScore,
}

/// A score with its value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ValuedScore {
    /// What it is made of.
    #[serde(flatten)]
    pub score: DriftScore,
    /// 100 where nothing has gone, and less the more has.
    pub value: f64,
}

impl From<DriftReport> for DriftFound {
    fn from(report: DriftReport) -> Self {
        let score = ValuedScore { score: report.score, value: report.score.value() };
        Self { report, score }
    }
}

impl Output for Drifted {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            Self::Found(found) => {
                for finding in &mut found.report.findings {
                    each(&mut finding.claim.text);
                    each(&mut finding.reason);
                }
            }
            Self::Fixed(night) => night.said(each),
        }
    }

    fn wants_attention(&self) -> bool {
        matches!(self, Self::Found(found) if !found.report.findings.is_empty())
    }
}

impl Operation for Drift {
    const NAME: &'static str = "drift";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const LOOKS_FIRST: bool = true;
    type Output = Drifted;

    fn effect(&self) -> Effect {
        if self.fix { self.dry.effect(Self::EFFECT) } else { Effect::Reads }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Drifted, OperationError> {
        if !self.fix {
            return Ok(Drifted::Found(drift::drift(on)?.into()));
        }
        let dream = Dream { steps: vec![Step::Drift], dry: self.dry, ..Dream::default() };
        Ok(Drifted::Fixed(Box::new(dream.dream(on, call)?)))
    }
}
