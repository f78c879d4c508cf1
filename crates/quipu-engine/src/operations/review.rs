//! Reviews: the memory is brought up to date with the session logs.

use clap::Args;
use quipu_core::review::{ReviewPlan, Selection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::facts;
use crate::operation::input::{DryRun, separated};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::operations::FileChange;
use crate::report;
use crate::workspace::{Diff, Workspace};

/// Bring the memory up to date with the session logs: fade, file, sweep, bring back
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Review {
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
    /// Take only these steps: action names (refresh, origin, reactivate, file, archive, sweep,
    /// verify, stamp) or fact ids
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    #[serde(default)]
    pub only: Vec<String>,
    /// Leave these steps out: action names or fact ids
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    #[serde(default)]
    pub except: Vec<String>,
    /// Ask about each fact that would move
    #[arg(short, long, conflicts_with_all = ["json", "dry_run"])]
    #[serde(skip)]
    pub interactive: bool,
}

/// What a review did, or would do.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reviewed {
    /// The plan.
    #[serde(flatten)]
    pub plan: ReviewPlan,
    /// Whether it was carried out.
    pub applied: bool,
    /// The lines that changed.
    pub changes: Vec<FileChange>,
    /// The same with both texts.
    #[serde(skip)]
    pub diff: Diff,
}

impl Output for Reviewed {
    fn said(&mut self, each: &mut dyn FnMut(&mut String)) {
        each(&mut self.plan.summary);
    }
}

impl Review {
    /// Returns the steps that the caller wants.
    ///
    /// # Errors
    /// When a name is neither a step nor a fact.
    pub fn selection(&self, on: &Workspace, call: &Call<'_>) -> Result<Selection, OperationError> {
        let selection = Selection { only: separated(&self.only), except: separated(&self.except) };
        if selection == Selection::default() {
            return Ok(selection);
        }
        let (whole, _) = facts::review(on, &Selection::default(), &call.request("review", true))?;
        // An id that has no step today is no mistake; one that nobody knows is.
        let unknown: Vec<&str> = (selection.unknown(&whole.items).into_iter())
            .filter(|name| report::why(on, name).is_err())
            .collect();
        if !unknown.is_empty() {
            let message = format!("neither a step nor a fact: {}", unknown.join(", "));
            return Err(OperationError::input("unknown-step", message).hint(
                "`quipu review --dry-run` lists the steps: take an id or an action from there",
            ));
        }
        Ok(selection)
    }
}

impl Operation for Review {
    const NAME: &'static str = "review";
    const EFFECT: Effect = Effect::Writes;
    const PERMISSION: Permission = Permission::Write;
    const AUDIENCE: Audience = Audience::Main;
    const FOR_AGENTS: Option<&'static str> = Some(
        "Move team facts by how often sessions used them: keep, fade, archive, bring back. Call it when \
         `status` says that a review is due.",
    );
    const LOOKS_FIRST: bool = true;
    type Output = Reviewed;

    fn effect(&self) -> Effect {
        self.dry.effect(Self::EFFECT)
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<Reviewed, OperationError> {
        let selection = self.selection(on, call)?;
        let dry_run = self.dry.dry_run;
        let (plan, diff) = facts::review(on, &selection, &call.request("review", dry_run))?;
        let applied = !dry_run && !plan.is_empty();
        Ok(Reviewed { plan, applied, changes: FileChange::all(&diff), diff })
    }
}
