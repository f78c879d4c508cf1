//! What a check found: where, how bad, and how to clear it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The folder contradicts itself.
    Error,
    /// Something wants attention.
    Warn,
}

named! {
    /// A check of `quipu lint`, by the name that `docs/lint.md` explains.
    LintCode {
        /// An id is in continuity and in the archive.
        Both = "both",
        /// Archived as faded, but used within `archive_window`.
        OverArchived = "over-archived",
        /// `.agent/version.md` has no readable version.
        VersionManifest = "version-manifest",
        /// An unresolved merge conflict in a file of the memory or its archive.
        ConflictMarker = "conflict-marker",
        /// Not used for longer than `archive_window` and still in continuity.
        Overdue = "overdue",
        /// `superseded-by` or `supersedes` names an id that no footer has.
        Dangling = "dangling",
        /// A log's name has no time.
        DateOnlySession = "date-only-session",
        /// `review_every` sessions since the last review.
        ReviewOverdue = "review-overdue",
        /// Too many decaying facts, or too many lines.
        ContinuityBloat = "continuity-bloat",
        /// Completed threads take too many lines.
        ClosedThreadBloat = "closed-thread-bloat",
        /// The tier in a footer is not what the ledger says.
        StaleMetadata = "stale-metadata",
        /// What looks like a credential or personal data.
        SecretMaterial = "secret-material",
        /// Shapes of credentials that only Quipu looks for.
        SecretSuspected = "secret-suspected",
        /// A supersession link that the other fact does not return.
        OneWayLink = "one-way-link",
        /// An id twice in one file; only the last counts.
        DuplicateId = "duplicate-id",
        /// A comment like a footer that does not close on its line.
        UnclosedFooter = "unclosed-footer",
        /// A comment like a footer that has no field after the id.
        FooterWithoutFields = "footer-without-fields",
        /// A code fence that never closes, so that all below it is read as code.
        UnclosedFence = "unclosed-fence",
        /// A line of the policy that looks like a setting and sets nothing.
        IdlePolicyKey = "idle-policy-key",
        /// A second or suffixed `## Memory References` heading, which does not count.
        UncountedReferences = "uncounted-references",
        /// A log without the heading, newer than the first log with one.
        NoReferences = "no-references",
        /// A log lists an id that exists nowhere.
        UnknownReference = "unknown-reference",
        /// An origin names a log that is not there.
        UnknownOrigin = "unknown-origin",
        /// The index of the archive does not say what the archive holds.
        ArchiveIndex = "archive-index",
        /// A fact that no log names yet.
        UnloggedFact = "unlogged-fact",
        /// A bullet among facts that has no footer.
        BulletWithoutFooter = "bullet-without-footer",
        /// A log differs from what git has recorded.
        LedgerChanged = "ledger-changed",
        /// A commit changed or deleted a log.
        LedgerRewritten = "ledger-rewritten",
        /// Git tracks a file of the journal, which is private.
        TrackedJournal = "tracked-journal",
        /// A file of the journal that is not UTF-8 or cannot be read.
        UnreadableJournal = "unreadable-journal",
        /// A line of the journal that was meant to be a record and cannot be read as one.
        BrokenRecord = "broken-record",
        /// A new fact may contradict another.
        Contradiction = "contradiction",
    }
}

impl LintCode {
    /// Returns how bad its findings are. What only Quipu checks is a warning, so that the exit
    /// status agrees with the original.
    pub fn severity(self) -> Severity {
        match self {
            Self::Both | Self::OverArchived | Self::VersionManifest | Self::ConflictMarker => {
                Severity::Error
            }
            _ => Severity::Warn,
        }
    }

    /// Tells whether its findings are about secrets, which no repository may waive.
    pub fn is_about_secrets(self) -> bool {
        matches!(self, Self::SecretMaterial | Self::SecretSuspected)
    }
}

/// Something that is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name for the check.
    #[schemars(with = "String")]
    pub code: LintCode,
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
            && self.0.iter().any(|waiver| waiver == finding.code.as_str() || *waiver == exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_every_code_with_its_severity() {
        let documentation = include_str!("../../../docs/lint.md");
        for code in LintCode::ALL {
            let severity = if code.severity() == Severity::Error { "error" } else { "warn" };
            let row = documentation.lines().find(|line| line.contains(&format!("`{code}`")));
            let row = row.unwrap_or_else(|| panic!("docs/lint.md does not explain `{code}`"));
            assert!(row.contains(&format!("| {severity} |")), "{row}");
        }
    }
}
