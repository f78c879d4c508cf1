//! What is wrong with the memory folder.

use std::path::PathBuf;

use clap::Args;
use quipu_core::lint::Finding;
use quipu_core::text::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Permission;
use crate::facts::{self, Linted};
use crate::operation::{Audience, Call, Effect, Operation, OperationError, Output};
use crate::workspace::Workspace;

/// Check the memory folder; every finding says how to clear it
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct Lint {
    /// Warnings fail too
    #[arg(long)]
    #[serde(default)]
    pub strict: bool,
    /// Ask git for every commit that changed or deleted a session log (slower)
    #[arg(long)]
    #[serde(default)]
    pub history: bool,
    /// Print findings as SARIF 2.1.0, for code scanning services
    #[arg(long, conflicts_with = "json")]
    #[serde(skip)]
    pub sarif: bool,
    /// Only scan these files for credentials, in any repo
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["history"])]
    #[serde(skip)]
    pub scan_files: Vec<PathBuf>,
}

/// The findings of a lint.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LintReport {
    /// How many findings are errors.
    pub errors: usize,
    /// How many findings are warnings.
    pub warnings: usize,
    /// What is wrong, errors first.
    pub findings: Vec<Finding>,
    /// Whether warnings count as failures.
    #[serde(skip)]
    pub strict: bool,
    /// What was looked at, in a line.
    #[serde(skip)]
    pub header: String,
}

impl Output for LintReport {
    fn said(&mut self, _: &mut dyn FnMut(&mut String)) {}

    fn wants_attention(&self) -> bool {
        self.errors > 0 || (self.strict && self.warnings > 0)
    }
}

impl Operation for Lint {
    const NAME: &'static str = "lint";
    const EFFECT: Effect = Effect::Reads;
    const PERMISSION: Permission = Permission::Read;
    const AUDIENCE: Audience = Audience::Main;
    type Output = LintReport;

    fn run(&self, on: &Workspace, _: &Call<'_>) -> Result<LintReport, OperationError> {
        let linted = facts::lint(on, self.history)?;
        let (errors, warnings) = (linted.errors(), linted.warnings());
        let Linted { facts, archived, sessions, policy, findings } = linted;
        let header = format!(
            "{}, {archived} archived, {}; windows: working {}, active {}, archive {}",
            counted(facts, "fact"),
            counted(sessions, "session"),
            policy.working_window,
            policy.active_window,
            policy.archive_window,
        );
        Ok(LintReport { errors, warnings, findings, strict: self.strict, header })
    }
}
