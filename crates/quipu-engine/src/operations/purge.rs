//! Removing words for good.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::operation::input::DryRun;
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::purge::{self, Purged};
use crate::workspace::Workspace;

/// Remove the words of a record for good, in every file and table (for secrets)
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Purge {
    /// The id, or a beginning of it that only it has
    #[arg(required_unless_present = "value", conflicts_with = "value")]
    #[schemars(required)]
    pub id: Option<String>,
    /// Remove a value wherever it is; asks for it without showing it, or reads one line from stdin
    #[arg(long)]
    #[serde(skip)]
    pub value: bool,
    /// That value. It is never an argument, and no agent can say it: they must not see it.
    #[arg(skip)]
    #[serde(skip)]
    pub typed: Option<String>,
    /// Why; it is kept with the date
    #[arg(short, long, value_name = "TEXT")]
    pub reason: String,
    /// Really remove the words for good: nothing can bring them back
    #[arg(long, conflicts_with = "dry_run")]
    #[serde(default)]
    pub yes: bool,
    /// Take a value of 4 to 7 characters too, which may be part of other words
    #[arg(long, requires = "value")]
    #[serde(skip)]
    pub yes_short: bool,
    /// Look without touching.
    #[command(flatten)]
    #[serde(flatten)]
    pub dry: DryRun,
}

/// What was removed for good, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PurgedWords {
    /// The places.
    #[serde(flatten)]
    pub purged: Purged,
    /// Whether it only shows what would be removed.
    pub dry_run: bool,
    /// Whether nothing was removed by a caller who did not ask for a dry run.
    #[serde(skip)]
    pub is_unfinished: bool,
}

impl Output for PurgedWords {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        self.is_unfinished
    }
}

impl Operation for Purge {
    const NAME: &'static str = "purge";
    const EFFECT: Effect = Effect::Removes;
    const PERMISSION: Permission = Permission::Admin;
    const AUDIENCE: Audience = Audience::Main;
    type Output = PurgedWords;

    fn effect(&self) -> Effect {
        if self.yes { Self::EFFECT } else { Effect::Reads }
    }

    fn run(&self, on: &Workspace, call: &Call<'_>) -> Result<PurgedWords, OperationError> {
        let refused = |why: &str| Err(OperationError::input("arguments", why));
        if self.yes && self.dry.dry_run {
            return refused("`yes` and `dry_run` exclude each other");
        }
        let dry_run = !self.yes;
        let request = call.request("purge", dry_run);
        let purged = match (&self.id, &self.typed) {
            (Some(id), None) => purge::purge(on, id, &self.reason, &request)?,
            (None, Some(value)) => {
                let purge =
                    |one| purge::purge_value(one, value, &self.reason, self.yes_short, &request);
                let mut purged = purge(on)?;
                let others = on.all_scopes().skip(1).filter(|_| call.scope.is_none());
                for other in others {
                    let more = purge(other)?;
                    let folder = other.root().display();
                    // A file of the state folder says where it is.
                    let place = |path: &String| {
                        if Path::new(path).is_absolute() {
                            path.clone()
                        } else {
                            format!("{folder}/{path}")
                        }
                    };
                    purged.files.extend(more.files.iter().map(place));
                    for place in more.not_reached {
                        if !purged.not_reached.contains(&place) {
                            purged.not_reached.push(place);
                        }
                    }
                    purged.renamed.extend(more.renamed);
                }
                purged
            }
            _ => return refused("`id` is missing: whose words to remove"),
        };
        let is_nowhere = self.typed.is_some() && purged.files.is_empty();
        let is_unfinished = is_nowhere || (dry_run && !self.dry.dry_run);
        Ok(PurgedWords { purged, dry_run, is_unfinished })
    }
}
