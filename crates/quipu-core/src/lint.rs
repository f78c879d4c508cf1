//! What is wrong with a memory folder, as findings with codes.
//!
//! The checks and codes of the original come first, with its severities, so that the exit status
//! agrees with it; what Quipu adds is a warning with a code of its own. Each finding says how to
//! clear it.

mod sessions;
mod uncounted;

use std::collections::BTreeMap;

pub use self::uncounted::{uncounted, unlogged};
use crate::archive;
use crate::doc::{Document, Fact};
use crate::fact::{FooterFault, Tier};
pub use crate::finding::{Finding, LintCode, Severity, Waivers};
use crate::manifest::Manifest;
use crate::memory::{
    ARCHIVE, ARCHIVE_INDEX, CONTINUITY, MANIFEST, Memory, POLICY, SESSIONS, Snapshot,
};
use crate::policy::{self, IdleKey, Sessions};
use crate::refresh;
use crate::secret::{self, Class, Scope};
use crate::text::{self, counted};
use crate::tier::{self, Rule};

/// Puts errors first, and leaves out what a person chose to live with.
pub fn settle(findings: &mut Vec<Finding>, waivers: &Waivers) {
    findings.retain(|finding| !waivers.cover(finding));
    findings.sort_by_key(|finding| finding.severity);
}

/// Returns the files that are scanned for secrets, with their paths, in order.
pub fn memory_files(snapshot: &Snapshot) -> impl Iterator<Item = (String, &str)> {
    ["memory/", SESSIONS, ARCHIVE].into_iter().flat_map(move |folder| {
        snapshot.inside(folder).map(move |(name, source)| (format!("{folder}{name}"), source))
    })
}

/// Returns the findings that follow from facts and ledger, without the scan for secrets.
pub fn structure(memory: &Memory<'_>) -> Vec<Finding> {
    let mut lint = Lint { memory, findings: errors(memory) };
    lint.overdue();
    lint.links();
    lint.date_only_sessions();
    lint.health();
    lint.closed_threads();
    lint.stale_metadata();
    lint.footers();
    lint.session_headings();
    lint.unknown_references();
    lint.unknown_origins();
    lint.archive_index();
    lint.policy_keys();
    lint.findings
}

/// Returns the findings that are errors.
pub fn errors(memory: &Memory<'_>) -> Vec<Finding> {
    let mut lint = Lint { memory, findings: Vec::new() };
    lint.in_both();
    lint.over_archived();
    lint.version_manifest();
    lint.conflict_markers();
    lint.findings
}

/// Returns the findings that make a review due.
pub fn health(memory: &Memory<'_>) -> Vec<Finding> {
    let mut lint = Lint { memory, findings: Vec::new() };
    lint.health();
    lint.findings
}

/// Returns the findings about links between facts, and about footers.
pub fn integrity(memory: &Memory<'_>) -> Vec<Finding> {
    let mut lint = Lint { memory, findings: Vec::new() };
    lint.in_both();
    lint.links();
    lint.footers();
    lint.findings
}

struct Lint<'m, 'a> {
    memory: &'m Memory<'a>,
    findings: Vec<Finding>,
}

/// Where a finding is: file and line.
type Place = (String, Option<usize>);

impl<'m> Lint<'m, '_> {
    fn add(
        &mut self,
        code: LintCode,
        subject: &str,
        (path, line): Place,
        message: String,
        hint: impl Into<String>,
    ) {
        self.findings.push(Finding {
            severity: code.severity(),
            code,
            subject: subject.to_owned(),
            path,
            line,
            message,
            hint: hint.into(),
        });
    }

    fn live(&self) -> Vec<&'m Fact> {
        self.memory.continuity.distinct_facts()
    }

    fn in_both(&mut self) {
        let archived = self.memory.archived();
        let mut both: Vec<&Fact> =
            self.live().into_iter().filter(|fact| archived.contains_key(fact.id())).collect();
        both.sort_by_key(|fact| fact.id());
        for fact in both {
            let (file, _) = archived[fact.id()];
            self.add(
                LintCode::Both,
                fact.id(),
                (CONTINUITY.to_owned(), Some(fact.line)),
                format!("`{}` is in continuity.md and in archive/{} at once", fact.id(), file.name),
                format!(
                    "keep the block that is right and delete the other by hand; `git log -S {}` shows how both came to be",
                    fact.id()
                ),
            );
        }
    }

    fn over_archived(&mut self) {
        let window = self.memory.policy.archive_window;
        for (id, (file, fact)) in self.memory.archived() {
            if fact.footer.is_superseded() || fact.footer.is_held_by_human() {
                continue;
            }
            let Some(usage) = self.memory.ledger.usage(id) else {
                continue;
            };
            if usage.since <= window {
                self.add(
                    LintCode::OverArchived,
                    id,
                    (format!("{ARCHIVE}{}", file.name), Some(fact.line)),
                    format!(
                        "`{id}` is archived as faded but was used {} ago (archive_window {window})",
                        counted(usage.since, "session")
                    ),
                    format!(
                        "bring it back with `quipu fact reactivate {id}`, or run `quipu review`"
                    ),
                );
            }
        }
    }

    fn version_manifest(&mut self) {
        let Some(source) = self.memory.snapshot.get(MANIFEST) else {
            return;
        };
        if Manifest::parse(source).is_none() {
            self.add(
                LintCode::VersionManifest,
                MANIFEST,
                (MANIFEST.to_owned(), None),
                "the install manifest has no line `- **version:** X.Y.Z`".to_owned(),
                "write the version of the memory layout there, such as `- **version:** 4.38.0`",
            );
        }
    }

    fn conflict_markers(&mut self) {
        let snapshot = self.memory.snapshot;
        let files = ["memory/", ARCHIVE].into_iter().flat_map(|folder| {
            snapshot.inside(folder).map(move |(name, source)| (format!("{folder}{name}"), source))
        });
        for (path, source) in files {
            let marker = text::lines(source).position(|line| is_conflict_marker(line.text));
            if let Some(index) = marker {
                self.add(
                    LintCode::ConflictMarker,
                    &path,
                    (path.clone(), Some(index + 1)),
                    "an unresolved merge conflict".to_owned(),
                    "keep the lines of both sides (`[x]` wins over `[ ]`) and delete the markers",
                );
            }
        }
    }

    fn overdue(&mut self) {
        let window = self.memory.policy.archive_window;
        for fact in self.live() {
            let is_counted = fact.footer.tier().is_none_or(Tier::is_counted);
            if !is_counted || !self.memory.decays(fact) {
                continue;
            }
            let Some(usage) = self.memory.ledger.usage(fact.id()) else {
                continue;
            };
            if usage.since > window {
                self.add(
                    LintCode::Overdue,
                    fact.id(),
                    (CONTINUITY.to_owned(), Some(fact.line)),
                    format!(
                        "`{}` was not used for {} sessions (archive_window {window})",
                        fact.id(),
                        usage.since
                    ),
                    if fact.is_thread() {
                        "`quipu review` sweeps it".to_owned()
                    } else {
                        format!(
                            "`quipu review` archives it; if it never decays, `quipu fact core {}`",
                            fact.id()
                        )
                    },
                );
            }
        }
    }

    /// Supersession links resolve, and point both ways.
    fn links(&mut self) {
        let memory = self.memory;
        let mut all: BTreeMap<&str, (String, &Fact)> = BTreeMap::new();
        for (name, document) in &memory.other {
            all.extend(document.facts.iter().map(|f| (f.id(), (format!("memory/{name}"), f))));
        }
        for (id, (file, fact)) in memory.archived() {
            all.insert(id, (format!("{ARCHIVE}{}", file.name), fact));
        }
        for fact in self.live() {
            all.insert(fact.id(), (CONTINUITY.to_owned(), fact));
        }
        for (id, (path, fact)) in &all {
            for (key, back) in [("superseded-by", "supersedes"), ("supersedes", "superseded-by")] {
                let Some(target) = fact.footer.get(key).filter(|id| !id.is_empty()) else {
                    continue;
                };
                let place = (path.clone(), Some(fact.line));
                match all.get(target) {
                    None => self.add(
                        LintCode::Dangling,
                        id,
                        place,
                        format!("`{id}` says `{key}: {target}`, and no footer has that id"),
                        format!("correct the id, or remove `{key}` from the footer of `{id}`"),
                    ),
                    Some((_, other)) if other.footer.get(back).is_none_or(str::is_empty) => self.add(
                        LintCode::OneWayLink,
                        id,
                        place,
                        format!("`{id}` says `{key}: {target}`, and `{target}` does not say `{back}: {id}`"),
                        format!("add `| {back}: {id}` to the footer of `{target}`"),
                    ),
                    Some(_) => {}
                }
            }
        }
    }

    fn health(&mut self) {
        let policy = self.memory.policy;
        let at_top: Place = (CONTINUITY.to_owned(), None);
        let since = sessions_since_review(self.memory);
        if since >= policy.review_every {
            self.add(
                LintCode::ReviewOverdue,
                CONTINUITY,
                at_top.clone(),
                format!(
                    "{} since the last review (review_every {})",
                    counted(since, "session"),
                    policy.review_every
                ),
                "see what it would do with `quipu review --dry-run`, then run `quipu review`",
            );
        }
        let facts = self.live().into_iter().filter(|fact| self.memory.decays(fact)).count();
        if facts > policy.continuity_max_facts as usize {
            self.add(
                LintCode::ContinuityBloat,
                CONTINUITY,
                at_top.clone(),
                format!("{facts} decaying facts (continuity_max_facts {})", policy.continuity_max_facts),
                "run `quipu review`; where all are in use, raise continuity_max_facts in decay-policy.md",
            );
        }
        let lines = self.memory.continuity.source.lines().count();
        if lines > policy.continuity_max_lines as usize {
            let hint = if self.live().iter().any(|fact| self.is_archivable(fact)) {
                "run `quipu review`, which has facts to archive"
            } else {
                "nothing can be archived yet: shorten long facts, or raise continuity_max_lines in decay-policy.md"
            };
            self.add(
                LintCode::ContinuityBloat,
                CONTINUITY,
                at_top,
                format!(
                    "continuity.md has {lines} lines (continuity_max_lines {})",
                    policy.continuity_max_lines
                ),
                hint,
            );
        }
    }

    fn is_archivable(&self, fact: &Fact) -> bool {
        matches!(self.memory.rule(fact), Rule::Superseded | Rule::Faded)
    }

    fn closed_threads(&mut self) {
        let limit = self.memory.policy.closed_narrative_max_lines;
        let lines = closed_thread_lines(self.memory.continuity.source);
        if lines > limit as usize {
            self.add(
                LintCode::ClosedThreadBloat,
                CONTINUITY,
                (CONTINUITY.to_owned(), None),
                format!("completed threads take {lines} lines (closed_narrative_max_lines {limit})"),
                "shorten each to 3-6 lines with `quipu edit ID` (the story is in its session log), or raise closed_narrative_max_lines in decay-policy.md",
            );
        }
    }

    fn stale_metadata(&mut self) {
        for fact in self.live() {
            if fact.footer.is_core() || fact.footer.is_superseded() {
                continue;
            }
            let Some(expected) = tier::tier(self.memory.rule(fact)) else {
                continue;
            };
            if fact.footer.tier() != Some(expected) {
                let stored = fact.footer.get("tier");
                let since = self.memory.ledger.usage(fact.id()).map_or(Sessions(0), |u| u.since);
                let shaped = |label: &str| label.bytes().all(|b| refresh::is_tier_byte(&b));
                let hint = if stored.is_some_and(shaped) {
                    "run `quipu refresh`".to_owned()
                } else {
                    format!("write `tier: {expected}` in its footer, by hand")
                };
                self.add(
                    LintCode::StaleMetadata,
                    fact.id(),
                    (CONTINUITY.to_owned(), Some(fact.line)),
                    format!(
                        "`{}` is labelled `{}` and should be `{expected}` (last used {} ago)",
                        fact.id(),
                        stored.unwrap_or("nothing"),
                        counted(since, "session"),
                    ),
                    hint,
                );
            }
        }
    }

    /// Comments that look like footers, and ids that stand in one file twice.
    fn footers(&mut self) {
        let memory = self.memory;
        let archive =
            memory.archive.iter().map(|file| (format!("{ARCHIVE}{}", file.name), &file.document));
        let files = std::iter::once((CONTINUITY.to_owned(), &memory.continuity)).chain(archive);
        for (path, document) in files {
            self.broken_footers(&path, document);
            if let Some(line) = document.unclosed_fence {
                self.add(
                    LintCode::UnclosedFence,
                    &path,
                    (path.clone(), Some(line)),
                    "a code fence opens here and never closes, so all below it is read as code"
                        .to_owned(),
                    "close it with the same number of backticks, or take it out",
                );
            }
            let mut first: BTreeMap<&str, usize> = BTreeMap::new();
            for fact in &document.facts {
                match first.get(fact.id()) {
                    None => {
                        first.insert(fact.id(), fact.line);
                    }
                    Some(earlier) => self.add(
                        LintCode::DuplicateId,
                        fact.id(),
                        (path.clone(), Some(fact.line)),
                        format!(
                            "`{}` is on line {earlier} too; only the last one counts",
                            fact.id()
                        ),
                        "give one of the two another id, or delete the copy",
                    ),
                }
            }
        }
    }

    fn broken_footers(&mut self, path: &str, document: &Document<'_>) {
        let mut numbers = text::LineNumbers::of(document.source);
        for broken in &document.broken {
            let line = numbers.at(broken.at);
            let (code, message, hint) = match broken.fault {
                FooterFault::Unclosed => (
                    LintCode::UnclosedFooter,
                    format!(
                        "the footer of `{}` does not close on its line, so it is not read",
                        broken.id
                    ),
                    "write the whole comment on one line, with `-->` at its end",
                ),
                FooterFault::NoFields => (
                    LintCode::FooterWithoutFields,
                    format!(
                        "the footer of `{}` has no `|` after the id, so it is not read",
                        broken.id
                    ),
                    "add its fields, such as `| created: 2026-01-31 | last_used: 2026-01-31 | uses: 1 | tier: working`",
                ),
            };
            self.add(code, &broken.id, (path.to_owned(), Some(line)), message, hint);
        }
    }

    /// The index of the archive says what the archive holds.
    fn archive_index(&mut self) {
        let faults = archive::index_faults(self.memory);
        if faults.is_empty() {
            return;
        }
        let named = |ids: &[String]| {
            let more = if ids.len() > 5 { ", …" } else { "" };
            format!("{}{more}", ids.iter().take(5).cloned().collect::<Vec<_>>().join(", "))
        };
        let mut wrong = Vec::new();
        if !faults.missing.is_empty() {
            let count = faults.missing.len();
            wrong.push(format!("{count} archived facts are not in it: {}", named(&faults.missing)));
        }
        if !faults.returned.is_empty() {
            let count = faults.returned.len();
            wrong.push(format!("{count} facts in it are live again: {}", named(&faults.returned)));
        }
        self.add(
            LintCode::ArchiveIndex,
            ARCHIVE_INDEX,
            (ARCHIVE_INDEX.to_owned(), None),
            format!("the index of the archive is out of date ({})", wrong.join("; ")),
            "run `quipu refresh`, which makes it again from the quarter files",
        );
    }

    /// Policy lines that look like settings and are none.
    fn policy_keys(&mut self) {
        let Some(source) = self.memory.snapshot.get(POLICY) else { return };
        for (line, key, fault) in policy::idle_keys(source) {
            let (message, hint) = match fault {
                IdleKey::Unknown => (
                    format!("`{key}` is no setting that Quipu knows"),
                    "correct the name (docs/configuration.md lists them), or make it prose",
                ),
                IdleKey::Styled => (
                    format!("`{key}` is written in a style that is not read, so the default holds"),
                    "write it as `- key: N`, without asterisks, tables or equals signs",
                ),
                IdleKey::Repeated => (
                    format!("`{key}` is set above already, and only the first counts"),
                    "remove one of the two lines",
                ),
            };
            let place = (POLICY.to_owned(), Some(line));
            self.add(LintCode::IdlePolicyKey, key, place, message, hint);
        }
    }
}

/// Returns how many sessions were written since the last review.
pub fn sessions_since_review(memory: &Memory<'_>) -> Sessions {
    memory.ledger.sessions_after(stamp(&memory.continuity, "last_review"))
}

/// Returns the session (or date) up to which `- **key:** DATE | through SESSION` says it was done.
pub fn stamp<'a>(document: &Document<'a>, key: &str) -> Option<&'a str> {
    let value = document.state(key)?.value.trim_start_matches('`');
    let digits = |text: &'a str| {
        let length = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'-').count();
        (length > 0).then(|| text.split_at(length))
    };
    let (date, rest) = digits(value)?;
    let rest = rest.trim_start_matches('`').trim_start();
    let rest = rest.strip_prefix(['|', '(']).unwrap_or(rest).trim_start();
    let through = rest
        .strip_prefix("through")
        .filter(|rest| rest.starts_with(char::is_whitespace))
        .and_then(|rest| digits(rest.trim_start().trim_start_matches('`')))
        .map(|(stem, _)| stem)
        .filter(|stem| !stem.starts_with('-'));
    Some(through.unwrap_or(date))
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"].into_iter().any(|marker| {
        line.strip_prefix(marker)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    })
}

/// Counts the lines of completed threads, each to the next open thread or heading.
fn closed_thread_lines(source: &str) -> usize {
    let mut inside = false;
    let mut count = 0;
    for line in text::lines(source) {
        if line.text.starts_with("- [x]") {
            inside = true;
        } else if line.text.starts_with("- [ ]") || line.text.starts_with('#') {
            inside = false;
        }
        if inside && !line.is_blank() {
            count += 1;
        }
    }
    count
}

/// Returns a finding for each category of secret in one file.
pub fn secret_findings(path: &str, source: &str, scope: Scope) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let hits = secret::scan(source, scope);
    for category in hits.chunk_by(|a, b| a.category == b.category) {
        let first = &category[0];
        let line = text::line_number(source, first.span.start);
        let key = first.key.as_ref().map(|key| format!(" (`{key}`)")).unwrap_or_default();
        let hint = if secret::is_personal(first.category) {
            "redact it to (REDACTED), or shorten a path to `~`; mark a deliberate example with `lint:allow-secret-material` on its line"
        } else {
            "redact the value to (REDACTED); a live credential is exposed, so rotate it (git keeps the original); mark a deliberate example with `lint:allow-secret-material` on its line"
        };
        let code = match first.class {
            Class::Known => LintCode::SecretMaterial,
            Class::Suspected => LintCode::SecretSuspected,
        };
        findings.push(Finding {
            severity: code.severity(),
            code,
            subject: path.to_owned(),
            path: path.to_owned(),
            line: Some(line),
            message: format!(
                "{}{key}: {}, first on line {line}",
                first.category,
                counted(category.len(), "hit")
            ),
            hint: hint.to_owned(),
        });
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_read_in_every_form_seen_in_real_repos() {
        for value in [
            "2026-06-20 | through 2026-06-20-170000",
            "2026-06-20 | through 2026-06-20-170000.md",
            "2026-06-20 (through 2026-06-20-170000.md)",
            "2026-06-20 | through `2026-06-20-170000.md`",
            "`2026-06-20` | through 2026-06-20-170000 (all confirmed)",
        ] {
            let source = format!("# C\n- **last_review:** {value}\n");
            assert_eq!(
                stamp(&Document::parse(&source), "last_review"),
                Some("2026-06-20-170000"),
                "{value}"
            );
        }
        assert_eq!(
            stamp(&Document::parse("- **last_review:** 2026-06-20\n"), "last_review"),
            Some("2026-06-20")
        );
        assert_eq!(stamp(&Document::parse("- **last_review:** (none yet)\n"), "last_review"), None);
    }

    #[test]
    fn a_setext_underline_is_no_conflict_marker() {
        assert!(!is_conflict_marker("======="));
        assert!(is_conflict_marker("<<<<<<< HEAD"));
        assert!(is_conflict_marker("|||||||"));
        assert!(!is_conflict_marker("<<<<<<<HEAD"));
    }
}
