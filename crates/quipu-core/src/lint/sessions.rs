//! Checks of the session logs.

use std::collections::BTreeMap;

use super::{Lint, LintCode};
use crate::ledger;
use crate::memory::{ARCHIVE, CONTINUITY, LEGACY, SESSIONS};
use crate::text::counted;

impl Lint<'_, '_> {
    pub(super) fn date_only_sessions(&mut self) {
        for log in &self.memory.ledger.logs {
            if ledger::is_date(log.stem) {
                let name = format!("{}.md", log.stem);
                self.add(
                    LintCode::DateOnlySession,
                    &name,
                    (format!("{SESSIONS}{name}"), None),
                    format!("session log `{name}` has no time in its name, so the order of that day is unknown"),
                    format!("rename it to `{}-HHMMSS.md` (UTC); its text stays as it is", log.stem),
                );
            }
        }
    }

    pub(super) fn session_headings(&mut self) {
        let logs = &self.memory.ledger.logs;
        let adopted = logs.iter().position(|log| log.has_references);
        for (index, log) in logs.iter().enumerate() {
            let name = format!("{}.md", log.stem);
            let path = format!("{SESSIONS}{name}");
            for line in &log.uncounted_headings {
                self.add(
                    LintCode::UncountedReferences,
                    &name,
                    (path.clone(), Some(*line)),
                    "only the first heading that reads exactly `## Memory References` counts; the content below this one does not".to_owned(),
                    format!("name the ids in the next session log if they were used, then waive it: `lint.allow = [\"uncounted-references:{name}\"]` in quipu.toml"),
                );
            }
            // Logs from before the first references section predate the ritual.
            let missing = !log.has_references && log.uncounted_headings.is_empty();
            if missing && adopted.is_some_and(|first| first < index) {
                self.add(
                    LintCode::NoReferences,
                    &name,
                    (path, None),
                    format!("session log `{name}` has no `## Memory References` section: it ages every fact and uses none"),
                    format!("that is right for a session that used no fact: waive it with `lint.allow = [\"no-references:{name}\"]` in quipu.toml"),
                );
            }
        }
    }

    /// Ids that a log lists and no file has.
    pub(super) fn unknown_references(&mut self) {
        let known = self.memory.ids();
        let mut unknown: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for log in &self.memory.ledger.logs {
            for id in log.listed.iter().filter(|id| !known.contains(**id)) {
                unknown.entry(id).or_default().push(log.stem);
            }
        }
        for (id, stems) in unknown {
            let name = format!("{}.md", stems[0]);
            self.add(
                LintCode::UnknownReference,
                id,
                (format!("{SESSIONS}{name}"), None),
                format!("no fact has the id `{id}`, which is named by {}, first `{name}`", counted(stems.len(), "session log")),
                format!("add the fact with `quipu fact add --id {id} …`, or waive it: `lint.allow = [\"unknown-reference:{id}\"]` in quipu.toml"),
            );
        }
    }

    /// Origins that name a log which is not there.
    pub(super) fn unknown_origins(&mut self) {
        let memory = self.memory;
        let live = memory.continuity.distinct_facts().into_iter();
        let live = live.map(|fact| (CONTINUITY.to_owned(), fact));
        let archived = memory.archived().into_values();
        let archived = archived.map(|(file, fact)| (format!("{ARCHIVE}{}", file.name), fact));
        for (path, fact) in live.chain(archived).collect::<Vec<_>>() {
            let Some(origin) = fact.footer.get("origin").filter(|origin| !origin.is_empty()) else {
                continue;
            };
            // Facts that `init` took over name the file with the words that it found.
            if memory.ledger.has_log(origin) || origin.starts_with(LEGACY) {
                continue;
            }
            self.add(
                LintCode::UnknownOrigin,
                fact.id(),
                (path, Some(fact.line)),
                format!("`{}` says `origin: {origin}`, and no session log has that name", fact.id()),
                format!("write the name of the log that created it, or remove `origin` from its footer; else waive it: `lint.allow = [\"unknown-origin:{}\"]` in quipu.toml", fact.id()),
            );
        }
    }
}
