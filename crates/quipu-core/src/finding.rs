//! What a check found: where, how bad, and how to clear it.

use schemars::JsonSchema;
use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The folder contradicts itself.
    Error,
    /// Something wants attention.
    Warn,
}

/// Something that is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name for the check.
    pub code: &'static str,
    /// The fact id or file that it is about.
    pub subject: String,
    /// The file, from the workspace's root.
    pub path: String,
    /// 1-based line, where there is one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// How to clear it.
    pub hint: String,
}

/// Findings of a memory folder that a person chose to live with: `code` or `code:subject`.
#[derive(Clone, Debug, Default)]
pub struct Waivers(pub Vec<String>);

impl Waivers {
    /// Tells whether a person chose to live with `finding`; errors cannot be waived.
    pub fn cover(&self, finding: &Finding) -> bool {
        let exact = format!("{}:{}", finding.code, finding.subject);
        finding.severity == Severity::Warn
            && self.0.iter().any(|waiver| *waiver == finding.code || *waiver == exact)
    }
}
